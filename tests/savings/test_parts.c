// What parts of techniques say of themselves: names that are told apart, numbers of counters that do
// not overlap, options whose default lies in their range, parts that mechanisms share.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "savings/part.h"

static void counters_have_a_number_each(void **state) {
    (void)state;
    static bool taken[ACT_N];
    uint32_t n = 0;
    for (uint32_t id = 0; id < SAVINGS_PARTS; id++) {
        const struct savings_part *const p = savings_part(id);
        for (uint32_t i = 0; i < p->counters.n; i++) {
            const struct act_own *const r = &p->counters.row[i];
            const struct act_info *const row = act_row(act_find(r->name));
            assert_non_null(row);
            assert_string_equal(row->prose, r->prose); // no other counter has its name
            assert_int_equal(row->first, savings_counters(id) + r->at);
            for (uint32_t k = 0; k < row->n; k++, n++) {
                assert_in_range(row->first + k, ACT_SAVINGS_FIRST, ACT_N - 1);
                assert_false(taken[row->first + k]);
                taken[row->first + k] = true;
            }
        }
    }
    assert_int_equal(n, savings_counters(SAVINGS_PARTS) - ACT_SAVINGS_FIRST); // and none is left out
}

static void options_have_a_name_and_a_range(void **state) {
    (void)state;
    struct savings s = {0};
    uint32_t n = 0;
    for (struct savings_option_info o; (o = savings_option_at(n)).is != NULL; n++) {
        assert_true(o.mechanisms != 0 && o.is->what[0] != 0 && o.is->source[0] != 0);
        if (o.is->names == NULL) assert_in_range(o.is->value, o.is->low, o.is->high);
        char text[64];
        savings_option_text(o.is, o.is->value, text, sizeof text);
        assert_true(text[0] != 0);
        savings_set(&s, o.is->name, 1000 + n);
    }
    assert_in_range(n, 1, SAVINGS_MAX_OPTIONS);
    for (uint32_t i = 0; i < n; i++) // each has a value of its own
        assert_int_equal(savings_value(&s, savings_option_at(i).is->name), 1000 + i);
}

static void shared_parts_are_used(void **state) {
    (void)state;
    for (uint32_t id = 0; id < SAVINGS_PARTS; id++) {
        const bool is_mechanism = id < SAVINGS_MECHANISMS;
        assert_int_equal(savings_part(id)->name != NULL, is_mechanism);
        assert_true(savings_users(id) != 0);
        if (is_mechanism) assert_int_equal(savings_users(id), 1u << id);
    }
}

// Every part stands once in each list, whatever the list names first.
static void lists_are_whole(void **state) {
    (void)state;
    for (enum savings_list list = SAVINGS_SUMS; list <= SAVINGS_LINES; list++) {
        uint32_t id[SAVINGS_PARTS];
        uint64_t seen = 0;
        savings_order(list, id);
        for (uint32_t i = 0; i < SAVINGS_PARTS; i++) seen |= 1ull << id[i];
        assert_true(seen == (1ull << SAVINGS_PARTS) - 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counters_have_a_number_each),
                                       cmocka_unit_test(options_have_a_name_and_a_range),
                                       cmocka_unit_test(shared_parts_are_used),
                                       cmocka_unit_test(lists_are_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
