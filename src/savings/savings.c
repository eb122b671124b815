// Names, options and combinations of techniques, and the making of those of an SM.
#include <assert.h>

#include "savings/lines.h"
#include "savings/savings_int.h"

enum { ROLE_GATING = 1, ROLE_ORDER = 2, ROLE_WINDOW = 4, ROLE_LINES = 8, ROLE_SUPPLY = 16, ROLE_ACCESS = 32 };
enum { NEED_GATES = 1, NEED_BLACKOUT = 2, NEED_LANES = 4, NEED_RFC = 8 };
#define OF(id) (1u << SAVINGS_##id)
#define OF_PIPES                                                                                   \
    (OF(CONV_PG) | OF(NAIVE_BLACKOUT) | OF(COORDINATED_BLACKOUT)) // gate whole pipelines
#define OF_LANES (OF(LANE_PG) | OF(LANE_METER))
#define OF_GATING (OF_PIPES | OF(LANE_PG))
#define OF_LINES  (OF(DROWSY_LINES) | OF(CACHE_DECAY))

const struct savings_mechanism_info savings_mechanism_info[] = {
#define MECHANISM(id, name, roles, needs, prose, paper) {name, prose, paper},
#include "savings/mechanism.def"
#undef MECHANISM
    {NULL}};
static const struct { uint32_t roles, needs; } traits[] = {
#define MECHANISM(id, name, roles, needs, prose, paper) {roles, needs},
#include "savings/mechanism.def"
#undef MECHANISM
};
const struct savings_option_info savings_option_info[] = {
#define OPTION(name, def, low, high, unit, of, prose, source)                                      \
    {#name, def, low, high, of, unit, prose, source, NULL},
#define CHOICE(name, def, names, of, prose, source) {#name, def, 0, 0, of, "", prose, source, names},
#include "savings/option.def"
#undef CHOICE
#undef OPTION
    {NULL}};
enum { OPTIONS = WW_COUNT(savings_option_info) - 1 };
static_assert(sizeof(struct savings_options) == OPTIONS * sizeof(uint32_t),
              "options are an array of numbers, in the order of their table");

static enum ww_status find_mechanism(const char *name, const char *where, struct diags *d,
                                     uint32_t *out) {
    const char *names[SAVINGS_MECHANISMS];
    for (uint32_t i = 0; i < SAVINGS_MECHANISMS; i++) {
        names[i] = savings_mechanism_info[i].name;
        if (strcmp(names[i], name) != 0) continue;
        *out = i;
        return WW_OK;
    }
    const int near = text_nearest(name, names, SAVINGS_MECHANISMS);
    if (near >= 0)
        return diag_add(d, WW_ERROR_CONFIG, "%s: there is no mechanism %s; did you mean %s?", where,
                        name, names[near]);
    return diag_add(d, WW_ERROR_CONFIG, "%s: there is no mechanism %s", where, name);
}

static void name_mechanisms(uint32_t mask, char *text, size_t size) {
    size_t n = 0;
    text[0] = 0;
    FOR_EACH_BIT32(i, mask) {
        if (n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "",
                                  savings_mechanism_info[i].name);
    }
}

// The place of a name in a choice's names, UINT32_MAX: it is none of them.
static uint32_t place_of(const char *names, const char *name) {
    const size_t n = strlen(name);
    uint32_t at = 0;
    for (const char *p = names; *p != 0; at++) {
        const size_t length = strcspn(p, " ");
        if (length == n && n != 0 && strncmp(p, name, n) == 0) return at;
        p += length;
        p += *p == ' ';
    }
    return UINT32_MAX;
}

void savings_option_default(const struct savings_option_info *o, char *text, size_t size) {
    if (o->names == NULL) {
        snprintf(text, size, "%u", o->fallback);
        return;
    }
    const char *p = o->names;
    for (uint32_t i = 0; i < o->fallback; i++) p += strcspn(p, " ") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(p, " "), p);
}

