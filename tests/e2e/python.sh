# The Python package drives the command and hands over what it measured, with the standard library alone.
. "$HERE/lib.sh"
export WARPWATT
PYTHONPATH=$HERE/../../python PYTHONDONTWRITEBYTECODE=1 python3 - "$HERE" <<'P' || fail "the Python package"
import json, sys
import warpwatt
assert 'gtx480' in [g.name for g in warpwatt.gpus()] and 'hotspot' in warpwatt.workloads()
run = warpwatt.run('bfs', gpu='gtx580', set={'sm.scheduler': 'gto'}, out='kept')
total = json.load(open('kept/run.json'))
assert run.cycles == total['summary']['cycles'] and run.gpu == 'gtx580', run
assert run.json == total
assert sum(l.launches for l in run.launches) == total['totals']['launches']
assert abs(sum(l.energy_j for l in run.launches) / run.energy_j - 1) < 1e-9
assert run.query('select count(*) from launches where kernel = ?', run.launches[0].kernel)[0][0] >= 1
assert 'gto' in open('kept/gpu.yaml').read()
assert warpwatt.load('kept').energy_j == run.energy_j
# techniques, bits that change, and the sums that hold with them
with_both = warpwatt.run('bfs', gpu='gtx480-micro46', techniques=['warped-gates'], options=['--toggle'])
parts = sum(i.dynamic_j + i.static_j for i in with_both.instructions) + sum(i.idle_j for i in with_both.idle)
assert abs(parts / with_both.energy_j - 1) < 1e-9, (parts, with_both.energy_j)
assert any(c.counter == 'toggle_reads' for c in with_both.counters) and any(c.counter.startswith('gat') or 'gated' in c.counter for c in with_both.counters)
assert abs(sum(c.dynamic_j + c.static_j for c in with_both.components if c.launch) / with_both.energy_j - 1) < 1e-9
for bad, code, word in ((lambda: warpwatt.run('bffs'), 2, 'bfs'), (lambda: warpwatt.run('bfs', set={'sm.schedulrs': 4}), 2, 'schedulers'),
                        (lambda: warpwatt.run(), 2, 'either'), (lambda: warpwatt.load('nowhere'), 2, 'results.sqlite')):
    try: bad()
    except warpwatt.Error as e: assert e.exit_code == code and word in str(e), e
    else: raise SystemExit('no error')
try: warpwatt.run('bfs', options=['--max-cycles', '500'])
except warpwatt.Error as e: assert e.exit_code == 4 and e.run is not None and e.run.cycles > 0
else: raise SystemExit('no error at a limit')
try: run.nothing
except AttributeError as e: assert 'launches' in str(e)
# two runs beside each other: changes are from the first, components add up, the page is theirs
both = warpwatt.compare(run, with_both, names=['plain', 'gated'])
row = both.rows[1]
assert both.rows[0]['energy_j_change'] == 0 and abs(row['energy_j_change'] - (with_both.energy_j / run.energy_j - 1)) < 1e-12
for i, r in enumerate(both): assert abs(sum(j[i] for j in both.components.values()) / r.energy_j - 1) < 1e-9
first = list(both.components.values())
assert all(abs(a[1] - a[0]) >= abs(b[1] - b[0]) for a, b in zip(first, first[1:]))
assert abs(run.power_w * run.kernel_seconds / run.energy_j - 1) < 1e-12
assert open(both.page('both.html')).read().startswith('<!DOCTYPE html>') and warpwatt.compare('kept')[0].cycles == run.cycles
assert '<table>' in both._repr_html_() and 'plain' in both._repr_html_() and 'hotspot' not in run._repr_html_()
try: warpwatt.compare(run, with_both, names=['one'])
except warpwatt.Error as e: assert '1 names for 2' in str(e)
else: raise SystemExit('a run without a name')
untimed = warpwatt.compare(run, warpwatt.run('bfs', gpu='gtx580', options=['--functional']))
assert untimed.rows[1]['energy_j'] is None and untimed.rows[1]['cycles_change'] is None and '\u2013' in untimed._repr_html_()
gates = next(t for t in warpwatt.techniques() if t.name == 'warped-gates')
assert 'MICRO' in gates.paper and gates.mechanisms and all(isinstance(v, str) for v in gates.options.values())
held = warpwatt.occupancy(run.launches[0].module, gpu='gtx580')['occupancy'][0]
assert held['kernel'] in {l.kernel for l in run.launches}, held
assert warpwatt.unit('dynamic_j') == 'J' and warpwatt.unit('core_clock_mhz') == 'MHz' and warpwatt.unit('kernel') is None
try:
    import pandas
    frame = run.to_pandas('launches')
    assert len(frame) == len(run.launches) and frame.attrs['units']['energy_j'] == 'J'
    assert both.to_pandas().loc['gated', 'energy_j'] == with_both.energy_j
except ImportError:
    pass
# the example notebook: every cell runs as it stands
book = json.load(open(sys.argv[1] + '/../../docs/examples/power-gating.ipynb'))
names = {}
for cell in book['cells']:
    if cell['cell_type'] == 'code': exec(compile(''.join(cell['source']), cell['id'], 'exec'), names)
assert [r.cycles > 0 for r in names['runs']] == [True] * 3 and names['runs'].rows[1]['static_j_change'] < 0
P
[ -s runs.html ] || fail "the notebook left no page"
finish
