// Any bytes at all as a fat binary, an object file, a library: entries or a sentence, and unpacking what
// was found.
#include "fatbin/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct diags d;
    struct arena a;
    struct fatbin f = {0};
    diags_init(&d);
    arena_init(&a, NULL);
    const enum ww_status s = fatbin_read(&a, data, size, "fuzz", &d, &f);
    if ((s != WW_OK) != (d.errors > 0)) __builtin_trap();
    for (uint32_t i = 0; i < f.entry.n && s == WW_OK; i++) {
        char *text;
        size_t len;
        const char *const *names;
        if (f.entry.at[i].bytes > 1 << 16) continue;
        if (fatbin_unpack(&a, &f.entry.at[i], "fuzz", &d, &text, &len) != WW_OK) continue;
        fatbin_kernels(&a, f.entry.at[i].kind, text, len, &names);
        char *linked;
        const char *const twice[] = {text, text};
        fatbin_link(&a, twice, (size_t[]){len, len}, 2, &d, &linked, &len);
    }
    for (int library = 0; library < 2; library++) {
        fatbin_units units = {0};
        const uint32_t errors = d.errors;
        const enum ww_status r = library ? fatbin_read_library(&a, data, size, "fuzz", &d, &units)
                                         : fatbin_read_object(&a, data, size, "fuzz", &d, &units);
        if ((r != WW_OK) != (d.errors > errors)) __builtin_trap();
    }
    arena_free(&a);
    diags_free(&d);
    return 0;
}
