// A program that is not linked with the library: it loads it, works, unloads it, and loads it
// again.
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

static const char ptx[] = ".version 4.2\n.target sm_20\n.address_size 64\n"
                          ".visible .entry nothing() { ret; }\n";

static int fail(const char *what) {
    printf("%s\n", what);
    return 1;
}

static int work(void) {
    void *self = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!self) return fail(dlerror());
    CUresult (*get)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
    *(void **)&get = dlsym(self, "cuGetProcAddress_v2");
    if (!get) return fail("cuGetProcAddress is not there");
#define GET(name)                                                                                  \
    __typeof__(&name) do_##name;                                                                   \
    if (get(#name, (void **)&do_##name, CUDA_VERSION, 0, NULL) || !do_##name) return fail(#name)
    CUresult (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext);
    if (get("cuCtxCreate", (void **)&create, 4000, 0, NULL)) return fail("cuCtxCreate");
    if (get("cuCtxDestroy", (void **)&destroy, 4000, 0, NULL)) return fail("cuCtxDestroy");
    GET(cuInit);
    GET(cuModuleLoadData);
    GET(cuModuleGetFunction);
    GET(cuLaunchKernel);
    GET(cuCtxSynchronize);
    CUcontext c;
    CUmodule m;
    CUfunction f;
    if (do_cuInit(0) || create(&c, 0, 0) || do_cuModuleLoadData(&m, ptx) ||
        do_cuModuleGetFunction(&f, m, "nothing") ||
        do_cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL) || do_cuCtxSynchronize() ||
        destroy(c))
        return fail("a call failed");
    return dlclose(self);
}

int main(void) {
    if (work() || work()) return 1;
    return 0;
}
