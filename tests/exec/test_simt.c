// Divergence: branches and their meeting points, loops, calls, returns, exits, tables; how deep the
// stack goes and how often it is pushed. Programs leave a trace of what ran under which lanes.
#include "test_asm.h"

enum { TRACE = 40 }; // R40: product of steps, so that order shows

// R40 = R40 * 10 + digit
static void mark(struct prog *p, uint32_t digit) {
    emit(p, OP_IMAD, ITYPE_U32, R(TRACE), R(TRACE), I(10), I(digit));
}
static struct minst *branch(struct prog *p, uint32_t guard, bool not ) {
    struct minst *m = emit(p, OP_BRA, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    m->guard = guard;
    m->guard_not = not ;
    return m;
}
#define AT (p->im.n_insts)
static void less(struct prog *p, uint32_t pred, struct opnd a, uint32_t than) {
    emit(p, OP_ISETP, ITYPE_U32, P(pred), a, I(than), NONE_)->cmp = MCMP_LT;
}
static struct prog *begin(void) {
    struct prog *p = prog_new();
    emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_laneid;
    return p;
}
static void finish(struct prog *p) {
    emit_exit(p);
    prog_start(p);
    assert_int_equal(run_warp0(p), EXEC_EXITED);
    assert_int_equal(warp0(p)->live, 0);
    assert_int_equal(warp0(p)->sp, 0);
}

static void if_else(void **state) {
    (void)state;
    struct prog *p = begin();
    less(p, 0, R(0), 10);
    struct minst *b = branch(p, 0, false);
    mark(p, 1); // lanes 10 and above
    struct minst *j = branch(p, PRED_TRUE, false);
    b->target = (int32_t)AT;
    mark(p, 2); // lanes below 10
    b->reconv = j->target = (int32_t)AT;
    mark(p, 3);
    finish(p);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(p, TRACE)[i], i < 10 ? 23 : 13);
    assert_int_equal(warp0(p)->pushes, 2);
    assert_int_equal(warp0(p)->pops, 2);
    prog_free(p);
}
// The taken side runs first.
static void taken_first(void **state) {
    (void)state;
    struct prog *p = begin();
    less(p, 0, R(0), 10);
    struct minst *b = branch(p, 0, false);
    emit(p, OP_NOP, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    struct minst *j = branch(p, PRED_TRUE, false);
    b->target = (int32_t)AT;
    emit(p, OP_NOP, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    b->reconv = j->target = (int32_t)AT;
    emit_exit(p);
    prog_start(p);
    for (int k = 0; k < 3; k++) exec_step(&p->env, warp0(p));
    assert_int_equal(warp0(p)->pc, b->target);
    assert_int_equal(warp0(p)->active, 0x3ff);
    assert_int_equal(warp0(p)->sp, 2);
    exec_step(&p->env, warp0(p));
    assert_int_equal(warp0(p)->pc, 3);
    assert_int_equal(warp0(p)->active, ~0x3ffu);
    exec_step(&p->env, warp0(p));
    exec_step(&p->env, warp0(p));
    assert_int_equal(warp0(p)->active, ~0u);
    assert_int_equal(warp0(p)->sp, 0);
    assert_int_equal(warp0(p)->pc, b->reconv);
    prog_free(p);
}
// if without else in both senses: the lanes that jump wait at the meeting point.
static void if_only(void **state) {
    (void)state;
    struct prog *p = begin();
    less(p, 0, R(0), 5);
    struct minst *b = branch(p, 0, true); // lanes 5 and above skip
    mark(p, 1);
    b->target = b->reconv = (int32_t)AT;
    mark(p, 2);
    finish(p);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(p, TRACE)[i], i < 5 ? 12 : 2);
    assert_int_equal(warp0(p)->pushes, 1);
    prog_free(p);
}
static void uniform_branches_push_nothing(void **state) {
    (void)state;
    struct prog *p = begin();
    less(p, 0, R(0), 32);
    struct minst *b = branch(p, 0, false);
    mark(p, 9);
    b->target = (int32_t)AT;
    b->reconv = (int32_t)AT;
    less(p, 0, R(0), 0);
    b = branch(p, 0, false);
    mark(p, 1);
    b->target = b->reconv = (int32_t)AT;
    finish(p);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(p, TRACE)[i], 1);
    assert_int_equal(warp0(p)->pushes, 0);
    prog_free(p);
}
// Lane i goes round i + 1 times; one entry is enough for the whole loop.
static void loop(void **state) {
    (void)state;
    struct prog *p = begin();
    const int32_t top = (int32_t)AT;
    emit(p, OP_IADD, ITYPE_U32, R(1), R(1), I(1), NONE_);
    emit(p, OP_ISETP, ITYPE_U32, P(0), R(1), R(0), NONE_)->cmp = MCMP_LE;
    struct minst *b = branch(p, 0, false);
    b->target = top;
    b->reconv = (int32_t)AT;
    mark(p, 7);
    emit_exit(p);
    prog_start(p);
    uint32_t deepest = 0, steps = 0;
    while (exec_step(&p->env, warp0(p)) != EXEC_EXITED) {
        if (warp0(p)->sp > deepest) deepest = warp0(p)->sp;
        assert_true(++steps < 1000);
    }
    assert_int_equal(deepest, 1);
    assert_int_equal(warp0(p)->pushes, 1);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(reg(p, 1)[i], i + 1);
        assert_int_equal(reg(p, TRACE)[i], 7);
    }
    prog_free(p);
}
// A loop with an if inside and a break out of it: all meet behind the loop.
static void nested(void **state) {
    (void)state;
    struct prog *p = begin();
    const int32_t top = (int32_t)AT;
    emit(p, OP_IADD, ITYPE_U32, R(1), R(1), I(1), NONE_);
    emit(p, OP_LOP, ITYPE_B32, R(2), R(0), R(1), NONE_)->sub = MLOGIC_XOR;
    emit(p, OP_LOP, ITYPE_B32, R(2), R(2), I(1), NONE_)->sub = MLOGIC_AND;
    less(p, 0, R(2), 1);
    struct minst *odd = branch(p, 0, true);
    emit(p, OP_IADD, ITYPE_U32, R(3), R(3), I(1), NONE_);
    odd->target = odd->reconv = (int32_t)AT;
    emit(p, OP_ISETP, ITYPE_U32, P(1), R(1), R(0), NONE_)->cmp = MCMP_GT;
    struct minst *stop = branch(p, 1, false);
    struct minst *back = branch(p, PRED_TRUE, false);
    back->target = top;
    stop->target = stop->reconv = (int32_t)AT;
    mark(p, 5);
    finish(p);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t evens = 0;
        for (uint32_t k = 1; k <= i + 1; k++) evens += ((i ^ k) & 1) == 0;
        assert_int_equal(reg(p, 1)[i], i + 1);
        assert_int_equal(reg(p, 3)[i], evens);
        assert_int_equal(reg(p, TRACE)[i], 5);
    }
    prog_free(p);
}
static void guarded_exit(void **state) {
    (void)state;
    struct prog *p = begin();
    less(p, 0, R(0), 8);
    less(p, 1, R(0), 20);
    struct minst *b = branch(p, 1, false); // lanes 0..19
    mark(p, 1);
    struct minst *j = branch(p, PRED_TRUE, false);
    b->target = (int32_t)AT;
    emit(p, OP_EXIT, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_)->guard = 0; // lanes 0..7 end
    mark(p, 2);
    b->reconv = j->target = (int32_t)AT;
    mark(p, 3);
    emit(p, OP_ACTIVEMASK, ITYPE_B32, R(5), NONE_, NONE_, NONE_);
    finish(p);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(reg(p, TRACE)[i], i < 8 ? 0 : i < 20 ? 23 : 13);
        assert_int_equal(reg(p, 5)[i], i < 8 ? 0 : 0xffffff00u);
    }
    prog_free(p);
}
// A whole side ends: the other goes on alone.
static void one_side_ends(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct prog *p = begin();
        less(p, 0, R(0), 12);
        struct minst *b = branch(p, 0, which);
        b->reconv = -1;
        mark(p, 1);
        emit_exit(p);
        b->target = (int32_t)AT;
        mark(p, 2);
        finish(p);
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(reg(p, TRACE)[i], (i < 12) != (which == 1) ? 2 : 1);
        prog_free(p);
    }
}
static void partial_warp(void **state) {
    (void)state;
    struct prog *p = begin();
    p->args.block[0] = 13;
    mark(p, 4);
    finish(p);
    assert_int_equal(warp0(p)->exists, 0x1fff);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(p, TRACE)[i], i < 13 ? 4 : 0);
    prog_free(p);
}

