// Images from PTX text: what linking decides.
#include "test_build.h"

static const struct code_target fermi = {.gen = GEN_FERMI,
                                         .max_regs = 63,
                                         .n_preds = 7,
                                         .max_threads_per_cta = 1024};

// What boards of capability 3.5 and later have in common.
static const struct code_target board = {.max_regs = 255,
                                         .file = {65536, .unit = 256, .warp_unit = 4},
                                         .n_preds = 7,
                                         .max_threads_per_cta = 1024,
                                         .max_ctas_per_sm = 16};

struct made {
    struct ptx_module *module;
    struct code_image *im;
    struct diags diags;
    uint64_t addr[8];
};

#define HEAD ".version 3.2\n.target sm_20\n.address_size 64\n"

static enum ww_status make_for(struct made *m, const struct code_target *t, const char *text,
                               const char *kernel, uint32_t regs, uint32_t stack) {
    *m = (struct made){0};
    diags_init(&m->diags);
    const enum ww_status parsed =
        ptx_parse("test.ptx", text, strlen(text), NULL, &m->diags, &m->module);
    if (parsed != WW_OK) {
        diags_print(&m->diags, stderr);
        fail_msg("does not parse");
    }
    for (uint32_t i = 0; i < 8; i++) m->addr[i] = 4096 * (i + 1);
    const struct code_symbols s = {.addr = m->addr};
    return code_build(m->module, ptx_find_func(m->module, kernel), t, &s, regs, stack, &m->diags,
                      &m->im);
}
static enum ww_status try_make(struct made *m, const char *text, const char *kernel, uint32_t regs,
                               uint32_t stack) {
    return make_for(m, &fermi, text, kernel, regs, stack);
}
static void make(struct made *m, const char *text, const char *kernel) {
    if (try_make(m, text, kernel, 0, 0) == WW_OK) {
        assert_int_equal(image_verify(m->im, stderr).broken, 0);
        return;
    }
    diags_print(&m->diags, stderr);
    fail_msg("does not compile");
}
static void unmake(struct made *m) {
    code_free(m->im);
    ptx_free(m->module);
    diags_free(&m->diags);
}

static uint32_t count(const struct code_image *im, enum mop op) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < im->n_insts; i++) n += im->inst[i].op == op;
    return n;
}
static uint32_t first(const struct code_image *im, enum mop op) {
    uint32_t i = 0;
    while (i < im->n_insts && im->inst[i].op != op) i++;
    return i;
}

static void parameters_lie_as_c_does(void **state) {
    (void)state;
    struct made m;
    make(&m,
         HEAD ".visible .entry k(.param .u8 a, .param .u32 b, .param .u8 c, .param .u64 d, .param "
              ".align 8 .b8 e[12])\n"
              "{ ret; }\n",
         "k");
    static const uint32_t offset[] = {0, 4, 8, 16, 24};
    assert_int_equal(m.im->n_params, 5);
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(m.im->params[i].offset, offset[i]);
    assert_int_equal(m.im->param_bytes, 36);
    assert_int_equal(m.im->params[4].bytes, 12);
    assert_int_equal(m.im->n_insts, 1);
    unmake(&m);
}

static void lanes_meet_behind_the_branch(void **state) {
    (void)state;
    struct made m;
    make(&m,
         HEAD ".visible .entry k(.param .u64 p) {\n"
              ".reg .u64 %a; .reg .u32 %r; .reg .pred %q;\n"
              "ld.param.u64 %a, [p]; mov.u32 %r, %tid.x; setp.lt.u32 %q, %r, 5;\n"
              "@%q bra L;\n bar.sync 3;\n bra M;\n"
              "L: bar.sync 1;\n"
              "M: st.global.u32 [%a], %r; ret; }\n",
         "k");
    const struct minst *bra = &m.im->inst[first(m.im, OP_BRA)];
    assert_true(bra->guard != PRED_TRUE);
    const uint32_t st = first(m.im, OP_ST);
    assert_true(bra->reconv >= 0);
    uint32_t b = 0;
    while (m.im->blocks[b].first != (uint32_t)bra->reconv) b++;
    assert_true(st >= m.im->blocks[b].first && st < m.im->blocks[b].first + m.im->blocks[b].n);
    assert_int_equal(m.im->n_barriers, 4);
    unmake(&m);
}

