// `warpwatt run`: a workload or any program of the CUDA driver API (as a child that finds our
// libcuda.so.1), or a bare kernel (run_ptx.c). All three leave a record, which is then shown.
#include "savings/savings.h"
#include "base/sum.h"
#include "cli/how.h"
#include "cli/kernel_args.h"
#include "fatbin/fatbin.h"
#include "power/limit.h"
#include "report/trace.h"
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_CHECK = 1 }; // of a workload whose results are wrong (workloads/common/host.c)

// clang-format off
enum option {
    OPT_GPU, OPT_SET, OPT_SIZE, OPT_THREADS, OPT_OUT, OPT_JSON, OPT_QUIET, OPT_FUNCTIONAL, OPT_SAMPLE,
    OPT_KERNELS, OPT_LAUNCHES, OPT_SKIP_TIMING, OPT_MAX_CYCLES, OPT_INTERVAL, OPT_SCHEDULER,
    OPT_CHECK, OPT_BOUNDS, OPT_NO_PROGRESS, OPT_NO_POWER, OPT_POLICY, OPT_RECORD, OPT_LENIENT, OPT_TOLD, OPT_ALL,
    OPT_DB, OPT_TRACE, OPT_TRACE_FROM, OPT_TRACE_TO, OPT_TRACE_KERNELS,
    OPT_TOGGLE, OPT_ENV, OPT_STEPS, OPT_PROBE, OPT_MEASURED, OPT_MEASURED_AT, OPT_AGAIN, OPT_CODE,
    OPT_NO_LIMIT, OPT_LIMIT_AGAIN, OPT_NVTX, OPT_PROFILED, OPT_WARPS, OPT_N
};
// clang-format on
static const char scheduler_names[] = // "|lrr|gto..."
#define SCHEDULER(id, name, ...) "|" #name
#include "sm/scheduler.def"
    ;
static const struct cli_option option[OPT_N] = {
    [OPT_GPU] = {"--gpu", 'g', "NAME|FILE",
                 "the GPU (default for a program behind -- " SESSION_GPU_OF_PROGRAMS
                 ", or the newest that its machine code fits; " SESSION_GPU
                 " for a workload or kernel; `warpwatt gpus` lists them)",
                 CLI_GPU},
    [OPT_SET] = {"--set", 's', "KEY=VALUE", "override a key of the GPU file; may be repeated",
                 CLI_KEY},
    [OPT_SIZE] = {"--size", 0, "NAME", "size of a workload's input (default small)"},
    [OPT_THREADS] = {"--threads", 'j', "N",
                     "host threads (default 1; results do not depend on it)"},
    [OPT_OUT] =
        {"--out", 'o', "DIR",
         "write index.html (a page to look at), results.sqlite, run.json, record.jsonl, "
         "gpu.yaml, activity.csv, activity.xml, intervals.csv, instructions.csv, power.json, "
         "power.csv, power-intervals.csv, steps.csv, with --probe probe.csv",
         CLI_FOLDER},
    [OPT_JSON] = {"--json", 0, NULL,
                  "the whole account as JSON on standard output; with --all an object a line"},
    [OPT_QUIET] = {"--quiet", 'q', NULL, "no table"},
    [OPT_FUNCTIONAL] = {"--functional", 0, NULL,
                        "compute results only, as fast as can be; no time"},
    [OPT_SAMPLE] =
        {"--sample", 0, "ERROR",
         "simulate only as many launches of those that are alike, and blocks of large grids, as a "
         "ratio of cycles to instructions needs to be known to +- ERROR (3%); the rest is computed "
         "and estimated, with an interval"},
    [OPT_KERNELS] = {"--kernels", 0, "REGEX",
                     "time only kernels whose name matches; compute the others without time"},
    [OPT_LAUNCHES] = {"--launches", 0, "A-B", "time only these launches, counted from 1"},
    [OPT_SKIP_TIMING] = {"--skip-timing", 0, "REGEX",
                         "compute kernels whose name matches without time"},
    [OPT_MAX_CYCLES] = {"--max-cycles", 0, "N",
                        "stop a launch after N core cycles (functional: warp instructions)"},
    [OPT_INTERVAL] = {"--interval", 0, "N",
                      "count every N core cycles (default with -o: 500, joined to 128 a launch)"},
    [OPT_SCHEDULER] = {"--scheduler", 0, &scheduler_names[1],
                       "warp scheduler: short for -s sm.scheduler=...", CLI_CHOICE},
    [OPT_CHECK] =
        {"--check", 0, "WHAT",
         "also check (comma between): uninitialised: reads of global, shared and local memory that "
         "was "
         "never written; races: of a block in shared memory, of blocks in global memory; bounds: one past an allocation's end is "
         "in no other, as always but for workloads with time; sync: a barrier that part of a "
         "warp's threads reach, shfl.sync from a lane outside its mask; control: control bits of "
         "machine code "
         "that let an operand be read before it is there; leaks: device "
         "memory that the program has not freed when it ends. What is found is "
         "said at the end, 100 places at most, each once"},
    [OPT_BOUNDS] = {"--bounds", 0, "allocation|page",
                    "where kernels may read and write: in allocations (default), or, as on a board, in "
                    "all of a page of 2 MB that holds part of one",
                    CLI_CHOICE},
    [OPT_NO_PROGRESS] = {"--no-progress", 0, NULL, "no progress line"},
    [OPT_NO_POWER] = {"--no-power", 0, NULL, "no power and energy"},
    [OPT_POLICY] = {"--policy", 'p', "NAME[+NAME]",
                    "energy-saving techniques (`warpwatt savings` lists them); options: -s "
                    "savings.NAME=VALUE",
                    CLI_TECHNIQUE},
    [OPT_RECORD] = {"--record", 0, "FILE", "keep the record of the run (JSON lines, a launch each)",
                    CLI_FILE},
    [OPT_LENIENT] = {"--lenient", 0, NULL,
                     "launches and calls that were refused are no failure of a program that ends "
                     "with 0"},
    [OPT_TOLD] = {"--told", 0, "KEY=VALUE[,...]",
                  "what programs are told and allowed beyond the simulated chip: cc=7.5, "
                  "memory=16GB, grid=2147483647 (blocks in x), sms=N"},
    [OPT_ALL] = {"--all", 0, NULL,
                 "every workload, -j at a time, a row each, with -g, -s, -p; goes on where it "
                 "stopped"},
    [OPT_DB] = {"--db", 0, "FILE",
                "with --all: where results are kept (default ~/.cache/warpwatt/results.db)",
                CLI_FILE},
    [OPT_TRACE] =
        {"--trace", 0, "FILE",
         "write a timeline for Perfetto (ui.perfetto.dev) or Chrome: host calls, streams, "
         "kernels, blocks on SMs, power; compressed when FILE ends in .gz",
         CLI_FILE},
    [OPT_TRACE_FROM] = {"--trace-from", 0, "TIME",
                        "only what happens from this simulated time on: 250us, 1.5ms, 0.01s"},
    [OPT_TRACE_TO] = {"--trace-to", 0, "TIME", "... and up to this one"},
    [OPT_TRACE_KERNELS] = {"--trace-kernels", 0, "REGEX",
                           "only kernels whose name matches, their blocks and counters"},
    [OPT_TOGGLE] = {"--toggle", 0, NULL,
                    "count the bits that change on wires and let dynamic energy go by them"},
    [OPT_ENV] = {"--env", 0, "NAME=VALUE",
                 "a variable of the program's environment, kept with the results; may be repeated"},
    [OPT_STEPS] = {"--steps", 0, NULL,
                   "list every copy and launch in order: start, end, time, energy, power"},
    [OPT_PROBE] = CLI_PROBE_OPTION,
    [OPT_MEASURED] = CLI_MEASURED_OPTION,
    [OPT_MEASURED_AT] = CLI_MEASURED_AT_OPTION,
    [OPT_WARPS] =
        {"--warps", 0, "SM:FROM-TO",
         "watch the warps of an SM in these cycles of a launch, of the first that is timed "
         "(--kernels, --launches): what each issues and why it waits, cycle by cycle, on the page "
         "of -o and in its files"},
    [OPT_AGAIN] = {"--again", 0, "DIR",
                   "the run that left DIR, once more: same program, machine, techniques, options",
                   CLI_FOLDER},
    [OPT_CODE] =
        {"--code", 0, "auto|sass|ptx",
         "which of a program's code runs: machine code of the vendor's compiler for the "
         "GPU's capability (sass), PTX through ours (ptx), or what a driver would take "
         "(auto, the default); a kernel whose machine code is not executed is then compiled "
         "from PTX",
         CLI_CHOICE},
    [OPT_NO_LIMIT] = {"--no-power-limit", 0, NULL,
                      "the clock that was asked for, whatever the board would draw: short for "
                      "-s board.power_limit=0"},
    [OPT_LIMIT_AGAIN] = {"--limit-again", 0, NULL,
                         "start a program behind -- again, without its output, until the board "
                         "keeps within its power limit (workloads and kernels always are)"},
    [OPT_NVTX] = {"--nvtx", 0, "REGEX",
                  "time only what the program asks for within NVTX ranges whose path, such as "
                  "`step 3/forward`, matches; compute the rest without time"},
    [OPT_PROFILED] = {"--profiled", 0, NULL,
                      "time only what the program asks for between cudaProfilerStart and "
                      "cudaProfilerStop; compute the rest without time"},
};

