// Parts `chase`, `bandwidth` and `l2map`: latency by size and stride, rates by bytes in flight, and
// which line of L2 is how far from which multiprocessor.
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------------------------- chase
// One thread follows pointers: p0: cycles, p1: first pointer, p2: loads by sixteen, p3: loads
// before the clock starts, by sixteen. (L1 is empty when a kernel begins.)
static void add_chase(struct kernels *list, const char *name, const char *load) {
    struct kernel *k = kernels_add(list, name, 70, KERNEL_PLAIN);
    struct text t = {0};
    text_add(&t, "%s",
             ".reg .b64 %out,%x,%c0,%c1;\n.reg .b32 %n;\n.reg .pred %p;\nld.param.u64 "
             "%out,[p0];\nld.param.u64 %x,[p1];\n"
             "ld.param.u32 %n,[p3];\nsetp.eq.u32 %p,%n,0;\n@%p bra READY;\nWARM:\n");
    for (int i = 0; i < 16; i++) text_add(&t, "%s\n", load);
    text_add(&t, "%s",
             "sub.u32 %n,%n,1;\nsetp.ne.u32 %p,%n,0;\n@%p bra WARM;\nREADY:\nst.global.b64 "
             "[%out+8],%x;\n"
             "ld.param.u32 %n,[p2];\nmov.u64 %c0,%clock64;\nLOOP:\n");
    for (int i = 0; i < 16; i++) text_add(&t, "%s\n", load);
    text_add(&t, "%s",
             "sub.u32 %n,%n,1;\nsetp.ne.u32 %p,%n,0;\n@%p bra LOOP;\nst.global.b64 "
             "[%out+8],%x;\nmov.u64 %c1,%clock64;\n"
             "sub.u64 %c1,%c1,%c0;\nst.global.b64 [%out],%c1;\nret;\n");
    kernel_text(k, "u64 u64 u32 u32", NULL, t.at);
    text_free(&t);
}

// Writes the pointers: p0: buffer, p1: where each of the places leads (u32), p2: places, p3:
// stride.
static const char fill_text[] =
    ".reg .b64 %at,%next,%o,%to;\n.reg .b32 %i,%a,%b,%n,%stride;\n.reg .pred %p;\n"
    "mov.u32 %i,%ctaid.x;\nmov.u32 %a,%ntid.x;\nmov.u32 %b,%tid.x;\nmad.lo.u32 "
    "%i,%i,%a,%b;\nld.param.u32 %n,[p2];\n"
    "setp.ge.u32 %p,%i,%n;\n@%p bra END;\nld.param.u64 %at,[p0];\nld.param.u64 "
    "%next,[p1];\nld.param.u32 %stride,[p3];\n"
    "mul.wide.u32 %o,%i,4;\nadd.u64 %next,%next,%o;\nld.global.b32 %a,[%next];\nmul.wide.u32 "
    "%to,%a,%stride;\n"
    "add.u64 %to,%to,%at;\nmul.wide.u32 %o,%i,%stride;\nadd.u64 %o,%o,%at;\nst.global.b64 "
    "[%o],%to;\nEND:\nret;\n";

// Reads every place once with all threads of a block, so that caches hold it: the same parameters.
static const char touch_text[] =
    ".reg .b64 %at,%o,%v;\n.reg .b32 %i,%a,%n,%stride;\n.reg .pred %p;\n"
    "mov.u32 %i,%tid.x;\nld.param.u32 %n,[p2];\nld.param.u64 %at,[p0];\nld.param.u32 "
    "%stride,[p3];\nmov.u32 %a,%ntid.x;\n"
    "LOOP:\nsetp.ge.u32 %p,%i,%n;\n@%p bra END;\nmul.wide.u32 %o,%i,%stride;\nadd.u64 "
    "%o,%o,%at;\nld.volatile.global.b64 %v,[%o];\n"
    "add.u32 %i,%i,%a;\nbra LOOP;\nEND:\nret;\n";

enum { CHASE_CA, CHASE_CG, FILL, TOUCH };

