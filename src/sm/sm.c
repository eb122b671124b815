// Making and running an SM: checks of the configuration, all memory, kernels in their slots, the
// loop over simulated cycles.
#include "exec/wait.h"
#include "sm/caches.h"
#include "sm/collect.h"
#include "sm/sm_state.h"
#include "sm/units.h"
#include "sm/wheel.h"

// ---- configuration -----------------------------------------------------------------------------
// Impossible values. What no single key can get wrong is checked here too, since an SM may be made
// without a GPU file.
static const char *config_wrong(const struct sm_config *c) {
    if (c->max_warps == 0 || c->max_warps > SM_MAX_WARPS) return "max_warps must be 1 to 64";
    if (c->max_ctas == 0 || c->max_ctas > SM_MAX_CTAS) return "max_ctas must be 1 to 32";
    if (c->schedulers == 0 || c->schedulers > SM_MAX_SCHEDULERS) return "schedulers must be 1 to 8";
    if (c->lane_groups == 0 || c->lane_groups > SM_MAX_LANE_GROUPS)
        return "lane groups must be 1 to 8";
    if (c->sfus == 0 || c->sfus > 8) return "sfus must be 1 to 8";
    if (c->dp_units > 8) return "dp_units must be at most 8";
    if (c->rf_banks == 0 || c->rf_banks > ACT_MAX_BANKS) return "rf_banks must be 1 to 32";
    if (c->collectors == 0) return "collectors must not be 0";
    if (c->collectors > SM_MAX_COLLECTORS || c->collectors_sfu > SM_MAX_COLLECTORS ||
        c->collectors_mem > SM_MAX_COLLECTORS)
        return "collectors must be at most 64 of a kind";
    if (c->collector_queue > SM_MAX_COLLECTOR_QUEUE) return "collector_queue must be at most 16";
    if (c->memory_queue > SM_MAX_MEMORY_QUEUE) return "memory_queue must be at most 16";
    if (c->collector_ports == 0) return "collector_ports must not be 0";
    if (c->result_bus == 0) return "result_bus must not be 0";
    if (c->fetch_width == 0 || c->fetch_instructions == 0) return "nothing is fetched";
    if (c->ibuffer_entries == 0 || c->ibuffer_entries > 255)
        return "ibuffer_entries must be 1 to 255";
    if (c->instruction_bytes == 0) return "instruction_bytes must not be 0";
    if (c->l0_bytes != 0) {
        struct cache_config l0 = c->icache;
        l0.bytes = c->l0_bytes;
        l0.ways = c->l0_ways;
        l0.sector_bytes = l0.line_bytes;
        if (cache_config_wrong(&l0) != NULL || c->icache.bytes == 0)
            return "l0_bytes must be sets of l0_ways lines of icache";
    }
    if (c->const_second_latency != 0 &&
        (c->icache.bytes == 0 || c->constant.line_bytes > c->icache.line_bytes))
        return "constants need lines of icache that are as long as theirs";
    if (c->decode_latency + c->icache.hit_latency == 0) return "fetch and decode take no time";
    if (c->lsu_queue == 0) return "lsu_queue must not be 0";
    if (c->pending_entries > TAG_INDEX) return "pending_entries must be at most 4095";
    if (c->agu_lanes == 0) return "agu_lanes must not be 0";
    if (c->shared_banks == 0 || c->shared_bank_bytes == 0) return "shared memory has no banks";
    if (c->shared_lanes_a_pass == 0) return "shared_lanes_a_pass must not be 0";
    if (c->shared_latency == 0) return "shared_latency must not be 0";
    if (c->scheduler >= SCHED_KINDS) return "there is no such scheduler";
    if (sm_scheduler_is(c->scheduler, SCHED_HAS_GROUPS) && c->group_warps < c->schedulers)
        return "group_warps must give each scheduler a warp";
    if (sm_scheduler_is(c->scheduler, SCHED_HAS_SET) && c->active_warps < c->schedulers)
        return "active_warps must give each scheduler a warp";
    if (c->shared_warps && !sm_scheduler_is(c->scheduler, SCHED_MAY_SHARE))
        return "shared_warps goes with schedulers lrr and two_level only";
    if (c->sub_cores > 1) {
        const uint32_t n = c->sub_cores;
        if (n > SM_MAX_SUB_CORES || (n & (n - 1)) != 0) return "sub_cores must be 1, 2 or 4";
        const uint32_t dp = c->dp_units == 1 ? 0 : c->dp_units; // of one all have a part
        if ((c->schedulers | c->max_warps | c->lane_groups | c->sfus | dp | c->rf_banks |
             c->collectors | c->collectors_sfu | c->collectors_mem | c->result_bus |
             c->fetch_width) &
            (n - 1))
            return "sub_cores must divide what they share out";
        if (c->shared_warps) return "shared_warps does not go with sub_cores";
    }
    if (c->dependences > SM_CONTROL) return "there are no such dependences";
    if (c->dependences == SM_CONTROL &&
        (c->lane_group_at != LANE_GROUP_AT_ISSUE || c->shared_warps || c->issue_width > 1 ||
         c->shared_on_lanes))
        return "dependences control goes with lane_group_at issue and one issue a turn, not with "
               "shared_warps or shared_on_lanes";
    if (c->dp_pipe > DP_PIPE_FP) return "there is no such dp_pipe";
    if (c->int_mul_pipe > INT_MUL_PIPE_FP) return "there is no such int_mul_pipe";
    if (c->cvt_pipe > CVT_PIPE_SFU) return "there is no such cvt_pipe";
    if (c->lane_group_at > LANE_GROUP_AT_ENTRY) return "there is no such lane_group_at";
    if (c->lane_group_at == LANE_GROUP_AT_ENTRY && c->collector_ahead > ENTRY_AHEAD_MAX)
        return "lane_group_at entry goes with collector_ahead 0 to 2";
    if (c->lane_group_at == LANE_GROUP_AT_ENTRY &&
        c->read_latency < (c->collector_ahead == 2 ? 2 : 1))
        return "lane_group_at entry needs a read_latency of 1, of 2 with collector_ahead 2";
    if (c->lane_group_at == LANE_GROUP_AT_ENTRY && c->shared_on_lanes)
        return "lane_group_at entry does not go with shared_on_lanes";
    if (c->l1d.bytes != 0 && c->l1d.hit_latency == 0) return "l1d.hit_latency must not be 0";
    if (c->l1d.bytes != 0 && c->l1d.line_bytes < 128)
        return "l1d.line_bytes must be 128 or more: a transaction is";
    if (c->l1_shared_bytes != 0 && c->l1_shared_bytes <= c->shared_bytes)
        return "l1_shared_bytes must be more than shared_bytes";
    for (uint32_t i = 0; i < OPC_N; i++) {
        if (c->timing[i].latency > UINT16_MAX || c->timing[i].interval > UINT16_MAX)
            return "latencies and intervals must be below 65536";
    }
    return NULL;
}

