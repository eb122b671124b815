// Modules and what is in them: functions, variables; texture and surface references are in
// texture.c and surface.c. Functions belong to their module and are made when they are first asked
// for.
#include "isa/image.h"
#include "driver/driver.h"
#include "driver/watch.h"
#include "fatbin/fatbin.h"

#include <stdlib.h>

static bool is_module(CUmodule m) { return DRIVER_IS(TAG_MODULE, m); }

// ---- which function a handle means -------------------------------------------------------------
static CUresult (*of_runtime)(const void *handle, CUfunction *out); // part of the singleton

void driver_kernels_of_runtime(CUresult (*function_of)(const void *handle, CUfunction *out)) {
    of_runtime = function_of;
}

static CUfunction function_named(CUfunction f) {
    if (!f || driver_handle_live(TAG_FUNCTION, DRIVER_KEY(f))) return f;
    return driver_handle_live(TAG_KERNEL, DRIVER_KEY(f)) ? ((CUkernel)(void *)f)->function : NULL;
}

CUresult driver_enter_with(CUfunction *f, const char *call) {
    const void *const handle = *f;
    CUresult r = driver_enter(NEED_CONTEXT, call);
    if (r != CUDA_SUCCESS || (*f = function_named(*f))) return r;
    if (!handle || !of_runtime) return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    driver_leave(CUDA_SUCCESS);
    CUfunction meant = NULL;
    r = of_runtime(handle, &meant);
    if (r != CUDA_SUCCESS) return r;
    r = driver_enter(NEED_CONTEXT, call);
    if (r != CUDA_SUCCESS) return r;
    *f = function_named(meant);
    return *f ? CUDA_SUCCESS : driver_leave(CUDA_ERROR_INVALID_HANDLE);
}

// ---- loading -----------------------------------------------------------------------------------
enum { MAX_PTX_BYTES = 256 << 20 };

// The options that mean something here: a limit of registers, and buffers for the compiler's words.
struct jit {
    uint32_t max_registers;
    char *log, *info;
    uintptr_t log_bytes, info_bytes;
    void **log_written, **info_written;
};

static struct jit read_options(unsigned int n, const CUjit_option *options, void **values) {
    struct jit j = {.max_registers = 0};
    for (unsigned i = 0; options && values && i < n; i++) {
        switch (options[i]) {
        case CU_JIT_MAX_REGISTERS: j.max_registers = (uint32_t)(uintptr_t)values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER: j.log = values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            j.log_bytes = (uintptr_t)values[i];
            j.log_written = &values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER: j.info = values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            j.info_bytes = (uintptr_t)values[i];
            j.info_written = &values[i];
            break;
        case CU_JIT_WALL_TIME:
            if (values[i]) *(float *)values[i] = 0;
            break;
        default: break;
        }
    }
    return j;
}

// The vendor answers in the size's own slot how many bytes the text takes.
static void write_log(char *buffer, uintptr_t bytes, void **written, const struct diags *d) {
    if (!buffer || !bytes) return;
    char *text = NULL;
    size_t len = 0;
    FILE *f = d ? open_memstream(&text, &len) : NULL;
    if (f) {
        diags_print(d, f);
        fclose(f);
    }
    if (len > bytes - 1) len = bytes - 1;
    if (len) memcpy(buffer, text, len);
    buffer[len] = 0;
    if (written) *written = (void *)(uintptr_t)len;
    free(text);
}

