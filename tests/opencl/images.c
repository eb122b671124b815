// Images and samplers: formats, orders, borders, interpolation, layers, reads and writes by kernels and by the host.
#include "check.h"

static const char source[] =
    "__constant sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
    "CLK_FILTER_NEAREST;\n"
    "__kernel void copy(read_only image2d_t in, write_only image2d_t out) {\n"
    "    int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagef(out, c, read_imagef(in, plain, (int2)(get_image_width(in) - 1 - c.x, "
    "c.y)));\n"
    "}\n"
    "__kernel void take(read_only image2d_t in, sampler_t s, __global float4 *out, float x, float "
    "y) {\n"
    "    out[0] = read_imagef(in, s, (float2)(x, y));\n"
    "}\n"
    "__kernel void whole(read_only image2d_t in, write_only image2d_t out) {\n"
    "    int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagei(out, c, read_imagei(in, plain, c) * 1000);\n"
    "}\n"
    "__kernel void rows(read_only image1d_array_t in, sampler_t s, write_only image1d_array_t out) "
    "{\n"
    "    int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagef(out, c, read_imagef(in, s, convert_float2(c)) + get_image_array_size(in));\n"
    "}\n"
    "__kernel void line(read_only image1d_buffer_t in, write_only image1d_buffer_t out) {\n"
    "    int i = get_global_id(0);\n"
    "    write_imagef(out, i, read_imagef(in, get_image_width(in) - 1 - i));\n"
    "}\n"
    "__kernel void solid(read_only image3d_t in, write_only image2d_array_t out) {\n"
    "    int4 c = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "    write_imageui(out, c, read_imageui(in, plain, c) + (uint)get_image_depth(in));\n"
    "}\n";

static cl_mem image(cl_mem_flags flags, cl_channel_order order, cl_channel_type type,
                    cl_mem_object_type kind, size_t w, size_t h, size_t d, void *host) {
    cl_int error;
    const cl_image_format f = {order, type};
    const cl_image_desc desc = {.image_type = kind,
                                .image_width = w,
                                .image_height = h,
                                .image_depth = kind == CL_MEM_OBJECT_IMAGE3D ? d : 0,
                                .image_array_size = kind == CL_MEM_OBJECT_IMAGE2D_ARRAY ? d : 0};
    cl_mem m = clCreateImage(context, flags, &f, &desc, host, &error);
    DONE(error);
    return m;
}

