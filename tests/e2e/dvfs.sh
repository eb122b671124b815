# dvfs: a sweep of clock and voltage is the runs that it stands for; its marks and files are right.
. "$HERE/lib.sh"
run 0 dvfs -g gtx480 --clock 350,700,420 -o d bfs
for word in 'bfs on gtx480: .* DRAM stays at 924 MHz' 'supply follows from 1.000 V at 700 MHz: V ~ clock.1.20; least 0.900 V' 'least supply' 'nominal' 'least energy' 'least EDP' 'least ED2P'; do
    says out "$word"
done
cp out one
run 0 dvfs -g gtx480 --clock 350,700,420 -j 3 bfs; cmp -s out one || fail "the table depends on -j"
run 0 dvfs --json --clock 350,700,420 bfs; cmp -s out d/dvfs.json || fail "--json and dvfs.json differ"
run 0 run -g gtx480 --json bfs; cp out nominal.json
run 0 run -g gtx480 -s clocks.core_mhz=420 -s clocks.hot_mhz=840 -s clocks.net_mhz=420 -s clocks.l2_mhz=420 -s tech.vdd_v=0.9 --json bfs
cp out slow.json
run 0 run -g gtx480 -s core.clock_mhz=420 --json bfs; cp out option.json # the supply follows
run 0 run -g gtx480 -s core.clock_mhz=420 bfs; says out '^ +supply +0.9 V, as the board has it at 420 MHz'
run 0 run -g gtx480 -s core.clock_mhz=420 -s core.vdd=1.0 bfs; lacks out 'as the board has it'
python3 - <<'P' || fail "the sweep is not the runs"
import csv, json
j = json.load(open('d/dvfs.json'))
p = {round(x['core_mhz']): x for x in j['points']}
rows = {round(float(r['core_mhz'])): r for r in csv.DictReader(open('d/dvfs.csv'))}
assert sorted(p) == sorted(rows) == [350, 420, 700]
def near(a, b, t=1e-6): assert abs(a - b) <= t * abs(b), (a, b)
for mhz, file in ((700, 'nominal.json'), (420, 'slow.json'), (420, 'option.json')):
    k = json.load(open(file))['power']['kernels']
    near(p[mhz]['energy_j'], k['energy_j'], 1e-12)
    near(p[mhz]['seconds'], k['seconds'], 1e-12)
for mhz, x in p.items():
    near(x['edp_js'], x['energy_j'] * x['seconds']); near(x['ed2p_js2'], x['edp_js'] * x['seconds'])
    for key in ('energy_j', 'seconds', 'edp_js', 'power_w', 'vdd_v'): near(float(rows[mhz][key]), x[key])
assert p[350]['seconds'] > p[420]['seconds'] > p[700]['seconds']
for name, key in (('least_energy', 'energy_j'), ('least_edp', 'edp_js'), ('least_ed2p', 'ed2p_js2')):
    assert j['points'][j[name]][key] == min(x[key] for x in j['points'])
# the stated rule: the clocks' ratio to its power, but never below the least
r, v0 = j['supply_rule'], j['nominal']['vdd_v']
assert r['points'] == [] and r['floor_v'] == 0.9 * v0
for mhz, x in p.items():
    near(x['vdd_v'], max(v0 * (mhz / 700) ** r['rise'], r['floor_v']), 2e-4)
    assert x['floor'] == (x['vdd_v'] == r['floor_v'])
P
run 0 dvfs -g gtx480 --clock 650:700:50 --vdd 1.0 hotspot; says out 'supply as given'; says out ' 650 +1.000 '
run 0 dvfs -g gtx480 --clock 600,700 --vdd 0.95,1.05 hotspot; says out ' 600 +0.950 '; says out ' 700 +1.050 '
run 0 dvfs -g gtx480 --clock 690 hotspot; says out ' 690 +0.98[0-9] '
run 0 dvfs -g gtx480 --clock 560 --vmin 0.7 hotspot; says out ' 560 +0.765 ' # 0.8 to the power of 1.2
run 0 dvfs -g gtx480 --clock 560 --vmin 0.95 hotspot; says out ' 560 +0.950 .*least supply'
# a board with published points: the points themselves, by the file's own supply, and their ends
run 0 dvfs -g rtx2060s --clock 300,1620,1920 --json bfs
python3 - <<'P' || fail "the board's points: $(cat out)"
import json
j = json.load(open('out'))
v = {round(x['core_mhz']): x['vdd_v'] for x in j['points']}
assert abs(v[1620] / v[1920] - 0.862 / 1.068) < 2e-4 and abs(v[300] / v[1920] - 0.718 / 1.068) < 2e-4, v
assert [tuple(x.values()) for x in j['supply_rule']['points']][2:] == [(1620, 0.862), (1920, 1.068)]
assert [x['floor'] for x in j['points']] == [True, False, False]
P
run 0 dvfs -g rtx2060s bfs; lacks out '^ +2[0-9][0-9][0-9] ' # 110 % of its clock is beyond them
run 2 dvfs -g rtx2060s --clock 2000 bfs; says err 'above 1920 MHz, where the points of the board.s supply end'; one_sentence err
run 0 run -g rtx2060s -s core.clock_mhz=2000 bfs; says out 'no power: .*points \(tech.volts\) end at 1920 MHz'
# a sweep over the clock is the same points
cat >clocks.yaml <<'Y'
gpu: gtx480
workloads: [bfs]
axes:
  core.clock_mhz: [350, 420, 700]
Y
run 0 sweep clocks.yaml -o clocks --db results.sqlite -j 1
python3 - <<'P' || fail "the sweep is not dvfs: $(cat clocks/points.csv)"
import csv, json
p = {round(x['core_mhz']): x for x in json.load(open('d/dvfs.json'))['points']}
rows = list(csv.DictReader(open('clocks/points.csv')))
assert len(rows) == 3
for r in rows:
    x = p[int(r['core.clock_mhz'])]
    energy = next(float(v) for k, v in r.items() if k.startswith('energy'))
    seconds = next(float(v) for k, v in r.items() if k.startswith('time'))
    assert abs(energy / x['energy_j'] - 1) < 1e-5 and abs(seconds / x['seconds'] - 1) < 1e-5, (r, x)
P
run 0 dvfs -g gtx480 --clock 700 "$HERE/ptx/saxpy.ptx" --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1' --arg u32=1000
says out '700 +1.000'
run 2 dvfs; says err 'sweep of what'
run 2 dvfs --clock fast hotspot; says err '`fast` is no positive number'
run 2 dvfs --clock 700:600:10 hotspot; says err 'LOW:HIGH:STEP'
run 2 dvfs --clock 100:900:0 hotspot; says err 'no positive number'
run 2 dvfs --clock 1400 hotspot; says err 'needs more than'
run 2 dvfs --clock 600,700 --vdd 1,1,1 hotspot; says err '3 values for 2 clocks'
run 2 dvfs --clock 700 --vdd 3 hotspot; says err 'supply 3 V|vdd_v'
run 2 dvfs hotspt --clock 700; says err 'did you mean `hotspot`'
run 2 dvfs --clock 700 --vdd 0.5 vectorAdd; says err 'it needs (1.000|0.999) V'
run 0 dvfs --clock 1380 -- "${WARPWATT%/*}/workloads/vectorAdd/vectorAdd" small; says out ' on v100:' # a program's GPU
run 2 dvfs --clock 700 -- true; says err 'no kernel|never opened'
run 0 dvfs --help; says out 'LOW:HIGH:STEP'
finish
