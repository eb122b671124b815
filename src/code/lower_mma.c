// Matrices: wmma, mma, ldmatrix, movmatrix.
//
// A product becomes the machine's own, step by step: on Volta HMMA.884 (four 8x8x4 a warp, a step
// makes two registers of D), on Turing HMMA.1688, IMMA.8816 and the like, on later generations one
// instruction of sixteen rows wherever PTX's product has them. wmma's loads and stores
// are ordinary ones, as wide as the layout allows: the lane's part of the address once, then an
// offset, or a register for every row that the stride separates. What lies across the memory's
// direction is loaded transposed and turned by MOVM on Turing, else element by element.
#include "code/lower_priv.h"
#include "code/mma.h"

enum { MAX_ROWS = 33, MAX_OFFSET = 1 << 22, MAX_REGS = 16 };

static enum mma_unit unit_of(const struct lower *l) {
    return gen_has(l->gen, TRAIT_TENSOR_1688) ? MMA_H1688 : MMA_H884;
}

static bool refused(struct lower *l, enum gen_trait need, const char *since) {
    if (gen_has(l->gen, need)) return false;
    const struct code_target *const t = l->f->target;
    lower_refuse(
        l, "it needs tensor cores, which compute capability %s has; this GPU's code is %s's%s",
        since, gen_info[l->gen].name, t->others ? t->others(t->user, need) : "");
    return true;
}
// Volta is given Turing's products too (assumed where its files time them).
static bool form_refused(struct lower *l, const struct ptx_inst *i) {
    const struct ptx_mma *const form = ptx_mma_find(i);
    const uint32_t capability = form->capability;
    if (capability >= 90) return refused(l, TRAIT_TENSOR_9, form->since);
    if (capability == 89 && gen_has(l->gen, TRAIT_TENSOR_9)) return false;
    if (capability == 89) return refused(l, TRAIT_TENSOR_BYTE_FLOATS, form->since);
    if (capability >= 80) return refused(l, TRAIT_TENSOR_16816, form->since);
    if (ptx_has(i, PTX_MOD_and)) return refused(l, TRAIT_TENSOR_16816, "8.0 (Ampere)");
    return refused(l, TRAIT_TENSOR, form->since);
}

static struct opnd word_of(struct lower *l, const struct ptx_operand *v, unsigned k) {
    return lower_src(l, v->kind == PTX_OPERAND_VECTOR ? &v->list[k] : v, ITYPE_B32);
}
static struct opnd dst_of(struct lower *l, const struct ptx_operand *v, unsigned k) {
    return lower_dst(l, v->kind == PTX_OPERAND_VECTOR ? &v->list[k] : v, ITYPE_B32);
}
// Doubles.
static struct opnd double_of(struct lower *l, const struct ptx_operand *v, unsigned k) {
    return lower_src(l, v->kind == PTX_OPERAND_VECTOR ? &v->list[k] : v, ITYPE_F64);
}
static struct opnd double_dst(struct lower *l, const struct ptx_operand *v, unsigned k) {
    return lower_dst(l, v->kind == PTX_OPERAND_VECTOR ? &v->list[k] : v, ITYPE_F64);
}
// Registers [first, first + n) of a matrix as one operand.
static struct opnd words_of(struct lower *l, const struct ptx_operand *v, unsigned first,
                            unsigned n) {
    struct opnd o[4];
    for (unsigned k = 0; k < n; k++) o[k] = word_of(l, v, first + k);
    return lower_gather(l, o, n);
}

// ---- wmma.load, wmma.store ----------------------------------------------------------------

struct moved {
    const struct ptx_inst *i;
    const struct ptx_operand *regs;
    struct mma_layout at;
    unsigned bits, words;                             // of an element; registers
    bool turn;                                        // 8x8 matrices lie transposed: MOVM
    const uint8_t *near, *far, *lane_near, *lane_far; // along memory, and across
    struct lower_addr base;                           // of the lane's first element
    struct opnd stride;                               // bytes
    int64_t known_stride;                             // the same, where it is a constant; else -1
    struct opnd row[MAX_ROWS];                        // bases across, once made
};

static void swap(uint8_t *a, uint8_t *b, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        const uint8_t t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}

static void choose_direction(struct moved *m, bool is_row, bool may_turn) {
    struct mma_layout *const at = &m->at;
    if (m->bits == 16 && (is_row ? at->col : at->row)[0] != 1 && may_turn) {
        m->turn = true;
        swap(at->lane_row, at->lane_col, MMA_LANE_BITS);
        swap(at->row, at->col, 1);
    }
    m->near = is_row ? at->col : at->row;
    m->far = is_row ? at->row : at->col;
    m->lane_near = is_row ? at->lane_col : at->lane_row;
    m->lane_far = is_row ? at->lane_row : at->lane_col;
}

