// Libraries (modules that belong to no context), their kernels, and linking. Texts of PTX become one
// (fatbin_link); machine code is taken as it is when it is all that there is, for it is linked already.
#include "driver/driver.h"
#include "fatbin/fatbin.h"

#include <stdlib.h>

struct CUlib_st {
    CUmodule module;
    struct CUkern_st *kernels;
};
struct link_input {
    const char *name;
    char *image; // as it was handed over
    size_t bytes;
    struct fatbin_choice choice; // what of it would run
    const char *ptx;             // of it; NULL: it has none
    size_t ptx_bytes;
    bool is_on_demand; // of a library
};
struct CUlinkState_st {
    struct arena arena;
    VEC(struct link_input) input;
};

static bool is_library(CUlibrary l) { return DRIVER_IS(TAG_LIBRARY, l); }
static bool is_kernel(CUkernel k) { return DRIVER_IS(TAG_KERNEL, k); }
static bool is_link(CUlinkState s) { return DRIVER_IS(TAG_LINK, s); }

// ---- libraries ---------------------------------------------------------------------------------
static CUresult keep_library(CUlibrary *out, CUmodule m) {
    CUlibrary l = calloc(1, sizeof *l);
    if (!l || !driver_handle_add(TAG_LIBRARY, DRIVER_KEY(l))) {
        free(l);
        driver_release_module(DRIVER_KEY(m));
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    l->module = m;
    *out = l;
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *out, const void *image, CUjit_option *jit_option,
                           void **jit_value, unsigned int jit_options, CUlibraryOption *option,
                           void **value, unsigned int options) {
    (void)option, (void)value, (void)options; // where host code keeps its copies: nothing to us
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUmodule m;
    const CUresult r = cuModuleLoadDataEx(&m, image, jit_options, jit_option, jit_value);
    if (r != CUDA_SUCCESS) return r;
    DRIVER_ENTER(NEED_CONTEXT);
    DRIVER_LEAVE(keep_library(out, m));
}

CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *jit_option,
                               void **jit_value, unsigned int jit_options, CUlibraryOption *option,
                               void **value, unsigned int options) {
    (void)option, (void)value, (void)options;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !path) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUmodule m;
    const CUresult r = driver_load_file(&m, path, jit_options, jit_option, jit_value);
    DRIVER_LEAVE(r == CUDA_SUCCESS ? keep_library(out, m) : r);
}

void driver_release_library(uint64_t key) {
    CUlibrary l = (CUlibrary)(uintptr_t)key;
    for (struct CUkern_st *k = l->kernels; k;) {
        struct CUkern_st *next = k->next;
        driver_handle_remove(TAG_KERNEL, DRIVER_KEY(k));
        free(k);
        k = next;
    }
    if (driver_handle_live(TAG_MODULE, DRIVER_KEY(l->module)))
        driver_release_module(DRIVER_KEY(l->module));
    driver_handle_remove(TAG_LIBRARY, key);
    free(l);
}

CUresult cuLibraryUnload(CUlibrary l) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_library(l)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    const CUresult r = driver_result(gpu_synchronize(driver_get()->gpu, process_diags()));
    driver_release_library(DRIVER_KEY(l));
    DRIVER_LEAVE(r);
}

static CUresult get_kernel(CUkernel *out, CUlibrary l, const char *name) {
    CUfunction f = NULL;
    const CUresult r = driver_function(&f, l->module, name);
    if (r != CUDA_SUCCESS) return r;
    for (CUkernel k = l->kernels; k; k = k->next) {
        if (k->function != f) continue;
        *out = k;
        return CUDA_SUCCESS;
    }
    CUkernel k = calloc(1, sizeof *k);
    if (!k || !driver_handle_add(TAG_KERNEL, DRIVER_KEY(k))) {
        free(k);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *k = (struct CUkern_st){.library = l, .function = f, .next = l->kernels};
    l->kernels = k;
    *out = k;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary l, const char *name) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || !name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_library(l)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(get_kernel(out, l, name));
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary l) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!count) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_library(l)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *count = gpu_module_kernels(l->module->module);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary l) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!kernels) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_library(l)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    struct gpu_module *m = l->module->module;
    CUresult r = CUDA_SUCCESS;
    for (uint32_t i = 0; i < count && i < gpu_module_kernels(m) && r == CUDA_SUCCESS; i++)
        r = get_kernel(&kernels[i], l, gpu_module_kernel_name(m, i));
    DRIVER_LEAVE(r);
}

CUresult cuLibraryGetModule(CUmodule *out, CUlibrary l) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_library(l)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *out = l->module;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_library(l)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(driver_global(address, bytes, l->module, name));
}

