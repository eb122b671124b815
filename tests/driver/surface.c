// Surfaces by reference and by object: loads and stores of bytes and by format, what lies outside.
#include "driver_test.h"

enum { W = 20, H = 11, D = 6 };

// Every kernel: thread i of W * H * D has place (x, y, z); reads one word there, writes word +
// 1000.
#define KERNEL(name, surface, load, store)                                                         \
    ".visible .entry " name "(.param .u64 out, .param .u64 surf) {\n"                              \
    "  .reg .pred %p; .reg .u32 %r<9>; .reg .u64 %d<4>;\n"                                         \
    "  ld.param.u64 %d0, [out]; ld.param.u64 %d1, [surf];\n"                                       \
    "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, "    \
    "%r1, %r2;\n"                                                                                  \
    "  rem.u32 %r3, %r0, 20; div.u32 %r4, %r0, 20; rem.u32 %r5, %r4, 11; div.u32 %r6, %r4, 11;\n"  \
    "  setp.ge.u32 %p, %r6, 6; @%p bra done; shl.b32 %r7, %r3, 2;\n"                               \
    "  " load "\n"                                                                                 \
    "  mul.wide.u32 %d2, %r0, 4; add.u64 %d3, %d0, %d2; st.global.u32 [%d3], %r8;\n"               \
    "  add.u32 %r8, %r8, 1000;\n  " store "\n"                                                     \
    "done: ret;\n}\n"

static const char ptx[] = PTX(
    ".global .surfref ref;\n" KERNEL(
        "line_ref", "ref", "suld.b.1d.b32.trap {%r8}, [ref, {%r7}];",
        "setp.ne.u32 %p, %r4, 0; @!%p sust.b.1d.b32.trap [ref, {%r7}], {%r8};")
        KERNEL("plane_ref", "ref", "suld.b.2d.b32.trap {%r8}, [ref, {%r7, %r5}];",
               "setp.ne.u32 %p, %r6, 0; @!%p sust.b.2d.b32.trap [ref, {%r7, %r5}], {%r8};")
            KERNEL("volume_ref", "ref", "suld.b.3d.b32.trap {%r8}, [ref, {%r7, %r5, %r6, %r6}];",
                   "sust.b.3d.b32.trap [ref, {%r7, %r5, %r6, %r6}], {%r8};")
                KERNEL("layers_ref", "ref",
                       "suld.b.a2d.b32.trap {%r8}, [ref, {%r6, %r7, %r5, %r5}];",
                       "sust.b.a2d.b32.trap [ref, {%r6, %r7, %r5, %r5}], {%r8};")
                    KERNEL(
                        "plane_object", "ref", "suld.b.2d.b32.trap {%r8}, [%d1, {%r7, %r5}];",
                        "setp.ne.u32 %p, %r6, 0; @!%p sust.b.2d.b32.trap [%d1, {%r7, %r5}], {%r8};")
                        KERNEL("volume_object", "ref",
                               "suld.b.3d.b32.trap {%r8}, [%d1, {%r7, %r5, %r6, %r6}];",
                               "sust.b.3d.b32.trap [%d1, {%r7, %r5, %r6, %r6}], {%r8};")
    // ten texels too far to the right
    KERNEL("clamped", "ref", "add.u32 %r7, %r7, 40; suld.b.2d.b32.clamp {%r8}, [ref, {%r7, %r5}];",
           "") KERNEL("zeroed", "ref",
                      "add.u32 %r7, %r7, 40; suld.b.2d.b32.zero {%r8}, [ref, {%r7, %r5}];", "")
        KERNEL("trapping", "ref",
               "add.u32 %r7, %r7, 40; suld.b.2d.b32.trap {%r8}, [ref, {%r7, %r5}];", ""));

static uint32_t data[D][H][W], got[D][H][W];
static CUmodule module;
static CUdeviceptr out;

static CUarray array(unsigned height, unsigned depth, unsigned flags) {
    CUarray a;
    const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = W,
                                       .Height = height,
                                       .Depth = depth,
                                       .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                                       .NumChannels = 1,
                                       .Flags = flags | CUDA_ARRAY3D_SURFACE_LDST};
    OK(cuArray3DCreate(&a, &d));
    for (uint32_t i = 0; i < D * H * W; i++) (&data[0][0][0])[i] = scramble(i);
    const CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = data,
                             .srcPitch = W * 4,
                             .srcHeight = H,
                             .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                             .dstArray = a,
                             .WidthInBytes = W * 4,
                             .Height = height ? height : 1,
                             .Depth = depth ? depth : 1};
    OK(cuMemcpy3D(&c));
    return a;
}