// The sum over the lane's bits of `weight`, in units of 8 / scale; NONE when there is none.
static struct opnd lane_sum(struct lower *l, struct opnd lane, const uint8_t *weight,
                            unsigned scale) {
    struct opnd sum = opnd_none();
    for (unsigned b = 0; b < MMA_LANE_BITS;) {
        unsigned n = 1;
        if (!weight[b]) {
            b++;
            continue;
        }
        while (b + n < MMA_LANE_BITS && weight[b + n] == weight[b] << n) n++;
        struct minst m = lower_new(l, OP_BFE, ITYPE_U32);
        m.dst[0] = lower_temp(l, 1);
        m.src[0] = lane;
        m.src[1] = opnd_imm(b);
        m.src[2] = opnd_imm(n);
        lower_put(l, &m);
        struct minst add = lower_new(l, OP_IMAD, ITYPE_U32);
        add.dst[0] = lower_temp(l, 1);
        add.src[0] = m.dst[0];
        add.src[1] = opnd_imm(weight[b] * scale / 8);
        add.src[2] = sum.kind == OPND_NONE ? opnd_imm(0) : sum;
        lower_put(l, &add);
        sum = add.dst[0];
        b += n;
    }
    return sum;
}

// base + a * b, an address.
static struct opnd address_plus(struct lower *l, struct opnd base, struct opnd a, struct opnd b) {
    const bool wide = base.words == 2;
    struct minst m = lower_new(l, OP_IMAD, ITYPE_U32);
    if (wide) m.flags = MF_WIDE;
    m.dst[0] = lower_temp(l, wide ? 2 : 1);
    m.src[0] = lower_in_reg(l, a);
    m.src[1] = b;
    m.src[2] = base.kind == OPND_NONE ? opnd_imm(0) : base;
    lower_put(l, &m);
    return m.dst[0];
}

static void make_stride(struct lower *l, struct moved *m, unsigned leading) {
    const struct ptx_operand *const o = m->i->n_operands > 2 ? &m->i->operand[2] : NULL;
    uint64_t elements = leading;
    if (!o || lower_int_literal(o, &elements)) {
        m->known_stride = (int64_t)(uint32_t)elements * m->bits / 8;
        m->stride = opnd_imm((uint64_t)m->known_stride);
        return;
    }
    m->known_stride = -1;
    m->stride = lower_in_reg(l, lower_src(l, o, ITYPE_U32));
    const struct opnd d = lower_temp(l, 1);
    const unsigned n = m->bits < 8 ? (m->bits == 4 ? 1 : 3) : m->bits == 64 ? 3 : m->bits / 16;
    if (n)
        lower_shift(l, m->bits < 8 ? OP_SHR : OP_SHL, ITYPE_U32, d, m->stride, n);
    else
        lower_mov(l, d, m->stride); // the register may be one that is loaded
    m->stride = d;
}

static void make_base(struct lower *l, struct moved *m, const struct ptx_operand *address) {
    m->base = lower_address(l, address, from_space(m->i->space));
    const struct opnd lane = lower_in_reg(l, lower_sreg(l, PTX_SREG_laneid, ITYPE_U32));
    const struct opnd far = lane_sum(l, lane, m->lane_far, 8),
                      near = lane_sum(l, lane, m->lane_near, m->bits);
    if (far.kind != OPND_NONE) m->base.base = address_plus(l, m->base.base, far, m->stride);
    if (near.kind != OPND_NONE) m->base.base = address_plus(l, m->base.base, near, opnd_imm(1));
    m->row[0] = m->base.base;
}

// Where element e of the lane lies: a base and bytes behind it.
static struct lower_addr element_at(struct lower *l, struct moved *m, unsigned e, unsigned *bytes) {
    unsigned near = 0, far = 0;
    for (unsigned b = 0; b < m->at.bits; b++) {
        near += (e >> b & 1) * m->near[b];
        far += (e >> b & 1) * m->far[b];
    }
    struct lower_addr a = m->base;
    *bytes = near * m->bits / 8;
    if (m->known_stride >= 0 && m->known_stride * far < MAX_OFFSET) {
        a.offset += m->known_stride * far;
        return a;
    }
    if (m->row[far].kind == OPND_NONE)
        m->row[far] = address_plus(l, m->row[0], m->stride, opnd_imm(far));
    a.base = m->row[far];
    return a;
}

static struct opnd turned(struct lower *l, struct opnd a, struct opnd d) {
    struct minst m = lower_new(l, OP_MOVM, ITYPE_B32);
    m.dst[0] = d;
    m.src[0] = lower_in_reg(l, a);
    lower_put(l, &m);
    return d;
}

