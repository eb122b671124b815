// Loads, stores, atomics, fences, cache control. Sources: PTX ISA 9.0; what words say, encoding.def;
// what PTX becomes, ptxas 11.8 and 12.9.
//
// Order and caches. Words say how strong an access is (weak, STRONG, MMIO) and for which threads
// (CTA, SM, GPU, SYS); ptxas writes ld.relaxed, ld.acquire and ld.volatile so, and the cache
// operators .ca (STRONG.CTA), .cg (STRONG.GPU) and .cv (STRONG.SYS) too. So a strong access is taken
// for one that may synchronise, and cached as our compiler has it for its scope. Priorities of
// eviction of weak ones are cache operators: EF .cs, LU .lu, NA .cg.
#include "sass/translator.h"

// Fields that accesses have at the same place.
enum {
    WIDE_AT = 72, // .E: an address of 64 bits
    SIZE_AT = 73,
    PRIVATE_AT = 76,
    SCOPE_AT = 77,
    KIND_AT = 79,
    ORDER_AT = 77, // both of one field, from 8.0 on
    EVICT_AT = 84,
    ATOM_AT = 87,
    DONE_AT = 81, // predicate result
    UNIFORM_AT = 91,
    ATOMIC_WIDE_AT = 70, // a register of 64 bits beside a uniform one
    REDUCTION_WIDE_AT = 90
};
enum evict { EVICT_FIRST, EVICT_NORMAL, EVICT_LAST, EVICT_LAST_USE, EVICT_UNCHANGED, EVICT_NONE };

// ---- addresses --------------------------------------------------------------------------------
static const struct sass_operand *memory_operand(const struct translator *t) {
    for (uint32_t i = 0; i < t->in->n_operands; i++)
        if (t->in->operand[i].kind == SASS_MEMORY) return &t->in->operand[i];
    return NULL;
}
// [A + offset], the offset in `bits` bits; `words` of A.
static void address(struct translator *t, uint32_t words, uint32_t offset_at, uint32_t bits) {
    tr_ignore(t, offset_at, bits); // the decoder has made a number of it
    t->m->offset = memory_operand(t)->value;
    t->m->src[0] = tr_reg(t, 24, words);
}
// The uniform part of an address, in bits uniform_at and five more, which bit 91 says is there.
static void uniform_part(struct translator *t, uint32_t words, uint32_t uniform_at) {
    const bool is_there = tr_bit(t, UNIFORM_AT);
    const struct opnd u = tr_ureg(t, uniform_at, words);
    if (is_there) t->m->src[3] = u;
}
// [A.scale + UR + offset] of 7.5 and later.
static void local_address(struct translator *t, uint32_t uniform_at, bool is_scaled) {
    static const uint8_t power[] = {0, 2, 3, 4};
    address(t, 1, 40, 24);
    if (is_scaled) t->m->src[0].mods |= (uint8_t)(power[tr_field(t, 78, 2)] << OPND_SCALE_AT);
    uniform_part(t, 1, uniform_at);
}
void tr_shared_address(struct translator *t, uint32_t uniform_at) {
    local_address(t, uniform_at, false);
}
// [A.64 + UR + offset] or [A.U32 + UR + offset]; where `hide_at` is set the uniform register
// describes memory instead: it holds the policy of L2.
static void global_address(struct translator *t, uint32_t uniform_at, uint32_t wide_at,
                           uint32_t hide_at) {
    const bool is_described = t->gen >= SASS_80 && hide_at && tr_bit(t, hide_at);
    const bool is_based = tr_bit(t, UNIFORM_AT), is_wide = wide_at ? tr_bit(t, wide_at) : true;
    tr_ignore(t, 101, 1); // whether a disassembler prints the descriptor
    address(t, is_based && !is_wide ? 1 : 2, 40, 24);
    if (is_described && is_based)
        t->m->src[MINST_POLICY] = tr_ureg(t, uniform_at, 2);
    else if (is_based)
        t->m->src[3] = tr_ureg(t, uniform_at, 2);
    else
        tr_ignore(t, uniform_at, 6);
}
// [A + offset], with .E two words.
static void plain_address(struct translator *t, uint32_t offset_at, uint32_t bits) {
    address(t, tr_bit(t, WIDE_AT) ? 2 : 1, offset_at, bits);
}

