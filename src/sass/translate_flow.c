// Control flow, moves, special registers. Sources: PTX ISA 9.0; what words say, encoding.def; calls
// and returns as compiled code uses them (an address in registers, 16 bytes an instruction, counted
// from the code's start).
#include "sass/translator.h"

enum { WORD_BYTES = 16, TARGET_AT = 34, TARGET_BITS = 48 };

// ---- helpers ----------------------------------------------------------------------------------
// The condition in bits 87 to 90, beside the guard: none where it is PT.
static struct opnd condition(struct translator *t) {
    const struct opnd p = tr_pred_not(t, 87);
    return p.reg == PRED_TRUE && !p.mods ? tr_none() : p;
}
static void unconditional(struct translator *t) {
    if (condition(t).kind != OPND_NONE) tr_refuse(t, "has a second condition");
}
static int64_t base(const struct translator *t) { return (int64_t)t->first * WORD_BYTES; }
static void read_target(struct translator *t) {
    tr_ignore(t, TARGET_AT, TARGET_BITS); // the decoder has made an address of it
    if (t->gen >= SASS_90) tr_ignore(t, 16, 8);
}
static int64_t number(const struct translator *t, enum sass_operand_kind kind) {
    for (uint32_t i = 0; i < t->in->n_operands; i++)
        if (t->in->operand[i].kind == kind) return t->in->operand[i].value;
    return 0;
}
static void set_target(struct translator *t) {
    const int64_t at = base(t) + number(t, SASS_TARGET);
    if (at < 0 || at % WORD_BYTES || at / WORD_BYTES > INT32_MAX)
        tr_refuse(t, "has a target outside the code");
    t->m->target = (int32_t)(at / WORD_BYTES);
}
static void control(struct translator *t, enum mop op) { tr_op(t, op, OPC_CTRL, ITYPE_NONE); }
static struct opnd barrier(struct translator *t) {
    return (struct opnd){.kind = OPND_BARRIER, .reg = tr_field(t, 16, 4)};
}
// A jump to the code address in a pair of registers, `offset` added.
static void jump_to(struct translator *t, enum mjump why, struct opnd to, int64_t offset) {
    control(t, OP_JUMP);
    t->m->sub = (uint8_t)why;
    t->m->src[0] = to;
    t->m->src[1] = condition(t);
    t->m->offset = offset;
}
static void jump(struct translator *t, enum mjump why, int64_t offset) {
    jump_to(t, why, tr_reg(t, 24, 2), offset);
}

// ---- branches ---------------------------------------------------------------------------------
// Lanes in a uniform register, or, of none of it complemented, all of them.
static struct opnd lanes(struct translator *t) {
    const struct opnd r = tr_ureg(t, 24, 1);
    if (!tr_bit(t, 30)) return r;
    if (r.kind != OPND_ZERO) tr_refuse(t, "takes a complement of lanes");
    return tr_imm(UINT32_MAX, 1);
}
void translate_bra(struct translator *t) {
    enum { PLAIN, UNIFORM, DIV, CONV };
    tr_ignore(t, 85, 2); // counts calls, which no result and no time of ours knows
    read_target(t);
    const uint32_t kind = tr_field(t, 32, 2);
    const bool is_uniform = t->gen >= SASS_75 && tr_bit(t, 91);
    if (kind >= DIV) {
        control(t, OP_BRA_DIV);
        t->m->src[0] = is_uniform ? lanes(t) : tr_imm(UINT32_MAX, 1);
        t->m->sub = kind == CONV;
        unconditional(t);
    } else if (t->form == 4) {
        control(t, OP_BRA);
        t->m->src[0] = condition(t);
        if (kind == UNIFORM) t->m->flags |= MF_UNIFORM;
        if (t->gen >= SASS_90 && tr_bit(t, 84)) t->m->sub = MBRA_ANY;
    } else { // for all lanes, by a predicate of the uniform file
        control(t, OP_BRA);
        t->m->src[0] = (struct opnd){.kind = OPND_PRED,
                                     .reg = PRED_UNIFORM + tr_field(t, 24, 3),
                                     .mods = tr_bit(t, 27) ? OPND_NOT : 0};
        t->m->flags |= MF_UNIFORM;
        unconditional(t);
    }
    set_target(t);
}
void translate_brx(struct translator *t) {
    tr_ignore(t, 85, 2);
    read_target(t);
    jump(t, MJUMP_BRANCH, base(t) + (int64_t)t->pc + WORD_BYTES + number(t, SASS_SIGNED));
}
void translate_brxu(struct translator *t) {
    tr_ignore(t, 85, 2);
    tr_ignore(t, 91, 1); // the mark of words with a uniform source
    read_target(t);
    jump_to(t, MJUMP_BRANCH, tr_ureg(t, 24, 2),
            base(t) + (int64_t)t->pc + WORD_BYTES + number(t, SASS_SIGNED));
}
void translate_call_rel(struct translator *t) {
    tr_ignore(t, 86, 1); // counts calls
    read_target(t);
    if (t->form == 1) {
        jump(t, MJUMP_CALL, base(t) + number(t, SASS_TARGET));
        return;
    }
    control(t, OP_CALL);
    unconditional(t);
    set_target(t);
}
void translate_call_abs(struct translator *t) {
    tr_ignore(t, 86, 1);
    if (t->form == 1) {
        jump(t, MJUMP_CALL, 0);
        return;
    }
    control(t, OP_JUMP);
    t->m->sub = MJUMP_CALL;
    tr_ignore(t, 32, 49); // the address, which the loader has filled in
    if (t->gen >= SASS_90) tr_ignore(t, 16, 8);
    t->m->src[0] = tr_imm((uint64_t)number(t, SASS_UNSIGNED), 2);
    t->m->src[1] = condition(t);
    if (!t->m->src[0].imm) tr_refuse(t, "calls what no linker has placed");
}
void translate_ret(struct translator *t) {
    tr_ignore(t, 86, 1);
    const bool is_absolute = tr_bit(t, 85);
    read_target(t);
    jump(t, MJUMP_RETURN,
         is_absolute ? number(t, SASS_UNSIGNED) : base(t) + number(t, SASS_TARGET));
}
void translate_lepc(struct translator *t) {
    tr_op(t, OP_LEPC, OPC_MOV, ITYPE_U64);
    tr_dst(t, 2);
    int64_t at = (int64_t)t->pc;
    if (t->form == 4) {
        read_target(t);
        tr_ignore(t, 24, 10); // the lower bits of this one's
        at = number(t, SASS_TARGET);
    }
    t->m->src[0] = tr_imm((uint64_t)(base(t) + at), 2);
}
void translate_exit(struct translator *t) {
    enum { PREEMPTED = 2 };
    if (tr_field(t, 84, 2) == PREEMPTED) tr_refuse(t, "ends a thread that was preempted");
    tr_ignore(t, 86, 1); // no handler at exit is ever set
    control(t, OP_EXIT);
    t->m->src[0] = condition(t);
}
void translate_bpt(struct translator *t) {
    tr_ignore(t, 84, 3); // traps are the one kind that the rows know
    tr_ignore(t, 34, 3); // a number for debuggers
    control(t, OP_TRAP);
}

