// See trace.h. The format: an object with "traceEvents", an array of events; those with ph "X" are
// spans (ts, dur in microseconds), "C" counters, "M" names of processes and threads. A process of
// the program is four of the trace: its host calls, its streams, its SMs, its ranges. Times are rounded to
// nanoseconds, both ends of a span, so that spans of a track that touch do not overlap.
#include "activity/stall.h"
#include "gpu/gpu.h"
#include "report/trace.h"

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { TRACE_NAME_BYTES = RECORD_PATH_BYTES + 8, TRACE_LINE_BYTES = 1024, TRACE_PLACES = 64 };
enum { TRACKS_HOST = 1, TRACKS_STREAMS, TRACKS_SMS, TRACKS_RANGES, TRACKS };
enum { TRACE_LEVELS = 32, TRACE_RANGE_STREAMS = 64 };

// Which events are wanted.
struct window {
    int64_t from_ns, to_ns;
    regex_t kernels;
    bool has_kernels;
    uint64_t launch; // of the last answer
    bool is_wanted;
};

struct trace {
    gzFile file;
    char *path;
    struct window window;
    bool failed;
    uint32_t streams_named;
    uint64_t *places_named; // by SM, bit a place
    struct ranges { // of a stream, that its last work belongs to
        struct open_level {
            uint32_t mark;
            int64_t from;
            char name[256];
        } level[TRACE_LEVELS];
        uint32_t n;
        int64_t to; // end of that work
        bool is_named;
    } *ranges; // [TRACE_RANGE_STREAMS], NULL: no range yet; later streams share the last
    uint32_t n_sms;
};

static int64_t ns(double s) { return (int64_t)llround(s * 1e9); }

// ---- what is wanted -----------------------------------------------------------------------------
static enum ww_status window_init(struct window *w, const struct session *s, struct diags *d) {
    *w = (struct window){.from_ns = (int64_t)s->trace_from_ns,
                         .to_ns = s->trace_to_ns ? (int64_t)s->trace_to_ns : INT64_MAX};
    if (!s->trace_kernels) return WW_OK;
    const int e = regcomp(&w->kernels, s->trace_kernels, REG_EXTENDED | REG_NOSUB);
    if (e != 0) {
        char why[128];
        regerror(e, &w->kernels, why, sizeof why);
        return diag_add(d, WW_ERROR_USAGE,
                        "--trace-kernels is `%s`, which is no regular expression: %s",
                        s->trace_kernels, why);
    }
    w->has_kernels = true;
    return WW_OK;
}

static void window_free(struct window *w) {
    if (w->has_kernels) regfree(&w->kernels);
}

static bool in_time(const struct window *w, int64_t from, int64_t to) {
    return to >= w->from_ns && from <= w->to_ns;
}

static bool is_kernel(struct window *w, uint64_t launch, const char *name) {
    if (!w->has_kernels) return true;
    if (launch == w->launch) return w->is_wanted;
    w->launch = launch;
    return w->is_wanted = regexec(&w->kernels, name, 0, NULL, 0) == 0;
}

// ---- events -------------------------------------------------------------------------------------
// A name as it may stand in JSON: quotes, backslashes and control characters are left out.
static void plain(char *out, size_t size, const char *name) {
    size_t n = 0;
    for (const char *p = name; *p && n + 1 < size; p++)
        if (*p != '"' && *p != '\\' && (unsigned char)*p >= 0x20) out[n++] = *p;
    out[n] = 0;
}

static void put(struct trace *t, const char *fmt, ...) WW_PRINTF(2, 3);
static void put(struct trace *t, const char *fmt, ...) {
    char line[TRACE_LINE_BYTES];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n <= 0 || (size_t)n >= sizeof line) return;
    if (gzwrite(t->file, line, (unsigned)n) != n) t->failed = true;
}

#define SPAN_FORMAT                                                                                \
    "{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%lld.%03lld,\"dur\":%lld.%03lld,\"name\":\"%s\""
#define SPAN_TIMES(from, to)                                                                       \
    (long long)((from) / 1000), (long long)((from) % 1000), (long long)(((to) - (from)) / 1000),   \
        (long long)(((to) - (from)) % 1000)