// ---- sizes, order -----------------------------------------------------------------------------
// The elements of an access; answers its words.
static uint32_t size(struct translator *t) {
    enum { WORD = 4, LONGEST = 6, LDG = 0x181 };
    static const struct {
        uint8_t type, vec;
    } row[] = {{ITYPE_U8, 1},  {ITYPE_S8, 1},  {ITYPE_U16, 1}, {ITYPE_S16, 1},
               {ITYPE_B32, 1}, {ITYPE_B32, 2}, {ITYPE_B32, 4}, {ITYPE_B32, 4}};
    const uint32_t n = tr_field(t, SIZE_AT, 3);
    // U.128 is what ptxas makes of ld.global.nc.v2.f64 for 7.0 and 7.5; no PTX makes it elsewhere.
    if (n > LONGEST && (tr_field(t, 0, 9) != LDG || t->gen >= SASS_80)) {
        tr_refuse(t, "has a size that is not documented");
        return 1;
    }
    t->m->type = row[n].type;
    t->m->vec = row[n].vec;
    return n < WORD ? 1 : row[n].vec;
}

struct order {
    enum { ORDER_WEAK, ORDER_CONSTANT, ORDER_STRONG, ORDER_MMIO, ORDER_OTHER } kind;
    enum { SCOPE_CTA, SCOPE_SM, SCOPE_GPU, SCOPE_SYS } scope;
};
static struct order order_of(struct translator *t) {
    if (t->gen < SASS_80) {
        static const uint8_t kind[] = {ORDER_CONSTANT, ORDER_WEAK, ORDER_STRONG, ORDER_MMIO};
        if (tr_bit(t, PRIVATE_AT)) return (struct order){ORDER_OTHER, SCOPE_SYS};
        const uint32_t scope = tr_field(t, SCOPE_AT, 2);
        return (struct order){kind[tr_field(t, KIND_AT, 2)], scope};
    }
    static const struct order row[16] = {
        [0] = {ORDER_WEAK, SCOPE_SYS},  [4] = {ORDER_CONSTANT, SCOPE_SYS},
        [5] = {ORDER_STRONG, SCOPE_SM}, [7] = {ORDER_STRONG, SCOPE_GPU},
        [8] = {ORDER_MMIO, SCOPE_GPU},  [10] = {ORDER_STRONG, SCOPE_SYS},
        [12] = {ORDER_MMIO, SCOPE_SYS},
    };
    const uint32_t n = tr_field(t, ORDER_AT, 4);
    if (n && row[n].kind == ORDER_WEAK) return (struct order){ORDER_OTHER, SCOPE_SYS};
    return row[n];
}

static uint8_t weak_operator(enum evict evict, uint8_t usual) {
    switch (evict) {
    case EVICT_FIRST: return MCOP_CS;
    case EVICT_LAST_USE: return MCOP_LU;
    case EVICT_NONE: return MCOP_CG;
    default: return usual; // LAST, UNCHANGED: there is no policy of ours for them
    }
}
// Order and eviction of a load or store; `usual`: the cache operator of plain ones.
static void access_order(struct translator *t, uint8_t usual) {
    const struct order o = order_of(t);
    const enum evict evict = tr_field(t, EVICT_AT, 3);
    switch (o.kind) {
    case ORDER_WEAK: t->m->cop = weak_operator(evict, usual); return;
    case ORDER_CONSTANT: t->m->cop = MCOP_NC; return;
    case ORDER_STRONG:
        t->m->flags |= MF_VOLATILE | MF_STRONG;
        t->m->cop = o.scope == SCOPE_SYS ? MCOP_CV : o.scope == SCOPE_GPU ? MCOP_CG : MCOP_CA;
        return;
    case ORDER_MMIO:
        t->m->flags |= MF_VOLATILE;
        t->m->cop = MCOP_CV;
        return;
    default: tr_refuse(t, "has an order that is not documented");
    }
}

