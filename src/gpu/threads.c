// A fork-join of a few threads that meet thousands of times a second: they spin for a moment, since
// the next round is microseconds away, then sleep on a futex. Items are claimed one by one, each
// thread beginning in a part of its own (so that an SM tends to stay in one core's cache) and going
// on to what the others have left. The caller never waits for a helper that has not come yet: when
// every item is claimed it shuts the gate, and only who is inside must come out. A host with fewer
// free processors than threads therefore costs little.
#include "gpu/threads.h"

#include "exec/round.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64, SPIN_NS = 30000 };

struct worker {
    struct threads *owner;
    uint32_t index;
    pthread_t thread;
};

// The gate: round in the high half, whether it is open, how many helpers are inside.
#define GATE_OPEN 0x80000000u
#define GATE_ROUND(round) ((uint64_t)(round) << 32)

struct threads {
    _Alignas(64) atomic_uint round;  // counts up to start a round; futex word of the helpers
    _Alignas(64) atomic_ullong gate;
    _Alignas(64) atomic_uint asleep; // helpers on the futex: nobody is woken in vain
    atomic_bool quit;
    threads_fn *fn;
    void *user;
    uint32_t items, n;
    uint32_t spins; // pauses in SPIN_NS
    struct worker worker[MAX_THREADS];
    atomic_uint *claimed; // round in which an item was last taken
};

static void pause_cpu(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static uint32_t pauses_in(uint64_t ns) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 1000; i++) pause_cpu();
    clock_gettime(CLOCK_MONOTONIC, &b);
    const int64_t took = (b.tv_sec - a.tv_sec) * 1000000000 + (b.tv_nsec - a.tv_nsec);
    return took > 0 ? (uint32_t)(ns * 1000 / (uint64_t)took) : 1000;
}

// Waits until *word is no longer `value`. A sleeper counts itself before it looks at the word for
// the last time, a waker changes the word before it looks at the count (both sequentially
// consistent), so one of them sees the other.
static void wait_change(struct threads *t, atomic_uint *word, unsigned value) {
    for (uint32_t i = 0; i < t->spins; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != value) return;
        pause_cpu();
    }
    atomic_fetch_add(&t->asleep, 1);
    while (atomic_load(word) == value)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
    atomic_fetch_sub(&t->asleep, 1);
}

static void take_items(struct threads *t, uint32_t index, unsigned round) {
    const uint32_t n = t->items;
    uint32_t i = (uint32_t)((uint64_t)n * index / t->n);
    for (uint32_t k = 0; k < n; k++, i = i + 1 == n ? 0 : i + 1) {
        unsigned last = atomic_load_explicit(&t->claimed[i], memory_order_relaxed);
        if (last == round) continue;
        if (atomic_compare_exchange_strong_explicit(&t->claimed[i], &last, round,
                                                    memory_order_relaxed, memory_order_relaxed))
            t->fn(t->user, i);
    }
}

static bool enter(struct threads *t, unsigned round) {
    unsigned long long gate = atomic_load_explicit(&t->gate, memory_order_acquire);
    while (gate >> 32 == round && (gate & GATE_OPEN))
        if (atomic_compare_exchange_weak_explicit(&t->gate, &gate, gate + 1, memory_order_acquire,
                                                  memory_order_acquire))
            return true;
    return false;
}

static void *work(void *arg) {
    const struct worker *w = arg;
    struct threads *t = w->owner;
    unsigned seen = 0;
    round_default(); // a new thread has the mode of the one that made it
    for (;;) {
        wait_change(t, &t->round, seen);
        seen = atomic_load_explicit(&t->round, memory_order_acquire);
        if (atomic_load_explicit(&t->quit, memory_order_relaxed)) return NULL;
        if (!enter(t, seen)) continue;
        take_items(t, w->index, seen);
        atomic_fetch_sub_explicit(&t->gate, 1, memory_order_release);
    }
}

uint32_t threads_offered(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    const int n = CPU_COUNT(&set);
    return n > 0 ? (uint32_t)n : 1;
}

enum ww_status threads_create(uint32_t n, uint32_t max_items, struct diags *d,
                              struct threads **out) {
    *out = NULL;
    if (n > MAX_THREADS) n = MAX_THREADS;
    if (n <= 1) return WW_OK;
    struct threads *t = ww_alloc_aligned(sizeof *t);
    if (!t) return diag_add(d, WW_ERROR_MEMORY, "out of memory for %u host threads", n);
    t->claimed = calloc(max_items ? max_items : 1, sizeof *t->claimed);
    if (!t->claimed) {
        ww_free_aligned(t);
        return diag_add(d, WW_ERROR_MEMORY, "out of memory for %u host threads", n);
    }
    // With more threads than processors, spinning would only keep the others from running.
    t->spins = n <= threads_offered() ? pauses_in(SPIN_NS) : 1;
    t->n = 1;
    for (uint32_t i = 1; i < n; i++) {
        struct worker *w = &t->worker[i];
        *w = (struct worker){.owner = t, .index = i};
        const int e = pthread_create(&w->thread, NULL, work, w);
        if (e) {
            threads_destroy(t);
            return diag_add(d, WW_ERROR_MEMORY, "cannot start host thread %u: %s", i, strerror(e));
        }
        t->n++;
    }
    *out = t;
    return WW_OK;
}

static unsigned start_round(struct threads *t) {
    const unsigned round = atomic_load_explicit(&t->round, memory_order_relaxed) + 1;
    atomic_store_explicit(&t->gate, GATE_ROUND(round) | GATE_OPEN, memory_order_release);
    atomic_store(&t->round, round);
    if (atomic_load(&t->asleep))
        syscall(SYS_futex, &t->round, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    return round;
}

void threads_destroy(struct threads *t) {
    if (!t) return;
    atomic_store_explicit(&t->quit, true, memory_order_relaxed);
    start_round(t);
    for (uint32_t i = 1; i < t->n; i++) pthread_join(t->worker[i].thread, NULL);
    free(t->claimed);
    ww_free_aligned(t);
}

void threads_for(struct threads *t, uint32_t n, threads_fn *fn, void (*mine)(void *user),
                 void *user) {
    if (!t || n < 2) {
        if (mine) mine(user);
        for (uint32_t i = 0; i < n; i++) fn(user, i);
        return;
    }
    t->fn = fn;
    t->user = user;
    t->items = n;
    const unsigned round = start_round(t);
    if (mine) mine(user);
    take_items(t, 0, round);
    atomic_fetch_and(&t->gate, ~(unsigned long long)GATE_OPEN);
    for (uint32_t i = 0; (uint32_t)atomic_load_explicit(&t->gate, memory_order_acquire) != 0; i++) {
        pause_cpu();
        if (i >= t->spins) sched_yield();
    }
}
