// What the ranges that a program names (NVTX) took: launches, copies, time and energy of each, with those of the ranges
// inside it. A copy's energy is that of its step (steps.c), so ranges and what belongs to none add up to the steps.
#include "report/account.h"

#include <math.h>

static uint64_t whole(const json_t *o, const char *key) {
    return (uint64_t)json_integer_value(json_object_get(o, key));
}
static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

static void add(struct range_use *sum, const struct range_use *u) {
    sum->launches += u->launches;
    sum->untimed += u->untimed;
    sum->copies += u->copies;
    sum->bytes += u->bytes;
    sum->cycles += u->cycles;
    sum->warp_instructions += u->warp_instructions;
    sum->seconds += u->seconds;
    sum->copy_s += u->copy_s;
    sum->energy_j += u->energy_j;
    sum->dynamic_j += u->dynamic_j;
    sum->static_j += u->static_j;
}

// What stands in the run for ranges themselves, without what is inside them; [0] is what belongs to none.
static void own_use(struct arena *a, const struct run *r, const struct account *power,
                    struct range_use *use, size_t n) {
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        const uint64_t id = whole(l, "range");
        struct range_use *const u = &use[id < n ? id : 0];
        u->untimed += json_is_true(json_object_get(l, "functional")) ? run_launches(l) : 0;
        u->cycles += whole(l, "cycles");
        u->warp_instructions += whole(l, "warp_instructions");
    }
    uint32_t steps;
    const struct step *const s = steps_of(a, r, power, &steps);
    for (uint32_t k = 0; k < steps; k++) {
        struct range_use *const u = &use[s[k].range < n ? s[k].range : 0];
        const double j = isfinite(s[k].energy_j) ? s[k].energy_j : 0;
        u->launches += s[k].is_copy ? 0 : s[k].times;
        u->copies += s[k].is_copy ? s[k].times : 0;
        u->bytes += s[k].bytes;
        *(s[k].is_copy ? &u->copy_s : &u->seconds) += s[k].seconds;
        u->energy_j += j;
        u->dynamic_j += isfinite(s[k].dynamic_j) ? s[k].dynamic_j : 0;
        u->static_j += isfinite(s[k].static_j) ? s[k].static_j : 0;
    }
}

const struct range_use *ranges_of(struct arena *a, const struct run *r, const struct account *power,
                                  uint32_t *n) {
    const size_t all = json_array_size(r->ranges) + 1;
    *n = 0;
    if (all == 1) return NULL;
    struct range_use *const use = arena_alloc(a, all * sizeof *use), *const list = arena_alloc(
                                                                         a, all * sizeof *list);
    own_use(a, r, power, use, all);
    size_t i;
    json_t *o;
    use[0].name = use[0].path = "";
    json_array_foreach(r->ranges, i, o) {
        struct range_use *const u = &use[i + 1];
        const char *const name = json_string_value(json_object_get(o, "name"));
        u->id = (uint32_t)i + 1;
        u->parent = (uint32_t)whole(o, "parent");
        u->times = whole(o, "times");
        u->name = *name ? name : "(without a name)";
        u->depth = u->parent ? use[u->parent].depth + 1 : 0;
        u->path = u->parent ? arena_printf(a, "%s/%s", use[u->parent].path, u->name) : u->name;
        u->own_j = u->energy_j;
        u->own_s = u->seconds;
    }
    for (size_t k = all; k-- > 1;) // parents have smaller numbers
        if (use[k].parent) add(&use[use[k].parent], &use[k]);
    // children behind their parents, in the order of their numbers
    uint32_t *const first = arena_alloc(a, all * sizeof *first), *const next = arena_alloc(
                                                                     a, all * sizeof *next);
    for (size_t k = all; k-- > 1;) {
        next[k] = first[use[k].parent];
        first[use[k].parent] = (uint32_t)k;
    }
    for (uint32_t k = first[0]; k;) {
        list[(*n)++] = use[k];
        if (first[k]) {
            k = first[k];
            continue;
        }
        while (k && !next[k]) k = use[k].parent;
        k = k ? next[k] : 0;
    }
    if (use[0].launches + use[0].copies) { // what belongs to none
        use[0].name = use[0].path = "(in no range)";
        use[0].own_j = use[0].energy_j;
        use[0].own_s = use[0].seconds;
        list[(*n)++] = use[0];
    }
    return list;
}

