# The command line: help, lists, near misses, exit codes.
. "$HERE/lib.sh"
run 0 help; says out 'run hotspot'
run 0 --version; says out '^warpwatt [0-9]'
run 0 run --help; says out '--grid'
run 0 gpus; says out gt240; says out gtx480; says out gtx580; says out gtx780
run 0 gpus gtx480; says out 'sm_count: 15'
run 0 gpus --keys; says out 'sm.schedulers'
run 0 workloads; says out '^hotspot'; says out '^mergeSort'
says out '^hotspot .* Rodinia .* 1 +1\.5 M '
run 0 workloads bfs; says out 'small'; says out 'Rodinia'
says out 'kernels: bfsExpand bfsAdvance'; says out 'registers a thread'; says out '^  bfsExpand '; says out 'INT +[0-9.]+ %'; says out 'active warps'
run 0 workloads hotspot; says out 'Beside the papers'; says out 'concurrent CTAs +3 count +ours'
run 0 workloads vectorAdd --run; says out 'vectorAdd'; says out 'instructions'
run 2 workloads --run; says err 'which workload'
run 2 workloads bfs --run --size smal; says err 'did you mean `small`'
run 0 workloads BFS; says out '^BFSlevels'; says out 'ISPASS'
run 0 workloads; says out '^BFSlevels \(BFS\)'; says out '^NNdigits \(NN\)'; says out '^nn '
run 0 savings
run 0 studies; says out '^characterize'
# the same lists as JSON: as many entries as lines, and values of their type
for list in gpus workloads savings studies; do
    run 0 $list; mv out plain; run 0 $list --json
    python3 - $list <<'P' || fail "$list --json"
import json, sys
d = json.load(open('out')); assert d['format'] == 1
entries = d[{'savings': 'techniques'}.get(sys.argv[1], sys.argv[1])]
names = [e['name'] for e in entries if e.get('kind') != 'micro']
lines = [l.split()[0] for l in open('plain').read().splitlines()][sys.argv[1] == 'workloads':]
assert names == lines, (names, lines)
P
done
run 0 gpus gtx480 --json
python3 -c "
import json; v = json.load(open('out'))['gpu']['values']
assert v['sm_count'] == 15 and v['sm.shared_bytes'] == 49152 and v['sm.scheduler'] == 'lrr', v
assert isinstance(v['clocks.core_mhz'], float)" || fail 'gpus gtx480 --json'
run 0 gpus --keys --json; says out '"key": "sm.schedulers"'
run 0 workloads bfs --json; says out '"bfsExpand"'; says out '"arguments"'
run 0 savings origami --json; says out '"mechanisms"'
run 0 savings --mechanisms --json; says out '"options"'
run 2 workloads bfs --run --json; says err 'without --run'
# one meaning of -p: + joins, a comma is a list, which a run has no place for
run 0 run -p gates+meters vectorAdd
run 2 run -p gates,meters vectorAdd; says err '`gates,meters` is a list.*compare'; one_sentence err
run 2 run -s policy=gates vectorAdd; says err 'there is no key policy; techniques are chosen by -p NAME'; one_sentence err
run 2 run -s scheduler=gto vectorAdd; says err 'sm.scheduler'
# bytes with their unit
run 0 run --json -s sm.l1d.bytes=32KB -s sm.l1d.ways=4 vectorAdd; mv out a; run 0 run --json -s sm.l1d.bytes=32768 -s sm.l1d.ways=4 vectorAdd
[ "$(grep '"cycles"' a)" = "$(grep '"cycles"' out)" ] || fail '32KB is not 32768 bytes'
run 2 run -s sm.l1d.bytes=32QB vectorAdd; says err "must be a whole number of bytes, not '32QB'"
run 2 run -s sm.schedulers=2KB vectorAdd; says err 'whole number'
for page in machine-code counters stalls instructions classes gpu-keys power circuits expressions; do
    run 0 reference $page; says out '^# '
    cmp -s out "$HERE/../../docs/reference-$page.md" || fail "docs/reference-$page.md is not what the code says: make docs"
done
run 2 rnu hotspot; says err 'did you mean `run`'
run 2 run; says err 'run what'
run 2 run hotspt; says err 'did you mean `hotspot`'
run 2 run --size smal hotspot; says err 'did you mean `small`'
run 2 run -g gtx48 hotspot; says err gtx480
run 2 run -s sm.schedulrs=4 hotspot; says err 'sm.schedulers'
run 2 run -s sm.schedulers=many hotspot; says err many
run 2 run -s sm.schedulers=0 hotspot; says err schedulers
run 2 run --thread hotspot; says err 'unknown option'
run 2 run --threads 0 hotspot; says err threads
run 2 run -p nosuch hotspot; says err nosuch
# found through PATH, from another folder
(cd / && PATH="$(dirname "$WARPWATT"):$PATH" warpwatt gpus) >out 2>err || fail "warpwatt through PATH: $(cat err)"
says out '^gtx480 '
run 2 run -- ; says err 'needs a program'
run 2 run -- ./no-such-program; says err 'no-such-program'
run 0 run -- true; says err 'never opened the GPU'
run 1 run -- false
# what limits occupancy is said by kernel, and only of what was timed
run 0 run --no-power lud; says out 'limited by CTA slots: ludDiagonal, ludPerimeter$'; says out 'limited by warps: ludInternal$'
run 0 run --no-power --kernels 'mergeHistogram256' histogram; says out 'possible, limited by warps$'; lacks out 'CTA slots'
# core.clock_mhz and core.vdd are listed, and a file may say them: as the option would
run 0 gpus --keys; says out '^core\.clock_mhz +number +MHz'; says out '^core\.vdd '
printf 'base: gtx480\ncore:\n  clock_mhz: 600\n  vdd: 0.9\n' >slow.yaml
run 0 gpus ./slow.yaml; grep -vE '^ *(name|path|#)' out >told
run 0 run -q --json -g gtx480 -s core.clock_mhz=600 -s core.vdd=0.9 vectorAdd
grep -E '"(cycles|core_clock_mhz|energy_j)"' out | head -5 >option
run 0 run -q --json -g ./slow.yaml vectorAdd
grep -E '"(cycles|core_clock_mhz|energy_j)"' out | head -5 >file
cmp -s option file || fail "a file's core section is not what the option is: $(cat option file)"
says file '600'; says told 'hot_mhz: 1200'
printf 'base: gtx480\ncore:\n  clock_mhz: fast\n' >bad.yaml
run 2 run -g ./bad.yaml vectorAdd; says err 'bad.yaml.*clocks.core_mhz must be a number'; one_sentence err
finish
