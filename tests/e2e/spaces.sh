# Tuning spaces: a sweep of a kernel or a program of the user's own over macros and arguments, beside measured times; a
# study of several; and the part of a grid that --waves leaves.
. "$HERE/lib.sh"
command -v python3 >/dev/null || exit 77
cp "$HERE/ptx/saxpy.ptx" .

# ---- --waves: as large a rectangle of blocks as fills the GPU (gtx480: 15 SMs, six blocks of 256 threads each)
blocks() {
    run 0 run -g gtx480 --no-power --json saxpy.ptx --block 256 --arg f32=2 --arg 'f32[1000000]=zero' --arg 'f32[1000000]=zero' --arg u32=10 "$@"
    python3 -c 'import json; l = json.load(open("out"))["launches"][0]; print(*l["grid"], l["occupancy_ctas"])' >got
}
blocks --grid 4000 --waves 2
says got '^180 1 1 6$'
blocks --grid 50 --waves 2
says got '^50 1 1 6$'
blocks --grid 7,100,3 --waves 1
says got '^[67] 1[0-9] 1 6$'
blocks --grid 9,9,9 --waves 2
says got '^9 9 2 6$'
run 2 run -g gtx480 saxpy.ptx --grid 1 --block 32 --waves 0
says err 'waves is `0`; it must be a whole number from 1 on'

# ---- a kernel file: macros stand in the grid and the arguments
printf 'x,ms_same,ms_reversed,ms_none\n32,3,1,\n64,2,2,\n256,1,3,\n' >t.csv
space() { # column, further keys (may be none)
    cat <<YAML
title: Blocks <of> saxpy
gpu: gtx480
kernel:
  source: saxpy.ptx
  entry: saxpy
  block: [x]
  grid: ["ceil_div(65536, x)"]
  args: [f32=2, "f32[65536]=iota", "f32[65536]=zero", "u32={65536 / 2}"]
measured: {file: t.csv, column: $1}
objectives: [time]
${2:-}
YAML
}
space ms_same >same.yaml
run 0 sweep --db a.db -o same same.yaml
says out '^3 points: 1 on the front, 0 refused, 0 failed; 3 runs$'
says out "^  3 points: Spearman's rank correlation 1.000"
says out '^  our best: x=256$'
says out 'measured, 0.00 % of all 3 rows are faster; it takes 0.0 % longer'
python3 - <<'PY' || fail "points.csv and sweep.json are not the sweep"
import csv, json
r = list(csv.DictReader(open('same/points.csv')))
assert [(p['x'], p['measured_s']) for p in r] == [('32', '0.003'), ('64', '0.002'), ('256', '0.001')], r
s = json.load(open('same/sweep.json'))
assert s['measured']['spearman'] == 1 and s['measured']['points'] == 3 and s['points'][2]['measured'] == 0.001
PY
run 0 sweep --db a.db -o same same.yaml
says out '; 0 runs$'
space ms_reversed >reversed.yaml
run 0 sweep --db a.db -o reversed reversed.yaml
says out '; 0 runs$'; says out 'correlation -1.000'; says out '66.67 % of all 3 rows are faster; it takes 200.0 % longer'
# the time of a part stands for the whole: waves of the whole GPU over those that ran, and times
space ms_same | sed 's/^  entry:/  times: 10\n  entry:/' >times.yaml
run 0 sweep --db a.db -o times times.yaml
python3 - <<'PY' || fail "times does not multiply"
import csv
a, b = ([float(p['time_s']) for p in csv.DictReader(open(f + '/points.csv'))] for f in ('same', 'times'))
assert all(abs(y / x - 10) < 1e-6 for x, y in zip(a, b)), (a, b)
PY
space ms_same | sed 's/65536, x/65536 * 16, x/; s/^  entry:/  waves: 1\n  entry:/' >waves.yaml
run 0 sweep --db a.db -o waves waves.yaml
python3 - <<'PY' || fail "a wave is not scaled"
import csv, math
t = {p['x']: float(p['time_s']) for p in csv.DictReader(open('waves/points.csv'))}
assert t['256'] > 20 * 1e-6, t  # 46 waves of some microseconds
PY
# drawn rows: as many as asked for, the same each time
space ms_same 'method: random
points: 2
seed: 7' >drawn.yaml
run 0 sweep --db a.db -o drawn drawn.yaml
says out '^2 points: .*; 0 runs$'
cp drawn/points.csv first; run 0 sweep --db a.db -o drawn drawn.yaml
cmp -s first drawn/points.csv || fail "a seed draws other rows the second time"
# macros of the file's own, joined with the table by value
space ms_same 'macros: {x: [64, 128, 256]}' >joined.yaml
run 0 sweep --db a.db -o joined joined.yaml
says out '^3 points'; says out '^  2 points: Spearman'

