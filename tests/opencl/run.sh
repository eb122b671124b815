# A program of OpenCL on a V100. usage: run.sh PROGRAM
set -eu
if [ ! -x "${CLANG:-}" ] || [ ! -r "${LIBCLC:-}" ]; then
    echo "skipped: OpenCL C needs clang 14 and libclc (Debian: clang-14, libclc-14)"
    exit 77
fi
exec "$WARPWATT" run -q --no-progress -g v100 -- "$1"
