// The reader of cubins against files that ptxas 12.9 and 13.0 wrote (data/kernels.ptx, and
// lines.ptx with -lineinfo), what `cuobjdump -res-usage`, `readelf` and `nvdisasm -gi` say of them
// and the PTX that they come from; and against damaged ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
// clang-format off
#include <cmocka.h>
// clang-format on

#include "sass/cubin.h"

struct fixture {
    struct arena arena;
    struct diags diags;
    struct cubin cubin;
    char *image;
    size_t len;
};

static void load(struct fixture *x, const char *name) {
    *x = (struct fixture){0};
    arena_init(&x->arena, NULL);
    diags_init(&x->diags);
    char path[512];
    snprintf(path, sizeof path, WW_TEST_DIR "/data/%s", name);
    assert_int_equal(file_read(&x->arena, path, 1 << 20, &x->image, &x->len, &x->diags), WW_OK);
}
static void end(struct fixture *x) {
    arena_free(&x->arena);
    diags_free(&x->diags);
}

static const struct cubin_kernel *kernel(const struct fixture *x, const char *name) {
    for (uint32_t i = 0; i < x->cubin.kernel.n; i++)
        if (strcmp(x->cubin.kernel.at[i].name, name) == 0) return &x->cubin.kernel.at[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

static void kernels_as_the_compiler_left_them(void **state) {
    (void)state;
    static const struct {
        const char *file;
        uint32_t arch, gen, registers;
    } row[] = {{"kernels_sm_70.cubin", 70, SASS_70, 10}, {"kernels_sm_80.cubin", 80, SASS_80, 10}};
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        struct fixture x;
        load(&x, row[i].file);
        assert_true(cubin_is(x.image, x.len));
        assert_int_equal(cubin_read(&x.arena, x.image, x.len, "test", &x.diags, &x.cubin), WW_OK);
        assert_int_equal(x.cubin.arch, row[i].arch);
        assert_int_equal(x.cubin.gen, row[i].gen);
        assert_int_equal(x.cubin.kernel.n, 2);
        const struct cubin_kernel *k = kernel(&x, "saxpy");
        assert_true(k->is_entry);
        assert_int_equal(k->registers, row[i].registers);
        assert_int_equal(k->shared_bytes, 0);
        assert_int_equal(k->local_bytes, 0);
        assert_int_equal(k->parameter_at, 0x160);
        assert_int_equal(k->parameter_bytes, 28); // f32, padding, two u64, u32
        assert_int_equal(k->max_threads[0], 256);
        assert_int_equal(k->max_threads[1], 1);
        static const struct cubin_parameter parameter[] = {{0, 4}, {8, 8}, {16, 8}, {24, 4}};
        assert_int_equal(k->parameter.n, 4);
        for (uint32_t p = 0; p < 4; p++) {
            assert_int_equal(k->parameter.at[p].offset, parameter[p].offset);
            assert_int_equal(k->parameter.at[p].bytes, parameter[p].bytes);
        }
        // each offset that the compiler noted is that of an EXIT
        assert_true(k->exit.n >= 2);
        for (uint32_t e = 0; e < k->exit.n; e++) {
            struct sass_inst in;
            assert_int_equal(k->exit.at[e] % 16, 0);
            assert_int_equal(sass_decode(cubin_word(k, k->exit.at[e] / 16), k->exit.at[e],
                                         x.cubin.gen, &in, NULL),
                             SASS_KNOWN);
            assert_string_equal(in.name, "EXIT");
        }
        k = kernel(&x, "reverse");
        assert_int_equal(k->shared_bytes, 1024);
        assert_int_equal(k->barriers, 1);
        assert_int_equal(k->parameter_bytes, 8);
        end(&x);
    }
}

static void text_of_a_kernel(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "kernels_sm_70.cubin");
    assert_int_equal(cubin_read(&x.arena, x.image, x.len, "test", &x.diags, &x.cubin), WW_OK);
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    assert_int_equal(cubin_disassemble(&x.cubin, kernel(&x, "saxpy"), NULL, f), 0);
    fclose(f);
    // as nvdisasm 12.4 -raw prints them
    assert_non_null(strstr(text, "FFMA R7, R2, c[0x0][0x160], R7 "));
    assert_non_null(strstr(text, "STG.E.SYS [R4], R7 "));
    assert_non_null(strstr(text, "@P0 EXIT "));
    free(text);
    end(&x);
}

static const struct cubin_symbol *symbol(const struct fixture *x, const char *name) {
    for (uint32_t i = 0; i < x->cubin.symbol.n; i++)
        if (strcmp(x->cubin.symbol.at[i].name, name) == 0) return &x->cubin.symbol.at[i];
    fail_msg("no symbol %s", name);
    return NULL;
}

