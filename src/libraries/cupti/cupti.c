// libcupti.so: CUPTI's activity interface, by which profilers inside programs (torch.profiler's Kineto) learn of kernels, copies
// and fills. Their times are simulated: lengths, and what lies between those that were asked for in time. Since the host takes no
// simulated time, and far more of its own, the GPU's time is put beside the host's: work begins no earlier than the host asked
// for it, as if the GPU had waited. Times that the host itself took (of the runtime's calls) are the host's.
//
// There are records of kernels, copies, fills, of calls of the runtime and of the driver, and of external correlation. A call of the
// driver inside one of the runtime's has its number and no record of its own. Callbacks: callbacks.c. Events, metrics, sampling and
// range profiling answer CUPTI_ERROR_NOT_SUPPORTED. What is not there is named once.
// Layouts, kinds and statuses: cupti_activity.h and cupti_result.h of CUDA 12.4.
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cupti.h"

enum {
    KIND_COPY = 1,
    KIND_FILL = 2,
    KIND_KERNEL = 3,
    KIND_DRIVER = 4,
    KIND_RUNTIME = 5,
    KIND_CONCURRENT = 10,
    KIND_EXTERNAL = 39,
    KINDS = 64
};
enum {
    DEFAULT_STREAM = 7,
    FIRST_STREAM = 12,
    EXTERNAL_KINDS = 8,
    EXTERNAL_DEPTH = 64
};

#define RECORD struct __attribute__((packed, aligned(8)))
RECORD kernel_record {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t cache_requested, cache_executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3], static_shared, dynamic_shared;
    uint32_t local_per_thread, local_total, correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launch_type, carveout_requested, carveout, padding;
    uint32_t shared_executed;
    uint64_t graph_node;
    uint32_t shared_limit, graph;
    void *window;
    uint32_t channel, channel_type, cluster[3], cluster_policy;
    uint64_t local_total_64;
    uint32_t cluster_possible, clusters_active;
};
RECORD copy_record {
    uint32_t kind;
    uint8_t copy_kind, from, to, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation, runtime_correlation, pad;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph, channel, channel_type, pad_2;
};
RECORD fill_record {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memory_kind;
    uint32_t pad;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph, channel, channel_type, pad_2;
};
RECORD call_record {
    uint32_t kind, call;
    uint64_t start, end;
    uint32_t process, thread, correlation, status;
};
RECORD external_record {
    uint32_t kind, external_kind;
    uint64_t external;
    uint32_t correlation, reserved;
};
union record {
    uint32_t kind;
    struct kernel_record kernel;
    struct copy_record copy;
    struct fill_record fill;
    struct call_record call;
    struct external_record external;
};

static size_t size_of(uint32_t kind) {
    switch (kind) {
    case KIND_KERNEL:
    case KIND_CONCURRENT: return sizeof(struct kernel_record);
    case KIND_COPY: return sizeof(struct copy_record);
    case KIND_FILL: return sizeof(struct fill_record);
    case KIND_DRIVER:
    case KIND_RUNTIME: return sizeof(struct call_record);
    case KIND_EXTERNAL: return sizeof(struct external_record);
    default: return 0;
    }
}

// The call that asked for some work, by correlation number.
struct call {
    uint64_t at;    // host's time, as `stamp` tells it
    double host_ns; // the same by `host_ns`
};

typedef void request_fn(uint8_t **buffer, size_t *size, size_t *records);
typedef void complete_fn(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                         size_t valid);

