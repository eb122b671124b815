// Memory operations by hand-made code: the access record that timing sees, fast and general paths,
// the store log and its commit, faults and their sentences.
#include "exec/native.h"
#include "test_asm.h"

static struct minst *load(struct prog *p, uint8_t space, enum isa_type t, struct opnd d,
                          struct opnd a, int64_t offset) {
    struct minst *m = emit(p, OP_LD, t, d, a, NONE_, NONE_);
    m->space = space;
    m->vec = 1;
    m->offset = offset;
    return m;
}
static struct minst *store(struct prog *p, uint8_t space, enum isa_type t, struct opnd a,
                           struct opnd v, int64_t offset) {
    struct minst *m = emit(p, OP_ST, t, NONE_, a, v, NONE_);
    m->space = space;
    m->vec = 1;
    m->offset = offset;
    return m;
}
static struct minst *atom(struct prog *p, uint8_t space, enum isa_type t, uint8_t op, struct opnd d,
                          struct opnd a, struct opnd b) {
    struct minst *m = emit(p, OP_ATOM, t, d, a, b, NONE_);
    m->space = space;
    m->sub = op;
    m->vec = 1;
    return m;
}

// What timing is told.
static void access_records(void **state) {
    (void)state;
    LEVELS(v) {
        struct prog *p = prog_new();
        p->im.shared_bytes = 1024;
        p->im.local_bytes = 64;
        const uint64_t buf = devmem_alloc(p->mem, 65536, 256, "buf");
        load(p, SPACE_GLOBAL, ITYPE_F32, R(10), RD(2), 4)->cop = MCOP_CG;
        load(p, SPACE_GENERIC, ITYPE_U64, RD(12), RD(4), 0);
        store(p, SPACE_SHARED, ITYPE_U32, R(6), R(10), 8);
        load(p, SPACE_LOCAL, ITYPE_U32, R(11), R(7), 0);
        struct minst *c = emit(p, OP_LDC, ITYPE_U32, R(14), R(8), NONE_, NONE_);
        c->sub = CB_LITERAL;
        c->vec = 1;
        emit(p, OP_MEMBAR, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_)->sub = MFENCE_SYS;
        load(p, SPACE_GENERIC, ITYPE_U32, R(15), RD(16), 0);
        emit_exit(p);
        prog_start(p);
        struct exec_warp *w = warp0(p);
        uint32_t *host = (uint32_t *)(void *)devmem_host(p->mem, buf, 65536);
        for (uint32_t i = 0; i < 16384; i++) host[i] = i;
        const uint32_t lit = 0x1234;
        memcpy(p->literals + 40, &lit, 4);
        for (uint32_t i = 0; i < 32; i++) {
            set64(p, 2, i, buf + 4 * i);
            set64(p, 4, i, buf + 8 * (31 - i));
            reg(p, 6)[i] = 4 * i;
            reg(p, 7)[i] = 16;
            reg(p, 8)[i] = 40;
            set64(p, 16, i,
                  i & 1   ? EXEC_SHARED_WINDOW + 4 * i + 8
                  : i & 2 ? EXEC_LOCAL_WINDOW + 16
                          : buf + 400);
        }
        w->local_base = 0x70000000;
        w->active = 0x0fffffff;
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        const struct exec_access *a = &p->env.access;
        assert_int_equal(a->space, SPACE_GLOBAL);
        assert_int_equal(a->kind, ACCESS_LOAD);
        assert_int_equal(a->cop, MCOP_CG);
        assert_int_equal(a->bytes, 4);
        assert_int_equal(a->mask, 0x0fffffff);
        assert_int_equal(a->n_dst, 1);
        assert_int_equal(a->addr[5], buf + 24);
        assert_int_equal(p->env.exec_mask, 0x0fffffff);
        assert_int_equal(reg(p, 10)[5], 6);
        assert_int_equal(reg(p, 10)[30], 0);
        w->active = ~0u;
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        assert_int_equal(a->bytes, 8);
        assert_int_equal(a->n_dst, 2);
        assert_int_equal(a->addr[1], buf + 240);
        assert_int_equal(get64(p, 12, 31), 0x100000000ull);
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        assert_int_equal(a->space, SPACE_SHARED);
        assert_int_equal(a->kind, ACCESS_STORE);
        assert_int_equal(a->addr[3], 20);
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        assert_int_equal(a->space, SPACE_LOCAL);
        assert_int_equal(a->addr[3], 0x70000000 + 4 * 128 + 12);
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        assert_int_equal(a->space, SPACE_CONST);
        assert_int_equal(a->bank, CB_LITERAL);
        assert_int_equal(a->addr[3], 40);
        assert_int_equal(reg(p, 14)[9], 0x1234);
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        assert_int_equal(a->kind, ACCESS_FENCE);
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        assert_int_equal(a->space, SPACE_GLOBAL);
        assert_int_equal(a->mask, ~0u);
        assert_int_equal(a->mask2, 0xaaaaaaaau);
        assert_int_equal(a->addr[5], 28);
        assert_int_equal(a->addr[2], 0x70000000 + 4 * 128 + 8);
        assert_int_equal(reg(p, 15)[4], 100);
        assert_int_equal(reg(p, 15)[5], 6);
        prog_free(p);
    }
    exec_simd_force(NULL);
}

