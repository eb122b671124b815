// Memory and barriers as machine code of real compilers has them: addresses with a factor and a
// uniform register, loads under a predicate, atomics that answer whether they were done, compare and
// swap that answers whether it stored, barriers whose result stands in a register of its own. What
// is expected is computed here lane by lane.
#include "test_asm.h"

#include "exec/exec_int.h"
#include "exec/handlers.h"
#include "isa/mbarrier.h"

enum { WORDS = 4096, SHARED_BYTES = 4096, LOCAL_BYTES = 256 };

static struct opnd UR(uint32_t r, uint8_t words) {
    return (struct opnd){.kind = OPND_UGPR, .words = words, .reg = r};
} static const struct opnd RZ_ = {.kind = OPND_ZERO, .words = 1};
static const struct opnd RESULT_ = {.kind = OPND_RESULT, .words = 1};

static struct prog *machine(void) {
    struct prog *p = prog_new();
    p->im.is_machine_code = p->im.uses_uniform = true;
    p->im.target.gen = GEN_VOLTA;
    p->im.shared_bytes = SHARED_BYTES;
    p->im.local_bytes = LOCAL_BYTES;
    return p;
}
static uint32_t *uniform(struct prog *p, uint32_t r) { return reg(p, ASM_REGS + X_UNIFORM + r); }
static void set_uniform(struct prog *p, uint32_t r, uint64_t v) {
    for (uint32_t i = 0; i < 32; i++) {
        uniform(p, r)[i] = (uint32_t)v;
        uniform(p, r + 1)[i] = (uint32_t)(v >> 32);
    }
}
static struct minst *access(struct prog *p, enum mop op, uint8_t space, struct opnd d,
                            struct opnd a, struct opnd b, int64_t offset) {
    struct minst *m = emit(p, op, ITYPE_B32, d, a, b, NONE_);
    m->space = space;
    m->vec = 1;
    m->offset = offset;
    return m;
}
static void step_to(struct prog *p, uint32_t pc, uint32_t active, enum exec_outcome want) {
    struct exec_warp *w = warp0(p);
    w->pc = pc;
    w->active = active;
    assert_int_equal(exec_step(&p->env, w), want);
}

// [A.Xn + UR + offset] of shared memory; [A + UR + offset] of local memory.
static void scaled_addresses(void **state) {
    (void)state;
    LEVELS(v) {
        for (uint32_t power = 0; power < 5; power++) {
            struct prog *p = machine();
            struct opnd a = R(4);
            a.mods = (uint8_t)(power << OPND_SCALE_AT);
            access(p, OP_LD, SPACE_SHARED, R(5), a, NONE_, -16)->src[3] = UR(2, 1);
            access(p, OP_ST, SPACE_SHARED, NONE_, a, R(4), -8)->src[3] = UR(2, 1);
            access(p, OP_LD, SPACE_LOCAL, R(6), R(7), NONE_, 4)->src[3] = UR(4, 1);
            access(p, OP_LD, SPACE_SHARED, R(8), RZ_, NONE_, 96);
            prog_start(p);
            uint32_t *shared = (uint32_t *)(void *)p->cta.shared;
            for (uint32_t i = 0; i < SHARED_BYTES / 4; i++) shared[i] = 1000 + i;
            set_uniform(p, 2, 32);
            set_uniform(p, 4, 8);
            uint32_t *local = (uint32_t *)(void *)warp0(p)->local;
            for (uint32_t i = 0; i < 32 * LOCAL_BYTES / 4; i++) local[i] = 7 * i;
            for (uint32_t i = 0; i < 32; i++) {
                reg(p, 4)[i] = (i ^ 5) << (power < 2 ? 2 - power : 0);
                reg(p, 7)[i] = 4 * (i % 8);
            }
            const uint32_t shift = power < 2 ? 2 : power;
            step_to(p, 0, 0x7ffffff3, EXEC_MEMORY);
            step_to(p, 2, ~0u, EXEC_MEMORY);
            step_to(p, 3, ~0u, EXEC_MEMORY);
            for (uint32_t i = 0; i < 32; i++) {
                const bool on = 0x7ffffff3u >> i & 1;
                assert_int_equal(reg(p, 5)[i], on ? 1000 + 4 + ((i ^ 5u) << (shift - 2)) : 0);
                assert_int_equal(reg(p, 6)[i], 7 * ((i % 8 + 3) * 32 + i));
                assert_int_equal(reg(p, 8)[i], 1024);
            }
            step_to(p, 1, 0xff, EXEC_MEMORY);
            for (uint32_t i = 0; i < 8; i++)
                assert_int_equal(shared[6 + ((i ^ 5u) << (shift - 2))], reg(p, 4)[i]);
            prog_free(p);
        }
    }
    exec_simd_force(NULL);
}

