# Warps of an SM, cycle by cycle (--warps): watching changes nothing; a warp's states are those that its scheduler's
# issue slots say; a chain of additions issues one a latency; a barrier holds until the last warp has come.
. "$HERE/lib.sh"
chain() { run 0 run -q "$@" "$HERE/ptx/watched.ptx" --entry chain --grid 1 --block 32 --arg 'u32[32]=iota'; }
chain -o off
chain -o on --warps 0:0-4999
chain -o slow --warps 0:0-4999 -s sm.timing.int_add.latency=40 -s sm.timing.int_logic.latency=40
chain -o late --warps 0:400-450
run 0 run -q -o many --warps 2:0-9999 hotspot
run 0 run -q -o volta -g v100 --warps 0:0-4999 hotspot
run 0 run -q -o techniques -p warped-gates --warps 1:0-9999 hotspot
run 0 run -q -o windows --interval 50 bfs  # more than 31 windows: two each become one
run 0 run -q -o second --launches 2 --warps 0:0-100 mergeSort
python3 - <<'P' || fail "what warps did"
import json, sqlite3
def launches(folder): return [l for l in map(json.loads, open(folder + '/record.jsonl')) if l['type'] == 'launch']
def watched(folder):
    l, = [l for l in launches(folder) if 'warps' in l]
    w = l['warps']
    names = ('warp', 'from', 'to', 'state', 'pc', 'lanes', 'resident')
    spans = [dict(zip(names, s)) for s in w['spans']]
    for s in spans: s['state'] = w['states'][s['state']]
    return l, w, spans
def slots_of(l, w, sm): return dict(zip(w['states'], l['sm'][sm]['issue_slots']))
def cycles(spans):
    sums = {}
    for s in spans: sums[s['state']] = sums.get(s['state'], 0) + s['to'] - s['from']
    return sums
# nothing is changed by watching
a, b = launches('off')[0], launches('on')[0]
assert a['activity'] == b['activity'] and a['cycles'] == b['cycles'] and 'warps' not in a
# of one warp alone the states are the issue slots of its scheduler, reason by reason
l, w, spans = watched('on')
assert w['residents'] == [[0, 0]] and {s['warp'] for s in spans} == {spans[0]['warp']} and not w['lost']
had = cycles(spans)
slots = slots_of(l, w, 0)
slots = {n: v for n, v in slots.items() if v and n != 'no_warp'}
last = had.pop('done', 0)  # a warp that has ended waits for nothing that a slot would be lost to
named = {n: v for n, v in slots.items() if n != 'fetch'}
assert {n: v for n, v in had.items() if n != 'fetch'} == named and had.get('fetch', 0) + last == slots.get('fetch', 0), (had, last, slots)
assert had['issued'] == l['warp_instructions'] and had['memory'] > 100
# its spans follow each other without a gap
assert all(p['to'] == q['from'] for p, q in zip(spans, spans[1:]))
# each addition issues when the one before is done: at equal distances, longer by what its latency is longer
text = {i['pc']: i['text'] for i in l['instructions']}
def chain(folder):
    l, w, spans = watched(folder)
    at = [s['from'] for s in spans if s['state'] == 'issued']
    first = [i for i, s in enumerate(s for s in spans if s['state'] == 'issued') if text[s['pc']].startswith('LDG')][0]
    return [q - p for p, q in zip(at[first + 1:first + 8], at[first + 2:first + 9])]
