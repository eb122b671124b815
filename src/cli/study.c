// `warpwatt study`, `studies`, `compare`: many runs, compared with what was published or with each
// other. The machinery is the study room's; here are the options, and where things lie.
#include "gpu/technique.h"
#include "cli/cli.h"

#include <jansson.h>

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "activity/activity.h"
#include "study/study.h"

// ---- where things lie -------------------------------------------------------------------------
struct finder {
    struct cli *c;
    struct workload *list;
    uint32_t n;
};

static enum ww_status find_workload(void *user, const char *name, const char *size, struct diags *d,
                                    struct study_program *out) {
    struct finder *f = user;
    if (!f->list) {
        const enum ww_status s = workloads_list(f->c, &f->list, &f->n);
        if (s != WW_OK) return s;
    }
    struct arena *a = &f->c->arena;
    const char **names = arena_alloc(a, (f->n + 1) * sizeof *names);
    const struct workload *w = NULL;
    for (uint32_t i = 0; i < f->n; i++) {
        names[i] = f->list[i].name;
        if (strcmp(f->list[i].name, name) == 0) w = &f->list[i];
    }
    if (!w) {
        const int near = text_nearest(name, names, f->n);
        if (near >= 0)
            return diag_add(d, WW_ERROR_USAGE, "no workload `%s`; did you mean `%s`?", name,
                            names[near]);
        return diag_add(d, WW_ERROR_USAGE, "no workload `%s`; `warpwatt workloads` lists them",
                        name);
    }
    if (!w->program)
        return diag_add(d, WW_ERROR_USAGE,
                        "workload %s was not built: its target of the build, workload_%s, needs "
                        "clang",
                        name, w->name);
    *out = (struct study_program){.name = w->name, .size = arena_strdup(a, size)};
    for (uint32_t i = 0; i < w->n_sizes; i++)
        if (strcmp(w->size[i].name, size) == 0) out->args = w->size[i].args;
    if (!out->args)
        return diag_add(d, WW_ERROR_USAGE,
                        "workload %s has no size `%s`; `warpwatt workloads %s` lists them", name,
                        size, name);
    out->file[out->n_files++] = w->program;
    const char *slash = strrchr(w->program, '/');
    glob_t g;
    if (glob(arena_printf(a, "%.*s/*.ptx", (int)(slash - w->program), w->program), 0, NULL, &g) !=
        0)
        return WW_OK;
    for (size_t i = 0; i < g.gl_pathc && out->n_files < WW_COUNT(out->file); i++)
        out->file[out->n_files++] = arena_strdup(a, g.gl_pathv[i]);
    globfree(&g);
    return WW_OK;
}

static const char *first_there(struct cli *c, const char *const *dir, size_t n, const char *probe) {
    for (size_t i = 0; i < n; i++)
        if (access(arena_printf(&c->arena, "%s/%s", dir[i], probe), R_OK) == 0) return dir[i];
    return NULL;
}

const char *study_page_folder(struct cli *c) {
    struct arena *a = &c->arena;
    const char *const page[] = {arena_printf(a, "%s/../share/warpwatt/page", c->exe_dir),
                                arena_printf(a, "%s/page", c->exe_dir)};
    const char *folder = first_there(c, page, WW_COUNT(page), "page.html");
    if (!folder)
        diag_add(&c->diags, WW_ERROR_IO,
                 "cannot find page.html beside %s/warpwatt; is the build complete?", c->exe_dir);
    return folder;
}

enum ww_status study_host_of(struct cli *c, struct study_host *host) {
    struct arena *a = &c->arena;
    struct finder *f = arena_alloc(a, sizeof *f);
    f->c = c;
    const char *lib = run_library_folder(c);
    if (!lib) return WW_ERROR_IO;
    *host = (struct study_host){.user = f,
                                .find = find_workload,
                                .self = arena_printf(a, "%s/warpwatt", c->exe_dir),
                                .library = arena_printf(a, "%s/libcuda.so.1", lib),
                                .page = study_page_folder(c),
                                .terminal = isatty(STDERR_FILENO),
                                .colour = c->colour};
    if (!host->page) return WW_ERROR_IO;
    return study_host_build(a, host, &c->diags);
}

static const char *const *study_folders(struct cli *c, size_t *n) {
    const char **dir = arena_alloc(&c->arena, 3 * sizeof *dir);
    *n = 0;
    const char *own = getenv("WARPWATT_STUDIES");
    if (own && *own) dir[(*n)++] = own;
    dir[(*n)++] = arena_printf(&c->arena, "%s/../share/warpwatt/studies", c->exe_dir);
    dir[(*n)++] = WW_SOURCE_DIR "/studies";
    return dir;
}

