// Part `functions`: what the approximate functions of f32 answer, value by value, over intervals
// that show their tables: a hash says that a model is off, this says by how much and where.
//
// The functions are smooth, so results of operands a fixed step apart are written as second
// differences: mostly a letter each, which packs to two or three bits.
#include <stdlib.h>
#include <string.h>

#include "parts.h"

enum { LINE = 4096 }; // results of a line

static const struct {
    const char *function;
    uint32_t first, operands, step;
} intervals[] = {
    {"rcp.approx.ftz.f32", 0x3f800000, 1 << 23, 2},   // 1 to 2
    {"rsqrt.approx.ftz.f32", 0x3f800000, 1 << 24, 4}, // 1 to 4
    {"sqrt.approx.ftz.f32", 0x3f800000, 1 << 24, 8},
    {"ex2.approx.ftz.f32", 0x3f800000, 1 << 23, 2}, // 1 to 2, in steps of 2^-22
    {"ex2.approx.ftz.f32", 0x3f000000, 1 << 23, 8}, // 1/2 to 1
    {"ex2.approx.ftz.f32", 0x41200000, 1 << 21, 8}, // from 10 on: fewer bits of fraction
    {"lg2.approx.ftz.f32", 0x3f800000, 1 << 23, 2},
    {"lg2.approx.ftz.f32", 0x3f000000, 1 << 23, 8},
    {"sin.approx.ftz.f32", 0x3e000000, 6 << 23, 64}, // 1/8 to 8
    {"cos.approx.ftz.f32", 0x3e000000, 6 << 23, 64},
    {"tanh.approx.f32", 0x3d800000, 7 << 23, 32}, // 1/16 to 8
};
enum { INTERVALS = sizeof intervals / sizeof *intervals };

// p0: results, p1: first operand, p2: step, p3: how many. Blocks of 256.
void functions_kernels(struct kernels *list) {
    list->part = "functions";
    for (unsigned i = 0; i < INTERVALS; i++) {
        struct kernel *k =
            kernels_add(list, intervals[i].function,
                        strstr(intervals[i].function, "tanh") ? 75 : 70, KERNEL_PLAIN);
        struct text t = {0};
        text_add(&t,
                 ".reg .b64 %%out,%%o;\n.reg .b32 %%i,%%a,%%b,%%n,%%x;\n.reg .pred %%p;\nmov.u32 "
                 "%%i,%%ctaid.x;\n"
                 "mov.u32 %%a,%%tid.x;\nmad.lo.u32 %%i,%%i,256,%%a;\nld.param.u32 "
                 "%%n,[p3];\nsetp.ge.u32 %%p,%%i,%%n;\n"
                 "@%%p bra END;\nld.param.u64 %%out,[p0];\nld.param.u32 %%a,[p1];\nld.param.u32 "
                 "%%b,[p2];\n"
                 "mad.lo.u32 %%x,%%i,%%b,%%a;\n%s %%x,%%x;\nmul.wide.u32 %%o,%%i,4;\nadd.u64 "
                 "%%out,%%out,%%o;\n"
                 "st.global.b32 [%%out],%%x;\nEND:\nret;\n",
                 intervals[i].function);
        kernel_text(k, "u64 u32 u32 u32", NULL, t.at);
        text_free(&t);
    }
}

// The second differences of `n` results, into `to`, which has room for twenty characters each.
static void encode(char *to, const uint32_t *results, unsigned n) {
    int64_t before = n > 1 ? (int64_t)(int32_t)(results[1] - results[0]) : 0;
    for (unsigned i = 2; i < n; i++) {
        const int64_t difference = (int32_t)(results[i] - results[i - 1]),
                      second = difference - before;
        if (second >= -13 && second <= 12)
            *to++ = (char)('n' + second);
        else
            to += sprintf(to, "(%lld)", (long long)second);
        before = difference;
    }
    *to = 0;
}

void functions_run(struct kit *k) {
    struct kernels list = {0};
    functions_kernels(&list);
    kernels_load(k, &list);
    struct sheet s = sheet_open(k, "functions");
    const unsigned most = kit_pick(k, 1 << 22, 1024);
    const CUdeviceptr out = gpu_alloc(&k->gpu, (size_t)most * 4);
    uint32_t *results = need(malloc((size_t)most * 4));
    char *letters = need(malloc(LINE * 20 + 1));
    for (unsigned i = 0; i < INTERVALS && !kit_over(k, 1); i++) {
        const struct kernel *x = &list.at[i];
        if (!x->function || (k->only && !strstr(x->name, k->only)))
            continue; // bits.csv says why it was refused
        unsigned first = intervals[i].first, step = intervals[i].step,
                 n = intervals[i].operands / step;
        if (n > most) n = most;
        CUdeviceptr to = out;
        void *arguments[] = {&to, &first, &step, &n};
        const char *why = gpu_launch(&k->gpu, x->function,
                                     (struct launch){(n + 255) / 256, 256, 0, 0}, arguments);
        if (why) kit_lost(k, x->name, why);
        gpu_read(&k->gpu, results, out, (size_t)n * 4);
        for (unsigned at = 0; at < n; at += LINE) {
            const unsigned here = n - at < LINE ? n - at : LINE;
            encode(letters, results + at, here);
            sheet_text(&s, x->name);
            sheet_hex(&s, first + at * step, 8);
            sheet_int(&s, step);
            sheet_int(&s, here);
            sheet_hex(&s, results[at], 8);
            sheet_hex(&s, here > 1 ? results[at + 1] : results[at], 8);
            sheet_text(&s, letters);
            sheet_end(&s);
        }
    }
    free(letters);
    free(results);
    sheet_close(&s);
}
