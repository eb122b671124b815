# PyCUDA: SourceModule, ReductionKernel and ElementwiseKernel call nvcc, so it is needed too.
. "$HERE/lib.sh"
needs numpy pycuda
command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
exec "$WARPWATT" run -q --no-power -g gtx780 -- "$python" "$HERE/pycuda_client.py"
