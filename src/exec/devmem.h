// Device memory: one flat, lazily backed range of device addresses, its allocations, textures and
// surfaces. Everything lies below 4 GB when the simulated GPU has at most 3 GB, so that 32-bit PTX
// works.
#ifndef WW_EXEC_DEVMEM_H
#define WW_EXEC_DEVMEM_H

#include "base/base.h"

enum exec_windows {
    EXEC_SHARED_WINDOW = 0x01000000, // generic addresses of shared memory: window + offset
    EXEC_LOCAL_WINDOW = 0x02000000,  // of local memory
    EXEC_PARAM_WINDOW = 0x04000000, // of kernel parameters (cvta.param): offsets in c[0], read only
    EXEC_WINDOW_END = 0x05000000,
    EXEC_GLOBAL_BASE = 0x10000000
};
// The upper word of generic addresses of shared memory of any block of the cluster (cluster.h).
enum { EXEC_CLUSTER_WINDOW_HIGH = 0x7f00 };
#define EXEC_CLUSTER_WINDOW ((uint64_t)EXEC_CLUSTER_WINDOW_HIGH << 32)
struct devmem; // opaque: allocations, backing, textures

struct devmem_range {
    uint64_t first, bytes;
    const char *name;
    bool is_freed;
};

// `bytes` of device memory (mmap'd without reserve). NULL when the host refuses.
struct devmem *devmem_create(uint64_t bytes);
void devmem_destroy(struct devmem *m);
// 256-byte aligned (or `align` if larger). 0 when out of memory. `name` for messages, may be NULL.
uint64_t devmem_alloc(struct devmem *m, uint64_t bytes, uint64_t align, const char *name);
// The allocation at addr is the program's, which is to free it, as device code's malloc always is.
void devmem_own(struct devmem *m, uint64_t addr);
// Later allocations do not touch each other while memory allows, so that one past the end of an array
// is in none. Addresses, and with them cycles, are others then.
void devmem_keep_apart(struct devmem *m);
// From now on kernels may reach all of a page of 2 MB that holds part of an allocation, as on a board
// (the granularity of cuMemCreate). What the host asks for is held to allocations as ever.
void devmem_open_pages(struct devmem *m);
bool devmem_free(struct devmem *m, uint64_t addr); // false: no live allocation starts there
// From now on only addresses below `reach` are given out (4 GB, for code whose pointers have 32
// bits). False: something that is allocated lies beyond.
bool devmem_reach(struct devmem *m, uint64_t reach);
uint64_t devmem_free_bytes(const struct devmem *m);
// Host address of a live device range, or NULL if any byte of it is outside one live allocation.
uint8_t *devmem_host(const struct devmem *m, uint64_t addr, uint64_t bytes);
// Live allocations, and the i-th in order of address. False: it is not the program's.
uint32_t devmem_count(const struct devmem *m);
bool devmem_owned(const struct devmem *m, uint32_t i, struct devmem_range *out);
bool devmem_find(const struct devmem *m, uint64_t addr,
                 struct devmem_range *out); // live, holding addr
bool devmem_nearest(const struct devmem *m, uint64_t addr,
                    struct devmem_range *out); // live or freed
// "'buf' of 4096 bytes at 0x10000200 to 0x100011ff" into `text`, which is also the answer; says so
// when the allocation is freed.
const char *devmem_range_text(const struct devmem_range *r, char *text, size_t size);
// Changes whenever an allocation comes or goes; lets callers cache what devmem_find said.
uint32_t devmem_epoch(const struct devmem *m);
// With tracking on (before anything is written) every byte remembers whether it was ever written,
// for exec_options.check_uninitialised. Host writes go through devmem_host, then
// devmem_mark_written.
bool devmem_track_writes(struct devmem *m);
void devmem_mark_written(struct devmem *m, uint64_t addr, uint64_t bytes);
// Bytes that the device's own malloc may hand out (cuCtxSetLimit); 8 MB unless set.
void devmem_heap_limit(struct devmem *m, uint64_t bytes);
// Host memory that the device may address too (cuMemHostRegister, managed): appears at a device
// address of its own; unregister with devmem_free.
uint64_t devmem_map_host(struct devmem *m, void *host, uint64_t bytes);
// The same at an address of the caller's choice (unified addressing: the host's own). 0 when device
// memory or another mapping has it.
uint64_t devmem_map_host_at(struct devmem *m, void *host, uint64_t bytes, uint64_t addr);
// The same, of a name of its own in messages.
uint64_t devmem_map_at(struct devmem *m, void *host, uint64_t bytes, uint64_t addr, const char *name);
// Device addresses beside device memory that nothing else is given, aligned (a power of two).
uint64_t devmem_reserve(struct devmem *m, uint64_t bytes, uint64_t align);
// Takes bytes of device memory that has no address here, or gives them back. False: as many are not free.
bool devmem_set_aside(struct devmem *m, uint64_t bytes);
void devmem_give_back(struct devmem *m, uint64_t bytes);
// Of a live allocation, what kernels, copies and fills may only read until it is freed. False: no memory on the host.
bool devmem_protect(struct devmem *m, uint64_t first, uint64_t bytes);
bool devmem_may_write(const struct devmem *m, uint64_t addr, uint64_t bytes); // no byte is read only
bool devmem_is_mapped(const struct devmem *m, uint64_t addr); // lies in such memory
// What live allocations hold, and to put it back into those that still live. NULL: no memory.
struct devmem_copy *devmem_copy(const struct devmem *m);
void devmem_put_back(struct devmem *m, const struct devmem_copy *c);
void devmem_copy_free(struct devmem_copy *c);

// Textures and surfaces: a handle is what PTX's .texref address or a bindless object holds.
struct exec_texture {
    uint64_t base; // device address of texel 0 (linear or pitch memory or array)
    uint32_t width, height, depth, layers; // texels; 0 height: 1D; layers > 0: layered
    uint64_t row_pitch, slice_pitch;       // bytes
    uint8_t channels;                      // 1, 2, 4
    uint8_t channel_bits;                  // 8, 16, 32
    uint8_t channel_kind;                  // 0 unsigned, 1 signed, 2 float
    uint8_t address_mode[3];               // 0 wrap 1 clamp 2 mirror 3 border
    bool linear_filter, normalized_coords, read_as_float /* integers as [0,1] or [-1,1] */, srgb;
    bool is_linear_memory; // tex1Dfetch-style: integer coordinates, bounds by width
    bool is_cubemap;
    bool in_blocks; // caches see it block-linear (tex.c); its rows are whole blocks of 64 bytes
    float border[4];
};
uint64_t devmem_texture_new(struct devmem *m, const struct exec_texture *t); // handle, never 0
bool devmem_texture_set(struct devmem *m, uint64_t handle, const struct exec_texture *t);
const struct exec_texture *devmem_texture_get(const struct devmem *m, uint64_t handle);
void devmem_texture_free(struct devmem *m, uint64_t handle);

#endif
