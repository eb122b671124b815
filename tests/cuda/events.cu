// Events carry simulated time: twice the work takes about twice as long, whatever the host does.
// expect stdout ok
#include "check.h"
#include <unistd.h>

__global__ void spin(float *p, int rounds) {
    float x = p[threadIdx.x];
    for (int r = 0; r < rounds; r++) x = x * 0.5f + 1.0f;
    p[threadIdx.x] = x;
}

static float of(float *d, int rounds, int sleep_us) {
    cudaEvent_t a, b;
    float ms;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventRecord(a));
    spin<<<1, 32>>>(d, rounds);
    usleep(sleep_us); // host time is not the GPU's
    OK(cudaEventRecord(b));
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    OK(cudaEventDestroy(a));
    OK(cudaEventDestroy(b));
    return ms;
}

int main() {
    float *d;
    OK(cudaMalloc(&d, 128));
    const float base = of(d, 0, 0), one = of(d, 4000, 0) - base, two = of(d, 8000, 20000) - base;
    CHECK(one > 0);
    CHECK(two > 1.9f * one && two < 2.1f * one);
    cudaEvent_t e, f, untimed;
    float ms;
    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&f));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    IS(cudaEventElapsedTime(&ms, e, f), cudaErrorInvalidResourceHandle); // never recorded
    OK(cudaEventQuery(e));
    OK(cudaEventRecord(e));
    OK(cudaEventRecord(untimed));
    IS(cudaEventElapsedTime(&ms, e, untimed), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(f));
    IS(cudaPeekAtLastError(), cudaErrorInvalidResourceHandle);
    IS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    spin<<<1, 32>>>(d, 2000000);
    OK(cudaEventRecord(f));
    IS(cudaEventQuery(f), cudaErrorNotReady);
    OK(cudaGetLastError()); // not ready is no error to remember
    IS(cudaEventElapsedTime(&ms, e, f), cudaErrorNotReady);
    cudaGetLastError();
    OK(cudaEventSynchronize(f));
    OK(cudaEventQuery(f));
    OK(cudaEventElapsedTime(&ms, e, f));
    CHECK(ms > 1);
    std::puts("ok");
    return 0;
}