static enum ww_status no_memory(struct diags *d) {
    return diag_add(d, WW_ERROR_MEMORY, "no memory for an SM");
}

// ---- making ------------------------------------------------------------------------------------
static bool make_cache(struct sm *s, enum mem_client client, const struct cache_config *c,
                       const char *name, struct diags *d) {
    struct sm_cache *const k = &s->caches.of[client];
    k->line_bytes = c->line_bytes == 0 ? 128 : c->line_bytes;
    k->sector_bytes = c->sector_bytes == 0 ? k->line_bytes : c->sector_bytes;
    k->line_mask = k->line_bytes - 1;
    k->line_shift = bits_first32(k->line_bytes);
    const uint32_t sectors = k->line_bytes / k->sector_bytes;
    k->all = sectors >= 32 ? UINT32_MAX : (1u << sectors) - 1;
    k->hit_latency = c->hit_latency == 0 ? 1 : c->hit_latency;
    k->ports = c->ports == 0 ? 1 : c->ports;
    k->array = (uint8_t)client;
    if (c->bytes == 0) return true;
    const char *wrong = cache_config_wrong(c);
    if (wrong == NULL && k->sector_bytes < 32)
        wrong = "sector_bytes must be at least 32: memory moves as much at once";
    if (wrong != NULL) {
        diag_add(d, WW_ERROR_CONFIG, "%s: %s", name, wrong);
        return false;
    }
    k->tags = cache_create(c);
    k->mshr = mshr_create(c->mshrs == 0 ? 1 : c->mshrs, c->mshr_merge == 0 ? 1 : c->mshr_merge);
    if (k->tags == NULL || k->mshr == NULL) {
        no_memory(d);
        return false;
    }
    return true;
}

// An array of its own, or L1's tags and miss registers behind a look-up of its own.
static bool make_texture_cache(struct sm *s, struct diags *d) {
    if (!make_cache(s, CLIENT_TEX, &s->c.texture, "sm.texture", d)) return false;
    if (!s->c.l1d_texture) return true;
    struct sm_cache *const k = &s->caches.of[CLIENT_TEX];
    const uint32_t hit_latency = k->hit_latency, ports = k->ports;
    *k = s->caches.of[CLIENT_L1D];
    k->hit_latency = hit_latency, k->ports = ports;
    return true;
}