static void load_words(struct lower *l, struct moved *m, unsigned e, unsigned words) {
    unsigned bytes;
    const struct lower_addr a = element_at(l, m, e, &bytes);
    const struct opnd d = lower_temp(l, words);
    lower_load_at(l, m->i, &a, bytes, ITYPE_B32, words, d);
    const unsigned first = e * m->bits / 32;
    for (unsigned k = 0; k < words; k++) {
        const struct opnd to = dst_of(l, m->regs, first + k);
        if (m->turn)
            turned(l, opnd_word(d, k), to);
        else
            lower_mov(l, to, opnd_word(d, k));
    }
}
// A word of elements that do not lie side by side.
static void load_elements(struct lower *l, struct moved *m, unsigned e) {
    struct opnd part[4];
    const unsigned n = 32 / m->bits;
    for (unsigned k = 0; k < n; k++) {
        unsigned bytes;
        const struct lower_addr a = element_at(l, m, e + k, &bytes);
        part[k] = lower_temp(l, 1);
        lower_load_at(l, m->i, &a, bytes, m->bits == 8 ? ITYPE_U8 : ITYPE_U16, 1, part[k]);
    }
    const struct opnd d = dst_of(l, m->regs, e * m->bits / 32);
    if (n == 4) {
        const struct opnd low = lower_temp(l, 1), high = lower_temp(l, 1);
        lower_join(l, low, part[0], part[1], 8);
        lower_join(l, high, part[2], part[3], 8);
        lower_join(l, d, low, high, 16);
    } else {
        lower_join(l, d, part[0], part[1], 16);
    }
}
static void store_words(struct lower *l, struct moved *m, unsigned e, unsigned words) {
    unsigned bytes;
    const struct lower_addr a = element_at(l, m, e, &bytes);
    struct opnd o[4];
    for (unsigned k = 0; k < words; k++) {
        o[k] = word_of(l, m->regs, e * m->bits / 32 + k);
        if (m->turn) o[k] = turned(l, o[k], lower_temp(l, 1));
    }
    lower_store_at(l, m->i, &a, bytes, ITYPE_B32, words, lower_gather(l, o, words));
}
static void store_elements(struct lower *l, struct moved *m, unsigned e) { // halves
    struct opnd value = word_of(l, m->regs, e / 2);
    for (unsigned k = 0; k < 2; k++) {
        unsigned bytes;
        const struct lower_addr a = element_at(l, m, e + k, &bytes);
        if (k) {
            const struct opnd high = lower_temp(l, 1);
            lower_shift(l, OP_SHR, ITYPE_U32, high, value, 16);
            value = high;
        }
        lower_store_at(l, m->i, &a, bytes, ITYPE_U16, 1, value);
    }
}

static void move_doubles(struct lower *l, struct moved *m, bool store) {
    for (unsigned e = 0; e < m->words; e++) {
        unsigned bytes;
        const struct lower_addr a = element_at(l, m, e, &bytes);
        if (store)
            lower_store_at(l, m->i, &a, bytes, ITYPE_F64, 1, double_of(l, m->regs, e));
        else
            lower_load_at(l, m->i, &a, bytes, ITYPE_F64, 1, double_dst(l, m->regs, e));
    }
}
static void move(struct lower *l, struct moved *m, bool store) {
    if (m->bits == 64) {
        move_doubles(l, m, store);
        return;
    }
    unsigned run = 0; // elements side by side, as a power of two
    while (run < m->at.bits && m->near[run] == 1u << run && !m->far[run]) run++;
    while ((m->bits << run) > 128) run--;
    const unsigned elements = 1u << m->at.bits, at_once = m->bits << run;
    const unsigned step = at_once >= 32 ? 1u << run : 32 / m->bits;
    for (unsigned e = 0; e < elements; e += step) {
        if (at_once >= 32)
            (store ? store_words : load_words)(l, m, e, at_once / 32);
        else
            (store ? store_elements : load_elements)(l, m, e);
    }
    const unsigned made = elements * m->bits / 32;
    for (unsigned k = made; !store && k < m->words; k++)
        lower_mov(l, dst_of(l, m->regs, k), dst_of(l, m->regs, k % made));
}

// Rows (or columns) that lie behind one another without a stride.
static unsigned leading(const struct mma_layout *at, bool is_row) {
    const uint8_t *lane = is_row ? at->lane_col : at->lane_row, *el = is_row ? at->col : at->row;
    unsigned n = 1;
    for (unsigned k = 0; k < MMA_LANE_BITS; k++) n += lane[k];
    for (unsigned k = 0; k < at->bits; k++) n += el[k];
    return n;
}

static void wmma_move(struct lower *l, const struct ptx_inst *i, bool store) {
    const enum ptx_mma_role role = ptx_mma_role(i);
    const struct ptx_mma *const form = ptx_mma_find(i);
    const enum ptx_type type = ptx_mma_type(i, role);
    const enum isa_type t = from_type(type);
    const enum mma_matrix matrix = role == PTX_MMA_A ? MMA_A : role == PTX_MMA_B ? MMA_B : MMA_C;
    const bool is_row = ptx_has(i, PTX_MOD_row);
    const struct mma_layout *const at =
        mma_layout_find(t == ITYPE_S32 ? MMA_S32 : unit_of(l), PTX_OP_wmma,
                        (enum ptx_mod)form->shape, matrix, isa_type_bits(t), !is_row);
    if (!at) {
        lower_refuse(l, "there is no such matrix");
        return;
    }
    struct moved m = {.i = i,
                      .regs = &i->operand[store],
                      .at = *at,
                      .bits = isa_type_bits(t),
                      .words = ptx_mma_regs(form, role, type)};
    choose_direction(&m, is_row, at->unit == MMA_H1688);
    make_stride(l, &m, leading(at, is_row));
    make_base(l, &m, &i->operand[!store]);
    move(l, &m, store);
}

// ---- products -----------------------------------------------------------------------------

struct product {
    const struct ptx_inst *i;
    const struct ptx_operand *d, *a, *b, *c;
    enum isa_type td, tc;
    struct opnd sum[MAX_REGS / 2]; // D as it grows: pairs, or quads of HMMA.1688
};

static struct minst product_new(struct lower *l, const struct product *p, enum mop op,
                                unsigned klass) {
    struct minst m = lower_new(l, op, p->td);
    m.klass = (uint8_t)klass;
    m.stype = (uint8_t)p->tc;
    return m;
}
static void put_sum(struct lower *l, const struct product *p, unsigned first, struct opnd sum) {
    for (unsigned k = 0; k < sum.words; k++)
        lower_mov(l, dst_of(l, p->d, first + k), opnd_word(sum, k));
}

