// Matrix products on tensor cores of compute capability 9.0: a group of warps brings slices by bulk copies of tensors, two groups
// multiply them out of shared memory (`wgmma`), and barriers in shared memory hand slices to and fro. Two blocks of a cluster make
// tiles side by side along n: each brings its half of the slice of op(A) that both need to both. Where k is cut into parts
// (gemm.splits), a cluster has such a pair for each, and its blocks add up sums out of each other's shared memory, in the order of
// parts, each block those of some columns. Lines of both matrices begin at
// multiples of sixteen bytes (gemm.is_even); sizes may be any, since copies fill up with zeros. The file is compiled once for each
// type: KIND_f16, KIND_bf16, KIND_tf32, KIND_s8 or KIND_eight (TYPES of B and A then: e4m3, e5m2), OUT is that of C and D. Numbers of
// other than sixteen bits are multiplied only where k lies together in both. Single precision becomes TF32 on its way to shared
// memory (the maps' type), rounded to nearest; the product would cut it off. With PROMOTES the sum of each slice is added to those before
// in single precision, which the instruction's own sums of KIND_eight do not have; only tiles of 128 rows leave registers for both.
//
// The instruction makes 64 rows of 256 or 128 and leaves neighbours of a row in a thread. D lies column by column, so that its columns are
// the instruction's rows: what is called X here is op(B) transposed, Y is op(A) transposed.
#define _Alignas alignas
#include "finish.h"
#include "hopper.h"
#include "parts.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#if defined KIND_f16
typedef f16 T;
#define MMA(n) "m64n" n "k16.f32.f16.f16"
#elif defined KIND_bf16
typedef bf16 T;
#define MMA(n) "m64n" n "k16.f32.bf16.bf16"
#elif defined KIND_tf32
typedef float T;
#define MMA(n) "m64n" n "k8.f32.tf32.tf32"
#elif defined KIND_s8
typedef int8_t T;
#define MMA(n) "m64n" n "k32.s32.s8.s8"
#else
typedef uint8_t T;
#define MMA(n) "m64n" n "k32.f32." TEXT(TYPES)
#endif
// What follows the matrices: whether sums were there before, signs, and of sixteen bits which way each matrix lies.
#ifdef KIND_s8
typedef int32_t A;
#define SUM(x) "+r"(x)
#define FLAGS(x, y) "adds"
#else
typedef float A;
#define SUM(x) "+f"(x)
#if defined KIND_eight || defined KIND_tf32
#define FLAGS(x, y) "adds, 1, 1"
#else
#define FLAGS(x, y) "adds, 1, 1, " x ", " y
#endif
#endif
typedef OUT O;
enum { SLICE_K = HOPPER_DEEP / sizeof(T), STEPS = 4 };
enum { X_BYTES = HOPPER_DEEP * HOPPER_N, BOX_BYTES = 64 * HOPPER_DEEP };

DEVICE uint32_t shared_address(const void *x) { return (uint32_t)(uintptr_t)(const __attribute__((address_space(3))) char *)x; }

