# The page of a run as people look at it: light and dark, 1200 and 400 pixels wide, on paper, with the keyboard
# alone; ten thousand launches are a row; two runs have their changes. By a real browser, over its debugging pipe.
. "$HERE/lib.sh"
run 0 run -q -o many "$HERE/ptx/saxpy.ptx" --grid 1 --block 64 --arg f32=2 --arg 'f32[64]=iota' --arg 'f32[64]=const:1' --arg u32=64 --repeat 10000
run 0 run -q -o a hotspot
run 0 run -q -o b -s core.clock_mhz=560 -s sm.l1d.ways=2 -s sm.shared_banks=16 hotspot
run 0 report a b
run 0 report -o many.html b a many
run 0 compare --db kept.db -p two-level,gates vectorAdd hotspot -o study --pages
says err 'pages of runs: 4 made'
run 0 compare --db kept.db -p two-level,gates vectorAdd hotspot -o study --pages
lacks err 'pages of runs'
run 2 compare -p two-level,gates vectorAdd --pages; says err 'goes with -o DIR'
run 0 run -q -o sampled --sample 5% "$HERE/ptx/saxpy.ptx" --grid 64 --block 64 --arg f32=2 --arg 'f32[4096]=iota' --arg 'f32[4096]=const:1' --arg u32=4096 --repeat 60
run 0 report -o sampled.html b a sampled
for r in a b; do run 0 report --json $r; cp out $r.json; done
for page in many/index.html a/index.html a/compare.html; do
    [ "$(wc -c <$page)" -lt 3000000 ] || fail "$page is larger than 3 MB"
done
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "no chromium: the pages were not opened (tools/setup test installs it)"
    finish
fi
PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1 python3 - "$browser" "$TMP" <<'P' || fail "the pages"
import base64, json, sys
from browser import Browser
b = Browser(sys.argv[1], sys.argv[2] + '/profile')
# the least contrast of any text to what lies behind it (WCAG 2: 4.5 is wanted); parts of the map have a picture behind
contrast = '''(function () {
  function rgb(c) { var m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? m.concat([1]) : m; }
  function light(c) { return c.slice(0, 3).map(function (v) { v /= 255; return v <= .03928 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4); })
    .reduce(function (s, v, i) { return s + v * [.2126, .7152, .0722][i]; }, 0); }
  var least = [99, ''];
  document.querySelectorAll('body *').forEach(function (e) {
    if (e.closest('.cell, script, option, noscript') || !e.getClientRects().length) return;
    if (!Array.prototype.some.call(e.childNodes, function (n) { return n.nodeType === 3 && n.data.trim(); })) return;
    var back = [], p = e;
    for (; p; p = p.parentElement) back.unshift(rgb(getComputedStyle(p).backgroundColor));
    var under = back.reduce(function (u, c) { return u.map(function (v, i) { return c[3] * c[i] + (1 - c[3]) * v; }); }, [255, 255, 255]);
    var x = light(rgb(getComputedStyle(e).color)), y = light(under), r = (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
    if (r < least[0]) least = [r, e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40)];
  });
  return least; })()'''
for width in (1200, 400):
    for dark in (False, True):
        b.open('a/index.html', width, dark=dark)
        assert b.run('document.body.dataset.charts') == '7 of 7' and b.run('document.body.dataset.overflow') == '0', (width, dark)
        back = b.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert max(back) < 60 if dark else min(back) > 200, back
        assert (b.run('Chart.defaults.color') == '#b9c4d0') == dark
        least = b.run(contrast)
        assert least[0] >= 4.5, ('contrast', width, dark, least)
# the energy of each line of the source is in sight without scrolling aside, and so is most of the line
for width in (1300, 1920):
    b.open('a/index.html', width)
    seen = b.run('''Array.prototype.map.call(document.querySelectorAll('.code .scroll'), function (s) {
      var box = s.getBoundingClientRect(), cell = s.querySelector('tbody td').getBoundingClientRect(), line = s.querySelector('tbody th').getBoundingClientRect();
      return [s.querySelector('thead th:nth-child(2)').textContent, cell.right <= box.right && cell.left >= box.left && box.right <= innerWidth, line.width]; })''')
    assert len(seen) == 3 and all(name == 'energy' and inside for name, inside, _ in seen), (width, seen)
    assert all(line >= 200 for _, _, line in seen), (width, seen)
    assert b.run('document.body.dataset.overflow') == '0', width