static const char chain[] = HEAD
    ".func (.param .u32 r) leaf(.param .u32 x) { .local .b8 buf[100]; .reg .u32 %a; .reg .u64 %b;\n"
    "ld.param.u32 %a, [x]; cvt.u64.u32 %b, %a; mov.u64 %b, buf; st.local.u32 [%b], %a; "
    "ld.local.u32 %a, [%b+4];\n"
    "st.param.u32 [r], %a; ret; }\n"
    ".func (.param .u32 r) middle(.param .u32 x) { .reg .u32 %a;\n"
    "ld.param.u32 %a, [x];\n"
    "{ .param .u32 in; .param .u32 out; st.param.u32 [in], %a; call (out), leaf, (in); "
    "ld.param.u32 %a, [out]; }\n"
    "st.param.u32 [r], %a; ret; }\n"
    ".visible .entry k(.param .u64 p) { .reg .u32 %a; .reg .u64 %p;\n"
    "ld.param.u64 %p, [p]; ld.global.u32 %a, [%p];\n"
    "{ .param .u32 in; .param .u32 out; st.param.u32 [in], %a; call (out), middle, (in); "
    "ld.param.u32 %a, [out]; }\n"
    "st.global.u32 [%p], %a; ret; }\n"
    ".visible .entry alone() { ret; }\n";

static void a_chain_of_calls_needs_its_frames(void **state) {
    (void)state;
    struct made m;
    make(&m, chain, "k");
    assert_false(m.im->needs_stack);
    assert_true(m.im->local_bytes >= 100 && m.im->local_bytes < 400);
    assert_int_equal(m.im->local_bytes % 16, 0);
    assert_int_equal(count(m.im, OP_CALL), 2);
    assert_int_equal(count(m.im, OP_RET), 2);
    for (uint32_t i = 0; i < m.im->n_insts; i++) {
        if (m.im->inst[i].op != OP_CALL) continue;
        bool starts = false;
        for (uint32_t f = 0; f < m.im->n_funcs; f++)
            starts |= m.im->func_pc[f] == (uint32_t)m.im->inst[i].target;
        assert_true(starts);
    }
    unmake(&m);
}

static void what_is_not_called_is_not_there(void **state) {
    (void)state;
    struct made m;
    make(&m, chain, "alone");
    assert_int_equal(m.im->n_insts, 1);
    assert_int_equal(m.im->local_bytes, 0);
    uint32_t present = 0;
    for (uint32_t f = 0; f < m.im->n_funcs; f++) present += m.im->func_pc[f] != UINT32_MAX;
    assert_int_equal(present, 1);
    unmake(&m);
}

static const char recursive[] = HEAD
    ".func (.param .u32 r) fact(.param .u32 x) { .reg .u32 %a, %b; .reg .pred %q;\n"
    "ld.param.u32 %a, [x]; mov.u32 %b, 1; setp.eq.u32 %q, %a, 0; @%q bra done; sub.u32 %b, %a, 1;\n"
    "{ .param .u32 in; .param .u32 out; st.param.u32 [in], %b; call (out), fact, (in); "
    "ld.param.u32 %b, [out]; }\n"
    "mul.lo.u32 %b, %b, %a;\n"
    "done: st.param.u32 [r], %b; ret; }\n"
    ".visible .entry k(.param .u64 p) { .reg .u32 %a; .reg .u64 %p;\n"
    "ld.param.u64 %p, [p]; ld.global.u32 %a, [%p];\n"
    "{ .param .u32 in; .param .u32 out; st.param.u32 [in], %a; call (out), fact, (in); "
    "ld.param.u32 %a, [out]; }\n"
    "st.global.u32 [%p], %a; ret; }\n";

