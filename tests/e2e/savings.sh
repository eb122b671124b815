# Techniques as a person uses them: lists, runs with the same results on any number of host threads,
# what they save, files of one's own, refusals.
. "$HERE/lib.sh"
run 0 savings; says out '^warped-gates '; says out '^conv-pg '; says out '^two-level '
run 0 savings warped-gates; says out 'savings.idle_detect +5 cycles'; says out 'sm.scheduler=two_level'; says out 'mechanism coordinated-blackout'
run 0 savings --mechanisms; says out '^adaptive-idle-detect'; says out 'savings.max_switch'
run 2 savings waped-gates; says err 'did you mean `warped-gates`'; one_sentence err

# which exclude each other: known pairs either way, the same as `run` says, and the rules of a GPU
run 0 savings --pairs --json
python3 - <<'P' || fail "--pairs"
import json
say = {frozenset(p['techniques']): p for p in json.load(open('out'))}
def pair(a, b): return say[frozenset((a, b))]
for a, b, why in (('warped-gates', 'origami', 'alone when a unit goes off'), ('warped-gates', 'conv-pg', 'alone when'),
                  ('static-register-file', 'pilot-register-file', 'savings.pilot'),
                  ('tric', 'pilot-register-file', 'supply of register rows'), ('coma', 'pilot-register-file', 'access'),
                  ('drowsy-caches', 'cache-decay', 'state a line is'), ('two-level', 'cta-aware', 'sm.scheduler')):
    assert not pair(a, b)['together'] and why in pair(a, b)['why'], (a, b, pair(a, b))
for a, b in (('warped-gates', 'warped-register-file'), ('origami', 'pilot-register-file'), ('drowsy-caches', 'mask-caches'),
             ('cache-decay', 'mask-caches'), ('gates', 'conv-pg'), ('tric', 'coma')):
    assert pair(a, b)['together'] and pair(a, b)['why'] is None, (a, b, pair(a, b))
P
# with keys that decide what techniques want of the GPU, what is left are mechanisms
run 0 savings --pairs -g gtx480-16sm -s sm.scheduler=two_level -s sm.active_warps=32 --json
python3 - <<'P' || fail "--pairs with keys that decide"
import json
say = {frozenset(p['techniques']): p for p in json.load(open('out'))}
apart = {t for s, p in say.items() if 'rf-cache' in s and not p['together'] for t in s - {'rf-cache'}}
assert apart == {'coma', 'tric', 'warped-register-file', 'ntv-register-file', 'pilot-register-file', 'pilot-register-file-fast',
                 'static-register-file'}, apart
assert say[frozenset(('front-end-sharing', 'warped-gates'))]['together']
P
run 2 savings --pairs -s savings.pilot=0; one_sentence err
run 2 savings -s sm.active_warps=32; one_sentence err
run 0 savings --pairs; says out '^warped-gates$'; says out '  not with .*origami.*: each decides alone'; says out 'pairs go together'
run 0 savings --pairs -g gt240; says out '^origami$'; says out '    not on gt240: '
run 2 savings --pairs tric; one_sentence err
run 0 savings --json
run 2 run -p tric+pilot-register-file hotspot; says err 'do not go together: each sets the supply'

k="$HERE/ptx/saxpy.ptx"
saxpy() { run 0 run "$k" --json --no-progress "$@" --grid 60 --block 256 --arg f32=2 --arg 'f32[15000]=iota' --arg 'f32[15000]=const:1?expect=@want' --arg u32=15000; }
python3 -c "
import array
array.array('f', [2.0 * i + 1 for i in range(15000)]).tofile(open('want', 'wb'))"
for p in none two-level fetch-group cta-aware conv-pg gates naive-blackout coordinated-blackout warped-gates naive-blackout-two-level coordinated-blackout-two-level; do
    saxpy -p $p -j 1; mv out $p.json
    python3 - $p <<'P' || fail "$p: counters or energy do not add up"
