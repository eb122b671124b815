# The study warped-gates at its small size: everything runs, the time it takes, and its numbers computed
# again from the counters of runs by hand.
. "$HERE/lib.sh"
run 0 study warped-gates --size small --db "$TMP/results.db" -o s
says err ' 0 failed'
# user and system time of all jobs: 148 s for 986 of them, on two processors that others used too
seconds=$(times | tail -1 | awk '{for (i = 1; i <= 2; i++) {split($i, t, /[ms]/); s += 60 * t[1] + t[2]}} END {print s}')
awk -v s="$seconds" 'BEGIN {exit !(s < 450)}' || fail "the study took $seconds s of processor time, three times what it took when this limit was set"
for f in fig1b fig3a fig3b fig3c fig5a fig5b fig6 fig6b fig8a fig8b fig8c fig9a fig9b fig10 fig11a fig11b chip hardware machine moves lane_groups issue priority remains threshold sfu alone whole_sms kepler; do
    [ -s s/$f.csv ] || fail "no s/$f.csv"
    grep -qE '(^|,)(,|$)' s/$f.csv && fail "s/$f.csv lacks values"
done
for p in two-level conv-pg; do run 0 run -g gtx480-micro46 -p $p -q --no-power -o $p srad; done
python3 - "$HERE/../../studies/published.csv" <<'END' || fail "the study's numbers are not those of the runs"
import csv, json, math, sys
rows = json.load(open('s/study.json'))['results']
key = lambda r: (r['source'], r['workload'], r['configuration'], r['metric'])
have = {key(r): r for r in rows}
missing = []
for r in csv.DictReader(open(sys.argv[1])):
    if r['study'] == 'warped-gates' and (key(r) not in have or not (have[key(r)]['ours'] is not None or have[key(r)]['why'])):
        missing.append(r)
assert not missing, missing

def counters(folder):
    c = {}
    for r in csv.DictReader(open(folder + '/activity.csv')):
        c[r['counter'], int(r['index'] or 0)] = c.get((r['counter'], int(r['index'] or 0)), 0) + float(r['value'])
    return c
base, gated = counters('two-level'), counters('conv-pg')
def figure(name):
    return {r[next(iter(r))]: [float(v) for v in list(r.values())[1:]] for r in csv.DictReader(open('s/%s.csv' % name))}
def near(a, b): assert abs(a - b) <= 1e-5 * max(1, abs(b)), (a, b)
# a unit leaks in every cycle in which the SM holds work but those off, and 14 more for each switching
def paid(c, first):
    return sum(c['sm_busy_cycles', 0] - c.get(('gate_uncompensated', first + i), 0) - c.get(('gate_compensated', first + i), 0)
               + 14 * c.get(('gate_events', first + i), 0) for i in (0, 1))
near(figure('fig9a')['srad'][0], 100 * (1 - paid(gated, 0) / paid(base, 0)))
near(figure('fig9b')['srad'][0], 100 * (1 - paid(gated, 8) / paid(base, 8)))
near(figure('fig10')['srad'][0], base['cycles', 0] / gated['cycles', 0])
# Pearson's r from deviations
m = {(r['workload'], r['configuration'], r['metric']): float(r['value'] or 'nan') for r in csv.DictReader(open('s/metrics.csv'))}
sets = ['coordinated-blackout'] + ['idle-detect %d' % i for i in (0, 2, 4, 6, 8, 10)]
for w, r in figure('fig6').items():
    x = [m[w, c, 'critical_rate'] for c in sets]
    y = [m[w, c, 'run_time'] for c in sets]
    dx, dy = [a - sum(x) / 7 for a in x], [a - sum(y) / 7 for a in y]
    want = sum(a * b for a, b in zip(dx, dy)) / math.sqrt(sum(a * a for a in dx) * sum(b * b for b in dy))
    assert abs(want - r[0]) < 1e-4, (w, want, r)
END
# what docs/papers keeps of this size; where a number moved on purpose, the study's sibling of size paper is old too
"$HERE/../../tools/paper-pages" --compare s >said || { cat said; fail "kept results (docs/papers/results) are not these"; }
finish
