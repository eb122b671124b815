// What simulating costs: nanoseconds a warp instruction and a simulated cycle, for kernels that
// stress one thing each, on a GTX 480-like SM with 48 warps. Not a test. Build and run:
//   cc -O3 -g -std=c17 -D_GNU_SOURCE -Ibuild/rooms/sm -Iinclude tests/sm/bench_sm.c \
//      build/libww_sm.a build/libww_mem.a build/libww_activity.a build/libww_exec.a \
//      build/libww_code.a build/libww_ptx.a build/libww_base.a -lcmocka -lm -o bench_sm
//   bench_sm [name [SMs]]    several SMs run in turn, a quantum each, as in a whole GPU: what one
//                            touches then has left the host's caches when its turn comes again
#include <stdio.h>
#include <time.h>

#include "test_rig.h"

static struct rig *gtx480(void) {
    struct rig *g = rig_new();
    struct sm_config *c = &g->c;
    c->fetch_width = 1;
    c->fetch_instructions = c->ibuffer_entries = 2;
    c->icache = (struct cache_config){.bytes = 4096, .line_bytes = 128, .ways = 4, .mshrs = 4,
                                      .mshr_merge = 48, .hit_latency = 1, .ports = 1, .lru = true};
    c->schedulers = 2;
    c->scheduler = SCHED_GTO;
    c->lane_groups = 2;
    c->rf_banks = 16;
    c->collectors = 16;
    c->collector_ports = 1;
    c->result_bus = 2;
    c->read_latency = 1;
    c->registers = 49152; // the programs here use 32 a thread: 48 warps all the same
    c->active_warps = 32;
    c->dp_blocks_issue = true;
    for (int i = 0; i < OPC_N; i++)
        if (op_class_unit[i] == UNIT_INT || op_class_unit[i] == UNIT_FP) c->timing[i].latency = 9;
    c->timing[OPC_SFU_RCP] = (struct class_timing){.latency = 20, .interval = 4};
    c->l1d = (struct cache_config){.bytes = 16384, .line_bytes = 128, .ways = 4, .mshrs = 64,
                                   .mshr_merge = 8, .hit_latency = 40, .ports = 1,
                                   .write_evict = true, .hashed_sets = true, .lru = true};
    c->l1d_global = c->l1d_local = true;
    c->constant = (struct cache_config){.bytes = 8192,
                                        .line_bytes = 64,
                                        .ways = 2,
                                        .mshrs = 4,
                                        .mshr_merge = 48,
                                        .hit_latency = 10,
                                        .ports = 1,
                                        .lru = true};
    g->args.block[0] = 192;
    g->ctas = 8;
    g->im.shared_bytes = 4096;
    g->port->latency = 300;
    g->quantum = 100;
    return g;
}

static void loop_end(struct rig *g, int32_t start, uint32_t trips) {
    iaddi(g, 31, 31, 1);
    setp_lt(g, 0, 31, trips);
    struct minst *b = bra(g, start);
    b->guard = 0;
    b->reconv = (int32_t)g->n;
    exit_(g);
}

