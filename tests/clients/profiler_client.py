import json, sys
import torch
from torch import nn
from torch.profiler import profile, ProfilerActivity, record_function
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10)).cuda()
x = torch.randn(16, 32).cuda()
torch.cuda.synchronize()
before = len(list(net.parameters())) + 1 # a copy each
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
    with record_function('forward'): y = net(x)
    y.sum().backward()
    y.detach().cpu()
gpu = sorted((e for e in p.events() if e.device_type.name == 'CUDA' and e.name not in ('forward',)), key=lambda e: e.time_range.start)
events = [{'name': e.name, 'start': e.time_range.start, 'us': e.time_range.elapsed_us()} for e in gpu]
operators = {a.key: a.device_time_total for a in p.key_averages() if a.key.startswith('aten::')}
json.dump({'before': before, 'events': events, 'operators': operators}, open(sys.argv[1] + '/told.json', 'w'))
print(p.key_averages().table(sort_by='cuda_time_total', row_limit=5))
p.export_chrome_trace(sys.argv[1] + '/trace.json')
assert any(e.get('cat') == 'kernel' for e in json.load(open(sys.argv[1] + '/trace.json'))['traceEvents'])
