# The sliders of a run's page: at rest they show the account's figures; moved, the page's answer is what a run
# there gives, where nothing moves a cycle (supply, temperature, node, price). For the clock the page says what
# it assumes, and is told from a run that its cycles do move.
. "$HERE/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "skipped: no chromium (tools/setup test installs it)"
    exit 77
fi
run 0 run -q -o fermi hotspot
run 0 run -q -o techniques -p drowsy-everywhere hotspot
run 0 run -q -o volta -g v100 hotspot
PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1 python3 - "$browser" "$TMP" "$WARPWATT" <<'P' || fail "the sliders"
import json, subprocess, sys
from browser import Browser
b = Browser(sys.argv[1], sys.argv[2] + '/profile')
ww = sys.argv[3]
def put(name, at):
    b.run('''(function () { var e = document.querySelector('#what-if [aria-label="%s"]'); e.value = "%s";
      e.dispatchEvent(new Event(e.tagName === "SELECT" ? "change" : "input")); })()''' % (name, at))
def most(name): return int(b.run('document.querySelector(\'#what-if [aria-label="%s"]\').max' % name))
def figures():
    d = b.run('Object.assign({}, document.querySelector("#what-if [data-energy]").dataset)')
    return float(d['energy']), float(d['time']), d['rerun'].split()
def rerun(words, keys):
    subprocess.run([ww, 'run', '-q', '-o', 'again'] + words + keys + ['hotspot'], check=True, stdout=subprocess.DEVNULL)
    p = json.load(open('again/power.json'))['kernels']
    return p['energy_j'], p['seconds']
def close(a, b, most=1e-9): return abs(a / b - 1) < most
for folder, words in (('fermi', []), ('techniques', ['-p', 'drowsy-everywhere']), ('volta', ['-g', 'v100'])):
    b.open(folder + '/index.html', 1200)
    own = json.load(open(folder + '/power.json'))['kernels']
    energy, time, keys = figures()
    assert close(energy, own['energy_j'], 1e-11) and close(time, own['seconds'], 1e-11) and not keys, (folder, energy, own['energy_j'])
    assert b.run('document.querySelector(\'#what-if [aria-label="core clock"]\').parentElement.textContent').endswith('%d MHz' % json.load(open(folder + '/run.json'))['gpu']['core_clock_mhz'])
    back = 'document.querySelector("#what-if button").click()'
    assert "account's figures" in b.run('document.getElementById("what-if").textContent')
    # each alone, then supply and temperature with a price
    options = b.run('Array.prototype.map.call(document.querySelectorAll(\'#what-if [aria-label="operation"] option\'), function (o) { return o.value; })')
    assert len(options) > 6, options
    moves = [[('supply', most('supply'))], [('temperature', 0)], [('node', 0)], [('node', most('node'))], [('operation', 'rf_cost'), ('price', 14)],
             [('supply', most('supply') - 1), ('temperature', most('temperature')), ('operation', 'l2_net_cost'), ('price', 3)]]
    if folder == 'techniques': moves = moves[:2] + moves[4:5]
    for move in moves:
        b.run(back)
        for name, at in move: put(name, at)
        e, t, keys = figures()
        assert keys and 'nothing here moves a cycle' in b.run('document.getElementById("what-if").textContent').lower(), (folder, move)
        again = rerun(words, keys)
        assert close(t, again[1]) and close(e, again[0]), (folder, move, keys, e, again)
        assert not close(e, energy, 1e-4), (folder, move, 'nothing changed')
    b.run(back)
    assert figures()[:2] == (energy, time), 'there is no way back'
    # a clock: the page says what it assumes; with the cycles of the run there it is that run's
    put('core clock', 3)
    e, t, keys = figures()
    assert 'Assumed: the cycles stay' in b.run('document.getElementById("what-if").textContent')
    again = rerun(words, keys)
    assert abs(t / again[1] - 1) < 0.05 and abs(e / again[0] - 1) < 0.05, (folder, keys, (e, t), again)
    assert t != again[1], 'cycles do not move'
    print(folder, 'clock', keys, 'page', (e, t), 'run', again)
# a supply that the transistors do not carry this clock at is said, and a run there has no power, for this reason
b.open('fermi/index.html', 1200)
put('supply', 0)
assert 'a run there has no power' in b.run('document.getElementById("what-if").textContent')
said = subprocess.run([ww, 'run'] + figures()[2] + ['hotspot'], check=True, capture_output=True, text=True).stdout
assert 'no power' in said and 'this chip carries' in said, said
b.close()
P
cat out 2>/dev/null | tail -3
finish
