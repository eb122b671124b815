// Device memory: allocation, freeing, lookup, host mappings, handles, the record of written bytes.
#include "test_asm.h"

static void allocations(void **state) {
    (void)state;
    struct devmem *m = devmem_create(1 << 20);
    const uint64_t a = devmem_alloc(m, 100, 0, "a"), b = devmem_alloc(m, 1000, 4096, NULL);
    assert_int_equal(a % 256, 0);
    assert_int_equal(b % 4096, 0);
    assert_true(a >= EXEC_GLOBAL_BASE && b > a);
    assert_non_null(devmem_host(m, a, 100));
    assert_null(devmem_host(m, a, 101));
    assert_null(devmem_host(m, a - 1, 1));
    assert_ptr_equal(devmem_host(m, a + 99, 1), devmem_host(m, a, 1) + 99);
    struct devmem_range r;
    assert_true(devmem_find(m, a + 50, &r) && r.first == a && r.bytes == 100 &&
                !strcmp(r.name, "a"));
    assert_false(devmem_find(m, a + 100, &r));
    const uint32_t epoch = devmem_epoch(m);
    assert_true(devmem_free(m, a));
    assert_int_not_equal(devmem_epoch(m), epoch);
    assert_false(devmem_free(m, a));
    assert_false(devmem_free(m, b + 1));
    assert_null(devmem_host(m, a, 1));
    assert_true(devmem_nearest(m, a + 7, &r) && r.is_freed && r.first == a);
    assert_true(devmem_nearest(m, b + 1003, &r) && !r.is_freed && r.first == b);
    assert_int_equal(devmem_alloc(m, 2 << 20, 0, NULL), 0);
    assert_int_equal(devmem_alloc(m, 0, 0, NULL), 0);
    devmem_destroy(m);
}
// Everything is had back, however blocks come and go.
static void no_leaks(void **state) {
    (void)state;
    struct devmem *m = devmem_create(1 << 20);
    uint64_t live[200] = {0}, seed = 12;
    const uint64_t all = devmem_free_bytes(m);
    for (int n = 0; n < 20000; n++) {
        const uint64_t k = rnd64(&seed) % 200;
        if (live[k]) {
            assert_true(devmem_free(m, live[k]));
            live[k] = 0;
        } else {
            live[k] = devmem_alloc(m, 1 + rnd64(&seed) % 9000, 0, NULL);
            if (live[k]) memset(devmem_host(m, live[k], 1), (int)k, 1);
        }
    }
    for (int k = 0; k < 200; k++)
        if (live[k]) {
            assert_int_equal(*devmem_host(m, live[k], 1), k);
            devmem_free(m, live[k]);
        }
    assert_int_equal(devmem_free_bytes(m), all);
    assert_int_not_equal(devmem_alloc(m, all, 0, NULL), 0);
    devmem_destroy(m);
}
// A copy puts back each byte of what still lives, host memory too, and leaves what came since alone.
static void put_back(void **state) {
    (void)state;
    struct devmem *m = devmem_create(1 << 20);
    static uint8_t host[5000];
    const uint64_t a = devmem_alloc(m, 10001, 0, NULL), gone = devmem_alloc(m, 256, 0, NULL),
                   mapped = devmem_map_host(m, host, sizeof host);
    memset(devmem_host(m, a + 4000, 3000), 7, 3000);
    memset(host, 9, sizeof host);
    struct devmem_copy *const c = devmem_copy(m);
    memset(devmem_host(m, a, 10001), 1, 10001);
    memset(host + 4990, 2, 10);
    assert_true(devmem_free(m, gone));
    const uint64_t newer = devmem_alloc(m, 300000, 0, NULL);
    *devmem_host(m, newer, 1) = 5;
    devmem_put_back(m, c);
    for (uint32_t i = 0; i < 10001; i++)
        assert_int_equal(*devmem_host(m, a + i, 1), i >= 4000 && i < 7000 ? 7 : 0);
    for (uint32_t i = 0; i < sizeof host; i++) assert_int_equal(host[i], 9);
    assert_int_equal(*devmem_host(m, newer, 1), 5);
    assert_ptr_equal(devmem_host(m, mapped, 1), host);
    devmem_copy_free(c);
    devmem_destroy(m);
}
static void host_mappings(void **state) {
    (void)state;
    struct devmem *m = devmem_create(1 << 20);
    static uint32_t host[1000];
    const uint64_t a = devmem_map_host(m, host, sizeof host),
                   b = devmem_map_host(m, host, sizeof host);
    assert_int_not_equal(a, 0);
    assert_int_not_equal(a, b);
    assert_ptr_equal(devmem_host(m, a + 40, 4), &host[10]);
    assert_null(devmem_host(m, a, sizeof host + 1));
    assert_true(devmem_free(m, a));
    assert_null(devmem_host(m, a, 1));
    assert_ptr_equal(devmem_host(m, b, 4), host);
    devmem_destroy(m);
}
static void handles(void **state) {
    (void)state;
    struct devmem *m = devmem_create(1 << 20);
    uint64_t h[100];
    for (int k = 0; k < 100; k++) {
        const struct exec_texture t = {.width = (uint32_t)k};
        h[k] = devmem_texture_new(m, &t);
        assert_int_not_equal(h[k], 0);
        assert_true(h[k] < 1ull << 32);
    }
    for (int k = 0; k < 100; k++) assert_int_equal(devmem_texture_get(m, h[k])->width, k);
    const struct exec_texture t = {.width = 777};
    assert_true(devmem_texture_set(m, h[5], &t));
    assert_int_equal(devmem_texture_get(m, h[5])->width, 777);
    devmem_texture_free(m, h[7]);
    assert_null(devmem_texture_get(m, h[7]));
    assert_false(devmem_texture_set(m, h[7], &t));
    assert_null(devmem_texture_get(m, 0));
    assert_null(devmem_texture_get(m, h[3] + 1));
    assert_int_equal(devmem_texture_new(m, &t), h[7]);
    devmem_destroy(m);
}
static void device_heap(void **state) {
    (void)state;
    // Bounded by its limit, freed by the device only.
    struct prog *p = prog_new();
    devmem_heap_limit(p->mem, 1024);
    struct minst *m = emit(p, OP_SYSCALL, ITYPE_NONE, RD(4), R(2), NONE_, NONE_);
    m->sub = MSYS_MALLOC;
    emit_exit(p);
    prog_start(p);
    for (uint32_t i = 0; i < 32; i++) reg(p, 2)[i] = 200;
    assert_int_equal(run_warp0(p), EXEC_EXITED);
    uint32_t got = 0;
    for (uint32_t i = 0; i < 32; i++) got += get64(p, 4, i) != 0;
    assert_int_equal(got, 4);
    assert_int_equal(get64(p, 4, 31), 0);
    assert_false(devmem_free(p->mem, get64(p, 4, 0)));
    prog_free(p);
}