const struct cli_spec spec_run = {
    .name = "run",
    .form = {"[options] WORKLOAD [WORKLOAD'S ARGUMENTS]",
             "--all [-g GPU] [-s KEY=VALUE]... [--size NAME] [-j N] [--db FILE] [--on slurm]",
             "[options] -- PROGRAM [ARGUMENTS]",
             "[options] KERNEL.ptx|.cubin|.fatbin --entry NAME --grid X[,Y,Z] --block X[,Y,Z] "
             "[--arg A]...",
             "--again DIR [-o DIR] [-j N] [--json] ..."},
    .prose = "Runs a workload, a program of the CUDA runtime or driver, or a bare kernel on a "
             "simulated GPU,\nand says how long it took and where the energy went.",
    .part = {CLI_PART(option), {"for a bare kernel:", ptx_options, PTX_OPTIONS}, CLI_POOL_PART},
    .notes = ARGUMENT_HELP,
    .word = CLI_WORKLOAD,
};

// Without --interval: short ones at first, joined as a launch goes on.
enum { PROBE_INTERVAL_LEAST = 50 }; // cycles
enum { PAGE_INTERVAL_CYCLES = 500, PAGE_INTERVALS_MOST = 128, PAGE_INTERVALS_TOTAL = 1024 };

static enum ww_status parse_number(struct cli *c, const char *name, const char *value, uint64_t low,
                                   uint64_t high, uint64_t *out) {
    if (text_to_u64(value, out) && *out >= low && *out <= high) return WW_OK;
    return diag_add(&c->diags, WW_ERROR_USAGE,
                    "%s is `%s`; it must be a whole number from %llu to %llu", name, value,
                    (unsigned long long)low, (unsigned long long)high);
}

static enum ww_status add_override(struct cli *c, struct session *s, const char *text) {
    if (!strchr(text, '='))
        return diag_add(&c->diags, WW_ERROR_USAGE, "--set takes KEY=VALUE, not `%s`", text);
    if (s->n_overrides == SESSION_MAX_OVERRIDES)
        return diag_add(&c->diags, WW_ERROR_USAGE, "more than %d times --set",
                        SESSION_MAX_OVERRIDES);
    s->overrides[s->n_overrides++] = text;
    return WW_OK;
}

static enum ww_status set_variable(struct cli *c, const char *text) {
    const char *const equals = strchr(text, '=');
    if (!equals || equals == text)
        return diag_add(&c->diags, WW_ERROR_USAGE, "--env takes NAME=VALUE, not `%s`", text);
    setenv(arena_strndup(&c->arena, text, (size_t)(equals - text)), equals + 1, 1);
    return WW_OK;
}

static enum ww_status parse_checks(struct cli *c, struct session *s, const char *text) {
    char *list = arena_strdup(&c->arena, text), *save = NULL;
    for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        if (strcmp(w, "uninitialised") == 0 || strcmp(w, "uninitialized") == 0)
            s->check_uninitialised = true;
        else if (strcmp(w, "races") == 0)
            s->check_races = true;
        else if (strcmp(w, "bounds") == 0)
            s->check_bounds = true;
        else if (strcmp(w, "sync") == 0)
            s->check_sync = true;
        else if (strcmp(w, "control") == 0)
            s->check_control = true;
        else if (strcmp(w, "leaks") == 0)
            s->check_leaks = true;
        else
            return diag_add(
                &c->diags, WW_ERROR_USAGE,
                "--check knows `uninitialised`, `races`, `bounds`, `sync`, `control` and "
                "`leaks`, not `%s`",
                w);
    }
    return WW_OK;
}

// The power model of the run's GPU, once.
void run_make_model(struct cli *c, struct run_request *q) {
    if (q->no_power || q->session.functional || !q->config || q->model) return;
    q->model = arena_alloc(&c->arena, sizeof *q->model);
    diags_init(&q->model_diags);
    q->model_status = power_model_of(q->config, &q->model_diags, q->model);
}

// The energy account of a run; false, with a sentence when somebody would miss it, when there is
// none.
static bool run_power(struct cli *c, struct run_request *q, const struct run *run,
                      struct account *out, char *why, size_t size) {
    run_make_model(c, q);
    if (!q->model) return false;
    bool ok = q->model_status == WW_OK;
    if (ok && json_array_size(run->launches)) {
        struct activity_file *file = arena_alloc(&c->arena, sizeof *file);
        ok = power_account_of_run(c, q->model, run, &q->model_diags, out, file) == WW_OK;
    }
    if (!ok) diags_first(&q->model_diags, why, size);
    diags_free(&q->model_diags);
    return ok && json_array_size(run->launches);
}

