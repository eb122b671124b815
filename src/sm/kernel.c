// A kernel decoded for timing, once a launch: every machine instruction becomes one cache line with
// the registers that it needs as bit sets, its pipeline, latency and the rows that it reads. And
// how many of a kernel's CTAs an SM holds.
//
// Occupancy follows the vendor's calculator: registers by the rule of isa/register_file.h, shared
// memory in multiples of its unit.
#include "isa/control.h"
#include "isa/op.h"
#include "isa/operands.h"
#include "isa/register_file.h"
#include "isa/varying.h"
#include "sm/sm_state.h"

static uint32_t align_up(uint32_t x, uint32_t unit) {
    return unit == 0 ? x : (uint32_t)bits_align_up(x, unit);
}

struct register_file sm_register_file(const struct sm_config *c) {
    return (struct register_file){.registers = c->registers,
                                  .unit = c->reg_alloc_unit,
                                  .warp_unit = c->warp_alloc_unit,
                                  .per_cta = c->reg_alloc_per_cta};
}

static uint32_t cta_shared(const struct sm_config *c, uint32_t bytes) {
    return align_up(bytes + c->static_shared_overhead, c->shared_alloc_unit);
}

struct sm_occupancy sm_occupancy(const struct sm_config *c, uint32_t threads, uint32_t registers,
                                 uint32_t shared_bytes) {
    const uint32_t warps = threads == 0 ? 1 : (threads + WARP_LANES - 1) / WARP_LANES;
    const struct register_file file = sm_register_file(c);
    const uint32_t shared = cta_shared(c, shared_bytes);
    static const char *const name[] = {
#define X(limit, text) text,
        SM_LIMITS(X)
#undef X
    };
    struct sm_occupancy o = {
        .ctas = UINT32_MAX,
        .of = {[SM_LIMIT_WARPS] = c->max_warps / warps,
               [SM_LIMIT_THREADS] = c->max_threads / (warps * WARP_LANES),
               [SM_LIMIT_REGISTERS] = register_file_ctas(&file, registers, warps),
               [SM_LIMIT_SHARED] = shared == 0 ? UINT32_MAX : c->shared_bytes / shared,
               [SM_LIMIT_CTAS] = c->max_ctas}};
    for (size_t i = 0; i < SM_LIMIT_N; i++)
        if (o.of[i] < o.ctas) {
            o.ctas = o.of[i];
            o.limit = name[i];
        }
    o.warps = o.ctas * warps;
    return o;
}

struct sm_occupancy sm_kernel_occupancy(const struct sm_config *c, const struct code_image *im,
                                        uint32_t threads, uint32_t shared_bytes) {
    return sm_occupancy(c, threads, image_registers(im), shared_bytes - im->shared_system);
}

uint32_t sm_carve_out(const struct sm_config *c, uint64_t wanted) {
    if (wanted <= c->carve_least) return c->carve_least;
    enum { LAST_POWER = 64 << 10 };
    if (c->carve_step != 0 && wanted > LAST_POWER) {
        uint32_t part = c->shared_bytes;
        while (part >= LAST_POWER + 2 * c->carve_step && part - c->carve_step >= wanted)
            part -= c->carve_step;
        return part;
    }
    uint64_t part = 8192;
    while (part < wanted || part < c->carve_least) part *= 2;
    return part < c->shared_bytes ? (uint32_t)part : c->shared_bytes;
}

// ---- decoding ----------------------------------------------------------------------------------
struct decoder {
    const struct sm_config *c;
    struct sm_kernel *k;
    uint32_t cap_const_lines, cap_products, cap_more_rows;
};

static void need_reg(struct sm_inst *in, struct sm_wide *wide, uint32_t reg, bool is_dst) {
    if (reg < 64) {
        in->use |= BIT64(reg);
        if (is_dst) in->dst |= BIT64(reg);
        return;
    }
    const uint32_t word = reg / 64 - 1;
    if (wide == NULL || word >= WIDE_WORDS) return;
    wide->use[word] |= BIT64(reg % 64);
    if (is_dst) wide->dst[word] |= BIT64(reg % 64);
}

