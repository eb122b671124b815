// Every file of tests/exec/ptx is a kernel with what it must do in its comments:
//
//   // launch grid 2 1 1 block 64 1 1 shared 256     (default: one block of 32 threads)
//   // targets fermi kepler                          (default: all generations)
//   // in u32 1 2 0x3 | s32 -4 | f32 1.5 | u64 ...    appended to the input buffer
//   // param u32 7                                   parameters after out and in
//   // expect out[3] = 0x2a                          a 32-bit word of the output buffer
//   // expect out[0..31] = 4*i+1                     a range, i is the index
//   // expect out[0..3] = 1 4 9 16                    a number for each
//   // expect out.u64[2] = 5, out.f32[1] = 0.5       other types; ~ instead of =: to one in 10^6
//   // expect print "text\n"                         what printf writes, all of it
//   // expect error "part of the sentence"           the run fails so
//
// The kernel's first parameter is the address of 64 KB of output (zeros), its second that of the
// input. Each file runs on each generation at each vector level, directly and again with store
// logs on two SMs that commit after random numbers of steps; every run must give the same.
// With arguments: runs those files and shows the machine code of what fails.
#include <dirent.h>
#include <math.h>

#include "exec/bulk.h"
#include "exec/barrier.h"
#include "exec/native.h"
#include "test_loader.h"

enum { OUT_BYTES = 1 << 16 };

struct expectation {
    char type[4]; // u32 ...
    uint32_t first, last;
    bool about;
    int64_t scale;
    uint64_t bits; // the value as the type has it
    double value;
    uint32_t line;
};
struct spec {
    uint32_t grid[3], block[3], shared;
    bool target[GEN_N];
    uint8_t *in;
    uint64_t in_bytes;
    uint64_t params[30];
    uint8_t param_bytes[30];
    uint32_t n_params;
    struct expectation *expect;
    uint32_t n_expect;
    char print[4096];
    char error[512];
    bool has_print, has_error;
};

