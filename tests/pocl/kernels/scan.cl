// Running sums inside each group of 256: up and down a tree (Blelloch) for floats, by doubling
// distances (Hillis and Steele) for integers.
#pragma OPENCL FP_CONTRACT OFF
__kernel void scan(__global float *f, __global uint *u) {
    __local float tree[256];
    __local uint two[2][256];
    const uint i = get_global_id(0), t = get_local_id(0);
    tree[t] = f[i];
    two[0][t] = u[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 256; d *= 2) {
        const uint p = (t + 1) * 2 * d - 1;
        if (p < 256) tree[p] += tree[p - d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) tree[255] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 128; d > 0; d /= 2) {
        const uint p = (t + 1) * 2 * d - 1;
        if (p < 256) {
            const float left = tree[p - d];
            tree[p - d] = tree[p];
            tree[p] += left;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint from = 0;
    for (uint d = 1; d < 256; d *= 2) {
        two[1 - from][t] = two[from][t] + (t >= d ? two[from][t - d] : 0);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    f[i] = tree[t];
    u[i] = two[from][t];
}
