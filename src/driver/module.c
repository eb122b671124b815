// Modules, functions, launches, occupancy.
#include "driver/driver.h"

#include <stdlib.h>

static bool is_module(CUmodule m) { return m && m->tag == TAG_MODULE; }
static bool is_function(CUfunction f) { return f && f->tag == TAG_FUNCTION; }

static CUresult load(CUmodule *out, const char *name, const char *text, size_t len, uint32_t max_registers) {
    struct driver *d = driver_get();
    if (len >= 4 && (memcmp(text, "\177ELF", 4) == 0 || memcmp(text, "\x50\xed\x55\xba", 4) == 0)) {
        fprintf(stderr, "warpwatt: %s is machine code for a real GPU, not PTX: build it with "
                        "`nvcc -ptx` (or -gencode arch=compute_XX,code=compute_XX)\n", name);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    struct CUmod_st *m = calloc(1, sizeof *m);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    const struct gpu_module_options o = {.max_registers = max_registers};
    const enum ww_status s = gpu_module_load(d->gpu, name, text, len, &o, driver_diags(), &m->module);
    if (s != WW_OK) {
        free(m);
        return driver_result(s, driver_diags());
    }
    m->tag = TAG_MODULE;
    m->next = d->modules;
    d->modules = m;
    *out = m;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoad(CUmodule *out, const char *path) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !path) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct arena a;
    arena_init(&a, NULL);
    char *text;
    size_t len;
    const enum ww_status s = file_read(&a, path, (size_t)256 << 20, &text, &len, driver_diags());
    const CUresult r = s == WW_OK ? load(out, path, text, len, 0) : driver_result(s, driver_diags());
    arena_free(&a);
    DRIVER_LEAVE(r);
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int n_options, CUjit_option *options,
                            void **values) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !image) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    uint32_t max_registers = 0;
    for (unsigned i = 0; i < n_options; i++)
        if (options[i] == CU_JIT_MAX_REGISTERS) max_registers = (uint32_t)(uintptr_t)values[i];
    // PTX text ends in NUL; a binary is told by its first bytes before anything measures it.
    const char *text = image;
    const size_t len = memcmp(text, "\177ELF", 4) == 0 ? 4 : strlen(text);
    DRIVER_LEAVE(load(out, "module", text, len, max_registers));
}

CUresult cuModuleLoadData(CUmodule *out, const void *image) { return cuModuleLoadDataEx(out, image, 0, NULL, NULL); }

CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image) { return cuModuleLoadDataEx(out, image, 0, NULL, NULL); }

CUresult cuModuleUnload(CUmodule module) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_module(module)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    struct CUmod_st **at = &driver_get()->modules;
    while (*at && *at != module) at = &(*at)->next;
    if (*at) *at = module->next;
    for (struct CUfunc_st *f = module->functions; f;) {
        struct CUfunc_st *next = f->next;
        f->tag = 0;
        free(f);
        f = next;
    }
    gpu_module_unload(driver_get()->gpu, module->module);
    module->tag = 0;
    free(module);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

