// mri-gridding: samples at any place of a grid of three dimensions, gathered by the grid's points.
// binning_kernel finds each sample's cell; the radix sort (splitSort, the scan of its digit counts,
// splitRearrange; four bits a pass) brings samples of a cell together; reorder_kernel copies them
// in that order; a scan of the cells' counts says where each cell begins; gridding_GPU sums.
#include "device.h"

enum {
    RADIX_BITS = 4,
    DIGITS = 1 << RADIX_BITS,
    SORT_THREADS = 256,
    SCAN_THREADS = 512,
    PAIR = 2 * SCAN_THREADS, // elements that a block scans; 4 * SORT_THREADS too
    TILE = 64,               // samples in shared memory; the threads of a gridding block too
    REACH = 2                // of the window, in cells
};

struct sample { // 24 bytes, as the scanner's file has it
    float real, imag, x, y, z, density;
};

CONSTANT(int, grid_size[3]);
CONSTANT(int, bin_room);
CONSTANT(float, window_beta2); // the window's parameter, squared

// A word in 16 left free: strides that are powers of two then meet in banks less.
#define PADDED(i)    ((i) + ((i) >> 4))
#define PADDED_WORDS (PADDED(PAIR) + 4)

// ----------------------------------------------------------------------------------- samples

extern "C" __global__ void binning_kernel(const sample *samples, int n, unsigned *keys,
                                          unsigned *values, unsigned *count, unsigned none) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const int x = (int)samples[i].x, y = (int)samples[i].y, z = (int)samples[i].z;
    unsigned bin = (unsigned)((z * grid_size[1] + y) * grid_size[0] + x);
    if (atomicAdd(&count[bin], 1) >= (unsigned)bin_room) {
        atomicSub((int *)&count[bin], 1);
        bin = none;
    }
    keys[i] = bin;
    values[i] = (unsigned)i;
}

extern "C" __global__ void reorder_kernel(const sample *samples, int n, const unsigned *values,
                                          float2 *signal, float4 *place) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const sample s = samples[values[i]];
    signal[i] = make_float2(s.real * s.density, s.imag * s.density);
    place[i] = make_float4(s.x, s.y, s.z, s.density);
}

// -------------------------------------------------------------------------------- prefix sums
// A tree over 2 * threads elements in shared memory, padded: sums on the way up, and on the way
// down each node hands its left child what stands before it.

DEVICE_FN void sum_up(unsigned *s, int t, int threads) {
    int stride = 1;
    for (int d = threads; d > 0; d >>= 1, stride *= 2) {
        __syncthreads();
        if (t < d) {
            const int right = 2 * stride * (t + 1) - 1;
            s[PADDED(right)] += s[PADDED(right - stride)];
        }
    }
    __syncthreads();
}
DEVICE_FN void sum_down(unsigned *s, int t, int threads) {
    int stride = threads;
    for (int d = 1; d <= threads; d *= 2, stride >>= 1) {
        __syncthreads();
        if (t < d) {
            const int right = 2 * stride * (t + 1) - 1;
            const unsigned before = s[PADDED(right)];
            s[PADDED(right)] = before + s[PADDED(right - stride)];
            s[PADDED(right - stride)] = before;
        }
    }
    __syncthreads();
}

// Each 1024 elements on their own; their sums apart. Past n there are zeros.
extern "C" __global__ void scan_L1_kernel(unsigned *data, int n, unsigned *sums) {
    __shared__ unsigned s[PADDED_WORDS];
    const int t = (int)threadIdx.x, first = (int)blockIdx.x * PAIR;
    s[PADDED(t)] = first + t < n ? data[first + t] : 0;
    s[PADDED(t + SCAN_THREADS)] = first + t + SCAN_THREADS < n ? data[first + t + SCAN_THREADS] : 0;
    sum_up(s, t, SCAN_THREADS);
    if (t == 0) {
        sums[blockIdx.x] = s[PADDED(PAIR - 1)];
        s[PADDED(PAIR - 1)] = 0;
    }
    sum_down(s, t, SCAN_THREADS);
    if (first + t < n) data[first + t] = s[PADDED(t)];
    if (first + t + SCAN_THREADS < n) data[first + t + SCAN_THREADS] = s[PADDED(t + SCAN_THREADS)];
}

// The same tree over the sums, a level of blocks a launch: the elements are the last ones of each
// `stride`. The host puts a zero at the top in between.
extern "C" __global__ void scan_inter1_kernel(unsigned *data, int stride) {
    DYNAMIC_SHARED(unsigned, s);
    const int t = (int)threadIdx.x, threads = (int)blockDim.x;
    const int a = (int)blockIdx.x * 2 * threads + t, b = a + threads;
    s[PADDED(t)] = data[(a + 1) * stride - 1];
    s[PADDED(t + threads)] = data[(b + 1) * stride - 1];
    sum_up(s, t, threads);
    data[(a + 1) * stride - 1] = s[PADDED(t)];
    data[(b + 1) * stride - 1] = s[PADDED(t + threads)];
}
extern "C" __global__ void scan_inter2_kernel(unsigned *data, int stride) {
    DYNAMIC_SHARED(unsigned, s);
    const int t = (int)threadIdx.x, threads = (int)blockDim.x;
    const int a = (int)blockIdx.x * 2 * threads + t, b = a + threads;
    s[PADDED(t)] = data[(a + 1) * stride - 1];
    s[PADDED(t + threads)] = data[(b + 1) * stride - 1];
    sum_down(s, t, threads);
    data[(a + 1) * stride - 1] = s[PADDED(t)];
    data[(b + 1) * stride - 1] = s[PADDED(t + threads)];
}

