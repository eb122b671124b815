// Modules made from machine code (tests/sass/data): variables where symbols say, with the addresses
// that relocations put into them; kernels; PTX that stands beside; what is refused, and when.
#include "test_gpu.h"

#include "isa/image.h"

static const char *data(struct bench *b, const char *name, size_t *len) {
    char path[512], *text;
    snprintf(path, sizeof path, WW_SOURCE_DIR "/tests/sass/data/%s", name);
    bench_ok(b, file_read(&b->arena, path, 1 << 20, &text, len, &b->diags));
    return text;
}

static enum ww_status try_load(struct bench *b, const char *name,
                               const struct gpu_module_options *o) {
    size_t len;
    const char *image = data(b, name, &len);
    return gpu_module_load(b->gpu, name, image, len, o, &b->diags, &b->module);
}

static void first_says(const struct bench *b, const char *part) {
    char text[1024];
    diags_first(&b->diags, text, sizeof text);
    if (!strstr(text, part)) fail_msg("`%s` is not in: %s", part, text);
}

static uint64_t global(struct bench *b, const char *name, uint64_t bytes) {
    uint64_t at, n;
    bench_ok(b, gpu_module_global(b->module, name, &b->diags, &at, &n));
    assert_int_equal(n, bytes);
    return at;
}

static uint64_t double_at(struct bench *b, uint64_t at) {
    uint64_t v;
    bench_read(b, &v, at, sizeof v);
    return v;
}

static void variables_and_their_addresses(void **state) {
    (void)state;
    static const char *const files[] = {"module_sm_70.cubin", "module_rdc_sm_70.cubin"};
    for (size_t f = 0; f < WW_COUNT(files); f++) {
        struct bench b;
        bench_open(&b, "v100", NULL, NULL);
        bench_ok(&b, try_load(&b, files[f], NULL));
        assert_int_equal(gpu_module_target(b.module), 70);
        const uint64_t counter = global(&b, "counter", 4), table = global(&b, "table", 16),
                       where = global(&b, "where", 16), factors = global(&b, "factors", 12);
        uint32_t word[4];
        bench_read(&b, word, table, sizeof word);
        assert_int_equal(word[0], 1);
        assert_int_equal(word[3], 4);
        bench_read(&b, word, factors, 12);
        assert_int_equal(word[2], 30);
        bench_read(&b, word, counter, 4);
        assert_int_equal(word[0], 0);
        assert_true(double_at(&b, where) == counter);
        assert_true(double_at(&b, where + 8) == table + 8);
        assert_true(double_at(&b, global(&b, "cptr", 8)) == table);
        assert_true(double_at(&b, global(&b, "pieces", 8)) == counter);
        // One past the end of a variable is in no other.
        assert_int_not_equal(gpu_read(b.gpu, word, table + 4, 16, &b.diags), WW_OK);
        uint64_t handle;
        bool is_surface = true;
        bench_ok(&b, gpu_module_texture(b.module, "image", &b.diags, &handle, &is_surface));
        assert_true(handle != 0 && !is_surface);
        bench_ok(&b, gpu_module_texture(b.module, "surf", &b.diags, &handle, &is_surface));
        assert_true(handle != 0 && is_surface);
        gpu_module_unload(b.gpu, b.module);
        bench_close(&b);
    }
}

static void kernels_and_no_functions(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, "v100", NULL, NULL);
    bench_ok(&b, try_load(&b, "module_rdc_sm_70.cubin", NULL));
    assert_int_equal(gpu_module_kernels(b.module), 5);
    struct gpu_kernel *k;
    bench_ok(&b, gpu_kernel_find(b.module, "vars", &b.diags, &k));
    assert_int_equal(gpu_kernel_find(b.module, "twice", &b.diags, &k), WW_ERROR_USAGE);
    // Each becomes an image, those of few registers too, beside others that call the driver.
    for (uint32_t i = 0; i < gpu_module_kernels(b.module); i++) {
        const struct code_image *im;
        struct diags d;
        diags_init(&d);
        bench_ok(&b, gpu_kernel_find(b.module, gpu_module_kernel_name(b.module, i), &b.diags, &k));
        const enum ww_status s = gpu_kernel_image(k, &d, &im);
        assert_true(s == WW_OK || s == WW_ERROR_UNSUPPORTED);
        if (s == WW_OK) assert_int_equal(im->system_call[MSYS_VPRINTF] != 0, im->n_regs >= 22);
        diags_free(&d);
    }
    bench_close(&b);
}

