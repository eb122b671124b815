// Launches of the kernels of hopper.cu: maps of A and B for their copies, and blocks in clusters.
#include "hopper.h"

#include "blas.h"

// The map of a matrix of `along` elements a line and `lines` of them. A box is as long as a line of a slice, 128 bytes, and has
// `box_lines` where k lies together.
static CUresult map_of(CUtensorMap *map, const struct gemm_matrix *x, int type, bool is_deep,
                       uint32_t box_lines, int32_t along, int32_t lines, uint32_t count,
                       uint32_t *of_batch) {
    const uint64_t bytes = blas_type_bytes(type), line = (uint64_t)x->lead * bytes;
    const bool is_one = count == 1 || !x->step;
    const cuuint64_t size[3] = {(uint64_t)along, (uint64_t)lines, is_one ? 1 : count};
    const cuuint64_t stride[2] = {line,
                                  is_one ? line * (uint64_t)lines : (uint64_t)x->step * bytes};
    const cuuint32_t box[3] = {(cuuint32_t)(HOPPER_DEEP / bytes),
                               is_deep ? box_lines : (cuuint32_t)(HOPPER_DEEP / bytes), 1};
    *of_batch = !is_one;
    return cuTensorMapEncodeTiled(
        map,
        type == TYPE_R_16F    ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
        : type == TYPE_R_16BF ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
        : type == TYPE_R_32F  ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 // rounds
                              : CU_TENSOR_MAP_DATA_TYPE_UINT8,
        3, (void *)(uintptr_t)(x->at + (uint64_t)x->first * bytes), size, stride, box,
        (const cuuint32_t[3]){1, 1, 1}, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static bool has_map(const struct gemm_matrix *x, int64_t lines, uint32_t count) {
    enum { FAR = 1 << 30 }; // elements of a step, whose bytes a map has room for
    return !x->is_list && x->lead < FAR && x->lead * lines < ((int64_t)FAR << 8) &&
           (count == 1 || !x->step ||
            (x->step >= x->lead * lines && x->step < ((int64_t)FAR << 8)));
}

bool hopper_fits(int op_a, int op_b, const struct gemm *g, uint32_t count) {
    enum { MOST = 65534 };
    return count <= MOST / HOPPER_PARTS && (g->n + HOPPER_N - 1) / HOPPER_N <= MOST &&
           has_map(&g->a, blas_swaps(op_a) ? g->m : g->k, count) &&
           has_map(&g->b, blas_swaps(op_b) ? g->k : g->n, count);
}

bool hopper_has_room(CUfunction kernel, uint32_t tile_m, uint32_t splits) {
    int blocks = 0;
    const CUlaunchConfig config = {.gridDimX = 1,
                                   .gridDimY = HOPPER_PAIR,
                                   .gridDimZ = splits,
                                   .blockDimX = HOPPER_THREADS,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = HOPPER_SHARED(tile_m)};
    return cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              (int)HOPPER_SHARED(tile_m)) == CUDA_SUCCESS &&
           cuOccupancyMaxPotentialClusterSize(&blocks, kernel, &config) == CUDA_SUCCESS &&
           blocks >= HOPPER_PAIR * (int)splits;
}

blas_status hopper_launch(CUfunction kernel, CUstream stream, int op_a, int op_b, int type,
                          const struct gemm *g, uint32_t count, uint32_t tile_m) {
    struct hopper_gemm p = {.g = *g};
    CUtensorMap a, b;
    const bool deep_a = blas_swaps(op_a), deep_b = !blas_swaps(op_b);
    CUresult r = map_of(&a, &g->a, type, deep_a, tile_m / HOPPER_PAIR, deep_a ? g->k : g->m,
                        deep_a ? g->m : g->k, count, &p.batch_a);
    if (r == CUDA_SUCCESS)
        r = map_of(&b, &g->b, type, deep_b, HOPPER_N, deep_b ? g->k : g->n, deep_b ? g->n : g->k,
                   count, &p.batch_b);
    if (r == CUDA_SUCCESS)
        r = cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               (int)HOPPER_SHARED(tile_m));
    if (r != CUDA_SUCCESS) return blas_of(r);
    _Static_assert(sizeof a == sizeof p.map_a, "a map is 128 bytes");
    __builtin_memcpy(p.map_a, &a, sizeof a);
    __builtin_memcpy(p.map_b, &b, sizeof b);
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    cluster.value.clusterDim.x = 1;
    cluster.value.clusterDim.y = HOPPER_PAIR;
    cluster.value.clusterDim.z = g->splits;
    const uint32_t columns = (uint32_t)((g->n + HOPPER_N - 1) / HOPPER_N);
    const CUlaunchConfig config = {.gridDimX = ((uint32_t)g->m + tile_m - 1) / tile_m,
                                   .gridDimY =
                                       (columns + HOPPER_PAIR - 1) / HOPPER_PAIR * HOPPER_PAIR,
                                   .gridDimZ = count * g->splits,
                                   .blockDimX = HOPPER_THREADS,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = HOPPER_SHARED(tile_m),
                                   .hStream = stream,
                                   .attrs = &cluster,
                                   .numAttrs = 1};
    void *params[] = {&p};
    return blas_of(cuLaunchKernelEx(&config, kernel, params, NULL));
}

