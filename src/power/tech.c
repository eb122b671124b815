// Looks a technology point up in tech.def and brings it to a supply and a temperature.
//
// Drive current follows the alpha-power law, Ion ~ ((V - Vth) / (Vnom - Vth))^alpha, so resistance
// goes with V / Ion.
//
// Sub-threshold current follows drain-induced barrier lowering (DIBL): the threshold falls in
// proportion to the drain voltage, so that
//
//   Ioff(V) ~ exp(k (V - Vnom)) (1 - exp(-V / vT)),  k = dibl / (n vT)
//
// with vT = kT / q, and k falls as the temperature rises. No table gives dibl for these devices;
// McPAT's fit to MASTAR, Ioff ~ (V / Vnom)^m with m = 4, for LOP devices 5 and at 22 nm 2 (between
// 32 and 22 nm interpolated), gives the slope at the nominal supply, m / Vnom, and k is taken as
// that at 300 K (for HP devices a barrier lowering of 0.13 to 0.17 V/V at n = 1.5). FinFETs, 16 nm and
// below, have a published barrier lowering of 0.03 V/V and a swing of 65 mV, n = 1.09 (Wu et al., IEDM
// 2013, from memory): k = 1.06 a volt. The power law
// itself falls too fast below half of the supply: at 0.4 V of 0.9 V it gives 0.017 of the static
// power, DIBL 0.05, circuit simulation of a row 0.074 (cache paper, table 3).
//
// Gate current: exponent 2, assumed (no public fit; tunnelling falls somewhat faster).
#include "power/tech.h"

#include <math.h>
#include <string.h>

static const struct tech_row rows[] = {
#include "power/tech.def"
};

const char *tech_type_name(enum tech_type type) {
    static const char *const name[TECH_TYPES] = {"HP", "LSTP", "LOP"};
    return (unsigned)type < TECH_TYPES ? name[type] : "?";
}

static double mix(double a, double b, double f) { return (1 - f) * a + f * b; }

static void mix_rows(struct tech_row *out, const struct tech_row *a, const struct tech_row *b,
                     double f) {
    *out = *a;
#define MIX(field) out->field = mix(a->field, b->field, f)
    MIX(node_nm), MIX(vdd_v), MIX(vth_v), MIX(cg_ideal), MIX(cfringe), MIX(coverlap), MIX(cj);
    MIX(cjsw), MIX(ion), MIX(rn), MIX(rp), MIX(beta), MIX(alpha), MIX(long_channel);
    MIX(logic_scale), MIX(gate_density), MIX(short_circuit), MIX(sense_delay_s);
    MIX(sense_energy_j);
    for (unsigned i = 0; i < WW_COUNT(out->ioff); i++) MIX(ioff[i]), MIX(ig[i]);
    for (unsigned i = 0; i < TECH_PLANES; i++) {
        MIX(wire[i].pitch_um), MIX(wire[i].r), MIX(wire[i].c);
        MIX(conservative[i].pitch_um), MIX(conservative[i].r), MIX(conservative[i].c);
    }
#undef MIX
}

static double at_temperature(const double table[11], double kelvin) {
    double x = (kelvin - 300.0) / 10.0;
    unsigned i = (unsigned)x;
    if (i > 9) i = 9;
    double f = x - i;
    return exp(mix(log(table[i]), log(table[i + 1]), f));
}

void tech_conservative_wires(struct tech *t) {
    memcpy(t->row.wire, t->row.conservative, sizeof t->row.wire);
}

static const double KELVIN_V = 8.617333e-5; // V/K: k / q

// DIBL's k in 1/V at a temperature.
static double ioff_slope(const struct tech_row *r, double kelvin) {
    const double planar = r->type == TECH_LOP ? 5.0 : 4.0, fin = 0.030 / (1.09 * KELVIN_V * 300);
    double m = planar;
    if (r->node_nm < 32) m = mix(2.0, planar, fmax(r->node_nm - 22, 0) / 10);
    double k = m / r->vdd_v;
    if (r->node_nm < 22) k = mix(fin, k, fmax(r->node_nm - 16, 0) / 6);
    return k * 300 / kelvin;
}

// Sub-threshold current at a supply over that at another.
static double ioff_ratio(const struct tech_row *r, double kelvin, double v, double from_v) {
    double vt = KELVIN_V * kelvin;
    return exp(ioff_slope(r, kelvin) * (v - from_v)) * -expm1(-v / vt) / -expm1(-from_v / vt);
}

void tech_leak_at(const struct tech *t, double vdd_v, double *sub, double *gate) {
    double v = vdd_v / t->vdd_v;
    *sub = ioff_ratio(&t->row, t->temperature_k, vdd_v, t->vdd_v);
    *gate = v * v;
}

enum ww_status tech_init(struct tech *t, double node_nm, enum tech_type type, double vdd_v,
                         double temperature_k, struct diags *d) {
    const struct tech_row *above = NULL, *below = NULL; // neighbours, node above and below
    for (unsigned i = 0; i < WW_COUNT(rows); i++) {
        const struct tech_row *r = &rows[i];
        if (r->type != type) continue;
        if (r->node_nm >= node_nm && (!above || r->node_nm < above->node_nm)) above = r;
        if (r->node_nm <= node_nm && (!below || r->node_nm > below->node_nm)) below = r;
    }
    if (!above || !below)
        return diag_add(d, WW_ERROR_CONFIG,
                        "no device table for %g nm %s: the power model has planar nodes from 90 "
                        "down to 22 nm and, for HP devices, FinFETs from 16 down to 4 nm",
                        node_nm, tech_type_name(type));
    if (!(temperature_k >= 300 && temperature_k <= 400))
        return diag_add(d, WW_ERROR_CONFIG,
                        "temperature %g K is outside the device tables: 300 to 400 K",
                        temperature_k);
    *t = (struct tech){0};
    double span = above->node_nm - below->node_nm;
    const double share = span > 0 ? (above->node_nm - node_nm) / span : 0;
    mix_rows(&t->row, above, below, share);
    t->row.f_nm = below->f_nm > 0 ? mix(above->f_nm > 0 ? above->f_nm : above->node_nm, below->f_nm,
                                        share)
                                  : node_nm;
    const struct tech_row *r = &t->row;
    t->vdd_v = vdd_v == 0 ? r->vdd_v : vdd_v;
    if (!(t->vdd_v >= r->vth_v + 0.1 && t->vdd_v <= 1.3 * r->vdd_v))
        return diag_add(d, WW_ERROR_CONFIG,
                        "supply %g V is outside the model's range for %g nm %s: %.2f to %.2f V",
                        t->vdd_v, node_nm, tech_type_name(type), r->vth_v + 0.1, 1.3 * r->vdd_v);
    t->f_um = r->f_nm * 1e-3;
    t->temperature_k = temperature_k;
    t->cg = r->cg_ideal + r->coverlap + 3 * r->cfringe;
    double drive = pow((t->vdd_v - r->vth_v) / (r->vdd_v - r->vth_v), r->alpha);
    double slower = t->vdd_v / r->vdd_v / drive;
    t->rn = r->rn * slower;
    t->rp = r->rp * slower;
    double v = t->vdd_v / r->vdd_v;
    t->ioff =
        at_temperature(r->ioff, temperature_k) * ioff_ratio(r, temperature_k, t->vdd_v, r->vdd_v);
    t->ig = at_temperature(r->ig, temperature_k) * v * v;
    return WW_OK;
}
