// Sums by a tree in local memory: floats a group, in the order the tree gives; integers over the
// whole grid with atomics.
#pragma OPENCL FP_CONTRACT OFF
__kernel void reduce(__global float *sums, __global uint *total, __global const float *x,
                     __global const uint *u, uint n) {
    __local float f[256];
    __local uint s[256];
    const uint t = get_local_id(0);
    float a = 0;
    uint b = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        a += x[i];
        b += u[i];
    }
    f[t] = a;
    s[t] = b;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (t < step) {
            f[t] += f[t + step];
            s[t] += s[t + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) {
        sums[get_group_id(0)] = f[0];
        atomic_add(total, s[0]);
        atomic_xor(total + 1, s[0]);
        atomic_max(total + 2, s[0]);
    }
}
