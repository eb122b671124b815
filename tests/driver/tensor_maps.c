// Maps of tensors by the driver's API: which are refused, and columns of im2col in one, two and three
// directions of space, which are what a convolution of that many directions multiplies: pixel p of a
// column and place r of the filter lie at p stride - padding + r dilation, which is all that this test
// knows of them.
#include "driver_test.h"

enum { AXES = 3, CHANNELS = 8, PIXELS = 48 };

// Brings a column to shared memory and from there to `out`. X coordinates, O offsets.
#define COLUMN(NAME, DIM, X, O)                                                                    \
    ".visible .entry " NAME "(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 c,\n"    \
    "  .param .u32 w, .param .u32 h, .param .u32 d, .param .u32 n, .param .u32 ow,\n"              \
    "  .param .u32 oh, .param .u32 od, .param .u32 bytes) {\n"                                     \
    "  .reg .u64 %m, %o, %p; .reg .u32 %s, %b, %c, %w, %h, %d, %n, %t, %v, %size;\n"               \
    "  .reg .u32 %x<3>; .reg .u16 %ow, %oh, %od; .reg .pred %q;\n"                                 \
    "  .shared .align 1024 .b8 box[16384]; .shared .align 8 .b64 bar;\n"                           \
    "  ld.param.u64 %o, [out]; ld.param.u32 %c, [c]; ld.param.u32 %w, [w];\n"                      \
    "  ld.param.u32 %h, [h]; ld.param.u32 %d, [d]; ld.param.u32 %n, [n];\n"                        \
    "  ld.param.u32 %x0, [ow]; ld.param.u32 %x1, [oh]; ld.param.u32 %x2, [od];\n"                  \
    "  cvt.u16.u32 %ow, %x0; cvt.u16.u32 %oh, %x1; cvt.u16.u32 %od, %x2;\n"                        \
    "  ld.param.u32 %size, [bytes]; mov.b64 %m, map; cvta.param.u64 %m, %m;\n"                     \
    "  mov.u32 %s, box; mov.u32 %b, bar; mov.u32 %t, %tid.x;\n"                                    \
    "  setp.ne.u32 %q, %t, 0; @%q bra WAIT;\n"                                                     \
    "  mbarrier.init.shared::cta.b64 [%b], 1; fence.mbarrier_init.release.cluster;\n"              \
    "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], %size;\n"                                \
    "  cp.async.bulk.tensor." DIM ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes\n"  \
    "    [%s], [%m, {" X "}], [%b], {" O "};\n"                                                    \
    "WAIT: bar.sync 0;\n"                                                                          \
    "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %q, [%b], 0; @!%q bra AGAIN;\n"               \
    "  shl.b32 %t, %t, 2;\n"                                                                       \
    "NEXT: setp.ge.u32 %q, %t, %size; @%q ret;\n"                                                  \
    "  add.u32 %v, %s, %t; ld.shared.u32 %v, [%v]; cvt.u64.u32 %p, %t; add.u64 %p, %o, %p;\n"      \
    "  st.global.u32 [%p], %v; add.u32 %t, %t, 256; bra NEXT;\n}\n"
static const char *const ptx = ".version 8.0\n.target sm_90\n.address_size 64\n" //
    COLUMN("column_3", "3d", "%c, %w, %n", "%ow")                                //
    COLUMN("column_4", "4d", "%c, %w, %h, %n", "%ow, %oh")                       //
    COLUMN("column_5", "5d", "%c, %w, %h, %d, %n", "%ow, %oh, %od");

// ---- what is refused ----------------------------------------------------------------------------
struct arguments {
    CUtensorMapDataType type;
    cuuint32_t rank;
    uint64_t address;
    cuuint64_t dim[5], stride[4];
    int lower[AXES], upper[AXES];
    cuuint32_t channels, pixels, box[5], step[5];
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};
static CUtensorMap map;
static CUresult columns(const struct arguments *a) {
    return cuTensorMapEncodeIm2col(&map, a->type, a->rank, (void *)(uintptr_t)a->address, a->dim,
                                   a->stride, a->lower, a->upper, a->channels, a->pixels, a->step,
                                   a->interleave, a->swizzle, a->promotion, a->fill);
}
static CUresult tiles(const struct arguments *a) {
    return cuTensorMapEncodeTiled(&map, a->type, a->rank, (void *)(uintptr_t)a->address, a->dim,
                                  a->stride, a->box, a->step, a->interleave, a->swizzle,
                                  a->promotion, a->fill);
}

