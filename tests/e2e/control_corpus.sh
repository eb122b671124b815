# What ptxas of CUDA 13 counts out agrees with our latencies of 8.0 and 9.0: kernels of the workloads, compiled by it, hold
# no place in which a result may be read before our machine has made it. Needs that compiler (PTXAS, or where CUDA 13 lies).
. "$HERE/lib.sh"
ptxas=${PTXAS:-/usr/local/cuda/bin/ptxas}
case $("$ptxas" --version 2>/dev/null) in
*"release 13."*) ;;
*) echo "no ptxas of CUDA 13: skipped"; exit 77 ;;
esac
build=$(dirname "$WARPWATT")
for target in sm_80:a100 sm_90:h100; do
    mkdir -p "${target%:*}"
    for w in LIB WP backprop binomialOptions dct8x8 dxtc eigenvalues histo lavaMD mergeSort myocyte sgemm; do
        "$ptxas" -arch "${target%:*}" "$build/workloads/$w/$w.ptx" -o "${target%:*}/$w.cubin" ||
            fail "$w does not compile for ${target%:*}"
    done
    ls "${target%:*}"/*.cubin | "$build/control_audit" "${target#*:}" >out 2>err || head -5 out
    says out '^[1-9][0-9]* kernels, 0 not executed, 0 places$'
done
# A machine that takes longer than the compiler thought is found out.
printf 'base: a100\nsm:\n  timing:\n    fp_fma: {latency: 5, interval: 2}\n' >slow.yaml
ls sm_80/sgemm.cubin | "$build/control_audit" ./slow.yaml >out 2>err
says out 'may issue before an operand of fixed latency is there'
finish
