# What management programs read while a program runs (NVML): the device's facts as the driver tells them, and its energy, which is
# that of the account. Asking does not open the GPU. A call that is not there is named once, and no failure of the run.
. "$HERE/lib.sh"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
build=${WARPWATT%/*}
cat >asks.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda.h"
struct memory { unsigned long long total, free, used; } m;
struct use { unsigned gpu, memory; } u;
struct pci { char id_short[16]; unsigned domain, bus, device, device_id, subsystem_id; char id[32]; } pci;
struct process { unsigned pid; unsigned long long used; unsigned a, b; } p[2];
struct field { unsigned id, scope; long long at, latency; int type, status; union { unsigned long long large; unsigned whole; } value; };
int nvmlInit_v2(void), nvmlShutdown(void), nvmlDeviceGetCount_v2(unsigned *), nvmlDeviceGetHandleByIndex_v2(unsigned, void **);
int nvmlDeviceGetName(void *, char *, unsigned), nvmlDeviceGetUUID(void *, char *, unsigned), nvmlDeviceGetPciInfo_v3(void *, struct pci *);
int nvmlDeviceGetHandleByUUID(const char *, void **), nvmlDeviceGetMemoryInfo(void *, struct memory *), nvmlDeviceGetClockInfo(void *, int, unsigned *);
int nvmlDeviceGetPowerUsage(void *, unsigned *), nvmlDeviceGetTotalEnergyConsumption(void *, unsigned long long *), nvmlDeviceGetMemoryBusWidth(void *, unsigned *);
int nvmlDeviceGetUtilizationRates(void *, struct use *), nvmlDeviceGetComputeRunningProcesses_v3(void *, unsigned *, struct process *);
int nvmlDeviceGetEnforcedPowerLimit(void *, unsigned *), nvmlDeviceGetTemperature(void *, int, unsigned *), nvmlDeviceGetVbiosVersion(void *, char *, unsigned);
int nvmlDeviceGetFieldValues(void *, int, struct field *), nvmlDeviceGetNumGpuCores(void *, unsigned *), nvmlDeviceGetFanSpeed(void *, unsigned *);
int nvmlDeviceGetSupportedGraphicsClocks(void *, unsigned, unsigned *, unsigned *);
static const char ptx[] = ".version 4.2\n.target sm_20\n.address_size 64\n.visible .entry work(.param .u64 p) {\n"
    " .reg .u64 %a; .reg .u32 %x;\n ld.param.u64 %a, [p]; mov.u32 %x, %tid.x; st.global.u32 [%a], %x; ret; }\n";
#define OK(call) if (call) return printf("line %d\n", __LINE__), 1
int main(int argc, char **argv) {
    void *d, *same, *host = malloc(48 << 20);
    char name[96], uuid[96], text[32];
    unsigned n, core, memory, bits, limit, celsius, idle, mw, zero, cores, clocks[256], n_clocks = 256;
    unsigned long long before, after, last;
    if (nvmlDeviceGetCount_v2(&n) != 1) return 2; // not initialised
    OK(nvmlInit_v2() || nvmlDeviceGetCount_v2(&n) || n != 1 || nvmlDeviceGetHandleByIndex_v2(0, &d));
    if (nvmlDeviceGetHandleByIndex_v2(1, &same) != 2 || nvmlDeviceGetName(d, name, 3) != 7 || nvmlDeviceGetName(0, name, 96) != 2) return 3;
    OK(nvmlDeviceGetName(d, name, 96) || nvmlDeviceGetUUID(d, uuid, 96) || nvmlDeviceGetPciInfo_v3(d, &pci) || nvmlDeviceGetHandleByUUID(uuid, &same) || same != d);
    OK(nvmlDeviceGetClockInfo(d, 0, &core) || nvmlDeviceGetClockInfo(d, 2, &memory) || nvmlDeviceGetMemoryBusWidth(d, &bits) || nvmlDeviceGetNumGpuCores(d, &cores));
    OK(nvmlDeviceGetEnforcedPowerLimit(d, &limit) || nvmlDeviceGetTemperature(d, 0, &celsius) || nvmlDeviceGetMemoryInfo(d, &m) || m.used);
    OK(nvmlDeviceGetPowerUsage(d, &idle) || nvmlDeviceGetTotalEnergyConsumption(d, &before) || before);
    OK(nvmlDeviceGetSupportedGraphicsClocks(d, memory, &n_clocks, clocks) || clocks[0] != core || clocks[n_clocks - 1] < 300);
    n = 2;
    OK(nvmlDeviceGetComputeRunningProcesses_v3(d, &n, p) || n);
    printf("%s|%s|%s|%u|%u|%u|%u|%u|%u|%u\n", name, pci.id, uuid, core, memory, bits, cores, limit, celsius, idle);
    for (int i = 0; i < 3; i++) if (nvmlDeviceGetVbiosVersion(d, text, 32) != 3 || nvmlDeviceGetFanSpeed(d, &zero) != 3) return 4;
    if (argc > 1) return 0;
    CUcontext c;
    CUdeviceptr a;
    CUmodule module;
    CUfunction work;
    void *args[] = {&a};
    char own[96], bus[32];
    CUuuid id;
    int clock;
    OK(cuInit(0) || cuCtxCreate(&c, 0, 0) || cuMemAlloc(&a, 48 << 20) || cuDeviceGetName(own, 96, 0) || cuDeviceGetPCIBusId(bus, 32, 0) || cuDeviceGetUuid(&id, 0));
    OK(cuDeviceGetAttribute(&clock, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0) || (unsigned)clock / 1000 != core);
    sprintf(text, "GPU-%02x%02x%02x%02x", (unsigned char)id.bytes[0], (unsigned char)id.bytes[1], (unsigned char)id.bytes[2], (unsigned char)id.bytes[3]);
    if (strcmp(own, name) || strcmp(bus, pci.id + 4) || strncmp(uuid, text, 12)) return 5;
    n = 2;
    OK(nvmlDeviceGetComputeRunningProcesses_v3(d, &n, p) || n != 1 || nvmlDeviceGetMemoryInfo(d, &m) || m.used < 48 << 20 || m.used != p[0].used || m.total != m.free + m.used);
    OK(cuMemcpyHtoD(a, host, 48 << 20) || nvmlDeviceGetTotalEnergyConsumption(d, &before) || nvmlDeviceGetPowerUsage(d, &mw));
    OK(!before || mw < idle || mw > idle + 20000); // a copy: the chip waits, memory is written
    OK(nvmlDeviceGetUtilizationRates(d, &u) || u.gpu);
    OK(cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&work, module, "work") || cuLaunchKernel(work, 500, 1, 1, 256, 1, 1, 0, 0, args, 0));
    OK(cuCtxSynchronize() || nvmlDeviceGetUtilizationRates(d, &u) || u.gpu < 5 || u.gpu > 100);
    OK(cuMemcpyDtoH(host, a, 48 << 20) || nvmlDeviceGetTotalEnergyConsumption(d, &after) || after <= before);
    OK(nvmlDeviceGetTotalEnergyConsumption(d, &last) || last != after); // no simulated time has gone by
    struct field f[2] = {{.id = 83}, {.id = 1}};
    OK(nvmlDeviceGetFieldValues(d, 2, f) || f[0].status || f[0].value.large != after || f[1].status != 3);
    printf("energy %llu\n", after);
    return nvmlShutdown();
}
C
cc -I"$HERE/../../include" asks.c "$build/libcuda.so.1" "$build/libnvidia-ml.so.1" -Wl,-rpath-link,"$build" -o asks || fail "no program"
run 0 run --json -g v100 -- ./asks
cp out account.json
says err '^warpwatt: nvmlDeviceGetVbiosVersion of NVML is not there: it answers NVML_ERROR_NOT_SUPPORTED$'
[ "$(grep -c Vbios err)" = 1 ] || fail "a call is named more than once"
lacks err 'FanSpeed'
says err '^Tesla V100-PCIE-16GB\|00000000:01:00.0\|GPU-76313030-.*\|1380\|[0-9]+\|4096\|5120\|250000\|[0-9]+\|[0-9]+$'
python3 - <<'P' || fail "the energy is not the account's"
import json, re
whole = json.load(open('account.json'))['power']['run']['energy_j']
told = int(re.search(r'energy (\d+)', open('err').read()).group(1))
assert told > 100 and abs(told - 1000 * whole) <= 0.5 + 1e-9 * told, (told, whole)
P
run 0 run -q -g v100 -s board.power_limit=170 -- ./asks only
says out '\|170000\|'
says err 'asks never opened the GPU'
run 0 run -q -g rtx2060s -- ./asks
says out '^.*RTX 2060 SUPER\|.*\|2176\|'
finish