static void recursion_needs_a_stack(void **state) {
    (void)state;
    struct made m;
    make(&m, recursive, "k");
    assert_true(m.im->needs_stack);
    assert_int_equal(m.im->local_bytes, m.im->stack_frame_bytes + CODE_STACK_BYTES);
    unmake(&m);
    assert_int_equal(try_make(&m, recursive, "k", 0, 5000), WW_OK);
    assert_int_equal(m.im->local_bytes, m.im->stack_frame_bytes + 5008);
    unmake(&m);
}

// What lives over a call that a register makes, or that comes back to its caller, stays in a
// register that the callee stores first and reloads last.
static void callees_keep_registers(void **state) {
    (void)state;
    static const char calls[] =
        HEAD ".func (.param .u32 r) square(.param .u32 x) { .reg .u32 %a; ld.param.u32 %a, [x];\n"
             "mul.lo.u32 %a, %a, %a; st.param.u32 [r], %a; ret; }\n"
             ".visible .entry k(.param .u64 p) { .reg .u32 %a, %b; .reg .u64 %p, %f;\n"
             "ld.param.u64 %p, [p]; ld.global.u32 %b, [%p]; mov.u64 %f, square;\n"
             "{ .param .u32 in; .param .u32 out; st.param.u32 [in], %b;\n"
             "proto: .callprototype (.param .u32 _) _ (.param .u32 _);\n"
             "call (out), %f, (in), proto; ld.param.u32 %a, [out]; }\n"
             "add.u32 %a, %a, %b; st.global.u32 [%p], %a; ret; }\n";
    static const char *const text[] = {calls, recursive};
    for (unsigned i = 0; i < 2; i++) {
        struct made m;
        make(&m, text[i], "k");
        assert_int_equal(image_verify(m.im, stderr).undefined, 0);
        assert_int_equal(m.im->stats.spilled_regs, 0);
        assert_true(m.im->n_regs > CODE_FIRST_KEPT);
        // the factor of a product is still needed when the call comes back: one word for a caller
        assert_int_equal(m.im->stats.spill_stores, i);
        assert_int_equal(m.im->stats.spill_loads, i);
        unmake(&m);
    }
    struct made m;
    make(&m, recursive, "k");
    const uint32_t start = m.im->func_pc[0], ret = first(m.im, OP_RET);
    const struct minst *const save = &m.im->inst[start], *const back = &m.im->inst[ret - 1];
    assert_int_equal(save->op, OP_ST);
    assert_int_equal(back->op, OP_LD);
    assert_int_equal(save->offset, back->offset);
    assert_int_equal(save->src[1].reg, back->dst[0].reg);
    assert_in_range(save->src[1].reg, CODE_FIRST_KEPT, m.im->n_regs - 1);
    // without the reload the caller's value is gone, and the check sees it
    m.im->inst[ret - 1].offset += 4;
    assert_true(image_verify(m.im, NULL).undefined > 0);
    unmake(&m);
}

#define TAKES                                                                                      \
    ".reg .u32 %a; .reg .u64 %p, %z;\n"                                                            \
    "ld.param.u64 %p, [p]; ld.global.u32 %a, [%p]; mul.wide.u32 %z, %a, 4;\n"

