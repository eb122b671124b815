// Parts `bits`, `sweep` and `functions`: what the operations of bits.def compute, to the last bit.
//
// `bits` tries each operation on OPERAND_POINTS operands and writes a hash for every thousand
// results, and the first results as they are. `sweep` tries all 2^32 operands of operations on one
// f32. A hash is the sum of mix64(result + mix64(index)) modulo 2^64: it does not depend on an
// order, and where a single result differs, the difference of two hashes is that of two terms, so
// that the index can be found.
#include "bits.h"

#include <stdlib.h>
#include <string.h>

#include "operands.h"

struct family {
    const char *pattern;
    char result;
    const char *operands;
    int needs;
    bool atomic;
};
static const struct family families[] = {
#define BITS(pattern, result, operands, needs)   {pattern, result, operands, needs, false},
#define ATOMIC(pattern, result, operands, needs) {pattern, result, operands, needs, true},
#include "bits.def"
#undef BITS
#undef ATOMIC
};

// The kind of operand that a type is; 0: the word is no type.
static char kind_of(const char *word, size_t n) {
    static const struct {
        const char *type;
        char kind;
    } types[] = {{"u8", 's'},   {"s8", 's'},    {"u16", 's'}, {"s16", 's'}, {"b16", 's'},
                 {"u32", 'i'},  {"s32", 'i'},   {"b32", 'i'}, {"u64", 'l'}, {"s64", 'l'},
                 {"b64", 'l'},  {"f16", 'h'},   {"f32", 'f'}, {"f64", 'd'}, {"f16x2", 'H'},
                 {"bf16", 'b'}, {"bf16x2", 'B'}};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].type) == n && memcmp(types[i].type, word, n) == 0) return types[i].kind;
    }
    return 0;
}

// Kinds by the types of a word: `which` counts from the last.
static char kind_in(const char *word, char which) {
    if (which > '9') return which;
    char kinds[8] = "";
    unsigned count = 0;
    for (const char *p = word; *p && *p != ' ';) {
        const size_t n = strcspn(p, ". ");
        const char kind = kind_of(p, n);
        if (kind && count < sizeof kinds) kinds[count++] = kind;
        p += n;
        if (*p == '.') p++;
    }
    if ((unsigned)(which - '0') > count) die("%s has no type number %c", word, which);
    return kinds[count - (unsigned)(which - '0')];
}

struct adding {
    void (*each)(void *to, const struct form *form);
    void *to;
    const struct family *family;
};

static void add_form(void *with, const char *text) {
    const struct adding *a = with;
    struct form f = {.needs = a->family->needs};
    f.result = kind_in(text, a->family->result);
    for (const char *o = a->family->operands; *o; o++)
        f.operands[o - a->family->operands] = kind_in(text, *o);
    const unsigned bits = operand_bytes(f.result) * 8;
    struct text body = {0};
    if (a->family->atomic) {
        const bool shared = strstr(text, ".shared") != NULL,
                   returns = strncmp(text, "atom", 4) == 0;
        const char *space = shared ? "shared" : "global", *at = shared ? "$s" : "$m";
        text_add(&body, "st.%s.b%u [%s],$a; %s ", space, bits, at, text);
        if (returns) text_add(&body, "%s,", bits == 16 ? "%h0" : bits == 32 ? "%u0" : "%t0");
        text_add(&body, "[%s],$b%s; ld.%s.b%u $d,[%s];", at, f.operands[2] ? ",$c" : "", space,
                 bits, at);
    } else if (strchr(text, '$')) {
        text_add(&body, "%s", text);
    } else {
        text_add(&body, "%s $d", text);
        for (unsigned i = 0; f.operands[i]; i++) text_add(&body, ",$%c", "abce"[i]);
        text_add(&body, ";");
    }
    f.body = body.at;
    f.name = text;
    a->each(a->to, &f);
    text_free(&body);
}

void bits_forms(void (*each)(void *to, const struct form *form), void *to) {
    for (unsigned i = 0; i < sizeof families / sizeof *families; i++) {
        struct adding a = {.each = each, .to = to, .family = &families[i]};
        text_expand(families[i].pattern, add_form, &a);
    }
}

