// The waveform of a run's supply rails (see probe.h).
#include "report/probe.h"

#include <math.h>
#include <stdlib.h>

// The converter of the report: volts of full scale, a step, random noise, samples a second of all
// channels.
static const double CONVERTER_V = 5, STEP_V = 160e-6, NOISE_V = 118e-6, CONVERTER_HZ = 250e3;
// From the supply to the board through the sense resistor: assumed, 1 W of 12 V at 10 A.
static const double SOURCE_OHM = 0.01;

static const struct {
    const char *name, *key;
    double v, limit_a, full_v, full_a;
    const char *prose;
} rails[] = {
#define RAIL(name, key, v, limit_a, full_v, full_a, prose)                                         \
    {#name, key, v, limit_a, full_v, full_a, prose},
#include "report/probe.def"
#undef RAIL
};
enum {
#define RAIL(name, ...) RAIL_##name,
#include "report/probe.def"
#undef RAIL
    RAILS
};
static_assert((int)RAILS == (int)PROBE_RAILS_MOST, "a rail has room");
static_assert(RAIL_slot_3v3 == 0 && RAIL_slot_12v == 1, "the slot comes first: probe_split");

// A last period that is a smaller part of one belongs to the sample before it.
static const double SLIVER = 1e-6;

// ---- options ------------------------------------------------------------------------------------
static bool parse_rate(struct arena *a, const char *text, double *hz) {
    static const struct {
        const char *unit;
        double hz;
    } unit[] = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"", 1}};
    const size_t digits = strspn(text, "0123456789.+-eE");
    for (size_t i = 0; i < WW_COUNT(unit); i++) {
        double v;
        if (strcmp(text + digits, unit[i].unit) != 0 ||
            !text_to_double(arena_strndup(a, text, digits), &v))
            continue;
        *hz = v * unit[i].hz;
        return *hz >= 1 && *hz <= 1e9;
    }
    return false;
}

static bool parse_part(struct probe_options *o, const char *part) {
    if (strncmp(part, "seed=", 5) == 0) return text_to_u64(part + 5, &o->seed);
    if (strncmp(part, "noise=", 6) == 0)
        return text_to_double(part + 6, &o->noise) && o->noise >= 0 && o->noise <= 1e6;
    return false;
}

enum ww_status probe_options_parse(struct arena *a, const char *text, struct diags *d,
                                   struct probe_options *out) {
    char *save = NULL, *list = arena_strdup(a, text);
    char *part = strtok_r(list, ",", &save);
    out->noise = 1, out->seed = 1;
    bool ok = part != NULL && parse_rate(a, part, &out->hz);
    while (ok && (part = strtok_r(NULL, ",", &save)) != NULL) ok = parse_part(out, part);
    if (ok) return WW_OK;
    return diag_add(d, WW_ERROR_USAGE,
                    "--probe takes a rate of 1 Hz to 1 GHz such as 31200Hz, 31.2kHz or 1MHz, and "
                    "behind it ,seed=N and ,noise=F (0: none), not `%s`",
                    text);
}

// ---- power over time ----------------------------------------------------------------------------
enum { PART_ALL, PART_LINK, PART_BOARD, PART_KINDS };
struct watts_of {
    double part[PART_KINDS]; // joules, or watts
};

struct bins {
    double hz, seconds;
    uint32_t n;
    struct watts_of *j; // [n]: joules in each period
};

double probe_time(const struct probe *p, uint32_t i) { return i / p->options.hz; }
double probe_period(const struct probe *p, uint32_t i) {
    const double end = i + 1 < p->n ? (i + 1) / p->options.hz : p->seconds;
    return end - probe_time(p, i);
}

static void add(struct watts_of *to, const struct watts_of *j, double share) {
    for (int k = 0; k < PART_KINDS; k++) to->part[k] += j->part[k] * share;
}

// Puts joules evenly into a time; what lies outside of the run goes to its ends.
static void deposit(struct bins *b, double from, double to, const struct watts_of *j) {
    from = fmin(fmax(from, 0), b->seconds), to = fmin(fmax(to, from), b->seconds);
    uint32_t i = (uint32_t)fmin(from * b->hz, b->n - 1.0);
    const uint32_t last = (uint32_t)fmin(to * b->hz, b->n - 1.0);
    if (i == last || !(to > from)) {
        add(&b->j[i], j, 1);
        return;
    }
    double left = 1; // the last period takes what is left, so that nothing is lost
    for (; i < last; i++) {
        const double begin = fmax(i / b->hz, from), end = (i + 1) / b->hz;
        const double share = fmin((end - begin) / (to - from), left);
        add(&b->j[i], j, share);
        left -= share;
    }
    add(&b->j[last], j, left);
}