#define NAME_FORMAT                                                                                \
    "{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}\n"

static void name_stream(struct trace *t, uint32_t stream) {
    for (; t->streams_named <= stream; t->streams_named++) {
        char name[32] = "default stream";
        if (t->streams_named) snprintf(name, sizeof name, "stream %u", t->streams_named);
        put(t, NAME_FORMAT, TRACKS_STREAMS, t->streams_named + 1, "thread_name", name);
    }
}

static void name_place(struct trace *t, uint32_t sm, uint32_t place) {
    if (sm >= t->n_sms || t->places_named[sm] >> place & 1) return;
    t->places_named[sm] |= 1ull << place;
    char name[48];
    snprintf(name, sizeof name, "SM %02u place %u", sm, place);
    put(t, NAME_FORMAT, TRACKS_SMS, sm * TRACE_PLACES + place + 1, "thread_name", name);
}

// ---- ranges -------------------------------------------------------------------------------------
static void close_levels(struct trace *t, uint32_t stream, uint32_t kept) {
    struct ranges *const r = &t->ranges[stream];
    while (r->n > kept) {
        const struct open_level *const l = &r->level[--r->n];
        put(t, SPAN_FORMAT ",\"cat\":\"range\"}\n", TRACKS_RANGES, stream + 1,
            SPAN_TIMES(l->from, r->to), l->name);
    }
}

// A level that goes on stays open; another begins with its first work.
static void follow_ranges(struct trace *t, uint32_t stream, int64_t from, int64_t to,
                          const struct trace_level *level, uint32_t n) {
    if (!t->ranges && (!n || !(t->ranges = calloc(TRACE_RANGE_STREAMS, sizeof *t->ranges)))) return;
    if (stream >= TRACE_RANGE_STREAMS) stream = TRACE_RANGE_STREAMS - 1;
    struct ranges *const r = &t->ranges[stream];
    uint32_t same = 0;
    while (same < r->n && same < n && r->level[same].mark == level[same].mark) same++;
    close_levels(t, stream, same);
    if (n && !r->is_named) {
        char name[48] = "ranges of the default stream";
        if (stream) snprintf(name, sizeof name, "ranges of stream %u", stream);
        put(t, NAME_FORMAT, TRACKS_RANGES, stream + 1, "thread_name", name);
        r->is_named = true;
    }
    for (; r->n < n && r->n < TRACE_LEVELS; r->n++) {
        struct open_level *const l = &r->level[r->n];
        l->mark = level[r->n].mark;
        l->from = from;
        plain(l->name, sizeof l->name, level[r->n].name);
    }
    r->to = to;
}

void trace_span(struct trace *t, const struct gpu_span *s, const struct trace_level *level,
                uint32_t n) {
    if (!t) return;
    const int64_t from = ns(s->from_s), to = ns(s->to_s);
    if (!in_time(&t->window, from, to)) return;
    if (s->kind != GPU_SPAN_COPY && !is_kernel(&t->window, s->launch, s->name)) return;
    char name[512];
    plain(name, sizeof name, s->name);
    if (s->kind != GPU_SPAN_CTA) follow_ranges(t, s->stream, from, to, level, n);
    switch (s->kind) {
    case GPU_SPAN_KERNEL:
        name_stream(t, s->stream);
        put(t,
            SPAN_FORMAT
            ",\"cat\":\"kernel\",\"args\":{\"launch\":%llu,\"ctas\":%llu,\"threads\":%u}}\n",
            TRACKS_STREAMS, s->stream + 1, SPAN_TIMES(from, to), name,
            (unsigned long long)s->launch, (unsigned long long)s->ctas, s->threads);
        break;
    case GPU_SPAN_COPY:
        name_stream(t, s->stream);
        put(t, SPAN_FORMAT ",\"cat\":\"copy\",\"args\":{\"bytes\":%llu}}\n", TRACKS_STREAMS,
            s->stream + 1, SPAN_TIMES(from, to), name, (unsigned long long)s->bytes);
        break;
    case GPU_SPAN_CTA:
        name_place(t, s->sm, s->place);
        put(t, SPAN_FORMAT ",\"cat\":\"cta\",\"args\":{\"launch\":%llu,\"cta\":%llu}}\n",
            TRACKS_SMS, s->sm * TRACE_PLACES + s->place + 1, SPAN_TIMES(from, to), name,
            (unsigned long long)s->launch, (unsigned long long)s->cta);
        break;
    }
}

