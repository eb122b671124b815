// What a run leaves behind and how it is shown. A run is recorded as JSON lines while it goes
// (record_*), so that a killed run leaves every finished launch; everything that people and
// programs see (table_*, files_*) is made from such a record, whoever wrote it: this process, or
// libcuda.so.1 inside somebody's program.
//
// A record: one line `{"type":"run",...}` with the GPU's facts and what the run is, one
// `{"type":"launch",...}` a kernel launch (or for many of one kernel, shape and range, after the
// first 128, or fewer where they leave much: then with a field `launches`), one
// `{"type":"copy",...}` a copy or fill, one `{"type":"range",...}` a range that the program names
// (process/range.h), and one that says how often it was entered, one `{"type":"end",...}` with totals, one `{"type":"seal",...}` by `warpwatt run`.
// Counters stand by their names; of single SMs and partitions those that are not 0.
// Each line ends with a checksum of all before it (record_int.h).
#ifndef WW_REPORT_H
#define WW_REPORT_H

#include <jansson.h>

#include "base/base.h"

struct account; // account.h
struct activity;
struct gpu_config;
struct gpu_progress;
struct gpu_result;
struct gpu_span;
struct gpu_totals;
struct session; // session.h

// ---- recording ------------------------------------------------------------------------------
struct record; // an open record file
// Every process of a run that opens the GPU writes a record of its own: PATH, PATH.2, PATH.3.
enum { RECORD_PROCESSES = 4096, RECORD_PATH_BYTES = 4096 + 16 };
const char *record_path_of(const char *path, uint32_t process, char *buf, size_t size); // from 1
void record_remove(const char *path);                   // the files of all processes
json_t *record_activity_json(const struct activity *a); // counters by name
// Of the session: what programs are told of the GPU, and what the run is (`how`). `has_gpu`: false
// for a process that never opened it and has only refusals to tell.
enum ww_status record_open(const char *path, const struct gpu_config *c, const char *program,
                           const struct session *s, bool has_gpu, struct diags *d,
                           struct record **out);
uint64_t record_gpu_sum(const struct gpu_config *c); // checksum of gpu_config_print's text
// Adds one launch and flushes. A full disk is reported once, by record_close.
struct record_detail {
    bool per_sm;         // counters of single SMs and partitions too
    bool every_interval; // a launch with intervals is never added up with others
};
// `range`: the node of the range that it belongs to (process/range.h), 0: none.
void record_launch(struct record *r, const struct gpu_result *result, struct record_detail detail,
                   uint32_t range);
// Adds a copy or fill.
void record_copy(struct record *r, const struct gpu_span *copy, uint32_t range);
// Adds a range's node, before what belongs to it, and at the end how many ranges it stands for.
// `r` may be NULL.
void record_range(struct record *r, uint32_t id, uint32_t parent, const char *name);
void record_range_times(struct record *r, uint32_t id, uint64_t times);
// Before code that launches name goes away (a module is unloaded): writes what is still being added
// up.
void record_module_gone(struct record *r);
// Adds what was refused: a launch, or something else (a module). The same sentence is written once
// and counted; how often it came stands before the totals.
void record_error(struct record *r, enum ww_status status, const char *sentence, bool is_launch);
// Adds a call that was answered with "not supported", and how often it came.
void record_refused(struct record *r, const char *call, const char *sentence, uint64_t times);
// Adds what a check found: `user` is a record, or NULL.
void record_finding(void *user, const char *sentence);
// Adds the totals. Answers the first write error as a status with a sentence.
enum ww_status record_close(struct record *r, const struct gpu_totals *t, struct diags *d);
// All processes have ended: adds the last line, which says so (record_seal.c). Nothing where there
// is no record.
enum ww_status record_seal(const char *path, struct diags *d);

// ---- a record as read -------------------------------------------------------------------------
struct run {
    json_t *header;   // "run" line
    json_t *launches; // array of "launch" lines, by number
    json_t *copies;   // array of "copy" lines
    json_t *errors;   // array of "error" lines, one a sentence
    json_t *ranges;   // array of "range" lines, one a node, parents first
    json_t *codes;    // array of "code" lines: machine code of kernels that counted by instruction
    json_t *end;      // "end" lines added up, or NULL when a process was cut off
    uint32_t processes, cut_off; // that opened the GPU; that left no "end" line
    bool is_torn;                // a line is cut in the middle, as by a full disk
    bool is_sealed; // `warpwatt run` saw its end, and nothing is lost since; format 1 has no seals
    uint64_t sum;   // checksum of the first process's record: names this very run
};
// Refuses a record whose lines do not fit their checksums, or whose seal does not fit. One that is
// cut off gets a warning; it is not sealed then.
enum ww_status run_read(const char *path, struct diags *d, struct run *out);
// Its first line alone, checked. New reference.
enum ww_status record_header(const char *path, struct diags *d, json_t **out);
void run_release(struct run *r);
uint64_t run_copies(const json_t *copy); // that a "copy" line stands for: its "copies", or 1
// Launches that a "launch" line stands for: its "launches", or 1. Their figures are added up.
uint64_t run_launches(const json_t *launch);
// Half of the 95 % interval of its cycles where they were estimated (run --sample), or of the whole run's kernel
// cycles; 0: all was simulated.
double run_half_cycles(const json_t *launch_or_end);
// The same of joules of a launch or of all kernels: as though all of them grew with the cycles. NULL is let pass.
double run_half_j(const json_t *launch_or_end, double energy_j);
uint64_t run_counter(const json_t *activity, const char *name); // sum of an array counter
uint64_t run_counter_at(const json_t *activity, const char *name, size_t i);
// Counters of all launches added up: {name: number or array}. New reference.
json_t *run_total_activity(const struct run *r);
uint64_t run_times(const json_t *error);   // that an "error" line stands for: its "times", or 1
uint64_t run_refused(const struct run *r); // launches that were refused
// The calls that were answered with "not supported", as "name (3 times), other"; false: none was.
bool run_refused_calls(const struct run *r, struct arena *a, const char **out);
// First bad status of launches that ran; then of other errors, launches of an impossible shape
// aside.
enum ww_status run_launch_status(const struct run *r);
enum ww_status run_status(const struct run *r);

