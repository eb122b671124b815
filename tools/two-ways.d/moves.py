"""Loads, stores, atomics with an order and a scope, fences, barriers and special registers: kernels of one operation
that leave 16 bytes a thread."""

TYPES = ['u8', 's8', 'b8', 'u16', 's16', 'b16', 'u32', 's32', 'b32', 'f32', 'u64', 's64', 'b64', 'f64']
SCOPES = ['cta', 'gpu', 'sys']
LOADS = {'global': ['', '.ca', '.cg', '.cs', '.lu', '.cv', '.volatile', '.nc', '.weak', '.L1::evict_last', '.L1::no_allocate',
                    '.nc.L1::evict_last'] + [f'.{o}.{s}' for o in ('relaxed', 'acquire') for s in SCOPES],
         'shared': ['', '.volatile', '.weak'] + [f'.{o}.{s}' for o in ('relaxed', 'acquire') for s in SCOPES],
         'local': ['', '.ca', '.cs', '.lu'],
         'const': [''],
         '': ['', '.ca', '.cg', '.cv', '.volatile', '.relaxed.gpu', '.acquire.sys']}
STORES = {'global': ['', '.wb', '.cg', '.cs', '.wt', '.volatile', '.weak', '.L1::evict_last', '.L1::no_allocate'] +
          [f'.{o}.{s}' for o in ('relaxed', 'release') for s in SCOPES],
          'shared': ['', '.volatile', '.weak'] + [f'.{o}.{s}' for o in ('relaxed', 'release') for s in SCOPES],
          'local': ['', '.wb', '.cs'],
          '': ['', '.wb', '.cg', '.volatile', '.relaxed.gpu', '.release.sys']}
ATOMS = ['add.u32', 'add.s32', 'add.u64', 'add.f32', 'add.f64', 'add.noftz.f16x2', 'min.u32', 'min.s32', 'max.u32',
         'max.s32', 'min.u64', 'max.s64', 'and.b32', 'or.b32', 'xor.b32', 'and.b64', 'or.b64', 'xor.b64', 'inc.u32',
         'dec.u32', 'exch.b32', 'exch.b64', 'cas.b16', 'cas.b32', 'cas.b64']
ORDERS = [''] + [f'.{o}.{s}' for o in ('relaxed', 'acquire', 'release', 'acq_rel') for s in SCOPES] + ['.gpu', '.cta', '.sys']
SAME = ('%tid.x %tid.y %tid.z %ntid.x %ntid.y %ntid.z %ctaid.x %ctaid.y %ctaid.z %nctaid.x %nctaid.y %nctaid.z %laneid '
        '%lanemask_eq %lanemask_lt %lanemask_le %lanemask_gt %lanemask_ge %dynamic_smem_size').split()
PRESENT = ('%warpid %nwarpid %smid %nsmid %clock %clock_hi %globaltimer_lo %globaltimer_hi %total_smem_size '
           '%envreg0 %envreg1 %envreg2 %envreg3 %envreg31 %pm0 %pm7').split()
PRESENT64 = '%clock64 %globaltimer %gridid %pm0_64'.split()
TABLE = '.const .align 16 .b32 table[64] = {%s};\n' % ','.join(str(k * 0x9e3779b1 + 0x8081 & 0xffffffff) for k in range(64))


class Move:
    """A kernel's body: %i is the thread, %src 16 bytes of input of its own, %row 16 of output. Words that the two
    ways need not share are not stored."""

    def __init__(self, name, body):
        self.name, self.body = name, body

    def kernel(self, name):
        return several(name, [self])


