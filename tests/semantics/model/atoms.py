"""atom and red: every operation and type on global, shared and generic addresses.

One cell a thread with operands from columns, so that old and new values are exact; then all threads
on one cell, where only order-free facts are checked.
"""
from . import columns, floats
from .floats import F16, F32, F64, BF16
from .half import pairwise
from .ints import mask, val
from .programs import Program


FINITE = 0xbfffffffffffffff


def op_table():
    """(operation.type, column type, function of old, b, c)"""
    t = []
    for bits in (32, 64):
        m = mask(bits)
        for s in 'us':
            ty = f'{s}{bits}'
            if s == 'u' or bits == 32:
                t.append((f'add.{ty}', f'u{bits}', lambda o, b, c, m=m: o + b & m))
            t.append((f'min.{ty}', f'u{bits}', lambda o, b, c, ty=ty: min(o, b, key=lambda v: val(ty, v))))
            t.append((f'max.{ty}', f'u{bits}', lambda o, b, c, ty=ty: max(o, b, key=lambda v: val(ty, v))))
        t.append((f'and.b{bits}', f'u{bits}', lambda o, b, c: o & b))
        t.append((f'or.b{bits}', f'u{bits}', lambda o, b, c: o | b))
        t.append((f'xor.b{bits}', f'u{bits}', lambda o, b, c: o ^ b))
        t.append((f'exch.b{bits}', f'u{bits}', lambda o, b, c: b))
        t.append((f'cas.b{bits}', f'u{bits}', lambda o, b, c: c if o == b else o))
    t.append(('inc.u32', 'u32', lambda o, b, c: 0 if o >= b else o + 1))
    t.append(('dec.u32', 'u32', lambda o, b, c: b if o == 0 or o > b else o - 1))
    return t


def float_table():
    return [('add.f32', 'f32', 'flush'), ('add.f64', 'f64', F64),
            ('add.noftz.f16x2', 'f16x2', F16), ('add.noftz.bf16x2', 'bf16x2', BF16),
            ('add.noftz.f16', 'f16', F16), ('add.noftz.bf16', 'bf16', BF16)]


def cells(col, places, space, red):
    """Each thread its own cell: store, operate, load back. Words: the old value, then the new."""
    out = []
    n = 64
    name = ('red_' if red else 'atom_') + space
    rows = [(o, t, f) for o, t, f in op_table() if not red or not o.startswith(('cas', 'exch'))]
    for o, t, fm in float_table():
        def fn(a, b, c, fm=fm, t=t):
            if fm == 'flush':                      # on global memory subnormals are flushed
                return floats.add(F32, a, b, 'rn', space == 'global')
            f = pairwise(lambda x, y: floats.add(fm, x, y)) if t.endswith('x2') else \
                lambda x, y: floats.add(fm, x, y)
            return f(a, b)
        rows.append((o, t, fn))
    p = None
    for k, (o, t, fn) in enumerate(rows):
        if k % 12 == 0:
            p = Program(f'{name}{k // 12}', n)
            out.append(p)
            p('add.u64 %d20, %in, 0; mul.wide.u32 %d21, %i, 8; mul.wide.u32 %d22, %i, 4; mul.wide.u32 %d23, %i, 2;'
              'add.u64 %d21, %d21, %in; add.u64 %d22, %d22, %in; add.u64 %d23, %d23, %in;')
            if space != 'global':
                p.top(f'.shared .align 8 .b8 cell_{name}{k // 12}[{8 * n}];')
                p(f'mul.lo.u32 %r30, %t, 8; mov.u32 %r31, cell_{name}{k // 12}; add.u32 %r30, %r30, %r31;'
                  ' cvt.u64.u32 %d19, %r30;')
                if space == 'generic':
                    p('cvta.shared.u64 %d19, %d19;')
        w = columns.WIDTH[t]
        base = {8: '%d21', 4: '%d22', 2: '%d23'}[w]
        reg = {8: '%d', 4: '%r', 2: '%h'}[w]
        for j, letter in enumerate('abc'):
            p(f'ld.global.b{8 * w} {reg}{j + 1}, [{base}+{places[t + "." + letter]}];')
        if 'f32' in o:
            p('mov.b32 %f2, %r2;')
        if space == 'global':
            at = p.words * 4 * n
            addr, sp = f'[%o+{at}]' if w < 8 else f'[%d18+{at}]', '.global'
            if w == 8:
                p(f'mul.wide.u32 %d18, %i, 8; add.u64 %d18, %d18, %out;')
        else:
            addr, sp = ('[%r30]', '.shared') if space == 'shared' else ('[%d19]', '')
        arg_b = {'f32': '%f2', 'f64': '%e2'}.get(t, f'{reg}2')
        old = {'f32': '%f4', 'f64': '%e4'}.get(t, f'{reg}4')
        a, b, c = (col[f'{t}.{x}'] for x in 'abc')
        if t == 'f64':                             # no NaNs: which payload stays is not said
            p(f'and.b64 %d1, %d1, {FINITE:#x}; and.b64 %d2, %d2, {FINITE:#x}; mov.b64 %e2, %d2;')
            a, b = ([v & FINITE for v in x] for x in (a, b))
        args = arg_b + (f', {reg}3' if o.startswith('cas') else '')
        p(f'st{sp}.b{8 * w} {addr}, {reg}1;')
        p(f'{"red" if red else "atom"}{sp}.{o} ' + ('' if red else f'{old}, ') + f'{addr}, {args};')
        p(f'ld{sp}.b{8 * w} {reg}5, {addr};')
        if not red and t in ('f32', 'f64'):
            p(f'mov.b{8 * w} {reg}4, {old};')
        new = [fn(a[i], b[i], c[i]) for i in range(n)]
        if space == 'global':                      # the cells themselves come out
            if w == 8:
                p.keep([new[i >> 1] >> 32 * (i & 1) for i in range(n)], o + ':cells')
                p.keep([new[32 + (i >> 1)] >> 32 * (i & 1) for i in range(n)], o + ':cells2')
            elif w == 4:
                p.keep(new, o + ':cells')
            else:
                p.keep([v | 0xcdcd0000 for v in new], o + ':cells')
        put = p.out64 if w == 8 else p.out
        if not red:
            if w == 2:
                p('cvt.u32.u16 %r4, %h4;')
            put('%r4' if w < 8 else '%d4', a[:n], o + ':old')
        if w == 2:
            p('cvt.u32.u16 %r5, %h5;')
        put('%r5' if w < 8 else '%d5', new, o + ':new')
    for p in out:
        p.lines.insert(0, '.reg .f64 %e<6>;')
    return out


