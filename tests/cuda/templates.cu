// Templates, device functions, function pointers, virtual functions, recursion, lambdas.
// expect stdout ok
// expect stderr apply<float, 3>
#include "check.h"

template <typename T, int N> __global__ void apply(T *p) {
    T sum = 0;
#pragma unroll
    for (int i = 0; i < N; i++) sum += p[i] * T(i + 1);
    p[0] = sum;
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int twice(int v) { return 2 * v; }
__device__ __noinline__ int square(int v) { return v * v; }
typedef int (*function)(int);
__device__ function functions[3] = {twice, square, fibonacci};

struct shape {
    __device__ virtual ~shape() {}
    __device__ virtual int area() const = 0;
};
struct box : shape {
    int a, b;
    __device__ box(int x, int y) : a(x), b(y) {}
    __device__ int area() const override { return a * b; }
};
struct line : shape {
    __device__ int area() const override { return 0; }
};

__global__ void calls(int *out, int which) { out[threadIdx.x] = functions[(which + threadIdx.x) % 3](threadIdx.x + 5); }
__global__ void areas(int *out) {
    const box b(3, 4);
    const line l;
    const shape *s[2] = {&b, &l};
    out[threadIdx.x] = s[threadIdx.x & 1]->area();
}
template <typename F> __global__ void each(int *p, F f) { p[threadIdx.x] = f(p[threadIdx.x]); }

int main() {
    float hf[3] = {1, 2, 3}, *f;
    double hd[2] = {0.5, 0.25}, *d;
    int *p, h[4];
    OK(cudaMalloc(&f, sizeof hf));
    OK(cudaMalloc(&d, sizeof hd));
    OK(cudaMalloc(&p, sizeof h));
    OK(cudaMemcpy(f, hf, sizeof hf, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d, hd, sizeof hd, cudaMemcpyHostToDevice));
    apply<float, 3><<<1, 1>>>(f);
    apply<double, 2><<<1, 1>>>(d);
    OK(cudaMemcpy(hf, f, sizeof hf, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(hd, d, sizeof hd, cudaMemcpyDeviceToHost));
    CHECK(hf[0] == 14 && hd[0] == 1);
    calls<<<1, 4>>>(p, 0);
    OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 10 && h[1] == 36 && h[2] == 13 && h[3] == 16);
    areas<<<1, 4>>>(p);
    OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 12 && h[1] == 0 && h[2] == 12);
    const int by = 5;
    each<<<1, 4>>>(p, [by] __device__(int v) { return v + by; });
    OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 17 && h[1] == 5);
    std::puts("ok");
    return 0;
}
