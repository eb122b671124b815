// printf of device code: the format string and the arguments (packed as nvcc packs them: 4-byte
// integers, 8-byte integers, doubles and pointers, each aligned to its size) lie in device memory.
// Every conversion is done by the host's printf, one at a time, with a format of our own making.
#include <stdlib.h>

#include "exec/print.h"

enum { MAX_TEXT = 1 << 16, MAX_FORMAT = 1 << 14 };

static bool put(struct print_text *t, const char *s, size_t n) {
    if (t->len + n > MAX_TEXT) n = MAX_TEXT - t->len; // what does not fit is dropped
    if (t->len + n + 1 > t->cap) {
        size_t cap = t->cap ? t->cap : 256;
        while (cap < t->len + n + 1) cap *= 2;
        char *p = realloc(t->at, cap);
        if (!p) return false;
        t->at = p;
        t->cap = cap;
    }
    memcpy(t->at + t->len, s, n);
    t->len += n;
    t->at[t->len] = 0;
    return true;
}

struct args {
    struct exec_env *e;
    struct exec_warp *w;
    const struct xinst *x;
    uint32_t lane;
    uint64_t at;
    uint32_t taken;
};
static bool next_arg(struct args *a, uint32_t bytes, uint64_t *v) {
    a->at = bits_align_up(a->at, bytes);
    *v = 0;
    if (!mem_read_lane(a->e, a->w, a->x, a->lane, a->at, bytes, v)) return false;
    a->at += bytes;
    a->taken++;
    return true;
}

// A NUL-terminated string of the device; *out is the caller's to free.
bool print_string(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                  uint64_t addr, char **out) {
    size_t n = 0, cap = 64;
    char *s = malloc(cap);
    while (s) {
        if (!mem_read_lane(e, w, x, lane, addr + n, 1, s + n)) {
            free(s);
            return false;
        }
        if (!s[n] || n + 1 == MAX_FORMAT) break;
        if (++n == cap) {
            char *p = realloc(s, cap *= 2);
            if (!p) break;
            s = p;
        }
    }
    if (s) s[n] = 0;
    *out = s;
    return true;
}

