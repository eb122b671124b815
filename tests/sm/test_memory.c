// Cycle counts of memory instructions. In the rig a memory instruction that issues in cycle t reads
// its operands in t, generates addresses (agu_lanes 32: one cycle), and its access starts in t + 1.
// Programs begin with instructions of latency 10 in cycles 1, 11, 21, ...; the network answers 100
// cycles after a request was sent.
#include <string.h>

#include "test_rig.h"

// Words 2^k apart meet 2^k-wise in 32 banks. Load in cycle 21, start 22, data 20 cycles later, one
// more for each pass beyond the first.
static void shared_conflicts(void **state) {
    (void)state;
    for (uint32_t k = 0; k <= 5; k++) {
        struct rig *g = rig_new();
        g->im.shared_bytes = 4096;
        lane_offsets(g, 2 + k);
        load(g, SPACE_SHARED, 3, 2, 0);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, 22 + 20 + (1u << k) - 1);
        assert_int_equal(act(g, ACT_shared_passes), 1u << k);
        assert_int_equal(act(g, ACT_shared_conflicts), (1u << k) - 1);
        assert_int_equal(act(g, ACT_shared_lanes), 32);
        rig_free(g);
    }
}

// A second load right behind waits for the banks: starts when the first has had its 8 passes.
static void shared_banks_are_busy(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->im.shared_bytes = 4096;
    lane_offsets(g, 5); // 8-way
    load(g, SPACE_SHARED, 3, 2, 0);
    load(g, SPACE_SHARED, 5, 2, 0);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 22 + 8 + 20 + 7);
    assert_int_equal(act(g, ACT_ldst_busy_cycles), 16);
    rig_free(g);
}

// GT200: half-warps over 16 banks; without conflict two passes, which are part of the latency.
static void shared_half_warps(void **state) {
    (void)state;
    for (uint32_t k = 0; k <= 4; k++) {
        struct rig *g = rig_new();
        g->c.shared_banks = g->c.shared_lanes_a_pass = 16;
        g->c.shared_one_broadcast = true;
        g->im.shared_bytes = 4096;
        lane_offsets(g, 2 + k);
        load(g, SPACE_SHARED, 3, 2, 0);
        exit_(g);
        rig_run(g);
        // Each half takes 2^k passes.
        assert_int_equal(g->done_at, 22 + 20 + 2 * ((1u << k) - 1));
        rig_free(g);
    }
}

// Slower address generation: 16 lanes a cycle put the start one cycle back, 8 lanes three.
static void address_generation(void **state) {
    (void)state;
    for (uint32_t lanes = 8; lanes <= 32; lanes *= 2) {
        struct rig *g = rig_new();
        g->c.agu_lanes = lanes;
        g->im.shared_bytes = 4096;
        lane_offsets(g, 2);
        load(g, SPACE_SHARED, 3, 2, 0);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, 21 + 32 / lanes + 20);
        rig_free(g);
    }
}

// A shared atomic on one word: 32 lanes, 10 cycles each, after the latency of 20.
static void shared_atomic(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->im.shared_bytes = 128;
    movi(g, 2, 0);
    movi(g, 3, 1);
    struct minst *m = emit(g, OP_ATOM, OPC_ATOM_SHARED, ITYPE_U32, R(5), R(2), R(3), NIL());
    m->space = SPACE_SHARED;
    m->sub = MATOM_ADD;
    exit_(g);
    rig_run(g);
    // Moves in 1 and 2, atomic in 12, start 13.
    assert_int_equal(g->done_at, 13 + 20 + 32 * 10);
    assert_int_equal(act(g, ACT_shared_atomics), 1);
    rig_free(g);
}

// The next access waits for the pipe, which each of 32 rounds needs twice, not for the latency.
static void shared_atomics_overlap(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->im.shared_bytes = 128;
    movi(g, 2, 0);
    movi(g, 3, 1);
    for (uint8_t to = 5; to <= 6; to++) {
        struct minst *m = emit(g, OP_ATOM, OPC_ATOM_SHARED, ITYPE_U32, R(to), R(2), R(3), NIL());
        m->space = SPACE_SHARED;
        m->sub = MATOM_ADD;
    }
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 13 + 32 * 2 + 20 + 32 * 10);
    assert_int_equal(act(g, ACT_shared_atomics), 2);
    rig_free(g);
}

