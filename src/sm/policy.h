// Where an energy-saving technique takes hold of an SM. A technique fills in a struct sm_policy
// with the callbacks that it needs (the others stay NULL) and is given to sm_set_policies. An SM
// without policies runs code in which none of this exists, and one whose policies deal with whole
// pipelines only, or with single lanes, or only listen, runs code without the rest (step.inc.h is
// compiled five times).
//
// Time is sparse: the SM simulates only cycles in which something may change. Between two simulated
// cycles nothing in struct sm_view changes, so a technique computes what happened in between from
// the timestamps of the pipes and its own. What must happen at a cycle of its own (a counter that
// expires and lets a unit take work again) it announces: unit_wanted answers when to look again,
// and next_event names any other cycle that must be simulated. A pipe that goes off when it has
// been idle for a while needs nobody to look: struct sm_gate.
//
// Several policies: `prefer` narrows what the one before left over; a pipe is on when all say so;
// extra cycles add up; notifications go to all, in order. A policy must not keep or change state
// outside of `self`: SMs run on different host threads, so give each SM a `self` of its own.
#ifndef WW_SM_POLICY_H
#define WW_SM_POLICY_H

#include "sm/sm.h"

// Execution pipelines, one number each: INT and FP of cluster c are SM_PIPE_INT + c and
// SM_PIPE_FP + c, SFU i is SM_PIPE_SFU + i, DP unit i is SM_PIPE_DP + i.
enum sm_pipe_id {
    SM_PIPE_INT = 0,
    SM_PIPE_FP = SM_PIPE_INT + SM_MAX_CLUSTERS,
    SM_PIPE_SFU = SM_PIPE_FP + SM_MAX_CLUSTERS,
    SM_PIPE_DP = SM_PIPE_SFU + 8,
    SM_PIPE_LDST = SM_PIPE_DP + 8,
    SM_PIPE_TEX,
    SM_PIPES
};
enum { SM_LANE_PIPES = SM_PIPE_SFU }; // INT and FP pipes, whose lanes may be looked at one by one

struct sm_pipe {
    uint64_t free_at; // first cycle in which the scheduler may issue to it, or (cluster_at entry)
                      // one may enter
    uint64_t enter_at;   // first cycle in which it can take in the next instruction
    uint64_t busy_from;  // it held or will hold work in [busy_from, busy_until), its newest busy
    uint64_t busy_until; // period; idle since busy_until once that is past
    uint64_t busy_cycles; // length of all busy periods, the newest included
    uint64_t issues;
};

// Of a pipeline that may be off, what the SM and the policy that switches it both know. It is off
// in a cycle that is no earlier than `off_from`; LD/ST and texture only when they hold no access
// (sm_view.accesses). The SM moves that behind the work: to busy_until + window whenever the
// pipeline takes any, from UINT64_MAX too (not before it has taken some). All else is the policy's;
// off_from of what is on it brings nearer in `cycle`, `epoch`, `work` and unit_wanted alone.
struct sm_gate { uint64_t off_from, window; };
#define SM_GATE_NEVER (UINT64_MAX / 2) // a window that never ends

// What the SM knows in a cycle. A warp slot is a bit in the masks.
struct sm_view {
    uint64_t cycle;
    uint64_t before;   // the cycle that was simulated before this one; kept only while a policy is
                       // there that does more than listen (rows, array_access, warp, work, count)
    uint64_t resident; // holds a warp that has not exited
    uint64_t decoded;  // its next instruction is in the instruction buffer
    uint64_t go; // ... with operands and without barrier, fence, sleep or branch in the way: it
                 // waits for a unit and a scheduler at most
    uint64_t active;   // two-level: the active set; other schedulers: resident
    bool active_waits; // warps that wait for memory may be in the active set
    uint64_t wait_mem; // next instruction waits for memory (shared memory included)
    uint64_t wait_long; // ... for memory beyond shared memory and constants in their cache
    uint64_t wait_bar, wait_fence, wait_sleep, wait_branch, wait_const;
    uint64_t needs[UNIT_N];           // by unit of the next instruction (of decoded warps)
    uint64_t mine[SM_MAX_SCHEDULERS]; // warps of a scheduler: slot mod schedulers
    uint32_t schedulers;
    struct sm_pipe pipe[SM_PIPES];
    uint64_t unit_free_at[UNIT_N];    // earliest free_at of the unit's pipes
    uint8_t pipe_first[UNIT_N], pipe_n[UNIT_N];
    uint32_t accesses[2]; // that the LD/ST and the texture unit hold: while there is one
                          // the unit works, and busy_until tells only afterwards; kept
                          // while a policy may switch it off, or looks at more than pipelines
    uint64_t issued;                  // instructions; kept as `lanes` is
    uint64_t full;                    // warps of which all lanes are active; kept as `lanes` is
    // Active lanes of the warp (its next instruction's, before its guard); kept only while a policy
    // has one of groups, prefer, unit_on, lanes_issue, issue, rf_access, or `rows` beside others.
    uint32_t lanes[SM_MAX_WARPS];
};

