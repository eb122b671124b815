// AES, host: one launch in the direction and with the key length that the arguments say.
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum {
    THREADS = 256,
    BLOCK_BYTES = 4 * THREADS,
    MAX_ROUNDS = 14,
    KEY_BYTES = 16 * (MAX_ROUNDS + 1)
};

static const struct host_param params[] = {
    {"BYTES", BLOCK_BYTES, 1 << 28, "of the message, a multiple of 1024"},
    {"BITS", 128, 256, "of the key, 128 or 256"},
    {"DECRYPT", 0, 1, "0: encrypt, 1: decrypt"},
};
static const struct host_program program = {"AES", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// The field of 256 elements modulo x^8 + x^4 + x^3 + x + 1.
static uint8_t multiply(uint8_t a, uint8_t b) {
    uint8_t product = 0;
    for (; b; b >>= 1) {
        if (b & 1) product ^= a;
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    }
    return product;
}
struct boxes {
    uint8_t forward[256], back[256];
};
static void make_boxes(struct boxes *s) {
    for (int x = 0; x < 256; x++) {
        uint8_t inverse = 0;
        for (int y = 1; y < 256 && !inverse; y++)
            if (multiply((uint8_t)x, (uint8_t)y) == 1) inverse = (uint8_t)y;
        uint8_t v = 0x63;
        for (int turn = 0; turn < 5; turn++)
            v ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
        s->forward[x] = v;
        s->back[v] = (uint8_t)x;
    }
}

// The key schedule of FIPS 197, byte by byte.
static void expand_key(const struct boxes *s, const uint8_t *key, int bits, uint8_t *keys) {
    const int length = bits / 8, total = 16 * (bits / 32 + 7);
    uint8_t constant = 1;
    memcpy(keys, key, (size_t)length);
    for (int i = length; i < total; i += 4) {
        uint8_t w[4];
        memcpy(w, keys + i - 4, 4);
        if (i % length == 0) {
            const uint8_t first = w[0];
            w[0] = s->forward[w[1]] ^ constant;
            w[1] = s->forward[w[2]];
            w[2] = s->forward[w[3]];
            w[3] = s->forward[first];
            constant = multiply(constant, 2);
        } else if (length == 32 && i % length == 16) {
            for (int k = 0; k < 4; k++) w[k] = s->forward[w[k]];
        }
        for (int k = 0; k < 4; k++) keys[i + k] = keys[i - length + k] ^ w[k];
    }
}

// The four steps of the standard on bytes, with no tables but the substitution.
static void mix(uint8_t *state, const uint8_t factor[4]) {
    for (int c = 0; c < 16; c += 4) {
        uint8_t column[4];
        memcpy(column, state + c, 4);
        for (int r = 0; r < 4; r++) {
            state[c + r] = 0;
            for (int k = 0; k < 4; k++)
                state[c + r] ^= multiply(column[k], factor[(k - r + 4) % 4]);
        }
    }
}
static const uint8_t mixing[4] = {2, 3, 1, 1}, unmixing[4] = {14, 11, 13, 9};

static void encrypt(const struct boxes *s, const uint8_t *keys, int rounds, uint8_t *state) {
    for (int round = 0; round <= rounds; round++) {
        if (round) {
            uint8_t old[16];
            memcpy(old, state, 16);
            for (int i = 0; i < 16; i++) state[i] = s->forward[old[(i + 4 * (i % 4)) % 16]];
        }
        if (round && round < rounds) mix(state, mixing);
        for (int i = 0; i < 16; i++) state[i] ^= keys[16 * round + i];
    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t bytes = (size_t)h.arg[0];
    const int bits = (int)h.arg[1], rounds = bits / 32 + 6;
    const bool decrypts = h.arg[2];
    host_require(&h, bytes % BLOCK_BYTES == 0 && (bits == 128 || bits == 256),
                 "BYTES must be a multiple of %d, BITS 128 or 256.", BLOCK_BYTES);

    struct boxes s;
    make_boxes(&s);
    uint8_t key[32], keys[KEY_BYTES];

    // The reference itself, by the example of FIPS 197, appendix C.1.
    static const uint8_t cipher_text[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                            0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
    uint8_t example[16];
    for (int i = 0; i < 16; i++) {
        key[i] = (uint8_t)i;
        example[i] = (uint8_t)(0x11 * i);
    }
    expand_key(&s, key, 128, keys);
    encrypt(&s, keys, 10, example);
    host_check_that(&h, !memcmp(example, cipher_text, 16), "the reference is wrong.");

    for (int i = 0; i < 32; i++) key[i] = (uint8_t)host_random(&h);
    expand_key(&s, key, bits, keys);
    uint8_t *plain = host_memory(bytes, 1), *coded = host_memory(bytes, 1);
    for (size_t i = 0; i < bytes; i++) plain[i] = coded[i] = (uint8_t)host_random(&h);
    for (size_t i = 0; i < bytes; i += 16) encrypt(&s, keys, rounds, coded + i);

    // A byte's part of a mixed column, for each of the four rows it may come from.
    uint32_t tables[4][256], inverse[256];
    const uint8_t *factor = decrypts ? unmixing : mixing;
    for (int x = 0; x < 256; x++) {
        inverse[x] = s.back[x];
        for (int row = 0; row < 4; row++) {
            tables[row][x] = 0;
            for (int r = 0; r < 4; r++)
                tables[row][x] |= (uint32_t)multiply(decrypts ? s.back[x] : s.forward[x],
                                                     factor[(row - r + 4) % 4])
                                  << (8 * r);
        }
    }
    host_write_symbol(&h, "tables", tables, sizeof tables);
    host_write_symbol(&h, "inverse", inverse, sizeof inverse);
    uint8_t used[KEY_BYTES];
    memcpy(used, keys, sizeof used);
    if (decrypts) { // backwards, and unmixed but for the first and the last
        for (int round = 0; round <= rounds; round++) {
            memcpy(used + 16 * round, keys + 16 * (rounds - round), 16);
            if (round && round < rounds) mix(used + 16 * round, unmixing);
        }
    }

    CUdeviceptr keys_dev = host_upload(&h, used, sizeof used);
    CUdeviceptr in_dev = host_upload(&h, decrypts ? coded : plain, bytes);
    CUdeviceptr out_dev = host_alloc(&h, bytes);
    host_bind_linear(&h, "keys", keys_dev, sizeof used, CU_AD_FORMAT_UNSIGNED_INT32, 1);
    const char *const names[] = {"aesEncrypt128", "aesEncrypt256", "aesDecrypt128",
                                 "aesDecrypt256"};
    host_launch(host_kernel(&h, names[2 * decrypts + (bits == 256)]),
                (struct dim){(unsigned)(bytes / BLOCK_BYTES)}, (struct dim){THREADS}, 0, &in_dev,
                &out_dev);
    int32_t *got = host_memory(bytes, 1), *want = host_memory(bytes, 1);
    host_read(got, out_dev, bytes);
    memcpy(want, decrypts ? plain : coded, bytes);
    host_check_int(&h, "words", got, want, bytes / 4); // exact

    free(plain);
    free(coded);
    free(got);
    free(want);
    return host_close(&h);
}