// Reads a study by name or path; published.csv lies beside it, or beside the others.
static enum ww_status read_study(struct cli *c, const char *name, struct study *out) {
    size_t n;
    const char *const *dir = study_folders(c, &n);
    struct arena *a = &c->arena;
    const size_t len = strlen(name);
    const char *path = NULL, *published = NULL;
    if (strchr(name, '/') || (len > 5 && strcmp(name + len - 5, ".yaml") == 0)) {
        path = name;
        const char *slash = strrchr(name, '/');
        published = slash ? arena_printf(a, "%.*s/published.csv", (int)(slash - name), name)
                          : "published.csv";
    } else {
        for (size_t i = 0; i < n && !path; i++) {
            const char *p = arena_printf(a, "%s/%s.yaml", dir[i], name);
            if (access(p, R_OK) == 0)
                path = p, published = arena_printf(a, "%s/published.csv", dir[i]);
        }
    }
    for (size_t i = 0; i < n && (!published || access(published, R_OK) != 0); i++)
        published = arena_printf(a, "%s/published.csv", dir[i]);
    if (!path) {
        const char *const *names;
        const uint32_t count = study_names(c, &names);
        const int near = text_nearest(name, names, count);
        if (near >= 0)
            return diag_add(&c->diags, WW_ERROR_USAGE, "no study `%s`; did you mean `%s`?", name,
                            names[near]);
        return diag_add(&c->diags, WW_ERROR_USAGE, "no study `%s`; `warpwatt studies` lists them",
                        name);
    }
    char *text;
    size_t text_len;
    const enum ww_status s = file_read(a, path, 4 << 20, &text, &text_len, &c->diags);
    if (s != WW_OK) return s;
    return study_parse(a, path, text, access(published, R_OK) == 0 ? published : NULL, &c->diags,
                       out);
}

const struct cli_spec spec_studies = {
    .name = "studies",
    .form = {"[--json]"},
    .prose = "Lists the studies: `warpwatt study NAME` runs one.",
    .part = {{.option = &cli_json_option, .n = 1}},
};

uint32_t study_names(struct cli *c, const char *const **out) {
    size_t n;
    const char *const *dir = study_folders(c, &n);
    VEC(const char *) list = {0};
    struct names seen;
    names_init(&seen, &c->arena);
    for (size_t i = 0; i < n; i++) {
        glob_t g;
        if (glob(arena_printf(&c->arena, "%s/*.yaml", dir[i]), 0, NULL, &g) != 0) continue;
        for (size_t k = 0; k < g.gl_pathc; k++) {
            const char *base = strrchr(g.gl_pathv[k], '/') + 1;
            const char *name = arena_strndup(&c->arena, base, strlen(base) - 5);
            if (names_get(&seen, name, strlen(name)) >= 0) continue;
            names_put(&seen, name, strlen(name), 1);
            vec_push(&c->arena, &list, name);
        }
        globfree(&g);
    }
    *out = list.at;
    return (uint32_t)list.n;
}

int cmd_studies(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *value;
    bool json = false;
    for (int o; (o = cli_next(&args, &spec_studies, &value)) != CLI_END; json = true) {
        if (o == CLI_STOP) return args.code;
        if (o == CLI_WORD) return cli_usage("studies takes no word like `%s`", value);
    }
    const char *const *names;
    const uint32_t n = study_names(c, &names);
    int code = 0;
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++) {
        struct study s;
        const bool loads = read_study(c, names[i], &s) == WW_OK;
        if (!loads) code = 2;
        if (json)
            json_array_append_new(list, json_pack("{s:s,s:s?,s:b}", "name", names[i], "title",
                                                  loads ? s.title : NULL, "loads", loads));
        else
            printf("%-22s %s\n", names[i], loads ? s.title : "(this file does not load)");
    }
    if (json) cli_print_json("studies", list);
    json_decref(list);
    if (code) diags_print(&c->diags, stderr);
    return code;
}

// ---- options ----------------------------------------------------------------------------------
// clang-format off
enum {
    OPT_SIZE, OPT_OUT, OPT_JOBS, OPT_DB, OPT_NO_RUN, OPT_MARKDOWN, OPT_PAPER, OPT_JSON, OPT_STUDY_N,
    OPT_GPU = OPT_STUDY_N, OPT_SET, OPT_POLICY, OPT_CONFIG, OPT_N
};
// clang-format on
static const struct cli_option option[OPT_N] = {
    [OPT_SIZE] = {"--size", 0, "NAME",
                  "small (quick) or paper (study: default its own, most have paper; compare: any "
                  "size, default small)"},
    [OPT_OUT] = {"--out", 'o', "DIR",
                 "where tables, figures, index.html and study.json go (study: default study-NAME)",
                 CLI_FOLDER},
    [OPT_JOBS] = {"--jobs", 'j', "N", "runs at a time (default: one a processor)"},
    [OPT_DB] = {"--db", 0, "FILE", "where results are kept (default ~/.cache/warpwatt/results.db)",
                CLI_FILE},
    [OPT_NO_RUN] = {"--no-run", 0, NULL, "only with results that are kept"},
    [OPT_MARKDOWN] = {"--markdown", 0, "FILE",
                      "also a page of Markdown, with drawings in figures/ beside it", CLI_FILE},
    [OPT_PAPER] = {"--paper", 0, "DIR",
                   "also each drawing as SVG, PDF and PNG, and each table as LaTeX", CLI_FOLDER},
    [OPT_JSON] = {"--json", 0, NULL,
                  "what study.json holds, on standard output in place of the tables"},
    [OPT_GPU] = {"--gpu", 'g', "NAME|FILE", "the GPU (default " SESSION_GPU ")", CLI_GPU},
    [OPT_SET] = {"--set", 's', "KEY=VALUE", "override a key of the GPU file in all configurations",
                 CLI_KEY},
    [OPT_POLICY] = {"--policy", 'p', "A,B,...",
                    "techniques, each a configuration (A+B: both at once; `none`: the GPU as its "
                    "file has it)",
                    CLI_TECHNIQUE},
    [OPT_CONFIG] = {"--config", 'c', "NAME:KEY=VALUE,...",
                    "a configuration; policy=TECHNIQUE may stand among the keys"},
};