// C of a step, from the registers or from the step before it in k.
static struct opnd step_sum(struct lower *l, const struct product *p, unsigned step, bool first) {
    if (!first) return p->sum[step];
    if (p->tc == p->td) return words_of(l, p->c, 2 * step, 2);
    return p->tc == ITYPE_F32 ? words_of(l, p->c, 4 * step, 4) : words_of(l, p->c, step & 2, 2);
}

// HMMA.884, `blocks` of them along k.
static void product_884(struct lower *l, struct product *p, unsigned blocks) {
    const unsigned steps = p->td == ITYPE_F32 ? 4 : 2;
    unsigned layouts = 0, n = 0; // the first of .row and .col is A's
    for (unsigned k = 0; k < p->i->n_mods; k++) {
        const enum ptx_mod mod = (enum ptx_mod)p->i->mods[k];
        if (mod != PTX_MOD_row && mod != PTX_MOD_col) continue;
        if (n == 0 && mod == PTX_MOD_col) layouts |= MMA_A_COL;
        if (n == 1 && mod == PTX_MOD_row) layouts |= MMA_B_ROW;
        n++;
    }
    for (unsigned k = 0; k < blocks; k++) {
        const struct opnd a = words_of(l, p->a, 2 * k, 2), b = words_of(l, p->b, 2 * k, 2);
        for (unsigned s = 0; s < steps; s++) {
            struct minst m = product_new(l, p, OP_HMMA_884,
                                         p->td == ITYPE_F32 ? OPC_MMA_884_F32 : OPC_MMA_884_F16);
            if (k) m.stype = (uint8_t)p->td;
            if (gen_has(l->gen, TRAIT_TENSOR_16816)) m.aux = MMA_CHAIN;
            m.sub = (uint8_t)(s | layouts);
            m.src[0] = a;
            m.src[1] = b;
            m.src[2] = step_sum(l, p, s, k == 0);
            m.dst[0] = lower_temp(l, 2);
            lower_put(l, &m);
            p->sum[s] = m.dst[0];
        }
    }
    for (unsigned s = 0; s < steps; s++) put_sum(l, p, 2 * s, p->sum[s]);
}

// HMMA.1688: D block n of C block n, over `blocks` of eight along k. A's registers of block (n, k)
// begin at a + ..., B's is b + ....
static void product_1688(struct lower *l, struct product *p, unsigned n, unsigned blocks,
                         const struct ptx_operand *a, unsigned a_first, const struct ptx_operand *b,
                         unsigned b_first) {
    const unsigned dw = p->td == ITYPE_F32 ? 4 : 2, cw = p->tc == ITYPE_F32 ? 4 : 2;
    struct opnd sum = words_of(l, p->c, n * cw, cw);
    for (unsigned k = 0; k < blocks; k++) {
        struct minst m = product_new(l, p, OP_HMMA_1688,
                                     p->td == ITYPE_F32 ? OPC_MMA_1688_F32 : OPC_MMA_1688_F16);
        if (k) m.stype = (uint8_t)p->td;
        m.src[0] = words_of(l, a, a_first + 2 * k, 2);
        m.src[1] = lower_in_reg(l, word_of(l, b, b_first + k));
        m.src[2] = sum;
        m.dst[0] = lower_temp(l, dw);
        lower_put(l, &m);
        sum = m.dst[0];
    }
    p->sum[n] = sum;
}

// Integers and bits: a word of A, a word of B, two of C.
static struct opnd product_int(struct lower *l, const struct product *p, enum mop op,
                               unsigned klass, unsigned a, unsigned b, unsigned c) {
    struct minst m = product_new(l, p, op, klass);
    m.stype = ITYPE_NONE;
    m.type = ITYPE_S32;
    if (ptx_has(p->i, PTX_MOD_satfinite)) m.flags = MF_SAT;
    const enum isa_type ta = from_type(ptx_mma_type(p->i, PTX_MMA_A)),
                        tb = from_type(ptx_mma_type(p->i, PTX_MMA_B));
    if (ta == ITYPE_S8 || ta == ITYPE_S4) m.sub |= MMA_A_SIGNED;
    if (tb == ITYPE_S8 || tb == ITYPE_S4) m.sub |= MMA_B_SIGNED;
    m.src[0] = lower_in_reg(l, word_of(l, p->a, a));
    m.src[1] = lower_in_reg(l, word_of(l, p->b, b));
    m.src[2] = words_of(l, p->c, c, 2);
    if (ptx_has(p->i, PTX_MOD_and)) m.sub |= MMA_AND;
    m.dst[0] = lower_temp(l, 2);
    lower_put(l, &m);
    return m.dst[0];
}

// ---- sixteen rows, of compute capability 8.0 and later ----------------------------------------

