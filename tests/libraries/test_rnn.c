// Recurrent networks, dropout and CTC loss of our own cuDNN: outputs and last states against loops on the host, gradients against
// differences of forward passes along a direction, all in double precision; both directions, layers, projections, lengths,
// three layouts, dropout between layers.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

typedef struct handle *handle_t;
typedef void *desc_t;
int cudnnCreate(handle_t *), cudnnDestroy(handle_t), cudnnCreateTensorDescriptor(desc_t *), cudnnDestroyTensorDescriptor(desc_t);
int cudnnGetTensorNdDescriptor(desc_t, int, int *, int *, int *, int *), cudnnSetTensorNdDescriptorEx(desc_t, int, int, int, const int *);
int cudnnCreateDropoutDescriptor(desc_t *), cudnnDestroyDropoutDescriptor(desc_t), cudnnDropoutGetStatesSize(handle_t, size_t *);
int cudnnSetDropoutDescriptor(desc_t, handle_t, float, CUdeviceptr, size_t, unsigned long long);
int cudnnDropoutGetReserveSpaceSize(desc_t, size_t *);
int cudnnDropoutForward(handle_t, desc_t, desc_t, CUdeviceptr, desc_t, CUdeviceptr, CUdeviceptr, size_t);
int cudnnDropoutBackward(handle_t, desc_t, desc_t, CUdeviceptr, desc_t, CUdeviceptr, CUdeviceptr, size_t);
int cudnnCreateRNNDescriptor(desc_t *), cudnnDestroyRNNDescriptor(desc_t), cudnnCreateRNNDataDescriptor(desc_t *), cudnnDestroyRNNDataDescriptor(desc_t);
int cudnnSetRNNDescriptor_v8(desc_t, int, int, int, int, int, int, int, int, int32_t, int32_t, int32_t, int32_t, desc_t, uint32_t);
int cudnnSetRNNDataDescriptor(desc_t, int, int, int, int, int, const int *, const void *);
int cudnnGetRNNWeightSpaceSize(handle_t, desc_t, size_t *), cudnnGetRNNTempSpaceSizes(handle_t, desc_t, int, desc_t, size_t *, size_t *);
int cudnnGetRNNWeightParams(handle_t, desc_t, int32_t, size_t, CUdeviceptr, int32_t, desc_t, CUdeviceptr *, desc_t, CUdeviceptr *);
int cudnnRNNForward(handle_t, desc_t, int, const int32_t *, desc_t, CUdeviceptr, desc_t, CUdeviceptr, desc_t, CUdeviceptr, CUdeviceptr, desc_t,
                    CUdeviceptr, CUdeviceptr, size_t, CUdeviceptr, size_t, CUdeviceptr, size_t, CUdeviceptr);
int cudnnRNNBackwardData_v8(handle_t, desc_t, const int32_t *, desc_t, CUdeviceptr, CUdeviceptr, desc_t, CUdeviceptr, desc_t, CUdeviceptr,
                            CUdeviceptr, CUdeviceptr, desc_t, CUdeviceptr, CUdeviceptr, CUdeviceptr, size_t, CUdeviceptr, size_t, CUdeviceptr,
                            size_t, CUdeviceptr);
int cudnnRNNBackwardWeights_v8(handle_t, desc_t, int, const int32_t *, desc_t, CUdeviceptr, desc_t, CUdeviceptr, desc_t, CUdeviceptr, size_t,
                               CUdeviceptr, size_t, CUdeviceptr, size_t, CUdeviceptr);

int cudnnCreateCTCLossDescriptor(desc_t *), cudnnDestroyCTCLossDescriptor(desc_t), cudnnSetCTCLossDescriptor_v9(desc_t, int, int, int, int);
int cudnnGetCTCLossWorkspaceSize(handle_t, desc_t, desc_t, const int *, const int *, const int *, int, desc_t, size_t *);
int cudnnGetCTCLossWorkspaceSize_v8(handle_t, int, desc_t, desc_t, desc_t, size_t *);
int cudnnCTCLoss(handle_t, desc_t, CUdeviceptr, const int *, const int *, const int *, CUdeviceptr, desc_t, CUdeviceptr, int, desc_t, CUdeviceptr,
                 size_t);
