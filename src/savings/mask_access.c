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

// Words of so many sectors.
static uint32_t words_of(const struct mask_shape *k, uint32_t sectors) {
    return bits_count32(sectors) * k->sector_words;
}

void mask_hear(const struct mask_shape *k, bool by_mask, const struct cache_event *e, uint64_t *c) {
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
        c[ACT_mask_accesses + array]++;
        c[ACT_mask_words + array] += wanted;
        c[ACT_mask_spared_writes] += all - wanted;
        return;
    case CACHE_EVICT:
        if (!is_l2 || e->sectors == 0) return;
        c[ACT_mask_words + array] += wanted;
        c[ACT_mask_spared_writebacks] += words_of(k, e->sectors) - wanted;
        return;
    default: return;
    }
    const uint32_t on = by_mask || !is_l2 || e->is_atomic ? wanted : words_of(k, e->sectors);
    c[ACT_mask_accesses + array]++;
    c[ACT_mask_words + array] += on;
    if (e->is_atomic)
        c[ACT_mask_spared_atomics] += all - on;
    else
        c[ACT_mask_spared_reads + array] += all - on;
}

// ---- an SM's ------------------------------------------------------------------------------------
struct mask_access {
    struct mask_shape shape[MEM_ARRAYS];
    struct sm_array_port port;
    struct activity counts;
};

static uint32_t hear(void *self, const struct cache_event *e) {
    struct mask_access *const m = self;
    mask_hear(&m->shape[e->array], true, e, m->counts.c);
    return 0;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    const struct mask_access *const m = self;
    for (uint32_t i = 0; i < MEM_ARRAYS; i++) {
        a->c[ACT_mask_accesses + i] += m->counts.c[ACT_mask_accesses + i];
        a->c[ACT_mask_words + i] += m->counts.c[ACT_mask_words + i];
        a->c[ACT_mask_spared_reads + i] += m->counts.c[ACT_mask_spared_reads + i];
    }
}

bool mask_init(struct savings_sm *s, struct sm_technique *t) {
    struct mask_access *const m = s->mask = ww_alloc_aligned(sizeof *m);
    if (m == NULL) return false;
    m->port = (struct sm_array_port){.hear = hear};
    FOR_EACH_BIT32(i, lines_arrays(&s->set.o)) {
        const struct cache_config *const c = lines_cache(&s->c, i);
        if (c == NULL) continue;
        m->shape[i] = mask_shape_of(c);
        m->port.arrays |= 1u << i;
    }
    *t =
        (struct sm_technique){.name = "mask-access", .self = m, .arrays = &m->port, .count = count};
    return true;
}

void mask_free(struct mask_access *m) { ww_free_aligned(m); }