static struct {
    pthread_mutex_t lock;
    const struct ww_driver_table *driver;
    bool enabled[KINDS];
    bool is_listening;
    request_fn *request;
    complete_fn *complete;
    uint64_t (*stamp)(void); // a profiler's clock, of any rate; NULL: nanoseconds
    uint64_t stamp_0;        // and the host's nanoseconds then: its rate
    double host_0;
    double base_host,
        base_sim;     // the host's nanoseconds and simulated seconds when activities were enabled
    double waited_ns; // of the GPU for the host since then
    union record *record; // of work that has ended
    size_t n, room;
    struct call *call; // from number first_call on
    uint32_t first_call, n_calls, call_room;
    char **name; // of kernels; a profiler may keep a record's pointer, so they stay
    size_t n_names;
    struct
        spare { // the profiler's next buffer: profilers ask for records only when a buffer was asked of them
        uint8_t *buffer;
        size_t size, records;
    } spare;
    // Of one call of the driver [0] or the runtime [1]: 0 as its kind, CALL_ON, CALL_OFF.
    uint8_t wanted_call[2][CALLS];
    uint32_t calls_on; // that are CALL_ON
} the = {.lock = PTHREAD_MUTEX_INITIALIZER, .first_call = 1};

static _Thread_local struct {
    uint64_t id[EXTERNAL_DEPTH];
    uint32_t n;
} external[EXTERNAL_KINDS];

// The call that this thread is in: the outermost one's number.
static _Thread_local struct {
    uint32_t depth, number;
    uint64_t from;
    bool has_external; // records of external correlation have been made for it
} here;

// ---- clocks -------------------------------------------------------------------------------------
static double host_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
static uint64_t wall_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static uint64_t stamp(void) { return the.stamp ? the.stamp() : wall_ns(); }

// Ticks of the profiler's clock in a nanosecond.
static double rate(void) {
    if (!the.stamp) return 1;
    const double ns = host_ns() - the.host_0;
    return ns > 0 ? (double)(the.stamp() - the.stamp_0) / ns : 1;
}

// ---- what the GPU does --------------------------------------------------------------------------
static union record *add(uint32_t kind) {
    if (the.n == the.room) {
        const size_t room = the.room ? 2 * the.room : 1024;
        union record *const p = realloc(the.record, room * sizeof *p);
        if (!p) return NULL; // the record is lost
        the.record = p;
        the.room = room;
    }
    union record *const r = &the.record[the.n++];
    memset(r, 0, sizeof *r);
    r->kind = kind;
    return r;
}

static const char *keep_name(const char *text) {
    for (size_t i = 0; i < the.n_names; i++)
        if (strcmp(the.name[i], text) == 0) return the.name[i];
    char **const list = realloc(the.name, (the.n_names + 1) * sizeof *list);
    if (!list) return "";
    the.name = list;
    char *const copy = strdup(text);
    if (copy) the.name[the.n_names++] = copy;
    return copy ? copy : "";
}

// A new number, for what is asked for now; 0: out of memory. Under the lock.
static uint32_t new_number(void) {
    if (the.n_calls == the.call_room) {
        const uint32_t room = the.call_room ? 2 * the.call_room : 1024;
        struct call *const p = realloc(the.call, room * sizeof *p);
        if (!p) return 0;
        the.call = p;
        the.call_room = room;
    }
    the.call[the.n_calls] = (struct call){stamp(), host_ns()};
    return the.first_call + the.n_calls++;
}

static void put_external(uint32_t number) {
    for (uint32_t k = 0; k < EXTERNAL_KINDS && the.enabled[KIND_EXTERNAL]; k++) {
        if (!external[k].n) continue;
        union record *const r = add(KIND_EXTERNAL);
        if (!r) continue;
        r->external.external_kind = k;
        r->external.external = external[k].id[(external[k].n - 1) % EXTERNAL_DEPTH];
        r->external.correlation = number;
    }
}

// All that one call asks for has its number.
static uint32_t queued(void) {
    pthread_mutex_lock(&the.lock);
    const bool is_call = here.depth && here.number;
    const uint32_t number = is_call ? here.number : new_number();
    if (number && !(is_call && here.has_external)) put_external(number);
    here.has_external = is_call;
    pthread_mutex_unlock(&the.lock);
    return number;
}

// ---- calls of the driver and the runtime --------------------------------------------------------
static bool is_wanted(uint32_t domain, uint32_t call) {
    const uint8_t own = call < CALLS ? the.wanted_call[domain - 1][call] : CALL_AS_KIND;
    return own ? own == CALL_ON
               : the.enabled[domain == WW_DOMAIN_DRIVER ? KIND_DRIVER : KIND_RUNTIME];
}

