// Activity as JSON: the run.json of `warpwatt run -o`, the record of a run (a JSON line a launch),
// or by hand
//
//     {"format": 1, "gpu": "gt240", "core_mhz": 670,
//      "kernels": [{"name": "k", "seconds": 1e-3, "activity": {"cycles": 670000, ...}}]}
//
// The parser keeps no places, so a refusal looks its own up: the path from the value's beginning is
// walked through the text, which is known to be well formed by then.
#include "report/activity_sink.h"

#include "report/report.h"

struct reading {
    struct activity_sink *s;
    const char *value;    // text of the top value that is being read, or NULL
    uint32_t line;        // of its beginning
    const char *list;     // "launches" or "kernels", or NULL when the value itself is a kernel
    size_t at;            // number in the list
    const char *interval; // "intervals", or NULL
    size_t interval_at;
};

// ---- places -------------------------------------------------------------------------------------
static const char *blank(const char *p) { return p + strspn(p, " \t\r\n"); }

static const char *skip_string(const char *p) {
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
    return *p ? p + 1 : p;
}

static const char *skip_value(const char *p) {
    size_t depth = 0;
    p = blank(p);
    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        if (*p == '{' || *p == '[') depth++;
        if ((*p == '}' || *p == ']') && depth) depth--;
        if (*p) p++;
        if (!depth) // a number or word ends where something else begins
            while (*p && !strchr(",]} \t\r\n", *p)) p++;
    } while (*p && depth);
    return p;
}

static const char *member(const char *p, const char *key) {
    const size_t n = strlen(key);
    p = blank(p);
    if (*p != '{') return NULL;
    for (p = blank(p + 1); *p == '"'; p = blank(p)) {
        const char *name = p + 1;
        p = skip_string(p);
        const bool found = (size_t)(p - name) == n + 1 && strncmp(name, key, n) == 0;
        p = blank(p);
        if (*p == ':') p = blank(p + 1);
        if (found) return p;
        p = blank(skip_value(p));
        if (*p != ',') return NULL;
        p++;
    }
    return NULL;
}

static const char *element(const char *p, size_t i) {
    p = blank(p);
    if (*p != '[') return NULL;
    p = blank(p + 1);
    while (i--) {
        p = blank(skip_value(p));
        if (*p != ',') return NULL;
        p = blank(p + 1);
    }
    return p;
}

// The line of a kernel's part, or of the nearest thing around it that is there.
static uint32_t line_of(const struct reading *r, const char *part, const char *counter) {
    if (!r->value) return 0;
    const char *p = r->value, *q = p;
    if (r->list && (q = member(p, r->list))) q = element(p = q, r->at);
    if (q) p = q;
    if (r->interval && (q = member(p, r->interval))) {
        p = q;
        if ((q = element(p, r->interval_at))) p = q;
    }
    if (part && (q = member(p, part))) {
        p = q;
        if (counter && (q = member(p, counter))) p = q;
    }
    uint32_t line = r->line;
    for (const char *c = r->value; c < p; c++) line += *c == '\n';
    return line;
}

// ---- content ------------------------------------------------------------------------------------
static const char *type_name(const json_t *v) {
    static const char *const name[] = {"an object", "an array", "a text", "a number",
                                       "a number",  "true",     "false",  "null"};
    return v && (unsigned)json_typeof(v) < WW_COUNT(name) ? name[json_typeof(v)] : "nothing";
}

static void read_entry(const struct reading *r, const struct act_info *row, uint32_t index,
                       const json_t *v) {
    struct activity_sink *s = r->s;
    if (json_is_integer(v) && json_integer_value(v) >= 0 &&
        json_integer_value(v) <= 1000000000000000000) {
        sink_count(s, r->value ? 1 : 0, row, index, (uint64_t)json_integer_value(v));
        return;
    }
    const uint32_t line = line_of(r, "activity", row->name);
    if (json_is_integer(v) && json_integer_value(v) < 0)
        sink_refuse(s, line, "%s is %lld: it cannot be negative", row->name,
                    (long long)json_integer_value(v));
    else if (json_is_integer(v))
        sink_refuse(s, line, "%s is %lld: expected at most 1e18", row->name,
                    (long long)json_integer_value(v));
    else if (json_is_string(v))
        sink_refuse(s, line, "%s is the text `%.60s`: expected a number", row->name,
                    json_string_value(v));
    else if (!json_is_real(v))
        sink_refuse(s, line, "%s is %s: expected a number", row->name, type_name(v));
    else {
        char text[40], name[96];
        snprintf(text, sizeof text, "%.17g", json_real_value(v));
        snprintf(name, sizeof name, row->n > 1 ? "%s.%u" : "%s", row->name, index);
        sink_counter(s, line, name, NULL, text, NULL);
    }
}

