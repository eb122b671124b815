# Libraries of machine code for real GPUs: programs that link them start, and a call says what it is.
. "$HERE/lib.sh"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
build=${WARPWATT%/*}
cat >uses.c <<'C'
#include <stdio.h>
int cublasCreate_v2(void **), cufftPlan1d(int *, int, int, int), nvrtcVersion(int *, int *), cudaMalloc(void **, unsigned long);
int main(int argc, char **argv) {
    void *p = 0;
    int a = 0, b = 0;
    (void)argv;
    if (cudaMalloc(&p, 64)) return 9;
    if (argc < 2) return puts("linked only"), 0;
    const int status = cublasCreate_v2(&p), plan = cufftPlan1d(&a, 8, 0, 1), version = nvrtcVersion(&a, &b);
    printf("cublas %d fft %d nvrtc %d\\n", status, plan, version);
    return 0;
}
C
# versions of the runtime, cuBLAS, cuFFT and NVRTC that belong together
for versions in '11.0 11 10 11.2' '12 12 11 12' '13 13 12 13'; do
    # shellcheck disable=SC2086
    set -- $versions
    cc uses.c "$build/libcudart.so.$1" "$build/libcublas.so.$2" "$build/libcufft.so.$3" "$build/libnvrtc.so.$4" -Wl,-rpath-link,"$build" -o uses || fail "no program for CUDA $1"
    run 0 run --no-power -- ./uses
    says out 'linked only'; lacks err 'cublas|nvrtc|cufft'
    run 0 run --no-power -- ./uses all
    says out 'cublas 15 fft 16 nvrtc 11' # their words for "not supported", of which NVRTC has none
    says err 'cublasCreate_v2'; says err 'cufftPlan1d'; says err 'nvrtcVersion'
done
finish