static bool has_kernel(struct gpu_module *m, const char *name) {
    for (uint32_t i = 0; i < gpu_module_kernels(m); i++)
        if (strcmp(gpu_module_kernel_name(m, i), name) == 0) return true;
    return false;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_module(module)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!has_kernel(module->module, name)) DRIVER_LEAVE(CUDA_ERROR_NOT_FOUND);
    for (struct CUfunc_st *f = module->functions; f; f = f->next) {
        if (strcmp(gpu_kernel_name(f->kernel), name) != 0) continue;
        *out = f;
        DRIVER_LEAVE(CUDA_SUCCESS);
    }
    struct gpu_kernel *k;
    enum ww_status s = gpu_kernel_find(module->module, name, driver_diags(), &k);
    const struct code_image *image; // what has no lowering is refused here, before anything runs
    if (s == WW_OK) s = gpu_kernel_image(k, driver_diags(), &image);
    if (s != WW_OK) DRIVER_LEAVE(driver_result(s, driver_diags()));
    struct CUfunc_st *f = calloc(1, sizeof *f);
    if (!f) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    *f = (struct CUfunc_st){.tag = TAG_FUNCTION, .module = module, .kernel = k, .next = module->functions, .block = {1, 1, 1}};
    module->functions = f;
    *out = f;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!count) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_module(module)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *count = gpu_module_kernels(module->module);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_module(module)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    uint64_t at, n;
    const enum ww_status s = gpu_module_global(module->module, name, driver_diags(), &at, &n);
    if (s != WW_OK) {
        diags_free(driver_diags());
        diags_init(driver_diags());
        DRIVER_LEAVE(CUDA_ERROR_NOT_FOUND);
    }
    if (address) *address = at;
    if (bytes) *bytes = n;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- functions ----------------------------------------------------------------------------------
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!value) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    struct gpu_kernel_attributes a;
    const enum ww_status s = gpu_kernel_attributes(f->kernel, driver_diags(), &a);
    if (s != WW_OK) DRIVER_LEAVE(driver_result(s, driver_diags()));
    const struct gpu_limits *limits = gpu_limits_of(driver_get()->gpu);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)a.max_threads_per_block; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)a.shared_bytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)a.const_bytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)a.local_bytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)a.registers; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)a.ptx_version; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)a.binary_version; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = (int)(limits->shared_per_block - a.shared_bytes); break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = -1; break;
    default: DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    }
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const struct gpu_limits *limits = gpu_limits_of(driver_get()->gpu);
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        DRIVER_LEAVE(value >= 0 && (uint32_t)value <= limits->shared_per_block ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config) {
    (void)config;
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(is_function(f) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}
CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig config) {
    (void)config;
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(is_function(f) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}
CUresult cuFuncGetModule(CUmodule *out, CUfunction f) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *out = f->module;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuFuncGetName(const char **name, CUfunction f) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *name = gpu_kernel_name(f->kernel);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const struct code_param *p;
    uint32_t n;
    const enum ww_status s = gpu_kernel_params(f->kernel, driver_diags(), &p, &n);
    if (s != WW_OK) DRIVER_LEAVE(driver_result(s, driver_diags()));
    if (index >= n || !offset) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *offset = p[index].offset;
    if (bytes) *bytes = p[index].bytes;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- launches -----------------------------------------------------------------------------------
static CUresult gather(CUfunction f, void **params, void **extra, uint8_t *block, uint32_t *bytes) {
    const struct code_param *p;
    uint32_t n;
    const enum ww_status s = gpu_kernel_params(f->kernel, driver_diags(), &p, &n);
    if (s != WW_OK) return driver_result(s, driver_diags());
    if (params && extra) return CUDA_ERROR_INVALID_VALUE;
    *bytes = n ? p[n - 1].offset + p[n - 1].bytes : 0;
    if (*bytes > 4096) return CUDA_ERROR_INVALID_VALUE;
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
    if (!buffer || size < *bytes || size > 4096) return CUDA_ERROR_INVALID_VALUE;
    memcpy(block, buffer, *bytes);
    return CUDA_SUCCESS;
}

static CUresult launch(CUfunction f, const uint32_t grid[3], const uint32_t block[3], uint32_t shared, CUstream stream,
                       void **params, void **extra, bool cooperative) {
    struct gpu_stream *s;
    if (!is_function(f) || !driver_stream(stream, &s)) return CUDA_ERROR_INVALID_HANDLE;
    uint8_t bytes[4096] = {0};
    struct gpu_launch l = {.dynamic_shared = shared, .params = bytes, .cooperative = cooperative};
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, block, sizeof l.block);
    const CUresult r = gather(f, params, extra, bytes, &l.param_bytes);
    if (r != CUDA_SUCCESS) return r;
    const enum ww_status st = gpu_launch(driver_get()->gpu, s, f->kernel, &l, driver_diags(), NULL);
    return driver_result(st, driver_diags());
}

