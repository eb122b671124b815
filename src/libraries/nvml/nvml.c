// libnvidia-ml.so.1: NVML, by which programs ask what a GPU is, draws and has drawn. One device, the simulated one; its facts
// and its energy come from the driver's library in the same process. Asking does not open the GPU.
//
// All times are simulated. Energy is that of all launches and copies that have ended; power and use are means since the
// question before (of the same kind), so that power times simulated time is energy, and stay as they are while no simulated
// time goes by. Of another process's work nothing is known.
//
// A call that is not here answers NVML_ERROR_NOT_SUPPORTED, as a board does that lacks a feature, and is named once
// (unanswered.def); what boards with this chip may lack answers so without a word.
// Statuses, enumerations and layouts: NVML's API reference, and nvidia-ml-py 12.575 (BSD).
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver_private.h"

enum {
    SUCCESS,
    UNINITIALIZED,
    INVALID_ARGUMENT,
    NOT_SUPPORTED,
    NO_PERMISSION,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    DRIVER_NOT_LOADED = 9,
    UNKNOWN = 999
};
enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEMORY, CLOCK_VIDEO, CLOCKS };

// 580 is the first branch of the driver with the version of CUDA that ours has (13.0).
static const char driver_version[] = "580.65.06", nvml_version[] = "13.580.65.06";

struct device {
    char unused;
};
static struct device the_device; // its address is the handle

static const struct ww_driver_table *the_driver;
static unsigned users; // calls of nvmlInit without their nvmlShutdown
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void find_driver(void) {
    CUresult (*table_of)(const void **table, const CUuuid *id) = NULL;
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *const symbol = library ? dlsym(library, "cuGetExportTable") : NULL;
    memcpy(&table_of, &symbol, sizeof symbol);
    const void *table = NULL;
    if (table_of && table_of(&table, &WW_DRIVER_TABLE) == CUDA_SUCCESS) the_driver = table;
}
static const struct ww_driver_table *driver(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_driver);
    return the_driver;
}

// Whether a call may go on; the device's facts where `facts` is given.
static int enter(const struct device *d, struct ww_device_facts *facts) {
    pthread_mutex_lock(&lock);
    const bool is_ready = users > 0;
    pthread_mutex_unlock(&lock);
    if (!is_ready) return UNINITIALIZED;
    if (d != &the_device) return INVALID_ARGUMENT;
    return !facts || driver()->facts(facts) ? SUCCESS : UNKNOWN;
}

#define API(name, ...)                                                                             \
    __attribute__((visibility("default"))) int name(__VA_ARGS__);                                  \
    int name(__VA_ARGS__)
// Opens a call on a device: arguments that must not be NULL follow.
#define ENTER(d, facts, ...)                                                                       \
    const void *const needed_[] = {__VA_ARGS__};                                                   \
    const int entered_ = enter(d, facts);                                                          \
    if (entered_ != SUCCESS) return entered_;                                                      \
    for (size_t i_ = 0; i_ < sizeof needed_ / sizeof *needed_; i_++)                               \
        if (!needed_[i_]) return INVALID_ARGUMENT;

static int text(char *out, unsigned room, const char *words) {
    if (!out) return INVALID_ARGUMENT;
    if (strlen(words) >= room) return INSUFFICIENT_SIZE;
    strcpy(out, words);
    return SUCCESS;
}

// ---- the library --------------------------------------------------------------------------------
API(nvmlInit_v2, void) {
    if (!driver()) return DRIVER_NOT_LOADED;
    struct ww_device_facts facts;
    if (!driver()->facts(&facts)) return DRIVER_NOT_LOADED;
    pthread_mutex_lock(&lock);
    users++;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}
