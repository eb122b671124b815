// Memory: loads, stores, atomics, fences, address conversion.
//
// Order. PTX's strong accesses (volatile, relaxed, acquire, release) bypass what is not coherent:
// at a scope beyond the block they are cached in L2 only. An acquire is the access and then a fence
// of its scope; a release is the fence first; both for acq_rel. The fence carries MF_ACQUIRE,
// _RELEASE or _SC, so that who times it may let it wait for less than everything.
#include "code/lower_priv.h"
#include "isa/policy.h"

// Largest offset in an instruction: 24 bits and sign (Fermi and Kepler).
enum { MAX_OFFSET = 1 << 23 };

static const uint8_t ld_class[] = {
    [SPACE_GENERIC] = OPC_LD_GENERIC, [SPACE_CONST] = OPC_LD_CONST, [SPACE_GLOBAL] = OPC_LD_GLOBAL,
    [SPACE_LOCAL] = OPC_LD_LOCAL,     [SPACE_PARAM] = OPC_LD_CONST, [SPACE_SHARED] = OPC_LD_SHARED,
    [SPACE_TEX] = OPC_LD_GLOBAL};
static const uint8_t st_class[] = {[SPACE_GENERIC] = OPC_ST_GENERIC,
                                   [SPACE_GLOBAL] = OPC_ST_GLOBAL,
                                   [SPACE_LOCAL] = OPC_ST_LOCAL,
                                   [SPACE_SHARED] = OPC_ST_SHARED,
                                   [SPACE_TEX] = OPC_ST_GLOBAL};

// ---- addresses ----------------------------------------------------------------------------

static bool takes_wide(enum isa_space s) { return s == SPACE_GENERIC || s == SPACE_GLOBAL; }

static struct lower_addr variable_address(struct lower *l, const struct ptx_operand *o) {
    const struct lower_var *const v = lower_var(l, o->var);
    const int64_t at = (int64_t)v->value + o->imm;
    struct lower_addr a = {.offset = at};
    switch ((enum lower_home)v->home) {
    case HOME_GLOBAL:
    case HOME_HANDLE:
        a.space = SPACE_GLOBAL;
        a.base = lower_in_reg(l, l->addr64 ? opnd_imm64((uint64_t)at) : opnd_imm((uint64_t)at));
        a.offset = 0;
        break;
    case HOME_CONST:
    case HOME_C0:
        a.space = v->home == HOME_CONST ? SPACE_CONST : SPACE_PARAM;
        a.direct = true;
        a.in = opnd_const(v->home == HOME_CONST ? CB_USER : CB_LAUNCH, (uint64_t)at, 4);
        break;
    case HOME_SHARED: a.space = SPACE_SHARED; break;
    case HOME_FRAME: return lower_frame_at(l, FRAME_OWN, at);
    case HOME_OUT: return lower_frame_at(l, FRAME_CALLEE, at);
    case HOME_KERNEL_FRAME: a.space = SPACE_LOCAL; break;
    case HOME_VREG:
        a.direct = true;
        a.in = opnd_gpr((uint32_t)v->value, l->f->vreg_words.at[v->value]);
        a.in.sub = (uint8_t)((unsigned)o->imm / 4 & 3);
        break;
    }
    return a;
}

// Adds an offset that the instruction cannot hold.
static void fold_offset(struct lower *l, struct lower_addr *a) {
    const bool none_at_all =
        !gen_has(l->gen, TRAIT_GLOBAL_OFFSET) && takes_wide((enum isa_space)a->space);
    const int64_t limit = none_at_all ? 0 : MAX_OFFSET;
    if (a->base.kind != OPND_GPR || a->flags & MF_FRAME ||
        (a->offset >= -limit && a->offset <= limit))
        return;
    const struct opnd t = lower_temp(l, a->base.words);
    if (t.words == 2)
        lower_add64(l, t, a->base, opnd_imm64((uint64_t)a->offset), false, false, false);
    else
        lower_iadd(l, t, a->base, opnd_imm((uint64_t)a->offset), 0);
    a->base = t;
    a->offset = 0;
}

