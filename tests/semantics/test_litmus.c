// Litmus tests of the memory model: no outcome that the PTX memory model forbids, those that must
// be possible do occur, and every word is the same whether one host thread simulates or two or
// four. model/litmus.py makes the shapes; their outcomes are counted over some thousand instances.
//
//     test_litmus NAME [GPU] [-v]    -v shows how often each outcome came
#include "test_semantics.h"

static const char *const gpus[] = {"gt240", "gtx480", "gtx780"};
static const uint32_t threads[] = {1, 2, 4};
static bool is_verbose;

struct subject {
    const char *name, *gpu;
};

enum { MAX_WORDS = 8 };

// Whether values match "1,*,!0"; the pattern ends at ';' or the end of the text.
static bool matches(const char *pattern, const uint32_t *v, uint32_t words) {
    const char *p = pattern;
    for (uint32_t w = 0; w < words; w++) {
        const bool negate = *p == '!';
        p += negate;
        if (*p == '*') {
            p++;
        } else {
            char *end;
            if ((strtoul(p, &end, 10) == v[w]) == negate) return false;
            p = end;
        }
        if (w + 1 < words) {
            assert_int_equal(*p, ',');
            p++;
        }
    }
    assert_true(*p == 0 || *p == ';');
    return true;
}

static void words_of(const struct outcome *o, const uint8_t *out, uint32_t i, uint32_t *v) {
    for (uint32_t w = 0; w < o->words; w++) {
        const size_t at = o->stride == 1 ? (size_t)w * o->n + i : (size_t)i * o->stride + w;
        memcpy(&v[w], out + o->at + 4 * at, 4);
    }
}

static uint32_t count_matches(const struct outcome *o, const uint8_t *out, const char *pattern) {
    uint32_t n = 0, v[MAX_WORDS];
    for (uint32_t i = 0; i < o->n; i++) {
        words_of(o, out, i, v);
        n += matches(pattern, v, o->words);
    }
    return n;
}

static void show_counts(const struct outcome *o, const uint8_t *out) {
    enum { KINDS = 32 };
    uint32_t kind[KINDS][MAX_WORDS], count[KINDS], n = 0, v[MAX_WORDS];
    for (uint32_t i = 0; i < o->n; i++) {
        words_of(o, out, i, v);
        uint32_t k = 0;
        while (k < n && memcmp(kind[k], v, 4 * o->words)) k++;
        if (k == KINDS) continue;
        if (k == n) {
            memcpy(kind[n], v, sizeof v);
            count[n++] = 0;
        }
        count[k]++;
    }
    fprintf(stderr, "  %s:", o->name);
    for (uint32_t k = 0; k < n; k++) {
        fprintf(stderr, " (");
        for (uint32_t w = 0; w < o->words; w++) fprintf(stderr, "%s%u", w ? "," : "", kind[k][w]);
        fprintf(stderr, ")x%u", count[k]);
    }
    fputc('\n', stderr);
}

static uint32_t check_outcome(const struct rig *r, const struct outcome *o, const uint8_t *out,
                              bool needs) {
    uint32_t wrong = 0;
    assert_true(o->words <= MAX_WORDS);
    for (const char *p = o->forbid; *p; p += strcspn(p, ";"), p += *p == ';') {
        const uint32_t n = count_matches(o, out, p);
        if (!n) continue;
        fprintf(stderr, "%s on %s: forbidden outcome %.*s came %u times\n", o->name, r->gpu_name,
                (int)strcspn(p, ";"), p, n);
        wrong++;
    }
    for (const char *p = o->need; *p && needs; p += strcspn(p, ";"), p += *p == ';')
        if (!count_matches(o, out, p)) {
            fprintf(stderr, "%s on %s: outcome %.*s never came\n", o->name, r->gpu_name,
                    (int)strcspn(p, ";"), p);
            wrong++;
        }
    if (is_verbose || wrong) show_counts(o, out);
    return wrong;
}

static void run_subject(void **state) {
    const struct subject *s = *state;
    uint8_t *first[256] = {0};
    uint32_t wrong = 0;
    for (uint32_t t = 0; t <= WW_COUNT(threads); t++) { // the last time functionally
        const bool functional = t == WW_COUNT(threads);
        struct rig r;
        rig_open(&r, s->name, s->gpu, functional, functional ? 1 : threads[t]);
        for (uint32_t k = 0; k < r.launch.n; k++) {
            const struct launch *l = &r.launch.at[k];
            assert_true(k < WW_COUNT(first));
            uint8_t *out = rig_launch(&r, l, l->outcome.n ? 0 : 0xcd);
            if (!out) {
                wrong++;
                skip_forms(&r, l);
                continue;
            }
            if (l->outcome.n && (t == 0 || functional))
                wrong += check_outcome(&r, &l->outcome, out, t == 0);
            for (uint32_t i = 0; i < l->n_forms; i++)
                wrong += check_form(&r, &l->form[i], out, false) != 0;
            if (!functional && first[k] && memcmp(first[k], out, l->out)) {
                fprintf(stderr, "%s on %s: %u host threads give another result than one\n",
                        l->kernel, s->gpu, threads[t]);
                wrong++;
            }
            if (t == 0)
                first[k] = out;
            else
                free(out);
        }
        assert_ptr_equal(r.expect, r.expect_end);
        rig_close(&r);
    }
    for (uint32_t k = 0; k < WW_COUNT(first); k++) free(first[k]);
    if (wrong) fail_msg("%s on %s: %u complaints", s->name, s->gpu, wrong);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[argc - 1], "-v")) is_verbose = true, argc--;
    if (argc < 2) {
        fprintf(stderr, "usage: test_litmus NAME [GPU] [-v]\n");
        return 2;
    }
    struct subject subject[WW_COUNT(gpus)];
    struct CMUnitTest test[WW_COUNT(gpus)];
    uint32_t n = 0;
    for (uint32_t g = 0; g < WW_COUNT(gpus); g++) {
        if (argc == 3 && strcmp(argv[2], gpus[g])) continue;
        subject[n] = (struct subject){argv[1], gpus[g]};
        test[n] = (struct CMUnitTest){
            .name = gpus[g], .test_func = run_subject, .initial_state = &subject[n]};
        n++;
    }
    return _cmocka_run_group_tests(argv[1], test, n, NULL, NULL);
}
