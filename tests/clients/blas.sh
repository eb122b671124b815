# cuBLAS of our own against OpenBLAS by way of SciPy, the same arguments for both.
. "$HERE/lib.sh"
needs numpy scipy
"$WARPWATT" run -q --functional --no-power -g v100 -s sm_count=4 -- "$python" "$HERE/blas_client.py" "$@"