// 16 bytes a lane fill the banks four times; Fermi takes a pass more for each half-warp.
static void wide_shared_load(void **state) {
    (void)state;
    for (uint32_t extra = 0; extra < 2; extra++) {
        struct rig *g = rig_new();
        g->c.shared_wide_extra = extra;
        g->im.shared_bytes = 4096;
        lane_offsets(g, 4);
        struct minst *m = emit(g, OP_LD, OPC_LD_SHARED, ITYPE_U32, RR(4, 4), R(2), NIL(), NIL());
        m->space = SPACE_SHARED;
        m->vec = 4;
        exit_(g);
        rig_run(g);
        assert_int_equal(act(g, ACT_shared_passes), 4 + 2 * extra);
        assert_int_equal(g->done_at, 22 + 20 + 3 + 2 * extra);
        rig_free(g);
    }
}

// Without an L1: one transaction a cycle; the load issues in 31, the first is sent in 32, the n-th
// in 31 + n, the last answer comes 100 later.
static void coalescing(void **state) {
    (void)state;
    // Stride of 4 bytes: one line. 8: two. 128: 32 lines, one sector each.
    const struct { uint32_t shift, n; } row[] = {{2, 1}, {3, 2}, {4, 4}, {5, 8}, {7, 32}};
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        struct rig *g = rig_new();
        lane_addresses(g, row[i].shift);
        load(g, SPACE_GLOBAL, 3, 4, 0);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, 31 + row[i].n + 100);
        assert_int_equal(g->port->n_sent, row[i].n);
        assert_int_equal(act(g, ACT_gmem_reads), row[i].n);
        assert_int_equal(g->port->sent[0].bytes, row[i].n == 32 ? 32 : 128);
        rig_free(g);
    }
}

// All lanes on one word: one sector, or one line for the cached kind.
static void uniform_load(void **state) {
    (void)state;
    struct rig *g = rig_new();
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 64);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 12 + 100);
    assert_int_equal(g->port->n_sent, 1);
    assert_int_equal(g->port->sent[0].addr, g->buffer + 64);
    assert_int_equal(g->port->sent[0].bytes, 32);
    rig_free(g);
}

// A generic load whose lower lanes go to shared memory and whose upper ones to global memory: the
// banks first (43), then the transaction (44), answered 100 later.
static void generic_load(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->im.shared_bytes = 4096;
    lane_offsets(g, 2);     // 1, 11
    setp_lt(g, 0, 1, 16);   // 12
    iaddi(g, 4, 2, EXEC_SHARED_WINDOW)->guard = 0; // 22
    struct minst *m = iaddi(g, 4, 2, (uint32_t)g->buffer); // 32
    m->guard = 0;
    m->guard_not = true;
    load(g, SPACE_GENERIC, 5, 4, 0)->klass = OPC_LD_GENERIC; // 42
    exit_(g);
    rig_run(g);
    assert_int_equal(g->port->sent[0].addr, g->buffer + 64);
    assert_int_equal(g->port->sent[0].bytes, 64);
    assert_int_equal(g->done_at, 44 + 100);
    assert_int_equal(act(g, ACT_shared_reads), 1);
    assert_int_equal(act(g, ACT_shared_lanes), 16);
    assert_int_equal(act(g, ACT_gmem_reads), 1);
    rig_free(g);
}

// Asynchronous copies in two groups: issued in 31 and 33, sent in 32 and 34. Waiting until one
// group is open at most ends with the first answer (132), for none with the second (134).
static void async_copies(void **state) {
    (void)state;
    for (uint32_t keep = 0; keep < 2; keep++) {
        struct rig *g = rig_new();
        g->im.shared_bytes = 4096;
        lane_addresses(g, 2);
        for (uint32_t i = 0; i < 2; i++) {
            struct minst *m =
                emit(g, OP_CPASYNC, OPC_LD_GLOBAL, ITYPE_B32, NIL(), R(2), R(4), NIL());
            m->aux = 4;
            emit(g, OP_CPCOMMIT, OPC_FENCE, ITYPE_B32, NIL(), NIL(), NIL(), NIL());
        }
        emit(g, OP_CPWAIT, OPC_FENCE, ITYPE_B32, NIL(), NIL(), NIL(), NIL())->aux = (uint16_t)keep;
        movi(g, 5, 1);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, (keep ? 132 : 134) + 10);
        rig_free(g);
    }
}

