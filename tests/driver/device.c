// Device queries, errors by name, versions.
#include "driver_test.h"

static int attribute(CUdevice_attribute a) {
    int v;
    OK(cuDeviceGetAttribute(&v, a, 0));
    return v;
}

static void before_init(void) {
    int n;
    CUcontext c;
    CUdeviceptr p;
    IS(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuCtxCreate(&c, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuMemAlloc(&p, 4), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuDriverGetVersion(&n)); // needs no cuInit
    CHECK(n >= 13000); // a runtime of that version accepts it
}

static void names_of_errors(void) {
    const char *s;
    OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &s));
    CHECK(strcmp(s, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &s));
    CHECK(s && *s);
    IS(cuGetErrorName((CUresult)12345, &s), CUDA_ERROR_INVALID_VALUE);
    CHECK(!s);
}

static void the_device(void) {
    int n, major, minor;
    CUdevice d;
    char name[64];
    size_t bytes;
    CUuuid id;
    OK(cuDeviceGetCount(&n));
    CHECK(n == 1);
    OK(cuDeviceGet(&d, 0));
    IS(cuDeviceGet(&d, 1), CUDA_ERROR_INVALID_DEVICE);
    IS(cuDeviceGet(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(strcmp(name, "GeForce GTX 480") == 0);
    OK(cuDeviceGetName(name, 4, 0));
    CHECK(strcmp(name, "GeF") == 0);
    IS(cuDeviceGetName(name, sizeof name, 7), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceTotalMem(&bytes, 0));
    CHECK(bytes == (size_t)1536 << 20);
    OK(cuDeviceComputeCapability(&major, &minor, 0));
    CHECK(major == 2 && minor == 0);
    OK(cuDeviceGetUuid(&id, 0));
    OK(cuDeviceGetPCIBusId(name, sizeof name, 0));
    d = 5;
    OK(cuDeviceGetByPCIBusId(&d, name));
    CHECK(d == 0);
    IS(cuDeviceGetByPCIBusId(&d, "0000:02:00.0"), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceCanAccessPeer(&n, 0, 0));
    CHECK(n == 0);
}

static void attributes(void) {
    CUdevprop p;
    OK(cuDeviceGetProperties(&p, 0));
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == 1024 &&
          p.maxThreadsPerBlock == 1024);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE) == 32 && p.SIMDWidth == 32);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) == 15);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) == 2);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) == 48 << 10);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK) == 32768);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY) == 64 << 10);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) == 384);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) == 768 << 10);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING) == 1);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH) >= 65000);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH) > 0);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO) == 8);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == 0);
    int v;
    IS(cuDeviceGetAttribute(&v, (CUdevice_attribute)0, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1), CUDA_ERROR_INVALID_DEVICE);
}

int main(void) {
    before_init();
    OK(cuInit(0));
    OK(cuInit(0)); // twice is once
    names_of_errors();
    the_device();
    attributes();
    return 0;
}
