// Rooms above gpu ask for counters and for values of a GPU by name. Here every name that stands as a
// text in such a question is asked, so that a wrong one is found without the case that needs it; and
// no header that knows numbers or fields is included there.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "activity/activity.h"
#include "base/base.h"
#include "gpu/config.h"

enum kind { COUNTER, SINGLE, COUNT, REAL, FLAG, WORD, CHOICE, KINDS };

// A function or macro whose texts are names. `file` NULL: in all files.
static const struct question {
    const char *file, *name;
    enum kind kind;
} questions[] = {
    {NULL, "act_number", COUNTER},
    {NULL, "act_last", COUNTER},
    {NULL, "act_sum", COUNTER},
    {NULL, "act_at", COUNTER},
    {NULL, "ACT_NAME", COUNTER},
    {NULL, "act_get", SINGLE},
    {NULL, "act_real", SINGLE},
    {NULL, "act_put", SINGLE},
    {"advice.c", "c", SINGLE},
    {"advice.c", "energy_share", COUNTER},
    {"savings_table.c", "counted", COUNTER},
    {NULL, "gpu_config_count", COUNT},
    {NULL, "gpu_config_real", REAL},
    {NULL, "gpu_config_put_real", REAL},
    {NULL, "gpu_config_flag", FLAG},
    {NULL, "gpu_config_word", WORD},
    {NULL, "gpu_config_choice", CHOICE},
    {NULL, "GPU_KEY", COUNT},
    {"advice.c", "key", REAL},
    {"peak.c", "key", REAL},
    {"chip.c", "real", REAL},
    {"chip.c", "word", WORD},
    {"device.c", "COUNT", COUNT},
    {"device.c", "REAL", REAL},
};

struct asked {
    struct gpu_config *gpu;
    const char *file;
    uint32_t n[KINDS];
};

static void ask(struct asked *a, enum kind kind, const char *name) {
    char text[512];
    a->n[kind]++;
    if (kind == COUNTER || kind == SINGLE) {
        const int row = act_find(name);
        if (row < 0) fail_msg("%s: no counter `%s`", a->file, name);
        if (kind == SINGLE && act_row(row)->n != 1) fail_msg("%s: %s is an array", a->file, name);
        return;
    }
    if (!gpu_config_get(a->gpu, name, text, sizeof text)) fail_msg("%s: no key `%s`", a->file, name);
    switch (kind) { // a value of another kind is an assertion of its own
    case COUNT: gpu_config_count(a->gpu, name); break;
    case REAL: gpu_config_real(a->gpu, name); break;
    case FLAG: gpu_config_flag(a->gpu, name); break;
    case WORD: gpu_config_word(a->gpu, name); break;
    default: gpu_config_choice(a->gpu, name); break;
    }
}

// The texts among the arguments of a call whose first bracket stands at `p`, not those of calls in it.
static void ask_texts(struct asked *a, enum kind kind, const char *p) {
    for (int depth = 0; *p; p++) {
        if (*p == '(') depth++;
        if (*p == ')' && --depth == 0) return;
        if (*p != '"') continue;
        const char *const from = p + 1;
        for (p = from; *p && *p != '"'; p++) p += *p == '\\';
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)(p - from), from);
        if (depth == 1) ask(a, kind, name);
    }
}

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void scan(struct asked *a, const char *text) {
    for (size_t i = 0; i < WW_COUNT(questions); i++) {
        const struct question *q = &questions[i];
        const size_t n = strlen(q->name);
        if (q->file && strcmp(q->file, a->file) != 0) continue;
        for (const char *p = text; (p = strstr(p, q->name)); p += n)
            if (p[n] == '(' && p > text && !is_word(p[-1])) ask_texts(a, q->kind, p + n);
    }
    static const char *const closed[] = {"gpu/fields.h", "activity/sm.h", "activity/mem.h"};
    for (size_t i = 0; i < WW_COUNT(closed); i++)
        if (strstr(text, closed[i])) fail_msg("%s sees %s", a->file, closed[i]);
}

static void every_name_is_there(void **state) {
    (void)state;
    static const char *const room[] = {"report", "process", "view",  "study",
                                       "driver", "cudart",  "cli"};
    struct arena arena;
    struct diags d;
    arena_init(&arena, NULL);
    diags_init(&d);
    struct asked a = {.gpu = gpu_config_new(&arena)};
    assert_int_equal(gpu_config_load("gtx480", NULL, 0, &d, a.gpu), WW_OK);
    for (size_t r = 0; r < WW_COUNT(room); r++) {
        const char *const folder = arena_printf(&arena, "%s/src/%s", WW_SOURCE_DIR, room[r]);
        DIR *const dir = opendir(folder);
        assert_non_null(dir);
        for (const struct dirent *e; (e = readdir(dir));) {
            const size_t n = strlen(e->d_name);
            if (n < 2 || e->d_name[n - 2] != '.' || !strchr("ch", e->d_name[n - 1])) continue;
            char *text;
            size_t len;
            assert_int_equal(file_read(&arena, arena_printf(&arena, "%s/%s", folder, e->d_name),
                                       1 << 22, &text, &len, &d),
                             WW_OK);
            a.file = e->d_name;
            scan(&a, text);
        }
        closedir(dir);
    }
    // as many as stood there when this was written, about: the scan sees them
    assert_true(a.n[COUNTER] > 40 && a.n[SINGLE] > 100 && a.n[COUNT] > 20 && a.n[REAL] > 60 &&
                a.n[FLAG] > 1 && a.n[WORD] > 8 && a.n[CHOICE] > 1);
    diags_free(&d);
    arena_free(&arena);
}

static void causes_are_counters(void **state) {
    (void)state;
    static const char *const name[] = {
#define CAUSE(first, last, rule) #first, #last,
#include "view/blame.def"
#undef CAUSE
    };
    for (size_t i = 0; i < WW_COUNT(name); i++)
        if (act_find(name[i]) < 0) fail_msg("blame.def: no counter `%s`", name[i]);
}

// A number has one counter, whose range lies in its room's.
static void numbers_are_of_one_counter(void **state) {
    (void)state;
    static bool taken[ACT_N];
    for (uint32_t i = 0; i < act_rows(); i++) {
        assert_true(act_row(i)->first > 0);
        for (uint32_t k = 0; k < act_row(i)->n; k++) {
            const uint32_t number = act_row(i)->first + k;
            assert_true(number < ACT_N);
            assert_false(taken[number]);
            taken[number] = true;
            assert_int_equal(act_row_of(number), i);
        }
        assert_int_equal(act_number(act_row(i)->name), act_row(i)->first);
    }
    assert_int_equal(act_row_of(0), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_name_is_there),
                                       cmocka_unit_test(causes_are_counters),
                                       cmocka_unit_test(numbers_are_of_one_counter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
