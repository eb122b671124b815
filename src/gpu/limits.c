// What a program may ask of a device: by compute capability (NVIDIA CUDA C Programming Guide 5.5,
// table 12 "Technical Specifications per Compute Capability", from 5.0 on that of release 12;
// parameter space and alignment limits from the same guides), the rest from the configuration.
#include "exec/exec.h"
#include "gpu/fields.h"
#include "gpu/limits.h"

#include <math.h>

// Textures and surfaces: to 3.x that table. From 6.0 on what boards say of themselves: whole
// cudaDeviceProps of a GeForce GTX 1070 (6.1) and a GTX 1660 SUPER (7.5), which agree but for
// tex1d_mipmap, and what deviceQuery printed on a TITAN X (Pascal), a V100 and an RTX 2060 SUPER.
// Mipmaps, the pitch of a linear texture and the alternate 3D size to 5.x are in no table (assumed:
// as a layered texture of one layer, half the later pitch, none).
static const struct gpu_image_limits tesla_images = {
    .tex1d = 8192,
    .tex1d_linear = 1u << 27,
    .tex1d_layered = {8192, 512},
    .tex2d = {65536, 32768},
    .tex2d_linear = {65000, 65000, 1048544},
    .tex2d_layered = {8192, 8192, 512},
    .tex3d = {2048, 2048, 2048},
};
#define FERMI_IMAGES                                                                               \
    .tex1d = 65536, .tex1d_mipmap = 16384, .tex1d_linear = 1u << 27,                               \
    .tex1d_layered = {16384, 2048}, .tex2d_mipmap = {16384, 16384},                                \
    .tex2d_linear = {65000, 65000, 1048544}, .tex2d_gather = {16384, 16384},                       \
    .tex2d_layered = {16384, 16384, 2048}, .cubemap = 16384, .cubemap_layered = {16384, 2046},     \
    .surf1d = 65536, .surf1d_layered = {65536, 2048}, .surf2d = {65536, 32768},                    \
    .surf2d_layered = {65536, 32768, 2048}, .surf3d = {65536, 32768, 2048}, .surf_cubemap = 32768, \
    .surf_cubemap_layered = {32768, 2046}
static const struct gpu_image_limits fermi_images = {FERMI_IMAGES, .tex2d = {65536, 65535},
                                                     .tex3d = {2048, 2048, 2048}};
static const struct gpu_image_limits kepler_images = {FERMI_IMAGES, .tex2d = {65536, 65536},
                                                      .tex3d = {4096, 4096, 4096}};
#define PASCAL_IMAGES                                                                              \
    .tex1d = 131072, .tex1d_linear = 1u << 28, .tex1d_layered = {32768, 2048},                     \
    .tex2d = {131072, 65536}, .tex2d_mipmap = {32768, 32768},                                      \
    .tex2d_linear = {131072, 65000, 2097120}, .tex2d_gather = {32768, 32768},                      \
    .tex2d_layered = {32768, 32768, 2048}, .tex3d = {16384, 16384, 16384},                         \
    .tex3d_alternate = {8192, 8192, 32768}, .cubemap = 32768, .cubemap_layered = {32768, 2046},    \
    .surf1d = 32768, .surf1d_layered = {32768, 2048}, .surf2d = {131072, 65536},                   \
    .surf2d_layered = {32768, 32768, 2048}, .surf3d = {16384, 16384, 16384},                       \
    .surf_cubemap = 32768, .surf_cubemap_layered = {32768, 2046}
static const struct gpu_image_limits pascal_images = {PASCAL_IMAGES, .tex1d_mipmap = 16384};
static const struct gpu_image_limits volta_images = {PASCAL_IMAGES, .tex1d_mipmap = 32768};

