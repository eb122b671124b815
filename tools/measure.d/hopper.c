// Parts `async` and `hopper`: copies that nobody waits for, barriers in shared memory, clusters of
// blocks and their shared memory, which multiprocessors form a cluster, the copy engine, and
// products of warp groups.
//
// One file for all of them, long: what was done, its variant, sizes, the multiprocessors, a value
// and its unit.
#include "hopper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// p0: clocks (two of 64 bits a warp of every block, 1024 bytes a block), p1: iterations, p2: global
// memory, p3: a number. %me is the block's number in the grid, %out points to the warp's clocks.
static const char *head =
    ".reg .b64 %out,%c0,%c1,%off,%ga,%g<4>,%st;\n.reg .b32 "
    "%ti,%li,%wi,%n,%x<4>,%lim,%keep,%sb,%me,%sm,%bar,%par,%peer,%tries;\n.reg .pred %p,%q,%one;\n"
    ".shared .align 1024 .b8 tile[40960];\n.shared .align 8 .b64 gate;\n"
    "mov.u32 %ti,%tid.x;\nand.b32 %li,%ti,31;\nshr.u32 %wi,%ti,5;\nmov.u32 %me,%ctaid.x;\nmov.u32 "
    "%sm,%smid;\n"
    "ld.param.u64 %out,[p0];\nld.param.u32 %n,[p1];\nld.param.u64 %ga,[p2];\nld.param.u32 "
    "%lim,[p3];\n"
    "mul.wide.u32 %off,%me,1024;\nadd.u64 %out,%out,%off;\nmul.wide.u32 %off,%wi,16;\nadd.u64 "
    "%out,%out,%off;\n"
    "mov.u32 %sb,tile;\nmov.u32 %bar,gate;\nmov.b32 %par,0;\nmov.b32 %keep,0;\nsetp.eq.u32 "
    "%one,%ti,0;\n";
static const char *loop = "bar.sync 0;\nmov.u64 %c0,%clock64;\nLOOP:\n";
static const char *again =
    "sub.u32 %n,%n,1;\nsetp.ne.u32 %p,%n,0;\n@%p bra LOOP;\nmov.u64 %c1,%clock64;\n";
// Lane 0 writes the clocks; the block's first thread its multiprocessor and rank behind them.
static const char *tail =
    "setp.ne.u32 %p,%li,0;\n@%p bra END;\nst.global.v2.b64 "
    "[%out],{%c0,%c1};\n@%one st.global.b32 [%out+1016],%sm;\n"
    "@%one st.global.b32 [%out+1020],%keep;\n@%one st.global.b32 [%out+1008],%tries;\nEND:\n";
static const char parameters[] = "u64 u32 u64 u32";

static void add(struct kernels *list, const char *name, int needs, int kind, const char *before,
                const char *body, const char *after) {
    struct text t = {0};
    text_add(&t, "%s%s%s%s%s%s%sret;\n", head, before, loop, body, again, tail, after);
    kernel_text(kernels_add(list, name, needs, kind), parameters, NULL, t.at);
    text_free(&t);
}

// A wait that has failed too often gives up: %tries goes to the results, and the value counts as
// refused.
#define PATIENCE "add.u32 %tries,%tries,1;\nsetp.lt.u32 %q,%tries,200000;\n"
enum { NO_PATIENCE = 200000 };

struct runner {
    struct kit *k;
    struct sheet s;
    struct kernels list;
    CUdeviceptr out, memory;
    size_t memory_bytes;
};

// Cycles of block `block` between its first start and last stop; negative: refused. Its
// multiprocessor to *sm.
static double cycles_of(struct runner *r, const struct kernel *x, struct launch l, unsigned loops,
                        CUdeviceptr memory, unsigned number, unsigned block, unsigned *sm) {
    void *arguments[] = {&r->out, &loops, &memory, &number};
    const char *why = gpu_launch(&r->k->gpu, x->function, l, arguments);
    if (why) {
        if (r->k->gpu.failed) kit_lost(r->k, x->name, why);
        return -1;
    }
    union {
        uint64_t clocks[128];
        uint32_t words[256];
    } seen;
    gpu_read(&r->k->gpu, &seen, r->out + block * 1024, sizeof seen);
    if (sm) *sm = seen.words[254];
    if (seen.words[252] >= NO_PATIENCE) return -1;
    uint64_t first = UINT64_MAX, last = 0;
    const unsigned warps = (l.block + 31) / 32;
    for (unsigned w = 0; w < warps; w++) {
        if (seen.clocks[w * 2] < first) first = seen.clocks[w * 2];
        if (seen.clocks[w * 2 + 1] > last) last = seen.clocks[w * 2 + 1];
    }
    return (double)(last - first);
}