# the page of a study has both schemes too
for dark in (False, True):
    b.open('study/index.html', 1200, dark=dark)
    drawn, wanted = b.run('document.body.dataset.charts').split(' of ')
    assert drawn == wanted != '0' and b.run('document.body.dataset.overflow') == '0', (drawn, wanted)
    back = b.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert max(back) < 60 if dark else min(back) > 200, back
    least = b.run(contrast)
    assert least[0] >= 4.5, ('study: contrast', dark, least)
# a comparison has its runs' pages, and any configuration for its base
import os, re
b.open('study/index.html', 1200)
links = b.run("Array.prototype.map.call(document.querySelectorAll('#runs a'), function (a) { return a.getAttribute('href'); })")
assert len(links) == 6 and all(os.path.exists('study/' + l) for l in links), links
cells = lambda: b.run("Array.prototype.map.call(document.querySelectorAll('#energy tbody td, #energy tfoot td'), function (c) { return +c.textContent; })")
bars = lambda: b.run("Chart.getChart(document.querySelector('#energy canvas')).data.datasets.map(function (s) { return s.data; })")
seconds = b.run("Array.prototype.map.call(document.querySelectorAll('#runs [data-joules]'), function (e) { return +e.dataset.joules; })")
was, drawn = cells(), bars()
assert was[0::2] == [1, 1, 1] and abs(drawn[1][0] - seconds[1] / seconds[0]) < 1e-6
b.run("(function () { var s = document.querySelector('#base'); s.value = 'gates'; s.dispatchEvent(new Event('change')); })()")
now, drawn = cells(), bars()
assert now[1::2] == [1, 1, 1] and abs(drawn[0][0] - seconds[0] / seconds[1]) < 1e-6 and abs(drawn[0][2] - (seconds[0] * seconds[2] / seconds[1] / seconds[3]) ** .5) < 1e-6, (now, drawn, seconds)
assert all(abs(x * y - 1) < 2e-3 for x, y in zip(was[1::2], now[0::2])), (was, now)
assert 'gates = 1' in b.run('document.querySelector("#energy h2").textContent')
change = 100 * (seconds[0] / seconds[1] - 1)
assert '%s%.1f %%' % ('+' if change >= 0 else '\u2212', abs(change)) in b.run("document.querySelector('#runs [data-joules]').textContent")
# runs beside each other: the tree's differences are those of the energies, parts add up, and it opens and closes
b.open('study/runs/hotspot-all.html', 1200)
def tree():
    return b.run('''Array.prototype.map.call(document.querySelectorAll('.tree tbody tr'), function (r) {
      return [r.dataset.component, r.children[1].textContent, r.children[3].firstChild.textContent, r.hidden]; })''')
