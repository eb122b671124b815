"""Kernels by set, all of one shape: text, a launch, and what its output holds."""
import pathlib
import random
import re

import bits
import matrices
import moves
import newer
from model import columns, emit, randprog  # of tests/semantics
from model.forms import Form

HEADER = '.version {isa}\n.target sm_{arch}\n.address_size 64\n'
THREADS, BLOCK = columns.N, 64
# Results that PTX leaves open: an operand is made a defined one first. t2 and x2 are the programs' own.
DEFINED = {'div.u32': ('or.b32 t2, {b}, 1;', 't2', lambda b: b | 1), 'div.s32': ('or.b32 t2, {b}, 1;', 't2', lambda b: b | 1),
           'rem.u32': ('or.b32 t2, {b}, 1;', 't2', lambda b: b | 1), 'rem.s32': ('or.b32 t2, {b}, 1;', 't2', lambda b: b | 1),
           'div.u64': ('or.b64 x2, {b}, 1;', 'x2', lambda b: b | 1), 'div.s64': ('or.b64 x2, {b}, 1;', 'x2', lambda b: b | 1),
           'rem.u64': ('or.b64 x2, {b}, 1;', 'x2', lambda b: b | 1), 'rem.s64': ('or.b64 x2, {b}, 1;', 'x2', lambda b: b | 1)}
# What PTX leaves open, or ptxas does otherwise than it says (verdict.py): the negative of the least number, saturated
# differences with it, bit fields beyond their word, 16-bit shifts by immediates beyond 65535, guarded comparisons into f32.
LOOSE = re.compile(r'^((neg|abs)\.s(16|32)|sub\.sat|bf[ei]\.|sh[lr]\..16|set\..*\.f32\.|(div|rem)\..16)')
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


def defined(f):
    """A form whose result PTX defines for all operands."""
    if f.name not in DEFINED:
        return f
    before, now, change = DEFINED[f.name]
    out = Form(before + ' ' + f.text.replace('{b}', now), f.dst, f.ops, lambda a, b, fn=f.fn: fn(a, change(b)), f.kind, f.name)
    return out


class Program(randprog.Gen):
    """A random program whose operations of two instructions have no guard, nor what ptxas does without its guard."""

    def op(self, n=None, fixed=None):
        while True:
            kind, f, d, srcs, guard = super().op(n, fixed)
            same = f.name.startswith(('min', 'max')) and srcs[0] == srcs[1]   # ptxas takes a NaN as it is
            if not same and not (n and ';' in f.text):  # functions have no registers for two
                return kind, f, d, srcs, None if ';' in f.text or f.name.startswith(('set.', 'testp')) else guard


def programs_into(m, col, places, seed, numbers, sizes):
    """Random programs of the model, without what newer GPUs have: what they compute is known, too."""
    groups, weight = randprog.pools(col)
    groups = {k: [defined(f) for f in g if not any(w in f.name for w in NEWER) and not LOOSE.match(f.name)]
              for k, g in groups.items()}
    m.text.append(randprog.SCRATCH)
    for k in numbers:
        shape = random.Random(f'{seed}:{k}')
        g = Program(k, f'{seed}.{k}', (groups, weight), shape.random() < 0.2, shape.choice(sizes))
        g.name = f'program{k}'               # p1 is a register, and ptxas crashes on a kernel of that name
        m.run(g.name, 1, randprog.T, 12 * randprog.T, ' in=operands')
        for j, (values, what) in enumerate(zip(g.run(col), ('ints', 'wide', 'floats'))):
            m.form(f'{g.name}:{what}', 4 * randprog.T * j, 4, 'exact', values)
        m.text.append(g.ptx(places))


def random_set(col, places, count, first, seed):
    for at in range(first, first + count, 100):
        m = Collector('random')
        programs_into(m, col, places, seed, range(at, min(at + 100, first + count)), [12, 24, 40, 70, 120])
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
        x = Output(f.name, 0, 4, 4 * THREADS)
        if f.name.endswith('add.f64'):                 # a NaN may be any
            x = Output(f.name, 0, 8, 2 * THREADS, 'float', (), None, 'd')
        out.append(Kernel(f'm{k}', f.kernel(f'm{k}'), 16 * THREADS, [x]))
    return pack('moves', out, moves.TABLE)


