// Does an image keep the promises that the simulator relies on? Operands in range, pairs and quads
// aligned, targets inside the code, no unknown operation, every register written before it is read,
// and (control_verify.c) no operand read before its stall counts and counters let it be there.
#include "isa/control.h"

// Registers, predicates, barrier and uniform registers as one set.
enum {
    FIRST_PRED = MAX_GPRS,
    FIRST_BARRIER = FIRST_PRED + PRED_FILE,
    FIRST_UGPR = FIRST_BARRIER + MAX_BARRIERS,
    N_STATES = FIRST_UGPR + MAX_UGPRS,
    ROW = (N_STATES + 63) / 64
};

struct state {
    uint64_t bit[ROW];
};
static bool has(const struct state *s, uint32_t x) { return s->bit[x / 64] >> (x % 64) & 1; }
static void add(struct state *s, uint32_t x) { s->bit[x / 64] |= 1ull << (x % 64); }
static void take_out(struct state *s, uint32_t x) { s->bit[x / 64] &= ~(1ull << (x % 64)); }

struct verifier {
    const struct code_image *im;
    FILE *out;
    struct image_faults faults;
    struct state *writes; // a function of the module: what a call of it may write
    uint32_t first_pc;    // of the first that is broken
    const char *first_what;
};

static void show(const struct code_image *im, uint32_t pc, char *text, size_t size) {
    if (im->inst[pc].op < OP_N)
        disasm_inst(im, pc, text, size);
    else
        snprintf(text, size, "operation %u", im->inst[pc].op);
}

static void report(struct verifier *v, uint32_t pc, const char *what) {
    if (!v->out) return;
    char text[256];
    show(v->im, pc, text, sizeof text);
    fprintf(v->out, "%s: /*%04x*/ %s: %s\n", v->im->name, pc * 8, text, what);
}
static void broken(struct verifier *v, uint32_t pc, const char *what) {
    if (!v->faults.broken++) {
        v->first_pc = pc;
        v->first_what = what;
    }
    report(v, pc, what);
}

static uint32_t preds_of(const struct code_image *im) {
    return im->is_machine_code ? PRED_FILE : MAX_PREDS;
}
// The most registers of an operand that must lie in line; sums lie anywhere.
static uint32_t most_words(uint8_t slot) {
    const enum slot_words words = slot_words(slot);
    if (words == SLOT_SUMS) return 0;
    return words == SLOT_T4 || words == SLOT_V || words == SLOT_V2 ? 16 : 4;
}
static void check_operand(struct verifier *v, uint32_t pc, const struct opnd *o, uint32_t most) {
    switch (o->kind) {
    case OPND_NONE: break;
    case OPND_GPR:
        if (most != 0 && (!bits_is_pow2(o->words) || o->words > most))
            broken(v, pc, "an operand of no size");
        else if (o->reg + o->words > v->im->n_regs)
            broken(v, pc, "a register beyond the kernel's");
        else if (most != 0 && o->reg % o->words)
            broken(v, pc, "a register group out of line");
        if (o->sub) broken(v, pc, "a part of a register after allocation");
        break;
    case OPND_PRED:
        if (o->reg >= preds_of(v->im) && o->reg != PRED_CARRY)
            broken(v, pc, "a predicate beyond the machine's");
        break;
    case OPND_ZERO:
    case OPND_RESULT:
    case OPND_UGPR:
    case OPND_BARRIER:
        if (!v->im->is_machine_code) broken(v, pc, "an operand that our compiler never makes");
        if (o->kind == OPND_UGPR && o->reg + o->words >= MAX_UGPRS)
            broken(v, pc, "a uniform register beyond the machine's");
        if (o->kind == OPND_BARRIER && o->reg >= MAX_BARRIERS)
            broken(v, pc, "a barrier register beyond the machine's");
        break;
    case OPND_IMM:
        if (o->words == 1 && o->imm >> 32) broken(v, pc, "an immediate of more than a word");
        break;
    case OPND_CONST:
        if (o->bank >= CB_N) broken(v, pc, "a constant bank that does not exist");
        if (o->bank == CB_LITERAL && o->reg + 4u * o->words > v->im->literal_bytes)
            broken(v, pc, "a literal beyond c[2]");
        if (o->reg % 4) broken(v, pc, "a constant out of line");
        break;
    default: broken(v, pc, "an operand of no kind");
    }
}

