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

// The end of a tile of D whose rows are channels, wherever these lie: 32 columns of a warp at a time go through shared memory, so that a
// thread has four neighbouring places of a channel, which in a plane lie together.
template <class Tile> DEVICE void end_loose(const A sum[Tile::XS][2 * Tile::YS][4], A *shared, const conv_copies &c, int m0, int n0, int batch) {
    enum { COLUMNS = 32, LINE = COLUMNS + 4, EACH = 4, ROWS_AT_ONCE = 32 * EACH / COLUMNS };
    static_assert(Tile::WARPS * Tile::ROWS * LINE * (int)sizeof(A) <= Tile::BYTES && Tile::XS % 2 == 0, "the slices' room is enough");
    struct alignas(EACH * sizeof(O)) piece { O v[EACH]; };
    struct alignas(EACH * sizeof(A)) sums { A v[EACH]; };
    const finish<A, O> f(c.g, batch);
    const int lane = thread_x % 32;
    A *const mine = shared + thread_x / 32 * Tile::ROWS * LINE;
    const uint32_t to = shared_address(mine + lane % 4 * 2 * LINE + lane / 4);
    const A *const from = mine + lane / (COLUMNS / EACH) * LINE + lane % (COLUMNS / EACH) * EACH;
    const int row0 = m0 + Tile::warp_m() + lane / (COLUMNS / EACH);
#pragma unroll 1
    for (int at = 0; at < Tile::XS; at += 2) {
#pragma unroll
        for (int i = 0; i < Tile::XS; i++)
            if (i / 2 * 2 == at) {
#pragma unroll
                for (int j = 0; j < 2 * Tile::YS; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        asm volatile("st.shared.b32 [%0], %1;"
                                     :
                                     : "r"(to + (uint32_t)(((j * 8 + e % 2) * LINE + i % 2 * 16 + e / 2 * 8) * sizeof(A))), REG(sum[i][j][e])
                                     : "memory");
            }
        asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        const int n = n0 + Tile::warp_n() + at * 16 + lane % (COLUMNS / EACH) * EACH;
        int64_t d_at[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            int image;
            const spot s = spot_of(c.of, n + e < f.n ? n + e : 0, &image);
            d_at[e] = image * c.d.image + s.h * c.d.row + s.w * c.d.column;
        }
        const bool is_whole = n + EACH <= f.n && d_at[1] == d_at[0] + 1 && d_at[2] == d_at[0] + 2 && d_at[3] == d_at[0] + 3 &&
                              (((uint64_t)(f.d + d_at[0]) | (uint64_t)c.d.channel * sizeof(O)) & (sizeof(piece) - 1)) == 0;
#pragma unroll 1
        for (int r = 0; r < Tile::ROWS; r += ROWS_AT_ONCE) {
            const int row = row0 + r;
            if (row >= f.m) continue;
            sums v = *(const sums *)(from + r * LINE);
#pragma unroll
            for (int e = 0; e < EACH; e++) v.v[e] = times(f.alpha, v.v[e]);
            if (f.beta != 0) {
#pragma unroll 1
                for (int e = 0; e < EACH && n + e < f.n; e++) {
                    int image;
                    const spot s = spot_of(c.of, n + e, &image);
                    const A more = f.beta * widen(f.c[image * c.c.image + row * c.c.channel + s.h * c.c.row + s.w * c.c.column], A{});
#pragma unroll
                    for (int i = 0; i < EACH; i++)
                        if (i == e) v.v[i] += more;
                }
            }
            if (f.epilogue) {
#pragma unroll
                for (int e = 0; e < EACH; e++) v.v[e] = f.after(v.v[e], row);
            }
            O *const d = f.d + row * c.d.channel;
            piece p;
#pragma unroll
            for (int e = 0; e < EACH; e += 2) narrow_2(&p.v[e], v.v[e], v.v[e + 1]);
            if (is_whole) {
                *(piece *)(d + d_at[0]) = p;
            } else {
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    if (n + e < f.n) d[d_at[e]] = p.v[e];
            }
        }
        asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    }
}
template <class Tile> DEVICE void multiply_all(const conv_copies &c, const part &p, typename Tile::slice_y &sy, typename Tile::slice_x &sx, int m0, int n0) {
    const gemm &g = c.g;
    A sum[Tile::XS][2 * Tile::YS][4] = {};
    Tile t;
    t.add_up(sum, shared_address(memory), sy, sx, p.k);
    const part then(g, SLICE_K); // the same, in no register meanwhile
    if (!then.add_up<Tile::XS * 2 * Tile::YS * 4, Tile::THREADS>(&sum[0][0][0], g)) return;
    if (c.is_loose)
        end_loose<Tile>(sum, (A *)memory, c, m0, n0, then.batch);
    else
        Tile::end(sum, (A *)memory, g, m0, n0, then.batch);
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
    multiply_all<tile>(c, p, sy, sx, block_x * M, block_y * N);
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
    multiply_all<tile>(c, p, sy, sx, block_x * M, block_y * N);
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

DEVICE void put_in_square(uint32_t shared, int place, int channel, T v) {
    const uint32_t to = shared + (uint32_t)(place * (CONV_TURN_BYTES + 4) + channel * (int)sizeof(T));
    if (sizeof(T) == 2)
        asm volatile("st.shared.u16 [%0], %1;" : : "r"(to), "h"(*(const uint16_t *)&v) : "memory");
    else
        asm volatile("st.shared.u32 [%0], %1;" : : "r"(to), "r"(*(const uint32_t *)&v) : "memory");
}
// Threads read neighbouring places of a channel.
DEVICE void read_square(const conv_turn &t, const T *x, uint32_t shared, int place0, int channel0) {
    enum { CHANNELS = CONV_TURN_BYTES / sizeof(T), AT_ONCE = CONV_TURN_THREADS / CONV_TURN_PLACES };
    const int place = thread_x % CONV_TURN_PLACES;
#pragma unroll 4
    for (int first = 0; first < CHANNELS; first += AT_ONCE) {
        const int c = first + thread_x / CONV_TURN_PLACES;
        T v = {};
        if (place0 + place < t.places && channel0 + c < t.channels) v = x[(channel0 + c) * t.channel + place0 + place];
        put_in_square(shared, place, c, v);
    }
}
// The same four at once, which lie at multiples of so many, of the channels that a word holds.
typedef uint32_t word_2 __attribute__((vector_size(8)));
typedef uint32_t word_4 __attribute__((vector_size(16)));
DEVICE void read_fours(const conv_turn &t, const T *x, uint32_t shared, int place0, int channel0) {
    enum { EACH = 4 / sizeof(T), ALONG = CONV_TURN_PLACES / 4, AT_ONCE = CONV_TURN_THREADS / ALONG * EACH, LINE = CONV_TURN_BYTES + 4 };
    const int place = thread_x % ALONG * 4, channel = thread_x / ALONG * EACH;
    const int left = place0 + place < t.places ? t.channels - channel0 - channel : 0;
    const char *at = (const char *)(x + (channel0 + channel) * t.channel + place0 + place);
    const int64_t line = t.channel * (int64_t)sizeof(T);
    const uint32_t to = shared + (uint32_t)(place * LINE + channel * (int)sizeof(T));
#pragma unroll
    for (int first = 0; first < CONV_TURN_BYTES / (int)sizeof(T); first += AT_ONCE, at += AT_ONCE * line) {
        word_4 w = {}; // a place each
        if (sizeof(T) == 2) {
            word_2 low = {}, high = {};
            if (first < left) low = *(const word_2 *)at;
            if (first + 1 < left) high = *(const word_2 *)(at + line);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(w[2 * i]) : "r"(low[i]), "r"(high[i]));
                asm("prmt.b32 %0, %1, %2, 0x7632;" : "=r"(w[2 * i + 1]) : "r"(low[i]), "r"(high[i]));
            }
        } else if (first < left) {
            w = *(const word_4 *)at;
        }
#pragma unroll
        for (int e = 0; e < 4; e++)
            asm volatile("st.shared.u32 [%0+%2], %1;" : : "r"(to + (uint32_t)(first * (int)sizeof(T))), "r"(w[e]), "n"(e * LINE) : "memory");
    }
}
extern "C" __global__ __launch_bounds__(CONV_TURN_THREADS) void conv_turn_planes(const conv_turn t) {
    enum { LINE = CONV_TURN_BYTES + 4, PIECES = CONV_TURN_BYTES / 16, CHANNELS = CONV_TURN_BYTES / sizeof(T) };
    __shared__ uint32_t square[CONV_TURN_PLACES * LINE / 4];
    const uint32_t shared = shared_address(square);
    const int image = divide(t.squares, block_x), place0 = (block_x - image * (int)t.squares.by) * CONV_TURN_PLACES, channel0 = block_y * CHANNELS;
    const T *const x = (const T *)t.loose + image * t.image + block_z * t.group;
    T *const y = (T *)t.packed + image * t.packed_image + block_z * t.packed_group;
    const int64_t fours = (int64_t)t.loose / (int64_t)sizeof(T) | t.image | t.channel | t.group | t.places;
    if (t.loose % sizeof(T) == 0 && fours % 4 == 0)
        read_fours(t, x, shared, place0, channel0);
    else
        read_square(t, x, shared, place0, channel0);
    barrier();
#pragma unroll
    for (int first = 0; first < CONV_TURN_PLACES * PIECES; first += CONV_TURN_THREADS) {
        const int place = (first + thread_x) / PIECES, piece = thread_x % PIECES;
        if (place0 + place >= t.places || channel0 + piece * PIECE >= (t.channels + PIECE - 1) / PIECE * PIECE) continue;
        uint32_t w[4];
        asm volatile("ld.shared.u32 %0, [%4];\nld.shared.u32 %1, [%4+4];\nld.shared.u32 %2, [%4+8];\nld.shared.u32 %3, [%4+12];"
                     : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                     : "r"(shared + (uint32_t)(place * LINE + piece * 16))
                     : "memory");
        asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};"
                     :
                     : "l"(y + (place0 + place) * t.packed_place + channel0 + piece * PIECE), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
                     : "memory");
    }
}

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
