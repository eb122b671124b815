// What an SM shows of itself to techniques and tests: warps as bits of masks, and its pipelines.
#ifndef WW_SM_VIEW_H
#define WW_SM_VIEW_H

#include "activity/activity.h"
#include "isa/op_class.h"
#include "sm/sizes.h"
#include "sm/sm.h"

// Execution pipelines, one number each: INT and FP of lane group c are SM_PIPE_INT + c and
// SM_PIPE_FP + c, SFU i is SM_PIPE_SFU + i, DP unit i is SM_PIPE_DP + i,
// tensor unit i SM_PIPE_TENSOR + i, uniform datapath i SM_PIPE_UNIFORM + i.
enum sm_pipe_id {
    SM_PIPE_INT = 0,
    SM_PIPE_FP = SM_PIPE_INT + SM_MAX_LANE_GROUPS,
    SM_PIPE_SFU = SM_PIPE_FP + SM_MAX_LANE_GROUPS,
    SM_PIPE_DP = SM_PIPE_SFU + 8,
    SM_PIPE_LDST = SM_PIPE_DP + 8,
    SM_PIPE_TEX,
    SM_PIPE_TENSOR,
    SM_PIPE_UNIFORM = SM_PIPE_TENSOR + 8,
    SM_PIPES = SM_PIPE_UNIFORM + SM_MAX_SUB_CORES
};
enum { SM_LANE_PIPES = SM_PIPE_SFU }; // INT and FP pipes, whose lanes may be looked at one by one

struct sm_pipe {
    _Alignas(64) uint64_t free_at; // first cycle in which the scheduler may issue to it, or
                                   // (lane_group_at entry) one may enter
    uint64_t enter_at;             // first cycle in which it can take in the next instruction
    uint64_t busy_from;   // it held or will hold work in [busy_from, busy_until), its newest busy
    uint64_t busy_until;  // period; idle since busy_until once that is past
    uint64_t busy_cycles; // length of all busy periods, the newest included
    uint64_t issues;
    uint64_t sent_until; // the cycle after the last in which one was sent
    uint64_t bubbles;    // see ACT_bubble_cycles
};
_Static_assert(sizeof(struct sm_pipe) == 64, "a pipeline is a line of the host's cache");

// What the SM knows in a cycle. A warp slot is a bit in the masks.
struct sm_view {
    uint64_t cycle;
    uint64_t before;   // the cycle that was simulated before this one
    uint64_t resident; // holds a warp that has not exited
    uint64_t decoded;  // its next instruction is in the instruction buffer
    uint64_t go;     // ... with operands and without barrier, fence, sleep or branch in the way: it
                     // waits for a unit and a scheduler at most
    uint64_t active; // two-level: the active set; other schedulers: resident
    bool active_waits;  // warps that wait for memory may be in the active set
    uint64_t wait_mem;  // next instruction waits for memory (shared memory included)
    uint64_t wait_long; // ... for memory beyond shared memory and constants in their cache
    uint64_t stops;     // waits in an instruction that may take long: a barrier, a fence, a sleep
    uint64_t needs[UNIT_N];           // by unit of the next instruction (of decoded warps)
    uint64_t mine[SM_MAX_SCHEDULERS]; // warps of a scheduler: slot mod schedulers
    uint32_t schedulers;
    struct sm_pipe pipe[SM_PIPES];
    uint64_t unit_free_at[UNIT_N]; // earliest free_at of the unit's pipes
    uint8_t pipe_first[UNIT_N], pipe_n[UNIT_N];
    // The rest is kept only while techniques are set, or lane groups are chosen at entry.
    uint32_t accesses[2]; // that the LD/ST and the texture unit hold: while there is one the unit
                          // works, and busy_until tells only afterwards
    uint64_t issued;      // instructions
    uint64_t full;        // warps of which all lanes are active
    uint32_t lanes[SM_MAX_WARPS]; // active lanes of the warp, before its next instruction's guard
};

// The view of an SM, for tests and for techniques that look at it outside of their ports.
const struct sm_view *sm_view_of(const struct sm *s);

#endif
