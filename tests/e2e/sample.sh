# Sampling: the same results, times within their interval, joules that follow, on any number of threads.
. "$HERE/lib.sh"
cp "$HERE/ptx/saxpy.ptx" .
args() { echo "saxpy.ptx --block 256 --arg f32=2 --arg f32[$1]=iota?tolerance=0 --arg f32[$1]=const:1?print=2 --arg u32=$2"; }
small=$(args 76800 76800) large=$(args 2457600 2457600)
look() { # NAME: cycles, half of the interval, launches with one, warp instructions, blocks, joules, half of theirs, ...
    python3 - "$1" <<'P'
import json, sys
j = json.load(open('out'))
l = j['launches']
n = lambda e: e.get('launches', 1)
a = j['activity']
est = j.get('estimate', {})
print(sys.argv[1], sum(e['cycles'] for e in l), j['totals'].get('estimated_half_cycles', 0),
      sum(n(e) for e in l if 'estimated_half_cycles' in e), sum(e['warp_instructions'] for e in l),
      sum(e['ctas_done'] for e in l), j['power']['run']['energy_j'], est.get('half_j', 0),
      a['dram_reads'], a['sm_busy_cycles'] + a['sm_idle_cycles'] - 15 * a['cycles'], sep=' ')
if est:
    assert est['launches'] == sum(n(e) for e in l if 'estimated_half_cycles' in e) and est['half_cycles'] > 0
P
}
# What a run is, but for how long it took the host.
bits() { # FILE
    python3 - "$1" <<'P'
import json, sys
def bare(v):
    if isinstance(v, dict): return {k: bare(x) for k, x in v.items() if k not in ('host_seconds', 'record', 'run', 'summary')}
    return [bare(x) for x in v] if isinstance(v, list) else v
json.dump(bare(json.load(open('out'))), open(sys.argv[1], 'w'), sort_keys=True)
P
}
# many launches that are alike; a grid of many waves; that with techniques too
for what in "$small --grid 300 --repeat 60" "$large --grid 9600" "$large --grid 9600 -p warped-gates"; do
    # shellcheck disable=SC2086
    { run 0 run -g gtx480 --json $what; look whole >values
      run 0 run -g gtx480 --json --sample 3% $what; look sampled >>values; bits once; }
    case $what in *-p*) threads=2 ;; *) threads="1 2 4 4" ;; esac
    for j in $threads; do
        # shellcheck disable=SC2086
        run 0 run -g gtx480 --json --sample 3% -j "$j" $what; bits again
        cmp -s once again || fail "$what: $j threads say another thing"
    done
    python3 - "$what" <<'P' || fail "$what: $(cat values)"
import sys
whole, sampled = [[float(x) for x in l.split()[1:]] for l in open('values')]
cycles, half, n, warps, blocks, joules, half_j, reads, slots = range(9)
assert whole[half] == 0 and whole[n] == 0 and sampled[n] > 0, 'nothing was sampled'
assert sampled[warps] == whole[warps] and sampled[blocks] == whole[blocks], 'work'
off = abs(sampled[cycles] - whole[cycles])
print(sys.argv[1], 'off', off / whole[cycles], 'half', sampled[half] / whole[cycles], 'joules', sampled[joules] / whole[joules] - 1)
assert off <= max(sampled[half], 1), 'cycles outside the interval'
assert abs(sampled[joules] - whole[joules]) <= sampled[half_j], 'joules outside the interval'
assert off <= 0.03 * whole[cycles] and abs(sampled[joules] / whole[joules] - 1) <= 0.03
assert abs(sampled[reads] / whole[reads] - 1) <= 0.05
assert whole[slots] == 0 and abs(sampled[slots]) <= 64, 'each SM is busy or idle'
P
done
# the program's results are those of every block, and a program that faults in blocks without time says so
# shellcheck disable=SC2086
{ run 0 run -g gtx480 --sample 3% -q $large --grid 9600; cp out sampled; run 0 run -g gtx480 -q $large --grid 9600; cmp -s out sampled || fail "results"
  said=0 # most blocks are in gaps: of these at least one
  for block in 3000 4200 5400 6600; do
      run 1 run -g gtx480 --sample 3% $(args $((block * 256)) 2457600) --grid 9600; says err 'saxpy'
      ! grep -q 'sampling computed its block without time' err || said=$((said + 1))
  done
  [ $said -gt 0 ] || fail "no fault says that its block was computed without time"; }
# checks and toggles go with it
# shellcheck disable=SC2086
{ run 0 run -g gtx480 --sample 3% --check bounds,uninitialised,races -q $small --grid 300 --repeat 20
  run 0 run -g gtx480 --sample 3% --toggle --json $small --grid 300 --repeat 20; says out '"estimated_half_cycles"'; }
# shellcheck disable=SC2086
run 0 run -g gtx480 --sample error=3% --no-power $small --grid 300 --repeat 60
says err 'estimated +[0-9]+ launches from samples: .*\+- [0-9.]+ % \(95 %\)'
# the page of it has every instruction's counts, and its database the intervals
# shellcheck disable=SC2086
run 0 run -g gtx480 --sample 0.03 -q -o page $small --grid 300 --repeat 60
[ -s page/index.html ] && [ -s page/instructions.csv ] || fail "no page"
grep -q '"half_j"' page/index.html || fail "the page has no interval"
python3 - <<'P' || fail "the database has no interval"
import sqlite3
d = sqlite3.connect('page/results.sqlite')
(half, joules, energy), = d.execute('select half_cycles, half_j, energy_j from run')
assert half > 0 and 0 < joules < energy
assert d.execute('select count(*) from launches where half_cycles > 0').fetchone()[0] > 0
P
# what cannot be meant
for wrong in 0 60% x 3%% ''; do run 2 run --sample "$wrong" vectorAdd; one_sentence err; says err 'error from 0.1%'; done
run 2 run --sample 3% --functional vectorAdd; says err 'leave one of them out'
run 2 run --sample 3% --interval 100 vectorAdd; says err 'leave one of them out'
run 2 run --sample 3% --trace t.json vectorAdd; says err 'leave one of them out'
finish
