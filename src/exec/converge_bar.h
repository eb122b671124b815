// Barrier registers: what the decoder of machine code of compute capability 7.0 and later gives an
// instruction that uses them (converge_bar.c). The record's fields, beside guard:
//
//   sub   which register, 0 to 15
//   c     a predicate that a lane needs too, as the words of BSSY, BSYNC and BREAK have one
//   a, b  sources; d a destination or a target
//
// No handler moves the pc by itself: `advance` is 0.
#ifndef WW_EXEC_CONVERGE_BAR_H
#define WW_EXEC_CONVERGE_BAR_H

#include "exec/converge.h"

enum { BAR_REGISTERS = 16, CODE_WORD_BYTES = 16 };
enum bar_fn {
    BAR_BSSY,   // register sub = the executing lanes. d: where they meet, for messages
    BAR_BSYNC,  // lanes of register sub wait for the others of it, then go on together
    BAR_BREAK,  // the executing lanes leave register sub
    BAR_READ,   // BMOV d, register sub; aux8 1: .CLEAR. d X_NONE: dropped
    BAR_WRITE,  // BMOV register sub, a
    BAR_YIELD,  // other lanes have a turn; barriers do not wait for these until they run again
    BAR_DIV,    // BRA.DIV: to d if lanes of the mask a are elsewhere (cmp MCMP_NE); .CONV: if none
                // is (MCMP_EQ)
    BAR_GATHER, // WARPSYNC sub (enum msync): executing lanes wait for the others of the mask a that
    // each of them has, then go on together and apart from other lanes. Of .COLLECTIVE d is
    // where a lane goes at BAR_END
    BAR_END,  // ENDCOLLECTIVE
    BAR_JUMP, // BRX, JMX, CALL and RET through registers: to code address a (awords words) +
              // offset, 16 bytes an instruction, 0 the image's first; each lane its own
    BAR_NOP,  // for the race check: the executing lanes meet
    BAR_FNS
};
// Makes `x` an instruction of this kind and answers its handler.
exec_fn bar_choose(enum bar_fn f, struct xinst *x);

#endif
