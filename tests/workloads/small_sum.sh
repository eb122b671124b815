# All workloads at their small size, timed, on gtx480 (the GPU that the driver library has when
# nothing is said): together no more than 60 s on two cores, that is 120 s of processor time, which
# other work on the machine hardly changes. Prints what each took.
#   small_sum.sh FOLDER      the build's folder of workloads; LD_LIBRARY_PATH has libcuda.so.1
limit=120
clock=$(mktemp) && trap 'rm -f "$clock"' EXIT
spent() { # by all children so far, user and system; `times` must run in this very shell
    times >"$clock"
    now=$(awk 'NR == 2 {
        for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] }
        printf "%.2f\n", s
    }' "$clock")
}
spent
before=$now count=0 failed=0
for yaml in "$1"/*/workload.yaml; do
    folder=${yaml%/workload.yaml}
    name=${folder##*/}
    [ -f "$folder/$name.ptx" ] || continue # for later GPUs only
    "$folder/$name" small >/dev/null || { echo "$name failed"; failed=1; }
    spent
    echo "$name $before $now" | awk '{ printf "%-22s %6.2f s\n", $1, $3 - $2 }'
    before=$now count=$((count + 1))
done
echo "$count workloads: $now s of $limit s"
[ "$count" -gt 0 ] || { echo "no workloads in $1"; exit 1; }
[ "$failed" = 0 ] && awk -v s="$now" -v limit="$limit" 'BEGIN { exit !(s > 0 && s <= limit) }'
