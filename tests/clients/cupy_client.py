# CuPy: its modules carry a static runtime each, whose place warpwatt's takes as they are imported. Element-wise, reduction,
# sort (CUB and Thrust, compiled into CuPy), a kernel of its user's (NVRTC), matrix product (cuBLAS), Fourier transforms (cuFFT), random
# numbers (cuRAND).
import numpy as np
import cupy as cp

x = cp.arange(1000, dtype=cp.float32)
assert np.allclose(cp.asnumpy(cp.sin(x)), np.sin(np.arange(1000, dtype=np.float32)), atol=1e-5)
assert float((x * 2 + 1).sum()) == 1e6
host = np.random.RandomState(1).rand(500).astype(np.float32)
assert (cp.asnumpy(cp.sort(cp.asarray(host))) == np.sort(host)).all()
triple = cp.RawKernel(r'''extern "C" __global__ void triple(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 3;
}''', 'triple')
y = x.copy()
triple((4,), (256,), (y, np.int32(1000)))
assert (cp.asnumpy(y) == 3 * np.arange(1000)).all()
a, b = host[:300].reshape(20, 15), host[200:].reshape(15, 20)
assert np.allclose(cp.asnumpy(cp.asarray(a) @ cp.asarray(b)), a @ b, rtol=1e-5)
for shape in ((97,), (12, 30), (4, 6, 10)):
    real = np.resize(host.astype(np.float64), shape)
    both = real + 1j * real[::-1]
    for name, given in (('fftn', both), ('ifftn', both), ('rfftn', real), ('irfftn', both)):
        want = getattr(np.fft, name)(given)
        assert np.allclose(cp.asnumpy(getattr(cp.fft, name)(cp.asarray(given))), want, atol=1e-13 * abs(want).max()), (name, shape)
cp.random.seed(3)
drawn = cp.asnumpy(cp.random.randn(10001))
assert abs(drawn.mean()) < 0.05 and abs(drawn.std() - 1) < 0.05
assert sorted(cp.asnumpy(cp.random.permutation(50))) == list(range(50))
print('ok', cp.__version__)
