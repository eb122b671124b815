"""What belongs to a launch: three dimensions, parameters of every type, dynamic shared memory; and
small instructions that move words about: packing, asynchronous copies, 32-bit addresses."""
import struct

from .ints import mask, val
from .programs import M32, Program, seed, value


class Shaped(Program):
    """A program in a grid and block of three dimensions; %i is the thread's number in its order."""

    def __init__(self, name, grid, block, header='', params=b'', shared=0):
        g, b = grid[0] * grid[1] * grid[2], block[0] * block[1] * block[2]
        super().__init__(name, b, g)
        self.g3, self.b3, self.header, self.params, self.shared = grid, block, header, params, shared

    def emit(self, m):
        size = 4 * self.words * self.threads
        more = f' shared={self.shared}' if self.shared else ''
        more += f' params={self.params.hex()}' if self.params else ''
        if self.g3[2] > 1:                         # Tesla's grids have two dimensions
            more += ' skip=gt240'
        m.run(self.name, 'x'.join(map(str, self.g3)), 'x'.join(map(str, self.b3)), size, more)
        m.threads = self.threads
        for name, at, values in self.forms:
            m.form(name, at, 4, 'exact', values)
        m.text += [t + '\n' for t in self.outside]
        m.text.append(
            f'.visible .entry {self.name}(.param .u64 in, .param .u64 out{self.header})\n{{\n'
            ' .reg .b32 %i, %t, %lo, %hi, %r<40>; .reg .b64 %out, %o, %d<20>; .reg .b16 %h<10>;'
            ' .reg .f32 %f<10>; .reg .f64 %e<6>; .reg .pred %p<10>;\n'
            ' mov.u32 %r0, %tid.z; mov.u32 %r1, %ntid.y; mov.u32 %r2, %tid.y; mad.lo.u32 %r0, %r0, %r1, %r2;\n'
            ' mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %t, %r0, %r1, %r2;\n'
            ' mov.u32 %r0, %ctaid.z; mov.u32 %r1, %nctaid.y; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r0, %r0, %r1, %r2;\n'
            ' mov.u32 %r1, %nctaid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n'
            f' mad.lo.u32 %i, %r0, {self.block}, %t; ld.param.u64 %out, [out]; mul.wide.u32 %o, %i, 4;'
            ' add.u64 %o, %o, %out;\n')
        m.text += [f' {line.strip()}\n' for line in self.lines]
        m.text.append(' ret;\n}\n')