// The type of sums in the machine's products; C and D of a wmma may differ.
static enum isa_type sums_type(const struct product *p) {
    return p->td == ITYPE_F32 || p->tc == ITYPE_F32 ? ITYPE_F32 : p->td;
}
static struct opnd to_single(struct lower *l, struct opnd word, bool high) {
    const struct opnd half = lower_temp(l, 1), d = lower_temp(l, 1);
    if (high)
        lower_shift(l, OP_SHR, ITYPE_U32, half, word, 16);
    else
        lower_mov(l, half, word);
    struct minst m = lower_new(l, OP_CVT, ITYPE_F32);
    m.klass = OPC_CVT_FP;
    m.stype = ITYPE_F16;
    m.src[0] = half;
    m.dst[0] = d;
    lower_put(l, &m);
    return d;
}
// C of block n: registers from 4 n on (of single precision) or from 2 n on.
static struct opnd sum_before(struct lower *l, const struct product *p, unsigned n) {
    if (p->tc != ITYPE_F16) return words_of(l, p->c, 4 * n, 4);
    if (sums_type(p) == ITYPE_F16) return words_of(l, p->c, 2 * n, 2);
    struct opnd o[4];
    for (unsigned k = 0; k < 4; k++) o[k] = to_single(l, word_of(l, p->c, 2 * n + k / 2), k & 1);
    return lower_gather(l, o, 4);
}
static struct opnd pair_of_halves(struct lower *l, struct opnd low, struct opnd high) {
    struct minst m = lower_new(l, OP_CVT, ITYPE_F16X2);
    m.klass = OPC_CVT_FP;
    m.stype = ITYPE_F32;
    m.rnd = MRND_RN;
    m.src[0] = high;
    m.src[1] = low;
    m.dst[0] = lower_temp(l, 1);
    lower_put(l, &m);
    return m.dst[0];
}
static void put_sum_after(struct lower *l, const struct product *p, unsigned n, struct opnd sum) {
    if (sums_type(p) == p->td) {
        put_sum(l, p, sum.words * n, sum);
        return;
    }
    for (unsigned k = 0; k < 2; k++)
        lower_mov(l, dst_of(l, p->d, 2 * n + k),
                  pair_of_halves(l, opnd_word(sum, 2 * k), opnd_word(sum, 2 * k + 1)));
}

// HMMA.16816 and the like: `depth` along k.
static struct opnd product_16(struct lower *l, const struct product *p, enum isa_type type,
                              unsigned depth, struct opnd a, struct opnd b, struct opnd c) {
    const enum isa_type sums = sums_type(p);
    const bool deep = depth * isa_type_bits(type) > 128; // two registers of B
    const unsigned single = deep ? OPC_MMA_16816_F32 : OPC_MMA_1688_F32,
                   half = deep ? OPC_MMA_16816_F16 : OPC_MMA_1688_F16;
    struct minst m = product_new(l, p, OP_HMMA_16, sums == ITYPE_F32 ? single : half);
    m.type = (uint8_t)sums;
    m.stype = (uint8_t)type;
    m.sub = (uint8_t)depth;
    if (gen_has(l->gen, TRAIT_TENSOR_9)) m.aux |= MMA_HOPPER;
    if (from_type(ptx_mma_type(p->i, PTX_MMA_B)) == ITYPE_E5M2) m.aux |= MMA_B_E5M2;
    if (type == ITYPE_F16 && depth == 8 && !m.aux) { // the same bits, and Turing's name
        m.op = OP_HMMA_1688;
        m.stype = m.type;
        m.sub = 0;
    }
    m.src[0] = lower_in_reg(l, a);
    m.src[1] = lower_in_reg(l, b);
    m.src[2] = c;
    m.dst[0] = lower_temp(l, sums == ITYPE_F32 ? 4 : 2);
    lower_put(l, &m);
    return m.dst[0];
}
static struct opnd some_words(struct lower *l, const struct ptx_operand *v, unsigned first,
                              unsigned n) {
    return n == 1 ? word_of(l, v, first) : words_of(l, v, first, n);
}
// D block n from A's registers from a_first on and B's from b_first on.
static void floats_16(struct lower *l, const struct product *p, unsigned depth, unsigned n,
                      const struct ptx_operand *a, unsigned a_first, const struct ptx_operand *b,
                      unsigned b_first) {
    const enum isa_type t = from_type(ptx_mma_type(p->i, PTX_MMA_A));
    const unsigned words = depth * isa_type_bits(t) / 128; // of B
    put_sum_after(l, p, n,
                  product_16(l, p, t, depth, some_words(l, a, a_first, 2 * words),
                             some_words(l, b, b_first, words), sum_before(l, p, n)));
}

