// Single SIMT lanes of the INT and FP pipelines: which lanes an instruction uses, when each holds
// work, and the power gating of each (A. Abdel-Majeed's dissertation, 2016, chapter 4: Origami).
//
// A lane is what takes one thread of a warp instruction a core cycle. A pipeline that takes a warp
// instruction every cycle has 32 (GTX 480: two SPs of 16 double-clocked lanes, which the
// dissertation counts as 32, 2.1.2); one that takes it every n cycles has 32/n, and thread t runs
// on lane t mod that. Four neighbours are a quad; folding and shifting move threads
// inside a quad only.
//
// All lanes of a pipeline are updated in one go, as vectors (lane_simd.c): when an instruction uses
// other lanes than the instruction before it, when a lane is woken, and when time has changed a lane
// and a warp asks. Idle times are counted later, from a log of what the lanes did. While
// instructions use the same lanes these are booked together (struct lane_book), and the vectors do
// not have their newest work yet. The states of a lane are those of a struct gate_domain; counts are
// lane cycles from the start.
#ifndef WW_SAVINGS_LANE_H
#define WW_SAVINGS_LANE_H

#include <assert.h>

#include "savings/domain.h"
#include "savings/part.h"

enum { LANE_MAX = 32, LANE_QUAD = 4, LANE_TYPES = 2, LANE_PIPES = SM_LANE_PIPES };
#define LANES_LOWER 0x33333333u // the lower two of each quad
#define LANES_UPPER 0xccccccccu

// Work of a lane pipe that is not counted yet: booked work, then one instruction. `booked` lanes are
// busy up to `until`, and `begun` lanes among them began at `from`; `lanes` execute in [at, to).
struct lane_entry { uint32_t booked, begun, from, until, lanes, at, to; };
enum { LANE_LOG = 16 };

// As long as instructions of a pipeline execute on the same lanes they are booked here, and no lane
// is updated.
struct lane_book {
    uint64_t lanes;    // that execute (active and guard); UINT64_MAX: nothing is booked
    uint64_t until;    // the lanes are busy up to this cycle, and idle from it on
    uint64_t off_from; // off from this cycle on if nothing comes: until + window
    uint64_t window;
    uint32_t folded; // all bits: each instruction goes through twice, the second time an interval
                     // later; else none
    uint32_t issues; // booked
    uint32_t n;      // how many lanes are booked
    uint32_t off;    // lanes that take nothing in this cycle
    uint32_t asleep; // of `off`, lanes that do not wake
    uint32_t asked;  // lanes that were asked for last, on from asked_on_at; 0: ask anew
    uint64_t asked_on_at;
    uint64_t wake_at; // ahead: the cycle in which a warp that lacks lanes may lack none
    uint64_t from;    // of the newest busy time that was booked; 0: none
    uint64_t idle;    // idle cycles of each booked lane
    const uint32_t *needed; // by warp: lanes that its next instruction needs
};

// Low 32 bits of cycles, by lane. The first four arrays say when time changes a gated lane.
struct lane_pipe {
    _Alignas(64) uint32_t off_from[LANE_MAX]; // off from then on, if no work comes; off: since then
    uint32_t wakes[LANE_MAX];      // it wakes, if that lies ahead, and is on from then on
    uint32_t idle_from[LANE_MAX];  // idle since then; if that lies ahead: works or wakes until then
    uint32_t not_before[LANE_MAX]; // it is not switched off before this cycle
    // Counted work, without the log's. `until`: busy up to this cycle if it lies ahead, else idle
    // from it on.
    uint32_t until[LANE_MAX], from[LANE_MAX]; // from: of the busy time that ends in `until`
    struct lane_entry log[LANE_LOG];
    uint32_t n_log;
    uint32_t off, waking;          // lanes
    uint32_t hot;                  // lanes that are booked together; 0: none
    bool is_shifted;               // what these execute has moved to other lanes
    uint64_t last_to;              // no lane works longer
    uint64_t idle;                 // lane cycles
    struct gate_counts sum;        // of lanes
    // Idle periods of lanes that have ended, by length; [0]: meaningless.
    uint64_t periods[ACT_IDLE_LENGTHS];
};

// When a lane that is idle goes off. With eager_to > now: upper lanes at once in cycles
// [eager_from, eager_to).
struct lane_plan { uint32_t window, eager_from, eager_to; };

struct lanes;
// What is done to all lanes of a pipeline at once, by vector level of the host (lane_simd.c).
struct lane_steps {
    // The port's functions (sm/lanes.h).
    struct sm_lane_port port;
    // Time has passed up to and with cycle t for a type.
    void (*settle_type)(struct lanes *l, uint32_t type, uint64_t t);
    // ... for one pipeline.
    void (*settle)(struct lane_pipe *x, uint32_t all, uint32_t t, uint32_t wakeup_delay);
    // Nothing is booked from now on, and what was booked becomes the lanes'.
    void (*end_booking)(struct lanes *l, uint32_t pipe);
    void (*hold)(struct lane_pipe *x, const struct lane_entry *e, uint32_t window);
    void (*account)(struct lane_pipe *x);
    void (*plan)(struct lane_pipe *x, const struct lane_plan *p);
};

// Numbers of counters of warp folding, lane shifting and the shift stages, which lanes count for
// them.
struct lane_numbers {
    uint32_t folded, spared, fold_cycles, shifts, uses, stage_cycles;
};

