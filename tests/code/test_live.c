// Liveness: against the plain definition on random programs without guards, and the cases that
// guards bring, one by one.
#include "code/live.h"
#include "test_random.h"

static struct live *analyse(struct builder *b) {
    struct cfg *c = cfg_build(&b->arena, &b->f);
    return live_build(&b->arena, &b->f, c);
}

// What is live before instruction `at`, as live_step_back tells.
static void live_before(const struct live *l, struct builder *b, uint32_t at,
                        struct slot_set *now) {
    slot_set_init(now, &b->arena, l->n_slots);
    const uint32_t block = l->cfg->block_of[at];
    live_block_end(l, block, now);
    for (uint32_t i = l->cfg->block[block].first + l->cfg->block[block].n; i-- > at;)
        live_step_back(l, i, now);
}

// The definition, instruction by instruction: live before = read, or live behind and not written.
static void by_definition(const struct live *l, const struct mfunc *f, uint8_t *in) {
    const uint32_t n = f->inst.n, slots = l->n_slots;
    uint32_t slot[LIVE_MAX_READS];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = n; i-- > 0;) {
            const struct minst *m = &f->inst.at[i];
            const struct cfg_block *b = &l->cfg->block[l->cfg->block_of[i]];
            uint8_t *row = in + (size_t)i * slots;
            uint8_t *out = test_calloc(slots, 1);
            if (i + 1 < b->first + b->n)
                memcpy(out, row + slots, slots);
            else
                for (uint32_t e = 0; e < b->n_succ; e++) {
                    const uint32_t to = l->cfg->block[l->cfg->edge[b->succ + e]].first;
                    for (uint32_t s = 0; s < slots; s++) out[s] |= in[(size_t)to * slots + s];
                }
            for (unsigned which = 0; which < MINST_DSTS; which++)
                for (uint32_t k = live_writes(l, m, which, slot); k-- > 0;)
                    if (m->guard == VPRED_TRUE) out[slot[k]] = 0;
            for (uint32_t k = live_reads(l, m, slot); k-- > 0;) out[slot[k]] = 1;
            if (m->guard != VPRED_TRUE) out[l->pred_base + m->guard] = 1;
            for (uint32_t s = 0; s < slots; s++) changed |= row[s] != out[s];
            memcpy(row, out, slots);
            test_free(out);
        }
    }
}

static void random_programs_match_the_definition(void **state) {
    (void)state;
    const struct shape shapes[] = {
        {.blocks = 6, .ops = 6, .words = 6, .pairs = 2, .quads = 1, .preds = 3},
        {.blocks = 12, .ops = 4, .words = 4, .pairs = 1, .preds = 2, .calls = true}};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct builder b;
        build_init(&b, seed);
        random_program(&b, shapes[seed & 1]);
        const bool guards = seed % 3 == 0;
        for (uint32_t i = 0; !guards && i < b.f.inst.n; i++) {
            struct minst *m = &b.f.inst.at[i];
            if (m->op != OP_BRA && m->op != OP_EXIT) m->guard = VPRED_TRUE;
        }
        const struct live *l = analyse(&b);
        uint8_t *in = test_calloc((size_t)b.f.inst.n * l->n_slots, 1);
        by_definition(l, &b.f, in);
        for (uint32_t i = 0; i < b.f.inst.n; i++) {
            if (l->cfg->block[l->cfg->block_of[i]].rpo == UINT32_MAX) continue;
            struct slot_set now;
            live_before(l, &b, i, &now);
            for (uint32_t s = 0; s < l->n_slots; s++) {
                // guards only ever make less live than taking them as no writes at all
                const bool plain = in[(size_t)i * l->n_slots + s], ours = slot_set_has(&now, s);
                if (guards ? ours && !plain : ours != plain)
                    fail_msg("seed %llu: slot %u before %u: %d", (unsigned long long)seed, s, i,
                             ours);
            }
        }
        test_free(in);
        build_free(&b);
    }
}

static bool is_live(struct builder *b, const struct live *l, uint32_t slot, uint32_t at) {
    struct slot_set now;
    live_before(l, b, at, &now);
    return slot_set_has(&now, slot);
}

static struct minst *guarded(struct minst *m, uint32_t p, bool not ) {
    m->guard = p;
    m->guard_not = not ;
    return m;
}

// p = ...; @p a = 1; use of a, differently guarded in each test
static struct live *one_guarded_write(struct builder *b, uint32_t *a, uint32_t *p, bool use_guarded,
                                      bool other_side) {
    build_init(b, 1);
    *a = vreg(b, 1);
    *p = vpred(b);
    const uint32_t x = vreg(b, 1);
    emit(b, OP_S2R, gpr(x), nothing, nothing);
    emit(b, OP_S2R, gpr(*a), nothing, nothing);
    emit(b, OP_ISETP, pred(*p), gpr(x), imm(3))->cmp = MCMP_LT;
    guarded(emit(b, OP_IADD, gpr(*a), gpr(x), imm(1)), *p, false);
    if (other_side) guarded(emit(b, OP_IADD, gpr(*a), gpr(x), imm(2)), *p, true);
    struct minst *st = emit(b, OP_ST, nothing, gpr(x), gpr(*a));
    if (use_guarded) guarded(st, *p, false);
    emit(b, OP_EXIT, nothing, nothing, nothing);
    return analyse(b);
}

