"""What came with compute capabilities 8.0 to 9.0 beside matrices: kernels as those of moves.py, a capability each.

%r4 to %r7 are the thread's 16 bytes of input, %d4, %d5, %h4 to %h7 and %f0, %f1 the same as other types; what
%r8 to %r11 hold at the end is stored."""
from moves import Move

BEFORE = ('ld.global.v4.b32 {%r4,%r5,%r6,%r7},[%src]; mov.b64 %d4,{%r4,%r5}; mov.b64 %d5,{%r6,%r7}; '
          'mov.b32 {%h4,%h5},%r4; mov.b32 {%h6,%h7},%r5; .reg .f32 %f<6>; mov.b32 %f0,%r4; mov.b32 %f1,%r5; '
          'mov.u32 %r8,0; mov.u32 %r9,0; mov.u32 %r10,0; mov.u32 %r11,0; ')
AFTER = ' st.global.v4.b32 [%row],{%r8,%r9,%r10,%r11};'
SHARED = '.shared .align 128 .b8 mine[4096]; mov.u32 %sh,mine; shl.b32 %r2,%t,4; add.u32 %r3,%sh,%r2; '
BARRIER = SHARED + 'setp.eq.u32 %p1,%t,0; @%p1 mbarrier.init.shared.b64 [%sh],{n}; bar.sync 0; '
FILL = 'st.global.v4.b32 [%row],{%r4,%r5,%r6,%r7}; '
POLICIES = ['fractional.L2::evict_last.b64 %d8,1.0', 'fractional.L2::evict_first.L2::evict_unchanged.b64 %d8,0.5',
            'fractional.L2::evict_normal.b64 %d8', 'fractional.L2::evict_unchanged.b64 %d8,0.25',
            'fractional.L2::evict_last.b64 %d8,%f0', 'range.L2::evict_last.L2::evict_unchanged.b64 %d8,[%src],4096,65536']


def dpx():
    """Pairs that ptxas makes one instruction of, from 9.0 on."""
    out = []
    for op in ('min', 'max'):
        for t in ('s32', 'u32', 's16x2', 'u16x2'):
            for relu in ('', '.relu') if t[0] == 's' else ('',):
                out += [(90, f'add.{t} %r2,%r4,%r5; {op}{relu}.{t} %r8,%r2,%r6;'),
                        (90, f'{op}.{t} %r2,%r4,%r5; {op}{relu}.{t} %r8,%r2,%r6; {op}{relu}.{t} %r9,%r6,%r7;')]
            if t[1:] == '32':
                out.append((90, f'setp.{"le" if op == "min" else "ge"}.{t} %p1,%r4,%r5; {op}.{t} %r8,%r4,%r5; selp.u32 %r9,1,0,%p1;'))
    return out


def halves():
    out = []
    for t in ('f16x2', 'bf16x2'):
        out += [(80, f'fma.rn.{t} %r8,%r4,%r5,%r6; fma.rn.relu.{t} %r9,%r4,%r5,%r6; max.{t} %r10,%r4,%r5; min.NaN.{t} %r11,%r4,%r5;'),
                (86, f'max.NaN.xorsign.abs.{t} %r8,%r4,%r5; min.xorsign.abs.{t} %r9,%r4,%r5;'),
                (90, f'add.{t} %r8,%r4,%r5; sub.{t} %r9,%r4,%r5; mul.{t} %r10,%r4,%r5;'),
                (90, f'fma.rn.oob.{t} %r8,%r4,%r5,%r6; fma.rn.oob.relu.{t} %r9,%r4,%r5,%r6; mov.b32 %r2,0x7fff3c00; '
                     f'fma.rn.oob.{t} %r10,%r2,%r5,%r4; fma.rn.oob.{t} %r11,%r4,%r5,%r2;'),
                (90, f'setp.lt.{t} %p1|%p2,%r4,%r5; selp.u32 %r8,1,0,%p1; selp.u32 %r9,1,0,%p2; set.gt.{t}.{t} %r10,%r4,%r5;')]
    return out


def conversions():
    out = []
    for t in ('e4m3x2', 'e5m2x2'):
        for relu in ('', '.relu'):
            out += [(89, f'cvt.rn.satfinite{relu}.{t}.f32 %h1,%f0,%f1; cvt.rn.satfinite{relu}.{t}.f16x2 %h2,%r4; '
                         'mov.b32 %r8,{%h1,%h2}; mov.b32 %r9,{%h1,%h7};'),
                    (89, f'cvt.rn{relu}.f16x2.{t} %r8,%h4; cvt.rn{relu}.f16x2.{t} %r9,%h5;')]
    for t in ('f16x2', 'bf16x2'):
        for mod in ('rn', 'rz', 'rn.relu', 'rz.relu', 'rn.satfinite', 'rz.satfinite.relu'):
            one = t[:-2]
            out.append((80, f'cvt.{mod}.{t}.f32 %r8,%f0,%f1; cvt.{mod}.{one}.f32 %h1,%f0; cvt.{mod}.{one}.f32 %h2,%f1; '
                            'mov.b32 %r9,{%h1,%h2};'))
    return out + [(90, 'cvt.rn.tf32.f32 %r8,%f0; cvt.rz.tf32.f32 %r9,%f0; cvt.rn.relu.tf32.f32 %r10,%f0; cvt.rz.relu.tf32.f32 %r11,%f0;')]


