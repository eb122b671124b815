// printf of kernels: numbers of all sizes and texts reach standard output; a vector is refused when the program is linked.
#include <unistd.h>

#include "check.h"

static const char source[] =
    "__kernel void speak(__global const float *x, long big) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i == 2) printf(\"item %d of %s: %.2f %ld %c %%\\n\", i, \"four\", x[i], big, 'z');\n"
    "}\n";

int main(void) {
    begin(0);
    cl_program p = build(source, NULL);
    float x[4] = {0.5f, 1.5f, 2.25f, 3.5f};
    const cl_long big = 123456789012;
    cl_mem m = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x);
    cl_kernel k = kernel_of(p, "speak");
    ARG(k, 0, m);
    ARG(k, 1, big);
    // standard output is a file for as long as the kernel runs
    char text[256] = "";
    FILE *f = tmpfile();
    EXPECT(f);
    fflush(stdout);
    const int old = dup(STDOUT_FILENO);
    dup2(fileno(f), STDOUT_FILENO);
    const size_t n = 4;
    DONE(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    fflush(stdout);
    dup2(old, STDOUT_FILENO);
    rewind(f);
    EXPECT(fgets(text, sizeof text, f));
    if (strcmp(text, "item 2 of four: 2.25 123456789012 z %\n") != 0) {
        printf("it said: %s", text);
        wrong++;
    }
    DONE(clReleaseKernel(k));
    DONE(clReleaseMemObject(m));
    DONE(clReleaseProgram(p));

    const char *vector = "__kernel void k(__global float4 *a) { printf(\"%v4f\\n\", a[0]); }\n";
    cl_int error;
    p = clCreateProgramWithSource(context, 1, &vector, NULL, &error);
    EQUAL(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    static char log[4096];
    DONE(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    EXPECT(strstr(log, "unresolved function `printf`"));
    DONE(clReleaseProgram(p));
    return end();
}
