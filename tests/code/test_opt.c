// What the optimiser makes of each idiom, as text.
#include "isa/disasm.h"
#include "code/opt.h"
#include "test_build.h"

// Runs the optimiser; the code must then read as `lines` say, one instruction each.
static void becomes(struct builder *b, const char *const *lines, uint32_t n) {
    opt_run(&b->f);
    char all[4096] = "";
    bool same = b->f.inst.n == n;
    for (uint32_t i = 0; i < b->f.inst.n; i++) {
        char text[256];
        disasm_minst(&b->f.inst.at[i], false, text, sizeof text);
        same = same && strcmp(text, lines[i]) == 0;
        snprintf(all + strlen(all), sizeof all - strlen(all), "    %s\n", text);
    }
    if (!same) {
        fprintf(stderr, "got\n%swanted\n", all);
        for (uint32_t i = 0; i < n; i++) fprintf(stderr, "    %s\n", lines[i]);
        fail();
    }
    build_free(b);
}
#define BECOMES(b, ...)                                                                            \
    do {                                                                                           \
        static const char *const lines[] = {__VA_ARGS__};                                          \
        becomes(b, lines, WW_COUNT(lines));                                                        \
    } while (0)

static struct minst *global(struct minst *m) {
    m->space = SPACE_GLOBAL;
    m->klass = m->op == OP_LD ? OPC_LD_GLOBAL : OPC_ST_GLOBAL;
    m->type = ITYPE_B32;
    m->vec = 1;
    return m;
}
static struct minst *store(struct builder *b, struct opnd address, struct opnd value) {
    return global(emit(b, OP_ST, nothing, address, value));
}
static struct minst *sreg(struct builder *b, struct opnd d, enum isa_sreg s) {
    struct minst *m = emit(b, OP_S2R, d, nothing, nothing);
    m->aux = (uint16_t)s;
    return m;
}
static struct minst *end(struct builder *b) { return emit(b, OP_EXIT, nothing, nothing, nothing); }
// d = a + b in two halves
static void add64(struct builder *b, uint32_t d, struct opnd a0, struct opnd a1, struct opnd b0,
                  struct opnd b1) {
    set_half(emit(b, OP_IADD, gpr_sub(d, 0, 1), a0, b0), 0);
    set_half(emit(b, OP_IADD, gpr_sub(d, 1, 1), a1, b1), 1);
}

static void constants_become_operands(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), c = vreg(&b, 1), k = vreg(&b, 1), s = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_MOV, gpr(c), cbank(CB_LAUNCH, 0x20), nothing);
    emit(&b, OP_MOV, gpr(k), imm(7), nothing);
    emit(&b, OP_IADD, gpr(s), gpr(c), gpr(x)); // the constant changes sides
    emit(&b, OP_IMUL, gpr(s), gpr(s), gpr(k));
    store(&b, gpr(x), gpr(s));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "IADD V3, V0, c[0x0][0x20]", "IMUL V3, V3, 7", "STG [V0], V3",
            "EXIT");
}

static void one_constant_an_instruction(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), c = vreg(&b, 1), d = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_MOV, gpr(c), cbank(CB_LAUNCH, 0x20), nothing);
    emit(&b, OP_MOV, gpr(d), cbank(CB_LAUNCH, 0x24), nothing);
    emit(&b, OP_IADD, gpr(c), gpr(c), gpr(d));
    store(&b, gpr(x), gpr(c));
    end(&b);
    opt_run(&b.f);
    unsigned moves = 0;
    for (uint32_t i = 0; i < b.f.inst.n; i++) moves += b.f.inst.at[i].op == OP_MOV;
    assert_int_equal(moves, 1);
    build_free(&b);
}

