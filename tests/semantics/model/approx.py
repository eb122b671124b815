"""Approximate functions: the least and the greatest result that the manual's bounds allow.

A value is a pair of patterns; equal ones must be met exactly (special values), (1, 0) allows anything.
"""
from fractions import Fraction

from . import floats
from .floats import BF16, F16, F32, F64
from .forms import Form

try:
    import mpmath
    mpmath.mp.prec = 400
except ImportError:                                # only generate.py's approx modules need it
    mpmath = None

ANY = (1, 0)


def exact(x):
    return x, x


def to_fraction(x):
    """An mpf as it is."""
    s, man, exp, _ = x._mpf_
    v = Fraction(int(man)) * Fraction(2) ** int(exp)
    return -v if s else v


def ulp(fm, v):
    v = abs(v)
    e = v.numerator.bit_length() - v.denominator.bit_length() if v else fm.emin
    if v and Fraction(2) ** e > v:
        e -= 1
    return Fraction(2) ** max(e - fm.mbits, fm.emin)


def interval(fm, v, tol, ftz=False):
    """v within tol, and at least half a unit of the least subnormal."""
    lo, hi = v - tol, v + tol
    least = Fraction(2) ** (fm.emin + fm.mbits)
    a, b = fm.from_fraction(lo, 'rm'), fm.from_fraction(hi, 'rp')
    if ftz:
        if -least < lo < least:
            a = fm.sign | 0 if v < 0 and hi <= 0 and lo > -least else (0 if lo >= 0 else a)
            if lo < 0:
                a = fm.from_fraction(lo, 'rm') if lo <= -least else fm.sign
        if -least < hi < least and hi <= 0:
            b = fm.sign
        elif 0 < hi < least:
            b = 0
    if a == b:                                     # not a special value: let the sign of zero be
        b = b if b & ~fm.sign & (2 * fm.sign - 1) else 0
        a = a if a & (fm.sign - 1) else fm.sign
    return a, b


def rel(v, bits):
    return abs(v) * Fraction(2 ** 64, int(mpmath.floor(mpmath.mpf(2) ** (64 + bits)))) if bits else v


def tol_rel(v, log2):
    return abs(v) * to_fraction(mpmath.mpf(2) ** mpmath.mpf(log2))


def tol_abs(log2):
    return to_fraction(mpmath.mpf(2) ** mpmath.mpf(log2))


def mp(fm, x):
    s, m, e = fm.split(x)
    v = mpmath.mpf(m) * mpmath.mpf(2) ** e
    return -v if s else v


def unary(fm, table, body):
    """Wraps `body(a)` with special values: table maps names of inputs to results."""
    def fn(a, ftz=False):
        if ftz:
            a = fm.ftz(a)
        if fm.is_nan(a):
            return exact(fm.qnan)
        if fm.is_zero(a):
            return exact(table['-0' if a & fm.sign else '+0'])
        if fm.is_inf(a):
            return exact(table['-inf' if a & fm.sign else '+inf'])
        if a & fm.sign and 'neg' in table:
            return exact(table['neg'])
        return body(a, ftz)
    return fn


