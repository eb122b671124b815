# tools/run-on-real-gpu with our own libcuda.so.1 in the driver's place: everything but the measurement.
# The times that it writes are simulated ones, and those are known.
. "$HERE/lib.sh"
root=$HERE/../..
lib=$(dirname "$WARPWATT")
tool=$root/tools/run-on-real-gpu
# programs that the tool builds know nothing of a sanitizer that the library was built with
ldd "$lib/libcuda.so.1" | grep -q asan && exit 77
export WARPWATT_GPU=gtx480
number() { sed -n "s/^  \"$1\": \([0-9.e-]*\),*\$/\1/p" "$2" | head -1; }
"$tool" -l "$lib" -b "$TMP/build" -o "$TMP/fake-gpu.csv" -s small -n 3 vectorAdd bfs >out 2>err || { fail "run-on-real-gpu"; cat err; }
says fake-gpu.csv '^device,compute_capability,driver,core_mhz,memory_mhz,workload,size,kernel,launches,milliseconds,check,program_seconds,program_joules$'
says fake-gpu.csv '^[^,]*,2\.0,[^,]+,[0-9]+,[0-9]+,vectorAdd,small,vectorAdd,1,0\.0[0-9]+,passed,[0-9.]+,[0-9.]+$'
says fake-gpu.csv ',bfs,small,bfsExpand,[0-9]+,[0-9.]+,passed,'
says fake-gpu.csv ',bfs,small,bfsAdvance,[0-9]+,[0-9.]+,passed,'
says err '3 lines, 0 failures'
# between the events lies the kernel and what a launch takes besides, no more than 20 us on this GPU
run 0 run --json -g gtx480 vectorAdd
awk -F, -v s="$(number seconds out)" '$8 == "vectorAdd" { ms = $10; ok = ms >= s * 1e3 && ms <= s * 1e3 + 0.02 } END { exit !ok }' fake-gpu.csv ||
    fail "the time of vectorAdd is not the simulated one: $(grep vectorAdd fake-gpu.csv), $(number seconds out) s"
# a run that fails is a line that says so, and fails the script
cat >no-cc <<'END'
#!/bin/sh
for a in "$@"; do case $a in *vectorAdd/vectorAdd) out=$a ;; esac; done
[ -z "${out:-}" ] && exec cc "$@"
printf '#!/bin/sh\necho "vectorAdd: sum[0] is 1, expected 2 within 0"; exit 1\n' >"$out"; chmod +x "$out"
END
chmod +x no-cc
CC=$TMP/no-cc "$tool" -l "$lib" -b "$TMP/build2" -o "$TMP/bad.csv" -s small -n 1 vectorAdd >out 2>err && fail "a failed check passes"
says bad.csv ',vectorAdd,small,,,,failed,,$'; says err 'expected 2'
"$tool" -l "$lib" no-such-workload >out 2>err && fail "an unknown workload passes"; says err 'no workload `no-such-workload`'
"$tool" -l /nowhere vectorAdd >out 2>err && fail "no library passes"; says err 'no libcuda.so.1 in /nowhere'
"$tool" -n 0 >out 2>err && fail "-n 0 passes"; says err 'repeat'
# the ladder: 5 classes in 1 and 2 SMs, two of them over seven numbers of lanes
"$tool" -l "$lib" -b "$TMP/build3" -o "$TMP/ladder.csv" -n 1 --ladder 2 --work 2,1 >out 2>err || { fail "--ladder"; cat err; }
[ "$(grep -c ',ladder,[a-z]*-[12]-[0-9]*,ladder[A-Z][a-z]*,1,[0-9.]*,passed,' ladder.csv)" = 24 ] || fail "not 24 rungs: $(cat ladder.csv)"
says ladder.csv ',ladder,fma-2-24,ladderFma,1,'
"$tool" --ladder 0 >out 2>err && fail "--ladder 0 passes"; says err 'number of the GPU'
"$tool" --ladder 2 --work 3 bfs >out 2>err && fail "--ladder with a workload passes"; says err 'not `bfs`'
# size volta and the workloads of volta/: their own module, from compute capability 7.0 on; a size that a
# workload lacks is no failure
WARPWATT_GPU=v100 "$tool" -l "$lib" -b "$TMP/build4" -o "$TMP/volta.csv" -s small,volta -n 1 pathfinder wmma-gemm vectorAdd --dry-run >out 2>err &&
    fail "an option behind the workloads passes"