void chase_kernels(struct kernels *list) {
    list->part = "chase";
    add_chase(list, "ca", "ld.global.b64 %x,[%x];"); // a weak load: it may hit in L1
    add_chase(list, "cg", "ld.global.cg.b64 %x,[%x];");
    struct kernel *k = kernels_add(list, "fill", 70, KERNEL_PLAIN);
    kernel_text(k, "u64 u64 u32 u32", NULL, fill_text);
    k = kernels_add(list, "touch", 70, KERNEL_PLAIN);
    kernel_text(k, "u64 u64 u32 u32", NULL, touch_text);
}

struct chase {
    struct kit *k;
    struct sheet *s;
    struct kernels list;
    CUdeviceptr out, buffer, next;
    size_t room;     // bytes of the buffer
    unsigned *order; // host's room for `places`
    unsigned places; // at most
};

static void launch(struct chase *c, int which, unsigned grid, unsigned block, void **arguments) {
    const struct kernel *x = &c->list.at[which];
    if (!x->function) die("chase: %s", x->refused);
    const char *why =
        gpu_launch(&c->k->gpu, x->function, (struct launch){grid, block, 0, 0}, arguments);
    if (why) kit_lost(c->k, x->name, why);
}

// One ring through all places, in random order (Sattolo's shuffle by a fixed seed) or one after
// another.
static void order(struct chase *c, unsigned places, bool random) {
    for (unsigned i = 0; i < places; i++) c->order[i] = random ? i : (i + 1) % places;
    if (!random) return;
    for (unsigned i = places - 1; i > 0; i--) {
        const unsigned j = (unsigned)(mix64(i + 0x1234567) % i), swap = c->order[i];
        c->order[i] = c->order[j];
        c->order[j] = swap;
    }
}

// A point of a curve; warm: what it reads was read before.
static void chase_point(struct chase *c, int which, size_t footprint, unsigned stride, bool random,
                        bool warm) {
    struct gpu *g = &c->k->gpu;
    unsigned places = (unsigned)(footprint / stride);
    if (places < 2 || places > c->places || footprint > c->room || kit_over(c->k, 1)) return;
    order(c, places, random);
    GPU(g, cuMemcpyHtoD, c->next, c->order, places * sizeof *c->order);
    void *set[] = {&c->buffer, &c->next, &places, &stride};
    launch(c, FILL, (places + 255) / 256, 256, set);
    const unsigned most = kit_pick(c->k, 8192, 256);
    unsigned steps = (places < most ? places + 15 : most) / 16;
    if (steps < 16) steps = 16;
    unsigned before = warm && places <= most ? (places + 15) / 16 : 0;
    void *arguments[] = {&c->out, &c->buffer, &steps, &before};
    if (warm) {
        launch(c, TOUCH, 1, 1024, set);
    } else {
        // Another part of the buffer goes through L2, so that the places are out of it.
        CUdeviceptr other = c->buffer + footprint;
        unsigned lines = (unsigned)((c->room - footprint) / 128), wide = 128;
        void *away[] = {&other, &c->next, &lines, &wide};
        if (lines > c->places) lines = c->places;
        launch(c, TOUCH, 1, 1024, away);
    }
    double best = INFINITY;
    for (unsigned i = 0; i < (warm ? kit_pick(c->k, 2, 1) : 1); i++) {
        launch(c, which, 1, 1, arguments);
        uint64_t cycles = 0;
        gpu_read(g, &cycles, c->out, sizeof cycles);
        if ((double)cycles < best) best = (double)cycles;
    }
    struct sheet *s = c->s;
    sheet_text(s, which == CHASE_CA ? "ca" : "cg");
    sheet_text(s, random ? "random" : "sequential");
    sheet_text(s, warm ? "warm" : "cold");
    sheet_int(s, (int64_t)footprint);
    sheet_int(s, stride);
    sheet_int(s, steps * 16);
    sheet_real(s, best / (steps * 16.0));
    sheet_end(s);
}

