// Activity files: three forms of one content read alike, and every kind of bad input refused with
// its line, what was found and what was expected.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "activity/mem.h"
#include "activity/sm.h"
#include "report/activity_file.h"
#include "report/report.h"

struct reading {
    struct arena a;
    struct diags d;
    struct activity_file f;
    enum ww_status status;
    char text[1024];
};

static struct reading *open_text(const char *text, const struct activity_options *o) {
    struct reading *r = calloc(1, sizeof *r);
    arena_init(&r->a, NULL);
    diags_init(&r->d);
    r->status = activity_file_parse(&r->a, "f", text, strlen(text), o, &r->d, &r->f);
    diags_first(&r->d, r->text, sizeof r->text);
    return r;
}

static void shut(struct reading *r) {
    diags_free(&r->d);
    arena_free(&r->a);
    free(r);
}

static const struct activity_options plain = {.core_hz = 1e9};

// The same content in three forms.
static const char xml[] =
    "<activity format='1' gpu='gt240' core_mhz='500' seconds='1'>\n"
    " <kernel name='a' launch='1'>\n"
    "  <stat name='cycles' value='1000' unit='core cycles'/>\n"
    "  <stat name='thread_by_class.fp_add' value='7'/>\n"
    "  <stat name='int_issues' value='1 2 3 4 5 6 7 8'/>\n"
    " </kernel>\n <!-- between -->\n"
    " <kernel name='b' launch='2' seconds='0.25'><stat name='dram_reads' value='1e3'/></kernel>\n"
    "</activity>\n";
static const char csv[] = "# gpu=gt240\n# core_mhz=500\n# seconds=1\n# any other words\n"
                          "launch,kernel,counter,index,value,unit,component\r\n"
                          "1,a,cycles,,1000,core cycles,chip\r\n"
                          "1,a,thread_by_class,fp_add,7,,\r\n"
                          "1,a,int_issues,,1 2 3 4 5 6 7 8,,\n"
                          "2,\"b\",seconds,,0.25,s,\n"
                          "2,\"b\",dram_reads,,1000,bursts,dram\n";
static const char json[] =
    "{\"format\": 1, \"gpu\": \"gt240\", \"core_mhz\": 500, \"seconds\": 1,\n \"kernels\": [\n"
    "  {\"name\": \"a\", \"id\": 1, \"activity\": {\"cycles\": 1000, \"thread_by_class\": "
    "{\"fp_add\": 7},\n"
    "     \"int_issues\": [1,2,3,4,5,6,7,8]}},\n"
    "  {\"name\": \"b\", \"id\": 2, \"seconds\": 0.25, \"activity\": {\"dram_reads\": 1e3}}]}\n";

static void three_forms(void **state) {
    (void)state;
    const char *const form[] = {xml, csv, json};
    for (size_t i = 0; i < WW_COUNT(form); i++) {
        struct reading *r = open_text(form[i], &plain);
        if (r->status != WW_OK) fail_msg("form %zu: %s", i, r->text);
        assert_string_equal(r->f.gpu, "gt240");
        assert_int_equal(r->f.n, 2);
        assert_true(r->f.core_hz == 500e6 && r->f.seconds == 1);
        const struct activity_kernel *a = &r->f.kernel[0], *b = &r->f.kernel[1];
        assert_string_equal(a->name, "a");
        assert_int_equal(a->activity.c[ACT_cycles], 1000);
        assert_int_equal(a->activity.c[ACT_thread_by_class + OPC_FP_ADD], 7);
        for (uint32_t k = 0; k < 8; k++) assert_int_equal(a->activity.c[ACT_int_issues + k], k + 1);
        assert_true(fabs(a->seconds - 2e-6) < 1e-18); // 1000 cycles at 500 MHz
        assert_string_equal(b->name, "b");
        assert_int_equal(b->activity.c[ACT_dram_reads], 1000);
        assert_true(b->seconds == 0.25);
        uint64_t sum = 0; // and nothing else
        for (uint32_t k = 0; k < ACT_N; k++) sum += a->activity.c[k] + b->activity.c[k];
        assert_int_equal(sum, 1000 + 7 + 36 + 1000);
        shut(r);
    }
}

