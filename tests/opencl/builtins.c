// Built-in functions beside the host's, work items, constants, vectors, doubles, atomics, printf, files of a group.
#include "check.h"

static const char source[] =
    "__constant int table[4] = {3, 1, 4, 1};\n"
    "typedef struct { int a; float2 b; } pair;\n"
    "__kernel void where(__global ulong *out) {\n"
    "    size_t i = (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + "
    "get_global_id(0) - get_global_offset(0);\n"
    "    out[i] = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_local_id(0) + "
    "100000000 * get_group_id(1) +\n"
    "             10000000000L * get_work_dim();\n"
    "}\n"
    "__kernel void constants(__constant float *c, __constant int *d, __global float *out, pair p) "
    "{\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = c[i & 3] * 2 + d[i & 7] + table[i & 3] + p.a + p.b.y;\n"
    "}\n"
    "__kernel void math(__global const float *x, __global float *out, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    float v = x[i];\n"
    "    out[i] = sin(v), out[n + i] = cos(v), out[2 * n + i] = exp(v), out[3 * n + i] = log(v + "
    "4);\n"
    "    out[4 * n + i] = pow(fabs(v), 1.5f), out[5 * n + i] = native_sin(v), out[6 * n + i] = "
    "native_exp(v);\n"
    "    out[7 * n + i] = native_divide(v, 3.0f), out[8 * n + i] = sqrt(fabs(v)), out[9 * n + i] = "
    "atan2(v, 2.0f);\n"
    "    out[10 * n + i] = fma(v, v, 1.0f), out[11 * n + i] = half_sqrt(fabs(v)), out[12 * n + i] "
    "= tanh(v);\n"
    "}\n"
    "__kernel void doubles(__global const double *x, __global double *out, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = sin(x[i]), out[n + i] = exp(x[i]), out[2 * n + i] = sqrt(fabs(x[i])) / 3, out[3 "
    "* n + i] = log(x[i] + 4);\n"
    "}\n"
    "__kernel void vectors(__global const float4 *a, __global float4 *out, __global const float "
    "*b) {\n"
    "    int i = get_global_id(0);\n"
    "    float3 u = vload3(i, b);\n"
    "    out[i] = a[i].wzyx + (float4)(dot(u, u), cross((float4)(u, 0), (float4)(0, 0, 1, 0)).xy, "
    "length(u));\n"
    "}\n"
    "__kernel void atomics(__global int *g, __local int *l) {\n"
    "    if (get_local_id(0) == 0) *l = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_add(l, 2), atomic_inc(g), atomic_max(g + 1, (int)get_global_id(0)), atomic_min(g + "
    "2, -(int)get_global_id(0));\n"
    "    atomic_or(g + 3, 1 << (get_global_id(0) & 7));\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) atomic_add(g + 4, *l);\n"
    "}\n"
    "__kernel void two_locals(__local char *a, __local double *b, __global double *out) {\n"
    "    __local int own[5];\n"
    "    int i = get_local_id(0);\n"
    "    a[i] = (char)i, b[i] = i * 0.5;\n"
    "    if (i < 5) own[i] = i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = a[31 - i] + b[31 - i] + own[i % 5];\n"
    "}\n"
    "__kernel void copies(__global const float *in, __global float *out, __local float *l) {\n"
    "    event_t e = async_work_group_copy(l, in + 64 * get_group_id(0), 64, 0);\n"
    "    wait_group_events(1, &e);\n"
    "    out[get_global_id(0)] = l[63 - get_local_id(0)];\n"
    "}\n"
    "__kernel void required(__global int *out) __attribute__((reqd_work_group_size(8, 4, 1)));\n"
    "__kernel void required(__global int *out) { out[get_global_id(1) * 16 + get_global_id(0)] = "
    "get_local_id(1); }\n";

