// Modules of machine code through the driver's interface, on a GPU of capability 7.0: by themselves,
// beside PTX, linked; their variables, functions, attributes; what is refused.
#include <math.h>

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
    // One of PTX, one of both: they meet as PTX.
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
    CHECK(strstr(capture_end(c), "unit holds machine code and no PTX, other would run from PTX"));
    OK(cuLinkDestroy(s));
    // Alone or not, a damaged one is refused where it is added, as cuModuleLoadData refuses it.
    OK(cuLinkCreate(0, NULL, NULL, &s));
    c = capture_begin(2);
    IS(cuLinkAddData(s, CU_JIT_INPUT_CUBIN, code, code_bytes - 100, "short", 0, NULL, NULL),
       CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(capture_end(c), "short is no cubin that can be read: "));
    CHECK(cuLinkComplete(s, &image, &bytes) != 0);
    OK(cuLinkDestroy(s));
    free(code);
    free(both);
}

// ---- units (sass/data/unit_a.ptx says what its kernels compute) --------------------------------
enum { THREADS = 64 };

static unsigned first_of(unsigned i) {
    const unsigned reversed = 70 + 2 * i, scale[] = {10000, 20000, 30000, 40000};
    return reversed + (2 * i + 5) + (i + 1000) + scale[i % 4] + 200 + (i % 2 ? 3 * i : 9 * i + 70);
}
static unsigned second_of(unsigned i) {
    const double d = i;
    switch (i % 8) {
    case 0: return (unsigned)fma(d, 4 / 3., 100);
    case 1: return (unsigned)(d * 3.14);
    case 2: return (unsigned)fma(d, 3.141592653589793, 2.718281828459045);
    case 3: return (unsigned)(d + 2000.05);
    case 4: return (unsigned)fma(d * d, 0.1, 1.2);
    case 5: return 6172;
    case 6: return (unsigned)fma(d, 10.4, 15.4);
    default: return (unsigned)(12345.678 - d);
    }
}

static void run_unit_kernels(CUmodule m) {
    unsigned (*const expected[])(unsigned) = {first_of, second_of};
    const char *const name[] = {"first", "second"};
    CUdeviceptr p, counter;
    unsigned v[THREADS], count;
    size_t size;
    OK(cuMemAlloc(&p, sizeof v));
    for (int k = 0; k < 2; k++) {
        CUfunction f;
        void *parameters[] = {&p};
        OK(cuModuleGetFunction(&f, m, name[k]));
        OK(cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, sizeof v, NULL, parameters, NULL));
        OK(cuMemcpyDtoH(v, p, sizeof v));
        for (unsigned i = 0; i < THREADS; i++) {
            if (v[i] != expected[k](i))
                fprintf(stderr, "%s[%u]: %u, not %u\n", name[k], i, v[i], expected[k](i));
            CHECK(v[i] == expected[k](i));
        }
    }
    OK(cuModuleGetGlobal(&counter, &size, m, "counter"));
    OK(cuMemcpyDtoH(&count, counter, sizeof count));
    CHECK(size == sizeof count && count == THREADS);
    OK(cuMemFree(p));
}

// Links files of sass/data; the sentence that is said where that does not work.
static const char *link_files(const char *const *name, int n, CUjitInputType type, void **image,
                              CUlinkState *s) {
    struct capture c = capture_begin(2);
    CUresult r = cuLinkCreate(0, NULL, NULL, s);
    for (int i = 0; i < n && r == CUDA_SUCCESS; i++) {
        size_t bytes;
        char *data = file(name[i], &bytes);
        r = cuLinkAddData(*s, type, data, bytes, name[i], 0, NULL, NULL);
        free(data);
    }
    size_t bytes;
    if (r == CUDA_SUCCESS) r = cuLinkComplete(*s, image, &bytes);
    const char *said = capture_end(c);
    CHECK((r != CUDA_SUCCESS) == (*said != 0));
    return said;
}

// The other unit out of a library, whose first member is not needed: it would define all twice.
static void library(void) {
    CUlinkState s;
    CUmodule m;
    void *image;
    size_t bytes, library_bytes, size;
    char *code = file("unit_a_sm_70.cubin", &bytes), *units = file("units_sm_70.a", &library_bytes);
    OK(cuLinkCreate(0, NULL, NULL, &s));
    OK(cuLinkAddData(s, CU_JIT_INPUT_LIBRARY, units, library_bytes, "units.a", 0, NULL, NULL));
    OK(cuLinkAddData(s, CU_JIT_INPUT_CUBIN, code, bytes, "a", 0, NULL, NULL));
    OK(cuLinkComplete(s, &image, &size));
    OK(cuModuleLoadData(&m, image));
    run_unit_kernels(m);
    OK(cuModuleUnload(m));
    struct capture c = capture_begin(2);
    CHECK(cuLinkAddData(s, CU_JIT_INPUT_LIBRARY, units, library_bytes - 100, "cut.a", 0, NULL,
                        NULL) != 0);
    CHECK(cuLinkAddData(s, CU_JIT_INPUT_LIBRARY, code, bytes, "a", 0, NULL, NULL) != 0);
    CHECK(cuLinkAddData(s, CU_JIT_INPUT_OBJECT, units, library_bytes, "b", 0, NULL, NULL) != 0);
    const char *said = capture_end(c);
    CHECK(strstr(said, "cut.a is cut off: a member at byte"));
    CHECK(strstr(said, "a is no library (an archive of ar)"));
    CHECK(strstr(said, "b is no object file (ELF of 64 bits)"));
    OK(cuLinkDestroy(s));
    free(code);
    free(units);
}

