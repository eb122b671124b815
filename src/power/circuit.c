// Gates, wires and small blocks from device data, after the equations of CACTI 5/6.5, McPAT and
// Orion as they are public; the sizes below are theirs. Left out: folding of wide transistors
// (drain capacitance is of the unfolded device), layout irregularity (a factor at the chip).
//
// One wire model everywhere: the capacitances of tech.def with both neighbours quiet. Data lines
// are taken to charge on half of their transfers (random data change on half of the cycles, and
// half of the changes charge; a pair of request and reply phases returns the lines, hence a half,
// not a quarter). DATA_ACTIVITY is that half.
#include "power/circuit.h"

#include <math.h>

static const double DATA_ACTIVITY = 0.5;
static const double STACK_FACTOR = 0.43; // McPAT: leakage for each further off device in series
static const double STAGE_EFFORT = 4;    // logical effort's best stage, rounded

void block_add(struct block *sum, const struct block *b, double times) {
    sum->area_um2 += b->area_um2 * times;
    sum->energy_j += b->energy_j * times;
    sum->leak_sub_w += b->leak_sub_w * times;
    sum->leak_gate_w += b->leak_gate_w * times;
}

double circuit_min_w(const struct tech *t) { return 1.5 * t->f_um; }

double circuit_gate_cap(const struct tech *t, double w) { return t->cg * w; }

double circuit_drain_cap(const struct tech *t, double w, unsigned stack) {
    const struct tech_row *r = &t->row;
    double wd = 3 * t->f_um + (stack - 1) * 1.5 * t->f_um;
    return r->cj * wd * w + r->cjsw * (w + 2 * wd) +
           2 * (r->cfringe + r->coverlap) * w * (1 + 2.0 * (stack - 1));
}

void circuit_nand_leak(const struct tech *t, unsigned n, double wn, double *sub_w, double *gate_w) {
    double wp = wn * t->row.beta, sum = 0, choose = 1, states = ldexp(1, (int)n);
    for (unsigned k = 1; k <= n; k++) {
        choose *= (double)(n - k + 1) / k;
        sum += choose * pow(STACK_FACTOR, k - 1);
    }
    *sub_w = t->vdd_v * t->ioff * (n * wp + wn * sum) / states;
    *gate_w = t->vdd_v * t->ig * n * (wn + wp) / 2;
}

double circuit_gate_area(const struct tech *t, unsigned inputs, double wn) {
    // 50 F high; P devices take two thirds of it: fold to that, pitch of a finger 3 F + an edge
    double f = t->f_um, wp = wn * t->row.beta;
    double fingers = ceil(wp / (2.0 / 3 * 41 * f)); // 41 F: the height less the supply rails
    return 50 * f * (3 * f * (inputs * fingers + 1));
}

struct block circuit_chain(const struct tech *t, double load_f) {
    struct block b = {0};
    double w = circuit_min_w(t), beta = t->row.beta;
    double cin = circuit_gate_cap(t, w * (1 + beta));
    double stages = fmax(1, ceil(log(load_f / cin) / log(STAGE_EFFORT)));
    double effort = pow(fmax(load_f / cin, 1), 1 / stages);
    for (int i = 0; i < (int)stages; i++, w *= effort) {
        double next = i + 1 < (int)stages ? circuit_gate_cap(t, w * effort * (1 + beta)) : load_f;
        double c = circuit_drain_cap(t, w, 1) + circuit_drain_cap(t, w * beta, 1) + next;
        double sub, gate;
        b.energy_j += c * t->vdd_v * t->vdd_v;
        b.delay_s += 0.69 * t->rn / w * c;
        circuit_nand_leak(t, 1, w, &sub, &gate);
        b.leak_sub_w += sub;
        b.leak_gate_w += gate;
        b.area_um2 += circuit_gate_area(t, 1, w);
    }
    return b;
}

