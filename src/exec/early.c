// A product of a warp group runs beside its warp: its sums may be read, written or used as a factor only
// behind a wait for its group (PTX ISA 9.0, wgmma.wait_group). Here it computes when it issues, so that
// results would not tell. With --check races an instruction that names a register which some product of
// the kernel sums up in is wrapped: it first looks whether the register belongs to a group on its way.
// Products that add to the same sums may follow each other.
#include "exec/early.h"

#include <stdlib.h>

#include "exec/check.h"
#include "isa/operands.h"

static void set_range(uint64_t *bits, uint32_t first, uint32_t n) {
    for (uint32_t r = first; r < first + n && r < MAX_GPRS; r++) bits[r / 64] |= 1ull << r % 64;
}
static bool has(const uint64_t *bits, uint32_t r) {
    return r < MAX_GPRS && bits[r / 64] >> r % 64 & 1;
}

// The first register of the instruction, but for a product's own sums, that is in the set.
static uint32_t named(const struct minst *m, const uint64_t *bits) {
    struct isa_ref ref[ISA_MAX_REFS];
    uint32_t n = isa_reads(m, true, ref);
    for (uint32_t i = 0; i < n; i++)
        if (ref[i].file == REF_GPR && has(bits, ref[i].reg + ref[i].word))
            return ref[i].reg + ref[i].word;
    n = isa_writes(m, true, ref);
    for (uint32_t i = 0; i < n; i++)
        if (ref[i].file == REF_GPR && has(bits, ref[i].reg + ref[i].word))
            return ref[i].reg + ref[i].word;
    return MAX_GPRS;
}

static void close_group(struct early_warp *s) {
    uint64_t *const last = s->sums[EARLY_GROUPS], *const older = s->sums[EARLY_GROUPS - 1];
    for (uint32_t i = 0; i < MAX_GPRS / 64; i++) last[i] |= older[i];
    memmove(s->sums[1], s->sums[0], (EARLY_GROUPS - 1) * sizeof s->sums[0]);
    memset(s->sums[0], 0, sizeof s->sums[0]);
}

static enum exec_outcome looks(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    const struct exec_launch *const l = w->cta->launch;
    const struct minst *const m = x_minst(w, x);
    struct early_warp *const s = &w->cta->check->early[w->warp_in_cta];
    uint64_t all[MAX_GPRS / 64] = {0};
    for (uint32_t g = 0; g <= EARLY_GROUPS; g++)
        for (uint32_t i = 0; i < MAX_GPRS / 64; i++) all[i] |= s->sums[g][i];
    const uint32_t r = named(m, all);
    if (r < MAX_GPRS && mask &&
        !found(e, w, x, FAULT_RACE, bits_first32(mask), 0, 0,
               "R%u belongs to a product of the warp group (wgmma) that has not been waited for",
               r))
        return EXEC_FAULT;
    const enum exec_outcome o = l->early_fn[x - w->code](e, w, x, mask);
    uint32_t first;
    const uint32_t n = isa_sums(m, &first);
    if (mask) set_range(s->sums[0], first, n);
    if (m->op == OP_GMMACOMMIT || (m->op == OP_GMMA && m->sub & GMMA_COMMITS)) close_group(s);
    if (m->op == OP_GMMAWAIT)
        for (uint32_t g = m->aux + 1u; g <= EARLY_GROUPS; g++)
            memset(s->sums[g], 0, sizeof s->sums[g]);
    return o;
}

bool early_choose(struct exec_launch *l) {
    uint64_t all[MAX_GPRS / 64] = {0};
    bool any = false;
    for (uint32_t k = 0; k < l->im->n_insts; k++) {
        uint32_t first;
        const uint32_t n = isa_sums(&l->im->inst[k], &first);
        if (n) set_range(all, first, n);
        any |= n != 0;
    }
    if (!any) return true;
    l->early_fn = calloc(l->im->n_insts, sizeof *l->early_fn);
    if (!l->early_fn) return false;
    for (uint32_t k = 0; k < l->im->n_insts; k++) {
        const struct minst *const m = &l->im->inst[k];
        const bool is_own = m->op == OP_GMMA || m->op == OP_GMMACOMMIT || m->op == OP_GMMAWAIT;
        if (!is_own && named(m, all) == MAX_GPRS) continue;
        l->early_fn[k] = l->code[k].fn;
        l->code[k].fn = looks;
    }
    return true;
}
