// heartwall: points of the heart's wall, followed through the frames of an ultrasound film by
// template matching. One kernel, one launch a frame, a block a point, and in it phase after phase
// with a barrier between: elements of a matrix are dealt out to the block's threads by their
// number, from which each finds its row and column by a division.
//
// A frame's window around the point is correlated with the point's template by convolving it with
// the template turned round, clipped at the edges; window sums for the normalisation come from
// running sums down the columns and along the rows of the padded window, by one thread a column or
// row; the score is weighted by a smoothed mask around the last place, and the best taken. Every
// tenth frame mixes what was found into the template. The first frame only cuts out templates.
//
// Matrices are column after column in global memory, but for the turned template, which is in
// shared memory. What a block needs to know of its point is in constant memory.
#include "device.h"

#define THREADS      512
#define MAX_TEMPLATE 51
#define MAX_SCORES   131 // rows and columns of the score at most, 81 + 51 - 1
#define MAX_POINTS   51

typedef float GLOBAL_SPACE *floats;
typedef int GLOBAL_SPACE *ints;
struct point {
    floats model;                        // the template
    floats window;                       // of the frame
    floats scores;                       // by place of the template's last element in the window
    floats weighted;                     // and by the mask
    floats padded, bands, sums, squares; // on the way to the window sums
    floats mask;
    ints place; // base row and column, and row and column from there
    ints found; // row and column of each frame
};
struct shape {
    int rows, columns; // of a frame
    int side, window;  // of templates and windows, both odd
    int reach, smooth; // half of the mask's side, side of what smooths it
    int endo;          // points on the inner wall; the others are on the outer
    int frames;
};
struct moment {
    floats frame;
    int number, reserved;
};
CONSTANT(point, inner[MAX_POINTS]);
CONSTANT(point, outer[MAX_POINTS]);
CONSTANT(shape, common);
CONSTANT(moment, now);

// The running sum down each column of a matrix of `rows` by `columns`.
DEVICE_FN void sum_down(floats matrix, int rows, int columns) {
    const int column = (int)threadIdx.x;
    if (column < columns) {
        float sum = 0.0f;
        for (int row = 0; row < rows; row++) {
            sum += matrix[column * rows + row];
            matrix[column * rows + row] = sum;
        }
    }
    __syncthreads();
}
// And along each row.
DEVICE_FN void sum_along(floats matrix, int rows, int columns) {
    const int row = (int)threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int column = 0; column < columns; column++) {
            sum += matrix[column * rows + row];
            matrix[column * rows + row] = sum;
        }
    }
    __syncthreads();
}

