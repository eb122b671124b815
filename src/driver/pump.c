// Work that nobody waits for. The GPU moves when a call of the program waits or asks; a program
// that queues host functions and then waits for them by means of its own (a condition variable, a
// flag) makes no such call. While host functions are queued, a thread looks whether the program has
// been silent, and moves the GPU then. Only then: how far the GPU is when the program queues more
// would otherwise depend on the host's speed.
#include "driver/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum {
    TICK_MS = 20,      // assumed: short beside what a person notices
    SILENT_TICKS = 10, // assumed: 0.2 s, long beside what a program does between two calls
};

static atomic_bool is_on;

static void *pump(void *unused) {
    (void)unused;
    unsigned long long last = 0;
    for (int silent = 0;;) {
        nanosleep(&(struct timespec){.tv_nsec = TICK_MS * 1000000L}, NULL);
        const unsigned long long now = process_entries();
        silent = now == last ? silent + 1 : 0;
        last = now;
        if (silent < SILENT_TICKS) continue;
        silent = 0;
        if (!driver_move_on()) break;
    }
    return NULL;
}

void driver_pump_start(void) {
    if (atomic_exchange(&is_on, 1)) return;
    pthread_t t;
    if (pthread_create(&t, NULL, pump, NULL) == 0) pthread_detach(t);
    else atomic_store(&is_on, 0);
}
void driver_pump_stopped(void) { atomic_store(&is_on, 0); }
