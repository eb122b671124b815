// Any bytes at all: the parser answers with a module or with diagnostics, and frees what it took.
#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct diags d;
    diags_init(&d);
    struct ptx_module *m;
    const enum ww_status s = ptx_parse("fuzz", (const char *)data, size, NULL, &d, &m);
    if ((s == WW_OK) != (m != NULL) || (s != WW_OK) != (d.errors > 0)) __builtin_trap();
    ptx_free(m);
    diags_free(&d);
    return 0;
}
