// Arguments of a bare kernel, as --arg and the YAML file of --args give them (run_ptx.c).
#ifndef WW_KERNEL_ARGS_H
#define WW_KERNEL_ARGS_H

#include "cli/cli.h"
#include "isa/image.h"
#include "gpu/limits.h"

struct gpu;
struct gpu_kernel;

enum fill_kind { FILL_ZERO, FILL_IOTA, FILL_CONST, FILL_RANDOM, FILL_FILE };
struct fill {
    enum fill_kind kind;
    uint8_t constant[8];
    double low, high; // of random numbers
    uint64_t seed;
    const char *path;
};

struct scalar_type;
struct kernel_argument {
    const char *text;
    const struct scalar_type *type;
    uint8_t value[8]; // of a scalar
    bool is_buffer;
    uint64_t count, address, print; // of a buffer, in elements
    struct fill fill, expect;
    bool has_expect;
    double tolerance;
};

// Reads TYPE=VALUE or TYPE[COUNT]=FILL[?print=N][?expect=FILL][?tolerance=X]. A value that its type
// does not hold is refused with the type's range. No buffer is filled yet.
enum ww_status argument_parse(struct cli *c, const char *text, struct kernel_argument *out);
// Checks the arguments against the kernel's parameters, allocates all buffers, then fills them:
// what has no room is refused before anything is filled.
enum ww_status arguments_place(struct cli *c, struct gpu *g, struct gpu_kernel *k,
                               struct kernel_argument *a, uint32_t n,
                               uint8_t block[GPU_PARAM_BYTES], uint32_t *block_bytes);
// Prints the elements asked for, and compares with what was expected.
enum ww_status arguments_show(struct cli *c, struct gpu *g, const struct kernel_argument *a,
                              uint32_t n, FILE *out, bool *checked);

// What the help says of --arg.
#define ARGUMENT_HELP                                                                              \
    "arguments of a kernel, in order, as --arg or in the YAML file of --args:\n"                   \
    "  TYPE=VALUE                    a scalar: u32=5  s64=-3  u8=0xff  f32=0.1  f64=inf\n"         \
    "  TYPE[COUNT]=FILL[?WHAT]...    a buffer of COUNT elements; its address is passed\n"          \
    "TYPE: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64\n"                                                \
    "FILL, what the elements are before the launch:\n"                                             \
    "  zero                          0\n"                                                          \
    "  iota                          0, 1, 2, ...\n"                                               \
    "  const:VALUE                   all the same\n"                                               \
    "  random:LOW:HIGH[:SEED]        from LOW, below HIGH; the same for the same seed (1)\n"       \
    "  @FILE                         a raw file of the size of the buffer, little-endian\n"        \
    "WHAT, afterwards:\n"                                                                          \
    "  ?print=N                      show the first N elements\n"                                  \
    "  ?expect=FILL                  compare with this; a difference is exit code 1\n"             \
    "  ?tolerance=X                  how far an element may be off: X, of values above 1\n"        \
    "                                X times the value (default 0: equal)"

#endif