// Cycles of an iteration of block 0, by the slope between two numbers of them, the least of three.
static double slope(struct runner *r, const struct kernel *x, struct launch l, CUdeviceptr memory,
                    unsigned number, unsigned few, unsigned many) {
    double least[2] = {INFINITY, INFINITY};
    if (!x->function || cycles_of(r, x, l, few, memory, number, 0, NULL) < 0) return NAN;
    for (unsigned i = 0; i < kit_pick(r->k, 3, 1); i++) {
        const double a = cycles_of(r, x, l, few, memory, number, 0, NULL),
                     b = cycles_of(r, x, l, many, memory, number, 0, NULL);
        if (a >= 0 && a < least[0]) least[0] = a;
        if (b >= 0 && b < least[1]) least[1] = b;
    }
    return (least[1] - least[0]) / (many - few);
}

struct line {
    const char *what, *variant;
    int cluster, rank, bytes, in_flight, sm, other; // negative: empty
    double value;
    const char *unit;
};
static const struct line none = {
    .cluster = -1, .rank = -1, .bytes = -1, .in_flight = -1, .sm = -1, .other = -1};

static void put(struct runner *r, struct line l) {
    struct sheet *s = &r->s;
    sheet_text(s, l.what);
    sheet_text(s, l.variant ? l.variant : "");
    const int numbers[] = {l.cluster, l.rank, l.bytes, l.in_flight, l.sm, l.other};
    for (int i = 0; i < 6; i++) {
        if (numbers[i] < 0)
            sheet_none(s);
        else
            sheet_int(s, numbers[i]);
    }
    sheet_real(s, l.value);
    sheet_text(s, isfinite(l.value) ? l.unit : "refused");
    sheet_end(s);
}

static struct runner begin(struct kit *k, const char *file, void (*kernels)(struct kernels *),
                           size_t memory) {
    struct runner r = {.k = k, .s = sheet_open(k, file), .memory_bytes = memory};
    kernels(&r.list);
    kernels_load(k, &r.list);
    for (unsigned i = 0; i < r.list.count; i++) {
        if (r.list.at[i].function) continue;
        struct line l = none;
        l.what = r.list.at[i].name, l.variant = r.list.at[i].refused, l.value = NAN;
        put(&r, l);
    }
    r.out = gpu_alloc(&k->gpu, 1024 * 1024);
    r.memory = gpu_alloc(&k->gpu, memory);
    return r;
}

