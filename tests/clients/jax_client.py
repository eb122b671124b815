# JAX: its own compiler (XLA) makes PTX, libnvptxcompiler or ptxas of its wheels machine code; products, convolutions, transforms and
# factorisations are libraries'. Each function computed on the CPU and on the GPU.
import jax._src.hardware_utils as hardware
hardware.has_visible_nvidia_gpu = lambda: True # JAX looks for a file /dev/nvidiactl before it asks the driver
import jax
import jax.numpy as jnp
import numpy as np
cpu, gpu = jax.devices('cpu')[0], jax.devices('cuda')[0]
def same(name, f, *given, tolerance=2e-5):
    want = jax.tree.leaves(jax.jit(f)(*(jax.device_put(x, cpu) for x in given)))
    got = jax.tree.leaves(jax.jit(f)(*(jax.device_put(x, gpu) for x in given)))
    for w, g in zip(want, got, strict=True):
        assert g.devices() == {gpu}, name
        w, g = np.asarray(w), np.asarray(g)
        error = np.abs(w - g).max()
        assert w.shape == g.shape and error <= tolerance * max(1, np.abs(w).max()), (name, error)
draw = np.random.default_rng(0)
def of(*shape): return draw.standard_normal(shape).astype(np.float32)
a, b = of(40, 30), of(30, 20)
s = a.T @ a + np.eye(30, dtype=np.float32)
same('elements', lambda a: a * 2 + 1, a, tolerance=0)
same('sum', lambda a: a.sum(0), a)
same('softmax', jax.nn.softmax, a)
same('sort', lambda a: jnp.sort(a, 0), a, tolerance=0)
same('product', lambda a, b: a @ b, a, b, tolerance=3e-3) # TF32
same('gradient', jax.grad(lambda a, b: (jnp.tanh(a @ b) ** 2).sum()), a, b, tolerance=5e-3)
same('random', lambda a: jax.random.normal(jax.random.PRNGKey(1), (100,)), a)
same('convolution', lambda x, w: jax.lax.conv(x, w, (1, 1), 'SAME'), of(2, 3, 8, 8), of(4, 3, 3, 3), tolerance=5e-3)
# one graph of cuDNN with a scale and a bias of nothing between, whose work area XLA leaves out
same('gradients of a convolution', jax.grad(lambda x, w: (jax.lax.conv(x, w, (1, 1), 'SAME') ** 2).sum(), argnums=(0, 1)),
     of(2, 3, 8, 8), of(4, 3, 3, 3), tolerance=5e-3)
def attention(how):  # by cuDNN, whose plan XLA keeps as a text
    def f(q, k, v):
        y = jax.nn.dot_product_attention(*(x.astype(jnp.bfloat16) for x in (q, k, v)), is_causal=True, implementation=how)
        return (y.astype(jnp.float32) * jnp.linspace(-1, 1, 64)).sum()
    return jax.jit(jax.value_and_grad(f, argnums=(0, 1, 2)))
given = [of(2, 64, 4, 64) for _ in range(3)]
for w, g in zip(*(jax.tree.leaves(attention(how)(*(jax.device_put(x, device) for x in given))) for how, device in (('xla', cpu), ('cudnn', gpu)))):
    assert np.abs(np.asarray(w) - np.asarray(g)).max() <= 2e-2 * max(1, np.abs(np.asarray(w)).max()), 'attention'
same('transform', jnp.fft.fft, a)
same('Cholesky', jnp.linalg.cholesky, s, tolerance=1e-3)
same('solution', lambda s: jnp.linalg.solve(s, s[:, :3]), s, tolerance=1e-3)
same('singular values', lambda a: jnp.linalg.svd(a, compute_uv=False), a, tolerance=1e-3)
def residual(a):
    w, v = jnp.linalg.eig(a)
    return abs(a @ v - v * w), jnp.linalg.norm(v, axis=0)
same('eigenvalues', residual, of(12, 12), tolerance=1e-3)
same('eigenvalues of a batch', jnp.linalg.eigvalsh, (lambda b: b + b.transpose(0, 2, 1))(of(4, 6, 6)), tolerance=1e-3)
same('a tridiagonal form', lambda s: jax.lax.linalg.tridiagonal(s)[1:3], s, tolerance=1e-3)
same('loop', lambda a: jax.lax.scan(lambda c, x: (c * 0.9 + x, c.sum()), a[0], a), a)
same('scatter', lambda a: a.at[jnp.array([1, 5, 1])].add(1.), a)
print('ok', jax.__version__)
