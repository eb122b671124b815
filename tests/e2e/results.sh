# What a run leaves, held against docs/results.md: every table and column of results.sqlite is described,
# the page's queries run, the sums hold, and the JSON files are as their schemas say.
. "$HERE/lib.sh"
docs=$HERE/../../docs
printf 'seconds,watts\n0,20\n1e-5,30\n' >mine.csv
run 0 run -o plain --probe 1MHz hotspot
run 0 run -o technique -g gtx480-micro46 -p warped-gates bfs
run 0 run -o both -g gtx480-micro46 -p warped-gates+warped-register-file+power-aware-caches --toggle matrixMul 128 128 128 1 0
run 0 run -o functional --functional bfs
run 0 run -o folded "$HERE/ptx/saxpy.ptx" --grid 1 --block 64 --arg f32=2 --arg 'f32[64]=iota' --arg 'f32[64]=const:1' --arg u32=64 --repeat 300
run 4 run -o cut --max-cycles 3000 hotspot
run 0 run --json hotspot
cp out plain/printed.json
run 0 run --json --probe 1MHz --measured "$TMP/mine.csv" hotspot
cp out plain/probed.json
run 0 run --json -g gtx480-micro46 -p warped-gates hotspot
cp out technique/printed.json
# launches that are refused, and the same sentence many times
program="${WARPWATT%/*}/cudart_registered_13"
[ -x "$program" ] || program="${WARPWATT%/*}/tests/cudart/cudart_registered_13"
run 0 run -q -o refused -g gtx480 --lenient -- "$program"
python3 - "$docs" <<'P' || fail "files are not as docs/results.md says"
import json, re, sqlite3, sys
docs = sys.argv[1]
text = open(docs + '/results.md').read()
described = {'activity': set(re.findall(r'`(\w+)`', re.search(r'\| `activity\.csv` \| (`launch`.*)', text).group(1)))}
memory = re.findall(r'^\| `(\w+)` \| [\w ]+ \| ', text[text.index('| | unit |'):], re.M)
assert len(memory) == 9, memory
for line in text.splitlines():
    m = re.match(r'\| `(\w+)` \| (?!what it)', line)
    if m and line.count('|') == 4: described[m.group(1)] = set(re.findall(r'`(\w+)`', line))
for run in ('plain', 'technique', 'both', 'functional', 'folded', 'cut'):
    db = sqlite3.connect(run + '/results.sqlite')
    there = {}
    for (name,) in db.execute("select name from sqlite_master where type in ('table', 'view')"):
        there[name] = {c[1] for c in db.execute('pragma table_info(%s)' % name)}
    for name, columns in there.items():
        assert name in described, name
        assert columns <= described[name], (name, columns - described[name])
    assert set(there) == set(described) & set(there) - {'activity'} and len(there) >= 11, there
    for name in ('activity', 'intervals', 'instructions', 'steps', 'power', 'power-intervals', 'probe'):
        try: head = open('%s/%s.csv' % (run, name)).readline().strip().split(',')
        except FileNotFoundError: continue
        row = re.search(r'\| `%s\.csv` \| (`launch`.*|`step`.*|`time_s`.*|the same.*)' % name, text).group(1)
        told = set(re.findall(r'`(\w+)`', row)) | (described['activity'] if name == 'intervals' else set()) | set(memory)
        for column in head:
            assert column in told or column.startswith('stall_') or (name == 'power-intervals' and column.endswith('_w')) or (name == 'probe' and column[-2:] in ('_v', '_a')), (name, column)
    queries = re.findall(r'```sql\n(.*?)```', text, re.S)
    assert len(queries) == 3
    if run in ('plain', 'technique'):
        assert all(db.execute(q).fetchall() for q in queries)
    one = lambda q: db.execute(q).fetchone()[0] or 0
    total = one('select energy_j from run')
    launches = one('select sum(energy_j) from launches')
    parts = one('select sum(dynamic_j + static_j) from components where launch > 0')
    assert abs(launches - total) <= 1e-9 * total and abs(parts - total) <= 1e-9 * total, run
    if run != 'functional':
        lines = one('select sum(dynamic_j + static_j) from instructions') + one('select sum(idle_j) from idle')
        assert abs(lines - total) <= 1e-9 * total, (run, lines, total)
        assert one("select sum(value) from counters where counter = 'warp_instructions'") == one('select sum(issues) from instructions')
    if run == 'folded': assert one('select sum(launches) from launches') == 300
    if run == 'cut': assert one('select max(status) from launches') > 0
try:
    import jsonschema
except ImportError:
    print('python3-jsonschema is not there: schemas were not checked')
    sys.exit(0)
def check(schema, values):
    validator = jsonschema.Draft202012Validator(json.load(open('%s/schema/%s.schema.json' % (docs, schema))))
    for v in values:
        for e in validator.iter_errors(v):
            deepest = min(e.context or [e], key=lambda c: -len(c.absolute_path))
            raise SystemExit('%s: %s at %s' % (schema, deepest.message[:300], list(deepest.absolute_path)))
for run in ('plain', 'technique', 'both', 'functional', 'folded', 'cut'):
    check('run', [json.load(open(run + '/run.json'))])
    check('record', [json.loads(l) for l in open(run + '/record.jsonl')])
    if run != 'functional': check('power', [json.load(open(run + '/power.json'))])
check('run', [json.load(open('plain/probed.json')), json.load(open('plain/printed.json')), json.load(open('technique/printed.json'))])
check('run', [json.load(open('refused/run.json'))])
lines = [json.loads(l) for l in open('refused/record.jsonl')]
check('record', lines)
assert {l['type'] for l in lines} == {'run', 'launch', 'code', 'copy', 'error', 'end', 'seal'}, {l['type'] for l in lines}
for kind in ('run', 'printed'):  # docs/results.md promises it
    assert json.load(open('plain/%s.json' % kind))['format'] == 1
# the schemas can fail
broken = json.load(open('plain/run.json')); broken['summary']['cycles'] = 'many'
try: check('run', [broken])
except SystemExit: pass
else: raise SystemExit('a broken run.json passed')
P
finish
