// WP: the cloud physics of a weather model, one thread a column of air, after Hong, Dudhia and Chen
// (Monthly Weather Review 132, 2004: five classes of water, one moment) with the rates of Lin and
// others (1983), Rutledge and Hobbs (1983) and Dudhia (1989). Fields are single precision; most
// literals are double, and so is much of the arithmetic between, as in the published program.
//
// A step: water of each class falls by its own speed in as many sub-steps as that needs, snow
// melting on the way; cloud ice melts, cloud and rain freeze; then the rates at which each class
// turns into each other, limited by what there is; then condensation. Levels are numbered upwards.
#include "device.h"

enum { LEVELS = 28 };

#define PI        3.14159265358979
#define T0        273.15 // freezing point, K
#define T40       233.16 // where droplets freeze on their own, K
#define RD        287.0  // gas constants of air and vapour, J/(kg K)
#define RV        461.6
#define CPD       1004.5 // heat capacities of air and vapour, J/(kg K)
#define CPV       1846.4
#define XLS       2.85e6  // heat of sublimation, J/kg
#define DEN0      1.28    // density of air at the ground, kg/m3
#define DENR      1000.0  // and of water
#define QMIN      1.0e-15 // kg/kg: less is nothing
#define QCRMIN    1.0e-9
#define N0R       8.0e6 // drops and flakes per size at none, 1/m4
#define N0S       2.0e6
#define N0SMAX    1.0e11
#define XNCR      3.0e8 // droplets, 1/m3
#define DICON     11.9  // ice crystals: diameter by the root of mass
#define DIMAX     500.0e-6
#define LAMDARMAX 8.0e4 // slopes of size distributions at most, 1/m
#define LAMDASMAX 1.0e5
#define SUBSTEP   120.0 // s, the longest step of the rates
// Fall speeds: avt D^bvt. Gamma functions of 4 + b, 3 + b, (5 + b) / 2.
#define AVTR    841.9
#define BVTR    0.8
#define AVTS    11.72
#define BVTS    0.41
#define G4R     17.8378619818136
#define G3R     4.694174205740421
#define G5R     1.8273550806240353
#define G4S     10.275404092015203
#define G3S     3.013314982995661
#define G5S     1.5508606820316817
#define QC0     5.026548245743669e-4 // cloud that begins to rain: droplets of 8 um
#define QCK1    6.773895402122533    // 0.104 * 9.8 * 0.55 / (XNCR DENR)^(1/3) / 1.718e-5 DEN0^(4/3)
#define ROQIMAX 8.125e-5             // 2.08e22 * DIMAX^8

DEVICE_FN float pow_of(float x, float y) { return expf(y * logf(x)); }
DEVICE_FN float clamp(float x, float low, float high) { return fminf(fmaxf(x, low), high); }

// Heat of vaporisation, J/kg.
DEVICE_FN float vapour_heat(float t) { return (float)(2.5e6 - 2370.0 * (t - T0)); }

// Specific humidity of saturated air over water or ice.
DEVICE_FN float saturated(float t, float p, bool ice) {
    const double xa = ice ? (2106.0 - CPV) / RV : (4190.0 - CPV) / RV;
    const double xb = xa + (ice ? 2.834e6 : 2.5e6) / (RV * (T0 + 0.01));
    const float tr = (float)((T0 + 0.01) / t);
    const float e =
        fminf((float)(610.78 * expf((float)(logf(tr) * xa)) * expf((float)(xb * (1.0 - tr)))),
              (float)(0.99 * p));
    return fmaxf((float)(RD / RV * e / (p - e)), (float)QMIN);
}

// Viscosity of air, diffusion of vapour, conduction of heat (Dudhia 1989).
DEVICE_FN float viscosity(float t, float den) {
    return (float)(1.496e-6 * (t * sqrtf(t)) / (t + 120.0) / den);
}
DEVICE_FN float diffusion(float t, float p) { return (float)(8.794e-5 * pow_of(t, 1.81f) / p); }
DEVICE_FN float conduction(float t, float den) {
    return (float)(1.414e3 * viscosity(t, den) * den);
}
DEVICE_FN float resistance(float heat, float p, float t, float den, float sat) {
    return (float)((double)den * heat * heat / ((double)conduction(t, den) * RV * t * t) +
                   1.0 / ((double)sat * diffusion(t, p)));
}
DEVICE_FN float ventilation(float p, float t, float den) {
    const float v = viscosity(t, den);
    return pow_of(v / diffusion(t, p), 0.3333333f) / sqrtf(v) * sqrtf(sqrtf((float)(DEN0 / den)));
}

