// A thread that ends the process, with its account, when the process itself may not get to it: on a
// signal while the program is in code of its own, and when `warpwatt run` is gone (killed: a
// program does not outlive the run that it was started for). It sleeps otherwise.
#include "process/watch.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    int owner, wake; // descriptors: readable when the owner has ended; written to by watch_wake
    watch_end *end;
} the = {.owner = -1, .wake = -1};

static void *watch(void *unused) {
    (void)unused;
    struct pollfd p[] = {{.fd = the.wake, .events = POLLIN}, {.fd = the.owner, .events = POLLIN}};
    while (poll(p, 2, -1) <= 0) {
    }
    the.end(p[1].revents != 0);
    return NULL;
}

bool watch_start(pid_t owner, watch_end *end) {
    the.end = end;
    the.wake = eventfd(0, EFD_CLOEXEC);
    the.owner = owner ? (int)syscall(SYS_pidfd_open, owner, 0) : -1;
    // signals are for the program's threads
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t t;
    const bool ok = the.wake >= 0 && pthread_create(&t, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (ok)
        pthread_detach(t);
    else
        watch_forget();
    return ok;
}

void watch_wake(void) {
    const uint64_t one = 1;
    if (the.wake >= 0 && write(the.wake, &one, sizeof one) < 0) return; // it is awake already
}

void watch_forget(void) {
    if (the.wake >= 0) close(the.wake);
    if (the.owner >= 0) close(the.owner);
    the.wake = the.owner = -1;
}
