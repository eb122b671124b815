// Programs. Building is done when the call returns, on the host: it takes no simulated time. A binary is PTX, with what is
// said of its kernels as comments in front; of a program that is compiled only, or a library, it is IR.
#include <stdlib.h>

#include "opencl.h"

static void set(char **to, char *text) {
    free(*to);
    *to = text;
}

static void unload(cl_program p) {
    if (p->module) {
        cuCtxSynchronize(); // a kernel of it may be under way
        cuModuleUnload(p->module);
    }
    p->module = NULL;
    ocl_signatures_free(p->signatures);
    p->signatures = NULL;
    p->n_constants = 0;
    p->constants = 0;
}
void ocl_program_end(cl_program p) {
    unload(p);
    if (p->release) p->release(p, p->release_user);
    free(p->source), free(p->options), free(p->log), free(p->object), free(p->binary);
    ocl_release(p->context);
}

static cl_program make(cl_context context) {
    cl_program p = ocl_new(OCL_PROGRAM, sizeof *p);
    if (!p) return NULL;
    p->context = context;
    p->status = CL_BUILD_NONE;
    p->dimensions = 1;
    ocl_retain(context);
    return p;
}

API(cl_program)
clCreateProgramWithSource(cl_context context, cl_uint n, const char **texts, const size_t *bytes,
                          cl_int *error) {
    if (!OCL_IS(context, OCL_CONTEXT)) FAIL(CL_INVALID_CONTEXT);
    if (!n || !texts) FAIL(CL_INVALID_VALUE);
    size_t all = 1;
    for (cl_uint i = 0; i < n; i++) {
        if (!texts[i]) FAIL(CL_INVALID_VALUE);
        all += bytes && bytes[i] ? bytes[i] : strlen(texts[i]);
    }
    LOCKED;
    cl_program p = make(context);
    if (!p || !(p->source = malloc(all))) {
        if (p) ocl_release(p);
        FAIL(CL_OUT_OF_HOST_MEMORY);
    }
    char *at = p->source;
    for (cl_uint i = 0; i < n; i++) {
        const size_t length = bytes && bytes[i] ? strnlen(texts[i], bytes[i]) : strlen(texts[i]);
        memcpy(at, texts[i], length);
        at += length;
    }
    *at = 0;
    if (error) *error = CL_SUCCESS;
    return p;
}

API(cl_program)
clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
                          const size_t *bytes, const unsigned char **binaries, cl_int *status,
                          cl_int *error) {
    if (!OCL_IS(context, OCL_CONTEXT)) FAIL(CL_INVALID_CONTEXT);
    if (!n || !devices || !bytes || !binaries) FAIL(CL_INVALID_VALUE);
    for (cl_uint i = 0; i < n; i++) // there is one, and a list names each once
        if (i || devices[i] != ocl_device()) FAIL(CL_INVALID_DEVICE);
    if (!bytes[0] || !binaries[0]) {
        if (status) *status = CL_INVALID_VALUE;
        FAIL(CL_INVALID_VALUE);
    }
    LOCKED;
    char *const text = strndup((const char *)binaries[0], bytes[0]);
    cl_program p = make(context);
    if (!p || !text) {
        free(text);
        FAIL(CL_OUT_OF_HOST_MEMORY);
    }
    const bool is_ptx = strncmp(text, "// warpwatt OpenCL 1\n", 21) == 0,
               is_ir = strstr(text, "\ntarget triple = \"nvptx64") != NULL;
    if (!is_ptx && !is_ir) {
        free(text);
        ocl_release(p);
        if (status) *status = CL_INVALID_BINARY;
        FAIL(CL_INVALID_BINARY);
    }
    if (is_ptx)
        p->binary = text;
    else
        p->object = text;
    p->binary_type =
        is_ptx ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    if (status) *status = CL_SUCCESS;
    if (error) *error = CL_SUCCESS;
    return p;
}
API(cl_program)
clCreateProgramWithBuiltInKernels(cl_context context, cl_uint n, const cl_device_id *devices,
                                  const char *names, cl_int *error) {
    if (!OCL_IS(context, OCL_CONTEXT)) FAIL(CL_INVALID_CONTEXT);
    if (!n || !devices || !names) FAIL(CL_INVALID_VALUE);
    FAIL(devices[0] == ocl_device() ? CL_INVALID_VALUE : CL_INVALID_DEVICE); // there are none
}
API(cl_program)
clCreateProgramWithIL(cl_context context, const void *il, size_t bytes, cl_int *error) {
    (void)il, (void)bytes;
    FAIL(OCL_IS(context, OCL_CONTEXT) ? CL_INVALID_OPERATION
                                      : CL_INVALID_CONTEXT); // no SPIR-V here
}