// ---- where lanes meet -------------------------------------------------------------------------
void translate_bssy(struct translator *t) {
    control(t, OP_BSSY);
    t->m->dst[0] = barrier(t);
    t->m->src[0] = condition(t);
    tr_ignore(t, 32, 32); // the target, which the decoder has made an address
    set_target(t);
}
static void with_barrier(struct translator *t, enum mop op) {
    control(t, op);
    t->m->src[0] = barrier(t);
    t->m->src[1] = condition(t);
}
void translate_bsync(struct translator *t) { with_barrier(t, OP_BSYNC); }
void translate_break(struct translator *t) { with_barrier(t, OP_BREAK); }
void translate_bmov_read(struct translator *t) {
    control(t, OP_BMOV);
    t->m->sub = (uint8_t)tr_bit(t, 84);
    if (t->form != 1) {
        tr_refuse(t, "moves between barrier registers");
        return;
    }
    tr_dst(t, 1);
    t->m->src[0] = (struct opnd){.kind = OPND_BARRIER, .reg = tr_field(t, 24, 5)};
}
void translate_bmov_write(struct translator *t) {
    control(t, OP_BMOV);
    if (t->form == 7 || tr_bit(t, 84)) {
        tr_refuse(t, "moves state of threads");
        return;
    }
    t->m->dst[0] = (struct opnd){.kind = OPND_BARRIER, .reg = tr_field(t, 24, 5)};
    t->m->src[0] = tr_b2(t, 1, 0);
}
void translate_yield(struct translator *t) {
    control(t, OP_YIELD);
    unconditional(t);
}
void translate_warpsync(struct translator *t) {
    tr_op(t, OP_WARPSYNC, OPC_CTRL, ITYPE_B32);
    unconditional(t);
    if (t->gen < SASS_90) {
        const bool is_exclusive = t->gen >= SASS_75 && t->form == 1 && tr_bit(t, 86);
        if (is_exclusive) t->m->sub = MSYNC_EXCLUSIVE;
        t->m->src[0] = t->form == 4 ? tr_imm(tr_field(t, 32, 32), 1) : tr_reg(t, 32, 1);
        return;
    }
    static const uint8_t how[] = {MSYNC_MEET, MSYNC_EXCLUSIVE, MSYNC_COLLECTIVE};
    enum { OTHER = WW_COUNT(how) };
    const uint32_t kind = tr_field(t, 85, 2);
    if (kind == OTHER) {
        tr_refuse(t, "is a kind that is not documented");
        return;
    }
    t->m->sub = how[kind];
    t->m->src[0] = t->form == 4 ? tr_imm(UINT32_MAX, 1) : tr_reg(t, 24, 1); // .ALL
    if (kind != MSYNC_COLLECTIVE) return;
    read_target(t);
    set_target(t);
}
void translate_endcollective(struct translator *t) {
    control(t, OP_ENDCOLLECTIVE);
    unconditional(t);
}
// .SYNCS: for its time at most, or until the phase is over that the warp's last try (TRYWAIT) waited
// for in vain. ptxas writes it of mbarrier.try_wait with a limit, behind a try of the machine's own
// limit, and looks once more behind it.
void translate_nanosleep(struct translator *t) {
    control(t, OP_NANOSLEEP);
    unconditional(t);
    if (t->gen >= SASS_90 && tr_bit(t, 84)) t->m->sub = MSLEEP_PHASE;
    if (t->gen >= SASS_90 && tr_bit(t, 86)) tr_refuse(t, "sleeps for a random time");
    tr_ignore(t, 85, 1); // .WARP, which ptxas writes for every nanosleep: its lanes sleep together
    t->m->src[0] = tr_b2(t, 1, 0);
}

