// Textures and surfaces, by reference (a .texref or .tex variable, whose handle is a number) or by
// a handle in a register or parameter; in independent mode a sampler comes with it.
#include "code/lower_priv.h"

// Geometry: coordinates that count, of those that PTX writes (an array's layer and a sample come
// first), and elements of a gradient.
static const struct {
    uint16_t mod;
    uint8_t geom, coords, gradient;
} geometry[] = {{PTX_MOD_g1d, MTEX_1D, 1, 1},
                {PTX_MOD_g2d, MTEX_2D, 2, 2},
                {PTX_MOD_g3d, MTEX_3D, 3, 4},
                {PTX_MOD_a1d, MTEX_1D_LAYERED, 2, 1},
                {PTX_MOD_a2d, MTEX_2D_LAYERED, 3, 2},
                {PTX_MOD_cube, MTEX_CUBE, 3, 4},
                {PTX_MOD_acube, MTEX_CUBE_LAYERED, 4, 4},
                {PTX_MOD_g2dms, MTEX_2DMS, 3, 0},
                {PTX_MOD_a2dms, MTEX_2DMS_LAYERED, 4, 0}};

static unsigned geometry_of(const struct ptx_inst *i) {
    for (unsigned k = 0; k < WW_COUNT(geometry); k++)
        if (ptx_has(i, (enum ptx_mod)geometry[k].mod)) return k;
    return 0;
}

// The handle that a variable, parameter or register holds.
static struct opnd handle_of(struct lower *l, const struct ptx_operand *o) {
    const unsigned words = l->wide ? 2 : 1;
    if (o->var && o->reg < 0) {
        const struct lower_var *const v = lower_var(l, o->var);
        switch (v->home) {
        case HOME_HANDLE: return words == 2 ? opnd_imm64(v->value) : opnd_imm(v->value);
        case HOME_C0: return opnd_const(CB_LAUNCH, v->value, words);
        case HOME_FRAME: { // a function's .texref parameter
            struct minst m = lower_new(l, OP_LD, words == 2 ? ITYPE_U64 : ITYPE_U32);
            m.klass = OPC_LD_LOCAL;
            m.space = SPACE_LOCAL;
            m.vec = 1;
            const struct lower_addr a = lower_frame_at(l, FRAME_OWN, (int64_t)v->value);
            m.offset = a.offset;
            m.src[0] = a.base;
            m.dst[0] = lower_temp(l, words);
            lower_put(l, &m);
            return m.dst[0];
        }
        default: break;
        }
        lower_refuse(l, "`%s` is no texture, sampler or surface", o->var->name);
        return opnd_imm(0);
    }
    struct ptx_operand reg = *o;
    reg.kind = PTX_OPERAND_REG;
    return o->reg >= 0 ? lower_src(l, &reg, words == 2 ? ITYPE_U64 : ITYPE_U32)
                       : opnd_imm((uint64_t)o->imm);
}

// Texture, or texture and sampler in one register of four words.
static struct opnd handles(struct lower *l, const struct ptx_operand *o,
                           const struct ptx_operand *sampler) {
    const struct opnd texture = handle_of(l, o);
    if (!sampler) return texture;
    const struct opnd s = handle_of(l, sampler), both = lower_temp(l, 4);
    for (unsigned w = 0; w < 2; w++) {
        lower_mov(l, opnd_word(both, w), w < texture.words ? opnd_word(texture, w) : opnd_imm(0));
        lower_mov(l, opnd_word(both, 2 + w), w < s.words ? opnd_word(s, w) : opnd_imm(0));
    }
    return both;
}

// The first n elements of a vector operand (or a scalar) of type t in consecutive registers.
static struct opnd elements(struct lower *l, const struct ptx_operand *o, enum isa_type t,
                            unsigned n) {
    struct opnd e[4];
    if (o->kind != PTX_OPERAND_VECTOR) {
        const struct lower_reg *const r = lower_reg_of(l, o);
        if (r && r->words > 1 && n > 1) return lower_whole(l, o);
        return lower_in_reg(l, lower_src(l, o, t));
    }
    if (n > o->n) n = o->n;
    if (n > 4) n = 4;
    for (unsigned k = 0; k < n; k++)
        e[k] = o->list[k].kind == PTX_OPERAND_SINK ? opnd_imm(0) : lower_src(l, &o->list[k], t);
    return lower_gather(l, e, n);
}

