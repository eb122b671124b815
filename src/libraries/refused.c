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

static int refuse(const char *call, atomic_bool *said) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_driver);
    char sentence[256];
    snprintf(sentence, sizeof sentence,
             "%s belongs to " TITLE ", which is not simulated: it answers an error", call);
    if (driver)
        driver->refused(call, sentence);
    else if (!atomic_exchange(said, 1))
        fprintf(stderr, "warpwatt: %s\n", sentence);
    return STATUS;
}

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
