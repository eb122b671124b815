// Launches and occupancy.
#include "isa/image.h"
#include "driver/graph.h"

// ---- launches ----------------------------------------------------------------------------------
static CUresult gather(CUfunction f, void **params, void **extra, uint8_t *block, uint32_t *bytes) {
    const struct code_param *p;
    uint32_t n;
    const enum ww_status s = gpu_kernel_params(f->kernel, process_diags(), &p, &n);
    if (s != WW_OK) return driver_result(s);
    if (params && extra) return CUDA_ERROR_INVALID_VALUE;
    *bytes = n ? p[n - 1].offset + p[n - 1].bytes : 0;
    if (*bytes > GPU_PARAM_BYTES) return CUDA_SUCCESS; // gpu_launch says why it takes none of them
    memset(block, 0, *bytes);
    if (params) {
        for (uint32_t i = 0; i < n; i++) {
            if (!params[i]) return CUDA_ERROR_INVALID_VALUE;
            memcpy(block + p[i].offset, params[i], p[i].bytes);
        }
        return CUDA_SUCCESS;
    }
    if (!extra) return n ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    const void *buffer = NULL;
    size_t size = 0;
    for (void **e = extra; *e != CU_LAUNCH_PARAM_END; e += 2) {
        if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = e[1];
        else if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(const size_t *)e[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (!buffer || size < *bytes || size > GPU_PARAM_BYTES) return CUDA_ERROR_INVALID_VALUE;
    memcpy(block, buffer, *bytes);
    return CUDA_SUCCESS;
}

// Which of the API's codes a launch that is not possible gets; the sentence has been said.
static CUresult refusal(CUfunction f, const struct gpu_launch *l) {
    const struct gpu_limits *limits = gpu_limits_of(driver_get()->gpu);
    for (int i = 0; i < 3; i++)
        if (!l->grid[i] || !l->block[i] || l->grid[i] > limits->grid[i] ||
            l->block[i] > limits->block[i])
            return CUDA_ERROR_INVALID_VALUE;
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    struct gpu_kernel_attributes a;
    if (driver_result(gpu_kernel_attributes(f->kernel, process_diags(), &a)) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    if (a.shared_bytes > limits->shared_per_block)
        return CUDA_ERROR_INVALID_PTX; // the vendor's driver does not compile it
    if (threads > limits->threads_per_block ||
        l->dynamic_shared > driver_dynamic_shared(driver_asked(f), a.shared_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (threads > a.max_threads_per_block) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    struct diags none;
    diags_init(&none);
    uint32_t cluster[3];
    const enum ww_status clusters = gpu_launch_clusters(f->kernel, l, &none, cluster);
    diags_free(&none);
    if (clusters != WW_OK) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    return l->cooperative ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_ERROR_INVALID_VALUE;
}

// Whether a block may have so much dynamic shared memory without more ado. What no block can have
// is refused with the launch.
static bool asked_for(CUfunction f, uint32_t shared) {
    const struct gpu_limits *limits = gpu_limits_of(driver_get()->gpu);
    const struct driver_wishes *const w = driver_asked(f);
    if (w->has_asked ? shared <= w->max_dynamic : limits->shared_optin == limits->shared_per_block)
        return true;
    struct gpu_kernel_attributes a;
    struct diags none;
    diags_init(&none);
    const bool known = gpu_kernel_attributes(f->kernel, &none, &a) == WW_OK;
    diags_free(&none);
    return !known || shared <= driver_dynamic_shared(w, a.shared_bytes) ||
           (uint64_t)a.shared_bytes + shared > limits->shared_optin;
}

static CUresult launch(CUfunction f, const uint32_t grid[3], const uint32_t block[3],
                       uint32_t shared, CUstream stream, void **params, void **extra,
                       const struct driver_shape *shape) {
    struct gpu_stream *s;
    if (!driver_stream(stream, &s)) return CUDA_ERROR_INVALID_HANDLE;
    uint8_t bytes[GPU_PARAM_BYTES];
    const struct driver_wishes *const w =
        f->own.has_non_portable ? &f->own : &f->of_kernel;
    struct gpu_launch l = {.dynamic_shared = shared,
                           .params = bytes,
                           .cooperative = shape->cooperative,
                           .programmatic = shape->programmatic,
                           .non_portable = w->non_portable};
    l.window = shape->window.bytes || shape->is_of_graph ? shape->window : driver_stream_window(stream);
    memcpy(l.cluster, shape->cluster, sizeof l.cluster);
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, block, sizeof l.block);
    const CUresult r = gather(f, params, extra, bytes, &l.param_bytes);
    if (r != CUDA_SUCCESS) return r;
    struct driver_op op = {
        .kind = OP_KERNEL,
        .kernel = {.f = f, .shared = shared, .shape = *shape, .packed = bytes}};
    op.kernel.shape.window = l.window; // a graph keeps the stream's of now
    memcpy(op.kernel.grid, grid, sizeof op.kernel.grid);
    memcpy(op.kernel.block, block, sizeof op.kernel.block);
    CUresult kept;
    if (driver_capture(stream, &op, &kept)) // a graph's event is recorded behind the kernel
        return kept == CUDA_SUCCESS && shape->event ? cuEventRecord(shape->event, stream) : kept;
    if (shape->event) {
        driver_capture_event_recorded(shape->event);
        l.event = shape->event->event;
        l.event_at_start = shape->event_at_start;
    }
    const enum ww_status st =
        asked_for(f, shared)
            ? gpu_launch(driver_get()->gpu, s, f->kernel, &l, process_diags(), NULL)
            : diag_add(process_diags(), WW_ERROR_LAUNCH,
                       "launch of %s: %u bytes of dynamic shared memory, which the kernel must "
                       "ask for first (cudaFuncSetAttribute, "
                       "cudaFuncAttributeMaxDynamicSharedMemorySize)",
                       gpu_kernel_name(f->kernel), shared);
    const CUresult why = driver_result_of_launch(st);
    return st == WW_ERROR_LAUNCH ? refusal(f, &l) : why;
}

static const struct driver_shape plain, cooperative = {.cooperative = true};

CUresult driver_launch(CUfunction f, const uint32_t grid[3], const uint32_t block[3],
                       uint32_t shared, CUstream stream, void **params,
                       const struct driver_shape *shape) {
    DRIVER_ENTER_FUNCTION(f);
    struct driver_shape of_graph = *shape;
    of_graph.is_of_graph = true;
    DRIVER_LEAVE(launch(f, grid, block, shared, stream, params, NULL, &of_graph));
}

CUresult cuLaunchKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared_bytes, CUstream stream, void **params, void **extra) {
    DRIVER_ENTER_FUNCTION(f);
    DRIVER_LEAVE(launch(f, (uint32_t[]){grid_x, grid_y, grid_z},
                        (uint32_t[]){block_x, block_y, block_z}, shared_bytes, stream, params,
                        extra, &plain));
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void **params) {
    DRIVER_ENTER_FUNCTION(f);
    DRIVER_LEAVE(launch(f, (uint32_t[]){grid_x, grid_y, grid_z},
                        (uint32_t[]){block_x, block_y, block_z}, shared_bytes, stream, params, NULL,
                        &cooperative));
}

// One device: more than one launch can be none of its kind.
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launches, unsigned int devices,
                                              unsigned int flags) {
    const CUDA_LAUNCH_PARAMS *c = launches;
    if (!c || devices != 1 || flags > 3) return CUDA_ERROR_INVALID_VALUE;
    CUfunction f = c->function;
    DRIVER_ENTER_FUNCTION(f);
    DRIVER_LEAVE(launch(f, (uint32_t[]){c->gridDimX, c->gridDimY, c->gridDimZ},
                        (uint32_t[]){c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes,
                        c->hStream, c->kernelParams, NULL, &cooperative));
}

// What a launch's attributes say of its shape. A policy of placing clusters is a preference.
static CUresult shape_of(const CUlaunchConfig *c, struct driver_shape *out) {
    *out = plain;
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const CUlaunchAttribute *const a = &c->attrs[i];
        if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) out->cooperative = a->value.cooperative != 0;
        if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            out->programmatic = a->value.programmaticStreamSerializationAllowed != 0;
        const bool at_start = a->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
        if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT || at_start) {
            CUevent const e = at_start ? a->value.launchCompletionEvent.event : a->value.programmaticEvent.event;
            if (!DRIVER_IS(TAG_EVENT, e)) return CUDA_ERROR_INVALID_HANDLE;
            if (out->event || !(e->flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
            out->event = e;
            out->event_at_start = at_start || a->value.programmaticEvent.triggerAtBlockStart;
        }
        if (a->id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW &&
            !driver_window(&a->value.accessPolicyWindow, &out->window))
            return CUDA_ERROR_INVALID_VALUE;
        if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE &&
            (unsigned)a->value.clusterSchedulingPolicyPreference >
                CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
            return CUDA_ERROR_INVALID_VALUE;
        if (a->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
        const uint32_t n[3] = {a->value.clusterDim.x, a->value.clusterDim.y, a->value.clusterDim.z};
        if (!n[0] || !n[1] || !n[2]) return CUDA_ERROR_INVALID_VALUE;
        memcpy(out->cluster, n, sizeof n);
    }
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra) {
    DRIVER_ENTER_FUNCTION(f);
    if (!c || (c->numAttrs && !c->attrs)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct driver_shape shape;
    const CUresult r = shape_of(c, &shape);
    if (r != CUDA_SUCCESS) DRIVER_LEAVE(r);
    DRIVER_LEAVE(launch(f, (uint32_t[]){c->gridDimX, c->gridDimY, c->gridDimZ},
                        (uint32_t[]){c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes,
                        c->hStream, params, extra, &shape));
}

// The interface before CUDA 4.
CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
    DRIVER_ENTER_FUNCTION(f);
    if (x < 1 || y < 1 || z < 1) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    f->block[0] = (uint32_t)x, f->block[1] = (uint32_t)y, f->block[2] = (uint32_t)z;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuFuncSetSharedSize(CUfunction f, unsigned int bytes) {
    DRIVER_ENTER_FUNCTION(f);
    f->dynamic_shared = bytes;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuParamSetSize(CUfunction f, unsigned int bytes) {
    DRIVER_ENTER_FUNCTION(f);
    if (bytes > sizeof f->params) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    f->param_bytes = bytes;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuParamSetv(CUfunction f, int offset, void *value, unsigned int bytes) {
    DRIVER_ENTER_FUNCTION(f);
    if (offset < 0 || !value || (size_t)offset + bytes > sizeof f->params)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    memcpy(f->params + offset, value, bytes);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuParamSeti(CUfunction f, int offset, unsigned int value) {
    return cuParamSetv(f, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction f, int offset, float value) {
    return cuParamSetv(f, offset, &value, sizeof value);
}
// Kernels find their references by name: that the texture is alive is all there is to check.
CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref texture) {
    DRIVER_ENTER_FUNCTION(f);
    if (!DRIVER_IS(TAG_TEXREF, texture)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(unit == CU_PARAM_TR_DEFAULT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream) {
    DRIVER_ENTER_FUNCTION(f);
    if (width < 1 || height < 1) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    size_t bytes = f->param_bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, f->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    DRIVER_LEAVE(launch(f, (uint32_t[]){(uint32_t)width, (uint32_t)height, 1}, f->block,
                        f->dynamic_shared, stream, NULL, extra, &plain));
}
CUresult cuLaunchGrid(CUfunction f, int width, int height) {
    return cuLaunchGridAsync(f, width, height, NULL);
}
CUresult cuLaunch(CUfunction f) { return cuLaunchGridAsync(f, 1, 1, NULL); }

// ---- occupancy ---------------------------------------------------------------------------------
// Blocks on an SM: none where a launch of such blocks is refused (cuda_occupancy.h of CUDA 13
// counts so).
static CUresult occupancy(CUfunction f, int threads, size_t shared, uint32_t *blocks) {
    *blocks = 0;
    struct gpu_kernel_attributes a;
    const CUresult r = driver_result(gpu_kernel_attributes(f->kernel, process_diags(), &a));
    if (r != CUDA_SUCCESS) return r;
    const struct gpu_limits *limits = gpu_limits_of(driver_get()->gpu);
    if ((uint32_t)threads > limits->threads_per_block ||
        a.shared_bytes > limits->shared_per_block ||
        shared > driver_dynamic_shared(driver_asked(f), a.shared_bytes))
        return CUDA_SUCCESS;
    struct sm_occupancy o;
    const enum ww_status s =
        gpu_kernel_occupancy(f->kernel, (uint32_t)threads, (uint32_t)shared, process_diags(), &o);
    if (s == WW_OK) *blocks = o.ctas;
    return driver_result(s);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f,
                                                              int block_size, size_t dynamic_shared,
                                                              unsigned int flags) {
    (void)flags;
    DRIVER_ENTER_FUNCTION(f);
    if (!blocks || block_size < 1) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    uint32_t n;
    const CUresult r = occupancy(f, block_size, dynamic_shared, &n);
    if (r == CUDA_SUCCESS) *blocks = (int)n;
    DRIVER_LEAVE(r);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int block_size,
                                                     size_t dynamic_shared) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, block_size,
                                                                dynamic_shared, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size, CUfunction f,
                                                   CUoccupancyB2DSize shared_of_block,
                                                   size_t dynamic_shared, int block_limit,
                                                   unsigned int flags) {
    (void)flags;
    DRIVER_ENTER_FUNCTION(f);
    if (!min_grid || !block_size) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct gpu_kernel_attributes a;
    CUresult r = driver_result(gpu_kernel_attributes(f->kernel, process_diags(), &a));
    if (r != CUDA_SUCCESS) DRIVER_LEAVE(r);
    int limit = (int)a.max_threads_per_block;
    if (block_limit > 0 && block_limit < limit) limit = block_limit;
    uint32_t best = 0;
    *block_size = *min_grid = 0;
    const int whole_warps = limit / 32 * 32;
    for (int threads = whole_warps > 0 ? whole_warps : limit; threads > 0; threads -= 32) {
        uint32_t blocks;
        r = occupancy(f, threads, shared_of_block ? shared_of_block(threads) : dynamic_shared,
                      &blocks);
        if (r != CUDA_SUCCESS) break;
        if (blocks * (uint32_t)threads <= best) continue;
        best = blocks * (uint32_t)threads;
        *block_size = threads;
        *min_grid = (int)(blocks * (uint32_t)gpu_config_count(driver_get()->config, "sm_count"));
    }
    DRIVER_LEAVE(r);
}
CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, CUfunction f,
                                          CUoccupancyB2DSize shared_of_block, size_t dynamic_shared,
                                          int block_limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, f, shared_of_block,
                                                     dynamic_shared, block_limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_shared, CUfunction f, int blocks,
                                                 int block_size) {
    DRIVER_ENTER_FUNCTION(f);
    if (!dynamic_shared || blocks < 1 || block_size < 1) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    // the largest size with which that many blocks still fit
    uint32_t low = 0, high = gpu_limits_of(driver_get()->gpu)->shared_optin + 1, fit;
    CUresult r = occupancy(f, block_size, low, &fit);
    if (r == CUDA_SUCCESS && fit < (uint32_t)blocks) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    while (r == CUDA_SUCCESS && low + 1 < high) {
        const uint32_t middle = low + (high - low) / 2;
        r = occupancy(f, block_size, middle, &fit);
        *(fit >= (uint32_t)blocks ? &low : &high) = middle;
    }
    if (r == CUDA_SUCCESS) *dynamic_shared = low;
    DRIVER_LEAVE(r);
}

// ---- clusters ----------------------------------------------------------------------------------
static CUresult clusters_of(CUfunction f, const CUlaunchConfig *c, const uint32_t cluster[3],
                            uint32_t *n) {
    const struct driver_wishes *const w = f->own.has_non_portable ? &f->own : &f->of_kernel;
    struct gpu_launch l = {.block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                           .dynamic_shared = c->sharedMemBytes,
                           .non_portable = w->non_portable};
    memcpy(l.cluster, cluster, sizeof l.cluster);
    const enum ww_status s = gpu_launch_max_clusters(f->kernel, &l, process_diags(), n);
    const CUresult result = driver_result(s); // says the sentence
    return s == WW_ERROR_LAUNCH ? CUDA_ERROR_INVALID_CLUSTER_SIZE : result;
}
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config) {
    DRIVER_ENTER_FUNCTION(f);
    if (!clusters || !config || (config->numAttrs && !config->attrs))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct driver_shape shape;
    CUresult r = shape_of(config, &shape);
    uint32_t n = 0;
    if (r == CUDA_SUCCESS) r = clusters_of(f, config, shape.cluster, &n);
    if (r == CUDA_SUCCESS) *clusters = (int)n;
    DRIVER_LEAVE(r);
}
// The most blocks, a power of two, of which a cluster fits.
CUresult cuOccupancyMaxPotentialClusterSize(int *cluster, CUfunction f,
                                            const CUlaunchConfig *config) {
    DRIVER_ENTER_FUNCTION(f);
    if (!cluster || !config) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const struct gpu_kernel_clusters k = gpu_kernel_clusters(f->kernel);
    if (k.required[0]) {
        *cluster = (int)(k.required[0] * (k.required[1] ? k.required[1] : 1) *
                         (k.required[2] ? k.required[2] : 1));
        DRIVER_LEAVE(CUDA_SUCCESS);
    }
    *cluster = 1;
    for (uint32_t n = 2; n <= GPU_MOST_CLUSTER; n *= 2) {
        struct diags none;
        diags_init(&none);
        const struct driver_wishes *const w = f->own.has_non_portable ? &f->own : &f->of_kernel;
        uint32_t fit = 0;
        const struct gpu_launch l = {
            .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
            .cluster = {n, 1, 1},
            .dynamic_shared = config->sharedMemBytes,
            .non_portable = w->non_portable};
        const enum ww_status s = gpu_launch_max_clusters(f->kernel, &l, &none, &fit);
        diags_free(&none);
        if (s != WW_OK || !fit) break;
        *cluster = (int)n;
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}
