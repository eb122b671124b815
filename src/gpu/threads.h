// Helper threads of one device: the same function on all of them, then a barrier. Which thread does
// which item is up to them; nothing that they compute may depend on it.
#ifndef WW_THREADS_H
#define WW_THREADS_H

#include "base/base.h"

struct threads;
typedef void threads_fn(void *user, uint32_t item);

// `n` threads in all, the caller's included; 1 needs nothing and costs nothing (*out is NULL).
enum ww_status threads_create(uint32_t n, uint32_t max_items, struct diags *d,
                              struct threads **out);
void threads_destroy(struct threads *t);
// fn(user, i) for each i < n, on all threads, and beside them, on the caller's, mine(user) (may be
// NULL); returns when all are done. `t` may be NULL.
void threads_for(struct threads *t, uint32_t n, threads_fn *fn, void (*mine)(void *user),
                 void *user);
// Processors that this process may use.
uint32_t threads_offered(void);

#endif
