"""Binary floating point in exact integers: formats, rounding, and the operations of PTX.

Every value is a pattern of bits (an int). Operations decode to sign * m * 2**e with whole m, compute
exactly, and round once. Nothing here uses the host's floating point.
"""
from fractions import Fraction
from math import isqrt


class Fmt:
    def __init__(self, name, ebits, mbits, nan, finite_only=False):
        self.name, self.ebits, self.mbits = name, ebits, mbits
        self.bits = 1 + ebits + mbits
        self.bias = (1 << (ebits - 1)) - 1
        self.emin = 1 - self.bias - mbits          # exponent of the least subnormal
        self.sign = 1 << (self.bits - 1)
        self.inf = ((1 << ebits) - 1) << mbits
        self.qnan = nan                            # what an operation makes of no number
        self.finite_only = finite_only             # e4m3: no infinity, NaN is all ones
        self.max = nan - 1 if finite_only else self.inf - 1
        self.quiet = 1 << (mbits - 1)

    def is_nan(self, x):
        x &= self.sign - 1
        return x == self.qnan if self.finite_only else x > self.inf

    def is_inf(self, x):
        return not self.finite_only and x & (self.sign - 1) == self.inf

    def is_zero(self, x):
        return x & (self.sign - 1) == 0

    def is_sub(self, x):
        x &= self.sign - 1
        return 0 < x < (1 << self.mbits)

    def ftz(self, x):
        return x & self.sign if self.is_sub(x) else x

    def split(self, x):
        """Sign, m, e of a finite pattern."""
        s = x >> (self.bits - 1)
        e = (x >> self.mbits) & ((1 << self.ebits) - 1)
        m = x & ((1 << self.mbits) - 1)
        return (s, m, self.emin) if e == 0 else (s, m | 1 << self.mbits, self.emin + e - 1)

    def value(self, x):
        s, m, e = self.split(x)
        v = Fraction(m) * (Fraction(2) ** e)
        return -v if s else v

    def round(self, s, m, e, mode='rn'):
        """(-1)**s * m * 2**e, m whole and exact (or with a sticky lowest bit), rounded."""
        sign = self.sign if s else 0
        if m == 0:
            return sign
        drop = max(m.bit_length() - (self.mbits + 1), self.emin - e)
        if drop <= 0:
            q, rest, half = m << -drop, 0, 0
        else:
            q, rest, half = m >> drop, m & ((1 << drop) - 1), 1 << (drop - 1)
        e += drop
        up = {'rn': rest > half or (rest == half and rest and q & 1),
              'rna': bool(rest) and rest >= half, 'rz': False,
              'rm': bool(s and rest), 'rp': bool(not s and rest)}[mode]
        if drop > 0 and up:
            q += 1
        if q >> (self.mbits + 1):
            q >>= 1
            e += 1
        if q >> self.mbits == 0:                   # subnormal or zero
            return sign | q
        pattern = (e - self.emin + 1 << self.mbits) + (q - (1 << self.mbits))
        if pattern > self.max:
            away = mode in ('rn', 'rna') or (mode == 'rp' and not s) or (mode == 'rm' and s)
            top = self.qnan if self.finite_only else self.inf
            return sign | (top if away else self.max)
        return sign | pattern

    def from_fraction(self, f, mode='rn', zero_sign=0):
        if f == 0:
            return self.sign if zero_sign else 0
        s, f = f < 0, abs(f)
        # Enough quotient bits below the last place of the format, and a sticky one.
        shift = max(0, self.mbits + 4 - (f.numerator.bit_length() - f.denominator.bit_length()),
                    -self.emin + 4 if f < Fraction(2) ** (self.emin + self.mbits + 2) else 0)
        q, r = divmod(f.numerator << shift, f.denominator)
        return self.round(s, q << 1 | (r != 0), -shift - 1, mode)


F16 = Fmt('f16', 5, 10, 0x7fff)
BF16 = Fmt('bf16', 8, 7, 0x7fff)
TF32 = Fmt('tf32', 8, 10, 0x7ffff)
F32 = Fmt('f32', 8, 23, 0x7fffffff)
F64 = Fmt('f64', 11, 52, 0xfff8000000000000)
E4M3 = Fmt('e4m3', 4, 3, 0x7f, True)
E5M2 = Fmt('e5m2', 5, 2, 0x7f)
BY_NAME = {f.name: f for f in (F16, BF16, TF32, F32, F64, E4M3, E5M2)}


