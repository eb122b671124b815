"""cuBLAS of our own against the BLAS that SciPy holds (OpenBLAS): both get the same arguments (sizes 0, 1 and odd ones, leading
dimensions that are larger, steps of either sign, factors of zero beside what is no number), and all of the memory that they were
given is compared after it, what must not be touched, too. blas_client.py [trials of each routine] [routine...]"""
import ctypes as c
import random
import sys

import numpy as np
import scipy.linalg.cython_blas as cython_blas

blas = c.CDLL('libcublas.so.12')
cuda = c.CDLL('libcudart.so.12')
capsule = c.pythonapi.PyCapsule_GetPointer
capsule.restype, capsule.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
capsule_name = c.pythonapi.PyCapsule_GetName
capsule_name.restype, capsule_name.argtypes = c.c_char_p, [c.py_object]

TYPES = {'s': np.float32, 'd': np.float64, 'c': np.complex64, 'z': np.complex128}
REAL = {'s': np.float32, 'd': np.float64, 'c': np.float32, 'z': np.float64}
SIZES = [0, 1, 2, 5, 31, 33, 70]
failures = 0


def reference(name, restype=None):
    made = cython_blas.__pyx_capi__[name]
    return c.CFUNCTYPE(restype)(capsule(made, capsule_name(made)))


class Device:
    """A copy of an array on the device."""

    def __init__(self, array):
        self.at = c.c_void_p()
        self.bytes = array.nbytes
        assert cuda.cudaMalloc(c.byref(self.at), c.c_size_t(max(self.bytes, 16))) == 0
        self.put(array)

    def put(self, array):
        assert cuda.cudaMemcpy(self.at, array.ctypes.data_as(c.c_void_p), c.c_size_t(self.bytes), 1) == 0

    def get(self, like):
        out = np.empty_like(like)
        assert cuda.cudaMemcpy(out.ctypes.data_as(c.c_void_p), self.at, c.c_size_t(self.bytes), 2) == 0
        return out

    def free(self):
        cuda.cudaFree(self.at)


rng = np.random.default_rng(7)
dice = random.Random(7)


def numbers(n, type):
    """Whole eighths between -2 and 2."""
    x = rng.integers(-16, 17, n) / 8
    if np.issubdtype(type, np.complexfloating):
        x = x + 1j * rng.integers(-16, 17, n) / 8
    return x.astype(type)


class Vector:
    def __init__(self, n, type, junk=False):
        self.inc = dice.choice([1, 1, 2, 3, -1, -2])
        self.data = np.full(max(1, n) * abs(self.inc) + 3, np.nan, type)
        if not junk:
            self.data[:n * abs(self.inc):abs(self.inc)] = numbers(n, type)


def square(n, type, lead, fill=None, columns=None):
    """A matrix of which only what is stored holds numbers."""
    columns = n if columns is None else columns
    a = np.full((max(1, columns), lead), np.nan, type)
    for j in range(columns):
        for i in range(n):
            if (fill == 'U' and i > j) or (fill == 'L' and i < j):
                continue
            a[j, i] = numbers(1, type)[0]
    return a


def band(m, n, below, above, lead, type):
    a = np.full((max(1, n), lead), np.nan, type)
    for j in range(n):
        for i in range(max(0, j - above), min(m, j + below + 1)):
            a[j, above + i - j] = numbers(1, type)[0]
    return a


def well(a, places):
    """Makes a triangle's diagonal large, so that solving it loses no digits."""
    finite = np.isfinite(a)
    a[finite] /= 256
    flat = a.reshape(-1)
    for p in places:
        flat[p] = flat[p] + 2


class Call:
    """The arguments of one call, in the order that both libraries have."""

    def __init__(self):
        self.args = []  # (kind, value)

    def enum(self, letters, value=None):
        v = value or dice.choice(letters)
        self.args.append(('enum', v))
        return v

    def size(self, n):
        self.args.append(('size', int(n)))

    def factor(self, v, type):
        self.args.append(('factor', np.array([v], type)))

    def array(self, a):
        self.args.append(('array', a))

    def vector(self, v):
        self.array(v.data)
        self.size(v.inc)


