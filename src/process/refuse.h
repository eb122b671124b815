// See refuse.c.
#ifndef WW_PROCESS_REFUSE_H
#define WW_PROCESS_REFUSE_H

#include <stdbool.h>
#include <stdint.h>

struct refusal {
    char *call, *sentence;
    uint64_t times;
};
enum refusal_news {
    REFUSAL_FIRST, // of this process
    REFUSAL_NEW,   // the sentence was not said yet
    REFUSAL_AGAIN
};
// Any thread, any time.
enum refusal_news refusal_count(const char *call, const char *sentence);
void refusals_each(void (*fn)(void *user, const struct refusal *r), void *user);
void refusals_forget(void);
bool refusals_any(void);
// A fork copies the table whole: its lock is held across. The child forgets its parent's.
void refusals_before_fork(void);
void refusals_after_fork(void);

#endif