// ---- how it is shown ----------------------------------------------------------------------------
void ranges_print(const struct run *r, const struct account *power, bool colour, FILE *out) {
    enum { SHOWN = 40 };
    const double least = 0.005; // of the time, that a row takes
    struct arena a;
    arena_init(&a, NULL);
    uint32_t n, shown = 0, left = 0;
    const struct range_use *const list = ranges_of(&a, r, power, &n);
    double seconds = 0;
    for (uint32_t i = 0; i < n; i++) seconds += list[i].depth ? 0 : list[i].seconds;
    if (n)
        fprintf(
            out,
            "\n  %sranges%s  (NVTX; each with those inside it)\n    %-32s %6s %8s %9s %6s %9s\n",
            colour ? "\033[1m" : "", colour ? "\033[0m" : "", "name", "times", "launches", "time",
            "share", power ? "energy" : "copies");
    for (uint32_t i = 0; i < n; i++) {
        const struct range_use *const u = &list[i];
        if (shown == SHOWN || (seconds > 0 && u->seconds < least * seconds && u->depth)) {
            left++;
            continue;
        }
        shown++;
        char name[128], b1[32], b2[32], times[24] = "";
        snprintf(name, sizeof name, "%*s%s", (int)(2 * (u->depth < 12 ? u->depth : 12)), "",
                 u->name);
        if (u->times) snprintf(times, sizeof times, "%llu", (unsigned long long)u->times);
        fprintf(out, "    %-32.32s %6s %8llu", name, times, (unsigned long long)u->launches);
        if (u->launches && u->untimed == u->launches)
            fprintf(out, " %9s %6s", "untimed", "");
        else
            fprintf(out, " %9s %4.1f %%", table_scaled(u->seconds, "s", b1),
                    100 * ratio(u->seconds, seconds));
        if (power)
            fprintf(out, " %9s\n", table_scaled(u->energy_j, "J", b2));
        else
            fprintf(out, " %9llu\n", (unsigned long long)u->copies);
    }
    if (left) fprintf(out, "    and %u more (-o DIR writes ranges.csv)\n", left);
    arena_free(&a);
}

static void csv_text(FILE *f, const char *text) {
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"') fputc('"', f);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, f);
    }
    fputc('"', f);
}

void ranges_csv(struct arena *a, const struct run *r, const struct account *power, FILE *f) {
    uint32_t n;
    const struct range_use *const list = ranges_of(a, r, power, &n);
    fputs("range,parent,depth,name,path,times,launches,untimed,copies,bytes,cycles,"
          "warp_instructions,seconds,copy_s,energy_j,dynamic_j,static_j,own_s,own_j\n",
          f);
    for (uint32_t i = 0; i < n; i++) {
        const struct range_use *const u = &list[i];
        fprintf(f, "%u,%u,%u,", u->id, u->parent, u->depth);
        csv_text(f, u->name);
        fputc(',', f);
        csv_text(f, u->path);
        fprintf(f, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%.12g,%.12g", (unsigned long long)u->times,
                (unsigned long long)u->launches, (unsigned long long)u->untimed,
                (unsigned long long)u->copies, (unsigned long long)u->bytes,
                (unsigned long long)u->cycles, (unsigned long long)u->warp_instructions, u->seconds,
                u->copy_s);
        if (power)
            fprintf(f, ",%.12g,%.12g,%.12g,%.12g,%.12g\n", u->energy_j, u->dynamic_j, u->static_j,
                    u->own_s, u->own_j);
        else
            fprintf(f, ",,,,%.12g,\n", u->own_s);
    }
}

json_t *ranges_json(struct arena *a, const struct run *r, const struct account *power,
                    uint32_t most) {
    uint32_t n;
    const struct range_use *const list = ranges_of(a, r, power, &n);
    if (!n) return NULL;
    json_t *const rows = json_array();
    for (uint32_t i = 0; i < n && !(most && i >= most); i++) {
        const struct range_use *const u = &list[i];
        json_t *const o = json_pack(
            "{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f}", "range", (json_int_t)u->id,
            "parent", (json_int_t)u->parent, "depth", (json_int_t)u->depth, "times",
            (json_int_t)u->times, "launches", (json_int_t)u->launches, "untimed",
            (json_int_t)u->untimed, "copies", (json_int_t)u->copies, "bytes", (json_int_t)u->bytes,
            "cycles", (json_int_t)u->cycles, "warp_instructions", (json_int_t)u->warp_instructions,
            "seconds", u->seconds, "copy_s", u->copy_s, "own_s", u->own_s);
        json_object_set_new(o, "name", json_string_nocheck(u->name));
        json_object_set_new(o, "path", json_string_nocheck(u->path));
        if (power) {
            json_object_set_new(o, "energy_j", json_real(u->energy_j));
            json_object_set_new(o, "dynamic_j", json_real(u->dynamic_j));
            json_object_set_new(o, "static_j", json_real(u->static_j));
            json_object_set_new(o, "own_j", json_real(u->own_j));
        }
        json_array_append_new(rows, o);
    }
    return rows;
}