// ---- calls ----------------------------------------------------------------------------------
static struct minst *call_to(struct prog *p, int32_t target, uint32_t guard) {
    struct minst *m = emit(p, OP_CALL, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    m->target = target;
    m->guard = guard;
    return m;
}
static void guarded_call(void **state) {
    (void)state;
    struct prog *p = begin();
    less(p, 0, R(0), 6);
    struct minst *c = call_to(p, 0, 0);
    mark(p, 3);
    emit_exit(p);
    c->target = (int32_t)AT;
    mark(p, 1);
    emit(p, OP_RET, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    finish(p);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(p, TRACE)[i], i < 6 ? 13 : 3);
    prog_free(p);
}
// Returns in the middle of a divergent function, exits in it, and a caller that diverges as well.
static void early_returns(void **state) {
    (void)state;
    struct prog *p = begin();
    less(p, 0, R(0), 24);
    struct minst *b = branch(p, 0, false);
    mark(p, 8);
    struct minst *j = branch(p, PRED_TRUE, false);
    b->target = (int32_t)AT;
    struct minst *c = call_to(p, 0, PRED_TRUE);
    mark(p, 4);
    b->reconv = j->target = (int32_t)AT;
    mark(p, 5);
    emit(p, OP_ACTIVEMASK, ITYPE_B32, R(6), NONE_, NONE_, NONE_);
    emit_exit(p);
    c->target = (int32_t)AT; // function
    less(p, 1, R(0), 4);
    emit(p, OP_EXIT, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_)->guard = 1; // 0..3 end
    less(p, 1, R(0), 10);
    struct minst *in = branch(p, 1, false); // 4..9, no common point but the return
    in->reconv = -1;
    mark(p, 2);
    less(p, 2, R(0), 14);
    emit(p, OP_RET, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_)->guard = 2; // 10..13 go early
    mark(p, 3);
    emit(p, OP_RET, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    in->target = (int32_t)AT;
    mark(p, 1);
    emit(p, OP_RET, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    finish(p);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t want = i < 4 ? 0 : i < 10 ? 145 : i < 14 ? 245 : i < 24 ? 2345 : 85;
        assert_int_equal(reg(p, TRACE)[i], want);
        assert_int_equal(reg(p, 6)[i], i < 4 ? 0 : 0xfffffff0u);
    }
    prog_free(p);
}
// f(n): n == lane ? return : f(n + 1), as deep as 31 frames; then without end.
static void recursion(void **state) {
    (void)state;
    struct prog *p = begin();
    struct minst *c = call_to(p, 0, PRED_TRUE);
    mark(p, 9);
    emit_exit(p);
    const int32_t f = c->target = (int32_t)AT;
    emit(p, OP_IADD, ITYPE_U32, R(1), R(1), I(1), NONE_);
    emit(p, OP_ISETP, ITYPE_U32, P(0), R(1), R(0), NONE_)->cmp = MCMP_GT;
    struct minst *b = branch(p, 0, false);
    call_to(p, f, PRED_TRUE);
    b->target = b->reconv = (int32_t)AT;
    emit(p, OP_IADD, ITYPE_U32, R(2), R(2), I(1), NONE_);
    emit(p, OP_RET, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    emit_exit(p);
    prog_start(p);
    assert_int_equal(run_warp0(p), EXEC_EXITED);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(reg(p, 1)[i], i + 1);
        assert_int_equal(reg(p, 2)[i], i + 1);
        assert_int_equal(reg(p, TRACE)[i], 9);
    }
    assert_true(warp0(p)->stack_cap >= 64);
    prog_free(p);

    p = begin();
    c = call_to(p, 1, PRED_TRUE);
    emit_exit(p);
    prog_start(p);
    assert_int_equal(run_warp0(p), EXEC_FAULT);
    assert_int_equal(p->env.fault.kind, FAULT_STACK);
    assert_non_null(strstr(p->env.fault.text, "endless recursion"));
    prog_free(p);
}
static void indirect_calls(void **state) {
    (void)state;
    struct prog *p = begin();
    static uint32_t func_pc[3];
    struct minst *m = emit(p, OP_CALLI, ITYPE_NONE, NONE_, RD(4), NONE_, NONE_);
    (void)m;
    mark(p, 9);
    emit(p, OP_ACTIVEMASK, ITYPE_B32, R(6), NONE_, NONE_, NONE_);
    emit_exit(p);
    for (uint32_t k = 0; k < 3; k++) {
        func_pc[k] = AT;
        emit(p, OP_ACTIVEMASK, ITYPE_B32, R(7), NONE_, NONE_, NONE_);
        mark(p, k + 1);
        emit(p, OP_RET, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    }
    p->im.func_pc = func_pc;
    p->im.n_funcs = 3;
    prog_start(p);
    for (uint32_t i = 0; i < 32; i++) set64(p, 4, i, CODE_FUNC_ADDRESS(i % 3));
    assert_int_equal(run_warp0(p), EXEC_EXITED);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(reg(p, TRACE)[i], (i % 3 + 1) * 10 + 9);
        assert_int_equal(reg(p, 6)[i], ~0u);
        assert_int_equal(reg(p, 7)[i], i % 3 == 0   ? 0x49249249
                                       : i % 3 == 1 ? 0x92492492u
                                                    : 0x24924924);
    }
    prog_start(p);
    for (uint32_t i = 0; i < 32; i++) set64(p, 4, i, i == 20 ? 0x1234 : CODE_FUNC_ADDRESS(0));
    assert_int_equal(run_warp0(p), EXEC_FAULT);
    assert_int_equal(p->env.fault.kind, FAULT_BAD_CALL);
    assert_int_equal(p->env.fault.lane, 20);
    prog_free(p);
}
static void tables(void **state) {
    (void)state;
    struct prog *p = begin();
    static uint32_t to[4];
    static struct code_table table = {to, 4};
    p->im.tables = &table;
    p->im.n_tables = 1;
    emit(p, OP_LOP, ITYPE_B32, R(1), R(0), I(3), NONE_)->sub = MLOGIC_AND;
    struct minst *x = emit(p, OP_BRX, ITYPE_NONE, NONE_, R(1), NONE_, NONE_);
    struct minst *j[3];
    for (uint32_t k = 0; k < 3; k++) {
        to[k] = AT;
        mark(p, k + 1);
        j[k] = branch(p, PRED_TRUE, false);
    }
    to[3] = AT; // straight to the meeting point
    x->reconv = (int32_t)AT;
    for (uint32_t k = 0; k < 3; k++) j[k]->target = (int32_t)AT;
    mark(p, 7);
    emit(p, OP_ACTIVEMASK, ITYPE_B32, R(6), NONE_, NONE_, NONE_);
    finish(p);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(reg(p, TRACE)[i], (i & 3) == 3 ? 7 : ((i & 3) + 1) * 10 + 7);
        assert_int_equal(reg(p, 6)[i], ~0u);
    }
    prog_start(p);
    x->src[0] = R(0);
    prog_start(p);
    assert_int_equal(run_warp0(p), EXEC_FAULT);
    assert_int_equal(p->env.fault.kind, FAULT_BAD_BRANCH);
    assert_int_equal(p->env.fault.lane, 4);
    prog_free(p);
}
// Random structured programs against lane-by-lane interpretation of the same source.
struct node { // if (R0 & bit) { a } else { b }, or a mark
    int kind;
    uint32_t bit, digit;
    int a, b, next; // indices, -1 none
};
static struct node nodes[200];
static int n_nodes;
static int make_block(uint64_t *s, int depth) {
    int first = -1, last = -1;
    const int n = 1 + (int)(rnd64(s) % 3);
    for (int k = 0; k < n && n_nodes < 190; k++) {
        const int me = n_nodes++;
        nodes[me] = (struct node){.kind = depth && rnd64(s) % 3 ? 1 + (int)(rnd64(s) % 2) : 0,
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
static void lower_block(struct prog *p, int at) {
    for (; at >= 0; at = nodes[at].next) {
        const struct node *n = &nodes[at];
        if (!n->kind) {
            emit(p, OP_IMAD, ITYPE_U32, R(TRACE), R(TRACE), I(31), I(n->digit));
            continue;
        }
        emit(p, OP_LOP, ITYPE_B32, R(1), R(0), I(1u << n->bit), NONE_)->sub = MLOGIC_AND;
        emit(p, OP_ISETP, ITYPE_U32, P(0), R(1), I(0), NONE_)->cmp = MCMP_NE;
        const uint32_t b = AT;
        branch(p, 0, true);
        lower_block(p, n->a);
        uint32_t j = 0;
        if (n->kind == 2) {
            j = AT;
            branch(p, PRED_TRUE, false);
        }
        p->inst[b].target = (int32_t)AT;
        if (n->kind == 2) lower_block(p, n->b);
        p->inst[b].reconv = (int32_t)AT;
        if (n->kind == 2) p->inst[j].target = (int32_t)AT;
    }
}
static uint32_t interpret(int at, uint32_t lane, uint32_t v) {
    for (; at >= 0; at = nodes[at].next) {
        const struct node *n = &nodes[at];
        if (!n->kind)
            v = v * 31 + n->digit;
        else if (lane >> n->bit & 1)
            v = interpret(n->a, lane, v);
        else if (n->kind == 2)
            v = interpret(n->b, lane, v);
    }
    return v;
}
static void random_programs(void **state) {
    (void)state;
    uint64_t seed = 4711;
    for (int n = 0; n < 300; n++) {
        n_nodes = 0;
        const int root = make_block(&seed, 4);
        struct prog *p = begin();
        lower_block(p, root);
        finish(p);
        for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(p, TRACE)[i], interpret(root, i, 0));
        assert_int_equal(warp0(p)->pushes, warp0(p)->pops);
        prog_free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_else),        cmocka_unit_test(taken_first),
        cmocka_unit_test(if_only),        cmocka_unit_test(uniform_branches_push_nothing),
        cmocka_unit_test(loop),           cmocka_unit_test(nested),
        cmocka_unit_test(guarded_exit),   cmocka_unit_test(one_side_ends),
        cmocka_unit_test(partial_warp),   cmocka_unit_test(guarded_call),
        cmocka_unit_test(early_returns),  cmocka_unit_test(recursion),
        cmocka_unit_test(indirect_calls), cmocka_unit_test(tables),
        cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
