#!/usr/bin/env python3
"""Writes the gen_*.ptx files of this folder: every PTX operation on a warp of awkward operands, with
results computed here by exact integers and fractions, independently of the simulator.

Run it after changing it; the files are in the repository so that tests need no Python."""
import os
import random
import struct
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
LANES = 32


# ---- numbers -----------------------------------------------------------------------------------
def bits_of(t):
    return int(t.lstrip("usbf"))


def to_signed(v, n):
    v &= (1 << n) - 1
    return v - (1 << n) if v >> (n - 1) else v


def val(t, v):
    n = bits_of(t)
    return to_signed(v, n) if t[0] == "s" else v & ((1 << n) - 1)


def cut(v, n):
    return v & ((1 << n) - 1)


FMT = {"f16": (11, -24, 15, 0x7FFF), "bf16": (8, -133, 127, 0x7FFF), "f32": (24, -149, 127, 0x7FFFFFFF), "f64": (53, -1074, 1023, 0xFFF8000000000000)}


class Num:
    """A float as (kind, sign, magnitude): kind fin, inf, nan."""

    def __init__(self, kind, sign=0, mag=Fraction(0)):
        self.kind, self.sign, self.mag = kind, sign, mag

    def signed(self):
        return -self.mag if self.sign else self.mag


def decode(t, u):
    p, least, bias, _ = FMT[t]
    n = bits_of(t)
    sign = u >> (n - 1)
    e = (u >> (p - 1)) & ((1 << (n - p)) - 1)
    m = u & ((1 << (p - 1)) - 1)
    if e == (1 << (n - p)) - 1:
        return Num("nan") if m else Num("inf", sign)
    if e == 0:
        return Num("fin", sign, Fraction(m) * Fraction(2) ** least)
    return Num("fin", sign, Fraction(m + (1 << (p - 1))) * Fraction(2) ** (least + e - 1))


def encode(t, num, rnd="rn", sticky=0):
    p, least, bias, nan = FMT[t]
    n = bits_of(t)
    inf = ((1 << (n - p)) - 1) << (p - 1)
    sign = num.sign << (n - 1)
    if num.kind == "nan":
        return nan
    if num.kind == "inf":
        return sign | inf
    a = num.mag
    if a == 0:
        return sign
    e = a.numerator.bit_length() - a.denominator.bit_length()
    if Fraction(2) ** e > a:
        e -= 1
    ulp = max(e - (p - 1), least)
    q = a / Fraction(2) ** ulp
    k = q.numerator // q.denominator
    rest = q - k
    up = False
    if rnd == "rn":
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and k & 1)
    elif rnd == "rp":
        up = rest > 0 and not num.sign
    elif rnd == "rm":
        up = rest > 0 and num.sign
    k += up
    if k >> p:
        k >>= 1
        ulp += 1
    if ulp > bias - (p - 1):
        to_max = rnd == "rz" or (rnd == "rm" and not num.sign) or (rnd == "rp" and num.sign)
        return sign | (inf - 1 if to_max else inf)
    if k < 1 << (p - 1):
        return sign | k
    return sign | ((ulp - least + 1) << (p - 1)) | (k & ((1 << (p - 1)) - 1))


def flush(t, u):
    p = FMT[t][0]
    n = bits_of(t)
    e = (u >> (p - 1)) & ((1 << (n - p)) - 1)
    return u if e else u & (1 << (n - 1))


def f_add(a, b, rnd):
    if "nan" in (a.kind, b.kind):
        return Num("nan")
    if a.kind == "inf" or b.kind == "inf":
        if a.kind == b.kind and a.sign != b.sign:
            return Num("nan")
        return a if a.kind == "inf" else b
    s = a.signed() + b.signed()
    if s == 0:
        sign = a.sign & b.sign if rnd != "rm" else a.sign | b.sign
        return Num("fin", sign)
    return Num("fin", int(s < 0), abs(s))


def f_mul(a, b):
    if "nan" in (a.kind, b.kind):
        return Num("nan")
    sign = a.sign ^ b.sign
    if "inf" in (a.kind, b.kind):
        if (a.kind == "fin" and a.mag == 0) or (b.kind == "fin" and b.mag == 0):
            return Num("nan")
        return Num("inf", sign)
    return Num("fin", sign, a.mag * b.mag)


def f_div(a, b):
    if "nan" in (a.kind, b.kind) or (a.kind == b.kind == "inf"):
        return Num("nan")
    sign = a.sign ^ b.sign
    if a.kind == "inf":
        return Num("inf", sign)
    if b.kind == "inf":
        return Num("fin", sign)
    if b.mag == 0:
        return Num("nan") if a.mag == 0 else Num("inf", sign)
    return Num("fin", sign, a.mag / b.mag)


def isqrt(n):
    import math
    return math.isqrt(n)