// The number that an option's text means.
static enum ww_status read_value(const struct savings_option_info *o, const char *value,
                                 const char *where, struct diags *d, uint32_t *out) {
    uint64_t n = 0;
    if (o->names != NULL) {
        *out = place_of(o->names, value);
        return *out != UINT32_MAX ? WW_OK
                                  : diag_add(d, WW_ERROR_CONFIG, "%s: %s must be one of these: %s; not '%s'",
                                             where, o->name, o->names, value);
    }
    if (!text_to_u64(value, &n) || n < o->low || n > o->high)
        return diag_add(d, WW_ERROR_CONFIG,
                        "%s: %s must be a whole number from %u to %u%s%s, not '%s'", where, o->name,
                        o->low, o->high, o->unit[0] ? " " : "", o->unit, value);
    *out = (uint32_t)n;
    return WW_OK;
}

static enum ww_status set_option(const struct savings_request *r, uint32_t at, struct diags *d,
                                 struct savings *s) {
    const char *const name = r->option[at].name, *const value = r->option[at].value,
               *const where = r->option[at].where;
    const char *names[OPTIONS];
    for (uint32_t i = 0; i < OPTIONS; i++) {
        const struct savings_option_info *const o = &savings_option_info[i];
        names[i] = o->name;
        if (strcmp(o->name, name) != 0) continue;
        uint32_t n = 0;
        const enum ww_status status = read_value(o, value, where, d, &n);
        if (status != WW_OK) return status;
        char of[256];
        name_mechanisms(o->mechanisms, of, sizeof of);
        if (r->option[at].must_be_used && (s->mechanisms & o->mechanisms) == 0)
            return diag_add(d, WW_ERROR_CONFIG,
                            "%s: %s is an option of %s, and no such mechanism was chosen", where,
                            name, of);
        memcpy((char *)&s->o + i * sizeof n, &n, sizeof n);
        return WW_OK;
    }
    const int near = text_nearest(name, names, OPTIONS);
    if (near >= 0)
        return diag_add(d, WW_ERROR_CONFIG, "%s: there is no option %s; did you mean %s?", where,
                        name, names[near]);
    return diag_add(d, WW_ERROR_CONFIG, "%s: techniques have no option %s", where, name);
}

