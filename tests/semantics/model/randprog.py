"""Random programs: straight code, divergent branches, loops, calls, memory, exchanges; the same tree
is printed as PTX and interpreted thread by thread."""
import random

from . import cvt, fp, ints
from .forms import literal
from .ints import mask
from .programs import M32

T = 64                                             # threads: one CTA
CLASS = {'u16': 'h', 'u16x2': 'r', 'u32': 'r', 'u64': 'd', 'sh': 'r', 'f32': 'f', 'f64': 'e'}
DST = {'pred': 'p', 'u16': 'h', 's16': 'h', 'b16': 'h', 'u32': 'r', 's32': 'r', 'b32': 'r', 'f32': 'f',
       'u64': 'd', 's64': 'd', 'b64': 'd', 'f64': 'e'}
BITS = {'h': 16, 'r': 32, 'd': 64, 'f': 32, 'e': 64, 'p': 1}


def single(f):
    return not f.text.startswith('{') and ';' not in f.text


def pools(col):
    """Forms by kind, so that each kind is as likely as another."""
    simple = [f for f in ints.base_forms()]
    known = lambda f: all(c.split('.')[0] in CLASS for c in f.ops.values())
    groups = {'add': [], 'mul': [], 'bits': [], 'div': [], 'video': []}
    for f in simple:
        n = f.name
        if n.startswith(('add', 'sub', 'min', 'max', 'abs', 'neg', 'mov', 'sad')):
            groups['add'].append(f)
        elif n.startswith(('mul', 'mad', 'dp')):
            groups['mul'].append(f)
        elif n.startswith(('div', 'rem')):
            groups['div'].append(f)
        else:
            groups['bits'].append(f)
    compares = [f for f in ints.compare_forms(col) if single(f) and not f.guard and
                all(isinstance(o, str) for o in f.ops.values())]
    floats = [f for f in fp.base_forms('f32') if f.kind == 'exact' and
              ('.r' in f.name or f.name.startswith(('min', 'max', 'copysign')))]
    floats = [f for f in floats if not f.tag]
    fcompares = [f for f in fp.compare_forms('f32', col) if single(f) and not f.guard and
                 all(isinstance(o, str) for o in f.ops.values())]
    conversions = [f for f in cvt.int_to_int() if f.tag == ''] + cvt.int_to_float(('f32',)) + \
        cvt.float_to_int(('f32',))
    for f in conversions:
        f.ops = {k: v.replace('.v', '.a') for k, v in f.ops.items()}
    groups['setp'] = [f for f in compares if f.dst == 'pred']
    groups['set'] = [f for f in compares if f.dst != 'pred']
    groups['f32'] = floats
    groups['fsetp'] = [f for f in fcompares if f.dst == 'pred']
    groups['cvt'] = conversions
    groups['select'] = [f for f in ints.select_forms() if single(f) and f.dst != 'f64']
    del groups['video']
    for g in groups.values():
        assert g and all(known(f) for f in g)
    weight = {'add': 6, 'mul': 4, 'bits': 6, 'div': 1, 'setp': 4, 'set': 1, 'f32': 5, 'fsetp': 1, 'cvt': 4,
              'select': 2}
    return groups, weight


