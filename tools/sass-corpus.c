// Machine words of whole libraries, for tools/sass-agreement: keeps each distinct word of each
// generation with how often it stands in the corpus, and compares our text of those words with a
// listing of the vendor's disassembler. A tool for tests; the product does not need it.
//
//   sass_corpus words FOLDER MOST < LIST     cubins named on standard input, a line each, into
//                                            FOLDER/words_sm_NN.bin and FOLDER/counts_sm_NN.bin:
//                                            of words alike in opcode, form and modifiers, MOST
//                                            and those that stand there more than MOST times
//   sass_corpus check NN WORDS COUNTS FIRST  compares a listing on standard input with words from
//                                            number FIRST on
#include "sass/cubin.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_FILE = 1 << 30, BEFORE_CONTROL = 41 };

// How a word is scheduled is left out of comparison, but for reuse where it is text: each word has
// stall 1, and no counters.
static struct sass_word without_control(struct sass_word w) {
    const uint32_t op = (uint32_t)w.lo & 0x1ff;
    const bool queued = op >= 0x100 || op == 0x0b9 || op == 0x0bb;
    const uint64_t kept =
        (((uint64_t)1 << BEFORE_CONTROL) - 1) | (queued ? 0 : (uint64_t)0xf << 58);
    w.hi = (w.hi & kept) | 0x000fe20000000000;
    return w;
}

// ---- distinct words
// -------------------------------------------------------------------------------
struct entry {
    struct sass_word w;
    uint32_t count; // 0: empty
};
struct words {
    uint32_t arch;
    struct entry *slot;
    size_t n, cap;
    uint64_t total;
};

static void *need(void *p) {
    if (!p) {
        fputs("sass_corpus: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

static struct entry *slot_of(struct words *t, struct sass_word w) {
    uint64_t h = (w.lo ^ (w.hi << 29 | w.hi >> 35)) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    for (size_t i = (h >> 20) & (t->cap - 1);; i = (i + 1) & (t->cap - 1))
        if (!t->slot[i].count || (t->slot[i].w.lo == w.lo && t->slot[i].w.hi == w.hi))
            return &t->slot[i];
}

static void grow(struct words *t) {
    struct words bigger = {.arch = t->arch, .n = t->n, .total = t->total};
    bigger.cap = t->cap ? 2 * t->cap : 1 << 16;
    bigger.slot = need(calloc(bigger.cap, sizeof *bigger.slot));
    for (size_t i = 0; i < t->cap; i++)
        if (t->slot[i].count) *slot_of(&bigger, t->slot[i].w) = t->slot[i];
    free(t->slot);
    *t = bigger;
}

static void count(struct words *t, struct sass_word w) {
    if (2 * t->n >= t->cap) grow(t);
    struct entry *e = slot_of(t, w);
    if (!e->count) {
        e->w = w;
        t->n++;
    }
    e->count++;
    t->total++;
}

static int by_form(const void *x, const void *y) {
    const struct entry *a = x, *b = y;
    const uint32_t f = (uint32_t)a->w.lo & 0xfff, g = (uint32_t)b->w.lo & 0xfff;
    if (f != g) return f < g ? -1 : 1;
    if (a->w.hi != b->w.hi) return a->w.hi < b->w.hi ? -1 : 1;
    return a->w.lo < b->w.lo ? -1 : a->w.lo > b->w.lo;
}

static FILE *create(const char *folder, const char *what, uint32_t arch) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s_sm_%u.bin", folder, what, arch);
    return need(fopen(path, "wb"));
}

static bool alike(const struct entry *a, const struct entry *b) {
    return (a->w.lo & 0xfff) == (b->w.lo & 0xfff) && a->w.hi >> 8 == b->w.hi >> 8;
}

static void write_words(struct words *t, const char *folder, uint32_t most) {
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < t->cap; i++)
        if (t->slot[i].count) t->slot[n++] = t->slot[i];
    qsort(t->slot, n, sizeof *t->slot, by_form);
    FILE *w = create(folder, "words", t->arch), *c = create(folder, "counts", t->arch);
    uint64_t instructions = 0;
    for (size_t i = 0, like = 0; i < n; i++) {
        const struct entry *e = &t->slot[i];
        like = i && alike(e, e - 1) ? like + 1 : 0;
        if (like >= most && e->count <= most) continue;
        kept++;
        instructions += e->count;
        fwrite(&e->w, sizeof e->w, 1, w);
        fwrite(&e->count, sizeof e->count, 1, c);
    }
    fclose(w);
    fclose(c);
    printf("sm_%u: %" PRIu64 " instructions, %zu distinct words; kept %" PRIu64 ", %zu\n", t->arch,
           t->total, n, instructions, kept);
}

enum { MAX_ARCHS = 16 };

static struct words *words_of(struct words *all, uint32_t *n, uint32_t arch) {
    for (uint32_t i = 0; i < *n; i++)
        if (all[i].arch == arch) return &all[i];
    if (*n == MAX_ARCHS) exit(2);
    all[*n].arch = arch;
    return &all[(*n)++];
}

static int keep_words(const char *folder, uint32_t most) {
    struct words all[MAX_ARCHS] = {0};
    uint32_t archs = 0;
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
            cubin_read(&a, image, bytes, path, &d, &c) == WW_OK && c.gen) {
            struct words *t = words_of(all, &archs, c.arch);
            for (uint32_t k = 0; k < c.kernel.n; k++)
                for (uint32_t w = 0; w < c.kernel.at[k].words; w++)
                    count(t, without_control(cubin_word(&c.kernel.at[k], w)));
        }
        diags_print(&d, stderr);
        arena_free(&a);
        diags_free(&d);
    }
    free(path);
    for (uint32_t i = 0; i < archs; i++) write_words(&all[i], folder, most);
    return 0;
}

