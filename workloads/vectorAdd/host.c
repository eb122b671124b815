// vectorAdd, host: one launch of 256-thread blocks.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 256 };

static const struct host_param params[] = {
    {"ELEMENTS", 1, 1 << 28, "length of the vectors"},
};
static const struct host_program program = {"vectorAdd", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int n = (int)h.arg[0];
    const size_t count = (size_t)n, bytes = count * sizeof(float);

    float *a = host_memory(count, sizeof *a);
    float *b = host_memory(count, sizeof *b);
    float *c = host_memory(count, sizeof *c);
    double *want = host_memory(count, sizeof *want);
    for (size_t i = 0; i < count; i++) {
        a[i] = host_random_float(&h, -1, 1);
        b[i] = host_random_float(&h, -1, 1);
    }

    CUdeviceptr a_dev = host_upload(&h, a, bytes);
    CUdeviceptr b_dev = host_upload(&h, b, bytes);
    CUdeviceptr c_dev = host_alloc(&h, bytes);
    const struct dim grid = {((unsigned)n + THREADS - 1) / THREADS};
    host_launch(host_kernel(&h, "vectorAdd"), grid, (struct dim){THREADS}, 0, &a_dev, &b_dev,
                &c_dev, &n);
    host_read(c, c_dev, bytes);

    // An IEEE addition has one right answer, so nothing is allowed. From the end, for a change.
    for (size_t i = count; i-- > 0;) want[i] = (double)(float)((double)b[i] + (double)a[i]);
    host_check_float(&h, "c", c, want, count, 0, 0);

    free(a);
    free(b);
    free(c);
    free(want);
    return host_close(&h);
}