// Memory that is taken at run time lies on the stack, beside the frames whose depth is known.
static void alloca_needs_a_stack(void **state) {
    (void)state;
    struct made m;
    make(&m,
         HEAD ".visible .entry k(.param .u64 p) { .local .u32 own[25];" TAKES
              "mov.u64 %p, own; st.local.u32 [%p], %a; alloca.u64 %z, %z, 16;\n"
              "st.local.u32 [%z], %a; ret; }\n",
         "k");
    assert_true(m.im->needs_stack);
    assert_int_equal(m.im->stack_frame_bytes, 112); // 25 words, in sixteens
    assert_int_equal(m.im->local_bytes, 112 + CODE_STACK_BYTES);
    unmake(&m);
    static const char below[] =
        HEAD ".func leaf(.param .u64 p) { .local .u32 buf[100];" TAKES
             "mov.u64 %p, buf; st.local.u32 [%p], %a; alloca.u64 %z, %z; st.local.u32 [%z], %a;\n"
             "stacksave.u64 %p; ret; }\n"
             ".visible .entry k(.param .u64 p) { .reg .u64 %p; ld.param.u64 %p, [p];\n"
             "{ .param .u64 in; st.param.u64 [in], %p; call leaf, (in); } ret; }\n";
    assert_int_equal(try_make(&m, below, "k", 0, 5000), WW_OK);
    assert_true(m.im->needs_stack);
    // the leaf's frame: an argument of 8 bytes and 400 bytes, in sixteens
    assert_int_equal(m.im->local_bytes, m.im->stack_frame_bytes + 416 + 5008);
    unmake(&m);
}

static void tables_hold_instructions(void **state) {
    (void)state;
    struct made m;
    make(&m,
         ".version 6.0\n.target sm_30\n.address_size 64\n"
         ".visible .entry k(.param .u64 p) { .reg .u32 %a; .reg .u64 %p;\n"
         "ld.param.u64 %p, [p]; ld.global.u32 %a, [%p];\n"
         "t: .branchtargets A, B, C;\n"
         "brx.idx %a, t;\n"
         "A: st.global.u32 [%p], 1; bra.uni D;\nB: st.global.u32 [%p], 2; bra.uni D;\n"
         "C: st.global.u32 [%p], 3;\nD: ret; }\n",
         "k");
    assert_int_equal(m.im->n_tables, 1);
    assert_int_equal(m.im->tables[0].n, 3);
    const struct minst *brx = &m.im->inst[first(m.im, OP_BRX)];
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t pc = m.im->tables[0].pc[i];
        while (m.im->inst[pc].op == OP_MOV) pc++;
        assert_int_equal(m.im->inst[pc].op, OP_ST);
    }
    assert_true(brx->reconv == -1 || m.im->inst[brx->reconv].op == OP_EXIT);
    unmake(&m);
}

#define WIDE_HEAD ".visible .entry k(.param .u64 p) "
static const char wide[] = " { .reg .u64 %p; .reg .f32 %f<40>;\n"
                           "ld.param.u64 %p, [p];\n"
#define L(i) "ld.global.f32 %f" #i ", [%p+" #i "00];\n"
    L(0) L(1) L(2) L(3) L(4) L(5) L(6) L(7) L(8) L(9) L(10) L(11) L(12) L(13) L(14) L(15) L(16)
        L(17) L(18) L(19) L(20) L(21) L(22) L(23) "bar.sync 0;\n"
#undef L
#define L(i) "st.global.f32 [%p+" #i "00], %f" #i ";\n"
    L(23) L(22) L(21) L(20) L(19) L(18) L(17) L(16) L(15) L(14) L(13) L(12) L(11) L(10) L(9) L(8)
        L(7) L(6) L(5) L(4) L(3) L(2) L(1) L(0) "ret; }\n";

static enum ww_status make_wide(struct made *m, const struct code_target *t, const char *directives,
                                uint32_t option) {
    char text[4096];
    snprintf(text, sizeof text, HEAD WIDE_HEAD "%s%s", directives, wide);
    return make_for(m, t, text, "k", option, 0);
}

// Eighteen values of one that lives on, read on both sides of a barrier: each is made anew behind it.
static const char derived[] = ".visible .entry k(.param .u64 p) .maxnreg 16 {\n"
                              ".reg .u64 %p; .reg .u32 %x, %a, %y<18>;\n"
                              "ld.param.u64 %p, [p]; ld.global.u32 %x, [%p]; mov.u32 %a, 0;\n"
#define Y(i) "xor.b32 %y" #i ", %x, 7" #i "; mad.lo.u32 %a, %a, 5, %y" #i ";\n"
    Y(0) Y(1) Y(2) Y(3) Y(4) Y(5) Y(6) Y(7) Y(8) Y(9) Y(10) Y(11) Y(12) Y(13) Y(14) Y(15) Y(16)
        Y(17) "bar.sync 0;\n"
