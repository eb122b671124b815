// The run as files for programs: JSON, CSV, XML. Every counter stands by its name;
// the XML also has the activity factors that GPUSimPow's report shows by name (its table 1):
// af_generated_gmem_reads and af_rdsch_percent.
#include "activity/stall.h"
#include "base/sum.h"
#include "report/account.h"

#include <errno.h>
#include <libxml/xmlwriter.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { RUN_FORMAT = ACTIVITY_FORMAT }; // run.json is an activity file too

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

static json_t *derived(const struct run *r, const json_t *a) {
    const json_t *gpu = json_object_get(r->header, "gpu");
    double cycles = 0, seconds = 0, host_s = 0, warp = 0, thread = 0;
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        cycles += (double)json_integer_value(json_object_get(l, "cycles"));
        seconds += json_real_value(json_object_get(l, "seconds"));
        host_s += json_real_value(json_object_get(l, "host_seconds"));
        warp += (double)json_integer_value(json_object_get(l, "warp_instructions"));
        thread += (double)json_integer_value(json_object_get(l, "thread_instructions"));
    }
    const double bytes =
        (double)(run_counter(a, "dram_read_bytes") + run_counter(a, "dram_write_bytes"));
    const double row_hits = (double)run_counter(a, "dram_row_hits");
    json_t *o = json_object();
    json_object_set_new(o, "cycles", json_integer((json_int_t)cycles));
    json_object_set_new(o, "seconds", json_real(seconds));
    json_object_set_new(o, "host_seconds", json_real(host_s));
    json_object_set_new(o, "warp_instructions", json_integer((json_int_t)warp));
    json_object_set_new(o, "thread_instructions", json_integer((json_int_t)thread));
    json_object_set_new(o, "ipc", json_real(ratio(thread, cycles)));
    json_object_set_new(o, "warp_ipc", json_real(ratio(warp, cycles)));
    json_object_set_new(o, "lanes_per_instruction", json_real(ratio(thread, warp)));
    json_object_set_new(o, "l1_hit_rate",
                        json_real(ratio((double)run_counter(a, "l1_read_hits"),
                                        (double)run_counter(a, "l1_reads"))));
    json_object_set_new(o, "l2_hit_rate",
                        json_real(ratio((double)run_counter(a, "l2_read_hits"),
                                        (double)run_counter(a, "l2_reads"))));
    json_object_set_new(o, "dram_bytes_per_s", json_real(ratio(bytes, seconds)));
    json_object_set_new(
        o, "dram_peak_share",
        json_real(ratio(ratio(bytes, seconds),
                        json_real_value(json_object_get(gpu, "dram_peak_bytes_per_s")))));
    json_object_set_new(
        o, "dram_row_hit_rate",
        json_real(ratio(row_hits, row_hits + (double)run_counter(a, "dram_row_misses"))));
    json_object_set_new(o, "warp_instructions_per_host_s", json_real(ratio(warp, host_s)));
    return o;
}

static json_t *slots(const json_t *a) {
    json_t *o = json_object();
    for (size_t i = 0; i < STALL_N; i++)
        json_object_set_new(o, stall_text((enum stall_reason)i),
                            json_integer((json_int_t)run_counter_at(a, "issue_slots", i)));
    return o;
}

// What sampling estimated, with 95 % intervals; NULL without sampling.
static json_t *estimate_json(const struct run *r, const struct account *power) {
    const json_t *const sampling = json_object_get(r->end, "sampling");
    if (!sampling) return NULL;
    json_t *const o = json_copy((json_t *)(uintptr_t)sampling);
    json_object_set_new(o, "half_cycles", json_real(run_half_cycles(r->end)));
    if (power)
        json_object_set_new(o, "half_j", json_real(run_half_j(r->end, power->kernels.energy_j)));
    return o;
}