static void alu(struct rig *g) { // two chains of multiply-adds and adds
    for (uint32_t i = 0; i < 16; i++) {
        iadd(g, 1 + i % 2, 1 + i % 2, 5 + i % 8);
        struct minst *m = emit(g, OP_FFMA, OPC_FP_FMA, ITYPE_F32, R(3 + i % 2), R(3 + i % 2),
                               R(6 + i % 8), R(20 + i % 8));
        m->rnd = MRND_RN;
    }
    loop_end(g, 0, 400);
}
static void chain(struct rig *g) { // one chain: most cycles have nothing to issue
    for (uint32_t i = 0; i < 32; i++) iaddi(g, 1, 1, 1);
    loop_end(g, 0, 400);
}
static void mixed(struct rig *g) { // like a stencil: addresses, shared loads, arithmetic, a store
    s2r(g, 1, SREG_tid_x);
    struct minst *m = emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(1), IMM(2), NIL());
    (void)m;
    const int32_t start = (int32_t)g->n;
    for (uint32_t i = 0; i < 4; i++) {
        load(g, SPACE_SHARED, 4 + i, 2, 4 * i);
        emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(10), R(1), C(CB_LAUNCH, CB0_NTID_X), NIL());
        fadd(g, 12 + i, 4 + i, 12 + i);
        iadd(g, 11, 10, 11);
        fadd(g, 16 + i, 12 + i, 16 + i);
    }
    store(g, SPACE_SHARED, 2, 16, 0);
    bar(g);
    loop_end(g, start, 400);
}
static void stream(struct rig *g) { // load, add, store: memory bound
    address(g, 3);
    s2r(g, 1, SREG_tid_x);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(1), IMM(2), NIL());
    iadd(g, 2, 2, 3);
    const int32_t start = (int32_t)g->n;
    for (uint32_t i = 0; i < 4; i++) {
        load(g, SPACE_GLOBAL, 4 + i, 2, 4096 * i)->cop = MCOP_CG;
        iaddi(g, 4 + i, 4 + i, 1);
        store(g, SPACE_GLOBAL, 2, 4 + i, 4096 * i);
    }
    loop_end(g, start, 200);
}
static void l1(struct rig *g) { // loads that hit in L1
    address(g, 3);
    s2r(g, 1, SREG_tid_x);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(1), IMM(2), NIL());
    iadd(g, 2, 2, 3);
    const int32_t start = (int32_t)g->n;
    for (uint32_t i = 0; i < 8; i++) {
        load(g, SPACE_GLOBAL, 4 + i, 2, 4 * 192 * i);
        iadd(g, 12, 12, 4 + i);
    }
    loop_end(g, start, 300);
}
static void one_warp(struct rig *g) { // a pointer chase: nearly all cycles are idle
    g->args.block[0] = 32;
    g->ctas = 1;
    address(g, 3);
    for (uint32_t i = 0; i < 32; i++) {
        load(g, SPACE_GLOBAL, 4, 3, 0)->cop = MCOP_CG;
        iadd(g, 3, 3, 4);
    }
    loop_end(g, 1, 2000);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// exec alone: the same instructions, functionally.
static double exec_alone(struct rig *g, uint64_t *n) {
    struct exec_counts counts;
    struct exec_fault f;
    const double start = now_s();
    if (exec_run_functional(g->launch, g->memory, NULL, 0, NULL, &counts, &f, &g->d) != WW_OK) {
        diags_print(&g->d, stderr);
        exit(1);
    }
    *n = counts.warp_instructions;
    return now_s() - start;
}

// All SMs in turn; answers the cycle in which the last one was done.
static uint64_t run_all(struct rig **g, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        rig_make(g[i]);
        for (uint64_t cta = 0; cta < g[i]->ctas; cta++) sm_take_cta(g[i]->sm, 0, cta, 0);
    }
    uint64_t t = 0, last = 0;
    for (uint32_t running = n; running != 0; t += g[0]->quantum) {
        running = 0;
        for (uint32_t i = 0; i < n; i++) {
            struct exec_log *log = sm_log(g[i]->sm);
            struct exec_fault f;
            sm_run(g[i]->sm, t, t + g[i]->quantum);
            exec_commit(g[i]->memory, &log, 1, &f);
            running += !sm_is_idle(g[i]->sm);
            if (g[i]->done_at > last) last = g[i]->done_at;
        }
    }
    return last + 1;
}

int main(int argc, char **argv) {
    const uint32_t sms = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
    const struct { const char *name; void (*make)(struct rig *); } row[] = {
        {"alu", alu}, {"chain", chain}, {"mixed", mixed}, {"stream", stream}, {"l1", l1},
        {"one_warp", one_warp}};
    printf("%-9s %9s %9s %6s %8s %9s %9s %9s\n", "kernel", "warp inst", "SM cycles", "ipc",
           "ns/inst", "exec ns", "sm ns", "ns/cycle");
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        if (argc > 1 && strcmp(argv[1], row[i].name) != 0) continue;
        double best = 1e9;
        uint64_t n = 0, cycles = 0, n_exec;
        double alone = 0;
        for (int k = 0; k < 3; k++) {
            struct rig *g[64];
            for (uint32_t j = 0; j < sms; j++) row[i].make(g[j] = gtx480());
            const double start = now_s();
            cycles = run_all(g, sms);
            const double s = now_s() - start;
            best = s < best ? s : best;
            n = sms * act(g[0], ACT_warp_instructions);
            alone = exec_alone(g[0], &n_exec);
            for (uint32_t j = 0; j < sms; j++) rig_free(g[j]);
        }
        cycles *= sms;
        printf("%-9s %9llu %9llu %6.2f %8.1f %9.1f %9.1f %9.2f\n", row[i].name,
               (unsigned long long)n, (unsigned long long)cycles, (double)n / (double)cycles,
               1e9 * best / (double)n, 1e9 * alone / (double)n_exec,
               1e9 * (best / (double)n - alone / (double)n_exec), 1e9 * best / (double)cycles);
    }
    return 0;
}
