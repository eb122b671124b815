// Parts `rates`, `pairs` and `subcores`: how long an operation takes, how often it can start, which
// operations and which warps stand in each other's way.
//
// A kernel repeats a statement in chains: in one chain each statement waits for the one before,
// eight chains are independent. One block runs on one multiprocessor; every warp notes its clock
// before and after. Two numbers of iterations are run and cycles are the slope between them, so
// that what comes before and after is left out. The loop itself (three instructions in 128) is left
// in.
#include "rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct rate rates[] = {
#define RATE(name, statement, size, needs, pairs) {name, statement, size, needs, pairs},
#include "rates.def"
#undef RATE
};
enum { RATE_COUNT = sizeof rates / sizeof *rates, STATEMENTS = RATE_STATEMENTS, CHAINS = 8 };

static int bits_of(const struct rate *r) {
    return r->size == 'S' ? 32 : r->size == 'G' ? 64 : r->size;
}

// A word of shared memory for each thread, as wide as the access: no two lanes of a warp meet in a
// bank.
static void place(struct text *t, const struct rate *r) {
    const bool wide = strstr(r->statement, "v4") || strstr(r->statement, "matrix");
    text_add(t, "shl.b32 %%sa,%%ti,%d;\nadd.u32 %%sa,%%sa,%%sb;\n",
             wide                         ? 4
             : strstr(r->statement, "v2") ? 3
                                          : 2);
    text_add(t, wide ? "st.shared.v4.b32 [%%sa],{%%sa,%%sa,%%sa,%%sa};\n"
                     : "st.shared.b32 [%%sa],%%sa;\n");
}

// p0: clocks (two of 64 bits a warp), p1: iterations, p2 p3: operands, p4: a value that no result
// has, p5: global memory, eight bytes a thread. Registers of chain c: %x<c>, %w<c>, ...
static void declare(struct text *t, const struct rate *r, unsigned from, unsigned to) {
    const int bits = bits_of(r);
    for (unsigned c = from; c < to; c++) {
        text_add(t,
                 ".reg .b%d %%x%u,%%w%u,%%v%u,%%u%u,%%t%u,%%s%u,%%r%u,%%o%u;\n.reg .pred "
                 "%%q%u;\n.reg .b64 %%n%u;\n",
                 bits, c, c, c, c, c, c, c, c, c, c);
        // The chain's first value: the operand and something of the thread, so that lanes differ.
        if (r->size == 'S') {
            if (c == from) place(t, r);
            text_add(t, "mov.b32 %%x%u,%%sa;\n", c);
        } else if (r->size == 'G') {
            text_add(t, "mov.b64 %%x%u,%%ga;\n", c);
        } else if (bits == 16) {
            text_add(t, "cvt.u16.u32 %%x%u,%%ti;\n", c);
        } else if (bits == 32) {
            text_add(t, "add.u32 %%x%u,%%ti,%%y32;\nadd.u32 %%x%u,%%x%u,%u;\n", c, c, c, c);
        } else {
            text_add(
                t, "cvt.u64.u32 %%x%u,%%ti;\nadd.u64 %%x%u,%%x%u,%%y64;\nadd.u64 %%x%u,%%x%u,%u;\n",
                c, c, c, c, c, c);
        }
        for (const char *p = "wvutsro"; *p; p++)
            text_add(t, "mov.b%d %%%c%u,%%x%u;\n", bits, *p, c, c);
    }
}

static void state(struct text *t, const struct rate *r, unsigned c) {
    char names[400];
    const int bits = bits_of(r);
    snprintf(names, sizeof names,
             "x=%%x%u w=%%w%u v=%%v%u u=%%u%u t=%%t%u s=%%s%u r=%%r%u o=%%o%u q=%%q%u n=%%n%u "
             "y=%%y%d z=%%z%d",
             c, c, c, c, c, c, c, c, c, c, bits, bits);
    text_fill(t, r->statement, names);
    text_add(t, "\n");
}