#undef Y
#define Y(i) "mad.lo.u32 %a, %a, 3, %y" #i ";\n"
    Y(17) Y(16) Y(15) Y(14) Y(13) Y(12) Y(11) Y(10) Y(9) Y(8) Y(7) Y(6) Y(5) Y(4) Y(3) Y(2) Y(1)
        Y(0) "add.u32 %a, %a, %x; st.global.u32 [%p], %a; ret; }\n";
#undef Y

static void values_are_made_anew_under_a_limit(void **state) {
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, HEAD "%s", derived);
    struct made m;
    make(&m, text, "k");
    assert_true(m.im->n_regs <= 16);
    assert_int_equal(m.im->stats.spilled_regs, 0);
    assert_int_equal(m.im->local_bytes, 0);
    unmake(&m);
}

static void limits_hold(void **state) {
    (void)state;
    struct made m;
    for (uint32_t option = 0; option <= 40; option += 40) { // what the kernel says counts more
        assert_int_equal(make_wide(&m, &fermi, ".maxnreg 20", option), WW_OK);
        assert_int_equal(image_verify(m.im, stderr).broken, 0);
        assert_true(m.im->n_regs <= 20);
        assert_true(m.im->stats.spilled_regs > 0 && m.im->stats.spill_stores > 0);
        assert_true(m.im->local_bytes > 0);
        unmake(&m);
    }
    for (uint32_t option = 20; option <= 40; option += 20) {
        assert_int_equal(make_wide(&m, &fermi, "", option), WW_OK);
        assert_int_equal(m.im->stats.spilled_regs > 0, option == 20);
        assert_true(m.im->n_regs <= option && (option == 20 || m.im->n_regs > 24));
        unmake(&m);
    }
}

// The registers that ptxas 11.8 takes for sm_35 of a kernel that wants 240, and for sm_75, less
// two.
static void launch_bounds_limit_registers(void **state) {
    (void)state;
    static const struct {
        const char *directives;
        uint32_t kepler, turing;
    } rows[] = {{"", 255, 253},
                {".maxntid 300, 1, 1 .minnctapersm 1", 168, 166},
                {".maxntid 300, 1, 1 .minnctapersm 3", 64, 62},
                {".maxntid 224, 1, 1 .minnctapersm 3", 80, 78},
                {".maxntid 448", 128, 126},
                {".reqntid 16, 16, 4", 64, 62},
                {".maxntid 1024, 1, 1 .minnctapersm 4", 64, 62}, // more than an SM holds
                {".maxntid 1024, 1, 1 .minnctapersm 2", 32, 62}, // one of Turing holds 1024 threads
                {".minnctapersm 8", 255, 253},
                {".maxntid 1024, 1, 1 .maxnreg 100", 100, 98},
                {".maxntid 1024, 1, 1 .minnctapersm 1 .maxnreg 100", 64, 62}};
    struct code_target kepler = board, turing = board;
    kepler.gen = GEN_KEPLER;
    kepler.max_threads_per_sm = 2048;
    turing.gen = GEN_TURING;
    turing.max_threads_per_sm = 1024;
    for (size_t i = 0; i < WW_COUNT(rows); i++) {
        struct made m;
        assert_int_equal(make_wide(&m, &kepler, rows[i].directives, 0), WW_OK);
        assert_int_equal(code_register_limit(ptx_find_func(m.module, "k"), &kepler, 0),
                         rows[i].kepler);
        unmake(&m);
        assert_int_equal(make_wide(&m, &turing, rows[i].directives, 0), WW_OK);
        assert_int_equal(code_register_limit(ptx_find_func(m.module, "k"), &turing, 0),
                         rows[i].turing);
        unmake(&m);
    }
}