def warps():
    some = 'setp.lt.u32 %p1,%t,9; '
    return [(80, 'redux.sync.add.u32 %r8,%r4,-1; redux.sync.min.s32 %r9,%r5,-1; redux.sync.max.u32 %r10,%r6,-1; redux.sync.xor.b32 %r11,%r7,-1;'),
            (80, some + '@%p1 redux.sync.or.b32 %r8,%r4,0x1ff; @%p1 redux.sync.and.b32 %r9,%r5,0x1ff; @%p1 redux.sync.max.s32 %r10,%r6,0x1ff;'),
            (90, 'elect.sync %r8|%p1,-1; selp.u32 %r9,1,0,%p1; elect.sync _|%p2,0xffffffff; selp.u32 %r10,1,0,%p2;'),
            (90, 'and.b32 %r2,%t,31; setp.ge.u32 %p0,%r2,5; @!%p0 bra X; elect.sync %r8|%p1,0xffffffe0; selp.u32 %r9,1,0,%p1; X:'),
            (80, 'movmatrix.sync.aligned.m8n8.trans.b16 %r8,%r4;')]


def stored_matrices():
    out = []
    for n, load, store in ((4, '%r8,%r9,%r10,%r11', '%r4,%r5,%r6,%r7'), (2, '%r8,%r9', '%r4,%r5'), (1, '%r8', '%r4')):
        for a, b in (('', '.trans'), ('.trans', '')):
            out.append((90, SHARED + f'stmatrix.sync.aligned.m8n8.x{n}{a}.shared.b16 [%r3],{{{store}}}; bar.sync 0; '
                                     f'ldmatrix.sync.aligned.m8n8.x{n}{b}.shared::cta.b16 {{{load}}},[%r3];'))
    return out


def fences():
    out = [(80, 'fence.sc.gpu; fence.acq_rel.sys;')]
    out += [(90, f'{f};') for f in (
        'fence.sc.cluster', 'fence.acq_rel.cluster', 'fence.acquire.gpu', 'fence.release.cluster', 'fence.proxy.async',
        'fence.proxy.async.global', 'fence.proxy.async.shared::cta', 'fence.proxy.async.shared::cluster',
        'fence.mbarrier_init.release.cluster', 'fence.acquire.sync_restrict::shared::cluster.cluster',
        'fence.release.sync_restrict::shared::cta.cluster',
        'fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster',
        'fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster',
        'fence.proxy.tensormap::generic.release.gpu', 'fence.proxy.tensormap::generic.acquire.gpu [%src],128')]
    return [(k, f + ' mov.u32 %r8,%r4;') for k, f in out]


def hints():
    line = 'and.b64 %d1,%row,-128; '
    out = [(80, f'createpolicy.{p}; ld.global.L2::cache_hint.v2.b32 {{%r8,%r9}},[%src],%d8;') for p in POLICIES]
    p = f'createpolicy.{POLICIES[1]}; '
    return out + [
        (80, p + 'createpolicy.cvt.L2.b64 %d9,%d8; st.global.L2::cache_hint.b32 [%row],%r4,%d9; ld.global.b32 %r8,[%row];'),
        (80, p + FILL + 'atom.global.add.L2::cache_hint.u32 %r8,[%row],%r4,%d8; red.global.add.L2::cache_hint.u32 [%row+4],%r4,%d8; ld.global.b32 %r9,[%row+4];'),
        (80, p + SHARED + 'cp.async.cg.shared.global.L2::cache_hint [%r3],[%src],16,%d8; cp.async.ca.shared.global.L2::128B [%r3+2048],[%src],8; '
             'cp.async.wait_all; ld.shared.v2.b32 {%r8,%r9},[%r3]; ld.shared.v2.b32 {%r10,%r11},[%r3+2048];'),
        (80, 'ld.global.L1::evict_first.L2::256B.b32 %r8,[%src]; ld.global.nc.L1::no_allocate.L2::128B.v2.b32 {%r9,%r10},[%src];'),
        (80, line + 'discard.global.L2 [%d1],128; bar.sync 0; mov.u32 %r8,%r4;'),
        (80, line + 'applypriority.global.L2::evict_normal [%d1],128; prefetch.global.L2::evict_last [%src]; '
             'prefetch.global.L2::evict_normal [%src]; prefetchu.L1 [%src]; mov.u32 %r8,%r4;'),
        (90, 'setp.eq.u32 %p1,%t,0; @%p1 cp.async.bulk.prefetch.L2.global [%src],64; prefetch.tensormap [%src]; mov.u32 %r8,%r4;')]


