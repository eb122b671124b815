// The whole way from PTX text to an image: everything compiles for every generation, the images
// verify. With arguments it is a tool:
//   code_tests test_pipeline [-g GENERATION] [-r REGISTERS] [-s] [-q] [-c] FILE.ptx...
// prints the code of every kernel, or with -s one line each ("name registers spills instructions
// fillers bytes"), with -q only how long it took; with -c it checks the control bits of every
// kernel for every generation that has them, and fails where one lets an operand be read too early.
#include <dirent.h>
#include <time.h>

#include "test_build.h"
#include "../isa/test_latencies.h"
#include "test_targets.h"

#ifndef WW_SOURCE_DIR
#define WW_SOURCE_DIR "."
#endif

// Of the processor's time: what else the machine does must not count.
static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct session {
    struct arena arena;
    struct diags diags;
    struct ptx_module *module;
    uint64_t *addr;
    double parse_s, build_s;
    uint32_t hoist_regs; // 0: as the generation does
    bool knows_latencies;
};

static enum ww_status session_open(struct session *s, const char *path) {
    *s = (struct session){0};
    arena_init(&s->arena, NULL);
    diags_init(&s->diags);
    char *text;
    size_t len;
    enum ww_status status = file_read(&s->arena, path, (size_t)64 << 20, &text, &len, &s->diags);
    if (status != WW_OK) return status;
    const double start = now_s();
    status = ptx_parse(path, text, len, NULL, &s->diags, &s->module);
    s->parse_s = now_s() - start;
    if (status != WW_OK) return status;
    s->addr = arena_alloc(&s->arena, (s->module->n_vars + 1) * sizeof *s->addr);
    for (uint32_t i = 0; i < s->module->n_vars; i++)
        s->addr[i] =
            s->module->vars[i]->space == PTX_SPACE_GLOBAL ? 0x10000000 + 4096ull * i : 16ull * i;
    return WW_OK;
}
static void session_close(struct session *s) {
    if (s->module) ptx_free(s->module);
    diags_free(&s->diags);
    arena_free(&s->arena);
}
static enum ww_status session_build(struct session *s, const struct ptx_func *kernel,
                                    enum target_gen gen, uint32_t max_regs,
                                    struct code_image **out) {
    const struct code_symbols symbols = {.addr = s->addr, .const_base = 0x20000000};
    struct code_target target = test_target(gen);
    target.hoist_regs = s->hoist_regs;
    if (s->knows_latencies) target.latencies = test_latencies();
    const double start = now_s();
    const enum ww_status status =
        code_build(s->module, kernel, &target, &symbols, max_regs, 0, &s->diags, out);
    s->build_s += now_s() - start;
    return status;
}

// The control bits of a kernel for all generations that have them, made with and without knowledge
// of the chip's latencies. False: one of them is too early.
static bool control_holds(struct session *s, const struct ptx_func *f) {
    bool holds = true;
    for (int gen = GEN_TESLA; gen < GEN_N; gen++)
        for (int knows = 0; gen_has(gen, TRAIT_CONTROL) && knows < 2; knows++) {
            struct code_image *im;
            s->knows_latencies = knows;
            if (session_build(s, f, gen, 0, &im) != WW_OK) return false;
            holds &= im->control != NULL && image_verify(im, stderr).early == 0;
            code_free(im);
        }
    return holds;
}

