"""The workloads as programs: their results with machine code of ptxas, and with ours."""
import pathlib
import struct
import subprocess

from verdict import Row

SECONDS = 1800


def run(o, name, size, module, results):
    """Runs a workload with a module; why it did not end well, or ''."""
    try:
        r = launch(o, name, size, module, results)
    except subprocess.TimeoutExpired:
        return f'it takes more than {SECONDS} s'
    said = ' '.join((r.stderr.strip() or r.stdout.strip()).split('\n')[-3:])
    return '' if r.returncode == 0 else f'exit code {r.returncode}: {said[:300]}'


def launch(o, name, size, module, results):
    return subprocess.run([f'{o.build}/warpwatt', 'run', '-q', '--functional', '--no-progress', '-g', o.gpu, '--size', size, '--env',
                           f'WARPWATT_RESULTS={results}', '--env', f'WW_WORKLOAD_PTX={module}', name],
                          capture_output=True, text=True, timeout=SECONDS)


def compare(name, a, b):
    """A row: words of 32 bits that are equal and not."""
    n = max(len(a), len(b)) // 4
    r = Row(name, n)
    if len(a) != len(b):
        r.differ, r.examples = n, [f'PTX leaves {len(a)} bytes, machine code {len(b)}']
        return r
    wa, wb = (struct.unpack(f'<{n}I', x[:4 * n]) for x in (a, b))
    wrong = [k for k in range(n) if wa[k] != wb[k]]
    if a[4 * n:] != b[4 * n:]:
        wrong.append(n - 1)
    r.differ, r.equal = len(wrong), n - len(wrong)
    r.examples = [f'word {k}: PTX {wa[k]:08x}, machine code {wb[k]:08x}' for k in wrong[:8]]
    return r


def rows(o):
    folder = pathlib.Path(o.out)
    for ptx in sorted(pathlib.Path(o.build, 'workloads').glob('*/*.ptx')):
        name, size = ptx.parent.name, 'volta' if ptx.name.endswith('.volta.ptx') else 'small'
        title = f'{name} ({size})'
        if o.only and not o.only.search(title):
            continue
        cubin = folder / (ptx.stem + '.cubin')
        r = subprocess.run([o.ptxas, f'-arch=sm_{o.arch}', *o.flags.split(), '-o', str(cubin), str(ptx)], capture_output=True,
                           text=True)
        if r.returncode:
            yield Row(title, refused='ptxas: ' + r.stderr.strip().split('\n')[0][:200])
            continue
        a, b = folder / 'a.results', folder / 'b.results'
        ours = run(o, name, size, ptx, a)
        theirs = run(o, name, size, ptx if o.other else cubin, b)
        if ours or theirs:
            yield Row(title, stopped=theirs or ours, ours_stopped=ours)
            continue
        yield compare(title, a.read_bytes(), b.read_bytes())