// [A.64 + UR + offset], [A.U32 + UR + offset]: no sum wraps at 32 bits.
static void uniform_bases(void **state) {
    (void)state;
    LEVELS(v) {
        struct prog *p = machine();
        const uint64_t buf = devmem_alloc(p->mem, 4 * WORDS, 256, "buf");
        uint32_t *host = (uint32_t *)(void *)devmem_host(p->mem, buf, 4 * WORDS);
        for (uint32_t i = 0; i < WORDS; i++) host[i] = 3 * i;
        access(p, OP_LD, SPACE_GLOBAL, R(10), RD(2), NONE_, 8)->src[3] = UR(6, 2);
        access(p, OP_LD, SPACE_GLOBAL, R(11), R(4), NONE_, -64)->src[3] = UR(8, 2);
        access(p, OP_ST, SPACE_GENERIC, NONE_, R(4), R(10), -4096)->src[3] = UR(8, 2);
        struct minst *m = access(p, OP_ATOM, SPACE_GLOBAL, R(12), R(4), R(4), 0);
        m->type = ITYPE_U32;
        m->src[3] = UR(8, 2);
        m = access(p, OP_LD, SPACE_GLOBAL, R(13), R(5), NONE_, 4);
        m->src[3] = UR(10, 2);
        prog_start(p);
        set_uniform(p, 6, buf - 0x7000000000ull);
        set_uniform(p, 8, buf + 8192 - 0xfffff000ull);
        set_uniform(p, 10, buf - 0xfffffffcull);
        for (uint32_t i = 0; i < 32; i++) {
            set64(p, 2, i, 0x7000000000ull + 4 * i);
            reg(p, 4)[i] = 0xfffff000u + 4 * (31 - i);
            reg(p, 5)[i] = 0xfffffffcu;
        }
        for (uint32_t pc = 0; pc < 5; pc++) {
            const uint32_t before = host[2048];
            step_to(p, pc, ~0u, EXEC_MEMORY);
            if (pc == 3)
                for (uint32_t i = 0; i < 32; i++) {
                    assert_int_equal(reg(p, 12)[i], 3 * (2048 + 31 - i));
                    assert_int_equal(host[2048 + 31 - i], 3 * (2048 + 31 - i) + reg(p, 4)[i]);
                }
            else
                assert_int_equal(host[2048], before);
        }
        for (uint32_t i = 0; i < 32; i++) {
            assert_int_equal(reg(p, 10)[i], 3 * (i + 2));
            assert_int_equal(reg(p, 11)[i], 3 * (2048 - 16 + 31 - i));
            assert_int_equal(host[1024 + 31 - i], 3 * (i + 2));
            assert_int_equal(reg(p, 13)[i], 3);
        }
        prog_free(p);
    }
    exec_simd_force(NULL);
}

