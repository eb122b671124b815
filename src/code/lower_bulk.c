// Bulk copies, boxes of tensors and their maps (cp.async.bulk, cp.reduce.async.bulk, tensormap).
//
// Operands lie as machine code of Hopper has them: where in shared memory, the barrier and coordinates
// in consecutive words; the map's generic address in a pair; offsets of im2col and the mask of blocks in
// a word.
#include "code/lower_priv.h"
#include "isa/tensor_map.h"

static bool refused(struct lower *l) {
    if (gen_has(l->gen, TRAIT_BULK_COPIES)) return false;
    const struct code_target *const t = l->f->target;
    lower_refuse(l, "it needs compute capability 9.0 (Hopper); this GPU's code is %s's%s",
                 gen_info[l->gen].name, t->others ? t->others(t->user, TRAIT_BULK_COPIES) : "");
    return true;
}

// The address that an operand [base + offset] has, in a register: a word of shared memory, else a pair.
static struct opnd address_of(struct lower *l, const struct ptx_operand *o, enum isa_space space) {
    const unsigned words = space != SPACE_SHARED && l->addr64 ? 2 : 1;
    if (o->var && o->reg < 0) return lower_in_reg(l, lower_address_of(l, o->var, o->imm, words));
    const struct lower_addr a = lower_address(l, o, space);
    if (a.direct || a.flags & MF_FRAME) {
        lower_refuse(l, "the address of a bulk copy must be in a register");
        return opnd_none();
    }
    if (a.base.kind == OPND_NONE) return lower_in_reg(l, opnd_imm((uint64_t)a.offset));
    if (a.offset == 0) return lower_in_reg(l, a.base);
    const struct opnd d = lower_temp(l, a.base.words);
    if (d.words == 2)
        lower_add64(l, d, a.base, opnd_imm64((uint64_t)a.offset), false, false, false);
    else
        lower_iadd(l, d, a.base, opnd_imm((uint64_t)a.offset), 0);
    return d;
}
static struct opnd pair_of(struct lower *l, struct opnd a) {
    if (a.words != 1) return a;
    const struct opnd both[2] = {a, opnd_imm(0)};
    return lower_gather(l, both, 2);
}
static struct opnd halfword(struct lower *l, const struct ptx_operand *o) {
    const struct opnd d = lower_temp(l, 1);
    lower_logic(l, MLOGIC_AND, d, lower_in_reg(l, lower_src(l, o, ITYPE_U16)), opnd_imm(0xffff));
    return d;
}
static struct opnd joined(struct lower *l, struct opnd low, struct opnd high, unsigned at) {
    const struct opnd s = lower_temp(l, 1), d = lower_temp(l, 1);
    lower_shift(l, OP_SHL, ITYPE_U32, s, high, at);
    if (low.kind == OPND_NONE) return s;
    lower_logic(l, MLOGIC_OR, d, low, s);
    return d;
}

// ---- blocks ---------------------------------------------------------------------------------
static void copy_block(struct lower *l, const struct ptx_inst *i) {
    const struct ptx_operand *const o = i->operand;
    const bool counted = ptx_has(i, PTX_MOD_counted), prefetches = ptx_has(i, PTX_MOD_prefetch);
    const bool to_shared = counted, from_global = ptx_has(i, PTX_MOD_global) && counted;
    struct minst m = lower_new(l, OP_BULKCP, i->n_types ? lower_type(l, i, 0) : ITYPE_B32);
    m.klass = OPC_TMA;
    m.sub = prefetches ? MBULK_L2 : !to_shared ? MBULK_G_S : from_global ? MBULK_S_G : MBULK_S_S;
    m.vec = 1;
    m.space = SPACE_GENERIC;
    if (ptx_has(i, PTX_MOD_reduce)) {
        const int op = lower_atom_op(i);
        if (op < 0) {
            lower_refuse(l, "no such reduction");
            return;
        }
        m.sub |= MBULK_REDUCES;
        m.aux = (uint16_t)op;
    }
    const struct ptx_operand *const size = &o[prefetches ? 1 : 2];
    struct opnd near[2] = {opnd_imm(0), opnd_imm(0)}, far;
    if (prefetches) {
        far = address_of(l, &o[0], SPACE_GLOBAL);
    } else if (to_shared) {
        near[0] = address_of(l, &o[0], SPACE_SHARED);
        near[1] = address_of(l, &o[3], SPACE_SHARED);
        far = address_of(l, &o[1], from_global ? SPACE_GLOBAL : SPACE_SHARED);
    } else {
        far = address_of(l, &o[0], SPACE_GLOBAL);
        near[0] = address_of(l, &o[1], SPACE_SHARED);
    }
    m.src[0] = lower_gather(l, near, 2);
    m.src[1] = far;
    m.src[2] = lower_in_reg(l, lower_src(l, size, ITYPE_U32));
    if (ptx_has(i, PTX_MOD_multicast)) {
        m.sub |= MBULK_MULTICAST | MBULK_PACKED;
        const struct opnd units = lower_temp(l, 1);
        lower_shift(l, OP_SHR, ITYPE_U32, units, m.src[2], 4);
        m.src[2] = joined(l, units, halfword(l, &o[4]), 16);
    }
    m.src[MINST_POLICY] = lower_policy(l, i);
    lower_put(l, &m);
}