static void read_row(const struct reading *r, const char *name, const json_t *v) {
    struct activity_sink *s = r->s;
    const struct act_info *row = names_get(&s->names, name, strlen(name)) >= 0
                                     ? sink_row(s, 0, name)
                                     : sink_row(s, line_of(r, "activity", name), name);
    if (!row) return;
    const uint32_t line = row->n > 1 && !json_is_array(v) ? line_of(r, "activity", name) : 0;
    if (row->n == 1) {
        read_entry(r, row, 0, v);
    } else if (json_is_array(v)) {
        if (json_array_size(v) != row->n)
            sink_refuse(s, line_of(r, "activity", name), "%s has %zu entries here: expected %u",
                        name, json_array_size(v), row->n);
        else
            for (uint32_t i = 0; i < row->n && s->status == WW_OK; i++)
                read_entry(r, row, i, json_array_get(v, i));
    } else if (json_is_object(v)) {
        const char *key;
        json_t *e;
        uint32_t index;
        json_object_foreach((json_t *)v, key, e) if (sink_index(s, line, row, key, &index))
            read_entry(r, row, index, e);
    } else {
        sink_refuse(s, line, "%s is %s: expected an array of %u numbers", name, type_name(v),
                    row->n);
    }
}

static void read_counters(const struct reading *r, const json_t *activity) {
    struct activity_sink *s = r->s;
    if (!json_is_object(activity)) {
        sink_refuse(s, line_of(r, "activity", NULL),
                    "`activity` is %s: expected an object of counters", type_name(activity));
        return;
    }
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)activity, key, v) {
        if (s->status != WW_OK) return;
        read_row(r, key, v);
    }
}

static void read_intervals(struct reading *r, const json_t *list) {
    struct activity_sink *s = r->s;
    const size_t n = json_array_size(list);
    if (!n) return;
    if (n > UINT32_MAX) return;
    s->kernel.interval = arena_alloc(s->arena, n * sizeof *s->kernel.interval);
    s->kernel.n_intervals = (uint32_t)n;
    r->interval = "intervals";
    for (r->interval_at = 0; r->interval_at < n && s->status == WW_OK; r->interval_at++) {
        const json_t *o = json_array_get(list, r->interval_at);
        struct activity_interval *v = &s->kernel.interval[r->interval_at];
        const json_int_t from = json_integer_value(json_object_get(o, "from")),
                         to = json_integer_value(json_object_get(o, "to"));
        const json_int_t before = r->interval_at ? (json_int_t)v[-1].to : 0;
        if (from != before || to <= from)
            sink_refuse(s, line_of(r, NULL, NULL),
                        "interval %zu goes from cycle %lld to %lld: expected it to begin at %lld "
                        "and to end later",
                        r->interval_at, (long long)from, (long long)to, (long long)before);
        v->from = (uint64_t)from, v->to = (uint64_t)to;
        memset(s->given, 0, sizeof s->given);
        s->into = &v->activity;
        read_counters(r, json_object_get(o, "activity"));
        // counters that are 0 may have been left out
        const bool sparse = json_is_true(json_object_get(o, "sparse"));
        if (s->status == WW_OK && !sparse)
            sink_complete(s, s->options->needed ? line_of(r, NULL, NULL) : 0, "an interval");
    }
    r->interval = NULL;
}

