# --toggle: bits that change are counted against what was on the same wires before, energy goes by them, and
# nothing else moves: the same cycles and results, and without it the same energy as ever.
. "$HERE/lib.sh"
bare() { # NAME OPTIONS...: one warp of saxpy, x = 0..31, y = 1
    name=$1; shift
    run 0 run -q --json "$@" "$HERE/ptx/saxpy.ptx" --grid 1 --block 32 --arg f32=2 --arg 'f32[32]=iota' --arg 'f32[32]=const:1' --arg u32=32
    cp out "$name.json"
}
bare off
bare on --toggle
for d in 0 1 2; do
    run 0 run -q --json --toggle -o m$d matrixMul 128 128 128 1 $d
    sed '/^matrixMul: /d' out >m$d.json
    run 0 report --json m$d
    cp out v$d.json
done
run 0 run -q --json matrixMul 128 128 128 1 0
sed '/^matrixMul: /d' out >plain.json
run 0 run -q --json --toggle -j 3 matrixMul 128 128 128 1 0
sed '/^matrixMul: /d' out >threads.json
python3 - <<'P' || fail "toggle"
import json, struct
load = lambda n: json.load(open(n + '.json'))
off, on, m, plain = load('off'), load('on'), [load('m%d' % d) for d in range(3)], load('plain')
act = lambda o, n: o['activity'][n]
names = [n for n in on['activity'] if n.startswith('toggle_')]
sum_of = lambda v: sum(v) if isinstance(v, list) else v
assert names and all(sum_of(act(off, n)) == 0 for n in names)
assert all(on['activity'][n] == v for n, v in off['activity'].items() if n not in names)
assert on['summary']['cycles'] == off['summary']['cycles']
# saxpy's warp moves x, y and 2x + y over the data wires, which are 0 at first: x or y comes first
bits = lambda f: struct.unpack('<I', struct.pack('<f', f))[0]
count = lambda v: bin(v).count('1')
x, y, r = [[bits(f(float(i))) for i in range(32)] for f in (lambda i: i, lambda i: 1.0, lambda i: 2 * i + 1)]
def moved(*rows): return sum(count(a ^ b) for p, q in zip(([0] * 32,) + rows, rows) for a, b in zip(p, q))
assert act(on, 'toggle_global_bits') in (moved(x, y, r), moved(y, x, r)), (act(on, 'toggle_global_bits'), moved(x, y, r), moved(y, x, r))
assert act(on, 'toggle_global_words') == 96
assert act(on, 'toggle_results')[2] == 32 and act(on, 'toggle_result_bits')[2] == sum(map(count, r))  # one FFMA
# every row that is read and every word that is written is counted
assert act(on, 'toggle_reads') == act(on, 'rf_reads') and act(on, 'toggle_writes') == act(on, 'rf_writes')
assert act(m[0], 'toggle_shared_words') == act(m[0], 'shared_lanes')
assert [act(load('threads'), n) for n in names] == [act(m[0], n) for n in names], 'host threads change the count'
# zeros change nothing where data moves; random data most; cycles are the same
assert act(m[1], 'toggle_global_bits') == act(m[1], 'toggle_shared_bits') == act(m[1], 'toggle_result_bits')[2] == 0
joules = [o['power']['kernels']['dynamic_j'] for o in m]
assert joules[1] < 0.8 * joules[2] < joules[2] < joules[0], joules
assert len({o['summary']['cycles'] for o in m + [plain]}) == 1
assert len({o['power']['kernels']['static_j'] for o in m + [plain]}) == 1
# what half of the bits would cost is what the run without --toggle says: the reads of registers
def part(o, name):
    p = [c for c in o['power']['components'] if c['name'] == name][0]
    return p['dynamic_j']
for name, words, changed, size, share in (('rf_crossbar', 'toggle_reads', 'toggle_read_bits', 1024, 1), ('collectors', 'toggle_reads', 'toggle_read_bits', 1024, .46),
                                          ('result_bus', 'toggle_writes', 'toggle_write_bits', 1024, 1)):
    for o in m:
        want = 1 - share + share * 2 * act(o, changed) / size / act(o, words)
        assert abs(part(o, name) / part(plain, name) - want) < 1e-9, (name, part(o, name) / part(plain, name), want)
# sums hold
for d in range(3):
    v, total = load('v%d' % d), m[d]['power']['kernels']['energy_j']
    parts = v['uncounted_j'] + sum(c['idle_j'] + sum(i['dynamic_j'] + i['static_j'] for i in c['instructions']) for c in v['codes'])
    assert abs(parts / total - 1) < 1e-9, (parts, total)
P
# a share is a key of the GPU file; wrong ones are refused
run 0 run -q --json --toggle -s power.data_lanes=0 -s power.data_net=0 -s power.data_shared=0 -s power.data_shared_crossbars=0 \
    -s power.data_rf_banks=0 -s power.data_collectors=0 -s power.data_rf_crossbar=0 -s power.data_result_bus=0 matrixMul 128 128 128 1 0
sed '/^matrixMul: /d' out >none.json
python3 -c "
import json
j = lambda n: json.load(open(n))['power']['kernels']['energy_j']
assert j('none.json') == j('plain.json')" || fail "shares of 0"
"$WARPWATT" run -s power.data_lanes=2 matrixMul >out 2>err && fail "a share above 1 passes"
says err 'data_lanes'
run 2 run --toggle --functional hotspot
says err 'would change nothing'
finish
