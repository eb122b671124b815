# --check: what each check finds, said at the end, each place once; the kernel goes on. On a chip whose warps
# have a stack, and on one whose threads are independent. What orders threads: races.sh.
. "$HERE/lib.sh"
k="$HERE/ptx/checks.ptx"
check() { # CODE ENTRY CHECKS [OPTION]
    run "$1" run "$k" -g $gpu --no-power --entry "$2" --check "$3" --block 64 \
        --arg 'u32[16]=zero?print=1' $4
}
for gpu in gtx780 v100; do for mode in '' --functional; do
    # a barrier that half a warp reaches: the place is said once for all blocks; since Volta threads arrive
    # each for itself, and those that have ended need not
    if [ $gpu = v100 ]; then
        check 0 half sync "--grid 3 $mode"
    else
        check 1 half sync "--grid 3 $mode"
        says err 'barrier 0 reached by 16 of the 32 threads that are left of warp 0 \(lanes 0x0000ffff\)'
        says err 'in kernel half at .*checks.ptx:41, block \(0,0,0\) thread \(0,0,0\)'
        [ "$(grep -c 'reached by' err)" = 1 ] || fail "a place is said more than once"
    fi
    check 0 half races "$mode"
    # threads that have ended are not waited for
    check 0 rest sync "$mode"
    # a lane outside the mask: one place of two
    check 1 outside sync "$mode"
    says err 'shfl.sync by lane 0 reads lane 2, which the member mask 0x00000003 leaves out'
    says err 'the first of 2 times'
    says err 'shfl.sync by lane 1 reads lane 2'
    check 0 outside bounds "$mode"
    # what device code has not freed; the arguments are no leak
    check 1 keeps leaks "$mode"
    says err 'leak: 64 allocations of 24 bytes \(device malloc\) were never freed, the first at 0x'
    [ "$(grep -c 'leak:' err)" = 1 ] || fail "what was freed is a leak"
    check 0 keeps sync "$mode"
    check 0 half leaks "$mode"
    # all places, and the kernel's result is there nevertheless
    check 1 several races,uninitialised "$mode"
    says out 'argument 1:'
    says err 'warp [01] writes the byte at offset 0x0, which warp [01] wrote'
    says err 'shared read of 4 bytes at offset 0x200, of which byte 0x200 was never written'
    [ "$(grep -c 'found' err)" -ge 2 ] || fail "not all findings"
    # one past the end: a fault, unless memory is to end with pages, as on a board
    check 1 past sync "$mode"
    says err 'global write of 4 bytes at 0x[0-9a-f]*, which is in no live allocation.*--bounds page goes on'
    check 0 past sync "$mode --bounds page"
    says out 'argument 1:'
    # what lies there is looked at as what lies in allocations: the same word is no race, and a word that is waited for is told
    check 0 beside races "$mode --bounds page --grid 2"
    check 4 waits sync "$mode --bounds page"
    says err 'spin .*on the global address 0x[0-9a-f]*, which holds 7'
    # local memory: bytes of one thread; all else was written
    check 1 local uninitialised "$mode"
    says err 'local read of 16 bytes at offset 0x0, of which byte 0xc was never written, in kernel local'
    says err 'block \(0,0,0\) thread \(5,0,0\)$'
    [ "$(grep -c 'found' err)" = 1 ] || fail "one read of local memory is uninitialised"
    check 0 local races "$mode"
    # whatever the number of host threads
    run 1 run "$k" -g $gpu --no-power --entry several --check races,uninitialised --block 64 \
        --grid 40 --threads 1 --arg 'u32[16]=zero' $mode
    grep found err | sort >one
    run 1 run "$k" -g $gpu --no-power --entry several --check races,uninitialised --block 64 \
        --grid 40 --threads 2 --arg 'u32[16]=zero' $mode
    grep found err | sort >two
    cmp one two || fail "findings differ with host threads"
done; done
# before a run that counts, what was beside allocations is put back too
run 0 run "$k" -q -g v100 --no-power --bounds page -s warm_launches=2 --entry counts --block 1 --arg 'u32[16]=zero?print=1'
says out 'argument 1: 0$'
run 2 run "$k" --entry past --check bounds --bounds page
says err '\-\-check bounds and --bounds page ask for the opposite of each other'
run 2 run "$k" --entry past --bounds pages
says err '\-\-bounds is `allocation` or `page`, not `pages`'
# a program's own
cat >keeps.py <<'P'
import ctypes
cuda = ctypes.CDLL('libcuda.so.1')
def ok(r): assert r == 0, r
c, p = ctypes.c_void_p(), ctypes.c_uint64()
ok(cuda.cuInit(0)); ok(cuda.cuCtxCreate_v2(ctypes.byref(c), 0, 0))
for size in 4096, 1000, 1000, 512:
    ok(cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(size)))