API(nvmlInit, void) { return nvmlInit_v2(); }
API(nvmlInitWithFlags, unsigned flags) {
    (void)flags;
    return nvmlInit_v2();
}
API(nvmlShutdown, void) {
    pthread_mutex_lock(&lock);
    const bool is_ready = users > 0;
    if (is_ready) users--;
    pthread_mutex_unlock(&lock);
    return is_ready ? SUCCESS : UNINITIALIZED;
}
__attribute__((visibility("default"))) const char *nvmlErrorString(int status);
const char *nvmlErrorString(int status) {
    switch (status) {
    case SUCCESS: return "Success";
    case UNINITIALIZED: return "Uninitialized";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case NOT_SUPPORTED: return "Not Supported";
    case NO_PERMISSION: return "Insufficient Permissions";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    case DRIVER_NOT_LOADED: return "Driver Not Loaded";
    default: return "Unknown Error";
    }
}
API(nvmlSystemGetDriverVersion, char *out, unsigned room) {
    return text(out, room, driver_version);
}
API(nvmlSystemGetNVMLVersion, char *out, unsigned room) { return text(out, room, nvml_version); }
API(nvmlSystemGetCudaDriverVersion, int *version) {
    if (!version) return INVALID_ARGUMENT;
    CUresult (*ask)(int *) = NULL;
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *const symbol = library ? dlsym(library, "cuDriverGetVersion") : NULL;
    memcpy(&ask, &symbol, sizeof symbol);
    return ask && ask(version) == CUDA_SUCCESS ? SUCCESS : UNKNOWN;
}
API(nvmlSystemGetCudaDriverVersion_v2, int *version) {
    return nvmlSystemGetCudaDriverVersion(version);
}
API(nvmlSystemGetProcessName, unsigned pid, char *out, unsigned room) {
    char path[64], name[256] = "";
    snprintf(path, sizeof path, "/proc/%u/exe", pid);
    const ssize_t n = readlink(path, name, sizeof name - 1);
    if (n <= 0) return NOT_FOUND;
    name[n] = 0;
    return text(out, room, name);
}
API(nvmlUnitGetCount, unsigned *count) { // racks of the S class
    if (!count) return INVALID_ARGUMENT;
    *count = 0;
    return SUCCESS;
}

// ---- which device -------------------------------------------------------------------------------
API(nvmlDeviceGetCount_v2, unsigned *count) {
    ENTER(&the_device, NULL, count)
    *count = 1;
    return SUCCESS;
}
API(nvmlDeviceGetCount, unsigned *count) { return nvmlDeviceGetCount_v2(count); }
API(nvmlDeviceGetHandleByIndex_v2, unsigned index, struct device **out) {
    ENTER(&the_device, NULL, out)
    if (index) return INVALID_ARGUMENT;
    *out = &the_device;
    return SUCCESS;
}
API(nvmlDeviceGetHandleByIndex, unsigned index, struct device **out) {
    return nvmlDeviceGetHandleByIndex_v2(index, out);
}
static void uuid_text(const struct ww_device_facts *f, char out[64]) {
    const unsigned char *const u = f->uuid;
    snprintf(out, 64, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
             u[14], u[15]);
}
API(nvmlDeviceGetHandleByUUID, const char *uuid, struct device **out) {
    struct ww_device_facts f;
    ENTER(&the_device, &f, uuid, out)
    char own[64];
    uuid_text(&f, own);
    if (strcmp(uuid, own) != 0) return NOT_FOUND;
    *out = &the_device;
    return SUCCESS;
}
// With a domain of four digits or of eight.
API(nvmlDeviceGetHandleByPciBusId_v2, const char *id, struct device **out) {
    struct ww_device_facts f;
    ENTER(&the_device, &f, id, out)
    if (strlen(id) == strlen(f.bus_id) + 4 && strncmp(id, "0000", 4) == 0) id += 4;
    if (strcmp(id, f.bus_id) != 0) return NOT_FOUND;
    *out = &the_device;
    return SUCCESS;
}
API(nvmlDeviceGetHandleByPciBusId, const char *id, struct device **out) {
    return nvmlDeviceGetHandleByPciBusId_v2(id, out);
}
API(nvmlDeviceGetIndex, struct device *d, unsigned *index) {
    ENTER(d, NULL, index)
    *index = 0;
    return SUCCESS;
}
API(nvmlDeviceGetMinorNumber, struct device *d, unsigned *number) {
    return nvmlDeviceGetIndex(d, number);
}
// Of the one device with itself, which NCCL asks for first: it reads its own memory, so the status is OK (0).
API(nvmlDeviceGetP2PStatus, struct device *d, struct device *other, int capability, int *status) {
    ENTER(d, NULL, status)
    if (other != d || capability < 0) return INVALID_ARGUMENT;
    *status = 0;
    return SUCCESS;
}
API(nvmlDeviceGetBoardId, struct device *d, unsigned *id) { return nvmlDeviceGetIndex(d, id); }
API(nvmlDeviceGetMultiGpuBoard, struct device *d, unsigned *several) {
    return nvmlDeviceGetIndex(d, several);
}
API(nvmlDeviceGetName, struct device *d, char *name, unsigned room) {
    struct ww_device_facts f;
    ENTER(d, &f, name)
    return text(name, room, f.name);
}
API(nvmlDeviceGetUUID, struct device *d, char *uuid, unsigned room) {
    struct ww_device_facts f;
    ENTER(d, &f, uuid)
    char own[64];
    uuid_text(&f, own);
    return text(uuid, room, own);
}

