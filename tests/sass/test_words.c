// Machine words against the text that the vendor's disassembler printed for them (words_*.csv, made
// by tools/sass-agreement): columns sm, address, low half, high half, text. With files as arguments
// the program prints how many agree, and what differs by opcode, instead of testing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sass/row.h"

struct tally {
    uint32_t words, agree, unknown;
};

// Runs of blanks are one blank, and none stands at an end or before a comma.
static void squeeze(char *s) {
    char *out = s;
    for (const char *p = s; *p; p++) {
        if (*p == ' ' && (out == s || p[1] == ' ' || p[1] == ',' || !p[1])) continue;
        *out++ = *p;
    }
    *out = 0;
}

static bool check_line(char *line, struct tally *t, FILE *report) {
    char *field[5];
    if (text_split_csv(line, field, 5) != 5 || strcmp(field[0], "sm") == 0) return true;
    const uint32_t gen = sass_gen((uint32_t)strtoul(field[0], NULL, 10));
    const uint64_t pc = strtoull(field[1], NULL, 16);
    const struct sass_word w = {strtoull(field[2], NULL, 16), strtoull(field[3], NULL, 16)};
    char text[SASS_TEXT_SIZE];
    const bool known = sass_text(w, pc, gen, text) == SASS_KNOWN;
    squeeze(text);
    squeeze(field[4]);
    t->words++;
    t->unknown += !known;
    const bool same = strcmp(text, field[4]) == 0;
    t->agree += same;
    if (!same && report)
        fprintf(report, "sm_%s %03x  %016llx %016llx  theirs: %s  ours: %s\n", field[0],
                (unsigned)(w.lo & 0xfff), (unsigned long long)w.hi, (unsigned long long)w.lo,
                field[4], text);
    return same;
}

static void check_file(const char *path, struct tally *t, FILE *report) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, f) > 0) {
        line[strcspn(line, "\r\n")] = 0;
        check_line(line, t, report);
    }
    free(line);
    fclose(f);
}

static void words_of(const char *arch, uint32_t least) {
    char path[512];
    snprintf(path, sizeof path, WW_TEST_DIR "/words_%s.csv", arch);
    struct tally t = {0};
    check_file(path, &t, stderr);
    assert_true(t.words >= least);
    assert_int_equal(t.agree, t.words);
    assert_int_equal(t.unknown, 0);
}

// Generations with a file of words, and how many it holds at least.
#define ARCHS(X)                                                                                   \
    X(70, 800) X(72, 250) X(75, 1000) X(80, 1100) X(86, 300) X(87, 300) X(89, 1100) X(90, 1500)
#define X(arch, least)                                                                             \
    static void words_of_sm_##arch(void **state) {                                                 \
        (void)state;                                                                               \
        words_of("sm_" #arch, least);                                                              \
    }
ARCHS(X)
#undef X

// ---- the table itself
// -----------------------------------------------------------------------------
static void rows_are_in_the_order_that_lookup_needs(void **state) {
    (void)state;
    for (uint32_t i = 1; i < sass_rows_n; i++)
        if (sass_rows[i - 1].op > sass_rows[i].op)
            fail_msg("row %u (%s) stands behind a higher opcode", i, sass_rows[i].name);
}

static bool chooses(const struct sass_row *r, const struct sass_item *it) {
    for (const struct sass_item *k = r->item; k->kind != ITEM_END; k++)
        if (k->kind == ITEM_SELECT && k->lo == it->lo && k->n == it->n && k->low == it->low)
            return true;
    return false;
}

// Whether each word of `later` is one of `first`: what `first` chooses by, `later` chooses by too.
static bool hides(const struct sass_row *first, const struct sass_row *later) {
    if (first->op != later->op || (later->gens & ~first->gens) || (later->forms & ~first->forms))
        return false;
    for (const struct sass_item *it = first->item; it->kind != ITEM_END; it++)
        if (it->kind == ITEM_SELECT && !chooses(later, it)) return false;
    return true;
}

