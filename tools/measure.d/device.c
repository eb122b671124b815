// Part `device`: what the GPU is. Attributes by the driver, and the board's own words where a tool
// prints them.
#include "parts.h"

#include <stdlib.h>
#include <string.h>

static void row(struct sheet *s, const char *name, int64_t value, const char *unit) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    sheet_text(s, name);
    sheet_text(s, text);
    sheet_text(s, unit);
    sheet_end(s);
}

static void say(struct sheet *s, const char *name, const char *value) {
    sheet_text(s, name);
    sheet_text(s, value);
    sheet_none(s);
    sheet_end(s);
}

// What nvidia-smi says, asked and never told: clocks, limits and their reasons.
static void ask_board(struct sheet *s) {
    FILE *f =
        getenv("MEASURE_NO_NVML")
            ? NULL
            : popen("nvidia-smi -q -d CLOCK,POWER,TEMPERATURE,ECC,VOLTAGE,PERFORMANCE 2>/dev/null",
                    "r");
    if (!f) return;
    char line[512], section[128] = "";
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *colon = strstr(line, " : ");
        char *name = line + strspn(line, " ");
        size_t n = colon ? (size_t)(colon - name) : strlen(name);
        while (n && name[n - 1] == ' ') n--;
        if (!n) continue;
        name[n] = 0;
        if (!colon) {
            snprintf(section, sizeof section, "%.100s", name);
            continue;
        }
        char full[300];
        snprintf(full, sizeof full, "board: %s: %.100s", section, name);
        say(s, full, colon + 3);
    }
    pclose(f);
}

void device_run(struct kit *k) {
    static const struct {
        CUdevice_attribute which;
        const char *name, *unit;
    } rows[] = {
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "multiprocessors", ""},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, "core clock", "kHz"},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, "memory clock", "kHz"},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, "memory bus", "bit"},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, "L2 cache", "byte"},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, "threads of a block", ""},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, "threads of a multiprocessor", ""},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, "blocks of a multiprocessor", ""},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, "registers of a multiprocessor", ""},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, "registers of a block", ""},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
         "shared memory of a multiprocessor", "byte"},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, "shared memory of a block", "byte"},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
         "shared memory of a block that asks", "byte"},
        {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, "shared memory reserved a block",
         "byte"},
        {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, "constant memory", "byte"},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, "lanes of a warp", ""},
        {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, "ECC", ""},
        {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, "copy engines", ""},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, "global loads cached in L1", ""},
        {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, "f32 rate to f64 rate", ""},
        {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, "cooperative launch", ""},
    };
    struct gpu *g = &k->gpu;
    struct sheet s = sheet_open(k, "device");
    say(&s, "name", g->name);
    char text[64] = "";
    snprintf(text, sizeof text, "%d.%d", g->capability / 10, g->capability % 10);
    say(&s, "compute capability", text);
    snprintf(text, sizeof text, "CUDA %d.%d", g->driver / 1000, g->driver % 1000 / 10);
    say(&s, "driver", text);
    size_t total = 0, free_bytes = 0;
    GPU(g, cuDeviceTotalMem, &total, g->device);
    GPU(g, cuMemGetInfo, &free_bytes, &total);
    row(&s, "memory", (int64_t)total, "byte");
    row(&s, "memory free", (int64_t)free_bytes, "byte");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        row(&s, rows[i].name, gpu_attribute(g, rows[i].which), rows[i].unit);
    // Clock and wall time side by side, host's and GPU's, come with part `latency` (its globaltimer
    // rows).
    ask_board(&s);
    sheet_close(&s);
}
