// Virtual memory management: addresses that a program reserves, memory that it makes, and which of the one shows which of the
// other. All memory that is made lies in one file without a name, sparse, a place for each; a reservation is a range of the
// host's addresses in which the file's places are mapped where the program maps them. So the same memory may be shown at several
// addresses, and neighbours that are mapped side by side are one range to kernels and copies (devmem.h).
//
// Memory that is exported moves into a file of its own, whose number is the handle that other processes get. Behind the memory
// the file has a page that says what it is. Each process has a GPU of its own: what they share is the bytes, and a process
// that imports memory has as much of its own as before.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/driver.h"

// What the vendor's driver answers for device memory: the size of its large pages.
enum { GRANULARITY = 2 << 20, BEHIND = 4096 };
// Of addresses, that may be reserved: those that device memory and the host's own leave between them.
static const uint64_t RESERVED_MAX = UINT64_C(1) << 44;

struct physical { // memory: a place of the file
    struct physical *next;
    uint64_t at, bytes;
    uint32_t held; // handles that the program has of it, and mappings
    CUmemAllocationProp prop;
    bool has_file; // of its own
    int own;       // that file
    bool is_import; // of another process: it takes nothing of this GPU's memory
    bool is_plain;  // what cuMemAlloc gave out, at that address: a handle of it says what it is
};
struct mapping {
    struct mapping *next; // of the reservation, by address
    uint64_t first, bytes;
    struct physical *what;
    CUmemAccess_flags access;
};
struct reservation {
    struct reservation *next;
    uint64_t first, bytes;
    uint8_t *host; // shows what is mapped; readable everywhere, and for a page behind
    struct mapping *mappings;
};
// Parts of the singleton; guarded by its lock.
static struct physical *all_physical;
static struct reservation *reservations;
static uint64_t reserved_bytes, file_bytes;
static int file = -1;

static struct devmem *memory(void) { return gpu_memory(driver_get()->gpu); }
static int file_of(const struct physical *p) { return p->has_file ? p->own : file; }
static bool is_whole(uint64_t n) { return n && n % GRANULARITY == 0; }

// ---- memory ------------------------------------------------------------------------------------
static struct physical *physical_of(CUmemGenericAllocationHandle handle) {
    struct physical *p = all_physical;
    while (p && DRIVER_KEY(p) != handle) p = p->next;
    return p;
}

