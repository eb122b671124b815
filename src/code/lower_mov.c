// mov: copies, special registers, addresses, packing and unpacking of vectors.
#include "code/lower_priv.h"

// Bits of one element of the vector operand when the whole has `bits`.
static unsigned element_bits(const struct ptx_operand *v, unsigned bits) { return bits / v->n; }

static enum isa_type raw_type(unsigned bits) {
    return bits == 64 ? ITYPE_B64 : bits == 32 ? ITYPE_B32 : bits == 16 ? ITYPE_B16 : ITYPE_B8;
}

// d (words) = { elements }, first lowest.
void lower_pack(struct lower *l, struct opnd d, const struct ptx_operand *v, unsigned bits) {
    const unsigned each = element_bits(v, bits);
    struct opnd e[16];
    for (unsigned k = 0; k < v->n; k++) e[k] = lower_src(l, &v->list[k], raw_type(each));
    const struct opnd to = d.words > 1 ? lower_dst_begin(l, d, e, v->n) : d;
    if (each >= 32) {
        for (unsigned k = 0; k < v->n; k++)
            lower_mov(l, opnd_words(to, k * each / 32, each / 32), e[k]);
    } else {
        const unsigned per_word = bits < 32 ? v->n : 32 / each;
        for (unsigned w = 0; w * per_word < v->n; w++) {
            const struct opnd *const p = e + w * per_word;
            const struct opnd word = opnd_word(to, w);
            if (each == 16) {
                lower_join(l, word, lower_in_reg(l, p[0]), lower_in_reg(l, p[1]), 16);
            } else { // bytes: pairs, then the pairs together
                const struct opnd low = per_word == 4 ? lower_temp(l, 1) : word;
                lower_join(l, low, lower_in_reg(l, p[0]), lower_in_reg(l, p[1]), 8);
                if (per_word == 4) {
                    const struct opnd high = lower_temp(l, 1);
                    lower_join(l, high, lower_in_reg(l, p[2]), lower_in_reg(l, p[3]), 8);
                    lower_join(l, word, low, high, 16);
                }
            }
        }
    }
    lower_dst_end(l, d, to);
}

void lower_extract(struct lower *l, const struct ptx_operand *o, enum isa_type t, struct opnd from,
                   unsigned at) {
    if (o->kind == PTX_OPERAND_SINK) return;
    const unsigned bits = isa_type_bits(t);
    const struct opnd d = lower_dst(l, o, t);
    if (bits >= 32) {
        lower_mov(l, d, opnd_words(from, at / 32, bits / 32));
        lower_widen(l, o, t, d);
        return;
    }
    const bool is_signed = isa_type_is_signed(t);
    const struct opnd word = opnd_word(from, at / 32);
    const struct lower_reg *const r = lower_reg_of(l, o);
    const bool exact = r && r->bits <= bits; // what stands above is nobody's
    at %= 32;
    if (at == 0 && exact) {
        lower_mov(l, d, word);
    } else if (exact || at + bits == 32) {
        lower_shift(l, OP_SHR, is_signed ? ITYPE_S32 : ITYPE_U32, d, word, at);
    } else if (at == 0) {
        lower_extend(l, d, word, bits, is_signed);
    } else {
        struct minst m = lower_new(l, OP_BFE, is_signed ? ITYPE_S32 : ITYPE_U32);
        m.dst[0] = d;
        m.src[0] = word;
        m.src[1] = opnd_imm(at);
        m.src[2] = opnd_imm(bits);
        lower_put_cost(l, &m, LOWER_COST_BFE32);
    }
    lower_widen(l, o, t, d);
}

// Element k of { s } in { d } = { s }: a copy where an earlier element of d is its register.
static struct opnd element_before(struct lower *l, const struct ptx_operand *d,
                                  const struct ptx_operand *s, unsigned k, enum isa_type t) {
    const struct opnd value = lower_in_reg(l, lower_src(l, &s->list[k], t));
    for (unsigned j = 0; j < k; j++) {
        if (d->list[j].kind == PTX_OPERAND_SINK) continue;
        if (!opnd_same_reg(lower_dst(l, &d->list[j], t), value)) continue;
        const struct opnd copy = lower_temp(l, value.words);
        lower_mov(l, copy, value);
        return copy;
    }
    return value;
}

// { elements } = a.
static void unpack(struct lower *l, const struct ptx_operand *v, struct opnd a, unsigned bits) {
    const unsigned each = element_bits(v, bits);
    const enum isa_type t = raw_type(each);
    a = lower_in_reg(l, a);
    struct opnd from = a; // a copy, when a destination is (part of) the source
    for (unsigned k = 0; k < v->n && opnd_same_reg(from, a); k++) {
        if (v->list[k].kind == PTX_OPERAND_SINK) continue;
        if (!opnd_same_reg(lower_dst(l, &v->list[k], t), a)) continue;
        from = lower_temp(l, a.words);
        lower_mov(l, from, a);
    }
    for (unsigned k = 0; k < v->n; k++) lower_extract(l, &v->list[k], t, from, k * each);
}

static void mov_vector(struct lower *l, const struct ptx_inst *i, enum isa_type t) {
    const struct ptx_operand *const d = &i->operand[0], *const s = &i->operand[1];
    if (d->kind == PTX_OPERAND_VECTOR && s->kind == PTX_OPERAND_VECTOR) { // mov.v4 {..}, %tid
        struct opnd v[16];
        for (unsigned k = 0; k < s->n && k < d->n; k++) v[k] = element_before(l, d, s, k, t);
        for (unsigned k = 0; k < s->n && k < d->n; k++)
            if (d->list[k].kind != PTX_OPERAND_SINK)
                lower_mov(l, lower_dst(l, &d->list[k], t), v[k]);
        return;
    }
    const unsigned vector = i->vector > 1 ? i->vector : 1; // mov.v2.u32 has the type of an element
    const unsigned bits = isa_type_bits(t) * vector;
    if (s->kind == PTX_OPERAND_VECTOR)
        lower_pack(l, lower_whole(l, d), s, bits);
    else
        unpack(l, d, lower_reg_of(l, s) ? lower_whole(l, s) : lower_src(l, s, t), bits);
}

void lower_mov_mov(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const struct ptx_operand *const o = &i->operand[0], *const s = &i->operand[1];
    const enum isa_type t = lower_type(l, i, 0);
    if (t == ITYPE_PRED) {
        lower_psetp(l, MLOGIC_AND, lower_dst_pred(l, o), lower_src_pred(l, s), opnd_none());
        return;
    }
    if (o->kind == PTX_OPERAND_VECTOR || s->kind == PTX_OPERAND_VECTOR) {
        mov_vector(l, i, t);
        return;
    }
    if (i->vector > 1) { // whole vector registers
        lower_mov(l, lower_whole(l, o), lower_whole(l, s));
        return;
    }
    const struct opnd d = lower_dst(l, o, t);
    if (s->kind == PTX_OPERAND_SREG)
        lower_sreg_into(l, (enum ptx_sreg)s->sreg, d);
    else
        lower_mov(l, d, lower_src(l, s, t));
}
