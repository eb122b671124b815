// Two kernels of `warpwatt bench` on h100, written here as nobody compiles them for us: a product of matrices by
// specialised warps (a producer that copies boxes of tensors, two groups that multiply), and a stream. Both are checked
// against the host, so that a wrong one is no measurement.
#include "cli/bench.h"
#include "isa/tensor_map.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

// C = A * B^T, halves in, floats out; A is M by K, B is N by K, both with K consecutive. A block computes 128 by 128
// with tiles of 64 along K in four stages of 32 KB, swizzled by 128 bytes. Warps 0 to 3 produce, 4 to 7 and 8 to 11
// multiply 64 rows each.
enum { TILE = 128, TILE_K = 64, STAGES = 4, STAGE_BYTES = 2 * 2 * TILE * TILE_K, GROUPS = 3 };
static const char GEMM_HEAD[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".extern .shared .align 1024 .b8 stage[];\n"
    ".visible .entry gemm(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128], .param .u64 c, .param .u32 k)\n"
    "{\n"
    "  .reg .pred %p, %q, %first; .reg .b32 %r<24>, %full, %empty, %s, %kt, %ks; .reg .b64 %d<12>, %ma, %mb;\n"
    "  .reg .f32 %f<64>;\n"
    "  .shared .align 8 .b64 full[4]; .shared .align 8 .b64 empty[4];\n"
    "  mov.u32 %full, full; mov.u32 %empty, empty; mov.u32 %r0, %tid.x;\n"
    "  setp.ne.u32 %p, %r0, 0; @%p bra READY;\n"
    "  mbarrier.init.shared.b64 [%full], 1; mbarrier.init.shared.b64 [%full+8], 1;\n"
    "  mbarrier.init.shared.b64 [%full+16], 1; mbarrier.init.shared.b64 [%full+24], 1;\n"
    "  mbarrier.init.shared.b64 [%empty], 2; mbarrier.init.shared.b64 [%empty+8], 2;\n"
    "  mbarrier.init.shared.b64 [%empty+16], 2; mbarrier.init.shared.b64 [%empty+24], 2;\n"
    "  fence.mbarrier_init.release.cluster; fence.proxy.async;\n"
    "READY:\n"
    "  bar.sync 0;\n"
    "  ld.param.u32 %ks, [k]; shr.u32 %ks, %ks, 6; mov.u32 %kt, 0;\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; shl.b32 %r1, %r1, 7; shl.b32 %r2, %r2, 7;\n"
    "  setp.ge.u32 %p, %r0, 128; @%p bra CONSUME;\n"
    "  setmaxnreg.dec.sync.aligned.u32 40;\n"
    "  setp.ne.u32 %p, %r0, 0; @%p bra DONE;\n"
    "  mov.b64 %ma, a; cvta.param.u64 %ma, %ma; mov.b64 %mb, b; cvta.param.u64 %mb, %mb;\n"
    "PRODUCE:\n"
    "  and.b32 %s, %kt, 3; shl.b32 %r3, %s, 3; add.u32 %r4, %full, %r3; add.u32 %r5, %empty, %r3;\n"
    "  shr.u32 %r6, %kt, 2; and.b32 %r6, %r6, 1; xor.b32 %r6, %r6, 1;\n"
    "FREE:\n"
    "  mbarrier.try_wait.parity.shared.b64 %q, [%r5], %r6; @!%q bra FREE;\n"
    "  mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 32768;\n"
    "  shl.b32 %r7, %s, 15; mov.u32 %r8, stage; add.u32 %r7, %r7, %r8; add.u32 %r9, %r7, 16384; shl.b32 %r10, %kt, 6;\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%ma, {%r10, %r2}], [%r4];\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%mb, {%r10, %r1}], [%r4];\n"
    "  add.u32 %kt, %kt, 1; setp.lt.u32 %p, %kt, %ks; @%p bra PRODUCE;\n"
    "  bra DONE;\n"
    "CONSUME:\n"
    "  setmaxnreg.inc.sync.aligned.u32 200;\n"
    "  shr.u32 %r3, %r0, 7; sub.u32 %r3, %r3, 1;\n" // which 64 rows
    "  mov.u32 %r4, stage; shl.b32 %r5, %r3, 13; add.u32 %r5, %r5, %r4; add.u32 %r6, %r4, 16384;\n"
    "  shr.u32 %r5, %r5, 4; shr.u32 %r6, %r6, 4; cvt.u64.u32 %d0, %r5; cvt.u64.u32 %d1, %r6;\n"
    "  mov.b64 %d2, 0x4000004000010000; or.b64 %d0, %d0, %d2; or.b64 %d1, %d1, %d2;\n"
    "MULTIPLY:\n"
    "  and.b32 %s, %kt, 3; shl.b32 %r7, %s, 3; add.u32 %r8, %full, %r7; add.u32 %r9, %empty, %r7;\n"
    "  shr.u32 %r10, %kt, 2; and.b32 %r10, %r10, 1;\n"
    "THERE:\n"
    "  mbarrier.try_wait.parity.shared.b64 %q, [%r8], %r10; @!%q bra THERE;\n"
    "  shl.b32 %r11, %s, 11; cvt.u64.u32 %d3, %r11; add.u64 %d4, %d0, %d3; add.u64 %d5, %d1, %d3;\n"
    "  setp.ne.u32 %first, %kt, 0;\n"
    "  wgmma.fence.sync.aligned;\n";
static const char GEMM_TAIL[] =
    "  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
    "  and.b32 %r12, %r0, 127; setp.eq.u32 %p, %r12, 0; @%p mbarrier.arrive.shared.b64 _, [%r9];\n"
    "  add.u32 %kt, %kt, 1; setp.lt.u32 %p, %kt, %ks; @%p bra MULTIPLY;\n"
    // row: 64 rows a group, 16 a warp, lane / 4; column: 2 (lane % 4)
    "  ld.param.u64 %d6, [c]; mov.u32 %r13, %nctaid.x; shl.b32 %r13, %r13, 7;\n"
    "  and.b32 %r14, %r0, 127; shr.u32 %r15, %r14, 5; shl.b32 %r15, %r15, 4; and.b32 %r16, %r14, 31; shr.u32 %r17, %r16, 2;\n"
    "  add.u32 %r15, %r15, %r17; shl.b32 %r18, %r3, 6; add.u32 %r15, %r15, %r18; add.u32 %r15, %r15, %r2;\n"
    "  and.b32 %r16, %r16, 3; shl.b32 %r16, %r16, 1; add.u32 %r16, %r16, %r1;\n"
    "  mad.lo.u32 %r19, %r15, %r13, %r16; mul.wide.u32 %d7, %r19, 4; add.u64 %d6, %d6, %d7;\n"
    "  shl.b32 %r13, %r13, 5; cvt.u64.u32 %d8, %r13; add.u64 %d8, %d8, %d6;\n";
static const char STREAM[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry stream(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<12>; .reg .b64 %d<8>;\n"
    "  ld.param.u64 %d0, [a]; ld.param.u64 %d1, [b]; ld.param.u64 %d2, [c]; ld.param.u32 %r5, [n];\n"
    "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n"
    "  mov.u32 %r3, %nctaid.x; mul.lo.u32 %r3, %r3, %r1;\n"
    "NEXT:\n"
    "  setp.ge.u32 %p, %r0, %r5; @%p bra DONE;\n"
    "  mul.wide.u32 %d3, %r0, 16; add.u64 %d4, %d0, %d3; add.u64 %d5, %d1, %d3; add.u64 %d6, %d2, %d3;\n"
    "  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d4]; ld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%d5];\n"
    "  fma.rn.f32 %f0, %f4, 0f40400000, %f0; fma.rn.f32 %f1, %f5, 0f40400000, %f1;\n"
    "  fma.rn.f32 %f2, %f6, 0f40400000, %f2; fma.rn.f32 %f3, %f7, 0f40400000, %f3;\n"
    "  st.global.v4.f32 [%d6], {%f0, %f1, %f2, %f3};\n"
    "  add.u32 %r0, %r0, %r3; bra NEXT;\n"
    "DONE:\n  ret;\n}\n";

static void add(char **at, const char *text) {
    const size_t n = strlen(text);
    memcpy(*at, text, n);
    *at += n;
}
// A stage's four products of depth 16, each 32 bytes on; the first of all clears the sums. Then the stores.
static void write_gemm(char *at) {
    char line[160];
    add(&at, GEMM_HEAD);
    for (int step = 0; step < TILE_K / 16; step++) {
        if (step) add(&at, "  add.u64 %d4, %d4, 2; add.u64 %d5, %d5, 2; setp.eq.u32 %first, %r0, %r0;\n");
        add(&at, "  wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {");
        for (int k = 0; k < TILE / 2; k++) {
            snprintf(line, sizeof line, "%s%%f%d", k ? ", " : "", k);
            add(&at, line);
        }
        add(&at, "}, %d4, %d5, %first, 1, 1, 0, 0;\n");
    }
    add(&at, GEMM_TAIL);
    for (int k = 0; k < TILE / 8; k++) {
        snprintf(line, sizeof line,
                 "  st.global.v2.f32 [%%d6+%d], {%%f%d, %%f%d}; st.global.v2.f32 [%%d8+%d], {%%f%d, %%f%d};\n", 32 * k,
                 4 * k, 4 * k + 1, 32 * k, 4 * k + 2, 4 * k + 3);
        add(&at, line);
    }
    add(&at, "DONE:\n  ret;\n}\n");
    *at = 0;
}

struct rig {
    struct cli *c;
    struct gpu *gpu;
    struct gpu_module *module;
};
static double seconds(clockid_t of) {
    struct timespec t;
    clock_gettime(of, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static enum ww_status put(struct rig *r, const void *from, uint64_t bytes, uint64_t *at) {
    const enum ww_status s = gpu_malloc(r->gpu, bytes, NULL, &r->c->diags, at);
    return s != WW_OK || !from ? s : gpu_write(r->gpu, *at, from, bytes, &r->c->diags);
}
static enum ww_status launch(struct rig *r, const char *name, const struct gpu_launch *l,
                             struct bench_figures *f) {
    struct gpu_kernel *k;
    enum ww_status s = gpu_kernel_find(r->module, name, &r->c->diags, &k);
    const double wall = seconds(CLOCK_MONOTONIC), user = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (s == WW_OK) s = gpu_launch(r->gpu, NULL, k, l, &r->c->diags, NULL);
    if (s == WW_OK) s = gpu_synchronize(r->gpu, &r->c->diags);
    f->host_s = seconds(CLOCK_MONOTONIC) - wall;
    f->user_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - user;
    if (s != WW_OK) return s;
    const struct gpu_result *const x = gpu_result_at(r->gpu, gpu_result_count(r->gpu) - 1);
    f->cycles = x->cycles;
    f->warp = x->warp_instructions;
    f->thread = x->thread_instructions;
    return WW_OK;
}

// ---- the product ------------------------------------------------------------------------------------
enum { M = 11 * TILE, N = 12 * TILE, K = 512 }; // 132 blocks, one an SM
// Halves of -2 to 2, whose sums of products are exact.
static int value(uint32_t i) { return (int)((i * 2654435761u >> 13) % 5) - 2; }
static uint16_t half_of(int v) {
    static const uint16_t bits[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000};
    return bits[v + 2];
}
static void map_of(uint64_t address, uint32_t rows, uint8_t *to) {
    const struct tensor_map m = {.address = address,
                                 .stride = {2, 2 * K},
                                 .dim = {K, rows, 1, 1, 1},
                                 .box = {TILE_K, TILE, 1, 1, 1},
                                 .step = {1, 1, 1, 1, 1},
                                 .rank = 2,
                                 .type = TENSOR_f16,
                                 .swizzle = TENSOR_SWIZZLE_128};
    uint32_t word[TENSOR_MAP_WORDS] = {0};
    tensor_map_write(&m, word);
    memcpy(to, word, sizeof word);
}
static enum ww_status check_gemm(struct rig *r, uint64_t c) {
    float *const got = malloc(4ul * M * N);
    enum ww_status s = got ? gpu_read(r->gpu, got, c, 4ull * M * N, &r->c->diags) : WW_ERROR_MEMORY;
    for (uint32_t at = 0; s == WW_OK && at < (uint32_t)M * N; at += 997) {
        const uint32_t row = at / N, column = at % N;
        int sum = 0;
        for (uint32_t k = 0; k < K; k++) sum += value(row * K + k) * value(column * K + k + 7);
        if (got[at] != (float)sum)
            s = diag_add(&r->c->diags, WW_ERROR_LAUNCH, "bench: gemm: [%u][%u] is %g, expected %d", row, column,
                         (double)got[at], sum);
    }
    free(got);
    return s;
}
static enum ww_status gemm(struct rig *r, struct bench_figures *f) {
    uint16_t *const data = malloc(2ul * K * (M + N));
    if (!data) return diag_add(&r->c->diags, WW_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < (uint32_t)M * K; i++) data[i] = half_of(value(i));
    for (uint32_t i = 0; i < (uint32_t)N * K; i++) data[M * K + i] = half_of(value(i + 7));
    uint64_t a = 0, b = 0, c = 0;
    enum ww_status s = put(r, data, 2ull * K * M, &a);
    if (s == WW_OK) s = put(r, data + (size_t)M * K, 2ull * K * N, &b);
    if (s == WW_OK) s = put(r, NULL, 4ull * M * N, &c);
    free(data);
    if (s != WW_OK) return s;
    struct {
        uint8_t a[TENSOR_MAP_BYTES], b[TENSOR_MAP_BYTES];
        uint64_t c;
        uint32_t k;
    } params = {.c = c, .k = K};
    map_of(a, M, params.a);
    map_of(b, N, params.b);
    const struct gpu_launch l = {.grid = {N / TILE, M / TILE, 1},
                                 .block = {128 * GROUPS, 1, 1},
                                 .dynamic_shared = STAGES * STAGE_BYTES,
                                 .params = &params,
                                 .param_bytes = 2 * TENSOR_MAP_BYTES + 12};
    s = launch(r, "gemm", &l, f);
    f->products = (double)M * N * K;
    return s == WW_OK ? check_gemm(r, c) : s;
}

// ---- the stream ---------------------------------------------------------------------------------------
enum { VECTORS = 1 << 18 }; // of four floats
static enum ww_status stream(struct rig *r, struct bench_figures *f) {
    float *const data = malloc(16ul * VECTORS);
    if (!data) return diag_add(&r->c->diags, WW_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < 4u * VECTORS; i++) data[i] = (float)(i % 1024);
    uint64_t at[3] = {0};
    enum ww_status s = WW_OK;
    for (int k = 0; k < 3 && s == WW_OK; k++) s = put(r, k < 2 ? data : NULL, 16ull * VECTORS, &at[k]);
    struct {
        uint64_t at[3];
        uint32_t n;
    } params = {{at[0], at[1], at[2]}, VECTORS};
    const struct gpu_launch l = {
        .grid = {132 * 2, 1, 1}, .block = {256, 1, 1}, .params = &params, .param_bytes = 28};
    if (s == WW_OK) s = launch(r, "stream", &l, f);
    if (s == WW_OK) s = gpu_read(r->gpu, data, at[2], 16ull * VECTORS, &r->c->diags);
    for (uint32_t i = 0; s == WW_OK && i < 4u * VECTORS; i++)
        if (data[i] != 4 * (float)(i % 1024))
            s = diag_add(&r->c->diags, WW_ERROR_LAUNCH, "bench: stream: [%u] is %g, expected %g", i, (double)data[i],
                         4.0 * (i % 1024));
    free(data);
    return s;
}

enum ww_status bench_hopper(struct cli *c, const char *name, bool functional, struct bench_figures *f) {
    const bool is_gemm = !strcmp(name, "gemm");
    static char text[16384];
    if (is_gemm)
        write_gemm(text);
    else
        memcpy(text, STREAM, sizeof STREAM);
    struct rig r = {.c = c};
    struct gpu_config *const config = gpu_config_new(&c->arena);
    struct gpu_options o;
    gpu_options_init(&o);
    o.functional = functional;
    o.keep_results = true;
    o.host_threads = 1;
    *f = (struct bench_figures){0};
    enum ww_status s = gpu_config_load("h100", NULL, 0, &c->diags, config);
    if (s == WW_OK) s = gpu_create(config, &o, &c->diags, &r.gpu);
    if (s == WW_OK) s = gpu_module_load(r.gpu, name, text, strlen(text), NULL, &c->diags, &r.module);
    if (s == WW_OK) s = is_gemm ? gemm(&r, f) : stream(&r, f);
    gpu_destroy(r.gpu);
    return s;
}
