// How a plan runs: one axis after another, the last first, since it is the one with real numbers on a side (forward); an inverse
// transform to real numbers ends with it. An axis is all its lines: in shared memory where they are short, through the work area
// where they are long or have a length with a prime factor above 7.
#include "transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t element_bytes(const struct fft_plan *p) { return p->is_double ? 16 : 8; }
static uint64_t most_held(const struct fft_plan *p) {
    return p->is_double ? FOURIER_HELD_64 : FOURIER_HELD_32;
}
static bool is_short(const struct fft_plan *p, const struct fft_length *l) {
    return l->inner == l->n && l->n <= most_held(p);
}

// ---- lengths ----------------------------------------------------------------------------------------
static bool factor(uint64_t n, uint8_t radices[FOURIER_RADICES], uint32_t *count) {
    static const uint8_t radix[] = {4, 2, 3, 5, 7};
    *count = 0;
    for (size_t i = 0; i < sizeof radix; i++)
        while (n % radix[i] == 0) {
            radices[(*count)++] = radix[i];
            n /= radix[i];
        }
    return n == 1;
}
// exp(-pi i number / half), with the angle reduced, and rounded in the end only: its error is that of every element.
static void put_root(void *table, bool is_double, uint64_t k, uint64_t number, uint64_t half) {
    const long double angle =
        -3.14159265358979323846264338328L * (long double)(number % (2 * half)) / (long double)half;
    if (is_double) {
        ((double *)table)[2 * k] = (double)cosl(angle);
        ((double *)table)[2 * k + 1] = (double)sinl(angle);
    } else {
        ((float *)table)[2 * k] = (float)cosl(angle);
        ((float *)table)[2 * k + 1] = (float)sinl(angle);
    }
}
static CUdeviceptr upload(const void *from, size_t bytes) {
    CUdeviceptr at = 0;
    if (cuMemAlloc_v2(&at, bytes) != CUDA_SUCCESS) return 0;
    if (cuMemcpyHtoD_v2(at, from, bytes) == CUDA_SUCCESS) return at;
    cuMemFree_v2(at);
    return 0;
}

// ---- steps ------------------------------------------------------------------------------------------
static fft_status launch(struct fft_plan *p, const char *name, uint64_t items, uint32_t threads,
                         const struct fourier_call *c) {
    enum { MOST = 65535 };
    const uint64_t blocks = (items + threads - 1) / threads;
    CUfunction kernel;
    blas_status s = blas_kernel(p->device, p->is_double ? BLAS_fd : BLAS_fs, name, &kernel);
    if (!s)
        s = blas_launch(kernel, (const uint32_t[3]){blocks > MOST ? MOST : (uint32_t)blocks, 1, 1},
                        threads, c, sizeof *c, p->stream);
    return s ? FFT_EXEC_FAILED : FFT_SUCCESS;
}
// Lines in shared memory: c says where they lie.
static fft_status run_short(struct fft_plan *p, const struct fft_length *l,
                            struct fourier_call *c) {
    c->n = l->inner;
    c->table = l->table;
    c->radix_count = l->radix_count;
    memcpy(c->radices, l->radices, sizeof c->radices);
    // some lines together where they are so short that one would leave threads without work
    const uint64_t full = 4 * FOURIER_THREADS, most = most_held(p) / l->inner,
                   wanted = full / l->inner;
    c->together = (uint32_t)(wanted < 1 ? 1 : wanted < most ? wanted : most);
    if ((c->in.stride != 1 || c->out.stride != 1) && c->together < 8)
        c->together = (uint32_t)(most < 8 ? most : 8);
    return launch(p, "line", (c->lines + c->together - 1) / c->together * FOURIER_THREADS,
                  FOURIER_THREADS, c);
}
// `count` lines of l->inner elements, one after another in *a; b is room for as many. In the end *a is where the result lies.
static fft_status run_inner(struct fft_plan *p, const struct fft_length *l, uint64_t count,
                            CUdeviceptr *a, CUdeviceptr *b) {
    struct fourier_call c = {
        .extent = {1, 1, (int64_t)count}, .lines = count, .n = l->inner, .table = l->table};
    if (l->inner <= most_held(p)) {
        c.in = c.out =
            (struct fourier_side){.at = *a, .stride = 1, .step = {0, 0, (int64_t)l->inner}};
        return run_short(p, l, &c);
    }
    c.done = 1;
    for (uint32_t r = 0; r < l->radix_count; r++) {
        c.radix = l->radices[r];
        c.in.at = *a;
        c.out.at = *b;
        const fft_status s = launch(p, "pass", count * (l->inner / c.radix), FOURIER_THREADS, &c);
        if (s) return s;
        c.done *= c.radix;
        const CUdeviceptr swap = *a;
        *a = *b;
        *b = swap;
    }
    return FFT_SUCCESS;
}

