// Textures by reference and by object against a computation on the host: geometries, filters,
// address modes, formats.
#include "driver_test.h"

#include <stdarg.h>

enum { N = 192 }; // places that a kernel samples

// ---- kernels -----------------------------------------------------------------------------------
// name(out, in, object): thread i reads texture at in[i] (four floats), writes four words to
// out[i].
static const struct geometry {
    const char *name, *tex, *coords;
} geometries[] = {
    {"fetch", "1d", "{%r1}"},
    {"line", "1d", "{%f0}"},
    {"plane", "2d", "{%f0, %f1}"},
    {"volume", "3d", "{%f0, %f1, %f2, %f2}"},
    {"layers", "a2d", "{%r2, %f0, %f1, %f1}"},
    {"cube", "cube", "{%f0, %f1, %f2, %f2}"},
};
static const char *const types[] = {"f32", "u32", "s32"};

static char text[1 << 16];
static size_t length;
static void say(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    length += (size_t)vsnprintf(text + length, sizeof text - length, fmt, ap);
    va_end(ap);
    CHECK(length < sizeof text);
}

static const char *make_ptx(void) {
    say(PTX(".global .texref ref;\n"));
    for (size_t g = 0; g < COUNT(geometries); g++)
        for (size_t t = 0; t < 3; t++)
            for (int object = 0; object < 2; object++) {
                say(".visible .entry %s_%s_%s(.param .u64 out, .param .u64 in, .param .u64 tex) {\n"
                    "  .reg .u32 %%r<4>; .reg .u64 %%d<5>; .reg .f32 %%f<4>; .reg .b32 %%v<4>;\n",
                    geometries[g].name, types[t], object ? "object" : "ref");
                say("  ld.param.u64 %%d0, [out]; ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, "
                    "[tex];\n"
                    "  mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d3, %%r0, 16;\n"
                    "  add.u64 %%d0, %%d0, %%d3; add.u64 %%d1, %%d1, %%d3;\n"
                    "  ld.global.v4.f32 {%%f0, %%f1, %%f2, %%f3}, [%%d1];\n"
                    "  cvt.rzi.s32.f32 %%r1, %%f0; cvt.rzi.u32.f32 %%r2, %%f3;\n");
                say("  tex.%s.v4.%s.%s {%%v0, %%v1, %%v2, %%v3}, [%s, %s];\n", geometries[g].tex,
                    types[t], g ? "f32" : "s32", object ? "%d2" : "ref", geometries[g].coords);
                say("  st.global.v4.b32 [%%d0], {%%v0, %%v1, %%v2, %%v3}; ret;\n}\n");
            }
    return text;
}

// ---- the same on the host ----------------------------------------------------------------------
struct image {
    int size[3];
    unsigned layers;               // slices of `texel` beside the third dimension
    float texel[6][16][16][16][4]; // layer, z, y, x
};
static struct image image;

static void wrapped(int i, int n, CUaddress_mode mode, bool *border, int *at) {
    *border = false;
    *at = i;
    if (i >= 0 && i < n) return;
    switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP: *at = ((i % n) + n) % n; break;
    case CU_TR_ADDRESS_MODE_MIRROR: {
        const int m = ((i % (2 * n)) + 2 * n) % (2 * n);
        *at = m < n ? m : 2 * n - 1 - m;
        break;
    }
    case CU_TR_ADDRESS_MODE_BORDER: *border = true; break;
    default: *at = i < 0 ? 0 : n - 1;
    }
}

