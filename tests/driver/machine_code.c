// Modules of machine code through the driver's interface, on a GPU of capability 7.0: by themselves,
// beside PTX, linked; their variables, functions, attributes; what is refused.
#include "driver_test.h"

static char *file(const char *name, size_t *bytes) {
    char path[512];
    snprintf(path, sizeof path, "%s/../../sass/data/%s", FATBIN_DIR, name);
    FILE *f = fopen(path, "rb");
    CHECK(f);
    if (!f) exit(1);
    char *image = malloc(1 << 20);
    *bytes = fread(image, 1, 1 << 20, f);
    fclose(f);
    return image;
}

// Kernel call: out[i] = 3 * 2 * i, through a function in memory.
static void calls(CUmodule m) {
    CUfunction f;
    CUdeviceptr p;
    unsigned v[32], which = 1;
    OK(cuModuleGetFunction(&f, m, "call"));
    OK(cuMemAlloc(&p, sizeof v));
    void *parameters[] = {&p, &which};
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    OK(cuMemcpyDtoH(v, p, sizeof v));
    for (unsigned i = 0; i < 32; i++) CHECK(v[i] == 6 * i);
    OK(cuMemFree(p));
}

static void by_itself(void) {
    size_t bytes;
    char *image = file("module_sm_70.cubin", &bytes);
    CUmodule m;
    OK(cuModuleLoadData(&m, image));
    free(image); // the module has its own
    calls(m);
    CUdeviceptr table;
    size_t size;
    unsigned v[4];
    OK(cuModuleGetGlobal(&table, &size, m, "table"));
    CHECK(size == sizeof v);
    OK(cuMemcpyDtoH(v, table, sizeof v));
    CHECK(v[0] == 1 && v[3] == 4);
    CUfunction f;
    int value;
    OK(cuModuleGetFunction(&f, m, "vars"));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    CHECK(value == 24); // what ptxas -v says
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    CHECK(value == 256);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, f));
    CHECK(value == 70);
    size_t offset, width;
    OK(cuFuncGetParamInfo(f, 1, &offset, &width));
    CHECK(offset == 8 && width == 4);
    IS(cuFuncGetParamInfo(f, 2, &offset, &width), CUDA_ERROR_INVALID_VALUE);
    IS(cuModuleGetFunction(&f, m, "twice"), CUDA_ERROR_NOT_FOUND); // no kernel
    CUtexref t;
    OK(cuModuleGetTexRef(&t, m, "image"));
    IS(cuModuleGetTexRef(&t, m, "surf"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleUnload(m));
}

static void beside_ptx(void) {
    size_t bytes;
    char *image = file("both_sm_70.fatbin", &bytes);
    CUmodule m;
    OK(cuModuleLoadFatBinary(&m, image));
    calls(m);
    OK(cuModuleUnload(m));
    CUlibrary l;
    CUkernel k;
    OK(cuLibraryLoadData(&l, image, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&k, l, "call"));
    OK(cuLibraryUnload(l));
    free(image);
}

static void linked(void) {
    CUlinkState s;
    CUmodule m;
    void *image;
    size_t bytes, code_bytes, size;
    char *code = file("module_rdc_sm_70.cubin", &code_bytes),
         *both = file("both_sm_70.fatbin", &size);
    OK(cuLinkCreate(0, NULL, NULL, &s));
    OK(cuLinkAddData(s, CU_JIT_INPUT_CUBIN, code, code_bytes, "unit", 0, NULL, NULL));
    OK(cuLinkComplete(s, &image, &bytes));
    OK(cuModuleLoadData(&m, image));
    calls(m);
    OK(cuModuleUnload(m));
    OK(cuLinkDestroy(s));
    // Machine code of several has no linker here, PTX of several has.
    static const char other[] = PTX(".entry other() { ret; }");
    OK(cuLinkCreate(0, NULL, NULL, &s));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)other, sizeof other, "other", 0, NULL, NULL));
    OK(cuLinkAddData(s, CU_JIT_INPUT_FATBINARY, both, size, "both", 0, NULL, NULL));
    OK(cuLinkComplete(s, &image, &bytes));
    OK(cuModuleLoadData(&m, image));
    calls(m);
    OK(cuModuleUnload(m));
    struct capture c = capture_begin(2);
    OK(cuLinkAddData(s, CU_JIT_INPUT_CUBIN, code, code_bytes, "unit", 0, NULL, NULL));
    IS(cuLinkComplete(s, &image, &bytes), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(strstr(capture_end(c), "unit holds no PTX"));
    OK(cuLinkDestroy(s));
    free(code);
    free(both);
}

static void for_another_gpu(void) {
    size_t bytes;
    char *image = file("module_sm_80.cubin", &bytes);
    CUmodule m;
    struct capture c = capture_begin(2);
    IS(cuModuleLoadData(&m, image), CUDA_ERROR_NO_BINARY_FOR_GPU);
    CHECK(strstr(capture_end(c), "machine code for compute capability 8.0 and no PTX; v100 has 7.0"));
    free(image);
}

int main(void) {
    setenv("WARPWATT_GPU", FATBIN_DIR "/../../../gpus/v100.yaml", 1);
    CUcontext c;
    CUdevice d;
    OK(cuInit(0));
    OK(cuDeviceGet(&d, 0));
    OK(cuCtxCreate(&c, 0, d));
    by_itself();
    beside_ptx();
    linked();
    for_another_gpu();
    OK(cuCtxDestroy(c));
    return 0;
}