def crowds():
    """All threads of 4 CTAs on a few cells. Cells live behind the output words."""
    out = []
    n = 256
    for space in ('global', 'shared'):
        p = Program(f'crowd_{space}', 64, 4)
        total = n if space == 'global' else 64
        if space == 'global':
            p.top('.global .align 8 .u64 crowd[24];')
            p('mov.u64 %d0, crowd;')
        else:
            p.top('.shared .align 8 .u64 crowd_s[24];')
            p('setp.ge.u32 %p0, %t, 24; @%p0 bra INIT; mul.lo.u32 %r1, %t, 8; mov.u32 %r2, crowd_s;'
              ' add.u32 %r1, %r1, %r2; mov.u64 %d1, 0; st.shared.u64 [%r1], %d1; INIT: bar.sync 0;'
              ' mov.u32 %r9, crowd_s; cvt.u64.u32 %d0, %r9;')
        s = '.' + space
        me = '%i' if space == 'global' else '%t'
        p(f'cvt.u64.u32 %d2, {me}; add.u32 %r8, {me}, 1; cvt.rn.f32.u32 %f0, {me};'
          f' atom{s}.add.u32 %r0, [%d0], 1; red{s}.add.u32 [%d0+8], {me}; red{s}.max.u32 [%d0+16], {me};'
          f' red{s}.or.b32 [%d0+24], {me}; red{s}.xor.b32 [%d0+32], %r8; red{s}.add.u64 [%d0+40], %d2;'
          f' atom{s}.inc.u32 %r2, [%d0+48], 9; red{s}.add.f32 [%d0+56], %f0;'
          f' atom{s}.exch.b32 %r3, [%d0+64], %r8; not.b32 %r4, {me}; red{s}.min.s32 [%d0+72], %r4;'
          f' red{s}.dec.u32 [%d0+80], 6; red{s}.and.b32 [%d0+88], %r4; red{s}.max.u64 [%d0+96], %d2;')
        # A counter raised by compare-and-swap.
        p(f'CAS: ld.volatile{s}.u32 %r5, [%d0+104]; add.u32 %r6, %r5, 3;'
          f' atom{s}.cas.b32 %r7, [%d0+104], %r5, %r6; setp.ne.u32 %p1, %r7, %r5; @%p1 bra CAS;')
        # Sums of what came back: each value of the counter once.
        p(f'red{s}.add.u32 [%d0+112], %r0; red{s}.add.u32 [%d0+120], %r2; red{s}.add.u32 [%d0+128], %r3;')
        if space == 'global':                      # the last CTA looks
            p('membar.gl; bar.sync 0; setp.ne.u32 %p2, %t, 0; mov.u32 %r10, 0; @%p2 bra WAIT;'
              ' atom.global.add.u32 %r10, [%d0+184], 1; add.u32 %r10, %r10, 1;'
              ' SPIN: ld.volatile.global.u32 %r11, [%d0+184]; setp.lt.u32 %p3, %r11, 4; @%p3 bra SPIN;'
              ' WAIT: bar.sync 0;')
        else:
            p('bar.sync 0;')
        ks = list(range(total))
        x = 0
        for k in ks:
            x ^= k + 1
        dec = 0
        for _ in ks:
            dec = 6 if dec == 0 or dec > 6 else dec - 1
        inc, incs = 0, 0
        for _ in ks:
            incs += inc
            inc = 0 if inc >= 9 else inc + 1
        want = {0: total, 8: sum(ks), 16: max(ks), 24: total - 1, 32: x, 40: sum(ks), 48: inc, 72: -total,
                80: dec, 88: 0, 96: max(ks), 104: 3 * total, 112: sum(ks), 120: incs}
        for at, v in want.items():
            p(f'ld.volatile{s}.u32 %r12, [%d0+{at}];')
            p.out('%r12', lambda i, v=v: v, f'+{at}')
        fsum = floats.from_int(F32, sum(ks), 'rn')
        p(f'ld.volatile{s}.u32 %r12, [%d0+56];').out('%r12', lambda i: fsum, 'f32')
        # exch: what came back and what stayed are all values once.
        p(f'ld.volatile{s}.u32 %r12, [%d0+128]; ld.volatile{s}.u32 %r13, [%d0+64]; add.u32 %r12, %r12, %r13;')
        p.out('%r12', lambda i: sum(k + 1 for k in ks), 'exch')
        out.append(p)
    return out
