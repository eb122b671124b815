import torch
import triton
import triton.language as tl
@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
@triton.jit
def softmax(o, x, n, B: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=-float('inf'))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(o + row * n + i, e / tl.sum(e, 0), mask=i < n)
@triton.jit
def product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sum = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        sum += tl.dot(tl.load(a + m[:, None] * K + (k + i)[None, :]), tl.load(b + (k + i)[:, None] * N + n[None, :]))
    tl.store(c + m[:, None] * N + n[None, :], sum)
x, y = torch.randn(1000), torch.randn(1000)
o = torch.empty(1000, device='cuda')
add[(4,)](x.cuda(), y.cuda(), o, 1000, B=256)
assert torch.equal(o.cpu(), x + y)
x = torch.randn(17, 300)
o = torch.empty(17, 300, device='cuda')
softmax[(17,)](o, x.cuda(), 300, B=512)
assert (o.cpu() - x.softmax(1)).abs().max() < 1e-6
@triton.jit
def attention(q, k, v, o, scale, S, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1) * S * D
    m, n, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(q + head + m[:, None] * D + d[None, :])
    most, total = tl.full((BM,), float('-inf'), tl.float32), tl.zeros((BM,), tl.float32)
    sum = tl.zeros((BM, D), tl.float32)
    for i in range(0, (tl.program_id(0) + 1) * BM, BN):
        s = tl.dot(x, tl.load(k + head + (i + n)[None, :] * D + d[:, None])) * scale
        s = tl.where(m[:, None] >= (i + n)[None, :], s, float('-inf'))
        now = tl.maximum(most, tl.max(s, 1))
        e, f = tl.exp2(s - now[:, None]), tl.exp2(most - now)
        total = total * f + tl.sum(e, 1)
        sum = tl.dot(e.to(tl.float16), tl.load(v + head + (i + n)[:, None] * D + d[None, :]), sum * f[:, None])
        most = now
    tl.store(o + head + m[:, None] * D + d[None, :], (sum / total[:, None]).to(tl.float16))
# From 8.0 on a product of single precision takes the upper 19 bits of each operand (tf32).
capability = torch.cuda.get_device_capability()
def taken(x): return (x.view(torch.int32) & ~0x1fff).view(torch.float32) if capability >= (8, 0) and x.dtype == torch.float32 else x.float()
a, b = torch.randn(128, 128), torch.randn(128, 128)
c = torch.empty(128, 128, device='cuda')
types = [torch.float32, torch.float16]
if capability >= (8, 0): types += [torch.bfloat16]
if capability >= (9, 0): types += [torch.float8_e5m2, torch.float8_e4m3fn]
for t in types:
    for warps, stages in ((4, 2), (8, 3)):
        x, y = a.to(t), b.to(t)
        product[(2, 2)](x.cuda(), y.cuda(), c, 128, 128, BM=64, BN=64, BK=64, num_warps=warps, num_stages=stages)
        error = (c.cpu() - taken(x) @ taken(y)).abs().max()
        assert error < (0.05 if t.itemsize == 1 else 1e-3), (t, warps, error) # sums of 8-bit floats keep 13 bits
if capability >= (8, 0):
    q, k, v = (torch.randn(2, 256, 64).half() for _ in range(3))
    o = torch.empty(2, 256, 64, device='cuda', dtype=torch.half)
    attention[(2, 2)](q.cuda(), k.cuda(), v.cuda(), o, 1.4426950408889634 / 8, 256, D=64, BM=128, BN=64, num_warps=4, num_stages=2)
    want = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
    assert (o.cpu() - want).abs().max() < 5e-3
def f(x, y): return torch.nn.functional.gelu(x * 2 + y).softmax(-1)
x, y = torch.randn(64, 128), torch.randn(64, 128)
assert (torch.compile(f)(x.cuda(), y.cuda()).cpu() - f(x, y)).abs().max() < 1e-5
print('ok')
