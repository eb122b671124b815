# GPUs after Kepler: programs run, give the right results and have a power between standing still and the sum of all
# peaks, whose parts add up, with a technique and without.
. "$HERE/lib.sh"
cat >adds.py <<'P'
import json, sys
w = json.load(open(sys.argv[1]))['power']
of = {c['name']: c for c in w['components']}
near = lambda a, b, what: abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-12) or sys.exit(f'{what}: {a} is not {b}')
for kind in ('dynamic_j', 'static_j'):
    for c in of.values():
        if c[kind] < 0: sys.exit(f'{c["name"]} is below 0')
        near(c['all_' + kind], c[kind] + sum(x['all_' + kind] for x in of.values() if x['parent'] == c['name']), c['name'])
    near(sum(l[kind] for l in w['launches']), w['kernels'][kind], 'launches')
    near(w['kernels'][kind] + w['gaps'][kind], w['run'][kind], 'kernels and gaps')
P
for g in v100 qv100 rtx2060s titanx-pascal; do
    run 0 run -g "$g" reduction; says out 'reduction: passed'
    says out ' total  .* W, .* of kernels'; lacks out 'no power'
    run 0 chip -g "$g"; says out '^die area '
    for p in none warped-gates tric; do
        run 0 run -g "$g" -p $p --json reduction
        python3 adds.py out >sums 2>&1 || fail "$g with $p: $(cat sums)"
    done
    run 0 gpus "$g"; says out 'cc_major: [67]'
done
# more clock needs more power; its own clock has the least supply of the board, a higher one a higher supply
run 0 dvfs -g v100 --clock 900,1380,1515 --json reduction
python3 -c "
import json
p = json.load(open('out'))['points']
v, w = [x['vdd_v'] for x in p], [x['power_w'] for x in p]
assert len(p) == 3 and v[0] == v[1] < v[2] and w[0] < w[1] < w[2], p
# 718 mV up to 1410 MHz, 0.862 V at 1620 (the RTX 2060, of the same process)
assert abs(v[2] / v[1] - (0.718 + (1515 - 1410) / 210 * 0.144) / 0.718) < 1e-3, v" || fail "dvfs: $(cat out)"
run 2 run -g v100 -s sm.gen=kepler reduction; says err 'does not belong to compute capability 7.0'; one_sentence err
run 2 run -g titanx-pascal -s sm.gen=volta reduction; says err 'does not belong to compute capability 6.1'

# Sectors: 50000 floats are 6250 of them. Two launches read 8192 floats each: cold ones from DRAM, both of them.
count() { sed -n "s/^  *\"$1\": *\([0-9]*\).*/\1/p" out | head -1; }
equals() { [ "$(count "$1")" = "$2" ] || fail "$3: $1 is $(count "$1"), not $2"; }
run 0 run -q --json --no-power --no-progress -g v100 vectorAdd
equals l1_read_sectors 12500 vectorAdd
equals l1_read_hit_sectors 0 vectorAdd
equals l1_write_sectors 6250 vectorAdd
equals l2_write_sectors 6250 vectorAdd
run 0 run -q --json --no-power --no-progress -g v100 -s cold_launches=true fastWalshTransform
equals l1_read_sectors 2048 "cold launches"
cold=$(count dram_reads)
[ "$cold" -ge 2048 ] || fail "cold launches: $cold reads of DRAM cannot be two times 8192 floats"
run 0 run -q --json --no-power --no-progress -g v100 fastWalshTransform
equals l1_read_sectors 2048 "warm launches"
[ "$(count dram_reads)" -le $((cold - 1024)) ] || fail "the second launch found nothing of the first in L2"
# A rehearsed kernel finds all it reads in L2, counts once, and works on what the first would have worked on: the
# transform is in place.
once=$(count warp_instructions)
run 0 run -q --json --no-power --no-progress -g v100 -s warm_launches=2 fastWalshTransform
says err 'passed'
equals dram_reads 0 "warm launches"
equals warp_instructions "$once" "warm launches"
# Lanes, words and rows: a lane is on for 31 others' time at most; blocks of whole warps with words of four bytes move a
# word a lane; no operand is found that none kept, and no row has more than 32 lanes.
for g in v100 titanx-pascal; do
    run 0 run -q --json --no-power --no-progress -g $g reduction
    python3 - <<'P' || fail "$g: lanes and words: $(cat out)"
import json
a = json.load(open('out'))['activity']
on, busy = a['lane_on_cycles'], a['sm_busy_cycles']
assert 0 < on <= 31 * 4 * busy, (on, busy)
assert 0 < a['shared_words'] <= a['shared_lane_words'] == a['shared_lanes'], a['shared_lane_words']
assert a['rf_read_lanes'] <= 32 * a['rf_reads'] and (a['reuse_hits'] > 0) == (a['reuse_keeps'] > 0)
assert a['reuse_hits'] <= a['reuse_keeps']
P
done
# sobol as it was measured on a Quadro GV100: what Nsight Compute counted of shared memory and of stores, to the last.
run 0 run -q --json --no-power --no-progress -g qv100 --size volta SobolQRNG
python3 -c "
import json
a = json.load(open('out'))['activity']
assert a['shared_reads'] + a['shared_writes'] == 1899700, (a['shared_reads'], a['shared_writes'])
assert a['l1_write_sectors'] == a['l2_write_sectors'] == 1250000, a" || fail 'sobol is not the measured program'
# Images in blocks: 8 x 4 floats of a warp are a line, in rows they were four (two kernels of 96 blocks of two warps).
run 0 run -q --json --no-power --no-progress -g v100 dct8x8
equals tex_reads 384 "an image in blocks"
finish