static void sample(const float in[4], int axes, unsigned layer, const CUDA_TEXTURE_DESC *d,
                   float out[4]) {
    const bool normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
    const bool linear = d->filterMode == CU_TR_FILTER_MODE_LINEAR;
    int low[3] = {0};
    float part[3] = {0};
    for (int k = 0; k < axes; k++) {
        const float v = in[k] * (normalized ? (float)image.size[k] : 1) - (linear ? 0.5f : 0);
        low[k] = (int)floorf(v);
        part[k] = linear ? roundf((v - floorf(v)) * 256) / 256 : 0; // nine bits, as documented
    }
    memset(out, 0, 4 * sizeof *out);
    for (int corner = 0; corner < (linear ? 1 << axes : 1); corner++) {
        float weight = 1;
        int at[3] = {0};
        bool outside = false;
        for (int k = 0; k < axes; k++) {
            CUaddress_mode mode = d->addressMode[k];
            if (!normalized &&
                (mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR))
                mode = CU_TR_ADDRESS_MODE_CLAMP;
            bool border;
            wrapped(low[k] + (corner >> k & 1), image.size[k], mode, &border, &at[k]);
            outside |= border;
            weight *= corner >> k & 1 ? part[k] : 1 - part[k];
        }
        for (int ch = 0; ch < 4; ch++)
            out[ch] += weight *
                       (outside ? d->borderColor[ch] : image.texel[layer][at[2]][at[1]][at[0]][ch]);
    }
}

// ---- running -----------------------------------------------------------------------------------
static CUmodule module;
static CUdeviceptr d_in, d_out;
static float in[N][4];
static union {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
} out[N];

static void launch(const char *geometry, const char *type, bool by_object, CUtexObject object) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s_%s", geometry, type, by_object ? "object" : "ref");
    OK(cuMemcpyHtoD(d_in, in, sizeof in));
    OK(cuMemsetD8(d_out, 0xee, sizeof out));
    OK(run(kernel(module, name), 1, N, (void *[]){&d_out, &d_in, &object}));
    OK(cuMemcpyDtoH(out, d_out, sizeof out));
}

static void places(float low, float high) {
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < 4; k++)
            in[i][k] = low + (high - low) * (float)(scramble(i * 4 + k) & 0xffff) / 65536;
}

static void compare(int axes, const CUDA_TEXTURE_DESC *d, float tolerance) {
    for (int i = 0; i < N; i++) {
        float want[4];
        sample(in[i], axes, image.layers ? (unsigned)in[i][3] : 0, d, want);
        for (int ch = 0; ch < 4; ch++)
            if (!(fabsf(out[i].f[ch] - want[ch]) <= tolerance)) {
                printf("at %g %g %g %g channel %d: %g, expected %g (filter %d, modes %d %d, flags "
                       "%u)\n",
                       in[i][0], in[i][1], in[i][2], in[i][3], ch, out[i].f[ch], want[ch],
                       d->filterMode, d->addressMode[0], d->addressMode[1], d->flags);
                CHECK(!"the same as on the host");
            }
    }
}

static void fill_image(int w, int h, int depth, unsigned layers) {
    image.size[0] = w, image.size[1] = h, image.size[2] = depth;
    image.layers = layers;
    for (unsigned l = 0; l < 6; l++)
        for (unsigned i = 0; i < 16 * 16 * 16 * 4; i++)
            (&image.texel[l][0][0][0][0])[i] = (float)(scramble(i + l * 77777) & 1023) / 1024;
}

// The image as a CUDA array of four-channel floats.
static CUarray array_of(unsigned flags) {
    CUarray a;
    const bool flat = image.size[2] == 1;
    const unsigned slices = image.layers ? image.layers : (unsigned)image.size[2];
    const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = (size_t)image.size[0],
                                       .Height = image.size[1] == 1 ? 0 : (size_t)image.size[1],
                                       .Depth = image.layers ? image.layers
                                                : flat       ? 0
                                                             : (size_t)image.size[2],
                                       .Format = CU_AD_FORMAT_FLOAT,
                                       .NumChannels = 4,
                                       .Flags = flags};
    OK(cuArray3DCreate(&a, &d));
    for (unsigned z = 0; z < slices; z++) {
        CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                           .srcHost = image.layers ? image.texel[z][0] : image.texel[0][z],
                           .srcPitch = 16 * 16,
                           .srcHeight = 16,
                           .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                           .dstArray = a,
                           .dstZ = z,
                           .WidthInBytes = (size_t)image.size[0] * 16,
                           .Height = (size_t)image.size[1],
                           .Depth = 1};
        OK(cuMemcpy3D(&c));
    }
    return a;
}

static CUtexObject object_of(CUarray a, const CUDA_TEXTURE_DESC *d) {
    CUtexObject o;
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
    OK(cuTexObjectCreate(&o, &r, d, NULL));
    return o;
}

