# Numba's CUDA target: its compiler makes PTX through NVVM (package cuda-toolkit[nvvm] or a toolkit).
. "$HERE/lib.sh"
needs numpy numba numba.cuda
"$python" -c 'from numba.cuda.cudadrv.nvvm import NVVM; NVVM()' >/dev/null 2>&1 || { echo "skipped: Numba finds no NVVM"; exit 77; }
exec "$WARPWATT" run -q --no-power -g gtx780 -- "$python" "$HERE/numba_client.py"
