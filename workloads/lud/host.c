// lud, host: three launches for each tile of the diagonal, one for the last.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { TILE = 16 };

static const struct host_param params[] = {
    {"SIZE", TILE, 1 << 12, "rows of the matrix, a multiple of 16"},
};
static const struct host_program program = {"lud", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int n = (int)h.arg[0];
    host_require(&h, n % TILE == 0, "SIZE must be a multiple of %d.", TILE);
    const size_t size = (size_t)n, count = size * size;

    // Diagonally dominant by rows: stable without pivoting.
    float *m = host_memory(count, sizeof *m);
    double *want = host_memory(count, sizeof *want);
    for (size_t i = 0; i < size; i++) {
        float sum = 0;
        for (size_t j = 0; j < size; j++) {
            m[i * size + j] = i == j ? 0 : host_random_float(&h, -1, 1);
            sum += m[i * size + j] < 0 ? -m[i * size + j] : m[i * size + j];
        }
        m[i * size + i] = sum + 1;
    }

    CUdeviceptr m_dev = host_upload(&h, m, count * sizeof *m);
    const CUfunction diagonal = host_kernel(&h, "ludDiagonal");
    const CUfunction perimeter = host_kernel(&h, "ludPerimeter");
    const CUfunction internal = host_kernel(&h, "ludInternal");
    for (int offset = 0; offset < n; offset += TILE) {
        const unsigned rest = (unsigned)((n - offset) / TILE - 1);
        host_launch(diagonal, (struct dim){1}, (struct dim){TILE}, 0, &m_dev, &n, &offset);
        if (!rest) break;
        host_launch(perimeter, (struct dim){rest}, (struct dim){2 * TILE}, 0, &m_dev, &n, &offset);
        host_launch(internal, ((struct dim){rest, rest}), ((struct dim){TILE, TILE}), 0, &m_dev, &n,
                    &offset);
    }

    // Elimination by columns, untiled: each pivot row is subtracted from all rows below it at once.
    for (size_t i = 0; i < count; i++) want[i] = m[i];
    for (size_t k = 0; k < size; k++) {
        for (size_t i = k + 1; i < size; i++) {
            const double factor = want[i * size + k] /= want[k * size + k];
            for (size_t j = k + 1; j < size; j++) want[i * size + j] -= factor * want[k * size + j];
        }
    }
    // Elements stay within twice the largest (dominance), about SIZE; each takes at most SIZE
    // steps, each rounded by at most 2^-24 of it. Multipliers are below 1.
    const double error = (double)n * 0x1p-23;
    host_read(m, m_dev, count * sizeof *m);
    host_check_float(&h, "factors", m, want, count, error, error);

    free(m);
    free(want);
    return host_close(&h);
}