static void rules(CUdeviceptr at) {
    const struct arguments good = {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                                   .rank = 4,
                                   .address = at,
                                   .dim = {32, 10, 9, 2, 2},
                                   .stride = {64, 640, 5760, 11520},
                                   .lower = {-1, -1, -1},
                                   .upper = {-1, -1, -1},
                                   .channels = 32,
                                   .pixels = 64,
                                   .box = {32, 4, 4, 1, 1},
                                   .step = {1, 1, 1, 1, 1},
                                   .swizzle = CU_TENSOR_MAP_SWIZZLE_64B};
    OK(columns(&good));
    OK(tiles(&good));
#define REFUSED(which, change)                                                                     \
    do {                                                                                           \
        struct arguments a = good;                                                                 \
        change;                                                                                    \
        IS(which(&a), CUDA_ERROR_INVALID_VALUE);                                                   \
    } while (0)
#define TAKEN(which, change)                                                                       \
    do {                                                                                           \
        struct arguments a = good;                                                                 \
        change;                                                                                    \
        OK(which(&a));                                                                             \
    } while (0)
#define BOTH(change)                                                                               \
    REFUSED(columns, change);                                                                      \
    REFUSED(tiles, change)
    BOTH(a.type = (CUtensorMapDataType)13); // those of 4 and 6 bits are Blackwell's
    BOTH(a.rank = 0);
    BOTH(a.rank = 6);
    BOTH(a.address += 8);
    BOTH(a.dim[1] = 0);
    BOTH(a.dim[1] = (1ull << 32) + 1);
    BOTH(a.stride[0] = 72);
    BOTH(a.stride[2] = 1ull << 40);
    BOTH(a.step[1] = 0);
    BOTH(a.step[1] = 9);
    BOTH(a.interleave = (CUtensorMapInterleave)3);
    BOTH(a.interleave = CU_TENSOR_MAP_INTERLEAVE_32B); // wants a swizzle of 32 bytes
    BOTH(a.swizzle = (CUtensorMapSwizzle)4);           // of other atoms: Blackwell's
    BOTH(a.swizzle = CU_TENSOR_MAP_SWIZZLE_32B);       // a line has 64 bytes
    BOTH(a.promotion = (CUtensorMapL2promotion)4);
    BOTH(a.fill = (CUtensorMapFloatOOBfill)2);
    BOTH(a.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
         a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
    REFUSED(tiles, a.box[1] = 0);
    REFUSED(tiles, a.box[1] = 257);
    REFUSED(tiles, a.box[0] = 4);
    REFUSED(columns, a.rank = 2);
    REFUSED(columns, a.channels = 0);
    REFUSED(columns, a.channels = 257);
    REFUSED(columns, a.pixels = 0);
    REFUSED(columns, a.pixels = 1025);
    TAKEN(columns, a.pixels = 1024);
    TAKEN(columns, a.channels = 256; a.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE);
    // corners have sixteen, eight or five bits
    TAKEN(columns, a.lower[0] = -128; a.upper[1] = 127);
    REFUSED(columns, a.lower[0] = -129);
    REFUSED(columns, a.upper[1] = 128);
    TAKEN(columns, a.rank = 5; a.lower[2] = -16; a.upper[0] = 15);
    REFUSED(columns, a.rank = 5; a.lower[2] = -17);
    REFUSED(columns, a.rank = 5; a.upper[0] = 16);
    TAKEN(columns, a.rank = 3; a.lower[0] = -32768; a.upper[0] = 32767);
    REFUSED(columns, a.rank = 3; a.lower[0] = -32769);
    // the box between them has pixels: 10 and 9 are the image's
    TAKEN(columns, a.upper[0] = -10);
    REFUSED(columns, a.upper[0] = -11);
    REFUSED(columns, a.lower[1] = 8);
    IS(cuTensorMapEncodeIm2col((CUtensorMap *)(void *)((char *)&map + 8), good.type, good.rank,
                               (void *)(uintptr_t)at, good.dim, good.stride, good.lower, good.upper,
                               32, 64, good.step, good.interleave, good.swizzle, good.promotion,
                               good.fill),
       CUDA_ERROR_INVALID_VALUE);
    IS(cuTensorMapEncodeIm2col(&map, good.type, good.rank, (void *)(uintptr_t)at, good.dim,
                               good.stride, NULL, good.upper, 32, 64, good.step, good.interleave,
                               good.swizzle, good.promotion, good.fill),
       CUDA_ERROR_INVALID_VALUE);
}

// ---- columns ------------------------------------------------------------------------------------
struct convolution {
    int axes;
    int size[AXES], filter[AXES], pad[AXES], stride[AXES], dilation[AXES], images; // W first
};
static int outputs(const struct convolution *v, int i) {
    return (v->size[i] + 2 * v->pad[i] - v->dilation[i] * (v->filter[i] - 1) - 1) / v->stride[i] +
           1;
}

static void convolve(CUmodule m, CUdeviceptr in, CUdeviceptr out, const uint32_t *image,
                     const struct convolution *v) {
    enum { WORDS = CHANNELS * PIXELS };
    struct arguments a = {.type = CU_TENSOR_MAP_DATA_TYPE_UINT32,
                          .rank = (cuuint32_t)v->axes + 2,
                          .address = in,
                          .channels = CHANNELS,
                          .pixels = PIXELS,
                          .step = {1, 1, 1, 1, 1},
                          .swizzle = CU_TENSOR_MAP_SWIZZLE_NONE};
    uint64_t bytes = CHANNELS * 4;
    a.dim[0] = CHANNELS;
    for (int i = 0; i < v->axes; i++) {
        a.dim[i + 1] = (cuuint64_t)v->size[i];
        a.stride[i] = bytes;
        bytes *= a.dim[i + 1];
        a.lower[i] = -v->pad[i];
        a.upper[i] = v->pad[i] - (v->filter[i] - 1) * v->dilation[i];
        a.step[i + 1] = (cuuint32_t)v->stride[i];
    }
    a.dim[v->axes + 1] = (cuuint64_t)v->images;
    a.stride[v->axes] = bytes;
    OK(columns(&a));
    const char *const names[] = {"column_3", "column_4", "column_5"};
    const CUfunction f = kernel(m, names[v->axes - 1]);
    int n_out[AXES] = {1, 1, 1}, size[AXES] = {1, 1, 1}, filter[AXES] = {1, 1, 1};
    int pad[AXES] = {0}, stride[AXES] = {1, 1, 1}, dilation[AXES] = {1, 1, 1};
    for (int i = 0; i < v->axes; i++) {
        n_out[i] = outputs(v, i);
        size[i] = v->size[i], filter[i] = v->filter[i], pad[i] = v->pad[i];
        stride[i] = v->stride[i], dilation[i] = v->dilation[i];
    }
    const int places = filter[0] * filter[1] * filter[2], of_image = n_out[0] * n_out[1] * n_out[2];
    for (int r = 0; r < places; r++) {
        const int at[AXES] = {r % filter[0], r / filter[0] % filter[1], r / filter[0] / filter[1]};
        // a column that begins in the middle of an image and, with the last, ends behind all of them
        const int first = (of_image / 3 + 11 * r) % (of_image * v->images);
        const int x[AXES] = {first % n_out[0], first / n_out[0] % n_out[1],
                             first / n_out[0] / n_out[1] % n_out[2]};
        int c = 0, n = first / of_image, begin[AXES], off[AXES], size_bytes = WORDS * 4;
        for (int i = 0; i < AXES; i++) {
            begin[i] = x[i] * stride[i] - pad[i];
            off[i] = at[i] * dilation[i];
        }
        void *params[] = {&map, &out,    &c,      &begin[0], &begin[1],  &begin[2],
                          &n,   &off[0], &off[1], &off[2],   &size_bytes};
        OK(cuMemsetD32(out, 0xabcdef01, WORDS));
        OK(run(f, 1, 64, params));
        uint32_t got[WORDS];
        OK(cuMemcpyDtoH(got, out, sizeof got));
        for (int k = 0; k < PIXELS; k++) {
            const int p = first + k, image_of = p / of_image, q = p % of_image;
            const int o[AXES] = {q % n_out[0], q / n_out[0] % n_out[1], q / n_out[0] / n_out[1]};
            int64_t place = image_of;
            bool is_inside = image_of < v->images;
            for (int i = AXES - 1; i >= 0; i--) {
                const int y = o[i] * stride[i] - pad[i] + at[i] * dilation[i];
                is_inside &= y >= 0 && y < size[i];
                place = place * size[i] + y;
            }
            for (int ch = 0; ch < CHANNELS; ch++)
                CHECK(got[k * CHANNELS + ch] == (is_inside ? image[place * CHANNELS + ch] : 0));
        }
    }
}

int main(void) {
    setenv("WARPWATT_GPU", FATBIN_DIR "/../../../gpus/h100.yaml", 1);
    start();
    enum { WORDS = 1 << 15 };
    static uint32_t image[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) image[i] = scramble(i + 1);
    const CUdeviceptr in = alloc(sizeof image), out = alloc(16384);
    OK(cuMemcpyHtoD(in, image, sizeof image));
    const CUmodule m = load(ptx);
    rules(in);
    static const struct convolution all[] = {
        {1, {50}, {5}, {2}, {1}, {1}, 2},
        {1, {61}, {4}, {3}, {3}, {2}, 3},
        {2, {8, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 2},
        {2, {13, 9}, {3, 2}, {1, 0}, {2, 1}, {1, 3}, 3},
        {2, {7, 11}, {5, 1}, {4, 2}, {3, 2}, {2, 1}, 2},
        {3, {6, 5, 4}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 2},
        {3, {9, 6, 5}, {2, 3, 2}, {2, 1, 0}, {2, 3, 1}, {3, 1, 2}, 3},
    };
    for (size_t i = 0; i < COUNT(all); i++) convolve(m, in, out, image, &all[i]);
    puts("ok");
    return 0;
}
