// Which products and sums that name no rounding become one operation. What is expected was read off
// the code of ptxas 11.8 (compute capabilities 3.5, 5.0, 7.0), 12.9 (7.0) and 13.0 (7.5 to 10.0).
#include "code/opt.h"
#include "test_lower.h"

// Statements on %a0 .. %a4, loaded, and %t0 .. %t9; %r0 .. %r2 are stored as far as they are given.
// `#` is the type, `$` its bits. Of the code the operations on floats are compared, with the signs
// of their sources, in any order.
struct fusing {
    const char *body, *wanted;
};

static const struct fusing both[] = {
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2;", "FMA(+,+,+)"},
    {"mul.# %t0,%a0,%a1; add.# %r0,%a2,%t0;", "FMA(+,+,+)"},
    {"mul.# %t0,%a0,%a1; sub.# %r0,%t0,%a2;", "FMA(+,+,-)"},
    {"mul.# %t0,%a0,%a1; sub.# %r0,%a2,%t0;", "FMA(-,+,+)"},
    {"mul.# %t0,%a0,%a0; add.# %r0,%t0,%a2;", "FMA(+,+,+)"},
    {"mul.rn.# %t0,%a0,%a1; add.# %r0,%t0,%a2;", "MUL(+,+) ADD(+,+)"},
    {"mul.# %t0,%a0,%a1; add.rn.# %r0,%t0,%a2;", "MUL(+,+) ADD(+,+)"},
    {"mul.rn.# %t0,%a0,%a1; add.rn.# %r0,%t0,%a2;", "MUL(+,+) ADD(+,+)"},
    {"mul.rz.# %t0,%a0,%a1; add.# %r0,%t0,%a2;", "MUL(+,+) ADD(+,+)"},
    // several readers: all or none
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2; mov.$ %r1,%t0;", "MUL(+,+) ADD(+,+)"},
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2; add.# %r1,%t0,%a3;", "FMA(+,+,+) FMA(+,+,+)"},
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2; add.# %r1,%t0,%a3; sub.# %r2,%a0,%t0;",
     "FMA(+,+,+) FMA(+,+,+) FMA(-,+,+)"},
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2; add.# %r1,%t0,%a3; mov.$ %r2,%t0;",
     "MUL(+,+) ADD(+,+) ADD(+,+)"},
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2; mul.# %r1,%t0,%a3;", "MUL(+,+) ADD(+,+) MUL(+,+)"},
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2; add.rn.# %r1,%t0,%a3;", "MUL(+,+) ADD(+,+) ADD(+,+)"},
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2; mul.# %t1,%t0,%a3;", "FMA(+,+,+)"}, // nothing reads %t1
    {"mul.# %t0,%a0,%a1; fma.rn.# %r0,%a2,%a3,%t0; add.# %r1,%t0,%a2;",
     "MUL(+,+) FMA(+,+,+) ADD(+,+)"},
    // a product with itself
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%t0;", "MUL(+,+) ADD(+,+)"},
    {"mul.# %t0,%a0,%a1; sub.# %r0,%t0,%t0;", "MUL(+,+) ADD(+,-)"},
    // two products
    {"mul.# %t0,%a0,%a1; mul.# %t1,%a2,%a3; sub.# %r0,%t0,%t1;", "MUL(+,+) FMA(+,+,-)"},
    {"mul.# %t0,%a0,%a1; mul.# %t1,%a2,%a3; add.# %r0,%t0,%t1; mov.$ %r1,%t0;",
     "MUL(+,+) FMA(+,+,+)"},
    {"mul.# %t0,%a0,%a1; mul.# %t1,%a2,%a3; add.# %r0,%t0,%t1; sub.# %r1,%t0,%t1;",
     "MUL(+,+) FMA(+,+,+) FMA(+,+,-)"},
    {"mul.# %t0,%a0,%a1; mul.# %t1,%a2,%a3; add.# %r0,%t0,%t1; add.# %r1,%t0,%a2;",
     "MUL(+,+) FMA(+,+,+) ADD(+,+)"},
    // three readers each, of which the first ones take a product that is an addend later
    {"mul.# %t0,%a0,%a1; mul.# %t1,%a2,%a3; sub.# %r0,%t0,%a2; add.# %r1,%t1,%t0; add.# "
     "%r2,%t1,%r1;"
     "sub.# %t2,%t0,%a1; add.# %r2,%r2,%t2;",
     "MUL(+,+) FMA(+,+,-) FMA(+,+,+) FMA(+,+,+) ADD(+,-) ADD(+,+)"},
    // between the two
    {"mul.# %t0,%a0,%a1; mov.$ %t1,%t0; add.# %r0,%t1,%a2;", "FMA(+,+,+)"},
    {"mul.# %t0,%a0,%a1; neg.# %t1,%t0; add.# %r0,%t1,%a2;", "FMA(-,+,+)"},
    {"mul.# %t0,%a0,%a1; abs.# %t1,%t0; add.# %r0,%t1,%a2;", "MUL(+,+) ADD(|,+)"},
    {"mul.# %t0,%a0,%a1; neg.# %t1,%t0; add.# %r0,%t0,%a2; mov.$ %r1,%t1;",
     "MUL(+,+) ADD(+,+) MOV(-)"},
    {"mul.# %t0,%a0,%a1; bar.sync 0; add.# %r0,%t0,%a2;", "FMA(+,+,+)"},
    {"mul.# %t0,%a0,%a1; bra L; L: add.# %r0,%t0,%a2;", "FMA(+,+,+)"},
    {"mul.# %t0,%a0,%a1; mov.$ %r0,%a3; @%p0 bra L; bar.sync 0; add.# %r0,%t0,%a2; L:",
     "MUL(+,+) ADD(+,+)"},
    {"mul.# %t0,%a0,%a1; mov.$ %r0,%a3; L: add.# %r0,%t0,%r0; setp.lt.# %p1,%r0,%a0; @%p1 bra L;",
     "MUL(+,+) ADD(+,+) SETP(+,+)"},
    {"mov.$ %r0,%a3; mul.# %t0,%a0,%a1; @%p0 add.# %r0,%t0,%a2;", "FMA(+,+,+)"},
    {"mov.$ %t0,%a3; @%p0 mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2;", "MUL(+,+) ADD(+,+)"},
    {"mul.# %t0,%a0,%a1; add.# %r0,%t0,%a2; @%p0 mov.$ %t0,%a3; add.# %r1,%t0,%a3;",
     "MUL(+,+) ADD(+,+) ADD(+,+)"},
    // registers that are written again
    {"mul.# %a0,%a0,%a1; add.# %r0,%a0,%a2;", "FMA(+,+,+)"},
    {"mul.# %t0,%a0,%a1; add.# %a0,%a0,%a3; add.# %r0,%t0,%a2; mov.$ %r1,%a0;",
     "ADD(+,+) FMA(+,+,+)"},
};
static const struct fusing single[] = {
    {"mul.ftz.f32 %t0,%a0,%a1; add.ftz.f32 %r0,%t0,%a2;", "FMA(+,+,+)"},
    {"mul.ftz.f32 %t0,%a0,%a1; add.f32 %r0,%t0,%a2;", "MUL(+,+) ADD(+,+)"},
    {"mul.f32 %t0,%a0,%a1; add.ftz.f32 %r0,%t0,%a2;", "MUL(+,+) ADD(+,+)"},
    {"mul.f32 %t0,%a0,%a1; add.sat.f32 %r0,%t0,%a2;", "FMA(+,+,+)"},
    {"mul.sat.f32 %t0,%a0,%a1; add.f32 %r0,%t0,%a2;", "MUL(+,+) ADD(+,+)"},
};
static const struct fusing volta[] = {
    // products take absolute values
    {"abs.# %t1,%a0; mul.# %t0,%t1,%a1; add.# %r0,%t0,%a2;", "FMA(|,+,+)"},
    {"neg.# %t2,%a0; abs.# %t3,%t2; mul.# %t0,%t3,%t2; sub.# %r0,%a1,%t0;", "FMA(-|,-,+)"},
    {"mul.# %t0,%a0,%a1; neg.# %t1,%t0; abs.# %t2,%a2; sub.# %r0,%t2,%t1;", "FMA(+,+,|)"},
};

