# What a person at a terminal sees: the progress line, and that it goes away. The terminal is util-linux' script(1).
. "$HERE/lib.sh"
command -v script >/dev/null || { echo "skipped: no script(1)"; exit 77; }
# on_terminal NAME COMMAND: runs it with a terminal of 100 columns and leaves what was drawn in NAME
on_terminal() { script -qec "stty cols 100 2>/dev/null; $2" /dev/null >"$1" 2>&1 </dev/null || fail "$2: exit code $?"; }
# lines NAME: what was drawn, one redrawing a line (each begins with a return and an erasure)
lines() { tr '\r' '\n' <"$1" | sed 's/\x1b\[K//g'; }
# gone NAME: no line is longer than the terminal is wide, and each is erased before anything else is written
gone() {
    tr '\r' '\n' <"$1" | sed 's/\x1b\[K//g' | awk 'length($0) > 99 && /^\[[#.]+\]/ { bad = 1 } END { exit bad }' || fail "$1: a line is too long"
    tr '\r' '\n' <"$1" | awk '/\[[#.]+\]/ && !/^\033\[K\[/ { bad = 1 } was && !/^\033\[K/ { bad = 1 } { was = /\[[#.]+\]/ } END { exit bad }' ||
        fail "$1: a progress line was not erased"
}
on_terminal workload "$WARPWATT run --no-power --size bench hotspot"
lines workload >drawn
says drawn '^\[[#.]+\] +[0-9]+ %(, [0-9.]+ [a-z]+ left( of this launch)?)?  [A-Za-z_:]+ #[0-9]+  [0-9]+ of [0-9]+ CTAs, [0-9.e+]+ us, [0-9.]+ M warp inst/s'
gone workload
says drawn 'kernels'
# of a workload whose instructions were counted before, the share and the time left are the program's: over its launches
# the share grows; of other programs they are the launch's, and the line says so
on_terminal whole "$WARPWATT run --no-power --size paper bfs"
lines whole | grep -E '^\[[#.]+\] .*%' >drawn
lacks drawn 'of this launch'
awk '{ sub(/%.*/, ""); n = $NF + 0; if (n < last) bad = 1; last = n } END { exit bad || last < 50 }' drawn || fail "the program's share goes back, or ends early"
[ "$(sed -E 's/.*#([0-9]+) .*/\1/' drawn | sort -u | wc -l)" -gt 1 ] || fail "one launch alone was drawn"
on_terminal each "$WARPWATT run --no-power -- ${WARPWATT%/*}/workloads/hotspot/hotspot bench"
lines each >drawn; says drawn ' left of this launch'
on_terminal quiet "$WARPWATT run --no-power --no-progress --size bench hotspot"
lacks quiet '\[[#.]+\]'
# a program keeps its standard output, and the line goes to standard error
on_terminal program "$WARPWATT run --no-power -- ${WARPWATT%/*}/workloads/hotspot/hotspot paper"
lines program >drawn; says drawn '^\[[#.]+\] +[0-9]+ %.*CTAs'; gone program
on_terminal all "$WARPWATT run --all --size small -j 2 --db $TMP/kept.db"
lines all >drawn
says drawn '^\[[#.]+\] +[0-9]+ %  [0-9]+ of [0-9]+'; says drawn ' left'
# not a terminal: nothing
run 0 run --no-power --size bench hotspot; lacks err '\[[#.]+\]'
finish
