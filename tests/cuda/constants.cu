// Constant and global variables by symbol.
// expect stdout ok
#include "check.h"

__constant__ float weights[4] = {1, 2, 3, 4};
__constant__ int scale;
__device__ int counter = 40;
__device__ double grid[2][3];
static __device__ short hidden[5] = {9, 8, 7, 6, 5};

__global__ void use(float *out) {
    out[threadIdx.x] = weights[threadIdx.x] * scale;
    atomicAdd(&counter, 1);
    if (threadIdx.x == 0) grid[1][2] = hidden[4];
}

int main() {
    float *d, h[4];
    OK(cudaMalloc(&d, sizeof h));
    const int ten = 10;
    OK(cudaMemcpyToSymbol(scale, &ten, sizeof ten));
    const float nine = 9;
    OK(cudaMemcpyToSymbol(weights, &nine, sizeof nine, 2 * sizeof nine)); // third element
    use<<<1, 4>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 10 && h[1] == 20 && h[2] == 90 && h[3] == 40);
    int n;
    OK(cudaMemcpyFromSymbol(&n, counter, sizeof n));
    CHECK(n == 44);
    double g;
    OK(cudaMemcpyFromSymbol(&g, grid, sizeof g, 5 * sizeof g));
    CHECK(g == 5);
    size_t bytes;
    OK(cudaGetSymbolSize(&bytes, grid));
    CHECK(bytes == 48);
    void *p;
    OK(cudaGetSymbolAddress(&p, counter));
    OK(cudaMemset(p, 0, 4));
    OK(cudaMemcpyFromSymbolAsync(&n, counter, sizeof n, 0, cudaMemcpyDeviceToHost, 0));
    OK(cudaDeviceSynchronize());
    CHECK(n == 0);
    int not_a_symbol = 0;
    IS(cudaGetSymbolAddress(&p, &not_a_symbol), cudaErrorInvalidSymbol);
    IS(cudaMemcpyToSymbol(weights, h, 17), cudaErrorInvalidValue); // longer than it
    std::puts("ok");
    return 0;
}
