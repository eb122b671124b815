// The rows that say which handler computes an instruction: of each operation exactly one takes any
// form, whatever its types, modifiers and operands; and no handler is out of use.
#include "test_asm.h"

#include "exec/forms.h"
#include "exec/handlers.h"

// What the rows of an operation ask about: the rest need not be tried.
struct asked {
    bool types, stypes, cmps, rnds, subs, has_rest;
    uint64_t facts;
};
static struct asked asked_by(const struct forms *f) {
    struct asked a = {0};
    for (uint32_t i = 0; i < f->n; i++) {
        const struct form *r = &f->row[i];
        a.types |= r->types != 0;
        a.stypes |= r->stypes != 0;
        a.cmps |= r->cmps != 0;
        a.rnds |= r->rnds != 0;
        a.subs |= r->subs != 0;
        a.has_rest |= r->is_rest;
        a.facts |= r->all | r->none | r->any;
    }
    return a;
}
static bool both(uint64_t facts, enum form_fact a, enum form_fact b) {
    return facts >> a & facts >> b & 1;
}
// Facts that exclude each other.
static bool is_possible(uint64_t f) {
    return !both(f, FACT_ONE_WORD, FACT_TWO_WORDS) && !both(f, FACT_IN_GLOBAL, FACT_IN_SHARED) &&
           !both(f, FACT_IN_GLOBAL, FACT_IN_LOCAL) && !both(f, FACT_IN_SHARED, FACT_IN_LOCAL);
}
static uint32_t takers(const struct forms *f, const struct form_key *k) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) n += !f->row[i].is_rest && form_takes(&f->row[i], k);
    return n;
}
static void try_facts(enum mop op, const struct forms *f, const struct asked *a,
                      struct form_key k) {
    uint64_t facts = 0;
    do {
        k.facts = facts;
        const uint32_t n = is_possible(facts) ? takers(f, &k) : 1;
        if (n != 1 && !(n == 0 && a->has_rest))
            fail_msg("%s: %u rows take type %s, from %s, comparison %u, rounding %u, sub %u, facts "
                     "0x%llx",
                     mop_info[op].text, n, isa_type_text(k.type), isa_type_text(k.stype), k.cmp,
                     k.rnd, k.sub, (unsigned long long)facts);
        facts = (facts - a->facts) & a->facts; // the next subset
    } while (facts);
}
static void one_row_takes_a_form(void **state) {
    (void)state;
    for (uint32_t op = 0; op < OP_N; op++) {
        const struct forms *f = forms_of(op);
        if (!f->n) fail_msg("%s has no row", mop_info[op].text);
        const struct asked a = asked_by(f);
        assert_true(bits_count32((uint32_t)a.facts) + bits_count32((uint32_t)(a.facts >> 32)) < 16);
        for (uint32_t type = 0; type < (a.types ? ITYPE_N : 1u); type++)
            for (uint32_t from = 0; from < (a.stypes ? ITYPE_N : 1u); from++)
                for (uint32_t cmp = 0; cmp < (a.cmps ? MCMP_NAN + 1u : 1u); cmp++)
                    for (uint32_t rnd = 0; rnd < (a.rnds ? MRND_RNA + 1u : 1u); rnd++)
                        for (uint32_t sub = 0; sub < (a.subs ? 65u : 1u); sub++)
                            try_facts(op, f, &a,
                                      (struct form_key){.type = (uint8_t)type,
                                                        .stype = (uint8_t)from,
                                                        .cmp = (uint8_t)cmp,
                                                        .rnd = (uint8_t)rnd,
                                                        .sub = (uint8_t)sub});
    }
}
// At most one row takes the rest, and it asks nothing.
static void rests(void **state) {
    (void)state;
    for (uint32_t op = 0; op < OP_N; op++) {
        const struct forms *f = forms_of(op);
        uint32_t n = 0;
        for (uint32_t i = 0; i < f->n; i++) {
            const struct form *r = &f->row[i];
            if (!r->is_rest) continue;
            n++;
            assert_false(r->types || r->stypes || r->all || r->none || r->any || r->subs ||
                         r->cmps || r->rnds);
        }
        assert_true(n <= 1);
    }
}
static void every_handler_has_a_row(void **state) {
    (void)state;
    static const uint16_t size[LEVEL_TABLES] = {
        [TABLE_INT_MACHINE] = H_INT_MACHINE_N,
        [TABLE_INT] = H_INT_N,   [TABLE_INT64] = H_INT64_N,   [TABLE_FP32] = H_FP32_N,
        [TABLE_FP64] = H_FP64_N, [TABLE_SFU] = H_SFU_N,       [TABLE_HALF] = H_HALF_N,
        [TABLE_CVT] = H_CVT_N,   [TABLE_LEVEL_MEM] = H_MEM_N, [TABLE_MMA] = H_MMA_N,
        [TABLE_GMMA] = H_GMMA_N};
    static bool used[LEVEL_TABLES][256];
    for (uint32_t op = 0; op < OP_N; op++) {
        const struct forms *f = forms_of(op);
        for (uint32_t i = 0; i < f->n; i++) {
            const struct form *r = &f->row[i];
            if (r->is_none || r->table >= LEVEL_TABLES) continue;
            const uint32_t n = r->by_mode ? 4 : 1;
            assert_true(r->handler + n <= size[r->table]);
            for (uint32_t k = 0; k < n; k++) used[r->table][r->handler + k] = true;
        }
    }
    for (uint32_t t = 0; t < LEVEL_TABLES; t++)
        for (uint32_t h = 0; h < size[t]; h++)
            if (!used[t][h]) fail_msg("no row names handler %u of table %u", h, t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_row_takes_a_form),
                                       cmocka_unit_test(rests),
                                       cmocka_unit_test(every_handler_has_a_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
