// Textures and surfaces. Sources: words, encoding.def; in which registers coordinates, levels,
// offsets and handles stand, what ptxas 11.8 makes of single PTX instructions for sm_70; PTX ISA 9.0.
//
// A texture instruction has a list of arguments: coordinates (a layer first), a handle in a register
// (.B), a level, texel offsets, a sample. With .SCR at most four of them, half (rounded up) in the
// registers of A and the rest in those of B; without, coordinates in A and the rest in B. TXD has the
// handle first, coordinates and a layer behind them in A, and derivatives in B. Otherwise the handle
// is a word of a constant bank: a kernel's parameter, or what a loader puts there for a reference.
//
// Textures have one level here, so that levels, derivatives and how a level is found say nothing;
// and one sample a texel.
#include "sass/translator.h"

enum { SCR_AT = 60, MASK_AT = 72, SHAPE_AT = 61, AOFFI_AT = 76, RESIDENT_AT = 81 };

static const uint8_t geometry[] = {MTEX_1D,         MTEX_2D,         MTEX_3D, MTEX_CUBE,
                                   MTEX_1D_LAYERED, MTEX_2D_LAYERED, 0,       MTEX_CUBE_LAYERED};
static const uint8_t coordinates[] = {1, 2, 3, 3, 2, 3, 0, 4}; // layers among them

// ---- handles ----------------------------------------------------------------------------------
// In a bank of constants.
static struct opnd bound_handle(struct translator *t) {
    if (t->form == 7) {
        tr_ignore(t, 91, 1); // the mark of words with a uniform source
        if (tr_field(t, 46, 8)) tr_refuse(t, "adds to a handle");
        return tr_ureg(t, 40, 1);
    }
    return (struct opnd){.kind = OPND_CONST,
                         .words = 1,
                         .bank = (uint8_t)tr_field(t, 54, 5),
                         .reg = 4 * tr_field(t, 40, 14)};
}
// Word `n` of the group that begins with the register in bits `at`.
static struct opnd word_of(struct translator *t, uint32_t at, uint32_t n) {
    struct opnd o = tr_reg(t, at, 1);
    if (o.kind == OPND_GPR) o.reg += n;
    return o;
}
static uint32_t group_words(uint32_t n) { return n > 2 ? 4 : n; }

// ---- textures ---------------------------------------------------------------------------------
// Where arguments stand: `n_a` in A, the others in B.
struct arguments {
    uint32_t n, n_a;
};
static struct opnd argument(struct translator *t, const struct arguments *a, uint32_t i) {
    return i < a->n_a ? word_of(t, 24, i) : word_of(t, 32, i - a->n_a);
}
static void sources(struct translator *t, const struct arguments *a) {
    t->m->src[1] = tr_reg(t, 24, group_words(a->n_a));
    if (a->n > a->n_a)
        t->m->src[2] = tr_reg(t, 32, group_words(a->n - a->n_a));
    else
        tr_ignore(t, 32, 8);
}

// The wanted words of the result: two in D, the third and fourth in D1.
static void results(struct translator *t) {
    const uint32_t wanted = tr_field(t, MASK_AT, 4), n = bits_count32(wanted);
    if (!wanted) {
        tr_refuse(t, "wants no result");
        return;
    }
    t->m->aux |= (uint16_t)(wanted << TEX_WANTED_AT);
    t->m->vec = (uint8_t)n;
    t->m->dst[0] = tr_reg(t, 16, n < 2 ? n : 2);
    const struct opnd second = tr_reg(t, 64, n > 3 ? 2 : 1);
    if (n > 2)
        t->m->dst[1] = second;
    else if (second.kind != OPND_ZERO)
        tr_refuse(t, "has a second result");
    const struct opnd resident = tr_pred(t, RESIDENT_AT);
    if (resident.reg != PRED_TRUE) t->m->dst[2] = resident;
    tr_ignore(t, 84, 3); // eviction
    tr_ignore(t, 90, 1); // .NODEP
}
static void begin(struct translator *t, enum mop op, enum isa_type coordinate_type) {
    const uint32_t shape = tr_field(t, SHAPE_AT, 3);
    tr_op(t, op, OPC_TEX, ITYPE_B32);
    t->m->stype = (uint8_t)coordinate_type;
    t->m->sub = geometry[shape];
    t->m->space = SPACE_TEX;
    results(t);
}
static void as_words(struct translator *t) {
    if (tr_field(t, 79, 2)) tr_refuse(t, "converts its result to halves");
}
// Coordinates, a handle, `extra` arguments of which nothing is to be known, offsets.
static void arguments(struct translator *t, bool has_handle, uint32_t before, uint32_t behind) {
    const uint32_t n = coordinates[tr_field(t, SHAPE_AT, 3)];
    const bool is_split = tr_bit(t, SCR_AT), has_offsets = tr_bit(t, AOFFI_AT);
    struct arguments a = {.n = n + has_handle + before + has_offsets + behind};
    a.n_a = (a.n + 1) / 2;
    if (is_split && a.n > 4) tr_refuse(t, "has more arguments than registers");
    if (!is_split) {
        a.n += group_words(n) - n; // what the group of coordinates leaves free
        a.n_a = group_words(n);
    }
    const uint32_t rest = is_split ? n : a.n_a;
    sources(t, &a);
    t->m->src[0] = has_handle ? argument(t, &a, rest) : bound_handle(t);
    if (has_offsets) t->m->src[3] = argument(t, &a, rest + has_handle + before);
}
static void tex(struct translator *t, bool has_handle) {
    enum { AUTOMATIC, LEVEL_0, LEVEL = 3 };
    begin(t, OP_TEX_PARTS, ITYPE_F32);
    as_words(t);
    tr_ignore(t, 77, 1); // .NDV: how a level is found
    if (tr_bit(t, 78)) tr_refuse(t, "compares with a depth texture");
    const uint32_t level = tr_field(t, 87, 3);
    if (level != AUTOMATIC && level != LEVEL_0 && level != LEVEL)
        tr_refuse(t, "has a bias of level");
    arguments(t, has_handle, level == LEVEL, 0);
}
void translate_tex(struct translator *t) { tex(t, false); }
void translate_tex_b(struct translator *t) { tex(t, true); }