// What of an image that nvcc or a program handed over runs on the simulated GPU: a fat binary, its
// wrapper, a cubin, or PTX text. `bytes` 0: as many as it says itself. When nothing suits, the person
// is told what would.
static CUresult pick(struct arena *a, const char *name, const void *image, size_t bytes,
                     struct fatbin_choice *out) {
    struct gpu *g = driver_get()->gpu;
    struct fatbin f = {0};
    if (fatbin_image(image) == FATBIN_IMAGE_ELF && !fatbin_is_cubin(image, bytes)) {
        process_say("%s is an ELF file, but no machine code of a GPU", name);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    enum ww_status s = fatbin_read_image(a, image, bytes, name, process_diags(), &f);
    const struct fatbin_wish w = {.arch = gpu_config_arch(gpu_config_of(g)),
                                  .ptx_arch = gpu_config_arch(driver_get()->config),
                                  .code = session_code(process_session()),
                                  .is_checked = gpu_code_is_checked};
    if (s == WW_OK) s = fatbin_pick(a, &f, name, &w, process_diags(), out);
    if (s != WW_OK) return driver_result(s);
    if (out->image) return CUDA_SUCCESS;
    bool has_kernels;
    s = fatbin_has_kernels(a, &f, name, process_diags(), &has_kernels);
    if (s != WW_OK) return driver_result(s);
    if (!has_kernels) { // nvcc's link stub: a module with nothing in it
        out->image = arena_strdup(a, ".version 6.0\n.target sm_30\n.address_size 64\n");
        out->bytes = strlen(out->image);
        return CUDA_SUCCESS;
    }
    char text[512], advice[128] = "", option[96];
    session_no_code(g, name, &f, out, text, sizeof text);
    // a bare cubin is a compiler's that the program called itself, by what it was told of the GPU
    if (!fatbin_is_cubin(image, bytes))
        snprintf(advice, sizeof advice, "; nvcc %s adds PTX",
                 fatbin_advice(&f, 0, option, sizeof option));
    // counted as a refusal: a program that goes on without a word computes nothing
    process_report(diag_add(process_diags(), WW_ERROR_UNSUPPORTED, "%s%s", text, advice), false);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

// A real GPU takes no PTX that was made for a newer one. Here it runs, and that is said once.
static void note_newer(const struct gpu_module *m) {
    const struct gpu_config *c = driver_get()->config;
    if (gpu_module_is_code(m)) return;
    const uint32_t made_for = gpu_module_target(m);
    if (made_for <= gpu_config_arch(c) || !process_first_time("PTX_for_newer")) return;
    process_say("the program's PTX is for compute capability %u.%u: a real %s (%u.%u) would refuse "
                "it, %s runs it",
                made_for / 10, made_for % 10, gpu_config_word(c, "product"),
                gpu_config_arch(c) / 10, gpu_config_arch(c) % 10, gpu_config_name(c));
}

static CUresult load_choice(CUmodule *out, const char *name, const struct fatbin_choice *c,
                            unsigned int n_options, const CUjit_option *options, void **values) {
    const struct jit j = read_options(n_options, options, values);
    struct CUmod_st *m = calloc(1, sizeof *m);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    const struct gpu_module_options o = {
        .max_registers = j.max_registers, .ptx = c->beside, .ptx_bytes = c->beside_bytes};
    const enum ww_status s = gpu_module_load(driver_get()->gpu, name, c->image, c->bytes, &o,
                                             process_diags(), &m->module);
    write_log(j.log, j.log_bytes, j.log_written, s != WW_OK ? process_diags() : NULL);
    write_log(j.info, j.info_bytes, j.info_written, NULL);
    const CUresult r = driver_result(s);
    if (r == CUDA_SUCCESS && driver_handle_add(TAG_MODULE, DRIVER_KEY(m))) {
        note_newer(m->module);
        size_t code_bytes;
        const void *const code = gpu_module_code(m->module, &code_bytes);
        driver_made_module(m, code, code_bytes);
        *out = m;
        return CUDA_SUCCESS;
    }
    if (r == CUDA_SUCCESS) gpu_module_unload(driver_get()->gpu, m->module);
    free(m);
    return r != CUDA_SUCCESS ? r : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult driver_load(CUmodule *out, const char *name, const void *image, size_t bytes,
                     unsigned int n_options, const CUjit_option *options, void **values) {
    struct arena a;
    arena_init(&a, NULL);
    struct fatbin_choice c;
    CUresult r = pick(&a, name, image, bytes, &c);
    if (r == CUDA_SUCCESS) r = load_choice(out, name, &c, n_options, options, values);
    arena_free(&a);
    return r;
}

CUresult driver_load_file(CUmodule *out, const char *path, unsigned int n_options,
                          const CUjit_option *options, void **values) {
    struct arena a;
    arena_init(&a, NULL);
    char *text;
    size_t len;
    enum ww_status s = file_read(&a, path, MAX_PTX_BYTES, &text, &len, process_diags());
    if (s == WW_OK) s = fatbin_check_file(text, len, path, process_diags());
    const CUresult r = s == WW_OK ? driver_load(out, path, text, len, n_options, options, values)
                                  : driver_result(s);
    arena_free(&a);
    return r;
}

CUresult cuModuleLoad(CUmodule *out, const char *path) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !path) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(driver_load_file(out, path, 0, NULL, NULL));
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int n_options,
                            CUjit_option *options, void **values) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !image || (n_options && (!options || !values)))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(driver_load(out, "module", image, 0, n_options, options, values));
}
CUresult cuModuleLoadData(CUmodule *out, const void *image) {
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}
CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image) {
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

void driver_release_module(uint64_t key) {
    CUmodule m = (CUmodule)(uintptr_t)key;
    for (struct CUfunc_st *f = m->functions; f;) {
        struct CUfunc_st *next = f->next;
        driver_handle_remove(TAG_FUNCTION, DRIVER_KEY(f));
        free(f);
        f = next;
    }
    process_module_leaves();
    while (m->texrefs) driver_release_texref(DRIVER_KEY(m->texrefs));
    while (m->surfrefs) driver_release_surfref(DRIVER_KEY(m->surfrefs));
    gpu_module_unload(driver_get()->gpu, m->module);
    driver_handle_remove(TAG_MODULE, key);
    free(m);
}

CUresult cuModuleUnload(CUmodule m) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_module(m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const CUresult r = driver_result(gpu_synchronize(driver_get()->gpu, process_diags()));
    driver_release_module(DRIVER_KEY(m));
    DRIVER_LEAVE(r);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

// ---- functions in modules ----------------------------------------------------------------------
static bool has_kernel(struct gpu_module *m, const char *name) {
    for (uint32_t i = 0; i < gpu_module_kernels(m); i++)
        if (strcmp(gpu_module_kernel_name(m, i), name) == 0) return true;
    return false;
}

CUresult driver_function(CUfunction *out, CUmodule m, const char *name) {
    for (struct CUfunc_st *f = m->functions; f; f = f->next) {
        if (strcmp(gpu_kernel_name(f->kernel), name) != 0) continue;
        *out = f;
        return CUDA_SUCCESS;
    }
    if (!has_kernel(m->module, name)) return CUDA_ERROR_NOT_FOUND;
    struct gpu_kernel *k;
    enum ww_status s = gpu_kernel_find(m->module, name, process_diags(), &k);
    const struct code_image *image; // what has no lowering is refused here, before anything runs
    if (s == WW_OK) s = gpu_kernel_outline(k, process_diags(), &image);
    const CUresult r = driver_result_of_launch(s);
    if (r != CUDA_SUCCESS) return r;
    struct CUfunc_st *f = calloc(1, sizeof *f);
    if (!f || !driver_handle_add(TAG_FUNCTION, DRIVER_KEY(f))) {
        free(f);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    f->module = m;
    f->kernel = k;
    f->next = m->functions;
    f->own.carve_out = f->of_kernel.carve_out = -1;
    for (int i = 0; i < 3; i++) f->block[i] = 1;
    m->functions = f;
    *out = f;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_module(m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(driver_function(out, m, name));
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule m) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!count) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_module(m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *count = gpu_module_kernels(m->module);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule m) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!functions) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_module(m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    CUresult r = CUDA_SUCCESS;
    for (uint32_t i = 0; i < count && i < gpu_module_kernels(m->module) && r == CUDA_SUCCESS; i++)
        r = driver_function(&functions[i], m, gpu_module_kernel_name(m->module, i));
    DRIVER_LEAVE(r);
}

CUresult driver_global(CUdeviceptr *address, size_t *bytes, CUmodule m, const char *name) {
    uint64_t at, n;
    if (gpu_module_global(m->module, name, process_diags(), &at, &n) != WW_OK) {
        diags_free(process_diags()); // a name that is not there is an answer, no sentence
        diags_init(process_diags());
        return CUDA_ERROR_NOT_FOUND;
    }
    if (address) *address = at;
    if (bytes) *bytes = n;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule m, const char *name) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_module(m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(driver_global(address, bytes, m, name));
}

// ---- facts about functions ---------------------------------------------------------------------
CUresult driver_function_attribute(int *value, CUfunction_attribute attribute, CUfunction f,
                                   const struct driver_wishes *w) {
    struct gpu_kernel_attributes a;
    const CUresult r = driver_result(gpu_kernel_attributes(f->kernel, process_diags(), &a));
    if (r != CUDA_SUCCESS) return r;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)a.max_threads_per_block; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)a.shared_bytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)a.const_bytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)a.local_bytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)a.registers; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)a.ptx_target; break; // "virtual architecture"
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)a.binary_version; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = (int)driver_dynamic_shared(w ? w : driver_asked(f), a.shared_bytes);
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = (w ? w : f->own.has_carve_out ? &f->own : &f->of_kernel)->carve_out;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = gpu_kernel_clusters(f->kernel).must_be_set &&
                 !gpu_kernel_clusters(f->kernel).required[0];
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = (int)gpu_kernel_clusters(f->kernel)
                     .required[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = (w ? w : f->own.has_non_portable ? &f->own : &f->of_kernel)->non_portable;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = (w ? w : f->own.has_policy ? &f->own : &f->of_kernel)->policy;
        break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f) {
    DRIVER_ENTER_FUNCTION(f);
    if (!value) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(driver_function_attribute(value, attribute, f, NULL));
}