static const char *prologue =
    ".reg .b32 %ti,%li,%wi,%n,%sa,%sb,%y32,%z32,%w,%zero,%sparse,%keep,%part;\n.reg .b64 "
    "%out,%ga,%y64,%z64,%c0,%c1,%off;\n"
    ".reg .b16 %h,%y16,%z16;\n.reg .pred %p,%lane,%odd;\n.shared .align 16 .b8 words[16384];\n"
    "mov.u32 %ti,%tid.x;\nand.b32 %li,%ti,31;\nshr.u32 %wi,%ti,5;\nmov.b32 %zero,0;\nmov.b32 "
    "%sparse,0x44444444;\n"
    "ld.param.u64 %out,[p0];\nld.param.u32 %n,[p1];\nld.param.u64 %y64,[p2];\nld.param.u64 "
    "%z64,[p3];\n"
    "cvt.u32.u64 %y32,%y64;\ncvt.u32.u64 %z32,%z64;\ncvt.u16.u32 %y16,%y32;\ncvt.u16.u32 "
    "%z16,%z32;\n"
    "ld.param.u64 %ga,[p5];\nmul.wide.u32 %off,%ti,8;\nadd.u64 %ga,%ga,%off;\nst.global.b64 "
    "[%ga],%ga;\n"
    "mov.u32 %sb,words;\n";
static const char *begin = "bar.sync 0;\nmov.u64 %c0,%clock64;\nLOOP:\n";
static const char *again =
    "sub.u32 %n,%n,1;\nsetp.ne.u32 %p,%n,0;\n@%p bra LOOP;\nmov.u64 %c1,%clock64;\n";

// Keeps results alive and writes the clocks.
static void finish(struct text *t, const struct rate *r, unsigned from, unsigned to) {
    for (unsigned c = from; c < to; c++) {
        for (const char *p = "xwvutsro"; *p; p++) {
            switch (bits_of(r)) {
            case 16: text_add(t, "cvt.u32.u16 %%part,%%%c%u;\n", *p, c); break;
            case 32: text_add(t, "mov.b32 %%part,%%%c%u;\n", *p, c); break;
            default:
                text_add(t, "mov.b64 {%%part,%%w},%%%c%u;\nxor.b32 %%part,%%part,%%w;\n", *p, c);
                break;
            }
            text_add(t, "xor.b32 %%keep,%%keep,%%part;\n");
        }
    }
}
static const char *epilogue =
    "ld.param.u32 %part,[p4];\nsetp.eq.u32 %p,%keep,%part;\n@%p st.global.b32 [%out],%keep;\n"
    "setp.eq.u32 %lane,%li,0;\nmul.wide.u32 %off,%wi,16;\nadd.u64 %out,%out,%off;\n"
    "@%lane st.global.v2.b64 [%out],{%c0,%c1};\nret;\n";

static const char parameters[] = "u64 u32 u64 u64 u32 u64";

