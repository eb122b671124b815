// Findings: what holds a kernel back, where, and what removing it is worth. Each rule looks at one
// kernel's counts and answers how much of its time the defect may cost: the issue slots that were
// lost to it, times the part of its work that is too much. What remains is never less than what the
// busiest other part of the machine needs, so a finding that another limit hides is worth little.
// Energy: static energy and the clocks' go with time, dynamic energy with the counts that the cure
// makes smaller, by the power model's own price of each.
#include "isa/op_class.h"
#include "mem/pieces.h"
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
    double dynamic_share;  // share of the dynamic energy that goes with it, beside the clocks'
    const char *hidden_by; // limits that the rule itself relieves; the others stay
    bool busy_stays;       // SMs hold work as long as before
    const struct view_inst *at;
    char evidence[320];
};

static double c(const struct kernel *k, const char *counter) { return act_real(&k->a, counter); }

static double key(const struct kernel *k, const char *key) {
    return gpu_config_real(k->in->gpu, key);
}

static double slots_of(const struct kernel *k) {
    double n = c(k, "sm_idle_cycles") * key(k, "sm.schedulers");
    for (uint32_t s = 0; s < STALL_N; s++)
        if (s != STALL_dual) n += (double)act_at(&k->a, "issue_slots", s);
    return n;
}

static double lost_to(const struct kernel *k, enum stall_reason r) {
    const double n = slots_of(k);
    return n > 0 ? (double)act_at(&k->a, "issue_slots", r) / n : 0;
}

// Share of the kernel's dynamic energy that goes by the counters of a room from one to another.
static double energy_share(const struct kernel *k, const char *from, const char *to) {
    const uint32_t first = act_number(from), last = act_last(to);
    const struct power_tree *const t = k->in->power->tree;
    double all = 0, mine = 0;
    for (int e = 0; e < t->events; e++) {
        const struct power_event *const v = &t->event[e];
        for (uint32_t i = v->act; i < v->act + v->n; i++) {
            const double j = v->energy_j * power_data_factor(&v->data, &k->a) * (double)k->a.c[i];
            all += j;
            if (i >= first && i <= last) mine += j;
        }
    }
    return all > 0 ? mine / all : 0;
}

// Issue slots that this instruction used or waited in.
static double slots_by(const struct view_inst *v) {
    double n = (double)v->issues;
    for (uint32_t s = STALL_dual + 1; s < STALL_N; s++) n += (double)v->stall[s];
    return n;
}

static bool is_one_of(const struct view_inst *v, const uint8_t *klass, size_t n) {
    for (size_t q = 0; q < n; q++)
        if (v->klass == klass[q]) return true;
    return false;
}

// The instruction of these classes (n 0: of all) that waited and issued most.
static const struct view_inst *worst(const struct kernel *k, const uint8_t *klass, size_t n) {
    const struct view_inst *best = NULL;
    double most = 0;
    for (uint32_t i = 0; k->code && i < k->code->n; i++) {
        const struct view_inst *const v = &k->code->inst[i];
        if ((n && !is_one_of(v, klass, n)) || slots_by(v) <= most) continue;
        most = slots_by(v);
        best = v;
    }
    return best;
}

// Where the kernel begins: the place of what concerns a launch as a whole.
static const struct view_inst *entry(const struct kernel *k) {
    for (uint32_t i = 0; k->code && i < k->code->n; i++)
        if (k->code->inst[i].src_line || k->code->inst[i].ptx_line) return &k->code->inst[i];
    return NULL;
}

static const uint8_t global[] = {OPC_LD_GLOBAL, OPC_ST_GLOBAL, OPC_LD_GENERIC, OPC_ST_GENERIC},
                     shared[] = {OPC_LD_SHARED, OPC_ST_SHARED, OPC_ATOM_SHARED},
                     local[] = {OPC_LD_LOCAL, OPC_ST_LOCAL},
                     atomic[] = {OPC_ATOM_GLOBAL, OPC_ATOM_SHARED}, branch[] = {OPC_CTRL};

// ---- the rules ----------------------------------------------------------------------------------
// Bytes of a lane's word: rows of the result of a load, of what a store reads beside its address.
static uint32_t word_bytes(const struct view_inst *v) {
    const bool is_load = v->klass == OPC_LD_GLOBAL || v->klass == OPC_LD_GENERIC;
    const uint32_t address = v->address;
    const uint32_t rows = is_load ? v->writes : v->reads > address ? v->reads - address : 1u;
    return rows >= 4 ? 16 : rows >= 2 ? 8 : 4;
}

