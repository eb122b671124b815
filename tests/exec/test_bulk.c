// Boxes of tensors beside a model that knows nothing of rows: each element of a box by itself, from its
// place in the box to its coordinates, and from those to its address. Tiles and im2col, all types,
// ranks, layouts, swizzles, steps and fills, loads, stores and reductions, over random shapes.
#include "test_asm.h"

#include "exec/bulk.h"
#include "isa/tensor_map.h"

enum { SHARED = 65536, TENSOR_BYTES = 1 << 18, BARRIER = SHARED - 64, ROUNDS = 400 };
enum { COORDS_AT = 8, MAP_AT = 16, OFFSETS_AT = 20 };

struct scene {
    struct prog *p;
    uint64_t seed, map_at, tensor_at;
    uint8_t *tensor;     // in device memory
    uint8_t *was, *want; // copies of it
    uint8_t shared[SHARED];
};

static uint32_t below(struct scene *s, uint32_t n) { return (uint32_t)(rnd64(&s->seed) % n); }

static void scene_begin(struct scene *s, uint64_t seed) {
    s->seed = seed;
    s->p = prog_new();
    s->p->im.shared_bytes = SHARED;
    s->map_at = devmem_alloc(s->p->mem, 4096, 256, "map");
    s->tensor_at = devmem_alloc(s->p->mem, TENSOR_BYTES, 4096, "tensor");
    s->tensor = devmem_host(s->p->mem, s->tensor_at, TENSOR_BYTES);
    s->was = malloc(TENSOR_BYTES);
    s->want = malloc(TENSOR_BYTES);
    assert_non_null(s->was);
    assert_non_null(s->want);
}
static void scene_end(struct scene *s) {
    exec_bulks_destroy(s->p->env.bulks);
    prog_free(s->p);
    free(s->was);
    free(s->want);
}

static uint32_t slice_bytes(const struct tensor_map *m) { return 16u * m->interleave; }
// Strides of a tensor in slices of channels, with gaps; its bytes.
static uint64_t in_slices(struct scene *s, struct tensor_map *m) {
    const uint32_t last = m->rank - 1u, bytes = slice_bytes(m);
    uint64_t at = bytes;
    for (uint32_t i = 1; i < last; i++) {
        if (i > 1) m->stride[i] = at;
        at = at * m->dim[i] + bytes * below(s, 2);
    }
    m->stride[1] = at;
    const uint64_t slices = (m->dim[0] * m->stride[0] + bytes - 1) / bytes;
    m->stride[last] = at * slices + bytes * below(s, 2);
    return m->stride[last] * m->dim[last];
}

