# Warps of a kernel on an SM: as NVIDIA's calculator has them, of files, programs and registers alone.
. "$HERE/lib.sh"
data="$HERE/../fatbin/data"
# the calculator's own table (tests/cuda/occupancy.c), asked through the command
asked=0
sed -n 's/^CASE(7, 0, *\([0-9]*\), *\([0-9]*\), *\([0-9]*\), *\([0-9]*\)).*/\1 \2 \3 \4/p' "$HERE/../sm/occupancy.def" >cases
while read -r block registers shared ctas; do
    run 0 occupancy -g v100 --block "$block" --registers "$registers" --shared "$shared"
    [ "$(awk 'NR == 2 { print $4 }' out)" = "$ctas" ] || fail "$block threads, $registers registers, $shared bytes: $(sed -n 2p out), wanted $ctas"
    asked=$((asked + 1))
done <cases
[ $asked -gt 40 ] || fail "only $asked cases"
# by hand, on a v100: 65,536 registers; 128 threads of 40 take 5,120, in four parts of 16,384 that hold 12 warps each
run 0 occupancy -g v100 --block 128 --registers 40 --grid 1000
says out '^ +40 +0 +128 +12 +48 +75 +registers'
says out 'warps 16, threads 16, registers 12, shared memory any, CTA slots 32'
says out '1000 blocks: 960 at once on 80 SMs, 1.04 waves; the last one of 40 blocks fills 4 % of the chip'
says out '^ +128 +12 +48 +#{24} +registers  <-$'; [ "$(grep -c '<-' out)" = 1 ] || fail "marks"
# where nobody says the threads: the fewest that give the most warps
run 0 occupancy -g v100 --registers 32; says out '^ +32 +0 +64 +32 +64 +100'
run 0 occupancy -g v100 --registers 32 --block 256 --over shared --json
python3 - out <<'P' || fail "JSON"
import json, sys
k = json.load(open(sys.argv[1]))["occupancy"][0]
assert k["ctas"] == 8 and k["warps_most"] == 64 and k["over"] == "shared" and len(k["curve"]) == 25, k
assert [p["shared"] for p in k["curve"]] == [98304 // 24 * i for i in range(25)]
warps = [p["warps"] for p in k["curve"]]
assert warps == sorted(warps, reverse=True) and warps[0] == 64 and warps[-1] == 8, warps
P
run 0 occupancy -g v100 --block 256 --registers 32 --over registers; says out '^ +255 +'
# kernels of files
run 0 occupancy -g a100 "$data/program.elf" --code ptx; says out '_Z5scalePffi$'
run 0 occupancy -g a100 "$data/size.fatbin"; [ "$(grep -cE ' (scale|fill)$' out)" = 2 ] || fail "two kernels"
lacks out '#'
run 0 occupancy -g a100 "$data/size.fatbin" --entry fill; says out '#'
cat >fixed.ptx <<'P'
.version 6.0
.target sm_30
.address_size 64
.visible .entry fixed() .reqntid 96 {
    .shared .align 4 .b8 mine[16384];
    .reg .u32 %r<3>; .reg .u64 %a; .reg .u32 %t;
    mov.u32 %t, %tid.x; mov.u32 %r0, mine; shl.b32 %r1, %t, 2; add.u32 %r0, %r0, %r1;
    st.shared.u32 [%r0], %t; bar.sync 0; ld.shared.u32 %r2, [%r0+4]; st.shared.u32 [%r0], %r2; ret;
}
P
run 0 occupancy -g v100 fixed.ptx; says out '16384 +96 +6 +18 +28 +shared memory +fixed'
run 1 occupancy -g v100 fixed.ptx --block 128
one_sentence err; says err 'fixed takes blocks of at most 96 threads, not of 128'
# bad input
run 2 occupancy; says err 'needs a file'
run 2 occupancy --registers 32 --over time; one_sentence err
run 2 occupancy --registers none; one_sentence err
run 2 occupancy -g gtx480 --registers 64; one_sentence err; says err 'gtx480 has at most 63 registers, not 64'
run 1 occupancy -g v100 --registers 32 --block 1025; one_sentence err; says err 'v100 takes blocks of at most 1024 threads'
run 2 occupancy /no/such/file; one_sentence err
run 2 occupancy "$data/size.fatbin" --entry nobody; one_sentence err; says err 'no kernel `nobody`'
run 2 occupancy "$HERE/lib.sh"; one_sentence err
# a workload's name stands for its kernels, and --block is as run's
run 0 occupancy hotspot --block 16,16; says out ' 3072 +256 .*hotspot$'; cp out named
run 0 occupancy "$(dirname "$WARPWATT")/workloads/hotspot/hotspot.ptx" --block 256; cmp -s out named || fail "a workload by its name is another one"
run 2 occupancy hotspot --block 16,,16; says err 'one to three whole numbers'; one_sentence err
run 2 occupancy no-such-file; says err 'cannot read'; one_sentence err
finish
