// c = a b by tiles of 16 x 16; one accumulator, terms in order, each a fused multiply-add.
#pragma OPENCL FP_CONTRACT OFF
__kernel void matmul(__global float *c, __global const float *a, __global const float *b, uint n) {
    __local float ta[16][16], tb[16][16];
    const uint x = get_local_id(0), y = get_local_id(1);
    const uint col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < n; k += 16) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < 16; i++) sum = fma(ta[y][i], tb[i][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
