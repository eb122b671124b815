// Whole programs: what nvcc 13 and clang 14 write, what compilers wrote in 2009, every opcode form
// of a thousand public files, and the time that all this takes.
#include "test_ptx.h"

#include <dirent.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#define SLOW 20
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOW 20
#endif
#endif
#ifndef SLOW
#define SLOW 1
#endif

static const struct fixture {
    const char *name;
    uint32_t version, target, address_size, funcs, entries, insts;
} fixtures[] = {
    {"vecadd.ptx", 90, 75, 64, 1, 1, 22},
    {"reduce.ptx", 90, 75, 64, 1, 1, 88},
    {"blackscholes.ptx", 90, 75, 64, 1, 1, 88},
    {"stencil5.ptx", 90, 75, 64, 1, 1, 62},
    {"mix_sm75.ptx", 90, 75, 64, 12, 4, 565},
    {"mix_sm90.ptx", 90, 90, 64, 12, 4, 565},
    {"mix_sm86_lineinfo.ptx", 90, 86, 64, 12, 4, 565},
    {"debug_sm80.ptx", 90, 80, 64, 2, 1, 85},
    {"clang_sm35.ptx", 32, 35, 64, 4, 1, 298},
    {"clang_sm35_debug.ptx", 32, 35, 64, 4, 1, 412},
    {"clang_sm20_32bit.ptx", 32, 20, 32, 4, 1, 214},
    {"old_sm10.ptx", 14, 10, 32, 2, 2, 52},
    {"old_sm13.ptx", 14, 13, 64, 3, 1, 25},
    {"old_sm30.ptx", 60, 30, 64, 3, 1, 54},
};

static struct ptx_module *open_fixture(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/data/%s", WW_TEST_DIR, name);
    size_t len;
    char *text = test_read(path, &len);
    struct ptx_module *m = test_parse(path, text, len);
    free(text);
    return m;
}

static void check_operand(const struct ptx_module *m, const struct ptx_func *f,
                          const struct ptx_operand *o, unsigned depth) {
    assert_true(o->kind <= PTX_OPERAND_TARGETS);
    assert_true(depth < 3);
    assert_true(o->reg < (int32_t)f->n_regs && o->reg2 < (int32_t)f->n_regs);
    if (o->kind == PTX_OPERAND_REG) assert_true(o->reg >= 0);
    if (o->kind == PTX_OPERAND_LABEL) assert_true(o->label >= 0 && o->label < (int32_t)f->n_labels);
    if (o->kind == PTX_OPERAND_FUNC) assert_true(o->func >= 0 && o->func < (int32_t)m->n_funcs);
    if (o->kind == PTX_OPERAND_PROTO) assert_true(o->proto >= 0 && o->proto < (int32_t)m->n_protos);
    if (o->kind == PTX_OPERAND_TARGETS)
        assert_true(o->targets >= 0 && o->targets < (int32_t)f->n_targets);
    if (o->kind == PTX_OPERAND_VAR) assert_non_null(o->var);
    for (uint32_t i = 0; i < o->n; i++) check_operand(m, f, &o->list[i], depth + 1);
}

// What every module promises to the rooms behind.
static void check_module(const struct ptx_module *m) {
    for (uint32_t k = 0; k < m->n_funcs; k++) {
        const struct ptx_func *f = m->funcs[k];
        const struct ptx_func *named = f->alias_of < 0 ? f : m->funcs[f->alias_of];
        assert_ptr_equal(ptx_find_func(m, f->name), named);
        for (uint32_t i = 0; i < f->n_regs; i++) {
            assert_non_null(f->regs[i].name);
            assert_true(f->regs[i].type != PTX_NONE && f->regs[i].elements >= 1);
        }
        for (uint32_t i = 0; i < f->n_labels; i++) assert_true(f->labels[i].inst <= f->n_insts);
        for (uint32_t i = 0; i < f->n_insts; i++) {
            const struct ptx_inst *in = &f->insts[i];
            assert_true(in->op < PTX_OP_N && in->n_operands <= PTX_MAX_OPERANDS);
            assert_true(in->guard < (int32_t)f->n_regs);
            assert_true(in->loc.line > 0 && in->loc.col > 0);
            unsigned set = 0;
            for (unsigned w = 0; w < 4; w++) set += bits_count64(in->modset[w]);
            assert_true(set <= in->n_mods);
            for (unsigned j = 0; j < in->n_mods; j++)
                assert_true(ptx_has(in, (enum ptx_mod)in->mods[j]));
            for (unsigned j = 0; j < in->n_operands; j++) check_operand(m, f, &in->operand[j], 0);
        }
    }
    for (uint32_t k = 0; k < m->n_vars; k++) {
        const struct ptx_var *v = m->vars[k];
        assert_ptr_equal(ptx_find_var(m, v->name), v);
        assert_true(v->init_bytes <= v->bytes || !v->init);
        for (uint32_t i = 0; i < v->n_relocs; i++) {
            const struct ptx_reloc *r = &v->relocs[i];
            assert_true(r->offset + r->bytes <= v->bytes);
            assert_true(r->index >= 0 &&
                        r->index < (int32_t)(r->is_function ? m->n_funcs : m->n_vars));
            const char *name = r->is_function ? m->funcs[r->index]->name : m->vars[r->index]->name;
            assert_string_equal(name, r->symbol);
        }
    }
}

