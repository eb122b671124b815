// The calling convention of functions of which a caller does not know what they take: those that
// are called through a register, and those that call themselves on some way. They keep the
// registers from CODE_FIRST_KEPT on, so that what lives over such a call has a place there, and
// store first and reload last those of them that they change all the same, or that change in a
// function which they call directly. That is what the vendor's compilers do; of the registers from
// R32 on theirs keep every second group of four, ours all.
#include "code/ra.h"

struct kept {
    bool changes[MAX_GPRS];
};

static void note(struct kept *k, uint32_t first, uint32_t end) {
    for (uint32_t r = first < CODE_FIRST_KEPT ? CODE_FIRST_KEPT : first; r < end; r++)
        k->changes[r] = true;
}

static void find_changes(struct mfunc *f, struct kept *k) {
    const struct ra gpr = {.f = f, .cls = RA_GPR, .n_colors = MAX_GPRS};
    for (uint32_t i = 0; i < f->inst.n; i++) {
        const struct minst *const m = &f->inst.at[i];
        if (m->op == OP_CALL || m->op == OP_CALLI) note(k, 0, ra_taken_by(&gpr, m));
        for (unsigned d = 0; d < MINST_DSTS; d++)
            if (m->dst[d].kind == OPND_GPR) note(k, m->dst[d].reg, m->dst[d].reg + m->dst[d].words);
    }
}

static void access_all(struct mfunc *f, struct edit *e, const struct kept *k, enum mop op,
                       const struct minst *at, uint32_t first_place) {
    uint32_t place = first_place;
    for (uint32_t r = 0; r < MAX_GPRS; r++) {
        if (!k->changes[r]) continue;
        struct minst m = ra_local_access(f, at, op, place, 1);
        const struct opnd value = {.kind = OPND_GPR, .words = 1, .reg = r};
        m.guard = PRED_TRUE;
        m.src[0].reg = RA_SP;
        if (op == OP_LD)
            m.dst[0] = value;
        else
            m.src[1] = value;
        edit_put(e, &m, 0);
        place += 4;
        f->spill_loads += op == OP_LD;
        f->spill_stores += op == OP_ST;
    }
    if (place > f->spill_bytes) f->spill_bytes = place;
}

void ra_save(struct mfunc *f, struct arena *scratch, void *unused) {
    (void)unused;
    struct kept k = {{false}};
    find_changes(f, &k);
    struct edit e;
    edit_start(&e, f, scratch);
    const uint32_t first_place = (uint32_t)bits_align_up(f->spill_bytes, 4);
    access_all(f, &e, &k, OP_ST, &f->inst.at[0], first_place);
    for (uint32_t i = 0; i < f->inst.n; i++) {
        edit_at(&e, i); // a branch to the return comes to the reloads
        if (f->inst.at[i].op == OP_RET) access_all(f, &e, &k, OP_LD, &f->inst.at[i], first_place);
        edit_put(&e, &f->inst.at[i], 0);
    }
    edit_finish(&e);
}
