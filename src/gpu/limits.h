// What a program may ask for, and what launches are checked against.
#ifndef WW_GPU_LIMITS_H
#define WW_GPU_LIMITS_H

#include "base/base.h"

struct gpu_config;

enum { GPU_PARAM_BYTES = 32764 }; // of a kernel, at most: CUDA 12.1 and later, on sm_70 and later
// Textures and surfaces: widths, heights and depths, layers last. 0: there are none.
struct gpu_image_limits {
    uint32_t tex1d, tex1d_mipmap, tex1d_linear, tex1d_layered[2];
    uint32_t tex2d[2], tex2d_mipmap[2], tex2d_linear[3], tex2d_gather[2], tex2d_layered[3];
    uint32_t tex3d[3], tex3d_alternate[3], cubemap, cubemap_layered[2];
    uint32_t surf1d, surf1d_layered[2], surf2d[2], surf2d_layered[3], surf3d[3];
    uint32_t surf_cubemap, surf_cubemap_layered[2];
};

// What a program may ask for and what launches are checked against; by compute capability
// (limits.c) and by configuration.
struct gpu_limits {
    uint32_t warp_size, threads_per_block, block[3], grid[3];
    // Shared memory of a block: statically, and dynamically unless it asks for more; at most.
    uint32_t shared_per_block, shared_optin, shared_reserved; // reserved: of each block, for the system
    uint32_t registers_per_block, registers_per_thread;
    uint32_t param_bytes, const_bytes;
    uint32_t threads_per_sm, warps_per_sm, blocks_per_sm, shared_per_sm, registers_per_sm;
    const struct gpu_image_limits *image;
    uint32_t tex_alignment, surface_alignment, tex_pitch_alignment;
    uint64_t max_pitch;
    uint64_t local_per_thread;
    bool can_map_host, concurrent_kernels, unified_addressing, global_l1, local_l1, doubles,
        generic_addressing, gather;
    uint32_t double_ratio; // single to double precision, 0: no doubles
};

void gpu_config_limits(const struct gpu_config *c, struct gpu_limits *out);

#endif