int cudnnCTCLoss_v8(handle_t, int, desc_t, desc_t, CUdeviceptr, CUdeviceptr, CUdeviceptr, CUdeviceptr, CUdeviceptr, desc_t, CUdeviceptr, size_t,
                    CUdeviceptr);

static int failed;
#define CHECK(what, ...)                                                                           \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            failed++;                                                                              \
            printf("FAILED %s:%d: ", __FILE__, __LINE__);                                          \
            printf(__VA_ARGS__);                                                                   \
            puts("");                                                                              \
        }                                                                                          \
    } while (0)

static uint32_t seed = 1;
static double number(void) {
    seed = seed * 1664525 + 1013904223;
    return (double)(int32_t)(seed >> 8 & 0xfff) / 2048 - 1;
}

// ---- a network, its numbers on the host and on the device ---------------------------------------------------
enum { STEPS = 5, BATCH = 3, INPUT = 4, HIDDEN = 6 };
enum { RELU, TANH, LSTM, GRU };
struct shape {
    const char *name;
    int mode, layers, directions, projection, bias, layout; // bias: cudnnRNNBiasMode_t; layout: cudnnRNNDataLayout_t
    float dropout;
    int lengths[BATCH];
};
static const struct shape shapes[] = {
    {"relu", RELU, 1, 1, HIDDEN, 2, 0, 0, {5, 5, 5}},
    {"tanh, both ways", TANH, 2, 2, HIDDEN, 1, 0, 0, {5, 5, 5}},
    {"GRU, both ways, packed", GRU, 2, 2, HIDDEN, 2, 1, 0, {5, 3, 1}},
    {"GRU, biases of the state", GRU, 1, 1, HIDDEN, 3, 0, 0, {2, 5, 4}},
    {"LSTM by members, both ways", LSTM, 2, 2, HIDDEN, 2, 2, 0, {3, 5, 2}},
    {"LSTM with a projection, both ways, packed", LSTM, 2, 2, 3, 2, 1, 0, {5, 4, 2}},
    {"LSTM without biases, dropout", LSTM, 2, 1, HIDDEN, 0, 0, 0.5f, {5, 5, 5}},
};
struct numbers { // on the host, and where they lie on the device
    double *v;
    CUdeviceptr at;
    int n;
};
static struct numbers make(int n) {
    struct numbers a = {.v = calloc((size_t)n, sizeof(double)), .n = n};
    for (int i = 0; i < n; i++) a.v[i] = number();
    cuMemAlloc(&a.at, (size_t)n * 8);
    cuMemcpyHtoD(a.at, a.v, (size_t)n * 8);
    return a;
}
static void send(const struct numbers *a) { cuMemcpyHtoD(a->at, a->v, (size_t)a->n * 8); }
static void fetch(struct numbers *a) { cuMemcpyDtoH(a->v, a->at, (size_t)a->n * 8); }
static void drop(struct numbers *a) { cuMemFree(a->at), free(a->v); }

struct net {
    const struct shape *s;
    handle_t h;
    desc_t rnn, x_like, y_like, dropout;
    CUdeviceptr states, work, kept;
    size_t weight_bytes, work_bytes, kept_bytes, state_bytes;
    struct numbers w, x, y, hx, hy, cx, cy;
};
// The row of a member's step in the program's tensor.
static int row_of(const struct shape *s, int step, int member) {
    if (s->layout == 0) return step * BATCH + member;
    if (s->layout == 2) return member * STEPS + step;
    int row = member;
    for (int n = 0; n < BATCH; n++) row += s->lengths[n] < step ? s->lengths[n] : step;
    return row;
}
static int rows_of(const struct shape *s) {
    return s->layout == 1 ? s->lengths[0] + s->lengths[1] + s->lengths[2] : STEPS * BATCH;
}
static void forward(struct net *a, int is_training) {
    if (a->s->dropout > 0) cudnnSetDropoutDescriptor(a->dropout, a->h, a->s->dropout, a->states, a->state_bytes, 7);
    CHECK(!cudnnRNNForward(a->h, a->rnn, is_training, NULL, a->x_like, a->x.at, a->y_like, a->y.at, NULL, a->hx.at, a->hy.at, NULL, a->cx.at,
                           a->cy.at, a->weight_bytes, a->w.at, a->work_bytes, a->work, a->kept_bytes, is_training ? a->kept : 0),
          "%s forward", a->s->name);
    fetch(&a->y), fetch(&a->hy);
    if (a->s->mode == LSTM) fetch(&a->cy);
}