// ---- as a test -----------------------------------------------------------------------------
static uint32_t compile_file(const char *path) {
    struct session s;
    uint32_t kernels = 0;
    if (session_open(&s, path) == WW_OK) {
        for (uint32_t i = 0; i < s.module->n_funcs; i++) {
            const struct ptx_func *f = s.module->funcs[i];
            if (!f->is_entry || !f->has_body) continue;
            if (!control_holds(&s, f)) fail_msg("%s: %s reads too early", path, f->name);
            for (int gen = GEN_TESLA; gen < GEN_N; gen++) {
                struct code_image *im;
                const enum ww_status status = session_build(&s, f, gen, 0, &im);
                if (status == WW_ERROR_UNSUPPORTED && gen == GEN_TESLA) { // what it cannot do
                    diags_free(&s.diags);
                    diags_init(&s.diags);
                    continue;
                }
                if (status != WW_OK) {
                    diags_print(&s.diags, stderr);
                    fail_msg("%s: %s for generation %d: %s", path, f->name, gen,
                             ww_status_text(status));
                }
                const struct image_faults faults = image_verify(im, stderr);
                if (faults.broken) fail_msg("%s: %s is broken", path, f->name);
                FILE *nowhere = fopen("/dev/null", "w");
                disasm_image(im, nowhere);
                fclose(nowhere);
                code_free(im);
                kernels++;
            }
        }
    } else {
        diags_print(&s.diags, stderr);
        fail_msg("%s does not parse", path);
    }
    session_close(&s);
    return kernels;
}

static uint32_t compile_folder(const char *folder) {
    DIR *d = opendir(folder);
    if (!d) return 0;
    uint32_t kernels = 0;
    for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
        const size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".ptx") != 0) continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        kernels += compile_file(path);
    }
    closedir(d);
    return kernels;
}

static void the_test_data_compile(void **state) {
    (void)state;
    assert_true(compile_folder(WW_SOURCE_DIR "/tests/ptx/data") > 0);
}

// A kernel of twenty thousand lines: loads, arithmetic, branches over some of it, thirty values
// alive at any time.
static void a_large_kernel_compiles_soon(void **state) {
    (void)state;
    enum { LINES = 20000, ALIVE = 30 };
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fputs(
        ".version 3.2\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".reg .u64 %p, %a<20000>; .reg .f32 %f<20000>; .reg .u32 %r<20000>; .reg .pred %q<20000>;\n"
        "ld.param.u64 %p, [p];\n",
        f);
    for (unsigned i = 0; i < ALIVE; i++)
        fprintf(f, "mov.u32 %%r%u, %%tid.x;\ncvt.rn.f32.u32 %%f%u, %%r%u;\n", i, i, i);
    unsigned at = ALIVE, until = 0;
    for (unsigned line = 2 * ALIVE; line < LINES; line++) {
        const unsigned a = at - 1 - line * 7 % ALIVE, b = at - 1 - line * 13 % ALIVE;
        if (until && line >= until) {
            fprintf(f, "L%u:\n", until);
            until = 0;
        }
        if (line % 41 == 0 && !until) {
            until = line + 9;
            fprintf(f, "setp.gt.f32 %%q%u, %%f%u, %%f%u;\n@%%q%u bra L%u;\n", line, a, b, line,
                    until);
        } else if (until) { // a value from before changes
            fprintf(f, "add.f32 %%f%u, %%f%u, %%f%u;\n", a, a, b);
        } else if (line % 5 == 0) {
            fprintf(f, "mul.wide.u32 %%a%u, %%r%u, 4;\nadd.s64 %%a%u, %%a%u, %%p;\n", line, a, line,
                    line);
            fprintf(f, "ld.global.f32 %%f%u, [%%a%u+%u];\n", at, line, 4 * (line % 64));
            fprintf(f, "add.u32 %%r%u, %%r%u, %u;\n", at, b, line);
            at++;
        } else {
            fprintf(f, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\nxor.b32 %%r%u, %%r%u, %%r%u;\n", at,
                    a, b, at - 1, at, a, b);
            at++;
        }
    }
    if (until) fprintf(f, "L%u:\n", until);
    for (unsigned i = 0; i < ALIVE; i++)
        fprintf(f, "st.global.f32 [%%p+%u], %%f%u;\nst.global.u32 [%%p+%u], %%r%u;\n", 8 * i,
                at - 1 - i, 8 * i + 4, at - 1 - i);
    fputs("ret; }\n", f);
    fclose(f);
    struct session s = {0};
    arena_init(&s.arena, NULL);
    diags_init(&s.diags);
    const double start = now_s();
    assert_int_equal(ptx_parse("large", text, size, NULL, &s.diags, &s.module), WW_OK);
    s.parse_s = now_s() - start;
    struct code_image *im;
    s.addr = arena_alloc(&s.arena, 8);
    assert_int_equal(session_build(&s, ptx_find_func(s.module, "k"), GEN_KEPLER, 0, &im), WW_OK);
    print_message("%u lines: parsed in %.3f s, compiled in %.3f s, %u registers\n", LINES,
                  s.parse_s, s.build_s, im->n_regs);
    assert_int_equal(image_verify(im, stderr).undefined, 0);
    assert_true(s.parse_s + s.build_s < 10); // half a second on an idle machine, without sanitizers
    code_free(im);
    session_close(&s);
    free(text);
}

