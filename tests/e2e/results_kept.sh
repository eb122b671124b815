# The folder of `run -o`: one writer; whole or of before, whatever is killed when or finds no room; a killed run is
# reported up to where it stopped; and files that were changed, cut short or mixed are refused, never shown.
. "$HERE/lib.sh"
run 0 run -q -o a hotspot
run 0 run -q -o other -g gtx580 hotspot
[ -e a/partial ] && fail "partial stays after a run"
run 0 report a
fresh() { rm -rf "$1"; cp -r a "$1"; }
refuses() { # FOLDER SENTENCE: exit code 2, one error, and no page
    rm -f "$1/index.html"
    run 2 report "$1"
    says err "$2"
    n=$(grep -cE '(error|warpwatt):' err); [ "$n" = 1 ] || { fail "$1 has $n messages"; cat err; }
    [ -e "$1/index.html" ] && fail "$1: refused, and a page"
}
# a GPU file that was changed beside its record, or is another run's
fresh x; sed -i 's/^  l1d:/  l1d: # changed/' x/gpu.yaml; refuses x 'gpu.yaml is not the GPU file of the run'
fresh x; cp other/gpu.yaml x; refuses x 'gpu.yaml is not the GPU file of the run'
# every digit of a record counts: one changed in each of its lines
lines=$(wc -l <a/record.jsonl)
at=1
while [ $at -le "$lines" ]; do
    fresh x
    python3 - x/record.jsonl $at <<'P'
