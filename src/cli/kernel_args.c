// Arguments of a bare kernel: scalars, and buffers filled from a generator or a file, with elements
// to print and results to expect. A text is read whole before anything is allocated; every number
// is checked against its type's range.
#include "gpu/gpu.h"
#include "cli/kernel_args.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

// ---- types ------------------------------------------------------------------------------------
struct scalar_type {
    const char *name;
    uint32_t bytes;
    char kind; // u s f
};
static const struct scalar_type scalar_type[] = {
    {"u8", 1, 'u'},  {"s8", 1, 's'},  {"u16", 2, 'u'}, {"s16", 2, 's'}, {"u32", 4, 'u'},
    {"s32", 4, 's'}, {"u64", 8, 'u'}, {"s64", 8, 's'}, {"f32", 4, 'f'}, {"f64", 8, 'f'}};

static uint64_t largest(const struct scalar_type *t) {
    return UINT64_MAX >> (64 - 8 * t->bytes + (t->kind == 's'));
}
// How far below 0 it goes.
static uint64_t deepest(const struct scalar_type *t) { return t->kind == 's' ? largest(t) + 1 : 0; }

static const char *range_text(const struct scalar_type *t, char buf[96]) {
    if (t->kind == 'f')
        snprintf(buf, 96, "a number from -%s to %s, inf or nan",
                 t->bytes == 4 ? "3.4028235e+38" : "1.7976931348623157e+308",
                 t->bytes == 4 ? "3.4028235e+38" : "1.7976931348623157e+308");
    else
        snprintf(buf, 96, "a whole number from %s%llu to %llu", t->kind == 's' ? "-" : "",
                 (unsigned long long)deepest(t), (unsigned long long)largest(t));
    return buf;
}

static void store_float(const struct scalar_type *t, uint8_t *at, double v) {
    const float f = (float)v;
    memcpy(at, t->bytes == 4 ? (const void *)&f : (const void *)&v, t->bytes);
}
static void store_integer(const struct scalar_type *t, uint8_t *at, uint64_t v) {
    memcpy(at, &v, t->bytes); // little-endian: low bytes first
}

static double fetch_float(const struct scalar_type *t, const uint8_t *at) {
    float f;
    double v;
    memcpy(t->bytes == 4 ? (void *)&f : (void *)&v, at, t->bytes);
    return t->bytes == 4 ? (double)f : v;
}
// Of a signed type: extended to 64 bits.
static uint64_t fetch_integer(const struct scalar_type *t, const uint8_t *at) {
    uint64_t u = 0;
    memcpy(&u, at, t->bytes);
    const unsigned shift = 64 - 8 * t->bytes;
    return t->kind == 's' ? (uint64_t)((int64_t)(u << shift) >> shift) : u;
}

static const char *element_text(const struct scalar_type *t, const uint8_t *at, char buf[32]) {
    if (t->kind == 'f')
        snprintf(buf, 32, "%.9g", fetch_float(t, at));
    else if (t->kind == 's')
        snprintf(buf, 32, "%lld", (long long)fetch_integer(t, at));
    else
        snprintf(buf, 32, "%llu", (unsigned long long)fetch_integer(t, at));
    return buf;
}

static double element_number(const struct scalar_type *t, const uint8_t *at) {
    if (t->kind == 'f') return fetch_float(t, at);
    const uint64_t v = fetch_integer(t, at);
    return t->kind == 's' ? (double)(int64_t)v : (double)v;
}

static bool element_same(const struct scalar_type *t, const uint8_t *got, const uint8_t *want,
                         double tolerance) {
    if (memcmp(got, want, t->bytes) == 0) return true;
    if (t->kind != 'f' && tolerance == 0) return false;
    const double g = element_number(t, got), w = element_number(t, want);
    return g == w || (isnan(g) && isnan(w)) || fabs(g - w) <= tolerance * fmax(1, fabs(w));
}

static bool parse_float(const struct scalar_type *t, const char *text, uint8_t *at) {
    char *end;
    const double v = strtod(text, &end);
    if (end == text || *end) return false;
    // a number too large became infinite on the way, one too small 0
    const bool digits = strpbrk(text, "0123456789") != NULL;
    const size_t mantissa = strcspn(text, strpbrk(text, "xX") ? "pP" : "eE");
    const bool inf = digits && (isinf(v) || (t->bytes == 4 && isinf((float)v)));
    const bool zero = (t->bytes == 4 ? (double)(float)v : v) == 0 &&
                      strcspn(text, "123456789abcdefABCDEF") < mantissa;
    if (inf || zero) return false;
    store_float(t, at, v);
    return true;
}

static bool parse_value(const struct scalar_type *t, const char *text, uint8_t *at) {
    if (t->kind == 'f') return parse_float(t, text, at);
    const bool minus = *text == '-';
    uint64_t v;
    if (!text_to_u64(text + minus, &v) || v > (minus ? deepest(t) : largest(t))) return false;
    store_integer(t, at, minus ? 0 - v : v);
    return true;
}