def shapes():
    out = []
    for k, (grid, block) in enumerate([((3, 2, 2), (5, 3, 2)), ((1, 4, 1), (1, 1, 40)), ((2, 1, 3), (33, 2, 1)),
                                       ((1, 1, 1), (1, 1, 1)), ((7, 1, 1), (16, 16, 1))]):
        p = Shaped(f'shape{k}', grid, block)

        def at(i, grid=grid, block=block):
            n = block[0] * block[1] * block[2]
            c, t = divmod(i, n)
            return ((t % block[0], t // block[0] % block[1], t // block[0] // block[1]),
                    (c % grid[0], c // grid[0] % grid[1], c // grid[0] // grid[1]))
        p('mov.u32 %r3, %tid.x; mov.u32 %r4, %tid.y; mov.u32 %r5, %tid.z; mad.lo.u32 %r3, %r4, 100, %r3;'
          ' mad.lo.u32 %r3, %r5, 10000, %r3;')
        p.out('%r3', lambda i, at=at: at(i)[0][0] + 100 * at(i)[0][1] + 10000 * at(i)[0][2], 'tid')
        p('mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y; mov.u32 %r5, %ctaid.z; mad.lo.u32 %r3, %r4, 100, %r3;'
          ' mad.lo.u32 %r3, %r5, 10000, %r3;')
        p.out('%r3', lambda i, at=at: at(i)[1][0] + 100 * at(i)[1][1] + 10000 * at(i)[1][2], 'ctaid')
        for reg, v in zip(('%ntid.x', '%ntid.y', '%ntid.z', '%nctaid.x', '%nctaid.y', '%nctaid.z'), block + grid):
            p(f'mov.u32 %r3, {reg};').out('%r3', lambda i, v=v: v, reg[1:])
        p('mov.u32 %r3, %laneid; mov.u32 %r4, %warpid; mad.lo.u32 %r3, %r4, 0, %r3;')
        n = block[0] * block[1] * block[2]
        p.out('%r3', lambda i, n=n: i % n % 32, 'laneid')
        out.append(p)
    return out


def parameters():
    """Parameters at their natural places; narrow and vector reads, a structure, reads by address."""
    s = bytes((i * 37 + 11) & 0xff for i in range(20))
    block = b''
    places = {}

    def put(name, fmt, v, align=None):
        nonlocal block
        size = struct.calcsize(fmt)
        a = align or size
        block += b'\0' * (-(16 + len(block)) % a)
        places[name] = 16 + len(block)
        block += struct.pack('<' + fmt, v) if fmt != '20s' else v
    put('a', 'b', -5)
    put('b', 'H', 60000)
    put('c', 'B', 200)
    put('d', 'd', -2.5)
    put('e', 'f', 1.25)
    put('s', '20s', s, 16)
    put('f', 'q', -123456789012345)
    put('g', 'h', -30000)
    header = (', .param .s8 a, .param .u16 b, .param .u8 c, .param .f64 d, .param .f32 e, .param .align 16 .b8 s[20],'
              ' .param .s64 f, .param .s16 g')
    p = Shaped('kernel_params', (2, 1, 1), (32, 1, 1), header, block)
    p('ld.param.s8 %r3, [a]; ld.param.u16 %r4, [b]; ld.param.u8 %r5, [c]; ld.param.b64 %d1, [d]; ld.param.b32 %r6, [e];'
      ' ld.param.b64 %d2, [f]; ld.param.s16 %r7, [g];')
    p.out('%r3', lambda i: -5, 's8').out('%r4', lambda i: 60000, 'u16').out('%r5', lambda i: 200, 'u8')
    p.out64('%d1', lambda i: struct.unpack('<Q', struct.pack('<d', -2.5))[0], 'f64')
    p.out('%r6', lambda i: 0x3fa00000, 'f32').out64('%d2', lambda i: -123456789012345 & mask(64), 's64')
    p.out('%r7', lambda i: -30000, 's16')
    w = struct.unpack('<5I', s)
    p('ld.param.v4.b32 {%r3, %r4, %r5, %r6}, [s]; ld.param.u32 %r7, [s+16]; ld.param.s8 %r8, [s+7]; ld.param.b64 %d1, [s+8];'
      ' ld.param.v2.u8 {%h1, %h2}, [s+2]; cvt.u32.u16 %r9, %h2;')
    for k in range(5):
        p.out(f'%r{3 + k}', lambda i, k=k: w[k], f's{k}')
    p.out('%r8', lambda i: val('s8', s[7]), 's+7').out64('%d1', lambda i: w[2] | w[3] << 32, 's+8')
    p.out('%r9', lambda i: s[3], 'v2.u8')
    p('mov.b64 %d3, s; and.b32 %r3, %i, 3; mul.wide.u32 %d4, %r3, 4; add.u64 %d3, %d3, %d4; ld.param.u32 %r4, [%d3];')
    p.out('%r4', lambda i: w[i & 3], 'indexed')
    return [p]


def dynamic_shared():
    p = Shaped('dynamic', (2, 1, 1), (64, 1, 1), shared=1024)
    p.top('.extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .b32 fixed[64];')
    p(seed('%r3') + 'mov.u32 %r4, dyn; mad.lo.u32 %r5, %t, 16, %r4; st.shared.v4.b32 [%r5], {%r3, %i, %t, %r3};'
      ' mov.u32 %r6, fixed; mad.lo.u32 %r7, %t, 4, %r6; not.b32 %r8, %r3; st.shared.b32 [%r7], %r8; bar.sync 0;'
      ' xor.b32 %r9, %t, 63; mad.lo.u32 %r10, %r9, 16, %r4; ld.shared.v2.b32 {%r11, %r12}, [%r10+8];'
      ' ld.shared.b32 %r13, [%r10]; mad.lo.u32 %r14, %r9, 4, %r6; ld.shared.b32 %r15, [%r14];')
    other = lambda i: i ^ 63
    p.out('%r11', lambda i: other(i) & 63, 't').out('%r12', lambda i: value(other(i)), 'v')
    p.out('%r13', lambda i: value(other(i)), 'v0').out('%r15', lambda i: ~value(other(i)), 'fixed')
    p('mov.u32 %r3, %dynamic_smem_size; and.b32 %r4, %r4, 15;')
    p.out('%r3', lambda i: 1024, 'size').out('%r4', lambda i: 0, 'align')
    return [p]


def packing():
    p = Shaped('packing', (1, 1, 1), (64, 1, 1))
    p(seed('%r3', 1) + seed('%r4', 2) + 'mov.b64 %d1, {%r3, %r4};')
    v = value
    both = lambda i: v(i, 1) | v(i, 2) << 32
    p.out64('%d1', both, 'b64.2x32')
    p('mov.b64 {%r5, %r6}, %d1; sub.u32 %r5, %r5, %r6;').out('%r5', lambda i: v(i, 1) - v(i, 2), 'unpack')
    p('mov.b64 {%h1, %h2, %h3, %h4}, %d1; mov.b32 %r5, {%h4, %h1}; mov.b64 %d2, {%h2, %h1, %h4, %h3};')
    h = lambda i, k: both(i) >> 16 * k & 0xffff
    p.out('%r5', lambda i: h(i, 3) | h(i, 0) << 16, 'b32.2x16')
    p.out64('%d2', lambda i: h(i, 1) | h(i, 0) << 16 | h(i, 3) << 32 | h(i, 2) << 48, 'b64.4x16')
    p('{ .reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, %r3; mov.b32 %r5, {d, c, b, a}; }')
    p.out('%r5', lambda i: int.from_bytes(v(i, 1).to_bytes(4, 'little'), 'big'), 'b32.4x8')
    p('mov.b32 {_, %h1}, %r3; cvt.u32.u16 %r5, %h1;').out('%r5', lambda i: v(i, 1) >> 16, 'sink')
    p('mov.b64 {_, %r5}, %d1;').out('%r5', lambda i: v(i, 2), 'sink64')
    p('mov.b32 %f1, %r3; mov.b32 %r5, %f1;').out('%r5', lambda i: v(i, 1), 'f32')
    # The same register on both sides.
    p('mov.b64 {%r3, %r4}, %d1; mov.b64 %d1, {%r4, %r3}; mov.b64 {%r4, %r3}, %d1;')
    p.out64('%d1', lambda i: v(i, 2) | v(i, 1) << 32, 'swap').out('%r4', lambda i: v(i, 2), 'swapped')
    return [p]


def copies():
    """cp.async: groups, sizes, zero fill."""
    p = Shaped('async_copy', (1, 1, 1), (64, 1, 1))
    p.top('.global .align 16 .b32 cp_from[512]; .shared .align 16 .b32 cp_to[512];')
    p('''mov.u64 %d1, cp_from; mul.wide.u32 %d2, %t, 32; add.u64 %d1, %d1, %d2; mov.u32 %r3, cp_to; mad.lo.u32 %r3, %t, 32, %r3;
 mov.u32 %r4, 0;
FILL: mad.lo.u32 %r5, %t, 8, %r4; mad.lo.u32 %r6, %r5, 0x9e3779b1, 0x1234567; mul.wide.u32 %d3, %r4, 4; add.u64 %d3, %d3, %d1;
 st.global.b32 [%d3], %r6; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra FILL; membar.cta; bar.sync 0;
 cp.async.ca.shared.global [%r3], [%d1], 4; cp.async.ca.shared.global [%r3+8], [%d1+8], 8; cp.async.commit_group;
 cp.async.cg.shared.global [%r3+16], [%d1+16], 16; cp.async.commit_group;
 cp.async.wait_group 1; ld.shared.b32 %r7, [%r3]; ld.shared.b32 %r8, [%r3+12]; cp.async.wait_all; ld.shared.b32 %r9, [%r3+28];''')
    w = lambda i, k: value(8 * i + k)
    p.out('%r7', lambda i: w(i, 0), '4').out('%r8', lambda i: w(i, 3), '8').out('%r9', lambda i: w(i, 7), '16')
    p('''and.b32 %r4, %t, 15; cp.async.ca.shared.global [%r3+16], [%d1], 16, %r4; and.b32 %r5, %t, 1; setp.eq.u32 %p2, %r5, 1;
 @%p2 cp.async.ca.shared.global [%r3], [%d1+4], 4; cp.async.commit_group; cp.async.wait_group 0;
 ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r3+16]; ld.shared.b32 %r14, [%r3];''')

    def filled(i, k):
        data = b''.join(w(i, j).to_bytes(4, 'little') for j in range(4))[:i & 15].ljust(16, b'\0')
        return struct.unpack('<4I', data)[k]
    for k in range(4):
        p.out(f'%r{10 + k}', lambda i, k=k: filled(i, k), f'fill{k}')
    p.out('%r14', lambda i: w(i, 1) if i & 1 else w(i, 0), 'guard')
    return [p]


def narrow_addresses():
    """A module of 32-bit addresses, as compilers made for early GPUs."""
    out = []
    p = Program('addresses32', 64)
    p.emit = lambda m, p=p: emit32(p, m)
    p.top('.global .u32 g32[64];\n.const .u32 c32[4] = {5, 6, 7, 8};\n.global .u32 p32[2] = {g32, c32};')
    p(seed('%r3') + 'mov.u32 %r4, g32; mad.lo.u32 %r5, %t, 4, %r4; st.global.u32 [%r5], %r3; xor.b32 %r6, %t, 1;'
      ' bar.sync 0; mad.lo.u32 %r6, %r6, 4, %r4; ld.global.u32 %r7, [%r6];')
    p.out('%r7', lambda i: value(i ^ 1), 'global')
    p('and.b32 %r8, %t, 3; shl.b32 %r8, %r8, 2; mov.u32 %r9, c32; add.u32 %r9, %r9, %r8; ld.const.u32 %r7, [%r9];'
      ' ld.global.u32 %r10, [p32]; sub.u32 %r10, %r10, %r4;')
    p.out('%r7', lambda i: 5 + (i & 3), 'const').out('%r10', lambda i: 0, 'pointer')
    p('mul.wide.u16 %r7, 300, 301; mul24.lo.u32 %r8, %i, 77; mad24.lo.u32 %r8, %r8, 3, %r7;')
    p.out('%r8', lambda i: i * 77 * 3 + 300 * 301, 'mad24')
    p('red.global.add.u32 [%r5], 5; atom.global.max.u32 %r9, [%r5], 9; ld.global.u32 %r10, [%r5]; sub.u32 %r10, %r10, %r9;')
    p.out('%r9', lambda i: value(i) + 5, 'atom').out('%r10', lambda i: 0 if value(i) + 5 & M32 >= 9 else 4, 'red')
    out.append(p)
    return out


def emit32(p, m):
    m.run(p.name, p.grid, p.block, 4 * p.words * p.threads)
    for name, at, values in p.forms:
        m.form(name, at, 4, 'exact', values)
    m.text += [t + '\n' for t in p.outside]
    m.text.append(f'.entry {p.name}(.param .u64 in, .param .u64 out)\n{{\n'
                  ' .reg .u32 %i, %t, %o, %r<30>; .reg .u16 %h<4>; .reg .pred %p<4>;\n'
                  ' mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x;\n'
                  f' mad.lo.u32 %i, %i, {p.block}, %t; ld.param.u32 %o, [out]; mad.lo.u32 %o, %i, 4, %o;\n')
    m.text += [f' {line.strip()}\n' for line in p.lines]
    m.text.append(' exit;\n}\n')