// For part `power`: as long as is asked, in the first p6 lanes of each warp, with operands of each
// thread's own or (p7 0) zeros. p2 and p3 are not read.
void rates_sustained(struct kernels *list, const struct rate *r) {
    struct kernel *k = kernels_add(list, r->name, r->needs, KERNEL_PLAIN);
    struct text t = {0};
    text_add(&t, "%s", prologue);
    text_add(&t,
             ".reg .b32 %%h0,%%h1;\nld.param.u32 %%part,[p6];\nsetp.ge.u32 %%p,%%li,%%part;\n@%%p "
             "bra END;\n"
             "mad.lo.u32 %%h0,%%ti,0x9e3779b9,0x7f4a7c15;\nshr.u32 %%h1,%%h0,15;\nxor.b32 "
             "%%h0,%%h0,%%h1;\n"
             "mul.lo.u32 %%h0,%%h0,0x85ebca6b;\nshr.u32 %%h1,%%h0,13;\nxor.b32 %%h1,%%h1,%%h0;\n");
    if (bits_of(r) == 64) { // doubles near -1.3 and 0.77
        text_add(&t, "and.b32 %%y32,%%h0,0xffff;\nor.b32 %%y32,%%y32,0xbff4c000;\nmov.b64 "
                     "%%y64,{%%h1,%%y32};\n"
                     "and.b32 %%z32,%%h1,0xffff;\nor.b32 %%z32,%%z32,0x3fe88000;\nmov.b64 "
                     "%%z64,{%%h0,%%z32};\n");
    } else { // as f32 near -1.3 and 0.77; as f16 two of that size, as 8-bit integers anything
        const bool pairs = strstr(r->statement, "f16") != NULL;
        text_add(&t,
                 "and.b32 %%y32,%%h0,0x%x;\nor.b32 %%y32,%%y32,0x%x;\nand.b32 "
                 "%%z32,%%h1,0x%x;\nor.b32 %%z32,%%z32,0x%x;\n",
                 pairs ? 0x00ff00ffu : 0xfffffu, pairs ? 0xbd003d00u : 0xbfa00000u,
                 pairs ? 0x00ff00ffu : 0xfffffu, pairs ? 0x3a00ba00u : 0x3f400000u);
        if (strstr(r->statement, "s8")) text_add(&t, "mov.b32 %%y32,%%h0;\nmov.b32 %%z32,%%h1;\n");
    }
    text_add(&t, "ld.param.u32 %%part,[p7];\nmul.lo.u32 %%y32,%%y32,%%part;\nmul.lo.u32 "
                 "%%z32,%%z32,%%part;\n"
                 "cvt.u64.u32 %%off,%%part;\nmul.lo.u64 %%y64,%%y64,%%off;\nmul.lo.u64 "
                 "%%z64,%%z64,%%off;\nmul.lo.u32 %%ti,%%ti,%%part;\n");
    // addresses come from the thread's number, which the line above may have cleared
    if (r->size == 'S') text_add(&t, "mov.u32 %%ti,%%tid.x;\n");
    declare(&t, r, 0, CHAINS);
    text_add(&t, "mov.b32 %%keep,0;\nLOOP:\n");
    for (unsigned i = 0; i < STATEMENTS; i++) state(&t, r, i % CHAINS);
    text_add(&t, "sub.u32 %%n,%%n,1;\nsetp.ne.u32 %%p,%%n,0;\n@%%p bra LOOP;\n");
    finish(&t, r, 0, CHAINS);
    text_add(&t, "ld.param.u32 %%part,[p4];\nsetp.eq.u32 %%p,%%keep,%%part;\n@%%p st.global.b32 "
                 "[%%out],%%keep;\nEND:\nret;\n");
    kernel_text(k, "u64 u32 u64 u64 u32 u64 u32 u32", NULL, t.at);
    text_free(&t);
}

static void add_rate(struct kernels *list, const struct rate *r, unsigned chains) {
    char name[96];
    snprintf(name, sizeof name, "%s|%u", r->name, chains);
    struct kernel *k = kernels_add(list, name, r->needs, KERNEL_PLAIN);
    struct text t = {0};
    text_add(&t, "%s", prologue);
    declare(&t, r, 0, chains);
    text_add(&t, "mov.b32 %%keep,0;\n%s", begin);
    for (unsigned i = 0; i < STATEMENTS; i++) state(&t, r, i % chains);
    text_add(&t, "%s", again);
    finish(&t, r, 0, chains);
    text_add(&t, "%s", epilogue);
    kernel_text(k, parameters, NULL, t.at);
    text_free(&t);
}

void rates_kernels(struct kernels *list) {
    list->part = "rates";
    list->chunk = 16;
    for (unsigned i = 0; i < RATE_COUNT; i++) {
        add_rate(list, &rates[i], 1);
        add_rate(list, &rates[i], CHAINS);
    }
}

void pairs_kernels(struct kernels *list) {
    list->part = "pairs";
    list->chunk = 16;
    for (unsigned i = 0; i < RATE_COUNT; i++) {
        for (unsigned j = i; j < RATE_COUNT; j++) {
            const struct rate *a = &rates[i], *b = &rates[j];
            if (!a->pairs || !b->pairs) continue;
            char name[128];
            snprintf(name, sizeof name, "%s|%s", a->name, b->name);
            struct kernel *k =
                kernels_add(list, name, a->needs > b->needs ? a->needs : b->needs, KERNEL_PLAIN);
            struct text t = {0};
            text_add(&t, "%s", prologue);
            declare(&t, a, 0, CHAINS / 2);
            declare(&t, b, CHAINS / 2, CHAINS);
            text_add(&t, "mov.b32 %%keep,0;\n%s", begin);
            for (unsigned s = 0; s < STATEMENTS / 2; s++) {
                state(&t, a, s % (CHAINS / 2));
                state(&t, b, CHAINS / 2 + s % (CHAINS / 2));
            }
            text_add(&t, "%s", again);
            finish(&t, a, 0, CHAINS / 2);
            finish(&t, b, CHAINS / 2, CHAINS);
            text_add(&t, "%s", epilogue);
            kernel_text(k, parameters, NULL, t.at);
            text_free(&t);
        }
    }
}