// ---- boxes ----------------------------------------------------------------------------------
// Offsets of im2col in one word: one of 16 bits, two of 8 or three of 5, as ptxas 12.9 packs them.
static struct opnd offsets(struct lower *l, const struct ptx_operand *o) {
    struct opnd all = halfword(l, &o->list[0]);
    const unsigned bits = o->n == 2 ? 8 : 5;
    for (unsigned k = 1; k < o->n; k++) all = joined(l, all, halfword(l, &o->list[k]), k * bits);
    return all;
}

static void copy_box(struct lower *l, const struct ptx_inst *i) {
    const struct ptx_operand *const o = i->operand;
    const bool loads = ptx_has(i, PTX_MOD_counted), prefetches = ptx_has(i, PTX_MOD_prefetch);
    const bool reduces = ptx_has(i, PTX_MOD_reduce), has_offsets = ptx_has(i, PTX_MOD_im2col);
    const enum mop op = prefetches ? OP_TMAPF : loads ? OP_TMALDG : reduces ? OP_TMARED : OP_TMASTG;
    const struct ptx_operand *const map = &o[loads ? 1 : 0];
    const struct ptx_operand *const coordinate = &map->list[0];
    struct minst m = lower_new(l, op, ITYPE_B32);
    m.klass = OPC_TMA;
    m.vec = 1;
    m.space = SPACE_GENERIC;
    m.aux = (uint16_t)coordinate->n;
    if (has_offsets || ptx_has(i, PTX_MOD_im2col_no_offs)) m.sub |= MBULK_IM2COL;
    if (reduces) {
        const int atom = lower_atom_op(i);
        if (atom < 0) {
            lower_refuse(l, "no such reduction");
            return;
        }
        m.cop = (uint8_t)atom;
    }
    struct opnd word[8];
    unsigned n = 0;
    if (!prefetches) word[n++] = address_of(l, &o[loads ? 0 : 1], SPACE_SHARED);
    if (loads) word[n++] = address_of(l, &o[2], SPACE_SHARED);
    for (uint32_t k = 0; k < coordinate->n; k++)
        word[n++] = lower_src(l, &coordinate->list[k], ITYPE_S32);
    m.src[0] = lower_gather(l, word, n < 4 ? n : 4);
    if (n > 4) m.src[1] = lower_gather(l, word + 4, n - 4);
    struct ptx_operand at = *map;
    at.list = NULL;
    at.n = 0;
    m.src[2] = pair_of(l, address_of(l, &at, SPACE_GENERIC));
    unsigned rest = prefetches ? 1 : loads ? 3 : 2;
    if (has_offsets) m.src[3] = offsets(l, &o[rest++]);
    if (ptx_has(i, PTX_MOD_multicast)) {
        m.sub |= MBULK_MULTICAST;
        m.src[3] = joined(l, m.src[3], halfword(l, &o[rest]), 16);
    }
    m.src[MINST_POLICY] = lower_policy(l, i);
    lower_put(l, &m);
}

void lower_bulk_copy(struct lower *l, const struct ptx_inst *i) {
    if (refused(l)) return;
    uint64_t n = 0;
    if (ptx_has(i, PTX_MOD_commit_group)) {
        struct minst m = lower_new(l, OP_BULKCOMMIT, ITYPE_NONE);
        lower_put(l, &m);
    } else if (ptx_has(i, PTX_MOD_wait_group)) {
        struct minst m = lower_new(l, OP_BULKWAIT, ITYPE_NONE);
        if (!lower_int_literal(&i->operand[0], &n))
            lower_refuse(l, "the number of groups must be a literal");
        m.aux = n < UINT16_MAX ? (uint16_t)n : UINT16_MAX - 1;
        m.sub = ptx_has(i, PTX_MOD_read);
        lower_put(l, &m);
    } else if (ptx_has(i, PTX_MOD_tensor)) {
        copy_box(l, i);
    } else {
        copy_block(l, i);
    }
}