def several(name, moves):
    """A kernel of several, each with rows of its own."""
    bodies = ''.join(f' {{ {m.body} }}\n' + (f' add.u64 %row,%row,{16 * 1024};\n' if m is not moves[-1] else '') for m in moves)
    return (f'.visible .entry {name}(.param .u64 in, .param .u64 out)\n{{\n'
            ' .reg .b16 %h<9>; .reg .b32 %r<16>, %i, %t, %sh, %lo; .reg .b64 %d<16>, %src, %row, %gs; .reg .pred %p<4>;\n'
            ' mov.u32 %r0,%ctaid.x; mov.u32 %r1,%ntid.x; mov.u32 %t,%tid.x; mad.lo.u32 %i,%r0,%r1,%t;\n'
            ' ld.param.u64 %src,[in]; ld.param.u64 %row,[out]; mul.wide.u32 %d0,%i,16;\n'
            f' add.u64 %src,%src,%d0; add.u64 %row,%row,%d0;\n{bodies} ret;\n}}\n')


# Where the 16 bytes of a space lie: how their address is made, what it is, how they are filled.
def place(space):
    fill = ' ld.global.v4.b32 {%r4,%r5,%r6,%r7},[%src]; st.SPACE.v4.b32 [AT],{%r4,%r5,%r6,%r7};'
    if space == 'global':
        return '', '%src', ''
    if space == '':
        return 'cvta.global.u64 %gs,%src;', '%gs', ''
    if space == 'const':
        return 'and.b32 %r2,%i,15; shl.b32 %r2,%r2,4; mov.u32 %sh,table; add.u32 %sh,%sh,%r2;', '%sh', ''
    if space == 'shared':
        return ('.shared .align 16 .b8 mine[1024]; shl.b32 %r2,%t,4; mov.u32 %sh,mine; add.u32 %sh,%sh,%r2;', '%sh',
                fill.replace('SPACE', space).replace('AT', '%sh'))
    return ('.local .align 16 .b8 own[32]; and.b32 %r2,%t,1; shl.b32 %r2,%r2,4; mov.u32 %lo,own; add.u32 %lo,%lo,%r2;',
            '%lo', fill.replace('SPACE', space).replace('AT', '%lo'))


def shapes(type_, ops):
    """Vectors of a type; only plain operations have all of them."""
    bits = int(type_[1:])
    return [v for v in (1, 2, 4) if v * bits <= 128]


def registers(bits, n, first=2):
    letter = {16: '%h', 32: '%r', 64: '%d'}[bits]
    return [f'{letter}{first + k}' for k in range(n)]


def braces(regs):
    return '{' + ','.join(regs) + '}' if len(regs) > 1 else regs[0]