struct row {
    uint32_t from, to; // ten times the capability
    uint32_t threads, block[3], grid[3], param_bytes;
    uint64_t local_bytes;
    const struct gpu_image_limits *image;
    uint32_t alignment;
    bool unified, generic, concurrent, doubles, gather;
};
// clang-format off
static const struct row rows[] = {
    {10, 12, 512, {512, 512, 64}, {65535, 65535, 1}, 256, 16 << 10,
     &tesla_images, 256, false, false, false, false, false},
    {13, 13, 512, {512, 512, 64}, {65535, 65535, 1}, 256, 16 << 10,
     &tesla_images, 256, false, false, false, true, false},
    {20, 21, 1024, {1024, 1024, 64}, {65535, 65535, 65535}, 4096, 512 << 10,
     &fermi_images, 512, true, true, true, true, true},
    {30, 37, 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}, 4096, 512 << 10,
     &kepler_images, 512, true, true, true, true, true},
    {50, 53, 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}, 4096, 512 << 10,
     &kepler_images, 512, true, true, true, true, true},
    {60, 69, 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}, 4096, 512 << 10,
     &pascal_images, 512, true, true, true, true, true},
    {70, 99, 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}, 4096, 512 << 10,
     &volta_images, 512, true, true, true, true, true},
};
// clang-format on

// How many times as many fused multiply-adds of single precision as of double an SM can do.
static uint32_t double_ratio(const struct sm_config *s) {
    const double pipes = s->dp_pipe == DP_PIPE_DP ? s->dp_units : s->lane_groups;
    const double doubles = pipes / s->timing[OPC_DP_FMA].interval;
    return (uint32_t)lround(s->lane_groups / (double)s->timing[OPC_FP_FMA].interval / doubles);
}

// An SM's shared memory, of which a block gets 48 KB where it is `limited`: from 3.7 on, and
// from 7.0 on unless the kernel asks for more (CUDA C++ Programming Guide 12.3, technical
// specifications). From 8.0 on the system takes static_shared_overhead of it for each block.
static uint32_t shared_within(const struct sm_config *s, uint32_t cc, bool limited) {
    const uint32_t most = 48 << 10;
    const uint32_t all = s->shared_bytes - (cc >= 80 ? s->static_shared_overhead : 0);
    return limited && all > most ? most : all;
}

void gpu_config_limits(const struct gpu_config *c, struct gpu_limits *out) {
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < WW_COUNT(rows); i++) {
        const struct row *r = &rows[i];
        const uint32_t cc = 10 * c->cc_major + c->cc_minor;
        if (cc < r->from || cc > r->to) continue;
        const struct sm_config *s = &c->sm;
        *out = (struct gpu_limits){
            .warp_size = WARP_LANES,
            .threads_per_block = r->threads < s->max_threads ? r->threads : s->max_threads,
            .block = {r->block[0], r->block[1], r->block[2]},
            .grid = {r->grid[0], r->grid[1], r->grid[2]},
            .shared_per_block = shared_within(s, cc, cc >= 37),
            .shared_optin = shared_within(s, cc, cc >= 37 && cc < 70),
            .shared_reserved = cc >= 80 ? s->static_shared_overhead : 0,
            .registers_per_block = s->registers,
            .registers_per_thread = c->max_registers,
            .param_bytes = r->param_bytes,
            .const_bytes = 64 << 10,
            .threads_per_sm = s->max_threads,
            .warps_per_sm = s->max_warps,
            .blocks_per_sm = s->max_ctas,
            .shared_per_sm = s->shared_bytes,
            .registers_per_sm = s->registers,
            .image = r->image,
            .tex_alignment = r->alignment,
            .surface_alignment = r->alignment,
            .tex_pitch_alignment = 32,
            .max_pitch = 2147483647,
            .local_per_thread = r->local_bytes,
            .can_map_host = true,
            .concurrent_kernels = r->concurrent && c->concurrent_kernels > 1,
            .unified_addressing = r->unified,
            .global_l1 =
                s->l1d_global || cc >= 60, // where it is off, programs may still ask for it
            .local_l1 = s->l1d_local,
            .doubles = r->doubles && s->dp_units > 0,
            .double_ratio = r->doubles && s->dp_units > 0 ? double_ratio(s) : 0,
            .gather = r->gather,
            .generic_addressing = r->generic,
        };
        return;
    }
}
