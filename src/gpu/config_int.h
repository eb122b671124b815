// Between the parts of the configuration: one walk over all keys (config_schema.c) that loading,
// listing, printing and overriding share, and the place a value came from (config.c).
#ifndef WW_CONFIG_INT_H
#define WW_CONFIG_INT_H

#include "gpu/fields.h"

enum config_type { CONFIG_UINT, CONFIG_NUM, CONFIG_BOOL, CONFIG_ENUM, CONFIG_TEXT };

// One key as the walk meets it. `text` is what the walked layer says, NULL when it does not.
struct config_key {
    uint32_t index; // 0, 1, ... in walking order
    const char *path; // "sm.l1d.ways"; lives during the visit
    enum config_type type;
    const char *fallback; // text of the default, NULL when the key is needed
    double low, high;
    const char *unit, *prose;
    enum config_seer seen_by;
    const char *const *names; // CONFIG_ENUM: in order of value
    uint32_t n_names;
    const char *text;
    void *value; // field of the configuration
    size_t bytes; // its size
};
typedef void config_visit_fn(void *user, const struct config_key *k);
struct raw_top; // one layer as libcyaml read it: every leaf is text
// `raw` may be NULL (no texts), `c` too (no values).
void config_walk(const struct raw_top *raw, struct gpu_config *c, config_visit_fn *fn, void *user);

// One YAML text. `file` is what messages call it.
struct config_layer {
    const char *file, *text;
    size_t len;
    struct raw_top *raw;
    const struct ww_allocator *allocator;
};
// Reads layer->text into layer->raw by the schema: unknown keys, keys twice, a value where a
// section belongs and broken YAML are refused with line and column.
enum ww_status config_layer_parse(struct config_layer *layer, struct diags *d);
void config_layer_free(struct config_layer *layer);
const char *config_layer_base(const struct config_layer *layer); // `base:`, or NULL
// What the file says of "core.clock_mhz" or "core.vdd", which are no keys (config_derived.def), or
// NULL.
const char *config_layer_core(const struct config_layer *layer, const char *name);
// `sources:`, the list of tags that comments name.
uint32_t config_layer_source_count(const struct config_layer *layer);
const char *config_layer_source(const struct config_layer *layer, uint32_t i, const char **text);
// Where a dotted key stands in YAML text (block style, or a flow mapping on one line).
bool config_find_line(const char *text, const char *path, uint32_t *line, uint32_t *col);

// ---- renamed.c: old names of keys ---------------------------------------------------------------
// The name of today of a key's old one, else NULL; an old name of a key of today, else NULL.
// Options of techniques are called as in -s: "savings.break_even".
const char *config_key_now(const char *key, size_t len);
const char *config_key_old(const char *key);
// Says, once a place, what the old name `key` is called now; refuses it where the new name is given
// too. `text` may be NULL.
enum ww_status config_renamed_note(const char *file, const char *text, const char *key,
                                   bool has_both, struct diags *d);
// The overrides by their names of today, in the arena.
enum ww_status config_rename_overrides(struct arena *a, const char *const *overrides, uint32_t n,
                                       struct diags *d, const char *const **out);

// Folders with files of a kind: those of an environment variable (':' between),
// share/warpwatt/folder beside the program's or library's own folder, the source tree it was built
// from.
struct config_places {
    char dir[16][GPU_PATH_BYTES];
    uint32_t n;
};
void config_find_places(struct config_places *p, const char *variable, const char *folder);

// Where values came from, for the checks of combinations.
struct config_origin {
    const struct config_layer *layers;
    uint32_t n_layers;
    const uint16_t *layer_of; // by key index; UINT16_MAX: default
    const char *const *paths; // by key index
    uint32_t n_keys;
};
// What is wrong with the text of `tech.volts`, as the rest of a sentence about the key: true and a
// text, or false.
bool supply_trouble(const char *text, char *out, size_t size);
// The checks that no single key can fail. `o` may be NULL.
enum ww_status config_check(const struct gpu_config *c, const struct config_origin *o,
                            struct diags *d);

#endif