static bool inside(const struct code_image *im, int32_t pc) {
    return pc >= 0 && (uint32_t)pc < im->n_insts;
}

static uint32_t registers_read(const struct minst *m) {
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n = isa_reads(m, true, ref);
    uint64_t seen[MAX_GPRS / 64] = {0};
    uint32_t rows = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t r = (ref[i].reg + ref[i].word) % MAX_GPRS;
        if (ref[i].file != REF_GPR) continue;
        rows += !(seen[r / 64] >> r % 64 & 1);
        seen[r / 64] |= 1ull << r % 64;
    }
    return rows;
}

static void check_inst(struct verifier *v, uint32_t pc) {
    const struct minst *m = &v->im->inst[pc];
    if (m->op >= OP_N || m->klass >= OPC_N) {
        broken(v, pc, "an operation that does not exist");
        return;
    }
    const struct operand_row *const row = &operand_rows[m->op];
    for (unsigned i = 0; i < MINST_DSTS; i++)
        check_operand(v, pc, &m->dst[i], most_words(row->dst[i]));
    for (unsigned i = 0; i < MINST_SRCS; i++)
        check_operand(v, pc, &m->src[i], most_words(row->src[i]));
    const char *const fault = isa_operands_fault(m, !v->im->is_machine_code);
    if (fault != NULL) broken(v, pc, fault);
    if (m->op == OP_S2R && !v->im->is_machine_code && m->dst[0].words != isa_sreg_words(m->aux))
        broken(v, pc, "a special register of another size");
    if (registers_read(m) > ISA_MAX_ROWS) broken(v, pc, "more registers than can be read at once");
    if (m->guard >= preds_of(v->im)) broken(v, pc, "a guard beyond the machine's");
    if (m->flags & MF_FRAME) broken(v, pc, "a frame of unknown size");
    if ((m->op == OP_BRA || m->op == OP_CALL) && !inside(v->im, m->target))
        broken(v, pc, "a target outside the code");
    if (m->reconv >= 0 && !inside(v->im, m->reconv)) broken(v, pc, "lanes meet outside the code");
    if (m->op == OP_RET && m->guard != PRED_TRUE) broken(v, pc, "a guarded return");
    if (m->op == OP_BRX) {
        if (m->aux >= v->im->n_tables) {
            broken(v, pc, "a table that does not exist");
            return;
        }
        const struct code_table *t = &v->im->tables[m->aux];
        for (uint32_t i = 0; i < t->n; i++)
            if (!inside(v->im, (int32_t)t->pc[i])) broken(v, pc, "a target outside the code");
    }
}

// ---- written before read -------------------------------------------------------------------
static uint32_t state_of(const struct isa_ref *ref) {
    switch (ref->file) {
    case REF_GPR: return ref->reg + ref->word;
    case REF_BARRIER: return FIRST_BARRIER + ref->reg;
    case REF_UGPR: return FIRST_UGPR + ref->reg + ref->word;
    default: return FIRST_PRED + ref->reg;
    }
}

// The guard, what is implied, and the first n_srcs sources.
static void check_reads_of(struct verifier *v, const struct state *s, uint32_t pc,
                           uint32_t n_srcs) {
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n = isa_reads(&v->im->inst[pc], true, ref);
    uint8_t place = UINT8_MAX; // that has been reported
    for (uint32_t i = 0; i < n; i++) {
        const bool is_exempt = ref[i].place >= n_srcs && ref[i].place < MINST_SRCS;
        if (is_exempt || has(s, state_of(&ref[i])) || ref[i].place == place) continue;
        place = ref[i].place;
        v->faults.undefined++;
        report(v, pc,
               ref[i].place == REF_GUARD ? "is guarded by what some path has not written"
                                         : "reads what some path has not written");
    }
}

