// What the tests of a device share: opening one, loading PTX, buffers, launches.
#ifndef WW_TEST_GPU_H
#define WW_TEST_GPU_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "code/code.h"
#include "gpu/fields.h"
#include "gpu/gpu.h"

struct bench {
    struct gpu *gpu;
    struct gpu_config config;
    struct gpu_module *module;
    struct diags diags;
    struct arena arena;
};

static inline void bench_ok(struct bench *b, enum ww_status s) {
    if (s == WW_OK) return;
    diags_print(&b->diags, stderr);
    fail_msg("%s", ww_status_text(s));
}

// `options` may be NULL. Overrides: up to a NULL.
static inline void bench_open(struct bench *b, const char *gpu, const struct gpu_options *options,
                              const char *const *overrides) {
    memset(b, 0, sizeof *b);
    diags_init(&b->diags);
    arena_init(&b->arena, NULL);
    uint32_t n = 0;
    while (overrides && overrides[n]) n++;
    bench_ok(b, gpu_config_load(gpu, overrides, n, &b->diags, &b->config));
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = 1;
    if (options) o = *options;
    o.keep_results = true;
    bench_ok(b, gpu_create(&b->config, &o, &b->diags, &b->gpu));
}

static inline void bench_close(struct bench *b) {
    gpu_destroy(b->gpu);
    diags_free(&b->diags);
    arena_free(&b->arena);
}

static inline void bench_text(struct bench *b, const char *name, const char *text) {
    bench_ok(b, gpu_module_load(b->gpu, name, text, strlen(text), NULL, &b->diags, &b->module));
}

static inline void bench_file(struct bench *b, const char *path) {
    char *text;
    size_t len;
    bench_ok(b, file_read(&b->arena, path, 1 << 20, &text, &len, &b->diags));
    bench_ok(b, gpu_module_load(b->gpu, path, text, len, NULL, &b->diags, &b->module));
}

static inline uint64_t bench_buffer(struct bench *b, const void *data, uint64_t bytes) {
    uint64_t addr = 0;
    bench_ok(b, gpu_malloc(b->gpu, bytes, NULL, &b->diags, &addr));
    if (data) bench_ok(b, gpu_write(b->gpu, addr, data, bytes, &b->diags));
    return addr;
}

static inline void bench_read(struct bench *b, void *to, uint64_t addr, uint64_t bytes) {
    bench_ok(b, gpu_read(b->gpu, to, addr, bytes, &b->diags));
}

// Parameters: values of 4 or 8 bytes in order, by `sizes` ("84f": 8 bytes, 4 bytes, a float given
// as double).
static inline enum ww_status bench_try(struct bench *b, const char *kernel, uint32_t gx,
                                       uint32_t gy, uint32_t bx, uint32_t by, const char *sizes,
                                       ...) {
    struct gpu_kernel *k;
    bench_ok(b, gpu_kernel_find(b->module, kernel, &b->diags, &k));
    uint8_t block[256];
    uint32_t n = 0;
    va_list ap;
    va_start(ap, sizes);
    for (const char *s = sizes; *s; s++) {
        const uint32_t size = *s == '8' ? 8 : 4;
        n = (n + size - 1) / size * size;
        if (*s == 'f') {
            const float f = (float)va_arg(ap, double);
            memcpy(block + n, &f, 4);
        } else if (*s == '4') {
            const uint32_t v = va_arg(ap, uint32_t);
            memcpy(block + n, &v, 4);
        } else {
            const uint64_t v = va_arg(ap, uint64_t);
            memcpy(block + n, &v, 8);
        }
        n += size;
    }
    va_end(ap);
    const struct gpu_launch l = {.grid = {gx, gy, 1}, .block = {bx, by, 1}, .params = block,
                                 .param_bytes = n};
    const enum ww_status s = gpu_launch(b->gpu, NULL, k, &l, &b->diags, NULL);
    return s == WW_OK ? gpu_synchronize(b->gpu, &b->diags) : s;
}

static inline const struct gpu_result *bench_last(const struct bench *b) {
    return gpu_result_at(b->gpu, gpu_result_count(b->gpu) - 1);
}

static inline float bench_random(uint32_t *state) { // [0, 1)
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

// Replaces what stands between two marks of a file.
static inline void bench_replace(const char *path, const char *from, const char *to,
                                 const char *text) {
    struct arena a;
    arena_init(&a, NULL);
    struct diags d;
    diags_init(&d);
    char *old, *made = NULL;
    size_t len;
    if (file_read(&a, path, 1 << 20, &old, &len, &d) != WW_OK) fail_msg("cannot read %s", path);
    const char *begin = strstr(old, from), *end = strstr(old, to);
    if (!begin || !end) fail_msg("%s has no marks", path);
    FILE *f = open_memstream(&made, &len);
    fwrite(old, 1, (size_t)(begin - old) + strlen(from), f);
    fputs(text, f);
    fputs(end, f);
    fclose(f);
    assert_int_equal(file_write_atomic(path, made, len, &d), WW_OK);
    free(made);
    diags_free(&d);
    arena_free(&a);
}

#endif
