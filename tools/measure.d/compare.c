// Reads two folders of results and says which operations differ, in which operands.
#include "operands.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

struct line {
    char *at; // with its commas as ends
    const char *fields[8];
};
struct table {
    struct line *at;
    unsigned count;
};

static struct table table_read(const char *folder, const char *file) {
    struct table t = {0};
    struct text path = {0};
    text_add(&path, "%s/%s.csv", folder, file);
    FILE *f = fopen(path.at, "r");
    text_free(&path);
    if (!f) return t;
    char *line = NULL;
    size_t room = 0;
    unsigned have = 0, number = 0;
    while (getline(&line, &room, f) > 0) {
        if (number++ == 0) continue; // the heads
        if (t.count == have) t.at = need(realloc(t.at, (have = have * 2 + 256) * sizeof *t.at));
        struct line *l = &t.at[t.count++];
        *l = (struct line){.at = copy_text(line)};
        l->at[strcspn(l->at, "\n")] = 0;
        unsigned n = 0;
        for (char *p = l->at; n < 8; p++) {
            l->fields[n++] = p;
            p += strcspn(p, ",");
            if (!*p) break;
            *p = 0;
        }
    }
    free(line);
    fclose(f);
    return t;
}

// The line of `t` whose first `keys` fields are those of `like`; tries the place `guess` first.
static const struct line *table_find(const struct table *t, const struct line *like, unsigned keys,
                                     unsigned guess) {
    for (unsigned i = 0; i < t->count; i++) {
        const struct line *l = &t->at[(i + guess) % t->count];
        bool same = true;
        for (unsigned c = 0; c < keys && same; c++)
            same = l->fields[c] && like->fields[c] && strcmp(l->fields[c], like->fields[c]) == 0;
        if (same) return l;
    }
    return NULL;
}

// The first three of the kept results that differ, with their operands where they are drawn by
// operands.c.
static void tell_first(const struct table *a, const struct table *b, const struct line *form,
                       unsigned guess, bool drawn) {
    const struct line *x = table_find(a, form, 2, guess), *y = table_find(b, form, 2, guess);
    if (!x || !y || !x->fields[3] || !y->fields[3]) return;
    const size_t digits = strtoul(x->fields[2], NULL, 10) / 4;
    const size_t shorter =
        strlen(x->fields[3]) < strlen(y->fields[3]) ? strlen(x->fields[3]) : strlen(y->fields[3]);
    unsigned told = 0;
    for (unsigned i = 0; digits && (i + 1) * digits <= shorter && told < 3; i++) {
        const char *p = x->fields[3] + i * digits, *q = y->fields[3] + i * digits;
        if (memcmp(p, q, digits) == 0) continue;
        told++;
        printf("    result %u", i);
        if (drawn) printf(" of operands");
        for (unsigned o = 0; drawn && x->fields[1][o]; o++)
            printf(" %0*llx", (int)operand_bytes(x->fields[1][o]) * 2,
                   (unsigned long long)operand(x->fields[1][o], "abce"[o], i));
        printf(": %.*s and %.*s\n", (int)digits, p, (int)digits, q);
    }
}

// bits.csv and tensor.csv: the same columns.
static unsigned compare_blocks(const char *a, const char *b, const char *file, const char *results,
                               bool drawn) {
    const struct table x = table_read(a, file), y = table_read(b, file);
    const struct table first = table_read(a, results), second = table_read(b, results);
    unsigned differ = 0, same = 0, refused = 0;
    for (unsigned i = 0; i < x.count; i++) {
        const struct line *p = &x.at[i], *q = table_find(&y, p, 2, i);
        if (!q || !p->fields[6] || !q->fields[6]) continue;
        if (strcmp(p->fields[2], "ok") != 0 || strcmp(q->fields[2], "ok") != 0) {
            refused++;
            continue;
        }
        // Blocks of other sizes (another scale) can't be compared; their first results can.
        if (strcmp(p->fields[4], q->fields[4]) != 0) {
            const struct line *f = table_find(&first, p, 2, i), *g = table_find(&second, p, 2, i);
            const size_t n =
                f && g && f->fields[3] && g->fields[3] ? strcspn(f->fields[3], "\n") : 0;
            if (!n || strlen(g->fields[3]) < n || memcmp(f->fields[3], g->fields[3], n) == 0) {
                same += n != 0;
                continue;
            }
            differ++;
            printf("%s (%s): first results differ\n", p->fields[0], p->fields[1]);
            tell_first(&first, &second, p, i, drawn);
            continue;
        }
        // A block that both have is compared, however many more one of them has.
        unsigned blocks = 0, off = 0, at = 0;
        const size_t hex = 16;
        for (const char *s = p->fields[6], *t = q->fields[6];
             strlen(s) >= hex && strlen(t) >= hex;) {
            if (memcmp(s, t, hex) != 0 && off++ == 0) at = blocks;
            blocks++;
            s += hex + (s[hex] == ' ');
            t += hex + (t[hex] == ' ');
        }
        if (!off) {
            same++;
            continue;
        }
        differ++;
        printf("%s (%s): %u of %u blocks differ, from block %u on\n", p->fields[0], p->fields[1],
               off, blocks, at);
        tell_first(&first, &second, p, i, drawn);
    }
    printf("%s: %u the same, %u differ, %u refused on one side\n", file, same, differ, refused);
    return differ;
}

static unsigned compare_sweep(const char *a, const char *b) {
    const struct table x = table_read(a, "sweep"), y = table_read(b, "sweep");
    unsigned differ = 0, same = 0;
    for (unsigned i = 0; i < x.count; i++) {
        const struct line *p = &x.at[i], *q = y.count ? table_find(&y, p, 3, i) : NULL;
        if (!q || !p->fields[3] || !q->fields[3]) continue;
        if (strcmp(p->fields[3], q->fields[3]) == 0) {
            same++;
        } else if (differ++ < 200) {
            printf("%s: %s operands from %s on differ\n", p->fields[0], p->fields[2], p->fields[1]);
        }
    }
    printf("sweep: %u blocks the same, %u differ\n", same, differ);
    return differ;
}

int compare(const char *a, const char *b) {
    const unsigned n = compare_blocks(a, b, "bits", "bits-results", true) +
                       compare_blocks(a, b, "tensor", "tensor-results", false) +
                       compare_sweep(a, b);
    return n ? 1 : 0;
}

int print_operands(const char *kind) {
    if (strlen(kind) != 1 || !strchr("silnzhHbBfdq", *kind))
        die("no kind of operand is called %s", kind);
    const int digits = (int)operand_bytes(*kind) * 2;
    printf("index,a,b,c,e\n");
    for (uint32_t i = 0; i < OPERAND_POINTS; i++) {
        printf("%u", i);
        for (const char *p = "abce"; *p; p++)
            printf(",%0*llx", digits, (unsigned long long)operand(*kind, *p, i));
        putchar('\n');
    }
    return 0;
}