// ---- the same on the host -------------------------------------------------------------------------------------
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
// A row of a gate's matrix times a vector, and its bias; `which` as the library numbers them.
static double gate_sum(const struct net *a, int pseudo, int which, int unit, const double *v) {
    desc_t m, b;
    CUdeviceptr m_at, b_at;
    int type, rank, m_size[3] = {0}, b_size[3] = {0}, step[3];
    cudnnCreateTensorDescriptor(&m), cudnnCreateTensorDescriptor(&b);
    CHECK(!cudnnGetRNNWeightParams(a->h, a->rnn, pseudo, a->weight_bytes, a->w.at, which, m, &m_at, b, &b_at), "weights %d", which);
    cudnnGetTensorNdDescriptor(m, 3, &type, &rank, m_size, step), cudnnGetTensorNdDescriptor(b, 3, &type, &rank, b_size, step);
    double sum = b_at ? a->w.v[(b_at - a->w.at) / 8 + (size_t)unit] : 0;
    for (int i = 0; i < m_size[2]; i++) sum += a->w.v[(m_at - a->w.at) / 8 + (size_t)(unit * m_size[2] + i)] * v[i];
    cudnnDestroyTensorDescriptor(m), cudnnDestroyTensorDescriptor(b);
    return sum;
}
static void compute(const struct net *a, double *y, double *hy, double *cy) {
    const struct shape *const s = a->s;
    const int P = s->projection, gates = s->mode == LSTM ? 4 : s->mode == GRU ? 3 : 1;
    for (int n = 0; n < BATCH; n++) {
        double in[STEPS][2 * HIDDEN] = {0}, out[STEPS][2 * HIDDEN];
        for (int t = 0; t < s->lengths[n]; t++) memcpy(in[t], a->x.v + row_of(s, t, n) * INPUT, sizeof(double) * INPUT);
        for (int layer = 0; layer < s->layers; layer++) {
            for (int d = 0; d < s->directions; d++) {
                const int pseudo = layer * s->directions + d;
                double h[HIDDEN], c[HIDDEN], next[HIDDEN];
                memcpy(h, a->hx.v + (pseudo * BATCH + n) * P, sizeof(double) * (size_t)P);
                memcpy(c, a->cx.v + (pseudo * BATCH + n) * HIDDEN, sizeof c);
                for (int i = 0; i < s->lengths[n]; i++) {
                    const int t = d ? s->lengths[n] - 1 - i : i;
                    for (int u = 0; u < HIDDEN; u++) {
                        double x[4], r[4];
                        for (int g = 0; g < gates; g++) {
                            x[g] = gate_sum(a, pseudo, g, u, in[t]);
                            r[g] = gate_sum(a, pseudo, gates + g, u, h);
                        }
                        if (s->mode == LSTM) {
                            c[u] = sigmoid(x[1] + r[1]) * c[u] + sigmoid(x[0] + r[0]) * tanh(x[2] + r[2]);
                            next[u] = sigmoid(x[3] + r[3]) * tanh(c[u]);
                        } else if (s->mode == GRU) {
                            const double z = sigmoid(x[1] + r[1]);
                            next[u] = (1 - z) * tanh(x[2] + sigmoid(x[0] + r[0]) * r[2]) + z * h[u];
                        } else {
                            next[u] = s->mode == TANH ? tanh(x[0] + r[0]) : fmax(x[0] + r[0], 0);
                        }
                    }
                    for (int u = 0; u < P; u++) h[u] = P < HIDDEN ? gate_sum(a, pseudo, 8, u, next) : next[u];
                    memcpy(out[t] + d * P, h, sizeof(double) * (size_t)P);
                }
                memcpy(hy + (pseudo * BATCH + n) * P, h, sizeof(double) * (size_t)P);
                memcpy(cy + (pseudo * BATCH + n) * HIDDEN, c, sizeof c);
            }
            memcpy(in, out, sizeof in);
        }
        const int wide = P * s->directions;
        for (int t = 0; t < s->lengths[n]; t++) memcpy(y + row_of(s, t, n) * wide, in[t], sizeof(double) * (size_t)wide);
    }
}
static void compare(const char *name, const char *what, const struct numbers *got, const double *want) {
    double worst = 0;
    for (int i = 0; i < got->n; i++)
        if (!(fabs(got->v[i] - want[i]) <= worst)) worst = isnan(got->v[i]) ? HUGE_VAL : fabs(got->v[i] - want[i]);
    CHECK(worst < 1e-12, "%s, %s: off by %g", name, what, worst);
}