// The convolution's other side: the chirp, conjugated, around element 0.
static fft_status make_chirp(struct fft_plan *p, struct fft_length *l) {
    const size_t bytes = l->inner * element_bytes(p);
    void *const chirp = calloc(l->n, element_bytes(p)), *const around = calloc(1, bytes);
    fft_status s = chirp && around ? FFT_SUCCESS : FFT_ALLOC_FAILED;
    for (uint64_t k = 0; !s && k < l->n; k++) {
        put_root(chirp, p->is_double, k, k * k % (2 * l->n), l->n);
        const uint64_t conj = 2 * l->n - k * k % (2 * l->n);
        put_root(around, p->is_double, k, conj, l->n);
        if (k) put_root(around, p->is_double, l->inner - k, conj, l->n);
    }
    CUdeviceptr room = 0;
    if (!s) {
        l->chirp = upload(chirp, l->n * element_bytes(p));
        l->other = upload(around, bytes);
        if (!l->chirp || !l->other || cuMemAlloc_v2(&room, bytes) != CUDA_SUCCESS)
            s = FFT_ALLOC_FAILED;
    }
    if (!s) s = run_inner(p, l, 1, &l->other, &room);
    if (!s && cuStreamSynchronize(p->stream) != CUDA_SUCCESS) s = FFT_EXEC_FAILED;
    if (room) cuMemFree_v2(room);
    free(chirp);
    free(around);
    return s;
}

static fft_status make_length(struct fft_plan *p, struct fft_length *l, uint64_t n) {
    *l = (struct fft_length){.n = n, .inner = n};
    const bool is_smooth = factor(n, l->radices, &l->radix_count);
    if (!is_smooth) {
        for (l->inner = 1; l->inner < 2 * n - 1;) l->inner *= 2;
        factor(l->inner, l->radices, &l->radix_count);
    }
    void *const table = malloc(l->inner * element_bytes(p));
    if (!table) return FFT_ALLOC_FAILED;
    for (uint64_t k = 0; k < l->inner; k++) put_root(table, p->is_double, k, 2 * k, l->inner);
    l->table = upload(table, l->inner * element_bytes(p));
    free(table);
    if (!l->table) return FFT_ALLOC_FAILED;
    return is_smooth ? FFT_SUCCESS : make_chirp(p, l);
}

// The transform of an axis: of an even number of real numbers one half as long, of pairs of them.
static bool is_paired(const struct fft_plan *p, int axis) {
    return axis == 2 && p->kind != FFT_C2C && p->n[2] % 2 == 0;
}
static uint64_t length_of(const struct fft_plan *p, int axis) {
    return (uint64_t)p->n[axis] / (is_paired(p, axis) ? 2 : 1);
}
static fft_status make_turn(struct fft_plan *p, struct fft_length *l) {
    void *const turn = malloc((l->n + 1) * element_bytes(p));
    if (!turn) return FFT_ALLOC_FAILED;
    for (uint64_t k = 0; k <= l->n; k++) put_root(turn, p->is_double, k, k, l->n);
    l->turn = upload(turn, (l->n + 1) * element_bytes(p));
    free(turn);
    return l->turn ? FFT_SUCCESS : FFT_ALLOC_FAILED;
}