static void read_kernel(struct reading *r, const json_t *o) {
    struct activity_sink *s = r->s;
    const uint32_t line = line_of(r, NULL, NULL);
    if (!json_is_object(o)) {
        sink_refuse(s, line, "found %s: expected an object of a kernel", type_name(o));
        return;
    }
    const char *name = json_string_value(json_object_get(o, "kernel"));
    if (!name) name = json_string_value(json_object_get(o, "name"));
    const json_int_t id = json_integer_value(json_object_get(o, "id"));
    // a launch that was refused or stopped before its first cycle did nothing
    if (json_integer_value(json_object_get(o, "status")) != WW_OK &&
        json_is_integer(json_object_get(o, "cycles")) &&
        !json_integer_value(json_object_get(o, "cycles")))
        return;
    sink_begin(s, line, name ? name : "", id > 0 ? (uint64_t)id : 0);
    s->kernel.launches = run_launches(o);
    s->functional = json_is_true(json_object_get(o, "functional"));
    s->kernel.overlapped = json_integer_value(json_object_get(o, "overlapped")) > 0;
    const json_t *seconds = json_object_get(o, "seconds");
    if (seconds && !json_is_number(seconds))
        sink_refuse(s, line_of(r, "seconds", NULL), "seconds is %s: expected a number",
                    type_name(seconds));
    if (json_is_number(seconds)) {
        const double v = json_number_value(seconds);
        if (v < 0)
            sink_refuse(s, line_of(r, "seconds", NULL), "seconds is %g: it cannot be negative", v);
        s->seconds = v, s->seconds_line = line;
    }
    if (s->functional) {
        sink_end(s, line);
        return;
    }
    if (s->status == WW_OK) read_counters(r, json_object_get(o, "activity"));
    if (s->status == WW_OK)
        sink_complete(s, s->options->needed ? line : 0,
                      *s->kernel.name ? s->kernel.name : "the kernel");
    if (s->status == WW_OK) read_intervals(r, json_object_get(o, "intervals"));
    memset(s->given, 1, sizeof s->given); // they were complete before the intervals
    sink_end(s, line);
}

static void read_gpu(struct activity_sink *s, uint32_t line, const json_t *gpu) {
    if (json_is_string(gpu)) {
        sink_fact(s, line, "gpu", json_string_value(gpu));
        return;
    }
    const char *name = json_string_value(json_object_get(gpu, "name"));
    if (name) sink_fact(s, line, "gpu", name);
    const double mhz = json_number_value(json_object_get(gpu, "core_clock_mhz"));
    if (mhz > 0) s->out->core_hz = mhz * 1e6;
}

// What a record's last line, or the `totals` of run.json, says of the whole run.
static void read_totals(struct reading *r, const json_t *end) {
    struct activity_sink *s = r->s;
    if (!json_is_object(end) || s->status != WW_OK) return;
    s->out->seconds = json_number_value(json_object_get(end, "seconds"));
    s->out->busy_seconds = json_number_value(json_object_get(end, "kernel_seconds"));
    const json_t *a = json_object_get(end, "activity");
    if (!a || !(s->out->busy_seconds > 0)) return;
    memset(s->given, 0, sizeof s->given);
    s->into = &s->out->total;
    struct reading whole = *r;
    whole.list = "totals", whole.at = SIZE_MAX;
    read_counters(&whole, a);
    s->out->has_total = s->status == WW_OK;
}

struct copy_moves activity_copy_moves(const char *kind) {
    static const struct {
        const char *kind;
        struct copy_moves moves;
    } row[] = {{"copy to the device", {1, 0}},
               {"copy to the host", {0, 1}},
               {"copy on the device", {1, 1}},
               {"fill", {1, 0}}};
    for (size_t i = 0; i < WW_COUNT(row) && kind; i++)
        if (strcmp(row[i].kind, kind) == 0) return row[i].moves;
    return (struct copy_moves){0, 0};
}

// A copy of a record, or among the steps of run.json.
static void read_copy(struct activity_file *out, const json_t *o, const char *kind) {
    const struct copy_moves m = activity_copy_moves(json_string_value(json_object_get(o, kind)));
    const double bytes = json_number_value(json_object_get(o, "bytes"));
    if (!(bytes > 0)) return; // a launch
    out->copy_writes += bytes * m.writes, out->copy_reads += bytes * m.reads;
}

static void read_steps(struct activity_file *out, const json_t *steps) {
    size_t i;
    json_t *o;
    json_array_foreach(json_object_get(steps, "list"), i, o) read_copy(out, o, "method");
}

