import copy

import torch
from torch import nn
F = nn.functional
assert torch.cuda.is_available() and torch.cuda.device_count() == 1
def same(name, f, *shapes, tolerance=1e-5):
    g = torch.Generator().manual_seed(1)
    x = [torch.randn(*s, generator=g) for s in shapes]
    want, got = f(*x), f(*(t.cuda() for t in x))
    assert got.is_cuda
    error = (got.cpu().double() - want.double()).abs().max().item()
    assert error <= tolerance * max(1, want.abs().max().item()), (name, error)
same('add', lambda a, b: a + b, (1000,), (1000,), tolerance=0)
same('exp', torch.exp, (33, 77))
same('sum', lambda a: a.sum(), (333, 77))
same('sum of rows', lambda a: a.sum(1), (333, 77))
same('softmax', lambda a: a.softmax(-1), (33, 1000))
same('layer norm', lambda a: F.layer_norm(a, (128,)), (64, 128))
same('gelu', F.gelu, (33, 77))
same('sort', lambda a: a.sort()[0], (3000,), tolerance=0)
same('topk', lambda a: a.topk(5)[0], (30, 1000), tolerance=0)
same('cumsum', lambda a: a.cumsum(0), (1000,))
same('index', lambda a: a[torch.tensor([1, 5, 7], device=a.device)], (33, 77), tolerance=0)
same('half', lambda a: (a.half() * 2).float(), (1000,), tolerance=0)
same('bfloat16', lambda a: (a.bfloat16() * 2).float(), (1000,), tolerance=0)
same('pooling', lambda a: F.max_pool2d(a, 2), (2, 3, 16, 16), tolerance=0)
same('transposition', lambda a: a.t().contiguous(), (333, 77), tolerance=0)
same('product', lambda a, b: a @ b, (64, 33), (33, 48))
same('batch', torch.bmm, (3, 20, 33), (3, 33, 7))
same('linear', lambda a, w, b: F.linear(a, w, b), (10, 64), (48, 64), (48,))
same('half product', lambda a, b: (a.half() @ b.half()).float(), (64, 33), (33, 48), tolerance=2e-3)
same('attention', F.scaled_dot_product_attention, (1, 2, 16, 64), (1, 2, 16, 64), (1, 2, 16, 64))
x = torch.randn(10000, device='cuda')
assert abs(x.mean()) < 0.05 and abs(x.std() - 1) < 0.05
# A function of its wheel's that calls itself for negative numbers: lanes of both calls meet at one instruction (NVRTC's code).
same('bessel_j1', lambda a: torch.special.bessel_j1(torch.linspace(-20, 20, 20, device=a.device)), (1,))
def train(net, x, y, device):
    net, x, y = net.to(device), x.to(device), y.to(device)
    optimiser, losses = torch.optim.AdamW(net.parameters(), lr=1e-2), []
    for _ in range(3):
        optimiser.zero_grad()
        p = net(x)
        loss = F.cross_entropy(p.reshape(-1, p.shape[-1]), y.reshape(-1))
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses
def perceptron():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
def layers():
    torch.manual_seed(0)
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, dropout=0, batch_first=True), 2)
def images():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(16, 10))
def gradients(name, f, *shapes, tolerance=1e-4, memory_format=torch.contiguous_format):
    g = torch.Generator().manual_seed(2)
    leaves = [torch.randn(*s, generator=g) for s in shapes]
    results = []
    for device in ('cpu', 'cuda'):
        x = [t.to(device, memory_format=memory_format if t.dim() == 4 else torch.contiguous_format).detach().requires_grad_() for t in leaves]
        y = f(*x)
        y.backward(torch.linspace(-1, 1, y.numel(), device=device).reshape(y.shape))
        results.append([y.detach()] + [t.grad for t in x])
    for i, (want, got) in enumerate(zip(*results)):
        error = (got.cpu() - want).abs().max().item()
        assert error <= tolerance * max(1, want.abs().max().item()), (name, i, error)
assert torch.backends.cudnn.is_available() and torch.backends.cudnn.enabled
gradients('convolution', lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1), (2, 4, 9, 7), (6, 4, 3, 3), (6,))
gradients('channels last', lambda x, w: F.conv2d(x, w, padding=1), (2, 8, 9, 7), (6, 8, 3, 3), memory_format=torch.channels_last)
gradients('groups, dilation', lambda x, w: F.conv2d(x, w, dilation=2, groups=4), (2, 8, 9, 9), (8, 2, 3, 3))
gradients('in one direction', lambda x, w: F.conv1d(x, w, stride=2), (2, 3, 20), (5, 3, 4))
gradients('in three', lambda x, w: F.conv3d(x, w, padding=1), (1, 2, 5, 6, 7), (3, 2, 3, 3, 3))
gradients('transposed', lambda x, w: F.conv_transpose2d(x, w, stride=2), (2, 4, 5, 5), (4, 3, 3, 3))
gradients('batch norm', lambda x, a, b: F.batch_norm(x, None, None, a, b, training=True), (4, 5, 6, 7), (5,), (5,))
same('half convolution', lambda x, w: F.conv2d(x.half().float() if x.device.type == 'cpu' else x.half(),
                                               w.half().float() if x.device.type == 'cpu' else w.half(), padding=1).float(),
     (2, 16, 8, 8), (8, 16, 3, 3), tolerance=2e-3)
