// index.html of a run: the template with the content as JSON, the chart library and the script in
// it, so that one file opens anywhere.
#include "view/view.h"

#include "report/template.h"

#include <stdlib.h>

struct parts { // of the page
    const char *title, *chart, *script;
    const json_t *data;
};

static void put_part(void *user, const char *name, FILE *f) {
    const struct parts *p = user;
    if (strcmp(name, "title") == 0) template_html(f, p->title);
    if (strcmp(name, "data") == 0)
        template_json(f, p->data, JSON_COMPACT | JSON_REAL_PRECISION(12));
    if (strcmp(name, "chart") == 0) fputs(p->chart, f);
    if (strcmp(name, "script") == 0) fputs(p->script, f);
}

enum ww_status page_write_runs(struct arena *a, const struct view_input *in, uint32_t n,
                               const char *folder, const char *path, struct diags *d) {
    char *page, *chart, *script;
    size_t page_len, chart_len, script_len, len = 0;
    enum ww_status s =
        file_read(a, arena_printf(a, "%s/run.html", folder), 1 << 20, &page, &page_len, d);
    if (s == WW_OK)
        s = file_read(a, arena_printf(a, "%s/run.js", folder), 1 << 20, &script, &script_len, d);
    if (s == WW_OK)
        s = file_read(a, arena_printf(a, "%s/chart.min.js", folder), 8 << 20, &chart, &chart_len,
                      d);
    if (s != WW_OK) return s;
    char *text = NULL;
    FILE *f = open_memstream(&text, &len);
    if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    json_t *all = json_array();
    for (uint32_t i = 0; i < n; i++) json_array_append_new(all, view_json(a, &in[i]));
    struct parts parts = {.title = in[0].title, .chart = chart, .script = script, .data = all};
    template_fill(page, put_part, &parts, f);
    json_decref(all);
    if (fclose(f) != 0)
        s = diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    else
        s = file_write_atomic(path, text, len, d);
    free(text);
    return s;
}
