# Techniques of the register file: results are checked as without them, what is executed and accessed does
# not change, every row has one state in every cycle, and every access is in one partition.
. "$HERE/lib.sh"
number() { sed -n "s/^  \"$1\": \([0-9]*\),*\$/\1/p" "$2" | head -1; }
same() { for c in "$@"; do [ "$(number $c plain.json)" = "$(number $c out)" ] || fail "$w, $p: $c changed"; done; }
for w in hotspot bfs heartwall; do
    run 0 run --json -g gtx480-ptxplus -p two-level $w; cp out plain.json
    for p in tric coma warped-register-file; do
        run 0 run --json -g gtx480-ptxplus -p $p $w
        same thread_instructions warp_instructions rf_reads rf_writes rf_read_lanes
        [ $p = coma ] && same cycles
        [ $p = coma ] && continue
        rows=$(($(number row_on_cycles out) + $(number row_waking_cycles out) + $(number row_drowsy_cycles out) + $(number row_off_cycles out)))
        [ $rows = $((1024 * $(number sm_busy_cycles out))) ] || fail "$w, $p: $rows row cycles"
        [ "$(number row_wakes out)" -gt 0 ] && [ "$(number row_off_cycles out)" -gt 0 ] || fail "$w, $p: no states"
    done
    # by arrays of a lane no access is spared that divided lines would make, and none is added
    p=lines; run 0 run --json -g gtx480-ptxplus -p coma $w; lanes=$(($(number rf_read_lanes_spared out) + $(number rf_write_lanes_spared out)))
    p=words; run 0 run --json -g gtx480-ptxplus -p coma -s sm.rf_array_lanes=1 -s savings.coma=arrays $w
    same cycles thread_instructions warp_instructions rf_reads rf_writes
    arrays=$(($(number rf_read_arrays_spared out) + $(number rf_write_arrays_spared out)))
    [ $arrays = $lanes ] || fail "$w: $arrays arrays of a lane spared, $lanes lanes"
    p=groups; run 0 run --json -g gtx480-ptxplus -p coma -s savings.coma=arrays $w
    same cycles
    [ $((4 * ($(number rf_read_arrays_spared out) + $(number rf_write_arrays_spared out)))) -le $lanes ] || fail "$w: groups of four spare more than lanes"
    # a wakeup of a cycle is hidden, and so are three with a look-ahead of two
    p="one cycle"; run 0 run --json -g gtx480-ptxplus -p tric -s savings.row_wakeup=1 $w; same cycles
    p="look-ahead"; run 0 run --json -g gtx480-ptxplus -p tric -s savings.row_ahead=2 $w; same cycles
    run 0 run --json -g gtx780 -s sm.scheduler=two_level $w; cp out plain.json
    for p in pilot-register-file pilot-register-file-fast static-register-file ntv-register-file; do
        run 0 run --json -g gtx780 -p $p $w
        same thread_instructions warp_instructions
        [ "$(number cycles out)" -ge "$(number cycles plain.json)" ] || echo "$w, $p: faster by another order"
        [ "$(number partition_cycles out)" = 0 ] && [ "$(number slow_file_cycles out)" = 0 ] && fail "$w, $p: no partition"
    done
    p=rf-cache; run 0 run --json -g gtx780 -p rf-cache $w
    same thread_instructions warp_instructions
    [ "$(number rfc_writes out)" -gt 0 ] || fail "$w, $p: nothing was cached"
    [ $(($(number rfc_writes out) + $(number rfc_bypasses out))) = "$(number rf_writes out)" ] || fail "$w, $p: writes"
    p=equal; run 0 run --json -g gtx780 -p ntv-register-file -s savings.srf_latency=1 $w; same cycles
done
run 2 run -g gtx480-ptxplus -p coma -s sm.rf_array_lanes=1 hotspot
grep -q 'each lane has a word line of its own' err || fail "word lines of a lane, divided"
run 2 run -g gtx780 -p pilot-register-file+coma hotspot
grep -q 'do not go together' err || fail "a partition and masks"
run 2 run -g gtx780 -p rf-cache -s sm.scheduler=gto hotspot
grep -q 'needs sm.rfc_entries' err || fail "a register-file cache without an active set"
finish