// A texture fetch of neighbouring texels: one line. Issue 11, look-up 12, answer 112, 100 cycles of
// pipeline behind it; the second waits for the registers (212), looks up in 213 and hits: 30 + 100.
static void texture_fetch(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.texture = (struct cache_config){.bytes = 4096,
                                         .line_bytes = 128,
                                         .ways = 4,
                                         .mshrs = 4,
                                         .mshr_merge = 8,
                                         .hit_latency = 30,
                                         .ports = 1,
                                         .lru = true};
    g->c.texture_latency = 100;
    g->c.timing[OPC_TEX].latency = 0;
    const struct exec_texture t = {.base = g->buffer, .width = 64, .channels = 1,
                                   .channel_bits = 32, .is_linear_memory = true};
    struct opnd handle = IMM(devmem_texture_new(g->memory, &t));
    handle.words = 2;
    s2r(g, 1, SREG_tid_x);
    for (uint32_t i = 0; i < 2; i++) {
        struct minst *m = emit(g, OP_TEX, OPC_TEX, ITYPE_U32, RR(8, 4), handle, R(1), NIL());
        m->stype = ITYPE_S32;
        m->sub = MTEX_1D;
        m->vec = 4;
    }
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 213 + 30 + 100);
    assert_int_equal(act(g, ACT_tex_reads), 2);
    assert_int_equal(act(g, ACT_tex_hits), 1);
    assert_int_equal(act(g, ACT_tex_misses), 1);
    assert_int_equal(act(g, ACT_tex_fetches), 64);
    rig_free(g);
}

static void with_l1(struct rig *g) {
    g->c.l1d = (struct cache_config){.bytes = 16384, .line_bytes = 128, .ways = 4, .mshrs = 8,
                                     .mshr_merge = 4, .hit_latency = 40, .ports = 1,
                                     .write_evict = true, .lru = true};
    g->c.l1d_global = g->c.l1d_local = true;
    g->c.l1_miss_extra = 5;
    g->c.reply_extra = 3;
}

// A miss: access in t + 1, sent 5 later, answered after 100, written 3 later. The second load's
// address needs the first's value (0): the add issues when that is there, the load 10 later, and
// its hit takes 40.
static void l1_miss_then_hit(void **state) {
    (void)state;
    struct rig *g = rig_new();
    with_l1(g);
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    iadd(g, 5, 3, 4);
    load(g, SPACE_GLOBAL, 6, 5, 64);
    exit_(g);
    rig_run(g);
    const uint64_t first = 11 + 1 + 5 + 100 + 3;
    assert_int_equal(g->done_at, first + 10 + 1 + 40);
    assert_int_equal(act(g, ACT_l1_reads), 2);
    assert_int_equal(act(g, ACT_l1_read_misses), 1);
    assert_int_equal(act(g, ACT_l1_read_hits), 1);
    assert_int_equal(act(g, ACT_l1_fills), 1);
    assert_int_equal(g->port->sent[0].bytes, 128);
    rig_free(g);
}

// Words of eight bytes leave L1 by half warps, two cycles each here, and words of four at once: the
// unit is busy for four and two cycles, for one each where width does not matter.
static void l1_data_path(void **state) {
    (void)state;
    for (uint32_t half_cycles = 0; half_cycles <= 4; half_cycles += 4) {
        struct rig *g = rig_new();
        with_l1(g);
        g->c.coalesce = COALESCE_LINE128_WARP;
        g->c.l1_pass_cycles = half_cycles;
        address(g, 3);
        struct minst *m = load(g, SPACE_GLOBAL, 4, 3, 0);
        m->type = ITYPE_U64;
        m->dst[0] = RR(4, 2);
        load(g, SPACE_GLOBAL, 6, 3, 4);
        exit_(g);
        rig_run(g);
        assert_int_equal(act(g, ACT_ldst_busy_cycles), half_cycles ? 4 + 2 : 2);
        rig_free(g);
    }
}

