// The table of generations (generation.def).
#include "isa/generation.h"

#define HAS(trait) 1u << TRAIT_##trait
const struct generation gen_info[GEN_N] = {
#define GENERATION(id, name, first, last, registers, costs, traits, source)                        \
    [GEN_##id] = {name, first, last, registers, COSTS_##costs, traits, source},
#include "isa/generation.def"
};

const char *const gen_trait_texts[TRAIT_N] = {
#define TRAIT(id, text) [TRAIT_##id] = text,
#include "isa/generation.def"
};
