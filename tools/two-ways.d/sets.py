"""Kernels by set, all of one shape: text, a launch, and what its output holds."""
import random

import bits
import moves
from model import columns, emit, randprog  # tests/semantics

HEADER = '.version {isa}\n.target sm_{arch}\n.address_size 64\n'
THREADS, BLOCK = columns.N, 64
NEWER = ('relu', '.NaN', 'u16x2', 's16x2', 'xorsign', 'bf16', 'tf32', 'sat.u16x2')


class Output:
    """Values of `bytes` each in a kernel's output; kind as in tests/semantics/model/emit.py, or `near`: an
    approximation, or `float`: a NaN may be any. `format` is the letter of a float type in bits.def, or ''."""

    def __init__(self, name, at, size, count, kind='exact', args=(), expected=None, form=''):
        self.name, self.at, self.bytes, self.count, self.kind = name, at, size, count, kind
        self.args, self.expected, self.format = args, expected, form


class Kernel:
    def __init__(self, name, text, out, outputs, grid=THREADS // BLOCK, block=BLOCK, shared=0, params=''):
        self.name, self.text, self.out, self.outputs = name, text, out, outputs
        self.grid, self.block, self.shared, self.params = triple(grid), triple(block), shared, params

    def launch(self):
        return ' '.join(map(str, (self.name, *self.grid, *self.block, self.out, self.shared, self.params or '-')))


def triple(x):
    n = [int(k) for k in str(x).split('x')]
    return tuple(n + [1] * (3 - len(n)))


class Collector(emit.Module):
    """A module of the model, whose kernels come out one by one, a form each."""

    def __init__(self, name):
        super().__init__(name)
        self.kept, self.old = [], False

    def add_forms(self, col, places, forms, n, per_kernel=1):
        super().add_forms(col, places, forms, n, 1)

    def run(self, kernel, grid, block, out, extra=''):
        # Text at module scope before the first kernel belongs to all of them.
        self.close()
        self.now = dict(field.split('=') for field in extra.split() if '=' in field)
        self.now.update(name=kernel, grid=grid, block=block, out=out, outputs=[])
        super().run(kernel, grid, block, out, extra)

    def form(self, name, at, width, kind, values, args=''):
        self.now['outputs'].append(Output(f'{self.name}: {name}', at, width, len(values), kind,
                                          [a for a in args.split(',') if a], values))

    def close(self):
        text, self.text = ''.join(self.text), []
        if not hasattr(self, 'now'):
            self.common = text
            return
        k = self.now
        self.kept.append(Kernel(k['name'], text, k['out'], k['outputs'], k['grid'], k['block'], int(k.get('shared', 0)),
                                k.get('params', '')))


def model_set(col, places, modules, chosen):
    for name, make in modules.items():
        if name.startswith(('random', 'litmus')) or name in ('cvt_bf16',) or chosen and not name.startswith(chosen):
            continue
        m = Collector(name)
        make(m, col, places)
        if m.header != emit.Module('').header:               # 32-bit addresses, or operations without .sync
            continue
        m.close()
        yield f'model_{name}', m.common, m.kept


def random_set(col, places, count, first, seed):
    """Random programs of the model: what they compute is known, too."""
    groups, weight = randprog.pools(col)
    groups = {k: [f for f in g if not any(w in f.name for w in NEWER)] for k, g in groups.items()}
    shape = random.Random(seed)
    for at in range(first, first + count, 100):
        m = Collector('random')
        m.text.append(randprog.SCRATCH)
        for k in range(at, min(at + 100, first + count)):
            pressure = shape.random() < 0.2
            g = randprog.Gen(k, f'{seed}.{k}', (groups, weight), pressure, shape.choice([12, 24, 40, 70, 120]))
            g.name = f'program{k}'               # p1 is a register, and ptxas crashes on a kernel of that name
            m.run(g.name, 1, randprog.T, 12 * randprog.T, ' in=operands')
            for j, (values, what) in enumerate(zip(g.run(col), ('ints', 'wide', 'floats'))):
                m.form(f'{g.name}:{what}', 4 * randprog.T * j, 4, 'exact', values)
            m.text.append(g.ptx(places))
        m.close()
        yield f'random_{at}', m.common, m.kept


def pack(name, kernels, common='', size=400):
    for k in range(0, len(kernels), size):
        yield f'{name}_{k // size}', common, kernels[k:k + size]


def bits_set(places):
    out = []
    for k, f in enumerate(bits.forms()):
        for guarded in (False, True):
            if guarded and f.together:
                continue
            name = f'b{k}{"g" if guarded else ""}'
            text, width = f.kernel(name, places, guarded)
            title = ('@p ' if guarded else '') + f.name
            out.append(Kernel(name, text, width * THREADS,
                              [Output(title, 0, width, THREADS, f.kind, f.columns(), None, f.format)]))
    return pack('bits', out)


def moves_set(places):
    out = []
    for k, f in enumerate(moves.forms()):
        out.append(Kernel(f'm{k}', f.kernel(f'm{k}'), 16 * THREADS, [Output(f.name, 0, 4, 4 * THREADS)]))
    return pack('moves', out, moves.TABLE)