// Two loads of L1 keep the unit for as long as an access takes at least, though their data need a
// cycle; one of shared memory does not.
static void least_time_of_an_access(void **state) {
    (void)state;
    for (uint32_t cycles = 0; cycles <= 3; cycles++) {
        struct rig *g = rig_new();
        with_l1(g);
        g->im.shared_bytes = 4096;
        lane_offsets(g, 2);
        g->c.coalesce = COALESCE_LINE128_WARP;
        g->c.l1_access_cycles = cycles;
        address(g, 3);
        load(g, SPACE_GLOBAL, 4, 3, 0);
        load(g, SPACE_GLOBAL, 6, 3, 4);
        load(g, SPACE_SHARED, 7, 2, 0);
        exit_(g);
        rig_run(g);
        assert_int_equal(act(g, ACT_ldst_busy_cycles), 2 * (cycles > 1 ? cycles : 1) + 1);
        rig_free(g);
    }
}

// One array: a fetch finds the line that a load brought. The load's value is there in 120, the
// coordinate that needs it 10 later, and the look-up another cycle later.
static void textures_lie_in_l1(void **state) {
    (void)state;
    struct rig *g = rig_new();
    with_l1(g);
    g->c.l1d_texture = true;
    g->c.texture = (struct cache_config){.hit_latency = 30, .ports = 1};
    g->c.texture_latency = 100;
    g->c.timing[OPC_TEX].latency = 0;
    const struct exec_texture t = {.base = g->buffer, .width = 64, .channels = 1,
                                   .channel_bits = 32, .is_linear_memory = true};
    struct opnd handle = IMM(devmem_texture_new(g->memory, &t));
    handle.words = 2;
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    iaddi(g, 1, 4, 7);
    struct minst *m = emit(g, OP_TEX, OPC_TEX, ITYPE_U32, RR(8, 4), handle, R(1), NIL());
    m->stype = ITYPE_S32;
    m->sub = MTEX_1D;
    m->vec = 4;
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 120 + 10 + 1 + 30 + 100);
    assert_int_equal(act(g, ACT_tex_hits), 1);
    assert_int_equal(act(g, ACT_l1_reads), 1); // loads' alone
    assert_int_equal(act(g, ACT_l1_fills), 1);
    assert_int_equal(g->port->n_sent, 1);
    rig_free(g);
}

// Two loads of one line: the second joins the first's request and is there at the same time.
static void l1_merge(void **state) {
    (void)state;
    struct rig *g = rig_new();
    with_l1(g);
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    load(g, SPACE_GLOBAL, 5, 3, 4);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 11 + 1 + 5 + 100 + 3);
    assert_int_equal(act(g, ACT_l1_read_merges), 1);
    assert_int_equal(g->port->n_sent, 1);
    rig_free(g);
}

// One miss register: the second line waits in the unit from cycle 13 until the first answer (117),
// is sent 5 later, and takes 100 + 3 more.
static void l1_out_of_registers(void **state) {
    (void)state;
    struct rig *g = rig_new();
    with_l1(g);
    g->c.l1d.mshrs = 1;
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    load(g, SPACE_GLOBAL, 5, 3, 128);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 117 + 5 + 100 + 3);
    assert_int_equal(act(g, ACT_l1_stalls), 117 - 13);
    rig_free(g);
}

// Fermi: a store evicts the line, so the load behind it misses again.
static void l1_write_evict(void **state) {
    (void)state;
    struct rig *g = rig_new();
    with_l1(g);
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    iadd(g, 5, 3, 4); // waits for it
    store(g, SPACE_GLOBAL, 5, 4, 0);
    load(g, SPACE_GLOBAL, 6, 5, 0);
    exit_(g);
    rig_run(g);
    assert_int_equal(act(g, ACT_l1_read_misses), 2);
    assert_int_equal(act(g, ACT_l1_writes), 1);
    assert_int_equal(act(g, ACT_l1_write_hits), 1);
    assert_int_equal(act(g, ACT_l1_evictions), 1);
    rig_free(g);
}

static void word_of_lane(struct rig *g, uint32_t d) {
    address(g, 1);
    s2r(g, 2, SREG_tid_x);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(2), IMM(2), NIL());
    iadd(g, d, 1, 2);
}

