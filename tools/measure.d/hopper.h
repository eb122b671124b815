#ifndef MEASURE_HOPPER_H
#define MEASURE_HOPPER_H
#include "measure.h"

void async_kernels(struct kernels *list);
void async_run(struct kit *k);
void hopper_kernels(struct kernels *list);
void hopper_run(struct kit *k);

#endif
