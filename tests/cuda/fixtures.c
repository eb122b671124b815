// The fat binaries of this folder's programs, as nvcc 11.8, 12.4 and 13.0 wrote them, registered by
// hand as nvcc's constructors do: reader, registration, launches, symbols and managed variables
// without nvcc. Host sides are written here again, so expected values are those of the .cu files'
// comments.
#include "fixture.h"

// Every fixture with its kernels.
struct fixture fixtures[] = {
    {"vector_add", {"_Z3addPKfS0_Pfi"}},
    {"streams", {"_Z4workPfii", "_Z3putPii", "_Z5timesPii"}},
    {"constants", {"_Z3usePf"}},
    {"managed", {"_Z3usePii"}},
    {"textures",
     {"_Z6sampleyPfPK6float2i", "_Z5fetchyP4int4", "_Z9fractionsyPf", "_Z4drawyii", "_Z4turnyy",
      "_Z6layersyPf", "_Z6volumeyPf"}},
    {"groups", {"_Z5tilesPiS_", "_Z6reducePi", "_Z4ringPii"}},
    {"prints", {"_Z3sayi", "_Z5lanesv", "_Z6resultPi"}},
    {"asserts", {"_Z6strictPi"}},
    {"templates", {"_Z5applyIfLi3EEvPT_", "_Z5applyIdLi2EEvPT_", "_Z5callsPii", "_Z5areasPi"}},
    {"graphs", {"_Z5scalePffi"}},
    {"matrix_units", {"_Z5plainPi", "_Z6tensorPK6__halfS1_Pf"}},
    {"linked", {"_Z4walkPi", "_Z6eightsPi"}},
#if MAJOR == 11
    {"references", {"_Z5fetchPf", "_Z6samplePf", "_Z4drawv"}},
#endif
};
enum { FIXTURES = sizeof fixtures / sizeof fixtures[0] };
const int n_fixtures = FIXTURES;

// Host shadows of device variables.
static char weights[16], scale[4], counter[4], hidden[10], steps[4], offsets[16];
static int *total;
static float *table;

static void variable(const char *fixture, char *host, const char *name, size_t bytes,
                     int constant) {
    for (int i = 0; i < FIXTURES; i++)
        if (strcmp(fixtures[i].name, fixture) == 0)
            __cudaRegisterVar(fixtures[i].handle, host, (char *)(uintptr_t)name, name, 0, bytes,
                              constant, 0);
}

