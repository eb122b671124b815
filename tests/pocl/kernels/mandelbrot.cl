// Steps until escape, at most 200: neighbours leave their loops at different times, and a nested
// choice inside the loop parts them further.
#pragma OPENCL FP_CONTRACT OFF
__kernel void mandelbrot(__global uint *out, uint w, uint h) {
    const uint px = get_global_id(0), py = get_global_id(1);
    if (px >= w || py >= h) return;
    const float cx = (float)px * (3.0f / (float)w) - 2.2f;
    const float cy = (float)py * (2.4f / (float)h) - 1.2f;
    float x = 0, y = 0;
    uint steps = 0, signs = 0;
    for (; steps < 200; steps++) {
        const float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
        if (x < y) signs += 3;
        else if (y < 0) signs ^= steps;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
        if (x != x) continue;
    }
    out[py * w + px] = steps | signs << 8;
}