// How the program ended, when not well: "ended with exit code 2".
static const char *ending_of(struct cli *c, const struct run_request *q, int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return NULL; // it took a signal for itself
    if (q->ended_by)
        return arena_printf(&c->arena, "interrupted by SIG%s", sigabbrev_np(q->ended_by));
    if (WIFSIGNALED(status)) {
        const char *const name = sigabbrev_np(WTERMSIG(status));
        return name ? arena_printf(&c->arena, "ended by SIG%s", name)
                    : arena_printf(&c->arena, "ended by signal %d", WTERMSIG(status));
    }
    return arena_printf(&c->arena, "ended with exit code %d", WEXITSTATUS(status));
}

// There is no account: the program never opened the GPU, or what it wrote is lost.
static int show_nothing(struct cli *c, struct run_request *q, const char *record,
                        const char *ending, enum ww_status s) {
    if (q->model) diags_free(&q->model_diags);
    diags_free(&c->diags);
    diags_init(&c->diags);
    if (access(record, F_OK) == 0) {
        diag_add(&c->diags, WW_ERROR_IO,
                 "the account of %s is lost: nothing of it could be written to %s", q->title,
                 record);
        return cli_fail(c, s);
    }
    if (ending)
        fprintf(stderr, "warpwatt: %s %s before it used the GPU\n", q->title, ending);
    else
        fprintf(stderr, "warpwatt: %s never opened the GPU: there is nothing to account for\n",
                q->title);
    if (!ending) return 0;
    return q->ended_by ? ww_status_exit_code(WW_ERROR_INTERRUPTED) : 1;
}

// ---- the board's power limit --------------------------------------------------------------------
enum { RUN_AGAIN = -3 }; // of run_show, no exit code: at another clock, nothing was shown

// What a run at the clock that was asked for drew: for the records of those at others.
static void note_asked(struct cli *c, struct run_request *q, const struct account *a) {
    json_int_t over = 0, launches = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const json_int_t n = (json_int_t)a->kernel[i].kernel->launches;
        launches += n;
        over += a->kernel[i].usage.power_w > q->limit->watts ? n : 0;
    }
    json_t *o = json_pack("{s:f,s:f,s:f,s:f,s:I,s:I}", "limit_w", q->limit->watts, "asked_mhz",
                          q->limit->asked_mhz, "asked_w", a->kernels.power_w, "asked_seconds",
                          a->kernels.seconds, "asked_over", over, "launches", launches);
    char *text = json_dumps(o, JSON_COMPACT);
    q->session.limit = text ? arena_strdup(&c->arena, text) : NULL;
    free(text);
    json_decref(o);
}

// Whether the run has to be made again, at the clock of q->limit->step, before there is one to
// show.
static bool limit_goes_on(struct cli *c, struct run_request *q, const struct account *a) {
    struct limit_search *const l = q->limit;
    if (!l || q->limit_found) return false;
    const struct power_usage *const k = &a->kernels;
    const uint32_t ran = l->step;
    const enum limit_end end =
        limit_add(l, k->power_w, k->all_static_j[0] / k->seconds, k->seconds);
    q->limit_found = end != LIMIT_OPEN;
    if (l->step == ran) return false;
    if (l->n == 1) note_asked(c, q, a);
    if (!q->quiet && !q->json)
        fprintf(stderr, "warpwatt: %.2f W at %g MHz, limit %g W: again at %g MHz\n", k->power_w,
                limit_mhz(l, ran), l->watts, limit_mhz(l, l->step));
    return true;
}

// The exit code of a run whose account was shown.
static int code_of(struct cli *c, const struct run_request *q, const struct run *run,
                   int child_status) {
    const enum ww_status ran = run_launch_status(run), worst = run_status(run);
    if (ran != WW_OK) return ww_status_exit_code(ran);
    if (q->ended_by && child_status != 0) return ww_status_exit_code(WW_ERROR_INTERRUPTED);
    const bool forgiven = q->lenient && child_status == 0;
    const char *calls;
    if (child_status == 0 && !forgiven && run_refused_calls(run, &c->arena, &calls))
        fprintf(stderr,
                "warpwatt: %s ended with 0 after calls that were refused: %s; what it made of them "
                "is not a GPU's answer (--lenient takes it as it is)\n",
                q->title, calls);
    if (worst != WW_OK && !forgiven) return ww_status_exit_code(worst);
    if (child_status != 0) return 1;
    if (run->cut_off) {
        fprintf(stderr,
                "warpwatt: the account of %s is incomplete: the totals of %u process%s are "
                "missing, and what had not ended (it was killed, or its record could not be "
                "written)\n",
                q->title, run->cut_off, run->cut_off == 1 ? "" : "es");
        return ww_status_exit_code(run->is_torn ? WW_ERROR_IO : WW_ERROR_INTERRUPTED);
    }
    return run_refused(run) && !forgiven ? ww_status_exit_code(WW_ERROR_UNSUPPORTED) : 0;
}

static void show_json(const struct run *run, const struct table_options *o,
                      const struct probe *probe, int child_status) {
    json_t *json = run_to_json(run, o->power, true);
    json_object_set_new(json, "checked", json_boolean(o->check > 0));
    if (o->no_power) json_object_set_new(json, "no_power", json_string(o->no_power));
    if (probe) json_object_set_new(json, "probe", probe_json(probe, PROBE_SAMPLES_MOST));
    if (o->ending) json_object_set_new(json, "ending", json_string(o->ending));
    json_object_set_new(json, "exit_code",
                        json_integer(WIFEXITED(child_status) ? WEXITSTATUS(child_status) : 128));
    json_dumpf(json, stdout, JSON_INDENT(1));
    fputc('\n', stdout);
    json_decref(json);
}

// A choice of launches that chose none is likely a mistake: says what there was to choose from.
static void note_unmatched(struct cli *c, const struct session *s, const struct run *run) {
    size_t i;
    json_t *l;
    uint64_t launches = 0;
    uint32_t shown = 0, n = 0;
    const char *names = "";
    struct names seen;
    names_init(&seen, &c->arena);
    json_array_foreach(run->launches, i, l) {
        if (!json_is_true(json_object_get(l, "functional"))) return;
        launches += run_launches(l);
        const char *name = json_string_value(json_object_get(l, "kernel"));
        if (!name || names_get(&seen, name, strlen(name)) >= 0) continue;
        names_put(&seen, arena_strdup(&c->arena, name), strlen(name), 1);
        if (n++ < 8) names = arena_printf(&c->arena, "%s%s%s", names, shown++ ? ", " : "", name);
    }
    if (!launches) return;
    const char *what = "";
    const struct {
        const char *option, *value;
    } choice[] = {{"--kernels", s->kernels},
                  {"--skip-timing", s->skip_timing},
                  {"--launches", s->launches},
                  {"--nvtx", s->nvtx}};
    for (size_t k = 0; k < WW_COUNT(choice); k++)
        if (choice[k].value)
            what = arena_printf(&c->arena, "%s%s%s `%s`", what, *what ? " and " : "",
                                choice[k].option, choice[k].value);
    if (s->profiled) what = arena_printf(&c->arena, "%s%s--profiled", what, *what ? " and " : "");
    fprintf(stderr, "warpwatt: %s leave%s none of %llu launch%s to be timed; kernels: %s%s\n", what,
            strstr(what, " and ") ? "" : "s", (unsigned long long)launches,
            launches == 1 ? "" : "es", names, n > shown ? ", ..." : "");
}

