# However a program ends, and whichever process a signal reaches: both are gone within a second, and
# the account holds what had finished. What is missing from an account fails the run.
. "$HERE/lib.sh"
p=$(dirname "$WARPWATT")/tests/driver/driver_process # its cases are programs (tests/driver/process.c)
[ -x "$p" ] || { echo "tests/driver is not built"; exit 77; }
quick="run -q --no-power --no-progress"

run 0 run --no-power -- "$p" returns; says err '2 launches'
run 0 run --no-power -- "$p" "forks before"; says err '2 launches of 2 processes'
# shellcheck disable=SC2086
run 0 $quick --json -- sh -c "'$p' returns; '$p' 'forks before'; '$p' returns"
python3 - <<'P' || fail "a run of several processes has the launches of all"
import json
r = json.load(open('out'))
assert r['processes'] == 4 and r['complete'] and r['totals']['launches'] == 6, r['totals']
ids = [l['id'] for l in r['launches']]
assert len(ids) == 6 and len(set(ids)) == 6, ids
assert r['totals']['cycles'] == 0 or r['totals']['kernel_cycles'] == sum(l['cycles'] for l in r['launches'])
P
# how it ended, and not whose check failed
run 1 run --no-power -- "$p" exits; says err 'ended with exit code 3'; lacks err 'check failed'
run 1 run --no-power -- "$p" aborts; says err 'ended by SIGABRT'; lacks err 'check failed'
run 1 run -- false; says err 'ended with exit code 1 before it used the GPU'
# it leaves without exit()
cat >leave.py <<'P'
import ctypes, os, sys
cuda = ctypes.CDLL('libcuda.so.1')
ptx = b'.version 4.2\n.target sm_20\n.address_size 64\n.visible .entry quick() { ret; }\n'
c, m, f = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
def ok(r): assert r == 0, r
ok(cuda.cuInit(0)); ok(cuda.cuCtxCreate_v2(ctypes.byref(c), 0, 0))
ok(cuda.cuModuleLoadData(ctypes.byref(m), ptx)); ok(cuda.cuModuleGetFunction(ctypes.byref(f), m, b'quick'))
block = int(sys.argv[2]) if len(sys.argv) > 2 else 32
for i in range(3):
    r = cuda.cuLaunchKernel(f, 1, 1, 1, block, 1, 1, 0, None, None, None)
    assert (r == 0) == (block <= 1024), r
ok(cuda.cuCtxSynchronize())
if sys.argv[1] == 'leave': os._exit(0)
P
run 0 run --no-power -- python3 leave.py stay
run 0 run --no-power -- python3 leave.py leave; says err '3 launches'; lacks err 'cut off'
# a process of several was cut off
run 4 run --no-power -- sh -c "'$p' returns; '$p' aborts; true"
says err '1 of 2 processes were cut off'; says err 'incomplete'; says err '3 launches'
# refused launches are counted, said once and decide the exit code
run 3 run --no-power -- python3 leave.py stay 2000
says err '3 launches refused'; says err 'refused 3 times:.* launch of quick.*2000'
[ "$(grep -c 'launch of quick' err)" = 2 ] || { fail "said once when it happens, once in the summary"; cat err; }
run 0 run --lenient --no-power -- python3 leave.py stay 2000; says err '3 launches refused'

# the account cannot be written
run 2 run --record /dev/full -- "$p" returns; says err 'no regular file'; one_sentence err
run 2 run --record /dev/null -- "$p" returns; one_sentence err
run 2 run --record absent/record -- "$p" returns; says err 'absent/record'; one_sentence err
limited() { # CODE BLOCKS ARGS...: a disk that takes so many blocks of 512 bytes
    code=$1 blocks=$2; shift 2
    python3 - "$blocks" "$WARPWATT" "$@" >out 2>err <<'P'
import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
r = os.fork()
if r == 0:
    out, err = os.pipe(), os.pipe()
    q = os.fork()
    if q == 0:
        os.dup2(out[1], 1); os.dup2(err[1], 2)
        for fd in out + err: os.close(fd)
        resource.setrlimit(resource.RLIMIT_FSIZE, (512 * int(sys.argv[1]),) * 2)
        os.execv(sys.argv[2], sys.argv[2:])
    os.close(out[1]); os.close(err[1])
    print(os.fdopen(err[0]).read(), file=sys.stderr, end='')
    os._exit(os.waitstatus_to_exitcode(os.waitpid(q, 0)[1]))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(r, 0)[1]))