ENUM = {'N': 0, 'T': 1, 'C': 2, 'L': 0, 'U': 1, 'l': 0, 'r': 1, 'n': 0, 'u': 1}
# letters of the reference: sides are `l`, `r` and diagonals `n`, `u` here, since letters of fills and operations are the same
FORTRAN = {'N': b'N', 'T': b'T', 'C': b'C', 'L': b'L', 'U': b'U', 'l': b'L', 'r': b'R', 'n': b'N', 'u': b'U'}


def factor_of(type, allow_zero=True):
    if allow_zero and dice.random() < .3:
        return 0
    return numbers(1, type)[0] or 1


def bits64():
    return dice.random() < .3


def compare(what, ours, theirs, type, scale):
    global failures
    real = np.float32 if type in (np.float32, np.complex64) else np.float64
    tolerance = np.finfo(real).eps * scale
    same_place = np.isnan(ours) == np.isnan(theirs)
    with np.errstate(invalid='ignore'):
        apart = np.abs(np.nan_to_num(ours) - np.nan_to_num(theirs))
    if not same_place.all() or apart.max(initial=0) > tolerance:
        failures += 1
        if failures < 40:
            i = int(np.argmax(np.where(same_place, apart, np.inf)))
            print(f'FAILED {what}: element {i} is {ours.reshape(-1)[i]}, should be {theirs.reshape(-1)[i]} ({tolerance:.2g})')


def run(handle, letter, name, call, scale, ours=None):
    """Runs both and compares every array."""
    type = TYPES[letter]
    on_device = dice.random() < .4
    blas.cublasSetPointerMode_v2(handle, int(on_device))
    suffix = '_64' if bits64() else ''
    integer = c.c_int64 if suffix else c.c_int
    ref_args, our_args, arrays, held, devices = [], [], [], [], []
    for kind, v in call.args:
        if kind == 'enum':
            ref_args.append(c.c_char_p(FORTRAN[v]))
            our_args.append(c.c_int(ENUM[v]))
        elif kind == 'size':
            n = c.c_int(v)
            held.append(n)
            ref_args.append(c.byref(n))
            our_args.append(integer(v))
        elif kind == 'factor':
            held.append(v)
            ref_args.append(v.ctypes.data_as(c.c_void_p))
            if on_device:
                d = Device(v)
                devices.append(d)
                our_args.append(d.at)
            else:
                our_args.append(v.ctypes.data_as(c.c_void_p))
        else:
            theirs = v.copy()
            d = Device(v)
            devices.append(d)
            arrays.append((d, v, theirs))
            ref_args.append(theirs.ctypes.data_as(c.c_void_p))
            our_args.append(d.at)
    if ours:
        our_args = ours(our_args, integer)
    reference(letter + name)(*ref_args)
    entry = 'cublas' + letter.upper() + name + '_v2' + suffix
    status = getattr(blas, entry)(handle, *our_args)
    what = entry + ' ' + ' '.join(str(v if k in ('enum', 'size') else v[0] if k == 'factor' else '.') for k, v in call.args)
    if status:
        global failures
        failures += 1
        print(f'FAILED {what}: status {status}')
    for d, before, theirs in arrays:
        compare(what, d.get(before), theirs, type, scale)
    for d in devices:
        d.free()