static void no_row_hides_another(void **state) {
    (void)state;
    for (uint32_t i = 0; i < sass_rows_n; i++)
        for (uint32_t k = i + 1; k < sass_rows_n; k++)
            if (hides(&sass_rows[i], &sass_rows[k]))
                fail_msg("row %u (%s) can never be reached: row %u (%s) comes first", k,
                         sass_rows[k].name, i, sass_rows[i].name);
}

// Two rows without a choice between them would make the order of rows their meaning.
static void rows_that_share_words_choose(void **state) {
    (void)state;
    for (uint32_t i = 0; i < sass_rows_n; i++)
        for (uint32_t k = i + 1; k < sass_rows_n && sass_rows[k].op == sass_rows[i].op; k++) {
            const struct sass_row *a = &sass_rows[i], *b = &sass_rows[k];
            if (!(a->gens & b->gens) || !(a->forms & b->forms)) continue;
            bool chosen = false;
            for (const struct sass_item *it = a->item; it->kind != ITEM_END; it++)
                chosen |= it->kind == ITEM_SELECT;
            if (!chosen) fail_msg("rows %u and %u (%s) overlap", i, k, a->name);
        }
}

// ---- no bit is ignored
// ----------------------------------------------------------------------------
static bool silent(const struct sass_row *r, uint32_t b) {
    for (const struct sass_item *it = r->item; it->kind != ITEM_END; it++) {
        const bool in = b >= it->lo && b < (uint32_t)it->lo + it->n;
        if (it->kind == ITEM_HIDDEN && in) return true;
        if (it->kind == ITEM_FIX_OR_0 && it->n == 1 && in) return true;
        if (it->kind == ITEM_ENUM && in && it->n == 2 && it->name[1] && it->name[2] &&
            !*it->name[1] && !*it->name[2])
            return true; // a format without text
    }
    return false;
}

// Another bit is another text, or no known word.
static void each_bit_of_a_word_is_seen(void **state) {
    (void)state;
    uint32_t tried = 0;
#define X(arch, least) WW_TEST_DIR "/words_sm_" #arch ".csv",
    const char *const path[] = {ARCHS(X)};
#undef X
    for (uint32_t f = 0; f < WW_COUNT(path); f++) {
        FILE *in = fopen(path[f], "r");
        assert_non_null(in);
        char *line = NULL;
        size_t cap = 0;
        while (getline(&line, &cap, in) > 0) {
            char *field[5];
            line[strcspn(line, "\r\n")] = 0;
            if (text_split_csv(line, field, 5) != 5 || strcmp(field[0], "sm") == 0) continue;
            const uint32_t gen = sass_gen((uint32_t)strtoul(field[0], NULL, 10));
            const struct sass_word w = {strtoull(field[2], NULL, 16), strtoull(field[3], NULL, 16)};
            struct sass_inst inst;
            char before[SASS_TEXT_SIZE], after[SASS_TEXT_SIZE];
            assert_int_equal(sass_decode(w, 0, gen, &inst, NULL), SASS_KNOWN);
            sass_print(&inst, gen, before);
            for (uint32_t b = 0; b < 128; b++) {
                if (b >= 105 && b < 125) continue; // how it is scheduled
                if (silent(inst.row, b)) continue;
                struct sass_word v = w;
                if (b < 64)
                    v.lo ^= (uint64_t)1 << b;
                else
                    v.hi ^= (uint64_t)1 << (b - 64);
                tried++;
                struct sass_inst other;
                if (sass_decode(v, 0, gen, &other, NULL) != SASS_KNOWN) continue;
                sass_print(&other, gen, after);
                bool same = strcmp(before, after) == 0;
                // Text leaves out what a NaN holds, how RZ is read in an address, sm_80's
                // descriptors.
                for (uint32_t k = 0; k < inst.n_operands; k++) {
                    const struct sass_operand *x = &inst.operand[k], *y = &other.operand[k];
                    same &= x->value == y->value && x->scale == y->scale && x->ureg == y->ureg &&
                            x->descriptor == y->descriptor && x->wide == y->wide &&
                            x->shown == y->shown;
                }
                if (same)
                    fail_msg("bit %u of %016llx%016llx (%s) is ignored", b,
                             (unsigned long long)w.hi, (unsigned long long)w.lo, before);
            }
        }
        free(line);
        fclose(in);
    }
    assert_true(tried > 100000);
}

