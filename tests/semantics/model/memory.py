"""Loads and stores of every type and vector, in every space; generic addresses, constants,
parameters."""
import struct

from .ints import mask, val
from .programs import M32, Program, seed, value


def byte_of(i):
    """Byte i of the pattern that the tests fill memory with."""
    return (i * 167 + (i >> 8) * 59 + 13) & 0xff


def number(at, n):
    return sum(byte_of(at + k) << 8 * k for k in range(n))


def fill(p, space, bytes_each, base):
    """A loop that writes the pattern: thread t bytes t*bytes_each ... of an array at `base`."""
    p(f'mul.lo.u32 %r20, %t, {bytes_each}; mov.u32 %r21, 0;')
    p(f'FILL_{p.name}: add.u32 %r22, %r20, %r21; mul.lo.u32 %r23, %r22, 167; shr.u32 %r24, %r22, 8;'
      f' mad.lo.u32 %r23, %r24, 59, %r23; add.u32 %r23, %r23, 13;')
    if space == 'local':                           # every thread has an array of its own
        p(f'add.u32 %r24, {base}, %r21; st.local.u8 [%r24], %r23;')
    elif space == 'shared':
        p(f'add.u32 %r24, {base}, %r22; st.shared.u8 [%r24], %r23;')
    else:
        p(f'cvt.u64.u32 %d20, %r22; add.u64 %d20, %d20, {base}; st.global.u8 [%d20], %r23;')
    p(f'add.u32 %r21, %r21, 1; setp.lt.u32 %p9, %r21, {bytes_each}; @%p9 bra FILL_{p.name};')
    if space == 'shared':
        p('bar.sync 0;')
    elif space == 'global':
        p('membar.cta; bar.sync 0;')


LOADS = ['u8', 's8', 'b8', 'u16', 's16', 'b16', 'u32', 's32', 'b32', 'f32', 'u64', 's64', 'b64', 'f64']


def loads(space):
    p = Program('loads_' + space, 64)
    each = 128
    if space == 'global':
        p.top(f'.global .align 16 .b8 pattern[{64 * each}];')
        p('mov.u64 %d10, pattern; mul.wide.u32 %d11, %t, 128; add.u64 %d11, %d11, %d10;')
        fill(p, space, each, '%d10')
        a = '%d11'
    elif space == 'shared':
        p.top(f'.shared .align 16 .b8 spattern[{64 * each}];')
        p('mov.u32 %r18, spattern; mad.lo.u32 %r19, %t, 128, %r18;')
        fill(p, space, each, '%r18')
        a = '%r19'
    else:
        p('.local .align 16 .b8 lpattern[128]; mov.u32 %r19, lpattern;')
        fill(p, space, each, '%r19')
        a = '%r19'
    for k, t in enumerate(LOADS):
        bits = int(t[1:])
        n = bits // 8
        for v in (1, 2, 4):
            if v * bits > 128:
                continue
            for wide in (0, 1):
                if wide and (bits == 64 or t[0] == 'f' or v == 4):
                    continue
                off = 16 * ((k * 3 + v + 5 * wide) % 7)
                if v == 1 and bits < 64:
                    off += n * (k % 4)
                reg_bits = max(bits, 16) if not wide else (32 if bits < 32 else 64)
                rclass = 'f' if t[0] == 'f' else t[0] if t[0] in 'us' else 'b'
                regs = [f'x{j}' for j in range(v)]
                p(f'{{ .reg .{rclass}{reg_bits} ' + ', '.join(regs) + ';')
                vec = f'.v{v}' if v > 1 else ''
                dst = '{' + ', '.join(regs) + '}' if v > 1 else regs[0]
                p(f'ld.{space}{vec}.{t} {dst}, [{a}+{off}];')
                for j, r in enumerate(regs):
                    def want(i, off=off, j=j, n=n, t=t, reg_bits=reg_bits):
                        return val('s' + t[1:] if t[0] == 's' else 'u' + t[1:],
                                   number(128 * (i & 63) + off + j * n, n)) & mask(reg_bits)
                    tag = f'{vec[1:]}{t}' + ('w' if wide else '') + (f'[{j}]' if v > 1 else '')
                    if reg_bits == 64:
                        p(f'mov.b64 %d1, {r};')
                        p.out64('%d1', want, tag)
                    else:
                        if reg_bits == 16:
                            p(f'mov.b32 %r1, {{{r}, 0}};' if False else f'cvt.u32.u16 %r1, {r};')
                        else:
                            p(f'mov.b32 %r1, {r};')
                        p.out('%r1', want, tag)
                p('}')
    return [p]


