// What a fault says: one sentence, like a memory checker's, that names the kernel, the place in the
// program, the block and thread, what was done, and the allocation nearest to a bad address.
#include "exec/warp.h"

struct text {
    char *at;
    size_t left;
};
static void add(struct text *t, const char *fmt, ...) WW_PRINTF(2, 3);
static void add(struct text *t, const char *fmt, ...) {
    va_list v;
    va_start(v, fmt);
    const int n = vsnprintf(t->at, t->left, fmt, v);
    va_end(v);
    const size_t used = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left - 1;
    t->at += used;
    t->left -= used;
}

static bool names_an_address(enum exec_fault_kind k) {
    return k == FAULT_UNALLOCATED || k == FAULT_FREED || k == FAULT_MISALIGNED ||
           k == FAULT_UNINITIALISED;
}

const char *devmem_range_text(const struct devmem_range *r, char *text, size_t size) {
    struct text t = {text, size};
    if (r->name)
        add(&t, "%s'%s'", r->is_freed ? "the freed " : "", r->name);
    else
        add(&t, "%s allocation", r->is_freed ? "a freed" : "an");
    add(&t, " of %llu byte%s at 0x%llx", (unsigned long long)r->bytes, text_plural(r->bytes),
        (unsigned long long)r->first);
    if (r->bytes > 1) add(&t, " to 0x%llx", (unsigned long long)(r->first + r->bytes - 1));
    return text;
}

static void add_distance(struct text *t, uint64_t bytes, const char *where) {
    add(t, ", %llu byte%s %s", (unsigned long long)bytes, text_plural(bytes), where);
}
static void add_nearest(struct text *t, const struct devmem *m, uint64_t addr, bool is_freed) {
    struct devmem_range r;
    char text[256];
    if (addr < EXEC_WINDOW_END || !devmem_nearest(m, addr, &r)) return;
    r.is_freed |= is_freed;
    add(t, "; nearest is %s", devmem_range_text(&r, text, sizeof text));
    if (addr < r.first)
        add_distance(t, r.first - addr, "after the address");
    else if (addr - r.first >= r.bytes)
        add_distance(t, addr - (r.first + r.bytes) + 1, "before the address");
    else
        add_distance(t, addr - r.first, "into it");
}

enum exec_outcome fault_raise(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              enum exec_fault_kind kind, uint32_t lane, uint64_t addr,
                              uint32_t bytes, const char *fmt, ...) {
    const struct exec_launch *l = w->cta->launch;
    const struct code_image *im = l->im;
    // A handler may work on a copy of its instruction; then the warp's own pc tells, one behind.
    const size_t in_code = (size_t)(x - w->code);
    const bool inside = x >= w->code && in_code < im->n_insts;
    const uint32_t pc = inside ? (uint32_t)in_code : w->pc ? w->pc - 1 : 0;
    const struct minst *m = pc < im->n_insts ? &im->inst[pc] : NULL;
    struct exec_fault *f = &e->fault;
    *f = (struct exec_fault){.kind = kind, .pc = pc, .lane = lane, .addr = addr, .bytes = bytes};
    if (m) {
        f->ptx_line = m->ptx_line;
        f->src_line = m->src_line;
        f->src_file = m->src_file;
        f->is_store = mop_info[m->op].flags & OPF_STORE;
    }
    memcpy(f->block, w->cta->id, sizeof f->block);
    warp_thread_id(w, lane, f->thread);

    struct text t = {f->text, sizeof f->text};
    va_list v;
    va_start(v, fmt);
    const int n = vsnprintf(t.at, t.left, fmt, v);
    va_end(v);
    const size_t used = n < 0 ? 0 : (size_t)n < t.left ? (size_t)n : t.left - 1;
    t.at += used;
    t.left -= used;
    add(&t, ", in kernel %s", im->name ? im->name : "?");
    const char *file = code_file_path(&im->source, f->src_file);
    if (f->src_line && file)
        add(&t, " at %s:%u", file, f->src_line);
    else if (im->is_machine_code && m)
        add(&t, " at %s", code_place(im, pc).text);
    else if (f->ptx_line)
        add(&t, im->source.name ? " at %s:%u" : " at %s %u",
            im->source.name ? im->source.name : "PTX line", f->ptx_line);
    add(&t, ", block (%u,%u,%u) thread (%u,%u,%u)", f->block[0], f->block[1], f->block[2],
        f->thread[0], f->thread[1], f->thread[2]);
    if (names_an_address(kind)) add_nearest(&t, e->memory, addr, kind == FAULT_FREED);
    if (kind == FAULT_UNALLOCATED && bytes && devmem_would_pass(e->memory, addr, bytes))
        add(&t, " (a board sees pages of 2 MB: --bounds page goes on)");
    return EXEC_FAULT;
}
