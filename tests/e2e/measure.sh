# The measuring kit (tools/measure) on a simulated V100: it builds, every part that the chip can do runs, its files are
# what they say, and what is known from elsewhere comes out. Nsight Compute and NVML are stood in for by a script and
# a library of a few lines, so that the parts that ask for them run too.
. "$HERE/lib.sh"
root=$HERE/../..
lib=$(dirname "$WARPWATT")
ldd "$lib/libcuda.so.1" | grep -q asan && exit 77
tool=$root/tools/measure
kit=$TMP/kit
"$tool" build -o "$kit" --lib "$lib" --programs vectorAdd --ptxas /no/ptxas >out 2>err && fail "an assembler that is not there passes"
says err 'no assembler `/no/ptxas`'
"$tool" build -o "$kit" --lib "$lib" --programs vectorAdd --ptxas none >out 2>err || { fail "build"; cat err; }
measure() { "$kit/measure" "$@"; }

# the plan: every part has a line; a full run fits into eight minutes
measure run --dry-run >plan || fail "--dry-run"
awk -F, 'NR > 1 { n++; last = $3 } END { exit !(n >= 20 && last > 60 && last <= 480) }' plan || { fail "the plan"; cat plan; }
[ ! -e measured ] || fail "--dry-run writes"
measure run --parts no-such-part >out 2>err && fail "an unknown part passes"; says err 'no part `no-such-part`'
measure run --seconds -3 >out 2>err && fail "--seconds -3 passes"; says err 'number above 0'

# every opcode of PTX is measured or named with a reason
sed -n 's/^PTX_OP(\([a-z0-9_]*\),.*/\1/p' "$root/src/ptx/ptx_ops.def" >opcodes
[ "$(wc -l <opcodes)" -gt 100 ] || fail "no list of opcodes"
tr -c 'a-zA-Z0-9_' '\n' <"$root/tools/measure.d/bits.def" | sort -u >words
for o in $(grep -vxF -f words opcodes); do
    case $o in vadd[24] | vsub[24] | vavrg[24] | vabsdiff[24] | vmin[24] | vmax[24] | vset[24]) ;; # <vadd/...><2/4>
    *) fail "no row of bits.def has $o" ;;
    esac
done

# all parts under `warpwatt run`, and again: what is done is not done again
MEASURE_NO_NVML=1 run 0 run -g v100 -- "$kit/measure" run --scale tiny -o "$TMP/r" --pack "$TMP/r.tar.gz"
measure check r >out || { fail "check"; cat out; }
for p in device bits tensor sweep functions rates pairs subcores chase bandwidth l2map kernels banks constants branches code atomics workloads; do
    says r/parts.csv "^$p,done,"
done
says r/parts.csv '^hopper,left out,.*,it needs compute capability 9.0$'; says r/parts.csv '^power,left out,.*NVML'
says r/parts.csv '^counters,left out,.*ncu'
tar -tzf r.tar.gz | grep -q '/bits.csv$' || fail "the pack lacks bits.csv"
tar -tzf r-results.tar.gz | grep -q '^bits-results.csv$' || fail "the second pack lacks bits-results.csv"
n=$(wc -l <r/parts.csv); cp r/bits.csv bits.before
MEASURE_NO_NVML=1 run 0 run -g v100 -- "$kit/measure" run --scale tiny -o "$TMP/r"
cmp -s bits.before r/bits.csv || fail "a part that was done ran again"
[ "$(tail -n +$((n + 1)) r/parts.csv | grep -vc ',left out,')" = 0 ] || { fail "more than what was left out ran"; cat r/parts.csv; }

