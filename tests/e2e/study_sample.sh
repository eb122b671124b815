# The study of sampling on two programs at their smallest: what it says of an estimate is what its runs say.
. "$HERE/lib.sh"
python3 - "$HERE/../../studies/sample.yaml" <<'P'
import re, sys
text = open(sys.argv[1]).read()
open('two.yaml', 'w').write(re.sub(r'\nworkloads:\n.*?\n\n', '\nworkloads:\n  myocyte:\n  CP:\n\n', text, flags=re.S))
P
run 0 study --db two.db --size small -o two two.yaml
python3 - <<'P' || fail "the tables are not what the runs say: $(cat two/metrics.csv)"
import csv
m = {(r['workload'], r['configuration'], r['metric']): r['value'] for r in csv.DictReader(open('two/metrics.csv'))}
v = lambda w, k: float(m[w, 'sampled', k] or 'nan')
assert v('myocyte', 'half') > 0 and v('myocyte', 'holds') == 1 and v('myocyte', 'joules_hold') == 1, 'myocyte is sampled, and its intervals hold'
assert abs(v('myocyte', 'off')) <= v('myocyte', 'half') * 1.05 and v('myocyte', 'error') == abs(v('myocyte', 'off'))
assert v('CP', 'half') == 0 and v('CP', 'off') == 0 and m.get(('CP', 'sampled', 'holds'), '') == '', 'of CP nothing is worth it'
P
finish
