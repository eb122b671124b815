// The first program of every course: allocate, copy, launch, copy back, compare.
// expect stdout ok
// expect stderr add
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 5000;
    const size_t bytes = n * sizeof(float);
    float *h[3], *d[3];
    for (int k = 0; k < 3; k++) {
        h[k] = new float[n];
        OK(cudaMalloc(&d[k], bytes));
    }
    for (int i = 0; i < n; i++) h[0][i] = 0.5f * i, h[1][i] = 1000.0f - i;
    for (int k = 0; k < 2; k++) OK(cudaMemcpy(d[k], h[k], bytes, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h[2], d[2], bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) CHECK(h[2][i] == 1000.0f - 0.5f * i);
    for (int k = 0; k < 3; k++) {
        OK(cudaFree(d[k]));
        delete[] h[k];
    }
    std::puts("ok");
    return 0;
}