uint32_t cupti_call_begins(void) {
    if (here.depth++) return here.number;
    pthread_mutex_lock(&the.lock);
    here.number = new_number();
    here.has_external = false;
    here.from = here.number ? the.call[the.n_calls - 1].at : stamp();
    pthread_mutex_unlock(&the.lock);
    return here.number;
}

void cupti_call_ends(const struct ww_call *c) {
    if (!here.depth || --here.depth) return; // it began before anyone watched, or within another
    pthread_mutex_lock(&the.lock);
    union record *const r = the.is_listening && is_wanted(c->domain, c->number)
                                ? add(c->domain == WW_DOMAIN_DRIVER ? KIND_DRIVER : KIND_RUNTIME)
                                : NULL;
    if (r) {
        r->call.call = c->number;
        r->call.start = here.from;
        r->call.end = stamp();
        r->call.process = (uint32_t)getpid();
        r->call.thread = (uint32_t)gettid();
        r->call.correlation = here.number;
        r->call.status = *(const uint32_t *)c->result;
    }
    pthread_mutex_unlock(&the.lock);
}

bool cupti_records_calls(void) {
    return the.enabled[KIND_DRIVER] || the.enabled[KIND_RUNTIME] || the.calls_on;
}

static void wait_for_host(const struct ww_work *w, const struct call *call) {
    const double asked = call->host_ns - the.base_host,
                 begins = 1e9 * (w->from_s - the.base_sim) + the.waited_ns;
    if (begins < asked) the.waited_ns += asked - begins;
}
// The profiler's clock at simulated time `s`, counted from the call that asked for the work.
static uint64_t gpu_time(const struct call *call, double s) {
    const double ns = 1e9 * (s - the.base_sim) + the.waited_ns - (call->host_ns - the.base_host);
    return call->at + (ns > 0 ? (uint64_t)(rate() * ns + 0.5) : 0);
}

static void put_kernel(const struct ww_work *w, const struct call *call, uint32_t stream) {
    union record *const r = add(the.enabled[KIND_CONCURRENT] ? KIND_CONCURRENT : KIND_KERNEL);
    if (!r) return;
    struct kernel_record *const k = &r->kernel;
    k->registers = (uint16_t)w->registers;
    k->start = gpu_time(call, w->from_s);
    k->end = k->completed = gpu_time(call, w->to_s);
    k->context = CONTEXT;
    k->stream = stream;
    for (int i = 0; i < 3; i++) {
        k->grid[i] = (int32_t)w->grid[i];
        k->block[i] = (int32_t)w->block[i];
    }
    k->static_shared = (int32_t)w->static_shared;
    k->dynamic_shared = (int32_t)w->dynamic_shared;
    k->shared_executed = w->static_shared + w->dynamic_shared;
    k->local_per_thread = w->local;
    k->correlation = w->correlation;
    k->grid_id = (int64_t)w->launch;
    k->name = keep_name(w->name);
}

