#!/usr/bin/env python3
"""Writes the gen_mma_*.ptx and gen_wmma_*.ptx files of this folder: products of matrices by tensor cores.

The model is written from the PTX ISA's figures (which lane holds which element) and from what was published of
the hardware (exact products, alignment, truncation), in fractions, apart from the simulator's code and tables.
Run it after changing it; the files are in the repository so that tests need no Python."""
import os
import random
import struct
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
NAN16, NAN32 = 0x7FFF, 0x7FFFFFFF
# by bits behind the point, 23 on Volta and 24 on Turing: products that are added at once (MMA-Sim,
# arXiv:2511.10909), least exponent of a half-precision sum (Khattak, Mikaitis, arXiv:2512.07004)
AT_ONCE = {23: 4, 24: 8}
LEAST_HALF = {23: -19, 24: -20}
# later generations: products that are added at once, bits behind the point, least exponent of a sum of single and
# of half precision (the same sources); formats: bits of the exponent, of the fraction
ADDERS = {
    ("ampere", "f16"): (8, 24, -132, -20), ("ampere", "bf16"): (8, 24, -132, None), ("ampere", "tf32"): (4, 24, -132, None),
    ("hopper", "f16"): (16, 25, -133, -21), ("hopper", "bf16"): (16, 25, -133, None), ("hopper", "tf32"): (8, 25, -133, None),
    ("ada", "e4m3"): (16, 13, -132, -20), ("ada", "e5m2"): (16, 13, -132, -20)}
FORMATS = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 10), "f32": (8, 23), "e4m3": (4, 3), "e5m2": (5, 2)}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "s32": 32, "u32": 32, "f64": 64}


# ---- numbers -----------------------------------------------------------------------------------
def parts(bits, exp, man):
    """(kind, value, exponent before normalisation) of a float of so many bits."""
    bias = (1 << (exp - 1)) - 1
    s, e, m = bits >> (exp + man) & 1, bits >> man & ((1 << exp) - 1), bits & ((1 << man) - 1)
    sign = -1 if s else 1
    if e == (1 << exp) - 1:
        return ("nan", 0, 0) if m else ("inf", sign, 0)
    top = (e or 1) - bias
    return ("fin", sign * Fraction(m + ((1 << man) if e else 0)) * Fraction(2) ** (top - man), top)


def half(b):
    return parts(b, 5, 10)


def single(b):
    return parts(b, 8, 23)


def of_format(b, kind):
    if kind == "tf32":  # of a word the upper 19 bits
        return parts(b >> 13, 8, 10)
    if kind == "e4m3" and b & 0x7F != 0x7F:  # the greatest exponent holds numbers too
        e, m = b >> 3 & 15, b & 7
        return ("fin", (-1 if b >> 7 else 1) * Fraction(m + (8 if e else 0)) * Fraction(2) ** ((e or 1) - 10), (e or 1) - 7)
    if kind == "e4m3":
        return ("nan", 0, 0)
    return parts(b, *FORMATS[kind])


def trunc(q):
    return int(q) if q >= 0 else -int(-q)


def to_single(v):
    """Towards zero."""
    if v == 0:
        return 0
    s, v = (1 << 31, -v) if v < 0 else (0, v)
    e = -126
    while v >= Fraction(2) ** (e + 1):
        e += 1
    if e > 127:
        return s | 0x7F800000
    m = int(v / Fraction(2) ** (e - 23))
    return s | (m + ((e + 126) << 23) if m >> 23 else m)


def to_half(v):
    """To nearest even."""
    if v == 0:
        return 0
    s, v = (0x8000, -v) if v < 0 else (0, v)
    e = -14
    while v >= Fraction(2) ** (e + 1):
        e += 1
    q = v / Fraction(2) ** (e - 10)
    m = int(q)
    rest = q - m
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and m & 1):
        m += 1
    out = m + ((e + 14) << 10)
    return s | min(out, 0x7C00)


def fused(c, ctype, pairs, fraction, dtype, kinds=("f16", "f16"), least_exponent=None):
    """c + the sum of products, as hardware adds them at once."""
    terms, special = [], set()
    kind, v, top = single(c) if ctype == "f32" else half(c)
    if kind == "fin" and ctype == "f16" and v:
        top = 0  # widened: a subnormal half is a normal single
        while abs(v) >= Fraction(2) ** (top + 1):
            top += 1
        while abs(v) < Fraction(2) ** top:
            top -= 1
    if kind != "fin":
        special.add((kind, v))
    else:
        terms.append((v, top))
    for a, b in pairs:
        ka, va, ea = of_format(a, kinds[0])
        kb, vb, eb = of_format(b, kinds[1])
        if "nan" in (ka, kb) or ("inf" in (ka, kb) and 0 in (va, vb)):
            special.add(("nan", 0))
        elif "inf" in (ka, kb):
            special.add(("inf", 1 if (va > 0) == (vb > 0) else -1))
        else:
            terms.append((va * vb, ea + eb))
    if special:
        one = special.pop()
        if special or one[0] == "nan":
            return NAN32 if dtype == "f32" else NAN16
        inf = 0x7F800000 if dtype == "f32" else 0x7C00
        return inf | ((1 << (31 if dtype == "f32" else 15)) if one[1] < 0 else 0)
    terms = [(v, e) for v, e in terms if v]
    if not terms:
        return 0
    least = least_exponent if least_exponent is not None else -126 if dtype == "f32" else LEAST_HALF[fraction]
    quantum = Fraction(2) ** (max(max(e for v, e in terms), least) - fraction)
    total = sum(trunc(v / quantum) for v, e in terms) * quantum
    if dtype == "f16":
        return to_half(total)
    d = to_single(total)
    return d & ~0x3FF if fraction == 13 else d  # 13 bits of the fraction


def dot(c, ctype, row, col, fraction, dtype):
    """Four (Volta) or eight (Turing) at a time, along k."""
    n = AT_ONCE[fraction]
    for k in range(0, len(row), n):
        c = fused(c, ctype, list(zip(row[k:k + n], col[k:k + n])), fraction, dtype)
        ctype = dtype
    return c