// Transactions of an access whose lanes want words side by side.
static double side_by_side(const struct kernel *k, const struct view_inst *v) {
    const bool is_load = v->klass == OPC_LD_GLOBAL || v->klass == OPC_LD_GENERIC;
    const double lanes = ceil((double)v->lanes / fmax(1, (double)v->issues));
    const uint32_t n = lanes < 1 ? 1 : lanes > 32 ? 32 : (uint32_t)lanes, bytes = word_bytes(v);
    uint64_t address[32];
    struct transaction out[64];
    for (uint32_t i = 0; i < 32; i++) address[i] = i * bytes;
    return coalesce(gpu_config_choice(k->in->gpu, is_load ? "sm.coalesce" : "sm.coalesce_uncached"),
                    address, UINT32_MAX >> (32 - n), bytes, out);
}

static void uncoalesced(const struct kernel *k, struct finding *f) {
    double accesses = 0, ideal = 0, all = 0, more = 0, energy = 0, most = 0;
    for (uint32_t i = 0; k->code && i < k->code->n; i++) {
        const struct view_inst *const v = &k->code->inst[i];
        const double tx = (double)v->memory.transactions;
        if (!is_one_of(v, global, WW_COUNT(global)) || !v->memory.accesses || !(tx > 0)) continue;
        const double best = side_by_side(k, v) * (double)v->memory.accesses;
        const double excess = fmax(0, tx - best);
        accesses += (double)v->memory.accesses;
        ideal += best;
        all += tx;
        more += excess;
        energy += v->dynamic_j * excess / tx;
        if (excess > most) f->at = v;
        most = fmax(most, excess);
    }
    if (accesses < 64 || more < 0.5 * all) return;
    const double too_much = more / all;
    f->lost = too_much *
              (lost_to(k, STALL_memory) + lost_to(k, STALL_lsu_full) + lost_to(k, STALL_pending));
    f->dynamic_share = energy / fmax(k->code->dynamic_j, energy);
    f->hidden_by = "LD/ST L1 L2 network DRAM";
    snprintf(f->evidence, sizeof f->evidence, "%.1f transactions an access where %.1f would do",
             all / accesses, ideal / accesses);
}

static void bank_conflicts(const struct kernel *k, struct finding *f) {
    const double passes = c(k, "shared_passes"), more = c(k, "shared_conflicts");
    if (passes < 64 || more < 0.1 * passes) return;
    f->lost = more / passes *
              (lost_to(k, STALL_lsu_full) + lost_to(k, STALL_memory) + lost_to(k, STALL_unit_busy) +
               lost_to(k, STALL_barrier));
    f->dynamic_share = more / passes * energy_share(k, "shared_passes", "shared_passes") +
                       energy_share(k, "shared_conflicts", "shared_conflicts");
    f->hidden_by = "shared LD/ST INT";
    f->at = worst(k, shared, WW_COUNT(shared));
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f %% of the passes through shared memory repeat for bank conflicts",
             100 * more / passes);
}

// What an instruction of a warp costs whatever lanes it has.
static const struct {
    const char *first, *last;
} by_warp[] = {{ACT_NAME("warp_instructions"), ACT_NAME("warp_instructions")},
               {ACT_NAME("warp_by_class"), ACT_NAME("warp_by_class")},
               {ACT_NAME("scheduler_arbitrations"), ACT_NAME("scoreboard_writes")},
               {ACT_NAME("rf_reads"), ACT_NAME("rf_writes")},
               {ACT_NAME("rf_bank_reads"), ACT_NAME("result_bus_conflicts")}};

static void divergence(const struct kernel *k, struct finding *f) {
    const double lanes = c(k, "thread_instructions") / fmax(1, c(k, "warp_instructions"));
    if (lanes > 24 || c(k, "divergent_branches") < 0.25 * c(k, "warp_launches")) return;
    const double too_much = 1 - lanes / 32;
    f->lost = too_much * lost_to(k, STALL_issued);
    for (size_t i = 0; i < WW_COUNT(by_warp); i++)
        f->dynamic_share += too_much * energy_share(k, by_warp[i].first, by_warp[i].last);
    f->hidden_by = "issue INT FP SFU LD/ST";
    f->at = worst(k, branch, WW_COUNT(branch));
    snprintf(f->evidence, sizeof f->evidence,
             "%.1f of 32 lanes active; %.0f %% of the branches split their warp", lanes,
             100 * c(k, "divergent_branches") / fmax(1, c(k, "branches")));
}