ok(cuda.cuMemFree_v2(p))
ok(cuda.cuMemAllocManaged(ctypes.byref(p), ctypes.c_size_t(64), 1))
P
# managed memory needs device addresses that are free on the host: ASan's shadow leaves room for a small GPU only
run 1 run -g gtx480 --check leaks -- python3 keeps.py
says err 'leak: 2 allocations of 1000 bytes were never freed, the first at 0x'
says err 'leak: 1 allocation of 4096 bytes was never freed, at 0x'
says err 'leak: 1 allocation of 64 bytes \(managed\) was never freed'
[ "$(grep -c 'leak:' err)" = 3 ] || fail "three kinds leak"
run 0 run -g gtx480 --check sync -- python3 keeps.py
lacks err leak
# a hundred places of 103, and how many more; many host threads or one
{
    printf '.version 6.0\n.target sm_30\n.address_size 64\n.visible .entry many(.param .u64 p)\n{\n'
    printf '.reg .b32 %%r<2>;\n.reg .b64 %%d<2>;\n.reg .pred %%p<2>;\nld.param.u64 %%d1, [p];\n'
    printf 'mov.u32 %%r1, %%tid.x;\nsetp.ge.u32 %%p1, %%r1, 16;\n@%%p1 bra over;\n'
    i=0
    while [ $i -lt 103 ]; do echo 'bar.sync 0;'; i=$((i + 1)); done
    printf 'over:\nst.global.u32 [%%d1], %%r1;\nret;\n}\n'
} >many.ptx
run 1 run many.ptx -g gtx780 --no-power --functional --check sync --block 32 --arg 'u32[16]=zero'
[ "$(grep -c 'reached by' err)" = 100 ] || fail "not 100 places"
says err 'and 3 places more'
# said without a table too
run 1 run "$k" -q -g gtx780 --entry several --check races --block 64 --arg 'u32[16]=zero'
says err '^warpwatt: found: shared-memory race'
run 2 run "$k" --entry half --check sink; says err 'sync'; one_sentence err
# one past the end of an allocation is found without asking, though another one lies behind it
for mode in "" --functional; do
    # shellcheck disable=SC2086
    run 1 run $mode "$HERE/ptx/past.ptx" --entry past --grid 1 --block 1 --arg 'u32[64]=zero' --arg 'u32[64]=zero'
    says err 'global write of 4 bytes .* in no live allocation, in kernel past at .*past.ptx:8'
done
# A workload that is timed has its allocations as close as hardware puts them; with any check, and without
# time, one past the end is found in it too. The workload is a program of this test, beside a copy of the
# command.
mkdir -p inst/bin inst/lib/warpwatt/workloads/past inst/share/warpwatt/workloads/past
cp "$WARPWATT" inst/bin/warpwatt
ln -s "$HERE/../../gpus" inst/share/warpwatt/gpus
ln -s "$(dirname "$WARPWATT")"/*.so* inst/lib/warpwatt/
sed 's/vectorAdd/past/' "$HERE/../../workloads/vectorAdd/workload.yaml" >inst/share/warpwatt/workloads/past/workload.yaml
cat >inst/lib/warpwatt/workloads/past/past <<'P'
#!/usr/bin/env python3
import ctypes
cuda = ctypes.CDLL('libcuda.so.1')
def ok(r): assert r == 0, r
c, m, f, p, q = (ctypes.c_void_p() for _ in range(5))
ok(cuda.cuInit(0)); ok(cuda.cuCtxCreate_v2(ctypes.byref(c), 0, 0))
ok(cuda.cuModuleLoadData(ctypes.byref(m), b""".version 3.0
.target sm_20
.address_size 64
.visible .entry past(.param .u64 p) {
.reg .u64 %d; .reg .u32 %r;
mov.u32 %r, %tid.x; ld.param.u64 %d, [p]; st.global.u32 [%d+4096], %r; exit; }"""))
ok(cuda.cuModuleGetFunction(ctypes.byref(f), m, b'past'))
ok(cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(4096))); ok(cuda.cuMemAlloc_v2(ctypes.byref(q), ctypes.c_size_t(4096)))
ok(cuda.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, None, (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(p), ctypes.c_void_p)), None))
r = cuda.cuCtxSynchronize()
cuda.cuMemFree_v2(p); cuda.cuMemFree_v2(q)
assert r == 0, r
P
chmod +x inst/lib/warpwatt/workloads/past/past
real=$WARPWATT WARPWATT=$PWD/inst/bin/warpwatt
run 0 run --no-power past
lacks err 'no live allocation'
for how in '--check races' '--check uninitialised' '--check bounds' '--check sync' '--check leaks' --functional; do
    # shellcheck disable=SC2086
    run 1 run --no-power $how past
    says err 'global write of 4 bytes .* in no live allocation, in kernel past'
done
WARPWATT=$real
finish
