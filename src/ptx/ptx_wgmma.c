// Forms of a warp group's products: which there are, and what their operands are (PTX ISA 9.0,
// 9.7.15.5.2 and 9.7.15.6.3).
#include "ptx/ptx_parser.h"

#define SET(t) ((uint64_t)1 << PTX_##t)

// k: of a dense product, twice as many of a sparse one. narrow: from 32 columns on there are
// multiples of 16 alone. signs: A and B may be negated; trans: and transposed in memory.
static const struct row {
    uint64_t a, b, d;
    uint16_t k;
    bool narrow, signs, trans, sparse;
} rows[] = {
    {SET(F16), SET(F16), SET(F16) | SET(F32), 16, false, true, true, true},
    {SET(BF16), SET(BF16), SET(F32), 16, false, true, true, true},
    {SET(TF32), SET(TF32), SET(F32), 8, false, true, false, true},
    {SET(E4M3) | SET(E5M2), SET(E4M3) | SET(E5M2), SET(F16) | SET(F32), 32, false, true, false,
     true},
    {SET(S8) | SET(U8), SET(S8) | SET(U8), SET(S32), 32, true, false, false, true},
    {SET(B1), SET(B1), SET(S32), 256, true, false, false, false},
};

static bool columns_fit(unsigned n, bool narrow) {
    if (n == 0 || n > 256 || n % 8) return false;
    return !narrow || n < 32 || n % 16 == 0;
}

static bool modifiers_fit(const struct row *r, const struct ptx_inst *i) {
    const bool bits = r->a & SET(B1), integers = r->narrow && !bits;
    if (bits != ptx_has(i, PTX_MOD_and) || bits != ptx_has(i, PTX_MOD_popc)) return false;
    return integers || !ptx_has(i, PTX_MOD_satfinite);
}

bool ptx_wgmma_form(const struct ptx_inst *i, const struct ptx_operand *operands,
                    struct ptx_wgmma *out) {
    *out = (struct ptx_wgmma){
        .meta = -1, .selector = -1, .scale_a = -1, .scale_b = -1, .trans_a = -1, .trans_b = -1};
    if (i->n_types != 3) return false;
    const uint8_t d = i->types[0], a = i->types[1], b = i->types[2];
    out->is_sparse = ptx_has(i, PTX_MOD_sp);
    for (unsigned k = 0; k < WW_COUNT(rows); k++) {
        const struct row *const r = &rows[k];
        if (!(r->a >> a & 1) || !(r->b >> b & 1) || !(r->d >> d & 1)) continue;
        if (!columns_fit(i->shape_n, r->narrow) || !modifiers_fit(r, i)) return false;
        if (i->shape_k != r->k * (out->is_sparse ? 2u : 1u) || (out->is_sparse && !r->sparse))
            return false;
        out->type_d = d;
        out->type_a = a;
        out->type_b = b;
        out->regs_d = (uint8_t)(i->shape_n / (d == PTX_F16 ? 4 : 2));
        out->a_is_matrix_in_memory = operands[1].kind != PTX_OPERAND_VECTOR;
        int8_t at = 3;
        if (out->is_sparse) {
            out->meta = at++;
            out->selector = at++;
        }
        out->scale_d = at++;
        if (r->signs) {
            out->scale_a = at++;
            out->scale_b = at++;
        }
        if (r->trans && out->a_is_matrix_in_memory) out->trans_a = at++;
        if (r->trans) out->trans_b = at++;
        out->n_operands = (uint8_t)at;
        return true;
    }
    return false;
}
