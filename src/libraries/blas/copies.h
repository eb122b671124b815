// What products on tensor cores by asynchronous copies share, compute capability 8.0 on: slices of two matrices, fragments that a warp
// takes of them, and a tile's sums. KIND_f16, KIND_bf16, KIND_tf32, KIND_s8 or KIND_eight (from 8.9 on; TYPES of B and A then: e4m3, e5m2)
// says of which type T they are, OUT is that of C and D; sums are A's. With PROMOTES each instruction's sum is added to them in single
// precision, which the instruction's own sums of KIND_eight do not have.
//
// A block walks along k in slices, of which several are on their way to shared memory while one is multiplied; a warp takes fragments
// of the next step along k (`ldmatrix`) while the tensor core works on this one's. The instruction makes rows of sixteen and columns
// of eight and leaves neighbours of a row in a thread. D lies column by column, so that its columns are the instruction's rows: what is
// called X here is op(B) transposed, Y is op(A) transposed.
#ifndef WW_LIBRARIES_COPIES_H
#define WW_LIBRARIES_COPIES_H

#include "finish.h"
#include "parts.h"

#if defined KIND_f16
typedef f16 T;
typedef float A;
#define MMA "m16n8k16.row.col.f32.f16.f16.f32"
#define REG "f"
#elif defined KIND_bf16
typedef bf16 T;
typedef float A;
#define MMA "m16n8k16.row.col.f32.bf16.bf16.f32"
#define REG "f"
#elif defined KIND_s8
typedef int8_t T;
typedef int32_t A;
#define MMA "m16n8k32.row.col.s32.s8.s8.s32"
#define REG "r"
#elif defined KIND_eight
typedef uint8_t T;
typedef float A;
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define MMA "m16n8k32.row.col.f32." TEXT(TYPES) ".f32"
#define REG "f"
#else
typedef float T;
typedef float A;
#define KIND_TF32
#define MMA "m16n8k8.row.col.f32.tf32.tf32.f32"
#define REG "f"
#endif
typedef OUT O;

enum { PIECE = 16 / sizeof(T), STEP = 32 / sizeof(T) }; // elements of sixteen bytes; k of one instruction

