# The study of Power-aware L1 and L2 caches at size small: in time, every figure there, the order of what
# is saved and of what it costs.
. "$HERE/lib.sh"
times >before
run 0 study cache-power --size small -o page --db results.sqlite -j 2
times >after
python3 - <<'P' || fail "more than twenty minutes of a processor"
import re
spent = [sum(60 * float(m) + float(s) for m, s in re.findall(r'(\d+)m([\d.]+)s', open(f).readlines()[1])) for f in ('before', 'after')]
assert 0 < spent[1] - spent[0] < 1200, f'{spent[1] - spent[0]:.1f} s of processor time'
P
for f in table1 table3 fig3a fig3b fig4 fig6a fig6b fig7 shares rows voltage experiments mask machine beyond; do
    [ -s "page/$f.csv" ] || fail "no page/$f.csv"
done
python3 - <<'P' || fail "the study's results"
import csv, json
rows = json.load(open('page/study.json'))['results']
ours = {(r['source'], r['configuration'], r['metric'], r['workload']): r['ours'] for r in rows}
assert all(r['ours'] is not None for r in rows if r['metric'] != 'static power' or 'of full' in r['configuration']), rows
saved = [ours[k] for k in ours if k[2] == 'L1 power saved' or k[2] == 'L2 power saved']
assert len(saved) == 4 and all(50 < x < 100 for x in saved), saved
for how in ('active mask', 'active mask, words'):
    dynamic = {k[2]: ours[k] for k in ours if 'dynamic power saved' in k[2] and k[1] == how}
    assert 0 < dynamic['L1 dynamic power saved'] < dynamic['L2 dynamic power saved'] < 100, (how, dynamic)
# 16 L1s of 128 rows of 1.081 mW, an L2 of 6144 of 6.7 mW, which keep 0.08 of 1.081 and 0.53 of 6.7 when drowsy
table = list(csv.DictReader(open('page/rows.csv')))[-1]
value = lambda start: next(float(v) for k, v in table.items() if k.startswith(start))
assert abs(value("L1's rows leak") - 2.2139) < 1e-3 and abs(value("L2's rows leak") - 41.165) < 1e-2, table
assert 90 < value('L1 saved by table 3') < 100 * (1 - 0.08 / 1.081) + value('dynamic, of what L1'), table
assert 91 < value('L2 saved by table 3') < 100 * (1 - 0.53 / 6.7) + value('dynamic, of what L2'), table
rows = [float(ours['table 3', v + ' V of full', 'static power', 'L1 row']) for v in ('0.2', '0.3', '0.4')]
assert 0 < rows[0] < rows[1] < rows[2] < 20, rows
P
# what docs/papers keeps of this size; where a number moved on purpose, the study's sibling of size paper is old too
"$HERE/../../tools/paper-pages" --compare page >said || { cat said; fail "kept results (docs/papers/results) are not these"; }
finish