// ---- loads and stores -------------------------------------------------------------------------
// The predicate for which a lane reads (7.5 and later; 0 is PT).
static void read_condition(struct translator *t) {
    const uint32_t n = tr_field(t, 64, 3);
    const bool is_negated = tr_bit(t, 67);
    if (!n && !is_negated) return;
    t->m->src[2] = (struct opnd){.kind = OPND_PRED, .reg = PRED_TRUE - n};
    if (is_negated) t->m->src[2].mods = OPND_NOT;
}
static void no_second_result(struct translator *t) {
    if (tr_field(t, DONE_AT, 3) != PRED_TRUE) tr_refuse(t, "has a second result");
}
static void load(struct translator *t, enum isa_space space, enum op_class klass) {
    tr_op(t, OP_LD, klass, ITYPE_B32);
    t->m->space = (uint8_t)space;
    tr_dst(t, size(t));
}
static void store(struct translator *t, enum isa_space space, enum op_class klass,
                  uint32_t data_at) {
    tr_op(t, OP_ST, klass, ITYPE_B32);
    t->m->space = (uint8_t)space;
    t->m->src[1] = tr_reg(t, data_at, size(t));
}

void translate_ld(struct translator *t) {
    load(t, SPACE_GENERIC, OPC_LD_GENERIC);
    access_order(t, MCOP_CA);
    if (t->gen < SASS_75) {
        plain_address(t, 32, 32);
        return;
    }
    read_condition(t);
    if (t->form == 4 && tr_bit(t, UNIFORM_AT)) {
        tr_ignore(t, WIDE_AT, 1);
        global_address(t, 32, 90, 76);
    } else {
        plain_address(t, 32, 32);
    }
}
void translate_ldg(struct translator *t) {
    load(t, SPACE_GLOBAL, OPC_LD_GLOBAL);
    no_second_result(t);
    access_order(t, MCOP_CA);
    if (t->gen >= SASS_75) {
        read_condition(t);
        tr_ignore(t, 68, 2); // how much of L2's lines to fetch: a hint
    }
    if (t->form == 4) {
        tr_ignore(t, WIDE_AT, 1);
        global_address(t, 32, 90, 76);
    } else {
        plain_address(t, 40, 24);
    }
}
void translate_st(struct translator *t) {
    const bool is_based = t->form == 4;
    store(t, SPACE_GENERIC, OPC_ST_GENERIC, is_based ? 32 : 64);
    access_order(t, MCOP_WB);
    if (is_based) {
        tr_ignore(t, WIDE_AT, 1);
        global_address(t, 64, 90, 76);
    } else {
        plain_address(t, 32, 32);
    }
}
void translate_stg(struct translator *t) {
    store(t, SPACE_GLOBAL, OPC_ST_GLOBAL, 32);
    access_order(t, MCOP_WB);
    if (t->form == 4 && t->gen >= SASS_75) {
        tr_ignore(t, WIDE_AT, 1);
        global_address(t, 64, 90, 76);
    } else {
        plain_address(t, 40, 24);
    }
}
void translate_ldl(struct translator *t) {
    load(t, SPACE_LOCAL, OPC_LD_LOCAL);
    t->m->cop = weak_operator(tr_field(t, EVICT_AT, 3), MCOP_CA);
    if (t->form == 4 && t->gen >= SASS_75)
        local_address(t, 32, false);
    else
        address(t, 1, 40, 24);
}
void translate_stl(struct translator *t) {
    store(t, SPACE_LOCAL, OPC_ST_LOCAL, 32);
    t->m->cop = weak_operator(tr_field(t, EVICT_AT, 3), MCOP_WB);
    if (t->gen >= SASS_75)
        local_address(t, 64, false);
    else
        address(t, 1, 40, 24);
}
void translate_lds(struct translator *t) {
    load(t, SPACE_SHARED, OPC_LD_SHARED);
    tr_ignore(t, 76, 1); // .U: not documented; every load of compiled code has it
    if (t->gen < SASS_75)
        address(t, 1, 40, 24);
    else
        local_address(t, 32, true);
}
void translate_sts(struct translator *t) {
    store(t, SPACE_SHARED, OPC_ST_SHARED, 32);
    t->m->cop = MCOP_WB;
    if (t->gen < SASS_75)
        address(t, 1, 40, 24);
    else
        local_address(t, 64, true);
}

// c[bank][A + offset], whose offset has a sign where a register is. IL, IS and ISL take the bank from the register in ways that are not documented.
void translate_ldc(struct translator *t) {
    enum { RZ = 255 };
    tr_op(t, OP_LDC, OPC_LD_CONST, ITYPE_B32);
    if (tr_field(t, 78, 2)) tr_refuse(t, "indexes banks");
    if (t->gen >= SASS_75 && tr_bit(t, UNIFORM_AT)) tr_refuse(t, "reads a bank by a handle");
    tr_dst(t, size(t));
    t->m->space = SPACE_CONST;
    t->m->sub = (uint8_t)tr_field(t, 54, 5);
    t->m->src[0] = tr_reg(t, 24, 1);
    const uint32_t field = (uint32_t)tr_field(t, 38, 16);
    t->m->offset = tr_field(t, 24, 8) == RZ ? (int32_t)field : (int16_t)field;
}

