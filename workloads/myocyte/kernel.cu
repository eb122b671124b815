// myocyte: the derivatives of 91 coupled equations of a heart muscle cell, and a solver for them.
//
// Numbers 0 to 45 are the electrophysiology of T. Shannon and others (2004): gates of the
// membrane's channels, release from the store, buffers, concentrations, voltage, and six integrals
// of what flowed. 46 to 90 are calmodulin, its kinase and its phosphatase in three compartments,
// fifteen each, after J. Saucerman and D. Bers (2008). State is in float; constants are double as
// written, so that much of the arithmetic is, and much is conversion.
//
// evaluate: block 0 works out the first part, block 1 the second three times over; of either
// block's 32 threads one works. solve: one thread has a cell and integrates it by Fehlberg's method
// of order 7 with the error of order 8, at a fixed step; its arrays lie 91 numbers apart from the
// neighbour's.
#include "device.h"

#define EQUATIONS 91
#define ECC       46
#define CAM       15
#define STAGES    13

// Indices of the first part.
enum {
    GATE_M,
    GATE_H,
    GATE_J,
    GATE_D,
    GATE_F,
    CA_J,
    CA_SL,
    GATE_XTOS,
    GATE_YTOS,
    GATE_XTOF,
    GATE_YTOF,
    GATE_XKR,
    GATE_XKS,
    RYR_R,
    RYR_O,
    RYR_I,
    NAB_J,
    NAB_SL,
    TN_LOW,
    TN_HIGH,
    TN_HIGH_MG,
    CALM,
    MYO_CA,
    MYO_MG,
    SR_B,
    SLL_J,
    SLL_SL,
    SLH_J,
    SLH_SL,
    CSQN,
    CA_SR,
    NA_J,
    NA_SL,
    NA_I,
    K_I,
    CAJ,
    CASL,
    CAI,
    VOLT,
    GATE_RTOS,
    INTEGRALS
};
// Parameters of a cell.
enum { CYCLE, STIMULUS, LENGTH, SODIUM, POTASSIUM, CALCIUM, PARAMETERS };

// e^x in double: n ln 2 off, then the series up to 13 terms, good to a few units of 2^-53.
DEVICE_FN double exp_of(double x) {
    const double bounded = x < -708.0 ? -708.0 : x > 708.0 ? 708.0 : x;
    const double n = __builtin_rint(bounded * 1.4426950408889634);
    const double r = fma(n, -1.9082149292705877e-10, fma(n, -0.69314718036912382, bounded));
    double p = 1.0 / 6227020800.0;
    p = fma(p, r, 1.0 / 479001600.0);
    p = fma(p, r, 1.0 / 39916800.0);
    p = fma(p, r, 1.0 / 3628800.0);
    p = fma(p, r, 1.0 / 362880.0);
    p = fma(p, r, 1.0 / 40320.0);
    p = fma(p, r, 1.0 / 5040.0);
    p = fma(p, r, 1.0 / 720.0);
    p = fma(p, r, 1.0 / 120.0);
    p = fma(p, r, 1.0 / 24.0);
    p = fma(p, r, 1.0 / 6.0);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    p = fma(p, r, 1.0);
    const int64_t bits = (int64_t)((int)n + 1023) << 52;
    return p * __builtin_bit_cast(double, bits);
}

// ln x for normal x > 0: x = 2^e m, ln m = 2 (s + s^3 / 3 + ...) with s = (m - 1) / (m + 1).
DEVICE_FN double log_of(double x) {
    const int64_t bits = __builtin_bit_cast(int64_t, x);
    const int high = (int)(bits >> 32) - 0x3fe6a09e; // m from sqrt(1/2) to sqrt(2)
    const int e = high >> 20;
    const double m = __builtin_bit_cast(double, bits - (int64_t)((uint64_t)(int64_t)e << 52));
    const double s = (m - 1.0) / (m + 1.0), t = s * s;
    double p = 1.0 / 21.0;
    p = fma(p, t, 1.0 / 19.0);
    p = fma(p, t, 1.0 / 17.0);
    p = fma(p, t, 1.0 / 15.0);
    p = fma(p, t, 1.0 / 13.0);
    p = fma(p, t, 1.0 / 11.0);
    p = fma(p, t, 1.0 / 9.0);
    p = fma(p, t, 1.0 / 7.0);
    p = fma(p, t, 1.0 / 5.0);
    p = fma(p, t, 1.0 / 3.0);
    return fma((double)e, 0.69314718055994531, 2.0 * fma(p * t, s, s));
}

