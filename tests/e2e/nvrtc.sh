# NVRTC needs no GPU: where one is installed, calls go there although warpwatt's library of that name, which refuses
# them, is found first; wherever the loader would have found it. Without one the run says so.
. "$HERE/lib.sh"
# NVRTC keeps threads, and at times the leak checker of a sanitized build crashes where it walks them at a program's end.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
build=${WARPWATT%/*}
folder=
for f in /usr/local/cuda/lib64 /opt/cuda/lib64; do [ ! -e $f/libnvrtc.so.13 ] || folder=$f; done
[ "$folder" ] || { echo "skipped: no libnvrtc.so.13 in a toolkit"; exit 77; }
cat >compiles.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
typedef unsigned long long address;
int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *), cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *), cuMemAlloc_v2(address *, size_t), cuMemcpyDtoH_v2(void *, address, size_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
#ifdef LATE
#define CALL(name) ((int (*)())dlsym(nvrtc, #name))
#else
#define CALL(name) name
int nvrtcVersion(), nvrtcCreateProgram(), nvrtcCompileProgram(), nvrtcGetPTXSize(), nvrtcGetPTX(), nvrtcAddNameExpression(), nvrtcGetLoweredName();
#endif
static const char source[] = "template <typename T> __global__ void fill(T *p, T a, T b) { p[threadIdx.x] = a * threadIdx.x + b; }";
int main(void) {
    void *nvrtc = 0, *program = 0, *context, *module, *kernel;
    int major = 0, minor = 0, r;
    size_t n = 0;
    const char *name = 0, *option = "--gpu-architecture=compute_75";
    float v[32] = {0}, a = 0.5f, b = 3;
    address p;
    (void)nvrtc;
#ifdef LATE
    if (!(nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW))) return puts(dlerror()), 7;
#endif
    if ((r = CALL(nvrtcVersion)(&major, &minor))) return printf("nvrtc answers %d\n", r), 0;
    printf("nvrtc %d\n", major);
    if (CALL(nvrtcCreateProgram)(&program, source, "fill.cu", 0, 0, 0) || CALL(nvrtcAddNameExpression)(program, "fill<float>") ||
        CALL(nvrtcCompileProgram)(program, 1, &option) || CALL(nvrtcGetLoweredName)(program, "fill<float>", &name) ||
        CALL(nvrtcGetPTXSize)(program, &n)) return 2;
    char *ptx = malloc(n);
    if (CALL(nvrtcGetPTX)(program, ptx)) return 3;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuModuleLoadData(&module, ptx) ||
        cuModuleGetFunction(&kernel, module, name) || cuMemAlloc_v2(&p, sizeof v)) return 4;
    void *params[] = {&p, &a, &b};
    if (cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, params, 0) || cuMemcpyDtoH_v2(v, p, sizeof v)) return 5;
    for (int i = 0; i < 32; i++) if (v[i] != 0.5f * i + 3) return 6;
    puts("filled");
    return 0;
}
C
compile() { # OUTPUT FLAGS...: the loader finds nothing by itself but by the flags
    output=$1; shift
    cc -Wno-deprecated-non-prototype compiles.c "$@" "$build/libcuda.so.1" -Wl,--no-as-needed "$build/libnvrtc.so.13" -ldl -Wl,--allow-shlib-undefined -o "$output" 2>cc.err || { fail "cc $*"; cat cc.err; }
}
good() { says out 'nvrtc 13'; says out 'filled'; lacks err 'nvrtc'; }
compile by_runpath -Wl,--enable-new-dtags,-rpath,"$folder"
run 0 run --no-power -- ./by_runpath; good
compile by_rpath -Wl,--disable-new-dtags,-rpath,"$folder" # found by the loader itself before ours
run 0 run --no-power -- ./by_rpath; good
mkdir lib; for f in "$folder"/libnvrtc*.so*; do ln -s "$f" lib/; done
compile by_origin -Wl,--enable-new-dtags,-rpath,'$ORIGIN/lib'
run 0 run --no-power -- ./by_origin; good
compile plain
LD_LIBRARY_PATH=$folder run 0 run --no-power -- ./plain; good
# opened by name while the program runs, as a Python package does
cc -DLATE compiles.c "$build/libcuda.so.1" -ldl -o late || fail 'no late program'
LD_LIBRARY_PATH=$folder run 0 run --no-power -- ./late; good
# the folder of a wheel, beside a package's library
mkdir -p site-packages/package site-packages/nvidia/cuda_nvrtc/lib
for f in "$folder"/libnvrtc*.so*; do ln -s "$f" site-packages/nvidia/cuda_nvrtc/lib/; done
printf 'int package(void) { return 0; }\n' >package.c
cc -shared -fPIC package.c -o site-packages/package/package.so
compile by_wheel -Wl,--no-as-needed,-rpath,"$TMP/site-packages/package" site-packages/package/package.so
run 0 run --no-power -- ./by_wheel; good
# what a person has installed without a word to the loader is found by it too (ldconfig)
if ldconfig -p 2>/dev/null | grep -q 'libnvrtc\.so\.13 '; then
    run 0 run --no-power -- ./plain; good
else
    run 3 run --no-power -- ./plain; says out 'nvrtc answers 11'
    says err 'nvrtcVersion belongs to NVRTC, which is not installed'
    says err 'after calls that were refused: nvrtcVersion'
fi
# what is not for this machine, or not there, is not taken
mkdir other; printf 'not a library' >other/libnvrtc.so.12
cat >old.c <<'C'
int nvrtcVersion(int *, int *);
int main(void) { int a, b; return nvrtcVersion(&a, &b) != 11; }
C
cc old.c "$build/libnvrtc.so.12" -o old || fail 'no program of 12'
if ! ldconfig -p 2>/dev/null | grep -q 'libnvrtc\.so\.12 '; then
    LD_LIBRARY_PATH=$TMP/other run 3 run --no-power -- ./old; says err 'NVRTC, which is not installed'
fi
finish
