#ifndef MEASURE_KERNELS_RUN_H
#define MEASURE_KERNELS_RUN_H
#include "measure.h"

void kernels_kernels(struct kernels *list);
void kernels_run(struct kit *k);

#endif