// Called, not inlined: there are many.
static __device__ __attribute__((noinline)) double pow_of(double x, double y) {
    return exp_of(y * log_of(x));
}

DEVICE_FN float e_to(double x) { return expf((float)x); }

// What is left of the time after whole cycles.
DEVICE_FN float since_start(float time, float cycle) {
    while (time >= cycle) time -= cycle;
    return time;
}

// ------------------------------------------------------------------------ electrophysiology

#define FRT     (96485.0 / 8314.0 / 310.0) // 1/mV
#define KO      5.4                        // mM outside
#define NAO     140.0
#define CAO     1.8
#define V_CELL  (3.14159265358979 * 10.25 * 10.25 * 100.0 * 1e-15) // litres
#define V_MYO   (0.65 * V_CELL)
#define V_SR    (0.035 * V_CELL)
#define V_SL    (0.02 * V_CELL)
#define V_JUNC  (0.0539 * 0.01 * V_CELL)
#define C_MEM   1.381e-10 // farad
#define FARADAY 96485.0

// Currents of one part of the membrane, in A/F, that facing the junction or the rest.
struct currents {
    double sodium, exchange, pump, calcium, ca_channel, na_channel, k_channel, na_k, ks, chloride;
};
DEVICE_FN currents membrane(const float *y, const float *p, float na, float ca, float inactive,
                            double part, double part_cal) {
    currents c;
    const float v = y[VOLT];
    const double x = v * FRT;
    const float e_na = (float)(log_of(NAO / na) / FRT),
                e_ca = (float)(log_of(CAO / ca) / FRT / 2.0);
    const float e_ks = (float)(log_of((KO + 0.01833 * NAO) / (y[K_I] + 0.01833 * y[NA_I])) / FRT);

    const float open = y[GATE_M] * y[GATE_M] * y[GATE_M] * y[GATE_H] * y[GATE_J];
    c.sodium = part * (p[SODIUM] * open + 0.297e-3) * (v - e_na);

    const double sigma = (exp_of(NAO / 67.3) - 1.0) / 7.0;
    const double f_nak = 1.0 / (1.0 + 0.1245 * e_to(-0.1 * x) + 0.0365 * sigma * e_to(-x));
    c.na_k = part * 1.90719 * f_nak * KO / (1.0 + pow_of(11.0 / na, 4.0)) / (KO + 1.5);

    const double pca = 3.0 - log_of(ca) / 2.302585092994046;
    const double g_ks = 0.07 * (0.057 + 0.19 / (1.0 + e_to((-7.2 + pca) / 0.6)));
    c.ks = part * g_ks * y[GATE_XKS] * y[GATE_XKS] * (v - e_ks);
    c.chloride = part * 0.109625 / (1.0 + 0.1 / ca);

    // The L-type channel lets three ions through; Goldman's equation each.
    const float once = e_to(x), twice = e_to(2.0 * x);
    const double gate = part_cal * y[GATE_D] * y[GATE_F] * (1.0 - inactive) * 0.45;
    c.ca_channel = gate * p[CALCIUM] * 4.0 * (v * FARADAY * FRT) *
                   (0.341 * ca * twice - 0.341 * CAO) / (twice - 1.0);
    c.na_channel =
        gate * 1.5e-8 * (v * FARADAY * FRT) * (0.75 * na * once - 0.75 * NAO) / (once - 1.0);
    c.k_channel =
        gate * 2.7e-7 * (v * FARADAY * FRT) * (0.75 * y[K_I] * once - 0.75 * KO) / (once - 1.0);

    const double ka = 1.0 / (1.0 + pow_of(0.256e-3 / ca, 3.0));
    const double na3 = pow_of(na, 3.0), nao3 = NAO * NAO * NAO;
    const double s1 = e_to(0.35 * x) * na3 * CAO, s2 = e_to(-0.65 * x) * nao3 * ca;
    const double s3 = 3.59e-3 * nao3 * (1.0 + pow_of(na / 12.29, 3.0)) +
                      87.5 * 87.5 * 87.5 * ca * (1.0 + ca / 3.59e-3) + 1.3 * na3 + na3 * CAO +
                      nao3 * ca;
    c.exchange = part * 9.0 * ka * (s1 - s2) / s3 / (1.0 + 0.27 * e_to(-0.65 * x));

    const double ca16 = pow_of(ca, 1.6);
    c.pump = part * 0.0673 * ca16 / (pow_of(0.5e-3, 1.6) + ca16);
    c.calcium = part * 2.513e-4 * (v - e_ca);
    return c;
}

