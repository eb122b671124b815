// The choice of tiles and parts, by a model of a product's time on a chip that does nothing else. A block walks through its slices of
// k, and a multiprocessor through the blocks that it is given, some at once; the product ends with the multiprocessor that has
// most of them. A slice takes as long as its multiply-adds at the unit's rate, those of all blocks that are there at once, and no less
// than copies, barriers and fragments of one block take. Parts of k make more blocks of fewer slices, and their sums have to be
// added up.
#include "plan.h"

#include "blas.h"
#include "hopper.h"

// The tiles of D that kernels make, from the largest on. Their `cost` and `step` are what our kernels take on a v100, an a100 and an
// h100 (docs/python-stack.md).
struct tile {
    const char *name;
    uint32_t m, n, threads, shared;
    uint32_t held;  // blocks that a multiprocessor holds
    uint32_t parts; // of k at most: kernels whose registers are all taken have none (parts.h)
    uint32_t slice; // along k: elements by lanes, else bytes
    double cost;    // of a multiply-add, by the unit's: small tiles read more for each
    uint32_t step;  // cycles of a slice at least
    uint32_t end;   // cycles from the last slice until D is written
};
enum { SIZES = 3, PARTS = 16 };
static const struct tile tiles[WAYS][SIZES] = {
    [BY_LANES] = {{"big", 128, 128, 256, 0, 2, 1, 8, 1.2, 300, 2000},
                  {"small", 32, 32, 64, 0, 8, PARTS, 16, 2.4, 300, 800}},
    [BY_WIDE_LANES] = {{"big", 64, 64, 256, 0, 2, 1, 8, 1.2, 300, 2000},
                       {"small", 32, 32, 64, 0, 8, PARTS, 16, 1.8, 300, 800}},
    [BY_WARPS] = {{"big", 128, 128, 128, 0, 2, 1, 64, 2, 600, 5000},
                  {"small", 64, 64, 128, 0, 4, PARTS, 64, 3, 400, 2000}},
    // two slices at a time
    [BY_QUADS] = {{"wide", 128, 256, 256, 2 * 64 * (128 + 256), 1, 1, 64, 1.2, 800, 4500},
                  {"big", 128, 128, 128, 2 * 64 * (128 + 128), 2, 1, 64, 1.1, 750, 4500},
                  {"small", 64, 64, 128, 2 * 64 * (64 + 64), 4, PARTS, 64, 1.8, 400, 700}},
    // four
    [BY_COPIES] = {{"wide", 128, 256, 256, 4 * 64 * (128 + 256), 1, PARTS, 64, 1, 1050, 5000},
                   {"big", 128, 128, 128, 4 * 64 * (128 + 128), 2, PARTS, 64, 1.1, 750, 4500},
                   {"small", 64, 64, 128, 4 * 64 * (64 + 64), 4, PARTS, 64, 1.8, 280, 700}},
    [BY_GROUPS] = {{"wide", 256, HOPPER_N, HOPPER_THREADS, HOPPER_SHARED(256), 1, HOPPER_PARTS,
                    HOPPER_DEEP, 1, 1000, 5000},
                   {"big", 128, HOPPER_N, HOPPER_THREADS, HOPPER_SHARED(128), 1, HOPPER_PARTS,
                    HOPPER_DEEP, 1.1, 500, 600}},
    [BY_PROMOTING_GROUPS] = {{"big", 128, HOPPER_N, HOPPER_THREADS, HOPPER_SHARED(128), 1,
                              HOPPER_PARTS, HOPPER_DEEP, 1.2, 600, 600}},
};
static bool has_groups(enum way way) { return way == BY_GROUPS || way == BY_PROMOTING_GROUPS; }
enum { SUM_BYTES = 128 << 10 }; // of the sums of the blocks that a multiprocessor holds, at most