def newer_set(places, arch):
    return pack('newer', [Kernel(f'n{k}', f.kernel(f'n{k}'), 16 * THREADS, [Output(f.name, 0, 4, 4 * THREADS)])
                          for k, f in enumerate(newer.forms(places, int(arch.rstrip('a'))))])


def matrices_set(places):
    out = []
    for k, f in enumerate(matrices.forms()):
        x = Output(f.name, 0, 4, 4 * 512, f.kind, (), None, f.format)
        out.append(Kernel(f'w{k}', f.kernel(f'w{k}'), 4 * 2048, [x], 4, 32))
    return pack('matrices', out)


# ---- what tests/semantics/two_ways keeps: many forms a kernel
class Unknown(Form):
    """A form that no model has an expectation for."""

    def expected(self, col, i):
        return 0


def as_form(b, guarded):
    """An operation of bits.def as a form of the model's printer."""
    letters = dict(zip('abce', b.columns()))
    before = ''
    if re.match(r'(div|rem)\.[us]\d', b.name):
        w = 8 * bits.BYTES.get(b.operands[1], 4)
        before = f' .reg .b{w} %v; or.b{w} %v,{{b}},1;'
        b.body = b.body.replace('$b', '%v')
    elif re.match(r'bf[ei]\.', b.name):
        pos, length = 'bc' if b.name[2] == 'e' else 'ce'
        before = f' .reg .b32 %v, %w; and.b32 %v,{{{pos}}},255; and.b32 %w,{{{length}}},255;'
        b.body = b.body.replace('$' + pos, '%v').replace('$' + length, '%w')
    body = re.sub(r'\$d', '{out}', re.sub('[{}]', lambda m: 2 * m.group(), b.body))
    body = re.sub(r'\$([abce])', r'{\1}', body)
    zero = before + ''.join(f' setp.ne.b32 %q0,{{{x}}},0;' for x, k in zip('abce', b.operands) if k == 'z')
    if ';' in body.rstrip(';') or zero:
        body = f'{{{{ .reg .b32 %u<4>; .reg .b64 %t<4>; .reg .pred %q<4>;{zero} {body} }}}}'
    else:
        body = body.rstrip(';')
    kind = 'near' if b.kind == 'near' else 'exact'
    if b.format in tuple('hHbBd') and kind == 'exact':
        kind = {'h': 'nan16', 'H': 'nan16x2', 'd': 'nan64'}[b.format]
    if re.match(r'(abs|neg)\..*f32', b.name):
        kind = 'nan32'                                 # which NaN the negative of one is
    dst = {2: 'b16', 4: 'b32', 8: 'b64'}[bits.BYTES.get(b.result, 4)]
    return Unknown(body, dst, letters, None, kind, name=re.sub(r'[ ,]+', '_', ('@p ' if guarded else '') + b.name),
                   guard='@' if guarded and '{{' not in body else None)


class Kept(emit.Module):
    """A module of several forms a kernel, with the comments that tests read."""

    def __init__(self, name, isa, arch):
        super().__init__(name, HEADER.format(isa=isa, arch=arch))

    def run(self, kernel, grid, block, out, extra=''):
        super().run(kernel, grid, block, out, extra.replace('in=operands', 'in=../data/operands'))

    def form(self, name, at, width, kind, values, args=''):
        super().form(name, at, width, kind, [0] * len(values), args)

    def write(self, folder, places):
        head = self.header
        if self.uses_columns:
            head += ''.join(f'// column {c} at={at} bytes={columns.width(c)}\n' for c, at in places.items())
        path = pathlib.Path(folder) / f'{self.name}.ptx'
        path.write_text('// Made by tools/two-ways --keep.\n' + head + ''.join(self.text))
        return path