static void additions_go_into_addresses(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t p = vreg(&b, 2), q = vreg(&b, 2), x = vreg(&b, 1), a = vreg(&b, 1);
    global(emit(&b, OP_LD, gpr_sub(p, 0, 2), imm(0), nothing))->type = ITYPE_B64;
    b.f.inst.at[0].src[0] = nothing;
    add64(&b, q, gpr_sub(p, 0, 1), gpr_sub(p, 1, 1), imm((uint32_t)-16), imm(UINT32_MAX));
    global(emit(&b, OP_LD, gpr(x), gpr_sub(q, 0, 2), nothing))->offset = 4;
    emit(&b, OP_IADD, gpr(a), gpr(x), imm(0x40));
    store(&b, gpr(a), gpr(x))->offset = 8;
    end(&b);
    BECOMES(&b, "LDG.B64 V0.64, [0x0]", "LDG V2, [V0.64-0xc]", "STG [V2+0x48], V2", "EXIT");
}

// The sum is needed elsewhere too: then it is computed, and the address may as well use it.
static void a_sum_with_other_readers_stays(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), a = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_IADD, gpr(a), gpr(x), imm(0x40));
    store(&b, gpr(a), gpr(a));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "IADD V1, V0, 0x40", "STG [V1], V1", "EXIT");
}

static void shifts_and_products_join_additions(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), y = vreg(&b, 1), t = vreg(&b, 1), u = vreg(&b, 1),
                   d = vreg(&b, 1), e = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_tid_x);
    sreg(&b, gpr(y), SREG_tid_y);
    emit(&b, OP_SHL, gpr(t), gpr(x), imm(4));
    emit(&b, OP_IADD, gpr(d), gpr(y), gpr(t));
    emit(&b, OP_IMUL, gpr(u), gpr(x), gpr(d));
    emit(&b, OP_IADD, gpr(e), gpr(u), imm(3));
    store(&b, gpr(d), gpr(e));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "S2R V1, SR_tid.y", "ISCADD V4, V0, V1, 0x4", "IMUL V3, V0, V4",
            "IADD V5, V3, 3", "STG [V4], V5", "EXIT"); // 3 would be a second operand of no register
}

static void no_scaled_addition_on_tesla(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    b.target.gen = GEN_TESLA;
    const uint32_t x = vreg(&b, 1), t = vreg(&b, 1), d = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_SHL, gpr(t), gpr(x), imm(4));
    emit(&b, OP_IADD, gpr(d), gpr(x), gpr(t));
    store(&b, gpr(d), gpr(d));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "SHL V1, V0, 4", "IADD V2, V0, V1", "STG [V2], V2", "EXIT");
}

// base + (index << 2) in 64 bits: two multiply-adds, as ptxas writes it for Fermi.
static void wide_addresses_become_multiply_adds(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), c = vreg(&b, 2), w = vreg(&b, 2), p = vreg(&b, 2);
    sreg(&b, gpr(x), SREG_tid_x);
    for (uint8_t i = 0; i < 2; i++)
        emit(&b, OP_MOV, gpr_sub(c, i, 1), cbank(CB_LAUNCH, 0x20u + 4u * i), nothing);
    emit(&b, OP_SHL, gpr_sub(w, 0, 1), gpr(x), imm(2));
    emit(&b, OP_SHR, gpr_sub(w, 1, 1), gpr(x), imm(30))->type = ITYPE_S32;
    add64(&b, p, gpr_sub(c, 0, 1), gpr_sub(c, 1, 1), gpr_sub(w, 0, 1), gpr_sub(w, 1, 1));
    store(&b, gpr_sub(p, 0, 2), gpr(x));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "MOV V4, 4", "IMAD.CC.S32 V3, V0, V4, c[0x0][0x20]",
            "IMAD.HI.X.S32 V3.1, V0, V4, c[0x0][0x24]", "STG [V3.64], V0", "EXIT");
}

static void signs_become_operands(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), n = vreg(&b, 1), a = vreg(&b, 1), d = vreg(&b, 1),
                   e = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_tid_x);
    struct minst *m = emit(&b, OP_FABSNEG, gpr(a), gpr(x), nothing);
    m->type = ITYPE_F32;
    m->src[0].mods = OPND_ABS;
    m = emit(&b, OP_FABSNEG, gpr(n), gpr(a), nothing);
    m->type = ITYPE_F32;
    m->src[0].mods = OPND_NEG;
    emit(&b, OP_FADD, gpr(d), gpr(x), gpr(n))->type = ITYPE_F32;
    emit(&b, OP_FMUL, gpr(e), gpr(d), gpr(a))->type = ITYPE_F32; // products take no absolute value
    store(&b, gpr(x), gpr(e));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "FMOV V2, |V0|", "FADD V3, V0, -|V0|", "FMUL V4, V3, V2",
            "STG [V0], V4", "EXIT");
}

