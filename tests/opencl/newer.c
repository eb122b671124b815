// Built-in functions that libclc 14 lacks and warpwatt has: of OpenCL C 1.2, atomics of 64 bits, and what 3.0 asks of a device
// without optional features. Expected values are computed here, by their definition.
#include "check.h"

enum { N = 64 };

static void of_1_2(void) {
    static const char source[] =
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
        "__kernel void k(__global ulong *out, __global long *sum, __global float3 *v) {\n"
        "    const uint i = get_global_id(0);\n"
        "    __local float3 part[16];\n"
        "    __local ulong most;\n"
        "    out[4 * i] = mad_hi((int)(i * 123456789u), -7654321, 5);\n"
        "    out[4 * i + 1] = as_ulong(smoothstep(1.0, 3.0, (double2)(i / 16.0, 2.5)).x);\n"
        "    out[4 * i + 2] = mad_hi((ushort4)(i * 1000), (ushort4)(60000), (ushort4)(7)).w;\n"
        "    atom_add(sum, 1L << 40);\n"
        "    atom_min(sum + 1, -(long)i * 5000000000L);\n"
        "    if (get_local_id(0) == 0) most = 0;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    atom_max(&most, (ulong)i << 33);\n"
        "    event_t e = async_work_group_copy(part, (const __global float3 *)v + get_group_id(0) "
        "* 16, 16, 0);\n"
        "    wait_group_events(1, &e);\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    out[4 * i + 3] = most + (ulong)part[15 - get_local_id(0)].z;\n"
        "}\n";
    cl_program p = build(source, NULL);
    cl_kernel k = kernel_of(p, "k");
    cl_long sum[2] = {3, 0};
    cl_float4 v[N];
    for (int i = 0; i < N; i++) v[i] = (cl_float4){{0, 0, (float)(i * 3), 0}};
    cl_mem out = buffer(CL_MEM_READ_WRITE, N * 32, NULL),
           s = buffer(CL_MEM_COPY_HOST_PTR, sizeof sum, sum),
           in = buffer(CL_MEM_COPY_HOST_PTR, sizeof v, v);
    ARG(k, 0, out);
    ARG(k, 1, s);
    ARG(k, 2, in);
    const size_t n = N, group = 16;
    DONE(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, &group, 0, NULL, NULL));
    cl_ulong got[N][4];
    DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, s, CL_TRUE, 0, sizeof sum, sum, 0, NULL, NULL));
    EQUAL(sum[0], 3 + ((cl_long)N << 40));
    EQUAL(sum[1], -(cl_long)(N - 1) * 5000000000);
    for (unsigned i = 0; i < N; i++) {
        const cl_long product = (cl_long)(cl_int)(i * 123456789u) * -7654321;
        EQUAL(got[i][0], (cl_ulong)(cl_long)(cl_int)((product >> 32) + 5));
        double t = (i / 16.0 - 1) / 2, is;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        memcpy(&is, &got[i][1], 8);
        EXPECT(fabs(is - t * t * (3 - 2 * t)) < 1e-15);
        EQUAL(got[i][2], (cl_ushort)((((cl_ushort)(i * 1000)) * 60000u >> 16) + 7));
        const unsigned first = i / 16 * 16;
        EQUAL(got[i][3], ((cl_ulong)(first + 15) << 33) + (first + 15 - i % 16) * 3);
    }
    DONE(clReleaseKernel(k));
    DONE(clReleaseProgram(p));
    cl_mem all[] = {out, s, in};
    for (int i = 0; i < 3; i++) DONE(clReleaseMemObject(all[i]));
}

// Rotations of 64 bits by any amount, halves in memory, functions that are inline and nothing else.
static void others(void) {
    static const char source[] =
        "inline uint twice(uint x) { return 2 * x; }\n"
        "inline __attribute__((noinline)) uint half_of(uint x) { return x / 2; }\n"
        "__kernel void k(__global ulong *r, __global half *h, __global "
        "float *f, __global double *d) {\n"
        "    const uint i = get_global_id(0);\n"
        "    r[i] = rotate(r[i], (ulong)i * 7);\n"
        "    r[i] += half_of(twice(twice(i)));\n"
        "    vstore_half_rte(f[i], i, h);\n"
        "    f[i] = vload_half(i, h);\n"
        "    d[i] = cos(d[i]);\n"
        "}\n";
    cl_program p = build(source, NULL);
    cl_kernel k = kernel_of(p, "k");
    cl_ulong r[N], was[N];
    float f[N];
    double d[N]; // large arguments
    for (unsigned i = 0; i < N; i++) d[i] = ldexp(1.1, (int)i * 15);
    for (unsigned i = 0; i < N; i++)
        r[i] = was[i] = (i + 1) * 0x123456789abcdef1ull, f[i] = 1 + (float)i / 4096;
    cl_mem mr = buffer(CL_MEM_COPY_HOST_PTR, sizeof r, r),
           mh = buffer(CL_MEM_READ_WRITE, 2 * N, NULL),
           mf = buffer(CL_MEM_COPY_HOST_PTR, sizeof f, f),
           md = buffer(CL_MEM_COPY_HOST_PTR, sizeof d, d);
    ARG(k, 3, md);
    ARG(k, 0, mr);
    ARG(k, 1, mh);
    ARG(k, 2, mf);
    const size_t n = N;
    DONE(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, mr, CL_TRUE, 0, sizeof r, r, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, mf, CL_TRUE, 0, sizeof f, f, 0, NULL, NULL));
    double cosine[N];
    DONE(clEnqueueReadBuffer(queue, md, CL_TRUE, 0, sizeof cosine, cosine, 0, NULL, NULL));
    for (unsigned i = 0; i < N; i++) {
        EXPECT(fabs(cosine[i] - cos(d[i])) <= 4 * ldexp(fabs(cos(d[i])), -52));
        const unsigned s = i * 7 % 64;
        EXPECT(r[i] == (was[i] << s | was[i] >> (64 - s) % 64) + 2 * i);
        EXPECT(f[i] ==
               1 + nearbyintf((float)i / 4) / 1024); // ten bits behind the point, ties to even
    }
    DONE(clReleaseKernel(k));
    DONE(clReleaseProgram(p));
    cl_mem all[] = {mr, mh, mf, md};
    for (int i = 0; i < 4; i++) DONE(clReleaseMemObject(all[i]));
}

