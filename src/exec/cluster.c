// See cluster.h.
#include "exec/check_cluster.h"

uint32_t exec_cluster_blocks(const struct exec_launch *l) {
    const uint32_t *const c = l->args.cluster, n = c[0] ? c[0] * c[1] * c[2] : 1;
    return n > 1 || l->im->uses_cluster_barrier ? n : 0;
}

// Clusters in the order of their numbers, x first, and in each its blocks, x first.
uint64_t exec_cluster_cta(const struct exec_launch *l, uint64_t n) {
    const uint32_t *const c = l->args.cluster, *const g = l->args.grid;
    const uint32_t blocks = exec_cluster_blocks(l);
    if (blocks <= 1) return n;
    const uint32_t rank = (uint32_t)(n % blocks);
    const uint64_t k = n / blocks, across = g[0] / c[0], deep = g[1] / c[1];
    const uint64_t x = k % across * c[0] + rank % c[0],
                   y = k / across % deep * c[1] + rank / c[0] % c[1],
                   z = k / across / deep * c[2] + rank / c[0] / c[1];
    return x + g[0] * (y + g[1] * z);
}

void exec_cluster_join(struct exec_cluster *k, struct exec_cta *c, uint32_t rank) {
    c->cluster = k;
    c->rank = rank;
    c->window = c->launch->im->is_machine_code ? rank << CLUSTER_RANK_AT : 0;
    k->cta[rank] = c;
}

// ---- the barrier ----------------------------------------------------------------------------
void cluster_arrive(struct exec_warp *w, uint32_t lanes) {
    const uint32_t n = bits_count32(lanes & ~w->cluster_came);
    w->cta->missing -= n;
    w->cta->came += n;
    w->cluster_came |= lanes;
}
void cluster_exit(struct exec_warp *w, uint32_t lanes) {
    w->cta->missing -= bits_count32(lanes & w->live & ~w->cluster_came);
}

// The threads of a block that have not ended have all to come again.
static void begin_phase(struct exec_cta *c) {
    c->missing = c->came = 0;
    for (uint32_t k = 0; k < c->n_warps; k++) {
        c->missing += bits_count32(c->warps[k].live);
        c->warps[k].cluster_came = 0;
    }
}
uint32_t exec_cluster_missing(const struct exec_cluster *k) {
    uint32_t n = 0;
    for (uint32_t r = 0; r < k->n; r++)
        if (!(k->gone >> r & 1)) n += k->cta[r]->missing;
    return n;
}
bool exec_cluster_opens(struct exec_cluster *k) {
    uint32_t came = 0;
    for (uint32_t r = 0; r < k->n; r++) {
        if (k->gone >> r & 1) continue;
        if (k->cta[r]->missing) return false;
        came += k->cta[r]->came;
    }
    if (!came) return false;
    check_cluster_meet(k);
    for (uint32_t r = 0; r < k->n; r++)
        if (!(k->gone >> r & 1)) begin_phase(k->cta[r]);
    return true;
}
