// Between the files of libcupti.so: activities (cupti.c) and callbacks (callbacks.c).
#ifndef WW_LIBRARIES_CUPTI_H
#define WW_LIBRARIES_CUPTI_H

#include <stdbool.h>
#include <stdint.h>

#include "driver_private.h"

enum { // cupti_result.h
    SUCCESS,
    INVALID_PARAMETER,
    MAX_LIMIT_REACHED = 12,
    NOT_INITIALIZED = 15,
    QUEUE_EMPTY = 18,
    INVALID_KIND = 21,
    NOT_SUPPORTED = 27,
    MULTIPLE_SUBSCRIBERS = 39
};
enum { CONTEXT = 1 };                        // the number of every record's context
enum { CALLS = 1024 };                       // more than a domain has numbers
enum { CALL_AS_KIND, CALL_ON, CALL_OFF };

#define API(name, ...)                                                                             \
    __attribute__((visibility("default"))) int name(__VA_ARGS__);                                  \
    int name(__VA_ARGS__)

const struct ww_driver_table *cupti_driver(void); // NULL: ours is not there
// A call begins: its number, by which records and callbacks are brought together. 0: out of memory.
uint32_t cupti_call_begins(void);
void cupti_call_ends(const struct ww_call *call);
bool cupti_records_calls(void);
void cupti_watch(void); // calls are watched while anyone wants them

#endif
