"""Exchanges among the lanes of a warp: shfl, vote, match, redux, activemask, elect."""
from .programs import M32, Program, seed, signed, value


def shfl(mode, lane, b, c):
    b, cval, seg = b & 31, c & 31, c >> 8 & 31
    top = lane & seg | cval & ~seg & 31
    if mode == 'up':
        j = lane - b
        return (j, True) if j >= top else (lane, False)
    if mode == 'down':
        j = lane + b
    elif mode == 'bfly':
        j = lane ^ b
    else:
        j = lane & seg | b & ~seg & 31
    return (j, True) if j <= top else (lane, False)


def shuffles(sync):
    out = []
    members = ', 0xffffffff' if sync else ''
    name = 'shfl.sync' if sync else 'shfl'
    p = Program('shfl_sync' if sync else 'shfl_old', 64)
    p(seed('%r0'))
    for mode in ('up', 'down', 'bfly', 'idx'):
        for b in (0, 1, 3, 16, 31, 33):
            for c in ((0, 0x1800) if mode == 'up' else (31, 0x181f, 0x1c1f, 17, 0x100f)):
                if (b + c) % 3 and b not in (1, 3):
                    continue
                p(f'{name}.{mode}.b32 %r1|%p0, %r0, {b}, {c:#x}{members};')
                p('selp.u32 %r2, 1, 0, %p0; xor.b32 %r1, %r1, %r2;')

                def want(i, mode=mode, b=b, c=c):
                    j, ok = shfl(mode, i & 31, b, c)
                    return value(i & ~31 | j) ^ ok
                p.out('%r1', want, f'{mode}-{b}-{c:#x}')
        # Every lane its own source and clamp.
        p('mul.lo.u32 %r3, %l, 7; and.b32 %r3, %r3, 31; shr.u32 %r4, %l, 4; mul.lo.u32 %r4, %r4, 0x1007;')
        if mode != 'up':
            p('xor.b32 %r4, %r4, 31;')
        p(f'{name}.{mode}.b32 %r1, %r0, %r3, %r4{members};')

        def each(i, mode=mode):
            lane = i & 31
            c = (lane >> 4) * 0x1007 ^ (31 if mode != 'up' else 0)
            return value(i & ~31 | shfl(mode, lane, lane * 7 & 31, c)[0])
        p.out('%r1', each, f'{mode}-lanes')
    # Half a warp, in a branch; the other half keeps its registers.
    for k, (test, take) in enumerate((('setp.lt.u32 %p1, %l, 16;', lambda l: l < 16),
                                      ('and.b32 %r5, %l, 1; setp.eq.u32 %p1, %r5, 1;', lambda l: l & 1))):
        m = sum(1 << l for l in range(32) if take(l))
        p(test)
        p(f'mov.u32 %r1, 7; @!%p1 bra SKIP{k};')
        step, c = (1, 0x101f) if k == 0 else (2, 31)
        p(f'{name}.bfly.b32 %r1, %r0, {step}, {c:#x}' + (f', {m:#x};' if sync else ';'))
        p(f'SKIP{k}:')
        p.out('%r1', lambda i, take=take, step=step: value(i ^ step) if take(i & 31) else 7, f'half{k}')
        p('mov.u32 %r1, 9;')
        p(f'@%p1 {name}.bfly.b32 %r1, %r0, {step}, {c:#x}' + (f', {m:#x};' if sync else ';'))
        p.out('%r1', lambda i, take=take, step=step: value(i ^ step) if take(i & 31) else 9, f'guard{k}')
    # A sum over the warp, as programs do it.
    p('mov.u32 %r1, %r0;')
    for d in (16, 8, 4, 2, 1):
        p(f'{name}.down.b32 %r2, %r1, {d}, 31{members}; add.u32 %r1, %r1, %r2;')
    p(f'{name}.idx.b32 %r1, %r1, 0, 31{members};')
    p.out('%r1', lambda i: sum(value(j) for j in range(i & ~31, (i & ~31) + 32)), 'sum')
    # Destination and source the same register, and the clamp of a part-filled warp.
    p(f'mov.u32 %r1, %r0; {name}.up.b32 %r1, %r1, 1, 0{members};')
    p.out('%r1', lambda i: value(i - 1 if i & 31 else i), 'same')
    out.append(p)
    return out


