// Micro-benchmarks: the published measurements that GPU files are made from, measured again on the
// simulated chips. A row is a quantity, what a paper or the vendor says, and how far ours may be
// off. With WW_FIDELITY=docs/fidelity.md the table there is written anew between its two marks.
//
// Where a chip was not measured itself, its sister is the target, as the GPU file says: GT200 for
// GT 240, GTX 560 Ti and C2050 for GTX 480, K40 and K80 for GTX 780, P100 and P4 for TITAN X, T4
// for RTX 2060 SUPER.
#include "mem/mem.h"
#include "activity/mem.h"
#include "activity/sm.h"
#include "exec/devmem.h"
#include "test_gpu.h"

#include <math.h>

// ---- PTX templates ------------------------------------------------------------------------------
// `//@rept N` .. `//@endr` repeats lines (N may be a key), `//@key` is replaced by that key's text.
struct keys {
    const char *name, *text;
};

static void expand(FILE *out, const char *text, const struct keys *keys) {
    for (const char *p = text; *p;) {
        const size_t len = strcspn(p, "\n");
        const char *mark = memmem(p, len, "//@", 3);
        if (mark && strncmp(mark, "//@rept ", 8) == 0) {
            int n = atoi(mark + 8);
            for (const struct keys *k = keys; k->name && !n; k++)
                if (strncmp(mark + 8, k->name, strlen(k->name)) == 0) n = atoi(k->text);
            const char *body = p + len + 1, *end = strstr(body, "//@endr");
            char *inner = strndup(body, (size_t)(end - body));
            for (int i = 0; i < n; i++) expand(out, inner, keys);
            free(inner);
            p = end + strcspn(end, "\n");
        } else if (mark && strncmp(mark, "//@double ", 10) == 0) {
            bool wanted = false;
            for (const struct keys *k = keys; k->name; k++)
                wanted |= strstr(k->text, "f64") != NULL;
            if (wanted) fprintf(out, "%.*s\n", (int)(len - (size_t)(mark + 10 - p)), mark + 10);
            p += len;
        } else if (mark) {
            for (const struct keys *k = keys; k->name; k++)
                if (strncmp(mark + 3, k->name, strlen(k->name)) == 0) fprintf(out, "%s\n", k->text);
            p += len;
        } else {
            fprintf(out, "%.*s\n", (int)len, p);
            p += len;
        }
        if (*p) p++;
    }
}

static const struct keys none_keys[] = {{NULL, NULL}};
static void load_micro(struct bench *b, const char *name, const struct keys *keys) {
    static const struct keys none[] = {{NULL, NULL}};
    char path[512];
    snprintf(path, sizeof path, "%s/micro/%s.ptx", WW_TEST_DIR, name);
    char *text, *made = NULL;
    size_t len;
    bench_ok(b, file_read(&b->arena, path, 1 << 20, &text, &len, &b->diags));
    FILE *f = open_memstream(&made, &len);
    expand(f, text, keys ? keys : none);
    fclose(f);
    char *target = strstr(made, "sm_20");
    if (target && b->config.cc_major == 1)
        memcpy(target, "sm_13", 5); // whose mad.f32 is not an fma
    bench_text(b, path, made);
    free(made);
}

// ---- opening ------------------------------------------------------------------------------------
// WW_MICRO_SET: overrides to try, with spaces between.
static void open_with(struct bench *b, const char *gpu, const char *first, const char *second) {
    const char *list[16] = {0};
    char text[512];
    uint32_t n = 0;
    if (first) list[n++] = first;
    if (second) list[n++] = second;
    snprintf(text, sizeof text, "%s", getenv("WW_MICRO_SET") ? getenv("WW_MICRO_SET") : "");
    char *save = NULL;
    for (char *w = strtok_r(text, " ", &save); w && n < 15; w = strtok_r(NULL, " ", &save))
        list[n++] = w;
    bench_open(b, gpu, NULL, list);
}

static void open_one_sm(struct bench *b, const char *gpu) { open_with(b, gpu, "sm_count=1", NULL); }

// For throughput: in turn, so that no warp is left behind and the end does not count.
static void open_in_turn(struct bench *b, const char *gpu) {
    open_with(b, gpu, "sm_count=1", "sm.scheduler=lrr");
}

static double hot(const struct bench *b) {
    return b->config.clocks.hot_mhz / b->config.clocks.core_mhz;
}

// WW_MICRO_COUNTS: what the last launch counted.
static void dump_counts(const struct bench *b) {
    const struct gpu_result *r = bench_last(b);
    if (!getenv("WW_MICRO_COUNTS")) return;
    for (uint32_t i = 0; i < act_rows(); i++)
        for (uint32_t k = 0; k < act_row(i)->n; k++)
            if (r->activity.c[act_row(i)->first + k])
                print_message("    %s[%u] %llu\n", act_row(i)->name, k,
                              (unsigned long long)r->activity.c[act_row(i)->first + k]);
}

static uint32_t clock_of(struct bench *b, uint64_t io) {
    uint32_t t;
    bench_read(b, &t, io + 16, 4);
    return t;
}

struct row;
typedef double measure_fn(const struct row *r);
struct row {
    const char *quantity, *gpu;
    double published;
    const char *unit, *source;
    double tolerance; // relative
    measure_fn *measure;
    const char *text;
    uint32_t number;
};

// ---- measuring ------------------------------------------------------------------------------
// Cycles of the hot clock that one of `number` (96) dependent operations takes. Expansions of many
// instructions are repeated less, so that they stay in the instruction cache.
static double chain(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    char times[16];
    const uint32_t n = r->number ? r->number : 96;
    snprintf(times, sizeof times, "%u", n);
    const struct keys keys[] = {{"op", r->text}, {"times", times}, {NULL, NULL}};
    load_micro(&b, "chain", keys);
    struct {
        uint32_t a, b;
        float x, y;
        uint32_t rest[12];
    } io = {0x7fffffff, 3, 1.5f, 1.0001f, {0}};
    const uint64_t d = bench_buffer(&b, &io, sizeof io);
    bench_ok(&b, bench_try(&b, "chain", 1, 1, 32, 1, "84", d, 2u));
    const double cycles = clock_of(&b, d) / (double)n;
    dump_counts(&b);
    bench_close(&b);
    return cycles;
}

// Core cycles that `rounds` more rounds of a loop take; a launch before them warms the caches.
static double cycles_of_rounds(struct bench *b, const char *kernel, uint32_t ctas, uint32_t threads,
                               uint64_t io, uint32_t rounds) {
    uint64_t cycles[3];
    for (uint32_t k = 0; k < 3; k++) {
        bench_ok(b, bench_try(b, kernel, ctas, 1, threads, 1, "84", io, k < 2 ? 8 : 8 + rounds));
        cycles[k] = bench_last(b)->cycles;
    }
    return (double)(cycles[2] - cycles[1]);
}

// Cycles of the hot clock that a product of 16x16x16 takes which adds to the one before.
static double products(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    const struct keys keys[] = {{"op", r->text}, {NULL, NULL}};
    load_micro(&b, "product", keys);
    const uint64_t d = bench_buffer(&b, NULL, 64);
    const double cycles = cycles_of_rounds(&b, "product", 1, 32, d, 16) / (16 * 32.0) * hot(&b);
    dump_counts(&b);
    bench_close(&b);
    return cycles;
}

// A product of a warp group with `number` columns of halves; the text says "regs" where A is in
// registers, "sparse" where half of it is there.
static void group_product(const struct row *r, char *text, size_t room) {
    const bool sparse = strstr(r->text, "sparse"), regs = strstr(r->text, "regs");
    FILE *const f = fmemopen(text, room, "w");
    fprintf(f, "wgmma.mma_async%s.sync.aligned.m64n%uk%u.f32.f16.f16 {", sparse ? ".sp" : "", r->number,
            sparse ? 32u : 16u);
    for (uint32_t i = 0; i < r->number / 2; i++) fprintf(f, "%s%%f%u", i ? ", " : "", i);
    fprintf(f, "}, %s, %%b, %s1, 1, 1%s, 0;", regs ? "{%r0, %r1, %r2, %r3}" : "%a",
            sparse ? "%r0, 0, " : "", regs ? "" : ", 0");
    fclose(f);
}
static void open_groups(struct bench *b, const struct row *r) {
    char text[2048];
    open_one_sm(b, r->gpu);
    group_product(r, text, sizeof text);
    const struct keys keys[] = {{"op", text}, {NULL, NULL}};
    load_micro(b, "groups", keys);
}
// Cycles of the hot clock that each takes of many on the way.
static double group_rate(const struct row *r) {
    struct bench b;
    open_groups(&b, r);
    const uint64_t d = bench_buffer(&b, NULL, 64);
    const double cycles = cycles_of_rounds(&b, "groups", 1, 128, d, 16) / (16 * 8.0) * hot(&b);
    dump_counts(&b);
    bench_close(&b);
    return cycles;
}
// Cycles between the issue of one and the end of the wait for it.
static double group_wait(const struct row *r) {
    struct bench b;
    open_groups(&b, r);
    const uint64_t d = bench_buffer(&b, NULL, 64);
    bench_ok(&b, bench_try(&b, "waits", 1, 1, 128, 1, "84", d, 4u));
    const uint32_t t = clock_of(&b, d);
    bench_close(&b);
    return t;
}

// Operations of threads that an SM does in a cycle of the hot clock. The text holds `number`
// operations.
static double rate(const struct row *r) {
    struct bench b;
    open_in_turn(&b, r->gpu);
    const struct keys keys[] = {{"op", r->text}, {NULL, NULL}};
    load_micro(&b, "rate", keys);
    const uint64_t d = bench_buffer(&b, NULL, 64);
    const uint32_t threads =
        b.config.sm.max_threads / 2 < 1024 ? b.config.sm.max_threads / 2 : 1024;
    const double ops = 16.0 * 16 * r->number * 2 * threads;
    const double per_clock = ops / (cycles_of_rounds(&b, "rate", 2, threads, d, 16) * hot(&b));
    dump_counts(&b);
    bench_close(&b);
    return per_clock;
}

