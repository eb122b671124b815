#ifndef MEASURE_POWER_H
#define MEASURE_POWER_H
#include "measure.h"

void power_kernels(struct kernels *list);
void power_run(struct kit *k);

#endif