const struct driver_wishes *driver_asked(const struct CUfunc_st *f) {
    return f->own.has_asked ? &f->own : &f->of_kernel;
}

uint32_t driver_dynamic_shared(const struct driver_wishes *w, uint32_t fixed) {
    const uint32_t most = gpu_limits_of(driver_get()->gpu)->shared_per_block;
    if (w->has_asked) return w->max_dynamic;
    return fixed < most ? most - fixed : 0;
}

// A preferred carve-out is kept and is a hint: an SM takes what the blocks on it need.
static CUresult prefer(CUfunction f, struct driver_wishes *w, int percent) {
    if (percent < -1 || percent > 100)
        return driver_result(diag_add(process_diags(), WW_ERROR_LAUNCH,
                                      "kernel %s: a preferred carve-out of %d percent of shared "
                                      "memory; it is from 0 to 100, or -1 for none",
                                      gpu_kernel_name(f->kernel), percent));
    w->has_carve_out = true, w->carve_out = percent;
    return CUDA_SUCCESS;
}

// From now on launches have as much dynamic shared memory, less than usual too.
static CUresult ask(CUfunction f, struct driver_wishes *w, int bytes) {
    if (bytes < 0)
        return driver_result(diag_add(process_diags(), WW_ERROR_LAUNCH,
                                      "kernel %s asks for %d bytes of dynamic shared memory",
                                      gpu_kernel_name(f->kernel), bytes));
    const CUresult fits =
        driver_result(gpu_kernel_takes_shared(f->kernel, (uint32_t)bytes, process_diags()));
    if (fits == CUDA_SUCCESS) w->has_asked = true, w->max_dynamic = (uint32_t)bytes;
    return fits;
}

