// Findings: what holds a kernel back, where, and what removing it is worth. Each rule looks at one
// kernel's counts and answers how much of its time the defect may cost: the issue slots that were
// lost to it, times the part of its work that is too much. What remains is never less than what the
// busiest other part of the machine needs, so a finding that another limit hides is worth little.
#include "view/view.h"

#include <math.h>

struct kernel { // one, all its launches together
    const struct view_input *in;
    const json_t *launch;
    const struct view_code *code; // NULL: not counted by instruction
    struct activity a;
    double seconds, energy_j, dynamic_j, static_j, launches;
};

struct finding {
    double lost;           // share of the kernel's time that the defect costs, 0: no finding
    double dynamic_share;  // share of the dynamic energy that goes with it
    const char *hidden_by; // limit that the rule itself relieves; the others stay
    const struct view_inst *at;
    char evidence[240];
};

static double c(const struct kernel *k, uint32_t act) { return (double)k->a.c[act]; }

static double slots_of(const struct kernel *k) {
    double n = c(k, ACT_sm_idle_cycles) * k->in->gpu->sm.schedulers;
    for (uint32_t s = 0; s < STALL_N; s++)
        if (s != STALL_dual) n += c(k, ACT_issue_slots + s);
    return n;
}

static double lost_to(const struct kernel *k, enum stall_reason r) {
    const double n = slots_of(k);
    return n > 0 ? c(k, ACT_issue_slots + (uint32_t)r) / n : 0;
}

// The instruction of these classes that waited and issued most.
static const struct view_inst *worst(const struct kernel *k, const uint8_t *klass, size_t n) {
    const struct view_inst *best = NULL;
    double most = 0;
    for (uint32_t i = 0; k->code && i < k->code->n; i++) {
        const struct view_inst *v = &k->code->inst[i];
        bool is_one = n == 0;
        for (size_t q = 0; q < n; q++) is_one = is_one || v->klass == klass[q];
        double weight = (double)v->issues;
        for (uint32_t s = STALL_dual + 1; s < STALL_N; s++) weight += (double)v->stall[s];
        if (!is_one || weight <= most) continue;
        most = weight;
        best = v;
    }
    return best;
}

static const uint8_t global[] = {OPC_LD_GLOBAL, OPC_ST_GLOBAL, OPC_LD_GENERIC, OPC_ST_GENERIC},
                     shared[] = {OPC_LD_SHARED, OPC_ST_SHARED, OPC_ATOM_SHARED},
                     local[] = {OPC_LD_LOCAL, OPC_ST_LOCAL},
                     atomic[] = {OPC_ATOM_GLOBAL, OPC_ATOM_SHARED}, branch[] = {OPC_CTRL};

// ---- the rules ----------------------------------------------------------------------------------
static void uncoalesced(const struct kernel *k, struct finding *f) {
    const double accesses = c(k, ACT_coalescer_inputs), tx = c(k, ACT_coalescer_transactions);
    if (accesses < 64 || tx < 2 * accesses) return;
    // lanes of 4 bytes side by side: one transaction for each 128 bytes
    const double lanes = c(k, ACT_agu_addresses) / accesses, ideal = fmax(1, lanes * 4 / 128);
    const double too_much = 1 - fmin(1, ideal * accesses / tx);
    f->lost = too_much *
              (lost_to(k, STALL_memory) + lost_to(k, STALL_lsu_full) + lost_to(k, STALL_pending));
    f->dynamic_share = 0.5 * too_much * fmin(1, c(k, ACT_net_request_flits) / fmax(1, tx)) * 0.2;
    f->hidden_by = "LD/ST L1 L2 network DRAM";
    f->at = worst(k, global, WW_COUNT(global));
    snprintf(f->evidence, sizeof f->evidence, "%.1f transactions an access where %.1f would do",
             tx / accesses, ideal);
}

static void bank_conflicts(const struct kernel *k, struct finding *f) {
    const double passes = c(k, ACT_shared_passes), more = c(k, ACT_shared_conflicts);
    if (passes < 64 || more < 0.1 * passes) return;
    f->lost = more / passes *
              (lost_to(k, STALL_lsu_full) + lost_to(k, STALL_memory) + lost_to(k, STALL_unit_busy) +
               lost_to(k, STALL_barrier));
    f->hidden_by = "shared LD/ST INT";
    f->at = worst(k, shared, WW_COUNT(shared));
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f %% of the passes through shared memory repeat for bank conflicts",
             100 * more / passes);
}

static void divergence(const struct kernel *k, struct finding *f) {
    const double lanes = c(k, ACT_thread_instructions) / fmax(1, c(k, ACT_warp_instructions));
    if (lanes > 24 || c(k, ACT_divergent_branches) < 0.25 * c(k, ACT_warp_launches)) return;
    const double too_much = 1 - lanes / 32;
    f->lost = too_much * lost_to(k, STALL_issued);
    f->dynamic_share = 0.3 * too_much;
    f->hidden_by = "issue INT FP SFU LD/ST";
    f->at = worst(k, branch, WW_COUNT(branch));
    snprintf(f->evidence, sizeof f->evidence,
             "%.1f of 32 lanes active; %.0f %% of the branches split their warp", lanes,
             100 * c(k, ACT_divergent_branches) / fmax(1, c(k, ACT_branches)));
}