// Pointers through `bytes` of memory, `stride` apart; latency of `load` in hot cycles. The first
// launch warms code, constants and, when the pointers stay the same, L2. With `fresh` each launch
// follows pointers of its own, 256 bytes on, that nobody has touched.
static double chase(const char *gpu, const char *load, uint64_t bytes, uint64_t stride,
                    bool fresh) {
    struct bench b;
    open_one_sm(&b, gpu);
    const struct keys keys[] = {{"load", load}, {NULL, NULL}};
    load_micro(&b, "chase", keys);
    const uint64_t array = bench_buffer(&b, NULL, bytes), io = bench_buffer(&b, NULL, 64);
    const uint64_t n = (bytes - 1024) / stride;
    uint64_t cycles[3];
    for (uint32_t k = 0; k < 3; k++) {
        const uint64_t start = array + (fresh ? 256 * k : 0);
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t next = start + (i + 1) % n * stride;
            bench_ok(&b, gpu_write(b.gpu, start + i * stride, &next, 8, &b.diags));
        }
        const uint32_t warm = fresh ? 1 : (uint32_t)n, steps = k < 2 ? 64 : 320;
        bench_ok(&b, bench_try(&b, "chase", 1, 1, 1, 1, "8844", io, start, warm, steps));
        cycles[k] = bench_last(&b)->cycles;
    }
    const double latency = (double)(cycles[2] - cycles[1]) / 256.0 * hot(&b);
    dump_counts(&b);
    bench_close(&b);
    return latency;
}
// ---- blocks of a cluster ---------------------------------------------------------------------
// A kernel of cluster.ptx, in clusters of `number` blocks; what it leaves in the first word.
static double clustered(const struct row *r, const char *kernel, uint32_t blocks, uint32_t threads,
                        const char *moves, uint32_t first, uint32_t second) {
    struct bench b;
    bench_open(&b, r->gpu, NULL, NULL);
    char shape[64];
    snprintf(shape, sizeof shape, ".reqnctapercluster %u, 1, 1", blocks);
    const struct keys keys[] = {{"shape", shape}, {"moves", moves}, {NULL, NULL}};
    load_micro(&b, "cluster", keys);
    const uint64_t io = bench_buffer(&b, NULL, 64);
    bench_ok(&b, bench_try(&b, kernel, blocks, 1, threads, 1, "844", io, first, second));
    uint32_t cycles;
    bench_read(&b, &cycles, io, sizeof cycles);
    bench_close(&b);
    return cycles;
}
// Of all pairs of blocks, as many as 16; of larger clusters those of eight blocks with all.
static double remote_loads(const struct row *r) {
    double sum = 0;
    uint32_t pairs = 0;
    const uint32_t step = r->number > 4 ? 2 : 1;
    for (uint32_t from = 0; from < r->number; from += 2 * step)
        for (uint32_t to = from % (2 * step); to < r->number; to += step) {
            if (to == from) continue;
            sum += clustered(r, "latency", r->number, 32, "", from, to) / 32;
            pairs++;
        }
    return sum / pairs;
}
// Bytes a cycle that each block gets, or gives, of the other; number: 1 both do.
static double remote_flow(const struct row *r) {
    const double few = clustered(r, "flow", 2, 1024, r->text, r->number, 4),
                 more = clustered(r, "flow", 2, 1024, r->text, r->number, 12);
    return 8 * 4 * 4096 / (more - few);
}
// A turn of cluster.sync, in clusters of `number` blocks of 128 threads.
static double cluster_syncs(const struct row *r) {
    return clustered(r, "syncs", r->number, 128, "", 0, 0) / 64;
}
static double remote_handing(const struct row *r) {
    return clustered(r, "handing", 2, 1, "", 0, 0) / 64;
}
#define REMOTE_LOADS                                                                               \
    "ld.shared::cluster.u32 %r11, [%r6]; ld.shared::cluster.u32 %r12, [%r6+4096]; "               \
    "ld.shared::cluster.u32 %r13, [%r6+8192]; ld.shared::cluster.u32 %r14, [%r6+12288]; "          \
    "add.u32 %r8, %r8, %r11; add.u32 %r8, %r8, %r12; add.u32 %r8, %r8, %r13; "                     \
    "add.u32 %r8, %r8, %r14;"
#define REMOTE_STORES                                                                              \
    "st.shared::cluster.u32 [%r6], %r8; st.shared::cluster.u32 [%r6+4096], %r8; "                 \
    "st.shared::cluster.u32 [%r6+8192], %r8; st.shared::cluster.u32 [%r6+12288], %r8;"

static double chase_l1(const struct row *r) { return chase(r->gpu, r->text, 8192, 128, false); }
static double chase_l2(const struct row *r) { return chase(r->gpu, r->text, 98304, 256, false); }
static double chase_dram(const struct row *r) {
    return chase(r->gpu, r->text, 32 << 20, 33024, true);
}
// The same where each step is a bulk copy.
static double chase_tma(const char *gpu, uint64_t bytes, uint64_t stride, bool fresh) {
    struct bench b;
    open_one_sm(&b, gpu);
    load_micro(&b, "tma", none_keys);
    const uint64_t array = bench_buffer(&b, NULL, bytes), io = bench_buffer(&b, NULL, 64);
    const uint64_t n = (bytes - 1024) / stride;
    uint64_t cycles[3];
    for (uint32_t k = 0; k < 3; k++) {
        const uint64_t start = array + (fresh ? 256 * k : 0);
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t next = start + (i + 1) % n * stride;
            bench_ok(&b, gpu_write(b.gpu, start + i * stride, &next, 8, &b.diags));
        }
        const uint32_t warm = fresh ? 1 : (uint32_t)n, steps = k < 2 ? 64 : 320;
        bench_ok(&b, bench_try(&b, "chase", 1, 1, 1, 1, "8844", io, start, warm, steps));
        cycles[k] = bench_last(&b)->cycles;
    }
    const double latency = (double)(cycles[2] - cycles[1]) / 256.0 * hot(&b);
    bench_close(&b);
    return latency;
}
static double chase_tma_l2(const struct row *r) { return chase_tma(r->gpu, 98304, 256, false); }
static double chase_tma_dram(const struct row *r) {
    return chase_tma(r->gpu, 32 << 20, 33024, true);
}
// Cycles between copies, of many in flight.
static double tma_issue(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    load_micro(&b, "tma", none_keys);
    const uint64_t array = bench_buffer(&b, NULL, 4096);
    uint64_t cycles[3];
    for (uint32_t k = 0; k < 3; k++) {
        bench_ok(&b, bench_try(&b, "issue", 1, 1, 4, 1, "84", array, k < 2 ? 16 : 80));
        cycles[k] = bench_last(&b)->cycles;
    }
    const double gap = (double)(cycles[2] - cycles[1]) / 256.0 * hot(&b);
    bench_close(&b);
    return gap;
}
// r->number: which of the cycles that the kernel has read.
static double barrier_wait(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    load_micro(&b, "tma", none_keys);
    const uint64_t io = bench_buffer(&b, NULL, 64);
    uint64_t cycles[3];
    bench_ok(&b, bench_try(&b, "waits", 1, 1, 1, 1, "8", io));
    bench_ok(&b, gpu_read(b.gpu, cycles, io, sizeof cycles, &b.diags));
    bench_close(&b);
    return (double)cycles[r->number];
}
// What an access takes longer when the L1 TLB lacks its page, and when the L2 TLB does. The data are
// in L2: an access a page.
static double tlb_miss(const struct row *r) {
    const uint64_t page = UINT64_C(2) << 20;
    return chase(r->gpu, r->text, 32 * page, page, false) -
           chase(r->gpu, r->text, 12 * page, page, false);
}
static double tlb_walk(const struct row *r) {
    return chase(r->gpu, r->text, UINT64_C(2560) << 20, UINT64_C(32) << 20, false) -
           chase(r->gpu, r->text, UINT64_C(64) << 20, UINT64_C(2) << 20, false);
}
// Each access is the first ever to its 32 MB.
static double chase_untouched(const struct row *r) {
    struct bench b;
    open_with(&b, r->gpu, "sm_count=1", "memory_bytes=17179869184"); // room for as many pages
    const struct keys keys[] = {{"load", r->text}, {NULL, NULL}};
    load_micro(&b, "chase", keys);
    const uint64_t page = UINT64_C(32) << 20;
    const uint64_t array = bench_buffer(&b, NULL, 198 * page), io = bench_buffer(&b, NULL, 64);
    static const struct {
        uint32_t from, steps;
    } launch[] = {{0, 64}, {1, 64}, {68, 128}}; // the first warms the code
    uint64_t cycles[3];
    for (uint32_t k = 0; k < 3; k++) {
        const uint64_t start = array + launch[k].from * page, stride = k == 0 ? 0 : page;
        for (uint64_t i = 0, at = start; i <= launch[k].steps; i++) {
            // Somewhere in the next page, so that all banks have their turn.
            const uint64_t next = start + (i + 1) * stride + (i + 1) * 7919 * 256 % (page / 2);
            bench_ok(&b, gpu_write(b.gpu, at, &next, 8, &b.diags));
            at = next;
        }
        bench_ok(&b, bench_try(&b, "chase", 1, 1, 1, 1, "8844", io, start, 1u, launch[k].steps));
        cycles[k] = bench_last(&b)->cycles;
    }
    dump_counts(&b);
    const double latency = (double)(cycles[2] - cycles[1]) / 64.0 * hot(&b);
    bench_close(&b);
    return latency;
}

// Steps through `number` bytes of constants, 64 apart: a load and an addition. From L2 they are a
// line of the second level apart, each launch with that empty, so that only L2 is warm.
static double constants(const struct row *r) {
    struct bench b;
    const bool from_l2 = strcmp(r->text, "L2") == 0;
    open_with(&b, r->gpu, "sm_count=1", from_l2 ? "sm.icache_flush=true" : NULL);
    char *table;
    size_t len;
    FILE *f = open_memstream(&table, &len);
    const uint32_t stride = from_l2 ? 256 : 64, n = r->number / 8;
    fprintf(f, ".const .align 256 .u64 table[%u] = {", n);
    for (uint32_t i = 0; i < n; i++)
        fprintf(f, "%s%lld", i ? "," : "",
                8 * i + stride < r->number ? (long long)stride : (long long)stride - r->number);
    fprintf(f, "};");
    fclose(f);
    const struct keys keys[] = {{"table", table}, {NULL, NULL}};
    load_micro(&b, "const", keys);
    free(table);
    const uint64_t io = bench_buffer(&b, NULL, 64);
    uint64_t cycles[3];
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t warm = from_l2 ? 1 : r->number / stride, steps = k < 2 ? 64 : 128;
        bench_ok(&b, bench_try(&b, "constants", 1, 1, 1, 1, "844", io, warm, k == 0 ? 256 : steps));
        cycles[k] = bench_last(&b)->cycles;
    }
    dump_counts(&b);
    const double latency = (double)(cycles[2] - cycles[1]) / 64 * hot(&b);
    bench_close(&b);
    return latency;
}

