# A bare kernel: arguments, printing, expected results, YAML, refusals.
. "$HERE/lib.sh"
k="$HERE/ptx/saxpy.ptx"
run 0 run "$k" --entry saxpy --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1?print=4' --arg u32=1000
says out 'argument 3: 1 3 5 7'; says err cycles; says err IPC
run 0 run "$k" --grid 4 --block 256 --arg f32=0 --arg 'f32[1000]=iota' --arg 'f32[1000]=iota?expect=iota' --arg u32=1000
says out 'results checked'
run 1 run "$k" --grid 4 --block 256 --arg f32=1 --arg 'f32[1000]=iota' --arg 'f32[1000]=iota?expect=iota' --arg u32=1000
says err '999 of 1000 elements differ; the first is \[1\]: got 2, expected 1'
cat >k.yaml <<Y
entry: saxpy
grid: [4]
block: [256]
args: ["f32=2", "f32[1000]=random:0:1:7", "f32[1000]=zero?print=2", "u32=1000"]
Y
run 0 run "$k" --args k.yaml; says out 'argument 3:'
echo 'entry: saxpy
grdi: [4]' >bad.yaml
run 2 run "$k" --args bad.yaml; says err bad.yaml; says err grdi
run 2 run "$k" --grid 4 --block 256 --arg f32=2; says err 'takes 4 arguments, but 1'
run 2 run "$k" --entry sxpy --grid 1 --block 1; says err sxpy
run 2 run "$k" --grid 1 --block 1 --arg f64=2 --arg 'f32[4]=zero' --arg 'f32[4]=zero' --arg u32=4; says err '8 bytes'
run 0 run "$k" --json --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1' --arg u32=1000
python3 - <<'P' || fail "JSON is not what it should be"
import json
j = json.load(open('out'))
assert j['complete'] and j['summary']['cycles'] > 0
a = j['activity']
assert a['warp_instructions'] == j['summary']['warp_instructions']
assert sum(a['warp_by_class']) == a['warp_instructions'] and sum(a['thread_by_class']) == a['thread_instructions']
assert sum(n * i for i, n in enumerate(a['lanes_active'])) == a['thread_instructions']
P
run 0 run "$k" -o dir --interval 500 --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1' --arg u32=1000
for f in run.json activity.csv activity.xml intervals.csv instructions.csv record.jsonl; do [ -s "dir/$f" ] || fail "no dir/$f"; done
says dir/activity.xml af_generated_gmem_reads; says dir/activity.xml af_rdsch_percent
python3 - <<'P' || fail "intervals do not add up to the run"
import csv, json
total = json.load(open('dir/run.json'))['activity']
sums = {}
for r in csv.DictReader(open('dir/intervals.csv')):
    sums[r['counter']] = sums.get(r['counter'], 0) + int(r['value'])
for name in ('warp_instructions', 'rf_reads', 'l2_reads', 'dram_reads', 'net_request_flits'):
    assert sums[name] == total[name], (name, sums[name], total[name])
P
run 0 disasm "$k"; says out FFMA; says out EXIT
run 0 disasm -g gtx780 --summary "$k"; says out 'saxpy registers'
run 0 run --functional "$k" --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1?print=2' --arg u32=1000
says out 'argument 3: 1 3'
finish