// Room for one more element behind the n of an array.
static bool more_room(void **array, uint32_t n, uint32_t *cap, size_t size) {
    if (n < *cap) return true;
    const uint32_t most = n == 0 ? 16 : 2 * n;
    void *const more = ww_alloc_aligned(most * size);
    if (more == NULL) return false;
    if (n != 0) memcpy(more, *array, n * size);
    ww_free_aligned(*array);
    *array = more;
    *cap = most;
    return true;
}

#define ROWS (sizeof((struct sm_inst){0}.src))
static_assert(ROWS == ISA_USUAL_ROWS && 2 * ROWS == ISA_MAX_ROWS, "an image that was checked fits");
static bool has_row(const struct sm_inst *in, uint32_t reg) {
    for (uint32_t i = 0; i < in->n_src; i++)
        if (in->src[i] == reg) return true;
    return false;
}
static bool read_row(struct decoder *d, struct sm_inst *in, uint32_t reg) {
    struct sm_kernel *const k = d->k;
    if (has_row(in, reg)) return true;
    if (in->n_src == ROWS && !(in->flags & SI_MORE_ROWS)) {
        void *array = k->more_rows;
        if (!more_room(&array, k->n_more_rows, &d->cap_more_rows, sizeof *k->more_rows)) return false;
        k->more_rows = array;
        in->flags |= SI_MORE_ROWS;
        in->aux = (uint16_t)k->n_more_rows++;
        if (k->n_more_rows > UINT16_MAX) return false;
    }
    struct sm_inst *const at = in->n_src == ROWS ? &k->more_rows[in->aux] : in;
    if (at != in && has_row(at, reg)) return true;
    assert(at->n_src < ROWS && "the image was checked");
    at->src[at->n_src++] = (uint8_t)reg;
    return true;
}

static bool const_line(struct decoder *d, const struct opnd *o, struct sm_inst *in) {
    struct sm_kernel *const k = d->k;
    in->n_const++;
    if (d->c->constant.bytes == 0) return true;
    const uint64_t line = kernel_const_line(d->c, k, o->bank, o->reg);
    uint32_t i = 0;
    while (i < k->n_const_lines && k->const_line[i] != line) i++;
    if (i == k->n_const_lines) {
        void *array = k->const_line;
        if (!more_room(&array, i, &d->cap_const_lines, sizeof *k->const_line)) return false;
        k->const_line = array;
        k->const_line[k->n_const_lines++] = line;
    }
    in->const_mask |= BIT64(i < MAX_CONST_LINES ? i : MAX_CONST_LINES - 1);
    return true;
}

static uint16_t predicate_bit(const struct isa_ref *ref) {
    switch (ref->file) {
    case REF_UGPR: return 1u << PRED_TRUE;     // all of them as one
    case REF_BARRIER: return 1u << UPRED_TRUE; // likewise
    default: return (uint16_t)(1u << ref->reg);
    }
}

static bool decode_reads(struct decoder *d, const struct minst *m, struct sm_inst *in,
                         struct sm_wide *wide) {
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n = isa_reads(m, true, ref);
    for (uint32_t i = 0; i < n; i++) {
        if (ref[i].file != REF_GPR) {
            in->use_p |= predicate_bit(&ref[i]);
            continue;
        }
        need_reg(in, wide, ref[i].reg + ref[i].word, false);
        if (!read_row(d, in, ref[i].reg + ref[i].word)) return false;
    }
    return true;
}

static void decode_writes(const struct minst *m, struct sm_inst *in, struct sm_wide *wide) {
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n = isa_writes(m, true, ref);
    for (uint32_t i = 0; i < n; i++) {
        if (ref[i].file != REF_GPR) {
            in->use_p |= predicate_bit(&ref[i]);
            in->dst_p |= predicate_bit(&ref[i]);
            continue;
        }
        need_reg(in, wide, ref[i].reg + ref[i].word, true);
        if (in->n_dst++ == 0) in->dst_first = (uint8_t)ref[i].reg;
    }
}

static bool is_long(uint8_t klass) {
    switch (klass) {
    case OPC_LD_GLOBAL:
    case OPC_LD_LOCAL:
    case OPC_LD_GENERIC:
    case OPC_ATOM_GLOBAL:
    case OPC_TEX:
    case OPC_SURF: return true;
    default: return false;
    }
}