// Cycles in which an SM with `number` warps, four a block, gets a line of constants from the second
// level: the time of 128 lines a warp less that of 64, by the lines.
static double constant_lines(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    load_micro(&b, "lines", NULL);
    const uint64_t io = bench_buffer(&b, NULL, 64);
    uint64_t cycles[3];
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t steps = k < 2 ? 64 : 128; // the first launch warms the code
        bench_ok(&b, bench_try(&b, "lines", r->number / 4, 1, 128, 1, "84", io, steps));
        cycles[k] = bench_last(&b)->cycles;
    }
    dump_counts(&b);
    const double each = (double)(cycles[2] - cycles[1]) / (64.0 * r->number) * hot(&b);
    bench_close(&b);
    return each;
}

// GB/s that all SMs together read of L2, two blocks each, out of `number` pieces of 64 KB, of which the
// blocks read different ones at a time (0: one, which all read): the time of eight rounds less that of four.
static double l2_reads(const struct row *r) {
    enum { PART = 65536 };
    struct bench b;
    open_with(&b, r->gpu, NULL, NULL);
    load_micro(&b, "l2", NULL);
    const uint32_t parts = r->number ? r->number : 1;
    const uint64_t data = bench_buffer(&b, NULL, (uint64_t)parts * PART);
    const uint32_t blocks = (2048 / 1024) * b.config.sm_count;
    uint64_t cycles[3];
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t rounds = k < 2 ? 4 : 8; // the first launch brings the buffer
        bench_ok(&b, r->number ? bench_try(&b, "l2_parts", blocks, 1, 1024, 1, "844", data, rounds, parts)
                               : bench_try(&b, "l2", blocks, 1, 1024, 1, "84", data, rounds));
        cycles[k] = bench_last(&b)->cycles;
    }
    dump_counts(&b);
    const double bytes = 4.0 * PART * blocks;
    const double rate = bytes / (double)(cycles[2] - cycles[1]) * b.config.clocks.core_mhz / 1000;
    bench_close(&b);
    return rate;
}

// Bytes that loads of 32 bits find in the L1 of an SM in a core cycle.
static double l1_rate(const struct row *r) {
    struct bench b;
    open_in_turn(&b, r->gpu);
    load_micro(&b, "l1", NULL);
    static const uint8_t zeros[32768 + 8];
    const uint64_t d = bench_buffer(&b, zeros, sizeof zeros);
    const uint32_t rounds = 256; // many: the first ones fill the cache
    const double bytes = 4.0 * 8 * 1024 * rounds;
    const double per_clock = bytes / cycles_of_rounds(&b, "l1_rate", 1, 1024, d, rounds);
    dump_counts(&b);
    bench_close(&b);
    return per_clock;
}

static double shared_chain(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    load_micro(&b, "shared", NULL);
    const uint64_t d = bench_buffer(&b, NULL, 64);
    const uint32_t threads = r->number ? 32 : 1;
    bench_ok(&b, bench_try(&b, "shared", 1, 1, threads, 1, "84", d, r->number ? r->number : 1));
    const double cycles = clock_of(&b, d) / 32.0;
    dump_counts(&b);
    bench_close(&b);
    return cycles;
}

// Lane accesses to shared memory in a hot clock; `number` bits each, one after the other unless
// `text` makes another address of the thread's number.
static double shared_rate(const struct row *r) {
    struct bench b;
    open_in_turn(&b, r->gpu);
    static const struct keys by_width[3][4] = {
        {{"address", "shl.b32 %a, %a, 2;"},
         {"load", "ld.volatile.shared.u32 %x0, [%a];\nld.volatile.shared.u32 %x1, [%a];\n"
                  "ld.volatile.shared.u32 %x2, [%a];\nld.volatile.shared.u32 %x3, [%a];\n"
                  "xor.b32 %s, %x0, %x1;\nxor.b32 %s, %x2, %x3;"},
         {NULL, NULL}},
        {{"address", "shl.b32 %a, %a, 3;"},
         {"load", "ld.volatile.shared.v2.u32 {%x0, %x1}, [%a];\n"
                  "ld.volatile.shared.v2.u32 {%x2, %x3}, [%a];\nxor.b32 %s, %x0, %x1;\n"
                  "xor.b32 %s, %x2, %x3;"},
         {NULL, NULL}},
        {{"address", "shl.b32 %a, %a, 4;"},
         {"load", "ld.volatile.shared.v4.u32 {%x0, %x1, %x2, %x3}, [%a];\nxor.b32 %s, %x0, %x3;"},
         {NULL, NULL}},
    };
    struct keys keys[3];
    memcpy(keys, by_width[r->number == 32 ? 0 : r->number == 64 ? 1 : 2], sizeof keys);
    if (r->text != NULL) keys[0].text = r->text;
    load_micro(&b, "shared", keys);
    const uint64_t d = bench_buffer(&b, NULL, 64);
    const double accesses = 32.0 * 8 * 1024 * (r->number == 32 ? 4 : r->number == 64 ? 2 : 1);
    const double per_clock =
        accesses / (cycles_of_rounds(&b, "shared_rate", 2, 512, d, 32) * hot(&b));
    dump_counts(&b);
    bench_close(&b);
    return per_clock;
}

static double texture_chain(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    load_micro(&b, "texture", NULL);
    uint32_t zeros[256] = {0};
    const uint64_t data = bench_buffer(&b, zeros, sizeof zeros), io = bench_buffer(&b, NULL, 64);
    uint64_t handle;
    bench_ok(&b, gpu_module_texture(b.module, "indices", &b.diags, &handle, NULL));
    const struct exec_texture t = {
        .base = data, .width = 256, .channels = 1, .channel_bits = 32, .is_linear_memory = true};
    assert_true(devmem_texture_set(gpu_memory(b.gpu), handle, &t));
    const bool ran = bench_try(&b, "texture", 1, 1, 1, 1, "84", io, 0u) == WW_OK;
    const double cycles = ran ? clock_of(&b, io) / 32.0 : NAN;
    dump_counts(&b);
    bench_close(&b);
    return cycles;
}

static double barrier_chain(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    load_micro(&b, "barrier", NULL);
    const uint64_t d = bench_buffer(&b, NULL, 64);
    bench_ok(&b, bench_try(&b, "barrier", 1, 1, 32, 1, "8", d));
    const double cycles = clock_of(&b, d) / 32.0;
    dump_counts(&b);
    bench_close(&b);
    return cycles;
}

// Core cycles of an atomic whose `number` first lanes share a word.
static double shared_atomic(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    load_micro(&b, "atomic", NULL);
    const uint64_t d = bench_buffer(&b, NULL, 64);
    bench_ok(&b, bench_try(&b, "shared_atomic", 1, 1, 32, 1, "84", d, r->number));
    const double cycles = clock_of(&b, d) / 8.0 / hot(&b);
    dump_counts(&b);
    bench_close(&b);
    return cycles;
}

// Lane operations on one address of global memory in a core cycle, from all SMs.
static double global_atomic_rate(const struct row *r) {
    struct bench b;
    open_with(&b, r->gpu, NULL, NULL);
    load_micro(&b, "atomic", NULL);
    const uint32_t zero = 0;
    const uint64_t d = bench_buffer(&b, &zero, 4);
    const uint32_t ctas = b.config.sm_count;
    const double per_clock =
        16.0 * 128 * ctas / cycles_of_rounds(&b, "global_rate", ctas, 128, d, 16);
    uint32_t sum;
    bench_read(&b, &sum, d, 4);
    assert_int_equal(sum, (8 + 8 + 24) * 128 * ctas);
    dump_counts(&b);
    bench_close(&b);
    return per_clock;
}

// Percent of the DRAM buses' rate that the kernel in `text` gets in `number` (64) rounds.
static double bandwidth(const struct row *r) {
    struct bench b;
    open_with(&b, r->gpu, NULL, NULL);
    load_micro(&b, "stream", NULL);
    const uint32_t ctas = b.config.sm_count * 6, rounds = r->number ? r->number : 64;
    const uint64_t bytes = (uint64_t)ctas * 256 * 4 * rounds;
    const uint64_t in = bench_buffer(&b, NULL, bytes), out = bench_buffer(&b, NULL, bytes);
    bench_ok(&b, bench_try(&b, r->text, ctas, 1, 256, 1, "884", in, out, rounds));
    const struct gpu_result *x = bench_last(&b);
    const double moved =
        (double)(x->activity.c[ACT_dram_read_bytes] + x->activity.c[ACT_dram_write_bytes]);
    const double percent = 100 * moved / x->seconds / mem_config_peak_bandwidth(&b.config.mem);
    dump_counts(&b);
    bench_close(&b);
    return percent;
}

// How much faster rows are read that lie in all partitions than rows that lie in one.
static double camping(const struct row *r) {
    struct bench b;
    open_with(&b, r->gpu, NULL, NULL);
    load_micro(&b, "stream", NULL);
    const uint32_t n = b.config.mem.partitions, ctas = b.config.sm_count * 8, rounds = 32;
    const uint64_t in = bench_buffer(&b, NULL, (uint64_t)256 * n * rounds * ctas),
                   out = bench_buffer(&b, NULL, 4);
    // Spread: neighbours of 256 bytes. Camped: every n-th of them.
    bench_ok(&b,
             bench_try(&b, "rows", ctas, 1, 64, 1, "88444", in, out, rounds, 256u, 256 * rounds));
    const uint64_t spread = bench_last(&b)->cycles;
    bench_ok(&b, bench_try(&b, "rows", ctas, 1, 64, 1, "88444", in, out, rounds, 256 * n,
                           256 * n * rounds));
    const uint64_t camped = bench_last(&b)->cycles;
    dump_counts(&b);
    bench_close(&b);
    return (double)camped / (double)spread;
}

