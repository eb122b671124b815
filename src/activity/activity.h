// What is counted: the contract between performance and power. Every counter stands once in
// activity.def; structs, file formats, power inputs and the reference page come from it.
#ifndef WW_ACTIVITY_H
#define WW_ACTIVITY_H

#include "base/base.h"
#include "code/op_class.h"

enum {
    ACT_MAX_BANKS = 32, // register banks counted one by one
    ACT_STALLS = 20,    // reasons of stall.def, padded
    // Lengths of idle periods that are counted one by one; the last counter takes the longer ones.
    ACT_IDLE_LENGTHS = 64,
    ACT_ARRAYS = 6, // L1 data, constant, texture, instruction cache, shared memory, L2
    ACT_METER_BINS = 16, // powers of two that the meters count one by one
    // Execution pipelines as power sees them: INT of cluster 0..7, FP of cluster 0..7, all SFUs,
    // all DP units, LD/ST, texture, all tensor cores.
    ACT_INT_DOMAIN = 0,
    ACT_FP_DOMAIN = 8,
    ACT_SFU_DOMAIN = 16,
    ACT_DP_DOMAIN,
    ACT_LDST_DOMAIN,
    ACT_TEX_DOMAIN,
    ACT_TENSOR_DOMAIN,
    ACT_DOMAINS
};

// Why a scheduler's issue slot was not used; each scheduler cycle has exactly one owner.
enum stall_reason {
#define STALL(name, prose) STALL_##name,
#include "activity/stall.def"
#undef STALL
    STALL_N
};
const char *stall_text(enum stall_reason r);

// ACT(name, unit, component, "prose"): one counter. ACTV(name, n, ...): n counters in a row.
enum act {
#define ACT(name, unit, component, prose) ACT_##name,
#define ACTV(name, n, unit, component, prose) ACT_##name, ACT_##name##_end = ACT_##name + (n) - 1,
#include "activity/activity.def"
#undef ACT
#undef ACTV
    ACT_N
};

struct activity {
    uint64_t c[ACT_N];
};

struct act_info {
    const char *name, *unit, *component, *prose;
    uint32_t first, n; // index in activity.c and how many
};
// One row a counter (arrays are one row). Terminated by name == NULL.
extern const struct act_info act_info[];
extern const uint32_t act_info_n;
int act_find(const char *name); // row, or -1

void activity_add(struct activity *sum, const struct activity *a);
void activity_sub(struct activity *difference, const struct activity *a);
// Into `out`, which is none of the others: the sum of two, and what `to` has more than `from`.
void activity_set_sum(struct activity *restrict out, const struct activity *a,
                      const struct activity *b);
void activity_set_span(struct activity *restrict out, const struct activity *from,
                       const struct activity *to);

#endif
