// Matrix products of halves on the tensor cores of compute capability 7.0, by the instruction that these make: m8n8k4, of each of a
// warp's four quad pairs one. A block makes a tile of D. While a slice of op(A) and of op(B) is multiplied from shared memory the next
// one is on its way in registers; a lane takes sixteen bytes at a time, which are two steps of k or two fragments. Lines of both
// matrices begin at multiples of sixteen bytes (gemm.is_even). The file is compiled for each type OUT of C and D.
//
// D lies column by column and the instruction leaves neighbours of a row in a thread, so that D's columns are the instruction's
// rows: what is called X here is op(B) transposed, Y is op(A) transposed.
#include "finish.h"
#include "parts.h"

typedef f16 T;
typedef float A;
typedef OUT O;

enum { PIECE = 8, SLICE_K = 32, GROUP = 8 }; // elements of sixteen bytes; k of a slice, and of the two steps that are taken at once

DEVICE uint32_t shared_address(const void *x) { return (uint32_t)(uintptr_t)(const __attribute__((address_space(3))) char *)x; }
struct alignas(16) quad { uint32_t w[4]; };
DEVICE void load_4(quad *q, uint32_t from) {
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(q->w[0]), "=r"(q->w[1]), "=r"(q->w[2]), "=r"(q->w[3])
                 : "r"(from)
                 : "memory");
}
DEVICE void store_4(uint32_t to, const quad &q) {
    asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" : : "r"(to), "r"(q.w[0]), "r"(q.w[1]), "r"(q.w[2]), "r"(q.w[3]) : "memory");
}
// By name, since the compiler would make one store of several and the sums an array in memory.
DEVICE void store_2(uint32_t to, float a, float b) {
    asm volatile("st.shared.v2.f32 [%0], {%1,%2};" : : "r"(to), "f"(a), "f"(b) : "memory");
}
// Where `Deep`, k of an operand lies together.
template <bool DeepX, bool DeepY> DEVICE void multiply(float c[8], const uint32_t *x, const uint32_t *y) {
#define MULTIPLY(lx, ly)                                                                           \
    asm volatile("mma.sync.aligned.m8n8k4." lx "." ly ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, " \
                 "{%0,%1,%2,%3,%4,%5,%6,%7};"                                                      \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]) \
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]))
    if (DeepX && DeepY)
        MULTIPLY("row", "col");
    else if (DeepX)
        MULTIPLY("row", "row");
    else if (DeepY)
        MULTIPLY("col", "col");
    else
        MULTIPLY("col", "row");
}

// A slice of a matrix of elements (l, k), `Long` along l and SLICE_K along k. Pieces of sixteen bytes change places within a line so
// that those which eight neighbouring lanes take lie in different banks.
template <int Long, int Threads, bool Deep> struct slice {
    static const int LINE = (Deep ? SLICE_K : Long) * (int)sizeof(T), ROW = LINE / 16; // bytes and pieces of a line
    static const int BYTES = Long * SLICE_K * (int)sizeof(T), PIECES = BYTES / 16 / Threads, AT_ONCE = Threads / ROW;
    static_assert(Threads % ROW == 0 && PIECES * AT_ONCE * LINE == BYTES && AT_ONCE % (Deep ? 16 : 4) == 0, "threads bring whole lines");
    quad held[PIECES];
    const char *from; // where k lies together: of the thread's first piece in the next slice
    const char *at;   // of the piece that is loaded next
    uint32_t step;    // bytes from a piece to the thread's next one
    int left, lines;  // elements from the piece to the end of its line, and lines from its own to the last
    uint32_t to;
    static MEMBER int spread(int line) { return Deep ? (line / 2 & 1) | (line / 4 & 2) : (line & 1) | (line & 2) << 1; }
    MEMBER void begin(const T *x, int64_t lead_, int l0, int l_end, int k_end) {
        const int line = thread_x / ROW, piece = thread_x % ROW, first = (Deep ? 0 : l0) + piece * PIECE;
        const int64_t lead = lead_ * (int64_t)sizeof(T);
        step = (uint32_t)(AT_ONCE * lead);
        from = at = (const char *)x + ((Deep ? l0 : 0) + line) * lead + (int64_t)first * (int)sizeof(T);
        left = (Deep ? k_end : l_end) - first;
        lines = (Deep ? l_end - l0 : k_end) - line;
        to = (uint32_t)(line * LINE + (piece ^ spread(line)) * 16);
    }
    // Piece i of the next slice, in order; where not all of it is there (not `Whole`), zeros beyond.
    template <bool Whole> MEMBER void load(int i) {
        if (Deep && i == 0) at = from;
        if (Whole || (left >= PIECE && i * AT_ONCE < lines))
            held[i] = *(const quad *)at;
        else {
            held[i] = quad{};
#pragma unroll
            for (int e = 0; e < PIECE; e++)
                if (e < left && i * AT_ONCE < lines) held[i].w[e / 2] |= (uint32_t)((const uint16_t *)at)[e] << e % 2 * 16;
        }
        at += step; // where lines are k, from the last piece of a slice to the first of the next
        if (i < PIECES - 1) return;
        if (Deep) from += LINE;
        if (Whole) return;
        if (Deep)
            left -= SLICE_K;
        else
            lines -= SLICE_K;
    }
    MEMBER void put(uint32_t shared, int i) const { store_4(shared + to + (uint32_t)(i * AT_ONCE * LINE), held[i]); }
};

// Fragments of a warp's COUNT times sixteen lines along l, of which a quad pair has the eight that `side` (0, 1) says. Where
// lines are k, a lane's fragments 2 i and 2 i + 1 are neighbours along l, since it takes eight of them at once.
template <class Slice, int COUNT, bool Deep> struct fragments {
    uint32_t offset;
    uint32_t r[2][COUNT][2][2]; // by buffer, fragment, step
    // Of the eight lines of fragment i, number `line`: which of the warp's it is.
    static MEMBER int place(int i, int side, int line) {
        return Deep ? i * 16 + side * 8 + line : i / 2 * 32 + side * 16 + line / 4 * 8 + i % 2 * 4 + line % 4;
    }
    MEMBER void begin(int l0, int side) {
        const int low = thread_x % 4, high = thread_x / 16 % 2;
        if (Deep) {
            const int l = l0 + side * 8 + high * 4 + low;
            offset = (uint32_t)(l * Slice::LINE + Slice::spread(l) * 16);
        } else
            offset = (uint32_t)(low * Slice::LINE + ((l0 / PIECE + side * 2 + high) ^ Slice::spread(low)) * 16);
    }
    MEMBER void take(int buffer, uint32_t shared, int group, int which) { // `which` below COUNT
        quad q;
        if (Deep) {
            load_4(&q, shared + (offset ^ (uint32_t)(group * 16)) + (uint32_t)(which * 16 * Slice::LINE));
#pragma unroll
            for (int w = 0; w < 4; w++) r[buffer][which][w / 2][w % 2] = q.w[w];
        } else {
            const int pair = which / 2, step = which % 2;
            load_4(&q, shared + (offset ^ (uint32_t)(pair * 64)) + (uint32_t)((group * GROUP + step * 4) * Slice::LINE));
#pragma unroll
            for (int w = 0; w < 4; w++) r[buffer][pair * 2 + w / 2][step][w % 2] = q.w[w];
        }
    }
};

template <int M, int N, int WM, int WN, bool SwapA, bool SwapB> struct product_tile {
    static const int WARPS_M = M / WM, WARPS = WARPS_M * (N / WN), THREADS = 32 * WARPS, XS = WN / 16, YS = WM / 16;
    typedef slice<M, THREADS, SwapA> slice_y;
    typedef slice<N, THREADS, SwapB> slice_x;
    static const int STAGE = slice_y::BYTES + slice_x::BYTES;
    fragments<slice_x, XS, SwapB> fx;
    fragments<slice_y, YS, SwapA> fy;

    static MEMBER int warp_m() { return thread_x / 32 % WARPS_M * WM; }
    static MEMBER int warp_n() { return thread_x / 32 / WARPS_M * WN; }
    static MEMBER int side_n() { return thread_x / 4 % 2; }
    static MEMBER int side_m() { return thread_x / 8 % 2; }
    MEMBER void take(int buffer, uint32_t shared, int group, int which) {
        if (which < XS)
            fx.take(buffer, shared + slice_y::BYTES, group, which);
        else
            fy.take(buffer, shared, group, which - XS);
    }
    static const int BROUGHT = slice_x::PIECES + slice_y::PIECES, GROUPS = SLICE_K / GROUP;
    // Where Y's lines are k, its part of the next slice goes to shared memory half way, and X's follows: all of it at once leaves too
    // few registers, and what is in memory instead is waited for. Where k lies together the loads of a half take too long.
    static const bool HALVES = !SwapA;
    static const int FIRST = HALVES ? slice_y::PIECES : BROUGHT;
    template <bool Whole> static MEMBER void load(slice_y &sy, slice_x &sx, int piece) {
        if (piece < slice_y::PIECES)
            sy.template load<Whole>(piece);
        else
            sx.template load<Whole>(piece - slice_y::PIECES);
    }
    static MEMBER void put(const slice_y &sy, const slice_x &sx, uint32_t stage, int piece) {
        if (piece < slice_y::PIECES)
            sy.put(stage, piece);
        else
            sx.put(stage + slice_y::BYTES, piece - slice_y::PIECES);
    }
    template <bool Whole>
    MEMBER void add_up(A sum[XS][YS][8], uint32_t shared, const gemm &g, int k_end, const T *a, const T *b, int m0, int n0) {
        slice_y sy;
        slice_x sx;
        sy.begin(a, g.a.lead, m0, g.m, k_end);
        sx.begin(b, g.b.lead, n0, g.n, k_end);
        fy.begin(warp_m(), side_m());
        fx.begin(warp_n(), side_n());
#pragma unroll
        for (int p = 0; p < BROUGHT; p++) load<Whole>(sy, sx, p);
        uint32_t now = shared;
#pragma unroll
        for (int p = 0; p < BROUGHT; p++) put(sy, sx, now, p);
        barrier();
#pragma unroll 1
        for (int k = 0; k < k_end; k += SLICE_K) {
            const bool goes_on = k + SLICE_K < k_end;
#pragma unroll
            for (int f = 0; f < XS + YS; f++) take(0, now, 0, f);
#pragma unroll
            for (int group = 0; group < GROUPS; group++) {
                // between products: the next group's fragments; in the second group what the last puts into shared memory
                const int PRODUCTS = XS * YS * 2, EACH = PRODUCTS / (XS + YS);
                static_assert(EACH * (XS + YS) == PRODUCTS && BROUGHT <= XS + YS && GROUPS == 4, "each has its place");
                if (group == (HALVES ? 0 : 1) && goes_on) {
#pragma unroll
                    for (int p = 0; p < FIRST; p++) load<Whole>(sy, sx, p);
                }
                if (HALVES && group == 2 && goes_on) {
#pragma unroll
                    for (int p = 0; p < FIRST; p++) put(sy, sx, shared + shared + STAGE - now, p);
#pragma unroll
                    for (int p = FIRST; p < BROUGHT; p++) load<Whole>(sy, sx, p);
                }
#pragma unroll
                for (int p = 0; p < PRODUCTS; p++) {
                    if (p % EACH == 0 && group + 1 < GROUPS) take((group + 1) % 2, now, group + 1, p / EACH);
                    const int step = p / (XS * YS), i = p / YS % XS, j = p % YS;
                    multiply<SwapB, SwapA>(sum[i][j], fx.r[group % 2][i][step], fy.r[group % 2][j][step]);
                }
            }
            now = now == shared ? shared + STAGE : shared;
            if (goes_on) {
#pragma unroll
                for (int p = HALVES ? FIRST : 0; p < BROUGHT; p++) put(sy, sx, now, p);
            }
            barrier();
        }
    }
    // Sixteen columns of a warp at a time go through shared memory, so that a thread has neighbours of a column.
    static const int LINE = WM + 8;
    static MEMBER void end(const A sum[XS][YS][8], char *shared, const gemm &g, int m0, int n0, int batch) {
        static_assert(WARPS * 16 * LINE * (int)sizeof(A) <= 2 * STAGE, "the slices' room is enough");
        const finish<A, O> f(g, batch);
        const int lane = thread_x % 32, AT_ONCE = WM / 4, high = lane / 16; // AT_ONCE: threads a column
        A *const mine = (A *)shared + thread_x / 32 * 16 * LINE;
        const uint32_t to = shared_address(mine + (side_n() * 8 + high * 4 + lane % 2) * LINE);
        const A *const from = mine + lane / AT_ONCE * LINE + lane % AT_ONCE * 4;
        const int row = m0 + warp_m() + lane % AT_ONCE * 4, column = n0 + warp_n();
#pragma unroll 1
        for (int at = 0; at < XS; at++) {
#pragma unroll
            for (int i = 0; i < XS; i++)
                if (i == at) {
#pragma unroll
                    for (int j = 0; j < YS; j++)
#pragma unroll
                        for (int e = 0; e < 8; e += 2) {
                            const int line = fragments<slice_y, YS, SwapA>::place(j, side_m(), (lane & 2) + e / 4 * 4);
                            store_2(to + (uint32_t)((e / 2 % 2 * 2 * LINE + line) * (int)sizeof(A)), sum[i][j][e], sum[i][j][e + 1]);
                        }
                }
            asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
#pragma unroll 1
            for (int r = 0; r < 16; r += 32 / AT_ONCE) {
                const int line = r + lane / AT_ONCE;
                f.put(row, column + fragments<slice_x, XS, SwapB>::place(at, line / 8, line % 8), from + r * LINE);
            }
            asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        }
    }
};

extern __shared__ char memory[] __attribute__((aligned(128)));

template <int M, int N, int WM, int WN, bool SwapA, bool SwapB> DEVICE void product(const gemm &g) {
    typedef product_tile<M, N, WM, WN, SwapA, SwapB> tile;
    const int m0 = block_x * M, n0 = g.first_column + block_y * N;
    if (g.triangle == GEMM_LOWER && m0 + M <= n0) return;
    if (g.triangle == GEMM_UPPER && n0 + N <= m0) return;
    A sum[tile::XS][tile::YS][8] = {};
    tile t;
    // large tiles leave no registers for parts of k
    const bool cuts = M * N <= 64 * 64;
    const part p = cuts ? part(g, SLICE_K) : part(g);
    const T *const a = p.of<SwapA>(matrix_at<T>(g.a, p.batch), g.a.lead), *const b = p.of<SwapB>(matrix_at<T>(g.b, p.batch), g.b.lead);
    if (m0 + M <= g.m && n0 + N <= g.n && g.k % SLICE_K == 0)
        t.template add_up<true>(sum, shared_address(memory), g, p.k, a, b, m0, n0);
    else
        t.template add_up<false>(sum, shared_address(memory), g, p.k, a, b, m0, n0);
    if (!cuts)
        tile::end(sum, memory, g, m0, n0, block_z);
    else if (p.add_up<tile::XS * tile::YS * 8, tile::THREADS>(&sum[0][0][0], g))
        tile::end(sum, memory, g, m0, n0, p.batch);
}

#define KERNEL(NAME, M, N, WM, WN, SWAP_A, SWAP_B)                                                 \
    extern "C" __global__ __launch_bounds__(M / WM * (N / WN) * 32) void NAME(const gemm g) {      \
        product<M, N, WM, WN, SWAP_A, SWAP_B>(g);                                                  \
    }
#define KERNELS(SIZE, ...)                                                                         \
    KERNEL(tensor_##SIZE##_nn, __VA_ARGS__, false, true)                                           \
    KERNEL(tensor_##SIZE##_nt, __VA_ARGS__, false, false)                                          \
    KERNEL(tensor_##SIZE##_tn, __VA_ARGS__, true, true)                                            \
    KERNEL(tensor_##SIZE##_tt, __VA_ARGS__, true, false)
KERNELS(wide, 128, 256, 64, 64)
KERNELS(big, 128, 128, 64, 64)
KERNELS(small, 64, 64, 32, 32)