static const char *blanks(const char *s) {
    while (*s == ' ' || *s == '\t') s++;
    return s;
}
static bool word(const char **s, const char *w) {
    const char *p = blanks(*s);
    const size_t n = strlen(w);
    if (strncmp(p, w, n)) return false;
    *s = p + n;
    return true;
}
static uint32_t type_size(const char *t) { return (uint32_t)atoi(t + 1) / 8; }
static uint64_t literal(const char **s, const char *type, double *value) {
    const char *p = blanks(*s);
    char *end;
    uint64_t v;
    if (type[0] == 'f') {
        double d;
        if (!strncmp(p, "0f", 2) || !strncmp(p, "0d", 2)) { // bits, as PTX writes them
            v = strtoull(p + 2, &end, 16);
            float f;
            const uint32_t u = (uint32_t)v;
            memcpy(&f, &u, 4);
            memcpy(&d, &v, 8);
            *value = type[1] == '3' ? (double)f : d;
            *s = end;
            return v;
        }
        d = strtod(p, &end);
        *value = d;
        if (type[1] == '3') {
            const float f = (float)d;
            uint32_t u;
            memcpy(&u, &f, 4);
            v = u;
        } else {
            memcpy(&v, &d, 8);
        }
    } else {
        v = *p == '-' ? (uint64_t)strtoll(p, &end, 0) : strtoull(p, &end, 0);
        *value = (double)(int64_t)v;
    }
    *s = end;
    return v;
}
static void append(struct spec *sp, uint64_t v, uint32_t bytes) {
    sp->in = realloc(sp->in, sp->in_bytes + 8);
    sp->in_bytes = bits_align_up(sp->in_bytes, bytes);
    memcpy(sp->in + sp->in_bytes, &v, bytes);
    sp->in_bytes += bytes;
}
static void text_literal(const char *s, char *out, size_t size) {
    size_t n = 0;
    s = strchr(s, '"');
    assert_non_null(s);
    for (s++; *s && *s != '"' && n + 1 < size; s++) {
        if (*s == '\\' && s[1]) {
            s++;
            out[n++] = *s == 'n' ? '\n' : *s == 't' ? '\t' : *s;
        } else {
            out[n++] = *s;
        }
    }
    out[n] = 0;
}
static void parse_expect(struct spec *sp, const char *s, uint32_t line) {
    if (word(&s, "print")) {
        char more[2048];
        text_literal(s, more, sizeof more);
        strncat(sp->print, more, sizeof sp->print - strlen(sp->print) - 1);
        sp->has_print = true;
        return;
    }
    if (word(&s, "error")) {
        text_literal(s, sp->error, sizeof sp->error);
        sp->has_error = true;
        return;
    }
    for (;;) {
        struct expectation e = {.type = "u32", .line = line};
        if (!word(&s, "out")) fail_msg("line %u: expect what?", line);
        if (*s == '.') {
            size_t n = 0;
            for (s++; *s != '[' && n < 3; s++) e.type[n++] = *s;
            e.type[n] = 0;
        }
        assert_int_equal(*s, '[');
        char *end;
        e.first = e.last = (uint32_t)strtoul(s + 1, &end, 0);
        if (!strncmp(end, "..", 2)) e.last = (uint32_t)strtoul(end + 2, &end, 0);
        s = blanks(end + 1);
        e.about = *s == '~';
        s = blanks(s + 1);
        // i, K*i, K*i+C, or a value
        const char *i = strchr(s, 'i'), *comma = strchr(s, ',');
        if (i && (!comma || i < comma) && e.type[0] != 'f') {
            e.scale = i == s ? 1 : strtoll(s, NULL, 0);
            s = i + 1;
            if (*blanks(s) == '+' || *blanks(s) == '-') {
                const bool minus = *blanks(s) == '-';
                s = blanks(s) + 1;
                double v;
                e.bits = literal(&s, "u64", &v);
                if (minus) e.bits = 0 - e.bits;
            }
        } else {
            e.bits = literal(&s, e.type, &e.value);
            // More numbers: one for each of the range.
            while (*blanks(s) && *blanks(s) != ',' && e.first < e.last) {
                struct expectation one = e;
                one.last = one.first;
                sp->expect = realloc(sp->expect, (sp->n_expect + 1) * sizeof e);
                sp->expect[sp->n_expect++] = one;
                e.bits = literal(&s, e.type, &e.value);
                e.first++;
            }
        }
        sp->expect = realloc(sp->expect, (sp->n_expect + 1) * sizeof e);
        sp->expect[sp->n_expect++] = e;
        s = blanks(s);
        if (*s != ',') return;
        s++;
    }
}
static void parse_line(struct spec *sp, const char *s, uint32_t line) {
    if (word(&s, "launch")) {
        for (;;) {
            uint32_t *to = word(&s, "grid") ? sp->grid : word(&s, "block") ? sp->block : NULL;
            if (to) {
                for (int k = 0; k < 3; k++) to[k] = (uint32_t)strtoul(s, (char **)&s, 0);
            } else if (word(&s, "shared")) {
                sp->shared = (uint32_t)strtoul(s, (char **)&s, 0);
            } else {
                return;
            }
        }
    }
    if (word(&s, "targets")) {
        sp->target[GEN_TESLA] = strstr(s, "tesla");
        sp->target[GEN_FERMI] = strstr(s, "fermi");
        sp->target[GEN_KEPLER] = strstr(s, "kepler");
        sp->target[GEN_PASCAL] = sp->target[GEN_KEPLER];
        sp->target[GEN_VOLTA] = sp->target[GEN_KEPLER] || strstr(s, "volta");
        sp->target[GEN_TURING] = sp->target[GEN_KEPLER] || strstr(s, "turing");
        sp->target[GEN_AMPERE] = strstr(s, "ampere"); // as Turing but for what they add
        sp->target[GEN_ADA] = strstr(s, "ada");
        sp->target[GEN_HOPPER] = strstr(s, "hopper");
        return;
    }
    if (word(&s, "expect")) {
        parse_expect(sp, s, line);
        return;
    }
    const bool is_in = word(&s, "in ");
    if (is_in || word(&s, "param ")) {
        char type[4] = "u32";
        double v;
        for (s = blanks(s); *s && *s != '\n'; s = blanks(s)) {
            if (*s == ',' || *s == '|') {
                s++;
                continue;
            }
            if ((*s == 'u' || *s == 's' || *s == 'f') && s[1] >= '1' && s[1] <= '8') {
                size_t n = 0;
                while (*s != ' ' && n < 3) type[n++] = *s++;
                type[n] = 0;
                continue;
            }
            const char *before = s;
            const uint64_t bits = literal(&s, type, &v);
            if (s == before) fail_msg("line %u: no number: %.20s", line, s);
            if (is_in) {
                append(sp, bits, type_size(type));
            } else {
                sp->params[sp->n_params] = bits;
                sp->param_bytes[sp->n_params++] = (uint8_t)type_size(type);
            }
        }
    }
}
static struct spec parse_spec(const char *text) {
    struct spec sp = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .target = {true, true, true}};
    uint32_t line = 1;
    for (const char *p = text; *p;) {
        const char *nl = strchr(p, '\n');
        const size_t n = nl ? (size_t)(nl - p) : strlen(p);
        char buf[16384];
        if (n < sizeof buf) {
            memcpy(buf, p, n);
            buf[n] = 0;
            const char *c = strstr(buf, "//");
            if (c) parse_line(&sp, c + 2, line);
        }
        p += n + (nl != NULL);
        line++;
    }
    return sp;
}

