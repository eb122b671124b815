// eigenvalues: of a symmetric tridiagonal matrix, by bisection. How many eigenvalues lie below x is
// how many terms of a recurrence (Sturm's, in the form of Barth, Martin and Wilkinson 1967) are
// negative, one division a row of the matrix. A thread has an interval that holds some eigenvalues,
// counts at its middle, and keeps the half that has them; where both have, the other half goes to
// a new thread at the end of the list, its place found by a scan over who splits.
//
// bisect: one block for the whole of a small matrix.
// bisectLarge: a large matrix's intervals until there are more than `most` of them (a thread may
// then have two), sorted into those with one eigenvalue and those with several, which are put
// together in groups of at most 256 eigenvalues by a tree.
// bisectOneIntervals, bisectMultIntervals: to the end; one interval a thread, one group a block.
//
// All threads of a block fetch the matrix piece by piece into shared memory, two barriers a piece;
// every thread with an interval then reads it word by word, all lanes the same.
#include "device.h"

#define SMALL 512 // threads of bisect, and the largest matrix it takes
#define LARGE 256 // threads of the others

// Terms below x of `length` diagonal elements and squares of those beside them (the first square is
// 0). Rows go through `diagonal` and `square`, THREADS elements each. A zero term makes the next
// infinite, as the arithmetic has it, and counts as it should.
template <int THREADS>
DEVICE_FN int count_below(const float *matrix_diagonal, const float *matrix_square, int length,
                          float x, bool active, float *diagonal, float *square) {
    const int t = (int)threadIdx.x;
    float term = 1.0f;
    int below = 0;
#pragma unroll 1
    for (int from = 0; from < length; from += THREADS) {
        __syncthreads();
        if (from + t < length) {
            diagonal[t] = matrix_diagonal[from + t];
            square[t] = matrix_square[from + t];
        }
        __syncthreads();
        if (active) {
            const int rows = min(THREADS, length - from);
#pragma unroll 4
            for (int i = 0; i < rows; i++) {
                term = diagonal[i] - x - square[i] / term;
                below += term < 0.0f;
            }
        }
    }
    __syncthreads();
    return below;
}

