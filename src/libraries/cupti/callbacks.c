// CUPTI's callbacks: a subscriber is called where a call of the driver or the runtime begins and ends, where contexts, streams,
// modules and graphs come and go, and where the host has waited. A subscriber's own calls are nobody's. Domains, numbers and
// layouts: cupti_callbacks.h of CUDA 13.0.
#include "cupti.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAINS = 7, NVTX = 5, STATE = 6 }; // of the last two there are no callbacks
enum { ENTER, EXIT };

struct call_data { // CUpti_CallbackData
    uint32_t site;
    const char *function;
    const void *parameters;
    void *result;
    const char *symbol; // of the kernel that is launched
    CUcontext context;
    uint32_t context_number;
    uint64_t *data;
    uint32_t correlation;
};
struct resource_data { // CUpti_ResourceData
    CUcontext context;
    CUstream stream;
    const void *more;
};
struct module_data { // CUpti_ModuleResourceData
    uint32_t number;
    size_t bytes;
    const void *code;
};
struct graph_data { // CUpti_GraphData
    const void *graph, *original, *node, *original_node;
    uint32_t type;
    const void *dependency, *exec;
};
struct wait_data { // CUpti_SynchronizeData
    CUcontext context;
    CUstream stream;
};

typedef void callback_fn(void *user, uint32_t domain, uint32_t number, const void *data);

enum { NAME = 64 };
struct subscriber_params { // CUpti_SubscriberParams
    size_t size;
    const char *name;
    char *old_name; // room for that of who is there already
    size_t old_room;
    uint8_t allows_others;
};

static struct {
    bool has_subscriber;
    char name[NAME];
    callback_fn *call; // NULL: the subscriber only keeps others away
    void *user;
    bool wanted[DOMAINS][CALLS];
    uint32_t n_wanted;
} the;
static struct {
    pthread_mutex_t lock;
    uint32_t last; // number that was given
    struct numbered {
        const void *module;
        uint32_t number;
    } * list; // those that have been made and have not gone
    size_t n, room;
} modules = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local bool is_called; // the subscriber, by this thread

static void call(uint32_t domain, uint32_t number, const void *data) {
    callback_fn *const f = the.call;
    if (!f || number >= CALLS || !the.wanted[domain][number]) return;
    is_called = true;
    f(the.user, domain, number, data);
    is_called = false;
}

static void tell_call(struct ww_call *c, uint32_t site) {
    if (!the.call || c->number >= CALLS || !the.wanted[c->domain][c->number]) return;
    const CUcontext context = cupti_driver()->current();
    is_called = true;
    const char *const symbol = c->kernel ? c->kernel_name(c->kernel) : NULL;
    is_called = false;
    const struct call_data d = {.site = site,
                                .function = c->name,
                                .parameters = c->parameters,
                                .result = site == EXIT ? c->result : NULL,
                                .symbol = symbol,
                                .context = context,
                                .context_number = context ? (uint32_t)CONTEXT : 0,
                                .data = &c->data,
                                .correlation = c->correlation};
    call(c->domain, c->number, &d);
}

// ---- what the driver and the runtime tell -------------------------------------------------------
static void begins(struct ww_call *c) {
    if (is_called) return;
    c->correlation = cupti_call_begins();
    tell_call(c, ENTER);
}
static void ends(struct ww_call *c) {
    if (is_called) return;
    tell_call(c, EXIT);
    cupti_call_ends(c);
}