def functions(fm):
    one, inf, sign, nan = fm.bias << fm.mbits, fm.inf, fm.sign, fm.qnan

    def rcp(a, z):
        v = 1 / fm.value(a)
        return interval(fm, v, ulp(fm, v), z)

    def sqrt(a, z):
        v = to_fraction(mpmath.sqrt(mp(fm, a)))
        return interval(fm, v, tol_rel(v, -23), z)

    def rsqrt(a, z):
        v = to_fraction(1 / mpmath.sqrt(mp(fm, a)))
        return interval(fm, v, tol_rel(v, -22.9), z)

    def ex2(a, z):
        x = fm.value(a)
        if x > 200:
            return exact(inf)
        if x < -200:
            return exact(0)
        v = to_fraction(mpmath.mpf(2) ** mp(fm, a))
        return interval(fm, v, 2 * ulp(fm, v), z)

    def lg2(a, z):
        v = to_fraction(mpmath.log(mp(fm, a), 2))
        x = fm.value(a)
        return interval(fm, v, tol_abs(-22) if Fraction(1, 2) < x < 2 else tol_rel(v, -22), z)

    def trig(f):
        def body(a, z):
            x = abs(fm.value(a))
            if x > 314:
                top = (1 << fm.mbits) + one - (1 << fm.mbits)
                return top | sign, top
            v = to_fraction(f(mp(fm, a)))
            return interval(fm, v, tol_abs(-20.5 if x < Fraction(628318, 100000) else -14.7), z)
        return body

    def tanh(a, z):
        v = to_fraction(mpmath.tanh(mp(fm, a)))
        return interval(fm, v, tol_rel(v, -11), z)
    return {
        'rcp': unary(fm, {'-inf': sign, '-0': sign | inf, '+0': inf, '+inf': 0}, rcp),
        'sqrt': unary(fm, {'-inf': nan, 'neg': nan, '-0': sign, '+0': 0, '+inf': inf}, sqrt),
        'rsqrt': unary(fm, {'-inf': nan, 'neg': nan, '-0': sign | inf, '+0': inf, '+inf': 0}, rsqrt),
        'ex2': unary(fm, {'-inf': 0, '-0': one, '+0': one, '+inf': inf}, ex2),
        'lg2': unary(fm, {'-inf': nan, 'neg': nan, '-0': sign | inf, '+0': sign | inf, '+inf': inf}, lg2),
        'sin': unary(fm, {'-inf': nan, '-0': sign, '+0': 0, '+inf': nan}, trig(mpmath.sin)),
        'cos': unary(fm, {'-inf': nan, '-0': one, '+0': one, '+inf': nan}, trig(mpmath.cos)),
        'tanh': unary(fm, {'-inf': sign | one, '-0': sign, '+0': 0, '+inf': one}, tanh)}


def divide(a, b, full, ftz):
    r = floats.div(F32, a, b, 'rn', ftz)
    if ftz:
        a, b = F32.ftz(a), F32.ftz(b)
    for x in (a, b):
        if F32.is_nan(x):
            return exact(F32.qnan)
    if F32.is_inf(b) or F32.is_zero(b) or F32.is_inf(a) or F32.is_zero(a):
        if full or F32.value_in(b, -126, 126):
            return exact(r)
    if not full:
        if F32.is_zero(b):
            return exact(r)
        if F32.is_inf(b):
            return exact(r)
        size = abs(F32.value(b))
        if size > Fraction(2) ** 126:
            return exact(F32.qnan) if F32.is_inf(a) else exact((a ^ b) & F32.sign)
        if size < Fraction(2) ** -126:
            return ANY
        if F32.is_inf(a) or F32.is_zero(a):
            return exact(r)
    v = F32.value(a) / F32.value(b)
    return interval(F32, v, 2 * ulp(F32, v), ftz)


def value_in(self, x, lo, hi):
    return not self.is_inf(x) and not self.is_zero(x) and \
        Fraction(2) ** lo <= abs(self.value(x)) <= Fraction(2) ** hi


floats.Fmt.value_in = value_in


def single_forms():
    out = []
    fns = functions(F32)
    for op, f in fns.items():
        for ftz in ('', '.ftz') if op != 'tanh' else ('',):
            for column in ('f32.v', 'f32.u'):
                out.append(Form(f'{op}.approx{ftz}.f32 {{out}}, {{a}}', 'f32', {'a': column},
                                lambda a, f=f, z=bool(ftz): f(a, z), kind='range', tag=column[3:]))
    for op in ('approx', 'full'):
        for ftz in ('', '.ftz'):
            out.append(Form(f'div.{op}{ftz}.f32 {{out}}, {{a}}, {{b}}', 'f32', {'a': 'f32.a', 'b': 'f32.b'},
                            lambda a, b, full=op == 'full', z=bool(ftz): divide(a, b, full, z), kind='range'))
    return out