void chase_run(struct kit *k) {
    struct gpu *g = &k->gpu;
    struct sheet s = sheet_open(k, "chase");
    struct chase c = {.k = k, .s = &s, .places = kit_pick(k, 1u << 20, 1u << 13)};
    chase_kernels(&c.list);
    kernels_load(k, &c.list);
    size_t free_bytes = 0, total = 0;
    GPU(g, cuMemGetInfo, &free_bytes, &total);
    c.room = k->scale ? (size_t)64 << 30 : (size_t)1 << 20;
    while (c.room > free_bytes / 4 * 3) c.room /= 2;
    GPU(g, cuMemAlloc, &c.buffer, c.room);
    c.next = gpu_alloc(g, c.places * sizeof *c.order);
    c.order = need(malloc(c.places * sizeof *c.order));
    c.out = gpu_alloc(g, 64);
    // By size, a line a place; above what the places allow the stride grows, by odd numbers of
    // lines.
    for (int which = CHASE_CA; which <= CHASE_CG; which++) {
        for (size_t base = 4096; base <= c.room / 2; base *= k->scale ? 2 : 8) {
            for (unsigned q = 4; q < (base < 16384 || !k->scale ? 5u : 8u); q++) {
                const size_t bytes = base / 4 * q;
                unsigned lines = (unsigned)((bytes / 128 + c.places - 1) / c.places);
                if (!(lines & 1)) lines++;
                if (which == CHASE_CG && bytes > (size_t)256 << 20)
                    continue; // the same as ca from there on
                if (bytes <= (size_t)8 << 30)
                    chase_point(&c, which, bytes, lines * 128, true, true);
            }
        }
    }
    // Strides: what a miss brings along.
    for (unsigned stride = 8; stride <= 4096; stride *= k->scale ? 2 : 16)
        chase_point(&c, CHASE_CA, (size_t)stride * kit_pick(k, 8192, 256), stride, false, false);
    for (unsigned stride = 16; stride <= 512; stride *= k->scale ? 2 : 8) {
        chase_point(&c, CHASE_CA, 65536, stride, true, true);
        chase_point(&c, CHASE_CA, (size_t)4 << 20, stride, true, true);
    }
    // Translation: few lines far apart. A place moves by a line as well, lest all fall into one set
    // of a cache.
    for (unsigned stride = 65536; stride <= 64u << 20; stride *= 2) {
        for (unsigned places = 4; places <= 8192; places *= 2) {
            const unsigned apart = stride + 128;
            if ((size_t)apart * places <= c.room && (k->scale || places <= 16))
                chase_point(&c, CHASE_CG, (size_t)apart * places, apart, true, true);
        }
    }
    sheet_close(&s);
}