// PTX knows no managed variables but by an attribute of later versions.
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name) {
    (void)address, (void)bytes;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(is_library(l) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE);
}
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary l, const char *symbol) {
    (void)function;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!symbol) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(is_library(l) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE);
}

// ---- kernels of libraries ----------------------------------------------------------------------
CUresult cuKernelGetFunction(CUfunction *out, CUkernel k) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_kernel(k)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *out = k->function;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel k) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_kernel(k)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *out = k->library;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuKernelGetName(const char **name, CUkernel k) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!name) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_kernel(k)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *name = gpu_kernel_name(k->function->kernel);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *bytes) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_kernel(k)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    DRIVER_LEAVE(driver_function_param(k->function, index, offset, bytes));
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel k,
                              CUdevice device) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!value) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_kernel(k)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    // what was set on the function is the function's
    DRIVER_LEAVE(driver_function_attribute(value, attribute, k->function, &k->function->of_kernel));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel k,
                              CUdevice device) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_kernel(k)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    DRIVER_LEAVE(driver_function_set(k->function, &k->function->of_kernel, attribute, value));
}
CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice device) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_kernel(k)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    DRIVER_LEAVE((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS
                                                                : CUDA_ERROR_INVALID_VALUE);
}

// ---- linking -----------------------------------------------------------------------------------
CUresult cuLinkCreate(unsigned int n_options, CUjit_option *options, void **values,
                      CUlinkState *out) {
    (void)options,
        (void)values; // what they say of the compiler is given again when the image loads
    DRIVER_ENTER(NEED_CONTEXT);
    if (!out || (n_options && (!options || !values))) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUlinkState s = calloc(1, sizeof *s);
    if (!s || !driver_handle_add(TAG_LINK, DRIVER_KEY(s))) {
        free(s);
        DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    arena_init(&s->arena, NULL);
    *out = s;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// What of an input would run, and the PTX in it: inputs of both kinds meet as PTX.
static CUresult look_into(CUlinkState s, struct link_input *in) {
    struct gpu *g = driver_get()->gpu;
    struct fatbin f = {0};
    struct fatbin_choice ptx = {0};
    struct fatbin_wish w = {.arch = gpu_config_arch(gpu_config_of(g)),
                            .ptx_arch = gpu_config_arch(driver_get()->config),
                            .code = session_code(process_session()),
                            .is_checked = gpu_code_is_checked};
    enum ww_status r =
        fatbin_read_image(&s->arena, in->image, in->bytes, in->name, process_diags(), &f);
    if (r == WW_OK) r = fatbin_pick(&s->arena, &f, in->name, &w, process_diags(), &in->choice);
    w.code = FATBIN_CODE_PTX;
    if (r == WW_OK) r = fatbin_pick(&s->arena, &f, in->name, &w, process_diags(), &ptx);
    if (r != WW_OK) return driver_result(r);
    in->ptx = ptx.image;
    in->ptx_bytes = ptx.bytes;
    const void *const chosen = in->choice.image;
    if (chosen && fatbin_is_cubin(chosen, in->choice.bytes))
        return driver_result(gpu_check_code(in->name, chosen, in->choice.bytes, process_diags()));
    if (chosen) return CUDA_SUCCESS;
    char text[512];
    process_say("%s", session_no_code(g, in->name, &f, &in->choice, text, sizeof text));
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static CUresult keep_input(CUlinkState s, struct link_input in) {
    const CUresult r = look_into(s, &in);
    if (r == CUDA_SUCCESS) vec_push(&s->arena, &s->input, in);
    return r;
}

// Units of an object file, or of a library of them: its members are taken when something names what
// they define.
static CUresult add_units(CUlinkState s, CUjitInputType type, const char *data, size_t len,
                          const char *name) {
    fatbin_units units = {0};
    const void *kept = arena_copy(&s->arena, data, len);
    const bool is_library = type == CU_JIT_INPUT_LIBRARY;
    CUresult r = driver_result(
        is_library ? fatbin_read_library(&s->arena, kept, len, name, process_diags(), &units)
                   : fatbin_read_object(&s->arena, kept, len, name, process_diags(), &units));
    for (uint32_t i = 0; i < units.n && r == CUDA_SUCCESS; i++) {
        const struct link_input in = {
            .name = arena_strdup(&s->arena, units.at[i].name),
            .image = arena_copy(&s->arena, units.at[i].image, units.at[i].bytes),
            .bytes = units.at[i].bytes,
            .is_on_demand = is_library};
        r = keep_input(s, in);
    }
    if (r == CUDA_SUCCESS && !units.n && !is_library) {
        process_say("%s holds no code of a GPU", name);
        r = CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return r;
}

static CUresult add_input(CUlinkState s, CUjitInputType type, const char *data, size_t len,
                          const char *name) {
    if (type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY)
        return add_units(s, type, data, len, name);
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_CUBIN && type != CU_JIT_INPUT_FATBINARY) {
        process_say("%s is intermediate code of the vendor's compiler: it cannot be linked here",
                    name);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (type == CU_JIT_INPUT_CUBIN && (!len || !fatbin_is_cubin(data, len))) {
        process_say("%s is no machine code of a GPU", name);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    struct link_input in = {.name = arena_strdup(&s->arena, name), .bytes = len};
    in.image = type == CU_JIT_INPUT_PTX ? arena_strndup(&s->arena, data, len)
                                        : arena_copy(&s->arena, data, len);
    if (type == CU_JIT_INPUT_PTX) in.bytes = strlen(in.image); // the size may count the NUL
    return keep_input(s, in);
}

CUresult cuLinkAddData(CUlinkState s, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int n_options, CUjit_option *options,
                       void **values) {
    (void)n_options, (void)options, (void)values;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_link(s)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!data || !size || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(add_input(s, type, data, size, name && *name ? name : "the input"));
}

CUresult cuLinkAddFile(CUlinkState s, CUjitInputType type, const char *path, unsigned int n_options,
                       CUjit_option *options, void **values) {
    (void)n_options, (void)options, (void)values;
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_link(s)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!path || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct arena a;
    arena_init(&a, NULL);
    char *text;
    size_t len;
    enum ww_status read = file_read(&a, path, (size_t)256 << 20, &text, &len, process_diags());
    if (read == WW_OK) read = fatbin_check_file(text, len, path, process_diags());
    CUresult r = driver_result(read);
    if (r == CUDA_SUCCESS) r = add_input(s, type, text, len, path);
    arena_free(&a);
    DRIVER_LEAVE(r);
}

// The first input that would run as PTX; NULL: all are machine code.
static const struct link_input *without_code(const CUlinkState s) {
    for (uint32_t i = 0; i < s->input.n; i++)
        if (!fatbin_is_cubin(s->input.at[i].choice.image, s->input.at[i].choice.bytes))
            return &s->input.at[i];
    return NULL;
}

static CUresult link_code(CUlinkState s, char **whole, size_t *len) {
    struct gpu_code_unit *unit = arena_alloc(&s->arena, s->input.n * sizeof *unit);
    for (uint32_t i = 0; i < s->input.n; i++)
        unit[i] = (struct gpu_code_unit){s->input.at[i].name, s->input.at[i].choice.image,
                                         s->input.at[i].choice.bytes, s->input.at[i].is_on_demand};
    return driver_result(gpu_link_code(&s->arena, unit, s->input.n, process_diags(), whole, len));
}

// PTX of all inputs as one text: inputs of which one is no machine code meet so.
static CUresult link_ptx(CUlinkState s, char **whole, size_t *len) {
    const char **text = arena_alloc(&s->arena, s->input.n * sizeof *text);
    size_t *bytes = arena_alloc(&s->arena, s->input.n * sizeof *bytes);
    for (uint32_t i = 0; i < s->input.n; i++) {
        text[i] = s->input.at[i].ptx, bytes[i] = s->input.at[i].ptx_bytes;
        if (text[i]) continue;
        process_say(
            "%s holds machine code and no PTX, %s would run from PTX: they can only be linked "
            "where all have one of the two",
            s->input.at[i].name, without_code(s)->name);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return driver_result(
        fatbin_link(&s->arena, text, bytes, s->input.n, process_diags(), whole, len));
}

// The image lives as long as the link, as the vendor's does.
CUresult cuLinkComplete(CUlinkState s, void **image, size_t *size) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_link(s)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!image || !s->input.n) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    char *whole = s->input.at[0].image; // alone, it is what it was: loading it chooses again
    size_t len = s->input.at[0].bytes;
    if (s->input.n > 1) {
        const CUresult r = without_code(s) ? link_ptx(s, &whole, &len) : link_code(s, &whole, &len);
        if (r != CUDA_SUCCESS) DRIVER_LEAVE(r);
    }
    *image = whole;
    if (size) *size = len + (fatbin_image(whole) == FATBIN_IMAGE_TEXT); // its NUL
    DRIVER_LEAVE(CUDA_SUCCESS);
}

void driver_release_link(uint64_t key) {
    CUlinkState s = (CUlinkState)(uintptr_t)key;
    driver_handle_remove(TAG_LINK, key);
    arena_free(&s->arena);
    free(s);
}

CUresult cuLinkDestroy(CUlinkState s) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!is_link(s)) DRIVER_LEAVE(CUDA_ERROR_INVALID_HANDLE);
    driver_release_link(DRIVER_KEY(s));
    DRIVER_LEAVE(CUDA_SUCCESS);
}
