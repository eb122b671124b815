// A kernel for matrix units stands in the same module as a plain one: the module loads, the plain kernel
// runs, and the other is refused with a sentence when it is launched.
// expect stdout plain 7
// on gtx480 expect stdout refused
// on gtx480 expect stderr wmma
// on gtx480 expect stderr v100 have it
// on gtx480 expect exit failed
// on v100 expect stdout launched
// on v100 expect stderr would refuse it, v100 runs it
// on rtx2060s expect stdout launched
#include "check.h"
#include <cuda_fp16.h>
#include <mma.h>

__global__ void plain(int *p) { *p = 7; }
__global__ void tensor(const half *a, const half *b, float *c) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
}

int main() {
    void *p;
    int v = 0;
    OK(cudaMalloc(&p, 4096));
    plain<<<1, 1>>>((int *)p);
    OK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    std::printf("plain %d\n", v);
    tensor<<<1, 32>>>((half *)p, (half *)p, (float *)p);
    std::puts(cudaGetLastError() != cudaSuccess ? "refused" : "launched");
    return 0;
}