import json, sys
p = sys.argv[1]
j = json.load(open(p + '.json'))
assert j['checked'], 'wrong results'
a = j['activity']
gated = p not in ('none', 'two-level', 'fetch-group', 'cta-aware')
for d in range(20):
    states = sum(a['gate_' + s][d] for s in ('on_idle', 'uncompensated', 'compensated', 'wakeup'))
    assert states == (a['idle_cycles'][d] if gated and d < 16 else 0), (d, states)
for c in range(2):
    assert a['idle_cycles'][c] + a['int_busy_cycles'][c] == a['sm_busy_cycles'], c
assert sum(a['active_set_cycles']) == a['sm_busy_cycles']
assert ('savings' in j) == gated
if gated:
    u = j['savings']['units']['INT']
    assert abs(u['net_j'] - (u['saved_j'] - u['overhead_j'])) < 1e-12 and u['net_j'] <= u['oracle_j'] <= u['leakage_j'], u
if 'blackout' in p or p == 'warped-gates':
    assert sum(a['gate_early_wakeups']) == 0
P
done
# whole SMs: busy, on without work and off are all cycles; what is off leaks nothing, and the same on any number of threads
for j in 1 4; do saxpy -p sm-gating -s sm_count=15 -j $j; mv out whole$j.json; done
python3 - <<'P' || fail "sm-gating: times or energy do not add up"
import json
one, four = (json.load(open(f'whole{i}.json')) for i in (1, 4))
a = one['activity']
assert one['checked'] and a == four['activity']
assert a['sm_busy_cycles'] + a['sm_gate_on_idle'] + a['sm_gate_off'] == 15 * one['summary']['cycles'], a
assert a['sm_gate_off'] > 0 and 0 < a['sm_gate_wakeups'] <= 15
u = one['savings']['units']['SMs']
still = lambda j: next(c['all_static_j'] for c in j['power']['components'] if c['name'] == 'sm')
assert abs(u['leakage_j'] - u['net_j'] - still(one)) < 1e-9 * u['leakage_j'], (u, still(one))
P
run 2 run -p sm-gating+drowsy-caches vectorAdd; says err 'each saves what lines of caches leak'
for j in 2 4; do
    saxpy -p warped-gates -j $j
    python3 - <<'P' || fail "warped-gates: other counts on $j threads"
import json
a, b = json.load(open('out')), json.load(open('warped-gates.json'))
assert a['activity'] == b['activity'] and a['summary']['cycles'] == b['summary']['cycles']
P
done
# single lanes: every lane cycle in one state, energy adds up, the same counts on any number of threads
for p in lane-meter lane-pg lane-shifting warp-folding origami-scheduler folding-scheduler origami; do
    saxpy -p $p -j 1; mv out $p.json
    python3 - $p <<'P' || fail "$p: lane counters or energy do not add up"
import json, sys
p = sys.argv[1]
j = json.load(open(p + '.json'))
assert j['checked'], 'wrong results'
a = j['activity']
for d in range(16):
    lanes = a['lane_idle_cycles'][d] + a['lane_busy_cycles'][d]
    assert lanes == (32 * a['sm_busy_cycles'] if d % 8 < 2 else 0), (d, lanes)
    states = sum(a['lane_' + s][d] for s in ('on_idle', 'uncompensated', 'compensated', 'wakeup'))
    assert states == (0 if p == 'lane-meter' else a['lane_idle_cycles'][d]), (d, states)
    assert a['gate_on_idle'][d] == 0
u = j['savings']['units']['INT']
assert abs(u['net_j'] - (u['saved_j'] - u['overhead_j'])) < 1e-12 and u['net_j'] <= u['oracle_j'] <= u['leakage_j'], u
folds = p in ('warp-folding', 'folding-scheduler', 'origami')
assert (sum(a['fold_phases'] if isinstance(a['fold_phases'], list) else [a['fold_phases']]) > 0) == folds
assert ('shift_logic_j' in j['savings']) == (folds or p == 'lane-shifting')
P
done
for j in 2 4; do
    saxpy -p origami -j $j
    python3 - <<'P' || fail "origami: other counts on $j threads"
