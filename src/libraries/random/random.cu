// Kernels of random numbers: one for each generator and each kind of number. A thread is a sequence, or a result where any
// result can be had by itself.
#include "../blas/device.h"
#include "draw.h"

#define THREAD ((uint32_t)block_x * (uint32_t)threads_x + (uint32_t)thread_x)
#define SEQUENCES(generator, kind)                                                                 \
    extern "C" __global__ void generator##_##kind(const random_call c) {                           \
        for (uint32_t s = THREAD; s < c.sequences; s += (uint32_t)(blocks_x * threads_x))          \
            random_run_##generator(&c, RANDOM_##kind, s);                                          \
    }
#define RESULTS(generator, kind, n)                                                                \
    extern "C" __global__ void generator##_##kind(const random_call c) {                           \
        for (uint64_t i = THREAD; i < (n); i += (uint64_t)blocks_x * (uint64_t)threads_x)          \
            random_run_##generator(&c, RANDOM_##kind, i);                                          \
    }
#define KIND(kind, words, results)                                                                 \
    SEQUENCES(xorwow, kind)                                                                        \
    SEQUENCES(mrg, kind)                                                                           \
    SEQUENCES(philox, kind)                                                                        \
    RESULTS(mt, kind, c.n / results)                                                               \
    RESULTS(sobol32, kind, c.n)                                                                    \
    RESULTS(sobol64, kind, c.n)                                                                    \
    extern "C" __global__ __launch_bounds__(RANDOM_MTGP_ROUND) void mtgp_##kind(const random_call c) { \
        mtgp_rounds(c, RANDOM_##kind);                                                             \
    }

// A block's sequence of MTGP32.
static __device__ __attribute__((noinline)) void mtgp_rounds(const random_call &c, int kind) {
    __shared__ uint32_t s[RANDOM_MTGP];
    random_mtgp *const p = (random_mtgp *)c.states + block_x;
    const uint32_t t = (uint32_t)thread_x;
    for (uint32_t i = t; i < RANDOM_MTGP; i += RANDOM_MTGP_ROUND) s[i] = p->s[i];
    barrier();
    for (uint64_t r = random_mtgp_begin(&c, (uint32_t)block_x); r * RANDOM_MTGP_ROUND < c.first + c.n; r += c.sequences) {
        uint32_t next, word;
        random_mtgp_next(p, s, t, &next, &word);
        random_mtgp_put(&c, kind, r, t, word);
        if (!random_mtgp_is_whole(&c, r)) break;
        const uint32_t kept = t + RANDOM_MTGP_ROUND < RANDOM_MTGP ? s[t + RANDOM_MTGP_ROUND] : 0;
        barrier();
        if (t + RANDOM_MTGP_ROUND < RANDOM_MTGP) s[t] = kept;
        s[RANDOM_MTGP - RANDOM_MTGP_ROUND + t] = next;
        barrier();
    }
    for (uint32_t i = t; i < RANDOM_MTGP; i += RANDOM_MTGP_ROUND) p->s[i] = s[i];
}
RANDOM_KINDS(KIND)

// One block continues the one sequence of MT19937: `first` words of the state are taken already, n are wanted.
enum { MT_THREADS = 256, MT_STEP = RANDOM_MT - RANDOM_MT_FAR };
extern "C" __global__ void mt_words(const random_call c) {
    __shared__ uint32_t state[RANDOM_MT];
    uint32_t *const kept = (uint32_t *)c.states, *const out = (uint32_t *)c.out;
    for (int i = thread_x; i < RANDOM_MT; i += MT_THREADS) state[i] = kept[i];
    barrier();
    int at = (int)c.first;
    for (uint64_t done = 0; done < c.n;) {
        if (at == RANDOM_MT) {
            // a word depends on that 397 after it, which is a new one from word 227 on
            for (int from = 0; from < RANDOM_MT; from += MT_STEP) {
                const int i = from + thread_x, end = from + MT_STEP < RANDOM_MT ? from + MT_STEP : RANDOM_MT;
                uint32_t next = 0;
                if (i < end) next = random_mt_mix(state[i], state[(i + 1) % RANDOM_MT], state[(i + RANDOM_MT_FAR) % RANDOM_MT]);
                barrier();
                if (i < end) state[i] = next;
                barrier();
            }
            at = 0;
        }
        const uint64_t left = c.n - done;
        const int take = left < (uint64_t)(RANDOM_MT - at) ? (int)left : RANDOM_MT - at;
        for (int i = thread_x; i < take; i += MT_THREADS) out[done + (uint64_t)i] = random_mt_temper(state[at + i]);
        barrier();
        done += (uint64_t)take;
        at += take;
    }
    for (int i = thread_x; i < RANDOM_MT; i += MT_THREADS) kept[i] = state[i];
}