// ---------------------------------------------------------------------------------- bandwidth
// p0: buffer, p1: bytes that all threads pass over (of the whole grid), p2: passes, p3: a value no
// sum has. Thread t of all reads or writes 16 bytes, `unroll` of them in flight, then moves on by
// the grid.
static void add_stream(struct kernels *list, const char *kind, const char *op, unsigned unroll) {
    char name[48];
    snprintf(name, sizeof name, "%s|%u", kind, unroll);
    struct kernel *k = kernels_add(list, name, 70, KERNEL_PLAIN);
    const bool writes = strcmp(kind, "write") == 0, copies = strcmp(kind, "copy") == 0;
    struct text t = {0};
    text_add(
        &t, "%s",
        ".reg .b64 %at,%end,%first,%to,%step,%half,%o;\n.reg .b32 %i,%a,%b,%n,%keep,%never;\n.reg "
        ".pred %p,%q;\n"
        "mov.u32 %i,%ctaid.x;\nmov.u32 %a,%ntid.x;\nmov.u32 %b,%tid.x;\nmad.lo.u32 %i,%i,%a,%b;\n"
        "ld.param.u64 %at,[p0];\nld.param.u64 %end,[p1];\nld.param.u32 %n,[p2];\nld.param.u32 "
        "%never,[p3];\n"
        "mov.u64 %half,%end;\nadd.u64 %end,%end,%at;\nmul.wide.u32 %first,%i,16;\nadd.u64 "
        "%first,%first,%at;\n"
        "mov.u32 %b,%nctaid.x;\nmul.lo.u32 %b,%b,%a;\nmul.wide.u32 %step,%b,16;\nmov.b32 "
        "%keep,0;\n");
    for (unsigned u = 0; u < unroll; u++)
        text_add(&t, ".reg .b32 %%x%u,%%y%u,%%z%u,%%w%u;\n.reg .b64 %%p%u;\n", u, u, u, u, u);
    if (writes) {
        for (unsigned u = 0; u < unroll; u++)
            text_add(&t,
                     "mad.lo.u32 %%x%u,%%i,0x9e3779b9,%u;\nnot.b32 %%y%u,%%x%u;\nmov.b32 "
                     "%%z%u,%%i;\nmov.b32 %%w%u,%%x%u;\n",
                     u, u, u, u, u, u, u);
    }
    text_add(&t, "PASS:\nmov.u64 %%to,%%first;\nLOOP:\n");
    for (unsigned u = 0; u < unroll; u++) {
        text_add(&t, u ? "add.u64 %%p%u,%%p%u,%%step;\n" : "mov.u64 %%p%u,%%to;\n", u, u - 1);
    }
    if (!writes)
        for (unsigned u = 0; u < unroll; u++)
            text_add(&t, "%s {%%x%u,%%y%u,%%z%u,%%w%u},[%%p%u];\n", op, u, u, u, u, u);
    for (unsigned u = 0; u < unroll; u++) {
        if (writes) {
            text_add(&t, "st.global.v4.b32 [%%p%u],{%%x%u,%%y%u,%%z%u,%%w%u};\n", u, u, u, u, u);
        } else if (copies) {
            text_add(
                &t,
                "add.u64 %%o,%%p%u,%%half;\nst.global.v4.b32 [%%o],{%%x%u,%%y%u,%%z%u,%%w%u};\n", u,
                u, u, u, u);
        } else {
            text_add(&t,
                     "xor.b32 %%keep,%%keep,%%x%u;\nxor.b32 %%keep,%%keep,%%y%u;\nxor.b32 "
                     "%%keep,%%keep,%%z%u;\nxor.b32 %%keep,%%keep,%%w%u;\n",
                     u, u, u, u);
        }
    }
    text_add(&t,
             "add.u64 %%to,%%p%u,%%step;\nsetp.lt.u64 %%p,%%to,%%end;\n@%%p bra LOOP;\nsub.u32 "
             "%%n,%%n,1;\n"
             "setp.ne.u32 %%p,%%n,0;\n@%%p bra PASS;\nsetp.eq.u32 %%q,%%keep,%%never;\n@%%q "
             "st.global.b32 [%%at],%%keep;\nret;\n",
             unroll - 1);
    kernel_text(k, "u64 u64 u32 u32", NULL, t.at);
    text_free(&t);
}

static const unsigned unrolls[] = {1, 2, 4, 8};
static const char *const streams[][2] = {{"read", "ld.global.cg.v4.b32"},
                                         {"read L1", "ld.global.ca.v4.b32"},
                                         {"write", ""},
                                         {"copy", "ld.global.cg.v4.b32"}};

void bandwidth_kernels(struct kernels *list) {
    list->part = "bandwidth";
    for (unsigned s = 0; s < 4; s++) {
        for (unsigned u = 0; u < 4; u++) add_stream(list, streams[s][0], streams[s][1], unrolls[u]);
    }
}

