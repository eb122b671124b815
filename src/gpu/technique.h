// Technique files (savings/NAME.yaml), and a GPU with techniques.
#ifndef WW_GPU_TECHNIQUE_H
#define WW_GPU_TECHNIQUE_H

#include "base/base.h"

struct gpu_config;
struct savings;

// A technique file: savings/NAME.yaml. Texts live in the arena that it was read into.
struct technique {
    const char *name, *path, *description, *paper;
    const char **mechanism;
    struct technique_value { const char *name, *value, *source; } *gpu, *option;
    uint32_t n_mechanisms, n_gpu, n_options;
    bool broken; // in a list: the file does not load, and holds nothing but its name and path
};
// What a technique in a file is called: the file's name without its folder and `.yaml`.
const char *technique_name(struct arena *a, const char *name_or_path);
// Reads "warped-gates" (looked for in $WARPWATT_SAVINGS, share/warpwatt/savings, the source tree)
// or a path to a YAML file. Unknown keys, options and mechanisms are refused.
enum ww_status technique_load(struct arena *a, const char *name_or_path, struct diags *d,
                              struct technique *out);
// All there are, by name. A file that does not load is in the list as broken, with its sentence in
// the diagnostics.
enum ww_status technique_list(struct arena *a, struct technique **list, uint32_t *n,
                              struct diags *d);
// A GPU with techniques: `names` is "none", NULL, or names with `+` between; `overrides` are keys
// of the GPU file and, as "savings.NAME=VALUE", options. What a technique says of the GPU (its
// scheduler) counts less than an override. `*s` has no mechanisms when there is nothing to run
// with. A caller that asks only whether they go together gives NULL for `s`.
enum ww_status technique_configure(const char *gpu, const char *names, const char *const *overrides,
                                   uint32_t n_overrides, struct diags *d, struct gpu_config *c,
                                   struct savings *s);

#endif
