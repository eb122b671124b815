"""Control flow: divergence, loops, calls, recursion, indirect calls, brx, barriers, early exits."""
from .programs import M32, Program, seed, value


def collatz(n):
    k = 0
    while n != 1 and k < 200:
        n = 3 * n + 1 if n & 1 else n // 2
        k += 1
    return k


def loops():
    p = Program('loops', 64, 2)
    p('add.u32 %r1, %i, 1; mov.u32 %r2, 0;'
      'TOP: setp.eq.u32 %p0, %r1, 1; @%p0 bra DONE; and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;'
      ' @%p1 bra EVEN; mad.lo.u32 %r1, %r1, 3, 1; bra NEXT; EVEN: shr.u32 %r1, %r1, 1; NEXT:'
      ' add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 200; @%p2 bra TOP; DONE:')
    p.out('%r2', lambda i: collatz(i + 1), 'collatz')
    # Nested loops with a break out of both, and continue.
    p('''mov.u32 %r1, 0; mov.u32 %r2, 0; and.b32 %r9, %i, 7; add.u32 %r9, %r9, 3;
OUTER: mov.u32 %r3, 0;
INNER: add.u32 %r4, %r2, %r3; rem.u32 %r5, %r4, 3; setp.eq.u32 %p0, %r5, 1; @%p0 bra CONT;
 mul.lo.u32 %r5, %r2, %r3; add.u32 %r1, %r1, %r5; setp.gt.u32 %p1, %r1, 150; @%p1 bra BREAK;
CONT: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r9; @%p2 bra INNER;
 add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, %r9; @%p3 bra OUTER;
BREAK:''')

    def nest(i):
        n, s = (i & 7) + 3, 0
        for a in range(n):
            for b in range(n):
                if (a + b) % 3 == 1:
                    continue
                s += a * b
                if s > 150:
                    return s
        return s
    p.out('%r1', nest, 'nested')
    # A switch with fall-through, by comparisons.
    p('''and.b32 %r1, %i, 7; mov.u32 %r2, 0;
 setp.eq.u32 %p0, %r1, 0; @%p0 bra C0; setp.eq.u32 %p0, %r1, 1; @%p0 bra C1; setp.eq.u32 %p0, %r1, 2; @%p0 bra C2;
 setp.eq.u32 %p0, %r1, 5; @!%p0 bra CD; add.u32 %r2, %r2, 500; bra CE;
C0: add.u32 %r2, %r2, 1;
C1: add.u32 %r2, %r2, 10;
C2: add.u32 %r2, %r2, 100; bra CE;
CD: add.u32 %r2, %r2, 9000;
CE: add.u32 %r2, %r2, %i;''')
    p.out('%r2', lambda i: {0: 111, 1: 110, 2: 100, 5: 500}.get(i & 7, 9000) + i, 'switch')
    # A loop entered in its middle by some lanes (irreducible).
    p('''and.b32 %r1, %i, 3; mov.u32 %r2, 0; mov.u32 %r3, 0; setp.eq.u32 %p0, %r1, 2; @%p0 bra MID;
HEAD: add.u32 %r2, %r2, 5;
MID: add.u32 %r2, %r2, %r1; add.u32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r1; @%p1 bra HEAD;''')

    def middle(i):
        k, s, n, skip = i & 3, 0, 0, (i & 3) == 2
        while True:
            if not skip:
                s += 5
            skip = False
            s += k
            n += 1
            if n > k:
                return s
    p.out('%r2', middle, 'irreducible')
    # Branches inside guarded code, both sides with work, four deep.
    p('mov.u32 %r2, 0;')
    text = ''
    for d in range(4):
        text += (f'and.b32 %r1, %i, {1 << d}; setp.ne.u32 %p0, %r1, 0; @%p0 bra T{d}; add.u32 %r2, %r2, {3 ** d};'
                 f' mul.lo.u32 %r2, %r2, 3; bra J{d}; T{d}: xor.b32 %r2, %r2, {7 << d};')
    for d in reversed(range(4)):
        text += f' J{d}: add.u32 %r2, %r2, {d + 1};'

    def deep(i):
        r = 0
        for d in range(4):
            if i >> d & 1:
                r ^= 7 << d
            else:
                r = (r + 3 ** d) * 3 & M32
                break
        else:
            d = 4
        for k in reversed(range(min(d, 3) + 1)):
            r += k + 1
        return r
    p(text)
    p.out('%r2', deep, 'deep')
    # brx.idx with a table, the index clamped by hand; repeated and out of order targets.
    p('''and.b32 %r1, %i, 7; mov.u32 %r2, 1; setp.gt.u32 %p0, %r1, 5; @%p0 bra BD;
 table: .branchtargets B2, B0, B1, B0, B3, B2;
 brx.idx %r1, table;
B0: add.u32 %r2, %r2, 100; bra BE;
B1: add.u32 %r2, %r2, 200; bra BE;
B2: add.u32 %r2, %r2, 300;
B3: mul.lo.u32 %r2, %r2, 7; bra BE;
BD: mov.u32 %r2, 5;
BE:''')
    p.out('%r2', lambda i: [2107, 101, 201, 101, 7, 2107, 5, 5][i & 7], 'brx')
    return [p]