// ---- atomics ----------------------------------------------------------------------------------
// Types by number; of floats additions alone are known.
static const uint8_t atom_type[] = {ITYPE_U32,   ITYPE_S32, ITYPE_U64, ITYPE_F32,
                                    ITYPE_F16X2, ITYPE_S64, ITYPE_F64, ITYPE_BF16X2};
static const uint8_t atom_type_90[] = {ITYPE_U32, ITYPE_S32, ITYPE_U64, ITYPE_S64, ITYPE_B128};

static uint32_t words_of(const struct minst *m) {
    const uint32_t bits = m->vec * isa_type_bits(m->type);
    return bits > 32 ? bits / 32 : 1;
}
static bool is_float(uint8_t type) {
    return isa_type_is_float(type) || type == ITYPE_F16X2 || type == ITYPE_BF16X2;
}

static void atomic(struct translator *t, enum isa_space space, enum matom op, uint8_t type) {
    tr_op(t, OP_ATOM, space == SPACE_SHARED ? OPC_ATOM_SHARED : OPC_ATOM_GLOBAL, type);
    t->m->space = (uint8_t)space;
    t->m->sub = (uint8_t)op;
    t->m->vec = 1;
    if (op > MATOM_CAST) tr_refuse(t, "is an operation that is not documented");
    const bool is_half = type == ITYPE_F16X2 || type == ITYPE_BF16X2;
    if (is_float(type) && op != MATOM_ADD && !(is_half && (op == MATOM_MIN || op == MATOM_MAX)))
        tr_refuse(t, "is no operation on floats");
    if (type == ITYPE_B128 && op != MATOM_CAS && op != MATOM_EXCH)
        tr_refuse(t, "is no operation on 128 bits");
}
// The old value, and none where it is dropped.
static void old_value(struct translator *t) {
    const struct opnd d = tr_reg(t, 16, words_of(t->m));
    if (d.kind != OPND_ZERO) t->m->dst[0] = d;
}
static void operand(struct translator *t, uint32_t source, uint32_t at) {
    t->m->src[source] = tr_reg(t, at, words_of(t->m));
}
// Atomics happen in L2 whatever their scope, so that order and eviction say nothing more.
static void atomic_order(struct translator *t) {
    if (t->gen < SASS_80)
        tr_ignore(t, PRIVATE_AT, 5);
    else
        tr_ignore(t, ORDER_AT, 4);
    tr_ignore(t, EVICT_AT, 3);
}
static uint8_t type_of(struct translator *t, uint32_t n, const uint8_t *row, uint32_t rows) {
    if (n < rows) return row[n];
    tr_refuse(t, "has a type that is not executed");
    return ITYPE_U32;
}
static uint8_t global_type(struct translator *t) {
    const uint32_t n = tr_field(t, SIZE_AT, 3);
    return t->gen >= SASS_90 ? type_of(t, n, atom_type_90, WW_COUNT(atom_type_90))
                             : type_of(t, n, atom_type, WW_COUNT(atom_type));
}
static void atomic_address(struct translator *t, uint32_t wide_at) {
    if (t->form == 4 && t->gen >= SASS_75) {
        tr_ignore(t, WIDE_AT, 1);
        global_address(t, 64, wide_at, 71);
    } else {
        plain_address(t, 40, 24);
    }
}
// Whether it was done. ptxas asks of generic addresses for what hardware does on global memory
// alone (floats and pairs of words), and does the others in another way.
static void done(struct translator *t) {
    const uint32_t p = tr_field(t, DONE_AT, 3);
    if (p == PRED_TRUE) return;
    const bool is_alone =
        t->m->space == SPACE_GENERIC && (is_float(t->m->type) || words_of(t->m) > 1);
    if (!is_alone) tr_refuse(t, "answers whether it was done");
    t->m->dst[1] = (struct opnd){.kind = OPND_PRED, .reg = p};
}
static void atom(struct translator *t, enum isa_space space) {
    atomic(t, space,
           tr_field(t, ATOM_AT, 4) == MATOM_CAS ? MATOM_CAST + 1 : tr_field(t, ATOM_AT, 4),
           global_type(t));
    atomic_order(t);
    old_value(t);
    atomic_address(t, ATOMIC_WIDE_AT);
    operand(t, 1, 32);
    done(t);
}
void translate_atom(struct translator *t) { atom(t, SPACE_GENERIC); }
void translate_atomg(struct translator *t) { atom(t, SPACE_GLOBAL); }