// Volta: a store takes a line of an L1 that it goes through. Words of 32 lanes are a whole line, so
// a load of it hits; of a store of half a sector (lanes 0 to 3) only the tag is there, which makes the
// next store of the line a hit, though its other sector was never written, and the load a miss. An
// access that touches sectors 1 and 2 goes out as two, both of which share one look-up.
static void l1_write_allocate(void **state) {
    (void)state;
    struct rig *g = rig_new();
    with_l1(g);
    g->c.l1d.write_evict = false;
    g->c.l1d.write_allocate = true;
    g->c.l1d.sector_bytes = 32;
    g->c.coalesce_uncached = COALESCE_SECTOR32;
    word_of_lane(g, 3);
    store(g, SPACE_GLOBAL, 3, 3, 0);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    exit_(g);
    rig_run(g);
    assert_int_equal(act(g, ACT_l1_writes), 1);
    assert_int_equal(act(g, ACT_l1_write_hits), 0);
    assert_int_equal(act(g, ACT_l1_read_hits), 1);
    rig_free(g);
    g = rig_new();
    with_l1(g);
    g->c.l1d.write_evict = false;
    g->c.l1d.write_allocate = true;
    g->c.l1d.sector_bytes = 32;
    g->c.coalesce_uncached = COALESCE_SECTOR32;
    word_of_lane(g, 3);
    store(g, SPACE_GLOBAL, 3, 3, 48); // words 12 to 43: of line 0 sector 1 in part, 2 and 3
    store(g, SPACE_GLOBAL, 3, 3, 64); // sectors 2 and 3; of line 1 sectors 0 and 1
    load(g, SPACE_GLOBAL, 4, 3, 32);  // sectors 1 (not whole), 2, 3; of line 1 sector 0
    exit_(g);
    rig_run(g);
    // Lines 0 and 1 missed with sectors 1, 2, 3 and 0, 1; then hit with 2, 3 and 0, 1.
    assert_int_equal(act(g, ACT_l1_writes), 3 + 2);
    assert_int_equal(act(g, ACT_l1_write_hits), 2);
    assert_int_equal(act(g, ACT_l1_write_hit_sectors), 2 + 2);
    assert_int_equal(act(g, ACT_l1_read_misses), 1);
    assert_int_equal(act(g, ACT_l1_read_hits), 1);
    rig_free(g);
}

// A store in cycle 11 is sent in 12 and acknowledged in 112. The fence issues in 12 and holds its
// warp until then; the move behind it issues in 112.
static void fence_waits_for_acknowledgement(void **state) {
    (void)state;
    struct rig *g = rig_new();
    address(g, 3);
    store(g, SPACE_GLOBAL, 3, 3, 0);
    emit(g, OP_MEMBAR, OPC_FENCE, ITYPE_U32, NIL(), NIL(), NIL(), NIL())->sub = MFENCE_GPU;
    movi(g, 5, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 112 + 10);
    assert_int_equal(act(g, ACT_issue_slots + STALL_fence), 112 - 13);
    rig_free(g);
}

// With a latency of its own a fence that releases holds its warp for so long, or until the stores are
// acknowledged; one that acquires, or is for its block, does not.
static uint64_t fence_of(uint32_t latency, enum mfence scope, uint32_t flags, bool stores) {
    struct rig *g = rig_new();
    g->c.fence_latency = latency;
    address(g, 3);
    if (stores) store(g, SPACE_GLOBAL, 3, 3, 0); // acknowledged in 112, as above
    struct minst *const m = emit(g, OP_MEMBAR, OPC_FENCE, ITYPE_U32, NIL(), NIL(), NIL(), NIL());
    m->sub = scope;
    m->flags |= flags;
    movi(g, 5, 1);
    exit_(g);
    rig_run(g);
    const uint64_t done = g->done_at;
    rig_free(g);
    return done;
}
static void fences_take_their_time(void **state) {
    (void)state;
    const uint64_t none = fence_of(0, MFENCE_GPU, MF_SC, false);
    assert_int_equal(fence_of(50, MFENCE_GPU, MF_ACQUIRE, false), none);
    assert_int_equal(fence_of(50, MFENCE_CTA, MF_SC, false), none);
    // The move issues when the time is over, where it issued in the fence's next cycle.
    assert_int_equal(fence_of(50, MFENCE_GPU, MF_RELEASE, false), none + 50 - 1);
    assert_int_equal(fence_of(50, MFENCE_SYS, MF_SC, false), none + 50 - 1);
    assert_int_equal(fence_of(50, MFENCE_GPU, MF_SC, true), 112 + 10);
    assert_int_equal(fence_of(300, MFENCE_GPU, MF_SC, true), 12 + 300 + 10); // it issues in 12
}