# ---- routines: each makes the arguments of one call ----------------------------------------------------
def gemv(h, l):
    t, q, m, n = TYPES[l], Call(), dice.choice(SIZES), dice.choice(SIZES)
    if not m or not n:  # the reference does nothing then, also to y
        m = n = 0
    op = q.enum('NTC')
    q.size(m), q.size(n)
    alpha, beta = factor_of(t), factor_of(t)
    q.factor(alpha, t)
    lead = max(1, m) + dice.choice([0, 3])
    a = square(m, t, lead, columns=n)
    if alpha == 0:
        a[:] = np.nan
    q.array(a), q.size(lead)
    q.vector(Vector(n if op == 'N' else m, t))
    q.factor(beta, t)
    q.vector(Vector(m if op == 'N' else n, t, junk=beta == 0))
    run(h, l, 'gemv', q, 8 * (m + n + 8))


def gbmv(h, l):
    t, q, m, n = TYPES[l], Call(), dice.choice(SIZES), dice.choice(SIZES)
    if not m or not n:
        m = n = 0
    below, above = dice.choice([0, 1, 4]), dice.choice([0, 1, 3])
    op = q.enum('NTC')
    alpha, beta = factor_of(t), factor_of(t)
    lead = below + above + 1 + dice.choice([0, 2])
    q.size(m), q.size(n), q.size(below), q.size(above), q.factor(alpha, t)
    q.array(band(m, n, below, above, lead, t)), q.size(lead)
    q.vector(Vector(n if op == 'N' else m, t))
    q.factor(beta, t)
    q.vector(Vector(m if op == 'N' else n, t, junk=beta == 0))
    run(h, l, 'gbmv', q, 800)


