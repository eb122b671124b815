// What a launch must know of an image's code: barriers, textures, clocks, the grid barrier.
#include "isa/image.h"
#include "isa/op.h"

enum { N_BARRIERS = 16 };

// Cooperative groups find their grid barrier through these.
static bool is_grid_workspace(uint32_t sreg) {
    return sreg == SREG_envreg1 || sreg == SREG_envreg2;
}

static bool reads_grid_workspace(const struct code_image *im, const struct minst *m) {
    uint32_t first;
    if (!bank0_at(im->bank0, BANK0_ENVREG, &first)) return false;
    const uint32_t from = first + 4, to = first + 4 * BANK0_SLOT_WORDS; // registers 1 and 2
    for (unsigned i = 0; i < MINST_SRCS; i++) {
        const struct opnd *o = &m->src[i];
        if (o->kind == OPND_CONST && o->bank == CB_LAUNCH && o->reg < to &&
            o->reg + 4u * o->words > from)
            return true;
    }
    return m->op == OP_LDC && m->sub == CB_LAUNCH && m->offset >= from && m->offset < to;
}

static void note_barrier(struct code_image *im, const struct opnd *a) {
    const bool is_zero = a->kind == OPND_NONE || a->kind == OPND_ZERO;
    const uint64_t id = is_zero ? 0 : a->kind == OPND_IMM ? a->imm : N_BARRIERS - 1;
    if (id >= im->n_barriers) im->n_barriers = id < N_BARRIERS ? (uint32_t)id + 1 : N_BARRIERS;
}

static bool is_uniform(const struct opnd *o) {
    return o->kind == OPND_UGPR || (o->kind == OPND_PRED && o->reg >= PRED_UNIFORM);
}

static void note_uniform(struct code_image *im, const struct minst *m) {
    bool uses = m->guard >= PRED_UNIFORM;
    for (unsigned i = 0; i < MINST_SRCS; i++) uses |= is_uniform(&m->src[i]);
    for (unsigned i = 0; i < MINST_DSTS; i++) uses |= is_uniform(&m->dst[i]);
    im->uses_uniform |= uses;
}

void image_note_uses(struct code_image *im) {
    for (uint32_t pc = 0; pc < im->n_insts; pc++) {
        const struct minst *m = &im->inst[pc];
        if (minst_is_filler(m)) {
            im->stats.fillers++;
            continue;
        }
        if (im->is_machine_code) note_uniform(im, m);
        im->uses_grid_sync |= reads_grid_workspace(im, m);
        switch (m->op) {
        case OP_BAR: note_barrier(im, &m->src[0]); break;
        case OP_CBAR: im->uses_cluster_barrier = true; break;
        case OP_LD:
        case OP_ST:
        case OP_ATOM: im->uses_globals_by_generic |= m->space == SPACE_GENERIC; break;
        case OP_TEX:
        case OP_TLD4:
        case OP_TXQ:
        case OP_SULD:
        case OP_SUST:
        case OP_SURED: im->uses_texture = true; break;
        case OP_S2R:
            im->uses_clock |= isa_sreg_is_clock(m->aux);
            im->uses_grid_sync |= is_grid_workspace(m->aux);
            break;
        default: break;
        }
    }
}