static bool is_near(double is, double wanted, double tolerance) {
    return fabs(is - wanted) <= tolerance * (fabs(wanted) > 1 ? fabs(wanted) : 1);
}
static void run1(cl_kernel k, size_t all, size_t group) {
    DONE(clEnqueueNDRangeKernel(queue, k, 1, NULL, &all, group ? &group : NULL, 0, NULL, NULL));
}
static void get(cl_mem m, void *to, size_t bytes) {
    DONE(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

int main(void) {
    begin(0);
    cl_program p = build(source, "-cl-std=CL1.2 -DUNUSED=1");
    enum { N = 64, F = 13 };
    cl_mem big = buffer(CL_MEM_READ_WRITE, 65536, NULL);

    cl_kernel where = kernel_of(p, "where");
    ARG(where, 0, big);
    const size_t offset[2] = {5, 7}, all[2] = {16, 8}, group[2] = {8, 2};
    DONE(clEnqueueNDRangeKernel(queue, where, 2, offset, all, group, 0, NULL, NULL));
    static cl_ulong places[128];
    get(big, places, sizeof places);
    for (size_t y = 0; y < 8; y++)
        for (size_t x = 0; x < 16; x++)
            EQUAL(places[y * 16 + x],
                  x + 5 + 1000 * (y + 7) + 1000000 * (x % 8) + 100000000 * (y / 2) + 20000000000L);
    run1(where, 128, 32); // without an offset, one dimension
    get(big, places, sizeof places);
    for (size_t i = 0; i < 128; i++) EQUAL(places[i], i + 1000000 * (i % 32) + 10000000000L);

    float c[4] = {1, 2, 3, 4}, out[N * F], x[N];
    int d[8] = {10, 20, 30, 40, 50, 60, 70, 80};
    cl_mem dc = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof c, c),
           dd = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof d, d);
    struct {
        int a;
        int pad;
        float b[2];
    } pair = {100, 0, {0, 0.5f}};
    cl_kernel constants = kernel_of(p, "constants");
    ARG(constants, 0, dc);
    ARG(constants, 1, dd);
    ARG(constants, 2, big);
    ARG(constants, 3, pair);
    const int table[4] = {3, 1, 4, 1};
    for (int round = 0; round < 2;
         round++) { // what is constant for a launch may change for the next
        run1(constants, N, N);
        get(big, out, N * sizeof *out);
        for (int i = 0; i < N; i++)
            EXPECT(out[i] == c[i & 3] * 2 + (float)(d[i & 7] + table[i & 3]) + 100.5f);
        for (int i = 0; i < 4; i++) c[i] += 10;
        DONE(clEnqueueWriteBuffer(queue, dc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    }

    for (int i = 0; i < N; i++) x[i] = (float)i / 10 - 3;
    cl_mem dx = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x);
    const int n = N;
    cl_kernel math = kernel_of(p, "math");
    ARG(math, 0, dx);
    ARG(math, 1, big);
    ARG(math, 2, n);
    run1(math, N, 0);
    get(big, out, sizeof out);
    for (int i = 0; i < N; i++) {
        const double v = x[i], a = fabs(v);
        const double wanted[F] = {sin(v),    cos(v),  exp(v), log(v + 4), pow(a, 1.5),
                                  sin(v),    exp(v),  v / 3,  sqrt(a),    atan2(v, 2),
                                  v * v + 1, sqrt(a), tanh(v)};
        // units in the last place that OpenCL allows (1.2, 7.4): 16 of 2^-24 at most; native_ as PTX's .approx
        for (int f = 0; f < F; f++)
            EXPECT(is_near(out[f * N + i], wanted[f], f == 5 || f == 6 ? 2e-6 : 1e-6));
    }
    double y[N], out_d[4 * N];
    for (int i = 0; i < N; i++) y[i] = i / 10.0 - 3;
    cl_mem dy = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof y, y);
    cl_kernel doubles = kernel_of(p, "doubles");
    ARG(doubles, 0, dy);
    ARG(doubles, 1, big);
    ARG(doubles, 2, n);
    run1(doubles, N, 0);
    get(big, out_d, sizeof out_d);
    for (int i = 0; i < N; i++) {
        const double wanted[4] = {sin(y[i]), exp(y[i]), sqrt(fabs(y[i])) / 3, log(y[i] + 4)};
        for (int f = 0; f < 4; f++) EXPECT(is_near(out_d[f * N + i], wanted[f], 1e-14));
    }

    cl_kernel vectors = kernel_of(p, "vectors");
    ARG(vectors, 0, dx);
    ARG(vectors, 1, big);
    ARG(vectors, 2, dx);
    run1(vectors, N / 4, 0);
    get(big, out, N * sizeof *out);
    for (int i = 0; i < N / 4; i++) {
        const float *u = x + 3 * i;
        const float dot = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        EXPECT(is_near(out[4 * i], x[4 * i + 3] + dot, 1e-6) &&
               is_near(out[4 * i + 1], x[4 * i + 2] + u[1], 1e-6));
        EXPECT(is_near(out[4 * i + 2], x[4 * i + 1] - u[0], 1e-6) &&
               is_near(out[4 * i + 3], x[4 * i] + sqrtf(dot), 1e-6));
    }

    int g[5] = {0};
    cl_mem dg = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof g, g);
    cl_kernel atomics = kernel_of(p, "atomics");
    ARG(atomics, 0, dg);
    DONE(clSetKernelArg(atomics, 1, sizeof(int), NULL));
    run1(atomics, 256, 64);
    get(dg, g, sizeof g);
    EQUAL(g[0], 256);
    EQUAL(g[1], 255);
    EQUAL(g[2], -255);
    EQUAL(g[3], 255);
    EQUAL(g[4], 512);

    cl_kernel two = kernel_of(p, "two_locals");
    DONE(clSetKernelArg(two, 0, 33, NULL)); // the next one has to be aligned all the same
    DONE(clSetKernelArg(two, 1, 32 * sizeof(double), NULL));
    ARG(two, 2, big);
    run1(two, 32, 32);
    get(big, out_d, 32 * sizeof *out_d);
    for (int i = 0; i < 32; i++) EXPECT(out_d[i] == (31 - i) * 1.5 + i % 5);
    // more than there is, also where the size's low 32 bits would fit
    const size_t one_group = 32, large[] = {1 << 20, (size_t)UINT32_MAX + 1, SIZE_MAX};
    for (int i = 0; i < 3; i++) {
        DONE(clSetKernelArg(two, 0, large[i], NULL));
        EQUAL(clEnqueueNDRangeKernel(queue, two, 1, NULL, &one_group, NULL, 0, NULL, NULL),
              CL_OUT_OF_RESOURCES);
    }

    cl_kernel copies = kernel_of(p, "copies");
    ARG(copies, 0, dx);
    ARG(copies, 1, big);
    DONE(clSetKernelArg(copies, 2, 64 * sizeof(float), NULL));
    run1(copies, 64, 64);
    get(big, out, 64 * sizeof *out);
    for (int i = 0; i < 64; i++) EXPECT(out[i] == x[63 - i]);

    cl_kernel required = kernel_of(p, "required");
    ARG(required, 0, big);
    const size_t shape[2] = {16, 8}, other[2] = {4, 4};
    EQUAL(clEnqueueNDRangeKernel(queue, required, 2, NULL, shape, other, 0, NULL, NULL),
          CL_INVALID_WORK_GROUP_SIZE);
    DONE(clEnqueueNDRangeKernel(queue, required, 2, NULL, shape, NULL, 0, NULL, NULL));
    int rows[128];
    get(big, rows, sizeof rows);
    for (int i = 0; i < 128; i++) EQUAL(rows[i], i / 16 % 4);

    cl_kernel kernels[] = {where,   constants, math,   doubles, vectors,
                           atomics, two,       copies, required};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) DONE(clReleaseKernel(kernels[i]));
    cl_mem buffers[] = {big, dc, dd, dx, dy, dg};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        DONE(clReleaseMemObject(buffers[i]));
    DONE(clReleaseProgram(p));
    return end();
}