// tex.2d with a result of four words, of which `used` are stored (bit k: component k).
static void fetch_with(struct builder *b, unsigned used) {
    build_init(b, 1);
    const uint32_t at = vreg(b, 2), four = vreg(b, 4), x = vreg(b, 1);
    sreg(b, gpr(x), SREG_tid_x);
    emit(b, OP_LD, gpr_sub(at, 0, 2), gpr(x), nothing);
    global(&b->f.inst.at[1])->vec = 2;
    struct minst *m = emit(b, OP_TEX, gpr_sub(four, 0, 4), imm(64), gpr_sub(at, 0, 2));
    m->type = m->stype = ITYPE_F32;
    m->sub = MTEX_2D;
    m->vec = 4;
    for (uint8_t k = 0; k < 4; k++)
        if (used >> k & 1) store(b, gpr(x), gpr_sub(four, k, 1));
    end(b);
}
static void texels_lose_unread_components(void **state) {
    (void)state;
    struct builder b;
    fetch_with(&b, 1);
    BECOMES(&b, "S2R V2, SR_tid.x", "LDG.V2 V0.64, [V2]", "TEX.2D V1, 0x40, V0.64", "STG [V2], V1",
            "EXIT");
    fetch_with(&b, 2);
    BECOMES(&b, "S2R V2, SR_tid.x", "LDG.V2 V0.64, [V2]", "TEX.2D.V2 V1.64, 0x40, V0.64",
            "STG [V2], V1.1", "EXIT");
    fetch_with(&b, 4 | 1);
    BECOMES(&b, "S2R V2, SR_tid.x", "LDG.V2 V0.64, [V2]", "TEX.2D.V4 V1.128, 0x40, V0.64",
            "STG [V2], V1", "STG [V2], V1.2", "EXIT");

    // The register itself is as small as what is named of it.
    static const uint8_t words[][2] = {{1, 1}, {2, 2}, {4, 4}, {8, 4}};
    for (size_t i = 0; i < WW_COUNT(words); i++) {
        fetch_with(&b, words[i][0]);
        opt_run(&b.f);
        assert_int_equal(b.f.vreg_words.at[1], words[i][1]);
        build_free(&b);
    }
}

static void dead_code_takes_its_fillers_along(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), d = vreg(&b, 1), e = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_IDIV, gpr(d), gpr(x), imm(3));
    for (unsigned i = 0; i < 3; i++) emit(&b, OP_FILLER, gpr(d), gpr(d), nothing);
    emit(&b, OP_IREM, gpr(e), gpr(x), imm(5));
    emit(&b, OP_FILLER, gpr(e), gpr(e), nothing);
    store(&b, gpr(x), gpr(e));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "IREM V2, V0, 5", "NOP.CTRL V2", "STG [V0], V2", "EXIT");
}

static void a_carry_nobody_reads_goes(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), p = vreg(&b, 2);
    sreg(&b, gpr(x), SREG_tid_x);
    add64(&b, p, gpr(x), gpr(x), gpr(x), gpr(x));
    store(&b, gpr(x), gpr_sub(p, 0, 1));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "IADD V1, V0, V0", "STG [V0], V1", "EXIT");
}

static void equal_values_are_found(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), y = vreg(&b, 1), d = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_tid_x);
    sreg(&b, gpr(y), SREG_tid_x);
    emit(&b, OP_IMUL, gpr(d), gpr(x), gpr(y));
    store(&b, gpr(x), gpr(d));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "IMUL V2, V0, V0", "STG [V0], V2", "EXIT");
}

