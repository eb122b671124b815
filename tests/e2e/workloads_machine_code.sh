# The workloads as the vendor's compiler makes them (workloads/machine-code): every one gives the results that its host
# computes, and some with time too. dxtc counts on lanes in lockstep, which compute capability 7.0 does not promise and
# ptxas breaks (its README): it is left out.
. "$HERE/lib.sh"
n=0
for f in "$(dirname "$WARPWATT")"/workloads/*/*.sm_70.cubin; do
    w=$(basename "$(dirname "$f")")
    case $f in *.volta.sm_70.cubin) continue ;; esac
    [ "$w" = dxtc ] && continue
    run 0 run -g v100 --functional --code sass "$w" small
    says out "results checked"
    n=$((n + 1))
done
[ $n -ge 50 ] || fail "$n workloads ran"
# Time does not depend on how many threads of the host count it.
for w in matrixMul reduction mri-q AES hotspot histogram; do
    for threads in 1 2; do
        run 0 run -g v100 --code sass -j $threads "$w" small
        sed -n 's/^ *time *\([0-9,]* cycles\).*/\1/p; s/^ *work *//p' out >"$w.$threads"
    done
    [ -s "$w.1" ] || fail "$w says no time"
    cmp -s "$w.1" "$w.2" || fail "$w: one and two threads differ"
done
# A chip of the same major number takes it; another says that there is none.
run 0 run -g rtx2060s --functional --code sass matrixMul small; says out "results checked"
run 1 run -g gtx480 --functional --code sass matrixMul small
says err 'matrixMul: --code sass: no machine code that compute capability 2.0 takes stands in .*; --code ptx runs its PTX'
lacks err 'WW_WORKLOAD_PTX'
finish