struct lower_addr lower_address(struct lower *l, const struct ptx_operand *o,
                                enum isa_space space) {
    if (o->var && o->reg < 0) {
        struct lower_addr a = variable_address(l, o);
        fold_offset(l, &a);
        return a;
    }
    // Parameters of functions lie in the frame, so their space is local.
    if (space == SPACE_PARAM && !l->f->is_entry) space = SPACE_LOCAL;
    struct lower_addr a = {.space = (uint8_t)space, .offset = o->imm};
    const unsigned words = takes_wide(space) && l->addr64 ? 2 : 1;
    if (o->reg >= 0) {
        struct ptx_operand reg = *o;
        reg.kind = PTX_OPERAND_REG;
        reg.neg = reg.not = false;
        a.base = lower_src(l, &reg, words == 2 ? ITYPE_U64 : ITYPE_U32);
    } else if (takes_wide(space)) {
        a.base =
            lower_in_reg(l, words == 2 ? opnd_imm64((uint64_t)o->imm) : opnd_imm((uint64_t)o->imm));
        a.offset = 0;
    }
    fold_offset(l, &a);
    return a;
}

static void set_address(struct minst *m, const struct lower_addr *a) {
    m->space = a->space;
    m->src[0] = a->base;
    m->offset = a->offset;
    m->flags |= a->flags;
}

// ---- order and caches ---------------------------------------------------------------------

uint8_t lower_scope(const struct ptx_inst *i) {
    if (ptx_has(i, PTX_MOD_cta)) return MFENCE_CTA;
    return ptx_has(i, PTX_MOD_sys) ? MFENCE_SYS : MFENCE_GPU;
}

// Since 7.0 an acquire of a scope beyond the block leaves no line in L1 that could be old; one that is no release is that
// alone (words of ptxas 11.8 and 12.9 for 7.0, 8.0 and 9.0: CCTL.IVALL behind MEMBAR.SC and MEMBAR.ALL, behind a load or
// atomic that acquires, and behind every wait for a cluster's barrier).
void lower_fence(struct lower *l, uint8_t scope, uint32_t flags) {
    const bool drops =
        scope != MFENCE_CTA && flags & (MF_ACQUIRE | MF_SC) && gen_has(l->gen, TRAIT_INDEPENDENT);
    if (!drops || flags != MF_ACQUIRE) {
        struct minst m = lower_new(l, OP_MEMBAR, ITYPE_NONE);
        m.sub = scope;
        m.flags = flags;
        lower_put(l, &m);
    }
    if (!drops) return;
    struct minst m = lower_new(l, OP_CCTL, ITYPE_NONE);
    m.sub = 1;
    m.flags = MF_ACQUIRE;
    lower_put(l, &m);
}

static void fence_before(struct lower *l, const struct ptx_inst *i) {
    if (ptx_has(i, PTX_MOD_release) || ptx_has(i, PTX_MOD_acq_rel))
        lower_fence(l, lower_scope(i), MF_RELEASE);
    if (ptx_has(i, PTX_MOD_sc)) lower_fence(l, lower_scope(i), MF_SC);
}
static void fence_after(struct lower *l, const struct ptx_inst *i) {
    if (ptx_has(i, PTX_MOD_acquire) || ptx_has(i, PTX_MOD_acq_rel) || ptx_has(i, PTX_MOD_sc))
        lower_fence(l, lower_scope(i), MF_ACQUIRE);
}

static uint8_t cache_operator(const struct ptx_inst *i, uint32_t *flags) {
    static const struct {
        uint16_t mod;
        uint8_t cop;
    } table[] = {{PTX_MOD_nc, MCOP_NC}, {PTX_MOD_ca, MCOP_CA}, {PTX_MOD_cg, MCOP_CG},
                 {PTX_MOD_cs, MCOP_CS}, {PTX_MOD_lu, MCOP_LU}, {PTX_MOD_cv, MCOP_CV},
                 {PTX_MOD_wb, MCOP_WB}, {PTX_MOD_wt, MCOP_WT}, {PTX_MOD_L1_no_allocate, MCOP_CG}};
    const bool is_volatile = ptx_has(i, PTX_MOD_volatile) || ptx_has(i, PTX_MOD_mmio);
    const bool strong = is_volatile || ptx_has(i, PTX_MOD_relaxed) || ptx_has(i, PTX_MOD_acquire) ||
                        ptx_has(i, PTX_MOD_release) || ptx_has(i, PTX_MOD_sc);
    if (strong) {
        *flags |= MF_VOLATILE;
        if (!is_volatile) *flags |= MF_STRONG;
        if (is_volatile || lower_scope(i) == MFENCE_SYS) return MCOP_CV;
        return lower_scope(i) == MFENCE_CTA ? MCOP_CA : MCOP_CG;
    }
    for (size_t k = 0; k < WW_COUNT(table); k++)
        if (ptx_has(i, (enum ptx_mod)table[k].mod)) return table[k].cop;
    return i->op == PTX_OP_st || ptx_has(i, PTX_MOD_store) ? MCOP_WB : MCOP_CA;
}

