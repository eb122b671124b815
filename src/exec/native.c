// See native.h. Code lies in private memory that is writable or executable, never both: each line
// has pages of its own, which become executable when it is whole.
#include "exec/native_int.h"

#include <pthread.h>
#include <stdlib.h>

#include "exec/converge.h"
#include "exec/handlers.h"
#include "exec/its.h"
#include "exec/step.h"
#include "isa/op.h"

enum { CODE_BYTES = 32 << 20, PAGE = 4096, LINE_BYTES = 256 << 10 };

#define NANS 0x7fffffffu, 0x7fffffffu, 0x7fffffffu, 0x7fffffffu
#define PICK2(k) {k, k + 2, k + 4, k + 6, k + 8, k + 10, k + 12, k + 14, k + 16, k + 18, k + 20,       \
                  k + 22, k + 24, k + 26, k + 28, k + 30}
#define PICK4(k) {k, k + 4, k + 8, k + 12, k + 16, k + 20, k + 24, k + 28}
#define QUADS 0, 0x04040404u, 0x08080808u, 0x0c0c0c0cu
const struct native_table native_table = {
    .lane_bytes = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60},
    .nan = {NANS, NANS, NANS, NANS},
    .quads = {QUADS, QUADS, QUADS, QUADS},
    .pick2 = {PICK2(0), PICK2(1)},
    .pick4 = {PICK4(0), PICK4(1), PICK4(2), PICK4(3)},
    .part = {0, 2, 4, 6, 1, 3, 5, 7},
    .join = {0, 4, 1, 5, 2, 6, 3, 7},
    .bit = 1,
    .three = 3,
    .seven = 7,
    .fifteen = 15,
    .sign = 0x80000000u,
    .magnitude = 0x7fffffffu,
    .exponent = 0x7f800000u,
    .exponent64 = 0x7ff00000u,
    .one = 0x3f800000u,
    .two31 = 0x4f000000u};
#define VECTOR_CODE(name, map, prefix, w, opcode) {map, prefix, w, opcode},
const struct vector_code vector_codes[V_N] = {VECTOR_OPS(VECTOR_CODE)};

struct native {
    const struct exec_launch *l;
    struct native_line *line; // [n_lines]
    uint32_t *leads;          // a bit an instruction: a branch goes there, or lanes meet there
    uint32_t n_lines, cap_lines;
    uint32_t hot; // runs before a line is compiled
    bool is_heard; // native_begin
    uint8_t *code; // [CODE_BYTES]
    size_t used;
    struct native_shared shared; // on the first page
    uint32_t inside[NATIVE_LANES]; // where in a line's code one that went on to it begins
    struct compiler *compiler;
    pthread_mutex_t lock;
};
static _Atomic uint32_t native_heat = NATIVE_HOT;
void native_force(uint32_t heat) { atomic_store(&native_heat, heat); }
struct native_line *native_lines(const struct native *n) { return n->line; }
const struct native_shared *native_shared(const struct native *n) { return &n->shared; }
bool native_is_heard(const struct native *n) { return n->is_heard; }

#if defined(__x86_64__)
#include <sys/mman.h>