// -------------------------------------------------------------------------------------- async
static const char *init_gate = "@%one mbarrier.init.shared.b64 [%bar],1;\nbar.sync 0;\n";
static const struct {
    const char *name, *before, *body;
    int gate, block;
} waits[] = {
    {"cp.async 4 and wait",
     "shl.b32 %x0,%ti,4;\nadd.u32 %sb,%sb,%x0;\ncvt.u64.u32 %off,%x0;\nadd.u64 %ga,%ga,%off;\n",
     "cp.async.ca.shared.global [%sb],[%ga],4;\ncp.async.commit_group;\ncp.async.wait_group 0;\n",
     0, 32},
    {"cp.async 16 and wait",
     "shl.b32 %x0,%ti,4;\nadd.u32 %sb,%sb,%x0;\ncvt.u64.u32 %off,%x0;\nadd.u64 %ga,%ga,%off;\n",
     "cp.async.cg.shared.global [%sb],[%ga],16;\ncp.async.commit_group;\ncp.async.wait_group 0;\n",
     0, 32},
    {"four cp.async 16 and wait",
     "shl.b32 %x0,%ti,4;\nadd.u32 %sb,%sb,%x0;\ncvt.u64.u32 %off,%x0;\nadd.u64 %ga,%ga,%off;\n",
     "cp.async.cg.shared.global [%sb],[%ga],16;\ncp.async.cg.shared.global "
     "[%sb+512],[%ga+512],16;\ncp.async.cg.shared.global [%sb+1024],[%ga+1024],16;\n"
     "cp.async.cg.shared.global "
     "[%sb+1536],[%ga+1536],16;\ncp.async.commit_group;\ncp.async.wait_group 0;\n",
     0, 32},
    {"mbarrier arrive", NULL, "@%one mbarrier.arrive.shared.b64 %st,[%bar];\n", 1, 32},
    {"mbarrier arrive and test", NULL,
     "mbarrier.arrive.shared.b64 %st,[%bar];\nT:\nmbarrier.test_wait.shared.b64 "
     "%q,[%bar],%st;\n@!%q bra T;\n",
     1, 1},
    {"mbarrier failing test", NULL,
     "mbarrier.test_wait.parity.shared.b64 %q,[%bar],%par;\nselp.u32 %x0,1,0,%q;\nadd.u32 "
     "%keep,%keep,%x0;\n",
     1, 1},
};
void async_kernels(struct kernels *list) {
    list->part = "async";
    for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++) {
        struct text before = {0};
        text_add(&before, "%s%s", waits[i].gate ? init_gate : "",
                 waits[i].before ? waits[i].before : "");
        // parity 0 waits for a phase that no arrival ends: the test fails each time
        add(list, waits[i].name, 80, KERNEL_PLAIN, before.at, waits[i].body, "");
        text_free(&before);
    }
}

void async_run(struct kit *k) {
    struct runner r = begin(k, "async", async_kernels, 65536);
    for (unsigned i = 0; i < r.list.count; i++) {
        if (!r.list.at[i].function) continue;
        struct line l = none;
        l.what = r.list.at[i].name;
        l.value = slope(&r, &r.list.at[i], (struct launch){1, (unsigned)waits[i].block, 0, 0},
                        r.memory, 0, 16, kit_pick(k, 144, 32));
        l.unit = "cycles";
        put(&r, l);
    }
    sheet_close(&r.s);
}

// ------------------------------------------------------------------------------------- hopper
enum {
    CLUSTER_BARRIER,
    REMOTE_LOAD,
    REMOTE_STORE,
    REMOTE_ATOMIC,
    REMOTE_ARRIVE,
    REMOTE_STREAM,
    WHERE,
    BULK,
    BULK_STREAM,
    MULTICAST,
    TENSOR,
    FIRST_WGMMA
};

#define RANK    "mov.u32 %keep,%cluster_ctarank;\n"
#define CLUSTER "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
// Shared memory's first word holds its own address in the window of the cluster; %lim is the rank
// that is asked.
#define REMOTE                                                                                     \
    RANK "mapa.shared::cluster.u32 %x0,%sb,%keep;\n@%one st.shared.b32 [%sb],%x0;\n" CLUSTER       \
         "mapa.shared::cluster.u32 %x0,%sb,%lim;\nmov.b32 %x1,1;\n"
#define WAIT                                                                                       \
    "T:\nmbarrier.try_wait.parity.shared.b64 %q,[%bar],%par;\n@%q bra W;\n" PATIENCE               \
    "@%q bra T;\nW:\nxor.b32 %par,%par,1;\n"

static const struct {
    const char *shape, *ns;
    unsigned regs;
    const char *shared_tail, *register_tail;
} products[] = {
    {"k16.f32.f16.f16", "8 16 32 64 96 128 192 256", 4, ",1,1,0,0", ",1,1,0"},
    {"k16.f16.f16.f16", "64 128 256", 2, ",1,1,0,0", ",1,1,0"},
    {"k16.f32.bf16.bf16", "64 128 256", 4, ",1,1,0,0", ",1,1,0"},
    {"k8.f32.tf32.tf32", "64 128 256", 4, ",1,1", ",1,1"},
    {"k32.f32.e4m3.e4m3", "64 128 256", 4, ",1,1", ",1,1"},
    {"k32.s32.s8.s8", "64 128 256", 4, "", ""},
};

