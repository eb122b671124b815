// Five points of a plane, through a tile with a halo in local memory; the edge repeats.
#pragma OPENCL FP_CONTRACT OFF
__kernel void stencil(__global float *out, __global const float *in, uint w, uint h, float k) {
    __local float tile[10][18];
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    const int lx = (int)get_local_id(0) + 1, ly = (int)get_local_id(1) + 1;
    const int cx = min(x, (int)w - 1), cy = min(y, (int)h - 1);
    tile[ly][lx] = in[cy * (int)w + cx];
    if (lx == 1) tile[ly][0] = in[cy * (int)w + max(cx - 1, 0)];
    if (lx == 16) tile[ly][17] = in[cy * (int)w + min(cx + 1, (int)w - 1)];
    if (ly == 1) tile[0][lx] = in[max(cy - 1, 0) * (int)w + cx];
    if (ly == 8) tile[9][lx] = in[min(cy + 1, (int)h - 1) * (int)w + cx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= (int)w || y >= (int)h) return;
    const float around = tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] + tile[ly + 1][lx];
    out[y * (int)w + x] = tile[ly][lx] + k * (around - 4.0f * tile[ly][lx]);
}
