// Activity files of any content, in all three forms: a diagnostic or an answer, never a crash.
#include <stdlib.h>

#include "activity/sm.h"
#include "report/activity_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    static bool needed[ACT_N];
    needed[ACT_cycles] = true;
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    struct arena a;
    struct diags d;
    arena_init(&a, NULL);
    diags_init(&d);
    const struct activity_options o = {.core_hz = data[0] & 1 ? 1e9 : 0,
                                       .needed = data[0] & 2 ? needed : NULL,
                                       .missing_zero = data[0] & 4};
    struct activity_file f;
    const enum ww_status s = activity_file_parse(&a, "fuzz", text, size - 1, &o, &d, &f);
    if (s == WW_OK && !f.n) abort();
    if (s != WW_OK && !d.errors) abort();
    diags_free(&d);
    arena_free(&a);
    free(text);
    return 0;
}
