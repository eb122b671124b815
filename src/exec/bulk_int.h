// What bulk.c and mbarrier.c share with the choice of handlers.
#ifndef WW_EXEC_BULK_INT_H
#define WW_EXEC_BULK_INT_H

#include "exec/mem.h"

enum mbarrier_fn { MBARRIER_ARRIVE, MBARRIER_PHASE, MBARRIER_ARRIVE_LATER };
enum bulk_fn { BULK_BLOCK, BULK_TENSOR, BULK_FENCE, BULK_MAP };
extern const exec_fn mbarrier_fns[], bulk_fns[];

#endif