// A tensor that fits, with gaps between its rows, and a box of it that fits shared memory.
static struct tensor_map random_map(struct scene *s, bool im2col) {
    for (;;) {
        struct tensor_map m = {.address = s->tensor_at + 16 * below(s, 4),
                               .rank = (uint8_t)(im2col ? 3 + below(s, 3) : 1 + below(s, 5)),
                               .type = (uint8_t)below(s, TENSOR_TYPE_N),
                               .swizzle = (uint8_t)below(s, 4),
                               .is_im2col = im2col};
        const uint32_t size = tensor_type_bytes((enum tensor_type)m.type);
        m.nan_fill = tensor_type_is_float((enum tensor_type)m.type) && below(s, 2);
        if (m.rank >= 3 && !below(s, 3)) {
            m.interleave = (uint8_t)(1 + below(s, 2));
            m.address &= ~(uint64_t)31;
            if (m.interleave == TENSOR_SLICES_32) m.swizzle = TENSOR_SWIZZLE_32;
        }
        const uint32_t span = m.swizzle ? 16u << m.swizzle : 128;
        m.stride[0] = size;
        for (uint32_t i = 0; i < TENSOR_RANK; i++) m.dim[i] = m.box[i] = m.step[i] = 1;
        m.box[0] = m.interleave ? 1 + below(s, 40) : 16 / size * (1 + below(s, span / 16));
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < m.rank; i++) {
            m.dim[i] = 1 + below(s, i == 0 ? 90 : 12);
            if (i == 0) {
                bytes = bits_align_up(m.dim[0] * size, 16) + 16 * below(s, 2);
                continue;
            }
            m.stride[i] = bytes;
            bytes = bytes * m.dim[i] + 16 * below(s, 3);
            m.step[i] = below(s, 3) ? 1 : 1 + below(s, 4);
            if (!im2col) m.box[i] = 1 + below(s, 9);
        }
        if (m.rank == 1) bytes = m.dim[0] * size;
        if (m.interleave) bytes = in_slices(s, &m);
        if (im2col) {
            m.column = 1 + below(s, 60);
            m.step[m.rank - 1] = 1;
            bool fits = true;
            for (uint32_t i = 0; i < m.rank - 2u; i++) {
                m.lower[i] = (int32_t)below(s, 5) - 3;
                m.upper[i] = (int32_t)below(s, 5) - 3;
                fits &= (int64_t)m.dim[i + 1] + m.upper[i] > m.lower[i];
            }
            if (!fits) continue;
        }
        if (bytes + 64 <= TENSOR_BYTES && tensor_map_box_bytes(&m) + 2048 <= BARRIER) return m;
    }
}

// ---- the model ----------------------------------------------------------------------------------
static uint64_t model_nan(uint32_t type) {
    switch (type) {
    case TENSOR_f16:
    case TENSOR_bf16: return 0x7fff;
    case TENSOR_f64: return 0x7fffffffffffffff;
    default: return 0x7fffffff;
    }
}
static uint64_t model_loaded(uint32_t type, uint64_t v) {
    const bool flush = type == TENSOR_f32_ftz || type == TENSOR_tf32_ftz;
    if (flush && (v & 0x7f800000) == 0) v &= 0x80000000;
    if (type != TENSOR_tf32 && type != TENSOR_tf32_ftz) return v;
    if ((v & 0x7f800000) == 0x7f800000) return v;
    const uint64_t low = v & 0x1fff, kept = v - low;
    return low > 0x1000 || (low == 0x1000 && (kept & 0x2000)) ? kept + 0x2000 : kept;
}
// Where a byte of the box is in shared memory: chunks of 16 bytes change places within 32, 64 or 128
// bytes by the number of their line of 128.
static uint32_t model_place(uint32_t swizzle, uint32_t at) {
    const uint32_t chunks = swizzle == 0 ? 1 : swizzle == 1 ? 2 : swizzle == 2 ? 4 : 8;
    const uint32_t line = at / 128, chunk = at / 16 % 8, inner = chunk % chunks;
    return line * 128 + (chunk - inner + (inner ^ (line % chunks))) * 16 + at % 16;
}