struct pci_2 {
    char id[16];
    unsigned domain, bus, device, device_id, subsystem_id, reserved[4];
};
struct pci_3 {
    char id_short[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char id[32];
};
API(nvmlDeviceGetPciInfo_v3, struct device *d, struct pci_3 *out) {
    struct ww_device_facts f;
    ENTER(d, &f, out)
    memset(out, 0, sizeof *out);
    snprintf(out->id_short, sizeof out->id_short, "%s", f.bus_id);
    snprintf(out->id, sizeof out->id, "0000%s", f.bus_id);
    sscanf(f.bus_id, "%x:%x:%x", &out->domain, &out->bus, &out->device);
    out->device_id = 0x10de; // the vendor; the board's own part is not known
    return SUCCESS;
}
API(nvmlDeviceGetPciInfo_v2, struct device *d, struct pci_2 *out) {
    struct pci_3 p = {.domain = 0};
    ENTER(d, NULL, out)
    nvmlDeviceGetPciInfo_v3(d, &p);
    *out = (struct pci_2){
        .domain = p.domain, .bus = p.bus, .device = p.device, .device_id = p.device_id};
    memcpy(out->id, p.id_short, sizeof out->id);
    return SUCCESS;
}
API(nvmlDeviceGetPciInfo, struct device *d, struct pci_2 *out) {
    return nvmlDeviceGetPciInfo_v2(d, out);
}

API(nvmlDeviceGetCudaComputeCapability, struct device *d, int *major, int *minor) {
    struct ww_device_facts f;
    ENTER(d, &f, major, minor)
    *major = (int)f.cc_major;
    *minor = (int)f.cc_minor;
    return SUCCESS;
}
// By compute capability: number of the architecture (3 Maxwell to 10 Blackwell), FP32 lanes an SM (CUDA C++ Programming
// Guide, arithmetic instructions).
static const struct {
    unsigned cc, architecture, lanes;
} generations[] = {{30, 2, 192}, {50, 3, 128}, {60, 4, 64},   {61, 4, 128},
                   {70, 5, 64},  {75, 6, 64},  {80, 7, 64},   {86, 7, 128},
                   {89, 8, 128}, {90, 9, 128}, {100, 10, 128}};
API(nvmlDeviceGetArchitecture, struct device *d, unsigned *architecture) {
    struct ww_device_facts f;
    ENTER(d, &f, architecture)
    *architecture = 0xffffffff; // older than any that has a number
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (10 * f.cc_major + f.cc_minor >= generations[i].cc)
            *architecture = generations[i].architecture;
    return SUCCESS;
}
API(nvmlDeviceGetNumGpuCores, struct device *d, unsigned *cores) {
    struct ww_device_facts f;
    ENTER(d, &f, cores)
    unsigned lanes = 32;
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (10 * f.cc_major + f.cc_minor >= generations[i].cc) lanes = generations[i].lanes;
    *cores = f.sms * lanes;
    return SUCCESS;
}
API(nvmlDeviceGetBrand, struct device *d, int *brand) {
    static const struct {
        const char *word;
        int brand;
    } brands[] = {{"Quadro", 1}, {"Tesla", 2}, {"GeForce", 5}, {"TITAN", 6}};
    struct ww_device_facts f;
    ENTER(d, &f, brand)
    *brand = 14; // NVIDIA
    for (size_t i = 0; i < sizeof brands / sizeof *brands; i++)
        if (strstr(f.name, brands[i].word)) *brand = brands[i].brand;
    return SUCCESS;
}

// ---- memory -------------------------------------------------------------------------------------
struct memory {
    unsigned long long total, free, used;
};
struct memory_2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
API(nvmlDeviceGetMemoryInfo, struct device *d, struct memory *out) {
    struct ww_device_facts f;
    ENTER(d, &f, out)
    *out = (struct memory){f.memory_bytes, f.memory_bytes - f.used_bytes, f.used_bytes};
    return SUCCESS;
}
API(nvmlDeviceGetMemoryInfo_v2, struct device *d, struct memory_2 *out) {
    struct memory m;
    ENTER(d, NULL, out)
    const int s = nvmlDeviceGetMemoryInfo(d, &m);
    if (s == SUCCESS) *out = (struct memory_2){out->version, m.total, 0, m.free, m.used};
    return s;
}
API(nvmlDeviceGetMemoryBusWidth, struct device *d, unsigned *bits) {
    struct ww_device_facts f;
    ENTER(d, &f, bits)
    *bits = f.bus_bits;
    return SUCCESS;
}

struct process_1 {
    unsigned pid;
    unsigned long long used;
};
struct process_2 {
    unsigned pid;
    unsigned long long used;
    unsigned instance, compute_instance;
};
// This process, once it has the GPU open.
static int processes(struct device *d, unsigned *count, void *list, size_t size) {
    struct ww_device_facts f;
    ENTER(d, &f, count)
    const unsigned room = *count;
    *count = f.is_open ? 1 : 0;
    if (room < *count) return INSUFFICIENT_SIZE;
    const struct process_2 p = {(unsigned)getpid(), f.used_bytes, 0xffffffff, 0xffffffff};
    if (*count && list) memcpy(list, &p, size);
    return SUCCESS;
}
API(nvmlDeviceGetComputeRunningProcesses, struct device *d, unsigned *n, struct process_1 *list) {
    return processes(d, n, list, sizeof *list);
}
API(nvmlDeviceGetComputeRunningProcesses_v2, struct device *d, unsigned *n,
    struct process_2 *list) {
    return processes(d, n, list, sizeof *list);
}
API(nvmlDeviceGetComputeRunningProcesses_v3, struct device *d, unsigned *n,
    struct process_2 *list) {
    return processes(d, n, list, sizeof *list);
}
static int none(struct device *d, unsigned *count) {
    ENTER(d, NULL, count)
    *count = 0;
    return SUCCESS;
}
#define NONE(name)                                                                                 \
    API(name, struct device *d, unsigned *n, void *list) {                                         \
        (void)list;                                                                                \
        return none(d, n);                                                                         \
    }
NONE(nvmlDeviceGetGraphicsRunningProcesses)
NONE(nvmlDeviceGetGraphicsRunningProcesses_v2)
NONE(nvmlDeviceGetGraphicsRunningProcesses_v3)
NONE(nvmlDeviceGetMPSComputeRunningProcesses)
NONE(nvmlDeviceGetMPSComputeRunningProcesses_v2)
NONE(nvmlDeviceGetMPSComputeRunningProcesses_v3)

// ---- clocks -------------------------------------------------------------------------------------
API(nvmlDeviceGetClockInfo, struct device *d, int clock, unsigned *mhz) {
    struct ww_device_facts f;
    ENTER(d, &f, mhz)
    if (clock < 0 || clock >= CLOCKS) return INVALID_ARGUMENT;
    *mhz = (unsigned)((clock == CLOCK_MEMORY ? f.memory_mhz : f.core_mhz) + 0.5);
    return SUCCESS;
}
API(nvmlDeviceGetMaxClockInfo, struct device *d, int clock, unsigned *mhz) {
    return nvmlDeviceGetClockInfo(d, clock, mhz);
}
API(nvmlDeviceGetApplicationsClock, struct device *d, int clock, unsigned *mhz) {
    return nvmlDeviceGetClockInfo(d, clock, mhz);
}
API(nvmlDeviceGetDefaultApplicationsClock, struct device *d, int clock, unsigned *mhz) {
    return nvmlDeviceGetClockInfo(d, clock, mhz);
}
API(nvmlDeviceGetMaxCustomerBoostClock, struct device *d, int clock, unsigned *mhz) {
    return nvmlDeviceGetClockInfo(d, clock, mhz);
}
API(nvmlDeviceGetClock, struct device *d, int clock, int which, unsigned *mhz) {
    (void)which; // the clock of a run does not change
    return nvmlDeviceGetClockInfo(d, clock, mhz);
}
API(nvmlDeviceGetSupportedMemoryClocks, struct device *d, unsigned *count, unsigned *mhz) {
    ENTER(d, NULL, count)
    const unsigned room = *count;
    *count = 1;
    return room < 1 || !mhz ? INSUFFICIENT_SIZE : nvmlDeviceGetClockInfo(d, CLOCK_MEMORY, mhz);
}
// Those that the board's power limit chooses from (board.clock_least, board.clock_step), highest first.
API(nvmlDeviceGetSupportedGraphicsClocks, struct device *d, unsigned memory, unsigned *count,
    unsigned *mhz) {
    struct ww_device_facts f;
    (void)memory;
    ENTER(d, &f, count)
    const unsigned room = *count;
    const double below = f.core_mhz - f.clock_least_mhz;
    const unsigned n =
        1 + (below > 0 && f.clock_step_mhz > 0 ? (unsigned)(below / f.clock_step_mhz) : 0);
    *count = n;
    if (room < n || !mhz) return INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < n; i++) mhz[i] = (unsigned)(f.core_mhz - i * f.clock_step_mhz + 0.5);
    return SUCCESS;
}

