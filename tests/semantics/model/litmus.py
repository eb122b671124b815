"""Litmus tests of the memory model: small shapes whose outcomes are counted and some forbidden, and
programs that synchronise across CTAs and must compute one result.

A shape has roles, one CTA each, and instances, one lane each. Its words are the locations x, y, z and
then the registers that roles store; a location's word is its final value. Initially all are zero.

    // outcome NAME at=0 n=INSTANCES words=W stride=S forbid=PATTERN;PATTERN need=PATTERN

Word w of instance i lies at 4 (w n + i), or at 4 (i W + w) when S is W. A pattern is a cell a word,
with commas: a number, !number, or *.
"""

GROUPS = 96


class Shape:
    def __init__(self, name, roles, forbid=(), need=(), words=('x', 'y'), results=0, packed=False):
        self.name, self.roles, self.forbid, self.need = name, roles, forbid, need
        self.words, self.results, self.packed = words, results, packed

    def emit(self, m):
        n, w = GROUPS * 32, len(self.words) + self.results
        r = len(self.roles)
        m.run(self.name, GROUPS * r, 32, 4 * n * w)
        m.text.append(f'// outcome {self.name} n={n} words={w} stride={w if self.packed else 1}'
                      + (f' forbid={";".join(self.forbid)}' if self.forbid else '')
                      + (f' need={";".join(self.need)}' if self.need else '') + '\n')
        t = [f'.visible .entry {self.name}(.param .u64 {self.name}_in, .param .u64 {self.name}_out)\n{{\n'
             ' .reg .b32 role, group, i, d, %r<12>; .reg .b64 out, o, x, y, z, w; .reg .pred p, q;\n'
             f' mov.u32 d, %ctaid.x; rem.u32 role, d, {r}; div.u32 group, d, {r}; mov.u32 i, %tid.x;\n'
             f' mad.lo.u32 i, group, 32, i; ld.param.u64 out, [{self.name}_out];\n'
             f' mul.wide.u32 o, i, {4 * w if self.packed else 4}; add.u64 o, o, out;\n']
        for k, loc in enumerate(self.words):
            t.append(f' add.u64 {loc}, o, {4 * k * (1 if self.packed else n)};\n')
        # Roles start apart by a time that differs from group to group.
        t.append(' mad.lo.u32 d, role, 11, 5; mul.lo.u32 d, d, group; and.b32 d, d, 127;\n'
                 'DELAY: sub.u32 d, d, 1; setp.ge.s32 p, d, 0; @p bra DELAY;\n')
        for k in range(1, r):
            t.append(f' setp.eq.u32 p, role, {k}; @p bra ROLE{k};\n')
        for k, (code, results) in enumerate(self.roles):
            t.append(f'ROLE{k}: {code}\n')
            for reg, word in results.items():
                at = 4 * (len(self.words) + word) * (1 if self.packed else n)
                t.append(f' st.global.b32 [o+{at}], {reg};\n')
            t.append(' ret;\n')
        t.append('}\n')
        m.text += t


# How strong operations are written, and the fence that goes with them.
FLAVOURS = {
    'volatile': ('st.volatile.global.u32', 'ld.volatile.global.u32', 'membar.gl;', 'membar.gl;'),
    'relaxed': ('st.relaxed.gpu.global.u32', 'ld.relaxed.gpu.global.u32', 'fence.acq_rel.gpu;',
                'fence.sc.gpu;'),
    'sys': ('st.relaxed.sys.global.u32', 'ld.relaxed.sys.global.u32', 'fence.acq_rel.sys;', 'membar.sys;')}