static void bad_input(void **state) {
    (void)state;
#define STAT(text)                                                                                 \
    "<activity format='1'>\n<kernel>\n<stat name='cycles' value='9'/>\n" text "</kernel></"        \
                                                                              "activity>"
#define ROWS(text) "counter,index,value\ncycles,,9\n" text
#define BODY(text) "{\"activity\":\n {\"cycles\": 9,\n " text "}}"
    static const struct {
        const char *text, *says[3];
    } bad[] = {
        // unknown, with the near miss
        {STAT("<stat name='dram_raeds' value='1'/>"), {"f:4:", "`dram_raeds`", "`dram_reads`"}},
        {ROWS("dram_raeds,,1\n"), {"f:3:", "`dram_raeds`", "`dram_reads`"}},
        {BODY("\"dram_raeds\": 1"), {"f:3:", "`dram_raeds`", "`dram_reads`"}},
        {STAT("<stat name='thread_by_class.fp_ad' value='1'/>"), {"f:4:", "`fp_ad`", "`fp_add`"}},
        {STAT("<stat name='zzzzzzzzzzzzzzzzzzzzzzz' value='1'/>"),
         {"f:4:", "no counter", "reference counters"}},
        // negative
        {STAT("<stat name='dram_reads' value='-1'/>"), {"f:4:", "-1", "negative"}},
        {ROWS("dram_reads,,-1\n"), {"f:3:", "-1", "negative"}},
        {BODY("\"dram_reads\": -1"), {"f:3:", "-1", "negative"}},
        {BODY("\"dram_reads\": -1.5"), {"f:3:", "-1.5", "negative"}},
        // no number, NaN, infinity, no whole number
        {STAT("<stat name='dram_reads' value='many'/>"), {"f:4:", "`many`", "expected a number"}},
        {STAT("<stat name='dram_reads' value=''/>"), {"f:4:", "dram_reads", "expected a number"}},
        {STAT("<stat name='dram_reads' value='12x'/>"), {"f:4:", "`12x`", "expected a number"}},
        {STAT("<stat name='dram_reads' value='nan'/>"), {"f:4:", "`nan`", "finite"}},
        {ROWS("dram_reads,,inf\n"), {"f:3:", "`inf`", "finite"}},
        {ROWS("dram_reads,,1e400\n"), {"f:3:", "`1e400`", "finite"}},
        {BODY("\"dram_reads\": NaN"), {"f:3:", "no JSON", NULL}},
        {BODY("\"dram_reads\": \"5\""), {"f:3:", "text `5`", "expected a number"}},
        {BODY("\"dram_reads\": null"), {"f:3:", "null", "expected a number"}},
        {STAT("<stat name='dram_reads' value='1.5'/>"), {"f:4:", "1.5", "whole number"}},
        {BODY("\"dram_reads\": 1.5"), {"f:3:", "1.5", "whole number"}},
        // too large
        {STAT("<stat name='dram_reads' value='18446744073709551616'/>"),
         {"f:4:", "18446744073709551616", "at most 1e18"}},
        {STAT("<stat name='dram_reads' value='1000000000000000001'/>"),
         {"f:4:", "dram_reads", "at most 1e18"}},
        {ROWS("dram_reads,,1e19\n"), {"f:3:", "1e19", "at most 1e18"}},
        {BODY("\"dram_reads\": 1000000000000000001"), {"f:3:", "dram_reads", "at most 1e18"}},
        {BODY("\"dram_reads\": 99999999999999999999"), {"f:3:", "no JSON", "big"}},
        // twice
        {STAT("<stat name='cycles' value='9'/>"), {"f:4:", "twice", "line 3"}},
        {ROWS("cycles,,9\n"), {"f:3:", "twice", "line 2"}},
        {BODY("\"cycles\": 9"), {"f:3:", "no JSON", "duplicate"}},
        {"counter,value,launch\ncycles,9,1\ncycles,9,2\ncycles,9,1\n",
         {"f:4:", "launch 1 stands twice", NULL}},
        // arrays of another length
        {STAT("<stat name='int_issues' value='1 2 3'/>"), {"f:4:", "3 entries", "expected 8"}},
        {STAT("<stat name='int_issues' value='1 2 3 4 5 6 7 8 9'/>"),
         {"f:4:", "9 entries", "expected 8"}},
        {STAT("<stat name='int_issues.8' value='1'/>"), {"f:4:", "no entry 8", "0 to 7"}},
        {STAT("<stat name='dram_reads.1' value='1'/>"),
         {"f:4:", "dram_reads is one number", "`1`"}},
        {BODY("\"int_issues\": [1, 2]"), {"f:3:", "2 entries", "expected 8"}},
        {BODY("\"int_issues\": 4"), {"f:3:", "a number", "array of 8"}},
        // units, time
        {STAT("<stat name='dram_reads' value='1' unit='kB'/>"), {"f:4:", "`kB`", "`bursts`"}},
        {"<activity format='1'><stat name='dram_reads' value='1'/></activity>",
         {"f:1:", "no time", "seconds"}},
        {"<activity format='1' core_mhz='1'>\n<kernel seconds='1'><stat name='cycles' "
         "value='9'/></kernel></activity>",
         {"f:2:", "1 s", "9e-06 s"}},
        {"<activity format='1' seconds='1'>\n<kernel seconds='2'><stat name='cycles' "
         "value='9'/></kernel></activity>",
         {"f:1:", "1 s", "2 s"}},
        {"{\"launches\": [\n{\"kernel\": \"k\", \"functional\": true, \"activity\": {}}]}",
         {"f:2:", "functional", "no power"}},
        // forms
        {"<activity>\n</activity>", {"f:1:", "format", NULL}},
        {"<activity format='2'/>", {"f:1:", "format 2", "expected 1"}},
        {"<activity format='1' gpus='x'/>", {"f:1:", "`gpus`", "`gpu`"}},
        {"<power/>", {"f:1:", "<power>", "<activity>"}},
        {STAT("<start/>"), {"f:4:", "<start>", "<stat>"}},
        {STAT("<stat value='1'/>"), {"f:4:", "lacks its name", NULL}},
        {STAT("<stat name='dram_reads'/>"), {"f:4:", "lacks its value", NULL}},
        {"<activity format='1'>\n<kernel>\n", {"f:3:", "no XML", NULL}},
        {"counter,valu\n", {"f:1:", "`valu`", "`value`"}},
        {"counter\n", {"f:1:", "`value`", NULL}},
        {ROWS("dram_reads,1\n"), {"f:3:", "2 fields", "expected 3"}},
        {ROWS("\"dram_reads,,1\n"), {"f:3:", "quoted", NULL}},
        {"{}", {"f:1:", "launches", NULL}},
        {"", {"f:1:", "empty", NULL}},
        {"\n {\"kernels\": [{\"name\": \"k\",\n \"activity\": 5}]}",
         {"f:3:", "a number", "object"}},
        {"{\"activity\": {\"cycles\": 9}, \"intervals\": [\n{\"from\": 0, \"to\": 5, \"activity\": "
         "{}},\n{\"from\": 6, \"to\": 9, "
         "\"activity\": {}}]}",
         {"f:3:", "from cycle 6 to 9", "begin at 5"}},
    };
    for (size_t i = 0; i < WW_COUNT(bad); i++) {
        struct reading *r = open_text(bad[i].text, &plain);
        if (r->status == WW_OK) fail_msg("taken: %s", bad[i].text);
        assert_int_equal(r->d.errors, 1);
        for (size_t k = 0; k < 3 && bad[i].says[k]; k++)
            if (!strstr(r->text, bad[i].says[k]))
                fail_msg("`%s` lacks `%s` for: %s", r->text, bad[i].says[k], bad[i].text);
        shut(r);
    }
}

