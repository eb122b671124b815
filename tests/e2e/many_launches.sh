# Very many launches are added up; what is timed can be chosen; nothing is lost of the sums.
. "$HERE/lib.sh"
k="$HERE/ptx/saxpy.ptx"
args="--grid 1 --block 64 --arg f32=2 --arg f32[64]=iota --arg f32[64]=const:1 --arg u32=64"
run 0 run "$k" $args --repeat 600 -o dir
says err 'in 600 launches'; says err 'saxpy +600 '
python3 - <<'P' || fail "sums of added-up launches"
import json
r = json.load(open('dir/run.json'))
lines = [json.loads(l) for l in open('dir/record.jsonl')]
launches = [l for l in lines if l['type'] == 'launch']
assert len(launches) < 300 and sum(l.get('launches', 1) for l in launches) == 600
end = [l for l in lines if l['type'] == 'end'][0]
assert sum(l['cycles'] for l in launches) == end['kernel_cycles']
for name in ('warp_instructions', 'rf_reads', 'l1_reads', 'dram_reads'):
    assert sum(l['activity'][name] for l in launches) == end['activity'][name] == r['activity'][name], name
assert r['activity']['warp_instructions'] == 600 * launches[0]['warp_instructions']
p = json.load(open('dir/power.json'))
whole = sum(sum(sum(v) for v in l['components'].values()) for l in p['launches']) if 'components' in p['launches'][0] else None
assert whole is None or abs(whole / p['kernels']['energy_j'] - 1) < 1e-9
P
# what -o costs goes by what the record holds (docs/performance.md): bounded, however many launches of however
# large a kernel; those that are added up keep their counts by instruction
run 0 run -q -o large myocyte
python3 - <<'P' || fail "the record of many launches"
import json, os, sqlite3
assert os.path.getsize('large/record.jsonl') < 4.5e6, os.path.getsize('large/record.jsonl')
r = json.load(open('large/run.json'))
assert len(r['launches']) < sum(l.get('launches', 1) for l in r['launches']) == r['totals']['launches']
assert sum(i['issues'] for l in r['launches'] for i in l['instructions']) == r['summary']['warp_instructions']
db = sqlite3.connect('large/results.sqlite')
one = lambda q: db.execute(q).fetchone()[0]
total = one('select energy_j from run')
assert abs(one('select sum(dynamic_j + static_j) from instructions') + one('select sum(idle_j) from idle') - total) <= 1e-9 * total
P
program="${WARPWATT%/*}/cudart_registered_13"
[ -x "$program" ] || program="${WARPWATT%/*}/tests/cudart/cudart_registered_13"
[ -x "$program" ] || fail "no program of the runtime API at $program"
run 0 run -g gtx480 --lenient --kernels '^scale$' -- "$program"
says out '^ok$'; says err 'untimed +[0-9]+ launches computed without time'; says err 'power'
run 3 run -g gtx480 --launches 2-3 -- "$program"; says err 'in 2 launches'; says err 'launches refused'
run 0 run -g gtx480 --lenient --skip-timing . -- "$program"; says err 'functional'
run 2 run --kernels 'a(b' -- "$program"; says err 'no regular expression'
run 2 run --launches 3-2 -- "$program"; says err 'a range such as 10-20'
finish
