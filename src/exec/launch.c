// A launch: constants, decoded code, and the layout of the block of memory that one CTA needs.
#include <stdlib.h>

#include "exec/check_grid.h"
#include "exec/converge.h"
#include "exec/mem.h"

enum { CTA_ALIGN = 64 };

// The least float that is not below 1 / n: its product with a multiple of n is not below the quotient.
static uint32_t inverse_of(uint32_t n) {
    uint32_t bits = as_u32(1.0f / (float)n);
    if ((double)as_f32(bits) * n < 1.0) bits++;
    return bits;
}

// The words in front of the parameters.
static void fill_slots(struct exec_launch *l) {
    const struct exec_launch_args *a = &l->args;
    uint32_t shape[3], inverse[3], clusters[3];
    for (int i = 0; i < 3; i++) {
        shape[i] = a->cluster[0] ? a->cluster[i] : 1;
        clusters[i] = a->grid[i] / shape[i];
        inverse[i] = inverse_of(shape[i]);
    }
    const uint32_t value[BANK0_SLOTS][BANK0_SLOT_WORDS] = {
        [BANK0_NTID] = {a->block[0], a->block[1], a->block[2]},
        [BANK0_NCTAID] = {a->grid[0], a->grid[1], a->grid[2]},
        [BANK0_SHARED_WINDOW] = {EXEC_SHARED_WINDOW},
        [BANK0_LOCAL_WINDOW] = {EXEC_LOCAL_WINDOW},
        [BANK0_STACK] = {l->im->local_bytes},
        [BANK0_DYNAMIC_SHARED] = {a->dynamic_shared},
        [BANK0_GRID_ID] = {(uint32_t)a->grid_id, (uint32_t)(a->grid_id >> 32)},
        [BANK0_CONST_WINDOW] = {(uint32_t)a->const_segment, (uint32_t)(a->const_segment >> 32)},
        [BANK0_ENVREG] = {a->envreg[0], a->envreg[1], a->envreg[2]},
        [BANK0_IS_CLUSTERED] = {a->cluster[0] != 0},
        [BANK0_CLUSTER_SHAPE] = {shape[0], shape[1], shape[2]},
        [BANK0_CLUSTER_INVERSE] = {inverse[0], inverse[1], inverse[2]},
        [BANK0_CLUSTERS] = {clusters[0], clusters[1], clusters[2]},
        [BANK0_CLUSTER_BLOCKS] = {shape[0] * shape[1] * shape[2]},
        [BANK0_PARAM_WINDOW] = {EXEC_PARAM_WINDOW + bank0_info[l->im->bank0].params},
        [BANK0_SM_COUNT] = {a->sm_count ? a->sm_count : 1},
    };
    for (uint32_t s = 0; s < BANK0_SLOTS; s++) {
        uint32_t at;
        if (bank0_at(l->im->bank0, (enum bank0_slot)s, &at))
            memcpy(l->cb0 + at, value[s], 4 * bank0_words[s]);
    }
}

static bool fill_banks(struct exec_launch *l) {
    const struct code_image *im = l->im;
    const uint32_t first = bank0_info[im->bank0].params, params = im->param_bytes;
    const uint32_t handles = (uint32_t)bits_align_up(first + params, 4);
    l->cb0_bytes = (uint32_t)bits_align_up(handles + im->handle_bytes, 16);
    l->cb0 = ww_alloc_aligned(l->cb0_bytes);
    if (!l->cb0) return false;
    fill_slots(l);
    if (params && l->args.params) memcpy(l->cb0 + first, l->args.params, params);
    if (im->handle_bytes) memcpy(l->cb0 + handles, im->handles, im->handle_bytes);
    l->bank[CB_LAUNCH].at = l->cb0;
    l->bank[CB_LAUNCH].bytes = l->cb0_bytes;
    l->bank[CB_LITERAL].at = im->literals;
    l->bank[CB_LITERAL].bytes = im->literal_bytes;
    l->bank[CB_ADDRESS].at = im->addresses;
    l->bank[CB_ADDRESS].bytes = im->address_bytes;
    if (l->args.const_bytes) {
        l->bank[CB_USER].at = devmem_host(l->memory, l->args.const_segment, l->args.const_bytes);
        l->bank[CB_USER].bytes = l->bank[CB_USER].at ? l->args.const_bytes : 0;
    }
    return true;
}

static size_t place(size_t *at, size_t bytes) {
    const size_t here = *at;
    *at = bits_align_up(here + bytes, CTA_ALIGN);
    return here;
}
// What machine code of real compilers needs beside its registers: vectors that swallow what is
// written to the register of zeros, the result of a barrier, and uniform registers as vectors of
// equal words.
static uint32_t machine_registers(const struct code_image *im) {
    return im->is_machine_code ? X_UNIFORM + (im->uses_uniform ? (uint32_t)MAX_UGPRS : 0) : 0;
}
static void lay_out(struct exec_launch *l) {
    const struct code_image *im = l->im;
    l->threads = l->args.block[0] * l->args.block[1] * l->args.block[2];
    l->warps = (l->threads + WARP_LANES - 1) / WARP_LANES;
    l->n_regs = (im->n_regs ? im->n_regs : 1) + machine_registers(im);
    // Dynamic shared memory begins where extern arrays were laid out, or behind the static part.
    const uint32_t dynamic =
        im->shared_dynamic > im->shared_bytes ? im->shared_dynamic : im->shared_bytes;
    l->shared_bytes = l->args.dynamic_shared ? dynamic + l->args.dynamic_shared : im->shared_bytes;
    l->local_words = (im->local_bytes + 3) / 4;
    l->check_bytes = (uint32_t)check_bytes(l);
    size_t at = 0;
    l->warps_at = place(&at, l->warps * sizeof(struct exec_warp));
    l->regs_at = place(&at, (size_t)l->warps * l->n_regs * VEC_BYTES);
    l->shared_at = place(&at, l->shared_bytes + 16ul);
    l->converge_bytes = bits_align_up(l->converge->bytes(), CTA_ALIGN);
    l->converge_at = place(&at, l->warps * l->converge_bytes);
    l->local_at = place(&at, (size_t)l->warps * l->local_words * VEC_BYTES);
    l->check_at = place(&at, l->check_bytes);
    l->cta_bytes = at;
}

