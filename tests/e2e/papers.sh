# The page of each paper (docs/papers) is what its rows and the kept results make, and lacks nothing: no figure or table of
# the paper, no published value, no figure of its studies. What needs no run is computed again and compared with what is
# kept; the studies' own tests (study_*.sh, study.sh) compare what they run. Commands, options and parts of the chip that
# pages name are there. That the tool sees what is missing or has moved is tried on a copy of the tree's parts.
. "$HERE/lib.sh"
TREE="$HERE/../.."
"$TREE/tools/paper-pages" --check >said || { cat said; fail "a page lacks something, or is old"; }
says said '^5 papers, 0 things missing$'

# what needs no run, of the two studies that have most of it: areas, leakage, circuits, peaks, what is given
for study in gpusimpow warped-register-file; do
    run 0 study $study --size paper --no-run --db "$TMP/none.db" -o paper-$study
done
"$TREE/tools/paper-pages" --compare paper-* >said || { cat said; fail "kept numbers are not what is computed"; }
compared=$(sed -n 's/^\([0-9]*\) numbers compared.*/\1/p' said)
[ "${compared:-0}" -gt 60 ] || fail "only $compared numbers were compared"

# commands with their options, parts of the chip
for command in run chip power study report workloads gpus; do run 0 help $command; cp out help-$command; done
run 0 chip --json -g gtx480; cp out chip.json
python3 - "$TREE" <<'P' || fail "a page names what is not there"
import csv, json, re, sys
papers = sys.argv[1] + '/docs/papers/'
rows = [r for p in csv.DictReader(open(papers + 'papers.csv')) for r in csv.DictReader(open(papers + p['name'] + '.csv'))]
assert len(rows) > 180, len(rows)
text = ' '.join(r['made'] for r in rows)
named = re.findall(r'`warpwatt (\w+)([^`]*)`', text)
assert len(named) > 15, named
for command, words in named:
    told = open('help-' + command).read()
    for option in re.findall(r'--[a-z-]+', words):
        assert option in told, (command, option)
parts = {c['name'] for c in json.load(open('chip.json'))['components']}
lists = [m.group(1) for r in rows for m in [re.search(r'`warpwatt chip`: ([a-z0-9_, ]+)$', r['made'])] if m]
names = [n.strip() for l in lists for n in l.replace(' and below', '').split(',')]
assert len(names) > 20, names
for n in names:
    assert n in parts, (n, sorted(parts))
P

mkdir -p copy/docs copy/tools
cp -R "$TREE/docs/papers" copy/docs/
cp "$TREE/tools/paper-pages" copy/tools/
for f in "$TREE"/*; do [ -e "copy/${f##*/}" ] || ln -s "$f" copy/; done
for f in "$TREE"/docs/*; do [ -e "copy/docs/${f##*/}" ] || ln -s "$f" copy/docs/; done
copy/tools/paper-pages --check >said || { cat said; fail "a copy of the tree lacks something"; }
grep -v 'warped-gates:fig8c' copy/docs/papers/warped-gates.csv >rows && cp rows copy/docs/papers/warped-gates.csv
copy/tools/paper-pages --check >said && fail "a row was taken away unseen"
says said 'warped-gates: no row for figure 8c'
says said 'warped-gates:fig8c .*is made'
says said 'no row answers for the published values of "MICRO.46 fig 8c"'
says said 'warped-gates.md is not what rows and results make'
cp "$TREE/docs/papers/warped-gates.csv" copy/docs/papers/
sed 's/{warped-gates:fig9a|average|ConvPG/{warped-gates:fig9a|average|Nobody/' "$TREE/docs/papers/warped-gates.csv" >copy/docs/papers/warped-gates.csv
copy/tools/paper-pages --check >said && fail "a number that no study makes was taken"
says said 'no name "Nobody"'
cp "$TREE/docs/papers/warped-gates.csv" copy/docs/papers/
# a claim that numbers judge: what holds, holds in part, does not; what is no comparison is refused
judged() { # COMPARISONS VERDICT
    python3 - "$1" "$TREE/docs/papers/warped-gates.csv" >copy/docs/papers/warped-gates.csv <<'P'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[2])))
next(r for r in rows if r['at'] == 'section 7.6')['verdict'] = 'holds: ' + sys.argv[1]
out = csv.DictWriter(sys.stdout, rows[0], lineterminator='\n')
out.writeheader()
out.writerows(rows)
P
    copy/tools/paper-pages >said
    grep '^| \*\*section 7.6\*\*' copy/docs/papers/warped-gates.md >row
    says row "\\*\\*$2\\*\\*"
}
lost='{warped-gates:fig11a|conv-pg BET=9|performance}'
judged "$lost > 0 and max($lost, 1) < 50" 'as published'
judged "$lost > 0; $lost < 0" 'in part'
judged "$lost < 0; 2 * $lost < 0" differs
judged "$lost" 'no verdict'; says said 'is no comparison of numbers'
judged "exit(1) < $lost" 'no verdict'; says said 'is no comparison of numbers'
judged '{warped-gates:fig11a|BET|performance} < 1' 'no verdict'; says said 'no name "BET"'
cp "$TREE/docs/papers/warped-gates.csv" copy/docs/papers/
# a kept number that is not the computed one
python3 - copy/docs/papers/results/warped-register-file-paper.json <<'P'
import json, sys
kept = json.load(open(sys.argv[1]))
v = next(v for v in kept['values'] if v['source'] == 'dissertation table 2.1' and v['configuration'] == '90nm' and v['metric'].startswith('leakage'))
v['ours'] *= 1.01
json.dump(kept, open(sys.argv[1], 'w'))
P
copy/tools/paper-pages --compare paper-warped-register-file >said && fail "a number that moved was not seen"
says said 'table 2.1: sram cell: 90nm: leakage current at Vdd is 1.*, kept is 1'
finish
