// Names that end in _ptsz and _ptds: their default stream is the calling thread's own.
#include "append.h"

#include <pthread.h>
#include <sys/wait.h>

static CUcontext context;

// Found as a program built for streams of threads finds them: by name, or by what is asked for.
#define OWN(name, type) (*(type *)own(#name))
static void **own(const char *name) {
    static void *p;
    OK(cuGetProcAddress(name, &p, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    CHECK(p);
    return &p;
}
CUresult cuStreamSynchronize_ptsz(CUstream s);
CUresult cuStreamQuery_ptsz(CUstream s);
CUresult cuMemsetD32_v2_ptds(CUdeviceptr to, unsigned value, size_t count);
CUresult cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t bytes);

typedef CUresult (*launch_fn)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, unsigned, CUstream, void **, void **);
static void put_by(launch_fn launch, CUstream s, unsigned tag, unsigned spin) {
    OK(launch(append, 1, 1, 1, 32, 1, 1, 0, s, (void *[]){&list, &tag, &spin}, NULL));
}
static void put(unsigned tag, unsigned spin) {
    put_by(OWN(cuLaunchKernel, launch_fn), NULL, tag, spin);
}

static void *other_thread(void *user) {
    (void)user;
    OK(cuCtxSetCurrent(context));
    put(2, 10);
    OK(cuStreamSynchronize_ptsz(NULL));
    uint32_t first[2];
    OK(cuMemcpyDtoH_v2_ptds(first, list, sizeof first)); // waits for this thread's stream alone
    CHECK(first[0] == 1 && first[1] == 2);
    OK(cuMemsetD32_v2_ptds(list + 4 * 60, 7, 1));
    return NULL;
}

static void threads_overtake(void) {
    clear();
    pthread_t t;
    put(1, 40000);
    CHECK(pthread_create(&t, NULL, other_thread, NULL) == 0);
    CHECK(pthread_join(t, NULL) == 0);
    IS(cuStreamQuery_ptsz(NULL), CUDA_ERROR_NOT_READY);
    IS(cuStreamQuery_ptsz(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
    OK(cuStreamSynchronize_ptsz(NULL));
    OK(cuStreamQuery_ptsz(NULL));
    expect(2, (unsigned[]){2, 1});
    CHECK(got[60] == 7);
}

// It is a blocking stream: what goes to the common one waits for it, and it for that.
static void in_order_with_the_common_one(void) {
    clear();
    put(1, 4000);
    put_by(cuLaunchKernel, NULL, 2, 2000);
    put(3, 1000);
    put_by(OWN(cuLaunchKernel, launch_fn), CU_STREAM_LEGACY, 4, 10);
    OK(cuCtxSynchronize());
    expect(4, (unsigned[]){1, 2, 3, 4});
}

static void names_one_stream(void) {
    typedef CUresult (*id_fn)(CUstream, unsigned long long *);
    unsigned long long mine, named, common, legacy;
    OK(OWN(cuStreamGetId, id_fn)(NULL, &mine));
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, &named));
    OK(cuStreamGetId(NULL, &common));
    OK(OWN(cuStreamGetId, id_fn)(CU_STREAM_LEGACY, &legacy));
    CHECK(mine == named && mine != common && legacy == common);
}

// A process has PTHREAD_KEYS_MAX keys; a thread has no stream of its own when all are taken.
static void no_key_left(void) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        start();
        pthread_key_t key;
        while (pthread_key_create(&key, NULL) == 0) CHECK(pthread_setspecific(key, "ours") == 0);
        OK(cuStreamSynchronize(NULL));
        IS(cuStreamSynchronize(CU_STREAM_PER_THREAD), CUDA_ERROR_INVALID_HANDLE);
        IS(cuStreamSynchronize_ptsz(NULL), CUDA_ERROR_INVALID_HANDLE);
        OK(cuStreamSynchronize_ptsz(CU_STREAM_LEGACY));
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    no_key_left(); // before this process has a GPU
    context = start();
    append_start();
    threads_overtake();
    in_order_with_the_common_one();
    names_one_stream();
    OK(cuCtxDestroy(context));
    return 0;
}
