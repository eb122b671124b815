// What the files of exec share and nobody else sees: the decoded instruction, the launch, and the
// small helpers that handlers are written with.
#ifndef WW_EXEC_INT_H
#define WW_EXEC_INT_H

// Nobody reads the host's floating-point exception flags; without this gcc will not compute both
// sides of a choice, and loops over lanes stay scalar.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#include <assert.h>
#include <stdatomic.h>

#include "isa/image.h"
#include "exec/devmem.h"
#include "exec/exec.h"
#include "exec/launch.h"

struct xinst;
typedef enum exec_outcome (*exec_fn)(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     uint32_t mask);

// A decoded instruction, one cache line. Operands a, b, c, e, d are byte offsets of the first of
// consecutive 32-lane vectors; bit 0 says in which base they lie (0 registers, 1 the launch's
// constant vectors, whose base pointer is one byte low), so that a handler never asks what kind an
// operand has. Predicates stand in the same fields as numbers, bit 8 says "inverted". A branch
// keeps its target in d and its reconvergence point in a. No handler computes from more than four
// sources, but for a fifth that is a predicate.
enum { X_SRCS = 4 };
struct xinst {
    exec_fn fn;
    uint32_t d, a, b, c, e, d1;
    uint32_t guard_xor; // lanes whose guard must be false: 0 or all
    uint8_t guard;      // predicate number; 7 always
    uint8_t advance; // 1: straight-line, the pc moves before the handler runs; 0: handler moves it
    uint8_t op;      // enum mop
    uint8_t aux8;    // words of the destination, small per-op values
    uint32_t flags;  // MF_*
    uint8_t mods[X_SRCS]; // OPND_* of a, b, c, e
    uint8_t type, stype, sub;
    union {
        uint8_t cmp, space;
    };
    union {
        uint8_t bop, cop;
    };
    union {
        uint8_t rnd, awords; // awords: words of the address (0, 1, 2)
    };
    uint8_t vec;
    uint8_t bytes; // a lane moves in a memory operation
    union {
        int64_t offset;
        struct {
            uint32_t f, d2; // operations with a fifth source or a third result, both predicates
        };
    };
};
static_assert(sizeof(struct xinst) == 64, "an instruction is a cache line");

enum {
    VEC_BYTES = WARP_LANES * 4,
    X_POOL = 1,       // operand bit: constant vector
    X_PRED_NOT = 256, // predicate operand bit: inverted
    X_NONE = UINT32_MAX,
    X_SINK = 8, // vectors behind the kernel's registers that swallow what is written,
    X_RESULT = X_SINK, // then that of OPND_RESULT,
    X_UNIFORM,         // then the uniform registers
    X_WAITS = 1 << 30, // xinst.flags, race check: a load that a loop waits for
    EXEC_STACK_LIMIT = 16384, // SIMT entries a warp may have before FAULT_STACK
    EXEC_CHUNK = 64
};

static inline const uint32_t *x_src(const struct exec_warp *w, uint32_t o) {
    return (const uint32_t *)__builtin_assume_aligned(w->base[o & 1] + o, EXEC_CHUNK);
}
static inline uint32_t *x_dst(const struct exec_warp *w, uint32_t o) {
    return (uint32_t *)__builtin_assume_aligned((uint8_t *)w->regs + o, EXEC_CHUNK);
}
static inline uint32_t x_pred(const struct exec_warp *w, uint32_t p) {
    return w->pred[p % PRED_FILE] ^ (0u - (p >> 8 & 1));
}
static inline void x_set_pred(struct exec_warp *w, uint32_t p, uint32_t value, uint32_t mask) {
    w->pred[p % PRED_FILE] = (w->pred[p % PRED_FILE] & ~mask) | (value & mask);
    w->pred[PRED_TRUE] = w->pred[UPRED_TRUE] = ~0u; // the true predicates swallow writes
}
static inline uint64_t x_get64(const uint32_t *p, uint32_t lane) {
    return p[lane] | (uint64_t)p[lane + WARP_LANES] << 32;
}
static inline void x_put64(uint32_t *p, uint32_t lane, uint64_t v) {
    p[lane] = (uint32_t)v;
    p[lane + WARP_LANES] = (uint32_t)(v >> 32);
}

// The uniform register that is added to the address of a memory operation (source e), and whether
// there is one: then a word is added to it without a sign, and the sum has 64 bits. Lanes that run
// together have the same; `lane` is one of them.
static inline bool x_is_based(const struct xinst *x) { return x->e != X_POOL; }
static inline uint64_t x_base(const struct exec_warp *w, const struct xinst *x, uint32_t lane) {
    const uint32_t *const p = x_src(w, x->e) + lane;
    return p[0] | (uint64_t)p[WARP_LANES] << 32;
}
// The power of two that an address is multiplied by.
static inline uint32_t x_scale(const struct xinst *x) { return x->mods[0] >> OPND_SCALE_AT; }

static inline float as_f32(uint32_t u) {
    union {
        uint32_t u;
        float f;
    } v = {.u = u};
    return v.f;
}
static inline uint32_t as_u32(float f) {
    union {
        float f;
        uint32_t u;
    } v = {.f = f};
    return v.u;
}
static inline double as_f64(uint64_t u) {
    union {
        uint64_t u;
        double f;
    } v = {.u = u};
    return v.f;
}
static inline uint64_t as_u64(double f) {
    union {
        double f;
        uint64_t u;
    } v = {.f = f};
    return v.u;
}
#define F32_NAN 0x7fffffffu           // the only NaN that single-precision operations make
#define F64_NAN 0xfff8000000000000ull // what invalid double-precision operations make

