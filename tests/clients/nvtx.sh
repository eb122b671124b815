# NVTX as PyTorch holds it (version 3, in its library): ranges are levels of the account, the backward pass's threads count where
# the program says so, operators are ranges under emit_nvtx; --nvtx and --profiled say what is timed.
. "$HERE/lib.sh"
needs numpy torch
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
"$WARPWATT" run -q -g "${WARPWATT_TORCH_GPU:-v100}" -o "$folder/all" -- "$python" "$HERE/nvtx_client.py" || exit 1
"$WARPWATT" run -q --no-power -g "${WARPWATT_TORCH_GPU:-v100}" -o "$folder/one" --nvtx '^step 1/backward' -- "$python" "$HERE/nvtx_client.py" || exit 1
"$WARPWATT" run -q --no-power -g "${WARPWATT_TORCH_GPU:-v100}" -o "$folder/profiled" --profiled -- "$python" "$HERE/nvtx_client.py" || exit 1
exec "$python" - "$folder" <<'P'
import csv, json, sys
def rows(name): return {r['path']: r for r in csv.DictReader(open(f'{sys.argv[1]}/{name}/ranges.csv'))}
def launches(name): return json.load(open(f'{sys.argv[1]}/{name}/run.json'))['launches']
r = rows('all')
for s in ('step 0', 'step 1'):
    layers = [r[f'{s}/forward/layer {i}'] for i in range(4)]
    assert all(int(l['launches']) >= 1 and float(l['energy_j']) > 0 for l in layers)
    assert int(r[s + '/backward']['launches']) > 4
    parts = [r[f'{s}/{p}'] for p in ('forward', 'backward', 'optimiser')]
    assert sum(int(p['launches']) for p in parts) <= int(r[s]['launches'])
    assert sum(float(p['energy_j']) for p in parts) <= float(r[s]['energy_j']) * (1 + 1e-9)
assert r['operators/aten::mul']['times'] == '3' and r['operators/named/aten::add']['launches'] == '1', sorted(r)
timed = lambda name: [l for l in launches(name) if not l['functional']]
assert len(timed('one')) == int(r['step 1/backward']['launches']) and len(timed('profiled')) == 2
assert all(l['functional'] for l in launches('one') if l not in timed('one'))
print('ok')
P
