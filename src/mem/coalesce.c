// Which transactions one warp access to global memory becomes, by generation.
//
//   cc 1.0/1.1  Half-warps. The k-th lane must access the k-th word of an aligned segment (64 bytes
//               for 4-byte words, 128 for 8, two of 128 for 16); else a 32-byte transaction a lane.
//   cc 1.2/1.3  Half-warps. From the lowest lane left: its segment (32, 64, 128 bytes for words of
//               1, 2, 4 and more), all lanes in it, shrunk to the half that is used while only one
//               half is (to 32 bytes at the least).
//   LINE128     Fermi with L1: 128-byte lines; words of 8 bytes by half-warps, of 16 by quarters.
//   SECTOR32    The same portions, 32-byte sectors: L2 alone. Sectors of a line that make an
//               aligned 64 or 128 bytes leave as one packet; traffic is the same, headers are
//               fewer.
//   ..._WARP    Volta: the tag stage compares the addresses of all 32 lanes, however wide their words.
//
// Source: CUDA C Programming Guide 3.2 appendix G, 5.5 appendix G (see microbenchmarks data); Volta:
// G. Smith (NVIDIA), developer forum, Pascal L1 cache (49571).
#include "mem/pieces.h"

enum { LINE = 128, SECTOR = 32, WARP = 32, HALF = 16 };

// Bytes of one 128-byte line that lanes touch.
struct touched {
    uint64_t line;    // address
    uint64_t bits[2]; // a bit a byte
    uint32_t lanes;
};

static inline void touch(struct touched *t, uint32_t offset, uint32_t bytes, uint32_t lane) {
    // Accesses are aligned to their size, so none crosses a 64-byte half.
    t->bits[offset >> 6] |= ((UINT64_C(1) << bytes) - 1) << (offset & 63);
    t->lanes |= 1u << lane;
}

// Of 64 bits every fourth, moved together.
static inline uint32_t every_fourth(uint64_t x) {
    x &= UINT64_C(0x1111111111111111);
    x = (x | x >> 3) & UINT64_C(0x0303030303030303); // every fourth bit moves down to its place
    x = (x | x >> 6) & UINT64_C(0x000F000F000F000F);
    x = (x | x >> 12) & UINT64_C(0x000000FF000000FF);
    return (uint32_t)(x | x >> 24) & 0xFFFF;
}
// One bit for each 4 bytes of a half line, set where all of them are, or any.
static inline uint32_t words_all(uint64_t bytes) {
    const uint64_t x = bytes & bytes >> 1;
    return every_fourth(x & x >> 2);
}
static inline uint32_t words_any(uint64_t bytes) {
    const uint64_t x = bytes | bytes >> 1;
    return every_fourth(x | x >> 2);
}
// One bit for each 32-byte sector, set where all of its 8 words are.
static inline uint32_t sectors_all(uint32_t words) {
    uint32_t r = 0;
    for (uint32_t i = 0; i < LINE / SECTOR; i++)
        r |= (uint32_t)((words >> 8 * i & 0xFF) == 0xFF) << i;
    return r;
}
static uint8_t sectors_any(const uint64_t b[2]) {
    return (uint8_t)(((uint32_t)b[0] != 0) | ((b[0] >> 32) != 0) << 1 | ((uint32_t)b[1] != 0) << 2 |
                     ((b[1] >> 32) != 0) << 3);
}

static struct transaction make(const struct touched *t, uint64_t addr, uint32_t bytes) {
    struct transaction r = {.addr = addr, .lanes = t->lanes, .bytes = (uint16_t)bytes};
    if (t->bits[0] == UINT64_MAX && t->bits[1] == UINT64_MAX) {
        r.sectors = r.full_sectors = 0xF;
        r.words = UINT32_MAX;
        r.touched = UINT32_MAX;
        return r;
    }
    r.touched = (words_any(t->bits[0]) | words_any(t->bits[1]) << 16) >> (addr - t->line) / 4;
    r.sectors = sectors_any(t->bits);
    r.words = words_all(t->bits[0]) | words_all(t->bits[1]) << 16;
    r.full_sectors = (uint8_t)sectors_all(r.words);
    return r;
}

