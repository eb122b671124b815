#ifndef MEASURE_RATES_H
#define MEASURE_RATES_H
#include "measure.h"

enum { RATE_STATEMENTS = 128 }; // of a loop
struct rate {
    const char *name, *statement;
    int size, needs, pairs;
};
void rates_sustained(struct kernels *list, const struct rate *r);

void rates_kernels(struct kernels *list);
void rates_run(struct kit *k);
void pairs_kernels(struct kernels *list);
void pairs_run(struct kit *k);
void subcores_kernels(struct kernels *list);
void subcores_run(struct kit *k);

#endif
