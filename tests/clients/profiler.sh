# torch.profiler (Kineto) through CUPTI's activities: every kernel and copy of the profiled part once, with the account's times,
# beside the operators that asked for them.
. "$HERE/lib.sh"
needs numpy torch
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
"$WARPWATT" run -q --no-power -g "${WARPWATT_TORCH_GPU:-v100}" -o "$folder/run" -- "$python" "$HERE/profiler_client.py" "$folder" || exit 1
exec "$python" - "$folder" <<'P'
import json, sys
told = json.load(open(sys.argv[1] + '/told.json'))
steps = json.load(open(sys.argv[1] + '/run/run.json'))['steps']['list']
steps = steps[told['before']:]
assert len(told['events']) == sum(s['times'] for s in steps) > 10, (len(told['events']), len(steps))
assert abs(sum(e['us'] for e in told['events']) - 1e6 * sum(s['seconds'] for s in steps)) < 0.05 # each is rounded to nanoseconds
for name in ('gemm_small_tn', 'gemm_small_nn', 'Memcpy'):
    mine = [s for s in steps if name in s['method'] or (name == 'Memcpy' and 'bytes' in s)]
    theirs = [e for e in told['events'] if name in e['name']]
    assert theirs and abs(sum(e['us'] for e in theirs) - 1e6 * sum(s['seconds'] for s in mine)) < 0.01, name
starts = [e['start'] for e in told['events']]
assert starts == sorted(starts)
assert told['operators']['aten::addmm'] > 0 and told['operators']['aten::mm'] > 0
print('ok')
P