struct block circuit_decoder(const struct tech *t, unsigned rows, double load_f, double length_um) {
    struct block row = circuit_chain(t, load_f), b = {.delay_s = row.delay_s};
    if (rows <= 1) { // nothing to decode: the line's driver alone
        block_add(&b, &row, 1);
        return b;
    }
    unsigned bits = (unsigned)ceil(log2(rows)), groups = (bits + 2) / 3;
    double wn = 2 * circuit_min_w(t), sub, gate;
    unsigned fanin = groups < 2 ? 2 : groups;
    // predecoders: 8 lines a group (fewer for small ones), each over the height past rows / 8 gates
    unsigned lines = rows < 8 ? rows : 8;
    double c_line = rows / (double)lines * circuit_gate_cap(t, wn * (1 + t->row.beta)) +
                    length_um * t->row.wire[TECH_LOCAL].c;
    struct block line = circuit_chain(t, c_line);
    block_add(&b, &line, groups * lines);
    b.energy_j = 0;
    b.energy_j += groups * line.energy_j; // one line a group rises
    b.delay_s += line.delay_s;
    circuit_nand_leak(t, fanin, wn, &sub, &gate);
    b.leak_sub_w += rows * (sub + row.leak_sub_w);
    b.leak_gate_w += rows * (gate + row.leak_gate_w);
    b.area_um2 += rows * (circuit_gate_area(t, fanin, wn) + row.area_um2);
    double c_nand = fanin * circuit_drain_cap(t, wn * t->row.beta, 1) +
                    circuit_drain_cap(t, wn, fanin) +
                    circuit_gate_cap(t, circuit_min_w(t) * (1 + t->row.beta));
    b.energy_j += c_nand * t->vdd_v * t->vdd_v + row.energy_j;
    b.delay_s += 0.69 * fanin * t->rn / wn * c_nand;
    return b;
}

// A wire whose repeaters are `small` times the delay-optimal size and `far` times as far apart.
static struct block wire_with(const struct tech *t, enum tech_plane plane, double length_um,
                              double small, double far) {
    const struct tech_wire *wire = &t->row.wire[plane];
    double w = circuit_min_w(t), beta = t->row.beta, v = t->vdd_v;
    double ro = (t->rn / w + t->rp / (w * beta)) / 2;
    double cin = circuit_gate_cap(t, w * (1 + beta));
    double h = small * sqrt(ro * wire->c / (wire->r * cin));
    // a drain's ends weigh less the wider it is: of the repeater's own width, for one of minimum
    double cout = (circuit_drain_cap(t, h * w, 1) + circuit_drain_cap(t, h * w * beta, 1)) / h;
    double spacing = far * sqrt(2 * ro * (cout + cin) / (wire->r * wire->c));
    double n = length_um / spacing; // fractions: the wire's share of the next repeater
    double tau = ro * (cin + cout) + ro * wire->c * spacing / h + wire->r * spacing * h * cin +
                 0.5 * wire->r * wire->c * spacing * spacing;
    double sub, gate;
    circuit_nand_leak(t, 1, h * w, &sub, &gate);
    return (struct block){
        .area_um2 = n * circuit_gate_area(t, 1, h * w),
        // switching, and a short-circuit current of 65 uA a um of width for ln 3 of the ramp
        // (McPAT)
        .energy_j =
            n * (v * v * (h * (cin + cout) + spacing * wire->c) + v * w * 65e-6 * 1.0986 * h * tau),
        .leak_sub_w = n * sub,
        .leak_gate_w = n * gate,
        .delay_s = n * 0.693 * tau,
    };
}

struct block circuit_wire(const struct tech *t, enum tech_plane plane, double length_um) {
    return wire_with(t, plane, length_um, 1, 1);
}

struct block circuit_wire_slack(const struct tech *t, enum tech_plane plane, double length_um,
                                double slack) {
    struct block base = wire_with(t, plane, length_um, 1, 1), best = base;
    double least = 2;
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 13; k++) {
            struct block b = wire_with(t, plane, length_um, 1 - i / 20.0, 1 + k / 4.0);
            if (b.delay_s > (1 + slack) * base.delay_s) continue;
            double cost = b.energy_j / base.energy_j +
                          (b.leak_sub_w + b.leak_gate_w) / (base.leak_sub_w + base.leak_gate_w);
            if (cost < least) least = cost, best = b;
        }
    return best;
}

