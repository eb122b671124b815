// The one device: attributes and properties, from the GPU file and the limits of its generation.
#include "driver/driver.h"
#include "driver/watch.h"
#include "driver_private.h"
#include "driver/refuse.h"
#include "fatbin/own_runtime.h"
#include "isa/image.h"
#include "process/energy.h"
#include "process/range.h"

#include <dlfcn.h>

static const char bus_id_text[] = "0000:01:00.0";

CUresult cuDeviceGetCount(int *count) {
    DRIVER_ENTER(NEED_INIT);
    if (!count) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *count = 1;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    DRIVER_ENTER(NEED_INIT);
    if (!device) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (ordinal != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *device = 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!name || bytes < 1) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    snprintf(name, (size_t)bytes, "%s", gpu_config_word(driver_get()->config, "product"));
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!uuid) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, gpu_config_name(driver_get()->config),
           strnlen(gpu_config_name(driver_get()->config), sizeof uuid->bytes));
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!bytes) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *bytes = gpu_config_count(driver_get()->config, "memory_bytes");
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!major || !minor) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *major = (int)gpu_config_count(driver_get()->config, "cc_major");
    *minor = (int)gpu_config_count(driver_get()->config, "cc_minor");
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceGetPCIBusId(char *text, int bytes, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!text || bytes < 13) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    snprintf(text, (size_t)bytes, "%s", bus_id_text);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
    DRIVER_ENTER(NEED_INIT);
    if (!device || !text) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const bool is_it = strcmp(text, bus_id_text) == 0 || strcmp(text, "0000:01:00") == 0 ||
                       strcmp(text, "01:00.0") == 0 || strcmp(text, "01:00") == 0;
    if (is_it) *device = 0;
    DRIVER_LEAVE(is_it ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

CUresult cuDeviceGetLuid(char *luid, unsigned int *node_mask, CUdevice device) {
    (void)luid, (void)node_mask, (void)device; // another operating system's notion
    return driver_unsupported(__func__);
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, CUarray_format format,
                                            unsigned channels, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    struct driver_format f;
    if (!elements || !driver_format(format, &f)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (channels != 1 && channels != 2 && channels != 4) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *elements = gpu_limits_of(driver_get()->gpu)->image->tex1d_linear;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice device) {
    (void)type;
    DRIVER_ENTER(NEED_INIT);
    if (!supported) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *supported = 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// There are no two devices to ask about.
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice source,
                                 CUdevice destination) {
    (void)attribute, (void)source, (void)destination;
    DRIVER_ENTER(NEED_INIT);
    DRIVER_LEAVE(value ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    DRIVER_ENTER(NEED_INIT);
    if (!can) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0 || peer != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *can = 0;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!p) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    const struct gpu_limits *l = gpu_limits_of(driver_get()->gpu);
    *p = (CUdevprop){.maxThreadsPerBlock = (int)l->threads_per_block,
                     .maxThreadsDim = {(int)l->block[0], (int)l->block[1], (int)l->block[2]},
                     .maxGridSize = {(int)l->grid[0], (int)l->grid[1], (int)l->grid[2]},
                     .sharedMemPerBlock = (int)l->shared_per_block,
                     .totalConstantMemory = (int)l->const_bytes,
                     .SIMDWidth = (int)l->warp_size,
                     .memPitch = (int)l->max_pitch,
                     .regsPerBlock = (int)l->registers_per_block,
                     .clockRate =
                         (int)(gpu_config_real(driver_get()->config, "clocks.hot_mhz") * 1000),
                     .textureAlign = (int)l->tex_alignment};
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// Priorities of streams beside the default one. Earlier boards are told of none, as before there
// were any here.
int driver_priorities(void) {
    const uint64_t major = gpu_config_count(driver_get()->config, "cc_major");
    return major >= 7 ? 5 : major == 6 ? 1 : 0; // assumed: as drivers of CUDA 11 and later answer
}

// ---- attributes: A(name, value); what is not here the device does not have: 0 ------------------
#define COUNT(key) gpu_config_count(c, key)
#define REAL(key)  gpu_config_real(c, key)
#define ATTRIBUTES(A)                                                                              \
    A(MAX_THREADS_PER_BLOCK, l->threads_per_block)                                                 \
    A(MAX_BLOCK_DIM_X, l->block[0])                                                                \
    A(MAX_BLOCK_DIM_Y, l->block[1])                                                                \
    A(MAX_BLOCK_DIM_Z, l->block[2])                                                                \
    A(MAX_GRID_DIM_X, l->grid[0])                                                                  \
    A(MAX_GRID_DIM_Y, l->grid[1])                                                                  \
    A(MAX_GRID_DIM_Z, l->grid[2])                                                                  \
    A(MAX_SHARED_MEMORY_PER_BLOCK, l->shared_per_block)                                            \
    A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, l->shared_optin)                                          \
    A(RESERVED_SHARED_MEMORY_PER_BLOCK, l->shared_reserved)                                        \
    A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, l->shared_per_sm)                                      \
    A(TOTAL_CONSTANT_MEMORY, l->const_bytes)                                                       \
    A(WARP_SIZE, l->warp_size)                                                                     \
    A(MAX_PITCH, l->max_pitch)                                                                     \
    A(MAX_REGISTERS_PER_BLOCK, l->registers_per_block)                                             \
    A(MAX_REGISTERS_PER_MULTIPROCESSOR, l->registers_per_sm)                                       \
    A(CLOCK_RATE, REAL("clocks.hot_mhz") * 1000)                                                   \
    A(TEXTURE_ALIGNMENT, l->tex_alignment)                                                         \
    A(TEXTURE_PITCH_ALIGNMENT, l->tex_pitch_alignment)                                             \
    A(SURFACE_ALIGNMENT, l->surface_alignment)                                                     \
    A(GPU_OVERLAP, 1)                                                                              \
    A(MULTIPROCESSOR_COUNT, COUNT("sm_count"))                                                     \
    A(CAN_MAP_HOST_MEMORY, l->can_map_host)                                                        \
    A(MAXIMUM_TEXTURE1D_WIDTH, l->image->tex1d)                                                    \
    A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH, l->image->tex1d_linear)                                      \
    A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, l->image->tex1d_mipmap)                                   \
    A(MAXIMUM_TEXTURE1D_LAYERED_WIDTH, l->image->tex1d_layered[0])                                 \
    A(MAXIMUM_TEXTURE1D_LAYERED_LAYERS, l->image->tex1d_layered[1])                                \
    A(MAXIMUM_TEXTURE2D_WIDTH, l->image->tex2d[0])                                                 \
    A(MAXIMUM_TEXTURE2D_HEIGHT, l->image->tex2d[1])                                                \
    A(MAXIMUM_TEXTURE2D_LINEAR_WIDTH, l->image->tex2d_linear[0])                                   \
    A(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, l->image->tex2d_linear[1])                                  \
    A(MAXIMUM_TEXTURE2D_LINEAR_PITCH, l->image->tex2d_linear[2])                                   \
    A(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, l->image->tex2d_mipmap[0])                                \
    A(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, l->image->tex2d_mipmap[1])                               \
    A(MAXIMUM_TEXTURE2D_GATHER_WIDTH, l->image->tex2d_gather[0])                                   \
    A(MAXIMUM_TEXTURE2D_GATHER_HEIGHT, l->image->tex2d_gather[1])                                  \
    A(MAXIMUM_TEXTURE2D_LAYERED_WIDTH, l->image->tex2d_layered[0])                                 \
    A(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, l->image->tex2d_layered[1])                                \
    A(MAXIMUM_TEXTURE2D_LAYERED_LAYERS, l->image->tex2d_layered[2])                                \
    A(MAXIMUM_TEXTURE3D_WIDTH, l->image->tex3d[0])                                                 \
    A(MAXIMUM_TEXTURE3D_HEIGHT, l->image->tex3d[1])                                                \
    A(MAXIMUM_TEXTURE3D_DEPTH, l->image->tex3d[2])                                                 \
    A(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, l->image->tex3d_alternate[0])                             \
    A(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE, l->image->tex3d_alternate[1])                            \
    A(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, l->image->tex3d_alternate[2])                             \
    A(MAXIMUM_TEXTURECUBEMAP_WIDTH, l->image->cubemap)                                             \
    A(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, l->image->cubemap_layered[0])                          \
    A(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, l->image->cubemap_layered[1])                         \
    A(MAXIMUM_SURFACE1D_WIDTH, l->image->surf1d)                                                   \
    A(MAXIMUM_SURFACE1D_LAYERED_WIDTH, l->image->surf1d_layered[0])                                \
    A(MAXIMUM_SURFACE1D_LAYERED_LAYERS, l->image->surf1d_layered[1])                               \
    A(MAXIMUM_SURFACE2D_WIDTH, l->image->surf2d[0])                                                \
    A(MAXIMUM_SURFACE2D_HEIGHT, l->image->surf2d[1])                                               \
    A(MAXIMUM_SURFACE2D_LAYERED_WIDTH, l->image->surf2d_layered[0])                                \
    A(MAXIMUM_SURFACE2D_LAYERED_HEIGHT, l->image->surf2d_layered[1])                               \
    A(MAXIMUM_SURFACE2D_LAYERED_LAYERS, l->image->surf2d_layered[2])                               \
    A(MAXIMUM_SURFACE3D_WIDTH, l->image->surf3d[0])                                                \
    A(MAXIMUM_SURFACE3D_HEIGHT, l->image->surf3d[1])                                               \
    A(MAXIMUM_SURFACE3D_DEPTH, l->image->surf3d[2])                                                \
    A(MAXIMUM_SURFACECUBEMAP_WIDTH, l->image->surf_cubemap)                                        \
    A(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, l->image->surf_cubemap_layered[0])                     \
    A(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, l->image->surf_cubemap_layered[1])                    \
    A(CAN_TEX2D_GATHER, l->gather)                                                                 \
    A(CONCURRENT_KERNELS, l->concurrent_kernels)                                                   \
    A(PCI_BUS_ID, 1)                                                                               \
    A(MEMORY_CLOCK_RATE, REAL("clocks.dram_mhz") * 1000 * REAL("mem.dram.data_rate") / 2)          \
    A(GLOBAL_MEMORY_BUS_WIDTH, COUNT("mem.partitions") *                                           \
                                   COUNT("mem.dram.channels_per_partition") *                      \
                                   COUNT("mem.dram.bus_bits"))                                     \
    A(L2_CACHE_SIZE,                                                                               \
      COUNT("mem.l2.bytes") * COUNT("mem.partitions") * COUNT("mem.slices_per_partition"))         \
    A(MAX_PERSISTING_L2_CACHE_SIZE, gpu_l2_most_set_aside(driver_get()->gpu))                      \
    A(MAX_ACCESS_POLICY_WINDOW_SIZE, COUNT("cc_major") >= 8 ? DRIVER_MOST_WINDOW : 0)              \
    A(MAX_THREADS_PER_MULTIPROCESSOR, l->threads_per_sm)                                           \
    A(MAX_BLOCKS_PER_MULTIPROCESSOR, l->blocks_per_sm)                                             \
    A(ASYNC_ENGINE_COUNT, COUNT("async_engines") ? COUNT("async_engines") : COUNT("copy_engines")) \
    A(UNIFIED_ADDRESSING, l->unified_addressing)                                                   \
    A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, l->unified_addressing)                              \
    A(COMPUTE_CAPABILITY_MAJOR, COUNT("cc_major"))                                                 \
    A(COMPUTE_CAPABILITY_MINOR, COUNT("cc_minor"))                                                 \
    A(GLOBAL_L1_CACHE_SUPPORTED, l->global_l1)                                                     \
    A(LOCAL_L1_CACHE_SUPPORTED, l->local_l1)                                                       \
    A(MANAGED_MEMORY, 1)                                                                           \
    A(MEMORY_POOLS_SUPPORTED, 1)                                                                   \
    A(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, l->unified_addressing)                                  \
    A(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, l->unified_addressing)                          \
    A(ECC_ENABLED, gpu_config_flag(c, "ecc"))                                                      \
    A(STREAM_PRIORITIES_SUPPORTED, driver_priorities() > 0)                                        \
    A(CONCURRENT_MANAGED_ACCESS, COUNT("cc_major") >= 6)                                           \
    A(COMPUTE_PREEMPTION_SUPPORTED, COUNT("cc_major") >= 6)                                        \
    A(COOPERATIVE_MULTI_DEVICE_LAUNCH, COUNT("cc_major") >= 6)                                     \
    A(CLUSTER_LAUNCH, COUNT("cc_major") >= 9)                                                      \
    A(COOPERATIVE_LAUNCH, 1)                                                                       \
    A(HOST_REGISTER_SUPPORTED, 1)                                                                  \
    A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, l->double_ratio)

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    DRIVER_ENTER(NEED_INIT);
    if (!value || attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (device != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    const struct gpu_config *c = driver_get()->config;
    const struct gpu_limits *l = gpu_limits_of(driver_get()->gpu);
    uint64_t v = 0;
    switch (attribute) {
#define A(name, is)                                                                                \
    case CU_DEVICE_ATTRIBUTE_##name: v = (uint64_t)(is); break;
        ATTRIBUTES(A)
#undef A
    default: break;
    }
    *value = v > INT32_MAX ? INT32_MAX : (int)v;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- entry points ------------------------------------------------------------------------------
// Versions beyond ours are answered with what there is: nothing newer has another meaning.
CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status) {
    if (!symbol || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    void (*entry)(void);
    const bool of_thread = flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    const enum driver_symbol_status s = driver_symbol(symbol, version, of_thread, &entry);
    memcpy(function, &entry, sizeof entry);
    if (status)
        *status = s == SYMBOL_FOUND     ? CU_GET_PROC_ADDRESS_SUCCESS
                  : s == SYMBOL_TOO_NEW ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}

// The first form had no status, and an error instead.
#undef cuGetProcAddress
__attribute__((visibility("default"))) CUresult
cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags);
CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags) {
    const CUresult r = cuGetProcAddress_v2(symbol, function, version, flags, NULL);
    return r == CUDA_SUCCESS && !*function ? CUDA_ERROR_NOT_FOUND : r;
}