static const char *scratch =
    ".reg .b32 %u<4>,%i<6>;\n.reg .b64 %t<4>,%g<8>;\n.reg .pred %q<4>,%o;\n.reg .b16 %h<2>;\n";

static void declare(struct text *t, const struct form *f) {
    text_add(t, "%s.reg .b%u %%xd;\n", scratch, operand_bytes(f->result) * 8);
    for (unsigned i = 0; f->operands[i]; i++) {
        text_add(t, ".reg .b%u %%x%c;\n", operand_bytes(f->operands[i]) * 8, "abce"[i]);
    }
    if (strstr(f->body, "$s")) {
        text_add(t,
                 ".shared .align 8 .b8 place[1024];\nmov.u32 %%i4,%%tid.x;\nshl.b32 %%i4,%%i4,3;\n"
                 "mov.u32 %%i5,place;\nadd.u32 %%i5,%%i5,%%i4;\n");
    }
}

static void compute(struct text *t, const struct form *f) {
    for (unsigned i = 0; f->operands[i]; i++) {
        if (f->operands[i] == 'z') text_add(t, "setp.ne.b32 %%q0,%%x%c,0;\n", "abce"[i]);
    }
    text_fill(t, f->body, "a=%xa b=%xb c=%xc d=%xd e=%xe m=%g0 s=%i5");
    text_add(t, "\n");
}

// The result as 64 bits, in %g1.
static void widen(struct text *t, const struct form *f) {
    const unsigned bits = operand_bytes(f->result) * 8;
    text_add(t, bits == 64   ? "mov.b64 %%g1,%%xd;\n"
                : bits == 32 ? "cvt.u64.u32 %%g1,%%xd;\n"
                             : "cvt.u64.u16 %%g1,%%xd;\n");
}

// p0: results, p1 to p4: operands, p5: how many. Blocks of 128 threads.
static void add_bits(void *to, const struct form *f) {
    struct kernel *k = kernels_add(to, f->name, f->needs, KERNEL_PLAIN);
    struct text t = {0};
    declare(&t, f);
    text_add(&t, "mov.u32 %%i0,%%ctaid.x;\nmov.u32 %%i1,%%ntid.x;\nmov.u32 %%i2,%%tid.x;\n"
                 "mad.lo.u32 %%i0,%%i0,%%i1,%%i2;\nld.param.u32 %%i3,[p5];\nsetp.ge.u32 "
                 "%%o,%%i0,%%i3;\n@%%o bra END;\n"
                 "ld.param.u64 %%g0,[p0];\nmul.wide.u32 %%g1,%%i0,8;\nadd.u64 %%g0,%%g0,%%g1;\n");
    for (unsigned i = 0; f->operands[i]; i++) {
        const unsigned bytes = operand_bytes(f->operands[i]);
        text_add(&t,
                 "ld.param.u64 %%g2,[p%u];\nmul.wide.u32 %%g1,%%i0,%u;\nadd.u64 %%g2,%%g2,%%g1;\n"
                 "ld.global.b%u %%x%c,[%%g2];\n",
                 i + 1, bytes, bytes * 8, "abce"[i]);
    }
    compute(&t, f);
    widen(&t, f);
    text_add(&t, "st.global.b64 [%%g0],%%g1;\nEND: ret;\n");
    kernel_text(k, "u64 u64 u64 u64 u64 u32", NULL, t.at);
    text_free(&t);
}

void bits_kernels(struct kernels *list) {
    list->part = "bits";
    bits_forms(add_bits, list);
}

// ------------------------------------------------------------------------------- running it
struct forms { // the forms of a list, beside its kernels
    struct {
        char result, operands[5];
    } * at;
    unsigned count;
};
static void note_form(void *to, const struct form *f) {
    struct forms *all = to;
    all->at = need(realloc(all->at, (all->count + 1) * sizeof *all->at));
    all->at[all->count].result = f->result;
    memcpy(all->at[all->count++].operands, f->operands, sizeof f->operands);
}

