// Video instructions: one operation; selectors, second operation and the rest go into its immediate
// E (VIDEO_* in isa.h).
#include "code/lower_priv.h"

static uint64_t at(uint64_t v, enum mvideo_bits position) { return v << position; }

static enum mvideo_op2 second_op(const struct ptx_inst *i) {
    return ptx_has(i, PTX_MOD_add)   ? VIDEO_OP2_ADD
           : ptx_has(i, PTX_MOD_min) ? VIDEO_OP2_MIN
           : ptx_has(i, PTX_MOD_max) ? VIDEO_OP2_MAX
                                     : VIDEO_OP2_NONE;
}

// vset and vset2 have no destination type: theirs is u32.
static bool is_vset(const struct ptx_inst *i) {
    return i->op == PTX_OP_vset || i->op == PTX_OP_vset2 || i->op == PTX_OP_vset4;
}

#define LANES(op, code) [PTX_OP_##op##2] = code, [PTX_OP_##op##4] = code
static const uint8_t codes[PTX_OP_N] = {
    [PTX_OP_vadd] = MVIDEO_ADD, [PTX_OP_vsub] = MVIDEO_SUB, [PTX_OP_vabsdiff] = MVIDEO_ABSDIFF,
    [PTX_OP_vmin] = MVIDEO_MIN, [PTX_OP_vmax] = MVIDEO_MAX, [PTX_OP_vshl] = MVIDEO_SHL,
    [PTX_OP_vshr] = MVIDEO_SHR, [PTX_OP_vset] = MVIDEO_SET, [PTX_OP_vmad] = MVIDEO_MAD,
    LANES(vadd, MVIDEO_ADD),    LANES(vsub, MVIDEO_SUB),    LANES(vabsdiff, MVIDEO_ABSDIFF),
    LANES(vmin, MVIDEO_MIN),    LANES(vmax, MVIDEO_MAX),    LANES(vset, MVIDEO_SET),
    LANES(vavrg, MVIDEO_AVRG)};
#undef LANES
// Which part of a word a scalar operand is.
static const uint8_t parts[] = {
    [PTX_VIDEO_B0] = VIDEO_B0, [PTX_VIDEO_B1] = VIDEO_B1, [PTX_VIDEO_B2] = VIDEO_B2,
    [PTX_VIDEO_B3] = VIDEO_B3, [PTX_VIDEO_H0] = VIDEO_H0, [PTX_VIDEO_H1] = VIDEO_H1};

static uint64_t part(const struct ptx_operand *o, enum mvideo_bits position) {
    return at(o->video < sizeof parts ? parts[o->video] : VIDEO_WHOLE, position);
}

static struct minst common(struct lower *l, const struct ptx_inst *i, uint64_t *e) {
    const unsigned first = is_vset(i) ? 0 : 1;
    struct minst m = lower_new(l, OP_VIDEO, is_vset(i) ? ITYPE_U32 : lower_type(l, i, 0));
    m.stype = (uint8_t)lower_type(l, i, first);
    m.aux = codes[i->op];
    m.cmp = is_vset(i) ? (uint8_t)lower_comparison(i) : 0;
    m.flags = (ptx_has(i, PTX_MOD_sat) ? MF_SAT : 0u) | (ptx_has(i, PTX_MOD_wrap) ? MF_WRAP : 0u);
    *e = at((uint64_t)second_op(i), VIDEO_OP2) |
         at(isa_type_is_signed(lower_type(l, i, first + 1)), VIDEO_BSIGNED);
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_U32);
    for (unsigned s = 0; s + 1 < i->n_operands && s < 3; s++) {
        struct ptx_operand o = i->operand[s + 1];
        o.component = -1;
        m.src[s] = lower_src(l, &o, ITYPE_U32);
    }
    return m;
}

static void put(struct lower *l, struct minst *m, uint64_t e, enum lower_cost cost) {
    m->src[3] = opnd_imm64(e);
    lower_put_cost(l, m, cost);
}

// vadd.. d{.dsel}, a{.asel}, b{.bsel}{, c}; vmad d, {-}a{.asel}, {-}b{.bsel}, {-}c
void lower_video_scalar(struct lower *l, const struct ptx_inst *i, unsigned mad) {
    uint64_t e;
    struct minst m = common(l, i, &e);
    m.vec = 1;
    e |= part(&i->operand[1], VIDEO_ASEL) | part(&i->operand[2], VIDEO_BSEL);
    if (!mad) e |= part(&i->operand[0], VIDEO_DSEL);
    if (ptx_has(i, PTX_MOD_shr7)) e |= at(7, VIDEO_SHR);
    if (ptx_has(i, PTX_MOD_shr15)) e |= at(15, VIDEO_SHR);
    if (ptx_has(i, PTX_MOD_po)) e |= at(1, VIDEO_PO);
    put(l, &m, e, LOWER_COST_VIDEO_SCALAR);
}

// A source's lanes as three bits each; `select` has a nibble a lane.
static uint64_t lanes_of(const struct ptx_operand *o, unsigned lanes, unsigned first) {
    const bool given = o->video == PTX_VIDEO_PACKED_H || o->video == PTX_VIDEO_PACKED_B;
    uint64_t v = 0;
    for (unsigned k = 0; k < lanes; k++)
        v |= (uint64_t)(given ? o->select >> 4 * k & 7u : first + k) << 3 * k;
    return v;
}

// vadd2.. d{.mask}, a{.asel}, b{.bsel}, c
void lower_video_simd(struct lower *l, const struct ptx_inst *i, unsigned lanes) {
    uint64_t e;
    struct minst m = common(l, i, &e);
    const struct ptx_operand *const d = &i->operand[0];
    m.vec = (uint8_t)lanes;
    e |= at(lanes_of(&i->operand[1], lanes, 0), VIDEO_ASEL) |
         at(lanes_of(&i->operand[2], lanes, lanes), VIDEO_BSEL) |
         at(d->video == PTX_VIDEO_MASK ? d->select & 15u : (1u << lanes) - 1, VIDEO_MASK);
    put(l, &m, e, lanes == 2 ? LOWER_COST_VIDEO_SIMD2 : LOWER_COST_VIDEO_SIMD4);
}