// ---- the launch -----------------------------------------------------------------------------
struct exec_big_stack { // what outgrew its CTA (stacks, nodes), freed with the launch
    struct exec_big_stack *next;
    struct simt_entry entry[];
};
struct converge;
struct grid_check;
struct exec_launch {
    const struct code_image *im;
    struct devmem *memory;
    struct exec_launch_args args;
    struct exec_callbacks callbacks;
    struct xinst *code; // im->n_insts, and one that faults behind the end
    uint32_t *control;  // by instruction: the first one from there on that moves the pc itself
    uint8_t *pool;      // constant vectors
    uint8_t *cb0;       // c[0]: launch block and parameters
    uint32_t cb0_bytes;
    struct {
        const uint8_t *at; // NULL: no such bank
        uint64_t bytes;
    } bank[CB_N];
    uint32_t threads, warps, n_regs, shared_bytes, local_words;
    size_t regs_at, shared_at, local_at, converge_at, warps_at, check_at, cta_bytes;
    uint32_t check_bytes;
    _Atomic(struct exec_big_stack *) big_stacks;
    const struct converge *converge; // how lanes part and meet
    size_t converge_bytes;           // of a warp
    exec_fn *lane_fn; // of instructions that write the uniform file: what each lane does; or NULL
    exec_fn *early_fn; // with check_races: what instructions do that look at sums first (early.h); or NULL
    struct grid_check *grid_check; // what the check of races between blocks keeps; NULL: nothing yet
    exec_fn *usual; // of independent threads: what an instruction does once its lanes have come
};
static inline void launch_keep(struct exec_launch *l, struct exec_big_stack *big) {
    big->next = atomic_load(&l->big_stacks);
    while (!atomic_compare_exchange_weak(&l->big_stacks, &big->next, big)) {
    }
}
static inline const struct minst *x_minst(const struct exec_warp *w, const struct xinst *x) {
    return &w->cta->launch->im->inst[x - w->code];
}

// A launch whose lanes part and meet as body `c` has it; exec_launch_create takes converge_of(im).
enum ww_status launch_create(const struct converge *c, const struct code_image *im,
                             struct devmem *m, const struct exec_launch_args *a, struct diags *d,
                             struct exec_launch **out);

// decode.c
enum ww_status decode_image(struct exec_launch *l, struct diags *d);

// fault.c: fills e->fault for lane `lane` of instruction x; always EXEC_FAULT.
enum exec_outcome fault_raise(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              enum exec_fault_kind kind, uint32_t lane, uint64_t addr,
                              uint32_t bytes, const char *fmt, ...) WW_PRINTF(8, 9);

// findings.c: what a check found in lane `lane` of instruction x. True: it is written down and the
// kernel goes on; false: e->fault says it.
bool found(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
           enum exec_fault_kind kind, uint32_t lane, uint64_t addr, uint32_t bytes, const char *fmt,
           ...) WW_PRINTF(8, 9);

// converge.c: the active lanes stand where they meet others.
void converge_met(struct exec_warp *w);
static inline void converge_meet(struct exec_warp *w) {
    if (ww_unlikely(w->pc == w->reconv)) converge_met(w);
}

// devmem.c
static inline uint32_t devmem_epoch_of(const struct devmem *m) {
    return *(const uint32_t *)(const void *)m; // its first member
}
static inline uint8_t *range_host(const struct exec_range *r, uint64_t addr) {
    return r->host + (addr - r->first);
}
// The live allocation that holds the bytes.
bool devmem_range(const struct devmem *m, uint64_t addr, uint64_t bytes, struct exec_range *out);
// What a kernel may reach around the bytes: that allocation, or their pages (devmem_open_pages).
bool devmem_reachable(const struct devmem *m, uint64_t addr, uint64_t bytes, struct exec_range *out);
// Whether no allocation holds the bytes, but pages that are not open would.
bool devmem_would_pass(const struct devmem *m, uint64_t addr, uint64_t bytes);
bool devmem_tracks_writes(const struct devmem *m);
// First byte of [addr, addr + bytes) never written, or UINT64_MAX.
uint64_t devmem_unwritten(const struct devmem *m, uint64_t addr, uint64_t bytes);
uint64_t devmem_device_malloc(struct devmem *m, uint64_t bytes);
bool devmem_device_free(struct devmem *m, uint64_t addr);

// log.c: makes the live allocation that holds [addr, addr + bytes) the one that was hit last.
bool env_find_range(struct exec_env *e, uint64_t addr, uint64_t bytes);
// Whether [addr, addr + bytes) lies in the allocation that was hit last, or makes that so.
static inline bool env_range(struct exec_env *e, uint64_t addr, uint64_t bytes) {
    const struct exec_range *r = &e->range;
    if (ww_likely(addr >= r->first && addr + bytes <= r->end && addr + bytes >= addr &&
                  r->epoch == devmem_epoch_of(e->memory)))
        return true;
    return env_find_range(e, addr, bytes);
}

// Whether a store into the allocation that was hit last may write [addr, addr + bytes).
static inline bool env_may_write(const struct exec_env *e, uint64_t addr, uint64_t bytes) {
    return ww_likely(!e->range.is_guarded) || devmem_may_write(e->memory, addr, bytes);
}

// mem.c: the general path of every memory operation; the fast ones in mem_simd.c fall back to it.
enum exec_outcome mem_load(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                           uint32_t mask);
enum exec_outcome mem_store(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                            uint32_t mask);
enum exec_outcome mem_load_const(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask);
enum exec_outcome mem_atomic(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask);

// Functions that the decoder chooses from, by file.
extern const exec_fn warp_fns[], mem_fns[], tex_fns[], sys_fns[], video_fns[], matrix_fns[];

#endif