// ---- running --------------------------------------------------------------------------------
struct printed {
    char text[8192];
    size_t len;
};
static void catch_print(void *user, const char *text, size_t len) {
    struct printed *p = user;
    if (p->len + len >= sizeof p->text) len = sizeof p->text - 1 - p->len;
    memcpy(p->text + p->len, text, len);
    p->len += len;
}

struct setup {
    struct loaded l;
    uint64_t out, in;
    uint8_t params[512];
    struct printed printed;
    struct exec_callbacks callbacks;
    struct exec_launch *launch;
    struct diags diags;
};
static void make_launch(struct setup *u, const struct spec *sp) {
    const struct code_image *im = u->l.image;
    u->out = devmem_alloc(u->l.mem, OUT_BYTES, 256, "out");
    u->in = devmem_alloc(u->l.mem, sp->in_bytes ? sp->in_bytes : 1, 256, "in");
    if (sp->in_bytes) memcpy(devmem_host(u->l.mem, u->in, sp->in_bytes), sp->in, sp->in_bytes);
    for (uint32_t k = 0; k < im->n_params; k++) {
        const uint64_t v = k == 0                 ? u->out
                           : k == 1               ? u->in
                           : k - 2 < sp->n_params ? sp->params[k - 2]
                                                  : 0;
        memcpy(u->params + im->params[k].offset, &v,
               im->params[k].bytes < 8 ? im->params[k].bytes : 8);
    }
    u->callbacks = (struct exec_callbacks){catch_print, &u->printed};
    struct exec_launch_args a = {.dynamic_shared = sp->shared,
                                 .params = u->params,
                                 .const_segment = u->l.const_base,
                                 .const_bytes = u->l.const_bytes,
                                 .callbacks = &u->callbacks,
                                 .sm_count = 2,
                                 .grid_id = 5,
                                 .clock_hz = 1e9};
    memcpy(a.grid, sp->grid, sizeof a.grid);
    memcpy(a.block, sp->block, sizeof a.block);
    a.envreg[3] = 33;
    diags_init(&u->diags);
    const enum ww_status s = exec_launch_create(im, u->l.mem, &a, &u->diags, &u->launch);
    if (s != WW_OK) diags_print(&u->diags, stderr);
    assert_int_equal(s, WW_OK);
}
static void end_launch(struct setup *u) {
    exec_launch_destroy(u->launch);
    diags_free(&u->diags);
}

