import sys
import pynvml as n
n.nvmlInit()
assert n.nvmlDeviceGetCount() == 1
d = n.nvmlDeviceGetHandleByIndex(0)
name, idle = n.nvmlDeviceGetName(d), n.nvmlDeviceGetPowerUsage(d)
assert n.nvmlDeviceGetTotalEnergyConsumption(d) == 0 and n.nvmlDeviceGetComputeRunningProcesses(d) == []
import torch
assert torch.cuda.device_count() == 1 and torch.cuda.get_device_name() == name
assert n.nvmlDeviceGetP2PStatus(d, d, 0) == 0 # NCCL asks
uuid = n.nvmlDeviceGetUUID(d)
assert uuid[4:] == str(torch.cuda.get_device_properties(0).uuid), (uuid, torch.cuda.get_device_properties(0).uuid)
x = torch.ones(1 << 18, device='cuda')
torch.cuda.synchronize()
before = n.nvmlDeviceGetTotalEnergyConsumption(d)
n.nvmlDeviceGetUtilizationRates(d), n.nvmlDeviceGetPowerUsage(d)
for _ in range(40): x = x * 1.5
torch.cuda.synchronize()
assert torch.cuda.power_draw() > idle and 10 < torch.cuda.utilization() <= 100
assert torch.cuda.temperature() > 0 and torch.cuda.clock_rate() * 1000 == torch.cuda.get_device_properties(0).clock_rate if hasattr(torch.cuda.get_device_properties(0), 'clock_rate') else True
assert n.nvmlDeviceGetMemoryInfo(d).used >= torch.cuda.memory_reserved() > 0
(p,) = n.nvmlDeviceGetComputeRunningProcesses(d)
import os
assert p.pid == os.getpid()
assert n.nvmlDeviceGetTotalEnergyConsumption(d) > before
try: n.nvmlDeviceGetVbiosVersion(d)
except n.NVMLError_NotSupported: pass
else: raise SystemExit('a call that is not there answers')
x.cpu()
open(sys.argv[1], 'w').write(str(n.nvmlDeviceGetTotalEnergyConsumption(d)))