// A column of operands on the GPU, made once.
static CUdeviceptr column(struct kit *k, char kind, char place, unsigned points) {
    static CUdeviceptr made[128][4]; // of this process, which runs one part
    CUdeviceptr *at = &made[(unsigned char)kind & 127][place == 'e' ? 3 : place - 'a'];
    if (!*at) {
        const size_t bytes = (size_t)points * operand_bytes(kind);
        void *values = need(malloc(bytes));
        operand_column(values, kind, place, points);
        *at = gpu_upload(&k->gpu, values, bytes);
        free(values);
    }
    return *at;
}

void bits_blocks(struct sheet *s, const uint64_t *results, unsigned points, unsigned block) {
    struct text hashes = {0};
    uint64_t sum = 0;
    for (unsigned from = 0; from < points; from += block) {
        uint64_t h = 0;
        for (unsigned i = from; i < from + block && i < points; i++)
            h += mix64(results[i] + mix64(i));
        text_add(&hashes, "%s%016llx", from ? " " : "", (unsigned long long)h);
        sum += h;
    }
    sheet_int(s, points);
    sheet_int(s, block);
    sheet_hex(s, sum, 16);
    sheet_hexes(s, hashes.at);
    text_free(&hashes);
}

void bits_run(struct kit *k) {
    const unsigned points = kit_pick(k, OPERAND_POINTS, OPERAND_EDGES), block = 1024;
    struct kernels list = {0};
    struct forms forms = {0};
    bits_kernels(&list);
    bits_forms(note_form, &forms);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "bits"), first = sheet_open(k, "bits-results");
    uint64_t *results = need(malloc(points * sizeof *results));
    const CUdeviceptr out = gpu_alloc(&k->gpu, points * sizeof *results);
    for (unsigned i = 0; i < list.count; i++) {
        const struct kernel *x = &list.at[i];
        if (k->only && !strstr(x->name, k->only)) continue;
        const char *why = x->refused;
        if (!why) {
            CUdeviceptr where[4] = {0};
            for (unsigned o = 0; forms.at[i].operands[o]; o++)
                where[o] = column(k, forms.at[i].operands[o], "abce"[o], points);
            unsigned n = points;
            CUdeviceptr to = out;
            void *arguments[] = {&to, &where[0], &where[1], &where[2], &where[3], &n};
            why = gpu_launch(&k->gpu, x->function, (struct launch){(points + 127) / 128, 128, 0, 0},
                             arguments);
        }
        sheet_text(&s, x->name);
        sheet_text(&s, forms.at[i].operands);
        sheet_text(&s, why ? why : "ok");
        if (why) {
            for (int c = 0; c < 4; c++) sheet_none(&s);
            sheet_end(&s);
            if (k->gpu.failed) kit_lost(k, x->name, why);
            continue;
        }
        gpu_read(&k->gpu, results, out, points * sizeof *results);
        bits_blocks(&s, results, points, block);
        sheet_end(&s);
        struct text hex = {0};
        for (unsigned p = 0; p < BITS_FIRST; p++)
            text_add(&hex, "%0*llx", (int)operand_bytes(forms.at[i].result) * 2,
                     (unsigned long long)results[p]);
        sheet_text(&first, x->name);
        sheet_text(&first, forms.at[i].operands);
        sheet_int(&first, operand_bytes(forms.at[i].result) * 8);
        sheet_hexes(&first, hex.at);
        sheet_end(&first);
        text_free(&hex);
    }
    sheet_close(&s);
    sheet_close(&first);
}

// ------------------------------------------------------------------------------------ sweep
static bool sweeps(const struct form *f) {
    return strcmp(f->operands, "f") == 0 && !strstr(f->body, "sync");
}

