// Inside of a device: what device.c, module.c, stream.c, launch.c, run.c and result.c share.
#ifndef WW_DEVICE_H
#define WW_DEVICE_H

#include "activity/activity.h"
#include "exec/devmem.h"
#include "exec/launch.h"
#include "gpu/fields.h"
#include "gpu/gpu.h"
#include "gpu/threads.h"
#include "isa/generation.h"
#include "mem/mem.h"
#include "sm/group.h"

// ---- work in streams --------------------------------------------------------------------------
enum work_kind { WORK_KERNEL, WORK_COPY, WORK_FILL, WORK_RECORD, WORK_WAIT, WORK_CALL };

struct gpu_event {
    uint64_t recorded; // number of gpu_event_record calls; each record has its number
    uint64_t done;     // highest record that has run
    uint64_t cycle;    // when
    uint64_t launches, untimed; // the device's until then: all, and those that took no time
    uint64_t teller;   // launch that told the record `done` before it ended; 0: none
    uint32_t users;    // handle + queued work
};

struct work {
    struct work *next;
    enum work_kind kind;
    uint64_t seq; // order of the calls, over all streams
    uint64_t tag; // gpu_options.tag
    bool running;
    uint64_t end; // copies, fills, estimated launches: cycle at which it is done
    double alone; // ... cycles in which no kernel ran, its share where several were under way
    union {
        struct {
            struct order *order; // until it starts
            struct flight *run;     // from then on
            bool is_asked, is_timed;  // sampling was asked, and what it said (sample_times)
            bool is_estimated;        // it runs without one, until `end`
            // Programmatic dependent launch: cycle from which its launch is prepared (0: the latency
            // counts from its turn on), and that of its dependent.
            uint64_t ready_from, next_from;
            uint64_t waits_for; // launch of another stream whose event let it begin; 0: none
        };                       // WORK_KERNEL
        struct {
            struct gpu_copy c;
            uint8_t *staged;       // copy of the host's source, NULL when it is read in place
            bool to_device, to_host;
        } copy;
        struct {
            uint64_t dst, pitch, width, height; // width in elements
            uint32_t value, element;
        } fill;
        struct {
            struct gpu_event *event;
            uint64_t number; // record: its number; wait: the record waited for
        } event;
        struct {
            void (*fn)(void *user);
            void *user;
        } call;
    };
};

struct gpu_stream {
    struct gpu *gpu;
    struct gpu_stream *next; // of the device, in order of creation; the default stream first
    struct work *head, *tail; // what runs: the head and, one after the other, its dependents
    bool is_default, non_blocking;
    uint64_t early_of; // launch whose event the last work waited for, told before its end; 0: none
    int priority;
    uint32_t number; // 0: the default stream
};

// ---- launches -----------------------------------------------------------------------------------
// A launch that waits in its stream. Thousands may: what counts one (struct flight) is many times
// larger and comes when it starts.
struct order {
    struct gpu_kernel *kernel;
    const struct code_image *image;
    struct gpu_launch launch; // its params are those at the end of this
    uint64_t id;
    uint64_t event_number; // of launch.event's record
    struct sm_occupancy occupancy;
    bool functional;
    uint8_t params[];
};

// Of a launch of which stretches of blocks may be simulated, and gaps between them computed (sample_inside.c).
enum { SAMPLE_STRETCHES = 32 };
struct sample_inside {
    uint32_t phase;
    bool drains;            // the chip empties before a gap
    uint32_t n, planned;    // stretches that are over; that a launch of its size has
    uint64_t wave, count;   // blocks that the chip holds at once; of a stretch that are counted
    uint64_t until;         // simulated blocks that are done when the phase ends
    uint64_t gap, skipped;  // blocks of the gap that comes; of those that were
    uint64_t warp_instructions, thread_instructions; // of gaps
    uint64_t from, between; // cycle at which the last stretch began or ended; cycles between stretches
    uint64_t done_from;     // simulated blocks that were done when the stretch began
    double ratio[SAMPLE_STRETCHES];   // cycles a warp instruction
    double a_block[SAMPLE_STRETCHES]; // warp instructions
    double gap_a_block;     // of the last gap
    double gap_x, gaps_x;   // warp instructions of the last gap with what fills and drains beside it; of all
    double gap_cycles;      // of all
};

