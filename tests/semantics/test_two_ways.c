// Two ways, one answer: PTX of two_ways/ through our compiler, and the machine code that ptxas made
// of it (two_ways/README.md), on a simulated GPU that takes it. Bits must be the same; kinds of forms
// (model/emit.py) say where PTX leaves a NaN open, and `near` is an approximate function.
//
//     two_ways NAME[.sm_NN] [functional|timed]
#include "test_semantics.h"

enum { NEAR_ULPS = 2 };

struct subject {
    const char *name, *gpu, *code; // code: what its file's name ends with
    bool functional;
};

static void open_code(struct rig *r, const char *suffix, struct gpu_module **module) {
    size_t len;
    const char *text = (const char *)rig_file(r, r->name, suffix, &len);
    if (!strcmp(suffix, ".ptx")) rig_parse(r, text);
    rig_ok(r, gpu_module_load(r->gpu, r->name, text, len, NULL, &r->diags, module));
}

// How far two results are apart that may be approximate.
static bool is_near(const struct form *f, uint64_t a, uint64_t b) {
    if (is_nan(a, f->bytes, false) && is_nan(b, f->bytes, false)) return true;
    return llabs(order(a, f->bytes) - order(b, f->bytes)) <= NEAR_ULPS;
}

static bool same(const struct form *f, uint64_t a, uint64_t b) {
    return a == b || canon(f->kind, a) == canon(f->kind, b) ||
           (!strcmp(f->kind, "near") && is_near(f, a, b));
}

// Compares one form; whether any value differs.
static bool form_differs(const struct rig *r, const struct form *f, const uint8_t *ptx,
                         const uint8_t *code) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const size_t at = f->at + (size_t)i * f->bytes;
        const uint64_t a = word_at(ptx + at, f->bytes), b = word_at(code + at, f->bytes);
        if (!same(f, a, b) && wrong++ < MAX_SHOWN) show(r, f, i, a, b);
    }
    return wrong != 0;
}

// Runs a launch both ways; how many of its forms differ.
static uint32_t launch_differs(struct rig *r, const struct launch *l, struct gpu_module *ptx,
                               struct gpu_module *code) {
    uint32_t differ = 0;
    r->module = ptx;
    uint8_t *a = rig_launch(r, l, 0xcd);
    r->module = code;
    uint8_t *b = rig_launch(r, l, 0xcd);
    if (!a || !b) differ = l->n_forms;
    for (uint32_t k = 0; k < l->n_forms && a && b; k++)
        differ += form_differs(r, &l->form[k], a, b);
    free(a);
    free(b);
    return differ;
}

static void run_subject(void **state) {
    const struct subject *s = *state;
    struct rig r = {.name = s->name, .gpu_name = s->gpu, .dir = WW_TEST_DIR "/two_ways"};
    rig_device(&r, s->functional, 1);
    struct gpu_module *ptx, *code;
    open_code(&r, ".ptx", &ptx);
    open_code(&r, s->code, &code);
    uint32_t differ = 0;
    for (uint32_t k = 0; k < r.launch.n; k++)
        differ += launch_differs(&r, &r.launch.at[k], ptx, code);
    rig_close(&r);
    if (differ) fail_msg("%s: %u forms differ, first PTX, then machine code", s->name, differ);
}

// The GPU whose machine code a file holds, by what stands behind its name.
static const char *gpu_of(const char *suffix) {
    static const struct {
        const char *suffix, *gpu;
    } row[] = {{".sm_75", "rtx2060s"}, {".sm_80", "a100"}, {".sm_86", "rtx3070"}, {".sm_89", "rtx4090"}, {".sm_90", "h100"}};
    for (size_t k = 0; suffix && k < sizeof row / sizeof *row; k++)
        if (!strcmp(row[k].suffix, suffix)) return row[k].gpu;
    return "v100";
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: two_ways NAME[.sm_NN] [functional|timed]\n");
        return 2;
    }
    const char *dot = strchr(argv[1], '.');
    char name[64], code[64];
    snprintf(name, sizeof name, "%.*s", dot ? (int)(dot - argv[1]) : 63, argv[1]);
    snprintf(code, sizeof code, "%s.cubin", dot ? dot : "");
    const struct subject timed = {name, gpu_of(dot), code, false};
    struct subject subject[] = {timed, timed};
    subject[0].functional = true;
    const struct CMUnitTest test[] = {
        {.name = "functional", .test_func = run_subject, .initial_state = &subject[0]},
        {.name = "timed", .test_func = run_subject, .initial_state = &subject[1]}};
    const bool timed_only = argc > 2 && !strcmp(argv[2], "timed");
    return _cmocka_run_group_tests(argv[1], test + timed_only, argc > 2 ? 1 : 2, NULL, NULL);
}
