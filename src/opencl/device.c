// What the device answers. What the GPU file and the driver say is asked of the driver; what OpenCL alone asks stands here.
#include <stdio.h>
#include <stdlib.h>

#include "opencl.h"

#define ROW(name, cc) {#name, cc},
static const struct ocl_trait extensions[] = {OCL_EXTENSIONS(ROW){"cl_khr_icd", 0}},
                              features[] = {OCL_FEATURES(ROW)};
#undef ROW
enum {
    EXTENSIONS = sizeof extensions / sizeof *extensions,
    FEATURES = sizeof features / sizeof *features
};

API(cl_int)
clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *devices,
               cl_uint *needed) {
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (p != ocl_platform()) return CL_INVALID_PLATFORM;
    if (!type || (type != CL_DEVICE_TYPE_ALL && type & ~known)) return CL_INVALID_DEVICE_TYPE;
    if ((devices && !n) || (!devices && !needed)) return CL_INVALID_VALUE;
    LOCKED;
    const bool is_there = type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT) && ocl_open();
    if (needed) *needed = is_there;
    if (!is_there) return CL_DEVICE_NOT_FOUND;
    if (devices) devices[0] = ocl_device();
    return CL_SUCCESS;
}
API(cl_int) clRetainDevice(cl_device_id d) {
    return d == ocl_device() ? CL_SUCCESS : CL_INVALID_DEVICE;
}
API(cl_int) clReleaseDevice(cl_device_id d) {
    return d == ocl_device() ? CL_SUCCESS : CL_INVALID_DEVICE;
}
API(cl_int)
clCreateSubDevices(cl_device_id d, const cl_device_partition_property *p, cl_uint n,
                   cl_device_id *out, cl_uint *needed) {
    (void)p, (void)n, (void)out, (void)needed;
    return d == ocl_device() ? CL_INVALID_VALUE : CL_INVALID_DEVICE; // it cannot be parted
}

// With the version of their text, as 3.0 asks for them.
static cl_int answer_traits(const struct ocl_trait *all, size_t n, size_t room, void *out,
                            size_t *needed) {
    cl_name_version list[EXTENSIONS + FEATURES];
    size_t has = 0;
    for (size_t i = 0; i < n; i++) {
        if (all[i].cc > ocl_cc()) continue;
        list[has] = (cl_name_version){.version = CL_MAKE_VERSION(1, 0, 0)};
        snprintf(list[has++].name, sizeof list->name, "%s", all[i].name);
    }
    return ocl_answer(list, has * sizeof *list, room, out, needed);
}
static cl_int answer_extensions(size_t room, void *out, size_t *needed) {
    char text[EXTENSIONS * 64] = "";
    size_t n = 0;
    for (size_t i = 0; i < EXTENSIONS; i++)
        if (extensions[i].cc <= ocl_cc())
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "",
                                  extensions[i].name);
    ANSWER_TEXT(text);
}

