"""Kernels of several threads: what lanes, warps and CTAs do together, memory, calls, control flow.

A Program has T threads; word k of thread i lies at out + 4 (k T + i). `%o` is out + 4 i, `%i` the
thread's number in the grid, `%t` in its CTA, `%l` in its warp, `%in` and `%out` the parameters.
"""
from .ints import mask

M32 = mask(32)


class Program:
    def __init__(self, name, block=64, grid=1):
        self.name, self.block, self.grid = name, block, grid
        self.threads = block * grid
        self.outside, self.lines, self.forms = [], [], []
        self.words = 0

    def top(self, text):
        """Text at module scope, before the kernel."""
        self.outside.append(text)
        return self

    def __call__(self, text):
        self.lines.append(text)
        return self

    def out(self, reg, values, name='', guard=''):
        """Stores a 32-bit register; values: list, or function of the thread's number."""
        if callable(values):
            values = [values(i) for i in range(self.threads)]
        assert len(values) == self.threads
        self(f'{guard} st.global.b32 [%o+{4 * self.words * self.threads}], {reg};')
        self.forms.append((f'{self.name}:{name or self.words}', 4 * self.words * self.threads,
                           [v & M32 for v in values]))
        self.words += 1
        return self

    def out64(self, reg, values, name='', guard=''):
        if callable(values):
            values = [values(i) for i in range(self.threads)]
        self(f'{guard} mov.b64 {{%lo, %hi}}, {reg};')
        self.out('%lo', [v & M32 for v in values], name + '.lo', guard)
        return self.out('%hi', [v >> 32 & M32 for v in values], name + '.hi', guard)

    def keep(self, values, name=''):
        """Words that the text itself stores, or that stay as they were (0xcdcdcdcd)."""
        if callable(values):
            values = [values(i) for i in range(self.threads)]
        at = 4 * self.words * self.threads
        self.forms.append((f'{self.name}:{name or self.words}', at, [v & M32 for v in values]))
        self.words += 1
        return at

    def add_to(self, m):
        self.emit(m)

    def emit(self, m):
        kernel = f'{self.name}'
        m.run(kernel, self.grid, self.block, 4 * self.words * self.threads, ' in=operands')
        for name, at, values in self.forms:
            m.form(name, at, 4, 'exact', values)
        m.text += [t + '\n' for t in self.outside]
        m.text.append(
            f'.visible .entry {kernel}(.param .u64 in, .param .u64 out)\n{{\n'
            ' .reg .b32 %i, %t, %l, %lo, %hi, %r<40>; .reg .s32 %s<10>; .reg .b64 %in, %out, %o, %d<30>;\n'
            ' .reg .b16 %h<10>; .reg .f32 %f<10>; .reg .pred %p<10>;\n'
            ' mov.u32 %t, %tid.x; mov.u32 %l, %laneid; mov.u32 %i, %ctaid.x;\n'
            f' mad.lo.u32 %i, %i, {self.block}, %t; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n'
            ' mul.wide.u32 %o, %i, 4; add.u64 %o, %o, %out;\n')
        m.text += [f' {line.strip()}\n' for line in self.lines]
        m.text.append(' ret;\n}\n')


def value(i, k=0):
    """A number that differs in every thread: the text computes it with `seed`."""
    return (i * 0x9e3779b1 + k * 0x85ebca6b + 0x1234567) & M32


def seed(reg, k=0, of='%i'):
    c = (k * 0x85ebca6b + 0x1234567) & M32
    return f'mad.lo.u32 {reg}, {of}, 0x9e3779b1, {c:#x};'


def signed(v, bits=32):
    v &= mask(bits)
    return v - (1 << bits) if v >> (bits - 1) else v
