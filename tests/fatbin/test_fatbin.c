// The reader against containers that nvcc 13.0 wrote (data/scale.cu says how) and against damaged
// ones made from them. What the packed ones must unpack to is what the plain one holds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
// clang-format off
#include <cmocka.h>
// clang-format on

#include "fatbin/fatbin.h"

struct fixture {
    struct arena arena;
    struct diags diags;
    struct fatbin f;
    char *text;
    size_t len;
};

static void begin(struct fixture *x) {
    *x = (struct fixture){0};
    arena_init(&x->arena, NULL);
    diags_init(&x->diags);
}
static void end(struct fixture *x) {
    arena_free(&x->arena);
    diags_free(&x->diags);
}
static void load(struct fixture *x, const char *name) {
    begin(x);
    char path[512];
    snprintf(path, sizeof path, "%s/data/%s", WW_TEST_DIR, name);
    assert_int_equal(file_read(&x->arena, path, 1 << 20, &x->text, &x->len, &x->diags), WW_OK);
}
static enum ww_status read_it(struct fixture *x) {
    return fatbin_read(&x->arena, x->text, x->len, "test", &x->diags, &x->f);
}

static void entries_as_the_compiler_was_asked_for(void **state) {
    (void)state;
    static const char *const file[] = {"none.fatbin", "speed.fatbin", "size.fatbin"};
    static const enum fatbin_packing packing[] = {FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD};
    for (int i = 0; i < 3; i++) {
        struct fixture x;
        load(&x, file[i]);
        assert_int_equal(read_it(&x), WW_OK);
        assert_int_equal(x.f.containers, 1);
        assert_int_equal(x.f.entry.n, 4);
        static const struct {
            uint32_t kind, arch;
            char suffix;
        } want[] = {
            {FATBIN_PTX, 75, 0}, {FATBIN_PTX, 80, 0}, {FATBIN_CUBIN, 80, 0}, {FATBIN_PTX, 90, 'a'}};
        for (uint32_t k = 0; k < 4; k++) {
            const struct fatbin_entry *e = &x.f.entry.at[k];
            assert_int_equal(e->kind, want[k].kind);
            assert_int_equal(e->arch, want[k].arch);
            assert_int_equal(e->suffix, want[k].suffix);
            if (e->kind == FATBIN_PTX) {
                assert_int_equal(e->packing, packing[i]);
                assert_int_equal(e->major, 9);
            }
        }
        end(&x);
    }
}

static void all_packings_hold_the_same_text(void **state) {
    (void)state;
    struct fixture plain;
    load(&plain, "none.fatbin");
    assert_int_equal(read_it(&plain), WW_OK);
    static const char *const file[] = {"speed.fatbin", "size.fatbin"};
    for (int i = 0; i < 2; i++) {
        struct fixture x;
        load(&x, file[i]);
        assert_int_equal(read_it(&x), WW_OK);
        for (uint32_t k = 0; k < 4; k++) {
            char *a, *b;
            size_t na, nb;
            assert_int_equal(fatbin_unpack(&x.arena, &x.f.entry.at[k], "x", &x.diags, &a, &na),
                             WW_OK);
            assert_int_equal(fatbin_unpack(&x.arena, &plain.f.entry.at[k], "p", &x.diags, &b, &nb),
                             WW_OK);
            if (x.f.entry.at[k].kind != FATBIN_PTX)
                continue; // machine code names the compiler's options
            assert_int_equal(na, nb);
            assert_memory_equal(a, b, na);
            assert_non_null(strstr(a, ".entry scale("));
            assert_int_equal(a[na], 0);
        }
        end(&x);
    }
    end(&plain);
}

static void kernels_by_name(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "none.fatbin");
    assert_int_equal(read_it(&x), WW_OK);
    for (uint32_t k = 0; k < 4; k++) {
        char *text;
        size_t n;
        assert_int_equal(fatbin_unpack(&x.arena, &x.f.entry.at[k], "x", &x.diags, &text, &n),
                         WW_OK);
        const char *const *names;
        assert_int_equal(fatbin_kernels(&x.arena, x.f.entry.at[k].kind, text, n, &names), 2);
        const bool turned = x.f.entry.at[k].kind == FATBIN_CUBIN;
        assert_string_equal(names[turned], "scale");
        assert_string_equal(names[!turned], "fill");
    }
    const char *const *names;
    const char decoy[] = "// .entry no\n.entryx no .visible .entry\n yes (";
    assert_int_equal(fatbin_kernels(&x.arena, FATBIN_PTX, decoy, sizeof decoy - 1, &names), 1);
    assert_string_equal(names[0], "yes");
    end(&x);
}

