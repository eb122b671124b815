import numpy as np
from tinygrad import Tensor, Device
x = Tensor(np.arange(1000, dtype=np.float32)); 
assert np.array_equal((x * 2 + 1).numpy(), np.arange(1000, dtype=np.float32) * 2 + 1)
assert x.sum().item() == 999 * 500
a = np.arange(24 * 20, dtype=np.float32).reshape(24, 20) % 7; b = np.arange(20 * 16, dtype=np.float32).reshape(20, 16) % 5
assert np.array_equal((Tensor(a) @ Tensor(b)).numpy(), a @ b)
print("tinygrad ok")