// One packet may be outstanding: the second store is held in the unit until the first has been
// acknowledged, 100 cycles later, and so on; the last of 4 is sent in 12 + 300. The fence sees 412.
static void back_pressure(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->port->credits = 1;
    address(g, 3);
    for (int i = 0; i < 4; i++) store(g, SPACE_GLOBAL, 3, 3, 128 * i);
    emit(g, OP_MEMBAR, OPC_FENCE, ITYPE_U32, NIL(), NIL(), NIL(), NIL())->sub = MFENCE_GPU;
    movi(g, 5, 1);
    exit_(g);
    rig_run(g);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(g->port->sent[i].cycle, 12 + 100 * i);
    assert_int_equal(g->done_at, 412 + 10);
    rig_free(g);
}

// A queue of one: loads that keep the banks for 32 cycles; the k-th may issue when the one before
// it has started. Loads in 21, 23 (started 22 -> but the banks are busy until 54), then 55 when the
// second has started (54), and so on.
static void queue_is_full(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.lsu_queue = 1;
    g->im.shared_bytes = 4096;
    lane_offsets(g, 7);
    for (uint32_t i = 0; i < 3; i++) load(g, SPACE_SHARED, 3 + i, 2, 0);
    exit_(g);
    rig_run(g);
    // First: start 22. Second: issues in 22, starts at 54. Third: issues in 54, starts at 86.
    assert_int_equal(g->done_at, 86 + 20 + 31);
    assert_int_equal(act(g, ACT_issue_slots + STALL_lsu_full), 53 - 22);
    rig_free(g);
}

// Global atomic: 32 lanes on one word make one request; the answer is written atomic_extra later.
static void global_atomic(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.atomic_extra = 7;
    address(g, 2);
    movi(g, 3, 1);
    struct minst *m = emit(g, OP_ATOM, OPC_ATOM_GLOBAL, ITYPE_U32, R(5), R(2), R(3), NIL());
    m->space = SPACE_GLOBAL;
    m->sub = MATOM_ADD;
    iadd(g, 6, 5, 5);
    exit_(g);
    rig_run(g);
    // Moves in 1, 2; atomic in 12; sent 13; answer 113, result 120; add 10.
    assert_int_equal(g->done_at, 120 + 10);
    assert_int_equal(g->port->n_sent, 1);
    assert_int_equal(g->port->sent[0].kind, MEM_ATOMIC);
    assert_int_equal(g->port->sent[0].lanes, 32);
    uint32_t sum;
    memcpy(&sum, devmem_host(g->memory, g->buffer, 4), 4);
    assert_int_equal(sum, 32);
    rig_free(g);
}

// Local memory is written back: a store and a load of the same word stay in L1.
static void local_memory(void **state) {
    (void)state;
    struct rig *g = rig_new();
    with_l1(g);
    g->im.local_bytes = 16;
    movi(g, 1, 0);
    struct minst *m = store(g, SPACE_LOCAL, 1, 1, 0);
    m->klass = OPC_ST_LOCAL;
    m = load(g, SPACE_LOCAL, 2, 1, 0);
    m->klass = OPC_LD_LOCAL;
    exit_(g);
    rig_run(g);
    // Store in 11, load in 12; the store has the unit in 12, the load in 13, hit 40.
    assert_int_equal(g->done_at, 13 + 40);
    assert_int_equal(g->port->n_sent, 0);
    assert_int_equal(act(g, ACT_lmem_reads), 1);
    assert_int_equal(act(g, ACT_lmem_writes), 1);
    assert_int_equal(act(g, ACT_l1_read_hits), 1);
    rig_free(g);
}

// A 64-bit local access: the two words of a lane lie in neighbouring lines, one transaction each.
static void local_pairs(void **state) {
    (void)state;
    struct rig *g = rig_new();
    with_l1(g);
    g->im.local_bytes = 16;
    movi(g, 1, 0);
    struct minst *m = emit(g, OP_LD, OPC_LD_LOCAL, ITYPE_U64, RR(2, 2), R(1), NIL(), NIL());
    m->space = SPACE_LOCAL;
    exit_(g);
    rig_run(g);
    assert_int_equal(act(g, ACT_lmem_reads), 2);
    assert_int_equal(g->port->n_sent, 2);
    assert_int_equal(g->port->sent[1].addr, g->port->sent[0].addr + 128);
    assert_int_equal(g->done_at, 13 + 5 + 100 + 3); // load in 11, transactions in 12 and 13
    rig_free(g);
}

