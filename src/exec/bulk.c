// Bulk copies: blocks of bytes (cp.async.bulk) and boxes of tensors (cp.async.bulk.tensor) between
// global and shared memory.
//
// A box is walked in rows: elements side by side in dimension 0. Its rows go through a stage, where
// the box lies without swizzle, element by element in the order of its dimensions; what lies outside
// the tensor is filled there, and is never read or written in global memory. So one walk serves
// loads, stores, reductions and prefetches, of tiles and of im2col. A copy into shared memory sees
// global memory as a load would that executes with it; one out of it writes as a store would.
//
// Assumed, since no public source says it: a tensor in slices (NC/8HWC8 and NC/16HWC16) has its pixels
// side by side within a slice, strides[0] from slice to slice, and its boxes lie in shared memory in
// the same order, a column of im2col slice after slice; where the inner dimension of a box is shorter
// than its swizzle, rows are still side by side. Elements of tf32 are rounded to nearest, ties to even
// (PTX ISA 9.0, tensor dimension, size and format).
#include <stdlib.h>

#include "exec/bulk.h"
#include "exec/bulk_int.h"
#include "exec/cluster.h"
#include "isa/op.h"
#include "isa/tensor_map.h"

enum { CHUNK = 16 }; // bytes that a swizzle leaves together

// ---- what an instruction began --------------------------------------------------------------
void exec_bulks_destroy(struct exec_bulks *b) {
    if (!b) return;
    free(b->copy);
    free(b->row);
    free(b->stage);
    free(b);
}
static bool room(void **p, uint32_t *cap, uint32_t n, size_t each) {
    if (n <= *cap) return true;
    uint32_t to = *cap ? *cap : 64;
    while (to < n) to *= 2;
    void *const q = realloc(*p, to * each);
    if (!q) return false;
    *p = q;
    *cap = to;
    return true;
}
#define ROOM(p, cap, n) room((void **)&(p), &(cap), (n), sizeof *(p))

// ---- one copy -------------------------------------------------------------------------------
struct copy {
    struct exec_env *e;
    struct exec_warp *w;
    const struct xinst *x;
    struct exec_bulks *all;
    struct exec_bulk now;
    uint8_t *stage;    // where its bytes lie, or NULL: a prefetch has none
    uint32_t op, type; // of a reduction: enum matom, enum isa_type; of a load: enum tensor_type
    uint8_t swizzle;
    bool converts; // elements change when they are loaded
};

static bool fails(const struct copy *c, enum exec_fault_kind kind, uint64_t at, uint32_t bytes,
                  const char *what) {
    fault_raise(c->e, c->w, c->x, kind, c->now.lane, at, bytes, "%s", what);
    return false;
}
static bool no_memory(const struct copy *c) {
    return fails(c, FAULT_UNALLOCATED, 0, 0, "the host ran out of memory for a bulk copy");
}

// Where an address of shared memory is: the block of the cluster and the offset. False: a fault.
static bool locate(const struct copy *c, uint32_t address, uint32_t *rank, uint32_t *at) {
    const struct exec_cta *const own = c->w->cta;
    *rank = cluster_rank_of(own, address);
    *at = address & CLUSTER_OFFSET;
    if (cluster_block(c->w->cta, *rank) && !(own->cluster && own->cluster->gone >> *rank & 1))
        return true;
    fault_raise(c->e, c->w, c->x, FAULT_SHARED_RANGE, c->now.lane, address, 0,
                "bulk copy to or from block %u of the cluster, which has %s", *rank,
                cluster_block(c->w->cta, *rank) ? "ended" : "no such block");
    return false;
}
// The same of a copy's destination and its barrier, which are of one block, and with a mask of all that
// it names.
static bool locate_both(struct copy *c, uint32_t to, uint32_t barrier, bool is_multicast,
                        uint32_t mask) {
    uint32_t rank, other;
    if (!locate(c, to, &rank, &c->now.shared) || !locate(c, barrier, &other, &c->now.barrier))
        return false;
    if (rank != other)
        return fails(c, FAULT_SHARED_RANGE, to, 0,
                     "bulk copy whose destination and barrier are in different blocks of the "
                     "cluster");
    c->now.blocks = is_multicast ? mask : 1u << rank;
    FOR_EACH_BIT32(i, c->now.blocks)
        if (!cluster_block(c->w->cta, i))
            return fails(c, FAULT_SHARED_RANGE, to, 0,
                         "bulk copy to a block that the cluster does not have");
    return true;
}