json_t *run_to_json(const struct run *r, const struct account *power, bool whole) {
    json_t *a = run_total_activity(r);
    json_t *o = json_object();
    char digits[SUM_TEXT_BYTES];
    json_object_set_new(o, "format", json_integer(RUN_FORMAT));
    json_object_set_new(o, "record", json_string(sum_text(r->sum, digits)));
    if (json_object_get(r->header, "run"))
        json_object_set(o, "run", json_object_get(r->header, "run"));
    json_object_set_new(o, "program", json_copy(json_object_get(r->header, "program")));
    json_object_set(o, "gpu", json_object_get(r->header, "gpu"));
    if (json_object_get(r->header, "told"))
        json_object_set(o, "told", json_object_get(r->header, "told"));
    json_object_set_new(o, "complete", json_boolean(r->end != NULL));
    json_object_set_new(o, "processes", json_integer((json_int_t)r->processes));
    json_object_set_new(o, "launches_refused", json_integer((json_int_t)run_refused(r)));
    const enum ww_status s = run_status(r);
    json_object_set_new(o, "status", json_string(ww_status_text(s)));
    json_object_set_new(o, "summary", derived(r, a));
    json_object_set_new(o, "issue_slots", slots(a));
    json_object_set_new(o, "activity", a);
    json_object_set(o, "launches", r->launches);
    if (r->end) json_object_set(o, "totals", r->end);
    json_t *const estimate = estimate_json(r, power);
    if (estimate) json_object_set_new(o, "estimate", estimate);
    struct arena arena;
    arena_init(&arena, NULL);
    json_object_set_new(o, "steps", steps_json(&arena, r, power, 0));
    json_t *const ranges = ranges_json(&arena, r, power, 0);
    if (ranges) json_object_set_new(o, "ranges", ranges);
    arena_free(&arena);
    json_t *savings = power ? account_savings_json(power) : NULL;
    if (savings) json_object_set_new(o, "savings", savings);
    if (power && whole) json_object_set_new(o, "power", account_json(power, true));
    return o;
}

// ---- CSV --------------------------------------------------------------------------------------
// `zeros`: counters that counted nothing stand there too.
static void csv_counters(FILE *f, const char *head, const json_t *a, bool zeros) {
    for (uint32_t k = 0; k < act_rows(); k++) {
        const struct act_info *row = act_row(k);
        for (uint32_t n = 0; n < row->n; n++) {
            char index[16] = "";
            if (row->n > 1) snprintf(index, sizeof index, "%u", n);
            const uint64_t v = run_counter_at(a, row->name, n);
            if (v || zeros)
                fprintf(f, "%s,%s,%s,%llu,%s,%s\n", head, row->name, index, (unsigned long long)v,
                        row->unit, row->component);
        }
    }
}

static void csv_activity(const struct run *r, const struct account *power, FILE *f) {
    (void)power;
    fputs("launch,kernel,counter,index,value,unit,component\n", f);
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        char head[512];
        snprintf(head, sizeof head, "%lld,%.400s",
                 (long long)json_integer_value(json_object_get(l, "id")),
                 json_string_value(json_object_get(l, "kernel")));
        csv_counters(f, head, json_object_get(l, "activity"), true);
    }
}

static void csv_intervals(const struct run *r, const struct account *power, FILE *f) {
    (void)power;
    fputs("launch,kernel,from_cycle,to_cycle,counter,index,value,unit,component\n", f);
    size_t i, k;
    json_t *l, *interval;
    json_array_foreach(r->launches, i, l)
        json_array_foreach(json_object_get(l, "intervals"), k, interval) {
        char head[512];
        snprintf(head, sizeof head, "%lld,%.400s,%lld,%lld",
                 (long long)json_integer_value(json_object_get(l, "id")),
                 json_string_value(json_object_get(l, "kernel")),
                 (long long)json_integer_value(json_object_get(interval, "from")),
                 (long long)json_integer_value(json_object_get(interval, "to")));
        csv_counters(f, head, json_object_get(interval, "activity"), false);
    }
}

