#ifndef MEASURE_ACCESS_H
#define MEASURE_ACCESS_H
#include "measure.h"

void banks_kernels(struct kernels *list);
void banks_run(struct kit *k);
void constants_kernels(struct kernels *list);
void constants_run(struct kit *k);
void atomics_kernels(struct kernels *list);
void atomics_run(struct kit *k);
void code_kernels(struct kernels *list);
void code_run(struct kit *k);
void branches_kernels(struct kernels *list);
void branches_run(struct kit *k);

#endif
