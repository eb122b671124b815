// Twelve kernels of varied kinds that no model is tuned to. All have the same parameters: random words, results and a
// number of elements; results are exact functions of them, so that a checksum says whether a machine computed right.
// Those that kernels.c calls blind are not to be looked at while a model is built: no profile, no time, no code.
//
// Compiled by clang as the workloads are, for compute capability 7.0 (docs/measure.md).
#include "device.h"

#define KERNEL extern "C" __global__ void
#define AT     (blockIdx.x * blockDim.x + threadIdx.x)

DEVICE_FN float number(unsigned word) { return (float)(word & 0xffff) * (1.0f / 65536.0f); }
DEVICE_FN unsigned bits(float x) { return (unsigned)__float_as_int(x); }
DEVICE_FN float shuffle_from(float v, unsigned lane) {
    float r;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, -1;" : "=f"(r) : "f"(v), "r"(lane));
    return r;
}

// Inclusive sums of blocks of 512, work-efficient in shared memory.
KERNEL blockScan(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned v[512];
    const unsigned t = threadIdx.x;
    for (unsigned base = blockIdx.x * 512; base + 512 <= n; base += gridDim.x * 512) {
        v[t] = in[base + t], v[t + 256] = in[base + t + 256];
        for (unsigned d = 1; d < 512; d *= 2) {
            __syncthreads();
            const unsigned i = (t + 1) * 2 * d - 1;
            if (i < 512) v[i] += v[i - d];
        }
        for (unsigned d = 128; d > 0; d /= 2) {
            __syncthreads();
            const unsigned i = (t + 1) * 2 * d - 1;
            if (i + d < 512) v[i + d] += v[i];
        }
        __syncthreads();
        out[base + t] = v[t], out[base + t + 256] = v[t + 256];
        __syncthreads();
    }
}

// Tiles of 32 by 32 turned over, padded rows.
KERNEL turnTiles(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned tile[32][33];
    const unsigned x = threadIdx.x & 31, y = threadIdx.x >> 5, rows = n / 1024;
    for (unsigned b = blockIdx.x; b < rows * (1024 / 32) / 32; b += gridDim.x) {
        const unsigned column = b % 32 * 32, row = b / 32 * 32;
        for (unsigned i = y; i < 32; i += 8) tile[i][x] = in[(row + i) * 1024 + column + x];
        __syncthreads();
        for (unsigned i = y; i < 32; i += 8) out[(column + i) * rows + row + x] = tile[x][i];
        __syncthreads();
    }
}

// A sparse matrix whose rows have 1 to 64 entries at random columns, a thread a row.
KERNEL sparseRows(const unsigned *in, unsigned *out, unsigned n) {
    for (unsigned r = AT; r < n / 16; r += gridDim.x * blockDim.x) {
        const unsigned length = (in[r] >> 7 & 63) + 1;
        float sum = 0;
        for (unsigned e = 0; e < length; e++) {
            const unsigned word = in[(r * 13 + e * 7) % n];
            sum += number(word) * number(in[word % n]);
        }
        out[r] = bits(sum);
    }
}

// Blocks of 1024 words sorted in shared memory.
KERNEL bitonicBlocks(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned v[1024];
    const unsigned t = threadIdx.x;
    for (unsigned base = blockIdx.x * 1024; base + 1024 <= n; base += gridDim.x * 1024) {
        for (unsigned i = t; i < 1024; i += 256) v[i] = in[base + i];
        for (unsigned k = 2; k <= 1024; k *= 2) {
            for (unsigned j = k / 2; j > 0; j /= 2) {
                __syncthreads();
                for (unsigned i = t; i < 1024; i += 256) {
                    const unsigned other = i ^ j;
                    if (other > i) {
                        const unsigned a = v[i], b = v[other];
                        if ((a > b) == ((i & k) == 0)) v[i] = b, v[other] = a;
                    }
                }
            }
        }
        __syncthreads();
        for (unsigned i = t; i < 1024; i += 256) out[base + i] = v[i];
        __syncthreads();
    }
}

// Systems of 32 equations, a warp each, a column a lane, by shuffles.
KERNEL smallSystems(const unsigned *in, unsigned *out, unsigned n) {
    const unsigned lane = threadIdx.x & 31;
    for (unsigned s = AT / 32; s < n / 1024; s += gridDim.x * blockDim.x / 32) {
        float a[32];
#pragma unroll
        for (unsigned i = 0; i < 32; i++) a[i] = number(in[s * 1024 + i * 32 + lane]) + (i == lane ? 32.0f : 0.0f);
#pragma unroll
        for (unsigned p = 0; p < 32; p++) {
            const float inverse = 1.0f / shuffle_from(a[p], p);
#pragma unroll
            for (unsigned i = 0; i < 32; i++) {
                if (i <= p) continue;
                const float factor = shuffle_from(a[i], p) * inverse;
                if (lane >= p) a[i] -= factor * a[p];
            }
        }
        float product = 0;
#pragma unroll
        for (unsigned i = 0; i < 32; i++) product += i == lane ? a[i] : 0.0f;
        out[s * 32 + lane] = bits(product);
    }
}

// Seven points of a box 64 wide and 64 deep, marching through its planes.
KERNEL sevenPoints(const unsigned *in, unsigned *out, unsigned n) {
    const unsigned plane = 64 * 64, planes = n / plane, t = AT % plane, x = t & 63, y = t >> 6, from = AT / plane;
    const unsigned share = planes / (gridDim.x * blockDim.x / plane);
    const unsigned start = from * share, end = start + share < planes ? start + share : planes;
    float below = number(in[(start ? start - 1 : 0) * plane + t]), here = number(in[start * plane + t]);
    for (unsigned z = start; z < end; z++) {
        const unsigned at = z * plane + t;
        const float above = number(in[z + 1 < planes ? at + plane : at]);
        const float sum = number(in[x ? at - 1 : at]) + number(in[x < 63 ? at + 1 : at]) + number(in[y ? at - 64 : at]) + number(in[y < 63 ? at + 64 : at]);
        out[at] = bits(0.5f * here + 0.0833f * (sum + below + above));
        below = here, here = above;
    }
}