void trace_call(struct trace *t, const char *name, double from_s, double to_s) {
    if (!t) return;
    const int64_t from = ns(from_s), to = ns(to_s);
    if (!in_time(&t->window, from, to)) return;
    put(t, SPAN_FORMAT ",\"cat\":\"host\"}\n", TRACKS_HOST, 1u, SPAN_TIMES(from, to), name);
}

// ---- the file of a process ----------------------------------------------------------------------
static char *part_name(const char *record, char buf[TRACE_NAME_BYTES]) {
    snprintf(buf, TRACE_NAME_BYTES, "%s.trace", record);
    return buf;
}

static void trace_free(struct trace *t) {
    window_free(&t->window);
    free(t->places_named);
    free(t->ranges);
    free(t->path);
    free(t);
}

enum ww_status trace_open(const char *record, const struct session *s, const struct gpu_config *c,
                          struct diags *d, struct trace **out) {
    *out = NULL;
    if (!s->trace) return WW_OK;
    char name[TRACE_NAME_BYTES];
    struct trace *t = calloc(1, sizeof *t);
    if (!t || !(t->path = strdup(part_name(record, name))) ||
        !(t->places_named = calloc(gpu_config_count(c, "sm_count"), sizeof *t->places_named))) {
        if (t) trace_free(t);
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for the timeline");
    }
    t->n_sms = (uint32_t)gpu_config_count(c, "sm_count");
    enum ww_status status = window_init(&t->window, s, d);
    errno = 0;
    if (status == WW_OK && !(t->file = gzopen(t->path, "wbe1")))
        status = diag_add(d, WW_ERROR_IO, "cannot write the timeline %s: %s", t->path,
                          strerror(errno ? errno : ENOMEM));
    if (status != WW_OK) {
        trace_free(t);
        return status;
    }
    gzbuffer(t->file, 1 << 17);
    *out = t;
    return WW_OK;
}

enum ww_status trace_close(struct trace *t, struct diags *d) {
    if (!t) return WW_OK;
    for (uint32_t i = 0; t->ranges && i < TRACE_RANGE_STREAMS; i++) close_levels(t, i, 0);
    errno = 0;
    const bool failed = (gzclose(t->file) != Z_OK) | t->failed;
    const int why = errno;
    enum ww_status s = WW_OK;
    if (failed)
        s = diag_add(d, WW_ERROR_IO, "the timeline %s is incomplete: %s", t->path,
                     strerror(why ? why : EIO));
    trace_free(t);
    return s;
}

void trace_remove(const char *record) {
    for (uint32_t p = 1; p <= RECORD_PROCESSES; p++) {
        char of[RECORD_PATH_BYTES], name[TRACE_NAME_BYTES];
        if (unlink(part_name(record_path_of(record, p, of, sizeof of), name)) != 0 && p > 1) return;
    }
}

// ---- the file of the run ------------------------------------------------------------------------
struct writer {
    gzFile file;
    bool any, failed;
};

static void emit(struct writer *w, const char *text, size_t n) {
    const char *const between = w->any ? ",\n" : "";
    w->any = true;
    if (*between && gzwrite(w->file, between, 2) != 2) w->failed = true;
    if (gzwrite(w->file, text, (unsigned)n) != (int)n) w->failed = true;
}

static void emit_format(struct writer *w, const char *fmt, ...) WW_PRINTF(2, 3);
static void emit_format(struct writer *w, const char *fmt, ...) {
    char line[TRACE_LINE_BYTES];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n > 0 && (size_t)n < sizeof line) emit(w, line, (size_t)n);
}

static void emit_tracks(struct writer *w, uint32_t process) {
    static const char *const name[TRACKS] = {
        [TRACKS_HOST] = "host calls",
        [TRACKS_STREAMS] = "GPU streams",
        [TRACKS_SMS] = "SMs",
        [TRACKS_RANGES] = "ranges"};
    for (int k = TRACKS_HOST; k < TRACKS; k++) {
        char text[48];
        snprintf(text, sizeof text, process > 1 ? "%s of process %u" : "%s", name[k], process);
        const int pid = (int)(process - 1) * TRACKS + k;
        emit_format(
            w, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}",
            pid, text);
        emit_format(w,
                    "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_sort_index\",\"args\":{\"sort_"
                    "index\":%d}}",
                    pid, pid);
    }
}