static void set_reference(CUtexref t, const CUDA_TEXTURE_DESC *d) {
    float border[4];
    memcpy(border, d->borderColor, sizeof border);
    for (int k = 0; k < 3; k++) OK(cuTexRefSetAddressMode(t, k, d->addressMode[k]));
    OK(cuTexRefSetFilterMode(t, d->filterMode));
    OK(cuTexRefSetFlags(t, d->flags));
    OK(cuTexRefSetBorderColor(t, border));
}

// ---- tests -------------------------------------------------------------------------------------
// All filters and address modes of one geometry, by reference and by object.
static void all_modes(const char *geometry, int axes, CUarray a, CUtexref ref) {
    OK(cuTexRefSetArray(ref, a, CU_TRSA_OVERRIDE_FORMAT));
    for (int filter = 0; filter < 2; filter++)
        for (int mode = 0; mode < 4; mode++)
            for (int normalized = 0; normalized < 2; normalized++) {
                const CUaddress_mode m = (CUaddress_mode)mode, n = (CUaddress_mode)((mode + 1) % 4);
                const CUDA_TEXTURE_DESC d = {.addressMode = {m, n, m},
                                             .filterMode = (CUfilter_mode)filter,
                                             .flags =
                                                 normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0,
                                             .borderColor = {0.25f, 0.5f, 0.75f, 1}};
                if (normalized)
                    places(-2, 3);
                else
                    places(-6, (float)image.size[0] + 6);
                if (image.layers)
                    for (unsigned i = 0; i < N; i++) in[i][3] = (float)(i % image.layers);
                set_reference(ref, &d);
                launch(geometry, "f32", false, 0);
                compare(axes, &d, 1e-5f);
                CUtexObject o = object_of(a, &d);
                launch(geometry, "f32", true, o);
                compare(axes, &d, 1e-5f);
                OK(cuTexObjectDestroy(o));
            }
}

static void arrays(CUtexref ref) {
    fill_image(16, 1, 1, 0);
    CUarray a = array_of(0);
    all_modes("line", 1, a, ref);
    OK(cuArrayDestroy(a));
    fill_image(16, 11, 1, 0);
    a = array_of(0);
    all_modes("plane", 2, a, ref);
    OK(cuArrayDestroy(a));
    fill_image(9, 16, 5, 0);
    a = array_of(0);
    all_modes("volume", 3, a, ref);
    OK(cuArrayDestroy(a));
    fill_image(12, 7, 1, 5);
    a = array_of(CUDA_ARRAY3D_LAYERED);
    all_modes("layers", 2, a, ref);
    OK(cuArrayDestroy(a));
}

// Each face has its own value: a direction meets the face of its largest component.
static void cubes(CUtexref ref) {
    fill_image(8, 8, 1, 6);
    for (int face = 0; face < 6; face++)
        for (int i = 0; i < 16 * 16 * 16 * 4; i++)
            (&image.texel[face][0][0][0][0])[i] = (float)face;
    CUarray a = array_of(CUDA_ARRAY3D_CUBEMAP);
    const CUDA_TEXTURE_DESC d = {.flags = CU_TRSF_NORMALIZED_COORDINATES};
    OK(cuTexRefSetArray(ref, a, CU_TRSA_OVERRIDE_FORMAT));
    set_reference(ref, &d);
    places(-1, 1);
    launch("cube", "f32", false, 0);
    for (int i = 0; i < N; i++) {
        int axis = 0;
        for (int k = 1; k < 3; k++)
            if (fabsf(in[i][k]) > fabsf(in[i][axis])) axis = k;
        CHECK(out[i].f[0] == (float)(axis * 2 + (in[i][axis] < 0)));
    }
    OK(cuArrayDestroy(a));
}