extern "C" __global__ void uniformAdd(unsigned *data, int n, const unsigned *sums) {
    __shared__ unsigned before;
    const int t = (int)threadIdx.x, first = (int)blockIdx.x * PAIR;
    if (t == 0) before = sums[blockIdx.x];
    __syncthreads();
    if (first + t < n) data[first + t] += before;
    if (first + t + SCAN_THREADS < n) data[first + t + SCAN_THREADS] += before;
}

// -------------------------------------------------------------------------------- radix sort

DEVICE_FN unsigned digit_of(unsigned key, int shift) { return key >> shift & (DIGITS - 1); }

// Each 1024 pairs on their own by one digit, a bit at a time, and how often each digit occurs:
// counts[digit * blocks + block].
extern "C" __global__ void splitSort(int shift, unsigned *keys, unsigned *values,
                                     unsigned *counts) {
    __shared__ unsigned s[PADDED_WORDS], count[DIGITS], zeros;
    const int t = (int)threadIdx.x, at = (int)blockIdx.x * SORT_THREADS + t;
    uint4 k = ((const uint4 *)keys)[at], v = ((const uint4 *)values)[at];

    for (int bit = shift; bit < shift + RADIX_BITS; bit++) {
        const unsigned x = ~k.x >> bit & 1, y = ~k.y >> bit & 1, z = ~k.z >> bit & 1,
                       w = ~k.w >> bit & 1;
        s[PADDED(t)] = x + y + z + w;
        sum_up(s, t, SORT_THREADS / 2);
        if (t == 0) {
            zeros = s[PADDED(SORT_THREADS - 1)];
            s[PADDED(SORT_THREADS - 1)] = 0;
        }
        sum_down(s, t, SORT_THREADS / 2);
        // Zeros stay in order in front, ones behind them.
        const unsigned before = s[PADDED(t)], ones = zeros + 4 * (unsigned)t - before;
        const unsigned px = x ? before : ones;
        const unsigned py = y ? before + x : ones + 1 - x;
        const unsigned pz = z ? before + x + y : ones + 2 - x - y;
        const unsigned pw = w ? before + x + y + z : ones + 3 - x - y - z;
        __syncthreads();
        s[PADDED(px)] = k.x, s[PADDED(py)] = k.y, s[PADDED(pz)] = k.z, s[PADDED(pw)] = k.w;
        __syncthreads();
        k = make_uint4(s[PADDED(4 * t)], s[PADDED(4 * t + 1)], s[PADDED(4 * t + 2)],
                       s[PADDED(4 * t + 3)]);
        __syncthreads();
        s[PADDED(px)] = v.x, s[PADDED(py)] = v.y, s[PADDED(pz)] = v.z, s[PADDED(pw)] = v.w;
        __syncthreads();
        v = make_uint4(s[PADDED(4 * t)], s[PADDED(4 * t + 1)], s[PADDED(4 * t + 2)],
                       s[PADDED(4 * t + 3)]);
        __syncthreads();
    }
    ((uint4 *)keys)[at] = k;
    ((uint4 *)values)[at] = v;

    if (t < DIGITS) count[t] = 0;
    __syncthreads();
    atomicAdd(&count[digit_of(k.x, shift)], 1);
    atomicAdd(&count[digit_of(k.y, shift)], 1);
    atomicAdd(&count[digit_of(k.z, shift)], 1);
    atomicAdd(&count[digit_of(k.w, shift)], 1);
    __syncthreads();
    if (t < DIGITS) counts[t * (int)gridDim.x + (int)blockIdx.x] = count[t];
}

// Every pair goes behind all of a smaller digit, those of its digit in blocks before, and those of
// its digit before it in its block: a thread counts the last by walking back from its first pair.
extern "C" __global__ void splitRearrange(int shift, const unsigned *keys, const unsigned *values,
                                          const unsigned *starts, unsigned *keys_out,
                                          unsigned *values_out) {
    __shared__ unsigned digits[4 * SORT_THREADS], start[DIGITS];
    const int t = (int)threadIdx.x, at = (int)blockIdx.x * SORT_THREADS + t;
    const uint4 k = ((const uint4 *)keys)[at], v = ((const uint4 *)values)[at];
    const unsigned x = digit_of(k.x, shift), y = digit_of(k.y, shift), z = digit_of(k.z, shift),
                   w = digit_of(k.w, shift);
    digits[4 * t] = x, digits[4 * t + 1] = y, digits[4 * t + 2] = z, digits[4 * t + 3] = w;
    if (t < DIGITS) start[t] = starts[t * (int)gridDim.x + (int)blockIdx.x];
    __syncthreads();

    unsigned rank = 0;
    for (int i = 4 * t - 1; i >= 0 && digits[i] == x; i--) rank++;
    unsigned to = start[x] + rank;
    keys_out[to] = k.x, values_out[to] = v.x;
    rank = y == x ? rank + 1 : 0;
    to = start[y] + rank;
    keys_out[to] = k.y, values_out[to] = v.y;
    rank = z == y ? rank + 1 : 0;
    to = start[z] + rank;
    keys_out[to] = k.z, values_out[to] = v.z;
    rank = w == z ? rank + 1 : 0;
    to = start[w] + rank;
    keys_out[to] = k.w, values_out[to] = v.w;
}