static bool is_shared(uint8_t klass) {
    return klass == OPC_LD_SHARED || klass == OPC_ST_SHARED || klass == OPC_ATOM_SHARED ||
           klass == OPC_MBARRIER;
}

static uint32_t flags_of(const struct minst *m, const struct sm_inst *in, bool has_result) {
    uint32_t f = 0;
    const bool is_mem = (in->unit == UNIT_LDST && m->klass != OPC_SHFL) || in->unit == UNIT_TEX;
    if (mop_info[m->op].flags & OPF_BRANCH) f |= SI_BRANCH;
    if (has_result && in->unit != UNIT_NONE) f |= SI_RESULT;
    if (is_mem) f |= SI_MEM;
    if (is_mem && (is_long(m->klass) || m->op == OP_SYSCALL)) f |= SI_LONG;
    if (in->unit == UNIT_NONE) f |= SI_SOLO;
    if (minst_is_filler(m)) f |= SI_FILLER;
    if (minst_has_policy(m)) f |= SI_POLICY;
    switch (m->op) {
    case OP_BRA:
    case OP_BRA_DIV:
    case OP_BRX: f |= SI_JUMP | SI_CHECK_PUSH; break;
    case OP_CALL:
    case OP_CALLI:
    case OP_JUMP:
    case OP_ENDCOLLECTIVE:
    case OP_RET: f |= SI_JUMP; break;
    case OP_BAR:
    case OP_CBAR: f |= SI_BARRIER; break;
    case OP_MEMBAR:
        f |= SI_FENCE | SI_SOLO;
        if (m->sub != MFENCE_CTA && (m->flags & (MF_RELEASE | MF_SC)) != 0) f |= SI_RELEASE;
        break;
    case OP_CCTL: f |= m->sub ? SI_FENCE : 0; break;
    case OP_CPCOMMIT:
    case OP_BULKCOMMIT: f |= SI_COMMIT; break;
    case OP_BULKWAIT:
    case OP_CPWAIT: f |= SI_ASYNC_WAIT | SI_SOLO; break;
    case OP_DEPBAR: f |= m->flags & MF_ACQUIRE ? SI_ASYNC_WAIT : 0; break;
    case OP_SYSCALL: f |= SI_SOLO; break;
    case OP_SHFL: f |= SI_SHUFFLE; break;
    case OP_GMMA: f |= SI_PRODUCT | (m->sub & GMMA_COMMITS ? SI_PRODUCT_COMMIT : 0u); break;
    case OP_GMMACOMMIT: f |= SI_PRODUCT_COMMIT; break;
    case OP_SETMAXREG: f |= SI_SHARE | SI_SOLO; break;
    case OP_GMMAWAIT: f |= SI_PRODUCT_WAIT | SI_SOLO; break;
    default: break;
    }
    return f;
}

// The first rows always name some, so that ready_head prefetches them without asking how many there
// are.
static void name_rows(struct sm_inst *in) {
    const uint8_t any = in->n_src != 0 ? in->src[0] : in->dst_first;
    for (uint32_t i = in->n_src; i < SM_FEW_SRC; i++) in->src[i] = any;
    if (in->n_dst == 0) in->dst_first = any;
}

static uint8_t unit_of(const struct sm_config *c, uint8_t klass) {
    const uint8_t unit = op_class_unit[klass];
    const bool is_product = klass == OPC_INT_MUL || klass == OPC_INT_MAD || klass == OPC_INT_DIV;
    const bool is_cvt = klass == OPC_CVT || klass == OPC_CVT_FP || klass == OPC_INT_BIT;
    static const uint8_t product_unit[] = {UNIT_INT, UNIT_SFU, UNIT_FP};
    if (is_product) return product_unit[c->int_mul_pipe];
    if (is_cvt && c->cvt_pipe == CVT_PIPE_SFU) return UNIT_SFU;
    if (klass == OPC_FP_CMP && c->fp_cmp_pipe == FP_CMP_PIPE_INT) return UNIT_INT;
    if (unit == UNIT_UNIFORM && c->uniform_units == 0) return UNIT_INT;
    if (unit == UNIT_DP && c->dp_pipe != DP_PIPE_DP)
        return c->dp_pipe == DP_PIPE_INT ? UNIT_INT : UNIT_FP;
    return unit;
}