// Mean sizes (1 over the slope of the distribution), m.
DEVICE_FN float rain_size(float q, float den) {
    if (q <= QCRMIN) return (float)(1.0 / LAMDARMAX);
    return (float)(1.0 / sqrt(sqrt(PI * DENR * N0R / ((double)q * den))));
}
DEVICE_FN float snow_size(float q, float den, float more) {
    if (q <= QCRMIN) return (float)(1.0 / LAMDASMAX);
    return (float)(1.0 / sqrt(sqrt(PI * 100.0 * N0S * more / ((double)q * den))));
}
DEVICE_FN float flakes_more(float t) {
    return clamp(expf((float)(0.12 * (T0 - t))), 1.0f, (float)(N0SMAX / N0S));
}
DEVICE_FN float crystals(float qi, float den) {
    return clamp((float)(5.38e7 * pow_of((float)(den * fmaxf(qi, (float)QMIN)), 0.75f)), 1.0e3f,
                 1.0e6f);
}
DEVICE_FN float crystal_size(float mass) {
    return fmaxf(fminf((float)(DICON * sqrtf(mass)), (float)DIMAX), 1.0e-25f);
}
DEVICE_FN float melting_heat(float t, float latent) {
    return t < T0 ? (float)XLS - latent : 3.5e5f;
}

extern "C" __global__ void wsm5_gpu(float *th, const float *pii, float *q, float *qc, float *qi,
                                    float *qr, float *qs, const float *den, const float *p,
                                    const float *delz, float *rain, float *snow, float step, int ni,
                                    int nj, int nk) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= ni || j >= nj) return;
    const int plane = ni * nj, column = j * ni + i;
