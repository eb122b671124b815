// Loads a module of data/ with its expectations, runs it, compares. See model/emit.py.
#ifndef WW_TEST_SEMANTICS_H
#define WW_TEST_SEMANTICS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/fields.h"
#include "gpu/gpu.h"

enum { MAX_COLUMNS = 64, MAX_SHOWN = 12, BLOCK_VALUES = 64 };

struct form {
    char name[96], kind[16], args[160];
    uint32_t at, bytes, n;
};
struct outcome { // of a litmus test (model/litmus.py)
    char name[64], forbid[400], need[100];
    uint32_t at, n, words, stride;
};
struct launch {
    char kernel[64], in[64], skip[64];
    uint32_t grid[3], block[3], out, shared;
    uint8_t params[128]; // behind the addresses of input and output
    uint32_t param_bytes;
    struct form *form;
    uint32_t n_forms;
    struct outcome outcome; // n 0: none
};
struct column {
    char name[32];
    uint32_t at, bytes;
};

struct rig {
    const char *name, *gpu_name, *dir;
    struct arena arena;
    struct diags diags;
    struct gpu_config config;
    struct gpu *gpu;
    struct gpu_module *module;
    VEC(struct launch) launch;
    struct column column[MAX_COLUMNS];
    uint32_t n_columns;
    const uint8_t *expect, *expect_end, *operands;
    size_t operand_bytes;
    uint32_t head;
};

static void rig_ok(struct rig *r, enum ww_status s) {
    if (s == WW_OK) return;
    diags_print(&r->diags, stderr);
    fail_msg("%s on %s: %s", r->name, r->gpu_name, ww_status_text(s));
}

static uint8_t *rig_file(struct rig *r, const char *name, const char *suffix, size_t *len) {
    char path[1024], *text;
    snprintf(path, sizeof path, "%s/%s%s", r->dir, name, suffix);
    rig_ok(r, file_read(&r->arena, path, 64 << 20, &text, len, &r->diags));
    return (uint8_t *)text;
}

// The value of `key=` in a line, up to a blank; false without it.
static bool line_text(const char *line, const char *key, char *out, size_t size) {
    char look[32];
    snprintf(look, sizeof look, " %s=", key);
    const char *p = strstr(line, look);
    out[0] = 0;
    if (!p) return false;
    p += strlen(look);
    snprintf(out, size, "%.*s", (int)strcspn(p, " \n"), p);
    return true;
}
static uint32_t line_number(const char *line, const char *key) {
    char text[32];
    return line_text(line, key, text, sizeof text) ? (uint32_t)strtoul(text, NULL, 0) : 0;
}
// "4x2x3"; dimensions that are not said are 1. Answers the product.
static uint32_t line_triple(const char *line, const char *key, uint32_t out[3]) {
    char text[64], *p = text;
    line_text(line, key, text, sizeof text);
    for (int k = 0; k < 3; k++) {
        out[k] = *p ? (uint32_t)strtoul(p, &p, 10) : 1;
        p += *p == 'x';
    }
    return out[0] * out[1] * out[2];
}
static uint32_t launch_threads(const struct launch *l) {
    return l->grid[0] * l->grid[1] * l->grid[2] * l->block[0] * l->block[1] * l->block[2];
}
static void line_params(const char *line, struct launch *l) {
    char hex[2 * sizeof l->params + 2];
    line_text(line, "params", hex, sizeof hex);
    for (const char *p = hex; p[0] && p[1]; p += 2)
        l->params[l->param_bytes++] = (uint8_t)strtoul((char[3]){p[0], p[1], 0}, NULL, 16);
}
static const char *line_name(const char *line, char *out, size_t size) {
    snprintf(out, size, "%.*s", (int)strcspn(line, " \n"), line);
    return out;
}

