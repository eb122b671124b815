// Any text as a study file: refused with a sentence or read, never a crash.
#include <stdlib.h>

#include "study/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena a;
    struct diags d;
    struct study s;
    arena_init(&a, NULL);
    diags_init(&d);
    const enum ww_status status =
        study_parse(&a, "fuzz.yaml", arena_strndup(&a, (const char *)data, size), NULL, &d, &s);
    if ((status == WW_OK) != (d.errors == 0)) abort();
    diags_free(&d);
    arena_free(&a);
    return 0;
}