static void clocks_are_not_equal(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), y = vreg(&b, 1), d = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_clock)->flags = MF_VOLATILE;
    sreg(&b, gpr(y), SREG_clock)->flags = MF_VOLATILE;
    emit(&b, OP_IADD, gpr(d), gpr(y), gpr(x))->src[1].mods = OPND_NEG;
    store(&b, gpr(d), gpr(d));
    end(&b);
    BECOMES(&b, "S2R.VOL V0, SR_clock", "S2R.VOL V1, SR_clock", "IADD V2, V1, -V0", "STG [V2], V2",
            "EXIT");
}

static void short_branches_become_guards(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), d = vreg(&b, 1), p = vpred(&b);
    const int32_t other = label(&b), after = label(&b);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_ISETP, pred(p), gpr(x), imm(3))->cmp = MCMP_LT;
    emit_branch(&b, other, p, false);
    emit(&b, OP_IADD, gpr(d), gpr(x), imm(1));
    emit_branch(&b, after, VPRED_TRUE, false);
    place(&b, other);
    emit(&b, OP_IADD, gpr(d), gpr(x), imm(2));
    place(&b, after);
    store(&b, gpr(x), gpr(d));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "ISETP.LT VP0, V0, 3", "@!VP0 IADD V1, V0, 1",
            "@VP0 IADD V1, V0, 2", "STG [V0], V1", "EXIT");
}

static void branches_are_mended(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), p = vpred(&b);
    const int32_t far = label(&b), hop = label(&b), next = label(&b), last = label(&b);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_ISETP, pred(p), gpr(x), imm(3))->cmp = MCMP_LT;
    emit_branch(&b, far, p, false);           // to a jump to the end
    emit_branch(&b, next, VPRED_TRUE, false); // to the next instruction
    place(&b, next);
    emit(&b, OP_BAR, nothing, imm(0), nothing); // may not be guarded
    emit_branch(&b, last, VPRED_TRUE, false);
    store(&b, gpr(x), imm(0)); // cannot be reached
    place(&b, far);
    emit_branch(&b, hop, VPRED_TRUE, false);
    place(&b, hop);
    emit_branch(&b, last, VPRED_TRUE, false);
    place(&b, last);
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "ISETP.LT VP0, V0, 3", "@VP0 EXIT", "BAR.SYNC RZ", "EXIT");
}

static void negated_predicates_vanish(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), p = vpred(&b), q = vpred(&b);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_ISETP, pred(p), gpr(x), imm(3))->cmp = MCMP_LT;
    emit(&b, OP_PSETP, pred(q), pred(p), nothing)->src[0].mods = OPND_NOT;
    store(&b, gpr(x), gpr(x))->guard = q;
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "ISETP.LT VP0, V0, 3", "@!VP0 STG [V0], V0", "EXIT");
}

static void comparisons_take_the_second_condition(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), p = vpred(&b), q = vpred(&b), r = vpred(&b);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_ISETP, pred(p), gpr(x), imm(3))->cmp = MCMP_LT;
    emit(&b, OP_ISETP, pred(q), gpr(x), imm(9))->cmp = MCMP_EQ;
    struct minst *m = emit(&b, OP_PSETP, pred(r), pred(p), pred(q));
    m->sub = MLOGIC_OR;
    m->src[0].mods = OPND_NOT;
    store(&b, gpr(x), gpr(x))->guard = r;
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "ISETP.EQ VP1, V0, 9", "ISETP.GE.OR VP2, V0, 3, VP1",
            "@VP2 STG [V0], V0", "EXIT");
}

// @p BRA on; a; BRA on  ->  @!p a; BRA on
static void a_side_that_goes_on_elsewhere(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), p = vpred(&b), q = vpred(&b);
    const int32_t head = label(&b), out = label(&b);
    sreg(&b, gpr(x), SREG_tid_x);
    place(&b, head);
    emit(&b, OP_BAR, nothing, imm(0), nothing);
    emit(&b, OP_ISETP, pred(q), gpr(x), imm(9))->cmp = MCMP_GT;
    emit_branch(&b, out, q, false);
    emit(&b, OP_ISETP, pred(p), gpr(x), imm(3))->cmp = MCMP_LT;
    emit_branch(&b, head, p, false);
    emit(&b, OP_IADD, gpr(x), gpr(x), imm(1));
    emit_branch(&b, head, VPRED_TRUE, false);
    place(&b, out);
    store(&b, gpr(x), gpr(x));
    end(&b);
    BECOMES(&b, "S2R V0, SR_tid.x", "BAR.SYNC RZ", "ISETP.GT VP1, V0, 9", "@VP1 BRA L1",
            "ISETP.LT VP0, V0, 3", "@!VP0 IADD V0, V0, 1", "BRA L0", "STG [V0], V0", "EXIT");
}