static void done(const struct ww_work *w) {
    // pageable host memory, device memory: which of both a copy's ends are
    enum { PAGEABLE = 1, DEVICE = 3, TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 8 };
    pthread_mutex_lock(&the.lock);
    const uint32_t at = w->correlation - the.first_call;
    if (!the.is_listening || !w->correlation || at >= the.n_calls) { // asked for before
        pthread_mutex_unlock(&the.lock);
        return;
    }
    const struct call *const call = &the.call[at];
    wait_for_host(w, call);
    const uint32_t stream = w->stream ? FIRST_STREAM + w->stream : DEFAULT_STREAM;
    union record *r;
    if (w->kind == WW_WORK_KERNEL) {
        if (the.enabled[KIND_CONCURRENT] || the.enabled[KIND_KERNEL]) put_kernel(w, call, stream);
    } else if (w->kind == WW_WORK_FILL) {
        r = the.enabled[KIND_FILL] ? add(KIND_FILL) : NULL;
        if (r)
            r->fill = (struct fill_record){.kind = KIND_FILL,
                                           .bytes = w->bytes,
                                           .start = gpu_time(call, w->from_s),
                                           .end = gpu_time(call, w->to_s),
                                           .context = CONTEXT,
                                           .stream = stream,
                                           .correlation = w->correlation,
                                           .memory_kind = DEVICE};
    } else {
        r = the.enabled[KIND_COPY] ? add(KIND_COPY) : NULL;
        const bool up = w->kind == WW_WORK_COPY_UP, down = w->kind == WW_WORK_COPY_DOWN;
        if (r)
            r->copy = (struct copy_record){.kind = KIND_COPY,
                                           .copy_kind = up     ? TO_DEVICE
                                                        : down ? TO_HOST
                                                               : ON_DEVICE,
                                           .from = up ? PAGEABLE : DEVICE,
                                           .to = down ? PAGEABLE : DEVICE,
                                           .bytes = w->bytes,
                                           .start = gpu_time(call, w->from_s),
                                           .end = gpu_time(call, w->to_s),
                                           .context = CONTEXT,
                                           .stream = stream,
                                           .correlation = w->correlation,
                                           .runtime_correlation = w->correlation};
    }
    pthread_mutex_unlock(&the.lock);
}

static const struct ww_listener listener = {.queued = queued, .done = done};

// ---- the library --------------------------------------------------------------------------------
static void find_driver(void) {
    CUresult (*table_of)(const void **table, const CUuuid *id) = NULL;
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *const symbol = library ? dlsym(library, "cuGetExportTable") : NULL;
    memcpy(&table_of, &symbol, sizeof symbol);
    const void *table = NULL;
    if (table_of && table_of(&table, &WW_DRIVER_TABLE) == CUDA_SUCCESS) the.driver = table;
}
const struct ww_driver_table *cupti_driver(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_driver);
    return the.driver;
}

static void say(const char *word, const char *sentence) {
    if (cupti_driver()) cupti_driver()->said(word, sentence);
}

static void ask_for_buffer(void) {
    pthread_mutex_lock(&the.lock);
    request_fn *const request = the.spare.buffer ? NULL : the.request;
    pthread_mutex_unlock(&the.lock);
    struct spare s = {.buffer = NULL};
    if (request) request(&s.buffer, &s.size, &s.records);
    if (!s.buffer) return;
    pthread_mutex_lock(&the.lock);
    the.spare = s;
    pthread_mutex_unlock(&the.lock);
}

// The GPU is told to call `queued` and `done` while any kind is wanted. The driver calls them under its lock, so ours is not
// held meanwhile.
static void listen_or_not(bool wanted) {
    const double now_s = cupti_driver() ? cupti_driver()->now_s() : 0;
    pthread_mutex_lock(&the.lock);
    const bool change = wanted != the.is_listening;
    if (change && wanted) {
        the.base_host = host_ns();
        the.base_sim = now_s;
        the.waited_ns = 0;
    }
    the.is_listening = wanted;
    pthread_mutex_unlock(&the.lock);
    if (change && cupti_driver()) cupti_driver()->listen(wanted ? &listener : NULL);
    cupti_watch();
    if (wanted) ask_for_buffer();
}

static void listen_as_wanted(void) {
    bool wanted = the.calls_on;
    for (uint32_t k = 0; k < KINDS; k++) wanted = wanted || (the.enabled[k] && size_of(k));
    listen_or_not(wanted);
}