near, far = chain('on'), chain('slow')
assert len(set(near)) == 1 and len(set(far)) == 1 and len(near) == 7, (near, far)
gpu = open('on/gpu.yaml').read()
import re
def of(klass): return int(re.search(klass + r':\s+latency: (\d+)', gpu).group(1))
assert of('int_add') == of('int_logic') and far[0] - near[0] == 40 - of('int_add'), (near, far, of('int_add'))
# a window holds what the whole has there
l, w, part = watched('late')
cut = [dict(s, **{'from': max(400, s['from']), 'to': min(451, s['to'])}) for s in spans if s['to'] > 400 and s['from'] < 451]
assert part == cut and (w['from'], w['to']) == (400, 451)
# many warps: an instruction that issues is counted once, one warp does one thing at a time, and what a scheduler's slot was
# lost to is what one of its warps waits for or its turn failed for
for folder, sm in (('many', 2), ('volta', 0), ('techniques', 1)):
    l, w, spans = watched(folder)
    had = cycles(spans)
    slots = slots_of(l, w, sm)
    assert had['issued'] == slots['issued'] and had.get('dual', 0) == slots['dual'], (folder, had, slots)
    assert had['issued'] + had.get('dual', 0) == l['sm'][sm]['warp_instructions']
    rows = {}
    for s in spans: rows.setdefault(s['warp'], []).append(s)
    for row in rows.values():
        row.sort(key=lambda s: s['from'])
        assert all(p['to'] <= q['from'] for p, q in zip(row, row[1:]) if q['state'] != 'dual'), folder
    assert {s['state'] for s in spans} >= {'issued', 'memory', 'barrier', 'ready'}, folder
# at a barrier no warp of a block goes on before the last has come
l, w, spans = watched('many')
text = {i['pc']: i['text'] for i in l['instructions']}
blocks = {}
for s in spans:
    if s['state'] == 'issued' and text[s['pc']].startswith('BAR'): blocks.setdefault((w['residents'][s['resident']][0], s['pc']), []).append(s['from'])
checked = 0
for s in spans:
    if s['state'] != 'barrier' or s['to'] == w['to']: continue
    came = blocks[w['residents'][s['resident']][0], s['pc']]
    if len(came) == 8:  # warps of a block, once each
        assert s['to'] >= max(came), (s, came)
        checked += 1
assert checked > 5
# the first launch that is timed
assert watched('second')[0]['id'] == 2
# of whole launches: the windows of an instruction's lost slots add up to what it lost, and cover the launch once
joined = 0
for folder in ('many', 'volta', 'techniques', 'second', 'windows'):
    for l in launches(folder):
        w = l.get('waits')
        if l['functional'] or not w: continue
        lost = {(i['pc'], n): v for i in l['instructions'] for n, v in i['stalls'].items()}
        assert {(r[0], r[1]): sum(r[2:]) for r in w['rows']} == lost and len(lost) > 3, (folder, l['id'])
        assert w['to'] == sorted(set(w['to'])) and w['to'][-1] == l['cycles'] and len(w['to']) < 32, w['to']
        assert all(len(r) - 2 <= len(w['to']) for r in w['rows'])
        joined += w['to'][0] >= 2 * 2 * len(l['instructions'])  # a window begins with two cycles an instruction
assert 'waits' in launches('many')[0] and joined
# the database has the same
l, w, spans = watched('many')
db = sqlite3.connect('many/results.sqlite')
assert db.execute('select count(*), sum(to_cycle - from_cycle) from warps').fetchone() == (len(spans), sum(s['to'] - s['from'] for s in spans))
assert db.execute("select count(*) from warps where state = 'issued'").fetchone()[0] == cycles(spans)['issued']
P
for bad in 0:5 x:1-2 0:9-3; do run 2 run -q -o bad --warps $bad hotspot; says err "must be an SM and cycles of a launch"; one_sentence err; done
run 2 run -q -o bad --warps 99:1-3 hotspot; says err 'has SMs 0 to 14'; one_sentence err
run 2 run -q -o bad --warps 0:1-90000 hotspot; says err 'at most 20000'
run 2 run -q -o bad --functional --warps 0:1-2 hotspot; says err '--warps would change nothing'
run 2 run --warps 0:1-2 hotspot; says err 'goes with -o DIR'
run 2 run -q -o bad -s sm_count=14 -p front-end-sharing --warps 0:1-2 hotspot; says err 'does not go with front-end-sharing'
run 2 run -q -o bad --warps 0:1-2 --warps 1:1-2 hotspot; says err 'one SM and one window of a run are watched'; one_sentence err
# a window that shows nothing is said on the console, too
run 0 run -q -o late --warps 0:900000-900010 hotspot; says err 'ends after [0-9]* cycles, before the window begins'; one_sentence err
run 0 run -q -o idle --warps 14:1-9 "$HERE/ptx/saxpy.ptx" --grid 1 --block 32 --arg f32=2 --arg 'f32[32]=iota' --arg 'f32[32]=const:1' --arg u32=32
says err 'had no warp of launch 1'; one_sentence err
run 0 run --again many -o again; cmp many/record.jsonl again/record.jsonl >/dev/null || python3 - <<'P' || fail "--again watches other warps"
import json
f = lambda p: [json.loads(l).get('warps') for l in open(p)]
assert f('many/record.jsonl') == f('again/record.jsonl')
P
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "no chromium: the page was not opened (tools/setup test installs it)"
    finish
