// vectorAdd: c = a + b, one thread an element. The least a kernel can do: three memory accesses and
// one addition, with a guard for the last block.
#include "device.h"

extern "C" __global__ void vectorAdd(const float *a, const float *b, float *c, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) c[i] = a[i] + b[i];
}