static void write_kernel(struct text *k, const char *body, const char *type) {
    const bool is_half = type[1] == '1' || type[0] == 'b', is_packed = strstr(type, "x2") != NULL;
    const char *const bits = is_half && !is_packed ? "b16" : type[1] == '6' ? "b64" : "b32";
    text_add(k,
             ".version 7.8\n.target sm_%s\n.address_size 64\n.entry k(.param .u64 p)\n{\n"
             ".reg .pred %%p<3>; .reg .%s %%a<5>, %%t<10>, %%r<3>; .reg .b64 %%d;\n"
             "ld.param.u64 %%d, [p];\n",
             is_half ? "90" : "35", is_half ? bits : type);
    for (unsigned i = 0; i < 5; i++) text_add(k, "ld.global.%s %%a%u, [%%d+%u];\n", bits, i, 8 * i);
    text_add(k, "setp.eq.u64 %%p0, %%d, 0;\n");
    for (const char *c = body; *c; c++) {
        if (*c == '#')
            text_add(k, "%s", type);
        else if (*c == '$')
            text_add(k, "%s", bits);
        else
            text_add(k, "%c", *c);
    }
    for (unsigned r = 0; r < 3; r++) {
        const char name[] = {'%', 'r', (char)('0' + r), 0};
        if (strstr(body, name)) text_add(k, "\nst.global.%s [%%d+%u], %s;", bits, 64 + 8 * r, name);
    }
    text_add(k, "\nret;\n}\n");
}

