// A vendor's library that is not simulated: every call answers that library's "not supported" and
// is named on standard error, once. Arguments do not matter, so none are declared.
#include <stdatomic.h>
#include <stdio.h>

static int refuse(const char *call, atomic_bool *said) {
    if (!atomic_exchange(said, 1))
        fprintf(stderr,
                "warpwatt: %s belongs to " TITLE ", which is not simulated: it answers an error\n",
                call);
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
