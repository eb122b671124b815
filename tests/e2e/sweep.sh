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
    [ "$(grep -o '<circle class="dot' dom | wc -l)" = 24 ] || fail "not 8 dots in each of three plots"
else
    echo "not looked at: the page (no chromium)"
fi
finish