// A called function's literals move behind the kernel's.
static void literals_of_functions_are_merged(void **state) {
    (void)state;
    struct made m;
    make(&m,
         HEAD ".func (.param .f64 r) f(.param .f64 x) { .reg .f64 %a; ld.param.f64 %a, [x];\n"
              "mul.f64 %a, %a, 0d3FF3C0CA428C59FB; st.param.f64 [r], %a; ret; }\n"
              ".visible .entry k(.param .u64 p) { .reg .f64 %a; .reg .u64 %p;\n"
              "ld.param.u64 %p, [p]; ld.global.f64 %a, [%p]; add.f64 %a, %a, 0d400921FB54442D18;\n"
              "{ .param .f64 in; .param .f64 out; st.param.f64 [in], %a; call (out), f, (in); "
              "ld.param.f64 %a, [out]; }\n"
              "st.global.f64 [%p], %a; ret; }\n",
         "k");
    const struct opnd *add = &m.im->inst[first(m.im, OP_DADD)].src[1];
    const struct opnd *mul = &m.im->inst[first(m.im, OP_DMUL)].src[1];
    assert_int_equal(add->kind, OPND_CONST);
    assert_int_equal(mul->kind, OPND_CONST);
    uint64_t x, y;
    memcpy(&x, m.im->literals + add->reg, 8);
    memcpy(&y, m.im->literals + mul->reg, 8);
    assert_true(x == 0x400921FB54442D18 && y == 0x3FF3C0CA428C59FB);
    unmake(&m);
}

static void uses_are_noted(void **state) {
    (void)state;
    struct made m;
    make(&m,
         HEAD ".visible .entry k(.param .u64 p) { .reg .u64 %p; .reg .u32 %a;\n"
              "ld.param.u64 %p, [p]; mov.u32 %a, %clock; st.u32 [%p], %a; ret; }\n",
         "k");
    assert_true(m.im->uses_clock);
    assert_true(m.im->uses_globals_by_generic);
    assert_false(m.im->uses_texture);
    assert_int_equal(m.im->n_barriers, 0);
    unmake(&m);
}

static void the_listing_tells_all(void **state) {
    (void)state;
    struct made m;
    make(&m, chain, "k");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    disasm_image(m.im, out);
    fclose(out);
    static const char *const has[] = {"// kernel k",   "middle:", "leaf:", "CALL",    "`(middle)",
                                      "ld.global.u32", "EXIT",    "R1",    "/*0000*/"};
    for (size_t i = 0; i < WW_COUNT(has); i++)
        if (!strstr(text, has[i])) fail_msg("no %s in\n%s", has[i], text);
    free(text);
    char buf[8]; // too short is no harm
    assert_true(disasm_inst(m.im, 0, buf, sizeof buf) > 7);
    assert_int_equal(strlen(buf), 7);
    unmake(&m);
}

// Independent chains of a load, two products and a store: a schedule that fills all registers with
// loads has none left for the second product, and ends above its limit. A lower limit mends that;
// in source order every load would wait for the store before it. The limit is a fixed one, and from
// Volta on what leaves the SM all its warps: 32 registers of 2048 threads, 64 of 1024.
static void loads_go_first_as_far_as_registers_last(void **state) {
    (void)state;
    enum { CHAINS = 42 };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out,
            HEAD ".entry k(.param .u64 p) {\n.reg .u64 d; .reg .f32 x<99>, a<99>, b<99>, c<99>;\n"
                 "ld.param.u64 d, [p];\n");
    for (int i = 0; i < CHAINS; i++)
        fprintf(out,
                "ld.global.f32 x%d, [d+%d];\nadd.f32 a%d, x%d, 1.0;\nmul.f32 b%d, x%d, 2.0;\n"
                "fma.rn.f32 c%d, a%d, b%d, x%d;\nst.global.f32 [d+%d], c%d;\n",
                i, 4 * i, i, i, i, i, i, i, i, i, 4096 + 4 * i, i);
    fprintf(out, "ret;\n}\n");
    fclose(out);
    struct code_target volta = board, turing = board;
    volta.gen = GEN_VOLTA;
    volta.max_threads_per_sm = 2048;
    turing.gen = GEN_TURING;
    turing.max_threads_per_sm = 1024;
    const struct {
        const struct code_target *target;
        uint32_t least, most; // R1 is kept, pairs are aligned, places are spread
    } rows[] = {{&fermi, 32, 42}, {&volta, 20, 30}, {&turing, CHAINS, 62}};
    for (size_t r = 0; r < WW_COUNT(rows); r++) {
        struct made m;
        assert_int_equal(make_for(&m, rows[r].target, text, "k", 0, 0), WW_OK);
        uint32_t loads = 0;
        for (uint32_t i = 0; i < first(m.im, OP_ST); i++) loads += m.im->inst[i].op == OP_LD;
        assert_in_range(loads, rows[r].least, rows[r].most);
        assert_in_range(m.im->n_regs, rows[r].least, rows[r].most);
        unmake(&m);
    }
    free(text);
}

