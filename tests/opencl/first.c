// A sum of vectors and a reduction with memory of the group: the first program of anybody.
#include "check.h"

static const char source[] = "__kernel void add(__global const float *a, __global const float *b, "
                             "__global float *c, uint n) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    if (i < n) c[i] = a[i] + b[i];\n"
                             "}\n"
                             "__kernel void sum(__global const float *in, __global float *out, "
                             "__local float *piece, uint n) {\n"
                             "    uint i = get_global_id(0), l = get_local_id(0);\n"
                             "    piece[l] = i < n ? in[i] : 0;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    for (uint k = get_local_size(0) / 2; k; k /= 2) {\n"
                             "        if (l < k) piece[l] += piece[l + k];\n"
                             "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    }\n"
                             "    if (l == 0) out[get_group_id(0)] = piece[0];\n"
                             "}\n";

int main(void) {
    enum { N = 10000, GROUP = 128, GROUPS = (N + GROUP - 1) / GROUP };
    static float a[N], b[N], c[N], sums[GROUPS];
    for (int i = 0; i < N; i++) a[i] = (float)(i % 97), b[i] = (float)(i % 31);
    begin(CL_QUEUE_PROFILING_ENABLE);
    cl_program p = build(source, NULL);
    cl_mem da = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a),
           db = buffer(CL_MEM_READ_ONLY, sizeof b, NULL),
           dc = buffer(CL_MEM_READ_WRITE, sizeof c, NULL),
           ds = buffer(CL_MEM_WRITE_ONLY, sizeof sums, NULL);
    DONE(clEnqueueWriteBuffer(queue, db, CL_FALSE, 0, sizeof b, b, 0, NULL, NULL));
    const cl_uint n = N;
    const size_t all = GROUPS * GROUP, group = GROUP;
    cl_kernel add = kernel_of(p, "add"), sum = kernel_of(p, "sum");
    ARG(add, 0, da);
    ARG(add, 1, db);
    ARG(add, 2, dc);
    ARG(add, 3, n);
    ARG(sum, 0, dc);
    ARG(sum, 1, ds);
    ARG(sum, 3, n);
    DONE(clSetKernelArg(sum, 2, GROUP * sizeof(float), NULL));
    cl_event e;
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &all, NULL, 0, NULL, &e));
    DONE(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &all, &group, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, ds, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL));
    for (int i = 0; i < N; i++) EQUAL(c[i], a[i] + b[i]);
    for (int g = 0; g < GROUPS; g++) {
        float s = 0;
        for (int i = g * GROUP; i < (g + 1) * GROUP && i < N; i++) s += a[i] + b[i];
        EQUAL(sums[g], s); // whole numbers: in any order
    }
    cl_ulong from = 0, to = 0;
    DONE(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL));
    DONE(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL));
    EXPECT(to > from);
    DONE(clReleaseEvent(e));
    DONE(clReleaseKernel(add));
    DONE(clReleaseKernel(sum));
    DONE(clReleaseProgram(p));
    cl_mem buffers[] = {da, db, dc, ds};
    for (int i = 0; i < 4; i++) DONE(clReleaseMemObject(buffers[i]));
    return end();
}