static const char *name_of(uint16_t op) {
    switch (op) {
    case OP_FFMA:
    case OP_DFMA:
    case OP_HFMA: return "FMA";
    case OP_FMUL:
    case OP_DMUL:
    case OP_HMUL: return "MUL";
    case OP_FADD:
    case OP_DADD:
    case OP_HADD: return "ADD";
    case OP_FABSNEG:
    case OP_DABSNEG:
    case OP_HABSNEG: return "MOV";
    case OP_FSETP:
    case OP_DSETP:
    case OP_HSETP: return "SETP";
    case OP_FMAD: return "MAD";
    default: return NULL;
    }
}

static void describe(struct text *t, const struct minst *m) {
    text_add(t, "%s", name_of(m->op));
    for (unsigned s = 0; s < 3 && m->src[s].kind != OPND_NONE && m->src[s].kind != OPND_PRED; s++) {
        const uint8_t mods = m->src[s].mods;
        text_add(t, "%c%s%s", s ? ',' : '(', mods & OPND_NEG ? "-" : "",
                 mods & OPND_ABS ? "|" : "");
        if (!mods) text_add(t, "+");
    }
    text_add(t, ")");
}

enum { MOST = 16 };

static void check(const struct fusing *f, const char *type, enum target_gen gen) {
    struct text kernel = {0}, got = {0};
    write_kernel(&kernel, f->body, type);
    struct lowered l;
    if (!lowered_parse(&l, "fuse.ptx", kernel.at, kernel.n)) {
        diags_print(&l.d, stderr);
        fail_msg("does not parse:\n%s", kernel.at);
    }
    lowered_run(&l, gen);
    opt_run(&l.func[0]);
    struct text op[MOST] = {0};
    unsigned n = 0, wanted = 0;
    for (uint32_t i = 0; i < l.func[0].inst.n; i++) {
        const struct minst *const m = &l.func[0].inst.at[i];
        if (minst_is_filler(m) || !name_of(m->op)) continue;
        assert_true(n < MOST);
        assert_false(m->flags & MF_CONTRACT);
        describe(&op[n], m);
        text_add(&got, "%s%s", n ? " " : "", op[n].at);
        n++;
    }
    bool same = true;
    for (const char *w = f->wanted; *w; wanted++) {
        const size_t len = strcspn(w, " ");
        unsigned i = 0;
        while (i < n && (op[i].n != len || memcmp(op[i].at, w, len) != 0)) i++;
        if (i < n) op[i].n = 0;
        same &= i < n;
        w += len + (w[len] == ' ');
    }
    if (!same || wanted != n)
        fail_msg("%s, %s, %s: is %s, wanted %s", f->body, type, gen_info[gen].name, got.at,
                 f->wanted);
    lowered_free(&l);
}

static bool knows(const struct fusing *f, const char *type) {
    const bool is_half = type[1] == '1' || type[0] == 'b', is_packed = strstr(type, "x2") != NULL;
    if (is_half && strstr(f->body, ".rz")) return false;
    if (is_packed && strstr(f->body, "setp")) return false;
    return type[0] != 'b' || (!strstr(f->body, "neg") && !strstr(f->body, "abs")); // stay apart
}