// ---- pairs ------------------------------------------------------------------------------------
static uint32_t low(uint32_t pair) { return 2 * pair; }
static struct vec home(const struct pair *p, uint32_t half) {
    return vec_mem(REGS, (int32_t)(p->at + 64 * half));
}
static uint32_t find(const struct compiler *c, uint32_t at) {
    for (uint32_t k = 0; k < PAIRS; k++)
        if (c->s.pair[k].at == at) return k;
    return PAIRS;
}
static void add_exit(struct compiler *c, uint32_t condition, uint32_t kind) {
    uint8_t *const jump = put_jump_if(&c->s.m, condition);
    if (c->s.n_exits == MAX_EXITS)
        c->s.m.is_full = true;
    else
        c->exit[c->s.n_exits++] = (struct exit){.jump = jump, .kind = kind, .pc = c->pc,
                                                .guarded = c->guarded, .at = c->s};
}
void leave_if_nan(struct compiler *c) {
    put_mask_test(&c->s.m, 1, 1);
    add_exit(c, IF_NOT_ZERO, EXIT_NAN);
}
void leave_if(struct compiler *c, uint32_t condition) { add_exit(c, condition, EXIT_HANDLER); }
// Mask 1 has, or gets beside what it has, lanes where a or b is a NaN; of the lanes of mask k.
static void put_nan_test(struct emitter *m, bool first, uint32_t a, uint32_t b, uint32_t k) {
    put_vector_imm_masked(m, V_CMPPS, first ? 1 : 2, a, vec_reg(b), CMPF_UNORD, k);
    if (!first) put_mask_or(m, 1, 1, 2);
}
// Leaves the line if one of n pairs that are to be looked at holds a NaN.
static void look(struct compiler *c, uint32_t first, uint32_t n) {
    bool looked = false;
    for (uint32_t k = first; k < first + n; k++) {
        if (!c->s.pair[k].may_nan) continue;
        c->s.pair[k].may_nan = false;
        if (c->lanes == NATIVE_ALL_LANES) {
            put_nan_test(&c->s.m, !looked, low(k), low(k) + 1, 0);
        } else {
            put_nan_test(&c->s.m, !looked, low(k), low(k), ACTIVE_MASK);
            put_nan_test(&c->s.m, false, low(k) + 1, low(k) + 1, ACTIVE_MASK + 1);
        }
        looked = true;
    }
    if (looked) leave_if_nan(c);
}
static void store_dirty(struct compiler *c) {
    for (uint32_t k = 0; k < PAIRS; k++) {
        struct pair *const p = &c->s.pair[k];
        if (p->at == X_NONE || !p->is_dirty) continue;
        for (uint32_t h = 0; h < 2; h++)
            put_vector_masked(&c->s.m, V_STORE, low(k) + h, 0, home(p, h),
                              c->lanes == NATIVE_ALL_LANES ? 0 : ACTIVE_MASK + h);
        p->is_dirty = false;
    }
}
void write_back(struct compiler *c) {
    look(c, 0, PAIRS);
    store_dirty(c);
    if (c->s.moved_guarded) put_rm(&c->s.m, 1, G_STORE, GUARDED, RSP, KEPT_GUARDED);
    c->s.moved_guarded = false;
    c->s.kept = 0;
    c->s.checkpoint = c->pc;
    c->s.checkpoint_threads = c->s.threads;
}
// The pair that was used longest ago, not by this instruction; clean ones first.
static uint32_t free_pair(struct compiler *c) {
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t best = PAIRS;
        for (uint32_t k = 0; k < PAIRS; k++) {
            const struct pair *const p = &c->s.pair[k];
            if (p->at == X_NONE && p->used != c->now) return k;
            if (p->used == c->now || p->is_dirty || p->may_nan) continue;
            if (best == PAIRS || p->used < c->s.pair[best].used) best = k;
        }
        if (best < PAIRS) {
            c->s.pair[best].at = X_NONE;
            return best;
        }
        write_back(c);
    }
    c->s.m.is_full = true; // no instruction has so many operands
    return 0;
}

struct source source_of(struct compiler *c, uint32_t o, uint32_t word) {
    const uint32_t at = o + word * VEC_BYTES;
    if (o & X_POOL)
        return (struct source){{vec_mem(POOL, (int32_t)at), vec_mem(POOL, (int32_t)at)}, PAIRS};
    uint32_t k = find(c, at);
    if (k == PAIRS) {
        k = free_pair(c);
        c->s.pair[k] = (struct pair){.at = at};
        for (uint32_t h = 0; h < 2; h++)
            put_vector(&c->s.m, V_MOVE, low(k) + h, 0, home(&c->s.pair[k], h));
    }
    c->s.pair[k].used = c->now;
    return (struct source){{vec_reg(low(k)), vec_reg(low(k) + 1)}, k};
}
struct source source_in_registers(struct compiler *c, uint32_t o, uint32_t word, uint32_t temp) {
    struct source s = source_of(c, o, word);
    if (s.pair < PAIRS) return s;
    put_vector(&c->s.m, V_MOVE, temp, 0, s.half[0]);
    s.half[0] = s.half[1] = vec_reg(temp); // a constant's lanes are all the same
    return s;
}
void source_taken(struct compiler *c, const struct source *s) {
    if (s->pair < PAIRS) c->s.pair[s->pair].may_nan = false;
}
void source_look(struct compiler *c, const struct source *s) {
    if (s->pair < PAIRS) look(c, s->pair, 1);
}
uint32_t result_pair(struct compiler *c) {
    const uint32_t k = free_pair(c);
    c->s.pair[k] = (struct pair){.at = X_NONE, .used = c->now};
    return k;
}
void result_is(struct compiler *c, uint32_t pair, uint32_t at, bool may_nan) {
    uint32_t old = find(c, at);
    if (!c->guarded) {
        if (old < PAIRS) c->s.pair[old] = (struct pair){.at = X_NONE};
        c->s.pair[pair] =
            (struct pair){.at = at, .used = c->now, .is_dirty = true, .may_nan = may_nan};
        return;
    }
    if (may_nan) // lanes outside the guard may hold anything: only this result's are looked at
        for (uint32_t h = 0; h < 2; h++) {
            const uint32_t v = low(pair) + h;
            put_vector_imm(&c->s.m, V_CMPPS, 1, v, vec_reg(v), CMPF_UNORD);
            put_vector_masked(&c->s.m, V_MOVE, v, 0, vec_reg(NAN_WORD), 1);
        }
    const struct source was = source_of(c, at, 0);
    for (uint32_t h = 0; h < 2; h++)
        put_vector_masked(&c->s.m, V_MOVE, was.half[h].reg, 0, vec_reg(low(pair) + h),
                          GUARD_MASK + h);
    c->s.pair[was.pair].is_dirty = true;
    c->s.pair[pair] = (struct pair){.at = X_NONE};
}

