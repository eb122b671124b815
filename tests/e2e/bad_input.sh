# Workloads: names that are nearly right, sizes that are not there, results that are wrong.
. "$HERE/lib.sh"
bin=$(dirname "$WARPWATT")/workloads
run 2 run hotspott; says err 'did you mean `hotspot`'; one_sentence err
run 2 workloads matrxMul; says err 'did you mean `matrixMul`'
run 2 workloads zzzzzzzzzz; says err 'no workload `zzzzzzzzzz`'
run 2 run --size papr bfs; says err 'did you mean `paper`'
run 2 run --size enormous bfs; says err 'no size `enormous`'
# the same of the programs themselves
run 1 run -- "$bin/bfs/bfs" smal; says err 'no size is called smal; did you mean small'
run 1 run -- "$bin/bfs/bfs" enormous; says err 'no size is called enormous; --help'
run 1 run -- "$bin/bfs/bfs" 12 x; says err 'is "x"; it must be a number'
run 1 run -- "$bin/bfs/bfs" 1 2 3 4; says err 'give the name of a size or 2 numbers'
# a kernel that subtracts: the check names the first elements and how many are wrong, and the run fails
sed 's/add\.rn\.f32/sub.rn.f32/; s/add\.f32/sub.f32/' "$bin/vectorAdd/vectorAdd.ptx" >wrong.ptx
cmp -s wrong.ptx "$bin/vectorAdd/vectorAdd.ptx" && fail "the PTX of vectorAdd adds in another way: change the test"
export WW_WORKLOAD_PTX="$TMP/wrong.ptx"
run 1 run vectorAdd
cat out err >all
says all '\[[0-9]+\] is -?[0-9.e+-]+, expected -?[0-9.e+-]+ within'
[ "$(grep -c '\] is .*, expected ' all)" -le 5 ] || fail "more than the first few elements"
says all '[0-9]+ of [0-9]+ elements are wrong'
says all 'vectorAdd: FAILED'
export WW_WORKLOAD_PTX="$TMP/no-such.ptx"
run 1 run vectorAdd; cat out err >all; says all 'there is no .*no-such.ptx'
# numbers that are too large say so, and what the limit is
for o in --grid --block --shared; do
    for number in 4294967296 4294967297 99999999999999999999999 5g; do
        run 2 run "$HERE/ptx/forever.ptx" $o $number; one_sentence err
        says err "$o is .$number.*at most 4294967295"
        lacks err 'must be'
    done
    run 2 run "$HERE/ptx/forever.ptx" $o 1z; one_sentence err; says err "$o is .1z.; it must be"
done
run 2 run "$HERE/ptx/forever.ptx" --grid 1,4294967296; says err 'where 4294967296 is too large'
# the loader has no way to quote: an installation in a folder with a space or a colon says so
for folder in 'a b' 'a:b'; do
    mkdir "$folder"; ln "$WARPWATT" "$folder/warpwatt" 2>/dev/null || cp "$WARPWATT" "$folder"; cp "${WARPWATT%/*}/libcuda.so.1" "$folder"
    WARPWATT_GPUS=${WARPWATT_GPUS:-$HERE/../../gpus} "$folder/warpwatt" run -- true >out 2>err; got=$?
    [ $got = 2 ] || fail "a program in \`$folder\`: exit code $got"
    one_sentence err; says err "warpwatt lies in .*/$folder.: the dynamic loader takes no name with a space or colon"
done
finish