// A vendor's runtime fails without its tables, and a program may not look: each file once.
static void say_foreign_runtime(const char *path) {
    char key[32], sentence[2048], name[256];
    uint64_t h = 14695981039346656037u; // FNV-1a
    for (const char *c = path; *c; c++) h = (h ^ (uint8_t)*c) * 1099511628211u;
    snprintf(key, sizeof key, "runtime-%016llx", (unsigned long long)h);
    if (!process_first_time(key) || !fatbin_holds_runtime(path)) return;
    const char *const slash = strrchr(path, '/');
    snprintf(name, sizeof name, "the runtime of %s", slash ? slash + 1 : path);
    process_refuse(name, fatbin_foreign_runtime(path, sentence, sizeof sentence));
}

// ---- what management libraries ask --------------------------------------------------------------
enum { CELSIUS_0 = 273 }; // kelvin, whole

static int facts(struct ww_device_facts *out) {
    process_lock();
    const struct gpu_config *const c = process_config_ahead();
    struct gpu *const g = process_gpu();
    *out = (struct ww_device_facts){.is_open = g != NULL};
    if (c) {
        snprintf(out->name, sizeof out->name, "%s", gpu_config_word(c, "product"));
        snprintf(out->bus_id, sizeof out->bus_id, "%s", bus_id_text);
        memcpy(out->uuid, gpu_config_name(c), strnlen(gpu_config_name(c), sizeof out->uuid));
        out->cc_major = (unsigned)gpu_config_count(c, "cc_major");
        out->cc_minor = (unsigned)gpu_config_count(c, "cc_minor");
        out->sms = (unsigned)gpu_config_count(c, "sm_count");
        out->bus_bits = (unsigned)(gpu_config_count(c, "mem.partitions") *
                                   gpu_config_count(c, "mem.dram.channels_per_partition") *
                                   gpu_config_count(c, "mem.dram.bus_bits"));
        out->memory_bytes = gpu_config_count(c, "memory_bytes");
        out->core_mhz = gpu_config_real(c, "clocks.core_mhz");
        out->memory_mhz = gpu_config_real(c, "clocks.dram_mhz");
        out->temperature_c = gpu_config_real(c, "tech.temperature_k") - CELSIUS_0;
        out->limit_w = gpu_config_real(c, "board.power_limit");
        if (!(out->limit_w > 0)) out->limit_w = gpu_config_real(c, "tech.tdp_w");
        out->clock_least_mhz = gpu_config_real(c, "board.clock_least");
        out->clock_step_mhz = gpu_config_real(c, "board.clock_step");
    }
    if (g) {
        uint64_t rest, total;
        gpu_memory_info(g, &rest, &total);
        out->used_bytes = total > rest ? total - rest : 0;
    }
    process_leave();
    return c != NULL;
}

