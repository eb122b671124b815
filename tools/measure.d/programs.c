// Parts that start other programs: `workloads` runs what tools/run-on-real-gpu built, `counters`
// and `profile` look on with Nsight Compute. None of them needs a GPU of its own process.
//
// The profiler empties caches before each pass of a kernel, as it did for the measurements that
// docs/volta.md compares with, and leaves the clocks alone.
#include "programs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parts.h"

static bool can_run(const char *path) { return access(path, X_OK) == 0; }

// ---------------------------------------------------------------------------------- workloads
// Names of the programs of a kit, in order; the caller frees nothing: a part's process ends soon.
static char **programs_of(struct kit *k, unsigned *count) {
    struct text path = {0};
    text_add(&path, "%s/programs", k->home);
    DIR *d = opendir(path.at);
    char **names = NULL;
    *count = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct text program = {0};
        text_add(&program, "%s/%s/%s", path.at, e->d_name, e->d_name);
        if (e->d_name[0] != '.' && can_run(program.at)) {
            names = need(realloc(names, (*count + 1) * sizeof *names));
            names[(*count)++] = copy_text(e->d_name);
        }
        text_free(&program);
    }
    if (d) closedir(d);
    text_free(&path);
    for (unsigned i = 1; i < *count; i++) { // few enough to insert
        for (unsigned j = i; j > 0 && strcmp(names[j], names[j - 1]) < 0; j--) {
            char *swap = names[j];
            names[j] = names[j - 1], names[j - 1] = swap;
        }
    }
    return names;
}

// Whether a file of results has a line that contains the text.
static bool has_line(struct kit *k, const char *file, const char *text) {
    struct text path = {0};
    text_add(&path, "%s/%s.csv", k->out, file);
    FILE *f = fopen(path.at, "r");
    text_free(&path);
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (f && !found && getline(&line, &room, f) > 0) found = strstr(line, text) != NULL;
    free(line);
    if (f) fclose(f);
    return found;
}

void workloads_run(struct kit *k) {
    unsigned count;
    char **names = programs_of(k, &count);
    if (!count) kit_leave("the kit has no programs/: tools/measure build makes them");
    struct sheet s = sheet_more(k, "workloads");
    sheet_close(&s);
    static const char *const sizes[] = {"volta", "paper", "small"};
    bool whole = true;
    unsigned failures = 0;
    for (unsigned z = 0; z < 3; z++) {
        if (!k->scale && z < 2) continue;
        for (unsigned i = 0; i < count; i++) {
            if (k->only && !strstr(names[i], k->only)) continue;
            struct text key = {0}, command = {0};
            text_add(&key, ",%s,%s,", names[i], sizes[z]);
            if (!has_line(k, "workloads", key.at)) {
                if (kit_left(k) < 5 && k->scale) {
                    whole = false;
                    text_free(&key);
                    continue;
                }
                // The tool writes a whole file; its lines are moved over.
                text_add(&command,
                         "sh '%s/tree/tools/run-on-real-gpu' --no-build -b '%s/programs' -n %d -s "
                         "%s -o '%s/one.csv' '%s' >/dev/null 2>'%s/one.log' && "
                         "tail -n +2 '%s/one.csv' >>'%s/workloads.csv'; r=$?; rm -f '%s/one.csv' "
                         "'%s/one.log'; exit $r",
                         k->home, k->home, k->scale ? 3 : 1, sizes[z], k->out, names[i], k->out,
                         k->out, k->out, k->out, k->out);
                // A workload without such a size is refused by the tool: that is no failure.
                struct text table = {0};
                text_add(&table,
                         "grep -q '^  %s: {args' '%s/tree/workloads/%s/workload.yaml' "
                         "'%s/tree/workloads/volta/%s/workload.yaml' 2>/dev/null",
                         sizes[z], k->home, names[i], k->home, names[i]);
                if (system(table.at) == 0 && system(command.at) != 0) {
                    fprintf(stderr, "measure: %s %s failed\n", names[i], sizes[z]);
                    failures++;
                }
                text_free(&table);
            }
            text_free(&key);
            text_free(&command);
        }
    }
    k->cut = !whole;
    if (failures) die("%u of %u programs failed", failures, count);
}