// ---- the work area: first the half of an inverse transform to real numbers, then two times some lines -----------
static int64_t half_of(int64_t n) { return n / 2 + 1; }
static size_t half_bytes(const struct fft_plan *p) {
    if (p->kind != FFT_C2R || p->rank == 1) return 0;
    return (size_t)(p->batch * p->n[0] * p->n[1] * half_of(p->n[2])) * element_bytes(p);
}
static uint64_t lines_of(const struct fft_plan *p, int axis) {
    uint64_t lines = (uint64_t)p->batch;
    for (int i = 0; i < 3; i++)
        if (i != axis)
            lines *= (uint64_t)(i == 2 && p->kind != FFT_C2C ? half_of(p->n[2]) : p->n[i]);
    return lines;
}
// Lines that go through the work area together.
static uint64_t lines_at_once(const struct fft_plan *p, uint64_t inner, uint64_t lines) {
    enum { AREA = 64 << 20 }; // bytes; a longer line has it alone
    const uint64_t most = AREA / (2 * inner * element_bytes(p));
    return most < 1 ? 1 : most < lines ? most : lines;
}
size_t fft_work_bytes(const struct fft_plan *p) {
    size_t most = 0;
    for (int axis = 0; axis < 3; axis++) {
        struct fft_length l = {.n = length_of(p, axis), .inner = length_of(p, axis)};
        if (!factor(l.n, l.radices, &l.radix_count))
            for (l.inner = 1; l.inner < 2 * l.n - 1;) l.inner *= 2;
        if (is_short(p, &l)) continue;
        const size_t bytes =
            2 * lines_at_once(p, l.inner, lines_of(p, axis)) * l.inner * element_bytes(p);
        if (bytes > most) most = bytes;
    }
    return half_bytes(p) + most;
}

fft_status fft_plan_make(struct fft_plan *p) {
    fft_status s = FFT_SUCCESS;
    for (int axis = 0; axis < 3 && !s; axis++) {
        s = make_length(p, &p->length[axis], length_of(p, axis));
        if (!s && is_paired(p, axis)) s = make_turn(p, &p->length[axis]);
    }
    if (!s) {
        p->work_bytes = fft_work_bytes(p);
        if (!p->keeps_area && p->work_bytes &&
            cuMemAlloc_v2(&p->own_work, p->work_bytes) != CUDA_SUCCESS)
            s = FFT_ALLOC_FAILED;
        p->work = p->own_work;
    }
    p->is_made = !s;
    if (s) fft_plan_forget(p);
    return s;
}
void fft_plan_forget(struct fft_plan *p) {
    for (int axis = 0; axis < 3; axis++) {
        struct fft_length *const l = &p->length[axis];
        if (l->table) cuMemFree_v2(l->table);
        if (l->chirp) cuMemFree_v2(l->chirp);
        if (l->other) cuMemFree_v2(l->other);
        if (l->turn) cuMemFree_v2(l->turn);
        *l = (struct fft_length){0};
    }
    if (p->own_work) cuMemFree_v2(p->own_work);
    p->own_work = p->work = 0;
    p->is_made = false;
}