static void broken_images_are_noticed(void **state) {
    (void)state;
    struct made m;
    make(&m, chain, "k");
    assert_int_equal(image_check(m.im, &m.diags), WW_OK);
    m.im->inst[first(m.im, OP_CALL)].target = 100000;
    m.im->inst[first(m.im, OP_ST)].src[1].reg = 300;
    assert_true(image_verify(m.im, NULL).broken >= 2);
    assert_int_equal(image_check(m.im, &m.diags), WW_ERROR_INTERNAL);
    assert_int_equal(m.diags.errors, 1);
    const char *const said = m.diags.list.at[0].text;
    assert_non_null(strstr(said, "kernel 'k'"));
    assert_non_null(strstr(said, "please report"));
    m.im->inst[0].op = OP_N;
    assert_int_equal(image_check(m.im, &m.diags), WW_ERROR_INTERNAL);
    assert_non_null(strstr(m.diags.list.at[1].text, "an operation that does not exist"));
    unmake(&m);
}

// Compiling with ever more memory: never a crash, and in the end it works.
struct budget {
    size_t left;
};
static void *counted(void *user, void *old, size_t size) {
    struct budget *b = user;
    if (!size) {
        free(old);
        return NULL;
    }
    if (!b->left) return NULL;
    b->left--;
    return realloc(old, size);
}

static void memory_may_run_out(void **state) {
    (void)state;
    bool done = false;
    for (size_t n = 1; !done && n < 2000; n++) {
        struct budget b = {1u << 30};
        const struct ww_allocator al = {counted, &b};
        struct diags d;
        diags_init(&d);
        struct ptx_module *m;
        assert_int_equal(ptx_parse("t", recursive, strlen(recursive), &al, &d, &m), WW_OK);
        const uint64_t addr[8] = {0};
        const struct code_symbols s = {.addr = addr};
        struct code_image *im = NULL;
        b.left = n;
        const enum ww_status status =
            code_build(m, ptx_find_func(m, "k"), &fermi, &s, 0, 0, &d, &im);
        done = status == WW_OK;
        if (!done) assert_int_equal(status, WW_ERROR_MEMORY);
        code_free(im);
        ptx_free(m);
        diags_free(&d);
    }
    assert_true(done);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_lie_as_c_does),
        cmocka_unit_test(lanes_meet_behind_the_branch),
        cmocka_unit_test(a_chain_of_calls_needs_its_frames),
        cmocka_unit_test(what_is_not_called_is_not_there),
        cmocka_unit_test(recursion_needs_a_stack),
        cmocka_unit_test(alloca_needs_a_stack),
        cmocka_unit_test(tables_hold_instructions),
        cmocka_unit_test(values_are_made_anew_under_a_limit),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(launch_bounds_limit_registers),
        cmocka_unit_test(callees_keep_registers),
        cmocka_unit_test(literals_of_functions_are_merged),
        cmocka_unit_test(uses_are_noted),
        cmocka_unit_test(the_listing_tells_all),
        cmocka_unit_test(loads_go_first_as_far_as_registers_last),
        cmocka_unit_test(broken_images_are_noticed),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