// Why a window of --warps shows nothing: no launch was timed, the launch ends before the window, or its SM had no warp.
static void note_unwatched(const struct session *s, const struct run *run) {
    const json_t *launch = NULL, *l;
    size_t i;
    json_array_foreach(run->launches, i, l) if (!launch && json_object_get(l, "warps")) launch = l;
    if (!launch) {
        fprintf(stderr, "warpwatt: --warps %s: no launch was timed, so that no warp was watched\n", s->warps);
        return;
    }
    const json_t *const w = json_object_get(launch, "warps");
    if (json_array_size(json_object_get(w, "spans"))) return;
    const long long cycles = json_integer_value(json_object_get(launch, "cycles")),
                    id = json_integer_value(json_object_get(launch, "id")), from = json_integer_value(json_object_get(w, "from"));
    const char *const kernel = json_string_value(json_object_get(launch, "kernel"));
    if (from >= cycles)
        fprintf(stderr, "warpwatt: --warps %s: launch %lld, %s, ends after %lld cycles, before the window begins: nothing is shown\n",
                s->warps, id, kernel, cycles);
    else
        fprintf(stderr, "warpwatt: --warps %s: the SM had no warp of launch %lld, %s, in these cycles: nothing is shown\n",
                s->warps, id, kernel);
}

// What the checks found, where no table says it.
static void say_findings(const struct run *run) {
    size_t i;
    json_t *e;
    json_array_foreach(run->errors, i, e) {
        if (json_integer_value(json_object_get(e, "status")) != WW_ERROR_ACCESS) continue;
        fprintf(stderr, "warpwatt: found: %s\n", json_string_value(json_object_get(e, "text")));
    }
}

// The files of --out, then all at once in their place. A folder that could not be written keeps
// what there is, as of a run that was killed.
static enum ww_status write_folder(struct cli *c, struct run_request *q,
                                   const struct view_input *view) {
    const char *const dir = q->folder->partial;
    enum ww_status s = files_write(view->run, view->power, dir, &c->diags);
    if (s == WW_OK && view->power) s = account_write(view->power, dir, &c->diags);
    if (s == WW_OK && view->probe)
        s = cli_probe_csv(c, view->probe, arena_printf(&c->arena, "%s/probe.csv", dir));
    if (s == WW_OK) s = report_write(c, view, dir);
    if (s == WW_OK && q->record)
        s = record_copy_to(&c->arena, q->session.record, q->record, &c->diags);
    if (s == WW_OK) s = run_folder_commit(c, q->folder, view->run->sum);
    run_folder_close(q->folder);
    return s;
}

int run_show(struct cli *c, struct run_request *q, const char *record, int child_status) {
    struct run run;
    const enum ww_status sealed = q->keeps_record ? record_seal(record, &c->diags) : WW_OK;
    enum ww_status s = run_read(record, &c->diags, &run);
    const char *const ending = ending_of(c, q, child_status);
    if (s != WW_OK) return show_nothing(c, q, record, ending, s);
    // A run that the GPU refused or cut off did not come to its own check.
    const bool stopped = run_status(&run) != WW_OK || run_refused(&run) || !WIFEXITED(child_status);
    const int result = !q->is_workload || stopped                ? 0
                       : child_status == 0                       ? 1
                       : WEXITSTATUS(child_status) == EXIT_CHECK ? -1
                                                                 : 0;
    struct account power;
    char why[512] = "";
    const bool has_power = run_power(c, q, &run, &power, why, sizeof why);
    if (has_power && child_status == 0 && !stopped && result >= 0 && !run.cut_off &&
        limit_goes_on(c, q, &power)) {
        run_release(&run);
        return RUN_AGAIN;
    }
    const struct table_options o = {.colour = c->colour,
                                    .title = q->title,
                                    .check = result,
                                    .ending = ending,
                                    .power = has_power ? &power : NULL,
                                    .no_power = *why ? why : NULL};
    // a record that was not kept, or by a child that found no room for what the run is
    if (q->how && q->how->json && !json_object_get(run.header, "run"))
        json_object_set(run.header, "run", q->how->json);
    s = sealed;
    static struct probe probe;
    const bool has_probe = q->probe.hz > 0 && has_power;
    if (has_probe && s == WW_OK)
        s = probe_make(&c->arena, &run, &power, q->config, &q->probe, &c->diags, &probe);
    const struct view_input view = {.title = q->title,
                                    .run = &run,
                                    .gpu = q->config,
                                    .power = o.power,
                                    .no_power = o.no_power,
                                    .probe = has_probe && s == WW_OK ? &probe : NULL,
                                    .check = result};
    if (q->trace && s == WW_OK)
        s = trace_write(&q->session, record, &run, o.power, q->trace, &c->diags);
    if (q->folder && s == WW_OK) s = write_folder(c, q, &view);
    if (q->folder && s != WW_OK) run_folder_close(q->folder);
    if (q->json) {
        show_json(&run, &o, view.probe, child_status);
    } else if (!q->quiet) {
        // A program's standard output stays its own; a workload's page is what was asked for.
        table_print(&run, &o, q->is_workload ? stdout : stderr);
        if (has_power) account_print_savings(&power, c->colour, q->is_workload ? stdout : stderr);
    }
    if (q->steps && !q->json)
        steps_print(&c->arena, &run, o.power, q->is_workload ? stdout : stderr);
    if (view.probe && !q->json) probe_print(view.probe, q->is_workload ? stdout : stderr);
    const enum ww_status worst = run_status(&run);
    const bool said = worst != WW_OK && !q->json && !q->quiet; // by the table
    if (q->json || q->quiet) say_findings(&run);
    if (ending && (q->json || q->quiet)) fprintf(stderr, "warpwatt: %s %s\n", q->title, ending);
    if (s == WW_OK && c->diags.list.n && !said) diags_print(&c->diags, stderr);
    const int code = code_of(c, q, &run, child_status);
    if (q->session.kernels || q->session.skip_timing || q->session.launches || q->session.nvtx ||
        q->session.profiled)
        note_unmatched(c, &q->session, &run);
    if (q->session.warps) note_unwatched(&q->session, &run);
    run_release(&run);
    return s != WW_OK ? cli_fail(c, s) : code;
}

static int run_program(struct cli *c, struct run_request *q, char **argv, const char *record) {
    struct rusage usage;
    const int status = run_child(c, q, argv, &usage);
    if (status < 0) return cli_fail(c, diags_status(&c->diags));
    return run_show(c, q, record, status);
}