// Thirty loads that each feed one addition: all of them ahead of the sum, or a few at a time.
static void fewer_loads_start_early_where_the_target_says_so(void **state) {
    (void)state;
    enum { LOADS = 30, FEW = 12 };
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fputs(".version 3.2\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
          ".reg .u64 %p; .reg .f32 %f<99>, %s;\nld.param.u64 %p, [p];\nmov.f32 %s, 0f00000000;\n",
          f);
    for (unsigned i = 0; i < LOADS; i++)
        fprintf(f, "ld.global.f32 %%f%u, [%%p+%u];\nadd.f32 %%s, %%s, %%f%u;\n", i, 4 * i, i);
    fputs("st.global.f32 [%p], %s;\nret; }\n", f);
    fclose(f);
    uint32_t regs[2];
    for (int few = 0; few < 2; few++) {
        struct session s = {.hoist_regs = few ? FEW : 0};
        arena_init(&s.arena, NULL);
        diags_init(&s.diags);
        assert_int_equal(ptx_parse("loads", text, size, NULL, &s.diags, &s.module), WW_OK);
        s.addr = arena_alloc(&s.arena, 8);
        struct code_image *im;
        assert_int_equal(session_build(&s, ptx_find_func(s.module, "k"), GEN_FERMI, 0, &im), WW_OK);
        assert_int_equal(image_verify(im, stderr).undefined, 0);
        regs[few] = im->n_regs;
        code_free(im);
        session_close(&s);
    }
    assert_true(regs[0] > LOADS);         // a register each, and the address
    assert_in_range(regs[1], 4, FEW + 4); // the one just started comes on top
    free(text);
}

// Twenty loads that each stand under a predicate of their own: a chip has seven, and those that are
// made early for want of more would go to registers and back.
static void what_starts_early_leaves_predicates(void **state) {
    (void)state;
    enum { LOADS = 20 };
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fputs(".version 3.2\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
          ".reg .u64 %p; .reg .u32 %v<99>, %x<99>, %s; .reg .pred %q<99>;\n"
          "ld.param.u64 %p, [p];\nmov.u32 %s, 0;\n",
          f);
    for (unsigned i = 0; i < LOADS; i++) {
        fprintf(f, "ld.global.u32 %%v%u, [%%p+%u];\nmov.u32 %%x%u, 5;\n", i, 4 * i, i);
        fprintf(f, "setp.gt.u32 %%q%u, %%v%u, 7;\n", i, i);
        fprintf(f, "@%%q%u ld.global.u32 %%x%u, [%%p+%u];\n", i, i, 4 * i + 400);
        fprintf(f, "add.u32 %%s, %%s, %%x%u;\n", i);
    }
    fputs("st.global.u32 [%p], %s;\nret; }\n", f);
    fclose(f);
    for (int gen = GEN_FERMI; gen < GEN_N; gen++) {
        uint32_t insts[2];
        for (int early = 0; early < 2; early++) {
            struct session s = {.hoist_regs = early ? 0 : 1};
            arena_init(&s.arena, NULL);
            diags_init(&s.diags);
            assert_int_equal(ptx_parse("guards", text, size, NULL, &s.diags, &s.module), WW_OK);
            s.addr = arena_alloc(&s.arena, 8);
            struct code_image *im;
            assert_int_equal(session_build(&s, ptx_find_func(s.module, "k"), gen, 0, &im), WW_OK);
            insts[early] = im->n_insts;
            code_free(im);
            session_close(&s);
        }
        assert_int_equal(insts[1], insts[0]);
    }
    free(text);
}

