// Instructions against the rules of PTX: types an opcode has, modifiers it needs, operands it
// takes. Sizes must agree except where data is loaded, stored or converted; signed and unsigned
// are one kind, bits agree with everything of their size, floating point with nothing else.
// Where the manual is silent this does as the vendor's assembler of CUDA 13 does.
#include "ptx/ptx_parser.h"

typedef uint64_t type_set;
_Static_assert(PTX_TYPE_N <= 64, "a type_set is one word");

#define SET(t) ((type_set)1 << PTX_##t)
#define INT16  (SET(U16) | SET(S16))
#define INT32  (SET(U32) | SET(S32))
#define INT64  (SET(U64) | SET(S64))
#define INT    (INT16 | INT32 | INT64)
#define PACKED (SET(U16X2) | SET(S16X2))
#define HALF   (SET(F16) | SET(F16X2) | SET(BF16) | SET(BF16X2))
#define F32_64 (SET(F32) | SET(F64))
#define FLOAT  (HALF | F32_64)
#define NARROW (SET(F16) | SET(BF16)) // of a source that add, sub or fma widens to .f32
#define BITS   (SET(B16) | SET(B32) | SET(B64))
#define B32_64 (SET(B32) | SET(B64))
#define MEMORY (BITS | INT | FLOAT | SET(B8) | SET(U8) | SET(S8))
#define ANY    (~(type_set)0)