static void occupancy(const struct kernel *k, struct finding *f) {
    const double warps = json_number_value(json_object_get(k->launch, "occupancy_warps")),
                 most = k->in->gpu->sm.max_warps;
    const char *limit = json_string_value(json_object_get(k->launch, "occupancy_limit"));
    const bool cut =
        limit && (strcmp(limit, "registers") == 0 || strcmp(limit, "shared memory") == 0);
    const double waits = lost_to(k, STALL_memory) + lost_to(k, STALL_alu);
    if (!cut || warps <= 0 || warps > 0.67 * most || waits < 0.2) return;
    f->lost = waits * (1 - warps / most);
    f->hidden_by = "";
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f of %.0f warps an SM, limited by %s, and %.0f %% of the issue slots wait for "
             "results",
             warps, most, limit, 100 * waits);
}

static void tail(const struct kernel *k, struct finding *f) {
    const double idle = c(k, ACT_sm_idle_cycles), all = idle + c(k, ACT_sm_busy_cycles);
    const double ctas = json_number_value(json_object_get(k->launch, "ctas"));
    if (all <= 0 || idle < 0.1 * all || ctas < 1) return;
    f->lost = idle / all;
    f->hidden_by = "";
    snprintf(f->evidence, sizeof f->evidence,
             "SMs hold no block %.0f %% of the time: %.0f blocks for %u SMs of %.0f at a time",
             100 * idle / all, ctas, k->in->gpu->sm_count,
             json_number_value(json_object_get(k->launch, "occupancy_ctas")));
}

static void atomics(const struct kernel *k, struct finding *f) {
    const double n = c(k, ACT_l2_atomics), lanes = c(k, ACT_l2_atomic_lanes);
    if (n < 32 || lanes < 2 * n) return;
    const double waits =
        lost_to(k, STALL_memory) + lost_to(k, STALL_lsu_full) + lost_to(k, STALL_fence);
    f->lost = waits * (1 - n / lanes);
    f->hidden_by = "L2 network LD/ST";
    f->at = worst(k, atomic, WW_COUNT(atomic));
    snprintf(f->evidence, sizeof f->evidence,
             "%.1f lanes a request take their turn at the atomic units", lanes / n);
}

static void spills(const struct kernel *k, struct finding *f) {
    const double moved = c(k, ACT_lmem_reads) + c(k, ACT_lmem_writes),
                 all = moved + c(k, ACT_gmem_reads) + c(k, ACT_gmem_writes);
    if (moved < 64 || moved < 0.1 * all) return;
    f->lost = moved / all * (lost_to(k, STALL_memory) + lost_to(k, STALL_lsu_full));
    f->dynamic_share = 0.1 * moved / all;
    f->hidden_by = "LD/ST L1 L2 network DRAM";
    f->at = worst(k, local, WW_COUNT(local));
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f %% of the transactions beyond shared memory are of local memory: spills and "
             "arrays of a thread's own",
             100 * moved / all);
}

static void launch_bound(const struct kernel *k, struct finding *f) {
    const struct account *p = k->in->power;
    if (!p || k->launches < 16 || p->run.seconds <= 0) return;
    const double gaps = p->gaps.seconds / p->run.seconds, each = k->seconds / k->launches;
    const double latency = k->in->gpu->launch_latency_cycles / (k->in->gpu->clocks.core_mhz * 1e6);
    if (gaps < 0.2 || each > 10 * latency) return;
    f->lost = fmin(0.9, latency / (latency + each));
    f->hidden_by = "";
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f launches of %.1f us each, and the chip waits between kernels %.0f %% of the "
             "run",
             k->launches, 1e6 * each, 100 * gaps);
}

static void dram_rows(const struct kernel *k, struct finding *f) {
    const double hits = c(k, ACT_dram_row_hits), all = hits + c(k, ACT_dram_row_misses);
    const double busy = c(k, ACT_dram_bus_cycles) / fmax(1, c(k, ACT_dram_cycles));
    if (all < 256 || hits > 0.5 * all || busy < 0.2) return;
    f->lost = (1 - hits / all) * lost_to(k, STALL_memory) * 0.5;
    f->dynamic_share = 0.05;
    f->hidden_by = "DRAM";
    f->at = worst(k, global, WW_COUNT(global));
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f %% row hits while the data bus is busy %.0f %% of the time", 100 * hits / all,
             100 * busy);
}