// A line of a process: `{"ph":"X","pid":N,...`, whose N moves up for later processes.
static void emit_line(struct writer *w, char *line, size_t n, uint32_t process) {
    static const char head[] = "{\"ph\":\"X\",\"pid\":";
    if (process == 1 || n < sizeof head) {
        emit(w, line, n);
        return;
    }
    char moved[TRACE_LINE_BYTES + 16];
    char *end;
    const long pid = strtol(line + sizeof head - 1, &end, 10);
    const int m =
        snprintf(moved, sizeof moved, "%.*s%ld%.*s", (int)(sizeof head - 1), line,
                 pid + (long)(process - 1) * TRACKS, (int)(n - (size_t)(end - line)), end);
    if (m > 0 && (size_t)m < sizeof moved) emit(w, moved, (size_t)m);
}

// A process that was killed leaves a part without its end: whole lines count.
static bool emit_process(struct writer *w, const char *part, uint32_t process) {
    gzFile in = gzopen(part, "rbe");
    if (!in) return false;
    gzbuffer(in, 1 << 17);
    emit_tracks(w, process);
    char line[TRACE_LINE_BYTES];
    while (gzgets(in, line, sizeof line)) {
        const size_t n = strlen(line);
        if (n < 2 || line[n - 1] != '\n') break;
        emit_line(w, line, n - 1, process);
    }
    gzclose(in);
    return true;
}

// ---- counters -----------------------------------------------------------------------------------
enum { POWER_TEXT_BYTES = 6144 };

static void emit_power(struct writer *w, int64_t at, const struct account_group *group, uint32_t n,
                       const struct power_tree *tree, const struct power_usage *u) {
    char text[POWER_TEXT_BYTES];
    int len =
        snprintf(text, sizeof text,
                 "{\"ph\":\"C\",\"pid\":%d,\"name\":\"power (W)\",\"ts\":%lld.%03lld,\"args\":{",
                 TRACKS_STREAMS, (long long)(at / 1000), (long long)(at % 1000));
    for (uint32_t g = 0; g < n; g++) {
        char name[64];
        plain(name, sizeof name, tree->component[group[g].component].name);
        const double j = account_group_dynamic(&group[g], u) + account_group_static(&group[g], u);
        len += snprintf(text + len, sizeof text - (size_t)len, "%s\"%s%s\":%.6g", g ? "," : "",
                        name, group[g].own ? " itself" : "", j / u->seconds);
        if ((size_t)len >= sizeof text - 8) return;
    }
    len += snprintf(text + len, sizeof text - (size_t)len, "}}");
    emit(w, text, (size_t)len);
}

static void emit_counter(struct writer *w, const char *name, int64_t at, double v) {
    if (!isfinite(v)) return;
    emit_format(
        w, "{\"ph\":\"C\",\"pid\":%d,\"name\":\"%s\",\"ts\":%lld.%03lld,\"args\":{\"value\":%.6g}}",
        TRACKS_STREAMS, name, (long long)(at / 1000), (long long)(at % 1000), v);
}

static double issue_use(const struct activity *a, const struct account *p) {
    double slots = 0;
    for (uint32_t s = 0; s < STALL_N; s++)
        if (s != STALL_dual) slots += (double)act_at(a, "issue_slots", s);
    const double busy = act_real(a, "sm_busy_cycles"), all = act_real(a, "cycles") * p->sms;
    const double used = (double)act_at(a, "issue_slots", STALL_issued);
    return slots > 0 && all > 0 ? 100 * used / slots * fmin(1, busy / all) : 0;
}