#define AT(k) ((k)*plane + column)

    float t[LEVELS], cpm[LEVELS], heat[LEVELS], sat_w[LEVELS], sat_i[LEVELS], rh_w[LEVELS],
        rh_i[LEVELS], slow[LEVELS], more[LEVELS], speed_r[LEVELS], speed_s[LEVELS], speed_i[LEVELS],
        flux_r[LEVELS], flux_s[LEVELS], flux_i[LEVELS], vent[LEVELS];

    for (int k = 0; k < nk; k++) {
        t[k] = th[AT(k)] * pii[AT(k)];
        qc[AT(k)] = fmaxf(qc[AT(k)], 0.0f);
        qr[AT(k)] = fmaxf(qr[AT(k)], 0.0f);
        qi[AT(k)] = fmaxf(qi[AT(k)], 0.0f);
        qs[AT(k)] = fmaxf(qs[AT(k)], 0.0f);
    }
    for (int k = 0; k < nk; k++) {
        const float v = fmaxf(q[AT(k)], (float)QMIN);
        cpm[k] = (float)(CPD * (1.0 - v) + v * CPV);
        heat[k] = vapour_heat(t[k]);
        slow[k] = sqrtf((float)(DEN0 / den[AT(k)]));
    }
    float fallen = 0.0f, fallen_snow = 0.0f;
    const int loops = max((int)(step / SUBSTEP + 0.5), 1);
    const float dt = step / (float)loops;

    for (int loop = 0; loop < loops; loop++) {
        for (int k = 0; k < nk; k++) {
            sat_w[k] = saturated(t[k], p[AT(k)], false);
            rh_w[k] = fmaxf(q[AT(k)] / sat_w[k], (float)QMIN);
        }
        for (int k = 0; k < nk; k++) {
            sat_i[k] = saturated(t[k], p[AT(k)], t[k] < T0 + 0.01);
            rh_i[k] = fmaxf(q[AT(k)] / sat_i[k], (float)QMIN);
        }

        // Rain and snow fall.
        int steps = 1;
        for (int k = 0; k < nk; k++) {
            more[k] = flakes_more(t[k]);
            const float size_r = rain_size(qr[AT(k)], den[AT(k)]);
            const float size_s = snow_size(qs[AT(k)], den[AT(k)], more[k]);
            speed_r[k] = (float)(AVTR * G4R / 6.0 * pow_of(size_r, (float)BVTR) * slow[k]);
            speed_s[k] = (float)(AVTS * G4S / 6.0 * pow_of(size_s, (float)BVTS) * slow[k]);
            const float fastest = fmaxf(speed_r[k], speed_s[k]) / delz[AT(k)];
            steps = max(steps, (int)(fastest * dt + 1.0));
        }
        const float part = dt / (float)steps;
        for (int n = 0; n < steps; n++) {
            for (int k = nk - 1; k >= 0; k--) {
                flux_r[k] = den[AT(k)] * qr[AT(k)] * speed_r[k];
                flux_s[k] = den[AT(k)] * qs[AT(k)] * speed_s[k];
                const float above_r = k < nk - 1 ? flux_r[k + 1] : 0.0f;
                const float above_s = k < nk - 1 ? flux_s[k + 1] : 0.0f;
                const float share = part / (den[AT(k)] * delz[AT(k)]);
                qr[AT(k)] = fmaxf(qr[AT(k)] - (flux_r[k] - above_r) * share, 0.0f);
                qs[AT(k)] = fmaxf(qs[AT(k)] - (flux_s[k] - above_s) * share, 0.0f);
            }
            fallen += flux_r[0] * part;
            fallen_snow += flux_s[0] * part;
            for (int k = nk - 1; k >= 0; k--) {
                if (!(t[k] > T0) || !(qs[AT(k)] > 0.0f)) continue;
                const float size = snow_size(qs[AT(k)], den[AT(k)], more[k]);
                const float both = size * size * sqrtf(size * pow_of(size, (float)BVTS));
                const float air = ventilation(p[AT(k)], t[k], den[AT(k)]);
                const float melt = (float)(conduction(t[k], den[AT(k)]) / 3.5e5 * (T0 - t[k]) * PI /
                                           2.0 * more[k] *
                                           (4.0 * N0S * 0.65 * size * size +
                                            4.0 * N0S * 0.44 * sqrt(AVTS) * G5S * air * both));
                const float melted = clamp(melt * part, -qs[AT(k)], 0.0f);
                qs[AT(k)] += melted;
                qr[AT(k)] -= melted;
                t[k] += (float)(3.5e5 / cpm[k] * melted);
            }
        }

        // Cloud ice falls.
        steps = 1;
        for (int k = 0; k < nk; k++) {
            speed_i[k] = 0.0f;
            if (qi[AT(k)] > 0.0f) {
                const float mass = den[AT(k)] * qi[AT(k)] / crystals(qi[AT(k)], den[AT(k)]);
                speed_i[k] = (float)(1.49e4 * pow_of(crystal_size(mass), 1.31f));
            }
            steps = max(steps, (int)(speed_i[k] / delz[AT(k)] * dt + 1.0));
        }
        const float part_i = dt / (float)steps;
        for (int n = 0; n < steps; n++) {
            for (int k = nk - 1; k >= 0; k--) {
                flux_i[k] = den[AT(k)] * qi[AT(k)] * speed_i[k];
                const float above = k < nk - 1 ? flux_i[k + 1] : 0.0f;
                qi[AT(k)] = fmaxf(
                    qi[AT(k)] - (flux_i[k] - above) * part_i / (den[AT(k)] * delz[AT(k)]), 0.0f);
            }
            fallen_snow += flux_i[0] * part_i;
        }

        // Melting and freezing at once.
        for (int k = 0; k < nk; k++) {
            const float cold = (float)(T0 - t[k]);
            const float fusion = melting_heat(t[k], heat[k]);
            if (cold < 0.0f && qi[AT(k)] > 0.0f) {
                qc[AT(k)] += qi[AT(k)];
                t[k] -= fusion / cpm[k] * qi[AT(k)];
                qi[AT(k)] = 0.0f;
            }
            if (cold > T0 - T40 && qc[AT(k)] > 0.0f) {
                qi[AT(k)] += qc[AT(k)];
                t[k] += fusion / cpm[k] * qc[AT(k)];
                qc[AT(k)] = 0.0f;
            }
            if (cold > 0.0f && qc[AT(k)] > 0.0f) {
                const float frozen =
                    fminf((float)(100.0 * (expf((float)(0.66 * cold)) - 1.0) * den[AT(k)] / DENR /
                                  XNCR * qc[AT(k)] * qc[AT(k)] * dt),
                          qc[AT(k)]);
                qi[AT(k)] += frozen;
                t[k] += fusion / cpm[k] * frozen;
                qc[AT(k)] -= frozen;
            }
            if (cold > 0.0f && qr[AT(k)] > 0.0f) {
                const double size = rain_size(qr[AT(k)], den[AT(k)]);
                const double size2 = size * size;
                const float frozen = fminf((float)(20.0 * PI * PI * 100.0 * N0R * DENR /
                                                   den[AT(k)] * (expf((float)(0.66 * cold)) - 1.0) *
                                                   (size2 * size2 * size2) * size * dt),
                                           qr[AT(k)]);
                qs[AT(k)] += frozen;
                t[k] += fusion / cpm[k] * frozen;
                qr[AT(k)] -= frozen;
            }
        }

        for (int k = 0; k < nk; k++) vent[k] = ventilation(p[AT(k)], t[k], den[AT(k)]);

        // The rates, 1/s.
        for (int k = 0; k < nk; k++) {
            const float rho = den[AT(k)], cold = (float)(T0 - t[k]);
            const float cloud = qc[AT(k)], ice = qi[AT(k)], drops = qr[AT(k)], flakes = qs[AT(k)];
            const float res_w = resistance(heat[k], p[AT(k)], t[k], rho, sat_w[k]);
            const float res_i = resistance((float)XLS, p[AT(k)], t[k], rho, sat_i[k]);
            const float size_r = rain_size(drops, rho);
            const float size_s = snow_size(flakes, rho, flakes_more(t[k]));
            const float size_rb = pow_of(size_r, (float)BVTR);
            const float size_sb = pow_of(size_s, (float)BVTS);
            const float number_s = flakes_more(t[k]);

            float praut = 0.0f, pracw = 0.0f, prevp = 0.0f, psaci = 0.0f, psacw = 0.0f,
                  pidep = 0.0f, psdep = 0.0f, pigen = 0.0f, psaut = 0.0f, psevp = 0.0f;
            // Warm rain: droplets join, drops collect them, drops evaporate or grow.
            const float over_w = fmaxf(q[AT(k)], (float)QMIN) - sat_w[k], gain_w = over_w / dt;
            if (cloud > QC0) praut = fminf((float)(QCK1 * pow_of(cloud, 7.0f / 3.0f)), cloud / dt);
            if (drops > QCRMIN && cloud > QMIN)
                pracw = fminf((float)(PI * N0R * AVTR * G3R * 0.25 * size_r * size_r * size_r *
                                      size_rb * cloud * slow[k]),
                              cloud / dt);
            if (drops > 0.0f) {
                const float both = size_r * size_r * sqrtf(size_r * size_rb);
                prevp = (float)((rh_w[k] - 1.0) *
                                (2.0 * PI * N0R * 0.78 * size_r * size_r +
                                 2.0 * PI * N0R * 0.31 * sqrt(AVTR) * G5R * vent[k] * both) /
                                res_w);
                if (prevp < 0.0f)
                    prevp = fmaxf(fmaxf(prevp, -drops / dt), (float)(gain_w * 0.5));
                else
                    prevp = fminf(prevp, (float)(gain_w * 0.5));
            }

            // Cold: snow collects ice and droplets; vapour onto ice, snow and new crystals.
            const float over_i = fmaxf(q[AT(k)], (float)QMIN) - sat_i[k], gain_i = over_i / dt;
            const float number_i = crystals(ice, rho);
            bool full = false;
            if (flakes > QCRMIN && cloud > QMIN)
                psacw = fminf((float)(PI * N0S * AVTS * G3S * 0.25 * number_s * size_s * size_s *
                                      size_s * size_sb * cloud * slow[k]),
                              cloud / dt);
            if (cold > 0.0f) {
                const float mass = rho * ice / number_i;
                const float width = crystal_size(mass);
                if (flakes > QCRMIN && ice > QMIN) {
                    const float apart = fabsf((float)(AVTS * G4S / 6.0 * size_sb * slow[k]) -
                                              (float)(1.49e4 * pow_of(width, 1.31f)));
                    const float area =
                        (float)(2.0 * size_s * size_s * size_s + 2.0 * width * size_s * size_s +
                                (double)width * width * size_s);
                    psaci = fminf((float)(PI * ice * expf((float)(0.07 * -cold)) * N0S * number_s *
                                          apart * area / 4.0),
                                  ice / dt);
                }
                if (ice > 0.0f) {
                    pidep = (float)(4.0 * DICON * sqrtf(mass) * number_i * (rh_i[k] - 1.0) / res_i);
                    const float left = gain_i - prevp;
                    if (pidep < 0.0f)
                        pidep = fmaxf(fmaxf(fmaxf(pidep, (float)(gain_i * 0.5)), left), -ice / dt);
                    else
                        pidep = fminf(fminf(pidep, (float)(gain_i * 0.5)), left);
                    full = fabsf(prevp + pidep) >= fabsf(gain_i);
                }
                if (flakes > 0.0f && !full) {
                    const float both = size_s * size_s * sqrtf(size_s * size_sb);
                    psdep = (float)((rh_i[k] - 1.0) * number_s *
                                    (4.0 * N0S * 0.65 * size_s * size_s +
                                     4.0 * N0S * 0.44 * sqrt(AVTS) * G5S * vent[k] * both) /
                                    res_i);
                    const float left = gain_i - prevp - pidep;
                    if (psdep < 0.0f)
                        psdep =
                            fmaxf(fmaxf(fmaxf(psdep, -flakes / dt), (float)(gain_i * 0.5)), left);
                    else
                        psdep = fminf(fminf(psdep, (float)(gain_i * 0.5)), left);
                    full = fabsf(prevp + pidep + psdep) >= fabsf(gain_i);
                }
                if (over_i > 0.0f && !full) {
                    const float fresh = (float)(1.0e3 * expf((float)(0.1 * cold)));
                    const float mixing = (float)(4.92e-11 * pow_of(fresh, 1.33f));
                    pigen = fmaxf(0.0f, (mixing / rho - fmaxf(ice, 0.0f)) / dt);
                    pigen = fminf(fminf(pigen, gain_i), gain_i - prevp - pidep - psdep);
                }
                if (ice > 0.0f) psaut = fmaxf(0.0f, (float)((ice - ROQIMAX / rho) / dt));
            } else if (flakes > 0.0f && rh_w[k] < 1.0f) {
                const float both = size_s * size_s * sqrtf(size_s * size_sb);
                psevp = (float)((rh_w[k] - 1.0) * number_s *
                                (4.0 * N0S * 0.65 * size_s * size_s +
                                 4.0 * N0S * 0.44 * sqrt(AVTS) * G5S * vent[k] * both) /
                                res_w);
                psevp = clamp(psevp, -flakes / dt, 0.0f);
            }

            // No class gives more than it has.
            float have = fmaxf(cloud, (float)QMIN), want = (praut + pracw + psacw) * dt;
            if (want > have) {
                const float f = have / want;
                praut *= f, pracw *= f, psacw *= f;
            }
            if (cold > 0.0f) {
                have = fmaxf(ice, (float)QMIN);
                want = (psaut + psaci - pigen - pidep) * dt;
                if (want > have) {
                    const float f = have / want;
                    psaut *= f, psaci *= f, pigen *= f, pidep *= f;
                }
                const float fusion = (float)(XLS - heat[k]);
                q[AT(k)] -= (prevp + psdep + pigen + pidep) * dt;
                qc[AT(k)] = fmaxf(cloud - (praut + pracw + psacw) * dt, 0.0f);
                qr[AT(k)] = fmaxf(drops + (praut + pracw + prevp) * dt, 0.0f);
                qi[AT(k)] = fmaxf(ice - (psaut + psaci - pigen - pidep) * dt, 0.0f);
                qs[AT(k)] = fmaxf(flakes + (psdep + psaut + psaci + psacw) * dt, 0.0f);
                t[k] += (float)((XLS * (psdep + pidep + pigen) + heat[k] * prevp + fusion * psacw) /
                                cpm[k] * dt);
            } else {
                have = fmaxf(flakes, (float)QMIN);
                want = -psevp * dt;
                if (want > have) psevp *= have / want;
                q[AT(k)] -= (prevp + psevp) * dt;
                qc[AT(k)] = fmaxf(cloud - (praut + pracw + psacw) * dt, 0.0f);
                qr[AT(k)] = fmaxf(drops + (praut + pracw + prevp + psacw) * dt, 0.0f);
                qs[AT(k)] = fmaxf(flakes + psevp * dt, 0.0f);
                t[k] += heat[k] * (prevp + psevp) / cpm[k] * dt;
            }
        }

        // Condensation, or evaporation of cloud, to saturation.
        for (int k = 0; k < nk; k++) {
            const float sat = saturated(t[k], p[AT(k)], false);
            const float latent = vapour_heat(t[k]);
            const float over = fmaxf(q[AT(k)], (float)QMIN) - sat;
            const float excess = (float)(over / (1.0 + (double)latent * latent / (RV * cpm[k]) *
                                                           sat / ((double)t[k] * t[k])));
            float pcond = clamp(excess / dt, 0.0f, fmaxf(q[AT(k)], 0.0f) / dt);
            if (qc[AT(k)] > 0.0f && excess < 0.0f) pcond = fmaxf(excess, -qc[AT(k)]) / dt;
            q[AT(k)] -= pcond * dt;
            qc[AT(k)] = fmaxf(qc[AT(k)] + pcond * dt, 0.0f);
            t[k] += pcond * latent / cpm[k] * dt;
        }
        for (int k = 0; k < nk; k++) {
            if (qc[AT(k)] <= QMIN) qc[AT(k)] = 0.0f;
            if (qi[AT(k)] <= QMIN) qi[AT(k)] = 0.0f;
        }
    }

    for (int k = 0; k < nk; k++) th[AT(k)] = t[k] / pii[AT(k)];
    rain[column] += fallen + fallen_snow; // kg/m2, that is mm
    snow[column] += fallen_snow;
#undef AT
}
