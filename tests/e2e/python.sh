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
try:
    import pandas
    assert len(run.to_pandas('launches')) == len(run.launches)
except ImportError:
    pass
P
finish
