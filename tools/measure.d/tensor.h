#ifndef MEASURE_TENSOR_H
#define MEASURE_TENSOR_H
#include "measure.h"

void tensor_kernels(struct kernels *list);
void tensor_run(struct kit *k);

#endif