// Joules of the whole, of the host link, and of the board beside the chip, each with what
// regulators lose on its behalf.
static struct watts_of parts_of(const struct power_tree *t, const struct power_usage *u) {
    const int link = power_find(t, "pcie"), board = power_find(t, "board");
    const double more = t->regulator >= 0 ? 1 + t->regulator_loss : 1;
    struct watts_of j = {{u->energy_j, 0, 0}};
    if (link >= 0) j.part[PART_LINK] = more * (u->all_dynamic_j[link] + u->all_static_j[link]);
    if (board >= 0) j.part[PART_BOARD] = more * (u->all_dynamic_j[board] + u->all_static_j[board]);
    if (t->regulator >= 0)
        j.part[PART_BOARD] -= more * (u->dynamic_j[t->regulator] + u->static_j[t->regulator]);
    return j;
}

static void scale(struct watts_of *j, const struct watts_of *whole, const struct watts_of *sum) {
    for (int k = 0; k < PART_KINDS; k++)
        if (sum->part[k] > 0) j->part[k] *= whole->part[k] / sum->part[k];
}

// A launch, interval by interval. Its intervals' joules are brought to the launch's own, which
// beside other launches are fewer (account.h).
static void put_launch(struct bins *b, const struct account *p, const struct account_kernel *k,
                       double start_s, double seconds) {
    const struct watts_of whole = parts_of(p->tree, &k->usage);
    const struct activity_kernel *const a = k->kernel;
    const double cycles = act_real(&a->activity, "cycles");
    struct watts_of sum = {{0}};
    struct power_usage u;
    for (uint32_t i = 0; i < a->n_intervals; i++) {
        if (!account_interval(p, a, i, &u)) continue;
        const struct watts_of j = parts_of(p->tree, &u);
        add(&sum, &j, 1);
    }
    if (!(sum.part[PART_ALL] > 0) || !(cycles > 0)) {
        deposit(b, start_s, start_s + seconds, &whole);
        return;
    }
    const double each = seconds / cycles;
    for (uint32_t i = 0; i < a->n_intervals; i++) {
        if (!account_interval(p, a, i, &u)) continue;
        struct watts_of j = parts_of(p->tree, &u);
        scale(&j, &whole, &sum);
        deposit(b, start_s + (double)a->interval[i].from * each,
                start_s + (double)a->interval[i].to * each, &j);
    }
}

struct span {
    double from, to;
};
static int by_from(const void *x, const void *y) {
    const struct span *a = x, *b = y;
    return a->from < b->from ? -1 : a->from > b->from;
}

// What a copy's bytes cost goes into its time.
static void put_copies(struct bins *b, const struct account *p, const struct step *list,
                       uint32_t n) {
    const struct watts_of all = parts_of(p->tree, &p->copied);
    for (uint32_t i = 0; i < n && all.part[PART_ALL] > 0; i++) {
        if (!list[i].is_copy) continue;
        const struct copy_moves m = activity_copy_moves(list[i].method);
        const double joules =
            (double)list[i].bytes * (m.writes * p->copy_write_j + m.reads * p->copy_read_j);
        struct watts_of j = {{0}};
        add(&j, &all, joules / all.part[PART_ALL]);
        deposit(b, list[i].start_s, list[i].start_s + list[i].seconds, &j);
    }
}

// The gaps' other joules go evenly into the time that no launch covers.
static void put_gaps(struct bins *b, const struct account *p, struct span *busy, uint32_t n) {
    const struct watts_of copied = parts_of(p->tree, &p->copied); // at the copies' own times
    struct watts_of gaps = parts_of(p->tree, &p->gaps);
    add(&gaps, &copied, -1);
    if (!(gaps.part[PART_ALL] > 0)) return;
    qsort(busy, n, sizeof *busy, by_from);
    struct span *idle = busy; // in their place: there is at most one before each, and one behind
    double at = 0, all = 0;
    uint32_t idles = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct span s = busy[i];
        const double from = at;
        at = fmax(at, s.to);
        if (s.from > from) idle[idles++] = (struct span){from, s.from};
    }
    if (at < b->seconds) idle[idles++] = (struct span){at, b->seconds};
    for (uint32_t i = 0; i < idles; i++) all += idle[i].to - idle[i].from;
    if (!(all > 0)) deposit(b, 0, b->seconds, &gaps);
    for (uint32_t i = 0; i < idles && all > 0; i++) {
        struct watts_of j = {{0}};
        add(&j, &gaps, (idle[i].to - idle[i].from) / all);
        deposit(b, idle[i].from, idle[i].to, &j);
    }
}

