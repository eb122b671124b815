# A bare kernel: arguments, printing, expected results, YAML, refusals.
. "$HERE/lib.sh"
k="$HERE/ptx/saxpy.ptx"
run 0 run "$k" --entry saxpy --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1?print=4' --arg u32=1000
says out 'argument 3: 1 3 5 7'; says err cycles; says err IPC
run 0 run "$k" --grid 4 --block 256 --arg f32=0 --arg 'f32[1000]=iota' --arg 'f32[1000]=iota?expect=iota' --arg u32=1000
says out 'results checked'
run 1 run "$k" --grid 4 --block 256 --arg f32=1 --arg 'f32[1000]=iota' --arg 'f32[1000]=iota?expect=iota' --arg u32=1000
says err '999 of 1000 elements differ; the first is \[1\]: got 2, expected 1'
cat >k.yaml <<Y
entry: saxpy
grid: [4]
block: [256]
args: ["f32=2", "f32[1000]=random:0:1:7", "f32[1000]=zero?print=2", "u32=1000"]
Y
run 0 run "$k" --args k.yaml; says out 'argument 3:'
echo 'entry: saxpy
grdi: [4]' >bad.yaml
run 2 run "$k" --args bad.yaml; says err bad.yaml; says err grdi
run 2 run "$k" --grid 4 --block 256 --arg f32=2; says err 'takes 4 arguments, but 1'
run 2 run "$k" --entry sxpy --grid 1 --block 1; says err sxpy
run 2 run "$k" --grid 1 --block 1 --arg f64=2 --arg 'f32[4]=zero' --arg 'f32[4]=zero' --arg u32=4; says err '8 bytes'
run 0 run "$k" --json --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1' --arg u32=1000
python3 - <<'P' || fail "JSON is not what it should be"
import json
j = json.load(open('out'))
assert j['complete'] and j['summary']['cycles'] > 0
a = j['activity']
assert a['warp_instructions'] == j['summary']['warp_instructions']
assert sum(a['warp_by_class']) == a['warp_instructions'] and sum(a['thread_by_class']) == a['thread_instructions']
assert sum(n * i for i, n in enumerate(a['lanes_active'])) == a['thread_instructions']
P
run 0 run "$k" -o dir --interval 500 --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1' --arg u32=1000
for f in run.json activity.csv activity.xml intervals.csv instructions.csv record.jsonl; do [ -s "dir/$f" ] || fail "no dir/$f"; done
says dir/activity.xml af_generated_gmem_reads; says dir/activity.xml af_rdsch_percent
python3 - <<'P' || fail "intervals do not add up to the run"
import csv, json
total = json.load(open('dir/run.json'))['activity']
sums = {}
for r in csv.DictReader(open('dir/intervals.csv')):
    sums[r['counter']] = sums.get(r['counter'], 0) + int(r['value'])
for name in ('warp_instructions', 'rf_reads', 'l2_reads', 'dram_reads', 'net_request_flits'):
    assert sums[name] == total[name], (name, sums[name], total[name])
