// One function a name of unsupported.def. They take no arguments as far as C knows; every calling
// convention that we build for lets a function ignore what it is given.
#include "driver/refuse.h"

#define UNSUPPORTED(name)                                                                          \
    __attribute__((visibility("default"))) int name(void);                                         \
    int name(void) { return driver_refuse(#name); }
#include "driver/unsupported.def"
