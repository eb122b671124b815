# What a profiler inside a program learns by CUPTI's activities: each kernel, copy and fill once, with simulated times, the call
# that asked for it, and the external correlation of that call's thread. The offsets are those of the vendor's header, which they
# are held against where it is installed.
. "$HERE/lib.sh"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
build=${WARPWATT%/*}
cat >offsets.h <<'C'
#define OFFSETS(X) \
    X(CUpti_ActivityKernel9, registersPerThread, 6) X(CUpti_ActivityKernel9, start, 16) X(CUpti_ActivityKernel9, end, 24) \
    X(CUpti_ActivityKernel9, streamId, 48) X(CUpti_ActivityKernel9, gridX, 52) X(CUpti_ActivityKernel9, blockX, 64) \
    X(CUpti_ActivityKernel9, dynamicSharedMemory, 80) X(CUpti_ActivityKernel9, correlationId, 92) X(CUpti_ActivityKernel9, name, 104) \
    X(CUpti_ActivityMemcpy5, copyKind, 4) X(CUpti_ActivityMemcpy5, bytes, 8) X(CUpti_ActivityMemcpy5, start, 16) \
    X(CUpti_ActivityMemcpy5, end, 24) X(CUpti_ActivityMemcpy5, correlationId, 44) X(CUpti_ActivityMemset4, bytes, 8) \
    X(CUpti_ActivityMemset4, start, 16) X(CUpti_ActivityMemset4, end, 24) X(CUpti_ActivityMemset4, correlationId, 44) \
    X(CUpti_ActivityAPI, cbid, 4) X(CUpti_ActivityAPI, start, 8) X(CUpti_ActivityAPI, threadId, 28) X(CUpti_ActivityAPI, correlationId, 32) \
    X(CUpti_ActivityExternalCorrelation, externalKind, 4) X(CUpti_ActivityExternalCorrelation, externalId, 8) \
    X(CUpti_ActivityExternalCorrelation, correlationId, 16)
C
for folder in /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include; do
    [ -f $folder/cupti.h ] || continue
    cat >held.c <<'C'
#include <stddef.h>
#include <cupti.h>
#include "offsets.h"
#define HELD(type, field, at) _Static_assert(offsetof(type, field) == at, #type "." #field);
OFFSETS(HELD)
C
    cc -I/usr/local/cuda/include -I$folder -c held.c -o held.o || fail "layouts differ from $folder"
done
cat >profiled.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cuda.h"
int cuptiActivityEnable(int), cuptiActivityDisable(int), cuptiActivityFlushAll(uint32_t), cuptiActivityGetNextRecord(uint8_t *, size_t, void **);
int cuptiActivityRegisterCallbacks(void (*)(uint8_t **, size_t *, size_t *), void (*)(void *, uint32_t, uint8_t *, size_t, size_t));
int cuptiActivityPushExternalCorrelationId(int, uint64_t), cuptiActivityPopExternalCorrelationId(int, uint64_t *);
int cuptiActivityRegisterTimestampCallback(uint64_t (*)(void)), cuptiEventGroupCreate(void);
static const char ptx[] = ".version 4.2\n.target sm_20\n.address_size 64\n.visible .entry work(.param .u64 p) {\n"
    " .reg .u64 %a; .reg .u32 %x;\n ld.param.u64 %a, [p]; mov.u32 %x, %tid.x; st.global.u32 [%a], %x; ret; }\n";
static uint64_t ticks(void) { // a clock of another rate
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 3 * ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}
static void want(uint8_t **buffer, size_t *size, size_t *most) { *size = 400, *most = 0, *buffer = malloc(*size); } // small: several
static uint64_t at64(const char *r, int at) { uint64_t v; memcpy(&v, r + at, 8); return v; }
static uint32_t at32(const char *r, int at) { uint32_t v; memcpy(&v, r + at, 4); return v; }
static void take(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    void *p = NULL;
    (void)context, (void)stream, (void)size;
    while (!cuptiActivityGetNextRecord(buffer, valid, &p)) {
        const char *r = p;
        const double ns = 1.0 / 3;
        switch (at32(r, 0)) {
        case 3: case 10: { const char *name; memcpy(&name, r + 104, 8);
            printf("kernel %u %s %u %u %u %.0f %.0f\n", at32(r, 92), name, at32(r, 48), at32(r, 52), at32(r, 64), ns * at64(r, 16), ns * (at64(r, 24) - at64(r, 16))); break; }
        case 1: printf("copy %u %d %llu %.0f\n", at32(r, 44), r[4], (unsigned long long)at64(r, 8), ns * (at64(r, 24) - at64(r, 16))); break;
        case 2: printf("fill %u %llu %.0f\n", at32(r, 44), (unsigned long long)at64(r, 8), ns * (at64(r, 24) - at64(r, 16))); break;
        case 4: printf("call %u %u %.0f\n", at32(r, 32), at32(r, 4), ns * at64(r, 8)); break;
        case 39: printf("external %u %u %llu\n", at32(r, 16), at32(r, 4), (unsigned long long)at64(r, 8)); break;
        default: printf("unknown %u\n", at32(r, 0));
        }
    }
    free(buffer);
}
int main(void) {
    static const int kinds[] = {1, 2, 4, 10, 39};
    CUcontext c;
    CUmodule m;
    CUfunction work;
    CUdeviceptr a;
    char host[4096] = "";
    void *args[] = {&a};
    uint64_t id;
    if (cuInit(0) || cuCtxCreate(&c, 0, 0) || cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&work, m, "work") || cuMemAlloc(&a, 4096)) return 9;
    if (cuLaunchKernel(work, 1, 1, 1, 32, 1, 1, 0, 0, args, 0)) return 8; // before: not told
    if (cuptiActivityRegisterTimestampCallback(ticks) || cuptiActivityRegisterCallbacks(want, take)) return 7;
    for (int i = 0; i < 5; i++) if (cuptiActivityEnable(kinds[i])) return 6;
    if (cuMemcpyHtoD(a, host, 4096)) return 8;
    cuptiActivityPushExternalCorrelationId(5, 11);
    cuptiActivityPushExternalCorrelationId(5, 12);
    if (cuLaunchKernel(work, 7, 1, 1, 64, 1, 1, 0, 0, args, 0) || cuMemsetD8(a, 0, 1000)) return 8;
    if (cuptiActivityPopExternalCorrelationId(5, &id) || id != 12) return 5;
    if (cuLaunchKernel(work, 9, 1, 1, 32, 1, 1, 0, 0, args, 0)) return 8;
    if (cuptiActivityPopExternalCorrelationId(5, &id) || id != 11 || cuptiActivityPopExternalCorrelationId(5, &id) != 18) return 5;
    if (cuMemcpyDtoH(host, a, 100) || cuCtxSynchronize() || cuptiActivityFlushAll(0)) return 8;
    puts("again");
    if (cuptiActivityFlushAll(0)) return 4; // nothing twice
    for (int i = 0; i < 5; i++) if (cuptiActivityDisable(kinds[i])) return 6;
    if (cuLaunchKernel(work, 1, 1, 1, 32, 1, 1, 0, 0, args, 0) || cuCtxSynchronize() || cuptiActivityFlushAll(1)) return 8;
    return cuptiEventGroupCreate() != 27;
}
C
for version in 12 13; do
    cc -I"$HERE/../../include" profiled.c "$build/libcuda.so.1" "$build/libcupti.so.$version" -Wl,-rpath-link,"$build" -o profiled || fail "no program"
    run 0 run -q -o run -g v100 -- ./profiled
    says err '^warpwatt: cuptiEventGroupCreate of CUPTI is not there'
    python3 - <<'P' || fail "activities"
import json
lines = [l.split() for l in open('out').read().splitlines()]
assert lines[-1] == ['again'], lines[-3:]
by = {}
for l in lines[:-1]: by.setdefault(l[0], []).append(l[1:])
assert {k: len(v) for k, v in by.items()} == {'kernel': 2, 'copy': 2, 'fill': 1, 'call': 6, 'external': 3}, by
steps = json.load(open('run/run.json'))['steps']['list']
assert len(steps) == 7
told = sorted([(int(k[0]), 'work', int(k[6])) for k in by['kernel']] + [(int(c[0]), {'1': 'copy to the device', '2': 'copy to the host'}[c[1]], int(c[3]))
              for c in by['copy']] + [(int(f[0]), 'fill', int(f[2])) for f in by['fill']])
for (n, method, ns), s in zip(told, steps[1:-1]): # in order of their calls; the first and the last launch were not asked about
    # the rate of the program's clock is measured between two moments of a host that may be busy
    assert method == s['method'] and abs(ns - 1e9 * s['seconds']) <= 2 + 1e6 * s['seconds'], (method, ns, s)
assert [k[1:5] for k in by['kernel']] == [['work', '7', '7', '64'], ['work', '7', '9', '32']]
assert sorted(int(c[2]) for c in by['copy']) == [100, 4096] and by['fill'][0][1] == '1000'
calls = {c[0]: (c[1], int(c[2])) for c in by['call']}
assert [calls[str(t[0])][0] for t in told] == ['276', '307', '249', '307', '278'] # cupti_driver_cbid.h
assert [c[1] for c in by['call']][-1] == '17' # cuCtxSynchronize
for k in by['kernel']: assert int(k[5]) >= calls[k[0]][1] - 1 # not before it was asked for
assert [(e[0], e[1], e[2]) for e in by['external']] == [(str(told[1][0]), '5', '12'), (str(told[2][0]), '5', '12'), (str(told[3][0]), '5', '11')]
P
done
finish
