// Division, square root, sum, product, fma, rounding and minimum of any bit patterns: denormals,
// infinities and NaN included. Everything here is correctly rounded in both worlds.
#pragma OPENCL FP_CONTRACT OFF
__kernel void roots(__global float *out, __global const float *x, __global const float *y, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const float a = x[i], b = y[i];
    out[i] = a / b;
    out[i + n] = sqrt(fabs(a));
    out[i + 2 * n] = a + b;
    out[i + 3 * n] = a * b - a;
    out[i + 4 * n] = fma(a, b, -a);
    out[i + 5 * n] = fmin(a, b) + fmax(b, 1.0f);
    out[i + 6 * n] = floor(a) + ceil(b);
    out[i + 7 * n] = rint(a) + trunc(b);
}
