// The table of layouts of constant bank 0 (bank0.def).
#include "isa/bank0.h"

const uint8_t bank0_words[BANK0_SLOTS] = {
#define SLOT(id, words, what) [BANK0_##id] = (words),
#include "isa/bank0.def"
};

const struct bank0 bank0_info[BANK0_LAYOUTS] = {
#define LAYOUT(id, first, last, params, source) [BANK0_OF_##id] = {#id, first, last, params},
#define AT(layout, slot, offset)
#include "isa/bank0.def"
};

// 1 + offset; 0: the layout has no such slot.
static const uint16_t places[BANK0_LAYOUTS][BANK0_SLOTS] = {
#define LAYOUT(id, first, last, params, source)
#define AT(layout, slot, offset) [BANK0_OF_##layout][BANK0_##slot] = 1 + (offset),
#include "isa/bank0.def"
};

bool bank0_at(enum bank0_layout l, enum bank0_slot s, uint32_t *offset) {
    if (!places[l][s]) return false;
    *offset = places[l][s] - 1u;
    return true;
}

bool bank0_of(uint32_t arch, uint32_t params, enum bank0_layout *out) {
    bool is_known = false;
    for (uint32_t l = BANK0_OF_COMPILED + 1; l < BANK0_LAYOUTS; l++) {
        const struct bank0 *const b = &bank0_info[l];
        if (arch < b->first || arch > b->last || (is_known && b->params != params)) continue;
        *out = (enum bank0_layout)l;
        is_known = true;
        if (b->params == params) break;
    }
    return is_known;
}

bool bank0_provides(enum bank0_layout l, uint32_t param_bytes, uint32_t offset, uint32_t bytes) {
    const uint64_t end = (uint64_t)offset + bytes, params = bank0_info[l].params;
    if (offset >= params) return end <= params + param_bytes;
    uint64_t at = offset; // everything before it is there
    for (bool moves = true; at < end && moves;) {
        moves = false;
        for (uint32_t s = 0; s < BANK0_SLOTS; s++) {
            uint32_t first;
            if (!bank0_at(l, (enum bank0_slot)s, &first)) continue;
            const uint64_t last = first + 4ull * bank0_words[s];
            if (at < first || at >= last) continue;
            at = last;
            moves = true;
        }
    }
    return at >= end;
}