import re, sys
lines = open(sys.argv[1]).read().split('\n')
at = int(sys.argv[2]) - 1
spots = [m.start() for m in re.finditer(r'[0-9]', lines[at])]
i = spots[len(spots) // 2]
lines[at] = lines[at][:i] + str((int(lines[at][i]) + 1) % 10) + lines[at][i + 1:]
open(sys.argv[1], 'w').write('\n'.join(lines))
P
    refuses x "record.jsonl:$at:1: .*does not fit its checksum"
    at=$((at + 1))
done
# the checksum is what docs/results.md says, by another program
python3 - <<'P' || fail "checksums of the record"
import json
total = 14695981039346656037
for line in open('a/record.jsonl', 'rb'):
    at = line.rindex(b',"sum":')
    for i, c in enumerate(line):
        if i == at: assert json.loads(line)['sum'] == '%016x' % total
        total = (total ^ c) * 1099511628211 % 2 ** 64
assert json.load(open('a/run.json'))['record'] == '%016x' % total == json.load(open('a/files.json'))['record']
P
# a line that is missing; a record that is cut short anywhere
fresh x; sed -i 3d x/record.jsonl; refuses x 'record.jsonl:3:1: .*does not fit its checksum'
size=$(wc -c <a/record.jsonl)
for keep in $((size - 1)) $((size - 40)) $((size - 300)) $((size / 2)); do
    fresh x; head -c "$keep" a/record.jsonl >x/record.jsonl
    rm -f x/index.html; run 2 report x; says err 'record.jsonl is cut short'; [ -e x/index.html ] && fail "a page of a cut record"
done
fresh x; head -n -1 a/record.jsonl >x/record.jsonl; refuses x 'record.jsonl is cut short'
# parts of another run: the record, or any result
fresh x; cp other/record.jsonl x; refuses x 'gpu.yaml is not the GPU file of the run'
fresh x; cp other/record.jsonl other/gpu.yaml x; refuses x 'files.json is not of the run'
for f in run.json power.json power.csv activity.csv activity.xml instructions.csv intervals.csv power-intervals.csv steps.csv; do
    fresh x; cp other/$f x; refuses x "x/$f is not of the run whose record lies beside it"
done
fresh x; sed -i '0,/"cycles": [0-9]/s/"cycles": [0-9]/"cycles": 11/' x/run.json; refuses x 'x/run.json is not of the run'
# what may change does: a table that a person adds to the database, a page that is gone
fresh x; python3 -c "import sqlite3; d = sqlite3.connect('x/results.sqlite'); d.execute('create table mine(a)'); d.commit()"
rm x/index.html; run 0 report x; [ -s x/index.html ] || fail "no page"
# a run of less leaves nothing of a run of more
fresh x; run 0 run -q -o x --functional bfs
[ -e x/power.json ] && fail "power of the run before stays"
run 0 report x

# with --record too, the record lies at both places
run 0 run -q -o both --record kept.jsonl vectorAdd; cmp both/record.jsonl kept.jsonl || fail "--record beside -o"

# ---- two at once ----
"$WARPWATT" run -q -o busy --size paper mergeSort >/dev/null 2>&1 &
first=$!
for _ in $(seq 200); do [ -s busy/partial/unfinished.json ] && break; sleep 0.05; done
run 2 run -o busy hotspot
says err "process $first writes a run into busy"; one_sentence err
# ... of which can be seen what there is
for _ in $(seq 600); do grep -q '"type":"launch"' busy/partial/record.jsonl 2>/dev/null && break; sleep 0.1; done
run 0 report busy; says err "the run goes on \(process $first\)"
kill -KILL $first; wait $first 2>/dev/null
sleep 1
# ---- killed ----
run 0 report busy
says err "the run \(process $first\) was killed: it stopped after [0-9]+ launch(es)?; the last that had ended is [A-Za-z]+"
says busy/index.html '"unfinished":"the run \(process'
launches=$(grep -c '"type":"launch"' busy/partial/record.jsonl)
says err "after $launches launch"
run 0 report --json busy
python3 -c "
import json
v = json.load(open('out'))
assert not v['complete'] and sum(k['launches'] for k in v['kernels']) == $launches and v['run']['name'] == 'mergeSort', v['run']" || fail "the content of a killed run"
# a later run into the folder, killed too, leaves what is whole as it was
fresh y
"$WARPWATT" run -q -o y --size paper mergeSort >/dev/null 2>&1 &
first=$!
for _ in $(seq 600); do grep -q '"type":"launch"' y/partial/record.jsonl 2>/dev/null && break; sleep 0.1; done
kill -KILL $first; wait $first 2>/dev/null
sleep 1
for f in a/*; do cmp -s "$f" "y/${f#a/}" || fail "a killed run changed $f"; done
run 0 report y; says err 'a later one left y/partial'; says y/index.html '"complete":true'
run 0 report y/partial; says err 'was killed'
run 0 run -q -o y -g gtx580 hotspot; [ -e y/partial ] && fail "partial stays"
run 0 report y; lacks err .
# killed between the first and the last file that is put in place: the next that comes goes on with it
fresh z; mkdir z/partial; cp other/* z/partial; echo '{"pid":1,"format":1,"run":null}' >z/partial/unfinished.json
mv z/partial/run.json z; mv z/partial/activity.csv z
run 0 report z; [ -e z/partial ] && fail "the moving was not ended"
cmp -s z/record.jsonl other/record.jsonl || fail "z is not what the later run left"

# ---- no room ----
fresh full
(ulimit -f 256; exec "$WARPWATT" run -q -o full hotspot) >out 2>err; got=$?
[ $got = 2 ] || fail "a limit of file sizes: exit code $got"
says err 'error: .*File too large'; lacks err SIG
for f in a/*; do cmp -s "$f" "full/${f#a/}" || fail "a run without room changed $f"; done
if unshare -rm true 2>/dev/null; then
    cat >small.sh <<'E2'
mount -t tmpfs -o size=${1}k none disk && "$WARPWATT" run -q -o disk/full hotspot >out 2>err
echo $? >code; ls disk/full >there; "$WARPWATT" report disk/full >report.out 2>report.err; echo $? >>code
E2
    mkdir -p disk
    for size in 8 200 900; do
        unshare -rm env WARPWATT="$WARPWATT" sh small.sh $size
        [ "$(head -1 code)" = 2 ] || { fail "a disk of $size kB: exit code $(head -1 code)"; cat err; }
        says err 'No space left|disk is full'; one_sentence err
        grep -qx run.json there && fail "a disk of $size kB: half a folder"
    done
else
    echo "no mount of a small disk here: only the limit of file sizes was tried"
fi
finish
