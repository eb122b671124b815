// What a machine's GPU is, and what a program costs there. Needs the driver's libcuda.so.1; asks the
// vendor's management library (NVML, libnvidia-ml.so.1) when there is one.
//
//   gpu-info                 one line of CSV: device,compute_capability,driver,core_mhz,memory_mhz
//   gpu-info -- COMMAND ...  runs it; one line of CSV: exit code, seconds, joules (empty: not known)
//
// Joules are the board's from start to end of the program, its host's work and copies included: the
// counter of the management library moves in steps of tens of milliseconds, too coarse for a kernel.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda.h"

// NVML's public interface, as far as it is asked here: all functions answer 0 when they worked.
typedef void *nvml_device;
struct nvml {
    nvml_device device; // NULL: no library, or no answer
    int (*clock)(nvml_device, int kind, unsigned *mhz);
    int (*energy)(nvml_device, unsigned long long *millijoules);
    int (*driver)(char *text, unsigned room);
};
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };

static struct nvml nvml_open(void) {
    struct nvml n = {0};
    void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!lib) return n;
    int (*init)(void);
    int (*by_index)(unsigned, nvml_device *);
    // A pointer to an object that dlsym answers becomes one to a function as POSIX says.
    *(void **)&init = dlsym(lib, "nvmlInit_v2");
    *(void **)&by_index = dlsym(lib, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&n.clock = dlsym(lib, "nvmlDeviceGetClockInfo");
    *(void **)&n.energy = dlsym(lib, "nvmlDeviceGetTotalEnergyConsumption");
    *(void **)&n.driver = dlsym(lib, "nvmlSystemGetDriverVersion");
    if (!init || !by_index || init() != 0 || by_index(0, &n.device) != 0) n.device = NULL;
    return n;
}

static void check(CUresult r, const char *what) {
    if (r == CUDA_SUCCESS) return;
    const char *name = NULL;
    if (cuGetErrorName(r, &name) != CUDA_SUCCESS || !name) name = "an unknown error";
    fprintf(stderr, "gpu-info: %s failed with %s (%d)\n", what, name, (int)r);
    exit(1);
}

static int attribute(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    check(cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
    return value;
}

static int describe(void) {
    CUdevice device;
    char name[128] = "", driver[96] = "";
    int version = 0;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
    check(cuDriverGetVersion(&version), "cuDriverGetVersion");
    for (char *p = name; *p; p++)
        if (*p == ',' || *p == '"') *p = ' ';
    unsigned core = (unsigned)attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
    unsigned memory = (unsigned)attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1000;
    const struct nvml n = nvml_open();
    if (n.device) {
        unsigned mhz;
        if (n.clock && n.clock(n.device, NVML_CLOCK_SM, &mhz) == 0) core = mhz;
        if (n.clock && n.clock(n.device, NVML_CLOCK_MEM, &mhz) == 0) memory = mhz;
        if (n.driver && n.driver(driver, sizeof driver) != 0) driver[0] = 0;
    }
    printf("%s,%d.%d,%s%sCUDA %d.%d,%u,%u\n", name,
           attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
           attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), driver,
           driver[0] ? " " : "", version / 1000, version % 1000 / 10, core, memory);
    return 0;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int measure(char **command) {
    const struct nvml n = nvml_open();
    unsigned long long before = 0, after = 0;
    const int has = n.device && n.energy && n.energy(n.device, &before) == 0;
    const double start = seconds();
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(2, 1); // the command's words must not mix with the line of CSV
        execvp(command[0], command);
        fprintf(stderr, "gpu-info: cannot run %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        fprintf(stderr, "gpu-info: cannot start a process: %s\n", strerror(errno));
        return 1;
    }
    const double took = seconds() - start;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    printf("%d,%.3f,", code, took);
    if (has && n.energy(n.device, &after) == 0) printf("%.3f", (double)(after - before) * 1e-3);
    putchar('\n');
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 1) return describe();
    if (argc > 2 && strcmp(argv[1], "--") == 0) return measure(argv + 2);
    fprintf(stderr, "usage: gpu-info [-- COMMAND ...]\n");
    return 2;
}
