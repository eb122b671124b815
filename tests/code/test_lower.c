// What becomes of each PTX instruction: tests/code/lower/*.ptx say it line by line, in a trailing
//   //= IADD.CC IADD.X                        on every generation
//   //= IMUL | tesla: IMUL +INT_MUL*3         tesla, fermi, kepler, pascal, volta where they differ
// +CLASS*n are fillers, <CLASS*n those that run before the operation, `-` is nothing. With files as arguments this program prints what it finds
// instead, for a person to check and put there.
#include <dirent.h>

#include "test_lower.h"

static const char *const generations[GEN_N] = {"tesla", "fermi", "kepler", "pascal", "volta", "turing",
                                               "ampere", "ada", "hopper"};

struct lines {
    struct text *at; // opcodes of each PTX line, from 0
    uint32_t n;
};

static void opcodes_of(struct lowered *l, struct lines *lines) {
    for (uint32_t k = 0; k < l->m->n_funcs; k++) {
        const struct mfunc *const f = &l->func[k];
        for (uint32_t i = 0; i < f->inst.n;) {
            const struct minst *const m = &f->inst.at[i];
            struct text one = {0};
            text_opcode(&one, m);
            uint32_t n = 1;
            for (; i + n < f->inst.n && f->inst.at[i + n].ptx_line == m->ptx_line; n++) {
                struct text next = {0};
                text_opcode(&next, &f->inst.at[i + n]);
                if (strcmp(next.at, one.at) != 0) break;
            }
            struct text *const t = &lines->at[m->ptx_line < lines->n ? m->ptx_line : 0];
            text_add(t, "%s%s", t->n ? " " : "", one.at);
            if (n > 1) text_add(t, "*%u", n);
            i += n;
        }
    }
}

// The part of "x | tesla: y | kepler: z" that a generation has.
static void expectation(const char *all, const char *gen, char *out, size_t size) {
    char text[600];
    snprintf(text, sizeof text, "%s", all);
    out[0] = 0;
    char *save = NULL;
    for (char *part = strtok_r(text, "|", &save); part; part = strtok_r(NULL, "|", &save)) {
        part += strspn(part, " ");
        size_t n = strlen(part);
        while (n && (part[n - 1] == ' ' || part[n - 1] == '\r')) part[--n] = 0;
        const char *const colon = strchr(part, ':');
        if (!colon) {
            if (!out[0]) snprintf(out, size, "%s", part);
        } else if (strncmp(part, gen, (size_t)(colon - part)) == 0) {
            snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " "));
        }
    }
}

// Generations after Kepler do as Kepler unless they are named.
static const char *named(const char *all, unsigned gen) {
    char mark[32];
    snprintf(mark, sizeof mark, "| %s:", generations[gen]);
    if (gen <= GEN_KEPLER || strstr(all, mark)) return generations[gen];
    // Turing as Volta, and each later one as that before it
    return gen >= GEN_TURING ? named(all, gen - 1) : generations[GEN_KEPLER];
}

static char *read_all(struct arena *a, const char *path, size_t *len) {
    struct diags d;
    diags_init(&d);
    char *text = NULL;
    const enum ww_status s = file_read(a, path, 1 << 24, &text, len, &d);
    diags_print(&d, stderr);
    diags_free(&d);
    return s == WW_OK ? text : NULL;
}

