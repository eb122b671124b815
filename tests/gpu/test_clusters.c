// Clusters of blocks: what the forms compute, with time on one, two and four threads and without; what
// is refused; where blocks go; how long accesses of other blocks' memory and barriers take.
#include "test_gpu.h"

#include "gpu/cluster.h"

enum { WORDS = 1 << 15 };
struct way {
    bool functional;
    uint32_t threads;
};
static const struct way ways[] = {{false, 1}, {false, 2}, {false, 4}, {true, 1}, {true, 2}};
// What ptxas 12.9 makes of clusters.ptx for sm_90 is to do the same.
static bool is_machine_code;

static void open_way(struct bench *b, const struct way *w, const struct exec_options *checks) {
    struct gpu_options o;
    gpu_options_init(&o);
    o.functional = w->functional;
    o.host_threads = w->threads;
    if (checks) o.exec = *checks;
    bench_open(b, "h100", &o, NULL);
    if (!is_machine_code) {
        bench_file(b, WW_SOURCE_DIR "/tests/gpu/clusters.ptx");
        return;
    }
    char *image;
    size_t len;
    bench_ok(b, file_read(&b->arena, WW_SOURCE_DIR "/tests/gpu/clusters_sm_90.cubin", 1 << 20,
                          &image, &len, &b->diags));
    bench_ok(b, gpu_module_load(b->gpu, "clusters", image, len, NULL, &b->diags, &b->module));
}

struct call {
    const char *kernel;
    uint32_t grid[3], block, cluster[3];
    uint64_t a;
    uint32_t b, c;
    bool has_a, portable;
};
// Launches with the address of `out` first; answers the status.
static enum ww_status launch(struct bench *b, const struct call *c, uint64_t out) {
    struct gpu_kernel *k;
    bench_ok(b, gpu_kernel_find(b->module, c->kernel, &b->diags, &k));
    uint8_t block[64] = {0};
    uint32_t n = 8;
    memcpy(block, &out, 8);
    if (c->has_a) memcpy(block + n, &c->a, 8), n += 8;
    const struct code_param *params;
    uint32_t n_params;
    bench_ok(b, gpu_kernel_params(k, &b->diags, &params, &n_params));
    memcpy(block + n, &c->b, 4);
    memcpy(block + n + 4, &c->c, 4);
    const struct gpu_launch l = {
        .grid = {c->grid[0], c->grid[1] ? c->grid[1] : 1, c->grid[2] ? c->grid[2] : 1},
        .block = {c->block, 1, 1},
        .cluster = {c->cluster[0], c->cluster[1] ? c->cluster[1] : !!c->cluster[0],
                    c->cluster[2] ? c->cluster[2] : !!c->cluster[0]},
        .non_portable = !c->portable,
        .params = block,
        .param_bytes = params[n_params - 1].offset + params[n_params - 1].bytes};
    const enum ww_status s = gpu_launch(b->gpu, NULL, k, &l, &b->diags, NULL);
    return s == WW_OK ? gpu_synchronize(b->gpu, &b->diags) : s;
}

// Runs a call in each way; all must leave the same words, and those with time take the same cycles.
static void run_ways(const struct call *c, const void *in, uint32_t in_bytes, uint32_t out[WORDS]) {
    static uint32_t got[WORDS];
    uint64_t cycles = 0;
    for (size_t i = 0; i < WW_COUNT(ways); i++) {
        struct bench b;
        open_way(&b, &ways[i], NULL);
        memset(got, 0, sizeof got);
        const uint64_t to = bench_buffer(&b, got, sizeof got);
        struct call one = *c;
        if (in) one.a = bench_buffer(&b, in, in_bytes);
        bench_ok(&b, launch(&b, &one, to));
        bench_read(&b, got, to, sizeof got);
        if (!i) memcpy(out, got, sizeof got);
        assert_memory_equal(got, out, sizeof got);
        const struct gpu_result *const r = bench_last(&b);
        if (!i) cycles = r->cycles;
        if (!ways[i].functional) assert_int_equal(r->cycles, cycles);
        bench_close(&b);
    }
}

static void forms(void **state) {
    (void)state;
    static uint32_t out[WORDS];
    const uint32_t sizes[] = {1, 2, 3, 4, 8, 16};
    for (size_t s = 0; s < WW_COUNT(sizes); s++) {
        const uint32_t n = sizes[s], blocks = 3 * n;
        const struct call c = {"forms", {blocks}, 64, {n}};
        run_ways(&c, NULL, 0, out);
        for (uint32_t i = 0; i < blocks * 64; i++) {
            const uint32_t *const w = out + 8 * i, block = i / 64, rank = block % n;
            const uint32_t next = block - rank + (rank + 1) % n;
            assert_int_equal(w[0], rank);
            assert_int_equal(w[1], n);
            assert_int_equal(w[2], block / n);
            assert_int_equal(w[3], 3);
            // isspacep.shared::cta holds of the own block alone
            assert_int_equal(w[4], n == 1 ? (uint32_t)-200 : (rank + 1) % n);
            assert_int_equal(w[5], next);
            assert_int_equal(w[6], next + 1000);
            assert_int_equal(w[7], block + 11000);
        }
    }
}