static void compare_and_swap(struct translator *t, enum isa_space space, uint8_t type) {
    atomic(t, space, MATOM_CAS, type);
    old_value(t);
    operand(t, 1, 32);
    operand(t, 2, 64);
}
static uint8_t swapped_type(struct translator *t, uint32_t n) {
    enum { BITS_64 = 2, BITS_128 = 4 };
    if (t->gen >= SASS_90 && n == BITS_128) return ITYPE_B128;
    return type_of(t, n, atom_type, BITS_64 + 1);
}
static void cas(struct translator *t, enum isa_space space) {
    compare_and_swap(t, space, swapped_type(t, tr_field(t, SIZE_AT, 3)));
    atomic_order(t);
    plain_address(t, 40, 24);
    done(t);
}
// From 9.0 on as for shared memory, in whose place such code has it for another block's.
void translate_atom_cas(struct translator *t) {
    enum { PLAIN, CAST, CAST_SPIN = 3 };
    const uint32_t kind = tr_field(t, ATOM_AT, t->gen >= SASS_90 ? 2 : 1);
    cas(t, SPACE_GENERIC);
    if (kind == CAST_SPIN || (kind == CAST && t->gen >= SASS_90))
        t->m->sub = MATOM_CAST;
    else if (kind != PLAIN)
        tr_refuse(t, "answers what is not documented");
}
void translate_atomg_cas(struct translator *t) { cas(t, SPACE_GLOBAL); }
void translate_red(struct translator *t) {
    atomic(t, SPACE_GLOBAL, tr_field(t, ATOM_AT, 3), global_type(t));
    atomic_order(t);
    if (t->form == 4 && t->gen < SASS_75)
        plain_address(t, 40, 24);
    else
        atomic_address(t, REDUCTION_WIDE_AT);
    operand(t, 1, 32);
}
// Of floats, from 9.0 on.
static void atomic_float(struct translator *t) {
    enum { ADD, MIN = 2, MAX = 4 };
    // Types, and how many of each; single precision without .FTZ (12 to 14) was seen in no code.
    static const uint8_t type[16] = {ITYPE_F16X2,  ITYPE_F16X2,  ITYPE_F16X2,
                                     ITYPE_BF16X2, ITYPE_BF16X2, ITYPE_BF16X2,
                                     [9] = ITYPE_F32, [10] = ITYPE_F32, [11] = ITYPE_F32,
                                     [15] = ITYPE_F64};
    static const uint8_t many[16] = {1, 2, 4, 1, 2, 4, [9] = 1, [10] = 2, [11] = 4, [15] = 1};
    const uint32_t n = tr_field(t, SIZE_AT, 4), what = tr_field(t, ATOM_AT, 3);
    const enum matom op = what == MIN ? MATOM_MIN : what == MAX ? MATOM_MAX : MATOM_ADD;
    atomic(t, SPACE_GLOBAL, op, many[n] ? type[n] : ITYPE_F32);
    if (!many[n]) tr_refuse(t, "has a type that is not executed");
    if (what != ADD && what != MIN && what != MAX)
        tr_refuse(t, "is no operation on floats that is executed");
    t->m->vec = many[n] ? many[n] : 1;
    atomic_order(t);
}
static void atom_float(struct translator *t, enum isa_space space) {
    atomic_float(t);
    t->m->space = (uint8_t)space;
    old_value(t);
    atomic_address(t, ATOMIC_WIDE_AT);
    operand(t, 1, 32);
    done(t);
}
void translate_atom_float(struct translator *t) { atom_float(t, SPACE_GENERIC); }
void translate_atomg_float(struct translator *t) { atom_float(t, SPACE_GLOBAL); }
void translate_red_float(struct translator *t) {
    atomic_float(t);
    atomic_address(t, REDUCTION_WIDE_AT);
    operand(t, 1, 32);
}