// ---- for people -------------------------------------------------------------------------------
struct table_options {
    bool colour;
    int check;          // 1: the program checked its results, 0: not known, -1: the check failed
    const char *ending; // how the program ended ("ended with exit code 2"); NULL: well
    const char *title;  // workload or program
    const struct account *power; // NULL: none
    const char *no_power;        // why there is none, a sentence; NULL: it was not asked for
};
void table_print(const struct run *r, const struct table_options *o, FILE *out);
// "12.3 mJ"; answers buf.
const char *table_scaled(double v, const char *unit, char buf[32]);

// ---- for programs -------------------------------------------------------------------------------
// The whole run as one JSON object (totals, derived figures, launches, steps). New reference.
// `power` may be NULL; its whole account is part of it where `whole` says so.
json_t *run_to_json(const struct run *r, const struct account *power, bool whole);
// -o DIR: run.json, steps.csv, activity.csv, activity.xml, intervals.csv, instructions.csv.
enum ww_status files_write(const struct run *r, const struct account *power, const char *dir,
                           struct diags *d);
// The records of all processes, at another place.
enum ww_status record_copy_to(struct arena *a, const char *from, const char *to, struct diags *d);

// ---- copies and launches in order: steps.c ------------------------------------------------------
// A copy or a launch, or some of one kind that the record has added up. Energies are of the
// account: a copy has that of its time in which no kernel ran; together with the time without
// either (steps_idle) they are those of the whole run.
struct step {
    const char *method; // "copy to the device", "copy to the host", "copy on the device", "fill"; a
                        // kernel's name
    bool is_copy;
    uint64_t times;  // how many it is
    uint64_t launch; // number of the launch, 0: a copy
    uint64_t bytes;  // of a copy
    uint32_t stream; // of a copy
    uint32_t range;  // id of a "range" line, 0: none
    double start_s, seconds, alone_s;
    double energy_j, dynamic_j, static_j; // NAN: there is no account of it
};
// In order of their start; lives in the arena.
const struct step *steps_of(struct arena *a, const struct run *r, const struct account *power,
                            uint32_t *n);
struct steps_rest { // while neither a kernel nor a copy ran; NAN: there is no account
    double seconds, energy_j;
};
struct steps_rest steps_idle(const struct run *r, const struct account *power);
void steps_print(struct arena *a, const struct run *r, const struct account *power, FILE *out);
void steps_csv(struct arena *a, const struct run *r, const struct account *power, FILE *out);
// The first `most` of them, 0: all.
json_t *steps_json(struct arena *a, const struct run *r, const struct account *power,
                   uint32_t most);

// ---- ranges that the program names: ranges.c ----------------------------------------------------
struct range_use { // with that of the ranges inside it
    uint32_t id, parent, depth; // id 0: what belongs to no range; parent 0: none
    const char *name, *path;    // path: the names of its levels, `/` between
    uint64_t times;             // that it was entered and had work
    uint64_t launches, untimed, copies, bytes, cycles, warp_instructions; // untimed: of the launches
    double seconds, copy_s;                // of launches, of copies
    double energy_j, dynamic_j, static_j;  // of both; 0: there is no account
    double own_s, own_j;                   // of launches, and of all, that lie in no range inside it
};
// Ranges behind the one that they are inside, in the order of their first work; then what belongs to none. Lives in the
// arena; NULL and 0: the program named none.
const struct range_use *ranges_of(struct arena *a, const struct run *r, const struct account *power,
                                  uint32_t *n);
void ranges_print(const struct run *r, const struct account *power, bool colour, FILE *out);
void ranges_csv(struct arena *a, const struct run *r, const struct account *power, FILE *out);
// The first `most` of them, 0: all. New reference; NULL: there are none.
json_t *ranges_json(struct arena *a, const struct run *r, const struct account *power, uint32_t most);

// ---- progress -----------------------------------------------------------------------------------
// One line on a terminal that is redrawn and disappears; nothing when `out` is no terminal.
struct progress_line {
    FILE *out;
    bool active, shown;
    double begin_s, start_s, last_s; // of the program, of the launch, of the last drawing
    uint64_t last_launch;
    uint64_t expected; // warp instructions of the whole program; 0: not known
    uint64_t ended;    // of launches that have ended
    char kernel[64];   // of that launch, as people wrote it
};
void progress_init(struct progress_line *p, FILE *out, bool wanted);
// `g` is how far the launch has come. The time left is the program's where `expected` says how much
// there is, else the launch's, and the line says so.
void progress_show(struct progress_line *p, const struct gpu_progress *g);
// A launch has ended, with so many warp instructions.
void progress_ended(struct progress_line *p, uint64_t warp_instructions);
void progress_clear(struct progress_line *p);

#endif