static void as_ptxas_does(void **state) {
    (void)state;
    static const char *const types[] = {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"};
    for (size_t t = 0; t < WW_COUNT(types); t++)
        for (size_t i = 0; i < WW_COUNT(both); i++)
            for (enum target_gen gen = t < 2 ? GEN_TESLA : GEN_VOLTA; gen < GEN_N; gen++)
                if (knows(&both[i], types[t])) check(&both[i], types[t], gen);
    for (size_t i = 0; i < WW_COUNT(single); i++)
        for (enum target_gen gen = GEN_TESLA; gen < GEN_N; gen++) check(&single[i], "f32", gen);
    for (size_t t = 0; t < 4; t++)
        for (size_t i = 0; i < WW_COUNT(volta); i++) check(&volta[i], types[t], GEN_VOLTA);
}

// Constants that stood in both need a literal and a register; in a loop the register is filled
// before.
static void constants_find_places(void **state) {
    (void)state;
    static const struct fusing cases[] = {
        {"mul.f32 %t0,%a0,0f3fb33333; add.f32 %r0,%t0,%a2;", "FMA(+,+,+)"},
        {"mul.f32 %t0,%a0,%a1; add.f32 %r0,%t0,0f3fb33333;", "FMA(+,+,+)"},
        {"mul.f32 %t0,%a0,0f3fb33333; add.f32 %r0,%t0,0f3f333334;", "FMA(+,+,+)"},
        {"mul.f32 %t0,0f3fb33333,0f3f333334; add.f32 %r0,%t0,%a2;", "MUL(+,+) ADD(+,+)"},
    };
    for (size_t i = 0; i < WW_COUNT(cases); i++)
        for (enum target_gen gen = GEN_TESLA; gen < GEN_N; gen++) check(&cases[i], "f32", gen);
}

static void old_modules_truncate(void **state) {
    (void)state;
    static const char text[] =
        ".version 1.4\n.target sm_13\n.entry k(.param .u32 p)\n{\n.reg .u32 %p; .reg .f32 %a<4>;\n"
        ".reg .f64 %d<4>;\nld.param.u32 %p, [p]; ld.global.f32 %a0, [%p]; ld.global.f32 %a1, "
        "[%p+4];\n"
        "mul.f32 %a2, %a0, %a1; add.f32 %a2, %a2, %a1; st.global.f32 [%p+8], %a2;\n"
        "ld.global.f64 %d0, [%p+16]; mul.f64 %d1, %d0, %d0; add.f64 %d1, %d1, %d0;\n"
        "st.global.f64 [%p+24], %d1; exit;\n}\n";
    struct lowered l;
    assert_true(lowered_parse(&l, "old.ptx", text, sizeof text - 1));
    lowered_run(&l, GEN_TESLA);
    opt_run(&l.func[0]);
    unsigned mads = 0, fmas = 0, others = 0;
    for (uint32_t i = 0; i < l.func[0].inst.n; i++) {
        const uint16_t op = l.func[0].inst.at[i].op;
        mads += op == OP_FMAD;
        fmas += op == OP_DFMA;
        others += op == OP_FMUL || op == OP_FADD || op == OP_DMUL || op == OP_DADD || op == OP_FFMA;
    }
    assert_int_equal(mads, 1);
    assert_int_equal(fmas, 1);
    assert_int_equal(others, 0);
    lowered_free(&l);
}

// Of two parameters in one operation one stands in a register: one for all operations that read it,
// whether it is of one word or of two.
static void parameters_are_copied_once(void **state) {
    (void)state;
    enum { TIMES = 6 };
    for (unsigned words = 1; words <= 2; words++) {
        const char *const type = words == 1 ? "f32" : "f64";
        char text[2048];
        int n = snprintf(text, sizeof text,
                         ".version 6.0\n.target sm_70\n.address_size 64\n"
                         ".visible .entry k(.param .u64 o, .param .%s p, .param .%s q)\n{\n"
                         ".reg .u64 %%o; .reg .%s %%x, %%t, %%p, %%q;\nld.param.u64 %%o, [o];\n"
                         "ld.param.%s %%p, [p]; ld.param.%s %%q, [q]; ld.global.%s %%x, [%%o];\n",
                         type, type, type, type, type, type);
        for (unsigned i = 0; i < TIMES; i++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "mul.%s %%t, %%x, %%p; sub.%s %%x, %%q, %%t;\n", type, type);
        n +=
            snprintf(text + n, sizeof text - (size_t)n, "st.global.%s [%%o], %%x; ret;\n}\n", type);
        struct lowered l;
        assert_true(lowered_parse(&l, "two.ptx", text, (size_t)n));
        lowered_run(&l, GEN_VOLTA);
        opt_run(&l.func[0]);
        unsigned fused = 0, copies = 0;
        for (uint32_t i = 0; i < l.func[0].inst.n; i++) {
            const struct minst *const m = &l.func[0].inst.at[i];
            fused += m->op == OP_FFMA || m->op == OP_DFMA;
            copies += m->op == OP_MOV && m->src[0].kind == OPND_CONST;
        }
        assert_int_equal(fused, TIMES);
        assert_int_equal(copies, 2 + words); // the address has two words
        lowered_free(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_ptxas_does),
        cmocka_unit_test(constants_find_places),
        cmocka_unit_test(old_modules_truncate),
        cmocka_unit_test(parameters_are_copied_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