// An instruction at its issue; with cluster_at entry one for INT or FP when it enters its pipe. The
// callback may raise the extra_* fields.
struct sm_issue {
    uint64_t cycle;      // of issue, or entry
    uint32_t warp, scheduler, pc, kernel_slot;
    uint32_t lanes;      // that execute (active and guard)
    uint8_t klass, unit; // enum op_class, enum unit_class
    uint8_t pipe;        // enum sm_pipe_id; SM_PIPES: no pipe
    bool is_second;      // second instruction of a dual issue
    uint32_t latency, interval; // of its class
    uint64_t operands_at;       // its operands are there; it enters its pipe then or behind others
    uint32_t extra_latency;     // cycles added to its result
    uint32_t extra_interval;    // cycles that the pipe stays closed longer (a folded warp: 1)
};

// What an instruction takes longer on a policy's account.
struct sm_delay {
    uint32_t latency;  // cycles added to its result
    uint32_t interval; // cycles that the pipe stays closed longer
};

// What an SM and the policy that looks at single lanes both know of an INT or FP pipe.
struct sm_lane_pipe {
    // As long as the same lanes execute, the SM books their work by itself and tells nobody:
    // `lanes` says which (active and guard; UINT64_MAX: none). It works from here.
    uint64_t lanes;
    uint64_t until;    // they are busy until then, or idle since
    uint64_t off_from; // off from this cycle on if nothing comes; SM: until + window
    uint64_t window;
    uint64_t on;       // warps that may issue to the pipe: no lane is off that they need
    uint32_t folded;   // all bits: each instruction goes through twice, the second time an interval
                       // later; else none
    uint32_t issues;   // that the SM has booked
    uint16_t latency;  // added to each result
    uint16_t ahead;    // of it, before the lanes
    uint32_t n;        // these are lanes
    uint32_t off;      // lanes that take nothing in this cycle
    uint32_t asleep;   // of these, the ones that do not wake
    uint32_t asked;    // lanes that were wanted last, on from asked_on_at; 0: things have changed
    uint64_t asked_on_at;
    uint64_t wake_at;  // if it lies ahead: a warp of its type that lacks lanes may lack none then,
                       // asked for or not
    uint64_t from;     // of the newest busy time that the SM has booked; 0: none
    uint64_t idle;     // cycles of each of these lanes that the SM has booked
    uint64_t *periods; // idle periods of lanes that have ended, by length; [0]: meaningless
    const uint32_t *needed; // by warp: lanes that its next instruction needs
};

// Books an instruction that just these lanes execute: it enters the pipe in cycle `enters` and
// holds the lanes for `cycles`. Whether there is a gap before it follows no pattern, so nothing
// branches on it.
static inline void sm_lanes_book(struct sm_lane_pipe *x, uint64_t enters, uint64_t cycles) {
    const uint64_t at = enters + x->ahead, to = at + cycles,
                   idle = at > x->until ? at - x->until : 0;
    x->periods[idle < ACT_IDLE_LENGTHS - 1 ? idle : ACT_IDLE_LENGTHS - 1] += x->n;
    x->idle += idle;
    x->from = idle != 0 ? at : x->from;
    x->issues++;
    x->until = to > x->until ? to : x->until;
    x->off_from = x->until + x->window;
}