def shapes():
    out = []

    def add(*a, **k):
        out.append(Shape(*a, **k))
    for f, (st, ld, fence, sc) in FLAVOURS.items():
        for packed in (False, True):
            tag = f'_{f}' + ('_line' if packed else '')
            add('mp' + tag, [(f'{st} [x], 1; {fence} {st} [y], 1;', {}),
                             (f'{ld} %r0, [y]; {fence} {ld} %r1, [x];', {'%r0': 0, '%r1': 1})],
                ['*,*,1,0'], ['*,*,1,1', '*,*,0,0'], results=2, packed=packed)
            add('sb' + tag, [(f'{st} [x], 1; {sc} {ld} %r0, [y];', {'%r0': 0}),
                             (f'{st} [y], 1; {sc} {ld} %r0, [x];', {'%r0': 1})],
                ['*,*,0,0'], ['*,*,!2,1'], results=2, packed=packed)
        if f == 'sys':
            continue
        tag = '_' + f
        add('lb' + tag, [(f'{ld} %r0, [x]; {fence} {st} [y], 1;', {'%r0': 0}),
                         (f'{ld} %r0, [y]; {fence} {st} [x], 1;', {'%r0': 1})], ['*,*,1,1'], results=2)
        add('thin_air' + tag, [(f'{ld} %r0, [x]; {st} [y], %r0;', {'%r0': 0}),
                               (f'{ld} %r0, [y]; {st} [x], %r0;', {'%r0': 1})],
            ['!0,*,*,*', '*,!0,*,*', '*,*,!0,*', '*,*,*,!0'], results=2)
        add('s' + tag, [(f'{st} [x], 2; {fence} {st} [y], 1;', {}),
                        (f'{ld} %r0, [y]; {fence} {st} [x], 1;', {'%r0': 0})], ['2,*,1'], results=1)
        add('r' + tag, [(f'{st} [x], 1; {sc} {st} [y], 1;', {}),
                        (f'{st} [y], 2; {sc} {ld} %r0, [x];', {'%r0': 0})], ['*,2,0'], results=1)
        add('w2' + tag, [(f'{st} [x], 1; {sc} {st} [y], 2;', {}), (f'{st} [y], 1; {sc} {st} [x], 2;', {})],
            ['1,1', '0,*', '*,0'])
        add('iriw' + tag, [(f'{st} [x], 1;', {}), (f'{st} [y], 1;', {}),
                           (f'{ld} %r0, [x]; {sc} {ld} %r1, [y];', {'%r0': 0, '%r1': 1}),
                           (f'{ld} %r0, [y]; {sc} {ld} %r1, [x];', {'%r0': 2, '%r1': 3})],
            ['*,*,1,0,1,0'], results=4)
        add('wrc' + tag, [(f'{st} [x], 1;', {}), (f'{ld} %r0, [x]; {fence} {st} [y], 1;', {'%r0': 0}),
                          (f'{ld} %r0, [y]; {fence} {ld} %r1, [x];', {'%r0': 1, '%r1': 2})],
            ['*,*,1,1,0'], results=3)
        add('isa2' + tag, [(f'{st} [x], 1; {fence} {st} [y], 1;', {}),
                           (f'{ld} %r0, [y]; {fence} {st} [z], 1;', {'%r0': 0}),
                           (f'{ld} %r0, [z]; {fence} {ld} %r1, [x];', {'%r0': 1, '%r1': 2})],
            ['*,*,*,1,1,0'], words=('x', 'y', 'z'), results=3)
        add('corr' + tag, [(f'{st} [x], 1;', {}), (f'{ld} %r0, [x]; {ld} %r1, [x];', {'%r0': 0, '%r1': 1})],
            ['*,1,0'], words=('x',), results=2)
        add('corr2' + tag, [(f'{st} [x], 1;', {}), (f'{st} [x], 2;', {}),
                            (f'{ld} %r0, [x]; {ld} %r1, [x];', {'%r0': 0, '%r1': 1}),
                            (f'{ld} %r0, [x]; {ld} %r1, [x];', {'%r0': 2, '%r1': 3})],
            ['*,1,2,2,1', '*,2,1,1,2', '1,1,2,*,*', '2,2,1,*,*', '*,!0,0,*,*', '*,*,*,!0,0', '0,*,*,*,*'],
            words=('x',), results=4)
        add('cowr' + tag, [(f'{st} [x], 1; {ld} %r0, [x];', {'%r0': 0}), (f'{st} [x], 2;', {})],
            ['*,0', '1,2', '0,*'], words=('x',), results=1)
        add('coww' + tag, [(f'{st} [x], 1; {st} [x], 2;', {}),
                           (f'{ld} %r0, [x]; {ld} %r1, [x];', {'%r0': 0, '%r1': 1})],
            ['!2,*,*', '*,2,!2', '*,1,0'], words=('x',), results=2)
        add('corw' + tag, [(f'{ld} %r0, [x]; {st} [x], 1;', {'%r0': 0}), (f'{st} [x], 2;', {})],
            ['*,1', '2,2', '0,*'], words=('x',), results=1)
        # A counter that only rises is never seen to fall.
        watch = 'mov.u32 %r0, 0; mov.u32 %r1, 0;' + \
            f' {ld} %r2, [x]; setp.lt.u32 p, %r2, %r0; @p mov.u32 %r1, 1; mov.u32 %r0, %r2;' * 6
        add('rising' + tag, [(' '.join(f'{st} [x], {k};' for k in (1, 2, 3, 4)), {}), (watch, {'%r1': 0})],
            ['*,1', '!4,*'], words=('x',), results=1)
        add('rising_atom' + tag, [('red.global.add.u32 [x], 1;' * 4, {}), (watch, {'%r1': 0})],
            ['*,1', '!4,*'], words=('x',), results=1)
        # Stores and atomics of one thread to one place, with a store from elsewhere.
        add('rmw_store' + tag, [(f'{st} [x], 5; atom.global.add.u32 %r0, [x], 10; {ld} %r1, [x];',
                                 {'%r0': 0, '%r1': 1}), (f'{st} [x], 100;', {})],
            ['*,!5,5', '*,0,*', '!110,100,*', '15,5,100', '5,*,*', '0,*,*', '*,5,5', '*,100,!110',
             '110,5,*'], words=('x',), results=2)
        add('store_rmw' + tag, [(f'atom.global.exch.b32 %r0, [x], 7; {st} [x], 8; {ld} %r1, [x];',
                                 {'%r0': 0, '%r1': 1}), ('atom.global.add.u32 %r0, [x], 16;', {'%r0': 2})],
            ['*,*,7,*', '!8,16,*,*', '8,0,*,0', '8,0,*,8', '24,*,*,!8', '*,0,!8,7'],
            words=('x',), results=3)
    # Message passing in other words.
    v = FLAVOURS['volatile']
    add('mp_release', [('st.global.u32 [x], 1; st.release.gpu.global.u32 [y], 1;', {}),
                       ('ld.acquire.gpu.global.u32 %r0, [y]; ld.relaxed.gpu.global.u32 %r1, [x];',
                        {'%r0': 0, '%r1': 1})], ['*,*,1,0'], ['*,*,1,1'], results=2)
    add('mp_atom', [('st.relaxed.gpu.global.u32 [x], 1; atom.release.gpu.global.exch.b32 %r0, [y], 1;', {}),
                    ('atom.acquire.gpu.global.add.u32 %r0, [y], 0; ld.relaxed.gpu.global.u32 %r1, [x];',
                     {'%r0': 0, '%r1': 1})], ['*,*,1,0'], ['*,*,1,1'], results=2)
    add('mp_red', [('red.global.add.u32 [x], 1; membar.gl; red.global.or.b32 [y], 1;', {}),
                   ('ld.volatile.global.u32 %r0, [y]; membar.gl; ld.volatile.global.u32 %r1, [x];',
                    {'%r0': 0, '%r1': 1})], ['*,*,1,0'], ['*,*,1,1'], results=2)
    add('mp_red_store', [('red.global.add.u32 [x], 1; membar.gl; st.volatile.global.u32 [y], 1;', {}),
                         ('ld.volatile.global.u32 %r0, [y]; membar.gl; atom.global.add.u32 %r1, [x], 0;',
                          {'%r0': 0, '%r1': 1})], ['*,*,1,0'], ['*,*,1,1'], results=2)
    add('mp_store_red', [('st.volatile.global.u32 [x], 1; membar.gl; red.global.add.u32 [y], 1;', {}),
                         ('atom.global.or.b32 %r0, [y], 0; membar.gl; ld.volatile.global.u32 %r1, [x];',
                          {'%r0': 0, '%r1': 1})], ['*,*,1,0'], ['*,*,1,1'], results=2)
    # The reader spins, then reads plain words whose neighbours it had read before.
    add('mp_spin', [('st.global.u32 [x], 1; membar.gl; st.volatile.global.u32 [y], 1;', {}),
                    ('xor.b32 %r3, i, 1; mul.wide.u32 w, %r3, 4; add.u64 w, out, w; mov.u32 %r2, 0;'
                     'SPIN: ld.volatile.global.u32 %r0, [y]; setp.eq.u32 p, %r0, 0; @p bra SPIN; membar.gl;'
                     ' ld.global.u32 %r1, [x];', {'%r0': 0, '%r1': 1})],
        ['*,*,*,!1', '*,*,!1,*'], results=2)
    add('mp_spin_acquire', [('st.global.u32 [x], 1; st.release.gpu.global.u32 [y], 1;', {}),
                            ('SPIN: ld.acquire.gpu.global.u32 %r0, [y]; setp.eq.u32 p, %r0, 0; @p bra SPIN;'
                             ' ld.global.u32 %r1, [x];', {'%r0': 0, '%r1': 1})],
        ['*,*,*,!1', '*,*,!1,*'], results=2)
    # Store buffering with read-modify-writes needs no fence between operations on one place.
    add('sb_atom', [('atom.global.exch.b32 %r2, [x], 1; membar.gl; atom.global.add.u32 %r0, [y], 0;', {'%r0': 0}),
                    ('atom.global.exch.b32 %r2, [y], 1; membar.gl; atom.global.add.u32 %r0, [x], 0;', {'%r0': 1})],
        ['*,*,0,0'], results=2)
    # Without fences nothing is promised; the outcomes are counted all the same.
    add('sb_weak', [(f'{v[0]} [x], 1; {v[1]} %r0, [y];', {'%r0': 0}),
                    (f'{v[0]} [y], 1; {v[1]} %r0, [x];', {'%r0': 1})], results=2)
    add('mp_weak', [(f'{v[0]} [x], 1; {v[0]} [y], 1;', {}),
                    (f'{v[1]} %r0, [y]; {v[1]} %r1, [x];', {'%r0': 0, '%r1': 1})], results=2)
    # Two exchanges of one place see each other in one order; a failed compare-and-swap changes nothing.
    add('exch', [('atom.global.exch.b32 %r0, [x], 1;', {'%r0': 0}), ('atom.global.exch.b32 %r0, [x], 2;', {'%r0': 1}),
                 ('atom.global.exch.b32 %r0, [x], 3;', {'%r0': 2})],
        ['*,0,0,*', '*,0,*,0', '*,*,0,0', '*,1,*,*', '*,*,2,*', '*,*,*,3', '1,*,1,*', '1,*,*,1', '2,2,*,*', '2,*,*,2',
         '3,3,*,*', '3,*,3,*', '0,*,*,*'], words=('x',), results=3)
    add('cas', [('atom.global.cas.b32 %r0, [x], 0, 1;', {'%r0': 0}), ('atom.global.cas.b32 %r0, [x], 0, 2;', {'%r0': 1}),
                ('atom.global.cas.b32 %r0, [x], 0, 3;', {'%r0': 2})],
        ['*,0,0,*', '*,0,*,0', '*,*,0,0', '1,!0,*,*', '2,*,!0,*', '3,*,*,!0', '0,*,*,*', '*,1,*,*'], words=('x',), results=3)
    return out