static void a_guarded_write_keeps_what_was_there(void **state) {
    (void)state;
    struct builder b;
    uint32_t a, p;
    struct live *l = one_guarded_write(&b, &a, &p, false, false);
    assert_true(is_live(&b, l, l->word_base[a], 3));
    // no first result; the others do not exist
    assert_int_equal(l->kills[3], (1u << MINST_DSTS) - 2);
    build_free(&b);
}

static void readers_under_the_same_guard_need_no_more(void **state) {
    (void)state;
    struct builder b;
    uint32_t a, p;
    struct live *l = one_guarded_write(&b, &a, &p, true, false);
    assert_false(is_live(&b, l, l->word_base[a], 3));
    assert_true(is_live(&b, l, l->word_base[a], 4));
    build_free(&b);
}

static void both_sides_make_a_whole(void **state) {
    (void)state;
    struct builder b;
    uint32_t a, p;
    struct live *l = one_guarded_write(&b, &a, &p, false, true);
    assert_false(is_live(&b, l, l->word_base[a], 3));
    assert_true(is_live(&b, l, l->word_base[a], 4));
    build_free(&b);
}

// A predicate written in between is another predicate.
static void a_new_predicate_is_another(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t a = vreg(&b, 1), x = vreg(&b, 1), p = vpred(&b);
    emit(&b, OP_S2R, gpr(x), nothing, nothing);
    emit(&b, OP_S2R, gpr(a), nothing, nothing);
    emit(&b, OP_ISETP, pred(p), gpr(x), imm(3))->cmp = MCMP_LT;
    guarded(emit(&b, OP_IADD, gpr(a), gpr(x), imm(1)), p, false);
    emit(&b, OP_ISETP, pred(p), gpr(x), imm(5))->cmp = MCMP_LT;
    guarded(emit(&b, OP_ST, nothing, gpr(x), gpr(a)), p, false);
    emit(&b, OP_EXIT, nothing, nothing, nothing);
    struct live *l = analyse(&b);
    assert_true(is_live(&b, l, l->word_base[a], 3));
    build_free(&b);
}

// A register written only under a guard does not live from the start of the kernel.
static void nothing_lives_before_its_first_write(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t a = vreg(&b, 1), x = vreg(&b, 1), p = vpred(&b);
    const int32_t head = label(&b);
    emit(&b, OP_S2R, gpr(x), nothing, nothing);
    emit(&b, OP_ISETP, pred(p), gpr(x), imm(3))->cmp = MCMP_LT;
    place(&b, head);
    emit(&b, OP_IADD, gpr(x), gpr(x), imm(1));
    emit_branch(&b, head, p, false);
    guarded(emit(&b, OP_IADD, gpr(a), gpr(x), imm(1)), p, false);
    emit(&b, OP_ST, nothing, gpr(x), gpr(a));
    emit(&b, OP_EXIT, nothing, nothing, nothing);
    struct live *l = analyse(&b);
    for (uint32_t i = 0; i <= 4; i++) assert_false(is_live(&b, l, l->word_base[a], i));
    assert_true(is_live(&b, l, l->word_base[a], 5));
    build_free(&b);
}

static void words_of_a_pair_live_apart(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t a = vreg(&b, 2), x = vreg(&b, 1);
    emit(&b, OP_S2R, gpr_sub(a, 0, 1), nothing, nothing);
    emit(&b, OP_S2R, gpr_sub(a, 1, 1), nothing, nothing);
    emit(&b, OP_IADD, gpr(x), gpr_sub(a, 0, 1), imm(1));
    emit(&b, OP_ST, nothing, gpr(x), gpr_sub(a, 1, 1));
    emit(&b, OP_EXIT, nothing, nothing, nothing);
    struct live *l = analyse(&b);
    assert_true(is_live(&b, l, l->word_base[a], 2));
    assert_false(is_live(&b, l, l->word_base[a], 3));
    assert_true(is_live(&b, l, l->word_base[a] + 1, 3));
    assert_int_equal(live_max_pressure(l).words, 2);
    build_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_match_the_definition),
        cmocka_unit_test(a_guarded_write_keeps_what_was_there),
        cmocka_unit_test(readers_under_the_same_guard_need_no_more),
        cmocka_unit_test(both_sides_make_a_whole),
        cmocka_unit_test(a_new_predicate_is_another),
        cmocka_unit_test(nothing_lives_before_its_first_write),
        cmocka_unit_test(words_of_a_pair_live_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