def add_exact(fm, terms):
    """Sum of (s, m, e) triples: (s, m, e), or None for an exact zero."""
    e0 = min(e for _, _, e in terms)
    v = sum((-m if s else m) << (e - e0) for s, m, e in terms)
    return None if v == 0 else (v < 0, abs(v), e0)


def finish(fm, x, ftz=False, sat=False, relu=False):
    if ftz:
        x = fm.ftz(x)
    if sat:
        one = fm.bias << fm.mbits
        if fm.is_nan(x) or x & fm.sign:
            return 0
        return min(x, one)
    if relu and not fm.is_nan(x) and x & fm.sign:
        return 0
    return x


def nan_of(fm, *xs):
    """What an operation on NaNs gives: one pattern for all, but payloads live in double precision."""
    if fm is F64:
        for x in xs:
            if fm.is_nan(x):
                return x | fm.quiet
    return fm.qnan


def fma(fm, a, b, c, mode='rn', ftz=False, sat=False, relu=False):
    if ftz:
        a, b, c = fm.ftz(a), fm.ftz(b), fm.ftz(c)
    if fm.is_nan(a) or fm.is_nan(b) or fm.is_nan(c):
        return finish(fm, nan_of(fm, a, b, c), sat=sat)
    sp = (a ^ b) & fm.sign
    if fm.is_inf(a) or fm.is_inf(b):
        if fm.is_zero(a) or fm.is_zero(b) or (fm.is_inf(c) and (c & fm.sign) != sp):
            return finish(fm, fm.qnan, sat=sat)
        return finish(fm, sp | fm.inf, sat=sat, relu=relu)
    if fm.is_inf(c):
        return finish(fm, c, sat=sat, relu=relu)
    s1, m1, e1 = fm.split(a)
    s2, m2, e2 = fm.split(b)
    total = add_exact(fm, [(s1 ^ s2, m1 * m2, e1 + e2), fm.split(c)])
    if total is None:
        product_zero = m1 * m2 == 0
        if product_zero and fm.is_zero(c) and sp == (c & fm.sign):
            r = sp
        else:
            r = fm.sign if mode == 'rm' else 0
        return finish(fm, r, ftz, sat, relu)
    return finish(fm, fm.round(*total, mode), ftz, sat, relu)


def add(fm, a, b, mode='rn', ftz=False, sat=False):
    if ftz:
        a, b = fm.ftz(a), fm.ftz(b)
    if fm.is_nan(a) or fm.is_nan(b):
        return finish(fm, nan_of(fm, a, b), sat=sat)
    if fm.is_inf(a):
        bad = fm.is_inf(b) and a != b
        return finish(fm, fm.qnan if bad else a, sat=sat)
    if fm.is_inf(b):
        return finish(fm, b, sat=sat)
    total = add_exact(fm, [fm.split(a), fm.split(b)])
    if total is None:
        both = fm.is_zero(a) and fm.is_zero(b) and a == b
        r = a if both else fm.sign if mode == 'rm' else 0
        return finish(fm, r, ftz, sat)
    return finish(fm, fm.round(*total, mode), ftz, sat)


def sub(fm, a, b, mode='rn', ftz=False, sat=False):
    return add(fm, a, b if fm.is_nan(b) else b ^ fm.sign, mode, ftz, sat)


def mul(fm, a, b, mode='rn', ftz=False, sat=False):
    if ftz:
        a, b = fm.ftz(a), fm.ftz(b)
    if fm.is_nan(a) or fm.is_nan(b):
        return finish(fm, nan_of(fm, a, b), sat=sat)
    sp = (a ^ b) & fm.sign
    if fm.is_inf(a) or fm.is_inf(b):
        bad = fm.is_zero(a) or fm.is_zero(b)
        return finish(fm, fm.qnan if bad else sp | fm.inf, sat=sat)
    s1, m1, e1 = fm.split(a)
    s2, m2, e2 = fm.split(b)
    return finish(fm, fm.round(s1 ^ s2, m1 * m2, e1 + e2, mode), ftz, sat)


def div(fm, a, b, mode='rn', ftz=False):
    if ftz:
        a, b = fm.ftz(a), fm.ftz(b)
    if fm.is_nan(a) or fm.is_nan(b):
        return nan_of(fm, a, b)
    sp = (a ^ b) & fm.sign
    if fm.is_inf(a):
        return fm.qnan if fm.is_inf(b) else sp | fm.inf
    if fm.is_inf(b):
        return sp
    if fm.is_zero(b):
        return fm.qnan if fm.is_zero(a) else sp | fm.inf
    if fm.is_zero(a):
        return sp
    r = fm.from_fraction(fm.value(a) / fm.value(b), mode)
    return fm.ftz(r) if ftz else r


