// A rig for one SM: programs made by hand, a network that answers each request after a fixed time,
// a small configuration whose every number is round. Tests change what they are about.
#ifndef WW_TEST_SM_RIG_H
#define WW_TEST_SM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "activity/mem.h"
#include "activity/sm.h"
#include "exec/devmem.h"
#include "exec/functional.h"
#include "exec/launch.h"
#include "isa/control.h"
#include "sm/config.h"
#include "sm/technique.h"
#include "sm/sm.h"

// ---- a network ----------------------------------------------------------------------------------
// Stands in for src/mem's: the linker takes these and leaves mem/port.c out. Every request is
// answered `latency` cycles after it was sent, in order; credits are a number of packets. The functions are weak, since
// each test file of a program brings them.
#pragma weak mem_port_flits
#pragma weak mem_port_can_send
#pragma weak mem_port_can_send_two
#pragma weak mem_port_send
#pragma weak mem_port_can_reach
#pragma weak mem_port_reach
#pragma weak mem_port_peek
#pragma weak mem_port_pop
#pragma weak mem_port_outstanding
#pragma weak mem_port_activity
enum { RIG_PORT_RING = 1 << 11 };
struct mem_port {
    struct activity activity;
    uint64_t latency, last_reply;
    uint32_t credits; // packets that may be outstanding
    struct mem_reply reply[RIG_PORT_RING];
    struct mem_request sent[RIG_PORT_RING];
    uint32_t head, tail, n_sent, outstanding;
};
uint32_t mem_port_flits(const struct mem_port *p, uint8_t kind, uint32_t bytes) {
    (void)p, (void)kind, (void)bytes;
    return 1;
}
bool mem_port_can_send(const struct mem_port *p, uint64_t addr, uint32_t flits) {
    (void)addr, (void)flits;
    return p->outstanding < p->credits;
}
bool mem_port_can_send_two(const struct mem_port *p, uint64_t addr, uint32_t flits) {
    (void)addr, (void)flits;
    return p->outstanding + 1 < p->credits;
}
uint64_t mem_port_send(struct mem_port *p, uint64_t now, struct mem_request r) {
    r.cycle = now;
    p->sent[p->n_sent++ % RIG_PORT_RING] = r;
    p->outstanding++;
    const uint64_t at = now + p->latency;
    p->reply[p->tail++ % RIG_PORT_RING] = (struct mem_reply){.cycle = at,
                                                             .addr = r.addr,
                                                             .bytes = r.bytes,
                                                             .tag = r.tag,
                                                             .kind = r.kind,
                                                             .client = r.client};
    return now;
}
// Other SMs' shared memory: answered like memory.
bool mem_port_can_reach(const struct mem_port *p) { return p->outstanding < p->credits; }
void mem_port_reach(struct mem_port *p, uint64_t now, const struct mem_remote *r) {
    mem_port_send(p, now, (struct mem_request){.bytes = r->there, .tag = r->tag});
}
const struct mem_reply *mem_port_peek(const struct mem_port *p) {
    return p->head == p->tail ? NULL : &p->reply[p->head % RIG_PORT_RING];
}
void mem_port_pop(struct mem_port *p) {
    p->head++;
    p->outstanding--;
}
uint32_t mem_port_outstanding(const struct mem_port *p) { return p->outstanding; }
struct activity *mem_port_activity(struct mem_port *p) { return &p->activity; } // counts nothing

// ---- programs -----------------------------------------------------------------------------------
enum { RIG_MAX_INSTS = 8192 };
struct rig {
    struct sm_config c;
    struct minst *inst;
    uint32_t n;
    struct code_image im;
    struct exec_launch_args args;
    struct devmem *memory;
    uint64_t buffer; // device memory for programs
    struct exec_launch *launch;
    struct sm_kernel *kernel;
    struct sm *sm;
    struct mem_port *port;
    struct diags d;
    uint64_t ctas, done, done_at, quantum;
    const struct sm_technique *technique[SM_MAX_TECHNIQUES];
    uint32_t n_techniques;
    bool every_cycle; // each is simulated
    bool counts_instructions;
    void (*change_control)(struct rig *g); // after they have been set; NULL: as they are
};

