# What is said of the sizes is what runs: workloads/measured/settled.csv is of the arguments that the workloads have,
# the READMEs say what it says, sizes run again have the thread instructions that it has, and the tool
# itself measures, judges and writes.
. "$HERE/lib.sh"
ROOT=$(cd "$HERE/../.." && pwd)
cp -r "$ROOT/workloads" . && mkdir tools && cp "$ROOT/tools/settled" tools/

# all are there, at three sizes, with the arguments of workload.yaml
for yaml in workloads/*/workload.yaml; do
    name=${yaml%/workload.yaml}; name=${name#workloads/}
    for size in small paper twice; do
        args=$(sed -n "s/^  $size: {args: \[\(.*\)\], note: .*/\1/p" "$yaml" | tr -d ,)
        grep -qF "$name,$size,$args," workloads/measured/settled.csv || fail "settled.csv has no $name $size $args: run tools/settled -w $name"
    done
done
# verdicts hold by the numbers beside them; paper sizes lie in their range, or their README says why not
awk -F, 'NR == 1 { next }
    $2 == "paper" && ($4 < 50e6 || $4 > 1e9) { print $1 }
    $2 == "twice" {
        settled = 1
        for (k = 18; k <= 23; k++) if ($k >= 5 || $k <= -5) settled = 0
        if ((settled ? "settled" : "not settled") != $24) { print $1 ": " $24 > "wrong" }
        if (!settled) print $1
    }' workloads/measured/settled.csv | sort -u >exceptions
[ ! -s wrong ] || fail "verdicts: $(cat wrong)"
for name in $(cat exceptions); do
    says "workloads/README.md" "^- .*\<$name\>"
done
# the READMEs' sections are those that the table makes
(sh tools/settled -r) || fail "tools/settled -r"
for readme in workloads/*/README.md; do
    [ -f "${readme%README.md}workload.yaml" ] || continue
    cmp -s "$readme" "$ROOT/$readme" || fail "$readme does not say what settled.csv says: tools/settled -r"
    says "$readme" '^On gtx480 `small` \('
done

# what runs has as many thread instructions, to the digits that are shown
same() { # NAME SIZE
    mode=--functional
    # its blocks race for vertices, and who wins decides how much is done: in the table's order, the timed one
    [ "$1" = BFSlevels ] && mode=--no-power
    run 0 run -q --json "$mode" --no-progress --size "$2" "$1"
    n=$(sed -n 's/.*"thread_instructions": *\([0-9]*\).*/\1/p' out | head -1)
    told=$(awk -F, -v name="$1" -v size="$2" '$1 == name && $2 == size { print $4 }' workloads/measured/settled.csv)
    awk -v n="${n:-0}" -v told="${told:-0}" 'BEGIN { exit !(told > 0 && n / told < 1.03 && n / told > 0.97) }' ||
        fail "$1 $2: $n thread instructions, settled.csv has $told: run tools/settled -w $1"
}
for name in $(cut -d, -f1 workloads/measured/settled.csv | sort -u | grep -v '^workload$'); do same "$name" small; done
for name in hotspot vectorAdd nn matrixMul; do same "$name" paper; same "$name" twice; done

# the listing and the pages have them
run 0 workloads
cp out listing
awk -F, 'NR > 1 && $2 != "twice" {
    m = sprintf($4 < 1e3 ? "%.4g" : $4 < 1e4 ? "%.1f k" : $4 < 1e6 ? "%.0f k" : $4 < 1e7 ? "%.1f M" : "%.0f M", $4 / ($4 < 1e3 ? 1 : $4 < 1e6 ? 1e3 : 1e6))
    told[$1, $2] = m
    if ($2 == "paper") print "^" $1 " .* " told[$1, "small"] " +" m " "
}' workloads/measured/settled.csv | sed 's/b+tree/b[+]tree/' >told
[ "$(wc -l <told)" -ge 50 ] || fail "the table lacks workloads"
while read -r pattern; do says listing "$pattern"; done <told
run 0 workloads lud
says out '--size paper .*thread instructions: 255 M'

# the tool measures and writes: rows and a section that were not right are again
sed -i 's/^gaussian,small,24,[0-9]*/gaussian,small,24,1/' workloads/measured/settled.csv
sed -i 's/paper: {args: \[[0-9]*\]/paper: {args: [32]/; s/twice: {args: \[[0-9]*\]/twice: {args: [40]/' workloads/gaussian/workload.yaml
cat >fake <<'END'
#!/bin/sh
# the real one, but of our yaml: sizes become arguments
for size; do :; done
set -- "$@"
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2; shift ;;
    --size) size=$2; shift ;;
    esac
    shift
done
case $size in small) n=24 ;; paper) n=32 ;; twice) n=40 ;; esac
exec "$WARPWATT" run -q --no-progress --no-power -g gtx480 -o "$out" gaussian $n
END
chmod +x fake
sh tools/settled -b ./fake -w gaussian >table || fail "tools/settled"
says table '^gaussian +paper .* 8[0-9. ]+'
says table '^1 workloads, 1 not settled$' # so small a matrix has not
says workloads/measured/settled.csv '^gaussian,small,24,39[0-9]{4},'
says workloads/gaussian/README.md '`twice` \(40\)'
[ "$(grep -c '^gaussian,' workloads/measured/settled.csv)" = 3 ] || fail "gaussian has other than three rows"
if sh tools/settled -b ./fake nosuch >out 2>err; then fail "a workload that is not there"; fi
says err 'there is no workloads/nosuch'
finish