static void coordinates(void **state) {
    (void)state;
    static uint32_t out[WORDS];
    const struct call c = {"coordinates", {4, 2, 6}, 32};
    run_ways(&c, NULL, 0, out);
    for (uint32_t z = 0; z < 6; z++)
        for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 4; x++) {
                const uint32_t *const w = out + 16 * ((z * 2 + y) * 4 + x);
                const uint32_t want[15] = {x / 2,
                                           y / 2,
                                           z / 2,
                                           2,
                                           1,
                                           3,
                                           x % 2,
                                           y % 2,
                                           z % 2,
                                           2,
                                           2,
                                           2,
                                           x % 2 + 2 * (y % 2) + 4 * (z % 2),
                                           8,
                                           1};
                assert_memory_equal(w, want, sizeof want);
            }
}

static void histogram(void **state) {
    (void)state;
    enum { N = 20000 };
    static uint8_t in[N];
    static uint32_t out[WORDS], want[256];
    uint32_t seed = 1;
    memset(want, 0, sizeof want);
    for (uint32_t i = 0; i < N; i++) {
        const float f = bench_random(&seed);
        in[i] = (uint8_t)(f * f * 256);
        want[in[i]]++;
    }
    const struct call c = {"histogram", {8}, 128, .has_a = true, .b = N};
    run_ways(&c, in, N, out);
    assert_memory_equal(out, want, sizeof want);
}

static void asynchronous(void **state) {
    (void)state;
    static uint32_t out[WORDS];
    const struct call c = {"asynchronous", {2}, 64};
    run_ways(&c, NULL, 0, out);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(out[i], i < 32 ? 500 + i : 507 + i);
}

static void elects(void **state) {
    (void)state;
    static uint32_t out[WORDS];
    const struct call c = {"elects", {1}, 32};
    run_ways(&c, NULL, 0, out);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *const w = out + 4 * i;
        assert_int_equal(w[0], 0);
        assert_int_equal(w[1], i == 0);
        assert_int_equal(w[2], i % 2 ? 1 : 99);
        assert_int_equal(w[3], i % 2 ? i == 1 : 99);
    }
}

static void apart(void **state) {
    (void)state;
    static uint32_t out[WORDS];
    const struct call c = {"apart", {4}, 64};
    run_ways(&c, NULL, 0, out);
    for (uint32_t i = 0; i < 4 * 64; i++) assert_int_equal(out[i], i % 64 < 48 ? (i / 64) ^ 1 : 0);
}

// Accesses that no block of the cluster has, or has no more, are faults, and say where.
static void faults(void **state) {
    (void)state;
    static const char *const words[] = {"in block 5 of the cluster, which has 2 blocks",
                                        "but the block has ",
                                        "of block 1 of the cluster, which has ended"};
    for (size_t i = 0; i < WW_COUNT(ways); i++) {
        for (uint32_t what = 0; what < 3; what++) {
            if (ways[i].functional && what == 2) continue; // there is no time in which it ends
            struct bench b;
            open_way(&b, &ways[i], NULL);
            const uint64_t to = bench_buffer(&b, NULL, 64);
            const struct call c = {"wrong", {2}, 32, .b = what};
            assert_int_equal(launch(&b, &c, to), WW_ERROR_ACCESS);
            char text[1024];
            diags_first(&b.diags, text, sizeof text);
            if (!strstr(text, words[what])) fail_msg("%s", text);
            bench_close(&b);
        }
    }
}

static void deadlock(void **state) {
    (void)state;
    for (size_t i = 0; i < WW_COUNT(ways); i++) {
        struct bench b;
        open_way(&b, &ways[i], NULL);
        const uint64_t to = bench_buffer(&b, NULL, 64);
        // Of the second block a warp waits at its own barrier, the other has come.
        assert_int_equal(launch(&b, &(struct call){"stuck", {2}, 64}, to), WW_ERROR_DEADLOCK);
        char text[1024];
        diags_first(&b.diags, text, sizeof text);
        if (!strstr(text, "the barrier of") || !strstr(text, "to which 32 threads have not come"))
            fail_msg("%s", text);
        bench_close(&b);
    }
}