// Transactions of a warp's load of words `number` apart, or bytes that it brings from DRAM or into
// L1 beyond what the same launch brings that loads nothing.
static double coalescing(const struct row *r) {
    struct bench b;
    open_one_sm(&b, r->gpu);
    load_micro(&b, "stream", NULL);
    const uint64_t in = bench_buffer(&b, NULL, 65536), out = bench_buffer(&b, NULL, 4);
    double bytes = 0, filled = 0, transactions = 0;
    for (uint32_t k = 0; k < 3; k++) { // to warm, nothing, all
        // The first launch loads elsewhere: it warms the code of both.
        bench_ok(&b, bench_try(&b, "strided", 1, 1, 32, 1, "884", k == 0 ? in + 32768 : in, out,
                               k == 1 ? UINT32_MAX : r->number));
        const uint64_t *c = bench_last(&b)->activity.c;
        bytes = (double)c[ACT_dram_read_bytes] - bytes * (k == 2);
        filled = 4 * (double)c[ACT_l1_fill_words] - filled * (k == 2);
        transactions = (double)c[ACT_gmem_reads];
    }
    dump_counts(&b);
    bench_close(&b);
    return strcmp(r->text, "bytes") == 0    ? bytes
           : strcmp(r->text, "filled") == 0 ? filled
                                            : transactions;
}

// ---- the table ------------------------------------------------------------------------------
#define ADD4                                                                                       \
    "add.u32 %a0, %a0, %b;\nadd.u32 %a1, %a1, %b;\nadd.u32 %a2, %a2, %b;\nadd.u32 %a3, %a3, %b;"
// Of plain additions half go the way of multiply-adds from Volta on (pipes.c); those with a carry
// do not.
#define ADDCC4                                                                                     \
    "add.cc.u32 %a0, %a0, %b;\nadd.cc.u32 %a1, %a1, %b;\nadd.cc.u32 %a2, %a2, %b;\nadd.cc.u32 "    \
    "%a3, %a3, %b;"
#define MUL4                                                                                       \
    "mul.lo.u32 %a0, %a0, %b;\nmul.lo.u32 %a1, %a1, %b;\nmul.lo.u32 %a2, %a2, %b;\nmul.lo.u32 "    \
    "%a3, %a3, %b;"
#define SHL4                                                                                       \
    "shl.b32 %a0, %a0, %b;\nshl.b32 %a1, %a1, %b;\nshl.b32 %a2, %a2, %b;\nshl.b32 %a3, %a3, %b;"
#define FADD4                                                                                      \
    "add.f32 %x0, %x0, %y;\nadd.f32 %x1, %x1, %y;\nadd.f32 %x2, %x2, %y;\nadd.f32 %x3, %x3, %y;"
#define FMA4                                                                                       \
    "fma.rn.f32 %x0, %x0, %y, %y;\nfma.rn.f32 %x1, %x1, %y, %y;\nfma.rn.f32 %x2, %x2, %y, "        \
    "%y;\nfma.rn.f32 %x3, %x3, %y, %y;"
#define MAD4                                                                                       \
    "mad.f32 %x0, %x0, %y, %y;\nmad.f32 %x1, %x1, %y, %y;\nmad.f32 %x2, %x2, %y, %y;\nmad.f32 "    \
    "%x3, %x3, %y, %y;"
#define INT_FP4                                                                                    \
    "add.u32 %a0, %a0, %b;\nadd.f32 %x0, %x0, %y;\nadd.u32 %a1, %a1, %b;\nadd.f32 %x1, %x1, %y;"
#define MADS4                                                                                      \
    "ld.volatile.shared.f32 %t, [s];\nmad.f32 %x0, %x0, %t, %y;\nld.volatile.shared.f32 %t, "      \
    "[s+4];\nmad.f32 %x1, %x1, %t, %y;\n"                                                          \
    "ld.volatile.shared.f32 %t, [s+8];\nmad.f32 %x2, %x2, %t, %y;\nld.volatile.shared.f32 %t, "    \
    "[s+12];\nmad.f32 %x3, %x3, %t, %y;"
#define RSQ4                                                                                       \
    "rsqrt.approx.ftz.f32 %x0, %x0;\nrsqrt.approx.ftz.f32 %x1, %x1;\nrsqrt.approx.ftz.f32 %x2, "   \
    "%x2;\nrsqrt.approx.ftz.f32 %x3, %x3;"
#define DADD4                                                                                      \
    "add.f64 %u0, %u0, %v;\nadd.f64 %u1, %u1, %v;\nadd.f64 %u2, %u2, %v;\nadd.f64 %u3, %u3, %v;"
#define LD      "ld.global.u64 %at, [%at];"
#define LD_CG   "ld.global.cg.u64 %at, [%at];"
#define HOT     "hot cycles"
#define OPS     "ops/hot clock/SM"
#define WONG    "Wong 2010 (GTX 280)"
#define MEI     "Mei 2017"
#define GUIDE   "Guide 5.5"
#define ARAFA   "Arafa 2019 (K40)"
#define JIA     "Jia 2018/19 (K80)"
#define JIA_V   "Jia 2018 (V100)"
#define JIA_T   "Jia 2019 (T4)"
#define WINDOWS "us-llm-engineer/programming-massively-parallel-processors, 06 (GTX 1650 Ti)"
#define FORUM   "NVIDIA forum 77228"
#define JIA_P   "Jia 2018 (P4)"
#define ARAFA_V "Arafa 2019 (V100)"
#define ARAFA_P "Arafa 2019 (P100)"
#define DRESDEN "TU Dresden (P100)"
#define ABDELKHALIK "Abdelkhalik 2022 (A100)"
#define LUO_A       "Luo 2024/25 (A100)"
#define RTX3060     "YKTian-x2b (RTX 3060)"
#define DISTANCES   "least distance in ptxas's code"
#define HFMA4                                                                                      \
    "fma.rn.f16x2 %a0, %a0, %b, %b;\nfma.rn.f16x2 %a1, %a1, %b, %b;\nfma.rn.f16x2 %a2, %a2, %b, " \
    "%b;\nfma.rn.f16x2 %a3, %a3, %b, %b;"
#define GUIDE12 "Guide 12.3"
#define POPC4   "popc.b32 %a0, %a0;\npopc.b32 %a1, %a1;\npopc.b32 %a2, %a2;\npopc.b32 %a3, %a3;"

#define RAIHAN    "Raihan 2019 (TITAN V): from a set of steps to the next"
#define MATRIX(x) "{%" x "0, %" x "1, %" x "2, %" x "3, %" x "4, %" x "5, %" x "6, %" x "7}"
#define WMMA(types, sum)                                                                           \
    "wmma.mma.sync.aligned.row.col.m16n16k16." types " " sum                                       \
    ", " MATRIX("a") ", " MATRIX("b") ", " sum ";"