static inline struct opnd R(uint32_t r) {
    return (struct opnd){.kind = OPND_GPR, .words = 1, .reg = r};
}
static inline struct opnd RR(uint32_t r, uint8_t words) {
    return (struct opnd){.kind = OPND_GPR, .words = words, .reg = r};
}
static inline struct opnd P(uint32_t p) { return (struct opnd){.kind = OPND_PRED, .reg = p}; }
static inline struct opnd IMM(uint64_t v) {
    return (struct opnd){.kind = OPND_IMM, .words = 1, .imm = v};
}
static inline struct opnd C(uint8_t bank, uint32_t offset) {
    return (struct opnd){.kind = OPND_CONST, .words = 1, .bank = bank, .reg = offset};
}
static inline struct opnd NIL(void) { return (struct opnd){0}; }

static struct minst *emit(struct rig *g, enum mop op, enum op_class klass, enum isa_type type,
                          struct opnd d, struct opnd a, struct opnd b, struct opnd c) {
    assert_true(g->n < RIG_MAX_INSTS);
    struct minst *m = &g->inst[g->n++];
    *m = (struct minst){.op = (uint16_t)op,
                        .klass = (uint8_t)klass,
                        .type = (uint8_t)type,
                        .stype = (uint8_t)type,
                        .vec = 1,
                        .dst = {d},
                        .src = {a, b, c},
                        .guard = PRED_TRUE,
                        .target = -1,
                        .reconv = -1,
                        .ptx_line = g->n};
    return m;
}
static inline struct minst *iadd(struct rig *g, uint32_t d, uint32_t a, uint32_t b) {
    return emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(d), R(a), R(b), NIL());
}
static inline struct minst *iaddi(struct rig *g, uint32_t d, uint32_t a, uint32_t imm) {
    return emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(d), R(a), IMM(imm), NIL());
}
static inline struct minst *movi(struct rig *g, uint32_t d, uint32_t imm) {
    return emit(g, OP_MOV, OPC_MOV, ITYPE_U32, R(d), IMM(imm), NIL(), NIL());
}
static inline struct minst *s2r(struct rig *g, uint32_t d, enum isa_sreg r) {
    struct minst *m = emit(g, OP_S2R, OPC_MOV, ITYPE_U32, R(d), NIL(), NIL(), NIL());
    m->aux = (uint16_t)r;
    return m;
}
static inline struct minst *fadd(struct rig *g, uint32_t d, uint32_t a, uint32_t b) {
    struct minst *m = emit(g, OP_FADD, OPC_FP_ADD, ITYPE_F32, R(d), R(a), R(b), NIL());
    m->rnd = MRND_RN;
    return m;
}
static inline struct minst *mufu(struct rig *g, uint32_t d, uint32_t a) {
    struct minst *m = emit(g, OP_MUFU, OPC_SFU_RCP, ITYPE_F32, R(d), R(a), NIL(), NIL());
    m->sub = MUFU_RCP;
    return m;
}
static inline struct minst *dadd(struct rig *g, uint32_t d, uint32_t a, uint32_t b) {
    struct minst *m =
        emit(g, OP_DADD, OPC_DP_ADD, ITYPE_F64, RR(d, 2), RR(a, 2), RR(b, 2), NIL());
    m->rnd = MRND_RN;
    return m;
}
static inline struct minst *load(struct rig *g, enum isa_space space, uint32_t d, uint32_t addr,
                                 int64_t offset) {
    struct minst *m = emit(g, OP_LD, space == SPACE_SHARED ? OPC_LD_SHARED : OPC_LD_GLOBAL,
                           ITYPE_U32, R(d), R(addr), NIL(), NIL());
    m->space = (uint8_t)space;
    m->offset = offset;
    return m;
}
static inline struct minst *store(struct rig *g, enum isa_space space, uint32_t addr, uint32_t v,
                                  int64_t offset) {
    struct minst *m = emit(g, OP_ST, space == SPACE_SHARED ? OPC_ST_SHARED : OPC_ST_GLOBAL,
                           ITYPE_U32, NIL(), R(addr), R(v), NIL());
    m->space = (uint8_t)space;
    m->offset = offset;
    return m;
}
static inline struct minst *bar(struct rig *g) {
    return emit(g, OP_BAR, OPC_CTRL, ITYPE_U32, NIL(), IMM(0), NIL(), NIL());
}
static inline struct minst *bra(struct rig *g, int32_t target) {
    struct minst *m = emit(g, OP_BRA, OPC_CTRL, ITYPE_U32, NIL(), NIL(), NIL(), NIL());
    m->target = target;
    return m;
}
static inline struct minst *setp_lt(struct rig *g, uint32_t p, uint32_t a, uint32_t imm) {
    struct minst *m = emit(g, OP_ISETP, OPC_INT_CMP, ITYPE_U32, P(p), R(a), IMM(imm), NIL());
    m->cmp = MCMP_LT;
    m->dst[1] = P(PRED_NONE);
    return m;
}
static inline struct minst *exit_(struct rig *g) {
    return emit(g, OP_EXIT, OPC_CTRL, ITYPE_U32, NIL(), NIL(), NIL(), NIL());
}
static inline struct minst *address(struct rig *g, uint32_t d) { // d = the buffer's address
    return movi(g, d, (uint32_t)g->buffer);
}

