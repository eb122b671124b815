// Runs `saxpy` of a PTX file on zeros and prints cycles and joules. The buffers are never written:
// copies take simulated time, and a launch that starts at another time meets DRAM's refresh
// elsewhere.
#include <stdio.h>
#include <warpwatt.h>

enum { N = 20000 };

int main(int argc, char **argv) {
    static char text[65536];
    FILE *f = argc == 4 ? fopen(argv[1], "r") : NULL;
    const size_t length = f ? fread(text, 1, sizeof text, f) : 0;
    struct ww_options o;
    ww_options_init(&o);
    if (*argv[3]) o.techniques = argv[3];
    ww_gpu *gpu;
    ww_module *m;
    ww_kernel *k;
    ww_power *p;
    struct {
        float a;
        uint64_t x, y;
        uint32_t n;
    } block = {.a = 2, .n = N};
    if (ww_gpu_open(argv[2], &o, &gpu) != WW_OK) return puts(ww_last_error(NULL)), 1;
    // describing the kernel lowers it: its code lies in memory below the buffers, as in the command
    struct ww_kernel_info info = {.size = sizeof info};
    if (ww_module_load(gpu, "saxpy.ptx", text, length, &m) != WW_OK ||
        ww_kernel_find(m, "saxpy", &k) != WW_OK || ww_kernel_describe(k, &info) != WW_OK ||
        ww_alloc(gpu, 4 * N, &block.x) != WW_OK || ww_alloc(gpu, 4 * N, &block.y) != WW_OK ||
        ww_launch(gpu, k, (uint32_t[]){(N + 255) / 256, 1, 1}, (uint32_t[]){256, 1, 1}, 0, &block,
                  28) != WW_OK ||
        ww_synchronize(gpu) != WW_OK)
        return puts(ww_last_error(gpu)), 1;
    struct ww_result r = {.size = sizeof r};
    struct ww_power_part part = {.size = sizeof part};
    ww_result_get(gpu, 0, &r);
    ww_power_of_gpu(gpu, NULL, 0, &p);
    ww_power_run_result(p, gpu, 0);
    ww_power_part_get(p, 0, &part);
    printf("%llu %.9g %.9g\n", (unsigned long long)r.cycles, part.dynamic_j, part.static_j);
    if (ww_power_run_result(p, gpu, 1) != WW_ERROR_USAGE) return puts("a launch that never was"), 1;
    ww_power_close(p);
    ww_gpu_close(gpu);
    return 0;
}
