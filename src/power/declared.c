// Access to declared.def. Nothing is computed here but interpolations between published values.
#include "power/declared.h"

#include <math.h>

const struct declared_info declared_info[DECLARED_N] = {
#define DECLARED(name, nm, v, value, unit, source) {#name, nm, v, value, unit, source},
#include "power/declared.def"
#undef DECLARED
};

_Static_assert(DECLARED_l1_row_leak_09 == DECLARED_l1_row_leak_02 + 3 &&
                   DECLARED_l2_row_leak_09 == DECLARED_l2_row_leak_02 + 3,
               "a cache's four rows stand together");

double declared_row_leak(bool l2, double vdd_v) {
    const struct declared_info *row =
        &declared_info[l2 ? DECLARED_l2_row_leak_02 : DECLARED_l1_row_leak_02];
    for (unsigned i = 0; i < 3; i++) {
        const struct declared_info *a = &row[i], *b = &row[i + 1];
        if (!(vdd_v >= a->vdd_v && vdd_v <= b->vdd_v)) continue;
        double f = (vdd_v - a->vdd_v) / (b->vdd_v - a->vdd_v);
        return exp((1 - f) * log(a->value) + f * log(b->value)) / row[3].value;
    }
    return NAN;
}

const char declared_finfet_prose[] =
    "Declared circuit data: published 7 nm FinFET register files (8T cells, 0.45 V and, near "
    "threshold, 0.3 V) and a power law of size through their points; 16 nm lies between the array "
    "model at 22 nm and these on a logarithmic line.";

static double value(enum declared i) { return declared_info[i].value; }

double declared_retention_v(double node_nm) {
    if (!(node_nm >= 12 && node_nm <= 90)) return NAN;
    if (node_nm < 22) node_nm = 22;
    const struct declared_info
        *a = &declared_info[DECLARED_cell65_drv],
        *b = &declared_info[node_nm > 65 ? DECLARED_cell90_drv : DECLARED_cell32_drv];
    return a->value + (b->value - a->value) * (node_nm - a->node_nm) / (b->node_nm - a->node_nm);
}

// The line through two published sizes, in logarithms.
static double by_size(enum declared large, enum declared small, double kb) {
    double slope = log(value(large) / value(small)) / log(256.0 / 32);
    return value(large) * pow(kb / 256, slope);
}

// Of one published kind at a supply between 0.3 and 0.45 V.
static double by_supply(double full, double near_share, double vdd_v) {
    return full * pow(near_share, (0.45 - vdd_v) / 0.15);
}

static void seven(double kb, double bits, double vdd_v, bool back_gates, double hotter,
                  struct array *a) {
    double access = by_size(DECLARED_rf7_main_access, DECLARED_rf7_fast_high_access, kb);
    double leak = by_size(DECLARED_rf7_main_leak, DECLARED_rf7_fast_leak, kb);
    double near_access = value(DECLARED_rf7_slow_access) /
                         by_size(DECLARED_rf7_main_access, DECLARED_rf7_fast_high_access, 224);
    double near_leak = value(DECLARED_rf7_slow_leak) /
                       by_size(DECLARED_rf7_main_leak, DECLARED_rf7_fast_leak, 224);
    double low = value(DECLARED_rf7_fast_low_access) / value(DECLARED_rf7_fast_high_access);
    a->read_j = by_supply(access, near_access, vdd_v) * bits / 1024 * (back_gates ? 1 : low);
    a->write_j = a->read_j; // table 6.4 has one energy for an access
    a->leak_sub_w = by_supply(leak, near_leak, vdd_v) * hotter;
    a->area_mm2 = value(DECLARED_rf7_main_area) * kb / 256;
    a->delay_s = by_supply(value(DECLARED_rf7_fast_time) * sqrt(kb / 32),
                           value(DECLARED_rf7_slow_times), vdd_v);
    a->cycle_s = a->delay_s;
}

enum ww_status declared_finfet(double node_nm, const struct array_config *c, double vdd_v,
                               double temperature_k, bool back_gates, struct array *out,
                               struct diags *d) {
    double banks = c->banks ? c->banks : 1, bits = c->out_bits ? c->out_bits : c->bits;
    double line = c->bits + (c->kind == ARRAY_CACHE ? c->tag_bits : 0);
    double kb = c->entries * line * banks / 8192;
    if (node_nm != 16 && node_nm != 7)
        return diag_add(
            d, WW_ERROR_CONFIG,
            "no published FinFET array at %g nm: declared circuit data serve 16 and 7 nm", node_nm);
    if (c->kind == ARRAY_CAM)
        return diag_add(d, WW_ERROR_CONFIG,
                        "no published CAM at %g nm: only register files and RAM", node_nm);
    if (!(kb >= 1 && kb <= 8192))
        return diag_add(
            d, WW_ERROR_CONFIG,
            "an array of %g KB at %g nm: the published sizes, 32 to 256 KB, are extended "
            "to 1 KB and 8 MB, no farther",
            kb, node_nm);
    struct tech planar; // the devices nearest to these in the tables
    enum ww_status s = tech_init(&planar, 22, TECH_HP, 0, temperature_k, d);
    if (s != WW_OK) return s;
    struct tech cold;
    s = tech_init(&cold, 22, TECH_HP, 0, 300, d);
    if (s != WW_OK) return s;
    double hotter = planar.ioff / cold.ioff;
    *out = (struct array){0};
    if (node_nm == 7) {
        double v = vdd_v == 0 ? 0.45 : vdd_v;
        if (!(v >= 0.3 && v <= 0.45))
            return diag_add(d, WW_ERROR_CONFIG,
                            "supply %g V is outside the published 7 nm arrays: 0.3 to 0.45 V", v);
        seven(kb, bits, v, back_gates, hotter, out);
        return WW_OK;
    }
    double f = log(22.0 / 16) / log(22.0 / 7), nominal = pow(planar.vdd_v, 1 - f) * pow(0.45, f);
    double v = vdd_v == 0 ? nominal : vdd_v;
    if (!(v >= 0.7 * nominal && v <= 1.2 * nominal))
        return diag_add(d, WW_ERROR_CONFIG,
                        "supply %g V is outside the range for 16 nm: %.2f to %.2f V", v,
                        0.7 * nominal, 1.2 * nominal);
    struct array large, small;
    s = array_build(&planar, c, &large, d);
    if (s != WW_OK) return s;
    seven(kb, bits, 0.45, back_gates, hotter, &small);
    struct tech moved; // the 22 nm devices, their supply moved by the same share
    s = tech_init(&moved, 22, TECH_HP, planar.vdd_v * v / nominal, temperature_k, d);
    if (s != WW_OK) return s;
    double v2 = v * v / (nominal * nominal), static_share = v / nominal * moved.ioff / planar.ioff;
#define BETWEEN(field, from, times) out->field = pow((from), 1 - f) * pow(small.field, f) * (times)
    BETWEEN(read_j, large.read_j, v2);
    BETWEEN(write_j, large.write_j, v2);
    BETWEEN(leak_sub_w, large.leak_sub_w + large.leak_gate_w, static_share);
    BETWEEN(area_mm2, large.area_mm2, 1);
    BETWEEN(delay_s, large.delay_s, 1 / (tech_speed(&moved) / tech_speed(&planar)));
    BETWEEN(cycle_s, large.cycle_s, 1 / (tech_speed(&moved) / tech_speed(&planar)));
#undef BETWEEN
    return WW_OK;
}
