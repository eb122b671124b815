// Least distances between producer and consumer that compiled code keeps where no dependence
// counter protects them: a measurement of real latencies by generation without a GPU, since the
// compiler knows its hardware. Walks the straight-line parts of all kernels of the cubins named on
// standard input, a line each, and writes CSV. A distance is the sum of the stalls from the
// producer's issue to the consumer's. A tool for tests; the product does not need it.
//
//   find FOLDER -name '*.cubin' | build/sass_distances > distances.csv
#include "sass/cubin.h"
#include "sass/effect.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_FILE = 1 << 30, MAX_ARCHS = 16, LONGEST = 64, RARE = 500 };
// A pair of registers is two producers: the low word of a product may come earlier.
enum { PARTS = 2 };

struct table {
    uint32_t arch;
    uint64_t instructions;
    // by producer, its part, whether it is a predicate, consumer and role
    uint32_t seen[SASS_CLASS_N][PARTS][2][SASS_CLASS_N][SASS_ROLE_N][LONGEST];
};

struct producer {
    bool live;
    uint8_t class, part;
    uint32_t time;
};

struct walk {
    struct table *t;
    uint32_t gen, time;
    struct producer last[SASS_FILE_N][256];
};

static void *need(void *p) {
    if (!p) {
        fputs("sass_distances: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

static struct table *table_of(struct table **all, uint32_t *n, uint32_t arch) {
    for (uint32_t i = 0; i < *n; i++)
        if (all[i]->arch == arch) return all[i];
    if (*n == MAX_ARCHS) exit(2);
    all[*n] = need(calloc(1, sizeof **all));
    all[*n]->arch = arch;
    return all[(*n)++];
}

// Branches, calls, barriers of blocks: what comes behind them has another history.
static bool is_control(struct sass_word w) {
    const uint32_t op = (uint32_t)w.lo & 0x1ff;
    return (op >= 0x140 && op < 0x160) || op == 0x11d || op == 0x11b;
}

static void reads(struct walk *k, enum sass_class consumer, const struct sass_access *a) {
    const bool pred = a->file == SASS_FILE_P || a->file == SASS_FILE_UP;
    for (uint32_t r = a->first; r < (uint32_t)a->first + a->n && r < 255; r++) {
        const struct producer *p = &k->last[a->file][r];
        if (!p->live) continue;
        const uint32_t d = k->time - p->time;
        if (d < LONGEST) k->t->seen[p->class][p->part][pred][consumer][a->role][d]++;
    }
}

static void writes(struct walk *k, enum sass_class producer, bool counted,
                   const struct sass_access *a) {
    for (uint32_t i = 0; i < a->n && a->first + i < 255; i++)
        k->last[a->file][a->first + i] = (struct producer){
            .live = !counted, .class = (uint8_t)producer, .part = i > 0, .time = k->time};
}

static void step(struct walk *k, struct sass_word w, uint64_t pc) {
    struct sass_inst in;
    struct sass_access access[SASS_MAX_ACCESSES];
    if (sass_decode(w, pc, k->gen, &in, NULL) != SASS_KNOWN) {
        memset(k->last, 0, sizeof k->last);
        return;
    }
    const enum sass_class class = sass_class_of(w);
    const uint32_t n = sass_accesses(w, &in, access);
    for (uint32_t i = 0; i < n; i++)
        if (access[i].role != SASS_ROLE_RESULT) reads(k, class, &access[i]);
    const bool counted = in.control.write != 7 || class == SASS_CLASS_OTHER;
    for (uint32_t i = 0; i < n; i++)
        if (access[i].role == SASS_ROLE_RESULT) writes(k, class, counted, &access[i]);
    if (((uint32_t)w.lo & 0x1ff) == 4) memset(k->last[SASS_FILE_P], 0, sizeof k->last[0]); // R2P
    if (is_control(w)) memset(k->last, 0, sizeof k->last);
    k->time += in.control.stall ? in.control.stall : 1;
}

// Where branches go.
static bool *leaders(const struct cubin_kernel *k, uint32_t gen) {
    bool *leader = need(calloc(k->words + 1, sizeof *leader));
    for (uint32_t i = 0; i < k->words; i++) {
        struct sass_inst in;
        const struct sass_word w = cubin_word(k, i);
        if (!is_control(w) || sass_decode(w, i * UINT64_C(16), gen, &in, NULL) != SASS_KNOWN)
            continue;
        for (uint32_t o = 0; o < in.n_operands; o++) {
            const struct sass_operand *p = &in.operand[o];
            if (p->kind == SASS_TARGET && p->value >= 0 && p->value / 16 < k->words)
                leader[p->value / 16] = true;
        }
    }
    return leader;
}

static void kernel(struct table *t, const struct cubin *c, const struct cubin_kernel *k) {
    struct walk walk = {.t = t, .gen = c->gen};
    bool *leader = leaders(k, c->gen);
    for (uint32_t i = 0; i < k->words; i++) {
        if (leader[i]) memset(walk.last, 0, sizeof walk.last);
        step(&walk, cubin_word(k, i), i * UINT64_C(16));
    }
    t->instructions += k->words;
    free(leader);
}

static void row(const struct table *t, uint32_t p, uint32_t part, uint32_t pred, uint32_t c,
                uint32_t role) {
    const uint32_t *seen = t->seen[p][part][pred][c][role];
    uint64_t pairs = 0, sum = 0;
    uint32_t least = LONGEST, usual = LONGEST, most = 0;
    for (uint32_t d = 0; d < LONGEST; d++) pairs += seen[d];
    if (!pairs) return;
    for (uint32_t d = LONGEST; d-- > 0;) {
        if (seen[d]) least = d;
        if (seen[d] >= seen[most]) most = d;
    }
    // The least distance that is no rarity: one pair in RARE, and two pairs at least.
    for (uint32_t d = 0; d < LONGEST && usual == LONGEST; d++) {
        sum += seen[d];
        if (sum >= 2 && sum * RARE >= pairs) usual = d;
    }
    if (usual == LONGEST) usual = least;
    printf("sm_%u,%s%s%s,%s,%s,%u,%u,%u,%u,%" PRIu64 "\n", t->arch, sass_class_name(p),
           part ? ".hi" : "", pred ? ".p" : "", sass_class_name(c), sass_role_name(role), usual,
           least, seen[least], most, pairs);
}

static void print(const struct table *t) {
    for (uint32_t p = 0; p < SASS_CLASS_N; p++)
        for (uint32_t part = 0; part < PARTS; part++)
            for (uint32_t pred = 0; pred < 2; pred++)
                for (uint32_t c = 0; c < SASS_CLASS_N; c++)
                    for (uint32_t r = 0; r < SASS_ROLE_N; r++) row(t, p, part, pred, c, r);
    fprintf(stderr, "sm_%u: %" PRIu64 " instructions\n", t->arch, t->instructions);
}

int main(void) {
    struct table *all[MAX_ARCHS] = {0};
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
            cubin_read(&a, image, bytes, path, &d, &c) == WW_OK && c.gen)
            for (uint32_t k = 0; k < c.kernel.n; k++)
                kernel(table_of(all, &archs, c.arch), &c, &c.kernel.at[k]);
        diags_print(&d, stderr);
        arena_free(&a);
        diags_free(&d);
    }
    free(path);
    puts("arch,producer,consumer,role,least_in_500,least,pairs_at_least,most_frequent,pairs");
    for (uint32_t i = 0; i < archs; i++) {
        print(all[i]);
        free(all[i]);
    }
    return 0;
}