DEVICE_FN void gates(const float *y, float *dy) {
    const float v = y[VOLT];
    const double am = 0.32 * (v + 47.13) / (1.0 - e_to(-0.1 * (v + 47.13)));
    const double bm = 0.08 * e_to(-v / 11.0);
    double ah, aj, bh, bj;
    if (v >= -40.0f) {
        ah = 0.0;
        aj = 0.0;
        bh = 1.0 / (0.13 * (1.0 + e_to(-(v + 10.66) / 11.1)));
        bj = 0.3 * e_to(-2.535e-7 * v) / (1.0 + e_to(-0.1 * (v + 32.0)));
    } else {
        ah = 0.135 * e_to((80.0 + v) / -6.8);
        bh = 3.56 * e_to(0.079 * v) + 3.1e5 * e_to(0.35 * v);
        aj = (-1.2714e5 * e_to(0.2444 * v) - 3.474e-5 * e_to(-0.04391 * v)) * (v + 37.78) /
             (1.0 + e_to(0.311 * (v + 79.23)));
        bj = 0.1212 * e_to(-0.01052 * v) / (1.0 + e_to(-0.1378 * (v + 40.14)));
    }
    dy[GATE_M] = (float)(am * (1.0 - y[GATE_M]) - bm * y[GATE_M]);
    dy[GATE_H] = (float)(ah * (1.0 - y[GATE_H]) - bh * y[GATE_H]);
    dy[GATE_J] = (float)(aj * (1.0 - y[GATE_J]) - bj * y[GATE_J]);

    const double d_inf = 1.0 / (1.0 + e_to(-(v + 14.5) / 6.0));
    const double tau_d = d_inf * (1.0 - e_to(-(v + 14.5) / 6.0)) / (0.035 * (v + 14.5));
    const double f_inf =
        1.0 / (1.0 + e_to((v + 35.06) / 3.6)) + 0.6 / (1.0 + e_to((50.0 - v) / 20.0));
    const double bell = 0.0337 * (v + 14.5);
    const double tau_f = 1.0 / (0.0197 * e_to(-bell * bell) + 0.02);
    dy[GATE_D] = (float)((d_inf - y[GATE_D]) / tau_d);
    dy[GATE_F] = (float)((f_inf - y[GATE_F]) / tau_f);
    dy[CA_J] = (float)(1.7 * y[CAJ] * (1.0 - y[CA_J]) - 11.9e-3 * y[CA_J]);
    dy[CA_SL] = (float)(1.7 * y[CASL] * (1.0 - y[CA_SL]) - 11.9e-3 * y[CA_SL]);

    const double x_to = 1.0 / (1.0 + e_to(-(v + 3.0) / 15.0));
    const double y_to = 1.0 / (1.0 + e_to((v + 33.5) / 10.0));
    const double slow = 1.0 + e_to((v + 60.0) / 10.0);
    dy[GATE_XTOS] = (float)((x_to - y[GATE_XTOS]) / (9.0 / (1.0 + e_to((v + 3.0) / 15.0)) + 0.5));
    dy[GATE_YTOS] = (float)((y_to - y[GATE_YTOS]) / (3000.0 / slow + 30.0));
    dy[GATE_RTOS] = (float)((y_to - y[GATE_RTOS]) / (2800.0 / slow + 220.0));
    dy[GATE_XTOF] = (float)((x_to - y[GATE_XTOF]) / (3.5 * e_to(-v * v / 900.0) + 1.5));
    dy[GATE_YTOF] = (float)((y_to - y[GATE_YTOF]) / (20.0 * y_to + 20.0));

    const double xr_inf = 1.0 / (1.0 + e_to(-(v + 50.0) / 7.5));
    const double tau_xr = 1.0 / (1.38e-3 * (v + 7.0) / (1.0 - e_to(-0.123 * (v + 7.0))) +
                                 6.1e-4 * (v + 10.0) / (e_to(0.145 * (v + 10.0)) - 1.0));
    const double xs_inf = 1.0 / (1.0 + e_to(-(v - 1.5) / 16.7));
    const double tau_xs = 1.0 / (7.19e-5 * (v + 30.0) / (1.0 - e_to(-0.148 * (v + 30.0))) +
                                 1.31e-4 * (v + 30.0) / (e_to(0.0687 * (v + 30.0)) - 1.0));
    dy[GATE_XKR] = (float)((xr_inf - y[GATE_XKR]) / tau_xr);
    dy[GATE_XKS] = (float)((xs_inf - y[GATE_XKS]) / tau_xs);
}

