// Activity as a file: what a simulator, ours or another, says that a GPU did. The power model needs
// nothing else. Three forms of one content, told apart by their first character: XML
// (activity.xml), CSV (activity.csv) and JSON (run.json, or the record of a run, a JSON line a
// launch). The format is described in docs/activity-file.md.
//
// Nothing is guessed: a counter that does not exist, stands twice, is negative, no number or too
// large, or is missing although energy depends on it, is refused with its line.
#ifndef WW_ACTIVITY_FILE_H
#define WW_ACTIVITY_FILE_H

#include <jansson.h>

#include "activity/activity.h"

struct run; // report.h

struct activity_interval {
    uint64_t from, to; // core cycles since the kernel began
    struct activity activity;
};

struct activity_kernel {
    const char *name;
    uint64_t launch;   // its number, from 1
    uint64_t launches; // that were added up in it: 1, mostly
    uint32_t line;     // where it begins in the file, 0 unknown
    double seconds;
    bool overlapped; // its counters hold some of what ran beside it
    struct activity activity;
    struct activity_interval *interval;
    uint32_t n_intervals;
};

struct activity_file {
    const char *path;
    const char *gpu;       // name of a GPU file, or NULL when the file does not say
    double core_hz;        // clock of `cycles`; 0 when the file does not say
    double seconds;        // of the whole run, idle time between kernels included; 0: not said
    bool has_total;        // overlapping kernels: `total` counts everything once
    struct activity total; // over busy_seconds
    double busy_seconds;   // time in which at least one kernel ran (has_total)
    double copy_writes, copy_reads; // bytes of device memory that copies and fills wrote and read
    struct activity_kernel *kernel;
    uint32_t n;
};

struct activity_options {
    double core_hz;     // takes cycles as seconds where the file names no clock; 0: refuse
    const bool *needed; // [ACT_N] counters that energy depends on, or NULL: none
    bool missing_zero;  // take missing ones as 0
    bool cycles_time;   // cycles and core_hz decide the time, whatever the file says
};

enum { ACTIVITY_FORMAT = 1, ACTIVITY_FILE_BYTES = 1 << 30 };

// Everything that `out` points to lives in `a`. `path` is only a name in diagnostics.
enum ww_status activity_file_parse(struct arena *a, const char *path, const char *text, size_t len,
                                   const struct activity_options *o, struct diags *d,
                                   struct activity_file *out);
enum ww_status activity_file_read(struct arena *a, const char *path,
                                  const struct activity_options *o, struct diags *d,
                                  struct activity_file *out);
// The activity of a run of ours that was read already.
enum ww_status activity_file_of_run(struct arena *a, const struct run *r,
                                    const struct activity_options *o, struct diags *d,
                                    struct activity_file *out);
// What a copy of this kind ("copy to the device", ...) writes and reads of its bytes: 1 or 0 each.
struct copy_moves {
    double writes, reads;
};
struct copy_moves activity_copy_moves(const char *kind);

// The name that a file says its GPU has, NULL when it says none or cannot be read; for choosing a
// GPU before reading in earnest.
const char *activity_file_gpu(struct arena *a, const char *path);

#endif
