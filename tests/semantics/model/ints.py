"""Integer instructions of PTX, from the semantics sections of the manual."""
from .forms import Form, literal


def mask(bits):
    return (1 << bits) - 1


def signed(v, bits):
    v &= mask(bits)
    return v - (1 << bits) if v >> (bits - 1) else v


def val(t, v):
    """Bits to the number that type t reads in them."""
    bits = int(t[1:])
    return signed(v, bits) if t[0] == 's' else v & mask(bits)


def clamp(t, v):
    bits = int(t[1:])
    lo, hi = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if t[0] == 's' else (0, mask(bits))
    return min(max(v, lo), hi)


def div(t, a, b):
    x, y = val(t, a), val(t, b)
    if y == 0:
        return mask(int(t[1:]))
    q = abs(x) // abs(y)
    return (-q if (x < 0) != (y < 0) else q) & mask(int(t[1:]))


def rem(t, a, b):
    x, y = val(t, a), val(t, b)
    if y == 0:
        return a & mask(int(t[1:]))
    r = abs(x) % abs(y)
    return (-r if x < 0 else r) & mask(int(t[1:]))


def bfe(t, a, b, c):
    bits = int(t[1:])
    msb, pos, length = bits - 1, b & 0xff, c & 0xff
    sbit = 0 if t[0] == 'u' or length == 0 else (a >> min(pos + length - 1, msb)) & 1
    d = 0
    for i in range(bits):
        d |= ((a >> (pos + i)) & 1 if i < length and pos + i <= msb else sbit) << i
    return d


def bfi(bits, a, b, c, d):
    pos, length, f = c & 0xff, d & 0xff, b
    for i in range(length):
        if pos + i < bits:
            f = f & ~(1 << (pos + i)) | ((a >> i) & 1) << (pos + i)
    return f


def bfind(t, a, shiftamt):
    bits = int(t[1:])
    if t[0] == 's' and a >> (bits - 1):
        a = ~a & mask(bits)
    if a == 0:
        return mask(32)
    d = a.bit_length() - 1
    return bits - 1 - d if shiftamt else d


def fns(m, base, offset):
    offset = signed(offset, 32)
    if offset == 0:
        return base if (m >> base) & 1 else mask(32)
    pos, count, inc = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= pos < 32:
        if (m >> pos) & 1:
            if count == 0:
                return pos
            count -= 1
        pos += inc
    return mask(32)


def bmsk(mode, a, b):
    a1, b1 = a & 31, b & 31
    mask0, total = mask(32) << a1 & mask(32), a1 + b1
    pos_over = mode == 'clamp' and a >= 32
    width_over = mode == 'clamp' and b >= 32
    if pos_over:
        mask0 = 0
    if total >= 32 or pos_over or width_over:
        mask1 = 0
    elif b1 == 0:
        mask1 = mask(32)
    else:
        mask1 = mask(32) << total & mask(32)
    return mask0 & ~mask1


def szext(t, mode, a, b):
    b1 = b & 31
    too_large = b >= 32 and mode == 'clamp'
    m = 0 if too_large else mask(32) << b1 & mask(32)
    sign = 0
    if not (b1 == 0 or too_large or t != 's32'):
        sign = (a >> (b1 - 1)) & 1
    return (a & ~m & mask(32)) | (m if sign else 0)


PRMT = {'f4e': ['3210', '4321', '5432', '6543'], 'b4e': ['5670', '6701', '7012', '0123'],
        'rc8': ['0000', '1111', '2222', '3333'], 'ecl': ['3210', '3211', '3222', '3333'],
        'ecr': ['0000', '1110', '2210', '3210'], 'rc16': ['1010', '3232', '1010', '3232']}


def prmt(mode, a, b, c):
    src = b << 32 | a
    d = 0
    for i in range(4):
        if mode:
            pick, sign = int(PRMT[mode][c & 3][3 - i]), 0
        else:
            pick, sign = (c >> 4 * i) & 7, (c >> 4 * i) & 8
        byte = (src >> 8 * pick) & 0xff
        d |= ((0xff if byte & 0x80 else 0) if sign else byte) << 8 * i
    return d