static void refused(struct bench *b, const struct call *c, const char *why) {
    diags_free(&b->diags);
    diags_init(&b->diags);
    assert_int_equal(launch(b, c, 0), WW_ERROR_LAUNCH);
    char text[1024];
    diags_first(&b->diags, text, sizeof text);
    if (!strstr(text, why)) fail_msg("%s", text);
}
static void refusals(void **state) {
    (void)state;
    struct bench b;
    open_way(&b, &ways[0], NULL);
    refused(&b, &(struct call){"forms", {3}, 32, {2}}, "which clusters of 2 blocks do not divide");
    refused(&b, &(struct call){"forms", {32}, 32, {16}, .portable = true},
            "16 blocks; h100 takes 8");
    refused(&b, &(struct call){"forms", {32}, 32, {32}}, "32 blocks; h100 takes 16");
    refused(&b, &(struct call){"histogram", {8}, 32, {2}, .has_a = true},
            "2x1x1 blocks, but .reqnctapercluster says 4x1x1");
    bench_close(&b);
    bench_open(&b, "a100", NULL, NULL);
    const char *text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                       ".visible .entry forms(.param .u64 out) { ret; }\n";
    bench_text(&b, "t.ptx", text);
    refused(&b, &(struct call){"forms", {4}, 32, {2}}, "need compute capability 9.0");
    bench_close(&b);
}

// Nothing is found in what barriers of the cluster order, and what was never written is.
static void checks(void **state) {
    (void)state;
    const struct exec_options all = {
        .check_races = true, .check_uninitialised = true, .check_sync = true};
    static const struct call right[] = {{"forms", {8}, 64, {4}}, {"asynchronous", {2}, 64}};
    for (size_t i = 0; i < WW_COUNT(ways); i++) {
        for (size_t k = 0; k < WW_COUNT(right); k++) {
            struct bench b;
            open_way(&b, &ways[i], &all);
            const uint64_t to = bench_buffer(&b, NULL, 4 * WORDS);
            bench_ok(&b, launch(&b, &right[k], to));
            bench_close(&b);
        }
        struct bench b;
        open_way(&b, &ways[i], &all);
        const uint64_t to = bench_buffer(&b, NULL, 64);
        const struct call c = {"unwritten", {2}, 32};
        assert_int_equal(launch(&b, &c, to), WW_ERROR_ACCESS);
        char text[1024];
        diags_first(&b.diags, text, sizeof text);
        const char *const want =
            "of another block of the cluster, of which byte 0x40 was never written";
        if (!strstr(text, want)) fail_msg("%s", text);
        bench_close(&b);
    }
}

// Races between two blocks, without time: stores and loads of each other's memory with a barrier left out.
static void races_between_blocks(void **state) {
    (void)state;
    static const char *const want[] = {NULL, "of block 1, which block 0 wrote", "which block 0 read", NULL};
    for (int code = 0; code < 2; code++) {
        for (uint32_t mode = 0; mode < WW_COUNT(want); mode++) {
            struct gpu_options o;
            gpu_options_init(&o);
            o.functional = true;
            o.exec.check_races = true;
            struct bench b;
            bench_open(&b, "h100", &o, NULL);
            const char *const path = code ? "/tests/gpu/races_sm_90.cubin" : "/tests/gpu/races.ptx";
            char *image, name[1024];
            size_t len;
            snprintf(name, sizeof name, "%s%s", WW_SOURCE_DIR, path);
            bench_ok(&b, file_read(&b.arena, name, 1 << 20, &image, &len, &b.diags));
            bench_ok(&b, gpu_module_load(b.gpu, "races", image, len, NULL, &b.diags, &b.module));
            const uint64_t to = bench_buffer(&b, NULL, 128);
            const struct call c = {"meet", {2}, 32, .b = mode};
            const enum ww_status s = launch(&b, &c, to);
            char text[1024] = "";
            diags_first(&b.diags, text, sizeof text);
            if (want[mode] ? !strstr(text, want[mode]) : s != WW_OK) fail_msg("mode %u: %s", mode, text);
            bench_close(&b);
        }
    }
}

// ---- places -------------------------------------------------------------------------------------
static void gpcs(void **state) {
    (void)state;
    struct bench b;
    open_way(&b, &ways[0], NULL);
    uint8_t gpc[256], place[256];
    gpc_assign(&b.config, gpc, place);
    uint32_t size[GPC_MOST] = {0};
    for (uint32_t i = 0; i < 132; i++) size[gpc[i]]++;
    for (uint32_t k = 0; k < 8; k++) assert_int_equal(size[k], k < 6 ? 16 : 18);
    // Pairs go round: (0,1), (16,17), ... are of the first; the last two pairs of those with 18.
    assert_int_equal(gpc[0], gpc[17]);
    assert_int_equal(gpc[2], 1);
    assert_int_equal(gpc[128], 6);
    assert_int_equal(gpc[131], 7);
    // Blocks of each cluster are in one GPC, on an SM each.
    static uint32_t out[WORDS];
    const uint64_t to = bench_buffer(&b, out, sizeof out);
    bench_ok(&b, launch(&b, &(struct call){"places", {128}, 32, {8}}, to));
    bench_read(&b, out, to, sizeof out);
    for (uint32_t k = 0; k < 16; k++) {
        uint64_t seen = 0;
        for (uint32_t r = 0; r < 8; r++) {
            const uint32_t i = out[8 * k + r];
            assert_int_equal(gpc[i], gpc[out[8 * k]]);
            assert_int_equal(seen >> place[i] & 1, 0);
            seen |= UINT64_C(1) << place[i];
        }
    }
    bench_close(&b);
}