def atomics():
    out = []
    for t in ('f16x2', 'bf16x2'):
        for op in ('add', 'min', 'max'):
            out += [(90, FILL + f'atom.global.{op}.noftz.v4.{t} {{%r8,%r9,%r10,%r11}},[%row],{{%r6,%r7,%r4,%r5}};'),
                    (90, FILL + f'red.global.{op}.noftz.v2.{t} [%row],{{%r6,%r7}}; ld.global.v4.b32 {{%r8,%r9,%r10,%r11}},[%row];')]
    for n, r in ((2, '{%f0,%f1}'), (4, '{%f1,%f0,%f0,%f1}')):
        out.append((90, FILL + f'red.global.add.v{n}.f32 [%row],{r}; ld.global.v4.b32 {{%r8,%r9,%r10,%r11}},[%row];'))
    wide = FILL + '.reg .b128 %q<2>; mov.b128 %q0,{%d5,%d4}; '
    last = ' mov.b128 {%d8,%d9},%q1; mov.b64 {%r8,%r9},%d8; mov.b64 {%r10,%r11},%d9;'
    out += [(90, wide + 'atom.global.exch.b128 %q1,[%row],%q0;' + last), (90, wide + 'atom.global.cas.b128 %q1,[%row],%q0,%q0;' + last),
            (90, '.reg .b128 %q<2>; ld.global.b128 %q1,[%src]; st.global.b128 [%row],%q1;' + last)]
    return out


def barriers():
    out = []
    wait = ' W: mbarrier.test_wait.parity.shared.b64 %p2,[%sh],0; @!%p2 bra W;'
    copy = 'cp.async.ca.shared.global [%r3+1024],[%src],4; '
    out += [(80, BARRIER.format(n=64) + copy + 'cp.async.mbarrier.arrive.noinc.shared.b64 [%sh];' + wait + ' ld.shared.b32 %r8,[%r3+1024];'),
            (80, BARRIER.format(n=64) + copy + 'cp.async.mbarrier.arrive.shared.b64 [%sh]; mbarrier.arrive.shared.b64 %d8,[%sh];' + wait +
             ' ld.shared.b32 %r8,[%r3+1024];'),
            (80, BARRIER.format(n=128) + 'mbarrier.arrive_drop.noComplete.shared.b64 %d8,[%sh],1; bar.sync 0; mbarrier.arrive.shared.b64 %d9,[%sh]; '
             'bar.sync 0; mbarrier.test_wait.shared.b64 %p2,[%sh],%d9; selp.u32 %r9,1,0,%p2; mbarrier.inval.shared.b64 [%sh];')]
    one = BARRIER.format(n=1) + '@%p1 st.shared.v4.b32 [%sh+64],{%r4,%r5,%r6,%r7}; bar.sync 0; mapa.shared::cluster.u32 %r12,%sh,0; '
    tries = ' W: mbarrier.try_wait.parity.shared.b64 %p2,[%sh],0{}; @!%p2 bra W; ld.shared.v4.b32 {{%r8,%r9,%r10,%r11}},[%sh+64];'
    for k, (n, word) in enumerate((
            (16, 'st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r12+64],{%r4,%r5,%r6,%r7},[%r12];'),
            (8, 'st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r12+64],%d4,[%r12];'),
            (8, 'red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r12+64],%d4,[%r12];'),
            (4, 'red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r12+64],%r5,[%r12];'))):
        out.append((90, one + f'@%p1 mbarrier.arrive.expect_tx.shared.b64 _,[%sh],{n}; @%p1 {word}' + tries.format(',100' if k % 2 else '')))
    return out


def reductions():
    begin = SHARED + FILL + 'setp.eq.u32 %p1,%t,0; st.shared.v4.b32 [%r3+16],{%r4,%r5,%r6,%r7}; fence.proxy.async; bar.sync 0; '
    end = (' [%row],[%r3+16],16; @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0; bar.sync 0;'
           ' ld.global.v4.b32 {%r8,%r9,%r10,%r11},[%row];')
    return [(90, begin + '@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.' + op + end) for op in (
        'add.u32', 'add.u64', 'add.noftz.f16', 'add.noftz.bf16', 'add.f32', 'add.f64', 'min.f16', 'max.bf16', 'min.s32', 'max.s64',
        'inc.u32', 'dec.u32', 'and.b32', 'or.b64', 'xor.b64')]


def forms(places, capability, least=0):
    """Kernels of capabilities from `least` up to one; halves and singles have operands of their kind."""
    out = []
    for column, parts in (('bf16x2.a', halves()), ('f32.v', conversions()), ('f16x2.a', atomics()),
                          ('u32.a', dpx() + warps() + stored_matrices() + fences() + hints() + barriers() + reductions())):
        at = places[column]
        for since, body in parts:
            if least <= since <= capability:
                out.append(Move(body.strip().rstrip(';'), f'add.u64 %src,%src,{at}; {BEFORE}{body}{AFTER} sub.u64 %src,%src,{at};'))
    return out