static void add_wgmma(struct kernels *list, unsigned p, unsigned n, bool in_registers,
                      unsigned group) {
    char name[96];
    snprintf(name, sizeof name, "wgmma m64n%u%s|%s|%u", n, products[p].shape,
             in_registers ? "registers" : "shared", group);
    struct text before = {0}, body = {0};
    const unsigned d = n / 8 * products[p].regs;
    text_add(&before, ".reg .b32 %%d<%u>,%%a<4>;\n.reg .b64 %%da,%%db;\n", d);
    for (unsigned i = 0; i < d; i++) text_add(&before, "mov.b32 %%d%u,0;\n", i);
    // Zeros, or random numbers of f16 between 1/2 and 1 where %lim is 1: a rate does not depend on
    // them, power does.
    text_add(
        &before,
        "mov.u32 %%x0,%%ti;\nZ:\nshl.b32 %%x1,%%x0,2;\nadd.u32 %%x1,%%x1,%%sb;\nmad.lo.u32 "
        "%%x2,%%x0,0x9e3779b9,0x7f4a7c15;\n"
        "shr.u32 %%x3,%%x2,15;\nxor.b32 %%x2,%%x2,%%x3;\nmul.lo.u32 %%x2,%%x2,0x85ebca6b;\nand.b32 "
        "%%x2,%%x2,0x83ff83ff;\n"
        "or.b32 %%x2,%%x2,0x38003800;\nmul.lo.u32 %%x2,%%x2,%%lim;\nst.shared.b32 "
        "[%%x1],%%x2;\nadd.u32 %%x0,%%x0,128;\n"
        "setp.lt.u32 %%p,%%x0,10240;\n@%%p bra Z;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
        "shr.u32 %%x1,%%sb,4;\nand.b32 %%x1,%%x1,0x3fff;\ncvt.u64.u32 %%da,%%x1;\nor.b64 "
        "%%da,%%da,0x1000080000;\n"
        "add.u32 %%x1,%%sb,4096;\nshr.u32 %%x1,%%x1,4;\nand.b32 %%x1,%%x1,0x3fff;\ncvt.u64.u32 "
        "%%db,%%x1;\nor.b64 %%db,%%db,0x1000080000;\n"
        "setp.eq.u32 %%q,%%n,%%n;\n");
    for (unsigned i = 0; i < 4; i++)
        text_add(&before, "ld.shared.b32 %%a%u,[%%sb+%u];\n", i, i * 512);
    text_add(&before, "wgmma.fence.sync.aligned;\n");
    for (unsigned g = 0; g < group; g++) {
        text_add(&body, "wgmma.mma_async.sync.aligned.m64n%u%s {", n, products[p].shape);
        for (unsigned i = 0; i < d; i++) text_add(&body, "%s%%d%u", i ? "," : "", i);
        text_add(&body,
                 in_registers ? "},{%%a0,%%a1,%%a2,%%a3},%%db,%%q%s;\n" : "},%%da,%%db,%%q%s;\n",
                 in_registers ? products[p].register_tail : products[p].shared_tail);
    }
    text_add(&body, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    struct text after = {0};
    text_add(&after, "mov.b32 %%keep,0;\n");
    for (unsigned i = 0; i < d; i++) text_add(&after, "or.b32 %%keep,%%keep,%%d%u;\n", i);
    text_add(&after, "setp.eq.u32 %%p,%%keep,12345;\n@%%p st.global.b32 [%%ga],%%keep;\n");
    add(list, name, 90, KERNEL_ARCH, before.at, body.at, after.at);
    text_free(&before);
    text_free(&body);
    text_free(&after);
}

void hopper_kernels(struct kernels *list) {
    list->part = "hopper";
    list->chunk = 12;
    add(list, "cluster barrier", 90, KERNEL_PLAIN, RANK, CLUSTER, "");
    add(list, "remote load", 90, KERNEL_PLAIN, REMOTE, "ld.shared::cluster.b32 %x0,[%x0];\n",
        "st.global.b32 [%ga],%x0;\n" CLUSTER);
    add(list, "remote store and load", 90, KERNEL_PLAIN, REMOTE,
        "st.volatile.shared::cluster.b32 [%x0],%x0;\nld.volatile.shared::cluster.b32 %x0,[%x0];\n",
        "st.global.b32 [%ga],%x0;\n" CLUSTER);
    add(list, "remote atomic", 90, KERNEL_PLAIN, REMOTE,
        "atom.shared::cluster.add.u32 %x1,[%x0],0;\nmov.b32 %x0,%x1;\n",
        "st.global.b32 [%ga],%x0;\n" CLUSTER);
    add(list, "remote arrive", 90, KERNEL_PLAIN,
        RANK "@%one mbarrier.init.shared.b64 [%bar],1;\n" CLUSTER
             "mapa.shared::cluster.u32 %x0,%bar,%lim;\n",
        "@%one mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%x0];\n", CLUSTER);
    // Every block reads 32 KiB of its neighbour's shared memory, 16 bytes a thread and step.
    {
        struct text body = {0};
        for (int i = 0; i < 4; i++)
            text_add(&body,
                     "ld.volatile.shared::cluster.v4.b32 "
                     "{%%x0,%%x1,%%x2,%%x3},[%%peer+%d];\nxor.b32 %%lim,%%lim,%%x0;\n",
                     i * 8192);
        add(list, "remote stream", 90, KERNEL_PLAIN,
            RANK "mov.u32 %x0,%cluster_nctarank;\nadd.u32 %x1,%keep,%lim;\nrem.u32 "
                 "%x1,%x1,%x0;\nmapa.shared::cluster.u32 %peer,%sb,%x1;\n"
                 "and.b32 %x2,%ti,511;\nshl.b32 %x2,%x2,4;\nadd.u32 %peer,%peer,%x2;\n" CLUSTER,
            body.at, "@%one st.global.b32 [%ga],%lim;\n" CLUSTER);
        text_free(&body);
    }
    add(list, "where", 90, KERNEL_PLAIN,
        RANK "mov.u32 %x0,%clusterid.x;\n@%one st.global.b32 [%out+1012],%x0;\n",
        "nanosleep.u32 20000;\n", "");
    // Bulk copies: %lim bytes from global memory; the source moves on by them.
    add(list, "bulk copy and wait", 90, KERNEL_PLAIN,
        "@%one mbarrier.init.shared.b64 [%bar],1;\nfence.mbarrier_init.release.cluster;\nbar.sync "
        "0;\n",
        "mbarrier.arrive.expect_tx.shared.b64 %st,[%bar],%lim;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%sb],[%ga],%lim,[%bar];\n" WAIT "cvt.u64.u32 %off,%lim;\nadd.u64 %ga,%ga,%off;\n",
        "");
    // Eight in flight of each block: a gate a stage. %lim bytes each, at most 4096; blocks take
    // turns over the memory.
    add(list, "bulk stream", 90, KERNEL_PLAIN,
        ".shared .align 8 .b64 gates[8];\n.reg .b32 %slot,%g32,%stage,%ph;\n.reg .b64 "
        "%step;\nmov.u32 %g32,gates;\n"
        "@!%one bra I1;\nmov.b32 %x0,0;\nI0:\nshl.b32 %x1,%x0,3;\nadd.u32 "
        "%x1,%x1,%g32;\nmbarrier.init.shared.b64 [%x1],1;\nadd.u32 %x0,%x0,1;\n"
        "setp.lt.u32 %p,%x0,8;\n@%p bra I0;\nfence.mbarrier_init.release.cluster;\nI1:\nbar.sync "
        "0;\n"
        "mul.wide.u32 %off,%me,%lim;\nadd.u64 %ga,%ga,%off;\nmov.u32 %x0,%nctaid.x;\nmul.wide.u32 "
        "%step,%x0,%lim;\nmov.b32 %stage,0;\nmov.b32 %ph,0;\n",
        // wait for the slot (not in the first round), then order the next copy into it
        "and.b32 %slot,%stage,7;\nshl.b32 %x1,%slot,3;\nadd.u32 %x1,%x1,%g32;\nshl.b32 "
        "%x2,%slot,12;\nadd.u32 %x2,%x2,%sb;\n"
        "setp.lt.u32 %p,%stage,8;\n@%p bra GO;\nshr.u32 %ph,%stage,3;\nsub.u32 %ph,%ph,1;\nand.b32 "
        "%ph,%ph,1;\n"
        "T:\nmbarrier.try_wait.parity.shared.b64 %q,[%x1],%ph;\n@%q bra GO;\n" PATIENCE
        "@%q bra T;\nGO:\n"
        "mbarrier.arrive.expect_tx.shared.b64 %st,[%x1],%lim;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%x2],[%ga],%lim,[%x1];\nadd.u64 %ga,%ga,%step;\nadd.u32 %stage,%stage,1;\n",
        // the copies that are still on their way must land before the block ends
        "mov.b32 %x0,0;\nD0:\nadd.u32 %x3,%stage,%x0;\nand.b32 %slot,%x3,7;\nshl.b32 "
        "%x1,%slot,3;\nadd.u32 %x1,%x1,%g32;\nshr.u32 %ph,%x3,3;\nsub.u32 %ph,%ph,1;\n"
        "and.b32 %ph,%ph,1;\nD1:\nmbarrier.try_wait.parity.shared.b64 %q,[%x1],%ph;\n@%q bra "
        "D2;\n" PATIENCE
        "@%q bra D1;\nD2:\nadd.u32 %x0,%x0,1;\nsetp.lt.u32 %p,%x0,8;\n@%p bra D0;\n");
    // The first block of a cluster sends %lim bytes to all; all wait on their own gates.
    add(list, "multicast and wait", 90, KERNEL_PLAIN,
        RANK ".reg .b16 %mask;\n.reg .pred %lead;\nmov.u32 %x0,%cluster_nctarank;\nmov.b32 "
             "%x1,1;\nshl.b32 %x1,%x1,%x0;\nsub.u32 %x1,%x1,1;\ncvt.u16.u32 %mask,%x1;\n"
             "setp.eq.u32 %lead,%keep,0;\n@%one mbarrier.init.shared.b64 "
             "[%bar],1;\nfence.mbarrier_init.release.cluster;\n" CLUSTER,
        "mbarrier.arrive.expect_tx.shared.b64 %st,[%bar],%lim;\n" CLUSTER "@%lead "
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%sb],[%ga],%lim,[%bar],%mask;\n" WAIT,
        CLUSTER);
    // A box of a tensor: %ga is the map, %lim the bytes of a box of 64 columns; boxes follow each
    // other down the rows.
    add(list, "tensor copy and wait", 90, KERNEL_PLAIN,
        ".reg .b32 %row;\nmov.b32 %row,0;\n@%one mbarrier.init.shared.b64 "
        "[%bar],1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\nshr.u32 %x1,%lim,7;\n",
        "mbarrier.arrive.expect_tx.shared.b64 %st,[%bar],%lim;\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%sb],[%ga,{%wi,%row}],[%bar];\n" WAIT "add.u32 %row,%row,%x1;\n",
        "");
    for (unsigned p = 0; p < sizeof products / sizeof *products; p++) {
        for (const char *n = products[p].ns; *n; n += strcspn(n, " "), n += *n == ' ') {
            for (unsigned group = 1; group <= 8; group *= 8) {
                add_wgmma(list, p, (unsigned)atoi(n), false, group);
                add_wgmma(list, p, (unsigned)atoi(n), true, group);
            }
        }
    }
}