# ---- a source that is compiled for each point
if command -v clang-14 >/dev/null || command -v clang >/dev/null; then
    cat >fill.cu <<'CU'
extern "C" __global__ void fill(float *out) {
    float v = 0;
    for (int i = 0; i < ROUNDS; i++) v = v * 1.5f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
CU
    printf 'ROUNDS,us\n1,1\n100,2\n1000,3\nbad(,4\n' >fill.csv
    printf 'gpu: gtx480\nkernel: {source: fill.cu, block: [64], grid: [30], args: ["f32[1920]=zero"]}\nmeasured: {file: fill.csv, column: us, unit: us}\nobjectives: [time]\n' >fill.yaml
    run 0 sweep --db a.db -o fill fill.yaml
    says out '^4 points: 1 on the front, 1 refused, 0 failed; 3 runs$'; says out 'correlation 1.000'
    says err '^refused: not compiled: .*error'
    [ "$(ls fill/programs | wc -l)" = 3 ] || fail "not three compiled files: $(ls fill/programs)"
else
    echo "not tried: compiling (no clang)"
fi

# ---- a program, its arguments from macros
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(dirname "$WARPWATT")/workloads/vectorAdd/vectorAdd" >prog.sh; chmod +x prog.sh
printf 'gpu: gtx480\nprogram: {command: [./prog.sh, "{N}"], kernel: "*"}\nmacros: {N: [4096, 65536, 262144]}\nmeasured: {file: p.csv, column: ms}\nobjectives: [time]\n' >prog.yaml
printf 'N,ms\n4096,1\n65536,2\n262144,3\n' >p.csv
run 0 sweep --db a.db -o prog prog.yaml
says out "^  3 points: Spearman's rank correlation 1.000"

# ---- who compiles: an nvcc that knows the GPU, whose machine code runs; else clang (here an nvcc that only copies)
mkdir tools
cat >tools/nvcc <<SH
#!/bin/sh
case "\$*" in
*--list-gpu-code*) echo sm_\$KNOWN ;;
*--version*) echo "Cuda compilation tools, release 99.1, V99.1.2" ;;
*) echo "\$*" >>nvcc.log
   while [ "\$1" != -o ]; do shift; done
   cp "$HERE/../sass/data/kernels_sm_70.cubin" "\$2" ;;
