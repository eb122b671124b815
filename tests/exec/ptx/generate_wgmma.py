#!/usr/bin/env python3
"""Writes the gen_wgmma_*.ptx files of this folder: products of warp groups from shared memory.

Numbers are those of generate_mma.py, in fractions. Where elements lie in shared memory is written as CuTe writes the
canonical layouts (PTX ISA 9.0, 9.7.15.5.1.2.1.3): shapes and strides in units of 16 bytes, then Swizzle<b, 4, 3> of
the byte address. A file has an image of shared memory that all its cases read, plain numbers first, then some that are
special; each thread leaves a hash of the words of its sums. Run it after changing it."""
import os
import random
import sys
from functools import lru_cache

import generate_mma
from generate_mma import BITS, HERE, fused, some_byte, some_half, some_single, number

generate_mma.of_format = lru_cache(None)(generate_mma.of_format)

IMAGE, SUMS, PRIME = 20480, 512, 0x01000193
ADDER = {"f16": (25, -133), "bf16": (25, -133), "tf32": (25, -133), "e4m3": (13, -133), "e5m2": (13, -133)}
SWIZZLE = {0: (0, 0), 128: (3, 1), 64: (2, 2), 32: (1, 3)}  # bits, field of the descriptor


def dot(strides, coords):
    return sum(s * c for s, c in zip(strides, coords))