struct element {
    bool is_inside;
    uint64_t addr;
};
// The k-th element of a tile.
static struct element of_tile(const struct tensor_map *m, const int32_t *at, uint64_t k) {
    struct element e = {.is_inside = true, .addr = m->address};
    for (uint32_t i = 0; i < m->rank; i++) {
        const uint64_t n = (m->box[i] + m->step[i] - 1) / m->step[i];
        const int64_t x = at[i] + (int64_t)(k % n * m->step[i]);
        k /= n;
        if (x < 0 || x >= (int64_t)m->dim[i]) e.is_inside = false;
        e.addr += (uint64_t)(x * (int64_t)m->stride[i]);
    }
    return e;
}
// The same of a tensor in slices, where `in_slice` is the element's place in a slice and `slice` counts
// those of the box.
static void into_slice(const struct tensor_map *m, const int32_t *at, uint64_t in_slice,
                       uint64_t slice, struct element *e) {
    const int64_t each = slice_bytes(m) / (int64_t)m->stride[0];
    const double first = (double)at[0] / (double)each;
    const int64_t number = (int64_t)(first < 0 ? first - 1 + 1e-9 : first) + (int64_t)slice;
    if (number < 0 || number * each >= (int64_t)m->dim[0]) e->is_inside = false;
    e->addr += (uint64_t)(number * (int64_t)m->stride[1]) + in_slice * m->stride[0];
}
static struct element of_slices(const struct tensor_map *m, const int32_t *at, uint64_t k) {
    struct element e = {.is_inside = true, .addr = m->address};
    const uint64_t each = slice_bytes(m) / m->stride[0], in_slice = k % each;
    const uint32_t last = m->rank - 1u;
    k /= each;
    for (uint32_t i = 1; i <= last; i++) {
        if (i == last) { // slices lie between pixels and images
            const uint64_t slices = (m->box[0] + each - 1) / each;
            into_slice(m, at, in_slice, k % slices, &e);
            k /= slices;
        }
        const uint64_t n = (m->box[i] + m->step[i] - 1) / m->step[i];
        const int64_t x = at[i] + (int64_t)(k % n * m->step[i]);
        k /= n;
        if (x < 0 || x >= (int64_t)m->dim[i]) e.is_inside = false;
        e.addr += (uint64_t)(x * (int64_t)(i == 1 ? slice_bytes(m) : m->stride[i]));
    }
    return e;
}
// Positions of a bounding box are numbered; the column takes the numbers that follow its first one's.
static struct element of_column(const struct tensor_map *m, const int32_t *at, const uint32_t *off,
                                uint64_t k) {
    const uint32_t images = m->rank - 1u,
                   row = m->interleave ? slice_bytes(m) / (uint32_t)m->stride[0] : m->box[0];
    const int64_t channel = at[0] + (int64_t)(k % row);
    const uint64_t pixel = k / row;
    int64_t count[TENSOR_RANK], number = at[images];
    for (uint32_t i = images - 1; i >= 1; i--) {
        const int64_t length = (int64_t)m->dim[i] + m->upper[i - 1] - m->lower[i - 1];
        count[i] = (length + m->step[i] - 1) / m->step[i];
        number = number * count[i] + (at[i] - m->lower[i - 1]) / (int64_t)m->step[i];
    }
    number += (int64_t)(m->interleave ? pixel % m->column : pixel);
    struct element e = {.is_inside = true, .addr = m->address};
    if (m->interleave) {
        into_slice(m, at, k % row, pixel / m->column, &e);
    } else {
        e.is_inside = channel >= 0 && channel < (int64_t)m->dim[0];
        e.addr += (uint64_t)(channel * (int64_t)m->stride[0]);
    }
    for (uint32_t i = 1; i < images; i++) {
        const int64_t x =
            m->lower[i - 1] + number % count[i] * (int64_t)m->step[i] + (int64_t)off[i - 1];
        number /= count[i];
        if (x < 0 || x >= (int64_t)m->dim[i]) e.is_inside = false;
        e.addr +=
            (uint64_t)(x * (int64_t)(i == 1 && m->interleave ? slice_bytes(m) : m->stride[i]));
    }
    if (number < 0 || number >= (int64_t)m->dim[images]) e.is_inside = false;
    e.addr += (uint64_t)(number * (int64_t)m->stride[images]);
    return e;
}

// ---- one copy -----------------------------------------------------------------------------------
struct move {
    struct tensor_map m;
    int32_t at[TENSOR_RANK];
    uint32_t off[TENSOR_CORNERS], shared;
    enum mop op;
    uint8_t reduction;
};
static uint64_t elements(const struct move *v) {
    return tensor_map_box_bytes(&v->m) / v->m.stride[0];
}
static struct element element_of(const struct move *v, uint64_t k) {
    return v->m.is_im2col    ? of_column(&v->m, v->at, v->off, k)
           : v->m.interleave ? of_slices(&v->m, v->at, k)
                             : of_tile(&v->m, v->at, k);
}

