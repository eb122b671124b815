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
# `make run` builds what that needs, and no test
build=$(dirname "$WARPWATT")
if command -v ninja >/dev/null && [ -f "$build/build.ninja" ]; then
    ninja -C "$build" -t commands demonstration >steps
    says steps 'workloads/hotspot/hotspot'; says steps 'libcuda.so'; lacks steps 'WW_TEST_DIR|/tests/|workloads/bfs'
    [ "$(wc -l <steps)" -lt 520 ] || fail "the demonstration takes $(wc -l <steps) steps"
fi
# `make test` says how far it is, and keeps all that its tools say
sed -n '/^progress()/,/^}/p' "$HERE/../../tools/test" >progress.sh
[ -s progress.sh ] || fail "tools/test shows no progress"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo "[$i/20] step"; echo "   a line [3/x] of \\ 7/0"; done >said
# shellcheck disable=SC1091
(. ./progress.sh; progress kept build <said 2>shown)
cmp -s said kept || fail "the log of a build is not what it said"
[ "$(wc -l <shown)" = 10 ] && says shown '^build: 20/20$' || { fail "progress shows"; cat shown; }
finish
