// Coalescing: the guide's examples, and random accesses against definitions written out naively.
#include <string.h>

#include "test_rig.h"

static uint32_t run(enum coalesce_kind kind, const uint64_t *addr, uint32_t mask, uint32_t bytes,
                    struct transaction *out) {
    memset(out, 0xEE, 64 * sizeof *out);
    const uint32_t n = coalesce(kind, addr, mask, bytes, out);
    assert_true(n <= 64);
    return n;
}

static void stride(uint64_t *addr, uint64_t base, int64_t step) {
    for (int i = 0; i < 32; i++) addr[i] = base + (uint64_t)(i * step);
}

// CUDA C Programming Guide 3.2, G.3.2: figures of global memory accesses by compute capability.
static void examples_of_the_guide(void **state) {
    (void)state;
    uint64_t a[32];
    struct transaction t[64];
    stride(a, 128, 4); // aligned and sequential
    assert_int_equal(run(COALESCE_TESLA10, a, ~0u, 4, t), 2);
    assert_int_equal(t[0].bytes, 64);
    assert_int_equal(t[0].addr, 128);
    assert_int_equal(t[1].addr, 192);
    assert_int_equal(run(COALESCE_TESLA12, a, ~0u, 4, t), 2);
    assert_int_equal(t[0].bytes, 64);
    assert_int_equal(run(COALESCE_LINE128, a, ~0u, 4, t), 1);
    assert_int_equal(t[0].bytes, 128);
    assert_int_equal(t[0].sectors, 0xF);
    assert_int_equal(t[0].full_sectors, 0xF);
    assert_int_equal(t[0].words, ~0u);
    assert_int_equal(run(COALESCE_SECTOR32, a, ~0u, 4, t), 1);
    assert_int_equal(t[0].bytes, 128);

    const uint64_t x = a[3];
    a[3] = a[4], a[4] = x; // aligned, two lanes swapped
    assert_int_equal(run(COALESCE_TESLA10, a, ~0u, 4, t), 16 + 1);
    assert_int_equal(t[0].bytes, 32);
    assert_int_equal(run(COALESCE_TESLA12, a, ~0u, 4, t), 2);
    assert_int_equal(run(COALESCE_LINE128, a, ~0u, 4, t), 1);

    stride(a, 132, 4); // misaligned by one word
    assert_int_equal(run(COALESCE_TESLA10, a, ~0u, 4, t), 32);
    // First half-warp: 132..195 in segment [128,256): 128 bytes. Second: 196..259 in [128,256),
    // of which the upper half is used, and one word in [256,384), shrunk to 32 bytes.
    assert_int_equal(run(COALESCE_TESLA12, a, ~0u, 4, t), 3);
    assert_int_equal(t[0].bytes, 128);
    assert_int_equal(t[1].addr, 192);
    assert_int_equal(t[1].bytes, 64);
    assert_int_equal(t[2].addr, 256);
    assert_int_equal(t[2].bytes, 32);
    assert_int_equal(run(COALESCE_LINE128, a, ~0u, 4, t), 2);
    assert_int_equal(t[1].lanes, 1u << 31);
    assert_int_equal(run(COALESCE_SECTOR32, a, ~0u, 4, t), 2);
    assert_int_equal(t[1].bytes, 32);
}

static void wide_words_go_by_portions(void **state) {
    (void)state;
    uint64_t a[32];
    struct transaction t[64];
    stride(a, 0, 8);
    assert_int_equal(run(COALESCE_LINE128, a, ~0u, 8, t), 2);
    assert_int_equal(t[0].lanes, 0xFFFF);
    stride(a, 0, 16);
    assert_int_equal(run(COALESCE_LINE128, a, ~0u, 16, t), 4);
    assert_int_equal(t[3].lanes, 0xFF000000);
    assert_int_equal(run(COALESCE_TESLA10, a, ~0u, 16, t), 4);
    assert_int_equal(t[0].bytes, 128);
    for (int i = 0; i < 32; i++) a[i] = 64; // one 8-byte word for all: once a half-warp
    assert_int_equal(run(COALESCE_LINE128, a, ~0u, 8, t), 2);
    assert_int_equal(run(COALESCE_SECTOR32, a, ~0u, 8, t), 2);
    assert_int_equal(t[0].bytes, 32);
    assert_int_equal(t[0].addr, 64);
    assert_int_equal(run(COALESCE_LINE128_WARP, a, ~0u, 8, t), 1); // Volta: once
    assert_int_equal(run(COALESCE_SECTOR32_WARP, a, ~0u, 8, t), 1);
    assert_int_equal(t[0].lanes, ~0u);
    stride(a, 16, 8); // 16..271: the sector that both halves touch goes once
    assert_int_equal(run(COALESCE_LINE128, a, ~0u, 8, t), 4);
    assert_int_equal(run(COALESCE_LINE128_WARP, a, ~0u, 8, t), 3);
    assert_int_equal(bits_count32(t[0].sectors) + bits_count32(t[1].sectors) +
                         bits_count32(t[2].sectors),
                     9);
}

