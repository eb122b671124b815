// Forms of wmma and mma (ptx_mma.def): which there are, and what their matrices are.
#include "ptx/ptx_parser.h"

_Static_assert(PTX_TYPE_N <= 64, "a set of types is one word");

#define SET(t) ((uint64_t)1 << PTX_##t)
static const struct ptx_mma rows[] = {
#define ROW(op, shape, of_a, of_b, major, minor, generation, a, b, c16, c, is_sparse)              \
    {PTX_OP_##op,                                                                                  \
     PTX_MOD_##shape,                                                                              \
     10 * (major) + (minor),                                                                       \
     of_a,                                                                                         \
     of_b,                                                                                         \
     {a, b, c16, c},                                                                               \
     #major "." #minor " (" generation ")",                                                        \
     is_sparse},
#define PTX_MMA(...)    ROW(__VA_ARGS__, false)
#define PTX_MMA_SP(...) ROW(__VA_ARGS__, true)
#include "ptx/ptx_mma.def"
#undef PTX_MMA_SP
#undef PTX_MMA
#undef ROW
};

static bool is_product(const struct ptx_inst *i) {
    return i->op == PTX_OP_mma || !(ptx_has(i, PTX_MOD_load) || ptx_has(i, PTX_MOD_store));
}

enum ptx_mma_role ptx_mma_role(const struct ptx_inst *i) {
    if (is_product(i) || ptx_has(i, PTX_MOD_d)) return PTX_MMA_D;
    return ptx_has(i, PTX_MOD_a) ? PTX_MMA_A : ptx_has(i, PTX_MOD_b) ? PTX_MMA_B : PTX_MMA_C;
}

enum ptx_type ptx_mma_type(const struct ptx_inst *i, enum ptx_mma_role role) {
    if (!is_product(i)) return (enum ptx_type)i->types[0];
    if (role == PTX_MMA_D) return (enum ptx_type)i->types[0];
    if (role == PTX_MMA_C) return (enum ptx_type)i->types[i->n_types ? i->n_types - 1 : 0];
    // wmma.mma of halves names D and C only
    if (i->n_types < 4) return PTX_F16;
    return (enum ptx_type)i->types[role == PTX_MMA_A ? 1 : 2];
}

unsigned ptx_mma_regs(const struct ptx_mma *m, enum ptx_mma_role role, enum ptx_type t) {
    if (role < PTX_MMA_C) return m->regs[role];
    return m->regs[t == PTX_F16 ? 2 : 3];
}

// Whether C or D of a row may have the type.
static bool sums_in(const struct ptx_mma *m, enum ptx_type t) {
    if (m->a & (SET(F16) | SET(E4M3) | SET(E5M2))) return t == PTX_F32 || t == PTX_F16;
    if (m->a & (SET(BF16) | SET(TF32))) return t == PTX_F32;
    return t == (m->a & SET(F64) ? PTX_F64 : PTX_S32);
}

// Layouts: of a load or store one; of a product two, which narrow types have as .row.col alone.
static bool layouts_fit(const struct ptx_mma *m, const struct ptx_inst *i) {
    unsigned rows_n = 0, cols_n = 0;
    enum ptx_mod first = PTX_MOD_other;
    for (unsigned k = 0; k < i->n_mods; k++) {
        const enum ptx_mod mod = (enum ptx_mod)i->mods[k];
        if (mod != PTX_MOD_row && mod != PTX_MOD_col) continue;
        if (first == PTX_MOD_other) first = mod;
        if (mod == PTX_MOD_row)
            rows_n++;
        else
            cols_n++;
    }
    const bool narrow = m->a & (SET(S4) | SET(U4) | SET(B1));
    if (!is_product(i)) {
        if (rows_n + cols_n != 1) return false;
        const enum ptx_mma_role role = ptx_mma_role(i);
        return !narrow || role >= PTX_MMA_C || (role == PTX_MMA_A) == (first == PTX_MOD_row);
    }
    if (rows_n + cols_n != 2) return false;
    const bool any = m->op == PTX_OP_wmma ? !narrow : m->shape == PTX_MOD_m8n8k4;
    return any || (rows_n == 1 && first == PTX_MOD_row);
}

// Bits are multiplied with .xor.popc; only integers may be clamped.
static bool modifiers_fit(const struct ptx_mma *m, const struct ptx_inst *i) {
    const bool bits = m->a & SET(B1), floats = !(m->a & (SET(S8) | SET(U8) | SET(S4) | SET(U4)));
    if (!is_product(i)) return true;
    const bool combines = ptx_has(i, PTX_MOD_xor) || ptx_has(i, PTX_MOD_and);
    if (bits != combines || bits != ptx_has(i, PTX_MOD_popc)) return false;
    return !ptx_has(i, PTX_MOD_satfinite) || !floats;
}

static bool types_fit(const struct ptx_mma *m, const struct ptx_inst *i) {
    if (!is_product(i)) {
        const enum ptx_type t = (enum ptx_type)i->types[0];
        const enum ptx_mma_role role = ptx_mma_role(i);
        if (role >= PTX_MMA_C) return sums_in(m, t);
        return (role == PTX_MMA_A ? m->a : m->b) >> t & 1;
    }
    const bool short_form = i->op == PTX_OP_wmma && (m->a & SET(F16));
    if (i->n_types != (short_form ? 2 : 4)) return false;
    return (m->a >> ptx_mma_type(i, PTX_MMA_A) & 1) && (m->b >> ptx_mma_type(i, PTX_MMA_B) & 1) &&
           sums_in(m, ptx_mma_type(i, PTX_MMA_C)) && sums_in(m, ptx_mma_type(i, PTX_MMA_D));
}

const struct ptx_mma *ptx_mma_find(const struct ptx_inst *i) {
    if (!i->n_types) return NULL;
    for (unsigned k = 0; k < WW_COUNT(rows); k++) {
        const struct ptx_mma *m = &rows[k];
        if (m->op != i->op || !ptx_has(i, (enum ptx_mod)m->shape)) continue;
        if (m->is_sparse != ptx_mma_is_sparse(i)) continue;
        if (types_fit(m, i) && layouts_fit(m, i) && modifiers_fit(m, i)) return m;
    }
    return NULL;
}
