"""Products of matrices as compute capability 7.0 has them (mma.m8n8k4, wmma and its loads and stores), and those of 7.5
(mma.m16n8k8, integers and bits, ldmatrix) and of 8.0 to 9.0 (sixteen rows, bfloat, tf32, doubles, 8-bit floats), which
ptxas refuses before."""

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
    return out + forms_of_turing() + forms_of_ampere()


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


# Numbers that neither overflow nor are NaNs: masks of bits that stay and of bits that are set, by type.
NUMBERS = {'bf16': (0x80FF80FF, 0x3F003F00), 'tf32': (0x80FFFFFF, 0x3F000000), 'f16': (0x87FF87FF, 0x38003800),
           'f32': (0x80FFFFFF, 0x3F000000), 'e4m3': (0x9F9F9F9F, 0x20202020), 'e5m2': (0x8F8F8F8F, 0x30303030)}
WIDTH = {'bf16': 16, 'f16': 16, 'tf32': 32, 'f32': 32, 'e4m3': 8, 'e5m2': 8, 's8': 8, 'u8': 8, 's4': 4, 'u4': 4, 'b1': 1, 's32': 32}


def scaled(letter, n, at, kind):
    text = plain(letter, n, at)
    if kind in NUMBERS:
        keep, put = NUMBERS[kind]
        text += ''.join(f' and.b32 %{letter}{k},%{letter}{k},{keep:#x}; or.b32 %{letter}{k},%{letter}{k},{put:#x};' for k in range(n))
    return text


def doubles(least=8):
    """Products of doubles: with exponents made alike, of any bits, and with signs that ptxas puts into the product."""
    out = []
    for m, k in ((8, 4), (16, 4), (16, 8), (16, 16)):
        if m < least:
            continue
        na, nb, nc = m * k // 32, k // 4, m // 4
        word = f'mma.sync.aligned.m{m}n8k{k}.row.col.f64.f64.f64.f64'
        for way in ('', ' of any bits', ' with signs'):
            body = ' .reg .f64 %x<8>, %y<4>, %z<4>, %w<4>;'
            for letter, n, at in (('x', na, 0), ('y', nb, 768), ('z', nc, 1024)):
                for j in range(n):
                    body += f' mad.wide.u32 %p,%l,8,%in; ld.global.v2.b32 {{%a0,%a1}},[%p+{at + 256 * j % 512}];'
                    if way != ' of any bits':
                        body += ' and.b32 %a1,%a1,0x80ffffff; or.b32 %a1,%a1,0x3f000000;'
                    body += f' mov.b64 %{letter}{j},{{%a0,%a1}};'
                    if way == ' with signs' and letter != 'y':
                        body += f' neg.f64 %{letter}{j},%{letter}{j};'
            body += f' {word} {names("w", nc)},{names("x", na)},{names("y", nb)},{names("z", nc)};'
            body += f' {word} {names("w", nc)},{names("x", na)},{names("y", nb)},{names("w", nc)}; mad.wide.u32 %p,%l,8,%out;'
            body += ''.join(f' st.global.f64 [%p+{256 * j}],%w{j};' for j in range(nc))
            out.append(Matrix(word + way, body, 'exact', ''))
    return out


