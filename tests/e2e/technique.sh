# The view of a technique on a run's page: each thing that it switches is in one state at a time, intervals add up to
# the run, what its effects saved and cost are the run's savings, and the page draws them.
. "$HERE/lib.sh"
for t in warped-gates origami drowsy-everywhere cache-decay warped-register-file pilot-register-file rf-cache sm-gating; do
    run 0 run -q -o $t -g gtx480-micro46 -p $t hotspot
    run 0 report --json $t; cp out $t.json
done
run 0 run -q -o front-end-sharing -s sm_count=14 -p front-end-sharing hotspot
run 0 report --json front-end-sharing; cp out front-end-sharing.json
run 0 run -q -o none hotspot
run 0 report --json none
lacks out '"technique": '
python3 - <<'P' || fail "what techniques did"
import json
def near(a, b, part=1e-9): return abs(a - b) <= part * max(abs(a), abs(b), 1e-18)
def of(name):
    page = json.load(open(name + '.json'))
    a, = [l['activity'] for l in map(json.loads, open(name + '/record.jsonl')) if l['type'] == 'launch']
    t = page['technique']
    v = [i['technique'] for i in page['timeline']['intervals']]
    for k, d in enumerate(t['domains']):  # intervals add up to the run, state by state
        for s, n in enumerate(d['total']):
            # the last interval is cut at the launch's end, between two times at which SMs are asked
            assert abs(sum(i['states'][k][s] for i in v) - n) <= 1e-3 * sum(d['total']), (name, d['key'], d['states'][s])
    for k, l in enumerate(t['lines']):
        assert near(sum(i['net_j'][k] for i in v), l['saved_j'] - l['spent_j'], 0.05 if name == "sm-gating" else 1e-3), (name, l)  # 48 of 1,246 cycles off lie in the cut
    units = page['savings']['units']
    for l in t['lines']:  # the lines are those of the savings table
        if l['name'] in units:
            assert near(l['saved_j'], units[l['name']]['saved_j']) and near(l['spent_j'], units[l['name']]['overhead_j']), (name, l)
    for l in t['lines']:  # and effects add up to lines
        for saves, key in ((True, 'saved_j'), (False, 'spent_j')):
            assert near(sum(e['joules'] for e in t['effects'] if e['line'] == l['name'] and e['saves'] == saves), l[key]), (name, l, key)
    mine = set(page['run']['mechanisms'])
    assert t['effects'] and all(e['by'] and set(e['by']) <= mine for e in t['effects']), name
    return page, a, {d['key']: dict(zip(d['states'], d['total'])) for d in t['domains']}
page, a, d = of('warped-gates')
assert set(d) == {'int_pipes', 'fp_pipes'}
for kind, first in (('int', 0), ('fp', 8)):
    assert sum(d[kind + '_pipes'].values()) == 2 * a['sm_busy_cycles']  # two lane groups
    assert d[kind + '_pipes']['busy'] == sum(a[kind + '_busy_cycles']) > 0
    assert d[kind + '_pipes']['off, paid for'] == sum(a['gate_compensated'][first:first + 8]) > 0
page, a, d = of('origami')
for kind in ('int', 'fp'):
    assert near(sum(d[kind + '_lanes'].values()), 2 * 32 * a['sm_busy_cycles']), d[kind + '_lanes']
    assert sum(d['folding_' + kind].values()) == a['sm_busy_cycles']
assert sum(d['folded'].values()) == sum(a['lane_issues']) and 0 < d['folded']['folded']
page, a, d = of('drowsy-everywhere')
lines = {'l1_lines': 15 * 16384 // 128, 'shared_rows': 15 * 49152 // 128, 'l2_lines': 786432 // 128}
assert all(near(sum(d[k].values()), n * a['cycles'], 1e-3) for k, n in lines.items()), d
assert d['l1_lines']['drowsy'] > 0 and 'tex_lines' in d
page, a, d = of('cache-decay')
assert d['l2_lines']['off'] > 0 == d['l2_lines']['drowsy']
page, a, d = of('warped-register-file')
assert sum(d['rf_rows'].values()) == 1024 * a['sm_busy_cycles'] and d['rf_rows']['drowsy'] > 0 < d['rf_rows']['off']
assert sum(d['rf_lanes'].values()) == 32 * a['rf_divided_reads']
page, a, d = of('pilot-register-file')
assert sum(d['rf_parts'].values()) == a['sm_busy_cycles'] and sum(d['rf_reads'].values()) == sum(a['partition_reads']) > 0
page, a, d = of('rf-cache')
assert d['rfc_reads']['in the cache'] == a['rfc_reads'][0] > 0
page, a, d = of('sm-gating')
assert sum(d['sms'].values()) == 15 * a['cycles'], (d, a['cycles'])
page, a, d = of('front-end-sharing')
assert sum(d['front_ends'].values()) == a['sm_busy_cycles'] and d['front_ends']['off, served'] > 0
P
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "no chromium: the page was not opened (tools/setup test installs it)"
    finish
fi
PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1 python3 - "$browser" "$TMP" <<'P' || fail "the page of a technique"
import json, sys
from browser import Browser
b = Browser(sys.argv[1], sys.argv[2] + '/profile')
page = json.load(open('origami.json'))
for width, dark in ((1200, False), (400, True)):
    b.open('origami/index.html', width, dark=dark)
    drawn, wanted = b.run('document.body.dataset.charts').split(' of ')
    assert drawn == wanted and b.run('document.body.dataset.overflow') == '0'
    assert b.run('document.querySelectorAll("#technique canvas").length') == len(page['technique']['domains']) + 1
    # shares of states beside the chart are the run's, bands of each interval fill the chart
    said = b.run('document.querySelector("#technique [data-domain=int_lanes]").textContent')
    d, = [d for d in page['technique']['domains'] if d['key'] == 'int_lanes']
    for s, n in zip(d['states'], d['total']): assert '%s %.1f %%' % (s, 100 * n / sum(d['total'])) in said, (said, s)
    sets = b.run('Chart.getChart(document.querySelector("#technique canvas")).data.datasets.map(function (s) { return s.data.map(function (p) { return [p.x, p.y]; }); })')
    assert all(min(abs(sum(s[i][1] for s in sets) - n) for n in (0, 100)) < 1e-6 for i in range(len(sets[0]))) and len({p[0] for p in sets[0]}) == len(sets[0])
    rows = b.run('document.querySelectorAll("#technique tbody tr").length')
    assert rows == len(page['technique']['effects'])
b.close()
P
finish
