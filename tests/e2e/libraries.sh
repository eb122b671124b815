# Libraries of machine code for real GPUs: programs that link them start, and a call says what it is. Whoever goes on
# after a call that was refused does not end well: the run's exit code is 3, and a sentence names the calls.
. "$HERE/lib.sh"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
build=${WARPWATT%/*}
cat >uses.c <<'C'
#include <stdio.h>
int cublasUint8gemmBias(void **), cufftXtSetGPUs(int, int, int *), cudaMalloc(void **, unsigned long);
int main(int argc, char **argv) {
    void *p = 0;
    int a = 0;
    (void)argv;
    if (cudaMalloc(&p, 64)) return 9;
    if (argc < 2) return puts("linked only"), 0;
    const int status = cublasUint8gemmBias(&p), plan = cufftXtSetGPUs(1, 1, &a);
    printf("cublas %d fft %d\n", status, plan);
    return 0;
}
C
# versions of the runtime, cuBLAS and cuFFT that belong together
for versions in '11.0 11 10' '12 12 11' '13 13 12'; do
    # shellcheck disable=SC2086
    set -- $versions
    cc uses.c "$build/libcudart.so.$1" "$build/libcublas.so.$2" "$build/libcufft.so.$3" -Wl,-rpath-link,"$build" -o uses || fail "no program for CUDA $1"
    run 0 run --no-power -- ./uses
    says out 'linked only'; lacks err 'cublas|cufft'
    run 3 run --no-power -- ./uses all
    says out 'cublas 15 fft 16' # their words for "not supported"
    says err 'cublasUint8gemmBias belongs to cuBLAS, which warpwatt has a part of'
    says err 'uses ended with 0 after calls that were refused: cublasUint8gemmBias, cufftXtSetGPUs;'
    run 0 run --no-power --lenient -- ./uses all
    says err 'refused:.* cufftXtSetGPUs'; lacks err 'ended with 0 after'
done

# every name is there, answered or refused
if command -v nm >/dev/null; then
    for file in libcublas.so.12 libcublasLt.so.12 libcufft.so.11 libcurand.so.10; do
        library=${file#lib} library=${library%%.*}
        nm -D --defined-only "$build/$file" | sed 's/.* //; s/@.*//' | sort -u >have
        sort -u "$HERE/../../src/libraries/names/$library.txt" | comm -13 have - >lacking
        [ -s lacking ] && fail "$file lacks $(head -3 lacking | tr '\n' ' ')"
    done
fi

# Without the GPU, from several threads, in children of a fork (one leaves by _exit): each call counts once.
cat >many.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int cublasSbdmm(void), cublasDbdmm(void), cublasCbdmm(void), cublasZbdmm(void), cudaFree(void *), cudaIpcCloseMemHandle(void *);
static void *calls(void *unused) {
    for (int i = 0; i < 100; i++) cublasSbdmm();
    return unused;
}
int main(int argc, char **argv) {
    pthread_t t[4];
    (void)argv;
    if (argc > 1) { // ./many x: the GPU is open when the children come
        if (cudaFree(0)) return 9;
        cudaIpcCloseMemHandle(0);
    }
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, calls, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            cublasDbdmm();
            cublasDbdmm();
            _exit(0);
        }
    if (fork() == 0) exit(cublasCbdmm() != 15); // ... by exit
    if (fork() == 0) _exit(0);                     // ... without a call: has none to tell
    while (wait(0) > 0) {}
    return 0;
}
C
cc many.c "$build/libcudart.so.13" "$build/libcublas.so.13" -lpthread -Wl,-rpath-link,"$build" -o many || fail 'no program with threads'
run 3 run --no-power -- ./many
says err 'refused 400 times:.* cublasSbdmm'; says err 'refused 4 times:.* cublasDbdmm'
says err 'after calls that were refused: .*cublasSbdmm \(400 times\)'; says err 'refused:.* cublasCbdmm'
lacks err 'processes'; lacks err 'never opened'; lacks err 'cut off'
run 3 run --no-power -- ./many open
says err 'cublasSbdmm \(400 times\)'; says err 'cublasDbdmm \(4 times\)'; says err 'cublasCbdmm'
says err 'refused:.* cudaIpcCloseMemHandle'; lacks err 'cublasZbdmm'; lacks err 'processes'
# a program that fails has refused calls as the likely reason, so the code is theirs
run 3 run --no-power -- sh -c './many; exit 5'; lacks err 'ended with 0'
# the driver's calls count as the runtime's do
cat >driver.c <<'C'
int cuInit(unsigned), cuIpcCloseMemHandle(unsigned long long);
int main(void) { return cuInit(0) || cuIpcCloseMemHandle(0) != 801 || cuIpcCloseMemHandle(0) != 801; }
C
cc driver.c "$build/libcuda.so.1" -o driver || fail 'no program of the driver'
run 3 run --no-power -- ./driver
says err 'after calls that were refused: cuIpcCloseMemHandle \(2 times\)'
run 3 run --no-power --json -- ./driver; says out '"status": "[^"]*not supported'
finish