// What does not go together.
static enum ww_status check_set(const struct savings *s, const struct sm_config *c,
                                struct diags *d) {
    static const struct { uint32_t role; const char *why; } one[] = {
        {ROLE_GATING, "each decides alone when a unit goes off and when it may wake"},
        {ROLE_ORDER, "each puts the same instructions into an order of its own"},
        {ROLE_WINDOW, "each sets the idle-detect window"},
        {ROLE_SUPPLY, "each sets the supply of register rows"},
        {ROLE_ACCESS, "each changes what the same access to a register bank switches"},
        {ROLE_LINES, "each decides alone in which state a line is"},
    };
    char text[256];
    for (size_t i = 0; i < WW_COUNT(one); i++) {
        uint32_t have = 0;
        FOR_EACH_BIT32(m, s->mechanisms)
            if (traits[m].roles & one[i].role) have |= 1u << m;
        if (bits_count32(have) < 2) continue;
        name_mechanisms(have, text, sizeof text);
        return diag_add(d, WW_ERROR_CONFIG, "%s do not go together: %s", text, one[i].why);
    }
    FOR_EACH_BIT32(m, s->mechanisms) {
        const char *const name = savings_mechanism_info[m].name;
        if ((traits[m].needs & NEED_GATES) && !(s->mechanisms & OF(GATES)))
            return diag_add(
                d, WW_ERROR_CONFIG,
                m == SAVINGS_ORIGAMI_SCHEDULER
                    ? "%s needs gates: it chooses among the warps of one type, and gates chooses "
                      "the type"
                    : "%s needs gates: it looks at the counters of active warps by type",
                name);
        if ((traits[m].needs & NEED_LANES) && !(s->mechanisms & OF_LANES))
            return diag_add(d, WW_ERROR_CONFIG,
                            "%s needs lane-pg (or lane-meter, to measure only): it makes single "
                            "lanes idle, and %s",
                            name,
                            s->mechanisms & OF_PIPES
                                ? "gating of whole pipelines switches off no single lane"
                                : "nothing looks at single lanes");
        if ((traits[m].needs & NEED_LANES) && savings_lane_width(c) < LANE_CLUSTER)
            return diag_add(
                d, WW_ERROR_CONFIG,
                "%s moves threads between %u lanes that lie together, the GPU's pipelines have %u "
                "(a warp takes %u cycles)",
                name, LANE_CLUSTER, savings_lane_width(c), LANE_MAX / savings_lane_width(c));
        if ((traits[m].needs & NEED_RFC) &&
            (c->rfc_entries == 0 || !sm_scheduler_is(c->scheduler, SCHED_HAS_SET)))
            return diag_add(d, WW_ERROR_CONFIG,
                            "%s needs sm.rfc_entries of 1 or more and sm.scheduler two_level: it "
                            "holds registers of the warps of an active set",
                            name);
        if ((traits[m].needs & NEED_BLACKOUT) &&
            !(s->mechanisms & (OF(NAIVE_BLACKOUT) | OF(COORDINATED_BLACKOUT))))
            return diag_add(d, WW_ERROR_CONFIG,
                            "%s needs naive-blackout or coordinated-blackout: without a blackout "
                            "there are no critical wakeups to follow",
                            name);
    }
    if ((s->mechanisms & OF(COORDINATED_BLACKOUT)) && c->clusters < 2)
        return diag_add(
            d, WW_ERROR_CONFIG,
            "coordinated-blackout needs two clusters of INT and FP pipelines, the GPU has "
            "%u: there is nothing to coordinate, naive-blackout does it",
            c->clusters);
    if ((s->mechanisms & OF_GATING) && !s->o.gate_int && !s->o.gate_fp && !s->o.gate_sfu &&
        !s->o.gate_ldst)
        return diag_add(
            d, WW_ERROR_CONFIG,
            "gate_int, gate_fp, gate_sfu and gate_ldst are all 0: nothing is left to gate");
    if ((s->mechanisms & OF_GATING) && s->o.gate_ldst && c->shared_on_lanes)
        return diag_add(d, WW_ERROR_CONFIG,
                        "gate_ldst does not go with sm.shared_on_lanes: there the lanes read "
                        "shared memory through LD/ST without asking for it");
    if ((s->mechanisms & OF(ADAPTIVE)) && s->o.idle_detect_min > s->o.idle_detect_max)
        return diag_add(d, WW_ERROR_CONFIG, "idle_detect_min is %u, more than idle_detect_max %u",
                        s->o.idle_detect_min, s->o.idle_detect_max);
    if ((s->mechanisms & OF(ADAPTIVE)) &&
        (s->o.idle_detect < s->o.idle_detect_min || s->o.idle_detect > s->o.idle_detect_max))
        return diag_add(d, WW_ERROR_CONFIG,
                        "idle_detect is %u, but adaptive-idle-detect keeps it from %u to %u",
                        s->o.idle_detect, s->o.idle_detect_min, s->o.idle_detect_max);
    return WW_OK;
}

enum ww_status savings_make(const struct savings_request *r, const struct sm_config *c,
                            struct diags *d, struct savings *out) {
    struct savings s = {0};
    enum ww_status status = WW_OK;
    for (uint32_t i = 0; i < r->n_mechanisms && status == WW_OK; i++) {
        uint32_t m = 0;
        status = find_mechanism(r->mechanism[i].name, r->mechanism[i].where, d, &m);
        if (status == WW_OK) s.mechanisms |= 1u << m;
    }
    for (uint32_t i = 0; i < OPTIONS; i++)
        memcpy((char *)&s.o + i * sizeof(uint32_t), &savings_option_info[i].fallback,
               sizeof(uint32_t));
    for (uint32_t i = 0; i < r->n_options && status == WW_OK; i++) status = set_option(r, i, d, &s);
    if (status == WW_OK) status = check_set(&s, c, d);
    if (status == WW_OK) *out = s;
    return status;
}

// ---- lines over time -----------------------------------------------------------------------------
// Of `all` cycles a part is on; the rest goes to `away`.
static void close_state(struct activity *a, uint32_t on, uint32_t away, uint64_t all) {
    if (a->c[on] > all) a->c[on] = all;
    a->c[away] = all - a->c[on];
}