// ---- Fermi and later ------------------------------------------------------------------------
// Lines that a portion of the warp touches, in the order of their first lanes.
static uint32_t gather_lines(const uint64_t *addr, uint32_t mask, uint32_t bytes,
                             struct touched *out) {
    uint32_t n = 0, last = 0;
    FOR_EACH_BIT32(lane, mask) {
        const uint64_t line = addr[lane] & ~(uint64_t)(LINE - 1);
        if (n == 0 || out[last].line != line) {
            for (last = 0; last < n && out[last].line != line; last++) continue;
            if (last == n) out[n++] = (struct touched){.line = line};
        }
        touch(&out[last], (uint32_t)(addr[lane] & (LINE - 1)), bytes, lane);
    }
    return n;
}

// Lanes of the line that touch bytes [from, to) of it.
static uint32_t lanes_within(const uint64_t *addr, uint32_t lanes, uint64_t from, uint64_t to) {
    uint32_t r = 0;
    FOR_EACH_BIT32(lane, lanes)
    if (addr[lane] >= from && addr[lane] < to) r |= 1u << lane;
    return r;
}

// Splits a line's touched sectors into aligned runs of 128, 64 or 32 bytes.
static uint32_t split_sectors(const uint64_t *addr, const struct touched *t,
                              struct transaction *out) {
    const struct transaction whole = make(t, t->line, LINE);
    if (whole.sectors == 0xF) {
        out[0] = whole;
        return 1;
    }
    uint32_t n = 0;
    for (uint32_t s = 0; s < 4;) {
        if (!(whole.sectors >> s & 1)) {
            s++;
            continue;
        }
        const uint32_t run = (s & 1) == 0 && (whole.sectors >> s & 3) == 3 ? 2 : 1;
        const uint32_t mask = (run == 2 ? 3u : 1u) << s;
        const uint64_t from = t->line + s * SECTOR;
        out[n++] = (struct transaction){
            .addr = from,
            .touched = whole.touched >> 8 * s & ((1u << 8 * run) - 1),
            .lanes = lanes_within(addr, t->lanes, from, from + run * SECTOR),
            .words = whole.words & (uint32_t)(((UINT64_C(1) << (8 * run)) - 1) << (8 * s)),
            .bytes = (uint16_t)(run * SECTOR),
            .sectors = (uint8_t)mask,
            .full_sectors = (uint8_t)(whole.full_sectors & mask),
        };
        s += run;
    }
    // The order promised is that of the first lane served.
    for (uint32_t i = 1; i < n; i++) {
        for (uint32_t k = i; k > 0 && bits_first32(out[k].lanes) < bits_first32(out[k - 1].lanes);
             k--) {
            const struct transaction x = out[k];
            out[k] = out[k - 1];
            out[k - 1] = x;
        }
    }
    return n;
}

static uint32_t coalesce_fermi(bool sectored, uint32_t portion, const uint64_t *addr, uint32_t mask,
                               uint32_t bytes, struct transaction *out) {
    const uint32_t lanes = portion == WARP ? UINT32_MAX : (1u << portion) - 1;
    struct touched line[WARP];
    uint32_t n = 0;
    for (uint32_t first = 0; first < WARP; first += portion) {
        const uint32_t lines = gather_lines(addr, mask & lanes << first, bytes, line);
        for (uint32_t i = 0; i < lines; i++) {
            if (sectored)
                n += split_sectors(addr, &line[i], out + n);
            else
                out[n++] = make(&line[i], line[i].line, LINE);
        }
    }
    return n;
}

