# The characterisation at size small: all workloads are there, parts add up, what the programs are known
# for shows; and the page of Markdown with its drawings.
. "$HERE/lib.sh"
run 0 study characterize --size small --db "$TMP/results.db" -o s --markdown "$TMP/w.md"
says err ', 0 failed'
[ "$(wc -l <s/page.csv)" = $(($(ls "$HERE"/../../workloads/*/workload.yaml | wc -l) + 1)) ] || fail "not all workloads are in page.csv"
python3 - <<'END' || fail "the numbers do not hold together"
import csv
m = {}
for r in csv.DictReader(open('s/metrics.csv')):
    m[r['workload'], r['configuration'], r['metric']] = float(r['value'])
get = lambda w, n, c='two-level': m[w, c, n]
names = sorted({w for w, c, n in m if c == 'gtx480'})
for w in names:
    c = 'gtx480'
    assert abs(sum(get(w, n, c) for n in ('mix_ldst', 'mix_sfu', 'mix_int', 'mix_fp')) - 100) < 1e-3, w
    lanes = sum(get(w, 'lanes_' + n, c) for n in ('0', '1_4', '5_8', '9_12', '13_16', '17_24', '25_32'))
    assert abs(lanes - 100) < 1e-3, (w, lanes)
    assert get(w, 'top3', c) <= get(w, 'top4', c) <= get(w, 'top5', c) <= 100.001, w
    assert 0 < get(w, 'rf_granted', c) <= 100, w
    assert get(w, 'ctas_resident', c) <= 8 + 1e-9, w  # a GTX 480's SM holds eight
# workload-shapes and the suites' sources: blocks, and lanes that are there at all
assert get('nw', 'cta_threads', 'gtx480') == 16 and get('hotspot', 'cta_threads', 'gtx480') == 256
assert get('myocyte', 'lanes_mean') < 2 and get('nw', 'lanes_mean') <= 16
assert get('MUM', 'lanes_mean') < 16 < get('sgemm', 'lanes_mean')
assert get('bfs', 'mix_fp') == 0 and get('nbody', 'mix_fp') > 50
# every line of L1 is in one of four parts
for w in ('hotspot', 'srad'):
    assert abs(sum(get(w, n) for n in ('l1_never', 'l1_15', 'l1_255', 'l1_more')) - 100) < 1e-3, w
# the kernels of a run make the run
k = list(csv.DictReader(open('s/kernels.csv')))
for w in ('srad', 'bfs', 'mergeSort'):
    total = sum(int(r['thread_instructions']) for r in k if r['workload'] == w and r['configuration'] == 'gtx480')
    assert abs(total - get(w, 'instructions', 'gtx480')) < 1e-4 * total, w  # eight digits
END
says w.md '^# The workloads, characterised'; says w.md '^\| hotspot \| '
for f in fig5a fig4_5; do
    [ -s figures/characterize-$f.svg ] || fail "no drawing of $f"
    says w.md "figures/characterize-$f.svg"
    python3 -c "import sys, xml.dom.minidom as x; x.parse(sys.argv[1])" figures/characterize-$f.svg || fail "$f is not XML"
done
finish
