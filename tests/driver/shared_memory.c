// Shared memory of a block on a V100: 48 KB unless the kernel asks for more, 96 KB at most; what
// the attributes say, and that a launch follows them.
#include "driver_test.h"

static const char ptx[] = PTX(".extern .shared .align 4 .b8 room[];\n"
                              ".visible .entry touch(.param .u32 at) {\n"
                              "  .reg .u32 %r<3>; ld.param.u32 %r0, [at]; mov.u32 %r1, room;\n"
                              "  add.u32 %r0, %r0, %r1; st.shared.u32 [%r0], %r1; ret;\n}\n");

static CUresult touch(CUfunction f, unsigned bytes) {
    uint32_t at = bytes - 4;
    void *params[] = {&at};
    const CUresult r = cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, bytes, NULL, params, NULL);
    return r != CUDA_SUCCESS ? r : cuCtxSynchronize();
}

int main(void) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction f;
    int value;
    setenv("WARPWATT_GPU", "v100", 1);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(value == 7);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device));
    CHECK(value == 49152);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device));
    CHECK(value == 98304);
    OK(cuCtxCreate(&context, 0, device));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&f, module, "touch"));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    CHECK(value == 49152);
    OK(touch(f, 49152));
    CHECK(touch(f, 49156) == CUDA_ERROR_INVALID_VALUE); // not asked for
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 98308) ==
          CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    CHECK(value == 65536);
    OK(touch(f, 65536));
    CHECK(touch(f, 65540) == CUDA_ERROR_INVALID_VALUE);
    CHECK(touch(f, 98308) == CUDA_ERROR_INVALID_VALUE); // no block can have it
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 98304));
    OK(touch(f, 98304));
    OK(cuCtxDestroy(context));
    return 0;
}