// ---- barriers in shared memory: eight bytes each ------------------------------------------------
DEVICE void barrier_begin(uint32_t at, uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(at), "r"(arrivals) : "memory");
}
DEVICE void barrier_expect(uint32_t at, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(at), "r"(bytes) : "memory");
}
DEVICE void barrier_wait(uint32_t at, uint32_t parity) {
    uint32_t is_done;
    do
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(is_done)
                     : "r"(at), "r"(parity)
                     : "memory");
    while (!is_done);
}
DEVICE void barrier_arrive(uint32_t at, uint32_t block) { // at that of a block of the cluster
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}"
                 :
                 : "r"(at), "r"(block)
                 : "memory");
}
DEVICE void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
// Where no thread is to see what others wrote, but for barriers that fence.mbarrier_init has made known.
DEVICE void cluster_meet() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
DEVICE uint32_t block_of_cluster() {
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

// ---- copies -------------------------------------------------------------------------------------
// What the first copy would wait for begins while barriers do.
DEVICE void fetch_map(uint64_t map) { asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory"); }
DEVICE void bring(uint32_t to, uint64_t map, int x, int y, int z, uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
                 :
                 : "r"(to), "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
                 : "memory");
}
// To the blocks of the cluster whose bits are set, at the same place.
DEVICE void bring_to_both(uint32_t to, uint64_t map, int x, int y, int z, uint32_t barrier, uint32_t blocks) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3, %4}], [%5], %6;"
                 :
                 : "r"(to), "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"((uint16_t)blocks)
                 : "memory");
}
// `Lines` along l of a slice: one box of them where k lies together (`Deep`), else boxes of 64 elements along l. `blocks`: which of
// the cluster get it, or 0: this one.
template <bool Deep, int Lines> DEVICE void bring_lines(uint32_t to, uint64_t map, int l, int k, int batch, uint32_t barrier, uint32_t blocks) {
#pragma unroll
    for (int i = 0; i < (Deep ? 1 : Lines / 64); i++) {
        const int x = Deep ? k : l + i * 64, y = Deep ? l : k;
        if (blocks)
            bring_to_both(to + i * BOX_BYTES, map, x, y, batch, barrier, blocks);
        else
            bring(to + i * BOX_BYTES, map, x, y, batch, barrier);
    }
}