"$tool" -s small,volta --dry-run pathfinder wmma-gemm vectorAdd >out 2>err || { fail "--dry-run"; cat err; }
printf '%s\n' 'pathfinder small sm_20 300 9' 'pathfinder volta sm_70 100000 101' 'wmma-gemm small sm_70 128 256 128' \
    'wmma-gemm volta sm_70 4096 4096 4096' 'vectorAdd small sm_20 4096' >wanted
cut -d' ' -f1-3 wanted >a; cut -d' ' -f1-3 out >b; cmp -s a b || { fail "--dry-run says"; cat out; }
[ ! -e "$root/build-real/lines.csv" ] || [ "$root/build-real/lines.csv" -ot wanted ] || fail "--dry-run writes"
"$tool" -a sm_75 -s volta --dry-run >out 2>err; says out '^wmma-gemm volta sm_75 4096 4096 4096$'; lacks out 'sm_20|sm_70|vectorAdd'
[ "$(wc -l <out)" = "$(cat "$root"/workloads/*/workload.yaml "$root"/workloads/volta/*/workload.yaml | grep -c '^  volta: ')" ] || fail "not every size volta"
"$tool" -s volta --dry-run vectorAdd >out 2>err && fail "a size of no workload passes"; says err 'no workload here has a size `volta`'
"$tool" -a 70 --dry-run >out 2>err && fail "-a 70 passes"; says err 'must read sm_NN'
# built on one machine, run on another that has no compiler: on a V100, and on a GPU that is too old for some
"$tool" --no-build -b "$TMP/built" >out 2>err && fail "--no-build without programs passes"; says err 'holds no programs'
WARPWATT_GPU=/no/gpu "$tool" --build-only -l "$lib" -b "$TMP/built" pathfinder wmma-gemm >out 2>err || { fail "--build-only"; cat err; }
says err '2 programs, 0 failures'
mv built moved
bare() { CC=/no/cc CLANG=/no/clang "$tool" --no-build -l "$lib" -b "$TMP/moved" -n 1 "$@" >out 2>err; }
WARPWATT_GPU=v100 bare -o "$TMP/volta.csv" -s small,volta pathfinder || { fail "--no-build"; cat err; }
WARPWATT_GPU=v100 bare -o "$TMP/wmma.csv" -s small wmma-gemm || { fail "--no-build of wmma-gemm"; cat err; }
says volta.csv ',7\.0,[^,]+,[0-9]+,[0-9]+,pathfinder,small,[a-zA-Z]+,[0-9]+,[0-9.]+,passed,'
says volta.csv ',pathfinder,volta,[a-zA-Z]+,[0-9]+,[0-9.]+,passed,'; says wmma.csv ',wmma-gemm,small,wmmaGemm,1,[0-9.]+,passed,'
bare -o "$TMP/old.csv" -s small,volta pathfinder wmma-gemm || { fail "--no-build on an old GPU"; cat err; }
says err 'wmma-gemm small: skipped, it needs compute capability 7.0'; says err 'pathfinder volta: skipped'; lacks old.csv volta
bare -o "$TMP/none.csv" vectorAdd && fail "a program that was not built passes"; says err 'vectorAdd: not in'
# what the program says when the file cannot be written
WARPWATT_TIMES=/no/such/dir/t run 1 run vectorAdd; says err 'cannot write /no/such/dir/t'
finish