// ---- running ------------------------------------------------------------------------------------
static void rig_done(void *user, uint32_t sm, uint32_t slot, uint64_t cta, uint64_t cycle) {
    (void)sm, (void)slot, (void)cta;
    struct rig *g = user;
    g->done++;
    g->done_at = cycle;
}

// One scheduler, everything in one cycle, no caches: a fetch of 64 instructions that come at once,
// so that the front end never matters; registers in 32 banks with 4 ports, 64 collectors, a result
// bus of 32: nothing is in the way.
static struct rig *rig_new(void) {
    struct rig *g = calloc(1, sizeof *g);
    g->inst = calloc(RIG_MAX_INSTS, sizeof *g->inst);
    g->port = calloc(1, sizeof *g->port);
    g->port->latency = 100;
    g->port->credits = 1000;
    g->quantum = 100;
    diags_init(&g->d);
    g->memory = devmem_create(1 << 26);
    g->buffer = devmem_alloc(g->memory, 1 << 20, 256, "buffer");
    assert_true(g->buffer != 0 && g->buffer < UINT32_MAX);
    struct sm_config *c = &g->c;
    *c = (struct sm_config){
        .gen = GEN_FERMI, .max_warps = 48, .max_ctas = 8, .max_threads = 1536, .registers = 32768,
        .shared_bytes = 49152, .reg_alloc_unit = 64, .warp_alloc_unit = 1, .shared_alloc_unit = 128,
        .fetch_width = 8, .fetch_instructions = 64, .ibuffer_entries = 128, .instruction_bytes = 8,
        .decode_latency = 1, .schedulers = 1, .scheduler = SCHED_LRR, .issue_width = 1,
        .scheduler_interval = 1, .active_warps = 8, .max_issues_per_warp = 1, .branch_latency = 4,
        .rf_banks = 32, .collectors = 64, .collector_ports = 4, .result_bus = 32, .lane_groups = 1,
        .sfus = 1, .dp_units = 1, .lsu_queue = 8, .agu_lanes = 32, .coalesce = COALESCE_LINE128,
        .coalesce_uncached = COALESCE_SECTOR32, .shared_banks = 32, .shared_bank_bytes = 4,
        .shared_lanes_a_pass = 32, .shared_latency = 20, .shared_pass_cycles = 2,
        .shared_atomic_cycles = 10, .core_clock_mhz = 1000};
    for (int i = 0; i < OPC_N; i++)
        c->timing[i] = (struct class_timing){.latency = 10, .interval = 1};
    for (int i = 0; i < OPC_N; i++)
        if (op_class_unit[i] == UNIT_LDST && i != OPC_SHFL) c->timing[i].latency = 0;
    c->timing[OPC_CTRL].latency = 1;
    g->im.n_regs = 32;
    g->im.name = "test";
    g->args.grid[0] = g->args.grid[1] = g->args.grid[2] = 1;
    g->args.block[0] = 32;
    g->args.block[1] = g->args.block[2] = 1;
    g->args.clock_hz = 1e9;
    g->ctas = 1;
    return g;
}

