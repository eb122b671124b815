# dvfs: a sweep of clock and voltage is the runs that it stands for; its marks and files are right.
. "$HERE/lib.sh"
run 0 dvfs -g gtx480 --clock 350,700,420 -o d bfs
for word in 'bfs on gtx480: .* DRAM stays at 924 MHz' 'supply follows from 1.000 V at 700 MHz' 'floor 0.700 V' 'nominal' 'least energy' 'least EDP' 'least ED2P'; do
    says out "$word"
done
cp out one
run 0 dvfs -g gtx480 --clock 350,700,420 -j 3 bfs; cmp -s out one || fail "the table depends on -j"
run 0 dvfs --json --clock 350,700,420 bfs; cmp -s out d/dvfs.json || fail "--json and dvfs.json differ"
run 0 run -g gtx480 --json bfs; cp out nominal.json
run 0 run -g gtx480 -s clocks.core_mhz=420 -s clocks.hot_mhz=840 -s clocks.net_mhz=420 -s clocks.l2_mhz=420 -s tech.vdd_v=0.7 --json bfs
cp out slow.json
python3 - <<'P' || fail "the sweep is not the runs"
import csv, json
j = json.load(open('d/dvfs.json'))
p = {round(x['core_mhz']): x for x in j['points']}
rows = {round(float(r['core_mhz'])): r for r in csv.DictReader(open('d/dvfs.csv'))}
assert sorted(p) == sorted(rows) == [350, 420, 700]
def near(a, b, t=1e-6): assert abs(a - b) <= t * abs(b), (a, b)
for mhz, file in ((700, 'nominal.json'), (420, 'slow.json')):
    k = json.load(open(file))['power']['kernels']
    near(p[mhz]['energy_j'], k['energy_j'], 1e-12)
    near(p[mhz]['seconds'], k['seconds'], 1e-12)
for mhz, x in p.items():
    near(x['edp_js'], x['energy_j'] * x['seconds']); near(x['ed2p_js2'], x['edp_js'] * x['seconds'])
    for key in ('energy_j', 'seconds', 'edp_js', 'power_w', 'vdd_v'): near(float(rows[mhz][key]), x[key])
assert p[350]['seconds'] > p[420]['seconds'] > p[700]['seconds']
for name, key in (('least_energy', 'energy_j'), ('least_edp', 'edp_js'), ('least_ed2p', 'ed2p_js2')):
    assert j['points'][j[name]][key] == min(x[key] for x in j['points'])
# the stated rule, solved here: speed(V) / speed(nominal) is the clocks' ratio, or V is the floor
r, v0 = j['supply_rule'], j['nominal']['vdd_v']
speed = lambda v: (v - r['vth_v']) ** r['alpha'] / v
for mhz, x in p.items():
    v = x['vdd_v']
    if v > r['floor_v'] * 1.0001: near(speed(v) / speed(v0), mhz / 700, 1e-3)
    else: assert speed(v) / speed(v0) >= mhz / 700
P
run 0 dvfs -g gtx480 --clock 650:700:50 --vdd 1.0 hotspot; says out 'supply as given'; says out ' 650 +1.000 '
run 0 dvfs -g gtx480 --clock 600,700 --vdd 0.95,1.05 hotspot; says out ' 600 +0.950 '; says out ' 700 +1.050 '
run 0 dvfs -g gtx480 --clock 690 hotspot; says out ' 690 +0.9[0-9]+ '
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
run 2 dvfs --clock 700 --vdd 0.5 vectorAdd; says err 'it needs 0.999 V'
run 0 dvfs --clock 1380 -- "${WARPWATT%/*}/workloads/vectorAdd/vectorAdd" small; says out ' on v100:' # a program's GPU
run 2 dvfs --clock 700 -- true; says err 'no kernel|never opened'
run 0 dvfs --help; says out 'LOW:HIGH:STEP'
finish