static uint32_t pipes_of(const struct sm_config *c, uint8_t unit) {
    switch (unit) {
    case UNIT_DP: return c->dp_units;
    case UNIT_TENSOR: return c->tensor_units;
    case UNIT_UNIFORM: return c->uniform_units;
    default: return c->lane_groups;
    }
}

// What a compiler that knows the chip tells its instructions: the latencies of units that a
// sub-core has for itself and that take an instruction whenever they say so. Memory, the unit of
// special functions and double-precision units that sub-cores share answer when they can (R. Huerta
// et al., "Analyzing modern NVIDIA GPU cores", 2025).
void sm_code_latencies(const struct sm_config *c, struct code_latencies *out) {
    *out = (struct code_latencies){.branch = (uint8_t)c->branch_latency,
                                   .guard = (uint8_t)c->guard_latency,
                                   .across = (uint8_t)c->across_latency,
                                   .to_queue = (uint8_t)c->queue_latency,
                                   .more_half = (uint8_t)c->half_latency,
                                   .more_double = (uint8_t)c->double_latency,
                                   .early_double = (uint8_t)c->double_early,
                                   .early_wide = (uint8_t)c->wide_early,
                                   .more_matrix = (uint8_t)c->matrix_latency,
                                   .to_memory = (uint8_t)c->address_latency,
                                   .of_uniform = (uint8_t)c->uniform_latency,
                                   .of_uniform_queued = (uint8_t)c->uniform_queue_latency,
                                   .uniform_guard = (uint8_t)c->uniform_guard_latency};
    for (uint32_t k = 0; k < OPC_N; k++) {
        const uint8_t unit = unit_of(c, (uint8_t)k);
        out->pipe[k] = unit;
        if (unit == UNIT_NONE || unit == UNIT_LDST || unit == UNIT_TEX || unit == UNIT_SFU)
            continue;
        if (unit == UNIT_DP && c->dp_units < c->sub_cores) continue;
        const uint32_t latency = c->timing[k].latency;
        const uint32_t path = unit == UNIT_UNIFORM ? 0 : c->read_latency + c->write_latency;
        const uint32_t cycles = path + (latency != 0 ? latency : 1);
        out->whole[k] = cycles <= UINT8_MAX ? (uint8_t)cycles : 0;
        out->cycles[k] = cycles <= CONTROL_MAX_STALL ? (uint8_t)cycles : 0;
        const uint32_t interval = c->timing[k].interval;
        const bool is_alone = pipes_of(c, unit) == (c->sub_cores == 0 ? 1 : c->sub_cores);
        if (out->cycles[k] == 0 || interval > CONTROL_MAX_STALL || !is_alone) continue;
        out->unit[k] = unit;
        out->interval[k] = (uint8_t)interval;
    }
}

// Where the rows of a record stand in the operand cache, and which of them stay. A row stands in the
// place of the first operand that names it.
static void decode_places(const struct minst *m, const struct code_control *k, struct sm_inst *in) {
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n = isa_reads(m, true, ref);
    for (uint32_t i = 0; i < in->n_src; i++) {
        uint32_t r = 0;
        while (r < n && !(ref[r].file == REF_GPR && ref[r].reg + ref[r].word == in->src[i])) r++;
        const uint32_t at = r < n ? ref[r].place : MINST_SRCS;
        in->place |= (at < CONTROL_REUSE_SLOTS ? at : 3u) << 2 * i;
        if (at < CONTROL_REUSE_SLOTS && k->reuse >> at & 1) in->keep |= (uint16_t)(1u << i);
    }
}

