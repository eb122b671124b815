// Which keys of a GPU file the power model sees: what gpu/config_keys.def says of each against what
// power_config_of does when the key moves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "gpu/fields.h"
#include "power/power_gpu.h"

static bool names_key(const char *keys, const char *path) {
    const size_t len = strlen(path);
    for (const char *p = keys; *p; p += strcspn(p, "|"), p += *p == '|')
        if (strcspn(p, "|") == len && strncmp(p, path, len) == 0) return true;
    return false;
}

static bool in_model(const char *path) {
    for (const struct power_key *k = power_keys; k->field; k++)
        if (names_key(k->keys, path)) return true;
    return false;
}

static bool sees_energy(const struct gpu_key *k) {
    return k->seen_by == CONFIG_ENERGY || k->seen_by == CONFIG_BOTH;
}

// Beside the model's fields: what pages say of a chip, what the supply of another clock follows
// (the model sees that supply), and classes whose time is not their lanes'.
static bool is_said_only(const char *path) {
    static const char *const said[] = {
        "tech.die_mm2",    "tech.transistors_m", "tech.tdp_w",       "tech.idle_w",
        "tech.idle_what",  "tech.volts",         "tech.volt_rise",   "tech.volt_floor",
        "tech.connectors_6", "tech.connectors_8", "board.power_limit", "board.clock_step",
        "board.clock_least"};
    for (size_t i = 0; i < WW_COUNT(said); i++)
        if (strcmp(said[i], path) == 0) return true;
    return strncmp(path, "sm.timing.", 10) == 0;
}

static void tables_agree(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    const struct gpu_key *key;
    const uint32_t n = gpu_config_keys(&a, &key);
    for (uint32_t i = 0; i < n; i++) {
        const bool model = in_model(key[i].path);
        if (model && !sees_energy(&key[i])) fail_msg("%s is seen by the power model", key[i].path);
        if (sees_energy(&key[i]) && !model && !is_said_only(key[i].path))
            fail_msg("%s: the power model does not see it", key[i].path);
    }
    for (const struct power_key *k = power_keys; k->field; k++) { // each key exists
        for (const char *p = k->keys; *p; p += strcspn(p, "|"), p += *p == '|') {
            char path[128];
            bool found = false;
            snprintf(path, sizeof path, "%.*s", (int)strcspn(p, "|"), p);
            for (uint32_t i = 0; i < n; i++) found |= strcmp(key[i].path, path) == 0;
            if (!found) fail_msg("%s of %s is no key", path, k->field);
        }
    }
    arena_free(&a);
}

static bool power_of(const char *set, struct power_config *out) {
    struct diags d;
    static struct gpu_config g; // its name stays where out->name points
    diags_init(&d);
    const char *const sets[] = {set};
    const bool ok = gpu_config_load("gtx480", sets, set ? 1 : 0, &d, &g) == WW_OK &&
                    power_config_of(&g, out, &d) == WW_OK;
    diags_free(&d);
    return ok;
}

// Whether a field that `path` is said to move moved; with path NULL: any field.
static bool moved(const struct power_config *a, const struct power_config *b, const char *path) {
    bool any = false;
    const struct power_key *k = power_keys;
#define DIFFERS(differs)       any = any || ((!path || names_key(k->keys, path)) && (differs)), k++;
#define FIELD(type, name, ...) DIFFERS(a->name != b->name)
#define KEY(type, name, ...)   DIFFERS(a->name != b->name)
#define CACHE(name, ...)       DIFFERS(memcmp(&a->name, &b->name, sizeof a->name) != 0)
#include "power/config.def"
    return any;
}

// Each key alone, set to other values: what timing alone sees moves no field, what the model is
// said to see moves one of its fields.
static void keys_move(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    struct gpu_config g;
    struct diags d;
    diags_init(&d);
    assert_int_equal(gpu_config_load("gtx480", NULL, 0, &d, &g), WW_OK);
    struct power_config plain, other;
    assert_true(power_of(NULL, &plain));
    const struct gpu_key *key;
    const uint32_t n = gpu_config_keys(&a, &key);
    unsigned quiet = 0, seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        char value[64], set[256];
        if (!gpu_config_get(&g, key[i].path, value, sizeof value)) continue;
        const double v = strtod(value, NULL);
        const double tries[] = {2 * v, v / 2, v + 1, v - 1, 16, 0.5, 0.9 * v};
        bool tried = false, has_moved = false;
        for (uint32_t t = 0; t < WW_COUNT(tries); t++) {
            if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
                snprintf(set, sizeof set, "%s=%s", key[i].path, *value == 't' ? "false" : "true");
            else
                snprintf(set, sizeof set, "%s=%.9g", key[i].path, tries[t]);
            if (tries[t] == v && *value != 't' && *value != 'f') continue;
            if (!power_of(set, &other)) continue;
            tried = true;
            if (key[i].seen_by == CONFIG_TIMING && moved(&plain, &other, NULL))
                fail_msg("%s moves the power model", set);
            has_moved = has_moved || moved(&plain, &other, key[i].path);
        }
        quiet += tried && key[i].seen_by == CONFIG_TIMING;
        if (!tried || !in_model(key[i].path)) continue;
        seen++;
        // gtx480's file says how many double-precision lanes and texture units there are
        if (!has_moved && strcmp(key[i].path, "sm.dp_units") != 0 &&
            strcmp(key[i].path, "sm.timing.dp_fma.interval") != 0 &&
            strcmp(key[i].path, "sm.timing.tex.interval") != 0 &&
            strcmp(key[i].path, "memory_bytes") != 0) // tells sheets of DDR3 apart
            fail_msg("%s moves no field that names it", key[i].path);
    }
    print_message("%u keys of timing moved nothing, %u moved the model\n", quiet, seen);
    assert_true(quiet > 120 && seen > 60);
    diags_free(&d);
    arena_free(&a);
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_agree), cmocka_unit_test(keys_move)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