def exits():
    """Threads leave under guards and in loops; a barrier counts those that remain."""
    p = Program('exits', 64)
    p.top('.shared .b32 left;')
    at = [p.keep(lambda i: i + 1 if i % 5 == 0 else 0xcdcdcdcd, 'guarded'),
          p.keep(lambda i: 0xcdcdcdcd if i % 5 == 0 or i % 7 != 3 else i * 2, 'in-loop'),
          p.keep(lambda i: 0xcdcdcdcd if i % 5 == 0 or i % 7 == 3 else
                 sum(1 for k in range(64) if k % 5 and k % 7 != 3), 'rest')]
    p(f'''setp.eq.u32 %p0, %t, 0; @%p0 st.shared.u32 [left], 0; bar.sync 0;
 rem.u32 %r1, %t, 5; setp.eq.u32 %p1, %r1, 0; add.u32 %r2, %t, 1; @%p1 st.global.u32 [%o+{at[0]}], %r2; @%p1 exit;
 rem.u32 %r3, %t, 7; mov.u32 %r4, 0;
LOOP: setp.ne.u32 %p2, %r4, %r3; @%p2 bra STAY; setp.ne.u32 %p3, %r4, 3; @%p3 bra STAY;
 mul.lo.u32 %r5, %t, 2; st.global.u32 [%o+{at[1]}], %r5; ret;
STAY: add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 6; @%p4 bra LOOP;
 atom.shared.add.u32 %r6, [left], 1; bar.sync 0; ld.shared.u32 %r7, [left]; st.global.u32 [%o+{at[2]}], %r7;''')
    # A whole warp gone before a barrier, and a guarded exit of one lane after it.
    q = Program('warp_exit', 96)
    at = q.keep(lambda i: 0xcdcdcdcd if 32 <= i < 64 or i == 70 else 64, 'count')
    q.top('.shared .b32 warps_left;')
    q(f'''setp.eq.u32 %p0, %t, 0; @%p0 st.shared.u32 [warps_left], 0; bar.sync 0; shr.u32 %r1, %t, 5;
 setp.eq.u32 %p1, %r1, 1; @%p1 exit; red.shared.add.u32 [warps_left], 1; bar.sync 0;
 ld.shared.u32 %r2, [warps_left]; setp.eq.u32 %p2, %t, 70; @%p2 ret; st.global.u32 [%o+{at}], %r2;''')
    return [p, q]


