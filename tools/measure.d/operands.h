// Operands of the bit tests; operands.c says how they are drawn.
#ifndef MEASURE_OPERANDS_H
#define MEASURE_OPERANDS_H
#include "measure.h"

// Indices below it pair edges with edges. Behind them lie 65536 more.
enum { OPERAND_EDGES = 1024, OPERAND_POINTS = OPERAND_EDGES + 65536 };

unsigned operand_bytes(char kind);                       // 2, 4 or 8
uint64_t operand(char kind, char place, uint32_t index); // its bits
void operand_column(void *to, char kind, char place, uint32_t count);

#endif
