# Products of matrices on all SMs of an H100 draw more than its 700 W: the clock goes down along the board's voltages, the
# highest step that holds is taken, and the account says so.
. "$HERE/lib.sh"
products="$HERE/ptx/wgmma_products.ptx --entry products --grid 132 --block 128 --arg f32[4]=const:0 --arg u32=32"
run 0 run -g h100 -o d $products
says err 'W at 1980 MHz, limit 700 W: again at 19[0-9]* MHz'
says err 'power limit +700 W: at 1980 MHz it would draw 7[0-9][0-9]\.[0-9]* W; all of it runs at 19[0-9]+ MHz and takes [0-9.]+ % longer$'
says err 'supply +0\.8[0-9]+ V, as the board has it at 19[0-9]+ MHz'
python3 - <<'P' || fail "the products of matrices within 700 W"
import json
p = json.load(open('d/power.json'))
l, k = p['power_limit'], p['kernels']
assert l['throttled'] and l['within'] and l['limit_w'] == 700 and l['asked_mhz'] == 1980, l
assert l['asked_w'] > 700 >= k['power_w'] > 670, (l, k['power_w'])
assert (1980 - l['core_mhz']) % 15 == 0, l
assert l['throttled_seconds'] == k['seconds'] > l['asked_seconds'], l
# tensor cores and their registers are most of it, as of the published 0.52 pJ an operation
part = {c['name']: c for c in p['components']}
flop = 132 * 32 * 8 * 2 * 64 * 256 * 16
assert 0.45 < 1.1e12 * part['tensor']['all_dynamic_j'] / flop < 0.55, part['tensor']
P
finish