// Multiply-adds of a cycle of a multiprocessor (the vendor's tables of throughput: CUDA C Programming Guide, and its
// architectures' white papers), of halves on tensor cores, in which half as many bytes are twice as many.
static double rate_of(uint32_t capability, enum way way, size_t bytes) {
    if (way == BY_WIDE_LANES) return 32;
    if (way == BY_LANES)
        return capability >= 86 || capability / 10 == 5 || capability == 61 ? 128 : 64;
    const double halves = capability < 80    ? 512
                          : capability == 80 ? 1024
                          : capability < 90  ? 512
                          : has_groups(way)  ? 2048
                                             : 1024;
    return halves * 2 / (double)bytes;
}

static uint32_t pieces(uint32_t length, uint32_t of) { return (length + of - 1) / of; }

// Words as TF32 are rounded in registers by warps that copy: our kernels take half as long again on an a100 and an h100.
static double cost_of(enum way way, const struct tile *t, size_t bytes) {
    return way == BY_COPIES && bytes == 4 ? 1.5 * t->cost : t->cost;
}
static double slice_cycles(const struct tile *t, double cost, double rate, uint32_t slice,
                           uint32_t held) {
    const double work = (double)held * t->m * t->n * slice * cost / rate;
    return work > t->step ? work : t->step;
}

// What adding up parts takes, by what our kernels take: clusters read each other's shared memory, others leave sums in memory, from where one block reads all.
static double end_cycles(enum way way, const struct tile *t, uint32_t splits) {
    const double bytes = 4. * t->m * t->n;
    if (splits == 1) return 0;
    return has_groups(way) ? 3700 : 1500 + bytes * (splits + 1) / 24;
}

static double cycles_of(const struct blas_handle *h, enum way way, const struct tile *t,
                        size_t bytes, const struct gemm *g, uint32_t slice, uint64_t blocks,
                        uint32_t splits) {
    const double rate = rate_of(h->capability, way, bytes), cost = cost_of(way, t, bytes);
    const uint64_t most = (blocks * splits + h->sms - 1) / h->sms, rounds = most / t->held;
    const uint32_t left = (uint32_t)(most % t->held),
                   each = pieces(pieces((uint32_t)g->k, slice), splits);
    const double waves = (double)rounds + (left > 0),
                 a_slice = (double)rounds * slice_cycles(t, cost, rate, slice, t->held) +
                           (left ? slice_cycles(t, cost, rate, slice, left) : 0);
    return waves * t->end + each * a_slice + end_cycles(way, t, splits);
}

void plan_consider(struct plan *best, const struct blas_handle *h, enum way way, size_t bytes,
                   const struct gemm *g, uint32_t count, bool may_split) {
    for (const struct tile *t = tiles[way]; t < tiles[way] + SIZES && t->name; t++) {
        const uint32_t slice = way <= BY_WIDE_LANES ? t->slice : t->slice / (uint32_t)bytes,
                       slices = pieces((uint32_t)g->k, slice);
        const uint64_t columns = pieces((uint32_t)g->n, t->n),
                       blocks = pieces((uint32_t)g->m, t->m) * count *
                                (has_groups(way)
                                     ? (columns + HOPPER_PAIR - 1) / HOPPER_PAIR * HOPPER_PAIR
                                     : columns);
        for (uint32_t splits = 1; splits <= t->parts; splits += has_groups(way) ? splits : 1) {
            if (splits > 1 &&
                (!may_split || splits > slices || blocks * splits > (uint64_t)h->sms * t->held))
                break;
            const double cycles = cycles_of(h, way, t, bytes, g, slice, blocks, splits);
            if (best->tile && cycles >= best->cycles) continue;
            *best = (struct plan){way, t->name, t->m, t->n, t->threads, t->shared, splits, cycles};
        }
    }
}

size_t plan_room(const struct blas_handle *h) { return (size_t)h->sms * SUM_BYTES; }
// Eight blocks a multiprocessor at most, two of each tile at least.
size_t plan_turns(const struct blas_handle *h) { return (size_t)h->sms * 8 / 2 * 4; }
