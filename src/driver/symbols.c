// cuGetProcAddress: names and versions to entry points, by symbols.def. This file does not see
// cuda.h: its macros would rename the symbols.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "driver/refuse.h"

// Their parameters do not matter here: only the addresses are taken.
#define ALIAS(symbol, ours)
#define DECLARE_NO(symbol)                  void symbol(void);
#define DECLARE_PTSZ(symbol)                void symbol(void), symbol##_ptsz(void);
#define DECLARE_PTDS(symbol)                void symbol(void), symbol##_ptds(void);
#define SYMBOL(name, since, symbol, thread) DECLARE_##thread(symbol)
#include "driver/symbols.def"
#undef SYMBOL

static const struct row {
    const char *name;
    int since;
    void (*symbol)(void), (*of_thread)(void);
} rows[] = {
#define THREAD_NO(symbol)                   symbol
#define THREAD_PTSZ(symbol)                 symbol##_ptsz
#define THREAD_PTDS(symbol)                 symbol##_ptds
#define SYMBOL(name, since, symbol, thread) {#name, since, symbol, THREAD_##thread(symbol)},
#include "driver/symbols.def"
#undef SYMBOL
};

enum driver_symbol_status driver_symbol(const char *name, int version, int of_thread,
                                        void (**out)(void)) {
    enum driver_symbol_status status = SYMBOL_UNKNOWN;
    *out = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) { // rows of a name stand by version
        if (strcmp(rows[i].name, name) != 0) continue;
        if (rows[i].since > version) {
            if (status == SYMBOL_UNKNOWN) status = SYMBOL_TOO_NEW;
            continue;
        }
        status = SYMBOL_FOUND;
        *out = of_thread ? rows[i].of_thread : rows[i].symbol;
    }
    return status;
}
