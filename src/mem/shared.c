// How many passes a shared-memory access takes through the banks.
//
// Bank of an address: (address / bank_bytes) mod banks; the word is address / bank_bytes. Lanes
// that want the same word of a bank share a pass. An access wider than a bank's word is served in
// portions that fill the banks once (64-bit: half-warps, 128-bit: quarter-warps on 4-byte banks);
// each portion takes as many passes as the busiest bank has different words.
//
// Volta and Turing (`pairs`, an NVIDIA engineer on the vendor's forum, "Unexpected shared memory
// bank conflict"): the way back carries 128 bytes a cycle, a register of each lane, but carries the
// registers of two lanes at once where lanes i and i^1, or i and i^2, of all active lanes read one
// address. A load of 128 bits then goes in halves of a warp, one of 64 bits at once.
//
// Tesla (`one_broadcast`, CUDA C Programming Guide 3.2 G.3.3): half-warps; a pass serves all lanes
// that want one chosen word, and of every other bank one lane alone. The guide leaves the choice
// open; here it is the word of the lowest lane left. Wider accesses are runs of 32-bit ones.
#include "mem/pieces.h"

enum { WARP = 32 };

// Whether all words lie so close together that no two of them are of one bank: rows, columns of a
// narrow tile, and what all lanes share. Nothing branches on the addresses.
static bool fit_once(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t banks,
                     uint32_t shift) {
    uint64_t low[2] = {UINT64_MAX, UINT64_MAX}, high[2] = {0, 0}; // of even and of odd lanes
    for (uint32_t lane = 0; lane < WARP; lane += 2)
        for (uint32_t i = 0; i < 2; i++) {
            const uint64_t is_out = (uint64_t)(mask >> (lane + i) & 1) - 1, at = addr[lane + i];
            low[i] = (at | is_out) < low[i] ? at | is_out : low[i];
            high[i] = (at & ~is_out) > high[i] ? at & ~is_out : high[i];
        }
    const uint64_t first = low[0] < low[1] ? low[0] : low[1],
                   last = high[0] > high[1] ? high[0] : high[1];
    return ((last + bytes - 1) >> shift) - (first >> shift) < banks;
}

static uint32_t passes_broadcast_all(const uint64_t *addr, uint32_t mask, uint32_t bytes,
                                     uint32_t banks, uint32_t bank_bytes) {
    const uint32_t shift = bits_first32(bank_bytes);
    if (fit_once(addr, mask, bytes, banks, shift)) return 1;
    // Words already asked of a bank, as a list threaded through the (lane, word) pairs.
    uint64_t word[WARP * 16];
    uint16_t link[WARP * 16];
    uint16_t head[64], count[64];
    memset(count, 0, sizeof count);
    uint32_t n = 0, worst = 1;
    FOR_EACH_BIT32(lane, mask) {
        const uint64_t last = (addr[lane] + bytes - 1) >> shift;
        for (uint64_t w = addr[lane] >> shift; w <= last; w++) {
            const uint32_t bank = (uint32_t)w & (banks - 1);
            uint32_t seen = count[bank], at = head[bank];
            while (seen && word[at] != w) {
                at = link[at];
                seen--;
            }
            if (seen) continue;
            word[n] = w;
            if (count[bank]) link[n] = head[bank];
            head[bank] = (uint16_t)n++;
            if (++count[bank] > worst) worst = count[bank];
        }
    }
    return worst;
}

static uint32_t passes_broadcast_one(const uint64_t *addr, uint32_t mask, uint32_t offset,
                                     uint32_t banks, uint32_t bank_bytes) {
    uint32_t passes = 0;
    while (mask) {
        const uint64_t word = (addr[bits_first32(mask)] + offset) / bank_bytes;
        uint64_t taken = UINT64_C(1) << (word & (banks - 1));
        FOR_EACH_BIT32(lane, mask) {
            const uint64_t w = (addr[lane] + offset) / bank_bytes;
            const uint64_t bank = UINT64_C(1) << (w & (banks - 1));
            if (w != word && (taken & bank)) continue;
            taken |= bank;
            mask &= ~(1u << lane);
        }
        passes++;
    }
    return passes;
}