static void add_writes(struct state *s, const struct minst *m) {
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n = isa_writes(m, true, ref);
    for (uint32_t i = 0; i < n; i++) add(s, state_of(&ref[i]));
    uint32_t first;
    const uint32_t sums = isa_sums(m, &first);
    for (uint32_t i = 0; i < sums; i++) add(s, first + i);
}

// A store or reload of one word for the function's callers, or of a spilled value.
static bool is_save(const struct minst *m, enum mop op) {
    return m->op == op && (m->flags & MF_SPILL) && m->guard == PRED_TRUE && m->vec == 1;
}

static struct state every_one(void) {
    struct state s;
    memset(&s, 0xff, sizeof s);
    return s;
}

// Of what is called through a register the convention is known alone (ra_save.c).
static struct state written_by_call(const struct verifier *v, const struct minst *m) {
    for (uint32_t i = 0; m->op == OP_CALL && i < v->im->n_funcs; i++)
        if (v->im->func_pc[i] == (uint32_t)m->target) return v->writes[i];
    struct state s = every_one();
    for (uint32_t r = CODE_FIRST_KEPT; r < FIRST_PRED; r++) take_out(&s, r);
    return s;
}

// What one instruction adds to what has been written. A guarded write counts: that its readers
// stand under the same guard is more than this look can tell.
static void pass(const struct verifier *v, struct state *s, const struct minst *m) {
    if (minst_is_filler(m)) return;
    add_writes(s, m);
    if (m->op == OP_CALL || m->op == OP_CALLI) { // the stack pointer comes back
        const bool sp = has(s, 1);
        const struct state lost = written_by_call(v, m);
        for (unsigned x = 0; x < ROW; x++) s->bit[x] &= ~lost.bit[x];
        if (sp) add(s, 1);
    }
}

// The registers that a function stores before all else and reloads from there before it returns.
static struct state kept_by(const struct code_image *im, uint32_t first, uint32_t end) {
    struct state s = {0};
    uint32_t ret = first;
    while (ret < end && im->inst[ret].op != OP_RET) ret++;
    for (uint32_t pc = first; pc < end && is_save(&im->inst[pc], OP_ST); pc++)
        for (uint32_t back = ret; back > first && is_save(&im->inst[back - 1], OP_LD); back--)
            if (im->inst[back - 1].offset == im->inst[pc].offset &&
                im->inst[back - 1].dst[0].reg == im->inst[pc].src[1].reg)
                add(&s, im->inst[pc].src[1].reg);
    return s;
}

// Functions stand one behind the other; each may write what its instructions name, fillers too, and
// what those write that it calls, but for what it keeps.
static void find_writes(struct verifier *v, struct arena *scratch) {
    const struct code_image *const im = v->im;
    v->writes = arena_alloc(scratch, ((size_t)im->n_funcs + 1) * sizeof *v->writes);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < im->n_funcs; i++) {
            if (im->func_pc[i] == UINT32_MAX) continue;
            uint32_t end = im->n_insts;
            for (uint32_t k = 0; k < im->n_funcs; k++)
                if (im->func_pc[k] > im->func_pc[i] && im->func_pc[k] < end) end = im->func_pc[k];
            struct state s = v->writes[i];
            for (uint32_t pc = im->func_pc[i]; pc < end; pc++) {
                const struct minst *const m = &im->inst[pc];
                add_writes(&s, m);
                if (m->op != OP_CALL && m->op != OP_CALLI) continue;
                const struct state more = written_by_call(v, m);
                for (unsigned x = 0; x < ROW; x++) s.bit[x] |= more.bit[x];
            }
            const struct state kept = kept_by(im, im->func_pc[i], end);
            for (unsigned x = 0; x < ROW; x++) s.bit[x] &= ~kept.bit[x];
            changed |= memcmp(&s, &v->writes[i], sizeof s) != 0;
            v->writes[i] = s;
        }
    }
}