static unsigned check_file(const char *path, bool print) {
    struct arena a;
    arena_init(&a, NULL);
    size_t len = 0;
    const char *const text = read_all(&a, path, &len);
    assert_non_null(text);
    uint32_t n = 2;
    for (const char *p = text; *p; p++) n += *p == '\n';
    struct lines lines[GEN_N];
    unsigned wrong = 0;
    for (unsigned gen = 0; gen < GEN_N; gen++) {
        lines[gen] = (struct lines){arena_alloc(&a, n * sizeof(struct text)), n};
        struct lowered l;
        const bool parsed = lowered_parse(&l, path, text, len);
        if (parsed) {
            lowered_run(&l, (enum target_gen)gen);
            opcodes_of(&l, &lines[gen]);
        }
        diags_print(&l.d, stderr);
        wrong += l.d.list.n;
        lowered_free(&l);
    }
    uint32_t line = 1;
    for (const char *p = text; *p; line++) {
        const size_t width = strcspn(p, "\n");
        char whole[700];
        snprintf(whole, sizeof whole, "%.*s", (int)width, p);
        const char *const mark = strstr(whole, "//= ");
        const struct text *const t = &lines[GEN_TESLA].at[line],
                                 *const f = &lines[GEN_FERMI].at[line],
                                 *const k = &lines[GEN_KEPLER].at[line];
        if (print) {
            printf("%.*s", mark ? (int)(mark - whole) : (int)strlen(whole), whole);
            if (t->n || f->n) {
                printf("%s//= %s", mark ? "" : "  ", f->at);
                if (strcmp(t->at, f->at) != 0) printf(" | tesla: %s", t->at);
                if (strcmp(k->at, f->at) != 0) printf(" | kepler: %s", k->at);
                for (unsigned gen = GEN_KEPLER + 1; gen < GEN_N; gen++)
                    if (strcmp(lines[gen].at[line].at, k->at) != 0)
                        printf(" | %s: %s", generations[gen], lines[gen].at[line].at);
            }
            printf("\n");
        }
        for (unsigned gen = 0; mark && !print && gen < GEN_N; gen++) {
            char want[600];
            expectation(mark + 4, named(mark + 4, gen), want, sizeof want);
            const char *const got = lines[gen].at[line].n ? lines[gen].at[line].at : "-";
            if (strcmp(want, got) == 0) continue;
            wrong++;
            print_message("%s:%u: %s: expected %s\n%*sfound %s\n", path, line, generations[gen],
                          want, (int)strlen(path) + 8, "", got);
        }
        p += width;
        if (*p) p++;
    }
    arena_free(&a);
    return wrong;
}

static bool is_ptx(const char *name) {
    const size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".ptx") == 0;
}

static void every_line_becomes_what_it_says(void **state) {
    (void)state;
    DIR *const dir = opendir(WW_TEST_DIR "/lower");
    assert_non_null(dir);
    unsigned files = 0, wrong = 0;
    for (const struct dirent *e; (e = readdir(dir));) {
        if (!is_ptx(e->d_name)) continue;
        char path[1000];
        snprintf(path, sizeof path, WW_TEST_DIR "/lower/%s", e->d_name);
        files++;
        wrong += check_file(path, false);
    }
    closedir(dir);
    assert_true(files >= 8);
    assert_int_equal(wrong, 0);
}

// Whole programs by compilers of all ages, and one instruction of every kind.
static void the_parsers_test_data_lowers(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum target_gen first; // generation that has all that is in it
    } folders[] = {{"/tests/ptx/corpus", 0}, {"/tests/ptx/data", 0}, {"/tests/ptx/hopper", GEN_HOPPER}};
    unsigned files = 0;
    for (size_t k = 0; k < WW_COUNT(folders); k++) {
        char path[1000];
        snprintf(path, sizeof path, WW_SOURCE_DIR "%s", folders[k].name);
        DIR *const dir = opendir(path);
        assert_non_null(dir);
        for (const struct dirent *e; (e = readdir(dir));) {
            if (!is_ptx(e->d_name)) continue;
            snprintf(path, sizeof path, WW_SOURCE_DIR "%s/%s", folders[k].name, e->d_name);
            struct arena a;
            arena_init(&a, NULL);
            size_t len = 0;
            const char *const text = read_all(&a, path, &len);
            for (unsigned gen = folders[k].first; gen < GEN_N; gen++) {
                struct lowered l;
                assert_true(lowered_parse(&l, path, text, len));
                lowered_run(&l, (enum target_gen)gen);
                diags_print(&l.d, stderr);
                assert_int_equal(l.d.errors, 0);
                lowered_free(&l);
            }
            arena_free(&a);
            files++;
        }
        closedir(dir);
    }
    assert_true(files > 30);
}