static struct move random_move(struct scene *s, bool im2col, enum mop op) {
    struct move v = {.m = random_map(s, im2col), .op = op};
    const uint32_t last = v.m.rank - 1u;
    for (uint32_t i = 0; i <= last; i++) v.at[i] = (int32_t)below(s, (uint32_t)v.m.dim[i] + 8) - 4;
    for (uint32_t i = 1; im2col && i < last; i++) {
        const int32_t length = (int32_t)v.m.dim[i] + v.m.upper[i - 1] - v.m.lower[i - 1];
        const uint32_t n = ((uint32_t)length + v.m.step[i] - 1) / v.m.step[i];
        v.at[i] = v.m.lower[i - 1] + (int32_t)(below(s, n) * v.m.step[i]);
        v.off[i - 1] = op == OP_TMALDG ? below(s, 4) : 0;
    }
    if (im2col) v.at[last] = (int32_t)below(s, (uint32_t)v.m.dim[last]);
    v.shared = 1024 * below(s, 1 + (BARRIER - 2048 - (uint32_t)tensor_map_box_bytes(&v.m)) / 1024) +
               (v.m.swizzle ? 0 : 128 * below(s, 4));
    return v;
}

// Executes it with lane 3.
static void execute(struct scene *s, const struct move *v) {
    struct prog *const p = s->p;
    struct exec_bulks *const bulks = p->env.bulks;
    prog_clear(p);
    struct minst *const m =
        emit(p, v->op, ITYPE_B32, NONE_, RQ(COORDS_AT), RQ(COORDS_AT + 4), RD(MAP_AT));
    m->src[3] = R(OFFSETS_AT);
    m->space = SPACE_GENERIC;
    m->vec = 1;
    m->aux = v->m.rank;
    m->sub = v->m.is_im2col ? MBULK_IM2COL : 0;
    m->cop = v->reduction;
    emit_exit(p);
    prog_start(p);
    p->env.bulks = bulks;
    memcpy(p->cta.shared, s->shared, SHARED);
    tensor_map_write(&v->m, (uint32_t *)(void *)devmem_host(p->mem, s->map_at, TENSOR_MAP_BYTES));
    uint32_t word[8] = {v->shared, BARRIER}, n = v->op == OP_TMALDG ? 2 : 1;
    for (uint32_t i = 0; i < v->m.rank; i++) word[n++] = (uint32_t)v->at[i];
    for (uint32_t k = 0; k < 8; k++) reg(p, COORDS_AT + k)[3] = word[k];
    set64(p, MAP_AT, 3, s->map_at);
    const uint32_t bits = v->m.rank == 3 ? 16 : v->m.rank == 4 ? 8 : 5;
    uint32_t packed = 0;
    for (uint32_t i = 0; i + 2 < v->m.rank; i++) packed |= v->off[i] << bits * i;
    reg(p, OFFSETS_AT)[3] = packed;
    warp0(p)->active = 8;
    const enum exec_outcome o = exec_step(&p->env, warp0(p));
    if (o != EXEC_MEMORY) print_error("%s\n", p->env.fault.text);
    assert_int_equal(o, EXEC_MEMORY);
    assert_int_equal(p->env.access.kind, ACCESS_BULK);
    assert_int_equal(p->env.bulks->n, 1);
    assert_int_equal(p->env.bulks->copy[0].bytes, tensor_map_box_bytes(&v->m));
    assert_int_equal(p->env.bulks->copy[0].barrier,
                     v->op == OP_TMALDG ? (uint32_t)BARRIER : BULK_NO_BARRIER);
}

static void fill_all(struct scene *s) {
    for (uint32_t i = 0; i < TENSOR_BYTES; i++) s->tensor[i] = (uint8_t)rnd64(&s->seed);
    for (uint32_t i = 0; i < SHARED; i++) s->shared[i] = (uint8_t)rnd64(&s->seed);
    memcpy(s->was, s->tensor, TENSOR_BYTES);
    memcpy(s->want, s->tensor, TENSOR_BYTES);
}