// What ptxas 11.8 makes of each operation for compute capability 7.0 (a load before it, a store
// behind), as classes; `|` stands before the special function unit's instruction and behind it.
static void a_special_function_has_its_scaling_around_it(void **state) {
    (void)state;
    static const struct {
        const char *ptx, *classes;
    } cases[] = {
        // FSETP FSETP FSEL FSEL FMUL | MUFU.RCP | FMUL
        {"rcp.approx.f32 %r, %a", "FP_CMP FP_CMP MOV MOV FP_MUL | SFU_RCP | FP_MUL"},
        // FSETP @!P0 FMUL | MUFU | @!P0 FMUL, or FADD
        {"rsqrt.approx.f32 %r, %a", "FP_CMP FP_MUL | SFU_RCP | FP_MUL"},
        {"sqrt.approx.f32 %r, %a", "FP_CMP FP_MUL | SFU_RCP | FP_MUL"},
        {"lg2.approx.f32 %r, %a", "FP_CMP FP_MUL | SFU_TRIG | FP_ADD"},
        {"ex2.approx.f32 %r, %a", "FP_CMP FP_MUL | SFU_TRIG | FP_MUL"},
        // FMUL.RZ | MUFU
        {"sin.approx.f32 %r, %a", "FP_MUL | SFU_TRIG |"},
        {"cos.approx.f32 %r, %a", "FP_MUL | SFU_TRIG |"},
        {"sin.approx.ftz.f32 %r, %a", "FP_MUL | SFU_TRIG |"},
        // FSETP FSETP @P0 FMUL @P0 FMUL @!P1 FMUL @!P1 FMUL | MUFU.RCP | FMUL
        {"div.full.f32 %r, %a, %b", "FP_CMP FP_CMP FP_MUL FP_MUL FP_MUL FP_MUL | SFU_RCP | FP_MUL"},
        // FSETP @P0 FMUL @P0 FMUL | MUFU.RCP | FMUL
        {"div.full.ftz.f32 %r, %a, %b", "FP_CMP FP_MUL FP_MUL | SFU_RCP | FP_MUL"},
        {"div.approx.f32 %r, %a, %b", "FP_CMP FP_MUL FP_MUL | SFU_RCP | FP_MUL"},
        // MUFU.RCP FMUL
        {"div.approx.ftz.f32 %r, %a, %b", "| SFU_RCP | FP_MUL"},
        // MUFU
        {"rcp.approx.ftz.f32 %r, %a", "| SFU_RCP |"},
        {"rsqrt.approx.ftz.f32 %r, %a", "| SFU_RCP |"},
        {"sqrt.approx.ftz.f32 %r, %a", "| SFU_RCP |"},
        {"lg2.approx.ftz.f32 %r, %a", "| SFU_TRIG |"},
        {"ex2.approx.ftz.f32 %r, %a", "| SFU_TRIG |"},
    };
    for (size_t k = 0; k < WW_COUNT(cases); k++) {
        char text[600], classes[200] = "";
        snprintf(
            text, sizeof text,
            ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
            ".reg .u64 %%p; .reg .f32 %%a, %%b, %%r;\nld.param.u64 %%p, [p];\n"
            "ld.global.f32 %%a, [%%p];\nld.global.f32 %%b, [%%p+4];\n%s;\n"
            "st.global.f32 [%%p], %%r;\nst.global.f32 [%%p+8], %%b;\nret; }\n",
            cases[k].ptx);
        struct session s = {.knows_latencies = true};
        arena_init(&s.arena, NULL);
        diags_init(&s.diags);
        assert_int_equal(ptx_parse("mufu", text, strlen(text), NULL, &s.diags, &s.module), WW_OK);
        s.addr = arena_alloc(&s.arena, 8);
        struct code_image *im;
        assert_int_equal(session_build(&s, ptx_find_func(s.module, "k"), GEN_VOLTA, 0, &im), WW_OK);
        assert_int_equal(image_verify(im, stderr).broken, 0); // its control bits too
        uint32_t at = 0;
        while (at < im->n_insts && im->inst[at].op != OP_MUFU && im->inst[at].op != OP_FDIV) at++;
        assert_true(at < im->n_insts);
        uint32_t from = at, end = at + 1;
        while (minst_is_filler(&im->inst[from - 1])) from--;
        while (minst_is_filler(&im->inst[end])) end++;
        for (uint32_t i = from; i < end; i++)
            snprintf(classes + strlen(classes), sizeof classes - strlen(classes), "%s%s%s%s",
                     i > from ? " " : "", i == at ? "| " : "", op_class_text(im->inst[i].klass),
                     i == at ? " |" : "");
        assert_string_equal(classes, cases[k].classes);
        // What is before it is over when it starts, and it is over when what is behind starts.
        const struct opnd *const result = &im->inst[at].dst[0];
        if (from < at) assert_int_equal(im->inst[at - 1].dst[0].reg, result->reg);
        if (from < at) assert_true(im->control[at - 1].stall >= 4);
        assert_true(im->control[at].write != CONTROL_NONE);
        assert_true(im->control[at + 1].wait >> im->control[at].write & 1);
        code_free(im);
        session_close(&s);
    }
}

