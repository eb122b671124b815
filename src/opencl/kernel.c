// Kernels, their arguments, launches.
//
// A pointer into global memory is the device address. Memory of a group is dynamic shared memory behind the kernel's own,
// one piece an argument. A pointer to constants must lie in constant memory: a launch copies such buffers into an area of
// the program (compiler.c), unless they are there already. Images and samplers: image.c.
#include <stdio.h>
#include <stdlib.h>

#include "opencl.h"

enum { CONSTANTS_ALIGN = OCL_CONSTANTS_ALIGN, SHARED_ALIGN = 16 };
enum {
    GROUP_WISH = 256
}; // work items of a group that a program leaves to us; assumed, eight warps

void ocl_kernel_end(cl_kernel k) {
    for (unsigned i = 0; i < k->signature->n_arguments && k->holds_arguments; i++) {
        if (k->value[i].memory) ocl_release(k->value[i].memory);
        if (k->value[i].sampler) ocl_release(k->value[i].sampler);
    }
    k->program->kernels--;
    ocl_release(k->program);
    free(k->offset), free(k->bytes), free(k->params), free(k->value);
}

static cl_kernel make(cl_program p, const struct ocl_signature *s, cl_int *error) {
    cl_kernel k = ocl_new(OCL_KERNEL, sizeof *k);
    if (!k) FAIL(CL_OUT_OF_HOST_MEMORY);
    k->program = p;
    k->signature = s;
    ocl_retain(p);
    p->kernels++;
    const size_t n = s->n_arguments + 1;
    k->offset = calloc(n, sizeof *k->offset);
    k->bytes = calloc(n, sizeof *k->bytes);
    k->value = calloc(n, sizeof *k->value);
    cl_int r = k->offset && k->bytes && k->value ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (r == CL_SUCCESS && cuModuleGetFunction(&k->function, p->module, s->name) != CUDA_SUCCESS)
        r = CL_INVALID_KERNEL_NAME;
    for (unsigned i = 0; i < s->n_arguments && r == CL_SUCCESS; i++) {
        if (cuFuncGetParamInfo(k->function, i, &k->offset[i], &k->bytes[i]) != CUDA_SUCCESS)
            r = CL_INVALID_KERNEL_DEFINITION;
        if (k->offset[i] + k->bytes[i] > k->param_bytes)
            k->param_bytes = k->offset[i] + k->bytes[i];
    }
    if (r == CL_SUCCESS && !(k->params = calloc(1, k->param_bytes + 1))) r = CL_OUT_OF_HOST_MEMORY;
    if (error) *error = r;
    if (r == CL_SUCCESS) return k;
    ocl_release(k);
    return NULL;
}

API(cl_kernel) clCreateKernel(cl_program p, const char *name, cl_int *error) {
    if (!OCL_IS(p, OCL_PROGRAM)) FAIL(CL_INVALID_PROGRAM);
    if (!name) FAIL(CL_INVALID_VALUE);
    LOCKED;
    if (!p->module) FAIL(CL_INVALID_PROGRAM_EXECUTABLE);
    const struct ocl_signature *s = p->signatures;
    while (s && strcmp(s->name, name) != 0) s = s->next;
    if (!s) FAIL(CL_INVALID_KERNEL_NAME);
    return make(p, s, error);
}
API(cl_int) clCreateKernelsInProgram(cl_program p, cl_uint n, cl_kernel *kernels, cl_uint *needed) {
    if (!OCL_IS(p, OCL_PROGRAM)) return CL_INVALID_PROGRAM;
    LOCKED;
    if (!p->module) return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_uint all = 0, made = 0;
    for (const struct ocl_signature *s = p->signatures; s; s = s->next) all++;
    if (kernels && n < all) return CL_INVALID_VALUE;
    cl_int r = CL_SUCCESS;
    for (const struct ocl_signature *s = p->signatures; s && kernels && r == CL_SUCCESS;
         s = s->next) {
        kernels[made] = make(p, s, &r);
        if (r == CL_SUCCESS) made++;
    }
    for (; r != CL_SUCCESS && made; made--) ocl_release(kernels[made - 1]);
    if (needed) *needed = all;
    return r;
}