// One conversion specification after '%': flags, width, precision, length; the host's format goes
// into spec without length.
struct conversion {
    char spec[32];
    int n;
    int width, precision; // -1 none
    int longs;            // l or ll, j, z, t: 1; h: -1, hh: -2
    char kind;
};
static const char *parse(const char *f, struct conversion *c, struct args *a, bool *ok) {
    *c = (struct conversion){.width = -1, .precision = -1};
    uint64_t v;
    char flags[6] = {0};
    int n = 0;
    while (*f && strchr("-+ #0", *f)) {
        if (n < 5 && !strchr(flags, *f)) flags[n++] = *f;
        f++;
    }
    bool left = false;
    if (*f == '*') {
        *ok = next_arg(a, 4, &v);
        c->width = (int)(int32_t)v;
        if (c->width < 0) {
            left = true;
            c->width = c->width == INT32_MIN ? 0 : -c->width;
        }
        f++;
    } else {
        while (*f >= '0' && *f <= '9') {
            c->width = (c->width < 0 ? 0 : c->width) * 10 + (*f++ - '0');
            if (c->width > 4096) c->width = 4096;
        }
    }
    if (*f == '.') {
        f++;
        c->precision = 0;
        if (*f == '*') {
            if (*ok) *ok = next_arg(a, 4, &v);
            c->precision = (int)(int32_t)v;
            f++;
        } else {
            while (*f >= '0' && *f <= '9') {
                c->precision = c->precision * 10 + (*f++ - '0');
                if (c->precision > 4096) c->precision = 4096;
            }
        }
    }
    for (; *f && strchr("hlLjzt", *f); f++) {
        if (*f == 'h')
            c->longs--;
        else if (*f != 'L')
            c->longs = 1;
    }
    if (c->width > 4096) c->width = 4096;
    if (c->precision > 4096) c->precision = 4096;
    c->kind = *f;
    c->n =
        snprintf(c->spec, sizeof c->spec, "%%%s%s", flags, left && !strchr(flags, '-') ? "-" : "");
    if (c->width >= 0)
        c->n += snprintf(c->spec + c->n, sizeof c->spec - (size_t)c->n, "%d", c->width);
    if (c->precision >= 0)
        c->n += snprintf(c->spec + c->n, sizeof c->spec - (size_t)c->n, ".%d", c->precision);
    return *f ? f + 1 : f;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wformat-security"
#endif
// The spec holds flags and bounded numbers only; the conversion letter is ours and fits the
// argument.
static void put_number(struct print_text *t, const struct conversion *c, uint64_t v) {
    char spec[40], buf[8300];
    int n;
    switch (c->kind) {
    case 'd':
    case 'i':
        snprintf(spec, sizeof spec, "%slld", c->spec);
        n = snprintf(buf, sizeof buf, spec, (long long)v);
        break;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        snprintf(spec, sizeof spec, "%sll%c", c->spec, c->kind);
        n = snprintf(buf, sizeof buf, spec, (unsigned long long)v);
        break;
    case 'c':
        snprintf(spec, sizeof spec, "%sc", c->spec);
        n = snprintf(buf, sizeof buf, spec, (int)(uint8_t)v);
        break;
    case 'p':
        snprintf(spec, sizeof spec, "%sp", c->spec);
        n = snprintf(buf, sizeof buf, spec, (void *)(uintptr_t)v);
        break;
    default:
        snprintf(spec, sizeof spec, "%s%c", c->spec, c->kind);
        n = snprintf(buf, sizeof buf, spec, as_f64(v));
        break;
    }
    if (n > 0) put(t, buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}
static void put_text(struct print_text *t, const struct conversion *c, const char *s) {
    char spec[40], *buf = malloc(MAX_TEXT);
    if (!buf) return;
    snprintf(spec, sizeof spec, "%ss", c->spec);
    const int n = snprintf(buf, MAX_TEXT, spec, s);
    if (n > 0) put(t, buf, n < MAX_TEXT ? (size_t)n : MAX_TEXT - 1);
    free(buf);
}
#pragma GCC diagnostic pop

static uint64_t narrow(uint64_t v, const struct conversion *c) {
    const bool is_signed = c->kind == 'd' || c->kind == 'i';
    switch (c->longs) {
    case 1: return v;
    case 0: return is_signed ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
    case -1: return is_signed ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
    default: return is_signed ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
    }
}

bool print_format(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                  uint64_t format, uint64_t arguments, uint32_t pointer_bytes, struct print_text *t,
                  uint32_t *taken) {
    struct args a = {e, w, x, lane, arguments, 0};
    char *f = NULL;
    if (!print_string(e, w, x, lane, format, &f)) return false;
    bool ok = true;
    for (const char *p = f; ok && p && *p;) {
        const size_t plain = strcspn(p, "%");
        put(t, p, plain);
        p += plain;
        if (!*p) break;
        if (p[1] == '%') {
            put(t, "%", 1);
            p += 2;
            continue;
        }
        struct conversion c;
        const char *from = p;
        p = parse(p + 1, &c, &a, &ok);
        uint64_t v = 0;
        if (!ok) break;
        switch (c.kind) {
        case 'd':
        case 'i':
        case 'u':
        case 'o':
        case 'x':
        case 'X':
            ok = next_arg(&a, c.longs > 0 ? 8 : 4, &v);
            if (ok) put_number(t, &c, narrow(v, &c));
            break;
        case 'c':
            ok = next_arg(&a, 4, &v);
            if (ok) put_number(t, &c, v);
            break;
        case 'f':
        case 'F':
        case 'e':
        case 'E':
        case 'g':
        case 'G':
        case 'a':
        case 'A':
            ok = next_arg(&a, 8, &v);
            if (ok) put_number(t, &c, v);
            break;
        case 'p':
        case 'n':
            ok = next_arg(&a, pointer_bytes, &v);
            if (ok && c.kind == 'p') put_number(t, &c, v);
            break;
        case 's': {
            char *s = NULL;
            ok = next_arg(&a, pointer_bytes, &v);
            if (ok && v) ok = print_string(e, w, x, lane, v, &s);
            if (ok) put_text(t, &c, v ? s ? s : "" : "(null)");
            free(s);
            break;
        }
        default: put(t, from, (size_t)(p - from)); break; // unknown: as it stands
        }
    }
    free(f);
    *taken = a.taken;
    return ok;
}
