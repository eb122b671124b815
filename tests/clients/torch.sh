# PyTorch as its wheel has it: elementwise operations, reductions, sorting and attention are the wheel's machine code, products
# are our cuBLAS's. A perceptron and two layers of attention train as they do on the CPU.
. "$HERE/lib.sh"
needs numpy torch
exec "$WARPWATT" run -q --no-power --functional -g "${WARPWATT_TORCH_GPU:-v100}" -- "$python" "$HERE/torch_client.py"
