"""What two outputs of a kernel say about its forms, and where PTX leaves a result open."""
import re
import struct

from model import emit

CODE = {1: 'B', 2: 'H', 4: 'I', 8: 'Q'}
INFINITE = {'h': (16, 0x7c00), 'b': (16, 0x7f80), 'f': (32, 0x7f800000), 'd': (64, 0x7ff0000000000000)}

# (form, whether the operands leave it open, reason). Operands that are immediates are not among them.
OPEN = [(re.compile(r'^(@p |[a-z]\w+: )?(' + form + ')'), holds, why) for form, holds, why in [
    (r'(div|rem)\.[us]\d', lambda x: 0 in x[-1:], 'an integer divided by zero is machine-specific'),
    (r'bf[ei]\..64', lambda x: max(x[-2:], default=256) > 255, 'positions and lengths of bit fields end at 255'),
    (r'(and.b32 %u0,\$b,31; )?fns', lambda x: 0x80000000 in x, 'fns: an offset that has no absolute value'),
    (r'sh[lr]\.[bus]16:(imm|const)', lambda x: True, 'ptxas takes the low half of an immediate that shifts 16 bits'),
    (r'add\.f32:const', lambda x: True, 'ptxas adds constants one unit of the last place off'),
    (r'cvt\.r[mp]\.ftz(\.sat)?\.f16\.f32', lambda x: True, 'ptxas leaves .ftz out'),
    (r'cvt\.r[nmpz]\.ftz(\.sat)?\.f32\.f64', lambda x: True, 'ptxas flushes by what it rounds, not by the result'),
    (r'div\.r[mp]\.ftz\.f32', lambda x: True, 'ptxas flushes by the result with unbounded exponents'),
    (r'(sin|cos)\.approx', lambda x: (x[0] & 0x7fffffff) > 0x40490fdb or (x[0] & 0x7f800000) <= 0x01000000,
     'sine and cosine beyond pi, or of the least numbers'),
    (r'cvt\.rna(\.satfinite)?\.tf32\.f32', lambda x: x[0] & 0x7fffe000 == 0x7f800000 and x[0] & 0x1fff,
     'ptxas takes a NaN of low bits for an infinity'),
    (r'wmma\.mma\..*\.f16\.f32', lambda x: True, 'ptxas rounds a sum of matrices once, at its end'),
    (r'v(add|sub|absdiff|min|max|mad|shl|shr|set)[24]?\.', lambda x: True, "ptxas's emulation of video instructions is not the manual's"),
]] + [(re.compile(r'^@p set\.'), lambda x: True, 'ptxas converts what a guarded set does not write')]


class Row:
    COLUMNS = ['form', 'executed', 'values', 'equal', 'open', 'why', 'differ']

    def __init__(self, name, values=0, refused='', stopped='', ours_stopped=''):
        self.name, self.values, self.refused, self.stopped, self.ours_stopped = name, values, refused, stopped, ours_stopped
        self.equal = self.differ = self.ours_wrong = self.theirs_wrong = 0
        self.allowed, self.examples = {}, []

    def line(self):
        return [self.name, 'no' if self.stopped or self.ours_stopped else 'yes', self.values, self.equal,
                sum(self.allowed.values()), '; '.join(self.allowed), self.differ]


def summary(rows):
    """Rows by opcode: forms, how many execute by both ways, values, equal, open, different."""
    out = {}
    for r in rows:
        if r.refused:
            continue
        name = re.sub(r'^(@p |\w+: |and\.b32 %u0,\$b,31; |setp\.(ne|lt)\.[bs]32 %q\d,\$[ab],0; )+', '', r.name)
        x = out.setdefault(re.sub(r'^program\d+$', 'random programs', re.split(r'[.: ]', name)[0]), [0] * 6)
        for k, n in enumerate([1, not (r.stopped or r.ours_stopped), r.values, r.equal, sum(r.allowed.values()), r.differ]):
            x[k] += n
    return sorted(out.items())


def is_nan(form, v):
    """Whether a value of a format (a letter of bits.def; of pairs the lower half) is a NaN."""
    if form not in INFINITE:
        return False
    bits, inf = INFINITE[form]
    return v & ((1 << (bits - 1)) - 1) > inf


def order(v, bits):
    sign = 1 << (bits - 1)
    return -(v & (sign - 1)) if v & sign else v


