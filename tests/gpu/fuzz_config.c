// GPU files of any content: a diagnostic, never a crash.
#include <stdlib.h>

#include "gpu/config_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    struct diags d;
    diags_init(&d);
    struct config_layer l = {.file = "fuzz.yaml", .text = text, .len = size};
    if (config_layer_parse(&l, &d) == WW_OK) {
        const char *prose;
        for (uint32_t i = 0; i < config_layer_source_count(&l); i++)
            config_layer_source(&l, i, &prose);
        config_layer_free(&l);
    }
    uint32_t line, col;
    config_find_line(text, "sm.l1d.ways", &line, &col);
    diags_free(&d);
    free(text);
    return 0;
}
