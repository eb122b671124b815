// Squares of matrices as a warp multiplies them (`wmma`): fragments taken from shared memory, products, sums back to it. KIND_f16,
// KIND_bf16, KIND_s8 or KIND_tf32 says of which type T; sums are A's.
#ifndef WW_LIBRARIES_FRAGMENT_H
#define WW_LIBRARIES_FRAGMENT_H

#include "device.h"

// A fragment's registers, a step's length along k, and what the sum is made in.
#if defined KIND_f16
typedef f16 T;
typedef float A;
enum { REGISTERS = 8, STEP = 16 };
#define SHAPE "m16n16k16"
#define IN    "f16"
#define SUMS  "f32"
#define TYPES "f32.f32"
#define REG   "f"
#elif defined KIND_bf16
typedef bf16 T;
typedef float A;
enum { REGISTERS = 4, STEP = 16 };
#define SHAPE "m16n16k16"
#define IN    "bf16"
#define SUMS  "f32"
#define TYPES "f32.bf16.bf16.f32"
#define REG   "f"
#elif defined KIND_s8
typedef int8_t T;
typedef int32_t A;
enum { REGISTERS = 2, STEP = 16 };
#define SHAPE "m16n16k16"
#define IN    "s8"
#define SUMS  "s32"
#define TYPES "s32.s8.s8.s32"
#define REG   "r"
#else
typedef float T;
typedef float A;
enum { REGISTERS = 4, STEP = 8 };
#define SHAPE "m16n16k8"
#define IN    "tf32"
#define SUMS  "f32"
#define TYPES "f32.tf32.tf32.f32"
#define REG   "f"
#endif
struct fragment { uint32_t r[REGISTERS]; };
struct sums { A v[8]; };
enum { SIDE = 16 };

DEVICE uint32_t shared_address(const void *x) { return (uint32_t)(uintptr_t)(const __attribute__((address_space(3))) char *)x; }

#if defined KIND_f16
#define LOAD(which, layout, f, from, lead)                                                         \
    asm volatile("wmma.load." which ".sync.aligned." layout "." SHAPE ".shared." IN " {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;" \
                 : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3]), "=r"(f.r[4]), "=r"(f.r[5]), "=r"(f.r[6]), "=r"(f.r[7]) \
                 : "r"(from), "r"(lead)                                                            \
                 : "memory")
#define A_LIST "{%8,%9,%10,%11,%12,%13,%14,%15}"
#define B_LIST "{%16,%17,%18,%19,%20,%21,%22,%23}"
#define USES(f) "r"(f.r[0]), "r"(f.r[1]), "r"(f.r[2]), "r"(f.r[3]), "r"(f.r[4]), "r"(f.r[5]), "r"(f.r[6]), "r"(f.r[7])
#elif defined KIND_s8
#define LOAD(which, layout, f, from, lead)                                                         \
    asm volatile("wmma.load." which ".sync.aligned." layout "." SHAPE ".shared." IN " {%0,%1}, [%2], %3;" \
                 : "=r"(f.r[0]), "=r"(f.r[1])                                                      \
                 : "r"(from), "r"(lead)                                                            \
                 : "memory")
#define A_LIST "{%8,%9}"
#define B_LIST "{%10,%11}"
#define USES(f) "r"(f.r[0]), "r"(f.r[1])
#else
#define LOAD(which, layout, f, from, lead)                                                         \
    asm volatile("wmma.load." which ".sync.aligned." layout "." SHAPE ".shared." IN " {%0,%1,%2,%3}, [%4], %5;" \
                 : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3])                          \
                 : "r"(from), "r"(lead)                                                            \
                 : "memory")
#define A_LIST "{%8,%9,%10,%11}"
#define B_LIST "{%12,%13,%14,%15}"
#define USES(f) "r"(f.r[0]), "r"(f.r[1]), "r"(f.r[2]), "r"(f.r[3])
#endif

// c += a b. Where `Rows` the fragment was taken from rows (of A: k lies together; of B: n does).
template <bool RowsA, bool RowsB> DEVICE void multiply(sums *c, const fragment &a, const fragment &b) {
#define MULTIPLY(la, lb)                                                                           \
    asm volatile("wmma.mma.sync.aligned." la "." lb "." SHAPE "." TYPES " {%0,%1,%2,%3,%4,%5,%6,%7}, " A_LIST ", " B_LIST \
                 ", {%0,%1,%2,%3,%4,%5,%6,%7};"                                                    \
                 : "+" REG(c->v[0]), "+" REG(c->v[1]), "+" REG(c->v[2]), "+" REG(c->v[3]), "+" REG(c->v[4]), "+" REG(c->v[5]), \
                   "+" REG(c->v[6]), "+" REG(c->v[7])                                              \
                 : USES(a), USES(b))
    if (RowsA && RowsB)
        MULTIPLY("row", "row");
    else if (RowsA)
        MULTIPLY("row", "col");
    else if (RowsB)
        MULTIPLY("col", "row");
    else
        MULTIPLY("col", "col");
}
DEVICE void store(uint32_t to, const sums &c) { // column by column
    asm volatile("wmma.store.d.sync.aligned.col." SHAPE ".shared." SUMS " [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;"
                 :
                 : "r"(to), REG(c.v[0]), REG(c.v[1]), REG(c.v[2]), REG(c.v[3]), REG(c.v[4]), REG(c.v[5]), REG(c.v[6]), REG(c.v[7]),
                   "r"((uint32_t)SIDE)
                 : "memory");
}

#endif
