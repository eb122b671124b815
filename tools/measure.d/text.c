// Strings, patterns and the little that every part needs.
#include "measure.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Noreturn void die(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("measure: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

void *need(void *memory) {
    if (!memory) die("no memory is left");
    return memory;
}

char *copy_text(const char *from) {
    const size_t n = strlen(from) + 1;
    return memcpy(need(malloc(n)), from, n);
}

void text_add(struct text *t, const char *format, ...) {
    for (;;) {
        va_list args;
        va_start(args, format);
        const size_t left = t->room - t->length;
        const int n = vsnprintf(t->at ? t->at + t->length : NULL, left, format, args);
        va_end(args);
        if (n < 0) die("a text cannot be formatted");
        if ((size_t)n < left) {
            t->length += (size_t)n;
            return;
        }
        t->room = (t->room + (size_t)n) * 2 + 64;
        t->at = need(realloc(t->at, t->room));
    }
}

void text_free(struct text *t) {
    free(t->at);
    *t = (struct text){0};
}

void text_fill(struct text *t, const char *from, const char *names) {
    for (const char *p = from; *p; p++) {
        if (*p != '$' || !p[1]) {
            text_add(t, "%c", *p);
            continue;
        }
        const char letter = *++p;
        const char *n = names;
        while (*n && !(n[0] == letter && n[1] == '=')) {
            while (*n && *n != ' ') n++;
            while (*n == ' ') n++;
        }
        if (!*n) die("a template uses $%c, which has no value: %s", letter, from);
        text_add(t, "%.*s", (int)strcspn(n + 2, " "), n + 2);
    }
}

// `done` is what was chosen so far.
static void expand(struct text done, const char *rest, void (*each)(void *, const char *),
                   void *to) {
    const char *open = strchr(rest, '<');
    if (!open) {
        struct text all = {0};
        text_add(&all, "%s%s", done.at ? done.at : "", rest);
        each(to, all.at);
        text_free(&all);
        return;
    }
    const char *close = strchr(open, '>');
    if (!close) die("a pattern lacks its >: %s", rest);
    for (const char *p = open + 1; p <= close;) {
        const size_t n = strcspn(p, "/>");
        struct text next = {0};
        text_add(&next, "%s%.*s%.*s", done.at ? done.at : "", (int)(open - rest), rest, (int)n, p);
        expand(next, close + 1, each, to);
        text_free(&next);
        p += n + 1;
    }
}

void text_expand(const char *pattern, void (*each)(void *to, const char *text), void *to) {
    expand((struct text){0}, pattern, each, to);
}

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

uint64_t mix64(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9;
    x ^= x >> 27;
    x *= 0x94d049bb133111eb;
    return x ^ x >> 31;
}