// Lanes for which the predicate is false read zero, and their address may be any.
static void loads_under_a_predicate(void **state) {
    (void)state;
    struct prog *p = machine();
    const uint64_t buf = devmem_alloc(p->mem, 4 * WORDS, 256, "buf");
    uint32_t *host = (uint32_t *)(void *)devmem_host(p->mem, buf, 4 * WORDS);
    for (uint32_t i = 0; i < WORDS; i++) host[i] = 100 + i;
    struct minst *m = access(p, OP_LD, SPACE_GLOBAL, RD(10), RD(2), NONE_, 0);
    m->vec = 2;
    m->src[2] = NOT(P(2));
    m = access(p, OP_LD, SPACE_GLOBAL, R(12), RD(2), NONE_, 0);
    m->type = ITYPE_U8;
    m->src[2] = P(PRED_TRUE);
    m->src[2].mods = OPND_NOT;
    prog_start(p);
    warp0(p)->pred[2] = 0xff00ff00;
    for (uint32_t i = 0; i < 32; i++) {
        set64(p, 2, i, 0xff00ff00u >> i & 1 ? 0x12345 : buf + 8 * i);
        reg(p, 10)[i] = reg(p, 11)[i] = reg(p, 12)[i] = 55;
    }
    step_to(p, 0, 0x0fffffff, EXEC_MEMORY);
    assert_int_equal(p->env.access.mask, 0x00ff00ff & 0x0fffffff);
    step_to(p, 1, 0x0fffffff, EXEC_NEXT);
    for (uint32_t i = 0; i < 32; i++) {
        const bool on = 0x0fffffffu >> i & 1, reads = 0x00ff00ffu >> i & 1;
        assert_int_equal(reg(p, 10)[i], !on ? 55 : reads ? 100 + 2 * i : 0);
        assert_int_equal(reg(p, 11)[i], !on ? 55 : reads ? 101 + 2 * i : 0);
        assert_int_equal(reg(p, 12)[i], on ? 0 : 55);
    }
    prog_free(p);
}

// A generic atomic with a second result is done on global memory alone, and says so.
static void atomics_that_answer(void **state) {
    (void)state;
    struct prog *p = machine();
    const uint64_t buf = devmem_alloc(p->mem, 4 * WORDS, 256, "buf");
    uint64_t *host = (uint64_t *)(void *)devmem_host(p->mem, buf, 4 * WORDS);
    for (uint32_t i = 0; i < WORDS / 2; i++) host[i] = (uint64_t)i << 33;
    for (uint32_t drop = 0; drop < 2; drop++) {
        struct minst *m = access(p, OP_ATOM, SPACE_GENERIC, drop ? NONE_ : RD(10), RD(2), RD(4), 8);
        m->type = ITYPE_U64;
        m->dst[1] = P(1);
    }
    prog_start(p);
    for (uint32_t i = 0; i < 32; i++) {
        set64(p, 2, i,
              i % 3 == 0   ? buf + 8 * i
              : i % 3 == 1 ? EXEC_SHARED_WINDOW + 8 * i
                           : EXEC_LOCAL_WINDOW + 16);
        set64(p, 4, i, 1 + ((uint64_t)i << 32));
        set64(p, 10, i, 77);
    }
    memset(p->cta.shared, 0x3c, SHARED_BYTES);
    step_to(p, 0, 0x00ffffff, EXEC_MEMORY);
    step_to(p, 1, 0x00ffffff, EXEC_MEMORY);
    for (uint32_t i = 0; i < 32; i++) {
        const bool on = i < 24, done = on && i % 3 == 0;
        if (on) assert_int_equal(warp0(p)->pred[1] >> i & 1, done);
        assert_int_equal(get64(p, 10, i), done ? (uint64_t)(i + 1) << 33 : 77);
        if (i % 3 == 0)
            assert_int_equal(host[i + 1],
                             ((uint64_t)(i + 1) << 33) + (on ? 2 * (1 + ((uint64_t)i << 32)) : 0));
    }
    for (uint32_t i = 0; i < SHARED_BYTES; i++) assert_int_equal(p->cta.shared[i], 0x3c);
    // No lane names global memory: nothing is accessed.
    step_to(p, 0, 2, EXEC_NEXT);
    prog_free(p);
}