def loads():
    out = []
    for space, ops in LOADS.items():
        make, at, fill = place(space)
        for op in ops:
            for t in TYPES:
                bits = int(t[1:])
                for v in shapes(t, op):
                    for wide in {max(bits, 16), 32, 64} if v == 1 and not op else {max(bits, 16)}:
                        if wide < bits:
                            continue
                        off = (16 - bits * v // 8) // 2 // (bits * v // 8) * (bits * v // 8)
                        regs = registers(wide, v, 4)
                        dot = '.' + space if space else ''
                        vec = f'.v{v}' if v > 1 else ''
                        if '.volatile' in op or '.relaxed' in op or '.acquire' in op or '.weak' in op:
                            word = f'ld{op}{dot}{vec}.{t}'
                        else:
                            word = f'ld{dot}{op}{vec}.{t}'
                        keep = ''.join(f' st.global.b{wide} [%row+{k * wide // 8}],{r};' for k, r in enumerate(regs))
                        name = word + (f' to b{wide}' if wide != max(bits, 16) else '')
                        body = f'{make}{fill} {word} {braces(regs)},[{at}+{off}];{keep}'
                        out.append(Move(name, body))
    for t in TYPES:
        regs = registers(max(int(t[1:]), 16), 1, 4)
        keep = f' st.global.b{max(int(t[1:]), 16)} [%row],{regs[0]};'
        out.append(Move(f'ldu.global.{t}', f'ldu.global.{t} {regs[0]},[%src];{keep}'))
    return out


def stores():
    out = []
    data = 'ld.global.v2.b64 {%d10,%d11},[%src];'
    for space, ops in STORES.items():
        for op in ops:
            for t in TYPES:
                bits = int(t[1:])
                for v in shapes(t, op):
                    size = bits * v // 8
                    off = (16 - size) // 2 // size * size
                    wide = max(bits, 16)
                    regs = registers(wide, v, 4)
                    if wide == 64:
                        take = 'mov.b64 %d4,%d10; mov.b64 %d5,%d11;'
                    elif wide == 32:
                        take = 'mov.b64 {%r4,%r5},%d10; mov.b64 {%r6,%r7},%d11;'
                    else:
                        take = 'mov.b64 {%h4,%h5,%h6,%h7},%d10;'
                    dot = '.' + space if space else ''
                    vec = f'.v{v}' if v > 1 else ''
                    early = any(x in op for x in ('.volatile', '.relaxed', '.release', '.weak'))
                    word = f'st{op}{dot}{vec}.{t}' if early else f'st{dot}{op}{vec}.{t}'
                    if space in ('global', ''):
                        make = 'cvta.global.u64 %gs,%row;' if not space else ''
                        at = '%row' if space else '%gs'
                        body = f'{make} {data} {take} {word} [{at}+{off}],{braces(regs)};'
                    else:
                        make, at, fill = place(space)
                        body = (f'{make}{fill} {data} {take} {word} [{at}+{off}],{braces(regs)};'
                                f' ld.{space}.v4.b32 {{%r8,%r9,%r10,%r11}},[{at}];'
                                ' st.global.v4.b32 [%row],{%r8,%r9,%r10,%r11};')
                    out.append(Move(word, body))
    return out


def atomics():
    """The cell holds the first half of the thread's input; the old value goes behind what it becomes."""
    out = []
    for space in ('global', 'shared', ''):
        for op in ATOMS:
            for order in ORDERS if op in ('add.u32', 'cas.b32', 'exch.b64', 'min.u64') else ['']:
                for red in (False, True):
                    if red and op.split('.')[0] in ('exch', 'cas') or red and 'acq' in order:
                        continue
                    bits = 32 if op.endswith('x2') else int(op.split('.')[-1][1:])
                    r = {16: '%h', 32: '%r', 64: '%d'}[bits]
                    dot = '.' + space if space else ''
                    word = ('red' if red else 'atom') + order + dot + '.' + op
                    size = bits // 8
                    make = f'ld.global.b{bits} {r}4,[%src]; ld.global.b{bits} {r}5,[%src+8]; xor.b{bits} {r}6,{r}4,{r}5;'
                    if space == 'shared':
                        make += ' .shared .align 16 .b8 mine[1024]; shl.b32 %r2,%t,4; mov.u32 %sh,mine; add.u32 %sh,%sh,%r2;'
                        at, cell = '%sh', 'shared'
                    else:
                        make += ' cvta.global.u64 %gs,%row;' if not space else ''
                        at, cell = ('%row' if space else '%gs'), 'global'
                    # cas: half of the lanes find what they compare with
                    if op.startswith('cas'):
                        make += f' and.b32 %r2,%t,1; setp.eq.u32 %p0,%r2,0; selp.b{bits} {r}6,{r}4,{r}6,%p0;'
                        operands = f'{r}6,{r}5'
                    else:
                        operands = f'{r}5'
                    addr = at if cell == 'shared' else '%row'
                    body = f'{make} st.{cell}.b{bits} [{addr}],{r}4; {word} '
                    body += f'[{at}],{operands};' if red else f'{r}7,[{at}],{operands};'
                    if not red:
                        body += f' st.global.b{bits} [%row+8],{r}7;'
                    if cell == 'shared':
                        body += f' ld.shared.b{bits} {r}8,[%sh]; st.global.b{bits} [%row],{r}8;'
                    out.append(Move(word, body))
    return out


def rest():
    out = []
    mark = ' ld.global.b32 %r4,[%src]; st.global.b32 [%row],%r4;'
    for f in (['membar.cta', 'membar.gl', 'membar.sys'] +
              [f'fence{o}.{s}' for o in ('', '.sc', '.acq_rel') for s in SCOPES] +
              ['bar.sync 0', 'bar.sync 1,64', 'barrier.sync 2', 'barrier.sync.aligned 3,64', 'bar.warp.sync -1',
               'nanosleep.u32 100', 'nanosleep.u32 %t', 'pmevent 3', 'prefetch.global.L1 [%src]',
               'prefetch.global.L2 [%src]', 'prefetch.L1 [%src]', 'prefetch.L2 [%src]', 'prefetchu.L1 [%src]',
               'prefetch.local.L1 [%lo]', 'prefetch.global.L2::evict_last [%src]',
               'prefetch.global.L2::evict_normal [%src]']):
        make = place('local')[0] if '%lo' in f else ''
        out.append(Move(f, f'{make} {f};{mark}'))
    for op in ('popc.u32', 'and.pred', 'or.pred'):
        for src in ('%p0', '!%p0'):
            d, keep = ('%r4', '') if op.startswith('popc') else ('%p1', ' selp.u32 %r4,1,0,%p1;')
            for word in ('bar.red', 'barrier.red'):
                out.append(Move(f'{word}.{op} {src}', f'ld.global.b32 %r3,[%src]; setp.lt.s32 %p0,%r3,0;'
                                f' {word}.{op} {d},0,{src};{keep} st.global.b32 [%row],%r4;'))
    for s in SAME:
        out.append(Move(f'mov.u32 {s}', f'mov.u32 %r4,{s}; st.global.b32 [%row],%r4;'))
    for s in PRESENT:
        out.append(Move(f'mov.u32 {s} (executes)', f'mov.u32 %r4,{s}; and.b32 %r4,%r4,0;'
                        ' xor.b32 %r5,%r4,%i; st.global.b32 [%row],%r5;'))
    for s in PRESENT64:
        out.append(Move(f'mov.u64 {s} (executes)', f'mov.u64 %d4,{s}; setp.eq.u64 %p0,%d4,-2; selp.u32 %r4,1,0,%p0;'
                        ' st.global.b32 [%row],%r4;'))
    for s, make in (('global', 'cvta.global.u64 %gs,%src;'), ('shared', place('shared')[0] + ' cvt.u64.u32 %d4,%sh; cvta.shared.u64 %gs,%d4;'),
                    ('local', place('local')[0] + ' cvt.u64.u32 %d4,%lo; cvta.local.u64 %gs,%d4;')):
        for t in ('global', 'shared', 'local', 'const'):
            out.append(Move(f'isspacep.{t} of {s}', f'{make} ld.u32 %r5,[%gs]; isspacep.{t} %p0,%gs; selp.u32 %r4,1,0,%p0;'
                            ' st.global.b32 [%row],%r4;' if s == 'global' else
                            f'{make} isspacep.{t} %p0,%gs; selp.u32 %r4,1,0,%p0; st.global.b32 [%row],%r4;'))
    for m in ('all', 'any', 'uni'):
        out.append(Move(f'vote.sync.{m}.pred some', 'ld.global.b32 %r3,[%src]; setp.lt.s32 %p0,%r3,0; setp.lt.u32 %p2,%t,40;'
                        f' mov.u32 %r4,7; @%p2 bra IN; bra OUT; IN: activemask.b32 %r6; vote.sync.{m}.pred %p1,%p0,%r6;'
                        ' selp.u32 %r4,1,0,%p1; OUT: st.global.b32 [%row],%r4;'))
    for word, n in (('match.any.sync.b32 %r4,%r3,%r6;', 0), ('match.all.sync.b32 %r4|%p1,%r3,%r6;', 1),
                    ('vote.sync.ballot.b32 %r4,%p0,%r6;', 2)):
        out.append(Move(word.split(' ')[0] + ' some', 'ld.global.b32 %r3,[%src]; setp.lt.s32 %p0,%r3,0; and.b32 %r3,%r3,3;'
                        ' setp.lt.u32 %p2,%t,40; mov.u32 %r4,7; setp.ne.u32 %p1,%t,%t; @!%p2 bra OUT; activemask.b32 %r6; '
                        f'{word} OUT: selp.u32 %r5,1,0,%p1; st.global.v2.b32 [%row],{{%r4,%r5}};'))
    return out


def forms():
    return loads() + stores() + atomics() + rest()
