# What docs/papers keeps of figures that no study's own test runs whole: those of size paper, and the pilot's means over all
# programs. Rows of docs/papers/paper-runs.csv, as far as they take the tool's SOAK_SECONDS or less; every number of them.
. "$HERE/lib.sh"
TREE="$HERE/../.."
python3 - "$TREE" >runs <<'P' || fail "the list of runs is not one"
import csv, re, sys
rows = list(csv.DictReader(open(sys.argv[1] + '/docs/papers/paper-runs.csv')))
most = float(re.search(r'(?m)^SOAK_SECONDS = (\d+)', open(sys.argv[1] + '/tools/paper-pages').read()).group(1))
assert rows and all(r['size'] in ('paper', 'small') for r in rows), rows
for r in rows:
    if float(r['seconds']) <= most:
        print(r['study'], r['size'], r['figures'].replace(' ', ','))
P
while read -r study size figures; do
    run 0 study "$study" --size "$size" --figures "$figures" --db results.db -o "$study"
    says err ' 0 failed'
    "$TREE/tools/paper-pages" --compare "$study" >said || { cat said; fail "kept results (docs/papers/results) are not these"; }
    compared=$(sed -n 's/^\([0-9]*\) numbers compared.*/\1/p' said)
    [ "${compared:-0}" -ge 10 ] || fail "of $study at size $size only $compared numbers were compared"
done <runs
[ -s runs ] || fail "nothing was run"
finish