fi
PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1 python3 - "$browser" "$TMP" <<'P' || fail "the page of warps"
import json, sys
from browser import Browser
b = Browser(sys.argv[1], sys.argv[2] + '/profile')
for width in (1200, 400):
    b.open('many/index.html', width)
    b.until('document.querySelector("#warps .said").textContent')
    assert b.run('document.body.dataset.overflow') == '0'
    # hover: what stands at a cycle of a warp is what the record says
    l, = [l for l in map(json.loads, open('many/record.jsonl')) if 'warps' in l]
    w, text = l['warps'], {i['pc']: i['text'] for i in l['instructions']}
    rows = sorted({s[0] for s in w['spans']})
    box = b.run('(function () { document.querySelector("#warps canvas").scrollIntoView(); var r = document.querySelector("#warps canvas").getBoundingClientRect(); return [r.left, r.top]; })()')
    for row in (0, 5):
        b.send('Input.dispatchMouseEvent', type='mouseMoved', x=box[0] + 92 + 8 * 20 + 4, y=box[1] + 18 + 15 * row + 7)
        cycle = 20 + b.run('Math.floor(document.querySelector("#warps .warps").scrollLeft / 8)')
        here = [s for s in w['spans'] if s[0] == rows[row] and s[1] <= cycle < s[2]]
        said = b.run('document.querySelector("#warps .said").textContent')
        assert said.startswith('Cycle %d, warp %d ' % (cycle, rows[row]) if here else 'Cycle %d, warp %d:' % (cycle, rows[row])), said
        assert not here or text[here[0][4]] in said, (said, here)
    # lines by windows: a row's cells are what its line's warps waited, of all windows together
    i = {i['pc']: i for i in l['instructions']}
    waits = {}
    for s in w['spans']:
        if w['states'][s[3]] not in ('issued', 'dual', 'ready'):
            n = i[s[4]]['src_line']
            waits[n] = waits.get(n, 0) + s[2] - s[1]
    seen = b.run("""Array.prototype.map.call(document.querySelectorAll('#lines-over-time tbody tr'), function (r) {
      return [parseInt(r.children[0].textContent, 10), +r.children[1].textContent.replace(/,/g, ''), r.children.length]; })""")
    assert len(seen) > 5 and all(waits[n] == v and cells > 50 for n, v, cells in seen if n), (seen, waits)
    # the same of the whole launch: a row's sum is what its line lost, reason by reason where one is chosen
    lost = {}
    for r in l['waits']['rows']:
        if r[1] in ('issued', 'dual', 'ready'): continue
        for reason in ('', r[1]): lost[reason, i[r[0]]['src_line']] = lost.get((reason, i[r[0]]['src_line']), 0) + sum(r[2:])
    for reason in ('', 'memory'):
        b.run("(function () { var s = document.querySelector('#waits-over-time select'); s.value = '%s'; s.dispatchEvent(new Event('change')); })()" % reason)
        seen = b.run("""Array.prototype.map.call(document.querySelectorAll('#waits-over-time tbody tr'), function (r) {
          return [/^PTX/.test(r.children[0].textContent) ? 0 : parseInt(r.children[0].textContent, 10), +r.children[1].textContent.replace(/,/g, ''), r.children.length]; })""")
        assert len(seen) > 3 and all(lost[reason, n] == v and cells == 2 + len(l['waits']['to']) for n, v, cells in seen if n), (reason, seen, lost)
    # the mark goes by the keyboard
    b.run('document.querySelector("#warps canvas").focus()')
    before = b.run('document.querySelector("#warps .said").textContent')
    b.key('ArrowUp')
    assert b.run('document.querySelector("#warps .said").textContent') != before
b.close()
P
finish
