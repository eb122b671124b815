"""f16, bf16 and their packed pairs."""
from . import floats
from .fp import COMPARES
from .forms import Form
from .ints import BOOL

REG = {'f16': 'b16', 'bf16': 'b16', 'f16x2': 'b32', 'bf16x2': 'b32'}


def pairwise(fn):
    return lambda *xs: fn(*[x >> 16 for x in xs]) << 16 | fn(*[x & 0xffff for x in xs])


def form(name, t, letters, fn, kind='exact', **kw):
    f = pairwise(fn) if t.endswith('x2') else fn
    kind = {'nan': {'f16': 'nan16', 'bf16': 'nanb16', 'f16x2': 'nan16x2', 'bf16x2': 'nanb16x2'}[t]}.get(
        kind, kind)
    ops = {k: f'{t}.{k}' for k in letters}
    text = f'{name}.{t} {{out}}, ' + ', '.join(f'{{{k}}}' for k in letters)
    return Form(text, REG[t], ops, f, kind=kind, **kw)


def arithmetic():
    out = []
    for t in ('f16', 'f16x2', 'bf16', 'bf16x2'):
        fm = floats.BY_NAME[t.replace('x2', '')]
        mods = [('', {}), ('.ftz', {'ftz': True}), ('.sat', {'sat': True}),
                ('.ftz.sat', {'ftz': True, 'sat': True})] if t[0] == 'f' else [('', {})]
        for k, (mod, kw) in enumerate(mods):
            for rnd in ('', '.rn'):
                for op, fn in (('add', floats.add), ('sub', floats.sub), ('mul', floats.mul)):
                    out.append(form(f'{op}{rnd}{mod}', t, 'ab',
                                    lambda a, b, fn=fn, kw=kw, fm=fm: fn(fm, a, b, **kw)))
                    if rnd:
                        out.append(form(f'{op}{rnd}{mod}', t, 'ab',
                                        lambda a, b, fn=fn, kw=kw, fm=fm: fn(fm, a, b, **kw),
                                        guard='@' if k & 1 else '@!', tag=':guard'))
            out.append(form(f'fma.rn{mod}', t, 'abc', lambda a, b, c, kw=kw, fm=fm: floats.fma(fm, a, b, c, **kw)))
            out.append(form(f'fma.rn{mod}', t, 'abc', lambda a, b, c, kw=kw, fm=fm: floats.fma(fm, a, b, c, **kw),
                            guard='@', tag=':guard'))
        for mod, kw in [('.relu', {'relu': True})] + (
                [('.ftz.relu', {'ftz': True, 'relu': True})] if t[0] == 'f' else []):
            out.append(form(f'fma.rn{mod}', t, 'abc', lambda a, b, c, kw=kw, fm=fm: floats.fma(fm, a, b, c, **kw)))
        for z in ('', '.ftz') if t[0] == 'f' else ('',):
            f = bool(z)
            out.append(form(f'neg{z}', t, 'a', lambda a, f=f, fm=fm: (fm.ftz(a) if f else a) ^ fm.sign, 'nan'))
            out.append(form(f'abs{z}', t, 'a', lambda a, f=f, fm=fm: (fm.ftz(a) if f else a) & ~fm.sign, 'nan'))
            for mx, op in enumerate(('min', 'max')):
                for mod, kw in (('', {}), ('.NaN', {'nan': True}),
                                ('.xorsign.abs', {'absolute': True, 'xorsign': True}),
                                ('.NaN.xorsign.abs', {'nan': True, 'absolute': True, 'xorsign': True})):
                    out.append(form(f'{op}{z}{mod}', t, 'ab', lambda a, b, kw=kw, mx=mx, f=f, fm=fm:
                                    floats.minmax(fm, (a, b), mx, f, **kw)))
    return out