// The policy of an access is its last operand.
struct opnd lower_policy(struct lower *l, const struct ptx_inst *i) {
    if (!ptx_has(i, PTX_MOD_L2_cache_hint) && !ptx_has(i, PTX_MOD_level_cache_hint))
        return (struct opnd){.kind = OPND_NONE};
    return lower_in_reg(l, lower_src(l, &i->operand[i->n_operands - 1], ITYPE_B64));
}

// ---- loads --------------------------------------------------------------------------------

static const struct ptx_operand *element(const struct ptx_operand *o, unsigned k) {
    return o->kind == PTX_OPERAND_VECTOR ? &o->list[k < o->n ? k : o->n - 1] : o;
}

// One access of `vec` elements of type t at a (+ bytes) into d.
static void put_load(struct lower *l, const struct ptx_inst *i, const struct lower_addr *a,
                     unsigned bytes, enum isa_type t, unsigned vec, struct opnd d, uint32_t flags) {
    const bool is_const = a->space == SPACE_CONST || a->space == SPACE_PARAM;
    struct minst m = lower_new(l, is_const ? OP_LDC : OP_LD, t);
    m.klass = ld_class[a->space];
    m.vec = (uint8_t)vec;
    m.flags = flags;
    set_address(&m, a);
    m.offset += bytes;
    m.dst[0] = d;
    if (is_const) {
        m.sub = a->space == SPACE_CONST ? CB_USER : CB_LAUNCH;
        if (a->direct) m.offset = (int64_t)a->in.reg + bytes;
    } else {
        m.cop = cache_operator(i, &m.flags);
        m.src[MINST_POLICY] = lower_policy(l, i);
    }
    lower_put(l, &m);
}

// Raw access type for `bits` at once.
static enum isa_type chunk_type(unsigned bits, unsigned *vec) {
    *vec = bits == 128 ? 4 : bits == 64 ? 2 : 1;
    return bits == 16 ? ITYPE_U16 : bits == 8 ? ITYPE_U8 : ITYPE_B32;
}

static void load_scalar(struct lower *l, const struct ptx_inst *i, const struct lower_addr *a,
                        unsigned bytes, const struct ptx_operand *o, enum isa_type t,
                        uint32_t flags) {
    if (o->kind == PTX_OPERAND_SINK && a->direct) return;
    const struct opnd d = lower_narrow_dst(l, o, t);
    if (a->direct && (isa_type_bits(t) >= 32 || a->in.kind == OPND_GPR)) {
        lower_mov(l, d, opnd_words(a->in, bytes / 4, lower_words(t)));
    } else if (t == ITYPE_B128) {
        put_load(l, i, a, bytes, ITYPE_B32, 4, d, flags);
    } else {
        put_load(l, i, a, bytes, t, 1, d, flags);
    }
    lower_widen(l, o, t, d);
}

static void load_vector(struct lower *l, const struct ptx_inst *i, const struct lower_addr *a,
                        enum isa_type t, uint32_t flags) {
    const struct ptx_operand *const o = &i->operand[0];
    const unsigned each = isa_type_bits(t), total = each * i->vector;
    const bool whole_reg = lower_reg_of(l, o) != NULL; // a .v2 or .v4 register
    struct opnd from[4];                               // four .b128 at most
    unsigned vec;
    // All parts come before any element is written: one may be in the address's register.
    for (unsigned bit = 0; bit < total; bit += 128) {
        const unsigned bits = total - bit < 128 ? total - bit : 128;
        const enum isa_type raw = chunk_type(bits, &vec);
        const unsigned words = bits <= 32 ? 1 : bits / 32;
        struct opnd *const part = &from[bit / 128];
        if (a->direct && bits >= 32) {
            *part = opnd_words(a->in, bit / 32, words);
            if (each < 32) *part = lower_in_reg(l, *part);
        } else {
            *part = whole_reg && each >= 32 ? opnd_words(lower_whole(l, o), bit / 32, words)
                                            : lower_temp(l, words);
            put_load(l, i, a, bit / 8, raw, vec, *part, flags);
        }
    }
    for (unsigned bit = 0; bit < total; bit += 128) {
        const unsigned bits = total - bit < 128 ? total - bit : 128;
        const unsigned words = bits <= 32 ? 1 : bits / 32;
        if (whole_reg) {
            const struct opnd d = lower_whole(l, o);
            if (each >= 32)
                lower_mov(l, opnd_words(d, bit / 32, words), from[bit / 128]);
            else
                lower_refuse(l, "a vector register of narrow elements cannot be loaded whole");
            continue;
        }
        for (unsigned k = bit / each; k < (bit + bits) / each; k++)
            lower_extract(l, element(o, k), t, from[bit / 128], k * each - bit);
    }
}