// A module's number is the same when it is made and when it goes. One that was made before anyone watched has a new one.
static uint32_t module_made(const void *module) {
    pthread_mutex_lock(&modules.lock);
    const uint32_t number = ++modules.last;
    if (modules.n == modules.room) {
        const size_t room = modules.room ? 2 * modules.room : 16;
        struct numbered *const more = realloc(modules.list, room * sizeof *more);
        if (more) modules.list = more, modules.room = room;
    }
    if (modules.n < modules.room) modules.list[modules.n++] = (struct numbered){module, number};
    pthread_mutex_unlock(&modules.lock);
    return number;
}
static uint32_t module_goes(const void *module) {
    pthread_mutex_lock(&modules.lock);
    size_t i = modules.n; // from the last on: one that went unheard may have lain at the same place
    while (i && modules.list[i - 1].module != module) i--;
    uint32_t number;
    if (i) {
        number = modules.list[i - 1].number;
        modules.n--;
        memmove(&modules.list[i - 1], &modules.list[i],
                (modules.n - (i - 1)) * sizeof *modules.list);
    } else {
        number = ++modules.last;
    }
    pthread_mutex_unlock(&modules.lock);
    return number;
}

static void event(const struct ww_event *e) {
    if (is_called) return;
    if (e->domain == WW_DOMAIN_SYNCHRONIZE) {
        const bool is_stream = e->number == WW_STREAM_WAITED;
        const struct wait_data d = {(CUcontext)(uintptr_t)e->context,
                                    is_stream ? (CUstream)(uintptr_t)e->handle : NULL};
        call(e->domain, e->number, &d);
        return;
    }
    struct resource_data d = {.context = (CUcontext)(uintptr_t)e->context};
    struct module_data module;
    struct graph_data graph = {.graph = e->graph};
    switch (e->number) {
    case WW_STREAM_MADE:
    case WW_STREAM_GOES: d.stream = (CUstream)(uintptr_t)e->handle; break;
    case WW_MODULE_MADE:
    case WW_MODULE_GOES:
        module = (struct module_data){e->number == WW_MODULE_MADE ? module_made(e->handle)
                                                                  : module_goes(e->handle),
                                      e->code_bytes, e->code};
        d.more = &module;
        break;
    case WW_GRAPH_MADE:
    case WW_GRAPH_GOES:
        graph.graph = e->handle;
        d.more = &graph;
        break;
    case WW_NODE_MADE:
    case WW_NODE_GOES:
    case WW_NODE_COPIED:
        graph.node = e->handle;
        graph.original_node = e->original;
        graph.type = (uint32_t)e->node_type;
        d.more = &graph;
        break;
    case WW_EXEC_MADE:
    case WW_EXEC_GOES:
        graph.exec = e->handle;
        d.more = &graph;
        break;
    default: break;
    }
    call(e->domain, e->number, &d);
}

void cupti_watch(void) {
    static const struct ww_watcher watcher = {.begins = begins, .ends = ends, .event = event};
    const bool wanted = cupti_records_calls() || (the.call && the.n_wanted);
    if (cupti_driver()) cupti_driver()->watch(wanted ? &watcher : NULL);
}

// ---- the subscriber -----------------------------------------------------------------------------
static bool is_subscriber(const void *s) { return s == &the && the.has_subscriber; }

static int subscribe(void **subscriber, callback_fn *callback, void *user, const char *name) {
    if (!subscriber) return INVALID_PARAMETER;
    if (!cupti_driver()) return NOT_INITIALIZED;
    if (the.has_subscriber) return MULTIPLE_SUBSCRIBERS;
    the.has_subscriber = true;
    the.user = user;
    the.call = callback;
    snprintf(the.name, sizeof the.name, "%s", name ? name : "");
    *subscriber = &the;
    return SUCCESS;
}
API(cuptiSubscribe, void **subscriber, callback_fn *callback, void *user) {
    return subscribe(subscriber, callback, user, NULL);
}
// There is one subscriber, also where two would allow it: the second learns the first one's name.
API(cuptiSubscribe_v2, void **subscriber, callback_fn *callback, void *user,
    struct subscriber_params *p) {
    if (p && p->size < offsetof(struct subscriber_params, allows_others)) return INVALID_PARAMETER;
    const int r = subscribe(subscriber, callback, user, p ? p->name : NULL);
    if (r == MULTIPLE_SUBSCRIBERS && p && p->old_name && p->old_room)
        snprintf(p->old_name, p->old_room, "%s", the.name);
    return r;
}
API(cuptiUnsubscribe, void *subscriber) {
    if (!is_subscriber(subscriber)) return INVALID_PARAMETER;
    the.has_subscriber = false;
    the.call = NULL;
    memset(the.wanted, 0, sizeof the.wanted);
    the.n_wanted = 0;
    cupti_watch();
    return SUCCESS;
}

