// One OpenCL C text, two worlds: PoCL compiles it for the host's processor, clang compiles it to
// PTX for the simulated GPU (nvptx.h). Both get the same seeded inputs, and every buffer must come
// out with the same bits, but where a kernel uses functions that are approximate by definition.
//
//     test_pocl KERNEL     exit status 0: the same; 1: not; 77: there is no PoCL here
//
// The simulated GPU runs each kernel unoptimised and optimised (stack, generic addresses and calls
// in one, the usual code in the other), with time and without. Left out: signalling NaN, which
// OpenCL need not know, and the payload of a NaN, which neither world promises.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpwatt.h"

enum { SKIPPED = 77, MAX_ARGS = 5, SHOWN = 4, PARAM_BYTES = 64 };

// What an argument is at first; its type says how it is compared afterwards.
enum fill {
    NO_ARG,
    UINT,   // a number, not a buffer
    FLOAT,  // likewise
    ZERO,   // a buffer, as are all that follow; of uint
    ZERO_F, // of float
    ZERO_D, // of double
    BITS,   // any uint
    UNIT,   // floats in [-1, 1)
    ANY_F,  // any bits, with more than their share of infinities, NaN and denormals
    ANY_D,  // likewise, doubles
};

struct arg {
    enum fill fill;
    double n; // elements of a buffer; the value of a number
};

struct subject {
    const char *name;
    uint32_t grid[2], block[2]; // in groups; in work items
    double tolerance;           // of floats, relative to the larger of 1 and the value; 0: exact
    struct arg args[MAX_ARGS];
};

// Where a kernel allows it, sizes are multiples of nothing, so that its guard cuts through a warp.
// Tolerances: PTX's approximate functions keep 2^-22, sin and cos 2^-20.5 up to pi; 2^-18 leaves
// room for what exp2 of an argument up to 4 and a sum of many bodies make of that.
// clang-format off
static const struct subject subjects[] = {
    {"saxpy", {21, 1}, {128, 1}, 0, {{UNIT, 2600}, {UNIT, 2600}, {FLOAT, 0.7}, {UINT, 2600}}},
    {"roots", {40, 1}, {128, 1}, 0, {{ZERO_F, 40000}, {ANY_F, 5000}, {ANY_F, 5000}, {UINT, 5000}}},
    {"doubles", {40, 1}, {128, 1}, 0,
     {{ZERO_D, 40000}, {ANY_D, 5000}, {ANY_D, 5000}, {UINT, 5000}}},
    {"convert", {40, 1}, {128, 1}, 0, {{ZERO, 40000}, {ANY_F, 5000}, {BITS, 5000}, {UINT, 5000}}},
    {"stencil", {5, 8}, {16, 8}, 0,
     {{ZERO_F, 71 * 59}, {UNIT, 71 * 59}, {UINT, 71}, {UINT, 59}, {FLOAT, 0.2}}},
    {"reduce", {9, 1}, {256, 1}, 0,
     {{ZERO_F, 9}, {ZERO, 3}, {UNIT, 10007}, {BITS, 10007}, {UINT, 10007}}},
    {"matmul", {4, 4}, {16, 16}, 0, {{ZERO_F, 4096}, {UNIT, 4096}, {UNIT, 4096}, {UINT, 64}}},
    {"histogram", {7, 1}, {192, 1}, 0, {{ZERO, 64}, {ZERO, 16}, {BITS, 10007}, {UINT, 10007}}},
    {"bitonic", {6, 1}, {256, 1}, 0, {{BITS, 6 * 512}}},
    {"hash", {24, 1}, {128, 1}, 0, {{ZERO, 6 * 3000}, {BITS, 3000}, {UINT, 3000}}},
    {"mandelbrot", {5, 7}, {16, 8}, 0, {{ZERO, 75 * 53}, {UINT, 75}, {UINT, 53}}},
    {"nbody", {4, 1}, {64, 1}, 0x1p-18,
     {{ZERO_F, 1024}, {UNIT, 1024}, {UINT, 256}, {FLOAT, 0.001}}},
    {"native", {24, 1}, {128, 1}, 0x1p-18, {{ZERO_F, 18000}, {UNIT, 3000}, {UINT, 3000}}},
    {"scan", {7, 1}, {256, 1}, 0, {{UNIT, 7 * 256}, {BITS, 7 * 256}}},
};
// clang-format on

static bool is_buffer(const struct arg *a) { return a->fill > FLOAT; }

