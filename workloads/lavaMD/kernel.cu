// lavaMD: potential and force on every particle from those of its own box and of the boxes around.
// A block of 128 threads has a box of 100 particles, so that the last warp has four lanes at work.
// One neighbour's particles at a time are in shared memory, where all threads read the same one.
// In double precision throughout; the exponential is made here, of multiply-adds.
#include "device.h"

#define PARTICLES 100
#define THREADS   128

struct place {
    double half_square, x, y, z; // half of the distance from the origin, squared
};
struct box {
    int first, neighbours; // in the arrays of particles; of the box numbers after this
    int neighbour[26];
};

// e^x for x <= 0, 2 ulp: x = n ln 2 + r, a Taylor series for |r| < 0.35, n into the exponent.
DEVICE_FN double exp_of(double x) {
    const int n = x > -700.0 ? (int)(x * 1.4426950408889634 - 0.5) : -1010;
    double r = fma((double)n, -6.93147180369123816490e-01, x);
    r = fma((double)n, -1.90821492927058770002e-10, r);
    double p = 1.0 / 6227020800.0;
    p = fma(p, r, 1.0 / 479001600.0);
    p = fma(p, r, 1.0 / 39916800.0);
    p = fma(p, r, 1.0 / 3628800.0);
    p = fma(p, r, 1.0 / 362880.0);
    p = fma(p, r, 1.0 / 40320.0);
    p = fma(p, r, 1.0 / 5040.0);
    p = fma(p, r, 1.0 / 720.0);
    p = fma(p, r, 1.0 / 120.0);
    p = fma(p, r, 1.0 / 24.0);
    p = fma(p, r, 1.0 / 6.0);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    p = fma(p, r, 1.0);
    return p * __builtin_bit_cast(double, (int64_t)(1023 + n) << 52);
}

extern "C" __global__ void lavaMD(double alpha, const box *boxes, const place *places,
                                  const double *charges, place *forces) {
    __shared__ place home[PARTICLES], other[PARTICLES];
    __shared__ double charge[PARTICLES];
    const box *mine = boxes + blockIdx.x;
    const int t = (int)threadIdx.x;
    const double a2 = 2.0 * alpha * alpha;

    for (int i = t; i < PARTICLES; i += THREADS) home[i] = places[mine->first + i];
    __syncthreads();
    for (int k = 0; k <= mine->neighbours; k++) {
        const int first = k == 0 ? mine->first : boxes[mine->neighbour[k - 1]].first;
        for (int i = t; i < PARTICLES; i += THREADS) {
            other[i] = places[first + i];
            charge[i] = charges[first + i];
        }
        __syncthreads();
        for (int i = t; i < PARTICLES; i += THREADS) {
            place *f = forces + mine->first + i;
            for (int j = 0; j < PARTICLES; j++) {
                const double r2 =
                    home[i].half_square + other[j].half_square -
                    (home[i].x * other[j].x + home[i].y * other[j].y + home[i].z * other[j].z);
                const double potential = exp_of(-(a2 * r2));
                const double fs = 2.0 * potential;
                f->half_square += charge[j] * potential; // the potential's place in the record
                f->x += charge[j] * (fs * (home[i].x - other[j].x));
                f->y += charge[j] * (fs * (home[i].y - other[j].y));
                f->z += charge[j] * (fs * (home[i].z - other[j].z));
            }
        }
        __syncthreads();
    }
}