// The instruction that lost most slots to a reason.
static const struct view_inst *worst_of(const struct kernel *k, enum stall_reason r) {
    const struct view_inst *best = NULL;
    for (uint32_t i = 0; k->code && i < k->code->n; i++) {
        const struct view_inst *const v = &k->code->inst[i];
        if (v->stall[r] > (best ? best->stall[r] : 0)) best = v;
    }
    return best;
}

// Slots in which every candidate waits for a result, of memory or of another instruction.
static double waits_for_results(const struct kernel *k) {
    return lost_to(k, STALL_memory) + lost_to(k, STALL_alu) + lost_to(k, STALL_counter) +
           lost_to(k, STALL_stall_count);
}

// Residency is cut by registers or shared memory: the occupancy rule's case.
static bool is_cut(const struct kernel *k) {
    const char *const limit = json_string_value(json_object_get(k->launch, "occupancy_limit"));
    return limit && (strcmp(limit, "registers") == 0 || strcmp(limit, "shared memory") == 0);
}

// Warps in an SM that has any, on average.
static double warps_resident(const struct kernel *k) {
    return c(k, "warp_slots_cycles") / fmax(1, c(k, "sm_busy_cycles"));
}

// Few warps leave the front end's own latency in sight too, at each branch that is taken; misses of
// the instruction cache are another defect.
static bool misses_fetches(const struct kernel *k) {
    return c(k, "icache_misses") > 0.01 * c(k, "fetches");
}

static void latency(const struct kernel *k, struct finding *f) {
    const double warps = warps_resident(k), most = key(k, "sm.max_warps");
    const double front =
                     lost_to(k, STALL_control) + (misses_fetches(k) ? 0 : lost_to(k, STALL_fetch)),
                 waits = waits_for_results(k) + front;
    if (is_cut(k) || warps > 0.5 * most || waits < 0.3) return;
    f->lost = waits * (1 - warps / most);
    f->at = worst(k, NULL, 0);
    snprintf(f->evidence, sizeof f->evidence,
             "%.1f of %.0f warps are in an SM on average, and %.0f %% of the issue slots wait for "
             "results or for the front end",
             warps, most, 100 * waits);
}

static void fetch(const struct kernel *k, struct finding *f) {
    const double lost = lost_to(k, STALL_fetch);
    if (lost < 0.1 || !misses_fetches(k)) return;
    f->lost = lost;
    f->at = worst_of(k, STALL_fetch);
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f %% of the issue slots wait for instructions; %.1f %% of the fetches miss in the "
             "instruction cache of %.0f bytes",
             100 * lost, 100 * c(k, "icache_misses") / fmax(1, c(k, "fetches")),
             key(k, "sm.icache.bytes"));
}

static void barriers(const struct kernel *k, struct finding *f) {
    const double lost = lost_to(k, STALL_barrier);
    if (lost < 0.1) return;
    f->lost = lost;
    f->at = worst_of(k, STALL_barrier);
    snprintf(f->evidence, sizeof f->evidence,
             "in %.0f %% of the issue slots every warp that a scheduler has waits at a barrier, "
             "with %.1f blocks in an SM",
             100 * lost, c(k, "cta_slots_cycles") / fmax(1, c(k, "sm_busy_cycles")));
}

// A pipeline that takes no instruction while warps are ready for it. The cure moves work to other
// pipelines, so that their limits are what stays.
static void unit_busy(const struct kernel *k, struct finding *f) {
    static const char *const limits[UNIT_N] = {[UNIT_INT] = "INT",
                                               [UNIT_FP] = "FP",
                                               [UNIT_SFU] = "SFU",
                                               [UNIT_DP] = "DP FP",
                                               [UNIT_LDST] = "LD/ST shared L1",
                                               [UNIT_TEX] = "L1",
                                               [UNIT_TENSOR] = "FP"};
    static const char *const name[UNIT_N] = {
        [UNIT_INT] = "integer",          [UNIT_FP] = "single-precision",
        [UNIT_SFU] = "special-function", [UNIT_DP] = "double-precision",
        [UNIT_LDST] = "load/store",      [UNIT_TEX] = "texture",
        [UNIT_TENSOR] = "matrix"};
    const double lost = lost_to(k, STALL_unit_busy);
    double by_unit[UNIT_N] = {0}, all = 0;
    for (uint32_t i = 0; k->code && i < k->code->n; i++) {
        const struct view_inst *const v = &k->code->inst[i];
        by_unit[op_class_unit[v->klass]] += (double)v->stall[STALL_unit_busy];
        all += (double)v->stall[STALL_unit_busy];
    }
    uint32_t most = 0;
    for (uint32_t u = 1; u < UNIT_N; u++)
        if (by_unit[u] > by_unit[most]) most = u;
    if (lost < 0.1 || !limits[most]) return;
    f->lost = lost * by_unit[most] / fmax(1, all);
    f->hidden_by = limits[most];
    f->at = worst_of(k, STALL_unit_busy);
    snprintf(
        f->evidence, sizeof f->evidence,
        "in %.0f %% of the issue slots a ready warp finds its pipeline busy, mostly the %s one",
        100 * lost, name[most]);
}

