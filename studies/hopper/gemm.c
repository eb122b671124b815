// One product of bf16 matrices by cuBLAS, summed in floats: gemm_bf16 M N K. For study hopper's GEMM times:
//   cc -o gemm_bf16 studies/hopper/gemm.c -Lbuild -l:libcublas.so.12 -l:libcuda.so.1
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuMemAlloc_v2(uint64_t *out, size_t bytes);
int cuMemsetD16_v2(uint64_t at, unsigned short value, size_t n);
int cublasCreate_v2(void **handle);
int cublasGemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int a_type,
                 int a_ld, const void *b, int b_type, int b_ld, const void *beta, void *c, int c_type, int c_ld,
                 int compute, int algorithm);

static void *filled(size_t n) {
    uint64_t at = 0;
    if (cuMemAlloc_v2(&at, n * 2) != 0 || cuMemsetD16_v2(at, 0x3F80, n) != 0) exit(1); // ones
    return (void *)(uintptr_t)at;
}

int main(int argc, char **argv) {
    enum { BF16 = 14, FLOAT = 68 };
    if (argc != 4) return 2;
    const int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
    void *context, *handle;
    const float one = 1, zero = 0;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cublasCreate_v2(&handle))
        return 1;
    void *const a = filled((size_t)m * (size_t)k), *const b = filled((size_t)k * (size_t)n),
               *const c = filled((size_t)m * (size_t)n);
    const int r = cublasGemmEx(handle, 1, 0, m, n, k, &one, a, BF16, k, b, BF16, k, &zero, c, BF16, m, FLOAT, -1);
    return r != 0 || cuCtxSynchronize() != 0;
}