// Compare and swap that answers 1 where it stored: lanes at one word come one after another.
static void casts(void **state) {
    (void)state;
    LEVELS(v) {
        for (uint32_t wide = 0; wide < 2; wide++) {
            struct prog *p = machine();
            struct minst *m = access(p, OP_ATOM, SPACE_SHARED, wide ? RD(10) : R(10), R(2),
                                     wide ? RD(4) : R(4), 0);
            m->sub = MATOM_CAST;
            m->type = wide ? ITYPE_U64 : ITYPE_U32;
            m->src[2] = wide ? RD(6) : R(6);
            prog_start(p);
            uint64_t want[64] = {0};
            for (uint32_t i = 0; i < 32; i++) {
                reg(p, 2)[i] = 8 * (i % 5);
                set64(p, 4, i, i / 5 + (wide ? (uint64_t)(i % 5) << 40 : 0)); // what it must be
                set64(p, 6, i, i / 5 + 1 + (wide ? (uint64_t)(i % 5) << 40 : 0));
                set64(p, 10, i, 0xdeaddeaddeaddeadull);
            }
            for (uint32_t i = 0; i < 5; i++) {
                want[i] = wide ? (uint64_t)i << 40 : 0;
                memcpy(p->cta.shared + 8 * i, &want[i], 8);
            }
            const uint32_t active = 0xfffffbffu; // lane 10 is not there: its word stays behind
            step_to(p, 0, active, EXEC_MEMORY);
            for (uint32_t i = 0; i < 32; i++) {
                uint64_t *const word = &want[i % 5];
                const uint64_t expect = get64(p, 4, i), next = get64(p, 6, i);
                if (!(active >> i & 1)) {
                    assert_int_equal(reg(p, 10)[i], 0xdeaddead);
                    continue;
                }
                const bool same = wide ? *word == expect : (uint32_t)*word == (uint32_t)expect;
                if (same) *word = wide ? next : (*word & ~0xffffffffull) | (uint32_t)next;
                assert_int_equal(reg(p, 10)[i], same);
                assert_int_equal(reg(p, 11)[i], wide ? 0 : 0xdeaddead);
            }
            for (uint32_t i = 0; i < 5; i++)
                assert_memory_equal(p->cta.shared + 8 * i, &want[i], wide ? 8 : 4);
            assert_int_equal((uint32_t)want[0], 2); // stopped at lane 10's turn
            prog_free(p);
        }
    }
    exec_simd_force(NULL);
}

// Lanes that do not execute give 0 to a shuffle.
static void shuffles_among_those_there(void **state) {
    (void)state;
    struct prog *p = machine();
    struct minst *m = emit(p, OP_SHFL, ITYPE_B32, R(10), R(2), I(1), I(31));
    m->sub = MSHFL_DOWN;
    m->dst[1] = P(1);
    prog_start(p);
    const uint32_t active = 0x0000ff0f;
    for (uint32_t i = 0; i < 32; i++) reg(p, 2)[i] = 50 + i;
    step_to(p, 0, active, EXEC_NEXT);
    for (uint32_t i = 0; i < 32; i++) {
        if (!(active >> i & 1)) continue;
        assert_int_equal(reg(p, 10)[i], active >> (i + 1) & 1 ? 51 + i : 0);
        assert_int_equal(warp0(p)->pred[1] >> i & 1, 1);
    }
    prog_free(p);
}

