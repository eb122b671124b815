// The management library, found while running. Every value may be missing; nothing is ever set.
#include "measure.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// NVML's public interface, as far as it is asked here: all functions answer 0 when they worked.
typedef void *device;
// A value by number, as nvmlFieldValue_t is laid out; `scope` 0: the GPU, 2: its memory.
struct field {
    unsigned id, scope;
    long long stamp, latency;
    int type, status; // type 0: double, 1: unsigned, 2 3: long, 4: long long
    union {
        double real;
        unsigned whole;
        unsigned long long wide;
    } value;
};
enum { FIELD_POWER_AVERAGE = 185, FIELD_POWER_INSTANT = 186 };

struct nvml {
    device device; // NULL: no library, or no answer
    int (*clock)(device, int kind, unsigned *mhz);
    int (*energy)(device, unsigned long long *millijoules);
    int (*power)(device, unsigned *milliwatts);
    int (*temperature)(device, int sensor, unsigned *celsius);
    int (*throttle)(device, unsigned long long *reasons);
    int (*fields)(device, int count, struct field *values);
    int volts; // 0: not asked yet, 1: there is an answer, -1: there is none
};
enum { CLOCK_SM = 1, CLOCK_MEM = 2 };

static double volts_ask(void) {
    FILE *f = popen("nvidia-smi -q -d VOLTAGE 2>/dev/null", "r");
    if (!f) return NAN;
    char line[256];
    double mv = NAN;
    while (fgets(line, sizeof line, f)) {
        const char *p = strstr(line, "Graphics");
        double v;
        if (p && (p = strchr(p, ':')) && sscanf(p + 1, "%lf", &v) == 1 && v > 0) mv = v;
    }
    pclose(f);
    return mv;
}

struct nvml *nvml_open(void) {
    struct nvml *n = need(calloc(1, sizeof *n));
    void *lib = getenv("MEASURE_NO_NVML") ? NULL : open_library("libnvidia-ml.so.1");
    if (!lib) return n;
    int (*init)(void);
    int (*by_index)(unsigned, device *);
    // A pointer to an object that dlsym answers becomes one to a function as POSIX says.
    *(void **)&init = dlsym(lib, "nvmlInit_v2");
    *(void **)&by_index = dlsym(lib, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&n->clock = dlsym(lib, "nvmlDeviceGetClockInfo");
    *(void **)&n->energy = dlsym(lib, "nvmlDeviceGetTotalEnergyConsumption");
    *(void **)&n->power = dlsym(lib, "nvmlDeviceGetPowerUsage");
    *(void **)&n->temperature = dlsym(lib, "nvmlDeviceGetTemperature");
    *(void **)&n->throttle = dlsym(lib, "nvmlDeviceGetCurrentClocksThrottleReasons");
    *(void **)&n->fields = dlsym(lib, "nvmlDeviceGetFieldValues");
    if (!init || !by_index || init() != 0 || by_index(0, &n->device) != 0) n->device = NULL;
    return n;
}

bool nvml_there(const struct nvml *n) { return n->device != NULL; }

static double field_watts(struct nvml *n, unsigned id, unsigned scope) {
    struct field f = {.id = id, .scope = scope};
    if (!n->fields || n->fields(n->device, 1, &f) != 0 || f.status != 0) return NAN;
    const double milliwatts = f.type == 0   ? f.value.real
                              : f.type == 1 ? f.value.whole
                                            : (double)f.value.wide;
    return milliwatts > 0 ? milliwatts * 1e-3 : NAN;
}

struct reading nvml_read(struct nvml *n) {
    struct reading r = {.watts = NAN,
                        .joules = NAN,
                        .celsius = NAN,
                        .instant_watts = NAN,
                        .memory_watts = NAN,
                        .core_mhz = NAN,
                        .memory_mhz = NAN};
    if (!n->device) return r;
    unsigned u;
    unsigned long long l;
    if (n->power && n->power(n->device, &u) == 0) r.watts = u * 1e-3;
    if (n->energy && n->energy(n->device, &l) == 0) r.joules = (double)l * 1e-3;
    if (n->temperature && n->temperature(n->device, 0, &u) == 0) r.celsius = u;
    if (n->clock && n->clock(n->device, CLOCK_SM, &u) == 0) r.core_mhz = u;
    if (n->clock && n->clock(n->device, CLOCK_MEM, &u) == 0) r.memory_mhz = u;
    if (n->throttle && n->throttle(n->device, &l) == 0) r.throttle = l;
    r.instant_watts = field_watts(n, FIELD_POWER_INSTANT, 0);
    r.memory_watts = field_watts(n, FIELD_POWER_AVERAGE, 2);
    return r;
}

// NVML has no public call for it.
double nvml_millivolts(struct nvml *n) {
    if (!n->device || n->volts < 0) return NAN;
    const double mv = volts_ask();
    n->volts = isnan(mv) ? -1 : 1;
    return mv;
}

void nvml_close(struct nvml *n) { free(n); }
