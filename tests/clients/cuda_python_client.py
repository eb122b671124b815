import numpy as np
from cuda.bindings import driver
try: from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
except ImportError: from cuda.core.experimental import Device, LaunchConfig, Program, ProgramOptions, launch
def good(answer):
    assert answer[0] == 0, answer
    return answer[1] if len(answer) > 1 else None
device = Device()
device.set_current()
stream = device.create_stream()
arch = ''.join(str(i) for i in device.compute_capability)
source = r'''template <typename T> __global__ void saxpy(T a, const T *x, const T *y, T *out, size_t n) {
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    if (i < n) out[i] = a * x[i] + y[i];
}'''
for kind in ('cubin', 'ptx'):
    program = Program(source, code_type='c++', options=ProgramOptions(std='c++17', arch=f'sm_{arch}'))
    kernel = program.compile(kind, name_expressions=('saxpy<float>',)).get_kernel('saxpy<float>')
    n = 1000
    x, y = np.arange(n, dtype=np.float32), np.ones(n, dtype=np.float32)
    dx, dy, do = (good(driver.cuMemAlloc(4 * n)) for _ in range(3))
    good(driver.cuMemcpyHtoD(dx, x.ctypes.data, 4 * n))
    good(driver.cuMemcpyHtoD(dy, y.ctypes.data, 4 * n))
    launch(stream, LaunchConfig(grid=(n + 127) // 128, block=128), kernel, np.float32(2), int(dx), int(dy), int(do), np.uint64(n))
    stream.sync()
    out = np.zeros_like(x)
    good(driver.cuMemcpyDtoH(out.ctypes.data, do, 4 * n))
    assert (out == 2 * x + y).all(), kind
print('ok')
