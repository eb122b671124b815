// See watch.c.
#ifndef WW_PROCESS_WATCH_H
#define WW_PROCESS_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

// Runs in the watching thread, once, and ends the process.
typedef void watch_end(bool owner_is_gone);
// Starts the thread; `owner` is the process to watch, 0: none. False: there is no thread.
bool watch_start(pid_t owner, watch_end *end);
void watch_wake(void);   // may be called in a signal handler
void watch_forget(void); // in the child of a fork: the thread stayed with the parent

#endif
