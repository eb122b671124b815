// What the parts of measure.def are called, and the commands that read results.
#ifndef MEASURE_PARTS_H
#define MEASURE_PARTS_H
#include "access.h"
#include "bits.h"
#include "hopper.h"
#include "kernels_run.h"
#include "measure.h"
#include "memory.h"
#include "power.h"
#include "programs.h"
#include "rates.h"
#include "tensor.h"

void device_run(struct kit *k);
void functions_kernels(struct kernels *list);
void functions_run(struct kit *k);

// Ends a part's process: what it asks is not there.
_Noreturn void kit_leave(const char *why);
int compare(const char *a, const char *b); // which operations differ between two folders, and where
int print_operands(const char *kind);
// Rows for a study's published.csv, to standard output.
int publish_results(const char *folder, const char *study, bool blind);

#endif
