// A program of libwarpwatt: runs a kernel on a simulated GPU, checks it, and asks what it cost,
// without and with energy-saving techniques.
//
//     cc saxpy.c $(pkg-config --cflags --libs warpwatt) -o saxpy
//     ./saxpy gtx480-micro46 warped-gates
#include <stdio.h>
#include <string.h>
#include <warpwatt.h>

// y = a x + y, a thread an element
static const char ptx[] = ".version 4.0\n.target sm_20\n.address_size 64\n"
                          ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y,\n"
                          "                      .param .u32 n)\n"
                          "{\n"
                          ".reg .pred p; .reg .u32 i, t, b, w, m; .reg .u64 o, s, d;\n"
                          ".reg .f32 f, u, v;\n"
                          "mov.u32 t, %tid.x; mov.u32 b, %ctaid.x; mov.u32 w, %ntid.x;\n"
                          "mad.lo.u32 i, b, w, t;\n"
                          "ld.param.u32 m, [n]; setp.ge.u32 p, i, m; @p bra done;\n"
                          "mul.wide.u32 o, i, 4;\n"
                          "ld.param.u64 s, [x]; add.u64 s, s, o; ld.global.f32 u, [s];\n"
                          "ld.param.u64 d, [y]; add.u64 d, d, o; ld.global.f32 v, [d];\n"
                          "ld.param.f32 f, [a]; fma.rn.f32 v, f, u, v; st.global.f32 [d], v;\n"
                          "done: ret;\n"
                          "}\n";

enum { N = 20000, BLOCK = 256 };

static int fail(const ww_gpu *gpu, enum ww_status s) {
    fprintf(stderr, "%s: %s", ww_status_name(s), ww_last_error(gpu));
    return 1;
}

// Energy of the launch, whole and of one part of the chip.
static int print_energy(const ww_gpu *gpu) {
    ww_power *power;
    char why[512];
    enum ww_status s = ww_power_of_gpu(gpu, why, sizeof why, &power);
    if (s == WW_OK) s = ww_power_run_result(power, gpu, 0);
    if (s != WW_OK) return fprintf(stderr, "no power: %s\n", why), 1;
    struct ww_power_part part = {.size = sizeof part};
    for (size_t i = 0; ww_power_part_get(power, i, &part) == WW_OK; i++)
        if (i == 0 || strcmp(part.name, "int") == 0)
            printf("  %-12s dynamic %.6g J, static %.6g J\n", part.name, part.dynamic_j,
                   part.static_j);
    ww_power_close(power);
    return 0;
}

static int run(const char *name, const char *techniques) {
    struct ww_options o;
    ww_options_init(&o);
    o.techniques = techniques;
    ww_gpu *gpu;
    enum ww_status s = ww_gpu_open(name, &o, &gpu);
    if (s != WW_OK) return fail(NULL, s);
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1;
    struct {
        float a;
        uint64_t x, y;
        uint32_t n;
    } p = {.a = 2, .n = N};
    const uint32_t grid[3] = {(N + BLOCK - 1) / BLOCK, 1, 1}, block[3] = {BLOCK, 1, 1};
    ww_module *module;
    ww_kernel *kernel;
    s = ww_module_load(gpu, "saxpy.ptx", ptx, sizeof ptx - 1, &module);
    if (s == WW_OK) s = ww_kernel_find(module, "saxpy", &kernel);
    if (s == WW_OK) s = ww_alloc(gpu, sizeof x, &p.x);
    if (s == WW_OK) s = ww_alloc(gpu, sizeof y, &p.y);
    if (s == WW_OK) s = ww_write(gpu, p.x, x, sizeof x);
    if (s == WW_OK) s = ww_write(gpu, p.y, y, sizeof y);
    // the parameter block as PTX lays it out: the structure, less what C pads its end with
    if (s == WW_OK) s = ww_launch(gpu, kernel, grid, block, 0, &p, 28);
    if (s == WW_OK) s = ww_read(gpu, y, p.y, sizeof y);
    if (s != WW_OK) {
        const int code = fail(gpu, s);
        ww_gpu_close(gpu);
        return code;
    }
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += y[i] != 2 * (float)i + 1;
    struct ww_result r = {.size = sizeof r};
    ww_result_get(gpu, 0, &r);
    uint64_t gatings = 0, v; // a counter of several elements: of every domain that can be gated
    for (uint32_t d = 0; ww_result_counter(gpu, 0, "gate_events", d, &v) == WW_OK; d++)
        gatings += v;
    printf("%s on %s, techniques: %s\n  %s, %llu cycles, %.4g s, %llu warp instructions, %llu "
           "gatings\n",
           r.kernel, name, techniques ? techniques : "none", wrong ? "WRONG" : "right",
           (unsigned long long)r.cycles, r.seconds, (unsigned long long)r.warp_instructions,
           (unsigned long long)gatings);
    const int code = print_energy(gpu) || wrong;
    ww_gpu_close(gpu);
    return code;
}

int main(int argc, char **argv) {
    const char *gpu = argc > 1 ? argv[1] : "gtx480";
    const int code = run(gpu, NULL);
    return argc > 2 && !code ? run(gpu, argv[2]) : code;
}
