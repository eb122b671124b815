// `warpwatt report`: the page of a run, made again from what `run -o DIR` left there; of several
// runs, beside each other.
#include "cli/how.h"
#include "view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_RUNS = 64 }; // on a page
enum { OPT_OUT, OPT_JSON, OPT_PROBE, OPT_MEASURED, OPT_MEASURED_AT };
static const struct cli_option options[] = {
    {"--out", 'o', "FILE",
     "where the page goes (default: index.html in the first DIR; of several, compare.html)", CLI_FILE},
    {"--json", 0, NULL, "the content of the page as JSON on standard output instead"},
    CLI_PROBE_OPTION,
    CLI_MEASURED_OPTION,
    CLI_MEASURED_AT_OPTION,
};

const struct cli_spec spec_report = {
    .name = "report",
    .form = {"[options] DIR [DIR ...]"},
    .prose =
        "Makes the page of a run from the files that `warpwatt run -o DIR` left (record.jsonl\n"
        "and gpu.yaml), also of a run that was killed. With two, one page shows both, every "
        "number\n"
        "with its change from the second; with more, a table of all, and the page lets any be\n"
        "shown and any be the base. Refuses files that were changed or are of different runs.",
    .part = {CLI_PART(options)},
    .word = CLI_FOLDER,
};

enum ww_status report_write(struct cli *c, const struct view_input *in, const char *dir) {
    const char *folder = study_page_folder(c);
    if (!folder) return WW_ERROR_IO;
    const enum ww_status s =
        database_write(&c->arena, in, arena_printf(&c->arena, "%s/results.sqlite", dir), &c->diags);
    if (s != WW_OK) return s;
    return page_write_runs(&c->arena, in, 1, folder, arena_printf(&c->arena, "%s/index.html", dir),
                           &c->diags);
}

// ---- reading a run back -------------------------------------------------------------------------
struct kept {
    struct run run;
    struct power_model model;
    struct account power;
    struct activity_file file;
    struct probe probe;
    char why[512];
};

static enum ww_status read_kept(struct cli *c, const char *dir, const struct probe_options *probe,
                                struct kept *k, struct view_input *in) {
    struct gpu_config *const gpu = gpu_config_new(&c->arena);
    const char *record, *unfinished = NULL;
    enum ww_status s = run_folder_record(c, dir, &record);
    if (s == WW_OK) s = run_read(record, &c->diags, &k->run);
    if (s == WW_OK) s = run_folder_check(c, record, &k->run, &unfinished);
    const char *const slash_of = s == WW_OK ? strrchr(record, '/') : NULL;
    if (s == WW_OK)
        s = gpu_config_load(
            arena_printf(&c->arena, "%.*s/gpu.yaml", (int)(slash_of - record), record), NULL, 0,
            &c->diags, gpu);
    if (s != WW_OK) return s;
    if (unfinished) fprintf(stderr, "warpwatt: %s: %s\n", dir, unfinished);
    struct diags d;
    diags_init(&d);
    const bool has_power =
        power_model_of(gpu, &d, &k->model) == WW_OK && json_array_size(k->run.launches) &&
        power_account_of_run(c, &k->model, &k->run, &d, &k->power, &k->file) == WW_OK;
    if (!has_power) diags_first(&d, k->why, sizeof k->why);
    diags_free(&d);
    const char *program = json_string_value(json_object_get(k->run.header, "program")),
               *slash = program ? strrchr(program, '/') : NULL;
    *in = (struct view_input){.title = slash     ? slash + 1
                                       : program ? program
                                                 : dir,
                              .name = dir,
                              .run = &k->run,
                              .gpu = gpu,
                              .power = has_power ? &k->power : NULL,
                              .no_power = *k->why ? k->why : NULL,
                              .unfinished = unfinished,
                              .check = 0};
    if (probe->hz == 0) return WW_OK;
    if (!has_power)
        return diag_add(&c->diags, WW_ERROR_USAGE, "--probe: the run in %s has no power", dir);
    in->probe = &k->probe;
    return probe_make(&c->arena, &k->run, &k->power, gpu, probe, &c->diags, &k->probe);
}

static enum ww_status print_json(struct cli *c, const struct view_input *in) {
    json_t *o = view_json(&c->arena, in);
    json_dumpf(o, stdout, JSON_INDENT(1));
    fputc('\n', stdout);
    json_decref(o);
    return WW_OK;
}

// `out` NULL: beside the first run.
static enum ww_status write_page(struct cli *c, const struct view_input *in, uint32_t n,
                                 const char *dir, const char *out) {
    const char *folder = study_page_folder(c);
    if (!folder) return WW_ERROR_IO;
    if (!out) out = arena_printf(&c->arena, "%s/%s", dir, n > 1 ? "compare.html" : "index.html");
    const enum ww_status s = page_write_runs(&c->arena, in, n, folder, out, &c->diags);
    if (s == WW_OK) printf("%s\n", out);
    return s;
}

// How much of their names folders have in common, up to and with a slash.
static size_t common_folder(const char *const *dir, uint32_t n) {
    size_t common = 0;
    for (size_t at = 0; dir[0][at]; at++) {
        for (uint32_t i = 1; i < n; i++)
            if (dir[i][at] != dir[0][at]) return common;
        if (dir[0][at] == '/' && dir[0][at + 1]) common = at + 1;
    }
    return common;
}

int cmd_report(struct cli *c, int argc, char **argv) {
    const char *dir[MAX_RUNS], *out = NULL, *value;
    uint32_t n = 0;
    bool json = false;
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    struct probe_options probe = {0};
    enum ww_status s = WW_OK;
    for (int o; s == WW_OK && (o = cli_next(&args, &spec_report, &value)) != CLI_END;) {
        switch (o) {
        case CLI_STOP: return args.code;
        case CLI_WORD:
            if (n == MAX_RUNS) return cli_usage("a page of at most %d runs: `%s` is too much", MAX_RUNS, value);
            dir[n++] = value;
            break;
        case OPT_OUT: out = value; break;
        case OPT_PROBE: s = probe_options_parse(&c->arena, value, &c->diags, &probe); break;
        case OPT_MEASURED: probe.measured = value; break;
        case OPT_MEASURED_AT: s = cli_measured_at(c, value, &probe); break;
        default: json = true; break;
        }
    }
    if (s != WW_OK) return cli_fail(c, s);
    const char *const wrong = cli_probe_wrong(&probe, true);
    if (wrong) return cli_usage("%s", wrong);
    if (!n) return cli_usage("report of what? the folder of a run: `warpwatt run -o DIR ...`");
    if (json && n > 1) return cli_usage("--json is of one run");
    struct kept *kept = arena_alloc(&c->arena, n * sizeof *kept);
    struct view_input *in = arena_alloc(&c->arena, n * sizeof *in);
    for (uint32_t i = 0; i < n && s == WW_OK; i++)
        s = read_kept(c, dir[i], &probe, &kept[i], &in[i]);
    for (uint32_t i = 0; i < n && n > 1 && s == WW_OK; i++) in[i].name += common_folder(dir, n);
    if (s == WW_OK) s = json ? print_json(c, &in[0]) : write_page(c, in, n, dir[0], out);
    for (uint32_t i = 0; i < n; i++) run_release(&kept[i].run);
    return s == WW_OK ? 0 : cli_fail(c, s);
}
