// See edit.h. A rewritten list goes back into the function's own array where it fits, so that a
// pass leaves no second copy behind.
#include "code/edit.h"

void edit_delete(struct mfunc *f, const uint8_t *dead) {
    uint32_t first = 0;
    while (first < f->inst.n && !dead[first]) first++;
    if (first == f->inst.n) return;
    uint32_t *place = arena_alloc(f->arena, ((size_t)f->inst.n + 1) * sizeof *place);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->inst.n; i++) {
        place[i] = kept;
        if (dead[i]) continue;
        if (kept != i) f->inst.at[kept] = f->inst.at[i];
        kept++;
    }
    place[f->inst.n] = kept;
    for (uint32_t i = 0; i < f->label_at.n; i++)
        if (f->label_at.at[i] >= 0) f->label_at.at[i] = (int32_t)place[f->label_at.at[i]];
    f->inst.n = kept;
}

void edit_start(struct edit *e, struct mfunc *f, struct arena *scratch) {
    *e = (struct edit){.f = f, .arena = scratch};
    e->new_at = arena_alloc(scratch, ((size_t)f->inst.n + 1) * sizeof *e->new_at);
}

struct minst *edit_put(struct edit *e, const struct minst *m, uint8_t tag) {
    const struct minst copy = *m; // m may stand in the list that grows
    vec_push(e->arena, &e->out, copy);
    vec_push(e->arena, &e->tag, tag);
    return &e->out.at[e->out.n - 1];
}

void edit_finish(struct edit *e) {
    struct mfunc *f = e->f;
    e->new_at[f->inst.n] = e->out.n;
    for (uint32_t i = 0; i < f->label_at.n; i++)
        if (f->label_at.at[i] >= 0) f->label_at.at[i] = (int32_t)e->new_at[f->label_at.at[i]];
    if (e->out.n > f->inst.cap) {
        f->inst.cap = e->out.n + e->out.n / 4;
        f->inst.at = arena_alloc(f->arena, f->inst.cap * sizeof *f->inst.at);
    }
    memcpy(f->inst.at, e->out.at, e->out.n * sizeof *f->inst.at);
    f->inst.n = e->out.n;
}

struct opnd edit_literal(struct mfunc *f, uint64_t v, unsigned words) {
    const uint32_t bytes = 4 * words;
    uint32_t at = 0;
    while (at + bytes <= f->literals.n && memcmp(f->literals.at + at, &v, bytes) != 0) at += bytes;
    if (at + bytes > f->literals.n) {
        while (f->literals.n % bytes) vec_push(f->arena, &f->literals, 0);
        at = f->literals.n;
        for (uint32_t b = 0; b < bytes; b++)
            vec_push(f->arena, &f->literals, (uint8_t)(v >> 8 * b));
    }
    return (struct opnd){
        .kind = OPND_CONST, .words = (uint8_t)words, .bank = CB_LITERAL, .reg = at};
}

uint32_t edit_new_vreg(struct mfunc *f, uint8_t words) {
    vec_push(f->arena, &f->vreg_words, words);
    return f->vreg_words.n - 1;
}

void edit_with_scratch(struct mfunc *f, void (*body)(struct mfunc *, struct arena *, void *),
                       void *context) {
    struct arena scratch;
    arena_init(&scratch, f->arena->allocator);
    jmp_buf *const outer = f->arena->oom;
    jmp_buf here;
    if (setjmp(here)) {
        arena_free(&scratch);
        f->arena->oom = outer;
        if (outer) longjmp(*outer, 1);
        return;
    }
    if (outer) scratch.oom = f->arena->oom = &here;
    body(f, &scratch, context);
    f->arena->oom = outer;
    arena_free(&scratch);
}

struct cfg *cfg_build(struct arena *a, const struct mfunc *f) {
    return cfg_build_code(a, (struct cfg_code){.inst = f->inst.at,
                                               .n = f->inst.n,
                                               .allocated = f->allocated,
                                               .label_at = f->label_at.at,
                                               .tables = f->tables});
}