// Linear memory: whole coordinates; outside is zero.
static void linear_memory(CUtexref ref) {
    enum { TEXELS = 100 };
    int32_t data[TEXELS];
    CUdeviceptr p = alloc(sizeof data + 512);
    size_t offset = 1;
    for (int i = 0; i < TEXELS; i++) data[i] = i * 1000 - 7;
    OK(cuMemcpyHtoD(p, data, sizeof data));
    OK(cuTexRefSetFormat(ref, CU_AD_FORMAT_SIGNED_INT32, 1));
    OK(cuTexRefSetFlags(ref, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefSetAddress(&offset, ref, p, sizeof data));
    CHECK(offset == 0);
    for (int i = 0; i < N; i++) in[i][0] = (float)(i - 30);
    launch("fetch", "s32", false, 0);
    for (int i = 0; i < N; i++)
        CHECK(out[i].i[0] == (i < 30 || i >= 30 + TEXELS ? 0 : data[i - 30]));
    IS(cuTexRefSetAddress(NULL, ref, p + 16, 64), CUDA_ERROR_INVALID_VALUE); // misaligned
    OK(cuTexRefSetAddress(&offset, ref, p + 16, 64));
    CHECK(offset == 16); // the kernel adds it
    CUdeviceptr at;
    OK(cuTexRefGetAddress(&at, ref));
    CHECK(at == p);
    IS(cuTexRefSetAddress(&offset, ref, 12345, 64), CUDA_ERROR_INVALID_VALUE);

    CUtexObject o;
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR,
                                  .res.linear = {p, CU_AD_FORMAT_SIGNED_INT32, 1, sizeof data}};
    const CUDA_TEXTURE_DESC d = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUDA_RESOURCE_DESC back;
    OK(cuTexObjectCreate(&o, &r, &d, NULL));
    OK(cuTexObjectGetResourceDesc(&back, o));
    CHECK(back.resType == CU_RESOURCE_TYPE_LINEAR && back.res.linear.devPtr == p);
    launch("fetch", "s32", true, o);
    for (int i = 30; i < 30 + TEXELS; i++) CHECK(out[i].i[0] == data[i - 30]);
    OK(cuTexObjectDestroy(o));
    IS(cuTexObjectDestroy(o), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(p));
}

static void pitch_memory(CUtexref ref) {
    CUdeviceptr p;
    size_t pitch;
    fill_image(16, 16, 1, 0);
    OK(cuMemAllocPitch(&p, &pitch, 16 * 16, 16, 16));
    const CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = image.texel,
                             .srcPitch = 256,
                             .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                             .dstDevice = p,
                             .dstPitch = pitch,
                             .WidthInBytes = 256,
                             .Height = 16};
    OK(cuMemcpy2D(&c));
    const CUDA_ARRAY_DESCRIPTOR shape = {16, 16, CU_AD_FORMAT_FLOAT, 4};
    const CUDA_TEXTURE_DESC d = {.addressMode = {1, 1, 1}, .filterMode = CU_TR_FILTER_MODE_LINEAR};
    OK(cuTexRefSetAddress2D(ref, &shape, p, pitch));
    set_reference(ref, &d);
    places(-2, 18);
    launch("plane", "f32", false, 0);
    compare(2, &d, 1e-5f);
    IS(cuTexRefSetAddress2D(ref, &shape, p, pitch + 4), CUDA_ERROR_INVALID_VALUE);
    IS(cuTexRefSetAddress2D(ref, &shape, p + 16, pitch), CUDA_ERROR_INVALID_VALUE);
    CUtexObject o;
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_PITCH2D,
                                  .res.pitch2D = {p, CU_AD_FORMAT_FLOAT, 4, 16, 16, pitch}};
    OK(cuTexObjectCreate(&o, &r, &d, NULL));
    launch("plane", "f32", true, o);
    compare(2, &d, 1e-5f);
    OK(cuTexObjectDestroy(o));
    OK(cuMemFree(p));
}

static float half_value(uint16_t h) { // of normal numbers
    return ldexpf((float)(h & 1023) / 1024 + 1, (h >> 10 & 31) - 15) * (h >> 15 ? -1 : 1);
}

