# The study of the Warped Register File at size small: every figure there, and what must hold of them.
. "$HERE/lib.sh"
run 0 study warped-register-file --size small -o page --db results.sqlite -j 2
for f in table2.1 table5.1 fig5.2 fig5.3 fig5.4 fig5.7 fig5.8 totals states organisations schedulers loss account; do
    [ -s "page/$f.csv" ] || fail "no page/$f.csv"
done
python3 - <<'P' || fail "the study's results"
import csv, json
rows = json.load(open('page/study.json'))['results']
assert len(rows) == 70, len(rows)
loss = {r['configuration']: r for r in csv.DictReader(open('page/loss.csv'))}
lost = {c: float(r['performance lost']) for c, r in loss.items()}
assert lost['drowsy, one cycle'] == 0 == lost['three cycles, look-ahead of two'], lost
assert 0 < lost['drowsy, two cycles'] < lost['TRIC'] < lost['wakeup 6'], lost
full = loss['Warped Register File, one full SM']
assert 85 < float(full['leakage saved']) < float(loss['TRIC']['leakage saved']) < 100
assert float(full['saved in all, 2:1']) > float(full['5:1']) > float(full['8:1']) > 0
states = list(csv.reader(open('page/states.csv')))[1:]
assert len(states) == 16 and all(abs(sum(map(float, r[1:])) - 100) < 1e-4 for r in states)
P
# what docs/papers keeps of this size; where a number moved on purpose, the study's sibling of size paper is old too
"$HERE/../../tools/paper-pages" --compare page >said || { cat said; fail "kept results (docs/papers/results) are not these"; }
finish