def address(m, kind, mn, k):
    """Byte address of element (mn, k) of matrix m."""
    per = 128 // BITS[kind]
    b, _ = SWIZZLE[m["swizzle"]]
    lead, stride, w = m["leading"], m["stride"], 1 << b
    if m["turned"]:  # (T, w, m) x (8, k)
        u, i = mn // per, mn % per
        far = (stride, lead) if b == 0 else (lead, stride)
        units = dot((16, far[0]), (u % w, u // w)) + dot((16 * w, far[1]), (k % 8, k // 8))
    else:  # (8, m) x (T, 2)
        u, i = k // per, k % per
        units = dot((16 * w, stride), (mn % 8, mn // 8)) + (u * lead if b == 0 else u * 16)
    at = m["start"] + units + i * BITS[kind] // 8
    mask = (1 << b) - 1
    return at ^ (((at >> 7) - m["base"] & mask) << 4)


def bits_at(image, m, kind, mn, k):
    if kind == "b1":
        at = address(m, "u8", mn, k // 8)
        return image[at] >> (k % 8) & 1
    at = address(m, kind, mn, k)
    return int.from_bytes(image[at:at + BITS[kind] // 8], "little")


def descriptor(m):
    return (m["start"] >> 4 | m["leading"] >> 4 << 16 | m["stride"] >> 4 << 32 | m["base"] << 49 |
            SWIZZLE[m["swizzle"]][1] << 62)


def image_of(r, kind):
    out = bytearray()
    while len(out) < IMAGE:
        wild = len(out) >= IMAGE // 2 and r.random() < 0.3
        if kind == "f16":
            out += some_half(r, wild).to_bytes(2, "little")
        elif kind == "bf16":
            v = some_single(r, wild) >> 16
            out += v.to_bytes(2, "little")
        elif kind == "tf32":
            out += some_single(r, wild).to_bytes(4, "little")
        elif kind in ("e4m3", "e5m2"):
            out.append(some_byte(r, kind, wild))
        else:
            out.append(r.choice([0, 1, 0x7F, 0x80, 0xFF]) if r.random() < 0.3 else r.getrandbits(8))
    return bytes(out)


def some_sums(r, dt, kind):
    if dt == "f16":  # pairs
        return [some_half(r, r.random() < 0.05) | some_half(r, False) << 16 for _ in range(SUMS)]
    if dt == "s32":
        return [r.choice([0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]) if r.random() < 0.1 else r.getrandbits(32) for _ in range(SUMS)]
    small = kind in ("e4m3", "e5m2")
    out = [some_single(r, r.random() < 0.05) for _ in range(SUMS)]
    return [v & 0x81FFFFFF | 0x3A000000 if small and v >> 23 & 255 not in (0, 255) else v for v in out]


# ---- fragments: (row of 64, column) of word i of thread t ------------------------------------------
def place(t, i, dt):
    lane, warp = t % 32, t // 32
    if dt == "f16":
        return 16 * warp + lane // 4 + 8 * (i & 1), 8 * (i // 2) + 2 * (lane % 4)
    return 16 * warp + lane // 4 + 8 * (i >> 1 & 1), 8 * (i // 4) + 2 * (lane % 4) + (i & 1)


def a_words(image, m, kind, t, k_all):
    """The four words of A that thread t gives from registers."""
    lane, warp = t % 32, t // 32
    per = 32 // BITS[kind]
    words = []
    for i in range(4):
        row, first = 16 * warp + lane // 4 + 8 * (i & 1), (lane % 4 + 4 * (i >> 1)) * per
        words.append(sum(bits_at(image, m, kind, row, first + n) << n * BITS[kind] for n in range(per)))
    return words


class Case:
    def __init__(self, n, dt, ta, tb, a, b, **more):
        self.n, self.dt, self.ta, self.tb, self.a, self.b = n, dt, ta, tb, a, b
        self.regs = more.get("regs", False)      # A in registers
        self.neg = more.get("neg", (1, 1))
        self.scale = more.get("scale", "1")      # "1", "0", or the value of a predicate: "true", "false"
        self.sat = more.get("sat", False)
        self.k = 256 if ta == "b1" else 256 // BITS[ta]


def result(case, image, sums):
    """Words of D by thread."""
    c = case
    kinds = (c.ta, c.tb)
    flip = lambda v, kind, neg: v ^ (1 << (BITS[kind] - 1)) if neg < 0 else v
    a = [[flip(bits_at(image, c.a, c.ta, i, k), c.ta, c.neg[0]) for k in range(c.k)] for i in range(64)]
    b = [[flip(bits_at(image, c.b, c.tb, j, k), c.tb, c.neg[1]) for k in range(c.k)] for j in range(c.n)]
    count = c.n // (4 if c.dt == "f16" else 2)
    adds = c.scale in ("1", "true")
    start = lambda t, i: sums[(7 * t + 13 * i) % SUMS] if adds else 0

    def one(row, col, was):
        if c.dt == "s32":
            total = number(was, "s32")
            if c.ta == "b1":
                total += sum(x & y for x, y in zip(a[row], b[col]))
            else:
                total += sum(number(x, c.ta) * number(y, c.tb) for x, y in zip(a[row], b[col]))
            if c.sat:
                total = max(-(1 << 31), min((1 << 31) - 1, total))
            return total & 0xFFFFFFFF
        fraction, least = ADDER[c.ta]
        return fused(was, c.dt, list(zip(a[row], b[col])), fraction, c.dt, kinds, least)

    out = []
    for t in range(128):
        words = []
        for i in range(count):
            row, col = place(t, i, c.dt)
            was = start(t, i)
            if c.dt == "f16":
                words.append(one(row, col, was & 0xFFFF) | one(row, col + 1, was >> 16) << 16)
            else:
                words.append(one(row, col, was))
        out.append(words)
    return out


def fnv(words):
    h = 0
    for w in words:
        h = (h * PRIME + w) & 0xFFFFFFFF
    return h


def emit(body, c, number, image):
    shape = "m64n%dk%d" % (c.n, c.k)
    count = c.n // (4 if c.dt == "f16" else 2)
    f32 = c.dt == "f32"
    names = [("%%f%d" if f32 else "%%d%d") % i for i in range(count)]
    for i in range(count):  # sums[(7 t + 13 i) % SUMS]
        body += ["    add.u32 %%x, %%t7, %d;" % (13 * i), "    and.b32 %%x, %%x, %d;" % (SUMS - 1), "    mul.wide.u32 %addr, %x, 4;",
                 "    add.u64 %addr, %addr, %in;", "    ld.global.b32 %s, [%%addr+%d];" % (names[i], IMAGE)]
    if c.regs:
        words = [a_words(image, c.a, c.ta, t, c.k) for t in range(128)]
        base = c.a_data
        for i in range(4):
            body.append("    ld.global.b32 %%a%d, [%%li+%d];" % (i, base + 512 * i))
        a = "{%a0, %a1, %a2, %a3}"
    else:
        body.append("    mov.b64 %%da, 0x%x;" % descriptor(c.a))
        words, a = None, "%da"
    body += ["    add.u64 %da, %da, %at;" if not c.regs else "", "    mov.b64 %%db, 0x%x;" % descriptor(c.b), "    add.u64 %db, %db, %at;"]
    scale = c.scale
    if scale in ("true", "false"):
        body.append("    setp.%s.u64 %%p, %%in, 0;" % ("ne" if scale == "true" else "eq"))
        scale = "%p"
    tail = [scale]
    if c.ta in ADDER:
        tail += ["%d" % c.neg[0], "%d" % c.neg[1]]
    if c.ta in ("f16", "bf16"):
        tail += ([] if c.regs else ["%d" % c.a["turned"]]) + ["%d" % c.b["turned"]]
    op = "wgmma.mma_async.sync.aligned.%s.%s.%s.%s" % (shape, c.dt, c.ta, c.tb)
    op += ".satfinite" if c.sat else ".and.popc" if c.ta == "b1" else ""
    body += ["    wgmma.fence.sync.aligned;",
             "    %s {%s}, %s, %%db, %s;" % (op, ", ".join(names), a, ", ".join(tail)),
             "    wgmma.commit_group.sync.aligned;", "    wgmma.wait_group.sync.aligned 0;", "    mov.b32 %h, 0;"]
    for n in names:
        body.append("    mov.b32 %%x, %s;" % n)
        body.append("    mad.lo.u32 %%h, %%h, 0x%x, %%x;" % PRIME)
    body.append("    st.global.b32 [%%lo+%d], %%h;" % (512 * number))
    return words


def write(name, what, kind, cases, seed, result=result, emit=emit):
    r = random.Random(seed)
    image, dt = image_of(r, kind), cases[0].dt
    sums = some_sums(r, dt, kind)
    data = [int.from_bytes(image[k:k + 4], "little") for k in range(0, IMAGE, 4)] + sums
    body, expect = [], []
    for number, c in enumerate(cases):
        if c.regs:
            c.a_data = 4 * len(data)
            words = [a_words(image, c.a, c.ta, t, c.k) for t in range(128)]
            for i in range(4):
                data += [words[t][i] for t in range(128)]
        if hasattr(c, "meta"):
            c.meta_data = 4 * len(data)
            data += c.meta
        emit(body, c, number, image)
        hashes = [fnv(w) for w in result(c, image, sums)]
        for k in range(0, 128, 16):
            expect.append("// expect out[%d..%d] = %s" % (128 * number + k, 128 * number + k + 15,
                                                          " ".join("0x%x" % h for h in hashes[k:k + 16])))
        print(name, number, file=sys.stderr)
    with open(os.path.join(HERE, name + ".ptx"), "w") as f:
        f.write("// %s\n// Written by generate_wgmma.py.\n// targets hopper\n// launch grid 1 1 1 block 128 1 1\n" % what)
        for k in range(0, len(data), 16):
            f.write("// in u32 %s\n" % " ".join("0x%x" % w for w in data[k:k + 16]))
        f.write(""".version 8.4
.target sm_90a
.address_size 64

.visible .entry k(.param .u64 out, .param .u64 in) {
    .reg .b32 %%d<128>; .reg .f32 %%f<128>; .reg .b32 %%a<4>; .reg .b32 %%t, %%t7, %%x, %%h, %%s; .reg .pred %%p;
    .reg .u64 %%out, %%in, %%li, %%lo, %%addr, %%da, %%db, %%at;
    .shared .align 1024 .b8 tile[%d];
    ld.param.u64 %%out, [out];
    ld.param.u64 %%in, [in];
    mov.u32 %%t, %%tid.x;
    mul.lo.u32 %%t7, %%t, 7;
    mad.wide.u32 %%li, %%t, 4, %%in;
    mad.wide.u32 %%lo, %%t, 4, %%out;
    mov.u32 %%s, tile;
    cvt.u64.u32 %%at, %%s;
    shr.u64 %%at, %%at, 4;
    mad.lo.u32 %%s, %%t, 4, %%s;
""" % IMAGE)
        for k in range(0, IMAGE, 512):
            f.write("    ld.global.b32 %%x, [%%li+%d];\n    st.shared.b32 [%%s+%d], %%x;\n" % (k, k))
        f.write("    bar.sync 0;\n" + "\n".join(l for l in body if l) + "\n    ret;\n}\n" + "\n".join(expect) + "\n")


def m(start, swizzle=0, leading=128, stride=256, turned=0, base=0):
    return {"start": start, "swizzle": swizzle, "leading": leading, "stride": stride, "turned": turned, "base": base}


WILD = IMAGE // 2


def halves(kind, dt):
    plain = m(0), m(2048)
    return [Case(8, dt, kind, kind, *plain),
            Case(16, dt, kind, kind, m(0, 128, 16, 1024), m(8192, 128, 16, 1024), scale="0"),
            Case(40, dt, kind, kind, m(32, 128, 16, 1024), m(8192 + 96, 128, 16, 512), neg=(-1, 1)),
            Case(24, dt, kind, kind, m(512, 64, 16, 512), m(8192, 64, 16, 512), neg=(1, -1), scale="true"),
            Case(32, dt, kind, kind, m(256, 32, 16, 256), m(4096, 32, 16, 256), scale="false"),
            Case(64, dt, kind, kind, m(0, 128, 4096, 1024, 1), m(4096, 128, 4096, 1024, 1)),
            Case(72, dt, kind, kind, m(0, 64, 1024, 512, 1), m(4096, 64, 1024, 512, 1), neg=(-1, -1)),
            Case(48, dt, kind, kind, m(0, 32, 512, 256, 1), m(4096, 32, 512, 256, 1)),
            Case(56, dt, kind, kind, m(0, 0, 1024, 128, 1), m(4096, 0, 1024, 128, 1)),
            Case(16, dt, kind, kind, m(0), m(8192, 128, 4096, 1024, 1), regs=True, neg=(-1, 1)),
            Case(8, dt, kind, kind, m(128 * 3, 128, 16, 1024, base=3), m(2048 + 128 * 5, 128, 16, 1024, base=5), regs=False),
            Case(24, dt, kind, kind, m(WILD), m(WILD + 2048)),
            Case(16, dt, kind, kind, m(WILD), m(2048), regs=True),
            Case(256 if kind == "bf16" else 104, dt, kind, kind, m(0, 128, 16, 1024), m(1024, 32, 16, 256), regs=True)]


def wide(kind, tb, dt):
    return [Case(8, dt, kind, tb, m(0), m(2048)),
            Case(40, dt, kind, tb, m(0, 128, 16, 1024), m(8192, 128, 16, 512), neg=(-1, 1), scale="0"),
            Case(24, dt, kind, tb, m(512, 64, 16, 512), m(8192, 64, 16, 512), neg=(1, -1), scale="true"),
            Case(96, dt, kind, tb, m(256, 32, 16, 256), m(4096, 32, 16, 256), regs=True),
            Case(16, dt, kind, tb, m(64, 128, 16, 1024), m(8192 + 96, 128, 16, 1024), neg=(-1, -1), regs=True),
            Case(16, dt, kind, tb, m(WILD), m(WILD + 2048)),
            Case(8, dt, kind, tb, m(WILD), m(2048), regs=True)]


def integers(ta, tb):
    return [Case(8, "s32", ta, tb, m(0), m(2048)),
            Case(24, "s32", ta, tb, m(0, 128, 16, 1024), m(8192, 128, 16, 512), scale="0"),
            Case(48, "s32", ta, tb, m(512, 64, 16, 512), m(8192, 64, 16, 512), scale="true"),
            Case(112, "s32", ta, tb, m(256, 32, 16, 256), m(4096, 32, 16, 256), regs=True)]


if __name__ == "__main__":
    for kind, dts in (("f16", ("f32", "f16")), ("bf16", ("f32",))):
        for dt in dts:
            write("gen_wgmma_%s_%s" % (kind, dt), "wgmma of %s, sums of %s" % (kind, dt), kind, halves(kind, dt), kind + dt)
    write("gen_wgmma_tf32", "wgmma of tf32", "tf32", wide("tf32", "tf32", "f32"), "tf32")
    for ta, tb, dt in (("e4m3", "e4m3", "f32"), ("e5m2", "e4m3", "f32"), ("e4m3", "e5m2", "f16"), ("e5m2", "e5m2", "f32")):
        write("gen_wgmma_%s_%s_%s" % (ta, tb, dt), "wgmma of 8-bit floats", ta, wide(ta, tb, dt), ta + tb)
    signs = [c for ta in ("s8", "u8") for tb in ("s8", "u8") for c in integers(ta, tb)]
    for k, c in enumerate(signs):
        c.sat = k % 3 == 1
    write("gen_wgmma_int", "wgmma of bytes", "s8", signs, "int")
    write("gen_wgmma_bits", "wgmma of single bits", "b1", integers("b1", "b1"), "bits")
