// exit() in the middle, from deep down, with work in the queue: the account is written all the same.
// expect stdout leaving
// expect stderr forever_not
// expect exit failed
#include "check.h"

__global__ void forever_not(float *p) {
    float x = p[threadIdx.x];
    for (int i = 0; i < 3000; i++) x = x * 0.5f + 1;
    p[threadIdx.x] = x;
}
static void deep(int n, float *d) {
    if (n) return deep(n - 1, d);
    forever_not<<<4, 64>>>(d);
    std::puts("leaving");
    std::exit(3);
}

int main() {
    float *d;
    OK(cudaMalloc(&d, 1024));
    forever_not<<<4, 64>>>(d);
    OK(cudaDeviceSynchronize());
    deep(5, d);
    return 0;
}
