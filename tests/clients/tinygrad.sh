# tinygrad's CUDA device with its own PTX renderer, so that no compiler of the vendor's is needed.
. "$HERE/lib.sh"
needs numpy tinygrad
exec "$WARPWATT" run -q --no-power -g gtx780 -- env CACHELEVEL=0 DEV=CUDA:PTX "$python" "$HERE/tinygrad_client.py"