// One row of 64 texels of each format: read as it is, as integers, as fractions.
static void formats(void) {
    static const struct {
        CUarray_format format;
        unsigned bytes;
        int kind; // 0 unsigned, 1 signed, 2 half, 3 float; + 10: fractions whatever the flags say
    } table[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 1, 0},  {CU_AD_FORMAT_UNSIGNED_INT16, 2, 0},
        {CU_AD_FORMAT_UNSIGNED_INT32, 4, 0}, {CU_AD_FORMAT_SIGNED_INT8, 1, 1},
        {CU_AD_FORMAT_SIGNED_INT16, 2, 1},   {CU_AD_FORMAT_SIGNED_INT32, 4, 1},
        {CU_AD_FORMAT_HALF, 2, 2},           {CU_AD_FORMAT_FLOAT, 4, 3},
        {CU_AD_FORMAT_UNORM_INT8X1, 1, 10},  {CU_AD_FORMAT_SNORM_INT16X1, 2, 11},
    };
    for (size_t f = 0; f < COUNT(table); f++) {
        CUarray a;
        unsigned char raw[64 * 4];
        const unsigned bytes = table[f].bytes;
        for (unsigned i = 0; i < sizeof raw; i++) raw[i] = (unsigned char)scramble(i);
        for (unsigned i = 0; i < 64 && table[f].kind == 2; i++)
            raw[2 * i + 1] = (raw[2 * i + 1] & 0x83) | 0x38;
        if (table[f].kind == 3)
            for (unsigned i = 0; i < 64; i++) memcpy(raw + 4 * i, &(float){(float)i * 0.5f}, 4);
        const CUDA_ARRAY_DESCRIPTOR d = {.Width = 64, .Format = table[f].format, .NumChannels = 1};
        OK(cuArrayCreate(&a, &d));
        OK(cuMemcpyHtoA(a, 0, raw, 64 * bytes));
        for (int as_integer = 0; as_integer < 2; as_integer++) {
            const CUDA_TEXTURE_DESC how = {.flags = as_integer ? CU_TRSF_READ_AS_INTEGER : 0};
            CUtexObject o = object_of(a, &how);
            const int kind = table[f].kind % 10;
            const bool integer = kind < 2 && table[f].kind < 10 && (as_integer || bytes == 4);
            for (int i = 0; i < N; i++) in[i][0] = (float)(i % 64) + 0.5f;
            launch("line", !integer ? "f32" : kind ? "s32" : "u32", true, o);
            for (int i = 0; i < N; i++) {
                const unsigned char *p = raw + i % 64 * (int)bytes;
                const int64_t u = bytes == 1   ? *p
                                  : bytes == 2 ? *(const uint16_t *)p
                                               : *(const uint32_t *)p;
                const int64_t s = bytes == 1 ? (int8_t)u : bytes == 2 ? (int16_t)u : (int32_t)u;
                const float top = (float)(((int64_t)1 << (8 * bytes - (kind == 1))) - 1);
                if (integer)
                    CHECK(out[i].u[0] == (uint32_t)(kind ? s : u));
                else if (kind < 2)
                    CHECK(fabsf(out[i].f[0] - fmaxf((float)(kind ? s : u) / top, -1)) < 1e-6f);
                else
                    CHECK(out[i].f[0] == (kind == 2 ? half_value((uint16_t)u) : *(const float *)p));
            }
            OK(cuTexObjectDestroy(o));
        }
        OK(cuArrayDestroy(a));
    }
}

static void views(void) {
    fill_image(12, 7, 1, 5);
    CUarray a = array_of(CUDA_ARRAY3D_LAYERED);
    CUtexObject o;
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
    const CUDA_TEXTURE_DESC d = {.addressMode = {1, 1, 1}};
    CUDA_RESOURCE_VIEW_DESC v = {.format = CU_RES_VIEW_FORMAT_FLOAT_4X32,
                                 .width = 12,
                                 .height = 7,
                                 .firstLayer = 2,
                                 .lastLayer = 3},
                            back;
    OK(cuTexObjectCreate(&o, &r, &d, &v));
    OK(cuTexObjectGetResourceViewDesc(&back, o));
    CHECK(back.firstLayer == 2);
    for (int i = 0; i < N; i++) in[i][0] = in[i][1] = 3, in[i][3] = (float)(i % 4);
    launch("layers", "f32", true, o);
    for (int i = 0; i < N; i++) CHECK(out[i].f[0] == image.texel[2 + (i % 4 > 0)][0][3][3][0]);
    OK(cuTexObjectDestroy(o));
    v.format = CU_RES_VIEW_FORMAT_UINT_1X8;
    IS(cuTexObjectCreate(&o, &r, &d, &v), CUDA_ERROR_INVALID_VALUE);
    v.format = CU_RES_VIEW_FORMAT_FLOAT_4X32, v.lastLayer = 5;
    IS(cuTexObjectCreate(&o, &r, &d, &v), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(a));
}