static size_t arg_bytes(const struct arg *a) {
    return (size_t)a->n * (a->fill == ZERO_D || a->fill == ANY_D ? 8 : 4);
}

// ---- inputs -------------------------------------------------------------------------------------
static uint64_t random_bits(uint64_t *state) { // splitmix64
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// A float or double of `exponent_bits` and `fraction_bits`: half of them near 1, the others
// anything.
static uint64_t any_float(uint64_t r, uint32_t choice, uint32_t exponent_bits,
                          uint32_t fraction_bits) {
    const uint64_t fraction = ((uint64_t)1 << fraction_bits) - 1;
    const uint64_t exponents = ((uint64_t)1 << exponent_bits) - 1, bias = exponents >> 1;
    const uint64_t sign = (r >> 63) << (exponent_bits + fraction_bits);
    uint64_t e = r >> fraction_bits & exponents, f = r & fraction;
    if (choice < 8)
        e = bias - 8 + (e & 31); // a common size, into the range of narrow integers
    else if (choice == 8)
        e = 0; // denormal
    else if (choice == 9)
        e = exponents, f = 0; // infinite
    else if (choice == 10)
        e = f = 0; // zero
    else if (choice == 11)
        f = 0; // a power of two
    else if (choice == 12)
        f &= fraction << (fraction_bits - 4);          // ties
    if (e == exponents && f) f |= (fraction + 1) >> 1; // quiet
    return sign | e << fraction_bits | f;
}

static void *arg_fill(const struct arg *a, uint64_t seed) {
    void *data = calloc(1, arg_bytes(a));
    if (!data) return NULL;
    uint64_t state = seed;
    for (size_t i = 0; i < (size_t)a->n; i++) {
        const uint64_t r = random_bits(&state);
        const uint32_t choice = (uint32_t)random_bits(&state) & 15;
        switch (a->fill) {
        case BITS: ((uint32_t *)data)[i] = (uint32_t)r; break;
        case UNIT: ((float *)data)[i] = (float)((int32_t)(r >> 40) - (1 << 23)) * 0x1p-23f; break;
        case ANY_F:
            ((uint32_t *)data)[i] = (uint32_t)any_float(r >> 32 | r << 32, choice, 8, 23);
            break;
        case ANY_D: ((uint64_t *)data)[i] = any_float(r, choice, 11, 52); break;
        default: break;
        }
    }
    return data;
}

// The arguments of a launch, in a state that a world may change.
struct data {
    void *buffer[MAX_ARGS];
};

static void data_free(struct data *d) {
    for (int i = 0; i < MAX_ARGS; i++) free(d->buffer[i]);
}

static bool data_fill(const struct subject *s, struct data *d) {
    memset(d, 0, sizeof *d);
    for (int i = 0; i < MAX_ARGS; i++) {
        if (!is_buffer(&s->args[i])) continue;
        d->buffer[i] = arg_fill(&s->args[i], 1000u + (uint64_t)i);
        if (!d->buffer[i]) return false;
    }
    return true;
}

static char *file_text(const char *path, size_t *length) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    static const size_t most = 1 << 20;
    char *text = malloc(most + 1);
    *length = text ? fread(text, 1, most, f) : 0;
    if (text) text[*length] = 0;
    fclose(f);
    return text;
}

// ---- PoCL ---------------------------------------------------------------------------------------
static bool pocl_find(cl_device_id *device) {
    cl_platform_id platforms[16];
    cl_uint n = 0;
    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS) return false;
    for (cl_uint i = 0; i < n && i < 16; i++) {
        char name[128] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Portable Computing Language") == 0 &&
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, device, NULL) == CL_SUCCESS)
            return true;
    }
    return false;
}