static bool make_queue(struct lsu_queue *u, uint32_t queue, uint32_t pipe, enum alarm alarm) {
    u->queue = queue;
    u->capacity = queue + 1;
    u->pipe = pipe;
    u->alarm = alarm;
    u->entry = ww_alloc_aligned(u->capacity * sizeof *u->entry);
    u->order = ww_alloc_aligned(u->capacity * sizeof *u->order);
    u->start = ww_alloc_aligned(queue * sizeof *u->start);
    u->blocked_since = NEVER;
    for (uint32_t i = 0; u->order != NULL && i < u->capacity; i++) u->order[i] = (uint16_t)i;
    return u->entry != NULL && u->order != NULL && u->start != NULL;
}

static bool make_wheel(struct wheel *h, uint32_t nodes) {
    h->capacity = nodes;
    h->node = ww_alloc_aligned(nodes * sizeof *h->node);
    h->free = NO_EVENT;
    return h->node != NULL;
}

bool wheel_more(struct wheel *h) {
    enum { CHUNK = 64 };
    const uint32_t from = h->fresh, left = h->capacity - from;
    if (left == 0) return false;
    const uint32_t to = from + (left < CHUNK ? left : CHUNK);
    for (uint32_t i = from; i < to; i++)
        h->node[i].next = (uint16_t)(i + 1 < to ? i + 1 : NO_EVENT);
    h->free = from;
    h->fresh = to;
    return true;
}

static bool make_arrays(struct sm *s) {
    const struct sm_config *const c = &s->c;
    // Events that can be on their way at once: a result for each register row, each predicate of a warp
    // and its carry, since the next one waits for it; of a warp one branch, wake-up, constant, fetch
    // and launch; and constant lines from the second level.
    const uint32_t rows = c->registers / WARP_LANES, most = c->max_warps * MAX_GPRS;
    // With control bits each instruction that reads late has one that says so.
    const uint32_t late = c->dependences == SM_CONTROL ? c->schedulers * (c->late_read + 256) : 0;
    const uint32_t nodes =
        (rows < most ? rows : most) + c->max_warps * (MAX_PREDS + 1 + 5) + c->constant.mshrs + late;
    s->lsu.n_ops = c->pending_entries == 0 ? 64 : c->pending_entries;
    s->lsu.op = ww_alloc_aligned(s->lsu.n_ops * sizeof *s->lsu.op);
    s->res.wide_pend = ww_alloc_aligned(c->max_warps * sizeof *s->res.wide_pend);
    uint32_t merge = 1;
    const struct cache_config *const all[] = {&c->icache, &c->l1d, &c->constant, &c->texture};
    for (size_t i = 0; i < WW_COUNT(all); i++)
        if (all[i]->mshr_merge > merge) merge = all[i]->mshr_merge;
    s->caches.writebacks_room = WRITEBACKS_WAIT + 2 + c->l1d.mshrs;
    s->caches.writeback = ww_alloc_aligned(s->caches.writebacks_room * sizeof *s->caches.writeback);
    s->caches.waiter = ww_alloc_aligned(merge * sizeof *s->caches.waiter);
    if (c->const_second_latency != 0) {
        s->caches.second_room = c->constant.mshrs == 0 ? 1 : c->constant.mshrs;
        s->caches.second = ww_alloc_aligned(s->caches.second_room * sizeof *s->caches.second);
        if (s->caches.second == NULL) return false;
    }
    if (s->lsu.op == NULL || s->res.wide_pend == NULL || s->caches.waiter == NULL ||
        s->caches.writeback == NULL)
        return false;
    for (uint32_t i = 0; i < s->lsu.n_ops; i++)
        s->lsu.op[i].next = i + 1 < s->lsu.n_ops ? (uint16_t)(i + 1) : OP_NONE;
    return make_wheel(&s->wheel, nodes) &&
           make_queue(&s->lsu.ldst, c->lsu_queue, SM_PIPE_LDST, ALARM_LDST) &&
           make_queue(&s->lsu.tex, c->lsu_queue, SM_PIPE_TEX, ALARM_TEX);
}

