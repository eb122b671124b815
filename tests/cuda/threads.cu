// Many host threads on one device, each with a stream; errors are a thread's own.
// expect stderr 1 launch refused
// expect exit 3
// expect stdout ok
#include "check.h"
#include <thread>
#include <vector>

__global__ void step(int *p, int v) { p[threadIdx.x] = p[threadIdx.x] * 3 + v; }

static void work(int me, int *result) {
    cudaStream_t s;
    int *d, h[32];
    OK(cudaSetDevice(0));
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&d, sizeof h));
    OK(cudaMemsetAsync(d, 0, sizeof h, s));
    for (int i = 0; i < 5; i++) step<<<1, 32, 0, s>>>(d, me);
    if (me == 3) {
        step<<<1, 5000, 0, s>>>(d, me); // no such block
        IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    }
    OK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaGetLastError());
    *result = h[31];
    OK(cudaFree(d));
    OK(cudaStreamDestroy(s));
}

int main() {
    enum { N = 12 };
    int result[N] = {};
    std::vector<std::thread> t;
    for (int i = 0; i < N; i++) t.emplace_back(work, i, &result[i]);
    for (auto &x : t) x.join();
    for (int i = 0; i < N; i++) CHECK(result[i] == 121 * i); // 1 + 3 + 9 + 27 + 81
    OK(cudaDeviceSynchronize());
    std::puts("ok");
    return 0;
}