static const struct row rows[] = {
    // Tesla
    {"int add, dependent", "gt240", 24, HOT, WONG, 0.03, chain, "add.u32 %a, %a, %b;", 0},
    {"logic, dependent", "gt240", 24, HOT, WONG, 0.03, chain, "xor.b32 %a, %a, %b;", 0},
    {"fp32 add, dependent", "gt240", 24, HOT, WONG, 0.03, chain, "add.f32 %x, %x, %y;", 0},
    {"fp32 mad, dependent", "gt240", 24, HOT, WONG, 0.03, chain, "mad.f32 %x, %x, %y, %y;", 0},
    {"mul24, dependent", "gt240", 24, HOT, WONG, 0.03, chain, "mul24.lo.u32 %a, %a, %b;", 0},
    {"int mul, dependent", "gt240", 96, HOT, WONG, 0.05, chain, "mul.lo.u32 %a, %a, %b;", 0},
    {"int mad, dependent", "gt240", 120, HOT, WONG, 0.05, chain, "mad.lo.u32 %a, %a, %b, %b;", 0},
    {"rsqrt, dependent", "gt240", 28, HOT, WONG, 0.05, chain, "rsqrt.approx.f32 %x, %x;", 0},
    {"lg2, dependent", "gt240", 28, HOT, WONG, 0.05, chain, "lg2.approx.f32 %x, %x;", 0},
    {"ex2, dependent", "gt240", 48, HOT, WONG, 0.12, chain, "ex2.approx.f32 %x, %x;", 0},
    {"sin, dependent", "gt240", 48, HOT, WONG, 0.12, chain, "sin.approx.f32 %x, %x;", 0},
    {"uint division, dependent", "gt240", 608, HOT, WONG, 0.10, chain, "div.u32 %a, %a, %b;", 10},
    {"int division, dependent", "gt240", 684, HOT, WONG, 0.10, chain, "div.s32 %a, %a, %b;", 10},
    {"uint remainder, dependent", "gt240", 728, HOT, WONG, 0.10, chain, "rem.u32 %a, %a, %b;", 10},
    {"int add", "gt240", 7.9, OPS, WONG, 0.05, rate, ADD4, 4},
    {"fp32 add", "gt240", 7.9, OPS, WONG, 0.05, rate, FADD4, 4},
    {"fp32 mad", "gt240", 7.9, OPS, WONG, 0.05, rate, MAD4, 4},
    {"int and fp32 add together", "gt240", 8, OPS, "Lindholm 2008: eight lanes do both", 0.05, rate,
     INT_FP4, 4},
    {"fp32 mad, operand shared", "gt240", 32.0 / 6, OPS, "Volkov 2008: 6 hot cycles", 0.05, rate,
     MADS4, 4},
    {"int mul", "gt240", 1.7, OPS, WONG, 0.25, rate, MUL4, 4},
    {"rsqrt", "gt240", 2.0, OPS, WONG, 0.05, rate, RSQ4, 4},
    {"shared load", "gt240", 38, HOT, WONG, 0.05, shared_chain, NULL, 0},
    {"global load from DRAM", "gt240", 440, HOT, WONG, 0.05, chase_dram, LD, 0},
    {"texture hit", "gt240", 261, HOT, WONG, 0.05, texture_chain, NULL, 0},
    {"barrier of one warp", "gt240", 20, HOT, WONG, 0.12, barrier_chain, NULL, 0},
    {"DRAM copies", "gt240", 68.4, "% of peak", "Ruetsch 2010 (GTX 280)", 0.12, bandwidth, "copy",
     0},
    {"DRAM copies", "gt240-ddr3", 81.4, "% of peak", MEI " (560 Ti)", 0.12, bandwidth, "copy", 0},
    {"partition camping: slower by", "gt240", 2, "x", "2 partitions, modulo 256 B (envytools)",
     0.15, camping, NULL, 0},
    {"load, stride 1", "gt240", 2, "transactions", GUIDE, 0, coalescing, "transactions", 1},
    {"load, stride 2", "gt240", 2, "transactions", GUIDE, 0, coalescing, "transactions", 2},
    {"load, stride 32", "gt240", 32, "transactions", GUIDE, 0, coalescing, "transactions", 32},
    {"load, stride 1", "gt240", 128, "bytes", GUIDE, 0, coalescing, "bytes", 1},
    {"load, stride 32", "gt240", 1024, "bytes", GUIDE, 0, coalescing, "bytes", 32},
    // Fermi
    {"int add, dependent", "gtx480", 18, HOT, "Volkov 2010", 0.03, chain, "add.u32 %a, %a, %b;", 0},
    {"fp32 add, dependent", "gtx480", 18, HOT, "Volkov 2010", 0.03, chain, "add.f32 %x, %x, %y;",
     0},
    {"fp32 fma, dependent", "gtx480", 18, HOT, "Volkov 2010", 0.03, chain,
     "fma.rn.f32 %x, %x, %y, %y;", 0},
    {"int mul, dependent", "gtx480", 18, HOT, "Volkov 2010", 0.03, chain, "mul.lo.u32 %a, %a, %b;",
     0},
    {"int add", "gtx480", 32, OPS, GUIDE, 0.06, rate, ADD4, 4},
    {"int mul", "gtx480", 16, OPS, GUIDE, 0.06, rate, MUL4, 4},
    {"shift", "gtx480", 16, OPS, GUIDE, 0.06, rate, SHL4, 4},
    {"fp32 add", "gtx480", 32, OPS, GUIDE, 0.06, rate, FADD4, 4},
    {"fp32 fma", "gtx480", 31, OPS, "Lai 2013", 0.06, rate, FMA4, 4},
    {"rsqrt", "gtx480", 4, OPS, GUIDE, 0.05, rate, RSQ4, 4},
    {"fp64 add", "gtx480", 4, OPS, "1/8 of single on GeForce", 0.05, rate, DADD4, 4},
    {"L1 hit", "gtx480", 96, HOT, MEI " (560 Ti)", 0.05, chase_l1, LD, 0},
    {"L2 hit, L1 off", "gtx480", 351, HOT, MEI " (560 Ti)", 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "gtx480", 619, HOT, MEI " (560 Ti)", 0.05, chase_dram, LD_CG,
     0},
    {"global load from DRAM, L1 on", "gtx480", 635, HOT, MEI " (560 Ti)", 0.08, chase_dram, LD, 0},
    {"shared load", "gtx480", 50, HOT, MEI " (560 Ti)", 0.05, shared_chain, NULL, 0},
    {"shared load, 2-way conflict", "gtx480", 87, HOT, MEI " (560 Ti)", 0.05, shared_chain, NULL,
     2},
    {"shared load, 4-way conflict", "gtx480", 162, HOT, MEI " (560 Ti)", 0.05, shared_chain, NULL,
     4},
    {"shared load, 32-way conflict", "gtx480", 1209, HOT, MEI " (560 Ti)", 0.05, shared_chain, NULL,
     32},
    {"shared loads of 32 bits", "gtx480", 15.94, "accesses/hot clock/SM", "gpumembench", 0.06,
     shared_rate, NULL, 32},
    {"shared loads of 64 bits", "gtx480", 7.98, "accesses/hot clock/SM", "gpumembench", 0.06,
     shared_rate, NULL, 64},
    {"shared loads of 128 bits", "gtx480", 2.64, "accesses/hot clock/SM", "gpumembench", 0.06,
     shared_rate, NULL, 128},
    {"texture hit", "gtx480", 244, HOT, "Mei's page (560 Ti)", 0.05, texture_chain, NULL, 0},
    {"DRAM reads", "gtx480", 85, "% of peak", "gpumembench", 0.10, bandwidth, "read", 0},
    {"DRAM copies", "gtx480", 81.4, "% of peak", MEI " (560 Ti)", 0.12, bandwidth, "copy", 0},
    {"partition camping: slower by", "gtx480", 1, "x", "hashed, none (NVIDIA 2010)", 0.25, camping,
     NULL, 0},
    {"atomics on one address", "gtx480", 1.0 / 9, "lane ops/core clock",
     "GK110 white paper: 9x less than Kepler", 0.15, global_atomic_rate, NULL, 0},
    {"load, stride 1", "gtx480", 128, "bytes", GUIDE, 0, coalescing, "bytes", 1},
    {"load, stride 2", "gtx480", 256, "bytes", GUIDE, 0, coalescing, "bytes", 2},
    {"load, stride 32", "gtx480", 4096, "bytes", GUIDE, 0, coalescing, "bytes", 32},
    // Kepler
    {"int add, dependent", "gtx780", 9, HOT, ARAFA, 0.03, chain, "add.u32 %a, %a, %b;", 0},
    {"int mad, dependent", "gtx780", 9, HOT, ARAFA, 0.03, chain, "mad.lo.u32 %a, %a, %b, %b;", 0},
    {"mul24, dependent", "gtx780", 22, HOT, ARAFA, 0.25, chain, "mul24.lo.u32 %a, %a, %b;", 0},
    {"fp32 fma, dependent", "gtx780", 9, HOT, ARAFA, 0.03, chain, "fma.rn.f32 %x, %x, %y, %y;", 0},
    {"fp64 add, dependent", "gtx780", 10, HOT, ARAFA, 0.03, chain, "add.f64 %u, %u, %v;", 0},
    {"sin, dependent", "gtx780", 18, HOT, ARAFA, 0.05, chain, "sin.approx.f32 %x, %x;", 0},
    {"rsqrt, dependent", "gtx780", 40, HOT, ARAFA, 0.12, chain, "rsqrt.approx.f32 %x, %x;", 0},
    {"uint division, dependent", "gtx780", 131, HOT, ARAFA, 0.10, chain, "div.u32 %a, %a, %b;", 10},
    {"int division, dependent", "gtx780", 149, HOT, ARAFA, 0.10, chain, "div.s32 %a, %a, %b;", 10},
    {"clz, dependent", "gtx780", 20, HOT, ARAFA, 0.12, chain, "clz.b32 %a, %a;", 0},
    {"fp32 fma", "gtx780", 192, OPS, GUIDE, 0.20, rate, FMA4, 4},
    {"int add", "gtx780", 160, OPS, GUIDE, 0.20, rate, ADD4, 4},
    {"int mul", "gtx780", 32, OPS, GUIDE, 0.05, rate, MUL4, 4},
    {"rsqrt", "gtx780", 32, OPS, GUIDE, 0.05, rate, RSQ4, 4},
    {"fp64 add", "gtx780", 8, OPS, GUIDE " (GeForce)", 0.05, rate, DADD4, 4},
    {"L2 hit", "gtx780", 198, HOT, MEI " (780)", 0.05, chase_l2, LD, 0},
    {"global load from DRAM", "gtx780", 339, HOT, MEI " (780)", 0.05, chase_dram, LD, 0},
    {"shared load", "gtx780", 26, HOT, JIA, 0.05, shared_chain, NULL, 0},
    {"texture hit", "gtx780", 112, HOT, ARAFA, 0.05, texture_chain, NULL, 0},
    {"shared atomic, 1 lane a word", "gtx780", 93, "core cycles", JIA, 0.6, shared_atomic, NULL, 1},
    {"shared atomic, 32 lanes a word", "gtx780", 4257, "core cycles", JIA, 0.15, shared_atomic,
     NULL, 32},
    {"atomics on one address", "gtx780", 1, "lane ops/core clock", "GK110 white paper", 0.15,
     global_atomic_rate, NULL, 0},
    {"DRAM copies", "gtx780", 74.9, "% of peak", MEI " (780)", 0.15, bandwidth, "copy", 0},
    {"load, stride 1", "gtx780", 128, "bytes", GUIDE, 0, coalescing, "bytes", 1},
    {"load, stride 32", "gtx780", 1024, "bytes", GUIDE, 0, coalescing, "bytes", 32},
    // Pascal, Volta, Turing
    {"int add, dependent", "titanx-pascal", 6, HOT, "Jia 2018 (P100)", 0.03, chain,
     "add.u32 %a, %a, %b;", 0},
    {"logic, dependent", "titanx-pascal", 6, HOT, "Jia 2018 (P100)", 0.03, chain,
     "xor.b32 %a, %a, %b;", 0},
    {"fp32 fma, dependent", "titanx-pascal", 6, HOT, "Jia 2018 (P100)", 0.03, chain,
     "fma.rn.f32 %x, %x, %y, %y;", 0},
    {"int mad, dependent", "titanx-pascal", 13, HOT, ARAFA_P, 0.10, chain,
     "mad.lo.u32 %a, %a, %b, %b;", 0},
    {"fp64 add, dependent", "titanx-pascal", 48, HOT, "Jia 2018 (M60)", 0.03, chain,
     "add.f64 %u, %u, %v;", 0},
    {"rsqrt of normal numbers, dependent", "titanx-pascal", 14, HOT, "Jia 2018 (P100)", 0.05, chain,
     "rsqrt.approx.ftz.f32 %x, %x;", 0},
    {"L2 hit, L1 off", "p100", 234, HOT, "Jia 2018 (P100)", 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "p100", 482, HOT, ARAFA_P, 0.05, chase_dram, LD_CG, 0},
    {"shared load", "p100", 24, HOT, "Jia 2018 (P100)", 0.05, shared_chain, NULL, 0},
    {"fp64 add, dependent", "p100", 8, HOT, "Jia 2019 (P100)", 0.03, chain, "add.f64 %u, %u, %v;", 0},
    {"fp64 add", "p100", 32, OPS, GUIDE12, 0.06, rate, DADD4, 4},
    {"int add", "p100", 64, OPS, GUIDE12, 0.06, rate, ADD4, 4},
    {"fp32 fma", "p100", 64, OPS, GUIDE12, 0.06, rate, FMA4, 4},
    {"packed half fma", "p100", 64, OPS, GUIDE12 ": two in a lane", 0.08, rate, HFMA4, 4},
    {"rsqrt", "p100", 16, OPS, GUIDE12, 0.06, rate, RSQ4, 4},
    {"DRAM copies", "p100", 74.8, "% of peak", "Jia 2018 (P100), 510 GiB/s", 0.25, bandwidth, "copy", 0},
    {"L2 hit, L1 off", "titanx-pascal", 216, HOT, JIA_P, 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "titanx-pascal", 482, HOT, ARAFA_P, 0.05, chase_dram, LD_CG,
     0},
    {"L1 TLB miss: longer by", "titanx-pascal", 8, HOT, DRESDEN, 0.10, tlb_miss, LD_CG, 0},
    {"L2 TLB miss: longer by", "titanx-pascal", 110, HOT, DRESDEN, 0.05, tlb_walk, LD_CG, 0},
    {"shared load", "titanx-pascal", 23, HOT, JIA_P, 0.05, shared_chain, NULL, 0},
    {"texture hit", "titanx-pascal", 87, HOT, ARAFA_P, 0.05, texture_chain, NULL, 0},
    {"int add", "titanx-pascal", 128, OPS, GUIDE12, 0.06, rate, ADD4, 4},
    {"fp32 fma", "titanx-pascal", 128, OPS, GUIDE12, 0.06, rate, FMA4, 4},
    {"shift", "titanx-pascal", 64, OPS, GUIDE12, 0.06, rate, SHL4, 4},
    {"rsqrt", "titanx-pascal", 32, OPS, GUIDE12, 0.06, rate, RSQ4, 4},
    {"population count", "titanx-pascal", 32, OPS, GUIDE12, 0.06, rate, POPC4, 4},
    {"fp64 add", "titanx-pascal", 4, OPS, GUIDE12, 0.06, rate, DADD4, 4},
    {"DRAM copies", "titanx-pascal", 84.4, "% of peak", JIA_P, 0.12, bandwidth, "copy", 0},
    {"load, stride 1", "titanx-pascal", 128, "bytes", GUIDE12, 0, coalescing, "bytes", 1},
    {"load, stride 32", "titanx-pascal", 1024, "bytes", GUIDE12, 0, coalescing, "bytes", 32},
    {"int add, dependent", "v100", 4, HOT, JIA_V, 0.03, chain, "add.u32 %a, %a, 5;", 0},
    {"logic, dependent", "v100", 4, HOT, JIA_V, 0.03, chain, "xor.b32 %a, %a, %b;", 0},
    {"fp32 fma, dependent", "v100", 4, HOT, JIA_V, 0.03, chain, "fma.rn.f32 %x, %x, %y, %y;", 0},
    // ptxas leaves four cycles between dependent products.
    {"int mad, dependent", "v100", 5, HOT, JIA_V, 0.21, chain, "mad.lo.u32 %a, %a, %b, %b;", 0},
    {"fp64 add, dependent", "v100", 8, HOT, JIA_V, 0.03, chain, "add.f64 %u, %u, %v;", 0},
    {"rsqrt of normal numbers, dependent", "v100", 14, HOT, JIA_V, 0.05, chain,
     "rsqrt.approx.ftz.f32 %x, %x;", 0},
    {"L1 hit", "v100", 28, HOT, JIA_V, 0.05, chase_l1, LD, 0},
    // Five were published, 193 to 221 (gpus/v100.yaml): the GPU file takes the middle one.
    {"L2 hit, L1 off", "v100", 215, HOT, "gpu-benches (V100)", 0.02, chase_l2, LD_CG, 0},
    {"L2 hit, L1 off", "v100", 193, HOT, JIA_V, 0.12, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "v100", 375, HOT, "Jia 2018 (V100), TLBs warm", 0.07,
     chase_dram, LD_CG, 0},
    {"global load from DRAM, L1 off", "v100", 395, HOT, "mt4g (V100)", 0.05, chase_dram, LD_CG, 0},
    {"global load, never touched", "v100", 1029, HOT, JIA_V, 0.05, chase_untouched, LD_CG, 0},
    {"shared load", "v100", 19, HOT, JIA_V, 0.05, shared_chain, NULL, 0},
    {"texture hit", "v100", 86, HOT, ARAFA_V, 0.05, texture_chain, NULL, 0},
    {"int add", "v100", 64, OPS, GUIDE12, 0.06, rate, ADDCC4, 4},
    {"fp32 fma", "v100", 64, OPS, GUIDE12, 0.06, rate, FMA4, 4},
    {"int mul", "v100", 64, OPS, GUIDE12, 0.06, rate, MUL4, 4},
    {"shift", "v100", 64, OPS, GUIDE12, 0.06, rate, SHL4, 4},
    // Of 134 cycles of the INT lanes six are the loop's, so that 122 is the most that there can be.
    {"int and fp32 add together", "v100", 128, OPS, GUIDE12, 0.065, rate, INT_FP4, 4},
    {"rsqrt", "v100", 16, OPS, GUIDE12, 0.06, rate, RSQ4, 4},
    {"population count", "v100", 16, OPS, GUIDE12, 0.06, rate, POPC4, 4},
    {"fp64 add", "v100", 32, OPS, GUIDE12, 0.06, rate, DADD4, 4},
    {"load, stride 1", "v100", 128, "bytes", GUIDE12, 0, coalescing, "filled", 1},
    {"load, stride 32", "v100", 1024, "bytes", GUIDE12, 0, coalescing, "filled", 32},
    {"constant, L1", "v100", 27, HOT, JIA_V, 0.05, constants, "L1", 1024},
    {"constant, L1.5", "v100", 89, HOT, JIA_V, 0.05, constants, "L1.5", 32768},
    {"constant, L2", "v100", 245, HOT, JIA_V, 0.05, constants, "L2", 32768},
    {"L2 reads", "v100", 2440, "GB/s", "gpu-benches (V100); Jia 2018: 2155", 0.05, l2_reads, NULL,
     0},
    {"load, stride 32: of DRAM", "v100", 2048, "bytes", JIA_V ": L2 lines of 64 bytes", 0,
     coalescing, "bytes", 32},
    {"uint division, dependent", "v100", 122, HOT, ARAFA_V, 0.06, chain, "div.u32 %a, %a, %b;", 10},
    {"int division, dependent", "v100", 127, HOT, ARAFA_V, 0.09, chain, "div.s32 %a, %a, %b;", 10},
    {"uint remainder, dependent", "v100", 117, HOT, ARAFA_V, 0.06, chain, "rem.u32 %a, %a, %b;",
     10},
    // ptxas's stall counts are 23 cycles a step without MUFU's own.
    {"rsqrt, dependent", "v100", 31, HOT, ARAFA_V, 0.20, chain, "rsqrt.approx.f32 %x, %x;", 0},
    {"half fma, dependent", "v100", 6, HOT, JIA_V, 0.05, chain, "fma.rn.f16x2 %a, %a, %b, %b;", 0},
    {"L1 reads", "v100", 126, "bytes/core clock/SM", "gpu-benches (V100), doubles; Jia 2018: 108.3", 0.05,
     l1_rate, NULL, 0},
    {"shared loads of 32 bits", "v100", 28, "accesses/hot clock/SM",
     "Jia 2018 (V100): 87.5 % of 32", 0.15, shared_rate, NULL, 32},
    {"shared loads of 64 bits", "v100", 16, "accesses/hot clock/SM", FORUM, 0.05, shared_rate, NULL,
     64},
    {"shared loads of 128 bits", "v100", 8, "accesses/hot clock/SM", FORUM, 0.05, shared_rate, NULL,
     128},
    {"shared loads of 64 bits, one address", "v100", 32, "accesses/hot clock/SM", FORUM, 0.05,
     shared_rate, "and.b32 %a, %a, 0;", 64},
    {"shared loads of 128 bits, one address", "v100", 16, "accesses/hot clock/SM", FORUM, 0.05,
     shared_rate, "and.b32 %a, %a, 0;", 128},
    {"16x16x16 product to floats, dependent", "v100", 40, HOT, RAIHAN, 0.03, products,
     WMMA("f32.f32", "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}"), 0},
    {"16x16x16 product to halves, dependent", "v100", 52, HOT, RAIHAN, 0.03, products,
     WMMA("f16.f16", "{%h0, %h1, %h2, %h3}"), 0},
    {"DRAM reads", "v100", 96.5, "% of peak", "gpu-benches (V100)", 0.06, bandwidth, "read", 0},
    {"DRAM copies", "v100", 83.3, "% of peak", JIA_V, 0.12, bandwidth, "copy", 0},
    {"DRAM scaled copies", "v100", 89.4, "% of peak", "gpu-benches (V100)", 0.05, bandwidth, "copy", 0},
    {"int add, dependent", "rtx2060s", 4, HOT, JIA_T, 0.03, chain, "add.u32 %a, %a, 5;", 0},
    {"logic, dependent", "rtx2060s", 4, HOT, JIA_T, 0.03, chain, "xor.b32 %a, %a, %b;", 0},
    {"fp32 fma, dependent", "rtx2060s", 4, HOT, JIA_T, 0.03, chain, "fma.rn.f32 %x, %x, %y, %y;",
     0},
    // ptxas leaves four cycles between dependent products.
    {"int mad, dependent", "rtx2060s", 5, HOT, JIA_T, 0.21, chain, "mad.lo.u32 %a, %a, %b, %b;", 0},
    {"fp64 add, dependent", "rtx2060s", 48, HOT, JIA_T, 0.03, chain, "add.f64 %u, %u, %v;", 0},
    {"rsqrt of normal numbers, dependent", "rtx2060s", 15, HOT, JIA_T, 0.05, chain,
     "rsqrt.approx.ftz.f32 %x, %x;", 0},
    {"L1 hit", "rtx2060s", 32, HOT, JIA_T, 0.05, chase_l1, LD, 0},
    {"L1 reads", "rtx2060s", 58.8, "bytes/core clock/SM", JIA_T, 0.10, l1_rate, NULL, 0},
    {"L2 hit, L1 off", "rtx2060s", 188, HOT, JIA_T, 0.05, chase_l2, LD_CG, 0},
    {"L2 hit, L1 off", "t4", 188, HOT, JIA_T, 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "rtx2060s", 424, HOT, "Arafa 2019 (TITAN RTX)", 0.05,
     chase_dram, LD_CG, 0},
    {"global load, never touched", "rtx2060s", 1100, HOT, "sjfeng1999 (RTX 2070)", 0.10,
     chase_untouched, LD_CG, 0},
    {"shared load", "rtx2060s", 19, HOT, JIA_T, 0.05, shared_chain, NULL, 0},
    {"shared loads of 32 bits", "rtx2060s", 15.5, "accesses/hot clock/SM", JIA_T, 0.05, shared_rate,
     NULL, 32},
    {"texture hit", "rtx2060s", 92, HOT, "Arafa 2019 (TITAN RTX)", 0.05, texture_chain, NULL, 0},
    {"int add", "rtx2060s", 64, OPS, GUIDE12, 0.06, rate, ADDCC4, 4},
    {"fp32 fma", "rtx2060s", 64, OPS, GUIDE12, 0.06, rate, FMA4, 4},
    {"rsqrt", "rtx2060s", 16, OPS, GUIDE12, 0.06, rate, RSQ4, 4},
    {"fp64 add", "rtx2060s", 2, OPS, GUIDE12, 0.06, rate, DADD4, 4},
    {"load, stride 1", "rtx2060s", 128, "bytes", GUIDE12, 0, coalescing, "filled", 1},
    {"load, stride 32", "rtx2060s", 1024, "bytes", GUIDE12, 0, coalescing, "filled", 32},
    {"constant, L1", "rtx2060s", 26, HOT, JIA_T, 0.05, constants, "L1", 1024},
    {"constant, L1.5", "rtx2060s", 92, HOT, JIA_T, 0.05, constants, "L1.5", 32768},
    {"constant, L2", "rtx2060s", 215, HOT, JIA_T, 0.05, constants, "L2", 32768},
    {"constant, L1.5, 32 warps: a line", "rtx2060s", 22.9, HOT, WINDOWS, 0.15, constant_lines, NULL,
     32},
    {"load, stride 32: of DRAM", "rtx2060s", 2048, "bytes", JIA_T ": L2 lines of 64 bytes", 0,
     coalescing, "bytes", 32},
    {"DRAM reads", "rtx2060s", 97.6, "% of peak", "gpu-benches (A40)", 0.08, bandwidth, "read", 0},
    {"DRAM scaled copies", "rtx2060s", 93.7, "% of peak", "gpu-benches (A40)", 0.08, bandwidth, "copy", 0},
    {"DRAM copies", "rtx2060s", 68.8, "% of peak", JIA_T, 0.35, bandwidth, "copy", 0},
    {"int add, dependent", "a100", 4, HOT, ABDELKHALIK, 0.03, chain, "add.u32 %a, %a, 5;", 0},
    {"logic, dependent", "a100", 4, HOT, DISTANCES, 0.03, chain, "xor.b32 %a, %a, %b;", 0},
    {"fp32 fma, dependent", "a100", 4, HOT, ABDELKHALIK, 0.03, chain, "fma.rn.f32 %x, %x, %y, %y;", 0},
    {"int mad, dependent", "a100", 4, HOT, DISTANCES, 0.03, chain, "mad.lo.u32 %a, %a, %b, %b;", 0},
    {"half fma, dependent", "a100", 4, HOT, DISTANCES, 0.03, chain, "fma.rn.f16x2 %a, %a, %b, %b;", 0},
    {"L1 hit", "a100", 33, HOT, ABDELKHALIK, 0.05, chase_l1, LD, 0},
    {"L2 reads", "a100", 5437, "GB/s", "gpu-benches (A100 80 GB, 8 MB)", 0.05, l2_reads, NULL, 128},
    {"L2 reads", "h100-pcie", 7034, "GB/s", "gpu-benches (H100 PCIe, 8 MB)", 0.05, l2_reads, NULL, 128},
    {"L1 hit", "a100", 36.1, HOT, "gpu-benches (A100)", 0.10, chase_l1, LD, 0},
    {"L2 hit, L1 off", "a100", 208, HOT, LUO_A ", near half", 0.05, chase_l2, LD_CG, 0},
    {"L2 hit, L1 off", "a100", 213, HOT, "gpu-benches (A100)", 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "a100", 549, HOT, LUO_A ", mean of near and far", 0.05, chase_dram, LD_CG, 0},
    {"shared load", "a100", 23, HOT, ABDELKHALIK, 0.05, shared_chain, NULL, 0},
    {"shared loads of 32 bits", "a100", 32, "accesses/hot clock/SM", LUO_A, 0.05, shared_rate, NULL, 32},
    {"int add", "a100", 64, OPS, GUIDE12, 0.06, rate, ADDCC4, 4},
    {"fp32 fma", "a100", 64, OPS, GUIDE12, 0.06, rate, FMA4, 4},
    {"int mul", "a100", 64, OPS, GUIDE12, 0.06, rate, MUL4, 4},
    {"shift", "a100", 64, OPS, GUIDE12, 0.06, rate, SHL4, 4},
    {"int and fp32 add together", "a100", 128, OPS, GUIDE12, 0.065, rate, INT_FP4, 4},
    {"packed half fma", "a100", 128, OPS, GUIDE12 ": 256, two in a lane", 0.08, rate, HFMA4, 4},
    {"rsqrt", "a100", 16, OPS, GUIDE12, 0.06, rate, RSQ4, 4},
    {"population count", "a100", 16, OPS, GUIDE12, 0.06, rate, POPC4, 4},
    {"fp64 add", "a100", 32, OPS, GUIDE12, 0.06, rate, DADD4, 4},
    {"load, stride 1", "a100", 128, "bytes", GUIDE12, 0, coalescing, "filled", 1},
    {"load, stride 32", "a100", 1024, "bytes", GUIDE12, 0, coalescing, "filled", 32},
    {"DRAM reads", "a100", 95.8, "% of peak", "gpu-benches (A100)", 0.06, bandwidth, "read", 192},
    {"DRAM scaled copies", "a100", 88.8, "% of peak", "gpu-benches (A100)", 0.05, bandwidth, "copy", 192},
    {"int add, dependent", "rtx3070", 4, HOT, DISTANCES, 0.03, chain, "add.u32 %a, %a, 5;", 0},
    {"fp32 fma, dependent", "rtx3070", 4, HOT, DISTANCES, 0.03, chain, "fma.rn.f32 %x, %x, %y, %y;", 0},
    {"half fma, dependent", "rtx3070", 4, HOT, DISTANCES, 0.03, chain, "fma.rn.f16x2 %a, %a, %b, %b;", 0},
    {"fp64 add, dependent", "rtx3070", 48.5, HOT, "openxla (sm_86)", 0.03, chain, "add.f64 %u, %u, %v;", 0},
    {"L1 hit", "rtx3070", 33, HOT, RTX3060, 0.05, chase_l1, LD, 0},
    {"L2 hit, L1 off", "rtx3070", 219, HOT, RTX3060, 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "rtx3070", 502, HOT, RTX3060 ", 475 to 530", 0.05, chase_dram, LD_CG, 0},
    {"shared load", "rtx3070", 24, HOT, "Huerta 2025 (A6000)", 0.05, shared_chain, NULL, 0},
    {"shared loads of 32 bits", "rtx4090", 32, "accesses/hot clock/SM",
     "Luo 2024 (RTX 4090): 127.9 bytes", 0.03, shared_rate, NULL, 32},
    {"L1 reads", "a40", 64.5, "bytes/core clock/SM", "gpu-benches (A40), floats", 0.03, l1_rate, NULL, 0},
    {"L1 reads", "rtx4090", 63.9, "bytes/core clock/SM", "gpu-benches (L40), floats", 0.03, l1_rate, NULL, 0},
    {"constant, L1.5", "rtx3070", 78, HOT, "nv_study (RTX 3070)", 0.05, constants, "L1.5", 32768},
    {"fence of the GPU", "rtx3070", 327, HOT, "nv_study (RTX 3070)", 0.05, chain, "membar.gl;", 0},
    {"constant, L2", "rtx3070", 238, HOT, "nv_study (RTX 3070)", 0.05, constants, "L2", 32768},
    {"int add", "rtx3070", 64, OPS, GUIDE12, 0.06, rate, ADDCC4, 4},
    {"fp32 fma", "rtx3070", 128, OPS, GUIDE12, 0.08, rate, FMA4, 4},
    {"int mul", "rtx3070", 64, OPS, GUIDE12, 0.06, rate, MUL4, 4},
    {"packed half fma", "rtx3070", 64, OPS, GUIDE12 ": two in a lane", 0.08, rate, HFMA4, 4},
    {"rsqrt", "rtx3070", 16, OPS, GUIDE12, 0.06, rate, RSQ4, 4},
    {"fp64 add", "rtx3070", 2, OPS, GUIDE12, 0.06, rate, DADD4, 4},
    {"L1 hit", "a6000", 34, HOT, "Huerta 2025 (A6000), 64 bits", 0.05, chase_l1, LD, 0},
    {"DRAM reads", "a6000", 97.6, "% of peak", "gpu-benches (A40)", 0.08, bandwidth, "read", 96},
    {"DRAM scaled copies", "a6000", 93.7, "% of peak", "gpu-benches (A40)", 0.08, bandwidth, "copy", 96},
    {"L1 hit", "rtx4090", 36.1, HOT, "HPMLL (RTX 4090)", 0.05, chase_l1, LD, 0},
    {"L2 hit, L1 off", "rtx4090", 273, HOT, "Luo 2024 (RTX 4090)", 0.05, chase_l2, LD_CG, 0},
    {"L2 hit, L1 off", "rtx4090", 285, HOT, "HPMLL (RTX 4090)", 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "rtx4090", 541.5, HOT, "Luo 2024 (RTX 4090)", 0.05, chase_dram, LD_CG, 0},
    {"DRAM reads", "rtx4090", 92, "% of peak", "Luo 2024 (RTX 4090)", 0.08, bandwidth, "read", 96},
    {"int add", "rtx4090", 64, OPS, GUIDE12, 0.06, rate, ADDCC4, 4},
    {"fp32 fma", "rtx4090", 128, OPS, GUIDE12, 0.08, rate, FMA4, 4},
    {"int mul", "rtx4090", 64, OPS, GUIDE12, 0.06, rate, MUL4, 4},
    {"packed half fma", "rtx4090", 64, OPS, GUIDE12 ": two in a lane", 0.08, rate, HFMA4, 4},
    {"rsqrt", "rtx4090", 16, OPS, GUIDE12, 0.06, rate, RSQ4, 4},
    {"fp64 add", "rtx4090", 2, OPS, GUIDE12, 0.06, rate, DADD4, 4},
    {"L2 hit, L1 off", "l40", 277, HOT, "gpu-benches (L40)", 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "l40", 631, HOT, "gpu-benches (L40)", 0.05, chase_dram, LD_CG, 0},
    {"DRAM reads", "l40", 97.7, "% of peak", "gpu-benches (L40), 844 of 864 GB/s", 0.08, bandwidth, "read", 96},
    {"L2 hit, L1 off", "h100-pcie", 265, HOT, "gpu-benches (H100 PCIe)", 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "h100-pcie", 650, HOT, "gpu-benches (H100 PCIe)", 0.05, chase_dram, LD_CG, 0},
    {"DRAM reads", "h100-pcie", 97.5, "% of peak", "gpu-benches (H100 PCIe)", 0.10, bandwidth, "read", 192},
    {"int add, dependent", "h100", 4, HOT, DISTANCES, 0.03, chain, "add.u32 %a, %a, 5;", 0},
    {"fp32 fma, dependent", "h100", 4, HOT, DISTANCES, 0.03, chain, "fma.rn.f32 %x, %x, %y, %y;", 0},
    {"half fma, dependent", "h100", 4, HOT, DISTANCES, 0.03, chain, "fma.rn.f16x2 %a, %a, %b, %b;", 0},
    {"fp64 add, dependent", "h100", 8, HOT, "FlashGPU-Sim (H200); " DISTANCES, 0.03, chain, "add.f64 %u, %u, %v;", 0},
    {"ex2, dependent", "h100", 18.91, HOT, "FlashGPU-Sim (H100)", 0.05, chain, "ex2.approx.ftz.f32 %x, %x;", 0},
    {"L1 hit", "h100", 32.0, HOT, "HPMLL (H800)", 0.05, chase_l1, LD, 0},
    {"L1 hit", "h100", 34.2, HOT, "gpu-benches (H100)", 0.08, chase_l1, LD, 0},
    {"L2 hit, L1 off", "h100", 258, HOT, "Luo 2025 (H800), near half", 0.05, chase_l2, LD_CG, 0},
    {"L2 hit, L1 off", "h100", 265, HOT, "gpu-benches (H100)", 0.05, chase_l2, LD_CG, 0},
    {"global load from DRAM, L1 off", "h100", 694, HOT, "gpu-benches (H100 PCIe), at 1980 MHz", 0.05, chase_dram, LD_CG, 0},
    {"bulk copy to use, L2", "h100", 365, HOT, "HPMLL (H800)", 0.05, chase_tma_l2, "", 0},
    {"bulk copy to use, DRAM", "h100", 799, HOT, "HPMLL (H800): 105 beyond a load", 0.05, chase_tma_dram, "", 0},
    {"bulk copies, gap", "h100", 32.5, HOT, "FlashGPU-Sim (H100)", 0.05, tma_issue, "", 0},
    {"mbarrier try_wait that succeeds", "h100", 43, HOT, "FlashGPU-Sim (H200)", 0.05, barrier_wait, "", 0},
    {"mbarrier try_wait that fails", "h100", 8654, HOT, "FlashGPU-Sim (H200): 4.37 us", 0.05, barrier_wait, "", 2},
    {"constant, L1.5", "h100", 106, HOT, "mt4g (H100)", 0.05, constants, "L1.5", 32768},
    {"DRAM reads", "h100", 97.5, "% of peak", "gpu-benches (H100 PCIe, HBM2E)", 0.10, bandwidth, "read", 192},
    // Machine code moves its address before each load, in 8 cycles, which our compiler's need not
    // (test_clusters.c has machine code): the latency is fitted to that.
    {"fence of the GPU", "h100", 927, HOT, "AMORA probe (H100): against the next row", 0.40, chain, "membar.gl;", 0},
    {"cluster.sync", "h100", 770, HOT, "public log (H800)", 0.05, cluster_syncs, "", 2},
    {"load of another SM, cluster of 2", "h100", 181, HOT, "HPMLL (H800)", 0.05, remote_loads, "", 2},
    {"load of another SM, cluster of 4", "h100", 204.1, HOT, "HPMLL (H800)", 0.05, remote_loads, "", 4},
    {"load of another SM, cluster of 16", "h100", 196.4, HOT, "HPMLL (H800)", 0.05, remote_loads, "", 16},
    {"load of another SM, cluster of 16", "h100", 193.4, HOT, "FlashGPU-Sim (H200)", 0.05, remote_loads, "", 16},
    {"loads of another SM, one way", "h100", 19.87, "bytes/cycle/SM", "FlashGPU-Sim (H200)", 0.05, remote_flow, REMOTE_LOADS, 0},
    {"loads of another SM, both ways", "h100", 15.37, "bytes/cycle/SM", "FlashGPU-Sim (H200)", 0.08, remote_flow, REMOTE_LOADS, 1},
    {"stores to another SM, one way", "h100", 18.87, "bytes/cycle/SM", "FlashGPU-Sim (H200)", 0.05, remote_flow, REMOTE_STORES, 0},
    {"stores to another SM, both ways", "h100", 18.12, "bytes/cycle/SM", "FlashGPU-Sim (H200)", 0.08, remote_flow, REMOTE_STORES, 1},
    // What goes to another SM is seen there at the end of the quantum, which is 104 cycles long; on its way it would
    // be longer.
    {"arrival at another SM's mbarrier, until its wait ends", "h100", 212, HOT, "FlashGPU-Sim (H200)", 0.40, remote_handing, "", 0},
    {"wgmma m64n256k16", "h100", 128, HOT, "Luo 2025 (H800)", 0.03, group_rate, "", 256},
    {"wgmma m64n64k16", "h100", 32, HOT, "FlashGPU-Sim (H200), 4096 operations a cycle", 0.03, group_rate, "", 64},
    {"wgmma m64n256k32 sparse", "h100", 144, HOT, "Luo 2025 (H800)", 0.03, group_rate, "sparse", 256},
    {"wgmma m64n256k32 sparse, A in registers", "h100", 128, HOT, "Luo 2025 (H800)", 0.03, group_rate, "sparse regs", 256},
    {"wait for wgmma m64n8k16, A in registers", "h100", 37, HOT, "FlashGPU-Sim (H200)", 0.10, group_wait, "regs", 8},
    {"wait for wgmma m64n64k16, A in registers", "h100", 65, HOT, "FlashGPU-Sim (H200)", 0.05, group_wait, "regs", 64},
    {"wait for wgmma m64n64k16", "h100", 75, HOT, "FlashGPU-Sim (H200)", 0.05, group_wait, "", 64},
    {"wait for wgmma m64n128k16", "h100", 107, HOT, "FlashGPU-Sim (H200)", 0.05, group_wait, "", 128},
    {"int add", "h100", 64, OPS, GUIDE12, 0.06, rate, ADDCC4, 4},
    {"fp32 fma", "h100", 128, OPS, GUIDE12, 0.08, rate, FMA4, 4},
    {"int mul", "h100", 64, OPS, GUIDE12, 0.06, rate, MUL4, 4},
    {"packed half fma", "h100", 128, OPS, GUIDE12 ": two in a lane", 0.08, rate, HFMA4, 4},
    {"rsqrt", "h100", 16, OPS, GUIDE12, 0.06, rate, RSQ4, 4},
    {"fp64 add", "h100", 64, OPS, GUIDE12, 0.06, rate, DADD4, 4},
    {"DRAM reads", "h200", 81, "% of peak", "gpu-benches (H200), 3.89 of 4.8 TB/s", 0.12, bandwidth, "read", 192},
};

