// Names, options and combinations of techniques, and the making of those of an SM: all by the
// parts' own descriptions.
#include <assert.h>

#include "savings/savings_int.h"
#include "sm/config.h"

static const struct savings_part *const parts[SAVINGS_PARTS] = {
#define MECHANISM(file) [SAVINGS_##file] = &part_##file,
#define SHARED(file)    [SAVINGS_##file] = &part_##file,
#include "savings/mechanism.def"
#undef SHARED
#undef MECHANISM
};

// ---- tables ------------------------------------------------------------------------------------
struct savings_mechanism_info savings_mechanism(uint32_t id) {
    return (struct savings_mechanism_info){parts[id]->name, parts[id]->what, parts[id]->paper};
}

const struct savings_part *savings_part(uint32_t id) { return parts[id]; }

uint32_t savings_users(uint32_t id) {
    if (id < SAVINGS_MECHANISMS) return 1u << id;
    uint32_t users = 0;
    for (uint32_t m = 0; m < SAVINGS_MECHANISMS; m++)
        for (uint32_t i = 0; i < PART_MAX_USES; i++)
            users |= (uint32_t)(parts[m]->uses[i] == parts[id]) << m;
    return users;
}

struct savings_option_info savings_option_at(uint32_t i) {
    for (uint32_t id = 0; id < SAVINGS_PARTS; id++) {
        if (i < parts[id]->options.n)
            return (struct savings_option_info){&parts[id]->options.row[i], savings_users(id)};
        i -= parts[id]->options.n;
    }
    return (struct savings_option_info){NULL, 0};
}

// Kept results have their lists and sums in these orders, and sums of floating-point numbers depend
// on theirs. What is not named follows, in the order of mechanism.def.
static const uint8_t sums[] = {SAVINGS_lanes,       SAVINGS_gating,       SAVINGS_shift,
                               SAVINGS_gates,       SAVINGS_drowsy_lines, SAVINGS_cache_decay,
                               SAVINGS_mask_access, SAVINGS_tric,         SAVINGS_coma,
                               SAVINGS_registers,   SAVINGS_partition,    SAVINGS_rf_cache};
static const uint8_t hardware[] = {SAVINGS_shift,        SAVINGS_origami_scheduler,
                                   SAVINGS_gates,        SAVINGS_adaptive,
                                   SAVINGS_gating,       SAVINGS_lanes,
                                   SAVINGS_drowsy_lines, SAVINGS_cache_decay,
                                   SAVINGS_mask_access,  SAVINGS_tric,
                                   SAVINGS_coma,         SAVINGS_partition,
                                   SAVINGS_rf_cache};
static const uint8_t lines[] = {SAVINGS_gating,    SAVINGS_lines, SAVINGS_mask_access,
                                SAVINGS_registers, SAVINGS_coma,  SAVINGS_partition,
                                SAVINGS_rf_cache,  SAVINGS_shift, SAVINGS_front_end_sharing,
                                SAVINGS_gates};
static_assert((int)SAVINGS_PARTS < 64, "a set of parts is a mask");

void savings_order(enum savings_list list, uint32_t id[SAVINGS_PARTS]) {
    static const struct {
        const uint8_t *first;
        uint32_t n;
    } order[] = {
        [SAVINGS_SUMS] = {sums, WW_COUNT(sums)},
        [SAVINGS_HARDWARE] = {hardware, WW_COUNT(hardware)},
        [SAVINGS_LINES] = {lines, WW_COUNT(lines)},
    };
    uint64_t left = (1ull << SAVINGS_PARTS) - 1;
    uint32_t n = 0;
    for (; n < order[list].n; n++) {
        id[n] = order[list].first[n];
        left &= ~(1ull << id[n]);
    }
    FOR_EACH_BIT64(i, left) id[n++] = (uint32_t)i;
}

