# The study of Origami at size small: in time, every figure there, the order of what it saves.
. "$HERE/lib.sh"
times >before
run 0 study origami --size small -o page --db results.sqlite -j 2
times >after
python3 - <<'P' || fail "more than twenty minutes of a processor"
import re
spent = [sum(60 * float(m) + float(s) for m, s in re.findall(r'(\d+)m([\d.]+)s', open(f).readlines()[1])) for f in ('before', 'after')]
assert 0 < spent[1] - spent[0] < 1200, f'{spent[1] - spent[0]:.1f} s of processor time'
P
for f in fig4.1a fig4.1b fig4.2 fig4.5 fig4.9a fig4.9b fig4.10a fig4.10b fig4.11 fig4.12 time sensitivity phase units hardware parts full; do
    [ -s "page/$f.csv" ] || fail "no page/$f.csv"
done
python3 - <<'P' || fail "the study's results"
import csv, json
rows = json.load(open('page/study.json'))['results']
assert len(rows) == 33 and all('ours' in r for r in rows), len(rows)
ours = {(r['configuration'], r['metric']): r['ours'] for r in rows}
saved = [ours[c, 'INT leakage energy saved'] for c in ('conv-pg', 'warp-folding', 'origami')]
assert saved[0] < saved[1] and saved[0] < saved[2] and 0 < saved[0] and saved[2] < 100, saved
assert 0 < ours['origami', 'warps folded'] < 100
P
# what docs/papers keeps of this size; where a number moved on purpose, the study's sibling of size paper is old too
"$HERE/../../tools/paper-pages" --compare page >said || { cat said; fail "kept results (docs/papers/results) are not these"; }
finish
