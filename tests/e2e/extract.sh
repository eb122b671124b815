# What nvcc put into programs: listed, written, refused.
. "$HERE/lib.sh"
data="$HERE/../fatbin/data"
run 0 extract "$data/size.fatbin" -o files
says out 'ptx +compute_75 +9\.0 +[0-9]+ +992 +zstd +scale, fill'
says out 'cubin +sm_80'; says out 'compute_90a'
[ "$(ls files | wc -l)" = 4 ] || fail "files: $(ls files)"
run 0 run files/size.fatbin.0.0.compute_75.ptx --entry fill --grid 1 --block 4 --arg 'u32[4]=zero?print=4' --arg u32=7
says out ': 7 7 7 7'
run 0 extract "$data/machine-code.fatbin"; says out 'nvcc -gencode arch=compute_80,code=compute_80 adds it'
run 0 extract "$data/linked.elf"; says out 'lto|ptx'
run 0 extract "$WARPWATT"; says out 'holds no device code'
run 2 extract /no/such/file; one_sentence err
run 2 extract "$HERE/lib.sh"; says err 'neither an ELF file'
head -c 3000 "$data/none.fatbin" >cut; run 2 extract cut; one_sentence err; says err 'at byte 0 a container is longer'
# cut off anywhere, a program is no program without device code
whole=$(wc -c <"$data/program.elf")
for bytes in 5 40 64 100 1000 5000 $((whole - 1)); do
    head -c "$bytes" "$data/program.elf" >cut
    run 2 extract cut; one_sentence err; says err 'cut is cut off'
done
run 0 extract "$data/program.elf"; says out _Z5scalePffi
run 2 extract -o /dev/null "$data/size.fatbin"; says err '/dev/null: Not a directory'
run 2 extract; says err 'needs a program'
finish
