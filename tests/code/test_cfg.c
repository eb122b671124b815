// Dominators, post-dominators and loops against their definitions on random graphs.
#include "test_build.h"

enum { MAX_BLOCKS = 24 };

// A random function of n blocks, each with one plain instruction and a random end.
static void random_graph(struct builder *b, uint32_t n) {
    int32_t labels[MAX_BLOCKS];
    const uint32_t p = vpred(b), r = vreg(b, 1);
    for (uint32_t i = 0; i < n; i++) labels[i] = label(b);
    b->f.tables = arena_alloc(&b->arena, n * sizeof *b->f.tables);
    for (uint32_t i = 0; i < n; i++) {
        place(b, labels[i]);
        emit(b, OP_IADD, gpr(r), gpr(r), imm(i));
        switch (build_random(b, 12)) {
        case 0: emit(b, OP_EXIT, nothing, nothing, nothing); break;
        case 1: emit(b, OP_EXIT, nothing, nothing, nothing)->guard = p; break; // ends nothing
        case 2:
        case 3: emit_branch(b, labels[build_random(b, n)], VPRED_TRUE, false); break;
        case 4: {
            struct minst *m = emit(b, OP_BRX, nothing, gpr(r), nothing);
            struct branch_table *t = &b->f.tables[b->f.n_tables];
            m->aux = (uint16_t)b->f.n_tables++;
            t->n = 1 + build_random(b, 4);
            t->label = arena_alloc(&b->arena, t->n * sizeof *t->label);
            for (uint32_t j = 0; j < t->n; j++) t->label[j] = labels[build_random(b, n)];
            break;
        }
        case 5:
        case 6:
        case 7:
        case 8: emit_branch(b, labels[build_random(b, n)], p, build_random(b, 2)); break;
        default: break; // falls through
        }
    }
    emit(b, OP_EXIT, nothing, nothing, nothing);
}

// What can be reached from `from` when `without` is taken out (n: the end of the function).
static void reach(const struct cfg *c, uint32_t from, uint32_t without, bool *seen) {
    uint32_t stack[4 * MAX_BLOCKS], depth = 0;
    memset(seen, 0, MAX_BLOCKS * 2 + 2);
    if (from == without) return;
    stack[depth++] = from;
    seen[from] = true;
    while (depth) {
        const uint32_t x = stack[--depth];
        if (x == c->n) continue;
        const struct cfg_block *k = &c->block[x];
        for (uint32_t i = 0; i <= k->n_succ; i++) {
            if (i == k->n_succ && !k->exits) break;
            const uint32_t s = i == k->n_succ ? c->n : c->edge[k->succ + i];
            if (s == without || seen[s]) continue;
            seen[s] = true;
            stack[depth++] = s;
        }
    }
}

static void dominators_match_their_definition(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct builder b;
        build_init(&b, seed);
        random_graph(&b, 2 + build_random(&b, MAX_BLOCKS / 2 - 2));
        struct cfg *c = cfg_build(&b.arena, &b.f);
        cfg_dominators(c);
        cfg_post_dominators(c);
        cfg_loops(c);
        bool live[MAX_BLOCKS * 2 + 2], cut[MAX_BLOCKS * 2 + 2];
        reach(c, 0, UINT32_MAX, live);
        bool all_leave = true;
        for (uint32_t y = 0; y < c->n; y++) {
            assert_int_equal(live[y], c->block[y].rpo != UINT32_MAX);
            if (!live[y]) continue;
            reach(c, y, UINT32_MAX, cut);
            all_leave &= cut[c->n];
        }
        for (uint32_t x = 0; x < c->n; x++) {
            if (!live[x]) continue;
            reach(c, 0, x, cut);
            for (uint32_t y = 0; y < c->n; y++)
                if (live[y]) assert_int_equal(cfg_dominates(c, x, y), x == y || !cut[y]);
            assert_true(x == 0 ? c->block[x].idom < 0
                               : cfg_dominates(c, (uint32_t)c->block[x].idom, x));
            // the chain of post-dominators ends
            uint32_t steps = 0;
            for (int32_t p = (int32_t)x; p >= 0; p = c->block[p].ipdom)
                assert_true(steps++ <= c->n);
            if (!all_leave) continue;
            // y post-dominates x when x cannot leave without y; the chain lists just those
            bool chain[MAX_BLOCKS * 2 + 2] = {false};
            for (int32_t p = c->block[x].ipdom; p >= 0; p = c->block[p].ipdom) chain[p] = true;
            for (uint32_t y = 0; y < c->n; y++) {
                if (!live[y] || y == x) continue;
                reach(c, x, y, cut);
                assert_int_equal(chain[y], !cut[c->n]);
            }
        }
        build_free(&b);
    }
}