static void the_nearest_target_is_chosen(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "size.fatbin");
    assert_int_equal(read_it(&x), WW_OK);
    assert_int_equal(fatbin_choose(&x.f, 0, 20), 0); // all are above it: the lowest
    assert_int_equal(fatbin_choose(&x.f, 0, 75), 0);
    assert_int_equal(fatbin_choose(&x.f, 0, 79), 0);
    assert_int_equal(fatbin_choose(&x.f, 0, 80), 1);
    assert_int_equal(fatbin_choose(&x.f, 0, 120), 1); // not 90a
    assert_int_equal(fatbin_choose(&x.f, 1, 80), -1); // no such container
    end(&x);
    load(&x, "machine-code.fatbin");
    assert_int_equal(read_it(&x), WW_OK);
    assert_int_equal(fatbin_choose(&x.f, 0, 80), -1);
    char buf[96];
    assert_string_equal(fatbin_advice(&x.f, 0, buf, sizeof buf),
                        "-gencode arch=compute_80,code=compute_80");
    end(&x);
}

static void sections_of_a_program(void **state) {
    (void)state;
    struct fixture x;
    begin(&x);
    assert_int_equal(fatbin_read_elf(&x.arena, WW_TEST_DIR "/data/program.elf", &x.diags, &x.f),
                     WW_OK);
    assert_int_equal(x.f.containers, 2);
    assert_int_equal(x.f.entry.n, 3);
    assert_int_equal(fatbin_choose(&x.f, 1, 20), 2);
    end(&x);
    begin(&x);
    assert_int_equal(fatbin_read_elf(&x.arena, WW_TEST_DIR "/test_fatbin.c", &x.diags, &x.f),
                     WW_ERROR_SYNTAX);
    end(&x);
    begin(&x);
    assert_int_equal(fatbin_read_elf(&x.arena, WW_TEST_DIR "/data/none.elf", &x.diags, &x.f),
                     WW_ERROR_IO);
    end(&x);
}

static void a_wrapper_in_memory(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "size.fatbin");
    const void *list[] = {x.text, x.text, NULL};
    struct {
        uint32_t magic, version;
        const void *data;
        const void *const *extra;
    } w = {0x466243B1, 1, x.text, NULL}, two = {0x466243B1, 2, x.text, list};
    bool link = true;
    assert_int_equal(fatbin_read_wrapper(&x.arena, &w, &x.diags, &x.f, &link), WW_OK);
    assert_false(link);
    assert_int_equal(x.f.containers, 1);
    assert_int_equal(fatbin_read_wrapper(&x.arena, &two, &x.diags, &x.f, &link), WW_OK);
    assert_true(link);
    assert_int_equal(x.f.containers, 4); // what the linker made, and two units
    w.version = 3;
    assert_int_equal(fatbin_read_wrapper(&x.arena, &w, &x.diags, &x.f, &link), WW_ERROR_SYNTAX);
    end(&x);
}

static bool any_code(uint32_t arch) { return arch != 0; }
static bool no_code(uint32_t arch) { return arch == 0; }

