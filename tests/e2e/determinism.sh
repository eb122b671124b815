# A run is a function of program, input and configuration alone: same bits for 1, 2 and 4 host
# threads, twice.
. "$HERE/lib.sh"
for w in "gtx480 bfs" "gtx480 hotspot" "gtx480 reduction" "v100 bfs"; do
    for threads in 1 2 4 1 2 4; do
        run 0 run --json --threads $threads --size small -g "${w% *}" "${w#* }"
        python3 - >>"$w.sums" <<'P' || fail "$w: no JSON"
import hashlib, json
j = json.load(open('out'))
text = json.dumps([j['activity'], [(l['kernel'], l['cycles'], l['activity']) for l in j['launches']]], sort_keys=True)
print(hashlib.sha256(text.encode()).hexdigest())
P
    done
    [ "$(sort -u "$w.sums" | wc -l)" = 1 ] || { fail "$w: counts depend on host threads"; cat "$w.sums"; }
    [ "$(wc -l <"$w.sums")" = 6 ] || fail "$w: not all six runs ended"
done
finish
