# A GPU file of a machine like NVIDIA's H100, made here: capability 9.0, 132 SMs, 80 GB of HBM3. Programs are
# told so, results are right with time, all of the memory can be reached; and what no machine has is refused.
. "$HERE/lib.sh"
cat >large.yaml <<'Y'
sources:
  - {tag: h100, text: "NVIDIA H100 Tensor Core GPU Architecture, white paper"}
base: gtx780
product: Large GPU  # [h100]
chip: LARGE  # [h100]
description: "132 SMs, 80 GB of HBM3"  # [h100]
cc_major: 9  # [h100]
cc_minor: 0  # [h100]
sm_count: 132  # [h100]
memory_bytes: 85899345920  # [h100]
sm:
  gen: hopper  # [h100]
  max_ctas: 32  # [h100]
  shared_bytes: 233472  # [h100]
mem:
  partitions: 40  # assumed: two channels each
  slices_per_partition: 2  # assumed
  l2: {bytes: 655360, ways: 20}  # [h100] 50 MB
  dram:
    kind: hbm3  # [h100]
    bus_bits: 0  # assumed: the kind's, as all below
    burst_length: 0  # assumed
    data_rate: 0  # assumed
    banks: 0  # assumed
    bank_groups: 0  # assumed
    row_bytes: 0  # assumed
    cl: 0  # assumed
    wl: 0  # assumed
    rcd: 0  # assumed
    rp: 0  # assumed
    ras: 0  # assumed
    rc: 0  # assumed
    rrd: 0  # assumed
    faw: 0  # assumed
    ccd_s: 0  # assumed
    ccd_l: 0  # assumed
    rtp: 0  # assumed
    wr: 0  # assumed
    wtr: 0  # assumed
    rtw: 0  # assumed
    refi: 0  # assumed
    rfc: 0  # assumed
    rfc_one: 0  # assumed
Y
cat >asks.py <<'P'
import ctypes
cuda = ctypes.CDLL('libcuda.so.1')
def ok(r): assert r == 0, r
c, m, f, p = (ctypes.c_void_p() for _ in range(4))
n, total = ctypes.c_int(), ctypes.c_size_t()
def attribute(which):
    ok(cuda.cuDeviceGetAttribute(ctypes.byref(n), which, 0))
    return n.value
ok(cuda.cuInit(0)); ok(cuda.cuCtxCreate_v2(ctypes.byref(c), 0, 0))
ok(cuda.cuDeviceTotalMem_v2(ctypes.byref(total), 0))
print('cc', attribute(75), attribute(76), 'sms', attribute(16), 'memory', total.value, 'grid', attribute(5),
      'texture', attribute(21), 'blocks', attribute(106), 'double', attribute(87))
ptx = b'''.version 8.0\n.target sm_90\n.address_size 64
.visible .entry mark(.param .u64 p, .param .u64 step) { .reg .u64 %d<5>; .reg .u32 %r<2>;
ld.param.u64 %d0, [p]; ld.param.u64 %d1, [step]; mov.u32 %r0, %ctaid.x; cvt.u64.u32 %d2, %r0;
mad.lo.u64 %d3, %d1, %d2, %d0; st.global.u32 [%d3], %r0; ret; }'''
ok(cuda.cuModuleLoadData(ctypes.byref(m), ptx)); ok(cuda.cuModuleGetFunction(ctypes.byref(f), m, b'mark'))
blocks = 140  # more than SMs, half a GB apart
step = ctypes.c_uint64(1 << 29)
ok(cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(blocks << 29)))
args = (ctypes.c_void_p * 2)(ctypes.cast(ctypes.byref(p), ctypes.c_void_p), ctypes.cast(ctypes.byref(step), ctypes.c_void_p))
ok(cuda.cuLaunchKernel(f, blocks, 1, 1, 1, 1, 1, 0, None, args, None)); ok(cuda.cuCtxSynchronize())
for i in range(blocks):
    v = ctypes.c_uint32(999)
    ok(cuda.cuMemcpyDtoH_v2(ctypes.byref(v), ctypes.c_uint64(p.value + (i << 29)), ctypes.c_size_t(4)))
    assert v.value == i, (i, v.value)
print('far places hold what was written')
P
for how in --functional --no-power; do
    run 0 run $how -g large.yaml -- python3 asks.py
    says out 'cc 9 0 sms 132 memory 85899345920 grid 2147483647 texture 131072 blocks 32 double 24'; says out 'far places hold'
done
run 0 run --no-power -g large.yaml hotspot; says out 'passed'; says out 'on large \(Large GPU, 132 SMs'
sed 's/^cc_major: 9/cc_major: 4/' large.yaml >gap.yaml
run 2 run -g gap.yaml vectorAdd; says err 'makes compute capability 4.0, of which nothing is known'; one_sentence err
run 2 run -g large.yaml -s sm.gen=fermi vectorAdd; says err 'does not belong to compute capability 9.0'; one_sentence err
run 2 run -g gtx480 -s cc_major=9 -s cc_minor=0 vectorAdd; says err 'gen'; one_sentence err
# A program with AddressSanitizer: it starts, and managed memory says what it needs, and has it then.
cat >managed.c <<'C'
#include <cuda.h>
#include <stdio.h>
int main(void) {
    CUcontext c;
    CUdeviceptr p;
    if (cuInit(0) || cuCtxCreate(&c, 0, 0)) return 9;
    const CUresult r = cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL);
    printf("managed %d\n", r);
    if (r == CUDA_SUCCESS) printf("value %d\n", *(int *)p = 5);
    return 0;
}
C
lib=$(dirname "$WARPWATT")
sanitized=$(ldd "$lib/libcuda.so.1" | grep -c asan) # then every program has ASan
if [ "$sanitized" = 0 ] && echo 'int main(void) { return 0; }' >try.c && cc -fsanitize=address try.c -o try 2>/dev/null && ./try 2>/dev/null; then
    cc -fsanitize=address -I"$HERE/../../include" managed.c -o managed -L"$lib" -l:libcuda.so.1 || fail "managed.c"
    ASAN_OPTIONS=detect_leaks=0 run 0 run -q -g v100 -- ./managed
    says out 'managed 801'; says err 'AddressSanitizer has those'; says err '--told memory=1GB'
    ASAN_OPTIONS=detect_leaks=0 run 0 run -q -g v100 --told memory=1GB -- ./managed; says out 'managed 0'; says out 'value 5'
    ASAN_OPTIONS=verify_asan_link_order=1 run 1 run -q -g v100 -- ./managed; says err 'ASan runtime does not come first' # the user's word counts
fi
if [ "$sanitized" = 0 ] && cc -I"$HERE/../../include" managed.c -o managed -L"$lib" -l:libcuda.so.1; then
    run 0 run -q -g v100 -- ./managed; says out 'value 5'
fi
finish