// Machine code and PTX of one program (tests/sass/data), for GPUs and wishes of all kinds.
static void what_a_gpu_takes(void **state) {
    (void)state;
    static const struct {
        uint32_t arch;
        enum fatbin_code code;
        bool is_checked;
        char image, beside; // e: ELF, p: PTX, -: none
    } row[] = {
        {70, FATBIN_CODE_AUTO, true, 'e', 'p'},  {70, FATBIN_CODE_AUTO, false, 'p', '-'},
        {75, FATBIN_CODE_AUTO, true, 'e', 'p'},  {80, FATBIN_CODE_AUTO, true, 'p', '-'},
        {60, FATBIN_CODE_AUTO, true, 'p', '-'},  {70, FATBIN_CODE_SASS, false, 'e', '-'},
        {80, FATBIN_CODE_SASS, true, '-', '-'},  {70, FATBIN_CODE_PTX, true, 'p', '-'},
    };
    struct fixture x;
    load(&x, "../../sass/data/both_sm_70.fatbin");
    assert_int_equal(fatbin_read_image(&x.arena, x.text, x.len, "test", &x.diags, &x.f), WW_OK);
    const uint32_t *arch;
    assert_int_equal(fatbin_archs(&x.arena, &x.f, FATBIN_CUBIN, &arch), 1);
    assert_int_equal(arch[0], 70);
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        const struct fatbin_wish w = {row[i].arch, row[i].arch, row[i].code,
                                      row[i].is_checked ? any_code : no_code};
        struct fatbin_choice c;
        assert_int_equal(fatbin_pick(&x.arena, &x.f, "test", &w, &x.diags, &c), WW_OK);
        const char image = !c.image ? '-' : fatbin_is_cubin(c.image, c.bytes) ? 'e' : 'p';
        assert_int_equal(image, row[i].image);
        assert_int_equal(!c.beside ? '-' : 'p', row[i].beside);
        if (c.beside) assert_non_null(strstr(c.beside, ".entry vars"));
        // A cubin without a length has the one that its tables say.
        struct fatbin again = {0};
        if (image != 'e') continue;
        assert_int_equal(fatbin_read_image(&x.arena, c.image, 0, "test", &x.diags, &again), WW_OK);
        assert_int_equal(again.entry.at[0].bytes, c.bytes);
        assert_int_equal(again.entry.at[0].arch, 70);
    }
    end(&x);
}

// Code of an architecture's own features goes before other code of it, wherever it stands.
static void own_features_first(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "../../sass/data/own_sm_90.fatbin");
    assert_int_equal(fatbin_read_image(&x.arena, x.text, x.len, "test", &x.diags, &x.f), WW_OK);
    assert_int_equal(x.f.entry.n, 2);
    for (int i = 0; i < 2; i++) {
        const struct fatbin_wish w = {90, 90, FATBIN_CODE_AUTO, any_code};
        struct fatbin_choice c;
        const char *const *kernels;
        assert_int_equal(fatbin_pick(&x.arena, &x.f, "test", &w, &x.diags, &c), WW_OK);
        assert_int_equal(fatbin_kernels(&x.arena, FATBIN_CUBIN, c.image, c.bytes, &kernels), 1);
        assert_string_equal(kernels[0], "k90a");
        const struct fatbin_entry first = x.f.entry.at[0];
        x.f.entry.at[0] = x.f.entry.at[1];
        x.f.entry.at[1] = first;
    }
    end(&x);
}

// Two units: one calls what the other defines.
static void units_become_one_text(void **state) {
    (void)state;
    struct fixture x;
    begin(&x);
    const char *const unit[] = {
        ".version 7.0\n.target sm_75\n.address_size 64\n.extern .func f();\n.file 1 \"a.cu\"\n"
        ".entry k() {\n\t.loc 1 2 3\n\tcall f;\n\tret;\n}\n.section .debug_str\n{\n.b8 "
        "1\n}\n.global .u32 last;\n",
        ".version 8.3\n.target sm_80, debug\n.address_size 64\n.visible .func f() { ret; }\n"};
    const size_t len[] = {strlen(unit[0]), strlen(unit[1])};
    char *text;
    size_t n;
    assert_int_equal(fatbin_link(&x.arena, unit, len, 2, &x.diags, &text, &n), WW_OK);
    assert_int_equal(n, strlen(text));
    assert_string_equal(
        text, ".version 8.3\n\n.target sm_75\n\n.address_size 64\n\n.extern .func f();\n"
              ".entry k() {\n\tcall f;\n\tret;\n}\n.global .u32 last;\n\n"
              ".visible .func f() { ret; }\n\n");
    assert_int_equal(fatbin_link(&x.arena, unit, (size_t[]){0, 0}, 2, &x.diags, &text, &n),
                     WW_ERROR_SYNTAX);
    end(&x);
}