static_assert(UNIT_UNIFORM + 1 == UNIT_N, "count.c leaves the last unit out of idle times");
// Pipelines of the SM, by unit.
static void lay_out_pipes(struct sm_view *v, const struct sm_config *c) {
    const struct {
        uint8_t unit, first;
        uint32_t n;
    } row[] = {
        {UNIT_INT, SM_PIPE_INT, c->lane_groups},
        {UNIT_FP, SM_PIPE_FP, c->lane_groups},
        {UNIT_SFU, SM_PIPE_SFU, c->sfus},
        {UNIT_DP, SM_PIPE_DP, c->dp_units},
        {UNIT_LDST, SM_PIPE_LDST, 1},
        {UNIT_TEX, SM_PIPE_TEX, 1},
        {UNIT_TENSOR, SM_PIPE_TENSOR, c->tensor_units},
        {UNIT_UNIFORM, SM_PIPE_UNIFORM, c->uniform_units},
    };
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        v->pipe_first[row[i].unit] = row[i].first;
        v->pipe_n[row[i].unit] = (uint8_t)row[i].n;
    }
    // units.h looks at two pipelines without a loop: a second lane group that is not there is never
    // free.
    if (c->lane_groups == 1)
        v->pipe[SM_PIPE_INT + 1].free_at = v->pipe[SM_PIPE_FP + 1].free_at = NEVER;
    if (c->dp_units == 0) v->pipe[SM_PIPE_DP].free_at = NEVER; // no double precision: never free
    if (c->tensor_units == 0) v->pipe[SM_PIPE_TENSOR].free_at = NEVER;
    if (c->uniform_units == 0) v->pipe[SM_PIPE_UNIFORM].free_at = NEVER;
}

// Sub-core `at`'s part of each unit's pipelines; all sub-cores have LD/ST and texture.
static void make_units(struct units *x, const struct sm *s, uint32_t at) {
    for (uint32_t u = UNIT_NONE + 1; u < UNIT_N; u++) {
        const bool is_shared = units_is_shared(s, u);
        const uint32_t n = s->v.pipe_n[u], mine = is_shared ? n : n / s->n_subs;
        x->n[u] = (uint8_t)mine;
        x->first[u] = (uint8_t)(s->v.pipe_first[u] + (is_shared ? 0 : at * mine));
        x->pipes[u] = ((1ull << mine) - 1) << x->first[u];
    }
    for (uint32_t u = UNIT_NONE + 1; u < UNIT_N; u++) {
        if (x->n[u] != 0) continue; // no double precision, no tensor cores, no uniform datapath
        x->free_at[u] = NEVER;
        // Without tensor cores no kernel that needs them is accepted, and without a uniform
        // datapath its instructions go to the integer pipelines.
        if (u != UNIT_TENSOR && u != UNIT_UNIFORM) x->busy |= 1u << u;
    }
}

static bool make_l0(struct l0_cache *l, const struct sm_config *c) {
    struct cache_config k = c->icache;
    k.bytes = c->l0_bytes;
    k.ways = c->l0_ways;
    k.sector_bytes = k.line_bytes;
    l->tags = cache_create(&k);
    if (l->tags == NULL) return false;
    l->line = ww_alloc_aligned(cache_lines(l->tags) * sizeof *l->line);
    memset(l->known, 0xff, sizeof l->known);
    return l->line != NULL;
}

static bool make_front(struct front *f, const struct sm_config *c) {
    f->width = c->fetch_width / c->sub_cores;
    f->room =
        c->fetch_instructions < c->ibuffer_entries ? c->fetch_instructions : c->ibuffer_entries;
    f->last = SM_MAX_WARPS - 1; // round robin begins with warp 0
    return c->l0_bytes == 0 || make_l0(&f->l0, c);
}

static bool make_fetches(struct fetches *k, const struct sm_config *c) {
    const uint32_t in_decode = c->icache.hit_latency + c->decode_latency + 2;
    k->places = k->capacity = 1;
    while (k->capacity < c->fetch_width * in_decode + c->max_warps) k->capacity *= 2;
    k->ring = ww_alloc_aligned(k->capacity * sizeof *k->ring);
    return k->ring != NULL;
}

static bool make_sub_cores(struct sm *s) {
    const struct sm_config *const c = &s->c;
    s->n_subs = c->sub_cores;
    s->sub_shift = bits_first32(s->n_subs);
    for (uint32_t i = 0; i < s->n_subs; i++) {
        struct sub_core *const sub = &s->sub[i];
        for (uint32_t w = i; w < SM_MAX_WARPS; w += s->n_subs) sub->warps |= BIT64(w);
        make_units(&sub->units, s, i);
        collect_init(&sub->collectors, c, i, s->n_subs);
        if (!make_front(&sub->front, c)) return false;
    }
    return make_fetches(&s->fetches, c);
}