// ---- a listing compared
// --------------------------------------------------------------------------- Runs of blanks are
// one blank, and none stands at an end or before a comma.
static void squeeze(char *s) {
    char *out = s;
    for (const char *p = s; *p; p++) {
        if (*p == ' ' && (out == s || p[1] == ' ' || p[1] == ',' || !p[1])) continue;
        *out++ = *p;
    }
    *out = 0;
}

// `    /*0010*/   TEXT ;`: its address, and where its text begins; the text ends at the semicolon.
static char *parse_line(char *line, uint64_t *address) {
    char *p = line + strspn(line, " \t"), *end;
    if (p[0] != '/' || p[1] != '*') return NULL;
    *address = strtoull(p + 2, &end, 16);
    if (end == p + 2 || end[0] != '*' || end[1] != '/') return NULL;
    char *semicolon = strrchr(end, ';');
    if (!semicolon) return NULL;
    *semicolon = 0;
    return end + 2;
}

static void *read_all(const char *path, size_t *n) {
    FILE *f = need(fopen(path, "rb"));
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    void *p = need(malloc(*n + 1));
    if (fread(p, 1, *n, f) != *n) exit(2);
    fclose(f);
    return p;
}

static int check(uint32_t arch, const char *words, const char *counts, size_t first) {
    size_t bytes, more;
    const struct sass_word *w = read_all(words, &bytes);
    const uint32_t *times = read_all(counts, &more);
    const size_t n = bytes / sizeof *w;
    uint64_t compared = 0, alike = 0, instructions = 0, instructions_alike = 0;
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, stdin) > 0) {
        uint64_t address;
        char ours[SASS_TEXT_SIZE], *theirs = parse_line(line, &address);
        const size_t i = first + (size_t)(address / 16);
        if (!theirs || i >= n) continue;
        squeeze(theirs);
        sass_text(w[i], address, sass_gen(arch), ours);
        squeeze(ours);
        const bool same = strcmp(ours, theirs) == 0;
        compared++;
        alike += same;
        instructions += times[i];
        instructions_alike += same ? times[i] : 0;
        if (!same)
            printf("sm_%u\t%03x\t%016" PRIx64 "%016" PRIx64 "\t%u\t%s\t%s\n", arch,
                   (unsigned)(w[i].lo & 0xfff), w[i].hi, w[i].lo, times[i], theirs, ours);
    }
    printf("total %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", compared, alike, instructions,
           instructions_alike);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "words") == 0)
        return keep_words(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    if (argc == 6 && strcmp(argv[1], "check") == 0)
        return check((uint32_t)strtoul(argv[2], NULL, 10), argv[3], argv[4],
                     (size_t)strtoull(argv[5], NULL, 10));
    fputs("usage: sass_corpus words FOLDER MOST | check NN WORDS COUNTS FIRST\n", stderr);
    return 2;
}
