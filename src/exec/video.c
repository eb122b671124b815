// Video instructions: selected bytes and halves of words, and their two- and four-lane forms. The
// fields of the immediate are isa.h's VIDEO_*; the arithmetic is PTX ISA's pseudo-code, in integers
// wide enough for its 34 bits.
#include "exec/exec_int.h"

static int64_t select_part(uint32_t v, uint32_t sel, bool is_signed) {
    if (sel >= VIDEO_B0 && sel <= VIDEO_B3) {
        const uint32_t b = v >> (8 * (sel - VIDEO_B0)) & 255;
        return is_signed ? (int8_t)b : (int64_t)b;
    }
    if (sel == VIDEO_H0 || sel == VIDEO_H1) {
        const uint32_t h = v >> (16 * (sel - VIDEO_H0)) & 0xffff;
        return is_signed ? (int16_t)h : (int64_t)h;
    }
    return is_signed ? (int32_t)v : (int64_t)v;
}
static unsigned part_bits(uint32_t sel) {
    if (!sel) return 32;
    return sel <= VIDEO_B3 ? 8 : 16;
}
static int64_t clamp_bits(int64_t v, unsigned bits, bool is_signed) {
    const int64_t top = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
    const int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    return v > top ? top : v < low ? low : v;
}
static bool compare(int64_t a, int64_t b, uint8_t cmp) {
    switch (cmp) {
    case MCMP_EQ: return a == b;
    case MCMP_NE: return a != b;
    case MCMP_LT: return a < b;
    case MCMP_LE: return a <= b;
    case MCMP_GT: return a > b;
    default: return a >= b;
    }
}

static uint32_t vmad(const struct minst *m, uint64_t e, int64_t a, int64_t b, uint32_t c) {
    const bool na = m->src[0].mods & OPND_NEG, nb = m->src[1].mods & OPND_NEG;
    const bool nc = m->src[2].mods & OPND_NEG, minus = na != nb;
    const bool is_signed =
        isa_type_is_signed(m->stype) || video_field(e, VIDEO_BSIGNED, 1) || minus || nc;
    __int128 t = (__int128)a * b;
    int lsb = 0;
    if (video_field(e, VIDEO_PO, 1)) {
        lsb = 1;
    } else if (minus) {
        t = ~t;
        lsb = 1;
    } else if (nc) {
        c = ~c;
        lsb = 1;
    }
    t += (is_signed ? (__int128)(int32_t)c : (__int128)c) + lsb;
    t >>= video_field(e, VIDEO_SHR, 4);
    if (m->flags & MF_SAT) {
        const __int128 top = is_signed ? INT32_MAX : UINT32_MAX, low = is_signed ? INT32_MIN : 0;
        t = t > top ? top : t < low ? low : t;
    }
    return (uint32_t)(unsigned __int128)t;
}

static int64_t shifted(int64_t a, uint32_t n, bool left, bool wrap) {
    n = wrap ? n & 31 : n > 32 ? 32 : n;
    return left ? (int64_t)((uint64_t)a << n) : a >> n;
}

