# Random programs under random combinations of techniques, of those that `savings --pairs` lets run together (so a
# technique that is added is among them), with random options: every result is the same bits as without, and energy is
# conserved: a component is its own and its parts', kernels and gaps are the run, what is saved less its cost is net.
. "$HERE/lib.sh"
python3 - "$WARPWATT" <<'P' || fail "a technique changed a result"
import json, random, subprocess, sys
r = random.Random(19)
N, WARPS = 512, 4

def program(seed):
    # eight values a thread, mixed by integers, floats, shared memory and loads that depend on data, in loops and
    # branches that threads leave apart; each thread stores only what is its own
    g = random.Random(seed)
    v = lambda: f'%r{g.randrange(8)}'
    def step():
        k = g.randrange(8)
        if k == 0: return [f'add.u32 {v()}, {v()}, {v()};']
        if k == 1: return [f'mad.lo.u32 {v()}, {v()}, {g.randrange(1, 99)}, {v()};']
        if k == 2: return [f'shr.u32 {v()}, {v()}, {g.randrange(1, 9)};', f'xor.b32 {v()}, {v()}, {v()};']
        if k == 3: return [f'cvt.rn.f32.u32 %f0, {v()};', f'fma.rn.f32 %f0, %f0, 0f3FC00000, %f0;', f'mov.b32 {v()}, %f0;']
        if k == 4: return [f'and.b32 %t0, {v()}, 0x007FFFFF;', 'or.b32 %t0, %t0, 0x3F800000;', 'mov.b32 %f1, %t0;',
                           'rsqrt.approx.f32 %f1, %f1;', f'mov.b32 {v()}, %f1;']
        if k == 5: return ['bar.sync 0;', f'st.shared.u32 [%own], {v()};', 'bar.sync 0;', f'ld.shared.u32 {v()}, [%next];']
        if k == 6: return [f'and.b32 %t0, {v()}, {N - 1};', 'mul.wide.u32 %d0, %t0, 4;', 'add.u64 %d0, %d0, %in;',
                           f'ld.global.u32 {v()}, [%d0];']
        return [f'st.global.u32 [%out], {v()};', f'ld.global.u32 {v()}, [%out];']
    def part(depth, apart):
        code = []
        for _ in range(g.randrange(2, 6)):
            while True:
                s = step()
                if not (apart and 'bar' in s[0]): break
            code += s
        if depth:
            label = f'L{g.randrange(1 << 30)}'
            if g.randrange(2):
                code += [f'and.b32 %t1, {v()}, {g.choice((1, 3, 7))};', 'setp.ne.u32 %p0, %t1, 0;', f'@%p0 bra {label};']
                code += part(depth - 1, True) + [label + ':']
            else:
                code += [f'mov.u32 %n{depth}, {g.randrange(1, 4)};', label + ':'] + part(depth - 1, apart)
                code += [f'sub.u32 %n{depth}, %n{depth}, 1;', f'setp.ne.u32 %p1, %n{depth}, 0;', f'@%p1 bra {label};']
        return code
    body = part(3, False) + part(2, False)
    end = [f'xor.b32 %r0, %r0, %r{i};' for i in range(1, 8)]
    start = [f'mad.lo.u32 %r{i}, %id, {2 * i + 1}, {i};' for i in range(8)]
    return '\n'.join(['.version 4.0', '.target sm_20', '.address_size 64',
        '.visible .entry k(.param .u64 in, .param .u64 out) {', '.reg .b32 %r<8>, %t<4>, %n<4>, %id, %me, %own, %next, %c;',
        '.reg .b64 %d<2>, %in, %out;', '.reg .f32 %f<2>;', '.reg .pred %p<2>;', f'.shared .b32 s[{32 * WARPS}];',
        'ld.param.u64 %in, [in];', 'ld.param.u64 %out, [out];', 'mov.u32 %me, %tid.x;', 'mov.u32 %c, %ctaid.x;',
        f'mad.lo.u32 %id, %c, {32 * WARPS}, %me;', 'mul.wide.u32 %d0, %id, 4;', 'add.u64 %out, %out, %d0;',
        'mov.u32 %own, s;', 'shl.b32 %next, %me, 2;', 'add.u32 %own, %own, %next;', 'add.u32 %t0, %me, 33;',
        f'and.b32 %t0, %t0, {32 * WARPS - 1};', 'shl.b32 %t0, %t0, 2;', 'mov.u32 %next, s;', 'add.u32 %next, %next, %t0;',
        *start, *body, *end, 'st.global.u32 [%out], %r0;', 'ret;', '}', ''])