# known from elsewhere: sums by the shell; a V100's latencies and rates (Jia et al., 2018): a multiply-add takes 4 cycles
# and 64 lanes start one a cycle, 32 lanes of FP64, 16 of special functions; shared memory answers in 19, L1 in 28
measure operands i | sed -n '2,65p' >operands
sums=$(while IFS=, read -r i a b c e; do printf '%08x' $(((0x$a + 0x$b) & 0xffffffff)); done <operands)
ours=$(sed -n 's/^add\.u32,ii,32,//p' r/bits-results.csv | cut -c1-512)
[ "$sums" = "$ours" ] || fail "add.u32: $ours, not $sums"
[ "$(grep -c ',ok,' r/bits.csv)" -gt 3500 ] || fail "only $(grep -c ',ok,' r/bits.csv) operations on a V100"
grep -v ',ok,' r/bits.csv | grep -v 'needs compute capability' | tail -n +2 | grep . && fail "operations that a V100 has are refused"
near() { # FILE, its line, column, least, most
    awk -F, -v c="$3" -v a="$4" -v b="$5" -v l="$2" 'index($0, l) == 1 { seen = 1; if ($c < a || $c > b) bad = $c } END { exit !seen || bad != "" }' "$1" ||
        { fail "$1: $2: column $3 is not in $4 to $5"; grep "^$2" "$1"; }
}
near r/rates.csv 'fma.f32,ok,1,1,' 6 4 4.3; near r/rates.csv 'fma.f32,ok,8,4,' 7 58 64
near r/rates.csv 'fma.f64,ok,8,4,' 7 30 32; near r/rates.csv 'rsqrt.approx.f32,ok,8,4,' 7 15 16
near r/rates.csv 'ld.shared.b32,ok,1,1,' 6 18 22
near r/chase.csv 'ca,random,warm,4096,' 7 26 31
near r/banks.csv 'ld.shared.b32,stride 32,4,8,' 5 250 258 # 32 lanes in one bank, eight warps
# a root's values in steps: 1024 of them are two and 1022 differences, and from 1 on none is as large as two units
awk -F, '$1 == "sqrt.approx.ftz.f32" { seen = length($7) == $4 - 2 && $7 ~ /^[l-p]*$/ } END { exit !seen }' r/functions.csv || fail "sqrt in functions.csv"
# warps 0 and 4 share a sub-core, 0 and 1 do not
near r/subcores.csv '0,0,0,4,16,' 9 15 17; near r/subcores.csv '0,0,0,1,16,' 9 7.5 9

# two folders: the same, and with one hash and one result changed
measure compare r r >out || { fail "compare with itself"; cat out; }; says out 'bits: [0-9]+ the same, 0 differ'
cp -r r other
sed -i '/^add\.u32,/s/[0-9a-f]\{16\}$/0123456789abcdef/' other/bits.csv
sed -i '/^add\.u32,ii,32,/s/,32,......../,32,deadbeef/' other/bits-results.csv
measure compare r other >out && fail "a difference passes"; says out '^add.u32 \(ii\): 1 of 1 blocks differ'
says out 'result 0 of operands 00000000 00000000: 00000000 and deadbeef'; says out 'bits: [0-9]+ the same, 1 differ'
# damage is found: a column less, a text for a number; half a line at the end is told, not counted
cp -r r bad; sed -i '3s/,[^,]*$//' bad/rates.csv; sed -i '2s/[0-9]*$/fast/' bad/pairs.csv; printf 'x,y' >>bad/chase.csv
measure check bad >out && fail "damage passes"; says out 'rates.csv:3: 6 columns, not 7'; says out 'pairs.csv:2: column 4'
says out 'chase.csv:[0-9]*: the last line is cut short'; says out '^2 faults$'
# for a study's published.csv: seven columns
measure publish r mine >rows || fail "publish"; says rows '^study,source,workload,configuration,metric,value,unit$'
says rows '^mine,"Tesla V100.* by tools/measure",fma.f32,measured,latency,4\.[0-9]*,cycles$'; lacks rows 'sparseRows'
measure publish r mine --blind >rows; says rows ',sparseRows,measured,milliseconds,'