// A launch reads what was bound at its call, though it may run later.
static void rebinding(CUtexref ref) {
    CUdeviceptr p = alloc(512), q = alloc(512);
    OK(cuMemsetD32(p, 1, 128));
    OK(cuMemsetD32(q, 2, 128));
    OK(cuTexRefSetFormat(ref, CU_AD_FORMAT_UNSIGNED_INT32, 1));
    OK(cuTexRefSetFlags(ref, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefSetAddress(NULL, ref, p, 512));
    for (int i = 0; i < N; i++) in[i][0] = 0;
    OK(cuMemcpyHtoD(d_in, in, sizeof in));
    CUtexObject none = 0;
    OK(run(kernel(module, "fetch_u32_ref"), 1, N, (void *[]){&d_out, &d_in, &none}));
    OK(cuTexRefSetAddress(NULL, ref, q, 512));
    OK(cuMemcpyDtoH(out, d_out, sizeof out));
    CHECK(out[0].u[0] == 1);
    launch("fetch", "u32", false, 0);
    CHECK(out[0].u[0] == 2);
    OK(cuMemFree(p));
    OK(cuMemFree(q));
}

static void references(CUtexref ref) {
    CUtexref again, own;
    CUarray_format format;
    int channels;
    CUaddress_mode mode;
    CUfilter_mode filter;
    unsigned flags;
    CUarray a;
    OK(cuModuleGetTexRef(&again, module, "ref"));
    CHECK(again == ref);
    IS(cuModuleGetTexRef(&again, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    OK(cuTexRefCreate(&own));
    OK(cuTexRefSetFormat(own, CU_AD_FORMAT_HALF, 2));
    OK(cuTexRefGetFormat(&format, &channels, own));
    CHECK(format == CU_AD_FORMAT_HALF && channels == 2);
    OK(cuTexRefSetAddressMode(own, 2, CU_TR_ADDRESS_MODE_MIRROR));
    OK(cuTexRefGetAddressMode(&mode, own, 2));
    CHECK(mode == CU_TR_ADDRESS_MODE_MIRROR);
    OK(cuTexRefSetFilterMode(own, CU_TR_FILTER_MODE_LINEAR));
    OK(cuTexRefGetFilterMode(&filter, own));
    CHECK(filter == CU_TR_FILTER_MODE_LINEAR);
    OK(cuTexRefSetFlags(own, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefGetFlags(&flags, own));
    CHECK(flags == CU_TRSF_NORMALIZED_COORDINATES);
    IS(cuTexRefGetArray(&a, own), CUDA_ERROR_INVALID_VALUE);
    IS(cuTexRefSetFormat(own, (CUarray_format)77, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuTexRefSetAddressMode(own, 3, mode), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefGetFormat(&format, &channels, own)); // what was refused changed nothing
    CHECK(format == CU_AD_FORMAT_HALF);
    OK(cuTexRefDestroy(own));
    IS(cuTexRefSetFlags(own, 0), CUDA_ERROR_INVALID_HANDLE);
    IS(cuTexRefDestroy(ref), CUDA_ERROR_INVALID_VALUE); // the module's
}

int main(void) {
    CUcontext c = start();
    CUtexref ref;
    module = load(make_ptx());
    OK(cuModuleGetTexRef(&ref, module, "ref"));
    d_in = alloc(sizeof in);
    d_out = alloc(sizeof out);
    arrays(ref);
    cubes(ref);
    linear_memory(ref);
    pitch_memory(ref);
    formats();
    views();
    rebinding(ref);
    references(ref);
    OK(cuModuleUnload(module));
    IS(cuTexRefSetFlags(ref, 0), CUDA_ERROR_INVALID_HANDLE);
    OK(cuCtxDestroy(c));
    return 0;
}