// ---- counters ----------------------------------------------------------------------------------
// Where lists have them, in this order; of parts that are not named, last.
static const struct { uint8_t id; enum act_place place; } counted[] = {
    {SAVINGS_tric, ACT_PLACE_REGISTERS},      {SAVINGS_coma, ACT_PLACE_REGISTERS},
    {SAVINGS_partition, ACT_PLACE_REGISTERS}, {SAVINGS_rf_cache, ACT_PLACE_REGISTERS},
    {SAVINGS_gating, ACT_PLACE_UNITS},        {SAVINGS_gates, ACT_PLACE_UNITS},
    {SAVINGS_adaptive, ACT_PLACE_UNITS},      {SAVINGS_lanes, ACT_PLACE_UNITS},
    {SAVINGS_warp_folding, ACT_PLACE_UNITS},  {SAVINGS_lane_shifting, ACT_PLACE_UNITS},
    {SAVINGS_shift, ACT_PLACE_UNITS},         {SAVINGS_origami_scheduler, ACT_PLACE_UNITS},
    {SAVINGS_lines, ACT_PLACE_LINES},         {SAVINGS_mask_access, ACT_PLACE_LINES},
    {SAVINGS_meters, ACT_PLACE_METERS},
};

// Numbers that a part takes.
static uint32_t numbers_of(const struct savings_part *p) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->counters.n; i++) {
        const struct act_own *const r = &p->counters.row[i];
        const uint32_t end = r->at + (r->n != 0 ? r->n : 1);
        n = end > n ? end : n;
    }
    return n;
}

uint32_t savings_counters(uint32_t id) {
    uint32_t first = ACT_SAVINGS_FIRST;
    for (uint32_t i = 0; i < id; i++) first += numbers_of(parts[i]);
    return first;
}

bool act_part(uint32_t i, struct act_part *out) {
    uint32_t id = i < WW_COUNT(counted) ? counted[i].id : 0;
    enum act_place place = i < WW_COUNT(counted) ? counted[i].place : ACT_PLACE_LAST;
    if (i >= WW_COUNT(counted)) {
        uint64_t left = (1ull << SAVINGS_PARTS) - 1;
        for (uint32_t k = 0; k < WW_COUNT(counted); k++) left &= ~(1ull << counted[k].id);
        for (uint32_t k = WW_COUNT(counted); k < i && left != 0; k++) left &= left - 1;
        if (left == 0) return false;
        id = bits_first64(left);
    }
    assert(savings_counters(SAVINGS_PARTS) <= ACT_N && "the numbers of this room suffice");
    *out = (struct act_part){.place = place,
                             .row = parts[id]->counters.row,
                             .n = parts[id]->counters.n,
                             .first = savings_counters(id)};
    return true;
}

// ---- options -----------------------------------------------------------------------------------
// Where an option's value stands, or UINT32_MAX.
static uint32_t find_option(const char *name) {
    uint32_t at = 0;
    for (uint32_t id = 0; id < SAVINGS_PARTS; id++)
        for (uint32_t i = 0; i < parts[id]->options.n && at < SAVINGS_MAX_OPTIONS; i++, at++)
            if (strcmp(parts[id]->options.row[i].name, name) == 0) return at;
    return UINT32_MAX;
}

uint32_t savings_value(const struct savings *s, const char *option) {
    const uint32_t i = find_option(option);
    assert(i < SAVINGS_MAX_OPTIONS && "an option that no part has");
    return i < SAVINGS_MAX_OPTIONS ? s->value[i] : 0;
}

void savings_set(struct savings *s, const char *option, uint32_t value) {
    const uint32_t i = find_option(option);
    assert(i < SAVINGS_MAX_OPTIONS && "an option that no part has");
    if (i < SAVINGS_MAX_OPTIONS) s->value[i] = value;
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

void savings_option_text(const struct savings_option *o, uint32_t value, char *text, size_t size) {
    if (o->names == NULL) {
        snprintf(text, size, "%u", value);
        return;
    }
    const char *p = o->names;
    for (uint32_t i = 0; i < value; i++) p += strcspn(p, " ") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(p, " "), p);
}

