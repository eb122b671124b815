// Control bits: what the instructions of machines without a scoreboard say of when the next one may
// issue (control.c sets them, control_verify.c checks them).
#ifndef WW_ISA_CONTROL_H
#define WW_ISA_CONTROL_H

#include "isa/cfg.h"
#include "isa/operands.h"

// Registers, predicates, predicates as guards (which see a result later than operands do), barrier and
// uniform registers as one row of slots.
enum {
    CONTROL_PRED = MAX_GPRS,
    CONTROL_GUARD = CONTROL_PRED + PRED_FILE,
    CONTROL_SLOTS = CONTROL_GUARD + PRED_TRUE, // of our compiler's code
    CONTROL_UGUARD = CONTROL_SLOTS,            // uniform predicates as guards
    CONTROL_BARRIER = CONTROL_UGUARD + MAX_PREDS,
    CONTROL_UGPR = CONTROL_BARRIER + MAX_BARRIERS,
};

// Whether its result comes at a time that the code does not know, and its operands are read late.
bool control_is_variable(const struct code_latencies *l, const struct minst *m);
// Whether the warp's results must all be there, and its counters down, before it issues: calls and
// returns, behind which any code may stand.
static inline bool control_drains(const struct minst *m) {
    return m->op == OP_CALL || m->op == OP_CALLI || m->op == OP_RET;
}
// Cycles until a result that needs no counter, `slot`, may be used, and at least until the warp's
// next issue.
uint32_t control_latency(const struct code_latencies *l, const struct minst *m, uint32_t slot);
// Cycles more than that until `taker` may read it as a source, `maker` being the class that has made
// it (minst_timing), or MAKERS for one of several; and the most that there can be.
enum { MAKERS = OPC_N };
// `early`: that it may be read sooner instead (a real compiler's code has it so; ours leaves it).
uint32_t control_extra(const struct code_latencies *l, uint32_t maker, const struct minst *taker,
                       uint32_t slot);
uint32_t control_early(const struct code_latencies *l, const struct minst *maker,
                       const struct minst *taker, uint32_t slot);
uint32_t control_most_extra(const struct code_latencies *l);
uint32_t control_elapsed(const struct code_latencies *l, const struct minst *m, uint32_t stall);

// Slots that an instruction reads and writes, fillers too (they wait as what they stand for does).
enum { CONTROL_MAX_OPERANDS = ISA_MAX_REFS + MAX_PREDS };
struct control_operands {
    uint16_t read[CONTROL_MAX_OPERANDS], write[CONTROL_MAX_OPERANDS];
    uint32_t n_reads, n_writes;
};
void control_operands(const struct minst *m, struct control_operands *o);

// Fills im->control of a linked image. `scratch` is for working memory.
void control_set(struct code_image *im, struct arena *scratch);

// Whether some path through the image lets an operand be read before it is there, or a register be
// written while something before it still reads or writes it. Calls `report` for each such place.
void control_verify(const struct code_image *im, struct arena *scratch,
                    void (*report)(void *user, uint32_t pc, const char *what), void *user);

#endif
