// Operands of the bit tests: a value is a function of its kind, its place (a, b, c, e) and its
// index, so that any machine makes the same ones and a file of results needs to hold results only.
//
// Indices below EDGES pair edges with edges; from there on values are random, of a quarter of them
// with a chosen size so that additions meet, products overflow and conversions cut. 16-bit operands
// in place a run through all 65536 values.
#include "operands.h"

#include <string.h>

static uint64_t noise(char kind, char place, uint32_t i, uint32_t salt) {
    return mix64(mix64((uint64_t)i << 8 | (unsigned char)kind) +
                 ((uint64_t)(unsigned char)place << 40) + ((uint64_t)salt << 50) +
                 0x9e3779b97f4a7c15);
}

// The edge of a float format with the index, which wraps around; its bits.
static uint64_t float_edge(unsigned ebits, unsigned mbits, uint32_t i) {
    const uint64_t inf = ((1ull << ebits) - 1) << mbits, sign = 1ull << (ebits + mbits);
    const uint64_t bias = (1ull << (ebits - 1)) - 1, one = bias << mbits, unit = 1ull << mbits;
    const uint64_t edges[] = {0,
                              sign,
                              one,
                              one | sign,
                              inf,
                              inf | sign,
                              1,
                              1 | sign,
                              unit - 1,
                              (unit - 1) | sign,
                              unit,
                              unit | sign,
                              inf - 1,
                              (inf - 1) | sign,
                              inf | unit >> 1,
                              inf | sign | unit >> 1 | 0x15,
                              inf | 1,
                              inf | sign | (unit - 1),
                              one - 1,
                              one + 1,
                              one + unit,
                              one - unit,
                              (one - unit) | sign,
                              one - unit + 1,
                              one - unit - 1,
                              one + unit / 2,
                              one + (mbits - 1) * unit,
                              one + mbits * unit,
                              one + mbits * unit + 1,
                              (one + mbits * unit + 1) | sign,
                              one + (bias > 31 ? 31 : 14) * unit,
                              one + (bias > 31 ? 32 : 15) * unit - 1};
    return edges[i % (sizeof edges / sizeof *edges)];
}
static uint64_t int_edge(unsigned bits, uint32_t i) {
    const uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1, top = 1ull << (bits - 1);
    const uint64_t edges[] = {0,
                              1,
                              2,
                              3,
                              all,
                              all - 1,
                              top,
                              top - 1,
                              top + 1,
                              0x7f,
                              0x80,
                              0x81,
                              0xff,
                              0x100,
                              0x7fff & all,
                              0x8000 & all,
                              0xffff & all,
                              31,
                              32,
                              33,
                              0x5555555555555555 & all,
                              0xaaaaaaaaaaaaaaaa & all,
                              all >> 1 ^ all >> 2,
                              all << (bits / 2) & all,
                              all >> bits / 2,
                              (all >> bits / 2) + 1,
                              top >> 1,
                              7,
                              10,
                              255 << (bits / 2 - 8),
                              0x0123456789abcdef & all,
                              0xfffffff9 & all};
    return edges[i % (sizeof edges / sizeof *edges)];
}

struct shape {
    char kind;
    unsigned char bits, ebits, mbits; // ebits 0: an integer
};
static const struct shape shapes[] = {{'s', 16, 0, 0},   {'i', 32, 0, 0}, {'l', 64, 0, 0},
                                      {'h', 16, 5, 10},  {'b', 16, 8, 7}, {'f', 32, 8, 23},
                                      {'d', 64, 11, 52}, {'q', 16, 0, 0}};

unsigned operand_bytes(char kind) {
    switch (kind) {
    case 's':
    case 'h':
    case 'b':
    case 'q': return 2;
    case 'l':
    case 'd': return 8;
    default: return 4;
    }
}

static uint64_t scalar(const struct shape *s, char kind, char place, uint32_t i) {
    const uint64_t all = s->bits == 64 ? ~0ull : (1ull << s->bits) - 1;
    if (i < OPERAND_EDGES) {
        // a runs fastest; b follows so that every pair comes; c and e are spread.
        const uint32_t at = place == 'a'   ? i
                            : place == 'b' ? i / 32 + i
                            : place == 'c' ? i * 7 + i / 32 * 3
                                           : i / 5;
        return s->ebits ? float_edge(s->ebits, s->mbits, at) : int_edge(s->bits, at);
    }
    if (place == 'a' && s->bits == 16) return (i - OPERAND_EDGES) & 0xffff;
    const uint64_t r = noise(kind, place, i, 0), q = noise(kind, place, i, 1);
    const unsigned way = q & 15;
    if (way == 0)
        return s->ebits ? float_edge(s->ebits, s->mbits, (uint32_t)(q >> 8))
                        : int_edge(s->bits, (uint32_t)(q >> 8));
    if (place != 'a' && way <= 2) { // near to a, or its opposite
        const uint64_t a = scalar(s, kind, 'a', i);
        return (a ^ (r & (way == 1 ? 3 : 0x1f)) ^
                (s->ebits && (q & 0x100) ? 1ull << (s->bits - 1) : 0)) &
               all;
    }
    if (s->ebits && way <= 10) { // an exponent near that of 1, closer or wider
        const uint64_t bias = (1ull << (s->ebits - 1)) - 1;
        const uint64_t span = way <= 6                        ? 4
                              : (uint64_t)s->mbits + 4 < bias ? s->mbits + 4u
                                                              : bias - 1;
        const uint64_t e = bias - span + (q >> 8) % (2 * span + 1);
        return (r & ((1ull << s->mbits) - 1)) | e << s->mbits | (q >> 40 & 1) << (s->bits - 1);
    }
    if (!s->ebits && way <= 6) { // a short integer of either sign
        const uint64_t v = r >> (q >> 8) % 64;
        return (q >> 40 & 1 ? 0 - v : v) & all;
    }
    return r & all;
}

uint64_t operand(char kind, char place, uint32_t i) {
    switch (kind) {
    case 'n':
        return i < OPERAND_EDGES ? (place == 'b' ? i / 32 + i : i / 7) % 67
                                 : noise(kind, place, i, 0) % 67;
    case 'z': return i < OPERAND_EDGES ? (i >> (place - 'a')) & 1 : noise(kind, place, i, 0) & 1;
    case 'H':
    case 'B': {
        const struct shape *s = kind == 'H' ? &shapes[3] : &shapes[4];
        const uint64_t low = scalar(s, kind, place, i);
        const uint64_t high =
            scalar(s, (char)(kind ^ 0x40), place, i < OPERAND_EDGES ? i * 5 + 1 : i ^ 0x5a5a);
        return low | high << 16;
    }
    default:
        for (unsigned k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            if (shapes[k].kind == kind) return scalar(&shapes[k], kind, place, i);
        }
        die("no kind of operand is called %c", kind);
    }
}

void operand_column(void *to, char kind, char place, uint32_t count) {
    const unsigned bytes = operand_bytes(kind);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t v = operand(kind, place, i);
        memcpy((char *)to + (size_t)i * bytes, &v, bytes); // little-endian, as the GPU is
    }
}
