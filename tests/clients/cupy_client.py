# CuPy: its modules carry a static runtime each, whose place warpwatt's takes as they are imported. Element-wise, reduction,
# sort (CUB and Thrust, compiled into CuPy), a kernel of its user's (NVRTC), matrix product (cuBLAS), Fourier transforms (cuFFT), random
# numbers (cuRAND), dense systems (cuSOLVER), sparse matrices (cuSPARSE; where SciPy is, which CuPy asks for).
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
square = real.reshape(-1)[:144].reshape(12, 12) + 4 * np.eye(12)
for given in (square, square + 1j * square.T):
    on = cp.asarray(given)
    hermitian = given @ given.conj().T
    assert np.allclose(cp.asnumpy(cp.linalg.inv(on)), np.linalg.inv(given), atol=1e-12)
    assert np.allclose(cp.asnumpy(cp.linalg.solve(on, on[:, :2])), np.eye(12)[:, :2], atol=1e-12)
    assert np.allclose(cp.asnumpy(cp.linalg.cholesky(cp.asarray(hermitian))), np.linalg.cholesky(hermitian), atol=1e-10)
    assert np.allclose(cp.asnumpy(cp.linalg.eigvalsh(cp.asarray(hermitian))), np.linalg.eigvalsh(hermitian), atol=1e-10)
    q, r = cp.linalg.qr(on)
    assert np.allclose(cp.asnumpy(q @ r), given, atol=1e-12)
    for thin in (on, on[:, :7], on[:7]):
        u, s, v = cp.linalg.svd(thin, full_matrices=False)
        assert np.allclose(cp.asnumpy((u * s) @ v), cp.asnumpy(thin), atol=1e-11)
        assert np.allclose(cp.asnumpy(s), np.linalg.svd(cp.asnumpy(thin), compute_uv=False), atol=1e-11)
for dtype, near in ((np.float64, 1e-11), (np.float32, 1e-3), (np.complex128, 1e-11), (np.complex64, 1e-3)):  # no symmetry: geev
    if not hasattr(cp.linalg, 'eig'): break  # CuPy 13
    given = (square + 1j * square.T).astype(dtype) if np.dtype(dtype).kind == 'c' else square.astype(dtype)
    w, v = map(cp.asnumpy, cp.linalg.eig(cp.asarray(given)))
    assert np.allclose(given @ v, v * w, atol=near) and np.allclose(np.linalg.norm(v, axis=0), 1, atol=near), dtype
    assert np.allclose(np.sort_complex(cp.asnumpy(cp.linalg.eigvals(cp.asarray(given)))), np.sort_complex(w), atol=near), dtype
    want = np.linalg.eigvals(given)
    assert max(abs(want - x).min() for x in w) < near and max(abs(w - x).min() for x in want) < near, dtype
try:
    import scipy  # noqa: F401
    import cupyx.scipy.sparse as sparse
    from cupyx.scipy.sparse.linalg import spilu, spsolve
except ImportError:
    sparse = None
if sparse:
    some = np.where(np.abs(square) > 0.6, square, 0) + 4 * np.eye(12)
    csr, csc = sparse.csr_matrix(cp.asarray(some)), sparse.csc_matrix(cp.asarray(some))
    column = cp.asarray(square[:, 0].copy())
    assert np.allclose(cp.asnumpy(csr @ column), some @ square[:, 0])
    assert np.allclose(cp.asnumpy((csr @ csr + csc.tocsr()).toarray()), some @ some + some)
    assert np.allclose(cp.asnumpy(spsolve(csr, column)), np.linalg.solve(some, square[:, 0]))
    band = np.eye(12) * 4 + np.eye(12, k=1) + np.eye(12, k=-1)
    solved = spilu(sparse.csc_matrix(cp.asarray(band)), fill_factor=1).solve(column)  # on this pattern nothing is left out
    assert np.allclose(cp.asnumpy(solved), np.linalg.solve(band, square[:, 0]))
cp.random.seed(3)
drawn = cp.asnumpy(cp.random.randn(10001))
assert abs(drawn.mean()) < 0.05 and abs(drawn.std() - 1) < 0.05
assert sorted(cp.asnumpy(cp.random.permutation(50))) == list(range(50))
print('ok', cp.__version__)