// Of `open` pipes, none of which has all lanes on that a warp needs, the one to ask for them: the
// first, but one whose missing lanes are all waking already comes before one that would have to be
// woken. Of two clusters, foremost and last are all that there are.
static inline uint32_t sm_lanes_ask(const struct sm_lane_pipe *x, uint32_t warp, uint64_t open) {
    const uint32_t a = bits_first64(open), b = bits_last64(open);
    const bool a_wakes = (x[a].asleep & x[a].needed[warp]) == 0,
               b_wakes = (x[b].asleep & x[b].needed[warp]) == 0;
    FOR_EACH_BIT64(p, open & ~(1ull << a | 1ull << b)) // never, with two clusters
        if (!a_wakes && (x[p].asleep & x[p].needed[warp]) == 0) return (uint32_t)p;
    return a ^ ((a ^ b) & (0 - (uint32_t)(!a_wakes & b_wakes)));
}

// Accesses, reads and writes, to the rows of the register file: when the last one was, and how many
// came soon after the one before. A row belongs to a warp slot, whichever warp holds it. The times
// are those that rf_access gives: planned, one for all rows that an instruction reads and one for
// all that it writes.
enum { SM_ROWS = 256 }; // of a warp slot
struct sm_rows {
    struct sm_row {
        uint64_t last; // cycle of the last access; SM_ROW_NEVER: there was none
        uint64_t gaps; // accesses at most `near` cycles after the one before
    } row[SM_ROWS][SM_MAX_WARPS];
    uint64_t near;
    // Any other access (a first one; one before the last, too) is told, and changes nothing but by
    // this.
    void (*other)(void *self, uint32_t warp, uint32_t reg, uint64_t cycle);
    void *self;
};
#define SM_ROW_NEVER (1ull << 63) // any cycle less this is no short gap
static inline void sm_rows_access(struct sm_rows *r, uint32_t warp, uint32_t reg, uint64_t cycle) {
    struct sm_row *const row = &r->row[reg][warp];
    if (ww_unlikely(cycle - row->last > r->near)) {
        r->other(r->self, warp, reg, cycle);
        return;
    }
    row->last = cycle;
    row->gaps++;
}

enum sm_warp_event { SM_WARP_LAUNCH, SM_WARP_EXIT };

// The order in which instructions issue by unit: each row one or two units, foremost first (one:
// named twice); units that stand in no row come last.
enum { SM_ORDER_ROWS = 3 };
struct sm_order { uint8_t unit[SM_ORDER_ROWS][2]; }; // enum unit_class
// Of `ready` warps, those of the foremost row that has any.
static inline uint64_t sm_order_first(const struct sm_order *o, const struct sm_view *v,
                                      uint64_t ready) {
    uint64_t first = ready;
    for (uint32_t i = SM_ORDER_ROWS; i-- > 0;) {
        const uint64_t of_row = ready & (v->needs[o->unit[i][0]] | v->needs[o->unit[i][1]]);
        first = of_row != 0 ? of_row : first;
    }
    return first;
}

// Two groups of the warps for INT and FP, those with all lanes active and those that miss one: a
// scheduler issues of its group as long as one is ready, and then goes on with the other. Other
// warps belong to both.
struct sm_groups {
    uint64_t partial[SM_MAX_SCHEDULERS]; // all bits: its group is those that miss one; else none
    uint64_t switches;                   // a scheduler has run out of its group
};
// Of `ready`, those of the scheduler's group. Only its first choice of a cycle among such warps
// changes groups (`*has_looked` says that it was; at first false): later ones are of what it could
// not have. Nothing branches here, there is no pattern to guess.
static inline uint64_t sm_groups_first(struct sm_groups *g, const struct sm_view *v,
                                       uint32_t scheduler, uint64_t ready, bool *has_looked) {
    const uint64_t of_sp = ready & (v->needs[UNIT_INT] | v->needs[UNIT_FP]);
    const uint64_t mine = of_sp & (v->full ^ g->partial[scheduler]);
    const bool runs_out = (mine == 0) & (of_sp != 0), changes = runs_out & !*has_looked;
    *has_looked |= of_sp != 0;
    g->partial[scheduler] ^= 0 - (uint64_t)changes;
    g->switches += changes;
    return (ready & ~of_sp) | mine | (of_sp & (0 - (uint64_t)runs_out));
}