// Floats of 8 bits where no instruction takes them: the lower two of each word become halves and
// are multiplied, then the upper two, from 0 on; C is added last (ptxas 12.9 for sm_90).
static struct opnd made_halves(struct lower *l, const struct ptx_operand *v, unsigned n,
                               enum isa_type type, bool high) {
    struct opnd o[4];
    for (unsigned k = 0; k < n; k++) {
        struct minst m = lower_new(l, OP_CVT, ITYPE_F16X2);
        m.klass = OPC_CVT_FP;
        m.stype = type == ITYPE_E4M3 ? ITYPE_E4M3X2 : ITYPE_E5M2X2;
        m.rnd = MRND_RN;
        m.aux = high;
        m.src[0] = lower_in_reg(l, word_of(l, v, k));
        m.dst[0] = o[k] = lower_temp(l, 1);
        lower_put(l, &m);
    }
    return n == 1 ? o[0] : lower_gather(l, o, n);
}
static void bytes_as_halves(struct lower *l, struct product *p, unsigned depth) {
    const enum isa_type ta = from_type(ptx_mma_type(p->i, PTX_MMA_A)),
                        tb = from_type(ptx_mma_type(p->i, PTX_MMA_B));
    const unsigned words = depth / 16, sums = p->td == ITYPE_F32 ? 4 : 2;
    struct opnd sum[4];
    for (unsigned k = 0; k < sums; k++) {
        sum[k] = lower_temp(l, 1);
        lower_mov(l, sum[k], opnd_imm(0));
    }
    struct opnd total = lower_gather(l, sum, sums);
    struct product halves = *p;
    for (unsigned high = 0; high < 2; high++) {
        const struct opnd a = made_halves(l, p->a, 2 * words, ta, high),
                          b = made_halves(l, p->b, words, tb, high);
        total = product_16(l, &halves, ITYPE_F16, depth / 2, a, b, total);
    }
    for (unsigned k = 0; k < sums; k++) {
        struct minst m = lower_new(l, p->td == ITYPE_F32 ? OP_FADD : OP_HADD,
                                   p->td == ITYPE_F32 ? ITYPE_F32 : ITYPE_F16X2);
        m.rnd = MRND_RN;
        m.src[0] = lower_in_reg(l, word_of(l, p->c, k));
        m.src[1] = opnd_word(total, k);
        m.dst[0] = sum[k];
        lower_put(l, &m);
    }
    for (unsigned k = 0; k < sums; k++) lower_mov(l, dst_of(l, p->d, k), sum[k]);
}

// Integers and bits of sixteen rows: `words` of B.
static void integers_16(struct lower *l, const struct product *p, unsigned words) {
    const enum isa_type ta = from_type(ptx_mma_type(p->i, PTX_MMA_A)),
                        tb = from_type(ptx_mma_type(p->i, PTX_MMA_B));
    const unsigned bits = isa_type_bits(ta);
    struct minst m =
        product_new(l, p, OP_IMMA_16, words == 2 ? OPC_MMA_16832_INT : OPC_MMA_16816_INT);
    m.type = ITYPE_S32;
    m.stype = bits == 8 ? ITYPE_S8 : bits == 4 ? ITYPE_S4 : ITYPE_B1;
    m.vec = (uint8_t)words;
    if (ptx_has(p->i, PTX_MOD_satfinite)) m.flags = MF_SAT;
    if (ta == ITYPE_S8 || ta == ITYPE_S4) m.sub |= MMA_A_SIGNED;
    if (tb == ITYPE_S8 || tb == ITYPE_S4) m.sub |= MMA_B_SIGNED;
    if (ptx_has(p->i, PTX_MOD_and)) m.sub |= MMA_AND;
    m.src[0] = words_of(l, p->a, 0, 2 * words);
    m.src[1] = lower_in_reg(l, some_words(l, p->b, 0, words));
    m.src[2] = words_of(l, p->c, 0, 4);
    m.dst[0] = lower_temp(l, 4);
    lower_put(l, &m);
    put_sum(l, p, 0, m.dst[0]);
}

// Doubles, as DMMA.884: `rows` of eight, `blocks` of four along k.
static void doubles(struct lower *l, const struct product *p, unsigned rows, unsigned blocks) {
    struct opnd sum[2];
    for (unsigned r = 0; r < rows; r++) {
        const struct opnd low = double_of(l, p->c, 2 * r), high = double_of(l, p->c, 2 * r + 1);
        const struct opnd o[4] = {opnd_word(low, 0), opnd_word(low, 1), opnd_word(high, 0),
                                  opnd_word(high, 1)};
        sum[r] = lower_gather(l, o, 4);
        for (unsigned k = 0; k < blocks; k++) {
            struct minst m = product_new(l, p, OP_DMMA, OPC_MMA_884_F64);
            m.stype = ITYPE_NONE;
            m.src[0] = lower_in_reg(l, double_of(l, p->a, rows * k + r));
            m.src[1] = lower_in_reg(l, double_of(l, p->b, k));
            m.src[2] = sum[r];
            m.dst[0] = lower_temp(l, 4);
            lower_put(l, &m);
            sum[r] = m.dst[0];
        }
    }
    for (unsigned k = 0; k < 2 * rows; k++) {
        const struct opnd d = double_dst(l, p->d, k);
        for (unsigned w = 0; w < 2; w++)
            lower_mov(l, opnd_word(d, w), opnd_word(sum[k / 2], 2 * (k % 2) + w));
    }
}

static struct product product_of(const struct ptx_inst *i) {
    return (struct product){.i = i,
                            .d = &i->operand[0],
                            .a = &i->operand[1],
                            .b = &i->operand[2],
                            .c = &i->operand[3],
                            .td = from_type(ptx_mma_type(i, PTX_MMA_D)),
                            .tc = from_type(ptx_mma_type(i, PTX_MMA_C))};
}