static const struct ptx_operand *coords_of(const struct ptx_operand *a) {
    return a->n ? &a->list[a->n - 1] : NULL;
}

// Literal texel offsets: three signed bytes.
static bool texel_offsets(struct lower *l, const struct ptx_operand *o, int64_t *packed) {
    uint64_t bits = 0;
    for (unsigned k = 0; k < o->n && k < 3; k++) {
        uint64_t v;
        if (!lower_int_literal(&o->list[k], &v)) {
            lower_refuse(l, "texel offsets must be literals");
            return false;
        }
        bits |= (v & 0xff) << 8 * k;
    }
    *packed = (int64_t)bits;
    return true;
}

// The four words of a result to their registers: as they are, or narrowed to halves.
static void scatter(struct lower *l, const struct ptx_inst *i, enum isa_type t, struct opnd four) {
    const struct ptx_operand *const d = &i->operand[0];
    const bool half = t == ITYPE_F16 || t == ITYPE_F16X2;
    if (!half && d->kind != PTX_OPERAND_VECTOR) {
        lower_mov(l, lower_whole(l, d), four);
        return;
    }
    for (unsigned k = 0; k < d->n; k++) {
        if (d->list[k].kind == PTX_OPERAND_SINK) continue;
        if (!half) {
            lower_mov(l, lower_dst(l, &d->list[k], ITYPE_B32), opnd_word(four, k));
            continue;
        }
        struct minst m = lower_new(l, OP_CVT, t);
        m.stype = ITYPE_F32;
        m.rnd = MRND_RN;
        m.dst[0] = lower_dst(l, &d->list[k], t);
        m.src[0] = opnd_word(four, t == ITYPE_F16X2 ? 2 * k + 1 : k); // {A high, B low}
        if (t == ITYPE_F16X2) m.src[1] = opnd_word(four, 2 * k);
        lower_put_cost(l, &m, t == ITYPE_F16X2 ? LOWER_COST_CVT_PACK_FP : LOWER_COST_CVT_FP);
    }
}

// tex{.base,.level,.grad}.geom.v4.dtype.ctype d{|p}, [a{, b}, c]{, lod | dx, dy}{, offsets}{,
// depth} tld4.comp.geom.v4.dtype.f32 d{|p}, [a{, b}, c]{, offsets}{, depth}
void lower_tex_tex(struct lower *l, const struct ptx_inst *i, unsigned gather) {
    const enum isa_type t = lower_type(l, i, 0), ct = lower_type(l, i, 1);
    const struct ptx_operand *const a = &i->operand[1], *const c = coords_of(a);
    if (!c) {
        lower_refuse(l, "no coordinates");
        return;
    }
    const unsigned g = geometry_of(i);
    const bool half = t == ITYPE_F16 || t == ITYPE_F16X2;
    struct minst m = lower_new(l, gather ? OP_TLD4 : OP_TEX, half ? ITYPE_F32 : t);
    m.stype = (uint8_t)(ct == ITYPE_NONE ? ITYPE_F32 : ct);
    m.sub = geometry[g].geom;
    m.vec = 4;
    m.src[0] = handles(l, a, a->n > 1 ? &a->list[0] : NULL);
    m.src[1] = elements(l, c, ITYPE_B32, geometry[g].coords);
    unsigned next = 2;
    if (gather) {
        static const uint16_t component[] = {PTX_MOD_r, PTX_MOD_g, PTX_MOD_b, PTX_MOD_a};
        for (unsigned k = 0; k < 4; k++)
            if (ptx_has(i, (enum ptx_mod)component[k])) m.aux = (uint16_t)k;
    } else if (ptx_has(i, PTX_MOD_level) && next < i->n_operands) {
        m.aux = MTEX_LOD_LEVEL;
        m.src[2] = lower_in_reg(
            l, lower_src(l, &i->operand[next++], ct == ITYPE_S32 ? ITYPE_S32 : ITYPE_F32));
    } else if (ptx_has(i, PTX_MOD_grad) && next + 1 < i->n_operands) {
        m.aux = MTEX_LOD_GRAD;
        m.src[2] = elements(l, &i->operand[next++], ITYPE_F32, geometry[g].gradient);
        m.src[3] = elements(l, &i->operand[next++], ITYPE_F32, geometry[g].gradient);
    }
    for (; next < i->n_operands; next++) {
        if (i->operand[next].kind == PTX_OPERAND_VECTOR) {
            if (!texel_offsets(l, &i->operand[next], &m.offset)) return;
        } else {
            lower_refuse(l, "comparison with a depth texture is not modelled");
            return;
        }
    }
    m.dst[0] = lower_temp(l, 4);
    lower_put(l, &m);
    scatter(l, i, t, m.dst[0]);
    const struct opnd resident = lower_second_pred(l, &i->operand[0]);
    if (resident.kind == OPND_PRED) // no texture is sparse
        lower_psetp(l, MLOGIC_AND, resident, opnd_pred(VPRED_TRUE), opnd_none());
}

