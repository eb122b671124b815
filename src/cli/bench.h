// Kernels of `warpwatt bench` that are no workloads.
#ifndef WW_CLI_BENCH_H
#define WW_CLI_BENCH_H

#include "cli/cli.h"
#include "gpu/gpu.h"

struct bench_figures {
    double host_s, user_s; // of the launch
    uint64_t cycles, warp, thread; // instructions of warps, of threads
    double products;       // multiply-adds of matrices
};
// Runs the kernel of that name (gemm, stream) on h100, with one host thread, and compares what it leaves.
enum ww_status bench_hopper(struct cli *c, const char *name, bool functional, struct bench_figures *f);

#endif
