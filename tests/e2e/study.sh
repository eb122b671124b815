# Studies: what runs again and what does not, a kill in the middle, failures, bad files, the numbers.
. "$HERE/lib.sh"
db="--db $TMP/results.db"
cat >one.yaml <<'END'
name: one
title: One of a kind
configurations:
  base: {gpu: gtx480}
  gto: {base: base, set: {sm.scheduler: gto}}
workloads: [hotspot, bfs]
metrics:
  ipc: thread_instructions / cycles
  speedup: other('base', 'cycles') / cycles
figures:
  f1:
    title: IPC <of both> & more
    found: Theirs was above one
    agrees: lowest('ipc') > 1
    series: [{is: ipc, configuration: base}, {is: cycles, configuration: base, label: cycles}, {is: speedup, configuration: gto}]
    aggregates: [average, geomean]
END
# shellcheck disable=SC2086
{
run 0 study one.yaml --size small $db -o a; says err '4 jobs: 4 run, 0 kept'; says out '^agrees'
run 0 study one.yaml --size small $db -o a; says err '4 jobs: 0 run, 4 kept'
# the numbers are those of a run by hand
"$WARPWATT" run --json hotspot 2>/dev/null >run.json
cycles=$(sed -n 's/^  "cycles": \([0-9]*\),*$/\1/p' run.json | head -1)
[ -n "$cycles" ] || fail "no cycles in run.json"
says a/f1.csv "^hotspot,[0-9.]*,$cycles,"
# only what changed is run again: one configuration of two
sed 's/scheduler: gto/scheduler: two_level/' one.yaml >two.yaml
run 0 study two.yaml --size small $db -o b; says err '2 run, 2 kept'
# what only the power model reads changes no counter
sed 's/gpu: gtx480/gpu: gtx480, set: {power.board_w: 25}/; s/ipc: thread.*/ipc: thread_instructions * 0 + power_w/' one.yaml >power.yaml
sed 's/ipc: thread.*/ipc: thread_instructions * 0 + power_w/' one.yaml >power0.yaml
run 0 study power0.yaml --size small $db -o p0; says err '4 jobs: 0 run, 4 kept'
run 0 study power.yaml --size small $db -o p1; says err '4 jobs: 0 run, 4 kept'
cmp -s p0/f1.csv p1/f1.csv && fail "25 W on the board changed no power"
# other arguments are another job
run 0 study one.yaml --size paper --no-run $db -o c; says c/f1.csv '^hotspot,,'; says out 'not known'

# some of its figures: the same numbers, and no run beyond theirs
sed 's/^figures:/&\n  f0: {series: [{is: launches, configuration: lone}]}/; s/^  gto: /  lone: {base: base, set: {sm_count: 1}}\n&/' one.yaml >some.yaml
run 0 study some.yaml --figures f1 --size small $db -o some; says err '4 jobs: 0 run, 4 kept'
cmp a/f1.csv some/f1.csv || fail "a figure alone differs"
[ ! -e some/f0.csv ] || fail "a figure was written that was not asked for"
run 2 study some.yaml --figures f1,f2x --size small $db -o some; says err 'one has no figure .f2x.; some.yaml names them'
run 2 study gpusimpow --figures fig10,fig11-al --size small $db -o some; says err 'no figure .fig11-al.; did you mean .fig11-all.'
run 2 study some.yaml --figures '' --size small $db -o some; says err 'no figure'
run 2 compare --figures f1 -p none,gates hotspot; says err 'figures'
# every series has its numbers in study.json: labels differ, or the file is refused
python3 - <<'P' || fail "study.json lacks a series"
import json
figure = json.load(open('a/study.json'))['figures'][0]
assert [list(r['values']) for r in figure['rows']] == [['base', 'cycles', 'gto']] * 4, figure
assert list(figure['units']) == ['base', 'cycles', 'gto'], figure
P

# a damaged result is named, dropped and run again; the figures come out the same
cat >tiny.yaml <<'END'
name: tiny
title: Small enough to be run often
configurations: {base: {gpu: gtx480}, one: {base: base, set: {sm_count: 1}}}
workloads: [vectorAdd]
figures: {f1: {x: configurations, workload: vectorAdd, series: [cycles, thread_instructions, energy_j]}}
END
run 0 study tiny.yaml --size small --db "$TMP/tiny.db" -o t0; says err '2 jobs: 2 run, 0 kept'
cp tiny.db whole.db
spoil() { python3 -c 'import sqlite3, sys; c = sqlite3.connect("tiny.db"); n = c.execute(sys.argv[1]).rowcount; c.commit(); sys.exit(n < 1)' "$1" || fail "nothing to spoil: $1"; }
for damage in "UPDATE counter SET value = value + 4096 WHERE name = 'thread_instructions' AND kernel = 1" \
    "DELETE FROM counter WHERE name = 'thread_instructions'" "UPDATE kernel SET cycles = cycles / 2"; do
    cp whole.db tiny.db
    spoil "$damage"
    # with nothing to run it, it is not there
    cp tiny.db copy.db
    run 0 study tiny.yaml --size small --db "$TMP/copy.db" --no-run -o t2; says err 'warning: .*copy.db.*vectorAdd .*is damaged'; says t2/f1.csv '^base,,,$'
    run 0 study tiny.yaml --size small --db "$TMP/tiny.db" -o t1
    says err '2 jobs: [12] run, [01] kept'; says err 'warning: .*tiny.db.*vectorAdd \(size small\) on gtx480 is damaged'
    cmp t0/f1.csv t1/f1.csv || fail "a damaged result changed a figure: $damage"
    run 0 study tiny.yaml --size small --db "$TMP/tiny.db" -o t1; says err '0 run, 2 kept'; lacks err damaged
done
# whatever bits of the file turn over: the same figures, or a refusal
for seed in 1 2 3 4 5 6 7 8 9 10; do
    python3 - $seed <<'END'
import random, sys
random.seed(int(sys.argv[1]))
data = bytearray(open('whole.db', 'rb').read())
for _ in range(40): data[random.randrange(100, len(data))] ^= 1 << random.randrange(8)
open('tiny.db', 'wb').write(data)
END
    rm -rf t1
    "$WARPWATT" study tiny.yaml --size small --db "$TMP/tiny.db" -o t1 >out 2>err; got=$?
    if [ $got = 0 ]; then cmp t0/f1.csv t1/f1.csv || fail "flipped bits (seed $seed) changed a figure"
    elif [ $got -le 2 ]; then says err 'tiny.db: .*(remove it, or name another with --db)?'
    else fail "flipped bits (seed $seed): exit code $got"; fi
done

# a row with options of its own: one launch of many is timed
cat >launch.yaml <<'END'
name: launch
title: One launch
configurations: {base: {gpu: gtx480}}
workloads: {all: {run: mergeSort}, first: {run: mergeSort, options: [--launches, "1"]}}
figures: {f1: {series: [launches, {is: "cycles > 0"}, {is: "cycles < at('all', 'base', 'cycles')"}]}}
END
run 0 study launch.yaml --size small $db -o l; says l/f1.csv '^all,[1-9][0-9]+,1,0$'; says l/f1.csv '^first,1,1,1$'

# numbers of its own in a size's place
sed 's/first: .*}}/first: {run: vectorAdd, args: [32000]}}/; s/all: {run: mergeSort}/all: {run: vectorAdd, small: bench, paper: small}/' launch.yaml >args.yaml
run 0 study args.yaml --size paper $db -o m; says m/f1.csv '^first,1,1,1$'

# one failing job loses nothing else, is named, and is tried again
sed 's/^  gto: .*/  gto: {base: base, options: [--max-cycles, "100"]}/' one.yaml >bad.yaml
run 1 study bad.yaml --size small $db -o d
says err '2 failed'; says err 'failed: hotspot on gtx480 \(gto\)'; says d/f1.csv '^hotspot,[0-9]'; says d/index.html 'Failed: hotspot'
run 1 study bad.yaml --size small $db -o d; says err '2 kept'

# a kill at any time: what was done is kept, nothing runs on, and the rest comes out the same
cat >long.yaml <<'END'
name: long
title: Long enough to be killed
configurations:
  l0: {set: {sm.l1d.mshrs: 32}}
  l1: {set: {sm.l1d.mshrs: 31}}
  l2: {set: {sm.l1d.mshrs: 30}}
workloads: [NNdigits, backprop]
figures:
  f1: {x: configurations, workload: NNdigits, series: [cycles]}
  f2: {x: configurations, workload: backprop, series: [cycles]}
END
"$WARPWATT" study long.yaml --size small -j 1 --db "$TMP/long.db" -o e >log 2>&1 &
pid=$!
for _ in $(seq 600); do grep -q 'done: ' log 2>/dev/null && break; sleep 0.05; done
kill -9 $pid; wait $pid 2>/dev/null
sleep 0.3
for f in /proc/[0-9]*/cmdline; do
    if { tr '\0' ' ' <"$f"; } 2>/dev/null | grep -q "warpwatt-job-$pid-"; then fail "a job of the killed study still runs"; fi
done
run 0 study long.yaml --size small --db "$TMP/long.db" -o e
says err '6 jobs: [1-5] run, [1-5] kept'
run 0 study long.yaml --size small --db "$TMP/fresh.db" -o f; says err '6 jobs: 6 run, 0 kept'
cmp e/f1.csv f/f1.csv || fail "a resumed study differs"
cmp e/f2.csv f/f2.csv || fail "a resumed study differs"
# an interruption says how to go on
"$WARPWATT" study long.yaml --size small -j 1 --db "$TMP/int.db" -o g >log2 2>&1 &
pid=$!
for _ in $(seq 600); do grep -q 'done: ' log2 2>/dev/null && break; sleep 0.05; done
kill -INT $pid; wait $pid; got=$?
[ $got = 4 ] || fail "an interrupted study: exit code $got"
says log2 'goes on from here'

# a simulator that is built anew meanwhile gets no results under the old one's keys
build=$(dirname "$WARPWATT")
mkdir copy
cp "$WARPWATT" copy/
cp "$build/libcuda.so.1" copy/
ln -s "$build/workloads" copy/workloads
ln -s "$build/page" copy/page
WARPWATT_GPUS="$HERE/../../gpus" copy/warpwatt study long.yaml --size small -j 1 --db "$TMP/new.db" -o n >log3 2>&1 &
pid=$!
for _ in $(seq 600); do grep -q 'done: ' log3 2>/dev/null && break; sleep 0.05; done
touch copy/libcuda.so.1
wait $pid; got=$?
[ $got = 2 ] || fail "a study whose simulator changed: exit code $got"
says log3 'built anew while jobs ran'
rm -r copy

# bad study files: file, line, a sentence
refuse() { # SED-SCRIPT LINE SENTENCE
    sed "$1" one.yaml >wrong.yaml
    run 2 study wrong.yaml --size small $db -o h; says err "wrong.yaml:$2:.*$3"
}
refuse 's/^title:/titel:/' 2 'no key `titel`; did you mean `title`'
refuse 's/ipc: thread_instructions/ipc: thread_instruction/' 8 'did you mean `thread_instructions`'
refuse "s/other('base'/other('bsae'/" 9 'no configuration `bsae`'
refuse 's/ipc: thread.*/ipc: ipc + 1/' 8 'in a circle'
# a circle is one too where no figure asks for it, and also a second document
refuse 's/ipc: thread.*/ipc: thread_instructions \/ cycles\n  a: b + 1\n  b: a * 2/' '[0-9]*' 'in a circle'
printf -- '---\nname: two\n' | cat one.yaml - >wrong.yaml
run 2 study wrong.yaml --size small $db -o h; says err 'wrong.yaml:17:1: error: a second document'
# where nothing can be written, nothing runs
run 2 study one.yaml --size small --db "$TMP/never.db" -o /dev/null; says err '/dev/null: Not a directory'; lacks err 'done:'
run 2 study one.yaml --size small --db "$TMP/never.db" -o /proc/nothing; lacks err 'done:'
run 2 study one.yaml --size small --db "$TMP/never.db" --markdown /dev/null/x.md -o h; lacks err 'done:'
[ ! -e never.db ] || fail "a study that cannot write opened its results file"
run 2 compare $db -p none,,gates hotspot; says err "with ',' between"
refuse 's/ipc: thread.*/ipc: 1 +/' 8 'syntax error'
refuse 's/lowest(/lowst(/' 14 'no function `lowst`'
refuse 's/configuration: base}/configuration: bose}/' 15 'did you mean `base`'
refuse 's/base: base, set/base: base, sets/' 5 'did you mean `set`'
refuse 's/workloads: \[hotspot/workloads: [hotspott/' 6 ''
says err 'did you mean `hotspot`'
refuse 's/scheduler: gto/scheduler: best/' 5 'in configuration'
refuse 's/aggregates: \[average/aggregates: [mean/' 16 'aggregates are'
refuse 's/^figures:/figures: [/' '[0-9]*' 'not YAML'
refuse 's/is: cycles,/is: "energy(0)",/' 15 'has no component'
refuse 's/configuration: base, label: cycles}/configuration: base}/' 15 'this series has the label `base`, as that of line 15 has'
run 2 study gpusimpwo; says err 'did you mean `gpusimpow`'
run 2 study one.yaml --size medium; says err 'small or paper'
run 2 study one.yaml --figures svg,pdf; says err 'paper DIR lays each as SVG'; one_sentence err
run 2 study; says err 'study what'
echo 'no database, but long enough to look like one' >not.db
run 2 study one.yaml --size small --db not.db -o i; says err 'not.db'

# the study that comes along: every row of published.csv has its row in study.json
run 0 studies; says out '^gpusimpow'
run 0 study gpusimpow --size small $db -o s; says out 'published values within tolerance'
# of a figure alone only the published values are counted that it asks for
run 0 study gpusimpow --figures table4 --size small --no-run $db -o s4
says out '^[0-9]+ of 11 published values within tolerance$'
run 0 study gpusimpow --figures table4 --size small --no-run --db empty.db -o s4
says out '^0 of 0 published values within tolerance, 11 without a value of ours$'
want=$(grep -c '^gpusimpow,' "$HERE/../../studies/published.csv")
python3 - "$want" "$HERE/../../studies/published.csv" <<'END' || fail "study.json lacks rows"
import csv, json, sys
rows = json.load(open('s/study.json'))['results']
key = lambda r: (r['source'], r['workload'], r['configuration'], r['metric'], r['unit'])
have = {key(r): r for r in rows}
n = 0
for r in csv.DictReader(open(sys.argv[2])):
    if r['study'] != 'gpusimpow': continue
    n += 1
    ours = have[key(r)]
    assert abs(ours['published'] - float(r['value'])) < 1e-9, r
    assert 'ours' in ours
assert n == int(sys.argv[1]) and n > 40
assert sum(r['ours'] is not None for r in rows) > 30
END
"$HERE/../../tools/paper-pages" --compare s >said || { cat said; fail "kept results (docs/papers/results) are not these"; }
for f in table4 fig10 fig11 fig12 table5 shares static published metrics; do [ -s s/$f.csv ] || fail "no s/$f.csv"; done
says s/fig10.csv '^reduction256,'

# the example of the documentation is one
mkdir example
sed -n '/^```yaml$/,/^```$/p' "$HERE/../../docs/add-a-study.md" | sed '1d;$d' >example/caches.yaml
cat >example/published.csv <<'END'
study,source,workload,configuration,metric,value,unit
caches,figure 3,hotspot,16 KB,hit rate,50,%
caches,"figure ""4"", left",geomean,48 KB,speedup,1.2,ratio
caches,table 1,chip,16 KB,area,1,mm2
END
run 0 study example/caches.yaml --size small $db -o x
says x/published.csv '"figure ""4"", left",geomean,48 KB,speedup,1.2,ratio,[0-9.]+,'
says x/fig3.csv '^hotspot,[0-9.]+,[0-9.]+,50$'

# side by side
run 0 compare $db -p none -c gto:sm.scheduler=gto,sm.l1d.ways=8 hotspot bfs -o cmp
says out 'geomean'; says out '^  hotspot +1 '; [ -s cmp/index.html ] || fail "compare wrote no page"
run 0 compare $db -p none -c gto:sm.scheduler=gto,sm.l1d.ways=8 hotspot bfs --json; mv out cmp.json
python3 - <<'PY' || fail "compare --json is not its tables"
import csv, json
d = json.load(open('cmp.json')); assert d['format'] == 1
table = {r[0]: r[1:] for r in csv.reader(open('cmp/time.csv'))}
time = next(f for f in d['figures'] if f['id'] == 'time')
heads = [k for k in time['units']]
for row in time['rows']:
    if row['is_mean']: continue
    for h, x in zip(heads, table[row['name']], strict=True):
        assert abs(row['values'][h] - float(x)) <= 1e-4 * float(x), row
assert {r['name'] for r in time['rows']} >= {'hotspot', 'bfs'}
PY
# a log has a line for each job that ends
run 0 compare --db lines.db -j 1 -p none,gates vectorAdd; says err '^\[1 of 2, [0-9]+ s left\] done: vectorAdd'; says err '^\[2 of 2'
# with techniques: what gating saved and an oracle would, the percentages that `run` prints from the energies
run 0 compare $db -p none,conv-pg,gates,warped-gates,origami --size small hotspot bfs -o gated
says out 'INT leakage saved by gating'; says out 'FP leakage that an oracle would save'
# what it advises, from the tables: the least energy-delay of those at most 1 % slower, by geometric means
python3 - "$(cat out)" <<'PY' || fail "compare: the advice does not follow from its tables"
import csv, math, re, sys
def means(name):
    rows = [r for r in csv.reader(open(f'gated/{name}.csv'))]
    of = [[float(x) for x in r[1:]] for r in rows[1:] if r[0] in ('hotspot', 'bfs')]
    assert len(of) == 2
    return dict(zip(rows[0][1:], (math.sqrt(a * b) for a, b in zip(*of))))
time, energy = means('time'), means('energy')
may = {p: time[p] * energy[p] for p in time if p != 'none' and time[p] <= 1.01}
best = min(may, key=may.get) if may else None
said = re.search(r'^Recommended: (\S+) (instead of none|stays)', sys.argv[1], re.M).groups()
assert said == ((best, 'instead of none') if may and may[best] <= 0.999 else ('none', 'stays')), (said, may)
least = min((p for p in energy if p != 'none'), key=energy.get)
if energy[least] <= 0.999 and least != best:
    tail = sys.argv[1].split(f'Least energy, whatever it takes: {least}\n')[1]
    assert re.search(r'saves %.2f %% of energy' % (100 * (1 - energy[least])), tail), tail
    change = 100 * (1 - time[least])
    assert re.search(r'saves %.2f %% of time' % change if change > 0 else r'takes %.2f %% more time' % -change, tail), tail
# the table of all: whole labels over their columns, each with its unit and none twice
lines = sys.argv[1].split('Each configuration against the first: means of the workloads\n')[1].split('\n')
heads = lines[:next(i for i, l in enumerate(lines) if l.startswith('  conv-pg'))]
ends, at = [m.end() for m in re.finditer(r'\S+', lines[len(heads)])][1:], 0
columns = []
for end in ends:
    start = ends[columns.__len__() - 1] if columns else 24
    columns.append(' '.join(w for l in heads for w in l[start:end].split()))
assert columns == ['energy ratio', 'time ratio', 'energy-delay product ratio', 'least saved %', 'most saved %', 'execution %',
                   'registers %', 'other SM %', 'other chip %', 'rest of die %', 'board %', 'area added mm2', 'more area %'], columns
row = {r['configuration']: r for r in csv.DictReader(open('gated/summary.csv'))}['conv-pg']
assert 0 < float(row['more area [%]']) < 5
PY
column=2
for p in conv-pg gates warped-gates origami; do
    column=$((column + 1))
    run 0 run -p $p hotspot
    for type in INT FP; do
        low=$(echo $type | tr IFNTP ifntp)
        for what in net:10 oracle:14; do
            want=$(awk -v t=$type -v n=${what#*:} '$1 == t && $NF == "%" {print $n}' out)
            got=$(awk -F, -v n=$column '$1 == "hotspot" {printf "%.1f", $n}' gated/${low}_${what%:*}.csv)
            [ -n "$want" ] && [ "$want" = "$got" ] || fail "$type ${what%:*} of $p: compare says $got, run $want"
        done
    done
done
# a configuration's own keys win; `+`: both at once; a technique in a file has its name
cp "$HERE/../../savings/conv-pg.yaml" mine.yaml
run 0 compare $db -p two-level,./mine.yaml -s sm_count=2 -c x:sm_count=1,policy=conv-pg+meters vectorAdd
says out ' two-level +mine +x$'
run 2 compare $db -p none hotspot; says err 'two configurations'
run 2 compare $db -p none -c gto:sm.schedulr=gto hotspot; says err 'sm.scheduler'
run 2 compare $db -p none -c x hotspot; says err 'NAME:KEY=VALUE'
run 2 compare $db -p none -c x:sm.schedulers=4 hotspto; says err 'did you mean `hotspot`'

# all workloads: a row each, kept afterwards; those that the GPU is too old for are named
run 0 run --all --size small -j 2 $db
says out 'left out, as they need compute capability 7.0: cutlass-like, fastWalshTransform, quasirandomGenerator, wmma-gemm$'
n=$(($("$WARPWATT" workloads | tail -n +2 | wc -l) - 4))
[ "$(grep -c ' ok ' out)" = "$n" ] || fail "run --all: $(grep -c ' ok ' out) rows for $n workloads"
says out '0 failed'
run 0 run --all --size small $db; says out "$n jobs: 0 run, $n kept"
run 0 run --all --json --size small $db
python3 - "$n" <<'P' || fail "run --all --json"
import json, sys
rows = [json.loads(line) for line in open('out')]
assert len(rows) == int(sys.argv[1]) and len({r['workload'] for r in rows}) == len(rows)
assert all(r['ok'] and r['kept'] and r['size'] == 'small' and r['cycles'] > 0 and r['energy_j'] > 0 for r in rows)
P
says err "$n jobs"
run 2 run --all hotspot; says err 'too much'
}
finish