// As a timing model would: CTAs on two SMs, one warp instruction a turn, stores and atomics
// at the end of quanta of random length; a warp that waits for a deferred result does not step.
enum { SMS = 2, PER_SM = 4 };
struct test_cta {
    struct exec_cta c;
    void *memory;
    bool live;
    uint8_t state[32]; // 0 ready, 1 barrier, 2 done, 3 waits for the commit
    uint32_t arrived, sum, left;
};
struct test_bar {
    uint32_t arrived, value, need;
};
static uint64_t draw(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}
static void finish_barrier(struct test_cta *t, struct test_bar *b, uint32_t id) {
    const uint32_t need = b->need ? b->need : t->left * 32;
    if (!b->arrived || b->arrived < need) return;
    for (uint32_t k = 0; k < t->c.n_warps; k++)
        if (exec_barrier_has(&t->c.warps[k], t->state[k] == 1, id)) {
            t->c.warps[k].bar_id = id;
            exec_barrier_release(&t->c.warps[k], b->value);
            if (t->state[k] == 1) t->state[k] = 0;
        }
    b->arrived = 0;
}
static bool run_logged(struct setup *u, uint64_t n_ctas, uint64_t seed, struct exec_fault *fault) {
    static struct test_cta cta[SMS][PER_SM];
    static struct test_bar bars[SMS][PER_SM][16];
    struct exec_log *logs[SMS];
    struct exec_env env[SMS];
    const struct exec_launch *l = u->launch;
    const size_t bytes = exec_cta_bytes(l);
    uint64_t next = 0, live = 0;
    for (int s = 0; s < SMS; s++) {
        logs[s] = exec_log_create();
        env[s] = (struct exec_env){.memory = u->l.mem, .log = logs[s]};
        for (int k = 0; k < PER_SM; k++) {
            cta[s][k] = (struct test_cta){0};
            cta[s][k].memory = ww_alloc_aligned(bytes);
        }
    }
    bool ok = true;
    uint64_t steps = 0;
    while (ok && (live || next < n_ctas)) {
        for (int s = 0; s < SMS; s++)
            for (int k = 0; k < PER_SM; k++)
                if (!cta[s][k].live && next < n_ctas) {
                    struct test_cta *t = &cta[s][k];
                    exec_cta_init(&t->c, u->launch, t->memory, next++, (uint32_t)s);
                    memset(t->state, 0, sizeof t->state);
                    memset(bars[s][k], 0, sizeof bars[s][k]);
                    t->left = t->c.n_warps;
                    t->live = true;
                    live++;
                }
        const uint32_t quantum = 1 + (uint32_t)(draw(&seed) % 40);
        for (int s = 0; ok && s < SMS; s++)
            for (uint32_t q = 0; ok && q < quantum; q++) {
                struct test_cta *t = &cta[s][draw(&seed) % PER_SM];
                if (!t->live || !t->c.n_warps) continue;
                const uint32_t k = (uint32_t)(draw(&seed) % t->c.n_warps);
                if (t->state[k]) continue;
                struct exec_warp *w = &t->c.warps[k];
                const enum exec_outcome o = exec_step(&env[s], w);
                steps++;
                env[s].cycle++;
                struct test_bar *bar = bars[s][t - cta[s]];
                if (o == EXEC_MEMORY) exec_bulk_at_once(&env[s], w);
                if (o == EXEC_MEMORY && env[s].access.deferred) t->state[k] = 3;
                if (o == EXEC_BARRIER) {
                    struct test_bar *b = &bar[w->bar_id];
                    const uint32_t count = bits_count32(w->bar_value);
                    if (!b->arrived) b->value = w->bar_kind == MBAR_RED_AND;
                    if (w->bar_kind == MBAR_RED_POPC) b->value += count;
                    if (w->bar_kind == MBAR_RED_AND) b->value &= w->bar_value == w->bar_mask;
                    if (w->bar_kind == MBAR_RED_OR) b->value |= count != 0;
                    if (!b->arrived || w->bar_threads) b->need = w->bar_threads;
                    b->arrived += 32 - w->bar_less;
                    if (w->bar_flow ? w->bar_flow == EXEC_WAITS : w->bar_kind != MBAR_ARRIVE)
                        t->state[k] = 1;
                    finish_barrier(t, b, w->bar_id);
                }
                if (o == EXEC_STUCK) t->state[k] = 1;
                if (o == EXEC_EXITED) {
                    t->state[k] = 2;
                    t->left--;
                    for (uint32_t b = 0; b < 16; b++) finish_barrier(t, &bar[b], b);
                    if (!t->left) {
                        t->live = false;
                        live--;
                    }
                }
                if (o == EXEC_FAULT) {
                    *fault = env[s].fault;
                    ok = false;
                }
            }
        if (ok) ok = exec_commit(u->l.mem, logs, SMS, fault);
        for (int s = 0; s < SMS; s++)
            for (int k = 0; k < PER_SM; k++)
                for (uint32_t i = 0; i < 32; i++)
                    if (cta[s][k].state[i] == 3) cta[s][k].state[i] = 0;
        if (steps > 50000000) {
            fault->kind = FAULT_BARRIER;
            snprintf(fault->text, sizeof fault->text, "no end");
            ok = false;
        }
    }
    for (int s = 0; s < SMS; s++) {
        exec_log_destroy(logs[s]);
        for (int k = 0; k < PER_SM; k++) ww_free_aligned(cta[s][k].memory);
    }
    return ok;
}

