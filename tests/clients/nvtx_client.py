import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10)).cuda()
x, y = torch.randn(16, 32).cuda(), torch.randint(0, 10, (16,)).cuda()
optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
mark = torch.cuda.nvtx.range
for step in range(2):
    with mark(f'step {step}'):
        with mark('forward'):
            h = x
            for i, layer in enumerate(net):
                with mark(f'layer {i}'): h = layer(h)
            loss = nn.functional.cross_entropy(h, y)
        with mark('backward'): loss.backward()
        with mark('optimiser'):
            optimiser.step()
            optimiser.zero_grad()
a = torch.ones(100, device='cuda')
with mark('operators'), torch.autograd.profiler.emit_nvtx():
    for _ in range(3): a = a * 2
    with torch.autograd.profiler.record_function('named'): a = a + 1
torch.cuda.profiler.start()
a = (a - 1) / 2
torch.cuda.profiler.stop()
assert a.cpu().eq(4).all()
