# Triton compiles to machine code with the ptxas that its wheel brings, and the driver takes that.
. "$HERE/lib.sh"
needs numpy torch triton
command -v cc >/dev/null || { echo "skipped: Triton needs a C compiler"; exit 77; }
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
# cp.async and mma on an a100, wgmma on an h100
for gpu in ${WARPWATT_TORCH_GPU:-v100 a100 h100}; do
    TORCHINDUCTOR_CACHE_DIR=$folder/inductor TRITON_CACHE_DIR=$folder/triton "$WARPWATT" run -q --no-power --functional -g "$gpu" -- "$python" "$HERE/triton_client.py" || exit 1
done