def sqrt(fm, a, mode='rn', ftz=False):
    if ftz:
        a = fm.ftz(a)
    if fm.is_nan(a):
        return nan_of(fm, a)
    if fm.is_zero(a):
        return a
    if a & fm.sign:
        return fm.qnan
    if fm.is_inf(a):
        return a
    _, m, e = fm.split(a)
    shift = 2 * (fm.mbits + 4)
    if (e - shift) & 1:
        shift += 1
    v = m << shift
    r = isqrt(v)
    return fm.round(0, r << 1 | (r * r != v), (e - shift) // 2 - 1, mode)


def key(fm, x):
    """Total order of numbers with -0 < +0."""
    return -(x & (fm.sign - 1)) - 1 if x & fm.sign else x


def minmax(fm, xs, is_max, ftz=False, nan=False, absolute=False, xorsign=False):
    if ftz:
        xs = [fm.ftz(x) for x in xs]
    sign = fm.sign if xorsign and (xs[0] ^ xs[1]) & fm.sign else 0
    if absolute:
        xs = [x & ~fm.sign for x in xs]
    d = xs[0]
    for x in xs[1:]:
        if fm.is_nan(d) and fm.is_nan(x):
            d = fm.qnan
        elif fm.is_nan(d) or fm.is_nan(x):
            d = fm.qnan if nan else x if fm.is_nan(d) else d
        else:
            d = (max if is_max else min)(d, x, key=lambda v: key(fm, v))
    if fm.is_nan(d):
        return fm.qnan
    return d & ~fm.sign | sign if xorsign else d


def compare(fm, op, a, b, ftz=False):
    if ftz:
        a, b = fm.ftz(a), fm.ftz(b)
    unordered = fm.is_nan(a) or fm.is_nan(b)
    if op in ('num', 'nan'):
        return unordered == (op == 'nan')
    if unordered:
        return op.endswith('u')
    ka, kb = (0 if fm.is_zero(x) else key(fm, x) for x in (a, b))
    return {'eq': ka == kb, 'ne': ka != kb, 'lt': ka < kb, 'le': ka <= kb, 'gt': ka > kb,
            'ge': ka >= kb}[op[:2]]


def convert(fs, fd, a, mode='rn'):
    """Float to float; NaN gives the destination's."""
    if fs.is_nan(a):
        return fd.qnan
    s = fd.sign if a & fs.sign else 0
    if fs.is_inf(a):
        return s | (fd.qnan if fd.finite_only else fd.inf)
    if fs.is_zero(a):
        return s
    sg, m, e = fs.split(a)
    return fd.round(sg, m, e, mode)


def round_whole(s, m, e, mode):
    """m * 2**e with its sign, rounded to a whole number (rni, rzi, rmi, rpi)."""
    if e >= 0:
        v = m << e
    else:
        v, rest, half = m >> -e, m & ((1 << -e) - 1), 1 << (-e - 1)
        if (mode == 'rni' and (rest > half or (rest == half and v & 1))) or \
           (mode == 'rmi' and s and rest) or (mode == 'rpi' and not s and rest):
            v += 1
    return -v if s else v


def to_int(fm, a, bits, signed, mode, ftz=False):
    if ftz:
        a = fm.ftz(a)
    lo, hi = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if fm.is_nan(a):
        return 0 if fm is not F64 and bits != 64 else 1 << (bits - 1)
    if fm.is_inf(a):
        v = lo if a & fm.sign else hi
    else:
        v = min(max(round_whole(*fm.split(a), mode), lo), hi)
    return v & ((1 << bits) - 1)


def to_whole(fm, a, mode, ftz=False, sat=False):
    """cvt.rni.f32.f32 and its like."""
    if ftz:
        a = fm.ftz(a)
    if fm.is_nan(a):
        return finish(fm, nan_of(fm, a), sat=sat)
    if fm.is_inf(a):
        return finish(fm, a, sat=sat)
    v = round_whole(*fm.split(a), mode)
    r = fm.round(v < 0, abs(v), 0) if v else a & fm.sign
    return finish(fm, r, ftz, sat)


def from_int(fm, v, mode):
    return fm.round(v < 0, abs(v), 0, mode)