// A name without linkage is its unit's own: where another unit has it too, each is told apart.
// Names that only one unit has, kernels and names with linkage stay, and so do strings and
// comments.
static void local_names_stay_apart(void **state) {
    (void)state;
    struct fixture x;
    begin(&x);
    const char *const unit[] = {
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".global .align 1 .b8 $str[6] = {1, 2}, $str$1 = 3, alone;\n"
        ".func (.param .b32 r) own(.param .b32 a);\n"
        ".visible .func both() { /* $str */ call own; mov.u64 %d, $str; }\n"
        ".func (.param .b32 r) own(.param .b32 a) { ld.u8 %r, [$str$1+1]; }\n"
        ".entry k() { .pragma \"$str\"; // own\n}\n.const .u32 mixed = 0x10;",
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".const .align 1 .b8 $str[2];\n.global .u64 $str$1[2] = {generic($str)+4, own};\n"
        ".visible .const .u32 mixed;\n.func own() { call both; }\n.extern .func both();\n"};
    const size_t len[] = {strlen(unit[0]), strlen(unit[1])};
    char *text;
    size_t n;
    assert_int_equal(fatbin_link(&x.arena, unit, len, 2, &x.diags, &text, &n), WW_OK);
    assert_int_equal(n, strlen(text));
    assert_string_equal(
        strstr(text, ".global"),
        ".global .align 1 .b8 $str$unit0[6] = {1, 2}, $str$1$unit0 = 3, alone;\n"
        ".func (.param .b32 r) own$unit0(.param .b32 a);\n"
        ".visible .func both() { /* $str */ call own$unit0; mov.u64 %d, $str$unit0; }\n"
        ".func (.param .b32 r) own$unit0(.param .b32 a) { ld.u8 %r, [$str$1$unit0+1]; }\n"
        ".entry k() { .pragma \"$str\"; // own\n}\n.const .u32 mixed$unit0 = 0x10;\n"
        ".const .align 1 .b8 $str$unit1[2];\n"
        ".global .u64 $str$1$unit1[2] = {generic($str$unit1)+4, own$unit1};\n"
        ".visible .const .u32 mixed;\n.func own$unit1() { call both; }\n.extern .func both();\n\n");
    end(&x);
}

// Every shorter file and every file with one byte changed: read whole, or refused; never more.
static void damage_is_refused(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "speed.fatbin");
    for (size_t n = 0; n < x.len; n += n < 256 ? 1 : 97) {
        struct fixture y;
        begin(&y);
        char *cut = malloc(n ? n : 1); // its own block: the sanitizer sees a read behind it
        memcpy(cut, x.text, n);
        assert_int_not_equal(fatbin_read(&y.arena, cut, n, "cut", &y.diags, &y.f), WW_OK);
        assert_int_equal(y.diags.errors, 1);
        free(cut);
        end(&y);
    }
    unsigned refused = 0;
    for (size_t at = 0; at < 1200; at++)
        for (int bit = 0; bit < 8; bit += 3) {
            struct fixture y;
            begin(&y);
            char *bad = malloc(x.len);
            memcpy(bad, x.text, x.len);
            bad[at] = (char)(bad[at] ^ 1 << bit);
            enum ww_status s = fatbin_read(&y.arena, bad, x.len, "bad", &y.diags, &y.f);
            for (uint32_t k = 0; k < y.f.entry.n && s == WW_OK; k++) {
                if (y.f.entry.at[k].bytes > 1 << 20) continue;
                char *text;
                size_t len;
                s = fatbin_unpack(&y.arena, &y.f.entry.at[k], "bad", &y.diags, &text, &len);
            }
            refused += s != WW_OK;
            free(bad);
            end(&y);
        }
    assert_true(refused > 100);
    end(&x);
}

static void the_sentence_says_what_and_where(void **state) {
    (void)state;
    struct fixture x;
    load(&x, "none.fatbin");
    x.text[0] = 'x';
    assert_int_equal(read_it(&x), WW_ERROR_SYNTAX);
    assert_string_equal(x.diags.list.at[0].text, "test: fat binary: at byte 0 no container begins");
    end(&x);
    load(&x, "none.fatbin");
    x.text[16 + 8] = 0;
    x.text[16 + 8 + 3] = 1; // the first entry's length
    assert_int_equal(read_it(&x), WW_ERROR_SYNTAX);
    assert_string_equal(x.diags.list.at[0].text,
                        "test: fat binary: at byte 16 an entry is longer than its container");
    end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_as_the_compiler_was_asked_for),
        cmocka_unit_test(all_packings_hold_the_same_text),
        cmocka_unit_test(kernels_by_name),
        cmocka_unit_test(the_nearest_target_is_chosen),
        cmocka_unit_test(sections_of_a_program),
        cmocka_unit_test(a_wrapper_in_memory),
        cmocka_unit_test(what_a_gpu_takes),
        cmocka_unit_test(own_features_first),
        cmocka_unit_test(units_become_one_text),
        cmocka_unit_test(local_names_stay_apart),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(the_sentence_says_what_and_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