// ---- reading ----------------------------------------------------------------------------------
static enum ww_status bad(struct cli *c, const char *text, const char *fmt, ...) WW_PRINTF(3, 4);
static enum ww_status bad(struct cli *c, const char *text, const char *fmt, ...) {
    char why[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return diag_add(&c->diags, WW_ERROR_USAGE, "argument `%s`: %s", text, why);
}

static enum ww_status bad_value(struct cli *c, const struct kernel_argument *a, const char *value) {
    char range[96];
    return bad(c, a->text, "`%s` is no %s: expected %s", value, a->type->name,
               range_text(a->type, range));
}

static enum ww_status parse_random(struct cli *c, const struct kernel_argument *a, char **word,
                                   int n, struct fill *f) {
    const struct scalar_type *t = a->type;
    f->low = 0, f->high = 1, f->seed = 1;
    if ((n != 0 && n != 2 && n != 3) || (n && !text_to_double(word[0], &f->low)) ||
        (n && !text_to_double(word[1], &f->high)) || (n == 3 && !text_to_u64(word[2], &f->seed)) ||
        !isfinite(f->low) || !isfinite(f->high))
        return bad(c, a->text,
                   "expected random:LOW:HIGH or random:LOW:HIGH:SEED, SEED a whole "
                   "number");
    if (f->low > f->high) return bad(c, a->text, "LOW %g is above HIGH %g", f->low, f->high);
    const double most = t->kind != 'f'  ? ldexp(1, (int)(8 * t->bytes) - (t->kind == 's'))
                        : t->bytes == 4 ? (double)FLT_MAX
                                        : DBL_MAX / 2; // HIGH - LOW is a number too
    const double least = t->kind == 'f' ? -most : -(double)deepest(t);
    char range[96];
    if (f->low < least || f->high > most)
        return bad(c, a->text, "%g to %g leaves the range of %s: expected %s", f->low, f->high,
                   t->name, range_text(t, range));
    return WW_OK;
}

static enum ww_status parse_fill(struct cli *c, const struct kernel_argument *a, char *how,
                                 struct fill *f) {
    if (how[0] == '@') {
        *f = (struct fill){.kind = FILL_FILE, .path = how + 1};
        return WW_OK;
    }
    char *save = NULL, *word[4];
    const char *kind = strtok_r(how, ":", &save);
    int n = 0;
    for (char *w = strtok_r(NULL, ":", &save); w && n < 4; w = strtok_r(NULL, ":", &save))
        word[n++] = w;
    static const char *const names[] = {[FILL_ZERO] = "zero",
                                        [FILL_IOTA] = "iota",
                                        [FILL_CONST] = "const",
                                        [FILL_RANDOM] = "random"};
    uint32_t i = 0;
    while (kind && i < WW_COUNT(names) && strcmp(kind, names[i]) != 0) i++;
    if (!kind || i == WW_COUNT(names))
        return bad(c, a->text,
                   "fills are zero, iota, const:VALUE, random:LOW:HIGH:SEED and @FILE, not `%s`",
                   kind ? kind : "");
    *f = (struct fill){.kind = (enum fill_kind)i};
    switch (f->kind) {
    case FILL_CONST:
        if (n != 1) return bad(c, a->text, "expected const:VALUE");
        return parse_value(a->type, word[0], f->constant) ? WW_OK : bad_value(c, a, word[0]);
    case FILL_RANDOM: return parse_random(c, a, word, n, f);
    default: break;
    }
    if (n) return bad(c, a->text, "%s takes nothing behind a colon", names[i]);
    if (f->kind == FILL_IOTA && a->type->kind != 'f' && a->count - 1 > largest(a->type))
        return bad(c, a->text, "iota goes to %llu, but %s ends at %llu",
                   (unsigned long long)a->count - 1, a->type->name,
                   (unsigned long long)largest(a->type));
    return WW_OK;
}

enum ww_status argument_parse(struct cli *c, const char *text, struct kernel_argument *a) {
    *a = (struct kernel_argument){.text = text};
    char *work = arena_strdup(&c->arena, text);
    char *equals = strchr(work, '=');
    if (!equals) return bad(c, text, "it must read TYPE=VALUE or TYPE[COUNT]=FILL");
    *equals = 0;
    char *value = equals + 1;
    char *bracket = strchr(work, '[');
    if (bracket) *bracket = 0;
    for (size_t i = 0; i < WW_COUNT(scalar_type); i++)
        if (strcmp(work, scalar_type[i].name) == 0) a->type = &scalar_type[i];
    if (!a->type)
        return bad(c, text,
                   "there is no type `%s`: types are u8 s8 u16 s16 u32 s32 u64 s64 f32 f64", work);
    if (!bracket) return parse_value(a->type, value, a->value) ? WW_OK : bad_value(c, a, value);
    a->is_buffer = true;
    char *close = strchr(bracket + 1, ']');
    if (close) *close = 0;
    if (!close || close[1] || !text_to_u64(bracket + 1, &a->count) || !a->count ||
        a->count > (1ull << 32))
        return bad(c, text,
                   "a buffer needs its number of elements, 1 to 4294967296: f32[1024]=zero");
    char *save = NULL;
    char *how = strtok_r(value, "?", &save);
    enum ww_status s = parse_fill(c, a, how ? how : value, &a->fill);
    for (char *w = strtok_r(NULL, "?", &save); w && s == WW_OK; w = strtok_r(NULL, "?", &save)) {
        if (strncmp(w, "print=", 6) == 0) {
            if (!text_to_u64(w + 6, &a->print)) s = bad(c, text, "print needs a whole number");
        } else if (strncmp(w, "tolerance=", 10) == 0) {
            if (!text_to_double(w + 10, &a->tolerance) || !(a->tolerance >= 0))
                s = bad(c, text, "tolerance needs a number, 0 or more");
        } else if (strncmp(w, "expect=", 7) == 0) {
            a->has_expect = true;
            s = parse_fill(c, a, w + 7, &a->expect);
        } else {
            s = bad(c, text, "behind ? stand print=N, expect=FILL or tolerance=X, not `%s`", w);
        }
    }
    return s;
}

// ---- filling ----------------------------------------------------------------------------------
static uint64_t splitmix(uint64_t *state) { // Steele, Lea, Flood 2014
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void store_random(const struct scalar_type *t, uint8_t *at, double v) {
    if (t->kind == 'f')
        store_float(t, at, v);
    else
        store_integer(t, at, v < 0 ? (uint64_t)(int64_t)floor(v) : (uint64_t)v);
}

static enum ww_status from_file(struct cli *c, struct arena *a, const struct kernel_argument *arg,
                                const char *path, uint8_t **out) {
    char *raw;
    size_t len;
    const enum ww_status s = file_read(a, path, (size_t)1 << 36, &raw, &len, &c->diags);
    if (s != WW_OK) return s;
    const uint64_t want = arg->count * arg->type->bytes;
    if (len != want)
        return diag_add(&c->diags, WW_ERROR_USAGE, "%s holds %zu bytes; the argument `%s` has %llu",
                        path, len, arg->text, (unsigned long long)want);
    *out = (uint8_t *)raw;
    return WW_OK;
}

// The elements, in memory of `a`.
static enum ww_status make_fill(struct cli *c, struct arena *a, const struct kernel_argument *arg,
                                const struct fill *f, uint8_t **out) {
    if (f->kind == FILL_FILE) return from_file(c, a, arg, f->path, out);
    const struct scalar_type *t = arg->type;
    uint8_t *const data = *out = arena_alloc(a, arg->count * t->bytes);
    if (!data)
        return diag_add(&c->diags, WW_ERROR_MEMORY, "no memory for the argument `%s`", arg->text);
    uint64_t state = f->seed;
    for (uint64_t i = 0; i < arg->count && f->kind != FILL_ZERO; i++) {
        uint8_t *at = data + i * t->bytes;
        if (f->kind == FILL_CONST)
            memcpy(at, f->constant, t->bytes);
        else if (f->kind == FILL_RANDOM)
            store_random(t, at,
                         f->low + (double)(splitmix(&state) >> 11) * 0x1p-53 * (f->high - f->low));
        else if (t->kind == 'f')
            store_float(t, at, (double)i);
        else
            store_integer(t, at, i);
    }
    return WW_OK;
}

// ---- on the GPU -------------------------------------------------------------------------------
// Whether a parameter takes the argument. Compilers write .u32 for int and .b32 for what they do
// not care about, so the sign does not matter; whole numbers and floating-point numbers do.
static enum ww_status check_type(struct cli *c, const struct kernel_argument *a, uint32_t number,
                                 const struct code_param *p) {
    const char class = isa_type_class(p->type);
    const bool whole = class != 'f' || isa_type_bits(p->type) == 16; // no type of ours is .f16
    if (a->is_buffer ? p->bytes != 8 && p->bytes != 4 : p->bytes != a->type->bytes)
        return diag_add(&c->diags, WW_ERROR_USAGE,
                        "argument %u `%s` has %u bytes, but the parameter has %u", number, a->text,
                        a->is_buffer ? 8 : a->type->bytes, p->bytes);
    const bool fits = class == 'b' || (a->is_buffer || a->type->kind != 'f' ? whole : class == 'f');
    if (fits) return WW_OK;
    return diag_add(&c->diags, WW_ERROR_USAGE,
                    "argument %u `%s` is %s, but the parameter is .%s: expected %s%u=...", number,
                    a->text, a->is_buffer ? "an address" : a->type->name, isa_type_text(p->type),
                    class == 'f'   ? "f"
                    : class == 's' ? "s"
                                   : "u",
                    8 * p->bytes);
}

static enum ww_status write_buffer(struct cli *c, struct gpu *g, const struct kernel_argument *a) {
    struct arena work;
    arena_init(&work, NULL);
    uint8_t *data;
    enum ww_status s = make_fill(c, &work, a, &a->fill, &data);
    if (s == WW_OK) s = gpu_write(g, a->address, data, a->count * a->type->bytes, &c->diags);
    arena_free(&work);
    return s;
}

enum ww_status arguments_place(struct cli *c, struct gpu *g, struct gpu_kernel *k,
                               struct kernel_argument *a, uint32_t n,
                               uint8_t block[GPU_PARAM_BYTES], uint32_t *block_bytes) {
    const struct code_param *param;
    uint32_t n_params;
    enum ww_status s = gpu_kernel_params(k, &c->diags, &param, &n_params);
    if (s != WW_OK) return s;
    if (n != n_params)
        return diag_add(
            &c->diags, WW_ERROR_USAGE, "kernel %s takes %u argument%s, but %u %s given (--arg)",
            gpu_kernel_name(k), n_params, n_params == 1 ? "" : "s", n, n == 1 ? "was" : "were");
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        s = check_type(c, &a[i], i + 1, &param[i]);
        if (s == WW_OK && param[i].offset + param[i].bytes > GPU_PARAM_BYTES)
            s = diag_add(&c->diags, WW_ERROR_USAGE,
                         "kernel %s has more than %d bytes of parameters", gpu_kernel_name(k),
                         GPU_PARAM_BYTES);
    }
    for (uint32_t i = 0; i < n && s == WW_OK; i++)
        if (a[i].is_buffer)
            s = gpu_malloc(g, a[i].count * a[i].type->bytes, a[i].text, &c->diags, &a[i].address);
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        if (a[i].is_buffer) s = write_buffer(c, g, &a[i]);
        memcpy(block + param[i].offset,
               a[i].is_buffer ? (const void *)&a[i].address : (const void *)a[i].value,
               param[i].bytes);
        *block_bytes = param[i].offset + param[i].bytes;
    }
    return s;
}