static void what_is_not_known_says_so(void **state) {
    (void)state;
    char text[SASS_TEXT_SIZE];
    struct sass_inst in;
    struct sass_word extra;
    // FADD R0, R0, R0 of form 1, with bit 82 set, which it does not have
    const struct sass_word add = {0x0000000000007221, 0x000fe20000040000};
    assert_int_equal(sass_decode(add, 0, SASS_70, &in, &extra), SASS_EXTRA_BITS);
    assert_string_equal(in.name, "FADD");
    assert_int_equal(extra.hi, 0x40000);
    assert_int_equal(extra.lo, 0);
    assert_int_equal(sass_text(add, 0, SASS_70, text), SASS_EXTRA_BITS);
    assert_string_equal(text,
                        "unknown 0x000fe200000400000000000000007221 (FADD with bits that have no "
                        "meaning: 0x00000000000400000000000000000000)");
    // no instruction has this opcode
    assert_int_equal(sass_text((struct sass_word){0x71fe, 0}, 0, SASS_70, text), SASS_NO_ROW);
    assert_string_equal(text,
                        "unknown 0x000000000000000000000000000071fe (opcode 0x1fe in form 0)");
    // a uniform move is of sm_75 and later; a special register without a name
    const struct sass_word move = {0x0000000100047882, 0x000fe20000000000};
    assert_int_equal(sass_text(move, 0, SASS_70, text), SASS_NO_ROW);
    assert_int_equal(sass_text(move, 0, SASS_75, text), SASS_KNOWN);
    assert_int_equal(sass_text((struct sass_word){0x7919, 0xfa00}, 0, SASS_70, text),
                     SASS_BAD_VALUE);
    assert_int_equal(sass_gen(60), 0);
    assert_int_equal(sass_gen(72), SASS_72);
    assert_int_equal(sass_gen(87), SASS_86);
}

static void control_bits_as_they_are_packed(void **state) {
    (void)state;
    // stall 5, yield, write barrier 2, no read barrier, waits for counters 0 and 3, reuse of A
    const struct sass_word w = {0, (uint64_t)(5 | 0 << 4 | 2 << 5 | 7 << 8 | 9 << 11 | 1 << 17)
                                       << 41};
    const struct sass_control c = sass_control(w);
    assert_int_equal(c.stall, 5);
    assert_true(c.yield);
    assert_int_equal(c.write, 2);
    assert_int_equal(c.read, 7);
    assert_int_equal(c.wait, 9);
    assert_int_equal(c.reuse, 1);
    char text[SASS_CONTROL_SIZE];
    sass_print_control(&c, text);
    assert_string_equal(text, "B0--3-- R- W2 Y S05");
}

int main(int argc, char **argv) {
    if (argc > 1) {
        struct tally t = {0};
        for (int i = 1; i < argc; i++) check_file(argv[i], &t, stdout);
        printf("words %u agree %u unknown %u\n", t.words, t.agree, t.unknown);
        return t.agree != t.words;
    }
    const struct CMUnitTest tests[] = {
#define X(arch, least) cmocka_unit_test(words_of_sm_##arch),
        ARCHS(X)
#undef X
            cmocka_unit_test(rows_are_in_the_order_that_lookup_needs),
        cmocka_unit_test(no_row_hides_another),
        cmocka_unit_test(rows_that_share_words_choose),
        cmocka_unit_test(each_bit_of_a_word_is_seen),
        cmocka_unit_test(what_is_not_known_says_so),
        cmocka_unit_test(control_bits_as_they_are_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