static int run_workload(struct cli *c, struct run_request *q, const char *name, const char *size,
                        char **rest, int n_rest, const char *record) {
    struct workload *list;
    uint32_t n;
    const enum ww_status s = workloads_list(c, &list, &n);
    if (s != WW_OK) return cli_fail(c, s);
    const struct workload *w = NULL;
    const char **names = arena_alloc(&c->arena, (n + 1) * sizeof *names);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = list[i].name;
        if (workload_is(&list[i], name)) w = &list[i];
    }
    if (!w) {
        const int near = text_nearest(name, names, n);
        if (near >= 0) return cli_usage("no workload `%s`; did you mean `%s`?", name, names[near]);
        return cli_usage(
            "no workload `%s`; `warpwatt workloads` lists them (a program of yours goes behind --)",
            name);
    }
    if (!w->program)
        return cli_usage(
            "workload %s was not built: its target of the build, workload_%s, needs clang", name,
            w->name);
    bool known = false;
    const char **sizes = arena_alloc(&c->arena, (w->n_sizes + 1) * sizeof *sizes);
    for (uint32_t i = 0; i < w->n_sizes; i++) {
        sizes[i] = w->size[i].name;
        known = known || strcmp(size, w->size[i].name) == 0;
    }
    if (!known) {
        const int near = text_nearest(size, sizes, w->n_sizes);
        return cli_usage("workload %s has no size `%s`; did you mean `%s`?", name, size,
                         sizes[near < 0 ? 0 : near]);
    }
    char **argv = arena_alloc(&c->arena, (size_t)(n_rest + 4) * sizeof *argv);
    int argc = 0;
    argv[argc++] = arena_strdup(&c->arena, w->program);
    if (!n_rest) argv[argc++] = arena_strdup(&c->arena, size);
    for (int i = 0; i < n_rest; i++) argv[argc++] = rest[i];
    q->is_workload = true;
    if (!n_rest) q->session.expected = pages_warp_instructions(c, w, size);
    return run_program(c, q, argv, record);
}

const char *cli_temporary_name(struct cli *c) {
    char *path = arena_printf(&c->arena, "%s/warpwatt-XXXXXX", file_temporary_folder());
    const int fd = mkstemp(path);
    if (fd < 0) {
        diag_add(&c->diags, WW_ERROR_IO, "cannot make the temporary file %s: %s", path,
                 strerror(errno));
        return NULL;
    }
    close(fd);
    unlink(path);
    return path;
}

// A file that --record names, as a path that holds wherever the program goes.
static const char *named_record(struct cli *c, const char *path) {
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        diag_add(&c->diags, WW_ERROR_USAGE,
                 "--record is %s, which is no regular file: a record is written and read back",
                 path);
        return NULL;
    }
    char *here = getcwd(NULL, 0);
    const char *whole = *path == '/' || !here ? arena_strdup(&c->arena, path)
                                              : arena_printf(&c->arena, "%s/%s", here, path);
    free(here);
    return whole;
}

// The record lies in the output folder while that is partial, or in a temporary file that is
// removed afterwards. It can be made, and there is none yet: one of before would be taken for this
// run's.
static const char *record_path(struct cli *c, const struct run_request *q) {
    if (!q->keeps_record) return cli_temporary_name(c);
    const char *path =
        q->folder ? arena_printf(&c->arena, "%s/record.jsonl", q->folder->partial) : q->record;
    path = named_record(c, path);
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) {
        close(fd);
        record_remove(path);
        trace_remove(path); // of a run that was killed
        return path;
    }
    if (path)
        diag_add(&c->diags, WW_ERROR_IO, "cannot write the record %s: %s", path, strerror(errno));
    return NULL;
}

static int run_file(struct cli *c, struct run_request *q, struct ptx_request *ptx, const char *path,
                    const char *record) {
    q->title = ptx->entry ? ptx->entry : path;
    ptx->path = path;
    const enum ww_status s = run_ptx(c, q, ptx, record, &q->is_workload);
    if (access(record, R_OK) != 0) return cli_fail(c, s);
    const int code = run_show(c, q, record, 0);
    return s == WW_OK || code == RUN_AGAIN ? code : ww_status_exit_code(s);
}

// What the words of the command ask for besides the run itself.
struct run_words {
    struct ptx_request ptx;
    struct all_request many;
    const char *size, *what; // workload or kernel; NULL: none
    char **rest;             // the workload's own arguments
    int n_rest;
    bool all;
    const char *pool_option; // an option of where jobs run
    uint64_t given;          // options of the table above, a bit each
    const char *again;       // --again
    bool limit_again;        // --limit-again
    size_t clock_word;       // of `how`, the clock that the power limit gave the run; 0: none
    struct how how;
};

// Options that say where results go and how the host works, and nothing of what runs.
#define OPTION_BIT(o) (1ull << (o))
static const uint64_t of_output =
    OPTION_BIT(OPT_THREADS) | OPTION_BIT(OPT_OUT) | OPTION_BIT(OPT_JSON) | OPTION_BIT(OPT_QUIET) |
    OPTION_BIT(OPT_NO_PROGRESS) | OPTION_BIT(OPT_NO_POWER) | OPTION_BIT(OPT_RECORD) |
    OPTION_BIT(OPT_TRACE) | OPTION_BIT(OPT_TRACE_FROM) | OPTION_BIT(OPT_TRACE_TO) |
    OPTION_BIT(OPT_TRACE_KERNELS) | OPTION_BIT(OPT_STEPS) | OPTION_BIT(OPT_PROBE) |
    OPTION_BIT(OPT_MEASURED) | OPTION_BIT(OPT_MEASURED_AT) | OPTION_BIT(OPT_AGAIN);

// One option with its value, from the table above or one of a bare kernel's.
// "3%", "0.03" or "error=3%", as a part of one.
static enum ww_status take_sample(struct cli *c, const char *value, const char **sample) {
    const char *const number = strncmp(value, "error=", 6) == 0 ? value + 6 : value;
    char *end;
    double error = strtod(number, &end);
    if (strcmp(end, "%") == 0) error /= 100, end++;
    if (end == number || *end || !(error >= 0.001 && error <= 0.5))
        return diag_add(&c->diags, WW_ERROR_USAGE,
                        "--sample is `%s`; it must be an error from 0.1%% to 50%%, such as 3%%",
                        value);
    *sample = arena_printf(&c->arena, "%.6g", error);
    return WW_OK;
}