static void put_run(struct arena *a, struct bins *b, const struct run *r, const struct account *p,
                    bool *is_folded) {
    struct span *busy = arena_alloc(a, (p->n + 1) * sizeof *busy);
    uint32_t k = 0, n = 0;
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        const uint64_t id = (uint64_t)json_integer_value(json_object_get(l, "id"));
        while (k < p->n && p->kernel[k].kernel->launch < id) k++;
        if (k >= p->n || p->kernel[k].kernel->launch != id) continue;
        const double start_s = json_number_value(json_object_get(l, "start_s"));
        const double seconds = json_number_value(json_object_get(l, "seconds"));
        put_launch(b, p, &p->kernel[k], start_s, seconds);
        busy[n++] = (struct span){start_s, start_s + seconds};
        *is_folded = *is_folded || run_launches(l) > 1;
    }
    put_gaps(b, p, busy, n);
}

// ---- rails --------------------------------------------------------------------------------------
static void add_rails(struct arena *a, const struct gpu_config *gpu, struct probe *p) {
    for (uint32_t i = 0; i < RAILS; i++) {
        const uint32_t count =
            rails[i].key != NULL ? (uint32_t)gpu_config_real(gpu, rails[i].key) : 1;
        if (count == 0) continue;
        p->rail[p->rails++] = (struct probe_rail){.name = rails[i].name,
                                                  .prose = rails[i].prose,
                                                  .nominal_v = rails[i].v,
                                                  .limit_w = rails[i].v * rails[i].limit_a * count,
                                                  .count = count,
                                                  .v = arena_alloc(a, p->n * sizeof(double)),
                                                  .a = arena_alloc(a, p->n * sizeof(double))};
    }
    p->channel_hz = CONVERTER_HZ / (2 * p->rails);
}

void probe_split(const struct probe *p, double power_w, double link_w, double board_w,
                 double out[PROBE_RAILS_MOST]) {
    const double low = fmin(link_w, p->rail[RAIL_slot_3v3].limit_w);
    double limits = 0;
    for (uint32_t i = RAIL_slot_12v + 1; i < p->rails; i++) limits += p->rail[i].limit_w;
    const double most = limits > 0 ? fmin(board_w, p->rail[RAIL_slot_12v].limit_w) : power_w - low;
    out[RAIL_slot_3v3] = low, out[RAIL_slot_12v] = fmin(most, power_w - low);
    const double rest = power_w - low - out[RAIL_slot_12v];
    for (uint32_t i = RAIL_slot_12v + 1; i < p->rails; i++)
        out[i] = rest * p->rail[i].limit_w / limits;
}

// A draw of mean 0 and variance 1: twelve uniform ones, so that no library's rounding is in it
// (splitmix64).
static double draw(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        uint64_t z = *state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        sum += (double)((z ^ z >> 31) >> 11) * 0x1p-53;
    }
    return sum;
}

// A value of a channel as the converter gives it.
static double convert(double value, double full, double noise, uint64_t *state) {
    if (noise == 0) return value;
    const double volts = value / full * CONVERTER_V + noise * NOISE_V * draw(state);
    return round(volts / STEP_V) * STEP_V / CONVERTER_V * full;
}

// Volts and amperes of a rail that delivers `w` behind the source's resistance.
static void sample(const struct probe *p, uint32_t i, uint32_t k, double w, uint64_t *state) {
    const struct probe_rail *const r = &p->rail[i];
    uint32_t row = 0;
    while (strcmp(rails[row].name, r->name) != 0) row++;
    const double ohm = SOURCE_OHM / r->count, v0 = r->nominal_v;
    const double a = (v0 - sqrt(fmax(v0 * v0 - 4 * ohm * w, 0))) / (2 * ohm), v = v0 - ohm * a;
    r->a[k] = convert(a, rails[row].full_a * r->count, p->options.noise, state);
    r->v[k] = convert(v, rails[row].full_v, p->options.noise, state);
    if (p->options.noise == 0) r->v[k] = a > 0 ? w / a : v; // their product is the power, exactly
}

