# GPUs after Kepler: programs run, give the right results and have a power between standing still and the sum of all peaks.
. "$HERE/lib.sh"
for g in v100 qv100 rtx2060s titanx-pascal; do
    run 0 run -g "$g" reduction; says out 'reduction: passed'
    says out ' total  .* W, .* of kernels'; lacks out 'no power'
    run 0 chip -g "$g"; says out '^die area '
    run 0 gpus "$g"; says out 'cc_major: [67]'
done
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
# Images in blocks: 8 x 4 floats of a warp are a line, in rows they were four (two kernels of 96 blocks of two warps).
run 0 run -q --json --no-power --no-progress -g v100 dct8x8
equals tex_reads 384 "an image in blocks"
finish