// Rows that timing is told hold each byte that is inside once, and no other.
static void check_rows(struct scene *s, const struct move *v) {
    const struct exec_bulks *const b = s->p->env.bulks;
    uint64_t told = 0, inside = 0;
    for (uint32_t r = 0; r < b->n_rows; r++) told += b->row[r].bytes;
    for (uint64_t k = 0; k < elements(v); k++) inside += element_of(v, k).is_inside;
    assert_int_equal(told, inside * v->m.stride[0]);
}

static void loads(struct scene *s, bool im2col) {
    for (uint32_t n = 0; n < ROUNDS; n++) {
        const struct move v = random_move(s, im2col, OP_TMALDG);
        const uint32_t size = (uint32_t)v.m.stride[0];
        fill_all(s);
        execute(s, &v);
        for (uint64_t k = 0; k < elements(&v); k++) {
            const struct element e = element_of(&v, k);
            uint64_t value = v.m.nan_fill ? model_nan(v.m.type) : 0;
            if (e.is_inside) {
                value = 0;
                memcpy(&value, s->was + (e.addr - s->tensor_at), size);
                value = model_loaded(v.m.type, value);
            }
            memcpy(s->shared + model_place(v.m.swizzle, v.shared + (uint32_t)k * size), &value,
                   size);
        }
        assert_memory_equal(s->p->cta.shared, s->shared, SHARED);
        check_rows(s, &v);
    }
}
static void stores(struct scene *s, bool im2col) {
    for (uint32_t n = 0; n < ROUNDS; n++) {
        const struct move v = random_move(s, im2col, OP_TMASTG);
        const uint32_t size = (uint32_t)v.m.stride[0];
        fill_all(s);
        execute(s, &v);
        for (uint64_t k = 0; k < elements(&v); k++) {
            const struct element e = element_of(&v, k);
            if (e.is_inside)
                memcpy(s->want + (e.addr - s->tensor_at),
                       s->shared + model_place(v.m.swizzle, v.shared + (uint32_t)k * size), size);
        }
        assert_memory_equal(s->tensor, s->want, TENSOR_BYTES);
        check_rows(s, &v);
    }
}

static void tiles_are_loaded(void **state) {
    (void)state;
    static struct scene s;
    scene_begin(&s, 0x1234567);
    loads(&s, false);
    scene_end(&s);
}
static void columns_are_loaded(void **state) {
    (void)state;
    static struct scene s;
    scene_begin(&s, 0x7654321);
    loads(&s, true);
    scene_end(&s);
}
static void tiles_are_stored(void **state) {
    (void)state;
    static struct scene s;
    scene_begin(&s, 0x2468ace);
    stores(&s, false);
    scene_end(&s);
}
static void columns_are_stored(void **state) {
    (void)state;
    static struct scene s;
    scene_begin(&s, 0x13579bd);
    stores(&s, true);
    scene_end(&s);
}