// What study takes and compare does not; it comes behind theirs.
enum { OPT_FIGURES = OPT_STUDY_N, OPT_STUDY_ALL };
static const struct cli_option study_option[] = {
    {"--figures", 0, "A,B,...",
     "only these figures and the published values that name them; no choices"},
};

static enum ww_status number_of(struct cli *c, const char *name, const char *value, uint32_t *out) {
    uint64_t n;
    if (!text_to_u64(value, &n) || n < 1 || n > 64)
        return diag_add(&c->diags, WW_ERROR_USAGE,
                        "%s is `%s`; it must be a whole number from 1 to 64", name, value);
    *out = (uint32_t)n;
    return WW_OK;
}

uint32_t cli_processors(void) {
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 64 ? 64 : (uint32_t)n;
}

static void print_verdicts(const struct sheet *sh, bool colour) {
    static const char *const ink[] = {"", "\033[32m", "\033[31m", "\033[2m", "\033[33m"};
    for (uint32_t i = 0; i < sh->study->figure.n; i++) {
        const struct sheet_figure *g = &sh->figure[i];
        printf("%s%-10s%s %s\n", colour ? ink[g->verdict] : "", verdict_text(g->verdict),
               colour ? "\033[0m" : "", g->figure->title);
        if (*g->sentence) printf("           %s\n", g->sentence);
    }
    uint32_t good = 0, all = 0, missing = 0;
    for (uint32_t i = 0; i < sh->study->published.n; i++) {
        const enum verdict v = sh->published[i].verdict;
        const bool is_missing = v == VERDICT_MISSING;
        good += v == VERDICT_AGREES;
        all += v != VERDICT_NONE && !is_missing;
        // With --figures what other figures would tell is not asked for, and so does not lack.
        missing += is_missing && !sh->study->published.at[i].waits;
    }
    if (!all && !missing) return;
    printf("%u of %u published values within tolerance", good, all);
    if (missing) printf(", %u without a value of ours", missing);
    putchar('\n');
}

static int finish(struct cli *c, int code) {
    fflush(stdout);
    if (c->diags.list.n) diags_print(&c->diags, stderr);
    return code;
}

const struct cli_spec spec_study = {
    .name = "study",
    .form = {"[options] NAME | FILE.yaml"},
    .prose =
        "Runs what the study needs (what is kept is not run again), and writes every figure and "
        "table as\nCSV, study.json, and one page, index.html, with ours beside the published "
        "values.",
    .part = {{.option = option, .n = OPT_STUDY_N}, CLI_PART(study_option), CLI_POOL_PART},
    .word = CLI_STUDY,
};

static enum ww_status print_file(struct cli *c, const char *path) {
    char *text;
    size_t len;
    const enum ww_status s = file_read(&c->arena, path, 64 << 20, &text, &len, &c->diags);
    if (s == WW_OK) fwrite(text, 1, len, stdout);
    return s;
}

// Whether a list names formats of drawings alone.
static bool is_formats(struct cli *c, const char *list) {
    static const char *const format[] = {"svg", "png", "pdf", "tex", "latex"};
    char *rest = arena_strdup(&c->arena, list);
    for (char *w; (w = strsep(&rest, ","));) {
        size_t i = 0;
        while (i < WW_COUNT(format) && strcasecmp(w, format[i]) != 0) i++;
        if (i == WW_COUNT(format)) return false;
    }
    return true;
}