import json
a, b = json.load(open('out')), json.load(open('origami.json'))
assert a['activity'] == b['activity'] and a['summary']['cycles'] == b['summary']['cycles']
P
done
# lines of caches: every line is in one state in every cycle of every SM and slice; energy adds up; the
# same counts on any number of threads
for p in drowsy-caches mask-caches power-aware-caches drowsy-everywhere cache-decay; do
    saxpy -p $p -j 1; mv out $p.json
    saxpy -p $p -j 2
    python3 - $p <<'P' || fail "$p: times of lines or energy do not add up"
import json, sys
p = sys.argv[1]
j = json.load(open(p + '.json'))
assert j['checked'], 'wrong results'
b = json.load(open('out'))
a, cycles = j['activity'], j['summary']['cycles']
assert a == b['activity'] and cycles == b['summary']['cycles'], 'other counts on two threads'
everywhere = p == 'drowsy-everywhere'
lines = [15 * 128, everywhere * 15 * 128, everywhere * 15 * 384, 0, everywhere * 15 * 384, 12 * 512]
for i in range(6):
    states = a['line_on'][i], a['line_drowsy'][i], a['line_off'][i]
    assert sum(states) == (0 if p == 'mask-caches' else lines[i] * cycles), (i, states)
    assert a['mask_spared_reads'][i] + a['mask_words'][i] <= 64 * max(1, a['mask_accesses'][i]), i
masks = p in ('mask-caches', 'power-aware-caches', 'drowsy-everywhere')
assert (sum(a['mask_accesses']) > 0) == masks
assert (a['line_wakes'][5] > 0) == (p not in ('mask-caches', 'cache-decay'))
for u in j['savings']['units'].values():
    assert abs(u['net_j'] - (u['saved_j'] - u['overhead_j'])) < 1e-12 and 'oracle_j' not in u, u
P
done
python3 - <<'P' || fail "access by mask changes a cycle, or a look-ahead does not hide all of the wakeup"
import json
n = [json.load(open(f + '.json'))['summary']['cycles'] for f in ('two-level', 'mask-caches', 'drowsy-caches')]
assert n[0] == n[1] == n[2], n
P
run 0 run -p power-aware-caches hotspot
says out '^ +L1 +lines on 0\.[0-9]+ % of the time, drowsy 99\.[0-9]+ %; [0-9]+ woken, 0 accesses late'
says out '^ +L2 use +[0-9.]+ [munp]J'
run 0 run -p cache-decay hotspot; says out '^ +L2 +lines on [0-9.]+ % of the time, off [0-9.]+ %; [0-9]+ woken, [0-9]+ switched off'
# at another node and supply every technique has the same table
for p in warped-gates origami warped-register-file pilot-register-file rf-cache power-aware-caches front-end-sharing; do
    run 0 run --json -g gtx480-16sm -p $p -s tech.node_nm=22 -s tech.vdd_v=0.9 vectorAdd; mv out at22.json
    run 0 run --json -g gtx480-16sm -p $p vectorAdd
    python3 - <<'P' || fail "$p: the savings table at 22 nm"
import json
a, b = (json.load(open(f))['savings'] for f in ('at22.json', 'out'))
assert a.keys() == b.keys() and a['units'].keys() == b['units'].keys(), (a.keys(), b.keys())
assert 0 < a['area']['added_mm2'] < b['area']['added_mm2'], (a['area'], b['area'])
P
    run 0 run -g gtx480-16sm -p $p -s tech.node_nm=22 -s tech.vdd_v=0.9 vectorAdd; says out '^  savings '
done
# intervals add up to their launch, times of lines too
for p in drowsy-everywhere cache-decay; do
    run 0 run -o over-time --interval 2000 -p $p bfs
    python3 - <<'P' || fail "$p: intervals are not their launch"