static void clusters(struct runner *r) {
    struct gpu *g = &r->k->gpu;
    for (unsigned size = 1; size <= 16; size *= 2) {
        const struct kernel *x = &r->list.at[WHERE];
        struct line l = none;
        l.cluster = (int)size;
        if (g->cuOccupancyMaxActiveClusters && x->function) {
            CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
            a.value.clusterDim.x = size;
            a.value.clusterDim.y = a.value.clusterDim.z = 1;
            const CUlaunchConfig config = {.gridDimX = size,
                                           .gridDimY = 1,
                                           .gridDimZ = 1,
                                           .blockDimX = 1024,
                                           .blockDimY = 1,
                                           .blockDimZ = 1,
                                           .attrs = &a,
                                           .numAttrs = 1};
            int n = 0;
            if (size > 8)
                g->cuFuncSetAttribute(x->function,
                                      CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
            if (g->cuOccupancyMaxActiveClusters(&n, x->function, &config) == CUDA_SUCCESS) {
                l.what = "most clusters at a time", l.variant = "1024 threads", l.value = n,
                l.unit = "clusters";
                put(r, l);
            }
        }
        l.what = "cluster barrier", l.variant = "32 threads";
        l.value = slope(r, &r->list.at[CLUSTER_BARRIER], (struct launch){size, 32, 0, size},
                        r->memory, 0, 8, 72),
        l.unit = "cycles";
        put(r, l);
        l.variant = "1024 threads";
        l.value = slope(r, &r->list.at[CLUSTER_BARRIER], (struct launch){size, 1024, 0, size},
                        r->memory, 0, 8, 72);
        put(r, l);
    }
    // Shared memory of other blocks, from rank 0 to each: several launches land on several
    // multiprocessors.
    static const int kinds[] = {REMOTE_LOAD, REMOTE_STORE, REMOTE_ATOMIC, REMOTE_ARRIVE};
    for (unsigned size = 2; size <= 16; size *= 2) {
        for (unsigned rank = 0; rank < size; rank++) {
            for (unsigned i = 0; i < 4; i++) {
                const struct kernel *x = &r->list.at[kinds[i]];
                if (!x->function) continue;
                // One warp of each block does it, so ranks other than 0 ask as well; block 0 is
                // looked at.
                struct line l = none;
                l.what = x->name, l.cluster = (int)size, l.rank = (int)rank, l.unit = "cycles";
                l.value = slope(r, x, (struct launch){size, 1, 0, size}, r->memory, rank, 16, 144);
                unsigned sm = 0, other = 0;
                if (!isnan(l.value)) {
                    cycles_of(r, x, (struct launch){size, 1, 0, size}, 16, r->memory, rank, rank,
                              &other);
                    cycles_of(r, x, (struct launch){size, 1, 0, size}, 16, r->memory, rank, 0, &sm);
                    l.sm = (int)sm, l.other = (int)other;
                }
                put(r, l);
            }
        }
        for (unsigned all = 0; all < 2; all++) {
            struct line l = none;
            const unsigned grid = all ? (unsigned)g->sms / size / 2 * size : size;
            l.what = "remote stream",
            l.variant = all ? "half of the multiprocessors" : "one cluster", l.cluster = (int)size,
            l.unit = "bytes a cycle and block";
            const double c = slope(r, &r->list.at[REMOTE_STREAM],
                                   (struct launch){grid, 512, 0, size}, r->memory, 1, 16, 144);
            l.value = 512 * 16 * 4 / c;
            put(r, l);
        }
    }
    // Which multiprocessors form a cluster: those of one belong to one GPC.
    for (unsigned size = 2; size <= 16; size *= 2) {
        const struct kernel *x = &r->list.at[WHERE];
        const unsigned grid = (unsigned)g->sms / size * size;
        unsigned loops = 1, number = 0;
        void *arguments[] = {&r->out, &loops, &r->memory, &number};
        if (!x->function ||
            gpu_launch(g, x->function, (struct launch){grid, 1024, 0, size}, arguments))
            continue;
        uint32_t *seen = need(malloc((size_t)grid * 1024));
        gpu_read(g, seen, r->out, (size_t)grid * 1024);
        for (unsigned b = 0; b < grid; b++) {
            struct line l = none;
            l.what = "block placed", l.cluster = (int)size, l.rank = (int)seen[b * 256 + 255],
            l.sm = (int)seen[b * 256 + 254];
            l.value = seen[b * 256 + 253], l.unit = "cluster's number";
            put(r, l);
        }
        free(seen);
    }
}

// cuTensorMapEncodeTiled, as the driver documents it since CUDA 12.0.
typedef CUresult encode_tiled(void *map, int type, unsigned rank, void *address,
                              const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                              const uint32_t *element_strides, int interleave, int swizzle,
                              int promotion, int fill);

#include <dlfcn.h>

static void copies(struct runner *r) {
    struct gpu *g = &r->k->gpu;
    for (unsigned cold = 0; cold < 2; cold++) {
        for (unsigned bytes = 16; bytes <= 32768; bytes *= 2) {
            struct line l = none;
            l.what = "bulk copy and wait", l.variant = cold ? "first touch" : "in L2",
            l.bytes = (int)bytes, l.unit = "cycles";
            const unsigned loops = 64;
            const struct kernel *x = &r->list.at[BULK];
            if (!x->function) continue;
            const struct launch one = {1, 1, 0, 0};
            // In L2: the same bytes were copied just before. First touch: a part of memory of its
            // own.
            const CUdeviceptr at =
                r->memory + (cold ? ((size_t)16 << 20) + (size_t)bytes * loops * 2 : 0);
            double c = cycles_of(r, x, one, loops, at, bytes, 0, NULL);
            if (!cold) c = cycles_of(r, x, one, loops, at, bytes, 0, NULL);
            l.value = c < 0 ? NAN : c / loops;
            put(r, l);
        }
    }
    for (unsigned bytes = 512; bytes <= 4096; bytes *= 2) {
        for (unsigned share = 1; share <= 4; share *= 2) {
            const struct kernel *x = &r->list.at[BULK_STREAM];
            if (!x->function) continue;
            unsigned loops = 4096, number = bytes;
            const unsigned blocks = (unsigned)g->sms * share;
            while ((size_t)blocks * loops * bytes > r->memory_bytes) loops /= 2;
            void *arguments[] = {&r->out, &loops, &r->memory, &number};
            double best = INFINITY;
            for (int i = 0; i < 3; i++) {
                const double ms =
                    gpu_time(g, x->function, (struct launch){blocks, 1, 0, 0}, arguments);
                if (ms > 0 && ms < best) best = ms;
            }
            struct line l = none;
            l.what = "bulk stream", l.bytes = (int)bytes, l.in_flight = (int)(share * 8),
            l.unit = "gigabytes a second";
            l.value = isinf(best) ? NAN : (double)blocks * loops * bytes / best * 1e-6;
            put(r, l);
        }
    }
    for (unsigned size = 2; size <= 8; size *= 2) {
        for (unsigned bytes = 1024; bytes <= 16384; bytes *= 4) {
            struct line l = none;
            l.what = "multicast and wait", l.cluster = (int)size, l.bytes = (int)bytes,
            l.unit = "cycles with a cluster barrier";
            l.value = slope(r, &r->list.at[MULTICAST], (struct launch){size, 1, 0, size}, r->memory,
                            bytes, 8, 40);
            put(r, l);
        }
    }
    encode_tiled *encode;
    *(void **)&encode = dlsym(g->library, "cuTensorMapEncodeTiled");
    const struct kernel *x = &r->list.at[TENSOR];
    if (!encode || !x->function) return;
    for (unsigned rows = 8; rows <= 256; rows *= 2) {
        for (int swizzle = 0; swizzle <= 3; swizzle += 3) {
            _Alignas(64) unsigned char map[128];
            // 64 columns of f16 (kind 6), rows of 128 bytes, a box as wide as the tensor
            const uint64_t sizes[2] = {64, 65536}, strides[1] = {128};
            const uint32_t box[2] = {64, rows}, ones[2] = {1, 1};
            if (encode(map, 6, 2, (void *)(uintptr_t)(r->memory + ((size_t)1 << 20)), sizes,
                       strides, box, ones, 0, swizzle, 0, 0) != CUDA_SUCCESS)
                continue;
            GPU(g, cuMemcpyHtoD, r->memory, map, sizeof map);
            struct line l = none;
            l.what = "tensor copy and wait",
            l.variant = swizzle ? "128-byte swizzle" : "no swizzle", l.bytes = (int)(rows * 128),
            l.unit = "cycles";
            cycles_of(r, x, (struct launch){1, 1, 0, 0}, 64, r->memory, rows * 128, 0, NULL);
            const double c =
                cycles_of(r, x, (struct launch){1, 1, 0, 0}, 64, r->memory, rows * 128, 0, NULL);
            l.value = c < 0 ? NAN : c / 64;
            put(r, l);
        }
    }
}

void hopper_run(struct kit *k) {
    struct runner r = begin(k, "hopper", hopper_kernels, (size_t)1 << 30);
    for (unsigned i = FIRST_WGMMA; i < r.list.count && !kit_over(k, 1); i++) {
        const struct kernel *x = &r.list.at[i];
        if (!x->function) continue;
        const unsigned group = (unsigned)atoi(strrchr(x->name, '|') + 1);
        for (unsigned groups = 1; groups <= 2; groups++) { // warp groups of the block
            struct line l = none;
            l.what = "wgmma", l.variant = x->name + 6, l.in_flight = (int)group,
            l.other = (int)groups, l.unit = "cycles a product (other: warp groups)";
            l.value =
                slope(&r, x, (struct launch){1, 128 * groups, 0, 0}, r.memory, 0, 8, 72) / group;
            put(&r, l);
        }
    }
    clusters(&r);
    copies(&r);
    sheet_close(&r.s);
}
