// A timeline of a run in the trace-event format that Perfetto (ui.perfetto.dev) and Chrome open:
// host calls, kernels and copies by stream, ranges by stream, CTAs by SM, and counters.
//
// While a program runs each of its processes writes its events beside its record, compressed, one
// JSON object a line (trace_*). Afterwards the command makes the file of them and of the record's
// intervals, whose power it knows (trace_write). Neither holds events in memory, so their number
// has no bound.
#ifndef WW_TRACE_H
#define WW_TRACE_H

#include "report/account.h"
#include "report/session.h"

struct trace; // the events of one process
enum ww_status trace_open(const char *record, const struct session *s, const struct gpu_config *c,
                          struct diags *d, struct trace **out);
// `level`: the ranges that a kernel or copy belongs to, outermost first. A stream's ranges have tracks beside it: a range is
// as long as its work there.
struct trace_level {
    uint32_t mark; // another for each time that a range was opened
    const char *name;
};
void trace_span(struct trace *t, const struct gpu_span *s, const struct trace_level *level, uint32_t n);
// A call of the host that was made and answered at these simulated times.
void trace_call(struct trace *t, const char *name, double from_s, double to_s);
enum ww_status trace_close(struct trace *t, struct diags *d); // NULL is allowed

// Puts the file `path` in place from what the processes of `record` left, compressed when its name
// ends in .gz. `power` may be NULL.
enum ww_status trace_write(const struct session *s, const char *record, const struct run *r,
                           const struct account *power, const char *path, struct diags *d);
void trace_remove(const char *record); // what the processes left

#endif