int cmd_study(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    struct study_options o = {.processes = cli_processors()};
    struct pool_request pool = POOL_DEFAULTS;
    const char *name = NULL, *figures = NULL;
    bool json = false;
    enum ww_status s = WW_OK;
    while (s == WW_OK) {
        const char *value = NULL;
        const int opt = cli_next(&args, &spec_study, &value);
        if (opt == CLI_STOP) return args.code;
        if (opt == CLI_END) break;
        if (opt == CLI_WORD) {
            if (name) return cli_usage("one study at a time: `%s` is too much", value);
            name = value;
            continue;
        }
        switch (opt) {
        case OPT_SIZE: o.size = value; break;
        case OPT_OUT: o.out_dir = value; break;
        case OPT_JOBS: s = number_of(c, "--jobs", value, &o.processes); break;
        case OPT_DB: o.db = value; break;
        case OPT_NO_RUN: o.no_run = true; break;
        case OPT_MARKDOWN: o.markdown = value; break;
        case OPT_PAPER: o.paper = value; break;
        case OPT_JSON: json = true; break;
        case OPT_FIGURES: figures = value; break;
        default: s = pool_option(c, &pool, opt - OPT_STUDY_ALL, value); break;
        }
    }
    if (s != WW_OK) return cli_fail(c, s);
    if (!name) return cli_usage("study what? `warpwatt studies` lists them");
    if (o.size && strcmp(o.size, "small") != 0 && strcmp(o.size, "paper") != 0)
        return cli_usage("a study's --size is small or paper, not `%s`", o.size);
    if (figures && is_formats(c, figures))
        return cli_usage("--figures chooses figures by their names, not formats: --paper DIR lays each as SVG, PDF, PNG and LaTeX");
    struct study study;
    struct study_host host;
    struct sheet sheet;
    if ((s = read_study(c, name, &study)) != WW_OK) return cli_fail(c, s);
    if (figures && (s = study_only(&study, figures, &c->diags)) != WW_OK) return cli_fail(c, s);
    if (!o.size) o.size = study.size;
    if (!o.out_dir) o.out_dir = arena_printf(&c->arena, "study-%s", study.name);
    if (!o.db) s = study_default_db(&c->arena, &c->diags, &o.db);
    if (s == WW_OK) s = pool_ready(c, &pool, o.db);
    if (s == WW_OK) s = study_host_of(c, &host);
    if (s != WW_OK) return cli_fail(c, s);
    o.pool = pool.options;
    if (study.space.n) {
        if (o.no_run) return cli_usage("a study of tuning spaces has no --no-run");
        if (o.paper) return cli_usage("a study of tuning spaces has no --paper: its drawings are those of --markdown");
        const int code = spaces_run(&c->arena, &study, &host, &o, &c->diags, json ? NULL : stdout);
        if (json && code < 2)
            s = print_file(c, arena_printf(&c->arena, "%s/study.json", o.out_dir));
        return finish(c, s != WW_OK ? ww_status_exit_code(s) : code);
    }
    const int code = study_run(&c->arena, &study, &host, &o, &c->diags, &sheet);
    if (code < 2 && o.pool.action == POOL_RUN && json) {
        sheet_print_json(&sheet, stdout);
    } else if (code < 2 && o.pool.action == POOL_RUN) {
        print_verdicts(&sheet, c->colour);
        if (sheet.note) printf("note: %s\n", sheet.note);
        printf("%s/index.html\n", o.out_dir);
    }
    return finish(c, code);
}

// ---- compare ----------------------------------------------------------------------------------
static void yaml_text(FILE *f, const char *t) {
    fputc('"', f);
    for (; *t; t++) {
        if (*t == '"' || *t == '\\') fputc('\\', f);
        fputc(*t, f);
    }
    fputc('"', f);
}

struct compared {
    const char *name[STUDY_MAX_CONFIGS], *policy[STUDY_MAX_CONFIGS], *keys[STUDY_MAX_CONFIGS];
    uint32_t n;
};

static enum ww_status add_compared(struct cli *c, struct compared *k, const char *name,
                                   const char *policy, const char *keys) {
    if (k->n == STUDY_MAX_CONFIGS)
        return diag_add(&c->diags, WW_ERROR_USAGE, "more than %d configurations",
                        STUDY_MAX_CONFIGS);
    for (uint32_t i = 0; i < k->n; i++)
        if (strcmp(k->name[i], name) == 0)
            return diag_add(&c->diags, WW_ERROR_USAGE, "two configurations are called `%s`", name);
    k->name[k->n] = name;
    k->policy[k->n] = policy;
    k->keys[k->n++] = keys;
    return WW_OK;
}

// What a column of a technique is called: of one in a file of its own, the file's name.
static const char *heading(struct cli *c, const char *names) {
    return strchr(names, '+') ? names : technique_name(&c->arena, names);
}

static enum ww_status add_policies(struct cli *c, struct compared *k, const char *list) {
    char *copy = arena_strdup(&c->arena, list);
    enum ww_status s = WW_OK;
    for (char *w; s == WW_OK && (w = strsep(&copy, ","));)
        s = *w ? add_compared(c, k, heading(c, w), w, "")
               : diag_add(&c->diags, WW_ERROR_USAGE,
                          "-p takes techniques with ',' between, not `%s`", list);
    return s;
}

static enum ww_status add_config(struct cli *c, struct compared *k, const char *text) {
    const char *colon = strchr(text, ':');
    if (!colon || colon == text)
        return diag_add(&c->diags, WW_ERROR_USAGE, "-c takes NAME:KEY=VALUE,..., not `%s`", text);
    return add_compared(c, k, arena_strndup(&c->arena, text, (size_t)(colon - text)), "none",
                        colon + 1);
}

// Whether `keys` (KEY=VALUE,...) sets a key.
static bool sets(const char *keys, const char *key) {
    const size_t n = strlen(key);
    for (const char *k = keys; k; k = strchr(k, ',')) {
        k += *k == ',';
        if (strncmp(k, key, n) == 0 && k[n] == '=') return true;
    }
    return false;
}

