# Sweeps of a design space: each point is what `run` and `chip` say of it, refused points are named, an interrupted
# sweep goes on, a search is the same twice and its front is one, and the page shows them all.
. "$HERE/lib.sh"
cat >grid.yaml <<'YAML'
title: L1 & scheduler <on two workloads>
gpu: gtx480
set: {sm.cta_per_sm_max: 8}
workloads: [hotspot, vectorAdd]
axes:
  l1:
    16 KB: {sm.l1d.bytes: 16384, sm.l1d.ways: 4}
    48 KB: {sm.l1d.bytes: 49152, sm.l1d.ways: 6}
    odd: {sm.l1d.bytes: 49152, sm.l1d.ways: 4}
  sm.scheduler: [lrr, gto]
  core.clock_mhz: {from: 500, to: 700, step: 200}
  policy: [none]
YAML
key=$("$WARPWATT" gpus --keys | sed -n 's/^\(sm\.max_ctas[a-z_]*\|sm\.ctas[a-z_]*\) .*/\1/p' | head -1)
if [ -n "$key" ]; then sed -i "s/sm.cta_per_sm_max: 8/$key: 8/" grid.yaml; else sed -i '/^set:/d' grid.yaml; fi
run 0 sweep --db grid.db -o grid grid.yaml
says out '^12 points: [1-9][0-9]* on the front, 4 refused, 0 failed; 16 runs$'
says err 'refused: .*power of two'
cp grid/points.csv first.csv
run 0 sweep --db grid.db -o grid grid.yaml
says out '; 0 runs$'
cmp -s first.csv grid/points.csv || fail "kept results give another table"
# kept rows that do not fit their checksum run again by themselves
for damage in "update counter set value = value + 1 where name = 'rf_reads' and kernel = 0 and key = (select min(key) from job)" \
    "delete from counter where name = 'cycles' and key = (select max(key) from job)" \
    "update kernel set seconds = seconds * 2 where key = (select min(key) from job)"; do
    python3 -c "import sqlite3, sys; d = sqlite3.connect('grid.db'); d.execute(sys.argv[1]); d.commit()" "$damage"
    run 0 sweep --db grid.db -o grid grid.yaml
    says out '; 1 runs$'; says err 'is damaged: it does not fit its checksum'
    cmp -s first.csv grid/points.csv || fail "a damaged row changed the table: $damage"
done
python3 - "$WARPWATT" "$key" <<'PY' || fail "points.csv is not what run and chip say"
import csv, json, math, subprocess, sqlite3, sys
rows = list(csv.DictReader(open("grid/points.csv")))
assert len(rows) == 12 and sum(r["state"] == "done" for r in rows) == 8
own = ["-s", sys.argv[2] + "=8"] if sys.argv[2] else []
r = next(r for r in rows if (r["l1"], r["sm.scheduler"], r["core.clock_mhz"]) == ("48 KB", "gto", "500"))
keys = own + [w for k in ("sm.l1d.bytes=49152", "sm.l1d.ways=6", "sm.scheduler=gto", "core.clock_mhz=500") for w in ("-s", k)]
say = lambda *w: json.loads(subprocess.run([sys.argv[1], *w], capture_output=True, check=True).stdout)
k = [say("run", "--json", *keys, w)["power"]["kernels"] for w in ("hotspot", "vectorAdd")]
near = lambda a, b: abs(a / b - 1) < 1e-6
assert near(float(r["time_s"]), math.sqrt(k[0]["seconds"] * k[1]["seconds"])), r
assert near(float(r["energy_J"]), math.sqrt(k[0]["energy_j"] * k[1]["energy_j"])), r
chip = subprocess.run([sys.argv[1], "chip", *keys], capture_output=True, text=True).stdout
area = float(next(l for l in chip.splitlines() if l.split()[:1] == ["chip"]).split()[2])
assert abs(float(r["area_mm2"]) / area - 1) < 1e-3, (r["area_mm2"], area)
# the front is what no other point dominates
done = [tuple(float(r[c]) for c in ("time_s", "energy_J", "area_mm2")) + (r["front"],) for r in rows if r["state"] == "done"]
for p in done:
    beaten = any(all(a <= b for a, b in zip(q[:3], p[:3])) and q[:3] != p[:3] for q in done)
    assert (p[3] == "0") == beaten, p