def stores(space):
    """Stores of each type and vector into a zeroed row, which then comes out word by word."""
    p = Program('stores_' + space, 64)
    row = 32
    if space == 'shared':
        p.top(f'.shared .align 16 .b8 srow[{64 * row}];')
        p('mov.u32 %r18, srow; mad.lo.u32 %r19, %t, 32, %r18;')
        a = '%r19'
    elif space == 'local':
        p('.local .align 16 .b8 lrow[32]; mov.u32 %r19, lrow;')
        a = '%r19'
    else:
        p.top(f'.global .align 16 .b8 grow[{64 * row}];')
        p('mov.u64 %d10, grow; mul.wide.u32 %d11, %t, 32; add.u64 %d11, %d11, %d10;')
        a = '%d11'
    p(seed('%r2', 1) + seed('%r3', 2) + seed('%r4', 3) + seed('%r5', 4))
    p('mov.b64 %d2, {%r2, %r3}; mov.b64 %d3, {%r4, %r5}; mov.b32 %f2, %r2; mov.b32 %f3, %r3;'
      ' mov.b32 %f4, %r4; mov.b32 %f5, %r5; cvt.u16.u32 %h2, %r2; cvt.u16.u32 %h3, %r3;'
      ' cvt.u16.u32 %h4, %r4; cvt.u16.u32 %h5, %r5;')
    for k, t in enumerate(['u8', 's8', 'b8', 'u16', 's16', 'b16', 'u32', 's32', 'b32', 'f32', 'u64', 's64',
                           'b64']):
        bits = int(t[1:])
        n = bits // 8
        for v in (1, 2, 4):
            if v * bits > 128:
                continue
            off = (k * n * v) % 32 if v * n < 16 else 16 * (k & 1)
            off -= off % (n * v)
            wide = bits < 32 and (k + v) & 1
            r = '%d' if bits == 64 else '%f' if t == 'f32' else '%r' if bits == 32 or wide else '%h'
            regs = [f'{r}{2 + j}' for j in range(v)]
            vec = f'.v{v}' if v > 1 else ''
            src = '{' + ', '.join(regs) + '}' if v > 1 else regs[0]
            guard = ('@%p0 ' if k % 3 == 0 else '')
            p('mov.u64 %d1, 0;' + ''.join(f'st.{space}.u64 [{a}+{o}], %d1;' for o in (0, 8, 16, 24)))
            if guard:
                p('and.b32 %r6, %t, 5; setp.ne.u32 %p0, %r6, 0;')
            p(f'{guard}st.{space}{vec}.{t} [{a}+{off}], {src};')

            def row_of(i, off=off, n=n, v=v, bits=bits, guard=guard):
                b = bytearray(32)
                if not guard or i & 5:
                    words = [value(i, j) for j in (1, 2, 3, 4)]
                    for j in range(v):
                        x = words[2 * j] | words[2 * j + 1] << 32 if bits == 64 else words[j]
                        b[off + j * n:off + j * n + n] = (x & mask(bits)).to_bytes(n, 'little')
                return struct.unpack('<8I', b)
            for w in range(8):
                if off // 4 - 1 <= w <= (off + n * v) // 4 + 1:
                    p(f'ld.{space}.u32 %r1, [{a}+{4 * w}];')
                    p.out('%r1', lambda i, w=w, f=row_of: f(i)[w], f'{vec[1:]}{t}+{4 * w}')
    return [p]


