// printf of kernels: numbers of all sizes, vectors and texts reach standard output.
#include <unistd.h>

#include "check.h"

static const char source[] =
    "__kernel void speak(__global const float *x, long big) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i == 2) printf(\"item %d of %s: %.2f %ld %c %%\\n\", i, \"four\", x[i], big, 'z');\n"
    "}\n"
    "__kernel void vectors(__global const float4 *x, __global const char2 *c) {\n"
    "    printf(\"%d|%6.2v4hlf|%#v2hhx|\", 7, x[0], c[0]);\n"
    "    printf(\"%v2hhd|%v3hd|%v2lu|%s\\n\", c[0], (short3)(-1, 2, -3), (ulong2)(5, ~0ul), "
    "\"end\");\n"
    "}\n";

// What a kernel of one item, or of four, prints: standard output is a file for as long as it runs.
static void said(cl_kernel k, size_t n, char *text, size_t room) {
    FILE *f = tmpfile();
    EXPECT(f);
    fflush(stdout);
    const int old = dup(STDOUT_FILENO);
    dup2(fileno(f), STDOUT_FILENO);
    DONE(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    fflush(stdout);
    dup2(old, STDOUT_FILENO);
    close(old);
    rewind(f);
    EXPECT(fgets(text, (int)room, f));
    fclose(f);
}
static void same(const char *text, const char *wanted) {
    if (strcmp(text, wanted) == 0) return;
    printf("it said: %swanted: %s", text, wanted);
    wrong++;
}

int main(void) {
    begin(0);
    cl_program p = build(source, NULL);
    float x[4] = {0.5f, 1.5f, 2.25f, -3.5f};
    const cl_long big = 123456789012;
    cl_mem m = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x);
    cl_kernel k = kernel_of(p, "speak");
    ARG(k, 0, m);
    ARG(k, 1, big);
    char text[256] = "";
    said(k, 4, text, sizeof text);
    same(text, "item 2 of four: 2.25 123456789012 z %\n");
    DONE(clReleaseKernel(k));

    // A conversion of a vector is one of each element, commas between.
    signed char c[2] = {-2, 10};
    cl_mem mc = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof c, c);
    k = kernel_of(p, "vectors");
    ARG(k, 0, m);
    ARG(k, 1, mc);
    said(k, 1, text, sizeof text);
    same(text, "7|  0.50,  1.50,  2.25, -3.50|0xfe,0xa|-2,10|-1,2,-3|5,18446744073709551615|end\n");
    DONE(clReleaseKernel(k));
    DONE(clReleaseMemObject(m));
    DONE(clReleaseMemObject(mc));
    DONE(clReleaseProgram(p));
    return end();
}