static void missing(void **state) {
    (void)state;
    static bool needed[ACT_N];
    needed[ACT_cycles] = needed[ACT_dram_reads] = true;
    for (uint32_t i = 0; i < OPC_N; i++) needed[ACT_thread_by_class + i] = true;
    struct activity_options o = {.core_hz = 1e9, .needed = needed};
    const char *text = "<activity format='1'>\n\n<kernel name='k'><stat name='cycles' value='9'/>"
                       "<stat name='thread_by_class.fp_add' value='1'/></kernel></activity>";
    struct reading *r = open_text(text, &o);
    assert_int_not_equal(r->status, WW_OK);
    char part[64];
    snprintf(part, sizeof part, "thread_by_class (%d of %d entries)", OPC_N - 1, OPC_N);
    assert_non_null(strstr(r->text, "f:3:"));
    assert_non_null(strstr(r->text, "2 counters"));
    assert_non_null(strstr(r->text, "dram_reads"));
    assert_non_null(strstr(r->text, part));
    assert_non_null(strstr(r->text, "--missing zero"));
    assert_null(strstr(r->text, "cycles,"));
    shut(r);
    o.missing_zero = true; // the user says so
    r = open_text(text, &o);
    assert_int_equal(r->status, WW_OK);
    assert_int_equal(r->f.kernel[0].activity.c[ACT_dram_reads], 0);
    shut(r);
    o.missing_zero = false; // the file says so
    r = open_text("# missing=zero\ncounter,value\ncycles,9\n", &o);
    assert_int_equal(r->status, WW_OK);
    shut(r);
    r = open_text("# missing=one\ncounter,value\ncycles,9\n", &o);
    assert_int_not_equal(r->status, WW_OK);
    assert_non_null(strstr(r->text, "`one`"));
    shut(r);
}

// Files cut anywhere are refused or are whole records; none crashes.
static void cut(void **state) {
    (void)state;
    const char *const form[] = {xml, json};
    for (size_t i = 0; i < WW_COUNT(form); i++)
        for (size_t n = 0; n + 2 < strlen(form[i]); n++) {
            char *text = strndup(form[i], n);
            struct reading *r = open_text(text, &plain);
            if (r->status == WW_OK) fail_msg("taken: %s", text);
            shut(r);
            free(text);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_forms), cmocka_unit_test(bad_input),
                                       cmocka_unit_test(missing), cmocka_unit_test(cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
