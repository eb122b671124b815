# Helpers of the end-to-end tests. A script sources this, calls the checks and ends with `finish`.
set -u
rm -rf "$TMP"; mkdir -p "$TMP"; cd "$TMP" || exit 2
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# run CODE ARGS...: runs the command, wants that exit code, leaves out and err
run() {
    want=$1; shift
    "$WARPWATT" "$@" >out 2>err; got=$?
    [ "$got" = "$want" ] || { fail "warpwatt $*: exit code $got, wanted $want"; head -5 out err; }
}
says() { grep -qE -- "$2" "$1" || { fail "$1 lacks: $2"; head -10 "$1"; }; }
lacks() { if grep -qE -- "$2" "$1"; then fail "$1 has: $2"; fi; }
# one_sentence FILE: an error is one message (with at most a source line, a caret and notes)
one_sentence() { n=$(grep -cE 'error:|^warpwatt:' "$1"); [ "$n" = 1 ] || { fail "$1 has $n messages"; cat "$1"; }; }
finish() { [ "$failures" = 0 ] || exit 1; echo "all as wanted"; exit 0; }