static void rig_parse(struct rig *r, const char *text) {
    VEC(struct form) forms = {0};
    for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : p) {
        if (strncmp(p, "// ", 3)) continue;
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p + 3);
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "column ", 7)) {
            assert_true(r->n_columns < MAX_COLUMNS);
            struct column *c = &r->column[r->n_columns++];
            line_name(line + 7, c->name, sizeof c->name);
            c->at = line_number(line, "at"), c->bytes = line_number(line, "bytes");
        } else if (!strncmp(line, "run ", 4)) {
            struct launch l = {.out = line_number(line, "out"),
                               .shared = line_number(line, "shared")};
            line_triple(line, "grid", l.grid);
            line_triple(line, "block", l.block);
            line_params(line, &l);
            line_name(line + 4, l.kernel, sizeof l.kernel);
            line_text(line, "in", l.in, sizeof l.in);
            line_text(line, "skip", l.skip, sizeof l.skip);
            vec_push(&r->arena, &r->launch, l);
            memset(&forms, 0, sizeof forms);
        } else if (!strncmp(line, "outcome ", 8)) {
            struct outcome *o = &r->launch.at[r->launch.n - 1].outcome;
            *o = (struct outcome){.at = line_number(line, "at"),
                                  .n = line_number(line, "n"),
                                  .words = line_number(line, "words"),
                                  .stride = line_number(line, "stride")};
            line_name(line + 8, o->name, sizeof o->name);
            line_text(line, "forbid", o->forbid, sizeof o->forbid);
            line_text(line, "need", o->need, sizeof o->need);
        } else if (!strncmp(line, "form ", 5)) {
            struct launch *l = &r->launch.at[r->launch.n - 1];
            struct form f = {.kind = "exact", .at = line_number(line, "at")};
            if (!(f.bytes = line_number(line, "bytes"))) f.bytes = 4;
            if (!(f.n = line_number(line, "n"))) f.n = launch_threads(l);
            line_name(line + 5, f.name, sizeof f.name);
            char kind[sizeof f.kind];
            if (line_text(line, "kind", kind, sizeof kind)) memcpy(f.kind, kind, sizeof kind);
            line_text(line, "args", f.args, sizeof f.args);
            vec_push(&r->arena, &forms, f);
            l->form = forms.at, l->n_forms = forms.n;
        }
    }
}

static inline void rig_device(struct rig *r, bool functional, uint32_t threads) {
    diags_init(&r->diags);
    arena_init(&r->arena, NULL);
    rig_ok(r, gpu_config_load(r->gpu_name, NULL, 0, &r->diags, &r->config));
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = threads;
    o.functional = functional;
    o.max_cycles = 50000000;
    rig_ok(r, gpu_create(&r->config, &o, &r->diags, &r->gpu));
}

static inline void rig_open(struct rig *r, const char *name, const char *gpu, bool functional,
                            uint32_t threads) {
    memset(r, 0, sizeof *r);
    r->name = name, r->gpu_name = gpu;
    r->dir = getenv("DATA") ? getenv("DATA") : WW_TEST_DIR "/data";
    rig_device(r, functional, threads);
    size_t len;
    const char *text = (const char *)rig_file(r, name, ".ptx", &len);
    rig_parse(r, text);
    rig_ok(r, gpu_module_load(r->gpu, name, text, len, NULL, &r->diags, &r->module));
    r->expect = rig_file(r, name, ".expect", &len);
    r->expect_end = r->expect + len;
    memcpy(&r->head, r->expect, 4);
    r->expect += 4;
}

static void rig_close(struct rig *r) {
    gpu_destroy(r->gpu);
    diags_free(&r->diags);
    arena_free(&r->arena);
}