static void units(void) {
    static const char *const code[] = {"unit_a_sm_70.cubin", "unit_b_sm_70.cubin"},
                             *const other_way[] = {"unit_b_sm_70.cubin", "unit_a_sm_70.cubin"},
                             *const ptx[] = {"unit_a.ptx", "unit_b.ptx"};
    const struct {
        const char *const *name;
        CUjitInputType type;
    } ways[] = {
        {code, CU_JIT_INPUT_CUBIN}, {other_way, CU_JIT_INPUT_CUBIN}, {ptx, CU_JIT_INPUT_PTX}};
    for (int i = 0; i < 3; i++) {
        CUlinkState s;
        CUmodule m;
        void *image;
        CHECK(!*link_files(ways[i].name, 2, ways[i].type, &image, &s));
        OK(cuModuleLoadData(&m, image));
        OK(cuLinkDestroy(s));
        run_unit_kernels(m);
        OK(cuModuleUnload(m));
    }
    library();
    static const struct {
        const char *name[2], *said;
    } bad[] = {{{"unit_a_sm_70.cubin", "unit_a_sm_70.cubin"},
                "it defines counter, as unit_a_sm_70.cubin does"},
               {{"unit_a_sm_70.cubin", "module_sm_70.cubin"}, "a linker has made a whole of it"}};
    for (int i = 0; i < 2; i++) {
        CUlinkState s;
        void *image;
        CHECK(strstr(link_files(bad[i].name, 2, CU_JIT_INPUT_CUBIN, &image, &s), bad[i].said));
        OK(cuLinkDestroy(s));
    }
}

// Blocks whose threads read what their neighbours wrote before all of them waited. Two warps a block, the second not full.
static void grid_waits(void) {
    enum { BLOCKS = 6, WIDE = 48, N = BLOCKS * WIDE, ROUNDS = 5 };
    size_t bytes;
    char *image = file("grid_wait_sm_70.cubin", &bytes);
    CUmodule m;
    CUfunction f;
    CUdeviceptr a;
    static uint32_t x[ROUNDS + 1][N];
    uint32_t rounds = ROUNDS;
    void *args[] = {&a, &rounds};
    for (uint32_t i = 0; i < N; i++) x[0][i] = i * i;
    OK(cuModuleLoadData(&m, image));
    OK(cuModuleGetFunction(&f, m, "grid_wait"));
    OK(cuMemAlloc(&a, sizeof x));
    OK(cuMemcpyHtoD(a, x, sizeof x));
    OK(cuLaunchCooperativeKernel(f, BLOCKS, 1, 1, WIDE, 1, 1, 0, NULL, args));
    OK(cuMemcpyDtoH(x, a, sizeof x));
    for (uint32_t r = 1; r <= ROUNDS; r++)
        for (uint32_t i = 0; i < N; i++) CHECK(x[r][i] == x[r - 1][(i + WIDE) % N] + 1);
    OK(cuMemFree(a));
    OK(cuModuleUnload(m));
    free(image);
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

// An image in memory has no length but the one that it says.
static void damaged(void) {
    enum { SECTIONS_AT = 40 }; // of an ELF header: where its table of sections is
    static const uint64_t where[] = {0xffffffff00000000, 0x7fffffff00, 0xffffffff};
    size_t bytes;
    CUmodule m;
    char *image = file("module_sm_70.cubin", &bytes);
    struct capture c = capture_begin(2);
    for (size_t i = 0; i < COUNT(where); i++) {
        memcpy(image + SECTIONS_AT, &where[i], sizeof where[i]);
        IS(cuModuleLoadData(&m, image), CUDA_ERROR_INVALID_PTX);
    }
    CHECK(strstr(capture_end(c), "its tables speak of sections beyond the memory")); // said once
    free(image);
    image = file("both_sm_70.fatbin", &bytes);
    memset(image + 12, 0x7f, 4); // the container's length
    c = capture_begin(2);
    IS(cuModuleLoadData(&m, image), CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(capture_end(c), "a container is longer than the memory that is there"));
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
    units();
    grid_waits();
    for_another_gpu();
    damaged();
    OK(cuCtxDestroy(c));
    return 0;
}