static int enable(uint32_t kind, bool is_on) {
    if (!kind || kind >= KINDS) return INVALID_KIND;
    pthread_mutex_lock(&the.lock);
    the.enabled[kind] = is_on;
    pthread_mutex_unlock(&the.lock);
    listen_as_wanted();
    return SUCCESS; // a kind that there is nothing of has no records
}
API(cuptiActivityEnable, uint32_t kind) { return enable(kind, true); }
API(cuptiActivityDisable, uint32_t kind) { return enable(kind, false); }
API(cuptiActivityEnableContext, void *context, uint32_t kind) {
    (void)context;
    return enable(kind, true);
}
API(cuptiActivityDisableContext, void *context, uint32_t kind) {
    (void)context;
    return enable(kind, false);
}
// One call, whatever is said of its kind.
static int enable_call(uint32_t domain, uint32_t call, bool is_on) {
    if (!call || call >= CALLS) return INVALID_PARAMETER;
    pthread_mutex_lock(&the.lock);
    uint8_t *const own = &the.wanted_call[domain - 1][call];
    the.calls_on += (uint32_t)is_on - (*own == CALL_ON);
    *own = is_on ? CALL_ON : CALL_OFF;
    pthread_mutex_unlock(&the.lock);
    listen_as_wanted();
    return SUCCESS;
}
API(cuptiActivityEnableRuntimeApi, uint32_t call, uint8_t is_on) {
    return enable_call(WW_DOMAIN_RUNTIME, call, is_on != 0);
}
API(cuptiActivityEnableDriverApi, uint32_t call, uint8_t is_on) {
    return enable_call(WW_DOMAIN_DRIVER, call, is_on != 0);
}
API(cuptiActivityRegisterCallbacks, request_fn *request, complete_fn *complete) {
    if (!request || !complete) return INVALID_PARAMETER;
    the.request = request;
    the.complete = complete;
    return SUCCESS;
}
API(cuptiActivityRegisterTimestampCallback, uint64_t (*clock)(void)) {
    if (!clock) return INVALID_PARAMETER;
    pthread_mutex_lock(&the.lock);
    the.stamp = clock;
    the.stamp_0 = clock();
    the.host_0 = host_ns();
    pthread_mutex_unlock(&the.lock);
    return SUCCESS;
}

// ---- buffers ------------------------------------------------------------------------------------
// Hands over all records of work that has ended, in buffers of the profiler's. Its functions are called without our lock.
API(cuptiActivityFlushAll, uint32_t flags) {
    (void)flags;
    pthread_mutex_lock(&the.lock);
    union record *const list = the.record;
    const size_t n = the.n;
    request_fn *const request = the.request;
    complete_fn *const complete = the.complete;
    if (!request || !complete) {
        pthread_mutex_unlock(&the.lock);
        return SUCCESS;
    }
    struct spare to = the.spare;
    the.spare = (struct spare){.buffer = NULL};
    the.record = NULL;
    the.n = the.room = 0;
    const bool goes_on = the.is_listening;
    pthread_mutex_unlock(&the.lock);
    for (size_t i = 0; i < n || to.buffer;) {
        size_t used = 0, in_it = 0;
        if (!to.buffer) request(&to.buffer, &to.size, &to.records);
        if (!to.buffer) break;
        while (i < n && used + size_of(list[i].kind) <= to.size &&
               !(to.records && in_it >= to.records)) {
            memcpy(to.buffer + used, &list[i], size_of(list[i].kind));
            used += size_of(list[i].kind);
            in_it++;
            i++;
        }
        complete(NULL, 0, to.buffer, to.size, used);
        to = (struct spare){.buffer = NULL};
        if (!in_it) break; // a buffer without room for one
    }
    free(list);
    if (goes_on) ask_for_buffer();
    return SUCCESS;
}
API(cuptiActivityFlush, void *context, uint32_t stream, uint32_t flags) {
    (void)context, (void)stream;
    return cuptiActivityFlushAll(flags);
}
API(cuptiActivityFlushPeriod, uint32_t ms) {
    (void)ms;
    return SUCCESS;
}
API(cuptiActivityGetNextRecord, uint8_t *buffer, size_t valid, void **record) {
    if (!buffer || !record) return INVALID_PARAMETER;
    uint8_t *const from = *record;
    size_t at = 0;
    if (from) {
        uint32_t kind;
        memcpy(&kind, from, sizeof kind);
        if (from < buffer || !size_of(kind)) return INVALID_KIND;
        at = (size_t)(from - buffer) + size_of(kind);
    }
    if (at >= valid) return MAX_LIMIT_REACHED;
    *record = buffer + at;
    return SUCCESS;
}
API(cuptiActivityGetNumDroppedRecords, void *context, uint32_t stream, size_t *dropped) {
    (void)context, (void)stream;
    if (!dropped) return INVALID_PARAMETER;
    *dropped = 0;
    return SUCCESS;
}

