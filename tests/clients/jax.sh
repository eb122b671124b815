# JAX with its wheels of CUDA 12. XLA would time each product's algorithms, which takes minutes and says nothing here: its
# autotuner is off.
. "$HERE/lib.sh"
needs numpy jax jax_cuda12_plugin
XLA_FLAGS=--xla_gpu_autotune_level=0 XLA_PYTHON_CLIENT_PREALLOCATE=false JAX_PLATFORMS=cuda,cpu \
    exec "$WARPWATT" run -q --no-power --functional -g a100 -- "$python" "$HERE/jax_client.py"
