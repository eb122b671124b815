// Words of cubins that become no instruction of ours, by opcode and reason: what the translators
// still lack. Cubins are named on standard input, a line each; opcodes on the command line (0x010
// ...) are the ones that count, all without one. Prints a line a reason with how often it occurs and
// one word in the vendor's notation, most frequent first. A tool for tests; the product does not
// need it.
#include "sass/cubin.h"
#include "sass/translate.h"

#include <stdlib.h>

enum { MAX_FILE = 1 << 30, MAX_REASONS = 4096 };

struct reason {
    uint32_t op;
    uint64_t n;
    char why[160], example[SASS_TEXT_SIZE];
};
struct tally {
    struct reason reason[MAX_REASONS];
    uint32_t n;
    uint64_t words, refused;
    bool counts[512];
};

// A reason without the word's bits, which stand in parentheses at its end.
static void note(struct tally *t, struct sass_word w, uint64_t pc, uint32_t gen, const char *why) {
    const uint32_t op = (uint32_t)w.lo & 511, n = (uint32_t)strcspn(why, "(");
    t->refused++;
    for (uint32_t i = 0; i < t->n; i++) {
        struct reason *const r = &t->reason[i];
        if (r->op != op || strncmp(r->why, why, n) || r->why[n]) continue;
        r->n++;
        return;
    }
    if (t->n == MAX_REASONS) return;
    struct reason *const r = &t->reason[t->n++];
    r->op = op;
    r->n = 1;
    snprintf(r->why, sizeof r->why, "%.*s", (int)n, why);
    sass_text(w, pc, gen, r->example);
}
static void look(struct tally *t, const struct cubin *c, const struct cubin_kernel *k) {
    for (uint32_t i = 0; i < k->words; i++) {
        const struct sass_word w = cubin_word(k, i);
        if (!t->counts[w.lo & 511]) continue;
        struct minst m;
        struct code_control control;
        struct sass_refusal why;
        t->words++;
        if (!sass_translate(w, 16ull * i, 0, c->gen, &m, &control, &why))
            note(t, w, 16ull * i, c->gen, why.text);
    }
}
static int by_count(const void *a, const void *b) {
    const struct reason *const x = a, *const y = b;
    return (x->n < y->n) - (x->n > y->n);
}

int main(int argc, char **argv) {
    struct tally *const t = calloc(1, sizeof *t);
    if (!t) return 2;
    for (uint32_t op = 0; op < 512; op++) t->counts[op] = argc == 1;
    for (int i = 1; i < argc; i++) t->counts[strtoul(argv[i], NULL, 16) & 511] = true;
    char *path = NULL;
    size_t cap = 0;
    while (getline(&path, &cap, stdin) > 0) {
        path[strcspn(path, "\n")] = 0;
        struct arena a;
        struct diags d;
        struct cubin c;
        char *image;
        size_t bytes;
        arena_init(&a, NULL);
        diags_init(&d);
        if (file_read(&a, path, MAX_FILE, &image, &bytes, &d) == WW_OK &&
            cubin_read(&a, image, bytes, path, &d, &c) == WW_OK && c.gen)
            for (uint32_t k = 0; k < c.kernel.n; k++) look(t, &c, &c.kernel.at[k]);
        diags_print(&d, stderr);
        arena_free(&a);
        diags_free(&d);
    }
    free(path);
    qsort(t->reason, t->n, sizeof *t->reason, by_count);
    printf("%llu words, %llu refused\n", (unsigned long long)t->words,
           (unsigned long long)t->refused);
    for (uint32_t i = 0; i < t->n; i++)
        printf("%03x %9llu  %s: %s\n", t->reason[i].op, (unsigned long long)t->reason[i].n,
               t->reason[i].why, t->reason[i].example);
    free(t);
    return 0;
}