// ---- queries ------------------------------------------------------------------------------

// txq{.level}.query.b32 d, [a]{, lod}; suq.query.b32 d, [a]
void lower_tex_query(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    static const struct {
        uint16_t mod;
        uint8_t query;
    } queries[] = {{PTX_MOD_width, MTXQ_WIDTH},
                   {PTX_MOD_height, MTXQ_HEIGHT},
                   {PTX_MOD_depth, MTXQ_DEPTH},
                   {PTX_MOD_channel_data_type, MTXQ_CHANNEL_DATA_TYPE},
                   {PTX_MOD_channel_order, MTXQ_CHANNEL_ORDER},
                   {PTX_MOD_normalized_coords, MTXQ_NORMALIZED_COORDS},
                   {PTX_MOD_array_size, MTXQ_ARRAY_SIZE},
                   {PTX_MOD_num_mipmap_levels, MTXQ_NUM_MIPMAP_LEVELS},
                   {PTX_MOD_num_samples, MTXQ_NUM_SAMPLES},
                   {PTX_MOD_filter_mode, MTXQ_FILTER_MODE},
                   {PTX_MOD_addr_mode_0, MTXQ_ADDR_MODE_0},
                   {PTX_MOD_addr_mode_1, MTXQ_ADDR_MODE_1},
                   {PTX_MOD_addr_mode_2, MTXQ_ADDR_MODE_2},
                   {PTX_MOD_force_unnormalized_coords, MTXQ_FORCE_UNNORMALIZED},
                   {PTX_MOD_memory_layout, MTXQ_MEMORY_LAYOUT}};
    struct minst m = lower_new(l, OP_TXQ, ITYPE_B32);
    if (i->op == PTX_OP_suq) m.klass = OPC_SURF;
    for (size_t k = 0; k < WW_COUNT(queries); k++)
        if (ptx_has(i, (enum ptx_mod)queries[k].mod)) m.aux = queries[k].query;
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_B32);
    m.src[0] = handle_of(l, &i->operand[1]);
    if (i->n_operands > 2) m.src[1] = lower_src(l, &i->operand[2], ITYPE_B32);
    lower_put(l, &m);
}

// istypep.{texref,samplerref,surfref} p, a
void lower_tex_istypep(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, OP_TXQ, ITYPE_B32);
    m.aux = t == ITYPE_TEXREF    ? MTXQ_IS_TEXTURE
            : t == ITYPE_SURFREF ? MTXQ_IS_SURFACE
                                 : MTXQ_IS_SAMPLER;
    m.dst[0] = lower_temp(l, 1);
    m.src[0] = handle_of(l, &i->operand[1]);
    lower_put(l, &m);
    struct minst c = lower_new(l, OP_ISETP, ITYPE_U32);
    c.stype = ITYPE_U32;
    c.cmp = MCMP_NE;
    c.dst[0] = lower_dst_pred(l, &i->operand[0]);
    c.src[0] = m.dst[0];
    c.src[1] = opnd_imm(0);
    lower_put(l, &c);
}