// All of `keys` but those that `but` sets too.
static enum ww_status write_sets(struct cli *c, FILE *f, const char *keys, const char *but,
                                 const char **policy) {
    char *copy = arena_strdup(&c->arena, keys), *save = NULL;
    for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        char *equals = strchr(w, '=');
        if (!equals || equals == w)
            return diag_add(&c->diags, WW_ERROR_USAGE, "expected KEY=VALUE, not `%s`", w);
        *equals = 0;
        if (policy && strcmp(w, "policy") == 0) {
            *policy = equals + 1;
            continue;
        }
        if (sets(but, w)) continue;
        fputs("      ", f);
        yaml_text(f, w);
        fputs(": ", f);
        yaml_text(f, equals + 1);
        fputc('\n', f);
    }
    return WW_OK;
}

// A configuration's `set`, if any key is in it. Its own keys win over those of all.
static enum ww_status write_set(struct cli *c, FILE *f, const char *common, const char *keys,
                                const char **policy) {
    char *text = NULL;
    size_t n = 0;
    FILE *const set = open_memstream(&text, &n);
    if (!set) return diag_add(&c->diags, WW_ERROR_MEMORY, "no memory for a configuration");
    enum ww_status s = write_sets(c, set, common, keys, NULL);
    if (s == WW_OK) s = write_sets(c, set, keys, "", policy);
    if (fclose(set) != 0 && s == WW_OK)
        s = diag_add(&c->diags, WW_ERROR_MEMORY, "no memory for a configuration");
    if (s == WW_OK && n != 0) fprintf(f, "    set:\n%s", text);
    free(text);
    return s;
}

// What gating saved of the leakage of a type's lanes in a run, and what the oracle of the same run
// would (savings_oracle's formula, savings/savings.h), in expressions. The break-even time is the
// counted one. Everything in lane cycles, 32 a pipeline: a technique gates whole pipelines or
// single lanes.
static void write_gating_metrics(FILE *f, const char *type, uint32_t first_domain) {
    static const char *const sum[][3] = {{"unpaid", "gate_uncompensated", "lane_uncompensated"},
                                         {"paid", "gate_compensated", "lane_compensated"},
                                         {"overhead", "gate_overhead", "lane_overhead"},
                                         {"gatings", "gate_events", "lane_events"}};
    for (size_t i = 0; i < WW_COUNT(sum); i++) {
        fprintf(f, "  %s_%s: \"0", type, sum[i][0]);
        for (uint32_t d = 0; d < ACT_FP_DOMAIN - ACT_INT_DOMAIN; d++)
            fprintf(f, " + 32 * act('%s', %u) + act('%s', %u)", sum[i][1], first_domain + d,
                    sum[i][2], first_domain + d);
        fputs("\"\n", f);
    }
    static const char *const idle[][2] = {{"pipe_idle", "idle_cycles"},
                                          {"pipe_sent", "idle_sent"},
                                          {"lane_idle", "lane_idle_cycles"}};
    for (size_t i = 0; i < WW_COUNT(idle); i++) {
        fprintf(f, "  %s_%s: \"0", type, idle[i][0]);
        for (uint32_t d = 0; d < ACT_FP_DOMAIN - ACT_INT_DOMAIN; d++)
            fprintf(f, " + act('%s', %u)", idle[i][1], first_domain + d);
        fputs("\"\n", f);
    }
    // SMs without work leak too, where they have no power gates of their own
    fprintf(
        f,
        "  %s_units: 32 * (%s_pipe_idle + %s_busy_cycles) * (1 + (1 - config('power.idle_gate')) "
        "* sm_idle_cycles / sm_busy_cycles)\n",
        type, type, type);
    fprintf(f,
            "  %s_idle: \"CASE WHEN %s_lane_idle > 0 THEN %s_lane_idle ELSE 32 * (%s_pipe_idle - "
            "%s_pipe_sent) END\"\n",
            type, type, type, type, type);
    fprintf(f, "  %s_break_even: %s_overhead / %s_gatings\n", type, type, type);
    fprintf(
        f,
        "  %s_net: {is: \"100 * (%s_unpaid + %s_paid - %s_overhead) / %s_units\", unit: \"%%\"}\n",
        type, type, type, type, type);
    static const char *const periods[][2] = {{"pipe", "32 * act('idle_periods_"},
                                             {"lane", "act('lane_idle_periods_"}};
    for (size_t i = 0; i < WW_COUNT(periods); i++) {
        const char *const from = periods[i][1];
        fprintf(f, "  %s_%s_short: \"0", type, periods[i][0]);
        for (uint32_t n = 1; n < ACT_IDLE_LENGTHS - 1; n++)
            fprintf(f, " + %u * %s%s', %u)", n, from, type, n);
        fprintf(f, "\"\n  %s_%s_gain: \"0", type, periods[i][0]);
        for (uint32_t n = 1; n < ACT_IDLE_LENGTHS - 1; n++)
            fprintf(f, " + max(0, %u - %s_break_even) * %s%s', %u)", n, type, from, type, n);
        fprintf(f,
                "\"\n  %s_%s_bound: \"%s_%s_gain + max(0, %s_idle - %s_%s_short - %s_break_even * "
                "%s%s', %u))\"\n",
                type, periods[i][0], type, periods[i][0], type, type, periods[i][0], type, from,
                type, ACT_IDLE_LENGTHS - 1);
    }
    fprintf(f,
            "  %s_oracle: {is: \"100 * CASE WHEN %s_lane_idle > 0 THEN %s_lane_bound ELSE "
            "%s_pipe_bound END / %s_units\", unit: \"%%\"}\n",
            type, type, type, type, type);
}

