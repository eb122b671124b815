// Writing and reading the record of a run: JSON lines (see report.h).
#include "isa/image.h"
#include "gpu/gpu.h"
#include "report/record_int.h"
#include "report/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

// A program of very many small launches: the first FOLD_AFTER stand one by one, and no more once
// what they left is DETAIL_ROOM; later ones are added up by kernel and shape, and a sum is written
// when it holds FOLD_MAX of them, and at the end. Every joule and cycle is still there, and the
// counts of every instruction; what is lost is which of them were whose. Every file of a run is
// made of the record, at 1000 to 2000 host instructions a byte of it: DETAIL_ROOM keeps that below
// a tenth of what a run of ten seconds takes (docs/performance.md).
// Of copies that many stand one by one; later ones are added up by kind.
enum { COPIES_AFTER = 8192, COPY_SUMS = 256 };
struct copies {
    const char *kind; // a literal of gpu; NULL: free
    uint32_t range;
    uint64_t n, bytes;
    double start_s, seconds, alone_s;
};

enum { FOLD_AFTER = 128, FOLD_MAX = 16384, FOLDS = 256, DETAIL_ROOM = 2 << 20 };
struct fold {
    struct gpu_result first;     // what they have in common, and the sums
    struct sm_inst_counts *inst; // of the image's instructions; NULL: not counted
    struct sm_inst_memory *memory;
    uint64_t n;
    uint32_t range;
    double warp_cycles; // achieved warps by cycles
};

// Errors that were written, by their sentences: a program may meet one thousands of times.
enum { ERRORS = 128 };
struct error {
    char *text;
    enum ww_status status;
    bool is_launch;
    uint64_t again; // times after the one that was written
};

struct record {
    struct error error_seen[ERRORS];
    uint32_t n_errors;
    struct fold *fold; // [FOLDS]
    uint32_t n_folds;
    uint64_t n_copies;
    struct copies copies[COPY_SUMS]; // of those that are added up, by kind and range
    int fd;
    uint64_t sum; // of all that stands in the file
    char *line;   // the one that is written now
    size_t line_n, line_cap;
    char *path;
    int error; // errno of the first failed write
    uint64_t launches;
    uint64_t detail; // bytes, about, of launches that stand one by one
    double host_s;
    VEC(const struct code_image *) codes; // whose "code" lines stand in it, by id - first_code
    uint64_t first_code;                  // id of the first of them
    struct arena arena;                   // of the list
};

// jansson gives a few bytes at a time.
static int put_text(const char *text, size_t n, void *record) {
    struct record *r = record;
    if (n > r->line_cap - r->line_n) {
        const size_t cap = 2 * (r->line_cap + n);
        char *p = realloc(r->line, cap);
        if (!p) return -1;
        r->line = p;
        r->line_cap = cap;
    }
    memcpy(r->line + r->line_n, text, n);
    r->line_n += n;
    return 0;
}

// The last member of a line's object: the checksum of all that stands before it in the file.
static bool put_sum(struct record *r) {
    char text[RECORD_SUM_BYTES + 1], digits[SUM_TEXT_BYTES];
    r->line_n--; // the brace
    r->sum = sum_feed(r->sum, r->line, r->line_n);
    snprintf(text, sizeof text, RECORD_SUM_FORMAT, sum_text(r->sum, digits));
    r->sum = sum_feed(r->sum, text, RECORD_SUM_BYTES);
    return put_text(text, RECORD_SUM_BYTES, r) == 0;
}

// A line goes to the file at once: a program that is killed leaves whole lines.
static bool put_line(struct record *r, const json_t *line) {
    r->line_n = 0;
    if (json_dump_callback(line, put_text, r, JSON_COMPACT) != 0) return false;
    if (!put_sum(r)) return false;
    for (size_t done = 0; done < r->line_n;) {
        const ssize_t n = write(r->fd, r->line + done, r->line_n - done);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) done += (size_t)n;
    }
    return true;
}

static void write_line(struct record *r, json_t *line) {
    if (!r->error) {
        errno = 0;
        if (!put_line(r, line)) r->error = errno ? errno : EIO;
    }
    json_decref(line);
}

