// Units of machine code as one (unit_a.ptx, unit_b.ptx of data/): what the joined file says, beside what
// its units say; what their kernels compute is a test of the driver's (tests/driver/machine_code.c).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
// clang-format off
#include <cmocka.h>
// clang-format on

#include "sass/build.h"
#include "sass/join.h"

struct fixture {
    struct arena arena;
    struct diags diags;
    struct cubin_unit unit[2];
    struct cubin part[2], whole;
    char *image;
    size_t bytes;
    enum ww_status status;
};

static void load(struct fixture *x, const char *a, const char *b) {
    *x = (struct fixture){.unit = {{.name = a}, {.name = b}}};
    arena_init(&x->arena, NULL);
    diags_init(&x->diags);
    for (int i = 0; i < 2; i++) {
        struct cubin_unit *u = &x->unit[i];
        char path[512], *image;
        snprintf(path, sizeof path, WW_TEST_DIR "/data/%s", u->name);
        assert_int_equal(file_read(&x->arena, path, 1 << 20, &image, &u->bytes, &x->diags), WW_OK);
        u->image = image;
        assert_int_equal(cubin_read(&x->arena, image, u->bytes, u->name, &x->diags, &x->part[i]),
                         WW_OK);
    }
}
static void join(struct fixture *x) {
    x->status = cubin_join(&x->arena, x->unit, 2, &x->diags, &x->image, &x->bytes);
    if (x->status == WW_OK)
        assert_int_equal(cubin_read(&x->arena, x->image, x->bytes, "whole", &x->diags, &x->whole),
                         WW_OK);
}
static void end(struct fixture *x) {
    arena_free(&x->arena);
    diags_free(&x->diags);
}

static const struct cubin_kernel *code(const struct cubin *c, const char *name, uint32_t which) {
    for (uint32_t i = 0; i < c->kernel.n; i++)
        if (strcmp(c->kernel.at[i].name, name) == 0 && !which--) return &c->kernel.at[i];
    return NULL;
}
static const struct cubin_symbol *symbol(const struct cubin *c, const char *name, uint32_t which) {
    for (uint32_t i = 0; i < c->symbol.n; i++)
        if (strcmp(c->symbol.at[i].name, name) == 0 && !which--) return &c->symbol.at[i];
    return NULL;
}
static uint32_t word_of(const struct cubin_data *d, const struct cubin_symbol *s) {
    uint32_t v;
    assert_true(s && s->section == d->section && s->value + sizeof v <= d->bytes);
    memcpy(&v, d->data + s->value, sizeof v);
    return v;
}

static void symbols_and_data(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "unit_a_sm_70.cubin", "unit_b_sm_70.cubin");
    join(&x);
    const struct cubin *c = &x.whole;
    assert_true(c->is_unit && c->arch == 70);
    // Each name of all units is defined once; their own ones stay apart.
    static const char *const global[] = {"counter", "functions", "scale", "reverse",
                                         "choose",  "both",      "first"};
    for (uint32_t i = 0; i < WW_COUNT(global); i++) {
        assert_true(symbol(c, global[i], 0)->section != 0);
        assert_null(symbol(c, global[i], 1));
    }
    assert_int_equal(word_of(&c->initialised, symbol(c, "own", 0)), 5);
    assert_int_equal(word_of(&c->initialised, symbol(c, "own", 1)), 70);
    assert_int_equal(c->constant.n, 1);
    assert_int_equal(word_of(&c->constant.at[0], symbol(c, "first_of_a", 0)), 100);
    assert_int_equal(word_of(&c->constant.at[0], symbol(c, "first_of_b", 0)), 9);
    assert_int_equal(word_of(&c->constant.at[0], symbol(c, "scale", 0)), 10000);
    assert_int_equal(symbol(c, "scale", 0)->value % 8, 0);
    end(&x);
}

// Code is that of the units, word for word, with the same relocations by name; the second weak
// definition is gone, both functions of one name are there.
static void code_and_relocations(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "unit_a_sm_70.cubin", "unit_b_sm_70.cubin");
    join(&x);
    assert_null(code(&x.whole, "both", 1));
    for (int u = 0; u < 2; u++)
        for (uint32_t i = 0; i < x.part[u].kernel.n; i++) {
            const struct cubin_kernel *was = &x.part[u].kernel.at[i];
            const bool is_second = u == 1 && strcmp(was->name, "twice") == 0;
            const struct cubin_kernel *k = code(&x.whole, was->name, is_second);
            assert_non_null(k);
            assert_int_equal(k->words, was->words);
            assert_memory_equal(k->code, was->code, 16ul * k->words);
            assert_true(k->is_entry == was->is_entry && k->registers == was->registers &&
                        k->local_bytes == was->local_bytes && k->barriers == was->barriers);
            assert_int_equal(k->relocation.n, was->relocation.n);
            for (uint32_t r = 0; r < k->relocation.n; r++) {
                const struct cubin_relocation *now = &k->relocation.at[r],
                                              *old = &was->relocation.at[r];
                assert_true(now->offset == old->offset && now->type == old->type &&
                            now->addend == old->addend);
                assert_string_equal(x.whole.symbol.at[now->symbol].name,
                                    x.part[u].symbol.at[old->symbol].name);
            }
        }
    end(&x);
}

