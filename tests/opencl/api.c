// The host API: events of users, queues out of order, callbacks, rectangles, maps, fills, sub-buffers, programs that are
// compiled and linked, binaries, what calls answer, what they refuse.
#include <pthread.h>
#include <unistd.h>

#include "check.h"

static const char source[] = "__kernel void scale(__global int *a, const int f, __constant char *c "
                             "__attribute__((unused))) {\n"
                             "    a[get_global_id(0)] *= f;\n"
                             "}\n"
                             "__kernel void plain(__global int *a) { a[get_global_id(0)]++; }\n";

static void events(void) {
    cl_int error;
    cl_command_queue q = clCreateCommandQueue(
        context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
        &error);
    DONE(error);
    int one = 1, two = 2, is = 0;
    cl_mem m = buffer(CL_MEM_READ_WRITE, 4, NULL);
    cl_event gate = clCreateUserEvent(context, &error), first, second, read;
    DONE(error);
    DONE(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &one, 1, &gate, &first));
    DONE(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &two, 1, &first, &second));
    DONE(clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, &is, 1, &second, &read));
    cl_int status;
    DONE(clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL));
    EQUAL(status, CL_QUEUED);
    // a command that waits for nothing goes by those that wait
    int other = 7, got = 0;
    cl_mem n = buffer(CL_MEM_READ_WRITE, 4, NULL);
    DONE(clEnqueueWriteBuffer(q, n, CL_TRUE, 0, 4, &other, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(q, n, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    EQUAL(got, 7);
    DONE(clSetUserEventStatus(gate, CL_COMPLETE));
    EQUAL(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    DONE(clWaitForEvents(1, &read));
    EQUAL(is, 2);
    cl_ulong t[4];
    const cl_profiling_info what[4] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    for (int i = 0; i < 4; i++) DONE(clGetEventProfilingInfo(read, what[i], 8, &t[i], NULL));
    EXPECT(t[0] <= t[1] && t[1] <= t[2] && t[2] < t[3]);
    // a failed event ends what waits for it
    cl_event bad = clCreateUserEvent(context, &error), after;
    DONE(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &one, 1, &bad, &after));
    DONE(clSetUserEventStatus(bad, -5));
    EQUAL(clWaitForEvents(1, &after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    DONE(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    cl_event marker;
    DONE(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
    DONE(clFinish(q));
    DONE(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL));
    EQUAL(status, CL_COMPLETE);
    cl_event all[] = {gate, first, second, read, bad, after, marker};
    for (int i = 0; i < 7; i++) DONE(clReleaseEvent(all[i]));
    DONE(clReleaseMemObject(m));
    DONE(clReleaseMemObject(n));
    DONE(clReleaseCommandQueue(q));
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static int calls;
static void CL_CALLBACK on_event(cl_event e, cl_int status, void *user) {
    cl_command_type type; // callbacks may ask
    DONE(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EQUAL(type, CL_COMMAND_NDRANGE_KERNEL);
    pthread_mutex_lock(&lock);
    EQUAL(status, CL_COMPLETE);
    *(int *)user += 1;
    pthread_cond_signal(&called);
    pthread_mutex_unlock(&lock);
}
static void CL_CALLBACK on_memory(cl_mem m, void *user) {
    (void)m;
    *(int *)user = *(int *)user * 10 + 1;
}
static void CL_CALLBACK on_memory_too(cl_mem m, void *user) {
    (void)m;
    *(int *)user = *(int *)user * 10 + 2;
}

static void callbacks(cl_program p) {
    cl_mem m = buffer(CL_MEM_READ_WRITE, 1024, NULL);
    cl_kernel k = kernel_of(p, "plain");
    ARG(k, 0, m);
    const size_t n = 256;
    cl_event e;
    DONE(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, &e));
    DONE(clSetEventCallback(e, CL_COMPLETE, on_event, &calls));
    DONE(clFlush(queue));
    pthread_mutex_lock(&lock);
    while (!calls) pthread_cond_wait(&called, &lock); // nobody asks the GPU: it goes on by itself
    pthread_mutex_unlock(&lock);
    DONE(clReleaseEvent(e));
    int order = 0;
    DONE(clSetMemObjectDestructorCallback(m, on_memory, &order));
    DONE(clSetMemObjectDestructorCallback(m, on_memory_too, &order));
    DONE(clReleaseKernel(k));
    DONE(clReleaseMemObject(m));
    EQUAL(order, 21); // the last one first
}

static void copies(void) {
    enum { W = 8, H = 6, D = 4 };
    static uint8_t a[D][H][W], b[D][H][W], c[4096];
    for (int i = 0; i < D * H * W; i++) (&a[0][0][0])[i] = (uint8_t)i;
    cl_mem m = buffer(CL_MEM_READ_WRITE, sizeof a, NULL),
           n = buffer(CL_MEM_READ_WRITE, sizeof a, NULL);
    DONE(clEnqueueWriteBuffer(queue, m, CL_FALSE, 0, sizeof a, a, 0, NULL, NULL));
    uint8_t zero = 0xee;
    DONE(clEnqueueFillBuffer(queue, n, &zero, 1, 0, sizeof a, 0, NULL, NULL));
    const size_t from[3] = {1, 2, 1}, to[3] = {3, 0, 2}, region[3] = {4, 3, 2};
    DONE(clEnqueueCopyBufferRect(queue, m, n, from, to, region, W, W * H, W, W * H, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, n, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    for (size_t z = 0; z < D; z++)
        for (size_t y = 0; y < H; y++)
            for (size_t x = 0; x < W; x++) {
                const bool is_in = x >= 3 && x < 7 && y < 3 && z >= 2;
                EQUAL(b[z][y][x], is_in ? a[z - 1][y + 2][x - 2] : 0xee);
            }
    const size_t host[3] = {2, 1, 0};
    memset(c, 0, sizeof c);
    DONE(clEnqueueReadBufferRect(queue, m, CL_TRUE, from, host, region, W, W * H, 16, 80, c, 0,
                                 NULL, NULL));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 3; y++)
            for (size_t x = 0; x < 4; x++)
                EQUAL(c[z * 80 + (y + 1) * 16 + x + 2], a[z + 1][y + 2][x + 1]);
    DONE(clEnqueueWriteBufferRect(queue, n, CL_TRUE, to, host, region, W, W * H, 16, 80, c, 0, NULL,
                                  NULL));
    EQUAL(clEnqueueCopyBuffer(queue, m, m, 0, 4, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    EQUAL(clEnqueueReadBuffer(queue, m, CL_TRUE, 1, sizeof a, c, 0, NULL, NULL), CL_INVALID_VALUE);

    static const uint32_t pattern[4] = {1, 22, 333, 4444};
    DONE(clEnqueueFillBuffer(queue, m, pattern, 16, 32, 64, 0, NULL, NULL));
    cl_int error;
    uint32_t *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 32, 64, 0, NULL,
                                     NULL, &error);
    DONE(error);
    for (int i = 0; i < 16; i++) EQUAL(p[i], pattern[i % 4]);
    p[5] = 99;
    cl_uint maps;
    DONE(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
    EQUAL(maps, 1);
    DONE(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
    uint32_t word;
    DONE(clEnqueueReadBuffer(queue, m, CL_TRUE, 32 + 20, 4, &word, 0, NULL, NULL));
    EQUAL(word, 99);
    DONE(clReleaseMemObject(m));
    DONE(clReleaseMemObject(n));

    // memory of the program's own, and a part of it
    static uint32_t own[1024];
    for (int i = 0; i < 1024; i++) own[i] = (uint32_t)i;
    cl_mem u = buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof own, own);
    const cl_buffer_region part = {1024, 256}, askew = {4, 256};
    cl_mem s = clCreateSubBuffer(u, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
    DONE(error);
    EXPECT(!clCreateSubBuffer(u, 0, CL_BUFFER_CREATE_TYPE_REGION, &askew, &error));
    EQUAL(error, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    const uint32_t five = 5;
    DONE(clEnqueueFillBuffer(queue, s, &five, 4, 0, 8, 0, NULL, NULL));
    p = clEnqueueMapBuffer(queue, u, CL_TRUE, CL_MAP_READ, 0, sizeof own, 0, NULL, NULL, &error);
    DONE(error);
    EXPECT(p == own);
    EQUAL(own[256], 5);
    EQUAL(own[257], 5);
    EQUAL(own[258], 258);
    DONE(clEnqueueUnmapMemObject(queue, u, p, 0, NULL, NULL));
    DONE(clReleaseMemObject(s));
    DONE(clReleaseMemObject(u));
}

static void programs(void) {
    cl_int error;
    static char text[65536];
    // a mistake: clang's words, with the line
    const char *bad = "__kernel void k(__global int *a) {\n    a[0] = nothing;\n}\n";
    cl_program p = clCreateProgramWithSource(context, 1, &bad, NULL, &error);
    EQUAL(clBuildProgram(p, 1, &device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    DONE(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    EXPECT(strstr(text, "program.cl:2:12: error: use of undeclared identifier 'nothing'"));
    EQUAL(clBuildProgram(p, 1, &device, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    DONE(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    EXPECT(strstr(text, "`-no-such-option` is no option of OpenCL"));
    EXPECT(!clCreateKernel(p, "k", &error));
    EQUAL(error, CL_INVALID_PROGRAM_EXECUTABLE);
    DONE(clReleaseProgram(p));
    // a function that nobody has
    const char *open_end =
        "int somewhere(int);\n__kernel void k(__global int *a) { a[0] = somewhere(1); }\n";
    p = clCreateProgramWithSource(context, 1, &open_end, NULL, &error);
    EQUAL(clBuildProgram(p, 1, &device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    DONE(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    EXPECT(strstr(text, "unresolved function `somewhere`"));
    DONE(clReleaseProgram(p));

    // two sources and a header, compiled apart
    const char *first = "#include \"inc/twice.h\"\nint twice(int x) { return FACTOR * x; }\n",
               *second = "#include \"inc/twice.h\"\n__kernel void k(__global int *a) { "
                         "a[get_global_id(0)] = twice(a[get_global_id(0)]); }\n",
               *header = "#define FACTOR 2\nint twice(int x);\n", *name = "inc/twice.h";
    cl_program a = clCreateProgramWithSource(context, 1, &first, NULL, &error),
               b = clCreateProgramWithSource(context, 1, &second, NULL, &error),
               h = clCreateProgramWithSource(context, 1, &header, NULL, &error);
    DONE(clCompileProgram(a, 0, NULL, NULL, 1, &h, &name, NULL, NULL));
    DONE(clCompileProgram(b, 0, NULL, NULL, 1, &h, &name, NULL, NULL));
    const cl_program parts[2] = {a, b};
    cl_program whole = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    DONE(error);
    // ... and its binary, as a program of its own
    size_t bytes;
    DONE(clGetProgramInfo(whole, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    unsigned char *binary = malloc(bytes);
    DONE(clGetProgramInfo(whole, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    cl_int status;
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &bytes,
                                                 (const unsigned char **)&binary, &status, &error);
    DONE(error);
    DONE(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    const cl_program both[2] = {whole, again};
    for (int i = 0; i < 2; i++) {
        int v[4] = {1, 2, 3, 4};
        cl_mem m = buffer(CL_MEM_COPY_HOST_PTR, sizeof v, v);
        cl_kernel k = kernel_of(both[i], "k");
        ARG(k, 0, m);
        const size_t n = 4;
        DONE(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL));
        for (int j = 0; j < 4; j++) EQUAL(v[j], 2 * (j + 1));
        DONE(clReleaseKernel(k));
        DONE(clReleaseMemObject(m));
    }
    // a kernel of one source that a kernel of another calls
    const char *inner = "__kernel void inner(__global int *a) { a[get_global_id(0)] += 5; }\n",
               *outer =
                   "extern __kernel void inner(__global int *a);\n"
                   "__kernel void outer(__global int *a) { inner(a); a[get_global_id(0)] *= 2; }\n";
    cl_program in = clCreateProgramWithSource(context, 1, &inner, NULL, &error),
               out = clCreateProgramWithSource(context, 1, &outer, NULL, &error);
    DONE(clCompileProgram(in, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    DONE(clCompileProgram(out, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    const cl_program two[2] = {in, out};
    cl_program nested = clLinkProgram(context, 0, NULL, NULL, 2, two, NULL, NULL, &error);
    DONE(error);
    int word = 1;
    cl_mem m = buffer(CL_MEM_COPY_HOST_PTR, 4, &word);
    const char *const names[2] = {"outer", "inner"};
    for (int i = 0; i < 2; i++) {
        cl_kernel k = kernel_of(nested, names[i]);
        ARG(k, 0, m);
        DONE(clEnqueueTask(queue, k, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
        EQUAL(word, i ? 17 : 12);
        DONE(clReleaseKernel(k));
    }
    DONE(clReleaseMemObject(m));
    cl_program three[3] = {in, out, nested};
    for (int i = 0; i < 3; i++) DONE(clReleaseProgram(three[i]));

    const unsigned char *nonsense = (const unsigned char *)"nonsense";
    bytes = 8;
    EXPECT(!clCreateProgramWithBinary(context, 1, &device, &bytes, &nonsense, &status, &error));
    EQUAL(error, CL_INVALID_BINARY);
    const cl_device_id twice[2] = {device, device};
    const size_t lengths[2] = {8, 8};
    const unsigned char *both_binaries[2] = {nonsense, nonsense};
    EXPECT(!clCreateProgramWithBinary(context, 2, twice, lengths, both_binaries, &status, &error));
    EQUAL(error, CL_INVALID_DEVICE);
    free(binary);
    cl_program all[] = {a, b, h, whole, again};
    for (int i = 0; i < 5; i++) DONE(clReleaseProgram(all[i]));
}

static void answers(cl_program p) {
    cl_kernel k = kernel_of(p, "scale");
    char text[256];
    DONE(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    EXPECT(strcmp(text, "a") == 0);
    DONE(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    EXPECT(strcmp(text, "int*") == 0);
    cl_kernel_arg_address_qualifier space;
    const cl_kernel_arg_address_qualifier spaces[3] = {CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                                       CL_KERNEL_ARG_ADDRESS_PRIVATE,
                                                       CL_KERNEL_ARG_ADDRESS_CONSTANT};
    for (cl_uint i = 0; i < 3; i++) {
        DONE(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
        EQUAL(space, spaces[i]);
    }
    DONE(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    EXPECT(strcmp(text, "scale;plain") == 0);
    size_t multiple, most;
    DONE(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                  sizeof multiple, &multiple, NULL));
    EQUAL(multiple, 32);
    DONE(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    EXPECT(most >= 256 && most <= 1024);
    cl_uint n;
    DONE(clCreateKernelsInProgram(p, 0, NULL, &n));
    EQUAL(n, 2);
    // refusals
    const int f = 3;
    cl_mem m = buffer(CL_MEM_READ_WRITE, 64, NULL);
    const size_t work = 16, group = 5;
    EQUAL(clSetKernelArg(k, 7, 4, &f), CL_INVALID_ARG_INDEX);
    EQUAL(clSetKernelArg(k, 1, 8, &f), CL_INVALID_ARG_SIZE);
    EQUAL(clEnqueueNDRangeKernel(queue, k, 1, NULL, &work, NULL, 0, NULL, NULL),
          CL_INVALID_KERNEL_ARGS);
    ARG(k, 0, m);
    ARG(k, 1, f);
    ARG(k, 2, m);
    EQUAL(clEnqueueNDRangeKernel(queue, k, 1, NULL, &work, &group, 0, NULL, NULL),
          CL_INVALID_WORK_GROUP_SIZE);
    EQUAL(clEnqueueNDRangeKernel(queue, k, 4, NULL, &work, &group, 0, NULL, NULL),
          CL_INVALID_WORK_DIMENSION);
    EQUAL(clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
          CL_INVALID_OPERATION);
    cl_int error;
    EXPECT(!clCreateKernel(p, "nobody", &error));
    EQUAL(error, CL_INVALID_KERNEL_NAME);
    EXPECT(!clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &error));
    EQUAL(error, CL_INVALID_VALUE);
    EXPECT(!clCreateBuffer(context, 0, 0, NULL, &error));
    EQUAL(error, CL_INVALID_BUFFER_SIZE);
    DONE(clReleaseMemObject(m));
    DONE(clReleaseKernel(k));
}

// Twenty pointers to constants, each to a number of its own.
enum { CONSTANTS = 20 };
static cl_program program_of_constants(void) {
    static char text[4096];
    size_t at = (size_t)snprintf(text, sizeof text, "__kernel void add(__global int *sum");
    for (int i = 0; i < CONSTANTS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, ", __constant int *c%d", i);
    at += (size_t)snprintf(text + at, sizeof text - at, ") {\n    *sum = 0;\n");
    for (int i = 0; i < CONSTANTS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "    *sum = 3 * *sum + *c%d;\n", i);
    snprintf(text + at, sizeof text - at,
             "}\n__kernel void copy(__global int *to, __constant int *from) { *to = *from; }\n");
    return build(text, NULL);
}
static int32_t result(cl_kernel k, cl_mem out) {
    int32_t word = -1;
    ARG(k, 0, out);
    DONE(clEnqueueTask(queue, k, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
    return word;
}
static void constants(void) {
    cl_program p = program_of_constants();
    cl_mem out = buffer(CL_MEM_WRITE_ONLY, 4, NULL), in[CONSTANTS];
    cl_kernel add = kernel_of(p, "add");
    for (int32_t i = 0; i < CONSTANTS; i++) {
        in[i] = buffer(CL_MEM_COPY_HOST_PTR, 4, &i);
        ARG(add, (cl_uint)i + 1, in[i]);
    }
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < CONSTANTS; i++) wanted = 3 * wanted + i;
    EQUAL(result(add, out), (int32_t)wanted);
    // only the last one is another
    const int32_t more = CONSTANTS;
    DONE(clEnqueueWriteBuffer(queue, in[CONSTANTS - 1], CL_TRUE, 0, 4, &more, 0, NULL, NULL));
    EQUAL(result(add, out), (int32_t)wanted + 1);
    for (int i = 0; i < CONSTANTS; i++) DONE(clReleaseMemObject(in[i]));
    DONE(clReleaseKernel(add));

    // Buffers one after the other: host memory is likely to give each the place of the one before.
    for (int32_t i = 0; i < 4; i++) {
        cl_kernel copy = kernel_of(p, "copy");
        cl_mem from = buffer(CL_MEM_COPY_HOST_PTR, 4, &i);
        ARG(copy, 1, from);
        EQUAL(result(copy, out), i);
        DONE(clReleaseKernel(copy));
        DONE(clReleaseMemObject(from));
        DONE(clFinish(queue));
    }

    // A part of a buffer: what is written into the whole, or into another part, is seen through it.
    cl_kernel copy = kernel_of(p, "copy");
    cl_mem whole = buffer(CL_MEM_READ_WRITE, 65536, NULL);
    const cl_buffer_region region = {512, 512};
    cl_int error;
    cl_mem part[2];
    for (int i = 0; i < 2; i++) {
        part[i] = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        DONE(error);
    }
    ARG(copy, 1, part[0]);
    for (int32_t i = 10; i < 12; i++) {
        DONE(clEnqueueWriteBuffer(queue, whole, CL_TRUE, 512, 4, &i, 0, NULL, NULL));
        EQUAL(result(copy, out), i);
    }
    const int32_t last = 12;
    DONE(clEnqueueWriteBuffer(queue, part[1], CL_TRUE, 0, 4, &last, 0, NULL, NULL));
    EQUAL(result(copy, out), last);
    // A write that a user event holds back is newer than a launch that came before it and older than one behind it.
    cl_event gate = clCreateUserEvent(context, &error);
    DONE(error);
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    DONE(error);
    const int32_t held = 13;
    cl_event written;
    DONE(clEnqueueWriteBuffer(other, whole, CL_FALSE, 512, 4, &held, 1, &gate, &written));
    EQUAL(result(copy, out), last);
    DONE(clSetUserEventStatus(gate, CL_COMPLETE));
    DONE(clWaitForEvents(1, &written));
    EQUAL(result(copy, out), held);
    DONE(clReleaseEvent(gate));
    DONE(clReleaseEvent(written));
    DONE(clReleaseCommandQueue(other));
    // more than constant memory holds
    ARG(copy, 1, whole);
    EQUAL(clEnqueueTask(queue, copy, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    cl_mem all[] = {part[0], part[1], whole, out};
    for (int i = 0; i < 4; i++) DONE(clReleaseMemObject(all[i]));
    DONE(clReleaseKernel(copy));
    DONE(clReleaseProgram(p));
}

int main(void) {
    begin(CL_QUEUE_PROFILING_ENABLE);
    cl_program p = build(source, NULL);
    events();
    callbacks(p);
    copies();
    programs();
    answers(p);
    constants();
    DONE(clReleaseProgram(p));
    return end();
}
