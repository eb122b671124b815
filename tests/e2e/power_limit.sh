# The board's power limit: the highest clock that keeps within it, in time and energy, by simulation alone.
. "$HERE/lib.sh"
limited="-g rtx2060s -s board.power_limit=90"
run 0 run -g rtx2060s --json matrixMul; cp out free.json
run 0 run $limited -o d matrixMul
says err '101\.[0-9]* W at 1905 MHz, limit 90 W: again at'
says out 'power limit +90 W: at 1905 MHz it would draw 101\.[0-9]* W; all of it runs at [0-9]+ MHz and takes [0-9.]+ % longer$'
says out 'supply +0\.[0-9]+ V, as the board has it at'
says d/index.html '"power_limit":"90 W: at 1905 MHz'
run 0 run $limited --json -j 2 matrixMul; cp out held.json
run 0 report d
python3 - <<'P' || fail "the limit in power.json"
import json
free, held, d = json.load(open('free.json')), json.load(open('held.json')), json.load(open('d/power.json'))
l = held['power']['power_limit']
assert l == d['power_limit'] and l['throttled'] and l['within'] and l['limit_w'] == 90, l
assert free['power']['power_limit'] == {'limit_w': 175.0, 'within': True, 'core_mhz': 1905.0, 'throttled': False}
# what it was at the clock asked for
assert l['asked_w'] == free['power']['kernels']['power_w'] and l['asked_seconds'] == free['power']['kernels']['seconds']
assert l['throttled_seconds'] == held['power']['kernels']['seconds'] > l['asked_seconds']
assert (l['launches'], l['launches_over']) == (1, 1)
mhz = l['core_mhz']
assert mhz < 1905 and (1905 - mhz) % 15 == 0
open('mhz', 'w').write('%g %g' % (mhz, mhz + 15))
P
read mhz higher <mhz
# the same as a run that asks for this clock; the next higher one draws more than the limit
run 0 run -g rtx2060s -s core.clock_mhz=$mhz --json matrixMul; cp out at.json
run 0 run -g rtx2060s -s core.clock_mhz=$higher --json matrixMul; cp out above.json
python3 - <<'P' || fail "the clock is not the highest"
import json
at, above, held = (json.load(open(f))['power']['kernels'] for f in ('at.json', 'above.json', 'held.json'))
assert at == held and at['power_w'] <= 90 < above['power_w']
P
# off, in two ways; the clock is kept for a run that is made again
run 0 run $limited --no-power-limit matrixMul; lacks out 'power limit'; says out '101\.[0-9]* W, '
run 0 run -g rtx2060s -s board.power_limit=0 matrixMul; lacks out 'power limit'
run 0 run --again d -o again; cmp -s d/activity.csv again/activity.csv || fail "run --again counts something else"
# below the lowest clock there is none
run 0 run -g rtx2060s -s board.power_limit=30 -s board.clock_least=1500 matrixMul
says out 'power limit +30 W: .*runs at 1500 MHz.*which is still more: the board has no lower clock'
# a lowest clock above the run's leaves nothing to look for, and no advice to
run 0 run -g rtx2060s -s board.power_limit=30 -s board.clock_least=2500 -- $(dirname "$WARPWATT")/workloads/matrixMul/matrixMul small
says err 'power limit +30 W: it draws 101\.[0-9]* W, and the board has no clock below 1905 MHz .board.clock_least is 2500.'; lacks err 'limit-again'
# a bare kernel prints once; a program is started once, and again when that is asked for
kernel="$HERE/ptx/saxpy.ptx --grid 4 --block 256 --arg f32=2 --arg f32[1000]=iota --arg f32[1000]=const:1?print=4 --arg u32=1000"
run 0 run -g rtx2060s -s board.power_limit=60 -q $kernel; cp out printed
run 0 run -g rtx2060s --no-power-limit -q $kernel; cmp -s out printed || fail "what a kernel prints comes twice, or differs"
program=$(dirname "$WARPWATT")/workloads/matrixMul/matrixMul
run 0 run $limited -- $program small
says err 'power limit +90 W: a board lowers its clock rather than draw 101\.[0-9]* W .`--limit-again` runs a program so'
lacks err 'again at'
run 0 run $limited --limit-again -- $program small; says err 'power limit +90 W: at 1905 MHz'
# points of a clock sweep keep their clocks, and say which of them a board would not hold
run 0 dvfs $limited --clock 1500,1905 matrixMul; says out '^ +1905 .*over the power limit'; lacks out '^ +1500 .*over the'
# a comparison: each workload at the clock that it may have, by kept counts
run 0 compare -g rtx2060s -c free:board.power_limit=0 -c held:board.power_limit=90 --size small -o c --db results.db matrixMul bfs
says err 'power limit: [0-9]+ runs at lower clocks'
python3 - <<'P' || fail "the comparison"
import csv, json
m = {(r['workload'], r['configuration'], r['metric']): float(r['value']) for r in csv.DictReader(open('c/metrics.csv'))}
held = json.load(open('held.json'))['power']['kernels']
near = lambda a, b: abs(a - b) <= 1e-6 * abs(b)
assert near(m['matrixMul', 'held', 'time_us'], 1e6 * held['seconds']), m['matrixMul', 'held', 'time_us']
assert near(m['matrixMul', 'held', 'energy_uj'], 1e6 * held['energy_j'])
for metric in ('time_us', 'energy_uj'): assert m['bfs', 'held', metric] == m['bfs', 'free', metric]
P
run 0 compare -g rtx2060s -c free:board.power_limit=0 -c held:board.power_limit=90 --size small -o c2 --db results.db --no-run matrixMul bfs
cmp -s c/metrics.csv c2/metrics.csv || fail "kept results give another clock"
finish
