#ifndef MEASURE_MEMORY_H
#define MEASURE_MEMORY_H
#include "measure.h"

void chase_kernels(struct kernels *list);
void chase_run(struct kit *k);
void bandwidth_kernels(struct kernels *list);
void bandwidth_run(struct kit *k);
void l2map_kernels(struct kernels *list);
void l2map_run(struct kit *k);

#endif