void results_are(struct compiler *c, const uint32_t *pair, uint32_t n, uint32_t at) {
    // What lanes outside the guard hold is there first, so that nothing goes to memory between.
    for (uint32_t k = 0; c->guarded && k < n; k++) (void)source_of(c, at + k * VEC_BYTES, 0);
    for (uint32_t k = 0; k < n; k++) result_is(c, pair[k], at + k * VEC_BYTES, false);
}

void predicate_is(struct compiler *c, uint32_t p) {
    struct emitter *const m = &c->s.m;
    const int32_t at = (int32_t)(offsetof(struct exec_warp, pred) + 4 * p);
    if (pred_is_true(p)) return;
    const uint32_t mask = lanes_mask(c, 0);
    if (mask || !(c->s.kept >> p & 1)) put_rm(m, 0, G_LOAD, RDX, WARP, at);
    if (!(c->s.kept >> p & 1)) put_rm(m, 0, G_STORE, RDX, RSP, (int32_t)(KEPT_PREDS + 4 * p));
    c->s.kept |= 1u << p;
    if (mask) { // (was & ~mask) | (is & mask), as was ^ ((was ^ is) & mask)
        put_mask_join(m, 1, mask + 1, mask);
        put_mask_to(m, RCX, 1);
        put_rr(m, 0, G_XOR, RAX, RDX);
        put_rr(m, 0, G_AND, RAX, RCX);
        put_rr(m, 0, G_XOR, RAX, RDX);
    }
    put_rm(m, 0, G_STORE, RAX, WARP, at);
}

// ---- lines ------------------------------------------------------------------------------------
static void forget_pairs(struct compiler *c) {
    for (uint32_t k = 0; k < PAIRS; k++) c->s.pair[k] = (struct pair){.at = X_NONE};
}
// What a call or the caller leaves in no register.
static void put_common(struct compiler *c) {
    struct emitter *const m = &c->s.m;
    put_vector(m, V_MOVE, LANE_BYTES, 0, vec_mem(TABLE, offsetof(struct native_table, lane_bytes)));
    put_vector(m, V_MOVE, NAN_WORD, 0, vec_mem(TABLE, offsetof(struct native_table, nan)));
    if (c->lanes == NATIVE_ALL_LANES) return;
    put_rm(m, 0, G_LOAD, RAX, WARP, offsetof(struct exec_warp, active));
    put_mask_from(m, ACTIVE_MASK, RAX);
    put_count(m, RCX, RAX);
    put_rm(m, 1, G_STORE, RCX, RSP, ACTIVE_LANES);
    put_shift(m, 0, false, RAX, 16);
    put_mask_from(m, ACTIVE_MASK + 1, RAX);
}
static const uint8_t pushed[] = {RBX, RBP, R12, R13, R14, R15};
static void put_enter(struct compiler *c) {
    struct emitter *const m = &c->s.m;
    const uint8_t *const first = m->at;
    for (uint32_t k = 0; k < WW_COUNT(pushed); k++) put_push(m, pushed[k]);
    put_ri(m, 1, 5, RSP, FRAME);
    put_rm(m, 1, G_STORE, RDX, RSP, RUN);
    put_rr(m, 1, G_LOAD, ENV, RDI);
    put_rr(m, 1, G_LOAD, WARP, RSI);
    put_rm(m, 1, G_LOAD, REGS, WARP, offsetof(struct exec_warp, regs));
    put_rm(m, 1, G_LOAD, POOL, WARP, offsetof(struct exec_warp, base[1]));
    put_const64(m, TABLE, (uintptr_t)&native_table);
    put_common(c);
    c->native->inside[c->lanes] = (uint32_t)(m->at - first); // all lines begin alike
    put_rr(m, 0, G_XOR, GUARDED, GUARDED);
    put_rm(m, 1, G_STORE, GUARDED, RSP, KEPT_GUARDED);
}
// What lines end with: RAX is returned.
static void put_leave(struct emitter *m) {
    put_clear_upper(m);
    put_ri(m, 1, 0, RSP, FRAME);
    for (uint32_t k = WW_COUNT(pushed); k-- > 0;) put_pop(m, pushed[k]);
    put_ret(m);
}
static void jump_to(struct emitter *m, const uint8_t *target) { land(m, put_jump(m), target); }

