// What is counted: the contract between performance and power. Every counter stands once, in the
// files that counters.def lists; file formats, power inputs and the reference page come from it.
//
// Counters have numbers by room: mem.h and sm.h give those of a room to whoever counts or pays; each
// part of a technique says its own in its file (savings/part.h). This header knows no counter, so a
// new one compiles nothing anew that only carries, adds or shows them; rooms above gpu ask by name.
#ifndef WW_ACTIVITY_H
#define WW_ACTIVITY_H

#include <assert.h>

#include "base/base.h"

enum {
    ACT_MAX_BANKS = 32, // register banks counted one by one
    ACT_STALLS = 20,    // reasons of stall.def, padded
    // Lengths of idle periods that are counted one by one; the last counter takes the longer ones.
    ACT_IDLE_LENGTHS = 64,
    ACT_ARRAYS = 6, // L1 data, constant, texture, instruction cache, shared memory, L2
    ACT_PRODUCT_CLASSES = 5, // operation classes of warp groups' products, from OPC_GMMA_16 on
    ACT_METER_BINS = 16, // powers of two that the meters count one by one
    // Execution pipelines as power sees them: INT of lane group 0..7, FP of lane group 0..7, all
    // SFUs, all DP units, LD/ST, texture, all tensor cores.
    ACT_INT_DOMAIN = 0,
    ACT_FP_DOMAIN = 8,
    ACT_SFU_DOMAIN = 16,
    ACT_DP_DOMAIN,
    ACT_LDST_DOMAIN,
    ACT_TEX_DOMAIN,
    ACT_TENSOR_DOMAIN,
    ACT_DOMAINS
};

// Numbers that a room may give to its counters. Those that it has not given count nothing.
enum {
    ACT_SM_ROOM = 895,
    ACT_MEM_ROOM = 96,
    ACT_SAVINGS_ROOM = 832,
    ACT_SM_FIRST = 1, // 0 is no counter
    ACT_MEM_FIRST = ACT_SM_FIRST + ACT_SM_ROOM,
    ACT_SAVINGS_FIRST = ACT_MEM_FIRST + ACT_MEM_ROOM,
    ACT_N = ACT_SAVINGS_FIRST + ACT_SAVINGS_ROOM
};

struct activity {
    uint64_t c[ACT_N];
};

// Where lists have the counters of techniques.
enum act_place {
    ACT_PLACE_LAST, // behind all others
    ACT_PLACE_REGISTERS,
    ACT_PLACE_UNITS,
    ACT_PLACE_LINES,
    ACT_PLACE_METERS
};
// A counter that a part of a technique says of itself: `at` is its number from the part's first on.
struct act_own {
    uint32_t at, n; // n: numbers in a row; 0: one
    const char *name, *unit, *component, *prose;
    const char *free; // why it costs no energy; NULL: an effect of the part has it
};
struct act_part {
    enum act_place place;
    const struct act_own *row;
    uint32_t n, first; // rows; number of the first counter
};
// The i-th part that has counters; false: there are no more. Room savings has this function; where
// a program links no techniques, no_parts.c stands in for it.
bool act_part(uint32_t i, struct act_part *out);

struct act_info {
    const char *name, *unit, *component, *prose;
    uint32_t first, n; // number of the counter, and how many numbers it has in a row
    const char *free;  // why it costs no energy; NULL: it does, or power/free.def says why not
};
// Rows of all counters, one a counter (arrays are one row), in the order of counters.def.
uint32_t act_rows(void);
const struct act_info *act_row(int64_t row); // NULL: there is no such row
int act_find(const char *name);  // row, or -1
int act_row_of(uint32_t number); // row of the counter that has the number, or -1
// What the entries of a row's array are counted by, beside their number.
enum act_by { ACT_BY_NUMBER, ACT_BY_CLASS /* op_class.def */, ACT_BY_STALL /* stall.def */ };
enum act_by act_entries(uint32_t row);

// The number of a counter that is there: a name that no counter has is an error of the caller. A test
// finds it: it asks every name that stands as a text in such a call, or in ACT_NAME, in a table.
#define ACT_NAME(text) text
uint32_t act_number(const char *name);
uint32_t act_last(const char *name); // the last number of an array, else its only one
// A counter by name, which is no array; the entries of an array added up; entry i of an array.
uint64_t act_get(const struct activity *a, const char *name);
uint64_t act_sum(const struct activity *a, const char *name);
uint64_t act_at(const struct activity *a, const char *name, uint32_t i);
void act_put(struct activity *a, const char *name, uint64_t value);
static inline double act_real(const struct activity *a, const char *name) {
    return (double)act_get(a, name);
}

void activity_add(struct activity *sum, const struct activity *a);
void activity_sub(struct activity *difference, const struct activity *a);
// Into `out`, which is none of the others: the sum of two, and what `to` has more than `from`.
void activity_set_sum(struct activity *restrict out, const struct activity *a,
                      const struct activity *b);
void activity_set_span(struct activity *restrict out, const struct activity *from,
                       const struct activity *to);

#endif
