"""Products of matrices as compute capability 7.0 has them (mma.m8n8k4, wmma and its loads and stores), and those of 7.5
(mma.m16n8k8, integers and bits, ldmatrix), which ptxas refuses before."""

SHAPES = {'m16n16k16': (16, 16, 16), 'm32n8k16': (32, 8, 16), 'm8n32k16': (8, 32, 16)}
LAYOUTS = ['row', 'col']


def names(letter, n):
    return '{' + ','.join(f'%{letter}{k}' for k in range(n)) + '}'


class Matrix:
    """A kernel of one warp a block: %in and %out are addresses of the warp's own 2048 bytes."""

    def __init__(self, name, body, kind, form):
        self.name, self.body, self.kind, self.format = name, body, kind, form

    def kernel(self, name):
        return (f'.visible .entry {name}(.param .u64 in, .param .u64 out)\n{{\n'
                ' .reg .b32 %a<8>, %b<8>, %c<8>, %d<8>, %i, %l, %s, %sh; .reg .b64 %in, %out, %o, %p;\n'
                ' .shared .align 32 .b8 tile[2048];\n'
                ' mov.u32 %i,%ctaid.x; mov.u32 %l,%tid.x; ld.param.u64 %in,[in]; ld.param.u64 %out,[out];\n'
                ' mul.wide.u32 %o,%i,2048; add.u64 %in,%in,%o; add.u64 %out,%out,%o; mov.u32 %s,tile;\n'
                f' {self.body}\n ret;\n}}\n')


def fills(letter, n, at):
    """Fragments out of memory, scaled so that sums neither overflow nor vanish: the lower bits of each half stay."""
    return ''.join(f' add.u32 %i,%l,{32 * k}; mul.wide.u32 %p,%i,4; add.u64 %p,%p,%in; ld.global.b32 %{letter}{k},[%p+{at}];'
                   f' and.b32 %{letter}{k},%{letter}{k},0x87ff87ff; or.b32 %{letter}{k},%{letter}{k},0x38003800;' for k in range(n))