// Where energy is saved against the first configuration, in percent of all that it spent, and in
// which parts; and what the share would be if the rest of the die, which is fitted, drew nothing,
// or if all of it leaked as logic does.
static void write_saved_metrics(FILE *f, const char *base) {
    static const char *const part[][3] = {
        {"exu", "energy('exu')", "execution"},
        {"rf", "energy('rf')", "registers"},
        {"sm", "energy('sm') - energy('exu') - energy('rf')", "other SM"},
        {"chip", "energy('chip') - energy('sm') - energy('rest')", "other chip"},
        {"rest", "energy('rest')", "rest of die"},
        {"board", "energy_j - energy('chip')", "board"}};
    fputs(
        "  with_loss: 1 + config('power.regulator_loss')\n"
        "  no_rest_j: energy_j - with_loss * energy('rest')\n"
        "  full_rest_j: energy_j + with_loss * seconds * leak_w('rest') * (CASE WHEN "
        "config('power.rest_logic_share') > 0 THEN 1 / config('power.rest_logic_share') - 1 ELSE 0 "
        "END)\n",
        f);
    static const char *const of[][2] = {
        {"saved", "energy_j"}, {"saved_none", "no_rest_j"}, {"saved_full", "full_rest_j"}};
    for (size_t i = 0; i < WW_COUNT(of); i++)
        fprintf(f, "  %s: {is: \"100 * (1 - %s / other('%s', '%s'))\", unit: \"%%\"}\n", of[i][0],
                of[i][1], base, of[i][1]);
    fputs("  saved_low: {is: \"min(saved, saved_none, saved_full)\", unit: \"%\"}\n"
          "  saved_high: {is: \"max(saved, saved_none, saved_full)\", unit: \"%\"}\n",
          f);
    for (size_t i = 0; i < WW_COUNT(part); i++)
        fprintf(f,
                "  part_%s: \"%s\"\n"
                "  saved_%s: {is: \"100 * (other('%s', 'part_%s') - part_%s) / other('%s', "
                "'energy_j')\", unit: \"%%\", label: %s}\n",
                part[i][0], part[i][1], part[i][0], base, part[i][0], part[i][0], base, part[i][2]);
}

static void write_saved_figures(struct cli *c, FILE *f, const struct compared *k) {
    static const char *const column[][2] = {
        {"saved", "all"},     {"saved_low", "least"}, {"saved_high", "most"},
        {"saved_exu", NULL},  {"saved_rf", NULL},     {"saved_sm", NULL},
        {"saved_chip", NULL}, {"saved_rest", NULL},   {"saved_board", NULL}};
    for (uint32_t q = 1; q < k->n; q++) {
        fprintf(f, "  saved_%u:\n    kind: table\n    title: ", q);
        yaml_text(f, arena_printf(&c->arena, "Energy that %s saves, %% of that of %s", k->name[q],
                                  k->name[0]));
        fputs(
            "\n    note: \"Least and most: as the fitted rest of the die draws all that it could, "
            "or nothing. Then by part; parts add up to all.\"\n    configuration: ",
            f);
        yaml_text(f, k->name[q]);
        fputs("\n    series:\n", f);
        for (size_t i = 0; i < WW_COUNT(column); i++) {
            fprintf(f, "      - {is: %s", column[i][0]);
            if (column[i][1]) fprintf(f, ", label: %s", column[i][1]);
            fputs("}\n", f);
        }
    }
}

