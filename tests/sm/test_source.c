// An SM whose instructions come from elsewhere than exec: a source made by hand, with a few machine
// instructions of which it only says what they do. What the SM asks for, how often, and when the
// answers take effect, counted by hand.
#include "test_rig.h"

enum { WARPS = 2, REGISTERS = 4 };
enum step { STEP_COMPUTE, STEP_LOAD, STEP_BARRIER, STEP_EXIT };
static const enum step script[] = {STEP_COMPUTE, STEP_LOAD, STEP_BARRIER, STEP_EXIT};
enum { STEPS = WW_COUNT(script) };

// The source's own launch and log: an SM hands them back as they are.
struct exec_launch { uint64_t data; uint32_t steps, ctas, releases; };
struct exec_log { bool is_empty; };

struct block { // a CTA's memory
    struct exec_warp warp[WARPS];
    _Alignas(64) uint32_t regs[WARPS][REGISTERS * WARP_LANES];
};

static struct exec_launch *of(const struct exec_warp *w) { return w->cta->launch; }
static size_t cta_bytes(const struct exec_launch *l) {
    (void)l;
    return sizeof(struct block);
}
static void cta_init(struct exec_cta *c, struct exec_launch *l, void *memory, uint64_t linear,
                     uint32_t sm) {
    struct block *b = memory;
    memset(b, 0, sizeof *b);
    *c = (struct exec_cta){.launch = l, .linear_id = linear, .sm_id = sm, .warps = b->warp,
                           .n_warps = WARPS, .n_threads = WARPS * WARP_LANES};
    l->ctas++;
    for (uint32_t w = 0; w < WARPS; w++)
        b->warp[w] = (struct exec_warp){.regs = b->regs[w], .pred = {[PRED_TRUE] = UINT32_MAX},
                                        .active = UINT32_MAX, .live = UINT32_MAX,
                                        .exists = UINT32_MAX, .reconv = UINT32_MAX, .cta = c,
                                        .warp_in_cta = w};
}
// The load reads one line a warp; nothing is computed.
static enum exec_outcome step(struct exec_env *e, struct exec_warp *w) {
    of(w)->steps++;
    e->exec_mask = w->active;
    switch (script[w->pc++]) {
    case STEP_COMPUTE: return EXEC_NEXT;
    case STEP_LOAD:
        e->access = (struct exec_access){
            .space = SPACE_GLOBAL, .kind = ACCESS_LOAD, .bytes = 4, .mask = w->active, .n_dst = 1};
        for (uint32_t i = 0; i < WARP_LANES; i++)
            e->access.addr[i] = of(w)->data + 128 * w->warp_in_cta + 4 * i;
        return EXEC_MEMORY;
    case STEP_BARRIER:
        w->bar_id = 3;
        w->bar_kind = MBAR_SYNC;
        w->bar_mask = w->active;
        return EXEC_BARRIER;
    default: w->live = w->active = 0; return EXEC_EXITED;
    }
}
static void release(struct exec_warp *w, uint32_t value) {
    (void)value;
    of(w)->releases++;
}
static struct exec_log *log_create(void) {
    static struct exec_log log = {true};
    return &log;
}
static void log_destroy(struct exec_log *log) { log->is_empty = true; }
static bool log_is_empty(const struct exec_log *log) { return log->is_empty; }
static bool commit(struct devmem *m, struct exec_log *const *logs, uint32_t n,
                   struct exec_fault *f) {
    (void)m, (void)logs, (void)n, (void)f;
    return true;
}
static const struct exec_source by_hand = {.cta_bytes = cta_bytes, .cta_init = cta_init,
                                           .step = step, .barrier_release = release,
                                           .log_create = log_create, .log_destroy = log_destroy,
                                           .log_is_empty = log_is_empty, .commit = commit};

// add, load (needs the add's result), barrier (needs nothing), exit. The rig's machine: latency 10,
// one instruction a cycle, memory answers in 100.
static void test_source_made_by_hand(void **state) {
    (void)state;
    struct rig *g = rig_new();
    movi(g, 1, 0);
    load(g, SPACE_GLOBAL, 2, 1, 0);
    bar(g);
    exit_(g);
    assert_int_equal(g->n, STEPS);
    g->im.n_regs = REGISTERS;
    g->im.inst = g->inst;
    g->im.n_insts = g->n;
    struct exec_launch launch = {.data = 0x5000};
    struct sm_kernel *kernel = NULL;
    assert_int_equal(sm_kernel_create(&g->c, &g->im, &by_hand, &launch, 0x1000, &g->d, &kernel),
                     WW_OK);
    const struct sm_callbacks cb = {.cta_done = rig_done, .user = g};
    struct sm *sm = NULL;
    assert_int_equal(sm_create(&g->c, 0, g->port, &by_hand, NULL, &cb, &g->d, &sm), WW_OK);
    assert_int_equal(sm_bind(sm, 0, kernel, &g->d), WW_OK);
    launch.ctas = 0; // one was asked for, to know its size
    sm_take_cta(sm, 0, 7, 0);
    for (uint64_t t = 0; t < 1000; t += 50) sm_run(sm, t, t + 50);
    assert_null(sm_fault(sm));
    assert_true(sm_is_idle(sm));
    assert_int_equal(launch.ctas, 1);
    assert_int_equal(launch.steps, WARPS * STEPS);
    assert_int_equal(launch.releases, WARPS);
    // Each warp asked for its line, the second a cycle behind the first.
    assert_int_equal(g->port->n_sent, WARPS);
    for (uint32_t w = 0; w < WARPS; w++) {
        assert_int_equal(g->port->sent[w].addr, launch.data + 128 * w);
        assert_int_equal(g->port->sent[w].bytes, 128);
    }
    assert_int_equal(g->port->sent[1].cycle, g->port->sent[0].cycle + 1);
    // The CTA is done when the second load's reply is there: the barrier and the exit waited for none.
    assert_int_equal(g->done, 1);
    assert_int_equal(g->done_at, g->port->sent[1].cycle + g->port->latency);
    const struct activity *a = sm_activity(sm, g->done_at + 1);
    assert_int_equal(a->c[ACT_warp_instructions], WARPS * STEPS);
    assert_int_equal(a->c[ACT_thread_instructions], WARPS * STEPS * WARP_LANES);
    sm_unbind(sm, 0);
    sm_destroy(sm);
    sm_kernel_destroy(kernel);
    devmem_destroy(g->memory);
    diags_free(&g->d);
    free(g->inst);
    free(g->port);
    free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_source_made_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
