# The supply rails of a board as a test bed samples them (GPUSimPow, D4.4.2, table 2 and figure 9): the waveform's integral
# is the run's energy, marks are those of steps.csv, samples are the same whatever the host does, and a measured waveform
# lies in the same picture.
. "$HERE/lib.sh"
run 0 run -g gt240-ddr3 -o a --probe 250kHz,noise=0 mergeSort
says out 'probe +[0-9]+ samples at 250000 Hz, seed 1, 0 of the converter'
says out '^    slot_12v +12\.0 V +66\.0 W '
lacks out 'connector'
says out 'converter samples 4 channels at 62500 Hz at most; this is faster'
run 0 run -g gt240-ddr3 --steps --probe 31200Hz mergeSort; lacks out 'this is faster'
run 0 run -q -g gt240-ddr3 -o b --probe 250kHz mergeSort
run 0 run -q -g gt240-ddr3 -o c --probe 250kHz -j 2 mergeSort
run 0 run -q -g gt240-ddr3 -o d --probe 250kHz,seed=2 mergeSort
cmp -s b/probe.csv c/probe.csv || fail "host threads change samples"
cmp -s b/probe.csv d/probe.csv && fail "the seed changes nothing"
python3 - <<'P' || fail "the waveform"
import csv, json
near = lambda a, b, t=1e-9: abs(a - b) <= t * abs(b)
power = json.load(open('a/power.json'))
rows = [{k: float(v) if v else None for k, v in r.items()} for r in csv.DictReader(open('a/probe.csv'))]
steps = list(csv.DictReader(open('a/steps.csv')))
assert near(sum(r['power_w'] * r['seconds'] for r in rows), power['run']['energy_j'])
assert near(sum(r['seconds'] for r in rows), power['run']['seconds'])
for r in rows: assert near(sum(r[k] * r[k[:-1] + 'a'] for k in r if k.endswith('_v')), r['power_w'], 1e-9)
# samples that lie within one launch of the marks of steps.csv say so
inside = 0
for r in rows:
    begin, end = r['time_s'], r['time_s'] + r['seconds']
    for s in steps:
        if s['launch'] and float(s['start_s']) <= begin and end <= float(s['end_s']):
            assert r['step'] == int(s['step']); inside += 1
assert inside > 20
# noise is small, and of the same run
noisy = [float(r['power_w']) for r in csv.DictReader(open('b/probe.csv'))]
assert len(noisy) == len(rows) and 0 < max(abs(x - r['power_w']) for x, r in zip(noisy, rows)) < 0.1
P
# the same cycles and joules as without a probe
run 0 run -q -g gt240-ddr3 -o plain mergeSort
python3 - <<'P' || fail "a probe changes the run"
import json
a, b = json.load(open('a/power.json')), json.load(open('plain/power.json'))
near = lambda x, y: abs(x - y) <= 1e-12 * abs(y)  # launches are added up in another order
assert a['run']['seconds'] == b['run']['seconds'] and near(a['run']['energy_j'], b['run']['energy_j'])
for x, y in zip(a['components'], b['components']): assert near(x['dynamic_j'], y['dynamic_j']) and near(x['static_j'], y['static_j'])
P
# a page with a measured waveform; another rate afterwards; again
python3 -c "
print('seconds,watts')
for i in range(200): print('%.9f,%g' % (5 + i * 2e-6, 24))" >mine.csv
run 0 report a --probe 1MHz,noise=0 --measured mine.csv --measured-at 5s -o page.html
run 0 report a --probe 1MHz,noise=0 --measured mine.csv --measured-at 5s --json
python3 - <<'P' || fail "the page's content"
import json
p = json.load(open('out'))['probe']
power = json.load(open('a/power.json'))
near = lambda a, b, t=1e-9: abs(a - b) <= t * abs(b)
assert near(p['energy_j'], power['run']['energy_j']) and p['hz'] == 1e6 and p['joined'] == 1
assert near(sum(r['mean_w'] for r in p['rails']), power['run']['power_w'])
for k in range(p['samples']): assert near(sum(r['power_w'][k] for r in p['rails']), p['power_w'][k])
assert near(p['measured']['mean_w'], 24) and len(p['measured']['time_s']) == 200 and abs(p['measured']['time_s'][1] - 2e-6) < 1e-12
kernels = [m for m in p['marks'] if not m['copy']]
launches = {l['launch']: l for l in power['launches']}
assert len(kernels) == len(launches)
for m, l in zip(kernels, power['launches']): assert near(m['energy_j'], l['energy_j'], 0.1)
P
says page.html '"probe":\{"hz":1000000'
run 0 run --again a -o e --probe 250kHz,noise=0
cmp -s a/probe.csv e/probe.csv || fail "--again: other samples"
run 0 run --json -g gtx480 --probe 1MHz hotspot
python3 - <<'P' || fail "rails of a board with connectors"
import json
p = json.load(open('out'))['probe']
assert [r['name'] for r in p['rails']] == ['slot_3v3', 'slot_12v', 'connector_6', 'connector_8']
assert all(r['most_w'] <= r['limit_w'] for r in p['rails']) and len(p['power_w']) == p['samples']
P
# what cannot be meant
run 2 run --probe fast hotspot; says err 'rate of 1 Hz to 1 GHz'; one_sentence err
run 2 run --functional --probe 1kHz hotspot; says err 'neither --functional nor --no-power'; one_sentence err
run 2 run --measured mine.csv hotspot; says err 'go with --probe'; one_sentence err
run 2 report a --measured mine.csv; says err 'go with --probe'; one_sentence err
run 2 report a --probe 1kHz --measured nothing.csv; one_sentence err
echo 'seconds,amperes' >bad.csv
run 2 report a --probe 1kHz --measured bad.csv; says err 'bad.csv:1:.*no column of power'; one_sentence err
printf 'seconds,watts\n1,2\n0,2\n' >bad.csv
run 2 report a --probe 1kHz --measured bad.csv; says err 'bad.csv:3:'; one_sentence err
run 2 report a --probe 1kHz --measured mine.csv --measured-at soon; says err 'takes a time'; one_sentence err
sed -i 's/^0,/1,/' a/probe.csv; run 2 report a; says err 'a/probe.csv is not of the run'
finish