static void bandwidth_point(struct kit *k, struct sheet *s, const struct kernels *list,
                            CUdeviceptr buffer, unsigned stream, unsigned u, unsigned blocks,
                            unsigned threads, size_t footprint, unsigned passes) {
    struct gpu *g = &k->gpu;
    const struct kernel *x = &list->at[stream * 4 + u];
    if (!x->function || kit_over(k, 1)) return;
    // Whole rounds of the grid: every load lies inside.
    const size_t round = (size_t)blocks * threads * 16 * unrolls[u];
    size_t bytes = footprint / round * round;
    if (!bytes) return;
    unsigned never = 0x9e3779b9;
    void *arguments[] = {&buffer, &bytes, &passes, &never};
    double best = INFINITY;
    for (unsigned i = 0; i < kit_pick(k, 4, 1); i++) {
        const double ms =
            gpu_time(g, x->function, (struct launch){blocks, threads, 0, 0}, arguments);
        if (ms < 0) return;
        if (ms < best && (i || !k->scale)) best = ms;
    }
    const double moved = (double)bytes * passes * (stream == 3 ? 2 : 1);
    sheet_text(s, streams[stream][0]);
    sheet_int(s, blocks);
    sheet_int(s, threads);
    sheet_int(s, unrolls[u] * 16);
    sheet_int(s, (int64_t)((size_t)blocks * threads * unrolls[u] * 16));
    sheet_int(s, (int64_t)bytes);
    sheet_int(s, passes);
    sheet_real(s, best);
    sheet_real(s, moved / best * 1e-6);
    sheet_end(s);
}

void bandwidth_run(struct kit *k) {
    struct gpu *g = &k->gpu;
    struct kernels list = {0};
    bandwidth_kernels(&list);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "bandwidth");
    const unsigned sms = (unsigned)g->sms;
    size_t free_bytes = 0, total = 0, room = k->scale ? (size_t)4 << 30 : (size_t)4 << 20;
    GPU(g, cuMemGetInfo, &free_bytes, &total);
    while (room > free_bytes / 2) room /= 2;
    const CUdeviceptr buffer = gpu_alloc(g, room);
    // DRAM by bytes in flight: threads an SM, loads a thread.
    static const unsigned threads[] = {32, 64, 128, 256, 512, 1024};
    for (unsigned stream = 0; stream < 4; stream++) {
        if (stream == 1) continue;
        for (unsigned u = 0; u < 4; u++) {
            for (unsigned t = 0; t < 6; t++) {
                if (!k->scale && (u != 2 || t != 3)) continue;
                bandwidth_point(k, &s, &list, buffer, stream, u, sms, threads[t], room / 2, 1);
            }
            if (k->scale)
                bandwidth_point(k, &s, &list, buffer, stream, u, sms * 2, 1024, room / 2, 1);
        }
    }
    // By size, all at once: L1, L2, DRAM.
    for (size_t bytes = k->scale ? (size_t)1 << 20 : (size_t)1 << 19;
         bytes <= (k->scale ? room / 2 : (size_t)1 << 19); bytes *= 2) {
        for (unsigned q = 4; q < (bytes < (size_t)8 << 20 || bytes > (size_t)256 << 20 ? 5u : 8u);
             q++) {
            const size_t size = bytes / 4 * q;
            const unsigned passes = k->scale ? (unsigned)(((size_t)2 << 30) / size) : 1;
            bandwidth_point(k, &s, &list, buffer, 0, 1, sms * 2, kit_pick(k, 1024, 256), size,
                            passes ? passes : 1);
        }
    }
    // One block after another: what one SM, two, ... draw from L2 and from DRAM.
    for (unsigned blocks = 1; blocks < sms; blocks *= 2) {
        if (!k->scale && blocks > 1) break;
        bandwidth_point(k, &s, &list, buffer, 0, kit_pick(k, 2, 0), blocks, kit_pick(k, 1024, 256),
                        kit_pick(k, 8u << 20, 1u << 16), kit_pick(k, 8, 1));
        if (k->scale)
            bandwidth_point(k, &s, &list, buffer, 0, 2, blocks, 1024, (size_t)256 << 20, 1);
    }
    // L1: a block an SM passes over 32 KiB of its own kind of data again and again; every block
    // reads the same lines.
    bandwidth_point(k, &s, &list, buffer, 1, 1, 1, 1024, 32768, kit_pick(k, 512, 4));
    sheet_close(&s);
}