// Binding to a buffer: what goes on, less what comes off.
DEVICE_FN double binds(double on, double off, float free, double most, double bound, float held) {
    return on * free * (most - bound) - off * held;
}

DEVICE_FN void electrophysiology(float time, const float *y, float *dy, const float *p) {
    const float v = y[VOLT];
    const float e_k = (float)(log_of(KO / y[K_I]) / FRT),
                e_cl = (float)(log_of(15.0 / 150.0) / FRT);
    gates(y, dy);
    const currents j = membrane(y, p, y[NA_J], y[CAJ], y[CA_J], 0.11, 0.9);
    const currents s = membrane(y, p, y[NA_SL], y[CASL], y[CA_SL], 0.89, 0.1);

    // Potassium.
    const double r_kr = 1.0 / (1.0 + e_to((v + 33.0) / 22.4));
    const double i_kr = 0.03 * y[GATE_XKR] * r_kr * (v - e_k);
    const double i_kp = 0.001 / (1.0 + e_to(7.488 - v / 5.98)) * (v - e_k);
    const double i_to = (p[POTASSIUM] * y[GATE_XTOS] * (y[GATE_YTOS] + 0.5 * y[GATE_RTOS]) +
                         0.02 * y[GATE_XTOF] * y[GATE_YTOF]) *
                        (v - e_k);
    const double a_ki = 1.02 / (1.0 + e_to(0.2385 * (v - e_k - 59.215)));
    const double b_ki =
        (0.49124 * e_to(0.08032 * (v + 5.476 - e_k)) + e_to(0.06175 * (v - e_k - 594.31))) /
        (1.0 + e_to(-0.5143 * (v - e_k + 4.753)));
    const double i_ki = 0.9 * a_ki / (a_ki + b_ki) * (v - e_k);
    const double i_k = i_to + i_kr + j.ks + s.ks + i_ki - 2.0 * (j.na_k + s.na_k) + j.k_channel +
                       s.k_channel + i_kp;
    const double i_cl = (j.chloride + s.chloride + 9e-3) * (v - e_cl);
    const double i_na_j = j.sodium + 3.0 * j.exchange + 3.0 * j.na_k + j.na_channel;
    const double i_na_s = s.sodium + 3.0 * s.exchange + 3.0 * s.na_k + s.na_channel;
    const double i_ca_j = j.ca_channel + j.calcium + j.pump - 2.0 * j.exchange;
    const double i_ca_s = s.ca_channel + s.calcium + s.pump - 2.0 * s.exchange;

    // The store: channels that calcium opens and closes, uptake, leak.
    const double k_casr = 15.0 - 14.0 / (1.0 + pow_of(0.45 / y[CA_SR], 2.5));
    const double ko = 10.0 / k_casr, ki = 0.5 * k_casr;
    const double rest = 1.0 - y[RYR_R] - y[RYR_O] - y[RYR_I], ca2 = y[CAJ] * y[CAJ];
    dy[RYR_R] =
        (float)(0.005 * rest - ki * y[CAJ] * y[RYR_R] - (ko * ca2 * y[RYR_R] - 0.06 * y[RYR_O]));
    dy[RYR_O] = (float)(ko * ca2 * y[RYR_R] - 0.06 * y[RYR_O] -
                        (ki * y[CAJ] * y[RYR_O] - 0.005 * y[RYR_I]));
    dy[RYR_I] =
        (float)(ki * y[CAJ] * y[RYR_O] - 0.005 * y[RYR_I] - (0.06 * y[RYR_I] - ko * ca2 * rest));
    const double release = 25.0 * y[RYR_O] * (y[CA_SR] - y[CAJ]);
    const double in = pow_of(y[CAI] / 0.246e-3, 1.787), out = pow_of(y[CA_SR] / 1.7, 1.787);
    const double uptake = 5.3114e-3 * (in - out) / (1.0 + in + out);
    const double leak = 5.348e-6 * (y[CA_SR] - y[CAJ]);

    // Buffers.
    dy[NAB_J] = (float)binds(0.1e-3, 1e-3, y[NA_J], 7.561, y[NAB_J], y[NAB_J]);
    dy[NAB_SL] = (float)binds(0.1e-3, 1e-3, y[NA_SL], 1.65, y[NAB_SL], y[NAB_SL]);
    dy[TN_LOW] = (float)binds(32.7, 19.6e-3, y[CAI], 70e-3, y[TN_LOW], y[TN_LOW]);
    const double high = (double)y[TN_HIGH] + y[TN_HIGH_MG], myo = (double)y[MYO_CA] + y[MYO_MG];
    dy[TN_HIGH] = (float)binds(2.37, 0.032e-3, y[CAI], 140e-3, high, y[TN_HIGH]);
    dy[TN_HIGH_MG] = (float)binds(3e-3, 3.33e-3, 1.0f, 140e-3, high, y[TN_HIGH_MG]);
    dy[CALM] = (float)binds(34.0, 238e-3, y[CAI], 24e-3, y[CALM], y[CALM]);
    dy[MYO_CA] = (float)binds(13.8, 0.46e-3, y[CAI], 140e-3, myo, y[MYO_CA]);
    dy[MYO_MG] = (float)binds(0.0157, 0.057e-3, 1.0f, 140e-3, myo, y[MYO_MG]);
    dy[SR_B] = (float)binds(100.0, 60e-3, y[CAI], 17.1e-3, y[SR_B], y[SR_B]);
    dy[SLL_J] = (float)binds(100.0, 1.3, y[CAJ], 0.46e-3 * V_MYO / V_JUNC, y[SLL_J], y[SLL_J]);
    dy[SLL_SL] = (float)binds(100.0, 1.3, y[CASL], 37.4e-3 * V_MYO / V_SL, y[SLL_SL], y[SLL_SL]);
    dy[SLH_J] = (float)binds(100.0, 30e-3, y[CAJ], 0.165e-3 * V_MYO / V_JUNC, y[SLH_J], y[SLH_J]);
    dy[SLH_SL] = (float)binds(100.0, 30e-3, y[CASL], 13.4e-3 * V_MYO / V_SL, y[SLH_SL], y[SLH_SL]);
    dy[CSQN] = (float)binds(100.0, 65.0, y[CA_SR], 0.14 * V_MYO / V_SR, y[CSQN], y[CSQN]);

    // Concentrations: diffusion between neighbours, currents, buffers.
    const double per_j = C_MEM / (V_JUNC * FARADAY), per_s = C_MEM / (V_SL * FARADAY);
    const double na_js = (y[NA_J] - y[NA_SL]) * (1.0 / (1.6382e12 / 3.0 * 100.0));
    const double na_si = (y[NA_SL] - y[NA_I]) * (1.0 / (1.8308e10 / 3.0 * 100.0));
    dy[NA_J] = (float)(-i_na_j * per_j - na_js / V_JUNC - dy[NAB_J]);
    dy[NA_SL] = (float)(-i_na_s * per_s + (na_js - na_si) / V_SL - dy[NAB_SL]);
    dy[NA_I] = (float)(na_si / V_MYO);
    dy[K_I] = 0.0f; // held, as published
    const double ca_js = (y[CAJ] - y[CASL]) * (1.0 / 1.2134e12);
    const double ca_si = (y[CASL] - y[CAI]) * (1.0 / 2.6851e11);
    const double bound = (double)dy[TN_LOW] + dy[TN_HIGH] + dy[CALM] + dy[MYO_CA] + dy[SR_B];
    dy[CAJ] = (float)(-0.5 * i_ca_j * per_j - ca_js / V_JUNC - ((double)dy[SLL_J] + dy[SLH_J]) +
                      release * V_SR / V_JUNC + leak * V_MYO / V_JUNC);
    dy[CASL] =
        (float)(-0.5 * i_ca_s * per_s + (ca_js - ca_si) / V_SL - ((double)dy[SLL_SL] + dy[SLH_SL]));
    dy[CAI] = (float)(-uptake * V_SR / V_MYO - bound + ca_si / V_MYO);
    dy[CA_SR] = (float)(uptake - (leak * V_MYO / V_SR + release) - dy[CSQN]);

    const float stimulus = since_start(time, p[CYCLE]) < p[LENGTH] ? p[STIMULUS] : 0.0f;
    dy[VOLT] = (float)(stimulus - (i_na_j + i_na_s + i_cl + i_ca_j + i_ca_s + i_k));
    dy[INTEGRALS] = (float)(j.ca_channel + s.ca_channel);
    dy[INTEGRALS + 1] = (float)(j.exchange + s.exchange);
    dy[INTEGRALS + 2] = (float)release;
    dy[INTEGRALS + 3] = (float)uptake;
    dy[INTEGRALS + 4] = (float)(j.pump + s.pump);
    dy[INTEGRALS + 5] = (float)leak;
}