static bool is_turned(int op, bool is_a) { return blas_swaps(op) != is_a; }
static int32_t lines_of(const struct gemm *g, bool is_a) { return is_a ? g->m : g->n; }
static uint64_t bytes_turned(const struct gemm *g, const struct gemm_matrix *x, bool is_a,
                             uint32_t count) {
    const uint64_t lead = ((uint64_t)g->k + 3) / 4 * 4,
                   bytes = lead * (uint64_t)lines_of(g, is_a) * sizeof(float);
    return bytes * (x->step ? count : 1);
}

double hopper_turn_cycles(const struct blas_handle *h, int op_a, int op_b, const struct gemm *g,
                          uint32_t count) {
    enum {
        RATE = 20,
        MOST = 800,
        START = 3000
    }; // bytes a cycle: of a multiprocessor, of memory; a launch
    const double rate = RATE * h->sms < MOST ? RATE * h->sms : MOST;
    double cycles = 0;
    for (int is_a = 0; is_a < 2; is_a++)
        if (is_turned(is_a ? op_a : op_b, is_a))
            cycles += START + (double)bytes_turned(g, is_a ? &g->a : &g->b, is_a, count) / rate;
    return cycles;
}

static blas_status turn(CUfunction kernel, CUstream stream, const struct gemm *g,
                        struct gemm_matrix *x, bool is_a, uint32_t count, uint64_t to) {
    const int64_t lead = ((int64_t)g->k + 3) / 4 * 4;
    const uint32_t of = x->step ? count : 1;
    const struct hopper_turn t = {.from = x->at + (uint64_t)x->first * sizeof(float),
                                  .to = to,
                                  .lead = x->lead,
                                  .turned_lead = lead,
                                  .step = x->step,
                                  .turned_step = lead * lines_of(g, is_a),
                                  .along_l = lines_of(g, is_a),
                                  .along_k = g->k};
    *x = (struct gemm_matrix){.at = to, .lead = lead, .step = x->step ? t.turned_step : 0};
    return blas_launch(kernel,
                       (const uint32_t[3]){((uint32_t)t.along_l + HOPPER_TURN - 1) / HOPPER_TURN,
                                           ((uint32_t)t.along_k + HOPPER_TURN - 1) / HOPPER_TURN,
                                           of},
                       HOPPER_TURN_THREADS, &t, sizeof t, stream);
}

blas_status hopper_launch_turned(struct blas_handle *h, CUfunction kernel, CUstream stream,
                                 int op_a, int op_b, const struct gemm *g, uint32_t count,
                                 uint32_t tile_m) {
    struct gemm now = *g;
    uint64_t bytes[2] = {0}, all = 0; // of B, of A
    for (int is_a = 0; is_a < 2; is_a++) {
        if (is_turned(is_a ? op_a : op_b, is_a))
            bytes[is_a] = bytes_turned(g, is_a ? &g->a : &g->b, is_a, count);
        all += (bytes[is_a] + 255) / 256 * 256;
    }
    CUdeviceptr work = 0;
    CUfunction turns = NULL;
    blas_status s = CUBLAS_SUCCESS;
    if (all) s = blas_kernel(h, BLAS_gt, "turn_lines", &turns);
    if (all && !s) s = blas_of(cuMemAllocAsync(&work, all, stream));
    if (s) return s;
    uint64_t to = work;
    for (int is_a = 0; is_a < 2 && !s; is_a++) {
        if (bytes[is_a]) s = turn(turns, stream, g, is_a ? &now.a : &now.b, is_a, count, to);
        to += (bytes[is_a] + 255) / 256 * 256;
    }
    if (!s)
        s = hopper_launch(kernel, stream, OPERATION_T, OPERATION_N, TYPE_R_32F, &now, count,
                          tile_m);
    if (!work) return s;
    const blas_status freed = blas_of(cuMemFreeAsync(work, stream));
    return s ? s : freed;
}