static enum ww_status compare(struct cli *c, const struct kernel_argument *a, const uint8_t *got,
                              const uint8_t *want) {
    const uint32_t size = a->type->bytes;
    uint64_t wrong = 0, first = 0;
    for (uint64_t i = 0; i < a->count; i++)
        if (!element_same(a->type, got + i * size, want + i * size, a->tolerance) && wrong++ == 0)
            first = i;
    if (!wrong) return WW_OK;
    char g[32], w[32];
    return diag_add(
        &c->diags, WW_ERROR_PROGRAM,
        "argument `%s`: %llu of %llu elements differ; the first is [%llu]: got %s, expected %s",
        a->text, (unsigned long long)wrong, (unsigned long long)a->count, (unsigned long long)first,
        element_text(a->type, got + first * size, g),
        element_text(a->type, want + first * size, w));
}

static enum ww_status show_buffer(struct cli *c, struct gpu *g, struct arena *work,
                                  const struct kernel_argument *a, uint32_t number, FILE *out) {
    const uint64_t bytes = a->count * a->type->bytes;
    uint8_t *got = arena_alloc(work, bytes), *want;
    if (!got)
        return diag_add(&c->diags, WW_ERROR_MEMORY, "no memory for the argument `%s`", a->text);
    enum ww_status s = gpu_read(g, got, a->address, bytes, &c->diags);
    if (s != WW_OK) return s;
    const uint64_t shown = a->print < a->count ? a->print : a->count;
    if (shown) fprintf(out, "argument %u:", number);
    char text[32];
    for (uint64_t e = 0; e < shown; e++)
        fprintf(out, " %s", element_text(a->type, got + e * a->type->bytes, text));
    if (shown) fputc('\n', out);
    if (!a->has_expect) return WW_OK;
    s = make_fill(c, work, a, &a->expect, &want);
    return s == WW_OK ? compare(c, a, got, want) : s;
}

enum ww_status arguments_show(struct cli *c, struct gpu *g, const struct kernel_argument *a,
                              uint32_t n, FILE *out, bool *checked) {
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < n; i++) {
        if (!a[i].is_buffer || (!a[i].print && !a[i].has_expect)) continue;
        struct arena work;
        arena_init(&work, NULL);
        const enum ww_status shown = show_buffer(c, g, &work, &a[i], i + 1, out);
        if (shown != WW_OK) s = shown;
        *checked = *checked || a[i].has_expect;
        arena_free(&work);
    }
    return s;
}
