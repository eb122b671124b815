// Clusters: which ones a launch may have, where their blocks go, and their barrier.
//
// A cluster starts as a whole on SMs of one GPC. SMs belong to GPCs in pairs, which go round the GPCs
// (pairs (0,1), (14,15), (28,29), ... of an H800 with seven GPCs are neighbours: its latencies by pair
// of SMs, HPMLL/NVIDIA-Hopper-Benchmark). Clusters of two blocks begin at the last pair of SMs, larger
// ones at the first GPC, as that benchmark's did; each block goes to the SM with most room, so that
// they spread. What the distributor does beyond that is not published.
//
// Between quanta the clusters that run are looked at: blocks that have ended are noted, so that an
// access of their memory is a fault, and a barrier to which all threads have come opens.
#include "gpu/cluster.h"
#include "exec/barrier.h"
#include "gpu/device.h"
#include "gpu/module.h"
#include "isa/image.h"

#include <stdlib.h>

// ---- GPCs ---------------------------------------------------------------------------------------
uint32_t gpc_sizes(const char *text, uint32_t size[GPC_MOST]) {
    uint32_t n = 0;
    for (const char *p = text; *p;) {
        char *end;
        const unsigned long v = strtoul(p, &end, 10);
        if (end == p || n == GPC_MOST || v == 0 || v > 256) return 0;
        size[n++] = (uint32_t)v;
        for (p = end; *p == ' ';) p++;
    }
    return n;
}
void gpc_assign(const struct gpu_config *c, uint8_t *gpc, uint8_t *place) {
    uint32_t size[GPC_MOST], used[GPC_MOST] = {0};
    uint32_t n = gpc_sizes(c->gpc_sms, size);
    if (!n) {
        n = 1;
        size[0] = c->sm_count;
    }
    uint32_t k = 0;
    for (uint32_t i = 0; i < c->sm_count; i++) {
        for (uint32_t tries = 0; used[k] >= size[k] && tries < n; tries++) k = (k + 1) % n;
        gpc[i] = (uint8_t)k;
        place[i] = (uint8_t)used[k]++;
        if (i % 2) k = (k + 1) % n;
    }
}

// ---- what a launch may have -----------------------------------------------------------------------
static enum ww_status refuse(const struct gpu_kernel *k, struct diags *d, const char *fmt, ...)
    WW_PRINTF(3, 4);
static enum ww_status refuse(const struct gpu_kernel *k, struct diags *d, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_add(d, WW_ERROR_LAUNCH, "launch of %s: %s", k->name, text);
}

struct gpu_kernel_clusters gpu_kernel_clusters(const struct gpu_kernel *k) {
    return k->clusters;
}