// Reductions of words, whose results are computed here by themselves.
static uint32_t reduced(uint8_t op, bool is_signed, uint32_t old, uint32_t b) {
    const bool less = is_signed ? (int32_t)b < (int32_t)old : b < old;
    switch (op) {
    case MATOM_ADD: return old + b;
    case MATOM_MIN: return less ? b : old;
    case MATOM_MAX: return less ? old : b;
    case MATOM_INC: return old >= b ? 0 : old + 1;
    case MATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case MATOM_AND: return old & b;
    case MATOM_OR: return old | b;
    default: return old ^ b;
    }
}
static void tiles_are_reduced(void **state) {
    (void)state;
    static struct scene s;
    scene_begin(&s, 0xfeedbee);
    for (uint32_t n = 0; n < ROUNDS; n++) {
        struct move v = random_move(&s, false, OP_TMARED);
        if (v.m.type != TENSOR_u32 && v.m.type != TENSOR_s32) continue;
        static const uint8_t ops[] = {MATOM_ADD, MATOM_MIN, MATOM_MAX, MATOM_INC,
                                      MATOM_DEC, MATOM_AND, MATOM_OR,  MATOM_XOR};
        v.reduction = ops[below(&s, WW_COUNT(ops))];
        fill_all(&s);
        execute(&s, &v);
        for (uint64_t k = 0; k < elements(&v); k++) {
            const struct element e = element_of(&v, k);
            if (!e.is_inside) continue;
            uint32_t old, b;
            memcpy(&old, s.want + (e.addr - s.tensor_at), 4);
            memcpy(&b, s.shared + model_place(v.m.swizzle, v.shared + (uint32_t)k * 4), 4);
            old = reduced(v.reduction, v.m.type == TENSOR_s32, old, b);
            memcpy(s.want + (e.addr - s.tensor_at), &old, 4);
        }
        assert_memory_equal(s.tensor, s.want, TENSOR_BYTES);
    }
    scene_end(&s);
}

// A map is read as it was written, and any 128 bytes are read or refused.
static void maps_come_back(void **state) {
    (void)state;
    static struct scene s;
    scene_begin(&s, 0xabcdef);
    for (uint32_t n = 0; n < 4 * ROUNDS; n++) {
        const struct tensor_map m = random_map(&s, n & 1);
        uint32_t word[TENSOR_MAP_WORDS];
        struct tensor_map back;
        tensor_map_write(&m, word);
        assert_null(tensor_map_read(word, &back));
        assert_int_equal(back.address, m.address);
        assert_int_equal(back.rank, m.rank);
        assert_int_equal(back.type, m.type);
        assert_int_equal(back.swizzle, m.swizzle);
        assert_int_equal(back.interleave, m.interleave);
        assert_int_equal(back.nan_fill, m.nan_fill);
        assert_int_equal(back.is_im2col, m.is_im2col);
        assert_memory_equal(back.dim, m.dim, sizeof m.dim);
        assert_memory_equal(back.stride, m.stride, sizeof m.stride);
        assert_memory_equal(back.box, m.box, sizeof m.box);
        assert_memory_equal(back.step, m.step, sizeof m.step);
        assert_memory_equal(back.lower, m.lower, sizeof m.lower);
        assert_memory_equal(back.upper, m.upper, sizeof m.upper);
        assert_int_equal(back.column, m.column);
        for (uint32_t k = 0; k < TENSOR_MAP_WORDS; k++) word[k] = (uint32_t)rnd64(&s.seed);
        tensor_map_read(word, &back);
    }
    scene_end(&s);
}