struct lanes {
    _Alignas(64) struct lane_book book[LANE_PIPES]; // INT of lane group 0.., FP of lane group 0..
    struct sm_lanes shown; // look_at: before it nothing of the type's pipes is to be looked at
    struct sm_lane_port port;
    const struct lane_steps *steps;
    uint64_t settled;            // time has done its work up to and with this cycle
    uint64_t trim_at;            // when times that lie far back are to be moved
    uint64_t pipes;              // INT and FP pipes that there are
    uint64_t part;               // pipes of which not all lanes are on
    uint64_t claimed, claimed_at; // pipes that were asked for lanes in a cycle, and the cycle
    uint32_t lane_groups;
    bool folds, shifts, is_eager, is_busy;
    bool finds; // instructions look for lanes when they enter (port.find), warps never (shown.on)
    uint64_t since, elapsed;     // busy since; cycles for which it was busy before
    bool type_gated[LANE_TYPES]; // INT, FP
    struct gate_times times;
    uint32_t idle_detect, width, all, weight; // width: lanes; mask of all; 32 / width
    uint32_t stages, before;     // added stages; of these, ahead of the lanes
    struct { uint64_t from, to; } fold[LANE_TYPES]; // folding is on in [from, to)
    uint64_t fold_cycles[LANE_TYPES]; // of windows that have been replaced
    // But those that are booked.
    uint64_t issues[LANE_TYPES], folded[LANE_TYPES], spared[LANE_TYPES], shifted;
    struct lane_numbers at;
    uint32_t worked_off; // lanes that were given work while they were off: none, else a bug
    // Lanes that the next instruction of a warp needs: not folded, folded.
    uint32_t need[2][SM_MAX_WARPS];
    struct lane_pipe pipe[LANE_PIPES];
};

static inline uint32_t lane_type(uint32_t pipe) { return pipe >= SM_PIPE_FP; }
// lanes.pipe[] has the SM's numbers of the INT and FP pipes, which are the first.
static_assert((int)SM_PIPE_INT == 0 && (int)SM_PIPE_FP == SM_MAX_LANE_GROUPS &&
                  LANE_PIPES == 2 * SM_MAX_LANE_GROUPS,
              "INT, FP, then others");

static inline bool lanes_fold_now(const struct lanes *l, uint32_t type, uint64_t t) {
    return t >= l->fold[type].from && t < l->fold[type].to;
}

// What was booked, and no instruction behind it.
static inline struct lane_entry lane_booked(const struct lane_pipe *x, const struct lane_book *f) {
    return (struct lane_entry){.booked = x->hot,
                               .begun = f->from != 0 ? x->hot : 0,
                               .from = (uint32_t)f->from,
                               .until = (uint32_t)f->until};
}

// Something may happen to lanes of the type in cycle t.
static inline void lanes_look_at(struct lanes *l, uint32_t type, uint64_t t) {
    l->shown.look_at[type] = t < l->shown.look_at[type] ? t : l->shown.look_at[type];
}

// All active threads of each quad moved to its lowest lanes. In each nibble a network sorts four
// bits: three steps of compare and exchange.
static inline uint32_t lanes_shift(uint32_t m) {
    uint32_t a = m & 0x55555555u, b = m >> 1 & 0x55555555u; // 0 with 1, 2 with 3
    m = (a | b) | (a & b) << 1;
    a = m & 0x33333333u, b = m >> 2 & 0x33333333u; // 0 with 2, 1 with 3
    m = (a | b) | (a & b) << 2;
    a = m & 0x22222222u, b = m >> 1 & 0x22222222u; // 1 with 2
    return (m & 0x99999999u) | (a | b) | (a & b) << 1;
}

// Threads of a warp to lanes of a pipeline that has fewer.
static inline uint32_t lanes_of_threads(uint32_t threads, uint32_t width) {
    for (uint32_t w = LANE_MAX / 2; w >= width; w /= 2)
        threads = (threads | threads >> w) & ((1u << w) - 1);
    return threads;
}

// The threads that an instruction sends through a pipeline, by the lanes (of 32) that they use.
struct lane_use {
    uint32_t first, second; // second: of the second half-warp, one interval later
    bool is_folded, is_spared; // spared: folding is on, but one half has nothing to do
};
// `threads` execute; `active` is what the scheduler sees and decides by (a superset: guards are not
// in it). Shifted first, then folded: each half-warp then has up to two threads a quad.
static inline struct lane_use lanes_use(uint32_t threads, uint32_t active, bool shifts,
                                        bool folds) {
    if (shifts) {
        threads = lanes_shift(threads);
        active = lanes_shift(active);
    }
    if (!folds) return (struct lane_use){.first = threads};
    // Which of them follows no pattern.
    const uint32_t upper = active & LANES_UPPER, lower = active & LANES_LOWER;
    const uint32_t is_folded = 0 - (uint32_t)((upper != 0) & (lower != 0)),
                   moves = 0 - (uint32_t)(lower == 0);
    const uint32_t one = (threads >> 2 & moves) | (threads & ~moves);
    return (struct lane_use){.first = (threads & LANES_LOWER & is_folded) | (one & ~is_folded),
                             .second = (threads & LANES_UPPER) >> 2 & is_folded,
                             .is_folded = is_folded,
                             .is_spared = !is_folded};
}

struct lanes *savings_lanes(struct savings_sm *s); // of an SM's techniques; NULL: none
void lanes_fold_in(struct lanes *l, uint64_t now, const uint64_t to[LANE_TYPES]); // until to[type]
uint64_t lanes_folded(const struct lanes *l, uint32_t type); // instructions so far
// Refuses a mechanism that makes single lanes idle, where nothing looks at them or a pipeline has
// fewer than it moves threads between.
enum ww_status lanes_check(const struct savings *s, const struct sm_config *c, const char *name,
                           struct diags *d);

#endif