def generic():
    """One instruction whose lanes go to different spaces."""
    p = Program('generic', 64)
    p.top('.shared .align 8 .b32 gs[64]; .global .align 8 .b32 gg[64]; .const .b32 gc[4] = {11, 22, 33, 44};')
    p('.local .align 8 .b32 gl[4]; mov.u64 %d1, gs; cvta.shared.u64 %d1, %d1; mov.u64 %d2, gl;'
      ' cvta.local.u64 %d2, %d2; mov.u64 %d3, gg; cvta.global.u64 %d3, %d3; mul.wide.u32 %d4, %t, 4;'
      ' add.u64 %d1, %d1, %d4; add.u64 %d3, %d3, %d4;')
    # t % 3: 0 shared, 1 local, 2 global.
    p('rem.u32 %r1, %t, 3; setp.eq.u32 %p0, %r1, 0; setp.eq.u32 %p1, %r1, 1; selp.b64 %d5, %d1, %d3, %p0;'
      ' selp.b64 %d5, %d2, %d5, %p1;')
    p(seed('%r2') + 'st.u32 [%d5], %r2; bar.sync 0; ld.u32 %r3, [%d5];')
    p.out('%r3', value, 'ld')
    p('mov.u32 %r3, 0; @%p0 ld.shared.u32 %r3, [gs]; mov.u32 %r5, gs; mul.lo.u32 %r4, %t, 4; add.u32 %r5, %r5, %r4;'
      ' @%p0 ld.shared.u32 %r3, [%r5]; @%p1 ld.local.u32 %r3, [gl]; not.pred %p2, %p0; not.pred %p3, %p1;'
      ' and.pred %p2, %p2, %p3; cvta.to.global.u64 %d6, %d3; @%p2 ld.global.u32 %r3, [%d6];')
    p.out('%r3', value, 'spaces')
    for s, test in (('shared', lambda i: i % 3 == 0), ('local', lambda i: i % 3 == 1),
                    ('global', lambda i: i % 3 == 2)):
        p(f'isspacep.{s} %p4, %d5; selp.u32 %r3, 1, 0, %p4;')
        p.out('%r3', lambda i, f=test: int(f(i)), 'isspacep.' + s)
    # Atomics on mixed addresses (no local), sub-words and vectors.
    p('selp.b64 %d7, %d1, %d3, %p0; st.u32 [%d7], %r2; atom.add.u32 %r4, [%d7], 5; ld.u32 %r3, [%d7];')
    p.out('%r4', value, 'atom-old').out('%r3', lambda i: value(i) + 5, 'atom-new')
    p('st.u8 [%d5+1], 0; st.u16 [%d5+2], 0x1234; ld.s8 %r3, [%d5]; ld.u32 %r4, [%d5];')
    base = lambda i: value(i) if i % 3 == 1 else value(i) + 5 & M32
    p.out('%r3', lambda i: val('s8', base(i)), 'ld.s8')
    p.out('%r4', lambda i: 0x12340000 | base(i) & 0xff, 'st.u8')
    p('and.b32 %r6, %t, 3; mul.wide.u32 %d8, %r6, 4; mov.u64 %d9, gc; add.u64 %d9, %d9, %d8;'
      ' ld.const.u32 %r3, [%d9]; cvta.const.u64 %d9, %d9; ld.u32 %r4, [%d9];')
    p.out('%r3', lambda i: 11 * ((i & 3) + 1), 'const').out('%r4', lambda i: 11 * ((i & 3) + 1), 'const-gen')
    return [p]


def locals_():
    """Arrays of a thread, indexed by data, in a kernel and in a function."""
    p = Program('local_array', 64)
    p.top('.func (.reg .b32 r) gather(.reg .b32 n)\n{\n .local .align 4 .b32 a[16]; .reg .b32 b, k, s, x;'
          ' .reg .pred p;\n mov.u32 b, a; mov.u32 k, 0;\nL: mul.lo.u32 x, k, n; mad.lo.u32 s, k, 4, b;'
          ' st.local.u32 [s], x;\n add.u32 k, k, 1; setp.lt.u32 p, k, 16; @p bra L;\n and.b32 k, n, 15;'
          ' mad.lo.u32 s, k, 4, b; ld.local.u32 r, [s];\n ret;\n}')
    p('.local .align 8 .b8 a[256]; .reg .b32 base; mov.u32 base, a;')
    p('mov.u32 %r1, 0; L1: add.u32 %r2, %r1, %i; mul.lo.u32 %r2, %r2, %r2; mad.lo.u32 %r3, %r1, 4, base;'
      ' st.local.u32 [%r3], %r2; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 64; @%p0 bra L1;')
    p('mul.lo.u32 %r4, %i, 11; and.b32 %r4, %r4, 63; mad.lo.u32 %r5, %r4, 4, base; ld.local.u32 %r6, [%r5];')
    p.out('%r6', lambda i: ((i * 11 & 63) + i) ** 2, 'index')
    p('and.b32 %r4, %i, 31; mad.lo.u32 %r5, %r4, 8, base; ld.local.v2.u32 {%r6, %r7}, [%r5]; sub.u32 %r6, %r7, %r6;')
    p.out('%r6', lambda i: (2 * (i & 31) + 1 + i) ** 2 - (2 * (i & 31) + i) ** 2, 'v2')
    p('{ .reg .b32 got; call (got), gather, (%i); mov.u32 %r6, got; }')
    p.out('%r6', lambda i: (i & 15) * i, 'function')
    p('ld.local.u32 %r6, [a+252];')
    p.out('%r6', lambda i: (63 + i) ** 2, 'untouched')
    return [p]