// ----------------------------------------------------------------------------------- profiler
static bool find_ncu(char *to, size_t room) {
    FILE *f = popen(
        "command -v ncu || ls /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null",
        "r");
    if (!f) return false;
    const bool found = fgets(to, (int)room, f) != NULL;
    while (found && fgetc(f) != EOF) {
    }
    pclose(f);
    to[strcspn(to, "\n")] = 0;
    return found && *to && !getenv("MEASURE_NO_NCU");
}

// Metrics that are asked, each only where the profiler knows its name. The first few are enough for
// a program.
static const char *const metrics[] = {
    "gpc__cycles_elapsed.max",
    "sm__cycles_active.avg",
    "gpu__time_duration.sum",
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "launch__registers_per_thread",
    "launch__grid_size",
    "launch__block_size", // enough for a program
    "sm__cycles_elapsed.max",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "lts__t_sectors.sum",
    "lts__t_sectors_op_atom.sum",
    "lts__t_sectors_op_red.sum",
    "l1tex__data_bank_conflicts_pipe_lsu.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "smsp__inst_executed_pipe_alu.sum",
    "smsp__inst_executed_pipe_fma.sum",
    "smsp__inst_executed_pipe_fmaheavy.sum",
    "smsp__inst_executed_pipe_xu.sum",
    "smsp__inst_executed_pipe_lsu.sum",
    "smsp__inst_executed_pipe_fp64.sum",
    "smsp__inst_executed_pipe_tensor.sum",
    "smsp__inst_executed_pipe_uniform.sum",
    "smsp__inst_executed_pipe_cbu.sum",
    "smsp__inst_executed_pipe_adu.sum",
    "smsp__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.sum",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio",
    "sm__inst_executed_pipe_tensor_op_hmma.sum",
    "idc__requests.sum",
    "lts__d_sectors_fill_device.sum",
};
enum { METRICS = sizeof metrics / sizeof *metrics, FEW = 12 };

// Those that the profiler knows, with commas between; all where it can't be asked.
static char *known_metrics(const char *ncu, unsigned count) {
    struct text command = {0}, list = {0}, names = {0};
    text_add(&command, "'%s' --query-metrics 2>/dev/null", ncu);
    FILE *f = popen(command.at, "r");
    char line[512];
    while (f && fgets(line, sizeof line, f))
        text_add(&names, "\n%.*s ", (int)strcspn(line, " \n"), line);
    if (f) pclose(f);
    for (unsigned i = 0; i < count; i++) {
        // launch__ ones are never listed; the others are by what stands before the first dot.
        char key[160];
        snprintf(key, sizeof key, "\n%.*s ", (int)strcspn(metrics[i], "."), metrics[i]);
        if (names.length > 1000 && strncmp(metrics[i], "launch__", 8) != 0 &&
            !strstr(names.at, key))
            continue;
        text_add(&list, "%s%s", list.length ? "," : "", metrics[i]);
    }
    text_free(&command);
    text_free(&names);
    return list.at;
}

// A field of quoted CSV; returns what follows it.
static const char *field(const char *p, char *to, size_t room) {
    size_t n = 0;
    const bool quoted = *p == '"';
    if (quoted) p++;
    while (*p && *p != '\n' && (quoted ? *p != '"' : *p != ',')) {
        if (n + 1 < room) to[n++] = *p;
        p++;
    }
    to[n] = 0;
    if (quoted && *p == '"') p++;
    return *p == ',' ? p + 1 : p;
}

// Runs a program under the profiler; a line of the sheet for every metric of every launch. -1: it
// failed.
static int profile(struct sheet *s, const char *program, const char *command) {
    FILE *f = popen(command, "r");
    if (!f) return -1;
    char *line = NULL;
    size_t room = 0;
    int columns[5] = {-1, -1, -1, -1, -1}, lines = 0;
    static const char *const heads[5] = {"ID", "Kernel Name", "Metric Name", "Metric Unit",
                                         "Metric Value"};
    while (getline(&line, &room, f) > 0) {
        if (line[0] != '"') continue;
        char value[512], got[5][512] = {"", "", "", "", ""};
        const bool header = columns[0] < 0;
        int at = 0;
        for (const char *p = line; *p && *p != '\n'; at++) {
            p = field(p, value, sizeof value);
            for (int c = 0; c < 5; c++) {
                if (header && strcmp(value, heads[c]) == 0) columns[c] = at;
                if (!header && columns[c] == at) memcpy(got[c], value, sizeof value);
            }
        }
        if (header || !*got[4]) continue;
        char number[64];
        size_t n = 0;
        for (const char *p = got[4]; *p && n + 1 < sizeof number; p++) {
            if (*p != ',') number[n++] = *p;
        }
        number[n] = 0;
        char *end;
        const double v = strtod(number, &end);
        got[1][strcspn(got[1], "(")] = 0;
        sheet_text(s, program);
        sheet_text(s, got[1]);
        sheet_int(s, atoi(got[0]));
        sheet_text(s, got[2]);
        if (*end)
            sheet_none(s);
        else
            sheet_real(s, v);
        sheet_text(s, got[3]);
        sheet_end(s);
        lines++;
    }
    free(line);
    return pclose(f) == 0 ? lines : lines ? lines : -1;
}