// Whether each active lane and the lane `other` away read one address, or that one is inactive.
static bool in_pairs(const uint64_t *addr, uint32_t mask, uint32_t other) {
    uint64_t differ = 0;
    FOR_EACH_BIT32(lane, mask)
        if (mask >> (lane ^ other) & 1) differ |= addr[lane] ^ addr[lane ^ other];
    return differ == 0;
}

uint32_t shared_access_passes(const struct shared_shape *s, const uint64_t *addr, uint32_t mask,
                              uint32_t bytes) {
    if (!mask) return 0;
    uint32_t total = 0;
    if (s->one_broadcast) {
        const uint32_t lanes = s->lanes_a_pass >= WARP ? UINT32_MAX : (1u << s->lanes_a_pass) - 1;
        for (uint32_t first = 0; first < WARP; first += s->lanes_a_pass)
            for (uint32_t offset = 0; offset < bytes; offset += s->bank_bytes)
                total += passes_broadcast_one(addr, mask & lanes << first, offset, s->banks,
                                              s->bank_bytes);
        return total;
    }
    uint32_t portion = s->lanes_a_pass < WARP ? s->lanes_a_pass : WARP;
    for (uint32_t b = bytes; b > s->bank_bytes && portion > 1; b /= 2) portion /= 2;
    if (s->pairs && portion < WARP && (in_pairs(addr, mask, 1) || in_pairs(addr, mask, 2)))
        portion *= 2;
    const uint32_t lanes = portion == WARP ? UINT32_MAX : (1u << portion) - 1;
    for (uint32_t first = 0; first < WARP; first += portion) {
        const uint32_t m = mask & lanes << first;
        if (m) total += passes_broadcast_all(addr, m, bytes, s->banks, s->bank_bytes);
    }
    if (bytes == 16 && s->wide_extra)
        total += s->wide_extra * ((mask & 0xFFFF) != 0) + s->wide_extra * (mask >> 16 != 0);
    return total;
}

uint32_t shared_passes(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t banks,
                       uint32_t bank_bytes, uint32_t lanes_a_pass, bool one_broadcast) {
    const struct shared_shape s = {.banks = banks,
                                   .bank_bytes = bank_bytes,
                                   .lanes_a_pass = lanes_a_pass,
                                   .one_broadcast = one_broadcast};
    return shared_access_passes(&s, addr, mask, bytes);
}

uint32_t shared_spread(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t *span) {
    const uint32_t shift = bits_first32(bytes);
    *span = 0;
    if (!mask) return 0;
    // Around the first lane's place: most accesses lie within 64 places of it, and nothing branches.
    const uint64_t origin = (addr[bits_first32(mask)] >> shift) - 32;
    uint64_t seen = 0, far = 0;
    for (uint32_t lane = 0; lane < WARP; lane++) {
        const uint64_t at = (addr[lane] >> shift) - origin, is_in = mask >> lane & 1;
        far |= (at >> 6) & (0 - is_in);
        seen |= is_in << (at & 63);
    }
    if (!far) {
        *span = bits_last64(seen) - bits_first64(seen) + 1;
        return bits_count64(seen);
    }
    *span = UINT32_MAX;
    uint64_t place[64];
    seen = 0;
    FOR_EACH_BIT32(lane, mask) {
        const uint64_t at = addr[lane] >> shift;
        uint32_t i = (uint32_t)(at ^ at >> 6) & 63;
        while ((seen >> i & 1) && place[i] != at) i = (i + 1) & 63;
        place[i] = at;
        seen |= UINT64_C(1) << i;
    }
    return bits_count64(seen);
}

uint32_t shared_places(const uint64_t *addr, uint32_t mask, uint32_t bytes) {
    uint32_t span;
    return shared_spread(addr, mask, bytes, &span);
}