// ---- moves ------------------------------------------------------------------------------------
void translate_nop(struct translator *t) { control(t, OP_NOP); }
void translate_mov(struct translator *t) {
    tr_op(t, OP_MOV, OPC_MOV, ITYPE_B32);
    if (tr_field(t, 72, 4) != 15) tr_refuse(t, "moves to some threads of a quad");
    tr_dst(t, 1);
    t->m->src[0] = tr_b2(t, 1, 0);
}

// Special registers that programs of ours may read: by the encoding's number; with two words the
// clocks whole. SR_SMEMSZ and the rest of the numbers: special.def.
static const struct {
    uint8_t number;
    uint8_t word, pair; // enum isa_sreg
} special[] = {{0, SREG_laneid, 0},
               {1, SREG_clock, 0},
               {2, SREG_virtcfg, 0},
               {3, SREG_virtid, 0},
               {33, SREG_tid_x, 0},
               {34, SREG_tid_y, 0},
               {35, SREG_tid_z, 0},
               {37, SREG_ctaid_x, 0},
               {38, SREG_ctaid_y, 0},
               {39, SREG_ctaid_z, 0},
               {50, SREG_total_smem_size, 0},
               {56, SREG_lanemask_eq, 0},
               {57, SREG_lanemask_lt, 0},
               {58, SREG_lanemask_le, 0},
               {59, SREG_lanemask_gt, 0},
               {60, SREG_lanemask_ge, 0},
               {67, SREG_smid, 0},
               {80, SREG_clock, SREG_clock64},
               {81, SREG_clock_hi, 0},
               {82, SREG_globaltimer_lo, SREG_globaltimer},
               {83, SREG_globaltimer_hi, 0}};
// Where a thread's stack ends, downwards: ptxas's code without optimisation traps when R1 is below it.
// Local memory begins at 0 here.
// Code of 9.0 makes generic addresses of shared ones by SR_SWINHI as the upper word alone, so that the
// window begins at a multiple of 4 GB: SR_SWINLO is 0. SR_CgaCtaId is a block's rank in its cluster, of which
// code makes addresses of shared memory.
enum { SPECIAL_STACK_END = 55, SPECIAL_ZERO = 255 };
enum { SPECIAL_SHARED_HIGH = 47, SPECIAL_SHARED_LOW = 48, SPECIAL_RANK = 136 };

static void read_special(struct translator *t, uint32_t words) {
    const uint32_t number = tr_field(t, 72, 8);
    tr_op(t, OP_S2R, OPC_MOV, words == 2 ? ITYPE_U64 : ITYPE_U32);
    tr_dst(t, words);
    if (t->gen >= SASS_90 && words == 1 &&
        (number == SPECIAL_RANK || number == SPECIAL_SHARED_HIGH)) {
        t->m->aux = number == SPECIAL_RANK ? SREG_cluster_ctarank : SREG_shared_window_high;
        return;
    }
    const bool is_zero =
        number == SPECIAL_STACK_END || (t->gen >= SASS_90 && number == SPECIAL_SHARED_LOW);
    if (number == SPECIAL_ZERO || (is_zero && words == 1)) {
        t->m->op = OP_MOV;
        t->m->src[0] = (struct opnd){.kind = OPND_ZERO, .words = (uint8_t)words};
        return;
    }
    for (uint32_t i = 0; i < WW_COUNT(special); i++) {
        if (special[i].number != number || (words == 2 && !special[i].pair)) continue;
        t->m->aux = words == 2 ? special[i].pair : special[i].word;
        if (isa_sreg_is_clock(t->m->aux)) t->m->flags |= MF_VOLATILE;
        return;
    }
    tr_refuse(t, "reads a special register that is not modelled");
}
void translate_s2r(struct translator *t) { read_special(t, 1); }
void translate_cs2r(struct translator *t) { read_special(t, tr_bit(t, 80) ? 2 : 1); }
