// Part `power`: watts of the board while one thing is kept up, beside clocks, temperature and
// voltage.
//
// Nothing of the board is ever set. A condition is launched for its whole time in advance, in
// pieces of some tens of milliseconds, while the host reads the meters; the first part of the time
// is left out of the means, as boards average over up to a second. Where the board throttles, its
// mask of reasons and its clock say so.
#include "power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hopper.h"
#include "memory.h"
#include "rates.h"

static const struct {
    struct rate rate;
    int sweep, operations;
} rows[] = {
#define POWER(name, statement, size, needs, sweep, operations)                                     \
    {{name, statement, size, needs, 0}, sweep, operations},
#include "power.def"
#undef POWER
};
enum { ROWS = sizeof rows / sizeof *rows };

void power_kernels(struct kernels *list) {
    list->part = "power";
    list->chunk = 8;
    for (unsigned i = 0; i < ROWS; i++) rates_sustained(list, &rows[i].rate);
}

struct condition {
    const char *name, *data;
    unsigned lanes, sms, warps_per_sm;
    CUfunction function; // NULL: nothing runs
    struct launch launch;
    void *arguments[8];
    unsigned *loops; // the argument that makes a launch longer
    double each;     // operations (or bytes) of a launch for each of its loops
    const char *unit;
};

struct meter {
    struct kit *k;
    struct sheet s, trace;
    double seconds; // of a condition
    double start;
    double leave; // to leave out of the means
};

static void nap(double seconds) {
    const long ns = (long)(seconds * 1e9);
    nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
}

static CUresult start(struct gpu *g, const struct condition *c) {
    return g->cuLaunchKernel(c->function, c->launch.grid, 1, 1, c->launch.block, 1, 1,
                             c->launch.shared, NULL, (void **)(uintptr_t)c->arguments, NULL);
}

struct sums {
    double watts, instant, memory_watts, core, memory, celsius;
    unsigned n, instants, memories;
    uint64_t throttle;
};

static void sample(struct meter *m, const char *name, double at, struct sums *sum) {
    const struct reading r = nvml_read(m->k->nvml);
    struct sheet *t = &m->trace;
    sheet_text(t, name);
    sheet_real(t, round(at * 1e4) / 1e4);
    sheet_real(t, r.watts);
    sheet_real(t, r.instant_watts);
    sheet_real(t, r.memory_watts);
    sheet_real(t, r.core_mhz);
    sheet_real(t, r.celsius);
    sheet_hex(t, r.throttle, 1);
    sheet_end(t);
    if (!sum) return;
    sum->n++;
    sum->watts += r.watts, sum->core += r.core_mhz, sum->memory += r.memory_mhz,
        sum->celsius += r.celsius;
    if (!isnan(r.instant_watts)) sum->instant += r.instant_watts, sum->instants++;
    if (!isnan(r.memory_watts)) sum->memory_watts += r.memory_watts, sum->memories++;
    sum->throttle |= r.throttle;
}

