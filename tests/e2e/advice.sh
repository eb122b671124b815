# Findings hold when their cause is removed: kernels with a defect are told so, the same work without it is
# not, and what the finding said it is worth lies within a factor of two of what the cure gave.
. "$HERE/lib.sh"
cp "$HERE/ptx/advice.ptx" .
# limit ENTRY REGISTERS: the kernels, one of them with no more registers a thread
limit() { sed "/^.visible .entry $1(/,/^{/{/^)/a .maxnreg $2
}" "$HERE/ptx/advice.ptx"; }
limit spills 16 >few.ptx
limit registers 20 >fewer.ptx
cmp -s few.ptx advice.ptx && fail "no limit of registers"
look() { # NAME ENTRY GRID ARGS...
    name=$1 entry=$2 grid=$3; shift 3
    set -- "$@"
    args= gpu=${on:+-g $on}
    for a in "$@"; do args="$args --arg $a"; done
    # shellcheck disable=SC2086
    run 0 run -q -o "$name" $gpu "${ptx:-advice.ptx}" --entry "$entry" --grid "$grid" --block "${block:-256}" --repeat "${repeat:-1}" $args
    run 0 report --json "$name"
    cp out "$name.json"
}
for w in bad good; do
    look coalesce_$w coalesce_$w 60 'f32[262144]=random:0:1:7' 'f32[1048576]=zero' u32=262144
    look banks_$w banks_$w 60 'f32[4096]=random:0:1:7' 'f32[65536]=zero' u32=8
    look diverge_$w diverge_$w 60 'f32[4096]=random:0:1:7' 'f32[65536]=zero' u32=64
    look rows_$w rows_$w 90 'f32[8847360]=zero' 'f32[65536]=zero' u32=24
    look atomics_$w atomics_$w 30 'f32[4096]=zero' 'u32[4]=zero' u32=8
done
ptx=few.ptx
look spills_bad spills 90 'f32[4096]=const:0.5' 'f32[65536]=zero' u32=32
ptx=
look spills_good spills 90 'f32[4096]=const:0.5' 'f32[65536]=zero' u32=32
look registers_bad registers 90 'f32[1048576]=zero' 'f32[65536]=zero' u32=120
ptx=fewer.ptx
look registers_good registers 90 'f32[1048576]=zero' 'f32[65536]=zero' u32=120
ptx=
on=gt240
for w in bad good; do
    look tesla_$w coalesce_$w 60 'f32[262144]=random:0:1:7' 'f32[1048576]=zero' u32=262144
done
on=
block=64
for w in bad good; do
    look occupancy_$w occupancy_$w 240 'f32[1048576]=zero' 'f32[65536]=zero' u32=24
done
repeat=40 # the same 600 blocks, in forty launches or in one
look launch_bad launches 15 'f32[4096]=zero' 'f32[65536]=zero' u32=4
repeat=1
look launch_good launches 600 'f32[4096]=zero' 'f32[65536]=zero' u32=4
look latency_bad latency 15 'f32[4096]=random:0:1:7' 'f32[65536]=zero' u32=4000
look latency_good latency 120 'f32[4096]=random:0:1:7' 'f32[65536]=zero' u32=500
block=256
for w in bad good; do
    look barriers_$w barriers_$w 15 'f32[4096]=random:0:1:7' 'f32[65536]=zero' u32=64
    look busy_$w busy_$w 60 'f32[4096]=random:0:1:7' 'f32[65536]=zero' u32=64
    look fetch_$w fetch_$w 30 'f32[4096]=random:0:1:7' 'f32[65536]=zero' u32=4
done
look tail_bad tail 96 'f32[4096]=zero' 'f32[65536]=zero' u32=400
look tail_good tail 90 'f32[4096]=zero' 'f32[65536]=zero' u32=400
python3 - <<'P' || fail "findings"
import json
load = lambda n: json.load(open(n + '.json'))
def one(name, rule, work=1.0):  # work: of the good run, over the bad one's
    bad, good = load(name + '_bad'), load(name + '_good')
    found = [f for f in bad['findings'] if f['rule'] == rule]
    assert len(found) == 1, (name, [f['rule'] for f in bad['findings']])
    assert rule not in [f['rule'] for f in good['findings']], name
    for x in bad['findings'] + good['findings']:
        assert x['kernel'] and x['evidence'] and x['cure'] and x['time_s'] > 0 and x['energy_j'] > 0, x
        assert x['text'] and x['ptx'] > 0, x
    f, b, g = found[0], bad['totals'], good['totals']
    time = b['seconds'] - g['seconds'] / work
    assert 0.5 < f['time_s'] / time < 2, (name, 'time', f['time_s'], time)
    energy = b['energy_j'] - g['energy_j'] / work
    assert 0.5 < f['energy_j'] / energy < 2, (name, 'energy', f['energy_j'], energy)
    return f
# each lane of coalesce_bad's load has a line of its own; those of banks_bad's want two banks
def memory(name, text, *keys):
    i = [i for i in load(name)['codes'][0]['instructions'] if i['text'].startswith(text) and i['issues']][0]
    return [i.get(k, 0) for k in keys]
for text, name, each in (('LDG', 'coalesce_bad', 32), ('STG', 'coalesce_bad', 1), ('LDG', 'coalesce_good', 1)):
    accesses, transactions = memory(name, text, 'accesses', 'transactions')
    assert accesses and transactions == each * accesses, (name, text, accesses, transactions)
    energy = lambda t: memory(name, t, 'dynamic_j')[0]
    if name == 'coalesce_bad': assert energy('LDG') > 5 * energy('STG'), (energy('LDG'), energy('STG'))
for name, each in (('banks_bad', 15), ('banks_good', 0)):
    passes, conflicts = memory(name, 'LDS', 'passes', 'conflicts')
    assert passes and conflicts * (each + 1) == passes * each, (name, passes, conflicts)
assert one('coalesce', 'uncoalesced')['text'].startswith(('LDG', 'STG'))
assert one('banks', 'bank-conflicts')['text'].startswith('LDS')
one('diverge', 'divergence')
assert one('atomics', 'atomics')['text'].startswith(('ATOM', 'RED'))
one('tail', 'tail', 90 / 96)
one('occupancy', 'occupancy')
assert 'limited by shared memory' in [f for f in load('occupancy_bad')['findings'] if f['rule'] == 'occupancy'][0]['evidence']
assert 'limited by registers' in one('registers', 'occupancy')['evidence']
assert one('latency', 'latency')['evidence'].startswith('2.0 of 48 warps')
assert one('barriers', 'barriers')['text'].startswith('BAR')
assert 'special-function' in one('busy', 'unit-busy')['evidence']
one('fetch', 'fetch')
assert one('spills', 'spills')['text'].startswith(('LDL', 'STL'))
assert one('rows', 'dram-rows')['text'].startswith('LDG')
# half-warps of Tesla take a transaction each: two are no defect there
rules = lambda n: [f['rule'] for f in load(n)['findings']]
assert 'uncoalesced' in rules('tesla_bad') and 'uncoalesced' not in rules('tesla_good'), (rules('tesla_bad'), rules('tesla_good'))
one('launch', 'launch-bound')
P
finish
