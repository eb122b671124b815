#!/usr/bin/env python3
"""Makes tests/semantics/data: PTX kernels and the words they must produce.

The model (model/*.py) was written from the PTX ISA manual, not from warpwatt's code. It needs Python
3.10 and, for the bounds of approximate functions, mpmath. Running the tests needs neither.

    python3 generate.py             all files
    python3 generate.py int cvt     some of them
    python3 generate.py --out DIR   elsewhere
    python3 generate.py --full      with every expected word, to look for a bug
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from model import approx, atoms, columns, cvt, emit, flow, fp, half, ints, launches, litmus, memory, randprog, video, warps  # noqa: E402

SEED = 'warpwatt'
MODULES = {}


def module(f):
    MODULES[f.__name__] = f
    return f


@module
def int_base(m, col, places):
    m.add_forms(col, places, ints.base_forms(), 1024)


@module
def int_variants(m, col, places):
    m.add_forms(col, places, ints.variant_forms(col), 64)


@module
def int_compare(m, col, places):
    m.add_forms(col, places, ints.compare_forms(col), 256)


@module
def int_select(m, col, places):
    m.add_forms(col, places, ints.predicate_forms() + ints.carry_forms(), 1024)
    m.add_forms(col, places, ints.fns_forms(col), 256)
    fs = ints.select_forms()
    m.add_forms(col, places, [f for f in fs if f.dst != 'f64'], 256)


@module
def f32_base(m, col, places):
    m.add_forms(col, places, fp.base_forms('f32'), 1024)


@module
def f32_variants(m, col, places):
    m.add_forms(col, places, fp.variant_forms('f32', col), 64)


@module
def f32_compare(m, col, places):
    m.add_forms(col, places, fp.compare_forms('f32', col), 256)


@module
def f32_sm1x(m, col, places):
    m.header = '.version 1.4\n.target sm_11\n'
    m.add_forms(col, places, fp.old_forms(), 1024)


@module
def f64_base(m, col, places):
    m.skip = 'gt240'
    m.add_forms(col, places, fp.base_forms('f64'), 1024)
    m.add_forms(col, places, [f for f in ints.select_forms() if f.dst == 'f64'], 256)


@module
def f64_variants(m, col, places):
    m.skip = 'gt240'
    m.add_forms(col, places, fp.variant_forms('f64', col), 64)


@module
def f64_compare(m, col, places):
    m.skip = 'gt240'
    m.add_forms(col, places, fp.compare_forms('f64', col), 256)


@module
def cvt_base(m, col, places):
    m.add_forms(col, places, cvt.single_forms(), 1024)


@module
def cvt_f64(m, col, places):
    m.skip = 'gt240'
    m.add_forms(col, places, cvt.double_forms(), 1024)


@module
def cvt_bf16(m, col, places):
    m.add_forms(col, places, cvt.brain_forms(), 1024)


@module
def half_base(m, col, places):
    m.add_forms(col, places, half.arithmetic(), 1024)


@module
def newer_forms(m, col, places):
    m.skip = 'gt240'
    m.add_forms(col, places, ints.dpx_forms() + half.oob_forms(), 1024)


@module
def half_compare(m, col, places):
    m.add_forms(col, places, half.compare_forms(), 256)


@module
def video_all(m, col, places):
    m.add_forms(col, places, video.scalar() + video.vmad() + video.simd(), 192)


@module
def approx_f32(m, col, places):
    m.add_forms(col, places, approx.single_forms() + approx.half_forms(), 256)


@module
def approx_f64(m, col, places):
    m.skip = 'gt240'
    m.add_forms(col, places, approx.double_forms(), 256)


def programs(m, *lists):
    for p in sum(lists, []):
        p.emit(m)


@module
def warp_sync(m, col, places):
    programs(m, warps.shuffles(True), warps.votes(True), warps.matches(), warps.reductions())


@module
def warp_old(m, col, places):
    m.header = '.version 6.3\n.target sm_30\n.address_size 64\n'
    programs(m, warps.shuffles(False), warps.votes(False), warps.partial_warp())


@module
def warp_sm12(m, col, places):
    m.header = '.version 1.4\n.target sm_12\n'
    programs(m, warps.vote_old_tesla())


@module
def atom(m, col, places):
    for red in (False, True):
        for space in ('global', 'shared', 'generic'):
            programs(m, atoms.cells(col, places, space, red))
    programs(m, atoms.crowds())


@module
def memory_all(m, col, places):
    for space in ('global', 'shared', 'local'):
        programs(m, memory.loads(space), memory.stores(space))
    programs(m, memory.generic(), memory.locals_(), memory.constants(), memory.parameters())


@module
def flow_all(m, col, places):
    programs(m, flow.loops(), flow.exits(), flow.calls(), flow.indirect(), flow.barriers(), flow.special())


@module
def flow_old(m, col, places):
    programs(m, flow.two_results())


@module
def random_small(m, col, places):
    randprog.add_to(m, col, places, 0, 100, SEED, size=24)


@module
def random_large(m, col, places):
    randprog.add_to(m, col, places, 0, 12, SEED + 'large', size=70)


@module
def random_pressure(m, col, places):
    randprog.add_to(m, col, places, 0, 10, SEED + 'pressure', pressure=True, size=40)


@module
def litmus_shapes(m, col, places):
    for s in litmus.shapes():
        s.emit(m)


@module
def litmus_programs(m, col, places):
    programs(m, litmus.programs())


@module
def launch_all(m, col, places):
    programs(m, launches.shapes(), launches.parameters(), launches.dynamic_shared(), launches.packing(),
             launches.copies())


@module
def launch_sm12(m, col, places):
    m.header = '.version 2.1\n.target sm_12\n'
    programs(m, launches.narrow_addresses())


def main():
    p = argparse.ArgumentParser()
    p.add_argument('names', nargs='*')
    p.add_argument('--out', default=os.path.join(HERE, 'data'))
    p.add_argument('--full', action='store_true')
    p.add_argument('--seed', help='of operands and random programs, to look further than the committed ones')
    args = p.parse_args()
    if args.seed:
        global SEED
        SEED = args.seed
    if args.full:
        emit.HEAD = 1 << 20
    os.makedirs(args.out, exist_ok=True)
    col = columns.build(args.seed) if args.seed else columns.build()
    places, total = columns.layout(col)
    with open(os.path.join(args.out, 'operands.bin'), 'wb') as f:
        f.write(columns.pack(col))
    forms = cases = 0
    for name, make in MODULES.items():
        if args.names and not any(name.startswith(n) for n in args.names):
            continue
        m = emit.Module(name)
        make(m, col, places)
        print(m.write(args.out, places))
        forms += m.forms
        cases += m.cases
    print(f'{forms} forms, {cases} cases')


if __name__ == '__main__':
    main()
