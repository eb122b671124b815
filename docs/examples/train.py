# Three steps of training a perceptron, to begin with: warpwatt run -o out -- python3 docs/examples/train.py
import torch

torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).cuda()
optimiser = torch.optim.AdamW(net.parameters(), 1e-2)
x = torch.randn(32, 64, device='cuda')
y = torch.randint(10, (32,), device='cuda')
for i in range(3):
    with torch.cuda.nvtx.range(f'step {i}'):
        optimiser.zero_grad()
        with torch.cuda.nvtx.range('forward'):
            loss = torch.nn.functional.cross_entropy(net(x), y)
        with torch.cuda.nvtx.range('backward'):
            loss.backward()
        with torch.cuda.nvtx.range('optimiser'):
            optimiser.step()
        print(loss.item())