// A launch in flight: from its start to its result. Kept for the next one when it is over
// (gpu.spare_flights).
// A launch's event, if it has one that was not recorded yet, is; frees a launch, whose event is then.
void order_tell(struct gpu *g, struct order *o, bool has_ended);
void order_free(struct gpu *g, struct order *o);

struct flight {
    struct flight *next_spare;
    struct gpu_result result;
    struct order *order; // owned
    struct gpu_kernel *kernel;
    struct gpu_launch launch;
    uint64_t n_ctas, next_cta, last_cta; // in the order of clusters, where there are some; last_cta: none from it on is dispatched; n_ctas but for sampling
    struct sample_inside inside;
    uint32_t cluster; // blocks of a cluster; 0: they come one by one
    uint32_t slot;          // UINT32_MAX before it starts
    uint64_t starts_at;     // cycle of the first dispatch: start of the launch latency + latency
    bool started;
    uint64_t last_dispatch; // cycle
    // Programmatic dependent launch (stream.c): the next work of its stream waits for its blocks'
    // word; they have all given it; that work has begun; at its end stores were on their way.
    bool is_awaited, has_launched, has_dependent, flushes;
    uint64_t ready_from; // cycle from which its launch is prepared; 0: the latency counts from its turn on
    uint64_t spin_look;     // cycles since its start at which warps that spin are looked for
    struct exec_launch *exec;
    struct sm_kernel *timed;
    struct activity *at_start; // [n_sms + n_partitions] at its first dispatch
    uint64_t *at_number;       // their numbers, see device_activity_number
    struct activity *spans;    // result.sm and .partition
    bool *is_idle_span;        // of each: nothing stands in it but idle cycles
    struct activity before;    // chip at the end of the last interval
    uint64_t interval_from, interval_cycles; // interval_cycles 0: this run has none
    VEC(struct gpu_interval) intervals; // in the run's arena
    struct arena arena;
    struct sm_inst_counts *inst;
    struct sm_inst_memory *inst_memory;
    struct waits *waits;        // waits.h; NULL: not counted
    uint32_t rehearsals;        // runs that are left before the one that counts
    struct devmem_copy *before_it; // memory as it was before the first, while there are any
    bool is_estimated;  // computed without time; takes what its like took
    uint32_t stream;    // number of the stream that it came from
    uint64_t workspace; // device memory of a cooperative launch's grid barrier, 0: none
    double host_start;
};

// What an SM's callbacks write in the SM phase; one cache line each.
struct sm_side {
    _Alignas(64) uint64_t done[SM_KERNEL_SLOTS]; // CTAs finished since the slot was bound
    uint64_t last_done[SM_KERNEL_SLOTS];         // cycle
    uint64_t next; // its next event, as of the end of its last quantum
};

// The last question about GPUs that have what this one lacks (told.c), and its answer.
struct gpu_other {
    bool (*has)(const struct gpu_config *c, const struct gpu_other *o);
    size_t limit;
    uint64_t need;
    char text[4 * GPU_NAME_BYTES];
};

struct gpu {
    struct timeline_sm *timeline; // by SM; NULL: no span is told
    struct sm_watch *watch;       // gpu_options.watch; NULL: none
    uint64_t watched;             // launch whose warps were watched; 0: none yet
    uint32_t streams_made;
    struct gpu_config config;
    struct gpu_limits limits;
    struct gpu_other other;
    uint64_t memory_bytes; // the configuration's, or what programs are told
    struct gpu_options options;
    struct ww_allocator allocator;
    const struct exec_source *source; // of instructions that are timed
    struct devmem *memory;
    struct exec_callbacks exec_callbacks;

    // timing machinery; all NULL in functional mode
    struct mem_system *mem;
    uint64_t set_aside; // bytes of L2 for lines that go last
    struct sm **sm;
    struct savings_sm **savings; // of each SM, or NULL
    struct savings_l2 *savings_l2; // or NULL
    uint32_t group_sms;      // SMs that one host thread runs, as they may share parts
    struct sm_group **front_end_group; // of so many, or NULL: none share a front end
    struct exec_log **logs;
    struct exec_groups *groups; // of launches without time
    struct mem_port **ports;
    struct sm_side *side;
    struct threads *threads;
    uint32_t quantum;
    uint64_t grid_from;    // cycle that quanta are counted from
    uint64_t now;          // core cycles since gpu_create; everything before is simulated
    uint64_t mem_now;      // the memory system is simulated up to here
    uint64_t from, to;     // the quantum that helper threads work on
    uint64_t delivered;    // replies are delivered up to here
    bool commit_failed;
    struct exec_fault commit_fault;
    uint32_t next_sm;      // where CTA dispatch goes on

