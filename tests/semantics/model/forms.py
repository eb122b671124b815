"""A form: one instruction with its operands, and what the model says it computes."""


class Form:
    """text holds {out} for the destination and {a}, {b}, ... for operands; `ops` gives for each
    letter a column (register), or an int (the immediate is in `literal`). `fn` takes the operands'
    bits in order. Destination: a register type, or 'pred'."""

    def __init__(self, text, dst, ops, fn, kind='exact', name=None, guard=None, tag=''):
        self.text, self.dst, self.ops, self.fn, self.kind = text, dst, ops, fn, kind
        self.guard, self.tag = guard, tag
        self.name = name or text.split(None, 1)[0]

    def columns(self):
        cols = [o for o in self.ops.values() if isinstance(o, str)]
        if self.guard:
            cols += ['bit.q', OLD[self.dst]]
        return cols

    def expected(self, col, i):
        v = self.fn(*[col[o][i] if isinstance(o, str) else o[0] for o in self.ops.values()])
        if self.guard:
            old = col[OLD[self.dst]][i]
            if self.dst == 'pred':
                old &= 1
            take = col['bit.q'][i] == (self.guard == '@')
            return v if take else old
        return v


# Where the old value of a guarded destination comes from.
OLD = {'pred': 'bit.p', 'u16': 'u16.c', 's16': 'u16.c', 'b16': 'u16.c', 'u32': 'u32.c', 's32': 'u32.c',
       'b32': 'u32.c', 'f32': 'f32.c', 'u64': 'u64.c', 's64': 'u64.c', 'b64': 'u64.c', 'f64': 'f64.c'}
DST_BYTES = {'pred': 4, 'u16': 2, 's16': 2, 'b16': 2, 'u32': 4, 's32': 4, 'b32': 4, 'f32': 4, 'u64': 8,
             's64': 8, 'b64': 8, 'f64': 8}


def literal(kind, v):
    """The bits v as PTX writes a constant of a type."""
    if kind == 'f32':
        return f'0f{v:08X}'
    if kind == 'f64':
        return f'0d{v:016X}'
    if kind[0] == 's':
        bits = int(kind[1:])
        return str(v - (1 << bits) if v >> (bits - 1) else v)
    return str(v) if v < 10 else f'0x{v:x}'