// Copies into shared memory: offsets on both sides, a uniform register beside the destination; where
// the predicate says so, or as far as the address lies behind a multiple of the size, zeros.
static void copies(void **state) {
    (void)state;
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2) {
        struct prog *p = machine();
        const uint64_t buf = devmem_alloc(p->mem, 32 * 16, 256, "buf");
        uint8_t *host = devmem_host(p->mem, buf, 32 * 16);
        for (uint32_t i = 0; i < 32 * 16; i++) host[i] = (uint8_t)(1 + i % 251);
        for (uint32_t fills = 0; fills < 2; fills++) {
            struct minst *m =
                access(p, OP_CPASYNC, SPACE_SHARED, NONE_, R(2), fills ? RD(6) : RD(4),
                       (int64_t)((uint64_t)(uint32_t)-32 << 32 | (uint32_t)-64));
            m->aux = (uint16_t)bytes;
            m->sub = (uint8_t)fills;
            m->src[2] = P(3);
            m->src[3] = UR(2, 1);
        }
        prog_start(p);
        set_uniform(p, 2, 128);
        warp0(p)->pred[3] = 0x80000010;
        for (uint32_t i = 0; i < 32; i++) {
            reg(p, 2)[i] = 16 * i;
            set64(p, 4, i, buf + 16 * i + 32);
            set64(p, 6, i, buf + 16 * i + 32 + i % bytes);
        }
        for (uint32_t fills = 0; fills < 2; fills++) {
            memset(p->cta.shared, 0xee, SHARED_BYTES);
            step_to(p, fills, ~0u, EXEC_MEMORY);
            assert_int_equal(p->env.access.kind, ACCESS_ASYNC_COPY);
            for (uint32_t i = 0; i < 32; i++)
                for (uint32_t b = 0; b < 16; b++) {
                    const uint32_t n = 0x80000010u >> i & 1 ? 0 : bytes - (fills ? i % bytes : 0);
                    const uint32_t want = b >= bytes ? 0xee : b < n ? 1 + (16 * i + b) % 251 : 0;
                    assert_int_equal(p->cta.shared[64 + 16 * i + b], want);
                }
        }
        prog_free(p);
    }
}

// The uniform register stands beside the source: a pair, to which a pair of the lane's is added or a
// word without a sign. The destination has none then.
static void copies_from_a_base(void **state) {
    (void)state;
    enum { BASE = 2, BYTES = 16, AT = 64, PLACES = 4 };
    for (uint32_t words = 1; words <= 2; words++) {
        struct prog *p = machine();
        const uint64_t buf = devmem_alloc(p->mem, PLACES * BYTES, 256, "buf");
        uint8_t *host = devmem_host(p->mem, buf, PLACES * BYTES);
        for (uint32_t i = 0; i < PLACES * BYTES; i++) host[i] = (uint8_t)(1 + i);
        for (uint32_t fills = 0; fills < 2; fills++) {
            struct opnd from = RD(fills ? 6 : 4);
            from.words = (uint8_t)words;
            struct minst *m = access(p, OP_CPASYNC, SPACE_SHARED, NONE_, R(2), from,
                                     (int64_t)((uint64_t)(uint32_t)-BYTES << 32 | AT));
            m->aux = BYTES;
            m->sub = (uint8_t)(MCOPY_FROM_BASE | (fills ? MCOPY_ZERO_FILL : 0));
            m->src[3] = UR(BASE, 2);
        }
        prog_start(p);
        const uint64_t below = words == 2 ? 1ull << 40 : 0xffffffc0u; // what lanes count from
        set_uniform(p, BASE, buf + BYTES - below);
        for (uint32_t i = 0; i < 32; i++) {
            const uint64_t at = below + BYTES * (i % PLACES);
            reg(p, 2)[i] = BYTES * i;
            set64(p, 4, i, at);
            set64(p, 6, i, at + i % BYTES);
            if (words == 2) continue;
            reg(p, 5)[i] = reg(p, 7)[i] = 0xdeaddead;
        }
        for (uint32_t fills = 0; fills < 2; fills++) {
            memset(p->cta.shared, 0xee, SHARED_BYTES);
            step_to(p, fills, ~0u, EXEC_MEMORY);
            for (uint32_t i = 0; i < 32; i++)
                for (uint32_t b = 0; b < BYTES; b++) {
                    const uint32_t n = fills ? BYTES - i % BYTES : BYTES;
                    const uint32_t want = b < n ? 1 + BYTES * (i % PLACES) + b : 0;
                    assert_int_equal(p->cta.shared[AT + BYTES * i + b], want);
                }
        }
        prog_free(p);
    }
}