// ld, ldu; flags: UNIFORM for ldu
void lower_mem_ld(struct lower *l, const struct ptx_inst *i, unsigned flags) {
    enum isa_type t = from_type(i->types[i->n_types ? i->n_types - 1 : 0]);
    const struct lower_addr a = lower_address(l, &i->operand[1], from_space(i->space));
    const unsigned vector = i->vector > 1 ? i->vector : 1;
    if (ptx_has(i, PTX_MOD_sc)) lower_fence(l, lower_scope(i), MF_SC);
    if (t == ITYPE_F64 && l->f64_as_f32) {
        for (unsigned k = 0; k < vector; k++)
            load_scalar(l, i, &a, 8 * k, element(&i->operand[0], k), ITYPE_F32, flags);
    } else if (vector == 1) {
        load_scalar(l, i, &a, 0, &i->operand[0], t, flags);
    } else {
        load_vector(l, i, &a, t, flags);
    }
    fence_after(l, i);
}

// ---- stores -------------------------------------------------------------------------------

static void put_store(struct lower *l, const struct ptx_inst *i, const struct lower_addr *a,
                      unsigned bytes, enum isa_type t, unsigned vec, struct opnd value) {
    if (a->direct && a->in.kind == OPND_GPR) { // an argument of a built-in function
        lower_mov(l, opnd_words(a->in, bytes / 4, value.words), value);
        return;
    }
    if (a->direct) {
        lower_refuse(l, "constants and kernel parameters cannot be written");
        return;
    }
    struct minst m = lower_new(l, OP_ST, t);
    m.klass = st_class[a->space];
    m.vec = (uint8_t)vec;
    m.cop = cache_operator(i, &m.flags);
    set_address(&m, a);
    m.offset += bytes;
    m.src[1] = value;
    m.src[MINST_POLICY] = lower_policy(l, i);
    lower_put(l, &m);
}

// The elements [first, first + n) of a vector operand as consecutive words.
static struct opnd vector_value(struct lower *l, const struct ptx_operand *o, enum isa_type t,
                                unsigned first, unsigned n) {
    const unsigned each = isa_type_bits(t), bits = n * each;
    if (o->kind != PTX_OPERAND_VECTOR)
        return opnd_words(lower_whole(l, o), first * each / 32, bits <= 32 ? 1 : bits / 32);
    struct opnd e[4];
    if (each == 32) {
        for (unsigned k = 0; k < n; k++) e[k] = lower_src(l, &o->list[first + k], t);
        return lower_gather(l, e, n);
    }
    struct ptx_operand part = *o;
    part.list += first;
    part.n = n;
    const struct opnd d = lower_temp(l, bits <= 32 ? 1 : bits / 32);
    lower_pack(l, d, &part, bits);
    return d;
}

void lower_mem_st(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (ptx_has(i, PTX_MOD_async)) {
        lower_cluster_async(l, i, -1);
        return;
    }
    enum isa_type t = from_type(i->types[i->n_types ? i->n_types - 1 : 0]);
    const struct ptx_operand *const o = &i->operand[1];
    const unsigned vector = i->vector > 1 ? i->vector : 1;
    fence_before(l, i);
    // What a kernel stores to .param through a register is an argument in its frame.
    const enum isa_space space = from_space(i->space);
    const struct lower_addr a =
        lower_address(l, &i->operand[0], space == SPACE_PARAM ? SPACE_LOCAL : space);
    if (t == ITYPE_F64 && l->f64_as_f32) {
        for (unsigned k = 0; k < vector; k++)
            put_store(l, i, &a, 8 * k, ITYPE_F32, 1, lower_src(l, element(o, k), ITYPE_F32));
        return;
    }
    if (vector == 1) {
        const struct opnd value = lower_src(l, o, t);
        if (t == ITYPE_B128)
            put_store(l, i, &a, 0, ITYPE_B32, 4, value);
        else
            put_store(l, i, &a, 0, t, 1, value);
        return;
    }
    const unsigned each = isa_type_bits(t), total = each * vector;
    if (o->kind == PTX_OPERAND_VECTOR && o->n < vector) {
        lower_refuse(l, "fewer elements than the vector has");
        return;
    }
    for (unsigned bit = 0; bit < total; bit += 128) {
        const unsigned bits = total - bit < 128 ? total - bit : 128;
        unsigned vec;
        const enum isa_type raw = chunk_type(bits, &vec);
        put_store(l, i, &a, bit / 8, raw, vec, vector_value(l, o, t, bit / each, bits / each));
    }
}