// The host's own code of p's instructions; NULL: this host or level has none.
static struct native *native_of(struct prog *p) {
    native_force(0);
    struct native *n = native_create();
    if (n && !native_begin(n, p->launch, false)) {
        native_destroy(n);
        n = NULL;
    }
    native_force(NATIVE_HOT);
    return n;
}
// Runs the instruction of warp 0 at pc with lanes `active`, as a handler or as the host's own code.
static void access_once(struct prog *p, struct native *native, uint32_t pc, uint32_t active) {
    struct exec_warp *const w = warp0(p);
    w->pc = pc;
    w->active = active;
    w->live = w->exists = ~0u;
    if (!native) {
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        return;
    }
    struct native_run run = {0};
    const native_fn fn = native_code(native, native_lines(native), pc,
                                     active == ~0u ? NATIVE_ALL_LANES : NATIVE_SOME_LANES);
    assert_non_null(fn);
    assert_true(fn(&p->env, w, &run) <= EXEC_MEMORY);
    assert_int_equal(run.threads, bits_count32(active));
}
// Random widths, masks and patterns through every path, against plain byte arrays.
static void random_accesses(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_U8,  ITYPE_S8,  ITYPE_U16, ITYPE_S16,
                                    ITYPE_B32, ITYPE_B64, ITYPE_F32, ITYPE_F64};
    static const uint8_t spaces[] = {SPACE_GLOBAL, SPACE_GENERIC, SPACE_SHARED, SPACE_LOCAL};
    enum { SIZE = 4096 };
    LEVELS(v) {
        uint64_t seed = 2024;
        for (uint32_t n = 0; n < 900; n++) {
            struct prog *p = prog_new();
            const uint8_t t = types[rnd64(&seed) % 8], space = spaces[rnd64(&seed) % 4];
            const uint32_t each = isa_type_bits(t) / 8;
            uint32_t vec = each < 4 ? 1 : 1u << rnd64(&seed) % 3;
            if (vec * each > 16) vec = 16 / each;
            const uint32_t bytes = vec * each, words = bytes < 4 ? 1 : bytes / 4;
            const bool logged = rnd64(&seed) & 1 && space <= SPACE_GLOBAL;
            const bool narrow = space == SPACE_SHARED || space == SPACE_LOCAL;
            p->im.shared_bytes = SIZE;
            p->im.local_bytes = SIZE;
            const uint64_t buf = devmem_alloc(p->mem, SIZE, 256, "buf");
            const int64_t offset = (int64_t)(rnd64(&seed) % 5) * bytes;
            struct opnd value = {.kind = OPND_GPR, .words = (uint8_t)words, .reg = 8},
                        result = value;
            result.reg = 12;
            store(p, space, (enum isa_type)t, narrow ? R(2) : RD(2), value, offset)->vec =
                (uint8_t)vec;
            load(p, space, (enum isa_type)t, result, narrow ? R(4) : RD(4), offset)->vec =
                (uint8_t)vec;
            emit_exit(p);
            if (logged) p->env.log = exec_log_create();
            prog_start(p);
            struct exec_warp *w = warp0(p);
            // Mirror: local memory is a lane's own.
            static uint8_t mirror[32][SIZE];
            uint8_t *host = devmem_host(p->mem, buf, SIZE);
            for (uint32_t k = 0; k < SIZE; k++) host[k] = (uint8_t)rnd64(&seed);
            for (uint32_t i = 0; i < 32; i++) {
                if (space == SPACE_LOCAL || space == SPACE_SHARED)
                    memset(mirror[i], 0, SIZE);
                else
                    memcpy(mirror[i], host, SIZE);
            }
            const uint32_t pattern = rnd64(&seed) % 6;
            uint32_t at[2][32];
            for (uint32_t i = 0; i < 32; i++) {
                for (uint32_t k = 0; k < 2; k++) {
                    const uint32_t slots = SIZE / bytes - 8;
                    uint32_t s = pattern == 0   ? i + 3
                                 : pattern == 1 ? 7
                                 : pattern == 2 ? (i * 5) % slots
                                 : pattern == 3 ? i % 16 + 24 * (i / 16) // two rows of a tile
                                 : pattern == 4 ? 3 + i / 16
                                                : (uint32_t)(rnd64(&seed) % slots);
                    if (k && pattern == 5) s = at[0][rnd64(&seed) % (i + 1)] / bytes;
                    at[k][i] = s * bytes;
                    if (narrow)
                        reg(p, 2 + 2 * k)[i] = at[k][i];
                    else
                        set64(p, 2 + 2 * k, i, buf + at[k][i]);
                }
                for (uint32_t k = 0; k < 4; k++) {
                    reg(p, 8 + k)[i] = (uint32_t)rnd64(&seed);
                    reg(p, 12 + k)[i] = 0xeeee0000u + i;
                }
            }
            const uint32_t mask = rnd64(&seed) & 1 ? ~0u : (uint32_t)rnd64(&seed) | 4;
            w->active = mask;
            assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
            for (uint32_t i = 0; i < 32; i++)
                if (mask >> i & 1)
                    for (uint32_t b = 0; b < bytes; b++) {
                        const uint8_t byte = (uint8_t)(reg(p, 8 + b / 4)[i] >> (8 * (b & 3)));
                        if (space == SPACE_LOCAL)
                            mirror[i][at[0][i] + offset + b] = byte;
                        else
                            for (uint32_t j = 0; j < 32; j++)
                                mirror[j][at[0][i] + offset + b] = byte;
                    }
            struct native *const native = native_of(p);
            for (uint32_t natively = 0; natively < (native ? 2 : 1); natively++) {
                access_once(p, natively ? native : NULL, 1, mask);
                for (uint32_t i = 0; i < 32; i++)
                    for (uint32_t k = 0; k < words; k++) {
                        uint32_t want = 0xeeee0000u + i;
                        if (mask >> i & 1) {
                            const uint8_t *q = &mirror[i][at[1][i] + offset + 4 * k];
                            if (each == 1)
                                want = t == ITYPE_S8 ? (uint32_t)(int8_t)*q : *q;
                            else if (each == 2)
                                want = t == ITYPE_S16 ? (uint32_t)(int16_t)(q[0] | q[1] << 8)
                                                      : q[0] | (uint32_t)q[1] << 8;
                            else
                                memcpy(&want, q, 4);
                        }
                        if (reg(p, 12 + k)[i] != want)
                            fail_msg("space %u type %s x%u pattern %u logged %d mask %08x lane %u word "
                                     "%u at %s: %08x, not %08x",
                                     space, isa_type_text((enum isa_type)t), vec, pattern, logged, mask,
                                     i, k, natively ? "native" : exec_simd_level(), reg(p, 12 + k)[i],
                                     want);
                        reg(p, 12 + k)[i] = 0xeeee0000u + i;
                    }
            }
            native_destroy(native);
            if (space <= SPACE_GLOBAL) {
                struct exec_fault f;
                if (logged) assert_true(exec_commit(p->mem, &p->env.log, 1, &f));
                assert_memory_equal(host, mirror[0], SIZE);
            }
            exec_log_destroy(p->env.log);
            p->env.log = NULL;
            prog_free(p);
        }
    }
    exec_simd_force(NULL);
}