DEVICE uint32_t shared_address(const void *x) { return (uint32_t)(uintptr_t)(const __attribute__((address_space(3))) char *)x; }
DEVICE void copy(uint32_t to, const void *from, int bytes) { // what is missing of sixteen bytes is zeros
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(from), "r"(bytes) : "memory");
}
DEVICE void copies_end() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Left> DEVICE void copies_wait() { asm volatile("cp.async.wait_group %0;" : : "n"(Left) : "memory"); }
DEVICE void load_4(uint32_t r[4], uint32_t from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
DEVICE void load_4_swapped(uint32_t r[4], uint32_t from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
DEVICE uint32_t load_1(uint32_t from) {
    uint32_t r;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(from) : "memory");
    return r;
}
// By name, since the compiler would make one store of several and the sums an array in memory.
DEVICE void store_2(uint32_t to, const A v[2]) {
    asm volatile("st.shared.v2.b32 [%0], {%1,%2};" : : "r"(to), REG(v[0]), REG(v[1]) : "memory");
}
#ifdef PROMOTES
// A sum of an instruction has fewer digits than single precision, in which it is added to those before.
DEVICE void multiply(A c[4], const uint32_t x[4], const uint32_t y[2]) {
    A d[4];
    asm volatile("mma.sync.aligned." MMA " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
                 : "=" REG(d[0]), "=" REG(d[1]), "=" REG(d[2]), "=" REG(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), REG(A(0)));
#pragma unroll
    for (int i = 0; i < 4; i++) c[i] += d[i];
}
#else
DEVICE void multiply(A c[4], const uint32_t x[4], const uint32_t y[2]) {
    asm volatile("mma.sync.aligned." MMA " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+" REG(c[0]), "+" REG(c[1]), "+" REG(c[2]), "+" REG(c[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}
#endif
// Single precision is rounded to nearest, as the vendor's products take it.
DEVICE void round_to(uint32_t r[4]) {
#ifdef KIND_TF32
#pragma unroll
    for (int i = 0; i < 4; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[i]) : "f"(__builtin_bit_cast(float, r[i])));
#endif
}

// A slice of a matrix of elements (l, k), `Long` along l and DEEP bytes along k. `Deep`: k lies together in memory, else l does.
// Pieces of sixteen bytes change places within a line so that eight of neighbouring lines lie in different banks.
enum { DEEP = 64, SLICE_K = DEEP / sizeof(T), STEPS = DEEP / 32 };
template <int Long, int Threads, bool Deep> struct slice {
    static const int BYTES = Long * DEEP, LINE = Deep ? DEEP : Long * (int)sizeof(T), ROW = LINE / 16; // pieces of a line
    static const int PIECES = BYTES / 16 / Threads, LINES_AT_ONCE = Threads / ROW;
    static_assert(Threads % ROW == 0 && PIECES * LINES_AT_ONCE * LINE == BYTES, "threads bring whole lines");
    static_assert(LINES_AT_ONCE % (Deep || sizeof(T) < 4 ? 8 : 4) == 0, "in all lines of a thread the change of places is the same");
    static MEMBER int spread(int line) {
        if (Deep) return line / 2 % 4;
        return sizeof(T) == 4 ? line % 4 * 2 : line % 8;
    }
    const char *from;  // of the thread's first piece in the next slice
    const char *at;    // of the piece that is brought next
    int bytes;         // of each piece that is there
    int64_t lead;      // bytes from a line to the next
    int line, left;    // of the first piece: its line; bytes from there to the end of lines
    uint32_t to;       // where it goes in a slice
    int lines;         // of the matrix from this slice's first on
    MEMBER void begin(const T *x, int64_t lead_, int l0, int l_end, int k_end) {
        const int p = thread_x % ROW;
        line = thread_x / ROW;
        lead = lead_ * (int64_t)sizeof(T);
        const int first = (Deep ? 0 : l0) + p * PIECE, line0 = (Deep ? l0 : 0) + line;
        from = (const char *)x + line0 * lead + (int64_t)first * sizeof(T);
        left = ((Deep ? k_end : l_end) - first) * (int)sizeof(T);
        lines = (Deep ? l_end - l0 : k_end) - line;
        to = (uint32_t)(line * LINE + (p ^ spread(line)) * 16);
    }
    // Brings piece i of the next slice to `shared`, in order. Beyond the matrix there are zeros.
    MEMBER void bring(uint32_t shared, int i) {
        if (i == 0) {
            at = from;
            bytes = left < 0 ? 0 : left > 16 ? 16 : left;
        }
        copy(shared + to + (uint32_t)(i * LINES_AT_ONCE * LINE), at, i * LINES_AT_ONCE < lines ? bytes : 0);
        at += LINES_AT_ONCE * lead;
        if (i < PIECES - 1) return;
        if (Deep) {
            from += DEEP;
            left -= DEEP;
        } else {
            from += SLICE_K * lead;
            lines -= SLICE_K;
        }
    }
};

// Where a lane finds its fragments of sixteen lines along l in a slice. X: registers are (l, k), (l + 8, k), (l, k + half),
// (l + 8, k + half) of a step's k; Y, two columns of eight: (l, k), (l, k + half), (l + 8, k), (l + 8, k + half).
template <class Slice, int Long, bool Deep, bool IsX> struct fragments {
    static const bool WORDS = !Deep && sizeof(T) == 4; // which `ldmatrix` cannot turn round
    uint32_t offset;
    MEMBER void begin(int l0) {
        const int lane = thread_x % 32, low = lane % 16, high = lane / 16, inner = lane % 8, middle = lane / 8 % 2;
        if (WORDS) {
            const int l = l0 + lane / 4, k = lane % 4;
            offset = (uint32_t)(k * Slice::LINE + ((l / 4) ^ Slice::spread(k)) * 16 + l % 4 * 4);
        } else if (Deep) {
            const int l = l0 + (IsX ? low : high * 8 + inner), piece = IsX ? high : middle;
            offset = (uint32_t)(l * Slice::LINE + (piece ^ Slice::spread(l)) * 16);
        } else {
            const int k = IsX ? high * 8 + inner : low, piece = l0 / 8 + (IsX ? middle : high);
            offset = (uint32_t)(k * Slice::LINE + (piece ^ Slice::spread(k)) * 16);
        }
    }
    MEMBER void take(uint32_t r[4], uint32_t slice, int i, int step) const {
        if (WORDS) {
            const uint32_t at = slice + (offset ^ (uint32_t)(i * 64)) + (uint32_t)(step * STEP * Slice::LINE);
            const uint32_t next = slice + (offset ^ (uint32_t)(i * 64 + 32)) + (uint32_t)(step * STEP * Slice::LINE);
            r[0] = load_1(at);
            r[IsX ? 2 : 1] = load_1(at + 4 * Slice::LINE);
            r[IsX ? 1 : 2] = load_1(next);
            r[3] = load_1(next + 4 * Slice::LINE);
        } else if (Deep)
            load_4(r, slice + (offset ^ (uint32_t)(step * 32)) + (uint32_t)(i * 16 * Slice::LINE));
        else
            load_4_swapped(r, slice + (offset ^ (uint32_t)(i * 32)) + (uint32_t)(step * STEP * Slice::LINE));
        round_to(r);
    }
};

// A tile of M x N of D, by warps that make WM x WN of it each, of slices that SliceY and SliceX bring, STAGES pairs of them.
template <int M, int N, int WM, int WN, int STAGES, bool SwapA, bool SwapB, class SliceY, class SliceX> struct product_tile {
    static const int WARPS_M = M / WM, WARPS = WARPS_M * (N / WN), THREADS = 32 * WARPS;
    static const int XS = WN / 16, YS = WM / 16, ROWS = WM; // pairs of a warp's eight columns and rows; its rows
    typedef SliceY slice_y;
    typedef SliceX slice_x;
    static const int STAGE = slice_y::BYTES + slice_x::BYTES, BYTES = STAGES * STAGE;
    fragments<slice_x, N, SwapB, true> fx;
    fragments<slice_y, M, SwapA, false> fy;
    uint32_t x[2][XS][4], y[2][YS][4];

    static MEMBER int warp_m() { return thread_x / 32 % WARPS_M * WM; }
    static MEMBER int warp_n() { return thread_x / 32 / WARPS_M * WN; }
    // Fragment number f of a step, in the order in which products need them.
    static const int TAKEN = XS + YS;
    MEMBER void take(int buffer, uint32_t stage, int step, int f) {
        if (f == 0 || f > YS)
            fx.take(x[buffer][f ? f - YS : 0], stage + slice_y::BYTES, f ? f - YS : 0, step);
        else
            fy.take(y[buffer][f - 1], stage, f - 1, step);
    }
    static const int BROUGHT = slice_x::PIECES + slice_y::PIECES;
    static MEMBER void bring(slice_y &sy, slice_x &sx, uint32_t stage, int piece) {
        if (piece < slice_y::PIECES)
            sy.bring(stage, piece);
        else
            sx.bring(stage + slice_y::BYTES, piece - slice_y::PIECES);
    }
    // The slices have begun, at the first k.
    MEMBER void add_up(A sum[XS][2 * YS][4], uint32_t shared, slice_y &sy, slice_x &sx, int k_end) {
        fy.begin(warp_m());
        fx.begin(warp_n());
        uint32_t bring_to = shared + (STAGES - 1) * STAGE, read = shared;
        const uint32_t end = shared + STAGES * STAGE;
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++) {
#pragma unroll
            for (int p = 0; p < BROUGHT; p++) bring(sy, sx, shared + s * STAGE, p);
            copies_end();
        }
        copies_wait<STAGES - 2>();
        barrier();
#pragma unroll
        for (int f = 0; f < TAKEN; f++) take(0, read, 0, f);
#pragma unroll 1
        for (int k = 0; k < k_end; k += SLICE_K) {
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                if (step == STEPS - 1) {
                    copies_wait<STAGES - 2>();
                    barrier();
                    read = read + STAGE == end ? shared : read + STAGE;
                }
                // between products: the next step's fragments, and pieces of a slice that is multiplied later
                const int PRODUCTS = XS * 2 * YS, EACH = PRODUCTS / TAKEN;
                static_assert(EACH * TAKEN == PRODUCTS && BROUGHT <= TAKEN, "each has its place");
#pragma unroll
                for (int p = 0; p < PRODUCTS; p++) {
                    const int i = p / (2 * YS), j = p % (2 * YS);
                    if (p % EACH == 0) take((step + 1) % 2, read, (step + 1) % STEPS, p / EACH);
                    multiply(sum[i][j], x[step % 2][i], &y[step % 2][j / 2][j % 2 * 2]);
                    if (step == 0 && p % EACH == EACH - 1 && p / EACH < BROUGHT) bring(sy, sx, bring_to, p / EACH);
                }
                if (step == 0) {
                    copies_end();
                    bring_to = bring_to + STAGE == end ? shared : bring_to + STAGE;
                }
            }
        }
        copies_wait<0>();
        barrier();
    }
    // Sixteen columns of a warp at a time go through shared memory, so that a thread has neighbours of a column.
    static const int LINE = WM + 8;
    static MEMBER void end(const A sum[XS][2 * YS][4], A *shared, const gemm &g, int m0, int n0, int batch) {
        static_assert(WARPS * 16 * LINE * (int)sizeof(A) <= STAGES * STAGE, "the slices' room is enough");
        const finish<A, O> f(g, batch);
        const int lane = thread_x % 32, AT_ONCE = WM / 4; // threads a column
        A *const mine = shared + thread_x / 32 * 16 * LINE;
        const uint32_t to = shared_address(mine + lane / 4 * LINE + lane % 4 * 2);
        const A *const from = mine + lane / AT_ONCE * LINE + lane % AT_ONCE * 4;
        const int row = m0 + warp_m() + lane % AT_ONCE * 4, column = n0 + warp_n() + lane / AT_ONCE;
#pragma unroll 1
        for (int at = 0; at < XS; at++) {
#pragma unroll
            for (int i = 0; i < XS; i++)
                if (i == at) {
#pragma unroll
                    for (int j = 0; j < 2 * YS; j++) {
                        store_2(to + (uint32_t)(j * 8 * sizeof(A)), &sum[i][j][0]);
                        store_2(to + (uint32_t)((j + LINE) * 8 * sizeof(A)), &sum[i][j][2]);
                    }
                }
            asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
#pragma unroll 1
            for (int r = 0; r < 16; r += 32 / AT_ONCE) f.put(row, column + at * 16 + r, from + r * LINE);
            asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        }
    }
};

#endif