static uint64_t word_at(const uint8_t *p, uint32_t bytes) {
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

static uint64_t canon_nan(uint64_t v, uint32_t bits, uint64_t inf) {
    const uint64_t magnitude = ((uint64_t)1 << (bits - 1)) - 1;
    return (v & magnitude) > inf ? magnitude : v;
}
static uint64_t canon(const char *kind, uint64_t v) {
    if (!strcmp(kind, "nan32")) return canon_nan(v, 32, 0x7f800000);
    if (!strcmp(kind, "nan64")) return canon_nan(v, 64, 0x7ff0000000000000);
    if (!strcmp(kind, "nan16")) return canon_nan(v, 16, 0x7c00);
    if (!strcmp(kind, "nanb16")) return canon_nan(v, 16, 0x7f80);
    if (!strcmp(kind, "nan16x2"))
        return canon_nan(v >> 16, 16, 0x7c00) << 16 | canon_nan(v & 0xffff, 16, 0x7c00);
    if (!strcmp(kind, "nanb16x2"))
        return canon_nan(v >> 16, 16, 0x7f80) << 16 | canon_nan(v & 0xffff, 16, 0x7f80);
    return v;
}

static uint32_t crc32_of(const uint8_t *p, size_t n) {
    uint32_t c = ~0u;
    while (n--) {
        c ^= *p++;
        for (int k = 0; k < 8; k++) c = c >> 1 ^ (0xedb88320u & (0u - (c & 1)));
    }
    return ~c;
}

static void show_operands(const struct rig *r, const struct form *f, uint32_t i) {
    char list[sizeof f->args], *save = NULL;
    snprintf(list, sizeof list, "%s", f->args);
    for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save))
        for (uint32_t k = 0; k < r->n_columns; k++)
            if (!strcmp(r->column[k].name, w))
                fprintf(stderr, " %s=%#llx", w,
                        (unsigned long long)word_at(r->operands + r->column[k].at +
                                                        (size_t)i * r->column[k].bytes,
                                                    r->column[k].bytes));
}

static void show(const struct rig *r, const struct form *f, uint32_t i, uint64_t want,
                 uint64_t got) {
    fprintf(stderr, "  %s [%u]: want %#llx, got %#llx;", f->name, i, (unsigned long long)want,
            (unsigned long long)got);
    if (r->operands) show_operands(r, f, i);
    fputc('\n', stderr);
}

// A float as a number that orders as it does.
static int64_t order(uint64_t v, uint32_t bytes) {
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    return v & sign ? -(int64_t)(v & (sign - 1)) : (int64_t)v;
}
static bool is_nan(uint64_t v, uint32_t bytes, bool bf16) {
    const uint64_t inf = bytes == 8   ? 0x7ff0000000000000
                         : bytes == 4 ? 0x7f800000
                         : bf16       ? 0x7f80
                                      : 0x7c00;
    return canon_nan(v, 8 * bytes, inf) == ((uint64_t)1 << (8 * bytes - 1)) - 1;
}

static bool is_range(const struct form *f) { return !strncmp(f->kind, "range", 5); }

// Compares one form and moves past its expectations; how many values or blocks are wrong.
static inline uint32_t check_form(struct rig *r, const struct form *f, const uint8_t *out,
                                  bool quiet) {
    uint32_t wrong = 0;
    const uint32_t b = f->bytes;
    if (is_range(f)) {
        const bool bf = f->kind[5] == 'b';
        assert_true(r->expect + (size_t)2 * b * f->n <= r->expect_end);
        for (uint32_t i = 0; i < f->n; i++, r->expect += 2 * b) {
            const uint64_t lo = word_at(r->expect, b), hi = word_at(r->expect + b, b);
            const uint64_t got = word_at(out + f->at + (size_t)i * b, b);
            const bool good = is_nan(lo, b, bf) ? is_nan(got, b, bf)
                              : lo == hi        ? got == lo
                              : lo == 1 && !hi
                                  ? true // anything
                                  : !is_nan(got, b, bf) && order(got, b) >= order(lo, b) &&
                                        order(got, b) <= order(hi, b);
            if (good) continue;
            if (wrong++ < MAX_SHOWN && !quiet) {
                show(r, f, i, lo, got);
                if (lo != hi) fprintf(stderr, "    or up to %#llx\n", (unsigned long long)hi);
            }
        }
        return wrong;
    }
    const uint32_t head = f->n < r->head ? f->n : r->head;
    const uint32_t blocks = (f->n + BLOCK_VALUES - 1) / BLOCK_VALUES;
    assert_true(r->expect + (size_t)b * head + 4 * blocks <= r->expect_end);
    for (uint32_t i = 0; i < head; i++, r->expect += b) {
        const uint64_t want = word_at(r->expect, b);
        const uint64_t got = canon(f->kind, word_at(out + f->at + (size_t)i * b, b));
        if (got == want) continue;
        if (wrong++ < MAX_SHOWN && !quiet) show(r, f, i, want, got);
    }
    for (uint32_t k = 0; k < blocks; k++, r->expect += 4) {
        uint8_t block[8 * BLOCK_VALUES];
        uint32_t n = 0;
        for (uint32_t i = k * BLOCK_VALUES; i < f->n && n < BLOCK_VALUES; i++, n++) {
            const uint64_t v = canon(f->kind, word_at(out + f->at + (size_t)i * b, b));
            memcpy(block + (size_t)n * b, &v, b);
        }
        if (crc32_of(block, (size_t)n * b) == (uint32_t)word_at(r->expect, 4)) continue;
        if (wrong++ == 0 && !quiet)
            fprintf(stderr, "  %s: a value from %u to %u (generate.py --full shows which)\n",
                    f->name, k * BLOCK_VALUES, k * BLOCK_VALUES + n - 1);
    }
    return wrong;
}