// ---- comparing ------------------------------------------------------------------------------
static bool check(const char *path, const char *how, const struct spec *sp, const struct setup *u,
                  bool ok, const char *error) {
    if (sp->has_error) {
        if (!ok && strstr(error, sp->error)) return true;
        print_error("%s (%s): expected the error \"%s\", got \"%s\"\n", path, how, sp->error,
                    ok ? "success" : error);
        return false;
    }
    if (!ok) {
        print_error("%s (%s): %s\n", path, how, error);
        return false;
    }
    bool good = true;
    const uint8_t *out = devmem_host(u->l.mem, u->out, OUT_BYTES);
    uint32_t bad = 0;
    for (uint32_t n = 0; n < sp->n_expect; n++) {
        const struct expectation *e = &sp->expect[n];
        const uint32_t size = type_size(e->type);
        for (uint32_t i = e->first; i <= e->last; i++) {
            uint64_t got = 0, want = (e->bits + (uint64_t)(e->scale * (int64_t)i));
            memcpy(&got, out + (size_t)i * size, size);
            if (size < 8) want &= (1ull << (8 * size)) - 1;
            bool same = got == want;
            double g = 0;
            if (e->type[0] == 'f') {
                float f;
                memcpy(&f, &got, 4);
                memcpy(&g, &got, 8);
                if (size == 4) g = (double)f;
                if (e->about) same = fabs(g - e->value) <= 1e-6 * fabs(e->value);
            }
            if (same) continue;
            good = false;
            if (bad++ < 6)
                print_error("%s:%u (%s): out.%s[%u] is 0x%llx (%g), not 0x%llx\n", path, e->line,
                            how, e->type, i, (unsigned long long)got, g, (unsigned long long)want);
        }
    }
    if (sp->has_print && (strlen(sp->print) != u->printed.len ||
                          memcmp(sp->print, u->printed.text, u->printed.len))) {
        print_error("%s (%s): printed \"%.*s\", not \"%s\"\n", path, how, (int)u->printed.len,
                    u->printed.text, sp->print);
        good = false;
    }
    return good;
}

