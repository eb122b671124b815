"""Forms to PTX text and expected words.

Every file of data/ is a module. Comments say what to run and what comes out:

    // column NAME at=OFFSET bytes=W            where an operand column lies in operands.bin
    // run KERNEL grid=X[xYxZ] block=X[xYxZ] out=BYTES [in=FILE] [shared=BYTES] [params=HEX] [skip=gt240,...]
    // form NAME at=OFFSET [bytes=W] [n=N] [kind=KIND] [args=COLUMN,...]   belongs to the run above

W is 4, N the run's threads and KIND `exact` where they are not said.

The `.expect` beside it begins with a 32-bit word H; then, form after form, the first H values in
full and a CRC-32 of each block of 64 values; of kind `range` (`rangeb`: of bf16),
least and greatest value of each.
"""
import struct
import zlib

from . import columns, forms

HEAD = 8                                           # H; generate.py --full keeps all
BLOCK = 64
CODE = {1: 'B', 2: 'H', 4: 'I', 8: 'Q'}


def canon(kind, v):
    """NaNs made one pattern where any will do; the runner does the same."""
    def nan(bits, inf, out):
        return out if v & ((1 << (bits - 1)) - 1) > inf else v
    if kind == 'nan32':
        return nan(32, 0x7f800000, 0x7fffffff)
    if kind == 'nan64':
        return nan(64, 0x7ff0000000000000, 0x7fffffffffffffff)
    if kind == 'nan16':
        return nan(16, 0x7c00, 0x7fff)
    if kind == 'nanb16':
        return nan(16, 0x7f80, 0x7fff)
    if kind in ('nan16x2', 'nanb16x2'):
        half = kind[:-2]
        return canon(half, v >> 16) << 16 | canon(half, v & 0xffff)
    return v


def expect_bytes(width, kind, values):
    code = CODE[width]
    if kind in ('range', 'rangeb'):
        return b''.join(struct.pack(f'<2{code}', *v) for v in values)
    values = [canon(kind, v) for v in values]
    out = struct.pack(f'<{min(len(values), HEAD)}{code}', *values[:HEAD])
    for i in range(0, len(values), BLOCK):
        block = values[i:i + BLOCK]
        out += struct.pack('<I', zlib.crc32(struct.pack(f'<{len(block)}{code}', *block)))
    return out


class Module:
    """One file of tests."""

    def __init__(self, name, header='.version 8.8\n.target sm_90\n.address_size 64\n', skip=''):
        self.name, self.header, self.skip = name, header, skip
        self.text, self.expect = [], []
        self.kernels = 0
        self.forms = self.cases = 0
        self.uses_columns = False

    def run(self, kernel, grid, block, out, extra=''):
        self.threads = grid * block if isinstance(grid, int) else 0  # else the caller says
        skip = f' skip={self.skip}' if self.skip else ''
        self.text.append(f'// run {kernel} grid={grid} block={block} out={out}{extra}{skip}\n')

    def form(self, name, at, width, kind, values, args=''):
        rest = f' bytes={width}' if width != 4 else ''
        rest += f' n={len(values)}' if len(values) != self.threads else ''
        rest += f' kind={kind}' if kind != 'exact' else ''
        rest += f' args={args}' if args else ''
        self.text.append(f'// form {name} at={at}{rest}\n')
        self.expect.append(expect_bytes(width, kind, values))
        self.forms += 1
        self.cases += len(values)

    def add_forms(self, col, places, list_of_forms, n, per_kernel=10):
        self.uses_columns = True
        for i in range(0, len(list_of_forms), per_kernel):
            self.add_kernel(col, places, list_of_forms[i:i + per_kernel], n)

    def add_kernel(self, col, places, fs, n):
        kernel = f'k{self.kernels}'
        self.kernels += 1
        block = min(n, 64)
        at, slots = 0, []
        for f in fs:
            slots.append(at)
            at += n * forms.DST_BYTES[f.dst]
        self.run(kernel, n // block, block, at, ' in=operands')
        for f, slot in zip(fs, slots):
            cols = [o for o in f.ops.values() if isinstance(o, str)]
            values = [f.expected(col, k) for k in range(n)]
            self.form(f.name + f.tag, slot, forms.DST_BYTES[f.dst], f.kind, values, ','.join(cols))
        used = list(dict.fromkeys(c for f in fs for c in f.columns()))
        widths = sorted({columns.width(c) for c in used} | {forms.DST_BYTES[f.dst] for f in fs})
        t = [f'.visible .entry {kernel}(.param .u64 in, .param .u64 out)\n{{\n',
             ' .reg .u32 %i<4>; .reg .u64 %in, %out, %p<9>, %q<9>; .reg .pred %g;\n']
        t += [f' .reg .{columns.REG[c.split(".")[0]]} {reg(c)};\n' for c in used]
        t.append(' mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;\n'
                 ' mad.lo.u32 %i0, %i0, %i1, %i2;\n'
                 ' ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n')
        for w in widths:
            t.append(f' mul.wide.u32 %p{w}, %i0, {w}; add.u64 %q{w}, %p{w}, %out;'
                     f' add.u64 %p{w}, %p{w}, %in;\n')
        for c in used:
            w = columns.width(c)
            t.append(f' ld.global.b{8 * w} {reg(c)}, [%p{w}+{places[c]}];\n')
        if any(f.guard for f in fs):
            t.append(' setp.ne.u32 %g, %bitq, 0;\n')
        for f, slot in zip(fs, slots):
            t.append(self.body(f, slot))
        t.append(' ret;\n}\n')
        self.text += t

    def body(self, f, slot):
        names = {k: reg(o) if isinstance(o, str) else o[1] for k, o in f.ops.items()}
        w = forms.DST_BYTES[f.dst]
        op = f.text.format(out='d', **names)
        s = f' {{ .reg .{f.dst} d;'
        if f.dst == 'pred':
            s += ' .reg .u32 e;'
        if f.guard:
            old = reg(forms.OLD[f.dst])
            s += f' setp.ne.u32 d, {old}, 0;' if f.dst == 'pred' else f' mov.b{8 * w} d, {old};'
            op = f'{f.guard}%g {op}'
        s += f' {op}' if op.endswith('}') else f' {op};'
        if f.dst == 'pred':
            s += ' selp.u32 e, 1, 0, d;'
        return s + f' st.global.b{8 * w} [%q{w}+{slot}], {"e" if f.dst == "pred" else "d"}; }}\n'

    def write(self, folder, places):
        head = self.header
        if self.uses_columns:
            for c, at in places.items():
                head += f'// column {c} at={at} bytes={columns.width(c)}\n'
        with open(f'{folder}/{self.name}.ptx', 'w', newline='\n') as f:
            f.write('// Made by tests/semantics/generate.py.\n' + head + ''.join(self.text))
        with open(f'{folder}/{self.name}.expect', 'wb') as f:
            f.write(struct.pack('<I', HEAD) + b''.join(self.expect))
        return f'{self.name}: {self.forms} forms, {self.cases} cases'


def reg(column):
    return '%' + column.replace('.', '')