// p0: sums, p1: first operand, p2: operands a thread, p3: log2 of the thread blocks that share a
// sum. A thread block of 256 covers 256 * p2 consecutive operands.
static void add_sweep(void *to, const struct form *f) {
    if (!sweeps(f)) return;
    struct kernel *k = kernels_add(to, f->name, f->needs, KERNEL_PLAIN);
    struct text t = {0};
    declare(&t, f);
    text_add(&t, "mov.u32 %%i0,%%ctaid.x;\nld.param.u32 %%i1,[p2];\nmul.lo.u32 "
                 "%%i2,%%i0,%%i1;\nshl.b32 %%i2,%%i2,8;\n"
                 "mov.u32 %%i3,%%tid.x;\nadd.u32 %%i2,%%i2,%%i3;\nld.param.u32 %%i3,[p1];\nadd.u32 "
                 "%%xa,%%i2,%%i3;\n"
                 "mov.b64 %%g7,0;\n"
                 "AGAIN:\n");
    compute(&t, f);
    widen(&t, f);
    // mix64(result + mix64(operand))
    text_add(&t, "cvt.u64.u32 %%g2,%%xa;\n");
    const char *mix =
        "shr.u64 %g3,%g2,30;\nxor.b64 %g2,%g2,%g3;\nmul.lo.u64 %g2,%g2,0xbf58476d1ce4e5b9;\n"
        "shr.u64 %g3,%g2,27;\nxor.b64 %g2,%g2,%g3;\nmul.lo.u64 %g2,%g2,0x94d049bb133111eb;\n"
        "shr.u64 %g3,%g2,31;\nxor.b64 %g2,%g2,%g3;\n";
    text_add(&t, "%s", mix);
    text_add(&t, "add.u64 %%g2,%%g2,%%g1;\n");
    text_add(&t, "%s", mix);
    text_add(&t, "add.u64 %%g7,%%g7,%%g2;\nadd.u32 %%xa,%%xa,256;\nsub.u32 "
                 "%%i1,%%i1,1;\nsetp.ne.u32 %%o,%%i1,0;\n"
                 "@%%o bra AGAIN;\n"
                 "ld.param.u32 %%i3,[p3];\nshr.u32 %%i0,%%i0,%%i3;\nld.param.u64 "
                 "%%g0,[p0];\nmul.wide.u32 %%g1,%%i0,8;\n"
                 "add.u64 %%g0,%%g0,%%g1;\nred.global.add.u64 [%%g0],%%g7;\nret;\n");
    kernel_text(k, "u64 u32 u32 u32", NULL, t.at);
    text_free(&t);
}

void sweep_kernels(struct kernels *list) {
    list->part = "sweep";
    bits_forms(add_sweep, list);
}

void sweep_run(struct kit *k) {
    // A sum covers 2^22 operands: 16 thread blocks of 256 threads with 1024 each. Tiny: a block of
    // 256 operands.
    unsigned each = kit_pick(k, 1024, 1), shift = kit_pick(k, 4, 0);
    const unsigned sums = kit_pick(k, 1024, 2), block = each * 256 << shift;
    struct kernels list = {0};
    sweep_kernels(&list);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "sweep");
    uint64_t *results = need(malloc(sums * sizeof *results));
    const CUdeviceptr out = gpu_alloc(&k->gpu, sums * sizeof *results);
    for (unsigned i = 0; i < list.count && !kit_over(k, 1); i++) {
        const struct kernel *x = &list.at[i];
        if (!x->function || (k->only && !strstr(x->name, k->only)))
            continue; // bits.csv says why it was refused
        GPU(&k->gpu, cuMemsetD8, out, 0, sums * sizeof *results);
        unsigned first = kit_pick(k, 0, 0x3f800000);
        CUdeviceptr to = out;
        void *arguments[] = {&to, &first, &each, &shift};
        const char *why =
            gpu_launch(&k->gpu, x->function, (struct launch){sums << shift, 256, 0, 0}, arguments);
        if (why) kit_lost(k, x->name, why);
        gpu_read(&k->gpu, results, out, sums * sizeof *results);
        for (unsigned b = 0; b < sums; b++) {
            sheet_text(&s, x->name);
            sheet_hex(&s, first + b * block, 8);
            sheet_int(&s, block);
            sheet_hex(&s, results[b], 16);
            sheet_end(&s);
        }
    }
    sheet_close(&s);
}