// ---- Tesla ----------------------------------------------------------------------------------
// All lanes of `mask` whose access lies in [base, base + bytes of the segment), which lies within
// one 128-byte line.
static struct touched touch_segment(const uint64_t *addr, uint32_t mask, uint32_t bytes,
                                    uint64_t base, uint32_t segment) {
    struct touched t = {.line = base & ~(uint64_t)(LINE - 1)};
    FOR_EACH_BIT32(lane, mask)
    if (addr[lane] - base < segment) touch(&t, (uint32_t)(addr[lane] - t.line), bytes, lane);
    return t;
}

static uint32_t coalesce_tesla12(const uint64_t *addr, uint32_t mask, uint32_t bytes,
                                 struct transaction *out) {
    const uint32_t largest = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
    uint32_t n = 0;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t left = mask & 0xFFFFu << half * HALF;
        while (left) {
            uint32_t segment = largest;
            uint64_t base = addr[bits_first32(left)] & ~(uint64_t)(segment - 1);
            const struct touched t = touch_segment(addr, left, bytes, base, segment);
            const uint32_t used = sectors_any(t.bits);
            while (segment > SECTOR) {
                const uint32_t part = segment / 2, sectors = (1u << part / SECTOR) - 1;
                const uint32_t at = (uint32_t)(base - t.line) / SECTOR;
                const bool low = used & sectors << at,
                           high = used & sectors << (at + part / SECTOR);
                if (low && high) break;
                if (high) base += part;
                segment = part;
            }
            out[n++] = make(&t, base, segment);
            left &= ~t.lanes;
        }
    }
    return n;
}

static bool in_order(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint64_t base) {
    FOR_EACH_BIT32(lane, mask)
    if (addr[lane] != base + (lane & (HALF - 1)) * bytes) return false;
    return true;
}

static uint32_t coalesce_tesla10(const uint64_t *addr, uint32_t mask, uint32_t bytes,
                                 struct transaction *out) {
    uint32_t n = 0;
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t lanes = mask & 0xFFFFu << half * HALF;
        if (!lanes) continue;
        const uint32_t first = bits_first32(lanes);
        // Where lane 0's word would be if the half-warp were in order.
        const uint64_t base = addr[first] - (uint64_t)(first & (HALF - 1)) * bytes;
        if (bytes >= 4 && base % (HALF * bytes) == 0 && in_order(addr, lanes, bytes, base)) {
            const uint32_t segment = bytes == 4 ? 64 : 128;
            for (uint64_t at = base; at < base + HALF * bytes; at += segment) {
                const struct touched t = touch_segment(addr, lanes, bytes, at, segment);
                if (t.lanes) out[n++] = make(&t, at, segment);
            }
            continue;
        }
        FOR_EACH_BIT32(lane, lanes) {
            const uint64_t at = addr[lane] & ~(uint64_t)(SECTOR - 1);
            const struct touched t = touch_segment(addr, 1u << lane, bytes, at, SECTOR);
            out[n++] = make(&t, at, SECTOR);
        }
    }
    return n;
}

uint32_t coalesce(enum coalesce_kind kind, const uint64_t *addr, uint32_t mask, uint32_t bytes,
                  struct transaction out[64]) {
    const uint32_t portion = bytes <= 4 ? WARP : WARP * 4 / bytes; // lanes that make 128 bytes
    switch (kind) {
    case COALESCE_TESLA10: return coalesce_tesla10(addr, mask, bytes, out);
    case COALESCE_TESLA12: return coalesce_tesla12(addr, mask, bytes, out);
    case COALESCE_LINE128: return coalesce_fermi(false, portion, addr, mask, bytes, out);
    case COALESCE_LINE128_WARP: return coalesce_fermi(false, WARP, addr, mask, bytes, out);
    case COALESCE_SECTOR32_WARP: return coalesce_fermi(true, WARP, addr, mask, bytes, out);
    case COALESCE_SECTOR32: break;
    }
    return coalesce_fermi(true, portion, addr, mask, bytes, out);
}
