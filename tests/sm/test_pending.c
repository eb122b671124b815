// What a warp waits for later (sm/pending.h): groups of work that run beside it, and the masks of
// who waits for what.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sm/pending.h"

enum { W = 5 };
#define BIT (1ull << W)

// PTX ISA, cp.async.wait_group N: "wait until N or fewer of the most recent cp.async-groups are
// pending". The open group counts as one more, which is never waited for.
static void the_youngest_groups_may_stay(void **state) {
    (void)state;
    struct pending p = {0};
    struct sm_view v = {0};
    uint32_t group[3];
    for (uint32_t i = 0; i < 3; i++) {
        group[i] = pending_add(&p, PENDING_copies, W);
        pending_close(&p, PENDING_copies, W);
    }
    pending_add(&p, PENDING_copies, W); // the open group
    assert_false(pending_must_wait(&p, PENDING_copies, W, 3 + 1));
    assert_true(pending_must_wait(&p, PENDING_copies, W, 1 + 1));
    pending_begin(&p, &v, PENDING_copies, W);
    assert_false(pending_done(&p, &v, PENDING_copies, W, group[2])); // a younger one
    assert_false(pending_done(&p, &v, PENDING_copies, W, group[0]));
    assert_true(pending_has(&p, PENDING_copies, W));
    assert_true(pending_done(&p, &v, PENDING_copies, W, group[1]));
    assert_false(pending_has(&p, PENDING_copies, W));
}

static void a_group_is_done_with_its_last_piece(void **state) {
    (void)state;
    struct pending p = {0};
    struct sm_view v = {0};
    const uint32_t group = pending_add(&p, PENDING_copies, W);
    assert_int_equal(pending_add(&p, PENDING_copies, W), group);
    pending_close(&p, PENDING_copies, W);
    assert_true(pending_must_wait(&p, PENDING_copies, W, 1));
    pending_begin(&p, &v, PENDING_copies, W);
    assert_false(pending_done(&p, &v, PENDING_copies, W, group));
    assert_true(pending_done(&p, &v, PENDING_copies, W, group));
}

// More groups than there are numbers: the open one takes in what the next would have had.
static void groups_grow_together_when_none_is_free(void **state) {
    (void)state;
    struct pending p = {0};
    struct sm_view v = {0};
    for (uint32_t i = 0; i < PENDING_GROUPS - 1; i++) {
        assert_int_equal(pending_add(&p, PENDING_copies, W), i);
        pending_close(&p, PENDING_copies, W);
    }
    assert_int_equal(pending_add(&p, PENDING_copies, W), PENDING_GROUPS - 1);
    pending_close(&p, PENDING_copies, W);
    assert_int_equal(pending_add(&p, PENDING_copies, W), PENDING_GROUPS - 1);
    pending_done(&p, &v, PENDING_copies, W, 0);
    pending_close(&p, PENDING_copies, W);
    assert_int_equal(pending_add(&p, PENDING_copies, W), 0);
}

// ... and whoever waits for one of those waits for both: with seven groups ahead, the open one
// holds the eighth and the ninth.
static void groups_that_grew_together_are_waited_for(void **state) {
    (void)state;
    struct pending p = {0};
    struct sm_view v = {0};
    for (uint32_t i = 0; i < PENDING_GROUPS + 1; i++) {
        pending_add(&p, PENDING_copies, W);
        pending_close(&p, PENDING_copies, W);
    }
    for (uint32_t i = 0; i < PENDING_GROUPS - 1; i++) pending_done(&p, &v, PENDING_copies, W, i);
    assert_true(pending_must_wait(&p, PENDING_copies, W, 0 + 1));
    assert_true(pending_must_wait(&p, PENDING_copies, W, 1 + 1));
    assert_false(pending_must_wait(&p, PENDING_copies, W, 2 + 1));
    // closed once more they are three, of which all may stay or none
    pending_add(&p, PENDING_copies, W);
    pending_close(&p, PENDING_copies, W);
    assert_true(pending_must_wait(&p, PENDING_copies, W, 2 + 1));
    assert_false(pending_must_wait(&p, PENDING_copies, W, 3 + 1));
    pending_must_wait(&p, PENDING_copies, W, 0 + 1);
    pending_begin(&p, &v, PENDING_copies, W);
    assert_false(pending_done(&p, &v, PENDING_copies, W, PENDING_GROUPS - 1));
    assert_false(pending_done(&p, &v, PENDING_copies, W, PENDING_GROUPS - 1));
    assert_true(pending_done(&p, &v, PENDING_copies, W, PENDING_GROUPS - 1));
}

static void a_fence_waits_for_all_stores_and_for_nothing_else(void **state) {
    (void)state;
    struct pending p = {0};
    struct sm_view v = {0};
    assert_false(pending_must_wait(&p, PENDING_stores, W, 0));
    pending_add(&p, PENDING_stores, W);
    pending_add(&p, PENDING_stores, W);
    const uint32_t copies = pending_add(&p, PENDING_copies, W);
    pending_add(&p, PENDING_stores, W + 1);
    assert_true(pending_must_wait(&p, PENDING_stores, W, 0));
    pending_begin(&p, &v, PENDING_stores, W);
    assert_false(pending_done(&p, &v, PENDING_copies, W, copies));
    assert_false(pending_done(&p, &v, PENDING_stores, W, 0));
    assert_false(pending_done(&p, &v, PENDING_stores, W + 1, 0));
    assert_true(pending_done(&p, &v, PENDING_stores, W, 0));
}

static void a_warp_goes_on_when_nothing_is_left(void **state) {
    (void)state;
    struct pending p = {0};
    struct sm_view v = {0};
    pending_begin(&p, &v, PENDING_branch, W);
    assert_int_equal(v.stops, 0); // a branch is short
    pending_begin(&p, &v, PENDING_constant, W);
    pending_begin(&p, &v, PENDING_sleep, W);
    pending_begin(&p, &v, PENDING_sleep, W + 1);
    assert_int_equal(v.stops, BIT | BIT << 1);
    assert_int_equal(pending_by(&p, STALL_control), BIT);
    assert_int_equal(pending_by(&p, STALL_sleep), BIT | BIT << 1);
    pending_end(&p, &v, PENDING_sleep, W);
    assert_int_equal(v.stops, BIT << 1);
    assert_int_equal(p.any, BIT | BIT << 1);
    pending_end(&p, &v, PENDING_branch, W);
    assert_int_equal(p.any, BIT | BIT << 1);
    pending_end(&p, &v, PENDING_constant, W);
    assert_int_equal(p.any, BIT << 1);
}

// Acknowledgements for a warp that has gone come to the next one in its slot.
static void stores_outlive_their_warp(void **state) {
    (void)state;
    struct pending p = {0};
    struct sm_view v = {0};
    pending_add(&p, PENDING_stores, W);
    pending_begin(&p, &v, PENDING_branch, W);
    pending_forget(&p, &v, W);
    assert_int_equal(p.any, 0);
    assert_int_equal(p.of[PENDING_branch], 0);
    assert_true(pending_must_wait(&p, PENDING_stores, W, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_youngest_groups_may_stay),
        cmocka_unit_test(a_group_is_done_with_its_last_piece),
        cmocka_unit_test(groups_grow_together_when_none_is_free),
        cmocka_unit_test(groups_that_grew_together_are_waited_for),
        cmocka_unit_test(a_fence_waits_for_all_stores_and_for_nothing_else),
        cmocka_unit_test(a_warp_goes_on_when_nothing_is_left),
        cmocka_unit_test(stores_outlive_their_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
