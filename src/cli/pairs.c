// Which techniques go together: every pair of technique files is configured on a GPU as `run -p
// A+B` would be, and what that refuses is a pair that excludes each other, with the sentence it
// says. So the answer is that of the mechanisms' roles and rules and of the files' own wishes of
// the GPU, and a technique that is added is in it. More than two go together when every two of them
// do: a role is held once, and what a mechanism needs no other mechanism takes away.
#include "gpu/technique.h"
#include "cli/cli.h"

#include <jansson.h>

struct pairs {
    struct cli *c;
    const char *gpu;
    const char *const *set; // KEY=VALUE of the GPU file, which decide what techniques want of it
    uint32_t n_set;
    const struct technique *list;
    uint32_t n;
    const char **alone; // [n] why a GPU refuses a technique, or NULL
    const char **why;   // [n * n] why a pair is refused, or NULL
};

// NULL: the GPU takes these techniques.
static const char *refusal(const struct pairs *p, const char *names) {
    struct gpu_config *const g = gpu_config_new(&p->c->arena);
    struct diags d;
    diags_init(&d);
    const char *why = NULL;
    if (technique_configure(p->gpu, names, p->set, p->n_set, &d, g, NULL) != WW_OK) {
        char text[600];
        diags_first(&d, text, sizeof text);
        why = arena_strdup(&p->c->arena, text);
    }
    diags_free(&d);
    return why;
}

// The reason behind the names, which the reader has before him.
static const char *reason(const char *sentence) {
    static const char begins[] = "do not go together: ";
    const char *const at = strstr(sentence, begins);
    return at ? at + sizeof begins - 1 : sentence;
}

static enum ww_status find_pairs(struct cli *c, struct pairs *p) {
    struct technique *list;
    enum ww_status s = technique_list(&c->arena, &list, &p->n, &c->diags);
    struct gpu_config *const g = gpu_config_new(&c->arena);
    if (s == WW_OK) s = gpu_config_load(p->gpu, p->set, p->n_set, &c->diags, g);
    if (s != WW_OK) return s;
    p->list = list;
    p->alone = arena_alloc(&c->arena, p->n * sizeof *p->alone);
    p->why = arena_alloc(&c->arena, (size_t)p->n * p->n * sizeof *p->why);
    for (uint32_t i = 0; i < p->n; i++) p->alone[i] = refusal(p, list[i].path);
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = i + 1; k < p->n; k++) {
            const char *why = NULL;
            if (!p->alone[i] && !p->alone[k])
                why = refusal(p, arena_printf(&c->arena, "%s+%s", list[i].path, list[k].path));
            p->why[i * p->n + k] = p->why[k * p->n + i] = why ? reason(why) : NULL;
        }
    return WW_OK;
}

// Those that technique `i` excludes for the reason of technique `k`, if `k` is the first of them.
static const char *others(const struct pairs *p, uint32_t i, uint32_t k) {
    const char *const *const row = &p->why[i * p->n];
    const char *names = NULL;
    if (!row[k]) return NULL;
    for (uint32_t j = 0; j < p->n; j++) {
        if (!row[j] || strcmp(row[j], row[k]) != 0) continue;
        if (j < k) return NULL;
        names = arena_printf(&p->c->arena, "%s%s%s", names ? names : "", names ? ", " : "",
                             p->list[j].name);
    }
    return names;
}

static void print_pairs(const struct pairs *p) {
    uint32_t taken = 0, together = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct technique *const t = &p->list[i];
        printf("%s\n", t->name);
        if (p->alone[i]) printf("    not on %s: %s\n", p->gpu, p->alone[i]);
        for (uint32_t k = 0; k < p->n; k++) {
            const char *const names = others(p, i, k);
            if (names) printf("    not with %s: %s\n", names, p->why[i * p->n + k]);
        }
        taken += p->alone[i] == NULL;
        for (uint32_t k = i + 1; k < p->n; k++)
            together += !p->alone[i] && !p->alone[k] && !p->why[i * p->n + k];
    }
    printf("\non %s %u of %u pairs go together; more than two do when every two of them do\n",
           p->gpu, together, taken * (taken - 1) / 2);
}

static void write_pairs(const struct pairs *p) {
    json_t *const all = json_array();
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = i + 1; k < p->n; k++) {
            const char *const why = p->alone[i]   ? p->alone[i]
                                    : p->alone[k] ? p->alone[k]
                                                  : p->why[i * p->n + k];
            json_array_append_new(all,
                                  json_pack("{s:[ss],s:b,s:s?}", "techniques", p->list[i].name,
                                            p->list[k].name, "together", why == NULL, "why", why));
        }
    json_dumpf(all, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(all);
}

int savings_pairs(struct cli *c, const char *gpu, const char *const *set, uint32_t n_set, bool json) {
    struct pairs p = {.c = c, .gpu = gpu, .set = set, .n_set = n_set};
    const enum ww_status s = find_pairs(c, &p);
    if (s != WW_OK) return cli_fail(c, s);
    if (json)
        write_pairs(&p);
    else
        print_pairs(&p);
    return 0;
}