static cl_int pocl_launch(const struct subject *s, cl_context context, cl_device_id device,
                          cl_kernel kernel, struct data *d) {
    cl_int e;
    cl_mem memory[MAX_ARGS] = {0};
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    for (cl_uint i = 0; i < MAX_ARGS && e == CL_SUCCESS; i++) {
        const struct arg *a = &s->args[i];
        if (is_buffer(a)) {
            memory[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       arg_bytes(a), d->buffer[i], &e);
            if (e == CL_SUCCESS) e = clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]);
        } else if (a->fill == FLOAT) {
            e = clSetKernelArg(kernel, i, 4, &(float){(float)a->n});
        } else if (a->fill == UINT) {
            e = clSetKernelArg(kernel, i, 4, &(uint32_t){(uint32_t)a->n});
        }
    }
    const size_t local[2] = {s->block[0], s->block[1]};
    const size_t global[2] = {local[0] * s->grid[0], local[1] * s->grid[1]};
    if (e == CL_SUCCESS)
        e = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    for (int i = 0; i < MAX_ARGS; i++) {
        if (e == CL_SUCCESS && memory[i])
            e = clEnqueueReadBuffer(queue, memory[i], CL_TRUE, 0, arg_bytes(&s->args[i]),
                                    d->buffer[i], 0, NULL, NULL);
    }
    for (int i = 0; i < MAX_ARGS; i++)
        if (memory[i]) clReleaseMemObject(memory[i]);
    if (queue) clReleaseCommandQueue(queue);
    return e;
}

static bool pocl_run(const struct subject *s, cl_device_id device, const char *text, size_t length,
                     struct data *d) {
    cl_int e;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    if (e == CL_SUCCESS) program = clCreateProgramWithSource(context, 1, &text, &length, &e);
    if (e == CL_SUCCESS) {
        e = clBuildProgram(program, 1, &device,
                           "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt", NULL, NULL);
        if (e != CL_SUCCESS) {
            char log[4096] = "";
            clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
            fprintf(stderr, "%s\n", log);
        }
    }
    if (e == CL_SUCCESS) kernel = clCreateKernel(program, s->name, &e);
    if (e == CL_SUCCESS) e = pocl_launch(s, context, device, kernel, d);
    if (kernel) clReleaseKernel(kernel);
    if (program) clReleaseProgram(program);
    if (context) clReleaseContext(context);
    if (e != CL_SUCCESS) fprintf(stderr, "%s: PoCL: OpenCL error %d\n", s->name, (int)e);
    return e == CL_SUCCESS;
}

// ---- the simulated GPU --------------------------------------------------------------------------
// The parameter block as PTX lays it out; every buffer gets its place in device memory.
static enum ww_status gpu_params(ww_gpu *gpu, const struct subject *s, const struct data *d,
                                 uint64_t address[MAX_ARGS], uint8_t params[PARAM_BYTES],
                                 size_t *bytes) {
    size_t n = 0;
    enum ww_status e = WW_OK;
    for (int i = 0; i < MAX_ARGS && e == WW_OK; i++) {
        const struct arg *a = &s->args[i];
        if (is_buffer(a)) {
            e = ww_alloc(gpu, arg_bytes(a), &address[i]);
            if (e == WW_OK) e = ww_write(gpu, address[i], d->buffer[i], arg_bytes(a));
            n = (n + 7) & ~(size_t)7;
            memcpy(params + n, &address[i], 8);
            n += 8;
        } else if (a->fill != NO_ARG) {
            if (a->fill == FLOAT)
                memcpy(params + n, &(float){(float)a->n}, 4);
            else
                memcpy(params + n, &(uint32_t){(uint32_t)a->n}, 4);
            n += 4;
        }
    }
    *bytes = n;
    return e;
}

static bool gpu_run(const struct subject *s, const char *ptx_path, bool functional,
                    struct data *d) {
    struct ww_options o;
    ww_options_init(&o);
    o.host_threads = 1;
    o.functional = functional;
    o.check_uninitialised = o.check_races = 1;
    ww_gpu *gpu = NULL;
    enum ww_status e = ww_gpu_open("gtx480", &o, &gpu);
    size_t length = 0, bytes = 0;
    char *text = file_text(ptx_path, &length);
    if (e == WW_OK && !text) e = WW_ERROR_IO;
    ww_module *module;
    ww_kernel *kernel;
    uint64_t address[MAX_ARGS] = {0};
    uint8_t params[PARAM_BYTES] = {0};
    if (e == WW_OK) e = ww_module_load(gpu, ptx_path, text, length, &module);
    if (e == WW_OK) e = ww_kernel_find(module, s->name, &kernel);
    if (e == WW_OK) e = gpu_params(gpu, s, d, address, params, &bytes);
    const uint32_t grid[3] = {s->grid[0], s->grid[1], 1}, block[3] = {s->block[0], s->block[1], 1};
    if (e == WW_OK) e = ww_launch(gpu, kernel, grid, block, 0, params, bytes);
    if (e == WW_OK) e = ww_synchronize(gpu);
    for (int i = 0; i < MAX_ARGS && e == WW_OK; i++)
        if (d->buffer[i]) e = ww_read(gpu, d->buffer[i], address[i], arg_bytes(&s->args[i]));
    if (e != WW_OK)
        fprintf(stderr, "%s: %s: %s\n%s\n", s->name, ptx_path, ww_status_name(e),
                ww_last_error(gpu));
    free(text);
    if (gpu) ww_gpu_close(gpu);
    return e == WW_OK;
}