def double_forms():
    """The high words only: the low ones must be zero."""
    out = []
    nan = 0x7fffffff00000000

    def gross(op):
        def fn(a):
            a &= ~0xffffffff
            if F64.is_nan(a | 0):
                return exact(nan)
            a = F64.ftz(a)
            s = a & F64.sign
            if F64.is_zero(a):
                return exact(s | F64.inf)
            if op == 'rsqrt' and s:
                return exact(nan)
            if F64.is_inf(a):
                return exact(s)
            v = 1 / F64.value(a) if op == 'rcp' else to_fraction(1 / mpmath.sqrt(mp(F64, a)))
            lo, hi = interval(F64, v, tol_rel(v, -19), True)
            return lo, hi
        return fn
    for op in ('rcp', 'rsqrt'):
        out.append(Form(f'{op}.approx.ftz.f64 {{out}}, {{a}}', 'f64', {'a': 'f64.c'}, gross(op), kind='range'))
        text = (f'{{{{ .reg .f64 t; .reg .b32 lo, hi; {op}.approx.ftz.f64 t, {{a}}; mov.b64 {{{{lo, hi}}}}, t;'
                f' mov.b32 {{out}}, lo; }}}}')
        out.append(Form(text, 'b32', {'a': 'f64.c'}, lambda a: exact(0), kind='range',
                        name=f'{op}.approx.ftz.f64:low'))
    f = unary(F64, {'-inf': F64.qnan, 'neg': F64.qnan, '-0': F64.sign | F64.inf, '+0': F64.inf, '+inf': 0},
              lambda a, z: interval(F64, to_fraction(1 / mpmath.sqrt(mp(F64, a))),
                                    tol_rel(to_fraction(1 / mpmath.sqrt(mp(F64, a))), -51), False))
    for column in ('f64.v', 'f64.c'):
        out.append(Form('rsqrt.approx.f64 {out}, {a}', 'f64', {'a': column}, lambda a: f(a), kind='range',
                        tag=column[3:]))
    return out


def half_forms():
    out = []
    for t, fm, ex, th in (('f16', F16, -9.9, -10.987), ('bf16', BF16, -7, -8)):
        one, inf = fm.bias << fm.mbits, fm.inf
        kind = 'range' if t == 'f16' else 'rangeb'

        def ex2(a, z, fm=fm, ex=ex):
            x = fm.value(a)
            if abs(x) > 200:
                return exact(fm.inf if x > 0 else 0)
            v = to_fraction(mpmath.mpf(2) ** mp(fm, a))
            return interval(fm, v, max(tol_rel(v, ex), Fraction(2) ** fm.emin), z)

        def tanh(a, z, fm=fm, th=th):
            v = to_fraction(mpmath.tanh(mp(fm, a)))
            return interval(fm, v, tol_abs(th), z)
        e = unary(fm, {'-inf': 0, '-0': one, '+0': one, '+inf': inf}, ex2)
        h = unary(fm, {'-inf': fm.sign | one, '-0': fm.sign, '+0': 0, '+inf': one}, tanh)
        z = '' if t == 'f16' else '.ftz'
        out.append(Form(f'ex2.approx{z}.{t} {{out}}, {{a}}', 'b16', {'a': f'{t}.v'},
                        lambda a, f=e, z=bool(z): f(a, z), kind=kind))
        out.append(Form(f'tanh.approx.{t} {{out}}, {{a}}', 'b16', {'a': f'{t}.v'}, lambda a, f=h: f(a),
                        kind=kind))
        for op, f, zz in ((f'ex2.approx{z}', e, bool(z)), ('tanh.approx', h, False)):
            for part, shift in (('lo', 0), ('hi', 16)):
                text = (f'{{{{ .reg .b32 t; .reg .b16 lo, hi; {op}.{t}x2 t, {{a}}; mov.b32 {{{{lo, hi}}}}, t;'
                        f' mov.b16 {{out}}, {part}; }}}}')
                out.append(Form(text, 'b16', {'a': f'{t}x2.a'},
                                lambda a, f=f, s=shift, z=zz: f(a >> s & 0xffff, z), kind=kind,
                                name=f'{op}.{t}x2:{part}'))
    return out