// ---- what a line of opcodes does not show -------------------------------------------------------

static struct lowered lower_text(const char *text, enum target_gen gen) {
    struct lowered l;
    if (!lowered_parse(&l, "t.ptx", text, strlen(text))) diags_print(&l.d, stderr);
    assert_non_null(l.m);
    lowered_run(&l, gen);
    return l;
}

static void expect_code(const struct mfunc *f, const char *const *want, size_t n) {
    assert_int_equal(f->inst.n, n);
    for (size_t k = 0; k < n; k++) {
        struct text t = {0};
        text_inst(&t, &f->inst.at[k]);
        assert_string_equal(t.at, want[k]);
    }
}

#define HEADER64 ".version 8.0\n.target sm_80\n.address_size 64\n"

static void parameters_and_literals_are_constants(void **state) {
    (void)state;
    struct lowered l = lower_text(
        HEADER64 ".entry k(.param .u32 a, .param .u64 b) { .reg .u32 %r<4>; .reg .u64 %d<3>;\n"
                 ".reg .f64 %f<3>; .reg .f32 %g<3>;\n"
                 "ld.param.u32 %r1, [a]; ld.param.u64 %d1, [b];\n"
                 "add.f64 %f1, %f2, 0d3FF8000000000000; add.f64 %f1, %f2, 0d3FB999999999999A;\n"
                 "fma.rn.f32 %g1, %g1, 0f40490FDB, %g2; fma.rn.f32 %g1, %g1, 0f3F800000, %g2;\n"
                 "mul.f32 %g1, 0f40490FDB, %g1; exit; }\n",
        GEN_FERMI);
    const char *const want[] = {"MOV r0, c[0][0x20]",
                                "MOV r1, c[0][0x28]",
                                "MOV r1.1, c[0][0x2c]",
                                "DADD r2:2, r3:2, 0x3ff8000000000000",
                                "DADD r2:2, r3:2, c[2][0x0]",
                                "FFMA r4, r4, c[2][0x8], r5",
                                "FFMA r4, r4, 0x3f800000, r5",
                                "FMUL r4, r4, 0x40490fdb",
                                "EXIT"};
    expect_code(&l.func[0], want, WW_COUNT(want));
    assert_int_equal(l.func[0].literals.n, 12);
    lowered_free(&l);
}

static void frames_hold_arguments_results_and_locals(void **state) {
    (void)state;
    struct lowered l = lower_text(
        HEADER64
        ".func (.param .u64 r) f(.param .u32 a, .param .u64 b) { .reg .u32 %r<4>; .reg .u64 "
        "%d<3>;\n"
        ".local .align 8 .b8 x[24]; .reg .pred %p;\n"
        "ld.param.u32 %r1, [a]; setp.eq.s32 %p, %r1, 0; @%p ret; st.local.u32 [x+8], %r1;\n"
        "ld.param.u64 %d1, [b]; st.param.u64 [r], %d1; ret; }\n"
        ".entry k() { .reg .u32 %r<4>; .reg .u64 %d<3>; .local .align 4 .b8 y[20];\n"
        "{ .param .u32 p; .param .u64 q; .param .u64 s; st.param.u32 [p], %r1; st.param.u64 [q], "
        "%d1;\n"
        "call (s), f, (p, q); ld.param.u64 %d2, [s]; } st.local.u32 [y], %r1; exit; }\n",
        GEN_FERMI);
    const char *const f[] = {
        "LD.L r0, r2",      "ISETP p0, r0, 0x0", "@p0 BRA ->0", "ST.L r2, r0 +40",
        "LD.L r1:2, r2 +8", "ST.L r2, r1:2 +16", "RET"};
    expect_code(&l.func[0], f, WW_COUNT(f));
    assert_int_equal(l.func[0].frame_bytes, 56);
    assert_int_equal(l.func[0].label_at.at[0], 6);
    const char *const k[] = {"MOV r3, 0x0",
                             "ST.L.FRAME r3, r0",
                             "ST.L.FRAME r3, r1:2 +8",
                             "IADD.FRAME r3, r3, 0x0",
                             "CALL ->0",
                             "IADD.FRAME r3, r3, -0x0",
                             "LD.L.FRAME r2:2, r3 +16",
                             "ST.L r3, r0",
                             "EXIT"};
    expect_code(&l.func[1], k, WW_COUNT(k));
    assert_true(l.func[1].has_calls && l.func[1].frame_bytes == 20);
    assert_int_equal(l.func[1].called.n, 1);
    lowered_free(&l);
}