// The cycles from the first warp's start to the last one's end; NAN: so many warps can't be
// launched.
static double span(struct kit *k, const struct kernel *x, unsigned warps, unsigned loops,
                   CUdeviceptr out, CUdeviceptr memory) {
    uint64_t y = 0x3f8000013f800001, z = 0x3c003c003c003c00; // in f16, f32 and f64 all near 1
    unsigned never = 0x9e3779b9;
    void *arguments[] = {&out, &loops, &y, &z, &never, &memory};
    const char *why =
        gpu_launch(&k->gpu, x->function, (struct launch){1, warps * 32, 0, 0}, arguments);
    if (why && k->gpu.failed) kit_lost(k, x->name, why);
    if (why) return NAN;
    uint64_t clocks[64];
    gpu_read(&k->gpu, clocks, out, warps * 16);
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned w = 0; w < warps; w++) {
        if (clocks[w * 2] < first) first = clocks[w * 2];
        if (clocks[w * 2 + 1] > last) last = clocks[w * 2 + 1];
    }
    return (double)(last - first);
}

// Cycles of an iteration: the slope between two numbers of iterations, the least of three tries.
static double slope(struct kit *k, const struct kernel *x, unsigned warps, CUdeviceptr out,
                    CUdeviceptr memory) {
    const unsigned few = kit_pick(k, 4, 2), many = kit_pick(k, 20, 4);
    double least[2] = {INFINITY, INFINITY};
    if (isnan(span(k, x, warps, few, out, memory))) return NAN; // its code comes into the caches
    for (unsigned i = 0; i < kit_pick(k, 3, 1); i++) {
        const double a = span(k, x, warps, few, out, memory),
                     b = span(k, x, warps, many, out, memory);
        if (a < least[0]) least[0] = a;
        if (b < least[1]) least[1] = b;
    }
    return (least[1] - least[0]) / (many - few);
}

void rates_run(struct kit *k) {
    struct kernels list = {0};
    rates_kernels(&list);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "rates");
    const CUdeviceptr out = gpu_alloc(&k->gpu, 4096), memory = gpu_alloc(&k->gpu, 65536);
    static const unsigned full[] = {1, 2, 4, 8, 16, 32}, tiny[] = {4};
    for (unsigned i = 0; i < list.count && !kit_over(k, 0.5); i++) {
        const struct kernel *x = &list.at[i];
        if (k->only && !strstr(x->name, k->only)) continue;
        const unsigned chains = i & 1 ? CHAINS : 1;
        const unsigned *const warps = k->scale ? full : tiny;
        const unsigned steps = k->scale ? sizeof full / sizeof *full : 1;
        for (unsigned w = 0; w < steps; w++) {
            const unsigned n = chains == 1 && !k->scale ? 1 : warps[w];
            sheet_text(&s, rates[i / 2].name);
            sheet_text(&s, x->function ? "ok" : x->refused);
            sheet_int(&s, chains);
            sheet_int(&s, n);
            if (!x->function) {
                for (int c = 0; c < 3; c++) sheet_none(&s);
                sheet_end(&s);
                break;
            }
            const double cycles = slope(k, x, n, out, memory) / STATEMENTS;
            sheet_int(&s, STATEMENTS); // cycles stay empty where so many warps have no registers
            sheet_real(&s, cycles);
            sheet_real(&s, 32.0 * n / cycles);
            sheet_end(&s);
        }
    }
    sheet_close(&s);
}

