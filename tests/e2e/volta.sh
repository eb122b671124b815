# GPUs after Kepler: programs run and give the right results, and what the power model lacks is one sentence.
. "$HERE/lib.sh"
for g in v100 qv100 rtx2060s titanx-pascal; do
    run 0 run -g "$g" reduction; says out 'reduction: passed'
    [ "$(grep -c 'no power: mem.dram.kind=' out)" = 1 ] || fail "$g: one sentence should say why there is no power"
    run 0 gpus "$g"; says out 'cc_major: [67]'
done
run 2 run -g v100 -s sm.gen=kepler reduction; says err 'does not belong to compute capability 7.0'; one_sentence err
run 2 run -g titanx-pascal -s sm.gen=volta reduction; says err 'does not belong to compute capability 6.1'
finish
