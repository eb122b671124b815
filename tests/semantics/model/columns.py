"""The operands that every form is tried on: columns of N values, edges first crossed with each other.

A column is named type.letter: u32.a, f64.c, sh.a. Types with x2 hold two halves; `sh` small counts,
`bit` zeros and ones.
"""
import random
import struct

N = 1024

U16 = [0, 1, 2, 3, 0x7e, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x100, 0x101, 0x5555, 0xaaaa, 0x7ffe, 0x7fff,
       0x8000, 0x8001, 0xff7f, 0xff80, 0xff81, 0xfffd, 0xfffe, 0xffff]
U32 = [0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff,
       0x1000000, 0x55555555, 0xaaaaaaaa, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
       0xffff8000, 0xfffffffe, 0xffffffff]
U64 = [0, 1, 2, 3, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x100000001,
       0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0x7fffffffffffffff, 0x8000000000000000,
       0x8000000000000001, 0xffffffff00000000, 0xffffffff7fffffff, 0xffffffff80000000,
       0x7ffffffffffffffe, 0xfffffffffffffffd, 0xfffffffffffffffe, 0xffffffffffffffff,
       0x0123456789abcdef]


def _f32(x):
    return struct.unpack('<I', struct.pack('<f', x))[0]


def float_edges(ebits, mbits):
    """Zeros, subnormals, least and greatest numbers, ones and their neighbours, NaNs with payloads."""
    inf = ((1 << ebits) - 1) << mbits
    sign = 1 << (ebits + mbits)
    one = ((1 << (ebits - 1)) - 1) << mbits
    base = [0, 1, (1 << mbits) - 1, 1 << mbits, (1 << mbits) + 1, one - 1, one, one + 1,
            one + (1 << mbits), one + (1 << (mbits - 1)), inf - 1, inf]
    return base + [x | sign for x in base[:4] + base[6:7] + base[8:]] + \
        [inf | 1 << (mbits - 1), inf | sign | 0x15, inf | 1, inf | sign | (1 << mbits) - 1]


def _cross(edges, fresh, rnd, related=None):
    """Columns a, b, c: all pairs of edges, then pairs of an edge and a random value, then random."""
    a, b, c = [], [], []
    pairs = [(x, y) for x in edges for y in edges]
    rnd.shuffle(pairs)
    for i in range(N):
        if i < len(pairs) and i < N * 5 // 8:
            x, y = pairs[i]
        else:
            x = rnd.choice(edges) if rnd.random() < 0.2 else fresh()
            y = rnd.choice(edges) if rnd.random() < 0.2 else fresh()
        pick = rnd.random()
        if related and pick < 0.5:
            if i >= N * 5 // 8:
                x, y, z = related(x, y)
            else:
                z = related(x, y)[2]
        elif pick < 0.75:
            z = rnd.choice(edges)
        else:
            z = fresh()
        a.append(x)
        b.append(y)
        c.append(z)
    order = list(range(N))
    rnd.shuffle(order)
    return [[col[i] for i in order] for col in (a, b, c)]


def _related_float(fm, rnd):
    """Operands that cancel, or whose rounding is a near tie."""
    def related(x, y):
        from . import floats
        r = rnd.random()
        if r < 0.4:                                # c is about -a*b
            z = floats.mul(fm, x, y) ^ fm.sign
            return x, y, (z + rnd.choice([-1, 0, 1])) & (2 * fm.sign - 1)
        if r < 0.7:                                # b is near -a
            return x, (x ^ fm.sign ^ rnd.choice([0, 1, 2, fm.quiet])), x
        exp = ((x >> fm.mbits) + rnd.randint(-fm.mbits - 2, fm.mbits + 2)) & ((1 << fm.ebits) - 1)
        z = exp << fm.mbits | rnd.choice([0, 0, 1, fm.quiet, rnd.getrandbits(fm.mbits)])
        return x, z | rnd.choice([0, fm.sign]), z
    return related


