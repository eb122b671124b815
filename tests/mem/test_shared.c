// Shared-memory passes: the guide's examples, measured rates, and random accesses against naive
// definitions.
#include "test_rig.h"

static const struct shared_shape fermi = {
    .banks = 32, .bank_bytes = 4, .lanes_a_pass = 32, .wide_extra = 1};
static const struct shared_shape kepler = {.banks = 32, .bank_bytes = 8, .lanes_a_pass = 32};
static const struct shared_shape maxwell = {.banks = 32, .bank_bytes = 4, .lanes_a_pass = 32};
static const struct shared_shape volta = {
    .banks = 32, .bank_bytes = 4, .lanes_a_pass = 32, .pairs = true};
static const struct shared_shape tesla = {
    .banks = 16, .bank_bytes = 4, .lanes_a_pass = 16, .one_broadcast = true};

static uint32_t stride_passes(const struct shared_shape *s, uint32_t step, uint32_t bytes) {
    uint64_t a[32];
    for (uint32_t i = 0; i < 32; i++) a[i] = i * step;
    return shared_access_passes(s, a, ~0u, bytes);
}

static void strides(void **state) {
    (void)state;
    // Fermi: a stride of s words makes gcd(s, 32)-way conflicts (Mei & Chu measure 2..32).
    for (uint32_t s = 1; s <= 32; s *= 2) {
        assert_int_equal(stride_passes(&fermi, 4 * s, 4), s);
        assert_int_equal(stride_passes(&fermi, 4 * s + 4, 4), s == 1 ? 2 : 1);
    }
    assert_int_equal(stride_passes(&fermi, 0, 4), 1);
    // Kepler, 8-byte banks: two words a bank are free.
    assert_int_equal(stride_passes(&kepler, 8, 4), 1);
    assert_int_equal(stride_passes(&kepler, 16, 4), 2);
    assert_int_equal(stride_passes(&kepler, 8, 8), 1);
    assert_int_equal(stride_passes(&kepler, 16, 16), 2);
    // Tesla: half-warps, so an access without conflicts takes 2.
    assert_int_equal(stride_passes(&tesla, 4, 4), 2);
    assert_int_equal(stride_passes(&tesla, 8, 4), 4);
    assert_int_equal(stride_passes(&tesla, 12, 4), 2);
    assert_int_equal(stride_passes(&tesla, 64, 4), 32);
    assert_int_equal(stride_passes(&tesla, 0, 4), 2);
    // The contract's short form is the same.
    uint64_t a[32];
    for (uint32_t i = 0; i < 32; i++) a[i] = i * 8;
    assert_int_equal(shared_passes(a, ~0u, 4, 32, 4, 32, false), 2);
    assert_int_equal(shared_passes(a, 0, 4, 32, 4, 32, false), 0);
}

// Different places against a naive count: near each other, far apart, with lanes that share one.
static void places(void **state) {
    (void)state;
    uint32_t seed = 5;
    for (int n = 0; n < 20000; n++) {
        uint64_t a[32];
        const uint32_t bytes = 4u << rig_random(&seed) % 3, mask = n % 9 ? (uint32_t)rig_random(&seed) : ~0u;
        const uint32_t room = 1u << (2 + rig_random(&seed) % 12);
        for (uint32_t i = 0; i < 32; i++) a[i] = (uint64_t)(rig_random(&seed) % room) * bytes;
        uint32_t want = 0;
        for (uint32_t i = 0; i < 32; i++) {
            bool is_new = mask >> i & 1;
            for (uint32_t k = 0; k < i; k++) is_new = is_new && !((mask >> k & 1) && a[k] == a[i]);
            want += is_new;
        }
        assert_int_equal(shared_places(a, mask, bytes), want);
    }
    const uint64_t one[32] = {0};
    assert_int_equal(shared_places(one, ~0u, 4), 1);
    assert_int_equal(shared_places(one, 0, 4), 0);
}