def run(path, *words):
    p = subprocess.run([sys.argv[1], 'run', path, '-g', 'gtx480-16sm', '--no-progress', '--grid', str(N // 32 // WARPS), '--block', str(32 * WARPS),
                        '--arg', f'u32[{N}]=iota', '--arg', f'u32[{N}]=const:0?print={N}', *words], capture_output=True, text=True)
    assert p.returncode == 0, (words, p.stderr)
    if '--json' in words: conserves(json.loads(p.stdout), words)
    return [l for l in (p.stdout + p.stderr).splitlines() if l.startswith('argument 2')]

def conserves(j, words):
    near = lambda a, b, what: abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-12) or sys.exit(f'{words}: {what}: {a} is not {b}')
    w, of = j['power'], {c['name']: c for c in j['power']['components']}
    root = next(c for c in of.values() if c['parent'] is None)
    for kind in ('dynamic_j', 'static_j'):
        for c in of.values():
            assert c[kind] >= 0, (words, c)
            parts = sum(x['all_' + kind] for x in of.values() if x['parent'] == c['name'])
            near(c['all_' + kind], c[kind] + parts, f'{c["name"]} {kind}')
        near(root['all_' + kind], w['kernels'][kind], kind)
        near(sum(l[kind] for l in w['launches']), w['kernels'][kind], 'launches ' + kind)
        near(w['kernels'][kind] + w['gaps'][kind], w['run'][kind], 'kernels and gaps ' + kind)
    for name, u in j.get('savings', {'units': {}})['units'].items():
        near(u['net_j'], u['saved_j'] - u['overhead_j'], name)
        assert u['saved_j'] <= u.get('leakage_j', u.get('dynamic_j', 0)) * (1 + 1e-9), (words, name, u)
        if 'oracle_j' in u: assert u['net_j'] <= u['oracle_j'] * (1 + 1e-9), (words, name, u)

pairs = json.loads(subprocess.run([sys.argv[1], 'savings', '--pairs', '-g', 'gtx480-16sm', '--json'], capture_output=True, check=True).stdout)
together = {frozenset(p['techniques']) for p in pairs if p['together']}
names = sorted({t for p in pairs for t in p['techniques']})
options = {'warped-gates': 'wakeup_delay', 'origami': 'phase', 'tric': 'row_wakeup', 'warped-register-file': 'row_wakeup',
           'pilot-register-file': 'srf_latency', 'power-aware-caches': 'line_wakeup', 'cache-decay': 'decay'}
used = set()
for seed in range(10):
    with open('k.ptx', 'w') as f: f.write(program(seed))
    want = run('k.ptx', '--functional')
    assert len(want) == 1 and len(set(want[0].split())) > N / 4, want
    assert run('k.ptx') == want, ('no technique', seed)
    for _ in range(4):
        chosen = []
        for t in r.sample(names, len(names)):
            if len(chosen) < 5 and all(frozenset((t, c)) in together for c in chosen): chosen.append(t)
        used |= set(chosen)
        words = ['-p', '+'.join(chosen), '-s', f'sm_count={r.choice((2, 4, 16))}', '-j', r.choice(('1', '2'))]
        for t in chosen:
            if t in options: words += ['-s', f'savings.{options[t]}={r.choice((10, 16, 40))}']
        assert run('k.ptx', '--json', *words) == want, (words, seed)
assert len(used) > 0.8 * len(names), set(names) - used
P
finish