class Gen:
    def __init__(self, number, seed, pool, pressure=False, size=40):
        self.rnd = random.Random(seed)
        self.name, self.pressure = f'p{number}', pressure
        self.groups, self.weight = pool
        self.n = {'r': 70 if pressure else 8, 'd': 8 if pressure else 3, 'h': 6 if pressure else 3,
                  'f': 16 if pressure else 4, 'p': 12 if pressure else 4}
        # Some are squeezed into few registers.
        self.registers = self.rnd.choice([0, 0, 16, 20, 32]) if pressure else self.rnd.choice([0] * 9 + [16])
        self.labels = 0
        self.locals = 0
        r = self.rnd
        # Memory of the thread's own, 64 bytes a space, reached by its space or by generic addresses.
        self.spaces = [x for x in ('shared', 'local', 'global') if r.random() < 0.4]
        self.use_generic = bool(self.spaces) and r.random() < 0.4
        self.use_exit = r.random() < 0.2
        self.use_calls = r.random() < 0.25
        self.use_warp = not self.use_exit and r.random() < 0.4
        self.functions = [self.function() for _ in range(2)] if self.use_calls else []
        self.body = self.block(size, 0)

    # ---- trees
    def reg(self, c):
        return self.rnd.randrange(self.n[c])

    def op(self, n=None, fixed=None):
        r = self.rnd
        kind = r.choices(list(self.weight), list(self.weight.values()))[0]
        f = r.choice(self.groups[kind])
        srcs = []
        for letter, c in f.ops.items():
            t = c.split('.')[0]
            cls = CLASS[t]
            if r.random() < 0.2 and len(f.ops) > 1 and kind in ('add', 'mul', 'bits', 'div', 'f32') \
                    and 'x2' not in f.name:
                if cls == 'f':
                    v = r.choice([0x3f800000, 0x40490fdb, 0xbf000000, r.getrandbits(32), 0, 0x80000000])
                    srcs.append((None, v, literal('f32', v)))
                    continue
                ty = ints.operand_type(f.name, f.name.split('.')[-1].split(':')[0], letter, c)
                bits = BITS[cls]
                v = r.choice([0, 1, 2, 3, 7, 8, 31, mask(bits), 1 << (bits - 1), r.getrandbits(bits)])
                if f.name.startswith('bf') and t == 'sh':
                    v &= 0xff
                srcs.append((None, v, literal(ty if ty[0] in 'us' else 'u' + ty[1:], v)))
                continue
            srcs.append((cls, (n or self.n).get(cls) and self.rnd.randrange((n or self.n)[cls]), None))
        cls = DST[f.dst]
        guard = None
        if r.random() < 0.15:
            guard = (self.rnd.randrange((n or self.n)['p']), r.random() < 0.5)
        return ('op', f, (cls, self.rnd.randrange((n or self.n)[cls])), srcs, guard)

    def access(self):
        """A load, store or atomic at a fixed or a computed place of one of the thread's areas."""
        r = self.rnd
        space = r.choice(self.spaces)
        kind = r.choices(['ld', 'st', 'atom', 'red'], [5, 5, 1, 1])[0]
        if kind in ('atom', 'red') and space == 'local':
            kind = 'st'
        t = r.choice(['u8', 's8', 'u16', 's16', 'u32', 'u64', 'f32', 'b32'])
        v = r.choice([1, 1, 1, 2, 4])
        if kind in ('atom', 'red'):
            t, v = r.choice(['u32', 's32', 'b32']), 1
        while v * int(t[1:]) > 128:
            v //= 2
        cls = {'u64': 'd', 'f32': 'f'}.get(t, 'r')
        bytes_ = v * int(t[1:]) // 8
        fixed = r.randrange(0, 64, bytes_) if r.random() < 0.6 else None
        # The registers of a loaded vector differ.
        regs = r.sample(range(self.n[cls]), v) if v <= self.n[cls] else None
        if regs is None:
            v, regs, bytes_ = 1, [self.reg(cls)], int(t[1:]) // 8
        op = {'u32': r.choice(['add', 'min', 'max', 'inc']), 's32': r.choice(['min', 'max']),
              'b32': r.choice(['and', 'or', 'xor', 'exch'] if kind == 'atom' else ['and', 'or', 'xor'])}.get(t)
        guard = (self.reg('p'), r.random() < 0.5) if r.random() < 0.2 else None
        generic = self.use_generic and r.random() < 0.4
        volatile = kind in ('ld', 'st') and space != 'local' and r.random() < 0.1
        return (kind, space, t, fixed, self.reg('r'), cls, regs, op, guard, generic, volatile)

    def function(self):
        """A pure function of two words: registers of its own, an inner branch."""
        n = {'r': 4, 'd': 2, 'h': 2, 'f': 2, 'p': 2}
        ops = [self.op(n) for _ in range(self.rnd.randint(2, 6))]
        more = [self.op(n) for _ in range(self.rnd.randint(1, 4))]
        return ops, more

    def block(self, size, depth):
        r = self.rnd
        out = []
        while size > 0:
            x = r.random()
            if x < 0.10 and depth < 3 and size > 6:
                k = r.randint(2, size // 2)
                out.append(('if', self.reg('p'), r.random() < 0.5, self.block(k, depth + 1),
                            self.block(r.randint(1, k), depth + 1) if r.random() < 0.5 else []))
                size -= k + 2
            elif x < 0.14 and depth < 2 and size > 6:
                k = r.randint(2, size // 2)
                self.locals += 1
                mine = self.locals  # loops within count further
                brk = (self.reg('p'), r.random() < 0.5) if r.random() < 0.5 else None
                cont = (self.reg('p'), r.random() < 0.5) if r.random() < 0.3 else None
                body = self.block(k, depth + 1)
                out.append(('loop', mine, self.reg('r'), body, brk, cont, r.randrange(len(body) + 1)))
                size -= k + 3
            elif x < 0.26 and self.spaces:
                out.append(self.access())
                size -= 1
            elif x < 0.28 and self.functions:
                out.append(('call', r.randrange(2), self.reg('r'), self.reg('r'), self.reg('r')))
                size -= 2
            elif x < 0.33 and self.use_warp and depth == 0 and r.random() < 0.3:
                out.append(('exchange', self.reg('r'), self.reg('r'), r.choice([1, 5, 31, 32, 63])))
                size -= 1
            elif x < 0.33 and self.use_warp and depth == 0:
                out.append(('shfl', r.choice(['up', 'down', 'bfly', 'idx']), self.reg('r'), self.reg('r'),
                            r.randrange(32)) if r.random() < 0.6 else
                           ('ballot', self.reg('r'), self.reg('p')))
                size -= 1
            elif x < 0.35 and self.use_exit and depth > 0:
                out.append(('exit', self.reg('p'), r.random() < 0.5))
                size -= 1
            elif x < 0.37:
                k = r.choice(['pand', 'por', 'pxor', 'pnot', 'pq'])
                out.append((k, self.reg('p'), self.reg('p'), self.reg('p'), self.reg('r'), self.reg('r')))
                size -= 1
            else:
                out.append(self.op())
                size -= 1
        return out

    # ---- PTX
    def label(self):
        self.labels += 1
        return f'L{self.labels}'

    def text_op(self, s):
        _, f, d, srcs, guard = s
        names = {k: (v[2] if v[0] is None else f'{v[0]}{v[1]}') for k, v in zip(f.ops, srcs)}
        g = f'@{"!" if guard[1] else ""}p{guard[0]} ' if guard else ''
        return g + f.text.format(out=f'{d[0]}{d[1]}', **names) + ';'

    def text(self, block):
        out = []
        for s in block:
            k = s[0]
            if k == 'op':
                out.append(self.text_op(s))
            elif k == 'if':
                other, end = self.label(), self.label()
                out.append(f'@{"" if s[2] else "!"}p{s[1]} bra {other};')
                out += self.text(s[3])
                if s[4]:
                    out.append(f'bra {end};')
                out.append(f'{other}:')
                if s[4]:
                    out += self.text(s[4])
                    out.append(f'{end}:')
            elif k == 'loop':
                _, i, bound, body, brk, cont, at = s
                top, nxt, end = self.label(), self.label(), self.label()
                out.append(f'and.b32 n{i}, r{bound}, 3; mov.u32 c{i}, 0;')
                out.append(f'{top}:')
                out += self.text(body[:at])
                if cont:
                    out.append(f'@{"!" if cont[1] else ""}p{cont[0]} bra {nxt};')
                out += self.text(body[at:])
                if brk:
                    out.append(f'@{"!" if brk[1] else ""}p{brk[0]} bra {end};')
                out.append(f'{nxt}: add.u32 c{i}, c{i}, 1; setp.le.u32 q{i}, c{i}, n{i}; @q{i} bra {top};')
                out.append(f'{end}:')
            elif k in ('st', 'ld', 'atom', 'red'):
                out.append(self.text_access(s))
            elif k == 'exchange':
                out.append(f'st.shared.b32 [xb], r{s[2]}; bar.sync 0; xor.b32 t0, xt, {s[3]}; mad.lo.u32 t0, t0, 4, xs;'
                           f' ld.shared.b32 r{s[1]}, [t0]; bar.sync 0;')
            elif k == 'call':
                out.append(f'call (r{s[2]}), {self.name}f{s[1]}, (r{s[3]}, r{s[4]});')
            elif k == 'shfl':
                out.append(f'shfl.sync.{s[1]}.b32 r{s[2]}, r{s[3]}, {s[4]}, {0 if s[1] == "up" else 31}, -1;')
            elif k == 'ballot':
                out.append(f'vote.sync.ballot.b32 r{s[1]}, p{s[2]}, -1;')
            elif k == 'exit':
                out.append(f'@{"!" if s[2] else ""}p{s[1]} ret;')
            elif k == 'pq':
                out.append(f'setp.lt.and.u32 p{s[1]}|p{s[2]}, r{s[4]}, r{s[5]}, p{s[3]};' if s[1] != s[2] else
                           f'setp.lt.and.u32 p{s[1]}, r{s[4]}, r{s[5]}, p{s[3]};')
            elif k == 'pnot':
                out.append(f'not.pred p{s[1]}, p{s[2]};')
            else:
                out.append(f'{k[1:]}.pred p{s[1]}, p{s[2]}, p{s[3]};')
        return out

    def text_access(self, s):
        kind, space, t, fixed, a, cls, regs, op, guard, generic, volatile = s
        size = len(regs) * int(t[1:]) // 8
        base = {'shared': 's', 'local': 'l', 'global': 'g'}[space] + ('g' if generic else 'b')
        pre = ''
        if fixed is not None:
            at = f'[{base}+{fixed}]' if fixed else f'[{base}]'
        elif base in ('sb', 'lb'):
            pre, at = f'and.b32 t0, r{a}, {64 - size}; add.u32 t0, t0, {base}; ', '[t0]'
        else:
            pre = f'and.b32 t0, r{a}, {64 - size}; cvt.u64.u32 x3, t0; add.u64 x3, x3, {base}; '
            at = '[x3]'
        g = f'@{"!" if guard[1] else ""}p{guard[0]} ' if guard else ''
        dot = '' if generic else '.' + space
        if kind in ('atom', 'red'):
            d = f'r{self.old_of(regs)}, ' if kind == 'atom' else ''
            return f'{pre}{g}{kind}{dot}.{op}.{t} {d}{at}, {cls}{regs[0]};'
        vec = f'.v{len(regs)}' if len(regs) > 1 else ''
        names = ', '.join(f'{cls}{x}' for x in regs)
        names = f'{{{names}}}' if vec else names
        k = kind + ('.volatile' if volatile else '') + dot + vec + '.' + t
        return f'{pre}{g}{k} {names}, {at};' if kind == 'ld' else f'{pre}{g}{k} {at}, {names};'

    def old_of(self, regs):
        """The register that an atomic's old value goes to."""
        return (regs[0] * 3 + 1) % self.n['r']

    def function_text(self, j):
        ops, more = self.functions[j]
        t = [f'.func (.reg .b32 r3) {self.name}f{j}(.reg .b32 r0, .reg .b32 r1)\n{{\n'
             ' .reg .b32 r2; .reg .b64 d<2>; .reg .b16 h<2>; .reg .f32 f<2>; .reg .pred p<2>;\n'
             ' mov.b32 r2, 5; mov.b32 r3, r0; mov.b64 d0, {r0, r1}; mov.b64 d1, 7; mov.b32 {h0, h1}, r1;'
             ' mov.b32 f0, r0; mov.b32 f1, r1; setp.lt.u32 p0, r0, r1; setp.eq.u32 p1, r0, r1;\n']
        t += [f' {self.text_op(s)}\n' for s in ops]
        t.append(' @p0 bra END;\n')
        t += [f' {self.text_op(s)}\n' for s in more]
        t.append('END: xor.b32 r3, r3, r2; ret;\n}\n')
        return ''.join(t)

    def ptx(self, places):
        lines = [f' .reg .b32 r<{self.n["r"]}>, n<{self.locals + 1}>, c<{self.locals + 1}>, t<4>, sb, lb;'
                 f' .reg .b64 d<{self.n["d"]}>, in, o, x<4>; .reg .b16 h<{self.n["h"]}>;'
                 f' .reg .f32 f<{self.n["f"]}>; .reg .pred p<{self.n["p"]}>, q<{self.locals + 1}>;']
        if 'local' in self.spaces:
            lines.append(' .local .align 16 .b8 la[64]; mov.u32 lb, la;')
        if 'shared' in self.spaces:
            lines.append(f' .shared .align 16 .b8 sa[{64 * T}]; mov.u32 sb, sa;')
        lines.append(' .reg .b64 sg, lg, gg, gb; .reg .b32 xb, xs, xt;')
        lines.append(' ld.param.u64 in, [in]; ld.param.u64 o, [out]; mov.u32 t1, %tid.x; mul.wide.u32 x1, t1, 2;'.replace(
            '[in]', f'[{self.name}_in]').replace('[out]', f'[{self.name}_out]'))
        lines.append(' add.u64 in, in, x1; mul.wide.u32 x2, t1, 4; add.u64 o, o, x2;')
        # r0.. from the columns: registers of 16 bits stride 2, words need the offset twice.
        lines.append(' add.u64 x2, in, x1; mul.wide.u32 x3, t1, 6; add.u64 x3, in, x3;')
        for cls, base, w in (('r', 'x2', 4), ('h', 'in', 2), ('f', 'x2', 4), ('d', 'x3', 8)):
            row = []
            for k in range(self.n[cls]):
                row.append(f'ld.global.b{8 * w} {cls}{k}, [{base}+{places[source(cls, k)[0]] + w * source(cls, k)[1]}];')
            for j in range(0, len(row), 4):
                lines.append(' ' + ' '.join(row[j:j + 4]))
        lines += self.rows(f'and.b32 t0, r{k % 4}, {1 << k}; setp.ne.u32 p{k}, t0, 0;' for k in range(self.n['p']))
        if self.use_warp:
            lines.append(f' .shared .align 4 .b32 xa[{T}]; mov.u32 xs, xa; mov.u32 xt, t1; mad.lo.u32 xb, t1, 4, xs;')
        if 'shared' in self.spaces:
            lines.append(' mad.lo.u32 sb, t1, 64, sb; cvt.u64.u32 sg, sb; cvta.shared.u64 sg, sg;')
        if 'local' in self.spaces:
            lines.append(' cvt.u64.u32 lg, lb; cvta.local.u64 lg, lg;')
        if 'global' in self.spaces:
            lines.append(' mul.wide.u32 gb, t1, 64; mov.u64 gg, scratch; add.u64 gb, gb, gg; cvta.global.u64 gg, gb;')
        for space in self.spaces:
            lines.append(' ' + ' '.join(
                f'st.{space}.v4.b32 [{space[0]}b+{16 * k}], {{r{k}, r{k + 1}, r{k + 2}, r{k + 3}}};' for k in range(4)))
        lines += [' ' + s for s in self.text(self.body)]
        lines.append(' mov.b32 t0, 1; mov.b32 t1, 1; mov.b32 t2, 1;')
        lines += self.rows(f'mad.lo.u32 t0, t0, 31, r{k};' for k in range(self.n['r']))
        lines += self.rows(f'mov.b64 {{t3, n0}}, d{k}; mad.lo.u32 t1, t1, 31, t3; mad.lo.u32 t1, t1, 31, n0;'
                           for k in range(self.n['d']))
        lines += self.rows(f'cvt.u32.u16 t3, h{k}; mad.lo.u32 t1, t1, 31, t3;' for k in range(self.n['h']))
        lines += self.rows(f'mov.b32 t3, f{k}; mad.lo.u32 t2, t2, 31, t3;' for k in range(self.n['f']))
        lines += self.rows(f'selp.u32 t3, 1, 0, p{k}; mad.lo.u32 t2, t2, 2, t3;' for k in range(self.n['p']))
        lines.append(f' st.global.b32 [o], t0; st.global.b32 [o+{4 * T}], t1; st.global.b32 [o+{8 * T}], t2;')
        return ''.join(self.function_text(j) for j in range(len(self.functions))) + \
            f'.visible .entry {self.name}(.param .u64 {self.name}_in, .param .u64 {self.name}_out)' + \
            (f' .maxnreg {self.registers}' if self.registers else '') + '\n{\n' + \
            '\n'.join(lines) + '\n ret;\n}\n'

    @staticmethod
    def rows(items, per=4):
        items = list(items)
        return [' ' + ' '.join(items[k:k + per]) for k in range(0, len(items), per)]

    # ---- what it computes
    def run(self, col):
        states = []
        for i in range(T):
            st = {c: [col[source(c, k)[0]][i + source(c, k)[1]] for k in range(self.n[c])] for c in 'rhfd'}
            st['p'] = [st['r'][k % 4] >> k & 1 for k in range(self.n['p'])]
            init = b''.join(st['r'][k + j].to_bytes(4, 'little') for k in range(4) for j in range(4))
            for space in ('shared', 'local', 'global'):
                st[space] = bytearray(init)
            st['gone'] = False
            states.append(st)
        for s in self.body:
            if s[0] == 'shfl':
                old = [st['r'][s[3]] for st in states]
                for i, st in enumerate(states):
                    lane, b = i & 31, s[4]
                    j = {'up': lane - b, 'down': lane + b, 'bfly': lane ^ b, 'idx': b}[s[1]]
                    st['r'][s[2]] = old[i & ~31 | j] if 0 <= j < 32 else old[i]
            elif s[0] == 'exchange':
                old = [st['r'][s[2]] for st in states]
                for i, st in enumerate(states):
                    st['r'][s[1]] = old[i ^ s[3]]
            elif s[0] == 'ballot':
                for w in range(0, T, 32):
                    v = sum(states[w + l]['p'][s[2]] << l for l in range(32))
                    for l in range(32):
                        states[w + l]['r'][s[1]] = v
            else:
                for st in states:
                    if not st['gone']:
                        self.step(st, s)
        out = [[], [], []]
        for st in states:
            if st['gone']:
                for o in out:
                    o.append(0xcdcdcdcd)
                continue
            a = b = c = 1
            for v in st['r']:
                a = a * 31 + v & M32
            for v in st['d']:
                b = b * 31 + (v & M32) & M32
                b = b * 31 + (v >> 32) & M32
            for v in st['h']:
                b = b * 31 + v & M32
            for v in st['f']:
                c = c * 31 + v & M32
            for v in st['p']:
                c = c * 2 + v & M32
            for o, v in zip(out, (a, b, c)):
                o.append(v)
        return out

    def do_op(self, st, s):
        _, f, d, srcs, guard = s
        if guard and st['p'][guard[0]] == guard[1]:
            return
        v = f.fn(*[x[1] if x[0] is None else st[x[0]][x[1]] for x in srcs])
        st[d[0]][d[1]] = v & mask(BITS[d[0]])

    def steps(self, st, block):
        for s in block:
            self.step(st, s)
            if st['gone']:
                return

    def do_access(self, st, s):
        kind, space, t, fixed, a, cls, regs, op, guard, _, _ = s
        if guard and st['p'][guard[0]] == guard[1]:
            return
        b = int(t[1:]) // 8
        at = fixed if fixed is not None else st['r'][a] & (64 - b * len(regs))
        mem = st[space]
        for k, x in enumerate(regs):
            here = slice(at + k * b, at + k * b + b)
            if kind == 'st':
                mem[here] = (st[cls][x] & mask(8 * b)).to_bytes(b, 'little')
                continue
            v = int.from_bytes(mem[here], 'little')
            if kind == 'ld':
                if t[0] == 's':
                    v = ints.signed(v, 8 * b)
                st[cls][x] = v & mask(BITS[cls])
                continue
            y = st[cls][x]
            less = lambda u: ints.val(t, u)
            new = {'add': v + y, 'min': min(v, y, key=less) if t != 'b32' else 0,
                   'max': max(v, y, key=less) if t != 'b32' else 0, 'inc': 0 if v >= y else v + 1, 'and': v & y,
                   'or': v | y, 'xor': v ^ y, 'exch': y}[op] & M32
            mem[here] = new.to_bytes(4, 'little')
            if kind == 'atom':
                st['r'][self.old_of(regs)] = v

    def step(self, st, s):
        k = s[0]
        p, r = st['p'], st['r']
        if k == 'op':
            self.do_op(st, s)
        elif k == 'if':
            self.steps(st, s[3] if p[s[1]] != s[2] else s[4])
        elif k == 'loop':
            _, i, bound, body, brk, cont, at = s
            n, c = r[bound] & 3, 0
            while True:
                self.steps(st, body[:at])
                if st['gone']:
                    return
                if not (cont and p[cont[0]] != cont[1]):
                    self.steps(st, body[at:])
                    if st['gone']:
                        return
                    if brk and p[brk[0]] != brk[1]:
                        return
                c += 1
                if c > n:
                    return
        elif k in ('st', 'ld', 'atom', 'red'):
            self.do_access(st, s)
        elif k == 'call':
            a, b = r[s[3]], r[s[4]]
            inner = {'r': [a, b, 5, a], 'd': [a | b << 32, 7], 'h': [b & 0xffff, b >> 16], 'f': [a, b],
                     'p': [int(a < b), int(a == b)]}
            ops, more = self.functions[s[1]]
            for o in ops:
                self.do_op(inner, o)
            if not inner['p'][0]:
                for o in more:
                    self.do_op(inner, o)
            r[s[2]] = inner['r'][3] ^ inner['r'][2]
        elif k == 'exit':
            if p[s[1]] != s[2]:
                st['gone'] = True
        elif k == 'pq':
            t, c = int(r[s[4]] < r[s[5]]), p[s[3]]
            if s[1] != s[2]:
                p[s[2]] = (1 - t) & c
            p[s[1]] = t & c
        elif k == 'pnot':
            p[s[1]] = 1 - p[s[2]]
        else:
            a, b = p[s[2]], p[s[3]]
            p[s[1]] = {'pand': a & b, 'por': a | b, 'pxor': a ^ b}[k]


def source(cls, k):
    """Column and first row that a register's initial values come from."""
    return {'r': f'u32.{"abc"[k % 3]}', 'h': f'u16.{"abc"[k % 3]}', 'f': f'f32.{"abc"[k % 3]}',
            'd': f'u64.{"abc"[k % 3]}'}[cls], (k // 3 * 29) % 900


SCRATCH = f'.global .align 16 .b8 scratch[{64 * T}];\n'


def add_to(m, col, places, first, count, seed, pressure=False, size=40):
    pool = pools(col)
    m.text.append(SCRATCH)
    for k in range(first, first + count):
        g = Gen(k, f'{seed}.{k}', pool, pressure, size)
        m.run(g.name, 1, T, 12 * T, ' in=operands')
        for j, (values, what) in enumerate(zip(g.run(col), ('ints', 'wide', 'floats'))):
            m.form(f'{g.name}:{what}', 4 * T * j, 4, 'exact', values)
        m.text.append(g.ptx(places))