// ---- products -----------------------------------------------------------------------------------
// A slice for `wgmma`: lines of 128 bytes whose pieces change places, eight to 1,024 bytes. Where l lies together, boxes of 64
// elements of it follow one another.
DEVICE uint64_t described(uint32_t at) {
    const uint64_t across = BOX_BYTES / 16, eight = 1024 / 16, by_128 = 1;
    return (uint64_t)(at >> 4 & 0x3fff) | across << 16 | eight << 32 | by_128 << 62;
}
// c += x y, or where `adds` is 0, c = x y.
template <bool DeepX, bool DeepY> DEVICE void multiply(A (&c)[128], uint64_t x, uint64_t y, int adds) {
    asm volatile("{\n.reg .pred adds;\nsetp.ne.s32 adds, %132, 0;\nwgmma.mma_async.sync.aligned." MMA("256") " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, " FLAGS("%130", "%131") ";\n}"
                 : SUM(c[0]), SUM(c[1]), SUM(c[2]), SUM(c[3]), SUM(c[4]), SUM(c[5]), SUM(c[6]), SUM(c[7]), \
                   SUM(c[8]), SUM(c[9]), SUM(c[10]), SUM(c[11]), SUM(c[12]), SUM(c[13]), SUM(c[14]), SUM(c[15]), \
                   SUM(c[16]), SUM(c[17]), SUM(c[18]), SUM(c[19]), SUM(c[20]), SUM(c[21]), SUM(c[22]), SUM(c[23]), \
                   SUM(c[24]), SUM(c[25]), SUM(c[26]), SUM(c[27]), SUM(c[28]), SUM(c[29]), SUM(c[30]), SUM(c[31]), \
                   SUM(c[32]), SUM(c[33]), SUM(c[34]), SUM(c[35]), SUM(c[36]), SUM(c[37]), SUM(c[38]), SUM(c[39]), \
                   SUM(c[40]), SUM(c[41]), SUM(c[42]), SUM(c[43]), SUM(c[44]), SUM(c[45]), SUM(c[46]), SUM(c[47]), \
                   SUM(c[48]), SUM(c[49]), SUM(c[50]), SUM(c[51]), SUM(c[52]), SUM(c[53]), SUM(c[54]), SUM(c[55]), \
                   SUM(c[56]), SUM(c[57]), SUM(c[58]), SUM(c[59]), SUM(c[60]), SUM(c[61]), SUM(c[62]), SUM(c[63]), \
                   SUM(c[64]), SUM(c[65]), SUM(c[66]), SUM(c[67]), SUM(c[68]), SUM(c[69]), SUM(c[70]), SUM(c[71]), \
                   SUM(c[72]), SUM(c[73]), SUM(c[74]), SUM(c[75]), SUM(c[76]), SUM(c[77]), SUM(c[78]), SUM(c[79]), \
                   SUM(c[80]), SUM(c[81]), SUM(c[82]), SUM(c[83]), SUM(c[84]), SUM(c[85]), SUM(c[86]), SUM(c[87]), \
                   SUM(c[88]), SUM(c[89]), SUM(c[90]), SUM(c[91]), SUM(c[92]), SUM(c[93]), SUM(c[94]), SUM(c[95]), \
                   SUM(c[96]), SUM(c[97]), SUM(c[98]), SUM(c[99]), SUM(c[100]), SUM(c[101]), SUM(c[102]), SUM(c[103]), \
                   SUM(c[104]), SUM(c[105]), SUM(c[106]), SUM(c[107]), SUM(c[108]), SUM(c[109]), SUM(c[110]), SUM(c[111]), \
                   SUM(c[112]), SUM(c[113]), SUM(c[114]), SUM(c[115]), SUM(c[116]), SUM(c[117]), SUM(c[118]), SUM(c[119]), \
                   SUM(c[120]), SUM(c[121]), SUM(c[122]), SUM(c[123]), SUM(c[124]), SUM(c[125]), SUM(c[126]), SUM(c[127])
                 : "l"(x), "l"(y), "n"(DeepX ? 0 : 1), "n"(DeepY ? 0 : 1), "r"(adds));
}
template <bool DeepX, bool DeepY> DEVICE void multiply(A (&c)[64], uint64_t x, uint64_t y, int adds) {
    asm volatile("{\n.reg .pred adds;\nsetp.ne.s32 adds, %68, 0;\nwgmma.mma_async.sync.aligned." MMA("128") " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, " FLAGS("%66", "%67") ";\n}"
                 : SUM(c[0]), SUM(c[1]), SUM(c[2]), SUM(c[3]), SUM(c[4]), SUM(c[5]), SUM(c[6]), SUM(c[7]), \
                   SUM(c[8]), SUM(c[9]), SUM(c[10]), SUM(c[11]), SUM(c[12]), SUM(c[13]), SUM(c[14]), SUM(c[15]), \
                   SUM(c[16]), SUM(c[17]), SUM(c[18]), SUM(c[19]), SUM(c[20]), SUM(c[21]), SUM(c[22]), SUM(c[23]), \
                   SUM(c[24]), SUM(c[25]), SUM(c[26]), SUM(c[27]), SUM(c[28]), SUM(c[29]), SUM(c[30]), SUM(c[31]), \
                   SUM(c[32]), SUM(c[33]), SUM(c[34]), SUM(c[35]), SUM(c[36]), SUM(c[37]), SUM(c[38]), SUM(c[39]), \
                   SUM(c[40]), SUM(c[41]), SUM(c[42]), SUM(c[43]), SUM(c[44]), SUM(c[45]), SUM(c[46]), SUM(c[47]), \
                   SUM(c[48]), SUM(c[49]), SUM(c[50]), SUM(c[51]), SUM(c[52]), SUM(c[53]), SUM(c[54]), SUM(c[55]), \
                   SUM(c[56]), SUM(c[57]), SUM(c[58]), SUM(c[59]), SUM(c[60]), SUM(c[61]), SUM(c[62]), SUM(c[63])
                 : "l"(x), "l"(y), "n"(DeepX ? 0 : 1), "n"(DeepY ? 0 : 1), "r"(adds));
}

// Four sums of a block of the cluster, from where they lie in its shared memory.
struct alignas(16) four { A v[4]; };
DEVICE four sums_of(uint32_t at, uint32_t block) {
    uint32_t w[4];
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %4, %5;\nld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [there];\n}"
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                 : "r"(at), "r"(block)
                 : "memory");
    return {{__builtin_bit_cast(A, w[0]), __builtin_bit_cast(A, w[1]), __builtin_bit_cast(A, w[2]), __builtin_bit_cast(A, w[3])}};
}