def forms():
    out = []
    for d in ('f16', 'f32'):
        for c in ('f16', 'f32'):
            for a in LAYOUTS:
                for b in LAYOUTS:
                    nd, nc = (8 if d == 'f32' else 4), (8 if c == 'f32' else 4)
                    body = fills('a', 2, 0) + fills('b', 2, 256) + fills('c', nc, 512)
                    body += f' mma.sync.aligned.m8n8k4.{a}.{b}.{d}.f16.f16.{c} {names("d", nd)},{names("a", 2)},{names("b", 2)},{names("c", nc)};'
                    body += ' mul.wide.u32 %p,%l,4; add.u64 %p,%p,%out;'
                    body += ''.join(f' st.global.b32 [%p+{128 * k}],%d{k};' for k in range(nd))
                    out.append(Matrix(f'mma.m8n8k4.{a}.{b}.{d}.f16.f16.{c}', body, 'exact', 'f' if d == 'f32' else 'H'))
    for shape, (m, n, k) in SHAPES.items():
        for layout in LAYOUTS:
            for part, t in (('a', 'f16'), ('b', 'f16'), ('c', 'f16'), ('c', 'f32')):
                regs = 8 if part in 'ab' or t == 'f32' else 4
                rows, cols = {'a': (m, k), 'b': (k, n), 'c': (m, n)}[part]
                stride = cols if layout == 'row' else rows
                for space in ('global', 'shared', ''):
                    at = '[%s]' if space == 'shared' else '[%in]'
                    copy = ''
                    if space == 'shared':
                        copy = ''.join(f' add.u32 %i,%l,{32 * j}; mul.wide.u32 %p,%i,4; add.u64 %p,%p,%in; ld.global.b32 %a0,[%p];'
                                       ' mad.lo.u32 %sh,%i,4,%s; st.shared.b32 [%sh],%a0;' for j in range(16)) + ' bar.sync 0;'
                    elif not space:
                        copy = ' cvta.global.u64 %in,%in;'
                    dot = '.' + space if space else ''
                    word = f'wmma.load.{part}.sync.aligned.{layout}.{shape}{dot}.{t}'
                    body = f'{copy} {word} {names("d", regs)},{at},{stride};'
                    body += ' mul.wide.u32 %p,%l,4; add.u64 %p,%p,%out;'
                    body += ''.join(f' st.global.b32 [%p+{128 * j}],%d{j};' for j in range(regs))
                    out.append(Matrix(word, body, 'exact', ''))
                    if part == 'c':
                        word = f'wmma.store.d.sync.aligned.{layout}.{shape}{dot}.{t}'
                        size = 4 if t == 'f32' else 2
                        body = fills('d', regs, 0)
                        to = '[%s]' if space == 'shared' else '[%out]'
                        body += ' cvta.global.u64 %out,%out;' if not space else ''
                        body += f' {word} {to},{names("d", regs)},{stride};'
                        if space == 'shared':
                            body += ' bar.sync 0;' + ''.join(
                                f' add.u32 %i,%l,{32 * j}; mad.lo.u32 %sh,%i,4,%s; ld.shared.b32 %a0,[%sh];'
                                ' mul.wide.u32 %p,%i,4; add.u64 %p,%p,%out; st.global.b32 [%p],%a0;' for j in range(m * n * size // 128))
                        out.append(Matrix(word, body, 'exact', ''))
        for a in LAYOUTS:
            for b in LAYOUTS:
                for d in ('f16', 'f32'):
                    for c in ('f16', 'f32'):
                        nd, nc = (8 if d == 'f32' else 4), (8 if c == 'f32' else 4)
                        word = f'wmma.mma.sync.aligned.{a}.{b}.{shape}.{d}.{c}'
                        body = fills('a', 8, 0) + fills('b', 8, 512) + fills('c', nc, 1024)
                        body += f' {word} {names("d", nd)},{names("a", 8)},{names("b", 8)},{names("c", nc)};'
                        body += f' wmma.store.d.sync.aligned.row.{shape}.global.{d} [%out],{names("d", nd)},{n};'
                        out.append(Matrix(word, body, 'exact', 'f' if d == 'f32' else 'H'))
    return out + forms_of_turing()


def plain(letter, n, at):
    """Fragments out of memory, any bits."""
    return ''.join(f' add.u32 %i,%l,{32 * k}; mul.wide.u32 %p,%i,4; add.u64 %p,%p,%in; ld.global.b32 %{letter}{k},[%p+{at}];'
                   for k in range(n))


def stored(n):
    return ' mul.wide.u32 %p,%l,4; add.u64 %p,%p,%out;' + ''.join(f' st.global.b32 [%p+{128 * k}],%d{k};' for k in range(n))


def forms_of_turing():
    out = []
    for d, n in (('f16', 2), ('f32', 4)):
        word = f'mma.sync.aligned.m16n8k8.row.col.{d}.f16.f16.{d}'
        body = fills('a', 2, 0) + fills('b', 1, 256) + fills('c', n, 512)
        out.append(Matrix(word, f'{body} {word} {names("d", n)},{names("a", 2)},{names("b", 1)},{names("c", n)};' + stored(n),
                          'exact', 'f' if d == 'f32' else 'H'))
    kinds = [(f'm8n8k{k}', f'{sat}.s32.{a}{bits}.{b}{bits}.s32', '') for k, bits in ((16, 8), (32, 4)) for sat in ('', '.satfinite')
             for a in 'su' for b in 'su'] + [('m8n8k128', '.s32.b1.b1.s32', '.xor.popc')]
    for shape, types, last in kinds:
        word = f'mma.sync.aligned.{shape}.row.col{types}{last}'
        body = plain('a', 1, 0) + plain('b', 1, 128) + plain('c', 2, 256)
        out.append(Matrix(word, f'{body} {word} {names("d", 2)},{names("a", 1)},{names("b", 1)},{names("c", 2)};' + stored(2), 'exact', ''))
    wmma = [(shape, x + '8', ra, rb, rc, layouts) for shape, ra, rb, rc in (('m16n16k16', 2, 2, 8), ('m32n8k16', 4, 1, 8), ('m8n32k16', 1, 4, 8))
            for x in 'su' for layouts in [(a, b) for a in LAYOUTS for b in LAYOUTS]]
    wmma += [('m8n8k32', x + '4', 1, 1, 2, ('row', 'col')) for x in 'su'] + [('m8n8k128', 'b1', 1, 1, 2, ('row', 'col'))]
    for shape, t, ra, rb, rc, (la, lb) in wmma:
        m, n, k = map(int, shape[1:].replace('n', ' ').replace('k', ' ').split())
        for sat in ('', '.satfinite') if t != 'b1' else ('',):
            op = '.xor.popc' if t == 'b1' else ''
            body = f' wmma.load.a.sync.aligned.{la}.{shape}.global.{t} {names("a", ra)},[%in],{k if la == "row" else m};'
            body += f' add.u64 %p,%in,512; wmma.load.b.sync.aligned.{lb}.{shape}.global.{t} {names("b", rb)},[%p],{n if lb == "row" else k};'
            body += f' add.u64 %p,%in,1024; wmma.load.c.sync.aligned.row.{shape}.global.s32 {names("c", rc)},[%p],{n};'
            word = f'wmma.mma{op}.sync.aligned.{la}.{lb}.{shape}.s32.{t}.{t}.s32{sat}'
            body += f' {word} {names("d", rc)},{names("a", ra)},{names("b", rb)},{names("c", rc)};'
            body += f' wmma.store.d.sync.aligned.col.{shape}.global.s32 [%out],{names("d", rc)},{m};'
            out.append(Matrix(word, body, 'exact', ''))
    for x in (1, 2, 4):
        for trans in ('', '.trans'):
            word = f'ldmatrix.sync.aligned.m8n8.x{x}{trans}.shared.b16'
            copy = ''.join(f' add.u32 %i,%l,{32 * j}; mul.wide.u32 %p,%i,4; add.u64 %p,%p,%in; ld.global.b32 %a0,[%p];'
                           ' mad.lo.u32 %sh,%i,4,%s; st.shared.b32 [%sh],%a0;' for j in range(16))
            # rows that neither follow each other nor stay in one bank
            rows = ' mul.lo.u32 %i,%l,37; and.b32 %i,%i,127; mad.lo.u32 %sh,%i,16,%s;'
            out.append(Matrix(word, f'{copy} bar.sync 0;{rows} {word} {names("d", x)},[%sh];' + stored(x), 'exact', ''))
    return out