static json_t *triple(const uint32_t v[3]) {
    return json_pack("[III]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *integer(uint64_t v) { return json_integer((json_int_t)v); }

static bool counted(const struct activity *a, const struct act_info *row) {
    for (uint32_t k = 0; k < row->n; k++)
        if (a->c[row->first + k]) return true;
    return false;
}

// Counters by name; of a part of the chip (`all` false) those that counted anything.
static json_t *activity_json(const struct activity *a, bool all) {
    json_t *o = json_object();
    for (uint32_t i = 0; i < act_rows(); i++) {
        const struct act_info *row = act_row(i);
        if (!all && !counted(a, row)) continue;
        if (row->n == 1) {
            json_object_set_new(o, row->name, integer(a->c[row->first]));
            continue;
        }
        json_t *list = json_array();
        for (uint32_t k = 0; k < row->n; k++)
            json_array_append_new(list, integer(a->c[row->first + k]));
        json_object_set_new(o, row->name, list);
    }
    return o;
}

json_t *record_activity_json(const struct activity *a) { return activity_json(a, true); }

static json_t *gpu_json(const struct gpu_config *c) {
    static const struct {
        const char *name, *key;
    } counts[] = {{"sms", GPU_KEY("sm_count")},
                  {"schedulers", GPU_KEY("sm.schedulers")},
                  {"issue_width", GPU_KEY("sm.issue_width")},
                  {"warps_per_sm", GPU_KEY("sm.max_warps")}};
    const double channels = gpu_config_real(c, "mem.partitions") *
                            gpu_config_real(c, "mem.dram.channels_per_partition");
    const double peak = channels * gpu_config_real(c, "mem.dram.bus_bits") / 8.0 *
                        gpu_config_real(c, "mem.dram.data_rate") *
                        gpu_config_real(c, "clocks.dram_mhz") * 1e6;
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(gpu_config_name(c)));
    json_object_set_new(o, "product", json_string(gpu_config_word(c, "product")));
    json_object_set_new(o, "chip", json_string(gpu_config_word(c, "chip")));
    for (size_t i = 0; i < WW_COUNT(counts); i++)
        json_object_set_new(o, counts[i].name, integer(gpu_config_count(c, counts[i].key)));
    json_object_set_new(o, "core_clock_mhz", json_real(gpu_config_real(c, "clocks.core_mhz")));
    json_object_set_new(o, "dram_clock_mhz", json_real(gpu_config_real(c, "clocks.dram_mhz")));
    json_object_set_new(o, "dram_peak_bytes_per_s", json_real(peak));
    json_object_set_new(o, "l1_bytes", integer(gpu_config_count(c, "sm.l1d.bytes")));
    json_object_set_new(
        o, "l2_bytes",
        integer(gpu_config_count(c, "mem.l2.bytes") * gpu_config_count(c, "mem.partitions") *
                gpu_config_count(c, "mem.slices_per_partition")));
    return o;
}

uint64_t record_gpu_sum(const struct gpu_config *c) {
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f) return 0;
    gpu_config_print(c, f);
    const bool ok = fclose(f) == 0;
    const uint64_t sum = ok ? sum_feed(SUM_START, text, len) : 0;
    free(text);
    return sum;
}

enum ww_status record_open(const char *path, const struct gpu_config *c, const char *program,
                           const struct session *session, bool has_gpu, struct diags *d,
                           struct record **out) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    struct record *r = calloc(1, sizeof *r);
    if (!r || !(r->path = strdup(path))) {
        close(fd);
        free(r);
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for the record of the run");
    }
    r->fd = fd;
    r->sum = SUM_START;
    r->first_code = 1;
    arena_init(&r->arena, NULL);
    char sum[SUM_TEXT_BYTES];
    json_t *line = json_object();
    json_object_set_new(line, "type", json_string("run"));
    json_object_set_new(line, "format", json_integer(RECORD_FORMAT));
    json_object_set_new(line, "program", json_string(program ? program : ""));
    json_object_set_new(line, "gpu", gpu_json(c));
    json_object_set_new(line, "gpu_file", json_string(sum_text(record_gpu_sum(c), sum)));
    if (session->told && *session->told)
        json_object_set_new(line, "told", json_string(session->told));
    json_t *limit = session->limit && *session->limit ? json_loads(session->limit, 0, NULL) : NULL;
    if (limit) json_object_set_new(line, "limit", limit);
    json_t *how = session->how && *session->how ? json_loads(session->how, 0, NULL) : NULL;
    if (how) json_object_set_new(line, "run", how);
    if (!has_gpu) json_object_set_new(line, "opened", json_false());
    write_line(r, line);
    if (r->error) { // nothing of the run would be known
        const enum ww_status s =
            diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(r->error));
        close(fd);
        free(r->line);
        free(r->path);
        free(r);
        return s;
    }
    *out = r;
    return WW_OK;
}