static void make_schedulers(struct sm *s) {
    struct sm_view *const v = &s->v;
    const struct sm_config *const c = &s->c;
    const bool has_groups = sm_scheduler_is(c->scheduler, SCHED_HAS_GROUPS);
    s->ops = sched_find(c->scheduler);
    s->is_two_level = sm_scheduler_is(c->scheduler, SCHED_HAS_SET);
    s->pairs = c->issue_width > 1 && c->max_issues_per_warp > 1;
    s->dirty = (1u << c->schedulers) - 1;
    v->schedulers = c->schedulers;
    v->active_waits = c->active_waits && s->is_two_level;
    for (uint32_t i = 0; i < c->schedulers; i++) {
        for (uint32_t w = 0; w < c->max_warps; w++)
            if (c->shared_warps || w % c->schedulers == i) v->mine[i] |= BIT64(w);
        const uint32_t share = (c->active_warps + c->schedulers - 1 - i) / c->schedulers;
        s->sched[i] = (struct scheduler){.last = SM_MAX_WARPS - 1,
                                         .promoted = has_groups ? 0 : SM_MAX_WARPS - 1,
                                         .full_set = UINT64_MAX,
                                         .active_cap = c->shared_warps ? c->active_warps : share};
    }
}

enum ww_status sm_create(const struct sm_config *c, uint32_t id, struct mem_port *port,
                         const struct exec_source *source, struct devmem *memory,
                         const struct sm_callbacks *cb, struct diags *d, struct sm **out) {
    *out = NULL;
    const char *const wrong = config_wrong(c);
    if (wrong != NULL) return diag_add(d, WW_ERROR_CONFIG, "sm: %s", wrong);
    struct sm *const s = ww_alloc_aligned(sizeof *s);
    if (s == NULL) return no_memory(d);
    s->c = *c;
    s->id = id;
    s->source = *source;
    s->caches.port = port;
    s->caches.act = &s->act;
    s->caches.tech = &s->tech;
    if (cb != NULL) s->cb = *cb;
    if (s->c.scheduler_interval == 0) s->c.scheduler_interval = 1;
    if (s->c.sub_cores == 0) s->c.sub_cores = 1;
    s->lanes_cycles = c->timing[OPC_FP_ADD].interval > 1 ? c->timing[OPC_FP_ADD].interval : 1;
    alarms_reset(&s->alarms);
    for (uint32_t p = 0; p < SM_PIPES; p++)
        s->v.pipe[p].sent_until = UINT64_MAX / 2; // long from any cycle
    lay_out_pipes(&s->v, c);
    make_schedulers(s);
    memset(s->hot, 0xff, sizeof s->hot);
    tma_init(&s->tma);
    s->env.memory = memory;
    s->env.log = source->log_create();
    s->env.remote_waits = true;
    bool ok = s->env.log != NULL && make_arrays(s) && make_sub_cores(s);
    if (!ok) no_memory(d);
    ok = ok && make_cache(s, CLIENT_L1D, &c->l1d, "sm.l1d", d) &&
         make_cache(s, CLIENT_CONST, &c->constant, "sm.constant", d) && make_texture_cache(s, d) &&
         make_cache(s, CLIENT_INST, &c->icache, "sm.icache", d);
    if (!ok) {
        sm_destroy(s);
        return diags_status(d);
    }
    *out = s;
    return sm_set_techniques(s, NULL, 0, d);
}

void sm_destroy(struct sm *s) {
    if (s == NULL) return;
    for (uint32_t i = 0; i < CLIENT_N; i++) {
        if (s->caches.of[i].array != i) continue; // another's
        cache_destroy(s->caches.of[i].tags);
        mshr_destroy(s->caches.of[i].mshr);
    }
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) {
        ww_free_aligned(s->res.kernel[i].runs);
        ww_free_aligned(s->res.kernel[i].stalls);
        ww_free_aligned(s->res.kernel[i].asked);
        ww_free_aligned(s->res.kernel[i].memory);
    }
    if (s->env.log != NULL) s->source.log_destroy(s->env.log);
    exec_bulks_destroy(s->env.bulks);
    tma_destroy(&s->tma);
    ww_free_aligned(s->wheel.node);
    ww_free_aligned(s->fetches.ring);
    ww_free_aligned(s->lsu.ldst.entry);
    ww_free_aligned(s->lsu.ldst.order);
    ww_free_aligned(s->lsu.ldst.start);
    ww_free_aligned(s->lsu.tex.entry);
    ww_free_aligned(s->lsu.tex.order);
    ww_free_aligned(s->lsu.tex.start);
    ww_free_aligned(s->lsu.op);
    ww_free_aligned(s->res.wide_pend);
    for (uint32_t i = 0; i < SM_MAX_SUB_CORES; i++) {
        cache_destroy(s->sub[i].front.l0.tags);
        ww_free_aligned(s->sub[i].front.l0.line);
    }
    ww_free_aligned(s->caches.second);
    ww_free_aligned(s->caches.waiter);
    ww_free_aligned(s->caches.writeback);
    toggle_destroy(s->toggle);
    ww_free_aligned(s);
}