void pairs_run(struct kit *k) {
    struct kernels list = {0};
    pairs_kernels(&list);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "pairs");
    const CUdeviceptr out = gpu_alloc(&k->gpu, 4096), memory = gpu_alloc(&k->gpu, 65536);
    for (unsigned i = 0; i < list.count && !kit_over(k, 0.5); i++) {
        const struct kernel *x = &list.at[i];
        if (!x->function || (k->only && !strstr(x->name, k->only))) continue;
        if (!k->scale && i % 16) continue;
        for (unsigned warps = 4; warps <= kit_pick(k, 16, 4); warps *= 4) {
            const char *bar = strchr(x->name, '|');
            char first[64];
            snprintf(first, sizeof first, "%.*s", (int)(bar - x->name), x->name);
            sheet_text(&s, first);
            sheet_text(&s, bar + 1);
            sheet_int(&s, warps);
            sheet_real(&s,
                       slope(k, x, warps, out, memory) / (STATEMENTS / 2)); // empty: no registers
            sheet_end(&s);
        }
    }
    sheet_close(&s);
}

// --------------------------------------------------------------------------------- sub-cores
// Two warps run special functions, which one sub-core does for one warp at a time; the others end
// at once. Two warps of one sub-core take twice as long as two of different ones. The warps may be
// of two blocks on one multiprocessor: blocks on it number themselves, and those that are not asked
// for wait until the others have begun. p0: clocks and warp numbers (32 bytes a chosen warp), p1:
// iterations, p2: counters (zeroed, a word a multiprocessor), p3: multiprocessor, p4 p5: block and
// warp of the first, p6 p7: of the second, p8: blocks to wait for.
void subcores_kernels(struct kernels *list) {
    list->part = "subcores";
    struct kernel *k = kernels_add(list, "subcores", 70, KERNEL_PLAIN);
    struct text t = {0};
    text_add(
        &t, "%s",
        ".reg .b32 %ti,%wi,%n,%sm,%want,%mine,%b,%w,%x<8>,%seen,%try,%keep,%id,%slot,%blocks;\n"
        ".reg .b64 %out,%at,%off,%c0,%c1;\n.reg .pred %p,%q,%first,%second;\n.shared .b32 number;\n"
        "mov.u32 %ti,%tid.x;\nshr.u32 %wi,%ti,5;\nld.param.u64 %out,[p0];\nld.param.u32 %n,[p1];\n"
        "ld.param.u64 %at,[p2];\nld.param.u32 %want,[p3];\nld.param.u32 %blocks,[p8];\nmov.u32 "
        "%sm,%smid;\n"
        "setp.ne.u32 %p,%sm,%want;\n@%p bra END;\n"
        // the block's number on this multiprocessor
        "setp.ne.u32 %p,%ti,0;\n@%p bra NUMBERED;\natom.global.add.u32 "
        "%mine,[%at],1;\nst.shared.b32 [number],%mine;\n"
        "NUMBERED:\nbar.sync 0;\nld.shared.b32 %mine,[number];\n"
        // wait until all are here, but not for ever
        "mov.b32 %try,0;\nWAIT:\nld.volatile.global.b32 %seen,[%at];\nadd.u32 "
        "%try,%try,1;\nsetp.lt.u32 %p,%seen,%blocks;\n"
        "setp.lt.and.u32 %p,%try,100000,%p;\n@%p bra WAIT;\nbar.sync 0;\n"
        "ld.param.u32 %b,[p4];\nld.param.u32 %w,[p5];\nsetp.eq.u32 "
        "%first,%mine,%b;\nsetp.eq.and.u32 %first,%wi,%w,%first;\n"
        "ld.param.u32 %b,[p6];\nld.param.u32 %w,[p7];\nsetp.eq.u32 "
        "%second,%mine,%b;\nsetp.eq.and.u32 %second,%wi,%w,%second;\n"
        "or.pred %p,%first,%second;\n@!%p bra END;\n");
    for (unsigned c = 0; c < 8; c++)
        text_add(&t, "add.u32 %%x%u,%%ti,%u;\n", c, 0x3f800000 + c * 4096);
    text_add(&t, "mov.u64 %%c0,%%clock64;\nLOOP:\n");
    for (unsigned i = 0; i < 64; i++)
        text_add(&t, "rsqrt.approx.ftz.f32 %%x%u,%%x%u;\n", i % 8, i % 8);
    text_add(&t, "sub.u32 %%n,%%n,1;\nsetp.ne.u32 %%p,%%n,0;\n@%%p bra LOOP;\nmov.u64 "
                 "%%c1,%%clock64;\nmov.b32 %%keep,%%x0;\n");
    for (unsigned c = 1; c < 8; c++) text_add(&t, "xor.b32 %%keep,%%keep,%%x%u;\n", c);
    text_add(&t, "%s",
             "selp.b32 %slot,0,1,%first;\nmul.wide.u32 %off,%slot,32;\nadd.u64 "
             "%out,%out,%off;\nmov.u32 %id,%warpid;\n"
             "and.b32 %ti,%ti,31;\nsetp.ne.u32 %p,%ti,0;\n@%p bra END;\n"
             "st.global.v2.b64 [%out],{%c0,%c1};\nst.global.v2.b32 "
             "[%out+16],{%id,%keep};\nEND:\nret;\n");
    kernel_text(k, "u64 u32 u64 u32 u32 u32 u32 u32 u32", NULL, t.at);
    text_free(&t);
}