def f_sqrt(a):
    if a.kind == "nan" or (a.sign and not (a.kind == "fin" and a.mag == 0)):
        return Num("nan")
    if a.kind == "inf" or a.mag == 0:
        return a
    # Bits enough for the least subnormal's root, and a sticky part beyond them.
    scale = 1400
    v = a.mag * Fraction(4) ** scale
    r = isqrt(v.numerator // v.denominator)
    exact = r * r == v
    return Num("fin", 0, (Fraction(r) + (0 if exact else Fraction(1, 3))) / Fraction(2) ** scale)


def nan_out(t, u, sources):
    """f64 keeps the payload of the first NaN operand, quieted."""
    if t != "f64" or decode(t, u).kind != "nan":
        return u
    for s in sources:
        if decode(t, s).kind == "nan":
            return s | 1 << 51
    return u


# ---- operands ----------------------------------------------------------------------------------
rng = random.Random(2010)
EDGES = {
    8: [0, 1, 2, 0x7F, 0x80, 0x81, 0xFF, 0xFE, 0x55],
    16: [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0x8001, 0xFFFF, 0xFFFE, 15, 16, 17],
    32: [0, 1, 2, 31, 32, 33, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x55555555],
    64: [0, 1, 2, 63, 64, 65, 0xFFFFFFFF, 0x100000000, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, (1 << 64) - 1, (1 << 64) - 2],
}
FEDGES = {
    "f16": [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x3C01, 0x3BFF],
    "bf16": [0, 0x8000, 1, 0x8001, 0x7F, 0x80, 0x3F80, 0xBF80, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0, 0x3F81, 0x3F7F],
    "f32": [0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0x7F800000,
            0xFF800000, 0x7FC00000, 0x3F800001, 0x3F7FFFFF, 0x4F000000, 0xCF000001],
    "f64": [0, 1 << 63, 1, (1 << 63) | 1, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x3FF0000000000000, 0xBFF0000000000000,
            0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x3FF0000000000001,
            0x41DFFFFFFFC00000, 0xC1E0000000000000],
}


def operands(t, salt):
    n = bits_of(t)
    r = random.Random(salt)
    out = []
    for i in range(LANES):
        if t in FMT:
            if i < 20:
                out.append(r.choice(FEDGES[t]) if i % 3 else FEDGES[t][(i * 7 + salt) % len(FEDGES[t])])
            else:
                p, least, bias, _ = FMT[t]
                e = bias + r.randint(-6, 6)
                out.append(r.getrandbits(1) << (n - 1) | e << (p - 1) | r.getrandbits(p - 1))
        else:
            e = EDGES[n]
            out.append(e[(i * 5 + salt) % len(e)] if i < 16 else r.choice(e) if i < 22 else r.getrandbits(n))
    return out


# ---- files -------------------------------------------------------------------------------------
class File:
    """One kernel: inputs in arrays of one word or pair a lane, a block of code for each operation."""

    def __init__(self, name, prose, target="sm_20", version="3.0", targets=None):
        self.name, self.prose, self.target, self.version, self.targets = name, prose, target, version, targets
        self.body, self.inputs, self.expect, self.regs = [], [], [], {}
        self.at = 0  # bytes of input
        self.out = 0
        self.cache = {}

    def reg(self, kind):
        self.regs[kind] = self.regs.get(kind, 0) + 1
        return "%" + kind + str(self.regs[kind] - 1)

    def load(self, t, salt):
        """A register of type t with operands(t, salt), and those."""
        key = (t, salt)
        if key in self.cache:
            return self.cache[key]
        v = operands(t, salt)
        n = max(bits_of(t), 16) // 8
        self.at = (self.at + 7) // 8 * 8
        self.inputs.append((("u%d" % (8 * n)), [to_signed(x, bits_of(t)) & ((1 << 8 * n) - 1) if t[0] == "s" else x for x in v]))
        r = self.reg({16: "h", 32: "r", 64: "rd"}[max(bits_of(t), 16)] if t[0] != "f" and t != "bf16" else {"f16": "h", "bf16": "h", "f32": "f", "f64": "fd"}[t])
        suffix = {2: "u16", 4: "u32", 8: "u64"}[n] if t[0] != "f" and t != "bf16" else {"f16": "b16", "bf16": "b16", "f32": "f32", "f64": "f64"}[t]
        a = self.reg("a")
        self.body.append("    mad.lo.u64 %s, %%lane, %d, %%in;" % (a, n))
        self.body.append("    ld.global.%s %s, [%s+%d];" % (suffix, r, a, self.at))
        self.at += n * LANES
        self.cache[key] = (r, v)
        return r, v

    def dest(self, t):
        if t == "pred":
            return self.reg("p")
        return self.reg({"f16": "h", "bf16": "h", "f32": "f", "f64": "fd"}[t] if t in FMT else {8: "h", 16: "h", 32: "r", 64: "rd"}[bits_of(t)])

    def store(self, t, reg, values, note=""):
        """Stores reg of type t, expects values (bit patterns)."""
        n = 4 if t == "pred" else max(bits_of(t), 16) // 8
        if t == "pred":
            w = self.reg("r")
            self.body.append("    selp.u32 %s, 1, 0, %s;" % (w, reg))
            reg, t = w, "u32"
        self.out = (self.out + 7) // 8 * 8
        a = self.reg("a")
        suffix = {2: "b16", 4: "b32", 8: "b64"}[n] if t[0] != "f" else {"f16": "b16", "f32": "f32", "f64": "f64"}[t]
        first = self.out // n
        vs = " ".join("0x%x" % cut(int(v), 8 * n) for v in values)
        self.body.append("    mad.lo.u64 %s, %%lane, %d, %%out;" % (a, n))
        self.body.append("    st.global.%s [%s+%d], %s;" % (suffix, a, self.out, reg))
        self.body.append("    // expect out.u%d[%d..%d] = %s" % (8 * n, first, first + LANES - 1, vs))
        self.out += n * LANES
        assert self.out <= 65536, self.name

    def op(self, text, dt, sources, fn, store_as=None):
        """text with {d} and {0}.. for destination and sources, each (type, salt); fn of the values."""
        loaded = [self.load(t, s) for t, s in sources]
        d = self.dest(dt)
        self.body.append("    " + text.format(*[r for r, _ in loaded], d=d) + ";")
        self.store(store_as or dt, d, [fn(*[v[i] for _, v in loaded]) for i in range(LANES)])

    def write(self):
        kinds = {"h": "b16", "r": "b32", "rd": "b64", "a": "u64", "f": "f32", "fd": "f64", "p": "pred"}
        with open(os.path.join(HERE, "gen_" + self.name + ".ptx"), "w") as f:
            f.write("// %s\n// Written by generate.py.\n" % self.prose)
            if self.targets:
                f.write("// targets %s\n" % self.targets)
            at = 0
            for t, v in self.inputs:
                f.write("// in %s %s\n" % (t, " ".join("0x%x" % x for x in v)))
                pad = -(int(t[1:]) // 8 * len(v)) % 8
                assert pad == 0
            f.write(".version %s\n.target %s\n.address_size 64\n\n" % (self.version, self.target))
            f.write(".visible .entry %s(.param .u64 out, .param .u64 in) {\n" % self.name)
            for k, n in sorted(self.regs.items()):
                f.write("    .reg .%s %%%s<%d>;\n" % (kinds[k], k, n))
            f.write("    .reg .u64 %out, %in, %lane;\n    .reg .u32 %t;\n")
            f.write("    ld.param.u64 %out, [out];\n    ld.param.u64 %in, [in];\n")
            f.write("    mov.u32 %t, %tid.x;\n    cvt.u64.u32 %lane, %t;\n")
            f.write("\n".join(self.body))
            f.write("\n    ret;\n}\n")


INTS = ["u16", "s16", "u32", "s32", "u64", "s64"]


def integers():
    f = File("integer_add", "add, sub, mul, mad, sad, min, max, abs, neg of every integer type")
    for t in INTS:
        n = bits_of(t)
        a, b, c = (t, 1), (t, 2), (t, 3)
        f.op("add.%s {d}, {0}, {1}" % t, t, [a, b], lambda x, y: cut(x + y, n))
        f.op("sub.%s {d}, {0}, {1}" % t, t, [a, b], lambda x, y: cut(x - y, n))
        f.op("mul.lo.%s {d}, {0}, {1}" % t, t, [a, b], lambda x, y: cut(x * y, n))
        f.op("mul.hi.%s {d}, {0}, {1}" % t, t, [a, b], lambda x, y: cut(val(t, x) * val(t, y) >> n, n))
        f.op("mad.lo.%s {d}, {0}, {1}, {2}" % t, t, [a, b, c], lambda x, y, z: cut(x * y + z, n))
        f.op("mad.hi.%s {d}, {0}, {1}, {2}" % t, t, [a, b, c], lambda x, y, z: cut((val(t, x) * val(t, y) >> n) + z, n))
        if n < 64:
            w = t[0] + str(2 * n)
            f.op("mul.wide.%s {d}, {0}, {1}" % t, w, [a, b], lambda x, y: cut(val(t, x) * val(t, y), 2 * n))
            f.op("mad.wide.%s {d}, {0}, {1}, {2}" % t, w, [a, b, (w, 4)], lambda x, y, z: cut(val(t, x) * val(t, y) + z, 2 * n))
        f.op("sad.%s {d}, {0}, {1}, {2}" % t, t, [a, b, c], lambda x, y, z: cut(abs(val(t, x) - val(t, y)) + z, n))
        f.op("min.%s {d}, {0}, {1}" % t, t, [a, b], lambda x, y: cut(min(val(t, x), val(t, y)), n))
        f.op("max.%s {d}, {0}, {1}" % t, t, [a, b], lambda x, y: cut(max(val(t, x), val(t, y)), n))
        if t[0] == "s":
            f.op("abs.%s {d}, {0}" % t, t, [a], lambda x: cut(abs(val(t, x)), n))
            f.op("neg.%s {d}, {0}" % t, t, [a], lambda x: cut(-x, n))
    clamp = lambda v: max(-(1 << 31), min((1 << 31) - 1, v))
    s = ("s32", 1), ("s32", 2), ("s32", 3)
    f.op("add.sat.s32 {d}, {0}, {1}", "s32", s[:2], lambda x, y: cut(clamp(val("s32", x) + val("s32", y)), 32))
    f.op("sub.sat.s32 {d}, {0}, {1}", "s32", s[:2], lambda x, y: cut(clamp(val("s32", x) - val("s32", y)), 32))
    f.op("mad.hi.sat.s32 {d}, {0}, {1}, {2}", "s32", s, lambda x, y, z: cut(clamp((val("s32", x) * val("s32", y) >> 32) + val("s32", z)), 32))
    f.write()

    f = File("integer_divide", "div and rem; division by zero and the least number by -1")
    for t in INTS:
        n = bits_of(t)

        def quot(x, y):
            x, y = val(t, x), val(t, y)
            if y == 0:
                return cut(-1, n)
            q = abs(x) // abs(y)
            return cut(-q if (x < 0) != (y < 0) else q, n)

        def rem(x, y):
            x, y = val(t, x), val(t, y)
            if y == 0:
                return cut(x, n)
            r = abs(x) % abs(y)
            return cut(-r if x < 0 else r, n)

        f.op("div.%s {d}, {0}, {1}" % t, t, [(t, 1), (t, 2)], quot)
        f.op("rem.%s {d}, {0}, {1}" % t, t, [(t, 1), (t, 2)], rem)
        f.op("div.%s {d}, {0}, 7" % t, t, [(t, 1)], lambda x: quot(x, 7))
        f.op("rem.%s {d}, {0}, 8" % t, t, [(t, 1)], lambda x: rem(x, 8))
        f.op("div.%s {d}, {0}, 16" % t, t, [(t, 1)], lambda x: quot(x, 16))
    f.write()

    f = File("integer_24", "mul24 and mad24")
    for t in ("u32", "s32"):
        x24 = lambda v: to_signed(v, 24) if t == "s32" else v & 0xFFFFFF
        lo = lambda x, y: cut(x24(x) * x24(y), 32)
        hi = lambda x, y: cut(cut(x24(x) * x24(y), 48) >> 16, 32)
        a, b, c = (t, 1), (t, 2), (t, 3)
        f.op("mul24.lo.%s {d}, {0}, {1}" % t, t, [a, b], lo)
        f.op("mul24.hi.%s {d}, {0}, {1}" % t, t, [a, b], hi)
        f.op("mad24.lo.%s {d}, {0}, {1}, {2}" % t, t, [a, b, c], lambda x, y, z: cut(lo(x, y) + z, 32))
        f.op("mad24.hi.%s {d}, {0}, {1}, {2}" % t, t, [a, b, c], lambda x, y, z: cut(hi(x, y) + z, 32))
    f.op("mad24.hi.sat.s32 {d}, {0}, {1}, {2}", "s32", [("s32", 1), ("s32", 2), ("s32", 3)],
         lambda x, y, z: cut(clamp(to_signed(cut(to_signed(x, 24) * to_signed(y, 24), 48) >> 16, 32) + to_signed(z, 32)), 32))
    f.write()


def chains():
    f = File("carry", "add.cc, addc, sub.cc, subc, mad.cc, madc: sums and differences of 128 bits")
    x = [("u32", k) for k in (1, 2, 3, 4)]
    y = [("u32", k) for k in (5, 6, 7, 8)]
    lx, ly = [f.load(*k) for k in x], [f.load(*k) for k in y]

    def big(l, i):
        return sum(l[k][1][i] << (32 * k) for k in range(4))

    for name, fn in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b)):
        d = [f.dest("u32") for _ in range(4)]
        f.body.append("    %s.cc.u32 %s, %s, %s;" % (name, d[0], lx[0][0], ly[0][0]))
        for k in (1, 2):
            f.body.append("    %sc.cc.u32 %s, %s, %s;" % (name, d[k], lx[k][0], ly[k][0]))
        f.body.append("    %sc.u32 %s, %s, %s;" % (name, d[3], lx[3][0], ly[3][0]))
        for k in range(4):
            f.store("u32", d[k], [cut(cut(fn(big(lx, i), big(ly, i)), 128) >> (32 * k), 32) for i in range(LANES)])
    # 64 x 64 -> 128 by 32-bit pieces, as PTX ISA's example has it
    p = [f.dest("u32") for _ in range(4)]
    a, b = lx, ly
    f.body.append("    mul.lo.u32 %s, %s, %s;" % (p[0], a[0][0], b[0][0]))
    f.body.append("    mul.hi.u32 %s, %s, %s;" % (p[1], a[0][0], b[0][0]))
    f.body.append("    mad.lo.cc.u32 %s, %s, %s, %s;" % (p[1], a[0][0], b[1][0], p[1]))
    f.body.append("    madc.hi.u32 %s, %s, %s, 0;" % (p[2], a[0][0], b[1][0]))
    f.body.append("    mad.lo.cc.u32 %s, %s, %s, %s;" % (p[1], a[1][0], b[0][0], p[1]))
    f.body.append("    madc.hi.cc.u32 %s, %s, %s, %s;" % (p[2], a[1][0], b[0][0], p[2]))
    f.body.append("    addc.u32 %s, 0, 0;" % p[3])
    f.body.append("    mad.lo.cc.u32 %s, %s, %s, %s;" % (p[2], a[1][0], b[1][0], p[2]))
    f.body.append("    madc.hi.u32 %s, %s, %s, %s;" % (p[3], a[1][0], b[1][0], p[3]))
    for k in range(4):
        f.store("u32", p[k], [cut((a[0][1][i] | a[1][1][i] << 32) * (b[0][1][i] | b[1][1][i] << 32) >> (32 * k), 32) for i in range(LANES)])
    f.write()
    f = File("carry64", "carry chains of 64-bit words", "sm_20", "4.3")
    lx, ly = [f.load("u64", k) for k in (1, 2)], [f.load("u64", k) for k in (3, 4)]
    for name, fn in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b)):
        d = [f.dest("u64") for _ in range(3)]
        f.body.append("    %s.cc.u64 %s, %s, %s;" % (name, d[0], lx[0][0], ly[0][0]))
        f.body.append("    %sc.cc.u64 %s, %s, %s;" % (name, d[1], lx[1][0], ly[1][0]))
        f.body.append("    %sc.u64 %s, 0, 0;" % (name, d[2]))
        for k in range(3):
            f.store("u64", d[k], [cut(fn(lx[0][1][i] | lx[1][1][i] << 64, ly[0][1][i] | ly[1][1][i] << 64) >> (64 * k), 64) for i in range(LANES)])
    f.write()