static void plain(void) {
    float *d[3], h[300];
    int n = 300;
    for (int k = 0; k < 3; k++) OK(cudaMalloc((void **)&d[k], sizeof h));
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++) h[i] = k ? 1000.0f - (float)i : 0.5f * (float)i;
        OK(cudaMemcpy(d[k], h, sizeof h, cudaMemcpyHostToDevice));
    }
    LAUNCH("vector_add", 0, 2, 256, &d[0], &d[1], &d[2], &n);
    OK(cudaMemcpy(h, d[2], sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) CHECK(h[i] == 1000.0f - 0.5f * (float)i);
    float f = 3;
    LAUNCH("graphs", 0, 2, 256, &d[2], &f, &n);
    OK(cudaMemcpy(h, d[2], sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 3000 && h[299] == 3 * (1000.0f - 149.5f));
}

static void symbols(void) {
    float *d, h[4];
    OK(cudaMalloc((void **)&d, sizeof h));
    const int ten = 10;
    const float nine = 9;
    OK(cudaMemcpyToSymbol(scale, &ten, 4, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbol(weights, &nine, 4, 8, cudaMemcpyHostToDevice));
    LAUNCH("constants", 0, 1, 4, &d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 10 && h[1] == 20 && h[2] == 90 && h[3] == 40);
    int n = 0;
    OK(cudaMemcpyFromSymbol(&n, counter, 4, 0, cudaMemcpyDeviceToHost));
    CHECK(n == 44);
    size_t bytes = 0;
    OK(cudaGetSymbolSize(&bytes, weights));
    CHECK(bytes == 16);
    IS(cudaMemcpyToSymbol(weights, h, 17, 0, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cudaGetLastError();
    // two files' device code, linked: a constant of one, a variable of the other
    LAUNCH("linked", 0, 1, 4, &d);
    int v[4];
    OK(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) CHECK(v[i] == i + 6 + 100 * i);
    const int seven = 7;
    OK(cudaMemcpyToSymbol(steps, &seven, 4, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbol(offsets, &seven, 4, 12, cudaMemcpyHostToDevice));
    LAUNCH("linked", 0, 1, 4, &d);
    OK(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
    CHECK(v[1] == 1 + 21 + 100 && v[3] == 3 + 21 + 7);
    LAUNCH("linked", 1, 1, 4, &d);
    OK(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
    CHECK(v[0] == 8 && v[3] == 11);
}

static void managed(void) {
    CHECK(total && *total == 5 && table && table[5] == 0);
    *total = 7;
    int *p, h[64], n = 64;
    OK(cudaMalloc((void **)&p, sizeof h));
    for (int i = 0; i < 64; i++) h[i] = 1;
    OK(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
    LAUNCH("managed", 0, 1, 64, &p, &n);
    OK(cudaDeviceSynchronize());
    CHECK(*total == 7 + 64 * 65 / 2 && table[63] == 126.0f);
}

#if MAJOR == 11
void __cudaRegisterTexture(void **h, const void *host, const void **device, const char *name,
                           int dim, int norm, int ext);
void __cudaRegisterSurface(void **h, const void *host, const void **device, const char *name,
                           int dim, int ext);
cudaError_t cudaBindTexture(size_t *, const struct textureReference *, const void *,
                            const struct cudaChannelFormatDesc *, size_t);
cudaError_t cudaBindTextureToArray(const struct textureReference *, cudaArray_t,
                                   const struct cudaChannelFormatDesc *);
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *, cudaArray_t,
                                   const struct cudaChannelFormatDesc *);
cudaError_t cudaMallocArray(cudaArray_t *, const struct cudaChannelFormatDesc *, size_t, size_t,
                            unsigned);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void *, size_t, size_t, size_t,
                                int);
cudaError_t cudaMemcpy2DFromArray(void *, size_t, cudaArray_t, size_t, size_t, size_t, size_t, int);

// Constructors of nvcc 11 pass the name as in the source, and the PTX's in place of an address.
static void references(void) {
    struct fixture *f = NULL;
    for (int i = 0; i < FIXTURES; i++)
        if (strcmp(fixtures[i].name, "references") == 0) f = &fixtures[i];
    CHECK(f);
    enum { CLAMP = 1, FLOAT = 2, UNSIGNED = 1 };
    static struct textureReference line = {.channelDesc = {32, 0, 0, 0, FLOAT}};
    static struct textureReference plane = {.addressMode = {CLAMP, CLAMP, CLAMP},
                                            .channelDesc = {8, 0, 0, 0, UNSIGNED}};
    static struct surfaceReference sheet;
    __cudaRegisterTexture(f->handle, &line, (const void **)(void *)"line", "::line", 1, 0, 0);
    __cudaRegisterTexture(f->handle, &plane, (const void **)(void *)"plane", "::plane", 2, 1, 0);
    __cudaRegisterSurface(f->handle, &sheet, (const void **)(void *)"sheet", "::sheet", 2, 0);
    float h[8], *d, *out;
    for (int i = 0; i < 8; i++) h[i] = (float)i + 0.25f;
    OK(cudaMalloc((void **)&d, sizeof h));
    OK(cudaMalloc((void **)&out, sizeof h));
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaBindTexture(NULL, &line, d, &line.channelDesc, sizeof h));
    LAUNCH("references", 0, 1, 8, &out);
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) CHECK(h[i] == 2 * ((float)i + 0.25f));
    unsigned char rows[2][8] = {{0}, {0, 51, 102, 153, 204, 255, 255, 255}};
    cudaArray_t a;
    OK(cudaMallocArray(&a, &plane.channelDesc, 8, 2, 0));
    OK(cudaMemcpy2DToArray(a, 0, 0, rows, 8, 8, 2, cudaMemcpyHostToDevice));
    OK(cudaBindTextureToArray(&plane, a, &plane.channelDesc));
    LAUNCH("references", 1, 1, 8, &out);
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 5; i++)
        CHECK(h[i] > (float)i * 0.2f - 1e-5f &&
              h[i] < (float)i * 0.2f + 1e-5f); // 51 / 255 is a fifth
    CHECK(h[7] == 1);
    const struct cudaChannelFormatDesc ints = {32, 0, 0, 0, 0};
    int v[4][4];
    OK(cudaMallocArray(&a, &ints, 4, 4, 2));
    OK(cudaBindSurfaceToArray(&sheet, a, &ints));
    OK(cudaLaunchKernel(kernel("references", 2), (dim3){1, 1, 1}, (dim3){4, 4, 1}, NULL, 0, NULL));
    OK(cudaMemcpy2DFromArray(v, 16, a, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) CHECK(v[y][x] == x * 10 + y);
}
#endif

static void groups(void) {
    int *d, *ballots, h[64], rounds = 3;
    OK(cudaMalloc((void **)&d, sizeof h));
    ballots = d + 16;
    LAUNCH("groups", 0, 1, 64, &d, &ballots);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 8; t++) CHECK(h[t] == 64 * t + 28);
    CHECK(h[16] == 11 && h[17] == 11);
    for (int i = 0; i < 64; i++) h[i] = i;
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    void *args[] = {&d, &rounds};
    OK(cudaLaunchCooperativeKernel(kernel("groups", 2), (dim3){10, 1, 1}, (dim3){64, 1, 1}, args, 0,
                                   NULL));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 10; b++) CHECK(h[(b + 3) % 10] == b + 3);
}

static void code(void) {
    int *d, h[4], which = 0;
    OK(cudaMalloc((void **)&d, 64));
    LAUNCH("templates", 2, 1, 4, &d,
           &which); // through pointers to functions, one of them recursive
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 10 && h[1] == 36 && h[2] == 13 && h[3] == 16);
    LAUNCH("templates", 3, 1, 4, &d); // virtual functions
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 12 && h[1] == 0);
    LAUNCH("prints", 1, 1, 4);
    // a module with a kernel that cannot run: the other does
    LAUNCH("matrix_units", 0, 1, 1, &d);
    OK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 7);
    void *args[] = {&d, &d, &d};
    CHECK(cudaLaunchKernel(kernel("matrix_units", 1), (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0,
                           NULL) != cudaSuccess);
    cudaGetLastError();
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < FIXTURES; i++) add(&fixtures[i]);
    variable("constants", weights, "weights", 16, 1);
    variable("constants", scale, "scale", 4, 1);
    variable("constants", counter, "counter", 4, 0);
    variable("constants", hidden, "hidden", 10, 0);
    variable("linked", steps, "steps", 4, 0);
    variable("linked", offsets, "offsets", 16, 1);
    for (int i = 0; i < FIXTURES; i++) {
        if (strcmp(fixtures[i].name, "managed") == 0) {
            __cudaRegisterManagedVar(fixtures[i].handle, (void **)&total, NULL, "total", 0, 4, 0,
                                     0);
            __cudaRegisterManagedVar(fixtures[i].handle, (void **)&table, NULL, "table", 0, 256, 0,
                                     0);
        }
        __cudaRegisterFatBinaryEnd(fixtures[i].handle);
    }
    for (int i = 0; i < FIXTURES; i++)
        if (strcmp(fixtures[i].name, "managed") == 0) __cudaInitModule(fixtures[i].handle);
    plain();
    symbols();
    managed();
    groups();
    code();
#if MAJOR == 11
    references();
#endif
    // last, for it sticks: an assert
    int *d, h[2] = {9, 9};
    OK(cudaMalloc((void **)&d, sizeof h));
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    LAUNCH("asserts", 0, 1, 2, &d);
    IS(cudaDeviceSynchronize(), cudaErrorAssert);
    for (int i = 0; i < FIXTURES; i++) __cudaUnregisterFatBinary(fixtures[i].handle);
    puts("ok");
    return 0;
}