def shl(bits, a, n):
    return 0 if n >= bits else a << n & mask(bits)


def shr(t, a, n):
    bits = int(t[1:])
    return (val('s' + t[1:] if t[0] == 's' else 'u' + t[1:], a) >> min(n, bits)) & mask(bits)


def shf(left, mode, a, b, c):
    n = min(c, 32) if mode == 'clamp' else c & 31
    x = b << 32 | a
    return (x << n >> 32 if left else x >> n) & mask(32)


def lop3(a, b, c, lut):
    d = 0
    for i in range(32):
        k = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)
        d |= (lut >> k & 1) << i
    return d


def dot(n, t1, t2, a, b, c, high=0):
    d = c
    for i in range(n):
        w = 32 // n
        x = a >> w * i & mask(w)
        y = b >> 8 * (i + high) & 0xff
        d += (signed(x, w) if t1 == 's32' else x) * (signed(y, 8) if t2 == 's32' else y)
    return d & mask(32)


def halves(fn):
    return lambda *xs: sum((fn(*[x >> s & 0xffff for x in xs]) & 0xffff) << s for s in (0, 16))


def basic():
    """Forms with one result of the operands' type: text without its operands, types, function."""
    out = []

    def op(name, t, dst, letters, fn, cols=None, imm=True):
        """Registers, guarded, an immediate as each later operand, all immediates."""
        width = {'8': 'u16'}.get(t[1:], 'u' + t[1:])
        cols = cols or {k: f'{width}.{k}' for k in letters}
        out.append((name, t, dst, cols, fn, imm and 'x2' not in name))

    for bits in (16, 32, 64):
        m = mask(bits)
        b = f'b{bits}'
        for s in 'us':
            t = f'{s}{bits}'
            op(f'add.{t}', t, t, 'ab', lambda a, b, m=m: a + b & m)
            op(f'sub.{t}', t, t, 'ab', lambda a, b, m=m: a - b & m)
            op(f'mul.lo.{t}', t, t, 'ab', lambda a, b, m=m: a * b & m)
            op(f'mul.hi.{t}', t, t, 'ab',
               lambda a, b, t=t, n=bits, m=m: val(t, a) * val(t, b) >> n & m)
            op(f'mad.lo.{t}', t, t, 'abc', lambda a, b, c, m=m: a * b + c & m)
            op(f'mad.hi.{t}', t, t, 'abc',
               lambda a, b, c, t=t, n=bits, m=m: (val(t, a) * val(t, b) >> n) + c & m)
            op(f'sad.{t}', t, t, 'abc',
               lambda a, b, c, t=t, m=m: c + abs(val(t, a) - val(t, b)) & m)
            op(f'div.{t}', t, t, 'ab', lambda a, b, t=t: div(t, a, b))
            op(f'rem.{t}', t, t, 'ab', lambda a, b, t=t: rem(t, a, b))
            op(f'min.{t}', t, t, 'ab', lambda a, b, t=t: min(a, b, key=lambda v: val(t, v)))
            op(f'max.{t}', t, t, 'ab', lambda a, b, t=t: max(a, b, key=lambda v: val(t, v)))
            op(f'shr.{t}', t, t, 'ab', lambda a, n, t=t: shr(t, a, n),
               {'a': f'u{bits}.a', 'b': 'sh.a'})
            if bits < 64:
                wide = f'{s}{2 * bits}'
                w = mask(2 * bits)
                op(f'mul.wide.{t}', t, wide, 'ab', lambda a, b, t=t, w=w: val(t, a) * val(t, b) & w)
                op(f'mad.wide.{t}', t, wide, 'abc',
                   lambda a, b, c, t=t, w=w: val(t, a) * val(t, b) + c & w,
                   {'a': f'u{bits}.a', 'b': f'u{bits}.b', 'c': f'u{2 * bits}.c'})
        t = f's{bits}'
        op(f'abs.{t}', t, t, 'a', lambda a, t=t, m=m: abs(val(t, a)) & m)
        op(f'neg.{t}', t, t, 'a', lambda a, m=m: -a & m)
        op(f'shl.{b}', b, b, 'ab', lambda a, n, k=bits: shl(k, a, n), {'a': f'u{bits}.a', 'b': 'sh.a'})
        op(f'shr.{b}', b, b, 'ab', lambda a, n, k=bits: a >> n if n < k else 0,
           {'a': f'u{bits}.a', 'b': 'sh.a'})
        op(f'and.{b}', b, b, 'ab', lambda a, b: a & b)
        op(f'or.{b}', b, b, 'ab', lambda a, b: a | b)
        op(f'xor.{b}', b, b, 'ab', lambda a, b: a ^ b)
        op(f'not.{b}', b, b, 'a', lambda a, m=m: ~a & m)
        op(f'cnot.{b}', b, b, 'a', lambda a: int(a == 0))
        op(f'mov.{b}', b, b, 'a', lambda a: a)
        if bits == 16:
            continue
        op(f'popc.{b}', b, 'u32', 'a', lambda a: a.bit_count())
        op(f'clz.{b}', b, 'u32', 'a', lambda a, k=bits: k - a.bit_length())
        op(f'brev.{b}', b, b, 'a', lambda a, k=bits: int(f'{a:0{k}b}'[::-1], 2))
        for s in 'us':
            t = f'{s}{bits}'
            op(f'bfe.{t}', t, t, 'abc', lambda a, b, c, t=t: bfe(t, a, b, c),
               {'a': f'u{bits}.a', 'b': 'sh.a', 'c': 'sh.b'})
            op(f'bfind.{t}', t, 'u32', 'a', lambda a, t=t: bfind(t, a, False))
            op(f'bfind.shiftamt.{t}', t, 'u32', 'a', lambda a, t=t: bfind(t, a, True))
        op(f'bfi.{b}', b, b, 'abcd', lambda a, b, c, d, k=bits: bfi(k, a, b, c, d),
           {'a': f'u{bits}.a', 'b': f'u{bits}.b', 'c': 'sh.a', 'd': 'sh.b'})

    op('add.sat.s32', 's32', 's32', 'ab',
       lambda a, b: clamp('s32', val('s32', a) + val('s32', b)) & mask(32))
    op('sub.sat.s32', 's32', 's32', 'ab',
       lambda a, b: clamp('s32', val('s32', a) - val('s32', b)) & mask(32))
    op('mad.hi.sat.s32', 's32', 's32', 'abc',
       lambda a, b, c: clamp('s32', (val('s32', a) * val('s32', b) >> 32) + val('s32', c)) & mask(32))
    op('min.relu.s32', 's32', 's32', 'ab', lambda a, b: max(0, min(val('s32', a), val('s32', b))))
    op('max.relu.s32', 's32', 's32', 'ab', lambda a, b: max(0, val('s32', a), val('s32', b)))
    for s in 'us':
        t = f'{s}16'
        p = f'{s}16x2'
        two = {'a': 'u16x2.a', 'b': 'u16x2.b'}
        op(f'add.{p}', 'b32', 'b32', 'ab', halves(lambda a, b: a + b), two)
        op(f'min.{p}', 'b32', 'b32', 'ab',
           halves(lambda a, b, t=t: min(a, b, key=lambda v: val(t, v))), two)
        op(f'max.{p}', 'b32', 'b32', 'ab',
           halves(lambda a, b, t=t: max(a, b, key=lambda v: val(t, v))), two)
        t = f'{s}32'
        t24 = f'{s}24'
        for part, sh in (('lo', 0), ('hi', 16)):
            op(f'mul24.{part}.{t}', t, t, 'ab',
               lambda a, b, t=t24, sh=sh: val(t, a) * val(t, b) >> sh & mask(32))
            op(f'mad24.{part}.{t}', t, t, 'abc',
               lambda a, b, c, t=t24, sh=sh: (val(t, a) * val(t, b) >> sh) + c & mask(32))
    op('min.relu.s16x2', 'b32', 'b32', 'ab',
       halves(lambda a, b: max(0, min(signed(a, 16), signed(b, 16)))), two)
    op('max.relu.s16x2', 'b32', 'b32', 'ab',
       halves(lambda a, b: max(0, signed(a, 16), signed(b, 16))), two)
    op('mad24.hi.sat.s32', 's32', 's32', 'abc',
       lambda a, b, c: clamp('s32', (val('s24', a) * val('s24', b) >> 16) + val('s32', c)) & mask(32))
    for t1 in ('u32', 's32'):
        for t2 in ('u32', 's32'):
            op(f'dp4a.{t1}.{t2}', t1, 'u32', 'abc',
               lambda a, b, c, t1=t1, t2=t2: dot(4, t1, t2, a, b, c))
            for part, high in (('lo', 0), ('hi', 2)):
                op(f'dp2a.{part}.{t1}.{t2}', t1, 'u32', 'abc',
                   lambda a, b, c, t1=t1, t2=t2, h=high: dot(2, t1, t2, a, b, c, h))
    for mode in ('clamp', 'wrap'):
        op(f'bmsk.{mode}.b32', 'b32', 'b32', 'ab', lambda a, b, k=mode: bmsk(k, a, b),
           {'a': 'sh.a', 'b': 'sh.b'})
        for t in ('u32', 's32'):
            op(f'szext.{mode}.{t}', t, t, 'ab', lambda a, b, k=mode, t=t: szext(t, k, a, b),
               {'a': 'u32.a', 'b': 'sh.b'})
        for d in 'lr':
            op(f'shf.{d}.{mode}.b32', 'b32', 'b32', 'abc',
               lambda a, b, c, d=d, k=mode: shf(d == 'l', k, a, b, c),
               {'a': 'u32.a', 'b': 'u32.b', 'c': 'sh.a'})
    for mode in [''] + list(PRMT):
        op('prmt.b32' + ('.' + mode if mode else ''), 'b32', 'b32', 'abc',
           lambda a, b, c, k=mode: prmt(k, a, b, c))
    for lut in (0x00, 0x80, 0xfe, 0x40, 0x1a, 0x96, 0xe8, 0xca, 0xd8, 0x3f, 0x01, 0xb7, 0x6a, 0xff):
        out.append((f'lop3.b32:{lut:#x}', 'b32', 'b32',
                    {'a': 'u32.a', 'b': 'u32.b', 'c': 'u32.c'},
                    lambda a, b, c, k=lut: lop3(a, b, c, k), True))
    return out