// ---- quanta ---------------------------------------------------------------------------------
// Two SMs see their own stores at once, the other's after the commit; the later SM wins.
static void two_sms(void **state) {
    (void)state;
    struct prog *p = prog_new();
    const uint64_t buf = devmem_alloc(p->mem, 4096, 256, "buf");
    store(p, SPACE_GLOBAL, ITYPE_U32, RD(2), R(4), 0);
    load(p, SPACE_GLOBAL, ITYPE_U32, R(5), RD(2), 0);
    emit_exit(p);
    prog_start(p);
    struct exec_log *log[2] = {exec_log_create(), exec_log_create()};
    struct exec_env env[2] = {{.memory = p->mem, .log = log[0]}, {.memory = p->mem, .log = log[1]}};
    struct exec_cta other;
    void *memory = ww_alloc_aligned(exec_cta_bytes(p->launch));
    exec_cta_init(&other, p->launch, memory, 0, 1);
    struct exec_warp *w[2] = {warp0(p), &other.warps[0]};
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < 32; i++) {
            w[s]->regs[2 * 32 + i] = (uint32_t)(buf + 4 * i);
            w[s]->regs[3 * 32 + i] = 0;
            w[s]->regs[4 * 32 + i] = 100u * (uint32_t)(s + 1) + i;
        }
    assert_true(exec_log_is_empty(log[0]));
    exec_step(&env[1], w[1]);
    exec_step(&env[0], w[0]);
    assert_false(exec_log_is_empty(log[0]));
    exec_step(&env[0], w[0]);
    exec_step(&env[1], w[1]);
    const uint32_t *host = (const uint32_t *)(const void *)devmem_host(p->mem, buf, 128);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(w[0]->regs[5 * 32 + i], 100 + i);
        assert_int_equal(w[1]->regs[5 * 32 + i], 200 + i);
        assert_int_equal(host[i], 0);
    }
    struct exec_fault f;
    assert_true(exec_commit(p->mem, log, 2, &f));
    assert_true(exec_log_is_empty(log[0]) && exec_log_is_empty(log[1]));
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(host[i], 200 + i);
    w[0]->pc = 1;
    exec_step(&env[0], w[0]);
    assert_int_equal(w[0]->regs[5 * 32 + 3], 203);
    for (int s = 0; s < 2; s++) exec_log_destroy(log[s]);
    ww_free_aligned(memory);
    prog_free(p);
}
// store, atomic, load, store of one word in one quantum: in order, the late results marked as such.
static void atomics_in_order(void **state) {
    (void)state;
    struct prog *p = prog_new();
    const uint64_t buf = devmem_alloc(p->mem, 4096, 256, "buf");
    store(p, SPACE_GLOBAL, ITYPE_U32, RD(2), I(10), 0);
    atom(p, SPACE_GLOBAL, ITYPE_U32, MATOM_ADD, R(4), RD(2), I(5));
    load(p, SPACE_GLOBAL, ITYPE_U32, R(5), RD(2), 0);
    load(p, SPACE_GLOBAL, ITYPE_U32, R(6), RD(2), 2048);
    store(p, SPACE_GLOBAL, ITYPE_U32, RD(2), I(77), 0);
    load(p, SPACE_GLOBAL, ITYPE_U32, R(7), RD(2), 0);
    atom(p, SPACE_GLOBAL, ITYPE_U32, MATOM_MAX, NONE_, RD(2), I(80));
    emit_exit(p);
    p->env.log = exec_log_create();
    prog_start(p);
    struct exec_warp *w = warp0(p);
    for (uint32_t i = 0; i < 32; i++) set64(p, 2, i, buf + 64 * i);
    const bool deferred[] = {false, true, true, false, false, true, false};
    for (uint32_t k = 0; k < 7; k++) {
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        assert_int_equal(p->env.access.deferred, deferred[k]);
    }
    assert_int_equal(p->env.access.kind, ACCESS_REDUCE);
    struct exec_fault f;
    assert_true(exec_commit(p->mem, &p->env.log, 1, &f));
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(reg(p, 4)[i], 10);
        assert_int_equal(reg(p, 5)[i], 15);
        assert_int_equal(reg(p, 6)[i], 0);
        assert_int_equal(reg(p, 7)[i], 77);
        uint32_t now;
        memcpy(&now, devmem_host(p->mem, buf + 64 * i, 4), 4);
        assert_int_equal(now, 80);
    }
    assert_int_equal(w->n_deferred, 0);
    exec_log_destroy(p->env.log);
    p->env.log = NULL;
    prog_free(p);
}
// An exchange whose old value nobody wants: the quantum's later loads see it, as a store's. One whose value is wanted comes
// at the commit, and so does what is loaded behind it.
static void exchanges_store(void **state) {
    (void)state;
    struct prog *p = prog_new();
    const uint64_t buf = devmem_alloc(p->mem, 4096, 256, "buf");
    atom(p, SPACE_GLOBAL, ITYPE_U32, MATOM_EXCH, NONE_, RD(2), I(33));
    load(p, SPACE_GLOBAL, ITYPE_U32, R(5), RD(2), 0);
    atom(p, SPACE_GLOBAL, ITYPE_U32, MATOM_EXCH, R(4), RD(2), I(44));
    load(p, SPACE_GLOBAL, ITYPE_U32, R(6), RD(2), 0);
    emit_exit(p);
    p->env.log = exec_log_create();
    prog_start(p);
    struct exec_warp *w = warp0(p);
    for (uint32_t i = 0; i < 32; i++) set64(p, 2, i, buf + 64 * i);
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(exec_step(&p->env, w), EXEC_MEMORY);
        assert_int_equal(p->env.access.deferred, k >= 2);
        if (k == 0) assert_int_equal(p->env.access.kind, ACCESS_REDUCE);
        if (k == 1)
            for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(p, 5)[i], 33);
    }
    struct exec_fault f;
    assert_true(exec_commit(p->mem, &p->env.log, 1, &f));
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(reg(p, 4)[i], 33);
        assert_int_equal(reg(p, 6)[i], 44);
    }
    exec_log_destroy(p->env.log);
    p->env.log = NULL;
    prog_free(p);
}
// A warp that ends with a result outstanding: nothing is written into the registers of who comes
// next.
static void result_without_reader(void **state) {
    (void)state;
    struct prog *p = prog_new();
    const uint64_t buf = devmem_alloc(p->mem, 4096, 256, "buf");
    atom(p, SPACE_GLOBAL, ITYPE_U32, MATOM_ADD, R(4), RD(2), I(5));
    emit_exit(p);
    p->env.log = exec_log_create();
    prog_start(p);
    for (uint32_t i = 0; i < 32; i++) set64(p, 2, i, buf);
    exec_step(&p->env, warp0(p));
    assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_EXITED);
    exec_cta_init(&p->cta, p->launch, p->cta_memory, 0, 0);
    for (uint32_t i = 0; i < 32; i++) reg(p, 4)[i] = 1234;
    struct exec_fault f;
    assert_true(exec_commit(p->mem, &p->env.log, 1, &f));
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(p, 4)[i], 1234);
    uint32_t now;
    memcpy(&now, devmem_host(p->mem, buf, 4), 4);
    assert_int_equal(now, 160);
    exec_log_destroy(p->env.log);
    p->env.log = NULL;
    prog_free(p);
}
// Many lines in one quantum: the overlay grows.
static void long_quantum(void **state) {
    (void)state;
    struct prog *p = prog_new();
    const uint64_t buf = devmem_alloc(p->mem, 1 << 20, 256, "buf");
    store(p, SPACE_GLOBAL, ITYPE_U32, RD(2), R(4), 0);
    load(p, SPACE_GLOBAL, ITYPE_U32, R(5), RD(2), 0);
    emit_exit(p);
    p->env.log = exec_log_create();
    prog_start(p);
    uint64_t seed = 1;
    static uint32_t mirror[1 << 18];
    memset(mirror, 0, sizeof mirror);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t n = 0; n < 2000; n++) {
            uint32_t at[32];
            for (uint32_t i = 0; i < 32; i++) {
                at[i] = (uint32_t)(rnd64(&seed) % (1 << 18));
                set64(p, 2, i, buf + 4 * at[i]);
                reg(p, 4)[i] = (uint32_t)rnd64(&seed);
            }
            warp0(p)->pc = 0;
            exec_step(&p->env, warp0(p));
            for (uint32_t i = 0; i < 32; i++) mirror[at[i]] = reg(p, 4)[i];
            if (n & 1)
                for (uint32_t i = 0; i < 32; i++) {
                    at[i] = (uint32_t)(rnd64(&seed) % (1 << 18));
                    set64(p, 2, i, buf + 4 * at[i]);
                }
            exec_step(&p->env, warp0(p));
            for (uint32_t i = 0; i < 32; i++) assert_int_equal(reg(p, 5)[i], mirror[at[i]]);
        }
        struct exec_fault f;
        assert_true(exec_commit(p->mem, &p->env.log, 1, &f));
        assert_memory_equal(devmem_host(p->mem, buf, 1 << 20), mirror, 1 << 20);
    }
    exec_log_destroy(p->env.log);
    p->env.log = NULL;
    prog_free(p);
}