// Control bits take the place of the sets of registers.
static void decode_control(struct sm_kernel *kernel, const struct minst *m, struct sm_inst *in) {
    const struct code_image *const im = kernel->image;
    const struct code_control *const k = &im->control[m - im->inst];
    in->stall = k->yield && k->stall < 2 ? 2 : k->stall;
    in->write = k->write;
    in->read = k->read;
    in->wait = k->wait;
    in->up = (uint8_t)((k->write < CONTROL_COUNTERS ? 1u << k->write : 0) |
                       (k->read < CONTROL_COUNTERS ? 1u << k->read : 0));
    in->is_cached = in->unit != UNIT_NONE && !control_is_variable(&im->target.latencies, m);
    in->keep = 0;
    in->place = 0;
    in->has_limit = m->op == OP_DEPBAR && m->sub < CONTROL_COUNTERS;
    in->limited = in->has_limit ? m->sub : 0;
    in->limit = in->has_limit ? (uint8_t)m->aux : 0;
    if (m->op == OP_DEPBAR) in->wait |= (uint8_t)m->src[0].imm;
    decode_places(m, k, in);
    if (!(in->flags & SI_MORE_ROWS)) return;
    struct sm_inst *const more = &kernel->more_rows[in->aux];
    more->is_cached = in->is_cached;
    decode_places(m, k, more);
}

// A product of a warp group takes the tensor cores of all four warps for its columns, or as long as
// shared memory needs to give B, and A where registers do not: a group's rows once, to all.
static bool decode_product(struct decoder *d, const struct minst *m, struct sm_inst *in) {
    enum { ROW_BYTES = 32, GROUP_ROWS = 64 };
    struct sm_kernel *const k = d->k;
    void *array = k->product;
    if (!more_room(&array, k->n_products, &d->cap_products, sizeof *k->product)) return false;
    k->product = array;
    const uint32_t columns = 8u * m->vec, b = m->aux & GMMA_SPARSE ? 2 * ROW_BYTES : ROW_BYTES;
    const uint32_t a = m->sub & GMMA_A_REGS ? 0 : GROUP_ROWS * ROW_BYTES;
    uint32_t first;
    struct sm_product p = {.shared_bytes = a + columns * b,
                           .sums = (uint16_t)isa_sums(m, &first),
                           .adds = m->src[GMMA_C].kind == OPND_GPR,
                           .columns = m->vec};
    p.first = (uint8_t)first;
    const uint32_t line = d->c->shared_banks * d->c->shared_bank_bytes;
    const uint32_t core = m->vec * in->interval, shared = (p.shared_bytes + line - 1) / line;
    p.cycles = core > shared ? core : shared;
    p.spare = p.cycles - shared;
    in->latency = (uint16_t)(in->latency + (a ? d->c->product_shared_latency : 0));
    in->unit = UNIT_NONE;
    in->aux = (uint16_t)k->n_products;
    k->product[k->n_products++] = p;
    return k->n_products <= UINT16_MAX;
}

static bool decode_one(struct decoder *d, const struct minst *m, struct sm_inst *in,
                       struct sm_wide *wide) {
    const struct class_timing *t = &d->c->timing[minst_timing(m)];
    in->klass = m->klass;
    in->unit = unit_of(d->c, minst_timing(m));
    if (m->op == OP_SYSCALL) in->unit = UNIT_LDST; // malloc's answer comes from memory
    in->latency = (uint16_t)t->latency;
    in->interval = (uint16_t)(t->interval == 0 ? 1 : t->interval);
    in->aux = m->op == OP_MEMBAR || m->op == OP_PREFETCH ? m->sub
              : m->op == OP_BULKWAIT
                  ? (uint16_t)((m->aux & ~SM_BULK_READ) | (m->sub ? SM_BULK_READ : 0))
              : m->op == OP_CCTL ? (uint16_t)SM_FENCE_DROPS
                                 : m->aux;
    for (size_t i = 0; i < MINST_SRCS; i++)
        if (m->src[i].kind == OPND_CONST && !const_line(d, &m->src[i], in)) return false;
    if (!decode_reads(d, m, in, wide)) return false;
    decode_writes(m, in, wide);
    bool has_result = in->dst != 0 || in->dst_p != 0;
    for (int i = 0; wide != NULL && i < WIDE_WORDS; i++) has_result |= wide->dst[i] != 0;
    in->flags |= flags_of(m, in, has_result);
    if (m->op == OP_GMMA && !decode_product(d, m, in)) return false;
    if (d->c->shared_on_lanes && is_shared(m->klass)) {
        in->unit = UNIT_INT;
        in->flags |= SI_LANES;
    }
    // Branches and barriers that take several cycles take them from the lanes (Tesla: the guide's
    // eight bar.sync a hot clock).
    const bool on_lanes = in->interval > 1 || (d->c->ctrl_on_lanes && m->op != OP_EXIT);
    if (m->klass == OPC_CTRL && on_lanes) in->unit = UNIT_INT;
    name_rows(in);
    if (d->c->dependences == SM_CONTROL) decode_control(d->k, m, in);
    return true;
}

