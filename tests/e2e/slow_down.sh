# Techniques slow the simulator by so much at most: host instructions of a whole run over those of the run with
# the two-level scheduler alone. Instructions do not depend on what else the machine does. The limits are what clear code may cost
# (docs/performance.md has what was measured). They count instructions only: some have been taken on to be rid of branches
# that the host mispredicts.
. "$HERE/lib.sh"
command -v valgrind >/dev/null || { echo "skipped: no valgrind (tools/setup test installs it)"; exit 77; }
ldd "$(dirname "$WARPWATT")/libcuda.so.1" | grep -q asan && { echo "skipped: sanitizers and valgrind do not go together"; exit 77; }
instructions() { # of the program, the process that executes most
    valgrind --tool=cachegrind --cache-sim=no --trace-children=yes --cachegrind-out-file=/dev/null \
        "$WARPWATT" run -q --no-power --no-progress -g gtx480-micro46 -p "$1" "$2" 2>&1 >/dev/null |
        sed -n 's/.*I *refs: *//p' | tr -d , | sort -n | tail -1
}
# bfs has no floating point: what waits for the other type must not be asked in every cycle.
hold() { # workload technique:limit...
    w=$1
    shift
    base=$(instructions two-level "$w")
    [ "${base:-0}" -gt 50000000 ] || fail "$w: ${base:-no} instructions counted"
    for limit; do
        n=$(instructions "${limit%:*}" "$w")
        [ "${n:-0}" -gt 50000000 ] || { fail "$w: ${n:-no} instructions counted with ${limit%:*}"; continue; }
        echo "$w ${limit%:*}: $((n * 100 / base)) % of two-level's"
        [ $((n * 100)) -le $((base * ${limit#*:})) ] ||
            fail "$w: ${limit%:*} takes $((n * 100 / base)) % of two-level's host instructions, at most ${limit#*:}"
    done
}
hold hotspot conv-pg:120 gates:120 warped-gates:121 meters:123 lane-meter:140 lane-pg:140 warp-folding:140 \
    origami:140
hold bfs warped-gates:120 origami-scheduler:142
finish