static int energy(struct ww_device_energy *out) {
    struct process_energy e = {0};
    process_lock();
    const bool known = process_energy(&e);
    process_leave();
    *out = (struct ww_device_energy){e.seconds, e.kernel_s, e.dram_s, e.joules, e.idle_w};
    return known;
}

static const struct ww_listener *listener;

static uint32_t queued(void) { return listener->queued(); }
static void launch_done(const struct gpu_result *r, uint32_t number) {
    const uint32_t shared = r->image->shared_bytes - r->image->shared_system;
    struct ww_work w = {.kind = WW_WORK_KERNEL,
                        .correlation = number,
                        .stream = r->stream,
                        .from_s = r->start_s,
                        .to_s = r->start_s + r->seconds,
                        .name = r->kernel,
                        .launch = r->id,
                        .registers = image_registers(r->image),
                        .static_shared = shared,
                        .dynamic_shared = r->dynamic_shared,
                        .local = r->image->local_bytes};
    memcpy(w.grid, r->grid, sizeof w.grid);
    memcpy(w.block, r->block, sizeof w.block);
    listener->done(&w);
}
static void copy_done(const struct gpu_span *s, uint32_t number) {
    static const struct {
        const char *name;
        enum ww_work_kind kind;
    } kinds[] = {{"copy to the device", WW_WORK_COPY_UP},
                 {"copy to the host", WW_WORK_COPY_DOWN},
                 {"fill", WW_WORK_FILL}};
    struct ww_work w = {.kind = WW_WORK_COPY,
                        .correlation = number,
                        .stream = s->stream,
                        .from_s = s->from_s,
                        .to_s = s->to_s,
                        .bytes = s->bytes};
    for (size_t i = 0; i < WW_COUNT(kinds); i++)
        if (strcmp(s->name, kinds[i].name) == 0) w.kind = kinds[i].kind;
    listener->done(&w);
}
static void listen_to(const struct ww_listener *l) {
    static const struct process_listener ours = {queued, launch_done, copy_done};
    process_lock();
    listener = l;
    process_listen(l ? &ours : NULL);
    process_leave();
}
static double now_s(void) {
    process_lock();
    const double s = process_gpu() ? gpu_now_s(process_gpu()) : 0;
    process_leave();
    return s;
}