// Symbols, variables, constants, relocations and calls, as readelf prints them.
static void what_a_loader_needs(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "lines_sm_90.cubin");
    assert_int_equal(cubin_read(&x.arena, x.image, x.len, "test", &x.diags, &x.cubin), WW_OK);
    const struct cubin *c = &x.cubin;
    const struct cubin_kernel *k = kernel(&x, "lines");
    assert_int_equal(k->words, 1280 / 16);
    assert_int_equal(k->registers, 24);
    assert_int_equal(k->max_threads[0], 128);
    assert_int_equal(k->toolkit, 130);
    assert_int_equal(k->local_bytes, 16);
    assert_int_equal(k->system_call.n, 1);
    struct sass_inst in;
    assert_int_equal(sass_decode(cubin_word(k, k->system_call.at[0] / 16), 0, c->gen, &in, NULL),
                     SASS_KNOWN);
    assert_string_equal(in.name, "CALL.ABS");
    // who made the file
    assert_string_equal(c->tool, "ptxas");
    assert_string_equal(c->version, "Cuda compilation tools, release 13.0, V13.0.88");
    assert_string_equal(c->options, "-lineinfo  -arch sm_90 ");
    // variables: counter is zeroed, table and fmt have values
    assert_int_equal(c->zeroed.bytes, 4);
    assert_int_equal(symbol(&x, "counter")->section, c->zeroed.section);
    assert_int_equal(c->initialised.bytes, 28);
    assert_int_equal(symbol(&x, "fmt")->value, 24);
    assert_memory_equal(c->initialised.data + 24, "%d\n", 4);
    assert_int_equal(c->initialised.data[8], 2);
    const struct cubin_symbol *helper = symbol(&x, "$lines$helper");
    assert_int_equal(helper->kind, CUBIN_FUNCTION);
    assert_int_equal(helper->section, k->section);
    assert_int_equal(helper->value, 0x3e0);
    assert_true(symbol(&x, "lines")->entry);
    // banks of constants: 3 of the module, 4 of addresses, 0 of the kernel
    const struct cubin_data *weight = NULL, *address = NULL;
    for (uint32_t i = 0; i < c->constant.n; i++) {
        if (c->constant.at[i].bank == 3) weight = &c->constant.at[i];
        if (c->constant.at[i].bank == 4) address = &c->constant.at[i];
    }
    assert_non_null(weight);
    assert_int_equal(weight->bytes, 16);
    assert_memory_equal(weight->data + 4, "\0\0\0\x40", 4); // 2.0
    assert_non_null(address);
    assert_int_equal(address->relocation.n, 4);
    bool filled = false;
    for (uint32_t i = 0; i < 4; i++) {
        const struct cubin_relocation *l = &address->relocation.at[i];
        assert_int_equal(l->type, 2);
        if (l->offset == 0)
            filled = strcmp(c->symbol.at[l->symbol].name, "vprintf") == 0 &&
                     c->symbol.at[l->symbol].section == 0;
    }
    assert_true(filled);
    assert_int_equal(k->constant.n, 1);
    assert_int_equal(k->constant.at[0].bank, 0);
    assert_int_equal(k->constant.at[0].bytes, k->parameter_at + k->parameter_bytes);
    assert_int_equal(c->call.n, 1);
    assert_string_equal(c->symbol.at[c->call.at[0].caller].name, "lines");
    assert_string_equal(c->symbol.at[c->call.at[0].callee].name, "vprintf");
    assert_string_equal(cubin_attribute_name(0x1c), "EXIT_INSTR_OFFSETS");
    assert_null(cubin_attribute_name(0xfe));
    end(&x);
}

// As `nvdisasm -gi` says them of lines_sm_90.cubin.
static void lines_with_inlining(void **state) {
    (void)state;
    static const struct {
        uint32_t offset;
        const char *file;
        uint32_t line, caller; // line of main.cu that calls the inlined function
    } row[] = {{0x00, "/src/main.cu", 10, 0},  {0x10, "/src/main.cu", 10, 0},
               {0x20, "/src/main.cu", 11, 0},  {0x50, "/src/main.cu", 11, 0},
               {0x60, "/src/main.cu", 12, 0},  {0xa0, "/src/help.h", 3, 13},
               {0xb0, "/src/main.cu", 14, 0},  {0xd0, "/src/help.h", 3, 13},
               {0xe0, "/src/help.h", 4, 13},   {0xf0, "/src/main.cu", 14, 0},
               {0x2d0, "/src/main.cu", 15, 0}, {0x360, "/src/main.cu", 14, 0},
               {0x3d0, "/src/main.cu", 17, 0}, {0x3e0, "/src/help.h", 7, 0},
               {0x400, "/src/help.h", 8, 0}};
    struct fixture x;
    load(&x, "lines_sm_90.cubin");
    assert_int_equal(cubin_read(&x.arena, x.image, x.len, "test", &x.diags, &x.cubin), WW_OK);
    struct cubin_lines lines;
    const struct cubin_kernel *k = kernel(&x, "lines");
    assert_int_equal(cubin_lines(&x.arena, &x.cubin, k, false, &x.diags, &lines), WW_OK);
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        const struct cubin_line *l = cubin_line_at(&lines, row[i].offset);
        assert_non_null(l);
        assert_string_equal(lines.file.at[l->file], row[i].file);
        assert_int_equal(l->line, row[i].line);
        assert_int_equal(l->caller != 0, row[i].caller != 0);
        if (!l->caller) continue;
        assert_string_equal(l->function, "_Z6innerf");
        const struct cubin_line *caller = &lines.line.at[l->caller - 1];
        assert_string_equal(lines.file.at[caller->file], "/src/main.cu");
        assert_int_equal(caller->line, row[i].caller);
        assert_int_equal(caller->caller, 0);
    }
    // Lines of the PTX: the first instruction stands in the line of the first ld.param.
    assert_int_equal(cubin_lines(&x.arena, &x.cubin, k, true, &x.diags, &lines), WW_OK);
    assert_true(lines.line.n > 10);
    assert_int_equal(cubin_line_at(&lines, 0)->file, 0);
    end(&x);
    // a file without line tables has none
    load(&x, "kernels_sm_80.cubin");
    assert_int_equal(cubin_read(&x.arena, x.image, x.len, "test", &x.diags, &x.cubin), WW_OK);
    assert_int_equal(cubin_lines(&x.arena, &x.cubin, kernel(&x, "saxpy"), false, &x.diags, &lines),
                     WW_OK);
    assert_int_equal(lines.line.n, 0);
    assert_null(cubin_line_at(&lines, 0));
    end(&x);
}

