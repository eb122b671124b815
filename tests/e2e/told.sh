# --told: a program that asks for a newer, larger GPU runs on the simulated chip, and the account says so.
# Without it the message about a limit names a GPU that has what was asked for.
. "$HERE/lib.sh"
cat >asks.py <<'P'
import ctypes, sys
cuda = ctypes.CDLL('libcuda.so.1')
def ok(r): assert r == 0, r
c, m, f, p = (ctypes.c_void_p() for _ in range(4))
n, total, free = ctypes.c_int(), ctypes.c_size_t(), ctypes.c_size_t()
def attribute(which):
    ok(cuda.cuDeviceGetAttribute(ctypes.byref(n), which, 0))
    return n.value
ok(cuda.cuInit(0)); ok(cuda.cuCtxCreate_v2(ctypes.byref(c), 0, 0))
ok(cuda.cuDeviceTotalMem_v2(ctypes.byref(total), 0)); ok(cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)))
print('cc', attribute(75), attribute(76), 'memory', total.value, 'grid', attribute(5), 'sms', attribute(16))
# every block writes its number to place ctaid.x * step
ptx = b'''.version 6.5\n.target sm_75\n.address_size 64
.visible .entry mark(.param .u64 p, .param .u64 step) { .reg .u64 %d<5>; .reg .u32 %r<2>;
ld.param.u64 %d0, [p]; ld.param.u64 %d1, [step]; mov.u32 %r0, %ctaid.x; cvt.u64.u32 %d2, %r0;
mad.lo.u64 %d3, %d1, %d2, %d0; st.global.u32 [%d3], %r0; ret; }'''
ok(cuda.cuModuleLoadData(ctypes.byref(m), ptx)); ok(cuda.cuModuleGetFunction(ctypes.byref(f), m, b'mark'))
ok(cuda.cuFuncGetAttribute(ctypes.byref(n), 6, f)); print('binary', n.value)
bytes_, blocks = int(sys.argv[1]), int(sys.argv[2])
r = cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(bytes_))
print('alloc', r)
if r: sys.exit(0)
def launch(blocks, step):
    step = ctypes.c_uint64(step)
    args = (ctypes.c_void_p * 2)(ctypes.cast(ctypes.byref(p), ctypes.c_void_p),
                                 ctypes.cast(ctypes.byref(step), ctypes.c_void_p))
    r = cuda.cuLaunchKernel(f, blocks, 1, 1, 1, 1, 1, 0, None, args, None)
    ok(cuda.cuCtxSynchronize())
    return r
print('launch', launch(blocks, 4))
far = 16
assert launch(far, bytes_ // far) == 0
for i in range(far):
    v = ctypes.c_uint32(99)
    ok(cuda.cuMemcpyDtoH_v2(ctypes.byref(v), ctypes.c_uint64(p.value + i * (bytes_ // far)), ctypes.c_size_t(4)))
    assert v.value == i, (i, v.value)
print('far places hold what was written')
P
# without -g a program meets a V100, which has most of what programs ask for
run 0 run --functional -- python3 asks.py 1000000 70000; says out 'cc 7 0 memory 16936927232 grid 2147483647 sms 80'; says out 'binary 70'
says out 'launch 0'; says out 'far places hold'; lacks err 'was told'; lacks err 'told of'
old="-g gtx480"
run 0 run $old --functional -- python3 asks.py 1000000 1000; says out 'cc 2 0 memory 1610612736 grid 65535 sms 15'; says out 'binary 20'
lacks err 'was told'
run 3 run $old --functional -- python3 asks.py 1000000 70000
says err 'the grid is 70000 in x; gtx480 \(compute capability 2.0\) takes 65535; -g gtx780 has it; --told grid=N allows it'
run 0 run $old --functional --told grid=70000 -- python3 asks.py 1000000 70000; says out 'cc 2 0 .*grid 70000'
for how in --functional --no-power; do
    run 0 run $old $how --told cc=7.5,memory=16GB,sms=20 -- python3 asks.py 9663676416 70000
    says out 'cc 7 5 memory 17179869184 grid 2147483647 sms 20'; says out 'binary 75'; says out 'alloc 0'; says out 'launch 0'
    says out 'far places hold'; says err 'told of a GPU with cc=7.5,memory=16GB,sms=20'
done
run 0 run $old --functional -- python3 asks.py 9663676416 70000; says out 'alloc 2'
run 0 run --json --functional --told memory=2GB -- true; run 0 run --json --told cc=7.5 vectorAdd; says out '"told": "cc=7.5"'
run 2 run --told memry=4GB hotspot; says err 'did you mean `memory`'; one_sentence err
for wrong in cc=75 cc=0.5 memory=4QB memory=0 memory=2TB grid=2147483648 grid=-1 sms=0 sms; do
    run 2 run --told $wrong hotspot; says err '--told'; one_sentence err
done
p="$HERE/ptx"
run 1 run "$p/forever.ptx" --grid 1,70000; lacks err 'told'
finish