db = sqlite3.connect("grid/points.db")
assert db.execute("select count(*), sum(front) from points where state = 'done'").fetchone() == (8, sum(p[3] == "1" for p in done))
PY

# a search: the same twice, new points in each generation; interrupted, it goes on
cat >search.yaml <<'YAML'
workloads: [vectorAdd]
method: search
population: 6
generations: 3
objectives: [time, energy]
axes:
  sm.scheduler: [lrr, gto, two_level]
  core.clock_mhz: {from: 400, to: 700, step: 20}
  sm.schedulers: [1, 2]
YAML
run 0 sweep --db search.db -o search search.yaml
says out '^18 points: '
[ "$(cut -d, -f1-3 search/points.csv | sort | uniq -d | wc -l)" = 0 ] || fail "a search looked at a point twice"
run 0 sweep --db again.db -o again search.yaml
cmp -s search/points.csv again/points.csv || fail "a search is another one the second time"
"$WARPWATT" sweep -j 1 --db cut.db -o cut search.yaml >out 2>err &
pid=$!
n=200
while [ $n -gt 0 ] && ! [ -s cut.db ]; do n=$((n - 1)); sleep 0.05; done
sleep 0.3
kill -s TERM $pid
wait $pid
code=$?
# 143: the signal came before the command had a handler, as it may on a slow machine
[ $code = 4 ] || [ $code = 0 ] || [ $code = 143 ] || fail "interrupted: exit code $code"
run 0 sweep --db cut.db -o cut search.yaml
cmp -s search/points.csv cut/points.csv || fail "an interrupted search is another one"

# what is wrong is said with its line
printf 'workloads: [hotspot]\naxes:\n  sm.l1d.bytes: {from: 1, to: 0, step: 1}\n' >bad.yaml
run 2 sweep bad.yaml
says err 'bad\.yaml:3:'
printf 'workloads: [hotspot]\naxes:\n  sm.schedulrs: [1, 2]\n' >bad.yaml
run 2 sweep --db bad.db bad.yaml
says err 'every point was refused.*sm\.schedulrs'
printf 'workloads: [hotspt]\naxes:\n  sm.schedulers: [1, 2]\n' >bad.yaml
run 2 sweep --db bad.db bad.yaml
says err 'did you mean `hotspot`'

