# The study of Dynamic Front-End Sharing at size small: every figure there, sharing times and what is saved.
. "$HERE/lib.sh"
run 0 study front-end-sharing --size small -o page --db results.sqlite -j 2
for f in fig5 fig6 fig7 fig8 front scaled ranks parting slower causes_2 causes_4 turns; do
    [ -s "page/$f.csv" ] || fail "no page/$f.csv"
done
python3 - <<'P' || fail "the study's results"
import csv
def table(f):
    rows = list(csv.reader(open(f'page/{f}.csv')))
    return {r[0]: [float(x) for x in r[1:]] for r in rows[1:]}
share, speed, front = table('fig5'), table('fig6'), table('fig7')
assert len(share) == 18 and all(0 <= x <= 100 for r in share.values() for x in r), share
assert all(share[w] == [100, 100] for w in ('BO', 'SP', 'TP', 'CP', 'AES')), share # no branch parts them
assert all(share[w][0] < 95 for w in ('MS', 'HG', 'BFS')), share # irregular
assert all(75 < x < 110 for r in speed.values() for x in r), speed
assert front['AES'][1] > front['AES'][0] > 20, front
P
# what docs/papers keeps of this size; where a number moved on purpose, the study's sibling of size paper is old too
"$HERE/../../tools/paper-pages" --compare page >said || { cat said; fail "kept results (docs/papers/results) are not these"; }
finish