// out(i, j): the sum of the window, or of its squares, over the template's square that ends at
// i, j; clipped, as the padding is zero.
template <bool SQUARES>
DEVICE_FN void window_sums(floats window, floats padded, floats bands, floats out) {
    const int side = common.side, size = common.window;
    const int pad = size + 2 * side, scores = size + side - 1;

    for (int i = (int)threadIdx.x; i < pad * pad; i += THREADS) {
        const int column = i / pad - side, row = i % pad - side;
        float v = 0.0f;
        if (row >= 0 && row < size && column >= 0 && column < size) v = window[column * size + row];
        padded[i] = SQUARES ? v * v : v;
    }
    __syncthreads();
    sum_down(padded, pad, pad);
    // Differences of running sums `side` apart.
    for (int i = (int)threadIdx.x; i < scores * pad; i += THREADS) {
        const int column = i / scores, row = i % scores;
        bands[i] = padded[column * pad + row + side] - padded[column * pad + row];
    }
    __syncthreads();
    sum_along(bands, scores, pad);
    for (int i = (int)threadIdx.x; i < scores * scores; i += THREADS) {
        const int column = i / scores, row = i % scores;
        out[i] = bands[(column + side) * scores + row] - bands[column * scores + row];
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) track() {
    __shared__ float turned[MAX_TEMPLATE * MAX_TEMPLATE];
    __shared__ float part[MAX_SCORES];
    __shared__ int part_at[MAX_SCORES];
    __shared__ float total[2];
    const int t = (int)threadIdx.x, b = (int)blockIdx.x;
    const point *me = b < common.endo ? &inner[b] : &outer[b - common.endo];
    const int side = common.side, size = common.window, scores = size + side - 1;
    const int base_row = me->place[0], base_column = me->place[1];

    if (now.number == 0) {
        for (int i = t; i < side * side; i += THREADS) {
            const int column = i / side, row = i % side;
            me->model[i] = now.frame[(base_column + column - side / 2) * common.rows + base_row +
                                     row - side / 2];
        }
        if (t < 2) me->found[t] = me->place[t];
        return;
    }

    // The window, and the template turned round.
    for (int i = t; i < size * size; i += THREADS) {
        const int column = i / size, row = i % size;
        me->window[i] =
            now.frame[(base_column + column - size / 2) * common.rows + base_row + row - size / 2];
    }
    for (int i = t; i < side * side; i += THREADS) {
        const int column = i / side, row = i % side;
        turned[(side - 1 - column) * side + side - 1 - row] = me->model[i];
    }
    __syncthreads();

    // Sum and sum of squares of the template: a column a thread, then one thread each.
    if (t < side) {
        float sum = 0.0f, square = 0.0f;
        for (int row = 0; row < side; row++) {
            const float v = turned[t * side + row];
            sum += v;
            square += v * v;
        }
        part[t] = sum;
        part[side + t] = square;
    }
    __syncthreads();
    if (t < 2) {
        float sum = 0.0f;
        for (int i = 0; i < side; i++) sum += part[t * side + i];
        total[t] = sum;
    }
    __syncthreads();
    const float count = (float)(side * side);
    const float mean = total[0] / count;
    const float spread = sqrtf(fmaxf(total[1] - total[0] * mean, 0.0f));

    // The convolution, over as much of the template as overlaps the window.
    for (int i = t; i < scores * scores; i += THREADS) {
        const int column = i / scores, row = i % scores;
        const int last_column = min(column, size - 1), last_row = min(row, size - 1);
        float sum = 0.0f;
        for (int c = max(column - side + 1, 0); c <= last_column; c++)
            for (int r = max(row - side + 1, 0); r <= last_row; r++)
                sum += me->window[c * size + r] * turned[(column - c) * side + row - r];
        me->scores[i] = sum;
    }
    __syncthreads();

    window_sums<false>(me->window, me->padded, me->bands, me->sums);
    window_sums<true>(me->window, me->padded, me->bands, me->squares);
    for (int i = t; i < scores * scores; i += THREADS) {
        const float sum = me->sums[i];
        me->scores[i] = me->scores[i] - sum * mean;
        me->squares[i] = fmaxf(me->squares[i] - sum * sum / count, 0.0f);
    }
    __syncthreads();
    for (int i = t; i < scores * scores; i += THREADS) {
        const float both = sqrtf(me->squares[i]) * spread;
        me->scores[i] = both > 0.0f ? me->scores[i] / both : 0.0f;
    }

    // The mask: a square around the last place, smoothed.
    const int middle = scores / 2, smooth = common.smooth;
    const int mask_row = middle + me->place[2], mask_column = middle + me->place[3];
    for (int i = t; i < scores * scores; i += THREADS) {
        const int column = i / scores, row = i % scores;
        const bool in =
            abs(row - mask_row) <= common.reach && abs(column - mask_column) <= common.reach;
        me->mask[i] = in ? 1.0f : 0.0f;
    }
    __syncthreads();
    for (int i = t; i < scores * scores; i += THREADS) {
        const int column = i / scores - smooth / 2, row = i % scores - smooth / 2;
        float sum = 0.0f;
        for (int c = max(column, 0); c < min(column + smooth, scores); c++)
            for (int r = max(row, 0); r < min(row + smooth, scores); r++)
                sum += me->mask[c * scores + r];
        me->weighted[i] = me->scores[i] * (sum / (float)(smooth * smooth));
    }
    __syncthreads();

    // The greatest: of each column, then of those.
    if (t < scores) {
        float best = -2.0f;
        int at = 0;
        for (int row = 0; row < scores; row++) {
            const float v = me->weighted[t * scores + row];
            if (v > best) {
                best = v;
                at = row;
            }
        }
        part[t] = best;
        part_at[t] = at;
    }
    __syncthreads();
    if (t == 0) {
        float best = -2.0f;
        int row = 0, column = 0;
        for (int i = 0; i < scores; i++) {
            if (part[i] > best) {
                best = part[i];
                row = part_at[i];
                column = i;
            }
        }
        me->place[2] = row - middle;
        me->place[3] = column - middle;
        me->found[2 * now.number] = base_row + row - middle;
        me->found[2 * now.number + 1] = base_column + column - middle;
    }
    __syncthreads();

    if (now.number % 10 != 0) return;
    const int at_row = base_row + me->place[2], at_column = base_column + me->place[3];
    for (int i = t; i < side * side; i += THREADS) {
        const int column = i / side, row = i % side;
        const float seen =
            now.frame[(at_column + column - side / 2) * common.rows + at_row + row - side / 2];
        me->model[i] = 0.87f * me->model[i] + 0.13f * seen;
    }
    __syncthreads();
    if (t < 2) {
        me->place[t] += me->place[2 + t];
        me->place[2 + t] = 0;
    }
}
