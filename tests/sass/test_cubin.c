// The reader of cubins against two that ptxas 12.9 wrote (data/kernels.ptx), what `cuobjdump
// -res-usage` says of them and the PTX that they come from; and against damaged ones.
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
    assert_int_equal(cubin_disassemble(&x.cubin, kernel(&x, "saxpy"), f), 0);
    fclose(f);
    // as nvdisasm 12.4 -raw prints them
    assert_non_null(strstr(text, "FFMA R7, R2, c[0x0][0x160], R7 "));
    assert_non_null(strstr(text, "STG.E.SYS [R4], R7 "));
    assert_non_null(strstr(text, "@P0 EXIT "));
    free(text);
    end(&x);
}

// Cut off at each length: a sentence. With each byte changed: a reading or a sentence.
static void damaged_files(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "kernels_sm_80.cubin");
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
    uint32_t refused = 0;
    for (size_t at = 0; at < x.len; at++) {
        struct diags d;
        struct arena a;
        struct cubin c;
        diags_init(&d);
        arena_init(&a, NULL);
        x.image[at] ^= (char)(at % 3 ? 0x80 : 0x11);
        const enum ww_status s = cubin_read(&a, x.image, x.len, "damaged", &d, &c);
        x.image[at] ^= (char)(at % 3 ? 0x80 : 0x11);
        assert_int_equal(s != WW_OK, d.errors > 0);
        refused += s != WW_OK;
        for (uint32_t k = 0; s == WW_OK && k < c.kernel.n; k++)
            for (uint32_t i = 0; i < c.kernel.at[k].words; i++) {
                char text[SASS_TEXT_SIZE];
                sass_text(cubin_word(&c.kernel.at[k], i), 0, SASS_80, text);
            }
        arena_free(&a);
        diags_free(&d);
    }
    assert_true(refused > 50);
    end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_as_the_compiler_left_them),
        cmocka_unit_test(text_of_a_kernel),
        cmocka_unit_test(damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
