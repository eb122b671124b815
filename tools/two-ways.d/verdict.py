"""What two outputs of a kernel say about its forms, and where PTX leaves a result open."""
import re
import struct

from model import emit

CODE = {1: 'B', 2: 'H', 4: 'I', 8: 'Q'}
INFINITE = {'h': (16, 0x7c00), 'b': (16, 0x7f80), 'f': (32, 0x7f800000), 'd': (64, 0x7ff0000000000000)}

# (form, whether the operands leave it open, reason)
OPEN = [
    (re.compile(r'^(@p )?(div|rem)\.[us]'), lambda x: x[1] == 0, 'an integer divided by zero is machine-specific'),
]


class Row:
    COLUMNS = ['form', 'executed', 'values', 'equal', 'open', 'why', 'differ']

    def __init__(self, name, values=0, refused='', stopped='', ours_stopped=''):
        self.name, self.values, self.refused, self.stopped, self.ours_stopped = name, values, refused, stopped, ours_stopped
        self.equal = self.differ = self.ours_wrong = self.theirs_wrong = 0
        self.allowed, self.examples = {}, []

    def line(self):
        return [self.name, 'no' if self.stopped or self.ours_stopped else 'yes', self.values, self.equal,
                sum(self.allowed.values()), '; '.join(self.allowed), self.differ]


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
            r.theirs_wrong += bad_q
            if p == q:
                r.equal += 1
                if not bad_p:
                    continue
            else:
                why = reason(x, operands, p, q) if not bad_p and not bad_q else None
                if why:
                    r.allowed[why] = r.allowed.get(why, 0) + 1
                    continue
                r.differ += 1
            w = 2 * x.bytes
            inputs = ' '.join(f'{c}={v:#x}' for c, v in zip(x.args, operands))
            model = f', model {x.expected[k]:0{w}x}' if x.expected is not None and isinstance(x.expected[k], int) else ''
            if x.expected is not None and not isinstance(x.expected[k], int):
                model = ', model %x to %x' % x.expected[k]
            r.examples.append(f'[{k}] {inputs}: PTX {p:0{w}x}, machine code {q:0{w}x}{model}')
    return rows
