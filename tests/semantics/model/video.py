"""Scalar and SIMD video instructions."""
from .forms import Form
from .ints import CMP, clamp, mask, signed

SELS = ('', '.b0', '.b1', '.b2', '.b3', '.h0', '.h1')
TYPES = ('u32', 's32')
ABC = {'a': 'u32.a', 'b': 'u32.b', 'c': 'u32.c'}


def part(v, t, sel):
    if sel:
        n = 8 if sel[1] == 'b' else 16
        v, bits = v >> n * int(sel[2]) & mask(n), n
    else:
        bits = 32
    return signed(v, bits) if t == 's32' else v


def saturate(tmp, sat, t, dsel):
    if not sat:
        return tmp
    bits = {'': 32, 'b': 8, 'h': 16}[dsel[1:2]]
    return clamp(t[0] + str(bits), tmp)


def finish(tmp, t, c, op2, dsel):
    sc = signed(c, 32) if t == 's32' else c
    if op2 == '.add':
        tmp += sc
    elif op2 == '.min':
        tmp = min(tmp, sc)
    elif op2 == '.max':
        tmp = max(tmp, sc)
    if dsel:
        n = 8 if dsel[1] == 'b' else 16
        at = n * int(dsel[2])
        return (tmp & mask(n)) << at | c & ~(mask(n) << at) & mask(32)
    return tmp & mask(32)


CORE = {'vadd': lambda a, b: a + b, 'vsub': lambda a, b: a - b, 'vabsdiff': lambda a, b: abs(a - b),
        'vmin': min, 'vmax': max}


def scalar():
    out = []
    k = 0
    ends = [('', ''), ('.add', ''), ('.min', ''), ('.max', ''), ('', '.b1'), ('', '.b3'), ('', '.h0'),
            ('', '.h1'), ('', '.b0'), ('', '.b2')]
    for op, core in CORE.items():
        for dt in TYPES:
            for at in TYPES:
                for bt in TYPES:
                    for sat in ('', '.sat'):
                        for step in range(4):
                            op2, dsel = ends[(k + step * 3) % len(ends)]
                            if op2 in ('.min', '.max') and not sat:
                                op2 = '.add'    # whether an overflowed value is cut first is not said
                            asel, bsel = SELS[(k * 3 + step) % 7], SELS[(k * 5 + 2 * step) % 7]

                            def fn(a, b, c=0, core=core, dt=dt, at=at, bt=bt, sat=sat, op2=op2, dsel=dsel,
                                   asel=asel, bsel=bsel):
                                tmp = core(part(a, at, asel), part(b, bt, bsel))
                                return finish(saturate(tmp, sat, dt, dsel), dt, c, op2, dsel)
                            three = op2 or dsel
                            text = (f'{op}.{dt}.{at}.{bt}{sat}{op2} {{out}}{dsel}, {{a}}{asel}, {{b}}{bsel}'
                                    + (', {c}' if three else ''))
                            ops = ABC if three else {'a': 'u32.a', 'b': 'u32.b'}
                            out.append(Form(text, dt, ops, fn, tag=f'{dsel}{asel}{bsel}',
                                            guard='@' if step == 3 else None))
                        k += 1
    for op in ('vshl', 'vshr'):
        for dt in TYPES:
            for at in TYPES:
                for mode in ('clamp', 'wrap'):
                    for step in range(6):
                        op2, dsel = ends[(k + step) % len(ends)]
                        if op2 in ('.min', '.max'):
                            op2 = '.add'
                        asel, bsel = SELS[(k * 3 + step) % 7], ('', '.b0')[step & 1]
                        def fn(a, b, c=0, op=op, dt=dt, at=at, mode=mode, op2=op2, dsel=dsel, asel=asel,
                               bsel=bsel):
                            x, n = part(a, at, asel), part(b, 'u32', bsel)
                            n = min(n, 32) if mode == 'clamp' else n & 31
                            return finish(x << n if op == 'vshl' else x >> n, dt, c, op2, dsel)
                        three = op2 or dsel
                        text = (f'{op}.{dt}.{at}.u32.{mode}{op2} {{out}}{dsel}, {{a}}{asel}, {{b}}{bsel}'
                                + (', {c}' if three else ''))
                        ops = dict(ABC, b='sh.a')
                        if not three:
                            del ops['c']
                        out.append(Form(text, dt, ops, fn, tag=f'{dsel}{asel}{bsel}'))
                    k += 1
    for cmp in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
        for at in TYPES:
            for bt in TYPES:
                for step in range(3):
                    op2, dsel = ends[(k + step * 3) % len(ends)]
                    asel, bsel = SELS[(k * 3 + step) % 7], SELS[(k * 5 + 2 * step) % 7]

                    def fn(a, b, c=0, cmp=cmp, at=at, bt=bt, op2=op2, dsel=dsel, asel=asel, bsel=bsel):
                        t = int(CMP[cmp](part(a, at, asel), part(b, bt, bsel)))
                        return finish(t, 'u32', c, op2, dsel)
                    three = op2 or dsel
                    text = (f'vset.{at}.{bt}.{cmp}{op2} {{out}}{dsel}, {{a}}{asel}, {{b}}{bsel}'
                            + (', {c}' if three else ''))
                    out.append(Form(text, 'u32', ABC if three else {'a': 'u32.a', 'b': 'u32.b'}, fn,
                                    tag=f'{dsel}{asel}{bsel}'))
                k += 1
    return out


