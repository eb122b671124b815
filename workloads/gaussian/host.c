// gaussian, host: two launches for each column but the last, then back-substitution here.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 512, SIDE = 4 };

static const struct host_param params[] = {
    {"SIZE", 2, 1 << 12, "equations"},
};
static const struct host_program program = {"gaussian", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int n = (int)h.arg[0];
    const size_t size = (size_t)n, count = size * size;

    // Diagonally dominant by rows: elimination without pivoting is stable, and the inverse is no
    // larger (in the maximum norm) than 1 / (smallest surplus of a diagonal element) = 1.
    float *a = host_memory(count, sizeof *a), *b = host_memory(size, sizeof *b);
    float *multipliers = host_memory(count, sizeof *multipliers), *x = host_memory(size, sizeof *x);
    double *exact = host_memory(size, sizeof *exact), *want = host_memory(count, sizeof *want);
    for (size_t i = 0; i < size; i++) exact[i] = (double)host_random_float(&h, -1, 1);
    for (size_t i = 0; i < size; i++) {
        float sum = 0;
        for (size_t j = 0; j < size; j++) {
            a[i * size + j] = i == j ? 0 : host_random_float(&h, -1, 1);
            sum += a[i * size + j] < 0 ? -a[i * size + j] : a[i * size + j];
        }
        a[i * size + i] = sum + 1;
        double rhs = 0;
        for (size_t j = 0; j < size; j++) rhs += a[i * size + j] * exact[j];
        b[i] = (float)rhs;
    }

    CUdeviceptr a_dev = host_upload(&h, a, count * sizeof *a);
    CUdeviceptr b_dev = host_upload(&h, b, size * sizeof *b);
    CUdeviceptr m_dev = host_upload(&h, multipliers, count * sizeof *multipliers);
    const CUfunction fan1 = host_kernel(&h, "fan1"), fan2 = host_kernel(&h, "fan2");
    const unsigned side_blocks = ((unsigned)n + SIDE - 1) / SIDE;
    for (int t = 0; t < n - 1; t++) {
        host_launch(fan1, (struct dim){((unsigned)n + THREADS - 1) / THREADS},
                    (struct dim){THREADS}, 0, &m_dev, &a_dev, &n, &t);
        host_launch(fan2, ((struct dim){side_blocks, side_blocks}), ((struct dim){SIDE, SIDE}), 0,
                    &m_dev, &a_dev, &b_dev, &n, &t);
        host_wait();
    }

    // The triangle, by rows and dot products (Doolittle): u(i,j) = a(i,j) - sum of l(i,k) u(k,j).
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            double v = a[i * size + j];
            for (size_t k = 0; k < (i < j ? i : j); k++)
                v -= want[i * size + k] * want[k * size + j];
            want[i * size + j] = j < i ? v / want[j * size + j] : v;
        }
    }
    host_read(a, a_dev, count * sizeof *a);
    host_read(b, b_dev, size * sizeof *b);
    host_read(multipliers, m_dev, count * sizeof *multipliers);
    for (size_t i = 0; i < size; i++) // below the diagonal the reference keeps the multipliers
        for (size_t j = 0; j < i; j++) a[i * size + j] = multipliers[i * size + j];
    // Elements stay within twice the largest (dominance), about SIZE; each takes at most SIZE
    // steps, each rounded by at most 2^-24 of it. Multipliers are below 1.
    const double size_error = (double)n * 0x1p-23;
    host_check_float(&h, "factors", a, want, count, size_error, size_error);

    for (size_t i = size; i-- > 0;) {
        float v = b[i];
        for (size_t j = i + 1; j < size; j++) v -= a[i * size + j] * x[j];
        x[i] = v / a[i * size + i];
    }
    host_check_float(&h, "solution", x, exact, size, 0, size_error);

    free(a);
    free(b);
    free(multipliers);
    free(x);
    free(exact);
    free(want);
    return host_close(&h);
}
