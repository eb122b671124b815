// The same of doubles, and the roundings between the two widths.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
__kernel void doubles(__global double *out, __global const double *x, __global const double *y,
                      uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const double a = x[i], b = y[i];
    out[i] = a / b;
    out[i + n] = sqrt(fabs(a));
    out[i + 2 * n] = a + b;
    out[i + 3 * n] = a * b - a;
    out[i + 4 * n] = fma(a, b, -a);
    out[i + 5 * n] = (double)(float)a;
    out[i + 6 * n] = (double)((float)b * (float)a);
    out[i + 7 * n] = (double)(a < b) + 2.0 * (double)(a == a) + 4.0 * (double)(a != b);
}
