// Access by the active mask (Atoofian and Manzak, Power-aware L1 and L2 caches, 4.2): the word line
// of a row of a cache is divided into lines of four bytes (Yoshimoto et al., JSSC 1983), and only
// those whose word an active thread wants or writes rise; bit lines, sense amplifiers and outputs
// of the others stay quiet. The words travel with a request to L2.
//
// A read of L2 that fills a line of an L1 must bring all of it, or the L1 must know word by word
// what it has. The paper counts the words of the active threads there too (`mask_fills` 1); with 0
// such reads switch on the sectors that they bring. Fills write what comes, whole sectors; a
// write-back reads the words that are dirty and known. L1 data lie in banks of a word, so their
// word lines are divided already; so is shared memory, where each lane pays for its bank alone.
//
// Left out: what it costs to carry the words through the network.
#include "savings/lines.h"
#include "savings/savings_int.h"
#include "sm/config.h"

enum { // numbers of its own counters, from the first
    OWN_mask_accesses,
    OWN_mask_words = OWN_mask_accesses + ACT_ARRAYS,
    OWN_mask_spared_reads = OWN_mask_words + ACT_ARRAYS,
    OWN_mask_spared_writes = OWN_mask_spared_reads + ACT_ARRAYS,
    OWN_mask_spared_atomics,
    OWN_mask_spared_writebacks,
    OWN_COUNTERS
};

// Words of so many sectors that an access switches on, and those that it leaves quiet: counted
// (mask_access.c).
struct mask_shape {
    uint32_t line_words, sector_words;
};
static struct mask_shape mask_shape_of(const struct cache_config *c) {
    const uint32_t sector = c->sector_bytes != 0 ? c->sector_bytes : c->line_bytes;
    return (struct mask_shape){c->line_bytes / 4, sector / 4};
}
// Words of so many sectors.
static uint32_t words_of(const struct mask_shape *k, uint32_t sectors) {
    return bits_count32(sectors) * k->sector_words;
}

static void mask_hear(const struct mask_shape *k, bool by_mask, const struct cache_event *e,
                      uint64_t *c) {
    const uint32_t array = e->array, wanted = bits_count64(e->words);
    const bool is_l2 = array == ARRAY_L2;
    // What an access switches on without the technique: of L1 the sectors that it reads, which lie
    // in banks of their own; else the row.
    const uint32_t all = array == ARRAY_L1D ? words_of(k, e->sectors) : k->line_words;
    switch (e->what) {
    case CACHE_READ_MISS:
    case CACHE_READ_MERGE:
        if (!is_l2) return; // L1, constants, textures: their line is read when it is there
        break;
    case CACHE_READ_HIT: break;
    case CACHE_WRITE_HIT:
    case CACHE_WRITE_MISS:
        if (!is_l2) return; // stores drop the line
        if (e->is_atomic) break;
        c[OWN_mask_accesses + array]++;
        c[OWN_mask_words + array] += wanted;
        c[OWN_mask_spared_writes] += all - wanted;
        return;
    case CACHE_EVICT:
        if (!is_l2 || e->sectors == 0) return;
        c[OWN_mask_words + array] += wanted;
        c[OWN_mask_spared_writebacks] += words_of(k, e->sectors) - wanted;
        return;
    default: return;
    }
    const uint32_t on = by_mask || !is_l2 || e->is_atomic ? wanted : words_of(k, e->sectors);
    c[OWN_mask_accesses + array]++;
    c[OWN_mask_words + array] += on;
    if (e->is_atomic)
        c[OWN_mask_spared_atomics] += all - on;
    else
        c[OWN_mask_spared_reads + array] += all - on;
}

// ---- an SM's ------------------------------------------------------------------------------------
struct mask_access {
    struct mask_shape shape[MEM_ARRAYS];
    struct sm_array_port port;
    uint64_t counts[OWN_COUNTERS];
};

