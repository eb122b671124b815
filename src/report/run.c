// Reading the record of a run (see report.h): the launches and errors of all processes, one list
// each.
#include "activity/activity.h"
#include "report/record_int.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const char *record_path_of(const char *path, uint32_t process, char *buf, size_t size) {
    if (process == 1)
        snprintf(buf, size, "%s", path);
    else
        snprintf(buf, size, "%s.%u", path, process);
    return buf;
}

void record_remove(const char *path) {
    char name[RECORD_PATH_BYTES];
    for (uint32_t p = 1; p <= RECORD_PROCESSES; p++)
        if (unlink(record_path_of(path, p, name, sizeof name)) != 0 && p > 1) break;
}

// ---- one process ------------------------------------------------------------------------------
// A refusal that stands in the list already counts there.
static void add_error(json_t *errors, json_t *o) {
    size_t i;
    json_t *e;
    json_array_foreach(errors, i, e) {
        if (!json_equal(json_object_get(e, "text"), json_object_get(o, "text"))) continue;
        json_object_set_new(e, "times", json_integer((json_int_t)(run_times(e) + run_times(o))));
        json_decref(o);
        return;
    }
    json_array_append_new(errors, o);
}

// What a process of its own counts from 1: numbers go on where those of the processes before ended.
struct shift {
    json_int_t launch, code, range;
};
static void shift(json_t *o, const char *key, json_int_t by) {
    json_t *n = json_object_get(o, key);
    if (json_is_integer(n)) json_integer_set(n, json_integer_value(n) + by);
}
static struct shift shift_of(const struct run *r) {
    struct shift s = {.code = (json_int_t)json_array_size(r->codes),
                      .range = (json_int_t)json_array_size(r->ranges)};
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        const json_int_t id = json_integer_value(json_object_get(l, "id"));
        const json_int_t end = id + (json_int_t)run_launches(l) - 1;
        if (end > s.launch) s.launch = end;
    }
    return s;
}

static void add_values(json_t *sum, const json_t *o) {
    const char *key;
    const json_t *v;
    json_object_foreach((json_t *)(uintptr_t)o, key, v) {
        json_t *s = json_object_get(sum, key);
        if (!s)
            json_object_set(sum, key, (json_t *)(uintptr_t)v);
        else if (json_is_object(s))
            add_values(s, v);
        else if (json_is_array(s) && json_array_size(s) == json_array_size(v))
            for (size_t i = 0; i < json_array_size(s); i++)
                json_integer_set(json_array_get(s, i),
                                 json_integer_value(json_array_get(s, i)) +
                                     json_integer_value(json_array_get(v, i)));
        else if (json_is_integer(s))
            json_integer_set(s, json_integer_value(s) + json_integer_value(v));
        else if (json_is_real(s))
            json_real_set(s, json_real_value(s) + json_number_value(v));
    }
}

// The nodes of a process are numbered in the order of their lines.
static bool take_range(struct run *r, json_t *o, json_int_t by) {
    shift(o, "id", by);
    const json_int_t id = json_integer_value(json_object_get(o, "id"));
    json_t *const times = json_object_get(o, "times");
    if (times) {
        json_t *const node = id > 0 ? json_array_get(r->ranges, (size_t)id - 1) : NULL;
        return node && json_object_set(node, "times", times) == 0;
    }
    if (json_integer_value(json_object_get(o, "parent"))) shift(o, "parent", by);
    const json_int_t parent = json_integer_value(json_object_get(o, "parent"));
    return id == (json_int_t)json_array_size(r->ranges) + 1 && parent >= 0 && parent < id &&
           json_is_string(json_object_get(o, "name")) && json_array_append(r->ranges, o) == 0;
}

// A line of a record; false: it is none.
static bool take_line(struct run *r, json_t *o, struct shift by, bool *has_head, bool *has_end) {
    const char *type = json_string_value(json_object_get(o, "type"));
    if (!type) return false;
    if (strcmp(type, "run") == 0 && !*has_head) {
        *has_head = true;
        // a process without a GPU is none of those that had one
        const bool has_gpu = !json_is_false(json_object_get(o, "opened"));
        r->processes += has_gpu;
        if (r->header && has_gpu && json_is_false(json_object_get(r->header, "opened"))) {
            json_decref(r->header);
            r->header = NULL;
        }
        if (!r->header) r->header = json_incref(o);
    } else if (strcmp(type, "launch") == 0) {
        shift(o, "id", by.launch);
        shift(o, "code", by.code);
        shift(o, "range", by.range);
        json_array_append(r->launches, o);
    } else if (strcmp(type, "code") == 0) {
        shift(o, "id", by.code);
        json_array_append(r->codes, o);
    } else if (strcmp(type, "copy") == 0) {
        shift(o, "range", by.range);
        json_array_append(r->copies, o);
    } else if (strcmp(type, "range") == 0) {
        return take_range(r, o, by.range);
    } else if (strcmp(type, "error") == 0) {
        add_error(r->errors, json_incref(o));
    } else if (strcmp(type, "end") == 0 && !*has_end) {
        *has_end = true;
        if (r->end)
            add_values(r->end, o);
        else
            r->end = json_incref(o);
    }
    return true;
}

