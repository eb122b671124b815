// Old names of keys (renamed.def): what takes a key takes its old name too, with a note. Both names
// at once are refused.
#include "gpu/config_int.h"

static const struct renamed {
    const char *section, *old, *now;
} rows[] = {
#define RENAMED(section, old, now) {#section ".", #section "." #old, #section "." #now},
#include "gpu/renamed.def"
#undef RENAMED
};

static bool is_name(const char *key, size_t len, const char *name) {
    return strlen(name) == len && strncmp(name, key, len) == 0;
}

const char *config_key_now(const char *key, size_t len) {
    for (size_t i = 0; i < WW_COUNT(rows); i++)
        if (is_name(key, len, rows[i].old)) return rows[i].now;
    return NULL;
}

const char *config_key_old(const char *key) {
    for (size_t i = 0; i < WW_COUNT(rows); i++)
        if (strcmp(key, rows[i].now) == 0) return rows[i].old;
    return NULL;
}

enum ww_status config_renamed_note(const char *file, const char *text, const char *key,
                                   bool has_both, struct diags *d) {
    const char *const now = config_key_now(key, strlen(key));
    uint32_t line = 0, col = 0;
    if (text) config_find_line(text, key, &line, &col);
    if (has_both)
        return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, file, text, line, col,
                       "%s is the old name of %s, and both are given", key, now);
    for (uint32_t i = 0; i < d->list.n; i++) { // once a place
        const struct diag *const said = &d->list.at[i];
        if (said->severity == DIAG_NOTE && said->line == line && said->file && file &&
            strcmp(said->file, file) == 0 && strstr(said->text, key))
            return WW_OK;
    }
    diag_at(d, DIAG_NOTE, WW_OK, file, NULL, line, col, "%s is now called %s", key, now);
    return WW_OK;
}

enum ww_status config_rename_overrides(struct arena *a, const char *const *overrides, uint32_t n,
                                       struct diags *d, const char *const **out) {
    const char **const renamed = arena_alloc(a, (n + 1) * sizeof *renamed);
    *out = renamed;
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        const size_t len = strcspn(overrides[i], "=");
        const char *const now = config_key_now(overrides[i], len);
        renamed[i] = now ? arena_printf(a, "%s%s", now, overrides[i] + len) : overrides[i];
        if (!now) continue;
        bool has_both = false;
        for (uint32_t k = 0; k < n; k++)
            has_both |= is_name(overrides[k], strcspn(overrides[k], "="), now);
        s = config_renamed_note(arena_printf(a, "-s %s", overrides[i]), NULL,
                                arena_strndup(a, overrides[i], len), has_both, d);
    }
    return s;
}