static void hold(struct meter *m, struct condition *c) {
    struct gpu *g = &m->k->gpu;
    if (kit_over(m->k, m->seconds + 1)) return;
    double rate = 0, took = 0;
    unsigned launches = 0;
    if (c->function) {
        // How long is a launch? Then as many loops as 30 ms need, and launches for the whole time.
        *c->loops = kit_pick(m->k, 64, 1);
        double ms = gpu_time(g, c->function, c->launch, c->arguments);
        if (ms >= 0) ms = gpu_time(g, c->function, c->launch, c->arguments);
        if (ms < 0) return;
        if (m->k->scale) {
            const double want = *c->loops * 30 / (ms > 1e-3 ? ms : 1e-3);
            *c->loops = want < 1 ? 1 : want > 1e8 ? 100000000 : (unsigned)want;
            ms = gpu_time(g, c->function, c->launch, c->arguments);
            if (ms <= 0) return;
        }
        launches = m->k->scale ? (unsigned)(m->seconds * 1e3 / ms) + 1 : 2;
        if (launches > 1000) launches = 1000;
        for (unsigned i = 0; i < launches; i++) gpu_check(g, start(g, c), "cuLaunchKernel");
    }
    const double from = seconds_now();
    struct sums sum = {0};
    double first_joules = NAN, first_at = 0, last_joules = NAN, last_at = 0;
    for (;;) {
        const double at = seconds_now() - from;
        const bool over =
            c->function ? g->cuStreamQuery(NULL) != CUDA_ERROR_NOT_READY : at >= m->seconds;
        if (over && sum.n) break;
        const bool counts = at >= m->leave || over;
        sample(m, c->name, from + at - m->start, counts ? &sum : NULL);
        if (counts) {
            last_joules = nvml_read(m->k->nvml).joules;
            last_at = seconds_now();
            if (isnan(first_joules)) first_joules = last_joules, first_at = last_at;
        }
        if (over) break;
        nap(m->k->scale ? 0.02 : 0.002);
    }
    GPU(g, cuCtxSynchronize, );
    took = seconds_now() - from;
    if (c->function) rate = c->each * *c->loops * launches / took;
    struct sheet *s = &m->s;
    sheet_text(s, c->name);
    sheet_text(s, c->data);
    sheet_int(s, c->lanes);
    sheet_int(s, c->sms);
    sheet_int(s, c->warps_per_sm);
    sheet_real(s, took);
    sheet_real(s, sum.watts / sum.n);
    sheet_real(s, sum.instants ? sum.instant / sum.instants : NAN);
    sheet_real(s, last_at - first_at > 0.3 ? (last_joules - first_joules) / (last_at - first_at)
                                           : NAN);
    sheet_real(s, sum.memories ? sum.memory_watts / sum.memories : NAN);
    sheet_real(s, sum.core / sum.n);
    sheet_real(s, sum.memory / sum.n);
    sheet_real(s, sum.celsius / sum.n);
    sheet_hex(s, sum.throttle, 1);
    sheet_real(s, nvml_millivolts(m->k->nvml));
    sheet_real(s, rate);
    sheet_text(s, c->unit);
    sheet_end(s);
}

// As many threads as one block can have of a kernel with its registers, in fours of warps.
static unsigned most_threads(struct gpu *g, CUfunction f) {
    int registers = 64;
    g->cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f);
    unsigned threads = 1024;
    while (threads > 128 && (unsigned)(registers + 7) / 8 * 8 * threads > 65536) threads /= 2;
    return threads;
}

static void idle(struct meter *m, const char *when) {
    struct condition c = {.name = "idle", .data = when, .unit = "nothing"};
    hold(m, &c);
}