// Checks what the copy does in shared memory: `align` bytes.
static bool in_shared(const struct copy *c, uint32_t at, uint32_t bytes, uint32_t align,
                      const char *what) {
    const uint32_t size = c->w->cta->shared_bytes;
    if (at % align != 0) {
        fault_raise(c->e, c->w, c->x, FAULT_MISALIGNED, c->now.lane, at, bytes,
                    "%s of a bulk copy at shared offset 0x%x, which is not a multiple of %u", what,
                    at, align);
        return false;
    }
    if (at <= size && bytes <= size - at) return true;
    fault_raise(
        c->e, c->w, c->x, FAULT_SHARED_RANGE, c->now.lane, at, bytes,
        "%s of a bulk copy of %u bytes at shared offset 0x%x, but the block has %u bytes of "
        "shared memory",
        what, bytes, at, size);
    return false;
}
static uint8_t *global_host(const struct copy *c, uint64_t at, uint32_t bytes) {
    const bool writes = c->now.kind == BULK_STORE || c->now.kind == BULK_REDUCE;
    if (env_range(c->e, at, bytes)) {
        if (!writes || env_may_write(c->e, at, bytes)) return range_host(&c->e->range, at);
        fault_raise(c->e, c->w, c->x, FAULT_READ_ONLY, c->now.lane, at, bytes,
                    "bulk copy that writes %u bytes at 0x%llx, which is mapped for reading alone",
                    bytes, (unsigned long long)at);
        return NULL;
    }
    fault_raise(c->e, c->w, c->x, FAULT_UNALLOCATED, c->now.lane, at, bytes,
                "bulk copy that %s %u bytes at 0x%llx, which is in no live allocation",
                writes ? "writes" : "reads", bytes, (unsigned long long)at);
    return NULL;
}
// Byte `at` of the box in a block's shared memory.
static uint8_t *place_in(const struct copy *c, const struct exec_cta *cta, uint32_t at) {
    return cta->shared + tensor_swizzled((enum tensor_swizzle)c->swizzle, c->now.shared + at);
}
static uint8_t *place(const struct copy *c, uint32_t at) { return place_in(c, c->w->cta, at); }

// Neighbours of the row before are one row with it.
static bool note_row(struct copy *c, uint64_t at, uint32_t bytes) {
    struct exec_bulks *const b = c->all;
    struct exec_bulk_row *const last = c->now.rows ? &b->row[b->n_rows - 1] : NULL;
    if (last && last->at + last->bytes == at) {
        last->bytes += bytes;
        return true;
    }
    if (!ROOM(b->row, b->cap_rows, b->n_rows + 1)) return no_memory(c);
    b->row[b->n_rows++] = (struct exec_bulk_row){at, bytes};
    c->now.rows++;
    return true;
}

// A reduction's elements, one after another.
void bulk_reduce(uint8_t *to, const uint8_t *from, uint32_t bytes, uint32_t op, uint32_t type,
                 bool is_global) {
    const struct xinst x = {.sub = (uint8_t)op, .type = (uint8_t)type, .vec = 1};
    const uint32_t each = isa_type_bits((enum isa_type)type) / 8;
    for (uint32_t k = 0; k + each <= bytes; k += each) {
        struct wide b = {{0, 0}};
        memcpy(&b, from + k, each);
        atomic_apply(to + k, &x, &b, &b, is_global);
    }
}

// A part of a row that an atomic of this quantum changes: its bytes come at the commit.
static void load_later(struct copy *c, const uint8_t *host, uint32_t at, uint32_t bytes) {
    for (uint32_t k = 0; k < bytes;) {
        const uint32_t left = CHUNK - (at + k) % CHUNK, n = left < bytes - k ? left : bytes - k;
        FOR_EACH_BIT32(rank, c->now.blocks)
            log_copy(c->e->log, c->w, host + k, place_in(c, cluster_block(c->w->cta, rank), at + k),
                     n, c->converts ? c->type : TENSOR_TYPE_N);
        k += n;
    }
    c->e->access.deferred = true;
}