def dot_by(generation, c, row, col, kinds, dtype):
    """The same of later generations; C and D have one type."""
    n, fraction, least32, least16 = ADDERS[generation, kinds[0]]
    for k in range(0, len(row), n):
        c = fused(c, dtype, list(zip(row[k:k + n], col[k:k + n])), fraction, dtype, kinds, least32 if dtype == "f32" else least16)
    return c


def product_by(generation, a, b, c, kinds, dtype):
    return [[dot_by(generation, c[i][j], a[i], [r[j] for r in b], kinds, dtype) for j in range(len(b[0]))] for i in range(len(a))]


def product(a, b, c, ctype, dtype, fraction):
    return [[dot(c[i][j], ctype, a[i], [r[j] for r in b], fraction, dtype) for j in range(len(b[0]))]
            for i in range(len(a))]


# ---- matrices ----------------------------------------------------------------------------------
def some_half(r, wild):
    if wild and r.random() < 0.04:
        return r.choice([0x7C00, 0xFC00, 0x7E00])
    how = r.random()
    if how < 0.1:
        return r.choice([0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x7BFF, 0xFBFF])
    if how < 0.5:
        return r.getrandbits(1) << 15 | r.randint(12, 18) << 10 | r.getrandbits(10)
    return r.getrandbits(1) << 15 | r.randint(0, 30) << 10 | r.getrandbits(10)


def some_single(r, wild):
    if wild and r.random() < 0.03:
        return r.choice([0x7F800000, 0xFF800000, 0x7FC00000])
    how = r.random()
    if how < 0.15:
        return r.choice([0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x00800000, 0x7F7FFFFF])
    return r.getrandbits(1) << 31 | r.randint(100, 150) << 23 | r.getrandbits(23)


def some_byte(r, kind, wild):
    if wild and r.random() < 0.03:
        return r.choice([0x7F, 0xFF] if kind == "e4m3" else [0x7C, 0xFC, 0x7F])
    how = r.random()
    if how < 0.1:
        return r.choice([0, 0x80, 1, 0x81, 7, 0x7E] if kind == "e4m3" else [0, 0x80, 1, 0x83, 3, 0x7B])
    return r.getrandbits(1) << 7 | r.randrange(0x7F if kind == "e4m3" else 0x7C)


def matrix(r, rows, cols, kind, wild=False):
    pick = {"f16": lambda: some_half(r, wild), "f32": lambda: some_single(r, wild), "bf16": lambda: some_single(r, wild) >> 16,
            "tf32": lambda: some_single(r, wild), "e4m3": lambda: some_byte(r, "e4m3", wild), "e5m2": lambda: some_byte(r, "e5m2", wild)}
    if kind in pick:
        return [[pick[kind]() for _ in range(cols)] for _ in range(rows)]
    if kind == "f64":
        return [[some_double(r) for _ in range(cols)] for _ in range(rows)]
    n = int(kind[1:])
    edge = [0, 1, (1 << n) - 1, 1 << (n - 1), (1 << (n - 1)) - 1]
    return [[r.choice(edge) if r.random() < 0.3 else r.getrandbits(n) for _ in range(cols)] for _ in range(rows)]


def nearly_tied(m, k, n):
    """Halves whose sums lie a little beside the middle between 0 and the least half, or between the
    next two: by how little decides where hardware's cut makes them equal to it."""
    a = [[0x0400, 1 if i & 1 else 0x8001] + [0] * (k - 2) for i in range(m)]
    b = [[0x1000] * n, [1 << j % 8 for j in range(n)]] + [[0] * n for _ in range(k - 2)]
    return a, b, [[0x0001 if i & 2 else 0 for _ in range(n)] for i in range(m)]


def number(v, kind):
    n = int(kind[1:])
    return v - (1 << n) if kind[0] == "s" and v >> (n - 1) else v


def int_product(a, ta, b, tb, c, sat, is_and=False):
    out = []
    for i in range(len(a)):
        out.append([])
        for j in range(len(b[0])):
            s = number(c[i][j], "s32")
            for k in range(len(b)):
                if ta == "b1":
                    s += a[i][k] & b[k][j] if is_and else a[i][k] ^ b[k][j]
                else:
                    s += number(a[i][k], ta) * number(b[k][j], tb)
            if sat:
                s = max(-(1 << 31), min((1 << 31) - 1, s))
            out[-1].append(s & 0xFFFFFFFF)
    return out


# ---- fragments of mma, as the PTX ISA words them: (row, column) of element i of a lane -------------
def quad(lane):
    return lane % 4 + (4 if lane >= 16 else 0)


def a_884(lane, i, row):
    return (quad(lane), i) if row else (i % 4 + (4 if lane >= 16 else 0), lane % 4)


def b_884(lane, i, row):
    return (lane % 4, i % 4 + (4 if lane >= 16 else 0)) if row else (i, quad(lane))


def c_884(lane, i, kind):
    if kind == "f16":
        return quad(lane), i
    x = (lane & 1) + (i & 2) + (4 if lane >= 16 else 0)
    return x, (i & 4) + (lane & 2) + (i & 1)


def a_1688(lane, i):
    return lane // 4 + (8 if i >= 2 else 0), lane % 4 * 2 + (i & 1)


def b_1688(lane, i):
    return lane % 4 * 2 + i, lane // 4


def c_1688(lane, i):
    return lane // 4 + (8 if i >= 2 else 0), lane % 4 * 2 + (i & 1)


def pack(elements, bits):
    words, per = [], 32 // bits
    for k in range(0, len(elements), per):
        words.append(sum(v << (bits * n) for n, v in enumerate(elements[k:k + per])))
    return words