template <int M, bool SwapA, bool SwapB> DEVICE void product(const hopper_gemm &p, uint64_t maps) {
    extern __shared__ char memory[];
    enum { STAGE = HOPPER_STAGE(M), Y_HALF = HOPPER_DEEP * M / 2, SUMS = M / 2 };
    const gemm &g = p.g;
    const part in_k(g, SLICE_K);
    const int splits = (int)g.splits;
    const uint32_t slices = (shared_address(memory) + 1023) & ~1023u, full = slices + HOPPER_STAGES * STAGE,
                   empty = full + 8 * HOPPER_STAGES, rank = block_of_cluster(),
                   side = rank % HOPPER_PAIR, first = rank - side; // which of its pair, and the pair's first
    const int m0 = block_x * M, n0 = g.first_column + block_y * HOPPER_N, batch = in_k.batch, group = thread_x / 128;
    if (thread_x == 0) {
        fetch_map(maps);
        fetch_map(maps + sizeof p.map_a);
#pragma unroll 1
        for (uint32_t s = 0; s < HOPPER_STAGES; s++) {
            barrier_begin(full + 8 * s, 1);
            barrier_begin(empty + 8 * s, 2 * HOPPER_PAIR); // both groups of each block
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_meet();
    if (group == 0) {
        if (thread_x == 0) {
            uint32_t stage = 0, parity = 1;
            const int batch_a = batch * (int)p.batch_a, batch_b = batch * (int)p.batch_b, half = (int)side * (M / 2);
#pragma unroll 1
            for (int k = 0; k < in_k.k; k += SLICE_K) {
                const uint32_t x = slices + stage * STAGE, y = x + X_BYTES + side * Y_HALF, done = full + 8 * stage;
                barrier_wait(empty + 8 * stage, parity);
                barrier_expect(done, STAGE);
                bring_lines<SwapB, HOPPER_N>(x, maps + sizeof p.map_a, n0, in_k.begin + k, batch_b, done, 0);
                bring_lines<SwapA, M / 2>(y, maps, m0 + half, in_k.begin + k, batch_a, done, 3u << first);
                if (++stage == HOPPER_STAGES) stage = 0, parity ^= 1;
            }
        }
    } else {
        A sum[SUMS]; // which the first product sets
        uint32_t stage = 0, parity = 0;
#ifdef PROMOTES
        A now[SUMS];
#else
        A(&now)[SUMS] = sum;
        uint32_t before = 0;
#endif
#pragma unroll 1
        for (int k = 0; k < in_k.k; k += SLICE_K) {
            const uint32_t x = slices + stage * STAGE + (uint32_t)(group - 1) * BOX_BYTES, y = slices + stage * STAGE + X_BYTES;
            barrier_wait(full + 8 * stage, parity);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#ifdef PROMOTES
            const int adds = 0;
#else
            const int adds = k;
#endif
#pragma unroll
            for (int step = 0; step < STEPS; step++)
                multiply<SwapB, SwapA>(now, described(x + step * (SwapB ? 32 : 2048)), described(y + step * (SwapA ? 32 : 2048)), adds + step);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifdef PROMOTES
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (thread_x % 128 < HOPPER_PAIR) barrier_arrive(empty + 8 * stage, first + thread_x % 128);
#pragma unroll
            for (int i = 0; i < SUMS; i++) sum[i] = k ? sum[i] + now[i] : now[i];
#else
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            // the slice before this one is read: a thread a block says so
            if (k && thread_x % 128 < HOPPER_PAIR) barrier_arrive(empty + 8 * before, first + thread_x % 128);
            before = stage;
#endif
            if (++stage == HOPPER_STAGES) stage = 0, parity ^= 1;
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("bar.sync 1, 256;" ::: "memory"); // both groups have read all: the slices' room is free
        // A warp has sixteen columns of D, which go through shared memory so that a thread has neighbours of a column.
        const int LINE = M + 8, lane = thread_x % 32, warp = thread_x / 32 - 4;
        static_assert(8 * 16 * LINE * (int)sizeof(A) <= HOPPER_STAGES * STAGE, "the slices' room is enough");
        const uint32_t mine = slices + (uint32_t)(warp * 16 * LINE * (int)sizeof(A)),
                       to = mine + (uint32_t)((lane / 4 * LINE + lane % 4 * 2) * (int)sizeof(A));
#pragma unroll
        for (int i = 0; i < SUMS; i += 2)
            asm volatile("st.shared.v2.b32 [%0], {%1,%2};"
                         :
                         : "r"(to + (uint32_t)((i / 2 % 2 * 8 * LINE + i / 4 * 8) * (int)sizeof(A))), "r"(__builtin_bit_cast(uint32_t, sum[i])), "r"(__builtin_bit_cast(uint32_t, sum[i + 1]))
                         : "memory");
        if (splits == 1)
            asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        else
            cluster_barrier();
        A *from = (A *)(memory + (mine - shared_address(memory)));
        const int AT_ONCE = M / 128; // pieces of four that a lane has of a column
        if (splits > 1) {
            static_assert(HOPPER_PARTS == 4, "added up one after the other");
#pragma unroll 1
            for (int r = in_k.split; r < 16 * AT_ONCE; r += splits) {
                const int at = r / AT_ONCE * LINE + r % AT_ONCE * 128 + lane * 4;
                four of[HOPPER_PARTS] = {}, sum;
#pragma unroll
                for (int s = 0; s < HOPPER_PARTS; s++)
                    if (s < splits) of[s] = sums_of(mine + (uint32_t)(at * (int)sizeof(A)), (uint32_t)s * HOPPER_PAIR + side);
#pragma unroll
                for (int e = 0; e < 4; e++) sum.v[e] = of[0].v[e] + of[1].v[e] + of[2].v[e] + of[3].v[e];
                *(four *)(from + at) = sum; // which no other block reads
            }
        }
        if (plain_finish<A, O>::fits(g, batch, m0 + M, n0 + HOPPER_N)) {
            const A alpha = alpha_of(A{}, g);
            const int64_t column = g.d.lead;
            O *const to = matrix_at<O>(g.d, batch) + (n0 + warp * 16) * column + m0 + lane * 4;
            from += lane * 4;
#pragma unroll 1
            for (int r = in_k.split; r < 16 * AT_ONCE; r += splits) {
                const int row = r % AT_ONCE * 128;
                plain_finish<A, O>::put(to + r / AT_ONCE * column + row, alpha, from + r / AT_ONCE * LINE + row);
            }
        } else {
            const finish<A, O> f(g, batch);
#pragma unroll 1
            for (int r = in_k.split; r < 16 * AT_ONCE; r += splits) {
                const int row = r % AT_ONCE * 128 + lane * 4;
                f.put(m0 + row, n0 + warp * 16 + r / AT_ONCE, from + r / AT_ONCE * LINE + row);
            }
        }
    }
    if (group == 0 && splits > 1) cluster_barrier(); // that of the groups which multiply
    cluster_meet(); // none leaves while another may arrive at its barriers
}

#define KERNEL(NAME, M, SWAP_A, SWAP_B)                                                            \
    extern "C" __global__ __launch_bounds__(HOPPER_THREADS, 1) void NAME(const hopper_gemm p) {    \
        uint64_t maps;                                                                             \
        asm("{\n.reg .b64 at;\nmov.b64 at, " #NAME "_param_0;\ncvta.param.u64 %0, at;\n}" : "=l"(maps)); \
        product<M, SWAP_A, SWAP_B>(p, maps);                                                       \
    }
#if defined KIND_f16 || defined KIND_bf16
#define KERNELS(SIZE, M)                                                                           \
    KERNEL(tensor_##SIZE##_nn, M, false, true)                                                     \
    KERNEL(tensor_##SIZE##_nt, M, false, false)                                                    \
    KERNEL(tensor_##SIZE##_tn, M, true, true)                                                      \
    KERNEL(tensor_##SIZE##_tt, M, true, false)
#else
#define KERNELS(SIZE, M) KERNEL(tensor_##SIZE##_tn, M, true, true)
#endif
#ifndef PROMOTES
KERNELS(wide, 256)
#endif
KERNELS(big, 128)

#ifdef KIND_tf32
// A square goes through shared memory: sixteen bytes along l are read at once, and sixteen along k written. Element (l, k) lies in line k,
// where pieces of four have changed places by k / 4, so that what a warp takes at once lies in different banks.
typedef float piece_of_line __attribute__((vector_size(16)));
extern "C" __global__ __launch_bounds__(HOPPER_TURN_THREADS) void turn_lines(const hopper_turn t) {
    enum { SIDE = HOPPER_TURN, LINE = SIDE * sizeof(float), AT_ONCE = HOPPER_TURN_THREADS / (SIDE / 4), TIMES = SIDE / AT_ONCE };
    static_assert(AT_ONCE % 4 == 0, "all lines of a thread change their places alike");
    __shared__ piece_of_line square[SIDE * SIDE / 4];
    const uint32_t shared = shared_address(square);
    {
        const int piece = thread_x % (SIDE / 4), line = thread_x / (SIDE / 4), l = block_x * SIDE + piece * 4, k = block_y * SIDE + line;
        const char *at = (const char *)((const float *)t.from + block_z * t.step + k * t.lead + l);
        const int lines = l < t.along_l ? t.along_k - k : 0, left = t.along_l - l;
        const int64_t next = t.lead * (int64_t)(AT_ONCE * sizeof(float));
#pragma unroll
        for (int i = 0; i < TIMES; i++, at += next) {
            if (i * AT_ONCE >= lines) continue;
            const float *const x = (const float *)at;
            piece_of_line v = {};
            if (left >= 4) {
                v = *(const piece_of_line *)x;
            } else {
                v[0] = x[0];
                if (left > 1) v[1] = x[1];
                if (left > 2) v[2] = x[2];
            }
            asm volatile("st.shared.v4.f32 [%0], {%1,%2,%3,%4};"
                         :
                         : "r"(shared + (uint32_t)((line + i * AT_ONCE) * LINE + ((piece ^ line / 4) ^ i * (AT_ONCE / 4)) * 16)), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3])
                         : "memory");
        }
    }
    barrier();
    // a warp: eight pieces of four lines
    const int piece = thread_x % 8 + thread_x / 32 % 2 * 8, line = thread_x / 64 * 4 + thread_x / 8 % 4, k = block_y * SIDE + piece * 4,
              l = block_x * SIDE + line;
    const int lines = k < t.along_k ? t.along_l - l : 0;
    const uint32_t at = shared + (uint32_t)(piece * 4 * LINE + line % 4 * 4);
    char *to = (char *)((float *)t.to + block_z * t.turned_step + l * t.turned_lead + k);
    const int64_t next = t.turned_lead * (int64_t)(AT_ONCE * sizeof(float));
#pragma unroll
    for (int i = 0; i < TIMES; i++, to += next) {
        if (i * AT_ONCE >= lines) continue;
        const uint32_t from = at + (uint32_t)(((line / 4 ^ piece) ^ i * (AT_ONCE / 4)) * 16);
        float v[4];
        asm volatile("ld.shared.f32 %0, [%4];\nld.shared.f32 %1, [%4+%5];\nld.shared.f32 %2, [%4+%6];\nld.shared.f32 %3, [%4+%7];"
                     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                     : "r"(from), "n"(LINE), "n"(2 * LINE), "n"(3 * LINE)
                     : "memory");
        *(piece_of_line *)to = piece_of_line{v[0], v[1], v[2], v[3]}; // behind the end of k lies room that is not read
    }
}
#endif