static void sectors_join_only_when_aligned(void **state) {
    (void)state;
    uint64_t a[32];
    struct transaction t[64];
    stride(a, 32, 2); // bytes 32..95: sectors 1 and 2
    assert_int_equal(run(COALESCE_SECTOR32, a, ~0u, 2, t), 2);
    assert_int_equal(t[0].addr, 32);
    assert_int_equal(t[1].addr, 64);
    stride(a, 64, 2); // sectors 2 and 3
    assert_int_equal(run(COALESCE_SECTOR32, a, ~0u, 2, t), 1);
    assert_int_equal(t[0].addr, 64);
    assert_int_equal(t[0].bytes, 64);
    assert_int_equal(t[0].full_sectors, 0xC);
    assert_int_equal(t[0].words, 0xFFFF0000);
    stride(a, 64, -1); // lanes go down: the first lane's sector first
    assert_int_equal(run(COALESCE_SECTOR32, a, ~0u, 1, t), 2);
    assert_int_equal(t[0].addr, 64);
    assert_int_equal(t[1].addr, 32);
    assert_int_equal(t[1].sectors, 1u << 1);
    assert_int_equal(t[1].full_sectors, 0);
    assert_int_equal(t[1].words, 0xFE00);
}

static void inactive_lanes_do_not_break_the_order(void **state) {
    (void)state;
    uint64_t a[32];
    struct transaction t[64];
    stride(a, 256, 4);
    a[5] = 12345;
    assert_int_equal(run(COALESCE_TESLA10, a, 0xFFDF & ~1u, 4, t), 1);
    assert_int_equal(t[0].addr, 256);
    assert_int_equal(t[0].lanes, 0xFFDE);
    assert_int_equal(run(COALESCE_TESLA10, a, 0, 4, t), 0);
    assert_int_equal(run(COALESCE_LINE128, a, 0, 4, t), 0);
}

// ---- naive definitions ----------------------------------------------------------------------
// Every rule as: a set of (address, size, lanes) found by the words of the guide.
struct naive {
    uint64_t addr;
    uint32_t bytes, lanes;
};

static uint32_t naive_line(bool by_warp, const uint64_t *a, uint32_t mask, uint32_t bytes,
                           struct naive *o) {
    uint32_t n = 0;
    const uint32_t portion = bytes <= 4 || by_warp ? 32 : bytes == 8 ? 16 : 8;
    for (uint32_t p = 0; p < 32; p += portion)
        for (uint32_t i = p; i < p + portion; i++) {
            if (!(mask >> i & 1)) continue;
            const uint64_t line = a[i] / 128 * 128;
            uint32_t k = 0;
            while (k < n && !(o[k].addr == line && (o[k].lanes & (((1ull << portion) - 1) << p))))
                k++;
            if (k == n) o[n++] = (struct naive){.addr = line, .bytes = 128};
            o[k].lanes |= 1u << i;
        }
    return n;
}

static uint32_t naive_tesla12(const uint64_t *a, uint32_t mask, uint32_t bytes, struct naive *o) {
    uint32_t n = 0, left = mask;
    for (uint32_t h = 0; h < 2; h++)
        for (uint32_t i = h * 16; i < h * 16 + 16; i++) {
            if (!(left >> i & 1)) continue;
            uint32_t size = bytes == 1 ? 32 : bytes == 2 ? 64 : 128, lanes = 0;
            uint64_t base = a[i] / size * size;
            for (uint32_t k = h * 16; k < h * 16 + 16; k++)
                if ((left >> k & 1) && a[k] / size * size == base) lanes |= 1u << k;
            for (; size > 32; size /= 2) {
                bool low = false, high = false;
                for (uint32_t k = 0; k < 32; k++)
                    if (lanes >> k & 1) {
                        low |= a[k] < base + size / 2;
                        high |= a[k] >= base + size / 2;
                    }
                if (low && high) break;
                if (high) base += size / 2;
            }
            left &= ~lanes;
            o[n++] = (struct naive){base, size, lanes};
        }
    return n;
}

static uint32_t naive_tesla10(const uint64_t *a, uint32_t mask, uint32_t bytes, struct naive *o) {
    uint32_t n = 0;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t m = mask >> (h * 16) & 0xFFFF;
        bool good = false;
        uint64_t base = 0;
        // Is there an aligned run of 16 words in which each active lane has its own place?
        for (uint32_t i = 0; i < 16 && m && !good && bytes >= 4; i++)
            if (m >> i & 1) {
                base = a[h * 16 + i] / (16 * bytes) * (16 * bytes);
                good = true;
                for (uint32_t k = 0; k < 16; k++)
                    if ((m >> k & 1) && a[h * 16 + k] != base + k * bytes) good = false;
                break;
            }
        if (good && bytes == 16) {
            if (m & 0xFF) o[n++] = (struct naive){base, 128, (m & 0xFF) << (h * 16)};
            if (m >> 8) o[n++] = (struct naive){base + 128, 128, (m & 0xFF00) << (h * 16)};
        } else if (good) {
            o[n++] = (struct naive){base, bytes * 16, m << (h * 16)};
        } else {
            for (uint32_t i = 0; i < 16; i++)
                if (m >> i & 1)
                    o[n++] = (struct naive){a[h * 16 + i] / 32 * 32, 32, 1u << (h * 16 + i)};
        }
    }
    return n;
}