// One interval of a launch, or the whole of one that has none.
static void emit_interval(struct writer *w, const struct window *win, const struct account *p,
                          const struct account_group *group, uint32_t n, double from_s, double to_s,
                          const struct activity *a, const struct power_usage *u) {
    const int64_t from = ns(from_s), to = ns(to_s);
    if (!(u->seconds > 0) || !in_time(win, from, to)) return;
    emit_power(w, from, group, n, p->tree, u);
    emit_counter(w, "issue slots used (%)", from, issue_use(a, p));
    emit_counter(w, "DRAM (GB/s)", from,
                 1e-9 * (double)(act_get(a, "dram_read_bytes") + act_get(a, "dram_write_bytes")) /
                     u->seconds);
}

static void emit_launch_counters(struct writer *w, struct window *win, const struct account *p,
                                 const struct account_group *group, uint32_t n,
                                 const struct account_kernel *k, double start_s) {
    const struct activity_kernel *const x = k->kernel;
    const double core = act_real(&x->activity, "cycles");
    const double each = core > 0 ? x->seconds / core : 1 / p->core_hz;
    for (uint32_t i = 0; i < x->n_intervals; i++) {
        struct power_usage u;
        if (account_interval(p, x, i, &u))
            emit_interval(w, win, p, group, n, start_s + (double)x->interval[i].from * each,
                          start_s + (double)x->interval[i].to * each, &x->interval[i].activity, &u);
    }
    if (!x->n_intervals)
        emit_interval(w, win, p, group, n, start_s, start_s + x->seconds, &x->activity, &k->usage);
    const int64_t end = ns(start_s + x->seconds);
    if (!in_time(win, end, end)) return;
    if (p->gaps.seconds > 0) emit_power(w, end, group, n, p->tree, &p->gaps);
    emit_counter(w, "issue slots used (%)", end, 0);
    emit_counter(w, "DRAM (GB/s)", end, 0);
}

static void emit_counters(struct writer *w, struct window *win, const struct run *r,
                          const struct account *p) {
    struct account_group group[POWER_MAX_COMPONENTS];
    const uint32_t n = account_groups(p->tree, group);
    uint32_t at = 0;
    size_t i;
    json_t *l;
    json_array_foreach(r->launches, i, l) {
        const uint64_t id = (uint64_t)json_integer_value(json_object_get(l, "id"));
        while (at < p->n && p->kernel[at].kernel->launch < id) at++;
        if (at == p->n || p->kernel[at].kernel->launch != id || run_launches(l) > 1) continue;
        const char *name = json_string_value(json_object_get(l, "kernel"));
        if (!is_kernel(win, id, name ? name : "")) continue;
        emit_launch_counters(w, win, p, group, n, &p->kernel[at],
                             json_number_value(json_object_get(l, "start_s")));
    }
}

enum ww_status trace_write(const struct session *s, const char *record, const struct run *r,
                           const struct account *power, const char *path, struct diags *d) {
    static const char head[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", tail[] = "\n]}\n";
    struct window win;
    enum ww_status status = window_init(&win, s, d);
    if (status != WW_OK) return status;
    const size_t len = strlen(path);
    const bool is_packed = len > 3 && strcmp(path + len - 3, ".gz") == 0;
    char *tmp = malloc(len + 24);
    if (!tmp) {
        window_free(&win);
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for the timeline");
    }
    sprintf(tmp, "%s.%d.tmp", path, (int)getpid());
    errno = 0;
    struct writer w = {.file = gzopen(tmp, is_packed ? "wbe6" : "wbeT")};
    if (w.file) {
        gzbuffer(w.file, 1 << 17);
        w.failed = gzwrite(w.file, head, sizeof head - 1) != sizeof head - 1;
        for (uint32_t p = 1; p <= RECORD_PROCESSES; p++) {
            char of[RECORD_PATH_BYTES], name[TRACE_NAME_BYTES];
            if (!emit_process(&w, part_name(record_path_of(record, p, of, sizeof of), name), p))
                break;
        }
        if (power) emit_counters(&w, &win, r, power);
        if (gzwrite(w.file, tail, sizeof tail - 1) != sizeof tail - 1) w.failed = true;
        if (gzclose(w.file) != Z_OK) w.failed = true;
    }
    window_free(&win);
    if (!w.file || w.failed || rename(tmp, path) != 0) {
        status =
            diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(errno ? errno : EIO));
        unlink(tmp);
    }
    free(tmp);
    return status;
}
