// The inside of a group of SMs (group.h), for group.c and step_group.c.
#ifndef WW_SM_GROUP_INT_H
#define WW_SM_GROUP_INT_H

#include "activity/sm.h"
#include "sm/group.h"
#include "sm/sm_state.h"

// Bits of packets (section II-E). A branch has a second one of the size of an instruction's, with
// the master's mask. It leaves when the branch has been executed, in a slot of the link that no
// instruction takes, but ahead of the next instruction of its warp: what follows on the link can
// then be left undone in a slave whose mask is another.
enum { INST_PACKET = 64, MEM_PACKET = 16, CONTROL_PACKET = 4 };

struct group_link {
    uint32_t um;
    uint32_t delay;    // core cycles, at least one, after which the master hears of a result
    uint64_t ack_free; // cycle of the link's clock in which the way to the master is free
};

struct group_mask {
    uint64_t due; // the cycle in which its branch is executed
    uint32_t warp;
};

struct sm_group {
    enum sm_group_state state;
    uint32_t n;
    struct sm *member[SM_MAX_GROUP]; // [0]: the master
    struct group_link link[SM_MAX_GROUP];
    uint64_t link_free; // of the ways from the master, which carry the same packets
    struct group_mask
        mask[SM_MAX_WARPS]; // that have not left, the oldest first: one a warp at most
    uint32_t n_masks;
    uint32_t communicate; // core cycles between issue and operand read
    uint64_t ramp_end;    // not before this cycle
    uint64_t forced;      // sm_group_ungroup_at; NEVER: not
    struct sm_group_config c;
};

// Simulates cycle t of a group that shares or ramps down; the members' alarms say the next.
void step_cycle_group(struct sm_group *g, uint64_t t);

// step_group.c: what a turn of the master's scheduler sc asks of the group (step_turn.h). Of `own`
// warps, which the master could issue, those that every member can; brings the master's sets of
// warps up to date; an instruction's packet may leave in cycle t; the slaves' slots have the owner
// that the master's has.
uint64_t group_ready(struct sm_group *g, uint64_t own);
void group_prepare(struct sm_group *g, uint32_t sc);
bool group_link_takes(const struct sm_group *g, uint64_t t);
void group_follow_stall(struct sm_group *g, uint32_t sc, uint64_t t);

// Sharing ends in cycle t, between instructions.
void group_split(struct sm_group *g, uint64_t t);
// The ramp is over: all run alone from cycle t on.
void group_part(struct sm_group *g, uint64_t t);
// The way to a slave, or from it, carries `packets` of `bits`.
static inline void group_sent(struct sm_group *g, uint32_t rank, uint32_t counter, uint32_t packets,
                              uint32_t bits) {
    uint64_t *const c = g->member[rank]->act.c;
    c[counter] += packets;
    c[ACT_cluster_bit_um] += (uint64_t)packets * bits * g->link[rank].um;
}

// A result that is written in `at`: the cycle in which the scoreboard that counts, the master's,
// lets instructions that wait for it issue. A slave's access to memory takes an acknowledgement
// there.
static inline uint64_t group_acknowledge(struct sm *s, const struct sm_inst *in, uint64_t at) {
    if (!s->shared.front_is_off || !(in->flags & SI_MEM)) return at;
    struct sm_group *const g = s->group;
    struct group_link *const l = &g->link[s->rank];
    const uint64_t leaves = max64(at * g->c.link_cycles, l->ack_free);
    l->ack_free = leaves + 1;
    group_sent(g, s->rank, ACT_cluster_mem_packets, 1, MEM_PACKET);
    return leaves / g->c.link_cycles + l->delay;
}

// What a slave's scoreboard and buffer stand for is the master's, and is counted there.
static inline void group_freeze(struct sm *s) {
    s->act.c[ACT_scoreboard_reads] = s->shared.checks_at;
    s->act.c[ACT_ibuffer_flushes] = s->shared.flushes_at;
}

#endif
