# Sampling: the same results, times within their interval, joules that follow, on any number of threads.
. "$HERE/lib.sh"
cp "$HERE/ptx/saxpy.ptx" .
elements=614400
kernel="saxpy.ptx --block 256 --arg f32=2 --arg f32[$elements]=iota?tolerance=0 --arg f32[$elements]=const:1?print=2 --arg u32=$elements"
look() { # NAME: cycles, half of the interval, launches with one, warp instructions, blocks, joules
    python3 - "$1" <<'P'
import json, sys
j = json.load(open('out'))
l = j['launches']
n = lambda e: e.get('launches', 1)
a = j['activity']
print(sys.argv[1], sum(e['cycles'] for e in l), j['totals'].get('estimated_half_cycles', 0),
      sum(n(e) for e in l if 'estimated_half_cycles' in e), sum(e['warp_instructions'] for e in l),
      sum(e['ctas_done'] for e in l), j['power']['run']['energy_j'],
      a['dram_reads'], a['sm_busy_cycles'] + a['sm_idle_cycles'] - 15 * a['cycles'], sep=' ')
P
}
# many launches that are alike; a grid of many waves; both with techniques too
for what in "--grid 300 --repeat 60" "--grid 2400" "--grid 2400 -p warped-gates"; do
    # shellcheck disable=SC2086
    { run 0 run -g gtx480 --json $kernel $what; look whole >values
      run 0 run -g gtx480 --json --sample 3% $kernel $what; look sampled >>values; cp out one
      run 0 run -g gtx480 --json --sample 3% -j 2 $kernel $what; look sampled >two; }
    tail -1 values | cmp -s - two || fail "$what: two threads say another thing: $(cat two)"
    python3 - "$what" <<'P' || fail "$what: $(cat values)"
import sys
whole, sampled = [[float(x) for x in l.split()[1:]] for l in open('values')]
cycles, half, n, warps, blocks, joules, reads, slots = range(8)
assert whole[half] == 0 and whole[n] == 0 and sampled[n] > 0, 'nothing was sampled'
assert sampled[warps] == whole[warps] and sampled[blocks] == whole[blocks], 'work'
off = abs(sampled[cycles] - whole[cycles])
print(sys.argv[1], 'off', off / whole[cycles], 'half', sampled[half] / whole[cycles], 'joules', sampled[joules] / whole[joules] - 1)
assert off <= max(sampled[half], 1), 'cycles outside the interval'
assert off <= 0.03 * whole[cycles] and abs(sampled[joules] / whole[joules] - 1) <= 0.03
assert abs(sampled[reads] / whole[reads] - 1) <= 0.05
assert whole[slots] == 0 and abs(sampled[slots]) <= 64, 'each SM is busy or idle'
P
done
# the program's results are those of every block, and a program that faults in blocks without time says so
# shellcheck disable=SC2086
{ run 0 run -g gtx480 --sample 3% -q $kernel --grid 2400; cp out sampled; run 0 run -g gtx480 -q $kernel --grid 2400; cmp -s out sampled || fail "results"
  run 1 run -g gtx480 --sample 3% -q ${kernel%u32=*}u32=$((elements + 256)) --grid 2401; one_sentence err; says err 'saxpy'; }
# shellcheck disable=SC2086
run 0 run -g gtx480 --sample error=3% --no-power $kernel --grid 300 --repeat 60
says err 'estimated +[0-9]+ launches from samples: .*\+- [0-9.]+ % \(95 %\)'
# the page of it has every instruction's counts
# shellcheck disable=SC2086
run 0 run -g gtx480 --sample 0.03 -q -o page $kernel --grid 300 --repeat 60
[ -s page/index.html ] && [ -s page/instructions.csv ] || fail "no page"
# what cannot be meant
for wrong in 0 60% x 3%% ''; do run 2 run --sample "$wrong" vectorAdd; one_sentence err; says err 'error from 0.1%'; done
run 2 run --sample 3% --functional vectorAdd; says err 'leave one of them out'
run 2 run --sample 3% --interval 100 vectorAdd; says err 'leave one of them out'
run 2 run --sample 3% --trace t.json vectorAdd; says err 'leave one of them out'
finish