CUresult driver_function_set(CUfunction f, struct driver_wishes *w, CUfunction_attribute attribute,
                             int value) {
    struct gpu_kernel_attributes a;
    const CUresult r = driver_result(gpu_kernel_attributes(f->kernel, process_diags(), &a));
    if (r != CUDA_SUCCESS) return r;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return prefer(f, w, value);
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return ask(f, w, value);
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        if (value != 0 && value != 1) return CUDA_ERROR_INVALID_VALUE;
        w->has_non_portable = true;
        w->non_portable = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        if (value < 0 || value > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
            return CUDA_ERROR_INVALID_VALUE;
        w->has_policy = true;
        w->policy = value;
        return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult driver_set_of_kernel(CUfunction f, CUfunction_attribute attribute, int value) {
    DRIVER_ENTER_FUNCTION(f);
    DRIVER_LEAVE(driver_function_set(f, &f->of_kernel, attribute, value));
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
    DRIVER_ENTER_FUNCTION(f);
    DRIVER_LEAVE(driver_function_set(f, &f->own, attribute, value));
}

CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config) {
    DRIVER_ENTER_FUNCTION(f);
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig config) {
    DRIVER_ENTER_FUNCTION(f);
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuFuncGetModule(CUmodule *out, CUfunction f) {
    DRIVER_ENTER_FUNCTION(f);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = f->module;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuFuncGetName(const char **name, CUfunction f) {
    DRIVER_ENTER_FUNCTION(f);
    if (!name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *name = gpu_kernel_name(f->kernel);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult driver_function_param(CUfunction f, size_t index, size_t *offset, size_t *bytes) {
    const struct code_param *p;
    uint32_t n;
    const CUresult r = driver_result(gpu_kernel_params(f->kernel, process_diags(), &p, &n));
    if (r != CUDA_SUCCESS) return r;
    if (index >= n || !offset) return CUDA_ERROR_INVALID_VALUE;
    *offset = p[index].offset;
    if (bytes) *bytes = p[index].bytes;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *bytes) {
    DRIVER_ENTER_FUNCTION(f);
    DRIVER_LEAVE(driver_function_param(f, index, offset, bytes));
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction f) {
    DRIVER_ENTER_FUNCTION(f);
    if (!state) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    DRIVER_LEAVE(CUDA_SUCCESS);
}
CUresult cuFuncLoad(CUfunction f) {
    DRIVER_ENTER_FUNCTION(f);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
