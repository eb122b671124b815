// dct8x8: the discrete cosine transform of an image in squares of 8 x 8, as in JPEG, two ways.
//
// naiveDct and naiveIdct: an 8 x 8 block a square, two products with the matrix of cosines, which
// is in constant memory, at an index that differs from lane to lane. The image or the coefficients
// are read through a two-dimensional texture.
// fastDct and fastIdct: 8 x 4 x 2 threads have 32 x 16 pixels in shared memory with an odd pitch,
// a thread the eight values of a row, then of a column, which a butterfly of sums, differences and
// 22 multiplications turns in place. quantize rounds coefficients to multiples of a table's
// entries.
// shortDct, shortIdct and shortQuantize: the same butterflies in whole numbers, for 16-bit pixels
// and coefficients; 8 x 4 x 4 threads a tile of 32 x 32, moved two pixels a word by half of the
// threads.
#include "device.h"

#define SIDE 8
#ifdef WW_VOLTA // as the sample has it: 96 requests of constants a warp, as were counted, none of two words
CONSTANT(float, cosines[SIDE * SIDE]); // [place][frequency]
#define COSINE(frequency, place) cosines[(place)*SIDE + (frequency)]
#else
CONSTANT(float, cosines[SIDE * SIDE]); // [frequency][place]
#define COSINE(frequency, place) cosines[(frequency)*SIDE + (place)]
#endif
CONSTANT(float, quantum[SIDE * SIDE]);
CONSTANT(int, whole_quantum[SIDE * SIDE]);
TEXTURE(image);

template <bool FORWARD> DEVICE_FN void transform_naive(float *out, int pitch) {
#ifdef WW_VOLTA
    __shared__ __attribute__((aligned(8))) float half[SIDE][SIDE]; // read in pairs, as measured
    __shared__ float square[SIDE][SIDE];
#else
    __shared__ float square[SIDE][SIDE], half[SIDE][SIDE];
#endif
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int x = (int)blockIdx.x * SIDE + tx, y = (int)blockIdx.y * SIDE + ty;

    square[ty][tx] = tex_2d_f32(image, x + 0.5f, y + 0.5f).x;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < SIDE; i++)
        sum += (FORWARD ? COSINE(ty, i) : COSINE(i, ty)) * square[i][tx];
    half[ty][tx] = sum;
    __syncthreads();
    sum = 0.0f;
#ifdef WW_VOLTA
    const float2 *const pairs = (const float2 *)half[ty];
#pragma unroll
    for (int i = 0; i < SIDE; i += 2) {
        const float2 pair = pairs[i / 2];
        sum += pair.x * (FORWARD ? COSINE(tx, i) : COSINE(i, tx));
        sum += pair.y * (FORWARD ? COSINE(tx, i + 1) : COSINE(i + 1, tx));
    }
#else
#pragma unroll
    for (int i = 0; i < SIDE; i++)
        sum += half[ty][i] * (FORWARD ? COSINE(tx, i) : COSINE(i, tx));
#endif
    out[y * pitch + x] = sum;
}

extern "C" __global__ void naiveDct(float *out, int pitch) { transform_naive<true>(out, pitch); }
extern "C" __global__ void naiveIdct(float *out, int pitch) { transform_naive<false>(out, pitch); }

// sqrt(2) cos(k pi / 16) for k = 1, 2, 3, 5, 6, 7, and 1 / sqrt(8).
#define C1   1.387039845f
#define C2   1.306562965f
#define C3   1.175875602f
#define C5   0.785694958f
#define C6   0.541196100f
#define C7   0.275899379f
#define NORM 0.353553391f

DEVICE_FN void forward8(float *v, int step) {
    const float s0 = v[0] + v[7 * step], d0 = v[0] - v[7 * step];
    const float s1 = v[step] + v[6 * step], d1 = v[step] - v[6 * step];
    const float s2 = v[2 * step] + v[5 * step], d2 = v[2 * step] - v[5 * step];
    const float s3 = v[3 * step] + v[4 * step], d3 = v[3 * step] - v[4 * step];
    v[0] = NORM * ((s0 + s3) + (s1 + s2));
    v[step] = NORM * (C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3);
    v[2 * step] = NORM * (C2 * (s0 - s3) + C6 * (s1 - s2));
    v[3 * step] = NORM * (C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3);
    v[4 * step] = NORM * ((s0 + s3) - (s1 + s2));
    v[5 * step] = NORM * (C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3);
    v[6 * step] = NORM * (C6 * (s0 - s3) - C2 * (s1 - s2));
    v[7 * step] = NORM * (C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3);
}