// Cut off at each length: a sentence. With each byte changed: a reading or a sentence.
static void cut_files(const char *name) {
    struct fixture x;
    load(&x, name);
    for (size_t len = 0; len < x.len; len++) {
        struct diags d;
        struct arena a;
        struct cubin c;
        diags_init(&d);
        arena_init(&a, NULL);
        char *cut = malloc(len ? len : 1); // so that a sanitizer sees a read beyond it
        memcpy(cut, x.image, len);
        const enum ww_status s = cubin_read(&a, cut, len, "cut", &d, &c);
        assert_int_not_equal(s, WW_OK);
        assert_int_equal(d.errors, 1);
        free(cut);
        arena_free(&a);
        diags_free(&d);
    }
    end(&x);
}

// Whether a file that was read at all has words and lines that can be asked for.
static void walk(struct arena *a, const struct cubin *c, struct diags *d) {
    for (uint32_t k = 0; k < c->kernel.n; k++) {
        struct cubin_lines lines;
        const uint32_t before = d->errors;
        const enum ww_status s = cubin_lines(a, c, &c->kernel.at[k], false, d, &lines);
        assert_int_equal(d->errors - before, s != WW_OK);
        for (uint32_t i = 0; s == WW_OK && i < lines.line.n; i++) {
            assert_true(lines.line.at[i].file < lines.file.n);
            assert_true(lines.line.at[i].caller <= lines.line.n);
            assert_true(!i || lines.line.at[i - 1].offset <= lines.line.at[i].offset);
        }
        for (uint32_t i = 0; i < c->kernel.at[k].words; i++) {
            char text[SASS_TEXT_SIZE];
            sass_text(cubin_word(&c->kernel.at[k], i), 0, SASS_80, text);
        }
    }
}

static void changed_bytes(const char *name, size_t step, uint32_t least) {
    struct fixture x;
    load(&x, name);
    uint32_t refused = 0;
    for (size_t at = 0; at < x.len; at += step) {
        struct diags d;
        struct arena a;
        struct cubin c;
        diags_init(&d);
        arena_init(&a, NULL);
        x.image[at] ^= (char)(at % 3 ? 0x80 : 0x11);
        const enum ww_status s = cubin_read(&a, x.image, x.len, "damaged", &d, &c);
        assert_int_equal(s != WW_OK, d.errors > 0);
        refused += s != WW_OK;
        if (s == WW_OK) walk(&a, &c, &d);
        x.image[at] ^= (char)(at % 3 ? 0x80 : 0x11);
        arena_free(&a);
        diags_free(&d);
    }
    assert_true(refused > least);
    end(&x);
}

// The attribute REGCOUNT of the first kernel: its code, its length, a symbol, then the number.
static void too_many_registers(void) {
    static const char begins[] = {4, 0x2f, 8, 0};
    struct fixture x;
    load(&x, "kernels_sm_80.cubin");
    char *at = memmem(x.image, x.len, begins, sizeof begins);
    assert_non_null(at);
    for (uint32_t n = 255; n <= 256; n++) {
        struct diags d;
        struct arena a;
        struct cubin c;
        diags_init(&d);
        arena_init(&a, NULL);
        memcpy(at + 8, &n, sizeof n);
        assert_int_equal(cubin_read(&a, x.image, x.len, "damaged", &d, &c),
                         n == 255 ? WW_OK : WW_ERROR_SYNTAX);
        arena_free(&a);
        diags_free(&d);
    }
    end(&x);
}

static void damaged_files(void **state) {
    (void)state;
    too_many_registers();
    cut_files("kernels_sm_80.cubin");
    cut_files("lines_sm_70.cubin");
    changed_bytes("kernels_sm_80.cubin", 1, 50);
    changed_bytes("lines_sm_90.cubin", 1, 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_as_the_compiler_left_them),
        cmocka_unit_test(text_of_a_kernel),
        cmocka_unit_test(what_a_loader_needs),
        cmocka_unit_test(lines_with_inlining),
        cmocka_unit_test(damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