// ---- docs/fidelity.md -----------------------------------------------------------------------
static void write_table(const char *path, const double *ours) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "| quantity | chip | published | ours | off by | unit | source |\n"
               "|---|---|---:|---:|---:|---|---|\n");
    for (size_t i = 0; i < WW_COUNT(rows); i++) {
        const struct row *r = &rows[i];
        fprintf(f, "| %s | %s | %.4g | %.4g | %+.0f %% | %s | %s |\n", r->quantity, r->gpu,
                r->published, ours[i], round(100 * (ours[i] / r->published - 1)) + 0.0, r->unit,
                r->source);
    }
    fclose(f);
    bench_replace(path, "<!-- micro: written by tests/gpu/test_micro.c -->\n", "<!-- /micro -->\n",
                  text);
    free(text);
}

static void published_numbers_come_back(void **state) {
    (void)state;
    double ours[WW_COUNT(rows)];
    uint32_t wrong = 0;
    const char *only = getenv("WW_MICRO"); // a part of a quantity's or chip's name
    for (size_t i = 0; i < WW_COUNT(rows); i++) {
        const struct row *r = &rows[i];
        ours[i] = 0;
        if (only && !strstr(r->quantity, only) && !strstr(r->gpu, only)) continue;
        ours[i] = r->measure(r);
        const double off = ours[i] / r->published - 1;
        const bool bad = !(fabs(off) <= r->tolerance + 1e-9);
        wrong += bad;
        if (bad || only)
            print_message("%s %s, %s: published %.4g, ours %.4g (%+.0f %%) %s\n", bad ? "!!" : "  ",
                          r->quantity, r->gpu, r->published, ours[i], 100 * off, r->unit);
    }
    if (getenv("WW_FIDELITY")) write_table(getenv("WW_FIDELITY"), ours);
    if (wrong) fail_msg("%u of %zu rows are off", wrong, WW_COUNT(rows));
}