// Forces of all on all, tiles of 256 bodies in shared memory.
KERNEL bodies(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ float px[256], py[256], pz[256];
    const unsigned i = AT;
    const float x = number(in[i]), y = number(in[i] >> 8), z = number(in[i] >> 16);
    float ax = 0, ay = 0, az = 0;
    for (unsigned base = 0; base < n; base += 256) {
        const unsigned word = in[base + threadIdx.x];
        px[threadIdx.x] = number(word), py[threadIdx.x] = number(word >> 8), pz[threadIdx.x] = number(word >> 16);
        __syncthreads();
        for (unsigned j = 0; j < 256; j++) {
            const float dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z;
            const float d = dx * dx + dy * dy + dz * dz + 0.01f, w = 1.0f / (d * sqrtf(d));
            ax += dx * w, ay += dy * w, az += dz * w;
        }
        __syncthreads();
    }
    out[i] = bits(ax + ay + az);
}

// Keys counted in a table of 2^18 places with open addresses; each thread then looks its key up.
KERNEL hashTable(const unsigned *in, unsigned *out, unsigned n) {
    unsigned *const table = out + (1 << 20);
    for (unsigned i = AT; i < n; i += gridDim.x * blockDim.x) {
        const unsigned key = in[i] % 100003 + 1;
        unsigned at = key * 2654435761u >> 14;
        for (unsigned tries = 0; tries < 4096; tries++) {
            const unsigned old = atomicCAS(&table[at], 0u, key);
            if (old == 0 || old == key) break;
            at = (at + 1) & 0x3ffff;
        }
        out[i & 0xfffff] = key; // where it landed depends on who came first; that it is there does not
    }
}

// Points of the Mandelbrot set: lanes leave the loop at different times.
KERNEL escapeTimes(const unsigned *in, unsigned *out, unsigned n) {
    for (unsigned i = AT; i < n; i += gridDim.x * blockDim.x) {
        const float cx = (float)(i & 1023) * (3.0f / 1024.0f) - 2.0f, cy = (float)(i >> 10 & 1023) * (2.0f / 1024.0f) - 1.0f;
        float x = 0, y = 0;
        unsigned k = 0;
        const unsigned most = 64 + (in[0] & 1);
        while (k < most && x * x + y * y < 4.0f) {
            const float t = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = t;
            k++;
        }
        out[i] = k;
    }
}

// Fourier transforms of 1024 points in shared memory, radix 2, number-theoretic so that results are exact.
KERNEL transforms(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned v[1024];
    const unsigned t = threadIdx.x, prime = 12289, root = 49; // 49 has order 2048 and more modulo 12289
    for (unsigned base = blockIdx.x * 1024; base + 1024 <= n; base += gridDim.x * 1024) {
        for (unsigned i = t; i < 1024; i += 256) {
            unsigned r = i, flipped = 0;
            for (unsigned b = 0; b < 10; b++) flipped = flipped << 1 | (r & 1), r >>= 1;
            v[flipped] = in[base + i] % prime;
        }
        for (unsigned half = 1; half < 1024; half *= 2) {
            __syncthreads();
            for (unsigned i = t; i < 512; i += 256) {
                const unsigned k = i & (half - 1), at = (i - k) * 2 + k;
                unsigned w = 1, power = k * (512 / half), factor = root;
                while (power) {
                    if (power & 1) w = w * factor % prime;
                    factor = factor * factor % prime;
                    power >>= 1;
                }
                const unsigned a = v[at], b = v[at + half] * w % prime;
                v[at] = (a + b) % prime;
                v[at + half] = (a + prime - b) % prime;
            }
        }
        __syncthreads();
        for (unsigned i = t; i < 1024; i += 256) out[base + i] = v[i];
        __syncthreads();
    }
}

// Counts of 256 bins in shared memory, added to memory at the end.
KERNEL counts(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = AT; i < n; i += gridDim.x * blockDim.x) {
        const unsigned word = in[i];
        atomicAdd(&bins[word & 255], 1u);
        atomicAdd(&bins[(word >> 8 & 15) * 16 + 3], 1u); // a few bins that many ask for
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// Products of matrices, n wide: tiles of 64 by 64, four by four numbers a thread.
KERNEL tiledProduct(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ float a[16][65], b[16][64];
    const unsigned tx = threadIdx.x & 15, ty = threadIdx.x >> 4, per = n / 64, row = blockIdx.x / per * 64, column = blockIdx.x % per * 64;
    float c[4][4] = {};
    for (unsigned k = 0; k < n; k += 16) {
        for (unsigned i = threadIdx.x; i < 1024; i += 256) {
            a[i & 15][i >> 4] = number(in[(row + (i >> 4)) * n + k + (i & 15)]);
            b[i >> 6][i & 63] = number(in[(k + (i >> 6)) * n + column + (i & 63)]);
        }
        __syncthreads();
#pragma unroll
        for (unsigned j = 0; j < 16; j++) {
#pragma unroll
            for (unsigned y = 0; y < 4; y++) {
#pragma unroll
                for (unsigned x = 0; x < 4; x++) c[y][x] += a[j][ty * 4 + y] * b[j][tx + x * 16];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned y = 0; y < 4; y++) {
#pragma unroll
        for (unsigned x = 0; x < 4; x++) out[(row + ty * 4 + y) * n + column + tx + x * 16] = bits(c[y][x]);
    }
}
