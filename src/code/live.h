// Liveness of 32-bit words of virtual registers and of predicates.
//
// Everything that can be live has one number ("slot"): the words of the registers first, in the
// order of the registers, then the predicates, and behind those that allocation places the carry,
// which has its place.
#ifndef WW_CODE_LIVE_H
#define WW_CODE_LIVE_H

#include "code/code.h"
#include "isa/operands.h"

struct live {
    struct arena *arena;
    const struct mfunc *f;
    const struct cfg *cfg;
    uint32_t *word_base; // virtual register -> its first slot; one more at the end
    uint32_t *vreg_of;   // word slot -> virtual register
    uint32_t n_words;    // word slots
    uint32_t pred_base;  // == n_words
    uint32_t pred_end;   // the carry's slot, the last one
    uint32_t n_slots;
    // Slots that cross a block boundary have a bit; the others are live inside one block only.
    uint32_t *global_of; // slot -> bit, UINT32_MAX when local
    uint32_t *slot_of;   // bit -> slot
    uint32_t n_global, row_words;
    uint64_t *in, *out; // a row of row_words for each block
    // Instruction -> bit 0: its first result ends what lived in the slots above it (unguarded, or
    // guarded and nobody outside the guard looks); bit 1: the second; and so on.
    uint8_t *kills;
};

struct live *live_build(struct arena *a, const struct mfunc *f, const struct cfg *c);

// What an instruction reads and writes, as slots; the guard's is not among them. A filler does
// neither: it stands for time.
enum { LIVE_MAX_READS = ISA_MAX_REFS + 1, LIVE_MAX_WRITES = ISA_MAX_REFS };
uint32_t live_reads(const struct live *l, const struct minst *m, uint32_t slot[LIVE_MAX_READS]);
// Slots of dst[which].
uint32_t live_writes(const struct live *l, const struct minst *m, unsigned which,
                     uint32_t slot[LIVE_MAX_WRITES]);

// A set of slots with constant-time insert, remove, clear, and a dense list of members.
struct slot_set {
    uint32_t *dense, *sparse, n;
};
void slot_set_init(struct slot_set *s, struct arena *a, uint32_t n_slots);
static inline bool slot_set_has(const struct slot_set *s, uint32_t x) {
    const uint32_t at = s->sparse[x];
    return at < s->n && s->dense[at] == x;
}
static inline void slot_set_add(struct slot_set *s, uint32_t x) {
    if (slot_set_has(s, x)) return;
    s->sparse[x] = s->n;
    s->dense[s->n++] = x;
}
static inline void slot_set_remove(struct slot_set *s, uint32_t x) {
    if (!slot_set_has(s, x)) return;
    const uint32_t at = s->sparse[x], last = s->dense[--s->n];
    s->dense[at] = last;
    s->sparse[last] = at;
}

// Walks a block from its end: the set after the last instruction, then a step back over each.
void live_block_end(const struct live *l, uint32_t block, struct slot_set *now);
void live_step_back(const struct live *l, uint32_t inst, struct slot_set *now);

// Registers (words) and predicates live at once, the most over the code.
struct live_pressure {
    uint32_t words, preds;
};
struct live_pressure live_max_pressure(const struct live *l);

static inline bool live_bit(const uint64_t *row, uint32_t bit) {
    return row[bit / 64] >> (bit % 64) & 1;
}

#endif