torch.backends.cudnn.allow_tf32 = False  # else, as on a board from 8.0 on, three digits are all that is alike
for make in (nn.RNN, nn.GRU, nn.LSTM):
    torch.manual_seed(3)
    net = make(6, 8, num_layers=2, bidirectional=True, **({'proj_size': 5} if make is nn.LSTM else {}))
    weights = dict(net.named_parameters())
    def recurrent(x, *values):
        there = copy.deepcopy(net).to(x.device)
        packed = nn.utils.rnn.pack_padded_sequence(x, [7, 4, 1])
        y = torch.func.functional_call(there, dict(zip(weights, values)), (packed,))[0]
        return nn.utils.rnn.pad_packed_sequence(y)[0]
    gradients(make.__name__, recurrent, (7, 3, 6), *[tuple(w.shape) for w in weights.values()])
for aligned in (True, False):  # the first one by cuDNN's spatial transformers
    gradients('samples of a grid', lambda x, g: F.grid_sample(x, g, align_corners=aligned), (2, 3, 6, 4), (2, 5, 7, 2))
gradients('samples of an affine grid', lambda x, m: F.grid_sample(x, F.affine_grid(m, (2, 3, 5, 7), align_corners=True), align_corners=True), (2, 3, 6, 4), (2, 2, 3))
made = [torch.cudnn_affine_grid_generator(m, 2, 3, 5, 7) if m.is_cuda else F.affine_grid(m, (2, 3, 5, 7), align_corners=True)
        for m in (torch.arange(12.).reshape(2, 2, 3), torch.arange(12.).reshape(2, 2, 3).cuda())]
assert (made[0] - made[1].cpu()).abs().max() < 1e-4
def attention(q, k, v, mask=None, **how):  # by cuDNN where it is; sums of halves
    if q.device.type == 'cpu': return F.scaled_dot_product_attention(q.half().float(), k.half().float(), v.half().float(), mask, **how)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
        return F.scaled_dot_product_attention(q.half(), k.half(), v.half(), None if mask is None else mask.half(), **how).float()
if torch.cuda.get_device_capability() >= (8, 0):
    gradients('attention', lambda q, k, v: attention(q, k, v, is_causal=True), (2, 4, 40, 64), (2, 4, 72, 64), (2, 4, 72, 64), tolerance=5e-3)
    gradients('attention with a mask', lambda q, k, v: attention(q, k, v, torch.linspace(-1, 1, 40 * 72, device=q.device).reshape(1, 1, 40, 72)),
              (2, 4, 40, 64), (2, 4, 72, 64), (2, 4, 72, 64), tolerance=5e-3)
L = torch.linalg
def definite(a): return a @ a.mT + a.shape[-1] * torch.eye(a.shape[-1], device=a.device)
same('solve', L.solve, (40, 40), (40, 3), tolerance=1e-3)
same('inverses', lambda a: L.inv(definite(a)), (5, 8, 8), tolerance=1e-4)
same('Cholesky', lambda a: L.cholesky(definite(a)), (40, 40), tolerance=1e-4)
same('QR', lambda a: (lambda q, r: q @ r)(*L.qr(a)), (40, 33), tolerance=1e-4)
same('singular values', L.svdvals, (3, 20, 33), tolerance=1e-4)
same('singular vectors', lambda a: (lambda u, s, v: u @ torch.diag(s) @ v)(*L.svd(a, full_matrices=False)), (33, 20), tolerance=1e-4)
same('eigenvalues', lambda a: L.eigvalsh(definite(a)), (33, 33), tolerance=1e-4)
same('eigenvalues of a batch', lambda a: L.eigvalsh(a @ a.mT), (6, 5, 5), tolerance=1e-4)
same('eigenvectors', lambda a: (lambda w, v: v @ torch.diag(w) @ v.mT)(*L.eigh(definite(a))), (33, 33), tolerance=1e-4)
w, v = L.eig(torch.randn(12, 12, generator=torch.Generator().manual_seed(3)).cuda())
assert (v @ torch.diag(w) @ L.inv(v) - torch.randn(12, 12, generator=torch.Generator().manual_seed(3)).cuda()).abs().max() < 1e-3
same('least squares', lambda a, b: L.lstsq(a, b)[0], (30, 8), (30, 2), tolerance=1e-4)
same('determinant', lambda a: L.det(a), (6, 6), tolerance=1e-4)
def thin(a): return a * (a > 1)
for name, form in (('COO', torch.Tensor.to_sparse), ('CSR', torch.Tensor.to_sparse_csr), ('CSC', torch.Tensor.to_sparse_csc)):
    same(name + ' times a matrix', lambda a, b: form(thin(a)) @ b, (33, 50), (50, 7))
same('CSR times a vector', lambda a, b: thin(a).to_sparse_csr() @ b, (33, 50), (50,))
same('CSR transposed', lambda a, b: thin(a).to_sparse_csr().t() @ b, (33, 50), (33, 7))
same('CSR times CSR', lambda a, b: (thin(a).to_sparse_csr() @ thin(b).to_sparse_csr()).to_dense(), (33, 50), (50, 20))
same('CSR and CSR', lambda a, b: (thin(a).to_sparse_csr() + thin(b).to_sparse_csr()).to_dense(), (33, 50), (33, 50))
torch.manual_seed(1)
for make, x, y in ((perceptron, torch.randn(16, 32), torch.randint(0, 10, (16,))),
                   (images, torch.randn(4, 3, 16, 16), torch.randint(0, 10, (4,))),
                   (layers, torch.randn(2, 12, 64), torch.randint(0, 64, (2, 12)))):
    cpu, gpu = train(make(), x, y, 'cpu'), train(make(), x, y, 'cuda')
    assert all(abs(a - b) < 1e-4 for a, b in zip(cpu, gpu)) and gpu[2] < gpu[0], (cpu, gpu)
graph, a, b = torch.cuda.CUDAGraph(), torch.zeros(10, device='cuda'), None
stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream): b = a + 1
torch.cuda.current_stream().wait_stream(stream)
with torch.cuda.graph(graph): b = a + 1
a.fill_(5)
graph.replay()
assert b.cpu().eq(6).all()
print('ok')
