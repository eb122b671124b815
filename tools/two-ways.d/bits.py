"""The operations of tools/measure.d/bits.def as kernels: each alone, and each under a guard."""
import pathlib
import re

DEF = pathlib.Path(__file__).resolve().parent.parent / 'measure.d' / 'bits.def'
KIND = {'u8': 's', 's8': 's', 'u16': 's', 's16': 's', 'b16': 's', 'u32': 'i', 's32': 'i', 'b32': 'i', 'u64': 'l',
        's64': 'l', 'b64': 'l', 'f16': 'h', 'f32': 'f', 'f64': 'd', 'f16x2': 'H', 'bf16': 'b', 'bf16x2': 'B'}
BYTES = {'s': 2, 'h': 2, 'b': 2, 'q': 2, 'l': 8, 'd': 8}      # of a kind; others have 4
COLUMN = {'s': 'u16', 'i': 'u32', 'l': 'u64', 'h': 'f16', 'H': 'f16x2', 'b': 'bf16', 'B': 'bf16x2', 'f': 'f32',
          'd': 'f64', 'n': 'sh', 'z': 'bit'}
OLD = {2: 'u16.c', 4: 'u32.c', 8: 'u64.c'}                    # what a guarded result was before
NEAR = re.compile(r'^(div\.(approx|full)|(rcp|sqrt|rsqrt|sin|cos|lg2|ex2|tanh)\.approx)')


def rows():
    """(atomic, pattern, result, operands, capability) of each row."""
    text = re.sub(r'//[^\n]*', '', DEF.read_text())
    text = text[:text.index('#undef')]
    macros = dict(re.findall(r'#define (\w+) (".*")', text))
    for m in re.finditer(r'\b(BITS|ATOMIC)\(((?:"[^"]*"|[^")])*)\)', text):
        tokens = re.findall(r'"[^"]*"|\'.\'|\w+|,', m.group(2))
        fields, now = [], ''
        for t in tokens + [',']:
            if t == ',':
                fields.append(now)
                now = ''
            else:
                now += macros.get(t, t).strip('"\'')
        yield m.group(1) == 'ATOMIC', fields[0], fields[1], fields[2], int(fields[3])


def expand(pattern):
    m = re.search(r'<([^>]*)>', pattern)
    if not m:
        return [pattern]
    return [x for a in m.group(1).split('/') for x in expand(pattern[:m.start()] + a + pattern[m.end():])]


def kind_in(word, which):
    if which > '9':
        return which
    kinds = [KIND[t] for t in word.split(' ')[0].split('.') if t in KIND]
    return kinds[-int(which)]


class Bits:
    """One operation: its PTX, the kinds of its result and operands."""

    def __init__(self, atomic, text, result, operands):
        self.name = text
        self.result = kind_in(text, result)
        self.operands = [kind_in(text, o) for o in operands]
        w = 8 * BYTES.get(self.result, 4)
        self.body = text
        if atomic:
            shared = '.shared' in text
            space, at = ('shared', '$s') if shared else ('global', '$m')
            old = {16: '%h0,', 32: '%u0,', 64: '%t0,'}[w] if text.startswith('atom') else ''
            more = ',$c' if len(self.operands) > 2 else ''
            self.body = (f'st.{space}.b{w} [{at}],$a; {text} {old}[{at}],$b{more}; ld.{space}.b{w} $d,[{at}];')
        elif '$' not in text:
            self.body = f'{text} $d' + ''.join(f',${x}' for x in 'abce'[:len(operands)]) + ';'
        self.kind = 'near' if NEAR.match(text) else 'float' if self.result in 'hHbBfd' else 'exact'
        self.format = self.result if self.result in 'hHbBfd' else ''
        self.together = '.sync' in text or 'activemask' in text    # needs all lanes

    def columns(self):
        """The column of each operand: letters by place, counts and bits in the order they come."""
        seen, out = {'n': 0, 'z': 0}, []
        for place, k in zip('abca', self.operands):
            if k in seen:
                out.append(COLUMN[k] + '.' + ('ab' if k == 'n' else 'pq')[seen[k]])
                seen[k] += 1
            else:
                out.append(f'{COLUMN[k]}.{place}')
        return out

    def kernel(self, name, places, guarded, n=1024):
        """PTX of the kernel, and the bytes of a result."""
        w = BYTES.get(self.result, 4)
        cols = self.columns()
        t = [f'.visible .entry {name}(.param .u64 in, .param .u64 out)\n{{\n'
             ' .reg .b32 %u<4>, %i<4>; .reg .b64 %t<4>, %in, %out, %g0, %at<9>; .reg .pred %q<4>, %go; .reg .b16 %h<2>;\n'
             f' .reg .b{8 * w} %xd;\n']
        for x, c in zip('abce', cols):
            t.append(f' .reg .b{8 * width(c)} %x{x};\n')
        t.append(' mov.u32 %i0,%ctaid.x; mov.u32 %i1,%ntid.x; mov.u32 %i2,%tid.x; mad.lo.u32 %i0,%i0,%i1,%i2;\n'
                 ' ld.param.u64 %in,[in]; ld.param.u64 %out,[out];\n')
        t.append(f' mul.wide.u32 %g0,%i0,{w}; add.u64 %g0,%g0,%out;\n')
        every = list(zip('abce', cols))
        if guarded:
            every += [('d', OLD[w]), ('g', 'bit.q')]
        for b in sorted({width(c) for _, c in every}):
            t.append(f' mul.wide.u32 %at{b},%i0,{b}; add.u64 %at{b},%at{b},%in;\n')
        for x, c in every:
            b = width(c)
            reg = '%i1' if x == 'g' else f'%x{x}'
            t.append(f' ld.global.b{8 * b} {reg},[%at{b}+{places[c]}];\n')
        if guarded:
            t.append(' setp.ne.b32 %go,%i1,0;\n')
        if '$s' in self.body:
            t.append(' .shared .align 8 .b8 place[1024]; mov.u32 %i3,place; shl.b32 %i2,%i2,3; add.u32 %i3,%i3,%i2;\n')
        z = [x for x, k in zip('abce', self.operands) if k == 'z']
        t += [f' setp.ne.b32 %q0,%x{x},0;\n' for x in z]
        body = re.sub(r'\$([abcdems])', lambda m: {'m': '%g0', 's': '%i3'}.get(m.group(1), '%x' + m.group(1)), self.body)
        if guarded and body.count(';') == 1:
            t.append(f' @%go {body}\n')
        elif guarded:
            t.append(f' @!%go bra OVER;\n {body}\nOVER:\n')
        else:
            t.append(f' {body}\n')
        t.append(f' st.global.b{8 * w} [%g0],%xd;\n ret;\n}}\n')
        return ''.join(t), w


def width(column):
    return {'u16': 2, 'f16': 2, 'bf16': 2, 'u64': 8, 'f64': 8}.get(column.split('.')[0], 4)


def forms(capability=70):
    out = []
    for atomic, pattern, result, operands, needs in rows():
        if needs <= capability:
            out += [Bits(atomic, text, result, operands) for text in expand(pattern)]
    return out
