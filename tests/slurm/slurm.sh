# Studies on a real Slurm (cluster.sh): two nodes of two processors, at most six jobs in the queue. Bad days of a
# cluster lose nothing, and no result differs from this machine's own.
. "$HERE/lib.sh"
. "$HERE/../slurm/cluster.sh"
MaxJobCount=6
cluster_up 2 2 MaxJobCount=$MaxJobCount MinJobAge=2 PreemptType=preempt/partition_prio PreemptMode=CANCEL \
    "PartitionName=urgent Nodes=ALL PriorityTier=10 State=UP"

small="-p none -c gto:sm.scheduler=gto -c wide:sm.l1d.bytes=49152,sm.l1d.ways=6 hotspot vectorAdd scan"
held="--size paper -p none -c gto:sm.scheduler=gto hotspot"
# on DB ARGS...: exit code in $got, said in DB.said, figures in DB.out
on() { db=$1; shift; timeout 1000 "$WARPWATT" compare --on slurm --db "$db.db" -o "$db.out" "$@" >"$db.table" 2>"$db.said"; got=$?; }
same() { # A B: the same figures
    for f in time energy edp time_us energy_uj; do cmp -s "$1/$f.csv" "$2/$f.csv" || fail "$1/$f.csv and $2/$f.csv differ"; done
}
job_variable() { tr '\0' '\n' <"/proc/$held_pid/environ" | sed -n "s/^$1=//p"; }
jobs_of() { sqlite3_ "$1.db" "select count(*) from job"; }
sqlite3_() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$@"; }
# hold DB [NODE]: stops a run of that spool in its middle (on a node); its pid is $held_pid, its array $held_array, its
# node $held_node. Slurm looks only once a minute for jobs that it can forget, so a job may wait that long for a place.
hold() {
    held_pid=
    until=$(($(date +%s) + 300))
    while [ "$(date +%s)" -lt $until ]; do
        for pid in $(pgrep -f -- "--record $TMP/$1.db.spool/\\."); do
            [ "$(ps -o comm= -p "$pid")" = warpwatt ] || continue
            [ -z "${2:-}" ] || grep -sqxzF "SLURMD_NODENAME=$2" "/proc/$pid/environ" || continue
            kill -s STOP -- "-$pid" 2>/dev/null || continue
            held_pid=$pid
            held_array=$(job_variable SLURM_ARRAY_JOB_ID) held_node=$(job_variable SLURMD_NODENAME)
            return 0
        done
        sleep 0.02
    done
    fail "no run of $1 was met in its middle"
    cat "$1.said"
    squeue
}

# the time limit, whose least is a minute: begins now, is looked at in the end
(on limit $held --bundle 0 --time 1 --retries 3; echo $got >limit.code) &
limit=$!
hold limit

run 0 compare --db here.db -o here.out $small
run 0 compare --db here2.db -o here2.out $held

# a full queue: nine elements where six have room, with one taken by the job above
on full $small --bundle 0
[ $got = 0 ] || { fail "full queue: exit code $got"; cat full.said; }
says full.said 'no room now'
says full.said '^9 jobs: 9 run, 0 kept from before, 0 failed$'
same here.out full.out
[ "$(jobs_of full)" = 9 ] || fail "full queue: $(jobs_of full) results"
ls full.db.spool | grep -qv '^lock$' && fail "the spool is not empty: $(ls full.db.spool)"
on full $small
says full.said '^9 jobs: 0 run, 9 kept from before, 0 failed$'
# runs of known length share an element: the nine took about a second
rm full.db-* 2>/dev/null
"$WARPWATT" compare --on slurm --db full.db --size twice --no-wait -p none -c gto:sm.scheduler=gto -c wide:sm.l1d.bytes=49152,sm.l1d.ways=6 hotspot vectorAdd scan >/dev/null 2>full.said || fail "sends and comes back"
says full.said 'running or queued, 0 not started'
[ "$(ls full.db.spool/*/*.json | wc -l)" -lt 9 ] || fail "nine runs of unknown length are nine elements"
run 0 compare --on slurm --db full.db --size twice --wait -p none -c gto:sm.scheduler=gto -c wide:sm.l1d.bytes=49152,sm.l1d.ways=6 hotspot vectorAdd scan
says err '^9 jobs: 9 run'