// Volta: a constant inside of a sum of one word goes into the offset of the address; known numbers
// are multiplied.
static void constants_leave_sums(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 2; which++) {
        struct builder b;
        build_init(&b, 1);
        if (which == 0) b.target.gen = GEN_VOLTA;
        const uint32_t x = vreg(&b, 1), y = vreg(&b, 1), k = vreg(&b, 1), t = vreg(&b, 1),
                       a = vreg(&b, 1), c = vreg(&b, 1);
        sreg(&b, gpr(x), SREG_tid_x);
        sreg(&b, gpr(y), SREG_ctaid_x);
        emit(&b, OP_MOV, gpr(k), imm(0x30), nothing);
        emit(&b, OP_IADD, gpr(t), gpr(x), imm((uint32_t)-1));
        emit(&b, OP_ISCADD, gpr(a), gpr(t), gpr(y))->sub = 2;
        store(&b, gpr(a), gpr(x))->offset = 4;
        struct minst *const m = emit(&b, OP_IMAD, gpr(c), gpr(k), imm(3));
        m->src[2] = gpr(a);
        store(&b, gpr(c), gpr(x));
        end(&b);
        if (which == 0)
            BECOMES(&b, "S2R V0, SR_tid.x", "S2R V1, SR_ctaid.x", "ISCADD V6, V0, V1, 0x2",
                    "STG [V6], V0", "STG [V6+0x8c], V0", "EXIT");
        else
            build_free(&b);
    }
}

// Volta: what a loop does not change is computed in front of it.
static void fixed_values_leave_loops(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    b.target.gen = GEN_VOLTA;
    const uint32_t x = vreg(&b, 1), i = vreg(&b, 1), f = vreg(&b, 1), a = vreg(&b, 1),
                   p = vpred(&b);
    const int32_t head = label(&b);
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_MOV, gpr(i), imm(0), nothing);
    place(&b, head);
    struct minst *const m = emit(&b, OP_BFE, gpr(f), gpr(x), imm(2));
    m->src[2] = imm(1);
    emit(&b, OP_IMAD, gpr(a), gpr(f), imm(0x90))->src[2] = gpr(x);
    store(&b, gpr(a), gpr(i));
    emit(&b, OP_IADD, gpr(i), gpr(i), imm(1));
    emit(&b, OP_ISETP, pred(p), gpr(i), imm(10))->cmp = MCMP_LT;
    emit_branch(&b, head, p, false);
    end(&b);
    opt_run(&b.f);
    assert_int_equal(b.f.label_at.at[head], 4);
    assert_int_equal(b.f.inst.at[4].op, OP_ST);
    build_free(&b);
}

static void loads_start_early(void **state) {
    (void)state;
    struct builder b;
    build_init(&b, 1);
    const uint32_t x = vreg(&b, 1), s = vreg(&b, 1), l[3] = {vreg(&b, 1), vreg(&b, 1), vreg(&b, 1)};
    sreg(&b, gpr(x), SREG_tid_x);
    emit(&b, OP_MOV, gpr(s), gpr(x), nothing);
    for (unsigned i = 0; i < 3; i++) {
        global(emit(&b, OP_LD, gpr(l[i]), gpr(x), nothing))->offset = 16 * i;
        emit(&b, OP_FADD, gpr(s), gpr(s), gpr(l[i]))->type = ITYPE_F32;
    }
    store(&b, gpr(x), gpr(s))->offset = 64;
    end(&b);
    opt_run(&b.f);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(b.f.inst.at[1 + i].op, OP_LD);
    build_free(&b);
}

