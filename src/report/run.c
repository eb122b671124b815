// Reading the record of a run (see report.h): the launches and errors of all processes, one list
// each.
#include "report/report.h"

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
    json_int_t launch, code;
};
static void shift(json_t *o, const char *key, json_int_t by) {
    json_t *n = json_object_get(o, key);
    if (json_is_integer(n)) json_integer_set(n, json_integer_value(n) + by);
}
static struct shift shift_of(const struct run *r) {
    struct shift s = {.code = (json_int_t)json_array_size(r->codes)};
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
        json_array_append(r->launches, o);
    } else if (strcmp(type, "code") == 0) {
        shift(o, "id", by.code);
        json_array_append(r->codes, o);
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

static enum ww_status read_process(FILE *f, const char *path, struct diags *d, struct run *r) {
    const struct shift by = shift_of(r);
    bool has_head = false, has_end = false;
    uint32_t line = 0;
    char *text = NULL;
    size_t cap = 0;
    while (getline(&text, &cap, f) > 0) {
        line++;
        json_error_t e;
        json_t *o = json_loads(text, 0, &e);
        const bool good = take_line(r, o, by, &has_head, &has_end);
        json_decref(o);
        if (good) continue;
        // the last line of a killed run may be cut: everything before it counts
        diag_at(d, DIAG_WARNING, WW_ERROR_IO, path, NULL, line, 1,
                "the record is cut off here; what stands before it is complete");
        r->is_torn = true;
        break;
    }
    free(text);
    r->cut_off += !has_end;
    return has_head ? WW_OK : diag_add(d, WW_ERROR_IO, "%s is not the record of a run", path);
}

enum ww_status run_read(const char *path, struct diags *d, struct run *out) {
    *out = (struct run){.launches = json_array(), .errors = json_array(), .codes = json_array()};
    enum ww_status s = WW_OK;
    for (uint32_t p = 1; p <= RECORD_PROCESSES && s == WW_OK; p++) {
        char name[RECORD_PATH_BYTES];
        FILE *f = fopen(record_path_of(path, p, name, sizeof name), "r");
        struct stat st;
        if (!f && p > 1) break;
        if (!f)
            s = diag_add(d, WW_ERROR_IO, "cannot read the record %s: %s", name, strerror(errno));
        else if (fstat(fileno(f), &st) == 0 && !S_ISREG(st.st_mode)) // a device may have no end
            s = diag_add(d, WW_ERROR_IO, "%s is not a regular file, so not a record", name);
        else
            s = read_process(f, name, d, out);
        if (f) fclose(f);
    }
    if (s != WW_OK)
        run_release(out);
    else if (out->cut_off)
        json_decref(out->end), out->end = NULL;
    return s;
}

void run_release(struct run *r) {
    json_decref(r->header);
    json_decref(r->launches);
    json_decref(r->errors);
    json_decref(r->codes);
    json_decref(r->end);
    *r = (struct run){.header = NULL};
}

uint64_t run_launches(const json_t *launch) {
    const json_int_t n = json_integer_value(json_object_get(launch, "launches"));
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
        for (uint32_t k = 0; k < act_info_n; k++)
            for (uint32_t n = 0; n < act_info[k].n; n++)
                sum.c[act_info[k].first + n] += run_counter_at(a, act_info[k].name, n);
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