// Memory beyond 4 GB: what lies below goes first, and a module of 32-bit pointers keeps it so.
static void beyond_4_gb(void **state) {
    (void)state;
    const uint64_t gb = 1ull << 30, four = 4 * gb;
    struct devmem *m = devmem_create(80 * gb);
    assert_non_null(m);
    const uint64_t big = devmem_alloc(m, 60 * gb, 0, "big"), low = devmem_alloc(m, gb, 0, "low");
    assert_true(big >= four);
    assert_true(low != 0 && low + gb <= four);
    for (int i = 0; i < 100; i++) { // the room below is used again before any above
        const uint64_t a = devmem_alloc(m, gb, 0, NULL);
        assert_true(a != 0 && a + gb <= four);
        assert_true(devmem_free(m, a));
    }
    uint8_t *const last = devmem_host(m, big + 60 * gb - 4, 4);
    assert_non_null(last);
    last[3] = 7; // backed when it is touched
    assert_int_equal(*devmem_host(m, big + 60 * gb - 1, 1), 7);
    const uint64_t other = devmem_alloc(m, 3 * gb, 0, NULL);
    assert_true(other >= four && (other >= big + 60 * gb || other + 3 * gb <= big));
    assert_false(devmem_reach(m, four));
    assert_true(devmem_free(m, big));
    assert_true(devmem_free(m, other));
    assert_true(devmem_reach(m, four));
    assert_int_equal(devmem_alloc(m, 4 * gb, 0, NULL), 0);
    const uint64_t again = devmem_alloc(m, gb, 0, NULL);
    assert_true(again != 0 && again + gb <= four);
    devmem_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations),   cmocka_unit_test(no_leaks),
        cmocka_unit_test(host_mappings), cmocka_unit_test(handles),
        cmocka_unit_test(put_back),      cmocka_unit_test(device_heap),   cmocka_unit_test(beyond_4_gb)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