API(cl_int) clRetainProgram(cl_program p) {
    if (!OCL_IS(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    LOCKED;
    ocl_retain(p);
    return CL_SUCCESS;
}
API(cl_int) clReleaseProgram(cl_program p) {
    if (!OCL_IS(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    LOCKED;
    ocl_release(p);
    return CL_SUCCESS;
}
API(cl_int)
clSetProgramReleaseCallback(cl_program p, void(CL_CALLBACK *function)(cl_program, void *),
                            void *user) {
    (void)function, (void)user;
    return OCL_IS(p, OCL_PROGRAM) ? CL_INVALID_OPERATION
                                  : CL_INVALID_PROGRAM; // no constructors in programs
}
API(cl_int)
clSetProgramSpecializationConstant(cl_program p, cl_uint id, size_t bytes, const void *value) {
    (void)id, (void)bytes, (void)value;
    return OCL_IS(p, OCL_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM; // of SPIR-V
}

// ---- building -----------------------------------------------------------------------------------
static cl_int check_devices(cl_uint n, const cl_device_id *devices) {
    if (!n != !devices) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++)
        if (devices[i] != ocl_device()) return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

// The build log says which option; where there is no program yet, standard error does.
static bool are_wrong(cl_program p, const char *options) {
    char *const why = ocl_options_wrong(options);
    if (!why) return false;
    LOCKED;
    if (p) {
        set(&p->log, why);
        if (!p->kernels) p->status = CL_BUILD_ERROR;
    } else {
        ocl_say("OpenCL options", why);
        free(why);
    }
    return true;
}

// Loads PTX and reads what is said in front of it.
static cl_int load(cl_program p) {
    const CUresult r = cuModuleLoadData(&p->module, p->binary);
    if (r != CUDA_SUCCESS) {
        set(&p->log, ocl_printf("%swarpwatt: the driver does not take the program's PTX; it has "
                                "said why on standard error\n",
                                p->log ? p->log : ""));
        p->module = NULL;
        return CL_BUILD_PROGRAM_FAILURE;
    }
    p->signatures = ocl_signatures_parse(p->binary);
    size_t bytes = 0;
    if (cuModuleGetGlobal(&p->constants, &bytes, p->module, "ww_constants") == CUDA_SUCCESS)
        p->constant_bytes = bytes;
    p->dimensions = 1;
    memset(p->offset, 0, sizeof p->offset);
    return CL_SUCCESS;
}

static cl_int link_into(cl_program p, char *const *objects, size_t n) {
    char *ptx, *log;
    const bool ok = ocl_link(objects, n, p->options, &ptx, &log);
    set(&p->log, ocl_printf("%s%s", p->log ? p->log : "", log ? log : ""));
    free(log);
    if (!ok) return CL_LINK_PROGRAM_FAILURE;
    struct ocl_signature *all = NULL, **end = &all;
    for (size_t i = 0; i < n; i++) {
        *end = ocl_signatures_of_ir(objects[i]);
        while (*end) end = &(*end)->next;
    }
    char *const said = ocl_signatures_text(all);
    ocl_signatures_free(all);
    set(&p->binary, ocl_printf("%s%s", said ? said : "", ptx));
    free(said), free(ptx);
    p->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    return p->binary ? load(p) : CL_OUT_OF_HOST_MEMORY;
}

static cl_int compile_into(cl_program p, const struct ocl_header *headers, size_t n) {
    char *log;
    set(&p->object, NULL);
    const bool ok = ocl_compile(p->source, p->options, headers, n, &p->object, &log);
    set(&p->log, log);
    if (!ok) return ocl_has_compiler() ? CL_COMPILE_PROGRAM_FAILURE : CL_COMPILER_NOT_AVAILABLE;
    p->binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    return CL_SUCCESS;
}

API(cl_int)
clBuildProgram(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
               void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
    if (!OCL_IS(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    if (!notify && user) return CL_INVALID_VALUE;
    const cl_int bad = check_devices(n, devices);
    if (bad) return bad;
    if (are_wrong(p, options)) return CL_INVALID_BUILD_OPTIONS;
    cl_int r;
    {
        LOCKED;
        if (p->kernels) return CL_INVALID_OPERATION;
        unload(p);
        set(&p->options, strdup(options ? options : ""));
        set(&p->log, NULL);
        if (p->source) {
            r = compile_into(p, NULL, 0);
            if (r == CL_SUCCESS) r = link_into(p, &p->object, 1);
        } else if (p->object)
            r = link_into(p, &p->object, 1);
        else
            r = load(p);
        p->status = r == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
        if (r == CL_COMPILER_NOT_AVAILABLE) ocl_say("OpenCL compiler", p->log);
        if (r != CL_SUCCESS && r != CL_COMPILER_NOT_AVAILABLE) r = CL_BUILD_PROGRAM_FAILURE;
    }
    if (notify) notify(p, user);
    return r;
}

API(cl_int)
clCompileProgram(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                 cl_uint n_headers, const cl_program *headers, const char **names,
                 void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
    if (!OCL_IS(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    if ((!notify && user) || (n_headers ? !headers || !names : headers || names))
        return CL_INVALID_VALUE;
    const cl_int bad = check_devices(n, devices);
    if (bad) return bad;
    if (are_wrong(p, options)) return CL_INVALID_COMPILER_OPTIONS;
    struct ocl_header *list = n_headers ? calloc(n_headers, sizeof *list) : NULL;
    if (n_headers && !list) return CL_OUT_OF_HOST_MEMORY;
    cl_int r = CL_SUCCESS;
    for (cl_uint i = 0; i < n_headers && r == CL_SUCCESS; i++) {
        if (!OCL_IS(headers[i], OCL_PROGRAM) || !headers[i]->source)
            r = CL_INVALID_PROGRAM;
        else
            list[i] = (struct ocl_header){names[i], headers[i]->source};
        // a name that leads out of the folder of the compilation is none of an embedded header
        if (r == CL_SUCCESS && (!names[i] || names[i][0] == '/' || strstr(names[i], "..")))
            r = CL_INVALID_VALUE;
    }
    if (r == CL_SUCCESS) {
        LOCKED;
        if (p->kernels || !p->source)
            r = CL_INVALID_OPERATION;
        else {
            unload(p);
            set(&p->binary, NULL);
            set(&p->options, strdup(options ? options : ""));
            r = compile_into(p, list, n_headers);
            p->status = r == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
            if (r == CL_COMPILER_NOT_AVAILABLE) ocl_say("OpenCL compiler", p->log);
        }
    }
    free(list);
    if (notify) notify(p, user);
    return r;
}

API(cl_program)
clLinkProgram(cl_context context, cl_uint n_devices, const cl_device_id *devices,
              const char *options, cl_uint n, const cl_program *programs,
              void(CL_CALLBACK *notify)(cl_program, void *), void *user, cl_int *error) {
    if (!OCL_IS(context, OCL_CONTEXT)) FAIL(CL_INVALID_CONTEXT);
    if (!n || !programs || (!notify && user)) FAIL(CL_INVALID_VALUE);
    const cl_int bad = check_devices(n_devices, devices);
    if (bad) FAIL(bad);
    if (are_wrong(NULL, options)) FAIL(CL_INVALID_LINKER_OPTIONS);
    for (cl_uint i = 0; i < n; i++)
        if (!OCL_IS(programs[i], OCL_PROGRAM)) FAIL(CL_INVALID_PROGRAM);
    cl_program p;
    cl_int r;
    {
        LOCKED;
        char **objects = malloc(n * sizeof *objects);
        p = make(context);
        if (!p || !objects) {
            free(objects);
            FAIL(CL_OUT_OF_HOST_MEMORY);
        }
        r = CL_SUCCESS;
        for (cl_uint i = 0; i < n; i++) {
            objects[i] = programs[i]->object;
            if (!objects[i]) r = CL_INVALID_OPERATION;
        }
        set(&p->options, strdup(options ? options : ""));
        const bool is_library = options && strstr(options, "-create-library");
        if (r == CL_SUCCESS && is_library) {
            r = ocl_link_library(objects, n, &p->object, &p->log) ? CL_SUCCESS
                                                                  : CL_LINK_PROGRAM_FAILURE;
            p->binary_type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
        } else if (r == CL_SUCCESS)
            r = link_into(p, objects, n);
        free(objects);
        if (r == CL_BUILD_PROGRAM_FAILURE) r = CL_LINK_PROGRAM_FAILURE;
        p->status = r == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
        if (r == CL_INVALID_OPERATION) {
            ocl_release(p);
            p = NULL;
        }
    }
    if (notify) notify(p, user);
    if (error) *error = r;
    return p;
}
API(cl_int) clUnloadCompiler(void) { return CL_SUCCESS; }
API(cl_int) clUnloadPlatformCompiler(cl_platform_id p) {
    return p == ocl_platform() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

// ---- answers ------------------------------------------------------------------------------------
static char *kernel_names(cl_program p) {
    char *all = strdup("");
    for (const struct ocl_signature *s = p->signatures; s && all; s = s->next)
        set(&all, ocl_printf("%s%s%s", all, *all ? ";" : "", s->name));
    return all;
}

API(cl_int)
clGetProgramInfo(cl_program p, cl_program_info what, size_t room, void *out, size_t *needed) {
    if (!OCL_IS(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    LOCKED;
    const char *const binary = p->binary ? p->binary : p->object;
    const size_t bytes = binary ? strlen(binary) : 0;
    switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT: ANSWER(p->o.references);
    case CL_PROGRAM_CONTEXT: ANSWER(p->context);
    case CL_PROGRAM_NUM_DEVICES: ANSWER_AS(cl_uint, 1);
    case CL_PROGRAM_DEVICES: ANSWER_AS(cl_device_id, ocl_device());
    case CL_PROGRAM_SOURCE: ANSWER_TEXT(p->source ? p->source : "");
    case CL_PROGRAM_IL: ANSWER_NOTHING;
    case CL_PROGRAM_BINARY_SIZES: ANSWER(bytes);
    case CL_PROGRAM_BINARIES:
        if (out && room < sizeof(unsigned char *)) return CL_INVALID_VALUE;
        if (out && *(unsigned char **)out && bytes) memcpy(*(unsigned char **)out, binary, bytes);
        if (needed) *needed = sizeof(unsigned char *);
        return CL_SUCCESS;
    case CL_PROGRAM_NUM_KERNELS: {
        size_t n = 0;
        for (const struct ocl_signature *s = p->signatures; s; s = s->next) n++;
        if (!p->module) return CL_INVALID_PROGRAM_EXECUTABLE;
        ANSWER(n);
    }
    case CL_PROGRAM_KERNEL_NAMES: {
        if (!p->module) return CL_INVALID_PROGRAM_EXECUTABLE;
        char *const names = kernel_names(p);
        const cl_int r =
            names ? ocl_answer(names, strlen(names) + 1, room, out, needed) : CL_OUT_OF_HOST_MEMORY;
        free(names);
        return r;
    }
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: ANSWER_AS(cl_bool, CL_FALSE);
    default: return CL_INVALID_VALUE;
    }
}

API(cl_int)
clGetProgramBuildInfo(cl_program p, cl_device_id device, cl_program_build_info what, size_t room,
                      void *out, size_t *needed) {
    if (!OCL_IS(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    if (device != ocl_device()) return CL_INVALID_DEVICE;
    LOCKED;
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS: ANSWER(p->status);
    case CL_PROGRAM_BUILD_OPTIONS: ANSWER_TEXT(p->options ? p->options : "");
    case CL_PROGRAM_BUILD_LOG: ANSWER_TEXT(p->log ? p->log : "");
    case CL_PROGRAM_BINARY_TYPE: ANSWER(p->binary_type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: ANSWER_AS(size_t, 0);
    default: return CL_INVALID_VALUE;
    }
}
