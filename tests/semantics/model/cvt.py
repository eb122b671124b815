"""cvt: every pair of types, every rounding, saturation, flushing."""
from . import floats
from .floats import BF16, E4M3, E5M2, F16, F32, F64, TF32
from .forms import Form
from .ints import clamp, mask, signed, val

INTS = ('u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64')
FRND = ('rn', 'rz', 'rm', 'rp')
IRND = ('rni', 'rzi', 'rmi', 'rpi')


def extend(t, v, reg):
    """The value v of type t in a register: chopped, then extended by the type's sign."""
    return val(t, v) & mask(int(reg[1:]))


def span(t):
    bits = int(t[1:])
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if t[0] == 's' else (0, mask(bits))


def source(t, wide=False):
    """Column whose register holds an integer type."""
    bits = max(int(t[1:]), 16)
    if wide and bits < 64:
        bits *= 2
    return f'u{bits}.a'


def dest(t, wide=False):
    bits = max(int(t[1:]), 16)
    if wide and bits < 64:
        bits *= 2
    return f'{t[0]}{bits}'


def int_to_int():
    out = []
    for s in INTS:
        for d in INTS:
            for sat in ('', '.sat'):
                if sat and span(d)[0] <= span(s)[0] and span(d)[1] >= span(s)[1]:
                    continue
                for ws, wd in ((0, 0), (1, 1)):
                    reg = dest(d, wd)

                    def fn(a, s=s, d=d, sat=sat, reg=reg):
                        v = val(s, a)
                        return extend(d, clamp(d, v) if sat else v, reg)
                    out.append(Form(f'cvt{sat}.{d}.{s} {{out}}, {{a}}', reg, {'a': source(s, ws)}, fn,
                                    tag=':wide' if ws else ''))
    return out


def int_to_float(targets):
    out = []
    for s in INTS:
        for t in targets:
            fm = floats.BY_NAME[t]
            if t == 'bf16' and s[1:] == '8':
                continue
            for mode in FRND:
                reg = {'f16': 'b16', 'bf16': 'b16'}.get(t, t)
                out.append(Form(f'cvt.{mode}.{t}.{s} {{out}}, {{a}}', reg, {'a': source(s)},
                                lambda a, s=s, fm=fm, m=mode: floats.from_int(fm, val(s, a), m)))
            if t != 'bf16':
                out.append(Form(f'cvt.rn.sat.{t}.{s} {{out}}, {{a}}', reg, {'a': source(s)},
                                lambda a, s=s, fm=fm:
                                floats.finish(fm, floats.from_int(fm, val(s, a), 'rn'), sat=True)))
    return out


def float_to_int(sources):
    out = []
    for t in sources:
        fm = floats.BY_NAME[t]
        for d in INTS:
            if t == 'bf16' and d[1:] == '8':
                continue
            for mode in IRND:
                for ftz in ('', '.ftz') if t == 'f32' else ('',):
                    reg = dest(d, mode == 'rmi' and t != 'bf16')

                    def fn(a, fm=fm, d=d, m=mode, z=bool(ftz), reg=reg):
                        return extend(d, floats.to_int(fm, a, int(d[1:]), d[0] == 's', m, z), reg)
                    out.append(Form(f'cvt.{mode}{ftz}.{d}.{t} {{out}}, {{a}}', reg, {'a': f'{t}.v'}, fn))
                if mode == 'rzi' and t != 'bf16':
                    out.append(Form(f'cvt.{mode}.sat.{d}.{t} {{out}}, {{a}}', reg, {'a': f'{t}.v'}, fn))
    return out


KIND = {'f16': 'nan16', 'bf16': 'nanb16', 'f32': 'nan32', 'f64': 'nan64'}
REG = {'f16': 'b16', 'bf16': 'b16', 'f32': 'f32', 'f64': 'f64'}


def float_to_float(pairs):
    out = []
    for s, d in pairs:
        fs, fd = floats.BY_NAME[s], floats.BY_NAME[d]
        narrow = fd.mbits < fs.mbits or fd.ebits < fs.ebits
        for mode in FRND if narrow else ('',):
            for ftz in ('', '.ftz') if 'f32' in (s, d) else ('',):
                for sat in ('', '.sat') if 'bf16' not in (s, d) else ('',):
                    def fn(a, fs=fs, fd=fd, m=mode or 'rn', z=bool(ftz), sat=bool(sat)):
                        if z and fs is F32:
                            a = F32.ftz(a)
                        r = floats.convert(fs, fd, a, m)
                        return floats.finish(fd, r, z and fd is F32, sat)
                    dot = '.' + mode if mode else ''
                    out.append(Form(f'cvt{dot}{ftz}{sat}.{d}.{s} {{out}}, {{a}}', REG[d],
                                    {'a': f'{s}.v'}, fn, kind=KIND[d]))
    return out


