// How handlers over 32 lanes are written. A handler's body is one expression a lane; the compiler
// turns the loop into vector instructions of the level that the file is compiled for. Inactive
// lanes are computed as well and dropped by the blend at the end, so an expression must be
// harmless on any bits.
#ifndef WW_SIMD_H
#define WW_SIMD_H

#include "base/simd.h"
#include "isa/lane.h"
#include "exec/exec_int.h"
#include "exec/handlers.h"

// A handler is compiled twice from one text: for a warp whose 32 lanes all execute, which is nearly
// every instruction and has nothing to keep of what stood in the destination, and for other masks.
// Handlers whose mask matters little to them are compiled once (FN_ONCE).
#define HANDLER_ARGS  struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask
#define FN_ONCE(name) static enum exec_outcome x_##name(HANDLER_ARGS)
#define FN(name)                                                                                   \
    LANE_FN enum exec_outcome lanes_##name(HANDLER_ARGS);                                          \
    FN_ONCE(name) {                                                                                \
        return ww_likely(mask == ~0u) ? lanes_##name(e, w, x, ~0u) : lanes_##name(e, w, x, mask);  \
    }                                                                                              \
    LANE_FN enum exec_outcome lanes_##name(HANDLER_ARGS)
#define UNUSED_ENV (void)e

// Whether the text is the one for all lanes.
#define ALL_LANES    (__builtin_constant_p(mask) && mask == ~0u)
#define PICK(r, old) (ALL_LANES || LANE_IN(mask) ? (r) : (old))

// Whole handlers: `expr` over A, B, C (uint32_t) gives the uint32_t of a lane.
#define SOURCES1 const uint32_t *const pa = x_src(w, x->a)
#define SOURCES2 SOURCES1, *const pb = x_src(w, x->b)
#define SOURCES3 SOURCES2, *const pc = x_src(w, x->c)
#define LANE1    const uint32_t A = pa[i]
#define LANE2    LANE1, B = pb[i]
#define LANE3    LANE2, C = pc[i]
#define LANE1_64 const uint64_t A = pa[i] | (uint64_t)pa[i + 32] << 32
#define LANE2_64 LANE1_64, B = pb[i] | (uint64_t)pb[i + 32] << 32
#define LANE3_64 LANE2_64, C = pc[i] | (uint64_t)pc[i + 32] << 32

#define HANDLER32(name, n, expr)                                                                   \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES##n;                                                                                \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            LANE##n;                                                                               \
            const uint32_t r = (expr);                                                             \
            pd[i] = PICK(r, pd[i]);                                                                \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
#define STORE64(r)                                                                                 \
    do {                                                                                           \
        const uint64_t r_ = (r);                                                                   \
        pd[i] = PICK((uint32_t)r_, pd[i]);                                                         \
        pd[i + 32] = PICK((uint32_t)(r_ >> 32), pd[i + 32]);                                       \
    } while (0)
#define HANDLER64(name, n, expr)                                                                   \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES##n;                                                                                \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            LANE##n##_64;                                                                          \
            STORE64(expr);                                                                         \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }

// A comparison's lanes as a mask, and what setp makes of it: p = t bop c, q = !t bop c.
LANE_FN uint32_t setp_combine(const struct xinst *x, struct exec_warp *w, uint32_t t) {
    return lane_combine(x->bop, t, x_pred(w, x->c));
}
LANE_FN enum exec_outcome setp_finish(struct exec_warp *w, const struct xinst *x, uint32_t mask,
                                      uint32_t t) {
    const uint32_t p = setp_combine(x, w, t), q = setp_combine(x, w, ~t);
    x_set_pred(w, x->d, p, mask);
    x_set_pred(w, x->d1, q, mask);
    return EXEC_NEXT;
}
// The lanes for which `cond` holds, as a mask.
#define LANES_WHERE(cond)                                                                          \
    ({                                                                                             \
        uint32_t where_[WARP_LANES] __attribute__((aligned(64)));                                  \
        LANES where_[i] = (cond) ? ~0u : 0;                                                        \
        lanes_signs(where_);                                                                       \
    })
#define MASK_OF(n, cond)                                                                           \
    ({                                                                                             \
        uint32_t where_[WARP_LANES] __attribute__((aligned(64)));                                  \
        LANES {                                                                                    \
            LANE##n;                                                                               \
            where_[i] = (cond) ? ~0u : 0;                                                          \
        }                                                                                          \
        lanes_signs(where_);                                                                       \
    })

#endif