static const char *const options = "--csv --print-units base --clock-control none";

void counters_run(struct kit *k) {
    char ncu[512];
    if (!find_ncu(ncu, sizeof ncu)) kit_leave("there is no Nsight Compute (ncu)");
    struct text command = {0}, self = {0};
    text_add(&self, "%s/measure", k->home);
    char *list = known_metrics(ncu, METRICS);
    struct sheet open = sheet_open(k, "counters"), blind = sheet_open(k, "counters-blind");
    // The kernels of part `kernels`, once each; those that are blind go to their own file. Names
    // are cheap to know: both files that the part leaves in a folder of its own say which is which.
    text_add(&command,
             "mkdir -p '%s/profiled'; '%s' %s --metrics %s '%s' part kernels --once --scale %s "
             "--home '%s' -o '%s/profiled' 2>/dev/null",
             k->out, ncu, options, list, self.at, k->scale ? "full" : "tiny", k->home, k->out);
    struct text both = {0};
    text_add(&both, "%s/counters.tmp", k->out);
    struct sheet mixed = {.file = fopen(both.at, "w+"), .form = sheet_form_find("counters")};
    if (!mixed.file) die("cannot write %s", both.at);
    const int lines = profile(&mixed, "kernels", command.at);
    rewind(mixed.file);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, mixed.file) > 0) {
        char kernel[256], key[300];
        field(line + strcspn(line, ",") + 1, kernel, sizeof kernel);
        // A kernel made from a seed is called k0, k1, ... in its module
        unsigned seed;
        if (sscanf(kernel, "k%u", &seed) == 1)
            snprintf(key, sizeof key, "seed%u,", seed + 1);
        else
            snprintf(key, sizeof key, "%s,", kernel);
        fputs(line, has_line(&(struct kit){.out = k->out}, "profiled/kernels-blind", key)
                        ? blind.file
                        : open.file);
    }
    free(line);
    fclose(mixed.file);
    unlink(both.at);
    sheet_close(&open);
    sheet_close(&blind);
    text_free(&command);
    text_add(&command, "rm -rf '%s/profiled'", k->out);
    if (system(command.at) != 0) fprintf(stderr, "measure: %s/profiled is left\n", k->out);
    if (lines <= 0) die("the profiler counted nothing: is it permitted to?");
}

void profile_run(struct kit *k) {
    char ncu[512];
    unsigned count;
    if (!find_ncu(ncu, sizeof ncu)) kit_leave("there is no Nsight Compute (ncu)");
    char **names = programs_of(k, &count);
    if (!count) kit_leave("the kit has no programs/: tools/measure build makes them");
    char *list = known_metrics(ncu, FEW);
    struct sheet s = sheet_more(k, "profile");
    unsigned failures = 0;
    for (unsigned i = 0; i < count; i++) {
        struct text key = {0}, command = {0};
        text_add(&key, "%s,", names[i]);
        if ((!k->only || strstr(names[i], k->only)) && !has_line(k, "profile", key.at)) {
            if (kit_left(k) < 8 && k->scale) {
                k->cut = true;
                break;
            }
            text_add(&command,
                     "timeout 40 '%s' %s -c 6 --metrics %s '%s/programs/%s/%s' small 2>/dev/null",
                     ncu, options, list, k->home, names[i], names[i]);
            if (profile(&s, names[i], command.at) <= 0) {
                fprintf(stderr, "measure: %s was not counted\n", names[i]);
                failures++;
            }
        }
        text_free(&key);
        text_free(&command);
    }
    sheet_close(&s);
    if (failures == count) die("the profiler counted nothing: is it permitted to?");
}