// Whatever 128 bytes a program has for a map, a copy ends with its bytes moved or with a fault, and
// shared memory behind the block's stays as it is: the test's sanitizer sees what does not.
static void any_map_is_safe(void **state) {
    (void)state;
    static struct scene s;
    scene_begin(&s, 0x5eed);
    uint32_t moved = 0, refused = 0;
    for (uint32_t n = 0; n < 8 * ROUNDS; n++) {
        struct prog *const p = s.p;
        static const enum mop ops[] = {OP_TMALDG, OP_TMASTG, OP_TMARED, OP_TMAPF};
        const enum mop op = ops[below(&s, 4)];
        struct move v = random_move(&s, below(&s, 2), OP_TMALDG);
        uint32_t word[TENSOR_MAP_WORDS];
        tensor_map_write(&v.m, word);
        // some bits fall over, anywhere but in the address
        for (uint32_t k = below(&s, 60); k > 0; k--) word[2 + below(&s, 17)] ^= 1u << below(&s, 32);
        prog_clear(p);
        struct minst *const m =
            emit(p, op, ITYPE_B32, NONE_, RQ(COORDS_AT), RQ(COORDS_AT + 4), RD(MAP_AT));
        m->src[3] = R(OFFSETS_AT);
        m->space = SPACE_GENERIC;
        m->vec = 1;
        m->aux = (uint16_t)((word[2] >> 4 & 7) + 1);
        m->sub = word[2] >> 24 & 1 ? MBULK_IM2COL : 0;
        m->cop = MATOM_ADD;
        emit_exit(p);
        prog_start(p);
        memcpy(devmem_host(p->mem, s.map_at, sizeof word), word, sizeof word);
        for (uint32_t k = 0; k < 8; k++)
            reg(p, COORDS_AT + k)[3] = below(&s, 4) ? below(&s, 16) : (uint32_t)rnd64(&s.seed);
        if (op != OP_TMAPF) reg(p, COORDS_AT)[3] = 128 * below(&s, SHARED / 128);
        if (op == OP_TMALDG) reg(p, COORDS_AT + 1)[3] = BARRIER;
        reg(p, OFFSETS_AT)[3] = (uint32_t)rnd64(&s.seed) & 0xffff;
        set64(p, MAP_AT, 3, s.map_at);
        warp0(p)->active = 8;
        const enum exec_outcome o = exec_step(&p->env, warp0(p));
        if (o == EXEC_FAULT) assert_true(p->env.fault.text[0] != 0);
        *(o == EXEC_FAULT ? &refused : &moved) += 1;
        exec_bulks_destroy(p->env.bulks);
        p->env.bulks = NULL;
    }
    assert_true(moved > ROUNDS && refused > ROUNDS); // both are seen
    scene_end(&s);
}

// What is no map, lies elsewhere or is too large is a fault with a sentence of its own.
static void faults(void **state) {
    (void)state;
    static struct scene s;
    scene_begin(&s, 99);
    struct {
        uint32_t rank_asked, shared, box;
        const char *says;
    } row[] = {{3, 0, 16, "its rank is another"},
               {2, 64, 16, "not a multiple of 128"},
               {2, SHARED - 128, 64, "shared memory"},
               {2, 0, 16, "no live allocation"}};
    for (uint32_t n = 0; n < WW_COUNT(row); n++) {
        struct prog *const p = s.p;
        struct tensor_map m = {.address = n == 3 ? 0x10 : s.tensor_at,
                               .rank = 2,
                               .type = TENSOR_u32,
                               .dim = {64, 64, 1, 1, 1},
                               .stride = {4, 256},
                               .box = {row[n].box, 4, 1, 1, 1},
                               .step = {1, 1, 1, 1, 1}};
        prog_clear(p);
        struct minst *const i =
            emit(p, OP_TMALDG, ITYPE_B32, NONE_, RQ(COORDS_AT), RQ(COORDS_AT + 4), RD(MAP_AT));
        i->space = SPACE_GENERIC;
        i->vec = 1;
        i->aux = (uint16_t)row[n].rank_asked;
        emit_exit(p);
        prog_start(p);
        tensor_map_write(&m, (uint32_t *)(void *)devmem_host(p->mem, s.map_at, TENSOR_MAP_BYTES));
        reg(p, COORDS_AT)[0] = row[n].shared;
        reg(p, COORDS_AT + 1)[0] = BARRIER;
        set64(p, MAP_AT, 0, s.map_at);
        warp0(p)->active = 1;
        assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_FAULT);
        assert_non_null(strstr(p->env.fault.text, row[n].says));
        exec_bulks_destroy(p->env.bulks);
        p->env.bulks = NULL;
    }
    scene_end(&s);
}