// ---- loads from shared memory that are an operand of their user --------------------------------
static uint32_t count_of(const struct isa_ref *ref, uint32_t n, uint32_t reg) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += ref[i].file == REF_GPR && ref[i].reg + ref[i].word == reg;
    return count;
}

// The instruction that can take the load at `at` as an operand: the only one that reads the
// register before it is written again, in straight-line code, with no store between. 0: none.
static uint32_t only_user(const struct code_image *im, uint32_t at, const uint8_t *is_target) {
    const struct minst *const load = &im->inst[at];
    if (load->klass != OPC_LD_SHARED || load->dst[0].kind != OPND_GPR || load->dst[0].words != 1)
        return 0;
    const uint32_t reg = load->dst[0].reg;
    uint32_t user = 0;
    for (uint32_t i = at + 1; i < im->n_insts && !is_target[i]; i++) {
        const struct minst *const m = &im->inst[i];
        struct isa_ref ref[ISA_MAX_REFS];
        const uint32_t unit = op_class_unit[m->klass];
        const uint32_t reads = count_of(ref, isa_reads(m, true, ref), reg);
        if (reads > 1 || (reads == 1 && user != 0)) return 0;
        if (reads == 1) {
            if (unit != UNIT_INT && unit != UNIT_FP) return 0;
            user = i;
        }
        if (count_of(ref, isa_writes(m, true, ref), reg) != 0)
            return pred_is_true(m->guard) ? user : 0;
        if (unit == UNIT_NONE) return 0;
        if (user == 0 && (m->klass == OPC_ST_SHARED || m->klass == OPC_ATOM_SHARED)) return 0;
    }
    return 0;
}

static bool fold_loads(struct sm_kernel *k, const struct code_image *im) {
    uint8_t *const is_target = ww_alloc_aligned(2 * ((size_t)im->n_insts + 1));
    if (is_target == NULL) return false;
    uint8_t *const has_operand = is_target + im->n_insts + 1;
    memset(is_target, 0, 2 * ((size_t)im->n_insts + 1));
    bool is_plain = true; // jumps through tables may go anywhere
    for (uint32_t i = 0; i < im->n_insts; i++) {
        const struct minst *const m = &im->inst[i];
        if (m->op == OP_BRX || m->op == OP_CALLI) is_plain = false;
        if (m->target >= 0 && (uint32_t)m->target < im->n_insts) is_target[m->target] = 1;
        if (m->reconv >= 0 && (uint32_t)m->reconv < im->n_insts) is_target[m->reconv] = 1;
    }
    for (uint32_t i = 0; is_plain && i < im->n_insts; i++) {
        const uint32_t user = only_user(im, i, is_target);
        if (user == 0 || has_operand[user]) continue;
        has_operand[user] = 1;
        k->inst[i].flags |= SI_FOLDED;
    }
    ww_free_aligned(is_target);
    return true;
}

// Compiler hints for SMs that share a front end (group.h).
static bool mark_varying(struct sm_kernel *k, const struct code_image *im) {
    bool is_plain = true;
    for (uint32_t i = 0; i < im->n_insts && is_plain; i++)
        is_plain = im->inst[i].op != OP_BRX && im->inst[i].op != OP_CALLI;
    if (is_plain) return true;
    uint8_t *const varies = ww_alloc_aligned(im->n_insts);
    const bool ok = varies != NULL && code_varying_branches(im, varies);
    for (uint32_t i = 0; ok && i < im->n_insts; i++)
        if (varies[i]) k->inst[i].flags |= SI_VARIES;
    ww_free_aligned(varies);
    return ok;
}