// The number that an option's text means.
static enum ww_status read_value(const struct savings_option *o, const char *value,
                                 const char *where, struct diags *d, uint32_t *out) {
    uint64_t n = 0;
    if (o->names != NULL) {
        *out = place_of(o->names, value);
        return *out != UINT32_MAX
                   ? WW_OK
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

static void name_mechanisms(uint32_t mask, char *text, size_t size) {
    size_t n = 0;
    text[0] = 0;
    FOR_EACH_BIT32(i, mask) {
        if (n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", parts[i]->name);
    }
}

static enum ww_status no_option(const char *name, const char *where, struct diags *d) {
    if (name[0] == 0) return diag_add(d, WW_ERROR_CONFIG, "%s: an option without a name", where);
    const char *names[SAVINGS_MAX_OPTIONS];
    uint32_t n = 0;
    for (; n < SAVINGS_MAX_OPTIONS && savings_option_at(n).is != NULL; n++)
        names[n] = savings_option_at(n).is->name;
    const int near = text_nearest(name, names, n);
    if (near >= 0)
        return diag_add(d, WW_ERROR_CONFIG, "%s: there is no option %s; did you mean %s?", where,
                        name, names[near]);
    return diag_add(d, WW_ERROR_CONFIG, "%s: techniques have no option %s", where, name);
}

static enum ww_status set_option(const struct savings_request *r, uint32_t at, struct diags *d,
                                 struct savings *s) {
    const char *const name = r->option[at].name, *const where = r->option[at].where;
    const uint32_t i = find_option(name);
    if (i == UINT32_MAX) return no_option(name, where, d);
    const struct savings_option_info o = savings_option_at(i);
    const enum ww_status status = read_value(o.is, r->option[at].value, where, d, &s->value[i]);
    if (status != WW_OK) return status;
    if (!r->option[at].must_be_used || (s->mechanisms & o.mechanisms) != 0) return WW_OK;
    char of[256];
    name_mechanisms(o.mechanisms, of, sizeof of);
    return diag_add(d, WW_ERROR_CONFIG,
                    "%s: %s is an option of %s, and no such mechanism was chosen", where, name, of);
}

// ---- a technique -------------------------------------------------------------------------------
static enum ww_status find_mechanism(const char *name, const char *where, struct diags *d,
                                     uint32_t *out) {
    const char *names[SAVINGS_MECHANISMS];
    for (uint32_t i = 0; i < SAVINGS_MECHANISMS; i++) {
        names[i] = parts[i]->name;
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

// A part of a technique: a chosen mechanism, or what one uses.
static bool is_chosen(const struct savings *s, uint32_t id) {
    return (s->mechanisms & savings_users(id)) != 0;
}

// ... that has something to do in an SM.
static bool works_in_sm(const struct savings *s, uint32_t id) {
    const struct savings_part *const p = parts[id];
    return p->state_bytes != 0 && is_chosen(s, id) && (p->is_there == NULL || p->is_there(s));
}

static enum ww_status check_number(const struct savings *s, struct diags *d) {
    uint32_t n = 0;
    for (uint32_t id = 0; id < SAVINGS_PARTS; id++) n += works_in_sm(s, id);
    if (n <= SM_MAX_TECHNIQUES) return WW_OK;
    return diag_add(d, WW_ERROR_CONFIG, "an SM runs at most %u techniques, these are %u",
                    SM_MAX_TECHNIQUES, n);
}

static enum ww_status check_roles(const struct savings *s, struct diags *d) {
    static const struct {
        uint32_t role;
        const char *why;
    } one[] = {
        {ROLE_GATING, "each decides alone when a unit goes off and when it may wake"},
        {ROLE_ORDER, "each puts the same instructions into an order of its own"},
        {ROLE_WINDOW, "each sets the idle-detect window"},
        {ROLE_SUPPLY, "each sets the supply of register rows"},
        {ROLE_ACCESS, "each changes what the same access to a register bank switches"},
        {ROLE_LINES, "each decides alone in which state a line is"},
    };
    for (size_t i = 0; i < WW_COUNT(one); i++) {
        uint32_t have = 0;
        FOR_EACH_BIT32(m, s->mechanisms)
            if (parts[m]->roles & one[i].role) have |= 1u << m;
        if (bits_count32(have) < 2) continue;
        char text[256];
        name_mechanisms(have, text, sizeof text);
        return diag_add(d, WW_ERROR_CONFIG, "%s do not go together: %s", text, one[i].why);
    }
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
    for (uint32_t i = 0; i < SAVINGS_MAX_OPTIONS && savings_option_at(i).is != NULL; i++)
        s.value[i] = savings_option_at(i).is->value;
    for (uint32_t i = 0; i < r->n_options && status == WW_OK; i++) status = set_option(r, i, d, &s);
    if (status == WW_OK) status = check_roles(&s, d);
    for (uint32_t id = 0; id < SAVINGS_PARTS && status == WW_OK; id++)
        if (is_chosen(&s, id) && parts[id]->check != NULL) status = parts[id]->check(&s, c, d);
    if (status == WW_OK) status = check_number(&s, d);
    if (status == WW_OK) *out = s;
    return status;
}

bool savings_puts_away(const struct savings *s) {
    FOR_EACH_BIT32(m, s->mechanisms)
        if (parts[m]->close != NULL) return true;
    return false;
}

void savings_close(const struct savings *s, const struct sm_config *c, uint32_t sms,
                   uint64_t l2_lines, uint64_t cycles, struct activity *a) {
    FOR_EACH_BIT32(m, s->mechanisms)
        if (parts[m]->close != NULL) parts[m]->close(s, c, sms, l2_lines, cycles, a);
}

bool savings_wants_last_reads(const struct savings *s) {
    FOR_EACH_BIT32(m, s->mechanisms)
        if (parts[m]->wants_last_reads) return true;
    return false;
}

// ---- an SM's -----------------------------------------------------------------------------------
// False: out of memory.
static bool add_part(struct savings_sm *s, uint32_t id) {
    const struct savings_part *const p = parts[id];
    if (!works_in_sm(&s->set, id)) return true;
    assert(s->n < SM_MAX_TECHNIQUES);
    void *const self = s->state[id] = ww_alloc_aligned(p->state_bytes);
    if (self == NULL) return false;
    struct sm_technique *const t = &s->technique[s->n++];
    *t = p->ports;
    if (t->name == NULL) t->name = p->name;
    t->self = self;
    return p->make == NULL || p->make(s, self, t);
}

struct savings_sm *savings_sm_create(const struct savings *from, const struct sm_config *c) {
    static const enum savings_turn turns[SAVINGS_TURNS] = {TURN_UNITS, TURN_WINDOWS, TURN_ORDER,
                                                           TURN_LATER};
    struct savings_sm *const s = ww_alloc_aligned(sizeof *s);
    if (s == NULL) return NULL;
    s->set = *from;
    s->c = ww_alloc_aligned(sizeof *s->c);
    bool ok = s->c != NULL;
    if (ok) *s->c = *c;
    for (uint32_t i = 0; i < SAVINGS_TURNS; i++)
        for (uint32_t id = 0; ok && id < SAVINGS_PARTS; id++)
            if (parts[id]->turn == turns[i]) ok = add_part(s, id);
    if (ok) return s;
    savings_sm_destroy(s);
    return NULL;
}

void savings_sm_destroy(struct savings_sm *s) {
    for (uint32_t id = 0; s != NULL && id < SAVINGS_PARTS; id++) {
        if (s->state[id] == NULL) continue;
        if (parts[id]->unmake != NULL) parts[id]->unmake(s->state[id]);
        ww_free_aligned(s->state[id]);
    }
    if (s != NULL) ww_free_aligned(s->c);
    ww_free_aligned(s);
}

const char *savings_sm_wrong(const struct savings_sm *s) {
    for (uint32_t id = 0; id < SAVINGS_PARTS; id++) {
        if (s->state[id] == NULL || parts[id]->wrong == NULL) continue;
        const char *const wrong = parts[id]->wrong(s->state[id]);
        if (wrong != NULL) return wrong;
    }
    return NULL;
}

uint32_t savings_sm_techniques(const struct savings_sm *s, const struct sm_technique **list) {
    for (uint32_t i = 0; i < s->n; i++) list[i] = &s->technique[i];
    return s->n;
}