def constants():
    p = Program('constants', 64)
    p.top('.const .align 4 .b8 cb[8] = {1, 2, 0xff, 0x80, 5, 6, 7, 8};\n'
          '.const .u16 ch[4] = {1, 0x8000, 0xffff, 7};\n.const .s32 cw[8] = {1, -2, 3, -4, 5, -6, 7, -8};\n'
          '.const .f32 cf[4] = {1.0, -0.5, 0f40490FDB, 3.0};\n.const .u64 cd[4] = {1, 0x123456789abcdef0, 3, 4};\n'
          '.const .f32 c2[2][3] = {{1.0, 2.0, 3.0}, {4.0, 5.0}};\n.const .u32 cz[4];\n'
          '.global .s32 gi[4] = {-1, 2, 0x7fffffff};\n.global .u64 gp = gi;\n'
          '.global .align 8 .u64 gq[2] = {gi+4, generic(cw)};')
    f = lambda x: struct.unpack('<I', struct.pack('<f', x))[0]
    cf = [f(1.0), f(-0.5), 0x40490fdb, f(3.0)]
    for k, (name, size, ty, n, vals) in enumerate([
            ('cb', 1, 's8', 8, [1, 2, -1, -128, 5, 6, 7, 8]), ('cb', 1, 'u8', 8, [1, 2, 255, 128, 5, 6, 7, 8]),
            ('ch', 2, 's16', 4, [1, -32768, -1, 7]), ('cw', 4, 's32', 8, [1, -2, 3, -4, 5, -6, 7, -8]),
            ('cf', 4, 'b32', 4, cf), ('cz', 4, 'u32', 4, [0] * 4),
            ('c2', 4, 'b32', 6, [f(x) for x in (1, 2, 3, 4, 5, 0)])]):
        p(f'rem.u32 %r1, %i, {n}; mul.lo.u32 %r1, %r1, {size}; mov.u32 %r2, {name}; add.u32 %r2, %r2, %r1;'
          f' ld.const.{ty} %r3, [%r2];')
        p.out('%r3', lambda i, v=vals, n=n: v[i % n], f'{name}.{ty}')
        p(f'ld.const.{ty} %r3, [{name}+{size * (n - 1)}];')
        p.out('%r3', lambda i, v=vals: v[-1], f'{name}.{ty}-last')
    p('and.b32 %r1, %i, 3; mul.wide.u32 %d1, %r1, 8; mov.u64 %d2, cd; add.u64 %d2, %d2, %d1; ld.const.u64 %d3, [%d2];')
    p.out64('%d3', lambda i: [1, 0x123456789abcdef0, 3, 4][i & 3], 'cd')
    p('ld.const.v4.u32 {%r3, %r4, %r5, %r6}, [cw]; add.u32 %r3, %r3, %r6; sub.u32 %r4, %r4, %r5; mul.lo.u32 %r3, %r3, %r4;')
    p.out('%r3', lambda i: -3 * -5, 'v4')
    p('ld.global.u64 %d4, [gp]; ld.global.s32 %r3, [%d4]; ld.global.u64 %d4, [gq]; ld.global.s32 %r4, [%d4+4];'
      ' ld.global.u64 %d4, [gq+8]; ld.s32 %r5, [%d4+4]; ld.global.s32 %r6, [gi+12];')
    p.out('%r3', lambda i: -1, 'gp').out('%r4', lambda i: 0x7fffffff, 'gq').out('%r5', lambda i: -2, 'gq-generic')
    p.out('%r6', lambda i: 0, 'gi-rest')
    return [p]