// ---- comparison ---------------------------------------------------------------------------------
// Whether elements `i` of two buffers of an argument's type agree; prints them when not.
static bool same_element(const struct subject *s, const struct arg *a, const void *x, const void *y,
                         size_t i, bool show) {
    if (a->fill == ZERO_D || a->fill == ANY_D) {
        const double p = ((const double *)x)[i], q = ((const double *)y)[i];
        if (memcmp(&p, &q, sizeof p) == 0 || (isnan(p) && isnan(q))) return true;
        if (show) fprintf(stderr, "    [%zu] PoCL %a, simulated %a\n", i, p, q);
    } else if (a->fill == ZERO || a->fill == BITS) {
        const uint32_t p = ((const uint32_t *)x)[i], q = ((const uint32_t *)y)[i];
        if (p == q) return true;
        if (show) fprintf(stderr, "    [%zu] PoCL 0x%08x, simulated 0x%08x\n", i, p, q);
    } else {
        const float p = ((const float *)x)[i], q = ((const float *)y)[i];
        if (memcmp(&p, &q, sizeof p) == 0 || (isnan(p) && isnan(q))) return true;
        const double scale = fmax(1, fabs((double)p));
        if (fabs((double)p - (double)q) <= s->tolerance * scale) return true;
        if (show) fprintf(stderr, "    [%zu] PoCL %a, simulated %a\n", i, (double)p, (double)q);
    }
    return false;
}

static bool same_data(const struct subject *s, const struct data *x, const struct data *y) {
    bool same = true;
    for (int k = 0; k < MAX_ARGS; k++) {
        const struct arg *a = &s->args[k];
        size_t wrong = 0;
        for (size_t i = 0; is_buffer(a) && i < (size_t)a->n; i++)
            wrong += !same_element(s, a, x->buffer[k], y->buffer[k], i, wrong < SHOWN);
        if (wrong) fprintf(stderr, "  argument %d: %zu of %g differ\n", k, wrong, a->n);
        same &= wrong == 0;
    }
    return same;
}

// A test that compares nothing would pass: the kernel must have changed something.
static bool changed(const struct subject *s, const struct data *d) {
    struct data before;
    bool differs = false;
    if (data_fill(s, &before))
        for (int i = 0; i < MAX_ARGS; i++)
            differs |=
                d->buffer[i] && memcmp(before.buffer[i], d->buffer[i], arg_bytes(&s->args[i]));
    data_free(&before);
    return differs;
}

static bool compare(const struct subject *s, cl_device_id device) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.cl", KERNEL_DIR, s->name);
    size_t length = 0;
    char *text = file_text(path, &length);
    struct data pocl = {0};
    bool good = text && data_fill(s, &pocl) && pocl_run(s, device, text, length, &pocl);
    if (good && !changed(s, &pocl)) {
        fprintf(stderr, "%s: PoCL changed nothing\n", s->name);
        good = false;
    }
    for (int run = 0; good && run < 4; run++) {
        const bool optimised = run & 1, functional = run & 2;
        snprintf(path, sizeof path, "%s/%s.O%d.ptx", PTX_DIR, s->name, optimised ? 2 : 0);
        struct data simulated;
        const bool ran = data_fill(s, &simulated) && gpu_run(s, path, functional, &simulated);
        if (!ran || !same_data(s, &pocl, &simulated)) {
            fprintf(stderr, "%s: %s, %s: not as PoCL\n", s->name, path,
                    functional ? "functional" : "timed");
            good = false;
        }
        data_free(&simulated);
    }
    data_free(&pocl);
    free(text);
    return good;
}

int main(int argc, char **argv) {
    cl_device_id device;
    if (!pocl_find(&device)) {
        puts("skipped: no PoCL platform here");
        return SKIPPED;
    }
    for (size_t i = 0; argc == 2 && i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(subjects[i].name, argv[1]) == 0) return compare(&subjects[i], device) ? 0 : 1;
    fputs("usage: test_pocl KERNEL\n", stderr);
    return 2;
}