// A convolution with all its loops unrolled, as nvcc writes it: by filter weight, then by sum, each
// value loaded where it is first read. Sum y reads row y + i for row i of the filter, so that in
// this order seven rows of values are in use at once; row by row it is one value beside the sums.
static void an_unrolled_convolution_keeps_its_sums_alone(void **state) {
    (void)state;
    enum { SUMS = 8, ROWS = 15, COLUMNS = 15 };
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fputs(".version 3.2\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
          ".reg .u64 %p; .reg .f32 %v<999>, %s<9999>;\n.reg .u32 %a;\n"
          ".shared .align 4 .b8 tile[4096];\n.const .align 4 .b8 filter[4096];\n"
          "ld.param.u64 %p, [p];\nmov.u32 %a, tile;\n",
          f);
    for (unsigned y = 0; y < SUMS; y++) fprintf(f, "mov.f32 %%s%u, 0f00000000;\n", y);
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned j = 0; j < COLUMNS; j++)
            for (unsigned y = 0; y < SUMS; y++) {
                const unsigned value = (i + y) * COLUMNS + j, at = SUMS * (i * COLUMNS + j) + y;
                if (i == 0 || y == SUMS - 1)
                    fprintf(f, "ld.shared.f32 %%v%u, [%%a+%u];\n", value, 4 * value);
                fprintf(f, "ld.const.f32 %%s%u, [filter+%u];\n", 5000 + at, 4 * (i * COLUMNS + j));
                fprintf(f, "fma.rn.f32 %%s%u, %%v%u, %%s%u, %%s%u;\n", at + SUMS, value, 5000 + at,
                        at);
            }
    for (unsigned y = 0; y < SUMS; y++)
        fprintf(f, "st.global.f32 [%%p+%u], %%s%u;\n", 4 * y, SUMS * ROWS * COLUMNS + y);
    fputs("ret; }\n", f);
    fclose(f);
    for (int early = 0; early < 2; early++) {
        struct session s = {.hoist_regs = early ? 0 : 1}; // loads early, or none
        arena_init(&s.arena, NULL);
        diags_init(&s.diags);
        assert_int_equal(ptx_parse("convolution", text, size, NULL, &s.diags, &s.module), WW_OK);
        s.addr = arena_alloc(&s.arena, 16);
        for (int gen = GEN_FERMI; gen < GEN_N; gen++) {
            struct code_image *im;
            assert_int_equal(session_build(&s, ptx_find_func(s.module, "k"), gen, 0, &im), WW_OK);
            assert_int_equal(image_verify(im, stderr).undefined, 0);
            assert_int_equal(im->stats.spilled_regs, 0);
            // beside the sums: the address, a value, the stack pointer, and room to align pairs
            assert_in_range(im->n_regs, SUMS + 3, early ? 48 : SUMS + 6);
            code_free(im);
        }
        session_close(&s);
    }
    free(text);
}

