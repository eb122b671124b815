// libnvToolsExt.so.1: NVTX, by which a program names ranges of its work. They go to the driver's library, which knows what
// work is asked for while they are open (process/range.h); without ours there nothing is kept.
//
// Three kinds of programs come here: those that link this library (NVTX 2); those that hold NVTX 3, whose headers load the
// library that NVTX_INJECTION64_PATH names and call InitializeInjectionNvtx2 with a table of their functions' places; Python's
// `nvtx` and torch.cuda.nvtx are of that kind.
//
// Names of threads, categories and CUDA's objects, marks, colours and payloads change nothing and are taken without a word.
// Layouts and numbers: nvtx3/nvToolsExt.h and nvtx3/nvtxDetail/nvtxTypes.h, version 3 (Apache 2.0 with LLVM exception).
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "driver_private.h"

#define PUBLIC __attribute__((visibility("default")))
enum { NAME_BYTES = 512, NO_TRACKING = -2 };
enum { MESSAGE_ASCII = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t colour_type;
    uint32_t colour;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

// A handle of a domain or of a registered string is its text, which is never freed: other threads may still use it.

static const struct ww_driver_table *find_driver(void) {
    static const struct ww_driver_table *driver;
    CUresult (*table_of)(const void **table, const CUuuid *id) = NULL;
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *const symbol = library ? dlsym(library, "cuGetExportTable") : NULL;
    memcpy(&table_of, &symbol, sizeof symbol);
    const void *table = NULL;
    if (table_of && table_of(&table, &WW_DRIVER_TABLE) == CUDA_SUCCESS) driver = table;
    return driver;
}

static const struct ww_driver_table *the_driver;
static void look(void) { the_driver = find_driver(); }
static const struct ww_driver_table *driver(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return the_driver;
}

// ---- names --------------------------------------------------------------------------------------
// UTF-8 of what a wchar_t string holds.
static const char *narrow(const wchar_t *wide, char out[NAME_BYTES]) {
    size_t n = 0;
    for (; wide && *wide && n + 5 < NAME_BYTES; wide++) {
        const uint32_t c = (uint32_t)*wide;
        if (c < 0x80) {
            out[n++] = (char)c;
        } else if (c < 0x800) {
            out[n++] = (char)(0xc0 | c >> 6);
            out[n++] = (char)(0x80 | (c & 0x3f));
        } else if (c < 0x10000) {
            out[n++] = (char)(0xe0 | c >> 12);
            out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
            out[n++] = (char)(0x80 | (c & 0x3f));
        } else {
            out[n++] = (char)(0xf0 | (c >> 18 & 7));
            out[n++] = (char)(0x80 | (c >> 12 & 0x3f));
            out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
            out[n++] = (char)(0x80 | (c & 0x3f));
        }
    }
    out[n] = 0;
    return out;
}

// PyTorch (emit_nvtx) numbers its operators behind their names: "aten::add, seq = 12, op_id = 30". They would all be ranges
// of their own, so what stands behind the name is left out.
static const char *without_numbers(const char *name, char out[NAME_BYTES]) {
    static const char *const ends[] = {", seq = ", ", op_id = "};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *const at = strstr(name, ends[i]);
        if (at && (size_t)(at - name) < n) n = (size_t)(at - name);
    }
    snprintf(out, NAME_BYTES, "%.*s", (int)n, name);
    return out;
}

static const char *message(const struct attributes *a, char out[NAME_BYTES]) {
    // older structures end before the message
    if (!a || a->size < offsetof(struct attributes, message) + sizeof a->message || !a->message)
        return "";
    switch (a->message_type) {
    case MESSAGE_ASCII:
    case MESSAGE_REGISTERED: return a->message;
    case MESSAGE_WIDE: return narrow(a->message, out);
    default: return "";
    }
}

static char *name_of(const char *text) { return strdup(text ? text : ""); }

static int push(const char *domain, const char *name) {
    char text[NAME_BYTES];
    return driver() ? driver()->range_push(domain, without_numbers(name ? name : "", text))
                    : NO_TRACKING;
}
static int pop(const char *domain) { return driver() ? driver()->range_pop(domain) : NO_TRACKING; }
static uint64_t start(const char *domain, const char *name) {
    char text[NAME_BYTES];
    return driver() ? driver()->range_start(domain, without_numbers(name ? name : "", text)) : 0;
}

// ---- the API ------------------------------------------------------------------------------------
#define API(type, name, ...)                                                                       \
    PUBLIC type name(__VA_ARGS__);                                                                 \
    type name(__VA_ARGS__)

