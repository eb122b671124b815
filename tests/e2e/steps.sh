# Copies and launches in order, with time, energy and power, in every form (GPUSimPow, D4.4.2, table 2). Every joule
# of a run has one owner: a launch, a copy, or the time of neither.
. "$HERE/lib.sh"
run 0 run -q -o order mergeSort
python3 - <<'P' || fail "copies and launches in order"
import csv, json, sqlite3
r, p = json.load(open('order/run.json')), json.load(open('order/power.json'))
steps, record = r['steps']['list'], [json.loads(l) for l in open('order/record.jsonl')]
copies = [l for l in record if l['type'] == 'copy']
end = [l for l in record if l['type'] == 'end'][0]
assert len(copies) == end['copies'] > 1 and sum(c['bytes'] for c in copies if c['kind'] != 'fill') == end['copied_bytes']
assert abs(sum(c['seconds'] for c in copies) - end['copy_seconds']) < 1e-9 * end['copy_seconds'] + 1e-15
assert len(steps) == len(copies) + len(r['launches'])
assert [s['start_s'] for s in steps] == sorted(s['start_s'] for s in steps)
assert {l['id'] for l in r['launches']} == {s['launch'] for s in steps if 'launch' in s}
near = lambda a, b: abs(a - b) <= 1e-9 * abs(b)
assert near(sum(s['energy_j'] for s in steps) + r['steps']['idle_j'], p['run']['energy_j'])
assert near(sum(s['energy_j'] for s in steps if 'launch' in s), p['kernels']['energy_j'])
assert near(sum(s['energy_j'] for s in steps if 'bytes' in s) + r['steps']['idle_j'], p['gaps']['energy_j'])
assert near(sum(s['seconds'] for s in steps) + r['steps']['idle_s'], p['run']['seconds'])  # one stream: nothing overlaps
for s in steps: assert near(s['power_w'] * s['seconds'], s['energy_j']) and s['energy_j'] > 0
# a copy draws more than a chip that waits, by the memory's bursts of its bytes
idle_w = r['steps']['idle_j'] / r['steps']['idle_s']
copies = [s for s in steps if 'bytes' in s]
assert all(s['power_w'] > idle_w for s in copies)
more = {(s['energy_j'] - idle_w * s['seconds']) / s['bytes'] for s in copies if s['method'] == 'copy to the device'}
assert max(more) - min(more) < 1e-6 * max(more)
# the same in every form
rows = list(csv.DictReader(open('order/steps.csv')))
db = sqlite3.connect('order/results.sqlite').execute('select step, method, start_s, energy_j, power_w from steps order by step').fetchall()
assert len(rows) == len(db) == len(steps)
for s, c, d in zip(steps, rows, db):
    assert (s['step'], s['method']) == (int(c['step']), c['method']) == d[:2]
    assert near(float(c['energy_j']), s['energy_j']) and near(d[3], s['energy_j']) and near(float(c['power_w']), s['power_w'])
assert '"steps":{"list":[{' in open('order/index.html').read()
P
run 0 run --steps mergeSort
says out '^ +index +method +start +end +runtime +energy +power$'
says out '^ +0 +copy to the device +0\.[0-9]+ s +0\.[0-9]+ s +0\.[0-9]+ s +[0-9.e-]+ J +[0-9.]+ W$'
says out '\(neither\)'
# without time there are copies and no joules
run 0 run --functional --steps bfs; says out 'copy to the host .* - +-$'
# beside a kernel: what a copy takes while another stream's kernel runs is the kernel's
beside="${WARPWATT%/*}/driver_stream"
[ -x "$beside" ] || beside="${WARPWATT%/*}/tests/driver/driver_stream"
run 0 run -q --lenient --json -- "$beside"
python3 - <<'P' || fail "copies beside kernels"
import json
r = json.load(open('out'))
steps, p = r['steps'], r['power']
total = sum(s['energy_j'] or 0 for s in steps['list']) + steps['idle_j']
assert abs(total - p['run']['energy_j']) <= 1e-9 * p['run']['energy_j'], (total, p['run']['energy_j'])
assert all(s['energy_j'] is None or s['energy_j'] >= -1e-12 for s in steps['list']) and steps['idle_j'] >= 0
P
# very many copies are added up by kind, and nothing is lost of the sums
cat >copies.c <<'E2'
#include <stddef.h>
int cuInit(unsigned), cuDeviceGet(int *, int), cuCtxCreate_v2(void **, unsigned, int);
int cuMemAlloc_v2(unsigned long long *, size_t), cuMemcpyHtoD_v2(unsigned long long, const void *, size_t);
int main(void) {
    int device; void *context; unsigned long long at; char byte[64] = {0};
    int bad = cuInit(0) + cuDeviceGet(&device, 0) + cuCtxCreate_v2(&context, 0, device) + cuMemAlloc_v2(&at, 64);
    for (int i = 0; i < 10000; i++) bad += cuMemcpyHtoD_v2(at, byte, 64);
    return bad != 0;
}
E2
if cc -o copies copies.c "${WARPWATT%/*}/libcuda.so.1" 2>cc.err; then
    run 0 run -q -o many -- ./copies
    python3 - <<'P' || fail "many copies"
import json
copies = [l for l in map(json.loads, open('many/record.jsonl')) if l['type'] == 'copy']
assert len(copies) == 8193 and sum(c.get('copies', 1) for c in copies) == 10000 and sum(c['bytes'] for c in copies) == 640000
P
else
    fail "cc: $(head -1 cc.err)"
fi
finish
