# Power: `run` ends with it, `power` makes the same of the files that `run` left, everything adds up.
. "$HERE/lib.sh"
run 0 run -g gtx480 -o d --interval 1000 bfs
for word in 'power  ' 'total +[0-9.]+ W, [0-9.]+ [mu]J in' 'dynamic, .* static' 'static: [0-9.]+ W leakage, [0-9.]+ W gate leakage, [0-9.]+ W constant' 'chip .* board' 'gaps ' 'a warp instruction' EDP \
    'rests on .*analytic' '^    SM ' '^    chip ' '^    board ' 'sm_clock' 'dram ' 'regulator' 'bfsExpand .* W +[0-9.]+ [mun]J'; do
    says out "$word"
done
says out 'over time +[0-9.]+ to [0-9.]+ W in [0-9]+ intervals'
cp out page
awk 'length($0) > 80 {print; bad = 1} END {exit bad}' page >long || fail "lines of more than 80 columns: $(cat long)"
run 0 run -g gtx480 --no-power bfs; lacks out 'total +[0-9.]+ W'; lacks out ' W '; says out bfsExpand
run 0 run --functional bfs; says out 'no time, no power'; lacks out ' W '
for file in power.json power.csv power-intervals.csv activity.xml; do [ -s d/$file ] || fail "no $file"; done
# the four files of one run give one answer, which is the run's
grep -E '^ +total .* W, ' page | head -1 >want
for file in activity.xml run.json record.jsonl; do
    run 0 power d/$file; says out '^  component +number +peak dynamic +leakage +gate leakage +dynamic +static +total'; grep -E '^ +total .* W, ' out | head -1 | cmp -s - want || fail "$file: another answer"
done
run 0 power -g gtx480 d/activity.csv; grep -E '^ +total .* W, ' out | head -1 | cmp -s - want || fail "activity.csv: another answer"
run 0 power -o p --json d/run.json; cp out power.json
cmp -s power.json p/power.json || fail "--json and power.json differ"
cmp -s d/power.json p/power.json || fail "run -o and power -o differ"
cmp -s d/power-intervals.csv p/power-intervals.csv || fail "intervals of run and power differ"
run 0 run -g gtx480 --json bfs; cp out run.json
python3 - <<'P' || fail "energy does not add up"
import collections, csv, json
j = json.load(open('d/power.json'))
def near(a, b, t=1e-9): assert abs(a - b) <= t * abs(b), (a, b)
total = j['kernels']['energy_j']
near(sum(c['dynamic_j'] + c['static_j'] for c in j['components']), total)
near(sum(l['energy_j'] for l in j['launches']), total)
for l in j['launches']: near(sum(sum(v) for v in l['components'].values()), l['energy_j'])
near(j['run']['energy_j'], total + j['gaps']['energy_j'])
near(sum(j['rests_on'].values()), 1)
# gate leakage is a number of its own, of every component and of all
for u in [j['kernels'], j['gaps'], j['run']] + j['launches']:
    near(u['leak_sub_j'] + u['leak_gate_j'] + u['constant_j'], u['static_j'])
near(sum(c['leak_gate_j'] for c in j['components']), j['kernels']['leak_gate_j'])
assert 0 < j['kernels']['leak_gate_j'] < j['kernels']['leak_sub_j']
children = collections.defaultdict(float)
for c in j['components']:
    if c['parent']: children[c['parent']] += c['all_dynamic_j'] + c['all_static_j']
for c in j['components']:
    near(children[c['name']] + c['dynamic_j'] + c['static_j'] or 1, c['all_dynamic_j'] + c['all_static_j'] or 1)
# power.csv says the same, and has the gaps
kernels = gaps = through = 0
for r in csv.DictReader(open('d/power.csv')):
    e = float(r['dynamic_j']) + float(r['static_j'])
    through += float(r['leak_gate_j'])
    if r['launch']: kernels += e
    else: gaps += e
near(kernels, total); near(gaps, j['gaps']['energy_j']); near(through, j['run']['leak_gate_j'])
# intervals sum to their launch, groups to the interval
launch = collections.defaultdict(float)
rows = list(csv.DictReader(open('d/power-intervals.csv')))
assert len(rows) > 20
for r in rows:
    launch[r['launch']] += float(r['energy_j'])
    near(sum(float(v) for k, v in r.items() if k.endswith('_w') and k not in ('power_w', 'dynamic_w', 'static_w')), float(r['power_w']), 1e-6)
