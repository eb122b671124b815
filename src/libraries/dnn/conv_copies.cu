// Convolutions as products on tensor cores from compute capability 8.0 on (conv_copies.h): the tiles of ../blas/copies.h, of which one
// matrix is gathered. A thread brings the same channels of some lines in each slice, and knows where these are; beside the tensor it
// brings zeros. Nothing is unfolded in memory. The file is compiled once for each type: KIND_f16, KIND_bf16 or KIND_tf32, OUT.
#include "../blas/copies.h"
#include "conv_copies.h"
#include "divide.h"

struct spot { // in space
    int h, w;
};
DEVICE spot spot_of(const conv_gather &of, int i, int *image) {
    const int rows = divide(of.size[1], i), n = divide(of.size[0], rows);
    *image = n;
    return {rows - n * (int)of.size[0].by, i - rows * (int)of.size[1].by};
}
// Brings sixteen bytes from a spot of the gathered tensor, `base` elements from its beginning, if there is such a spot.
DEVICE void bring_from(const conv_gather &of, uint32_t to, const T *x, bool is_there, int base, spot at) {
    if (of.down[0].by > 1 || of.down[1].by > 1) { // the same for all threads
        const spot q = {divide(of.down[0], at.h < 0 ? 0 : at.h), divide(of.down[1], at.w < 0 ? 0 : at.w)};
        is_there = is_there && q.h * (int)of.down[0].by == at.h && q.w * (int)of.down[1].by == at.w;
        at = q;
    }
    is_there = is_there && (unsigned)at.h < (unsigned)of.limit[0] && (unsigned)at.w < (unsigned)of.limit[1];
    copy(to, x + (is_there ? base + at.h * of.row + at.w * of.column : 0), is_there ? 16 : 0);
}

// A slice whose lines are places of the other tensor; along k lie the filter's places, and each one's channels.
template <int Long, int Threads> struct places_along_l {
    typedef slice<Long, Threads, true> as;
    static const int BYTES = as::BYTES, LINE = as::LINE, PIECES = as::PIECES;
    static MEMBER int spread(int line) { return as::spread(line); }
    const conv_gather *of;
    const T *x;
    spot line[PIECES]; // where the filter's first place lies
    int base[PIECES];  // elements to the image
    int channel, r, s, left; // of the next slice's piece; elements from there to the end of k
    uint32_t to;
    MEMBER void begin(const conv_gather &of_, const T *x_, int l0, int l_end, const part &p) {
        const int piece = thread_x % as::ROW, first = thread_x / as::ROW;
        of = &of_;
        x = x_;
#pragma unroll
        for (int i = 0; i < PIECES; i++) {
            const int l = l0 + first + i * as::LINES_AT_ONCE;
            int image;
            const spot at = spot_of(of_, l < l_end ? l : 0, &image);
            line[i].h = l < l_end ? at.h * of_.mul[0] + of_.add[0] : -(1 << 28); // beside it, whatever k adds
            line[i].w = at.w * of_.mul[1] + of_.add[1];
            base[i] = image * of_.image;
        }
        const int k = p.begin + piece * PIECE, place = divide(of_.channels, k);
        channel = k - place * (int)of_.channels.by;
        r = divide(of_.across, place);
        s = place - r * (int)of_.across.by;
        left = p.k - piece * PIECE;
        to = (uint32_t)(first * LINE + (piece ^ spread(first)) * 16);
    }
    MEMBER void bring(uint32_t shared, int i) {
        bring_from(*of, shared + to + (uint32_t)(i * as::LINES_AT_ONCE * LINE), x, left > 0, base[i] + channel,
                   {line[i].h + r * of->step[0], line[i].w + s * of->step[1]});
        if (i < PIECES - 1) return;
        left -= SLICE_K;
        channel += SLICE_K;
#pragma unroll 1
        while (channel >= (int)of->channels.by) {
            channel -= (int)of->channels.by;
            if (++s < (int)of->across.by) continue;
            s = 0;
            r++;
        }
    }
};

// A slice whose k are places of the other tensor; lines run along the filter's places, and each one's channels.
template <int Long, int Threads> struct places_along_k {
    typedef slice<Long, Threads, false> as;
    static const int BYTES = as::BYTES, LINE = as::LINE, PIECES = as::PIECES;
    static MEMBER int spread(int line) { return as::spread(line); }
    const conv_gather *of;
    const T *x;
    spot add;
    int channel, k, k_end; // k < 0: the piece lies beside the filter
    uint32_t to;
    MEMBER void begin(const conv_gather &of_, const T *x_, int l0, int l_end, const part &p) {
        const int piece = thread_x % as::ROW, first = thread_x / as::ROW, l = l0 + piece * PIECE;
        of = &of_;
        x = x_;
        const int place = divide(of_.channels, l), r = divide(of_.across, place);
        channel = l - place * (int)of_.channels.by;
        add = {of_.add[0] + r * of_.step[0], of_.add[1] + (place - r * (int)of_.across.by) * of_.step[1]};
        k = p.begin + first;
        k_end = l < l_end ? p.begin + p.k : 0;
        to = (uint32_t)(first * LINE + (piece ^ spread(first)) * 16);
    }
    MEMBER void bring(uint32_t shared, int i) {
        const int at = k + i * as::LINES_AT_ONCE;
        int image;
        const spot place = spot_of(*of, at < k_end ? at : 0, &image);
        bring_from(*of, shared + to + (uint32_t)(i * as::LINES_AT_ONCE * LINE), x, at < k_end, image * of->image + channel,
                   {place.h * of->mul[0] + add.h, place.w * of->mul[1] + add.w});
        if (i == PIECES - 1) k += SLICE_K;
    }
};

