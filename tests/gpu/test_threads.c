// The helper threads: every item once, rounds in order, whoever comes late.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "gpu/threads.h"

enum { ITEMS = 23, ROUNDS = 3000 };
struct tally {
    uint32_t done[ITEMS];
    uint32_t mine;
};

static void count(void *user, uint32_t item) {
    struct tally *t = user;
    t->done[item]++;
}
static void mine(void *user) { ((struct tally *)user)->mine++; }

static void every_item_once(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 8; n++) {
        struct diags d;
        diags_init(&d);
        struct threads *t;
        assert_int_equal(threads_create(n, ITEMS, &d, &t), WW_OK);
        assert_true(n > 1 || !t);
        struct tally tally = {0};
        for (uint32_t k = 0; k < ROUNDS; k++) {
            // between rounds the helpers fall asleep now and then
            if (k % 1000 == 999) usleep(2000);
            threads_for(t, ITEMS - k % 3, count, k % 2 ? mine : NULL, &tally);
        }
        for (uint32_t i = 0; i < ITEMS - 2; i++) assert_int_equal(tally.done[i], ROUNDS);
        assert_int_equal(tally.done[ITEMS - 1], ROUNDS / 3);
        assert_int_equal(tally.mine, ROUNDS / 2);
        threads_destroy(t);
        diags_free(&d);
    }
}

static void starting_and_stopping(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 50; k++) {
        struct diags d;
        diags_init(&d);
        struct threads *t;
        assert_int_equal(threads_create(1 + k % 5, ITEMS, &d, &t), WW_OK);
        threads_destroy(t);
        diags_free(&d);
    }
    assert_true(threads_offered() >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_once),
        cmocka_unit_test(starting_and_stopping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