static void want(uint32_t domain, uint32_t number, bool is_on) {
    the.n_wanted += (uint32_t)is_on - the.wanted[domain][number];
    the.wanted[domain][number] = is_on;
}
static void want_all(uint32_t domain, bool is_on) {
    for (uint32_t i = 1; i < CALLS; i++) want(domain, i, is_on);
}
API(cuptiEnableCallback, uint32_t is_on, void *subscriber, uint32_t domain, uint32_t number) {
    if (!is_subscriber(subscriber) || !domain || domain >= DOMAINS || !number || number >= CALLS)
        return INVALID_PARAMETER;
    want(domain, number, is_on != 0);
    cupti_watch();
    return SUCCESS;
}
API(cuptiEnableDomain, uint32_t is_on, void *subscriber, uint32_t domain) {
    if (!is_subscriber(subscriber) || !domain || domain >= DOMAINS) return INVALID_PARAMETER;
    want_all(domain, is_on != 0);
    cupti_watch();
    return SUCCESS;
}
API(cuptiEnableAllDomains, uint32_t is_on, void *subscriber) {
    if (!is_subscriber(subscriber)) return INVALID_PARAMETER;
    for (uint32_t i = 1; i < DOMAINS; i++) want_all(i, is_on != 0);
    cupti_watch();
    return SUCCESS;
}
API(cuptiGetCallbackState, uint32_t *is_on, void *subscriber, uint32_t domain, uint32_t number) {
    if (!is_on || !is_subscriber(subscriber) || !domain || domain >= DOMAINS || number >= CALLS)
        return INVALID_PARAMETER;
    *is_on = the.wanted[domain][number];
    return SUCCESS;
}
API(cuptiSupportedDomains, size_t *n, uint32_t **list) {
    static uint32_t domains[] = {WW_DOMAIN_DRIVER, WW_DOMAIN_RUNTIME, WW_DOMAIN_RESOURCE,
                                 WW_DOMAIN_SYNCHRONIZE};
    if (!n || !list) return INVALID_PARAMETER;
    *n = sizeof domains / sizeof *domains;
    *list = domains;
    return SUCCESS;
}

// ---- names and contexts -------------------------------------------------------------------------
// Of a call of the driver its own, of the runtime with the version that it is of.
API(cuptiGetCallbackName, uint32_t domain, uint32_t number, const char **name) {
#define CALL(number, name, ...)   [number] = #name,
#define CALL_0(number, name)      [number] = #name,
#define LAUNCH(number, name, ...) [number] = #name,
    static const char *const of_driver[CALLS] = {
#include "driver_calls.def"
    };
#undef CALL
#undef CALL_0
#undef LAUNCH
#define CALL(number, since, name, ...)   [number] = #name "_v" #since,
#define CALL_0(number, since, name)      [number] = #name "_v" #since,
#define LAUNCH(number, since, name, ...) [number] = #name "_v" #since,
    static const char *const of_runtime[CALLS] = {
#include "runtime_calls.def"
    };
    if (!name) return INVALID_PARAMETER;
    *name = number >= CALLS               ? NULL
            : domain == WW_DOMAIN_DRIVER  ? of_driver[number]
            : domain == WW_DOMAIN_RUNTIME ? of_runtime[number]
                                          : NULL;
    return *name ? SUCCESS : INVALID_PARAMETER;
}
API(cuptiGetContextId, CUcontext context, uint32_t *id) {
    (void)context;
    if (!id) return INVALID_PARAMETER;
    *id = CONTEXT;
    return SUCCESS;
}
