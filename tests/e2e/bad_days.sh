# What goes wrong gets one clear sentence, and nothing that was done is lost.
. "$HERE/lib.sh"
p="$HERE/ptx"
run 4 run "$p/forever.ptx" --max-cycles 20000; says err 'forever'; says err 'max|limit|cycles'
run 4 run --functional "$p/forever.ptx" --max-cycles 20000; says err 'forever'
run 4 run -s deadlock_cycles=20000 "$p/deadlock.ptx" --block 64; says err 'barrier'; says err 'warp'
# which barrier, where a part of a warp waits and the rest has ended behind it
for gpu in v100 gtx480; do
    run 4 run -g $gpu "$p/barrier_part.ptx" --block 64
    says err 'warp 0: waits at a barrier, PTX line 15: BAR.SYNC 1, .*lanes 0x0000ffff wait at barrier 1, where 32 of 64 threads have come'
    says err 'warp 1: waits at a barrier, PTX line 19: BAR.SYNC 2, .*lanes 0xffffffff wait at barrier 2, where 32 of 64 threads have come'
    lacks err EXIT
    run 4 run --functional -g $gpu "$p/barrier_part.ptx" --block 64
    says err 'warp 0 waits at barrier 1 .PTX line 15., where 32 of 64 threads have come'
done
run 1 run "$p/bad_access.ptx" --block 64 --arg 'u32[16]=zero'
says err 'bad_access'; says err 'thread'; says err '0x[0-9a-f]+'; says err 'line 1[0-9]|:1[0-9]'
run 3 run "$p/tensor.ptx"; says err 'tensor.ptx:8:'; says err 'mma'; one_sentence err
run 2 run no-such.ptx; says err 'no-such.ptx'; one_sentence err
run 2 run "$TMP" ; one_sentence err
mkdir folder.ptx; run 2 run folder.ptx; says err directory; one_sentence err
head -c 300 "$p/saxpy.ptx" >cut.ptx; run 2 run cut.ptx; says err 'cut.ptx:[0-9]+:[0-9]+'
head -c 3000 /dev/urandom >noise.ptx; run 2 run noise.ptx; says err noise.ptx
: >empty.ptx; run 2 run empty.ptx; says err empty.ptx
printf '.version 3.1\n.target sm_20\n.visible .entry k() { .reg .b32 %%r<4000000000>; ret; }\n' >huge.ptx; run 2 run huge.ptx; says err huge.ptx
run 1 run "$p/forever.ptx" --grid 0; one_sentence err
run 1 run "$p/forever.ptx" --block 0; one_sentence err
run 1 run "$p/forever.ptx" --block 2048; says err '1024'; one_sentence err
run 1 run "$p/forever.ptx" --grid 1,70000; says err '65535'; one_sentence err
run 1 run "$p/forever.ptx" --shared 1000000; one_sentence err
run 1 run "$p/bad_access.ptx" --arg 'u32[1000000000]=zero'; says err 'room|memory'; one_sentence err
# a full disk
if [ -c /dev/full ]; then
    "$WARPWATT" run --json "$p/saxpy.ptx" --grid 1 --block 32 --arg f32=1 --arg 'f32[32]=zero' --arg 'f32[32]=zero' --arg u32=32 >/dev/full 2>err
    [ $? = 2 ] || fail "a full disk must be exit code 2"
    says err 'No space left'
fi
# temporary files go where TMPDIR says, and nowhere else
for words in "bench -n 1" "bench --techniques -n 1" "run vectorAdd" "dvfs vectorAdd"; do
    # shellcheck disable=SC2086
    TMPDIR=$TMP/absent run 2 $words; says err "temporary (file|folder) $TMP/absent/warpwatt"; one_sentence err
done
echo file >notdir; run 2 run -o notdir/sub hotspot; says err notdir; one_sentence err
run 2 run -o /proc/none hotspot; one_sentence err
# Ctrl-C: what is known so far, and a valid partial result. (A shell starts background jobs with
# SIGINT ignored; a fresh interpreter restores it.)
python3 - "$WARPWATT" "$p/clock_forever.ptx" <<'P' || fail "Ctrl-C did not leave a valid partial result"
import json, os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
r = subprocess.Popen([sys.argv[1], 'run', '-o', 'partial', sys.argv[2], '--grid', '30', '--block', '64'],
                     stderr=subprocess.PIPE, text=True)
time.sleep(1.0)
r.send_signal(signal.SIGINT)
err = r.communicate(timeout=60)[1]
assert r.returncode == 4, (r.returncode, err)
j = json.load(open('partial/run.json'))
assert j['launches'][0]['cycles'] > 0 and j['launches'][0]['status'] != 0, j['launches'][0]['status']
assert 'interrupted' in err, err
P
# killed: the launches that had finished stay
python3 - "$WARPWATT" <<'P' || fail "a killed run lost what was finished"
import json, signal, subprocess, sys, time, os
r = subprocess.Popen([sys.argv[1], 'run', '-o', 'killed', '--size', 'paper', 'mergeSort'], stderr=subprocess.DEVNULL,
                     stdout=subprocess.DEVNULL, start_new_session=True)
for _ in range(600):
    time.sleep(0.1)
    if os.path.exists('killed/partial/record.jsonl') and sum('"launch"' in l for l in open('killed/partial/record.jsonl')) > 1: break
    if r.poll() is not None: break
os.killpg(r.pid, signal.SIGKILL) if r.poll() is None else None
r.wait()
lines = open('killed/partial/record.jsonl').read().split('\n')
ok = [json.loads(l) for l in lines[:-1]]
assert ok[0]['type'] == 'run' and [l for l in ok if l['type'] == 'launch'][0]['cycles'] > 0
P
# tensor cores on a GPU that has none; lanes of one warp that wait for each other
ptx="$HERE/../exec/ptx"
run 3 run -g gtx480 "$ptx/gen_mma_884.ptx" --arg 'u32[16]=zero' --arg 'u32[16]=zero'
says err 'gen_mma_884.ptx:[0-9]+:.*7.0 \(Volta\)'
volta="-g gtx780 -s cc_major=7 -s cc_minor=0 -s sm.gen=volta -s sm.tensor_units=4"
run 4 run $volta "$ptx/its_deadlock.ptx" --block 32 --arg 'u32[512]=zero' --arg 'u32[1]=zero'
says err 'SHFL.*lanes 0x[0-9a-f]+ wait at (SHFL|WARPSYNC) .PTX line [0-9]+. for lanes'
run 0 run $volta "$ptx/its_spin.ptx" --grid 2 --block 64 --arg 'u32[128]=zero?print=65' --arg 'u32[1]=zero'
says out '^argument 1: .* 128$'
finish