def text_of(name, letters):
    op, _, lut = name.partition(':')
    return f'{op} {{out}}, ' + ', '.join(f'{{{k}}}' for k in letters) + (f', {lut}' if lut else '')


def operand_type(name, t, letter, column):
    """How an immediate of this operand is written."""
    kind = column.split('.')[0]
    if kind in ('sh', 'u16x2'):
        return 'u32'
    bits = kind[1:]
    if name.startswith('mad.wide') and letter == 'c':
        return t[0] + bits
    return (t[0] if t[0] in 'us' else 'u') + bits


def immediate(col, name, column, i):
    kind = column.split('.')[0]
    bits = 32 if kind == 'sh' else int(kind[1:])
    special = [0, 1, 2, mask(bits), 1 << (bits - 1), 3, 8, mask(bits - 1), 31, 32, 10, 1 << (bits // 2)]
    v = col[column][i % len(col[column])] if i % 3 == 0 else special[i % len(special)]
    return v & 0xff if name.startswith('bf') and column.startswith('sh') else v


def base_forms():
    return [Form(text_of(n, c), dst, c, fn, name=n) for n, t, dst, c, fn, _ in basic()]


def variant_forms(col):
    """Guards, and immediates in every place they may stand."""
    out = []
    for k, (n, t, dst, c, fn, imm) in enumerate(basic()):
        text = text_of(n, c)
        out.append(Form(text, dst, c, fn, name=n, guard='@' if k % 2 else '@!', tag=':guard'))
        letters = list(c)
        for j, letter in enumerate(letters):
            if len(letters) == 1 or not imm:
                continue
            for pick in range(2 if j else 1):
                v = immediate(col, n, c[letter], 37 * k + 11 * j + pick)
                ops = dict(c)
                ops[letter] = (v, literal(operand_type(n, t, letter, c[letter]), v))
                out.append(Form(text, dst, ops, fn, name=n, tag=f':imm-{letter}-{v:#x}'))
        for pick in range(2 if imm else 0):
            ops = {}
            for j, letter in enumerate(letters):
                v = immediate(col, n, c[letter], 53 * k + 7 * j + 29 * pick + 5)
                ops[letter] = (v, literal(operand_type(n, t, letter, c[letter]), v))
            out.append(Form(text, dst, ops, fn, name=n, tag=':const'))
    return out


def fns_forms(col):
    out = []
    for base in (0, 1, 7, 15, 30, 31):
        out.append(Form('fns.b32 {out}, {a}, {b}, {c}', 'b32',
                        {'a': 'u32.a', 'b': (base, str(base)), 'c': 'sh.a'},
                        fns, tag=f':base-{base}'))
        for off in (-33, -3, -1, 0, 1, 2, 5, 32):
            out.append(Form('fns.b32 {out}, {a}, {b}, {c}', 'b32',
                            {'a': 'u32.a', 'b': (base, str(base)), 'c': (off & mask(32), str(off))},
                            fns, tag=f':{base}:{off}'))
    return out


CMP = {'eq': lambda a, b: a == b, 'ne': lambda a, b: a != b, 'lt': lambda a, b: a < b,
       'le': lambda a, b: a <= b, 'gt': lambda a, b: a > b, 'ge': lambda a, b: a >= b}
CMP.update({'lo': CMP['lt'], 'ls': CMP['le'], 'hi': CMP['gt'], 'hs': CMP['ge']})
BOOL = {'and': lambda t, c: t & c, 'or': lambda t, c: t | c, 'xor': lambda t, c: t ^ c}


def compares():
    """(operator, type) of all integer comparisons."""
    for bits in (16, 32, 64):
        for s in 'usb':
            for op in ('eq', 'ne') if s == 'b' else ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
                yield op, f'{s}{bits}'
            if s == 'u':
                for op in ('lo', 'ls', 'hi', 'hs'):
                    yield op, f'u{bits}'


def compare_forms(col):
    out = []
    for k, (op, t) in enumerate(compares()):
        c = {'a': f'u{t[1:]}.a', 'b': f'u{t[1:]}.b'}
        tt = t.replace('b', 'u')

        def test(a, b, op=op, t=tt):
            return int(CMP[op](val(t, a), val(t, b)))
        out.append(Form(f'setp.{op}.{t} {{out}}, {{a}}, {{b}}', 'pred', c, test))
        out.append(Form(f'set.{op}.u32.{t} {{out}}, {{a}}, {{b}}', 'u32', c,
                        lambda a, b, f=test: mask(32) if f(a, b) else 0))
        out.append(Form(f'set.{op}.f32.{t} {{out}}, {{a}}, {{b}}', 'f32', c,
                        lambda a, b, f=test: 0x3f800000 if f(a, b) else 0))
        bop = ('and', 'or', 'xor')[k % 3]
        neg = '!' if k & 1 else ''
        three = dict(c, c='bit.p', q='bit.q')
        text = (f'{{{{ .reg .pred x, y, z; .reg .u32 t, u; setp.ne.u32 x, {{c}}, 0;'
                f' setp.{op}.{bop}.{t} y|z, {{a}}, {{b}}, {neg}x; selp.u32 t, 1, 0, y;'
                f' selp.u32 u, 2, 0, z; or.b32 {{out}}, t, u; }}}}')

        def both(a, b, c, q, f=test, bop=bop, neg=neg):
            c = 1 - c if neg else c
            t = f(a, b)
            return BOOL[bop](t, c) | BOOL[bop](1 - t, c) << 1
        out.append(Form(text, 'u32', three, both, name=f'setp.{op}.{bop}.{t}:p|q{neg}'))
        text = (f'{{{{ .reg .pred x; setp.ne.u32 x, {{c}}, 0;'
                f' set.{op}.{bop}.s32.{t} {{out}}, {{a}}, {{b}}, {neg}x; }}}}')
        out.append(Form(text, 's32', dict(c, c='bit.p'),
                        lambda a, b, c, f=both: mask(32) if f(a, b, c, 0) & 1 else 0,
                        name=f'set.{op}.{bop}.s32.{t}{neg}'))
        v = col[c['b']][(41 * k + 3) % 1024]
        imm = dict(c, b=(v, literal(tt, v)))
        out.append(Form(f'setp.{op}.{t} {{out}}, {{a}}, {{b}}', 'pred', imm, test, tag=f':imm-{v:#x}'))
        out.append(Form(f'setp.{op}.{t} {{out}}, {{a}}, {{b}}', 'pred', c, test, tag=':guard', guard='@'))
    return out


def select_forms():
    out = []
    for t in ('b16', 'u16', 's16', 'b32', 'u32', 's32', 'f32', 'b64', 'u64', 's64', 'f64'):
        w = 'f' if t[0] == 'f' else 'u'
        a, b = f'{w}{t[1:]}.a', f'{w}{t[1:]}.b'
        text = f'{{{{ .reg .pred x; setp.ne.u32 x, {{c}}, 0; selp.{t} {{out}}, {{a}}, {{b}}, x; }}}}'
        out.append(Form(text, t, {'a': a, 'b': b, 'c': 'bit.p'}, lambda a, b, c: a if c else b,
                        name=f'selp.{t}'))
        out.append(Form(f'slct.{t}.s32 {{out}}, {{a}}, {{b}}, {{c}}', t, {'a': a, 'b': b, 'c': 'u32.c'},
                        lambda a, b, c: b if c >> 31 else a))

        def by_float(a, b, c, ftz):
            m = c & 0x7fffffff
            if m > 0x7f800000:
                return b
            zero = m == 0 or (ftz and m < 0x800000)
            return b if c >> 31 and not zero else a
        for ftz in ('', '.ftz'):
            out.append(Form(f'slct{ftz}.{t}.f32 {{out}}, {{a}}, {{b}}, {{c}}', t,
                            {'a': a, 'b': b, 'c': 'f32.c'},
                            lambda a, b, c, z=bool(ftz): by_float(a, b, c, z)))
    return out


def predicate_forms():
    out = []
    two = {'a': 'bit.p', 'b': 'bit.q'}
    for op, fn in BOOL.items():
        for na in ('', '!'):
            if na:
                continue
            text = (f'{{{{ .reg .pred x, y; setp.ne.u32 x, {{a}}, 0; setp.ne.u32 y, {{b}}, 0;'
                    f' {op}.pred {{out}}, x, y; }}}}')
            out.append(Form(text, 'pred', two, fn, name=f'{op}.pred'))
    text = '{{ .reg .pred x; setp.ne.u32 x, {a}, 0; not.pred {out}, x; }}'
    out.append(Form(text, 'pred', {'a': 'bit.p'}, lambda a: 1 - a, name='not.pred'))
    text = '{{ .reg .pred x; setp.ne.u32 x, {a}, 0; mov.pred {out}, x; }}'
    out.append(Form(text, 'pred', {'a': 'bit.p'}, lambda a: a, name='mov.pred'))
    for lut in (0x3f, 0x80, 0x96):
        for op in ('and', 'or'):
            text = (f'{{{{ .reg .pred x, y; .reg .b32 t; .reg .u32 u; setp.ne.u32 x, {{e}}, 0;'
                    f' lop3.{op}.b32 t|y, {{a}}, {{b}}, {{c}}, {lut:#x}, x;'
                    f' selp.u32 u, 1, 0, y; xor.b32 {{out}}, t, u; }}}}')
            out.append(Form(text, 'b32', {'a': 'u32.a', 'b': 'u32.b', 'c': 'u32.c', 'e': 'bit.p'},
                            lambda a, b, c, e, k=lut, f=BOOL[op]:
                            lop3(a, b, c, k) ^ f(int(lop3(a, b, c, k) != 0), e),
                            name=f'lop3.{op}.b32:{lut:#x}'))
    return out


def carry_forms():
    """Chains through the carry flag; every link's result is folded into one word."""
    out = []
    for bits in (32, 64):
        m = mask(bits)
        for s in 'us':
            t = f'{s}{bits}'
            c3 = {'a': f'u{bits}.a', 'b': f'u{bits}.b', 'c': f'u{bits}.c'}
            r = f'.reg .b{bits} x, y, z;'

            def mix(x, y, z, m=m):
                return (x * 3 + y * 5 + z * 7) & m
            fold = (f' mul.lo.u{bits} x, x, 3; mad.lo.u{bits} x, y, 5, x;'
                    f' mad.lo.u{bits} {{out}}, z, 7, x; }}}}')

            def chain(kind, a, b, c, bits=bits, m=m, t=t, mix=mix):
                def link(v):
                    return v & m, int(v > m)
                if kind == 'add':
                    x, cf = link(a + b)
                    y, cf = link(b + c + cf)
                    return mix(x, y, (c + a + cf) & m)
                if kind == 'sub':  # CF is the carry of a + ~b + 1: 1 where nothing is borrowed
                    x, cf = link(a + (b ^ m) + 1)
                    y, cf = link(b + (c ^ m) + cf)
                    return mix(x, y, (c + (a ^ m) + cf) & m)
                if kind == 'subadd':
                    x, cf = link(a + (b ^ m) + 1)
                    y, cf = link(b + c + cf)
                    return mix(x, y, (c + (a ^ m) + cf) & m)
                if kind == 'addsub':
                    x, cf = link(a + b)
                    y, cf = link(b + (c ^ m) + cf)
                    return mix(x, y, (c + a + cf) & m)
                if kind == 'submad':
                    x, cf = link(a + (b ^ m) + 1)
                    y, cf = link((a * b & m) + c + cf)
                    return mix(x, y, (c + (a ^ m) + cf) & m)
                lo = a * b & m
                hi = (val(t, a) * val(t, b) >> bits) & m
                if kind == 'mad':
                    x, cf = link(lo + c)
                    y, cf = link(hi + a + cf)
                    return mix(x, y, (lo + b + cf) & m)
                x, cf = link(hi + c)
                y, cf = link(lo + b + cf)
                return mix(x, y, (hi + a + cf) & m)
            texts = {
                'add': f'add.cc.{t} x, {{a}}, {{b}}; addc.cc.{t} y, {{b}}, {{c}};'
                       f' addc.{t} z, {{c}}, {{a}};',
                'sub': f'sub.cc.{t} x, {{a}}, {{b}}; subc.cc.{t} y, {{b}}, {{c}};'
                       f' subc.{t} z, {{c}}, {{a}};',
                'subadd': f'sub.cc.{t} x, {{a}}, {{b}}; addc.cc.{t} y, {{b}}, {{c}};'
                          f' subc.{t} z, {{c}}, {{a}};',
                'addsub': f'add.cc.{t} x, {{a}}, {{b}}; subc.cc.{t} y, {{b}}, {{c}};'
                          f' addc.{t} z, {{c}}, {{a}};',
                'submad': f'sub.cc.{t} x, {{a}}, {{b}}; madc.lo.cc.{t} y, {{a}}, {{b}}, {{c}};'
                          f' subc.{t} z, {{c}}, {{a}};',
                'mad': f'mad.lo.cc.{t} x, {{a}}, {{b}}, {{c}}; madc.hi.cc.{t} y, {{a}}, {{b}}, {{a}};'
                       f' madc.lo.{t} z, {{a}}, {{b}}, {{b}};',
                'madhi': f'mad.hi.cc.{t} x, {{a}}, {{b}}, {{c}}; madc.lo.cc.{t} y, {{a}}, {{b}}, {{b}};'
                         f' madc.hi.{t} z, {{a}}, {{b}}, {{a}};'}
            for kind, text in texts.items():
                out.append(Form('{{ ' + r + ' ' + text + fold, f'u{bits}', c3,
                                lambda a, b, c, k=kind, f=chain: f(k, a, b, c), name=f'{kind}.cc.{t}'))
            k = 0x80000001 if bits == 32 else 0x8000000000000001
            text = texts['add'].replace('{b}', str(k))
            out.append(Form('{{ ' + r + ' ' + text + fold, f'u{bits}', {'a': c3['a'], 'c': c3['c']},
                            lambda a, c, f=chain, k=k: f('add', a, k, c), name=f'add.cc.{t}:imm'))
            text = texts['sub'].replace('{b}', '5')
            out.append(Form('{{ ' + r + ' ' + text + fold, f'u{bits}', {'a': c3['a'], 'c': c3['c']},
                            lambda a, c, f=chain: f('sub', a, 5, c), name=f'sub.cc.{t}:imm'))
            # Guarded links leave the flag and the destination as they were.
            text = (f'{{{{ {r} .reg .pred g; setp.ne.u32 g, {{p}}, 0; mov.b{bits} x, {{c}};'
                    f' mov.b{bits} y, {{a}}; add.cc.{t} z, {{a}}, {{a}}; @g add.cc.{t} x, {{a}}, {{b}};'
                    f' @!g addc.cc.{t} y, {{b}}, {{c}}; addc.{t} z, {{c}}, {{a}};' + fold)

            def guarded(a, b, c, p, m=m, mix=mix):
                x, y, cf = c, a, int(a + a > m)
                if p:
                    x, cf = a + b & m, int(a + b > m)
                else:
                    y, cf = b + c + cf & m, int(b + c + cf > m)
                return mix(x, y, c + a + cf & m)
            out.append(Form(text, f'u{bits}', dict(c3, p='bit.p'), guarded, name=f'add.cc.{t}:guarded'))
    return out


def dpx_forms():
    """Sums and minima that sm_90 has as one instruction (VIADDMNMX, VIMNMX3), written as PTX has them: two."""
    out = []
    for least, pick in (('min', min), ('max', max)):
        for t in ('s32', 'u32', 's16x2', 'u16x2'):
            bits = int(t[1:3])
            one = f'{t[0]}{bits}'

            def value(v, one=one):
                return val(one, v & mask(int(one[1:])))

            def by_half(fn, bits=bits):
                if bits == 32:
                    return lambda a, b, c: fn(a, b, c) & mask(32)
                return lambda a, b, c: ((fn(a >> 16, b >> 16, c >> 16) & 0xffff) << 16 | fn(a & 0xffff, b & 0xffff, c & 0xffff) & 0xffff)

            for relu in ('', '.relu') if t[0] == 's' else ('',):
                clip = (lambda v: max(v, 0)) if relu else (lambda v: v)
                column = 'u32' if bits == 32 else 'u16x2'
                ops = {k: f'{column}.{k}' for k in 'abc'}
                last = f'{least}{relu}.{t} {{out}}, t, {{c}}; }}}}'
                out.append(Form(f'{{{{ .reg .b32 t; add.{t} t, {{a}}, {{b}}; {last}', 'b32', ops,
                                by_half(lambda a, b, c, v=value, p=pick, k=clip: k(p(v(a + b), v(c)))), name=f'add.{least}{relu}.{t}'))
                out.append(Form(f'{{{{ .reg .b32 t; {least}.{t} t, {{a}}, {{b}}; {last}', 'b32', ops,
                                by_half(lambda a, b, c, v=value, p=pick, k=clip: k(p(v(a), v(b), v(c)))), name=f'{least}3{relu}.{t}'))
    return out
