# All techniques together, on one program at its smallest: what the study says of a combination is what its runs say,
# nodes cost no runs, and a combination whose parts are not there alone is refused. And a search over techniques.
. "$HERE/lib.sh"
python3 - "$HERE/../../studies/together.yaml" <<'P'
import re, sys
text = open(sys.argv[1]).read()
open('one.yaml', 'w').write(re.sub(r'\nworkloads:\n.*?\n\n', '\nworkloads:\n  vectorAdd:\n\n', text, flags=re.S))
P
run 0 study --db one.db -o one one.yaml
n=$(grep -c '\] done: ' err)
[ "$n" = 68 ] || fail "68 machines and sets of techniques took $n runs: nodes cost none"
python3 - <<'P' || fail "the tables are not what the runs say"
import csv, json
metric = {(r['configuration'], r['metric']): float(r['value'] or 'nan') for r in csv.DictReader(open('one/metrics.csv'))}
num = lambda c, m: metric[c, m]
def near(a, b): assert abs(a - b) < 1e-4 * max(1, abs(b)), (a, b)
for gpu, node in (('480', ''), ('780', ''), ('480', ' 22 nm'), ('780', ' 7 nm file')):
    pre = gpu + node + ' '
    all_j, all_s = num(pre + 'two-level', 'chip_j'), num(pre + 'two-level', 'longer')
    c = pre + 'gates + partitions + caches'
    left = {p: num(pre + p, 'chip_j') / all_j for p in ('gates', 'partitions', 'caches', 'gates + partitions + caches')}
    near(num(c, 'saved'), 100 * (1 - left['gates + partitions + caches']))
    near(num(c, 'interaction'), 100 * (left['gates'] * left['partitions'] * left['caches'] - left['gates + partitions + caches']))
    near(all_s, 1)
    near(num(c, 'area'), sum(num(pre + p, 'area') for p in ('gates', 'partitions', 'caches')))
assert num('480 22 nm two-level', 'chip_j') < num('480 two-level', 'chip_j')
pairs = list(csv.DictReader(open('one/pairs.csv')))
assert [list(r.values())[1:] for r in pairs] == [list(p) for p in ('0011111', '0011111', '1100011', '1100011', '1100011', '1111101', '1111110')], pairs
P
sed '/^  480 gates: /s/"warped-gates"/conv-pg/' one.yaml >lacks.yaml
run 2 study --db one.db -o lacks lacks.yaml; says err 'runs `warped-gates` alone'

cat >search.yaml <<'Y'
workloads: [vectorAdd]
method: search
population: 6
generations: 2
axes:
  scheduler: {two_level: {sm.scheduler: two_level, sm.active_warps: 32}}
  units:
    none: {}
    warped-gates: {policy: warped-gates}
    idle 9: {policy: warped-gates, savings.idle_detect: 9}
  policy: [none, pilot-register-file, tric]
Y
run 0 sweep --db one.db -o search search.yaml
says out 'against the first value of every axis'
python3 - "$(cat out)" "$WARPWATT" <<'P' || fail "the search's best points are not the least of its table"
import csv, json, re, subprocess, sys
rows = [r for r in csv.DictReader(open('search/points.csv')) if r['state'] == 'done']
first = rows[0]
assert (first['units'], first['policy']) == ('none', 'none')
t, e, a = (lambda r: float(r['time_s'])), (lambda r: float(r['energy_J'])), (lambda r: float(r['area_mm2']))
for what, best in (('least energy', min(rows, key=e)), ('least energy-delay', min(rows, key=lambda r: t(r) * e(r))),
                   ('least energy-delay, at most 1 % slower', min((r for r in rows if t(r) <= 1.01 * t(first)), key=lambda r: t(r) * e(r)))):
    said = re.search(r'^  %s:.*units=(.*), policy=(.*)\n +energy (\S+) %%, time (\S+) %%, area (\S+) %%' % re.escape(what), sys.argv[1], re.M).groups()
    assert said[:2] == (best['units'], best['policy']), (what, said, best)
    for got, f in zip(said[2:], (e, t, a)): assert abs(float(got) - 100 * (f(best) / f(first) - 1)) < 0.01, (what, said)
both = next(r for r in rows if r['units'] != 'none' and r['policy'] != 'none')
words = ['-s', 'sm.scheduler=two_level', '-s', 'sm.active_warps=32', '-p', 'warped-gates+' + both['policy']]
if both['units'] == 'idle 9': words += ['-s', 'savings.idle_detect=9']
j = json.loads(subprocess.run([sys.argv[2], 'run', '--json', *words, 'vectorAdd'], capture_output=True, check=True).stdout)
assert abs(t(both) / j['power']['kernels']['seconds'] - 1) < 1e-6
assert abs(a(both) - a(first) - j['savings']['area']['added_mm2']) < 1e-6
P
finish