static void wmma_floats(struct lower *l, struct product *p, enum ptx_mod shape) {
    if (unit_of(l) == MMA_H884) {
        product_884(l, p, 4);
        return;
    }
    const bool is_16 = gen_has(l->gen, TRAIT_TENSOR_16816);
    for (unsigned n = 0; n < 2 && is_16; n++) {
        if (shape == PTX_MOD_m16n16k16) floats_16(l, p, 16, n, p->a, 0, p->b, 2 * n);
        if (shape == PTX_MOD_m16n16k8) floats_16(l, p, 8, n, p->a, 0, p->b, 2 * n);
        if (shape == PTX_MOD_m32n8k16) floats_16(l, p, 16, n, p->a, 4 * n, p->b, 0);
        if (shape == PTX_MOD_m8n32k16) floats_16(l, p, 16, n, p->b, 4 * n, p->a, 0);
    }
    if (is_16) return;
    for (unsigned n = 0; n < 2; n++) {
        if (shape == PTX_MOD_m16n16k16) product_1688(l, p, n, 2, p->a, 0, p->b, 2 * n);
        if (shape == PTX_MOD_m32n8k16) product_1688(l, p, n, 2, p->a, 4 * n, p->b, 0);
        if (shape == PTX_MOD_m8n32k16) product_1688(l, p, n, 2, p->b, 4 * n, p->a, 0);
    }
    const unsigned words = p->td == ITYPE_F32 ? 4 : 2;
    for (unsigned n = 0; n < 2; n++) put_sum(l, p, n * words, p->sum[n]);
}

static void wmma_product(struct lower *l, const struct ptx_inst *i) {
    const enum ptx_mod shape = (enum ptx_mod)ptx_mma_find(i)->shape;
    struct product p = product_of(i);
    switch (from_type(ptx_mma_type(i, PTX_MMA_A))) {
    case ITYPE_F16:
    case ITYPE_BF16:
    case ITYPE_TF32: wmma_floats(l, &p, shape); return;
    case ITYPE_F64: doubles(l, &p, 1, 1); return;
    case ITYPE_S4:
    case ITYPE_U4:
        put_sum(l, &p, 0, product_int(l, &p, OP_IMMA_8832, OPC_MMA_8832, 0, 0, 0));
        return;
    case ITYPE_B1:
        put_sum(l, &p, 0, product_int(l, &p, OP_BMMA_88128, OPC_MMA_88128, 0, 0, 0));
        return;
    default: break;
    }
    for (unsigned n = 0; n < 4; n++) { // bytes: four products of 8x8x16
        const bool square = shape == PTX_MOD_m16n16k16;
        const unsigned a = square ? n & 1 : shape == PTX_MOD_m32n8k16 ? n : 0;
        const unsigned b = square ? n >> 1 : shape == PTX_MOD_m8n32k16 ? n : 0;
        p.sum[n] = product_int(l, &p, OP_IMMA_8816, OPC_MMA_8816, a, b, 2 * n);
    }
    for (unsigned n = 0; n < 4; n++) put_sum(l, &p, 2 * n, p.sum[n]);
}

// wmma.load, wmma.store, wmma.mma
void lower_mma_wmma(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (form_refused(l, i)) return;
    if (ptx_has(i, PTX_MOD_load) || ptx_has(i, PTX_MOD_store))
        wmma_move(l, i, ptx_has(i, PTX_MOD_store));
    else
        wmma_product(l, i);
}

static unsigned rows_of(unsigned shape) {
    return shape == PTX_MOD_m8n8k4 || shape == PTX_MOD_m8n8k16 || shape == PTX_MOD_m8n8k32 ||
                   shape == PTX_MOD_m8n8k128
               ? 8
               : 16;
}
static unsigned depth_of(enum ptx_mod shape) {
    switch (shape) {
    case PTX_MOD_m16n8k4: return 4;
    case PTX_MOD_m16n8k8: return 8;
    case PTX_MOD_m16n8k16: return 16;
    case PTX_MOD_m16n8k32: return 32;
    case PTX_MOD_m16n8k64: return 64;
    case PTX_MOD_m16n8k128: return 128;
    default: return 256; // m16n8k256
    }
}
// A sparse A: half of its elements, metadata, and twice as many words of B.
static void product_sparse(struct lower *l, struct product *p, const struct ptx_mma *form) {
    const enum isa_type ta = from_type(ptx_mma_type(p->i, PTX_MMA_A)),
                        tb = from_type(ptx_mma_type(p->i, PTX_MMA_B));
    const unsigned bits = isa_type_bits(ta), words = form->regs[PTX_MMA_A] / 2u;
    const bool is_float = isa_type_is_float(ta), is_half = p->td == ITYPE_F16;
    const unsigned sums = is_half ? 2 : 4;
    const enum op_class integers = words == 2 ? OPC_MMA_16832_INT : OPC_MMA_16816_INT,
                        single = words == 2 ? OPC_MMA_16816_F32 : OPC_MMA_1688_F32,
                        half = words == 2 ? OPC_MMA_16816_F16 : OPC_MMA_1688_F16;
    struct minst m = product_new(l, p, is_float ? OP_HMMA_16 : OP_IMMA_16,
                                 !is_float ? integers : is_half ? half : single);
    m.stype = (uint8_t)ta;
    m.aux = (uint16_t)(MMA_SPARSE | (unsigned)p->i->operand[5].imm << MMA_SELECTOR_AT);
    if (is_float) {
        m.sub = (uint8_t)(128 * words / bits);
        if (gen_has(l->gen, TRAIT_TENSOR_9)) m.aux |= MMA_HOPPER;
        if (tb == ITYPE_E5M2) m.aux |= MMA_B_E5M2;
    } else {
        m.type = ITYPE_S32;
        m.stype = bits == 8 ? ITYPE_S8 : ITYPE_S4;
        m.vec = (uint8_t)words;
        if (ptx_has(p->i, PTX_MOD_satfinite)) m.flags = MF_SAT;
        if (ta == ITYPE_S8 || ta == ITYPE_S4) m.sub |= MMA_A_SIGNED;
        if (tb == ITYPE_S8 || tb == ITYPE_S4) m.sub |= MMA_B_SIGNED;
    }
    m.src[0] = words_of(l, p->a, 0, 2 * words);
    m.src[1] = words_of(l, p->b, 0, 2 * words);
    m.src[2] = words_of(l, p->c, 0, sums);
    m.src[3] = lower_in_reg(l, lower_src(l, &p->i->operand[4], ITYPE_B32));
    m.dst[0] = lower_temp(l, sums);
    lower_put(l, &m);
    put_sum(l, p, 0, m.dst[0]);
}
static void product_rows_16(struct lower *l, struct product *p, enum ptx_mod shape) {
    const enum isa_type t = from_type(ptx_mma_type(p->i, PTX_MMA_A));
    const unsigned depth = depth_of(shape);
    if (t == ITYPE_F64)
        doubles(l, p, 2, depth / 4);
    else if (!isa_type_is_float(t))
        integers_16(l, p, depth * isa_type_bits(t) / 128);
    else if (isa_type_bits(t) == 8 && !gen_has(l->gen, TRAIT_TENSOR_BYTE_FLOATS))
        bytes_as_halves(l, p, depth);
    else
        floats_16(l, p, depth, 0, p->a, 0, p->b, 0);
}

