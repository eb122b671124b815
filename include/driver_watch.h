// How a profiler in the program (CUPTI) watches calls of the driver and of the runtime: both export a function for each row of
// driver_calls.def and runtime_calls.def, which tells the watcher of the call where there is one and calls the function that does
// the work. That one has the name within_NAME (within_driver.h; in the runtime by macros), so that calls inside the library are
// nobody's. Not installed.
#ifndef WW_DRIVER_WATCH_H
#define WW_DRIVER_WATCH_H

#include <stddef.h>
#include <stdint.h>

enum { WW_DOMAIN_DRIVER = 1, WW_DOMAIN_RUNTIME = 2, WW_DOMAIN_RESOURCE = 3, WW_DOMAIN_SYNCHRONIZE = 4 };

// One call, from its begin to its end.
struct ww_call {
    uint32_t domain, number;
    const char *name;
    const void *parameters; // a struct of the arguments, in their order
    void *result;           // CUresult or cudaError_t; meaningless before the end
    const void *kernel;     // what is launched: a CUfunction, or the runtime's address of a kernel; NULL: nothing
    const char *(*kernel_name)(const void *kernel);
    uint64_t data;        // the watcher's own,
    uint32_t correlation; // and this
};

// Something was made, or is about to go, or was waited for. Numbers of both domains are CUPTI's (cupti_callbacks.h).
struct ww_event {
    uint32_t domain, number;
    const void *context, *handle; // handle: a stream, module, graph, executable graph, node
    const void *graph, *original; // of a node, and what it is a copy of
    int node_type;                // CUgraphNodeType
    const void *code;             // machine code of a module, as an ELF file; NULL: it has none
    size_t code_bytes;
};
enum ww_resource {
    WW_CONTEXT_MADE = 1,
    WW_CONTEXT_GOES,
    WW_STREAM_MADE,
    WW_STREAM_GOES,
    WW_DRIVER_READY,
    WW_MODULE_MADE,
    WW_MODULE_GOES,
    WW_GRAPH_MADE = 9,
    WW_GRAPH_GOES,
    WW_NODE_MADE = 13,
    WW_NODE_GOES,
    WW_EXEC_MADE = 18,
    WW_EXEC_GOES,
    WW_NODE_COPIED
};
enum ww_wait { WW_STREAM_WAITED = 1, WW_CONTEXT_WAITED };

// Called by the thread that made the call, without any lock.
struct ww_watcher {
    void (*begins)(struct ww_call *call);
    void (*ends)(struct ww_call *call);
    void (*event)(const struct ww_event *event);
};

// `__typeof__(a) a;` for each argument.
#define WW_FIELDS(...) WW_FIELDS_OF(WW_COUNT_OF(__VA_ARGS__), __VA_ARGS__)
#define WW_COUNT_OF(...) WW_COUNT_AT(__VA_ARGS__, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define WW_COUNT_AT(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, count, ...) count
#define WW_FIELDS_OF(n, ...)  WW_FIELDS_OF_(n, __VA_ARGS__)
#define WW_FIELDS_OF_(n, ...) WW_FIELDS_##n(__VA_ARGS__)
#define WW_FIELDS_1(a)        __typeof__(a) a;
#define WW_FIELDS_2(a, ...)   __typeof__(a) a; WW_FIELDS_1(__VA_ARGS__)
#define WW_FIELDS_3(a, ...)   __typeof__(a) a; WW_FIELDS_2(__VA_ARGS__)
#define WW_FIELDS_4(a, ...)   __typeof__(a) a; WW_FIELDS_3(__VA_ARGS__)
#define WW_FIELDS_5(a, ...)   __typeof__(a) a; WW_FIELDS_4(__VA_ARGS__)
#define WW_FIELDS_6(a, ...)   __typeof__(a) a; WW_FIELDS_5(__VA_ARGS__)
#define WW_FIELDS_7(a, ...)   __typeof__(a) a; WW_FIELDS_6(__VA_ARGS__)
#define WW_FIELDS_8(a, ...)   __typeof__(a) a; WW_FIELDS_7(__VA_ARGS__)
#define WW_FIELDS_9(a, ...)   __typeof__(a) a; WW_FIELDS_8(__VA_ARGS__)
#define WW_FIELDS_10(a, ...)  __typeof__(a) a; WW_FIELDS_9(__VA_ARGS__)
#define WW_FIELDS_11(a, ...)  __typeof__(a) a; WW_FIELDS_10(__VA_ARGS__)
#define WW_FIELDS_12(a, ...)  __typeof__(a) a; WW_FIELDS_11(__VA_ARGS__)
#define WW_FIELDS_13(a, ...)  __typeof__(a) a; WW_FIELDS_12(__VA_ARGS__)
#define WW_FIELDS_14(a, ...)  __typeof__(a) a; WW_FIELDS_13(__VA_ARGS__)
#define WW_FIELDS_15(a, ...)  __typeof__(a) a; WW_FIELDS_14(__VA_ARGS__)

// The exported function of a row. RESULT: what it returns; DOMAIN: whose it is; WATCHER: who watches now, or NULL.
#define WW_WATCHED(RESULT, DOMAIN, WATCHER, KERNEL_NAME, id, call, kernel_, parameters_, ...)                                    \
    RESULT within_##call parameters_;                                                                                            \
    __attribute__((visibility("default"))) RESULT call parameters_;                                                              \
    RESULT call parameters_ {                                                                                                    \
        const struct ww_watcher *const watcher_ = WATCHER;                                                                       \
        if (__builtin_expect(!watcher_, 1)) return within_##call(__VA_ARGS__);                                                   \
        struct {                                                                                                                 \
            WW_FIELDS(__VA_ARGS__)                                                                                               \
        } given_ = {__VA_ARGS__};                                                                                                \
        RESULT result_ = (RESULT)0;                                                                                              \
        struct ww_call call_ = {DOMAIN, id, #call, &given_, &result_, kernel_, KERNEL_NAME, 0, 0};                               \
        WW_CALL_BEGINS(watcher_, &call_);                                                                                        \
        result_ = within_##call(__VA_ARGS__);                                                                                    \
        WW_CALL_ENDS(watcher_, &call_);                                                                                          \
        return result_;                                                                                                          \
    }
// The same of a function without parameters.
#define WW_WATCHED_0(RESULT, DOMAIN, WATCHER, id, call)                                                                          \
    RESULT within_##call(void);                                                                                                  \
    __attribute__((visibility("default"))) RESULT call(void);                                                                    \
    RESULT call(void) {                                                                                                          \
        const struct ww_watcher *const watcher_ = WATCHER;                                                                       \
        if (__builtin_expect(!watcher_, 1)) return within_##call();                                                              \
        RESULT result_ = (RESULT)0;                                                                                              \
        struct ww_call call_ = {DOMAIN, id, #call, NULL, &result_, NULL, NULL, 0, 0};                                            \
        WW_CALL_BEGINS(watcher_, &call_);                                                                                        \
        result_ = within_##call();                                                                                               \
        WW_CALL_ENDS(watcher_, &call_);                                                                                          \
        return result_;                                                                                                          \
    }

#endif