struct sm_policy {
    const char *name;
    void *self;

    // Start of every simulated cycle, before anything issues; v->cycle has moved since the last
    // call and the view was constant in between.
    void (*cycle)(void *self, const struct sm_view *v);
    // Before this cycle `cycle` has nothing to do and is not called; NULL: it always is. A call in
    // a cycle before it must do no harm. May change in the policy's callbacks that are given the
    // view, but not in next_event and count.
    const uint64_t *cycle_at;
    // Units (bit mask of enum unit_class) without which it has something to do all the same; NULL:
    // none. It is called too in cycles in which for one of them all pipes are off or no warp of the
    // active set is: one whose next instruction is for the unit and waits for neither memory (but
    // with active_waits), a barrier, a fence, a sleep, a branch nor a constant. But where
    // `cycle_with` names a unit (NULL, UNIT_NONE: none) only while any warp is for that one; that
    // goes for cycle_at too. These change in `cycle`, `epoch` and `work` alone, and need cycle_at.
    const uint32_t *cycle_without, *cycle_with;
    // By unit, instead of cycle_with: a pipe, and it is called without a warp for the unit only
    // while that one holds no work, and not when all are off. Changes where cycle_without does, and
    // not without that or other pipes being off.
    const uint8_t *cycle_idle;
    // It has a turn too when other pipes are off than at the last (see `gate`). Needs cycle_at.
    bool cycle_gate;
    // It may be called in the turns of others too: it does less than finding out whose turn it is.
    bool cycle_any;
    // Nothing issued, the SM skips cycles behind this one, and in one of them `cycle` would have
    // had its turn: the last look at what the view says in all of them. Before it is called again,
    // things will have changed.
    void (*leave)(void *self, const struct sm_view *v);
    // The order in which a scheduler chooses among the issuable warps, ahead of `prefer`; one
    // policy of an SM at most has it. It may change in `cycle` and `epoch`.
    const struct sm_order *order;
    // Behind the order and ahead of `prefer`: groups; one policy of an SM at most has them. They
    // may change in `cycle` and `epoch`.
    struct sm_groups *groups;
    // Which of the issuable warps of a scheduler it should choose from; a subset of `ready`, 0 for
    // "none of them" (the slot is then owned by `policy`). The scheduler chooses within the subset.
    // Warps whose unit is held back are among them; when one of these is chosen, unit_wanted is
    // asked, and the choice is made again without that unit's warps.
    uint64_t (*prefer)(void *self, const struct sm_view *v, uint32_t scheduler, uint64_t ready);
    // By pipe: from when on it takes no instruction; NULL: all take some. What is off in a cycle is
    // found behind `cycle`. One policy of an SM at most has them; it says which pipes they are, the
    // others never go off.
    struct sm_gate *gate;
    uint64_t gated; // bit mask of sm_pipe_id
    // Whether the pipe may take an instruction in this cycle (a question only: nothing wakes).
    bool (*unit_on)(void *self, const struct sm_view *v, uint32_t pipe);
    // A scheduler came, in its order of choice, to a warp that would issue to this unit, whose free
    // pipes (`pipes`: bit mask of sm_pipe_id) are all held back; `ready` are all its warps of which
    // that is true. Asked in every simulated cycle in which that is so, and before the scheduler
    // goes on to warps of other units. Warps that the scheduler never comes to wake nothing.
    // Answers the first later cycle in which to look again (a wakeup's end), UINT64_MAX if some
    // other event will tell. With cluster_at entry no scheduler asks for INT and FP: each
    // instruction does that could enter one, oldest first, ahead of the schedulers; `ready` is its
    // warp.
    uint64_t (*unit_wanted)(void *self, const struct sm_view *v, uint32_t unit, uint64_t pipes,
                            uint64_t ready);
    // By unit (UNIT_N): before that cycle unit_wanted would do nothing and answer it, so it need
    // not be asked. Changes in unit_wanted alone. NULL: always to be asked; so it is, too, when
    // several policies have unit_wanted.
    const uint64_t *deaf_until;
    // Single lanes of INT and FP pipes. One policy of an SM at most looks at them: it has the next
    // five, and `cycle` with a cycle_at, which may change whenever it is called.
    struct sm_lane_pipe *lane_pipe; // by pipe
    // Which lanes are off is found only where somebody wants to know: a scheduler has warps for INT
    // (`type` 0) or FP (1), and lanes_look_at of the type, not above any off_from of its pipes, has
    // come.
    void (*lanes_look)(void *self, const struct sm_view *v, uint32_t type);
    const uint64_t *lanes_look_at;
    // The active lanes of a warp have changed (v->lanes).
    void (*lanes_changed)(void *self, const struct sm_view *v, uint32_t warp);
    // An instruction issues to an INT or FP pipe, which it enters in cycle `at`, and the SM does
    // not book it itself.
    struct sm_delay (*lanes_issue)(void *self, const struct sm_view *v, uint32_t warp,
                                   uint32_t pipe, uint32_t lanes, uint64_t at, uint32_t latency,
                                   uint32_t interval);
    // Where lanes are gated: pipes of which some lane is off (bit mask of sm_pipe_id). NULL: they
    // are not.
    const uint64_t *pipes_part;
    // A scheduler came to a warp for which none of its unit's free pipes has all lanes on, and it
    // is this one's turn to wake them (sm_lanes_ask; a pipe is asked once a cycle, and not again
    // while what was asked of it wakes). Sets `asked`, and in asked_on_at the cycle from which they
    // are on.
    void (*lanes_wanted)(void *self, const struct sm_view *v, uint32_t pipe, uint32_t lanes);
    // An instruction issues.
    void (*issue)(void *self, const struct sm_view *v, struct sm_issue *i);
    // A register row is read or written in `cycle` (planned: it may lie ahead) by lanes of a warp;
    // answers cycles that the access takes longer (a drowsy row wakes, a slow partition).
    uint32_t (*rf_access)(void *self, uint32_t warp, uint32_t reg, uint32_t bank, uint32_t lanes,
                          bool is_write, uint64_t cycle);
    // Rows that the SM counts and times by itself, for a policy that changes nothing by it: no call
    // for most accesses. One policy of an SM at most has them.
    struct sm_rows *rows;
    // What happens in a cache or shared memory (mem/event.h); answers extra cycles. `arrays` (bit
    // mask of enum mem_array; 0: all) are those that it wants to hear of; others may come too.
    uint32_t arrays;
    uint32_t (*array_access)(void *self, const struct cache_event *e);
    // A warp comes or goes, with the registers and the bytes of shared memory (of its CTA, on the
    // CTA's first and last warp, else 0) that come or go with it.
    void (*warp)(void *self, enum sm_warp_event e, uint32_t warp, uint32_t kernel_slot,
                 uint32_t registers, uint32_t shared_bytes, uint64_t cycle);
    // Every epoch_cycles core cycles while the SM holds work (0: never), in the cycle itself.
    uint32_t epoch_cycles;
    void (*epoch)(void *self, const struct sm_view *v, uint64_t cycle);
    // First cycle after v->cycle that must be simulated on this policy's account. Called at the end
    // of a simulated cycle in which nothing issued: what the view says then holds until the next.
    uint64_t (*next_event)(void *self, const struct sm_view *v);
    // The SM gets its first CTA and is busy from `cycle` on, or has been busy up to and without it.
    // Idle times and states count in between. At the first, all that was idle is idle since
    // `cycle`.
    void (*work)(void *self, const struct sm_view *v, bool begins, uint64_t cycle);
    // Adds the policy's counts, complete up to and without `now`, to those of the SM, in which its
    // busy cycles and its idle cycles stand already. While the SM holds no work time must add
    // nothing to them.
    void (*count)(const void *self, const struct sm_view *v, struct activity *a, uint64_t now);
};

enum { SM_MAX_POLICIES = 8 };

// The view of an SM, for tests and for policies that look at it outside of callbacks.
const struct sm_view *sm_view_of(const struct sm *s);

#endif
