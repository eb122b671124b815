# torch.distributed and DistributedDataParallel of one process, through NCCL (its wheel's library, whose kernels are asked for and
# not launched) and through gloo: losses and weights as on the CPU.
. "$HERE/lib.sh"
needs numpy torch torch.distributed
port=$(($$ % 20000 + 30000))
for backend in nccl gloo; do
    "$WARPWATT" run -q --no-power --functional -g "${WARPWATT_TORCH_GPU:-v100}" -- "$python" "$HERE/ddp_client.py" $backend $port || exit 1
done
