# PyCUDA compiles with nvcc, so it is needed too. Its compile(target='ptx') makes what runs here; SourceModule,
# ElementwiseKernel and ReductionKernel ask nvcc for machine code of the device and stop there.
. "$HERE/lib.sh"
needs numpy pycuda
command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
exec "$WARPWATT" run -q --no-power -g gtx780 -- "$python" "$HERE/pycuda_client.py"