// ---- surfaces -----------------------------------------------------------------------------

static struct minst surface(struct lower *l, const struct ptx_inst *i, enum mop op, enum isa_type t,
                            const struct ptx_operand *a) {
    struct minst m = lower_new(l, op, t);
    const unsigned g = geometry_of(i);
    m.stype = ITYPE_S32;
    m.sub = geometry[g].geom;
    m.vec = i->vector > 1 ? i->vector : 1;
    m.aux = ptx_has(i, PTX_MOD_clamp)  ? MSURF_CLAMP
            : ptx_has(i, PTX_MOD_zero) ? MSURF_ZERO
                                       : MSURF_TRAP;
    m.flags = ptx_has(i, PTX_MOD_p) ? MF_WIDE : 0u;
    m.src[0] = handle_of(l, a);
    const struct ptx_operand *const c = coords_of(a);
    if (c)
        m.src[1] = elements(l, c, ITYPE_S32, geometry[g].coords);
    else
        lower_refuse(l, "no coordinates");
    return m;
}

// suld.b.geom.vec.type.clamp d, [a, b]
void lower_tex_suld(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = from_type(i->types[0]);
    const struct ptx_operand *const d = &i->operand[0];
    struct minst m = surface(l, i, OP_SULD, t, &i->operand[1]);
    const unsigned bits = m.vec * isa_type_bits(t), words = bits <= 32 ? 1 : bits / 32;
    if (bits > 128) {
        lower_refuse(l, "a surface access has at most 16 bytes");
        return;
    }
    const bool direct = d->kind == PTX_OPERAND_REG && m.vec == 1;
    m.dst[0] = direct ? lower_narrow_dst(l, d, t) : lower_temp(l, words);
    lower_put_cost(l, &m, LOWER_COST_SURF);
    if (direct)
        lower_widen(l, d, t, m.dst[0]);
    else if (d->kind != PTX_OPERAND_VECTOR)
        lower_mov(l, lower_whole(l, d), m.dst[0]);
    else
        for (unsigned k = 0; k < d->n && k < m.vec; k++)
            lower_extract(l, &d->list[k], t, m.dst[0], k * isa_type_bits(t));
}

// sust.{b,p}.geom.vec.type.clamp [a, b], c; sured.{b,p}.op.geom.type.clamp [a, b], c
void lower_tex_sust(struct lower *l, const struct ptx_inst *i, unsigned reduce) {
    const enum isa_type t = from_type(i->types[0]);
    const struct ptx_operand *const v = &i->operand[1];
    struct minst m = surface(l, i, reduce ? OP_SURED : OP_SUST, t, &i->operand[0]);
    const unsigned each = isa_type_bits(t), bits = m.vec * each;
    if (bits > 128) {
        lower_refuse(l, "a surface access has at most 16 bytes");
        return;
    }
    if (reduce)
        m.cop = ptx_has(i, PTX_MOD_add)   ? MATOM_ADD
                : ptx_has(i, PTX_MOD_min) ? MATOM_MIN
                : ptx_has(i, PTX_MOD_max) ? MATOM_MAX
                : ptx_has(i, PTX_MOD_and) ? MATOM_AND
                                          : MATOM_OR;
    if (v->kind == PTX_OPERAND_VECTOR && (m.vec > 1 || v->n > 1)) {
        m.src[2] = lower_temp(l, bits <= 32 ? 1 : bits / 32);
        lower_pack(l, m.src[2], v, bits);
    } else {
        m.src[2] = lower_in_reg(
            l, m.vec > 1 ? lower_whole(l, v)
                         : lower_src(l, v->kind == PTX_OPERAND_VECTOR ? v->list : v, t));
    }
    lower_put_cost(l, &m, LOWER_COST_SURF);
}
