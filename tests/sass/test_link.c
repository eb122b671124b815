// Relocations of module.ptx as three compilers' ways leave them (data/README.md), filled in with
// addresses that the test chooses, and read back out of words and data.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
// clang-format off
#include <cmocka.h>
// clang-format on

#include "isa/system_call.h"
#include "sass/link.h"

enum { SECTION_STEP = 0x10000 };
#define FIRST 0x7a00000000ull // where the test has section 0

struct fixture {
    struct arena arena;
    struct diags diags;
    struct cubin cubin;
    struct sass_places places;
    char *image;
    size_t len;
};

static bool address(void *user, uint32_t section, uint64_t offset, uint64_t *out) {
    (void)user;
    *out = FIRST + (uint64_t)section * SECTION_STEP + offset;
    return true;
}
static bool handle(void *user, const char *name, uint64_t *out) {
    (void)user;
    *out = strcmp(name, "image") == 0 ? 11 : 22;
    return strcmp(name, "image") == 0 || strcmp(name, "surf") == 0;
}

static void load(struct fixture *x, const char *name) {
    *x = (struct fixture){0};
    arena_init(&x->arena, NULL);
    diags_init(&x->diags);
    char path[512];
    snprintf(path, sizeof path, WW_TEST_DIR "/data/%s", name);
    assert_int_equal(file_read(&x->arena, path, 1 << 20, &x->image, &x->len, &x->diags), WW_OK);
    assert_int_equal(cubin_read(&x->arena, x->image, x->len, name, &x->diags, &x->cubin), WW_OK);
    x->places = (struct sass_places){.file = &x->cubin, .address = address, .handle = handle};
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
static const struct cubin_symbol *symbol(const struct fixture *x, const char *name) {
    for (uint32_t i = 0; i < x->cubin.symbol.n; i++)
        if (strcmp(x->cubin.symbol.at[i].name, name) == 0) return &x->cubin.symbol.at[i];
    fail_msg("no symbol %s", name);
    return NULL;
}
static uint64_t address_of(const struct fixture *x, const char *name) {
    const struct cubin_symbol *s = symbol(x, name);
    uint64_t a;
    address(NULL, s->section, s->value, &a);
    return a;
}

// The words of a kernel as text, addresses filled in, code at `base`.
static struct cubin_kernel filled(struct fixture *x, const char *name, uint64_t base) {
    const struct cubin_kernel *k = kernel(x, name);
    uint8_t *code = arena_copy(&x->arena, k->code, k->words * 16ul);
    struct cubin_kernel out = *k;
    out.code = code;
    const enum ww_status s = sass_relocate(&x->places, &k->relocation, base, code, k->words * 16ul,
                                           name, &x->diags);
    if (s != WW_OK) diags_print(&x->diags, stderr);
    assert_int_equal(s, WW_OK);
    return out;
}
static void word_is(const struct fixture *x, const struct cubin_kernel *k, uint32_t at,
                    const char *format, uint32_t value) {
    char want[SASS_TEXT_SIZE], got[SASS_TEXT_SIZE];
    snprintf(want, sizeof want, format, value);
    assert_int_equal(sass_text(cubin_word(k, at / 16), at, x->cubin.gen, got), SASS_KNOWN);
    assert_string_equal(got, want);
}

static void halves_in_words(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "module_sm_70.cubin");
    const struct cubin_kernel k = filled(&x, "vars", 0x4000);
    const uint64_t counter = address_of(&x, "counter"), fmt = address_of(&x, "fmt");
    // Places and registers are those of `warpwatt disasm module_sm_70.cubin`.
    uint32_t at = 0;
    char text[SASS_TEXT_SIZE], want[64];
    snprintf(want, sizeof want, "MOV R4, 0x%x", (uint32_t)counter);
    for (; at < k.words; at++) {
        sass_text(cubin_word(&k, at), at * 16, x.cubin.gen, text);
        if (strcmp(text, want) == 0) break;
    }
    assert_true(at < k.words);
    word_is(&x, &k, (at + 1) * 16, "MOV R5, 0x%x", (uint32_t)(counter >> 32));
    snprintf(want, sizeof want, "MOV R4, 0x%x", (uint32_t)fmt);
    for (at = 0; at < k.words; at++) {
        sass_text(cubin_word(&k, at), at * 16, x.cubin.gen, text);
        if (strcmp(text, want) == 0) break;
    }
    assert_true(at < k.words);
    // A call of the driver: its own address, and where it returns to, in this code at 0x4000.
    for (at = 0; at < k.words && (cubin_word(&k, at).lo & 511) != 0x143; at++) {}
    assert_true(at < k.words);
    word_is(&x, &k, at * 16, "CALL.ABS.NOINC 0x%x",
            (uint32_t)system_call_address(MSYS_VPRINTF));
    word_is(&x, &k, (at - 2) * 16, "MOV R20, 0x%x", 0x4000 + (at + 1) * 16);
    end(&x);
}