// ---- maps -----------------------------------------------------------------------------------
static void map_control(struct lower *l, const struct ptx_operand *o, unsigned sub) {
    struct minst m = lower_new(l, OP_TMACCTL, ITYPE_NONE);
    m.sub = (uint8_t)sub;
    m.src[0] = pair_of(l, address_of(l, o, SPACE_GENERIC));
    lower_put(l, &m);
}
// prefetch{.param,.const}.tensormap; of a parameter or constant that the instruction names nothing is
// fetched: it is at hand.
void lower_bulk_prefetch_map(struct lower *l, const struct ptx_inst *i) {
    if (refused(l)) return;
    if (i->space != PTX_SPACE_NONE || (i->operand[0].var && i->operand[0].reg < 0)) {
        struct minst m = lower_new(l, OP_NOP, ITYPE_NONE);
        lower_put(l, &m);
        return;
    }
    map_control(l, &i->operand[0], 0);
}

bool lower_bulk_fence(struct lower *l, const struct ptx_inst *i) {
    if (ptx_has(i, PTX_MOD_tensormap_generic)) {
        if (refused(l)) return true;
        const bool acquires = ptx_has(i, PTX_MOD_acquire);
        lower_fence(l, lower_scope(i), acquires ? MF_ACQUIRE : MF_RELEASE);
        if (acquires) map_control(l, &i->operand[0], 1);
        return true;
    }
    const bool is_restricted =
        ptx_has(i, PTX_MOD_sync_restrict_cta) || ptx_has(i, PTX_MOD_sync_restrict_cluster);
    const bool is_async =
        ptx_has(i, PTX_MOD_proxy) && (ptx_has(i, PTX_MOD_async) || ptx_has(i, PTX_MOD_async_generic));
    if (!is_async && !is_restricted) return false;
    if (refused(l)) return true;
    // What barriers in shared memory order: their waits are acquires already, and an acquire that speaks of
    // them alone is no instruction in ptxas's code; a release is the fence between the two views.
    if (is_restricted) lower_fence(l, MFENCE_CTA, ptx_has(i, PTX_MOD_acquire) ? MF_ACQUIRE : MF_RELEASE);
    if (is_restricted && ptx_has(i, PTX_MOD_acquire)) return true;
    struct minst m = lower_new(l, OP_VIEWFENCE, ITYPE_NONE);
    lower_put(l, &m);
    return true;
}

// tensormap.cp_fenceproxy: lane k of the warp moves word k of the map, as in the code of ptxas.
static void publish_map(struct lower *l, const struct ptx_inst *i) {
    const struct opnd lane = lower_temp(l, 1), from = lower_temp(l, 1), value = lower_temp(l, 1);
    lower_shift(l, OP_SHL, ITYPE_U32, lane, lower_sreg(l, PTX_SREG_laneid, ITYPE_U32), 2);
    lower_iadd(l, from, lane, address_of(l, &i->operand[1], SPACE_SHARED), 0);
    struct minst m = lower_new(l, OP_LD, ITYPE_B32);
    m.klass = OPC_LD_SHARED;
    m.space = SPACE_SHARED;
    m.vec = 1;
    m.src[0] = from;
    m.dst[0] = value;
    lower_put(l, &m);
    const struct opnd base = address_of(l, &i->operand[0], SPACE_GLOBAL);
    const struct opnd to = lower_temp(l, base.words);
    if (base.words == 2)
        lower_add64(l, to, base, pair_of(l, lane), false, false, false);
    else
        lower_iadd(l, to, base, lane, 0);
    lower_fence(l, MFENCE_CTA, MF_RELEASE);
    struct minst s = lower_new(l, OP_ATOM, ITYPE_B32);
    s.klass = OPC_ATOM_GLOBAL;
    s.space = SPACE_GLOBAL;
    s.sub = MATOM_EXCH;
    s.vec = 1;
    s.src[0] = to;
    s.src[1] = value;
    lower_put(l, &s);
}

// Where a field lies in a map (tensor_map.h): bytes from its beginning, the lowest bit, bits. `each`:
// from one dimension to the next, so many bits; `less`: what is stored is one less.
struct field {
    uint16_t mod;
    uint8_t byte, at, bits, each;
    bool less;
};
static const struct field fields[] = {
    {PTX_MOD_global_address, 0, 0, 64, 0, false},  {PTX_MOD_rank, 8, 4, 3, 0, false},
    {PTX_MOD_box_dim, 52, 24, 8, 8, true},         {PTX_MOD_global_dim, 32, 0, 32, 32, true},
    {PTX_MOD_global_stride, 12, 0, 32, 32, false}, {PTX_MOD_element_stride, 52, 0, 3, 3, true},
    {PTX_MOD_elemtype, 8, 7, 4, 0, false},         {PTX_MOD_interleave_layout, 8, 11, 2, 0, false},
    {PTX_MOD_swizzle_mode, 8, 13, 2, 0, false},    {PTX_MOD_fill_mode, 8, 15, 1, 0, false}};

