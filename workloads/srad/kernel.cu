// srad: anisotropic diffusion that removes the speckle of an ultrasound image, after Yu and Acton.
// The image lies by columns; rows[] and columns[] name each row's and column's neighbours, an
// edge's being itself. Launches an iteration: prepare (copies and squares for the statistics),
// reduce twice (their sums), srad (four differences and the diffusion coefficient), srad2 (the
// step). extract and compress, before and after, are exp(i / 255) and its inverse.
//
// Double literals, as the original has them, bring FP64 to srad and srad2.
#include "device.h"

#define THREADS 512

extern "C" __global__ void extract(float *image, int count) {
    const int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (i < count) image[i] = expf(image[i] / 255.0f);
}

extern "C" __global__ void prepare(const float *image, float *sums, float *squares, int count) {
    const int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (i >= count) return;
    sums[i] = image[i];
    squares[i] = image[i] * image[i];
}

// Sums of every 512 of `count` elements that are `stride` apart, each put where its first was. A
// level of the tree keeps every second of its threads, so all warps stay, with fewer and fewer
// lanes. The last block's tree has as many threads as a power of two allows; one adds the rest.
extern "C" __global__ void reduce(int count, int stride, float *sums, float *squares) {
    __shared__ float sum[THREADS], square[THREADS];
    const int t = (int)threadIdx.x, first = (int)blockIdx.x * THREADS;
    const int own = min(THREADS, count - first);
    if (t < own) {
        sum[t] = sums[(first + t) * stride];
        square[t] = squares[(first + t) * stride];
    }
    __syncthreads();

    int last = 1; // threads of the tree
    for (int i = 2; i <= own; i *= 2) last = i;
    for (int i = 2; i <= last; i *= 2) {
        if ((t + 1) % i == 0 && t < last) {
            sum[t] += sum[t - i / 2];
            square[t] += square[t - i / 2];
        }
        __syncthreads();
    }
    if (t == last - 1) {
        for (int i = last; i < own; i++) {
            sum[t] += sum[i];
            square[t] += square[i];
        }
        sums[first * stride] = sum[t];
        squares[first * stride] = square[t];
    }
}

extern "C" __global__ void srad(const int *north, const int *south, const int *west,
                                const int *east, float *d_north, float *d_south, float *d_west,
                                float *d_east, float q0, float *coefficient, const float *image,
                                int rows, int count) {
    const int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (i >= count) return;
    const int row = i % rows, column = i / rows;
    const float here = image[i];
    const float dn = image[north[row] + rows * column] - here;
    const float ds = image[south[row] + rows * column] - here;
    const float dw = image[row + rows * west[column]] - here;
    const float de = image[row + rows * east[column]] - here;

    const float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
    const float laplace = (dn + ds + dw + de) / here;
    const float over = (0.5 * gradient) - ((1.0 / 16.0) * (laplace * laplace));
    const float under = 1 + (0.25 * laplace);
    const float q = over / (under * under);
    const float excess = (q - q0) / (q0 * (1 + q0));
    float c = 1.0 / (1.0 + excess);
    if (c < 0)
        c = 0;
    else if (c > 1)
        c = 1;

    d_north[i] = dn;
    d_south[i] = ds;
    d_west[i] = dw;
    d_east[i] = de;
    coefficient[i] = c;
}

extern "C" __global__ void srad2(float lambda, const int *south, const int *east,
                                 const float *d_north, const float *d_south, const float *d_west,
                                 const float *d_east, const float *coefficient, float *image,
                                 int rows, int count) {
    const int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (i >= count) return;
    const int row = i % rows, column = i / rows;
    const float c = coefficient[i];
    const float c_south = coefficient[south[row] + rows * column];
    const float c_east = coefficient[row + rows * east[column]];
    const float divergence =
        c * d_north[i] + c_south * d_south[i] + c * d_west[i] + c_east * d_east[i];
    image[i] = image[i] + 0.25 * lambda * divergence;
}

extern "C" __global__ void compress(float *image, int count) {
    const int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (i < count) image[i] = logf(image[i]) * 255.0f;
}