# a record in the spool that is damaged is no result: its run is sent again
# shellcheck disable=SC2086
"$WARPWATT" compare --on slurm --db damaged.db -o damaged.out --bundle 0 --no-wait $small >/dev/null 2>&1
for _ in $(seq 600); do
    set -- damaged.db.spool/*.jsonl
    [ -e "$1" ] && break
    sleep 0.2
done
python3 - "$1" <<'PY' || fail "no record to damage at $1"
import re, sys
text = open(sys.argv[1]).read()
at = text.index('"cycles":') + 9
open(sys.argv[1], 'w').write(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:])
PY
on damaged $small
[ $got = 0 ] || { fail "damaged record: exit code $got"; cat damaged.said; }
same here.out damaged.out

# a node dies in the middle of a run
(on cut $held --bundle 0; echo $got >cut.code) &
client=$!
hold cut n1
cluster_cut 1
wait $client
[ "$(cat cut.code)" = 0 ] || { fail "node cut: exit code $(cat cut.code)"; cat cut.said; }
says cut.said '^2 jobs: 2 run, 0 kept from before, 0 failed$'
same here2.out cut.out
[ "$(jobs_of cut)" = 2 ] || fail "node cut: $(jobs_of cut) results"
cluster_node 1

# a cancelled array, by another hand
(on scancelled $held --bundle 0; echo $got >scancelled.code) &
client=$!
hold scancelled
scancel "$held_array"
wait $client
[ "$(cat scancelled.code)" = 0 ] || { fail "cancelled array: exit code $(cat scancelled.code)"; cat scancelled.said; }
says scancelled.said '^2 jobs: 2 run, 0 kept from before, 0 failed$'
same here2.out scancelled.out

# another's urgent job takes a whole node, and what runs there gives way
(on preempted $held --bundle 0; echo $got >preempted.code) &
client=$!
hold preempted
cluster_wait 200 sbatch --partition urgent --nodes 1 --nodelist "$held_node" --ntasks 2 --output /dev/null --wrap true || fail "no urgent job"
wait $client
[ "$(cat preempted.code)" = 0 ] || { fail "preempted: exit code $(cat preempted.code)"; cat preempted.said; }
says preempted.said '^2 jobs: 2 run, 0 kept from before, 0 failed$'
same here2.out preempted.out

# left, asked, cancelled, asked for again
timeout 1000 "$WARPWATT" compare --on slurm --db left.db --bundle 0 -o left.out $held >/dev/null 2>left.said &
client=$!
hold left
run 2 compare --on slurm --db left.db --status $held
says err 'another command collects'
kill -s TERM $client
wait $client
[ $? = 4 ] || fail "left: another exit code"
says left.said 'the cluster goes on'
kill -0 "$held_pid" 2>/dev/null || fail "the run ended with its command"
run 0 compare --on slurm --db left.db --status $held
says err '[12] running or queued, 0 not started'
run 0 compare --on slurm --db left.db --cancel $held
says err '0 running or queued, [12] not started|^2 jobs: 2 run'
cluster_wait 60 sh -c '! squeue --me -h -t R,PD -o %F | grep -qx "$1"' - "$held_array" || fail "cancelled, and still in the queue"
on left $held
[ $got = 0 ] || fail "after a cancellation: exit code $got"
same here2.out left.out

# a run that fails by itself is named with its log, after its retries; the others are done
cat >fails.yaml <<'YAML'
name: fails
title: a run that fails
gpu: gtx480
workloads: {hotspot: {small: small}, cut: {run: vectorAdd, small: small, options: [--max-cycles, 10]}}
configurations: {plain: {}}
metrics: {t: {is: seconds}}
figures: {t: {title: time, kind: table, series: [{is: t, configuration: plain}]}}
YAML
timeout 1000 "$WARPWATT" study --on slurm --size small --db fails.db -o fails.out --retries 1 fails.yaml >out 2>err
[ $? = 1 ] || { fail "a failing run: another exit code"; cat err; }
says err '^2 jobs: 1 run, 0 kept from before, 1 failed$'
says err 'failed: vectorAdd.*\(2 times; log: .*\.log\)'
log=$(sed -n 's/.*log: \(.*\.log\)).*/\1/p' err | head -1)
[ -s "$log" ] || fail "no log at $log"

# words that sbatch refuses are its user's mistake, and said in its words
run 2 compare --on slurm --db full.db --partition nowhere -s sm.max_ctas=4 $small
says err 'sbatch refuses.*partition'
one_sentence err
run 2 compare --time 3 $small
says err 'goes with --on slurm'

# energy over clock and voltage, and all workloads of a size
run 0 dvfs --clock 400,700 --json hotspot
cp out dvfs.here
run 0 dvfs --on slurm --db dvfs.db --clock 400,700 --json hotspot
python3 - <<'PY' || fail "dvfs differs"
import json
a, b = json.load(open("dvfs.here"))["points"], json.load(open("out"))["points"]
assert len(a) == len(b) == 2
for x, y in zip(a, b):
    for k in x:
        assert x[k] == y[k] or abs(x[k] / y[k] - 1) < 1e-9, (k, x[k], y[k])
PY
run 0 run --all --on slurm --db all.db --size bench --no-wait
says out 'running or queued|9 run'
run 0 run --all --on slurm --db all.db --size bench --cancel
# a sweep by generations
printf 'workloads: [vectorAdd]\nmethod: search\npopulation: 4\ngenerations: 2\naxes: {sm.scheduler: [lrr, gto], core.clock_mhz: {from: 400, to: 700, step: 50}}\n' >s.yaml
run 0 sweep --db sweep.here.db -o sweep.here s.yaml
run 0 sweep --on slurm --db sweep.db -o sweep s.yaml
cmp -s sweep.here/points.csv sweep/points.csv || fail "the sweep differs"
for word in left all; do ls $word.db.spool/*.ticket >/dev/null 2>&1 && fail "$word: a ticket is left"; done

wait $limit
[ "$(cat limit.code)" = 0 ] || { fail "time limit: exit code $(cat limit.code)"; cat limit.said; }
says limit.said '^2 jobs: 2 run, 0 kept from before, 0 failed$'
same here2.out limit.out
cluster_down
pgrep -f "slurm.*$cluster" && fail "something of the cluster is left"
finish