static void initial_values(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "module_sm_70.cubin");
    const struct cubin_data *data = &x.cubin.initialised;
    uint8_t *bytes = arena_copy(&x.arena, data->data, data->bytes);
    assert_int_equal(sass_relocate(&x.places, &data->relocation, UINT64_MAX, bytes, data->bytes,
                                   "data", &x.diags),
                     WW_OK);
    uint64_t where[2], pieces;
    memcpy(where, bytes + symbol(&x, "where")->value, sizeof where);
    memcpy(&pieces, bytes + symbol(&x, "pieces")->value, sizeof pieces);
    assert_int_equal(where[0], address_of(&x, "counter"));
    assert_int_equal(where[1], address_of(&x, "table") + 8);
    assert_int_equal(pieces, address_of(&x, "counter"));
    end(&x);
}

static void addresses_in_bank_4(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "module_sm_80.cubin");
    const struct cubin_data *bank = NULL;
    for (uint32_t i = 0; i < x.cubin.constant.n; i++)
        if (x.cubin.constant.at[i].bank == 4) bank = &x.cubin.constant.at[i];
    assert_non_null(bank);
    uint64_t *at = arena_alloc(&x.arena, bank->bytes);
    memcpy(at, bank->data, bank->bytes);
    assert_int_equal(sass_relocate(&x.places, &bank->relocation, UINT64_MAX, (uint8_t *)at,
                                   bank->bytes, "bank 4", &x.diags),
                     WW_OK);
    uint32_t found = 0;
    for (uint32_t i = 0; i < bank->bytes / 8; i++) {
        assert_true(at[i] != 0);
        found += at[i] == address_of(&x, "counter") || at[i] == address_of(&x, "fmt") ||
                 at[i] == system_call_address(MSYS_VPRINTF) ||
                 at[i] == system_call_address(MSYS_MALLOC) ||
                 at[i] == system_call_address(MSYS_FREE);
    }
    assert_int_equal(found, 5);
    end(&x);
}

// Handles stand behind the parameters in bank 0.
static void handles(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "module_sm_70.cubin");
    const struct cubin_kernel *k = kernel(&x, "tex");
    assert_int_equal(k->constant.n, 1);
    const struct cubin_data *bank = &k->constant.at[0];
    uint8_t *bytes = arena_copy(&x.arena, bank->data, bank->bytes);
    assert_int_equal(sass_relocate(&x.places, &bank->relocation, UINT64_MAX, bytes, bank->bytes,
                                   "bank 0", &x.diags),
                     WW_OK);
    uint32_t two[2];
    memcpy(two, bytes + 0x168, sizeof two);
    assert_int_equal(two[0], 11);
    assert_int_equal(two[1], 22);
    end(&x);
}

// Functions of a file that is to be linked lie in front, each at one address.
static void functions_in_front(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "module_rdc_sm_70.cubin");
    uint64_t next = 16; // address 0 is no function's
    uint32_t functions = 0;
    for (uint32_t i = 0; i < x.cubin.kernel.n; i++) {
        const struct cubin_kernel *k = &x.cubin.kernel.at[i];
        const bool is_function = strcmp(k->name, "twice") == 0 || strcmp(k->name, "thrice") == 0 ||
                                 strcmp(k->name, "fac") == 0;
        assert_int_equal(k->is_entry, !is_function);
        assert_true(sass_function_address(&x.cubin, i) == (is_function ? next : UINT64_MAX));
        if (is_function) next += k->words * 16ul, functions++;
    }
    assert_int_equal(functions, 3);
    assert_int_equal(sass_function_words(&x.cubin) * 16ul, next);
    const struct cubin_kernel k = filled(&x, "call", next);
    uint32_t at = 0;
    while (at < k.words && (cubin_word(&k, at).lo & 511) != 0x143) at++;
    const int32_t twice = sass_code_of(&x.cubin, symbol(&x, "twice")->section);
    word_is(&x, &k, at * 16, "CALL.ABS.NOINC 0x%x",
            (uint32_t)sass_function_address(&x.cubin, (uint32_t)twice));
    end(&x);
}

static void what_is_refused(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "module_sm_70.cubin");
    const struct cubin_data *data = &x.cubin.initialised;
    uint8_t *bytes = arena_copy(&x.arena, data->data, data->bytes);
    const uint32_t counter = (uint32_t)(symbol(&x, "counter") - x.cubin.symbol.at);
    const struct {
        struct cubin_relocation r;
        const char *why;
    } row[] = {
        {{0, 200, counter, 0}, "the relocation of type 200 at 0x0 of symbol counter is not known"},
        {{data->bytes - 4, 2, counter, 0}, "R_CUDA_64 at 0x"},
        {{0, 1, counter, 0}, "R_CUDA_32 at 0x0 of symbol counter does not fit"},
        {{(uint32_t)symbol(&x, "table")->value, 2, counter, 0}, "fills what is not empty"},
        {{0, 6, counter, 0}, "names no texture or surface"},
    };
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        struct cubin_relocation r = row[i].r;
        const struct cubin_relocations one = {.at = &r, .n = 1};
        char text[512];
        struct diags d;
        diags_init(&d);
        assert_int_equal(
            sass_relocate(&x.places, &one, UINT64_MAX, bytes, data->bytes, "its variables", &d),
            WW_ERROR_UNSUPPORTED);
        diags_first(&d, text, sizeof text);
        if (!strstr(text, row[i].why)) fail_msg("%s", text);
        diags_free(&d);
    }
    end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_in_words),     cmocka_unit_test(initial_values),
        cmocka_unit_test(addresses_in_bank_4), cmocka_unit_test(handles),
        cmocka_unit_test(functions_in_front),  cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
