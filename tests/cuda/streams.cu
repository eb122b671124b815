// Streams: copies run beside kernels, kernels beside kernels, and both shorten simulated time; within a
// stream, and across an event, order holds. Times are the GPU's own, by events.
// expect stdout ok
#include "check.h"

__global__ void work(float *p, int n, int rounds) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = p[i];
        for (int r = 0; r < rounds; r++) x = x * 0.5f + 1.0f;
        p[i] = x;
    }
}
__global__ void put(int *p, int v) { *p = v; }
__global__ void times(int *p, int v) { *p *= v; }

static cudaEvent_t first, last;
enum { PARTS = 4, PART = 1 << 14 };

// Copy in, work, copy out, in parts, over so many streams; milliseconds.
static float pipeline(float *h, float *d, cudaStream_t *s, int streams) {
    float ms;
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(first, s[0]));
    for (int k = 1; k < streams; k++) OK(cudaStreamWaitEvent(s[k], first, 0));
    for (int k = 0; k < PARTS; k++) {
        cudaStream_t t = s[k % streams];
        float *hp = h + k * PART, *dp = d + k * PART;
        OK(cudaMemcpyAsync(dp, hp, PART * 4, cudaMemcpyHostToDevice, t));
        work<<<16, 128, 0, t>>>(dp, PART, 20);
        OK(cudaMemcpyAsync(hp, dp, PART * 4, cudaMemcpyDeviceToHost, t));
    }
    cudaEvent_t done;
    OK(cudaEventCreate(&done));
    for (int k = 1; k < streams; k++) {
        OK(cudaEventRecord(done, s[k]));
        OK(cudaStreamWaitEvent(s[0], done, 0));
    }
    OK(cudaEventRecord(last, s[0]));
    OK(cudaEventSynchronize(last));
    OK(cudaEventElapsedTime(&ms, first, last));
    OK(cudaEventDestroy(done));
    return ms;
}

// Two kernels that fill a fraction of the GPU each, in these streams.
static float two_kernels(float *d, cudaStream_t a, cudaStream_t b) {
    float ms;
    cudaEvent_t done;
    OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    OK(cudaEventRecord(first, a));
    OK(cudaStreamWaitEvent(b, first, 0));
    work<<<2, 64, 0, a>>>(d, 256, 2000);
    work<<<2, 64, 0, b>>>(d + 256, 256, 2000);
    OK(cudaEventRecord(done, b));
    OK(cudaStreamWaitEvent(a, done, 0));
    OK(cudaEventRecord(last, a));
    OK(cudaEventSynchronize(last));
    OK(cudaEventElapsedTime(&ms, first, last));
    OK(cudaEventDestroy(done));
    return ms;
}

int main() {
    float *h, *d;
    cudaStream_t s[PARTS];
    OK(cudaMallocHost(&h, PARTS * PART * 4));
    OK(cudaMalloc(&d, PARTS * PART * 4));
    for (int i = 0; i < PARTS * PART; i++) h[i] = 2.0f; // the fixed point of the work
    for (auto &t : s) OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaEventCreate(&first));
    OK(cudaEventCreate(&last));

    const float one = pipeline(h, d, s, 1), four = pipeline(h, d, s, PARTS);
    for (int i = 0; i < PARTS * PART; i++) CHECK(h[i] == 2.0f);
    CHECK(one > 0 && four > 0);
    CHECK(four < 0.8f * one); // the two directions and the kernels overlap

    const float apart = two_kernels(d, s[0], s[0]), beside = two_kernels(d, s[0], s[1]);
    CHECK(beside < 0.7f * apart);

    // Order within a stream, and from one stream to another over an event.
    int *p, v = 0;
    cudaEvent_t e;
    OK(cudaMalloc(&p, 4));
    OK(cudaEventCreate(&e));
    put<<<1, 1, 0, s[0]>>>(p, 3);
    times<<<1, 1, 0, s[0]>>>(p, 5);
    OK(cudaEventRecord(e, s[0]));
    OK(cudaStreamWaitEvent(s[1], e, 0));
    times<<<1, 1, 0, s[1]>>>(p, 7);
    OK(cudaStreamSynchronize(s[1]));
    OK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    CHECK(v == 105);
    // The default stream waits for the blocking ones and they for it.
    cudaStream_t blocking;
    OK(cudaStreamCreate(&blocking));
    put<<<1, 1, 0, blocking>>>(p, 2);
    times<<<1, 1>>>(p, 11);
    times<<<1, 1, 0, blocking>>>(p, 13);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    CHECK(v == 286);
    int low, high, priority;
    OK(cudaDeviceGetStreamPriorityRange(&low, &high));
    CHECK(high <= low);
    cudaStream_t urgent;
    OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, high));
    OK(cudaStreamGetPriority(urgent, &priority));
    CHECK(priority == high);
    OK(cudaStreamQuery(urgent));
    OK(cudaStreamDestroy(urgent));
    OK(cudaStreamDestroy(blocking));
    for (auto &t : s) OK(cudaStreamDestroy(t));
    std::puts("ok");
    return 0;
}