static void read_list(struct reading *r, const json_t *top, const char *key) {
    r->list = key;
    const json_t *list = json_object_get(top, key);
    for (r->at = 0; r->at < json_array_size(list) && r->s->status == WW_OK; r->at++)
        read_kernel(r, json_array_get(list, r->at));
    r->list = NULL;
}

static void read_top(struct reading *r, const json_t *o) {
    struct activity_sink *s = r->s;
    if (!json_is_object(o)) {
        sink_refuse(s, r->line, "found %s: expected an object", type_name(o));
        return;
    }
    const char *type = json_string_value(json_object_get(o, "type"));
    if (type) { // a line of a record
        if (strcmp(type, "run") == 0) read_gpu(s, r->line, json_object_get(o, "gpu"));
        if (strcmp(type, "launch") == 0) read_kernel(r, o);
        if (strcmp(type, "copy") == 0) read_copy(s->out, o, "kind");
        if (strcmp(type, "end") == 0) read_totals(r, o);
        return;
    }
    for (size_t i = 0; i < SINK_FACTS; i++) {
        const json_t *v = json_object_get(o, sink_facts[i]);
        char number[40];
        if (!v || strcmp(sink_facts[i], "gpu") == 0) continue;
        if (json_is_number(v)) snprintf(number, sizeof number, "%.17g", json_number_value(v));
        const char *text = json_is_number(v) ? number : json_string_value(v);
        if (text)
            sink_fact(s, line_of(r, sink_facts[i], NULL), sink_facts[i], text);
        else
            sink_refuse(s, line_of(r, sink_facts[i], NULL), "%s is %s", sink_facts[i],
                        type_name(v));
    }
    read_gpu(s, r->line, json_object_get(o, "gpu"));
    if (json_is_array(json_object_get(o, "launches")))
        read_list(r, o, "launches");
    else if (json_is_array(json_object_get(o, "kernels")))
        read_list(r, o, "kernels");
    else if (json_object_get(o, "activity"))
        read_kernel(r, o);
    else
        sink_refuse(s, r->line,
                    "found no `launches`, `kernels` or `activity`: expected one of them");
    read_totals(r, json_object_get(o, "totals"));
    read_steps(s->out, json_object_get(o, "steps"));
}

enum ww_status activity_json(struct activity_sink *s, size_t len) {
    struct reading r = {.s = s, .line = 1};
    const char *p = s->text, *end = s->text + len;
    while (s->status == WW_OK) {
        while (p < end && strchr(" \t\r\n", *p)) r.line += *p++ == '\n';
        if (p >= end || !*p) break;
        json_error_t e;
        json_t *o =
            json_loadb(p, (size_t)(end - p), JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &e);
        if (!o) {
            sink_refuse(s, r.line + (uint32_t)(e.line > 0 ? e.line - 1 : 0), "this is no JSON: %s",
                        e.text);
            break;
        }
        r.value = p;
        read_top(&r, o);
        json_decref(o);
        if (e.position <= 0) break;
        for (int i = 0; i < e.position && p < end; i++) r.line += *p++ == '\n';
    }
    return s->status;
}

enum ww_status activity_file_of_run(struct arena *a, const struct run *run,
                                    const struct activity_options *o, struct diags *d,
                                    struct activity_file *out) {
    struct activity_sink *s = arena_alloc(a, sizeof *s);
    sink_init(s, a, "the run", NULL, o, d, out);
    s->path = NULL; // there is no file to point into
    struct reading r = {.s = s};
    read_gpu(s, 0, json_object_get(run->header, "gpu"));
    size_t i;
    json_t *l;
    bool any_timed = false;
    json_array_foreach(run->launches, i, l) any_timed |=
        !json_is_true(json_object_get(l, "functional"));
    json_array_foreach(run->launches, i, l) {
        if (any_timed && json_is_true(json_object_get(l, "functional")))
            continue; // took no time: no power either
        if (s->status == WW_OK) read_kernel(&r, l);
    }
    if (run->end) read_totals(&r, run->end);
    json_array_foreach(run->copies, i, l) read_copy(out, l, "kind");
    return sink_finish(s);
}