// Control bits, as the compiler sets them that knows this machine; they are right.
static inline void rig_early(void *user, uint32_t pc, const char *what) {
    (void)user;
    fail_msg("instruction %u: %s", pc, what);
}
static inline void rig_set_control(struct rig *g) {
    struct arena scratch;
    arena_init(&scratch, NULL);
    arena_init(&g->im.arena, NULL);
    sm_code_latencies(&g->c, &g->im.target.latencies);
    control_set(&g->im, &scratch);
    control_verify(&g->im, &scratch, rig_early, NULL);
    if (g->change_control != NULL) g->change_control(g);
    arena_free(&scratch);
}

static inline void rig_make(struct rig *g) {
    g->im.inst = g->inst;
    g->im.n_insts = g->n;
    g->args.grid[0] = (uint32_t)g->ctas;
    if (g->c.dependences == SM_CONTROL) rig_set_control(g);
    if (exec_launch_create(&g->im, g->memory, &g->args, &g->d, &g->launch) != WW_OK ||
        sm_kernel_create(&g->c, &g->im, &exec_computes, g->launch, 0x08000000, &g->d, &g->kernel) != WW_OK) {
        diags_print(&g->d, stderr);
        fail();
    }
    const struct sm_callbacks cb = {.cta_done = rig_done, .user = g};
    if (sm_create(&g->c, 0, g->port, &exec_computes, g->memory, &cb, &g->d, &g->sm) != WW_OK) {
        diags_print(&g->d, stderr);
        fail();
    }
    assert_int_equal(sm_set_techniques(g->sm, g->technique, g->n_techniques, &g->d), WW_OK);
    if (g->every_cycle) sm_simulate_every_cycle(g->sm);
    if (g->counts_instructions) sm_count_instructions(g->sm);
    assert_int_equal(sm_bind(g->sm, 0, g->kernel, &g->d), WW_OK);
}

// Gives the SM all CTAs that it takes, runs to the end; answers the cycle after the last one.
static inline uint64_t rig_run(struct rig *g) {
    rig_make(g);
    uint64_t next = 0, t = 0;
    struct exec_log *log = sm_log(g->sm);
    while (g->done < g->ctas || !sm_is_idle(g->sm)) { // stores may outlive their CTA
        while (next < g->ctas && sm_can_take(g->sm, 0)) sm_take_cta(g->sm, 0, next++, t);
        sm_run(g->sm, t, t + g->quantum);
        struct exec_fault f;
        assert_true(exec_commit(g->memory, &log, 1, &f));
        if (sm_fault(g->sm) != NULL) fail_msg("%s", sm_fault(g->sm)->text);
        t += g->quantum;
        if (t > sm_last_progress(g->sm) + 100000 + g->quantum) {
            sm_describe_waits(g->sm, stderr);
            fail_msg("no progress");
        }
    }
    return g->done_at + 1;
}

static inline uint64_t act(struct rig *g, uint32_t a) {
    return sm_activity(g->sm, g->done_at + 1)->c[a];
}
// Cycles between the first issues of two instructions is what most tests are about: the time of a
// program is that of its last EXIT, which issues when everything before it has.
static inline void rig_free(struct rig *g) {
    // Each scheduler cycle of a busy SM has exactly one owner.
    uint64_t slots = 0;
    const struct activity *a = sm_activity(g->sm, g->done_at + 1);
    for (int i = 0; i < STALL_N; i++)
        if (i != STALL_dual) slots += a->c[ACT_issue_slots + i];
    assert_int_equal(slots, a->c[ACT_sm_busy_cycles] * g->c.schedulers);
    sm_unbind(g->sm, 0);
    sm_destroy(g->sm);
    sm_kernel_destroy(g->kernel);
    exec_launch_destroy(g->launch);
    devmem_destroy(g->memory);
    diags_free(&g->d);
    arena_free(&g->im.arena);
    free(g->inst);
    free(g->port);
    free(g);
}

// tid * scale in r2, from cycle 1; usable in cycle 21.
static void lane_offsets(struct rig *g, uint32_t shift) {
    s2r(g, 1, SREG_tid_x);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(1), IMM(shift), NIL());
}
// ... plus the buffer's address in r4; usable in cycle 31.
static inline void lane_addresses(struct rig *g, uint32_t shift) {
    lane_offsets(g, shift);
    emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(4), R(2), IMM(g->buffer), NIL());
}

#endif