def forms_of_ampere():
    out = []
    for x in (1, 2, 4):
        for trans in ('', '.trans'):
            word = f'stmatrix.sync.aligned.m8n8.x{x}{trans}.shared.b16'
            body = plain('c', x, 0) + ' mov.u32 %a0,0; mad.lo.u32 %sh,%l,4,%s;'
            body += ''.join(f' st.shared.b32 [%sh+{128 * j}],%a0;' for j in range(16)) + ' bar.sync 0;'
            body += ' mul.lo.u32 %i,%l,37; and.b32 %i,%i,127; mad.lo.u32 %sh,%i,16,%s;'
            body += f' {word} [%sh],{names("c", x)}; bar.sync 0; mad.lo.u32 %sh,%l,4,%s; mul.wide.u32 %p,%l,4; add.u64 %p,%p,%out;'
            body += ''.join(f' ld.shared.b32 %a0,[%sh+{128 * j}]; st.global.b32 [%p+{128 * j}],%a0;' for j in range(16))
            out.append(Matrix(word, body, 'exact', ''))
    kinds = [(f'm16n8k{k}', d, t, t) for k in (8, 16) for d, t in (('f32', 'bf16'), ('f32', 'f16'), ('f16', 'f16'))]
    kinds += [(f'm16n8k{k}', 'f32', 'tf32', 'tf32') for k in (4, 8)]
    kinds += [(f'm16n8k{k}', d, a, b) for k in (16, 32) for d in ('f32', 'f16') for a in ('e4m3', 'e5m2') for b in ('e4m3', 'e5m2')]
    kinds += [(f'm16n8k{k}', 's32', a + w, b + w) for w, ks in (('8', (16, 32)), ('4', (32, 64))) for k in ks for a in 'su' for b in 'su']
    kinds += [(f'm16n8k{k}', 's32', 'b1', 'b1') for k in (128, 256)] + [('m8n8k128', 's32', 'b1', 'b1')]
    for shape, d, a, b in kinds:
        k = int(shape.split('k')[1])
        rows = 8 if shape.startswith('m8') else 16
        na, nb, nc = rows * k * WIDTH[a] // 1024, 8 * k * WIDTH[b] // 1024, rows * 8 * WIDTH[d] // 1024
        for sat in ('', '.satfinite') if WIDTH[a] in (4, 8) and d == 's32' else ('',):
            for last in ('.xor.popc', '.and.popc') if a == 'b1' else ('',):
                word = f'mma.sync.aligned.{shape}.row.col{sat}.{d}.{a}.{b}.{d}{last}'
                for wild in (False, True) if d != 's32' else (True,):  # any bits, NaNs among them
                    fill = (lambda l, n, at, t: plain(l, n, at)) if wild else scaled
                    body = fill('a', na, 0, a) + fill('b', nb, 512, b) + fill('c', nc, 1024, d)
                    body += f' {word} {names("d", nc)},{names("a", na)},{names("b", nb)},{names("c", nc)};' + stored(nc)
                    out.append(Matrix(word, body, 'exact', {'f32': 'f', 'f16': 'H'}.get(d, '')))
    out += doubles()
    wmma = [('bf16', s, ra, rb, 'f32') for s, ra, rb in (('m16n16k16', 4, 4), ('m32n8k16', 8, 2), ('m8n32k16', 2, 8))]
    wmma += [('tf32', 'm16n16k8', 4, 4, 'f32')]
    for t, shape, ra, rb, d in wmma:
        m, n, k = map(int, shape[1:].replace('n', ' ').replace('k', ' ').split())
        for la in LAYOUTS:
            for lb in LAYOUTS:
                body = f' wmma.load.a.sync.aligned.{la}.{shape}.global.{t} {names("a", ra)},[%in],{k if la == "row" else m};'
                body += f' wmma.load.b.sync.aligned.{lb}.{shape}.global.{t} {names("b", rb)},[%in],{n if lb == "row" else k};'
                body += f' .reg .f32 %f<8>, %g<8>; wmma.load.c.sync.aligned.row.{shape}.global.{d} {names("f", 8)},[%in],{n};'
                word = f'wmma.mma.sync.aligned.{la}.{lb}.{shape}.{d}.{t}.{t}.{d}'
                body += f' {word} {names("g", 8)},{names("a", ra)},{names("b", rb)},{names("f", 8)};'
                body += f' wmma.store.d.sync.aligned.col.{shape}.global.{d} [%out],{names("g", 8)},{m};'
                out.append(Matrix(word, body, 'exact', 'f'))
    return out
