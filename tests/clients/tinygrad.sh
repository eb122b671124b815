# tinygrad's CUDA device with its own PTX renderer, so that no compiler of the vendor's is needed.
. "$HERE/lib.sh"
needs numpy tinygrad
CACHELEVEL=0 exec "$WARPWATT" run -q --no-power -g gtx780 -- env CUDA=1 CUDA_PTX=1 PTX=1 "$python" "$HERE/tinygrad_client.py"