static uint32_t hear(void *self, const struct cache_event *e) {
    struct mask_access *const m = self;
    mask_hear(&m->shape[e->array], true, e, m->counts);
    return 0;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    const struct mask_access *const m = self;
    uint64_t *const c = savings_own(a, SAVINGS_mask_access);
    for (uint32_t i = 0; i < OWN_COUNTERS; i++) c[i] += m->counts[i];
}

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    struct mask_access *const m = self;
    m->port = (struct sm_array_port){.hear = hear};
    FOR_EACH_BIT32(i, lines_arrays(&s->set)) {
        const struct cache_config *const c = lines_cache(s->c, i);
        if (c == NULL) continue;
        m->shape[i] = mask_shape_of(c);
        m->port.arrays |= 1u << i;
    }
    t->arrays = &m->port;
    return true;
}

// ---- L2 -----------------------------------------------------------------------------------------
struct slice {
    struct mask_shape shape;
    bool fills;
    uint64_t *c;
};

static bool slice_make(void *self, const struct savings *s, const struct savings_l2_shape *k,
                       uint64_t *c) {
    *(struct slice *)self = (struct slice){.shape = {k->line_words, k->sector_words},
                                           .fills = savings_value(s, "mask_fills") != 0,
                                           .c = c + savings_counters(SAVINGS_mask_access)};
    return true;
}

static uint32_t slice_hear(void *self, const struct cache_event *e) {
    const struct slice *const l = self;
    mask_hear(&l->shape, l->fills, e, l->c);
    return 0;
}

static const struct savings_l2_port l2 = {.slice_bytes = sizeof(struct slice),
                                          .is_there = lines_in_l2,
                                          .make = slice_make,
                                          .hear = slice_hear};

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_mask_accesses, .n = ACT_ARRAYS, .name = "mask_accesses",
     .unit = "accesses", .component = "l1",
     .prose = "access by mask: reads, writes and atomics of rows with a divided word line"},
    {.at = OWN_mask_words, .n = ACT_ARRAYS, .name = "mask_words",
     .unit = "words", .component = "l1",
     .prose = "access by mask: 4-byte words that they and write-backs of L2 switched on",
     .free = "what is switched on is charged with its access"},
    {.at = OWN_mask_spared_reads, .n = ACT_ARRAYS, .name = "mask_spared_reads",
     .unit = "words", .component = "l1",
     .prose = "access by mask: words that reads left quiet"},
    {.at = OWN_mask_spared_writes, .name = "mask_spared_writes", .unit = "words", .component = "l2",
     .prose = "access by mask: words that writes of L2 left quiet"},
    {.at = OWN_mask_spared_atomics, .name = "mask_spared_atomics",
     .unit = "words", .component = "l2",
     .prose = "access by mask: words that atomics of L2 left quiet"},
    {.at = OWN_mask_spared_writebacks, .name = "mask_spared_writebacks",
     .unit = "words", .component = "l2",
     .prose = "access by mask: words of dirty sectors that write-backs of L2 left quiet"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "mask_fills", .value = 1, .high = 1, .unit = "",
     .what = "reads of L2 that fill a first-level cache switch on only the words that active "
             "threads want; 0: all that they bring",
     .source = "Power-aware L1 and L2 caches, table 1: the share of active threads at L2"},
};
// clang-format on

