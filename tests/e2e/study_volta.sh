# The kernels measured on a Quadro GV100, at size small: all run and are right, sectors and shared-memory instructions
# are those that follow from their shapes by hand, and the page has what was measured beside ours.
. "$HERE/lib.sh"
run 0 study volta --size small -j 2 -o s --db results.sqlite
says err ', 0 failed'
python3 - <<'END' || fail "what the kernels count"
import csv
m = {}
again = {}
code = {}
for r in csv.DictReader(open('s/metrics.csv')):
    by = {'qv100': m, 'again': again, 'code': code}
    by.get(r['configuration'], {})[r['workload'], r['metric']] = float(r['value'])
# (a launch) two tiles of eight warps: two chunks of 56 accesses and 96 for C and D
assert m['wmma-gemm', 'shared_ours'] == 2 * 8 * (2 * 56 + 96)
# A and B of a tile, 128 rows each of 128 halves; C of 128 x 128 floats; D likewise
assert m['wmma-gemm', 'l1_read'] == 2 * (2 * 128 * 128 * 2 + 128 * 128 * 4) / 32
assert m['wmma-gemm', 'l1_written'] == 2 * 128 * 128 * 4 / 32
# 20000 numbers of three dimensions; 8192 in and out; a row of 17 floats is three sectors
assert m['quasirandom', 'l1_written'] == 3 * 20000 * 4 / 32
assert m['fwtBatch2', 'l1_read'] == m['fwtBatch2', 'l1_written'] == 8192 * 4 / 32
assert m['layerForward', 'l2_written'] == 3 * 1024
# cold: what L2 gives was read from DRAM
for w in ('fwtBatch2', 'fwtBatch1'): assert m[w, 'dram_read'] >= 8192 * 4 / 32, w
# launched again: nothing comes from DRAM, and a kernel's power is its energy and the gap's over both times
for w in ('fwtBatch2', 'fwtBatch1'): assert again[w, 'dram_read'] == 0, w
for w in ('fwtBatch2', 'hotspot', 'sgemm'):
    assert 55 < again[w, 'loop_w'] < again[w, 'cold_w'] or 55 > again[w, 'loop_w'] > again[w, 'cold_w'], w
    assert abs(m[w, 'watts'] - again[w, 'loop_w']) < 1e-6 * m[w, 'watts'], w
# the vendor's machine code of the same source moves the same data, by other instructions
for w in ('fwtBatch2', 'wmma-gemm', 'sgemm', 'hotspot'):
    for x in ('l1_read', 'l1_written'): assert abs(code[w, x] - m[w, x]) <= 0.02 * m[w, x], (w, x, code[w, x], m[w, x])
    assert code[w, 'per_launch'] != m[w, 'per_launch'], w
    assert code[w, 'active'] == m[w, 'code_active'], w
table = {r['workload']: r for r in csv.DictReader(open('s/cycles.csv'))}
assert len(table) == 18 and float(table['sgemm']['measured [cycles]']) == 361310.6 and float(table['sgemm']['ours [cycles]']) > 0
END
finish