// Exclusive sum over the block in place, of SIZE numbers, a power of two and at most twice the
// threads. Returns the whole sum; one more word is needed.
template <int SIZE> DEVICE_FN int scan(int *sums) {
    const int t = (int)threadIdx.x;
    int step = 1;
#pragma unroll 1
    for (int pairs = SIZE / 2; pairs > 0; pairs >>= 1, step <<= 1) {
        __syncthreads();
        if (t < pairs) sums[step * (2 * t + 2) - 1] += sums[step * (2 * t + 1) - 1];
    }
    __syncthreads();
    if (t == 0) {
        sums[SIZE] = sums[SIZE - 1];
        sums[SIZE - 1] = 0;
    }
#pragma unroll 1
    for (int pairs = 1; pairs < SIZE; pairs <<= 1) {
        step >>= 1;
        __syncthreads();
        if (t < pairs) {
            const int left = sums[step * (2 * t + 1) - 1];
            sums[step * (2 * t + 1) - 1] = sums[step * (2 * t + 2) - 1];
            sums[step * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    return sums[SIZE];
}

struct interval {
    float left, right;
    int below_left, below_right; // eigenvalues below either end
};

DEVICE_FN bool narrow(const interval &v, float precision) {
    const float size = fmaxf(fabsf(v.left), fabsf(v.right));
    return v.right - v.left <= fmaxf(precision, size * 2.4e-7f); // two units in the last place
}

// One step of all intervals of a block, `active` of them, at most one a thread. Returns how many
// there are now, at most twice as many; *again tells whether any was not finished. An interval is
// finished where it is narrow or, for bisectLarge, has one eigenvalue.
template <int THREADS, bool ONE_IS_ENOUGH>
DEVICE_FN int bisect_step(const float *matrix_diagonal, const float *matrix_square, int length,
                          int active, float precision, float *left, float *right, int *below_left,
                          int *below_right, int *places, int *busy, bool *again) {
    const int t = (int)threadIdx.x;
    interval v = {0.0f, 0.0f, 0, 0};
    bool works = false;
    if (t < active) {
        v = interval{left[t], right[t], below_left[t], below_right[t]};
        works = !narrow(v, precision) && !(ONE_IS_ENOUGH && v.below_right - v.below_left == 1);
    }
    const float middle = v.left + 0.5f * (v.right - v.left);
    if (t == 0) *busy = 0;
    // The ends are in registers now, so their place serves for the matrix.
    const int below =
        count_below<THREADS>(matrix_diagonal, matrix_square, length, middle, works, left, right);
    bool splits = false;
    interval other = v;
    if (works) {
        atomicExch(busy, 1);
        const int kept = min(max(below, v.below_left), v.below_right);
        splits = kept > v.below_left && kept < v.below_right;
        other.left = middle;
        other.below_left = kept;
        if (kept == v.below_left) {
            v.left = middle;
        } else {
            v.right = middle;
            v.below_right = kept;
        }
    }
    places[t] = splits;
    const int added = scan<THREADS>(places);
    if (t < active) {
        left[t] = v.left;
        right[t] = v.right;
        below_left[t] = v.below_left;
        below_right[t] = v.below_right;
    }
    if (splits) {
        const int at = active + places[t];
        left[at] = other.left;
        right[at] = other.right;
        below_left[at] = other.below_left;
        below_right[at] = other.below_right;
    }
    *again = *busy;
    __syncthreads();
    return active + added;
}

// An interval's middle is the value of all that it has.
DEVICE_FN void write_values(float *values, const interval &v) {
    const float middle = v.left + 0.5f * (v.right - v.left);
    for (int i = v.below_left; i < v.below_right; i++) values[i] = middle;
}

// The whole of it in one block: from one interval, or from those of a group.
template <int THREADS>
DEVICE_FN void bisect_all(const float *matrix_diagonal, const float *matrix_square, int length,
                          int active, float precision, float *left, float *right, int *below_left,
                          int *below_right, int *places, int *busy, float *values) {
    const int t = (int)threadIdx.x;
    bool again;
    do {
        active =
            bisect_step<THREADS, false>(matrix_diagonal, matrix_square, length, active, precision,
                                        left, right, below_left, below_right, places, busy, &again);
    } while (again);
    if (t < active) write_values(values, {left[t], right[t], below_left[t], below_right[t]});
}

extern "C" __global__ void bisect(const float *matrix_diagonal, const float *matrix_square,
                                  int length, float low, float high, float precision,
                                  float *values) {
    __shared__ float left[SMALL], right[SMALL];
    __shared__ int below_left[SMALL], below_right[SMALL], places[SMALL + 1], busy;
    if (threadIdx.x == 0) {
        left[0] = low;
        right[0] = high;
        below_left[0] = 0;
        below_right[0] = length;
    }
    __syncthreads();
    bisect_all<SMALL>(matrix_diagonal, matrix_square, length, 1, precision, left, right, below_left,
                      below_right, places, &busy, values);
}

extern "C" __global__ void bisectLarge(const float *matrix_diagonal, const float *matrix_square,
                                       int length, float low, float high, float precision, int most,
                                       float *one_left, float *one_right, int *one_below,
                                       float *left_out, float *right_out, int *below_left_out,
                                       int *below_right_out, int *starts, int *counts) {
    __shared__ float left[2 * LARGE], right[2 * LARGE];
    __shared__ int below_left[2 * LARGE], below_right[2 * LARGE], places[2 * LARGE + 1], busy;
    const int t = (int)threadIdx.x;
    if (t == 0) {
        left[0] = low;
        right[0] = high;
        below_left[0] = 0;
        below_right[0] = length;
    }
    __syncthreads();
    int active = 1;
    bool again;
    do {
        active =
            bisect_step<LARGE, true>(matrix_diagonal, matrix_square, length, active, precision,
                                     left, right, below_left, below_right, places, &busy, &again);
    } while (again && active <= most);

    // Those with one eigenvalue to the first list; two intervals a thread from here on.
    bool single[2], several[2];
    interval v[2];
    int at[2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const int i = t + k * LARGE;
        single[k] = several[k] = false;
        if (i < active) {
            v[k] = interval{left[i], right[i], below_left[i], below_right[i]};
            single[k] = v[k].below_right - v[k].below_left == 1;
            several[k] = !single[k];
        }
        places[i] = single[k];
    }
    const int singles = scan<2 * LARGE>(places);
#pragma unroll
    for (int k = 0; k < 2; k++) {
        if (!single[k]) continue;
        const int place = places[t + k * LARGE];
        one_left[place] = v[k].left;
        one_right[place] = v[k].right;
        one_below[place] = v[k].below_left;
    }
    // The others to the second, one after the other.
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 2; k++) places[t + k * LARGE] = several[k];
    const int multis = scan<2 * LARGE>(places);
#pragma unroll
    for (int k = 0; k < 2; k++) at[k] = several[k] ? places[t + k * LARGE] : 0;
    __syncthreads();
    int *held = below_left, *begins = below_right; // by place; both are in registers now
#pragma unroll
    for (int k = 0; k < 2; k++) {
        held[t + k * LARGE] = 2 * LARGE; // past the end: joins nobody
        begins[t + k * LARGE] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 2; k++) {
        if (!several[k]) continue;
        left_out[at[k]] = v[k].left;
        right_out[at[k]] = v[k].right;
        below_left_out[at[k]] = v[k].below_left;
        below_right_out[at[k]] = v[k].below_right;
        held[at[k]] = v[k].below_right - v[k].below_left;
        if (v[k].below_right - v[k].below_left > LARGE) atomicExch(&counts[2], 1); // too many
        begins[at[k]] = 1;
    }
    // Neighbours join where both are whole and the two have no more than a block can hold.
#pragma unroll 1
    for (int step = 1; step < 2 * LARGE; step <<= 1) {
        __syncthreads();
        const int i = 2 * step * t;
        if (i + step >= 2 * LARGE) continue;
        const int both = held[i] + held[i + step];
        if (both <= LARGE) {
            held[i] = both;
            begins[i + step] = 0;
        } else {
            held[i] = 2 * LARGE;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 2; k++) places[t + k * LARGE] = begins[t + k * LARGE];
    const int groups = scan<2 * LARGE>(places);
#pragma unroll
    for (int k = 0; k < 2; k++)
        if (begins[t + k * LARGE]) starts[places[t + k * LARGE]] = t + k * LARGE;
    if (t == 0) {
        starts[groups] = multis;
        counts[0] = singles;
        counts[1] = groups;
    }
}

extern "C" __global__ void bisectOneIntervals(const float *matrix_diagonal,
                                              const float *matrix_square, int length, int intervals,
                                              float precision, const float *one_left,
                                              const float *one_right, const int *one_below,
                                              float *values) {
    __shared__ float diagonal[LARGE], square[LARGE];
    __shared__ int busy;
    const int i = (int)(blockIdx.x * LARGE + threadIdx.x);
    interval v = {0.0f, 0.0f, 0, 0};
    if (i < intervals) v = interval{one_left[i], one_right[i], one_below[i], one_below[i] + 1};
    bool works = i < intervals && !narrow(v, precision);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) busy = 0;
        __syncthreads();
        if (works) atomicExch(&busy, 1);
        __syncthreads();
        if (!busy) break;
        const float middle = v.left + 0.5f * (v.right - v.left);
        const int below = count_below<LARGE>(matrix_diagonal, matrix_square, length, middle, works,
                                             diagonal, square);
        if (works) {
            if (below > v.below_left)
                v.right = middle;
            else
                v.left = middle;
            works = !narrow(v, precision);
        }
    }
    if (i < intervals) write_values(values, v);
}

extern "C" __global__ void
bisectMultIntervals(const float *matrix_diagonal, const float *matrix_square, int length,
                    float precision, const int *starts, const float *left_in, const float *right_in,
                    const int *below_left_in, const int *below_right_in, float *values) {
    __shared__ float left[LARGE], right[LARGE];
    __shared__ int below_left[LARGE], below_right[LARGE], places[LARGE + 1], busy;
    const int t = (int)threadIdx.x;
    const int first = starts[blockIdx.x], active = starts[blockIdx.x + 1] - first;
    if (t < active) {
        left[t] = left_in[first + t];
        right[t] = right_in[first + t];
        below_left[t] = below_left_in[first + t];
        below_right[t] = below_right_in[first + t];
    }
    __syncthreads();
    bisect_all<LARGE>(matrix_diagonal, matrix_square, length, active, precision, left, right,
                      below_left, below_right, places, &busy, values);
}
