# What a user of OpenCL meets on the command line: the account, other GPUs, a compiler that is not there.
# usage: command.sh PROGRAM
set -eu
fail() { echo "$1" >&2; exit 1; }
if [ ! -x "${CLANG:-}" ] || [ ! -r "${LIBCLC:-}" ]; then
    echo "skipped: OpenCL C needs clang 14 and libclc (Debian: clang-14, libclc-14)"
    exit 77
fi
mkdir -p "$TMP/command"
cd "$TMP/command"

# The account names the kernels, and copies and launches are in order.
"$WARPWATT" run --no-progress -g v100 -- "$1" >out 2>&1
grep -q '^right' out || fail "the program is wrong"
for kernel in add sum; do grep -Eq "^ *$kernel +1 " out || fail "no row for kernel $kernel"; done

# The oldest and the newest GPU, with time and without; results are the same.
for gpu in gtx480 h100; do "$WARPWATT" run -q --no-progress -g $gpu -- "$1" | grep -q '^right' || fail "wrong on $gpu"; done
"$WARPWATT" run -q --no-progress --functional -- "$1" >functional || fail "wrong without time"
grep -q '^right' functional || fail "wrong without time"

# A missing compiler is one sentence, which says what to install.
if WARPWATT_OPENCL_CLANG=/nowhere/clang "$WARPWATT" run -q --no-progress -g v100 -- "$1" >no_clang 2>no_clang.err; then
    fail "it built without a compiler"
fi
grep -q 'is not at `/nowhere/clang`: install the Debian packages clang-14 and libclc-14' no_clang no_clang.err || fail "no sentence says that clang is missing"
if WARPWATT_OPENCL_LIBCLC=/nowhere/x.bc "$WARPWATT" run -q --no-progress -g v100 -- "$1" >no_libclc 2>&1; then fail "it built without libclc"; fi
grep -q 'is not at `/nowhere/x.bc`' no_libclc || fail "no sentence says that libclc is missing"

# doctor says what runs a program of OpenCL, and what of it is missing.
"$WARPWATT" doctor -g v100 -- "$1" >doctor || fail "doctor misses something that is there"
for part in loader platform 'clang 14' libclc 'built-in functions'; do grep -q "^  opencl    $part /" doctor || fail "doctor does not name: $part"; done
if WARPWATT_OPENCL_CLANG=/nowhere/clang "$WARPWATT" doctor -g v100 -- "$1" >doctor; then fail "doctor does not miss clang"; fi
grep -q '^  missing   OpenCL: clang 14 is not at `/nowhere/clang`: install the Debian package clang-14' doctor || fail "doctor does not say what to install"
