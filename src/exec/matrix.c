// Matrices that the lanes of a warp hold: products of integers and bits, loads by rows,
// transposition. Products of floating-point numbers are in mma_simd.c. Where the elements lie:
// code/mma.def.
#include <math.h>

#include "exec/matrix.h"

#include "exec/mem.h"
#include "exec/sparse.h"

bool matrix_whole(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask) {
    if (ww_likely(mask == ~0u)) return true;
    fault_raise(e, w, x, FAULT_SHFL_MASK, mask ? bits_first32(~mask) : 0, 0, 0,
                "%s by lanes 0x%08x: a matrix belongs to all 32 lanes of a warp, which must "
                "execute it together",
                mop_info[x->op].text, mask);
    return false;
}

// ---- integers: sums of 32 bits wrap, or with SAT stop at their ends --------------------------

static int64_t element(uint32_t word, uint32_t at, uint32_t bits, bool is_signed) {
    const uint32_t v = word >> at * bits & ((1u << bits) - 1);
    return is_signed && v >> (bits - 1) ? (int64_t)v - (1 << bits) : (int64_t)v;
}
static uint32_t clamped(int64_t sum, bool sat) {
    if (sat && sum > INT32_MAX) return INT32_MAX;
    if (sat && sum < INT32_MIN) return 0x80000000u;
    return (uint32_t)sum;
}

// Products of the elements of two words.
static int64_t word_product(const struct xinst *x, uint32_t a, uint32_t b, uint32_t bits) {
    if (bits == 1) return bits_count32(x->sub & MMA_AND ? a & b : a ^ b);
    const bool sa = x->sub & MMA_A_SIGNED, sb = x->sub & MMA_B_SIGNED;
    int64_t sum = 0;
    for (uint32_t k = 0; k < 32 / bits; k++)
        sum += element(a, k, bits, sa) * element(b, k, bits, sb);
    return sum;
}
// Lane 4 g + t holds k from t words on of A's row g and of B's column g; of D row g, columns 2 t
// and 2 t + 1. With two halves of rows A and D have those of row g + 8 behind each; each further
// word of B is of the next eight words of k (PTX ISA, m16n8k32 and the like).
static enum exec_outcome product(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask, uint32_t bits, uint32_t halves, uint32_t words) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    const uint32_t *pa = x_src(w, x->a), *pb = x_src(w, x->b), *pc = x_src(w, x->c);
    const bool sat = x->flags & MF_SAT;
    uint32_t d[4 * WARP_LANES];
    for (uint32_t i = 0; i < 2 * halves * WARP_LANES; i++) {
        const uint32_t lane = i % WARP_LANES, column = i / WARP_LANES % 2;
        const uint32_t half = i / WARP_LANES / 2, row = lane / 4, col = lane % 4 * 2 + column;
        int64_t sum = (int32_t)pc[i];
        for (uint32_t n = 0; n < 4 * words; n++) {
            const uint32_t word = n / 4, t = n % 4;
            const uint32_t a = pa[(half + halves * word) * WARP_LANES + 4 * row + t];
            sum += word_product(x, a, pb[word * WARP_LANES + 4 * col + t], bits);
        }
        d[i] = clamped(sum, sat);
    }
    memcpy(x_dst(w, x->d), d, 2 * halves * WARP_LANES * sizeof d[0]);
    return EXEC_NEXT;
}
static enum exec_outcome product8(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                  uint32_t mask) {
    return product(e, w, x, mask, 8, 1, 1);
}
static enum exec_outcome product4(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                  uint32_t mask) {
    return product(e, w, x, mask, 4, 1, 1);
}
static enum exec_outcome product1(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                  uint32_t mask) {
    return product(e, w, x, mask, 1, 1, 1);
}
// The same of a sparse A, element by element.
static enum exec_outcome product_sparse(struct exec_warp *w, const struct xinst *x) {
    enum { ROWS = 16, MOST = 64 };
    const uint32_t *pa = x_src(w, x->a), *pb = x_src(w, x->b), *pc = x_src(w, x->c);
    const uint32_t bits = isa_type_bits(x->stype), in_word = 32 / bits, terms = 4 * in_word * x->vec;
    const bool sa = x->sub & MMA_A_SIGNED, sb = x->sub & MMA_B_SIGNED;
    uint8_t at[MOST];
    uint32_t d[4 * WARP_LANES];
    for (uint32_t row = 0; row < ROWS; row++) {
        const uint32_t g = row % 8, half = row / 8;
        sparse_places(x_src(w, x->e), x->bytes >> MMA_SELECTOR_AT & MMA_SELECTOR, row, bits, terms, at);
        for (uint32_t col = 0; col < 8; col++) {
            const uint32_t i = (2 * half + col % 2) * WARP_LANES + 4 * g + col / 2;
            int64_t sum = (int32_t)pc[i];
            for (uint32_t k = 0; k < terms; k++) {
                const uint32_t word = k / in_word, other = at[k] / in_word;
                const uint32_t a = pa[(half + 2 * (word / 4)) * WARP_LANES + 4 * g + word % 4];
                const uint32_t b = pb[other / 4 * WARP_LANES + 4 * col + other % 4];
                sum += element(a, k % in_word, bits, sa) * element(b, at[k] % in_word, bits, sb);
            }
            d[i] = clamped(sum, x->flags & MF_SAT);
        }
    }
    memcpy(x_dst(w, x->d), d, sizeof d);
    return EXEC_NEXT;
}
static enum exec_outcome product16(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                   uint32_t mask) {
    if (x->bytes & MMA_SPARSE)
        return matrix_whole(e, w, x, mask) ? product_sparse(w, x) : EXEC_FAULT;
    return product(e, w, x, mask, isa_type_bits(x->stype), 2, x->vec);
}

