// Source of clang_*.ptx; needs no header of the toolkit.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct vec {
    float x, y, z;
    char tag;
};
union either {
    double d;
    unsigned words[2];
};

__constant__ int lookup[4] = {3, 1, 4, 1};
__device__ const char *names[2] = {"zero", "one"};
__device__ double total;
extern __shared__ float dynamic[];

__device__ __attribute__((noinline)) vec cross(vec a, vec b) {
    vec r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, a.tag};
    return r;
}

__device__ __attribute__((noinline)) int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

typedef int (*function)(int, int);
__device__ __attribute__((noinline)) int apply(function f, int a, int b) { return f(a, b); }

__global__ void everything(vec *v, int *i, double *d, unsigned long long *l, int n) {
    __shared__ float tile[64];
    const int t = __nvvm_read_ptx_sreg_tid_x() +
                  __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
    tile[t & 63] = v[t].x;
    dynamic[t] = v[t].y;
    __syncthreads();
    v[t] = cross(v[t], v[t + 1]);
    i[t] = apply(ackermann, i[t] & 3, lookup[t & 3]) + names[t & 1][0];
    d[t] = __builtin_sqrt(d[t]) / (d[t + 1] + tile[63 - (t & 63)]);
    l[t] = l[t] * 3 / (unsigned long long)n + (l[t] >> n) + __builtin_popcountll(l[t]);
    int local[16];
    for (int k = 0; k < 16; k++) local[k] = i[k] * k;
    i[t] += local[i[t] & 15];
    either e;
    e.d = d[t];
    i[t] ^= (int)e.words[1];
    switch (i[t] & 7) {
    case 0: i[t] = 5; break;
    case 1: i[t] *= n; break;
    case 3: i[t] /= n; break;
    case 6: i[t] %= n; break;
    }
    __nvvm_atom_add_gen_i(i, t);
    total = dynamic[n];
}
