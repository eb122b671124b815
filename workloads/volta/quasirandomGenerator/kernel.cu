// quasirandomGenerator: numbers of a digital net in base 2 and what they become as normally
// distributed ones. quasirandomGeneratorKernel: number i of a dimension is the exclusive or of the
// columns of the dimension's bit matrix that the bits of i name. A thread takes every 16384th
// number of its dimension (threadIdx.y). inverseCNDKernel: the inverse of the cumulative normal
// distribution after B. Moro, "The full Monte" (Risk 8(2), 1995), for equidistant points when there
// are none in memory.
#include "device.h"

#define DIMENSIONS 3
#define BITS       31
#define BLOCKS     128
#define THREADS    128
CONSTANT(unsigned, matrix[DIMENSIONS * BITS]);

// Adds the column where the bits have that one: a test and an operation under its predicate.
#ifdef WW_EMULATE
DEVICE_FN void add_column(unsigned &result, unsigned bits, unsigned column, unsigned bit) {
    if (bits & bit) result ^= column;
}
#else
DEVICE_FN void add_column(unsigned &result, unsigned bits, unsigned column, unsigned bit) {
    asm("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %3; setp.ne.u32 p, t, 0; @p xor.b32 %0, %0, "
        "%2; }"
        : "+r"(result)
        : "r"(bits), "r"(column), "n"(bit));
}
#endif

extern "C" __global__ void quasirandomGeneratorKernel(float *out, unsigned seed, unsigned count) {
    const unsigned *const columns = matrix + threadIdx.y * BITS;
    unsigned column[BITS]; // in registers, for all of the thread's numbers
#pragma unroll
    for (int bit = 0; bit < BITS; bit++) column[bit] = columns[bit];
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < count; i += BLOCKS * THREADS) {
        unsigned result = 0;
#pragma unroll
        for (int bit = 0; bit < BITS; bit++) add_column(result, seed + i, column[bit], 1u << bit);
        out[threadIdx.y * count + i] = (float)(result + 1) * 0x1p-31f;
    }
}

// Moro's coefficients: a rational function in the middle, a polynomial in log(-log p) in the tails.
DEVICE_FN float inverse_normal(unsigned x) {
    const bool upper = x >= 0x80000000u;
    if (upper) x = 0xffffffffu - x;
    const float p = (float)x * 0x1p-32f + 0x1p-33f; // of the lower half, never 0
    const float y = p - 0.5f;
    float z;
    if (y > -0.42f) {
        z = y * y;
        z = y *
            (((-25.44106049637f * z + 41.39119773534f) * z - 18.61500062529f) * z +
             2.50662823884f) /
            ((((3.13082909833f * z - 21.06224101826f) * z + 23.08336743743f) * z - 8.47351093090f) *
                 z +
             1.0f);
    } else {
        z = __logf(-__logf(p));
        z = -(0.3374754822726147f +
              z * (0.9761690190917186f +
                   z * (0.1607979714918209f +
                        z * (0.0276438810333863f +
                             z * (0.0038405729373609f +
                                  z * (0.0003951896511919f +
                                       z * (0.0000321767881768f +
                                            z * (0.0000002888167364f +
                                                 z * 0.0000003960315187f))))))));
    }
    return upper ? -z : z;
}

extern "C" __global__ void inverseCNDKernel(float *out, unsigned count) {
    const unsigned distance = 0xffffffffu / (count + 1);
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < count; i += BLOCKS * THREADS)
        out[i] = inverse_normal((i + 1) * distance);
}