void lower_load_at(struct lower *l, const struct ptx_inst *i, const struct lower_addr *a,
                   unsigned bytes, enum isa_type t, unsigned vec, struct opnd d) {
    put_load(l, i, a, bytes, t, vec, d, 0);
}
void lower_store_at(struct lower *l, const struct ptx_inst *i, const struct lower_addr *a,
                    unsigned bytes, enum isa_type t, unsigned vec, struct opnd value) {
    put_store(l, i, a, bytes, t, vec, value);
}
uint8_t lower_load_class(uint8_t space) { return ld_class[space]; }

// ---- atomics ------------------------------------------------------------------------------

int lower_atom_op(const struct ptx_inst *i) {
    static const struct {
        uint16_t mod;
        uint8_t op;
    } table[] = {{PTX_MOD_add, MATOM_ADD}, {PTX_MOD_min, MATOM_MIN}, {PTX_MOD_max, MATOM_MAX},
                 {PTX_MOD_inc, MATOM_INC}, {PTX_MOD_dec, MATOM_DEC}, {PTX_MOD_and, MATOM_AND},
                 {PTX_MOD_or, MATOM_OR},   {PTX_MOD_xor, MATOM_XOR}, {PTX_MOD_exch, MATOM_EXCH},
                 {PTX_MOD_cas, MATOM_CAS}};
    for (size_t k = 0; k < WW_COUNT(table); k++)
        if (ptx_has(i, (enum ptx_mod)table[k].mod)) return table[k].op;
    return -1;
}

// atom d, [a], b{, c}; red [a], b
void lower_mem_atom(struct lower *l, const struct ptx_inst *i, unsigned has_result) {
    const enum isa_type t = from_type(i->types[i->n_types ? i->n_types - 1 : 0]);
    const struct ptx_operand *const o = i->operand;
    const unsigned vector = i->vector > 1 ? i->vector : 1, bits = vector * isa_type_bits(t);
    const unsigned words = bits <= 32 ? 1 : bits / 32;
    const int op = lower_atom_op(i);
    if (op < 0 || bits > 128) {
        lower_refuse(l, "no such atomic operation");
        return;
    }
    if (ptx_has(i, PTX_MOD_async)) {
        lower_cluster_async(l, i, op);
        return;
    }
    fence_before(l, i);
    const struct lower_addr a = lower_address(l, &o[has_result], from_space(i->space));
    if (a.direct || a.space == SPACE_LOCAL) {
        lower_refuse(l, "atomics work on global and shared memory");
        return;
    }
    struct minst m = lower_new(l, OP_ATOM, t);
    m.klass = a.space == SPACE_SHARED ? OPC_ATOM_SHARED : OPC_ATOM_GLOBAL;
    m.sub = (uint8_t)op;
    m.vec = (uint8_t)vector;
    m.flags = ptx_has(i, PTX_MOD_noftz) ? MF_NOFTZ : 0u;
    set_address(&m, &a);
    for (unsigned s = 0; s < (op == MATOM_CAS ? 2u : 1u); s++) {
        const struct ptx_operand *const v = &o[has_result + 1 + s];
        m.src[1 + s] =
            lower_in_reg(l, vector > 1 ? vector_value(l, v, t, 0, vector) : lower_src(l, v, t));
    }
    m.src[MINST_POLICY] = lower_policy(l, i);
    // A result that nothing else names is not asked for.
    const struct lower_reg *const r = has_result ? lower_reg_of(l, &o[0]) : NULL;
    const bool wanted = has_result && o[0].kind != PTX_OPERAND_SINK && !(r && r->mentions < 2);
    if (wanted)
        m.dst[0] =
            o[0].kind == PTX_OPERAND_VECTOR ? lower_temp(l, words) : lower_narrow_dst(l, &o[0], t);
    lower_put(l, &m);
    if (wanted && o[0].kind == PTX_OPERAND_VECTOR) {
        for (unsigned k = 0; k < vector; k++)
            lower_extract(l, element(&o[0], k), t, m.dst[0], k * isa_type_bits(t));
    } else if (wanted) {
        lower_widen(l, &o[0], t, m.dst[0]);
    }
    fence_after(l, i);
}

// ---- fences, hints ------------------------------------------------------------------------