static void occupancy(const struct kernel *k, struct finding *f) {
    const double warps = json_number_value(json_object_get(k->launch, "occupancy_warps")),
                 most = key(k, "sm.max_warps");
    const char *limit = json_string_value(json_object_get(k->launch, "occupancy_limit"));
    const double waits = waits_for_results(k);
    if (!is_cut(k) || warps <= 0 || warps > 0.67 * most || waits < 0.2) return;
    f->lost = waits * (1 - warps / most);
    f->at = worst(k, NULL, 0);
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f of %.0f warps an SM, limited by %s, and %.0f %% of the issue slots wait for "
             "results",
             warps, most, limit, 100 * waits);
}

static void tail(const struct kernel *k, struct finding *f) {
    const double idle = c(k, "sm_idle_cycles"), all = idle + c(k, "sm_busy_cycles");
    const double ctas = json_number_value(json_object_get(k->launch, "ctas"));
    if (all <= 0 || idle < 0.1 * all || ctas < 1) return;
    f->lost = idle / all;
    f->busy_stays = true;
    f->at = entry(k);
    snprintf(f->evidence, sizeof f->evidence,
             "SMs hold no block %.0f %% of the time: %.0f blocks for %.0f SMs of %.0f at a time",
             100 * idle / all, ctas, key(k, "sm_count"),
             json_number_value(json_object_get(k->launch, "occupancy_ctas")));
}

static void atomics(const struct kernel *k, struct finding *f) {
    const double n = c(k, "l2_atomics"), lanes = c(k, "l2_atomic_lanes");
    if (n < 32 || lanes < 2 * n) return;
    const double waits =
        lost_to(k, STALL_memory) + lost_to(k, STALL_lsu_full) + lost_to(k, STALL_fence);
    f->lost = waits * (1 - n / lanes);
    f->dynamic_share = (1 - n / lanes) * energy_share(k, "l2_atomic_lanes", "l2_atomic_lanes");
    f->hidden_by = "L2 network LD/ST";
    f->at = worst(k, atomic, WW_COUNT(atomic));
    snprintf(f->evidence, sizeof f->evidence,
             "%.1f lanes a request take their turn at the atomic units", lanes / n);
}

// Without its local accesses a kernel would not issue them, nor wait for what they store, nor for
// what they bring; of waits for memory those are its share of the transactions.
static void spills(const struct kernel *k, struct finding *f) {
    const double moved = c(k, "lmem_reads") + c(k, "lmem_writes"),
                 all = moved + c(k, "gmem_reads") + c(k, "gmem_writes");
    if (moved < 64 || moved < 0.1 * all) return;
    double own = 0, own_memory = 0, every = 0, every_memory = 0, energy = 0;
    for (uint32_t i = 0; k->code && i < k->code->n; i++) {
        const struct view_inst *const v = &k->code->inst[i];
        const double memory = (double)v->stall[STALL_memory] + (double)v->stall[STALL_lsu_full];
        every += slots_by(v);
        every_memory += memory;
        if (!is_one_of(v, local, WW_COUNT(local))) continue;
        own += slots_by(v);
        own_memory += memory;
        energy += v->dynamic_j;
    }
    const double waits = lost_to(k, STALL_memory) + lost_to(k, STALL_lsu_full);
    const double of_others = every_memory > 0 ? 1 - own_memory / every_memory : 1;
    // all slots of instructions are those that no empty or idle SM lost
    const double used = 1 - lost_to(k, STALL_no_warp) -
                        c(k, "sm_idle_cycles") * key(k, "sm.schedulers") / fmax(1, slots_of(k));
    f->lost = (every > 0 ? used * own / every : 0) + moved / all * of_others * waits;
    f->dynamic_share = k->code ? energy / fmax(k->code->dynamic_j, energy) : 0;
    f->hidden_by = "issue LD/ST L1 L2 network DRAM";
    f->at = worst(k, local, WW_COUNT(local));
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f %% of the transactions beyond shared memory are of local memory (spills and "
             "arrays of a thread's own), whose instructions take %.0f %% of the issue slots",
             100 * moved / all, every > 0 ? 100 * own / every : 0);
}