import sqlite3
c = sqlite3.connect('over-time/results.sqlite')
which = "counter like 'line_%' or counter in ('cycles', 'sm_idle_cycles')"
whole = dict(c.execute(f"select launch || counter || coalesce(idx, ''), value from counters where {which}"))
parts = dict(c.execute(f"select launch || counter || coalesce(idx, ''), sum(value) from interval_counters where {which} group by 1"))
assert len(whole) > 20 and whole == parts, [(k, whole.get(k), parts.get(k)) for k in set(whole) | set(parts) if whole.get(k) != parts.get(k)][:5]
P
done
# the retention supply is a key of the power model: the lower, the more is saved
for v in 0.3 0.6; do saxpy -p drowsy-caches -s power.retention_v=$v; mv out v$v.json; done
python3 - <<'P' || fail "the retention supply"
import json
a, b = (json.load(open('v%s.json' % v)) for v in ('0.3', '0.6'))
assert a['activity'] == b['activity']
assert a['savings']['units']['L2']['saved_j'] > b['savings']['units']['L2']['saved_j'] > 0
P
saxpy -p origami -g gtx780
saxpy -p origami -g gt240
run 0 savings origami; says out 'mechanism lane-shifting'; says out 'savings.group_phases'
# options, and a person's own file
saxpy -p conv-pg -s savings.break_even=100 -s savings.gate_sfu=1; says out '"SFU"'
cat >mine.yaml <<Y
description: "naive blackout without an order of types"
paper: "none"
mechanisms: [naive-blackout]
options:
  - {name: wakeup_delay, value: 0, source: "to see what waking costs"}