def logic():
    f = File("logic", "and, or, xor, not, cnot, shl, shr of every width; predicates")
    for t in ("b16", "b32", "b64"):
        n = bits_of(t)
        a, b = (t, 1), (t, 2)
        f.op("and.%s {d}, {0}, {1}" % t, t, [a, b], lambda x, y: x & y)
        f.op("or.%s {d}, {0}, {1}" % t, t, [a, b], lambda x, y: x | y)
        f.op("xor.%s {d}, {0}, {1}" % t, t, [a, b], lambda x, y: x ^ y)
        f.op("not.%s {d}, {0}" % t, t, [a], lambda x: cut(~x, n))
        f.op("cnot.%s {d}, {0}" % t, t, [a], lambda x: int(x == 0))
        f.op("and.%s {d}, {0}, 0x%x" % (t, 0x5A5A), t, [a], lambda x: x & 0x5A5A)
        f.op("shl.%s {d}, {0}, {1}" % t, t, [a, ("u32", 7)], lambda x, y: cut(x << min(y, 64), n))
        for s in "us":
            st = s + str(n)
            f.op("shr.%s {d}, {0}, {1}" % st, t, [a, ("u32", 7)], lambda x, y: cut(val(st, x) >> min(y, 64), n))
        f.op("shr.%s {d}, {0}, 3" % t, t, [a], lambda x: x >> 3)
        f.op("shl.%s {d}, {0}, 5" % t, t, [a], lambda x: cut(x << 5, n))
    p, q = f.reg("p"), f.reg("p")
    (ra, va), (rb, vb) = f.load("s32", 1), f.load("s32", 2)
    f.body.append("    setp.lt.s32 %s, %s, 0;" % (p, ra))
    f.body.append("    setp.gt.s32 %s, %s, 5;" % (q, rb))
    P = [val("s32", x) < 0 for x in va]
    Q = [val("s32", x) > 5 for x in vb]
    for name, fn in (("and", lambda x, y: x and y), ("or", lambda x, y: x or y), ("xor", lambda x, y: x != y)):
        d = f.reg("p")
        f.body.append("    %s.pred %s, %s, %s;" % (name, d, p, q))
        f.store("pred", d, [fn(P[i], Q[i]) for i in range(LANES)])
    d = f.reg("p")
    f.body.append("    not.pred %s, %s;" % (d, p))
    f.store("pred", d, [not x for x in P])
    d = f.reg("p")
    f.body.append("    mov.pred %s, %s;" % (d, q))
    f.store("pred", d, Q)
    f.write()

    f = File("logic3", "lop3, shf, prmt, bfe, bfi, bmsk, szext, dp4a, dp2a", "sm_70", "7.6")
    a, b, c = ("b32", 1), ("b32", 2), ("b32", 3)

    def lop3(lut):
        def g(x, y, z):
            r = 0
            for k in range(32):
                r |= (lut >> ((x >> k & 1) * 4 + (y >> k & 1) * 2 + (z >> k & 1)) & 1) << k
            return r
        return g
    for lut in (0x80, 0x96, 0xE8, 0xCA, 0x1E, 0xFE, 0x3C, 0x6A):
        f.op("lop3.b32 {d}, {0}, {1}, {2}, 0x%x" % lut, "b32", [a, b, c], lop3(lut))
    for d in "lr":
        for mode in ("clamp", "wrap"):
            def shf(x, y, n):
                n = n & 31 if mode == "wrap" else min(n, 32)
                v = x | y << 32
                return cut(v << n >> 32, 32) if d == "l" else cut(v >> n, 32)
            f.op("shf.%s.%s.b32 {d}, {0}, {1}, {2}" % (d, mode), "b32", [a, b, c], shf)

    def prmt(sel):
        return lambda x, y, z: sum(sel(x | y << 32, z, k) << (8 * k) for k in range(4))
    byte = lambda v, k: v >> (8 * k) & 255

    def index(v, z, k):
        s = z >> (4 * k) & 15
        r = byte(v, s & 7)
        return (255 if r & 128 else 0) if s & 8 else r
    f.op("prmt.b32 {d}, {0}, {1}, {2}", "b32", [a, b, c], prmt(index))
    modes = {"f4e": lambda s, k: s + k, "b4e": lambda s, k: (s - k) & 7, "rc8": lambda s, k: s,
             "ecl": lambda s, k: max(s, k), "ecr": lambda s, k: min(s, k), "rc16": lambda s, k: (k & 1) + 2 * (s & 1)}
    for m, g in modes.items():
        f.op("prmt.b32.%s {d}, {0}, {1}, {2}" % m, "b32", [a, b, c], prmt(lambda v, z, k: byte(v, g(z & 3, k))))

    def bfe(t):
        n = bits_of(t)

        def g(x, p, l):
            p, l = p & 255, l & 255
            fill = x >> min(p + l - 1, n - 1) & 1 if t[0] == "s" and l else 0
            return sum(((x >> (p + k) & 1) if k < l and p + k < n else fill) << k for k in range(n))
        return g
    small = ("u32", 9)
    for t in ("u32", "s32", "u64", "s64"):
        f.op("bfe.%s {d}, {0}, {1}, {2}" % t, t, [(t, 1), ("u32", 7), small], bfe(t))
        f.op("bfe.%s {d}, {0}, 4, 9" % t, t, [(t, 1)], lambda x: bfe(t)(x, 4, 9))
    for t in ("b32", "b64"):
        n = bits_of(t)

        def bfi(x, y, p, l):
            p, l = p & 255, l & 255
            for k in range(l):
                if p + k < n:
                    y = (y & ~(1 << (p + k))) | (x >> k & 1) << (p + k)
            return y
        f.op("bfi.%s {d}, {0}, {1}, {2}, {3}" % t, t, [(t, 1), (t, 2), ("u32", 7), small], bfi)
        f.op("bfi.%s {d}, {0}, {1}, 8, 12" % t, t, [(t, 1), (t, 2)], lambda x, y: bfi(x, y, 8, 12))
    for mode in ("clamp", "wrap"):
        w = lambda v: v & 31 if mode == "wrap" else min(v, 32)
        f.op("bmsk.%s.b32 {d}, {0}, {1}" % mode, "b32", [("u32", 7), small], lambda x, y: cut(((1 << w(y)) - 1) << w(x), 32))
        for t in ("u32", "s32"):
            def szext(x, y):
                n = w(y)
                if n == 0:
                    return 0
                v = x & ((1 << n) - 1)
                return cut(v - (1 << n) if t == "s32" and v >> (n - 1) else v, 32)
            f.op("szext.%s.%s {d}, {0}, {1}" % (mode, t), t, [a, small], szext)
    for ta in ("u32", "s32"):
        for tb in ("u32", "s32"):
            part = lambda t, v, k, n: to_signed(v >> (n * k), n) if t == "s32" else v >> (n * k) & ((1 << n) - 1)
            f.op("dp4a.%s.%s {d}, {0}, {1}, {2}" % (ta, tb), "s32", [a, b, c],
                 lambda x, y, z: cut(z + sum(part(ta, x, k, 8) * part(tb, y, k, 8) for k in range(4)), 32))
            for h in ("lo", "hi"):
                o = 2 if h == "hi" else 0
                f.op("dp2a.%s.%s.%s {d}, {0}, {1}, {2}" % (h, ta, tb), "s32", [a, b, c],
                     lambda x, y, z: cut(z + sum(part(ta, x, k, 16) * part(tb, y, k + o, 8) for k in range(2)), 32))
    f.write()

    f = File("bits", "popc, clz, bfind, brev, fns", "sm_30", "6.0")
    for t in ("b32", "b64"):
        n = bits_of(t)
        f.op("popc.%s {d}, {0}" % t, "u32", [(t, 1)], lambda x: bin(x).count("1"))
        f.op("clz.%s {d}, {0}" % t, "u32", [(t, 1)], lambda x: n - x.bit_length())
        f.op("brev.%s {d}, {0}" % t, t, [(t, 1)], lambda x: int(format(x, "0%db" % n)[::-1], 2))
    for t in ("u32", "s32", "u64", "s64"):
        n = bits_of(t)

        def bfind(x):
            v = cut(~x, n) if t[0] == "s" and x >> (n - 1) else x
            return v.bit_length() - 1 if v else 0xFFFFFFFF
        f.op("bfind.%s {d}, {0}" % t, "u32", [(t, 1)], bfind)
        f.op("bfind.shiftamt.%s {d}, {0}" % t, "u32", [(t, 1)], lambda x: n - 1 - bfind(x) if bfind(x) < n else 0xFFFFFFFF)

    def fns(m, base, off):
        base &= 31
        off = to_signed(off, 32)
        if off == 0:
            return base if m >> base & 1 else 0xFFFFFFFF
        k, left = base, abs(off)
        while 0 <= k < 32:
            if m >> k & 1:
                left -= 1
                if left == 0:
                    return k
            k += 1 if off > 0 else -1
        return 0xFFFFFFFF
    rb, vb = f.load("b32", 2)
    ro, vo = f.load("u32", 7)
    base, off = f.dest("u32"), f.dest("u32")
    f.body.append("    and.b32 %s, %s, 31;" % (base, rb))
    f.body.append("    sub.s32 %s, %s, 12;" % (off, ro))
    rm, vm = f.load("b32", 1)
    d = f.dest("u32")
    f.body.append("    fns.b32 %s, %s, %s, %s;" % (d, rm, base, off))
    f.store("u32", d, [fns(vm[i], vb[i] & 31, cut(vo[i] - 12, 32)) for i in range(LANES)])
    f.write()