static void sample_all(struct probe *p, const struct bins *b) {
    uint64_t state = p->options.seed;
    for (uint32_t i = 0; i < p->rails; i++)
        p->rail[i].least_w = INFINITY, p->rail[i].most_w = -INFINITY;
    for (uint32_t k = 0; k < p->n; k++) {
        const double s = probe_period(p, k);
        const double *const j = b->j[k].part;
        double w[PROBE_RAILS_MOST];
        probe_split(p, j[PART_ALL] / s, j[PART_LINK] / s, j[PART_BOARD] / s, w);
        p->power_w[k] = 0;
        for (uint32_t i = 0; i < p->rails; i++) {
            struct probe_rail *const r = &p->rail[i];
            sample(p, i, k, w[i], &state);
            const double read = r->v[k] * r->a[k];
            p->power_w[k] += read;
            r->mean_w += read * s / p->seconds;
            r->least_w = fmin(r->least_w, read), r->most_w = fmax(r->most_w, read);
        }
        p->energy_j += p->power_w[k] * s;
    }
}

// As the report's tool reads a kernel: the waveform between its marks.
static void read_steps(struct arena *a, struct probe *p) {
    struct probe_reading *read = arena_alloc(a, (p->steps + 1) * sizeof *read);
    for (uint32_t i = 0; i < p->steps; i++) {
        const double from = p->step[i].start_s, to = from + p->step[i].seconds;
        read[i] = (struct probe_reading){NAN, NAN};
        if (!(to > from) || !(from < p->seconds)) continue;
        double j = 0;
        for (uint32_t k = (uint32_t)(from * p->options.hz); k < p->n && probe_time(p, k) < to;
             k++) {
            const double begin = fmax(probe_time(p, k), from);
            const double end = fmin(probe_time(p, k) + probe_period(p, k), to);
            if (end > begin) j += p->power_w[k] * (end - begin);
        }
        read[i] = (struct probe_reading){j, j / (to - from)};
    }
    p->reading = read;
}

static void mean_measured(struct probe *p) {
    struct probe_measured *const m = &p->measured;
    double sum = 0, all = 0; // a reading holds until the next
    for (uint32_t i = 0; i < m->n; i++) {
        const double from = fmax(m->t_s[i], 0);
        const double to = fmin(i + 1 < m->n ? m->t_s[i + 1] : p->seconds, p->seconds);
        if (to > from) sum += m->power_w[i] * (to - from), all += to - from;
    }
    m->mean_w = all > 0 ? sum / all : NAN;
}

enum ww_status probe_make(struct arena *a, const struct run *r, const struct account *power,
                          const struct gpu_config *gpu, const struct probe_options *o,
                          struct diags *d, struct probe *out) {
    *out = (struct probe){.options = *o, .seconds = power->run.seconds, .processes = r->processes};
    const double samples = ceil(out->seconds * o->hz - SLIVER);
    if (!(samples >= 1)) return diag_add(d, WW_ERROR_USAGE, "--probe: the run took no time");
    if (samples > PROBE_SAMPLES_MOST)
        return diag_add(d, WW_ERROR_USAGE,
                        "--probe: %g s at %g Hz are %.0f samples; %d are the most: a lower rate",
                        out->seconds, o->hz, samples, PROBE_SAMPLES_MOST);
    out->n = (uint32_t)samples;
    struct bins b = {.hz = o->hz, .seconds = out->seconds, .n = out->n};
    b.j = arena_alloc(a, out->n * sizeof *b.j);
    memset(b.j, 0, out->n * sizeof *b.j);
    out->power_w = arena_alloc(a, out->n * sizeof *out->power_w);
    add_rails(a, gpu, out);
    out->step = steps_of(a, r, power, &out->steps);
    put_run(a, &b, r, power, &out->is_folded);
    put_copies(&b, power, out->step, out->steps);
    sample_all(out, &b);
    read_steps(a, out);
    if (!o->measured) return WW_OK;
    const enum ww_status s =
        probe_measured_read(a, o->measured, o->measured_from_s, d, &out->measured);
    if (s == WW_OK) mean_measured(out);
    return s;
}
