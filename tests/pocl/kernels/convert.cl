// Conversions between float and integer: every rounding, saturation, NaN; narrow integers.
#pragma OPENCL FP_CONTRACT OFF
__kernel void convert(__global uint *out, __global const float *x, __global const uint *u, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    // Scaled, most values fall where rounding matters; the others are infinite, NaN or beyond int.
    const float a = x[i] * 8.0f;
    out[i] = (uint)convert_int_sat_rte(a);
    out[i + n] = (uint)convert_int_sat_rtz(a);
    out[i + 2 * n] = (uint)convert_int_sat_rtn(a);
    out[i + 3 * n] = convert_uint_sat_rtp(a);
    out[i + 4 * n] = as_uint(convert_float_rtz(u[i]));
    out[i + 5 * n] = as_uint(convert_float_rtp((int)u[i]));
    out[i + 6 * n] = as_uint((float)u[i]) ^ (uint)(short)u[i];
    out[i + 7 * n] = (uint)(uchar)u[i] * (uint)(int)(char)(u[i] >> 8);
}
