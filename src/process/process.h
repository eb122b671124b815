// What a library that programs load (libcuda.so.1) keeps for its process beside its API: the
// simulated GPU with the options that `warpwatt run` passes in WARPWATT_* variables, the record of
// the run, the progress line, one lock, signals, forks and exits. A front end of another API needs
// the same.
//
//   process.c   the singleton
//   range.c     ranges that the program names, and which are open
//   energy.c    what the GPU has spent so far
//   refuse.c    calls that were answered with "not supported"
//   watch.c     ends the process, with its account, when its own threads may not get to it
//
// Every entry of a front end stands between process_enter and process_leave, so any number of host
// threads may call; simulated time does not depend on how they interleave as long as the program
// itself orders its work.
#ifndef WW_PROCESS_H
#define WW_PROCESS_H

#include "report/report.h"
#include "report/session.h"

struct gpu;

// What a front end adds. All may be NULL; they are called with the lock held.
struct process_front {
    void (*opened)(struct gpu *g);
    void (*launch_done)(const struct gpu_result *r);
    // Whether what is queued is to run when the process ends; NULL: it is.
    bool (*may_finish)(void);
    void (*forked)(void); // in the child, whether or not the GPU is open
};

enum process_state {
    PROCESS_NEW,    // nothing is open
    PROCESS_FAILED, // the GPU could not be opened; the sentences were said
    PROCESS_OPEN,
    PROCESS_ENDED, // or about to end
    PROCESS_FORKED // a child of a process that has the GPU open
};

// Opens the GPU at the first call, and the record; answers how things stand.
enum process_state process_open(const struct process_front *front);

// Takes the lock; a signal that came meanwhile ends the process in process_leave, with its account.
void process_enter(void);
void process_leave(void);
// Between the two: names the call that is under way, for the timeline.
void process_call(const char *name);
void process_lock(void); // process_enter of a thread of the front end's own: no call of the program
unsigned long long process_entries(void); // calls that were made; grows while one is under way

// ---- with the lock held -----------------------------------------------------------------------
enum process_state process_state(void);
struct gpu *process_gpu(void);                 // NULL: not open
const struct gpu_config *process_config(void); // as programs are to see it (--told)
const struct session *process_session(void);   // the run's options
// The configuration as programs see it, whether or not the GPU is open: management libraries ask before, and must not open
// it. NULL: it cannot be read. Lives on.
const struct gpu_config *process_config_ahead(void);
struct diags *process_diags(void);
// Prints what stands in the diagnostics of a call that answered `s`, and empties them. A refusal is
// said once however often it comes, and counted in the record; `is_launch`: as a launch.
void process_report(enum ww_status s, bool is_launch);
void process_forget(void);        // empties the diagnostics without a word
void process_module_leaves(void); // before its code goes: what the record still adds up is written
// Runs a host function of the program; calls that it makes find process_is_called_out.
void process_call_out(void (*fn)(void *user), void *user);
bool process_is_called_out(void);
// Work that is asked for and that has ended is told to one listener, with the lock held; NULL: to none. The GPU need not be
// open.
struct process_listener {
    uint32_t (*queued)(void); // by the calling thread; the answer comes back as `number`, 0: none
    void (*launch)(const struct gpu_result *r, uint32_t number);
    void (*copy)(const struct gpu_span *s, uint32_t number);
};
void process_listen(const struct process_listener *l);
// The program says from where on it is to be profiled (cuProfilerStart), and up to where. Only
// with session.profiled that decides what is timed.
void process_profile(bool is_on);

// ---- any time ---------------------------------------------------------------------------------
void process_say(const char *fmt, ...) WW_PRINTF(1, 2); // a sentence on stderr
bool process_first_time(const char *what);              // true once for each word
// A call of the program was answered with "not supported". The sentence, which names the call, is
// said once; how often it came stands in the account, and `warpwatt run` ends with 3. Any thread;
// the GPU need not be open. A child of fork() counts its own.
void process_refuse(const char *call, const char *sentence);

#endif