static void said(const char *word, const char *sentence) {
    if (process_first_time(word)) process_say("%s", sentence);
}

static void watch(const struct ww_watcher *w) {
    __atomic_store_n(&driver_watcher, w, __ATOMIC_RELEASE);
}

// Private tables of the vendor's libraries: none of them, and one of ours.
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    static const struct ww_driver_table ours = {.kernels_of_runtime = driver_kernels_of_runtime,
                                                .set_of_kernel = driver_set_of_kernel,
                                                .refused = process_refuse,
                                                .range_push = range_push,
                                                .range_pop = range_pop,
                                                .range_start = range_start,
                                                .range_end = range_end,
                                                .facts = facts,
                                                .energy = energy,
                                                .listen = listen_to,
                                                .now_s = now_s,
                                                .said = said,
                                                .event_s = driver_event_s,
                                                .watch = watch,
                                                .watcher = &driver_watcher,
                                                .current = driver_current};
    const bool is_ours = memcmp(id, &WW_DRIVER_TABLE, sizeof *id) == 0;
    *table = is_ours ? &ours : NULL;
    // a vendor's runtime that was linked into a library opened late asks for its tables, and can do
    // without none
    Dl_info caller;
    if (!is_ours && dladdr(__builtin_return_address(0), &caller) && caller.dli_fname)
        say_foreign_runtime(caller.dli_fname);
    return is_ours ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
