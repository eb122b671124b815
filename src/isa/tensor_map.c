// Reading and writing maps of tensors (tensor_map.h).
#include "isa/tensor_map.h"

// The word that holds a field, its lowest bit and its number of bits.
struct place {
    uint8_t word, at, bits;
};
static const struct place rank_at = {2, 4, 3}, type_at = {2, 7, 4}, type_more_at = {2, 16, 1},
                          interleave_at = {2, 11, 2}, swizzle_at = {2, 13, 2}, nan_at = {2, 15, 1},
                          im2col_at = {2, 24, 1}, promotion_at = {2, 25, 2},
                          column_at = {18, 0, 11};
enum {
    STRIDE_WORD = 3,
    STRIDE_HIGH_WORD = 7,
    DIM_WORD = 8,
    STEP_WORD = 13,
    BOX_WORD = 14,
    CORNER_WORD = 15,
    // Types of tf32 have bit 16 and the numbers of f32 and f32_ftz.
    TYPE_MORE = TENSOR_tf32 - TENSOR_f32
};

static uint32_t get(const uint32_t *word, struct place p) {
    return word[p.word] >> p.at & ((1u << p.bits) - 1);
}
static void set(uint32_t *word, struct place p, uint32_t value) {
    const uint32_t mask = ((1u << p.bits) - 1) << p.at;
    word[p.word] = (word[p.word] & ~mask) | (value << p.at & mask);
}
// Places of arrays.
static struct place stride_high(uint32_t i) {
    return (struct place){STRIDE_HIGH_WORD, (uint8_t)(4 * (i - 1)), 4};
}
static struct place step_of(uint32_t i) { return (struct place){STEP_WORD, (uint8_t)(3 * i), 3}; }
static struct place box_of(uint32_t i) {
    return i == 0 ? (struct place){STEP_WORD, 24, 8}
                  : (struct place){BOX_WORD, (uint8_t)(8 * (i - 1)), 8};
}
static struct place corner_of(uint32_t i, bool is_upper) {
    const uint32_t n = i + (is_upper ? TENSOR_CORNERS : 0);
    return (struct place){(uint8_t)(CORNER_WORD + n / 2), (uint8_t)(16 * (n % 2)), 16};
}

void tensor_map_write(const struct tensor_map *m, uint32_t word[TENSOR_MAP_WORDS]) {
    memset(word, 0, TENSOR_MAP_BYTES);
    word[0] = (uint32_t)m->address;
    word[1] = (uint32_t)(m->address >> 32);
    const bool more = m->type >= TENSOR_tf32;
    set(word, rank_at, m->rank - 1u);
    set(word, type_at, more ? m->type - (uint32_t)TYPE_MORE : m->type);
    set(word, type_more_at, more);
    set(word, interleave_at, m->interleave);
    set(word, swizzle_at, m->swizzle);
    set(word, nan_at, m->nan_fill);
    set(word, im2col_at, m->is_im2col);
    set(word, promotion_at, m->promotion);
    for (uint32_t i = 0; i < m->rank; i++) {
        if (i != 0) {
            word[STRIDE_WORD + i - 1] = (uint32_t)(m->stride[i] >> 4);
            set(word, stride_high(i), (uint32_t)(m->stride[i] >> 36));
        }
        word[DIM_WORD + i] = (uint32_t)(m->dim[i] - 1);
        set(word, step_of(i), m->step[i] - 1);
        set(word, box_of(i), m->box[i] - 1);
    }
    if (!m->is_im2col) return;
    for (uint32_t i = 0; i < TENSOR_CORNERS; i++) {
        set(word, corner_of(i, false), (uint32_t)m->lower[i]);
        set(word, corner_of(i, true), (uint32_t)m->upper[i]);
    }
    set(word, column_at, m->column);
}

const char *tensor_map_read(const uint32_t word[TENSOR_MAP_WORDS], struct tensor_map *m) {
    const uint32_t rank = get(word, rank_at) + 1, type = get(word, type_at);
    const bool more = get(word, type_more_at);
    *m = (struct tensor_map){.address = word[0] | (uint64_t)word[1] << 32,
                             .rank = (uint8_t)rank,
                             .type = (uint8_t)(more ? type + TYPE_MORE : type),
                             .interleave = (uint8_t)get(word, interleave_at),
                             .swizzle = (uint8_t)get(word, swizzle_at),
                             .nan_fill = get(word, nan_at),
                             .is_im2col = get(word, im2col_at),
                             .promotion = (uint8_t)get(word, promotion_at),
                             .column = get(word, column_at)};
    if (rank > TENSOR_RANK) return "its rank is above 5";
    if (m->type >= TENSOR_TYPE_N) return "it has no such element type";
    if (m->interleave > TENSOR_SLICES_32) return "it has no such interleave layout";
    if (m->address % (m->interleave == TENSOR_SLICES_32 ? 32 : 16) != 0)
        return "its global address is not aligned to 16 bytes, or to 32 with slices of 32";
    if (m->is_im2col && (rank < 3 || m->column == 0 || m->column > TENSOR_COLUMN))
        return "it is no whole map of im2col";
    if (m->interleave != TENSOR_PLAIN && rank < 3) return "slices need a rank of 3 or more";
    m->stride[0] = tensor_type_bytes((enum tensor_type)m->type);
    for (uint32_t i = 0; i < TENSOR_RANK; i++) {
        m->dim[i] = m->box[i] = m->step[i] = 1;
        if (i >= rank) continue;
        if (i != 0)
            m->stride[i] = ((uint64_t)get(word, stride_high(i)) << 32 | word[STRIDE_WORD + i - 1])
                           << 4;
        m->dim[i] = (uint64_t)word[DIM_WORD + i] + 1;
        m->box[i] = get(word, box_of(i)) + 1;
        // Dimension 0 of a plain tensor is never stepped over (the driver API ignores its stride).
        if (i != 0 || m->interleave != TENSOR_PLAIN) m->step[i] = get(word, step_of(i)) + 1;
    }
    for (uint32_t i = 0; m->is_im2col && i < TENSOR_CORNERS; i++) {
        m->lower[i] = (int16_t)get(word, corner_of(i, false));
        m->upper[i] = (int16_t)get(word, corner_of(i, true));
    }
    return NULL;
}

uint64_t tensor_map_box_bytes(const struct tensor_map *m) {
    // Slices are copied whole.
    const uint64_t slice = m->interleave == TENSOR_PLAIN       ? 1
                           : m->interleave == TENSOR_SLICES_16 ? 16 / m->stride[0]
                                                               : 32 / m->stride[0];
    uint64_t n = bits_align_up(tensor_count(m, 0), slice) * m->stride[0];
    if (m->is_im2col) return n * m->column;
    for (uint32_t i = 1; i < m->rank; i++) n *= tensor_count(m, i);
    return n;
}
