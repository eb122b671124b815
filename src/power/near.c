// Near-threshold gates (near.h). The current of a device goes over from exponential to a power law at
// its threshold in one formula, the alpha-power law of tech.c with EKV's interpolation,
//
//   I(Vgs, Vds) ~ ln(1 + exp((Vgs - Vth + d Vds) / (a n vT)))^a (1 - exp(-Vds / vT))
//
// far below the threshold exp((Vgs - Vth) / (n vT)), far above it (Vgs - Vth)^a. The threshold is
// figure 6.1's; the exponent, the swing and the barrier lowering are those of the 16 nm FinFETs of
// our tables (tech.c), since the dissertation prints none. Capacitances are taken as constant, so
// a gate's time goes with V / I(V, V).
//
// With its back gate at ground a device has one channel of its two, and its fin takes part of the
// front gate's voltage: where the back gate moves the front channel's threshold by g volts a volt,
// 1 / (1 + g) of it is left. g is 3 t_ox / (3 t_ox + t_si) (Lim and Fossum, IEEE Trans. Electron
// Devices 1983, with the permittivities' ratio of 3), and the dissertation prints neither thickness.
//
// Left out: series resistance, which bends the curve above the threshold; variation, which lowers
// noise margins (the dissertation's are from Monte Carlo runs).
#include "power/near.h"

#include <math.h>

static const double NOMINAL_V = 0.45; // dissertation, 6.1
static const double THRESHOLD_V =
    0.235; // dissertation, figure 6.1: where the sub-threshold region ends
static const double ALPHA = 1.2, BARRIER = 0.030; // tech.def's 16 nm row; Wu et al., IEDM 2013
static const double SWING = 1.09;                 // of 60 mV a decade; the same
static const double KT_V = 8.617333e-5 * 300;     // V: thermal voltage

static double current(double gate_v, double drain_v) {
    const double x = (gate_v - THRESHOLD_V + BARRIER * drain_v) / (ALPHA * SWING * KT_V);
    const double over = x > 30 ? x : log1p(exp(x));
    return pow(over, ALPHA) * -expm1(-drain_v / KT_V);
}

double near_current(double vdd_v) { return current(vdd_v, vdd_v) / current(NOMINAL_V, NOMINAL_V); }

// Front gate's voltage that acts, with the back gate at ground.
static double alone_v(double gate_v, double coupling) { return gate_v / (1 + coupling); }

double near_front_current(double vdd_v, double coupling) {
    return 0.5 * current(alone_v(vdd_v, coupling), vdd_v) / current(NOMINAL_V, NOMINAL_V);
}

double near_chain(double vdd_v) { return vdd_v / NOMINAL_V / near_current(vdd_v); }

// Output of an inverter whose two devices are alike: where both carry the same current. Coupling 0:
// both gates are driven.
static double output_v(double vdd_v, double in_v, double coupling) {
    double low = 0, high = vdd_v;
    for (int i = 0; i < 32; i++) {
        const double out = 0.5 * (low + high);
        if (current(alone_v(vdd_v - in_v, coupling), vdd_v - out) >
            current(alone_v(in_v, coupling), out))
            low = out;
        else
            high = out;
    }
    return 0.5 * (low + high);
}

// In the butterfly of y = f(x) and x = f(y) the corners of a square lie on a line y = x + c: the
// square's side is the distance in x of the two curves along it.
static double side_v(double vdd_v, double c, double coupling) {
    double low = -c, high = vdd_v; // f(x) - x falls: where it is c
    for (int i = 0; i < 32; i++) {
        const double x = 0.5 * (low + high);
        if (output_v(vdd_v, x, coupling) - x > c)
            low = x;
        else
            high = x;
    }
    const double upper = 0.5 * (low + high);
    low = 0, high = vdd_v + c; // y - f(y) grows: where it is c
    for (int i = 0; i < 32; i++) {
        const double y = 0.5 * (low + high);
        if (y - output_v(vdd_v, y, coupling) < c)
            low = y;
        else
            high = y;
    }
    return upper - (0.5 * (low + high) - c);
}

double near_snm_v(double vdd_v, double coupling) {
    enum { LINES = 64 };
    double most = 0;
    for (int i = 1; i < LINES; i++) most = fmax(most, side_v(vdd_v, vdd_v * i / LINES, coupling));
    return most;
}

const char near_prose[] =
    "7 nm FinFETs near and below their threshold: the alpha-power law with EKV's interpolation, at "
    "figure 6.1's threshold of 0.235 V, with exponent, swing and barrier lowering of the 16 nm "
    "FinFETs; times and currents over those at 0.45 V, noise margins from the butterfly of two "
    "inverters without variation.";