def votes(sync):
    p = Program('vote_sync' if sync else 'vote_old', 64)
    full = ', -1' if sync else ''
    dot = '.sync' if sync else ''
    tests = [('%l, 40', lambda l: l < 40), ('%l, 0', lambda l: False), ('%l, 5', lambda l: l < 5),
             ('%l, 31', lambda l: l < 31)]
    for k, (t, f) in enumerate(tests):
        p(f'setp.lt.u32 %p0, {t};')
        for lanes, guard in ((range(32), ''), (range(3, 19), 'part')):
            votes_ = [f(l) for l in lanes]
            for neg in ('', '!'):
                vs = [v != bool(neg) for v in votes_]
                for mode, r in (('all', all(vs)), ('any', any(vs)), ('uni', all(vs) or not any(vs)),
                                ('ballot', None)):
                    if mode == 'ballot':
                        r = sum(v << l for l, v in zip(lanes, vs))
                    if guard:
                        mem = ', 0x7fff8' if sync else ''
                        p('sub.u32 %r3, %l, 3; setp.lt.u32 %p2, %r3, 16; setp.eq.u32 %p1, 0, 1; mov.u32 %r1, 3;')
                        g = '@%p2 '
                    else:
                        mem, g = full, ''
                    if mode == 'ballot':
                        p(f'{g}vote{dot}.ballot.b32 %r1, {neg}%p0{mem};')
                    else:
                        p(f'{g}vote{dot}.{mode}.pred %p1, {neg}%p0{mem};')
                        p(f'{g}selp.u32 %r1, 1, 0, %p1;')
                    p.out('%r1', lambda i, r=r, s=set(lanes): int(r) if i & 31 in s else 3,
                          f'{mode}{k}{neg}{guard}')
    return [p]


def vote_old_tesla():
    """vote of sm_12: all, any, uni."""
    p = Program('vote_sm12', 64)
    for k, n in enumerate((0, 7, 32)):
        p(f'and.b32 %r0, %t, 31; setp.lt.u32 %p0, %r0, {n};')
        for mode in ('all', 'any', 'uni'):
            vs = [l < n for l in range(32)]
            r = {'all': all(vs), 'any': any(vs), 'uni': all(vs) or not any(vs)}[mode]
            p(f'vote.{mode}.pred %p1, %p0; selp.u32 %r1, 1, 0, %p1;')
            p.out('%r1', lambda i, r=r: int(r), f'{mode}{k}')
    return [p]


def matches():
    p = Program('match', 64)
    p('and.b32 %r0, %l, 7; mul.lo.u32 %r0, %r0, %r0; and.b32 %r0, %r0, 15;')
    key = [(l & 7) ** 2 & 15 for l in range(32)]
    same = [sum(1 << j for j in range(32) if key[j] == key[l]) for l in range(32)]
    p('match.any.sync.b32 %r1, %r0, -1;')
    p.out('%r1', lambda i: same[i & 31], 'any')
    p('cvt.u64.u32 %d0, %r0; shl.b64 %d0, %d0, 33; match.any.sync.b64 %r1, %d0, 0xffffffff;')
    p.out('%r1', lambda i: same[i & 31], 'any64')
    p('match.all.sync.b32 %r1|%p0, %r0, -1; selp.u32 %r2, 1, 2, %p0;')
    p.out('%r1', lambda i: 0, 'all').out('%r2', lambda i: 2, 'all-p')
    p('match.all.sync.b32 %r1|%p0, 77, -1; selp.u32 %r2, 1, 2, %p0;')
    p.out('%r1', lambda i: M32, 'all-equal').out('%r2', lambda i: 1, 'all-equal-p')
    p('setp.lt.u32 %p1, %l, 12; mov.u32 %r1, 5; @%p1 match.any.sync.b32 %r1, %r0, 0xfff;')
    p.out('%r1', lambda i: same[i & 31] & 0xfff if i & 31 < 12 else 5, 'any-part')
    p('shr.u32 %r3, %l, 4; mov.u32 %r1, 5; @%p1 match.all.sync.b32 %r1, %r3, 0xfff;')
    p.out('%r1', lambda i: 0xfff if i & 31 < 12 else 5, 'all-part')
    return [p]


