# --check races between blocks of a launch in global memory: with time and without, on warps with a stack and on
# independent threads, as PTX and as machine code (grid_races_sm_80.cubin, of ptxas 13.0); whatever the number of host threads.
. "$HERE/lib.sh"
cp "$HERE/ptx/grid_races.ptx" new.ptx
sed 's/^.target sm_70/.target sm_35/' new.ptx >old.ptx
kernels=$(sed -n 's/^\.visible \.entry \([a-z_]*\)(.*/\1/p' new.ptx)
[ "$(echo "$kernels" | wc -l)" -ge 24 ] || fail "kernels are missing"
look() { # CODE CHIP FILE KERNEL [OPTION]...
    code=$1 chip=$2 file=$3 kernel=$4
    shift 4
    run "$code" run "$file" -g "$chip" --no-power --entry "$kernel" --check races --grid 6 --block 96 --arg 'u32[16]=zero' \
        --arg 'u32[4096]=zero' --arg 'u32[1024]=zero' "$@"
}
races() { # CHIP FILE [OPTION]
    for kernel in $kernels; do
        case $kernel in
        ok_*)
            look 0 "$1" "$2" "$kernel" ${3-}
            lacks err 'found'
            ;;
        bad_*)
            look 1 "$1" "$2" "$kernel" ${3-}
            says err 'found: global-memory race: (reads|writes) the byte at 0x[0-9a-f]+, which block [0-5] (read|wrote): '
            lacks err 'shared-memory'
            ;;
        esac
    done
}
races v100 new.ptx
races v100 new.ptx --functional
races gtx780 old.ptx --functional
races a100 "$HERE/ptx/grid_races_sm_80.cubin" --functional
# which of the two is missing is said
look 1 v100 new.ptx bad_no_release
says err 'reads the byte at .* which block 0 wrote: that block has no fence behind it with an atomic, volatile or release store'
says err 'in kernel bad_no_release at .*new.ptx:[0-9]+, block \(1,0,0\) thread \(0,0,0\) \(the first of 96 times\)'
look 1 v100 new.ptx bad_no_acquire
says err 'which block 0 wrote: this block has seen what tells of it and has no fence behind that'
look 1 v100 new.ptx bad_read_first
says err 'writes the byte at .* which block 0 read: '
for kernel in bad_writers bad_last bad_grid; do for mode in '' --functional; do
    look 1 v100 new.ptx $kernel --threads 1 $mode
    grep found err >one
    look 1 v100 new.ptx $kernel --threads 2 $mode
    grep found err >two
    cmp one two || fail "findings differ with host threads"
done; done
finish
