# The study of Origami at size small: in time, every figure there, the order of what it saves.
. "$HERE/lib.sh"
start=$(date +%s)
run 0 study origami --size small -o page --db results.sqlite -j 2
end=$(date +%s)
[ $((end - start)) -lt 600 ] || fail "the study took $((end - start)) s"
for f in fig4.1a fig4.1b fig4.2 fig4.5 fig4.9a fig4.9b fig4.10a fig4.10b fig4.11 fig4.12 sensitivity parts; do
    [ -s "page/$f.csv" ] || fail "no page/$f.csv"
done
python3 - <<'P' || fail "the study's results"
import csv, json
rows = json.load(open('page/study.json'))['results']
assert len(rows) == 27 and all('ours' in r for r in rows), len(rows)
ours = {(r['configuration'], r['metric']): r['ours'] for r in rows}
saved = [ours[c, 'INT leakage energy saved'] for c in ('conv-pg', 'warp-folding', 'origami')]
assert saved[0] < saved[1] and saved[0] < saved[2] and 0 < saved[0] and saved[2] < 100, saved
assert 0 < ours['origami', 'warps folded'] < 100
P
finish
