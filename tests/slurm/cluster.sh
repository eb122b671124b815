# A real Slurm on this machine's loopback, of this user's own processes: `cluster_up NODES CPUS [CONF LINES]` starts
# munged, slurmctld and NODES slurmd in $TMP/cluster and sets SLURM_CONF; `cluster_down` ends what it started. A script
# that sources this ends the cluster in any case when it ends. Nothing of the machine's own Slurm is touched.
cluster_pids=
cluster_skip() { echo "skipped: $*"; exit 77; }

# free ports: asks the kernel
cluster_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

cluster_daemon() { # NAME words...
    name=$1; shift
    "$@" >"$cluster/$name.out" 2>&1 &
    eval "cluster_pid_$name=$!"
    cluster_pids="$cluster_pids $!"
}

cluster_wait() { # SECONDS words...: until they succeed
    n=$(($1 * 5)); shift
    while ! "$@" >/dev/null 2>&1; do
        n=$((n - 1))
        [ $n -gt 0 ] || return 1
        sleep 0.2
    done
}

cluster_up() {
    nodes=$1 cpus=$2
    shift 2
    PATH=$PATH:/usr/sbin:/sbin
    for tool in munged slurmctld slurmd sbatch squeue scancel; do
        command -v $tool >/dev/null || cluster_skip "$tool is not installed (Debian: slurmctld, slurmd, munge, slurm-client)"
    done
    slurmd -h 2>&1 | grep -q -- '-N node' || cluster_skip "this slurmd cannot be several nodes of one machine (no -N)"
    # sockets have short names; the folder is this user's alone
    cluster=$(mktemp -d /tmp/ww-slurm.XXXXXX) || cluster_skip "no folder in /tmp"
    trap cluster_down EXIT
    trap 'exit 3' INT TERM HUP
    head -c 128 /dev/urandom >"$cluster/key"
    chmod 600 "$cluster/key"
    cluster_daemon munged munged --foreground --force --key-file="$cluster/key" --socket="$cluster/munge" \
        --pid-file="$cluster/munged.pid" --log-file="$cluster/munged.log" --seed-file="$cluster/seed" --num-threads=2
    host=$(hostname -s) user=$(id -un)
    {
        cat <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$cluster/munge
SlurmctldPort=$(cluster_port)
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmdSpoolDir=$cluster/spool.%n
StateSaveLocation=$cluster/state
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
KillWait=1
SlurmdTimeout=5
OverTimeLimit=0
CONF
        for line in "$@"; do echo "$line"; done
        for n in $(seq "$nodes"); do
            # more processors than the machine may have: they are only counted
            echo "NodeName=n$n NodeHostname=$host NodeAddr=127.0.0.1 Port=$(cluster_port) CPUs=$cpus State=UNKNOWN"
        done
        echo "PartitionName=test Nodes=ALL Default=YES MaxTime=60 State=UP"
    } >"$cluster/slurm.conf"
    mkdir "$cluster/state"
    export SLURM_CONF="$cluster/slurm.conf"
    unset SLURM_JOB_ID SLURM_ARRAY_TASK_ID SLURM_CPUS_PER_TASK
    cluster_wait 10 test -S "$cluster/munge" || cluster_skip "munged does not start here: $(tail -1 "$cluster/munged.out")"
    cluster_daemon slurmctld slurmctld -D -f "$cluster/slurm.conf"
    for n in $(seq "$nodes"); do cluster_node "$n"; done
    cluster_wait 40 cluster_idle "$nodes" || cluster_skip "Slurm does not come up here: $(tail -2 "$cluster/slurmctld.log" | tr '\n' ' ')"
}

cluster_idle() { [ "$(sinfo -h -N -o '%N %t' | grep -c idle)" -ge "$1" ]; }

cluster_node() { # N: starts node nN (again)
    mkdir -p "$cluster/spool.n$1"
    cluster_daemon "n$1" slurmd -D -N "n$1" -f "$cluster/slurm.conf"
}

# Processes of this cluster's jobs, by their environment; of one node, or of all.
cluster_processes() {
    for file in $(grep -slxzF "SLURM_CONF=$cluster/slurm.conf" /proc/[0-9]*/environ); do
        grep -sqxz "SLURMD_NODENAME=${1:-.*}" "$file" || continue
        file=${file#/proc/}
        echo "${file%/environ}"
    done
}

# Ends jobs' processes, those that watch them (slurmstepd) first.
cluster_kill() {
    found=$(cluster_processes "$@")
    for member in $found; do
        parent=$(ps -o ppid= -p "$member" | tr -d ' ')
        case $(ps -o comm= -p "${parent:-0}" 2>/dev/null) in slurmstepd*) kill -s KILL "$parent" 2>/dev/null ;; esac
    done
    for member in $found; do kill -s KILL "$member" 2>/dev/null; done
}

# Node nN dies with all that runs on it: the power is cut.
cluster_cut() {
    eval "kill -s KILL \$cluster_pid_n$1"
    cluster_kill "n$1"
}

cluster_down() {
    trap - EXIT
    [ -d "${cluster:-}" ] || return 0
    command -v scancel >/dev/null && timeout 10 scancel --me >/dev/null 2>&1
    for pid in $cluster_pids; do kill "$pid" 2>/dev/null; done
    sleep 0.5
    cluster_kill
    for pid in $cluster_pids; do kill -s KILL "$pid" 2>/dev/null; done
    wait 2>/dev/null
    [ -z "${KEEP_CLUSTER:-}" ] && rm -rf "$cluster"
    return 0
}