void power_run(struct kit *k) {
    struct gpu *g = &k->gpu;
    struct meter m = {.k = k,
                      .s = sheet_open(k, "power"),
                      .trace = sheet_open(k, "power-trace"),
                      .seconds = k->scale ? 1.4 : 0.01,
                      .leave = k->scale ? 0.6 : 0,
                      .start = seconds_now()};
    idle(&m, "context made");
    struct kernels list = {0}, streams = {0}, hopper = {0};
    power_kernels(&list);
    kernels_load(k, &list);
    const CUdeviceptr out = gpu_alloc(g, 4096), memory = gpu_alloc(g, 65536);
    const unsigned sms = (unsigned)g->sms;
    // The longest first: what a card can draw at all, on random numbers and on zeros.
    if (g->capability == 90) {
        hopper_kernels(&hopper);
        kernels_load(k, &hopper);
        for (unsigned i = 0; i < hopper.count; i++) {
            struct kernel *x = &hopper.at[i];
            if (!x->function || strncmp(x->name, "wgmma m64n256", 13) != 0 ||
                strcmp(x->name + strlen(x->name) - 9, "|shared|8") != 0)
                continue;
            for (unsigned random = 2; random-- > 0;) {
                unsigned loops, number = random;
                CUdeviceptr to = gpu_alloc(g, (size_t)sms * 2 * 1024), from = memory;
                struct condition c = {.name = x->name,
                                      .data = random ? "random" : "zeros",
                                      .lanes = 32,
                                      .sms = sms,
                                      .warps_per_sm = 8,
                                      .function = x->function,
                                      .launch = {sms, 256, 0, 0},
                                      .arguments = {&to, &loops, &from, &number},
                                      .loops = &loops,
                                      .each = sms * 2.0 * 8,
                                      .unit = "products a second (of a warp group)"};
                hold(&m, &c);
                gpu_free(g, to);
            }
        }
    }
    for (unsigned pass = 0; pass < 2; pass++) { // all of every row first, then sweeps and zeros
        for (unsigned i = 0; i < ROWS; i++) {
            const struct kernel *x = &list.at[i];
            if (!x->function || (k->only && !strstr(x->name, k->only))) continue;
            static const unsigned lanes[] = {32, 16, 8, 1};
            for (unsigned point = 0; point < 7; point++) {
                // 0: all; 1: zeros; 2 3 4: fewer lanes; 5 6: fewer multiprocessors
                if ((point == 0) != (pass == 0) || (point && !rows[i].sweep) ||
                    (point && !k->scale && i))
                    continue;
                if (point >= 2 && point <= 4 && strstr(x->name, "mma"))
                    continue; // takes the whole warp
                unsigned loops, never = 0x9e3779b9, random = point != 1,
                                n = point >= 2 && point <= 4 ? lanes[point - 1] : 32;
                uint64_t none = 0;
                CUdeviceptr to = out, from = memory;
                const unsigned used = point == 5   ? sms / 4
                                      : point == 6 ? 1
                                                   : sms,
                               threads = kit_pick(k, most_threads(g, x->function), 64);
                struct condition c = {
                    .name = x->name,
                    .data = random ? "random" : "zeros",
                    .lanes = n,
                    .sms = used,
                    .warps_per_sm = threads / 32,
                    .function = x->function,
                    .launch = {used, threads, 0, 0},
                    .arguments = {&to, &loops, &none, &none, &never, &from, &n, &random},
                    .loops = &loops,
                    .each = (double)used * (threads / 32) * RATE_STATEMENTS * rows[i].operations,
                    .unit = "warp operations a second"};
                hold(&m, &c);
            }
        }
        if (pass) break;
        // Streams: DRAM, L2, L1.
        bandwidth_kernels(&streams);
        kernels_load(k, &streams);
        const size_t room = k->scale ? (size_t)2 << 30 : (size_t)1 << 20;
        const CUdeviceptr buffer = gpu_alloc(g, room);
        static const struct {
            const char *name, *kernel;
            size_t bytes; // 0: all
            unsigned factor;
        } kinds[] = {{"read of DRAM", "read|4", 0, 1},
                     {"copy in DRAM", "copy|4", 0, 2},
                     {"write to DRAM", "write|4", 0, 1},
                     {"read of L2", "read|4", (size_t)16 << 20, 1},
                     {"read of L1", "read L1|2", 32768, 1}};
        for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            for (unsigned n = 0; n < streams.count; n++) {
                if (strcmp(streams.at[n].name, kinds[i].kernel) != 0 || !streams.at[n].function)
                    continue;
                const bool small = kinds[i].bytes == 32768;
                const unsigned blocks = small ? 1 : sms * 2, threads = kit_pick(k, 1024, 64),
                               unroll = small ? 2 : 4;
                const size_t round = (size_t)blocks * threads * 16 * unroll;
                size_t bytes =
                    (kinds[i].bytes && k->scale ? kinds[i].bytes : room / 2) / round * round;
                if (!bytes) bytes = round;
                if (bytes * 2 > room) continue;
                unsigned loops, never = 0x9e3779b9;
                CUdeviceptr at = buffer;
                struct condition c = {.name = kinds[i].name,
                                      .data = "zeros",
                                      .lanes = 32,
                                      .sms = small ? 1 : sms,
                                      .warps_per_sm = threads / 16,
                                      .function = streams.at[n].function,
                                      .launch = {blocks, threads, 0, 0},
                                      .arguments = {&at, &bytes, &loops, &never},
                                      .loops = &loops,
                                      .each = (double)bytes * kinds[i].factor,
                                      .unit = "bytes a second"};
                for (unsigned random = 0; random < 2; random++) {
                    hold(&m, &c);
                    if (random || kinds[i].kernel[0] == 'w' || !k->scale) break;
                    // random bytes: the buffer's halves are overwritten by the write kernel's own
                    // pattern, which is hashed
                    for (unsigned w = 0; w < streams.count; w++) {
                        if (strcmp(streams.at[w].name, "write|4") != 0 || !streams.at[w].function)
                            continue;
                        const size_t step = (size_t)sms * 2 * 1024 * 16 * 4;
                        size_t all = room / step * step;
                        unsigned once = 1;
                        void *arguments[] = {&at, &all, &once, &never};
                        gpu_time(g, streams.at[w].function, (struct launch){sms * 2, 1024, 0, 0},
                                 arguments);
                    }
                    c.data = "hashed";
                }
                break;
            }
        }
        gpu_free(g, buffer);
    }
    idle(&m, "after work");
    sheet_close(&m.s);
    sheet_close(&m.trace);
}