P
run 0 disasm "$k"; says out FFMA; says out EXIT
run 0 disasm -g gtx780 --summary "$k"; says out 'saxpy registers'
run 0 disasm -g v100 "$k"; says out "\[B0-----:R-:W-:-:S08\] FFMA" # waits for its loads: src/isa/control.c
# a kernel that does not compile leaves the others of its module to be shown
cat >some.ptx <<P
.version 8.0
.target sm_70
.address_size 64
.visible .entry first() { wgmma.fence.sync.aligned; ret; }
.visible .entry good() { ret; }
.visible .entry last() { wgmma.fence.sync.aligned; ret; }
P
run 3 disasm -g v100 --summary some.ptx; says out '^good registers'; says err 'some.ptx:4:'; says err 'some.ptx:6:'
run 0 run --functional "$k" --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1?print=2' --arg u32=1000
says out 'argument 3: 1 3'
# every type holds its range, and says it; integers are printed whole
t="$HERE/ptx/types.ptx"
types() { # CODE A B C D WHOLE SMALL
    run "$1" run "$t" --no-power -q --arg "$2" --arg "$3" --arg "$4" --arg "$5" --arg "$6" --arg "$7"
}
w='u64[3]=zero?print=3'
b='u8[2]=zero?print=1'
types 0 u32=4294967295 s64=-9223372036854775808 f32=1e38 u32=0x10 "$w" "$b"
says out '^argument 5: 4294967295 9223372036854775808 16$'; says out '^argument 6: 255$'
types 0 s32=-1 s64=-2 f32=inf f32=1 's64[3]=zero?print=3' 's8[2]=zero?print=1'
says out '^argument 5: 4294967295 -2 1065353216$'; says out '^argument 6: -1$'
wrong() { # ARGUMENT IN-PLACE SENTENCE
    set -- "$1" "$2" "$3" u32=1 s64=1 f32=1 u32=1 'u64[3]=zero' 'u8[2]=zero'
    a=$1; at=$2; sentence=$3; shift 3
    case $at in
    1) types 2 "$a" "$2" "$3" "$4" "$5" "$6" ;;
    2) types 2 "$1" "$a" "$3" "$4" "$5" "$6" ;;
    3) types 2 "$1" "$2" "$a" "$4" "$5" "$6" ;;
    4) types 2 "$1" "$2" "$3" "$a" "$5" "$6" ;;
    5) types 2 "$1" "$2" "$3" "$4" "$a" "$6" ;;
    6) types 2 "$1" "$2" "$3" "$4" "$5" "$a" ;;
    esac
    says err "$sentence"; one_sentence err
}
wrong u32=4294967297 1 '`4294967297` is no u32: expected a whole number from 0 to 4294967295'
wrong u32=-1 1 '`-1` is no u32: expected a whole number from 0 to'
wrong s32=99999999999 1 'expected a whole number from -2147483648 to 2147483647'
wrong s32=2147483648 4 'is no s32'
wrong s32=-2147483649 4 'is no s32'
wrong u32=18446744073709551616 1 'is no u32'
wrong u32= 1 '`` is no u32'
wrong u32=1.5 1 'is no u32'
wrong s64=9223372036854775808 2 'to 9223372036854775807'
wrong f32=1e400 3 '`1e400` is no f32: expected a number from -3.4028235e\+38 to 3.4028235e\+38, inf or nan'
wrong f32=1e39 3 'is no f32'
wrong f32=-1e39 3 'is no f32'
wrong f32=1e-60 3 'is no f32'
wrong f32=one 3 'is no f32'
wrong u32=5 3 'argument 3 `u32=5` is u32, but the parameter is .f32: expected f32='
wrong f32=5 1 'argument 1 `f32=5` is f32, but the parameter is .u32: expected u32='
wrong f64=5 2 'argument 2 `f64=5` is f64, but the parameter is .s64: expected s64='
wrong u16=5 4 'has 2 bytes, but the parameter has 4'
wrong 'u8[2]=const:300' 6 '`300` is no u8: expected a whole number from 0 to 255'
wrong 'u8[2]=const:-1' 6 '`-1` is no u8'
wrong 'u8[257]=iota' 6 'iota goes to 256, but u8 ends at 255'
wrong 'u8[2]=random:0:300' 6 '0 to 300 leaves the range of u8'
wrong 's8[2]=random:-200:3' 6 'leaves the range of s8'
wrong 'u8[2]=random:5:3' 6 'LOW 5 is above HIGH 3'
wrong 'u8[2]=random:5' 6 'expected random:LOW:HIGH'
wrong 'u8[2]=zero?expect=const:256' 6 '`256` is no u8'
wrong 'u8[2]=zero?tolerance=-1' 6 'tolerance needs'
wrong 'u8[2]=zero?prnt=1' 6 'not `prnt=1`'
wrong 'u8[2]=ones' 6 'not `ones`'
wrong 'u8[2]x=zero' 6 'a buffer needs'
wrong 'f16[2]=zero' 6 'no type `f16`'
# the edges are in
types 0 u32=1 s64=9223372036854775807 f32=-3.4028235e38 u32=1 "$w" 'u8[256]=iota'
types 0 u32=1 s64=1 f32=0x1p-149 u32=1 "$w" 'u8[4]=random:0:256:7?print=4'
types 0 u32=010 s64=1 f32=0e5 u32=1 "$w" 's8[4]=random:-128:128'; says out '^argument 5: 10 '
# whole numbers compare whole: 2^53 + 1 is not 2^53
types 1 u32=1 s64=9007199254740993 f32=1 u32=1 'u64[3]=zero?expect=const:9007199254740992' "$b"
says err '3 of 3 elements differ'
types 0 u32=5 s64=5 f32=1 u32=6 'u64[3]=zero?expect=const:5?tolerance=1' "$b"
# what has no room on the GPU is refused before a byte of it is made
start=$(date +%s%N)
types 1 u32=1 s64=1 f32=1 u32=1 'f32[530000000]=random:0:1' "$b"; says err 'gtx480 has no room for 2120000000 bytes'
took=$((($(date +%s%N) - start) / 1000000)); [ $took -lt 10000 ] || fail "the refusal took $took ms"
# which launches are timed: wrong words are refused, and a choice of none says so
saxpy() { run "$@" "$k" --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=const:1?print=2' --arg u32=1000 --repeat 3; }
for words in '--kernels ((( ' '--skip-timing [a' '--launches 5-2' '--launches 0' '--launches x' '-o /dev/null'; do
    # shellcheck disable=SC2086
    saxpy 2 run $words; one_sentence err
    # shellcheck disable=SC2086
    run 2 run $words vectorAdd; one_sentence err
    # shellcheck disable=SC2086
    run 2 run $words -- true; one_sentence err
done
saxpy 0 run --kernels 'sax'; lacks err 'leaves none'; says err 'in 3 launches'
saxpy 0 run --launches 2-3; says err 'in 2 launches'; says err '1 launch computed without time'
saxpy 0 run --launches 2 --skip-timing nothing; says err 'in 1 launch'
saxpy 0 run --kernels daxpy; says out '1 7$'; says err 'warpwatt: --kernels `daxpy` leaves none of 3 launches to be timed; kernels: saxpy'
run 0 run -q --kernels a --launches 7-9 vectorAdd; says err '--kernels `a` and --launches `7-9` leave none of 1 launch'
# without time, what would choose or change timing is no option
for words in '-p conv-pg' '--kernels a' '--skip-timing a' '--launches 1' '--interval 100'; do
    # shellcheck disable=SC2086
    run 2 run --functional $words vectorAdd; says err 'would change nothing'
done
run 0 run -q --functional -p none vectorAdd
run 2 run --all --functional; says err 'does not take --functional'
run 2 run --all -o all; says err 'does not take --out'
run 0 help run; says out 'TYPE=VALUE'; says out 'random:LOW:HIGH\[:SEED\]'; says out '\?expect=FILL'; says out '\?tolerance=X'

# Shared memory: a bare kernel need not ask for what its GPU has; beyond it one sentence, and who has it.
cat >shared.ptx <<'P'
.version 6.0
.target sm_30
.address_size 64
.extern .shared .align 4 .b8 room[];
.visible .entry touch(.param .u32 at) {
  .reg .u32 %r<3>; ld.param.u32 %r0, [at]; mov.u32 %r1, room; add.u32 %r0, %r0, %r1; st.shared.u32 [%r0], %r1; ret;
}
.visible .entry large() {
  .reg .u32 %r; .shared .align 4 .b8 own[61440]; mov.u32 %r, own; st.shared.u32 [%r], %r; ret;
}
P
shared() { # CODE GPU BYTES: the last word is written
    run "$1" run --no-power -g "$2" shared.ptx --entry touch --grid 1 --block 32 --shared "$3" --arg u32=$(($3 - 4))
}
while IFS=' ' read -r gpu most with; do
    shared 0 $gpu $most
    shared 1 $gpu $((most + 4)); one_sentence err
    says err "^error: launch of touch: a block needs $((most + 4)) bytes of shared memory; $gpu has $most$with\$"
    run 1 run --no-power -g $gpu shared.ptx --entry large --grid 1 --block 32; one_sentence err
    says err "launch of large: it declares 61440 bytes of shared memory; on $gpu a kernel declares at most $((most < 49152 ? most : 49152))"
    lacks err '-g '
done <<'P'
v100 98304 ; -g a100 has it
rtx2060s 65536 ; -g v100 has it
titanx-pascal 49152 ; -g v100 has it
gtx480 49152 ; -g v100 has it
P
run 1 run --no-power -g gt240 shared.ptx --entry touch --grid 1 --block 32 --shared 40000 --arg u32=0
says err 'gt240 has 16384; -g gtx480 has it'
run 2 run --no-power shared.ptx --entry touch --grid 1 --block 32 --shared -4 --arg u32=0; says err '`-4`; it must be a whole number'
finish
