// Maps of tensors: what a kernel's copies of boxes go by (isa/tensor_map.h has the 128 bytes).
//
// Rules are those that the driver API documents of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col
// (CUDA 12.9): what breaks one is CUDA_ERROR_INVALID_VALUE.
#include "driver/driver.h"
#include "isa/tensor_map.h"

static_assert(sizeof(CUtensorMap) == TENSOR_MAP_BYTES, "the whole object");

enum { MAP_ALIGN = 64, STRIDE_UNIT = 16, SLICE_32 = 32 };
#define MOST_ELEMENTS (1ull << 32)
#define MOST_STRIDE   (1ull << 40)

// The type's number in a map.
static const uint8_t type_of[] = {
    [CU_TENSOR_MAP_DATA_TYPE_UINT8] = TENSOR_u8,
    [CU_TENSOR_MAP_DATA_TYPE_UINT16] = TENSOR_u16,
    [CU_TENSOR_MAP_DATA_TYPE_UINT32] = TENSOR_u32,
    [CU_TENSOR_MAP_DATA_TYPE_INT32] = TENSOR_s32,
    [CU_TENSOR_MAP_DATA_TYPE_UINT64] = TENSOR_u64,
    [CU_TENSOR_MAP_DATA_TYPE_INT64] = TENSOR_s64,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = TENSOR_f16,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = TENSOR_f32,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = TENSOR_f64,
    [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = TENSOR_bf16,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = TENSOR_f32_ftz,
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = TENSOR_tf32,
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = TENSOR_tf32_ftz,
};

// What both kinds of maps have.
struct common {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void *address;
    const cuuint64_t *dim, *stride;
    const cuuint32_t *step;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};

static bool is_aligned(const void *p, uint64_t to) { return (uint64_t)(uintptr_t)p % to == 0; }

static bool take_common(struct tensor_map *m, const struct common *c) {
    if ((unsigned)c->type >= WW_COUNT(type_of) ||
        (unsigned)c->interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
        (unsigned)c->swizzle > CU_TENSOR_MAP_SWIZZLE_128B ||
        (unsigned)c->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        (unsigned)c->fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return false;
    const bool is_plain = c->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE;
    const bool is_wide = c->interleave == CU_TENSOR_MAP_INTERLEAVE_32B;
    const uint64_t unit = is_wide ? SLICE_32 : STRIDE_UNIT;
    if (c->rank == 0 || c->rank > TENSOR_RANK || (!is_plain && c->rank < 3)) return false;
    if (!c->dim || !c->step || (c->rank > 1 && !c->stride)) return false;
    if (!is_aligned(c->address, unit)) return false;
    if (is_wide && c->swizzle != CU_TENSOR_MAP_SWIZZLE_32B) return false;
    const enum tensor_type type = (enum tensor_type)type_of[c->type];
    if (c->fill && !tensor_type_is_float(type)) return false;
    *m = (struct tensor_map){.address = (uint64_t)(uintptr_t)c->address,
                             .rank = (uint8_t)c->rank,
                             .type = (uint8_t)type,
                             .interleave = (uint8_t)c->interleave,
                             .swizzle = (uint8_t)c->swizzle,
                             .promotion = (uint8_t)c->promotion,
                             .nan_fill = c->fill};
    m->stride[0] = tensor_type_bytes(type);
    for (uint32_t i = 0; i < c->rank; i++) {
        if (c->dim[i] == 0 || c->dim[i] > MOST_ELEMENTS) return false;
        if (c->step[i] == 0 || c->step[i] > TENSOR_STEP) return false;
        m->dim[i] = c->dim[i];
        m->step[i] = i == 0 && is_plain ? 1 : c->step[i];
        if (i + 1 == c->rank) break;
        const uint64_t stride = c->stride[i];
        if (stride % unit != 0 || stride >= MOST_STRIDE) return false;
        m->stride[i + 1] = stride;
    }
    return true;
}

// The inner dimension of a box must be whole units of 16 bytes, and no longer than what is swizzled.
static bool row_fits(const struct tensor_map *m, uint32_t elements) {
    const uint64_t bytes = elements * m->stride[0];
    if (m->interleave != TENSOR_PLAIN) return true;
    if (bytes % STRIDE_UNIT != 0) return false;
    return m->swizzle == TENSOR_SWIZZLE_NONE || bytes <= 16ull << m->swizzle;
}

static CUresult write_map(CUtensorMap *out, const struct tensor_map *m) {
    if (!out || !is_aligned(out, MAP_ALIGN)) return CUDA_ERROR_INVALID_VALUE;
    uint32_t word[TENSOR_MAP_WORDS];
    tensor_map_write(m, word);
    memcpy(out, word, sizeof word);
    return CUDA_SUCCESS;
}
static bool has_maps(void) {
    enum { HOPPER = 9 };
    return gpu_config_count(driver_get()->config, "cc_major") >= HOPPER;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *dim, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!has_maps()) DRIVER_LEAVE(CUDA_ERROR_NOT_SUPPORTED);
    struct tensor_map m;
    const struct common c = {type, rank,       address, dim,       stride,
                             step, interleave, swizzle, promotion, fill};
    if (!box || !take_common(&m, &c)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (uint32_t i = 0; i < rank; i++) {
        if (box[i] == 0 || box[i] > TENSOR_BOX) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        m.box[i] = box[i];
    }
    if (!row_fits(&m, m.box[0])) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(write_map(out, &m));
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *dim, const cuuint64_t *stride,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *step,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!has_maps()) DRIVER_LEAVE(CUDA_ERROR_NOT_SUPPORTED);
    struct tensor_map m;
    const struct common c = {type, rank,       address, dim,       stride,
                             step, interleave, swizzle, promotion, fill};
    if (!lower || !upper || !take_common(&m, &c)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (rank < 3 || channels == 0 || channels > TENSOR_BOX || pixels == 0 || pixels > TENSOR_COLUMN)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    // Corners have 16 bits together for one dimension, 8 each for two, 5 for three.
    const int32_t most = rank == 3 ? INT16_MAX : rank == 4 ? INT8_MAX : 15;
    for (uint32_t i = 0; i < rank - 2; i++) {
        if (lower[i] < -most - 1 || lower[i] > most || upper[i] < -most - 1 || upper[i] > most)
            DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        if ((int64_t)dim[i + 1] + upper[i] <= lower[i]) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        m.lower[i] = lower[i];
        m.upper[i] = upper[i];
    }
    m.is_im2col = true;
    m.column = pixels;
    for (uint32_t i = 0; i < rank; i++) m.box[i] = 1;
    m.box[0] = channels;
    if (!row_fits(&m, channels)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(write_map(out, &m));
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
    DRIVER_ENTER(NEED_CONTEXT);
    if (!has_maps()) DRIVER_LEAVE(CUDA_ERROR_NOT_SUPPORTED);
    uint32_t word[TENSOR_MAP_WORDS];
    struct tensor_map m;
    if (!map || !is_aligned(map, MAP_ALIGN)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    memcpy(word, map, sizeof word);
    if (tensor_map_read(word, &m)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_aligned(address, m.interleave == TENSOR_SLICES_32 ? SLICE_32 : STRIDE_UNIT))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    // The other bits stay as they are.
    word[0] = (uint32_t)(uintptr_t)address;
    word[1] = (uint32_t)((uint64_t)(uintptr_t)address >> 32);
    memcpy(map, word, sizeof word);
    DRIVER_LEAVE(CUDA_SUCCESS);
}
