// Any bytes at all: as a cubin, as a unit to be linked, and as machine words of every generation.
#include "sass/cubin.h"
#include "sass/join.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct diags d;
    struct arena a;
    struct cubin c;
    char text[SASS_TEXT_SIZE];
    diags_init(&d);
    arena_init(&a, NULL);
    const enum ww_status s = cubin_read(&a, data, size, "fuzz", &d, &c);
    if ((s != WW_OK) != (d.errors > 0)) __builtin_trap();
    for (uint32_t i = 0; s == WW_OK && i < c.kernel.n; i++)
        for (uint32_t w = 0; w < c.kernel.at[i].words; w++)
            sass_text(cubin_word(&c.kernel.at[i], w), w * UINT64_C(16), c.gen, text);
    for (uint32_t i = 0; s == WW_OK && i < c.kernel.n && i < 4; i++)
        for (uint32_t ptx = 0; ptx < 2; ptx++) {
            struct cubin_lines lines;
            const uint32_t before = d.errors;
            const enum ww_status t = cubin_lines(&a, &c, &c.kernel.at[i], ptx, &d, &lines);
            if ((t != WW_OK) != (d.errors > before)) __builtin_trap();
        }
    const struct cubin_unit unit = {"fuzz", data, size};
    const uint32_t errors = d.errors;
    char *joined;
    size_t bytes;
    const enum ww_status linked = cubin_join(&a, &unit, 1, &d, &joined, &bytes);
    if ((linked != WW_OK) != (d.errors > errors)) __builtin_trap();
    if (linked == WW_OK && cubin_read(&a, joined, bytes, "joined", &d, &c) != WW_OK)
        __builtin_trap();
    for (size_t at = 0; at + 16 <= size; at += 16) {
        struct sass_word w;
        memcpy(&w, data + at, sizeof w);
        for (uint32_t gen = SASS_70; gen <= SASS_90; gen <<= 1) {
            struct sass_inst in;
            struct sass_word extra;
            const enum sass_found found = sass_decode(w, at, gen, &in, &extra);
            if ((found == SASS_EXTRA_BITS) != ((extra.lo | extra.hi) != 0)) __builtin_trap();
            sass_text(w, at, gen, text);
            if (strlen(text) + 1 >= SASS_TEXT_SIZE) __builtin_trap(); // cut off
        }
    }
    arena_free(&a);
    diags_free(&d);
    return 0;
}
