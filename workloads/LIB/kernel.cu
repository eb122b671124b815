// LIB: prices of a portfolio of swaptions by Monte Carlo in the LIBOR market model, a thread a
// path. A path carries 80 forward rates over 40 maturities; those that still lie ahead change with
// every maturity. Rates and the path's normal variates are arrays of a thread, in local memory,
// where the lanes' words lie side by side; what is the same for all comes from constant memory.
//
// The first kernel prices alone. The second keeps every rate at every maturity and goes through the
// computation backwards (the adjoint), which gives the price's derivatives by all initial rates.
#include "device.h"

#define RATES      80
#define MATURITIES 40

CONSTANT(int, rates);      // the numbers in use, which the compiler does not know
CONSTANT(int, maturities); // before the first swap starts
CONSTANT(int, options);
CONSTANT(float, delta);              // between maturities, in years
CONSTANT(int, option_end[16]);       // a swap's last payment
CONSTANT(float, option_rate[16]);    // and its fixed rate
CONSTANT(float, volatility[RATES]);  // by how far ahead a rate is
CONSTANT(float, first_rates[RATES]); // of the forward curve

// A path's variates: uniform with unit variance, from the path's number by integer hashing.
DEVICE_FN void draw(float *z, unsigned path) {
    for (int n = 0; n < maturities; n++) {
        unsigned x = path * 64u + (unsigned)n;
        x = (x ^ x >> 16) * 0x7feb352du;
        x = (x ^ x >> 15) * 0x846ca68bu;
        x ^= x >> 16;
        z[n] = ((float)(x >> 8) * 0x1p-24f - 0.5f) * 3.46410162f;
    }
}

// HISTORY keeps the rates as they are before each maturity, and after the last.
template <bool HISTORY> DEVICE_FN void follow_path(float *rate, const float *z, float *history) {
    for (int n = 0; n < maturities; n++) {
        if (HISTORY)
            for (int i = n + 1; i < rates; i++) history[n * RATES + i] = rate[i];
        const float root = sqrtf(delta) * z[n];
        float drift = 0.0f;
        for (int i = n + 1; i < rates; i++) {
            const float lambda = volatility[i - n - 1], step = delta * lambda;
            drift += __fdividef(step * rate[i], 1.0f + delta * rate[i]);
            rate[i] *= __expf(step * drift + lambda * (root - 0.5f * step));
        }
    }
    if (HISTORY)
        for (int i = 0; i < rates; i++) history[maturities * RATES + i] = rate[i];
}

// Bonds and annuities from the first swap's start, and what the options are worth then and now.
DEVICE_FN float discount_of(const float *rate) {
    float d = 1.0f;
    for (int n = 0; n < maturities; n++) d = __fdividef(d, 1.0f + delta * rate[n]);
    return d;
}
DEVICE_FN void swaps(const float *rate, float *bond, float *annuity) {
    float b = 1.0f, s = 0.0f;
    for (int n = maturities; n < rates; n++) {
        b = __fdividef(b, 1.0f + delta * rate[n]);
        s += delta * b;
        bond[n - maturities] = b;
        annuity[n - maturities] = s;
    }
}
DEVICE_FN float payoff(const float *bond, const float *annuity) {
    float v = 0.0f;
    for (int i = 0; i < options; i++) {
        const int m = option_end[i] - 1;
        const float swap = bond[m] + option_rate[i] * annuity[m] - 1.0f;
        if (swap < 0.0f) v -= 100.0f * swap;
    }
    return v;
}

extern "C" __global__ void Pathcalc_Portfolio_KernelGPU(float *price, int paths) {
    float rate[RATES], z[MATURITIES], bond[MATURITIES], annuity[MATURITIES];
    const int threads = (int)(blockDim.x * gridDim.x);
    for (int path = (int)(blockIdx.x * blockDim.x + threadIdx.x); path < paths; path += threads) {
        draw(z, (unsigned)path);
        for (int i = 0; i < rates; i++) rate[i] = first_rates[i];
        follow_path<false>(rate, z, nullptr);
        swaps(rate, bond, annuity);
        price[path] = payoff(bond, annuity) * discount_of(rate);
    }
}

extern "C" __global__ void Pathcalc_Portfolio_KernelGPU2(float *price, float *by_last, int paths) {
    float rate[RATES], z[MATURITIES], bond[MATURITIES], annuity[MATURITIES];
    float history[(MATURITIES + 1) * RATES], bar[RATES]; // bar: the price's derivative by a rate
    const int threads = (int)(blockDim.x * gridDim.x);
    for (int path = (int)(blockIdx.x * blockDim.x + threadIdx.x); path < paths; path += threads) {
        draw(z, (unsigned)path);
        for (int i = 0; i < rates; i++) rate[i] = first_rates[i];
        follow_path<true>(rate, z, history);
        swaps(rate, bond, annuity);
        const float now = discount_of(rate), value = payoff(bond, annuity) * now;
        price[path] = value;

        // Backwards through the portfolio. A bond counts for itself, for all annuities that hold
        // it and for all later bonds.
        for (int n = 0; n < maturities; n++)
            bar[n] = -__fdividef(delta * value, 1.0f + delta * rate[n]);
        float bond_bar = 0.0f, annuity_bar = 0.0f;
        for (int n = rates - 1; n >= maturities; n--) {
            const int m = n - maturities;
            for (int i = 0; i < options; i++) {
                if (option_end[i] - 1 != m) continue;
                if (bond[m] + option_rate[i] * annuity[m] - 1.0f < 0.0f) {
                    bond_bar -= 100.0f * now;
                    annuity_bar -= 100.0f * now * option_rate[i];
                }
            }
            bond_bar += delta * annuity_bar;
            const float growth = 1.0f + delta * rate[n];
            bar[n] = -__fdividef(delta * bond[m] * bond_bar, growth);
            bond_bar = __fdividef(bond_bar, growth);
        }

        // Backwards through the maturities; a rate's drift holds all rates before it.
        for (int n = maturities - 1; n >= 0; n--) {
            float drift_bar = 0.0f;
            for (int i = rates - 1; i > n; i--) {
                const float step = delta * volatility[i - n - 1];
                const float before = history[n * RATES + i];
                const float after = history[(n + 1) * RATES + i];
                const float growth = 1.0f + delta * before;
                drift_bar += step * bar[i] * after;
                bar[i] = __fdividef(bar[i] * after, before) +
                         __fdividef(step * drift_bar, growth * growth);
            }
        }
        by_last[path] = bar[rates - 1];
    }
}