static const struct rule {
    const char *name, *title, *cure;
    void (*look)(const struct kernel *k, struct finding *f);
} rules[] = {
    {"uncoalesced", "Accesses of a warp fall into many memory lines",
     "let neighbouring threads take neighbouring words: change the layout, or stage through shared "
     "memory",
     uncoalesced},
    {"bank-conflicts", "Lanes want different words of the same shared-memory bank",
     "pad rows by one word, or change which thread takes which word", bank_conflicts},
    {"divergence", "Warps split at branches and run with few lanes",
     "let threads of a warp take the same way: sort the work, or exchange it between warps",
     divergence},
    {"occupancy", "Too few warps to hide latencies",
     "use fewer registers or less shared memory a block, or more independent work a thread",
     occupancy},
    {"tail", "SMs run out of blocks before the kernel ends",
     "more and smaller blocks, or a number of blocks that the SMs divide", tail},
    {"atomics", "Atomics of a warp meet at the same word",
     "add up within the warp or block first, in registers or shared memory", atomics},
    {"spills", "Registers live in local memory",
     "fewer live values a thread, indices known to the compiler, or smaller blocks with more "
     "registers",
     spills},
    {"launch-bound", "Kernels are shorter than their launch",
     "do more in a kernel, or record the launches as a graph", launch_bound},
    {"dram-rows", "DRAM opens rows for little data",
     "let warps that run together touch memory that lies together", dram_rows},
};

// ---- what a finding is worth --------------------------------------------------------------------
// The largest share of a limit that the cure does not relieve: the kernel stays that long.
static double floor_of(const struct kernel *k, const struct finding *f) {
    struct peak_limit limit[PEAK_LIMITS];
    const uint32_t n = peak_limits(k->in->gpu, &k->a, limit);
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (isfinite(limit[i].share) && !strstr(f->hidden_by, limit[i].name))
            most = fmax(most, limit[i].share);
    return fmin(1, most);
}

static json_t *finding_json(const struct kernel *k, const struct rule *r, const struct finding *f) {
    const double left = fmax(1 - f->lost, floor_of(k, f)), time_s = k->seconds * (1 - left);
    const double energy = k->static_j * (1 - left) + k->dynamic_j * f->dynamic_share;
    if (1 - left < 0.02) return NULL;
    json_t *o = json_object();
    json_object_set_new(o, "rule", json_string(r->name));
    json_object_set_new(o, "title", json_string(r->title));
    json_object_set_new(o, "cure", json_string(r->cure));
    json_object_set(o, "kernel", json_object_get(k->launch, "kernel"));
    json_object_set_new(o, "evidence", json_string(f->evidence));
    json_object_set_new(o, "time_s", json_real(time_s));
    json_object_set_new(o, "time_share", json_real(1 - left));
    json_object_set_new(o, "energy_j", json_real(energy));
    if (f->at) {
        json_object_set_new(o, "pc", json_integer(f->at->pc));
        json_object_set_new(o, "ptx", json_integer(f->at->ptx_line));
        json_object_set_new(o, "line", json_integer(f->at->src_line));
        json_object_set_new(o, "text", json_string(f->at->text));
    }
    return o;
}

static const struct view_code *code_for(const struct view_codes *codes, const json_t *launch) {
    for (uint32_t i = 0; i < codes->n; i++)
        if (json_equal(json_object_get(codes->at[i].source, "id"), json_object_get(launch, "code")))
            return &codes->at[i];
    return NULL;
}

// Kernels by name; their launches' counts added up.
json_t *advice_json(const struct view_input *in, const struct view_codes *codes) {
    json_t *list = json_array();
    const struct account *p = in->power;
    struct kernel *k = p ? calloc(p->n + 1, sizeof *k) : NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; k && i < p->n; i++) {
        const struct account_kernel *a = &p->kernel[i];
        const json_t *l = NULL, *row;
        size_t at;
        json_array_foreach(in->run->launches, at,
                           row) if ((uint64_t)json_integer_value(json_object_get(row, "id")) ==
                                    a->kernel->launch) l = row;
        const json_t *name = json_object_get(l, "kernel");
        uint32_t q = 0;
        while (q < n && !json_equal(json_object_get(k[q].launch, "kernel"), name)) q++;
        if (q == n) {
            k[n] = (struct kernel){.in = in, .launch = l, .code = code_for(codes, l)};
            n++;
        }
        activity_add(&k[q].a, &a->kernel->activity);
        k[q].seconds += a->kernel->seconds;
        k[q].energy_j += a->usage.energy_j;
        k[q].dynamic_j += a->usage.all_dynamic_j[0];
        k[q].static_j += a->usage.all_static_j[0];
        k[q].launches += (double)run_launches(l);
    }
    for (uint32_t q = 0; q < n; q++)
        for (size_t r = 0; r < WW_COUNT(rules); r++) {
            struct finding f = {.hidden_by = ""};
            rules[r].look(&k[q], &f);
            json_t *o = f.lost > 0 ? finding_json(&k[q], &rules[r], &f) : NULL;
            if (o) json_array_append_new(list, o);
        }
    free(k);
    return list;
}