static void launch_bound(const struct kernel *k, struct finding *f) {
    const struct account *p = k->in->power;
    if (!p || k->launches < 16 || p->run.seconds <= 0) return;
    const double gaps = p->gaps.seconds / p->run.seconds, each = k->seconds / k->launches;
    const double latency = key(k, "launch_latency_cycles") / (key(k, "clocks.core_mhz") * 1e6);
    if (gaps < 0.2 || each > 10 * latency) return;
    f->lost = fmin(0.9, latency / (latency + each));
    f->at = entry(k);
    snprintf(f->evidence, sizeof f->evidence,
             "%.0f launches of %.1f us each, and the chip waits between kernels %.0f %% of the "
             "run",
             k->launches, 1e6 * each, 100 * gaps);
}

// Requests wait at DRAM, though its data bus has time: a row that is opened serves so few bursts
// that its bank is longer busy with opening rows than the bus is with their data. If rows stayed
// open, a request would wait for one to be opened at most.
static void dram_rows(const struct kernel *k, struct finding *f) {
    const double opened = c(k, "dram_activates"), requests = c(k, "mc_requests"),
                 bursts = c(k, "dram_reads") + c(k, "dram_writes");
    if (opened < 64 || requests < 256) return;
    const double wait = c(k, "mc_queue_cycles") / requests,
                 open = key(k, "mem.dram.rcd") + key(k, "mem.dram.rp");
    const double clocks = peak_dram_clocks(k->in->gpu, &k->a);
    // requests that wait at a channel, over the whole of the kernel
    if (c(k, "mc_queue_cycles") < 2 * clocks) return;
    if (c(k, "dram_bus_cycles") > 0.8 * clocks) return; // its data alone keep it busy
    const double burst_clocks = key(k, "mem.dram.burst_length") / key(k, "mem.dram.data_rate");
    if (wait < 4 * open || bursts / opened * burst_clocks > key(k, "mem.dram.rc")) return;
    const double row_bursts = key(k, "mem.dram.row_bytes") * 8.0 /
                              (key(k, "mem.dram.burst_length") * key(k, "mem.dram.bus_bits"));
    f->lost = (1 - open / wait) * (lost_to(k, STALL_memory) + lost_to(k, STALL_lsu_full));
    f->dynamic_share = fmax(0, 1 - bursts / row_bursts / opened) *
                       energy_share(k, "dram_activates", "dram_precharges");
    f->at = worst(k, global, WW_COUNT(global));
    snprintf(f->evidence, sizeof f->evidence,
             "an opened row serves %.0f of its %.0f bursts (%.0f %% row hits); requests wait %.0f "
             "clocks at DRAM, whose data bus is busy %.0f %% of the time",
             bursts / opened, row_bursts, 100 * c(k, "dram_row_hits") / fmax(1, bursts), wait,
             100 * c(k, "dram_bus_cycles") / fmax(1, clocks));
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
    {"latency", "Too few warps run to hide latencies",
     "more threads: larger blocks or more of them, or more independent work a thread", latency},
    {"barriers", "Warps wait for each other at barriers",
     "share the work evenly among the warps between two barriers, use fewer barriers, or smaller "
     "blocks of which others run meanwhile",
     barriers},
    {"fetch", "Warps wait for instructions",
     "let the code that runs over and over fit the instruction cache: unroll less, inline less",
     fetch},
    {"unit-busy", "Warps queue for one pipeline",
     "move work to pipelines that have room: fewer special functions, divisions and wide products, "
     "narrower types",
     unit_busy},
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
    const double clocks =
        energy_share(k, "cycles", f->busy_stays ? "cycles" : "sm_busy_cycles");
    const double dynamic = fmin(1, (1 - left) * clocks + f->dynamic_share);
    const double energy = k->static_j * (1 - left) + k->dynamic_j * dynamic;
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
        char number[16];
        snprintf(number, sizeof number, "%u", f->at->src_file);
        const json_t *const files = json_object_get(k->code->source, "files");
        json_t *const file = f->at->src_line ? json_object_get(files, number) : NULL;
        if (file) json_object_set(o, "file", file);
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