void put_unfit(struct emitter *m, uint32_t offset, uint32_t temp, uint32_t k, struct vec part) {
    put_vector(m, V_SPREAD_GPR, temp, 0, vec_reg(RDX));
    put_vector_imm_masked(m, V_CMPUD, 1, offset, vec_reg(temp), CMP_LT, k);
    put_vector(m, V_SPREAD_GPR, temp, 0, vec_reg(RCX));
    put_vector_imm_masked(m, V_CMPUD, 0, offset, vec_reg(temp), CMP_GT, k);
    put_mask_or(m, 1, 1, 0);
    put_vector_masked(m, V_TESTMD, 0, offset, part, k);
    put_mask_or(m, 1, 1, 0);
}
// A gather for the lanes of mask 1. Its offsets have a sign; `temp` is lost.
static void put_gather_words(struct emitter *m, uint32_t out, uint32_t offset, uint32_t temp) {
    put_const(m, R8, 0x80000000u);
    put_rr(m, 1, G_ADD, R8, RAX);
    put_vector(m, V_PXORD, temp, offset, TABLE_WORD(sign));
    put_gather(m, out, R8, temp, 1);
}
static void put_answer(struct emitter *m, uint8_t *const *wrong, uint32_t n) {
    put_carry(m, false);
    put_ret(m);
    for (uint32_t k = 0; k < n; k++) land_here(m, wrong[k]);
    put_carry(m, true);
    put_ret(m);
}
static void put_load_words_masked(struct emitter *m) {
    uint8_t *wrong[2];
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t offset = TEMP + h, out = TEMP + 2 + h, first = TEMP + 4, want = TEMP + 5;
        const uint32_t k = 2 + h;
        put_mask_test(m, k, k);
        uint8_t *const none = put_jump_if(m, IF_ZERO);
        put_unfit(m, offset, first, k, TABLE_WORD(three));
        put_mask_test(m, 1, 1);
        wrong[h] = put_jump_if(m, IF_NOT_ZERO);
        // Words that follow each other, where lanes outside the mask count too.
        put_vector_masked(m, V_COMPRESS, offset, 0, vec_reg(first), k);
        put_first_lane(m, R8, first);
        put_mask_to(m, R9, k);
        put_lowest(m, R9, R9);
        put_shift(m, 0, true, R9, 2);
        put_rr(m, 1, G_SUB, R8, R9);
        put_vector(m, V_SPREAD_GPR, first, 0, vec_reg(R8));
        put_vector(m, V_PADDD, want, first, vec_reg(LANE_BYTES));
        put_vector_imm_masked(m, V_CMPD, 1, offset, vec_reg(want), CMP_NE, k);
        put_mask_test(m, 1, 1);
        uint8_t *const apart = put_jump_if(m, IF_NOT_ZERO);
        // Offsets that pass 2^32 - 1 and go on at 0 are apart too.
        put_rm(m, 1, G_LEA, R9, R8, 60);
        put_shift(m, 1, false, R9, 32);
        uint8_t *const wraps = put_jump_if(m, IF_NOT_ZERO);
        put_rr(m, 1, G_ADD, R8, RAX);
        put_vector_masked(m, V_LOADU, out, 0, vec_mem(R8, 0), k);
        uint8_t *const done = put_jump(m);
        land_here(m, apart);
        land_here(m, wraps);
        put_mask_move(m, 1, k);
        put_gather_words(m, out, offset, want);
        land_here(m, done);
        land_here(m, none);
    }
    put_answer(m, wrong, 2);
}
static void put_load_words(struct emitter *m) {
    uint8_t *wrong[16];
    uint32_t n = 0;
    for (uint32_t h = 0; h < 2; h++) {
        const uint32_t offset = TEMP + h, out = TEMP + 2 + h, first = TEMP + 4, want = TEMP + 5;
        uint8_t *done[2];
        put_first_lane(m, R8, offset);
        put_vector(m, V_SPREAD, first, 0, vec_reg(offset));
        put_vector(m, V_PADDD, want, first, vec_reg(LANE_BYTES));
        for (uint32_t one = 0; one < 2; one++) { // words that follow each other; one word
            put_vector_imm(m, V_CMPD, 1, offset, vec_reg(one ? first : want), CMP_NE);
            put_mask_test(m, 1, 1);
            uint8_t *const next = put_jump_if(m, IF_NOT_ZERO);
            put_rr(m, 1, G_CMP, R8, RDX);
            wrong[n++] = put_jump_if(m, IF_BELOW);
            put_rm(m, 1, G_LEA, R9, R8, one ? 0 : 60);
            put_rr(m, 1, G_CMP, R9, RCX);
            wrong[n++] = put_jump_if(m, IF_ABOVE);
            put_test_imm(m, R8, 3);
            wrong[n++] = put_jump_if(m, IF_NOT_ZERO);
            put_rr(m, 1, G_ADD, R8, RAX);
            put_vector(m, one ? V_SPREAD : V_LOADU, out, 0, vec_mem(R8, 0));
            done[one] = put_jump(m);
            land_here(m, next);
        }
        put_unfit(m, offset, first, 0, TABLE_WORD(three));
        put_mask_test(m, 1, 1);
        wrong[n++] = put_jump_if(m, IF_NOT_ZERO);
        put_mask_ones(m, 1);
        put_gather_words(m, out, offset, want);
        for (uint32_t k = 0; k < 2; k++) land_here(m, done[k]);
    }
    put_answer(m, wrong, n);
}