// mma d, a, b, c
void lower_mma_mma(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const struct ptx_mma *const form = ptx_mma_find(i);
    if (form_refused(l, i)) return;
    struct product p = product_of(i);
    if (form->is_sparse && form->capability == 89 && !gen_has(l->gen, TRAIT_TENSOR_BYTE_FLOATS)) {
        lower_refuse(l, "this generation has no instruction for sparse products of 8-bit floats of one warp "
                        "(its compiler makes halves of them); wgmma.mma_async.sp has");
        return;
    }
    if (form->is_sparse) {
        product_sparse(l, &p, form);
        return;
    }
    if (gen_has(l->gen, TRAIT_TENSOR_16816) && rows_of(form->shape) == 16) {
        product_rows_16(l, &p, (enum ptx_mod)form->shape);
        return;
    }
    if (p.td == ITYPE_F64) {
        doubles(l, &p, 1, 1);
        return;
    }
    switch (form->shape) {
    case PTX_MOD_m8n8k4: product_884(l, &p, 1); return;
    case PTX_MOD_m16n8k8: product_1688(l, &p, 0, 1, p.a, 0, p.b, 0); break;
    case PTX_MOD_m8n8k16: p.sum[0] = product_int(l, &p, OP_IMMA_8816, OPC_MMA_8816, 0, 0, 0); break;
    case PTX_MOD_m8n8k32: p.sum[0] = product_int(l, &p, OP_IMMA_8832, OPC_MMA_8832, 0, 0, 0); break;
    default: p.sum[0] = product_int(l, &p, OP_BMMA_88128, OPC_MMA_88128, 0, 0, 0); break;
    }
    put_sum(l, &p, 0, p.sum[0]);
}

// ldmatrix.m8n8.num{.trans} r, [p]
void lower_mma_ldmatrix(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (refused(l, TRAIT_TENSOR, "7.5 (Turing)")) return;
    const struct lower_addr a = lower_address(l, &i->operand[1], from_space(i->space));
    const unsigned n = ptx_has(i, PTX_MOD_x4) ? 4 : ptx_has(i, PTX_MOD_x2) ? 2 : 1;
    struct minst m = lower_new(l, OP_LDSM, ITYPE_B32);
    m.klass = lower_load_class(a.space);
    m.sub = ptx_has(i, PTX_MOD_trans);
    m.vec = (uint8_t)n;
    m.space = a.space;
    m.src[0] = a.base;
    m.offset = a.offset;
    m.flags = a.flags;
    m.dst[0] = lower_temp(l, n);
    lower_put(l, &m);
    for (unsigned k = 0; k < n; k++)
        lower_mov(l, dst_of(l, &i->operand[0], k), opnd_word(m.dst[0], k));
}

// stmatrix.m8n8.num{.trans} [p], r
void lower_mma_stmatrix(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (refused(l, TRAIT_TENSOR_9, "9.0 (Hopper)")) return;
    const struct lower_addr a = lower_address(l, &i->operand[0], from_space(i->space));
    const unsigned n = ptx_has(i, PTX_MOD_x4) ? 4 : ptx_has(i, PTX_MOD_x2) ? 2 : 1;
    struct minst m = lower_new(l, OP_STSM, ITYPE_B32);
    m.klass = a.space == SPACE_SHARED ? OPC_ST_SHARED : OPC_ST_GENERIC;
    m.sub = ptx_has(i, PTX_MOD_trans);
    m.vec = (uint8_t)n;
    m.space = a.space;
    m.src[0] = a.base;
    m.offset = a.offset;
    m.flags = a.flags;
    m.src[1] = lower_in_reg(l, some_words(l, &i->operand[1], 0, n));
    lower_put(l, &m);
}

void lower_mma_movmatrix(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (refused(l, TRAIT_TENSOR, "7.5 (Turing)")) return;
    turned(l, lower_src(l, &i->operand[1], ITYPE_B32), lower_dst(l, &i->operand[0], ITYPE_B32));
}