struct exec_log *sm_log(struct sm *s) {
    return s->env.log;
}
const struct sm_view *sm_view_of(const struct sm *s) { return &s->v; }

// ---- kernels -----------------------------------------------------------------------------------
void sm_count_instructions(struct sm *s) { s->counts_instructions = true; }

enum ww_status sm_count_toggles(struct sm *s, struct diags *d) {
    if (s->toggle == NULL) s->toggle = toggle_create();
    if (s->toggle == NULL) return no_memory(d);
    step_choose(s);
    return WW_OK;
}

static enum ww_status bind_runs(struct kernel_slot *ks, uint32_t n, struct diags *d) {
    if (n <= ks->runs_capacity) {
        memset(ks->runs, 0, n * sizeof *ks->runs);
        return WW_OK;
    }
    ww_free_aligned(ks->runs);
    ks->runs_capacity = 0;
    ks->runs = ww_alloc_aligned(n * sizeof *ks->runs);
    if (ks->runs == NULL) return no_memory(d);
    ks->runs_capacity = n;
    return WW_OK;
}

// Counts by instruction that only an SM has that was told to.
static enum ww_status bind_counts(struct kernel_slot *ks, uint32_t n, struct diags *d) {
    if (n <= ks->counts_capacity) {
        memset(ks->stalls, 0, n * sizeof *ks->stalls);
        memset(ks->asked, 0, n * sizeof *ks->asked);
        return WW_OK;
    }
    ww_free_aligned(ks->stalls);
    ww_free_aligned(ks->asked);
    ks->counts_capacity = 0;
    ks->stalls = ww_alloc_aligned(n * sizeof *ks->stalls);
    ks->asked = ww_alloc_aligned(n * sizeof *ks->asked);
    if (ks->stalls == NULL || ks->asked == NULL) return no_memory(d);
    ks->counts_capacity = n;
    return WW_OK;
}

// The ways of L1 that the shared memory of all kernels here leaves: as much as lets each have all
// the CTAs that its other needs allow. Other kernels' lines in ways that close stay until L1 is
// emptied.
static void carve(struct sm *s) {
    struct cache *const l1 = s->caches.of[CLIENT_L1D].tags;
    if (s->c.l1_shared_bytes == 0 || l1 == NULL) return;
    uint64_t wanted = 0;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) {
        const struct sm_kernel *const k = s->res.kernel[i].kernel;
        if (k != NULL) wanted += (uint64_t)k->cta_shared * k->occupancy.ctas;
    }
    const uint32_t way = s->c.l1d.bytes / s->c.l1d.ways;
    cache_open_ways(l1, (s->c.l1_shared_bytes - sm_carve_out(&s->c, wanted)) / way);
}

enum ww_status sm_bind(struct sm *s, uint32_t slot, struct sm_kernel *k, struct diags *d) {
    struct kernel_slot *const ks = &s->res.kernel[slot];
    if (ks->kernel != NULL)
        return diag_add(d, WW_ERROR_INTERNAL, "a kernel came to a slot that another one has");
    const size_t bytes = k->cta_bytes * k->occupancy.ctas;
    if (bytes > ks->memory_bytes) {
        ww_free_aligned(ks->memory);
        ks->memory_bytes = 0;
        ks->memory = ww_alloc_aligned(bytes);
        if (ks->memory == NULL) return no_memory(d);
        ks->memory_bytes = bytes;
    }
    enum ww_status status = bind_runs(ks, k->image->n_insts, d);
    if (status == WW_OK && s->counts_instructions) status = bind_counts(ks, k->image->n_insts, d);
    if (status != WW_OK) return status;
    ks->free_blocks = k->occupancy.ctas >= 32 ? UINT32_MAX : (1u << k->occupancy.ctas) - 1;
    ks->kernel = k;
    ks->window = k->window;
    ks->ctas = 0;
    ks->is_early = false;
    ks->launched = ks->storing = 0;
    carve(s);
    s->constants.ok[slot] = s->constants.known[slot] = 0;
    technique_kernel(s, slot, k->image);
    return WW_OK;
}