// A comparison is a study that is written here.
static enum ww_status write_comparison(struct cli *c, FILE *f, const char *gpu, const char *common,
                                       const struct compared *k, char **workload, int n,
                                       const char *size) {
    fputs("name: compare\ntitle: ", f);
    const char *title = "";
    for (uint32_t i = 0; i < k->n; i++)
        title = arena_printf(&c->arena, "%s%s%s", title, i ? ", " : "", k->name[i]);
    yaml_text(f, arena_printf(&c->arena, "%s on %s", title, gpu));
    fputs("\ngpu: ", f);
    yaml_text(f, gpu);
    fputs("\nworkloads:\n", f);
    for (int i = 0; i < n; i++) {
        fputs("  ", f);
        yaml_text(f, workload[i]);
        fprintf(f, ": {small: ");
        yaml_text(f, size);
        fputs("}\n", f);
    }
    fputs("configurations:\n", f);
    for (uint32_t i = 0; i < k->n; i++) {
        const char *policy = k->policy[i];
        fputs("  ", f);
        yaml_text(f, k->name[i]);
        fputs(":\n", f);
        const enum ww_status s = write_set(c, f, common, k->keys[i], &policy);
        if (s != WW_OK) return s;
        fputs("    policy: ", f);
        yaml_text(f, policy);
        fputc('\n', f);
    }
    const char *base = k->name[0];
    fprintf(f,
            "metrics:\n"
            "  time_us: {is: \"1e6 * seconds\", unit: us, label: time}\n"
            "  energy_uj: {is: \"1e6 * energy_j\", unit: uJ, label: energy}\n"
            "  time_ratio: {is: \"seconds / other('%s', 'seconds')\", label: time}\n"
            "  energy_ratio: {is: \"energy_j / other('%s', 'energy_j')\", label: energy}\n"
            "  edp_ratio: {is: \"time_ratio * energy_ratio\", label: energy-delay product}\n",
            base, base);
    write_saved_metrics(f, base);
    recommend_metrics(f);
    bool any_policy = false;
    for (uint32_t i = 0; i < k->n; i++)
        any_policy |= strcmp(k->policy[i], "none") != 0 || strstr(k->keys[i], "policy=") != NULL;
    if (any_policy) {
        write_gating_metrics(f, "int", ACT_INT_DOMAIN);
        write_gating_metrics(f, "fp", ACT_FP_DOMAIN);
    }
    fputs("figures:\n", f);
    static const char *const figure[][3] = {
        {"time", "Time", "time_ratio"},
        {"energy", "Energy", "energy_ratio"},
        {"edp", "Energy-delay product", "edp_ratio"},
        {"time_us", "Time", "time_us"},
        {"energy_uj", "Energy", "energy_uj"},
        // with a technique only
        {"int_net", "INT leakage saved by gating", "int_net"},
        {"int_oracle", "INT leakage that an oracle would save", "int_oracle"},
        {"fp_net", "FP leakage saved by gating", "fp_net"},
        {"fp_oracle", "FP leakage that an oracle would save", "fp_oracle"}};
    for (size_t i = 0; i < WW_COUNT(figure) && (i < 5 || any_policy); i++) {
        const bool ratio = i < 3;
        fprintf(f, "  %s:\n    kind: %s\n    title: ", figure[i][0], ratio ? "bars" : "table");
        yaml_text(f,
                  ratio ? arena_printf(&c->arena, "%s, %s = 1", figure[i][1], base) : figure[i][1]);
        fputs("\n    series:\n", f);
        for (uint32_t q = 0; q < k->n; q++) {
            fprintf(f, "      - {is: %s, configuration: ", figure[i][2]);
            yaml_text(f, k->name[q]);
            fputs("}\n", f);
        }
        if (ratio) fputs("    aggregates: [geomean]\n", f);
    }
    write_saved_figures(c, f, k);
    recommend_figure(f, k->name, k->n);
    return WW_OK;
}

// A column's heading: its label in lines of whole words, the unit below where columns differ in it.
enum { HEAD_LINES = 4, HEAD_WIDTH = 12, ROW_NAME = 22 };
struct heading {
    const char *line[HEAD_LINES];
    int len[HEAD_LINES], n, width;
};

static void heading_add(struct heading *h, const char *text, int len) {
    h->line[h->n] = text, h->len[h->n++] = len;
    if (len > h->width) h->width = len;
}

// The last line but the unit's takes all that is left, so that nothing is cut.
static struct heading heading_of(const char *label, const char *unit) {
    struct heading h = {.width = HEAD_WIDTH};
    while (*label) {
        const int all = (int)strlen(label);
        int len = all;
        if (h.n < HEAD_LINES - 2 && len > HEAD_WIDTH) {
            const char *space = NULL;
            for (int i = 1; i < all && (i <= HEAD_WIDTH || !space); i++)
                if (label[i] == ' ') space = label + i;
            if (space) len = (int)(space - label);
        }
        heading_add(&h, label, len);
        label += len + (len < all);
    }
    if (*unit) heading_add(&h, unit, (int)strlen(unit));
    return h;
}

static void print_table(struct cli *c, const struct sheet_figure *g) {
    const char *const unit = g->figure->series.at[0].unit;
    bool same = true;
    int lines = 0, names = ROW_NAME;
    for (uint32_t q = 1; q < g->n_series; q++)
        same &= strcmp(g->figure->series.at[q].unit, unit) == 0;
    struct heading *const head = arena_alloc(&c->arena, (g->n_series + 1) * sizeof *head);
    for (uint32_t q = 0; q < g->n_series; q++) {
        const struct study_series *const s = &g->figure->series.at[q];
        head[q] = heading_of(s->label, same ? "" : s->unit);
        if (head[q].n > lines) lines = head[q].n;
    }
    for (uint32_t r = 0; r < g->n_rows; r++)
        if ((int)strlen(g->row[r].name) > names) names = (int)strlen(g->row[r].name);
    printf("\n%s%s%s%s\n", g->figure->title, same && *unit ? " (" : "", same ? unit : "",
           same && *unit ? ")" : "");
    for (int k = 0; k < lines; k++) {
        int blank = 2 + names;
        for (uint32_t q = 0; q < g->n_series; q++) {
            const int at = k - (lines - head[q].n); // headings end in one line
            blank += 2 + head[q].width;
            if (at < 0) continue;
            printf("%*.*s", blank, head[q].len[at], head[q].line[at]);
            blank = 0;
        }
        putchar('\n');
    }
    for (uint32_t r = 0; r < g->n_rows; r++) {
        printf("  %-*s", names, g->row[r].name);
        for (uint32_t q = 0; q < g->n_series; q++) {
            const double v = g->row[r].value[q];
            if (!isfinite(v))
                printf("  %*s", head[q].width, "-");
            else if (strcmp(g->figure->series.at[q].unit, "%") == 0)
                printf("  %*.2f", head[q].width, fabs(v) < 0.005 ? 0 : v); // no -0.00
            else
                printf("  %*.4g", head[q].width, v);
        }
        putchar('\n');
    }
}