def parameters():
    """A structure by value, sub-words and addresses of parameters, in kernels and functions."""
    p = Program('parameters', 64)
    p.top('''.func (.param .align 8 .b8 out[24]) mix(.param .align 8 .b8 in[24], .param .b8 c, .param .b16 h, .param .b64 d)
{
 .reg .b32 x, y; .reg .b64 q, e; .reg .b16 s; .reg .s32 t;
 ld.param.b32 x, [in+4]; ld.param.b64 q, [in+16]; ld.param.s8 t, [c]; ld.param.b16 s, [h]; ld.param.b64 e, [d];
 add.u32 x, x, t; cvt.u32.u16 y, s; sub.u64 q, q, e;
 st.param.b32 [out+8], y; st.param.b64 [out+16], q; st.param.b32 [out], x; st.param.b8 [out+5], s;
 ret;
}
.func (.param .b32 r) many(.param .b32 a, .param .b64 b, .param .b8 c, .param .f32 d, .param .b32 e, .param .b32 f,
  .param .b32 g, .param .b32 h)
{
 .reg .b32 x, y; .reg .b64 q; .reg .f32 z; .reg .b32 w;
 ld.param.b32 x, [a]; ld.param.b64 q, [b]; cvt.u32.u64 y, q; mad.lo.u32 x, x, 3, y; shr.u64 q, q, 32; cvt.u32.u64 y, q;
 mad.lo.u32 x, x, 5, y; ld.param.u8 y, [c]; mad.lo.u32 x, x, 7, y; ld.param.f32 z, [d]; cvt.rzi.u32.f32 y, z;
 mad.lo.u32 x, x, 11, y; ld.param.b32 y, [e]; mad.lo.u32 x, x, 13, y; ld.param.b32 y, [f]; mad.lo.u32 x, x, 17, y;
 ld.param.b32 y, [g]; mad.lo.u32 x, x, 19, y; ld.param.b32 w, [h]; mad.lo.u32 x, x, 23, w;
 st.param.b32 [r], x;
 ret;
}''')
    p(seed('%r1', 1) + seed('%r2', 2) + seed('%r3', 3) + seed('%r4', 4))
    p('''mov.b64 %d1, {%r1, %r2}; mov.b64 %d2, {%r3, %r4}; cvt.u16.u32 %h1, %r3;
 { .param .align 8 .b8 s[24]; .param .b8 c; .param .b16 h; .param .b64 d; .param .align 8 .b8 o[24];
 st.param.b32 [s+4], %r1; st.param.v2.b32 [s+16], {%r2, %r3}; st.param.b8 [c], %r4; st.param.b16 [h], %h1;
 st.param.b64 [d], %d1;
 call (o), mix, (s, c, h, d);
 ld.param.b32 %r5, [o]; ld.param.b32 %r6, [o+8]; ld.param.b64 %d3, [o+16]; ld.param.u8 %r7, [o+5]; }''')
    v = value
    p.out('%r5', lambda i: v(i, 1) + val('s8', v(i, 4)), 'mix.x').out('%r6', lambda i: v(i, 3) & 0xffff, 'mix.y')
    p.out64('%d3', lambda i: (v(i, 2) | v(i, 3) << 32) - (v(i, 1) | v(i, 2) << 32) & mask(64), 'mix.q')
    p.out('%r7', lambda i: v(i, 3) & 0xff, 'mix.b')
    p('''cvt.rn.f32.u32 %f1, %i; mul.f32 %f1, %f1, 0f3FC00000;
 { .param .b32 a; .param .b64 b; .param .b8 c; .param .f32 d; .param .b32 e; .param .b32 f; .param .b32 g;
 .param .b32 h; .param .b32 r;
 st.param.b32 [a], %r1; st.param.b64 [b], %d2; st.param.b8 [c], %r2; st.param.f32 [d], %f1; st.param.b32 [e], %r3;
 st.param.b32 [f], 42; st.param.b32 [g], %r4; st.param.b32 [h], %i;
 call (r), many, (a, b, c, d, e, f, g, h);
 ld.param.b32 %r5, [r]; }''')

    def many(i):
        x = v(i, 1) * 3 + v(i, 3)
        x = x * 5 + v(i, 4)
        x = x * 7 + (v(i, 2) & 0xff)
        x = x * 11 + i * 3 // 2
        x = x * 13 + v(i, 3)
        x = x * 17 + 42
        x = x * 19 + v(i, 4)
        return x * 23 + i
    p.out('%r5', many, 'many')
    # Kernel parameters: narrow reads, an address, a part.
    p('ld.param.u32 %r5, [out]; cvt.u32.u64 %r6, %out; sub.u32 %r5, %r5, %r6; ld.param.u8 %r7, [out+1];'
      ' shr.u32 %r8, %r6, 8; and.b32 %r8, %r8, 255; sub.u32 %r7, %r7, %r8; or.b32 %r5, %r5, %r7;')
    p.out('%r5', lambda i: 0, 'kernel')
    p('mov.b64 %d4, out; ld.param.u64 %d5, [%d4]; sub.u64 %d5, %d5, %out; cvt.u32.u64 %r5, %d5;')
    p.out('%r5', lambda i: 0, 'kernel-address')
    return [p]