// ---- an axis ----------------------------------------------------------------------------------------
// Where an array lies: elements from one index of each axis to the next, and from one of the batch to the next.
struct layout {
    uint64_t at;
    int64_t step[3], distance;
    uint32_t form, width;
};
static struct fourier_side side_of(const struct layout *a, const int other[2], int axis) {
    struct fourier_side s = {
        .at = a->at, .stride = a->step[axis], .form = a->form, .width = a->width};
    s.step[0] = a->distance;
    s.step[1] = a->step[other[0]];
    s.step[2] = a->step[other[1]];
    return s;
}
static fft_status run_axis(struct fft_plan *p, int axis, const struct layout *in,
                           const struct layout *out, bool is_inverse, CUdeviceptr area) {
    const struct fft_length *const l = &p->length[axis];
    const int other[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
    struct fourier_call c = {.in = side_of(in, other, axis),
                             .out = side_of(out, other, axis),
                             .turn = l->turn,
                             .n = l->n,
                             .conj = is_inverse};
    c.extent[0] = p->batch;
    for (int i = 0; i < 2; i++)
        c.extent[i + 1] = other[i] == 2 && p->kind != FFT_C2C ? half_of(p->n[2]) : p->n[other[i]];
    c.lines = lines_of(p, axis);
    if (is_short(p, l)) return run_short(p, l, &c);
    const uint64_t lines = c.lines, at_once = lines_at_once(p, l->inner, lines);
    fft_status s = FFT_SUCCESS;
    c.held = l->inner;
    c.chirp = l->chirp;
    for (c.first = 0; c.first < lines && !s; c.first += at_once) {
        CUdeviceptr a = area, b = area + at_once * l->inner * element_bytes(p);
        c.lines = lines - c.first < at_once ? lines - c.first : at_once;
        struct fourier_call step = c;
        step.out = (struct fourier_side){.at = a};
        s = launch(p, "gather", c.lines * c.held, 256, &step);
        if (!s) s = run_inner(p, l, c.lines, &a, &b);
        if (!s && l->chirp) {
            const struct fourier_call m = {
                .out.at = a, .lines = c.lines, .n = l->inner, .other = l->other};
            s = launch(p, "multiply", c.lines * l->inner, 256, &m);
            if (!s) s = run_inner(p, l, c.lines, &a, &b);
        }
        step = c;
        step.in = (struct fourier_side){.at = a};
        if (!s) s = launch(p, "scatter", c.lines * (l->n + 1), 256, &step);
    }
    return s;
}

static struct layout layout_of(const int64_t embed[3], int64_t stride, int64_t distance,
                               CUdeviceptr at, uint32_t form) {
    return (struct layout){.at = at,
                           .step = {embed[1] * embed[2] * stride, embed[2] * stride, stride},
                           .distance = distance,
                           .form = form};
}
static struct layout basic(const struct fft_plan *p, int64_t row, CUdeviceptr at, uint32_t form) {
    const int64_t embed[3] = {p->n[0], p->n[1], row};
    return layout_of(embed, 1, p->n[0] * p->n[1] * row, at, form);
}

fft_status fft_run(struct fft_plan *p, CUdeviceptr in, CUdeviceptr out, bool is_inverse) {
    const uint32_t in_form = p->kind == FFT_R2C   ? FOURIER_REAL
                             : p->kind == FFT_C2R ? FOURIER_HALF
                                                  : FOURIER_COMPLEX,
                   out_form = p->kind == FFT_R2C   ? FOURIER_HALF
                              : p->kind == FFT_C2R ? FOURIER_REAL
                                                   : FOURIER_COMPLEX;
    struct layout from = layout_of(p->in_embed, p->in_stride, p->in_distance, in, in_form),
                  to = layout_of(p->out_embed, p->out_stride, p->out_distance, out, out_form);
    if (p->is_basic) { // in place rows of real numbers have room for their transform
        const int64_t real = in == out ? 2 * half_of(p->n[2]) : p->n[2],
                      half = p->kind == FFT_C2C ? p->n[2] : half_of(p->n[2]);
        from = basic(p, in_form == FOURIER_REAL ? real : half, in, in_form);
        to = basic(p, out_form == FOURIER_REAL ? real : half, out, out_form);
    }
    from.width = to.width = p->width;
    const CUdeviceptr area = p->work + half_bytes(p);
    if (fft_work_bytes(p) && !p->work) return FFT_NO_WORKSPACE;
    fft_status s = FFT_SUCCESS;
    struct layout now = from;
    if (p->kind == FFT_C2R) {
        struct layout half = basic(p, half_of(p->n[2]), p->work, FOURIER_COMPLEX);
        now.form = FOURIER_COMPLEX;
        for (int axis = 3 - p->rank; axis < 2 && !s; axis++) {
            s = run_axis(p, axis, &now, &half, is_inverse, area);
            now = half;
        }
        now.form = FOURIER_HALF;
        return s ? s : run_axis(p, 2, &now, &to, is_inverse, area);
    }
    for (int axis = 2; axis >= 3 - p->rank && !s; axis--) {
        s = run_axis(p, axis, &now, &to, is_inverse, area);
        to.form = FOURIER_COMPLEX;
        now = to;
    }
    return s;
}
