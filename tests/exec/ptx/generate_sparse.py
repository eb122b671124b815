#!/usr/bin/env python3
"""Writes the gen_mma_sparse_*.ptx and gen_wgmma_sparse.ptx files of this folder: products with a sparse A.

Numbers are those of generate_mma.py. Metadata is dealt to lanes as CUTLASS writes it (ELayout_64x16, _64x32, _64x64: a
bit for each element that A could have), which agrees with what PTX's figures show; lanes that give none hold noise."""
import random

from generate_mma import (ADDERS, BITS, File, a_16, braces, c_1688, dot_by, int_product, lanes, matrix, number)
import generate_wgmma as wg

ORDERED = [0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110]


def units_of(k, kind):
    return 2 * k if kind == "tf32" else k // 2 if kind in ("s4", "u4") else k


def some_nibbles(r, rows, k, kind):
    pick = [0b0100, 0b1110] if kind == "tf32" else ORDERED
    return [[r.choice(pick) for _ in range(units_of(k, kind) // 4)] for _ in range(rows)]


def places(nibbles, kind):
    """For each element of a compressed row its k."""
    out = []
    for c, n in enumerate(nibbles):
        two = [4 * c + (n & 3), 4 * c + (n >> 2)]
        if kind == "tf32":
            out.append(two[0] // 2)
        elif kind in ("s4", "u4"):
            out += [2 * u + i for u in two for i in (0, 1)]
        else:
            out += two
    return out


def metadata(r, nibbles, units, selector):
    """A word a lane, of sixteen rows."""
    words = []
    for lane in range(32):
        l0, l1, g = lane & 1, lane >> 1 & 1, lane >> 2
        if units == 64:
            where = [(g + 8 * l0, 32 * l1 + v) for v in range(32)]
        elif units == 32 and l1 == selector:
            where = [(g + 8 * (v // 16), 16 * l0 + v % 16) for v in range(32)]
        elif units == 16 and lane % 4 == selector:
            where = [(g + 8 * (v // 16), v % 16) for v in range(32)]
        else:
            words.append(r.getrandbits(32))
            continue
        words.append(sum((nibbles[m][k // 4] >> k % 4 & 1) << v for v, (m, k) in enumerate(where)))
    return words


def b_fragment(b, k, bits):
    per = 32 // bits
    at = lambda lane, i: (lane % 4 * per + i % per + i // per * 4 * per, lane // 4)
    return lanes(lambda l, i: b[at(l, i)[0]][at(l, i)[1]], k * bits // 128, bits)


def emit(f, op, a, b, c, meta, selector, dt, want):
    ra, rb, rc, rm, rd = f.load(a), f.load(b), f.load(c), f.load([meta])[0], f.reg(len(want))
    cs, ds = rc, rd
    if dt == "f32":
        cs, ds = ["%%f%d" % k for k in range(4)], ["%%f%d" % (32 + k) for k in range(4)]
        f.body += ["    mov.b32 %s, %s;" % x for x in zip(cs, rc)]
    f.body.append("    %s %s, %s, %s, %s, %s, %d;" % (op, braces(ds), braces(ra), braces(rb), braces(cs), rm, selector))
    if dt == "f32":
        f.body += ["    mov.b32 %s, %s;" % x for x in zip(rd, ds)]
    f.store(rd, want)


def sparse(r, generation, targets, sm):
    f = File("gen_mma_sparse_%s" % generation, "mma with a sparse A, as %s computes it" % generation.capitalize(), targets, sm)
    cases = [(16, "f16", "f16", "f32", 3), (32, "f16", "f16", "f32", 1), (32, "f16", "f16", "f16", 0), (16, "f16", "f16", "f16", 0),
             (16, "bf16", "bf16", "f32", 2), (32, "bf16", "bf16", "f32", 0), (8, "tf32", "tf32", "f32", 1), (16, "tf32", "tf32", "f32", 1),
             (32, "s8", "u8", "s32", 1), (64, "u8", "s8", "s32", 0), (64, "s8", "s8", "s32", 0), (32, "u8", "u8", "s32", 0),
             (64, "s4", "u4", "s32", 1), (128, "u4", "s4", "s32", 0), (128, "s4", "s4", "s32", 0)]
    if generation == "ada":
        cases = [(64, "e4m3", "e5m2", "f32", 0), (64, "e5m2", "e4m3", "f16", 0), (64, "e4m3", "e4m3", "f32", 0)]
    for n, (k, ta, tb, dt, selector) in enumerate(cases):
        for wild in (0, 1):
            a, b, c = matrix(r, 16, k // 2, ta, wild), matrix(r, k, 8, tb, wild), matrix(r, 16, 8, dt, wild)
            if generation == "ada" and dt == "f32":
                c = [[v & 0x81FFFFFF | 0x3A000000 if v >> 23 & 255 not in (0, 255) else v for v in row] for row in c]
            nibbles = some_nibbles(r, 16, k, ta)
            at = [places(row, ta) for row in nibbles]
            if dt == "s32":
                d = [[int_product([a[i]], ta, [[b[p][j]] for p in at[i]], tb, [[c[i][j]]], wild)[0][0] for j in range(8)] for i in range(16)]
            else:
                d = [[dot_by(generation, c[i][j], a[i], [b[p][j] for p in at[i]], (ta, tb), dt) for j in range(8)] for i in range(16)]
            width = (2, 16) if dt == "f16" else (4, 32)
            get = lambda m: lambda l, i: m[c_1688(l, i)[0]][c_1688(l, i)[1]]
            bits = BITS[ta]
            fa = lanes(lambda l, i: a[a_16(l, i, bits)[0]][a_16(l, i, bits)[1]], k // 2 * bits // 64, bits)
            op = "mma.sp%s.sync.aligned.m16n8k%d.row.col%s.%s.%s.%s.%s" % (
                "::ordered_metadata" if n % 2 else "", k, ".satfinite" if dt == "s32" and wild else "", dt, ta, tb, dt)
            emit(f, op, fa, b_fragment(b, k, bits), lanes(get(c), *width), metadata(r, nibbles, units_of(k, ta), selector), selector, dt, lanes(get(d), *width))
    f.write()


# ---- warp groups: cases of generate_wgmma.py whose A is half there -----------------------------------
class Case(wg.Case):
    def __init__(self, r, n, dt, ta, tb, a, b, selector, **more):
        super().__init__(n, dt, ta, tb, a, b, **more)
        self.selector = selector
        self.nibbles = some_nibbles(r, 64, 2 * self.k, ta)
        self.meta = [w for warp in range(4)
                     for w in metadata(r, self.nibbles[16 * warp:16 * warp + 16], units_of(2 * self.k, ta), selector)]


def result(c, image, sums):
    count = c.n // (4 if c.dt == "f16" else 2)
    out = []
    a = [[wg.bits_at(image, c.a, c.ta, i, k) for k in range(c.k)] for i in range(64)]
    b = [[wg.bits_at(image, c.b, c.tb, j, k) for k in range(2 * c.k)] for j in range(c.n)]

    def one(row, col, was):
        other = [b[col][p] for p in places(c.nibbles[row], c.ta)]
        if c.dt == "s32":
            return int_product([a[row]], c.ta, [[v] for v in other], c.tb, [[was]], c.sat)[0][0]
        fraction, least = wg.ADDER[c.ta]
        return wg.fused(was, c.dt, list(zip(a[row], other)), fraction, c.dt, (c.ta, c.tb), least)

    for t in range(128):
        words = []
        for i in range(count):
            row, col = wg.place(t, i, c.dt)
            was = sums[(7 * t + 13 * i) % wg.SUMS]
            words.append(one(row, col, was & 0xFFFF) | one(row, col + 1, was >> 16) << 16 if c.dt == "f16" else one(row, col, was))
        out.append(words)
    return out


def group(r):
    m = wg.m
    for kind, tb, dt in (("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f16", "f16", "f16"), ("tf32", "tf32", "f32"), ("e4m3", "e5m2", "f32"), ("s8", "u8", "s32")):
        selectors = (0, 1) if kind not in ("e4m3", "s8") else (0, 0)
        cases = [Case(r, 16, dt, kind, tb, m(0), m(4096, 128, 16, 1024), selectors[1]),
                 Case(r, 24, dt, kind, tb, m(512, 128, 16, 1024), m(8192, 64, 16, 512), selectors[0], regs=True),
                 Case(r, 8, dt, kind, tb, m(wg.WILD), m(2048, 0, 128, 512), selectors[1])]
        if kind == "f16":
            cases.append(Case(r, 64, dt, kind, tb, m(0, 64, 1024, 512, 1), m(4096, 128, 8192, 1024, 1), 0))
        if kind == "s8":
            cases[1].sat = True
        wg.write("gen_wgmma_sparse_%s_%s" % (kind, dt), "wgmma with a sparse A of %s" % kind, kind, cases, kind + dt + "sparse", result, emit_group)


def emit_group(body, c, number, image):
    """As a dense product, with k twice as long, metadata and selector."""
    lines = []
    wg.emit(lines, c, number, image)
    for k, line in enumerate(lines):
        if "mma_async" in line:
            line = line.replace("mma_async.sync", "mma_async.sp.sync").replace("k%d." % c.k, "k%d." % (2 * c.k))
            head, tail = line.split("%db, ")
            lines[k] = "    ld.global.b32 %%x, [%%li+%d];\n" % c.meta_data + head + "%%db, %%x, %d, " % c.selector + tail
    body += lines


if __name__ == "__main__":
    sparse(random.Random("ampere"), "ampere", "ampere ada", 80)
    sparse(random.Random("hopper"), "hopper", "hopper", 90)
    sparse(random.Random("ada"), "ada", "ada", 89)
    group(random.Random("group"))