static void code_for_another_gpu(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, "v100", NULL, NULL);
    assert_int_equal(try_load(&b, "module_sm_80.cubin", NULL), WW_ERROR_UNSUPPORTED);
    first_says(&b, "module_sm_80.cubin is machine code for compute capability 8.0; ");
    bench_close(&b);
    // A chip of 7.5 takes what was made for 7.0.
    bench_open(&b, "rtx2060s", NULL, NULL);
    bench_ok(&b, try_load(&b, "module_sm_70.cubin", NULL));
    bench_close(&b);
    bench_open(&b, "gtx480", NULL, NULL);
    assert_int_equal(try_load(&b, "module_sm_70.cubin", NULL), WW_ERROR_UNSUPPORTED);
    first_says(&b, "-g ");
    first_says(&b, "v100");
    bench_close(&b);
}

// Lines as `warpwatt disasm -l` prints them before the words; inlined code has its own.
static void source_lines(void **state) {
    (void)state;
    static const struct {
        uint32_t offset, line;
        const char *file;
    } row[] = {{0x0, 10, "/src/main.cu"},  {0x30, 10, "/src/main.cu"}, {0x40, 11, "/src/main.cu"},
               {0x60, 12, "/src/main.cu"}, {0x90, 3, "/src/help.h"},   {0xc0, 14, "/src/main.cu"}};
    struct bench b;
    bench_open(&b, "v100", NULL, NULL);
    bench_ok(&b, try_load(&b, "lines_sm_70.cubin", NULL));
    struct gpu_kernel *k;
    const struct code_image *im;
    bench_ok(&b, gpu_kernel_find(b.module, "lines", &b.diags, &k));
    bench_ok(&b, gpu_kernel_image(k, &b.diags, &im));
    assert_true(im->is_machine_code);
    assert_int_equal(im->source.target, 70);
    assert_string_equal(im->source.made_by, "ptxas of CUDA 12.9 for sm_70");
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        const struct minst *m = &im->inst[im->entry + row[i].offset / 16];
        assert_int_equal(m->src_line, row[i].line);
        assert_string_equal(code_file_path(&im->source, m->src_file), row[i].file);
    }
    bench_close(&b);
}

// Files with a byte or a half changed, cut off, or with the sizes of sections changed: a sentence,
// or a module, and no crash.
static void damaged_files(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, "v100", NULL, NULL);
    size_t len;
    const char *image = data(&b, "module_sm_70.cubin", &len);
    char *bad = malloc(len);
    uint32_t random = 7, refused = 0;
    for (uint32_t i = 0; i < 600; i++) {
        memcpy(bad, image, len);
        size_t n = len;
        for (uint32_t k = 0; k <= i % 3; k++) {
            random = random * 1664525 + 1013904223;
            bad[(random >> 8) % len] = (char)(random >> 3);
        }
        if (i % 7 == 0) n = (random >> 4) % len;
        struct diags d;
        diags_init(&d);
        struct gpu_module *m = NULL;
        const enum ww_status s = gpu_module_load(b.gpu, "bad", bad, n, NULL, &d, &m);
        assert_true((s != WW_OK) == (d.errors > 0));
        refused += s != WW_OK;
        for (uint32_t k = 0; s == WW_OK && k < gpu_module_kernels(m); k++) {
            struct gpu_kernel *kernel;
            const struct code_image *im;
            const uint32_t before = d.errors;
            if (gpu_kernel_find(m, gpu_module_kernel_name(m, k), &d, &kernel) != WW_OK) continue;
            const enum ww_status t = gpu_kernel_image(kernel, &d, &im);
            assert_true((t != WW_OK) == (d.errors > before));
        }
        if (s == WW_OK) gpu_module_unload(b.gpu, m);
        diags_free(&d);
    }
    assert_true(refused > 50);
    free(bad);
    bench_close(&b);
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_and_their_addresses),
        cmocka_unit_test(kernels_and_no_functions),
        cmocka_unit_test(code_for_another_gpu),
        cmocka_unit_test(source_lines),
        cmocka_unit_test(damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