# with meters and a profiler: a library and a script of a few lines
cat >nvml.c <<'END'
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d) { *d = &d; return (int)i; }
int nvmlDeviceGetPowerUsage(void *d, unsigned *mw) { *mw = d ? 250500 : 0; return 0; }
int nvmlDeviceGetTemperature(void *d, int s, unsigned *c) { *c = d && !s ? 41 : 0; return 0; }
int nvmlDeviceGetClockInfo(void *d, int k, unsigned *mhz) { *mhz = d && k == 1 ? 1380 : 877; return 0; }
END
mkdir -p stand-in; "${CC:-cc}" -shared -fPIC -o stand-in/libnvidia-ml.so.1 nvml.c || fail "no library"
cat >stand-in/ncu <<'END'
#!/bin/sh
case "$*" in *--query-metrics*) i=0; while [ $i -lt 60 ]; do echo "sm__some_metric_$i  words about it"; i=$((i + 1)); done
    echo "gpc__cycles_elapsed  cycles"; exit 0 ;; esac
case "$*" in *sm__cycles_active*) exit 9 ;; esac # a metric that it has not got
while [ "$1" != --metrics ]; do shift; done
shift 2
"$@" >/dev/null 2>&1
echo '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
for k in 'blockScan(int)' sparseRows k0 k2; do echo '"0","1","'"$k"'","gpc__cycles_elapsed.max","cycle","1,234"'; done
END
chmod +x stand-in/ncu
PATH=$TMP/stand-in:$PATH LD_LIBRARY_PATH=$TMP/stand-in:$lib WARPWATT_GPU=v100 "$kit/measure" run --scale tiny -o r --parts power,counters,profile >out 2>err ||
    { fail "with meters"; cat err; }
measure check r >out || { fail "check of power and counters"; cat out; }
says r/power.csv '^fma.f32,random,32,80,2,.*,250.5,,,,1380,877,41,'; says r/power.csv '^idle,context made,0,0,0,'
says r/counters.csv '^kernels,blockScan,0,gpc__cycles_elapsed.max,1234,cycle$'; lacks r/counters.csv 'sparseRows|,k2,'
says r/counters-blind.csv '^kernels,sparseRows,0,'; says r/counters-blind.csv ',k2,'; says r/profile.csv '^vectorAdd,blockScan,0,gpc'
says r/conditions.csv '^power,after,1380,877,250.5,41,0$'

# ends when its time is over, says so, and goes on later
WARPWATT_GPU=v100 LD_LIBRARY_PATH=$lib "$kit/measure" run --scale tiny -o cut --parts device,bits --seconds 1 >out 2>err
says cut/parts.csv '^bits,(cut|left out),'
WARPWATT_GPU=v100 LD_LIBRARY_PATH=$lib "$kit/measure" run --scale tiny -o cut --parts device,tensor >out 2>err || fail "it does not go on"
says cut/parts.csv '^tensor,done,'; [ "$(grep -c '^device,' cut/parts.csv)" = 1 ] || fail "device ran twice"
# a kernel that breaks its process (here: it meets a limit) is refused, and the part goes on without it
run 4 run --max-cycles 20000 -g v100 -- "$kit/measure" run --scale tiny -o "$TMP/lost" --parts rates --only .s
says lost/refused.csv '^rates,div.s64\|1,CUDA_ERROR_LAUNCH_TIMEOUT$'; says lost/rates.csv '^div.s64,CUDA_ERROR_LAUNCH_TIMEOUT,8,4,,,$'
says lost/rates.csv '^min.s32,ok,1,1,128,'; says lost/parts.csv '^rates,done,'
WARPWATT_GPU=/no/gpu LD_LIBRARY_PATH=$lib "$kit/measure" run --scale tiny -o none --parts device,rates >out 2>err && fail "no GPU passes"
says none/parts.csv '^device,failed,.*no GPU'; says none/parts.csv '^rates,failed,'
finish
