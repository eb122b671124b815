# --check control: what a real compiler's control bits allow agrees with our latencies. ptxas counts the cycles of
# the hardware, so that a place found here is a latency of ours that is too long (gpus/v100.yaml).
. "$HERE/lib.sh"
for w in vectorAdd matrixMul mri-q scan histogram hotspot dct8x8 myocyte ladder wmma-gemm cutlass-like; do
    run 0 run -g v100 --functional --code sass --check control "$w" small
    lacks out 'instruction [0-9]+,'
done
# A machine that takes longer than the compiler thought is found out.
"$WARPWATT" run -g v100 --functional --code sass --check control -s sm.timing.fp_fma.latency=4 matrixMul small >out 2>err
says out 'may issue before an operand of fixed latency is there'
finish
