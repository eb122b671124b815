// Calls that were answered with "not supported". A program may go on after one and print zeros, so
// they are counted and told when the process ends, and `warpwatt run` does not call such a run
// good. They are kept whether or not the GPU is open: a program may call nothing but a library that
// is not simulated.
#include "process/refuse.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512 }; // different sentences; more than that are counted in none

static struct {
    pthread_mutex_t lock;
    struct refusal at[MOST];
    uint32_t n;
} the = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum refusal_news refusal_count(const char *call, const char *sentence) {
    enum refusal_news news = REFUSAL_AGAIN;
    pthread_mutex_lock(&the.lock);
    uint32_t i = 0;
    while (i < the.n && strcmp(the.at[i].sentence, sentence) != 0) i++;
    if (i == the.n && the.n < MOST) {
        struct refusal r = {.call = strdup(call), .sentence = strdup(sentence)};
        if (r.call && r.sentence) {
            news = the.n ? REFUSAL_NEW : REFUSAL_FIRST;
            the.at[the.n++] = r;
        } else {
            free(r.call);
            free(r.sentence);
        }
    }
    if (i < the.n) the.at[i].times++;
    pthread_mutex_unlock(&the.lock);
    return news;
}

void refusals_each(void (*fn)(void *user, const struct refusal *r), void *user) {
    pthread_mutex_lock(&the.lock);
    for (uint32_t i = 0; i < the.n; i++) fn(user, &the.at[i]);
    pthread_mutex_unlock(&the.lock);
}

void refusals_forget(void) {
    pthread_mutex_lock(&the.lock);
    for (uint32_t i = 0; i < the.n; i++) {
        free(the.at[i].call);
        free(the.at[i].sentence);
    }
    the.n = 0;
    pthread_mutex_unlock(&the.lock);
}

bool refusals_any(void) {
    pthread_mutex_lock(&the.lock);
    const bool any = the.n > 0;
    pthread_mutex_unlock(&the.lock);
    return any;
}

void refusals_before_fork(void) { pthread_mutex_lock(&the.lock); }
void refusals_after_fork(void) { pthread_mutex_unlock(&the.lock); }