static CUresult launch(const char *name, CUsurfObject object) {
    OK(run(kernel(module, name), (W * H * D + 127) / 128, 128, (void *[]){&out, &object}));
    return cuMemcpyDtoH(got, out, sizeof got);
}

// Loads gave the data, and stores have added a thousand.
static void check(CUarray a, unsigned height, unsigned depth) {
    static uint32_t after[D][H][W];
    const unsigned h = height ? height : 1, d = depth ? depth : 1;
    for (unsigned z = 0; z < d; z++)
        for (unsigned y = 0; y < h; y++)
            CHECK(memcmp(got[z][y], data[z][y], sizeof data[z][y]) == 0);
    const CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                             .srcArray = a,
                             .dstMemoryType = CU_MEMORYTYPE_HOST,
                             .dstHost = after,
                             .dstPitch = W * 4,
                             .dstHeight = H,
                             .WidthInBytes = W * 4,
                             .Height = h,
                             .Depth = d};
    OK(cuMemcpy3D(&c));
    for (unsigned z = 0; z < d; z++)
        for (unsigned y = 0; y < h; y++)
            for (unsigned x = 0; x < W; x++) CHECK(after[z][y][x] == data[z][y][x] + 1000);
}

static void by_reference(CUsurfref ref, const char *name, unsigned height, unsigned depth,
                         unsigned flags) {
    CUarray a = array(height, depth, flags), back;
    OK(cuSurfRefSetArray(ref, a, 0));
    OK(cuSurfRefGetArray(&back, ref));
    CHECK(back == a);
    OK(launch(name, 0));
    check(a, height, depth);
    OK(cuArrayDestroy(a));
}

static void by_object(const char *name, unsigned height, unsigned depth) {
    CUarray a = array(height, depth, 0);
    CUsurfObject o;
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a}, back;
    OK(cuSurfObjectCreate(&o, &r));
    OK(cuSurfObjectGetResourceDesc(&back, o));
    CHECK(back.res.array.hArray == a);
    OK(launch(name, o));
    check(a, height, depth);
    OK(cuSurfObjectDestroy(o));
    IS(cuSurfObjectDestroy(o), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(a));
    IS(cuSurfObjectCreate(&o, &r), CUDA_ERROR_INVALID_HANDLE);
}

static void outside(CUsurfref ref) {
    CUarray a = array(H, 0, 0), plain;
    OK(cuSurfRefSetArray(ref, a, 0));
    OK(launch("clamped", 0));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) CHECK(got[0][y][x] == data[0][y][x + 10 < W ? x + 10 : W - 1]);
    OK(launch("zeroed", 0));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) CHECK(got[0][y][x] == (x + 10 < W ? data[0][y][x + 10] : 0));
    const CUDA_ARRAY_DESCRIPTOR d = {
        .Width = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    OK(cuArrayCreate(&plain, &d));
    IS(cuSurfRefSetArray(ref, plain, 0), CUDA_ERROR_INVALID_VALUE); // not made for surfaces
    IS(cuSurfRefSetArray(ref, (CUarray)&d, 0), CUDA_ERROR_INVALID_HANDLE);
    OK(cuArrayDestroy(plain));
    struct capture c = capture_begin(2);
    CHECK(launch("trapping", 0) != CUDA_SUCCESS);
    CHECK(strstr(capture_end(c), "surface"));
}

int main(void) {
    CUcontext c = start();
    CUsurfref ref, again;
    CUtexref texture;
    module = load(ptx);
    out = alloc(sizeof got);
    OK(cuModuleGetSurfRef(&ref, module, "ref"));
    OK(cuModuleGetSurfRef(&again, module, "ref"));
    CHECK(ref == again);
    IS(cuModuleGetSurfRef(&again, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    IS(cuModuleGetTexRef(&texture, module, "ref"), CUDA_ERROR_NOT_FOUND);
    by_reference(ref, "line_ref", 0, 0, 0);
    by_reference(ref, "plane_ref", H, 0, 0);
    by_reference(ref, "volume_ref", H, D, 0);
    by_reference(ref, "layers_ref", H, D, CUDA_ARRAY3D_LAYERED);
    by_object("plane_object", H, 0);
    by_object("volume_object", H, D);
    outside(ref);
    OK(cuCtxDestroy(c));
    return 0;
}