// Passes over the expectations of a launch that is not run.
static inline void skip_forms(struct rig *r, const struct launch *l) {
    for (uint32_t k = 0; k < l->n_forms; k++) {
        const struct form *f = &l->form[k];
        const uint32_t head = f->n < r->head ? f->n : r->head;
        r->expect += is_range(f) ? (size_t)2 * f->bytes * f->n
                                 : (size_t)f->bytes * head + 4 * ((f->n + 63) / 64);
    }
}

static inline bool listed(const char *list, const char *word) {
    const size_t n = strlen(word);
    for (const char *p = strstr(list, word); p; p = strstr(p + 1, word))
        if ((p == list || p[-1] == ',') && (p[n] == 0 || p[n] == ',')) return true;
    return false;
}

// Runs a launch; its output, `fill` where nothing was written, or NULL with the reason printed.
static inline uint8_t *rig_launch(struct rig *r, const struct launch *l, uint8_t fill) {
    const uint8_t *in = NULL;
    size_t in_bytes = 256;
    if (l->in[0]) in = rig_file(r, l->in, ".bin", &in_bytes);
    r->operands = in;
    uint8_t block[2 * 8 + sizeof l->params];
    uint64_t params[2];
    rig_ok(r, gpu_malloc(r->gpu, in_bytes, "in", &r->diags, &params[0]));
    rig_ok(r, gpu_malloc(r->gpu, l->out, "out", &r->diags, &params[1]));
    if (in) rig_ok(r, gpu_write(r->gpu, params[0], in, in_bytes, &r->diags));
    uint8_t *out = malloc(l->out);
    assert_non_null(out);
    memset(out, fill, l->out);
    rig_ok(r, gpu_write(r->gpu, params[1], out, l->out, &r->diags));
    struct gpu_kernel *kernel;
    rig_ok(r, gpu_kernel_find(r->module, l->kernel, &r->diags, &kernel));
    memcpy(block, params, sizeof params);
    memcpy(block + sizeof params, l->params, l->param_bytes);
    const struct gpu_launch launch = {.grid = {l->grid[0], l->grid[1], l->grid[2]},
                                      .block = {l->block[0], l->block[1], l->block[2]},
                                      .dynamic_shared = l->shared,
                                      .params = block,
                                      .param_bytes = 16 + l->param_bytes};
    enum ww_status s = gpu_launch(r->gpu, NULL, kernel, &launch, &r->diags, NULL);
    if (s == WW_OK) s = gpu_synchronize(r->gpu, &r->diags);
    if (s == WW_OK) {
        rig_ok(r, gpu_read(r->gpu, out, params[1], l->out, &r->diags));
    } else {
        fprintf(stderr, "%s, kernel %s (from %s):\n", r->name, l->kernel,
                l->n_forms ? l->form[0].name : "?");
        diags_print(&r->diags, stderr);
        diags_free(&r->diags);
        diags_init(&r->diags);
        gpu_clear_fault(r->gpu);
        free(out);
        out = NULL;
    }
    rig_ok(r, gpu_free(r->gpu, params[0], &r->diags));
    rig_ok(r, gpu_free(r->gpu, params[1], &r->diags));
    return out;
}

#endif