int main(void) {
    enum { W = 8, H = 4, D = 3 };
    begin(0);
    cl_program p = build(source, NULL);
    const size_t zero[3] = {0}, all[3] = {W, H, 1}, box[3] = {W, H, D};
    cl_int error;

    // fractions of bytes, blue first, mirrored
    static uint8_t a[H][W][4], b[H][W][4];
    for (int i = 0; i < H * W * 4; i++) (&a[0][0][0])[i] = (uint8_t)(i * 7);
    cl_mem in = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_BGRA, CL_UNORM_INT8,
                      CL_MEM_OBJECT_IMAGE2D, W, H, 1, a),
           out = image(CL_MEM_WRITE_ONLY, CL_RGBA, CL_UNORM_INT8, CL_MEM_OBJECT_IMAGE2D, W, H, 1,
                       NULL);
    cl_kernel copy = kernel_of(p, "copy");
    ARG(copy, 0, in);
    ARG(copy, 1, out);
    DONE(clEnqueueNDRangeKernel(queue, copy, 2, NULL, all, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadImage(queue, out, CL_TRUE, zero, all, 0, 0, b, 0, NULL, NULL));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const uint8_t *t = a[y][W - 1 - x];
            EXPECT(b[y][x][0] == t[2] && b[y][x][1] == t[1] && b[y][x][2] == t[0] &&
                   b[y][x][3] == t[3]);
        }

    // a sampler of the host's: between texels, at the border, wrapped
    float f[2][2] = {{1, 2}, {3, 5}}, r[4];
    cl_mem small = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_R, CL_FLOAT,
                         CL_MEM_OBJECT_IMAGE2D, 2, 2, 1, f),
           result = buffer(CL_MEM_WRITE_ONLY, sizeof r, NULL);
    cl_kernel take = kernel_of(p, "take");
    ARG(take, 0, small);
    ARG(take, 2, result);
    static const struct {
        cl_bool normalized;
        cl_addressing_mode mode;
        cl_filter_mode filter;
        float x, y, wanted;
    } looks[] = {{CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, 1, 1, 2.75f},
                 {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, -1, 0, 0},
                 {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, 9, 9, 5},
                 {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, 1.25f, 0.75f, 3},
                 {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, 1.25f, 0.25f, 2}};
    const size_t one = 1;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        cl_sampler s =
            clCreateSampler(context, looks[i].normalized, looks[i].mode, looks[i].filter, &error);
        DONE(error);
        ARG(take, 1, s);
        ARG(take, 3, looks[i].x);
        ARG(take, 4, looks[i].y);
        DONE(clEnqueueNDRangeKernel(queue, take, 1, NULL, &one, NULL, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof r, r, 0, NULL, NULL));
        if (r[0] != looks[i].wanted || r[1] != 0 || r[2] != 0 || r[3] != 1) {
            printf("look %zu: %g %g %g %g, not %g 0 0 1\n", i, r[0], r[1], r[2], r[3],
                   looks[i].wanted);
            wrong++;
        }
        DONE(clReleaseSampler(s));
    }

    // whole numbers, which saturate
    static int16_t v[H][W], w[H][W];
    for (int i = 0; i < H * W; i++) (&v[0][0])[i] = (int16_t)(i * 5 - 70);
    cl_mem from = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_R, CL_SIGNED_INT16,
                        CL_MEM_OBJECT_IMAGE2D, W, H, 1, v),
           to = image(CL_MEM_WRITE_ONLY, CL_R, CL_SIGNED_INT16, CL_MEM_OBJECT_IMAGE2D, W, H, 1,
                      NULL);
    cl_kernel whole = kernel_of(p, "whole");
    ARG(whole, 0, from);
    ARG(whole, 1, to);
    DONE(clEnqueueNDRangeKernel(queue, whole, 2, NULL, all, NULL, 0, NULL, NULL));
    size_t row;
    int16_t *mapped = clEnqueueMapImage(queue, to, CL_TRUE, CL_MAP_READ, zero, all, &row, NULL, 0,
                                        NULL, NULL, &error);
    DONE(error);
    for (size_t y = 0; y < H; y++) memcpy(w[y], (char *)mapped + y * row, sizeof w[y]);
    DONE(clEnqueueUnmapMemObject(queue, to, mapped, 0, NULL, NULL));
    for (int i = 0; i < H * W; i++) {
        const int wanted = (&v[0][0])[i] * 1000;
        EQUAL((&w[0][0])[i], wanted > 32767 ? 32767 : wanted < -32768 ? -32768 : wanted);
    }

    // slices to layers, through buffers, with a fill
    static uint32_t s[D][H][W][2], t[D][H][W][2];
    for (int i = 0; i < D * H * W * 2; i++) (&s[0][0][0][0])[i] = (uint32_t)i;
    cl_mem solid = image(CL_MEM_READ_ONLY, CL_RG, CL_UNSIGNED_INT32, CL_MEM_OBJECT_IMAGE3D, W, H, D,
                         NULL),
           layers = image(CL_MEM_WRITE_ONLY, CL_RG, CL_UNSIGNED_INT32, CL_MEM_OBJECT_IMAGE2D_ARRAY,
                          W, H, D, NULL),
           lin = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof s, s);
    DONE(clEnqueueCopyBufferToImage(queue, lin, solid, 0, zero, box, 0, NULL, NULL));
    cl_kernel k = kernel_of(p, "solid");
    ARG(k, 0, solid);
    ARG(k, 1, layers);
    DONE(clEnqueueNDRangeKernel(queue, k, 3, NULL, box, NULL, 0, NULL, NULL));
    const cl_uint colour[4] = {77, 88, 0, 0};
    const size_t at[3] = {1, 1, 1}, few[3] = {2, 1, 1};
    DONE(clEnqueueFillImage(queue, layers, colour, at, few, 0, NULL, NULL));
    DONE(clEnqueueCopyImageToBuffer(queue, layers, lin, zero, box, 0, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, lin, CL_TRUE, 0, sizeof t, t, 0, NULL, NULL));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                for (int c = 0; c < 2; c++) {
                    const bool is_filled = z == 1 && y == 1 && (x == 1 || x == 2);
                    EQUAL(t[z][y][x][c], is_filled ? colour[c] : s[z][y][x][c] + D);
                }

    // layers of lines
    float lines[3][5], back[3][5];
    for (int i = 0; i < 15; i++) (&lines[0][0])[i] = (float)i;
    const cl_image_format one_float = {CL_R, CL_FLOAT}, bytes = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc d1 = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 5, .image_array_size = 3};
    cl_mem li = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &one_float, &d1, lines, &error);
    DONE(error);
    cl_mem lo = clCreateImage(context, 0, &one_float, &d1, NULL, &error);
    DONE(error);
    cl_sampler nearest =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error);
    DONE(error);
    cl_kernel rows = kernel_of(p, "rows");
    ARG(rows, 0, li);
    ARG(rows, 1, nearest);
    ARG(rows, 2, lo);
    const size_t plane[3] = {5, 3, 1};
    DONE(clEnqueueNDRangeKernel(queue, rows, 2, NULL, plane, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadImage(queue, lo, CL_TRUE, zero, plane, 0, 0, back, 0, NULL, NULL));
    for (int i = 0; i < 15; i++) EQUAL((&back[0][0])[i], i + 3);

    // images of buffers
    static uint8_t strip[64][4], turned[64][4];
    for (int i = 0; i < 256; i++) (&strip[0][0])[i] = (uint8_t)(i * 3);
    cl_mem sb = buffer(CL_MEM_COPY_HOST_PTR, sizeof strip, strip),
           tb = buffer(CL_MEM_READ_WRITE, sizeof strip, NULL);
    cl_image_desc db = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .buffer = sb};
    cl_mem si = clCreateImage(context, 0, &bytes, &db, NULL, &error);
    DONE(error);
    db.buffer = tb;
    cl_mem ti = clCreateImage(context, 0, &bytes, &db, NULL, &error);
    DONE(error);
    cl_kernel line = kernel_of(p, "line");
    ARG(line, 0, si);
    ARG(line, 1, ti);
    const size_t width = 64;
    DONE(clEnqueueNDRangeKernel(queue, line, 1, NULL, &width, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, tb, CL_TRUE, 0, sizeof turned, turned, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) EXPECT(memcmp(turned[i], strip[63 - i], 4) == 0);

    cl_mem more[] = {li, lo, si, ti, sb, tb};
    for (int i = 0; i < 6; i++) DONE(clReleaseMemObject(more[i]));
    DONE(clReleaseSampler(nearest));
    DONE(clReleaseKernel(rows));
    DONE(clReleaseKernel(line));
    cl_uint formats;
    DONE(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL,
                                    &formats));
    EXPECT(formats > 40);
    cl_kernel kernels[] = {copy, take, whole, k};
    for (int i = 0; i < 4; i++) DONE(clReleaseKernel(kernels[i]));
    cl_mem memory[] = {in, out, small, result, from, to, solid, layers, lin};
    for (int i = 0; i < 9; i++) DONE(clReleaseMemObject(memory[i]));
    DONE(clReleaseProgram(p));
    return end();
}