void sm_unbind(struct sm *s, uint32_t slot) {
    struct kernel_slot *const ks = &s->res.kernel[slot];
    if (ks->kernel == NULL) return;
    if (ks->ctas != 0 && !s->faulted) {
        sm_break(s, "a kernel left before its CTAs were done");
        return;
    }
    count_keep(s, slot);
    for (uint32_t i = 0; i < s->c.schedulers; i++) {
        s->sched[i].blame = NULL;
        s->sched[i].reason = STALL_issued; // found anew
    }
    s->dirty = (1u << s->c.schedulers) - 1;
    ks->kernel = NULL;
    ks->free_blocks = 0;
}

static void flush(struct sm *s, uint64_t cycle, bool instructions_too) {
    s->is_summed = false;
    for (uint32_t i = 0; i < CLIENT_N; i++)
        if (i != CLIENT_INST || instructions_too)
            caches_flush(&s->caches, (enum mem_client)i, cycle);
    if (instructions_too) front_forget_lines(s);
    front_forget_constants(s);
    s->caches.n_writebacks = 0; // local memory of threads that are done
}

void sm_flush(struct sm *s, uint64_t cycle) { flush(s, cycle, s->c.icache_flush); }

void sm_forget_caches(struct sm *s, uint64_t cycle) { flush(s, cycle, true); }

uint8_t sm_has_code(const struct sm *s, uint64_t addr) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_INST];
    const uint64_t line = addr & ~c->line_mask;
    if (!c->tags) return 0;
    return (uint8_t)((cache_place_of(c->tags, line) != CACHE_NOWHERE) | front_has_line(s, line) << 1);
}
void sm_warm_code(struct sm *s, uint64_t addr, const uint8_t *where, uint32_t n) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_INST];
    if (!c->tags || s->tech.heard >> ARRAY_INST & 1) return;
    uint64_t line = addr & ~c->line_mask;
    for (uint32_t i = 0; i < n; i++, line += c->line_bytes) {
        if (where[i] & 1) cache_fill(c->tags, line, c->all);
        front_warm_line(s, line, where[i] >> 1);
    }
}

// ---- running -----------------------------------------------------------------------------------
void sm_run_begin(struct sm *s, uint64_t from) {
    s->is_summed = false;
    const struct mem_reply *const r = mem_port_peek(s->caches.port);
    s->alarms.at[ALARM_REPLY] = r != NULL ? r->cycle : NEVER;
    if (s->lsu.ldst.blocked_since != NEVER || s->lsu.tex.blocked_since != NEVER ||
        s->tma.is_blocked || front_has_refused(s) || s->caches.n_writebacks != 0) {
        reply_retry(s, from);
        s->alarms.wake = min64(s->alarms.wake, from);
    }
    if (ww_unlikely(s->tma.waiting != 0)) tma_begin(s, from);
    s->alarms.wake = min64(s->alarms.wake, s->alarms.at[ALARM_REPLY]);
}

void sm_run_end(struct sm *s) {
    if (ww_unlikely(s->wheel.is_full)) sm_break(s, "more results are on their way than registers");
    if (ww_unlikely(s->caches.is_broken)) sm_break(s, "more dirty lines wait than were replaced");
}

void sm_run(struct sm *s, uint64_t from, uint64_t to) {
    if (s->faulted) return;
    sm_run_begin(s, from);
    for (uint64_t t; (t = max64(s->alarms.wake, from)) < to && !s->faulted;)
        s->alarms.wake = s->step(s, t);
    sm_run_end(s);
}

void sm_simulate_every_cycle(struct sm *s) { s->every_cycle = true; }

bool sm_is_idle(const struct sm *s) {
    return !s->is_busy && tma_is_idle(&s->tma) && s->lsu.ldst.n == 0 && s->lsu.tex.n == 0 &&
           s->caches.n_writebacks == 0 && mem_port_outstanding(s->caches.port) == 0;
}

uint64_t sm_next_event(const struct sm *s, uint64_t now) {
    if (s->faulted) return NEVER;
    const struct mem_reply *const r = mem_port_peek(s->caches.port);
    const uint64_t next = min64(s->alarms.wake, r != NULL ? r->cycle : NEVER);
    return next == NEVER ? NEVER : max64(next, now);
}

