# --trace: a timeline that a strict reader of the trace-event format takes: every launch, copy, host call and
# block stands in it once, spans of a track nest, power over time adds up to the kernels' energy. The same bytes
# on any number of host threads; only what was asked for; whole, or not there; bounded memory.
. "$HERE/lib.sh"
run 0 run -q --trace a.json.gz --record a.jsonl --json -g gtx480 bfs
cp out a.run.json
run 0 run -q -j 3 --trace b.json.gz -g gtx480 bfs
cat >reader.py <<'P'
import gzip, json, sys
def read(path):
    with gzip.open(path) as f: o = json.load(f)  # fails where the end is missing
    assert set(o) == {'displayTimeUnit', 'traceEvents'}
    spans, counters, names = [], [], {}
    for e in o['traceEvents']:
        assert e['ph'] in 'XCM' and isinstance(e['pid'], int) and isinstance(e['name'], str), e
        if e['ph'] == 'M':
            assert e['name'] in ('process_name', 'thread_name', 'process_sort_index'), e
            names[e['name'], e['pid'], e.get('tid')] = e['args']
            continue
        assert e['ts'] >= 0, e
        if e['ph'] == 'C':
            assert e['args'] and all(isinstance(v, (int, float)) for v in e['args'].values()), e
            counters.append(e)
        else:
            assert e['dur'] >= 0 and isinstance(e['tid'], int), e
            spans.append(e)
    tracks = {}
    for s in spans: tracks.setdefault((s['pid'], s['tid']), []).append(s)
    for track, list in tracks.items():
        assert ('process_name', track[0], None) in names, track
        open_until = []
        for s in sorted(list, key=lambda s: (s['ts'], -s['dur'])):
            end = round(1000 * (s['ts'] + s['dur']))
            while open_until and open_until[-1] <= round(1000 * s['ts']): open_until.pop()
            assert not open_until or end <= open_until[-1], ('spans overlap', track, s)
            open_until.append(end)
    return spans, counters, names
P
python3 - <<'P' || fail "the timeline is not as the record"
import gzip, json
from reader import read
spans, counters, names = read('a.json.gz')
record = [json.loads(l) for l in open('a.jsonl')]
launches, end = [l for l in record if l['type'] == 'launch'], [l for l in record if l['type'] == 'end'][0]
of = lambda cat: [s for s in spans if s['cat'] == cat]
assert [k['args']['launch'] for k in of('kernel')] == [l['id'] for l in launches]
for k, l in zip(of('kernel'), launches):
    assert k['name'] == l['kernel'] and k['args']['ctas'] == l['ctas']
    assert abs(k['ts'] - 1e6 * l['start_s']) < 2e-3 and abs(k['dur'] - 1e6 * l['seconds']) < 2e-3, (k, l)
blocks = {(s['args']['launch'], s['args']['cta']) for s in of('cta')}
assert len(blocks) == len(of('cta')) and blocks == {(l['id'], c) for l in launches for c in range(l['ctas'])}
inside = {k['args']['launch']: (k['ts'] - 2e-3, k['ts'] + k['dur'] + 2e-3) for k in of('kernel')}
for s in of('cta'):
    low, high = inside[s['args']['launch']]
    assert low <= s['ts'] and s['ts'] + s['dur'] <= high, s
assert len(of('copy')) == end['copies'] and sum(s['args']['bytes'] for s in of('copy') if 'copy' in s['name']) == end['copied_bytes']
assert len([s for s in of('host') if s['name'] == 'cuLaunchKernel']) == len(launches)
assert any(s['dur'] > 0 for s in of('host') if s['name'].startswith('cuMemcpyDtoH'))
assert names['process_name', 3, None]['name'] == 'SMs' and any(v.get('name') == 'SM 03 place 0' for v in names.values())
# power, integrated over the kernels, is their energy
power = sorted((c for c in counters if c['name'] == 'power (W)'), key=lambda c: c['ts'])
joules = 0
for k in of('kernel'):
    mine = [c for c in power if k['ts'] - 1e-3 <= c['ts'] <= k['ts'] + k['dur'] + 1e-3]
    for c, n in zip(mine, mine[1:]): joules += sum(c['args'].values()) * 1e-6 * (n['ts'] - c['ts'])
want = json.load(open('a.run.json'))['power']['kernels']['energy_j']
assert abs(joules / want - 1) < 2e-3, (joules, want)
shares = [c['args']['value'] for c in counters if c['name'] == 'issue slots used (%)']
assert max(shares) > 1 and all(0 <= v <= 100 for v in shares)
assert any(c['args']['value'] > 0 for c in counters if c['name'] == 'DRAM (GB/s)')
assert gzip.open('a.json.gz').read() == gzip.open('b.json.gz').read(), 'host threads change the timeline'
try:
    import shutil
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
    # the package fetches its program from the network; one that is installed will do
    tp = TraceProcessor(trace='a.json.gz', config=TraceProcessorConfig(bin_path=shutil.which('trace_processor_shell')))