// What compare takes and study does not.
enum { OPT_PAGES = OPT_N, OPT_COMPARE_ALL };
static const struct cli_option compare_option[] = {
    {"--pages", 0, NULL,
     "with -o: also the page of each run, and of each workload's runs beside each other, in DIR/runs (runs again)"},
};

const struct cli_spec spec_compare = {
    .name = "compare",
    .form = {"[options] -p A,B,... | -c NAME:KEY=VALUE,... WORKLOAD..."},
    .prose = "Runs workloads on several configurations and shows time and energy against the first "
             "one:\n  warpwatt compare -p none -c gto:sm.scheduler=gto -c big:sm.l1d.bytes=32768 "
             "hotspot bfs",
    .part = {CLI_PART(option), CLI_PART(compare_option), CLI_POOL_PART},
    .word = CLI_WORKLOAD,
};

int cmd_compare(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    struct study_options o = {.size = "small", .processes = cli_processors()};
    struct pool_request pool = POOL_DEFAULTS;
    const char *gpu = SESSION_GPU, *size = "small", *common = "";
    struct compared k = {.n = 0};
    char **workload = arena_alloc(&c->arena, (size_t)argc * sizeof *workload);
    int n = 0;
    bool json = false;
    enum ww_status s = WW_OK;
    while (s == WW_OK) {
        const char *value = NULL;
        const int opt = cli_next(&args, &spec_compare, &value);
        if (opt == CLI_STOP) return args.code;
        if (opt == CLI_END) break;
        switch (opt) {
        case CLI_WORD: workload[n++] = (char *)(uintptr_t)value; break;
        case OPT_SIZE: size = value; break;
        case OPT_OUT: o.out_dir = value; break;
        case OPT_JOBS: s = number_of(c, "--jobs", value, &o.processes); break;
        case OPT_DB: o.db = value; break;
        case OPT_NO_RUN: o.no_run = true; break;
        case OPT_MARKDOWN: o.markdown = value; break;
        case OPT_PAPER: o.paper = value; break;
        case OPT_JSON: json = true; break;
        case OPT_GPU: gpu = value; break;
        case OPT_SET:
            common = arena_printf(&c->arena, "%s%s%s", common, *common ? "," : "", value);
            break;
        case OPT_POLICY: s = add_policies(c, &k, value); break;
        case OPT_CONFIG: s = add_config(c, &k, value); break;
        case OPT_PAGES: o.pages = true; break;
        default: s = pool_option(c, &pool, opt - OPT_COMPARE_ALL, value); break;
        }
    }
    if (s == WW_OK && k.n < 2)
        return cli_usage(
            "compare what? at least two configurations: -p A,B or -c NAME:KEY=VALUE,...");
    if (s == WW_OK && o.pages && !o.out_dir)
        return cli_usage("--pages lays pages beside the comparison's own: it goes with -o DIR");
    if (s == WW_OK && !n)
        return cli_usage("compare on what? name workloads; `warpwatt workloads` lists them");
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (s == WW_OK && f) s = write_comparison(c, f, gpu, common, &k, workload, n, size);
    if (!f || fclose(f) != 0)
        s = diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory for the comparison");
    struct study study;
    struct study_host host;
    struct sheet sheet;
    if (s == WW_OK) s = study_parse(&c->arena, "comparison", text, NULL, &c->diags, &study);
    if (s == WW_OK && !o.db) s = study_default_db(&c->arena, &c->diags, &o.db);
    if (s == WW_OK) s = pool_ready(c, &pool, o.db);
    if (s == WW_OK) s = study_host_of(c, &host);
    o.pool = pool.options;
    o.compares = true;
    int code = ww_status_exit_code(s);
    if (s == WW_OK) {
        code = study_run(&c->arena, &study, &host, &o, &c->diags, &sheet);
        if (code < 2 && o.pool.action == POOL_RUN && json) {
            sheet.size = size;
            sheet_print_json(&sheet, stdout);
        } else if (code < 2 && o.pool.action == POOL_RUN) {
            sheet.size = size;
            for (uint32_t i = 0; i < sheet.study->figure.n; i++) print_table(c, &sheet.figure[i]);
            recommend_print(&sheet, k.name[0], stdout);
            if (sheet.note) printf("\nnote: %s\n", sheet.note);
            if (o.out_dir) printf("\n%s/index.html\n", o.out_dir);
        }
    }
    free(text);
    return finish(c, code);
}