// ---- external correlation -----------------------------------------------------------------------
API(cuptiActivityPushExternalCorrelationId, uint32_t kind, uint64_t id) {
    if (kind >= EXTERNAL_KINDS) return INVALID_PARAMETER;
    external[kind].id[external[kind].n++ % EXTERNAL_DEPTH] = id;
    return SUCCESS;
}
API(cuptiActivityPopExternalCorrelationId, uint32_t kind, uint64_t *id) {
    if (kind >= EXTERNAL_KINDS) return INVALID_PARAMETER;
    if (!external[kind].n) return QUEUE_EMPTY;
    external[kind].n--;
    if (id) *id = external[kind].id[external[kind].n % EXTERNAL_DEPTH];
    return SUCCESS;
}

// ---- the rest that profilers call ---------------------------------------------------------------
API(cuptiGetVersion, uint32_t *version) {
    if (!version) return INVALID_PARAMETER;
    *version = API_VERSION;
    return SUCCESS;
}
API(cuptiGetTimestamp, uint64_t *at) {
    if (!at) return INVALID_PARAMETER;
    *at = stamp();
    return SUCCESS;
}
API(cuptiGetDeviceId, void *context, uint32_t *device) {
    (void)context;
    if (!device) return INVALID_PARAMETER;
    *device = 0;
    return SUCCESS;
}
API(cuptiGetResultString, int status, const char **out) {
    static const struct {
        int status;
        const char *words;
    } words[] = {{SUCCESS, "CUPTI_SUCCESS"},
                 {INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER"},
                 {MAX_LIMIT_REACHED, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
                 {QUEUE_EMPTY, "CUPTI_ERROR_QUEUE_EMPTY"},
                 {INVALID_KIND, "CUPTI_ERROR_INVALID_KIND"},
                 {NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED"},
                 {NOT_SUPPORTED, "CUPTI_ERROR_NOT_SUPPORTED"},
                 {MULTIPLE_SUBSCRIBERS, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"}};
    if (!out) return INVALID_PARAMETER;
    *out = "CUPTI_ERROR_UNKNOWN";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].status == status) *out = words[i].words;
    return SUCCESS;
}
API(cuptiGetErrorMessage, int status, const char **out) {
    return cuptiGetResultString(status, out);
}
// Sizes of buffers, threads' ids: whatever a profiler wishes.
API(cuptiActivitySetAttribute, int attribute, size_t *size, void *value) {
    (void)attribute, (void)size, (void)value;
    return SUCCESS;
}
API(cuptiSetThreadIdType, int type) {
    (void)type;
    return SUCCESS;
}
API(cuptiActivityEnableLatencyTimestamps, uint8_t is_on) {
    (void)is_on;
    return SUCCESS;
}
API(cuptiActivityEnableCudaEventDeviceTimestamps, uint8_t is_on) {
    (void)is_on;
    return SUCCESS;
}
API(cuptiActivityEnableLaunchAttributes, uint8_t is_on) {
    (void)is_on;
    return SUCCESS;
}
API(cuptiFinalize, void) {
    for (uint32_t k = 1; k < KINDS; k++) enable(k, false);
    return SUCCESS;
}

static int unanswered(const char *call) {
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "%s of CUPTI is not there: it answers CUPTI_ERROR_NOT_SUPPORTED", call);
    say(call, sentence);
    return NOT_SUPPORTED;
}
#define UNANSWERED(name)                                                                           \
    API(name, void) { return unanswered(#name); }
#include "unanswered.def"