static void occupancy(void **state) {
    (void)state;
    struct bench b;
    open_way(&b, &ways[0], NULL);
    struct gpu_kernel *k;
    bench_ok(&b, gpu_kernel_find(b.module, "forms", &b.diags, &k));
    // One block an SM: 6 GPCs of 16 SMs and 2 of 18.
    static const struct {
        uint32_t blocks, clusters;
    } want[] = {{2, 66}, {3, 6 * 5 + 2 * 6}, {4, 32}, {8, 16}, {16, 8}};
    for (size_t i = 0; i < WW_COUNT(want); i++) {
        uint32_t n;
        const struct gpu_launch l = {.grid = {want[i].blocks, 1, 1},
                                     .block = {64, 1, 1},
                                     .cluster = {want[i].blocks, 1, 1},
                                     .dynamic_shared = 200 << 10,
                                     .non_portable = true};
        bench_ok(&b, gpu_launch_max_clusters(k, &l, &b.diags, &n));
        assert_int_equal(n, want[i].clusters);
    }
    bench_close(&b);
}

// ---- time -----------------------------------------------------------------------------------------
static uint32_t timed(const struct call *c, uint32_t out[4]) {
    struct bench b;
    open_way(&b, &ways[0], NULL);
    memset(out, 0, 16);
    const uint64_t to = bench_buffer(&b, out, 16);
    bench_ok(&b, launch(&b, c, to));
    bench_read(&b, out, to, 16);
    bench_close(&b);
    return out[0];
}

// A dependent load takes 180 cycles as machine code, which has two moves for its address, and what both
// SMs are away (gpus/h100.yaml): as many as between those pairs of SMs of an H800 (dsm-latency: least 180, 0 to 1: 207, 0 to 14: 205, 0 to 15: 205).
static void latencies(void **state) {
    (void)state;
    static const struct {
        uint32_t blocks, rank, cycles, from, to;
    } want[] = {{16, 1, 180 + 18 + 15, 0, 1},
                {16, 2, 180 + 18 + 10, 0, 16},
                {16, 15, 180 + 18 + 0, 0, 113},
                {2, 1, 180 + 1 + 0, 131, 130}};
    for (size_t i = 0; i < WW_COUNT(want); i++) {
        uint32_t out[4];
        timed(&(struct call){"chase", {want[i].blocks}, 1, {want[i].blocks}, .b = want[i].rank},
              out);
        assert_int_equal(out[1], want[i].from);
        assert_int_equal(out[2], want[i].to);
        const double moves = is_machine_code ? 0 : 8, each = out[0] / 64.0 + moves;
        if (each < want[i].cycles - 1.5 || each > want[i].cycles + 1.5)
            fail_msg("%u blocks, rank %u: %g cycles, %u expected", want[i].blocks, want[i].rank,
                     each, want[i].cycles);
    }
}

// A warp that waits with a limit of 10 ms goes on when the phase is over, also where the machine's own
// limit of a try (4 us) has passed before: machine code sleeps for the phase then (NANOSLEEP.SYNCS).
static void sleeps(void **state) {
    (void)state;
    uint32_t out[4];
    const uint32_t cycles = timed(&(struct call){"sleeps", {1}, 64, {0}, .portable = true}, out);
    if (cycles == 0 || cycles > 150) fail_msg("%u cycles after the arrival", cycles);
}

static void machine_code(void **state) {
    is_machine_code = true;
    sleeps(state);
    asynchronous(state);
    forms(state);
    coordinates(state);
    histogram(state);
    apart(state);
    elects(state);
    faults(state);
    latencies(state);
    is_machine_code = false;
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),     cmocka_unit_test(coordinates),  cmocka_unit_test(histogram),
        cmocka_unit_test(elects),    cmocka_unit_test(asynchronous), cmocka_unit_test(machine_code),
        cmocka_unit_test(checks), cmocka_unit_test(races_between_blocks),    cmocka_unit_test(apart),        cmocka_unit_test(faults),
        cmocka_unit_test(deadlock),  cmocka_unit_test(refusals),     cmocka_unit_test(gpcs),
        cmocka_unit_test(occupancy), cmocka_unit_test(latencies),    cmocka_unit_test(sleeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