// The source does not say how many threads and how much shared memory a CTA of the launch has; a
// CTA that it makes does.
static bool measure_cta(struct sm_kernel *k, const struct exec_source *source) {
    k->cta_bytes = bits_align_up(source->cta_bytes(k->launch), 64);
    void *const memory = ww_alloc_aligned(k->cta_bytes);
    if (memory == NULL) return false;
    struct exec_cta cta = {0};
    source->cta_init(&cta, k->launch, memory, 0, 0);
    k->n_warps = cta.n_warps;
    k->n_threads = cta.n_threads;
    k->shared_bytes = cta.shared_bytes;
    ww_free_aligned(memory);
    return true;
}

static enum ww_status refuse(const struct sm_config *c, const struct sm_kernel *k,
                             struct diags *d) {
    return diag_add(d, WW_ERROR_LAUNCH,
                    "kernel %s does not fit an SM: a CTA of %u threads takes %u warps of %u, %u "
                    "registers of %u and %u bytes of shared memory of %u (limit: %s)",
                    k->image->name ? k->image->name : "?", k->n_threads, k->n_warps, c->max_warps,
                    k->cta_registers, c->registers, k->cta_shared, c->shared_bytes,
                    k->occupancy.limit);
}

enum ww_status sm_kernel_create(const struct sm_config *c, const struct code_image *im,
                                const struct exec_source *source, struct exec_launch *l,
                                uint64_t code_address, struct diags *d, struct sm_kernel **out) {
    *out = NULL;
    struct sm_kernel *const k = ww_alloc_aligned(sizeof *k);
    if (k == NULL) return diag_add(d, WW_ERROR_MEMORY, "no memory to decode a kernel");
    k->image = im;
    k->launch = l;
    if (c->dependences == SM_CONTROL && im->control == NULL) {
        ww_free_aligned(k);
        return diag_add(d, WW_ERROR_INTERNAL, "kernel %s has no control bits", im->name);
    }
    k->code_address = code_address;
    k->const_address =
        bits_align_up(code_address + (uint64_t)im->n_insts * c->instruction_bytes, 4096);
    k->inst = ww_alloc_aligned((im->n_insts + 1) * sizeof *k->inst);
    const bool is_wide = im->n_regs > 64;
    if (is_wide) k->wide = ww_alloc_aligned((im->n_insts + 1) * sizeof *k->wide);
    struct decoder dec = {.c = c, .k = k};
    bool ok = k->inst != NULL && (!is_wide || k->wide != NULL) && measure_cta(k, source);
    for (uint32_t i = 0; ok && i < im->n_insts; i++) {
        k->inst[i].wide = is_wide ? i : 0;
        ok = decode_one(&dec, &im->inst[i], &k->inst[i], is_wide ? &k->wide[i] : NULL);
    }
    if (ok && c->shared_on_lanes) ok = fold_loads(k, im);
    if (ok) ok = mark_varying(k, im);
    if (!ok) {
        sm_kernel_destroy(k);
        return diag_add(d, WW_ERROR_MEMORY, "no memory to decode a kernel");
    }
    k->occupancy = sm_kernel_occupancy(c, im, k->n_threads, k->shared_bytes);
    const struct register_file file = sm_register_file(c);
    k->cta_registers = register_file_of_cta(&file, image_registers(im), k->n_warps);
    k->warp_registers = im->n_regs;
    k->cta_shared = cta_shared(c, k->shared_bytes - im->shared_system);
    if (k->occupancy.ctas == 0) {
        const enum ww_status status = refuse(c, k, d);
        sm_kernel_destroy(k);
        return status;
    }
    *out = k;
    return WW_OK;
}

void sm_kernel_set_window(struct sm_kernel *k, const struct policy_window *w) { k->window = *w; }

void sm_kernel_destroy(struct sm_kernel *k) {
    if (k == NULL) return;
    ww_free_aligned(k->inst);
    ww_free_aligned(k->wide);
    ww_free_aligned(k->product);
    ww_free_aligned(k->more_rows);
    ww_free_aligned(k->const_line);
    ww_free_aligned(k);
}