// A handler, as run_straight calls it. EXEC_NEXT: the line goes on.
static uint32_t call_handler(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    const enum exec_outcome o = x->fn(e, w, x, mask);
    if (ww_unlikely(e->heard != NULL) && o == EXEC_MEMORY) e->heard(e, w);
    return o == EXEC_MEMORY && !step_ends_turn(&e->access) ? EXEC_NEXT : o;
}
static void put_handler(struct compiler *c, uint32_t pc) {
    struct emitter *const m = &c->s.m;
    put_store_imm(m, WARP, offsetof(struct exec_warp, pc), pc + 1);
    put_rr(m, 1, G_LOAD, RDI, ENV);
    put_rr(m, 1, G_LOAD, RSI, WARP);
    put_const64(m, RDX, (uintptr_t)&c->l->code[pc]);
    put_clear_upper(m);
    put_call_c(m, (uintptr_t)call_handler);
}
// The lanes that execute the instruction, in RCX. (In the line of all lanes those of no guard are
// all.)
static void put_lanes(struct compiler *c) {
    struct emitter *const m = &c->s.m;
    const struct xinst *const x = &c->l->code[c->pc];
    if (!c->guarded) {
        put_rm(m, 0, G_LOAD, RCX, WARP, offsetof(struct exec_warp, active));
        return;
    }
    put_rm(m, 0, G_LOAD, RCX, WARP, (int32_t)(offsetof(struct exec_warp, pred) + 4u * x->guard));
    if (x->guard_xor) put_not(m, RCX);
    if (c->lanes == NATIVE_SOME_LANES) put_rm(m, 0, G_AND, RCX, WARP, offsetof(struct exec_warp, active));
}
// The lanes in RCX, if there is a guard, or else all that are active have executed an instruction.
static void count_lanes(struct compiler *c) {
    if (!c->guarded) {
        c->s.threads += c->lanes == NATIVE_ALL_LANES ? WARP_LANES : 1;
        return;
    }
    put_count(&c->s.m, RAX, RCX);
    put_rr(&c->s.m, 1, G_ADD, GUARDED, RAX);
    c->s.moved_guarded = true;
}
static void compile_call(struct compiler *c) {
    struct emitter *const m = &c->s.m;
    write_back(c);
    put_lanes(c);
    count_lanes(c);
    uint8_t *none = NULL;
    if (c->guarded) {
        put_test(m, RCX);
        none = put_jump_if(m, IF_ZERO);
    }
    put_handler(c, c->pc);
    put_test(m, RAX);
    add_exit(c, IF_NOT_ZERO, EXIT_OUTCOME);
    if (none) land_here(m, none);
    put_common(c);
    forget_pairs(c);
    c->pc++;
    write_back(c);
    c->pc--;
}
static void compile_one(struct compiler *c) {
    const struct xinst *const x = &c->l->code[c->pc];
    const bool always = pred_is_true(x->guard);
    c->now++;
    c->guarded = !always;
    if (always && x->guard_xor) return; // never
    const struct native_row *const row = native_row_of(x->fn);
    if (!row) {
        compile_call(c);
        return;
    }
    const struct standing before = c->s;
    if (c->guarded) {
        put_lanes(c);
        put_mask_from(&c->s.m, GUARD_MASK, RCX);
        put_shift(&c->s.m, 0, false, RCX, 16);
        put_mask_from(&c->s.m, GUARD_MASK + 1, RCX);
    }
    if (!row->emit(c, x, row->kind)) {
        c->s = before;
        compile_call(c);
        return;
    }
    if (c->guarded) {
        put_mask_join(&c->s.m, 1, GUARD_MASK + 1, GUARD_MASK);
        put_mask_to(&c->s.m, RCX, 1);
    }
    count_lanes(c);
}
// RDX = the run, to which n instructions of the line and their threads are added.
static void put_account(struct compiler *c, uint32_t n) {
    struct emitter *const m = &c->s.m;
    put_rm(m, 1, G_LOAD, RDX, RSP, RUN);
    put_const(m, RCX, c->s.threads);
    if (c->lanes == NATIVE_SOME_LANES) put_multiply(m, RCX, RSP, ACTIVE_LANES);
    put_rr(m, 1, G_ADD, RCX, GUARDED);
    put_rm(m, 1, G_ADD_TO, RCX, RDX, offsetof(struct native_run, threads));
    put_mi(m, I_ADD, RDX, offsetof(struct native_run, n), n);
}
static void put_leaving(struct compiler *c, uint32_t n) {
    put_account(c, n);
    jump_to(&c->s.m, c->native->shared.leave);
}
static void put_exit(struct compiler *c, uint32_t k) {
    const struct exit *const e = &c->exit[k];
    struct emitter *const m = &c->s.m;
    const struct emitter here = *m;
    const uint32_t n_exits = c->s.n_exits;
    c->s = e->at;
    c->s.m = here;
    c->s.n_exits = n_exits;
    c->pc = e->pc;
    c->guarded = e->guarded;
    land_here(m, e->jump);
    switch (e->kind) {
    case EXIT_NAN:
        if (c->s.moved_guarded) put_rm(m, 1, G_LOAD, GUARDED, RSP, KEPT_GUARDED);
        FOR_EACH_BIT32(p, c->s.kept) {
            put_rm(m, 0, G_LOAD, RAX, RSP, (int32_t)(KEPT_PREDS + 4 * p));
            put_rm(m, 0, G_STORE, RAX, WARP, (int32_t)(offsetof(struct exec_warp, pred) + 4 * p));
        }
        put_store_imm(m, WARP, offsetof(struct exec_warp, pc), c->s.checkpoint);
        c->s.threads = c->s.checkpoint_threads;
        put_account(c, c->s.checkpoint - c->first);
        put_store_imm(m, RDX, offsetof(struct native_run, line), c->first);
        put_const(m, RAX, NATIVE_NAN);
        jump_to(m, c->native->shared.leave);
        return;
    case EXIT_HANDLER:
        write_back(c);
        put_lanes(c);
        count_lanes(c);
        put_handler(c, c->pc);
        break;
    default: break;
    }
    put_leaving(c, c->pc + 1 - c->first);
}

