#ifndef MEASURE_PROGRAMS_H
#define MEASURE_PROGRAMS_H
#include "measure.h"

void workloads_run(struct kit *k);
void counters_run(struct kit *k);
void profile_run(struct kit *k);

#endif