// Bytes of global memory from `addr` on, which belong at `at` of the box.
static bool move_row(struct copy *c, uint64_t addr, uint32_t at, uint32_t bytes) {
    if (bytes == 0) return true;
    if (!note_row(c, addr, bytes)) return false;
    struct exec_log *const log = c->e->log;
    uint8_t *const host = global_host(c, addr, bytes);
    if (!host) return c->now.kind == BULK_PREFETCH; // a hint
    switch (c->now.kind) {
    case BULK_LOAD:
        memcpy(c->stage + at, host, bytes);
        if (log && log->is_busy && log_maybe_span(log, host, host + bytes - 1) &&
            !log_overlay(log, host, bytes, c->stage + at, NULL))
            load_later(c, host, at, bytes);
        return true;
    case BULK_STORE:
        if (log) {
            log_store_run(log, host, bytes, c->stage + at);
        } else {
            memcpy(host, c->stage + at, bytes);
            devmem_mark_written(c->e->memory, addr, bytes);
        }
        return true;
    case BULK_REDUCE:
        if (log) {
            log_reduce(log, host, bytes, c->stage + at, c->op, c->type);
        } else {
            bulk_reduce(host, c->stage + at, bytes, c->op, c->type, true);
            devmem_mark_written(c->e->memory, addr, bytes);
        }
        return true;
    default: return true;
    }
}

// ---- elements -------------------------------------------------------------------------------
void bulk_convert(uint32_t type, uint8_t *at, uint32_t bytes) {
    const bool flushes = type == TENSOR_f32_ftz || type == TENSOR_tf32_ftz;
    const bool cuts = type == TENSOR_tf32 || type == TENSOR_tf32_ftz;
    if (!flushes && !cuts) return;
    for (uint32_t k = 0; k + 4 <= bytes; k += 4) {
        uint32_t v;
        memcpy(&v, at + k, 4);
        const uint32_t exponent = v >> 23 & 0xff;
        if (flushes && exponent == 0) v &= 0x80000000u;
        if (cuts && exponent != 0xff) v = (v + 0xfff + (v >> 13 & 1)) & ~0x1fffu; // 13 bits less
        memcpy(at + k, &v, 4);
    }
}
// The value that an out-of-bounds element has: 0, or the NaN that fma.oob knows (all ones but for the
// sign; PTX ISA 9.0, out of boundary access).
static void fill(const struct tensor_map *m, uint8_t *at, uint32_t elements) {
    const uint32_t size = (uint32_t)m->stride[0];
    const uint64_t nan = m->nan_fill && tensor_type_is_float((enum tensor_type)m->type)
                             ? UINT64_MAX >> (65 - 8 * size)
                             : 0;
    for (uint32_t k = 0; k < elements; k++) memcpy(at + k * size, &nan, size);
}

// ---- boxes ----------------------------------------------------------------------------------
// n elements from element c of dimension 0 on, where the other dimensions put the row at `base`.
static bool box_row(struct copy *c, const struct tensor_map *m, uint64_t base, bool is_inside,
                    int64_t at0, uint32_t n, uint64_t at) {
    const uint32_t size = (uint32_t)m->stride[0];
    const int64_t dim = (int64_t)m->dim[0];
    int64_t first = at0 < 0 ? 0 : at0, end = at0 + n;
    if (end > dim) end = dim;
    if (!is_inside || end <= first) first = end = at0;
    const uint32_t before = (uint32_t)(first - at0), inside = (uint32_t)(end - first);
    if (c->now.kind == BULK_LOAD) {
        fill(m, c->stage + at, before);
        fill(m, c->stage + at + (before + inside) * size, n - before - inside);
    }
    return move_row(c, base + (uint64_t)first * size, (uint32_t)at + before * size, inside * size);
}

// An axis of a tile: a loop of the walk, the innermost first.
struct axis {
    int64_t at, dim;  // coordinate of the first, size of the tensor
    uint64_t stride;  // bytes
    uint32_t n, step; // elements that are copied, which lie so far apart
};

// Rows of a tile in the order of its axes; each has `row` elements.
static bool walk_axes(struct copy *c, const struct tensor_map *m, const struct axis *axis,
                      uint32_t n_axes, uint64_t base, int64_t at0, uint32_t row) {
    uint32_t i[TENSOR_RANK] = {0};
    uint64_t at = 0;
    for (;;) {
        uint64_t addr = base;
        bool is_inside = true;
        for (uint32_t a = 0; a < n_axes; a++) {
            const int64_t x = axis[a].at + (int64_t)i[a] * axis[a].step;
            is_inside &= x >= 0 && x < axis[a].dim;
            addr += (uint64_t)x * axis[a].stride;
        }
        if (!box_row(c, m, addr, is_inside, at0, row, at)) return false;
        at += row * m->stride[0];
        uint32_t a = 0;
        while (a < n_axes && ++i[a] == axis[a].n) i[a++] = 0;
        if (a == n_axes) return true;
    }
}

