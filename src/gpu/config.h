// A GPU as its file describes it: reading, asking by key, listing, printing.
#ifndef WW_GPU_CONFIG_H
#define WW_GPU_CONFIG_H

#include "base/base.h"

struct gpu_config; // its fields: fields.h

enum { GPU_NAME_BYTES = 64, GPU_TEXT_BYTES = 256, GPU_PATH_BYTES = 1024 };

// An empty configuration, and a copy of one, in the arena.
struct gpu_config *gpu_config_new(struct arena *a);
struct gpu_config *gpu_config_copy(struct arena *a, const struct gpu_config *c);
// The name of the file without .yaml ("gtx480").
const char *gpu_config_name(const struct gpu_config *c);
uint32_t gpu_config_arch(const struct gpu_config *c); // compute capability: 75 is 7.5
// What the files say of clock and supply before options, or a section `core`, change them; 0 in a
// configuration made by hand.
double gpu_config_file_mhz(const struct gpu_config *c);
double gpu_config_file_v(const struct gpu_config *c);

// ---- one value ----------------------------------------------------------------------------------
// By the key that stands in GPU files ("sm.l1d.ways"). A key that no configuration has, or whose
// value is of another kind, is an error of the caller. A test finds it: it asks every key that stands
// as a text in such a call, or in GPU_KEY, in a table.
#define GPU_KEY(text) text
uint64_t gpu_config_count(const struct gpu_config *c, const char *key); // a whole number
double gpu_config_real(const struct gpu_config *c, const char *key);    // any number
void gpu_config_put_real(struct gpu_config *c, const char *key, double value); // unchecked
bool gpu_config_flag(const struct gpu_config *c, const char *key);
const char *gpu_config_word(const struct gpu_config *c, const char *key); // a text, or a choice's name
uint32_t gpu_config_choice(const struct gpu_config *c, const char *key);  // a choice's place

// ---- all of it ----------------------------------------------------------------------------------
// Reads "gtx480" (looked for in the search path) or a path to a YAML file, its bases, then
// `overrides` ("sm.schedulers=4"; "core.clock_mhz=500" moves the clocks of lanes, network and L2
// with the core's, "core.vdd=0.9" is tech.vdd_v). A core clock that an override changes takes the
// supply with it (gpu_supply_at), unless an override names one. Unknown keys, wrong types, impossible
// combinations: refused with file and line. `out` is plain data.
enum ww_status gpu_config_load(const char *name_or_path, const char *const *overrides,
                               uint32_t n_overrides, struct diags *d, struct gpu_config *out);
// The same checks for a configuration that was made by hand.
enum ww_status gpu_config_check(const struct gpu_config *c, struct diags *d);
// Refuses the value of a key that somebody else (the power model) cannot work with: the diagnostic
// points at the line of the file that set it, or names the option. Answers WW_ERROR_CONFIG.
enum ww_status gpu_config_refuse(const struct gpu_config *c, const char *key, struct diags *d,
                                 const char *fmt, ...) WW_PRINTF(4, 5);
// Published points of a board's supply (`tech.volts`). n is 0 where there are none.
enum { GPU_SUPPLY_POINTS = 16 };
struct gpu_supply_points {
    uint32_t n;
    double mhz[GPU_SUPPLY_POINTS], v[GPU_SUPPLY_POINTS];
};
void gpu_supply_points(const struct gpu_config *c, struct gpu_supply_points *out);
// The supply in V that the board gives its chip at a core clock, a tenth of a millivolt upwards; the
// file's own clock has the file's own supply. By `tech.volts`: straight lines between points, the
// lowest point's supply below it, 0 above the highest. Without points, or where they end below the
// file's own clock: the clock to the power of `tech.volt_rise`, at least `tech.volt_floor` of the
// file's supply. 0 also above 2 V, which no key takes.
double gpu_supply_at(const struct gpu_config *c, double core_mhz);
// The least supply that gpu_supply_at gives.
double gpu_supply_least(const struct gpu_config *c);
// Whether the supply is not the file's own but that of the changed clock: no option named one.
bool gpu_supply_follows(const struct gpu_config *c);
// GPU files that are there, sorted by name. Search path: $WARPWATT_GPUS (directories, ':' between),
// share/warpwatt/gpus beside the program's or library's own folder, the source tree it was built
// from.
struct gpu_listing { const char *name, *path, *description; };
enum ww_status gpu_config_list(struct arena *a, struct gpu_listing **list, uint32_t *n,
                               struct diags *d);
// Every key with its unit and prose, for `warpwatt gpus --keys` and the reference page.
enum config_seer { CONFIG_NOBODY, CONFIG_TIMING, CONFIG_ENERGY, CONFIG_BOTH };
struct gpu_key {
    const char *path, *type, *unit, *prose;
    enum config_seer seen_by;
    const char *range;    // "1 to 64", "" where the type says it
    const char *fallback; // NULL: the file must say it
};
uint32_t gpu_config_keys(struct arena *a, const struct gpu_key **keys);
// Rules between keys (config_rules.def): of which section, which keys ('|' between), what must hold,
// as C. The last has no section.
struct gpu_rule { const char *section, *keys, *holds; };
extern const struct gpu_rule gpu_rules[];
// What follows from a key (config_derived.def): `key` moves when `from` is set, or is another name
// of it. The last has no key.
struct gpu_derived { const char *key, *from, *how; };
extern const struct gpu_derived gpu_derived[];
// Names that set keys without being some, for -s and in a file's section `core`.
enum { GPU_SHORTHANDS = 2 };
extern const struct gpu_key gpu_shorthands[GPU_SHORTHANDS];
// One value as text ("48", "gto"); false when there is no such key.
bool gpu_config_get(const struct gpu_config *c, const char *key, char *buf, size_t size);
// Each key with its value as text, in the order of gpu_config_keys; one pass, where gpu_config_get takes one a key.
void gpu_config_each(const struct gpu_config *c,
                     void (*fn)(void *user, const char *path, enum config_seer seen_by, const char *value),
                     void *user);
// The whole configuration as YAML that gpu_config_load reads back.
void gpu_config_print(const struct gpu_config *c, FILE *out);

#endif
