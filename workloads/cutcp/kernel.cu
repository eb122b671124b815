// cutcp: the Coulomb potential of atoms on a lattice, with a cut-off beyond which an atom counts no
// more; the potential is smoothed to reach zero there. Atoms lie in bins of eight, each for a cube
// as large as a block's 8 x 8 x 8 points; 8 x 2 x 8 threads have four points each, along y. The
// block goes over the list, in constant memory, of all bins that may matter, loads 32 of them into
// shared memory at a time, half a warp the eight words of half a bin, and all threads read the same
// atom. A launch has one layer of blocks.
#include "device.h"

#define SLOTS      8  // atoms of a bin; an empty slot, with charge zero, ends it
#define CACHE      32 // bins in shared memory
#define POINTS     4  // of a thread
#define SIDE       8  // points of a block along each axis
#define NEIGHBOURS 1331

struct offset {
    int x, y, z;
};
CONSTANT(offset, neighbours[NEIGHBOURS]);

extern "C" __global__ void cutoffPotential(int neighbour_count, int layer, float spacing,
                                           float cutoff2, float inv_cutoff2, int padding,
                                           int bins_x, int bins_y, const float4 *bins,
                                           float *lattice) {
    __shared__ float4 cache[CACHE * SLOTS];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, tz = (int)threadIdx.z;
    const int t = tx + SIDE * (ty + 2 * tz);
    const int bx = (int)blockIdx.x, by = (int)blockIdx.y;

    const float x = spacing * (float)(SIDE * bx + tx);
    const float y = spacing * (float)(SIDE * by + ty);
    const float z = spacing * (float)(SIDE * layer + tz);
    float energy[POINTS] = {0.0f, 0.0f, 0.0f, 0.0f};

    for (int base = 0; base < neighbour_count; base += CACHE) {
        const int cached = min(CACHE, neighbour_count - base);
        __syncthreads();
        for (int i = t / 32; i < cached; i += 4) {
            const offset o = neighbours[base + i];
            const int bin = ((layer + o.z + padding) * bins_y + by + o.y + padding) * bins_x + bx +
                            o.x + padding;
            ((float *)cache)[i * SLOTS * 4 + t % 32] =
                ((const float *)bins)[bin * SLOTS * 4 + t % 32];
        }
        __syncthreads();
        for (int i = 0; i < cached; i++) {
            for (int slot = 0; slot < SLOTS; slot++) {
                const float4 atom = cache[i * SLOTS + slot];
                if (atom.w == 0.0f) break;
                const float dx = atom.x - x, dz = atom.z - z;
                const float dxz2 = dx * dx + dz * dz;
                float dy = atom.y - y;
#pragma unroll
                for (int p = 0; p < POINTS; p++) {
                    const float r2 = dy * dy + dxz2;
                    if (r2 < cutoff2) {
                        const float smooth = 1.0f - r2 * inv_cutoff2;
                        energy[p] += atom.w * rsqrtf(r2) * smooth * smooth;
                    }
                    dy -= 2.0f * spacing;
                }
            }
        }
    }
    float *at =
        lattice + (((layer * (int)gridDim.y + by) * (int)gridDim.x + bx) * SIDE * SIDE * SIDE);
#pragma unroll
    for (int p = 0; p < POINTS; p++) at[(tz * SIDE + 2 * p + ty) * SIDE + tx] = energy[p];
}