// ---- doubles ---------------------------------------------------------------------------------

static uint64_t signed_64(const uint32_t *p, uint32_t lane, uint8_t mods) {
    const uint64_t sign = 1ull << 63;
    uint64_t v = x_get64(p, lane);
    if (mods & OPND_ABS) v &= ~sign;
    return mods & OPND_NEG ? v ^ sign : v;
}
// Lane 4 g + t holds k t of A's row g and of B's column g; of D row g, columns 2 t and 2 t + 1. With
// two halves of rows A and D have those of row g + 8 behind each; each further double of B is of the
// next four k (PTX ISA, m16n8k16 of .f64). A chain of fused multiply-adds, to nearest (MMA-Sim,
// arXiv:2511.10909).
static void sum_doubles(struct exec_warp *w, const struct xinst *x, uint32_t halves, uint32_t blocks) {
    enum { PAIR = 2 * WARP_LANES };
    const uint32_t *pa = x_src(w, x->a), *pb = x_src(w, x->b), *pc = x_src(w, x->c);
    uint32_t d[4 * PAIR];
    for (uint32_t i = 0; i < 2 * halves * WARP_LANES; i++) {
        const uint32_t lane = i % WARP_LANES, at = i / WARP_LANES, half = at / 2;
        const uint32_t row = lane / 4, col = lane % 4 * 2 + at % 2;
        double sum = as_f64(signed_64(pc + at * PAIR, lane, x->mods[2]));
        for (uint32_t k = 0; k < 4 * blocks; k++) {
            const uint32_t block = k / 4, t = k % 4;
            const uint32_t *const a = pa + (half + halves * block) * PAIR, *const b = pb + block * PAIR;
            sum = fma(as_f64(signed_64(a, 4 * row + t, x->mods[0])),
                      as_f64(signed_64(b, 4 * col + t, x->mods[1])), sum);
        }
        x_put64(d + at * PAIR, lane, sum != sum ? F64_NAN : as_u64(sum));
    }
    memcpy(x_dst(w, x->d), d, 2 * halves * PAIR * sizeof d[0]);
}
static enum exec_outcome product_double(struct exec_env *e, struct exec_warp *w,
                                        const struct xinst *x, uint32_t mask) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    sum_doubles(w, x, 1, 1);
    return EXEC_NEXT;
}
static enum exec_outcome product_double_16(struct exec_env *e, struct exec_warp *w,
                                           const struct xinst *x, uint32_t mask) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    sum_doubles(w, x, 2, x->vec);
    return EXEC_NEXT;
}