// NANOSLEEP.SYNCS: until the phase is over that was tried last; not where it is, nor where lanes are
// elsewhere that may have to end it.
static void sleeps_for_a_phase(void **state) {
    (void)state;
    enum { BARRIER = 64, NANOSECONDS = 5000 };
    struct prog *p = machine();
    struct minst *m = emit(p, OP_NANOSLEEP, ITYPE_NONE, NONE_, I(NANOSECONDS), NONE_, NONE_);
    m->sub = MSLEEP_PHASE;
    prog_start(p);
    const struct exec_access *const a = &p->env.access;
    const uint64_t odd = 1ull << MBARRIER_PHASE_AT;
    memset(p->cta.shared + BARRIER, 0, 8);
    step_to(p, 0, ~0u, EXEC_SLEEP); // nothing was tried: a plain sleep
    assert_int_not_equal(a->kind, ACCESS_WAIT);
    assert_int_equal(a->addr[0], NANOSECONDS);
    warp0(p)->tried = (struct exec_tried){BARRIER, false, true};
    step_to(p, 0, ~0u, EXEC_SLEEP);
    assert_int_equal(a->kind, ACCESS_WAIT);
    assert_int_equal(a->wait.barrier, BARRIER);
    assert_false(a->wait.parity);
    assert_int_equal(a->addr[0], NANOSECONDS);
    step_to(p, 0, 0xffff, EXEC_NEXT);
    memcpy(p->cta.shared + BARRIER, &odd, 8);
    step_to(p, 0, ~0u, EXEC_NEXT);
    warp0(p)->tried.parity = true;
    step_to(p, 0, ~0u, EXEC_SLEEP);
    prog_free(p);
}

// Plain accesses are handled a vector at a time, with a uniform register and a factor too.
static void plain_accesses_are_fast(void **state) {
    (void)state;
    struct prog *p = machine();
    const struct opnd zero2 = {.kind = OPND_ZERO, .words = 2};
    struct opnd scaled = R(2);
    scaled.mods = 2 << OPND_SCALE_AT;
    access(p, OP_LD, SPACE_GLOBAL, R(4), RD(2), NONE_, 8);
    access(p, OP_LD, SPACE_GENERIC, R(4), RD(2), NONE_, 8);
    access(p, OP_LD, SPACE_GLOBAL, R(4), zero2, NONE_, 8)->src[3] = UR(2, 2);
    access(p, OP_ST, SPACE_GLOBAL, NONE_, RD(2), RZ_, 8);
    access(p, OP_LD, SPACE_SHARED, R(4), scaled, NONE_, 0)->src[3] = UR(2, 1);
    access(p, OP_ST, SPACE_SHARED, NONE_, RZ_, R(4), 8);
    access(p, OP_LD, SPACE_LOCAL, R(4), RZ_, NONE_, 8);
    access(p, OP_ST, SPACE_LOCAL, NONE_, R(1), R(4), 8);
    access(p, OP_LDC, SPACE_CONST, R(4), R(2), NONE_, 0)->sub = CB_USER;
    access(p, OP_ATOM, SPACE_GLOBAL, NONE_, RD(2), R(4), 0)->type = ITYPE_U32;
    access(p, OP_ATOM, SPACE_SHARED, R(4), R(2), R(4), 0)->type = ITYPE_U32;
    access(p, OP_LD, SPACE_GLOBAL, R(4), RD(2), NONE_, 8)->type = ITYPE_U8;
    prog_start(p);
    static const uint8_t handler[] = {H_ld32_global,   H_ld32_global,    H_ld32_global,
                                      H_st32_global,   H_ld32_shared,    H_st32_shared,
                                      H_ld32_local,    H_st32_local_any, H_ldc32,
                                      H_atom32_global, H_atom32_shared,  H_ld_small_global};
    for (uint32_t i = 0; i < WW_COUNT(handler); i++)
        assert_true(p->launch->code[i].fn == exec_level()->table[TABLE_LEVEL_MEM][handler[i]]);
    prog_free(p);
}

