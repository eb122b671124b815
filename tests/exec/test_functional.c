// Whole kernels on one thread: more blocks than a wave holds, blocks that wait for one another,
// limits, stopping, counts, deadlocks; levels by name.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/native.h"
#include "test_asm.h"

static enum ww_status run(struct prog *p, uint64_t limit, const volatile int *stop,
                          struct exec_counts *c, struct exec_fault *f) {
    prog_stop(p);
    p->args.params = p->params;
    assert_int_equal(exec_launch_create(&p->im, p->mem, &p->args, &p->diags, &p->launch), WW_OK);
    return exec_run_functional(p->launch, p->mem, NULL, limit, stop, c, f, &p->diags);
}
static struct minst *memory_op(struct prog *p, enum mop op, uint8_t sub, struct opnd d,
                               struct opnd a, struct opnd b) {
    struct minst *m = emit(p, op, ITYPE_U32, d, a, b, NONE_);
    m->space = SPACE_GLOBAL;
    m->sub = sub;
    m->vec = 1;
    return m;
}

// Every block adds its number once.
static void many_blocks(void **state) {
    (void)state;
    struct prog *p = prog_new();
    const uint64_t sum = devmem_alloc(p->mem, 4096, 256, "sum");
    p->params[0] = sum;
    p->args.grid[0] = 37;
    p->args.grid[1] = 41;
    p->args.block[0] = 40;
    emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_ctaid_x;
    emit(p, OP_S2R, ITYPE_U32, R(1), NONE_, NONE_, NONE_)->aux = SREG_ctaid_y;
    emit(p, OP_IMAD, ITYPE_U32, R(0), R(1), C0(CB0_NCTAID_X, 1), R(0));
    emit(p, OP_MOV, ITYPE_B64, RD(2), C0(CB0_PARAMS, 2), NONE_, NONE_);
    memory_op(p, OP_ATOM, MATOM_ADD, NONE_, RD(2), R(0));
    emit_exit(p);
    struct exec_counts c;
    struct exec_fault f;
    assert_int_equal(run(p, 0, NULL, &c, &f), WW_OK);
    uint32_t got;
    memcpy(&got, devmem_host(p->mem, sum, 4), 4);
    const uint32_t n = 37 * 41;
    assert_int_equal(got, 40 * (n * (n - 1) / 2));
    assert_int_equal(c.warp_instructions, n * 2 * 6);
    assert_int_equal(c.thread_instructions, n * 40 * 6);
    prog_free(p);
}
// Block k waits until block k + 1 has raised its flag; the last raises its own at once.
static void blocks_wait_for_each_other(void **state) {
    (void)state;
    struct prog *p = prog_new();
    const uint64_t flags = devmem_alloc(p->mem, 4096, 256, "flags");
    p->params[0] = flags;
    p->args.grid[0] = 64;
    emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_ctaid_x;
    emit(p, OP_MOV, ITYPE_B64, RD(2), C0(CB0_PARAMS, 2), NONE_, NONE_);
    struct minst *m = emit(p, OP_IMAD, ITYPE_U32, RD(4), R(0), I(4), RD(2));
    m->flags = MF_WIDE;
    m = emit(p, OP_ISETP, ITYPE_U32, P(0), R(0), I(63), NONE_);
    m->cmp = MCMP_EQ;
    struct minst *last = emit(p, OP_BRA, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    last->guard = 0;
    const int32_t spin = (int32_t)p->im.n_insts;
    memory_op(p, OP_LD, 0, R(6), RD(4), NONE_)->offset = 4;
    m = emit(p, OP_ISETP, ITYPE_U32, P(1), R(6), I(0), NONE_);
    m->cmp = MCMP_EQ;
    m = emit(p, OP_BRA, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    m->guard = 1;
    m->target = spin;
    m->reconv = last->target = last->reconv = (int32_t)p->im.n_insts;
    emit(p, OP_IADD, ITYPE_U32, R(7), R(6), I(1), NONE_);
    memory_op(p, OP_ST, 0, NONE_, RD(4), R(7));
    emit_exit(p);
    struct exec_counts c;
    struct exec_fault f;
    assert_int_equal(run(p, 0, NULL, &c, &f), WW_OK);
    const uint32_t *got = (const uint32_t *)(const void *)devmem_host(p->mem, flags, 256);
    for (uint32_t k = 0; k < 64; k++) assert_int_equal(got[k], 64 - k);
    prog_free(p);
}
static void endless(void **state) {
    (void)state;
    struct prog *p = prog_new();
    // The clock may tell a loop to end: this one is not proven to spin.
    emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_clock;
    emit(p, OP_BRA, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_)->target = 0;
    struct exec_counts c;
    struct exec_fault f;
    assert_int_equal(run(p, 100000, NULL, &c, &f), WW_ERROR_LIMIT);
    assert_int_equal(c.warp_instructions, 100000);
    const volatile int stop = 1;
    struct diags d;
    diags_init(&d);
    assert_int_equal(exec_run_functional(p->launch, p->mem, NULL, 0, &stop, &c, &f, &d),
                     WW_ERROR_INTERRUPTED);
    diags_free(&d);
    prog_free(p);
}
// A loop that nothing can end, and one that counts.
static void spins(void **state) {
    (void)state;
    struct exec_counts c;
    struct exec_fault f;
    struct prog *p = prog_new();
    emit(p, OP_BRA, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_)->target = 0;
    assert_int_equal(run(p, 0, NULL, &c, &f), WW_ERROR_DEADLOCK);
    char text[512];
    diags_first(&p->diags, text, sizeof text);
    assert_non_null(
        strstr(text, "block (0,0,0) warp 0: lanes 0xffffffff spin at PTX line 1 (BRA)"));
    prog_free(p);
    p = prog_new();
    emit(p, OP_IADD, ITYPE_U32, R(0), R(0), I(1), NONE_);
    emit(p, OP_ISETP, ITYPE_U32, P(0), R(0), I(3000000), NONE_)->cmp = MCMP_LT;
    struct minst *const m = emit(p, OP_BRA, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    m->target = 0;
    m->guard = 0;
    emit_exit(p);
    assert_int_equal(run(p, 0, NULL, &c, &f), WW_OK);
    assert_int_equal(c.warp_instructions, 9000001);
    prog_free(p);
}
static void deadlock(void **state) {
    (void)state;
    struct prog *p = prog_new();
    p->args.block[0] = 64;
    emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_tid_x;
    struct minst *m = emit(p, OP_ISETP, ITYPE_U32, P(0), R(0), I(32), NONE_);
    m->cmp = MCMP_LT;
    m = emit(p, OP_BAR, ITYPE_NONE, NONE_, I(2), I(64), NONE_);
    m->guard = 0;
    emit_exit(p);
    struct exec_counts c;
    struct exec_fault f;
    assert_int_equal(run(p, 0, NULL, &c, &f), WW_ERROR_DEADLOCK);
    char text[512];
    diags_first(&p->diags, text, sizeof text);
    assert_non_null(strstr(
        text,
        "block (0,0,0) warp 0 waits at barrier 2 (PTX line 3), where 32 of 64 threads have come"));
    prog_free(p);
}
static void faults_are_told(void **state) {
    (void)state;
    struct prog *p = prog_new();
    emit(p, OP_TRAP, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    struct exec_counts c;
    struct exec_fault f = {0};
    assert_int_equal(run(p, 0, NULL, &c, &f), WW_ERROR_TRAP);
    assert_int_equal(f.kind, FAULT_TRAP);
    char text[512];
    diags_first(&p->diags, text, sizeof text);
    assert_string_equal(text, f.text);
    prog_free(p);
}
static void in_turn(void *user, uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg) {
    (void)user;
    for (uint32_t i = 0; i < n; i++) fn(arg, i);
}
// Launches that share what groups work with: each reads what the host has put in the place of what
// the one before stored, also after one that traps.
static void a_launch_leaves_nothing_behind(void **state) {
    (void)state;
    enum { BLOCKS = 300, WORDS = 4 * BLOCKS };
    struct prog *p = prog_new();
    struct exec_groups *groups = NULL;
    const struct exec_crew crew = {.each = in_turn, .groups = &groups};
    const uint64_t at[2] = {devmem_alloc(p->mem, WORDS, 256, "even"),
                            devmem_alloc(p->mem, WORDS, 256, "odd")};
    const struct {
        uint32_t blocks, threads;
        bool traps; // behind its store
    } launch[] = {{64, 32, true},      {BLOCKS, 64, false}, {1, 32, false},
                  {BLOCKS, 32, false}, {64, 32, true},      {BLOCKS, 64, false}};
    for (uint32_t k = 0; k < WW_COUNT(launch); k++) {
        uint32_t *from = (uint32_t *)(void *)devmem_host(p->mem, at[k % 2], WORDS);
        uint32_t *to = (uint32_t *)(void *)devmem_host(p->mem, at[1 - k % 2], WORDS);
        for (uint32_t i = 0; i < BLOCKS; i++) from[i] = 10 * k;
        prog_clear(p);
        p->params[0] = at[k % 2];
        p->params[1] = at[1 - k % 2];
        p->args.grid[0] = launch[k].blocks;
        p->args.block[0] = launch[k].threads;
        p->args.params = p->params;
        emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_ctaid_x;
        for (uint32_t i = 0; i < 2; i++) {
            emit(p, OP_MOV, ITYPE_B64, RD(2 + 2 * i), C0(CB0_PARAMS + 8 * i, 2), NONE_, NONE_);
            emit(p, OP_IMAD, ITYPE_U32, RD(2 + 2 * i), R(0), I(4), RD(2 + 2 * i))->flags = MF_WIDE;
        }
        memory_op(p, OP_LD, 0, R(6), RD(2), NONE_);
        emit(p, OP_IADD, ITYPE_U32, R(6), R(6), I(1), NONE_);
        memory_op(p, OP_ST, 0, NONE_, RD(4), R(6));
        if (launch[k].traps) emit(p, OP_TRAP, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
        emit_exit(p);
        assert_int_equal(exec_launch_create(&p->im, p->mem, &p->args, &p->diags, &p->launch),
                         WW_OK);
        struct exec_counts c;
        struct exec_fault f;
        struct diags d;
        diags_init(&d);
        assert_int_equal(exec_run_functional(p->launch, p->mem, &crew, 0, NULL, &c, &f, &d),
                         launch[k].traps ? WW_ERROR_TRAP : WW_OK);
        diags_free(&d);
        for (uint32_t i = 0; i < BLOCKS; i++) assert_int_equal(from[i], 10 * k);
        for (uint32_t i = 0; i < launch[k].blocks && !launch[k].traps; i++)
            assert_int_equal(to[i], 10 * k + 1);
    }
    assert_non_null(groups);
    exec_groups_destroy(groups);
    prog_free(p);
}
// Two warps that race: odd threads run a line longer than a turn, whose last instruction stands in front
// of where they meet the others, then all store. What the block leaves, and counts, tell every turn.
enum { RACE_WORDS = 64 };
static uint64_t race_of(struct prog *p, bool stores_last) {
    const uint64_t at = devmem_alloc(p->mem, RACE_WORDS * 4, 256, "race");
    p->params[0] = at;
    p->args.block[0] = 64;
    emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_tid_x;
    emit(p, OP_MOV, ITYPE_B64, RD(2), C0(CB0_PARAMS, 2), NONE_, NONE_);
    emit(p, OP_LOP, ITYPE_B32, R(1), R(0), I(1), NONE_)->sub = MLOGIC_AND;
    emit(p, OP_MOV, ITYPE_U32, R(4), I(0), NONE_, NONE_);
    const int32_t again = (int32_t)p->im.n_insts;
    emit(p, OP_ISETP, ITYPE_U32, P(0), R(1), I(0), NONE_)->cmp = MCMP_EQ;
    const uint32_t branch = p->im.n_insts;
    emit(p, OP_BRA, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_)->guard = 0;
    for (uint32_t k = 0; k < 66; k++) {
        memory_op(p, OP_LD, 0, R(5), RD(2), NONE_)->offset = 4 * (k % 8);
        emit(p, OP_IADD, ITYPE_U32, R(4), R(4), R(5), NONE_);
    }
    if (stores_last)
        memory_op(p, OP_ST, 0, NONE_, RD(2), R(0));
    else
        emit(p, OP_IADD, ITYPE_U32, R(4), R(4), R(0), NONE_);
    p->inst[branch].target = p->inst[branch].reconv = (int32_t)p->im.n_insts;
    emit(p, OP_IADD, ITYPE_U32, R(4), R(4), I(1), NONE_);
    memory_op(p, OP_ST, 0, NONE_, RD(2), R(4))->offset = 4;
    emit(p, OP_IADD, ITYPE_U32, R(6), R(6), I(1), NONE_);
    emit(p, OP_ISETP, ITYPE_U32, P(1), R(6), I(5), NONE_)->cmp = MCMP_LT;
    struct minst *const m = emit(p, OP_BRA, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    m->guard = 1;
    m->target = again;
    m->reconv = (int32_t)p->im.n_insts;
    memory_op(p, OP_ST, 0, NONE_, RD(2), R(4))->offset = 8;
    emit_exit(p);
    return at;
}
// Limits, each seventh, cut runs anywhere, also in front of where lanes meet: handlers alone and the host's own code, of
// each line or of those that are run often, come to the same place and leave the same.
static void limits_and_races_are_the_same_natively(void **state) {
    (void)state;
    static const uint32_t heats[] = {NATIVE_NEVER, 0, 2};
    for (uint32_t last = 0; last < 2; last++) {
        struct prog *const p = prog_new();
        const uint64_t at = race_of(p, last);
        uint64_t whole = 0;
        for (uint64_t limit = 0; !limit || limit <= whole; limit += 7) {
            uint8_t want[RACE_WORDS * 4];
            struct exec_counts first;
            for (uint32_t k = 0; k < WW_COUNT(heats); k++) {
                uint8_t *const memory = devmem_host(p->mem, at, sizeof want);
                memset(memory, 0, sizeof want);
                native_force(heats[k]);
                struct exec_counts c;
                struct exec_fault f;
                assert_int_equal(run(p, limit, NULL, &c, &f),
                                 limit && limit < whole ? WW_ERROR_LIMIT : WW_OK);
                diags_free(&p->diags);
                diags_init(&p->diags);
                if (limit && limit < whole) assert_int_equal(c.warp_instructions, limit);
                if (!k) {
                    memcpy(want, memory, sizeof want);
                    first = c;
                    continue;
                }
                assert_memory_equal(memory, want, sizeof want);
                assert_int_equal(c.warp_instructions, first.warp_instructions);
                assert_int_equal(c.thread_instructions, first.thread_instructions);
            }
            if (!limit) whole = first.warp_instructions;
        }
        native_force(NATIVE_HOT);
        prog_free(p);
    }
}
// Branches of machine code, which lanes take by a guard, by a predicate beside it, or all along with
// one: a loop that its last lanes leave later, with handlers alone and as the host's own code.
static void branches_are_the_same_natively(void **state) {
    (void)state;
    static const uint32_t heats[] = {NATIVE_NEVER, 0, 2};
    enum { BY_GUARD, BY_PREDICATE, BY_ANY, HOWS };
    for (uint32_t how = 0; how < HOWS; how++)
        for (uint32_t alike = 0; alike < 2; alike++) {
            struct prog *const p = prog_new();
            p->im.is_machine_code = true;
            p->im.target.gen = GEN_VOLTA;
            const uint64_t at = devmem_alloc(p->mem, 4096, 256, "out");
            emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_laneid;
            emit(p, OP_MOV, ITYPE_U32, R(2), I((uint32_t)at), NONE_, NONE_);
            emit(p, OP_MOV, ITYPE_U32, R(3), I((uint32_t)(at >> 32)), NONE_, NONE_);
            emit(p, OP_MOV, ITYPE_U32, R(4), I(0), NONE_, NONE_);
            emit(p, OP_LOP, ITYPE_B32, R(5), R(0), I(alike ? 0 : 3), NONE_)->sub = MLOGIC_AND;
            emit(p, OP_IADD, ITYPE_U32, R(5), R(5), I(7), NONE_); // turns
            const int32_t again = (int32_t)p->im.n_insts;
            emit(p, OP_IADD, ITYPE_U32, R(4), R(4), I(1), NONE_);
            emit(p, OP_ISETP, ITYPE_U32, P(0), R(4), R(5), NONE_)->cmp = MCMP_LT;
            struct minst *const m = emit(p, OP_BRA, ITYPE_NONE, NONE_,
                                         how == BY_PREDICATE ? P(0) : NONE_, NONE_, NONE_);
            if (how != BY_PREDICATE) m->guard = 0;
            if (how == BY_ANY) m->sub = MBRA_ANY;
            m->target = again;
            emit(p, OP_IMAD, ITYPE_U32, R(2), R(0), I(4), R(2));
            memory_op(p, OP_ST, 0, NONE_, RD(2), R(4));
            emit_exit(p);
            uint32_t want[32];
            struct exec_counts first;
            for (uint32_t k = 0; k < WW_COUNT(heats); k++) {
                uint8_t *const memory = devmem_host(p->mem, at, sizeof want);
                memset(memory, 0, sizeof want);
                native_force(heats[k]);
                struct exec_counts c;
                struct exec_fault f;
                assert_int_equal(run(p, 100000, NULL, &c, &f), WW_OK);
                if (!k) {
                    memcpy(want, memory, sizeof want);
                    first = c;
                    for (uint32_t i = 0; i < 32; i++)
                        assert_int_equal(want[i], how == BY_ANY ? (alike ? 7 : 10)
                                                                : 7 + (alike ? 0 : i % 4));
                    continue;
                }
                assert_memory_equal(memory, want, sizeof want);
                assert_int_equal(c.warp_instructions, first.warp_instructions);
                assert_int_equal(c.thread_instructions, first.thread_instructions);
            }
            native_force(NATIVE_HOT);
            prog_free(p);
        }
}
// Blocks that read eight lines each, four bytes a lane, and write one: who listens hears of each line once, in the same order
// with handlers alone and as the host's own code.
enum { HEARD_BLOCKS = 40, HEARD_LOADS = 8, HEARD_LINES = HEARD_BLOCKS * (HEARD_LOADS + 1) };
struct heard {
    uint64_t touch[HEARD_LINES];
    uint32_t n;
};
static void hear(void *user, const uint64_t *touch, uint32_t n) {
    struct heard *const h = user;
    for (uint32_t i = 0; i < n && h->n + i < HEARD_LINES; i++) h->touch[h->n + i] = touch[i];
    h->n += n;
}
static void touches_are_the_same_natively(void **state) {
    (void)state;
    static const uint32_t heats[] = {NATIVE_NEVER, 0, 2};
    struct prog *const p = prog_new();
    const uint32_t bytes = HEARD_BLOCKS * HEARD_LOADS * 128;
    const uint64_t at = devmem_alloc(p->mem, bytes, 256, "x");
    p->args.grid[0] = HEARD_BLOCKS;
    emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_laneid;
    emit(p, OP_S2R, ITYPE_U32, R(1), NONE_, NONE_, NONE_)->aux = SREG_ctaid_x;
    emit(p, OP_IMAD, ITYPE_U32, R(0), R(1), I(32 * HEARD_LOADS), R(0));
    emit(p, OP_MOV, ITYPE_U32, R(2), I((uint32_t)at), NONE_, NONE_);
    emit(p, OP_MOV, ITYPE_U32, R(3), I((uint32_t)(at >> 32)), NONE_, NONE_);
    emit(p, OP_IMAD, ITYPE_U32, RD(2), R(0), I(4), RD(2))->flags = MF_WIDE;
    emit(p, OP_MOV, ITYPE_U32, R(5), I(0), NONE_, NONE_);
    for (uint32_t i = 0; i < HEARD_LOADS; i++) {
        memory_op(p, OP_LD, 0, R(4), RD(2), NONE_)->offset = 128 * i;
        emit(p, OP_IADD, ITYPE_U32, R(5), R(5), R(4), NONE_);
    }
    memory_op(p, OP_ST, 0, NONE_, RD(2), R(5));
    emit_exit(p);
    prog_stop(p);
    p->args.params = p->params;
    assert_int_equal(exec_launch_create(&p->im, p->mem, &p->args, &p->diags, &p->launch), WW_OK);
    static struct heard first, other;
    first.n = 0;
    for (uint32_t k = 0; k < WW_COUNT(heats); k++) {
        struct heard *const h = k ? &other : &first;
        const struct exec_crew crew = {.each = in_turn, .user = h, .touched = hear};
        struct exec_counts c;
        struct exec_fault f;
        h->n = 0;
        native_force(heats[k]);
        assert_int_equal(exec_run_functional(p->launch, p->mem, &crew, 0, NULL, &c, &f, &p->diags),
                         WW_OK);
        assert_int_equal(h->n, HEARD_LINES);
        assert_memory_equal(h->touch, first.touch, sizeof first.touch);
    }
    native_force(NATIVE_HOT);
    uint32_t writes = 0;
    uint64_t last = 0, seen[HEARD_BLOCKS * HEARD_LOADS] = {0};
    for (uint32_t i = 0; i < HEARD_LINES; i++) {
        const uint64_t line = (exec_touch_addr(first.touch[i]) - at) / 128;
        assert_true(line < WW_COUNT(seen));
        assert_int_equal(exec_touch_words(first.touch[i]), ~0u);
        writes += exec_touch_writes(first.touch[i]);
        seen[line]++;
        last = line;
    }
    assert_int_equal(writes, HEARD_BLOCKS);
    assert_int_equal(last % HEARD_LOADS, 0); // a block's store
    for (uint32_t i = 0; i < WW_COUNT(seen); i++)
        assert_int_equal(seen[i], i % HEARD_LOADS ? 1 : 2);
    prog_free(p);
}
// A host that gives no memory to execute (a policy, a filter of system calls) has handlers.
static void without_executable_memory(void **state) {
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        // mprotect(…, PROT_EXEC) is denied.
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 0, 3),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
            BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const struct sock_fprog filter = {WW_COUNT(code), code};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
            _exit(2); // this host filters nothing
        native_force(0);
        if (native_create()) _exit(1);
        struct prog *const p = prog_new();
        const uint64_t at = race_of(p, true);
        struct exec_counts c;
        struct exec_fault f;
        const enum ww_status s = run(p, 0, NULL, &c, &f);
        uint32_t got;
        memcpy(&got, devmem_host(p->mem, at + 8, 4), 4);
        _exit(s == WW_OK && !p->diags.errors && got ? 0 : 1);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    if (WEXITSTATUS(how) == 2) skip();
    assert_int_equal(WEXITSTATUS(how), 0);
}
static void levels(void **state) {
    (void)state;
    assert_false(exec_simd_force("v9"));
    assert_true(exec_simd_force("base"));
    assert_string_equal(exec_simd_level(), "base");
    assert_true(exec_simd_force(NULL));
    assert_non_null(exec_simd_level());
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_blocks),
                                       cmocka_unit_test(blocks_wait_for_each_other),
                                       cmocka_unit_test(endless),
                                       cmocka_unit_test(spins),
                                       cmocka_unit_test(deadlock),
                                       cmocka_unit_test(faults_are_told),
                                       cmocka_unit_test(a_launch_leaves_nothing_behind),
                                       cmocka_unit_test(branches_are_the_same_natively),
                                       cmocka_unit_test(limits_and_races_are_the_same_natively),
                                       cmocka_unit_test(touches_are_the_same_natively),
                                       cmocka_unit_test(without_executable_memory),
                                       cmocka_unit_test(levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