// ---- power, energy, use -------------------------------------------------------------------------
// The energy at the question before, and the mean that was answered then.
struct since {
    struct ww_device_energy at;
    double mean[2];
    bool is_known;
};

// Whether simulated time has gone by since `s`; `now` is kept for the next question.
static bool goes_on(struct since *s, struct ww_device_energy *from, struct ww_device_energy *now) {
    *from = s->at;
    if (!driver()->energy(now)) memset(now, 0, sizeof *now);
    const bool has = now->seconds > from->seconds;
    if (has) s->at = *now;
    return has;
}

static double power_w(void) {
    static struct since s;
    struct ww_device_energy from, now;
    pthread_mutex_lock(&lock);
    if (goes_on(&s, &from, &now)) {
        s.mean[0] = (now.joules - from.joules) / (now.seconds - from.seconds);
        s.is_known = true;
    } else if (!s.is_known) {
        s.mean[0] = now.idle_w;
    }
    const double w = s.mean[0];
    pthread_mutex_unlock(&lock);
    return w;
}
static double energy_j(void) {
    struct ww_device_energy e;
    return driver()->energy(&e) ? e.joules : 0;
}

API(nvmlDeviceGetPowerUsage, struct device *d, unsigned *milliwatts) {
    ENTER(d, NULL, milliwatts)
    *milliwatts = (unsigned)(1e3 * power_w() + 0.5);
    return SUCCESS;
}
API(nvmlDeviceGetTotalEnergyConsumption, struct device *d, unsigned long long *millijoules) {
    ENTER(d, NULL, millijoules)
    *millijoules = (unsigned long long)(1e3 * energy_j() + 0.5);
    return SUCCESS;
}
struct utilization {
    unsigned gpu, memory;
};
API(nvmlDeviceGetUtilizationRates, struct device *d, struct utilization *out) {
    static struct since s;
    struct ww_device_energy from, now;
    ENTER(d, NULL, out)
    pthread_mutex_lock(&lock);
    if (goes_on(&s, &from, &now)) {
        const double seconds = now.seconds - from.seconds;
        s.mean[0] = (now.kernel_s - from.kernel_s) / seconds;
        s.mean[1] = (now.dram_s - from.dram_s) / seconds;
    }
    *out =
        (struct utilization){(unsigned)(100 * s.mean[0] + 0.5), (unsigned)(100 * s.mean[1] + 0.5)};
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}
static int limit(struct device *d, unsigned *milliwatts) {
    struct ww_device_facts f;
    ENTER(d, &f, milliwatts)
    *milliwatts = (unsigned)(1e3 * f.limit_w + 0.5);
    return SUCCESS;
}
API(nvmlDeviceGetPowerManagementLimit, struct device *d, unsigned *mw) { return limit(d, mw); }
API(nvmlDeviceGetPowerManagementDefaultLimit, struct device *d, unsigned *mw) {
    return limit(d, mw);
}
API(nvmlDeviceGetEnforcedPowerLimit, struct device *d, unsigned *mw) { return limit(d, mw); }
API(nvmlDeviceGetPowerManagementLimitConstraints, struct device *d, unsigned *least,
    unsigned *most) {
    ENTER(d, NULL, least, most)
    limit(d, least); // it is set when the run starts (-s board.power_limit)
    return limit(d, most);
}
API(nvmlDeviceGetPowerManagementMode, struct device *d, unsigned *is_on) {
    ENTER(d, NULL, is_on)
    *is_on = 1;
    return SUCCESS;
}
// The junction's, which the model takes for constant (tech.temperature_k).
API(nvmlDeviceGetTemperature, struct device *d, int sensor, unsigned *celsius) {
    struct ww_device_facts f;
    ENTER(d, &f, celsius)
    if (sensor != 0) return INVALID_ARGUMENT;
    *celsius = (unsigned)(f.temperature_c + 0.5);
    return SUCCESS;
}
struct temperature {
    unsigned version;
    int sensor, celsius;
};
API(nvmlDeviceGetTemperatureV, struct device *d, struct temperature *t) {
    unsigned celsius;
    ENTER(d, NULL, t)
    const int s = nvmlDeviceGetTemperature(d, t->sensor, &celsius);
    if (s == SUCCESS) t->celsius = (int)celsius;
    return s;
}

