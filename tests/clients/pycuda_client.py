import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import compile

# PTX, which any GPU takes: SourceModule would ask nvcc for the device's machine code
module = cuda.module_from_buffer(compile('''
__global__ void saxpy(float a, const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
__global__ void total(const float *x, float *out, int n) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int k = 64; k; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, s[0]);
}
__global__ void matmul(const float *a, const float *b, float *c, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    for (int i = 0; i < k; i++) v += a[row * k + i] * b[i * n + col];
    c[row * n + col] = v;
}
''', arch='compute_75', target='ptx', no_extern_c=False))
n = 1000
x = np.arange(n, dtype=np.float32)
y = np.ones(n, dtype=np.float32)
o = np.zeros_like(x)
module.get_function('saxpy')(np.float32(2), cuda.In(x), cuda.In(y), cuda.Out(o), np.int32(n), block=(128, 1, 1), grid=(8, 1))
assert np.array_equal(o, 2 * x + y)
r = np.zeros(1, dtype=np.float32)
module.get_function('total')(cuda.In(x), cuda.InOut(r), np.int32(n), block=(128, 1, 1), grid=(8, 1))
assert r[0] == n * (n - 1) / 2
a = np.arange(24 * 20, dtype=np.float32).reshape(24, 20) % 7
b = np.arange(20 * 16, dtype=np.float32).reshape(20, 16) % 5
c = np.zeros((24, 16), dtype=np.float32)
module.get_function('matmul')(cuda.In(a), cuda.In(b), cuda.Out(c), np.int32(16), np.int32(20), block=(8, 8, 1), grid=(2, 3))
assert np.array_equal(c, a @ b)
print('pycuda ok')