static void csv_instructions(const struct run *r, const struct account *power, FILE *f) {
    (void)power;
    fputs("launch,kernel,pc,instruction,ptx_line,source_line,issues,lanes", f);
    for (unsigned s = 0; s < STALL_N; s++)
        fprintf(f, ",stall_%s", stall_text((enum stall_reason)s));
#define INST_MEMORY(name, unit, prose) fputs("," #name, f);
#include "sm/inst_memory.def"
#undef INST_MEMORY
    fputc('\n', f);
    size_t i, k;
    json_t *l, *n;
    json_array_foreach(r->launches, i, l)
        json_array_foreach(json_object_get(l, "instructions"), k, n) {
        fprintf(f, "%lld,%s,%lld,\"%s\",%lld,%lld,%lld,%lld",
                (long long)json_integer_value(json_object_get(l, "id")),
                json_string_value(json_object_get(l, "kernel")),
                (long long)json_integer_value(json_object_get(n, "pc")),
                json_string_value(json_object_get(n, "text")),
                (long long)json_integer_value(json_object_get(n, "ptx_line")),
                (long long)json_integer_value(json_object_get(n, "src_line")),
                (long long)json_integer_value(json_object_get(n, "issues")),
                (long long)json_integer_value(json_object_get(n, "lanes")));
        const json_t *stalls = json_object_get(n, "stalls");
        for (unsigned s = 0; s < STALL_N; s++)
            fprintf(f, ",%lld",
                    (long long)json_integer_value(
                        json_object_get(stalls, stall_text((enum stall_reason)s))));
        const json_t *memory = json_object_get(n, "memory");
#define INST_MEMORY(name, unit, prose)                                                             \
    fprintf(f, ",%lld", (long long)json_integer_value(json_object_get(memory, #name)));
#include "sm/inst_memory.def"
#undef INST_MEMORY
        fputc('\n', f);
    }
}

// ---- XML --------------------------------------------------------------------------------------
static void xml_stat(xmlTextWriterPtr w, const char *name, const char *unit, const char *value) {
    xmlTextWriterStartElement(w, BAD_CAST "stat");
    xmlTextWriterWriteAttribute(w, BAD_CAST "name", BAD_CAST name);
    xmlTextWriterWriteAttribute(w, BAD_CAST "value", BAD_CAST value);
    if (unit) xmlTextWriterWriteAttribute(w, BAD_CAST "unit", BAD_CAST unit);
    xmlTextWriterEndElement(w);
}

// A number that is not known is left out.
static void xml_number(xmlTextWriterPtr w, const char *name, double v) {
    char text[40];
    snprintf(text, sizeof text, "%.12g", v);
    if (v > 0) xmlTextWriterWriteAttribute(w, BAD_CAST name, BAD_CAST text);
}

static void xml_activity(xmlTextWriterPtr w, const json_t *a) {
    char value[40], name[96];
    for (uint32_t k = 0; k < act_rows(); k++) {
        const struct act_info *row = act_row(k);
        for (uint32_t n = 0; n < row->n; n++) {
            snprintf(value, sizeof value, "%llu",
                     (unsigned long long)run_counter_at(a, row->name, n));
            if (row->n > 1)
                snprintf(name, sizeof name, "%s.%u", row->name, n);
            else
                snprintf(name, sizeof name, "%s", row->name);
            xml_stat(w, name, row->unit, value);
        }
    }
    // GPUSimPow's names. rdsch: share of DRAM command clocks that move read data.
    snprintf(value, sizeof value, "%llu", (unsigned long long)run_counter(a, "gmem_reads"));
    xml_stat(w, "af_generated_gmem_reads", NULL, value);
    const double reads = (double)run_counter(a, "dram_reads"),
                 writes = (double)run_counter(a, "dram_writes");
    const double busy =
        ratio((double)run_counter(a, "dram_bus_cycles"), (double)run_counter(a, "dram_cycles"));
    snprintf(value, sizeof value, "%.6f", busy * ratio(reads, reads + writes));
    xml_stat(w, "af_rdsch_percent", NULL, value);
}

static bool write_xml(const struct run *r, const char *path) {
    xmlTextWriterPtr w = xmlNewTextWriterFilename(path, 0);
    if (!w) return false;
    xmlTextWriterSetIndent(w, 1);
    xmlTextWriterStartDocument(w, NULL, "UTF-8", NULL);
    xmlTextWriterStartElement(w, BAD_CAST "activity");
    xmlTextWriterWriteAttribute(w, BAD_CAST "format", BAD_CAST "1");
    const json_t *gpu = json_object_get(r->header, "gpu");
    xmlTextWriterWriteAttribute(w, BAD_CAST "gpu",
                                BAD_CAST json_string_value(json_object_get(gpu, "name")));
    xml_number(w, "core_mhz", json_real_value(json_object_get(gpu, "core_clock_mhz")));
    xml_number(w, "seconds", json_real_value(json_object_get(r->end, "seconds")));
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        xmlTextWriterStartElement(w, BAD_CAST "kernel");
        xmlTextWriterWriteAttribute(w, BAD_CAST "name",
                                    BAD_CAST json_string_value(json_object_get(l, "kernel")));
        char id[24];
        snprintf(id, sizeof id, "%lld", (long long)json_integer_value(json_object_get(l, "id")));
        xmlTextWriterWriteAttribute(w, BAD_CAST "launch", BAD_CAST id);
        xml_number(w, "seconds", json_real_value(json_object_get(l, "seconds")));
        xml_activity(w, json_object_get(l, "activity"));
        xmlTextWriterEndElement(w);
    }
    const bool ok = xmlTextWriterEndDocument(w) >= 0;
    xmlFreeTextWriter(w);
    return ok;
}

// ---- the directory ----------------------------------------------------------------------------
typedef void file_writer(const struct run *r, const struct account *power, FILE *f);

static enum ww_status through_file(const struct run *r, const struct account *power,
                                   const char *dir, const char *name, file_writer *write,
                                   struct diags *d) {
    char path[4096], tmp[4096 + 8];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    snprintf(tmp, sizeof tmp, "%s.tmp", path);
    errno = 0;
    FILE *f = fopen(tmp, "w");
    if (!f) return diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    write(r, power, f);
    const bool bad = ferror(f) != 0;
    if ((fclose(f) != 0) | bad) {
        const int why = errno;
        remove(tmp);
        return diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(why ? why : EIO));
    }
    if (rename(tmp, path) != 0)
        return diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    return WW_OK;
}

static void write_steps(const struct run *r, const struct account *power, FILE *f) {
    struct arena a;
    arena_init(&a, NULL);
    steps_csv(&a, r, power, f);
    arena_free(&a);
}

static void write_ranges(const struct run *r, const struct account *power, FILE *f) {
    struct arena a;
    arena_init(&a, NULL);
    ranges_csv(&a, r, power, f);
    arena_free(&a);
}

static void write_json(const struct run *r, const struct account *power, FILE *f) {
    json_t *o = run_to_json(r, power, false);   // the account has files of its own
    char *text = json_dumps(o, JSON_INDENT(1)); // json_dumpf writes a token at a time
    if (text)
        fputs(text, f);
    else
        json_dumpf(o, f, JSON_INDENT(1));
    fputc('\n', f);
    free(text);
    json_decref(o);
}

static bool has(const struct run *r, const char *key) {
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) if (json_object_get(l, key)) return true;
    return false;
}

enum ww_status files_write(const struct run *r, const struct account *power, const char *dir,
                           struct diags *d) {
    const struct {
        const char *name;
        file_writer *write;
        bool wanted;
    } file[] = {{"run.json", write_json, true},
                {"steps.csv", write_steps, true},
                {"ranges.csv", write_ranges, json_array_size(r->ranges) > 0},
                {"activity.csv", csv_activity, true},
                {"intervals.csv", csv_intervals, has(r, "intervals")},
                {"instructions.csv", csv_instructions, has(r, "instructions")}};
    enum ww_status s = file_make_folder(dir, d);
    for (size_t i = 0; i < WW_COUNT(file) && s == WW_OK; i++)
        if (file[i].wanted) s = through_file(r, power, dir, file[i].name, file[i].write, d);
    if (s != WW_OK) return s;
    char path[4096], tmp[4096 + 8];
    snprintf(path, sizeof path, "%s/activity.xml", dir);
    snprintf(tmp, sizeof tmp, "%s.tmp", path);
    errno = 0;
    if (!write_xml(r, tmp) || rename(tmp, path) != 0)
        return diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(errno ? errno : EIO));
    return WW_OK;
}