// Sixteen pages of 2 MB, 32 MB in all, fit in an L1 TLB and seventeen do not; without TLBs it is all
// the same.
static void chases_have_a_knee_at_32_mb(void **state) {
    (void)state;
    static const char *const gpus[] = {"titanx-pascal", "v100", "rtx2060s"};
    const uint64_t page = UINT64_C(2) << 20;
    for (uint32_t i = 0; i < WW_COUNT(gpus); i++) {
        const double fits = chase(gpus[i], LD_CG, 16 * page + 1024, page, false);
        const double misses = chase(gpus[i], LD_CG, 17 * page + 1024, page, false);
        assert_true(fabs(misses - fits - 8) < 0.5);
        setenv("WW_MICRO_SET", "mem.tlb.l1_entries=0", 1);
        const double without = chase(gpus[i], LD_CG, 17 * page + 1024, page, false);
        unsetenv("WW_MICRO_SET");
        assert_true(fabs(without - fits) < 0.5);
    }
}

// A line of the second level takes 79 cycles on rtx2060s (sm.const_second_latency), and one more
// until a load that waited for the register asks for the next: with one register a line comes in 80
// cycles, with more as many lines do. The first cache has four lines, so that no warp finds what
// another one brought.
static void lines_of_constants_wait_for_registers(void **state) {
    (void)state;
    for (uint32_t registers = 1; registers <= 4; registers *= 2) {
        char set[128];
        snprintf(set, sizeof set, "sm.constant.bytes=256 sm.constant.mshrs=%u", registers);
        setenv("WW_MICRO_SET", set, 1);
        const double each = constant_lines(&(struct row){.gpu = "rtx2060s", .number = 32});
        unsetenv("WW_MICRO_SET");
        print_message("%u: %g\n", registers, each);
        assert_true(fabs(each * registers / 80 - 1) < 0.01);
    }
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_numbers_come_back),
                                       cmocka_unit_test(chases_have_a_knee_at_32_mb),
                                       cmocka_unit_test(lines_of_constants_wait_for_registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
