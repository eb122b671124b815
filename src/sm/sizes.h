// How large an SM may be: what arrays have room for.
#ifndef WW_SM_SIZES_H
#define WW_SM_SIZES_H

enum { SM_MAX_LANE_GROUPS = 8, SM_MAX_SCHEDULERS = 8, SM_MAX_WARPS = 64, SM_MAX_CTAS = 32 };
enum { SM_MAX_SUB_CORES = 4 };
enum { SM_MAX_COLLECTORS = 64, SM_MAX_COLLECTOR_QUEUE = 16 }; // of a kind
enum { SM_MAX_MEMORY_QUEUE = 16 };

#endif
