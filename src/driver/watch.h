// A profiler that watches the driver's calls (driver_watch.h).
#ifndef WW_DRIVER_WATCH_ROOM_H
#define WW_DRIVER_WATCH_ROOM_H

#include "driver_watch.h"

extern const struct ww_watcher *driver_watcher; // read and written atomically; NULL: nobody watches
// Something was made by the calling thread's call: it is told of when that call has done its work, without the lock.
// `code`: what a module was made from. Nothing happens when nobody watches.
void driver_made(enum ww_resource what, const void *handle);
void driver_made_module(const void *module, const void *code, size_t bytes);
// `original`: what the node is a copy of; NULL: it is none.
void driver_made_node(const void *node, const void *original, const void *graph, int type);

#endif