// ---- from line to line ------------------------------------------------------------------------
// Jumps that leave, with the warp where it is; before the branch at `pc`; behind it.
struct leaving {
    uint8_t *jump[16];
    uint32_t n;
};
static void leave_on(struct compiler *c, struct leaving *l, uint32_t condition) {
    assert(l->n < WW_COUNT(l->jump));
    l->jump[l->n++] = put_jump_if(&c->s.m, condition);
}
static void put_leaves(struct compiler *c, const struct leaving *l) {
    for (uint32_t k = 0; k < l->n; k++) land_here(&c->s.m, l->jump[k]);
    put_rr(&c->s.m, 0, G_XOR, RAX, RAX);
    jump_to(&c->s.m, c->native->shared.leave);
}
// Compares n of the run, in RDX, with its limit.
static void put_compare_limit(struct emitter *m) {
    put_rm(m, 0, G_LOAD, RAX, RDX, offsetof(struct native_run, n));
    put_rm(m, 0, G_CMP, RAX, RDX, offsetof(struct native_run, limit));
}
// On to the line at pc, if there is one.
static void put_go_on(struct compiler *c, uint32_t pc, struct leaving *none) {
    struct emitter *const m = &c->s.m;
    put_const64(m, RAX, (uintptr_t)&c->native->line[pc].of[c->lanes].fn);
    put_rm(m, 1, G_LOAD, RAX, RAX, 0);
    put_rr(m, 1, G_TEST, RAX, RAX);
    leave_on(c, none, IF_ZERO);
    put_store_imm(m, RDX, offsetof(struct native_run, went_on), 1);
    put_ri(m, 1, 0, RAX, c->native->inside[c->lanes]);
    put_jump_to(m, RAX);
}
// From the branch at `pc` to `to`. `counts`: the active lanes have executed it, or none has.
static void put_branch_to(struct compiler *c, uint32_t pc, uint32_t to, bool counts,
                          struct leaving *before) {
    struct emitter *const m = &c->s.m;
    struct leaving behind = {.n = 0};
    if (to <= pc && c->l->converge->is_independent) { // a turn of a loop of lanes that are alone
        put_rm(m, 1, G_LOAD, RAX, WARP, offsetof(struct exec_warp, its));
        put_mi(m, I_CMP, RAX, offsetof(struct its, n), 1);
        leave_on(c, before, IF_NOT_ZERO);
        put_mi(m, I_CMP, RAX, offsetof(struct its, waits), 0);
        leave_on(c, before, IF_NOT_ZERO);
    }
    put_mi(m, I_CMP, WARP, offsetof(struct exec_warp, reconv), to);
    leave_on(c, before, IF_ZERO);
    put_mi(m, I_ADD, RDX, offsetof(struct native_run, n), 1);
    if (counts && c->lanes == NATIVE_ALL_LANES) {
        put_mi64(m, I_ADD, RDX, offsetof(struct native_run, threads), WARP_LANES);
    } else if (counts) {
        put_rm(m, 1, G_LOAD, RAX, RSP, ACTIVE_LANES);
        put_rm(m, 1, G_ADD_TO, RAX, RDX, offsetof(struct native_run, threads));
    }
    put_store_imm(m, WARP, offsetof(struct exec_warp, pc), to);
    put_compare_limit(m);
    leave_on(c, &behind, IF_NOT_BELOW);
    put_go_on(c, to, &behind);
    for (uint32_t k = 0; k < behind.n; k++) land_here(m, behind.jump[k]);
    put_store_imm(m, RDX, offsetof(struct native_run, at_end), 1);
    put_leaves(c, &(struct leaving){.n = 0});
}
// Whether lanes go by a predicate beside the guard (machine code).
static bool asks_predicate(const struct compiler *c, uint32_t pc) {
    return c->l->im->inst[pc].src[0].kind == OPND_PRED;
}
// Behind the line stands a branch.
static void put_branch(struct compiler *c, uint32_t pc) {
    struct emitter *const m = &c->s.m;
    const struct xinst *const x = &c->l->code[pc];
    struct leaving before = {.n = 0};
    // In front of where lanes meet the branch belongs to the straight line.
    put_mi(m, I_CMP, WARP, offsetof(struct exec_warp, reconv), pc + 1);
    leave_on(c, &before, IF_ZERO);
    put_compare_limit(m);
    leave_on(c, &before, IF_NOT_BELOW);
    uint8_t *none = NULL;
    const bool asks = asks_predicate(c, pc);
    c->pc = pc;
    c->guarded = !pred_is_true(x->guard);
    if (c->guarded || asks) {
        if (c->guarded)
            put_lanes(c);
        else
            put_predicate(c, RCX, x->c);
        if (asks && c->lanes == NATIVE_SOME_LANES)
            put_rm(m, 0, G_AND, RCX, WARP, offsetof(struct exec_warp, active));
        put_test(m, RCX);
        none = put_jump_if(m, IF_ZERO);
        if (c->lanes == NATIVE_ALL_LANES)
            put_ri(m, 0, I_CMP, RCX, ~0u);
        else
            put_rm(m, 0, G_CMP, RCX, WARP, offsetof(struct exec_warp, active));
        leave_on(c, &before, IF_NOT_ZERO);
    }
    put_branch_to(c, pc, x->d, true, &before);
    if (none) {
        land_here(m, none);
        put_branch_to(c, pc, pc + 1, asks, &before);
    }
    put_leaves(c, &before);
}
static bool is_branch(const struct compiler *c, uint32_t pc) {
    if (pc + 1 >= c->native->n_lines) return false;
    const struct xinst *const x = &c->l->code[pc];
    const enum flow_fn f = flow_of(&c->l->im->inst[pc]);
    if (f != FLOW_BRA && f != FLOW_BRA_ALL) return false;
    if (c->l->im->inst[pc].sub == MBRA_ANY) return false; // one lane takes all along
    if (asks_predicate(c, pc) && !pred_is_true(x->guard)) return false;
    return x->d < c->native->n_lines && !(pred_is_true(x->guard) && x->guard_xor);
}
// The end of a line, all of whose registers are in memory: the warp stands at `end`.
static void put_end(struct compiler *c, uint32_t end) {
    struct emitter *const m = &c->s.m;
    struct leaving here = {.n = 0};
    put_store_imm(m, WARP, offsetof(struct exec_warp, pc), end);
    put_account(c, end - c->first);
    if (end < c->native->n_lines && end == c->l->control[end]) {
        if (is_branch(c, end)) put_branch(c, end);
    } else if (end < c->native->n_lines) { // the same straight line, unless lanes meet here
        put_mi(m, I_CMP, WARP, offsetof(struct exec_warp, reconv), end);
        leave_on(c, &here, IF_ZERO);
        put_mi(m, I_CMP, RDX, offsetof(struct native_run, limit), 0);
        leave_on(c, &here, IF_ZERO);
        put_mi(m, I_CMP, RDX, offsetof(struct native_run, n), NATIVE_MOST_ON);
        leave_on(c, &here, IF_NOT_BELOW);
        put_go_on(c, end, &here);
    }
    put_leaves(c, &here);
}