static void tld(struct translator *t, bool has_handle) {
    enum { LEVEL_0 = 1, LEVEL = 3 };
    begin(t, OP_TEX_PARTS, ITYPE_S32);
    as_words(t);
    tr_ignore(t, 77, 1); // .CL: clamps the level
    arguments(t, has_handle, tr_field(t, 87, 3) == LEVEL, tr_bit(t, 78));
}
void translate_tld(struct translator *t) { tld(t, false); }
void translate_tld_b(struct translator *t) { tld(t, true); }

static void tld4(struct translator *t, bool has_handle) {
    begin(t, OP_TLD4_PARTS, ITYPE_F32);
    as_words(t);
    t->m->aux |= (uint16_t)tr_field(t, 87, 2);
    if (tr_bit(t, 77)) tr_refuse(t, "has four pairs of offsets");
    if (tr_bit(t, 78)) tr_refuse(t, "compares with a depth texture");
    arguments(t, has_handle, 0, 0);
}
void translate_tld4(struct translator *t) { tld4(t, false); }
void translate_tld4_b(struct translator *t) { tld4(t, true); }

static void txd(struct translator *t, bool has_handle) {
    begin(t, OP_TEX_PARTS, ITYPE_F32);
    as_words(t);
    if (tr_bit(t, AOFFI_AT)) tr_refuse(t, "has offsets beside derivatives");
    if (tr_bit(t, 87)) tr_refuse(t, "clamps its level");
    t->m->aux |= (uint16_t)(TEX_LAYER_LAST | (has_handle ? TEX_HANDLE_FIRST : 0));
    const uint32_t n = coordinates[tr_field(t, SHAPE_AT, 3)] + has_handle;
    const bool has_layer = tr_field(t, SHAPE_AT, 3) >= 4;
    const uint32_t axes = n - has_handle - has_layer;
    const struct arguments a = {.n = group_words(n) + 2 * axes, .n_a = group_words(n)};
    sources(t, &a);
    t->m->src[0] = has_handle ? argument(t, &a, 0) : bound_handle(t);
}
void translate_txd(struct translator *t) { txd(t, false); }
void translate_txd_b(struct translator *t) { txd(t, true); }

// ---- queries ----------------------------------------------------------------------------------
static void txq(struct translator *t, bool has_handle) {
    enum { DIMENSION, WIDTH = 1, HEIGHT = 2, DEPTH = 4 };
    const uint32_t what = tr_field(t, 62, 2), wanted = tr_field(t, MASK_AT, 4);
    tr_op(t, OP_TXQ, OPC_TEX, ITYPE_B32);
    tr_ignore(t, 90, 1); // .NODEP
    if (what != DIMENSION || (wanted != WIDTH && wanted != HEIGHT && wanted != DEPTH))
        tr_refuse(t, "asks what is not known here");
    t->m->aux = wanted == WIDTH ? MTXQ_WIDTH : wanted == HEIGHT ? MTXQ_HEIGHT : MTXQ_DEPTH;
    tr_dst(t, 1);
    if (tr_reg(t, 64, 1).kind != OPND_ZERO) tr_refuse(t, "has a second result");
    const struct arguments a = {.n = 1 + has_handle, .n_a = 1 + has_handle};
    tr_ignore(t, 24, 8);
    t->m->src[0] = has_handle ? argument(t, &a, 0) : bound_handle(t);
    t->m->src[1] = argument(t, &a, has_handle); // the level
}
void translate_txq(struct translator *t) { txq(t, false); }
void translate_txq_b(struct translator *t) { txq(t, true); }