def vmad():
    out = []
    k = 0
    for at in TYPES:
        for bt in TYPES:
            for po, neg in (('', ''), ('', 'a'), ('', 'c'), ('.po', '')):
                for sat in ('', '.sat'):
                    for scale, n in (('', 0), ('.shr7', 7), ('.shr15', 15)):
                        asel, bsel = SELS[(k * 3) % 7], SELS[(k * 5 + 2) % 7]
                        k += 1
                        final = at == 's32' or bt == 's32' or bool(neg)
                        dt = 's32' if final else 'u32'

                        def fn(a, b, c, at=at, bt=bt, po=po, neg=neg, sat=sat, n=n, asel=asel, bsel=bsel,
                               final=final):
                            tmp = part(a, at, asel) * part(b, bt, bsel)
                            c = signed(c, 32) if final else c
                            if po:
                                tmp += c + 1
                            elif neg == 'a':
                                tmp = c - tmp
                            elif neg == 'c':
                                tmp = tmp - c
                            else:
                                tmp += c
                            r = tmp >> n
                            if sat:
                                r = clamp('s32' if final else 'u32', r)
                            return r & mask(32)
                        text = (f'vmad.{dt}.{at}.{bt}{po}{sat}{scale} {{out}},'
                                f' {"-" if neg == "a" else ""}{{a}}{asel}, {{b}}{bsel},'
                                f' {"-" if neg == "c" else ""}{{c}}')
                        out.append(Form(text, dt, ABC, fn, tag=f'{asel}{bsel}{neg}'))
    return out


def simd():
    out = []
    k = 0
    for lanes, bits, letter in ((2, 16, 'h'), (4, 8, 'b')):
        span = 2 * lanes
        default_a = list(range(lanes))
        default_b = list(range(lanes, span))

        def pick(a, b, sel, t, bits=bits):
            both = b << 32 | a
            vs = [both >> bits * s & mask(bits) for s in sel]
            return [signed(v, bits) if t == 's32' else v for v in vs]

        def merge(t, c, keep, add, bits=bits, lanes=lanes):
            if add:
                return c + sum(x for i, x in enumerate(t) if i in keep) & mask(32)
            return sum((t[i] & mask(bits) if i in keep else c >> bits * i & mask(bits)) << bits * i
                       for i in range(lanes))
        if lanes == 2:
            masks = [('', [0, 1]), ('.h0', [0]), ('.h1', [1]), ('.h10', [0, 1])]
        else:
            masks = [('', [0, 1, 2, 3])] + [('.b' + ''.join(str(i) for i in (3, 2, 1, 0) if m >> i & 1),
                                             [i for i in range(4) if m >> i & 1]) for m in range(1, 16)]

        def selector(k, default, letter=letter, lanes=lanes, span=span):
            if k % 3 == 0:
                return '', default
            sel = [(k * 7 + 3 * i + k // 5 * i) % span for i in range(lanes)]
            return '.' + letter + ''.join(str(s) for s in reversed(sel)), sel
        core = {'vadd': lambda a, b: a + b, 'vsub': lambda a, b: a - b,
                'vabsdiff': lambda a, b: abs(a - b), 'vmin': min, 'vmax': max,
                'vavrg': lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1}
        for op, f in core.items():
            for dt in TYPES:
                for at in TYPES:
                    for bt in TYPES:
                        for end in ('', '.sat', '.add'):
                            asel, sa = selector(k, default_a)
                            bsel, sb = selector(k + 1, default_b)
                            dsel, keep = masks[k % len(masks)]
                            k += 1

                            def fn(a, b, c, f=f, dt=dt, at=at, bt=bt, end=end, sa=sa, sb=sb, keep=keep,
                                   pick=pick, merge=merge, bits=bits):
                                t = [f(x, y) for x, y in zip(pick(a, b, sa, at), pick(a, b, sb, bt))]
                                if end == '.sat':
                                    t = [clamp(dt[0] + str(bits), x) for x in t]
                                return merge(t, c, keep, end == '.add')
                            text = f'{op}{lanes}.{dt}.{at}.{bt}{end} {{out}}{dsel}, {{a}}{asel}, {{b}}{bsel}, {{c}}'
                            out.append(Form(text, dt, ABC, fn, tag=f'{dsel}{asel}{bsel}'))
        for cmp in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
            for at in TYPES:
                for bt in TYPES:
                    for end in ('', '.add'):
                        asel, sa = selector(k, default_a)
                        bsel, sb = selector(k + 1, default_b)
                        dsel, keep = masks[k % len(masks)]
                        k += 1

                        def fn(a, b, c, cmp=cmp, at=at, bt=bt, end=end, sa=sa, sb=sb, keep=keep, pick=pick,
                               merge=merge):
                            t = [int(CMP[cmp](x, y))
                                 for x, y in zip(pick(a, b, sa, at), pick(a, b, sb, bt))]
                            return merge(t, c, keep, end == '.add')
                        text = f'vset{lanes}.{at}.{bt}.{cmp}{end} {{out}}{dsel}, {{a}}{asel}, {{b}}{bsel}, {{c}}'
                        out.append(Form(text, 'u32', ABC, fn, tag=f'{dsel}{asel}{bsel}'))
    return out