static enum ww_status take_option(struct cli *c, struct run_request *q, struct run_words *w, int o,
                                  const char *value) {
    uint64_t n = 0;
    switch (o) {
    case OPT_GPU: q->session.gpu = value; return WW_OK;
    case OPT_SET: return add_override(c, &q->session, value);
    case OPT_SIZE: w->size = value; return WW_OK;
    case OPT_THREADS: {
        const enum ww_status s = parse_number(c, "--threads", value, 1, 64, &n);
        q->session.host_threads = (uint32_t)n;
        return s;
    }
    case OPT_OUT: q->out_dir = value; return WW_OK;
    case OPT_JSON: q->json = true; return WW_OK;
    case OPT_QUIET: q->quiet = true; return WW_OK;
    case OPT_FUNCTIONAL: q->session.functional = true; return WW_OK;
    case OPT_SAMPLE: return take_sample(c, value, &q->session.sample);
    case OPT_KERNELS: q->session.kernels = value; return WW_OK;
    case OPT_LAUNCHES: q->session.launches = value; return WW_OK;
    case OPT_SKIP_TIMING: q->session.skip_timing = value; return WW_OK;
    case OPT_NVTX: q->session.nvtx = value; return WW_OK;
    case OPT_PROFILED: q->session.profiled = true; return WW_OK;
    case OPT_MAX_CYCLES:
        return parse_number(c, "--max-cycles", value, 1, UINT64_MAX, &q->session.max_cycles);
    case OPT_INTERVAL:
        return parse_number(c, "--interval", value, 1, UINT64_MAX, &q->session.interval_cycles);
    case OPT_SCHEDULER:
        return add_override(c, &q->session, arena_printf(&c->arena, "sm.scheduler=%s", value));
    case OPT_CHECK: return parse_checks(c, &q->session, value);
    case OPT_BOUNDS:
        q->session.open_pages = strcmp(value, "page") == 0;
        return q->session.open_pages || strcmp(value, "allocation") == 0
                   ? WW_OK
                   : diag_add(&c->diags, WW_ERROR_USAGE,
                              "--bounds is `allocation` or `page`, not `%s`", value);
    case OPT_NO_POWER: q->no_power = true; return WW_OK;
    case OPT_NO_PROGRESS: q->session.progress = false; return WW_OK;
    case OPT_POLICY: q->session.policies = w->many.policy = value; return WW_OK;
    case OPT_RECORD: q->record = value; return WW_OK;
    case OPT_LENIENT: q->lenient = true; return WW_OK;
    case OPT_TOLD: q->session.told = value; return WW_OK;
    case OPT_CODE: q->session.code = value; return WW_OK;
    case OPT_TRACE:
        q->trace = value;
        q->session.trace = true;
        return WW_OK;
    case OPT_TRACE_FROM: return cli_time(c, "--trace-from", value, &q->session.trace_from_ns);
    case OPT_TRACE_TO: return cli_time(c, "--trace-to", value, &q->session.trace_to_ns);
    case OPT_TOGGLE: q->session.toggle = true; return WW_OK;
    case OPT_STEPS: q->steps = true; return WW_OK;
    case OPT_PROBE: return probe_options_parse(&c->arena, value, &c->diags, &q->probe);
    case OPT_MEASURED: q->probe.measured = value; return WW_OK;
    case OPT_MEASURED_AT: return cli_measured_at(c, value, &q->probe);
    case OPT_WARPS:
        if (q->session.warps)
            return diag_add(&c->diags, WW_ERROR_USAGE,
                            "--warps %s and --warps %s: one SM and one window of a run are watched",
                            q->session.warps, value);
        q->session.warps = value;
        return WW_OK;
    case OPT_AGAIN: w->again = value; return WW_OK;
    case OPT_NO_LIMIT: return add_override(c, &q->session, "board.power_limit=0");
    case OPT_LIMIT_AGAIN: w->limit_again = true; return WW_OK;
    case OPT_ENV: return set_variable(c, value);
    case OPT_TRACE_KERNELS: q->session.trace_kernels = value; return WW_OK;
    case OPT_ALL: w->all = true; return WW_OK;
    case OPT_DB: w->many.db = value; return WW_OK;
    default:
        if (o < OPT_N + PTX_OPTIONS) return ptx_option(c, &w->ptx, (size_t)(o - OPT_N), value);
        w->pool_option = pool_cli_options[o - OPT_N - PTX_OPTIONS].name;
        return pool_option(c, &w->many.pool, o - OPT_N - PTX_OPTIONS, value);
    }
}

enum { GO_ON = -1 }; // no exit code yet

// A word of the run itself, as --again gives it back.
static void keep_option(struct run_words *w, int o, const char *value) {
    const struct cli_option *const row = o < OPT_N ? &option[o]
                                         : o < OPT_N + PTX_OPTIONS
                                             ? &ptx_options[o - OPT_N]
                                             : &pool_cli_options[o - OPT_N - PTX_OPTIONS];
    how_word(&w->how, row->name);
    if (row->value) how_word(&w->how, value);
}

// Takes the command's words up to those behind --; answers an exit code, or GO_ON.
static int take_words(struct cli *c, struct cli_args *args, struct run_request *q,
                      struct run_words *w) {
    enum ww_status s = WW_OK;
    while (s == WW_OK) {
        const char *value = NULL;
        const int o = cli_next(args, &spec_run, &value);
        if (o == CLI_STOP) return args->code;
        if (o == CLI_END) break;
        if (o != CLI_WORD) {
            if (o < OPT_N) w->given |= 1ull << o;
            if (o >= OPT_N || !(of_output >> o & 1)) keep_option(w, o, value);
            s = take_option(c, q, w, o, value);
            continue;
        }
        how_word(&w->how, value);
        if (w->what) return cli_usage("one workload or kernel at a time: `%s` is too much", value);
        w->what = value;
        // what stands behind a workload's name is the workload's own
        if (run_is_kernel_file(value)) continue;
        w->rest = args->argv + args->at;
        while (args->at < args->argc && args->argv[args->at][0] != '-') {
            how_word(&w->how, args->argv[args->at++]);
            w->n_rest++;
        }
    }
    if (args->after_dashes) how_word(&w->how, "--");
    for (int i = args->at; args->after_dashes && i < args->argc; i++)
        how_word(&w->how, args->argv[i]);
    return s == WW_OK ? GO_ON : cli_fail(c, s);
}

static int run_every_workload(struct cli *c, const struct cli_args *args,
                              const struct run_request *q, struct run_words *w) {
    if (w->what || args->after_dashes)
        return cli_usage("--all runs every workload: `%s` is too much", w->what ? w->what : "--");
    static const uint64_t taken = 1ull << OPT_GPU | 1ull << OPT_SET | 1ull << OPT_SIZE |
                                  1ull << OPT_THREADS | 1ull << OPT_JSON | 1ull << OPT_SCHEDULER |
                                  1ull << OPT_POLICY | 1ull << OPT_ALL | 1ull << OPT_DB |
                                  1ull << OPT_NO_PROGRESS | 1ull << OPT_NO_LIMIT;
    for (int o = 0; o < OPT_N; o++)
        if (w->given & ~taken & 1ull << o)
            return cli_usage("--all does not take %s: `warpwatt help run` says what it takes",
                             option[o].name);
    w->many.gpu = q->session.gpu;
    w->many.size = w->size;
    w->many.set = q->session.overrides;
    w->many.n_set = q->session.n_overrides;
    w->many.processes = q->session.host_threads;
    w->many.json = q->json;
    return run_all_workloads(c, &w->many);
}