ICMP = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y,
        "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}


def fcmp(name, a, b):
    un = "nan" in (a.kind, b.kind)
    if name in ("num", "nan"):
        return un == (name == "nan")
    if un:
        return name.endswith("u") and name != "neu" or name == "neu"
    big = Fraction(2) ** 5000
    va = a.signed() if a.kind == "fin" else -big if a.sign else big
    vb = b.signed() if b.kind == "fin" else -big if b.sign else big
    return ICMP[name[:2]](va, vb)


def compares():
    f = File("setp_int", "setp and set of integers, all comparisons and types, boolean operators")
    for t in ("u16", "s16", "u32", "s32", "u64", "s64", "b32"):
        n = bits_of(t)
        names = ["eq", "ne"] if t[0] == "b" else list(ICMP)
        for c in names:
            f.op("setp.%s.%s {d}, {0}, {1}" % (c, t), "pred", [(t, 1), (t, 2)], lambda x, y: ICMP[c](val(t, x), val(t, y)))
    for c, g in (("lo", "lt"), ("ls", "le"), ("hi", "gt"), ("hs", "ge")):
        f.op("setp.%s.u32 {d}, {0}, {1}" % c, "pred", [("u32", 1), ("u32", 2)], lambda x, y: ICMP[g](x, y))
    for c in ("lt", "ne"):
        f.op("set.%s.u32.s32 {d}, {0}, {1}" % c, "u32", [("s32", 1), ("s32", 2)], lambda x, y: 0xFFFFFFFF if ICMP[c](val("s32", x), val("s32", y)) else 0)
        f.op("set.%s.f32.u64 {d}, {0}, {1}" % c, "f32", [("u64", 1), ("u64", 2)], lambda x, y: 0x3F800000 if ICMP[c](x, y) else 0)
    (ra, va), (rb, vb) = f.load("s32", 1), f.load("s32", 2)
    c = f.reg("p")
    f.body.append("    setp.gt.s32 %s, %s, 1;" % (c, ra))
    C = [val("s32", x) > 1 for x in va]
    for name, fn in (("and", lambda x, y: x and y), ("or", lambda x, y: x or y), ("xor", lambda x, y: x != y)):
        for neg in ("", "!"):
            p, q = f.reg("p"), f.reg("p")
            f.body.append("    setp.le.%s.s32 %s|%s, %s, %s, %s%s;" % (name, p, q, ra, rb, neg, c))
            T = [val("s32", x) <= val("s32", y) for x, y in zip(va, vb)]
            D = [x != bool(neg) for x in C]
            f.store("pred", p, [fn(T[i], D[i]) for i in range(LANES)])
            f.store("pred", q, [fn(not T[i], D[i]) for i in range(LANES)])
    for t in ("b16", "b32", "b64", "f32", "f64"):
        (rx, vx), (ry, vy) = f.load(t, 3), f.load(t, 4)
        d = f.dest(t)
        f.body.append("    selp.%s %s, %s, %s, %s;" % (t, d, rx, ry, c))
        f.store(t, d, [vx[i] if C[i] else vy[i] for i in range(LANES)])
        if t == "b16":
            continue
        for ct in ("s32", "f32"):
            rc, vc = f.load(ct, 5)
            d = f.dest(t)
            f.body.append("    slct.%s.%s %s, %s, %s, %s;" % (t, ct, d, rx, ry, rc))

            def ge(v):
                if ct == "s32":
                    return val("s32", v) >= 0
                x = decode("f32", v)
                return x.kind != "nan" and (not x.sign or (x.kind == "fin" and x.mag == 0))
            f.store(t, d, [vx[i] if ge(vc[i]) else vy[i] for i in range(LANES)])
    f.write()

    f = File("setp_float", "setp and set of floats: ordered, unordered, num, nan, ftz; testp, copysign")
    names = list(ICMP) + [k + "u" for k in ICMP] + ["num", "nan"]
    for t in ("f32", "f64"):
        for c in names:
            f.op("setp.%s.%s {d}, {0}, {1}" % (c, t), "pred", [(t, 1), (t, 2)], lambda x, y: fcmp(c, decode(t, x), decode(t, y)))
        for c in ("lt", "neu"):
            f.op("set.%s.u32.%s {d}, {0}, {1}" % (c, t), "u32", [(t, 1), (t, 2)], lambda x, y: 0xFFFFFFFF if fcmp(c, decode(t, x), decode(t, y)) else 0)
            f.op("set.%s.f32.%s {d}, {0}, {1}" % (c, t), "f32", [(t, 1), (t, 2)], lambda x, y: 0x3F800000 if fcmp(c, decode(t, x), decode(t, y)) else 0)
        n = bits_of(t)
        f.op("copysign.%s {d}, {0}, {1}" % t, t, [(t, 1), (t, 2)], lambda x, y: (y & ((1 << (n - 1)) - 1)) | (x >> (n - 1)) << (n - 1))
        p, least, bias, _ = FMT[t]
        sub = lambda v: v.kind == "fin" and 0 < v.mag < Fraction(2) ** (least + p - 1)
        tests = {"finite": lambda v: v.kind == "fin", "infinite": lambda v: v.kind == "inf", "number": lambda v: v.kind != "nan",
                 "notanumber": lambda v: v.kind == "nan", "normal": lambda v: v.kind == "fin" and not sub(v), "subnormal": sub}
        for k, g in tests.items():
            f.op("testp.%s.%s {d}, {0}" % (k, t), "pred", [(t, 1)], lambda x: g(decode(t, x)))
    for c in ("eq", "lt", "geu"):
        f.op("setp.%s.ftz.f32 {d}, {0}, {1}" % c, "pred", [("f32", 1), ("f32", 2)],
             lambda x, y: fcmp(c, decode("f32", flush("f32", x)), decode("f32", flush("f32", y))))
    f.write()


def floats():
    for t in ("f32", "f64"):
        f = File("arith_" + t, "add, sub, mul, fma, div, rcp, sqrt of %s in every rounding; ftz, sat" % t)
        for rnd in ("rn", "rz", "rm", "rp"):
            for mod in ([""] if t == "f64" else ["", ".ftz"]) if rnd != "rn" else ([""] if t == "f64" else ["", ".ftz", ".sat", ".ftz.sat"]):
                src = (lambda u: flush(t, u)) if ".ftz" in mod else (lambda u: u)

                def fin(num, sources):
                    u = nan_out(t, encode(t, num, rnd), sources)
                    if ".ftz" in mod:
                        u = flush(t, u)
                    if ".sat" in mod:
                        v = decode(t, u)
                        u = 0 if v.kind == "nan" or v.sign else encode(t, Num("fin", 0, Fraction(1))) if v.kind == "inf" or v.mag > 1 else u
                    return u
                D = lambda u: decode(t, src(u))
                neg = lambda v: Num(v.kind, v.sign ^ 1, v.mag) if v.kind != "nan" else v
                nb = lambda y: y ^ 1 << (bits_of(t) - 1)
                a, b, c = (t, 1), (t, 2), (t, 3)
                f.op("add.%s%s.%s {d}, {0}, {1}" % (rnd, mod, t), t, [a, b], lambda x, y: fin(f_add(D(x), D(y), rnd), [x, y]))
                f.op("sub.%s%s.%s {d}, {0}, {1}" % (rnd, mod, t), t, [a, b], lambda x, y: fin(f_add(D(x), neg(D(y)), rnd), [x, nb(y)]))
                f.op("mul.%s%s.%s {d}, {0}, {1}" % (rnd, mod, t), t, [a, b], lambda x, y: fin(f_mul(D(x), D(y)), [x, y]))
                f.op("fma.%s%s.%s {d}, {0}, {1}, {2}" % (rnd, mod, t), t, [a, b, c], lambda x, y, z: fin(f_add(f_mul(D(x), D(y)), D(z), rnd), [x, y, z]))
                if ".sat" in mod:
                    continue
                f.op("div.%s%s.%s {d}, {0}, {1}" % (rnd, mod, t), t, [a, b], lambda x, y: fin(f_div(D(x), D(y)), [x, y]))
                one = Num("fin", 0, Fraction(1))
                f.op("rcp.%s%s.%s {d}, {0}" % (rnd, mod, t), t, [a], lambda x: fin(f_div(one, D(x)), [x]))
                f.op("sqrt.%s%s.%s {d}, {0}" % (rnd, mod, t), t, [a], lambda x: fin(f_sqrt(D(x)), [x]))
        for name, most in (("min", False), ("max", True)):
            def mm(x, y):
                u, v = decode(t, x), decode(t, y)
                if u.kind == "nan" and v.kind == "nan":
                    return FMT[t][3]
                if u.kind == "nan":
                    return y
                if v.kind == "nan":
                    return x
                big = Fraction(2) ** 5000
                key = lambda q: ((q.signed() if q.kind == "fin" else -big if q.sign else big), -q.sign)
                return (x if key(u) > key(v) else y) if most else (x if key(u) < key(v) else y)
            f.op("%s.%s {d}, {0}, {1}" % (name, t), t, [(t, 1), (t, 2)], mm)
            if t == "f32":
                f.op("%s.ftz.f32 {d}, {0}, {1}" % name, t, [(t, 1), (t, 2)], lambda x, y: mm(flush(t, x), flush(t, y)))
        n = bits_of(t)
        f.op("abs.%s {d}, {0}" % t, t, [(t, 1)], lambda x: x & ~(1 << (n - 1)))
        f.op("neg.%s {d}, {0}" % t, t, [(t, 1)], lambda x: x ^ 1 << (n - 1))
        f.write()


