// Texture and surface references: programs of CUDA 11 and before. Not compiled by later ones.
// expect stdout ok
#include "check.h"

texture<float, cudaTextureType1D, cudaReadModeElementType> line;
texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> plane;
surface<void, cudaSurfaceType2D> sheet;

__global__ void fetch(float *out) { out[threadIdx.x] = tex1Dfetch(line, (int)threadIdx.x) * 2; }
__global__ void sample(float *out) { out[threadIdx.x] = tex2D(plane, (float)threadIdx.x + 0.5f, 1.5f); }
__global__ void draw() { surf2Dwrite((int)(threadIdx.x * 10 + threadIdx.y), sheet, (int)threadIdx.x * 4, (int)threadIdx.y); }

int main() {
    float h[8], *d, *out;
    for (int i = 0; i < 8; i++) h[i] = (float)i + 0.25f;
    OK(cudaMalloc(&d, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaBindTexture(nullptr, line, d, sizeof h));
    fetch<<<1, 8>>>(out);
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) CHECK(h[i] == 2 * ((float)i + 0.25f));
    OK(cudaUnbindTexture(line));

    unsigned char rows[2][8];
    for (int i = 0; i < 8; i++) rows[0][i] = 0, rows[1][i] = (unsigned char)(i * 51 > 255 ? 255 : i * 51);
    cudaArray_t a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<unsigned char>();
    OK(cudaMallocArray(&a, &c, 8, 2));
    OK(cudaMemcpy2DToArray(a, 0, 0, rows, 8, 8, 2, cudaMemcpyHostToDevice));
    plane.addressMode[0] = plane.addressMode[1] = cudaAddressModeClamp;
    plane.filterMode = cudaFilterModePoint;
    OK(cudaBindTextureToArray(plane, a, c));
    sample<<<1, 8>>>(out);
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 5; i++) CHECK(h[i] > (float)i * 0.2f - 1e-5f && h[i] < (float)i * 0.2f + 1e-5f); // 51 / 255 is a fifth
    CHECK(h[7] == 1);

    cudaArray_t b;
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    OK(cudaMallocArray(&b, &ints, 4, 4, cudaArraySurfaceLoadStore));
    OK(cudaBindSurfaceToArray(sheet, b));
    draw<<<1, dim3(4, 4)>>>();
    int v[4][4];
    OK(cudaMemcpy2DFromArray(v, 16, b, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) CHECK(v[y][x] == x * 10 + y);
    std::puts("ok");
    return 0;
}