// What is estimated has no course over time.
static int check_sample(const struct run_request *q) {
    const struct session *s = &q->session;
    const char *const what = s->functional        ? "--functional"
                             : s->interval_cycles ? "--interval"
                             : q->trace           ? "--trace"
                             : q->probe.hz > 0    ? "--probe"
                             : s->warps           ? "--warps"
                                                  : NULL;
    if (!s->sample || !what) return GO_ON;
    return cli_usage("--sample estimates most of the time, of which %s could show nothing: leave "
                     "one of them out",
                     what);
}

// Without time there is nothing that a technique, an interval or a choice of launches could change.
static int check_functional(const struct run_request *q) {
    const struct session *s = &q->session;
    const char *const what = s->policies && strcmp(s->policies, "none") != 0 ? "--policy"
                             : s->kernels                                    ? "--kernels"
                             : s->skip_timing                                ? "--skip-timing"
                             : s->launches                                   ? "--launches"
                             : s->nvtx                                       ? "--nvtx"
                             : s->profiled                                   ? "--profiled"
                             : s->interval_cycles                            ? "--interval"
                             : q->trace                                      ? "--trace"
                             : s->toggle                                     ? "--toggle"
                             : s->warps                                      ? "--warps"
                                                                             : NULL;
    if (!s->functional || !what) return GO_ON;
    return cli_usage("--functional takes no time, so that %s would change nothing: leave one of "
                     "them out",
                     what);
}

// What cannot be meant together.
static int check_words(const struct run_request *q, const struct run_words *w,
                       const struct cli_args *args) {
    int code = check_functional(q);
    if (code == GO_ON) code = check_sample(q);
    if (code != GO_ON) return code;
    if (w->pool_option) return cli_usage("%s goes with --all", w->pool_option);
    if (q->session.warps && !q->out_dir && !q->record && !q->json)
        return cli_usage("--warps is shown on the page of a run: it goes with -o DIR (or --record, "
                         "--json)");
    if (!q->trace &&
        (q->session.trace_kernels || q->session.trace_from_ns || q->session.trace_to_ns))
        return cli_usage("--trace-from, --trace-to and --trace-kernels say what of a run --trace "
                         "FILE writes: there is no --trace");
    if (q->session.trace_to_ns && q->session.trace_to_ns < q->session.trace_from_ns)
        return cli_usage("--trace-to lies before --trace-from: nothing would be written");
    const char *const wrong = cli_probe_wrong(&q->probe, !q->session.functional && !q->no_power);
    if (wrong) return cli_usage("%s", wrong);
    if (args->after_dashes && w->what)
        return cli_usage("either a workload (`%s`) or a program behind --, not both", w->what);
    if (args->after_dashes && args->at >= args->argc)
        return cli_usage("-- needs a program behind it");
    if (!args->after_dashes && !w->what)
        return cli_usage("run what? a workload, KERNEL.ptx or .cubin, or -- PROGRAM");
    return GO_ON;
}

// The machine and its techniques. A run that is made again gets those that it had: from the same
// names, or where a file gives another machine today, from the one that the run left.
static enum ww_status configure(struct cli *c, struct run_request *q, struct gpu_config *config,
                                struct savings *savings) {
    enum ww_status s = session_configure(&q->session, &c->diags, config, savings);
    char digits[SUM_TEXT_BYTES];
    if (!q->again) return s;
    if (s != WW_OK || strcmp(sum_text(record_gpu_sum(config), digits), q->again->gpu_sum) != 0) {
        diags_free(&c->diags);
        diags_init(&c->diags);
        fprintf(stderr,
                "warpwatt: note: %s gives another machine today than the run in %s had: its "
                "gpu.yaml is taken\n",
                q->session.gpu, q->again->dir);
        q->session.gpu = q->again->gpu_file;
        s = session_configure(&q->session, &c->diags, config, savings);
        if (s == WW_OK && strcmp(sum_text(record_gpu_sum(config), digits), q->again->gpu_sum) != 0)
            return diag_add(&c->diags, WW_ERROR_CONFIG,
                            "%s is not the GPU file of the run that %s is of: it was changed since",
                            q->again->gpu_file, q->again->dir);
    }
    return s == WW_OK ? how_same_techniques(c, q->again, savings) : s;
}

