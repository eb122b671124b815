# CuPy 13 and 14 (cupy-cuda12x or another): its modules have a static runtime each. It compiles its kernels by an installed NVRTC.
. "$HERE/lib.sh"
needs numpy cupy cupy_backends.cuda.libs.nvrtc
CUPY_CACHE_DIR=$(mktemp -d) || exit 99
export CUPY_CACHE_DIR
trap 'rm -rf "$CUPY_CACHE_DIR"' EXIT
"$WARPWATT" run -q --functional -g v100 -- "$python" "$HERE/cupy_client.py"
