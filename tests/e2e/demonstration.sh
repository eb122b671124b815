# What `make run` shows: hotspot on gtx480 with checked results and the words a person looks for.
. "$HERE/lib.sh"
run 0 run -g gtx480 hotspot
for word in 'results checked' cycles IPC occupancy 'issue slots' L1 L2 DRAM kernels; do says out "$word"; done
run 0 run --json hotspot
python3 - <<'P' || fail "issue slots do not add up"
import json
j = json.load(open('out'))
a = j['activity']
slots = a['issue_slots']
dual = 1
owned = sum(s for i, s in enumerate(slots) if i != dual)
assert owned == j['gpu']['schedulers'] * a['sm_busy_cycles'], (owned, j['gpu']['schedulers'] * a['sm_busy_cycles'])
assert slots[0] + slots[dual] == a['warp_instructions']
P
# memory: under 200 MB plus the program's own data
python3 - "$WARPWATT" <<'P' || fail "the simulator takes too much memory"
import resource, subprocess, sys
subprocess.run([sys.argv[1], 'run', '-q', 'hotspot'], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(mb, 'MB')
import os
assert mb < 200 or 'sanitize' in sys.argv[1], mb
P
finish