// ----------------------------------------------------------------------------------- gridding

// I0(sqrt t) for t up to 400: a ratio of polynomials through 17 Chebyshev points of that range,
// relative error 5e-7; fitted for this file.
DEVICE_FN float bessel_of_root(float t) {
    float p = 4.793932426e-29f;
    p = p * t + 2.278492146e-26f;
    p = p * t + 3.744918284e-23f;
    p = p * t + 2.024428992e-20f;
    p = p * t + 1.185336716e-17f;
    p = p * t + 4.616743124e-15f;
    p = p * t + 1.43940453e-12f;
    p = p * t + 3.254935601e-10f;
    p = p * t + 5.28740454e-08f;
    p = p * t + 5.799854033e-06f;
    p = p * t + 3.981179228e-04f;
    p = p * t + 1.504417064e-02f;
    p = p * t + 2.476702177e-01f;
    p = p * t + 9.999995169e-01f;
    const float q = ((-5.904781491e-10f * t + 1.956045069e-06f) * t - 2.330479103e-03f) * t + 1.0f;
    return __fdividef(p, q);
}

// A thread a grid point, 8 x 4 x 2 of them a block, which walks the rows of cells within reach of
// any; a row's samples lie together and pass through shared memory 64 at a time.
extern "C" __global__ void gridding_GPU(const float2 *signal, const float4 *place,
                                        const unsigned *starts, float2 *sum, float *density) {
    __shared__ float2 tile_signal[TILE];
    __shared__ float4 tile_place[TILE];
    const int t = (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
    // The grid of blocks has two dimensions: y and z share one.
    const int rows = grid_size[1] / 4;
    const int x0 = (int)blockIdx.x * 8, y0 = (int)blockIdx.y % rows * 4,
              z0 = (int)blockIdx.y / rows * 2;
    const int x = x0 + (int)threadIdx.x, y = y0 + (int)threadIdx.y, z = z0 + (int)threadIdx.z;
    const float px = (float)x, py = (float)y, pz = (float)z;
    const int x_low = max(x0 - REACH, 0), x_high = min(x0 + 7 + REACH, grid_size[0] - 1);
    const int y_low = max(y0 - REACH, 0), y_high = min(y0 + 3 + REACH, grid_size[1] - 1);
    const int z_low = max(z0 - REACH, 0), z_high = min(z0 + 1 + REACH, grid_size[2] - 1);

    float real = 0.0f, imag = 0.0f, dense = 0.0f;
    for (int zz = z_low; zz <= z_high; zz++) {
        for (int yy = y_low; yy <= y_high; yy++) {
            const int row = (zz * grid_size[1] + yy) * grid_size[0];
            const int end = (int)starts[row + x_high + 1];
            for (int first = (int)starts[row + x_low]; first < end; first += TILE) {
                __syncthreads();
                if (first + t < end) {
                    tile_signal[t] = signal[first + t];
                    tile_place[t] = place[first + t];
                }
                __syncthreads();
                const int here = min(end - first, TILE);
                for (int i = 0; i < here; i++) {
                    const float dx = tile_place[i].x - px;
                    const float dx2 = dx * dx;
                    if (dx2 > (float)(REACH * REACH)) continue;
                    const float dy = tile_place[i].y - py;
                    const float dy2 = dy * dy;
                    if (dy2 > (float)(REACH * REACH)) continue;
                    const float dz = tile_place[i].z - pz;
                    const float dz2 = dz * dz;
                    if (dz2 > (float)(REACH * REACH)) continue;
                    const float d2 = dx2 + dy2 + dz2;
                    if (d2 > (float)(REACH * REACH)) continue;
                    // beta * sqrt(1 - (d / reach)^2), and its square again for the polynomial
                    const float a =
                        sqrtf(window_beta2 * (1.0f - d2 * (1.0f / (float)(REACH * REACH))));
                    const float weight = bessel_of_root(a * a);
                    real += weight * tile_signal[i].x;
                    imag += weight * tile_signal[i].y;
                    dense += weight * tile_place[i].w;
                }
            }
        }
    }
    const int cell = (z * grid_size[1] + y) * grid_size[0] + x;
    sum[cell] = make_float2(real, imag);
    density[cell] = dense;
}
