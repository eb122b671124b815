// A vendor's library that is not simulated: every call answers that library's "not supported", is
// named on standard error, once, and counted for the account by the driver's library. Arguments do
// not matter, so none are declared.
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "driver_private.h"

static const struct ww_driver_table *driver; // NULL: none of ours is to be had

static void find_driver(void) {
    CUresult (*table_of)(const void **table, const CUuuid *id) = NULL;
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *const symbol = library ? dlsym(library, "cuGetExportTable") : NULL;
    memcpy(&table_of, &symbol, sizeof symbol);
    const void *table = NULL;
    if (table_of && table_of(&table, &WW_DRIVER_TABLE) == CUDA_SUCCESS) driver = table;
}

#ifdef IS_HOST
#define WHY TITLE ", which is not installed (warpwatt has no compiler of CUDA C++)"
#elif defined IS_PART
#define WHY TITLE ", which warpwatt has a part of, without it"
#else
#define WHY TITLE ", which is not simulated"
#endif

// Not called where a library answers all of its calls.
__attribute__((unused)) static int refuse(const char *call, atomic_bool *said) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_driver);
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%s belongs to " WHY ": it answers an error", call);
    if (driver)
        driver->refused(call, sentence);
    else if (!atomic_exchange(said, 1))
        fprintf(stderr, "warpwatt: %s\n", sentence);
    return STATUS;
}

#ifndef IS_HOST
#define PUBLIC __attribute__((visibility("default")))
#define CALL(name)                                                                                 \
    PUBLIC int name(void);                                                                         \
    int name(void) {                                                                               \
        static atomic_bool said;                                                                   \
        return refuse(#name, &said);                                                               \
    }
#define TEXT(name)                                                                                 \
    PUBLIC const char *name(void);                                                                 \
    const char *name(void) { return TITLE " is not simulated"; }
#include "calls.inc"
#else
// ---- a library that needs no GPU ----------------------------------------------------------------
// Every entry is a jump through a slot, so that arguments of any kind arrive as they were. The slot
// leads to the installed library's function, or to a refusal.
#include <limits.h>

#include "fatbin/installed.h"

#if defined __x86_64__
#define JUMP(name) "jmp *slot_" #name "(%rip)\n"
#elif defined __aarch64__
#define JUMP(name)                                                                                 \
    "adrp x16, slot_" #name "\nldr x16, [x16, #:lo12:slot_" #name "]\nbr x16\n"
#else
#error "no jump for this machine"
#endif
#define ENTRY(name)                                                                                \
    __asm__(".pushsection .text\n.globl " #name "\n.type " #name ", %function\n.balign 16\n" #name  \
            ":\n" JUMP(name) ".size " #name ", . - " #name "\n.popsection\n");
#define SLOT(name)                                                                                 \
    extern void (*slot_##name)(void) __attribute__((visibility("hidden")));                        \
    void (*slot_##name)(void) = (void (*)(void))no_##name;                                         \
    ENTRY(name)
#define CALL(name)                                                                                 \
    static int no_##name(void) {                                                                   \
        static atomic_bool said;                                                                   \
        return refuse(#name, &said);                                                               \
    }                                                                                              \
    SLOT(name)
#define TEXT(name)                                                                                 \
    static const char *no_##name(void) { return TITLE " is not installed"; }                       \
    SLOT(name)
#include "calls.inc"
#undef CALL
#undef TEXT

static const struct {
    const char *name;
    void (**slot)(void);
} slots[] = {
#define CALL(name) {#name, &slot_##name},
#define TEXT(name) CALL(name)
#include "calls.inc"
};

// Before the program's own constructors, as the installed library would be there before them.
__attribute__((constructor)) static void hand_over(void) {
    char path[PATH_MAX];
    if (!installed_find(FILE_NAME, NULL, path, sizeof path)) return;
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "warpwatt: the installed %s cannot be opened: %s\n", path, dlerror());
        return;
    }
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        void *const symbol = dlsym(library, slots[i].name);
        if (symbol) memcpy(slots[i].slot, &symbol, sizeof symbol);
    }
}
#endif