const struct exec_fault *sm_fault(const struct sm *s) {
    return s->faulted && s->broken == NULL ? &s->env.fault : NULL;
}

const char *sm_broken(const struct sm *s) { return s->broken; }

uint64_t sm_last_progress(const struct sm *s) { return s->progress; }

bool sm_each_warp(struct sm *s, bool (*fn)(void *user, struct exec_warp *w, bool waits),
                  void *user) {
    if (!tma_is_idle(&s->tma)) return false; // a barrier may hear of a copy
    for (uint32_t i = 0; i < s->res.n_ctas; i++) {
        const struct cta_slot *const c = &s->res.cta[s->res.order[i]];
        if (c->live == 0) return false;
        FOR_EACH_BIT64(w, c->left) {
            const struct warp *const warp = &s->res.warp[w];
            if (!warp->exited &&
                !fn(user, warp->exec, pending_has(&s->pending, PENDING_barrier, (uint32_t)w)))
                return false;
        }
    }
    return true;
}

// Where lanes of a warp wait for barriers of their block, and how many threads have come there.
static void describe_barriers(const struct sm_kernel *k, const struct cta_slot *c,
                              const struct exec_warp *w, FILE *out) {
    struct exec_wait at;
    for (uint32_t i = 0; exec_barrier_wait(w, i, &at); i++) {
        if (at.barrier == EXEC_CLUSTER_BARRIER && c->cta.cluster != NULL) {
            fprintf(out,
                    "; lanes 0x%08x wait at the barrier of their cluster, to which %u threads have "
                    "not come",
                    at.lanes, exec_cluster_missing(c->cta.cluster));
            continue;
        }
        const struct exec_barrier *const bar = &c->bar[at.barrier].count;
        fprintf(out, "; lanes 0x%08x wait at barrier %u", at.lanes, at.barrier);
        if (i > 0) fprintf(out, " (%s)", code_place(k->image, at.pc).text);
        fprintf(out, ", where %u of %u threads have come", bar->threads,
                exec_barrier_needs(bar, c->live));
    }
}

void sm_describe_waits(const struct sm *s, FILE *out) {
    static const char *const words[PENDING_N] = {
#define PENDING_WORK(id, stall, text)                [PENDING_##id] = text,
#define PENDING(id, stall, is_long, is_inside, text) [PENDING_##id] = text,
#include "sm/pending.def"
#undef PENDING
#undef PENDING_WORK
    };
    const struct sm_view *const v = &s->v;
    for (uint32_t i = 0; i < s->res.n_ctas; i++) {
        const struct cta_slot *const c = &s->res.cta[s->res.order[i]];
        const struct sm_kernel *const k = s->res.kernel[c->kslot].kernel;
        FOR_EACH_BIT64(b, c->left) {
            const uint32_t w = (uint32_t)b;
            const struct warp *const warp = &s->res.warp[w];
            const uint32_t what = s->pending.what[w];
            const bool waits_bar = !warp->exited && what >> PENDING_barrier & 1;
            struct exec_wait at;
            const uint32_t pc = waits_bar && exec_barrier_wait(warp->exec, 0, &at) ? at.pc
                                : what & PENDING_IS_INSIDE ? s->pending.pc[w]
                                                           : warp->exec->pc;
            char text[160] = "";
            if (pc < k->image->n_insts) disasm_inst(k->image, pc, text, sizeof text);
            const char *const why = warp->exited           ? "for its last results"
                                    : what != 0            ? words[bits_first32(what)]
                                    : v->wait_mem >> w & 1 ? "for memory"
                                    : v->go >> w & 1       ? "for a unit"
                                    : v->decoded >> w & 1  ? "for a result"
                                                           : "for instructions";
            char lanes[256] = ""; // of a warp that waits for lanes of its own
            if (waits_bar) exec_waits_text(warp->exec, lanes, sizeof lanes);
            fprintf(out, "SM %u, kernel %s, CTA %llu (%u,%u,%u), warp %u: waits %s, %s: %s%s%s",
                    s->id, k->image->name ? k->image->name : "?", (unsigned long long)c->linear,
                    c->cta.id[0], c->cta.id[1], c->cta.id[2], warp->exec->warp_in_cta, why,
                    code_place(k->image, pc).text, text, lanes[0] ? "; " : "", lanes);
            if (waits_bar) describe_barriers(k, c, warp->exec, out);
            fputc('\n', out);
        }
    }
}
