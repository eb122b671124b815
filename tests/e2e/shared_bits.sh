# Front ends shared by two and four SMs change no bit of what any workload computes: everything that its host reads
# from the GPU is as without sharing, and still is when each front-end group is ungrouped at a drawn cycle of each kernel.
# At most once a kernel each; instructions are shared where a grid has a set of blocks.
. "$HERE/lib.sh"
python3 - "$WARPWATT" "$HERE/../.." <<'P' || fail "a shared front end changed a result"
import json, os, re, subprocess, sys
command, root = sys.argv[1:]
more = {'LIB': '512 8 10', 'lavaMD': '2 2 1', 'myocyte': '1 128 1', 'eigenvalues': '600 256'} # small is less than a set
names = sorted(n for n in os.listdir(f'{root}/workloads') if os.path.exists(f'{root}/workloads/{n}/workload.yaml'))
assert len(names) == 50, len(names)

def run(name, how, sm_count, *words):
    bits = f'{name}.{how}'
    p = subprocess.run([command, 'run', '--json', '--no-power', '--no-progress', '-g', 'gtx480-16sm', '-s', f'sm_count={sm_count}',
                        '-s', 'sm.scheduler=gto', *words, name, *more.get(name, '').split()], capture_output=True, text=True, env=dict(os.environ, WARPWATT_RESULTS=bits))
    assert p.returncode == 0, (name, how, p.stderr)
    with open(bits, 'rb') as f: return f.read(), json.loads(p.stdout)

def check(name):
    want, _ = run(name, 'alone', 8)
    assert want and any(want), name
    said, shared = [], {}
    for sms in (2, 4):
        share = '-p', 'front-end-sharing', '-s', f'savings.front_end_group_sms={sms}'
        got, j = run(name, f'shared{sms}', 8, *share)
        if got != want: said.append(f'{name}, {sms} SMs: {sum(a != b for a, b in zip(got, want))} of {len(want)} bytes differ')
        shared[sms] = j['activity']['shared_instructions']
        # one front-end group, so that a launch says how often it was ungrouped
        got, j = run(name, f'ungrouped{sms}', sms, *share, '-s', 'savings.ungroup_within=2000')
        if got != want: said.append(f'{name}, {sms} SMs, ungrouped: {sum(a != b for a, b in zip(got, want))} of {len(want)} bytes differ')
        for l in j['launches']:
            if l['activity']['ungroups'] > 1: said.append(f'{name}, {sms} SMs: {l["kernel"]}: {l["activity"]["ungroups"]} ungroups')
        if j['activity']['ungroups'] == 0: said.append(f'{name}, {sms} SMs: nothing was ungrouped')
    return name, shared, said

done = [check(name) for name in names]
for _, _, said in done:
    for s in said: print(s)
for sms in (2, 4):
    alone = {n for n, shared, _ in done if shared[sms] == 0}
    assert not alone, (sms, alone)
assert not any(said for _, _, said in done)
P
finish