struct block circuit_dff(const struct tech *t, double *clock_j) {
    double wn = circuit_min_w(t), beta = t->row.beta, v2 = t->vdd_v * t->vdd_v;
    double sub2, gate2, sub3, gate3;
    circuit_nand_leak(t, 2, wn, &sub2, &gate2);
    circuit_nand_leak(t, 3, wn, &sub3, &gate3);
    double node = 2 * circuit_drain_cap(t, wn * beta, 1) + circuit_drain_cap(t, wn, 2) +
                  circuit_gate_cap(t, wn * (1 + beta));
    double clock = 2 * circuit_gate_cap(t, wn * (1 + beta)) * v2; // two gates a bit, up and down
    double change = 0.5 * (6 + 2) * node * v2; // six nodes inside and the load of two
    if (clock_j) *clock_j = clock;
    return (struct block){
        .area_um2 = 5 * circuit_gate_area(t, 2, wn) + circuit_gate_area(t, 3, wn),
        .energy_j = clock + DATA_ACTIVITY * change + (1 - DATA_ACTIVITY) * node * v2,
        .leak_sub_w = 5 * sub2 + sub3,
        .leak_gate_w = 5 * gate2 + gate3,
        .delay_s = 3 * 0.69 * 2 * t->rn / wn * node,
    };
}

struct block circuit_queue(const struct tech *t, double bits, double written_bits) {
    struct block b = {0}, dff = circuit_dff(t, NULL);
    block_add(&b, &dff, bits);
    b.energy_j = written_bits * dff.energy_j;
    b.delay_s = dff.delay_s;
    return b;
}

struct block circuit_crossbar(const struct tech *t, unsigned inputs, unsigned outputs,
                              unsigned width) {
    const struct tech_wire *wire = &t->row.wire[TECH_SEMIGLOBAL];
    double wn = 12.5 * t->f_um, beta = t->row.beta, v2 = t->vdd_v * t->vdd_v; // Orion's tri-state
    double across = wire->pitch_um * outputs * width, down = wire->pitch_um * inputs * width;
    double cin = circuit_gate_cap(t, wn * (1 + beta)); // a tri-state on the row
    double cout = circuit_drain_cap(t, wn, 2) + circuit_drain_cap(t, wn * beta, 2);
    double c_row = across * wire->c + outputs * cin, c_col = down * wire->c + inputs * cout;
    struct block driver = circuit_chain(t, c_row), b = {0};
    double sub, gate;
    circuit_nand_leak(t, 2, wn, &sub, &gate);
    double n = (double)inputs * outputs * width;
    b.leak_sub_w = n * sub + inputs * width * driver.leak_sub_w;
    b.leak_gate_w = n * gate + inputs * width * driver.leak_gate_w;
    b.area_um2 =
        fmax(across * down, n * circuit_gate_area(t, 2, wn)) + inputs * width * driver.area_um2;
    b.energy_j = width * DATA_ACTIVITY * (driver.energy_j + c_col * v2);
    b.delay_s = driver.delay_s + 0.69 * 2 * t->rn / wn * c_col +
                0.38 * wire->r * wire->c * (across * across + down * down);
    return b;
}

struct block circuit_selector(const struct tech *t, unsigned requests) {
    double f = t->f_um, v2 = t->vdd_v * t->vdd_v, cells = 1, levels = 1;
    for (double left = requests; left > 4; left = ceil(left / 4), levels++) cells += ceil(left / 4);
    // Palacharla's cell (0.8 um layout over F): OR 12.5 N and 50 P, encoder 12.5 N and 18.75 P
    double c_or = 4 * circuit_drain_cap(t, 12.5 * f, 1) + circuit_drain_cap(t, 50 * f, 1) +
                  circuit_gate_cap(t, 12.5 * f);
    double c_enc = 4 * (circuit_drain_cap(t, 12.5 * f, 2) + circuit_drain_cap(t, 18.75 * f, 1) +
                        circuit_gate_cap(t, 31.25 * f));
    double sub, gate, sub4, gate4;
    circuit_nand_leak(t, 2, 12.5 * f, &sub, &gate);
    circuit_nand_leak(t, 4, 12.5 * f, &sub4, &gate4);
    // round-robin: a phase counter, an inverter a request that turns the priority
    double phase = ceil(log2(fmax(requests, 2)));
    struct block count = circuit_queue(t, phase, phase), b = {0};
    b.area_um2 =
        cells * (4 * circuit_gate_area(t, 2, 12.5 * f) + circuit_gate_area(t, 4, 12.5 * f)) +
        requests * circuit_gate_area(t, 1, circuit_min_w(t));
    b.leak_sub_w = cells * (4 * sub + sub4);
    b.leak_gate_w = cells * (4 * gate + gate4);
    b.energy_j = cells * (c_or + c_enc) * v2 * 2; // requests up, the grant down
    b.delay_s = 2 * levels * 0.69 * 2 * t->rn / (12.5 * f) * (c_or + c_enc / 4);
    block_add(&b, &count, 1);
    return b;
}