// A .param variable that is not written right before its call keeps a place of its own.
static void arguments_survive_another_call(void **state) {
    (void)state;
    struct lowered l = lower_text(HEADER64 ".func g() { ret; }\n.func f(.param .u32 a) { ret; }\n"
                                           ".entry k() { .reg .u32 %r<4>; .param .u32 p;\n"
                                           "st.param.u32 [p], %r1; call g; call f, (p); exit; }\n",
                                  GEN_FERMI);
    struct text t = {0};
    for (uint32_t k = 0; k < l.func[2].inst.n; k++) {
        text_opcode(&t, &l.func[2].inst.at[k]);
        text_add(&t, " ");
    }
    assert_string_equal(t.at, "MOV ST.L IADD.FRAME CALL IADD.FRAME LD.L ST.L.FRAME IADD.FRAME CALL "
                              "IADD.FRAME EXIT ");
    assert_int_equal(l.func[2].frame_bytes, 4);
    lowered_free(&l);
}

static void shared_variables_are_laid_out(void **state) {
    (void)state;
    struct lowered l = lower_text(
        HEADER64
        ".shared .b8 a[3]; .shared .align 16 .b8 b[20]; .shared .u32 unused;\n"
        ".extern .shared .align 32 .b8 d[];\n"
        ".func f() { .shared .u64 own; .reg .u64 %x; mov.u64 %x, own; ret; }\n"
        ".entry k() { .shared .u32 c; .reg .u32 %r<5>;\n"
        "mov.u32 %r1, a; mov.u32 %r2, b; ld.shared.u32 %r3, [c]; mov.u32 %r4, d; call f; exit; }\n",
        GEN_FERMI);
    uint32_t *funcs;
    const uint32_t n = lower_reachable(&l.arena, l.m, l.m->funcs[1], &funcs);
    assert_int_equal(n, 2);
    lower_layout_shared(&l.arena, l.m, funcs, n, &l.shared);
    const struct ptx_var *const own = l.m->funcs[0]->vars[0], *const c = l.m->funcs[1]->vars[0];
    assert_int_equal(lower_shared_offset(&l.shared, ptx_find_var(l.m, "b")), 0);
    assert_int_equal(lower_shared_offset(&l.shared, own), 24);
    assert_int_equal(lower_shared_offset(&l.shared, c), 32);
    assert_int_equal(lower_shared_offset(&l.shared, ptx_find_var(l.m, "a")), 36);
    assert_int_equal(lower_shared_offset(&l.shared, ptx_find_var(l.m, "unused")), -1);
    assert_int_equal(lower_shared_offset(&l.shared, ptx_find_var(l.m, "d")), 64);
    assert_int_equal(l.shared.bytes, 39);
    assert_int_equal(l.shared.dynamic, 64);
    lowered_free(&l);
}

