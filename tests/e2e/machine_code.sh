# Kernels of machine code: what runs of a cubin and of a fat binary, what --code chooses, what is refused.
. "$HERE/lib.sh"
data="$HERE/../sass/data"
kernel="--grid 1 --block 32 --no-power"
two="--arg u32[64]=iota?print=6 --arg u32=1"
# twice, then a function found in memory by number: thrice
run 0 run -g v100 "$data/module_sm_70.cubin" --entry call $kernel $two
says out '^argument 1: 0 6 12 18 24 30$'
says err '^    machine code of ptxas of CUDA 11.8 for sm_70: call$'
# the same, with functions in sections of their own, and without time
run 0 run -g v100 --functional "$data/module_rdc_sm_70.cubin" --entry call $kernel $two
says out '^argument 1: 0 6 12 18 24 30$'
# recursion, on a stack in local memory: 6!
run 0 run -g v100 "$data/module_sm_70.cubin" --entry rec --grid 1 --block 7 --no-power --arg 'u64[4]=iota?print=1'
says out '^argument 1: 720$'
# variables, constants, an atomic, printf: counter + 20 + 3 + 2, of the last of 32 threads 56
run 0 run -g v100 "$data/module_sm_70.cubin" --entry vars $kernel $two
says out '^25 1$'; says out '^56 1$'
# malloc and free
run 0 run -g v100 --check leaks "$data/module_sm_70.cubin" --entry heap $kernel --arg 'u64[1]=iota'
# shared memory and a barrier, as another compiler made them
run 0 run -g v100 "$data/kernels_sm_70.cubin" --entry reverse --grid 1 --block 256 --no-power --arg 'u32[256]=iota?print=3'
says out '^argument 1: 255 254 253$'
# a fence drops the lines of L1: each of 64 reads misses
run 0 run -g v100 "$data/fences_sm_70.cubin" --entry reads --grid 1 --block 32 --no-power --arg 'u32[32]=iota' --arg 'u32[32]=const:1?print=3'
says out '^argument 2: 0 64 128$'; says err '^ *L1 +0.0 % hits of 64 reads$'
# a chip of the same major number takes it
run 0 run -g rtx2060s "$data/module_sm_70.cubin" --entry call $kernel $two
says out '^argument 1: 0 6 12 18 24 30$'

# both at once: machine code comes first, a word leaves PTX or machine code out
for code in auto sass; do
    run 0 run -g v100 --code $code "$data/both_sm_70.fatbin" --entry call $kernel $two
    says out '^argument 1: 0 6 12 18 24 30$'; says err 'machine code of ptxas'
done
run 0 run -g v100 --code ptx "$data/both_sm_70.fatbin" --entry call $kernel $two
says out '^argument 1: 0 6 12 18 24 30$'; lacks err 'machine code'
# a word without a meaning stops its kernel, or has it compiled from PTX, and no other kernel
cp "$data/both_sm_70.fatbin" broken.fatbin
at=$(LC_ALL=C grep -obaP '\x06\x78\x09\x00' broken.fatbin | head -1 | cut -d: -f1) # VOTE of vars
[ -n "$at" ] || { fail "no VOTE found"; at=0; }
printf '\376' | dd of=broken.fatbin bs=1 seek="$at" conv=notrunc 2>dd.txt
run 0 run -g v100 broken.fatbin --entry vars $kernel $two
says out '^25 1$'; says out '^56 1$'; says err '^    PTX: vars$'
says err 'kernel vars: at 0x0030: .*0x[0-9a-f]{16} 0x[0-9a-f]{16}'
run 0 run -g v100 -o page broken.fatbin --entry vars $kernel $two
says page/record.jsonl '"instead":"broken.fatbin: kernel vars: at 0x0030'
run 0 run -g v100 --code sass broken.fatbin --entry call $kernel $two; says out '^argument 1: 0 6 12 18 24 30$'
run 3 run -g v100 --code sass broken.fatbin --entry vars $kernel $two
one_sentence err; says err 'broken.fatbin: kernel vars: at 0x0030: '
# what calls through memory would find addresses of machine code there
cp "$data/both_sm_70.fatbin" mixed.fatbin
at=$(LC_ALL=C grep -obaP '\x24\x78\x04\x04\x03' mixed.fatbin | head -1 | cut -d: -f1) # thrice's IMAD R4, R4, 0x3, RZ
[ -n "$at" ] || { fail "no IMAD found"; at=0; }
printf '\376' | dd of=mixed.fatbin bs=1 seek="$at" conv=notrunc 2>dd.txt
run 3 run -g v100 mixed.fatbin --entry call $kernel $two
one_sentence err; says err 'kernel call: at 0x0150: .* and of its PTX: .*variable fns holds'