// True for the one device's memory, which is all that can be made here.
static bool is_device(const CUmemLocation *l) {
    return l->type == CU_MEM_LOCATION_TYPE_DEVICE && l->id == 0;
}
static CUresult refuse_properties(const CUmemAllocationProp *p) {
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (p->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE &&
        p->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
    return is_device(&p->location) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option) {
    DRIVER_ENTER(NEED_INIT);
    if (!bytes || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult r = refuse_properties(prop);
    if (r == CUDA_SUCCESS) *bytes = GRANULARITY;
    DRIVER_LEAVE(r);
}

static CUresult make(CUmemGenericAllocationHandle *handle, uint64_t bytes,
                     const CUmemAllocationProp *prop) {
    if (file < 0) file = memfd_create("device memory", MFD_CLOEXEC);
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    struct physical *p = calloc(1, sizeof *p);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    if (!devmem_set_aside(memory(), bytes)) {
        free(p);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (ftruncate(file, (off_t)(file_bytes + bytes)) != 0) {
        devmem_give_back(memory(), bytes);
        free(p);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *p = (struct physical){
        .next = all_physical, .at = file_bytes, .bytes = bytes, .held = 1, .prop = *prop};
    file_bytes += bytes;
    all_physical = p;
    *handle = DRIVER_KEY(p);
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *prop, unsigned long long flags) {
    DRIVER_ENTER(NEED_INIT);
    if (!handle || flags || !is_whole(bytes)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult r = refuse_properties(prop);
    DRIVER_LEAVE(r == CUDA_SUCCESS ? make(handle, bytes, prop) : r);
}

// Pages of the common file go; where the kernel cannot do that they stay with the process, and nothing reads them.
static void drop_pages(const struct physical *p) {
    (void)!fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)p->at,
                     (off_t)p->bytes);
}

// Gives the memory back once neither a handle nor a mapping holds it.
static void let_go(struct physical *p) {
    if (--p->held) return;
    struct physical **at = &all_physical;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    if (p->has_file)
        close(p->own);
    else if (!p->is_plain)
        drop_pages(p);
    if (!p->is_import && !p->is_plain) devmem_give_back(memory(), p->bytes);
    free(p);
}

// Handles that the program holds: what is held, less mappings.
static uint32_t handles_of(const struct physical *p) {
    uint32_t mapped = 0;
    for (const struct reservation *r = reservations; r; r = r->next)
        for (const struct mapping *m = r->mappings; m; m = m->next) mapped += m->what == p;
    return p->held - mapped;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    DRIVER_ENTER(NEED_INIT);
    struct physical *const p = physical_of(handle);
    if (!p || !handles_of(p)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    let_go(p);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                CUmemGenericAllocationHandle handle) {
    DRIVER_ENTER(NEED_INIT);
    const struct physical *const p = physical_of(handle);
    if (!prop || !p || !handles_of(p)) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *prop = p->prop;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- addresses ---------------------------------------------------------------------------------
// The reservation that holds the whole range, or NULL.
static struct reservation *reservation_of(uint64_t first, uint64_t bytes) {
    struct reservation *r = reservations;
    while (r && !(first - r->first < r->bytes && bytes <= r->bytes - (first - r->first)))
        r = r->next;
    return r;
}

static CUresult reserve(CUdeviceptr *address, uint64_t bytes, uint64_t align) {
    if (bytes > RESERVED_MAX - reserved_bytes || align > RESERVED_MAX)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct reservation *r = calloc(1, sizeof *r);
    if (!r) return CUDA_ERROR_OUT_OF_MEMORY;
    void *const host = mmap(NULL, bytes + BEHIND, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED) {
        free(r);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    r->first = devmem_reserve(memory(), bytes, align > GRANULARITY ? align : GRANULARITY);
    r->bytes = bytes;
    r->host = host;
    r->next = reservations;
    reservations = r;
    reserved_bytes += bytes;
    *address = r->first;
    return CUDA_SUCCESS;
}

// The address that a program would like is a wish, which is not heard.
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t align, CUdeviceptr wish,
                             unsigned long long flags) {
    (void)wish;
    DRIVER_ENTER(NEED_INIT);
    if (!address || flags || !is_whole(bytes) || (align & (align - 1)))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(reserve(address, bytes, align));
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
    DRIVER_ENTER(NEED_INIT);
    struct reservation **at = &reservations;
    while (*at && (*at)->first != address) at = &(*at)->next;
    struct reservation *const r = *at;
    if (!r || r->bytes != bytes || r->mappings) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    munmap(r->host, r->bytes + BEHIND);
    reserved_bytes -= r->bytes;
    *at = r->next;
    free(r);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- which address shows which memory ----------------------------------------------------------
// Tells the device's memory of each run of neighbours that may be accessed, or (`shown` false) has it forget them.
static bool show(const struct reservation *r, bool shown) {
    for (const struct mapping *m = r->mappings; m;) {
        const struct mapping *const begin = m;
        uint64_t end = m->first;
        for (; m && m->access && m->first == end; m = m->next) end += m->bytes;
        if (m == begin)
            m = m->next;
        else if (!shown)
            devmem_free(memory(), begin->first);
        else if (!devmem_map_at(memory(), r->host + (begin->first - r->first), end - begin->first,
                                begin->first, "mapped memory"))
            return false;
    }
    for (const struct mapping *m = r->mappings; m && shown; m = m->next)
        if (m->access == CU_MEM_ACCESS_FLAGS_PROT_READ &&
            !devmem_protect(memory(), m->first, m->bytes))
            return false;
    return true;
}

// The link to the first mapping of a range that whole mappings fill without a gap, else NULL.
static struct mapping **filled(struct reservation *r, uint64_t first, uint64_t bytes) {
    struct mapping **at = &r->mappings;
    while (*at && (*at)->first < first) at = &(*at)->next;
    uint64_t end = first;
    for (const struct mapping *m = *at; m && m->first == end && end < first + bytes; m = m->next)
        end += m->bytes;
    return end == first + bytes ? at : NULL;
}

static CUresult map(struct reservation *r, uint64_t first, uint64_t bytes, struct physical *what) {
    struct mapping **at = &r->mappings;
    while (*at && (*at)->first + (*at)->bytes <= first) at = &(*at)->next;
    if (*at && (*at)->first < first + bytes) return CUDA_ERROR_INVALID_VALUE; // is taken
    struct mapping *m = calloc(1, sizeof *m);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    if (mmap(r->host + (first - r->first), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             file_of(what), (off_t)what->at) == MAP_FAILED) {
        free(m);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *m = (struct mapping){.next = *at, .first = first, .bytes = bytes, .what = what};
    *at = m;
    what->held++;
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
    DRIVER_ENTER(NEED_INIT);
    struct physical *const p = physical_of(handle);
    struct reservation *const r = reservation_of(address, bytes);
    if (!p || !handles_of(p) || !r || flags || offset || !is_whole(bytes) || bytes > p->bytes ||
        (address - r->first) % GRANULARITY)
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (p->is_plain) DRIVER_LEAVE(CUDA_ERROR_NOT_SUPPORTED);
    DRIVER_LEAVE(map(r, address, bytes, p));
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    DRIVER_ENTER(NEED_INIT);
    struct reservation *const r = reservation_of(address, bytes);
    struct mapping **const at = r && bytes ? filled(r, address, bytes) : NULL;
    if (!at) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult ran = driver_result(gpu_synchronize(driver_get()->gpu, process_diags()));
    show(r, false);
    // What lies there now reads as zeros, as a page behind does.
    void *const now = mmap(r->host + (address - r->first), bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    while (*at && (*at)->first < address + bytes) {
        struct mapping *const m = *at;
        *at = m->next;
        let_go(m->what);
        free(m);
    }
    const bool is_shown = show(r, true);
    DRIVER_LEAVE(now == MAP_FAILED || !is_shown ? CUDA_ERROR_OUT_OF_MEMORY : ran);
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *rights,
                        size_t count) {
    DRIVER_ENTER(NEED_INIT);
    struct reservation *const r = reservation_of(address, bytes);
    struct mapping **const at = r && bytes ? filled(r, address, bytes) : NULL;
    if (!at || !rights || !count) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        if (rights[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            (rights[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
             rights[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
             rights[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
            DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
        if (rights[i].location.id != 0) DRIVER_LEAVE(CUDA_ERROR_INVALID_DEVICE);
    }
    const CUresult ran = driver_result(gpu_synchronize(driver_get()->gpu, process_diags()));
    show(r, false);
    for (struct mapping *m = *at; m && m->first < address + bytes; m = m->next)
        m->access = rights[count - 1].flags;
    DRIVER_LEAVE(show(r, true) ? ran : CUDA_ERROR_OUT_OF_MEMORY);
}

static struct mapping *mapping_at(uint64_t address) {
    const struct reservation *const r = reservation_of(address, 1);
    struct mapping *m = r ? r->mappings : NULL;
    while (m && address - m->first >= m->bytes) m = m->next;
    return m;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                        CUdeviceptr address) {
    DRIVER_ENTER(NEED_INIT);
    const struct mapping *const m = mapping_at(address);
    if (!flags || !location || !is_device(location) || !m) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = m->access;
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// The memory of cuMemAlloc that holds the address, NULL: there is none. NCCL 2.30 asks for a handle of whatever it registers, and
// PyTorch 2.15 has it register what it allocates so: the vendor's driver has one.
static struct physical *plain_at(uint64_t address) {
    struct devmem_range range;
    if (!devmem_find(memory(), address, &range) || !driver_handle_live(TAG_MEMORY, range.first))
        return NULL;
    for (struct physical *p = all_physical; p; p = p->next)
        if (p->is_plain && p->at == range.first) return p;
    struct physical *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    *p = (struct physical){.next = all_physical,
                           .at = range.first,
                           .bytes = range.bytes,
                           .prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                    .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
                           .is_plain = true};
    all_physical = p;
    return p;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
    DRIVER_ENTER(NEED_INIT);
    if (!handle) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const struct mapping *const m = mapping_at(DRIVER_KEY(address));
    struct physical *const p = m ? m->what : plain_at(DRIVER_KEY(address));
    if (!p) DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    p->held++;
    *handle = DRIVER_KEY(p);
    DRIVER_LEAVE(CUDA_SUCCESS);
}

// ---- memory of several processes ----------------------------------------------------------------
// The page behind the memory.
struct sign {
    char text[32];
    uint64_t bytes;
    CUmemAllocationProp prop;
};
static const char SIGN[32] = "warpwatt device memory";

// Copies what of the memory was ever written into another file, at its beginning.
static bool copy_out(const struct physical *p, int to) {
    const off_t first = (off_t)p->at, end = (off_t)(p->at + p->bytes);
    for (off_t at = lseek(file, first, SEEK_DATA); at >= 0 && at < end;
         at = lseek(file, at, SEEK_DATA)) {
        const off_t hole = lseek(file, at, SEEK_HOLE), stop = hole < end ? hole : end;
        while (at < stop) {
            off_t out = at - first;
            const ssize_t n = copy_file_range(file, &at, to, &out, (size_t)(stop - at), 0);
            if (n <= 0) return false;
        }
    }
    return true;
}

// A file that holds the memory, then the sign; -1: the host has none. Its size is fixed.
static int make_own(const struct physical *p) {
    struct sign sign = {.bytes = p->bytes, .prop = p->prop};
    memcpy(sign.text, SIGN, sizeof SIGN);
    sign.prop.win32HandleMetaData = NULL;
    const int own = memfd_create("device memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (own < 0) return -1;
    if (ftruncate(own, (off_t)p->bytes + BEHIND) == 0 && copy_out(p, own) &&
        pwrite(own, &sign, sizeof sign, (off_t)p->bytes) == sizeof sign &&
        fcntl(own, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return own;
    close(own);
    return -1;
}

// Moves the memory out of the common file. Where it is mapped it stays.
static bool make_shareable(struct physical *p) {
    const int own = p->has_file ? p->own : make_own(p);
    if (own < 0) return false;
    for (struct reservation *r = reservations; r && !p->has_file; r = r->next)
        for (struct mapping *m = r->mappings; m; m = m->next)
            if (m->what == p && mmap(r->host + (m->first - r->first), m->bytes,
                                     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, own,
                                     0) == MAP_FAILED)
                return false;
    if (!p->has_file) drop_pages(p);
    p->has_file = true;
    p->own = own;
    p->at = 0;
    return true;
}

CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
    DRIVER_ENTER(NEED_INIT);
    struct physical *const p = physical_of(handle);
    if (!shareable || !p || !handles_of(p) || flags || type == CU_MEM_HANDLE_TYPE_NONE ||
        !(p->prop.requestedHandleTypes & type))
        DRIVER_LEAVE(CUDA_ERROR_INVALID_VALUE);
    const CUresult ran = driver_result(gpu_synchronize(driver_get()->gpu, process_diags()));
    const int number = make_shareable(p) ? fcntl(p->own, F_DUPFD, 0) : -1;
    if (number < 0) DRIVER_LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(shareable, &number, sizeof number);
    DRIVER_LEAVE(ran);
}

// The memory of this process that the file holds, NULL: none.
static struct physical *of_file(const struct stat *f) {
    for (struct physical *p = all_physical; p; p = p->next) {
        struct stat s;
        if (p->has_file && fstat(p->own, &s) == 0 && s.st_dev == f->st_dev && s.st_ino == f->st_ino)
            return p;
    }
    return NULL;
}

static CUresult import(CUmemGenericAllocationHandle *handle, int number) {
    struct stat f;
    struct sign sign;
    if (fstat(number, &f) != 0) return CUDA_ERROR_INVALID_VALUE;
    struct physical *p = of_file(&f);
    if (p) {
        p->held++;
        *handle = DRIVER_KEY(p);
        return CUDA_SUCCESS;
    }
    const int seals = fcntl(number, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || f.st_size <= BEHIND ||
        pread(number, &sign, sizeof sign, f.st_size - BEHIND) != sizeof sign ||
        memcmp(sign.text, SIGN, sizeof SIGN) || sign.bytes != (uint64_t)f.st_size - BEHIND)
        return CUDA_ERROR_INVALID_VALUE;
    p = calloc(1, sizeof *p);
    const int own = p ? fcntl(number, F_DUPFD_CLOEXEC, 0) : -1;
    if (own < 0) {
        free(p);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *p = (struct physical){.next = all_physical,
                           .bytes = sign.bytes,
                           .held = 1,
                           .prop = sign.prop,
                           .has_file = true,
                           .own = own,
                           .is_import = true};
    all_physical = p;
    *handle = DRIVER_KEY(p);
    return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                        CUmemAllocationHandleType type) {
    DRIVER_ENTER(NEED_INIT);
    if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        DRIVER_LEAVE(type == CU_MEM_HANDLE_TYPE_FABRIC ? CUDA_ERROR_NOT_SUPPORTED
                                                       : CUDA_ERROR_INVALID_VALUE);
    DRIVER_LEAVE(import(handle, (int)(intptr_t)shareable));
}