static void fixtures_parse(void **state) {
    (void)state;
    for (unsigned k = 0; k < WW_COUNT(fixtures); k++) {
        const struct fixture *want = &fixtures[k];
        struct ptx_module *m = open_fixture(want->name);
        uint32_t insts = 0, entries = 0;
        for (uint32_t i = 0; i < m->n_funcs; i++) {
            insts += m->funcs[i]->n_insts;
            entries += m->funcs[i]->is_entry;
        }
        if (m->version != want->version || m->target != want->target ||
            m->address_size != want->address_size || m->n_funcs != want->funcs ||
            entries != want->entries || insts != want->insts)
            fail_msg("%s: version %u target %u address size %u functions %u kernels %u "
                     "instructions %u",
                     want->name, m->version, m->target, m->address_size, m->n_funcs, entries,
                     insts);
        check_module(m);
        ptx_free(m);
    }
}

// What the fuzzer starts from is right, all of it.
static void corpus_parses(void **state) {
    (void)state;
    DIR *dir = opendir(WW_TEST_DIR "/corpus");
    assert_non_null(dir);
    unsigned files = 0;
    for (const struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        char name[512];
        snprintf(name, sizeof name, "../corpus/%s", e->d_name);
        struct ptx_module *m = open_fixture(name);
        check_module(m);
        ptx_free(m);
        files++;
    }
    closedir(dir);
    assert_true(files >= 20);
}

static void line_numbers_reach_instructions(void **state) {
    (void)state;
    struct ptx_module *m = open_fixture("old_sm10.ptx");
    const struct ptx_func *f = ptx_find_func(m, "_Z5saxpyfPfS_i");
    assert_non_null(f);
    assert_int_equal(f->insts[0].loc.src_file, 28);
    assert_int_equal(f->insts[0].loc.src_line, 3);
    assert_int_equal(f->insts[f->n_insts - 1].loc.src_line, 8);
    assert_int_equal(m->n_files, 3);
    assert_int_equal(m->files[2].number, 28);
    assert_string_equal(m->files[2].path, "saxpy.cu");
    ptx_free(m);

    m = open_fixture("mix_sm86_lineinfo.ptx");
    f = ptx_find_func(m, "_Z3fibj");
    assert_non_null(f);
    bool seen = false;
    for (uint32_t i = 0; i < f->n_insts; i++) seen |= f->insts[i].loc.src_line == 24;
    assert_true(seen);
    ptx_free(m);
}

// Every form gets as far as its operands: opcode, types and modifiers are known and belong.
static void forms_of_public_files(void **state) {
    (void)state;
    size_t len;
    char *csv = test_read(WW_TEST_DIR "/data/opcode_forms.csv", &len);
    unsigned forms = 0;
    char *save = NULL;
    for (char *line = strtok_r(csv, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char form[200], text[400];
        snprintf(form, sizeof form, "%.*s", (int)strcspn(line, ","), line);
        if (strcmp(form, "opcode") == 0) continue;
        snprintf(text, sizeof text, ".version 1.3\n.target sm_13\n.entry k() { %s; }\n", form);
        struct diags d;
        diags_init(&d);
        struct ptx_module *m;
        ptx_parse("form", text, strlen(text), NULL, &d, &m);
        for (uint32_t i = 0; i < d.list.n; i++) {
            const struct diag *e = &d.list.at[i];
            // The list has some forms cut short by its makers; operands are missing from all.
            if (!strstr(e->text, "operand") && !strstr(e->text, "a function to call"))
                fail_msg("%s: %s", form, e->text);
        }
        ptx_free(m);
        diags_free(&d);
        forms++;
    }
    assert_int_equal(forms, 833);
    free(csv);
}

// 20,000 lines: the kernel of one fixture over and over under other names.
static void twenty_thousand_lines(void **state) {
    (void)state;
    size_t len;
    char *one = test_read(WW_TEST_DIR "/data/blackscholes.ptx", &len);
    const char *body = strstr(one, ".visible .entry blackscholes(");
    assert_non_null(body);
    const char *after = body + strlen(".visible .entry blackscholes");
    unsigned lines_of_one = 0;
    for (const char *p = body; *p; p++) lines_of_one += *p == '\n';
    const unsigned times = 20000 / lines_of_one + 1;
    char *text = malloc(len * times + 100000), *p = text;
    memcpy(p, one, (size_t)(body - one));
    p += body - one;
    for (unsigned i = 0; i < times; i++) {
        p += sprintf(p, ".visible .entry blackscholes%u", i);
        p = stpcpy(p, after);
    }
    double best = 1e9;
    for (unsigned i = 0; i < 5; i++) {
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        struct ptx_module *m = test_parse("large", text, (size_t)(p - text));
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        assert_int_equal(m->n_funcs, times);
        const double ms =
            (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6;
        if (ms < best) best = ms;
        ptx_free(m);
    }
    print_message("%u lines in %.1f ms\n", times * lines_of_one, best);
    assert_true(best < 150 * SLOW);
    free(text);
    free(one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures_parse),
        cmocka_unit_test(corpus_parses),
        cmocka_unit_test(line_numbers_reach_instructions),
        cmocka_unit_test(forms_of_public_files),
        cmocka_unit_test(twenty_thousand_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