static const char *workload_program(struct cli *c, const char *name) {
    struct workload *list;
    uint32_t n;
    if (workloads_list(c, &list, &n) != WW_OK) { // run_workload says what is wrong
        diags_free(&c->diags);
        diags_init(&c->diags);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (workload_is(&list[i], name)) return list[i].program;
    return NULL;
}

// What the run is, and the folder that it goes to.
static enum ww_status begin(struct cli *c, struct run_request *q, struct run_words *w,
                            const struct cli_args *args, const struct savings *savings,
                            struct run_folder *folder) {
    const bool is_kernel = !args->after_dashes && run_is_kernel_file(w->what);
    const char *const name = args->after_dashes ? args->argv[args->at] : w->what;
    const struct how_facts facts = {.kind = args->after_dashes ? "program"
                                            : is_kernel        ? "kernel"
                                                               : "workload",
                                    .name = name,
                                    .size = args->after_dashes || is_kernel || w->n_rest ? NULL
                                                                                         : w->size,
                                    .file = args->after_dashes ? cli_program_path(c, name)
                                            : is_kernel        ? name
                                                               : workload_program(c, name),
                                    .session = &q->session,
                                    .savings = savings};
    q->how = &w->how;
    q->session.how = how_text(c, &w->how, &facts);
    if (q->again) how_compare(c, q->again, w->how.json);
    if (!q->out_dir) return WW_OK;
    q->folder = folder;
    return run_folder_open(c, q->out_dir, q->config, q->session.how, folder);
}

// One run: its folder, its record, and what becomes of them.
static int run_once(struct cli *c, struct run_request *q, struct run_words *w,
                    const struct cli_args *args, const struct savings *savings) {
    struct run_folder folder = {.lock = -1};
    const enum ww_status s = begin(c, q, w, args, savings, &folder);
    const char *const record = s == WW_OK ? record_path(c, q) : NULL;
    int code;
    q->session.record = record;
    if (!record) {
        code = cli_fail(c, diags_status(&c->diags));
    } else if (args->after_dashes) {
        q->title = args->argv[args->at];
        code = run_program(c, q, args->argv + args->at, record);
    } else if (run_is_kernel_file(w->what)) {
        code = run_file(c, q, &w->ptx, w->what, record);
    } else {
        q->title = w->what;
        code = run_workload(c, q, w->what, w->size, w->rest, w->n_rest, record);
    }
    if (record && !q->keeps_record) record_remove(record);
    if (record && q->trace) trace_remove(record);
    run_folder_drop(c, &folder); // it left nothing
    return code;
}

// The clock is one of the run's words: `run --again` has no need to look for it.
static void keep_clock(struct run_words *w, const char *key) {
    json_t *const words = w->how.words;
    if (w->clock_word) {
        json_array_set_new(words, w->clock_word, json_string_nocheck(key));
        return;
    }
    size_t at = 0;
    while (at < json_array_size(words) &&
           strcmp(json_string_value(json_array_get(words, at)), "--") != 0)
        at++;
    json_array_insert_new(words, at, json_string("-s"));
    json_array_insert_new(words, at + 1, json_string_nocheck(key));
    w->clock_word = at + 1;
}

// The clock of q->limit->step takes the place of the one that the run has.
static enum ww_status take_clock(struct cli *c, struct run_request *q, struct run_words *w,
                                 uint32_t overrides, struct savings *savings) {
    char key[64];
    limit_key(q->limit, q->limit->step, key, sizeof key);
    q->session.n_overrides = overrides;
    const enum ww_status s = add_override(c, &q->session, arena_strdup(&c->arena, key));
    if (s != WW_OK) return s;
    keep_clock(w, key);
    json_decref(w->how.json);
    w->how.json = NULL;
    struct gpu_config *const config = gpu_config_new(&c->arena);
    q->config = config;
    q->model = NULL;
    q->folder = NULL;
    q->is_silent = true;
    return session_configure(&q->session, &c->diags, config, savings);
}

static int run_it(struct cli *c, struct run_request *q, struct run_words *w,
                  const struct cli_args *args) {
    // A wrong GPU file or key is our user's mistake: say so before anything starts.
    struct gpu_config *const config = gpu_config_new(&c->arena);
    struct savings savings;
    struct session_filter *filter = NULL;
    enum ww_status s = configure(c, q, config, &savings);
    if (s == WW_OK) s = session_filter_create(&q->session, &c->diags, &filter);
    session_filter_destroy(filter);
    if (s == WW_OK && q->session.check_bounds && q->session.open_pages)
        s = diag_add(&c->diags, WW_ERROR_USAGE,
                     "--check bounds and --bounds page ask for the opposite of each other");
    if (s != WW_OK) return cli_fail(c, s);
    q->config = config;
    q->session.per_instruction = q->out_dir != NULL;
    q->session.per_sm = q->out_dir && !q->session.sample;
    // Two intervals a sample, and no launches that are added up: each kernel keeps its own place.
    if (q->probe.hz > 0 && !q->session.interval_cycles)
        q->session.interval_cycles =
            (uint64_t)fmax(1e6 * gpu_config_real(config, "clocks.core_mhz") / (2 * q->probe.hz),
                           PROBE_INTERVAL_LEAST);
    // for the page: enough to see phases, bounded for any length of run
    if ((q->out_dir || q->trace) && !q->session.interval_cycles && !q->session.sample) {
        q->session.interval_cycles = PAGE_INTERVAL_CYCLES;
        q->session.intervals_most = PAGE_INTERVALS_MOST;
        q->session.intervals_total = PAGE_INTERVALS_TOTAL;
    }
    // One past an allocation's end is found out in programs and kernels of the user's own.
    // Workloads keep the places, and so the cycles, that published figures were taken with.
    const bool is_own = args->after_dashes || run_is_kernel_file(w->what);
    // With any check they have their allocations apart as well.
    q->session.check_bounds = q->session.check_bounds || is_own || q->session.check_leaks ||
                              q->session.check_races || q->session.check_sync ||
                              q->session.check_uninitialised;
    q->keeps_record = q->out_dir || q->record;
    struct limit_search *const limit = arena_alloc(&c->arena, sizeof *limit);
    limit_begin(limit, config);
    // a program may do more than compute: it is started again only when that was asked for
    if (limit->watts > 0 && (!args->after_dashes || w->limit_again)) q->limit = limit;
    const uint32_t overrides = q->session.n_overrides;
    int code;
    while ((code = run_once(c, q, w, args, &savings)) == RUN_AGAIN)
        if ((s = take_clock(c, q, w, overrides, &savings)) != WW_OK) return cli_fail(c, s);
    return code;
}

static int run_words(struct cli *c, int argc, char **argv, struct how_again *again);

// `--again DIR`: the words that DIR's run was started with, behind those of this command that say
// where results go.
static int run_again(struct cli *c, int argc, char **argv, struct run_words *w) {
    for (int o = 0; o < OPT_N; o++)
        if (w->given & ~of_output & OPTION_BIT(o))
            return cli_usage("--again runs what DIR holds: %s would make it another run",
                             option[o].name);
    if (w->what || json_array_size(w->how.words))
        return cli_usage("--again runs what DIR holds, and takes no words beside: `%s` is too much",
                         json_string_value(json_array_get(w->how.words, 0)));
    struct how_again again;
    const enum ww_status s = how_again(c, w->again, &again);
    if (s != WW_OK) return cli_fail(c, s);
    const json_t *const words = json_object_get(again.how, "words");
    const size_t n = json_array_size(words);
    char **all = arena_alloc(&c->arena, ((size_t)argc + n + 1) * sizeof *all);
    int at = 0;
    for (int i = 0; i < argc; i++) all[at++] = argv[i];
    for (size_t i = 0; i < n; i++)
        all[at++] = arena_strdup(&c->arena, json_string_value(json_array_get(words, i)));
    all[at] = NULL;
    const int code = run_words(c, at, all, &again);
    json_decref(again.how);
    return code;
}

// Names of files to write hold from wherever the run is made.
static const char *from_here(struct cli *c, const char *path) {
    if (!path || *path == '/') return path;
    char *here = getcwd(NULL, 0);
    const char *const whole = here ? arena_printf(&c->arena, "%s/%s", here, path) : path;
    free(here);
    return whole;
}

static int run_words(struct cli *c, int argc, char **argv, struct how_again *again) {
    struct run_request q = {.session = {.host_threads = 1, .progress = true}, .again = again};
    struct run_words w = {.size = "small",
                          .ptx = {.launches = 1, .grid = {1, 1, 1}, .block = {1, 1, 1}},
                          .many = {.policy = "none", .pool = POOL_DEFAULTS}};
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    int code = take_words(c, &args, &q, &w);
    if (code == GO_ON && w.again && !again) {
        code = run_again(c, argc, argv, &w);
        how_free(&w.how);
        return code;
    }
    if (code == GO_ON && again) {
        q.out_dir = from_here(c, q.out_dir);
        q.record = from_here(c, q.record);
        q.trace = from_here(c, q.trace);
        q.probe.measured = from_here(c, q.probe.measured);
        again->gpu_file = from_here(c, again->gpu_file);
        const enum ww_status s = how_go_there(c, again);
        if (s != WW_OK) code = cli_fail(c, s);
    }
    if (code == GO_ON && !q.session.gpu)
        q.session.gpu = args.after_dashes && args.at < args.argc
                            ? cli_gpu_of_program(c, args.argv[args.at])
                        : args.after_dashes ? SESSION_GPU_OF_PROGRAMS
                                            : SESSION_GPU;
    if (code == GO_ON && w.all) {
        code = run_every_workload(c, &args, &q, &w);
    } else if (code == GO_ON) {
        code = check_words(&q, &w, &args);
        if (code == GO_ON) code = run_it(c, &q, &w, &args);
    }
    how_free(&w.how);
    return code;
}

int cmd_run(struct cli *c, int argc, char **argv) { return run_words(c, argc, argv, NULL); }