def calls():
    p = Program('calls', 64)
    p.top('''.func (.reg .b32 r) fib(.reg .b32 n)
{
 .reg .pred p; .reg .b32 a, b, x, y;
 setp.lt.u32 p, n, 2; @p bra BASE;
 sub.u32 a, n, 1; sub.u32 b, n, 2;
 call (x), fib, (a); call (y), fib, (b);
 add.u32 r, x, y; ret;
BASE: mov.u32 r, n; ret;
}
.func (.param .b32 r) ack(.param .b32 pm, .param .b32 pn)
{
 .reg .pred p; .reg .b32 m, n, x;
 ld.param.b32 m, [pm]; ld.param.b32 n, [pn];
 setp.ne.u32 p, m, 0; @p bra M1; add.u32 x, n, 1; st.param.b32 [r], x; ret;
M1: setp.ne.u32 p, n, 0; @p bra N1; sub.u32 m, m, 1;
 { .param .b32 a, b, o; st.param.b32 [a], m; st.param.b32 [b], 1; call (o), ack, (a, b); ld.param.b32 x, [o]; }
 st.param.b32 [r], x; ret;
N1: sub.u32 n, n, 1;
 { .param .b32 a, b, o; st.param.b32 [a], m; st.param.b32 [b], n; call (o), ack, (a, b); ld.param.b32 x, [o]; }
 sub.u32 m, m, 1;
 { .param .b32 a, b, o; st.param.b32 [a], m; st.param.b32 [b], x; call (o), ack, (a, b); ld.param.b32 x, [o]; }
 st.param.b32 [r], x; ret;
}
.func (.reg .b32 r) is_odd(.reg .b32 n);
.func (.reg .b32 r) is_even(.reg .b32 n)
{
 .reg .pred p; .reg .b32 a;
 setp.eq.u32 p, n, 0; @p bra Z; sub.u32 a, n, 1; call (r), is_odd, (a); ret;
Z: mov.u32 r, 1; ret;
}
.func (.reg .b32 r) is_odd(.reg .b32 n)
{
 .reg .pred p; .reg .b32 a;
 setp.eq.u32 p, n, 0; @p bra Z; sub.u32 a, n, 1; call (r), is_even, (a); ret;
Z: mov.u32 r, 0; ret;
}
.func touch(.reg .b64 at, .reg .b32 v) { st.global.b32 [at], v; ret; }''')

    def fib(n):
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return a

    def ack(m, n):
        return n + 1 if m == 0 else ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))
    p('and.b32 %r1, %i, 7; call (%r2), fib, (%r1);').out('%r2', lambda i: fib(i & 7), 'fib')
    p('and.b32 %r1, %i, 1; add.u32 %r1, %r1, 1; and.b32 %r3, %i, 3;'
      '{ .param .b32 a, b, o; st.param.b32 [a], %r1; st.param.b32 [b], %r3; call (o), ack, (a, b);'
      ' ld.param.b32 %r2, [o]; }')
    p.out('%r2', lambda i: ack((i & 1) + 1, i & 3), 'ackermann')
    at = p.keep(lambda i: 0xcdcdcdcd if i % 3 else i * 5, 'guarded-call')
    p(f'rem.u32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 0; mul.lo.u32 %r2, %i, 5; add.u64 %d1, %o, {at};'
      ' @%p0 call touch, (%d1, %r2);')
    p('and.b32 %r1, %i, 15; call (%r2), is_even, (%r1);').out('%r2', lambda i: int(i % 2 == 0), 'mutual')
    return [p]