def oob_forms():
    """fma.oob (sm_90): +0 where an operand is 0x7fff, the NaN of elements out of a tensor's bounds."""
    out = []
    for t in ('f16', 'f16x2', 'bf16', 'bf16x2'):
        fm = floats.BY_NAME[t.replace('x2', '')]
        for mod, kw in (('', {}), ('.relu', {'relu': True})):
            fn = (lambda a, b, c, kw=kw, fm=fm: 0 if 0x7fff in (a, b, c) else floats.fma(fm, a, b, c, **kw))
            out.append(form(f'fma.rn.oob{mod}', t, 'abc', fn))
            # Integers' edges have 0x7fff among them, which floats' do not.
            wide = t.endswith('x2')
            ops = {k: f'u16{"x2" if wide else ""}.{k}' for k in 'abc'}
            moved = ''.join(f' mov.b{32 if wide else 16} {x}, {{{k}}};' for x, k in zip('xyz', 'abc'))
            out.append(Form(f'{{{{ .reg .b{32 if wide else 16} x, y, z;{moved} fma.rn.oob{mod}.{t} {{out}}, x, y, z; }}}}', REG[t], ops,
                            pairwise(fn) if wide else fn, name=f'fma.rn.oob{mod}.{t}:bits'))
    return out


def compare_forms():
    out = []
    for t in ('f16', 'bf16'):
        fm = floats.BY_NAME[t]
        one = fm.bias << fm.mbits
        for z in ('', '.ftz') if t == 'f16' else ('',):
            for k, op in enumerate(COMPARES):
                def test(a, b, op=op, z=bool(z), fm=fm):
                    return int(floats.compare(fm, op, a, b, z))
                c = {'a': f'{t}.a', 'b': f'{t}.b'}
                c2 = {'a': f'{t}x2.a', 'b': f'{t}x2.b', 'c': 'bit.p'}
                out.append(Form(f'setp.{op}{z}.{t} {{out}}, {{a}}, {{b}}', 'pred', c, test))
                for d, yes in (('u16', 0xffff), ('s32', 0xffffffff), (t, one)):
                    reg = 'b16' if d == t else d
                    out.append(Form(f'set.{op}{z}.{d}.{t} {{out}}, {{a}}, {{b}}', reg, c,
                                    lambda a, b, f=test, y=yes: y if f(a, b) else 0))
                for d, yes in (('u32', 0xffff), (t + 'x2', one)):
                    out.append(Form(f'set.{op}{z}.{d}.{t}x2 {{out}}, {{a}}, {{b}}', 'b32',
                                    {'a': c2['a'], 'b': c2['b']},
                                    pairwise(lambda a, b, f=test, y=yes: y if f(a, b) else 0)))
                bop = ('and', 'or', 'xor')[k % 3]
                neg = '!' if k & 1 else ''
                text = (f'{{{{ .reg .pred x, y, z; .reg .u32 t, u; setp.ne.u32 x, {{c}}, 0;'
                        f' setp.{op}.{bop}{z}.{t}x2 y|z, {{a}}, {{b}}, {neg}x; selp.u32 t, 1, 0, y;'
                        f' selp.u32 u, 2, 0, z; or.b32 {{out}}, t, u; }}}}')

                def both(a, b, c, f=test, bop=bop, neg=neg):
                    c = 1 - c if neg else c
                    return BOOL[bop](f(a & 0xffff, b & 0xffff), c) | BOOL[bop](f(a >> 16, b >> 16), c) << 1
                out.append(Form(text, 'b32', c2, both, name=f'setp.{op}.{bop}{z}.{t}x2:p|q{neg}'))
                text = (f'{{{{ .reg .pred x; setp.ne.u32 x, {{c}}, 0;'
                        f' set.{op}.{bop}{z}.u32.{t}x2 {{out}}, {{a}}, {{b}}, {neg}x; }}}}')

                def word(a, b, c, f=both):
                    r = f(a, b, c)
                    return (0xffff if r & 1 else 0) | (0xffff0000 if r & 2 else 0)
                out.append(Form(text, 'b32', c2, word, name=f'set.{op}.{bop}{z}.u32.{t}x2{neg}'))
    return out
