// y = a x + y with one rounding, and a guard that cuts through a warp.
#pragma OPENCL FP_CONTRACT OFF
__kernel void saxpy(__global float *y, __global const float *x, float a, uint n) {
    const uint i = get_global_id(0);
    if (i < n) y[i] = fma(a, x[i], y[i]);
}