// A load stays behind a store that it may meet, and goes ahead of one that it cannot.
static void loads_mind_stores(void **state) {
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        struct builder b;
        build_init(&b, 1);
        const uint32_t x = vreg(&b, 1), y = vreg(&b, 1), d = vreg(&b, 1);
        sreg(&b, gpr(x), SREG_tid_x);
        emit(&b, OP_IMUL, gpr(y), gpr(x), imm(77));
        store(&b, gpr(x), gpr(y))->offset = 4;
        global(emit(&b, OP_LD, gpr(d), gpr(x), nothing))->offset = apart ? 8 : 4;
        store(&b, gpr(x), gpr(d))->offset = 16;
        end(&b);
        opt_run(&b.f);
        uint32_t ld = 0, st = 0;
        for (uint32_t i = b.f.inst.n; i-- > 0;) {
            if (b.f.inst.at[i].op == OP_LD) ld = i;
            if (b.f.inst.at[i].op == OP_ST) st = i;
        }
        assert_int_equal(ld < st, apart);
        build_free(&b);
    }
}

// Registers that are used again and again, each free in between: no order needs more than a few at
// once, though all of them together are more than the limit, so loads go ahead of stores.
static void registers_are_free_between_values(void **state) {
    (void)state;
    enum { REGISTERS = 10, STORES = 2 * REGISTERS, LIMIT = 6 };
    struct builder b;
    build_init(&b, 1);
    b.target.max_regs = LIMIT + 6; // the scheduler keeps 6 clear
    const uint32_t x = vreg(&b, 1);
    uint32_t v[REGISTERS];
    for (unsigned i = 0; i < REGISTERS; i++) v[i] = vreg(&b, 1);
    sreg(&b, gpr(x), SREG_tid_x);
    for (unsigned i = 0; i < STORES; i++) {
        struct minst *ld = global(emit(&b, OP_LD, gpr(v[i % REGISTERS]), gpr(x), nothing));
        ld->offset = 4 * (int)i;
        ld->cop = MCOP_NC;
        store(&b, gpr(x), gpr(v[i % REGISTERS]))->offset = 1024 + 4 * (int)i;
    }
    end(&b);
    opt_schedule(&b.f, &b.arena);
    uint32_t ahead = 0;
    while (b.f.inst.at[1 + ahead].op == OP_LD) ahead++;
    assert_int_equal(ahead, LIMIT - 1); // beside the address
    for (uint32_t i = 0, loads = 0, stores = 0; i < b.f.inst.n; i++) {
        loads += b.f.inst.at[i].op == OP_LD;
        stores += b.f.inst.at[i].op == OP_ST;
        assert_in_range(loads - stores, 0, LIMIT - 1);
    }
    build_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_become_operands),
        cmocka_unit_test(one_constant_an_instruction),
        cmocka_unit_test(additions_go_into_addresses),
        cmocka_unit_test(a_sum_with_other_readers_stays),
        cmocka_unit_test(shifts_and_products_join_additions),
        cmocka_unit_test(no_scaled_addition_on_tesla),
        cmocka_unit_test(wide_addresses_become_multiply_adds),
        cmocka_unit_test(signs_become_operands),
        cmocka_unit_test(texels_lose_unread_components),
        cmocka_unit_test(dead_code_takes_its_fillers_along),
        cmocka_unit_test(a_carry_nobody_reads_goes),
        cmocka_unit_test(equal_values_are_found),
        cmocka_unit_test(clocks_are_not_equal),
        cmocka_unit_test(short_branches_become_guards),
        cmocka_unit_test(branches_are_mended),
        cmocka_unit_test(negated_predicates_vanish),
        cmocka_unit_test(comparisons_take_the_second_condition),
        cmocka_unit_test(a_side_that_goes_on_elsewhere),
        cmocka_unit_test(constants_leave_sums),
        cmocka_unit_test(fixed_values_leave_loops),
        cmocka_unit_test(loads_start_early),
        cmocka_unit_test(loads_mind_stores),
        cmocka_unit_test(registers_are_free_between_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