enum ww_status exec_launch_create(const struct code_image *im, struct devmem *m,
                                  const struct exec_launch_args *a, struct diags *d,
                                  struct exec_launch **out) {
    return launch_create(converge_of(im), im, m, a, d, out);
}
enum ww_status launch_create(const struct converge *c, const struct code_image *im,
                             struct devmem *m, const struct exec_launch_args *a, struct diags *d,
                             struct exec_launch **out) {
    *out = NULL;
    const uint64_t threads = (uint64_t)a->block[0] * a->block[1] * a->block[2];
    const uint64_t ctas = (uint64_t)a->grid[0] * a->grid[1] * a->grid[2];
    if (!threads || !ctas || threads > 65536)
        return diag_add(d, WW_ERROR_LAUNCH, "%s: a grid of %llu blocks of %llu threads cannot run",
                        im->name ? im->name : "kernel", (unsigned long long)ctas,
                        (unsigned long long)threads);
    struct exec_launch *l = calloc(1, sizeof *l);
    if (!l) return diag_add(d, WW_ERROR_MEMORY, "no memory for a launch");
    l->im = im;
    l->converge = c;
    l->memory = m;
    l->args = *a;
    if (a->callbacks) l->callbacks = *a->callbacks;
    lay_out(l);
    enum ww_status s = fill_banks(l) ? decode_image(l, d) : WW_ERROR_MEMORY;
    if (s == WW_ERROR_MEMORY) diag_add(d, s, "no memory for a launch");
    if (s != WW_OK) {
        exec_launch_destroy(l);
        return s;
    }
    l->args.params = NULL; // copied; the caller's may go
    *out = l;
    return WW_OK;
}

void exec_launch_destroy(struct exec_launch *l) {
    if (!l) return;
    for (struct exec_big_stack *b = atomic_load(&l->big_stacks), *next; b; b = next) {
        next = b->next;
        free(b);
    }
    ww_free_aligned(l->code);
    free(l->control);
    ww_free_aligned(l->pool);
    ww_free_aligned(l->cb0);
    free(l->lane_fn);
    free(l->usual);
    free(l->early_fn);
    check_grid_destroy(l->grid_check);
    free(l);
}

size_t exec_cta_bytes(const struct exec_launch *l) { return l->cta_bytes; }

void exec_cta_init(struct exec_cta *c, struct exec_launch *l, void *memory, uint64_t linear_id,
                   uint32_t sm_id) {
    uint8_t *p = memory;
    const uint32_t *g = l->args.grid;
    *c = (struct exec_cta){.launch = l,
                           .linear_id = linear_id,
                           .sm_id = sm_id,
                           .memory = memory,
                           .shared = p + l->shared_at,
                           .shared_bytes = l->shared_bytes,
                           .warps = (struct exec_warp *)(void *)(p + l->warps_at),
                           .n_warps = l->warps,
                           .n_threads = l->threads,
                           .missing = l->threads};
    c->id[0] = (uint32_t)(linear_id % g[0]);
    c->id[1] = (uint32_t)(linear_id / g[0] % g[1]);
    c->id[2] = (uint32_t)(linear_id / g[0] / g[1]);
    memset(p + l->regs_at, 0, l->converge_at - l->regs_at); // registers and shared memory
    memset(p + l->local_at, 0, l->check_at - l->local_at);
    if (l->check_bytes) check_cta_init(c, p + l->check_at);
    for (uint32_t k = 0; k < l->warps; k++) {
        struct exec_warp *w = &c->warps[k];
        const uint32_t left = l->threads - k * WARP_LANES;
        const uint32_t lanes = left >= WARP_LANES ? ~0u : (1u << left) - 1;
        uint8_t *regs = p + l->regs_at + (size_t)k * l->n_regs * VEC_BYTES;
        *w = (struct exec_warp){.regs = (uint32_t *)(void *)regs,
                                .pred = {[PRED_TRUE] = ~0u, [UPRED_TRUE] = ~0u},
                                .pc = l->im->entry,
                                .active = lanes,
                                .live = lanes,
                                .exists = lanes,
                                .reconv = UINT32_MAX,
                                .kind = SIMT_BRANCH,
                                .cta = c,
                                .warp_in_cta = k,
                                .lane_slot = k,
                                .local = p + l->local_at + (size_t)k * l->local_words * VEC_BYTES,
                                .base = {regs, l->pool - X_POOL},
                                .code = l->code};
        l->converge->begin(w, p + l->converge_at + k * l->converge_bytes);
        // Beyond every device allocation: 64 warps an SM, what they may use apart.
        w->local_base =
            0x4000000000ull + ((uint64_t)sm_id << 26) +
            (uint64_t)(k & 63) * bits_align_up(l->local_words * (uint64_t)VEC_BYTES, 256);
    }
}