static uint8_t shared_type(struct translator *t) {
    const uint32_t n = tr_field(t, SIZE_AT, t->gen >= SASS_90 ? 3 : 2);
    return swapped_type(t, n);
}
// One arrival a lane; the old barrier is the answer.
static void arrive(struct translator *t) {
    atomic(t, SPACE_SHARED, MATOM_ADD, ITYPE_B64);
    t->m->sub = MATOM_ARRIVE;
    tr_ignore(t, SIZE_AT, 3);
    old_value(t);
    t->m->src[1] = tr_imm(1, 2);
    local_address(t, 64, true);
}
// POPC.INC: each lane adds 1. Not documented: the old value that a lane would get.
static void count_lanes(struct translator *t) {
    enum { ARRIVE = 9, POPC_INC = 10, POPC_INC_90 = 11 };
    const uint32_t op = tr_field(t, ATOM_AT, 4);
    if (t->gen >= SASS_80 && t->gen < SASS_90 && op == ARRIVE) {
        arrive(t);
        return;
    }
    if (op != (t->gen >= SASS_90 ? POPC_INC_90 : POPC_INC))
        tr_refuse(t, "arrives at a barrier in memory");
    atomic(t, SPACE_SHARED, MATOM_ADD, ITYPE_U32);
    tr_ignore(t, SIZE_AT, 3);
    old_value(t);
    if (t->m->dst[0].kind != OPND_NONE) tr_refuse(t, "has a result that is not documented");
    t->m->src[1] = tr_imm(1, 1);
    local_address(t, 64, true);
}
void translate_atoms(struct translator *t) {
    if (t->form == 7) {
        count_lanes(t);
        return;
    }
    const uint32_t op = tr_field(t, ATOM_AT, 4);
    atomic(t, SPACE_SHARED, op > MATOM_EXCH ? MATOM_CAST + 1 : op, shared_type(t));
    old_value(t);
    operand(t, 1, 32);
    if (t->gen < SASS_75)
        address(t, 1, 40, 24);
    else if (t->form == 4)
        local_address(t, 64, true);
    else {
        address(t, 1, 40, 24);
        t->m->src[0].mods |=
            (uint8_t)((tr_field(t, 78, 2) ? tr_field(t, 78, 2) + 1 : 0) << OPND_SCALE_AT);
    }
}
// CAST answers 1 where it stored and else 0; SPIN lets it fail without cause, which ours never does.
void translate_atoms_cas(struct translator *t) {
    enum { PLAIN, CAST, CAST_SPIN = 3 };
    const uint32_t kind = tr_field(t, ATOM_AT, 2);
    compare_and_swap(t, SPACE_SHARED, shared_type(t));
    if (kind != PLAIN) t->m->sub = MATOM_CAST;
    address(t, 1, 40, 24);
    if (t->gen >= SASS_75)
        t->m->src[0].mods |=
            (uint8_t)((tr_field(t, 78, 2) ? tr_field(t, 78, 2) + 1 : 0) << OPND_SCALE_AT);
}

// ---- spaces, fences, caches -------------------------------------------------------------------
void translate_qspc(struct translator *t) {
    enum { OF_CLUSTER = 3 };
    static const uint8_t space[] = {SPACE_GLOBAL, SPACE_LOCAL, SPACE_SHARED, SPACE_SHARED};
    const uint32_t n = tr_field(t, 73, 2);
    tr_op(t, OP_ISSPACE, OPC_INT_CMP, ITYPE_U64);
    t->m->space = space[n];
    if (n == OF_CLUSTER) t->m->sub = MCVTA_CLUSTER;
    if (tr_reg(t, 16, 1).kind != OPND_ZERO) tr_refuse(t, "has a result that is not documented");
    t->m->dst[0] = tr_pred(t, DONE_AT);
    if (t->form != 4) {
        plain_address(t, 40, 24);
        return;
    }
    global_address(t, 32, REDUCTION_WIDE_AT, 0);
    tr_ignore(t, WIDE_AT, 1);
    if (t->m->src[3].kind == OPND_NONE) return;
    if (t->m->src[0].kind != OPND_ZERO) tr_refuse(t, "adds a uniform register");
    t->m->src[0] = t->m->src[3];
    t->m->src[3] = tr_none();
}