// ---- faults ---------------------------------------------------------------------------------
static const struct exec_fault *fault_of(struct prog *p, uint32_t at_step) {
    struct exec_warp *w = warp0(p);
    for (uint32_t k = 0; k < at_step; k++) exec_step(&p->env, w);
    assert_int_equal(exec_step(&p->env, w), EXEC_FAULT);
    return &p->env.fault;
}
static void faults(void **state) {
    (void)state;
    struct {
        uint8_t space;
        bool is_store;
        enum isa_type t;
        uint64_t addr; // relative to buf when large
        enum exec_fault_kind kind;
        const char *text;
    } table[] = {
        {SPACE_GLOBAL, false, ITYPE_U32, 1 << 20, FAULT_UNALLOCATED,
         "global read of 4 bytes at 0x"},
        {SPACE_GLOBAL, true, ITYPE_U64, (1 << 20) + 8, FAULT_UNALLOCATED,
         "nearest is 'buf' of 1048576 bytes at 0x"},
        {SPACE_GLOBAL, true, ITYPE_U32, 2, FAULT_MISALIGNED, "global write of 4 bytes"},
        {SPACE_GENERIC, false, ITYPE_U8, 0x20000000, FAULT_UNALLOCATED, "global read of 1 byte at"},
        {SPACE_SHARED, true, ITYPE_U32, 64, FAULT_SHARED_RANGE,
         "shared write of 4 bytes at offset 0x40, but the block has 64 bytes"},
        {SPACE_SHARED, false, ITYPE_U16, 3, FAULT_MISALIGNED,
         "shared read of 2 bytes at 0x3, which is not a multiple of 2"},
        {SPACE_LOCAL, false, ITYPE_U32, 32, FAULT_LOCAL_RANGE,
         "local read of 4 bytes at offset 0x20, but a thread has 32 bytes"},
    };
    LEVELS(v) {
        for (uint32_t k = 0; k < WW_COUNT(table); k++) {
            struct prog *p = prog_new();
            p->im.shared_bytes = 64;
            p->im.local_bytes = 32;
            p->args.block[0] = 16;
            p->args.block[1] = 2;
            const uint64_t buf = devmem_alloc(p->mem, 1 << 20, 256, "buf");
            const bool narrow = table[k].space == SPACE_SHARED || table[k].space == SPACE_LOCAL;
            const bool wide = isa_type_bits(table[k].t) == 64;
            if (table[k].is_store)
                store(p, table[k].space, table[k].t, narrow ? R(2) : RD(2), wide ? RD(6) : R(6), 0);
            else
                load(p, table[k].space, table[k].t, wide ? RD(6) : R(6), narrow ? R(2) : RD(2), 0);
            emit_exit(p);
            prog_start(p);
            for (uint32_t i = 0; i < 32; i++)
                set64(p, 2, i,
                      narrow    ? (i == 19 ? table[k].addr : 0)
                      : i == 19 ? buf + table[k].addr
                                : buf);
            const struct exec_fault *f = fault_of(p, 0);
            assert_int_equal(f->kind, table[k].kind);
            assert_int_equal(f->lane, 19);
            assert_int_equal(f->thread[0], 3);
            assert_int_equal(f->thread[1], 1);
            assert_int_equal(f->ptx_line, 1);
            assert_int_equal(f->pc, 0);
            assert_int_equal(f->is_store, table[k].is_store);
            assert_int_equal(f->addr, narrow ? table[k].addr : buf + table[k].addr);
            if (!strstr(f->text, table[k].text))
                fail_msg("\"%s\" does not say \"%s\"", f->text, table[k].text);
            assert_non_null(
                strstr(f->text, "in kernel test at PTX line 1, block (0,0,0) thread (3,1,0)"));
            prog_free(p);
        }
    }
    exec_simd_force(NULL);
}
static void freed_memory(void **state) {
    (void)state;
    struct prog *p = prog_new();
    const uint64_t buf = devmem_alloc(p->mem, 4096, 256, "scratch");
    load(p, SPACE_GLOBAL, ITYPE_U32, R(4), RD(2), 0);
    emit_exit(p);
    prog_start(p);
    for (uint32_t i = 0; i < 32; i++) set64(p, 2, i, buf + 4 * i);
    exec_step(&p->env, warp0(p)); // warm the range cache
    devmem_free(p->mem, buf);
    warp0(p)->pc = 0;
    const struct exec_fault *f = fault_of(p, 0);
    assert_int_equal(f->kind, FAULT_FREED);
    assert_non_null(strstr(f->text, "which is in a freed allocation"));
    assert_non_null(strstr(f->text, "nearest is the freed 'scratch' of 4096 bytes"));
    prog_free(p);
}
static void other_faults(void **state) {
    (void)state;
    struct prog *p = prog_new();
    struct minst *m = emit(p, OP_LDC, ITYPE_U32, R(4), R(2), NONE_, NONE_);
    m->sub = CB_USER;
    m->vec = 1;
    emit_exit(p);
    prog_start(p);
    assert_int_equal(fault_of(p, 0)->kind, FAULT_CONST_RANGE);
    prog_clear(p);
    emit(p, OP_BAR, ITYPE_NONE, NONE_, I(16), NONE_, NONE_);
    prog_start(p);
    assert_int_equal(fault_of(p, 0)->kind, FAULT_BARRIER);
    prog_clear(p);
    emit(p, OP_BAR, ITYPE_NONE, NONE_, I(1), I(33), NONE_);
    prog_start(p);
    assert_non_null(strstr(fault_of(p, 0)->text,
                           "barrier 1 for 33 threads, which is not a multiple of the warp size"));
    prog_clear(p);
    emit(p, OP_MOV, ITYPE_B32, R(1), I(1), NONE_, NONE_); // no exit
    prog_start(p);
    assert_non_null(strstr(fault_of(p, 1)->text, "ran off its end"));
    prog_clear(p);
    m = emit(p, OP_SHFL, ITYPE_B32, R(4), R(2), I(0), I(31));
    m->src[3] = I(0xffff);
    m->sub = MSHFL_IDX;
    prog_start(p);
    assert_int_equal(fault_of(p, 0)->kind, FAULT_SHFL_MASK);
    assert_int_equal(p->env.fault.lane, 16);
    prog_clear(p);
    m = emit(p, OP_SYSCALL, ITYPE_NONE, NONE_, ID(0x5000), NONE_, NONE_);
    m->sub = MSYS_FREE;
    prog_start(p);
    assert_non_null(
        strstr(fault_of(p, 0)->text, "free() of 0x5000, which malloc() did not return"));
    prog_free(p);
}
// A launch whose constants cannot be had is refused with a sentence.
static void launch_refusals(void **state) {
    (void)state;
    struct prog *p = prog_new();
    emit(p, OP_MOV, ITYPE_B32, R(1),
         ((struct opnd){.kind = OPND_CONST, .words = 1, .bank = CB_USER, .reg = 4}), NONE_, NONE_);
    emit_exit(p);
    assert_int_equal(exec_launch_create(&p->im, p->mem, &p->args, &p->diags, &p->launch),
                     WW_ERROR_LAUNCH);
    char text[256];
    diags_first(&p->diags, text, sizeof text);
    assert_non_null(strstr(text, "c[3][0x4], which the launch does not provide"));
    p->im.n_insts = 0;
    p->args.block[0] = 0;
    struct diags d;
    diags_init(&d);
    assert_int_equal(exec_launch_create(&p->im, p->mem, &p->args, &d, &p->launch), WW_ERROR_LAUNCH);
    diags_free(&d);
    prog_free(p);
}

