// Results end to end: every module of data/ runs on several GPUs, functionally and timed, and must
// produce the words that an independent model of the PTX ISA expects (generate.py, model/). The
// comments of a module say what to run and what comes out; model/emit.py has their grammar.
//
//     test_semantics NAME            data/NAME.ptx on all GPUs
//     test_semantics NAME GPU MODE   one GPU, `functional` or `timed`; DATA=DIR for other data
#include "test_semantics.h"

static const char *const gpus[] = {"gt240", "gtx480", "gtx780", "v100"};

struct subject {
    const char *name, *gpu;
    bool functional;
};

// Runs everything; how many forms are wrong.
static uint32_t rig_check(struct rig *r) {
    uint32_t wrong_forms = 0;
    for (uint32_t k = 0; k < r->launch.n; k++) {
        const struct launch *l = &r->launch.at[k];
        if (listed(l->skip, r->gpu_name)) {
            skip_forms(r, l);
            continue;
        }
        uint8_t *out = rig_launch(r, l, 0xcd);
        if (!out) {
            wrong_forms += l->n_forms;
            skip_forms(r, l);
            continue;
        }
        for (uint32_t i = 0; i < l->n_forms; i++)
            wrong_forms += check_form(r, &l->form[i], out, wrong_forms > 200) != 0;
        free(out);
    }
    assert_ptr_equal(r->expect, r->expect_end);
    return wrong_forms;
}

static void run_subject(void **state) {
    const struct subject *s = *state;
    struct rig r;
    rig_open(&r, s->name, s->gpu, s->functional, 1);
    const uint32_t wrong = rig_check(&r);
    rig_close(&r);
    if (wrong)
        fail_msg("%s: %u forms are wrong on %s, %s", s->name, wrong, s->gpu,
                 s->functional ? "functional" : "timed");
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: test_semantics NAME [GPU functional|timed]\n");
        return 2;
    }
    struct subject subject[2 * WW_COUNT(gpus)];
    struct CMUnitTest test[WW_COUNT(subject)];
    char label[WW_COUNT(subject)][128];
    uint32_t n = 0;
    for (uint32_t g = 0; g < WW_COUNT(gpus); g++)
        for (int functional = 1; functional >= 0; functional--) {
            const char *mode = functional ? "functional" : "timed";
            if (argc == 4 && (strcmp(argv[2], gpus[g]) || strcmp(argv[3], mode))) continue;
            subject[n] = (struct subject){argv[1], gpus[g], functional};
            snprintf(label[n], sizeof label[n], "%s on %s, %s", argv[1], gpus[g], mode);
            test[n] = (struct CMUnitTest){
                .name = label[n], .test_func = run_subject, .initial_state = &subject[n]};
            n++;
        }
    return _cmocka_run_group_tests(argv[1], test, n, NULL, NULL);
}