def reductions():
    p = Program('redux', 64)
    p(seed('%r0') + 'setp.gt.u32 %p1, %l, 20;')
    for members, guard in ((range(32), ''), (range(21, 32), '@%p1 ')):
        m = sum(1 << l for l in members)

        def over(i, f, members=members):
            if (i & 31) not in members:
                return 4
            return f([value(i & ~31 | l) for l in members]) & M32

        def fold(op):
            def f(vs):
                r = vs[0]
                for v in vs[1:]:
                    r = {'and': r & v, 'or': r | v, 'xor': r ^ v}[op]
                return r
            return f
        for op, t, f in (('add', 'u32', sum), ('add', 's32', sum), ('min', 'u32', min), ('max', 'u32', max),
                         ('min', 's32', lambda vs: min(vs, key=signed)),
                         ('max', 's32', lambda vs: max(vs, key=signed)), ('and', 'b32', fold('and')),
                         ('or', 'b32', fold('or')), ('xor', 'b32', fold('xor'))):
            p(f'mov.u32 %r1, 4; {guard}redux.sync.{op}.{t} %r1, %r0, {m:#x};')
            p.out('%r1', lambda i, f=f, over=over: over(i, f), f'{op}.{t}' + ('-part' if guard else ''))
    p('activemask.b32 %r1;')
    p.out('%r1', lambda i: M32, 'activemask')
    p('mov.u32 %r1, 0; @!%p1 bra NONE; activemask.b32 %r1; NONE:')
    p.out('%r1', lambda i: 0xffe00000 if i & 31 > 20 else 0, 'activemask-part')
    for sr, f in (('lt', lambda l: (1 << l) - 1), ('le', lambda l: (2 << l) - 1), ('eq', lambda l: 1 << l),
                  ('ge', lambda l: M32 & ~((1 << l) - 1)), ('gt', lambda l: M32 & ~((2 << l) - 1))):
        p(f'mov.u32 %r1, %lanemask_{sr};')
        p.out('%r1', lambda i, f=f: f(i & 31), f'lanemask_{sr}')
    p('bar.warp.sync 0xffffffff; elect.sync %r1|%p0, 0xffffffff; selp.u32 %r1, 1, 0, %p0;'
      'vote.sync.ballot.b32 %r2, %p0, 0xffffffff; popc.b32 %r2, %r2;')
    p.out('%r2', lambda i: 1, 'elect')
    return [p]


def partial_warp():
    """The last warp has 9 threads."""
    p = Program('short_warp', 41)
    p(seed('%r0') + 'activemask.b32 %r1; vote.ballot.b32 %r2, 1;')
    p.out('%r1', lambda i: M32 if i < 32 else 0x1ff, 'activemask')
    p.out('%r2', lambda i: M32 if i < 32 else 0x1ff, 'ballot')
    p('setp.gt.u32 %p0, %l, 3; vote.all.pred %p1, %p0; selp.u32 %r1, 1, 0, %p1;')
    p.out('%r1', lambda i: 0, 'all')
    p('setp.lt.u32 %p0, %l, 9; vote.all.pred %p1, %p0; selp.u32 %r1, 1, 0, %p1;')
    p.out('%r1', lambda i: int(i >= 32), 'all-last')
    p('shfl.up.b32 %r1, %r0, 2, 0;')
    p.out('%r1', lambda i: value(i - 2 if i % 32 >= 2 else i), 'shfl')
    return [p]
