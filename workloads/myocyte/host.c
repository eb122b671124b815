// myocyte, host: Fehlberg's method, thirteen launches a step, each with its copies there and back,
// or all of it in one launch for many cells.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum {
    EQUATIONS = 91,
    ECC = 46,
    CAM = 15,
    STAGES = 13,
    PARAMETERS = 6,
    THREADS = 32,
    ATTEMPTS = 12,
    CAJ = 35,
    TRACE = 1024 // steps at most
};

static const struct host_param params[] = {
    {"MODE", 0, 1, "0: a launch for each evaluation; 1: the solver in one launch"},
    {"CELLS", 1, 1 << 16, "of mode 1"},
    {"STEPS", 1, TRACE, "of a hundredth of a millisecond"},
};
static const struct host_program program = {"myocyte", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// E. Fehlberg, NASA TR R-287 (1968), table X: the method of order 7 (8).
static const double node[STAGES] = {0,       2 / 27.0, 1 / 9.0, 1 / 6.0, 5 / 12.0, 0.5, 5 / 6.0,
                                    1 / 6.0, 2 / 3.0,  1 / 3.0, 1,       0,        1};
static const double part[STAGES][STAGES] = {
    {0},
    {2 / 27.0},
    {1 / 36.0, 1 / 12.0},
    {1 / 24.0, 0, 1 / 8.0},
    {5 / 12.0, 0, -25 / 16.0, 25 / 16.0},
    {1 / 20.0, 0, 0, 1 / 4.0, 1 / 5.0},
    {-25 / 108.0, 0, 0, 125 / 108.0, -65 / 27.0, 125 / 54.0},
    {31 / 300.0, 0, 0, 0, 61 / 225.0, -2 / 9.0, 13 / 900.0},
    {2, 0, 0, -53 / 6.0, 704 / 45.0, -107 / 9.0, 67 / 90.0, 3},
    {-91 / 108.0, 0, 0, 23 / 108.0, -976 / 135.0, 311 / 54.0, -19 / 60.0, 17 / 6.0, -1 / 12.0},
    {2383 / 4100.0, 0, 0, -341 / 164.0, 4496 / 1025.0, -301 / 82.0, 2133 / 4100.0, 45 / 82.0,
     45 / 164.0, 18 / 41.0},
    {3 / 205.0, 0, 0, 0, 0, -6 / 41.0, -3 / 205.0, -3 / 41.0, 3 / 41.0, 6 / 41.0},
    {-1777 / 4100.0, 0, 0, -341 / 164.0, 4496 / 1025.0, -289 / 82.0, 2193 / 4100.0, 51 / 82.0,
     33 / 164.0, 12 / 41.0, 0, 1}};
static const double weight[STAGES] = {
    41 / 840.0, 0, 0, 0, 0, 34 / 105.0, 9 / 35.0, 9 / 35.0, 9 / 280.0, 9 / 280.0, 41 / 840.0};

// ------------------------------------------------------------------------------- reference
//
// All in double, with the library's functions: gates from tables of steady states and times,
// parts of the membrane and buffers in loops, calmodulin as a list of reactions.

struct gate {
    int at;
    double steady, time;
};
struct buffer {
    int at, other; // other: shares its sites, or -1
    int ion;       // whose concentration, or -1: magnesium
    double on, off, most;
};

static double logistic(double x) { return 1 / (1 + exp(-x)); }

static void reference_membrane(double time, const double *y, const double *p, double *dy) {
    const double F = 96485, frt = F / 8314 / 310, v = y[38], vf = v * frt;
    const double ko = 5.4, nao = 140, cao = 1.8, pi = 3.14159265358979;
    const double cell = pi * 10.25 * 10.25 * 100 * 1e-15, myo = 0.65 * cell, sr = 0.035 * cell;
    const double volume[2] = {0.0539 * 0.01 * cell, 0.02 * cell}, share[2] = {0.11, 0.89};
    const double share_cal[2] = {0.9, 0.1};
    const double ek = log(ko / y[34]) / frt;

    // Opening and closing rates of the sodium channel as steady state and time.
    const double am = 0.32 * (v + 47.13) / -expm1(-0.1 * (v + 47.13)), bm = 0.08 * exp(-v / 11);
    double ah = 0, aj = 0, bh, bj;
    if (v < -40) {
        ah = 0.135 * exp(-(80 + v) / 6.8);
        bh = 3.56 * exp(0.079 * v) + 3.1e5 * exp(0.35 * v);
        aj = -(1.2714e5 * exp(0.2444 * v) + 3.474e-5 * exp(-0.04391 * v)) * (v + 37.78) *
             logistic(-0.311 * (v + 79.23));
        bj = 0.1212 * exp(-0.01052 * v) * logistic(0.1378 * (v + 40.14));
    } else {
        bh = logistic((v + 10.66) / 11.1) / 0.13;
        bj = 0.3 * exp(-2.535e-7 * v) * logistic(0.1 * (v + 32));
    }
    const double to = logistic((v + 3) / 15), yto = logistic(-(v + 33.5) / 10);
    const double slow = logistic(-(v + 60) / 10), dss = logistic((v + 14.5) / 6);
    const struct gate gates[] = {{0, am / (am + bm), 1 / (am + bm)},
                                 {1, ah / (ah + bh), 1 / (ah + bh)},
                                 {2, aj / (aj + bj), 1 / (aj + bj)},
                                 {3, dss, dss * -expm1(-(v + 14.5) / 6) / (0.035 * (v + 14.5))},
                                 {4, logistic(-(v + 35.06) / 3.6) + 0.6 * logistic((v - 50) / 20),
                                  1 / (0.0197 * exp(-pow(0.0337 * (v + 14.5), 2)) + 0.02)},
                                 {7, to, 9 * logistic(-(v + 3) / 15) + 0.5},
                                 {8, yto, 3000 * slow + 30},
                                 {9, to, 3.5 * exp(-v * v / 900) + 1.5},
                                 {10, yto, 20 * yto + 20},
                                 {11, logistic((v + 50) / 7.5),
                                  1 / (1.38e-3 * (v + 7) / -expm1(-0.123 * (v + 7)) +
                                       6.1e-4 * (v + 10) / expm1(0.145 * (v + 10)))},
                                 {12, logistic((v - 1.5) / 16.7),
                                  1 / (7.19e-5 * (v + 30) / -expm1(-0.148 * (v + 30)) +
                                       1.31e-4 * (v + 30) / expm1(0.0687 * (v + 30)))},
                                 {39, yto, 2800 * slow + 220}};
    for (size_t i = 0; i < HOST_COUNT(gates); i++)
        dy[gates[i].at] = (gates[i].steady - y[gates[i].at]) / gates[i].time;

    const struct buffer buffers[] = {{16, -1, 31, 0.1e-3, 1e-3, 7.561},
                                     {17, -1, 32, 0.1e-3, 1e-3, 1.65},
                                     {18, -1, 37, 32.7, 19.6e-3, 70e-3},
                                     {19, 20, 37, 2.37, 0.032e-3, 140e-3},
                                     {20, 19, -1, 3e-3, 3.33e-3, 140e-3},
                                     {21, -1, 37, 34, 238e-3, 24e-3},
                                     {22, 23, 37, 13.8, 0.46e-3, 140e-3},
                                     {23, 22, -1, 0.0157, 0.057e-3, 140e-3},
                                     {24, -1, 37, 100, 60e-3, 19 * 0.9e-3},
                                     {25, -1, 35, 100, 1.3, 0.46e-3 * myo / volume[0]},
                                     {26, -1, 36, 100, 1.3, 37.4e-3 * myo / volume[1]},
                                     {27, -1, 35, 100, 30e-3, 0.165e-3 * myo / volume[0]},
                                     {28, -1, 36, 100, 30e-3, 13.4e-3 * myo / volume[1]},
                                     {29, -1, 30, 100, 65, 0.14 * myo / sr}};
    double into[38] = {0}; // buffers, by ion
    for (size_t i = 0; i < HOST_COUNT(buffers); i++) {
        const struct buffer *b = &buffers[i];
        const double sites = b->most - y[b->at] - (b->other >= 0 ? y[b->other] : 0);
        dy[b->at] = b->on * (b->ion >= 0 ? y[b->ion] : 1) * sites - b->off * y[b->at];
        if (b->ion >= 0) into[b->ion] += dy[b->at];
    }

    double total = 0, na_in[2], ca_in[2], cal = 0, ncx = 0, pump = 0;
    for (int c = 0; c < 2; c++) {
        const double na = y[31 + c], ca = y[35 + c];
        const double ena = log(nao / na) / frt, eca = log(cao / ca) / frt / 2;
        const double eks = log((ko + 0.01833 * nao) / (y[34] + 0.01833 * y[33])) / frt;
        dy[5 + c] = 1.7 * ca * (1 - y[5 + c]) - 11.9e-3 * y[5 + c];
        const double i_na = share[c] * (v - ena) * (p[3] * pow(y[0], 3) * y[1] * y[2] + 0.297e-3);
        const double sigma = expm1(nao / 67.3) / 7;
        const double i_nak = share[c] * 1.90719 /
                             (1 + 0.1245 * exp(-0.1 * vf) + 0.0365 * sigma * exp(-vf)) * ko /
                             (1 + pow(11 / na, 4)) / (ko + 1.5);
        const double gks = 0.07 * (0.057 + 0.19 * logistic((7.2 - (3 - log10(ca))) / 0.6));
        const double i_ks = share[c] * gks * y[12] * y[12] * (v - eks);
        const double i_cl = share[c] * 0.109625 / (1 + 0.1 / ca) * (v - log(15 / 150.0) / frt);
        const double gate = share_cal[c] * y[3] * y[4] * (1 - y[5 + c]) * 0.45 * v * F * frt;
        const double i_ca = gate * p[5] * 4 * 0.341 * (ca * exp(2 * vf) - cao) / expm1(2 * vf);
        const double i_cana = gate * 1.5e-8 * 0.75 * (na * exp(vf) - nao) / expm1(vf);
        const double i_cak = gate * 2.7e-7 * 0.75 * (y[34] * exp(vf) - ko) / expm1(vf);
        const double below = 3.59e-3 * pow(nao, 3) * (1 + pow(na / 12.29, 3)) +
                             pow(87.5, 3) * ca * (1 + ca / 3.59e-3) + 1.3 * pow(na, 3) +
                             pow(na, 3) * cao + pow(nao, 3) * ca;
        const double i_ncx =
            share[c] * 9 / (1 + pow(0.256e-3 / ca, 3)) *
            (exp(0.35 * vf) * pow(na, 3) * cao - exp((0.35 - 1) * vf) * pow(nao, 3) * ca) / below /
            (1 + 0.27 * exp((0.35 - 1) * vf));
        const double i_pca = share[c] * 0.0673 / (1 + pow(0.5e-3 / ca, 1.6));
        const double i_cab = share[c] * 2.513e-4 * (v - eca);
        na_in[c] = i_na + 3 * i_ncx + 3 * i_nak + i_cana;
        ca_in[c] = i_ca + i_cab + i_pca - 2 * i_ncx;
        total += na_in[c] + ca_in[c] + i_ks - 2 * i_nak + i_cak + i_cl;
        cal += i_ca;
        ncx += i_ncx;
        pump += i_pca;
    }
    const double out = v - ek;
    const double aki = 1.02 * logistic(0.2385 * (59.215 - out));
    const double bki = (0.49124 * exp(0.08032 * (out + 5.476)) + exp(0.06175 * (out - 594.31))) *
                       logistic(0.5143 * (out + 4.753));
    total +=
        out * (0.03 * y[11] * logistic(-(v + 33) / 22.4) + 0.001 * logistic(v / 5.98 - 7.488) +
               p[4] * y[7] * (y[8] + 0.5 * y[39]) + 0.02 * y[9] * y[10] + 0.9 * aki / (aki + bki));
    total += 9e-3 * (v - log(15 / 150.0) / frt);

    // Release channels: rest, open, closed and open, closed, in a ring.
    const double bound = 15 - 14 / (1 + pow(0.45 / y[30], 2.5)), ca = y[35];
    const double state[4] = {y[13], y[14], y[15], 1 - y[13] - y[14] - y[15]}; // R, O, I, RI
    const double open = 10 / bound * ca * ca, close = 0.5 * bound * ca;
    const double flow[4] = {open * state[0] - 0.06 * state[1], close * state[1] - 0.005 * state[2],
                            0.06 * state[2] - open * state[3], 0.005 * state[3] - close * state[0]};
    for (int i = 0; i < 3; i++) dy[13 + i] = flow[(i + 3) % 4] - flow[i];
    const double release = 25 * y[14] * (y[30] - ca), leak = 5.348e-6 * (y[30] - ca);
    const double forward = pow(y[37] / 0.246e-3, 1.787), back = pow(y[30] / 1.7, 1.787);
    const double uptake = 5.3114e-3 * (forward - back) / (1 + forward + back);

    const double na_flow[2] = {(y[31] - y[32]) * 3 / 1.6382e14, (y[32] - y[33]) * 3 / 1.8308e12};
    const double ca_flow[2] = {(y[35] - y[36]) / 1.2134e12, (y[36] - y[37]) / 2.6851e11};
    for (int c = 0; c < 2; c++) {
        const double per = 1.381e-10 / F / volume[c];
        dy[31 + c] =
            -na_in[c] * per + ((c ? na_flow[0] : 0) - na_flow[c]) / volume[c] - into[31 + c];
        dy[35 + c] =
            -ca_in[c] * per / 2 + ((c ? ca_flow[0] : 0) - ca_flow[c]) / volume[c] - into[35 + c];
    }
    dy[35] += (release * sr + leak * myo) / volume[0];
    dy[33] = na_flow[1] / myo;
    dy[34] = 0;
    dy[37] = ca_flow[1] / myo - uptake * sr / myo - into[37];
    dy[30] = uptake - leak * myo / sr - release - into[30];
    dy[38] = (fmod(time, p[0]) < p[2] ? p[1] : 0) - total;
    const double integrals[6] = {cal, ncx, release, uptake, pump, leak};
    memcpy(dy + 40, integrals, sizeof integrals);
}

// Species of a compartment beyond its fifteen states: free buffer, free phosphatase, idle kinase.
enum { BUFFER = CAM, PHOSPHATASE, IDLE, NOBODY };
struct reaction {
    int from, with, to; // from + with (+ two calcium) <-> to
    int calcium;
    double there, back;
};

// Calcium taken is in uM/ms.
static double reference_calmodulin(const double *y, double *dy, double ca, const double total[4]) {
    const double kinase = total[1], q = 1.72 * total[3];
    const double kd02 = 0.0025 * (1 + 135 / 0.94 - 1 / 0.012) * (1 + 135 / 8.1 + 1 / 0.022);
    const double kd24 = 0.128 * (1 + 135 / 0.64 + 1 / 0.0014) * (1 + 135 / 13.0 - 1 / 0.153);
    const double on02 = 10 / kd02, on24 = 500 / kd24, kib = 2.2 / 33.5e-3;
    double s[NOBODY + 1], d[NOBODY + 1] = {0}, taken = 0;
    memcpy(s, y, CAM * sizeof *s);
    s[BUFFER] = total[0] - y[3] - y[4] - y[5];
    s[PHOSPHATASE] = total[2] - y[11] - y[12] - y[13] - y[14];
    s[IDLE] = 1 - y[6] - y[7] - y[8] - y[9] - y[10];
    s[NOBODY] = 1;
    const struct reaction list[] = {{0, NOBODY, 1, 1, on02, 10},
                                    {1, NOBODY, 2, 1, on24, 500},
                                    {3, NOBODY, 4, 1, on02, 0.1},
                                    {4, NOBODY, 5, 1, on24, 500},
                                    {0, BUFFER, 3, 0, 0.007, 0.0014},
                                    {1, BUFFER, 4, 0, 0.007, 0.000014},
                                    {2, BUFFER, 5, 0, 0.007, 0.000014},
                                    {PHOSPHATASE, NOBODY, 11, 1, 2, 1},
                                    {12, NOBODY, 13, 1, on02, 10 / 165.0},
                                    {13, NOBODY, 14, 1, on24, 10 / 2508.0},
                                    {0, 11, 12, 0, 46, 1.3e-3 * 2508 * 165},
                                    {1, 11, 13, 0, 46, 1.3e-3 * 2508},
                                    {2, 11, 14, 0, 46, 1.3e-3},
                                    {IDLE, 1, 6, 0, kib, 5 * kib},
                                    {6, NOBODY, 7, 1, on24, 500 * 33.5e-3 / 5},
                                    {IDLE, 2, 7, 0, kib, 2.2},
                                    {9, NOBODY, 8, 1, on24, 500 * 33.5e-6 / 5},
                                    {10, 2, 8, 0, kib, 2.2e-3},
                                    {10, 1, 9, 0, kib, 5 * kib}};
    for (size_t i = 0; i < HOST_COUNT(list); i++) {
        const struct reaction *r = &list[i];
        // The kinase's states are fractions of it.
        const double amount = (r->to >= 6 && r->to <= 10) ? kinase : 1;
        const double rate =
            r->there * s[r->from] * s[r->with] * (r->calcium ? ca * ca : 1) - r->back * s[r->to];
        d[r->from] -= rate;
        d[r->with] -= r->with < 6 ? amount * rate : rate;
        d[r->to] += rate;
        taken += 2 * r->calcium * amount * rate;
    }
    // Phosphate goes on where neighbours are active, and off.
    const double on = y[7] + y[8] + y[9] + y[10];
    const double put = (0.055 * on + 0.0074 * pow(on, 2) + 0.015 * pow(on, 3)) * y[7];
    const int strip[3][2] = {{8, 7}, {9, 6}, {10, IDLE}};
    d[7] -= put;
    d[8] += put;
    for (int i = 0; i < 3; i++) {
        const double rate = q * y[strip[i][0]] / (11.5 + kinase * y[strip[i][0]]);
        d[strip[i][0]] -= rate;
        d[strip[i][1]] += rate;
    }
    for (int i = 0; i < CAM; i++) dy[i] = 1e-3 * d[i];
    return 1e-3 * taken;
}

static void reference_derivatives(double time, const double *y, const double *p, double *dy) {
    static const double totals[3][4] = {
        {0, 120, 3.61751, 96.5}, {24.2, 0.0995, 3e-3, 0.57}, {24.2, 0.0995, 3e-3, 0.57}};
    reference_membrane(time, y, p, dy);
    for (int c = 0; c < 3; c++)
        dy[CAJ + c] -= 1e-3 * reference_calmodulin(y + ECC + CAM * c, dy + ECC + CAM * c,
                                                   1e3 * y[CAJ + c], totals[c]);
}

static void reference_step(double time, double step, double *y, const double *p) {
    double k[STAGES][EQUATIONS], at[EQUATIONS];
    for (int s = 0; s < STAGES; s++) {
        memcpy(at, y, sizeof at);
        for (int q = 0; q < s; q++)
            for (int i = 0; i < EQUATIONS; i++) at[i] += step * part[s][q] * k[q][i];
        reference_derivatives(time + node[s] * step, at, p, k[s]);
    }
    for (int s = 0; s < STAGES; s++)
        for (int i = 0; i < EQUATIONS; i++) y[i] += step * weight[s] * k[s][i];
}

// ------------------------------------------------------------------------------------ cells

// Near rest, from the publications' tables; calmodulin's states are rough, and go their way.
static const double rest[ECC] = {
    1.405627e-3, 0.9867005,   0.991562,    7.175662e-6, 1.000681,    2.421991e-2, 1.452605e-2,
    4.051574e-3, 0.9945511,   4.051574e-3, 0.9945511,   8.641386e-3, 5.412034e-3, 0.8884332,
    8.156628e-7, 1.024274e-7, 3.539892,    0.7720854,   8.773191e-3, 0.1078283,   1.524002e-2,
    2.911916e-4, 1.298754e-3, 0.1381982,   2.143165e-3, 9.566355e-3, 0.1110363,   7.347888e-3,
    7.297378e-2, 1.242988,    0.5545201,   8.80329,     8.80733,     8.80853,     135,
    1.737475e-4, 1.031812e-4, 8.597401e-5, -85.76,      0.9946};
static const double rest_cam[3][CAM] = {
    {40, 2, 0.05, 0, 0, 0, 0.02, 0.01, 0.002, 1e-4, 1e-3, 0.4, 0.3, 0.1, 0.05},
    {0.02, 5e-4, 1e-5, 4, 0.1, 0.01, 1e-3, 1e-3, 1e-4, 1e-5, 1e-4, 3e-4, 2e-4, 1e-4, 1e-3},
    {0.02, 5e-4, 1e-5, 4, 0.1, 0.01, 1e-3, 1e-3, 1e-4, 1e-5, 1e-4, 3e-4, 2e-4, 1e-4, 1e-3}};

// One cell is not quite like another: two in a hundred either way.
static void make_cell(struct host *h, float *y, float *p) {
    const float usual[PARAMETERS] = {1000, 9.5f, 5, 16, 0.06f, 5.4e-4f};
    for (int i = 0; i < EQUATIONS; i++) {
        const double r = i < ECC ? rest[i] : rest_cam[(i - ECC) / CAM][(i - ECC) % CAM];
        y[i] = (float)r * host_random_float(h, 0.98f, 1.02f);
    }
    for (int i = 0; i < PARAMETERS; i++) p[i] = usual[i] * host_random_float(h, 0.98f, 1.02f);
}

static void finish(float *dy) {
    static const float bound[CAM] = {0, 2, 4, 0, 2, 4, 2, 4, 4, 2, 0, 2, 2, 4, 6};
    for (int c = 0; c < 3; c++) {
        float taken = 0;
        for (int i = 0; i < CAM; i++)
            taken += dy[ECC + CAM * c + i] * bound[i] *
                     (i >= 6 && i <= 10 ? (c ? 0.0995f : 120.0f) : 1.0f);
        dy[CAJ + c] -= 1e-3f * taken;
    }
}

struct device {
    CUfunction evaluate;
    CUdeviceptr y, dy, parameters;
};

// Thirteen evaluations; the greatest error as a part of the number's size.
static float try_step(const struct device *d, float time, float step, const float *y, float *next) {
    float k[STAGES][EQUATIONS], at[EQUATIONS], worst = 0;
    for (int s = 0; s < STAGES; s++) {
        for (int i = 0; i < EQUATIONS; i++) {
            float sum = 0;
            for (int q = 0; q < s; q++) sum += (float)part[s][q] * k[q][i];
            at[i] = y[i] + step * sum;
        }
        float now = time + (float)node[s] * step;
        CUdeviceptr state = d->y, out = d->dy, parameters = d->parameters;
        host_write(state, at, ECC * sizeof *at);
        host_write(state + ECC * sizeof *at, at + ECC, (EQUATIONS - ECC) * sizeof *at);
        host_launch(d->evaluate, (struct dim){2}, (struct dim){THREADS}, 0, &now, &state, &out,
                    &parameters);
        host_read(k[s], out, ECC * sizeof *at);
        host_read(k[s] + ECC, out + ECC * sizeof *at, (EQUATIONS - ECC) * sizeof *at);
        finish(k[s]);
    }
    for (int i = 0; i < EQUATIONS; i++) {
        float sum = 0;
        for (int s = 0; s < STAGES; s++) sum += (float)weight[s] * k[s][i];
        next[i] = y[i] + step * sum;
        const float error = step * 41 / 840 * fabsf(k[0][i] + k[10][i] - k[11][i] - k[12][i]);
        worst = fmaxf(worst, error / (fabsf(next[i]) + 1e-3f));
    }
    return worst;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const bool whole = h.arg[0];
    int cells = whole ? (int)h.arg[1] : 1, steps = (int)h.arg[2];
    // Calsequestrin settles within some 1/256 ms, which bounds what an explicit method can do.
    float step = 0.01f;
    const float most_error = 1e-3f;

    const size_t count = (size_t)cells * EQUATIONS;
    float *y = host_memory(count, sizeof *y);
    float *p = host_memory((size_t)cells * PARAMETERS, sizeof *p);
    double *want = host_memory(count, sizeof *want);
    for (int c = 0; c < cells; c++) make_cell(&h, y + c * EQUATIONS, p + c * PARAMETERS);
    for (size_t i = 0; i < count; i++) want[i] = y[i];
    CUdeviceptr p_dev = host_upload(&h, p, (size_t)cells * PARAMETERS * sizeof *p);
    float taken[TRACE]; // steps as they were
    for (int n = 0; n < steps; n++) taken[n] = step;

    if (whole) {
        float nodes[STAGES], parts[STAGES][STAGES];
        for (int s = 0; s < STAGES; s++) {
            nodes[s] = (float)node[s];
            for (int q = 0; q < STAGES; q++) parts[s][q] = (float)part[s][q];
        }
        host_write_symbol(&h, "nodes", nodes, sizeof nodes);
        host_write_symbol(&h, "coefficients", parts, sizeof parts);
        CUdeviceptr y_dev = host_upload(&h, y, count * sizeof *y);
        CUdeviceptr work_dev = host_alloc(&h, count * (STAGES + 1) * sizeof *y);
        CUdeviceptr errors_dev = host_alloc(&h, (size_t)cells * sizeof(float));
        host_launch(host_kernel(&h, "solve"),
                    (struct dim){(unsigned)(cells + THREADS - 1) / THREADS}, (struct dim){THREADS},
                    0, &cells, &steps, &step, &y_dev, &work_dev, &p_dev, &errors_dev);
        host_read(y, y_dev, count * sizeof *y);
        float *errors = host_memory((size_t)cells, sizeof *errors);
        host_read(errors, errors_dev, (size_t)cells * sizeof *errors);
        int wild = 0;
        for (int c = 0; c < cells; c++) wild += !(errors[c] <= most_error);
        host_check_that(&h, wild == 0, "%d cells have a greater error of a step than %g.", wild,
                        (double)most_error);
        free(errors);
    } else {
        const struct device d = {host_kernel(&h, "evaluate"), host_alloc(&h, EQUATIONS * sizeof *y),
                                 host_alloc(&h, EQUATIONS * sizeof *y), p_dev};
        float time = 0, next[EQUATIONS];
        for (int n = 0; n < steps; n++) {
            int attempt = 0;
            while (!(try_step(&d, time, taken[n], y, next) <= most_error) && ++attempt < ATTEMPTS)
                taken[n] /= 2;
            host_check_that(&h, attempt < ATTEMPTS, "step %d needed %d attempts.", n, ATTEMPTS);
            memcpy(y, next, sizeof next);
            time += taken[n];
        }
    }

    // A step rounds the state once, by 2^-25 of it on average, and so do the derivatives' inputs,
    // which the fastest equations (256 a millisecond, times a step of 0.01) take up as much again
    // or twice; errors of earlier steps die out as fast in those, and add up in slow ones: at
    // worst, a hundred steps make some 1e-5. Where large flows leave a small difference (integrals,
    // channels nearly shut) the size of those flows counts, times a step: some 1e-8.
    for (int c = 0; c < cells; c++) {
        double parameters[PARAMETERS], time = 0;
        for (int i = 0; i < PARAMETERS; i++) parameters[i] = p[c * PARAMETERS + i];
        for (int n = 0; n < steps; n++) {
            reference_step(time, taken[n], want + c * EQUATIONS, parameters);
            time += taken[n];
        }
    }
    host_check_float(&h, "state", y, want, count, 1e-5, 1e-8);

    free(y);
    free(p);
    free(want);
    return host_close(&h);
}