API(cl_int)
clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t room, void *out, size_t *needed) {
    if (d != ocl_device()) return CL_INVALID_DEVICE;
    LOCKED;
#define A(name) ocl_attribute(CU_DEVICE_ATTRIBUTE_##name)
    size_t memory = 0;
    cuDeviceTotalMem(&memory, 0);
    const cl_device_fp_config all_fp = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                       CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
    const cl_device_atomic_capabilities atomics =
        CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
        CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
        CL_DEVICE_ATOMIC_SCOPE_DEVICE;
    switch (what) {
    case CL_DEVICE_TYPE: ANSWER_AS(cl_device_type, CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_VENDOR_ID: ANSWER_AS(cl_uint, 0x10de); // of the boards that are simulated
    case CL_DEVICE_MAX_COMPUTE_UNITS: ANSWER_AS(cl_uint, A(MULTIPROCESSOR_COUNT));
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: ANSWER_AS(cl_uint, 3);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
        const size_t sizes[3] = {(size_t)A(MAX_BLOCK_DIM_X), (size_t)A(MAX_BLOCK_DIM_Y),
                                 (size_t)A(MAX_BLOCK_DIM_Z)};
        ANSWER(sizes);
    }
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: ANSWER_AS(size_t, A(MAX_THREADS_PER_BLOCK));
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: ANSWER_AS(size_t, A(WARP_SIZE));
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: ANSWER_AS(cl_uint, 0); // no cl_khr_fp16
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: ANSWER_AS(cl_uint, 1);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: ANSWER_AS(cl_uint, A(CLOCK_RATE) / 1000);
    case CL_DEVICE_ADDRESS_BITS: ANSWER_AS(cl_uint, 64);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        ANSWER_AS(cl_ulong, memory / 4); // the least that OpenCL allows
    case CL_DEVICE_IMAGE_SUPPORT: ANSWER_AS(cl_bool, CL_TRUE);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS: ANSWER_AS(cl_uint, 128);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS: ANSWER_AS(cl_uint, 64);
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: ANSWER_AS(cl_uint, 0);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH: ANSWER_AS(size_t, A(MAXIMUM_TEXTURE2D_WIDTH));
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT: ANSWER_AS(size_t, A(MAXIMUM_TEXTURE2D_HEIGHT));
    case CL_DEVICE_IMAGE3D_MAX_WIDTH: ANSWER_AS(size_t, A(MAXIMUM_TEXTURE3D_WIDTH));
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT: ANSWER_AS(size_t, A(MAXIMUM_TEXTURE3D_HEIGHT));
    case CL_DEVICE_IMAGE3D_MAX_DEPTH: ANSWER_AS(size_t, A(MAXIMUM_TEXTURE3D_DEPTH));
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: ANSWER_AS(size_t, A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: ANSWER_AS(size_t, A(MAXIMUM_TEXTURE2D_LAYERED_LAYERS));
    case CL_DEVICE_MAX_SAMPLERS: ANSWER_AS(cl_uint, 16);
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
        ANSWER_AS(cl_uint, 0); // no two-dimensional image of a buffer
    case CL_DEVICE_MAX_PARAMETER_SIZE: ANSWER_AS(size_t, 4096);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: ANSWER_AS(cl_uint, A(TEXTURE_ALIGNMENT) * 8);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: ANSWER_AS(cl_uint, 128);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        // arithmetic keeps denormals; libclc's functions (exp, ldexp) do not make them
        ANSWER_AS(cl_device_fp_config, (all_fp & ~(cl_device_fp_config)CL_FP_DENORM) |
                                           CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    case CL_DEVICE_DOUBLE_FP_CONFIG: ANSWER_AS(cl_device_fp_config, ocl_cc() >= 13 ? all_fp : 0);
    case CL_DEVICE_HALF_FP_CONFIG: ANSWER_AS(cl_device_fp_config, 0);
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
        ANSWER_AS(cl_device_mem_cache_type, A(L2_CACHE_SIZE) ? CL_READ_WRITE_CACHE : CL_NONE);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: ANSWER_AS(cl_uint, A(L2_CACHE_SIZE) ? 128 : 0);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: ANSWER_AS(cl_ulong, A(L2_CACHE_SIZE));
    case CL_DEVICE_GLOBAL_MEM_SIZE: ANSWER_AS(cl_ulong, memory);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: ANSWER_AS(cl_ulong, A(TOTAL_CONSTANT_MEMORY));
    case CL_DEVICE_MAX_CONSTANT_ARGS: ANSWER_AS(cl_uint, 9);
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: ANSWER_AS(size_t, 0);
    case CL_DEVICE_LOCAL_MEM_TYPE: ANSWER_AS(cl_device_local_mem_type, CL_LOCAL);
    case CL_DEVICE_LOCAL_MEM_SIZE: ANSWER_AS(cl_ulong, A(MAX_SHARED_MEMORY_PER_BLOCK));
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT: ANSWER_AS(cl_bool, A(ECC_ENABLED));
    case CL_DEVICE_HOST_UNIFIED_MEMORY: ANSWER_AS(cl_bool, CL_FALSE);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION: ANSWER_AS(size_t, 1);
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_AVAILABLE: ANSWER_AS(cl_bool, CL_TRUE);
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE: ANSWER_AS(cl_bool, ocl_has_compiler());
    case CL_DEVICE_EXECUTION_CAPABILITIES: ANSWER_AS(cl_device_exec_capabilities, CL_EXEC_KERNEL);
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
        ANSWER_AS(cl_command_queue_properties,
                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES: ANSWER_AS(cl_command_queue_properties, 0);
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
    case CL_DEVICE_MAX_NUM_SUB_GROUPS: ANSWER_AS(cl_uint, 0);
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
    case CL_DEVICE_PIPE_SUPPORT: ANSWER_AS(cl_bool, CL_FALSE);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: ANSWER_AS(cl_device_device_enqueue_capabilities, 0);
    case CL_DEVICE_SVM_CAPABILITIES: ANSWER_AS(cl_device_svm_capabilities, 0);
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: ANSWER(atomics);
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
        ANSWER_AS(cl_device_atomic_capabilities, atomics | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM);
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT: ANSWER_AS(cl_uint, 0);
    case CL_DEVICE_BUILT_IN_KERNELS: ANSWER_TEXT("");
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
    case CL_DEVICE_ILS_WITH_VERSION: ANSWER_NOTHING;
    case CL_DEVICE_IL_VERSION: ANSWER_TEXT("");
    case CL_DEVICE_PLATFORM: ANSWER_AS(cl_platform_id, ocl_platform());
    case CL_DEVICE_NAME: ANSWER_TEXT(d->name);
    case CL_DEVICE_VENDOR: ANSWER_TEXT("warpwatt");
    case CL_DRIVER_VERSION: ANSWER_TEXT(OPENCL_WARPWATT_VERSION);
    case CL_DEVICE_PROFILE: ANSWER_TEXT("FULL_PROFILE");
    case CL_DEVICE_VERSION: ANSWER_TEXT("OpenCL 3.0 warpwatt");
    case CL_DEVICE_NUMERIC_VERSION: ANSWER_AS(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_DEVICE_OPENCL_C_VERSION: ANSWER_TEXT("OpenCL C 1.2 clang 14");
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR: ANSWER_AS(cl_version, CL_MAKE_VERSION(1, 2, 0));
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS: {
        static const cl_name_version versions[] = {{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
                                                   {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
                                                   {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
                                                   {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"}};
        ANSWER(versions);
    }
    case CL_DEVICE_OPENCL_C_FEATURES: return answer_traits(features, FEATURES, room, out, needed);
    case CL_DEVICE_EXTENSIONS: return answer_extensions(room, out, needed);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return answer_traits(extensions, EXTENSIONS, room, out, needed);
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
        ANSWER_TEXT("v0000-01-01-00"); // none was passed whole; the text has to have this form
    case CL_DEVICE_PRINTF_BUFFER_SIZE: ANSWER_AS(size_t, 1 << 20);
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: ANSWER_AS(cl_bool, CL_TRUE);
    case CL_DEVICE_PARENT_DEVICE: ANSWER_AS(cl_device_id, NULL);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: ANSWER_AS(cl_uint, 0);
    case CL_DEVICE_PARTITION_PROPERTIES: ANSWER_AS(cl_device_partition_property, 0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: ANSWER_AS(cl_device_affinity_domain, 0);
    case CL_DEVICE_PARTITION_TYPE: ANSWER_NOTHING;
    case CL_DEVICE_REFERENCE_COUNT: ANSWER_AS(cl_uint, 1);
    case 0x4000:
        ANSWER_AS(cl_uint,
                  d->cc_major); // cl_nv_device_attribute_query: programs ask without looking for it
    case 0x4001: ANSWER_AS(cl_uint, d->cc_minor);
    case 0x4002: ANSWER_AS(cl_uint, A(MAX_REGISTERS_PER_BLOCK));
    case 0x4003: ANSWER_AS(cl_uint, A(WARP_SIZE));
    case 0x4004:                                     // copies under kernels
    case 0x4005:                                     // a limit of time of kernels
    case 0x4006: ANSWER_AS(cl_bool, what == 0x4004); // memory that is the host's
    default: return CL_INVALID_VALUE;
    }
}
