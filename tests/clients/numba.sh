# Numba's CUDA target. The package numba-cuda makes machine code of PTX for the device that it finds (nvJitLink). Without it
# Numba's own compiler makes PTX through NVVM (a toolkit's, or a package's); NVVM 13 knows no target below 7.5, so Numba is told
# one there; the simulated GPU takes PTX of any.
. "$HERE/lib.sh"
needs numpy numba numba.cuda
if "$python" -c 'import numba_cuda' >/dev/null 2>&1; then
    exec "$WARPWATT" run -q --no-power -g v100 -- "$python" "$HERE/numba_client.py"
fi
"$python" -c 'from numba.cuda.cudadrv.nvvm import NVVM; NVVM()' >/dev/null 2>&1 || { echo "skipped: Numba finds no NVVM"; exit 77; }
NUMBA_FORCE_CUDA_CC=${NUMBA_FORCE_CUDA_CC:-7.5} exec "$WARPWATT" run -q --no-power -g gtx780 -- "$python" "$HERE/numba_client.py"