def stored(q, n, t, kind, fill, k=None):
    """The matrix of a call: full, banded or packed."""
    if kind == 'full':
        lead = max(1, n) + dice.choice([0, 3])
        a = square(n, t, lead, fill=fill)
        places = [j * lead + j for j in range(n)]
        q.array(a), q.size(lead)
    elif kind == 'band':
        lead = k + 1 + dice.choice([0, 2])
        a = band(n, n, k if fill == 'L' else 0, 0 if fill == 'L' else k, lead, t)
        places = [j * lead + (k if fill == 'U' else 0) for j in range(n)]
        q.array(a), q.size(lead)
    else:
        a = numbers(max(1, n * (n + 1) // 2), t)
        places = [j * (j + 1) // 2 + j if fill == 'U' else j * n - j * (j - 1) // 2 for j in range(n)]
        q.array(a)
    return a, places


def symmetric(name, kind, hermitian):
    def make(h, l):
        t, q, n, k = TYPES[l], Call(), dice.choice(SIZES), dice.choice([0, 1, 4])
        fill = q.enum('LU')
        q.size(n)
        if kind == 'band':
            q.size(k)
        alpha, beta = factor_of(t), factor_of(t)
        q.factor(alpha, t)
        stored(q, n, t, kind, fill, k)
        q.vector(Vector(n, t))
        q.factor(beta, t)
        q.vector(Vector(n, t, junk=beta == 0))
        run(h, l, name, q, 16 * (n + 8))
    return make


def triangular(name, kind, solves):
    def make(h, l):
        t, q, n, k = TYPES[l], Call(), dice.choice(SIZES), dice.choice([0, 1, 4])
        fill = q.enum('LU')
        q.enum('NTC')
        q.enum('nu')
        q.size(n)
        if kind == 'band':
            q.size(k)
        a, places = stored(q, n, t, kind, fill, k)
        well(a, places)
        q.vector(Vector(n, t))
        run(h, l, name, q, 32 * (n + 8))
    return make


def update(name, kind, hermitian, second):
    def make(h, l):
        t, q, n = TYPES[l], Call(), dice.choice(SIZES)
        fill = q.enum('LU')
        q.size(n)
        real = REAL[l] if hermitian and not second else t
        q.factor(factor_of(real, False), real)
        q.vector(Vector(n, t))
        if second:
            q.vector(Vector(n, t))
        stored(q, n, t, kind, fill)
        run(h, l, name, q, 100)
    return make


def ger(name):
    def make(h, l):
        t, q, m, n = TYPES[l], Call(), dice.choice(SIZES), dice.choice(SIZES)
        q.size(m), q.size(n)
        q.factor(factor_of(t), t)
        q.vector(Vector(m, t)), q.vector(Vector(n, t))
        lead = max(1, m) + dice.choice([0, 3])
        q.array(square(m, t, lead, columns=n)), q.size(lead)
        run(h, l, name, q, 100)
    return make


def symm(name):
    def make(h, l):
        t, q, m, n = TYPES[l], Call(), dice.choice(SIZES), dice.choice(SIZES)
        side = q.enum('lr')
        fill = q.enum('LU')
        q.size(m), q.size(n)
        alpha, beta = factor_of(t), factor_of(t)
        q.factor(alpha, t)
        stored(q, m if side == 'l' else n, t, 'full', fill)
        leads = [max(1, m) + dice.choice([0, 3]) for _ in range(2)]
        q.array(square(m, t, leads[0], columns=n)), q.size(leads[0])
        q.factor(beta, t)
        c_ = square(m, t, leads[1], columns=n)
        if beta == 0:
            c_[:] = np.nan
        q.array(c_), q.size(leads[1])
        run(h, l, name, q, 16 * (m + n + 8))
    return make


def rank(name, hermitian, second):
    def make(h, l):
        t, q, n, k = TYPES[l], Call(), dice.choice(SIZES), dice.choice(SIZES)
        fill = q.enum('LU')
        op = q.enum('NC' if hermitian else 'NT')
        q.size(n), q.size(k)
        real = REAL[l] if hermitian else t
        alpha, beta = factor_of(real if not second else t), factor_of(real)
        q.factor(alpha, real if not second else t)
        rows, columns = (n, k) if op == 'N' else (k, n)
        for _ in range(1 + second):
            lead = max(1, rows) + dice.choice([0, 3])
            a = square(rows, t, lead, columns=columns)
            if alpha == 0:
                a[:] = np.nan
            q.array(a), q.size(lead)
        q.factor(beta, real)
        lead = max(1, n) + dice.choice([0, 3])
        c_ = square(n, t, lead, fill=fill)
        if beta == 0:
            c_[:] = np.nan
        q.array(c_), q.size(lead)
        if hermitian and beta == 1 and (alpha == 0 or k == 0):
            return  # the reference returns at once, and leaves imaginary parts on the diagonal
        run(h, l, name, q, 32 * (k + 8))
    return make


def trmm(h, l):
    t, q, m, n = TYPES[l], Call(), dice.choice(SIZES), dice.choice(SIZES)
    side = q.enum('lr')
    fill = q.enum('LU')
    q.enum('NTC')
    q.enum('nu')
    q.size(m), q.size(n)
    q.factor(factor_of(t), t)
    stored(q, m if side == 'l' else n, t, 'full', fill)
    lead = max(1, m) + dice.choice([0, 3])
    q.array(square(m, t, lead, columns=n)), q.size(lead)
    # ours has a third matrix, which may be the second
    run(h, l, 'trmm', q, 16 * (m + n + 8), ours=lambda args, integer: args + args[-2:])


def trsm(h, l):
    t, q, m, n = TYPES[l], Call(), dice.choice(SIZES), dice.choice(SIZES)
    side = q.enum('lr')
    fill = q.enum('LU')
    q.enum('NTC')
    q.enum('nu')
    q.size(m), q.size(n)
    q.factor(factor_of(t), t)
    a, places = stored(q, m if side == 'l' else n, t, 'full', fill)
    well(a, places)
    lead = max(1, m) + dice.choice([0, 3])
    q.array(square(m, t, lead, columns=n)), q.size(lead)
    run(h, l, 'trsm', q, 64 * (m + n + 8))


def vectors(name, alpha):
    def make(h, l):
        t, q, n = TYPES[l], Call(), dice.choice(SIZES + [700])
        q.size(n)
        if alpha:
            q.factor(factor_of(t), t)
        q.vector(Vector(n, t)), q.vector(Vector(n, t))
        run(h, l, name, q, 32)
    return make


def scal(name):
    def make(h, l):
        t, q, n = TYPES[l], Call(), dice.choice(SIZES)
        real = REAL[l] if name != 'scal' else t
        q.size(n)
        q.factor(factor_of(real, False), real)
        q.vector(Vector(n, t))
        run(h, l, name, q, 32)
    return make


def rot(name):
    def make(h, l):
        t, q, n = TYPES[l], Call(), dice.choice(SIZES)
        q.size(n)
        q.vector(Vector(n, t)), q.vector(Vector(n, t))
        q.factor(factor_of(REAL[l]), REAL[l])
        q.factor(factor_of(REAL[l] if name != 'rot' else t), REAL[l] if name != 'rot' else t)
        run(h, l, name, q, 64)
    return make


def rotm(h, l):
    t, q, n = TYPES[l], Call(), dice.choice(SIZES)
    q.size(n)
    q.vector(Vector(n, t)), q.vector(Vector(n, t))
    p = numbers(5, t)
    p[0] = dice.choice([-2, -1, 0, 1])
    q.args.append(('factor', p))
    run(h, l, 'rotm', q, 64)


def numbers_made(name):
    """rotg, rotmg: every argument is a number, and is written."""
    def make(h, l):
        global failures
        t = TYPES[l]
        real = REAL[l]
        if name == 'rotg':
            v = [numbers(1, t), numbers(1, t), numbers(1, real), numbers(1, t)]
            for x in v[:2]:
                # where one is 1e20 times the other, the reference's complex sine is not of length one
                x *= dice.choice([0, 1, 1e-3, 1e3] if l in 'cz' else [0, 1, 1e-10, 1e10])
            if l in 'cz' and v[0][0] == 0:
                return  # versions of the reference differ
        else:
            v = [numbers(1, t), numbers(1, t), numbers(1, t), numbers(1, t), np.zeros(5, t)]
            for x in v[:3]:
                # OpenBLAS does not scale the factors where the rotation changes places because of a zero, the reference does
                x[x == 0] = 1
                x *= dice.choice([1, 1, 1e-9, 1e9])
        theirs = [x.copy() for x in v]
        reference(l + name)(*[x.ctypes.data_as(c.c_void_p) for x in theirs])
        on_device = dice.random() < .5
        blas.cublasSetPointerMode_v2(h, int(on_device))
        ours = [x.copy() for x in v]
        if on_device:
            d = [Device(x) for x in ours]
            status = getattr(blas, 'cublas' + l.upper() + name + '_v2')(h, *[x.at for x in d])
            ours = [x.get(y) for x, y in zip(d, ours)]
            for x in d:
                x.free()
        else:
            status = getattr(blas, 'cublas' + l.upper() + name + '_v2')(h, *[x.ctypes.data_as(c.c_void_p) for x in ours])
        what = f'{l}{name} {[x.tolist() for x in v]} on_device={on_device} status {status}'
        if name == 'rotmg':  # what the flag does not give may be anything
            flag = theirs[4][0]
            unread = {-2: [1, 2, 3, 4], -1: [], 0: [1, 4], 1: [2, 3]}[int(flag)]
            ours[4][unread] = theirs[4][unread] = 0
        for x, y in zip(ours, theirs):
            compare(what, x, y, t, 64 * max(1e-30, np.abs(y).max()))
    return make


def reduction(name):
    def make(h, l):
        global failures
        t = TYPES[l]
        n = dice.choice(SIZES + [700])
        x, y = Vector(n, t), Vector(n, t)
        if name in ('nrm2', 'asum', 'amax', 'amin'):
            x.inc = abs(x.inc)
        two = name.startswith('dot')
        prefix = {'nrm2': {'c': 'sc', 'z': 'dz'}, 'asum': {'c': 'sc', 'z': 'dz'}}.get(name, {}).get(l, l)
        if name == 'nrm2' and dice.random() < .3:
            x.data *= REAL[l](dice.choice([1e-200, 1e200]) if l in 'dz' else dice.choice([1e-30, 1e30]))
        long = bits64()
        integer = c.c_int64 if long else c.c_int
        if name in ('amax', 'amin'):
            held = x.data[:n * x.inc:x.inc]
            sizes = np.abs(held.real) + np.abs(held.imag)
            theirs = np.array([0 if n == 0 else 1 + int((np.argmax if name == 'amax' else np.argmin)(sizes))])
            out = np.zeros(1, np.int64 if long else np.int32)
            entry = 'cublasI' + l + name
        else:
            class Pair(c.Structure):
                _fields_ = [('x', c.c_float if l == 'c' else c.c_double), ('y', c.c_float if l == 'c' else c.c_double)]
            restype = {'s': c.c_float, 'd': c.c_double}.get(l, Pair)
            if not two:
                restype = c.c_float if l in 'sc' else c.c_double
            ns, ix, iy = c.c_int(n), c.c_int(x.inc), c.c_int(y.inc)
            args = [c.byref(ns), x.data.ctypes.data_as(c.c_void_p), c.byref(ix)]
            if two:
                args += [y.data.ctypes.data_as(c.c_void_p), c.byref(iy)]
            r = reference(prefix + name, restype)(*args)
            theirs = np.array([complex(r.x, r.y) if isinstance(r, Pair) else r])
            out = np.zeros(1, t if two else REAL[l])
            entry = 'cublas' + prefix[0].upper() + prefix[1:] + name
        on_device = dice.random() < .5
        blas.cublasSetPointerMode_v2(h, int(on_device))
        dx, dy, dr = Device(x.data), Device(y.data), Device(out)
        args = [integer(n), dx.at, integer(x.inc)] + ([dy.at, integer(y.inc)] if two else [])
        status = getattr(blas, entry + '_v2' + ('_64' if long else ''))(h, *args, dr.at if on_device else out.ctypes.data_as(c.c_void_p))
        ours = dr.get(out) if on_device else out
        for d in (dx, dy, dr):
            d.free()
        compare(f'{entry} n={n} inc={x.inc} status {status}', ours.astype(theirs.dtype), theirs, t,
                8 * (n + 4) * max(1 if two else 1e-300, float(np.abs(theirs).max())))
    return make


def geam(h, l):
    t, m, n = TYPES[l], dice.choice(SIZES), dice.choice(SIZES)
    alpha, beta = factor_of(t), factor_of(t)
    ops = [dice.choice('NTC') for _ in range(2)]
    take = {'N': lambda x: x, 'T': lambda x: x.T, 'C': lambda x: x.conj().T}
    held, devices = [], []
    for op, f in zip(ops, (alpha, beta)):
        rows, columns = (m, n) if op == 'N' else (n, m)
        lead = max(1, rows) + dice.choice([0, 3])
        a = square(rows, t, lead, columns=columns)
        if f == 0:
            a[:] = np.nan
        held.append((a, lead, a[:columns, :rows].T))
        devices.append(Device(a))
    lead = max(1, m) + dice.choice([0, 3])
    out = np.full((max(1, n), lead), np.nan, t)
    d = Device(out)
    blas.cublasSetPointerMode_v2(h, 0)
    factors = [np.array([x], t) for x in (alpha, beta)]
    status = getattr(blas, f'cublas{l.upper()}geam')(
        h, ENUM[ops[0]], ENUM[ops[1]], m, n, factors[0].ctypes.data_as(c.c_void_p), devices[0].at, held[0][1],
        factors[1].ctypes.data_as(c.c_void_p), devices[1].at, held[1][1], d.at, lead)
    want = np.full_like(out, np.nan)
    total = np.zeros((m, n), t)
    for (a, _, view), op, f in zip(held, ops, (alpha, beta)):
        if f != 0:
            total = total + f * take[op](view)
    want[:n, :m] = total.T
    compare(f'{l}geam {ops} {m} {n} {alpha} {beta} status {status}', d.get(out), want, t, 64)
    for x in devices + [d]:
        x.free()


def dgmm(h, l):
    t, m, n, side = TYPES[l], dice.choice(SIZES), dice.choice(SIZES), dice.choice('lr')
    lead, lead_c = max(1, m) + dice.choice([0, 3]), max(1, m) + dice.choice([0, 3])
    a = square(m, t, lead, columns=n)
    x = Vector(m if side == 'l' else n, t)
    out = np.full((max(1, n), lead_c), np.nan, t)
    da, dx, d = Device(a), Device(x.data), Device(out)
    status = getattr(blas, f'cublas{l.upper()}dgmm')(h, ENUM[side], m, n, da.at, lead, dx.at, x.inc, d.at, lead_c)
    length = m if side == 'l' else n
    v = x.data[:length * abs(x.inc):abs(x.inc)]
    v = v[::-1] if x.inc < 0 else v
    view = a[:n, :m].T
    want = np.full_like(out, np.nan)
    want[:n, :m] = (v[:, None] * view if side == 'l' else view * v[None, :]).T
    compare(f'{l}dgmm {side} {m} {n} status {status}', d.get(out), want, t, 32)
    for q in (da, dx, d):
        q.free()


def packed(h, l):
    t, n, fill = TYPES[l], dice.choice(SIZES), dice.choice('LU')
    lead = max(1, n) + dice.choice([0, 3])
    a = square(n, t, lead, fill=fill)
    flat = [a[j, i] for j in range(n) for i in range(n) if (i <= j if fill == 'U' else i >= j)]
    p = np.array(flat + [np.nan], t)
    empty, none = np.full_like(a, np.nan), np.full_like(p, np.nan)
    da, dp, d1, d2 = Device(a), Device(p), Device(empty), Device(none)
    s1 = getattr(blas, f'cublas{l.upper()}trttp')(h, ENUM[fill], n, da.at, lead, d2.at)
    s2 = getattr(blas, f'cublas{l.upper()}tpttr')(h, ENUM[fill], n, dp.at, d1.at, lead)
    compare(f'{l}trttp {fill} {n} status {s1}', d2.get(p), p, t, 0)
    compare(f'{l}tpttr {fill} {n} status {s2}', d1.get(a), a, t, 0)
    for q in (da, dp, d1, d2):
        q.free()


def inverses(h, l):
    t, n, count = TYPES[l], dice.choice([0, 1, 2, 7, 32]), dice.choice([1, 3])
    a = [square(n, t, n + 2) for _ in range(count)]
    for x in a:
        well(x, [j * (n + 2) + j for j in range(n)])
    out = [np.full((max(1, n), n + 1), np.nan, t) for _ in range(count)]
    da, do = [Device(x) for x in a], [Device(x) for x in out]
    la, lo = (Device(np.array([x.at.value for x in d], np.uint64)) for d in (da, do))
    info = Device(np.full(count, 7, np.int32))
    status = getattr(blas, f'cublas{l.upper()}matinvBatched')(h, n, la.at, n + 2, lo.at, n + 1, info.at, count)
    for x, d, o in zip(a, do, out):
        want = np.full_like(o, np.nan)
        if n:
            want[:n, :n] = np.linalg.inv(x[:n, :n].astype(np.complex128 if l in 'cz' else np.float64)).astype(t)
        compare(f'{l}matinvBatched {n} status {status}', d.get(o), want, t, 200)
    if n:
        assert not info.get(np.zeros(count, np.int32)).any()
    for x in da + do + [la, lo, info]:
        x.free()


ROUTINES = {
    'gemv': (gemv, 'sdcz'), 'gbmv': (gbmv, 'sdcz'),
    'symv': (symmetric('symv', 'full', False), 'sd'), 'hemv': (symmetric('hemv', 'full', True), 'cz'),
    'sbmv': (symmetric('sbmv', 'band', False), 'sd'), 'hbmv': (symmetric('hbmv', 'band', True), 'cz'),
    'spmv': (symmetric('spmv', 'packed', False), 'sd'), 'hpmv': (symmetric('hpmv', 'packed', True), 'cz'),
    'trmv': (triangular('trmv', 'full', False), 'sdcz'), 'trsv': (triangular('trsv', 'full', True), 'sdcz'),
    'tbmv': (triangular('tbmv', 'band', False), 'sdcz'), 'tbsv': (triangular('tbsv', 'band', True), 'sdcz'),
    'tpmv': (triangular('tpmv', 'packed', False), 'sdcz'), 'tpsv': (triangular('tpsv', 'packed', True), 'sdcz'),
    'ger': (ger('ger'), 'sd'), 'geru': (ger('geru'), 'cz'), 'gerc': (ger('gerc'), 'cz'),
    'syr': (update('syr', 'full', False, False), 'sd'), 'her': (update('her', 'full', True, False), 'cz'),
    'spr': (update('spr', 'packed', False, False), 'sd'), 'hpr': (update('hpr', 'packed', True, False), 'cz'),
    'syr2': (update('syr2', 'full', False, True), 'sd'), 'her2': (update('her2', 'full', True, True), 'cz'),
    'spr2': (update('spr2', 'packed', False, True), 'sd'), 'hpr2': (update('hpr2', 'packed', True, True), 'cz'),
    'symm': (symm('symm'), 'sdcz'), 'hemm': (symm('hemm'), 'cz'),
    'syrk': (rank('syrk', False, False), 'sdcz'), 'herk': (rank('herk', True, False), 'cz'),
    'syr2k': (rank('syr2k', False, True), 'sdcz'), 'her2k': (rank('her2k', True, True), 'cz'),
    'trmm': (trmm, 'sdcz'), 'trsm': (trsm, 'sdcz'),
    'axpy': (vectors('axpy', True), 'sdcz'), 'copy': (vectors('copy', False), 'sdcz'), 'swap': (vectors('swap', False), 'sdcz'),
    'scal': (scal('scal'), 'sdcz'), 'sscal': (scal('sscal'), 'c'), 'dscal': (scal('dscal'), 'z'),
    'rot': (rot('rot'), 'sd'), 'srot': (rot('srot'), 'c'), 'drot': (rot('drot'), 'z'), 'rotm': (rotm, 'sd'),
    'rotg': (numbers_made('rotg'), 'sdcz'), 'rotmg': (numbers_made('rotmg'), 'sd'),
    'dot': (reduction('dot'), 'sd'), 'dotu': (reduction('dotu'), 'cz'), 'dotc': (reduction('dotc'), 'cz'),
    'nrm2': (reduction('nrm2'), 'sdcz'), 'asum': (reduction('asum'), 'sdcz'),
    'amax': (reduction('amax'), 'sdcz'), 'amin': (reduction('amin'), 'sdcz'),
    'geam': (geam, 'sdcz'), 'dgmm': (dgmm, 'sdcz'), 'packed': (packed, 'sdcz'), 'matinv': (inverses, 'sdcz'),
}

trials = int(sys.argv[1]) if len(sys.argv) > 1 else 4
handle = c.c_void_p()
assert blas.cublasCreate_v2(c.byref(handle)) == 0
done = 0
for routine in sys.argv[2:] or ROUTINES:
    make, letters = ROUTINES[routine]
    for letter in letters:
        for _ in range(trials):
            make(handle, letter)
            done += 1
assert blas.cublasDestroy_v2(handle) == 0
print(f'{done} calls of {len(sys.argv[2:] or ROUTINES)} routines, {failures} differ')
sys.exit(failures > 0)
