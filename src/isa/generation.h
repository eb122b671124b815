// Generations of machine code (generation.def): a row a generation, a column a trait.
#ifndef WW_ISA_GENERATION_H
#define WW_ISA_GENERATION_H

#include "base/base.h"

enum target_gen {
#define GENERATION(id, ...) GEN_##id,
#include "isa/generation.def"
    GEN_N
};
enum gen_trait {
#define TRAIT(id, text) TRAIT_##id,
#include "isa/generation.def"
    TRAIT_N
};
// Columns of the compiler's table of costs.
enum gen_costs { COSTS_TESLA, COSTS_FERMI, COSTS_KEPLER, COSTS_PASCAL, COSTS_VOLTA, COSTS_N };
struct generation {
    const char *name;
    uint32_t cc_first, cc_last; // compute capabilities, before the dot
    uint32_t registers;         // of a thread that instructions can name
    enum gen_costs costs;
    uint32_t traits; // a bit each
    const char *source;
};
extern const struct generation gen_info[GEN_N];
extern const char *const gen_trait_texts[TRAIT_N];
static inline bool gen_has(enum target_gen gen, enum gen_trait t) {
    return gen_info[gen].traits >> t & 1;
}

#endif
