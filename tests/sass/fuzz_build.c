// Any bytes as a cubin whose kernels are made into images: relocations filled in, words translated,
// the image checked. What is refused says so, and nothing else is an error of ours.
#include "sass/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool address(void *user, uint32_t section, uint64_t offset, uint64_t *out) {
    (void)user;
    *out = 0x10000000ull + ((uint64_t)section << 20) + offset;
    return offset < 1 << 20;
}
static bool handle(void *user, const char *name, uint64_t *out) {
    (void)user, (void)name;
    *out = 1;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct diags d;
    struct arena a;
    struct cubin c;
    diags_init(&d);
    arena_init(&a, NULL);
    const enum ww_status s = cubin_read(&a, data, size, "fuzz", &d, &c);
    const struct sass_places places = {.file = &c, .address = address, .handle = handle};
    const struct sass_target target = {.gen = GEN_VOLTA, .stack_bytes = 1024,
                                       .marks_last_reads = true};
    for (uint32_t i = 0; s == WW_OK && i < c.kernel.n && i < 8; i++) {
        struct code_image *im;
        const uint32_t before = d.errors;
        const enum ww_status t = sass_build(&places, i, &target, NULL, &d, &im);
        if ((t != WW_OK) != (d.errors > before)) __builtin_trap();
        if (t == WW_ERROR_INTERNAL) { // a broken image that was made all the same
            diags_print(&d, stderr);
            __builtin_trap();
        }
        if (t == WW_OK) code_free(im);
    }
    arena_free(&a);
    diags_free(&d);
    return 0;
}
