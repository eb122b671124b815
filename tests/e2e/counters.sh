# Each technique and each GPU counts on three kernels what is stored of it (tests/e2e/counters, written by
# `tools/counters --write`).
. "$HERE/lib.sh"
"$HERE/../../tools/counters" "$(dirname "$WARPWATT")" >said 2>&1 || { cat said; fail "counters differ"; }
says said '^[0-9]{4,} counters of [0-9]{2,} cases compared, 0 differ'
finish