// A record of one process as it is read.
struct reading {
    const char *path;
    uint32_t line;
    uint64_t sum;  // of what was read
    bool has_sums; // format 2 and later
    bool has_head, has_end;
    bool has_work; // a launch, a copy, or something that was refused
    json_t *seal;
};

// Checks the sum at the end of a line and takes it out of `text`.
static bool check_sum(struct reading *q, char *text, size_t len) {
    char want[RECORD_SUM_BYTES + 1], digits[SUM_TEXT_BYTES];
    if (len <= RECORD_SUM_BYTES) return false;
    const size_t n = len - RECORD_SUM_BYTES;
    q->sum = sum_feed(q->sum, text, n);
    snprintf(want, sizeof want, RECORD_SUM_FORMAT, sum_text(q->sum, digits));
    const bool ok = strcmp(text + n, want) == 0;
    q->sum = sum_feed(q->sum, text + n, RECORD_SUM_BYTES);
    memcpy(text + n, "}\n", 3);
    return ok;
}

static enum ww_status check_format(struct reading *q, const json_t *o, struct diags *d) {
    const json_int_t format = json_integer_value(json_object_get(o, "format"));
    q->has_sums = format > 1;
    if (format <= RECORD_FORMAT) return WW_OK;
    return diag_at(d, DIAG_ERROR, WW_ERROR_IO, q->path, NULL, 1, 1,
                   "the record has format %lld, this version reads up to %d", (long long)format,
                   RECORD_FORMAT);
}

// A line that ends in the middle: what a process writes when it is killed, or finds no room.
static enum ww_status cut_here(struct reading *q, struct run *r, struct diags *d) {
    diag_at(d, DIAG_WARNING, WW_ERROR_IO, q->path, NULL, q->line, 1,
            "the record is cut off here; what stands before it is complete");
    r->is_torn = true;
    return WW_OK;
}

static enum ww_status take_text(struct reading *q, struct run *r, struct shift by, char *text,
                                size_t len, struct diags *d) {
    char start[64];
    snprintf(start, sizeof start, "%.63s", text);
    if (q->line == 1) { // its format says whether there are sums
        json_t *o = json_loads(text, 0, NULL);
        const enum ww_status s = check_format(q, o, d);
        json_decref(o);
        if (s != WW_OK) return s;
    }
    if (q->has_sums && !check_sum(q, text, len))
        return diag_at(d, DIAG_ERROR, WW_ERROR_IO, q->path, NULL, q->line, 1,
                       "this line does not fit its checksum: the record was changed, or lines of "
                       "it are missing, since it was written");
    json_t *o = json_loads(text, 0, NULL);
    const char *type = json_string_value(json_object_get(o, "type"));
    if (type && strcmp(type, "seal") == 0) {
        json_decref(q->seal);
        q->seal = json_incref(o);
    }
    const bool good = take_line(r, o, by, &q->has_head, &q->has_end);
    q->has_work = q->has_work || (q->has_head && type && strcmp(type, "run") != 0);
    json_decref(o);
    if (good) return WW_OK;
    return diag_at(d, DIAG_ERROR, WW_ERROR_IO, q->path, NULL, q->line, 1,
                   "this is no line of a record (%s...)", start);
}

static enum ww_status read_process(FILE *f, struct reading *q, struct diags *d, struct run *r) {
    const struct shift by = shift_of(r);
    char *text = NULL;
    size_t cap = 0;
    enum ww_status s = WW_OK;
    for (ssize_t len; s == WW_OK && (len = getline(&text, &cap, f)) > 0;) {
        q->line++;
        if (text[len - 1] != '\n') {
            s = cut_here(q, r, d);
            q->has_work = true; // there was something to say
            break;
        }
        s = take_text(q, r, by, text, (size_t)len, d);
    }
    free(text);
    // a process that opened the GPU and was killed before it asked for anything has lost nothing: compile
    // workers of torch.compile end so
    r->cut_off += !q->has_end && q->has_work;
    if (s != WW_OK || q->has_head) return s;
    return diag_add(d, WW_ERROR_IO, "%s is not the record of a run", q->path);
}