static void loops_nest(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t p = vpred(&b), r = vreg(&b, 1);
    const int32_t outer = label(&b), inner = label(&b);
    emit(&b, OP_MOV, gpr(r), imm(0), nothing);
    place(&b, outer);
    emit(&b, OP_IADD, gpr(r), gpr(r), imm(1));
    place(&b, inner);
    emit(&b, OP_IADD, gpr(r), gpr(r), imm(2));
    emit_branch(&b, inner, p, false);
    emit_branch(&b, outer, p, true);
    emit(&b, OP_EXIT, nothing, nothing, nothing);
    struct cfg *c = cfg_build(&b.arena, &b.f);
    cfg_dominators(c);
    cfg_post_dominators(c);
    cfg_loops(c);
    const uint32_t depth[] = {0, 1, 2, 1, 0};
    assert_int_equal(c->n, 5);
    for (uint32_t i = 0; i < c->n; i++) assert_int_equal(c->block[i].loop_depth, depth[i]);
    assert_int_equal(c->block[2].loop_head, 2);
    assert_int_equal(c->block[3].loop_head, 1);
    assert_int_equal(c->block[2].ipdom, 3);
    assert_int_equal(c->block[4].ipdom, -1);
    build_free(&b);
}

static void an_endless_loop_has_a_way_out_of_the_graph(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t p = vpred(&b), r = vreg(&b, 1);
    const int32_t head = label(&b), skip = label(&b);
    place(&b, head);
    emit_branch(&b, skip, p, false);
    emit(&b, OP_IADD, gpr(r), gpr(r), imm(1));
    place(&b, skip);
    emit(&b, OP_IADD, gpr(r), gpr(r), imm(1));
    emit_branch(&b, head, VPRED_TRUE, false);
    struct cfg *c = cfg_build(&b.arena, &b.f);
    cfg_dominators(c);
    cfg_post_dominators(c);
    assert_int_equal(c->n, 3);
    assert_int_equal(c->block[0].ipdom, 2);
    assert_int_equal(c->block[1].ipdom, 2);
    assert_int_equal(c->block[2].ipdom, -1);
    build_free(&b);
}

// if (p) { if (q) return; } rest: lanes that stay meet at the rest, the others are gone.
static void lanes_that_stay_meet_before_the_end(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t p = vpred(&b), q = vpred(&b), r = vreg(&b, 1);
    const int32_t stay = label(&b), loop = label(&b);
    place(&b, loop);
    emit_branch(&b, stay, p, false);                                // block 0
    emit_branch(&b, stay, q, false);                                // block 1
    emit(&b, OP_EXIT, nothing, nothing, nothing);                   // block 2
    place(&b, stay);
    emit(&b, OP_IADD, gpr(r), gpr(r), imm(1));                      // block 3
    emit_branch(&b, loop, p, true);
    emit(&b, OP_IADD, gpr(r), gpr(r), imm(2));                      // block 4
    emit(&b, OP_EXIT, nothing, nothing, nothing);
    struct cfg *c = cfg_build(&b.arena, &b.f);
    cfg_post_dominators(c);
    assert_int_equal(c->n, 5);
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(c->block[i].meet, -1);
    cfg_meeting_points(c);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(c->block[i].ipdom, -1);
    assert_int_equal(c->block[0].meet, 3);
    assert_int_equal(c->block[3].meet, 4);
    assert_int_equal(c->block[4].meet, -1);
    build_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominators_match_their_definition),
        cmocka_unit_test(loops_nest),
        cmocka_unit_test(an_endless_loop_has_a_way_out_of_the_graph),
        cmocka_unit_test(lanes_that_stay_meet_before_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
