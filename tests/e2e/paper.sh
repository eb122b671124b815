# The pages of docs/papers list all that their papers hold: figures and tables in their numbers, every published value,
# what stands there today. What needs no run is computed again and compared; commands, parts and files that a page names
# are there.
. "$HERE/lib.sh"
root=$HERE/../..
run 0 study gpusimpow --no-run --db "$TMP/none.db" -o s --paper paper.md
run 0 chip --json -g gt240; cp out chip.json
for command in run chip power study report workloads gpus; do run 0 help $command; cp out help-$command; done
python3 - "$root" <<'P' || fail "docs/papers/gpusimpow.md"
import csv, json, os, re, sys
root = sys.argv[1]
def cells(line): return [c.strip() for c in re.split(r'(?<!\\)\|', line)[1:-1]]
def page(path):
    rows = [cells(l) for l in open(path) if l.startswith('|')]
    start = [i for i, r in enumerate(rows) if r[0] == 'in the source'][0]
    return rows[start + 2:]
docs, now = page(root + '/docs/papers/gpusimpow.md'), page('paper.md')
# items, what, where, theirs: as the study has them; ours and verdict too, where no run is asked for
assert [r[:4] for r in docs] == [r[:4] for r in now], [(a[:4], b[:4]) for a, b in zip(docs, now) if a[:4] != b[:4]][:1]
assert all(len(r) == 7 for r in docs)
computed = 0
for d, n in zip(docs, now):
    if n[4] not in ('', '–'):
        assert d[4:] == n[4:], (d, n); computed += 1
assert computed > 30, computed
assert not any(r[5] in ('not known', '**not known**') for r in docs), [r for r in docs if 'not known' in r[5]]
# nothing is missing: each number of a figure, a table and a section, and each published value
items = [r[0].strip('*') for r in docs if r[0]]
assert items == list(dict.fromkeys(items))
for n in range(1, 13): assert 'figure %d' % n in items
for n in range(1, 6): assert 'table %d' % n in items
for n in ('summary', 'section 1', 'section 3.1.1', 'section 3.2', 'section 3.2.1', 'section 3.2.3', 'section 3.2.4', 'section 3.2.5',
          'section 3.3', 'section 3.4', 'section 4.1', 'section 4.2.1', 'section 4.2.2', 'section 4.2.3', 'section 5', 'section 6', 'section 7'):
    assert n in items, n
listed = {(r[1], r[3]) for r in docs if not r[0]}
for p in csv.DictReader(open(root + '/studies/published.csv')):
    if p['study'] != 'gpusimpow': continue
    assert ('%(workload)s, %(configuration)s: %(metric)s' % p, '%(value)s %(unit)s' % p) in listed, p
# every item and every value that does not agree says why, or has values that do
for i, r in enumerate(docs):
    has_values = i + 1 < len(docs) and r[0] and not docs[i + 1][0]
    if r[5].strip('*') not in ('agrees', 'given'): assert r[6] or has_values, r
# what pages name is there
text = ' '.join(r[2] for r in docs)
for command, words in re.findall(r'`warpwatt (\w+)([^`]*)`', text):
    told = open('help-' + command).read()
    for option in re.findall(r'--[a-z-]+', words): assert option in told, (command, option)
for path in re.findall(r'\b(?:src|docs|gpus|tests|tools)/[\w./-]+', text):
    assert os.path.exists(os.path.join(root, path.rstrip('.'))), path
parts = {c['name'] for c in json.load(open('chip.json'))['components']} | {'l2'}  # a GT 240 has no L2
for r in docs:
    m = re.search(r'`warpwatt chip`: ([\w, ]+)$', r[2])
    for name in re.findall(r'\w+', m.group(1) if m else ''):
        assert name in parts or name in ('and', 'below', 'by', 'the', 'GPU', 'file', 's', 'warps', 'schedulers', 'buffers'), name
figures = {f['id'] for f in json.load(open('s/study.json'))['figures']}
for names in re.findall(r'figures? ((?:[\w-]+(?:, | and )?)+)', text):
    for name in re.split(r', | and ', names): assert name in figures, name
P
# a list that leaves something out is refused, and so is one that names what is not there
cat >small.yaml <<'E2'
name: small
title: A small paper
configurations: {a: {}}
figures: {f: {title: F, x: [a], series: [{is: area_mm2()}]}}
published:
  - {metric: area, ours: area_mm2()}
paper:
  - {item: table 1, what: areas, made: here, source: table 1}
E2
printf 'study,source,workload,configuration,metric,value,unit\nsmall,table 1,chip,a,area,1,mm2\n' >published.csv
run 0 study small.yaml --no-run --db none.db -o t --paper t.md
says t.md '^\| \*\*table 1\*\* \| \*\*areas\*\* \| here \| \| \| \*\*differs\*\* '
says t.md '^\| \| chip, a: area \| \| 1 mm2 \| [0-9]+ \| differs \| '
echo 'small,table 2,chip,a,area,2,mm2' >>published.csv
run 2 study small.yaml --no-run --db none.db -o t --paper t.md; says err 'small.yaml:8:3:.*no item has the published value `area` of chip, table 2'
sed 's/source: table 1/source: table 7/' small.yaml >bad.yaml
run 2 study bad.yaml --no-run --db none.db -o t; says err 'bad.yaml:8:5:.*no published value has the selectors of item `table 1`'
sed 's/, source: table 1/, figure: g, source: [table 1, table 2]/' small.yaml >bad.yaml
run 2 study bad.yaml --no-run --db none.db -o t; says err 'no figure `g`'
sed 's/, source: table 1//' small.yaml >bad.yaml
run 2 study bad.yaml --no-run --db none.db -o t; says err 'neither figures nor values'
sed '/^paper/,$d' small.yaml >none.yaml
run 2 study none.yaml --no-run --db none.db -o t --paper t.md; says err 'lists no items of a paper'
finish