// membar.{cta,gl,sys}; fence{.sem}.scope; fence.proxy.async and .tensormap; fence.proxy.alias, which
// one address space does not need; fence.mbarrier_init, since other blocks of a cluster see a barrier's
// words as they are
void lower_mem_fence(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (lower_bulk_fence(l, i)) return;
    if (ptx_has(i, PTX_MOD_proxy) || ptx_has(i, PTX_MOD_mbarrier_init)) {
        lower_fence(l, MFENCE_CTA, 0);
        return;
    }
    uint32_t flags = MF_ACQUIRE | MF_RELEASE;
    if (ptx_has(i, PTX_MOD_acquire)) flags = MF_ACQUIRE;
    if (ptx_has(i, PTX_MOD_release)) flags = MF_RELEASE;
    if (ptx_has(i, PTX_MOD_sc) || i->op == PTX_OP_membar) flags = MF_SC;
    lower_fence(l, lower_scope(i), flags);
}

// prefetch{.space}.{L1,L2}; prefetchu.L1: level 3
void lower_mem_prefetch(struct lower *l, const struct ptx_inst *i, unsigned level) {
    if (ptx_has(i, PTX_MOD_tensormap)) {
        lower_bulk_prefetch_map(l, i);
        return;
    }
    const struct lower_addr a = lower_address(l, &i->operand[0], from_space(i->space));
    if (a.direct) return; // constants and parameters are not prefetched
    struct minst m = lower_new(l, OP_PREFETCH, ITYPE_B32);
    m.sub = level                                   ? (uint8_t)level
            : ptx_has(i, PTX_MOD_L1)              ? MPREFETCH_L1
            : ptx_has(i, PTX_MOD_L2_evict_last)   ? MPREFETCH_L2_LAST
            : ptx_has(i, PTX_MOD_L2_evict_normal) ? MPREFETCH_L2_NORMAL
                                                  : MPREFETCH_L2;
    set_address(&m, &a);
    lower_put(l, &m);
}

// applypriority.L2::evict_normal [a], 128; discard.L2 [a], 128. Memory keeps what it had: a program that
// reads it before it writes it may see anything.
void lower_mem_hint(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const struct lower_addr a = lower_address(l, &i->operand[0], from_space(i->space));
    if (a.direct) return;
    struct minst m = lower_new(l, OP_PREFETCH, ITYPE_B32);
    m.sub = i->op == PTX_OP_discard ? MPREFETCH_DISCARD : MPREFETCH_DEMOTE;
    set_address(&m, &a);
    lower_put(l, &m);
}

// The two priorities of createpolicy in the order written.
static enum isa_priority priority_of(uint16_t mod) {
    switch (mod) {
    case PTX_MOD_L2_evict_first: return PRIORITY_FIRST;
    case PTX_MOD_L2_evict_last: return PRIORITY_LAST;
    case PTX_MOD_L2_evict_normal: return PRIORITY_NORMAL;
    case PTX_MOD_L2_evict_unchanged: return PRIORITY_UNCHANGED;
    default: return PRIORITY_NONE;
    }
}
static uint32_t policy_word(const struct ptx_inst *i, bool is_range) {
    enum isa_priority of[2] = {PRIORITY_NONE, PRIORITY_UNCHANGED};
    unsigned n = 0;
    for (unsigned k = 0; k < i->n_mods && n < 2; k++)
        if (priority_of(i->mods[k]) != PRIORITY_NONE) of[n++] = priority_of(i->mods[k]);
    return policy_of(n ? of[0] : PRIORITY_UNCHANGED, is_range, of[1] == PRIORITY_FIRST);
}

// Sixteenths less one, at their place: 15.99 f towards zero, as ptxas makes it.
static struct opnd fraction_of(struct lower *l, const struct ptx_inst *i) {
    const struct opnd d = lower_temp(l, 1);
    if (i->n_operands < 2) {
        lower_mov(l, d, opnd_imm(15u << POLICY_COUNT_AT));
        return d;
    }
    struct minst m = lower_new(l, OP_FMUL, ITYPE_F32);
    m.dst[0] = d;
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], ITYPE_F32));
    m.src[1] = opnd_imm(0x417FD70A); // 15.99
    lower_put(l, &m);
    m = lower_new(l, OP_CVT, ITYPE_U32);
    m.stype = ITYPE_F32;
    m.rnd = MRND_RZ;
    m.dst[0] = d;
    m.src[0] = d;
    lower_put(l, &m);
    lower_shift(l, OP_SHL, ITYPE_B32, d, d, POLICY_COUNT_AT);
    return d;
}