static bool address(void *user, uint32_t section, uint64_t offset, uint64_t *out) {
    (void)user;
    *out = 0x7a00000000 + section * 0x10000ull + offset;
    return true;
}

// A kernel's image has room for the shared variables and literals of what it calls.
static void images(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "unit_a_sm_70.cubin", "unit_b_sm_70.cubin");
    join(&x);
    const struct sass_places places = {.file = &x.whole, .address = address};
    const struct sass_target target = {.gen = GEN_VOLTA, .stack_bytes = 1024};
    struct code_image *im;
    const uint32_t first = (uint32_t)(code(&x.whole, "first", 0) - x.whole.kernel.at);
    assert_int_equal(sass_build(&places, first, &target, NULL, &x.diags, &im), WW_OK);
    assert_int_equal(im->shared_bytes, 2 * 64 * 4); // mine, and theirs of reverse
    assert_int_equal(im->n_barriers, 1);
    struct code_image *outline; // all but the words, since it calls what stands in other sections
    assert_int_equal(sass_outline(&places, first, &target, NULL, &x.diags, &outline), WW_OK);
    assert_int_equal(outline->n_insts, 0);
    assert_true(im->n_insts > 0 && outline->granted == im->granted &&
                outline->shared_bytes == im->shared_bytes &&
                outline->shared_dynamic == im->shared_dynamic &&
                outline->local_bytes == im->local_bytes &&
                outline->needs_stack == im->needs_stack && outline->n_regs == im->n_regs &&
                outline->n_barriers == im->n_barriers && outline->n_params == im->n_params &&
                outline->param_bytes == im->param_bytes);
    code_free(outline);
    code_free(im);
    const uint32_t second = (uint32_t)(code(&x.whole, "second", 0) - x.whole.kernel.at);
    assert_int_equal(sass_build(&places, second, &target, NULL, &x.diags, &im), WW_OK);
    assert_int_equal(im->shared_bytes, 0);
    const struct cubin_kernel *choose = code(&x.part[1], "choose", 0);
    assert_int_equal(choose->constant.n, 1);
    assert_int_equal(im->literal_bytes, choose->constant.at[0].bytes);
    assert_memory_equal(im->literals, choose->constant.at[0].data, im->literal_bytes);
    code_free(im);
    end(&x);
}

// A kernel that stands alone is made at once: its outline is its image.
static void outline_of_one_alone(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "kernels_sm_70.cubin", "unit_b_sm_70.cubin");
    const struct sass_places places = {.file = &x.part[0], .address = address};
    const struct sass_target target = {.gen = GEN_VOLTA, .stack_bytes = 1024};
    uint32_t alone = 0;
    for (uint32_t i = 0; i < x.part[0].kernel.n; i++) {
        struct code_image *whole, *outline;
        if (!x.part[0].kernel.at[i].is_entry ||
            sass_build(&places, i, &target, NULL, &x.diags, &whole) != WW_OK)
            continue;
        assert_int_equal(sass_outline(&places, i, &target, NULL, &x.diags, &outline), WW_OK);
        assert_int_equal(outline->n_insts, whole->entry ? 0 : whole->n_insts);
        alone += outline->n_insts > 0;
        code_free(outline);
        code_free(whole);
    }
    assert_true(alone > 0);
    end(&x);
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *a, *b, *why;
    } row[] = {
        {"unit_a_sm_70.cubin", "unit_a_sm_70.cubin",
         "unit_a_sm_70.cubin cannot be linked: it defines counter, as unit_a_sm_70.cubin does"},
        {"unit_a_sm_70.cubin", "kernels_sm_70.cubin",
         "kernels_sm_70.cubin cannot be linked: a linker has made a whole of it"}};
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        struct fixture x;
        char text[512];
        load(&x, row[i].a, row[i].b);
        join(&x);
        assert_int_equal(x.status, WW_ERROR_UNSUPPORTED);
        diags_first(&x.diags, text, sizeof text);
        if (!strstr(text, row[i].why)) fail_msg("%s", text);
        end(&x);
    }
}

// Damaged units are refused, or what comes of them can be read.
static void damage(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "unit_a_sm_70.cubin", "unit_b_sm_70.cubin");
    uint64_t random = 1;
    for (uint32_t i = 0; i < 3000; i++) {
        struct fixture y = x;
        arena_init(&y.arena, NULL);
        diags_init(&y.diags);
        uint8_t *image = arena_copy(&y.arena, x.unit[1].image, x.unit[1].bytes);
        for (uint32_t n = 0; n < 1 + i % 3; n++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            // half of them in what describes the file, at its end
            const size_t from = random >> 62 & 1 ? x.unit[1].bytes - 30 * 64 : 0;
            image[from + (random >> 33) % (x.unit[1].bytes - from)] ^=
                (uint8_t)(1u << (random >> 30 & 7));
        }
        y.unit[1].image = image;
        join(&y);
        assert_true(y.status == WW_OK || y.diags.errors);
        end(&y);
    }
    end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_and_data), cmocka_unit_test(code_and_relocations),
        cmocka_unit_test(images), cmocka_unit_test(outline_of_one_alone),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