def kept(col, places, isa, arch, refused):
    """Modules to keep; `refused` are names of forms that a compiler does not take."""
    every = [b for b in bits.forms() if '$s' not in b.body and '$m' not in b.body]
    part = {'floats': 'hHfd', 'integers': 'sil'}
    for name, results in part.items():
        m = Kept('bits_' + name, isa, arch)
        fs = [as_form(b, g) for k, b in enumerate(every) for g in ((False, True) if k % 5 == 0 and not b.together else (False,))
              if b.result in results and not b.together and not {b.name, '@p ' * g + b.name} & refused]
        m.add_forms(col, places, fs, 256, 40)
        yield m
    m = Kept('bits_warps', isa, arch)
    m.add_forms(col, places, [as_form(b, False) for b in every if b.together and b.name not in refused], 128, 20)
    yield m
    m = Kept('moves', isa, arch)
    m.text.append(moves.TABLE)
    plain = [f for f in moves.forms() if f.name not in refused and '(executes)' not in f.name]
    plain = [f for k, f in enumerate(plain) if not re.search(r'^(ld|st|atom|red)\.[a-zL]+[.:\d_a-z]*\.', f.name) or
             not re.search(r'relaxed|acquire|release|acq_rel|volatile|weak|L1::', f.name) or k % 9 == 0]
    for at in range(0, len(plain), 40):
        some = plain[at:at + 40]
        kernel = f'moves{at // 40}'
        m.run(kernel, 4, BLOCK, 16 * 1024 * len(some), ' in=operands')
        for j, f in enumerate(some):
            m.form(re.sub(r'[ ,]+', '_', f.name), 16 * 1024 * j, 4, 'exact', [0] * (4 * 4 * BLOCK))
        m.text.append(moves.several(kernel, some))
    yield m
    for name, make in (('programs', programs_of_model), ('random', random_of_model)):
        m = Kept(name, isa, arch)
        make(m, col, places)
        yield m


# Modules of 7.0 that later architectures' code is kept of, too: they come by other ways there (uniform registers).
KEPT_AGAIN = ['bits_warps', 'programs', 'random']


# Modules of what came with a capability, kept for GPUs of it or later: their least and greatest capability.
KEPT_NEWER = {'newer_80': (80, 80), 'newer_89': (86, 89), 'newer_90': (90, 90)}


def kept_newer(name, places, isa, refused):
    least, most = KEPT_NEWER[name]
    m = Kept(name, isa, '90a' if most == 90 else most)
    fs = [f for f in newer.forms(places, most, least) if f.name not in refused]
    for at in range(0, len(fs), 8):
        some = fs[at:at + 8]
        kernel = f'newer{at // 8}'
        m.run(kernel, 4, BLOCK, 16 * 1024 * len(some), ' in=operands')
        for j, f in enumerate(some):
            m.form(re.sub(r'[ ,]+', '_', f.name), 16 * 1024 * j, 4, 'exact', [0] * (4 * 4 * BLOCK))
        m.text.append(moves.several(kernel, some))
    return m


def kept_matrices(isa, arch, refused):
    return matrices_into(Kept('matrices', isa, arch), (f for f in matrices.forms_of_turing() if f.name not in refused))


def kept_doubles(isa):
    return matrices_into(Kept('doubles', isa, '90'), matrices.doubles(16))


def matrices_into(m, forms):
    for k, f in enumerate(forms):
        kernel = f'w{k}'
        m.run(kernel, 4, 32, 4 * 2048, ' in=operands')
        m.form(re.sub(r' +', '_', f.name), 0, 4, 'exact', [0] * (4 * 512))
        m.text.append(f.kernel(kernel))
    return m


def programs_of_model(m, col, places):
    from model import atoms, flow, launches, memory, warps
    for p in (memory.generic() + memory.locals_() + memory.constants() + memory.parameters() + flow.loops() + flow.exits() +
              flow.calls() + flow.indirect() + flow.barriers() + atoms.crowds() + warps.shuffles(True) + warps.votes(True) +
              warps.matches() + launches.shapes() + launches.parameters() + launches.dynamic_shared() + launches.packing()):
        p.emit(m)


def random_of_model(m, col, places):
    programs_into(m, col, places, 'kept', range(24), [12, 24, 40])