// Whether an instruction in front of where lanes meet may run before they do, instead of after: it
// asks nothing of which lanes are active but whether it executes itself.
static bool may_be_last(const struct xinst *x) {
    return native_row_of(x->fn) || x->op == OP_ST;
}
// Where a line that begins at pc ends. What ends a turn whenever it runs ends the line.
static uint32_t end_of(const struct native *n, uint32_t pc) {
    const struct exec_launch *const l = n->l;
    const uint32_t control = l->control[pc];
    uint32_t end = pc;
    while (end < control && end - pc < NATIVE_MOST_LENGTH) {
        const struct xinst *const x = &l->code[end++];
        if (n->leads[end / 32] >> (end % 32) & 1) return may_be_last(x) ? end : end - 1;
        if ((x->op == OP_ST && x->space != SPACE_LOCAL) || x->op == OP_ATOM) break;
    }
    return end;
}
// The line from pc on, or its first `length` instructions. NULL: no memory, or too much code.
static native_fn compile(struct native *n, uint32_t pc, enum native_lanes lanes, uint32_t length) {
    struct compiler *const c = n->compiler;
    uint8_t *const first = n->code + n->used;
    const size_t room = CODE_BYTES - n->used;
    if (room < LINE_BYTES || mprotect(first, LINE_BYTES, PROT_READ | PROT_WRITE)) return NULL;
    c->s = (struct standing){.m = {.at = first, .end = first + LINE_BYTES}, .checkpoint = pc};
    c->native = n;
    c->l = n->l;
    c->lanes = lanes;
    c->first = pc;
    c->now = 0;
    forget_pairs(c);
    const uint32_t end = pc + length;
    put_enter(c);
    for (c->pc = pc; c->pc < end; c->pc++) compile_one(c);
    write_back(c);
    put_end(c, end);
    for (uint32_t k = 0; k < c->s.n_exits; k++) put_exit(c, k); // which may add some
    if (c->s.m.is_full) return NULL;
    n->used += bits_align_up((size_t)(c->s.m.at - first), PAGE);
    if (mprotect(first, n->used - (size_t)(first - n->code), PROT_READ | PROT_EXEC)) return NULL;
    union { // a pointer to data becomes one to a function
        uint8_t *data;
        native_fn fn;
    } u = {.data = first};
    return u.fn;
}
void native_ask(struct native *n, uint32_t pc, enum native_lanes lanes) {
    struct native_line *const line = &n->line[pc];
    if (atomic_fetch_add_explicit(&line->of[lanes].heat, 1, memory_order_relaxed) != n->hot) return;
    pthread_mutex_lock(&n->lock);
    if (!atomic_load(&line->of[lanes].fn) && atomic_load(&line->of[lanes].heat) < NATIVE_NEVER) {
        if (!line->length) line->length = end_of(n, pc) - pc;
        // What is too much code for one line becomes several, each of which goes on to the next.
        native_fn fn = NULL;
        for (uint32_t length = line->length; !fn && length; length /= 2)
            fn = compile(n, pc, lanes, length);
        if (fn)
            atomic_store_explicit(&line->of[lanes].fn, fn, memory_order_release);
        else
            atomic_store(&line->of[lanes].heat, NATIVE_NEVER);
    }
    pthread_mutex_unlock(&n->lock);
}