// ------------------------------------------------------------------------------- calmodulin

// Totals of a compartment, in uM.
struct totals {
    double buffers, kinase, phosphatase, pp1;
};

// Fifteen derivatives, per ms, of concentrations in uM; rates are a second's. `ca` in uM.
DEVICE_FN void calmodulin(const float *y, float *dy, double ca, totals total) {
    const double k = 135.0, mg = 1.0, ca2 = ca * ca;
    const double kd02 = 0.0025 * (1.0 + k / 0.94 - mg / 0.012) * (1.0 + k / 8.1 + mg / 0.022);
    const double kd24 = 0.128 * (1.0 + k / 0.64 + mg / 0.0014) * (1.0 + k / 13.0 - mg / 0.153);
    const double k20 = 10.0, k02 = k20 / kd02, k42 = 500.0, k24 = k42 / kd24;
    const double off0b = 0.0014, on0b = off0b / 0.2, off2b = off0b / 100.0;
    const double kbi = 2.2, kib = kbi / 33.5e-3, kta = kbi / 1000.0;
    const double off_m4 = 1.3e-3, off_m2 = 2508.0 * off_m4, off_m0 = 165.0 * off_m2, on_m = 46.0;

    const float cam = y[0], cam2 = y[1], cam4 = y[2], b0 = y[3], b2 = y[4], b4 = y[5];
    const float pb2 = y[6], pb = y[7], pt = y[8], pt2 = y[9], pa = y[10];
    const float n4 = y[11], c0 = y[12], c2 = y[13], c4 = y[14];

    const double r02 = k02 * ca2 * cam - k20 * cam2, r24 = k24 * ca2 * cam2 - k42 * cam4;
    const double b = total.buffers - b0 - b2 - b4;
    const double r02b = k02 * ca2 * b0 - k20 / 100.0 * b2, r24b = k24 * ca2 * b2 - k42 * b4;
    const double r0b = on0b * cam * b - off0b * b0, r2b = on0b * cam2 * b - off2b * b2;
    const double r4b = on0b * cam4 * b - off2b * b4;

    const double n2 = total.phosphatase - n4 - c0 - c2 - c4;
    const double rn = 2.0 * ca2 * n2 - 1.0 * n4;
    const double r02n = k02 * ca2 * c0 - k20 / 165.0 * c2,
                 r24n = k24 * ca2 * c2 - k20 / 2508.0 * c4;
    const double r0n = on_m * cam * n4 - off_m0 * c0, r2n = on_m * cam2 * n4 - off_m2 * c2;
    const double r4n = on_m * cam4 * n4 - off_m4 * c4;

    const double pi = 1.0 - pb2 - pb - pt - pt2 - pa, active = (double)pb + pt + pt2 + pa;
    const double kbt = 0.055 * active + 0.0074 * active * active + 0.015 * pow_of(active, 3.0);
    const double q = 1.72 * total.pp1;
    const double rib2 = kib * cam2 * pi - 5.0 * kib * pb2;
    const double rb2b = k24 * ca2 * pb2 - k42 * 33.5e-3 / 5.0 * pb;
    const double rib = kib * cam4 * pi - kbi * pb;
    const double rbt = kbt * pb - q * pt / (11.5 + total.kinase * pt);
    const double rtt2 = k42 * 33.5e-6 / 5.0 * pt - k24 * ca2 * pt2;
    const double rta = kta * pt - kib * cam4 * pa;
    const double rt2a = 5.0 * kib * pt2 - kib * cam2 * pa;
    const double rt2b2 = q * pt2 / (11.5 + total.kinase * pt2);
    const double rai = q * pa / (11.5 + total.kinase * pa);

    dy[0] = (float)(1e-3 * (-r02 - r0b - r0n));
    dy[1] = (float)(1e-3 * (r02 - r24 - r2b - r2n + total.kinase * (-rib2 + rt2a)));
    dy[2] = (float)(1e-3 * (r24 - r4b - r4n + total.kinase * (-rib + rta)));
    dy[3] = (float)(1e-3 * (r0b - r02b));
    dy[4] = (float)(1e-3 * (r02b + r2b - r24b));
    dy[5] = (float)(1e-3 * (r24b + r4b));
    dy[6] = (float)(1e-3 * (rib2 - rb2b + rt2b2));
    dy[7] = (float)(1e-3 * (rib + rb2b - rbt));
    dy[8] = (float)(1e-3 * (rbt - rta - rtt2));
    dy[9] = (float)(1e-3 * (rtt2 - rt2a - rt2b2));
    dy[10] = (float)(1e-3 * (rta + rt2a - rai));
    dy[11] = (float)(1e-3 * (rn - r0n - r2n - r4n));
    dy[12] = (float)(1e-3 * (r0n - r02n));
    dy[13] = (float)(1e-3 * (r2n + r02n - r24n));
    dy[14] = (float)(1e-3 * (r4n + r24n));
}