DEVICE_FN void inverse8(float *v, int step) {
    const float p = v[0] + v[4 * step], q = v[0] - v[4 * step];
    const float r = C2 * v[2 * step] + C6 * v[6 * step], s = C6 * v[2 * step] - C2 * v[6 * step];
    const float y1 = v[step], y3 = v[3 * step], y5 = v[5 * step], y7 = v[7 * step];
    const float o0 = C1 * y1 + C3 * y3 + C5 * y5 + C7 * y7;
    const float o1 = C3 * y1 - C7 * y3 - C1 * y5 - C5 * y7;
    const float o2 = C5 * y1 - C1 * y3 + C7 * y5 + C3 * y7;
    const float o3 = C7 * y1 - C5 * y3 + C3 * y5 - C1 * y7;
    v[0] = NORM * (p + r + o0);
    v[step] = NORM * (q + s + o1);
    v[2 * step] = NORM * (q - s + o2);
    v[3 * step] = NORM * (p - r + o3);
    v[4 * step] = NORM * (p - r - o3);
    v[5 * step] = NORM * (q - s - o2);
    v[6 * step] = NORM * (q + s - o1);
    v[7 * step] = NORM * (p + r - o0);
}

#define WIDTH  32
#define HEIGHT 16
#define PITCH  (WIDTH + 1)

template <bool FORWARD> DEVICE_FN void transform_fast(const float *in, float *out, int pitch) {
    __shared__ float tile[HEIGHT * PITCH];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, top = (int)threadIdx.z * SIDE;
    const int x = ty * SIDE + tx;
    const int at = ((int)blockIdx.y * HEIGHT + top) * pitch + (int)blockIdx.x * WIDTH + x;
    float *row = tile + (top + tx) * PITCH + ty * SIDE, *column = tile + top * PITCH + x;

#pragma unroll
    for (int i = 0; i < SIDE; i++) column[i * PITCH] = in[at + i * pitch];
    __syncthreads();
    if (FORWARD)
        forward8(row, 1);
    else
        inverse8(row, 1);
    __syncthreads();
    if (FORWARD)
        forward8(column, PITCH);
    else
        inverse8(column, PITCH);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIDE; i++) out[at + i * pitch] = column[i * PITCH];
}

extern "C" __global__ void fastDct(const float *in, float *out, int pitch) {
    transform_fast<true>(in, out, pitch);
}
extern "C" __global__ void fastIdct(const float *in, float *out, int pitch) {
    transform_fast<false>(in, out, pitch);
}

extern "C" __global__ void quantize(float *coefficients, int pitch) {
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    float *at = coefficients + ((int)blockIdx.y * SIDE + ty) * pitch + (int)blockIdx.x * SIDE + tx;
    const float unit = quantum[ty * SIDE + tx];
    *at = rintf(*at / unit) * unit;
}

// 2^15 cos(k pi / 16) / 2, rounded.
#define K1 16069
#define K2 15137
#define K3 13623
#define K4 11585
#define K5 9102
#define K6 6270
#define K7 3196

// v := its transform times 2^(15 - shift), rounded.
DEVICE_FN void forward8_whole(int *v, int shift) {
    const int half = 1 << (shift - 1);
    const int s0 = v[0] + v[7], d0 = v[0] - v[7], s1 = v[1] + v[6], d1 = v[1] - v[6];
    const int s2 = v[2] + v[5], d2 = v[2] - v[5], s3 = v[3] + v[4], d3 = v[3] - v[4];
    const int e0 = s0 + s3, e1 = s1 + s2, e2 = s0 - s3, e3 = s1 - s2;
    v[0] = (K4 * (e0 + e1) + half) >> shift;
    v[1] = (K1 * d0 + K3 * d1 + K5 * d2 + K7 * d3 + half) >> shift;
    v[2] = (K2 * e2 + K6 * e3 + half) >> shift;
    v[3] = (K3 * d0 - K7 * d1 - K1 * d2 - K5 * d3 + half) >> shift;
    v[4] = (K4 * (e0 - e1) + half) >> shift;
    v[5] = (K5 * d0 - K1 * d1 + K7 * d2 + K3 * d3 + half) >> shift;
    v[6] = (K6 * e2 - K2 * e3 + half) >> shift;
    v[7] = (K7 * d0 - K5 * d1 + K3 * d2 - K1 * d3 + half) >> shift;
}

