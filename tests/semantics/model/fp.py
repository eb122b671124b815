"""Floating-point instructions of f32 and f64 that have one right result."""
from . import floats
from .floats import F32, F64
from .forms import Form, literal
from .ints import BOOL

MODES = ('rn', 'rz', 'rm', 'rp')
ORDERED = ('eq', 'ne', 'lt', 'le', 'gt', 'ge')
COMPARES = ORDERED + tuple(c + 'u' for c in ORDERED) + ('num', 'nan')


def nan_kind(t):
    return {'f32': 'exact', 'f64': 'nan64', 'f16': 'exact', 'bf16': 'exact'}[t]


def arithmetic(t):
    """(name, letters, function) of the correctly rounded operations."""
    fm = floats.BY_NAME[t]
    mods = [('', False, False)]
    if t == 'f32':
        mods = [('', False, False), ('.ftz', True, False), ('.sat', False, True), ('.ftz.sat', True, True)]
    for mod, z, s in mods:
        for mode in ('',) + MODES:
            dot, m = ('.' + mode if mode else ''), mode or 'rn'
            for op, fn in (('add', floats.add), ('sub', floats.sub), ('mul', floats.mul)):
                yield (f'{op}{dot}{mod}.{t}', 'ab',
                       lambda a, b, fn=fn, m=m, z=z, s=s: fn(fm, a, b, m, z, s))
            if mode:
                for op in ('fma', 'mad'):
                    yield (f'{op}{dot}{mod}.{t}', 'abc',
                           lambda a, b, c, m=m, z=z, s=s: floats.fma(fm, a, b, c, m, z, s))
            if mode and not s:
                yield (f'div{dot}{mod}.{t}', 'ab', lambda a, b, m=m, z=z: floats.div(fm, a, b, m, z))
                one = fm.bias << fm.mbits
                yield (f'rcp{dot}{mod}.{t}', 'a', lambda a, m=m, z=z: floats.div(fm, one, a, m, z))
                yield (f'sqrt{dot}{mod}.{t}', 'a', lambda a, m=m, z=z: floats.sqrt(fm, a, m, z))


def selection(t):
    """min, max, abs, neg, copysign."""
    fm = floats.BY_NAME[t]
    for z in ('', '.ftz') if t == 'f32' else ('',):
        for is_max, op in enumerate(('min', 'max')):
            extra = [('', {})]
            if t == 'f32':
                extra += [('.NaN', {'nan': True}), ('.xorsign.abs', {'absolute': True, 'xorsign': True}),
                          ('.NaN.xorsign.abs', {'nan': True, 'absolute': True, 'xorsign': True})]
            for mod, kw in extra:
                yield (f'{op}{z}{mod}.{t}', 'ab',
                       lambda a, b, kw=kw, mx=is_max, z=bool(z): floats.minmax(fm, (a, b), mx, z, **kw), 0)
        yield (f'abs{z}.{t}', 'a', lambda a, z=bool(z): (fm.ftz(a) if z else a) & ~fm.sign, 0)
        yield (f'neg{z}.{t}', 'a', lambda a, z=bool(z): (fm.ftz(a) if z else a) ^ fm.sign, 0)
    yield (f'copysign.{t}', 'ab', lambda a, b: a & fm.sign | b & ~fm.sign, 0)


def base_forms(t):
    out = []
    for name, letters, fn in arithmetic(t):
        ops = {k: f'{t}.{k}' for k in letters}
        out.append(form(name, letters, ops, t, fn))
    for name, letters, fn, n in selection(t):
        ops = {k: f'{t}.{k}' for k in letters}
        loose = name.startswith(('abs', 'neg')) or t == 'f64'
        f = form(name, letters, ops, t, fn)
        f.kind = ('nan32' if t == 'f32' else 'nan64') if loose else 'exact'
        if n:
            f.tag = ':3'
        out.append(f)
    return out


def form(name, letters, ops, t, fn, **kw):
    text = f'{name} {{out}}, ' + ', '.join(f'{{{k}}}' for k in letters)
    return Form(text, t, ops, fn, kind=nan_kind(t), **kw)