static bool run_one(const char *path, const struct spec *sp, const char *text, size_t len,
                    enum target_gen gen, const char *way, uint64_t seed, bool show) {
    const bool logged = !strcmp(way, "logged");
    char how[64];
    snprintf(how, sizeof how, "%s, %s, %s", gen_info[gen].name, exec_simd_level(), way);
    struct setup *u = calloc(1, sizeof *u);
    enum ww_status s = loader_open(&u->l, path, text, len);
    if (s == WW_OK) s = loader_build(&u->l, NULL, gen);
    if (s != WW_OK) {
        char first[512];
        diags_first(&u->l.diags, first, sizeof first);
        const bool good = sp->has_error && strstr(first, sp->error);
        if (!good) print_error("%s (%s): %s\n", path, how, first);
        loader_close(&u->l);
        free(u);
        return good;
    }
    make_launch(u, sp);
    struct exec_fault fault = {0};
    bool ok;
    char error[600] = "";
    if (logged) {
        ok = run_logged(u, (uint64_t)sp->grid[0] * sp->grid[1] * sp->grid[2], seed, &fault);
        snprintf(error, sizeof error, "%s", fault.text);
    } else {
        struct exec_counts counts;
        ok = exec_run_functional(u->launch, u->l.mem, NULL, 100000000, NULL, &counts, &fault,
                                 &u->diags) == WW_OK;
        if (!ok) diags_first(&u->diags, error, sizeof error);
    }
    const bool good = check(path, how, sp, u, ok, error);
    if (!good && show) disasm_image(u->l.image, stdout);
    end_launch(u);
    loader_close(&u->l);
    free(u);
    return good;
}

static uint32_t run_file(const char *path, bool show) {
    struct arena a;
    struct diags d;
    arena_init(&a, NULL);
    diags_init(&d);
    char *text;
    size_t len;
    assert_int_equal(file_read(&a, path, 1 << 24, &text, &len, &d), WW_OK);
    struct spec sp = parse_spec(text);
    uint32_t failed = 0;
    static const char *const names[] = {"base", "v3", "v4"};
    for (int g = 0; g < GEN_N; g++) {
        if (!sp.target[g]) continue;
        for (int v = 0; v < 3; v++)
            if (exec_simd_force(names[v]))
                failed += !run_one(path, &sp, text, len, (enum target_gen)g, "handlers", 0,
                                   show && !failed);
        exec_simd_force(NULL);
        native_force(0); // each line the first time that it runs
        failed += !run_one(path, &sp, text, len, (enum target_gen)g, "native", 0, show && !failed);
        native_force(NATIVE_NEVER);
        // A deadlock is the functional runner's to find.
        if (!strstr(sp.error, "deadlock"))
            for (uint64_t k = 1; k <= 2; k++)
                failed += !run_one(path, &sp, text, len, (enum target_gen)g, "logged",
                                   0x9e3779b97f4a7c15ull * k, show && !failed);
    }
    free(sp.in);
    free(sp.expect);
    diags_free(&d);
    arena_free(&a);
    return failed;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}
static void all_files(void **state) {
    (void)state;
    native_force(NATIVE_NEVER); // but where run_file says so
    DIR *dir = opendir(WW_TEST_DIR "/ptx");
    assert_non_null(dir);
    char *name[2000];
    size_t n = 0;
    for (struct dirent *e; (e = readdir(dir)) && n < WW_COUNT(name);) {
        const size_t len = strlen(e->d_name);
        if (len > 4 && !strcmp(e->d_name + len - 4, ".ptx")) name[n++] = strdup(e->d_name);
    }
    closedir(dir);
    qsort(name, n, sizeof *name, by_name);
    uint32_t failed = 0;
    for (size_t k = 0; k < n; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/ptx/%s", WW_TEST_DIR, name[k]);
        failed += run_file(path, false) != 0;
        free(name[k]);
    }
    print_message("%zu files, %u failed\n", n, failed);
    assert_int_equal(failed, 0);
    assert_true(n > 0);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        uint32_t failed = 0;
        for (int k = 1; k < argc; k++) failed += run_file(argv[k], true);
        return failed != 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
