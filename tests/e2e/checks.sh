# --check: what each check finds, said at the end, each place once; the kernel goes on.
. "$HERE/lib.sh"
k="$HERE/ptx/checks.ptx"
check() { # CODE ENTRY CHECKS [OPTION]
    run "$1" run "$k" -g gtx780 --no-power --entry "$2" --check "$3" --block 64 \
        --arg 'u32[16]=zero?print=1' $4
}
for mode in '' --functional; do
    # a barrier that half a warp reaches: the place is said once for all blocks
    check 1 half sync "--grid 3 $mode"
    says err 'barrier 0 reached by 16 of the 32 threads that are left of warp 0 \(lanes 0x0000ffff\)'
    says err 'in kernel half at .*checks.ptx:14, block \(0,0,0\) thread \(0,0,0\)'
    [ "$(grep -c 'reached by' err)" = 1 ] || fail "a place is said more than once"
    check 0 half races "$mode"
    # threads that have ended are not waited for
    check 0 rest sync "$mode"
    # a lane outside the mask: one place of two
    check 1 outside sync "$mode"
    says err 'shfl.sync by lane 0 reads lane 2, which the member mask 0x00000003 leaves out'
    says err 'the first of 2 times'
    says err 'shfl.sync by lane 1 reads lane 2'
    check 0 outside bounds "$mode"
    # all places, and the kernel's result is there nevertheless
    check 1 several races,uninitialised "$mode"
    says out 'argument 1:'
    says err 'warp 1 writes the byte at offset 0x0, which warp 0 wrote'
    says err 'shared read of 4 bytes at offset 0x200, of which byte 0x200 was never written'
    [ "$(grep -c 'found' err)" -ge 2 ] || fail "not all findings"
    # whatever the number of host threads
    run 1 run "$k" -g gtx780 --no-power --entry several --check races,uninitialised --block 64 \
        --grid 40 --threads 1 --arg 'u32[16]=zero' $mode
    grep found err | sort >one
    run 1 run "$k" -g gtx780 --no-power --entry several --check races,uninitialised --block 64 \
        --grid 40 --threads 2 --arg 'u32[16]=zero' $mode
    grep found err | sort >two
    cmp one two || fail "findings differ with host threads"
done
# said without a table too
run 1 run "$k" -q -g gtx780 --entry several --check races --block 64 --arg 'u32[16]=zero'
says err '^warpwatt: found: shared-memory race'
run 2 run "$k" --entry half --check sink; says err 'sync'; one_sentence err
finish