// The seal names the sum that each process's record had; the first one's goes on with the seal.
static enum ww_status check_seal(const json_t *seal, const uint64_t *sum, uint32_t n,
                                 const char *path, struct diags *d, struct run *r) {
    const json_t *list = json_object_get(seal, "processes");
    if (!seal) return WW_OK;
    bool fits = json_array_size(list) == n;
    for (uint32_t p = 1; p < n && fits; p++) {
        const char *text = json_string_value(json_array_get(list, p));
        char digits[SUM_TEXT_BYTES];
        fits = text && strcmp(text, sum_text(sum[p], digits)) == 0;
    }
    r->is_sealed = fits;
    r->is_torn = r->is_torn || json_is_true(json_object_get(seal, "torn"));
    if (fits) return WW_OK;
    return diag_add(d, WW_ERROR_IO,
                    "%s: the records of the run's %zu processes do not belong together: one is "
                    "missing, cut short or of another run",
                    path, json_array_size(list));
}

struct numbered {
    json_t *launch;
    json_int_t id;
    size_t at; // in the record
};
static int by_id(const void *x, const void *y) {
    const struct numbered *a = x, *b = y;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

// Launches stand in the record as they ended; what is made of it goes by their numbers.
static bool sort_launches(json_t *list) {
    const size_t n = json_array_size(list);
    struct numbered *at = malloc((n + 1) * sizeof *at);
    if (!at) return false;
    for (size_t i = 0; i < n; i++) {
        json_t *const l = json_incref(json_array_get(list, i));
        at[i] = (struct numbered){l, json_integer_value(json_object_get(l, "id")), i};
    }
    qsort(at, n, sizeof *at, by_id);
    for (size_t i = 0; i < n; i++) json_array_set_new(list, i, at[i].launch);
    free(at);
    return true;
}

enum ww_status run_read(const char *path, struct diags *d, struct run *out) {
    *out = (struct run){.launches = json_array(),
                        .copies = json_array(),
                        .errors = json_array(),
                        .ranges = json_array(),
                        .codes = json_array()};
    enum ww_status s = WW_OK;
    json_t *seal = NULL;
    uint32_t n = 0; // records
    uint64_t *sum = calloc(RECORD_PROCESSES, sizeof *sum);
    if (!sum) s = diag_add(d, WW_ERROR_MEMORY, "out of memory for the record %s", path);
    for (uint32_t p = 1; p <= RECORD_PROCESSES && s == WW_OK; p++) {
        char name[RECORD_PATH_BYTES];
        FILE *f = fopen(record_path_of(path, p, name, sizeof name), "r");
        struct reading q = {.path = name, .sum = SUM_START};
        struct stat st;
        if (!f && p > 1) break;
        if (!f)
            s = diag_add(d, WW_ERROR_IO, "cannot read the record %s: %s", name, strerror(errno));
        else if (fstat(fileno(f), &st) == 0 && !S_ISREG(st.st_mode)) // a device may have no end
            s = diag_add(d, WW_ERROR_IO, "%s is not a regular file, so not a record", name);
        else
            s = read_process(f, &q, d, out);
        if (f) fclose(f);
        sum[n++] = q.sum;
        if (p == 1)
            seal = q.seal, out->sum = q.sum, out->is_sealed = !q.has_sums;
        else
            json_decref(q.seal);
    }
    if (s == WW_OK) s = check_seal(seal, sum, n, path, d, out);
    if (s == WW_OK && !sort_launches(out->launches))
        s = diag_add(d, WW_ERROR_MEMORY, "out of memory for the record %s", path);
    free(sum);
    json_decref(seal);
    if (s != WW_OK)
        run_release(out);
    else if (out->cut_off)
        json_decref(out->end), out->end = NULL;
    return s;
}

enum ww_status record_header(const char *path, struct diags *d, json_t **out) {
    *out = NULL;
    FILE *f = fopen(path, "r");
    if (!f) return diag_add(d, WW_ERROR_IO, "cannot read the record %s: %s", path, strerror(errno));
    struct reading q = {.path = path, .sum = SUM_START, .line = 1};
    struct run r = {.launches = NULL};
    char *text = NULL;
    size_t cap = 0;
    const ssize_t len = getline(&text, &cap, f);
    fclose(f);
    enum ww_status s = WW_OK;
    if (len > 0 && text[len - 1] == '\n')
        s = take_text(&q, &r, (struct shift){0}, text, (size_t)len, d);
    free(text);
    if (s == WW_OK && !q.has_head)
        s = diag_add(d, WW_ERROR_IO, "%s is not the record of a run", path);
    if (s == WW_OK) *out = json_incref(r.header);
    json_decref(r.header);
    return s;
}

void run_release(struct run *r) {
    json_decref(r->header);
    json_decref(r->launches);
    json_decref(r->copies);
    json_decref(r->errors);
    json_decref(r->codes);
    json_decref(r->ranges);
    json_decref(r->end);
    *r = (struct run){.header = NULL};
}

uint64_t run_launches(const json_t *launch) {
    const json_int_t n = json_integer_value(json_object_get(launch, "launches"));
    return n > 0 ? (uint64_t)n : 1;
}

double run_half_cycles(const json_t *l) {
    return json_number_value(json_object_get(l, "estimated_half_cycles"));
}
double run_half_j(const json_t *l, double energy_j) {
    const json_t *const all = json_object_get(l, "kernel_cycles");
    const double cycles = json_number_value(all ? all : json_object_get(l, "cycles"));
    return cycles > 0 ? energy_j * run_half_cycles(l) / cycles : 0;
}

uint64_t run_copies(const json_t *copy) {
    const json_int_t n = json_integer_value(json_object_get(copy, "copies"));
    return n > 0 ? (uint64_t)n : 1;
}

uint64_t run_times(const json_t *error) {
    const json_int_t n = json_integer_value(json_object_get(error, "times"));
    return n > 0 ? (uint64_t)n : 1;
}

uint64_t run_refused(const struct run *r) {
    uint64_t sum = 0;
    size_t i;
    json_t *e;
    json_array_foreach(r->errors, i, e) if (json_is_true(json_object_get(e, "launch"))) sum +=
        run_times(e);
    return sum;
}

bool run_refused_calls(const struct run *r, struct arena *a, const char **out) {
    enum { SHOWN = 8 };
    size_t i, n = 0;
    json_t *e;
    *out = "";
    json_array_foreach(r->errors, i, e) {
        const char *const call = json_string_value(json_object_get(e, "call"));
        const unsigned long long times = run_times(e);
        if (!call || n++ >= SHOWN) continue;
        *out = arena_printf(a, "%s%s%s", *out, n > 1 ? ", " : "", call);
        if (times > 1) *out = arena_printf(a, "%s (%llu times)", *out, times);
    }
    if (n > SHOWN) *out = arena_printf(a, "%s and %zu more", *out, n - SHOWN);
    return n > 0;
}

uint64_t run_counter_at(const json_t *activity, const char *name, size_t i) {
    const json_t *v = json_object_get(activity, name);
    if (json_is_array(v)) v = json_array_get(v, i);
    return (uint64_t)json_integer_value(v);
}

uint64_t run_counter(const json_t *activity, const char *name) {
    const json_t *v = json_object_get(activity, name);
    if (!json_is_array(v)) return (uint64_t)json_integer_value(v);
    uint64_t sum = 0;
    size_t i;
    json_t *e;
    json_array_foreach(v, i, e) sum += (uint64_t)json_integer_value(e);
    return sum;
}

json_t *run_total_activity(const struct run *r) {
    struct activity sum = {.c = {0}};
    size_t i;
    json_t *launch;
    json_array_foreach(r->launches, i, launch) {
        const json_t *a = json_object_get(launch, "activity");
        for (uint32_t k = 0; k < act_rows(); k++)
            for (uint32_t n = 0; n < act_row(k)->n; n++)
                sum.c[act_row(k)->first + n] += run_counter_at(a, act_row(k)->name, n);
    }
    return record_activity_json(&sum);
}

static enum ww_status first_bad(const json_t *list) {
    size_t i;
    json_t *o;
    json_array_foreach(list, i, o) {
        const int s = (int)json_integer_value(json_object_get(o, "status"));
        // a launch of an impossible shape is an answer that the program may be made for
        if (s != WW_OK && s != WW_ERROR_LAUNCH) return (enum ww_status)s;
    }
    return WW_OK;
}

enum ww_status run_launch_status(const struct run *r) { return first_bad(r->launches); }

enum ww_status run_status(const struct run *r) {
    const enum ww_status s = first_bad(r->launches);
    return s != WW_OK ? s : first_bad(r->errors);
}