// ---- stores that a barrier of their block counts ----------------------------------------------
// A pair of registers has the addresses of the data and of the barrier, both of shared memory.
static void counted_store(struct translator *t, uint32_t wide_at, uint32_t words) {
    tr_op(t, OP_STAS, OPC_ST_SHARED, words == 1 ? ITYPE_B32 : ITYPE_B64);
    t->m->space = SPACE_SHARED;
    global_address(t, 64, wide_at, 0);
    if (t->m->src[3].kind == OPND_ZERO) t->m->src[3] = tr_none(); // URZ
    const struct opnd both = t->m->src[0];
    if (t->m->src[3].kind == OPND_ZERO) t->m->src[3] = tr_none(); // URZ
    if (t->m->src[3].kind != OPND_NONE || both.kind != OPND_GPR || both.words != 2) {
        tr_refuse(t, "has an address that is not documented");
        return;
    }
    t->m->src[0].words = 1;
    t->m->src[2] = t->m->src[0];
    t->m->src[2].reg++;
    t->m->src[1] = tr_reg(t, 32, words);
}
void translate_stas(struct translator *t) {
    enum { WORD = 4, LONGEST = 6 };
    const uint32_t n = tr_field(t, SIZE_AT, 3);
    if (n < WORD || n > LONGEST) {
        tr_refuse(t, "has a size that is not documented");
        return;
    }
    counted_store(t, REDUCTION_WIDE_AT, 1u << (n - WORD));
    t->m->type = ITYPE_B32;
    t->m->vec = (uint8_t)(1u << (n - WORD));
    t->m->sub = MSTAS_STORE;
}
void translate_redas(struct translator *t) {
    enum { UNSIGNED, SIGNED, WIDE };
    static const uint8_t type[] = {ITYPE_U32, ITYPE_S32, ITYPE_U64};
    static const uint8_t op[] = {MATOM_ADD, MATOM_MIN, MATOM_MAX, MATOM_INC,
                                 MATOM_DEC, MATOM_AND, MATOM_OR,  MATOM_XOR};
    const uint32_t n = tr_field(t, SIZE_AT, 3), what = tr_field(t, ATOM_AT, 4);
    if (n > WIDE || what >= WW_COUNT(op)) {
        tr_refuse(t, "is an operation that is not documented");
        return;
    }
    counted_store(t, WIDE_AT, n == WIDE ? 2 : 1);
    t->m->type = type[n];
    t->m->vec = 1;
    t->m->sub = op[what];
}

// .VC: no manual names the scope. ptxas -g writes it in front of each EXIT and nowhere else, where
// nothing of the thread is left to be ordered; it is taken for a fence of the GPU. A fence without a
// kind, which cuBLASLt's hand-made kernels have (MEMBAR.GPU, Maxwell's name of membar.gl), is taken
// for the strongest: what that allows any weaker one allows too.
void translate_membar(struct translator *t) {
    enum { SC, ALL, NO_KIND, SCOPE_VC = 5 };
    static const uint8_t fence[] = {MFENCE_CTA, MFENCE_CTA, MFENCE_GPU,
                                    MFENCE_SYS, [SCOPE_VC] = MFENCE_GPU};
    const uint32_t kind = tr_field(t, 79, 2), scope = tr_field(t, 76, 3);
    tr_op(t, OP_MEMBAR, OPC_FENCE, ITYPE_NONE);
    if (kind > NO_KIND || scope >= WW_COUNT(fence) || scope == SCOPE_VC - 1) {
        tr_refuse(t, "is a fence that is not documented");
        return;
    }
    t->m->sub = fence[scope];
    t->m->flags |= kind == ALL ? MF_ACQUIRE | MF_RELEASE : MF_SC;
}
// Errors of memory are there when an access faults, so that there are none to wait for.
void translate_errbar(struct translator *t) { tr_op(t, OP_NOP, OPC_CTRL, ITYPE_NONE); }