static void check_reads(struct verifier *v, struct arena *scratch) {
    const struct code_image *im = v->im;
    const struct cfg *c = cfg_build_image(scratch, im);
    struct state *in = arena_alloc(scratch, (size_t)c->n * sizeof *in);
    struct state *out = arena_alloc(scratch, (size_t)c->n * sizeof *out);
    bool *entry = arena_alloc(scratch, c->n);
    find_writes(v, scratch);
    for (uint32_t i = 0; i < im->n_funcs; i++)
        if (im->func_pc[i] != UINT32_MAX) entry[c->block_of[im->func_pc[i]]] = true;
    memset(in, 0xff, c->n * sizeof *in);
    memset(out, 0xff, c->n * sizeof *out);
    for (uint32_t b = 0; b < c->n; b++)
        if (entry[b] || b == 0) {
            in[b] = (struct state){0};
            if (b) add(&in[b], 1); // a function is entered with its stack pointer
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < c->n; b++) {
            const struct cfg_block *block = &c->block[b];
            struct state s = in[b];
            for (uint32_t i = 0; i < block->n_pred; i++)
                for (unsigned x = 0; x < ROW; x++)
                    s.bit[x] &= out[c->pred_edge[block->pred + i]].bit[x];
            in[b] = s;
            for (uint32_t i = 0; i < block->n; i++) pass(v, &s, &im->inst[block->first + i]);
            changed |= memcmp(&s, &out[b], sizeof s) != 0;
            out[b] = s;
        }
    }
    for (uint32_t b = 0; b < c->n; b++) {
        struct state s = in[b];
        bool starts = entry[b];
        for (uint32_t i = 0; i < c->block[b].n; i++) {
            const uint32_t pc = c->block[b].first + i;
            const struct minst *m = &im->inst[pc];
            if (!minst_is_filler(m)) {
                const bool keeps = starts && is_save(m, OP_ST); // a caller's value, if it has one
                starts &= keeps;
                check_reads_of(v, &s, pc, keeps ? 1 : MINST_SRCS);
            }
            pass(v, &s, m);
        }
    }
}

static void check_code(struct verifier *v) {
    const struct code_image *im = v->im;
    for (uint32_t pc = 0; pc < im->n_insts; pc++) check_inst(v, pc);
    for (uint32_t b = 0; b < im->n_blocks; b++)
        if (im->blocks[b].first + im->blocks[b].n > im->n_insts)
            broken(v, 0, "a block that ends behind the code");
}

static void report_early(void *user, uint32_t pc, const char *what) {
    struct verifier *const v = user;
    v->faults.early++;
    report(v, pc, what);
}

enum ww_status image_check(const struct code_image *im, struct diags *d) {
    struct verifier v = {.im = im};
    check_code(&v);
    if (!v.faults.broken) return WW_OK;
    char text[256];
    show(im, v.first_pc, text, sizeof text);
    return diag_at(d, DIAG_ERROR, WW_ERROR_INTERNAL, im->source.name,
                   im->source.text, im->inst[v.first_pc].ptx_line, 0,
                   "kernel '%s' was compiled to broken code (/*%04x*/ %s: %s); this is a bug of "
                   "warpwatt: please report it with this PTX",
                   im->name, v.first_pc * 8, text, v.first_what);
}

struct image_faults image_verify(const struct code_image *im, FILE *out) {
    struct verifier v = {.im = im, .out = out};
    check_code(&v);
    if (v.faults.broken || !im->n_insts) return v.faults;
    struct arena scratch;
    arena_init(&scratch, im->arena.allocator);
    jmp_buf oom;
    scratch.oom = &oom;
    if (setjmp(oom) == 0) {
        check_reads(&v, &scratch);
        if (im->control) control_verify(im, &scratch, report_early, &v);
    }
    arena_free(&scratch);
    return v.faults;
}