// ---- cp.async -------------------------------------------------------------------------------
static void async_copy(void **state) {
    (void)state;
    struct prog *p = prog_new();
    p->im.shared_bytes = 1024;
    const uint64_t buf = devmem_alloc(p->mem, 4096, 256, "buf");
    struct minst *m = emit(p, OP_CPASYNC, ITYPE_B32, NONE_, R(2), RD(4), R(6));
    m->aux = 16;
    m->offset = 32;
    emit(p, OP_CPCOMMIT, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    emit(p, OP_CPWAIT, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    emit_exit(p);
    prog_start(p);
    for (uint32_t k = 0; k < 4096; k++) devmem_host(p->mem, buf, 4096)[k] = (uint8_t)(k * 7 + 1);
    memset(p->cta.shared, 0xff, 1024);
    for (uint32_t i = 0; i < 32; i++) {
        reg(p, 2)[i] = 16 * i;
        set64(p, 4, i, buf + 64 * i);
        reg(p, 6)[i] = i % 3 == 0 ? 16 : i % 3 == 1 ? 5 : 0;
    }
    warp0(p)->active = 0x3fffffff;
    assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
    assert_int_equal(p->env.access.kind, ACCESS_ASYNC_COPY);
    assert_int_equal(p->env.access.space, SPACE_GLOBAL);
    assert_int_equal(p->env.access.mask, 0x3fffffff & ~0x24924924u);
    assert_int_equal(p->env.access.addr[3], buf + 192);
    for (uint32_t i = 0; i < 30; i++)
        for (uint32_t b = 0; b < 16; b++) {
            const uint32_t n = i % 3 == 0 ? 16 : i % 3 == 1 ? 5 : 0;
            assert_int_equal(p->cta.shared[32 + 16 * i + b],
                             b < n ? (uint8_t)((64 * i + b) * 7 + 1) : 0);
        }
    prog_free(p);
}

// ---- more than 4 GB ---------------------------------------------------------------------------
// Elements that follow each other modulo 2^32 from the end of a 4 GB range on, all in that range: the
// lanes behind the wrap are at its beginning. Nothing of the allocation but what is touched has pages.
static void elements_that_wrap(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_U8, ITYPE_S16, ITYPE_B32, ITYPE_B64, ITYPE_B32};
    static const uint8_t vectors[] = {1, 1, 1, 1, 4};
    static const uint32_t masks[] = {~0u, 0xfffffff0u, 0x7ffffffeu, 0xffff0000u, 0x00018000u};
    LEVELS(v)
    for (uint32_t t = 0; t < WW_COUNT(types) * 2; t++) {
        struct prog *const p = prog_new();
        devmem_destroy(p->mem);
        p->mem = devmem_create(UINT64_C(14) << 30);
        if (!p->mem) skip(); // a host without that many addresses
        const uint64_t buf = devmem_alloc(p->mem, UINT64_C(9) << 30, 256, "large");
        assert_true(buf != 0);
        const uint64_t range = (buf + UINT32_MAX) >> 32 << 32;
        const uint32_t vec = vectors[t / 2];
        const uint32_t bytes = vec * isa_type_bits(types[t / 2]) / 8, words = bytes < 4 ? 1 : bytes / 4;
        const bool stores = t % 2;
        struct opnd value = {.kind = OPND_GPR, .words = (uint8_t)words, .reg = 8};
        if (stores)
            store(p, SPACE_GLOBAL, (enum isa_type)types[t / 2], RD(2), value, 0)->vec = (uint8_t)vec;
        else
            load(p, SPACE_GLOBAL, (enum isa_type)types[t / 2], value, RD(2), 0)->vec = (uint8_t)vec;
        emit_exit(p);
        prog_start(p);
        struct native *const native = native_of(p);
        uint8_t *const host = devmem_host(p->mem, range, 1);
        for (uint32_t n = 0; n < 34 * WW_COUNT(masks) * 4; n++) {
            const uint32_t before = n % 34, mask = masks[n / 34 % WW_COUNT(masks)];
            const bool logged = n / (34 * WW_COUNT(masks)) & 1, natively = n / (34 * WW_COUNT(masks)) & 2;
            if (natively && !native) continue;
            p->env.log = logged ? exec_log_create() : NULL;
            // What lies there, and what a run of bytes that goes on beyond the range would find or leave.
            memset(host, 0xaa, 1024);
            memset(host + UINT32_MAX - 1023, 0xaa, 2048);
            for (uint32_t i = 0; i < 32; i++) {
                const uint32_t off = (i - before) * bytes;
                set64(p, 2, i, range + off);
                for (uint32_t k = 0; k < 4; k++) reg(p, 8 + k)[i] = 0x01010101u * (i + 32 * k + 1);
                if (!stores) memset(host + off, (int)(i + 1), bytes);
            }
            access_once(p, natively ? native : NULL, 0, mask);
            struct exec_fault f;
            if (logged) assert_true(exec_commit(p->mem, &p->env.log, 1, &f));
            for (uint32_t i = 0; i < 32; i++) {
                const uint8_t *const at = host + (uint32_t)((i - before) * bytes);
                for (uint32_t b = 0; b < bytes; b++) {
                    const uint8_t own = (uint8_t)(reg(p, 8 + b / 4)[i] >> b % 4 * 8);
                    const uint32_t kept = i + 1 + 32 * (b / 4); // below 256
                    const uint32_t want = stores ? (mask >> i & 1 ? kept : 0xaa)
                                                 : (mask >> i & 1 ? i + 1 : kept);
                    if ((stores ? at[b] : own) != want)
                        fail_msg("%s of %u bytes, %u lanes before the wrap, lanes %08x, lane %u, %s%s: "
                                 "%02x, not %02x",
                                 stores ? "store" : "load", bytes, before, mask, i,
                                 natively ? "native" : exec_simd_level(), logged ? ", log" : "",
                                 stores ? at[b] : own, want);
                }
            }
            for (uint32_t k = 1; k <= 1024; k++) assert_int_equal(host[(size_t)UINT32_MAX + k], 0xaa);
            exec_log_destroy(p->env.log);
            p->env.log = NULL;
        }
        native_destroy(native);
        prog_free(p);
    }
    exec_simd_force(NULL);
}

// A straight line of loads, whose code is too much for one line of the host's, becomes several.
static void long_lines(void **state) {
    (void)state;
    enum { LOADS = 500 };
    struct prog *const p = prog_new();
    const uint64_t buf = devmem_alloc(p->mem, 65536, 256, "buf");
    emit(p, OP_MOV, ITYPE_U32, R(4), I(0), NONE_, NONE_);
    for (uint32_t k = 0; k < LOADS; k++) {
        load(p, SPACE_GLOBAL, ITYPE_U32, R(5), RD(2), 4 * k);
        emit(p, OP_IADD, ITYPE_U32, R(4), R(4), R(5), NONE_);
    }
    emit_exit(p);
    prog_start(p);
    uint32_t *const host = (uint32_t *)(void *)devmem_host(p->mem, buf, 65536);
    for (uint32_t k = 0; k < 16384; k++) host[k] = k * k;
    static const uint32_t masks[] = {~0u, 0x00ffff01u};
    struct native *const native = native_of(p);
    for (uint32_t n = 0; native && n < 3 * WW_COUNT(masks); n++) {
        struct exec_warp *const w = warp0(p);
        w->pc = 0;
        w->active = masks[n / 3];
        w->live = w->exists = ~0u;
        for (uint32_t i = 0; i < 32; i++) set64(p, 2, i, buf + 4 * i);
        struct native_run run = {.limit = 64};
        uint32_t pieces = 0;
        while (w->pc < 1 + 2 * LOADS) {
            const native_fn fn = native_code(native, native_lines(native), w->pc,
                                             n / 3 ? NATIVE_SOME_LANES : NATIVE_ALL_LANES);
            assert_non_null(fn);
            assert_true(fn(&p->env, w, &run) <= EXEC_MEMORY);
            pieces++;
        }
        assert_int_equal(run.n, 1 + 2 * LOADS);
        assert_int_equal(run.threads, (uint64_t)run.n * bits_count32(w->active));
        if (n % 3 == 2) assert_int_equal(pieces, 1); // each goes on to the next
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t sum = 0;
            for (uint32_t k = 0; k < LOADS; k++) sum += (i + k) * (i + k);
            if (w->active >> i & 1) assert_int_equal(reg(p, 4)[i], sum);
        }
    }
    native_destroy(native);
    prog_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(access_records),
                                       cmocka_unit_test(random_accesses),
                                       cmocka_unit_test(two_sms),
                                       cmocka_unit_test(atomics_in_order),
        cmocka_unit_test(exchanges_store),
                                       cmocka_unit_test(result_without_reader),
                                       cmocka_unit_test(long_quantum),
                                       cmocka_unit_test(faults),
                                       cmocka_unit_test(freed_memory),
                                       cmocka_unit_test(other_faults),
                                       cmocka_unit_test(launch_refusals),
                                       cmocka_unit_test(async_copy),
                                       cmocka_unit_test(elements_that_wrap),
                                       cmocka_unit_test(long_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
