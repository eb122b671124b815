// Device printf: text out of a format and arguments in device memory.
#ifndef WW_EXEC_PRINT_H
#define WW_EXEC_PRINT_H

#include "exec/mem.h"

struct print_text {
    char *at; // free() it
    size_t len, cap;
};
// Appends one call's output. False: e->fault (an address that cannot be read).
bool print_format(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                  uint64_t format, uint64_t arguments, uint32_t pointer_bytes, struct print_text *t,
                  uint32_t *taken);
bool print_string(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                  uint64_t addr, char **out);

#endif
