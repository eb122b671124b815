// Options of the commands that run many jobs (study, compare, run --all, dvfs, sweep): where the
// jobs run, and what a cluster's engine is told.
#include "cli/cli.h"

#include <stdlib.h>

enum {
    OPT_ON,
    OPT_PARTITION,
    OPT_TIME,
    OPT_MEM,
    OPT_CPUS,
    OPT_ARRAY,
    OPT_SLURM_OPTION,
    OPT_RETRIES,
    OPT_BUNDLE,
    OPT_SPOOL,
    OPT_STATUS,
    OPT_WAIT,
    OPT_NO_WAIT,
    OPT_CANCEL
};
const struct cli_option pool_cli_options[POOL_OPTIONS] = {
    [OPT_ON] = {"--on", 0, "local|slurm", "where jobs run (default local)", CLI_CHOICE},
    [OPT_PARTITION] = {"--partition", 0, "NAME", "Slurm's: partition"},
    [OPT_TIME] = {"--time", 0, "LIMIT", "Slurm's: time limit of an array element"},
    [OPT_MEM] = {"--mem", 0, "SIZE", "Slurm's: memory of an array element"},
    [OPT_CPUS] = {"--cpus-per-task", 0, "N",
                  "Slurm's: processors of an array element; it does so many runs at a time"},
    [OPT_ARRAY] = {"--array", 0, "%N", "Slurm's: at most N elements of an array at a time"},
    [OPT_SLURM_OPTION] = {"--slurm-option", 0, "WORD",
                          "any other word for sbatch, such as --slurm-option=--qos=low; may be "
                          "repeated"},
    [OPT_RETRIES] = {"--retries", 0, "N",
                     "times that a run is sent again after it failed or was lost (default 2)"},
    [OPT_BUNDLE] =
        {"--bundle", 0, "SECONDS",
         "work of an array element, of runs of similar length (default 300; 0: each run is one)"},
    [OPT_SPOOL] = {"--spool", 0, "DIR",
                   "folder that all machines see, for what they tell each other (default: beside "
                   "the results file)",
                   CLI_FOLDER},
    [OPT_STATUS] = {"--status", 0, NULL,
                    "take in what has ended, say how far it is, start nothing"},
    [OPT_WAIT] = {"--wait", 0, NULL, "wait for all, and send again what was lost (the default)"},
    [OPT_NO_WAIT] = {"--no-wait", 0, NULL, "send the jobs and come back"},
    [OPT_CANCEL] = {"--cancel", 0, NULL, "take in what has ended, cancel the rest"},
};

// Words for sbatch that are options of ours by the same name.
static enum ww_status add_word(struct cli *c, struct pool_request *q, const char *text) {
    if (q->n == POOL_WORDS)
        return diag_add(&c->diags, WW_ERROR_USAGE, "more than %d words for sbatch", POOL_WORDS);
    q->word[q->n++] = text;
    return WW_OK;
}

static enum ww_status number(struct cli *c, int option, const char *value, uint64_t low,
                             uint64_t high, uint64_t *out) {
    if (text_to_u64(value, out) && *out >= low && *out <= high) return WW_OK;
    return diag_add(
        &c->diags, WW_ERROR_USAGE, "%s is `%s`; it must be a whole number from %llu to %llu",
        pool_cli_options[option].name, value, (unsigned long long)low, (unsigned long long)high);
}

enum ww_status pool_option(struct cli *c, struct pool_request *q, int option, const char *value) {
    uint64_t n = 0;
    enum ww_status s = WW_OK;
    struct pool_options *o = &q->options;
    if (option != OPT_ON) q->given = pool_cli_options[option].name;
    switch (option) {
    case OPT_ON:
        o->backend = pool_find(value);
        if (o->backend) return WW_OK;
        return diag_add(&c->diags, WW_ERROR_USAGE, "--on is `%s`; it must be local or slurm",
                        value);
    case OPT_PARTITION:
    case OPT_TIME:
    case OPT_MEM:
        return add_word(c, q,
                        arena_printf(&c->arena, "%s=%s", pool_cli_options[option].name, value));
    case OPT_CPUS:
        s = number(c, option, value, 1, 1024, &n);
        return s ? s : add_word(c, q, arena_printf(&c->arena, "--cpus-per-task=%s", value));
    case OPT_ARRAY:
        o->array_limit = value + (*value == '%');
        return number(c, option, o->array_limit, 1, 1000000, &n);
    case OPT_SLURM_OPTION: return add_word(c, q, value);
    case OPT_RETRIES:
        s = number(c, option, value, 0, 100, &n);
        o->retries = (uint32_t)n;
        return s;
    case OPT_BUNDLE:
        s = number(c, option, value, 0, 1000000, &n);
        o->bundle_s = (double)n;
        return s;
    case OPT_SPOOL: o->spool = value; return WW_OK;
    case OPT_STATUS: o->action = POOL_STATUS; return WW_OK;
    case OPT_WAIT: o->action = POOL_RUN; return WW_OK;
    case OPT_NO_WAIT: o->action = POOL_SUBMIT; return WW_OK;
    default: o->action = POOL_CANCEL; return WW_OK;
    }
}

enum ww_status pool_ready(struct cli *c, struct pool_request *q, const char *db) {
    struct pool_options *o = &q->options;
    if (q->given && (!o->backend || o->backend == pool_find("local")))
        return diag_add(&c->diags, WW_ERROR_USAGE, "%s goes with --on slurm", q->given);
    if (!o->spool) o->spool = arena_printf(&c->arena, "%s.spool", *db ? db : "warpwatt");
    o->words = q->word;
    o->n_words = q->n;
    return WW_OK;
}

// ---- the worker of a cluster ------------------------------------------------------------------
const struct cli_spec spec_worker = {
    .name = "worker",
    .form = {"ELEMENT.json"},
    .prose =
        "What an element of a job array does on a cluster; study, compare, run --all, dvfs and "
        "sweep\nwrite its file and start it with --on slurm. Runs so many of its runs at a time "
        "as the\nelement has processors (SLURM_CPUS_PER_TASK).",
    .word = CLI_FILE,
};

int cmd_worker(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *path = NULL, *value;
    for (int o; (o = cli_next(&args, &spec_worker, &value)) != CLI_END;) {
        if (o == CLI_STOP) return args.code;
        if (path) return cli_usage("one element at a time: `%s` is too much", value);
        path = value;
    }
    if (!path) return cli_usage("worker needs the file of an array element");
    uint64_t processes = 1;
    const char *cpus = getenv("SLURM_CPUS_PER_TASK");
    if (cpus && !text_to_u64(cpus, &processes)) processes = 1;
    const int code = pool_worker(&c->arena, path, (uint32_t)processes, &c->diags);
    if (c->diags.list.n) diags_print(&c->diags, stderr);
    return code;
}
