// How an SM's register file is granted to warps and CTAs: the only place that knows the rule. The SM
// asks how many CTAs fit, the compiler how many registers a thread may have.
//
// Capability 1.x grants to a CTA, whose warps are rounded up. Capability 2.x and later grant to each
// warp, inside the part of the file that holds the warp; a CTA's warps lie in any parts. Source: the
// CUDA occupancy calculator (1.x, 2.x) and cuda_occupancy.h of CUDA 13 (3.x and later). Left out:
// the calculator's larger unit for a few register counts of capability 2.x.
#ifndef WW_ISA_REGISTER_FILE_H
#define WW_ISA_REGISTER_FILE_H

#include "isa/generation.h"

enum { REGISTER_FILE_LANES = 32 }; // of a warp

struct register_file {
    uint32_t registers; // of an SM, 32 bits each
    uint32_t unit;      // registers granted at once
    // Granted to a CTA: its warps are rounded up to this. Else the parts of the file: a warp's
    // registers lie in one of them.
    uint32_t warp_unit;
    bool per_cta;
};

// Registers that a thread is granted beyond those that its code names: from Volta on two hold its
// program counter. Seen in ptxas 11.8 and 13.0: what it reports for sm_70, sm_75 and sm_80 is the
// highest register named plus three, at most 255; for sm_60 plus one.
static inline uint32_t register_file_kept(enum target_gen gen) {
    return gen_has(gen, TRAIT_INDEPENDENT) ? 2 : 0;
}

static inline uint32_t register_file_round(uint64_t x, uint32_t unit) {
    return (uint32_t)(unit ? bits_align_up(x, unit) : x);
}

// Registers granted to a CTA of `warps` whose threads take `regs` each.
static inline uint32_t register_file_of_cta(const struct register_file *f, uint32_t regs,
                                            uint32_t warps) {
    const uint32_t of_warp = regs * REGISTER_FILE_LANES;
    if (f->per_cta)
        return register_file_round((uint64_t)register_file_round(warps, f->warp_unit) * of_warp,
                                   f->unit);
    return warps * register_file_round(of_warp, f->unit);
}

// CTAs of `warps`, at least one, that the file holds. UINT32_MAX: they take no registers.
static inline uint32_t register_file_ctas(const struct register_file *f, uint32_t regs,
                                          uint32_t warps) {
    const uint32_t taken = register_file_of_cta(f, regs, f->per_cta ? warps : 1);
    if (taken == 0) return UINT32_MAX;
    if (f->per_cta) return f->registers / taken;
    const uint32_t parts = f->warp_unit ? f->warp_unit : 1;
    return f->registers / parts / taken * parts / warps;
}

// The most registers that each thread can take where `ctas` CTAs of `warps`, at least one of each,
// are to fit.
static inline uint32_t register_file_share(const struct register_file *f, uint32_t ctas,
                                           uint32_t warps) {
    const uint32_t rounded =
        register_file_round((uint64_t)(f->per_cta ? 1 : ctas) * warps, f->warp_unit);
    const uint32_t unit = f->unit ? f->unit : 1;
    if (f->per_cta) return f->registers / ctas / unit * unit / (rounded * REGISTER_FILE_LANES);
    return f->registers / rounded / unit * unit / REGISTER_FILE_LANES;
}

#endif