def same_size(types):
    out = []
    for t in types:
        fm = floats.BY_NAME[t]
        for ftz in ('', '.ftz') if t == 'f32' else ('',):
            for sat in ('', '.sat') if t != 'bf16' else ('',):
                if t != 'bf16':
                    out.append(Form(f'cvt{ftz}{sat}.{t}.{t} {{out}}, {{a}}', REG[t], {'a': f'{t}.v'},
                                    lambda a, fm=fm, z=bool(ftz), s=bool(sat):
                                    floats.finish(fm, a, z, s), kind=KIND[t]))
                for mode in IRND:
                    out.append(Form(f'cvt.{mode}{ftz}{sat}.{t}.{t} {{out}}, {{a}}', REG[t],
                                    {'a': f'{t}.v'},
                                    lambda a, fm=fm, m=mode, z=bool(ftz), s=bool(sat):
                                    floats.to_whole(fm, a, m, z, s), kind=KIND[t]))
    return out


def narrow(fd, a, mode, relu, satfinite, fs=F32):
    """To a small format as the cvt forms with .relu and .satfinite do."""
    if fs.is_nan(a):
        return fd.qnan
    r = floats.convert(fs, fd, a, mode)
    if satfinite:
        top = fd.max
        if r & (fd.sign - 1) > top:
            r = r & fd.sign | top
    if relu and r & fd.sign:
        return 0
    return r


def packed():
    out = []
    two = {'a': 'f32.a', 'b': 'f32.b'}
    for t in ('f16', 'bf16'):
        fm = floats.BY_NAME[t]
        for mode in ('rn', 'rz'):
            for relu in ('', '.relu'):
                for satf in ('', '.satfinite'):
                    def one(a, fm=fm, m=mode, r=bool(relu), s=bool(satf)):
                        return narrow(fm, a, m, r, s)
                    out.append(Form(f'cvt.{mode}{relu}{satf}.{t}.f32 {{out}}, {{a}}', 'b16',
                                    {'a': 'f32.v'}, one))
                    out.append(Form(f'cvt.{mode}{relu}{satf}.{t}x2.f32 {{out}}, {{a}}, {{b}}', 'b32', two,
                                    lambda a, b, f=one: f(a) << 16 | f(b)))
    for mode in ('rna', 'rn', 'rz'):
        for relu in ('', '.relu') if mode != 'rna' else ('',):
            for satf in ('', '.satfinite'):
                out.append(Form(f'cvt.{mode}{satf}{relu}.tf32.f32 {{out}}, {{a}}', 'b32', {'a': 'f32.v'},
                                lambda a, m=mode, r=bool(relu), s=bool(satf):
                                narrow(TF32, a, m, r, s) << 13, kind='nan32'))
    for t, fm in (('e4m3', E4M3), ('e5m2', E5M2)):
        for relu in ('', '.relu'):
            def one(a, fm=fm, r=bool(relu), fs=F32):
                return narrow(fm, a, 'rn', r, True, fs)
            out.append(Form(f'cvt.rn.satfinite{relu}.{t}x2.f32 {{out}}, {{a}}, {{b}}', 'b16', two,
                            lambda a, b, f=one: f(a) << 8 | f(b)))
            out.append(Form(f'cvt.rn.satfinite{relu}.{t}x2.f16x2 {{out}}, {{a}}', 'b16', {'a': 'f16x2.a'},
                            lambda a, f=one: f(a >> 16, fs=F16) << 8 | f(a & 0xffff, fs=F16)))

            def back(a, fm=fm, relu=bool(relu)):
                r = 0
                for k in (0, 1):
                    h = floats.finish(F16, floats.convert(fm, F16, a >> 8 * k & 0xff), relu=relu)
                    r |= h << 16 * k
                return r
            out.append(Form(f'cvt.rn{relu}.f16x2.{t}x2 {{out}}, {{a}}', 'b32', {'a': 'f16.v'}, back,
                            kind='nan16x2'))
    for t in ('u16', 's16'):
        out.append(Form(f'cvt.pack.sat.{t}.s32 {{out}}, {{a}}, {{b}}', 'b32', {'a': 'u32.a', 'b': 'u32.b'},
                        lambda a, b, t=t: (clamp(t, signed(a, 32)) & 0xffff) << 16 |
                        clamp(t, signed(b, 32)) & 0xffff))
    for t in ('u8', 's8', 'u4', 's4', 'u2', 's2'):
        n = int(t[1:])
        out.append(Form(f'cvt.pack.sat.{t}.s32.b32 {{out}}, {{a}}, {{b}}, {{c}}', 'b32',
                        {'a': 'u32.a', 'b': 'u32.b', 'c': 'u32.c'},
                        lambda a, b, c, t=t, n=n: (c << 2 * n | (clamp(t, signed(a, 32)) & mask(n)) << n |
                                                   clamp(t, signed(b, 32)) & mask(n)) & mask(32)))
    return out


def double_forms():
    return int_to_float(('f64',)) + float_to_int(('f64',)) + same_size(('f64',)) + float_to_float(
        [('f64', 'f32'), ('f32', 'f64'), ('f64', 'f16'), ('f16', 'f64')])


def single_forms():
    return int_to_int() + int_to_float(('f32', 'f16')) + float_to_int(('f32', 'f16')) + \
        same_size(('f32', 'f16')) + float_to_float([('f32', 'f16'), ('f16', 'f32')]) + packed()


def brain_forms():
    """Conversions of bf16 that came with sm_90."""
    return int_to_float(('bf16',)) + float_to_int(('bf16',)) + same_size(('bf16',)) + float_to_float(
        [('f16', 'bf16'), ('bf16', 'f16'), ('bf16', 'f32'), ('f32', 'bf16')])