t = tree()
assert t[0][0] == 'total' and len(t) > 20 and any(r[3] for r in t) and not t[0][3]
assert t[1][0] in ('chip', 'board') and not t[1][3]
of = {r[0]: r[1] for r in t}
b.run("Array.prototype.filter.call(document.querySelectorAll('#overview .tools button'), function (e) { return e.textContent === 'open all'; })[0].click()")
assert not any(r[3] for r in tree())
b.run("document.querySelector('.tree .twig').click()")
assert sum(not r[3] for r in tree()) == 1
base = b.run('document.querySelector("header").textContent')
b.run("Array.prototype.filter.call(document.querySelectorAll('header button'), function (e) { return e.textContent === 'the other as base'; })[0].click()")
swapped = {r[0]: r[1] for r in tree()}
turned = lambda s: s.replace('+', '-').replace('\u2212', '+').replace('-', '\u2212')
assert base != b.run('document.querySelector("header").textContent') and all(swapped[n] == turned(of[n]) for n in of), (of, swapped)
# what sampling estimated has its interval in the table of many runs
b.open('sampled.html', 1200)
text = b.run("Array.prototype.map.call(document.querySelectorAll('#runs tbody tr'), function (r) { return r.textContent; })")
assert '\u00b1' in text[2] and '\u00b1' not in text[0] + text[1], text
assert text[2].count('\u00b1') == 3
# two runs say which is the base of the changes
b.open('a/compare.html', 1200)
assert 'the base' in b.run('document.querySelector("header").textContent')
# the colour scheme changes while the page is open; on paper it is light, whole and open whatever the screen is
b.open('a/index.html', 1200)
b.media(dark=True)
b.until('Chart.defaults.color === "#b9c4d0"')
b.send('Emulation.setDeviceMetricsOverride', width=718, height=1000, deviceScaleFactor=1, mobile=False)  # A4 less its margins
b.media(dark=True, media='print')
b.until('Chart.defaults.color === "#3c4753" && document.querySelector("details").open')
ink = "(function () { var c = Chart.getChart(document.querySelector('#time canvas')).scales.x.options; return [c.ticks.color, c.grid.color]; })()"
assert b.run(ink) == ['#3c4753', '#e3e8ed'], 'charts keep the colours of the screen'
assert min(b.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")) > 200
b.run('new Promise(function (f) { requestAnimationFrame(function () { setTimeout(f, 200); }); })')  # charts take their new width
cut = b.run('''Array.prototype.filter.call(document.querySelectorAll('.scroll, table, canvas, .map'), function (e) {
  var box = e.getBoundingClientRect(); return box.right > 719 || e.scrollWidth > e.clientWidth + 1 || (e.className === 'scroll' && e.scrollHeight > e.clientHeight + 1); })
  .map(function (e) { return [e.tagName, e.className, e.getAttribute('aria-label'), e.scrollWidth, e.clientWidth, e.getBoundingClientRect().right]; })''')
assert not cut, ('cut off on paper', cut)
assert b.run('Array.prototype.every.call(document.querySelectorAll("details"), function (d) { return d.open; })')
assert b.run('getComputedStyle(document.querySelector("nav")).display') == 'none'
least = b.run(contrast)
assert least[0] >= 4.5, ('contrast on paper', least)
b.media()
b.until('!document.querySelector("details").open')
pdf = base64.b64decode(b.send('Page.printToPDF')['data'])
assert pdf.startswith(b'%PDF') and len(pdf) > 50000 and pdf.count(b'/Type /Page\n') > 2, len(pdf)
# the keyboard alone: each thing that does something is reached, seen, and does it
b.open('a/index.html', 1200)
here = '''(function () { var e = document.activeElement, s = getComputedStyle(e);
  return [e.tagName, e.className, e.textContent.slice(0, 30), s.outlineStyle, e.closest('section') ? e.closest('section').id : '']; })()'''
def reach(tag, what='', section=None):
    for _ in range(300):
        b.key('Tab')
        at = b.run(here)
        assert at[0] == 'BODY' or at[3] != 'none', ('focus is not seen', at)
        if at[0] == tag and what in at[1] + ' ' + at[2] and section in (None, at[4]): return at
    raise SystemExit('the keyboard does not reach %s %s' % (tag, what))
for name in ('Overview', 'Kernels', 'Over time', 'Source', 'What to change'): reach('A', name)
reach('BUTTON', 'cell', 'overview')
b.key('Enter')
assert b.run('document.querySelectorAll("#overview .tools button").length') == 2, 'a part of the map does not open'
assert 'cell' in b.run(here)[1], 'the focus is lost where a part opens'
reach('INPUT', '', 'kernels')
b.send('Input.insertText', text='no such kernel')
assert b.run('document.querySelectorAll("#kernels .scroll tbody")[0].children.length') == 0
b.run('document.querySelector("#kernels th button").click()')
assert b.run('document.querySelectorAll("#kernels .scroll tbody")[0].children.length') == 0, 'sorting forgets the filter'
b.run('var i = document.querySelector("input"); i.value = ""; i.dispatchEvent(new Event("input"))')
reach('BUTTON', 'time', 'kernels')
b.key('Enter')
assert b.run('document.activeElement.parentElement.getAttribute("aria-sort")') == 'descending'
b.key(' ')
assert b.run('document.activeElement.parentElement.getAttribute("aria-sort")') == 'ascending'
reach('SUMMARY')
b.key('Enter')
assert b.run('document.querySelector("details").open')
assert 'memory ' in b.run('document.querySelector("details").textContent')
reach('SELECT', '', 'source')
reach('TR', '', 'source')
b.key('ArrowDown'); b.key('ArrowDown')
assert b.run('Array.prototype.indexOf.call(document.activeElement.parentElement.children, document.activeElement)') == 2
b.key('Enter')
assert b.run('document.activeElement.classList.contains("on")')
assert b.run('Array.prototype.filter.call(document.querySelectorAll("#source tbody"), function (t) { return t.querySelector(".on"); }).length') == 3
# ten thousand launches are a row, and the source has the counts of all
b.open('many/index.html', 1200)
assert b.run('document.querySelectorAll("#kernels .scroll tbody")[0].children.length') == 1
assert '10,000' in b.run('document.querySelector("#kernels tbody tr").textContent')
assert '10,000 launches' in b.run('document.querySelector("#source").textContent')
# two runs: time, energies, limits, components and lines have their change; the slower clock takes 700 / 560 of the time
b.open('a/compare.html', 1200)
for part in ('#overview .cards', '#overview tbody', '#kernels tbody', '#kernels details tbody', '#source tbody'):
    assert b.run('document.querySelectorAll("%s .change").length' % part) > 3, part
assert b.run('document.body.dataset.overflow') == '0'
# the charts draw both: kernels on the rooflines, power of each on the same axes, and a line of each over time
assert b.run('document.body.dataset.charts') == '8 of 8'
drawn = b.run('''Array.prototype.map.call(document.querySelectorAll('canvas'), function (c) { var g = Chart.getChart(c), x = g.scales.x, y = g.scales.y;
  return { name: c.getAttribute('aria-label'), axes: [x.min, x.max, y.min, y.max],
    sets: g.data.datasets.map(function (s) { return [s.label, s.pointStyle || '', s.data.length, s.data.map(function (p) { return p.y; })]; }) }; })''')
of = lambda name: [c for c in drawn if c['name'].startswith(name)]
runs = [json.load(open(r + '.json')) for r in 'ab']
roof, = of('roofline')
for style, run in (('circle', runs[0]), ('triangle', runs[1])):
    k, = run['kernels']
    points = [s for s in roof['sets'] if s[1] == style and s[2]]
    assert len(points) == sum(v > 0 for v in k['bytes']) and all(abs(s[3][0] / (k['operations'] / k['seconds']) - 1) < 1e-9 for s in points), points
joules, = of('joules an operation')
assert all(abs(s[3][0] / (r['kernels'][0]['energy_j'] / r['kernels'][0]['operations']) - 1) < 1e-9 for s, r in zip(joules['sets'], runs)), joules
# no kernel is below its run's energy roof, which is flat on the right and falls with the bytes on the left
for n, run in enumerate(runs):
    roof, flat, slope = [s[3] for s in joules['sets'][2 + 3 * n:5 + 3 * n]]
    k, = run['kernels']
    units, dram = [sum(k['components'].get(c, [0])[0] for p in run['places'] if p['name'] == name for c in p['components']) for name in ('units', 'dram')]
    peak, wide = run['roofs']['operations_per_s'], run['roofs']['levels'][3]['bytes_per_s']
    assert abs(flat[0] / (units / k['operations'] + k['static_j'] / k['seconds'] / peak) - 1) < 1e-9 and flat[0] == flat[-1]
    assert slope[0] > slope[-1] and all(x <= y * (1 + 1e-9) for x, y in zip(flat, roof)) and min(roof) < k['energy_j'] / k['operations']
    assert units > 0 < dram
first, second = of('power by component')
assert first['axes'] == second['axes'] and [s[0] for s in first['sets']] == [s[0] for s in second['sets']]
for c, r in ((first, runs[0]), (second, runs[1])):
    watts = sum(r['timeline']['intervals'][2]['watts'])
    assert min(abs(sum(s[3][at] for s in c['sets'] if s[3][at] is not None) / watts - 1) for at in range(len(c['sets'][0][3]))) < 1e-9
for name in ('Warps', 'DRAM', 'Issue slots used'):
    c, = of(name)
    assert sum(s[0].startswith('beside') and s[2] > 4 for s in c['sets']) * 2 == len(c['sets']), c['sets']
# every number of a line of machine code has its change, the right one
rows = b.run('''(function () { var t = Array.prototype.slice.call(document.querySelectorAll('#source .code table')).pop();
  var head = Array.prototype.map.call(t.querySelectorAll('thead th'), function (h) { return h.textContent; });
  return Array.prototype.map.call(t.querySelectorAll('tbody tr'), function (r) { var o = {};
    Array.prototype.forEach.call(r.children, function (c, i) { var s = c.querySelector('.change'); o[head[i]] = [c.textContent, s && s.textContent]; });
    return o; }); })()''')
said = lambda x, y: None if x == y == 0 else 'from 0' if y == 0 else '%s%.1f %%' % ('+' if x >= y else '\u2212', abs(100 * (x / y - 1)))
per = lambda i, a, n: i.get(a, 0) / i[n] if i.get(n) else None
figures = {'tx/request': lambda i: per(i, 'transactions', 'accesses'), 'lanes': lambda i: per(i, 'lanes', 'issues'),
           'conflicts': lambda i: i.get('conflicts', 0) if i.get('passes') else None,
           'misses': lambda i: i.get('misses', 0) if i.get('lookups') else None, 'DRAM': lambda i: i.get('dram_bytes') or None}
seen = {n: 0 for n in figures}
mine, theirs = [r['codes'][0]['instructions'] for r in runs]
assert len(rows) == len(mine) == len(theirs)
for row, i, j in zip(rows, mine, theirs):
    for name, f in figures.items():
        x, y = f(i), f(j)
        if name not in row or x is None: continue
        assert row[name][1] == said(x, y or 0), (name, row[name], x, y)
        seen[name] += row[name][1] is not None
assert all(seen.values()), seen
# so have those in sentences: of a kernel, of its waits, above its source
k, o = [r['kernels'][0] for r in runs]
detail = b.run("document.querySelector('#kernels details').textContent")
x, y = k['passes_a_shared_access'], o['passes_a_shared_access']
assert x != y and '(%s) passes a shared access' % said(x, y) in detail, detail
share = lambda q, n: q['slots'].get(n, 0) / sum(v for m, v in q['slots'].items() if m != 'dual')
most = max((n for n in k['slots'] if n != 'dual'), key=lambda n: k['slots'][n])
assert '%s %.1f %% (%s)' % (most, 100 * share(k, most), said(share(k, most), share(o, most))) in detail, detail
x, y = [r['codes'][0]['seconds'] for r in runs]
assert x != y and '(%s)' % said(x, y) in b.run("document.querySelector('#source .meta:last-of-type, #source div .meta').textContent")
i, j = max(((i, j) for i, j in zip(mine, theirs) if i['stalls']), key=lambda p: sum(p[0]['stalls'].values()))
n = max(i['stalls'], key=i['stalls'].get)
assert '%s %s (%s)' % (n, format(i['stalls'][n], ','), said(i['stalls'][n], j['stalls'].get(n, 0))) in rows[mine.index(i)]['for'][0]
# of many runs any is shown and any is the base: each has the figures of its own folder
b.open('many.html', 1200)
assert b.run('document.body.dataset.overflow') == '0' and [int(n) for n in b.run('document.body.dataset.charts').split(' of ')] == [10, 10]
row = lambda name: b.run("""Array.prototype.map.call(Array.prototype.filter.call(document.querySelectorAll('#runs tbody tr'), function (r) {
  return r.textContent.indexOf('%s: ') === 0; })[0].children, function (c) { return c.textContent; })""" % name)
cycles = {name: run['totals']['cycles'] for name, run in zip('ab', runs)}
assert len(row('many')) == 12 and format(int(cycles['a']), ',') in row('a')[3]
assert row('a')[3].endswith(said(cycles['a'], cycles['b'])) and '%' not in row('b')[3], row('a')
assert 'core.clock_mhz=560' in row('b')[1]
def choose(what, name):
    b.run("""(function () { var s = document.querySelector('select[aria-label="%s"]'); s.selectedIndex = Array.prototype.findIndex.call(s.options,
      function (o) { return o.textContent.indexOf('%s') === 0; }); s.dispatchEvent(new Event('change')); })()""" % (what, name))
choose('base', 'a: ')
assert b.run('document.querySelector(\'select[aria-label="base"]\').value') == '-1', 'a run is its own base'
assert not b.run('document.querySelectorAll(".change").length')
choose('show', 'b: ')
choose('base', 'a: ')
assert row('b')[3].endswith(said(cycles['b'], cycles['a'])) and '%' not in row('a')[3], row('b')
assert said(cycles['b'], cycles['a']) in b.run('document.querySelector("#overview .cards").textContent')
assert len(b.run('Object.keys(Chart.instances)')) == int(b.run('document.body.dataset.charts').split(' of ')[0]), 'charts that are gone are kept'
b.close()
P
finish