// Indexed constants: 4 different words of one line are read one after another. Load in 31, start
// 32, the line comes 100 later.
static void indexed_constants(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.constant = (struct cache_config){.bytes = 2048,
                                          .line_bytes = 64,
                                          .ways = 2,
                                          .mshrs = 2,
                                          .mshr_merge = 8,
                                          .hit_latency = 12,
                                          .ports = 1,
                                          .lru = true};
    uint32_t literals[32] = {0};
    g->im.literals = (uint8_t *)literals;
    g->im.literal_bytes = sizeof literals;
    s2r(g, 1, SREG_tid_x);
    emit(g, OP_LOP, OPC_INT_LOGIC, ITYPE_U32, R(1), R(1), IMM(3), NIL());
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(1), IMM(2), NIL());
    for (uint32_t i = 0; i < 2; i++) {
        struct minst *m = emit(g, OP_LDC, OPC_LD_CONST, ITYPE_U32, R(3), R(2), NIL(), NIL());
        m->sub = CB_LITERAL;
        m->space = SPACE_CONST;
        emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(2), R(3), R(2), NIL());
    }
    exit_(g);
    rig_run(g);
    // First answer at 132; add; second load in 142, start 143, hit: 12, and 3 more words: 158; add.
    assert_int_equal(g->done_at, 132 + 10 + 1 + 12 + 3 + 10);
    assert_int_equal(act(g, ACT_const_misses), 1);
    rig_free(g);
}

// Four warps gather from 32 constant lines, eight lines of the second level, with misses for fewer lines than they ask for:
// each lane gets its word, whatever of it is on its way from the second level when the same line comes from L2.
static void gathered_constants_through_the_second_level(void **state) {
    (void)state;
    enum { WARPS = 4, LINE = 64, LANES = 32 };
    for (uint32_t misses = 1; misses <= 8; misses++) {
        struct rig *g = rig_new();
        g->c.constant = (struct cache_config){.bytes = 512,
                                              .line_bytes = LINE,
                                              .ways = 2,
                                              .mshrs = misses,
                                              .mshr_merge = 8,
                                              .hit_latency = 12,
                                              .ports = 1,
                                              .lru = true};
        g->c.icache = (struct cache_config){.bytes = 16384,
                                            .line_bytes = 256,
                                            .ways = 4,
                                            .mshrs = 8,
                                            .mshr_merge = 8,
                                            .hit_latency = 1,
                                            .ports = 1,
                                            .lru = true};
        g->c.const_second_latency = 30;
        g->args.block[0] = WARPS * LANES;
        uint32_t literals[LANES * LINE / 4];
        for (uint32_t i = 0; i < WW_COUNT(literals); i++) literals[i] = 7 * i + 1;
        g->im.literals = (uint8_t *)literals;
        g->im.literal_bytes = sizeof literals;
        s2r(g, 1, SREG_tid_x);
        emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(4), R(1), IMM(2), NIL());
        iaddi(g, 4, 4, (uint32_t)g->buffer);
        // Thread n reads line 5 n of 32: each warp meets all lines, and no two beside each other are neighbours.
        emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(2), R(1), IMM(5 * LINE), IMM(0));
        emit(g, OP_LOP, OPC_INT_LOGIC, ITYPE_U32, R(2), R(2), IMM(sizeof literals - 1), NIL());
        struct minst *const m = emit(g, OP_LDC, OPC_LD_CONST, ITYPE_U32, R(3), R(2), NIL(), NIL());
        m->sub = CB_LITERAL;
        m->space = SPACE_CONST;
        store(g, SPACE_GLOBAL, 4, 3, 0);
        exit_(g);
        rig_run(g);
        uint32_t got[WARPS * LANES];
        memcpy(got, devmem_host(g->memory, g->buffer, sizeof got), sizeof got);
        for (uint32_t n = 0; n < WW_COUNT(got); n++)
            assert_int_equal(got[n], literals[5 * n % LANES * LINE / 4]);
        assert_true(act(g, ACT_const_second_hits) > 0);
        rig_free(g);
    }
}