void translate_cctl(struct translator *t) {
    enum { PREFETCH_1, PREFETCH_2, ALL_LINES = 4, ALL_LINES_P = 6, ALL_LINES_LAST = 8, PREFETCH_LAST,
           DEMOTE_2, REMOVE_2 };
    const uint32_t what = tr_field(t, 87, 4), cache = tr_field(t, 78, 2); // 0: L1
    tr_op(t, OP_CCTL, OPC_FENCE, ITYPE_B32);
    t->m->sub = (what == ALL_LINES || what == ALL_LINES_P) && !cache;
    if (what == ALL_LINES || (what >= ALL_LINES_P && what <= ALL_LINES_LAST)) return;
    t->m->space = SPACE_GENERIC;
    plain_address(t, 32, 32);
    static const uint8_t sub[16] = {
        [PREFETCH_1] = MPREFETCH_L1,     [PREFETCH_2] = MPREFETCH_L2, [PREFETCH_LAST] = MPREFETCH_L2_LAST,
        [DEMOTE_2] = MPREFETCH_DEMOTE, [REMOVE_2] = MPREFETCH_DISCARD};
    if (!sub[what]) return;
    t->m->op = OP_PREFETCH;
    t->m->sub = sub[what];
}
// Of local memory: caches hold no data here.
void translate_cctll(struct translator *t) {
    tr_op(t, OP_CCTL, OPC_FENCE, ITYPE_B32);
    t->m->space = SPACE_LOCAL;
    tr_ignore(t, 87, 4);
    if (t->form == 4) {
        address(t, 1, 40, 24);
        return;
    }
    tr_ignore(t, 24, 16);
    tr_ignore(t, 40, 24);
    tr_ignore(t, UNIFORM_AT, 1);
}

// ---- copies into shared memory ----------------------------------------------------------------
// The uniform register: in form 6 a word beside the destination, in form 7 a pair beside the source,
// unless it describes memory: then it holds the policy of L2.
static void copy_base(struct translator *t, bool is_described) {
    const bool is_of_source = t->form == 7;
    if (is_of_source && is_described) {
        t->m->src[MINST_POLICY] = tr_ureg(t, 64, 2);
        return;
    }
    const struct opnd u = tr_ureg(t, 64, is_of_source ? 2 : 1);
    if (u.kind != OPND_UGPR) return;
    t->m->src[3] = u;
    if (is_of_source) t->m->sub |= MCOPY_FROM_BASE;
}
// Lanes for which the predicate is false store zeros. With ZFILL the source's distance from a
// multiple of the size says how many bytes at the end are zero: ptxas adds size - n for n bytes.
void translate_ldgsts(struct translator *t) {
    enum { TO_AT = 44, TO_BITS = 20, FROM_AT = 32, FROM_BITS = 12, WORD = 4, LONGEST = 6 };
    enum { BYPASS_NOT = 81, ZERO_FILL = 82, SOURCE_WIDE = 70, DESCRIBED = 76, CONSTANT = 4 };
    struct minst *const m = t->m;
    tr_op(t, OP_CPASYNC, OPC_LD_GLOBAL, ITYPE_B32);
    m->space = SPACE_SHARED;
    const uint32_t size = tr_field(t, SIZE_AT, 3);
    if (size < WORD || size > LONGEST) tr_refuse(t, "has a size that is not documented");
    m->aux = (uint16_t)(1u << (size & 7) >> 2);
    m->cop = tr_bit(t, BYPASS_NOT) ? MCOP_CA : MCOP_CG;
    m->sub = tr_bit(t, ZERO_FILL) ? MCOPY_ZERO_FILL : 0;
    tr_ignore(t, EVICT_AT, 3);
    tr_ignore(t, 71, 2); // how much of L2's lines to fetch: a hint
    // CONSTANT: nothing writes what is read, so that no path of the copy is less true than another.
    const uint32_t order = tr_field(t, ORDER_AT, 4);
    if (order && order != CONSTANT) tr_refuse(t, "has an order that is not documented");
    const int64_t to = (int32_t)(tr_field(t, TO_AT, TO_BITS) << (32 - TO_BITS)) >> (32 - TO_BITS);
    const int64_t from =
        (int32_t)(tr_field(t, FROM_AT, FROM_BITS) << (32 - FROM_BITS)) >> (32 - FROM_BITS);
    m->offset = (int64_t)((uint64_t)from << 32 | (uint32_t)to);
    m->src[0] = tr_reg(t, 16, 1);
    m->src[1] = tr_reg(t, 24, tr_bit(t, SOURCE_WIDE) ? 2 : 1);
    copy_base(t, tr_bit(t, DESCRIBED));
    tr_ignore(t, UNIFORM_AT, 1);
    tr_ignore(t, 101, 1); // whether a disassembler prints the descriptor
    const struct opnd reads = tr_pred_not(t, 87);
    if (reads.reg == PRED_TRUE && !reads.mods) return;
    m->src[2] = reads; // that of the record ignores the source
    m->src[2].mods ^= OPND_NOT;
}
void translate_ldgdepbar(struct translator *t) { tr_op(t, OP_CPCOMMIT, OPC_FENCE, ITYPE_NONE); }
