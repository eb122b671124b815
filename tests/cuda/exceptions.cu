// Host code throws over CUDA calls and launches; destructors free device memory on the way.
// expect stderr 1 launch refused
// expect exit 3
// expect stdout caught cudaErrorInvalidConfiguration
// expect stdout ok
#include "check.h"
#include <stdexcept>
#include <string>
#include <vector>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }

static int alive;
struct buffer {
    int *p = nullptr;
    explicit buffer(int n) {
        if (cudaMalloc(&p, n * sizeof *p) != cudaSuccess) throw std::bad_alloc();
        alive++;
    }
    ~buffer() {
        cudaFree(p);
        alive--;
    }
};
static void run(int threads) {
    buffer b(64), c(64);
    fill<<<1, threads>>>(b.p, 4);
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorName(e));
    std::vector<int> h(64);
    OK(cudaMemcpy(h.data(), b.p, 256, cudaMemcpyDeviceToHost));
    if (h.at(5) != 4) throw std::logic_error("wrong");
    h.at(64) = 0; // throws std::out_of_range
}

int main() {
    try {
        run(1 << 20);
    } catch (const std::runtime_error &e) {
        std::printf("caught %s\n", e.what());
    }
    bool out = false;
    try {
        run(64);
    } catch (const std::out_of_range &) {
        out = true;
    }
    CHECK(out && alive == 0);
    try {
        buffer large(1 << 30);
        buffer larger(1 << 30);
    } catch (const std::bad_alloc &) {
        std::puts("ok");
    }
    return 0;
}