// -------------------------------------------------------------------------------------- l2map
// Latency of single lines as one multiprocessor sees them. p0: cycles (u32 a line), p1: buffer, p2:
// lines, p3: apart, p4: multiprocessor, p5: a counter, so that one block of it does the work.
// Blocks elsewhere end at once. Each line is read twice; the second counts.
void l2map_kernels(struct kernels *list) {
    list->part = "l2map";
    struct kernel *k = kernels_add(list, "l2map", 70, KERNEL_PLAIN);
    kernel_text(k, "u64 u64 u32 u32 u32 u64", NULL,
                ".reg .b64 %out,%at,%step,%c0,%c1,%v,%to,%counter;\n.reg .b32 "
                "%n,%sm,%want,%apart,%i,%t;\n.reg .pred %p;\n"
                "mov.u32 %sm,%smid;\nld.param.u32 %want,[p4];\nsetp.ne.u32 %p,%sm,%want;\n@%p bra "
                "END;\n"
                "ld.param.u64 %counter,[p5];\natom.global.add.u32 %t,[%counter],1;\nsetp.ne.u32 "
                "%p,%t,0;\n@%p bra END;\n"
                "ld.param.u64 %out,[p0];\nld.param.u64 %at,[p1];\nld.param.u32 "
                "%n,[p2];\nld.param.u32 %apart,[p3];\n"
                "cvt.u64.u32 %step,%apart;\nmov.b32 %i,0;\n"
                "LOOP:\nld.global.cg.b64 %v,[%at];\nadd.u64 %to,%at,%v;\nst.global.b64 "
                "[%counter+8],%to;\n" // the first read: v is 0
                "mov.u64 %c0,%clock64;\nld.global.cg.b64 %v,[%to];\nadd.u64 "
                "%at,%at,%v;\ncvt.u32.u64 %t,%v;\nst.global.b32 [%out],%t;\n"
                "mov.u64 %c1,%clock64;\nsub.u64 %c1,%c1,%c0;\ncvt.u32.u64 %t,%c1;\nst.global.b32 "
                "[%out],%t;\nadd.u64 %out,%out,4;\n"
                "add.u64 %at,%at,%step;\nadd.u32 %i,%i,1;\nsetp.lt.u32 %p,%i,%n;\n@%p bra "
                "LOOP;\nEND:\nret;\n");
}

void l2map_run(struct kit *k) {
    struct gpu *g = &k->gpu;
    struct kernels list = {0};
    l2map_kernels(&list);
    kernels_load(k, &list);
    if (!list.at[0].function) die("l2map: %s", list.at[0].refused);
    struct sheet s = sheet_open(k, "l2map");
    unsigned lines = kit_pick(k, 512, 16), apart = 4096 + 128;
    const CUdeviceptr out = gpu_alloc(g, lines * 4 + 8),
                      buffer = gpu_alloc(g, (size_t)lines * apart), counter = gpu_alloc(g, 16);
    unsigned *cycles = need(malloc(lines * sizeof *cycles));
    for (unsigned sm = 0; sm < (unsigned)g->sms && !kit_over(k, 0.5);
         sm += k->scale ? 1 : (unsigned)g->sms) {
        void *arguments[] = {(void *)&out, (void *)&buffer, &lines, &apart, &sm, (void *)&counter};
        GPU(g, cuMemsetD8, out, 0, lines * 4);
        GPU(g, cuMemsetD8, counter, 0, 16);
        // More blocks than multiprocessors, so that every one gets one.
        const char *why = gpu_launch(g, list.at[0].function,
                                     (struct launch){(unsigned)g->sms * 2, 1, 0, 0}, arguments);
        if (why) kit_lost(k, "l2map", why);
        gpu_read(g, cycles, out, lines * sizeof *cycles);
        struct text row = {0};
        for (unsigned i = 0; i < lines; i++) text_add(&row, "%s%x", i ? " " : "", cycles[i]);
        sheet_int(&s, sm);
        sheet_int(&s, apart);
        sheet_hexes(&s, row.at);
        sheet_end(&s);
        text_free(&row);
    }
    sheet_close(&s);
}