def variant_forms(t, col):
    out = []
    todo = [(n, l, f, 'exact' if t == 'f32' else 'nan64') for n, l, f in arithmetic(t)]
    for n, l, f, three in selection(t):
        loose = n.startswith(('abs', 'neg'))
        todo.append((n, l, f, ('nan32' if loose else 'exact') if t == 'f32' else 'nan64'))
    for k, (name, letters, fn, kind) in enumerate(todo):
        ops = {x: f'{t}.{x}' for x in letters}

        def add(ops, **kw):
            f = form(name, letters, ops, t, fn, **kw)
            f.kind = kind
            out.append(f)
        add(ops, guard='@' if k & 1 else '@!', tag=':guard')
        for j, letter in enumerate(letters):
            if len(letters) > 1:
                v = col[f'{t}.{letter}'][(37 * k + 11 * j) % 1024]
                add(dict(ops, **{letter: (v, literal(t, v))}), tag=f':imm-{letter}-{v:#x}')
        for pick in range(2):
            v = {x: col[f'{t}.{x}'][(53 * k + 7 * j + 29 * pick + 5) % 1024] for j, x in enumerate(letters)}
            add({x: (y, literal(t, y)) for x, y in v.items()}, tag=':const')
    return out


def compare_forms(t, col):
    fm = floats.BY_NAME[t]
    out = []
    c = {'a': f'{t}.a', 'b': f'{t}.b'}
    for z in ('', '.ftz') if t == 'f32' else ('',):
        for k, op in enumerate(COMPARES):
            def test(a, b, op=op, z=bool(z)):
                return int(floats.compare(fm, op, a, b, z))
            out.append(Form(f'setp.{op}{z}.{t} {{out}}, {{a}}, {{b}}', 'pred', c, test))
            out.append(Form(f'set.{op}{z}.u32.{t} {{out}}, {{a}}, {{b}}', 'u32', c,
                            lambda a, b, f=test: 0xffffffff if f(a, b) else 0))
            out.append(Form(f'set.{op}{z}.f32.{t} {{out}}, {{a}}, {{b}}', 'f32', c,
                            lambda a, b, f=test: 0x3f800000 if f(a, b) else 0))
            v = col[c['b']][(41 * k + 3) % 1024]
            out.append(Form(f'setp.{op}{z}.{t} {{out}}, {{a}}, {{b}}', 'pred',
                            dict(c, b=(v, literal(t, v))), test, tag=f':imm-{v:#x}'))
            out.append(Form(f'setp.{op}{z}.{t} {{out}}, {{a}}, {{b}}', 'pred', c, test, guard='@!',
                            tag=':guard'))
            bop = ('and', 'or', 'xor')[k % 3]
            neg = '!' if k & 1 else ''
            text = (f'{{{{ .reg .pred x, y, z; .reg .u32 t, u; setp.ne.u32 x, {{c}}, 0;'
                    f' setp.{op}.{bop}{z}.{t} y|z, {{a}}, {{b}}, {neg}x; selp.u32 t, 1, 0, y;'
                    f' selp.u32 u, 2, 0, z; or.b32 {{out}}, t, u; }}}}')

            def both(a, b, c, f=test, bop=bop, neg=neg):
                c = 1 - c if neg else c
                x = f(a, b)
                return BOOL[bop](x, c) | BOOL[bop](1 - x, c) << 1
            out.append(Form(text, 'u32', dict(c, c='bit.p'), both, name=f'setp.{op}.{bop}{z}.{t}:p|q{neg}'))
            text = (f'{{{{ .reg .pred x; setp.ne.u32 x, {{c}}, 0;'
                    f' set.{op}.{bop}{z}.s32.{t} {{out}}, {{a}}, {{b}}, {neg}x; }}}}')
            out.append(Form(text, 's32', dict(c, c='bit.p'),
                            lambda a, b, c, f=both: 0xffffffff if f(a, b, c) & 1 else 0,
                            name=f'set.{op}.{bop}{z}.s32.{t}{neg}'))
    tests = {'finite': lambda a: not fm.is_nan(a) and not fm.is_inf(a), 'infinite': fm.is_inf,
             'number': lambda a: not fm.is_nan(a), 'notanumber': fm.is_nan,
             'normal': lambda a: not (fm.is_nan(a) or fm.is_inf(a) or fm.is_sub(a)),
             'subnormal': fm.is_sub}
    for op, fn in tests.items():
        out.append(Form(f'testp.{op}.{t} {{out}}, {{a}}', 'pred', {'a': f'{t}.a'},
                        lambda a, f=fn: int(f(a))))
    return out