static cl_kernel copy_of(cl_kernel k, cl_int *error) {
    cl_kernel c = make(k->program, k->signature, error);
    if (!c) return NULL;
    memcpy(c->params, k->params, k->param_bytes);
    memcpy(c->value, k->value, k->signature->n_arguments * sizeof *k->value);
    return c;
}
// A kernel as it is now, for a command: what its arguments name lives as long.
static cl_kernel snapshot(cl_kernel k, cl_int *error) {
    cl_kernel c = copy_of(k, error);
    if (!c) return NULL;
    c->holds_arguments = true;
    for (unsigned i = 0; i < k->signature->n_arguments; i++) {
        if (c->value[i].memory) ocl_retain(c->value[i].memory);
        if (c->value[i].sampler) ocl_retain(c->value[i].sampler);
    }
    return c;
}
API(cl_kernel) clCloneKernel(cl_kernel k, cl_int *error) {
    if (!OCL_IS(k, OCL_KERNEL)) FAIL(CL_INVALID_KERNEL);
    LOCKED;
    return copy_of(k, error);
}
API(cl_int) clRetainKernel(cl_kernel k) {
    if (!OCL_IS(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    LOCKED;
    ocl_retain(k);
    return CL_SUCCESS;
}
API(cl_int) clReleaseKernel(cl_kernel k) {
    if (!OCL_IS(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    LOCKED;
    ocl_release(k);
    return CL_SUCCESS;
}

// ---- arguments ----------------------------------------------------------------------------------
static cl_int set_memory(cl_kernel k, cl_uint i, const struct ocl_argument *a, size_t bytes,
                         const void *value) {
    if (bytes != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
    cl_mem m = value ? *(const cl_mem *)value : NULL;
    if (!m && a->is_image) return CL_INVALID_ARG_VALUE;
    if (m && !OCL_IS(m, OCL_MEMORY)) return CL_INVALID_MEM_OBJECT;
    if (m && (m->type != CL_MEM_OBJECT_BUFFER) != a->is_image) return CL_INVALID_MEM_OBJECT;
    if (m && a->is_image &&
        ((strcmp(a->access, "read_only") == 0 && m->flags & CL_MEM_WRITE_ONLY) ||
         (strcmp(a->access, "write_only") == 0 && m->flags & CL_MEM_READ_ONLY)))
        return CL_INVALID_ARG_VALUE;
    k->value[i] = (struct ocl_value){.is_set = true, .memory = m};
    const CUdeviceptr at = m && !a->is_image ? ocl_memory_at(m) : 0;
    memcpy(k->params + k->offset[i], &at, sizeof at);
    return CL_SUCCESS;
}

API(cl_int) clSetKernelArg(cl_kernel k, cl_uint i, size_t bytes, const void *value) {
    if (!OCL_IS(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (i >= k->signature->n_arguments) return CL_INVALID_ARG_INDEX;
    LOCKED;
    const struct ocl_argument *const a = &k->signature->arguments[i];
    if (a->space == 3) {
        if (value) return CL_INVALID_ARG_VALUE;
        if (!bytes) return CL_INVALID_ARG_SIZE;
        k->value[i] = (struct ocl_value){.is_set = true, .local_bytes = bytes};
        return CL_SUCCESS;
    }
    if (a->is_sampler) {
        if (bytes != sizeof(cl_sampler)) return CL_INVALID_ARG_SIZE;
        const cl_sampler s = value ? *(const cl_sampler *)value : NULL;
        if (!OCL_IS(s, OCL_SAMPLER)) return CL_INVALID_SAMPLER;
        k->value[i] = (struct ocl_value){.is_set = true, .sampler = s};
        const uint64_t bits = ocl_sampler_bits(s);
        memcpy(k->params + k->offset[i], &bits, sizeof bits);
        return CL_SUCCESS;
    }
    if (a->space || a->is_image) return set_memory(k, i, a, bytes, value);
    if (!value) return CL_INVALID_ARG_VALUE;
    if (bytes != k->bytes[i]) return CL_INVALID_ARG_SIZE;
    memcpy(k->params + k->offset[i], value, bytes);
    k->value[i].is_set = true;
    return CL_SUCCESS;
}
API(cl_int)
clSetKernelExecInfo(cl_kernel k, cl_kernel_exec_info what, size_t bytes, const void *value) {
    (void)what, (void)bytes, (void)value;
    return OCL_IS(k, OCL_KERNEL) ? CL_INVALID_OPERATION
                                 : CL_INVALID_KERNEL; // of shared virtual memory
}
API(cl_int) clSetKernelArgSVMPointer(cl_kernel k, cl_uint i, const void *value) {
    (void)i, (void)value;
    return OCL_IS(k, OCL_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

// ---- launches -----------------------------------------------------------------------------------
static size_t align_up(size_t n, size_t to) { return (n + to - 1) / to * to; }
static int attribute_of(cl_kernel k, CUfunction_attribute attribute) {
    int value = 0;
    return cuFuncGetAttribute(&value, attribute, k->function) == CUDA_SUCCESS ? value : 0;
}

// Pieces of dynamic shared memory; answers how many bytes of it there are, or SIZE_MAX if a piece is larger than any
// address of shared memory.
static size_t place_locals(cl_kernel k) {
    const size_t from =
        align_up((size_t)attribute_of(k, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), SHARED_ALIGN);
    size_t at = from;
    for (unsigned i = 0; i < k->signature->n_arguments; i++) {
        if (k->signature->arguments[i].space != 3) continue;
        const size_t bytes = k->value[i].local_bytes;
        if (bytes > UINT32_MAX) return SIZE_MAX;
        size_t align = SHARED_ALIGN;
        while (align < 128 && bytes % (2 * align) == 0)
            align *= 2; // the widest vector is 128 bytes
        at = align_up(at, align);
        const uint64_t address = at;
        memcpy(k->params + k->offset[i], &address, sizeof address);
        at += bytes;
    }
    return at - from;
}

// The memory object of an argument that is a pointer to constants; NULL: another argument, or none was given.
static cl_mem constant_of(cl_kernel k, unsigned i) {
    return k->signature->arguments[i].space == 2 ? k->value[i].memory : NULL;
}

// Copies into the program's constants what is not there yet. check_arguments has seen that all fit.
static CUresult place_constants(cl_kernel k, CUstream stream) {
    cl_program const p = k->program;
    const unsigned n_before = p->n_constants;
    bool is_there = true;
    unsigned n = 0;
    size_t at = 0;
    p->n_constants = 0; // until all are there
    for (unsigned i = 0; i < k->signature->n_arguments; i++) {
        cl_mem const m = constant_of(k, i);
        if (!m) continue;
        if (n == OCL_CONSTANTS || m->bytes > p->constant_bytes - at)
            return CUDA_ERROR_OUT_OF_MEMORY;
        const struct ocl_constant now = {m->id, ocl_version(m, stream)};
        is_there = is_there && n < n_before && now.version != OCL_UNSETTLED &&
                   now.id == p->constant[n].id && now.version == p->constant[n].version;
        p->constant[n++] = now;
        const uint64_t address = CONSTANTS_ALIGN + at;
        memcpy(k->params + k->offset[i], &address, sizeof address);
        at = align_up(at + m->bytes, CONSTANTS_ALIGN);
    }
    if (is_there) {
        p->n_constants = n_before; // what lies behind them stays as well
        return CUDA_SUCCESS;
    }
    CUresult r = p->last_stream && p->last_stream != stream
                     ? cuCtxSynchronize() // others may read what was there
                     : CUDA_SUCCESS;
    at = CONSTANTS_ALIGN;
    for (unsigned i = 0; i < k->signature->n_arguments && r == CUDA_SUCCESS; i++) {
        cl_mem const m = constant_of(k, i);
        if (!m) continue;
        r = cuMemcpyDtoDAsync(p->constants + at, ocl_memory_at(m), m->bytes, stream);
        at = align_up(at + m->bytes, CONSTANTS_ALIGN);
    }
    if (r == CUDA_SUCCESS) p->n_constants = n;
    return r;
}

static CUresult place_images(cl_kernel k) {
    CUresult r = CUDA_SUCCESS;
    for (unsigned i = 0; i < k->signature->n_arguments && r == CUDA_SUCCESS; i++) {
        if (!k->signature->arguments[i].is_image) continue;
        CUdeviceptr at = 0;
        if (ocl_image_tell(k->value[i].memory, &at) != CL_SUCCESS) return CUDA_ERROR_OUT_OF_MEMORY;
        memcpy(k->params + k->offset[i], &at, sizeof at);
    }
    return r;
}

// A variable of the module that built-in functions read; nothing is copied when it holds the value.
static CUresult set_variable(cl_program p, const char *name, uint32_t *holds, const uint32_t *value,
                             size_t words, CUstream stream) {
    CUdeviceptr at;
    if (memcmp(holds, value, words * 4) == 0 ||
        cuModuleGetGlobal(&at, NULL, p->module, name) != CUDA_SUCCESS)
        return CUDA_SUCCESS;
    CUresult r = p->last_stream && p->last_stream != stream ? cuCtxSynchronize() : CUDA_SUCCESS;
    if (r == CUDA_SUCCESS) r = cuMemcpyHtoDAsync(at, value, words * 4, stream);
    memcpy(holds, value, words * 4);
    return r;
}

static CUresult issue_launch(struct ocl_command *c, CUstream stream) {
    cl_kernel const k = c->launch.kernel;
    cl_program const p = k->program;
    const uint32_t offset[3] = {(uint32_t)c->launch.offset[0], (uint32_t)c->launch.offset[1],
                                (uint32_t)c->launch.offset[2]};
    CUresult r = set_variable(p, "ww_offset", p->offset, offset, 3, stream);
    if (r == CUDA_SUCCESS)
        r = set_variable(p, "ww_dimensions", &p->dimensions, &c->launch.dimensions, 1, stream);
    if (r == CUDA_SUCCESS && p->constants) r = place_constants(k, stream);
    if (r == CUDA_SUCCESS) r = place_images(k);
    if (r != CUDA_SUCCESS) return r;
    const unsigned shared = (unsigned)place_locals(k); // checked when the launch was queued
    p->last_stream = stream;
    size_t bytes = k->param_bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, k->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    const size_t *const g = c->launch.grid, *const b = c->launch.block;
    for (unsigned i = 0; i < k->signature->n_arguments; i++) {
        const struct ocl_argument *const a = &k->signature->arguments[i];
        if (k->value[i].memory && !a->is_const && a->space != 2)
            ocl_touch(k->value[i].memory, c->event, stream);
    }
    return cuLaunchKernel(k->function, (unsigned)g[0], (unsigned)g[1], (unsigned)g[2],
                          (unsigned)b[0], (unsigned)b[1], (unsigned)b[2], shared, stream, NULL,
                          bytes ? extra : NULL);
}

// A group's shape that a program leaves to us: as many items in x as divide the work, then in y, then in z.
static void choose_group(cl_kernel k, const size_t *work, size_t block[3]) {
    size_t room = (size_t)attribute_of(k, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    if (room > GROUP_WISH) room = GROUP_WISH;
    for (int d = 0; d < 3; d++) {
        size_t n = room < work[d] ? room : work[d];
        const size_t most =
            (size_t)ocl_attribute((CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + d));
        if (n > most) n = most;
        while (n > 1 && work[d] % n) n--;
        block[d] = n ? n : 1;
        room /= block[d];
    }
}

static cl_int check_launch(cl_kernel k, cl_uint dimensions, const size_t *work, const size_t *group,
                           size_t block[3], size_t grid[3]) {
    const size_t *const required = k->signature->required;
    size_t all[3] = {1, 1, 1}, threads = 1;
    for (cl_uint d = 0; d < dimensions; d++) all[d] = work[d];
    block[0] = block[1] = block[2] = 1;
    if (group)
        for (cl_uint d = 0; d < dimensions; d++) block[d] = group[d];
    else if (required[0])
        memcpy(block, required, 3 * sizeof *block);
    else
        choose_group(k, all, block);
    for (int d = 0; d < 3; d++) {
        if (required[0] && block[d] != required[d]) return CL_INVALID_WORK_GROUP_SIZE;
        if (!block[d] || all[d] % block[d]) return CL_INVALID_WORK_GROUP_SIZE;
        if (block[d] >
            (size_t)ocl_attribute((CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + d)))
            return CL_INVALID_WORK_ITEM_SIZE;
        grid[d] = all[d] / block[d];
        if (grid[d] >
            (size_t)ocl_attribute((CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + d)))
            return CL_INVALID_GLOBAL_WORK_SIZE;
        threads *= block[d];
    }
    return threads > (size_t)attribute_of(k, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
               ? CL_INVALID_WORK_GROUP_SIZE
               : CL_SUCCESS;
}

static cl_int check_arguments(cl_command_queue q, cl_kernel k) {
    size_t constants = 0;
    for (unsigned i = 0; i < k->signature->n_arguments; i++) {
        const struct ocl_value *const v = &k->value[i];
        if (!v->is_set) return CL_INVALID_KERNEL_ARGS;
        if (v->memory && v->memory->context != q->context) return CL_INVALID_CONTEXT;
        if (v->memory && k->signature->arguments[i].space == 2)
            constants = align_up(constants + v->memory->bytes, CONSTANTS_ALIGN);
    }
    const size_t room = k->program->constant_bytes > CONSTANTS_ALIGN
                            ? k->program->constant_bytes - CONSTANTS_ALIGN
                            : 0;
    if (constants <= room) return CL_SUCCESS;
    char *const why = ocl_printf(
        "kernel `%s`: the buffers of its __constant arguments take %zu bytes, in pieces of %d; "
        "constant memory has room for %zu",
        k->signature->name, constants, CONSTANTS_ALIGN, room);
    if (why) ocl_say("OpenCL", why);
    free(why);
    return CL_OUT_OF_RESOURCES;
}

static cl_int launch(cl_command_queue q, cl_command_type type, cl_kernel k, cl_uint dimensions,
                     const size_t *offset, const size_t *work, const size_t *group, cl_uint n,
                     const cl_event *list, cl_event *event) {
    if (!OCL_IS(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!OCL_IS(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (k->program->context != q->context) return CL_INVALID_CONTEXT;
    if (!dimensions || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
    LOCKED;
    cl_int bad = ocl_check_wait_list(q->context, n, list);
    if (!bad) bad = check_arguments(q, k);
    if (bad) return bad;
    size_t total = work ? 1 : 0;
    for (cl_uint d = 0; d < dimensions && work; d++) {
        if (offset && offset[d] + work[d] < work[d]) return CL_INVALID_GLOBAL_OFFSET;
        if (offset && offset[d] > UINT32_MAX)
            return CL_INVALID_GLOBAL_OFFSET; // assumed: ids of 32 bits, as registers have
        total *= work[d];
    }
    struct ocl_command *c = ocl_command_new(q, type, total ? issue_launch : NULL);
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    c->launch.kernel = snapshot(k, &bad);
    if (!bad && total)
        bad = check_launch(k, dimensions, work, group, c->launch.block, c->launch.grid);
    if (!bad) {
        const size_t own = (size_t)attribute_of(k, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
        const size_t most = (size_t)ocl_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
        if (own > most || place_locals(c->launch.kernel) > most - own) bad = CL_OUT_OF_RESOURCES;
    }
    if (!c->launch.kernel || bad) {
        if (c->launch.kernel) ocl_release(c->launch.kernel);
        ocl_release(c->event);
        free(c);
        return bad;
    }
    c->launch.dimensions = dimensions;
    for (cl_uint d = 0; d < dimensions && offset; d++) c->launch.offset[d] = offset[d];
    ocl_command_hold(c, c->launch.kernel);
    ocl_release(c->launch.kernel); // the command's now
    return ocl_enqueue(q, c, n, list, event, false);
}

API(cl_int)
clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dimensions, const size_t *offset,
                       const size_t *work, const size_t *group, cl_uint n, const cl_event *list,
                       cl_event *event) {
    return launch(q, CL_COMMAND_NDRANGE_KERNEL, k, dimensions, offset, work, group, n, list, event);
}
API(cl_int)
clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *list, cl_event *event) {
    const size_t one = 1;
    return launch(q, CL_COMMAND_TASK, k, 1, NULL, &one, &one, n, list, event);
}
API(cl_int)
clEnqueueNativeKernel(cl_command_queue q, void(CL_CALLBACK *function)(void *), void *arguments,
                      size_t bytes, cl_uint n_memory, const cl_mem *memory, const void **places,
                      cl_uint n, const cl_event *list, cl_event *event) {
    (void)function, (void)arguments, (void)bytes, (void)n_memory, (void)memory, (void)places,
        (void)n, (void)list, (void)event;
    return OCL_IS(q, OCL_QUEUE) ? CL_INVALID_OPERATION
                                : CL_INVALID_COMMAND_QUEUE; // the host is no part of the GPU
}

// ---- answers ------------------------------------------------------------------------------------
API(cl_int)
clGetKernelInfo(cl_kernel k, cl_kernel_info what, size_t room, void *out, size_t *needed) {
    if (!OCL_IS(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME: ANSWER_TEXT(k->signature->name);
    case CL_KERNEL_NUM_ARGS: ANSWER_AS(cl_uint, k->signature->n_arguments);
    case CL_KERNEL_REFERENCE_COUNT: ANSWER(k->o.references);
    case CL_KERNEL_CONTEXT: ANSWER(k->program->context);
    case CL_KERNEL_PROGRAM: ANSWER(k->program);
    case CL_KERNEL_ATTRIBUTES: {
        const size_t *const r = k->signature->required, *const h = k->signature->hint;
        char text[256] = "";
        if (r[0])
            snprintf(text, sizeof text, "reqd_work_group_size(%zu,%zu,%zu)", r[0], r[1], r[2]);
        if (h[0])
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "%swork_group_size_hint(%zu,%zu,%zu)", *text ? " " : "", h[0], h[1], h[2]);
        if (k->signature->vector_hint)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%svec_type_hint(%s)",
                     *text ? " " : "", k->signature->vector_hint);
        ANSWER_TEXT(text);
    }
    default: return CL_INVALID_VALUE;
    }
}

API(cl_int)
clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id device, cl_kernel_work_group_info what,
                         size_t room, void *out, size_t *needed) {
    if (!OCL_IS(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (device && device != ocl_device()) return CL_INVALID_DEVICE;
    LOCKED;
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        ANSWER_AS(size_t, attribute_of(k, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: ANSWER(k->signature->required);
    case CL_KERNEL_LOCAL_MEM_SIZE: {
        cl_ulong bytes = (cl_ulong)attribute_of(k, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
        for (unsigned i = 0; i < k->signature->n_arguments; i++) bytes += k->value[i].local_bytes;
        ANSWER(bytes);
    }
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        ANSWER_AS(size_t, ocl_attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        ANSWER_AS(cl_ulong, attribute_of(k, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    case CL_KERNEL_GLOBAL_WORK_SIZE: // of built-in kernels and custom devices
    default: return CL_INVALID_VALUE;
    }
}

API(cl_int)
clGetKernelArgInfo(cl_kernel k, cl_uint i, cl_kernel_arg_info what, size_t room, void *out,
                   size_t *needed) {
    if (!OCL_IS(k, OCL_KERNEL)) return CL_INVALID_KERNEL;
    if (i >= k->signature->n_arguments) return CL_INVALID_ARG_INDEX;
    const struct ocl_argument *const a = &k->signature->arguments[i];
    switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: {
        static const cl_kernel_arg_address_qualifier spaces[] = {
            CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL,
            CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_LOCAL};
        ANSWER(spaces[a->space & 3]);
    }
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: {
        const char *const w = a->access ? a->access : "";
        ANSWER_AS(cl_kernel_arg_access_qualifier,
                  strcmp(w, "read_only") == 0    ? CL_KERNEL_ARG_ACCESS_READ_ONLY
                  : strcmp(w, "write_only") == 0 ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
                  : strcmp(w, "read_write") == 0 ? CL_KERNEL_ARG_ACCESS_READ_WRITE
                                                 : CL_KERNEL_ARG_ACCESS_NONE);
    }
    case CL_KERNEL_ARG_TYPE_NAME: ANSWER_TEXT(a->type ? a->type : "");
    case CL_KERNEL_ARG_TYPE_QUALIFIER: {
        const char *const w = a->qualifiers ? a->qualifiers : "";
        ANSWER_AS(cl_kernel_arg_type_qualifier,
                  (strstr(w, "const") ? CL_KERNEL_ARG_TYPE_CONST : 0) |
                      (strstr(w, "restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
                      (strstr(w, "volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0));
    }
    case CL_KERNEL_ARG_NAME: ANSWER_TEXT(a->name ? a->name : "");
    default: return CL_INVALID_VALUE;
    }
}
API(cl_int)
clGetKernelSubGroupInfo(cl_kernel k, cl_device_id device, cl_kernel_sub_group_info what,
                        size_t in_bytes, const void *in, size_t room, void *out, size_t *needed) {
    (void)device, (void)what, (void)in_bytes, (void)in, (void)room, (void)out, (void)needed;
    return OCL_IS(k, OCL_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL; // no sub-groups
}