// Count and range of createpolicy.range d, [a], primary, total.
static struct opnd range_of(struct lower *l, const struct ptx_inst *i) {
    const struct ptx_operand *const o = i->operand;
    const struct lower_addr a = lower_address(l, &o[1], SPACE_GLOBAL);
    const struct opnd addr = lower_temp(l, 2), end = lower_temp(l, 2), more = lower_temp(l, 2);
    const struct opnd bits = lower_temp(l, 1), unit = lower_temp(l, 1), first = lower_temp(l, 1),
                      n = lower_temp(l, 1);
    lower_add64(l, addr, a.base, opnd_imm64((uint64_t)a.offset), false, false, false);
    // A unit's bits: those of total - 1 less 7, at least 12.
    lower_iadd(l, bits, lower_in_reg(l, lower_src(l, &o[3], ITYPE_U32)), opnd_imm(UINT32_MAX), 0);
    lower_put1(l, OP_CLZ, ITYPE_B32, bits, bits);
    lower_logic(l, MLOGIC_XOR, bits, bits, opnd_imm(UINT32_MAX)); // -1 - clz
    lower_iadd(l, bits, bits, opnd_imm(32 + 1 - 7), 0);
    struct minst m = lower_new(l, OP_IMNMX, ITYPE_S32);
    m.sub = 1;
    m.dst[0] = bits;
    m.src[0] = bits;
    m.src[1] = opnd_imm(POLICY_LEAST_UNIT);
    lower_put(l, &m);
    lower_put2(l, OP_SHL, ITYPE_B32, unit, lower_in_reg(l, opnd_imm(1)), bits);
    lower_iadd(l, unit, unit, opnd_imm(UINT32_MAX), 0);
    lower_mov(l, more, opnd_imm64(0));
    lower_iadd(l, opnd_words(more, 0, 1), lower_in_reg(l, lower_src(l, &o[2], ITYPE_U32)), unit, 0);
    lower_add64(l, end, addr, more, false, false, false);
    for (int k = 0; k < 2; k++) {
        const struct opnd from = k ? end : addr;
        m = lower_new(l, OP_SHF, ITYPE_U32);
        m.dst[0] = k ? n : first;
        m.src[0] = opnd_words(from, 0, 1);
        m.src[1] = opnd_words(from, 1, 1);
        m.src[2] = bits;
        lower_put(l, &m);
    }
    const struct opnd minus = lower_temp(l, 1);
    lower_logic(l, MLOGIC_XOR, minus, first, opnd_imm(UINT32_MAX));
    lower_iadd(l, n, n, minus, 0);
    lower_iadd(l, n, n, opnd_imm(1), 0);
    m = lower_new(l, OP_IMNMX, ITYPE_U32);
    m.dst[0] = n;
    m.src[0] = n;
    m.src[1] = opnd_imm(POLICY_UNITS - 1);
    lower_put(l, &m);
    lower_iadd(l, bits, bits, opnd_imm((uint32_t)-POLICY_LEAST_UNIT), 0);
    lower_shift(l, OP_SHL, ITYPE_B32, bits, bits, POLICY_COUNT_AT);
    lower_logic(l, MLOGIC_AND, first, first, opnd_imm(POLICY_UNITS - 1));
    lower_shift(l, OP_SHL, ITYPE_B32, first, first, POLICY_FIRST_AT);
    lower_shift(l, OP_SHL, ITYPE_B32, n, n, POLICY_UNITS_AT);
    lower_iadd(l, n, n, first, 0);
    lower_iadd(l, n, n, bits, 0);
    return n;
}

void lower_mem_policy(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const struct opnd d = lower_dst(l, &i->operand[0], ITYPE_B64);
    if (ptx_has(i, PTX_MOD_cvt)) {
        lower_mov(l, d, lower_src(l, &i->operand[1], ITYPE_B64));
        return;
    }
    const bool is_range = ptx_has(i, PTX_MOD_range);
    const struct opnd word = is_range ? range_of(l, i) : fraction_of(l, i), high = lower_temp(l, 1);
    lower_iadd(l, high, lower_in_reg(l, word), opnd_imm(policy_word(i, is_range)), 0);
    const struct opnd both[2] = {opnd_imm(0), high};
    lower_mov(l, d, lower_gather(l, both, 2));
}

// ---- generic addresses --------------------------------------------------------------------

void lower_mem_isspacep(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    struct minst m = lower_new(l, OP_ISSPACE, l->addr64 ? ITYPE_U64 : ITYPE_U32);
    m.space = (uint8_t)from_space(i->space);
    m.sub = ptx_has(i, PTX_MOD_shared_cluster) ? MCVTA_CLUSTER : 0;
    m.dst[0] = lower_dst_pred(l, &i->operand[0]);
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], l->addr64 ? ITYPE_U64 : ITYPE_U32));
    lower_put(l, &m);
}

