// Matrices of a warp group's products in shared memory.
//
// A descriptor (PTX ISA 9.0, 9.7.15.5.1.2.2) has, in units of 16 bytes, the matrix's first address
// (bits 0 to 13) and two distances (leading 16 to 29, stride 32 to 45), a base offset (49 to 51) and a
// swizzle (62, 63). Seen as units of 16 bytes a matrix consists of atoms:
//
//   along k            8 rows of one unit, or of `swizzle / 16` units; the next 8 rows lie `stride`
//                      bytes on, the next atom along k `leading` bytes on
//   along m or n       one unit, or `swizzle / 16` units, for each of 8 k; the next units lie `stride`
//   (turned)           (no swizzle) or `leading` bytes on, the next 8 k `leading` or `stride` bytes on
//
// These are the canonical layouts of 9.7.15.5.1.2.1.3. A swizzle exchanges units within a row of
// its 32, 64 or 128 bytes: bits 4 and up of the byte address are joined by exclusive or with bits 7
// and up. The pattern belongs to addresses, not to the matrix; where an atom does not begin at a
// multiple of its size the base offset says how many rows of 128 bytes it begins behind one
// (9.7.15.5.1.2.2: taken to shift the pattern by so many rows).
#include "exec/gmma.h"

#include "exec/mem.h"

enum { UNIT = 16, ATOM_ROWS = 8 };

struct matrix {
    uint32_t start, leading, stride; // bytes
    uint32_t base;                   // rows of 128 bytes
    uint32_t swizzle;                // bytes; 0: none
    uint32_t shift;                  // of the units in a row of an atom: 1 << shift
};
static struct matrix matrix_of(uint64_t d) {
    static const uint8_t bytes[] = {0, 128, 64, 32}, shift[] = {0, 3, 2, 1};
    return (struct matrix){.start = (uint32_t)(d & 0x3fff) * UNIT,
                           .leading = (uint32_t)(d >> 16 & 0x3fff) * UNIT,
                           .stride = (uint32_t)(d >> 32 & 0x3fff) * UNIT,
                           .base = (uint32_t)(d >> 49 & 7),
                           .swizzle = bytes[d >> 62],
                           .shift = shift[d >> 62]};
}
static uint32_t swizzled(const struct matrix *m, uint32_t at) {
    if (!m->swizzle) return at;
    const uint32_t mask = m->swizzle / UNIT - 1;
    return at ^ (((at >> 7) - m->base) & mask) * UNIT;
}
// Unit `k` of row `r`; of a turned matrix unit `u` along m or n, of row k.
static uint32_t unit_along_k(const struct matrix *m, uint32_t r, uint32_t k) {
    const uint32_t width = (uint32_t)UNIT << m->shift, units = 1u << m->shift;
    return swizzled(m, m->start + r / ATOM_ROWS * m->stride + r % ATOM_ROWS * width +
                           (k >> m->shift) * m->leading + (k & (units - 1)) * UNIT);
}
static uint32_t unit_across(const struct matrix *m, uint32_t u, uint32_t k) {
    const uint32_t width = (uint32_t)UNIT << m->shift, units = 1u << m->shift;
    const uint32_t far_u = m->swizzle ? m->leading : m->stride,
                   far_k = m->swizzle ? m->stride : m->leading;
    return swizzled(m, m->start + (u >> m->shift) * far_u + (u & (units - 1)) * UNIT + k % ATOM_ROWS * width +
                           k / ATOM_ROWS * far_k);
}

// Units that the product reads are checked in batches of a warp's lanes, if the launch checks.
struct reader {
    struct exec_env *e;
    struct exec_warp *w;
    struct xinst rows; // whose accesses the checks see
    struct mem_lanes lanes;
    uint32_t n;
};
static bool flush(struct reader *r) {
    const uint32_t mask = r->n == WARP_LANES ? ~0u : (1u << r->n) - 1;
    r->lanes.shared = mask;
    r->n = 0;
    return !mask || check_reads(r->e, r->w, &r->rows, mask, &r->lanes);
}
static const uint8_t *unit(struct reader *r, uint32_t at) {
    struct exec_cta *const cta = r->w->cta;
    if (at + UNIT > cta->shared_bytes) {
        fault_raise(
            r->e, r->w, &r->rows, FAULT_SHARED_RANGE, 0, at, UNIT,
            "a descriptor of wgmma leads to 0x%x, behind the %u bytes of the block's shared "
            "memory",
            at, cta->shared_bytes);
        return NULL;
    }
    uint8_t *const host = cta->shared + at;
    if (ww_unlikely(cta->check != NULL)) {
        r->lanes.host[r->n++] = host;
        if (r->n == WARP_LANES && !flush(r)) return NULL;
    }
    return host;
}

bool gmma_fetch(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint64_t descriptor,
                uint32_t first, bool turned, const struct gmma_rows *out) {
    const struct matrix m = matrix_of(descriptor);
    struct reader r = {.e = e, .w = w, .rows = *x};
    r.rows.bytes = UNIT;
    r.rows.space = SPACE_SHARED;
    r.rows.flags = 0;
    if (!turned) {
        for (uint32_t row = 0; row < out->n; row++)
            for (uint32_t k = 0; k < out->bytes / UNIT; k++) {
                const uint8_t *const from = unit(&r, unit_along_k(&m, first + row, k));
                if (!from) return false;
                memcpy(out->row + row * out->bytes + k * UNIT, from, UNIT);
            }
        return flush(&r);
    }
    enum { HALF = 2, HALVES = UNIT / HALF };
    for (uint32_t u = 0; u < out->n / HALVES; u++)
        for (uint32_t k = 0; k < out->bytes / HALF; k++) {
            const uint8_t *const from = unit(&r, unit_across(&m, first / HALVES + u, k));
            if (!from) return false;
            for (uint32_t i = 0; i < HALVES; i++)
                memcpy(out->row + (u * HALVES + i) * out->bytes + k * HALF, from + i * HALF, HALF);
        }
    return flush(&r);
}
