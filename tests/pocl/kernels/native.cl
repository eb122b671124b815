// The approximate functions, where they are specified to be close: angles within a turn, powers of
// moderate size.
#pragma OPENCL FP_CONTRACT OFF
__kernel void native(__global float *out, __global const float *x, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const float a = x[i];
    out[i] = native_sin(a * 3.0f);
    out[i + n] = native_cos(a * 3.0f);
    out[i + 2 * n] = native_exp2(a * 4.0f);
    out[i + 3 * n] = native_log2(fabs(a) + 2.0f);
    out[i + 4 * n] = native_rsqrt(fabs(a) + 0.01f);
    out[i + 5 * n] = native_recip(fabs(a) + 0.5f);
}