    struct gpu_clusters *clusters; // cluster.c
    struct flight *slots[SM_KERNEL_SLOTS];
    uint32_t n_running;
    struct flight *rehearsing; // nothing else starts while there is one
    struct flight *spare_flights;
    uint64_t copy_free[2]; // when each copy engine is free

    struct gpu_stream *streams; // the default stream first
    struct gpu_module *modules;
    uint64_t next_seq, next_launch;
    uint32_t intervals_kept; // by launches that have ended
    uint32_t queued;       // work in all streams

    enum ww_status fault;
    char fault_text[4096];

    VEC(struct gpu_result *) results;
    struct arena results_arena; // of the list
    struct gpu_totals totals;
    uint64_t untimed;      // launches of totals that took no time
    struct sample *sample; // what is known of launches that are alike; NULL: nothing yet (sample.h)
    uint64_t estimated_until, estimated_cycles; // a launch whose time is estimated ends in this cycle, after so many
    uint64_t busy_from;    // start of the current stretch in which a kernel runs
    struct flight *busy_first;      // the run that began it; NULL when that has ended, or none has
    // counts at that time, once its first run has ended and others go on
    struct activity busy_before;
    uint64_t quanta;       // of this stretch
    uint32_t quiet;        // quanta in a row in which nothing happened
    double last_progress_s;
};

void *device_alloc(struct gpu *g, size_t bytes); // zeroed; NULL when out of memory
void device_free(struct gpu *g, void *p);
void device_log(struct gpu *g, const char *fmt, ...) WW_PRINTF(2, 3);
// Makes SMs and memory system anew: at gpu_create, and after a run that was cut off.
enum ww_status device_build(struct gpu *g, struct diags *d);
void device_tear_down(struct gpu *g);
// Counts of SM i < n_sms, or of partition i - n_sms, complete up to now.
const struct activity *device_activity(struct gpu *g, uint32_t i);
// Of the counts that device_activity gave last: two of an `i` that have the same number, not 0, are
// equal.
uint64_t device_activity_number(const struct gpu *g, uint32_t i);
uint32_t device_activity_count(const struct gpu *g);
void device_activity_sum(struct gpu *g, struct activity *sum);
// Notes the first fault, with its sentence; drops nothing.
enum ww_status device_fault(struct gpu *g, enum ww_status s, const char *text);
// WW_OK, or the sticky fault as a diagnostic.
enum ww_status device_usable(struct gpu *g, struct diags *d);
// The host's address of device memory; else a sentence such as "a copy of 4 bytes to 0x10000000
// leaves what is allocated", of which `what` is "a copy" and `where` "to".
enum ww_status device_check_range(struct gpu *g, uint64_t addr, uint64_t bytes, const char *what,
                                  const char *where, struct diags *d, uint8_t **host);
// The same of what is to be written, which is not mapped for reading alone.
enum ww_status device_check_write(struct gpu *g, uint64_t addr, uint64_t bytes, const char *what,
                                  const char *where, struct diags *d, uint8_t **host);

// ---- stream.c -----------------------------------------------------------------------------------
enum ww_status stream_push(struct gpu *g, struct gpu_stream *s, const struct work *w,
                           struct diags *d);
// Runs until nothing is queued in `s` (NULL: anywhere) up to and including work number `seq`, or at
// most until cycle `until`.
enum ww_status stream_drive(struct gpu *g, const struct gpu_stream *s, uint64_t seq, uint64_t until,
                            struct diags *d);
void stream_drop_all(struct gpu *g);
// Whether a kernel that has not started could run beside those that do.
bool stream_kernel_waits(const struct gpu *g);
struct gpu_stream *stream_of(struct gpu *g, struct gpu_stream *s); // NULL: the default stream

