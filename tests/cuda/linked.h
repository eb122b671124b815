// Between linked.cu and linked_part.cu.
extern __device__ int steps;
__device__ int advance(int from);
void set_offset(int i, int v);
void other_kernel(int *d);
