// Textures and surfaces: objects over arrays, linear and pitched memory; filters, borders, layers.
// expect stdout ok
#include "check.h"

__global__ void sample(cudaTextureObject_t t, float *out, const float2 *at, int n) {
    if (threadIdx.x < n) out[threadIdx.x] = tex2D<float>(t, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void fetch(cudaTextureObject_t t, int4 *out) { out[threadIdx.x] = tex1Dfetch<int4>(t, threadIdx.x); }
__global__ void fractions(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f); }
__global__ void draw(cudaSurfaceObject_t s, int w, int h) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < w && y < h) surf2Dwrite(make_uchar4(x, y, x + y, 255), s, x * 4, y);
}
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    uchar4 v;
    surf2Dread(&v, from, threadIdx.x * 4, blockIdx.x);
    surf2Dwrite(make_uchar4(v.y, v.x, v.z, v.w), to, threadIdx.x * 4, blockIdx.x);
}
__global__ void layers(cudaTextureObject_t t, float *out) {
    out[blockIdx.x * 4 + threadIdx.x] = tex2DLayered<float>(t, threadIdx.x + 0.5f, 0.5f, blockIdx.x);
}
__global__ void volume(cudaTextureObject_t t, float *out) { *out = tex3D<float>(t, 1.0f, 1.0f, 1.0f); }

static cudaTextureObject_t over(const cudaResourceDesc &r, cudaTextureFilterMode filter, cudaTextureAddressMode mode, cudaTextureReadMode read) {
    cudaTextureDesc d = {};
    for (auto &m : d.addressMode) m = mode;
    d.filterMode = filter;
    d.readMode = read;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

int main() {
    float *out, h[16];
    OK(cudaMalloc(&out, sizeof h));
    // 4 x 3 floats: value is 10 y + x
    float image[3][4];
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++) image[y][x] = 10.0f * y + x;
    cudaArray_t a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&a, &c, 4, 3));
    OK(cudaMemcpy2DToArray(a, 0, 0, image, 16, 16, 3, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    const float2 at[4] = {{0.5f, 0.5f}, {2.0f, 1.0f}, {3.5f, 2.5f}, {9.0f, 1.5f}};
    float2 *d_at;
    OK(cudaMalloc(&d_at, sizeof at));
    OK(cudaMemcpy(d_at, at, sizeof at, cudaMemcpyHostToDevice));
    cudaTextureObject_t t = over(r, cudaFilterModeLinear, cudaAddressModeClamp, cudaReadModeElementType);
    sample<<<1, 4>>>(t, out, d_at, 4);
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0 && h[1] == 6.5f && h[2] == 23 && h[3] == 13); // between four texels: their mean
    OK(cudaDestroyTextureObject(t));
    t = over(r, cudaFilterModePoint, cudaAddressModeBorder, cudaReadModeElementType);
    sample<<<1, 4>>>(t, out, d_at, 4);
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0 && h[1] == 12 && h[3] == 0); // outside is the border's 0
    cudaResourceDesc back;
    OK(cudaGetTextureObjectResourceDesc(&back, t));
    CHECK(back.resType == cudaResourceTypeArray && back.res.array.array == a);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
    // linear memory of vectors
    int4 *vectors, hv[8], got[8];
    for (int i = 0; i < 8; i++) hv[i] = make_int4(i, -i, 100 * i, 7);
    OK(cudaMalloc(&vectors, sizeof hv));
    OK(cudaMemcpy(vectors, hv, sizeof hv, cudaMemcpyHostToDevice));
    r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {vectors, cudaCreateChannelDesc<int4>(), sizeof hv};
    t = over(r, cudaFilterModePoint, cudaAddressModeClamp, cudaReadModeElementType);
    int4 *o4;
    OK(cudaMalloc(&o4, sizeof got));
    fetch<<<1, 8>>>(t, o4);
    OK(cudaMemcpy(got, o4, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) CHECK(got[i].x == i && got[i].y == -i && got[i].z == 100 * i && got[i].w == 7);
    OK(cudaDestroyTextureObject(t));
    // bytes read as fractions of 255
    unsigned char bytes[4] = {0, 51, 102, 255};
    c = cudaCreateChannelDesc<unsigned char>();
    OK(cudaMallocArray(&a, &c, 4, 0));
    OK(cudaMemcpy2DToArray(a, 0, 0, bytes, 4, 4, 1, cudaMemcpyHostToDevice));
    r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    t = over(r, cudaFilterModePoint, cudaAddressModeClamp, cudaReadModeNormalizedFloat);
    fractions<<<1, 4>>>(t, out);
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0 && h[1] == 51 / 255.0f && h[2] == 102 / 255.0f && h[3] == 1);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
    // surfaces
    cudaArray_t pictures[2];
    cudaSurfaceObject_t s[2];
    c = cudaCreateChannelDesc<uchar4>();
    for (int k = 0; k < 2; k++) {
        OK(cudaMallocArray(&pictures[k], &c, 16, 8, cudaArraySurfaceLoadStore));
        r.res.array.array = pictures[k];
        OK(cudaCreateSurfaceObject(&s[k], &r));
    }
    draw<<<8, 16>>>(s[0], 16, 8);
    turn<<<8, 16>>>(s[0], s[1]);
    uchar4 p[8][16];
    OK(cudaMemcpy2DFromArray(p, 64, pictures[1], 0, 0, 64, 8, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++) CHECK(p[y][x].x == y && p[y][x].y == x && p[y][x].z == x + y && p[y][x].w == 255);
    // layers and a volume
    for (int kind = 0; kind < 2; kind++) {
        float v[2][2][4];
        for (int i = 0; i < 16; i++) (&v[0][0][0])[i] = float(i);
        c = cudaCreateChannelDesc<float>();
        OK(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 2, 2), kind ? 0 : cudaArrayLayered));
        cudaMemcpy3DParms m = {};
        m.srcPtr = make_cudaPitchedPtr(v, 16, 4, 2);
        m.dstArray = a;
        m.extent = make_cudaExtent(4, 2, 2);
        m.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&m));
        r.res.array.array = a;
        t = over(r, kind ? cudaFilterModeLinear : cudaFilterModePoint, cudaAddressModeClamp, cudaReadModeElementType);
        if (kind) volume<<<1, 1>>>(t, out);
        else layers<<<2, 4>>>(t, out);
        OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
        if (kind) CHECK(h[0] == (0 + 1 + 4 + 5 + 8 + 9 + 12 + 13) / 8.0f);
        else CHECK(h[0] == 0 && h[3] == 3 && h[4] == 8 && h[7] == 11);
        OK(cudaDestroyTextureObject(t));
        OK(cudaFreeArray(a));
    }
    std::puts("ok");
    return 0;
}