struct field {
    unsigned id, scope;
    long long timestamp, latency_us;
    int type, status;
    union {
        double real;
        unsigned whole;
        unsigned long long large;
    } value;
};
// Values by number: energy (83), mean and present power (185, 186), limits (187 to 190, 192).
API(nvmlDeviceGetFieldValues, struct device *d, int count, struct field *f) {
    ENTER(d, NULL, f)
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    for (int i = 0; i < count; i++) {
        unsigned mw = 0;
        f[i].timestamp = (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
        f[i].latency_us = 0;
        f[i].type = 1; // unsigned
        f[i].status = SUCCESS;
        f[i].value.large = 0;
        switch (f[i].id) {
        case 83:
            f[i].type = 3; // unsigned long long
            f[i].value.large = (unsigned long long)(1e3 * energy_j() + 0.5);
            break;
        case 185:
        case 186: f[i].value.whole = (unsigned)(1e3 * power_w() + 0.5); break;
        case 187:
        case 188:
        case 189:
        case 190:
        case 192:
            limit(d, &mw);
            f[i].value.whole = mw;
            break;
        default: f[i].status = NOT_SUPPORTED; break;
        }
    }
    return SUCCESS;
}

// ---- how it is set ------------------------------------------------------------------------------
#define CONSTANT(name, value)                                                                      \
    API(name, struct device *d, unsigned *out) {                                                   \
        ENTER(d, NULL, out)                                                                        \
        *out = value;                                                                              \
        return SUCCESS;                                                                            \
    }
CONSTANT(nvmlDeviceGetPerformanceState, 0) // P0, the highest
CONSTANT(nvmlDeviceGetPowerState, 0)
CONSTANT(nvmlDeviceGetComputeMode, 0) // any number of processes
CONSTANT(nvmlDeviceGetPersistenceMode, 1)
CONSTANT(nvmlDeviceGetDisplayMode, 0)
CONSTANT(nvmlDeviceGetDisplayActive, 0)
CONSTANT(nvmlDeviceGetVirtualizationMode, 0)
API(nvmlDeviceGetCurrentClocksThrottleReasons, struct device *d, unsigned long long *reasons) {
    ENTER(d, NULL, reasons)
    *reasons = 0;
    return SUCCESS;
}
API(nvmlDeviceGetCurrentClocksEventReasons, struct device *d, unsigned long long *reasons) {
    return nvmlDeviceGetCurrentClocksThrottleReasons(d, reasons);
}

// Features that boards have or lack: programs ask, and go on. Without a word.
#define LACKS(name)                                                                                \
    API(name, void) { return NOT_SUPPORTED; }
LACKS(nvmlDeviceGetFanSpeed)
LACKS(nvmlDeviceGetFanSpeed_v2)
LACKS(nvmlDeviceGetNumFans)
LACKS(nvmlDeviceGetEccMode)
LACKS(nvmlDeviceGetTotalEccErrors)
LACKS(nvmlDeviceGetMigMode)
LACKS(nvmlDeviceGetSerial)
LACKS(nvmlDeviceGetTemperatureThreshold)
LACKS(nvmlDeviceGetEncoderUtilization)
LACKS(nvmlDeviceGetDecoderUtilization)
LACKS(nvmlDeviceGetBAR1MemoryInfo)
LACKS(nvmlDeviceGetPcieThroughput)
LACKS(nvmlDeviceGetCurrPcieLinkGeneration)
LACKS(nvmlDeviceGetCurrPcieLinkWidth)
LACKS(nvmlDeviceGetMaxPcieLinkGeneration)
LACKS(nvmlDeviceGetMaxPcieLinkWidth)
LACKS(nvmlDeviceGetNvLinkState)
LACKS(nvmlDeviceGetMaxMigDeviceCount)
LACKS(nvmlDeviceIsMigDeviceHandle)

static int unanswered(const char *call) {
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "%s of NVML is not there: it answers NVML_ERROR_NOT_SUPPORTED", call);
    if (driver()) driver()->said(call, sentence);
    return NOT_SUPPORTED;
}
#define UNANSWERED(name)                                                                           \
    API(name, void) { return unanswered(#name); }
#include "unanswered.def"