API(int, nvtxRangePushA, const char *name) { return push(NULL, name); }
API(int, nvtxRangePushW, const wchar_t *name) {
    char text[NAME_BYTES];
    return push(NULL, narrow(name, text));
}
API(int, nvtxRangePushEx, const struct attributes *a) {
    char text[NAME_BYTES];
    return push(NULL, message(a, text));
}
API(int, nvtxRangePop, void) { return pop(NULL); }
API(uint64_t, nvtxRangeStartA, const char *name) { return start(NULL, name); }
API(uint64_t, nvtxRangeStartW, const wchar_t *name) {
    char text[NAME_BYTES];
    return start(NULL, narrow(name, text));
}
API(uint64_t, nvtxRangeStartEx, const struct attributes *a) {
    char text[NAME_BYTES];
    return start(NULL, message(a, text));
}
API(void, nvtxRangeEnd, uint64_t id) {
    if (driver()) driver()->range_end(id);
}
API(int, nvtxDomainRangePushEx, const char *domain, const struct attributes *a) {
    char text[NAME_BYTES];
    return push(domain, message(a, text));
}
API(int, nvtxDomainRangePop, const char *domain) { return pop(domain); }
API(uint64_t, nvtxDomainRangeStartEx, const char *domain, const struct attributes *a) {
    char text[NAME_BYTES];
    return start(domain, message(a, text));
}
API(void, nvtxDomainRangeEnd, const char *domain, uint64_t id) {
    (void)domain;
    nvtxRangeEnd(id);
}
API(char *, nvtxDomainCreateA, const char *name) { return name_of(name); }
API(char *, nvtxDomainCreateW, const wchar_t *name) {
    char text[NAME_BYTES];
    return name_of(narrow(name, text));
}
API(char *, nvtxDomainRegisterStringA, const char *domain, const char *text) {
    (void)domain;
    return name_of(text);
}
API(char *, nvtxDomainRegisterStringW, const char *domain, const wchar_t *wide) {
    char text[NAME_BYTES];
    (void)domain;
    return name_of(narrow(wide, text));
}

// Taken without a word: none of them changes what is measured.
#define NOTHING(name)                                                                              \
    PUBLIC void *name(void);                                                                       \
    void *name(void) { return NULL; }
#include "nothing.def"
#undef NOTHING

// ---- NVTX 3 -------------------------------------------------------------------------------------
enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };
struct callbacks {
    size_t size;
    int (*functions_of)(int module, void ****functions, unsigned *n); // places of function pointers
};

struct entry {
    int module;
    unsigned number;
    void (*function)(void);
};
#define ENTRY(module, number, name)                                                                \
    { module, number, (void (*)(void))name }
static const struct entry entries[] = {
    ENTRY(MODULE_CORE, 4, nvtxRangeStartEx),
    ENTRY(MODULE_CORE, 5, nvtxRangeStartA),
    ENTRY(MODULE_CORE, 6, nvtxRangeStartW),
    ENTRY(MODULE_CORE, 7, nvtxRangeEnd),
    ENTRY(MODULE_CORE, 8, nvtxRangePushEx),
    ENTRY(MODULE_CORE, 9, nvtxRangePushA),
    ENTRY(MODULE_CORE, 10, nvtxRangePushW),
    ENTRY(MODULE_CORE, 11, nvtxRangePop),
    ENTRY(MODULE_CORE2, 2, nvtxDomainRangeStartEx),
    ENTRY(MODULE_CORE2, 3, nvtxDomainRangeEnd),
    ENTRY(MODULE_CORE2, 4, nvtxDomainRangePushEx),
    ENTRY(MODULE_CORE2, 5, nvtxDomainRangePop),
    ENTRY(MODULE_CORE2, 10, nvtxDomainRegisterStringA),
    ENTRY(MODULE_CORE2, 11, nvtxDomainRegisterStringW),
    ENTRY(MODULE_CORE2, 12, nvtxDomainCreateA),
    ENTRY(MODULE_CORE2, 13, nvtxDomainCreateW),
};

// The program's NVTX asks once; functions that it is given none for do nothing there. Answers 1: there is a tool.
API(int, InitializeInjectionNvtx2, const void *(*table_of)(uint32_t id)) {
    const struct callbacks *const c = table_of ? table_of(TABLE_CALLBACKS) : NULL;
    if (!driver() || !c || c->size < sizeof *c) return 0;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void ***places = NULL;
        unsigned n = 0;
        if (!c->functions_of(entries[i].module, &places, &n) || entries[i].number >= n) continue;
        if (places[entries[i].number])
            memcpy(places[entries[i].number], &entries[i].function, sizeof entries[i].function);
    }
    return 1;
}

API(const void *, nvtxGetExportTable, uint32_t id) {
    (void)id;
    return NULL;
}