// ---- 8x8 matrices of 16 bits -----------------------------------------------------------------

// Lane 4 r + t gets row r's elements 2 t and 2 t + 1; turned: column r's.
static void deal_matrix(uint32_t *out, const uint16_t m[8][8], bool turn) {
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        const uint32_t r = lane / 4, c = lane % 4 * 2;
        out[lane] =
            turn ? m[c][r] | (uint32_t)m[c + 1][r] << 16 : m[r][c] | (uint32_t)m[r][c + 1] << 16;
    }
}

static enum exec_outcome turn(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    uint16_t m[8][8];
    memcpy(m, x_src(w, x->a), sizeof m); // rows lie in four lanes' words, in order
    deal_matrix(x_dst(w, x->d), m, true);
    return EXEC_NEXT;
}

// The rows of matrices in shared memory: lane 8 i + r says where row r of matrix i lies, 16 bytes.
static bool rows_of_matrices(struct exec_env *e, struct exec_warp *w, const struct xinst *rows,
                             uint32_t lanes, bool is_store, struct mem_lanes *r) {
    if (!mem_resolve(e, w, rows, lanes, rows->a, rows->awords, 16, is_store, r)) return false;
    if (r->shared == lanes) return true;
    const uint32_t lane = bits_first32(lanes & ~r->shared);
    fault_raise(e, w, rows, FAULT_SHARED_RANGE, lane, e->access.addr[lane], 16,
                "%s of a row at 0x%llx, which is not in shared memory",
                is_store ? "stmatrix" : "ldmatrix", (unsigned long long)e->access.addr[lane]);
    return false;
}

// stmatrix: a lane's word of a matrix as deal_matrix gives it.
static enum exec_outcome store(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    const uint32_t n = x->vec, lanes = n == 4 ? ~0u : (1u << 8 * n) - 1;
    const uint32_t *const words = x_src(w, x->b);
    struct xinst rows = *x; // whose rows the checks see
    rows.bytes = 16;
    struct mem_lanes r;
    if (!rows_of_matrices(e, w, &rows, lanes, true, &r)) return EXEC_FAULT;
    if (!check_writes(e, w, &rows, lanes, &r)) return EXEC_FAULT;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t m[8][8];
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            const uint32_t row = lane / 4, col = lane % 4 * 2, v = words[i * WARP_LANES + lane];
            for (uint32_t k = 0; k < 2; k++)
                *(x->sub ? &m[col + k][row] : &m[row][col + k]) = (uint16_t)(v >> 16 * k);
        }
        for (uint32_t row = 0; row < 8; row++) memcpy(r.host[8 * i + row], m[row], sizeof m[row]);
    }
    return EXEC_MEMORY;
}

// ldmatrix: lane 8 i + r says where row r of matrix i lies, 16 bytes of shared memory.
static enum exec_outcome load(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    const uint32_t n = x->vec, lanes = n == 4 ? ~0u : (1u << 8 * n) - 1;
    struct xinst rows = *x; // whose rows the checks see
    rows.bytes = 16;
    struct mem_lanes r;
    if (!rows_of_matrices(e, w, &rows, lanes, false, &r)) return EXEC_FAULT;
    if (!check_reads(e, w, &rows, lanes, &r)) return EXEC_FAULT;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t m[8][8];
        for (uint32_t row = 0; row < 8; row++) memcpy(m[row], r.host[8 * i + row], sizeof m[row]);
        deal_matrix(x_dst(w, x->d) + i * WARP_LANES, m, x->sub);
    }
    e->access.n_dst = n;
    return EXEC_MEMORY;
}

const exec_fn matrix_fns[] = {[MATRIX_8816] = product8,         [MATRIX_8832] = product4,
                              [MATRIX_88128] = product1,        [MATRIX_16] = product16,
                              [MATRIX_DOUBLE] = product_double, [MATRIX_DOUBLE_16] = product_double_16,
                              [MATRIX_LOAD] = load,             [MATRIX_STORE] = store,
                              [MATRIX_TURN] = turn};