static bool walk_tile(struct copy *c, const struct tensor_map *m, const int32_t *x) {
    struct axis axis[TENSOR_RANK];
    for (uint32_t i = 1; i < m->rank; i++)
        axis[i - 1] = (struct axis){.at = x[i],
                                    .dim = (int64_t)m->dim[i],
                                    .stride = m->stride[i],
                                    .n = tensor_count(m, i),
                                    .step = m->step[i]};
    return walk_axes(c, m, axis, m->rank - 1u, m->address, x[0], tensor_count(m, 0));
}

static uint32_t slice_bytes(const struct tensor_map *m) {
    return m->interleave == TENSOR_SLICES_16 ? 16 : 32;
}
// The slice that a channel lies in; channels before the first have negative ones.
static int64_t slice_of(int64_t channel, int64_t each) {
    return (channel >= 0 ? channel : channel - each + 1) / each;
}

// Channels in slices of 16 or 32 bytes. The row is a slice of a pixel; axes are W, H and D, slices,
// images.
static bool walk_slices(struct copy *c, const struct tensor_map *m, const int32_t *x) {
    const uint32_t bytes = slice_bytes(m), each = bytes / (uint32_t)m->stride[0],
                   last = m->rank - 1u;
    struct tensor_map slice = *m;
    slice.dim[0] = each;
    struct axis axis[TENSOR_RANK];
    for (uint32_t i = 1; i < m->rank; i++)
        axis[i == last ? last : i - 1] =
            (struct axis){.at = x[i],
                          .dim = (int64_t)m->dim[i],
                          .stride = i == 1 && i != last ? bytes : m->stride[i],
                          .n = tensor_count(m, i),
                          .step = m->step[i]};
    axis[last - 1] = (struct axis){.at = slice_of(x[0], each),
                                   .dim = (int64_t)((m->dim[0] + each - 1) / each),
                                   .stride = m->stride[1],
                                   .n = (tensor_count(m, 0) + each - 1) / each,
                                   .step = m->step[0]};
    return walk_axes(c, &slice, axis, m->rank, m->address, 0, each);
}

// How the pixels of a column lie: bytes from one to the next along W, and from where in the box they
// are put side by side, n elements of each from element `at0` on.
struct column {
    uint64_t base, along_w;
    bool is_inside;
    int64_t at0;
    uint32_t n;
    uint64_t at;
};
// Pixels of a column, W first, from the given one on to the end of the bounding box, which begins anew
// in the next row, plane or image. `off` moves what is copied, not the walk.
static bool walk_column(struct copy *c, const struct tensor_map *m, const int32_t *x,
                        const uint32_t *off, const struct column *of) {
    const uint32_t last = m->rank - 1u;
    int64_t at[TENSOR_RANK];
    for (uint32_t i = 0; i < m->rank; i++) at[i] = x[i];
    for (uint32_t k = 0; k < m->column; k++) {
        uint64_t addr = of->base;
        bool is_inside = of->is_inside;
        for (uint32_t i = 1; i < m->rank; i++) {
            const int64_t p = at[i] + (i < last ? (int64_t)off[i - 1] : 0);
            is_inside &= p >= 0 && p < (int64_t)m->dim[i];
            addr += (uint64_t)p * (i == 1 ? of->along_w : m->stride[i]);
        }
        if (!box_row(c, m, addr, is_inside, of->at0, of->n, of->at + k * of->n * m->stride[0]))
            return false;
        uint32_t i = 1;
        for (; i < last; i++) {
            at[i] += m->step[i];
            if (at[i] < (int64_t)m->dim[i] + m->upper[i - 1]) break;
            at[i] = m->lower[i - 1];
        }
        if (i == last) at[last] += m->step[last];
    }
    return true;
}

