// stencil: one Jacobi step of a 7-point stencil on a grid of nx * ny * nz points. A 32 x 4 block
// has a 64 x 4 tile of points, two a thread, and marches along z: the planes below and above are in
// registers, the tile's own plane in shared memory. Neighbours across the tile's edge come from
// global memory, so lanes at the ends take another path. The grid's surface stays as it is.
#include "device.h"

DEVICE_FN int at(int x, int y, int z, int nx, int ny) { return x + nx * (y + ny * z); }

extern "C" __global__ void stencil(float c0, float c1, const float *from, float *to, int nx, int ny,
                                   int nz) {
    DYNAMIC_SHARED(float, plane);
    const int width = 2 * (int)blockDim.x;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int x = (int)blockIdx.x * width + tx, x2 = x + (int)blockDim.x;
    const int y = (int)(blockIdx.y * blockDim.y) + ty;
    const int s = tx + ty * width, s2 = s + (int)blockDim.x;

    const bool in_x = x < nx, in_x2 = x2 < nx, in_y = y < ny;
    const bool moves = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    const bool moves2 = x2 > 0 && x2 < nx - 1 && y > 0 && y < ny - 1;
    const bool north_here = ty > 0, south_here = ty < (int)blockDim.y - 1;
    const bool west_here = tx > 0, east_here = tx < (int)blockDim.x - 1;

    plane[s] = 0.0f; // beyond the grid
    plane[s2] = 0.0f;
    __syncthreads();
    float below = 0.0f, below2 = 0.0f, above = 0.0f, above2 = 0.0f;
    if (in_x && in_y) {
        below = from[at(x, y, 0, nx, ny)];
        plane[s] = from[at(x, y, 1, nx, ny)];
    }
    if (in_x2 && in_y) {
        below2 = from[at(x2, y, 0, nx, ny)];
        plane[s2] = from[at(x2, y, 1, nx, ny)];
    }
    __syncthreads();
    for (int z = 1; z < nz - 1; z++) {
        if (in_x && in_y) above = from[at(x, y, z + 1, nx, ny)];
        if (in_x2 && in_y) above2 = from[at(x2, y, z + 1, nx, ny)];
        if (moves) {
            const float north = north_here ? plane[s - width] : from[at(x, y - 1, z, nx, ny)];
            const float south = south_here ? plane[s + width] : from[at(x, y + 1, z, nx, ny)];
            const float west = west_here ? plane[s - 1] : from[at(x - 1, y, z, nx, ny)];
            to[at(x, y, z, nx, ny)] =
                (above + below + north + south + plane[s + 1] + west) * c1 - plane[s] * c0;
        }
        if (moves2) {
            const float north = north_here ? plane[s2 - width] : from[at(x2, y - 1, z, nx, ny)];
            const float south = south_here ? plane[s2 + width] : from[at(x2, y + 1, z, nx, ny)];
            const float east = east_here ? plane[s2 + 1] : from[at(x2 + 1, y, z, nx, ny)];
            to[at(x2, y, z, nx, ny)] =
                (above2 + below2 + north + south + east + plane[s2 - 1]) * c1 - plane[s2] * c0;
        }
        __syncthreads();
        below = plane[s];
        below2 = plane[s2];
        plane[s] = above;
        plane[s2] = above2;
        __syncthreads();
    }
}