def _values(fm, rnd):
    """One column for conversions: limits of all integer types, halves, ties, every magnitude."""
    from . import floats
    out = list(float_edges(fm.ebits, fm.mbits))
    for k in range(0, 66):
        for s in (0, 1):
            for v in ((1 << k) - 1, 1 << k, (1 << k) + 1):
                if k in (0, 1, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64) or v == 1 << k and k % 3 == 0:
                    x = fm.round(s, v, 0)
                    if fm.is_inf(x):
                        continue
                    out += [x, x + 1] + ([x - 1] if x & (fm.sign - 1) else [])
    for k in range(0, 24):
        for s in (0, 1):
            out += [fm.round(s, 2 * k + 1, -1), fm.round(s, 4 * k + 1, -2)]
    for target in (floats.F16, floats.BF16, floats.F32, floats.E4M3, floats.E5M2):
        if target.bits >= fm.bits:
            continue
        for x in float_edges(target.ebits, target.mbits)[:12] + [target.max]:
            x = min(x, target.max)
            s, m, e = target.split(x)
            for mm in (4 * m, 4 * m + 1, 4 * m + 2, 4 * m + 3, 4 * m - 1):  # numbers and ties between
                if mm > 0:
                    y = fm.round(0, mm, e - 2)
                    out += [y, y | fm.sign, y + 1]
    out = [x & (2 * fm.sign - 1) for x in dict.fromkeys(out)]
    rnd.shuffle(out)
    while len(out) < N:
        out.append(rnd.getrandbits(fm.bits))
    return out[:N]


def build(seed=20240229):
    from . import floats
    rnd = random.Random(seed)
    col = {}

    def ints(name, edges, bits):
        def fresh():
            v = rnd.getrandbits(bits)
            return v >> rnd.randrange(bits) if rnd.random() < 0.5 else v
        for letter, values in zip('abc', _cross(edges, fresh, rnd)):
            col[f'{name}.{letter}'] = values
    ints('u16', U16, 16)
    ints('u32', U32, 32)
    ints('u64', U64, 64)
    for fm in (floats.F16, floats.BF16, floats.F32, floats.F64):
        def fresh(fm=fm):
            if rnd.random() < 0.5:
                return rnd.getrandbits(fm.bits)
            exp = fm.bias + rnd.randint(-12, 12)   # magnitudes that meet each other
            return rnd.getrandbits(1) * fm.sign | exp << fm.mbits | rnd.getrandbits(fm.mbits)
        cols = _cross(float_edges(fm.ebits, fm.mbits), fresh, rnd, _related_float(fm, rnd))
        for letter, values in zip('abc', cols):
            col[f'{fm.name}.{letter}'] = values
        col[f'{fm.name}.v'] = _values(fm, rnd)
    near = []                                      # f32.u: arguments of the elementary functions
    for i in range(N):
        span = rnd.choice([1, 6.3, 150, 314])
        near.append(_f32(rnd.choice([rnd.uniform(-span, span), round(rnd.uniform(-span, span) * 2) / 2])))
    col['f32.u'] = near
    for name in ('u16', 'f16', 'bf16'):
        for letter in 'abc':
            low = col[f'{name}.{letter}']
            high = low[1:] + low[:1]
            col[f'{name}x2.{letter}'] = [h << 16 | l for l, h in zip(low, high)]
    counts = [0, 1, 2, 7, 8, 15, 16, 17, 30, 31, 32, 33, 47, 48, 63, 64, 65, 127, 128, 255, 256, 257,
              0x80000000, 0xffffffff]
    for letter in 'ab':
        col[f'sh.{letter}'] = [rnd.choice(counts) if rnd.random() < 0.5 else rnd.randrange(70)
                               for _ in range(N)]
    for letter in 'pq':
        col[f'bit.{letter}'] = [rnd.getrandbits(1) for _ in range(N)]
    return col


WIDTH = {'u16': 2, 'u32': 4, 'u64': 8, 'f16': 2, 'bf16': 2, 'f32': 4, 'f64': 8, 'f16x2': 4, 'u16x2': 4,
         'bf16x2': 4, 'sh': 4, 'bit': 4}
REG = {'u16x2': 'b32', 'u16': 'u16', 'u32': 'u32', 'u64': 'u64', 'f16': 'b16', 'bf16': 'b16',
       'f32': 'f32', 'f64': 'f64', 'f16x2': 'b32', 'bf16x2': 'b32', 'sh': 'u32', 'bit': 'u32'}


def width(name):
    return WIDTH[name.split('.')[0]]


def layout(col):
    at, places = 0, {}
    for name in col:
        places[name] = at
        at += N * width(name)
    return places, at


def pack(col):
    code = {2: 'H', 4: 'I', 8: 'Q'}
    return b''.join(struct.pack(f'<{N}{code[width(n)]}', *v) for n, v in col.items())