// The three compartments; `y` and `dy` are of all equations.
DEVICE_FN void compartments(const float *y, float *dy) {
    calmodulin(y + ECC, dy + ECC, 1e3 * y[CAJ], totals{0.0, 120.0, 3.61751, 96.5});
    calmodulin(y + ECC + CAM, dy + ECC + CAM, 1e3 * y[CASL], totals{24.2, 0.0995, 3e-3, 0.57});
    calmodulin(y + ECC + 2 * CAM, dy + ECC + 2 * CAM, 1e3 * y[CAI],
               totals{24.2, 0.0995, 3e-3, 0.57});
}

// Calcium that a compartment's calmodulin takes up, mM/ms: what each state has bound, times its
// derivative.
DEVICE_FN float taken(const float *dy, float kinase) {
    return 1e-3f * (2.0f * dy[1] + 4.0f * dy[2] + 2.0f * dy[4] + 4.0f * dy[5] +
                    kinase * (2.0f * dy[6] + 4.0f * dy[7] + 4.0f * dy[8] + 2.0f * dy[9]) +
                    2.0f * dy[11] + 2.0f * dy[12] + 4.0f * dy[13] + 6.0f * dy[14]);
}

extern "C" __global__ void evaluate(float time, const float *y, float *dy,
                                    const float *parameters) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0)
        electrophysiology(time, y, dy, parameters);
    else
        compartments(y, dy);
}

