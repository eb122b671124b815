# Numba's CUDA target: its compiler makes PTX through NVVM (a toolkit's, or a package's). NVVM 13 knows no
# target below 7.5, so Numba is told one; the simulated GPU takes PTX of any. The package numba-cuda since
# 0.2x links with nvJitLink to machine code for the device it finds, which no simulated GPU can run.
. "$HERE/lib.sh"
needs numpy numba numba.cuda
"$python" -c 'import numba_cuda' >/dev/null 2>&1 && { echo "skipped: numba-cuda links to machine code"; exit 77; }
"$python" -c 'from numba.cuda.cudadrv.nvvm import NVVM; NVVM()' >/dev/null 2>&1 || { echo "skipped: Numba finds no NVVM"; exit 77; }
NUMBA_FORCE_CUDA_CC=${NUMBA_FORCE_CUDA_CC:-7.5} exec "$WARPWATT" run -q --no-power -g gtx780 -- "$python" "$HERE/numba_client.py"