// ---- launch.c, run.c, result.c ------------------------------------------------------------------
// The run of a launch that starts, which then owns the order; NULL when out of memory.
struct flight *flight_create(struct gpu *g, struct order *o);
// Prepares a run at the head of its stream; its first CTA is dispatched at run->starts_at.
void flight_rehearse(struct gpu *g, struct flight *r);
enum ww_status flight_begin(struct gpu *g, struct flight *r, uint32_t slot);
// Simulates while kernels run, until one ends, a fault, or the quantum that reaches `until`.
void run_quanta(struct gpu *g, uint64_t until);
void run_functional(struct gpu *g, struct flight *r);
// Computes blocks [first, end) of a run without time. A fault is the GPU's then.
struct exec_counts;
enum ww_status run_compute(struct gpu *g, struct flight *r, uint64_t first, uint64_t end,
                           struct exec_counts *counts);
// Gives the result to whoever wants it and frees the run.
void flight_finish(struct gpu *g, struct flight *r, enum ww_status s, const char *text);
void flight_free(struct gpu *g, struct flight *r);
void flight_free_spares(struct gpu *g);
// Cuts off all that runs: partial results with this status.
void flight_abort_all(struct gpu *g, enum ww_status s, const char *text);

// Gives SM i the next CTA of a run.
// CTA `cta` goes to SM i; answers its place there.
uint32_t run_give_cta(struct gpu *g, struct flight *r, uint32_t i, uint64_t cta);

// ---- front_end_group.c: SMs that share a front end ---------------------------------------------
// Whether front-end groups of the techniques fit the GPU; a sentence when they do not.
enum ww_status front_end_group_check(const struct gpu_config *c, const struct savings *s,
                                     struct diags *d);
enum ww_status front_end_group_build(struct gpu *g, struct diags *d); // SMs are there
void front_end_group_tear_down(struct gpu *g);                        // they are still there
void front_end_group_form(struct gpu *g);                             // a kernel starts
// As dispatch and its question, for one run and SMs in such groups.
void front_end_group_dispatch(struct gpu *g, struct flight *r);
bool front_end_group_can_dispatch(const struct gpu *g, const struct flight *r);
void front_end_group_run(struct gpu *g, uint32_t number); // a quantum of one

void result_begin(struct gpu *g, struct flight *r);
// Completes times of lines that techniques put away, of so many SMs and partitions (savings_close).
void result_close_lines(const struct gpu *g, struct activity *a, uint64_t cycles, uint32_t sms,
                        uint32_t partitions);
void result_sum_at_start(const struct gpu *g, const struct flight *r,
                         struct activity *sum); // the chip's counts then
void result_interval(struct gpu *g, struct flight *r);
void result_end(struct gpu *g, struct flight *r, uint64_t end_cycle);

void result_forget(struct gpu *g, const struct gpu_module *m); // drops kept results of a module

// The user wants it to end.
static inline bool device_should_stop(const struct gpu *g) {
    return g->options.stop && __atomic_load_n(g->options.stop, __ATOMIC_RELAXED);
}

double host_seconds(void);

// told.c
void gpu_told_limits(const struct gpu_told *t, struct gpu_limits *l);
// "; -g gtx780 has it": the first GPU file whose limit (the offset of a uint32_t in struct
// gpu_limits) suffices; "" when none does. Reads GPU files, once for the same question asked again.
const char *gpu_with(struct gpu *g, size_t limit, uint64_t need);
// The same of all files whose SMs have a kind of unit, or whose code has a trait: "; -g qv100, v100
// have it".
const char *gpu_with_unit(struct gpu *g, enum unit_class unit);
const char *gpu_with_trait(void *gpu, enum gen_trait t); // a struct gpu

// ---- timeline.c: what happens when. Nothing is kept without options.span ------------------------
bool timeline_create(struct gpu *g); // false: memory is out
void timeline_cta_begins(struct gpu *g, uint32_t sm, const struct flight *r, uint64_t cta);
// In the SM phase, for one SM.
void timeline_cta_ended(struct gpu *g, uint32_t sm, uint32_t slot, uint64_t cta, uint64_t cycle);
void timeline_quantum(struct gpu *g); // tells what ended in the quantum
void timeline_cut(struct gpu *g);     // tells all that is on SMs as ended now
void timeline_kernel(struct gpu *g, const struct flight *r);
// A copy or fill that ended, to options.copy_done too.
void timeline_copy(struct gpu *g, uint32_t stream, const char *name, const struct work *w,
                   uint64_t cycles, uint64_t bytes);

#endif