for l in j['launches']: near(launch[str(l['launch'])], l['energy_j'])
import re
low, high, n = re.search(r'over time +([0-9.]+) to ([0-9.]+) W in ([0-9]+)', open('page').read()).groups()
power = [float(r['power_w']) for r in rows]
assert len(rows) == int(n) and abs(min(power) - float(low)) < 0.01 and abs(max(power) - float(high)) < 0.01
# run and record agree on time; the power of --json is the same
r = json.load(open('run.json'))
near(r['power']['kernels']['energy_j'], total)
near(r['power']['run']['seconds'], r['totals']['seconds'])
near(j['kernels']['seconds'], sum(l['seconds'] for l in r['launches']))
P
# another simulator's activity, by hand
example="$HERE/../../docs/activity-example.xml"
run 0 power -g gt240 "$example"; says out 'vecAdd'; says out 'gaps'; lacks err .
run 0 power "$example"; says out '^gt240 from'
run 0 power -g gtx480 "$example"; says err 'is of gt240, the model is of gtx480'
run 0 power -g gt240 -s clocks.core_mhz=600 -s clocks.hot_mhz=1200 "$example"; says err 'counted at 670 MHz'
run 0 power -g gt240 --counters; says out 'thread_by_class.FP_ADD +[0-9.]+ pJ'
sed 's/ missing="zero"//' "$example" >strict.xml
run 2 power -g gt240 strict.xml; says err 'strict.xml:[0-9]+:'; says err 'lacks [0-9]+ counters that energy depends on: sm_idle_cycles'; one_sentence err
# where SMs without work have power gates their time is needed, though it draws nothing then
run 2 power -g gt240 -s power.idle_gate=1 strict.xml; says err 'sm_idle_cycles'; one_sentence err
run 0 power -g gt240 --missing zero strict.xml
sed 's/"cycles"/"cycels"/' "$example" >bad.xml
run 2 power -g gt240 bad.xml; says err 'bad.xml:7:'; says err 'did you mean `cycles`'; one_sentence err
sed 's/value="3216000"/value="-3216000"/' "$example" >bad.xml
run 2 power -g gt240 bad.xml; says err 'bad.xml:8:.*negative'; one_sentence err
sed 's/value="3216000"/value="nan"/' "$example" >bad.xml
run 2 power -g gt240 bad.xml; says err 'bad.xml:8:.*finite'; one_sentence err
run 0 run --functional -o f hotspot
run 2 power f/run.json; says err 'functional'; one_sentence err
# one kernel of several
run 0 power -k bfsAdvance d/run.json; says out '^  bfsAdvance +8 '; lacks out bfsExpand; lacks out gaps
run 2 power -k bfsAdvanced d/run.json; says err 'did you mean `bfsAdvance`'
# kernels side by side: everything is counted once
program="$(dirname "$WARPWATT")/tests/driver/driver_stream"
if [ -x "$program" ]; then
    run 0 run -q -g gtx480 -o o -- "$program"
    python3 - <<'P' || fail "overlapping kernels do not add up"
import json
p = json.load(open('o/power.json')); r = json.load(open('o/run.json'))
assert p['overlapped'] and any(l['overlapped'] for l in r['launches'])
total = p['kernels']['energy_j']
assert abs(sum(l['energy_j'] for l in p['launches']) - total) < 1e-9 * total
assert abs(p['kernels']['seconds'] - r['totals']['kernel_seconds']) < 1e-9 * p['kernels']['seconds']
assert p['kernels']['seconds'] < sum(l['seconds'] for l in r['launches'])
P
fi
# usage
run 0 power --help; says out 'activity-file.md'
run 2 power; says err 'power of what'
run 2 power no-such-file; says err 'cannot read no-such-file'
run 2 power d/activity.csv; says err 'add -g'
run 2 power -g gtx48 "$example"; says err gtx480
run 2 power -g gt240 --missing one "$example"; says err 'zero'
run 2 power -g gt240 -s tech.vdd_v=2 "$example"; says err 'supply 2 V'
run 2 power a b; says err 'too much'
# a GPU outside of the model's range still runs; the page says why it has no power
run 0 run -s tech.node_nm=3 hotspot; says out 'no power: .*3 nm'; says out IPC
run 0 run -s tech.node_nm=16 -s power.device=lstp hotspot; says out 'no power: .*16 nm LSTP'
# a hostile XML file is refused at once: the parser alone would take half a minute
python3 -c 'print("<activity format=\"1\" gpu=\"gt240\" " + " ".join("a%d=\"1\"" % i for i in range(50000)) + "/>")' >many.xml
printf '<!-- a = b, "c" -->\n<!DOCTYPE a [<!ENTITY b "c">]>\n<activity format="1" gpu="gt240"/>\n' >type.xml
run 2 power many.xml; says err 'many.xml:1:1: error: an element with more than 32 attributes'
run 2 power type.xml; says err 'type.xml:2:1: error: a document type'
ticks=$(python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL); u = resource.getrusage(resource.RUSAGE_CHILDREN); print(int(1000 * (u.ru_utime + u.ru_stime)))' "$WARPWATT" power many.xml)
[ "$ticks" -lt 1500 ] || fail "refusing 50,000 attributes took $ticks ms of processor time"
# a chip at another node is another one: it carries its clock at the supply that comes with the node
run 0 chip -s tech.node_nm=22 -s tech.vdd_v=0.8; says out '^  chip '
run 2 chip -s tech.vdd_v=0.8; says err 'this chip carries'
finish
