# The study of the pilot warp, three programs of it at size small: what its tables say is what runs by hand counted.
. "$HERE/lib.sh"
python3 - "$HERE/../../studies/pilot-register-file.yaml" <<'P' || fail "the study's file has another shape"
import re, sys
text = open(sys.argv[1]).read()
text, cut = re.subn(r'(?ms)^workloads:\n.*?\n\n', 'workloads:\n  bfs:\n  hotspot:\n  sgemm:\n\n', text)
text, groups = re.subn(r'(?m)^  some: \[.*$', '  some: [bfs, hotspot, sgemm]', text)
assert groups == 1
head, figures, rest = re.split(r'(?m)^(?=figures:|published:)', text)
wanted = ('fig6.1', 'fig6.2', 'table6.2', 'fig6.9', 'loss', 'threshold', 'schedulers', 'limit', 'active')
parts = re.split(r'(?m)^(?=  [\w.]+:$)', figures[len('figures:\n'):])
kept = [p for p in parts if p.strip().rstrip(':').split(':')[0] in wanted]
assert cut == 1 and len(kept) == len(wanted), (cut, [p[:20] for p in parts])
rest = 'published:\n' + ''.join(l + '\n' for l in rest.splitlines() if 'top 4 registers' in l)
open('pilot.yaml', 'w').write(head + 'figures:\n' + ''.join(kept) + '\n' + rest)
P
cp "$HERE/../../studies/published.csv" .
run 0 study pilot.yaml --size small -o page --db results.sqlite -j 2
# the dissertation's figure 6.12 has 32 active warps for four schedulers, and so have the machine and the techniques
run 0 gpus gtx780; says out '^ +schedulers: 4'; says out '^ +active_warps: 32'
for p in pilot-register-file pilot-register-file-fast static-register-file ntv-register-file two-level; do
    run 0 savings $p; says out 'sm.active_warps=32 '
done
for p in two-level pilot; do
    set -- -s sm.scheduler=two_level
    [ $p = two-level ] || set -- "$@" -p pilot-register-file
    run 0 run -g gtx780 "$@" -q --no-power -o $p hotspot
done
KEPT="$HERE/../../docs/papers/results/pilot-register-file-small.json" python3 - <<'P' || fail "the study's numbers are not those of the runs"
import csv, json, os
def counters(folder):
    c = {}
    for r in csv.DictReader(open(folder + '/activity.csv')):
        c[r['counter'], int(r['index'] or 0)] = c.get((r['counter'], int(r['index'] or 0)), 0) + float(r['value'])
    return c
def table(f):
    rows = list(csv.DictReader(open(f'page/{f}.csv')))
    return {r[next(iter(r))]: {k: float(v) for k, v in list(r.items())[1:] if v} for r in rows}
m = {(r['workload'], r['configuration'], r['metric']): float(r['value'] or 'nan') for r in csv.DictReader(open('page/metrics.csv'))}
def near(a, b): assert abs(a - b) <= 1e-5 * max(1, abs(b)), (a, b)
base, parts = counters('two-level'), counters('pilot')
near(m['hotspot', 'adaptive', 'loss'], 100 * (parts['cycles', 0] / base['cycles', 0] - 1))
by = [parts['partition_reads', i] + parts['partition_writes', i] for i in range(4)]
assert by[3] == 0 and sum(by) == parts['rf_reads', 0] + parts['rf_writes', 0], by
near(m['hotspot', 'adaptive', 'frf_share'], 100 * (by[0] + by[1]) / sum(by))
# table 6.4's joules an access, and a pair that changes places is read and written in both partitions
left = 7.65 * by[0] + 5.25 * by[1] + 7.03 * by[2] + 2 * (7.65 + 7.03) * parts['partition_swaps', 0]
near(m['hotspot', 'adaptive', 'dynamic_saved'], 100 * (1 - left / (14.9 * sum(by))))
for w, r in table('fig6.9').items():
    near(sum(r.values()), 100)
for w, r in table('fig6.2').items():
    three, four, five = r.values()
    assert 0 < three < four < five <= 100, (w, r)
# what docs/papers keeps of these programs
kept, compared = json.load(open(os.environ['KEPT'])), 0
for g in kept['figures']:
    if g['id'] in ('fig6.1', 'fig6.2', 'fig6.9'):
        for w, r in table(g['id']).items():
            if w in g['rows'] and w != 'average':
                for ours, was in zip(r.values(), g['rows'][w].values()):
                    near(ours, was)
                    compared += 1
assert compared == 39, compared
# the study's baseline is that machine, not one that starves its schedulers
assert m['hotspot', '8 active two-level', 'time'] > 1.05, m['hotspot', '8 active two-level', 'time']
# with fewer registers more of sgemm's accesses go to four of them
few = table('limit')['at most 16 registers']
assert few['registers a thread'] <= 16 < m['sgemm', 'two-level', 'registers_thread'], few
assert m['sgemm', 'limit two-level', 'top4'] > m['sgemm', 'two-level', 'top4'] + 3, few
P
finish