// cvta{.to}.space.size d, a. A global address is its own generic address, and a constant's is that
// of the bank in device memory; the other spaces appear in windows below 4 GB.
void lower_mem_cvta(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    const bool to = ptx_has(i, PTX_MOD_to);
    const struct opnd d = lower_dst(l, &i->operand[0], t), a = lower_src(l, &i->operand[1], t);
    enum isa_space space = from_space(i->space);
    if (space == SPACE_PARAM && !l->f->is_entry) space = SPACE_LOCAL;
    if (space == SPACE_GLOBAL || space == SPACE_GENERIC) {
        lower_mov(l, d, a);
        return;
    }
    if (space == SPACE_CONST) {
        const uint64_t base = l->s ? l->s->const_base : 0;
        const uint64_t sum = a.kind == OPND_IMM ? a.imm + (to ? 0 - base : base) : 0;
        if (a.kind == OPND_IMM)
            lower_mov(l, d, d.words == 2 ? opnd_imm64(sum) : opnd_imm(sum));
        else if (d.words == 2)
            lower_add64(l, d, a, opnd_imm64(to ? 0 - base : base), false, false, false);
        else
            lower_iadd(l, d, a, opnd_imm(to ? 0 - base : base), 0);
        return;
    }
    struct minst m = lower_new(l, OP_CVTA, ITYPE_U32);
    m.space = (uint8_t)space;
    m.sub = to ? MCVTA_TO : 0;
    if (ptx_has(i, PTX_MOD_shared_cluster) && d.words == 2) { // its window lies above 4 GB
        m.sub |= MCVTA_CLUSTER;
        m.dst[0] = d;
        m.src[0] = lower_in_reg(l, a);
        lower_put(l, &m);
        return;
    }
    m.dst[0] = opnd_word(d, 0);
    m.src[0] = opnd_word(a, 0);
    lower_put(l, &m);
    if (d.words == 2) lower_mov(l, opnd_word(d, 1), opnd_imm(0));
}

// ---- asynchronous copies ------------------------------------------------------------------

void lower_mem_cp(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    uint64_t n = 0;
    if (ptx_has(i, PTX_MOD_bulk)) {
        lower_bulk_copy(l, i);
        return;
    }
    if (ptx_has(i, PTX_MOD_mbarrier)) {
        lower_mbarrier_copies(l, i);
        return;
    }
    if (ptx_has(i, PTX_MOD_commit_group)) {
        struct minst m = lower_new(l, OP_CPCOMMIT, ITYPE_NONE);
        lower_put(l, &m);
        return;
    }
    if (ptx_has(i, PTX_MOD_wait_group) || ptx_has(i, PTX_MOD_wait_all)) {
        struct minst m = lower_new(l, OP_CPWAIT, ITYPE_NONE);
        m.aux = UINT16_MAX;
        if (ptx_has(i, PTX_MOD_wait_group)) {
            if (i->n_operands < 1 || !lower_int_literal(&i->operand[0], &n))
                lower_refuse(l, "the number of groups must be a literal");
            m.aux = n < UINT16_MAX ? (uint16_t)n : UINT16_MAX - 1;
        }
        lower_put(l, &m);
        return;
    }
    if (i->n_operands < 3 || !lower_int_literal(&i->operand[2], &n) ||
        (n != 4 && n != 8 && n != 16)) {
        lower_refuse(l, "a copy has 4, 8 or 16 bytes");
        return;
    }
    const struct lower_addr to = lower_address(l, &i->operand[0], SPACE_SHARED);
    struct lower_addr from = lower_address(l, &i->operand[1], SPACE_GLOBAL);
    if (from.offset && from.base.kind == OPND_GPR) { // one offset an instruction: the destination's
        const struct opnd t = lower_temp(l, from.base.words);
        if (t.words == 2)
            lower_add64(l, t, from.base, opnd_imm64((uint64_t)from.offset), false, false, false);
        else
            lower_iadd(l, t, from.base, opnd_imm((uint64_t)from.offset), 0);
        from.base = t;
    }
    struct minst m = lower_new(l, OP_CPASYNC, ITYPE_B32);
    m.aux = (uint16_t)n;
    m.cop = ptx_has(i, PTX_MOD_cg) ? MCOP_CG : MCOP_CA;
    set_address(&m, &to);
    m.src[1] = from.base;
    for (unsigned k = 3; k < i->n_operands; k++) { // a size, or a predicate; a policy has 64 bits
        const struct lower_reg *const r = lower_reg_of(l, &i->operand[k]);
        if (r && r->words == 2) continue; // that is below
        m.src[2] = r && r->words == 0 ? lower_plain_pred(l, lower_src_pred(l, &i->operand[k]))
                                      : lower_src(l, &i->operand[k], ITYPE_U32);
        break;
    }
    m.src[MINST_POLICY] = lower_policy(l, i);
    lower_put(l, &m);
}
