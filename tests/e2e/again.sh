# What a run was stands in its record, run.json, database and page, and `run --again DIR` makes it again: the same
# cycles, counters and joules. What is another today is said, or refused.
. "$HERE/lib.sh"
same() { # FOLDER FOLDER: the same cycles, counters and joules
    python3 - "$1" "$2" <<'P' || fail "$2 is not as $1"
import json, sys
def of(folder):
    r = json.load(open(folder + '/run.json'))
    try: j = json.load(open(folder + '/power.json'))
    except FileNotFoundError: j = None
    return r['summary']['cycles'], r['summary']['warp_instructions'], r['activity'], [l['kernel'] for l in r['launches']], \
        r.get('savings'), j and (j['run'], j['components']), r['run']['techniques'], r['run']['technique_options']
a, b = of(sys.argv[1]), of(sys.argv[2])
assert a == b, [(x, y) for x, y in zip(a, b) if x != y][:1]
P
}
again() { # NAME ARGS...: a run, and the same from its folder, asked for from elsewhere
    name=$1; shift
    run 0 run -q -o "$name" "$@"
    (cd / && "$WARPWATT" run -q -o "$TMP/$name-again" --again "$TMP/$name") >out 2>err || { fail "$name again"; cat err; }
    lacks err note:
    same "$name" "$name-again"
}
again plain hotspot
# a program that was called by a relative name finds its files from the folder of that run too
(cd "${WARPWATT%/*}" && ./warpwatt run -q -o "$TMP/plain-relative" --again "$TMP/plain") >out 2>err || { fail "a relative name"; cat err; }
lacks err note:
same plain plain-relative
again technique -g gtx480-micro46 -p warped-gates bfs
again options -g gtx480 -p conv-pg -s savings.idle_detect=9 -s sm.l1d.bytes=49152 -s sm.l1d.ways=6 --scheduler gto hotspot
again two -g gtx480-micro46 -p warped-gates+warped-register-file --toggle vectorAdd
again slower -s core.clock_mhz=560 -s core.vdd=0.9 vectorAdd
again functional --functional bfs
again size -g gtx480 --size paper vectorAdd
again arguments matrixMul 128 128 128 1 0
again checked --check sync,leaks vectorAdd
cp "$HERE/ptx/saxpy.ptx" mine.ptx
again kernel mine.ptx --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1' --arg u32=1000 --repeat 3
program="${WARPWATT%/*}/cudart_registered_13"
[ -x "$program" ] || program="${WARPWATT%/*}/tests/cudart/cudart_registered_13"
CUDA_MINE=1 again program -g gtx480 --lenient --env CHOSEN=yes -- "$program"
cat >says.sh <<'E2'
echo "$CHOSEN $CUDA_MINE $1 $(pwd)" >&2
exec "$2"
E2
CUDA_MINE=2 run 0 run -q -o words -g gtx480 --lenient --env CHOSEN=yes -- sh says.sh 'a word' "$program"
says err "^yes 2 a word $TMP"
(cd / && env -u CHOSEN -u CUDA_MINE "$WARPWATT" run -q --again "$TMP/words") >out 2>err || fail "words again"
says err "^yes 2 a word $TMP"
# a technique leaves its name, its options and its savings in every form
python3 - <<'P' || fail "a technique's traces"
import json, sqlite3
r = json.load(open('technique/run.json'))
assert r['format'] == 1 and r['run']['techniques'] == 'warped-gates' and r['run']['technique_options']['break_even'] == 14
assert 'coordinated-blackout' in r['run']['mechanisms'] and r['run']['version'] and r['run']['words'][:2] == ['--gpu', 'gtx480-micro46']
units = r['savings']['units']
assert units
db = sqlite3.connect('technique/results.sqlite')
how = dict(db.execute('select key, value from how'))
assert how['techniques'] == 'warped-gates' and json.loads(how['technique_options'])['break_even'] == 14
for unit, measures in units.items():
    for key, v in measures.items():
        assert db.execute('select value from savings where unit = ? and measure = ?', (unit, key)).fetchone()[0] == v
page = open('technique/index.html').read()
assert '"techniques":"warped-gates"' in page and '"savings":{' in page
assert json.loads(open('technique/record.jsonl').readline())['run'] == r['run']
P
# the page that `report` makes later has the same of it
run 0 report --json technique
python3 -c "
import json
v, r = json.load(open('out')), json.load(open('technique/run.json'))
assert v['run'] == r['run'] and v['savings'] == r['savings']" || fail "report's content"
# what is another today is said, or refused
sed 's/^/ /' "$HERE/ptx/saxpy.ptx" >mine.ptx
run 0 run -q -o changed --again kernel; says err "note: the program's file is not what it was for the run in kernel"
run 2 run --again plain -s sm.scheduler=gto; says err 'would make it another run'; one_sentence err
run 2 run --again plain bfs; says err 'takes no words beside'
run 2 run --again nowhere; one_sentence err
mkdir gpus; cp plain/gpu.yaml gpus/own.yaml
run 0 run -q -o own -g gpus/own.yaml vectorAdd
cp slower/gpu.yaml gpus/own.yaml
run 0 run -q -o own-again --again own; says err 'own.yaml gives another machine today'; same own own-again
sed 's/name: idle_detect, value: 5/name: idle_detect, value: 7/' "$HERE/../../savings/warped-gates.yaml" >mine.yaml
run 0 run -q -o tuned -g gtx480-micro46 -p mine.yaml vectorAdd
cp "$HERE/../../savings/warped-gates.yaml" mine.yaml
run 2 run --again tuned; says err 'savings.idle_detect of its techniques is another today'; one_sentence err
# a run that was killed can be made again too
mkdir -p cut/partial; head -3 plain/record.jsonl >cut/partial/record.jsonl; cp plain/gpu.yaml cut/partial
run 0 run -q -o cut-again --again cut; same plain cut-again
finish