// `bits` bits from bit `at` on of the word `byte` bytes behind the map's beginning = value.
static void put_field(struct lower *l, const struct ptx_inst *i, const struct lower_addr *map,
                      unsigned byte, unsigned at, unsigned bits, struct opnd value) {
    if (bits == 32) {
        lower_store_at(l, i, map, byte, ITYPE_U32, 1, value);
        return;
    }
    const uint32_t mask = ((1u << bits) - 1) << at;
    const struct opnd old = lower_temp(l, 1), kept = lower_temp(l, 1), shifted = lower_temp(l, 1),
                      cut = lower_temp(l, 1), now = lower_temp(l, 1);
    lower_load_at(l, i, map, byte, ITYPE_U32, 1, old);
    lower_logic(l, MLOGIC_AND, kept, old, opnd_imm(~mask));
    lower_shift(l, OP_SHL, ITYPE_U32, shifted, value, at);
    lower_logic(l, MLOGIC_AND, cut, shifted, opnd_imm(mask));
    lower_logic(l, MLOGIC_OR, now, kept, cut);
    lower_store_at(l, i, map, byte, ITYPE_U32, 1, now);
}

static void replace_field(struct lower *l, const struct ptx_inst *i) {
    enum { TYPE_BYTE = 8, TYPE_MORE_AT = 16, STRIDE_HIGH_BYTE = 28 };
    const struct field *f = fields;
    while (!ptx_has(i, (enum ptx_mod)f->mod)) {
        if (++f != fields + WW_COUNT(fields)) continue;
        lower_refuse(l, "tensormap.replace needs a field such as .global_address");
        return;
    }
    const struct lower_addr map = lower_address(l, &i->operand[0], from_space(i->space));
    const struct ptx_operand *const last = &i->operand[i->n_operands - 1];
    const unsigned dimension = i->n_operands == 3 ? (unsigned)i->operand[1].imm : 0;
    if (f->bits == 64) {
        const struct opnd v = lower_in_reg(l, lower_src(l, last, ITYPE_B64));
        lower_store_at(l, i, &map, f->byte, ITYPE_U32, 1, opnd_word(v, 0));
        lower_store_at(l, i, &map, f->byte + 4u, ITYPE_U32, 1, opnd_word(v, 1));
        return;
    }
    if (f->mod == PTX_MOD_global_stride) { // in units of 16 bytes: 32 bits, and four elsewhere
        const struct opnd v = lower_in_reg(l, lower_src(l, last, ITYPE_B64));
        const struct opnd low = lower_temp(l, 1), high = lower_temp(l, 1),
                          shifted = lower_temp(l, 1), units = lower_temp(l, 1);
        lower_shift(l, OP_SHR, ITYPE_U32, high, opnd_word(v, 1), 4);
        lower_shift(l, OP_SHR, ITYPE_U32, low, opnd_word(v, 0), 4);
        lower_shift(l, OP_SHL, ITYPE_U32, shifted, opnd_word(v, 1), 28);
        lower_logic(l, MLOGIC_OR, units, low, shifted);
        put_field(l, i, &map, f->byte + 4 * dimension, 0, 32, units);
        put_field(l, i, &map, STRIDE_HIGH_BYTE, 4 * dimension, 4, high);
        return;
    }
    struct opnd value = lower_in_reg(l, lower_src(l, last, ITYPE_B32));
    if (f->mod == PTX_MOD_elemtype) { // literals
        const uint32_t type = (uint32_t)last->imm, more = type >= TENSOR_tf32;
        if (type >= TENSOR_TYPE_N) lower_refuse(l, "there is no element type %u", type);
        put_field(l, i, &map, TYPE_BYTE, TYPE_MORE_AT, 1, lower_in_reg(l, opnd_imm(more)));
        value = lower_in_reg(l, opnd_imm(more ? type - (TENSOR_tf32 - TENSOR_f32) : type));
    }
    if (f->less) {
        const struct opnd d = lower_temp(l, 1);
        lower_iadd(l, d, value, opnd_imm(UINT32_MAX), 0);
        value = d;
    }
    const unsigned at = f->at + dimension * f->each;
    put_field(l, i, &map, f->byte + at / 32 * 4, at % 32, f->bits, value);
}

void lower_bulk_tensormap(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (refused(l)) return;
    if (ptx_has(i, PTX_MOD_cp_fenceproxy))
        publish_map(l, i);
    else
        replace_field(l, i);
}