class File:
    def __init__(self, name, what, targets, sm=75):
        self.name, self.what, self.targets, self.sm = name, what, targets, sm
        self.words, self.body, self.expect, self.out, self.regs = [], [], [], 0, 0

    def data(self, words):
        at = len(self.words) * 4
        self.words += words
        return at

    def reg(self, n):
        names = ["%%r%d" % (self.regs + k) for k in range(n)]
        self.regs += n
        return names

    def load(self, words):
        """Registers that hold words[register][lane]."""
        names = self.reg(len(words))
        for n, w in zip(names, words):
            self.body.append("    ld.global.b32 %s, [%%li+%d];" % (n, self.data(w)))
        return names

    def store(self, names, words):
        for n, w in zip(names, words):
            self.body.append("    st.global.b32 [%%lo+%d], %s;" % (self.out, n))
            self.say(w)

    def say(self, words):
        at = self.out // 4
        for k in range(0, len(words), 16):
            part = words[k:k + 16]
            self.expect.append("    // expect out[%d..%d] = %s" % (at + k, at + k + len(part) - 1,
                                                                  " ".join("0x%x" % w for w in part)))
        self.out += 4 * len(words)

    def write(self):
        with open(os.path.join(HERE, self.name + ".ptx"), "w") as f:
            f.write("// %s\n// Written by generate_mma.py.\n// targets %s\n" % (self.what, self.targets))
            for k in range(0, len(self.words), 16):
                f.write("// in u32 %s\n" % " ".join("0x%x" % w for w in self.words[k:k + 16]))
            f.write(""".version 7.8
.target sm_%d
.address_size 64

.visible .entry k(.param .u64 out, .param .u64 in) {
    .reg .b32 %%r<%d>; .reg .b32 %%t; .reg .f32 %%f<64>;
    .reg .u64 %%out, %%in, %%li, %%lo;
    .shared .align 32 .b8 tile[16384];
    ld.param.u64 %%out, [out];
    ld.param.u64 %%in, [in];
    mov.u32 %%t, %%tid.x;
    mad.wide.u32 %%li, %%t, 4, %%in;
    mad.wide.u32 %%lo, %%t, 4, %%out;
""" % (self.sm, self.regs + 1))
            f.write("\n".join(self.body) + "\n    ret;\n}\n" + "\n".join(self.expect) + "\n")


def braces(names):
    return "{" + ", ".join(names) + "}"


def lanes(get, regs, bits):
    """words[register][lane] of elements get(lane, i)."""
    per = 32 // bits
    by_lane = [pack([get(lane, i) for i in range(regs * per)], bits) for lane in range(32)]
    return [[by_lane[lane][k] for lane in range(32)] for k in range(regs)]


def as_f32(f, names, what="to"):
    """mma wants .f32 registers for sums of single precision."""
    fs = ["%%f%d" % k for k in range(len(names))]
    return fs, ["    mov.b32 %s, %s;" % (x, n) if what == "to" else "    mov.b32 %s, %s;" % (n, x)
                for x, n in zip(fs, names)]


def emit(f, op, a, b, c, ctype, dtype, want):
    ra, rb, rc = f.load(a), f.load(b), f.load(c)
    rd = f.reg(len(want))
    cs, ds = rc, rd
    if ctype == "f32":
        cs, lines = as_f32(f, rc)
        f.body += lines
    if dtype == "f32":
        ds = ["%%f%d" % (32 + k) for k in range(len(rd))]
    f.body.append("    %s %s, %s, %s, %s;" % (op, braces(ds), braces(ra), braces(rb), braces(cs)))
    if dtype == "f32":
        f.body += ["    mov.b32 %s, %s;" % (n, x) for n, x in zip(rd, ds)]
    f.store(rd, want)


