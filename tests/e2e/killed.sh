# A run that is killed at any moment leaves no file half-written: each is whole, or of before, or not there. The
# record has every launch that had ended, and `report` makes the page of it.
. "$HERE/lib.sh"
run 0 run -q -o first --trace first/trace.json.gz hotspot
cp -r first second
cat >whole.py <<'P'
import csv, glob, gzip, json, sqlite3, sys
folder, full = sys.argv[1:3]
ends = {'.html': '</html>\n', '.xml': '</activity>\n', '.yaml': open(full + '/gpu.yaml').read()[-80:]}
for path in glob.glob(folder + '/*') + glob.glob(folder + '/partial/*'):
    if path == folder + '/partial': continue
    kind = path[path.rindex('.'):]
    if kind.startswith('.tmp') or kind == '.trace': continue  # not under its name yet
    if '/partial/' in path and kind == '.jsonl' and not open(path).read().endswith('\n'): continue  # cut off in a line
    if kind == '.json': json.load(open(path))
    elif kind == '.jsonl':
        for line in open(path): json.loads(line)
        assert line.endswith('\n'), path
    elif kind == '.gz': json.load(gzip.open(path))
    elif kind == '.csv':
        assert open(path).read().endswith('\n'), path
        rows = list(csv.reader(open(path)))
        assert len(rows) > 1 and all(len(r) == len(rows[0]) for r in rows), path
    elif kind == '.sqlite':
        db = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
        assert db.execute('pragma integrity_check').fetchone()[0] == 'ok' and db.execute('select count(*) from run').fetchone()[0] == 1, path
        assert db.execute('select count(*) from instructions').fetchone()[0] > 10, path
    elif kind in ends: assert open(path).read().rstrip('\n').endswith(ends[kind].rstrip('\n')), path
    else: raise SystemExit('no check for ' + path)
P
python3 whole.py first first || fail "a run that was not killed"
head -c 5000 first/run.json >half.json
mkdir half && cp half.json half/run.json && cp first/gpu.yaml half && python3 whole.py half first 2>/dev/null && fail "half a file passes"
# while each of these is written, and at some moments before
kill_at() { # TARGET FILE|SECONDS
    "$WARPWATT" run -q -o $1 --trace $1/trace.json.gz hotspot >out 2>err &
    pid=$!
    case $2 in
    0.*) sleep $2 ;;
    *) while [ ! -e $1/partial/$2.tmp ] && kill -0 $pid 2>/dev/null; do :; done ;;
    esac
    [ -e $1/partial/$2.tmp ] && caught=$((caught + 1))
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ -d $1 ] || return
    sleep 0.02 # the program sees that its parent is gone
    python3 whole.py $1 first || fail "$1 killed at $2"
}
caught=0
for at in 0.02 0.1 run.json activity.csv results.sqlite activity.xml; do
    rm -rf fresh
    kill_at fresh $at
    kill_at second $at
done
echo "killed while a file was written: $caught times"
[ -s second/index.html ] && [ -s second/results.sqlite ] || fail "files of before are gone"
if [ -s fresh/partial/record.jsonl ]; then
    "$WARPWATT" report fresh >out 2>err || { [ -e fresh/partial/gpu.yaml ] && fail "no report of a killed run"; }
fi
# what a killed run leaves of its timeline goes with the next run into that directory
mkdir -p left/partial
: >left/partial/record.jsonl.trace
run 0 run -q -o left hotspot
[ -e left/partial ] && fail "the timeline of a killed run is still there"
finish