except Exception as e:
    print('perfetto\'s trace processor is not there or does not start (%s): our own reader alone looked' % type(e).__name__)
else:
    count = lambda q: next(iter(tp.query(q))).n
    assert count("select count(*) as n from slice where category = 'cta'") == len(of('cta'))
    assert count("select count(*) as n from slice where category = 'kernel'") == len(launches)
    assert count("select value as n from stats where name = 'json_tokenizer_failure'") == 0
    tp.close()
P
# only a name that ends in .gz is compressed, and both hold the same
run 0 run -q --trace plain.json -g gtx480 bfs
python3 - <<'P' || fail "a timeline that is not compressed"
import gzip, json
assert open('plain.json', 'rb').read() == gzip.open('a.json.gz').read() and json.load(open('plain.json'))['traceEvents']
assert open('a.json.gz', 'rb').read(2) == b'\x1f\x8b'
P
# part of it: a window of time, kernels by name
run 0 run -q --trace part.json.gz --trace-from 60us --trace-to 0.08ms bfs
run 0 run -q --trace one.json.gz --trace-kernels 'Rows' convolutionSeparable
run 0 run -q --trace all.json.gz convolutionSeparable
python3 - <<'P' || fail "a part of the timeline"
from reader import read
all = read('a.json.gz')[0]
part = read('part.json.gz')[0]
assert part and part == [s for s in all if s['ts'] <= 80 and s['ts'] + s['dur'] >= 60]
names = lambda f, cat: {s['name'] for s in read(f)[0] if s['cat'] == cat}
assert len(names('all.json.gz', 'kernel')) > 1 and {'cta', 'kernel'} <= {s['cat'] for s in read('one.json.gz')[0]}
assert names('one.json.gz', 'kernel') == names('one.json.gz', 'cta') == {n for n in names('all.json.gz', 'kernel') if 'Rows' in n}
P
# a bare kernel; many blocks take no memory
bare() { run 0 run -q "$@" "$HERE/ptx/saxpy.ptx" --grid 60000 --block 32 --arg f32=2 --arg 'f32[64]=iota' --arg 'f32[64]=const:1' --arg u32=64; }
bare --trace many.json.gz
python3 - "$WARPWATT" "$HERE" <<'P' || fail "many blocks"
import resource, subprocess, sys
from reader import read
assert len([s for s in read('many.json.gz')[0] if s['cat'] == 'cta']) == 60000
def peak(*more):
    code = 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'
    args = [sys.argv[1], 'run', '-q', '--no-power', *more, sys.argv[2] + '/ptx/saxpy.ptx', '--grid', '60000', '--block', '32', '--arg', 'f32=2',
            '--arg', 'f32[64]=iota', '--arg', 'f32[64]=const:1', '--arg', 'u32=64']
    return int(subprocess.run([sys.executable, '-c', code] + args, check=True, capture_output=True, text=True).stdout.split()[-1])
assert peak('--trace', 'many2.json.gz') < peak('--interval', '500') + 4000  # KiB; the events are 6 MB
P
# what is wrong is said
run 2 run --trace x.gz --trace-from 5 hotspot
says err 'trace-from takes a time such as 250us'
run 2 run --trace-from 5us hotspot
says err 'there is no --trace'
run 2 run --trace x.gz --trace-from 9us --trace-to 3us hotspot
says err 'trace-to lies before'
run 2 run --trace x.gz --functional hotspot
says err 'would change nothing'
"$WARPWATT" run -q --trace x.gz --trace-kernels '(' hotspot >out 2>err && fail "a bad expression passes"
says err 'no regular expression'
"$WARPWATT" run -q --trace nowhere/x.gz hotspot >out 2>err && fail "a folder that is not there passes"
says err 'cannot write nowhere/x.gz'
[ -e x.gz ] && fail "a refused run left a file"
# killed: the file of before stays whole; and nothing half is put in its place
run 0 run -q --trace kept.json.gz hotspot
sum=$(cksum <kept.json.gz)
for signal in KILL TERM; do
    "$WARPWATT" run -q --trace kept.json.gz -o killed --size paper hotspot -g gtx480 >out 2>err &
    pid=$!
    sleep 0.25
    kill -$signal $pid 2>/dev/null
    wait $pid 2>/dev/null
    if [ "$(cksum <kept.json.gz)" != "$sum" ]; then # it was fast, or made the file of what had run: whole
        gzip -t kept.json.gz || fail "half a timeline after SIG$signal"
        sum=$(cksum <kept.json.gz)
    fi
    for f in killed/*; do
        case $f in
        *.json) python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$f" || fail "half of $f after SIG$signal" ;;
        *.html) tail -c 20 "$f" | grep -q '</html>' || fail "half of $f after SIG$signal" ;;
        *.xml) python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$f" || fail "half of $f after SIG$signal" ;;
        esac
    done
done
finish