static void indirect_calls_reach_whatever_has_an_address(void **state) {
    (void)state;
    struct lowered l = lower_text(
        HEADER64 ".func f() { ret; }\n.func g() { ret; }\n.func h() { ret; }\n"
                 ".global .u64 table[1] = { g };\n"
                 ".entry other() { .reg .u64 %d; mov.u64 %d, h; exit; }\n"
                 ".entry k() { .reg .u64 %d; ld.global.u64 %d, [table]; p: .callprototype ()_();\n"
                 "call %d, (), p; exit; }\n",
        GEN_FERMI);
    uint32_t *funcs;
    assert_int_equal(lower_reachable(&l.arena, l.m, l.m->funcs[3], &funcs), 2); // itself, h
    assert_int_equal(lower_reachable(&l.arena, l.m, l.m->funcs[4], &funcs), 3); // itself, g, h
    assert_true(l.func[4].calls_indirect);
    lowered_free(&l);
}

// .f64 keeps its 64 bits of storage and the instructions use half of them.
static void doubles_map_to_floats(void **state) {
    (void)state;
    struct lowered l = lower_text(
        ".version 1.4\n.target sm_10, map_f64_to_f32\n.entry k(.param .u32 a) {\n"
        ".reg .f64 %d<4>; .reg .u32 %r<2>; .reg .f32 %f;\nld.param.u32 %r1, [a];\n"
        "ld.global.f64 %d1, [%r1]; add.f64 %d2, %d1, 0d3FF0000000000000; cvt.rn.f32.f64 %f, %d2;\n"
        "st.global.f64 [%r1+8], %d2; exit; }\n",
        GEN_FERMI);
    const char *const want[] = {
        "MOV r1, c[0][0x20]", "LD.G r2, r1",    "FADD.FTZ r3, r2, 0x3f800000",
        "MOV r0, r3",         "ST.G r1, r3 +8", "EXIT"};
    expect_code(&l.func[0], want, WW_COUNT(want));
    lowered_free(&l);
}

static void halves_of_literals(void **state) {
    (void)state;
    struct lowered l = lower_text(
        HEADER64 ".entry k() { .reg .b16 %h<3>; .reg .b32 %r; \n"
                 "mov.b16 %h1, 0x3C00; add.f16 %h1, %h2, 1.5; add.f16 %h1, %h2, 65519.0;\n"
                 "add.f16 %h1, %h2, 0d3E70000000000000; add.f16 %h1, %h2, 0f33000000; exit; }\n",
        GEN_KEPLER);
    const uint32_t want[] = {0x3c00, 0x3e00, 0x7bff, 0x0001, 0x0000};
    unsigned n = 0;
    for (uint32_t k = 0; k < l.func[0].inst.n; k++) {
        const struct minst *const m = &l.func[0].inst.at[k];
        const struct opnd *const o = m->op == OP_MOV ? &m->src[0] : &m->src[1];
        if ((m->op == OP_MOV || m->op == OP_HADD) && o->kind == OPND_IMM)
            assert_int_equal(o->imm, want[n++]);
    }
    assert_int_equal(n, WW_COUNT(want));
    lowered_free(&l);
}

static void operands_fit_the_machine(void **state) {
    (void)state;
    struct minst m = {.op = OP_IADD, .type = ITYPE_U32};
    const struct opnd word = {.kind = OPND_IMM, .words = 1, .imm = 0x12345678};
    const struct opnd small = {.kind = OPND_IMM, .words = 1, .imm = 5};
    const struct opnd zero = {.kind = OPND_IMM, .words = 1};
    const struct opnd one = {.kind = OPND_IMM, .words = 1, .imm = 0x3f800000};
    const struct opnd c = {.kind = OPND_CONST, .words = 1, .reg = 0x20};
    const struct opnd r = {.kind = OPND_GPR, .words = 1};
    assert_true(isa_fits(&m, 0, &r) && isa_fits(&m, 1, &word) && isa_fits(&m, 1, &c));
    assert_false(isa_fits(&m, 0, &small));
    assert_false(isa_fits(&m, 0, &c));
    assert_true(isa_fits(&m, 0, &zero));
    m = (struct minst){.op = OP_FFMA, .type = ITYPE_F32};
    assert_true(isa_fits(&m, 1, &one) && isa_fits(&m, 2, &c));
    assert_false(isa_fits(&m, 1, &word));
    assert_false(isa_fits(&m, 2, &one));
    m.src[2] = c;
    assert_false(isa_fits(&m, 1, &one)); // one constant or immediate an instruction
    m = (struct minst){.op = OP_IMAD, .type = ITYPE_U32};
    assert_true(isa_fits(&m, 1, &small));
    assert_false(isa_fits(&m, 1, &one)); // no 20-bit integer
    m = (struct minst){.op = OP_LD};
    assert_false(isa_fits(&m, 0, &zero));
}

