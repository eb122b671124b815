# The ladder: every rung is checked, straight lines are straight, and their slopes are what the model charges.
. "$HERE/lib.sh"
run 0 study ladder --size small -j 2 -o s --db results.sqlite
says err '75 run, 0 kept from before, 0 failed'
python3 - <<'END' || fail "the ladder's fits"
import csv
def table(name):
    with open('s/%s.csv' % name) as f: return list(csv.DictReader(f))
fits = table('fits')[0]
value = lambda key: float(next(v for k, v in fits.items() if k.startswith(key)))
# power is linear in what is counted: so the rungs of classes that share nothing lie on a line
for c in ('int', 'fma', 'sfu', 'shared'):
    assert value(c + ': farthest rung') < 0.05 * value(c + ': an SM'), c
# a multiply-add costs more than an addition, and a lane's by the slope is the lane that the model charges
assert value('fma: an SM') > value('int: an SM') > 0
assert abs(value("pJ, a lane's") / value("pJ, the model's") - 1) < 0.03
# one block to an SM: as many are busy as were asked for, but for the launch's own time
for r in table('sms-fma'):
    n = int(r['workload'].split()[2])
    assert 0.9 * n < float(r['x']) <= n, r
# gates of SMs without work: nothing to spare where all have work but the SM that is off, most where one has
sms = table('sms-fma')
gain = [float(r['GTX 480 [W]']) - float(r['SMs without work gated [W]']) for r in sms]
assert all(a > b for a, b in zip(gain, gain[1:])) and gain[0] > 10 * gain[-1] > 0
# hotter leaks more, faster draws more
rising = lambda rows, key: all(float(a[key]) < float(b[key]) for a, b in zip(rows, rows[1:]))
assert rising(table('temperature'), 'static') and rising(table('clock'), 'at 1.0 V [W]')
END
finish
