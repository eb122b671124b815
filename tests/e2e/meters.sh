# Meters and what is counted for the characterisation: they change no cycle, and their sums agree
# with counters that are counted elsewhere, or with the launch.
. "$HERE/lib.sh"
number() { sed -n "s/^  \"$1\": \([0-9]*\),*\$/\1/p" "$2" | head -1; }
for w in hotspot bfs; do
    run 0 run --json -p two-level -s sm.active_warps=32 $w; cp out plain.json
    run 0 run --json -p meters $w; cp out meters.json
    for c in cycles rf_reads rf_writes l1_read_hits l2_reads dram_reads; do
        [ "$(number $c plain.json)" = "$(number $c meters.json)" ] || fail "$w: meters changed $c"
    done
    # an access to a register is the first one of its slot or ends a gap
    all=$(($(number rf_reads meters.json) + $(number rf_writes meters.json)))
    gaps=$(($(number meter_rf_gaps meters.json) + $(number meter_rf_long_gaps meters.json)))
    first=$((all - gaps))
    most=$(($(number thread_registers meters.json) / 32 * 2)) # warps are not all full
    [ $first -gt 0 ] && [ $first -le $most ] || fail "$w: $first first accesses, at most $most registers"
    # top 3 <= top 4 <= top 5 <= all
    t3=$(number rf_top3 meters.json) t4=$(number rf_top4 meters.json) t5=$(number rf_top5 meters.json)
    [ "$t3" -gt 0 ] && [ "$t3" -le "$t4" ] && [ "$t4" -le "$t5" ] && [ "$t5" -le $all ] || fail "$w: top $t3 $t4 $t5 of $all"
done
# hotspot small: 36 CTAs of 256 threads (workloads/hotspot/README.md); four fit an SM by registers
[ "$(number cta_launches meters.json)" -gt 0 ] || fail "no CTAs"
run 0 run --json -p meters hotspot
[ "$(number thread_launches out)" = $(($(number cta_launches out) * 256)) ] || fail "threads of a CTA"
# vectorAdd: all lanes of all accesses, but those of the last warp: 4 bytes a lane, so as many words as lanes
run 0 run --json -p meters vectorAdd
[ "$(number l1_lanes out)" = "$(number l1_words out)" ] || fail "vectorAdd uses every byte that it asks for"
finish