static void check_masks(const struct transaction *t, const uint64_t *a, uint32_t bytes) {
    bool byte[128] = {false};
    for (uint32_t i = 0; i < 32; i++)
        if (t->lanes >> i & 1)
            for (uint32_t b = 0; b < bytes; b++) {
                assert_true(a[i] + b >= t->addr && a[i] + b < t->addr + t->bytes);
                byte[(a[i] + b) % 128] = true;
            }
    for (uint32_t s = 0; s < 4; s++) {
        bool any = false, all = true;
        for (uint32_t b = s * 32; b < s * 32 + 32; b++) any |= byte[b], all &= byte[b];
        assert_int_equal(t->sectors >> s & 1, any);
        assert_int_equal(t->full_sectors >> s & 1, all);
    }
    uint64_t touched = 0;
    for (uint32_t b = 0; b < t->bytes; b++)
        if (byte[(t->addr + b) % 128]) touched |= UINT64_C(1) << b / 4;
    assert_int_equal(t->touched, touched);
    for (uint32_t w = 0; w < 32; w++)
        assert_int_equal(t->words >> w & 1,
                         byte[w * 4] && byte[w * 4 + 1] && byte[w * 4 + 2] && byte[w * 4 + 3]);
}

// Exactly the sectors of the lines, in aligned runs, no sector twice a portion.
static void check_sectors(bool by_warp, const uint64_t *a, uint32_t mask, uint32_t bytes) {
    struct transaction t[64];
    struct naive o[64];
    const uint32_t n = run(by_warp ? COALESCE_SECTOR32_WARP : COALESCE_SECTOR32, a, mask, bytes, t);
    memset(o, 0, sizeof o);
    const uint32_t lines = naive_line(by_warp, a, mask, bytes, o);
    uint32_t sectors = 0, lanes = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(t[i].addr % t[i].bytes, 0);
        assert_int_equal(bits_count32(t[i].sectors) * 32, t[i].bytes);
        check_masks(&t[i], a, bytes);
        assert_int_equal(lanes & t[i].lanes, 0);
        lanes |= t[i].lanes;
        sectors += t[i].bytes / 32;
    }
    assert_int_equal(lanes, mask);
    uint32_t want = 0;
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t touched = 0;
        for (uint32_t l = 0; l < 32; l++)
            if (o[i].lanes >> l & 1) touched |= 1u << a[l] % 128 / 32;
        want += bits_count32(touched);
    }
    assert_int_equal(sectors, want);
}

static void random_accesses_against_definitions(void **state) {
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 40000; round++) {
        uint64_t a[32];
        const uint32_t bytes = 1u << rig_random(&seed) % 5, mode = rig_random(&seed) % 5;
        const uint32_t span = 1u << (4 + rig_random(&seed) % 9);
        const uint64_t base = (uint64_t)(rig_random(&seed) % 4096) * 64;
        for (uint32_t i = 0; i < 32; i++) {
            uint64_t at = base + rig_random(&seed) % span;
            if (mode == 1) at = base + i * bytes;
            if (mode == 2) at = base + (uint64_t)i * span;
            if (mode == 3 && i) at = a[i - 1] + bytes * (rig_random(&seed) % 8 != 0);
            a[i] = at / bytes * bytes;
        }
        const uint32_t mask = rig_random(&seed) % 3 ? ~0u : rig_random(&seed);
        struct transaction t[64];
        struct naive o[64];
        for (enum coalesce_kind kind = COALESCE_TESLA10; kind <= COALESCE_LINE128_WARP; kind++) {
            if (kind == COALESCE_SECTOR32) continue;
            const bool by_warp = kind == COALESCE_LINE128_WARP;
            const uint32_t n = run(kind, a, mask, bytes, t);
            memset(o, 0, sizeof o);
            const uint32_t want = kind == COALESCE_TESLA10   ? naive_tesla10(a, mask, bytes, o)
                                  : kind == COALESCE_TESLA12 ? naive_tesla12(a, mask, bytes, o)
                                                             : naive_line(by_warp, a, mask,
                                                                          bytes, o);
            assert_int_equal(n, want);
            for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(t[i].addr, o[i].addr);
                assert_int_equal(t[i].bytes, o[i].bytes);
                assert_int_equal(t[i].lanes, o[i].lanes);
                check_masks(&t[i], a, bytes);
            }
        }
        check_sectors(false, a, mask, bytes);
        check_sectors(true, a, mask, bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_guide),
        cmocka_unit_test(wide_words_go_by_portions),
        cmocka_unit_test(sectors_join_only_when_aligned),
        cmocka_unit_test(inactive_lanes_do_not_break_the_order),
        cmocka_unit_test(random_accesses_against_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