// A swizzle exchanges pieces of a whole span, which has to lie in shared memory.
static void spans_are_whole(void **state) {
    (void)state;
    enum { AT = 9 * 128 };
    for (uint32_t bytes = 16; bytes <= 128; bytes += 16) {
        struct scene s;
        scene_begin(&s, 7);
        struct prog *const p = s.p;
        p->im.shared_bytes = AT + bytes;
        const struct tensor_map m = {.address = s.tensor_at,
                                     .rank = 1,
                                     .type = TENSOR_u32,
                                     .swizzle = TENSOR_SWIZZLE_64,
                                     .dim = {64, 1, 1, 1, 1},
                                     .stride = {4},
                                     .box = {4, 1, 1, 1, 1},
                                     .step = {1, 1, 1, 1, 1}};
        prog_clear(p);
        struct minst *const i =
            emit(p, OP_TMALDG, ITYPE_B32, NONE_, RQ(COORDS_AT), RQ(COORDS_AT + 4), RD(MAP_AT));
        i->space = SPACE_GENERIC;
        i->vec = 1;
        i->aux = 1;
        emit_exit(p);
        prog_start(p);
        tensor_map_write(&m, (uint32_t *)(void *)devmem_host(p->mem, s.map_at, TENSOR_MAP_BYTES));
        reg(p, COORDS_AT)[0] = AT;
        set64(p, MAP_AT, 0, s.map_at);
        warp0(p)->active = 1;
        assert_int_equal(exec_step(&p->env, warp0(p)), bytes < 64 ? EXEC_FAULT : EXEC_MEMORY);
        scene_end(&s);
    }
}

// The race check: what a thread has stored a bulk copy reads behind a fence.proxy.async only.
static enum exec_outcome stored_then_copied(bool is_fenced, char *text, size_t size) {
    struct prog *const p = prog_new();
    p->args.options.check_races = true;
    p->im.shared_bytes = 256;
    const uint64_t to = devmem_alloc(p->mem, 4096, 256, "to");
    struct minst *m = emit(p, OP_ST, ITYPE_U32, NONE_, R(6), R(7), NONE_);
    m->space = SPACE_SHARED;
    m->vec = 1;
    if (is_fenced) emit(p, OP_VIEWFENCE, ITYPE_NONE, NONE_, NONE_, NONE_, NONE_);
    emit(p, OP_WARPSYNC, ITYPE_U32, NONE_, I(15), NONE_, NONE_);
    m = emit(p, OP_BULKCP, ITYPE_B32, NONE_, RD(8), RD(10), R(12));
    m->space = SPACE_GENERIC;
    m->vec = 1;
    m->sub = MBULK_G_S;
    emit_exit(p);
    prog_start(p);
    for (uint32_t i = 0; i < 32; i++) {
        reg(p, 6)[i] = 4 * i;
        reg(p, 7)[i] = 100 + i;
        set64(p, 8, i, 0);
        set64(p, 10, i, to);
        reg(p, 12)[i] = 16;
    }
    warp0(p)->active = 15; // the four words that are copied
    for (int k = is_fenced; k >= 0; k--)
        assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
    assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_NEXT);
    warp0(p)->active = 1;
    const enum exec_outcome o = exec_step(&p->env, warp0(p));
    snprintf(text, size, "%s", p->env.fault.text);
    if (o == EXEC_MEMORY) {
        const uint32_t *const got = (const uint32_t *)(const void *)devmem_host(p->mem, to, 16);
        for (uint32_t i = 0; i < 4; i++) assert_int_equal(got[i], 100 + i);
    }
    exec_bulks_destroy(p->env.bulks);
    prog_free(p);
    return o;
}
static void fences_between_proxies(void **state) {
    (void)state;
    char text[512];
    assert_int_equal(stored_then_copied(true, text, sizeof text), EXEC_MEMORY);
    assert_int_equal(stored_then_copied(false, text, sizeof text), EXEC_FAULT);
    assert_non_null(strstr(text, "with no fence.proxy.async between"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_loaded),  cmocka_unit_test(columns_are_loaded),
        cmocka_unit_test(tiles_are_stored),  cmocka_unit_test(columns_are_stored),
        cmocka_unit_test(tiles_are_reduced), cmocka_unit_test(maps_come_back),
        cmocka_unit_test(any_map_is_safe),   cmocka_unit_test(faults),
        cmocka_unit_test(spans_are_whole),   cmocka_unit_test(fences_between_proxies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
