// ladder, host: LAUNCHES of one class's kernel, a block for each SM that is to be busy.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 256, UNROLLED = 16, WORDS = 1 << 22 };
enum ladder_class { INT, FMA, SFU, SHARED, GLOBAL, CLASSES };

static const struct host_param params[] = {
    {"CLASS", 0, CLASSES - 1, "0 integer addition, 1 multiply-add, 2 special function, 3 shared, 4 global"},
    {"BLOCKS", 1, 65535, "of 256 threads; up to the chip's number, each has an SM"},
    {"LANES", 1, 32, "of each warp that do it"},
    {"ITERATIONS", 1, 1 << 24, "of 64 instructions in four chains (32 of global loads)"},
    {"LAUNCHES", 1, 1 << 20, "one behind the other"},
};
static const struct host_program program = {"ladder", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int what = (int)h.arg[0], iterations = (int)h.arg[3];
    const unsigned blocks = (unsigned)h.arg[1], lanes = (unsigned)h.arg[2];
    const size_t n = (size_t)blocks * THREADS, bytes = n * sizeof(int);
    static const char *const kernel[CLASSES] = {"ladderInt", "ladderFma", "ladderSfu", "ladderShared",
                                                "ladderGlobal"};
    int step = 3;
    unsigned words = WORDS;
    float by = 0.75f, start = 16;
    CUdeviceptr out = host_alloc(&h, bytes), data = 0;
    int *stream = NULL;
    if (what == GLOBAL) {
        stream = host_memory(WORDS, sizeof *stream);
        for (size_t i = 0; i < WORDS; i++) stream[i] = (int)(i % 1013);
        data = host_upload(&h, stream, WORDS * sizeof *stream);
    }
    const CUfunction f = host_kernel(&h, kernel[what]);
    void *const last[CLASSES] = {&step, &by, &start, &step, &data};
    for (int64_t i = 0; i < h.arg[4]; i++)
        host_launch(f, (struct dim){blocks}, (struct dim){THREADS}, 0, &out, (void *)&iterations,
                    (void *)&lanes, last[what], &words);

    // One thread after the other, in closed form where there is one.
    int *got = host_memory(n, sizeof *got), *want = host_memory(n, sizeof *want);
    float *got_f = host_memory(n, sizeof *got_f);
    double *want_f = host_memory(n, sizeof *want_f);
    host_read(what == FMA || what == SFU ? (void *)got_f : (void *)got, out, bytes);
    for (size_t t = 0; t < n; t++) {
        const bool on = t % 32 < lanes;
        const unsigned x = (unsigned)t + (on ? (unsigned)UNROLLED * (unsigned)iterations * (unsigned)step : 0);
        const unsigned at = (unsigned)(t % THREADS);
        float v = (float)t;
        double sum = 0;
        switch (what) {
        case INT: want[t] = (int)(x + 1); break; // four of five terms cancel
        case FMA:
            for (int64_t i = 0; on && i < (int64_t)UNROLLED * iterations && v != fmaf(v, by, by); i++)
                v = fmaf(v, by, by);
            want_f[t] = (v + v) + (v + v);
            break;
        case SFU: want_f[t] = on ? 4 : 4 * (double)start; break;
        case SHARED: want[t] = on ? step * (int)(4 * at + 256 + 512 + 768) : 0; break;
        default:
            for (uint64_t i = 0; on && i < 2 * (uint64_t)UNROLLED * (uint64_t)iterations; i++)
                sum += stream[(t + i * n) % WORDS];
            want[t] = (int)(uint32_t)(int64_t)sum;
        }
    }
    if (what == FMA || what == SFU)
        // the root of 1 is met from both sides to the units' own accuracy
        host_check_float(&h, "out", got_f, want_f, n, what == SFU ? 1e-4 : 0, 0);
    else
        host_check_int(&h, "out", got, want, n);
    free(stream), free(got), free(want), free(got_f), free(want_f);
    return host_close(&h);
}