static uint32_t scalar(const struct minst *m, uint64_t e, uint32_t a, uint32_t b, uint32_t c) {
    const int64_t ta = select_part(a, video_field(e, VIDEO_ASEL, 12), isa_type_is_signed(m->stype));
    const int64_t tb =
        select_part(b, video_field(e, VIDEO_BSEL, 12), video_field(e, VIDEO_BSIGNED, 1));
    int64_t t;
    switch (m->aux) {
    case MVIDEO_ADD: t = ta + tb; break;
    case MVIDEO_SUB: t = ta - tb; break;
    case MVIDEO_ABSDIFF: t = ta < tb ? tb - ta : ta - tb; break;
    case MVIDEO_MIN: t = ta < tb ? ta : tb; break;
    case MVIDEO_MAX: t = ta > tb ? ta : tb; break;
    case MVIDEO_SHL: t = shifted(ta, (uint32_t)tb, true, m->flags & MF_WRAP); break;
    case MVIDEO_SHR: t = shifted(ta, (uint32_t)tb, false, m->flags & MF_WRAP); break;
    case MVIDEO_SET: t = compare(ta, tb, m->cmp); break;
    default: return vmad(m, e, ta, tb, c);
    }
    const bool is_signed = isa_type_is_signed(m->type);
    const uint32_t dsel = video_field(e, VIDEO_DSEL, 4);
    if (m->flags & MF_SAT) t = clamp_bits(t, part_bits(dsel), is_signed);
    const uint32_t u = (uint32_t)t;
    if (dsel) {
        const uint32_t at = dsel <= VIDEO_B3 ? 8 * (dsel - VIDEO_B0) : 16 * (dsel - VIDEO_H0);
        const uint32_t keep = ((1u << part_bits(dsel)) - 1) << at;
        return (c & ~keep) | (u << at & keep);
    }
    const bool less = is_signed ? (int32_t)u < (int32_t)c : u < c;
    switch (video_field(e, VIDEO_OP2, 2)) {
    case VIDEO_OP2_ADD: return c + u;
    case VIDEO_OP2_MIN: return less ? u : c;
    case VIDEO_OP2_MAX: return less ? c : u;
    default: return u;
    }
}

static uint32_t simd(const struct minst *m, uint64_t e, uint32_t lanes, uint32_t a, uint32_t b,
                     uint32_t c) {
    const unsigned bits = 32 / lanes;
    const uint64_t both = a | (uint64_t)b << 32;
    const uint32_t asel = video_field(e, VIDEO_ASEL, 12), bsel = video_field(e, VIDEO_BSEL, 12);
    const uint32_t mask = video_field(e, VIDEO_MASK, 4), part = (uint32_t)((1ull << bits) - 1);
    const bool sa = isa_type_is_signed(m->stype), sb = video_field(e, VIDEO_BSIGNED, 1);
    const bool add = video_field(e, VIDEO_OP2, 2) == VIDEO_OP2_ADD;
    uint32_t d = add ? c : 0;
    for (uint32_t k = 0; k < lanes; k++) {
        const uint32_t ua = (uint32_t)(both >> (bits * (asel >> 3 * k & 7))) & part;
        const uint32_t ub = (uint32_t)(both >> (bits * (bsel >> 3 * k & 7))) & part;
        const int64_t va = sa && ua >> (bits - 1) ? (int64_t)ua - ((int64_t)1 << bits) : ua;
        const int64_t vb = sb && ub >> (bits - 1) ? (int64_t)ub - ((int64_t)1 << bits) : ub;
        int64_t t;
        switch (m->aux) {
        case MVIDEO_ADD: t = va + vb; break;
        case MVIDEO_SUB: t = va - vb; break;
        case MVIDEO_AVRG: t = (va + vb + (va + vb >= 0)) >> 1; break;
        case MVIDEO_ABSDIFF: t = va < vb ? vb - va : va - vb; break;
        case MVIDEO_MIN: t = va < vb ? va : vb; break;
        case MVIDEO_MAX: t = va > vb ? va : vb; break;
        default: t = compare(va, vb, m->cmp); break;
        }
        if (m->flags & MF_SAT) t = clamp_bits(t, bits, isa_type_is_signed(m->type));
        if (add)
            d += mask >> k & 1 ? (uint32_t)t : 0;
        else
            d |= mask >> k & 1 ? ((uint32_t)t & part) << (bits * k) : c & part << (bits * k);
    }
    return d;
}

static enum exec_outcome video(struct exec_env *env, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    (void)env;
    const struct minst *m = x_minst(w, x);
    const uint64_t e = m->src[3].imm;
    const uint32_t *pa = x_src(w, x->a), *pb = x_src(w, x->b), *pc = x_src(w, x->c);
    uint32_t *pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask)
        pd[i] = m->vec > 1 ? simd(m, e, m->vec, pa[i], pb[i], pc[i])
                           : scalar(m, e, pa[i], pb[i], pc[i]);
    return EXEC_NEXT;
}
const exec_fn video_fns[] = {video};