extern __shared__ char memory[] __attribute__((aligned(128)));

template <class Tile> DEVICE void multiply_all(const gemm &g, const part &p, typename Tile::slice_y &sy, typename Tile::slice_x &sx, int m0, int n0) {
    A sum[Tile::XS][2 * Tile::YS][4] = {};
    Tile t;
    t.add_up(sum, shared_address(memory), sy, sx, p.k);
    const part then(g, SLICE_K); // the same, in no register meanwhile
    if (then.add_up<Tile::XS * 2 * Tile::YS * 4, Tile::THREADS>(&sum[0][0][0], g)) Tile::end(sum, (A *)memory, g, m0, n0, then.batch);
}
template <int M, int N, int WM, int WN, int STAGES> DEVICE void to_places(const conv_copies &c) {
    enum { THREADS = M / WM * (N / WN) * 32 };
    typedef product_tile<M, N, WM, WN, STAGES, true, true, slice<M, THREADS, true>, places_along_l<N, THREADS>> tile;
    const gemm &g = c.g;
    const part p(g, SLICE_K);
    typename tile::slice_y sy;
    typename tile::slice_x sx;
    sy.begin(p.of<true>(matrix_at<T>(g.a, p.batch), g.a.lead), g.a.lead, block_x * M, g.m, p.k);
    sx.begin(c.of, matrix_at<T>(g.b, p.batch), block_y * N, g.n, p);
    multiply_all<tile>(g, p, sy, sx, block_x * M, block_y * N);
}
template <int M, int N, int WM, int WN, int STAGES> DEVICE void to_filters(const conv_copies &c) {
    enum { THREADS = M / WM * (N / WN) * 32 };
    typedef product_tile<M, N, WM, WN, STAGES, false, false, places_along_k<M, THREADS>, slice<N, THREADS, false>> tile;
    const gemm &g = c.g;
    const part p(g, SLICE_K);
    typename tile::slice_y sy;
    typename tile::slice_x sx;
    sy.begin(c.of, matrix_at<T>(g.a, p.batch), block_x * M, g.m, p);
    sx.begin(p.of<false>(matrix_at<T>(g.b, p.batch), g.b.lead), g.b.lead, block_y * N, g.n, p.k);
    multiply_all<tile>(g, p, sy, sx, block_x * M, block_y * N);
}

#define KERNELS(SIZE, M, N, WM, WN)                                                                                                            \
    extern "C" __global__ __launch_bounds__(M / WM * (N / WN) * 32) void places_##SIZE(const conv_copies c) { to_places<M, N, WM, WN, 4>(c); } \
    extern "C" __global__ __launch_bounds__(M / WM * (N / WN) * 32) void filters_##SIZE(const conv_copies c) { to_filters<M, N, WM, WN, 4>(c); }
KERNELS(wide, 128, 256, 64, 64)
KERNELS(big, 128, 128, 64, 64)
KERNELS(small, 64, 64, 32, 32)

// ---- the order of elements ----------------------------------------------------------------------
struct piece_of_channels {
    int64_t loose, packed;
    int first; // channel
};
DEVICE piece_of_channels piece_at(const conv_order &o, int i) {
    const int row = divide(o.columns, i), w = i - row * (int)o.columns.by, of_piece = divide(o.rows, row),
              h = row - of_piece * (int)o.rows.by, n = divide(o.pieces, of_piece), first = (of_piece - n * (int)o.pieces.by) * PIECE;
    return {block_z * o.group + n * o.step[0] + first * o.step[1] + h * o.step[2] + w * o.step[3],
            block_z * o.packed_group + n * o.packed_step[0] + first + h * o.packed_step[2] + w * o.packed_step[3], first};
}
struct alignas(16) channels { T v[PIECE]; };

extern "C" __global__ void conv_pack(const conv_order o) {
    const int all = o.images * (int)o.pieces.by * (int)o.rows.by * (int)o.columns.by; // fewer than 2^31, threads included
    for (int i = block_x * threads_x + thread_x; i < all; i += blocks_x * threads_x) {
        const piece_of_channels p = piece_at(o, i);
        channels c = {};
#pragma unroll
        for (int e = 0; e < PIECE; e++)
            if (p.first + e < o.channels) c.v[e] = ((const T *)o.loose)[p.loose + e * o.step[1]];
        *(channels *)((T *)o.packed + p.packed) = c;
    }
}
extern "C" __global__ void conv_unpack(const conv_order o) {
    const int all = o.images * (int)o.pieces.by * (int)o.rows.by * (int)o.columns.by; // fewer than 2^31, threads included
    for (int i = block_x * threads_x + thread_x; i < all; i += blocks_x * threads_x) {
        const piece_of_channels p = piece_at(o, i);
        const channels c = *(const channels *)((const T *)o.packed + p.packed);
#pragma unroll
        for (int e = 0; e < PIECE; e++)
            if (p.first + e < o.channels) ((T *)o.loose)[p.loose + e * o.step[1]] = c.v[e];
    }
}
