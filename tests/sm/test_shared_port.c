// Products of warp groups and others at the banks of shared memory: what is taken of cycles that a running product
// needs is owed, what it leaves is not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sm/shared_port.h"

static void what_a_product_leaves_is_free(void **state) {
    (void)state;
    struct shared_port p = {0};
    shared_port_take(&p, 100, 0); // nothing runs
    assert_int_equal(p.owed, 0);
    shared_port_book(&p, 10, 106, 32);
    shared_port_book(&p, 106, 138, 0);
    shared_port_take(&p, 8, 5); // nor does this one yet
    assert_int_equal(p.owed, 0);
    shared_port_take(&p, 20, 10);
    shared_port_take(&p, 12, 105);
    assert_int_equal(p.owed, 0);
    shared_port_take(&p, 1, 105); // 33 of 32
    assert_int_equal(p.owed, 1);
    shared_port_take(&p, 4, 106); // the second one leaves nothing
    shared_port_take(&p, 4, 137);
    assert_int_equal(p.owed, 9);
    shared_port_take(&p, 4, 138);
    assert_int_equal(p.owed, 9);
    assert_int_equal(p.n, 0);
}
// Of more than it holds the oldest is forgotten; those that are over make room.
static void many_products(void **state) {
    (void)state;
    struct shared_port p = {0};
    for (uint32_t i = 0; i < SHARED_PORT_PRODUCTS + 8; i++) shared_port_book(&p, 32ull * i, 32ull * (i + 1), i % 2);
    assert_int_equal(p.n, SHARED_PORT_PRODUCTS);
    shared_port_take(&p, 2, 0); // of the first eight nothing is known
    assert_int_equal(p.owed, 0);
    shared_port_take(&p, 2, 32 * 21);
    assert_int_equal(p.owed, 1);
    shared_port_take(&p, 2, 32 * 22);
    assert_int_equal(p.owed, 3);
    assert_int_equal(p.n, SHARED_PORT_PRODUCTS + 8 - 22);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_product_leaves_is_free),
        cmocka_unit_test(many_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