# the page, with scripts, offline: a line and a dot a point
lacks grid/index.html '(src|href)="(https?:)?//'
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -n "$browser" ]; then
    HOME=$TMP timeout 120 "$browser" --no-sandbox --headless=new --disable-gpu --allow-file-access-from-files --user-data-dir="$TMP/profile" \
        --enable-logging=stderr --virtual-time-budget=3000 --dump-dom "file://$TMP/grid/index.html" >dom 2>log || fail "chromium"
    lacks log 'Uncaught|CONSOLE.*[Ee]rror'
    says dom '<h1 id="title">L1 &amp; scheduler &lt;on two workloads&gt;</h1>'
    [ "$(grep -o '<polyline class="run' dom | wc -l)" = 8 ] || fail "$(grep -o '<polyline class="run' dom | wc -l) lines of 8 points"
    [ "$(grep -o '<circle class="dot' dom | wc -l)" = 32 ] || fail "not 8 dots in each of three plots and that of any two"
    run 0 sweep --db grid.db -o grid grid.yaml --pages
    says err 'pages of runs: [1-9][0-9]* made'
    run 0 sweep --db grid.db -o grid grid.yaml --pages
    lacks err 'pages of runs'
    PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1 python3 - "$browser" "$TMP" "$WARPWATT" <<'PY' || fail "the page of a sweep"
import json, os, shlex, subprocess, sys
from browser import Browser
b = Browser(sys.argv[1], sys.argv[2] + '/profile2')
sweep = json.load(open('grid/sweep.json'))
done = [p for p in sweep['points'] if p['state'] == 'done']
front = [p for p in done if p['front']]
assert all(len(p['pages']) == 2 and all(os.path.exists('grid/' + href) for _, href in p['pages']) for p in front) and not any('pages' in p for p in done if not p['front'])
off = lambda kind: b.run("document.querySelectorAll('#lines polyline.%s').length" % kind)
for width, dark in ((1200, False), (400, True), (1920, False)):
    b.open('grid/index.html', width, dark=dark)
    assert b.run('document.body.dataset.overflow') == '0', width
    back = b.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert max(back) < 60 if dark else min(back) > 200
    # a name of an axis is no smaller on a narrow screen
    assert b.run("Math.min.apply(null, Array.prototype.map.call(document.querySelectorAll('#lines text'), function (t) { return t.getBoundingClientRect().height; }))") > 8, width
b.open('grid/index.html', 1200)
# pointing at a point says its run, which is the one that the point stands for, and its page
b.run("document.querySelector('#lines polyline.front').dispatchEvent(new PointerEvent('pointerenter'))")
said = b.run("document.querySelector('#point').textContent")
assert 'on the front' in said and b.run("document.querySelectorAll('#point a').length") == 2
code = b.run("document.querySelectorAll('#point code')[0].textContent")
words = shlex.split(code)
assert words[:4] == ['warpwatt', 'run', '-o', 'DIR'] and words[-1] == 'hotspot', code
link = b.run("document.querySelectorAll('#point a')[0].getAttribute('href')")
kept, power = [json.load(open('grid/%s/%s.json' % (os.path.dirname(link), n))) for n in ('run', 'power')]
ours = json.loads(subprocess.run([sys.argv[3], 'run', '--json'] + words[4:], capture_output=True, check=True).stdout)
assert ours['launches'][0]['cycles'] == kept['launches'][0]['cycles'] and ours['power']['kernels']['energy_j'] == power['kernels']['energy_j'], (code, link)
# an axis is turned by its name, also with the keyboard: the same points upside down
ys = lambda: b.run("Array.prototype.map.call(document.querySelectorAll('#lines polyline'), function (e) { return +e.getAttribute('points').split(' ')[1].split(',')[1]; })")
before = ys()
b.run("document.querySelectorAll('#lines .turn')[1].focus()")
b.key('Enter')
assert [round(389 - y) for y in ys()] == [round(y) for y in before] and b.run("document.activeElement.getAttribute('aria-pressed')") == 'true'
b.key('Enter')
assert ys() == before
# x and y of any two
b.run("(function () { var s = document.querySelector('#x'); s.value = '2'; s.dispatchEvent(new Event('change')); })()")
assert b.run("document.querySelector('#any svg').getAttribute('aria-label')").startswith('core.clock_mhz against')
assert len(set(b.run("Array.prototype.map.call(document.querySelectorAll('#any circle'), function (c) { return c.getAttribute('cx'); })"))) == 2
# while points are chosen the front of all stays, and the front of those chosen is what no other of them is better than
b.run("document.querySelector('details').open = true")
b.run("(function () { var s = document.querySelector('select[aria-label=\"sm.scheduler to\"]'); s.selectedIndex = 0; s.dispatchEvent(new Event('change')); })()")
part = [p for p in done if p['at'][1] == 0]
best = [p for p in part if not any(all(q[o] <= p[o] for o in sweep['objectives']) and any(q[o] < p[o] for o in sweep['objectives']) for q in part)]
assert off('off') == len(done) - len(part) and off('front') == len(front), 'the front is not kept'
assert b.run("+getComputedStyle(document.querySelector('#lines polyline.front')).strokeOpacity") >= .3
assert off('part') == sum(not p['front'] for p in best) and b.run("document.querySelector('#front').rows.length") == 1 + len(best)
assert '%d of %d points are chosen; %d are their front' % (len(part), len(done), len(best)) in b.run("document.querySelector('#count').textContent")
b.run("document.querySelector('#all').click()")
assert off('off') == off('part') == 0 and b.run("document.querySelector('#front').rows.length") == 1 + len(front)
# dragging chooses, too
area = b.run("(function () { var r = document.querySelectorAll('#lines .area')[2].getBoundingClientRect(); return [r.left + r.width / 2, r.top, r.height]; })()")
for kind, part_of in (('mousePressed', .3), ('mouseMoved', .1), ('mouseMoved', 0), ('mouseReleased', 0)):
    b.send('Input.dispatchMouseEvent', type=kind, x=area[0], y=area[1] + area[2] * part_of, button='left', buttons=1, clickCount=1)
assert off('off') == sum(p['at'][2] == 0 for p in done)
# on paper: light, whole, without tools
b.open('grid/index.html', 718, dark=True, media='print')
assert min(b.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")) > 200
assert b.run("getComputedStyle(document.querySelector('.tools')).display") == 'none'
assert b.run("document.querySelector('#lines').getBoundingClientRect().right") <= 719
b.close()
PY
else
    echo "not looked at: the page (no chromium)"
fi
finish