CUresult cuLaunchKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void **params, void **extra) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(launch(f, (uint32_t[]){grid_x, grid_y, grid_z}, (uint32_t[]){block_x, block_y, block_z}, shared_bytes,
                        stream, params, extra, false));
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared_bytes, CUstream stream, void **params) {
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(launch(f, (uint32_t[]){grid_x, grid_y, grid_z}, (uint32_t[]){block_x, block_y, block_z}, shared_bytes,
                        stream, params, NULL, true));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!c) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    bool cooperative = false;
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) cooperative = c->attrs[i].value.cooperative != 0;
    DRIVER_LEAVE(launch(f, (uint32_t[]){c->gridDimX, c->gridDimY, c->gridDimZ},
                        (uint32_t[]){c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes, c->hStream, params,
                        extra, cooperative));
}

// The interface before CUDA 4.
CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (x < 1 || y < 1 || z < 1) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    f->block[0] = (uint32_t)x, f->block[1] = (uint32_t)y, f->block[2] = (uint32_t)z;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuFuncSetSharedSize(CUfunction f, unsigned int bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    f->dynamic_shared = bytes;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuParamSetSize(CUfunction f, unsigned int bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (bytes > sizeof f->params) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    f->param_bytes = bytes;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuParamSetv(CUfunction f, int offset, void *value, unsigned int bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (offset < 0 || !value || (size_t)offset + bytes > sizeof f->params) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    memcpy(f->params + offset, value, bytes);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuParamSeti(CUfunction f, int offset, unsigned int value) { return cuParamSetv(f, offset, &value, sizeof value); }
CUresult cuParamSetf(CUfunction f, int offset, float value) { return cuParamSetv(f, offset, &value, sizeof value); }

CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (width < 1 || height < 1) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    size_t bytes = f->param_bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, f->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    DRIVER_LEAVE(launch(f, (uint32_t[]){(uint32_t)width, (uint32_t)height, 1}, f->block, f->dynamic_shared, stream, NULL,
                        extra, false));
}
CUresult cuLaunchGrid(CUfunction f, int width, int height) { return cuLaunchGridAsync(f, width, height, NULL); }
CUresult cuLaunch(CUfunction f) { return cuLaunchGridAsync(f, 1, 1, NULL); }

// ---- occupancy ------------------------------------------------------------------------------------
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int block_size,
                                                              size_t dynamic_shared, unsigned int flags) {
    (void)flags;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!blocks || block_size < 1 || dynamic_shared > UINT32_MAX) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct sm_occupancy o;
    const enum ww_status s = gpu_kernel_occupancy(f->kernel, (uint32_t)block_size, (uint32_t)dynamic_shared, driver_diags(), &o);
    if (s != WW_OK) DRIVER_LEAVE(driver_result(s, driver_diags()));
    *blocks = (int)o.ctas;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int block_size, size_t dynamic_shared) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, block_size, dynamic_shared, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size, CUfunction f,
                                                   CUoccupancyB2DSize shared_of_block, size_t dynamic_shared,
                                                   int block_limit, unsigned int flags) {
    (void)flags;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_function(f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!min_grid || !block_size) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct gpu_kernel_attributes a;
    enum ww_status s = gpu_kernel_attributes(f->kernel, driver_diags(), &a);
    if (s != WW_OK) DRIVER_LEAVE(driver_result(s, driver_diags()));
    int limit = (int)a.max_threads_per_block;
    if (block_limit > 0 && block_limit < limit) limit = block_limit;
    uint32_t best = 0;
    *block_size = *min_grid = 0;
    const int whole_warps = limit / 32 * 32;
    for (int threads = whole_warps > 0 ? whole_warps : limit; threads > 0; threads -= 32) {
        const size_t shared = shared_of_block ? shared_of_block(threads) : dynamic_shared;
        struct sm_occupancy o;
        s = gpu_kernel_occupancy(f->kernel, (uint32_t)threads, (uint32_t)shared, driver_diags(), &o);
        if (s != WW_OK) break;
        if (o.ctas * (uint32_t)threads <= best) continue;
        best = o.ctas * (uint32_t)threads;
        *block_size = threads;
        *min_grid = (int)(o.ctas * driver_get()->config.sm_count);
    }
    DRIVER_LEAVE(driver_result(s, driver_diags()));
}
CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, CUfunction f, CUoccupancyB2DSize shared_of_block,
                                          size_t dynamic_shared, int block_limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, f, shared_of_block, dynamic_shared, block_limit, 0);
}
