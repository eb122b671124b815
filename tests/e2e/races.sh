# --check races on chips with a stack and with independent threads, with time and without; code for sm_70,
# whose lanes are independent, and for older targets, whose warps run in step on every chip. A block each, as all of several
# would store to one argument (races_grid.sh).
. "$HERE/lib.sh"
sed 's/sm_35/sm_70/' "$HERE/ptx/races.ptx" >new.ptx
sed 's/sm_35/sm_30/' "$HERE/ptx/races.ptx" >old.ptx
kernels=$(sed -n 's/^\.visible \.entry \([a-z_]*\).*/\1/p' new.ptx)
[ "$(echo "$kernels" | wc -l)" -ge 25 ] || fail "kernels are missing"
# races CHIP FILE LANES: where lanes are independent LANES is yes
races() {
    for kernel in $kernels; do
        case $kernel in
        ok_diverged) if [ "$1" = v100 ]; then want=0; else continue; fi ;; # before Volta a warp arrives whole
        ok_*) want=0 ;;
        bad_*) want=1 ;;
        lane_*) if [ "$3" = yes ]; then want=1; else want=0; fi ;;
        esac
        for mode in '' --functional; do
            # shellcheck disable=SC2086
            run $want run "$2" -g "$1" --no-power --entry "$kernel" --check races,sync,leaks,bounds --grid 1 --block 96 \
                --arg 'u32[16]=zero' $mode
            if [ $want = 1 ]; then
                says err 'found: shared-memory race: '
                case $kernel in lane_*) says err 'lane [0-9]+ of warp [0-9] .* with no bar.warp.sync' ;; esac
            else
                lacks err 'found'
            fi
        done
    done
}
# The same as ptxas 12.9 compiles it for sm_70 (races_sm_70.cubin): its words say where lanes meet, but neither with whom
# nor what is volatile in shared memory; bar.sync of parted lanes, which PTX does not define, stands still.
for kernel in $kernels; do
    case $kernel in
    ok_diverged) continue ;;
    ok_flag) want=1 ;;
    ok_* | lane_wrong_mask) want=0 ;;
    *) want=1 ;;
    esac
    run $want run "$HERE/ptx/races_sm_70.cubin" -g v100 --no-power --functional --entry "$kernel" --check races,sync,leaks,bounds \
        --grid 1 --block 96 --arg 'u32[16]=zero'
    if [ $want = 1 ]; then says err 'found: shared-memory race: '; else lacks err 'found'; fi
done
# sums of a warp group's product are stored behind a wait for it, then behind one that lets its group go on
for left in 0 1; do
    sed "s/wait_group.sync.aligned 0/wait_group.sync.aligned $left/" "$HERE/ptx/early_sums.ptx" >sums.ptx
    run $left run sums.ptx -g h100 --no-power --functional --entry sums --check races --grid 1 --block 128 \
        --arg 'u32[1024]=zero'
    if [ $left = 1 ]; then says err 'found: R[0-9]+ belongs to a product of the warp group'; else lacks err 'found'; fi
done
races v100 new.ptx yes
races v100 old.ptx no
races gtx780 old.ptx no
finish
