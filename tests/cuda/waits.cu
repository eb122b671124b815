// A program that queues host functions and waits for them by its own means, never by a call: the GPU gets on.
// expect stdout ok
#include "check.h"
#include <condition_variable>
#include <mutex>

__global__ void put(int *p, int v) { *p = v; }

static std::mutex lock;
static std::condition_variable changed;
static int left = 3, sum, *mapped;

static void CUDART_CB function(void *) {
    const std::lock_guard<std::mutex> hold(lock);
    sum += *mapped;
    left--;
    changed.notify_one();
}

int main() {
    int *d;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaHostAlloc(&mapped, 4, cudaHostAllocMapped));
    OK(cudaHostGetDevicePointer(&d, mapped, 0));
    for (int i = 1; i <= 3; i++) {
        put<<<1, 1, 0, s>>>(d, 10 * i);
        OK(cudaLaunchHostFunc(s, function, nullptr));
    }
    std::unique_lock<std::mutex> hold(lock);
    changed.wait(hold, [] { return left == 0; });
    CHECK(sum == 60);
    std::puts("ok");
    return 0;
}
