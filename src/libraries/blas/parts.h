// Products of few tiles and long sums: k is cut into parts (gemm.splits), and a tile is made by as many blocks. Each leaves its sums in
// memory and counts itself; the last one to come adds up the sums of all parts in their order, so that the result does not depend on
// which one that is, and goes on as if it had made the tile alone.
#ifndef WW_LIBRARIES_PARTS_H
#define WW_LIBRARIES_PARTS_H

#include "device.h"
#include "gemm.h"

struct part {
    int batch, split;
    int begin, k; // of op(A)'s columns and op(B)'s rows: the first, and how many

    MEMBER explicit part(const gemm &g) : batch(block_z), split(0), begin(0), k(g.k) {} // all of k
    // Parts begin where slices of `slice` do, and none is empty: the host makes no more parts than there are slices.
    MEMBER part(const gemm &g, int slice) : split(0), begin(0), k(g.k) {
        asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(batch)); // by name: two parts of a kernel are to share no registers
        if (g.splits == 1) return;
        const int splits = (int)g.splits, slices = (g.k + slice - 1) / slice, z = batch;
        batch = z / splits;
        split = z - batch * splits;
        begin = slices * split / splits * slice;
        const int end = slices * (split + 1) / splits * slice;
        k = (end < g.k ? end : g.k) - begin;
    }
    template <bool Swap, class T> MEMBER const T *of(const T *x, int64_t lead) const { return x + (Swap ? begin : begin * lead); }

    // Whether the block goes on, with all parts' sums in the place of its own: `Sums` of type A for each of `Threads`.
    template <int Sums, int Threads, class A> MEMBER bool add_up(A *sum, const gemm &g) const {
        if (g.splits == 1) return true;
        enum { EACH = 16 / sizeof(A), PIECES = Sums / EACH, GROUP = PIECES % 8 ? PIECES % 4 ? 1 : 4 : 8, WORDS = sizeof(A) / 4 };
        static_assert(EACH * PIECES == Sums, "sums fill pieces of sixteen bytes");
        struct words { uint32_t w[WORDS]; };
        const uint32_t splits = g.splits, tile = ((uint32_t)batch * blocks_y + block_y) * blocks_x + block_x;
        const uint64_t from = g.part + ((uint64_t)tile * splits * PIECES * Threads + thread_x) * 16;
        const uint64_t to = from + (uint64_t)split * (PIECES * Threads * 16);
#pragma unroll
        for (int p = 0; p < PIECES; p++) {
            uint32_t w[4];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                const words x = __builtin_bit_cast(words, sum[p * EACH + i]);
#pragma unroll
                for (int j = 0; j < WORDS; j++) w[i * WORDS + j] = x.w[j];
            }
            asm volatile("st.global.v4.u32 [%0+%5], {%1,%2,%3,%4};" : : "l"(to), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "n"(p * Threads * 16) : "memory");
        }
        asm volatile("membar.gl;" ::: "memory");
        barrier();
        uint32_t is_last = 0;
        if (thread_x == 0) { // the counter is 0 again when all have come
            asm volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(is_last) : "l"(g.turns + 4 * (uint64_t)tile), "r"(splits - 1) : "memory");
            is_last = is_last == splits - 1;
        }
        asm volatile("{\n.reg .pred p, q;\nsetp.ne.u32 p, %0, 0;\nbar.red.or.pred q, 0, p;\nselp.u32 %0, 1, 0, q;\n}" : "+r"(is_last) : : "memory");
        if (!is_last) return false;
        asm volatile("membar.gl;" ::: "memory");
#pragma unroll
        for (int i = 0; i < Sums; i++) sum[i] = A{};
#pragma unroll 1
        for (uint64_t at = from, end = from + (uint64_t)splits * (PIECES * Threads * 16); at < end; at += PIECES * Threads * 16) {
#pragma unroll
            for (int group = 0; group < PIECES; group += GROUP) {
                uint32_t w[GROUP][4];
#pragma unroll
                for (int p = 0; p < GROUP; p++)
                    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4+%5];"
                                 : "=r"(w[p][0]), "=r"(w[p][1]), "=r"(w[p][2]), "=r"(w[p][3])
                                 : "l"(at), "n"((group + p) * Threads * 16)
                                 : "memory");
#pragma unroll
                for (int p = 0; p < GROUP; p++)
#pragma unroll
                    for (int i = 0; i < EACH; i++) {
                        words x;
#pragma unroll
                        for (int j = 0; j < WORDS; j++) x.w[j] = w[p][i * WORDS + j];
                        add(&sum[(group + p) * EACH + i], __builtin_bit_cast(A, x));
                    }
            }
        }
        return true;
    }
};

#endif