// ---- gradients -----------------------------------------------------------------------------------------------
// Of the loss <dy, y> + <dhy, hy> + <dcy, cy>; what is moved: one kind of numbers, along itself shuffled.
static double loss(struct net *a, const struct numbers *dy, const struct numbers *dhy, const struct numbers *dcy) {
    forward(a, 1);
    double sum = 0;
    const int wide = a->s->projection * a->s->directions;
    for (int n = 0; n < BATCH; n++)
        for (int t = 0; t < a->s->lengths[n]; t++)
            for (int i = 0; i < wide; i++) sum += dy->v[row_of(a->s, t, n) * wide + i] * a->y.v[row_of(a->s, t, n) * wide + i];
    for (int i = 0; i < dhy->n; i++) sum += dhy->v[i] * a->hy.v[i];
    for (int i = 0; a->s->mode == LSTM && i < dcy->n; i++) sum += dcy->v[i] * a->cy.v[i];
    return sum;
}
static void differ(struct net *a, const char *what, struct numbers *moved, struct numbers *gradient, const struct numbers *dy,
                   const struct numbers *dhy, const struct numbers *dcy) {
    double *const was = malloc((size_t)moved->n * 8), by = 0, difference = 0;
    memcpy(was, moved->v, (size_t)moved->n * 8);
    fetch(gradient);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < moved->n; i++) moved->v[i] = was[i] + sign * 1e-5 * sin(3 * i + 1);
        send(moved);
        difference += sign * loss(a, dy, dhy, dcy) / 2e-5;
    }
    for (int i = 0; i < moved->n; i++) by += gradient->v[i] * sin(3 * i + 1);
    CHECK(fabs(by - difference) < 1e-7 * (1 + fabs(by)), "%s, gradient of %s: %.10g, by differences %.10g", a->s->name, what, by, difference);
    memcpy(moved->v, was, (size_t)moved->n * 8);
    send(moved);
    free(was);
}
static void gradients(struct net *a) {
    struct numbers dy = make(a->y.n), dhy = make(a->hy.n), dcy = make(a->cy.n), dx = make(a->x.n), dhx = make(a->hx.n), dcx = make(a->cx.n),
                   dw = make(a->w.n);
    forward(a, 1);
    cuMemsetD8(dw.at, 0, (size_t)dw.n * 8);
    CHECK(!cudnnRNNBackwardData_v8(a->h, a->rnn, NULL, a->y_like, a->y.at, dy.at, a->x_like, dx.at, NULL, a->hx.at, dhy.at, dhx.at, NULL, a->cx.at,
                                   dcy.at, dcx.at, a->weight_bytes, a->w.at, a->work_bytes, a->work, a->kept_bytes, a->kept),
          "%s backward", a->s->name);
    for (int i = 0; i < 2; i++) // added to zeros, and set
        CHECK(!cudnnRNNBackwardWeights_v8(a->h, a->rnn, i, NULL, a->x_like, a->x.at, NULL, a->hx.at, a->y_like, a->y.at, a->weight_bytes, dw.at,
                                          a->work_bytes, a->work, a->kept_bytes, a->kept),
              "%s gradients of weights", a->s->name);
    differ(a, "x", &a->x, &dx, &dy, &dhy, &dcy);
    differ(a, "weights", &a->w, &dw, &dy, &dhy, &dcy);
    differ(a, "h", &a->hx, &dhx, &dy, &dhy, &dcy);
    if (a->s->mode == LSTM) differ(a, "c", &a->cx, &dcx, &dy, &dhy, &dcy);
    drop(&dy), drop(&dhy), drop(&dcy), drop(&dx), drop(&dhx), drop(&dcx), drop(&dw);
}
static void run(handle_t h, const struct shape *s) {
    struct net a = {.s = s, .h = h};
    const double fill = 3;
    const int wide = s->projection * s->directions, pseudo = s->layers * s->directions;
    cudnnCreateRNNDescriptor(&a.rnn), cudnnCreateRNNDataDescriptor(&a.x_like), cudnnCreateRNNDataDescriptor(&a.y_like);
    cudnnCreateDropoutDescriptor(&a.dropout), cudnnDropoutGetStatesSize(h, &a.state_bytes);
    cuMemAlloc(&a.states, a.state_bytes);
    CHECK(!cudnnSetDropoutDescriptor(a.dropout, h, s->dropout, s->dropout > 0 ? a.states : 0, a.state_bytes, 7), "dropout");
    CHECK(!cudnnSetRNNDescriptor_v8(a.rnn, 0, s->mode, s->bias, s->directions - 1, 0, 1, 1, 0, INPUT, HIDDEN, s->projection, s->layers, a.dropout, 0),
          "a network");
    CHECK(!cudnnSetRNNDataDescriptor(a.x_like, 1, s->layout, STEPS, BATCH, INPUT, s->lengths, &fill) &&
              !cudnnSetRNNDataDescriptor(a.y_like, 1, s->layout, STEPS, BATCH, wide, s->lengths, &fill),
          "sequences");
    cudnnGetRNNWeightSpaceSize(h, a.rnn, &a.weight_bytes);
    size_t inference = 0;
    cudnnGetRNNTempSpaceSizes(h, a.rnn, 0, a.x_like, &inference, NULL);
    cudnnGetRNNTempSpaceSizes(h, a.rnn, 1, a.x_like, &a.work_bytes, &a.kept_bytes);
    if (inference > a.work_bytes) a.work_bytes = inference;
    cuMemAlloc(&a.work, a.work_bytes), cuMemAlloc(&a.kept, a.kept_bytes);
    a.w = make((int)(a.weight_bytes / 8)), a.x = make(rows_of(s) * INPUT), a.y = make(rows_of(s) * wide);
    a.hx = make(pseudo * BATCH * s->projection), a.hy = make(a.hx.n), a.cx = make(pseudo * BATCH * HIDDEN), a.cy = make(a.cx.n);
    double *const y = malloc((size_t)a.y.n * 8), *const hy = malloc((size_t)a.hy.n * 8), *const cy = malloc((size_t)a.cy.n * 8);
    for (int i = 0; i < a.y.n; i++) y[i] = fill;
    compute(&a, y, hy, cy);
    forward(&a, 0);
    compare(s->name, "y", &a.y, y), compare(s->name, "last h", &a.hy, hy);
    if (s->mode == LSTM) compare(s->name, "last c", &a.cy, cy);
    gradients(&a);
    free(y), free(hy), free(cy);
    drop(&a.w), drop(&a.x), drop(&a.y), drop(&a.hx), drop(&a.hy), drop(&a.cx), drop(&a.cy);
    cuMemFree(a.states), cuMemFree(a.work), cuMemFree(a.kept);
    cudnnDestroyRNNDescriptor(a.rnn), cudnnDestroyRNNDataDescriptor(a.x_like), cudnnDestroyRNNDataDescriptor(a.y_like);
    cudnnDestroyDropoutDescriptor(a.dropout);
}