// Two warps, of which lanes of the second are gone, reduce; number and count in one register.
static void barrier_results(void **state) {
    (void)state;
    static const struct {
        uint8_t kind;
        uint32_t want;
    } row[] = {{MBAR_RED_POPC, 32 + 7}, {MBAR_RED_AND, 0}, {MBAR_RED_OR, 1}};
    for (uint32_t k = 0; k < 2 * WW_COUNT(row); k++) {
        struct prog *p = machine();
        const bool is_packed = k & 1;
        p->args.block[0] = 64;
        const uint64_t out = devmem_alloc(p->mem, 4096, 256, "out");
        emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_tid_x;
        emit(p, OP_ISETP, ITYPE_U32, P(2), R(0), I(39), NONE_)->cmp = MCMP_LT;
        emit(p, OP_ISETP, ITYPE_U32, P(4), R(0), I(48), NONE_)->cmp = MCMP_GE;
        struct minst *m = emit_exit(p);
        m->guard = 4;
        emit(p, OP_MOV, ITYPE_B32, R(1), I(3 | 64u << 16 | 0xf000fff0), NONE_, NONE_);
        m = emit(p, OP_BAR, ITYPE_U32, RESULT_, is_packed ? R(1) : I(3), NONE_, P(2));
        m->sub = row[k / 2].kind;
        m->aux = is_packed;
        emit(p, OP_MOV, ITYPE_B32, R(5), I(9), NONE_, NONE_);
        m = emit(p, OP_B2R, ITYPE_U32, R(5), RESULT_, NONE_, NONE_);
        m->dst[1] = P(0);
        m = emit(p, OP_B2R, ITYPE_U32, RZ_, RESULT_, NONE_, NONE_);
        m->dst[1] = P(1);
        m = emit(p, OP_IADD, ITYPE_U32, R(5), R(5), I(100), NONE_);
        m->guard = 0;
        m = emit(p, OP_IADD, ITYPE_U32, R(5), R(5), I(1000), NONE_);
        m->guard = 1;
        emit(p, OP_MOV, ITYPE_B64, RD(8), ID(out), NONE_, NONE_);
        emit(p, OP_IMAD, ITYPE_U32, RD(8), R(0), I(4), RD(8))->flags = MF_WIDE;
        access(p, OP_ST, SPACE_GLOBAL, NONE_, RD(8), R(5), 0);
        emit_exit(p);
        p->args.params = p->params;
        struct exec_launch *l = NULL;
        assert_int_equal(exec_launch_create(&p->im, p->mem, &p->args, &p->diags, &l), WW_OK);
        struct exec_fault f = {0};
        struct exec_counts n = {0};
        assert_int_equal(exec_run_functional(l, p->mem, NULL, 0, NULL, &n, &f, &p->diags), WW_OK);
        const uint32_t *got = (const uint32_t *)(const void *)devmem_host(p->mem, out, 4096);
        for (uint32_t i = 0; i < 48; i++)
            assert_int_equal(got[i], row[k / 2].want + (row[k / 2].want ? 1100 : 0));
        exec_launch_destroy(l);
        prog_free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scaled_addresses),
                                       cmocka_unit_test(uniform_bases),
                                       cmocka_unit_test(loads_under_a_predicate),
                                       cmocka_unit_test(atomics_that_answer),
                                       cmocka_unit_test(casts),
                                       cmocka_unit_test(shuffles_among_those_there),
                                       cmocka_unit_test(copies),
                                       cmocka_unit_test(copies_from_a_base),
                                       cmocka_unit_test(sleeps_for_a_phase),
                                       cmocka_unit_test(plain_accesses_are_fast),
                                       cmocka_unit_test(barrier_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
