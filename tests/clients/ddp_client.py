import copy, os, sys

import torch, torch.distributed as dist
from torch import nn
backend, port = sys.argv[1], sys.argv[2]
dist.init_process_group(backend, init_method=f'tcp://127.0.0.1:{port}', rank=0, world_size=1)
x = torch.arange(6., device='cuda')
dist.all_reduce(x)
parts = [torch.zeros(6, device='cuda')]
dist.all_gather(parts, x)
dist.broadcast(x, 0)
dist.barrier()
assert parts[0].tolist() == x.tolist() == [0, 1, 2, 3, 4, 5]
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(12, 40, bias=False), nn.BatchNorm1d(40), nn.ReLU(), nn.Linear(40, 5))
data, want = torch.randn(16, 12), torch.randint(5, (16,))
def train(net, device, model):
    optimiser, losses = torch.optim.AdamW(net.parameters(), lr=1e-2), []
    for step in range(4):
        loss = nn.functional.cross_entropy(model(data.to(device)), want.to(device))
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.append(loss.item())
    return losses
twin = copy.deepcopy(net).cuda()
# Two buckets of gradients, each reduced as soon as it is full; a thread of autograd's asks for it.
wrapped = nn.parallel.DistributedDataParallel(twin, bucket_cap_mb=0.001)
cpu, gpu = train(net, 'cpu', net), train(twin, 'cuda', wrapped)
assert all(abs(a - b) < 1e-5 for a, b in zip(cpu, gpu)), (cpu, gpu)
for a, b in zip(net.state_dict().values(), twin.state_dict().values()):
    assert torch.allclose(a.float(), b.cpu().float(), atol=1e-4), (a, b)
with wrapped.no_sync():
    wrapped(data.cuda()).sum().backward()
assert twin[0].weight.grad.abs().sum() > 0
dist.destroy_process_group()
print('ok', backend, gpu)