// ---- as a tool -------------------------------------------------------------------------------
// GEN_N: there is none of that name, which is said with those that there are.
static enum target_gen generation_of(const char *name) {
    static const char *const names[] = {
#define GENERATION(id, text, first, last, registers, costs, traits, source) [GEN_##id] = text,
#include "isa/generation.def"
#undef GENERATION
    };
    for (int gen = 0; gen < GEN_N; gen++)
        if (strcmp(names[gen], name) == 0) return gen;
    fprintf(stderr, "there is no generation %s; there are", name);
    for (int gen = 0; gen < GEN_N; gen++) fprintf(stderr, "%s %s", gen ? "," : "", names[gen]);
    fputc('\n', stderr);
    return GEN_N;
}

static int tool(int argc, char **argv) {
    enum target_gen gen = GEN_FERMI;
    uint32_t max_regs = 0, hoist_regs = 0;
    bool summary = false, quiet = false, control = false;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-g") == 0 && i + 1 < argc) {
            gen = generation_of(argv[++i]);
            if (gen == GEN_N) return 2;
        } else if (strcmp(argv[i], "-r") == 0 && i + 1 < argc) {
            max_regs = (uint32_t)atoi(argv[++i]);
        } else if (strcmp(argv[i], "-e") == 0 && i + 1 < argc) { // early loads may fill
            hoist_regs = (uint32_t)atoi(argv[++i]);
        } else if (strcmp(argv[i], "-s") == 0) {
            summary = true;
        } else if (strcmp(argv[i], "-q") == 0) {
            quiet = true;
        } else if (strcmp(argv[i], "-c") == 0) {
            control = true;
        } else {
            struct session s;
            const enum ww_status opened = session_open(&s, argv[i]);
            s.hoist_regs = hoist_regs;
            if (opened == WW_OK)
                for (uint32_t k = 0; k < s.module->n_funcs; k++) {
                    const struct ptx_func *f = s.module->funcs[k];
                    struct code_image *im = NULL;
                    if (control) {
                        failed |= f->is_entry && f->has_body && !control_holds(&s, f);
                        continue;
                    }
                    if (!f->is_entry || !f->has_body ||
                        session_build(&s, f, gen, max_regs, &im) != WW_OK)
                        continue;
                    if (summary)
                        printf("%s %u %u %u %u %u\n", f->name, im->n_regs, im->stats.spilled_regs,
                               im->n_insts, im->stats.fillers, im->local_bytes);
                    else if (!quiet)
                        disasm_image(im, stdout);
                    image_verify(im, stderr);
                    code_free(im);
                }
            diags_print(&s.diags, stderr);
            failed |= s.diags.errors != 0;
            if (quiet)
                printf("%s: parsed in %.3f s, compiled in %.3f s\n", argv[i], s.parse_s, s.build_s);
            session_close(&s);
        }
    }
    return failed;
}

int main(int argc, char **argv) {
    if (argc > 1) return tool(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_test_data_compile),
        cmocka_unit_test(a_large_kernel_compiles_soon),
        cmocka_unit_test(fewer_loads_start_early_where_the_target_says_so),
        cmocka_unit_test(what_starts_early_leaves_predicates),
        cmocka_unit_test(a_special_function_has_its_scaling_around_it),
        cmocka_unit_test(an_unrolled_convolution_keeps_its_sums_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