static bool walk_im2col(struct copy *c, const struct tensor_map *m, const int32_t *x,
                        const uint32_t *off) {
    struct column of = {m->address, m->stride[1], true, x[0], m->box[0], 0};
    if (m->interleave == TENSOR_PLAIN) return walk_column(c, m, x, off, &of);
    struct tensor_map slice = *m;
    const uint32_t bytes = slice_bytes(m), each = bytes / (uint32_t)m->stride[0],
                   n = (tensor_count(m, 0) + each - 1) / each;
    slice.dim[0] = of.n = each;
    of.along_w = bytes;
    of.at0 = 0;
    for (uint32_t k = 0; k < n; k++, of.at += (uint64_t)bytes * m->column) {
        const int64_t s = slice_of(x[0], each) + (int64_t)(k * m->step[0]);
        of.is_inside = s >= 0 && s < (int64_t)((m->dim[0] + each - 1) / each);
        of.base = m->address + (uint64_t)s * m->stride[1];
        if (!walk_column(c, &slice, x, off, &of)) return false;
    }
    return true;
}

// What reductions of another block's memory are at the commit: an instruction an operation and type.
#define REDUCTION(o, t)                                                                            \
    [MATOM_##o][ITYPE_##t] = {.sub = MATOM_##o, .type = ITYPE_##t, .vec = 1, .d = X_NONE}
static const struct xinst reduction_of[MATOM_XOR + 1][ITYPE_N] = {
    REDUCTION(ADD, U32), REDUCTION(ADD, S32), REDUCTION(ADD, U64), REDUCTION(MIN, U32),
    REDUCTION(MIN, S32), REDUCTION(MAX, U32), REDUCTION(MAX, S32), REDUCTION(INC, U32),
    REDUCTION(DEC, U32), REDUCTION(AND, B32), REDUCTION(OR, B32),  REDUCTION(XOR, B32),
    REDUCTION(AND, U32), REDUCTION(OR, U32),  REDUCTION(XOR, U32)};

// ---- the stage and shared memory ------------------------------------------------------------
static bool make_stage(struct copy *c, uint32_t bytes) {
    struct exec_bulks *const b = c->all;
    if (!ROOM(b->stage, b->cap_stage, bytes + CHUNK)) return no_memory(c);
    c->stage = b->stage;
    return true;
}
static void from_shared(const struct copy *c) {
    for (uint32_t k = 0; k < c->now.bytes; k += CHUNK) {
        const uint32_t left = c->now.bytes - k;
        memcpy(c->stage + k, place(c, k), left < CHUNK ? left : CHUNK);
    }
}
// Bytes for a block: another's get them at the commit where blocks run beside each other.
static void put(const struct copy *c, struct exec_cta *cta, uint32_t at, uint32_t bytes) {
    uint8_t *host = place_in(c, cta, at);
    if (cta != c->w->cta && c->e->remote_waits)
        log_remote_store(c->e->log, c->w, 1, bytes, &host, c->stage + at);
    else
        memcpy(host, c->stage + at, bytes);
}
static void into_shared(const struct copy *c) {
    FOR_EACH_BIT32(rank, c->now.blocks) {
        struct exec_cta *const cta = cluster_block(c->w->cta, rank);
        if (c->swizzle == TENSOR_SWIZZLE_NONE) {
            put(c, cta, 0, c->now.bytes);
            continue;
        }
        for (uint32_t k = 0; k < c->now.bytes; k += CHUNK) {
            const uint32_t left = c->now.bytes - k;
            put(c, cta, k, left < CHUNK ? left : CHUNK);
        }
    }
}
// A reduction in a block's shared memory, element by element.
static void reduce_shared(const struct copy *c) {
    struct exec_cta *const cta = cluster_block(c->w->cta, bits_first32(c->now.blocks));
    if (cta == c->w->cta || !c->e->remote_waits) {
        bulk_reduce(cta->shared + c->now.shared, c->stage, c->now.bytes, c->op, c->type, false);
        return;
    }
    const uint32_t each = isa_type_bits((enum isa_type)c->type) / 8;
    for (uint32_t k = 0; k + each <= c->now.bytes; k += each) {
        struct wide b = {{0, 0}};
        uint8_t *host = cta->shared + c->now.shared + k;
        memcpy(&b, c->stage + k, each);
        log_remote_atomic(c->e->log, c->w, &reduction_of[c->op][c->type], 1, &host, &b, &b);
    }
}
// The optional checks hear of what the copy does to shared memory; `from` is where it reads if not
// where it writes.
static bool checked(const struct copy *c, uint32_t from) {
    const uint8_t kind = c->now.kind;
    if (kind == BULK_PREFETCH) return true;
    const bool is_own = c->now.blocks >> c->w->cta->rank & 1;
    const bool writes = (kind == BULK_LOAD || kind == BULK_SHARED) && is_own;
    const struct bulk_span s = {.read_at = kind == BULK_SHARED ? from : c->now.shared,
                                .write_at = c->now.shared,
                                .bytes = c->now.bytes,
                                .barrier = is_own ? c->now.barrier : BULK_NO_BARRIER,
                                .reads = kind != BULK_LOAD,
                                .writes = writes};
    return check_bulk(c->e, c->w, c->x, c->now.lane, &s);
}
static bool finish(struct copy *c) {
    struct exec_bulks *const b = c->all;
    if (!ROOM(b->copy, b->cap, b->n + 1)) return no_memory(c);
    b->copy[b->n++] = c->now;
    return true;
}
static bool start(struct exec_env *e) {
    if (!e->bulks) e->bulks = calloc(1, sizeof *e->bulks);
    if (!e->bulks) return false;
    e->bulks->n = e->bulks->n_rows = 0;
    e->access = (struct exec_access){.kind = ACCESS_BULK, .space = SPACE_GLOBAL, .bytes = 16};
    return true;
}
static enum exec_outcome no_start(struct exec_env *e, struct exec_warp *w, const struct xinst *x) {
    return fault_raise(e, w, x, FAULT_UNALLOCATED, 0, 0, 0,
                       "the host ran out of memory for a bulk copy");
}

// ---- blocks of bytes ------------------------------------------------------------------------
static bool block(struct copy *c, uint32_t lane) {
    const struct xinst *const x = c->x;
    const uint32_t *const pa = x_src(c->w, x->a) + lane, *const pb = x_src(c->w, x->b) + lane;
    const uint32_t way = x->sub & MBULK_WAY, size = x_src(c->w, x->c)[lane];
    const uint32_t bytes = x->sub & MBULK_PACKED ? (size & 0xffff) * CHUNK : size;
    const bool wide = x_minst(c->w, x)->src[1].words >= 2;
    const uint64_t far = pb[0] | (wide ? (uint64_t)pb[WARP_LANES] << 32 : 0);
    static const uint8_t kind[] = {[MBULK_S_G] = BULK_LOAD,
                                   [MBULK_G_S] = BULK_STORE,
                                   [MBULK_S_S] = BULK_SHARED,
                                   [MBULK_L2] = BULK_PREFETCH};
    const bool signals = way == MBULK_S_G || way == MBULK_S_S;
    const bool reduces = x->sub & MBULK_REDUCES;
    c->now = (struct exec_bulk){.kind = reduces && way == MBULK_G_S ? BULK_REDUCE : kind[way],
                                .lane = (uint8_t)lane,
                                .bytes = bytes,
                                .first = c->all->n_rows,
                                .barrier = BULK_NO_BARRIER};
    if (bytes % CHUNK != 0 || (way != MBULK_S_S && far % CHUNK != 0)) {
        fault_raise(c->e, c->w, x, FAULT_MISALIGNED, lane, far, bytes,
                    "bulk copy of %u bytes at 0x%llx: size and addresses must be multiples of 16",
                    bytes, (unsigned long long)far);
        return false;
    }
    if (way == MBULK_L2) return move_row(c, far, 0, bytes) && finish(c);
    uint32_t rank;
    c->now.blocks = 1u << c->w->cta->rank;
    if (signals) {
        if (!locate_both(c, pa[0], pa[WARP_LANES], x->sub & MBULK_MULTICAST, size >> 16))
            return false;
    } else if (!locate(c, pa[0], &rank, &c->now.shared)) {
        return false;
    }
    if (!in_shared(c, c->now.shared, bytes, CHUNK, "the shared block")) return false;
    if (signals && !in_shared(c, c->now.barrier, 8, 8, "the barrier")) return false;
    if (!make_stage(c, bytes)) return false;
    if (way == MBULK_S_S) {
        uint32_t from;
        if (!locate(c, (uint32_t)far, &rank, &from)) return false;
        if (!in_shared(c, from, bytes, CHUNK, "the source")) return false;
        memcpy(c->stage, c->w->cta->shared + from, bytes);
        if (reduces)
            reduce_shared(c);
        else
            into_shared(c);
        return checked(c, from) && finish(c);
    }
    if (way == MBULK_G_S) from_shared(c);
    if (!move_row(c, far, 0, bytes)) return false;
    if (way == MBULK_S_G) into_shared(c);
    return checked(c, 0) && finish(c);
}

// Lanes one after another, or one for all.
static uint32_t lanes_of(const struct xinst *x, uint32_t mask) {
    return x->sub & MBULK_ONCE ? mask & (0u - mask) : mask;
}
static enum exec_outcome copy_blocks(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     uint32_t mask) {
    if (!start(e)) return no_start(e, w, x);
    const uint32_t lanes = lanes_of(x, mask);
    e->access.mask = lanes;
    FOR_EACH_BIT32(i, lanes) {
        struct copy c = {
            .e = e, .w = w, .x = x, .all = e->bulks, .op = x_minst(w, x)->aux, .type = x->type};
        if (!block(&c, i)) return EXEC_FAULT;
    }
    return EXEC_MEMORY;
}

// ---- boxes of tensors -----------------------------------------------------------------------
// What a reduction of elements of a tensor works in.
static const uint8_t reduced_as[TENSOR_TYPE_N] = {
    [TENSOR_u8] = ITYPE_U8,       [TENSOR_u16] = ITYPE_U16,   [TENSOR_u32] = ITYPE_U32,
    [TENSOR_s32] = ITYPE_S32,     [TENSOR_u64] = ITYPE_U64,   [TENSOR_s64] = ITYPE_S64,
    [TENSOR_f16] = ITYPE_F16,     [TENSOR_f32] = ITYPE_F32,   [TENSOR_f32_ftz] = ITYPE_F32,
    [TENSOR_f64] = ITYPE_F64,     [TENSOR_bf16] = ITYPE_BF16, [TENSOR_tf32] = ITYPE_F32,
    [TENSOR_tf32_ftz] = ITYPE_F32};

// Offsets of im2col side by side in 16 bits: one, two of 8 bits or three of 5 (the code of ptxas 12.9).
static void split_offsets(uint32_t packed, uint32_t rank, uint32_t *off) {
    const uint32_t n = rank - 2, bits = n == 1 ? 16 : n == 2 ? 8 : 5;
    for (uint32_t i = 0; i < TENSOR_CORNERS; i++)
        off[i] = i < n ? packed >> (bits * i) & ((1u << bits) - 1) : 0;
}

static bool read_map(struct copy *c, uint32_t lane, struct tensor_map *m) {
    const struct xinst *const x = c->x;
    const uint32_t *const pc = x_src(c->w, x->c) + lane;
    const uint64_t at = pc[0] | (uint64_t)pc[WARP_LANES] << 32;
    uint32_t word[TENSOR_MAP_WORDS];
    if (!mem_read_lane(c->e, c->w, x, lane, at, sizeof word, word)) return false;
    const char *const wrong = tensor_map_read(word, m);
    const bool is_im2col = x->sub & MBULK_IM2COL;
    const uint32_t rank = x_minst(c->w, x)->aux;
    c->now.has_map = true;
    c->now.map = at;
    if (wrong || m->rank != rank || m->is_im2col != is_im2col) {
        fault_raise(c->e, c->w, x, FAULT_BAD_TEXTURE, lane, at, TENSOR_MAP_BYTES,
                    "the 128 bytes at 0x%llx are no map of a tensor of rank %u%s: %s",
                    (unsigned long long)at, rank, is_im2col ? " for im2col" : "",
                    wrong             ? wrong
                    : m->rank != rank ? "its rank is another"
                                      : "it is for the other mode");
        return false;
    }
    return true;
}

static bool box(struct copy *c, uint32_t lane) {
    const struct xinst *const x = c->x;
    const struct minst *const inst = x_minst(c->w, x);
    const enum exec_bulk_kind kind = x->op == OP_TMALDG   ? BULK_LOAD
                                     : x->op == OP_TMASTG ? BULK_STORE
                                     : x->op == OP_TMARED ? BULK_REDUCE
                                                          : BULK_PREFETCH;
    struct tensor_map m;
    c->now = (struct exec_bulk){.kind = (uint8_t)kind,
                                .lane = (uint8_t)lane,
                                .first = c->all->n_rows,
                                .barrier = BULK_NO_BARRIER};
    if (!read_map(c, lane, &m)) return false;
    // Words: where in shared memory, the barrier of a load, coordinates.
    uint32_t word[8] = {0};
    for (uint32_t k = 0; k < inst->src[0].words; k++)
        word[k] = x_src(c->w, x->a)[lane + k * WARP_LANES];
    for (uint32_t k = 0; inst->src[1].kind != OPND_NONE && k < inst->src[1].words; k++)
        word[4 + k] = x_src(c->w, x->b)[lane + k * WARP_LANES];
    const uint32_t skip = kind == BULK_LOAD ? 2 : kind == BULK_PREFETCH ? 0 : 1;
    int32_t at[TENSOR_RANK];
    for (uint32_t k = 0; k < m.rank; k++) at[k] = (int32_t)word[skip + k];
    uint32_t off[TENSOR_CORNERS];
    const bool has_e = inst->src[3].kind != OPND_NONE;
    split_offsets(has_e ? x_src(c->w, x->e)[lane] & 0xffff : 0, m.rank, off);
    c->swizzle = m.swizzle;
    c->op = inst->cop;
    c->type = kind == BULK_REDUCE ? reduced_as[m.type] : m.type;
    c->converts = kind == BULK_LOAD;
    const uint64_t bytes = tensor_map_box_bytes(&m);
    const uint32_t size = c->w->cta->shared_bytes;
    c->now.bytes = bytes > size && kind != BULK_PREFETCH ? UINT32_MAX : (uint32_t)bytes;
    if (kind != BULK_PREFETCH) {
        const uint32_t mask = has_e ? x_src(c->w, x->e)[lane] >> 16 : 0;
        uint32_t rank;
        c->now.blocks = 1u << c->w->cta->rank;
        if (kind == BULK_LOAD ? !locate_both(c, word[0], word[1], x->sub & MBULK_MULTICAST, mask)
                              : !locate(c, word[0], &rank, &c->now.shared))
            return false;
        // 128 bytes (PTX ISA 9.0, cp.async.bulk.tensor). A swizzle moves within whole spans.
        const uint64_t taken = m.swizzle ? bits_align_up(bytes, 16u << m.swizzle) : bytes;
        const uint32_t of_shared = taken > size ? UINT32_MAX : (uint32_t)taken;
        if (!in_shared(c, c->now.shared, of_shared, 128, "the box")) return false;
        if (kind == BULK_LOAD) {
            if (!in_shared(c, c->now.barrier, 8, 8, "the barrier")) return false;
        }
        if (!make_stage(c, c->now.bytes)) return false;
        if (kind != BULK_LOAD) from_shared(c);
    }
    const bool walked = m.is_im2col                    ? walk_im2col(c, &m, at, off)
                        : m.interleave != TENSOR_PLAIN ? walk_slices(c, &m, at)
                                                       : walk_tile(c, &m, at);
    if (!walked) return false;
    if (kind == BULK_LOAD) {
        bulk_convert(m.type, c->stage, c->now.bytes);
        into_shared(c);
    }
    return checked(c, 0) && finish(c);
}
static enum exec_outcome copy_boxes(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                    uint32_t mask) {
    if (!start(e)) return no_start(e, w, x);
    const uint32_t lanes = lanes_of(x, mask);
    e->access.mask = lanes;
    FOR_EACH_BIT32(i, lanes) {
        struct copy c = {.e = e, .w = w, .x = x, .all = e->bulks};
        if (!box(&c, i)) return EXEC_FAULT;
    }
    return EXEC_MEMORY;
}
// fence.proxy.async: takes time as a fence does.
static enum exec_outcome fence(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    (void)x;
    check_proxy_fence(w, mask);
    e->access = (struct exec_access){
        .space = SPACE_GLOBAL, .kind = ACCESS_FENCE, .cop = MFENCE_CTA, .mask = mask};
    return EXEC_MEMORY;
}
// Maps that the engine fetches, or forgets: it changes no byte.
static enum exec_outcome map_control(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     uint32_t mask) {
    if (!start(e)) return no_start(e, w, x);
    e->access.mask = mask;
    const uint32_t *const pa = x_src(w, x->a);
    uint64_t last = 0;
    FOR_EACH_BIT32(i, mask) {
        struct copy c = {.e = e, .w = w, .x = x, .all = e->bulks};
        const uint64_t at = x_get64(pa, i);
        if (at == last) continue;
        last = at;
        c.now = (struct exec_bulk){.map = at,
                                   .has_map = true,
                                   .kind = x->sub ? BULK_FORGET : BULK_PREFETCH,
                                   .lane = (uint8_t)i,
                                   .barrier = BULK_NO_BARRIER};
        if (!finish(&c)) return EXEC_FAULT;
    }
    return EXEC_MEMORY;
}

const exec_fn bulk_fns[] = {[BULK_BLOCK] = copy_blocks,
                            [BULK_TENSOR] = copy_boxes,
                            [BULK_FENCE] = fence,
                            [BULK_MAP] = map_control};
