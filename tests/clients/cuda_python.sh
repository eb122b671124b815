# cuda-python: cuda.core compiles with the installed NVRTC to machine code for the device it finds, and launches it.
. "$HERE/lib.sh"
needs numpy cuda.core
exec "$WARPWATT" run -q --no-power -g v100 -- "$python" "$HERE/cuda_python_client.py"
