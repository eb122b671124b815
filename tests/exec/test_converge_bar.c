// Barrier registers, as the machine code of compute capability 7.0 and later uses them: programs by
// hand in the manner of compiled code, against what BSSY, BSYNC, BREAK, BMOV, YIELD, WARPSYNC and
// jumps through registers are defined to do. After each BSYNC the lanes of its BSSY that have not
// ended, left or yielded must be active together.
#include "test_asm.h"

#include "exec/converge_bar.h"

enum { TRACE = 40 }; // R40: product of steps, so that order shows

// A program, and which of its instructions use barrier registers.
struct bars {
    struct prog *p;
    uint32_t n;
    struct {
        uint32_t at;
        enum bar_fn fn;
        uint8_t sub, aux8, cmp;
        int32_t target;
        uint32_t reg;  // of a source or destination; RZ: none
        uint32_t pred; // that lanes need besides
        uint8_t awords;
        int64_t offset;
    } use[256];
};
enum { RZ = 255 };
static struct bars *begin(void) {
    struct bars *b = calloc(1, sizeof *b);
    b->p = prog_new();
    emit(b->p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_laneid;
    return b;
}
static void end(struct bars *b) {
    prog_free(b->p);
    free(b);
}
static uint32_t at(const struct bars *b) { return b->p->im.n_insts; }
// Appends an instruction that uses register `sub`; answers its number among those.
static uint32_t use(struct bars *b, enum bar_fn fn, uint8_t sub) {
    b->use[b->n].at = at(b);
    b->use[b->n].fn = fn;
    b->use[b->n].sub = sub;
    b->use[b->n].reg = RZ;
    b->use[b->n].pred = PRED_TRUE;
    emit(b->p, OP_NOP, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    return b->n++;
}
static uint32_t use_reg(struct bars *b, enum bar_fn fn, uint8_t sub, uint32_t reg) {
    const uint32_t k = use(b, fn, sub);
    b->use[k].reg = reg;
    return k;
}
static void jump_to(struct bars *b, uint32_t reg) { use_reg(b, BAR_JUMP, 0, reg); }
static struct minst *branch(struct bars *b, uint32_t guard, bool is_not) {
    struct minst *m = emit(b->p, OP_BRA, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    m->guard = guard;
    m->guard_not = is_not;
    return m;
}
static void mark(struct bars *b, uint32_t digit) {
    emit(b->p, OP_IMAD, ITYPE_U32, R(TRACE), R(TRACE), I(10), I(digit));
}
static void less(struct bars *b, uint32_t pred, struct opnd a, uint32_t than) {
    emit(b->p, OP_ISETP, ITYPE_U32, P(pred), a, I(than), NONE_)->cmp = MCMP_LT;
}
static void note_active(struct bars *b, uint32_t reg_) {
    emit(b->p, OP_ACTIVEMASK, ITYPE_B32, R(reg_), NONE_, NONE_, NONE_);
}
static void start(struct bars *b) {
    struct prog *p = b->p;
    prog_stop(p);
    p->args.params = p->params;
    p->im.target.gen = GEN_VOLTA;
    const enum ww_status s =
        launch_create(&converge_bars, &p->im, p->mem, &p->args, &p->diags, &p->launch);
    if (s != WW_OK) diags_print(&p->diags, stderr);
    assert_int_equal(s, WW_OK);
    for (uint32_t k = 0; k < b->n; k++) {
        struct xinst *x = &p->launch->code[b->use[k].at];
        x->fn = bar_choose(b->use[k].fn, x);
        x->sub = b->use[k].sub;
        x->aux8 = b->use[k].aux8;
        x->cmp = b->use[k].cmp;
        x->c = b->use[k].pred;
        x->awords = b->use[k].awords;
        x->offset = b->use[k].offset;
        const uint32_t r = b->use[k].reg == RZ ? X_NONE : b->use[k].reg * VEC_BYTES;
        if (b->use[k].fn == BAR_READ)
            x->d = r;
        else
            x->a = r, x->d = (uint32_t)b->use[k].target;
    }
    p->cta_memory = ww_alloc_aligned(exec_cta_bytes(p->launch));
    exec_cta_init(&p->cta, p->launch, p->cta_memory, 0, 0);
    p->env = (struct exec_env){.memory = p->mem};
}
static void finish(struct bars *b) {
    emit_exit(b->p);
    start(b);
    assert_int_equal(run_warp0(b->p), EXEC_EXITED);
    assert_int_equal(warp0(b->p)->live, 0);
}
static uint32_t trace(struct bars *b, uint32_t lane) { return reg(b->p, TRACE)[lane]; }

// if (lane < 10) 2 else 1; 3: all meet, and each side had its own lanes.
static void if_else(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 10);
    use(b, BAR_BSSY, 0);
    struct minst *then = branch(b, 0, false);
    note_active(b, 5);
    mark(b, 1);
    struct minst *over = branch(b, PRED_TRUE, false);
    then->target = (int32_t)at(b);
    note_active(b, 5);
    mark(b, 2);
    over->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    note_active(b, 6);
    mark(b, 3);
    finish(b);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(trace(b, i), i < 10 ? 23 : 13);
        assert_int_equal(reg(b->p, 5)[i], i < 10 ? 0x3ff : 0xfffffc00);
        assert_int_equal(reg(b->p, 6)[i], ~0u);
    }
    end(b);
}
// A register that was never set holds no lane: BSYNC waits for nothing.
static void empty_register(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 10);
    struct minst *skip = branch(b, 0, false);
    mark(b, 1);
    skip->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 3);
    mark(b, 2);
    finish(b);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(trace(b, i), i < 10 ? 2 : 12);
    end(b);
}
// Lane i leaves the loop after i + 1 turns. All wait behind it.
static void loop(void **state) {
    (void)state;
    struct bars *b = begin();
    use(b, BAR_BSSY, 1);
    const int32_t top = (int32_t)at(b);
    emit(b->p, OP_IADD, ITYPE_U32, R(1), R(1), I(1), NONE_);
    emit(b->p, OP_ISETP, ITYPE_U32, P(0), R(1), R(0), NONE_)->cmp = MCMP_LE;
    branch(b, 0, false)->target = top;
    use(b, BAR_BSYNC, 1);
    note_active(b, 6);
    mark(b, 7);
    finish(b);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(reg(b->p, 1)[i], i + 1);
        assert_int_equal(trace(b, i), 7);
        assert_int_equal(reg(b->p, 6)[i], ~0u);
    }
    end(b);
}
// while (1) { BSSY B1; if (odd) { BREAK B1; leave } ... BSYNC B1 }: those that stay do not wait for
// those that left, who meet them at the outer register.
static void break_leaves(void **state) {
    (void)state;
    struct bars *b = begin();
    emit(b->p, OP_LOP, ITYPE_B32, R(2), R(0), I(1), NONE_)->sub = MLOGIC_AND;
    less(b, 1, R(2), 1); // even lanes
    use(b, BAR_BSSY, 0);
    use(b, BAR_BSSY, 1);
    less(b, 0, R(0), 20);
    struct minst *low = branch(b, 0, false);
    // 20 and above: odd ones break out
    const uint32_t brk = use(b, BAR_BREAK, 1);
    b->p->inst[b->use[brk].at].guard = 1;
    b->p->inst[b->use[brk].at].guard_not = true;
    struct minst *out = branch(b, 1, true);
    mark(b, 1);
    low->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 1);
    note_active(b, 5);
    mark(b, 2);
    out->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    note_active(b, 6);
    mark(b, 3);
    finish(b);
    for (uint32_t i = 0; i < 32; i++) {
        const bool left = i >= 20 && i % 2;
        assert_int_equal(trace(b, i), left ? 3 : i >= 20 ? 123 : 23);
        assert_int_equal(reg(b->p, 5)[i], left ? 0 : 0x555fffffu);
        assert_int_equal(reg(b->p, 6)[i], ~0u);
    }
    end(b);
}
// The predicate of a word chooses lanes as its guard does: BREAK by a predicate.
static void break_by_predicate(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 8);
    use(b, BAR_BSSY, 0);
    b->use[use(b, BAR_BREAK, 0)].pred = 0; // lanes 0 to 7
    struct minst *away = branch(b, 0, false);
    use(b, BAR_BSYNC, 0);
    note_active(b, 5);
    away->target = (int32_t)at(b);
    mark(b, 1);
    finish(b);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(b->p, 5)[i], i < 8 ? 0 : 0xffffff00u);
    end(b);
}
// Lanes that end are not waited for, whether they end before or after the others come.
static void exits(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct bars *b = begin();
        less(b, 0, R(0), 12);
        use(b, BAR_BSSY, 0);
        struct minst *go = branch(b, 0, first); // the side that is taken runs first
        emit_exit(b->p)->guard = PRED_TRUE;
        go->target = (int32_t)at(b);
        mark(b, 1);
        use(b, BAR_BSYNC, 0);
        note_active(b, 6);
        finish(b);
        for (uint32_t i = 0; i < 32; i++) {
            const bool lives = (i < 12) != (first == 1);
            assert_int_equal(trace(b, i), lives);
            assert_int_equal(reg(b->p, 6)[i], !lives ? 0 : first ? 0xfffff000u : 0xfffu);
        }
        end(b);
    }
}
// Some lanes end under a guard, the rest of their path comes later.
static void guarded_exit(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 16);
    less(b, 1, R(0), 4);
    use(b, BAR_BSSY, 2);
    struct minst *low = branch(b, 0, false);
    mark(b, 1);
    struct minst *over = branch(b, PRED_TRUE, false);
    low->target = (int32_t)at(b);
    emit_exit(b->p)->guard = 1;
    mark(b, 2);
    over->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 2);
    note_active(b, 6);
    finish(b);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(trace(b, i), i < 4 ? 0 : i < 16 ? 2 : 1);
        assert_int_equal(reg(b->p, 6)[i], i < 4 ? 0 : 0xfffffff0u);
    }
    end(b);
}
// Both arms use the same register for a region of their own and give their turns away inside it:
// neither disturbs the other.
static void same_register_in_both_arms(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 16);
    emit(b->p, OP_LOP, ITYPE_B32, R(2), R(0), I(3), NONE_)->sub = MLOGIC_AND;
    less(b, 1, R(2), 2);
    use(b, BAR_BSSY, 0);
    struct minst *arm = branch(b, 0, false), *over = NULL;
    for (uint32_t k = 0; k < 2; k++) {
        if (k) arm->target = (int32_t)at(b);
        use_reg(b, BAR_READ, 1, RZ);
        b->use[b->n - 1].aux8 = 1; // BMOV.32.CLEAR RZ, B1, as sm_70 has it before BSSY
        use(b, BAR_BSSY, 1);
        struct minst *in = branch(b, 1, false);
        use(b, BAR_YIELD, 0);
        mark(b, 1);
        in->target = (int32_t)at(b);
        use(b, BAR_YIELD, 0);
        mark(b, 2);
        // YIELD lets BSYNC go without them; those that wait have not yielded since they ran.
        use(b, BAR_BSYNC, 1);
        note_active(b, 5 + k);
        if (!k) over = branch(b, PRED_TRUE, false);
    }
    over->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    mark(b, 3);
    finish(b);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(trace(b, i), (i & 3) < 2 ? 23 : 123);
        // No lane of the other arm, ever.
        const uint32_t mine = i < 16 ? 0xffffu : 0xffff0000u;
        assert_int_equal(reg(b->p, i < 16 ? 6 : 5)[i] & ~mine, 0);
        assert_true(reg(b->p, i < 16 ? 6 : 5)[i] >> i & 1);
    }
    end(b);
}
// A callee saves the caller's register, uses it, and restores it: BMOV.
static void save_and_restore(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 16);
    emit(b->p, OP_LOP, ITYPE_B32, R(2), R(0), I(1), NONE_)->sub = MLOGIC_AND;
    less(b, 1, R(2), 1);
    use(b, BAR_BSSY, 0);
    struct minst *skip = branch(b, 0, false);
    use_reg(b, BAR_READ, 0, 10); // R10 = B0, and clear
    b->use[b->n - 1].aux8 = 1;
    use_reg(b, BAR_READ, 0, 11); // R11 = B0: empty
    use(b, BAR_BSSY, 0);
    struct minst *odd = branch(b, 1, true);
    mark(b, 1);
    odd->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    note_active(b, 5);
    use_reg(b, BAR_WRITE, 0, 10);
    skip->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    note_active(b, 6);
    finish(b);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(trace(b, i), i >= 16 && i % 2 == 0);
        assert_int_equal(reg(b->p, 10)[i], i < 16 ? 0 : ~0u);
        assert_int_equal(reg(b->p, 11)[i], 0);
        assert_int_equal(reg(b->p, 5)[i], i < 16 ? 0 : 0xffff0000u);
        assert_int_equal(reg(b->p, 6)[i], ~0u);
    }
    end(b);
}
// A function that calls itself, as ptxas makes it: the register is saved before its region and restored behind. Lanes of the inner
// call and lanes of the outer one that come to the same BSYNC are of two regions: the inner ones go on by themselves, and all meet
// when these have returned.
static void recursion(void **state) {
    (void)state;
    struct bars *b = begin();
    emit(b->p, OP_LOP, ITYPE_B32, R(2), R(0), I(1), NONE_)->sub = MLOGIC_AND;
    emit(b->p, OP_LOP, ITYPE_B32, R(3), R(0), I(16), NONE_)->sub = MLOGIC_AND;
    less(b, 1, R(2), 1); // even lanes
    const uint32_t ret = at(b);
    emit(b->p, OP_MOV, ITYPE_B32, R(20), I(0), NONE_, NONE_);
    struct minst *call = branch(b, PRED_TRUE, false);
    b->p->inst[ret].src[0].imm = at(b) * CODE_WORD_BYTES;
    note_active(b, 6);
    mark(b, 9);
    emit_exit(b->p);
    call->target = (int32_t)at(b);
    emit(b->p, OP_MOV, ITYPE_B32, R(31), R(30), NONE_, NONE_);
    use_reg(b, BAR_READ, 1, 30);
    b->use[b->n - 1].aux8 = 1; // .CLEAR
    less(b, 0, R(3), 1);       // lanes below 16, in the outer call
    use(b, BAR_BSSY, 1);
    struct minst *inner = branch(b, 0, false);
    struct minst *even = branch(b, 1, false);
    mark(b, 1);
    mark(b, 1);
    struct minst *odd = branch(b, PRED_TRUE, false);
    inner->target = (int32_t)at(b);
    emit(b->p, OP_MOV, ITYPE_B32, R(3), I(16), NONE_, NONE_);
    emit(b->p, OP_MOV, ITYPE_B32, R(23), R(20), NONE_, NONE_);
    const uint32_t again = at(b);
    emit(b->p, OP_MOV, ITYPE_B32, R(20), I(0), NONE_, NONE_);
    branch(b, PRED_TRUE, false)->target = call->target;
    b->p->inst[again].src[0].imm = at(b) * CODE_WORD_BYTES;
    emit(b->p, OP_MOV, ITYPE_B32, R(8), R(7), NONE_, NONE_);
    emit(b->p, OP_MOV, ITYPE_B32, R(20), R(23), NONE_, NONE_);
    mark(b, 2);
    even->target = odd->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 1);
    note_active(b, 7);
    use_reg(b, BAR_WRITE, 1, 30);
    emit(b->p, OP_MOV, ITYPE_B32, R(30), R(31), NONE_, NONE_);
    jump_to(b, 20);
    start(b);
    for (uint32_t i = 0; i < 32; i++) reg(b->p, 30)[i] = reg(b->p, TRACE)[i] = 0;
    assert_int_equal(run_warp0(b->p), EXEC_EXITED);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t path = i % 2 ? 11 : 0;
        assert_int_equal(trace(b, i), i < 16 ? (path * 10 + 2) * 10 + 9 : path * 10 + 9);
        if (i < 16) assert_int_equal(reg(b->p, 8)[i], 0xffff);
        assert_int_equal(reg(b->p, 7)[i], ~0u);
        assert_int_equal(reg(b->p, 6)[i], ~0u);
    }
    end(b);
}
// Calls and returns through registers: lanes call one of three functions, each returns to its own
// caller's address, and all meet behind the call.
static void calls(void **state) {
    (void)state;
    struct bars *b = begin();
    use(b, BAR_BSSY, 6);
    const uint32_t ret = at(b);
    emit(b->p, OP_MOV, ITYPE_B32, R(20), I(0), NONE_, NONE_); // return address, set below
    jump_to(b, 4);                                            // CALL.ABS R4:R5
    b->use[b->n - 1].awords = 2;
    b->p->inst[ret].src[0].imm = at(b) * CODE_WORD_BYTES;
    use(b, BAR_BSYNC, 6);
    mark(b, 9);
    note_active(b, 6);
    emit_exit(b->p);
    uint32_t f[3];
    for (uint32_t k = 0; k < 3; k++) {
        f[k] = at(b) * CODE_WORD_BYTES;
        note_active(b, 7);
        mark(b, k + 1);
        jump_to(b, 20); // RET.ABS R20
    }
    start(b);
    for (uint32_t i = 0; i < 32; i++) set64(b->p, 4, i, f[i % 3]);
    assert_int_equal(run_warp0(b->p), EXEC_EXITED);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(trace(b, i), (i % 3 + 1) * 10 + 9);
        assert_int_equal(reg(b->p, 6)[i], ~0u);
        assert_int_equal(reg(b->p, 7)[i], i % 3 == 0   ? 0x49249249
                                          : i % 3 == 1 ? 0x92492492u
                                                       : 0x24924924);
    }
    start(b);
    for (uint32_t i = 0; i < 32; i++) set64(b->p, 4, i, i == 20 ? 0x12345670 : f[0]);
    assert_int_equal(run_warp0(b->p), EXEC_FAULT);
    assert_int_equal(b->p->env.fault.kind, FAULT_BAD_BRANCH);
    assert_int_equal(b->p->env.fault.lane, 20);
    end(b);
}
// BRX: relative to the next instruction, by a table of distances in a register.
static void jump_tables(void **state) {
    (void)state;
    struct bars *b = begin();
    emit(b->p, OP_LOP, ITYPE_B32, R(1), R(0), I(3), NONE_)->sub = MLOGIC_AND;
    emit(b->p, OP_SHL, ITYPE_B32, R(1), R(1), I(5), NONE_); // 32 bytes a case
    use(b, BAR_BSSY, 0);
    jump_to(b, 1);
    b->use[b->n - 1].offset = at(b) * CODE_WORD_BYTES;
    struct minst *over[4];
    for (uint32_t k = 0; k < 4; k++) {
        mark(b, k + 1);
        over[k] = branch(b, PRED_TRUE, false);
    }
    for (uint32_t k = 0; k < 4; k++) over[k]->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    note_active(b, 6);
    mark(b, 7);
    finish(b);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(trace(b, i), ((i & 3) + 1) * 10 + 7);
        assert_int_equal(reg(b->p, 6)[i], ~0u);
    }
    end(b);
}
// WARPSYNC waits for its lanes at whatever place, and barrier registers do not care.
static void warpsync(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 10);
    use(b, BAR_BSSY, 0);
    struct minst *then = branch(b, 0, false);
    emit(b->p, OP_MOV, ITYPE_B32, R(3), I(5), NONE_, NONE_);
    emit(b->p, OP_ST, ITYPE_B32, NONE_, NONE_, R(3), NONE_)->space = SPACE_SHARED;
    emit(b->p, OP_WARPSYNC, ITYPE_NONE, NONE_, I(~0u), NONE_, NONE_);
    struct minst *over = branch(b, PRED_TRUE, false);
    then->target = (int32_t)at(b);
    emit(b->p, OP_WARPSYNC, ITYPE_NONE, NONE_, I(~0u), NONE_, NONE_);
    emit(b->p, OP_LD, ITYPE_B32, R(4), NONE_, NONE_, NONE_)->space = SPACE_SHARED;
    over->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    b->p->im.shared_bytes = 16;
    finish(b);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(b->p, 4)[i], i < 10 ? 5 : 0);
    end(b);
}
// Lanes 4 to 7 meet by themselves before they meet with lanes 0 to 3: that those wait does not let
// these go on, and what is stored between is seen.
static void warpsync_of_other_lanes(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 8);
    struct minst *in = branch(b, 0, false);
    emit_exit(b->p);
    in->target = (int32_t)at(b);
    emit(b->p, OP_MOV, ITYPE_B32, R(3), I(5), NONE_, NONE_);
    less(b, 0, R(0), 4);
    less(b, 1, R(0), 6);
    struct minst *low = branch(b, 0, false);
    struct minst *early = branch(b, 1, false);
    mark(b, 1); // lanes 6 and 7 come last
    early->target = (int32_t)at(b);
    emit(b->p, OP_WARPSYNC, ITYPE_NONE, NONE_, I(0xf0), NONE_, NONE_);
    emit(b->p, OP_ST, ITYPE_B32, NONE_, NONE_, R(3), NONE_)->space = SPACE_SHARED;
    low->target = (int32_t)at(b);
    emit(b->p, OP_WARPSYNC, ITYPE_NONE, NONE_, I(0xff), NONE_, NONE_);
    emit(b->p, OP_LD, ITYPE_B32, R(4), NONE_, NONE_, NONE_)->space = SPACE_SHARED;
    note_active(b, 6);
    b->p->im.shared_bytes = 16;
    finish(b);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(reg(b->p, 4)[i], 5);
        assert_int_equal(reg(b->p, 6)[i], 0xff);
        assert_int_equal(trace(b, i), i < 6 ? 0 : 1);
    }
    end(b);
}
// Lanes of odd and of even numbers, each with the mask of its kind. First those of both below 8 come,
// then the other even ones, then the other odd ones: the last two groups know nothing of each other.
static void groups_joined(void **state) {
    (void)state;
    struct bars *b = begin();
    emit(b->p, OP_LOP, ITYPE_B32, R(1), R(0), I(1), NONE_)->sub = MLOGIC_AND;
    emit(b->p, OP_SHL, ITYPE_B32, R(2), I(0x55555555), R(1), NONE_);
    less(b, 0, R(0), 8);
    less(b, 1, R(1), 1);
    struct minst *first = branch(b, 0, false);
    struct minst *second = branch(b, 1, false);
    mark(b, 1);
    struct minst *over = branch(b, PRED_TRUE, false);
    second->target = (int32_t)at(b);
    mark(b, 2);
    over->target = first->target = (int32_t)at(b);
    struct minst *shfl = emit(b->p, OP_SHFL, ITYPE_B32, R(7), R(0), I(30), I(31));
    shfl->sub = MSHFL_IDX;
    shfl->dst[1] = P(3);
    shfl->src[3] = R(2);
    finish(b);
    for (uint32_t i = 0; i < 32; i += 2) assert_int_equal(reg(b->p, 7)[i], 30);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(trace(b, i), i < 8 ? 0 : i & 1 ? 1 : 2);
    end(b);
}
static struct minst *sync_in(struct bars *b, enum msync how, uint32_t mask_reg) {
    struct minst *m = emit(b->p, OP_WARPSYNC, ITYPE_NONE, NONE_, R(mask_reg), NONE_, NONE_);
    m->sub = (uint8_t)how;
    return m;
}
// Lanes of odd and of even numbers, and lane 31 alone, come to one WARPSYNC.EXCLUSIVE together or by
// two ways: each group runs apart until the BSYNC behind it.
static void exclusive(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 2; way++) {
        struct bars *b = begin();
        emit(b->p, OP_LOP, ITYPE_B32, R(1), R(0), I(1), NONE_)->sub = MLOGIC_AND;
        emit(b->p, OP_SHL, ITYPE_B32, R(2), I(0x55555555), R(1), NONE_);
        emit(b->p, OP_LOP, ITYPE_B32, R(2), R(2), I(0x7fffffff), NONE_)->sub = MLOGIC_AND;
        less(b, 1, R(0), 31);
        emit(b->p, OP_SEL, ITYPE_B32, R(2), R(2), I(0x80000000u), P(1));
        use(b, BAR_BSSY, 0);
        less(b, 0, R(0), way ? 10 : 0);
        struct minst *skip = branch(b, 0, false);
        mark(b, 1);
        skip->target = (int32_t)at(b);
        sync_in(b, MSYNC_EXCLUSIVE, 2);
        note_active(b, 5);
        less(b, 2, R(0), 5); // a branch inside: they meet behind it, and none but they
        struct minst *inside = branch(b, 2, false);
        mark(b, 2);
        inside->target = (int32_t)at(b);
        use(b, BAR_BSYNC, 0);
        note_active(b, 6);
        finish(b);
        for (uint32_t i = 0; i < 32; i++) {
            const uint32_t mask = i == 31 ? 0x80000000u : i & 1 ? 0x2aaaaaaau : 0x55555555u;
            assert_int_equal(reg(b->p, 5)[i], mask);
            assert_int_equal(reg(b->p, 6)[i], ~0u);
        }
        end(b);
    }
}
// Lanes below 10 come to one COLLECTIVE and the others to a second one, which enclose the same
// shuffle: it is of all lanes, and each lane goes on behind its own. Where the two are of other
// registers, neither goes on.
static void collective(void **state) {
    (void)state;
    for (uint32_t is_other = 0; is_other < 2; is_other++) {
        struct bars *b = begin();
        emit(b->p, OP_MOV, ITYPE_B32, R(2), I(~0u), NONE_, NONE_);
        emit(b->p, OP_IADD, ITYPE_U32, R(3), R(0), I(100), NONE_);
        emit(b->p, OP_LOP, ITYPE_B32, R(4), R(0), I(31), NONE_)->sub = MLOGIC_XOR; // lane 31 - i
        emit(b->p, OP_MOV, ITYPE_B32, R(5), I(31), NONE_, NONE_);
        less(b, 0, R(0), 10);
        struct minst *low = branch(b, 0, false);
        struct minst *over = NULL;
        for (uint32_t side = 0; side < 2; side++) {
            if (side) low->target = (int32_t)at(b);
            mark(b, 1 + side);
            struct minst *sync = sync_in(b, MSYNC_COLLECTIVE, 2);
            struct minst *shfl =
                emit(b->p, OP_SHFL, ITYPE_B32, R(side && is_other ? 8 : 7), R(3), R(4), R(5));
            shfl->sub = MSHFL_IDX;
            shfl->dst[1] = P(3);
            note_active(b, 6);
            emit(b->p, OP_ENDCOLLECTIVE, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
            sync->target = (int32_t)at(b);
            mark(b, 3 + side);
            if (!side) over = branch(b, PRED_TRUE, false);
        }
        over->target = (int32_t)at(b);
        mark(b, 5);
        if (is_other) {
            emit_exit(b->p);
            start(b);
            assert_int_equal(run_warp0(b->p), EXEC_STUCK);
            end(b);
            continue;
        }
        finish(b);
        for (uint32_t i = 0; i < 32; i++) {
            assert_int_equal(reg(b->p, 7)[i], 100 + 31 - i);
            assert_int_equal(reg(b->p, 6)[i], ~0u);
            assert_int_equal(trace(b, i), i < 10 ? 245 : 135);
        }
        end(b);
    }
}
// Lanes that have ended are waited for by none, and a mask without the lane's own bit is a fault.
static void gather_ends(void **state) {
    (void)state;
    struct bars *b = begin();
    emit(b->p, OP_MOV, ITYPE_B32, R(2), I(~0u), NONE_, NONE_);
    less(b, 0, R(0), 4);
    struct minst *gone = branch(b, 0, false);
    sync_in(b, MSYNC_EXCLUSIVE, 2);
    note_active(b, 5);
    emit_exit(b->p);
    gone->target = (int32_t)at(b);
    finish(b);
    for (uint32_t i = 4; i < 32; i++) assert_int_equal(reg(b->p, 5)[i], 0xfffffff0u);
    end(b);
    b = begin();
    emit(b->p, OP_MOV, ITYPE_B32, R(2), I(0xfffffffeu), NONE_, NONE_);
    sync_in(b, MSYNC_COLLECTIVE, 2)->target = 2;
    emit_exit(b->p);
    start(b);
    assert_int_equal(run_warp0(b->p), EXEC_FAULT);
    end(b);
}
// Lane 0 waits for a flag that the others set behind the BSYNC at which they wait for it: with
// YIELD in the loop they go on without it; without, they wait for ever.
static void yield(void **state) {
    (void)state;
    for (int yields = 0; yields < 2; yields++) {
        struct bars *b = begin();
        less(b, 0, R(0), 1);
        use(b, BAR_BSSY, 0);
        struct minst *others = branch(b, 0, true);
        const int32_t top = (int32_t)at(b);
        if (yields) use(b, BAR_YIELD, 0);
        struct minst *ld = emit(b->p, OP_LD, ITYPE_B32, R(3), NONE_, NONE_, NONE_);
        ld->space = SPACE_SHARED;
        ld->flags = MF_VOLATILE;
        less(b, 1, R(3), 1);
        branch(b, 1, false)->target = top;
        others->target = (int32_t)at(b);
        use(b, BAR_BSYNC, 0);
        note_active(b, 6);
        emit(b->p, OP_MOV, ITYPE_B32, R(4), I(1), NONE_, NONE_);
        emit(b->p, OP_ST, ITYPE_B32, NONE_, NONE_, R(4), NONE_)->space = SPACE_SHARED;
        emit_exit(b->p);
        b->p->im.shared_bytes = 16;
        start(b);
        enum exec_outcome o = EXEC_NEXT;
        for (int n = 0; n < 10000 && o != EXEC_EXITED; n++) o = exec_step(&b->p->env, warp0(b->p));
        if (!yields) {
            assert_int_not_equal(o, EXEC_EXITED);
            struct exec_spin spin;
            assert_true(exec_spins(b->p->mem, warp0(b->p), 0, &spin));
            assert_int_equal(spin.lanes, 1);
            assert_int_equal(spin.parked, 0xfffffffeu);
            end(b);
            continue;
        }
        assert_int_equal(o, EXEC_EXITED);
        for (uint32_t i = 1; i < 32; i++) assert_int_equal(reg(b->p, 6)[i], 0xfffffffeu);
        assert_int_equal(reg(b->p, 6)[0], 1);
        end(b);
    }
}
// Without YIELD lanes that can run still have turns: a loop that waits for them ends.
static void turns(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 1);
    use(b, BAR_BSSY, 0);
    struct minst *others = branch(b, 0, true);
    const int32_t top = (int32_t)at(b);
    struct minst *ld = emit(b->p, OP_LD, ITYPE_B32, R(3), NONE_, NONE_, NONE_);
    ld->space = SPACE_SHARED;
    ld->flags = MF_VOLATILE;
    less(b, 1, R(3), 1);
    branch(b, 1, false)->target = top;
    struct minst *over = branch(b, PRED_TRUE, false);
    others->target = (int32_t)at(b);
    emit(b->p, OP_MOV, ITYPE_B32, R(4), I(1), NONE_, NONE_);
    emit(b->p, OP_ST, ITYPE_B32, NONE_, NONE_, R(4), NONE_)->space = SPACE_SHARED;
    over->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    note_active(b, 6);
    b->p->im.shared_bytes = 16;
    finish(b);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(b->p, 6)[i], ~0u);
    end(b);
}
// Lanes below 16 wait at B0 for all, the others at B1 for all: a deadlock, which is told.
static void deadlock(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 16);
    use(b, BAR_BSSY, 0);
    use(b, BAR_BSSY, 1);
    struct minst *low = branch(b, 0, false);
    use(b, BAR_BSYNC, 1);
    struct minst *over = branch(b, PRED_TRUE, false);
    low->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    over->target = (int32_t)at(b);
    emit_exit(b->p);
    start(b);
    assert_int_equal(run_warp0(b->p), EXEC_STUCK);
    char text[256];
    exec_waits_text(warp0(b->p), text, sizeof text);
    assert_non_null(strstr(text, "lanes 0x0000ffff wait"));
    assert_non_null(strstr(text, "for lanes 0xffff0000"));
    end(b);
}
// Threads come to a barrier of the block in both arms: those of the second arm open it.
static void block_barrier(void **state) {
    (void)state;
    struct bars *b = begin();
    less(b, 0, R(0), 16);
    use(b, BAR_BSSY, 0);
    struct minst *low = branch(b, 0, false);
    emit(b->p, OP_BAR, ITYPE_NONE, NONE_, I(0), NONE_, NONE_);
    struct minst *over = branch(b, PRED_TRUE, false);
    low->target = (int32_t)at(b);
    emit(b->p, OP_BAR, ITYPE_NONE, NONE_, I(0), NONE_, NONE_);
    over->target = (int32_t)at(b);
    use(b, BAR_BSYNC, 0);
    note_active(b, 6);
    emit_exit(b->p);
    start(b);
    struct exec_warp *w = warp0(b->p);
    assert_int_equal(run_warp0(b->p), EXEC_BARRIER);
    assert_int_equal(w->bar_flow, EXEC_GOES_ON);
    assert_int_equal(w->bar_less, 16);
    assert_int_equal(run_warp0(b->p), EXEC_BARRIER);
    assert_int_equal(w->bar_flow, EXEC_WAITS);
    exec_barrier_release(w, 0);
    assert_int_equal(run_warp0(b->p), EXEC_EXITED);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(b->p, 6)[i], ~0u);
    end(b);
}
// BRA.DIV is taken where lanes of the mask are elsewhere, BRA.CONV where none is; lanes that ended
// are nowhere.
static void branch_if_apart(void **state) {
    (void)state;
    for (int conv = 0; conv < 2; conv++)
        for (uint32_t low = 0; low <= 32; low += 16) {
            struct bars *b = begin();
            less(b, 0, R(0), 4);
            emit_exit(b->p)->guard = 0; // 0 to 3 end
            less(b, 0, R(0), low);
            emit(b->p, OP_MOV, ITYPE_B32, R(1), I(~0u), NONE_, NONE_);
            use(b, BAR_BSSY, 0);
            struct minst *split = branch(b, 0, false); // 16: apart; 0, 32: all go one way
            split->target = (int32_t)at(b) + 1;
            emit(b->p, OP_NOP, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
            const uint32_t k = use_reg(b, BAR_DIV, 0, 1);
            b->use[k].cmp = conv ? MCMP_EQ : MCMP_NE;
            mark(b, 1);
            b->use[k].target = (int32_t)at(b);
            mark(b, 2);
            use(b, BAR_BSYNC, 0); // where the first to come wait
            finish(b);
            const bool apart = low == 16;
            for (uint32_t i = 0; i < 32; i++)
                assert_int_equal(trace(b, i), i < 4 ? 0 : apart != (conv == 1) ? 2 : 12);
            end(b);
        }
}
// A return through registers that the code does not have.
static void bare_return(void **state) {
    (void)state;
    struct bars *b = begin();
    emit(b->p, OP_RET, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    emit_exit(b->p);
    start(b);
    assert_int_equal(run_warp0(b->p), EXEC_FAULT);
    assert_int_equal(b->p->env.fault.kind, FAULT_BAD_BRANCH);
    end(b);
}

// Random nested ifs, loops and early exits, as a compiler would place barriers, with YIELDs
// between: every lane computes what it does alone, and where no YIELD is, the lanes of a region
// leave it together.
struct source { // 0 a mark; 1 if (R0 bit) a; 2 if (R0 bit) a else b; 3 loop of 1 + (R0 bit) turns
    int kind;
    uint32_t bit, digit;
    int a, b, next; // indices, -1 none
};
static struct source nodes[200];
static int n_nodes;
static bool with_yields;
static int make_block(uint64_t *s, int depth) {
    int first = -1, last = -1;
    const int n = 1 + (int)(rnd64(s) % 3);
    for (int k = 0; k < n && n_nodes < 60; k++) {
        const int me = n_nodes++;
        nodes[me] = (struct source){.kind = depth && rnd64(s) % 3 ? 1 + (int)(rnd64(s) % 3) : 0,
                                    .bit = (uint32_t)(rnd64(s) % 5),
                                    .digit = (uint32_t)(rnd64(s) % 9 + 1),
                                    .a = -1,
                                    .b = -1,
                                    .next = -1};
        if (nodes[me].kind) {
            const int a = make_block(s, depth - 1);
            nodes[me].a = a;
            if (nodes[me].kind == 2) nodes[me].b = make_block(s, depth - 1);
        }
        if (last >= 0)
            nodes[last].next = me;
        else
            first = me;
        last = me;
    }
    return first;
}
enum { COUNT = 50, BEFORE = 60, WRONG = 41 }; // registers by depth
static void lower_block(struct bars *b, int node, uint32_t depth) {
    struct prog *p = b->p;
    for (; node >= 0; node = nodes[node].next) {
        const struct source *n = &nodes[node];
        if (!n->kind) {
            emit(p, OP_IMAD, ITYPE_U32, R(TRACE), R(TRACE), I(31), I(n->digit));
            if (with_yields && n->digit < 3) use(b, BAR_YIELD, 0);
            continue;
        }
        note_active(b, BEFORE + depth);
        use(b, BAR_BSSY, (uint8_t)depth);
        emit(p, OP_MOV, ITYPE_B32, R(COUNT + depth), I(0), NONE_, NONE_);
        const int32_t top = (int32_t)at(b);
        emit(p, OP_LOP, ITYPE_B32, R(1), R(0), I(1u << n->bit), NONE_)->sub = MLOGIC_AND;
        emit(p, OP_ISETP, ITYPE_U32, P(0), R(1), I(0), NONE_)->cmp = MCMP_NE;
        if (n->kind == 3) {
            lower_block(b, n->a, depth + 1);
            emit(p, OP_LOP, ITYPE_B32, R(1), R(0), I(1u << n->bit), NONE_)->sub = MLOGIC_AND;
            emit(p, OP_IADD, ITYPE_U32, R(COUNT + depth), R(COUNT + depth), I(1u << n->bit), NONE_);
            emit(p, OP_ISETP, ITYPE_U32, P(0), R(COUNT + depth), R(1), NONE_)->cmp = MCMP_LE;
            branch(b, 0, false)->target = top;
        } else {
            const uint32_t over = at(b);
            branch(b, 0, true);
            lower_block(b, n->a, depth + 1);
            const uint32_t j = at(b);
            if (n->kind == 2) branch(b, PRED_TRUE, false);
            p->inst[over].target = (int32_t)at(b);
            if (n->kind == 2) {
                lower_block(b, n->b, depth + 1);
                p->inst[j].target = (int32_t)at(b);
            }
        }
        use(b, BAR_BSYNC, (uint8_t)depth);
        // R41 |= active before ^ active now
        note_active(b, 2);
        emit(p, OP_LOP, ITYPE_B32, R(2), R(2), R(BEFORE + depth), NONE_)->sub = MLOGIC_XOR;
        emit(p, OP_LOP, ITYPE_B32, R(WRONG), R(WRONG), R(2), NONE_)->sub = MLOGIC_OR;
    }
}
static uint32_t interpret(int node, uint32_t lane, uint32_t v) {
    for (; node >= 0; node = nodes[node].next) {
        const struct source *n = &nodes[node];
        const bool bit = lane >> n->bit & 1;
        if (!n->kind)
            v = v * 31 + n->digit;
        else if (n->kind == 3)
            for (uint32_t k = 0; k <= bit; k++) v = interpret(n->a, lane, v);
        else if (bit)
            v = interpret(n->a, lane, v);
        else if (n->kind == 2)
            v = interpret(n->b, lane, v);
    }
    return v;
}
static void random_programs(void **state) {
    (void)state;
    uint64_t seed = 4711;
    for (int n = 0; n < 400; n++) {
        n_nodes = 0;
        with_yields = n % 2;
        const int root = make_block(&seed, 4);
        struct bars *b = begin();
        lower_block(b, root, 0);
        finish(b);
        for (uint32_t i = 0; i < 32; i++) {
            assert_int_equal(trace(b, i), interpret(root, i, 0));
            if (!with_yields) assert_int_equal(reg(b->p, WRONG)[i], 0);
        }
        end(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(if_else),
                                       cmocka_unit_test(empty_register),
                                       cmocka_unit_test(loop),
                                       cmocka_unit_test(break_leaves),
                                       cmocka_unit_test(break_by_predicate),
                                       cmocka_unit_test(exits),
                                       cmocka_unit_test(guarded_exit),
                                       cmocka_unit_test(same_register_in_both_arms),
                                       cmocka_unit_test(save_and_restore),
                                       cmocka_unit_test(recursion),
                                      cmocka_unit_test(calls),
                                       cmocka_unit_test(jump_tables),
                                       cmocka_unit_test(warpsync),
                                       cmocka_unit_test(warpsync_of_other_lanes),
                                       cmocka_unit_test(groups_joined),
                                       cmocka_unit_test(exclusive),
                                       cmocka_unit_test(collective),
                                       cmocka_unit_test(gather_ends),
                                       cmocka_unit_test(yield),
                                       cmocka_unit_test(turns),
                                       cmocka_unit_test(deadlock),
                                       cmocka_unit_test(block_barrier),
                                       cmocka_unit_test(branch_if_apart),
                                       cmocka_unit_test(bare_return),
                                       cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