static const struct signature {
    bool known;
    uint8_t least, most;
    type_set first, second;
    const char *operands;
} signatures[PTX_OP_N] = {
#define PTX_SIG(op, least, most, first, second, operands)                                          \
    [PTX_OP_##op] = {true, least, most, first, second, operands},
#include "ptx/ptx_sigs.def"
#undef PTX_SIG
};

static const struct {
    uint16_t op;
    uint16_t mod;
    const char *why;
} refused[] = {
#define PTX_REFUSE(op, mod, why) {PTX_OP_##op, PTX_MOD_##mod, why},
#include "ptx/ptx_refused.def"
#undef PTX_REFUSE
};

static const struct {
    uint16_t op, mod;
    uint8_t n_types, n_operands, target;
    type_set first;
    const char *what;
} later[] = {
#define PTX_LATER(op, first, n_types, n_operands, mod, target, what)                               \
    {PTX_OP_##op, PTX_MOD_##mod, n_types, n_operands, target, first, what},
#include "ptx/ptx_later.def"
#undef PTX_LATER
};

// Modifier sets end in PTX_MOD_other, which no supported instruction has.
#define M(mod) PTX_MOD_##mod
static const struct {
    uint16_t op;
    char when;
    const char *missing;
    uint16_t mods[28];
} needs[] = {
#define PTX_NEED(op, when, missing, ...) {PTX_OP_##op, when, missing, {__VA_ARGS__}},
#include "ptx/ptx_needs.def"
#undef PTX_NEED
};
static const uint16_t allowed[PTX_OP_N][64] = {
#define PTX_ALLOW(op, ...) [PTX_OP_##op] = {__VA_ARGS__},
#include "ptx/ptx_allow.def"
#undef PTX_ALLOW
};
_Static_assert(PTX_MOD_other == 0, "lists of modifiers end in zero");

// ---- words for messages -------------------------------------------------------------

static const char *mnemonic(struct ptx_parser *p, const struct ptx_reading *r) {
    return ptx_show(p, r->text, r->text_len);
}

const char *ptx_describe(struct ptx_parser *p, const struct ptx_operand *o) {
    const struct ptx_reg *reg = o->kind == PTX_OPERAND_REG ? &p->body.regs.at[o->reg] : NULL;
    switch (o->kind) {
    case PTX_OPERAND_REG:
        if (reg->elements > 1 && o->component < 0)
            return arena_printf(&p->temp, "register `%s` of type .v%u .%s", reg->name,
                                reg->elements, ptx_type_text(reg->type));
        return arena_printf(&p->temp, "register `%s` of type .%s", reg->name,
                            ptx_type_text(reg->type));
    case PTX_OPERAND_INT: return arena_printf(&p->temp, "the integer %lld", (long long)o->imm);
    case PTX_OPERAND_FLOAT: return "a floating-point constant";
    case PTX_OPERAND_SREG:
        return arena_printf(&p->temp, "special register `%s` of type .%s",
                            ptx_sreg_text((enum ptx_sreg)o->sreg),
                            ptx_type_text(ptx_sreg_type((enum ptx_sreg)o->sreg)));
    case PTX_OPERAND_VAR: return arena_printf(&p->temp, "the variable `%s`", o->var->name);
    case PTX_OPERAND_FUNC:
        return arena_printf(&p->temp, "the function `%s`", p->funcs.at[o->func]->name);
    case PTX_OPERAND_LABEL: return "a label";
    case PTX_OPERAND_ADDRESS: return "an address in brackets";
    case PTX_OPERAND_VECTOR: return arena_printf(&p->temp, "a vector of %u", o->n);
    case PTX_OPERAND_SINK: return "`_`";
    case PTX_OPERAND_PROTO: return "a prototype";
    case PTX_OPERAND_TARGETS: return "a list of targets";
    default: {
        const struct ptx_pending *n = &p->body.pending.at[o->label];
        return ptx_show(p, n->name, n->len);
    }
    }
}

static bool mismatch(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                     const struct ptx_operand *o, const char *expected) {
    if (o->kind == PTX_OPERAND_PENDING)
        return ptx_fail(p, r->places[index].line, r->places[index].col,
                        "%s is not declared; operand %u of %s expects %s", ptx_describe(p, o),
                        index + 1, mnemonic(p, r), expected);
    return ptx_fail(p, r->places[index].line, r->places[index].col,
                    "operand %u of %s is %s; expected %s", index + 1, mnemonic(p, r),
                    ptx_describe(p, o), expected);
}

static bool fail_inst(struct ptx_parser *p, const struct ptx_reading *r, const char *problem) {
    return ptx_fail(p, r->inst.loc.line, r->inst.loc.col, "%s %s", mnemonic(p, r), problem);
}

static bool miscounted(struct ptx_parser *p, const struct ptx_reading *r, const char *what,
                       unsigned lo, unsigned hi, unsigned found) {
    char range[32];
    if (lo == hi)
        snprintf(range, sizeof range, "%u", lo);
    else
        snprintf(range, sizeof range, "%u to %u", lo, hi);
    return ptx_fail(p, r->inst.loc.line, r->inst.loc.col, "%s takes %s %s%s, found %u",
                    mnemonic(p, r), range, what, lo == 1 && hi == 1 ? "" : "s", found);
}

// ---- one value against one type -------------------------------------------------------

enum role { DEST, SOURCE };
enum width { EXACT, WIDER };

// What a register's type says of its bits. Of two halves it says no more than .u32 does.
static char register_class(enum ptx_type t) { return t == PTX_F16X2 ? 'u' : ptx_type_class(t); }

// A register's type and an instruction's, of one size.
static bool same_kind(enum ptx_type x, enum ptx_type y) {
    const char a = register_class(x), b = ptx_type_class(y);
    if (a == 'b' || b == 'b') return a != 'p' && b != 'p';
    const bool integers = (a == 'u' || a == 's') && (b == 'u' || b == 's');
    return integers || x == y;
}

static bool fits(enum ptx_type reg, enum ptx_type want, unsigned bits, enum width width) {
    const unsigned have = ptx_type_bits(reg);
    const char a = register_class(reg), b = ptx_type_class(want);
    if (have == bits) return same_kind(reg, want);
    if (width == EXACT || have < bits) return false;
    // A wider register holds the value in its low part; a wider float would be another number.
    return a != 'p' && b != 'p' && (a == 'b' || b == 'b' || (a != 'f' && b != 'f'));
}

static const char *wanted(struct ptx_parser *p, enum ptx_type type, unsigned bits, enum width w,
                          enum role role) {
    const bool constants = role == SOURCE && type != PTX_F32X2;
    const char *what = constants ? "a register or constant" : "a register";
    if (ptx_type_class(type) == 'p') return role == DEST ? "a .pred register" : "a predicate";
    return arena_printf(&p->temp, "%s of %u bits%s that agrees with .%s", what, bits,
                        w == WIDER ? " or more" : "", ptx_type_text(type));
}

static bool constant_fits(const struct ptx_operand *o, enum ptx_type type, unsigned bits) {
    const char class = ptx_type_class(type);
    if (o->kind == PTX_OPERAND_INT) return class != 'f';
    if (class == 'f') return type != PTX_F32X2;             // no constant is two
    return class == 'b' && bits == (o->is_f32 ? 32u : 64u); // 0f... as a bit pattern
}

static bool sreg_fits(const struct ptx_operand *o, enum ptx_type type, unsigned bits) {
    const enum ptx_type have = ptx_sreg_type((enum ptx_sreg)o->sreg);
    const char a = ptx_type_class(have), b = ptx_type_class(type);
    const unsigned n = ptx_type_bits(have);
    if ((a == 'p') != (b == 'p') || b == 'f') return false;
    return n == bits || (n == 32 && bits == 16) || o->sreg == PTX_SREG_gridid;
}

// Whether a result may be thrown away as `_`: of lop3 and match only where p of `_|p` is kept.
static bool takes_sink(const struct ptx_inst *i, const struct ptx_operand *o) {
    if (i->op == PTX_OP_lop3 || i->op == PTX_OP_match) return o->reg2 >= 0;
    return i->op == PTX_OP_atom || i->op == PTX_OP_elect;
}

static bool value(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                  const struct ptx_operand *o, enum ptx_type type, unsigned bits, enum width width,
                  enum role role) {
    bool ok = false;
    switch (o->kind) {
    case PTX_OPERAND_REG: {
        const struct ptx_reg *reg = &p->body.regs.at[o->reg];
        ok = (reg->elements == 1 || o->component >= 0) && fits(reg->type, type, bits, width);
        break;
    }
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT: ok = role == SOURCE && constant_fits(o, type, bits); break;
    case PTX_OPERAND_SREG:
        ok = role == SOURCE && (r->inst.op == PTX_OP_mov || r->inst.op == PTX_OP_cvt);
        if (!ok)
            return mismatch(p, r, index, o,
                            "an ordinary register: read special ones with mov or cvt first");
        ok = sreg_fits(o, type, bits);
        break;
    case PTX_OPERAND_SINK: ok = role == DEST && takes_sink(&r->inst, o); break;
    default: break;
    }
    if (!ok && role == SOURCE && o->kind == PTX_OPERAND_INT)
        return mismatch(p, r, index, o, "a floating-point constant such as 1.0 or 0f3F800000");
    if (!ok) return mismatch(p, r, index, o, wanted(p, type, bits, width, role));
    if (o->neg && r->inst.op != PTX_OP_vmad)
        return mismatch(p, r, index, o, "one without `-`, which only vmad negates");
    if (o->not &&(ptx_type_class(type) != 'p' || role == DEST))
        return mismatch(p, r, index, o, "one without `!`, which only predicates take");
    return true;
}

static bool exact(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                  enum ptx_type type, enum role role) {
    return value(p, r, index, &r->ops[index], type, ptx_type_bits(type), EXACT, role);
}

// A value, or as many as .v2 and .v4 say.
static bool values(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                   enum ptx_type type, enum width width, enum role role) {
    const struct ptx_operand *o = &r->ops[index];
    const unsigned n = r->inst.vector, bits = ptx_type_bits(type);
    if (n == 1) return value(p, r, index, o, type, bits, width, role);
    if (o->kind != PTX_OPERAND_VECTOR || o->n != n)
        return mismatch(p, r, index, o, arena_printf(&p->temp, "a vector of %u", n));
    for (unsigned i = 0; i < n; i++) {
        if (o->list[i].kind == PTX_OPERAND_SINK && role == DEST) continue;
        if (!value(p, r, index, &o->list[i], type, bits, width, role)) return false;
    }
    return true;
}

// ---- addresses ------------------------------------------------------------------------

static const char *space_name(enum ptx_space s) {
    static const char *const names[] = {"generic", ".reg",   ".sreg",   ".const", ".global",
                                        ".local",  ".param", ".shared", ".tex"};
    return names[s];
}

static bool reads_space(unsigned op) {
    return op == PTX_OP_ld || op == PTX_OP_ldu || op == PTX_OP_st || op == PTX_OP_atom ||
           op == PTX_OP_red;
}

static bool wrong_space(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                        enum ptx_space expected) {
    const struct ptx_var *v = r->ops[index].var;
    return ptx_fail(p, r->places[index].line, r->places[index].col,
                    "`%s` is a %s variable; %s expects a %s one", v->name, space_name(v->space),
                    mnemonic(p, r), space_name(expected));
}

static bool address_in(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                       enum ptx_space space) {
    const struct ptx_operand *o = &r->ops[index];
    if (o->kind == PTX_OPERAND_PENDING && p->body.pending.at[o->label].is_address) return true;
    if (o->kind != PTX_OPERAND_ADDRESS) return mismatch(p, r, index, o, "an address in brackets");
    if (o->reg >= 0) {
        const struct ptx_reg *reg = &p->body.regs.at[o->reg];
        const unsigned bits = ptx_type_bits(reg->type);
        const char class = ptx_type_class(reg->type);
        if ((bits != 32 && bits != 64) || class == 'f' || class == 'p' ||
            (reg->elements > 1 && o->component < 0))
            return ptx_fail(p, r->places[index].line, r->places[index].col,
                            "the address is in register `%s` of type .%s; expected an integer of "
                            "32 or 64 bits",
                            reg->name, ptx_type_text(reg->type));
        p->wide_base |= bits == 64;
    }
    if (o->var && space != PTX_SPACE_NONE && o->var->space != space)
        return wrong_space(p, r, index, space);
    if (o->var && space == PTX_SPACE_NONE && o->var->space == PTX_SPACE_PARAM &&
        reads_space(r->inst.op))
        return ptx_fail(p, r->places[index].line, r->places[index].col,
                        "`%s` is a .param variable; write `%s.param`", o->var->name,
                        ptx_op_text((enum ptx_op)r->inst.op));
    return true;
}

static bool is_parameter(const struct ptx_func *f, const struct ptx_var *v) {
    for (uint32_t k = 0; k < f->n_params; k++)
        if (f->params[k] == v) return true;
    return false;
}

static bool address(struct ptx_parser *p, const struct ptx_reading *r, unsigned index) {
    const struct ptx_operand *o = &r->ops[index];
    if (r->inst.op == PTX_OP_st && o->var && p->body.func->is_entry &&
        is_parameter(p->body.func, o->var))
        return ptx_fail(p, r->places[index].line, r->places[index].col,
                        "`%s` is a parameter of this kernel and cannot be written", o->var->name);
    const bool checked = reads_space(r->inst.op);
    if (checked && o->n) return mismatch(p, r, index, o, "an address without coordinates");
    return address_in(p, r, index, checked ? (enum ptx_space)r->inst.space : PTX_SPACE_NONE);
}

// A name or a register whose value is an address.
static bool address_value(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                          enum ptx_type type) {
    const struct ptx_operand *o = &r->ops[index];
    const unsigned bits = ptx_type_bits(type);
    const bool is_name =
        o->kind == PTX_OPERAND_VAR || o->kind == PTX_OPERAND_FUNC || o->kind == PTX_OPERAND_PENDING;
    if (!is_name) return exact(p, r, index, type, SOURCE);
    if ((bits == 32 || bits == 64) && ptx_type_class(type) != 'f') return true;
    return mismatch(p, r, index, o, wanted(p, type, bits, EXACT, SOURCE));
}

// ---- instructions with rules of their own -----------------------------------------------

// mov.b64 {a,b}, c and back: the elements share the bits of the whole.
static bool pack(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                 enum ptx_type type, enum role role) {
    const struct ptx_operand *o = &r->ops[index];
    const unsigned bits = ptx_type_bits(type);
    if (ptx_type_class(type) != 'b' || (o->n != 2 && o->n != 4) || bits / o->n < 8)
        return mismatch(p, r, index, o,
                        "two or four elements, and a type such as .b64, to pack or unpack");
    const enum ptx_type element = bits / o->n == 64   ? PTX_B64
                                  : bits / o->n == 32 ? PTX_B32
                                  : bits / o->n == 16 ? PTX_B16
                                                      : PTX_B8;
    for (unsigned i = 0; i < o->n; i++) {
        if (o->list[i].kind == PTX_OPERAND_SINK && role == DEST) continue;
        if (!value(p, r, index, &o->list[i], element, bits / o->n, EXACT, role)) return false;
        if (o->list[i].kind == PTX_OPERAND_SREG &&
            ptx_type_bits(ptx_sreg_type((enum ptx_sreg)o->list[i].sreg)) != bits / o->n)
            return mismatch(p, r, index, &o->list[i], wanted(p, element, bits / o->n, EXACT, role));
    }
    return true;
}

static bool check_mov(struct ptx_parser *p, const struct ptx_reading *r) {
    const enum ptx_type type = (enum ptx_type)r->inst.types[0];
    if (r->inst.vector > 1)
        return values(p, r, 0, type, EXACT, DEST) && values(p, r, 1, type, EXACT, SOURCE);
    const bool unpack = r->ops[0].kind == PTX_OPERAND_VECTOR;
    if (unpack ? !pack(p, r, 0, type, DEST) : !exact(p, r, 0, type, DEST)) return false;
    if (unpack && r->ops[1].kind == PTX_OPERAND_VECTOR)
        return mismatch(p, r, 1, &r->ops[1], "one value to unpack, or .v2 or .v4");
    if (r->ops[1].kind == PTX_OPERAND_VECTOR) return pack(p, r, 1, type, SOURCE);
    return address_value(p, r, 1, type);
}

static bool needs_rounding(const struct ptx_parser *p, const struct ptx_inst *i) {
    const char to = ptx_type_class((enum ptx_type)i->types[0]);
    const char from = ptx_type_class((enum ptx_type)i->types[1]);
    if (p->m->version < 14) return false;
    if (to == 'f' && from != 'f') return true;
    return to == 'f' && from == 'f' &&
           ptx_type_bits((enum ptx_type)i->types[0]) < ptx_type_bits((enum ptx_type)i->types[1]);
}

static bool cvt_operand(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                        enum ptx_type type, enum role role) {
    return value(p, r, index, &r->ops[index], type, ptx_type_bits(type), WIDER, role);
}

static bool check_cvt(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    const enum ptx_type to = (enum ptx_type)i->types[0], from = (enum ptx_type)i->types[1];
    const bool is_pack = ptx_has(i, PTX_MOD_pack);
    if (is_pack) {
        if (i->n_operands < 3) return miscounted(p, r, "operand", 3, 4, i->n_operands);
        return exact(p, r, 0, PTX_U32, DEST) && exact(p, r, 1, from, SOURCE) &&
               exact(p, r, 2, from, SOURCE) &&
               (i->n_operands < 4 || exact(p, r, 3, PTX_B32, SOURCE));
    }
    const bool two = ptx_type_bits(to) >= 16 && strstr(ptx_type_text(to), "x2") &&
                     !strstr(ptx_type_text(from), "x2");
    const unsigned want = two ? 3 : 2;
    if (i->n_operands != want) return miscounted(p, r, "operand", want, want, i->n_operands);
    if (ptx_type_class(to) == 'p' || ptx_type_class(from) == 'p' || ptx_type_class(to) == 'o' ||
        ptx_type_class(from) == 'o')
        return fail_inst(p, r, "cannot convert these types");
    const bool integer = ptx_has(i, PTX_MOD_rni) || ptx_has(i, PTX_MOD_rzi) ||
                         ptx_has(i, PTX_MOD_rmi) || ptx_has(i, PTX_MOD_rpi);
    const bool real = ptx_has(i, PTX_MOD_rn) || ptx_has(i, PTX_MOD_rz) || ptx_has(i, PTX_MOD_rm) ||
                      ptx_has(i, PTX_MOD_rp) || ptx_has(i, PTX_MOD_rna);
    if (ptx_type_class(to) != 'f' && ptx_type_class(from) == 'f' && ptx_type_class(to) != 'b' &&
        !integer && p->m->version >= 14)
        return fail_inst(p, r, "needs a rounding to an integer such as .rzi");
    if (needs_rounding(p, i) && !real) return fail_inst(p, r, "needs a rounding such as .rn");
    if (!cvt_operand(p, r, 0, to, DEST) || !cvt_operand(p, r, 1, from, SOURCE)) return false;
    return !two || cvt_operand(p, r, 2, from, SOURCE);
}

// bar.sync a{, b}; bar.arrive a, b; bar.red d, a{, b}, p; bar.warp.sync mask; barrier.cluster
static bool check_bar(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    unsigned at = 0, last = i->n_operands;
    unsigned least = 1, most = 2;
    if (ptx_has(i, PTX_MOD_cluster)) {
        if (ptx_has(i, PTX_MOD_arrive) == ptx_has(i, PTX_MOD_wait))
            return fail_inst(p, r, "needs .arrive or .wait");
        return !last || miscounted(p, r, "operand", 0, 0, last);
    }
    if (ptx_has(i, PTX_MOD_wait)) return fail_inst(p, r, "has `.wait`, which needs .cluster");
    if (ptx_has(i, PTX_MOD_arrive)) least = 2;
    if (ptx_has(i, PTX_MOD_warp)) most = 1;
    if (ptx_has(i, PTX_MOD_red)) least = 3, most = 4;
    if (last < least || last > most) return miscounted(p, r, "operand", least, most, last);
    if (ptx_has(i, PTX_MOD_red)) {
        const bool counts = ptx_has(i, PTX_MOD_popc);
        if (!exact(p, r, at++, counts ? PTX_U32 : PTX_PRED, DEST)) return false;
        if (!exact(p, r, --last, PTX_PRED, SOURCE)) return false;
    }
    for (; at < last; at++)
        if (!exact(p, r, at, PTX_B32, SOURCE)) return false;
    return true;
}

// ---- bulk copies
// Dimensions of a tensor that an instruction names.
static unsigned tensor_rank(const struct ptx_inst *i) {
    static const uint16_t ranks[] = {PTX_MOD_g1d, PTX_MOD_g2d, PTX_MOD_g3d, PTX_MOD_g4d, PTX_MOD_g5d};
    for (unsigned k = 0; k < WW_COUNT(ranks); k++)
        if (ptx_has(i, (enum ptx_mod)ranks[k])) return k + 1;
    return 0;
}
// [map, {coordinates}]
static bool tensor_address(struct ptx_parser *p, const struct ptx_reading *r, unsigned index) {
    const struct ptx_operand *o = &r->ops[index];
    if (!address(p, r, index)) return false;
    const unsigned want = tensor_rank(&r->inst), have = o->n == 1 ? o->list[0].n : 0;
    if (have != want)
        return ptx_fail(p, r->places[index].line, r->places[index].col,
                        "%s needs %u coordinates, found %u", mnemonic(p, r), want, have);
    for (unsigned k = 0; k < have; k++)
        if (!value(p, r, index, &o->list[0].list[k], PTX_S32, 32, EXACT, SOURCE)) return false;
    return true;
}
static bool has_offsets(const struct ptx_inst *i) { return ptx_has(i, PTX_MOD_im2col); }
// What stands behind the addresses: offsets of im2col, a mask of blocks, a policy.
static bool bulk_rest(struct ptx_parser *p, const struct ptx_reading *r, unsigned at) {
    const struct ptx_inst *i = &r->inst;
    const bool offsets = has_offsets(i), mask = ptx_has(i, PTX_MOD_multicast),
               policy = ptx_has(i, PTX_MOD_L2_cache_hint);
    const unsigned want = at + offsets + mask + policy;
    if (i->n_operands != want) return miscounted(p, r, "operand", want, want, i->n_operands);
    if (offsets) {
        const struct ptx_operand *o = &r->ops[at++];
        const unsigned n = tensor_rank(i) - 2;
        if (o->kind != PTX_OPERAND_VECTOR || o->n != n)
            return mismatch(p, r, at - 1, o, "an offset for each dimension between channels and images");
        for (unsigned k = 0; k < n; k++)
            if (!value(p, r, at - 1, &o->list[k], PTX_U16, 16, EXACT, SOURCE)) return false;
    }
    if (mask && !exact(p, r, at++, PTX_U16, SOURCE)) return false;
    return !policy || exact(p, r, at, PTX_B64, SOURCE);
}
static bool check_bulk(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    const bool waits = ptx_has(i, PTX_MOD_wait_group);
    if (waits || ptx_has(i, PTX_MOD_commit_group)) {
        if (i->n_operands != waits) return miscounted(p, r, "operand", waits, waits, i->n_operands);
        return !waits || r->ops[0].kind == PTX_OPERAND_INT ||
               mismatch(p, r, 0, &r->ops[0], "an integer constant");
    }
    const bool counted = ptx_has(i, PTX_MOD_counted), tensor = ptx_has(i, PTX_MOD_tensor);
    const bool prefetches = ptx_has(i, PTX_MOD_prefetch), reduces = ptx_has(i, PTX_MOD_reduce);
    if (!prefetches && counted == ptx_has(i, PTX_MOD_bulk_group))
        return fail_inst(p, r, "needs either .mbarrier::complete_tx::bytes or .bulk_group");
    if (tensor && tensor_rank(i) == 0) return fail_inst(p, r, "needs a rank, .1d to .5d");
    const unsigned im2col = ptx_has(i, PTX_MOD_im2col) || ptx_has(i, PTX_MOD_im2col_no_offs);
    if (im2col && tensor_rank(i) < 3) return fail_inst(p, r, "has .im2col, which needs a rank of 3 or more");
    if (!tensor && reduces != (i->n_types == 1))
        return miscounted(p, r, "type", reduces, reduces, i->n_types);
    const unsigned least = prefetches ? (tensor ? 1 : 2) : (tensor ? 2 : 3) + counted * 1u;
    if (i->n_operands < least) return miscounted(p, r, "operand", least, least + 2, i->n_operands);
    if (tensor) {
        if (prefetches) return tensor_address(p, r, 0) && bulk_rest(p, r, 1);
        return tensor_address(p, r, counted ? 1 : 0) && address(p, r, counted ? 0 : 1) &&
               (!counted || address(p, r, 2)) && bulk_rest(p, r, counted ? 3 : 2);
    }
    if (prefetches) return address(p, r, 0) && exact(p, r, 1, PTX_U32, SOURCE) && bulk_rest(p, r, 2);
    return address(p, r, 0) && address(p, r, 1) && exact(p, r, 2, PTX_U32, SOURCE) &&
           (!counted || address(p, r, 3)) && bulk_rest(p, r, counted ? 4 : 3);
}

// tensormap.replace [map], {dimension,} value; tensormap.cp_fenceproxy [to], [from], 128
static bool check_tensormap(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    if (ptx_has(i, PTX_MOD_cp_fenceproxy)) {
        if (i->n_operands != 3) return miscounted(p, r, "operand", 3, 3, i->n_operands);
        return address(p, r, 0) && address(p, r, 1) &&
               ((r->ops[2].kind == PTX_OPERAND_INT && r->ops[2].imm == 128) ||
                mismatch(p, r, 2, &r->ops[2], "128, the size of a map"));
    }
    const bool indexed = ptx_has(i, PTX_MOD_box_dim) || ptx_has(i, PTX_MOD_global_dim) ||
                         ptx_has(i, PTX_MOD_global_stride) || ptx_has(i, PTX_MOD_element_stride);
    const bool wide = ptx_has(i, PTX_MOD_global_address) || ptx_has(i, PTX_MOD_global_stride);
    const unsigned want = 2u + indexed;
    if (i->n_types != 1) return miscounted(p, r, "type", 1, 1, i->n_types);
    if (i->n_operands != want) return miscounted(p, r, "operand", want, want, i->n_operands);
    if ((i->types[0] == PTX_B64) != wide)
        return fail_inst(p, r, "needs .b64 for addresses and strides, .b32 for other fields");
    const int64_t most = ptx_has(i, PTX_MOD_global_stride) ? 3 : 4;
    if (indexed && (r->ops[1].kind != PTX_OPERAND_INT || r->ops[1].imm < 0 || r->ops[1].imm > most))
        return mismatch(p, r, 1, &r->ops[1], "the number of a dimension");
    const bool literal = ptx_has(i, PTX_MOD_elemtype) || ptx_has(i, PTX_MOD_interleave_layout) ||
                         ptx_has(i, PTX_MOD_swizzle_mode) || ptx_has(i, PTX_MOD_fill_mode);
    if (literal && r->ops[1].kind != PTX_OPERAND_INT)
        return mismatch(p, r, 1, &r->ops[1], "an integer constant");
    return address(p, r, 0) && exact(p, r, want - 1, wide ? PTX_B64 : PTX_B32, SOURCE);
}
// fence.proxy.tensormap::generic.acquire.scope [map], 128 has operands, other fences have none.
static bool check_fence(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    const unsigned want =
        ptx_has(i, PTX_MOD_tensormap_generic) && ptx_has(i, PTX_MOD_acquire) ? 2 : 0;
    if (i->n_operands != want) return miscounted(p, r, "operand", want, want, i->n_operands);
    return want == 0 || address(p, r, 0);
}

static bool check_cp(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    if (ptx_has(i, PTX_MOD_bulk)) return check_bulk(p, r);
    if (ptx_has(i, PTX_MOD_reduce)) return fail_inst(p, r, "needs .bulk");
    if (ptx_has(i, PTX_MOD_mbarrier)) {
        if (!i->n_types) return miscounted(p, r, "type", 1, 1, 0);
        if (i->n_operands != 1) return miscounted(p, r, "operand", 1, 1, i->n_operands);
        return address(p, r, 0);
    }
    if (i->n_types) return miscounted(p, r, "type", 0, 0, i->n_types);
    const bool waits = ptx_has(i, PTX_MOD_wait_group);
    if (waits || ptx_has(i, PTX_MOD_commit_group) || ptx_has(i, PTX_MOD_wait_all)) {
        if (i->n_operands != (waits ? 1 : 0))
            return miscounted(p, r, "operand", waits, waits, i->n_operands);
        return !waits || r->ops[0].kind == PTX_OPERAND_INT ||
               mismatch(p, r, 0, &r->ops[0], "an integer constant");
    }
    if (i->n_operands < 3) return miscounted(p, r, "operand", 3, 5, i->n_operands);
    if (!address_in(p, r, 0, PTX_SPACE_SHARED) || !address_in(p, r, 1, PTX_SPACE_GLOBAL))
        return false;
    const struct ptx_operand *size = &r->ops[2];
    if (size->kind != PTX_OPERAND_INT || (size->imm != 4 && size->imm != 8 && size->imm != 16))
        return mismatch(p, r, 2, size, "4, 8 or 16 bytes");
    if (ptx_has(i, PTX_MOD_cg) && size->imm != 16)
        return mismatch(p, r, 2, size, "16 bytes, the one size of .cg");
    return true;
}

// init [b], n; inval [b]; expect_tx, complete_tx [b], n; arrive, arrive_drop state, [b]{, n};
// test_wait, try_wait p, [b], state or parity{, time}; pending_count n, state
static bool check_mbarrier(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    const bool inval = ptx_has(i, PTX_MOD_inval);
    const bool arrives = ptx_has(i, PTX_MOD_arrive) || ptx_has(i, PTX_MOD_arrive_drop);
    const bool tries = ptx_has(i, PTX_MOD_try_wait);
    if (ptx_has(i, PTX_MOD_pending_count)) {
        if (i->n_operands != 2) return miscounted(p, r, "operand", 2, 2, i->n_operands);
        return exact(p, r, 0, PTX_U32, DEST) && exact(p, r, 1, PTX_B64, SOURCE);
    }
    if (tries || ptx_has(i, PTX_MOD_test_wait)) {
        if (i->n_operands < 3 || i->n_operands > (tries ? 4 : 3))
            return miscounted(p, r, "operand", 3, tries ? 4 : 3, i->n_operands);
        return exact(p, r, 0, PTX_PRED, DEST) && address(p, r, 1) &&
               exact(p, r, 2, ptx_has(i, PTX_MOD_parity) ? PTX_U32 : PTX_B64, SOURCE) &&
               (i->n_operands < 4 || exact(p, r, 3, PTX_U32, SOURCE));
    }
    if (arrives) {
        const bool counts = ptx_has(i, PTX_MOD_noComplete) || ptx_has(i, PTX_MOD_expect_tx);
        if (i->n_operands < 2u + counts || i->n_operands > 3)
            return miscounted(p, r, "operand", 2u + counts, 3, i->n_operands);
        return (r->ops[0].kind == PTX_OPERAND_SINK || exact(p, r, 0, PTX_B64, DEST)) &&
               address(p, r, 1) && (i->n_operands < 3 || exact(p, r, 2, PTX_U32, SOURCE));
    }
    const unsigned want = inval ? 1 : 2;
    if (i->n_operands != want) return miscounted(p, r, "operand", want, want, i->n_operands);
    return address(p, r, 0) && (want == 1 || exact(p, r, 1, PTX_U32, SOURCE));
}

// Coordinates that a geometry has; three are usually written as four, with one to spare.
static unsigned coordinates(const struct ptx_inst *i) {
    static const struct {
        uint16_t mod;
        uint8_t n;
    } table[] = {{PTX_MOD_g1d, 1},   {PTX_MOD_g2d, 2},   {PTX_MOD_g3d, 3},
                 {PTX_MOD_a1d, 2},   {PTX_MOD_a2d, 3},   {PTX_MOD_cube, 3},
                 {PTX_MOD_acube, 4}, {PTX_MOD_g2dms, 3}, {PTX_MOD_a2dms, 4}};
    for (unsigned k = 0; k < WW_COUNT(table); k++)
        if (ptx_has(i, (enum ptx_mod)table[k].mod)) return table[k].n;
    return 0;
}

static bool texture_address(struct ptx_parser *p, const struct ptx_reading *r, unsigned index) {
    const struct ptx_operand *o = &r->ops[index];
    if (!address_in(p, r, index, PTX_SPACE_NONE)) return false;
    const unsigned want = coordinates(&r->inst);
    if (!o->n || o->list[o->n - 1].n < want)
        return ptx_fail(p, r->places[index].line, r->places[index].col,
                        "%s needs %u coordinates, found %u", mnemonic(p, r), want,
                        o->n ? o->list[o->n - 1].n : 0);
    const struct ptx_operand *c = &o->list[o->n - 1];
    for (unsigned k = 0; k < c->n; k++)
        if (!value(p, r, index, &c->list[k],
                   c->list[k].kind == PTX_OPERAND_FLOAT ? PTX_F32 : PTX_B32, 32, EXACT, SOURCE))
            return false;
    return true;
}

static bool check_tex(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    const enum ptx_type type = (enum ptx_type)i->types[0];
    // Texels of 32 bits are bits to whatever register takes them.
    return values(p, r, 0, type == PTX_F16 ? type : PTX_B32, EXACT, DEST) &&
           texture_address(p, r, 1);
}

static bool check_atom(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    const bool cas = ptx_has(i, PTX_MOD_cas), hint = ptx_has(i, PTX_MOD_L2_cache_hint);
    const unsigned want = 3u + cas + hint;
    if (i->n_operands != want) return miscounted(p, r, "operand", want, want, i->n_operands);
    if (cas && !exact(p, r, 3, (enum ptx_type)i->types[0], SOURCE)) return false;
    return !hint || exact(p, r, want - 1, PTX_B64, SOURCE);
}

// cvta.space of a variable's name: the variable is in that space.
static bool check_cvta(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_operand *o = &r->ops[1];
    const enum ptx_space want = (enum ptx_space)r->inst.space;
    if (!address_value(p, r, 1, (enum ptx_type)r->inst.types[0])) return false;
    return o->kind != PTX_OPERAND_VAR || o->var->space == want || wrong_space(p, r, 1, want);
}

// mapa d, a, rank; getctarank d, a: an address of shared memory, or a generic one.
static bool check_mapped(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_operand *o = &r->ops[1];
    if (!address_value(p, r, 1, (enum ptx_type)r->inst.types[0])) return false;
    return o->kind != PTX_OPERAND_VAR || o->var->space == PTX_SPACE_SHARED ||
           wrong_space(p, r, 1, PTX_SPACE_SHARED);
}

// st.async, red.async: [a], b, [barrier].
static bool check_async(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    if (i->n_operands != 3) return miscounted(p, r, "operand", 3, 3, i->n_operands);
    if (!ptx_has(i, PTX_MOD_counted))
        return fail_inst(p, r, "needs .mbarrier::complete_tx::bytes");
    return ptx_type_bits((enum ptx_type)i->types[0]) >= 32 ||
           fail_inst(p, r, "needs a type of 32 or 64 bits");
}

static bool check_isspacep(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_operand *o = &r->ops[1];
    const unsigned bits =
        o->kind == PTX_OPERAND_REG ? ptx_type_bits(p->body.regs.at[o->reg].type) : 64;
    return address_value(p, r, 1, bits == 32 ? PTX_B32 : PTX_B64);
}

// alloca d, size{, alignment}
static bool check_alloca(struct ptx_parser *p, const struct ptx_reading *r) {
    enum { MOST = 1 << 23 }; // PTX ISA, alloca
    if (r->inst.n_operands < 3) return true;
    const int64_t align = r->ops[2].imm;
    return (align > 0 && align <= MOST && !(align & (align - 1))) ||
           mismatch(p, r, 2, &r->ops[2], "an alignment: a power of two up to 8388608 bytes");
}

// The registers of a matrix: a list of n.
static bool fragment(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                     enum ptx_type type, unsigned n, enum role role) {
    const struct ptx_operand *o = &r->ops[index];
    if (o->kind != PTX_OPERAND_VECTOR || o->n != n)
        return (n == 1 && o->kind == PTX_OPERAND_REG && exact(p, r, index, type, role)) ||
               mismatch(p, r, index, o,
                        arena_printf(&p->temp, "a list of %u register%s", n, text_plural(n)));
    for (unsigned k = 0; k < n; k++) {
        if (o->list[k].kind != PTX_OPERAND_REG)
            return mismatch(p, r, index, &o->list[k], "a register");
        if (!value(p, r, index, &o->list[k], type, ptx_type_bits(type), EXACT, role)) return false;
    }
    return true;
}
static bool matrix(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                   enum ptx_mma_role which, enum role role) {
    const enum ptx_type t = ptx_mma_type(&r->inst, which);
    return fragment(p, r, index, t == PTX_F32 || t == PTX_F64 ? t : PTX_B32,
                    ptx_mma_regs(ptx_mma_find(&r->inst), which, t), role);
}

// wmma.load d, [p]{, stride}; wmma.store [p], d{, stride}; wmma.mma and mma d, a, b, c
static bool check_mma(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    const struct ptx_mma *m = ptx_mma_find(i);
    const bool store = ptx_has(i, PTX_MOD_store);
    if (!m) return fail_inst(p, r, "is no shape, types and layouts that matrices have together");
    if (i->op == PTX_OP_mma || !(store || ptx_has(i, PTX_MOD_load))) {
        const unsigned want = m->is_sparse ? 6 : 4;
        if (i->n_operands != want) return miscounted(p, r, "operand", want, want, i->n_operands);
        if (m->is_sparse && !exact(p, r, 4, PTX_B32, SOURCE)) return false;
        if (m->is_sparse && (r->ops[5].kind != PTX_OPERAND_INT || r->ops[5].imm < 0 || r->ops[5].imm > 3))
            return mismatch(p, r, 5, &r->ops[5], "0, 1, 2 or 3");
        return matrix(p, r, 0, PTX_MMA_D, DEST) && matrix(p, r, 1, PTX_MMA_A, SOURCE) &&
               matrix(p, r, 2, PTX_MMA_B, SOURCE) && matrix(p, r, 3, PTX_MMA_C, SOURCE);
    }
    if (i->n_operands > 3) return miscounted(p, r, "operand", 2, 3, i->n_operands);
    return matrix(p, r, store, ptx_mma_role(i), store ? SOURCE : DEST) &&
           address_in(p, r, !store, (enum ptx_space)i->space) &&
           (i->n_operands < 3 || exact(p, r, 2, PTX_U32, SOURCE));
}

// wgmma.fence; wgmma.commit_group; wgmma.wait_group n; wgmma.mma_async d, a, b, ...
static bool check_wgmma(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    if (!ptx_has(i, PTX_MOD_mma_async)) {
        const unsigned want = ptx_has(i, PTX_MOD_wait_group);
        if (i->n_operands != want) return miscounted(p, r, "operand", want, want, i->n_operands);
        return !want || r->ops[0].kind == PTX_OPERAND_INT ||
               mismatch(p, r, 0, &r->ops[0], "an integer constant");
    }
    struct ptx_wgmma f;
    if (i->n_operands < 4) return miscounted(p, r, "operand", 4, 10, i->n_operands);
    if (!ptx_wgmma_form(i, r->ops, &f))
        return fail_inst(p, r, "is no shape and types that matrices of a warp group have together");
    if (i->n_operands != f.n_operands)
        return miscounted(p, r, "operand", f.n_operands, f.n_operands, i->n_operands);
    const enum ptx_type sums = f.type_d == PTX_F32 ? PTX_F32 : PTX_B32;
    if (!fragment(p, r, 0, sums, f.regs_d, DEST)) return false;
    if (!(f.a_is_matrix_in_memory ? exact(p, r, 1, PTX_B64, SOURCE)
                                  : fragment(p, r, 1, PTX_B32, 4, SOURCE)))
        return false;
    if (!exact(p, r, 2, PTX_B64, SOURCE)) return false;
    if (f.meta >= 0 && !exact(p, r, (unsigned)f.meta, PTX_B32, SOURCE)) return false;
    const struct ptx_operand *const scale = &r->ops[f.scale_d];
    if (scale->kind != PTX_OPERAND_INT && !exact(p, r, (unsigned)f.scale_d, PTX_PRED, SOURCE))
        return false;
    static const char *const wanted[] = {"0 or 1", "1 or -1", "1 or -1", "0 or 1", "0 or 1"};
    const int8_t literal[] = {f.selector, f.scale_a, f.scale_b, f.trans_a, f.trans_b};
    for (unsigned k = 0; k < WW_COUNT(literal); k++) {
        const int8_t at = literal[k];
        if (at < 0) continue;
        const struct ptx_operand *const o = &r->ops[at];
        const bool is_sign = k == 1 || k == 2;
        if (o->kind != PTX_OPERAND_INT || o->imm > 1 || o->imm < (is_sign ? -1 : 0) ||
            (is_sign && o->imm == 0))
            return mismatch(p, r, (unsigned)at, o, wanted[k]);
    }
    return true;
}

// What a row of letters cannot say. True when there is nothing to say.
static bool special(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    switch ((enum ptx_op)i->op) {
    case PTX_OP_mov: return check_mov(p, r);
    case PTX_OP_cvt: return check_cvt(p, r);
    case PTX_OP_cvta: return check_cvta(p, r);
    case PTX_OP_isspacep: return check_isspacep(p, r);
    case PTX_OP_mapa:
    case PTX_OP_getctarank: return check_mapped(p, r);
    case PTX_OP_alloca: return check_alloca(p, r);
    case PTX_OP_stackrestore:
        return r->ops[0].kind == PTX_OPERAND_REG ||
               mismatch(p, r, 0, &r->ops[0], "a register that stacksave has written");
    case PTX_OP_bar:
    case PTX_OP_barrier: return check_bar(p, r);
    case PTX_OP_cp: return check_cp(p, r);
    case PTX_OP_mbarrier: return check_mbarrier(p, r);
    case PTX_OP_tensormap: return check_tensormap(p, r);
    case PTX_OP_fence: return check_fence(p, r);
    case PTX_OP_tex:
    case PTX_OP_tld4: return check_tex(p, r);
    case PTX_OP_suld: return texture_address(p, r, 1);
    case PTX_OP_sust:
    case PTX_OP_sured: return texture_address(p, r, 0);
    case PTX_OP_atom: return check_atom(p, r);
    case PTX_OP_ld:
    case PTX_OP_st:
    case PTX_OP_red:
        if (ptx_has(i, PTX_MOD_async)) return check_async(p, r);
        if (i->n_operands == 3 && !ptx_has(i, PTX_MOD_L2_cache_hint))
            return fail_inst(p, r, "has a cache policy but no .L2::cache_hint");
        return true;
    case PTX_OP_wmma:
    case PTX_OP_mma: return check_mma(p, r);
    case PTX_OP_wgmma: return check_wgmma(p, r);
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix: {
        const bool loads = i->op == PTX_OP_ldmatrix;
        const unsigned n = ptx_has(i, PTX_MOD_x4) ? 4 : ptx_has(i, PTX_MOD_x2) ? 2 : 1;
        return fragment(p, r, !loads, PTX_B32, n, loads ? DEST : SOURCE);
    }
    default: return true;
    }
}

// ---- the general rules ------------------------------------------------------------------

static enum ptx_type widened(const struct ptx_inst *i) {
    const enum ptx_type t = (enum ptx_type)i->types[0];
    if (!ptx_has(i, PTX_MOD_wide)) return t;
    switch (t) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return t;
    }
}

static bool operand(struct ptx_parser *p, const struct ptx_reading *r, unsigned index,
                    char letter) {
    const struct ptx_inst *i = &r->inst;
    const struct ptx_operand *o = &r->ops[index];
    const enum ptx_type first = (enum ptx_type)i->types[0];
    switch (letter) {
    case 'D': return exact(p, r, index, first, DEST);
    case 'W': return exact(p, r, index, widened(i), DEST);
    case 'w': return exact(p, r, index, widened(i), SOURCE);
    case '0': return exact(p, r, index, first, SOURCE);
    case '1': return exact(p, r, index, (enum ptx_type)i->types[1], SOURCE);
    case 'U': return exact(p, r, index, PTX_U32, DEST);
    case 'n':
        if (i->n_types < 2) return exact(p, r, index, first, SOURCE);
        return o->kind == PTX_OPERAND_REG ? exact(p, r, index, (enum ptx_type)i->types[1], SOURCE)
                                          : mismatch(p, r, index, o, "a register to be widened");
    case 'u': return exact(p, r, index, PTX_U32, SOURCE);
    case 'P':
        if (o->kind == PTX_OPERAND_SINK && o->reg2 >= 0) return true;
        return exact(p, r, index, PTX_PRED, DEST);
    case 'p': return exact(p, r, index, PTX_PRED, SOURCE);
    case 'R': return values(p, r, index, first, WIDER, DEST);
    case 's':
        // A function's address may be stored as it is.
        if (o->kind == PTX_OPERAND_FUNC || o->kind == PTX_OPERAND_PENDING)
            return address_value(p, r, index, first);
        return values(p, r, index, first, WIDER, SOURCE);
    case 'V': return values(p, r, index, first, EXACT, DEST);
    case 'v': return values(p, r, index, first, EXACT, SOURCE);
    case 'l': return exact(p, r, index, PTX_B64, SOURCE);
    case 'i': return o->kind == PTX_OPERAND_INT || mismatch(p, r, index, o, "an integer constant");
    case 'a': return address(p, r, index);
    case 'L': return o->kind == PTX_OPERAND_PENDING || mismatch(p, r, index, o, "a label");
    case 'T':
        return o->kind == PTX_OPERAND_TARGETS || o->kind == PTX_OPERAND_PENDING ||
               mismatch(p, r, index, o, "a list of branch targets");
    default: return true;
    }
}

static bool takes_second_half(const struct ptx_inst *i) {
    switch ((enum ptx_op)i->op) {
    case PTX_OP_setp:
    case PTX_OP_shfl:
    case PTX_OP_elect:
    case PTX_OP_tex:
    case PTX_OP_tld4: return true;
    case PTX_OP_match: return ptx_has(i, PTX_MOD_all);
    case PTX_OP_lop3: return ptx_has(i, PTX_MOD_and) || ptx_has(i, PTX_MOD_or);
    default: return false;
    }
}

// Where a modifier decides whether the last operand is there.
static void count_of_form(const struct ptx_inst *i, unsigned *lo, unsigned *hi) {
    const bool boolean =
        ptx_has(i, PTX_MOD_and) || ptx_has(i, PTX_MOD_or) || ptx_has(i, PTX_MOD_xor);
    bool last;
    switch ((enum ptx_op)i->op) {
    case PTX_OP_shfl:
    case PTX_OP_vote: last = ptx_has(i, PTX_MOD_sync); break;
    case PTX_OP_set:
    case PTX_OP_setp:
    case PTX_OP_lop3: last = boolean; break;
    default: return;
    }
    *lo = *hi = last ? *hi : *lo;
}

static bool check_operands(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    const char *letters = signatures[i->op].operands;
    unsigned lo, hi;
    ptx_op_operands((enum ptx_op)i->op, &lo, &hi);
    count_of_form(i, &lo, &hi);
    if (i->n_operands < lo || i->n_operands > hi)
        return miscounted(p, r, "operand", lo, hi, i->n_operands);
    for (unsigned k = 0; k < i->n_operands; k++) {
        const bool is_barrier = k == 2 && ptx_has(i, PTX_MOD_async) && i->op != PTX_OP_cp;
        if (letters[k] && !operand(p, r, k, is_barrier ? 'a' : letters[k])) return false;
        if (r->ops[k].reg2 >= 0 && (k > 0 || !takes_second_half(i)))
            return mismatch(p, r, k, &r->ops[k], "one without `|`");
    }
    return special(p, r);
}

static bool has_type(const struct ptx_inst *i, unsigned k, type_set set) {
    return k >= i->n_types || (set >> i->types[k] & 1);
}

static bool check_types(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    const struct signature *s = &signatures[i->op];
    if (i->n_types < s->least || i->n_types > s->most)
        return miscounted(p, r, "type", s->least, s->most, i->n_types);
    for (unsigned k = 0; k < i->n_types; k++)
        if (!has_type(i, k, k ? s->second : s->first))
            return ptx_fail(p, i->loc.line, i->loc.col, "`%s` has no form with type .%s",
                            ptx_op_text((enum ptx_op)i->op),
                            ptx_type_text((enum ptx_type)i->types[k]));
    return true;
}

static bool applies(const struct ptx_parser *p, const struct ptx_inst *i, char when) {
    const enum ptx_type t = (enum ptx_type)i->types[0];
    const bool f = t == PTX_F32 || t == PTX_F64 || t == PTX_F32X2;
    switch (when) {
    case 'i': return INT >> t & 1;
    case 'f': return f && p->m->version >= 14;
    case 's': return t == PTX_F32 && p->m->version >= 14;
    case 'm':
        if (t == PTX_F64) return p->m->version >= 14;
        return f && p->m->version >= 32 && p->m->target >= 20;
    case 'h': return HALF >> t & 1;
    default: return true;
    }
}

static bool check_needs(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    for (unsigned k = 0; k < WW_COUNT(needs); k++) {
        if (needs[k].op != i->op || !applies(p, i, needs[k].when)) continue;
        bool found = false;
        for (const uint16_t *m = needs[k].mods; *m && !found; m++)
            found = ptx_has(i, (enum ptx_mod) * m);
        if (!found)
            return ptx_fail(p, i->loc.line, i->loc.col, "%s needs %s", mnemonic(p, r),
                            needs[k].missing);
    }
    return true;
}

// add.f32.f16 and the like: .f32 alone, neither flushed nor cut; and two .f32 are not clamped.
static bool check_widening(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    if (i->types[0] == PTX_F32X2)
        return !ptx_has(i, PTX_MOD_sat) || fail_inst(p, r, "has `.sat`, which needs another type");
    if (signatures[i->op].second != NARROW || i->n_types < 2) return true;
    if (i->types[0] != PTX_F32) return fail_inst(p, r, "has a second type, which needs .f32 first");
    return (!ptx_has(i, PTX_MOD_ftz) && !ptx_has(i, PTX_MOD_relu)) ||
           fail_inst(p, r, "has `.ftz` or `.relu`, which need a single type");
}

// Modifiers that only some types have.
static bool check_fit(struct ptx_parser *p, const struct ptx_reading *r) {
    static const struct {
        const char *what;
        uint16_t ops[3];
        type_set types;
        uint16_t mods[9]; // ends in PTX_MOD_other
    } table[] = {
        {"a 16- or 32-bit integer type", {PTX_OP_mul, PTX_OP_mad}, INT16 | INT32, {M(wide)}},
        {"an integer type", {PTX_OP_mul, PTX_OP_mad}, INT, {M(lo), M(hi)}},
        {"a floating-point type",
         {PTX_OP_set, PTX_OP_setp},
         FLOAT,
         {M(equ), M(neu), M(ltu), M(leu), M(gtu), M(geu), M(num), M(nan)}},
        {"an unsigned type",
         {PTX_OP_set, PTX_OP_setp},
         SET(U16) | SET(U32) | SET(U64),
         {M(lo), M(ls), M(hi), M(hs)}},
        {"a type that has an order, not mere bits",
         {PTX_OP_set, PTX_OP_setp},
         INT | FLOAT,
         {M(lt), M(le), M(gt), M(ge)}},
    };
    const struct ptx_inst *i = &r->inst;
    if (!i->n_types) return true;
    if (!check_widening(p, r)) return false;
    for (unsigned k = 0; k < WW_COUNT(table); k++) {
        if (i->op != table[k].ops[0] && i->op != table[k].ops[1]) continue;
        if (table[k].types >> i->types[i->n_types - 1] & 1) continue;
        for (const uint16_t *m = table[k].mods; *m; m++)
            if (ptx_has(i, (enum ptx_mod) * m))
                return ptx_fail(p, i->loc.line, i->loc.col, "%s: `.%s` needs %s", mnemonic(p, r),
                                ptx_mod_text((enum ptx_mod) * m), table[k].what);
    }
    // The approximate f64 reciprocals are made in single precision.
    bool small = !ptx_has(i, PTX_MOD_ftz) || i->op == PTX_OP_rcp || i->op == PTX_OP_rsqrt;
    const type_set flushed = SET(F32) | SET(F32X2) | HALF;
    for (unsigned k = 0; k < i->n_types; k++) small |= flushed >> i->types[k] & 1;
    return small || fail_inst(p, r, "has `.ftz`, which needs .f32 or a half type");
}

static bool is_allowed(const struct ptx_inst *i, uint16_t mod) {
    const uint16_t *m = allowed[i->op];
    while (*m && *m != mod) m++;
    return *m == mod;
}
static bool check_allowed(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    for (unsigned k = 0; k < i->n_mods; k++)
        if (!is_allowed(i, i->mods[k]))
            return ptx_fail(p, i->loc.line, i->loc.col, "`%s` has no modifier `.%s`",
                            ptx_op_text((enum ptx_op)i->op),
                            ptx_mod_text((enum ptx_mod)i->mods[k]));
    return true;
}

static bool check_target(struct ptx_parser *p, const struct ptx_reading *r) {
    const struct ptx_inst *i = &r->inst;
    for (unsigned k = 0; k < WW_COUNT(later); k++) {
        if (later[k].op != i->op || p->m->target >= later[k].target) continue;
        if (i->n_types < later[k].n_types || i->n_operands < later[k].n_operands) continue;
        if (i->n_types && !(later[k].first >> i->types[0] & 1)) continue;
        if (later[k].mod != PTX_MOD_other && !ptx_has(i, (enum ptx_mod)later[k].mod)) continue;
        return ptx_refuse(p, i->loc.line, i->loc.col,
                          "%s is not supported: %s compute capability %u.%u (Blackwell), and the "
                          "module's target is sm_%u",
                          mnemonic(p, r), later[k].what, later[k].target / 10u,
                          later[k].target % 10u, p->m->target);
    }
    return true;
}

bool ptx_check_inst(struct ptx_parser *p, const struct ptx_reading *r) {
    if (!check_allowed(p, r)) return false;
    if (r->inst.op == PTX_OP_call) return true; // against its function, when all are known
    return check_types(p, r) && check_needs(p, r) && check_fit(p, r) && check_operands(p, r) &&
           check_target(p, r);
}

const char *ptx_refused_form(const struct ptx_inst *i) {
    if (ptx_op_is_refused((enum ptx_op)i->op)) return ptx_op_prose((enum ptx_op)i->op);
    for (unsigned k = 0; k < WW_COUNT(refused); k++)
        if (refused[k].op == i->op && ptx_has(i, (enum ptx_mod)refused[k].mod))
            return refused[k].why;
    return NULL;
}

bool ptx_check_refused(struct ptx_parser *p, const struct ptx_reading *r) {
    const char *why = ptx_refused_form(&r->inst);
    if (!why) return false;
    ptx_refuse(p, r->inst.loc.line, r->inst.loc.col, "%s is not supported: %s", mnemonic(p, r),
               why);
    return true;
}