// ---- launches ---------------------------------------------------------------------------------
// Code that all lines share: on the first page.
static bool put_shared(struct native *n) {
    struct emitter m = {.at = n->code, .end = n->code + PAGE};
    if (mprotect(n->code, PAGE, PROT_READ | PROT_WRITE)) return false;
    n->shared.leave = m.at;
    put_leave(&m);
    n->shared.load_words = m.at;
    put_load_words(&m);
    n->shared.load_words_masked = m.at;
    put_load_words_masked(&m);
    return !m.is_full && !mprotect(n->code, PAGE, PROT_READ | PROT_EXEC);
}
struct native *native_create(void) {
    struct native *const n = calloc(1, sizeof *n);
    if (!n) return NULL;
    pthread_mutex_init(&n->lock, NULL);
    n->compiler = calloc(1, sizeof *n->compiler);
    void *const code =
        mmap(NULL, CODE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    n->code = code == MAP_FAILED ? NULL : code;
    if (n->compiler && n->code && put_shared(n)) return n;
    native_destroy(n);
    return NULL;
}
void native_destroy(struct native *n) {
    if (!n) return;
    if (n->code) munmap(n->code, CODE_BYTES);
    pthread_mutex_destroy(&n->lock);
    free(n->compiler);
    free(n->line);
    free(n->leads);
    free(n);
}
static void lead(struct native *n, int64_t pc) {
    if (pc >= 0 && pc < n->n_lines) n->leads[pc / 32] |= 1u << (pc % 32);
}
bool native_begin(struct native *n, const struct exec_launch *l, bool is_heard) {
    n->is_heard = is_heard;
    n->hot = atomic_load(&native_heat);
    if (n->hot == NATIVE_NEVER || strcmp(exec_simd_level(), "v4") || l->args.options.check_races)
        return false;
    n->l = l;
    n->used = PAGE;
    n->n_lines = l->im->n_insts;
    if (n->n_lines > n->cap_lines) {
        free(n->line);
        free(n->leads);
        n->cap_lines = n->n_lines;
        n->line = malloc(n->cap_lines * sizeof *n->line);
        n->leads = malloc((n->cap_lines / 32 + 1) * sizeof *n->leads);
        if (!n->line || !n->leads) n->cap_lines = 0;
    }
    if (!n->cap_lines) return false;
    memset((void *)n->line, 0, n->n_lines * sizeof *n->line);
    memset(n->leads, 0, (n->n_lines / 32 + 1) * sizeof *n->leads);
    for (uint32_t k = 0; k < n->n_lines; k++) {
        if (l->code[k].advance) continue;
        lead(n, l->im->inst[k].target);
        lead(n, l->im->inst[k].reconv);
    }
    return true;
}
#else
struct native *native_create(void) { return NULL; }
void native_destroy(struct native *n) { (void)n; }
bool native_begin(struct native *n, const struct exec_launch *l, bool is_heard) {
    (void)n, (void)l, (void)is_heard;
    return false;
}
void native_ask(struct native *n, uint32_t pc, enum native_lanes lanes) {
    (void)n, (void)pc, (void)lanes;
}
#endif