// Tables: every opcode that the parser lets through has a row, and no row is for one that it
// refuses.
static void every_supported_opcode_has_a_row(void **state) {
    (void)state;
    static const bool supported[PTX_OP_N] = {
#define SUPPORTED                                       true
#define REFUSED                                         false
#define PTX_OP(name, text, least, most, support, prose) [PTX_OP_##name] = support,
#include "ptx/ptx_ops.def"
#undef PTX_OP
#undef REFUSED
#undef SUPPORTED
    };
    static const bool has_row[PTX_OP_N] = {
#define LOWER(op, dst, on_int, on_fp, arg) [PTX_OP_##op] = true,
#include "code/lower_table.def"
#undef LOWER
    };
    for (unsigned op = 0; op < PTX_OP_N; op++) {
        if (supported[op] != has_row[op]) print_message("%s\n", ptx_op_text((enum ptx_op)op));
        assert_int_equal(supported[op], has_row[op]);
    }
}

static void variable_arguments_are_refused(void **state) {
    (void)state;
    struct lowered l = lower_text(
        HEADER64
        ".func f(.param .b32 a, .param .align 8 .b8 va[]) { ret; }\n"
        ".entry k() { .param .b32 p; .param .align 8 .b8 v[12];\ncall f, (p, v); exit; }\n",
        GEN_FERMI);
    char line[300];
    diags_first(&l.d, line, sizeof line);
    assert_string_equal(line,
                        "t.ptx:6:1: `call`: functions with a variable number of arguments are "
                        "not modelled");
    lowered_free(&l);
}

static void refusals_say_where_and_why(void **state) {
    (void)state;
    struct lowered l = lower_text(HEADER64 ".extern .func sin_of(.param .u32 x);\n.entry k() {\n"
                                           ".param .u32 p;\n  call sin_of, (p);\n exit; }\n",
                                  GEN_FERMI);
    char line[300];
    diags_first(&l.d, line, sizeof line);
    assert_string_equal(line,
                        "t.ptx:7:3: `call`: function `sin_of` has no body, and is none of vprintf, "
                        "malloc, free, __assertfail");
    assert_int_equal(diags_status(&l.d), WW_ERROR_UNSUPPORTED);
    lowered_free(&l);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        for (int k = 1; k < argc; k++) check_file(argv[k], true);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_becomes_what_it_says),
        cmocka_unit_test(the_parsers_test_data_lowers),
        cmocka_unit_test(parameters_and_literals_are_constants),
        cmocka_unit_test(frames_hold_arguments_results_and_locals),
        cmocka_unit_test(arguments_survive_another_call),
        cmocka_unit_test(shared_variables_are_laid_out),
        cmocka_unit_test(indirect_calls_reach_whatever_has_an_address),
        cmocka_unit_test(doubles_map_to_floats),
        cmocka_unit_test(halves_of_literals),
        cmocka_unit_test(operands_fit_the_machine),
        cmocka_unit_test(every_supported_opcode_has_a_row),
        cmocka_unit_test(variable_arguments_are_refused),
        cmocka_unit_test(refusals_say_where_and_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