def apart(form, a, b):
    """Units in the last place between two floats; of pairs, of the half that is further apart."""
    if form in 'HB':
        half = form.lower()
        return max(apart(half, a & 0xffff, b & 0xffff), apart(half, a >> 16, b >> 16))
    if is_nan(form, a) and is_nan(form, b):
        return 0
    bits = INFINITE[form][0]
    return abs(order(a, bits) - order(b, bits))


def as_float(v):
    return struct.unpack('<f', struct.pack('<I', v))[0]


def nans_only(form, a, b):
    if form in 'HB':
        half = form.lower()
        return all(x == y or is_nan(half, x) and is_nan(half, y) for x, y in ((a & 0xffff, b & 0xffff), (a >> 16, b >> 16)))
    return is_nan(form, a) and is_nan(form, b)


def reason(x, operands, a, b):
    """Why PTX lets two results differ; None: it does not."""
    for form, holds, why in OPEN:
        if form.match(x.name) and holds(operands):
            return why
    if x.kind.startswith('nan') and emit.canon(x.kind, a) == emit.canon(x.kind, b):
        return 'the bits of a NaN result'
    if x.format and nans_only(x.format, a, b):
        return 'the bits of a NaN result'
    if re.match(r'(@p )?(sin|cos)\.', x.name):
        return 'sine or cosine, less than 2^-20 apart' if abs(as_float(a) - as_float(b)) < 2 ** -20 else None
    if x.kind == 'near':
        n = apart(x.format, a, b)
        if n <= 4:
            return f'an approximate function, {n} ulp apart'
    if x.kind.startswith('range'):
        return 'an approximate function within its bounds'
    return None


def wrong(x, k, v):
    """Whether the model of PTX has another result."""
    if x.expected is None:
        return False
    e = x.expected[k]
    if not x.kind.startswith('range'):
        return emit.canon(x.kind, e) != emit.canon(x.kind, v)
    lo, hi = e
    letter = {2: 'b' if x.kind == 'rangeb' else 'h', 4: 'f', 8: 'd'}[x.bytes]
    if is_nan(letter, lo):
        return not is_nan(letter, v)
    if lo == 1 and hi == 0:                        # anything
        return False
    bits = 8 * x.bytes
    return is_nan(letter, v) or not order(lo, bits) <= order(v, bits) <= order(hi, bits)


def judge(kernel, a, b, col):
    """Rows of a kernel's outputs; a, b: bytes or sentences, from PTX and as machine code."""
    rows = []
    for x in kernel.outputs:
        r = Row(x.name, x.count)
        rows.append(r)
        if isinstance(a, str) or isinstance(b, str):
            r.ours_stopped = a if isinstance(a, str) else ''
            r.stopped = b if isinstance(b, str) else ''
            if r.stopped or r.ours_stopped:
                r.stopped = r.stopped or r.ours_stopped
                continue
        size = x.bytes * x.count
        pa, pb = a[x.at:x.at + size], b[x.at:x.at + size]
        if pa == pb and x.expected is None:
            r.equal = x.count
            continue
        va, vb = (struct.unpack(f'<{x.count}{CODE[x.bytes]}', p) for p in (pa, pb))
        for k, (p, q) in enumerate(zip(va, vb)):
            operands = [col[c][k] for c in x.args] if x.args and x.count <= len(col[x.args[0]]) else []
            bad_p, bad_q = wrong(x, k, p), wrong(x, k, q)
            r.ours_wrong += bad_p
            if p == q:
                r.equal += 1
                r.theirs_wrong += bad_q
                if not bad_p:
                    continue
            else:
                why = reason(x, operands, p, q) if not bad_p else None
                bad_q = bad_q and not why
                if why:
                    r.allowed[why] = r.allowed.get(why, 0) + 1
                    continue
                r.differ += 1
                r.theirs_wrong += bad_q
            w = 2 * x.bytes
            inputs = ' '.join(f'{c}={v:#x}' for c, v in zip(x.args, operands))
            model = f', model {x.expected[k]:0{w}x}' if x.expected is not None and isinstance(x.expected[k], int) else ''
            if x.expected is not None and not isinstance(x.expected[k], int):
                model = ', model %x to %x' % x.expected[k]
            r.examples.append(f'[{k}] {inputs}: PTX {p:0{w}x}, machine code {q:0{w}x}{model}')
    return rows
