// The probe's options, which `run` and `report` share, and its file.
#include "cli/cli.h"

#include <stdlib.h>

enum ww_status cli_measured_at(struct cli *c, const char *value, struct probe_options *o) {
    uint64_t ns = 0;
    const enum ww_status s = cli_time(c, "--measured-at", value, &ns);
    o->measured_from_s = (double)ns * 1e-9;
    return s;
}

const char *cli_probe_wrong(const struct probe_options *o, bool has_power) {
    if (o->hz > 0)
        return has_power ? NULL
                         : "--probe shows power: it goes with neither --functional nor --no-power";
    if (o->measured || o->measured_from_s > 0)
        return "--measured and --measured-at go with --probe RATE, which says at what rate ours is "
               "sampled";
    return NULL;
}

enum ww_status cli_probe_csv(struct cli *c, const struct probe *p, const char *path) {
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f) return diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory for %s", path);
    probe_csv(p, f);
    enum ww_status s = WW_OK;
    if (fclose(f) != 0)
        s = diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory for %s", path);
    else
        s = file_write_atomic(path, text, len, &c->diags);
    free(text);
    return s;
}
