// Source of debug_sm80.ptx (nvcc -G): debug sections, every statement with its line.
struct node {
    node *next;
    float value;
};

__device__ __noinline__ float walk(const node *n) {
    float sum = 0;
    for (; n; n = n->next) {
        float scaled = n->value * 2;
        sum += scaled;
    }
    return sum;
}

__global__ void lists(node **heads, float *out, int count) {
    extern __shared__ float partial[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < count ? walk(heads[i]) : 0.f;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0] + partial[blockDim.x - 1];
}