def two_results():
    """Functions as they were before the ABI."""
    p = Program('two_results', 64)
    p.top('''.func (.reg .b32 q, .reg .b32 m) divmod(.reg .b32 a, .reg .b32 b)
{ div.u32 q, a, b; rem.u32 m, a, b; ret; }
.func (.reg .pred p, .reg .f32 h) half(.reg .f32 x, .reg .pred want)
{ .reg .pred small; setp.lt.f32 small, x, 0f41200000; and.pred p, small, want; mul.f32 h, x, 0f3F000000; ret; }''')
    p('add.u32 %r1, %i, 100; and.b32 %r3, %i, 7; add.u32 %r3, %r3, 3; call (%r2, %r4), divmod, (%r1, %r3);')
    p.out('%r2', lambda i: (i + 100) // ((i & 7) + 3), 'two.0').out('%r4', lambda i: (i + 100) % ((i & 7) + 3), 'two.1')
    p('cvt.rn.f32.u32 %f1, %i; and.b32 %r1, %i, 1; setp.eq.u32 %p1, %r1, 1; call (%p2, %f2), half, (%f1, %p1);'
      ' cvt.rni.u32.f32 %r2, %f2; selp.u32 %r3, 1, 0, %p2;')
    p.out('%r2', lambda i: i // 2 + (i & 1 and i // 2 & 1), 'half').out('%r3', lambda i: int(i < 10 and i & 1), 'pred')
    return [p]


def indirect():
    p = Program('indirect', 64)
    names = ['f_add', 'f_mul', 'f_xor', 'f_neg']
    text = ''
    for n, body in zip(names, ('add.u32 x, x, 17;', 'mul.lo.u32 x, x, x;', 'xor.b32 x, x, 0x55;', 'neg.s32 x, x;')):
        text += (f'.func (.param .b32 r) {n}(.param .b32 a) {{ .reg .b32 x; ld.param.b32 x, [a]; {body}'
                 ' st.param.b32 [r], x; ret; }\n')
    p.top(text + '.global .u64 ftable[4] = {f_add, f_mul, f_xor, f_neg};\n.const .u64 ctable[2] = {f_xor, f_mul};')
    fs = [lambda x: x + 17, lambda x: x * x, lambda x: x ^ 0x55, lambda x: -x]
    call = ('{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r2; call (r), %d1, (a), WHO; ld.param.b32 %r3, [r]; }')
    p('proto: .callprototype (.param .b32 _) _ (.param .b32 _);')
    p('targets: .calltargets f_add, f_mul, f_xor, f_neg;')
    # One function for all lanes, then one for each lane, through tables in memory.
    p('mov.u64 %d0, ftable; ld.global.u64 %d1, [%d0+8]; add.u32 %r2, %i, 3;' + call.replace('WHO', 'proto'))
    p.out('%r3', lambda i: fs[1](i + 3), 'uniform')
    p('and.b32 %r1, %i, 3; mul.wide.u32 %d2, %r1, 8; add.u64 %d2, %d2, %d0; ld.global.u64 %d1, [%d2];'
      + call.replace('WHO', 'proto'))
    p.out('%r3', lambda i: fs[i & 3](i + 3), 'prototype')
    p(call.replace('WHO', 'targets')).out('%r3', lambda i: fs[i & 3](i + 3), 'targets')
    p('and.b32 %r1, %i, 1; mul.wide.u32 %d2, %r1, 8; mov.u64 %d3, ctable; add.u64 %d2, %d2, %d3;'
      ' ld.const.u64 %d1, [%d2];' + call.replace('WHO', 'proto'))
    p.out('%r3', lambda i: fs[1 if i & 1 else 2](i + 3), 'const-table')
    # An address taken in code, chosen by a predicate, called in a branch.
    p('mov.u64 %d4, f_neg; mov.u64 %d5, f_add; setp.lt.u32 %p0, %i, 20; selp.b64 %d1, %d4, %d5, %p0; mov.u32 %r3, 1;'
      ' setp.gt.u32 %p1, %i, 40; @%p1 bra SKIP;' + call.replace('WHO', 'proto') + 'SKIP:')
    p.out('%r3', lambda i: 1 if i > 40 else fs[3 if i < 20 else 0](i + 3), 'branch')
    # Through all of them in turn.
    p('mov.u32 %r4, 0; mov.u32 %r2, %i; CHAIN: add.u32 %r5, %r4, %i; and.b32 %r5, %r5, 3;'
      ' mul.wide.u32 %d2, %r5, 8; add.u64 %d2, %d2, %d0; ld.global.u64 %d1, [%d2];' + call.replace('WHO', 'proto') +
      'mov.u32 %r2, %r3; add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 9; @%p0 bra CHAIN;')

    def chain(i):
        x = i
        for k in range(9):
            x = fs[(k + i) & 3](x) & M32
        return x
    p.out('%r2', chain, 'chain')
    return [p]


def barriers():
    out = []
    p = Program('barriers', 128, 2)
    p.top('.shared .align 4 .b32 sh[128];')
    p('mov.u32 %r1, sh; mad.lo.u32 %r2, %t, 4, %r1;' + seed('%r3'))
    # Neighbours through shared memory, many rounds.
    p('mov.u32 %r4, 0; mov.u32 %r7, %r3; RING: st.shared.u32 [%r2], %r7; bar.sync 0; add.u32 %r5, %t, 1; and.b32 %r5, %r5, 127;'
      ' mad.lo.u32 %r5, %r5, 4, %r1; ld.shared.u32 %r6, [%r5]; bar.sync 0; add.u32 %r7, %r6, %r4;'
      ' add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 10; @%p0 bra RING;')
    p.out('%r7', lambda i: value((i & ~127) + ((i + 10) & 127)) + 45, 'ring')
    # Reductions.
    for op, n, f in (('popc.u32', 50, lambda c: c), ('and.pred', 128, lambda c: int(c == 128)),
                     ('and.pred', 77, lambda c: int(c == 128)), ('or.pred', 0, lambda c: int(c > 0)),
                     ('or.pred', 1, lambda c: int(c > 0))):
        p(f'setp.lt.u32 %p1, %t, {n};')
        if op == 'popc.u32':
            p('bar.red.popc.u32 %r4, 0, %p1; bar.red.popc.u32 %r5, 1, 128, !%p1;')
            p.out('%r4', lambda i, n=n: n, 'popc').out('%r5', lambda i, n=n: 128 - n, 'popc-not')
        else:
            p(f'bar.red.{op} %p2, 2, %p1; selp.u32 %r4, 1, 0, %p2;')
            p.out('%r4', lambda i, n=n, f=f: f(n), f'{op}{n}')
    # Two warps hand data to the other two through named barriers, five times: arrive and sync.
    p('''setp.lt.u32 %p1, %t, 64; mov.u32 %r9, 0; mov.u32 %r8, 0; and.b32 %r10, %t, 63; mad.lo.u32 %r10, %r10, 4, %r1;
 bar.sync 0; @!%p1 bra EAT;
MAKE: mad.lo.u32 %r4, %r9, 1000, %t; st.shared.u32 [%r10], %r4; membar.cta; bar.arrive 3, 128; bar.sync 4, 128;
 add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 5; @%p2 bra MAKE; bra MET;
EAT: bar.sync 3, 128; ld.shared.u32 %r4, [%r10]; add.u32 %r8, %r8, %r4; bar.arrive 4, 128;
 add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 5; @%p2 bra EAT;
MET: bar.sync 0;''')
    p.out('%r8', lambda i: 0 if (i & 127) < 64 else sum(1000 * k + (i & 127) - 64 for k in range(5)), 'handoff')
    # The barrier's number and count in registers; each warp pair its own.
    p('''shr.u32 %r4, %t, 6; add.u32 %r4, %r4, 5; mov.u32 %r5, 64; st.shared.u32 [%r2], %t; bar.sync %r4, %r5;
 xor.b32 %r6, %t, 63; mad.lo.u32 %r6, %r6, 4, %r1; ld.shared.u32 %r7, [%r6]; bar.sync 0;''')
    p.out('%r7', lambda i: (i & 127) ^ 63, 'registers')
    p('st.shared.u32 [%r2], %r3; barrier.sync 7; xor.b32 %r6, %t, 127; mad.lo.u32 %r6, %r6, 4, %r1;'
      ' ld.shared.u32 %r7, [%r6]; barrier.sync.aligned 8, 128;')
    p.out('%r7', lambda i: value((i & ~127) + ((i & 127) ^ 127)), 'barrier')
    # Scan of 128 values (Hillis and Steele).
    p('and.b32 %r3, %r3, 0xffff; st.shared.u32 [%r2], %r3; mov.u32 %r4, 1; SCAN: bar.sync 0; sub.s32 %r5, %t, %r4;'
      ' mov.u32 %r6, 0; setp.lt.s32 %p1, %r5, 0; @%p1 bra NONE; mad.lo.u32 %r7, %r5, 4, %r1; ld.shared.u32 %r6, [%r7];'
      ' NONE: bar.sync 0; add.u32 %r3, %r3, %r6; st.shared.u32 [%r2], %r3; shl.b32 %r4, %r4, 1;'
      ' setp.lt.u32 %p2, %r4, 128; @%p2 bra SCAN;')
    p.out('%r3', lambda i: sum(value(j) & 0xffff for j in range(i & ~127, i + 1)), 'scan')
    out.append(p)
    return out


def special():
    p = Program('special', 96, 3)
    for reg, f in (('%tid.x', lambda i: i % 96), ('%tid.y', lambda i: 0), ('%ntid.x', lambda i: 96),
                   ('%ntid.z', lambda i: 1), ('%ctaid.x', lambda i: i // 96), ('%nctaid.x', lambda i: 3),
                   ('%nctaid.y', lambda i: 1), ('%laneid', lambda i: i % 32), ('%dynamic_smem_size', lambda i: 0)):
        p(f'mov.u32 %r1, {reg};').out('%r1', f, reg[1:])
    p('mov.u32 %r1, %nwarpid; setp.ge.u32 %p0, %r1, 3; selp.u32 %r1, 1, 0, %p0;').out('%r1', lambda i: 1, 'nwarpid')
    p('mov.u32 %r1, %nsmid; mov.u32 %r2, %smid; setp.lt.u32 %p0, %r2, %r1; selp.u32 %r1, 1, 0, %p0;')
    p.out('%r1', lambda i: 1, 'smid')
    p('mov.u32 %r1, WARP_SZ;').out('%r1', lambda i: 32, 'WARP_SZ')
    p('mov.u32 %r1, %clock; mov.u64 %d1, %clock64; mov.u32 %r2, %clock; sub.u32 %r2, %r2, %r1; setp.lt.u32 %p0, %r2, 100000;'
      ' selp.u32 %r1, 1, 0, %p0;').out('%r1', lambda i: 1, 'clock')
    return [p]