def halves():
    f = File("half", "f16 and f16x2 arithmetic, comparison, abs, neg", "sm_53", "6.5", None)
    t = "f16"
    D = lambda u: decode(t, u)
    neg = lambda v: Num(v.kind, v.sign ^ 1, v.mag) if v.kind != "nan" else v
    a, b, c = (t, 1), (t, 2), (t, 3)
    for mod in ("", ".ftz", ".sat"):
        src = (lambda u: flush(t, u)) if ".ftz" in mod else (lambda u: u)

        def fin(num):
            u = encode(t, num)
            if ".ftz" in mod:
                u = flush(t, u)
            if ".sat" in mod:
                v = decode(t, u)
                u = 0 if v.kind == "nan" or v.sign else 0x3C00 if v.kind == "inf" or v.mag > 1 else u
            return u
        E = lambda u: D(src(u))
        f.op("add%s.f16 {d}, {0}, {1}" % mod, t, [a, b], lambda x, y: fin(f_add(E(x), E(y), "rn")))
        f.op("sub%s.f16 {d}, {0}, {1}" % mod, t, [a, b], lambda x, y: fin(f_add(E(x), neg(E(y)), "rn")))
        f.op("mul%s.f16 {d}, {0}, {1}" % mod, t, [a, b], lambda x, y: fin(f_mul(E(x), E(y))))
        f.op("fma.rn%s.f16 {d}, {0}, {1}, {2}" % mod, t, [a, b, c], lambda x, y, z: fin(f_add(f_mul(E(x), E(y)), E(z), "rn")))
        two = lambda g: (lambda *v: g(*[x & 0xFFFF for x in v]) | g(*[x >> 16 for x in v]) << 16)
        A, B, C = ("b32", 11), ("b32", 12), ("b32", 13)
        f.op("add%s.f16x2 {d}, {0}, {1}" % mod, "b32", [A, B], two(lambda x, y: fin(f_add(E(x), E(y), "rn"))))
        f.op("mul%s.f16x2 {d}, {0}, {1}" % mod, "b32", [A, B], two(lambda x, y: fin(f_mul(E(x), E(y)))))
        f.op("fma.rn%s.f16x2 {d}, {0}, {1}, {2}" % mod, "b32", [A, B, C], two(lambda x, y, z: fin(f_add(f_mul(E(x), E(y)), E(z), "rn"))))
    f.op("neg.f16 {d}, {0}", t, [a], lambda x: x ^ 0x8000)
    f.op("abs.f16 {d}, {0}", t, [a], lambda x: x & 0x7FFF)
    for k in ("eq", "lt", "geu", "nan"):
        f.op("setp.%s.f16 {d}, {0}, {1}" % k, "pred", [a, b], lambda x, y: fcmp(k, D(x), D(y)))
        f.op("set.%s.u16.f16 {d}, {0}, {1}" % k, "u16", [a, b], lambda x, y: 0xFFFF if fcmp(k, D(x), D(y)) else 0)
    f.write()