def old_forms():
    """f32 of sm_1x targets: subnormals flush, mad truncates its product, no mode names needed."""
    out = []

    def old_mad(a, b, c, sat=False):
        if F32.is_zero(F32.ftz(c)):
            return floats.add(F32, floats.mul(F32, a, b, 'rn', True), c, 'rn', True, sat)
        a, b, c = F32.ftz(a), F32.ftz(b), F32.ftz(c)
        if any(F32.is_nan(x) or F32.is_inf(x) for x in (a, b, c)) or F32.is_zero(a) or F32.is_zero(b):
            return floats.fma(F32, a, b, c, 'rn', True, sat)
        s1, m1, e1 = F32.split(a)
        s2, m2, e2 = F32.split(b)
        m, e = m1 * m2, e1 + e2
        drop = m.bit_length() - 24
        m, e = m >> drop, e + drop
        total = floats.add_exact(F32, [(s1 ^ s2, m, e), F32.split(c)])
        r = F32.round(*total) if total else 0
        return floats.finish(F32, r, True, sat)
    for sat in ('', '.sat'):
        s = bool(sat)
        for op, fn in (('add', floats.add), ('sub', floats.sub), ('mul', floats.mul)):
            for mode in ('', '.rn', '.rz'):
                out.append(form(f'{op}{mode}{sat}.f32', 'ab', {'a': 'f32.a', 'b': 'f32.b'}, 'f32',
                                lambda a, b, fn=fn, m=mode[1:] or 'rn', s=s: fn(F32, a, b, m, True, s)))
        out.append(form(f'mad{sat}.f32', 'abc', {k: f'f32.{k}' for k in 'abc'}, 'f32',
                        lambda a, b, c, s=s: old_mad(a, b, c, s)))
    for op in ('min', 'max'):
        out.append(form(f'{op}.f32', 'ab', {'a': 'f32.a', 'b': 'f32.b'}, 'f32',
                        lambda a, b, mx=op == 'max': floats.minmax(F32, (a, b), mx, True)))
    for op, fn in (('abs', lambda a: F32.ftz(a) & 0x7fffffff), ('neg', lambda a: F32.ftz(a) ^ F32.sign)):
        f = form(f'{op}.f32', 'a', {'a': 'f32.a'}, 'f32', fn)
        f.kind = 'nan32'
        out.append(f)
    for op in COMPARES:
        out.append(Form(f'setp.{op}.f32 {{out}}, {{a}}, {{b}}', 'pred', {'a': 'f32.a', 'b': 'f32.b'},
                        lambda a, b, op=op: int(floats.compare(F32, op, a, b, True))))
    out.append(Form('slct.u32.f32 {out}, {a}, {b}, {c}', 'u32', {'a': 'u32.a', 'b': 'u32.b', 'c': 'f32.c'},
                    lambda a, b, c: b if F32.is_nan(c) or (c >> 31 and not F32.is_zero(F32.ftz(c))) else a))
    for mode in ('rn', 'rz'):
        out.append(Form(f'cvt.{mode}.f32.s32 {{out}}, {{a}}', 'f32', {'a': 'u32.a'},
                        lambda a, m=mode: F32.round(a >> 31, (1 << 32) - a if a >> 31 else a, 0, m)))
    for mode in ('rni', 'rzi', 'rmi', 'rpi'):
        for dst, bits, sg in (('s32', 32, True), ('u32', 32, False)):
            out.append(Form(f'cvt.{mode}.{dst}.f32 {{out}}, {{a}}', dst, {'a': 'f32.v'},
                            lambda a, m=mode, b=bits, s=sg: floats.to_int(F32, a, b, s, m, True)))
        out.append(Form(f'cvt.{mode}.f32.f32 {{out}}, {{a}}', 'f32', {'a': 'f32.v'},
                        lambda a, m=mode: floats.to_whole(F32, a, m, True)))
    return out