void savings_close(const struct savings *s, const struct sm_config *c, uint32_t sms,
                   uint64_t l2_lines, uint64_t cycles, struct activity *a) {
    if (!savings_puts_away(s)) return;
    const bool decays = s->mechanisms & OF(CACHE_DECAY);
    FOR_EACH_BIT32(i, lines_arrays(&s->o)) {
        if (decays && i == ARRAY_SHARED) continue;
        const uint64_t lines = i == ARRAY_L2 ? l2_lines : (uint64_t)sms * lines_of(c, i);
        close_state(a, ACT_line_on + i, (decays ? ACT_line_off : ACT_line_drowsy) + i,
                    lines * cycles);
        if (!decays && s->o.tags_drowsy && i != ARRAY_SHARED)
            close_state(a, ACT_tag_on + i, ACT_tag_drowsy + i, lines * cycles);
    }
}

// ---- an SM's -----------------------------------------------------------------------------------
struct savings_sm *savings_sm_create(const struct savings *from, const struct sm_config *c) {
    struct savings_sm *const s = ww_alloc_aligned(sizeof *s);
    if (s == NULL) return NULL;
    s->set = *from;
    s->c = *c;
    // The domains first: what the others see of them is settled.
    const bool beside =
        (s->set.mechanisms & OF(LANE_PG)) && (s->set.o.gate_sfu || s->set.o.gate_ldst);
    if ((s->set.mechanisms & OF_PIPES) || beside) gating_init(s, &s->technique[s->n++]);
    if (s->set.mechanisms & OF_LANES) lanes_init(s, &s->technique[s->n++]);
    if (savings_has(s, SAVINGS_WARP_FOLDING)) folding_init(s, &s->technique[s->n++]);
    if (savings_has(s, SAVINGS_ADAPTIVE)) adaptive_init(s, &s->technique[s->n++]);
    if (savings_has(s, SAVINGS_GATES)) gates_init(s, &s->technique[s->n++]);
    bool ok = true;
    if (savings_has(s, SAVINGS_METERS)) ok = meters_init(s, &s->technique[s->n++]);
    if (ok && savings_has(s, SAVINGS_DROWSY_LINES)) ok = drowsy_init(s, &s->technique[s->n++]);
    if (ok && savings_has(s, SAVINGS_CACHE_DECAY)) ok = decay_init(s, &s->technique[s->n++]);
    if (ok && savings_has(s, SAVINGS_MASK_ACCESS)) ok = mask_init(s, &s->technique[s->n++]);
    if (ok && savings_has(s, SAVINGS_TRIC)) ok = tric_init(s, &s->technique[s->n++]);
    if (ok && savings_has(s, SAVINGS_PARTITION)) ok = partition_init(s, &s->technique[s->n++]);
    if (ok && savings_has(s, SAVINGS_RF_CACHE)) ok = rf_cache_init(s, &s->technique[s->n++]);
    if (savings_has(s, SAVINGS_COMA)) coma_init(s, &s->technique[s->n++]);
    if (!ok) {
        savings_sm_destroy(s);
        return NULL;
    }
    if (savings_has(s, SAVINGS_ORIGAMI_SCHEDULER)) origami_init(s, &s->technique[s->n++]);
    return s;
}

struct gating *savings_gating(struct savings_sm *s) { return &s->gating; }
struct lanes *savings_lanes(struct savings_sm *s) { return &s->lanes; }

void savings_sm_destroy(struct savings_sm *s) {
    if (s != NULL) {
        meters_free(s->meters);
        drowsy_free(s->drowsy);
        decay_free(s->decay);
        mask_free(s->mask);
        tric_free(s->tric);
        partition_free(s->partition);
        rf_cache_free(s->rf_cache);
    }
    ww_free_aligned(s);
}

const char *savings_sm_wrong(const struct savings_sm *s) {
    return s->lanes.worked_off ? "a lane that was off was given work: please report it with the "
                                 "technique, the GPU file and the program"
                               : NULL;
}

uint32_t savings_sm_techniques(const struct savings_sm *s, const struct sm_technique **list) {
    for (uint32_t i = 0; i < s->n; i++) list[i] = &s->technique[i];
    return s->n;
}