// ------------------------------------------------------------------------------------ solver

CONSTANT(float, nodes[STAGES]);
CONSTANT(float, coefficients[STAGES * STAGES]); // row s: parts of the stages before s

// `work` is (STAGES + 1) times 91 numbers a cell. After each step `errors` has the greatest
// estimate of an error so far, as a part of the number's size.
extern "C" __global__ void solve(int cells, int steps, float step, float *states, float *work,
                                 const float *parameters, float *errors) {
    const int cell = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (cell >= cells) return;
    float *y = states + cell * EQUATIONS, *at = work + cell * (STAGES + 1) * EQUATIONS;
    float *k = at + EQUATIONS;
    const float *p = parameters + cell * PARAMETERS;
    float worst = 0.0f;
#pragma unroll 1
    for (int n = 0; n < steps; n++) {
#pragma unroll 1
        for (int s = 0; s < STAGES; s++) {
#pragma unroll 1
            for (int i = 0; i < EQUATIONS; i++) {
                float sum = 0.0f;
#pragma unroll 1
                for (int q = 0; q < s; q++)
                    sum += coefficients[s * STAGES + q] * k[q * EQUATIONS + i];
                at[i] = y[i] + step * sum;
            }
            electrophysiology(((float)n + nodes[s]) * step, at, k + s * EQUATIONS, p);
            float *dy = k + s * EQUATIONS;
            compartments(at, dy);
            dy[CAJ] -= taken(dy + ECC, 120.0f);
            dy[CASL] -= taken(dy + ECC + CAM, 0.0995f);
            dy[CAI] -= taken(dy + ECC + 2 * CAM, 0.0995f);
        }
#pragma unroll 1
        for (int i = 0; i < EQUATIONS; i++) {
            const float k0 = k[i], k5 = k[5 * EQUATIONS + i], k6 = k[6 * EQUATIONS + i];
            const float k7 = k[7 * EQUATIONS + i], k8 = k[8 * EQUATIONS + i];
            const float k9 = k[9 * EQUATIONS + i], k10 = k[10 * EQUATIONS + i];
            const float k11 = k[11 * EQUATIONS + i], k12 = k[12 * EQUATIONS + i];
            y[i] += step * (41.0f / 840.0f * (k0 + k10) + 34.0f / 105.0f * k5 +
                            9.0f / 35.0f * (k6 + k7) + 9.0f / 280.0f * (k8 + k9));
            const float error = step * 41.0f / 840.0f * fabsf(k0 + k10 - k11 - k12);
            worst = fmaxf(worst, error / (fabsf(y[i]) + 1e-3f));
        }
    }
    errors[cell] = worst;
}