static uint32_t blocks_of(const uint32_t c[3]) {
    const uint64_t n = (uint64_t)c[0] * c[1] * c[2];
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

// How many clusters of n blocks fit an empty GPU, of whose SMs each holds `ctas` blocks.
static uint32_t room_for(const struct gpu *g, uint32_t n, uint32_t ctas) {
    uint8_t gpc[256], place[256];
    uint32_t sms[GPC_MOST] = {0}, clusters = 0;
    gpc_assign(&g->config, gpc, place);
    for (uint32_t i = 0; i < g->config.sm_count; i++) sms[gpc[i]]++;
    for (uint32_t k = 0; k < GPC_MOST; k++) clusters += sms[k] * ctas / n;
    return clusters;
}

static enum ww_status occupancy_of(struct gpu_kernel *k, const struct gpu_launch *l,
                                   struct diags *d, uint32_t *ctas) {
    struct sm_occupancy o;
    const enum ww_status s =
        gpu_kernel_occupancy(k, l->block[0] * l->block[1] * l->block[2], l->dynamic_shared, d, &o);
    if (s == WW_OK) *ctas = o.ctas;
    return s;
}

enum ww_status gpu_launch_clusters(struct gpu_kernel *k, const struct gpu_launch *l,
                                   struct diags *d, uint32_t cluster[3]) {
    struct gpu *const g = k->module->gpu;
    const struct gpu_kernel_clusters *const has = &k->clusters;
    const uint32_t *const c = l->cluster[0] ? l->cluster : has->required;
    memset(cluster, 0, 3 * sizeof *cluster);
    const struct code_image *const im = k->image;
    if (has->are_blocks) return refuse(k, d, "its .blocksareclusters is not modelled");
    if (g->front_end_group && ((c[0] && blocks_of(c) > 1) || (im && im->uses_cluster_barrier)))
        return refuse(k, d,
                      "blocks of a cluster do not go together with SMs that share a front end");
    if (!c[0])
        return has->must_be_set
                   ? refuse(k, d,
                            "it has .explicitcluster, and neither kernel nor launch says how "
                            "many blocks a cluster has")
                   : WW_OK;
    for (int i = 0; i < 3; i++) cluster[i] = c[i] ? c[i] : 1;
    const uint32_t n = blocks_of(cluster);
    if (!gen_has((enum target_gen)g->config.sm.gen, TRAIT_CLUSTER)) {
        if (n == 1) {
            memset(cluster, 0, 3 * sizeof *cluster);
            return WW_OK;
        }
        return refuse(k, d,
                      "clusters of %u blocks need compute capability 9.0 (Hopper); %s has %u.%u", n,
                      g->config.name, g->config.cc_major, g->config.cc_minor);
    }
    for (int i = 0; i < 3; i++) {
        if (has->required[0] && cluster[i] != (has->required[i] ? has->required[i] : 1))
            return refuse(k, d, "clusters of %ux%ux%u blocks, but .reqnctapercluster says %ux%ux%u",
                          cluster[0], cluster[1], cluster[2], has->required[0],
                          has->required[1] ? has->required[1] : 1,
                          has->required[2] ? has->required[2] : 1);
        if (l->grid[i] % cluster[i])
            return refuse(k, d, "the grid is %u in %c, which clusters of %u blocks do not divide",
                          l->grid[i], "xyz"[i], cluster[i]);
    }
    if (has->most && n > has->most)
        return refuse(k, d, "clusters of %u blocks, but .maxclusterrank says %u", n, has->most);
    const uint32_t most =
        l->non_portable || has->required[0] ? GPU_MOST_CLUSTER : GPU_PORTABLE_CLUSTER;
    if (n > most)
        return refuse(k, d, "clusters of %u blocks; %s takes %u%s", n, g->config.name, most,
                      most < GPU_MOST_CLUSTER && n <= GPU_MOST_CLUSTER
                          ? " unless the kernel allows a size that is not portable "
                            "(cudaFuncAttributeNonPortableClusterSizeAllowed)"
                          : "");
    uint32_t ctas = 0;
    const enum ww_status s = occupancy_of(k, l, d, &ctas);
    if (s != WW_OK || room_for(g, n, ctas)) return s;
    return refuse(k, d, "a cluster of %u blocks, %u of which fit an SM, has no room in a GPC of %s",
                  n, ctas, g->config.name);
}

enum ww_status gpu_launch_max_clusters(struct gpu_kernel *k, const struct gpu_launch *l,
                                       struct diags *d, uint32_t *n) {
    uint32_t cluster[3], ctas = 0;
    *n = 0;
    struct gpu_launch any = *l;
    const uint32_t *const c = l->cluster[0] ? l->cluster : k->clusters.required;
    for (int i = 0; i < 3; i++) any.grid[i] = c[i] ? c[i] : 1;
    enum ww_status s = gpu_launch_clusters(k, &any, d, cluster);
    if (s == WW_OK) s = occupancy_of(k, l, d, &ctas);
    if (s == WW_OK) *n = room_for(k->module->gpu, cluster[0] ? blocks_of(cluster) : 1, ctas);
    return s;
}

// ---- while kernels run ------------------------------------------------------------------------------
// A cluster that runs: block `rank` is CTA cta[rank] in a place of an SM.
struct live_cluster {
    struct exec_cluster exec;
    uint32_t slot; // of its kernel
    uint16_t sm[EXEC_CLUSTER_BLOCKS];
    uint8_t place[EXEC_CLUSTER_BLOCKS];
    uint64_t cta[EXEC_CLUSTER_BLOCKS];
    bool is_used;
};
struct gpu_clusters {
    uint32_t n_gpcs, next_gpc;
    uint8_t gpc[256], place[256];
    uint16_t sm[GPC_MOST][256]; // SMs of a GPC, in order
    uint32_t sms[GPC_MOST];
    uint32_t n, live; // places for clusters, and how many run
    struct live_cluster *cluster;
};

// How much longer accesses take from or to an SM, by its place in the GPC.
static uint32_t far_of(const char *text, uint32_t place) {
    unsigned long v = 0;
    for (uint32_t i = 0; i <= place && *text; i++) {
        char *end;
        v = strtoul(text, &end, 10);
        if (end == text) return 0;
        for (text = end; *text == ' ';) text++;
    }
    return (uint32_t)v;
}

enum ww_status clusters_create(struct gpu *g, struct diags *d) {
    if (!gen_has((enum target_gen)g->config.sm.gen, TRAIT_CLUSTER)) return WW_OK;
    struct gpu_clusters *const c = device_alloc(g, sizeof *c);
    if (!c) return diag_add(d, WW_ERROR_MEMORY, "out of memory for clusters");
    g->clusters = c;
    gpc_assign(&g->config, c->gpc, c->place);
    for (uint32_t i = 0; i < g->config.sm_count; i++) {
        const uint32_t k = c->gpc[i];
        c->sm[k][c->sms[k]++] = (uint16_t)i;
        if (k >= c->n_gpcs) c->n_gpcs = k + 1;
        mem_system_place_sm(g->mem, i, far_of(g->config.mem.net.sm_far, c->place[i]));
        mem_system_put_beside(g->mem, i, k & 1); // which GPCs lie at which side is not published
    }
    return WW_OK;
}
void clusters_destroy(struct gpu *g) {
    if (!g->clusters) return;
    device_free(g, g->clusters->cluster);
    device_free(g, g->clusters);
    g->clusters = NULL;
}

static struct live_cluster *free_place(struct gpu *g) {
    struct gpu_clusters *const c = g->clusters;
    for (uint32_t i = 0; i < c->n; i++)
        if (!c->cluster[i].is_used) return &c->cluster[i];
    // None of them runs that could be moved: blocks know where their cluster is.
    if (c->n) return NULL;
    c->n = g->config.sm_count * g->config.sm.max_ctas;
    c->cluster = device_alloc(g, c->n * sizeof *c->cluster);
    if (!c->cluster) c->n = 0;
    return c->cluster;
}

// Room of a GPC for blocks of the kernel, counted until there is enough.
static bool has_room(const struct gpu *g, const struct flight *r, uint32_t gpc) {
    const struct gpu_clusters *const c = g->clusters;
    uint32_t room = 0;
    for (uint32_t i = 0; i < c->sms[gpc] && room < r->cluster; i++)
        room += sm_room(g->sm[c->sm[gpc][i]], r->slot);
    return room >= r->cluster;
}

// The SM of a GPC with most room; of several the first, or for clusters of two the last.
static uint32_t roomiest(const struct gpu *g, const struct flight *r, uint32_t gpc) {
    const struct gpu_clusters *const c = g->clusters;
    uint32_t best = 0, most = 0;
    for (uint32_t k = 0; k < c->sms[gpc]; k++) {
        const uint32_t i = r->cluster == 2 ? c->sms[gpc] - 1 - k : k;
        const uint32_t room = sm_room(g->sm[c->sm[gpc][i]], r->slot);
        if (room <= most) continue;
        most = room;
        best = c->sm[gpc][i];
    }
    return best;
}

static bool place_cluster(struct gpu *g, struct flight *r, uint32_t gpc) {
    struct live_cluster *const k = free_place(g);
    if (!k) return false;
    *k = (struct live_cluster){.exec.n = r->cluster, .slot = r->slot, .is_used = true};
    for (uint32_t rank = 0; rank < r->cluster; rank++) {
        const uint32_t i = roomiest(g, r, gpc);
        k->cta[rank] = g->source->cluster_cta(r->exec, r->next_cta);
        k->sm[rank] = (uint16_t)i;
        k->place[rank] = (uint8_t)run_give_cta(g, r, i, k->cta[rank]);
        g->source->cluster_join(&k->exec, sm_cta(g->sm[i], k->place[rank]), rank);
    }
    g->clusters->live++;
    return true;
}

void clusters_dispatch(struct gpu *g, struct flight *r) {
    struct gpu_clusters *const c = g->clusters;
    uint32_t full = 0; // GPCs in a row that took none
    while (full < c->n_gpcs && r->next_cta < r->n_ctas) {
        const uint32_t k = r->cluster == 2 ? c->n_gpcs - 1 - c->next_gpc : c->next_gpc;
        c->next_gpc = (c->next_gpc + 1) % c->n_gpcs;
        if (has_room(g, r, k) && place_cluster(g, r, k))
            full = 0;
        else
            full++;
    }
}
bool clusters_can_dispatch(const struct gpu *g, const struct flight *r) {
    for (uint32_t k = 0; k < g->clusters->n_gpcs; k++)
        if (has_room(g, r, k)) return true;
    return false;
}

static void open_barrier(struct gpu *g, struct live_cluster *k) {
    uint64_t came = 0;
    for (uint32_t rank = 0; rank < k->exec.n; rank++) {
        if (k->exec.gone >> rank & 1) continue;
        const uint64_t at = sm_cluster_came(g->sm[k->sm[rank]], k->place[rank]);
        came = at > came ? at : came;
    }
    for (uint32_t rank = 0; rank < k->exec.n; rank++) {
        if (k->exec.gone >> rank & 1) continue;
        sm_open_cluster(g->sm[k->sm[rank]], k->place[rank], g->to,
                        came + g->config.mem.net.sm_barrier_latency);
        g->side[k->sm[rank]].next = 0;
    }
}

void clusters_quantum(struct gpu *g) {
    struct gpu_clusters *const c = g->clusters;
    if (!c || !c->live) return;
    mem_system_run_remote(g->mem, g->from, g->to);
    for (uint32_t i = 0, left = c->live; left; i++) {
        struct live_cluster *const k = &c->cluster[i];
        if (!k->is_used) continue;
        left--;
        const uint32_t all = (1u << k->exec.n) - 1;
        for (uint32_t rank = 0; rank < k->exec.n; rank++)
            if (!(k->exec.gone >> rank & 1) &&
                !sm_cta_runs(g->sm[k->sm[rank]], k->place[rank], k->slot, k->cta[rank]))
                k->exec.gone |= 1u << rank;
        if (k->exec.gone == all) {
            k->is_used = false;
            c->live--;
        } else if (g->source->cluster_opens(&k->exec)) {
            open_barrier(g, k);
        }
    }
}