// ---- dropout of its own: a quarter goes, the rest grows, the gradient has the same places --------------------------
static void drop_out(handle_t h) {
    enum { N = 4000 };
    struct numbers x = make(N), y = make(N), dx = make(N);
    desc_t d, t;
    size_t bytes, mask_bytes;
    CUdeviceptr states, mask;
    cudnnCreateDropoutDescriptor(&d), cudnnCreateTensorDescriptor(&t), cudnnDropoutGetStatesSize(h, &bytes);
    cuMemAlloc(&states, bytes);
    cudnnSetTensorNdDescriptorEx(t, 0, 1, 2, (const int[]){N / 10, 10});
    cudnnSetDropoutDescriptor(d, h, 0.25f, states, bytes, 5);
    cudnnDropoutGetReserveSpaceSize(t, &mask_bytes);
    cuMemAlloc(&mask, mask_bytes);
    uint64_t same[2] = {0};
    for (int visit = 0; visit < 2; visit++) {
        for (int i = 0; i < N; i++) x.v[i] = 1 + i;
        send(&x);
        CHECK(!cudnnDropoutForward(h, d, t, x.at, t, y.at, mask, mask_bytes) && !cudnnDropoutBackward(h, d, t, y.at, t, dx.at, mask, mask_bytes),
              "dropout");
        fetch(&y), fetch(&dx);
        int gone = 0, wrong = 0;
        for (int i = 0; i < N; i++) {
            gone += y.v[i] == 0;
            wrong += y.v[i] != 0 && fabs(y.v[i] - x.v[i] / 0.75) > 1e-9 * x.v[i];
            wrong += fabs(dx.v[i] - y.v[i] / 0.75) > 1e-9 * x.v[i];
            if (i < 64) same[visit] |= (uint64_t)(y.v[i] == 0) << i;
        }
        CHECK(gone > 890 && gone < 1110 && !wrong, "%d of %d gone, %d wrong", gone, N, wrong); // four standard deviations
    }
    CHECK(same[0] != same[1], "a second call draws anew");
    cuMemFree(states), cuMemFree(mask);
    cudnnDestroyDropoutDescriptor(d), cudnnDestroyTensorDescriptor(t);
    drop(&x), drop(&y), drop(&dx);
}