def contractions():
    """Products and sums that name no rounding: which are fused, as ptxas 11.8 to 13.0 fuse them."""
    for t, target, version, targets in (("f32", "sm_20", "3.0", None), ("f64", "sm_20", "3.0", None),
                                        ("f16", "sm_53", "6.5", "pascal volta turing"),
                                        ("bf16", "sm_90", "7.8", "volta turing")):
        f = File("contract_" + t, "products and sums of %s that name no rounding" % t, target, version, targets)
        sign = 1 << bits_of(t) - 1
        a, b, c, e = (t, 1), (t, 2), (t, 3), (t, 4)

        def total(values, sources):
            return nan_out(t, encode(t, values), sources)
        mul = lambda x, y: total(f_mul(decode(t, x), decode(t, y)), [x, y])
        add = lambda x, y: total(f_add(decode(t, x), decode(t, y), "rn"), [x, y])
        neg = lambda x: x ^ sign
        mag = lambda x: x & ~sign
        fma = lambda x, y, z: total(f_add(f_mul(decode(t, x), decode(t, y)), decode(t, z), "rn"), [x, y, z])

        def case(text, sources, *fns):
            """Statements over {0}.. into {d0}.., with {t0}.. between; `#` is the type."""
            loaded = [f.load(k, s) for k, s in sources]
            temps = {"t%d" % i: f.dest(t) for i in range(4)}
            dests = {"d%d" % i: f.dest(t) for i in range(len(fns))}
            label = "L%d" % len(f.body)
            kind = "b%d" % bits_of(t)
            f.body.append("    " + text.replace("#", t).replace("$", kind).format(*[r for r, _ in loaded], L=label, p="%some", **temps, **dests))
            for i, g in enumerate(fns):
                f.store(t, dests["d%d" % i], [g(*[v[k] for _, v in loaded]) if g.__code__.co_argcount == len(loaded)
                                              else g(k, *[v[k] for _, v in loaded]) for k in range(LANES)])
        f.body.append("    .reg .pred %some; setp.lt.u32 %some, %t, 16;")
        case("mul.# {t0}, {0}, {1}; add.# {d0}, {t0}, {2};", [a, b, c], fma)
        case("mul.# {t0}, {0}, {1}; add.# {d0}, {2}, {t0};", [a, b, c], fma)
        case("mul.# {t0}, {0}, {1}; sub.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: fma(x, y, neg(z)))
        case("mul.# {t0}, {0}, {1}; sub.# {d0}, {2}, {t0};", [a, b, c], lambda x, y, z: fma(neg(x), y, z))
        case("mul.# {t0}, {0}, {0}; add.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: fma(x, x, z))
        # a rounding that is named
        case("mul.rn.# {t0}, {0}, {1}; add.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: add(mul(x, y), z))
        case("mul.# {t0}, {0}, {1}; add.rn.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: add(mul(x, y), z))
        case("mul.# {t0}, {0}, {1}; sub.rn.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: add(mul(x, y), neg(z)))
        # several readers
        case("mul.# {t0}, {0}, {1}; add.# {d0}, {t0}, {2}; sub.# {d1}, {3}, {t0};", [a, b, c, e],
             lambda x, y, z, w: fma(x, y, z), lambda x, y, z, w: fma(neg(x), y, w))
        case("mul.# {t0}, {0}, {1}; add.# {d0}, {t0}, {2}; mov.$ {d1}, {t0};", [a, b, c],
             lambda x, y, z: add(mul(x, y), z), lambda x, y, z: mul(x, y))
        case("mul.# {t0}, {0}, {1}; add.# {d0}, {t0}, {2}; mul.# {d1}, {t0}, {2};", [a, b, c],
             lambda x, y, z: add(mul(x, y), z), lambda x, y, z: mul(mul(x, y), z))
        case("mul.# {t0}, {0}, {1}; add.# {d0}, {t0}, {2}; add.rn.# {d1}, {t0}, {0};", [a, b, c],
             lambda x, y, z: add(mul(x, y), z), lambda x, y, z: add(mul(x, y), x))
        case("mul.# {t0}, {0}, {1}; add.# {d0}, {t0}, {t0};", [a, b, c], lambda x, y, z: add(mul(x, y), mul(x, y)))
        # two products
        case("mul.# {t0}, {0}, {1}; mul.# {t1}, {2}, {3}; add.# {d0}, {t0}, {t1};", [a, b, c, e],
             lambda x, y, z, w: fma(x, y, mul(z, w)))
        case("mul.# {t0}, {0}, {1}; mul.# {t1}, {2}, {3}; sub.# {d0}, {t1}, {t0};", [a, b, c, e],
             lambda x, y, z, w: fma(z, w, neg(mul(x, y))))
        case("mul.# {t0}, {0}, {1}; mul.# {t1}, {2}, {3}; add.# {d0}, {t0}, {t1}; add.# {d1}, {t0}, {2};", [a, b, c, e],
             lambda x, y, z, w: fma(z, w, mul(x, y)), lambda x, y, z, w: add(mul(x, y), z))
        case("mul.# {t0}, {0}, {1}; mul.# {t1}, {2}, {3}; add.# {d0}, {t0}, {t1}; sub.# {d1}, {t1}, {t0};", [a, b, c, e],
             lambda x, y, z, w: fma(x, y, mul(z, w)), lambda x, y, z, w: fma(neg(x), y, mul(z, w)))
        case("mul.# {t0}, {0}, {1}; mul.# {t1}, {2}, {3}; add.# {d0}, {t0}, {t1}; mov.$ {d1}, {t0};", [a, b, c, e],
             lambda x, y, z, w: fma(z, w, mul(x, y)), lambda x, y, z, w: mul(x, y))
        # chains, and registers that are written again
        case("mul.# {t0}, {0}, {1}; add.# {t1}, {t0}, {2}; mul.# {t2}, {t1}, {3}; add.# {d0}, {t2}, {0};", [a, b, c, e],
             lambda x, y, z, w: fma(fma(x, y, z), w, x))
        case("mov.$ {t0}, {0}; mul.# {t1}, {t0}, {1}; add.# {t0}, {t0}, {2}; add.# {d0}, {t1}, {2}; mov.$ {d1}, {t0};", [a, b, c],
             fma, lambda x, y, z: add(x, z))
        case("mov.$ {t0}, {0}; mul.# {t0}, {t0}, {1}; add.# {t0}, {t0}, {2}; mov.$ {d0}, {t0};", [a, b, c], fma)
        # guards and blocks
        case("mov.$ {d0}, {2}; mul.# {t0}, {0}, {1}; @{p} add.# {d0}, {t0}, {2};", [a, b, c],
             lambda k, x, y, z: fma(x, y, z) if k < 16 else z)
        case("mov.$ {t0}, {2}; @{p} mul.# {t0}, {0}, {1}; add.# {d0}, {t0}, {2};", [a, b, c],
             lambda k, x, y, z: add(mul(x, y), z) if k < 16 else add(z, z))
        case("mul.# {t0}, {0}, {1}; mov.$ {d0}, {2}; @{p} bra {L}; add.# {d0}, {t0}, {2}; membar.gl; {L}:", [a, b, c],
             lambda k, x, y, z: z if k < 16 else add(mul(x, y), z))
        if t != "bf16":
            case("mul.# {t0}, {0}, {1}; neg.# {t1}, {t0}; add.# {d0}, {t1}, {2};", [a, b, c], lambda x, y, z: fma(neg(x), y, z))
        case("mul.# {t0}, {0}, {1}; abs.# {t1}, {t0}; add.# {d0}, {t1}, {2};", [a, b, c], lambda x, y, z: add(mag(mul(x, y)), z))
        case("abs.# {t1}, {0}; mul.# {t0}, {t1}, {1}; add.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: fma(mag(x), y, z))
        if t in ("f32", "f64"):
            k, m = ((0x3FB33333, 0x3F333334) if t == "f32" else (0x3FF6666666666667, 0x3FE6666666666667))
            w = ("0f%08X" if t == "f32" else "0d%016X")
            case("mul.# {t0}, {0}, %s; add.# {d0}, {t0}, %s;" % (w % k, w % m), [a, b, c], lambda x, y, z: fma(x, k, m))
            case("mul.# {t0}, {0}, %s; sub.# {d0}, %s, {t0};" % (w % k, w % m), [a, b, c], lambda x, y, z: fma(neg(x), k, m))
            case("mul.# {t0}, {0}, %s; add.# {d0}, {t0}, {1};" % (w % k), [a, b, c], lambda x, y, z: fma(x, k, y))
            case("mul.# {t0}, {0}, {1}; add.# {d0}, {t0}, %s;" % (w % m), [a, b, c], lambda x, y, z: fma(x, y, m))
        if t in ("f32", "f16"):
            one = 0x3F800000 if t == "f32" else 0x3C00
            def sat(u):
                v = decode(t, u)
                return 0 if v.kind == "nan" or v.sign else one if v.kind == "inf" or v.mag > 1 else u
            fl = lambda u: flush(t, u)
            case("mul.# {t0}, {0}, {1}; add.sat.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: sat(fma(x, y, z)))
            case("mul.sat.# {t0}, {0}, {1}; add.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: add(sat(mul(x, y)), z))
            case("mul.ftz.# {t0}, {0}, {1}; add.ftz.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: fl(fma(fl(x), fl(y), fl(z))))
            case("mul.ftz.# {t0}, {0}, {1}; add.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: add(fl(mul(fl(x), fl(y))), z))
            case("mul.# {t0}, {0}, {1}; add.ftz.# {d0}, {t0}, {2};", [a, b, c], lambda x, y, z: fl(add(fl(mul(x, y)), fl(z))))
        if t in ("f16", "bf16"):
            A, B, C = ("b32", 11), ("b32", 12), ("b32", 13)
            two = lambda g: (lambda *v: g(*[x & 0xFFFF for x in v]) | g(*[x >> 16 for x in v]) << 16)
            h, pair = f.reg("r"), t + "x2"
            f.op("mul.%s %s, {0}, {1}; add.%s {d}, %s, {2}" % (pair, h, pair, h), "b32", [A, B, C], two(fma))
            f.op("mul.%s %s, {0}, {1}; sub.%s {d}, {2}, %s" % (pair, h, pair, h), "b32", [A, B, C], two(lambda x, y, z: fma(neg(x), y, z)))
            f.op("mul.rn.%s %s, {0}, {1}; add.%s {d}, %s, {2}" % (pair, h, pair, h), "b32", [A, B, C], two(lambda x, y, z: add(mul(x, y), z)))
        f.write()


def contractions_old():
    """Compute capability 1.x: a fused product is cut off to 24 bits, and subnormals are flushed."""
    t = "f32"
    f = File("contract_old", "products and sums of modules for compute capability 1.x", "sm_13", "1.4")
    a, b, c = (t, 1), (t, 2), (t, 3)
    D = lambda u: decode(t, flush(t, u))
    neg = lambda v: Num(v.kind, v.sign ^ 1, v.mag) if v.kind != "nan" else v
    fin = lambda num: flush(t, encode(t, num))

    def cut_off(v):
        if v.kind != "fin" or v.mag == 0:
            return v
        e = v.mag.numerator.bit_length() - v.mag.denominator.bit_length()
        ulp = Fraction(2) ** (e - 23 if Fraction(2) ** e <= v.mag else e - 24)
        return Num("fin", v.sign, v.mag // ulp * ulp)

    def mad(x, y, z):  # with a zero it is mul, then add
        is_zero = z.kind == "fin" and z.mag == 0
        return fin(f_add(D(fin(f_mul(x, y))) if is_zero else cut_off(f_mul(x, y)), z, "rn"))
    p = f.reg("f")
    f.op("mul.f32 %s, {0}, {1}; add.f32 {d}, %s, {2}" % (p, p), t, [a, b, c], lambda x, y, z: mad(D(x), D(y), D(z)))
    f.op("mul.f32 %s, {0}, {1}; sub.f32 {d}, {2}, %s" % (p, p), t, [a, b, c], lambda x, y, z: mad(neg(D(x)), D(y), D(z)))
    f.op("mul.f32 %s, {0}, {1}; sub.f32 {d}, %s, {2}" % (p, p), t, [a, b, c], lambda x, y, z: mad(D(x), D(y), neg(D(z))))
    f.op("mad.f32 {d}, {0}, {1}, {2}", t, [a, b, c], lambda x, y, z: mad(D(x), D(y), D(z)))
    f.op("mul.rn.f32 %s, {0}, {1}; add.f32 {d}, %s, {2}" % (p, p), t, [a, b, c],
         lambda x, y, z: fin(f_add(D(fin(f_mul(D(x), D(y)))), D(z), "rn")))
    f.write()


def conversions():
    def from_float(t, u, it, rnd):
        v = decode(t, u)
        n = bits_of(it)
        if v.kind == "nan":
            return 1 << (n - 1) if t == "f64" or n == 64 else 0
        lo, hi = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if it[0] == "s" else (0, (1 << n) - 1)
        if v.kind == "inf":
            return cut(lo if v.sign else hi, n)
        q = v.signed()
        k = q.numerator // q.denominator
        rest = q - k
        if rnd == "rpi":
            k += rest > 0
        elif rnd == "rzi":
            k += rest > 0 and q < 0
        elif rnd == "rni":
            k += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and k & 1)
        return cut(max(lo, min(hi, k)), n)

    alli = ["u8", "s8"] + INTS
    f = File("cvt_int", "cvt between integers, with and without saturation")
    for s in INTS:
        for d in alli:
            n = bits_of(d)
            # A narrow result sits in a 32-bit register, extended by its sign.
            rt = d if n >= 32 else "u32"
            ext = lambda v: cut(val(d, v), 32) if n < 32 else cut(v, n)
            f.op("cvt.%s.%s {d}, {0}" % (d, s), rt, [(s, 1)], lambda x: ext(val(s, x)))
            if d != s:
                lo, hi = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if d[0] == "s" else (0, (1 << n) - 1)
                narrower = bits_of(d) < bits_of(s) or (bits_of(d) == bits_of(s) and d[0] != s[0]) or (s[0] == "s" and d[0] == "u")
                if narrower:
                    f.op("cvt.sat.%s.%s {d}, {0}" % (d, s), rt, [(s, 1)], lambda x: ext(max(lo, min(hi, val(s, x)))))
    f.write()
    for t in ("f32", "f64", "f16"):
        f = File("cvt_" + t, "cvt between %s and integers, and to other floats" % t, "sm_53" if t == "f16" else "sm_20", "4.2" if t == "f16" else "3.0")
        for it in INTS if t != "f16" else ["u16", "s16", "u32", "s32", "s64"]:
            for rnd in ("rni", "rzi", "rmi", "rpi"):
                f.op("cvt.%s.%s.%s {d}, {0}" % (rnd, it, t), it, [(t, 1)], lambda x: from_float(t, x, it, rnd))
            for rnd in ("rn", "rz", "rm", "rp"):
                f.op("cvt.%s.%s.%s {d}, {0}" % (rnd, t, it), t, [(it, 2)],
                     lambda x: encode(t, Num("fin", int(val(it, x) < 0), Fraction(abs(val(it, x)))), rnd))
        for rnd in ("rni", "rzi", "rmi", "rpi"):
            def integral(x):
                v = decode(t, x)
                if v.kind == "nan":
                    return None
                if v.kind == "inf":
                    return x
                q = v.mag
                k = q.numerator // q.denominator
                rest = q - k
                up = {"rni": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and k & 1), "rzi": False,
                      "rmi": rest > 0 and v.sign, "rpi": rest > 0 and not v.sign}[rnd]
                return encode(t, Num("fin", v.sign, Fraction(k + up)))
            if t == "f16":
                continue
            f.op("cvt.%s.%s.%s {d}, {0}" % (rnd, t, t), t, [(t, 3)],
                 lambda x: (x | 1 << 51 if t == "f64" else FMT[t][3]) if integral(x) is None else integral(x))
        if t == "f64":
            for rnd in ("rn", "rz", "rm", "rp"):
                f.op("cvt.%s.f32.f64 {d}, {0}" % rnd, "f32", [("f64", 1)], lambda x: encode("f32", decode("f64", x), rnd))
            no_nan = lambda x: encode("f64", decode("f32", x)) if decode("f32", x).kind != "nan" else 0x7FF8000000000000 | (x & 0x7FFFFF) << 29 | (x >> 31) << 63
            f.op("cvt.f64.f32 {d}, {0}", "f64", [("f32", 1)], no_nan)
            f.op("cvt.rn.sat.f32.f64 {d}, {0}", "f32", [("f64", 1)],
                 lambda x: (lambda v: 0 if v.kind == "nan" or v.sign else 0x3F800000 if v.kind == "inf" or v.mag > 1 else encode("f32", v))(decode("f64", x)))
        if t == "f16":
            for rnd in ("rn", "rz"):
                f.op("cvt.%s.f16.f32 {d}, {0}" % rnd, "f16", [("f32", 1)], lambda x: encode("f16", decode("f32", x), rnd))
            f.op("cvt.rn.f16.f64 {d}, {0}", "f16", [("f64", 1)], lambda x: encode("f16", decode("f64", x)))
            f.op("cvt.f32.f16 {d}, {0}", "f32", [("f16", 1)], lambda x: encode("f32", decode("f16", x)))
        if t == "f32":
            f.op("cvt.ftz.f32.f32 {d}, {0}", "f32", [("f32", 1)], lambda x: 0x7FFFFFFF if decode("f32", x).kind == "nan" else flush("f32", x))
            f.op("cvt.sat.f32.f32 {d}, {0}", "f32", [("f32", 1)],
                 lambda x: (lambda v: 0 if v.kind == "nan" or v.sign else 0x3F800000 if v.kind == "inf" or v.mag > 1 else x)(decode("f32", x)))
            f.op("cvt.rzi.ftz.s32.f32 {d}, {0}", "s32", [("f32", 1)], lambda x: from_float("f32", flush("f32", x), "s32", "rzi"))
        f.write()


def video():
    f = File("video_simd", "vadd2, vadd4 and their like: saturation, masks, selectors, accumulation", "sm_30", "3.0")
    ops = {"vadd": lambda x, y: x + y, "vsub": lambda x, y: x - y, "vavrg": lambda x, y: (x + y + (x + y >= 0)) >> 1,
           "vabsdiff": lambda x, y: abs(x - y), "vmin": min, "vmax": max}
    a, b, c = ("b32", 1), ("b32", 2), ("b32", 3)
    for lanes in (2, 4):
        n = 32 // lanes
        for name, g in ops.items():
            for dt, at, bt in (("s32", "s32", "s32"), ("u32", "u32", "u32"), ("s32", "s32", "u32")):
                def simd(x, y, z, sat=False, add=False, mask=(1 << lanes) - 1, asel=None, bsel=None):
                    part = lambda t, v, k: to_signed(v >> (n * k), n) if t[0] == "s" else v >> (n * k) & ((1 << n) - 1)
                    both = x | y << 32
                    d = z if add else 0
                    for k in range(lanes):
                        va = part(at, both, (asel or range(lanes))[k])
                        vb = part(bt, both, (bsel or range(lanes, 2 * lanes))[k])
                        t = g(va, vb)
                        if sat:
                            lo, hi = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if dt[0] == "s" else (0, (1 << n) - 1)
                            t = max(lo, min(hi, t))
                        if add:
                            d += t if mask >> k & 1 else 0
                        else:
                            d |= (cut(t, n) if mask >> k & 1 else z >> (n * k) & ((1 << n) - 1)) << (n * k)
                    return cut(d, 32)
                head = "%s%d.%s.%s.%s" % (name, lanes, dt, at, bt)
                f.op(head + " {d}, {0}, {1}, {2}", "b32", [a, b, c], simd)
                f.op(head + ".sat {d}, {0}, {1}, {2}", "b32", [a, b, c], lambda x, y, z: simd(x, y, z, sat=True))
                if dt == at == bt:
                    f.op(head + ".add {d}, {0}, {1}, {2}", "b32", [a, b, c], lambda x, y, z: simd(x, y, z, add=True))
                    if lanes == 2:
                        f.op(head + " {d}.h1, {0}.h32, {1}.h01, {2}", "b32", [a, b, c],
                             lambda x, y, z: simd(x, y, z, mask=2, asel=[2, 3], bsel=[1, 0]))
                    else:
                        f.op(head + " {d}.b30, {0}.b7610, {1}.b0123, {2}", "b32", [a, b, c],
                             lambda x, y, z: simd(x, y, z, mask=9, asel=[0, 1, 6, 7], bsel=[3, 2, 1, 0]))
        for cmp in ("lt", "eq"):
            def vset(x, y, z):
                part = lambda v, k: to_signed(v >> (n * k), n)
                return sum(int(ICMP[cmp](part(x, k), part(y, k))) << (n * k) for k in range(lanes))
            f.op("vset%d.s32.s32.%s {d}, {0}, {1}, {2}" % (lanes, cmp), "b32", [a, b, c], vset)
    f.write()

    f = File("video_scalar", "vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset")
    sc = {"vadd": lambda x, y: x + y, "vsub": lambda x, y: x - y, "vabsdiff": lambda x, y: abs(x - y), "vmin": min, "vmax": max}

    def pick(v, t, sel):
        if sel.startswith(".b"):
            r, m = v >> (8 * int(sel[2])) & 255, 8
        elif sel.startswith(".h"):
            r, m = v >> (16 * int(sel[2])) & 0xFFFF, 16
        else:
            r, m = v, 32
        return to_signed(r, m) if t[0] == "s" else r

    def clamp(v, t, m):
        lo, hi = (-(1 << (m - 1)), (1 << (m - 1)) - 1) if t[0] == "s" else (0, (1 << m) - 1)
        return max(lo, min(hi, v))
    for name, g in sc.items():
        for dt, at, bt in (("s32", "s32", "s32"), ("u32", "u32", "s32"), ("s32", "u32", "u32")):
            for asel, bsel in (("", ""), (".b1", ".h1"), (".h0", ".b3")):
                for sat in ("", ".sat"):
                    h = lambda x, y, m=32: (lambda t: clamp(t, dt, m) if sat else t)(g(pick(x, at, asel), pick(y, bt, bsel)))
                    head = "%s.%s.%s.%s%s" % (name, dt, at, bt, sat)
                    f.op(head + " {d}, {0}%s, {1}%s" % (asel, bsel), "b32", [a, b], lambda x, y: cut(h(x, y), 32))
                    if asel == ".b1":
                        z = lambda v: val(dt, v)
                        f.op(head + ".add {d}, {0}%s, {1}%s, {2}" % (asel, bsel), "b32", [a, b, c], lambda x, y, w: cut(h(x, y) + w, 32))
                        f.op(head + ".min {d}, {0}%s, {1}%s, {2}" % (asel, bsel), "b32", [a, b, c], lambda x, y, w: cut(min(val(dt, cut(h(x, y), 32)), z(w)), 32))
                        f.op(head + ".max {d}, {0}%s, {1}%s, {2}" % (asel, bsel), "b32", [a, b, c], lambda x, y, w: cut(max(val(dt, cut(h(x, y), 32)), z(w)), 32))
                        f.op(head + " {d}.b2, {0}%s, {1}%s, {2}" % (asel, bsel), "b32", [a, b, c],
                             lambda x, y, w: (w & ~0xFF0000) | (cut(h(x, y, 8), 8) << 16))
                        f.op(head + " {d}.h1, {0}%s, {1}%s, {2}" % (asel, bsel), "b32", [a, b, c],
                             lambda x, y, w: (w & 0xFFFF) | (cut(h(x, y, 16), 16) << 16))
    for mode in ("clamp", "wrap"):
        for at in ("u32", "s32"):
            amount = lambda y: y & 31 if mode == "wrap" else min(y, 32)
            f.op("vshl.u32.%s.u32.%s {d}, {0}.h1, {1}.b0" % (at, mode), "b32", [a, ("u32", 7)], lambda x, y: cut(pick(x, at, ".h1") << amount(y & 255), 32))
            f.op("vshr.u32.%s.u32.%s {d}, {0}, {1}.b0" % (at, mode), "b32", [a, ("u32", 7)], lambda x, y: cut(pick(x, at, "") >> amount(y & 255), 32))
    for cmp in ICMP:
        f.op("vset.s32.s32.%s {d}, {0}.h0, {1}.b2" % cmp, "b32", [a, b], lambda x, y: int(ICMP[cmp](pick(x, "s32", ".h0"), pick(y, "s32", ".b2"))))
    for sh in ("", ".shr7", ".shr15"):
        k = int(sh[4:] or 0)
        f.op("vmad.s32.s32.s32%s {d}, {0}.h0, {1}.h1, {2}" % sh, "b32", [a, b, c], lambda x, y, z: cut((pick(x, "s32", ".h0") * pick(y, "s32", ".h1") + to_signed(z, 32)) >> k, 32))
        f.op("vmad.u32.u32.u32%s {d}, {0}.b0, {1}.h1, {2}" % sh, "b32", [a, b, c], lambda x, y, z: cut((pick(x, "u32", ".b0") * pick(y, "u32", ".h1") + z) >> k, 32))
        f.op("vmad.u32.u32.u32.po%s {d}, {0}.b0, {1}.h1, {2}" % sh, "b32", [a, b, c], lambda x, y, z: cut((pick(x, "u32", ".b0") * pick(y, "u32", ".h1") + z + 1) >> k, 32))
        f.op("vmad.s32.s32.s32.sat%s {d}, -{0}, {1}, {2}" % sh, "b32", [a, b, c],
             lambda x, y, z: cut(clamp((-(to_signed(x, 32) * to_signed(y, 32)) + to_signed(z, 32)) >> k, "s32", 32), 32))
        f.op("vmad.s32.u32.u32.sat%s {d}, {0}, {1}, -{2}" % sh, "b32", [a, b, c],
             lambda x, y, z: cut(clamp((x * y + to_signed(cut(~z, 32), 32) + 1) >> k, "s32", 32), 32))
    f.write()


def atomics():
    for space in ("global", "shared"):
        f = File("atom_" + space, "atom and red on %s memory: every operation and type, old and new values" % space, "sm_70", "6.5")
        if space == "shared":
            f.body.append("    .shared .align 8 .b8 cells[256];")
            f.body.append("    .reg .u64 %cell; .reg .u32 %cell32;")
            f.body.append("    mov.u64 %cell, cells; mad.lo.u64 %cell, %lane, 8, %cell;")
        scratch = 0
        arith = {"add": lambda o, b, c, t: o + b, "min": lambda o, b, c, t: min(val(t, o), val(t, b)),
                 "max": lambda o, b, c, t: max(val(t, o), val(t, b)), "inc": lambda o, b, c, t: 0 if o >= b else o + 1,
                 "dec": lambda o, b, c, t: b if o == 0 or o > b else o - 1, "and": lambda o, b, c, t: o & b,
                 "or": lambda o, b, c, t: o | b, "xor": lambda o, b, c, t: o ^ b, "exch": lambda o, b, c, t: b,
                 "cas": lambda o, b, c, t: c if o == b else o}

        def fadd(o, b, c, t):
            if t == "f32" and space == "global":
                o, b = flush(t, o), flush(t, b)
            u = encode(t, f_add(decode(t, o), decode(t, b), "rn"))
            return flush(t, u) if t == "f32" and space == "global" else u
        cases = [("add", t) for t in ("u32", "s32", "u64")] + [(o, t) for o in ("min", "max") for t in ("u32", "s32", "u64", "s64")]
        cases += [(o, "u32") for o in ("inc", "dec")] + [(o, t) for o in ("and", "or", "xor", "exch", "cas") for t in ("b32", "b64")]
        cases += [("cas", "b16"), ("add", "f32"), ("add", "f64"), ("add", "f16")]
        for op, t in cases:
            n = bits_of(t)
            (ro, vo), (rb, vb), (rc, vc) = f.load(t, 1), f.load(t, 2), f.load(t, 3)
            if op == "cas":  # half of them hit
                d = f.dest(t)
                f.body.append("    and.b32 %t, %t, 31;")
                p = f.reg("p")
                f.body.append("    setp.lt.u32 %s, %%t, 16;" % p)
                f.body.append("    selp.%s %s, %s, %s, %s;" % (t, d, ro, rb, p))
                rb, vb = d, [vo[i] if i < 16 else vb[i] for i in range(LANES)]
            a = f.reg("a")
            if space == "global":
                f.body.append("    mad.lo.u64 %s, %%lane, 8, %%in;" % a)
                f.body.append("    add.u64 %s, %s, CELLS;" % (a, a))
            else:
                f.body.append("    mov.u64 %s, %%cell;" % a)
            st = {"f16": "b16"}.get(t, t)
            f.body.append("    st.%s.%s [%s], %s;" % (space, st, a, ro))
            d = f.dest(t)
            name = "add.noftz" if t == "f16" else op
            f.body.append("    atom.%s.%s.%s %s, [%s], %s%s;" % (space, name, t, d, a, rb, ", " + rc if op == "cas" else ""))
            new = f.dest(t)
            f.body.append("    ld.%s.%s %s, [%s];" % (space, st, new, a))
            fn = fadd if t[0] == "f" else arith[op]
            want = [cut(fn(vo[i], vb[i], vc[i], t), n) for i in range(LANES)]
            if t == "f64":
                want = [0xFFF8000000000000 if decode(t, w).kind == "nan" else w for w in want]
            f.store(t, d, vo)
            f.store(t, new, want)
            if op in ("exch", "cas"):
                continue
            f.body.append("    red.%s.%s.%s [%s], %s;" % (space, name, t, a, rc))
            again = f.dest(t)
            f.body.append("    ld.%s.%s %s, [%s];" % (space, st, again, a))
            twice = [cut(fn(want[i], vc[i], 0, t), n) for i in range(LANES)]
            if t == "f64":
                twice = [0xFFF8000000000000 if decode(t, w).kind == "nan" else w for w in twice]
            f.store(t, again, twice)
        f.at = (f.at + 7) // 8 * 8
        f.body = [line.replace("CELLS", str(f.at)) for line in f.body]
        f.inputs.append(("u64", [0] * LANES))
        f.write()
        # All lanes on one cell.
        g = File("contended_" + space, "atomics of all lanes of a warp on one %s cell" % space, "sm_60", "6.0")
        ra, va = g.load("u32", 5)
        cell = "%in+CELLS"
        if space == "shared":
            g.body.append("    .shared .align 8 .u32 one[2];")
            cell = "one"
        for op, start in (("add", 7), ("min", 0xFFFFFFFF), ("max", 0), ("and", 0xFFFFFFFF), ("or", 0), ("xor", 99)):
            st = "b32" if op in ("and", "or", "xor") else "u32"
            g.body.append("    st.%s.u32 [%s], 0x%x;" % (space, cell, start))
            g.body.append("    red.%s.%s.%s [%s], %s;" % (space, op, st, cell, ra))
            d = g.dest("u32")
            g.body.append("    ld.%s.u32 %s, [%s];" % (space, d, cell))
            v = start
            for x in va:
                v = cut(arith[op](v, x, 0, "u32"), 32)
            g.store("u32", d, [v] * LANES)
        g.at = (g.at + 7) // 8 * 8
        g.body = [line.replace("CELLS", str(g.at)) for line in g.body]
        g.inputs.append(("u64", [0, 0]))
        g.write()


def approximations():
    """Within 10^-6 of the truth, by 60-digit arithmetic; bounds proper are tested over dense samples
    elsewhere."""
    from decimal import Decimal, getcontext
    getcontext().prec = 60
    ln2 = Decimal(2).ln()
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494")

    def sin(x):
        x = x % (2 * pi)
        term, total, k = x, x, 1
        while abs(term) > Decimal(10) ** -40:
            term = -term * x * x / ((k + 1) * (k + 2))
            total += term
            k += 2
        return total
    fs = {"ex2.approx": lambda x: (x * ln2).exp(), "lg2.approx": lambda x: abs(x).ln() / ln2, "sin.approx": sin,
          "cos.approx": lambda x: sin(x + pi / 2), "rcp.approx": lambda x: 1 / x, "rsqrt.approx": lambda x: 1 / abs(x).sqrt(),
          "sqrt.approx": lambda x: abs(x).sqrt(), "tanh.approx": lambda x: 1 - 2 / ((2 * x).exp() + 1)}
    for target, version, names in (("sm_20", "3.0", list(fs)[:-1]), ("sm_75", "7.0", ["tanh.approx"])):
        f = File("approx_" + target, "approximations near the truth", target, version)
        values = [0.7, 1.3, 2.9, 0.03, 5.5, 3.75, 1.0, 0.5]
        f.inputs.append(("u32", [struct.unpack("I", struct.pack("f", v))[0] for v in values * 4]))
        f.at = 128
        r, a = f.reg("f"), f.reg("a")
        f.body += ["    mad.lo.u64 %s, %%lane, 4, %%in;" % a, "    ld.global.f32 %s, [%s];" % (r, a)]
        for name in names:
            for ftz in ("", ".ftz"):
                if name == "tanh.approx" and ftz:
                    continue
                d, o = f.reg("f"), f.reg("a")
                f.body += ["    %s%s.f32 %s, %s;" % (name, ftz, d, r), "    mad.lo.u64 %s, %%lane, 4, %%out;" % o,
                           "    st.global.f32 [%s+%d], %s;" % (o, f.out, d)]
                for i, v in enumerate(values):
                    x = Decimal(struct.unpack("f", struct.pack("f", v))[0])
                    t = fs[name](x)
                    f.body.append("    // expect out.f32[%d] ~ %.12e" % (f.out // 4 + i, t) if abs(t) > Decimal("1e-9") else "    // zero")
                f.out += 128
        f.write()


if __name__ == "__main__":
    atomics()
    approximations()
    integers()
    chains()
    logic()
    compares()
    floats()
    halves()
    conversions()
    video()
    contractions()
    contractions_old()