// L1 data lie in banks of a word, which need no divided line: a bank that is not wanted is not
// read, and its word does not pass the crossbar.
#define MASK "Power-aware L1 and L2 caches, 4.2"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "l1_reads", .name = "L1 use", .kind = LINE_EVENTS, .component = "shared",
     .what = "accesses to lines of L1 and to shared memory"},
    {.key = "l1_moves", .name = "L1 xbar", .kind = LINE_EVENTS, .component = "shared_crossbars",
     .what = "words of L1 and shared memory on their way to the lanes"},
    {.key = "const_reads", .name = "c. use", .kind = LINE_EVENTS, .component = "const",
     .what = "accesses to constant caches"},
    {.key = "tex_reads", .name = "t. use", .kind = LINE_EVENTS, .component = "tex",
     .what = "accesses to texture caches"},
    {.key = "l2_reads", .name = "L2 use", .kind = LINE_EVENTS, .component = "l2",
     .what = "accesses to L2"},
};
static const struct savings_effect effects[] = {
    {.line = "l1_reads", .counter = "mask_spared_reads", .first = ARRAY_L1D, .component = "shared",
     .sign = SAVES, .price = {.kind = PRICE_ACCESS, .event = "l1_hit_words", .share = 1},
     .why = "the bank of a word that is not wanted stays quiet", .source = MASK},
    {.line = "l1_moves", .counter = "mask_spared_reads", .first = ARRAY_L1D,
     .component = "shared_crossbars", .sign = SAVES,
     .price = {.kind = PRICE_ACCESS, .event = "l1_hit_words", .share = 1},
     .why = "and the word does not move", .source = MASK},
    {.line = "const_reads", .counter = "mask_spared_reads", .first = ARRAY_CONST,
     .component = "const", .sign = SAVES,
     .price = {.kind = PRICE_WORD_PART, .event = "const_reads"},
     .why = "a word of a line that is not wanted stays quiet", .source = MASK},
    {.line = "const_reads", .counter = "mask_accesses", .first = ARRAY_CONST, .component = "const",
     .sign = COSTS, .price = {.kind = PRICE_WORD_GATES, .event = "const_reads"},
     .why = "gates and drivers of the divided line", .source = MASK},
    {.line = "tex_reads", .counter = "mask_spared_reads", .first = ARRAY_TEX, .component = "tex",
     .sign = SAVES, .price = {.kind = PRICE_WORD_PART, .event = "tex_reads"}, .why = "as constants",
     .source = MASK},
    {.line = "tex_reads", .counter = "mask_accesses", .first = ARRAY_TEX, .component = "tex",
     .sign = COSTS, .price = {.kind = PRICE_WORD_GATES, .event = "tex_reads"},
     .why = "as constants", .source = MASK},
    {.line = "l2_reads", .counter = "mask_spared_reads", .first = ARRAY_L2, .component = "l2",
     .sign = SAVES, .price = {.kind = PRICE_WORD_PART, .event = "l2_reads"}, .why = "as constants",
     .source = MASK},
    {.line = "l2_reads", .counter = "mask_spared_writes", .component = "l2", .sign = SAVES,
     .price = {.kind = PRICE_WORD_PART, .event = "l2_writes"},
     .why = "a word that is not written stays quiet", .source = MASK},
    {.line = "l2_reads", .counter = "mask_spared_atomics", .component = "l2", .sign = SAVES,
     .price = {.kind = PRICE_WORD_PART, .event = "l2_atomics"}, .why = "neither read nor written",
     .source = MASK},
    {.line = "l2_reads", .counter = "mask_spared_writebacks", .component = "l2", .sign = SAVES,
     .price = {.kind = PRICE_WORD_PART, .event = "l2_writebacks"},
     .why = "a word that is not dirty is not read", .source = MASK},
    {.line = "l2_reads", .counter = "mask_accesses", .first = ARRAY_L2, .component = "l2",
     .sign = COSTS, .price = {.kind = PRICE_WORD_GATES, .event = "l2_reads"}, .why = "as constants",
     .source = MASK},
};
static const struct savings_area areas[] = {
    {.line = "const_reads", .counter = "mask_accesses", .first = ARRAY_CONST, .component = "const",
     .size = {.kind = SIZE_DIVIDED}, .what = "gates and drivers of divided word lines",
     .source = MASK},
    {.line = "tex_reads", .counter = "mask_accesses", .first = ARRAY_TEX, .component = "tex",
     .size = {.kind = SIZE_DIVIDED}, .what = "gates and drivers of divided word lines",
     .source = MASK},
    {.line = "l2_reads", .counter = "mask_accesses", .first = ARRAY_L2, .component = "l2",
     .size = {.kind = SIZE_DIVIDED}, .what = "gates and drivers of divided word lines",
     .source = MASK},
};
static const struct savings_shown shown[] = {
    {.line = "l1_reads", .counter = "mask_accesses", .first = ARRAY_L1D},
};
// clang-format on

const struct savings_part part_mask_access = {
    .name = "mask-access",
    .what = "of a row of a cache only the words rise that active threads want or write: divided "
            "word lines of four bytes",
    .paper = "Power-aware L1 and L2 caches, 4.2; Yoshimoto et al., JSSC 1983",
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .shown = {PART_ROWS(shown)},
    .uses = {&part_lines},
    .state_bytes = sizeof(struct mask_access),
    .ports = {.count = count},
    .make = make,
    .l2 = &l2,
};