def mma_884(r):
    f = File("gen_mma_884", "mma.m8n8k4: four products of quad pairs", "volta turing", 70)
    for al, bl, dt, ct, wild in (("row", "col", "f32", "f32", 0), ("col", "row", "f32", "f32", 1), ("row", "row", "f16", "f16", 0),
                                 ("col", "col", "f16", "f16", 1), ("row", "col", "f32", "f32", 0), ("row", "col", "f16", "f16", 0),
                                 ("row", "col", "f16", "f16", None)):
        sets = [nearly_tied(8, 4, 8) if wild is None else (matrix(r, 8, 4, "f16", wild), matrix(r, 4, 8, "f16", wild), matrix(r, 8, 8, ct, wild)) for _ in range(4)]
        pair = lambda lane: sets[lane // 4 % 4]
        of = lambda m, rc: m[rc[0]][rc[1]]
        a = lanes(lambda l, i: of(pair(l)[0], a_884(l, i, al == "row")), 2, 16)
        b = lanes(lambda l, i: of(pair(l)[1], b_884(l, i, bl == "row")), 2, 16)
        c = lanes(lambda l, i: of(pair(l)[2], c_884(l, i, ct)), 8 if ct == "f32" else 4, 32 if ct == "f32" else 16)
        ds = [product(*s, ct, dt, 23) for s in sets]
        d = lanes(lambda l, i: of(ds[l // 4 % 4], c_884(l, i, dt)), 8 if dt == "f32" else 4, 32 if dt == "f32" else 16)
        emit(f, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s" % (al, bl, dt, ct), a, b, c, ct, dt, d)
    f.write()


def rounded_or_special(v, specials, exp, man, zero):
    if specials:
        one = specials.pop()
        if specials or one[0] == "nan":
            return (1 << exp + man) - 1
        return ((1 << exp) - 1) << man | (1 << exp + man if one[1] < 0 else 0)
    return rounded(v, exp, man) if v else zero


def chain(a, b, c, ctype, dtype):
    """One element where there is no such instruction: fused multiply-adds of single precision."""
    def mad(x, y, z):  # halves times, single plus
        fx, fy, fz = half(x), half(y), single(z)
        specials = {fz[:2]} if fz[0] != "fin" else set()
        if "nan" in (fx[0], fy[0]) or ("inf" in (fx[0], fy[0]) and 0 in (fx[1], fy[1])):
            specials.add(("nan", 0))
        elif "inf" in (fx[0], fy[0]):
            specials.add(("inf", 1 if (fx[1] > 0) == (fy[1] > 0) else -1))
        return rounded_or_special(fx[1] * fy[1] + fz[1], specials, 8, 23, (x ^ y) << 16 & z & 1 << 31)
    minus_zero = 1 << 31  # adds nothing, not even to a zero's sign
    c = c if ctype == "f32" else {"nan": NAN32, "inf": 0x7F800000 | (c & 0x8000) << 16, "fin": rounded(half(c)[1], 8, 23) if half(c)[1] else (c & 0x8000) << 16}[half(c)[0]]
    if dtype == "f32":
        total = 0
        for x, y in zip(a, b):
            total = mad(x, y, total)
        return single_add(c, total)
    for k in (0, 2):
        c = single_add(c, mad(a[k + 1], b[k + 1], mad(a[k], b[k], minus_zero)))
    kind, v, _ = single(c)
    return {"nan": NAN16, "inf": 0x7C00 | c >> 16 & 0x8000, "fin": to_half(v) | (c >> 16 & 0x8000)}[kind]


def mma_884_later(r):
    f = File("gen_mma_884_later", "mma.m8n8k4 of halves from 8.0 on, where no tensor core has it", "ampere ada hopper", 80)
    for al, bl, dt, ct, wild in (("row", "col", "f32", "f32", 0), ("col", "row", "f32", "f32", 1), ("row", "row", "f16", "f16", 0), ("col", "col", "f16", "f16", 1)):
        sets = [(matrix(r, 8, 4, "f16", wild), matrix(r, 4, 8, "f16", wild), matrix(r, 8, 8, ct, wild)) for _ in range(4)]
        pair = lambda lane: sets[lane // 4 % 4]
        of = lambda m, rc: m[rc[0]][rc[1]]
        a = lanes(lambda l, i: of(pair(l)[0], a_884(l, i, al == "row")), 2, 16)
        b = lanes(lambda l, i: of(pair(l)[1], b_884(l, i, bl == "row")), 2, 16)
        width = lambda t: (8, 32) if t == "f32" else (4, 16)
        c = lanes(lambda l, i: of(pair(l)[2], c_884(l, i, ct)), *width(ct))
        ds = [[[chain(s[0][i], [row[j] for row in s[1]], s[2][i][j], ct, dt) for j in range(8)] for i in range(8)] for s in sets]
        d = lanes(lambda l, i: of(ds[l // 4 % 4], c_884(l, i, dt)), *width(dt))
        emit(f, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s" % (al, bl, dt, ct), a, b, c, ct, dt, d)
    f.write()


def mma_1688(r):
    f = File("gen_mma_1688", "mma.m16n8k8 of halves", "volta turing")
    for dt, ct, wild in (("f32", "f32", 0), ("f32", "f32", 1), ("f16", "f16", 0), ("f16", "f16", 1), ("f16", "f16", None)):
        a, b, c = nearly_tied(16, 8, 8) if wild is None else (matrix(r, 16, 8, "f16", wild), matrix(r, 8, 8, "f16", wild), matrix(r, 16, 8, ct, wild))
        d = product(a, b, c, ct, dt, 24)
        width = lambda t: (4, 32) if t == "f32" else (2, 16)
        get = lambda m, place: lambda l, i: m[place(l, i)[0]][place(l, i)[1]]
        emit(f, "mma.sync.aligned.m16n8k8.row.col.%s.f16.f16.%s" % (dt, ct), lanes(get(a, a_1688), 2, 16),
             lanes(get(b, b_1688), 1, 16), lanes(get(c, c_1688), *width(ct)), ct, dt, lanes(get(d, c_1688), *width(dt)))
    f.write()


def mma_int(r):
    f = File("gen_mma_int", "mma of bytes, of 4-bit integers, of bits; movmatrix", "volta turing")
    for bits, k, ta, tb, sat in ((8, 16, "s8", "s8", 0), (8, 16, "u8", "s8", 0), (8, 16, "s8", "u8", 1), (8, 16, "u8", "u8", 1),
                                 (4, 32, "s4", "u4", 0), (4, 32, "u4", "s4", 1), (4, 32, "s4", "s4", 0), (1, 128, "b1", "b1", 0)):
        a, b, c = matrix(r, 8, k, ta), matrix(r, k, 8, tb), matrix(r, 8, 8, "u32")
        if sat:  # near the ends
            c = [[r.choice([0x7FFFFFFF, 0x7FFFF000, 0x80000000, 0x80000FFF, v]) for v in row] for row in c]
        d = int_product(a, ta, b, tb, c, sat)
        n = 32 // bits
        fa = lanes(lambda l, i: a[l // 4][l % 4 * n + i], 1, bits)
        fb = lanes(lambda l, i: b[l % 4 * n + i][l // 4], 1, bits)
        fc = lanes(lambda l, i: c[l // 4][l % 4 * 2 + i], 2, 32)
        fd = lanes(lambda l, i: d[l // 4][l % 4 * 2 + i], 2, 32)
        op = "mma.sync.aligned.m8n8k%d.row.col.%ss32.%s.%s.s32%s" % (k, "satfinite." if sat else "", ta, tb, ".xor.popc" if bits == 1 else "")
        emit(f, op, fa, fb, fc, "s32", "s32", fd)
    m = matrix(r, 8, 8, "u16")
    src = f.load(lanes(lambda l, i: m[l // 4][l % 4 * 2 + i], 1, 16))
    dst = f.reg(1)
    f.body.append("    movmatrix.sync.aligned.m8n8.trans.b16 %s, %s;" % (dst[0], src[0]))
    f.store(dst, lanes(lambda l, i: m[l % 4 * 2 + i][l // 4], 1, 16))
    f.write()


# ---- sixteen rows, from compute capability 8.0 on -----------------------------------------------
def a_16(lane, i, bits):
    per = 32 // bits
    word = i // per
    return lane // 4 + 8 * (word & 1), lane % 4 * per + i % per + (word >> 1) * 4 * per


def b_16(lane, i, bits):
    per = 32 // bits
    return lane % 4 * per + i % per + i // per * 4 * per, lane // 4


def fragments(a, b, k, bits):
    get = lambda m, place: lambda l, i: m[place(l, i, bits)[0]][place(l, i, bits)[1]]
    words = k * bits // 128
    return lanes(get(a, a_16), 2 * words, bits), lanes(get(b, b_16), words, bits)


def mma_16(r, generation, targets, sm):
    f = File("gen_mma_%s" % generation, "mma of sixteen rows: floats as %s has them" % generation.capitalize(), targets, sm)
    cases = [(8, "bf16", "bf16", "f32"), (16, "bf16", "bf16", "f32"), (4, "tf32", "tf32", "f32"), (8, "tf32", "tf32", "f32"),
             (8, "f16", "f16", "f32"), (16, "f16", "f16", "f32"), (8, "f16", "f16", "f16"), (16, "f16", "f16", "f16")]
    if generation == "ada":
        cases = [(16, "e4m3", "e4m3", "f32"), (32, "e4m3", "e5m2", "f32"), (32, "e5m2", "e4m3", "f32"), (32, "e5m2", "e5m2", "f16"),
                 (16, "e5m2", "e5m2", "f16"), (32, "e4m3", "e4m3", "f16")]
    for k, ta, tb, dt in cases:
        for wild in (0, 1) if dt == "f32" or generation == "ada" else (0, 1, None):
            a, b, c = nearly_tied(16, k, 8) if wild is None else (matrix(r, 16, k, ta, wild), matrix(r, k, 8, tb, wild), matrix(r, 16, 8, dt, wild))
            if generation == "ada":  # a sum of the size of its products
                c = matrix(r, 16, 8, "f16", wild) if dt == "f16" else [[v & 0x81FFFFFF | 0x3A000000 if v >> 23 & 255 not in (0, 255) else v for v in row] for row in c]
            d = product_by(generation, a, b, c, (ta, tb), dt)
            width = (4, 32) if dt == "f32" else (2, 16)
            get = lambda m: lambda l, i: m[c_1688(l, i)[0]][c_1688(l, i)[1]]
            fa, fb = fragments(a, b, k, BITS[ta])
            emit(f, "mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s" % (k, dt, ta, tb, dt), fa, fb, lanes(get(c), *width), dt, dt, lanes(get(d), *width))
    f.write()


def single_add(x, y):
    """x + y of single precision, to nearest even."""
    kinds = (single(x), single(y))
    if any(k[0] != "fin" for k in kinds):
        specials = {k[:2] for k in kinds if k[0] != "fin"}
        one = specials.pop()
        return NAN32 if specials or one[0] == "nan" else 0x7F800000 | (1 << 31 if one[1] < 0 else 0)
    total = kinds[0][1] + kinds[1][1]
    if total == 0:
        return x & y & 1 << 31
    return rounded(total, 8, 23)


def half_add(x, y):
    kinds = (half(x), half(y))
    if any(k[0] != "fin" for k in kinds):
        specials = {k[:2] for k in kinds if k[0] != "fin"}
        one = specials.pop()
        return NAN16 if specials or one[0] == "nan" else 0x7C00 | (0x8000 if one[1] < 0 else 0)
    total = kinds[0][1] + kinds[1][1]
    return to_half(total) if total else x & y & 0x8000


def rounded(v, exp, man):
    """A number of the format, to nearest even."""
    bias = (1 << (exp - 1)) - 1
    s, v = (1 << (exp + man), -v) if v < 0 else (0, v)
    e = 1 - bias
    while v >= Fraction(2) ** (e + 1):
        e += 1
    q = v / Fraction(2) ** (e - man)
    m = int(q)
    rest = q - m
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and m & 1):
        m += 1
    out = m + ((e + bias - 1) << man)
    return s | min(out, ((1 << exp) - 1) << man)


def as_halves(b, kind):
    """A float of 8 bits as a half with the same value."""
    if kind == "e5m2":
        return b << 8
    what, v, _ = of_format(b, kind)
    return 0x7FFF if what == "nan" else to_half(v) | (b & 0x80) << 8


def mma_bytes_9(r):
    f = File("gen_mma_hopper_bytes", "mma of floats of 8 bits where halves are multiplied: lower pairs of each word, then upper ones, C last", "hopper", 89)
    for k, ta, tb, dt in ((16, "e4m3", "e4m3", "f32"), (32, "e4m3", "e5m2", "f32"), (32, "e5m2", "e5m2", "f16"), (16, "e5m2", "e4m3", "f16")):
        for wild in (0, 1):
            a, b, c = matrix(r, 16, k, ta, wild), matrix(r, k, 8, tb, wild), matrix(r, 16, 8, dt, wild)
            d = []
            for i in range(16):
                d.append([])
                for j in range(8):
                    total = 0
                    for high in (0, 2):
                        at = [n for n in range(k) if n & 2 == high]
                        total = dot_by("hopper", total, [as_halves(a[i][n], ta) for n in at], [as_halves(b[n][j], tb) for n in at], ("f16", "f16"), dt)
                    d[-1].append(single_add(c[i][j], total) if dt == "f32" else half_add(c[i][j], total))
            width = (4, 32) if dt == "f32" else (2, 16)
            get = lambda m: lambda l, i: m[c_1688(l, i)[0]][c_1688(l, i)[1]]
            fa, fb = fragments(a, b, k, 8)
            emit(f, "mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s" % (k, dt, ta, tb, dt), fa, fb, lanes(get(c), *width), dt, dt, lanes(get(d), *width))
    f.write()


def mma_int_16(r):
    f = File("gen_mma_int_16", "mma of sixteen rows: bytes, 4-bit integers, bits; bits joined by and", "ampere ada hopper", 80)
    for k, ta, tb, sat in ((16, "s8", "s8", 0), (16, "u8", "s8", 1), (32, "s8", "u8", 0), (32, "u8", "u8", 1), (32, "s4", "u4", 0), (32, "u4", "u4", 1),
                           (64, "s4", "s4", 1), (64, "u4", "s4", 0), (128, "b1", "b1", "xor"), (256, "b1", "b1", "xor"), (128, "b1", "b1", "and"), (256, "b1", "b1", "and")):
        a, b, c = matrix(r, 16, k, ta), matrix(r, k, 8, tb), matrix(r, 16, 8, "u32")
        if sat == 1:
            c = [[r.choice([0x7FFFFFFF, 0x7FFFF000, 0x80000000, 0x80000FFF, v]) for v in row] for row in c]
        d = int_product(a, ta, b, tb, c, sat == 1, sat == "and")
        get = lambda m: lambda l, i: m[c_1688(l, i)[0]][c_1688(l, i)[1]]
        fa, fb = fragments(a, b, k, BITS[ta])
        op = "mma.sync.aligned.m16n8k%d.row.col.%ss32.%s.%s.s32%s" % (k, "satfinite." if sat == 1 else "", ta, tb, "" if ta != "b1" else ".%s.popc" % sat)
        emit(f, op, fa, fb, lanes(get(c), 4, 32), "s32", "s32", lanes(get(d), 4, 32))
    a, b, c = matrix(r, 8, 128, "b1"), matrix(r, 128, 8, "b1"), matrix(r, 8, 8, "u32")
    d = int_product(a, "b1", b, "b1", c, 0, True)
    emit(f, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", lanes(lambda l, i: a[l // 4][l % 4 * 32 + i], 1, 1),
         lanes(lambda l, i: b[l % 4 * 32 + i][l // 4], 1, 1), lanes(lambda l, i: c[l // 4][l % 4 * 2 + i], 2, 32), "s32", "s32",
         lanes(lambda l, i: d[l // 4][l % 4 * 2 + i], 2, 32))
    f.write()


# ---- doubles -----------------------------------------------------------------------------------
def some_double(r):
    if r.random() < 0.15:
        return r.choice([0, 1 << 63, 1, 1 << 63 | 5, 0x000FFFFFFFFFFFFF, 0x3FF0000000000000])
    return r.getrandbits(1) << 63 | (r.randint(1023 - 30, 1023 + 30) if r.random() < 0.9 else r.randint(1023 - 540, 1023 - 500)) << 52 | r.getrandbits(52)


def double_dot(c, row, col):
    for x, y in zip(row, col):  # a chain of fused multiply-adds
        v = parts(x, 11, 52)[1] * parts(y, 11, 52)[1]
        total = v + parts(c, 11, 52)[1]
        c = rounded(total, 11, 52) if total else ((x ^ y) & c & 1 << 63)
    return c


def mma_double(r):
    f = File("gen_mma_double", "mma of doubles: 8x8x4", "ampere ada hopper", 80)
    mma_doubles(f, r, ((8, 4),))
    f = File("gen_mma_double_16", "mma of doubles: sixteen rows", "hopper", 90)
    mma_doubles(f, r, ((16, 4), (16, 8), (16, 16)))


def mma_doubles(f, r, shapes):
    names = iter(range(1000))
    for m, k in shapes:
        for _ in range(2):
            a, b, c = ([[some_double(r) for _ in range(w)] for _ in range(h)] for h, w in ((m, k), (k, 8), (m, 8)))
            d = [[double_dot(c[i][j], a[i], [row[j] for row in b]) for j in range(8)] for i in range(m)]
            half_rows = m // 8
            place_a = lambda l, i: (l // 4 + 8 * (i % half_rows), l % 4 + 4 * (i // half_rows))
            place_b = lambda l, i: (l % 4 + 4 * i, l // 4)
            place_c = lambda l, i: (l // 4 + 8 * (i // 2), l % 4 * 2 + i % 2)
            regs = {}
            for key, mat, place, n in (("a", a, place_a, m * k // 32), ("b", b, place_b, k // 4), ("c", c, place_c, m // 4)):
                regs[key] = []
                for i in range(n):
                    words = [[mat[place(l, i)[0]][place(l, i)[1]] >> 32 * w & 0xFFFFFFFF for l in range(32)] for w in range(2)]
                    low, high = f.load(words)
                    name = "%%g%d" % next(names)
                    f.body += ["    .reg .f64 %s;" % name, "    mov.b64 %s, {%s, %s};" % (name, low, high)]
                    regs[key].append(name)
            out = ["%%g%d" % next(names) for _ in range(m // 4)]
            f.body += ["    .reg .f64 %s;" % x for x in out]
            f.body.append("    mma.sync.aligned.m%dn8k%d.row.col.f64.f64.f64.f64 %s, %s, %s, %s;" % (m, k, braces(out), braces(regs["a"]), braces(regs["b"]), braces(regs["c"])))
            for i, x in enumerate(out):
                pair = f.reg(2)
                f.body.append("    mov.b64 {%s, %s}, %s;" % (pair[0], pair[1], x))
                f.store(pair, [[d[place_c(l, i)[0]][place_c(l, i)[1]] >> 32 * w & 0xFFFFFFFF for l in range(32)] for w in range(2)])
    f.write()


def ldmatrix(r):
    f = File("gen_mma_ldmatrix", "ldmatrix of one, two and four matrices, turned or not", "volta turing")
    ms = [matrix(r, 8, 8, "u16") for _ in range(4)]
    # row k of matrix m lies at 16 (11 (8 m + k) mod 32): no two in order
    place = lambda m, k: 11 * (8 * m + k) % 32
    image = [0] * 128
    for m in range(4):
        for k in range(8):
            image[place(m, k) * 4:place(m, k) * 4 + 4] = pack(ms[m][k], 16)
    at = f.data(image)
    regs = f.reg(2)
    for k in range(4):
        f.body += ["    ld.global.b32 %s, [%%li+%d];" % (regs[0], at + 128 * k), "    mov.u32 %s, tile;" % regs[1],
                   "    mad.lo.u32 %s, %%t, 4, %s;" % (regs[1], regs[1]), "    st.shared.b32 [%s+%d], %s;" % (regs[1], 128 * k, regs[0])]
    addr = f.reg(2)
    f.body += ["    bar.sync 0;", "    mul.lo.u32 %s, %%t, 11;" % addr[0], "    and.b32 %s, %s, 31;" % (addr[0], addr[0]),
               "    mov.u32 %s, tile;" % addr[1], "    mad.lo.u32 %s, %s, 16, %s;" % (addr[1], addr[0], addr[1])]
    for n in (1, 2, 4):
        for trans in ("", ".trans"):
            d = f.reg(n)
            f.body.append("    ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%s];" % (n, trans, braces(d), addr[1]))
            want = []
            for m in range(n):
                get = (lambda l, i: ms[m][l % 4 * 2 + i][l // 4]) if trans else (lambda l, i: ms[m][l // 4][l % 4 * 2 + i])
                want += lanes(get, 1, 16)
            f.store(d, want)
    f.write()


def stmatrix(r):
    f = File("gen_mma_stmatrix", "stmatrix of one, two and four matrices, turned or not", "hopper", 90)
    addr = f.reg(2)
    f.body += ["    mul.lo.u32 %s, %%t, 11;" % addr[0], "    and.b32 %s, %s, 31;" % (addr[0], addr[0]),
               "    mov.u32 %s, tile;" % addr[1], "    mad.lo.u32 %s, %s, 16, %s;" % (addr[1], addr[0], addr[1])]
    image = [0] * 128
    clear, at, back = f.reg(1)[0], f.reg(1)[0], f.reg(4)
    f.body += ["    mov.u32 %s, tile;" % at, "    mad.lo.u32 %s, %%t, 4, %s;" % (at, at), "    mov.u32 %s, 0;" % clear]
    f.body += ["    st.shared.b32 [%s+%d], %s;" % (at, 128 * k, clear) for k in range(4)] + ["    bar.sync 0;"]
    for n in (4, 2, 1):
        for trans in ("", ".trans"):
            ms = [matrix(r, 8, 8, "u16") for _ in range(n)]
            src = f.load(sum((lanes(lambda l, i: m[l // 4][l % 4 * 2 + i], 1, 16) for m in ms), []))
            f.body += ["    stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%s], %s;" % (n, trans, addr[1], braces(src)), "    bar.sync 0;"]
            for k, m in enumerate(ms):
                for row in range(8):
                    values = [line[row] for line in m] if trans else m[row]
                    place = 11 * (8 * k + row) % 32 * 4
                    image[place:place + 4] = pack(values, 16)
            for k in range(4):
                f.body.append("    ld.shared.b32 %s, [%s+%d];" % (back[k], at, 128 * k))
            f.store(back, [image[32 * k:32 * k + 32] for k in range(4)])
            f.body.append("    bar.sync 0;")
    f.write()


def flat(m, is_row, stride, bits):
    """Memory of a matrix, as words."""
    rows, cols = len(m), len(m[0])
    far = rows if is_row else cols
    bit = [0] * (far * stride)
    for i in range(rows):
        for j in range(cols):
            bit[i * stride + j if is_row else j * stride + i] = m[i][j]
    while len(bit) * bits % 32:
        bit.append(0)
    return [v >> 32 * w & 0xFFFFFFFF for v in bit for w in range(2)] if bits == 64 else pack(bit, bits)


def wmma_case(f, r, shape, ta, tb, ct, dt, al, bl, cl, dl, fraction, wild=0, sat=0, space="global", generation=None):
    m, n, k = shape
    bits = BITS[ta]
    acc = lambda t: BITS[t]
    a, b = matrix(r, m, k, ta, wild), matrix(r, k, n, tb, wild)
    c = matrix(r, m, n, "u32" if ct == "s32" else ct, wild)
    if generation:
        d = wmma_product(generation, a, b, c, ta, ct, dt)
    else:
        d = int_product(a, ta, b, tb, c, sat) if ct == "s32" else product(a, b, c, ct, dt, fraction)
    # strides: the least, or eight elements (32 for narrow ones) more
    more = r.choice([0, 16 if bits >= 8 else 128])
    stride = lambda rows, cols, is_row: (cols if is_row else rows)
    sa, sb = stride(m, k, al == "row") + more, stride(k, n, bl == "row") + more
    sc, sd = stride(m, n, cl == "row") + 8, stride(m, n, dl == "row")
    at = {}
    for key, mat, lay, st, nb in (("a", a, al, sa, bits), ("b", b, bl, sb, bits), ("c", c, cl, sc, acc(ct))):
        while len(f.words) % 8:
            f.words.append(0)
        at[key] = f.data(flat(mat, lay == "row", st, nb))
    regs = {("f16", 16): (8, 8), ("s8", 16): {(16, 16): (2, 2), (32, 8): (4, 1), (8, 32): (1, 4)}.get((m, n)),
            ("s4", 32): (1, 1), ("b1", 128): (1, 1), ("bf16", 16): {(16, 16): (4, 4), (32, 8): (8, 2), (8, 32): (2, 8)}.get((m, n)),
            ("tf32", 8): (4, 4), ("f64", 4): (1, 1)}
    ra, rb = regs[(ta.replace("u", "s"), k)]
    name = "m%dn%dk%d" % shape
    st_reg = f.reg(1)[0]
    ga, gb = f.reg(ra), f.reg(rb)
    nc = {"f16": 4, "f32": 8}.get(ct, 8 if k == 16 else 2)
    nd = {"f16": 4, "f32": 8}.get(dt, 8 if k == 16 else 2)
    gc = ["%%f%d" % i for i in range(nc)] if ct == "f32" else f.reg(nc)
    gd = ["%%f%d" % (32 + i) for i in range(nd)] if dt == "f32" else f.reg(nd)
    if ta == "f64":
        ga, gb, gc, gd = ["%g0"], ["%g1"], ["%g2", "%g3"], ["%g4", "%g5"]
    f.body += ["    mov.u32 %s, %d;" % (st_reg, sa),
               "    wmma.load.a.sync.aligned.%s.%s.global.%s %s, [%%in+%d], %s;" % (al, name, ta, braces(ga), at["a"], st_reg),
               "    wmma.load.b.sync.aligned.%s.%s.global.%s %s, [%%in+%d], %d;" % (bl, name, tb, braces(gb), at["b"], sb),
               "    wmma.load.c.sync.aligned.%s.%s.global.%s %s, [%%in+%d], %d;" % (cl, name, ct, braces(gc), at["c"], sc)]
    types = "%s.%s" % (dt, ct) if ta == "f16" else "%s.%s.%s.%s" % (dt, ta, tb, ct)
    how = ".xor.popc" if ta == "b1" else ""
    f.body.append("    wmma.mma%s.sync.aligned.%s.%s.%s.%s%s %s, %s, %s, %s;" % (
        how, al, bl, name, types, ".satfinite" if sat else "", braces(gd), braces(ga), braces(gb), braces(gc)))
    if space == "shared":  # through shared memory, and back as another layout's matrix
        f.body += ["    wmma.store.d.sync.aligned.%s.%s.shared.%s [tile], %s;" % (dl, name, dt, braces(gd)),
                   "    bar.sync 0;",
                   "    wmma.load.c.sync.aligned.%s.%s.shared.%s %s, [tile];" % (dl, name, dt, braces(gd)),
                   "    bar.sync 0;"]
    f.body.append("    wmma.store.d.sync.aligned.%s.%s.global.%s [%%out+%d], %s, %d;" % (dl, name, dt, f.out, braces(gd), sd))
    f.say(flat(d, dl == "row", sd, acc(dt)))


def wmma_half(r, gen, fraction):
    f = File("gen_wmma_%s" % gen, "wmma of halves: shapes, layouts, sums of both precisions", gen, 70)
    shapes = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
    n = 0
    for shape in shapes:
        for al, bl in (("row", "col"), ("col", "row"), ("row", "row"), ("col", "col")):
            dt, ct = (("f32", "f32"), ("f16", "f16"), ("f32", "f16"), ("f16", "f32"))[n % 4]
            cl, dl = ("row", "col")[n // 2 % 2], ("row", "col")[n // 3 % 2]
            wmma_case(f, r, shape, "f16", "f16", ct, dt, al, bl, cl, dl, fraction, n % 5 == 4, space="shared" if n % 3 == 0 else "global")
            n += 1
    f.write()


def wmma_product(generation, a, b, c, kind, ct, dt):
    if kind == "f64":
        return [[double_dot(c[i][j], a[i], [row[j] for row in b]) for j in range(8)] for i in range(8)]
    if ct == dt:
        return product_by(generation, a, b, c, (kind, kind), dt)
    widen = lambda h: rounded(half(h)[1], 8, 23) | (h & 0x8000) << 16 if half(h)[0] == "fin" else {"nan": NAN32}.get(half(h)[0], 0x7F800000 | (h & 0x8000) << 16)
    if dt == "f32":  # sums of halves are made of single precision first
        return product_by(generation, a, b, [[widen(v) for v in row] for row in c], (kind, kind), "f32")
    narrow = lambda v: {"fin": (to_half(single(v)[1]) or v >> 16 & 0x8000), "nan": NAN16, "inf": 0x7C00 | v >> 16 & 0x8000}[single(v)[0]]
    return [[narrow(v) for v in row] for row in product_by(generation, a, b, c, (kind, kind), "f32")]


def wmma_16(r, generation, targets):
    f = File("gen_wmma_%s" % generation, "wmma of halves, bfloat, tf32, doubles, as %s has them" % generation.capitalize(), targets, 80)
    f.body.append("    .reg .f64 %g<6>;")
    n = 0
    for kind, shape in [("f16", s) for s in ((16, 16, 16), (32, 8, 16), (8, 32, 16))] + [("bf16", s) for s in ((16, 16, 16), (32, 8, 16), (8, 32, 16))] + [("tf32", (16, 16, 8))] * 2 + [("f64", (8, 8, 4))] * 2:
        for al, bl in (("row", "col"), ("col", "row")):
            dt, ct = {"f64": ("f64", "f64"), "f16": (("f32", "f32"), ("f16", "f16"), ("f32", "f16"), ("f16", "f32"))[n % 4]}.get(kind, ("f32", "f32"))
            cl, dl = ("row", "col")[n // 2 % 2], ("row", "col")[n // 3 % 2]
            wmma_case(f, r, shape, kind, kind, ct, dt, al, bl, cl, dl, 0, n % 5 == 4, space="shared" if n % 3 == 0 and kind != "f64" else "global", generation=generation)
            n += 1
    f.write()


def wmma_int(r):
    f = File("gen_wmma_int", "wmma of bytes, 4-bit integers and bits", "volta turing")
    n = 0
    for shape in ((16, 16, 16), (32, 8, 16), (8, 32, 16)):
        for ta, tb, al, bl in (("s8", "s8", "row", "col"), ("u8", "u8", "col", "row")):
            wmma_case(f, r, shape, ta, tb, "s32", "s32", al, bl, ("row", "col")[n % 2], ("col", "row")[n % 2], 0, sat=n % 2)
            n += 1
    for ta, tb in (("s4", "s4"), ("u4", "u4")):
        wmma_case(f, r, (8, 8, 32), ta, tb, "s32", "s32", "row", "col", "row", "col", 0)
    wmma_case(f, r, (8, 8, 128), "b1", "b1", "s32", "s32", "row", "col", "col", "row", 0)
    f.write()


if __name__ == "__main__":
    mma_884(random.Random(884))
    mma_1688(random.Random(1688))
    mma_884_later(random.Random(885))
    mma_int(random.Random(8816))
    ldmatrix(random.Random(88))
    stmatrix(random.Random(87))
    wmma_half(random.Random(70), "volta", 23)
    wmma_half(random.Random(75), "turing", 24)
    wmma_int(random.Random(72))
    mma_16(random.Random(80), "ampere", "ampere ada", 80)
    mma_16(random.Random(89), "ada", "ada", 89)
    mma_16(random.Random(90), "hopper", "hopper", 80)
    mma_bytes_9(random.Random(9))
    mma_int_16(random.Random(16))
    mma_double(random.Random(64))
    wmma_16(random.Random(81), "ampere", "ampere ada")
    wmma_16(random.Random(91), "hopper", "hopper")