// By the names of inst_memory.def, those that are not 0; NULL: it asked for nothing.
static json_t *memory_json(const struct sm_inst_memory *m) {
    json_t *o = NULL;
#define INST_MEMORY(name, unit, prose)                                                             \
    if (m->name) {                                                                                 \
        if (!o) o = json_object();                                                                 \
        json_object_set_new(o, #name, integer(m->name));                                           \
    }
#include "sm/inst_memory.def"
#undef INST_MEMORY
    return o;
}

static json_t *instructions_json(const struct gpu_result *g) {
    json_t *list = json_array();
    for (uint32_t pc = 0; pc < g->image->n_insts; pc++) {
        const struct sm_inst_counts *n = &g->inst[pc];
        const struct minst *m = &g->image->inst[pc];
        char text[160];
        disasm_inst(g->image, pc, text, sizeof text);
        json_t *stalls = json_object();
        for (uint32_t s = 0; s < STALL_N; s++)
            if (n->stall[s])
                json_object_set_new(stalls, stall_text((enum stall_reason)s), integer(n->stall[s]));
        json_t *row = json_object();
        json_object_set_new(row, "pc", integer(pc));
        json_object_set_new(row, "text", json_string(text));
        json_object_set_new(row, "ptx_line", integer(m->ptx_line));
        json_object_set_new(row, "src_line", integer(m->src_line));
        json_object_set_new(row, "issues", integer(n->issues));
        json_object_set_new(row, "lanes", integer(n->lanes));
        json_object_set_new(row, "stalls", stalls);
        json_t *memory = g->inst_memory ? memory_json(&g->inst_memory[pc]) : NULL;
        if (memory) json_object_set_new(row, "memory", memory);
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *activities_json(const struct activity *a, uint32_t n) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++) json_array_append_new(list, activity_json(&a[i], false));
    return list;
}

// The id of a kernel's "code" line, which is written at its first launch.
static uint64_t code_id(struct record *r, const struct code_image *im) {
    for (uint32_t i = 0; i < r->codes.n; i++)
        if (r->codes.at[i] == im) return r->first_code + i;
    vec_push(&r->arena, &r->codes, im);
    const uint64_t id = r->first_code + r->codes.n - 1;
    write_line(r, record_code_json(im, id));
    return id;
}

// What each warp did (sm/watch.h), cycles from the launch's start: {states, spans: [[warp, from, to,
// state, pc, lanes, resident]], residents: [[CTA, warp in it]]}.
static json_t *warps_json(const struct gpu_result *g) {
    uint32_t n;
    bool lost;
    const struct sm_watch_span *const span = sm_watch_spans(g->watched, &n, &lost);
    json_t *o = json_object(), *states = json_array(), *spans = json_array(),
           *residents = json_array();
    int64_t now[256]; // by warp: number of its resident
    uint64_t cta[256] = {0};
    uint32_t in_cta[256] = {0};
    for (size_t i = 0; i < WW_COUNT(now); i++) now[i] = -1;
    for (uint32_t s = 0; s < WATCH_STATES; s++)
        json_array_append_new(states, json_string(sm_watch_text(s)));
    for (uint32_t i = 0; i < n; i++) {
        const struct sm_watch_span *const x = &span[i];
        if (now[x->warp] < 0 || cta[x->warp] != x->cta || in_cta[x->warp] != x->warp_in_cta) {
            now[x->warp] = (int64_t)json_array_size(residents);
            cta[x->warp] = x->cta, in_cta[x->warp] = x->warp_in_cta;
            json_array_append_new(residents, json_pack("[I,I]", (json_int_t)x->cta,
                                                       (json_int_t)x->warp_in_cta));
        }
        json_array_append_new(spans,
                              json_pack("[i,I,I,i,I,I,I]", x->warp,
                                        (json_int_t)(x->from - g->start_cycle),
                                        (json_int_t)(x->to - g->start_cycle), x->state,
                                        (json_int_t)x->pc, (json_int_t)x->lanes,
                                        (json_int_t)now[x->warp]));
    }
    json_object_set_new(o, "sm", integer(g->watch.sm));
    json_object_set_new(o, "from", integer(g->watch.from));
    json_object_set_new(o, "to", integer(g->watch.to));
    json_object_set_new(o, "states", states);
    json_object_set_new(o, "spans", spans);
    json_object_set_new(o, "residents", residents);
    json_object_set_new(o, "lost", json_boolean(lost));
    return o;
}

// Issue slots lost to instructions by windows of the launch: {to: cycles, rows: [[pc, reason, slots in each window]]}.
// By instruction, then in the order in which reasons came.
static json_t *waits_json(const struct gpu_waits *w, uint32_t n_insts) {
    json_t *o = json_object(), *to = json_array(), *rows = json_array();
    for (uint32_t i = 0; i < w->n_windows; i++) json_array_append_new(to, integer(w->to[i]));
    json_t **const row = calloc((size_t)n_insts * STALL_N, sizeof *row);
    for (uint32_t i = 0; row && i < w->n; i++) {
        const struct gpu_wait *const x = &w->at[i];
        json_t **const of = &row[(size_t)x->pc * STALL_N + x->reason];
        if (!*of) *of = json_pack("[I,s]", (json_int_t)x->pc, stall_text((enum stall_reason)x->reason));
        while (json_array_size(*of) < 2 + x->window) json_array_append_new(*of, json_integer(0));
        json_array_append_new(*of, integer(x->slots));
    }
    for (size_t i = 0; row && i < (size_t)n_insts * STALL_N; i++) {
        if (row[i]) json_array_append_new(rows, row[i]);
    }
    free(row);
    json_object_set_new(o, "to", to);
    json_object_set_new(o, "rows", rows);
    return o;
}

static void write_launch(struct record *r, const struct gpu_result *g, uint64_t launches,
                         bool per_sm, uint32_t range) {
    json_t *o = json_object();
    json_object_set_new(o, "type", json_string("launch"));
    json_object_set_new(o, "id", integer(g->id));
    if (launches > 1)
        json_object_set_new(o, "launches", integer(launches)); // the figures are their sum
    if (range) json_object_set_new(o, "range", integer(range));
    json_object_set_new(o, "kernel", json_string(g->kernel));
    json_object_set_new(o, "module", json_string(g->module ? g->module : ""));
    json_object_set_new(o, "grid", triple(g->grid));
    json_object_set_new(o, "block", triple(g->block));
    json_object_set_new(o, "dynamic_shared_bytes", integer(g->dynamic_shared));
    if (g->image->source.made_by)
        json_object_set_new(o, "made_by", json_string_nocheck(g->image->source.made_by));
    if (g->image->source.instead)
        json_object_set_new(o, "instead", json_string_nocheck(g->image->source.instead));
    json_object_set_new(o, "registers", integer(image_registers(g->image)));
    json_object_set_new(
        o, "shared_bytes",
        integer(g->image->shared_bytes - g->image->shared_system + g->dynamic_shared));
    json_object_set_new(o, "local_bytes", integer(g->image->local_bytes));
    json_object_set_new(o, "functional", json_boolean(g->functional));
    json_object_set_new(o, "status", integer((uint64_t)g->status));
    json_object_set_new(o, "text", g->text ? json_string_nocheck(g->text) : json_null());
    json_object_set_new(o, "cycles", integer(g->cycles));
    json_object_set_new(o, "seconds", json_real(g->seconds));
    json_object_set_new(o, "start_s", json_real(g->start_s));
    json_object_set_new(o, "host_seconds", json_real(g->host_seconds));
    json_object_set_new(o, "warp_instructions", integer(g->warp_instructions));
    json_object_set_new(o, "thread_instructions", integer(g->thread_instructions));
    json_object_set_new(o, "ctas", integer(g->ctas));
    json_object_set_new(o, "ctas_done", integer(g->ctas_done));
    json_object_set_new(o, "overlapped", integer(g->overlapped));
    if (g->estimate.is) {
        json_object_set_new(o, "estimated_half_cycles", json_real(g->estimate.half_cycles));
        json_object_set_new(o, "ctas_timed", integer(g->estimate.ctas_timed));
    }
    json_object_set_new(o, "occupancy_ctas", integer(g->occupancy.ctas));
    json_object_set_new(o, "occupancy_warps", integer(g->occupancy.warps));
    json_object_set_new(o, "occupancy_limit",
                        json_string(g->occupancy.limit ? g->occupancy.limit : ""));
    json_object_set_new(o, "achieved_warps", json_real(g->achieved_warps));
    json_object_set_new(o, "activity", activity_json(&g->activity, true));
    if (per_sm && !g->functional) {
        json_object_set_new(o, "sm", activities_json(g->sm, g->n_sms));
        json_object_set_new(o, "partition", activities_json(g->partition, g->n_partitions));
    }
    if (g->n_intervals) {
        json_t *list = json_array();
        for (uint32_t i = 0; i < g->n_intervals; i++)
            json_array_append_new(
                list, json_pack("{s:I,s:I,s:b,s:o}", "from", (json_int_t)g->interval[i].from, "to",
                                (json_int_t)g->interval[i].to, "sparse", 1, "activity",
                                activity_json(&g->interval[i].activity, false)));
        json_object_set_new(o, "intervals", list);
    }
    if (g->watched) json_object_set_new(o, "warps", warps_json(g));
    if (g->inst && !g->functional) {
        json_object_set_new(o, "code", integer(code_id(r, g->image)));
        json_object_set_new(o, "instructions", instructions_json(g));
        if (g->waits.n_windows) json_object_set_new(o, "waits", waits_json(&g->waits, g->image->n_insts));
    }
    write_line(r, o);
}

// Bytes that a launch's line takes, about; an interval's, which stands in most files, twice. Of the
// same launch always the same: which launches stand one by one must not depend on the host.
static uint64_t detail_of(const struct gpu_result *g, struct record_detail detail) {
    enum { LINE = 9000, INTERVAL = 6800, PART = 1000, PART_BUSY = 2000, INSTRUCTION = 170, WAIT = 6 };
    uint64_t n = LINE + (uint64_t)g->n_intervals * INTERVAL;
    if (g->inst) n += (uint64_t)g->image->n_insts * INSTRUCTION;
    n += (uint64_t)g->waits.n * WAIT;
    for (uint32_t i = 0; detail.per_sm && !g->functional && i < g->n_sms; i++)
        n += act_get(&g->sm[i], "sm_busy_cycles") ? PART_BUSY : PART;
    return n;
}

static bool folds_with(const struct gpu_result *a, const struct gpu_result *b) {
    return a->image == b->image && a->functional == b->functional &&
           a->estimate.is == b->estimate.is && (a->inst != NULL) == (b->inst != NULL) &&
           a->dynamic_shared == b->dynamic_shared &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

static void write_fold(struct record *r, struct fold *f) {
    if (!f->n) return;
    struct gpu_result *g = &f->first;
    if (g->cycles) g->achieved_warps = f->warp_cycles / (double)g->cycles;
    write_launch(r, g, f->n, false, f->range);
    f->n = 0;
}

static void free_fold(struct fold *f) {
    free(f->inst);
    free(f->memory);
    f->inst = NULL;
    f->memory = NULL;
}

static void add_instructions(struct fold *f, const struct gpu_result *g) {
    for (uint32_t k = 0; f->inst && k < g->image->n_insts; k++) {
        f->inst[k].issues += g->inst[k].issues;
        f->inst[k].lanes += g->inst[k].lanes;
        for (uint32_t s = 0; s < STALL_N; s++) f->inst[k].stall[s] += g->inst[k].stall[s];
    }
    for (uint32_t k = 0; f->memory && g->inst_memory && k < g->image->n_insts; k++) {
#define INST_MEMORY(name, unit, prose) f->memory[k].name += g->inst_memory[k].name;
#include "sm/inst_memory.def"
#undef INST_MEMORY
    }
}

// The first launch of a sum. Without memory for its instructions they are not counted.
static void begin_fold(struct fold *f, const struct gpu_result *g) {
    const uint32_t n = g->image->n_insts;
    free_fold(f);
    f->first = *g;
    f->first.interval = NULL;
    f->first.n_intervals = 0;
    f->first.waits = (struct gpu_waits){.n_windows = 0};
    f->warp_cycles = 0;
    if (g->inst && !g->functional) f->inst = calloc(n, sizeof *f->inst);
    if (f->inst && g->inst_memory) f->memory = calloc(n, sizeof *f->memory);
    f->first.inst = f->inst;
    f->first.inst_memory = f->memory;
}

static bool add_to_fold(struct record *r, const struct gpu_result *g, struct record_detail detail,
                        uint32_t range) {
    if ((r->launches < FOLD_AFTER && r->detail < DETAIL_ROOM) || g->status != WW_OK ||
        (g->n_intervals && detail.every_interval) || g->overlapped || g->watched)
        return false;
    if (!r->fold && !(r->fold = calloc(FOLDS, sizeof *r->fold))) return false;
    uint32_t i = 0;
    while (i < r->n_folds && !(r->fold[i].range == range && folds_with(&r->fold[i].first, g))) i++;
    if (i == FOLDS) { // the place of the one that is written out
        i = (uint32_t)(r->launches % FOLDS);
        write_fold(r, &r->fold[i]);
    } else if (i == r->n_folds) {
        r->n_folds++;
    }
    struct fold *f = &r->fold[i];
    struct gpu_result *sum = &f->first;
    if (!f->n) {
        begin_fold(f, g);
        f->range = range;
    } else {
        sum->cycles += g->cycles;
        sum->seconds += g->seconds;
        sum->host_seconds += g->host_seconds;
        sum->warp_instructions += g->warp_instructions;
        sum->thread_instructions += g->thread_instructions;
        sum->ctas += g->ctas;
        sum->ctas_done += g->ctas_done;
        sum->estimate.half_cycles += g->estimate.half_cycles;
        sum->estimate.ctas_timed += g->estimate.ctas_timed;
        if (!g->functional) activity_add(&sum->activity, &g->activity); // without time it is all 0
    }
    add_instructions(f, g);
    f->warp_cycles += g->achieved_warps * (double)g->cycles;
    if (++f->n == FOLD_MAX) write_fold(r, f);
    return true;
}

void record_launch(struct record *r, const struct gpu_result *g, struct record_detail detail,
                   uint32_t range) {
    if (!add_to_fold(r, g, detail, range)) {
        r->detail += detail_of(g, detail);
        write_launch(r, g, 1, detail.per_sm, range);
    }
    r->launches++;
    r->host_s += g->host_seconds;
}

void record_module_gone(struct record *r) {
    for (uint32_t i = 0; i < r->n_folds; i++) {
        write_fold(r, &r->fold[i]);
        free_fold(&r->fold[i]);
    }
    r->n_folds = 0;
    r->first_code += r->codes.n; // another image may come to lie where one lay
    r->codes.n = 0;
}

// ---- copies -------------------------------------------------------------------------------------
static void write_copy(struct record *r, const char *kind, uint32_t stream,
                       const struct copies *c) {
    json_t *o = json_object();
    json_object_set_new(o, "type", json_string("copy"));
    json_object_set_new(o, "kind", json_string(kind));
    if (c->n > 1)
        json_object_set_new(o, "copies", integer(c->n)); // the figures are their sum
    else
        json_object_set_new(o, "stream", integer(stream));
    if (c->range) json_object_set_new(o, "range", integer(c->range));
    json_object_set_new(o, "bytes", integer(c->bytes));
    json_object_set_new(o, "start_s", json_real(c->start_s));
    json_object_set_new(o, "seconds", json_real(c->seconds));
    json_object_set_new(o, "alone_s", json_real(c->alone_s));
    write_line(r, o);
}

void record_copy(struct record *r, const struct gpu_span *s, uint32_t range) {
    const struct copies one = {.n = 1,
                               .range = range,
                               .bytes = s->bytes,
                               .start_s = s->from_s,
                               .seconds = s->to_s - s->from_s,
                               .alone_s = s->alone_s};
    uint32_t i = 0;
    while (i < COPY_SUMS && r->copies[i].kind &&
           (r->copies[i].range != range || strcmp(r->copies[i].kind, s->name) != 0))
        i++;
    if (++r->n_copies <= COPIES_AFTER || i == COPY_SUMS) {
        write_copy(r, s->name, s->stream, &one);
        return;
    }
    struct copies *const sum = &r->copies[i];
    if (!sum->n) *sum = (struct copies){.kind = s->name, .range = range, .start_s = s->from_s};
    sum->n++;
    sum->bytes += one.bytes;
    sum->seconds += one.seconds;
    sum->alone_s += one.alone_s;
}

static void write_copies(struct record *r) {
    for (uint32_t i = 0; i < COPY_SUMS; i++)
        if (r->copies[i].n) write_copy(r, r->copies[i].kind, 0, &r->copies[i]);
}

// ---- ranges -------------------------------------------------------------------------------------
void record_range(struct record *r, uint32_t id, uint32_t parent, const char *name) {
    if (!r) return;
    json_t *o = json_object();
    json_object_set_new(o, "type", json_string("range"));
    json_object_set_new(o, "id", integer(id));
    json_object_set_new(o, "parent", integer(parent));
    json_object_set_new(o, "name", json_string_nocheck(name));
    write_line(r, o);
}

void record_range_times(struct record *r, uint32_t id, uint64_t times) {
    json_t *o = json_object();
    json_object_set_new(o, "type", json_string("range"));
    json_object_set_new(o, "id", integer(id));
    json_object_set_new(o, "times", integer(times));
    write_line(r, o);
}

static void write_error(struct record *r, const struct error *e, const char *call, uint64_t times) {
    json_t *o = json_object();
    json_object_set_new(o, "type", json_string("error"));
    json_object_set_new(o, "status", integer((uint64_t)e->status));
    json_object_set_new(o, "text", json_string_nocheck(e->text));
    json_object_set_new(o, "launch", json_boolean(e->is_launch));
    if (call) json_object_set_new(o, "call", json_string(call));
    json_object_set_new(o, "times", integer(times));
    write_line(r, o);
}

void record_error(struct record *r, enum ww_status status, const char *sentence, bool is_launch) {
    for (uint32_t i = 0; i < r->n_errors; i++)
        if (strcmp(r->error_seen[i].text, sentence) == 0) {
            r->error_seen[i].again++;
            return;
        }
    struct error e = {.text = strdup(sentence), .status = status, .is_launch = is_launch};
    if (!e.text) return;
    write_error(r, &e, NULL, 1);
    if (r->n_errors < ERRORS)
        r->error_seen[r->n_errors++] = e;
    else
        free(e.text);
}

void record_refused(struct record *r, const char *call, const char *sentence, uint64_t times) {
    const struct error e = {.text = (char *)(uintptr_t)sentence, .status = WW_ERROR_UNSUPPORTED};
    write_error(r, &e, call, times);
}

void record_finding(void *user, const char *sentence) {
    if (user) record_error(user, WW_ERROR_ACCESS, sentence, false);
}

static void write_errors_again(struct record *r) {
    for (uint32_t i = 0; i < r->n_errors; i++) {
        if (r->error_seen[i].again) write_error(r, &r->error_seen[i], NULL, r->error_seen[i].again);
        free(r->error_seen[i].text);
    }
}

enum ww_status record_close(struct record *r, const struct gpu_totals *t, struct diags *d) {
    record_module_gone(r);
    free(r->fold);
    write_copies(r);
    write_errors_again(r);
    json_t *o = json_object();
    json_object_set_new(o, "type", json_string("end"));
    json_object_set_new(o, "launches", integer(t->launches));
    json_object_set_new(o, "cycles", integer(t->cycles));
    json_object_set_new(o, "kernel_cycles", integer(t->kernel_cycles));
    json_object_set_new(o, "seconds", json_real(t->seconds));
    json_object_set_new(o, "kernel_seconds", json_real(t->kernel_seconds));
    json_object_set_new(o, "copies", integer(t->copies));
    json_object_set_new(o, "copied_bytes", integer(t->copied_bytes));
    json_object_set_new(o, "copy_seconds", json_real(t->copy_seconds));
    if (t->estimate_half_cycles > 0)
        json_object_set_new(o, "estimated_half_cycles", json_real(t->estimate_half_cycles));
    if (t->sampling_error > 0)
        json_object_set_new(o, "sampling",
                            json_pack("{s:f,s:I,s:I}", "error", t->sampling_error, "launches",
                                      (json_int_t)t->launches_estimated, "launches_beside",
                                      (json_int_t)t->launches_beside));
    if (t->kernel_cycles) json_object_set_new(o, "activity", activity_json(&t->activity, true));
    write_line(r, o);
    if (close(r->fd) != 0 && !r->error) r->error = errno;
    const int error = r->error;
    enum ww_status s = WW_OK;
    if (error)
        s = diag_add(d, WW_ERROR_IO, "the record %s is incomplete: %s", r->path, strerror(error));
    arena_free(&r->arena);
    free(r->line);
    free(r->path);
    free(r);
    return s;
}
