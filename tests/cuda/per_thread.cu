// Built with --default-stream per-thread: the names that end in _ptsz and _ptds.
// expect stdout ok
#include "check.h"
#include <cooperative_groups.h>

#include <atomic>
#include <thread>
#include <vector>

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void spin(float *p, int n) {
    float x = *p;
    for (int i = 0; i < n; i++) x = x * 1.0001f + 0.5f;
    *p = x;
}

// Simulated milliseconds from the first of `n` threads' kernels to the end of the last, each in its stream 0.
static float together(int n, float *d) {
    cudaEvent_t begin[4], end[4];
    std::atomic<int> launched{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < n; i++) {
        OK(cudaEventCreate(&begin[i]));
        OK(cudaEventCreate(&end[i]));
        threads.emplace_back([&, i] {
            OK(cudaEventRecord(begin[i], 0));
            spin<<<1, 1>>>(d + i, 3000);
            OK(cudaEventRecord(end[i], 0));
            launched++;
            while (launched < n) std::this_thread::yield(); // nobody waits before all have launched
            OK(cudaStreamSynchronize(0));
        });
    }
    for (auto &t : threads) t.join();
    float longest = 0, ms;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            OK(cudaEventElapsedTime(&ms, begin[i], end[k]));
            longest = ms > longest ? ms : longest;
        }
    return longest;
}

// Two threads capture their stream 0 at the same time: each graph has the operation of its own thread.
static void captures(int *d) {
    std::atomic<int> begun{0}, added{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([&, i] {
            cudaGraph_t g;
            size_t n = 0;
            cudaGraphExec_t x;
            OK(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
            begun++;
            while (begun < 2) std::this_thread::yield();
            add<<<1, 1>>>(d + i, 5 + i);
            added++;
            while (added < 2) std::this_thread::yield();
            OK(cudaStreamEndCapture(0, &g));
            OK(cudaGraphGetNodes(g, nullptr, &n));
            CHECK(n == 1);
            OK(cudaGraphInstantiateWithFlags(&x, g, 0));
            OK(cudaGraphLaunch(x, 0));
            OK(cudaStreamSynchronize(0));
            OK(cudaGraphExecDestroy(x));
            OK(cudaGraphDestroy(g));
        });
    for (auto &t : threads) t.join();
}

int main() {
    int *d, h[32] = {};
    OK(cudaMalloc(&d, sizeof h));
    OK(cudaMemset(d, 0, sizeof h));
    add<<<1, 32>>>(d, 4);
    OK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, 0));
    OK(cudaStreamSynchronize(0));
    CHECK(h[31] == 4);
    int v = 3;
    void *args[] = {&d, &v};
    OK(cudaLaunchKernel((void *)add, dim3(1), dim3(32), args, 0, 0));
    OK(cudaLaunchCooperativeKernel((void *)add, dim3(1), dim3(32), args, 0, 0));
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(1), c.blockDim = dim3(32);
    OK(cudaLaunchKernelEx(&c, add, d, 10));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 20);
    cudaEvent_t a, b;
    float ms;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventRecord(a));
    add<<<1, 32>>>(d, 1);
    OK(cudaEventRecord(b));
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms > 0);
    float *f;
    OK(cudaMalloc(&f, 16));
    OK(cudaMemset(f, 0, 16));
    const float one = together(1, f), four = together(4, f);
    CHECK(one > 0 && four < 1.5f * one); // the threads' streams run side by side
    OK(cudaMemset(d, 0, sizeof h));
    captures(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 5 && h[1] == 6);
    std::puts("ok");
    return 0;
}
