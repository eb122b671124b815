import numpy as np
from numba import cuda, float32
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size: out[i] = a * x[i] + y[i]
@cuda.jit
def total(x, out):
    s = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    k = 64
    while k:
        if t < k: s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0: cuda.atomic.add(out, 0, s[0])
@cuda.jit
def matmul(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        v = float32(0)
        for k in range(a.shape[1]): v += a[i, k] * b[k, j]
        c[i, j] = v
n = 1000
x = np.arange(n, dtype=np.float32); y = np.ones(n, dtype=np.float32); o = np.zeros_like(x)
saxpy[(n + 127) // 128, 128](np.float32(2), x, y, o)
assert np.array_equal(o, 2 * x + y)
r = np.zeros(1, dtype=np.float32)
total[(n + 127) // 128, 128](x, r)
assert r[0] == n * (n - 1) / 2, r
a = np.arange(24 * 20, dtype=np.float32).reshape(24, 20) % 7; b = np.arange(20 * 16, dtype=np.float32).reshape(20, 16) % 5
c = np.zeros((24, 16), dtype=np.float32)
matmul[(3, 2), (8, 8)](a, b, c)
assert np.array_equal(c, a @ b)
try:
    import numba_cuda
except ImportError:
    numba_cuda = None # the built-in target needs the vendor's device library for what follows
if numba_cuda:
    # A grid that waits for itself: each row is the one before it, mirrored, plus one.
    @cuda.jit
    def rows(m):
        grid, column = cuda.cg.this_grid(), cuda.grid(1)
        for row in range(1, m.shape[0]):
            m[row, column] = m[row - 1, m.shape[1] - column - 1] + 1
            grid.sync()
    m = np.zeros((6, 256), dtype=np.int32)
    m[0] = np.arange(256)
    want = m.copy()
    for row in range(1, 6): want[row] = want[row - 1, ::-1] + 1
    rows[2, 128](m)
    assert np.array_equal(m, want)
print("numba ok")
