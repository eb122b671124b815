// Data flow for code_varying_branches: which registers and predicates may differ between two
// CTAs in lock step, ahead of each machine instruction. Forward, joined where ways meet, over
// all functions of the image; a return goes on behind every call. Registers differ until they are
// written, as nothing says what is in them. Differing conditions need no edges of their own: CTAs
// that part at one are no longer in lock step.
#include "isa/varying.h"
#include "isa/operands.h"

#include <stdlib.h>

enum {
    GPR_WORDS = MAX_GPRS / 64,
    FIRST_PRED = MAX_GPRS,
    FIRST_BARRIER = FIRST_PRED + PRED_FILE,
    FIRST_UGPR = FIRST_PRED + 64,
    WORDS = GPR_WORDS + 2
};
struct state {
    uint64_t bits[WORDS]; // registers, predicates, barrier and uniform registers
};
struct flow {
    const struct code_image *im;
    struct state *at; // ahead of each instruction
    uint8_t *seen, *queued;
    uint32_t *work, n;
};

static bool get(const struct state *s, uint32_t bit) { return s->bits[bit / 64] >> (bit % 64) & 1; }
static void set(struct state *s, uint32_t bit, bool to) {
    s->bits[bit / 64] = (s->bits[bit / 64] & ~(1ull << bit % 64)) | (uint64_t)to << bit % 64;
}
static uint32_t bit_of(const struct isa_ref *ref) {
    switch (ref->file) {
    case REF_GPR: return ref->reg + ref->word;
    case REF_BARRIER: return FIRST_BARRIER + ref->reg;
    case REF_UGPR: return FIRST_UGPR + ref->reg + ref->word;
    default: return FIRST_PRED + ref->reg;
    }
}

static bool sreg_varies(uint32_t sreg) {
    switch (sreg) {
    case SREG_tid_x:
    case SREG_tid_y:
    case SREG_tid_z:
    case SREG_ntid_x:
    case SREG_ntid_y:
    case SREG_ntid_z:
    case SREG_nctaid_x:
    case SREG_nctaid_y:
    case SREG_nctaid_z:
    case SREG_laneid: return false;
    default: return true;
    }
}

// Where what comes out differs although what goes in does not.
static bool op_varies(const struct minst *m) {
    switch (m->op) {
    case OP_S2R: return sreg_varies(m->aux);
    case OP_BAR:
    case OP_SYSCALL: return true;
    default: return m->op != OP_LDC && (mop_info[m->op].flags & OPF_LOAD);
    }
}

static bool reads_varying(const struct state *s, const struct minst *m, bool with_guard) {
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n = isa_reads(m, true, ref);
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any |= (with_guard || ref[i].place != REF_GUARD) && get(s, bit_of(&ref[i]));
    return any;
}

// The state behind an instruction.
static void pass(struct state *s, const struct minst *m) {
    if (minst_is_filler(m)) return;
    const bool varies = op_varies(m) || reads_varying(s, m, true), guarded = !pred_is_true(m->guard);
    struct isa_ref ref[ISA_MAX_REFS];
    const uint32_t n = isa_writes(m, true, ref);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t bit = bit_of(&ref[i]);
        set(s, bit, varies || (guarded && get(s, bit)));
    }
    uint32_t first; // what a product of a warp group reads from shared memory may differ
    const uint32_t sums = isa_sums(m, &first);
    for (uint32_t i = 0; i < sums; i++) set(s, first + i, true);
}

static void reach(struct flow *f, uint32_t pc, const struct state *s) {
    if (pc >= f->im->n_insts) return;
    uint64_t more = !f->seen[pc];
    for (uint32_t i = 0; i < WORDS; i++) {
        more |= s->bits[i] & ~f->at[pc].bits[i];
        f->at[pc].bits[i] |= s->bits[i];
    }
    f->seen[pc] = 1;
    if (more == 0 || f->queued[pc]) return;
    f->queued[pc] = 1;
    f->work[f->n++] = pc;
}

// A return, or the lanes that a call's guard leaves out, go on behind calls.
static void leave_function(struct flow *f, const struct state *s) {
    for (uint32_t i = 0; i < f->im->n_insts; i++)
        if (f->im->inst[i].op == OP_CALL || f->im->inst[i].op == OP_CALLI) reach(f, i + 1, s);
}

static void follow(struct flow *f, uint32_t pc, const struct state *s) {
    const struct code_image *const im = f->im;
    const struct minst *const m = &im->inst[pc];
    bool goes_on = !pred_is_true(m->guard) || m->src[0].kind == OPND_PRED;
    switch (m->op) {
    case OP_BRA: reach(f, (uint32_t)m->target, s); break;
    case OP_BRX:
        for (uint32_t i = 0; m->aux < im->n_tables && i < im->tables[m->aux].n; i++)
            reach(f, im->tables[m->aux].pc[i], s);
        break;
    case OP_CALL: reach(f, (uint32_t)m->target, s); break;
    case OP_CALLI:
        for (uint32_t i = 0; i < im->n_funcs; i++) reach(f, im->func_pc[i], s);
        break;
    case OP_RET: leave_function(f, s); break;
    case OP_EXIT: break;
    default: goes_on = true; break;
    }
    if (goes_on) reach(f, pc + 1, s);
}

bool code_varying_branches(const struct code_image *im, uint8_t *varies) {
    const size_t n = im->n_insts;
    struct flow f = {.im = im,
                     .at = calloc(n + 1, sizeof *f.at),
                     .seen = calloc(n + 1, 2),
                     .work = calloc(n + 1, sizeof *f.work)};
    const bool ok = f.at != NULL && f.seen != NULL && f.work != NULL;
    if (ok) {
        f.queued = f.seen + n + 1;
        struct state entry;
        memset(&entry, 0xff, sizeof entry);
        reach(&f, 0, &entry);
        while (f.n != 0) {
            const uint32_t pc = f.work[--f.n];
            f.queued[pc] = 0;
            struct state s = f.at[pc];
            pass(&s, &im->inst[pc]);
            follow(&f, pc, &s);
        }
        for (size_t i = 0; i < n; i++) {
            const struct minst *const m = &im->inst[i];
            const bool is_indirect = m->op == OP_BRX || m->op == OP_CALLI;
            varies[i] = is_indirect && f.seen[i] && reads_varying(&f.at[i], m, false);
        }
    }
    free(f.at);
    free(f.seen);
    free(f.work);
    return ok;
}