static void subcores_pair(struct kit *k, struct sheet *s, CUfunction f, CUdeviceptr out,
                          CUdeviceptr counter, unsigned warps, unsigned blocks,
                          const unsigned pair[4]) {
    struct gpu *g = &k->gpu;
    unsigned loops = kit_pick(k, 64, 4), sm = 0, a = pair[0], b = pair[1], c = pair[2], d = pair[3];
    GPU(g, cuMemsetD8, out, 0, 64);
    GPU(g, cuMemsetD8, counter, 0, 4);
    void *arguments[] = {&out, &loops, &counter, &sm, &a, &b, &c, &d, &blocks};
    const char *why =
        gpu_launch(g, f, (struct launch){blocks * (unsigned)g->sms, warps * 32, 0, 0}, arguments);
    if (why) kit_lost(k, "subcores", why);
    struct {
        uint64_t start, stop;
        uint32_t id, keep, none[2];
    } seen[2];
    gpu_read(g, seen, out, sizeof seen);
    const bool same = a == c && b == d;
    if (!seen[0].stop || (!same && !seen[1].stop))
        return; // the blocks did not share a multiprocessor
    uint64_t first = seen[0].start, last = seen[0].stop;
    if (!same) {
        // Overlapping spans only say something: cycles of both together.
        if (seen[1].start < first) first = seen[1].start;
        if (seen[1].stop > last) last = seen[1].stop;
    }
    for (int i = 0; i < 4; i++) sheet_int(s, pair[i]);
    sheet_int(s, warps);
    sheet_int(s, seen[0].id);
    sheet_int(s, same ? seen[0].id : seen[1].id);
    sheet_int(s, (int64_t)(last - first));
    sheet_real(s, (double)(last - first) / (loops * 64.0));
    sheet_end(s);
}

void subcores_run(struct kit *k) {
    struct kernels list = {0};
    subcores_kernels(&list);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "subcores");
    const CUdeviceptr out = gpu_alloc(&k->gpu, 64), counter = gpu_alloc(&k->gpu, 64);
    const CUfunction f = list.at[0].function;
    if (!f) die("sub-cores: %s", list.at[0].refused);
    // Pairs in one block of 16 warps, then a warp of a first block against those of a second, for
    // blocks of several sizes: does a block begin where the one before ended?
    for (unsigned i = 0; i < kit_pick(k, 16, 2); i++) {
        for (unsigned j = i; j < kit_pick(k, 16, 5); j++)
            subcores_pair(k, &s, f, out, counter, 16, 1, (unsigned[]){0, i, 0, j});
    }
    static const unsigned sizes[] = {8, 1, 2, 3, 5, 6, 7};
    for (unsigned z = 0; z < kit_pick(k, 7, 1); z++) {
        for (unsigned block = 1; block < kit_pick(k, 4, 2); block++) {
            for (unsigned j = 0; j < sizes[z] && j < kit_pick(k, 8, 4); j++)
                subcores_pair(k, &s, f, out, counter, sizes[z], 4, (unsigned[]){0, 0, block, j});
        }
    }
    sheet_close(&s);
}