P
    got=$?
    [ "$got" = "$code" ] || { fail "with $blocks blocks, warpwatt $*: exit code $got, wanted $code"; head -5 err; }
}
cp "$HERE/ptx/saxpy.ptx" .
saxpy="saxpy.ptx --grid 1 --block 32 --arg f32=1 --arg f32[32]=zero --arg f32[32]=zero --arg u32=32"
for n in 0 2; do
    # shellcheck disable=SC2086
    {
        limited 2 $n $quick --record full.jsonl -- "$p" returns; says err 'File too large'
        TMPDIR=$TMP limited 2 $n $quick -- "$p" returns
        limited 2 $n run -q -o full -- "$p" returns
        limited 2 $n run -q vectorAdd
        limited 2 $n run -q $saxpy
        limited 2 $n run -q -o full $saxpy
    }
done
limited 2 24 run -q -o full $saxpy # the record fits, what is made of it does not
limited 2 0 power -g gt240 -o full "$HERE/../../docs/activity-example.xml"
limited 2 0 extract -o full "$HERE/../fatbin/data/program.elf"
limited 2 0 dvfs -o full --clock 700 vectorAdd
# a record of before is not taken for this run's
run 0 run -q -o again -- "$p" returns
run 0 run -o again -- true; says err 'never opened the GPU'
# nor does it go astray with the program
mkdir -p elsewhere; run 0 run --no-power --record here.jsonl -- sh -c "cd elsewhere && '$p' returns"
[ -s here.jsonl ] || fail "the record followed the program into another folder"

# signals
cat >signals.py <<'P'
import glob, json, os, signal, subprocess, sys, time
warpwatt, program = sys.argv[1:3]
for name in ('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'): signal.signal(getattr(signal, name), signal.SIG_DFL)
bad = 0
def processes(mark):
    found = []
    for p in glob.glob('/proc/[0-9]*/environ'):
        try:
            if mark in open(p, 'rb').read(): found.append(int(p.split('/')[2]))
        except OSError: pass
    return found
def case(what, words, number, launches, ends, code):
    global bad
    mark = f'WARPWATT_TEST_MARK={os.getpid()}-{time.time()}'.encode()
    for f in glob.glob('signal.jsonl*'): os.remove(f)
    env = dict(os.environ); k, v = mark.decode().split('='); env[k] = v
    r = subprocess.Popen([warpwatt, 'run', '-q', '--no-power', '--no-progress', '--record', 'signal.jsonl', '--'] + words,
                         env=env, stdout=subprocess.PIPE, stderr=open('signal.err', 'w'), start_new_session=True)
    assert r.stdout.read(1) == b'!'
    time.sleep(0.2)
    began = time.time()
    r.send_signal(number)
    r.wait(timeout=60)
    while processes(mark) and time.time() - began < 20: time.sleep(0.02)
    took = time.time() - began
    for p in processes(mark): os.kill(p, signal.SIGKILL)
    lines = [json.loads(l) for f in glob.glob('signal.jsonl*') for l in open(f)]
    n, e = (sum(l['type'] == t for l in lines) for t in ('launch', 'end'))
    # ten times the second that a quiet machine takes
    if took > 10 or n < launches or e != ends or code is not None and r.returncode != code:
        bad = 1
        print(f'{what}, signal {number}: {took:.2f} s, {n} launches, {e} ends, code {r.returncode}', open('signal.err').read())
    else: print(f'{what}, signal {number}: {took:.2f} s')
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL):
    code = 4 if number != signal.SIGKILL else -9
    case('in a launch', [program, 'interrupted'], number, 2, 1, code)
    case('in its own code', [program, 'interrupted in host code'], number, 1, 1, code)
    case('started by a shell', ['sh', '-c', f"'{program}' 'interrupted'; true"], number, 2, 1, code)
    deaf = number == signal.SIGTERM # the program ignores it, and is killed: no totals
    case('deaf', [program, 'ignores signals'], number, 1 if deaf else 2, 0 if deaf else 1, code)
case('takes it for itself', [program, 'has a handler'], signal.SIGINT, 2, 1, 0)
sys.exit(bad)
P
python3 signals.py "$WARPWATT" "$p" || fail "a signal to warpwatt alone"
finish