DEVICE_FN void inverse8_whole(int *v, int shift) {
    const int half = 1 << (shift - 1);
    const int p = K4 * (v[0] + v[4]) + half, q = K4 * (v[0] - v[4]) + half;
    const int r = K2 * v[2] + K6 * v[6], s = K6 * v[2] - K2 * v[6];
    const int o0 = K1 * v[1] + K3 * v[3] + K5 * v[5] + K7 * v[7];
    const int o1 = K3 * v[1] - K7 * v[3] - K1 * v[5] - K5 * v[7];
    const int o2 = K5 * v[1] - K1 * v[3] + K7 * v[5] + K3 * v[7];
    const int o3 = K7 * v[1] - K5 * v[3] + K3 * v[5] - K1 * v[7];
    v[0] = (p + r + o0) >> shift;
    v[1] = (q + s + o1) >> shift;
    v[2] = (q - s + o2) >> shift;
    v[3] = (p - r + o3) >> shift;
    v[4] = (p - r - o3) >> shift;
    v[5] = (q - s - o2) >> shift;
    v[6] = (q + s - o1) >> shift;
    v[7] = (p + r - o0) >> shift;
}

#define WHOLE_TILE  32
#define WHOLE_PITCH (WHOLE_TILE + 2) // in 16-bit words: an odd number of pairs

// Between the two passes values have 4 binary places on the way there and 3 on the way back, where
// they are larger: at most 128 sqrt(8) and some 1300.
template <bool FORWARD>
DEVICE_FN void transform_whole(const unsigned *in, unsigned *out, int pitch) {
    __shared__ unsigned tile[WHOLE_TILE * WHOLE_PITCH / 2];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, top = (int)threadIdx.z * SIDE;
    const int x = ty * SIDE + tx, pairs = pitch / 2, places = FORWARD ? 4 : 3;
    const int at =
        ((int)blockIdx.y * WHOLE_TILE + top) * pairs + (int)blockIdx.x * WHOLE_TILE / 2 + x;
    unsigned *pair = tile + top * (WHOLE_PITCH / 2) + x;
    unsigned *row = tile + (top + tx) * (WHOLE_PITCH / 2) + ty * SIDE / 2;
    short *column = (short *)tile + top * WHOLE_PITCH + x;
    int v[SIDE];

    if (x < WHOLE_TILE / 2) {
#pragma unroll
        for (int i = 0; i < SIDE; i++) pair[i * (WHOLE_PITCH / 2)] = in[at + i * pairs];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIDE / 2; i++) {
        const int both = (int)row[i];
        v[2 * i] = (short)both;
        v[2 * i + 1] = both >> 16;
    }
    if (FORWARD)
        forward8_whole(v, 15 - places);
    else
        inverse8_whole(v, 15 - places);
#pragma unroll
    for (int i = 0; i < SIDE / 2; i++)
        row[i] = ((unsigned)v[2 * i] & 0xffff) | (unsigned)v[2 * i + 1] << 16;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIDE; i++) v[i] = column[i * WHOLE_PITCH];
    if (FORWARD)
        forward8_whole(v, 15 + places);
    else
        inverse8_whole(v, 15 + places);
#pragma unroll
    for (int i = 0; i < SIDE; i++) column[i * WHOLE_PITCH] = (short)v[i];
    __syncthreads();
    if (x < WHOLE_TILE / 2) {
#pragma unroll
        for (int i = 0; i < SIDE; i++) out[at + i * pairs] = pair[i * (WHOLE_PITCH / 2)];
    }
}

extern "C" __global__ void shortDct(const unsigned *in, unsigned *out, int pitch) {
    transform_whole<true>(in, out, pitch);
}
extern "C" __global__ void shortIdct(const unsigned *in, unsigned *out, int pitch) {
    transform_whole<false>(in, out, pitch);
}

extern "C" __global__ void shortQuantize(short *coefficients, int pitch) {
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    short *at = coefficients + ((int)blockIdx.y * SIDE + ty) * pitch + (int)blockIdx.x * SIDE + tx;
    const int unit = whole_quantum[ty * SIDE + tx];
    int value = *at;
    if (value < 0) {
        value = -((unit / 2 - value) / unit * unit);
    } else {
        value = (value + unit / 2) / unit * unit;
    }
    *at = (short)value;
}