// ---- surfaces ---------------------------------------------------------------------------------
// Shape, what becomes of accesses outside, coordinates (a layer last) and handle. Order and eviction
// change nothing: surfaces are cached as global memory is.
static void surface(struct translator *t, enum mop op, bool has_handle) {
    enum { BUFFER = 1 };
    static const uint8_t shape[] = {MTEX_1D, MTEX_1D,         MTEX_1D_LAYERED,
                                    MTEX_2D, MTEX_2D_LAYERED, MTEX_3D};
    static const uint8_t words[] = {1, 1, 2, 2, 4, 4};
    static const uint8_t outside[] = {MSURF_ZERO, MSURF_CLAMP, MSURF_TRAP};
    const uint32_t n = tr_field(t, 61, 3);
    tr_op(t, op, OPC_SURF, ITYPE_B32);
    if (n >= WW_COUNT(shape) || n == BUFFER) {
        tr_refuse(t, "has a shape that is not executed");
        return;
    }
    t->m->stype = ITYPE_S32;
    t->m->sub = shape[n];
    t->m->aux = outside[tr_field(t, 59, 2) % WW_COUNT(outside)] | MSURF_LAYER_LAST;
    t->m->vec = 1;
    t->m->src[0] = has_handle ? tr_reg(t, 64, 1) : bound_handle(t);
    t->m->src[1] = tr_reg(t, 24, words[n]);
    tr_ignore(t, 84, 3);
    tr_ignore(t, t->gen < SASS_80 ? 76 : 77, t->gen < SASS_80 ? 5 : 4);
}
// Elements of raw bytes; x counts bytes (.BA). Answers the words.
static uint32_t raw(struct translator *t) {
    static const struct {
        uint8_t type, vec;
    } row[] = {{ITYPE_U8, 1},  {ITYPE_S8, 1},  {ITYPE_U16, 1}, {ITYPE_S16, 1},
               {ITYPE_B32, 1}, {ITYPE_B32, 2}, {ITYPE_B32, 4}};
    const uint32_t n = tr_field(t, 73, 3);
    if (!tr_bit(t, 72)) tr_refuse(t, "counts texels of raw bytes");
    if (n >= WW_COUNT(row)) {
        tr_refuse(t, "has a size that is not documented");
        return 1;
    }
    t->m->type = row[n].type;
    t->m->vec = row[n].vec;
    return row[n].vec;
}
static void suld(struct translator *t, bool has_handle) {
    surface(t, OP_SULD, has_handle);
    if (tr_field(t, RESIDENT_AT, 3) != PRED_TRUE) tr_refuse(t, "has a second result");
    tr_dst(t, raw(t));
    if (t->m->dst[0].kind == OPND_ZERO) tr_refuse(t, "drops its result");
}
void translate_suld(struct translator *t) { suld(t, false); }
void translate_suld_b(struct translator *t) { suld(t, true); }
static void sust(struct translator *t, bool has_handle) {
    surface(t, OP_SUST, has_handle);
    t->m->src[2] = tr_reg(t, 32, raw(t));
}
void translate_sust(struct translator *t) { sust(t, false); }
void translate_sust_b(struct translator *t) { sust(t, true); }
// By the surface's format; x counts texels.
static void sust_p(struct translator *t, bool has_handle) {
    enum { R = 1, RG = 3, RGBA = 15 };
    const uint32_t wanted = tr_field(t, MASK_AT, 4);
    surface(t, OP_SUST, has_handle);
    t->m->flags |= MF_WIDE;
    t->m->vec = wanted == R ? 1 : wanted == RG ? 2 : 4;
    if (wanted != R && wanted != RG && wanted != RGBA) tr_refuse(t, "stores some components");
    t->m->src[2] = tr_reg(t, 32, t->m->vec);
}
void translate_sust_p(struct translator *t) { sust_p(t, false); }
void translate_sust_p_b(struct translator *t) { sust_p(t, true); }
static void sured(struct translator *t, bool has_handle) {
    static const uint8_t type[] = {ITYPE_U32, ITYPE_S32, ITYPE_U64, 0, 0, ITYPE_S64, 0, 0};
    const uint8_t of = type[tr_field(t, 73, 3)];
    surface(t, OP_SURED, has_handle);
    t->m->type = of ? of : ITYPE_U32;
    if (!of) tr_refuse(t, "has a type that is not executed");
    if (!tr_bit(t, 72)) tr_refuse(t, "counts texels of raw bytes");
    t->m->cop = (uint8_t)tr_field(t, 87, 3); // numbered as enum matom
    t->m->src[2] = tr_reg(t, 32, isa_type_bits(t->m->type) / 32);
}
void translate_sured(struct translator *t) { sured(t, false); }
void translate_sured_b(struct translator *t) { sured(t, true); }
