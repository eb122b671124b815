// Four kernels against another simulator's results for them (docs/fidelity.md). The kernels are not
// part of the tree: without WARPWATT_REFERENCE_RUNS, the folder that has them, there is nothing to
// do.
#include "activity/mem.h"
#include "activity/sm.h"
#include "test_gpu.h"

#include <math.h>

// As that simulator printed them: cycles, thread and warp instructions, L1 and L2 hit rates, DRAM
// reads and writes (32 and 64 bytes).
struct reference {
    const char *kernel;
    uint32_t launches;
    uint64_t cycles, threads, warps;
    double l1, l2;
    uint64_t reads, writes;
};
static const struct reference references[] = {
    {"vecadd", 1, 86605, 22020096, 720896, 0, 0, 262154, 60938},
    {"reduce", 1, 41107, 27265024, 944128, 0, 0, 131098, 98},
    {"blackscholes", 1, 56963, 34800000, 1100000, 0, 0, 150030, 44348},
    {"stencil5", 10, 386499, 149391360, 5079040, 0.44, 0.62, 655382, 159592},
};

static uint64_t floats(struct bench *b, uint32_t n, float from, float to) {
    static uint32_t seed = 12345;
    float *p = malloc(n * sizeof *p);
    for (uint32_t i = 0; i < n; i++) p[i] = from + (to - from) * bench_random(&seed);
    const uint64_t d = bench_buffer(b, p, (uint64_t)n * 4);
    free(p);
    return d;
}

static void run_kernel(struct bench *b, const struct reference *r) {
    const uint32_t million = 1u << 20;
    if (strcmp(r->kernel, "vecadd") == 0) {
        const uint64_t x = floats(b, million, 0, 1), y = floats(b, million, 0, 1),
                       z = bench_buffer(b, NULL, 4ull * million);
        bench_ok(b, bench_try(b, "vecadd", 4096, 1, 256, 1, "8884", x, y, z, million));
    } else if (strcmp(r->kernel, "reduce") == 0) {
        const uint64_t x = floats(b, million, 0, 1), z = bench_buffer(b, NULL, 8192);
        bench_ok(b, bench_try(b, "reduce", 2048, 1, 256, 1, "884", x, z, million));
    } else if (strcmp(r->kernel, "blackscholes") == 0) {
        const uint32_t n = 400000;
        const uint64_t s = floats(b, n, 5, 30), x = floats(b, n, 1, 100),
                       t = floats(b, n, 0.25f, 10), call = bench_buffer(b, NULL, 4ull * n),
                       put = bench_buffer(b, NULL, 4ull * n);
        bench_ok(b, bench_try(b, "blackscholes", 3125, 1, 128, 1, "88888ff4", s, x, t, call, put,
                              0.02, 0.3, n));
    } else {
        const uint32_t n = 512 * 512;
        uint64_t in = floats(b, n, 0, 1), out = bench_buffer(b, NULL, 4ull * n);
        const uint64_t p = floats(b, n, 0, 1);
        for (uint32_t i = 0; i < r->launches; i++) {
            bench_ok(
                b, bench_try(b, "stencil5", 32, 32, 16, 16, "88844f", in, p, out, 512u, 512u, 0.1));
            const uint64_t t = in;
            in = out;
            out = t;
        }
    }
}

static double part(uint64_t some, uint64_t all) { return all ? (double)some / (double)all : 0; }

static void like_the_other_simulator(void **state) {
    (void)state;
    const char *folder = getenv("WARPWATT_REFERENCE_RUNS");
    if (!folder) skip();
    char *table = NULL;
    size_t size;
    FILE *f = open_memstream(&table, &size);
    fprintf(f, "| kernel | | cycles | thread instructions | warp instructions | L1 hits | L2 hits "
               "| DRAM reads | DRAM writes |\n"
               "|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < WW_COUNT(references); i++) {
        const struct reference *r = &references[i];
        struct bench b;
        char path[1024];
        bench_open(&b, "gtx480", NULL, NULL);
        snprintf(path, sizeof path, "%s/%s.ptx", folder, r->kernel);
        bench_file(&b, path);
        run_kernel(&b, r);
        struct activity sum = {0};
        for (uint32_t k = 0; k < gpu_result_count(b.gpu); k++)
            activity_add(&sum, &gpu_result_at(b.gpu, k)->activity);
        const uint64_t *c = sum.c;
        const double l1 = part(c[ACT_l1_read_hits] + c[ACT_l1_read_merges], c[ACT_l1_reads]);
        const double l2 = part(c[ACT_l2_read_hits], c[ACT_l2_reads]);
        fprintf(f, "| %s | theirs | %llu | %llu | %llu | %.2f | %.2f | %llu | %llu x 64 B |\n",
                r->kernel, (unsigned long long)r->cycles, (unsigned long long)r->threads,
                (unsigned long long)r->warps, r->l1, r->l2, (unsigned long long)r->reads,
                (unsigned long long)r->writes);
        fprintf(f, "| | ours | %llu | %llu | %llu | %.2f | %.2f | %llu | %llu x 32 B |\n",
                (unsigned long long)c[ACT_cycles], (unsigned long long)c[ACT_thread_instructions],
                (unsigned long long)c[ACT_warp_instructions], l1, l2,
                (unsigned long long)c[ACT_dram_reads], (unsigned long long)c[ACT_dram_writes]);
        fprintf(f, "| | | %+.0f %% | | | | | %+.1f %% | %+.1f %% |\n",
                round(100 * (part(c[ACT_cycles], r->cycles) - 1)) + 0.0,
                round(1000 * (part(c[ACT_dram_reads], r->reads) - 1)) / 10 + 0.0,
                round(1000 * (part(c[ACT_dram_writes], 2 * r->writes) - 1)) / 10 + 0.0);
        assert_true(fabs(part(c[ACT_dram_reads], r->reads) - 1) < 0.05);
        assert_true(fabs(part(c[ACT_dram_writes], 2 * r->writes) - 1) < 0.05);
        assert_true(fabs(part(c[ACT_cycles], r->cycles) - 1) < 0.40);
        assert_true(fabs(l1 - r->l1) < 0.05);
        bench_close(&b);
    }
    fclose(f);
    if (getenv("WW_FIDELITY"))
        bench_replace(getenv("WW_FIDELITY"),
                      "<!-- reference: written by tests/gpu/test_reference.c -->\n",
                      "<!-- /reference -->\n", table);
    free(table);
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(like_the_other_simulator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