static void of_3_0(void) {
    static const char source[] =
        "#ifndef __opencl_c_atomic_scope_device\n"
        "#error \"a feature of the device is not told\"\n"
        "#endif\n"
        "__kernel void k(__global atomic_int *a, __global atomic_ulong *b, __global atomic_float "
        "*f,\n"
        "                __global uint *out, __local atomic_uint *l) {\n"
        "    const int i = (int)get_global_linear_id();\n"
        "    if (get_local_linear_id() == 0) atomic_init(l, 100);\n"
        "    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
        "    atomic_fetch_add_explicit(a, i, memory_order_relaxed, memory_scope_device);\n"
        "    atomic_fetch_max(b, (ulong)i << 35);\n"
        "    atomic_fetch_add_explicit(l, 2, memory_order_acq_rel, memory_scope_work_group);\n"
        "    float expected = atomic_load(f);\n"
        "    while (!atomic_compare_exchange_weak(f, &expected, expected + 0.5f)) {}\n"
        "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    out[i] = atomic_load_explicit(l, memory_order_acquire, memory_scope_work_group) + "
        "ctz(i | 64);\n"
        "}\n";
    cl_program p = build(source, "-cl-std=CL3.0");
    cl_kernel k = kernel_of(p, "k");
    cl_int sum = 0;
    cl_ulong most = 1;
    float half = 1;
    cl_mem a = buffer(CL_MEM_COPY_HOST_PTR, 4, &sum), b = buffer(CL_MEM_COPY_HOST_PTR, 8, &most),
           f = buffer(CL_MEM_COPY_HOST_PTR, 4, &half), out = buffer(CL_MEM_READ_WRITE, N * 4, NULL);
    ARG(k, 0, a);
    ARG(k, 1, b);
    ARG(k, 2, f);
    ARG(k, 3, out);
    DONE(clSetKernelArg(k, 4, 4, NULL));
    const size_t work[2] = {16, 4}, group[2] = {8, 4};
    DONE(clEnqueueNDRangeKernel(queue, k, 2, NULL, work, group, 0, NULL, NULL));
    cl_uint got[N];
    DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 4, &sum, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 8, &most, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, f, CL_TRUE, 0, 4, &half, 0, NULL, NULL));
    EQUAL(sum, N * (N - 1) / 2);
    EQUAL(most, (cl_ulong)(N - 1) << 35);
    EQUAL(half, 1 + N / 2);
    for (unsigned i = 0; i < N; i++) EQUAL(got[i], 100 + 2 * 32 + (unsigned)__builtin_ctz(i | 64));
    DONE(clReleaseKernel(k));
    DONE(clReleaseProgram(p));
    cl_mem all[] = {a, b, f, out};
    for (int i = 0; i < 4; i++) DONE(clReleaseMemObject(all[i]));

    // what is optional and not there is refused by the compiler, as the device says
    static const char *const refused[] = {
        "__global int x = 3;\n__kernel void k(__global int *a) { *a = x; }\n",
        "int f(int *p) { return *p; }\n__kernel void k(__global int *a) { *a = f(a); }\n",
        "__kernel void k(read_write image2d_t m) {}\n"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cl_int error;
        p = clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&refused[i], NULL,
                                      &error);
        EQUAL(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        DONE(clReleaseProgram(p));
    }
    size_t bytes = 1;
    DONE(clGetDeviceInfo(device, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof bytes, &bytes, NULL));
    EQUAL(bytes, 0);
    cl_bool generic = 1;
    DONE(clGetDeviceInfo(device, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof generic, &generic,
                         NULL));
    EQUAL(generic, 0);
}

// A variable of a group that one item stores and all read behind a barrier, again and again, and whose address nobody takes.
static void groups(void) {
    static const char source[] = "__kernel void k(__global uint *out) {\n"
                                 "    __local uint seed;\n"
                                 "    seed = 0;\n"
                                 "    uint mine = 0, i = get_local_id(0);\n"
                                 "    for (uint round = 0; round < 3; round++) {\n"
                                 "        mine = mine * 10 + i;\n"
                                 "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "        if (i == get_local_size(0) - 1) seed = mine;\n"
                                 "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "        mine = seed;\n"
                                 "    }\n"
                                 "    out[get_global_id(0)] = mine;\n"
                                 "}\n";
    cl_program p = build(source, NULL);
    cl_kernel k = kernel_of(p, "k");
    cl_mem out = buffer(CL_MEM_READ_WRITE, N * 4, NULL);
    ARG(k, 0, out);
    const size_t n = N;
    DONE(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, &n, 0, NULL, NULL));
    cl_uint got[N];
    DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++) EQUAL(got[i], (N - 1) * 111);
    DONE(clReleaseKernel(k));
    DONE(clReleaseMemObject(out));
    DONE(clReleaseProgram(p));
}

int main(void) {
    begin(0);
    of_1_2();
    others();
    of_3_0();
    groups();
    return end();
}