static void wide_accesses(void **state) {
    (void)state;
    // GTX 480 (gpumembench): 15.94, 7.98 and 2.64 accesses a hot clock, a pass being two hot
    // clocks: 32 lanes in 1, 2 and 6 passes.
    assert_int_equal(stride_passes(&fermi, 4, 4), 1);
    assert_int_equal(stride_passes(&fermi, 8, 8), 2);
    assert_int_equal(stride_passes(&fermi, 16, 16), 6);
    assert_int_equal(stride_passes(&maxwell, 16, 16), 4);
    // Guide 3.2 G.4.3: a 64-bit conflict is judged within a half-warp.
    uint64_t a[32];
    for (uint32_t i = 0; i < 32; i++) a[i] = i % 16 * 8 + (i / 16) * 4096;
    assert_int_equal(shared_access_passes(&fermi, a, ~0u, 8), 2);
    for (uint32_t i = 0; i < 32; i++) a[i] = i % 8 * 8 + i / 8 % 2 * 128;
    assert_int_equal(shared_access_passes(&fermi, a, ~0u, 8), 4);
    // Tesla: 64-bit words are two accesses with a stride of two words: 2 halves, 2 words, 2 ways.
    assert_int_equal(stride_passes(&tesla, 8, 8), 8);
}

static void tesla_broadcasts_one_word(void **state) {
    (void)state;
    uint64_t a[32];
    // Lanes 0-7 want word 0, lanes 8-15 word 1: word 0 goes to all its lanes, of the other bank one
    // lane at a time; the second pass broadcasts word 1 to the seven left.
    for (uint32_t i = 0; i < 16; i++) a[i] = i / 8 * 4;
    assert_int_equal(shared_access_passes(&tesla, a, 0xFFFF, 4), 2);
    // Guide 3.2: char data[] by thread: 16 lanes, 4 to a word: the first word, and one lane of each
    // other word; then the next word, and so on: 4 passes.
    for (uint32_t i = 0; i < 16; i++) a[i] = i;
    assert_int_equal(shared_access_passes(&tesla, a, 0xFFFF, 1), 4);
    assert_int_equal(shared_access_passes(&fermi, a, 0xFFFF, 1), 1);
}

// ---- naive definitions ----------------------------------------------------------------------
static uint32_t naive_many(const struct shared_shape *s, const uint64_t *a, uint32_t mask,
                           uint32_t bytes) {
    uint32_t worst = 0;
    for (uint32_t bank = 0; bank < s->banks; bank++) {
        uint64_t words[256];
        uint32_t n = 0;
        for (uint32_t i = 0; i < 32; i++)
            for (uint32_t b = 0; b < bytes && (mask >> i & 1); b++) {
                const uint64_t w = (a[i] + b) / s->bank_bytes;
                if (w % s->banks != bank) continue;
                uint32_t k = 0;
                while (k < n && words[k] != w) k++;
                if (k == n) words[n++] = w;
            }
        if (n > worst) worst = n;
    }
    return worst;
}

static uint32_t naive_one(const struct shared_shape *s, const uint64_t *a, uint32_t mask,
                          uint32_t offset) {
    bool left[32];
    uint32_t passes = 0;
    for (uint32_t i = 0; i < 32; i++) left[i] = mask >> i & 1;
    for (;; passes++) {
        uint32_t first = 0;
        while (first < 32 && !left[first]) first++;
        if (first == 32) return passes;
        const uint64_t word = (a[first] + offset) / s->bank_bytes;
        bool used[64] = {false};
        used[word % s->banks] = true;
        for (uint32_t i = 0; i < 32; i++) {
            const uint64_t w = (a[i] + offset) / s->bank_bytes;
            if (!left[i]) continue;
            if (w == word)
                left[i] = false;
            else if (!used[w % s->banks])
                used[w % s->banks] = true, left[i] = false;
        }
    }
}