def programs():
    from .programs import Program, value
    out = []

    # A lock around plain reads and writes, three turns each; every CTA's lane 0.
    ctas = 60
    p = Program('spin_lock', 32, ctas)
    p.top('.global .b32 lock_a, lock_n; .global .b32 lock_done;')
    p('''setp.ne.u32 %p0, %t, 0; @%p0 bra REST; mov.u32 %r9, 0;
TURN: 
TAKE: atom.global.cas.b32 %r0, [lock_a], 0, 1; setp.ne.u32 %p1, %r0, 0; @%p1 bra TAKE; membar.gl;
 ld.volatile.global.u32 %r1, [lock_n]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [lock_n], %r1;
 membar.gl; atom.global.exch.b32 %r0, [lock_a], 0;
 add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 3; @%p2 bra TURN;
 red.global.add.u32 [lock_done], 1;
ALL: ld.volatile.global.u32 %r2, [lock_done]; setp.lt.u32 %p3, %r2, %nctaid.x; @%p3 bra ALL; membar.gl;
REST: bar.sync 0; ld.volatile.global.u32 %r3, [lock_n];'''.replace('%nctaid.x', str(ctas)))
    p.out('%r3', lambda i: 3 * ctas, 'count')
    out.append(p)
    # All lanes of a warp want one lock: the one that has it must get on.
    p = Program('lane_lock', 32, 12)
    p.top('.global .b32 lane_a, lane_n, lane_done;')
    p('''mov.u32 %r9, 0;
TRY: atom.global.cas.b32 %r0, [lane_a], 0, 1; setp.ne.u32 %p1, %r0, 0; @%p1 bra LATER;
 membar.gl; ld.volatile.global.u32 %r1, [lane_n]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [lane_n], %r1; membar.gl;
 atom.global.exch.b32 %r0, [lane_a], 0; mov.u32 %r9, 1;
LATER: setp.eq.u32 %p2, %r9, 0; @%p2 bra TRY;
 red.global.add.u32 [lane_done], 1;
ALL: ld.volatile.global.u32 %r2, [lane_done]; setp.lt.u32 %p3, %r2, 384; @%p3 bra ALL; membar.gl;
 ld.volatile.global.u32 %r3, [lane_n];''')
    p.out('%r3', lambda i: 384, 'count')
    out.append(p)
    # Tickets.
    p = Program('ticket_lock', 32, ctas)
    p.top('.global .b32 tick_next, tick_now, tick_n, tick_done;')
    p(f'''setp.ne.u32 %p0, %t, 0; @%p0 bra REST;
 atom.global.add.u32 %r0, [tick_next], 1;
WAIT: ld.acquire.gpu.global.u32 %r1, [tick_now]; setp.ne.u32 %p1, %r1, %r0; @%p1 bra WAIT;
 ld.global.u32 %r2, [tick_n]; mad.lo.u32 %r2, %r2, 3, %r0; st.global.u32 [tick_n], %r2;
 add.u32 %r1, %r1, 1; st.release.gpu.global.u32 [tick_now], %r1;
ALL: ld.acquire.gpu.global.u32 %r2, [tick_now]; setp.lt.u32 %p3, %r2, {ctas}; @%p3 bra ALL;
REST: bar.sync 0; ld.volatile.global.u32 %r3, [tick_n];''')
    n = 0
    for k in range(ctas):
        n = n * 3 + k & 0xffffffff
    p.out('%r3', lambda i, n=n: n, 'order')
    out.append(p)
    # Pairs of CTAs with a ring of 8 slots, 40 rounds of 32 lanes.
    for flavour, (st, ld, rel, acq) in {
            'volatile': ('st.volatile.global.u32', 'ld.volatile.global.u32', 'membar.gl;', 'membar.gl;'),
            'acquire': ('st.release.gpu.global.u32', 'ld.acquire.gpu.global.u32', '', '')}.items():
        p = Program('ring_' + flavour, 32, 24)
        p.top(f'.global .b32 slots_{flavour}[3072]; .global .b32 head_{flavour}[384], tail_{flavour}[384];')
        p(f'''mov.u32 %r0, %ctaid.x; shr.u32 %r1, %r0, 1; and.b32 %r0, %r0, 1; mad.lo.u32 %r2, %r1, 32, %l;
 mul.wide.u32 %d0, %r2, 4; mov.u64 %d1, head_{flavour}; add.u64 %d1, %d1, %d0; mov.u64 %d2, tail_{flavour};
 add.u64 %d2, %d2, %d0; mov.u64 %d3, slots_{flavour}; add.u64 %d3, %d3, %d0; mov.u32 %r3, 0; mov.u32 %r9, 0;
 setp.eq.u32 %p0, %r0, 1; @%p0 bra TAKE;
MAKE: sub.u32 %r5, %r3, 8;
FULL: {ld} %r4, [%d2]; setp.eq.u32 %p1, %r4, %r5; @%p1 bra FULL; {acq}
 and.b32 %r5, %r3, 7; mul.wide.u32 %d4, %r5, 1536; add.u64 %d4, %d4, %d3; mad.lo.u32 %r6, %r3, 77, %r2;
 st.global.u32 [%d4], %r6; {rel} add.u32 %r3, %r3, 1; {st} [%d1], %r3; setp.lt.u32 %p2, %r3, 40; @%p2 bra MAKE; bra DONE;
TAKE:
EMPTY: {ld} %r4, [%d1]; setp.eq.u32 %p1, %r4, %r3; @%p1 bra EMPTY; {acq}
 and.b32 %r5, %r3, 7; mul.wide.u32 %d4, %r5, 1536; add.u64 %d4, %d4, %d3; ld.global.u32 %r6, [%d4];
 mad.lo.u32 %r9, %r9, 5, %r6; {rel} add.u32 %r3, %r3, 1; {st} [%d2], %r3; setp.lt.u32 %p2, %r3, 40; @%p2 bra TAKE;
DONE:''')

        def ring(i):
            cta, lane = divmod(i, 32)
            if cta % 2 == 0:
                return 0
            h = 0
            for k in range(40):
                h = h * 5 + k * 77 + cta // 2 * 32 + lane & 0xffffffff
            return h
        p.out('%r9', ring, 'sum')
        out.append(p)
    # A sum over CTAs that the last to finish completes (CUDA's threadFenceReduction).
    ctas = 40
    p = Program('last_block', 64, ctas)
    p.top(f'.global .b32 part[{ctas}], part_n; .shared .b32 part_s[64], part_last;')
    at = p.keep(lambda i: sum(value(j) & 0xffff for j in range(64 * ctas)) if i == 0 else 0xcdcdcdcd, 'sum')
    p(f'''mad.lo.u32 %r0, %i, 0x9e3779b1, 0x1234567; and.b32 %r0, %r0, 0xffff; mov.u32 %r1, part_s; mad.lo.u32 %r2, %t, 4, %r1;
 st.shared.u32 [%r2], %r0; mov.u32 %r3, 32;
HALF: bar.sync 0; setp.ge.u32 %p0, %t, %r3; @%p0 bra SKIP; add.u32 %r4, %t, %r3; mad.lo.u32 %r4, %r4, 4, %r1;
 ld.shared.u32 %r5, [%r4]; ld.shared.u32 %r6, [%r2]; add.u32 %r6, %r6, %r5; st.shared.u32 [%r2], %r6;
SKIP: shr.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra HALF;
 setp.ne.u32 %p2, %t, 0; @%p2 bra MEET; ld.shared.u32 %r6, [part_s]; mov.u32 %r7, %ctaid.x; mul.wide.u32 %d0, %r7, 4;
 mov.u64 %d1, part; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r6; membar.gl;
 atom.global.inc.u32 %r8, [part_n], {ctas - 1}; setp.eq.u32 %p3, %r8, {ctas - 1}; selp.u32 %r8, 1, 0, %p3;
 st.shared.u32 [part_last], %r8;
MEET: bar.sync 0; ld.shared.u32 %r8, [part_last]; setp.eq.u32 %p4, %r8, 0; @%p4 ret; membar.gl;
 mov.u32 %r9, 0; mov.u32 %r10, %t;
PART: setp.ge.u32 %p5, %r10, {ctas}; @%p5 bra SUMMED; mul.wide.u32 %d0, %r10, 4; mov.u64 %d1, part; add.u64 %d0, %d0, %d1;
 ld.volatile.global.u32 %r11, [%d0]; add.u32 %r9, %r9, %r11; add.u32 %r10, %r10, 64; bra PART;
SUMMED: bar.sync 0; setp.eq.u32 %p6, %t, 0; @%p6 st.shared.u32 [part_s], 0; bar.sync 0; atom.shared.add.u32 %r11, [part_s], %r9;
 bar.sync 0; ld.shared.u32 %r12, [part_s]; @%p6 st.global.u32 [%out+{at}], %r12;''')
    out.append(p)
    # All CTAs meet, five times; after each a thread reads what its neighbour CTA wrote before.
    ctas = 24
    p = Program('grid_barrier', 64, ctas)
    p.top(f'.global .b32 meet_n, meet_word[{64 * ctas}];')
    p(f'''mov.u64 %d1, meet_word; mul.wide.u32 %d0, %i, 4; add.u64 %d0, %d0, %d1; add.u32 %r1, %i, 64; rem.u32 %r1, %r1, {64 * ctas};
 mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d2, %d1; mov.u32 %r3, %i; mov.u32 %r9, 0;
ROUND: st.global.u32 [%d0], %r3; membar.gl; bar.sync 0; setp.ne.u32 %p0, %t, 0; @%p0 bra IN;
 red.global.add.u32 [meet_n], 1; mad.lo.u32 %r4, %r9, {ctas}, {ctas};
WAIT: ld.volatile.global.u32 %r5, [meet_n]; setp.lt.u32 %p1, %r5, %r4; @%p1 bra WAIT; membar.gl;
IN: bar.sync 0; ld.global.u32 %r6, [%d2]; mad.lo.u32 %r3, %r6, 3, 1; membar.gl; bar.sync 0; @%p0 bra OUT;
 red.global.add.u32 [meet_n], 1; add.u32 %r4, %r4, {ctas};
WAIT2: ld.volatile.global.u32 %r5, [meet_n]; setp.lt.u32 %p1, %r5, %r4; @%p1 bra WAIT2;
OUT: bar.sync 0; add.u32 %r9, %r9, 2; setp.lt.u32 %p2, %r9, 10; @%p2 bra ROUND;''')
    words = list(range(64 * ctas))
    for _ in range(5):
        words = [words[(i + 64) % len(words)] * 3 + 1 & 0xffffffff for i in range(len(words))]
    p.out('%r3', lambda i, w=words: w[i], 'neighbours')
    out.append(p)
    # Nodes pushed on a list by compare-and-swap; the last CTA walks it.
    ctas = 30
    p = Program('list_push', 64, ctas)
    p.top(f'.global .b32 list_head, list_n, list_next[{64 * ctas + 1}]; .shared .b32 list_s;')
    at = p.keep(lambda i: [64 * ctas, sum(range(1, 64 * ctas + 1))][i] if i < 2 else 0xcdcdcdcd, 'walk')
    p(f'''add.u32 %r0, %i, 1; mul.wide.u32 %d0, %r0, 4; mov.u64 %d1, list_next; add.u64 %d0, %d0, %d1;
PUSH: ld.volatile.global.u32 %r1, [list_head]; st.volatile.global.u32 [%d0], %r1; membar.gl;
 atom.global.cas.b32 %r2, [list_head], %r1, %r0; setp.ne.u32 %p0, %r2, %r1; @%p0 bra PUSH;
 membar.gl; bar.sync 0; setp.ne.u32 %p1, %t, 0; @%p1 ret;
 atom.global.add.u32 %r3, [list_n], 1; setp.ne.u32 %p2, %r3, {ctas - 1}; @%p2 ret; membar.gl;
 ld.volatile.global.u32 %r4, [list_head]; mov.u32 %r5, 0; mov.u32 %r6, 0;
WALK: setp.eq.u32 %p3, %r4, 0; @%p3 bra END; add.u32 %r5, %r5, 1; add.u32 %r6, %r6, %r4; mul.wide.u32 %d2, %r4, 4;
 add.u64 %d2, %d2, %d1; ld.volatile.global.u32 %r4, [%d2]; setp.lt.u32 %p4, %r5, 9999; @%p4 bra WALK;
END: st.global.u32 [%out+{at}], %r5; st.global.u32 [%out+{at + 4}], %r6;''')
    out.append(p)
    # Every ticket is drawn once.
    ctas = 30
    p = Program('tickets', 64, ctas)
    p.top('.global .b32 draw;')
    at = p.keep(lambda i: 1, 'once')
    p(f'''st.global.u32 [%o+{at}], 0; membar.gl; atom.global.add.u32 %r9, [draw], 0; bar.sync 0;''')
    p.lines[-1] = f'st.global.u32 [%o+{at}], 1; atom.global.add.u32 %r0, [draw], 1;'
    p('''mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %out;''')
    drawn = p.keep(lambda i: 5, 'each')
    p(f'st.global.u32 [%d0+{drawn}], 5;')
    out.append(p)
    # Within a CTA: warps pass words with fences of its scope, in shared and in global memory.
    p = Program('cta_scope', 64, 4)
    p.top('.shared .b32 cs_data[64], cs_flag[64]; .global .b32 cg_data[256], cg_flag[256];')
    for space, base, idx in (('shared', 'cs', '%t'), ('global', 'cg', '%i')):
        a, f = (f'{base}_data', f'{base}_flag')
        p(f'''mov.u64 %d1, {a}; mov.u64 %d2, {f}; xor.b32 %r0, {idx}, 32; mul.wide.u32 %d3, {idx}, 4; mul.wide.u32 %d4, %r0, 4;
 add.u64 %d5, %d1, %d3; add.u64 %d6, %d2, %d3; add.u64 %d7, %d1, %d4; add.u64 %d8, %d2, %d4; mov.u32 %r8, 0;
 st.volatile.{space}.u32 [%d6], 0; bar.sync 0; add.u32 %r1, {idx}, 1000; setp.lt.u32 %p0, %t, 32; mov.u32 %r9, 0;
 @%p0 bra LEAD_{space}; bra JOIN_{space};
LEAD_{space}: st.{space}.u32 [%d5], %r1; membar.cta; st.volatile.{space}.u32 [%d6], 1;
JOIN_{space}: @%p0 bra LOOK_{space};
POLL_{space}: ld.volatile.{space}.u32 %r3, [%d8]; setp.eq.u32 %p1, %r3, 0; @%p1 bra POLL_{space}; membar.cta;
 ld.{space}.u32 %r8, [%d7];
LOOK_{space}: bar.sync 0;''')
        p.out('%r8', lambda i, s=space: 0 if (i & 63) < 32 else 1000 + ((i & 63) ^ 32) + (0 if s == 'shared' else i & ~63),
              space)
    out.append(p)
    return out
