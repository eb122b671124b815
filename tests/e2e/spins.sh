# Kernels that wait for ever are told from those that wait for long: on chips with a stack and with independent
# threads, with time and without.
. "$HERE/lib.sh"
k="$HERE/ptx/spins.ptx"
spins() { # CODE GPU ENTRY GRID BLOCK [OPTION]
    run "$1" run "$k" -g "$2" --no-power --entry "$3" --grid "$4" --block "$5" --arg 'u32[16]=zero?print=2' $6
}
for mode in '' --functional; do
    # a lock that each lane of a warp takes
    spins 4 gtx480 lock 4 32 "$mode"
    says err 'lanes 0xfffffffe spin at PTX line 14 .ATOM. on the global address 0x[0-9a-f]+, which holds 1, while lanes 0x00000001 of this warp wait at PTX line 17 for them'
    says err 'none of the 4 warps that are left can change memory'
    [ "$(grep -c 'spin at' err)" = 1 ] || fail "said more than once"
    spins 0 v100 lock 4 32 "$mode"
    says out '^argument 1: 0 128'
    spins 4 gtx480 lock_shared 1 64 "$mode"
    says err 'lanes 0xfffffffe spin at PTX line 37 .ATOM. on the shared address 0x8, which holds 7, while lanes 0x00000001 of this warp wait at PTX line 40'
    spins 0 v100 lock_shared 1 64 "$mode"
    says out '^argument 1: 0 64'
    for gpu in gtx480 v100; do
        # a barrier of the grid: with blocks that all run at once, and with more
        spins 0 $gpu grid 16 64 "$mode"
        says out '^argument 1: 16 1024'
        spins 4 $gpu grid 3000 1024 "$mode"
        says err 'lanes 0x00000001 spin at PTX line [0-9]+ .LD. on the global address 0x[0-9a-f]+, which holds [0-9]+'
        says err '[0-9]+ blocks have not begun'
        # they wait long, and then it comes
        spins 0 $gpu late 1 64 "$mode"
        says out '^argument 1: 20000 32'
        spins 0 $gpu timeout 1 32 "$mode"
        says out '^argument 1: 0 32'
        # one warp spins, the other waits at the barrier
        spins 4 $gpu barrier 1 64 "$mode"
        says err 'warp 1: lanes 0xffffffff spin at PTX line [0-9]+ .LD. on the global address 0x[0-9a-f]+, which holds 0; none of the 2 warps'
    done
done
# a copy in another stream sets it; memory of the host may change at any time
cat >outside.py <<'P'
import ctypes, sys
cuda = ctypes.CDLL('libcuda.so.1')
def ok(r): assert r == 0, r
c, m, f, p, s, t = (ctypes.c_void_p() for _ in range(6))
ok(cuda.cuInit(0)); ok(cuda.cuCtxCreate_v2(ctypes.byref(c), 0, 0))
ok(cuda.cuModuleLoad(ctypes.byref(m), sys.argv[1].encode()))
ok(cuda.cuModuleGetFunction(ctypes.byref(f), m, b'outside'))
ok(cuda.cuStreamCreate(ctypes.byref(s), 1)); ok(cuda.cuStreamCreate(ctypes.byref(t), 1))
if sys.argv[2] == 'mapped':
    h = ctypes.c_void_p()
    ok(cuda.cuMemHostAlloc(ctypes.byref(h), ctypes.c_size_t(4096), 2))
    ok(cuda.cuMemHostGetDevicePointer_v2(ctypes.byref(p), h, 0))
    ctypes.memset(h, 0, 4096)
else:
    ok(cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(4096)))
    ok(cuda.cuMemsetD32_v2(p, 0, ctypes.c_size_t(1024)))
ok(cuda.cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(p), ctypes.c_void_p)), None))
if sys.argv[2] == 'copied':
    data = (ctypes.c_uint32 * (4 << 20))(*([1] * 4))
    big = ctypes.c_void_p()
    ok(cuda.cuMemAlloc_v2(ctypes.byref(big), ctypes.c_size_t(16 << 20)))
    ok(cuda.cuMemcpyHtoDAsync_v2(big, data, ctypes.c_size_t(16 << 20), t))
    ok(cuda.cuMemcpyHtoDAsync_v2(p, data, ctypes.c_size_t(4), t))
r = cuda.cuCtxSynchronize()
assert r == 0, r
P
for gpu in gtx480 v100; do
    run 0 run -g $gpu -- python3 outside.py "$k" copied
    run 4 run -g $gpu -- python3 outside.py "$k" device
    says err 'lanes 0xffffffff spin at PTX line [0-9]+ .LD. on the global address'
done
run 4 run -g gtx480 --max-cycles 600000 -- python3 outside.py "$k" mapped
says err 'ran for 600000 cycles, the limit'
finish