# nothing suits
run 3 run -g v100 "$data/module_sm_80.cubin" --entry call $kernel $two
one_sentence err; says err 'holds machine code for compute capability 8.0 and no PTX; v100 has 7.0'
run 3 run -g gtx480 "$data/module_sm_70.cubin" --entry call $kernel $two
one_sentence err; says err 'capability 7.0 and no PTX; gtx480 has 2.0; -g .*v100'
run 3 run -g v100 --code sass "$data/module.ptx" --entry call $kernel $two
one_sentence err; says err 'holds PTX and no machine code'
run 2 run -g v100 --code sas "$data/module.ptx" --entry call $kernel $two
one_sentence err; says err '\-\-code is `sas`; it must be auto, sass or ptx'
# a program that goes on when there is no code for its kernels has computed nothing: 3, unless it may try
if command -v cc >/dev/null; then
    echo 'int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *), cuModuleLoad(void **, char *);
    int main(int n, char **v) { void *p; return n != 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&p, 0) || cuCtxSetCurrent(p) || !cuModuleLoad(&p, v[1]); }' >tries.c
    cc tries.c "${WARPWATT%/*}/libcuda.so.1" -o tries
    run 3 run -g v100 --no-power -- ./tries "$data/module_sm_80.cubin"
    says err 'refused: .*module_sm_80.cubin holds machine code for compute capability 8.0 and no PTX; v100 has 7.0; -g a10, .*have it$'; lacks err 'nvcc'
    run 0 run -g v100 --no-power --lenient -- ./tries "$data/module_sm_80.cubin"
fi
# more than 4,096 bytes of parameters lie elsewhere, and are described by another attribute (large_parameters.ptx, ptxas 13.0)
if command -v cc >/dev/null; then
    cat >large.c <<'C'
#include "cuda.h"
int main(int n, char **v) {
    CUcontext c; CUmodule m; CUfunction f; CUdeviceptr a; static char big[6000]; unsigned z = 77, got = 0;
    void *args[] = {&a, big, &z};
    if (n != 2 || cuInit(0) || cuCtxCreate(&c, 0, 0) || cuModuleLoad(&m, v[1]) || cuModuleGetFunction(&f, m, "big") || cuMemAlloc(&a, 4)) return 9;
    if (cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) || cuMemcpyDtoH(&got, a, 4) || got != z) return 1;
    static unsigned char far[32700]; unsigned seen[32] = {0};
    void *more[] = {&a, far, &z};
    for (int i = 0; i < 100; i++) far[32600 + i] = (unsigned char)(5 * i);
    if (cuMemAlloc(&a, 128) || cuModuleGetFunction(&f, m, "far") || cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, more, 0) || cuMemcpyDtoH(seen, a, 128)) return 2;
    for (int i = 0; i < 32; i++) if (seen[i] != far[32600 + i] + far[32696] + (signed char)far[32690] + z) return 3;
    return 0;
}
C
    cc -I"$HERE/../../include" large.c "${WARPWATT%/*}/libcuda.so.1" -o large
    run 0 run -q -g a100 --code sass -- ./large "$data/large_parameters_sm_80.cubin"
    run 0 run -q -g a100 -- ./large "$data/large_parameters.ptx"
fi
head -c 3000 "$data/module_sm_70.cubin" >cut.cubin
run 2 run -g v100 cut.cubin --entry call $kernel $two; one_sentence err
# files that are none: each says what it begins with, and what could stand there
: >empty.cubin
printf '\261\103\142\106\001\0\0\0AAAAAAAA\0\0\0\0\0\0\0\0' >wrapper.fatbin # points into a program's memory
cp "${WARPWATT%/*}/libcuda.so.1" host.cubin
for what in run disasm doctor; do
    go=; [ $what = run ] && go="$kernel --entry call"
    run 2 $what empty.cubin $go; one_sentence err; says err 'empty.cubin is empty; PTX, a cubin or a fat binary is expected'
    run 2 $what wrapper.fatbin $go; one_sentence err; says err 'begins with the bytes b1 43 62 46; PTX .text., a cubin'
done
run 2 run host.cubin --entry call $kernel; one_sentence err; says err 'host.cubin is an ELF file, but no machine code of a GPU'
if [ -x tries ]; then
    run 2 run -g v100 --no-power -- ./tries wrapper.fatbin; says err 'begins with the bytes b1 43 62 46'
fi
run 0 extract "$data/kernels_sm_70.cubin"; says out '^ +0  cubin  sm_70 .*reverse, saxpy'
finish