// Two warm loads of four different words each. In LD/ST, a cycle a word, the second starts four
// cycles after the first; in a pipeline of their own, two cycles a word, eight, and the last of its
// words comes six cycles after the first.
static void constants_have_a_pipeline(void **state) {
    (void)state;
    uint64_t done[3];
    for (uint32_t cycles = 0; cycles < 3; cycles++) {
        struct rig *g = rig_new();
        g->c.const_request_cycles = cycles;
        g->c.constant = (struct cache_config){.bytes = 2048,
                                              .line_bytes = 64,
                                              .ways = 2,
                                              .mshrs = 2,
                                              .mshr_merge = 8,
                                              .hit_latency = 12,
                                              .ports = 1,
                                              .lru = true};
        uint32_t literals[32] = {0};
        g->im.literals = (uint8_t *)literals;
        g->im.literal_bytes = sizeof literals;
        s2r(g, 1, SREG_tid_x);
        emit(g, OP_LOP, OPC_INT_LOGIC, ITYPE_U32, R(1), R(1), IMM(3), NIL());
        emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(1), IMM(2), NIL());
        for (uint32_t i = 0; i < 3; i++) { // the first one brings the line
            struct minst *m =
                emit(g, OP_LDC, OPC_LD_CONST, ITYPE_U32, R(3 + i), R(2), NIL(), NIL());
            m->sub = CB_LITERAL;
            m->space = SPACE_CONST;
            if (i == 0) emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(2), R(3), R(2), NIL());
        }
        emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(6), R(4), R(5), NIL());
        exit_(g);
        rig_run(g);
        done[cycles] = g->done_at;
        assert_int_equal(act(g, ACT_const_misses), 1);
        rig_free(g);
    }
    // As above the first of the two starts in 143. The second starts four cycles later, or eight.
    assert_int_equal(done[0], 143 + 4 + 12 + 3 + 10);
    assert_int_equal(done[1], done[0]);
    assert_int_equal(done[2], 143 + 8 + 12 + 6 + 10);
}

// nanosleep of 100 ns at 1 GHz: issues in 1; the next instruction 101 cycles later.
static void sleep(void **state) {
    (void)state;
    struct rig *g = rig_new();
    emit(g, OP_NANOSLEEP, OPC_CTRL, ITYPE_U32, NIL(), IMM(100), NIL(), NIL());
    movi(g, 1, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 101 + 10);
    assert_int_equal(act(g, ACT_issue_slots + STALL_sleep), 100);
    rig_free(g);
}

// An SM whose only warp waits for memory is not simulated until the answer comes.
static void waiting_costs_nothing(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->port->latency = 5000;
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    iadd(g, 5, 4, 4);
    exit_(g);
    rig_make(g);
    sm_take_cta(g->sm, 0, 0, 0);
    sm_run(g->sm, 0, 100);
    assert_int_equal(sm_next_event(g->sm, 100), 12 + 5000);
    sm_run(g->sm, 5000, 6000); // skipped in between
    assert_int_equal(g->done, 1);
    assert_int_equal(g->done_at, 12 + 5000 + 10);
    assert_int_equal(act(g, ACT_issue_slots + STALL_memory), 5012 - 12);
    rig_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_conflicts),
        cmocka_unit_test(shared_banks_are_busy),
        cmocka_unit_test(shared_half_warps),
        cmocka_unit_test(address_generation),
        cmocka_unit_test(shared_atomic),
        cmocka_unit_test(shared_atomics_overlap),
        cmocka_unit_test(wide_shared_load),
        cmocka_unit_test(coalescing),
        cmocka_unit_test(uniform_load),
        cmocka_unit_test(generic_load),
        cmocka_unit_test(async_copies),
        cmocka_unit_test(texture_fetch),
        cmocka_unit_test(textures_lie_in_l1),
        cmocka_unit_test(l1_data_path),
        cmocka_unit_test(least_time_of_an_access),
        cmocka_unit_test(l1_miss_then_hit),
        cmocka_unit_test(l1_merge),
        cmocka_unit_test(l1_out_of_registers),
        cmocka_unit_test(l1_write_evict),
        cmocka_unit_test(l1_write_allocate),
        cmocka_unit_test(fence_waits_for_acknowledgement),
        cmocka_unit_test(fences_take_their_time),
        cmocka_unit_test(back_pressure),
        cmocka_unit_test(queue_is_full),
        cmocka_unit_test(global_atomic),
        cmocka_unit_test(local_memory),
        cmocka_unit_test(local_pairs),
        cmocka_unit_test(indexed_constants),
        cmocka_unit_test(gathered_constants_through_the_second_level),
        cmocka_unit_test(constants_have_a_pipeline),
        cmocka_unit_test(sleep),
        cmocka_unit_test(waiting_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