Y
saxpy -p ./mine.yaml -g gtx780; says out '"FP"'
saxpy -p warped-gates -g gtx780
saxpy -p origami -g gtx480-micro46; says out '"INT"'
saxpy -p gates+lane-meter -g gtx480-micro46 -s savings.priority=schedulers-opposed
sed 's/paper:/papper:/' mine.yaml >bad.yaml
refused() { run 2 run -p "$1" "$k" --grid 1 --block 32 --arg f32=2 --arg 'f32[8]=zero' --arg 'f32[8]=zero' --arg u32=8 $2; says err "$3"; one_sentence err; }
refused ./bad.yaml '' 'papper'
refused conv-pg+naive-blackout '' 'conv-pg, naive-blackout do not go together'
refused two-level+fetch-group '' 'sm.scheduler is two_level for the one and fetch_group for the other'
refused pilot-register-file+ntv-register-file '' 'pilot-register-file and ntv-register-file do not go together: savings.frf_registers is 4 for the one and 0 for the other; -s savings.frf_registers=... decides'
refused pilot-register-file+ntv-register-file '-s savings.frf_registers=4' 'savings.pilot is 1 for the one and 0 for the other'
run 0 run -q --no-power -p pilot-register-file+static-register-file -s savings.pilot=0 -s savings.frf_adaptive=0 vectorAdd
refused none+gates '' 'none. does not go together'
refused none '-s savings.break_even=9' 'no such mechanism was chosen'
refused drowsy-caches+cache-decay '' 'drowsy-lines, cache-decay do not go together'
run 0 run -p drowsy-caches -s power.retention_v=1.1 hotspot
says out 'no power: power.retention_v=1.1: .* range of 0 to 1'
refused conv-pg+lane-pg '' 'conv-pg, lane-pg do not go together'
refused origami '-s sm.timing.int_add.interval=16 -s sm.timing.fp_add.interval=16' 'between 4 lanes that lie together, the GPU.s pipelines have 2'
refused lane-pg '-s savings.phase=99' 'phase is an option of warp-folding, origami-scheduler'
refused gates '-s savings.max_swich=9' 'did you mean max_switch'
refused gates '-s savings.priority=warps' 'priority must be one of these: sm sm-opposed schedulers schedulers-opposed; not .warps'
refused gates '-s savings.=1' '-s savings.=1: an option without a name'
refused nothing '' 'there is no technique'
# the process that runs a workload does not say again what an old key is called now
run 0 run -s sm.cluster_at=entry vectorAdd
[ "$(cat out err | grep -c 'is now called sm.lane_group_at')" = 1 ] || fail "a note is not said once"
refused warped-gates+origami '' 'warped-gates is gates, coordinated-blackout'
refused gates '-s savings.max_swich=9' '-s savings.max_swich=9: there is no option'
printf 'description: x\npaper: y\nmechanisms: [gates]\ngpu:\n  - {name: sm.schedulr, value: gto, source: z}\n' >bad.yaml
refused ./bad.yaml '' 'bad.yaml: no GPU has a key sm.schedulr; did you mean sm.scheduler'
printf 'description: x\npaper: y\nmechanisms: [conv-pg]\noptions:\n  - {name: break_even, value: 19}\n' >bad.yaml
refused ./bad.yaml '' 'bad.yaml:5:31: error: `source` is missing'
refused adaptive-idle-detect '' 'is a mechanism, not a technique'
refused conv-pg '-g gt240 -s savings.gate_ldst=1' 'gate_ldst does not go with sm.shared_on_lanes'
refused gates '-s sm.active_warps=1' 'active_warps is 1, less than a warp'
# gating may cost more than it saves; that is a sensible unit too
run 0 run -p conv-pg -g gt240 matrixMul; says out 'INT .* -[0-9.]+ [mun]J +-'
# technique files: what is wrong, where, in our words
technique() { # TEXT SENTENCE
    printf %b "$1" >t.yaml
    run 2 savings t.yaml; says err "$2"; one_sentence err
    lacks err 'Success|libyaml|SEQUENCE|MAPPING|STRING|Load:'
}
head='description: a\npaper: b\n'
technique '' 't.yaml:1:1: error: the file is empty: expected a technique'
technique '# nothing\n' 't.yaml:1:1: error: the file is empty'
technique 'description: a\n' '`paper` is missing'
technique "${head}mechanisms: x\n" 't.yaml:3:1: error: mechanisms must be a list, not a single value'
technique "${head}mechanisms: []\nmechanisms: []\n" 't.yaml:4:1: error: `mechanisms` stands here more than once'
technique "${head}mechanisms: []\nmechanims: []\n" 't.yaml:4:1: error: there is no key `mechanims` in a technique; did you mean `mechanisms`'
technique "${head}mechanisms: []\noptions: [x]\n" 't.yaml:4:1: error: an entry of options must be keys with values'
technique "${head}mechanisms: []\noptions: [{name: a, value: 1}]\n" '`source` is missing'
technique "${head}mechanisms: [\n" 'this is not YAML|must be'
technique "description:\npaper: b\nmechanisms: []\n" 't.yaml:1:1: error: description is empty'
technique "description: a\npaper: *b\nmechanisms: []\n" "alias 'b' names no anchor"
technique "${head}mechanisms: []\n---\nx: y\n" 't.yaml:4:1: error: a second document'
technique '- a\n' 'the file must be keys with values, not a list'
technique "${head}mechanisms: [nosuch]\n" 'there is no mechanism `nosuch`'
technique "${head}mechanisms: [gates, gates]\n" 'gates stands there twice'
technique "${head}mechanisms: [conv-pg]\noptions: [{name: idle_detect, value: 3, source: s}, {name: idle_detect, value: 4, source: s}]\n" 'idle_detect stands there twice'
printf -- "---\n${head}mechanisms: []\n...\n" >t.yaml; run 0 savings t.yaml
run 2 savings conv-pg gates; says err 'one technique at a time'
# one broken file leaves the others alone
mkdir some; cp "$HERE/../../savings/conv-pg.yaml" some/; echo 'x: [' >some/bad.yaml
WARPWATT_SAVINGS=some run 2 savings; says out '^conv-pg +conv'; says out '^bad +\(this file does not load\)'; says out '^origami '; says err 'some/bad.yaml:1:1'
WARPWATT_SAVINGS=some run 0 run -q -p conv-pg vectorAdd
WARPWATT_SAVINGS=some run 2 run -p conv-pgg vectorAdd; says err 'did you mean `conv-pg`'; lacks err bad.yaml
# every name names one
run 2 run -p '' vectorAdd; says err 'names no technique'
run 2 run -p conv-pg+ vectorAdd; says err 'names no technique'
run 2 run -p conv-pg+conv-pg vectorAdd; says err '`conv-pg` is named twice'
finish
