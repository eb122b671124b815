// Descriptions as texts, for programs that keep plans (XLA does, between its compiler and its executor): a line that says what it is,
// then each description as {kind attributes, an attribute as its name, type and count, and its values as hexadecimal bytes, or the
// descriptions that it names.
#include "graph.h"

#include <stdio.h>

dnn_status cudnnBackendCreateDescriptor(int kind, descriptor_t *out);
dnn_status cudnnBackendDestroyDescriptor(descriptor_t d);
dnn_status cudnnBackendSetAttribute(descriptor_t d, int name, int type, int64_t count,
                                    const void *values);

static const char title[] = "warpwatt plan 1 ";
enum { DEPTH = 16, TYPE_HANDLE = 0, LONGEST = 1 << 20 };

// ---- writing ----------------------------------------------------------------------------------------------
struct text {
    char *at;
    size_t length, room;
    bool has_failed;
};
static void put(struct text *t, const char *word) {
    const size_t n = strlen(word);
    if (t->length + n + 1 > t->room) {
        char *const more = realloc(t->at, 2 * (t->room + n) + 1);
        if (!more) t->has_failed = true;
        if (t->has_failed) return;
        t->at = more;
        t->room = 2 * (t->room + n) + 1;
    }
    memcpy(t->at + t->length, word, n + 1);
    t->length += n;
}
static void write_one(struct text *t, const struct descriptor *d) {
    char word[64];
    int count = 0;
    for (int i = 0; i < d->count; i++) count += d->attributes[i].type != TYPE_HANDLE;
    snprintf(word, sizeof word, "{%d %d ", d->kind, count);
    put(t, word);
    for (int i = 0; i < d->count; i++) {
        const struct attribute *const a = &d->attributes[i];
        if (a->type == TYPE_HANDLE) continue;
        snprintf(word, sizeof word, "%d %d %lld ", a->name, a->type, (long long)a->count);
        put(t, word);
        if (a->type == TYPE_DESCRIPTOR) {
            for (int64_t k = 0; k < a->count; k++) write_one(t, ((descriptor_t *)a->values)[k]);
            continue;
        }
        const size_t bytes = (size_t)a->count * bytes_of_type(a->type);
        for (size_t k = 0; k < bytes; k++) {
            snprintf(word, sizeof word, "%02x", ((const uint8_t *)a->values)[k]);
            put(t, word);
        }
        put(t, " ");
    }
    put(t, "} ");
}
char *graph_text(const struct descriptor *d) {
    struct text t = {0};
    put(&t, title);
    write_one(&t, d);
    if (!t.has_failed) return t.at;
    free(t.at);
    return NULL;
}

// ---- reading ----------------------------------------------------------------------------------------------
struct reader {
    const char *at, *end;
    bool has_failed;
};
static void expect(struct reader *r, char c) {
    if (r->has_failed || r->at == r->end || *r->at != c)
        r->has_failed = true;
    else
        r->at++;
}
// A number and the blank behind it.
static int64_t number(struct reader *r) {
    int64_t v = 0;
    const char *const from = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && v < INT32_MAX; r->at++)
        v = 10 * v + *r->at - '0';
    if (r->at == from) r->has_failed = true;
    expect(r, ' ');
    return v;
}
static int digit(struct reader *r) {
    const char c = r->at < r->end ? *r->at++ : 0;
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    r->has_failed = true;
    return 0;
}
static descriptor_t read_one(struct reader *r, int depth);
static void read_attribute(struct reader *r, descriptor_t d, int depth) {
    const int name = (int)number(r), type = (int)number(r);
    const int64_t count = number(r);
    const size_t each = bytes_of_type(type);
    if (r->has_failed || !each || count > LONGEST || type == TYPE_HANDLE) {
        r->has_failed = true;
        return;
    }
    uint8_t *const values = calloc((size_t)count + 1, each);
    if (!values) r->has_failed = true;
    if (type == TYPE_DESCRIPTOR)
        for (int64_t i = 0; i < count && !r->has_failed; i++)
            ((descriptor_t *)values)[i] = read_one(r, depth + 1);
    else {
        for (size_t i = 0; i < (size_t)count * each && !r->has_failed; i++) {
            const int high = digit(r);
            values[i] = (uint8_t)(high << 4 | digit(r));
        }
        expect(r, ' ');
    }
    if (!r->has_failed && cudnnBackendSetAttribute(d, name, type, count, values))
        r->has_failed = true;
    for (int64_t i = 0; values && type == TYPE_DESCRIPTOR && i < count; i++)
        cudnnBackendDestroyDescriptor(((descriptor_t *)values)[i]); // the attribute holds it
    free(values);
}
static descriptor_t read_one(struct reader *r, int depth) {
    descriptor_t d = NULL;
    expect(r, '{');
    const int kind = (int)number(r);
    const int64_t count = number(r);
    if (depth > DEPTH || kind >= KINDS) r->has_failed = true;
    if (r->has_failed || cudnnBackendCreateDescriptor(kind, &d)) {
        r->has_failed = true;
        return NULL;
    }
    for (int64_t i = 0; i < count && !r->has_failed; i++) read_attribute(r, d, depth);
    expect(r, '}');
    expect(r, ' ');
    d->is_final = true;
    return d;
}
descriptor_t graph_of_text(const char *text, size_t length) {
    struct reader r = {text, text + length, false};
    for (const char *c = title; *c; c++) expect(&r, *c);
    const descriptor_t d = r.has_failed ? NULL : read_one(&r, 0);
    if (!r.has_failed) return d;
    cudnnBackendDestroyDescriptor(d);
    return NULL;
}
