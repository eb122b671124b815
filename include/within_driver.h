// The driver's functions that calls.c exports are known to the assembler as within_NAME (driver_watch.h). Seen first by every file
// of the driver but those that mean the exported ones.
#define WW_PRAGMA(text) _Pragma(#text)
#define CALL(number, name, ...)   WW_PRAGMA(redefine_extname name within_##name)
#define CALL_0(number, name)      CALL(number, name, )
#define LAUNCH(number, name, ...) CALL(number, name, )
#include "driver_calls.def"
#undef CALL
#undef CALL_0
#undef LAUNCH
#undef WW_PRAGMA