// ---- connectionist temporal classification, against the sum over every path -----------------------------------------
enum { CTC_STEPS = 5, CTC_BATCH = 3, CTC_CLASSES = 3 };
static double ctc_cost(const double *x, int member, int steps, const int *labels, int length) {
    double all = 0;
    int paths = 1;
    for (int t = 0; t < steps; t++) paths *= CTC_CLASSES;
    for (int path = 0; path < paths; path++) {
        double p = 1;
        int rest = path, last = 0, found = 0;
        bool fits = true;
        for (int t = 0; t < steps; t++) {
            const int k = rest % CTC_CLASSES;
            const double *const row = x + (t * CTC_BATCH + member) * CTC_CLASSES;
            double sum = 0;
            for (int i = 0; i < CTC_CLASSES; i++) sum += exp(row[i]);
            p *= exp(row[k]) / sum;
            if (k && k != last) {
                fits = fits && found < length && labels[found] == k;
                found++;
            }
            last = k;
            rest /= CTC_CLASSES;
        }
        if (fits && found == length) all += p;
    }
    return -log(all);
}
static void ctc(handle_t h) {
    enum { ALL = CTC_STEPS * CTC_BATCH * CTC_CLASSES };
    static const int labels[] = {1, 1, 2}, label_lengths[CTC_BATCH] = {2, 0, 1}, input_lengths[CTC_BATCH] = {5, 3, 4};
    double x[ALL];
    float sent[ALL], costs[CTC_BATCH], d[ALL];
    for (int i = 0; i < ALL; i++) x[i] = sent[i] = (float)number();
    desc_t c, t;
    CUdeviceptr x_at, costs_at, d_at, work, numbers;
    size_t bytes = 0, bytes_8 = 0;
    cudnnCreateCTCLossDescriptor(&c), cudnnCreateTensorDescriptor(&t);
    cudnnSetTensorNdDescriptorEx(t, 0, 0, 3, (const int[]){CTC_STEPS, CTC_BATCH, CTC_CLASSES});
    CHECK(!cudnnSetCTCLossDescriptor_v9(c, 0, 1, 0, 4), "a loss");
    CHECK(!cudnnGetCTCLossWorkspaceSize(h, t, t, labels, label_lengths, input_lengths, 0, c, &bytes), "its work area");
    CHECK(!cudnnGetCTCLossWorkspaceSize_v8(h, 0, c, t, t, &bytes_8), "its work area");
    cuMemAlloc(&x_at, sizeof sent), cuMemAlloc(&costs_at, sizeof costs), cuMemAlloc(&d_at, sizeof d), cuMemAlloc(&numbers, 64);
    cuMemAlloc(&work, bytes > bytes_8 ? bytes : bytes_8);
    cuMemcpyHtoD(x_at, sent, sizeof sent);
    cuMemcpyHtoD(numbers, labels, 12), cuMemcpyHtoD(numbers + 16, label_lengths, 12), cuMemcpyHtoD(numbers + 32, input_lengths, 12);
    for (int on_device = 0; on_device < 2; on_device++) {
        cuMemsetD8(costs_at, 0, sizeof costs), cuMemsetD8(d_at, 0, sizeof d);
        CHECK(!(on_device ? cudnnCTCLoss_v8(h, 0, c, t, x_at, numbers, numbers + 16, numbers + 32, costs_at, t, d_at, bytes_8, work)
                          : cudnnCTCLoss(h, t, x_at, labels, label_lengths, input_lengths, costs_at, t, d_at, 0, c, work, bytes)),
              "a loss");
        cuMemcpyDtoH(costs, costs_at, sizeof costs), cuMemcpyDtoH(d, d_at, sizeof d);
        const int *l = labels;
        for (int n = 0; n < CTC_BATCH; l += label_lengths[n++]) {
            const double cost = ctc_cost(x, n, input_lengths[n], l, label_lengths[n]);
            CHECK(fabs(costs[n] - cost) < 1e-5 * (1 + cost), "the cost of member %d: %g, not %g", n, (double)costs[n], cost);
            for (int i = 0; i < CTC_STEPS * CTC_CLASSES; i++) {
                const int at = (i / CTC_CLASSES * CTC_BATCH + n) * CTC_CLASSES + i % CTC_CLASSES;
                const double was = x[at];
                x[at] = was + 1e-5;
                double slope = ctc_cost(x, n, input_lengths[n], l, label_lengths[n]);
                x[at] = was - 1e-5;
                slope = (slope - ctc_cost(x, n, input_lengths[n], l, label_lengths[n])) / 2e-5;
                x[at] = was;
                CHECK(fabs(d[at] - slope) < 1e-5, "its gradient at %d: %g, not %g", at, (double)d[at], slope);
            }
        }
    }
    cuMemFree(x_at), cuMemFree(costs_at), cuMemFree(d_at), cuMemFree(work), cuMemFree(numbers);
    cudnnDestroyCTCLossDescriptor(c), cudnnDestroyTensorDescriptor(t);
}

int main(void) {
    CUcontext context;
    CUdevice device;
    handle_t h;
    cuInit(0), cuDeviceGet(&device, 0), cuCtxCreate(&context, 0, device);
    CHECK(!cudnnCreate(&h), "a handle");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) run(h, &shapes[i]);
    drop_out(h);
    ctc(h);
    CHECK(!cudnnDestroy(h), "the end of a handle");
    if (!failed) puts("ok");
    return failed != 0;
}