esac
SH
chmod +x tools/nvcc
export PATH="$PWD/tools:$PATH"
cat >reverse.cu <<'CU'
#include "device.h"
extern "C" __global__ void reverse(unsigned *x) {
    __shared__ unsigned all[256];
    all[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = all[255 - threadIdx.x];
}
CU
printf 'N,ms\n1,3\n2,4\n' >n.csv
made_by() { # clang, nvcc or any
    cat <<YAML
gpu: v100
kernel:
  source: reverse.cu
  compiler: $1
  entry: reverse
  block: [256]
  grid: [N]
  args: ["u32[256]=iota"]
measured: {file: n.csv, column: ms}
objectives: [time]
YAML
}
made_by any >any.yaml
KNOWN=70 run 0 sweep --db a.db -o any any.yaml
says out '^2 points: .* 0 refused, 0 failed; 2 runs$'; says out 'compiled: nvcc 99.1, machine code'
says nvcc.log '^-arch=sm_70 -cubin .*-DN=2 '; [ "$(wc -l <nvcc.log)" = 2 ] || fail "compiled $(wc -l <nvcc.log) times"
KNOWN=90 run 0 sweep --db a.db -o other any.yaml
says out 'compiled: clang[-0-9]*, PTX'; [ "$(wc -l <nvcc.log)" = 2 ] || fail "nvcc compiled for a GPU that it does not know"
made_by nvcc >bad.yaml
KNOWN=90 run 2 sweep --db a.db bad.yaml
says err 'compiler. is nvcc, but .*tools/nvcc does not compile for sm_70'
made_by gcc >bad.yaml
run 2 sweep --db a.db bad.yaml
says err 'bad\.yaml:4:.*compiler'
made_by any | sed 's/^  entry/  compile: "false"\n  entry/' >bad.yaml
run 2 sweep --db a.db bad.yaml
says err 'has `compile` or `compiler`, not both'

# ---- a study of spaces
cat >many.yaml <<'YAML'
name: many
title: Two <spaces>
summary: A test.
source: t.csv
small_points: 2
spaces:
  - {sweep: same.yaml, looked_at: often}
  - {sweep: reversed.yaml, note: The other way round.}
YAML
run 0 study many.yaml --db a.db -o many --markdown many/page/many.md
says out '^same .* 3 points, Spearman  1.000'; says out '^reversed .* Spearman -1.000'
says many/index.html '<h1>Two &lt;spaces&gt;</h1>'; says many/index.html '>met<'; says many/index.html '>missed<'
says many/spaces.csv '^reversed,gtx480,3,-1.0000,66.667,200.00,.*"never looked at"$'
says many/page/many.md 'figures/many-same.svg'; [ "$(grep -c '<circle' many/page/figures/many-same.svg)" = 3 ] || fail "not three dots"
python3 -c 'import json; s = json.load(open("many/study.json")); assert [x["meets_goal"] for x in s["spaces"]] == [True, False], s' || fail "study.json"

# of a space only the first points of its sample
space ms_same 'method: random
points: 3' >random.yaml
sed 's/sweep: same.yaml/sweep: random.yaml, points: 2/' many.yaml >fewer.yaml
run 0 study fewer.yaml --db a.db -o fewer
says out '^random .* 2 points'; says out '^reversed .* 3 points'
sed 's/points: 2,/points: none,/' fewer.yaml >fewest.yaml
run 2 study fewest.yaml --db a.db -o fewest; says err 'fewest.yaml:7:.*`points` is `none`'

# ---- what is wrong is said where it is
bad() { # what the error says, a text
    printf '%s\n' "$2" >bad.yaml
    run 2 sweep --db a.db bad.yaml
    says err "$1"
}
bad 'has no column `ms_sam`; did you mean `ms_same`' "$(space ms_sam)"
bad 'has no row with a `ms_none`' "$(space ms_none)"
bad 'bad\.yaml:4:.*a kernel has no key `sorce`; did you mean `source`' "$(space ms_same | sed 's/source:/sorce:/')"
bad '`grid` is `ceil_div\(65536, y\)`: no such column: y' "$(space ms_same | sed 's/65536, x/65536, y/')"
bad 'bad\.yaml:4:.*a kernel needs `source`, `grid` and `block`' "$(space ms_same | sed '/grid:/d')"
bad 'measured times. need a `kernel` or a `program`' "$(space ms_same | sed '/^kernel/,/^  args/d'; echo 'workloads: [vectorAdd]')"
bad 'has a \{ without a \}' "$(space ms_same | sed 's/{65536 . 2}/{65536/')"
printf 'x,ms_same\n32,3\n64,fast\n' >u.csv
bad 'u\.csv:3: `ms_same` is `fast`; it must be a time above 0' "$(space ms_same | sed 's/t\.csv/u.csv/')"
printf 'name: b\ntitle: b\nworkloads: {hotspot: {}}\nspaces: [{sweep: same.yaml}]\n' >bad.yaml
run 2 study bad.yaml
says err 'bad\.yaml:3:.*a study of spaces has no `workloads`'
finish