// NVIDIA's rule for compute capability 7.0 to 7.5: a load of 128 bits is four requests, and two
// when pairs of lanes (i, i^1) or (i, i^2) read the same; one address for all is the common case.
static void pairs_share_the_way_back(void **state) {
    (void)state;
    static const struct {
        uint32_t neighbour; // lanes with this bit cleared alike read the same
        uint32_t passes[2]; // of 64 and of 128 bits
    } rows[] = {{31, {1, 2}}, {1, {1, 2}}, {2, {1, 2}}, {3, {1, 2}}, {4, {2, 4}}, {0, {2, 4}}};
    for (uint32_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint32_t w = 0; w < 2; w++) {
            const uint32_t bytes = 8u << w;
            uint64_t a[32];
            for (uint32_t i = 0; i < 32; i++) { // distinct addresses lie one behind the other
                a[i] = 0;
                for (uint32_t bit = 0, to = 0; bit < 5; bit++)
                    if (!(rows[r].neighbour >> bit & 1)) a[i] |= (uint64_t)(i >> bit & 1) << to++;
                a[i] *= bytes;
            }
            assert_int_equal(shared_access_passes(&volta, a, ~0u, bytes), rows[r].passes[w]);
            assert_int_equal(shared_access_passes(&maxwell, a, ~0u, bytes), 2u << w);
        }
    uint64_t a[32];
    for (uint32_t i = 0; i < 32; i++) a[i] = i / 2 * 16;
    a[31] = 0; // one pair apart spoils it, unless one of the two is inactive
    assert_int_equal(shared_access_passes(&volta, a, ~0u, 16), 4);
    assert_int_equal(shared_access_passes(&volta, a, ~0u >> 1, 16), 2);
    for (uint32_t i = 0; i < 32; i++) a[i] = i / 2 * 128; // eight pairs of each half in one bank
    assert_int_equal(shared_access_passes(&volta, a, ~0u, 16), 16);
    for (uint32_t i = 0; i < 32; i++) a[i] = i / 2 * 4; // a word is no wider than a bank
    assert_int_equal(shared_access_passes(&volta, a, ~0u, 4), 1);
}

static void random_accesses_against_definitions(void **state) {
    (void)state;
    uint32_t seed = 3;
    const struct shared_shape *shapes[] = {&fermi, &kepler, &maxwell, &tesla};
    for (int round = 0; round < 40000; round++) {
        const struct shared_shape *s = shapes[round % 4];
        const uint32_t bytes = 1u << rig_random(&seed) % 5;
        const uint32_t span = 16u << rig_random(&seed) % 9;
        const uint32_t mask = rig_random(&seed) % 2 ? ~0u : rig_random(&seed);
        uint64_t a[32];
        for (uint32_t i = 0; i < 32; i++) a[i] = rig_random(&seed) % span / bytes * bytes;
        uint32_t want = 0;
        if (s->one_broadcast) {
            for (uint32_t h = 0; h < 2; h++)
                for (uint32_t o = 0; o < bytes; o += 4)
                    want += naive_one(s, a, mask & 0xFFFFu << h * 16, o);
        } else {
            const uint32_t lanes = bytes <= s->bank_bytes ? 32 : 32 * s->bank_bytes / bytes;
            for (uint32_t p = 0; p < 32; p += lanes)
                want += naive_many(s, a, mask & (uint32_t)(((1ull << lanes) - 1) << p), bytes);
            if (bytes == 16) want += s->wide_extra * ((mask & 0xFFFF) != 0);
            if (bytes == 16) want += s->wide_extra * (mask >> 16 != 0);
        }
        assert_int_equal(shared_access_passes(s, a, mask, bytes), want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides),
        cmocka_unit_test(places), cmocka_unit_test(wide_accesses),
        cmocka_unit_test(tesla_broadcasts_one_word),
        cmocka_unit_test(pairs_share_the_way_back),
        cmocka_unit_test(random_accesses_against_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
