"""Products of matrices as compute capability 7.0 has them: mma.m8n8k4, wmma and its loads and stores."""

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
    return out
