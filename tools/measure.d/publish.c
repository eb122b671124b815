// Turns results into rows of a study's published.csv (docs/add-a-study.md): study, source,
// workload, configuration, metric, value, unit. Results of blind kernels are given only where they
// are asked for.
#include "parts.h"

#include <stdlib.h>
#include <string.h>

struct row {
    char *fields[16];
};

static const char *study, *source;

static void publish(const char *workload, const char *metric, double value, const char *unit) {
    printf("%s,\"%s\",%s,measured,%s,%.7g,%s\n", study, source, workload, metric, value, unit);
}

// Metrics of the profiler, called as studies call them; factor: of its unit.
static const struct {
    const char *metric, *name, *unit;
    double factor;
} names[] = {
    {"gpc__cycles_elapsed.max", "cycles", "cycles", 1},
    {"sm__cycles_active.avg", "active cycles", "cycles", 1},
    {"smsp__inst_executed.sum", "warp instructions", "", 1},
    {"smsp__thread_inst_executed.sum", "thread instructions", "", 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors read of L1", "sectors", 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors written to L1", "sectors", 1},
    {"lts__t_sectors_op_read.sum", "sectors read of L2", "sectors", 1},
    {"lts__t_sectors_op_write.sum", "sectors written to L2", "sectors", 1},
    {"dram__bytes_read.sum", "sectors read of DRAM", "sectors", 1.0 / 32},
    {"dram__bytes_write.sum", "sectors written to DRAM", "sectors", 1.0 / 32},
    {"launch__registers_per_thread", "registers", "", 1},
};

static void of_kernels(const struct row *r) {
    publish(r->fields[0], "milliseconds", atof(r->fields[7]), "ms");
    if (*r->fields[8])
        publish(r->fields[0], "cycles by the clock", atof(r->fields[7]) * atof(r->fields[8]) * 1e3,
                "cycles");
}
static void of_counters(const struct row *r) {
    char workload[300];
    snprintf(workload, sizeof workload, strcmp(r->fields[0], "kernels") == 0 ? "%s%s" : "%s %s",
             strcmp(r->fields[0], "kernels") == 0 ? "" : r->fields[0], r->fields[1]);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(r->fields[3], names[i].metric) == 0 && *r->fields[4])
            publish(workload, names[i].name, atof(r->fields[4]) * names[i].factor, names[i].unit);
    }
}
static void of_workloads(const struct row *r) {
    char workload[300];
    if (strcmp(r->fields[10], "passed") != 0) return;
    snprintf(workload, sizeof workload, "%s %s %s", r->fields[5], r->fields[6], r->fields[7]);
    publish(workload, "milliseconds", atof(r->fields[9]), "ms");
}
static void of_rates(const struct row *r) {
    if (strcmp(r->fields[1], "ok") != 0) return;
    if (strcmp(r->fields[2], "1") == 0 && strcmp(r->fields[3], "1") == 0)
        publish(r->fields[0], "latency", atof(r->fields[5]), "cycles");
    if (strcmp(r->fields[2], "8") == 0 && strcmp(r->fields[3], "16") == 0)
        publish(r->fields[0], "lanes a cycle", atof(r->fields[6]), "");
}
static void of_chase(const struct row *r) {
    char workload[160];
    snprintf(workload, sizeof workload, "chase %s %s %s %s B apart over %s B", r->fields[0],
             r->fields[1], r->fields[2], r->fields[4], r->fields[3]);
    publish(workload, "latency", atof(r->fields[6]), "cycles");
}
static void of_bandwidth(const struct row *r) {
    char workload[160];
    snprintf(workload, sizeof workload, "%s %s blocks %s B in flight over %s B", r->fields[0],
             r->fields[1], r->fields[4], r->fields[5]);
    publish(workload, "bandwidth", atof(r->fields[8]), "GB/s");
}
static void of_power(const struct row *r) {
    char workload[160];
    snprintf(workload, sizeof workload, "%s %s %s lanes %s SMs", r->fields[0], r->fields[1],
             r->fields[2], r->fields[3]);
    if (*r->fields[6]) publish(workload, "power", atof(r->fields[6]), "W");
    if (*r->fields[10]) publish(workload, "core clock", atof(r->fields[10]), "MHz");
}
static void of_hopper(const struct row *r) {
    char workload[300];
    snprintf(workload, sizeof workload, "%s %s%s%s%s%s%s%s%s", r->fields[0], r->fields[1],
             *r->fields[2] ? " cluster of " : "", r->fields[2], *r->fields[3] ? " rank " : "",
             r->fields[3], *r->fields[4] ? " bytes " : "", r->fields[4],
             *r->fields[7] ? " other" : "");
    if (*r->fields[8]) publish(workload, "value", atof(r->fields[8]), r->fields[9]);
}

int publish_results(const char *folder, const char *name, bool blind) {
    static const struct {
        const char *file;
        void (*each)(const struct row *r);
        bool blind;
    } files[] = {{"rates", of_rates, false},          {"chase", of_chase, false},
                 {"bandwidth", of_bandwidth, false},  {"async", of_hopper, false},
                 {"hopper", of_hopper, false},        {"kernels", of_kernels, false},
                 {"counters", of_counters, false},    {"workloads", of_workloads, false},
                 {"profile", of_counters, false},     {"power", of_power, false},
                 {"kernels-blind", of_kernels, true}, {"counters-blind", of_counters, true}};
    // The device names the source.
    char device[160] = "a GPU", *line = NULL;
    size_t room = 0;
    struct text path = {0};
    text_add(&path, "%s/device.csv", folder);
    FILE *f = fopen(path.at, "r");
    while (f && getline(&line, &room, f) > 0) {
        if (strncmp(line, "name,", 5) == 0)
            snprintf(device, sizeof device, "%.*s by tools/measure", (int)strcspn(line + 5, ",\n"),
                     line + 5);
    }
    if (f) fclose(f);
    text_free(&path);
    study = name, source = device;
    printf("study,source,workload,configuration,metric,value,unit\n");
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i].blind && !blind) continue;
        text_add(&path, "%s/%s.csv", folder, files[i].file);
        f = fopen(path.at, "r");
        text_free(&path);
        const size_t columns = strlen(sheet_form_find(files[i].file)->kinds);
        for (unsigned n = 0; f && getline(&line, &room, f) > 0; n++) {
            struct row r = {0};
            size_t have = 0;
            line[strcspn(line, "\n")] = 0;
            for (char *p = line; have < sizeof r.fields / sizeof *r.fields; p++) {
                r.fields[have++] = p;
                p += strcspn(p, ",");
                if (!*p) break;
                *p = 0;
            }
            if (n && have == columns) files[i].each(&r);
        }
        if (f) fclose(f);
    }
    free(line);
    return 0;
}
