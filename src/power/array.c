// The array model, after CACTI 5/6.5's published equations, in less detail.
//
// `words` words of `bits` bits lie in ndwl x ndbl sub-arrays; a row of sub-arrays holds nspd words
// side by side. An access fires one row in each of ndwl sub-arrays; column multiplexers choose one
// of ndcm words before the sense amplifiers. Two by two, sub-arrays form mats with their outputs in
// the middle; an H-tree of repeated wires joins the mats and ends at the middle of an edge. A bank
// that is a single sub-array has its port along its lower edge and no tree.
//
//   word line   C = columns (2 Cg(1.31 F) + w_cell c_local), driven by a chain behind the row
//               decoder. Divided: the chain drives a semi-global line and a gate a part, the gate
//               a chain and the part's local line
//   bit line    C = rows (Cd(1.31 F) / 2 + h_cell c_local)
//   read        2 C dV V a column, dV = max(V / 20, 80 mV): the word line stays up until the sense
//               amplifier has fired, by when the swing is about twice what that one needs
//   write       C V^2 and its driver a written column (of a pair one line falls, whatever the bit);
//               the other columns of the row as in a read
//   control     precharge and equalise a column (three P devices of 6 beta Wmin), enable a sense
//               amplifier (isolation and foot, three devices of 12.5 F), a flip-flop a bit out
//   wires       semi-global, their repeaters 10 % slower than the fastest for seven tenths of
//               the energy; in and out apart, so that a port of n bits is a channel of 2 n wires
//               and the address. In a small array with a wide port these channels are most of the
//               area: 512 bits at 65 nm are 0.27 mm across, eight thousand bytes of cells 0.2 mm
//   leakage     cell: V Ioff (2.08 F + 1.23 F + half of 1.31 F a port); decoders, sense amplifiers,
//               write drivers and wires beside it
//
// Left out: dummy rows, redundancy, folded transistors, low-swing wires. All partitions are tried;
// `goal` chooses.
#include "power/array.h"

#include <math.h>

const char array_prose[] =
    "Six-transistor cells (146 F2) in sub-arrays; decoder, word line, bit lines, sense amplifiers "
    "and output from device and wire tables; sub-arrays two by two around their outputs, joined "
    "by an H-tree of repeated wires. The partition is searched for: the least weighted sum of "
    "delay, energy, leakage and area, each over its best.";
const char array_cache_prose[] =
    "Two arrays, tags and data, searched apart; a comparator a way. Parallel access reads the data "
    "of all ways, sequential access those of the hit way after the tags.";
const char array_cam_prose[] =
    "Cells twice as high with compare devices; a search drives a line a tag bit over all rows and "
    "lets every match line but one fall.";
const char array_word_parts_prose[] =
    "A divided word line: the row's line drives one gate a part, the active mask opens the gates, "
    "and bit lines, sense amplifiers and outputs of the other parts stay quiet.";

static const double ACCESS_F = 1.31, PULL_UP_F = 1.23, PULL_DOWN_F = 2.08; // cell devices, in F
static const double CELL_W_F = 10, CELL_H_F = 14.6, CAM_CELL_H_F = 29.2;   // 146 and 292 F^2
// Precharge, column multiplexer, sense amplifier and write driver under a sub-array: height in F,
// assumed: three rows of 50 F gates.
static const double STRIP_F = 150;
static const double WIRE_SLACK = 0.1; // CACTI's "10 % delay penalty", what its defaults choose

static unsigned ports_of(const struct array_config *c) {
    unsigned n = c->rw_ports + c->read_ports + c->write_ports;
    return n ? n : 1;
}

void array_cell_leak(const struct tech *t, const struct array_config *c, double *sub_w,
                     double *gate_w) {
    double f = t->f_um;
    *sub_w = t->vdd_v * t->ioff * f * (PULL_DOWN_F + PULL_UP_F + 0.5 * ACCESS_F * ports_of(c));
    // one inverter has its N, the other its P turned on
    *gate_w = t->vdd_v * t->ig * f * (PULL_DOWN_F + PULL_UP_F);
}

// `t` with currents scaled so that a cell of one port leaks c->cell_leak_a at nominal supply, 300
// K.
static enum ww_status scale_leak(const struct tech *t, const struct array_config *c,
                                 struct tech *scaled, struct diags *d) {
    struct tech nominal;
    *scaled = *t;
    if (!(c->cell_leak_a > 0)) return WW_OK;
    enum ww_status s = tech_init(&nominal, t->row.node_nm, t->row.type, 0, 300, d);
    if (s != WW_OK) return s;
    double sub, gate;
    array_cell_leak(&nominal, &(struct array_config){.rw_ports = 1}, &sub, &gate);
    double scale = c->cell_leak_a * nominal.vdd_v / (sub + gate);
    scaled->ioff *= scale;
    scaled->ig *= scale;
    return WW_OK;
}

// A plain RAM to be laid out: `words` of `bits`, of which `out_bits` reach the port.
struct plan {
    const struct tech *t;
    const struct array_config *c;
    unsigned words, bits, out_bits, parts;
    bool cam, tags;  // tags: no forced partition, no divided word line
    struct block um; // of repeated wire, a um
    double fo4_s;    // an inverter that drives four of its size
    double cell_sub_w, cell_gate_w;
};

static struct plan plan_for(const struct tech *t, const struct array_config *c, unsigned words,
                            unsigned bits, unsigned out_bits) {
    struct plan p = {.t = t, .c = c, .words = words, .bits = bits, .out_bits = out_bits};
    p.um = circuit_wire_slack(t, TECH_SEMIGLOBAL, 1, WIRE_SLACK);
    double w = circuit_min_w(t), beta = t->row.beta;
    p.fo4_s = 0.69 * t->rn / w *
              (circuit_drain_cap(t, w, 1) + circuit_drain_cap(t, w * beta, 1) +
               4 * circuit_gate_cap(t, w * (1 + beta)));
    array_cell_leak(t, c, &p.cell_sub_w, &p.cell_gate_w);
    p.parts = c->word_parts > 1 ? c->word_parts : 1;
    return p;
}

static double activity_of(const struct array_config *c) {
    return c->activity > 0 ? c->activity : 0.5;
}

struct tree {
    double w, h; // um, grows as levels are added
    double data_j, address_j, leak_sub_w, leak_gate_w, delay_s;
};

// `data` and `address` lines of `um` length switch; `all` lines of that length stand there. The
// address goes the way in, the data go the way out; where ways meet the address passes a buffer and
// the data a gate with its driver (three fan-outs of four in sum).
static void tree_wires(const struct plan *p, struct tree *n, double data_um, double address_um,
                       double all_um, double way_um) {
    n->data_j += activity_of(p->c) * p->um.energy_j * data_um;
    n->address_j += 0.5 * p->um.energy_j * address_um;
    n->leak_sub_w += p->um.leak_sub_w * all_um;
    n->leak_gate_w += p->um.leak_gate_w * all_um;
    n->delay_s += 2 * (p->um.delay_s * way_um) + 3 * p->fo4_s;
}

// Puts sub-arrays of w x h around the outputs of their mat and joins the mats two by two, first
// along y, then along x: the channel along x carries as many bits whenever it comes, so it should
// be one.
static struct tree h_tree(const struct plan *p, unsigned ndwl, unsigned ndbl, double w, double h) {
    double pitch = p->t->row.wire[TECH_SEMIGLOBAL].pitch_um, ports = ports_of(p->c);
    double address = ceil(log2(fmax(p->words, 2)));
    struct tree n = {.w = w, .h = h};
    if (ndwl * ndbl == 1) return n; // the port is along its lower edge
    unsigned mx = ndwl > 1 ? 2 : 1, my = ndbl > 1 ? 2 : 1, nh = mx, nv = my;
    double subs = (double)ndwl * ndbl, mats = subs / (mx * my);
    double data = (double)p->out_bits / ndwl; // of a sub-array
    // in the mat: a bit comes from half way along its sub-array to the middle
    tree_wires(p, &n, p->out_bits * w / 2, (double)ndwl / mx * address * w / 2,
               mats * ports * (2 * data * mx + address) * w / 2, w / 2);
    n.w = mx * w, n.h = my * h + pitch * ports * (2 * data + address);
    while (nh < ndwl || nv < ndbl) {
        bool along_x = nv >= ndbl;
        double parts = (double)ndwl / (along_x ? 2 * nh : nh); // active in an access
        double all = parts * ((double)ndbl / (along_x ? nv : 2 * nv));
        data = p->out_bits / parts; // bits of one of them
        double channel = pitch * ports * (2 * data + address);
        if (along_x) { // data split to both sides, the address goes to both
            tree_wires(p, &n, parts * data * n.w / 2, parts * 2 * address * n.w / 2,
                       all * ports * (2 * data + 2 * address) * n.w / 2, n.w / 2);
            n.w *= 2, n.h += channel, nh *= 2;
        } else { // one side answers
            tree_wires(p, &n, parts * data * n.h / 2, parts * address * n.h / 2,
                       all * ports * 2 * (2 * data + address) * n.h / 2, n.h / 2);
            n.h *= 2, n.w += channel, nv *= 2;
        }
    }
    if (p->c->port_in_middle) return n;
    double edge = fmin(n.w, n.h) / 2; // from the middle to the port
    tree_wires(p, &n, p->out_bits * edge, address * edge,
               ports * (2 * p->out_bits + address) * edge, edge);
    return n;
}

// A word line over columns cells of width cell_w. Undivided: `load_f` is all of it and `part`
// empty.
struct word_line {
    double load_f;     // on the row's driver
    double wire_s;     // time of that line as a wire
    struct block part; // gate, driver and line of a part; delay_s from the gate on
};

static struct word_line word_line(const struct tech *t, unsigned columns, unsigned parts,
                                  double cell_w) {
    const struct tech_wire *local = &t->row.wire[TECH_LOCAL];
    double f = t->f_um, v2 = t->vdd_v * t->vdd_v;
    double c_cell = 2 * circuit_gate_cap(t, ACCESS_F * f) + cell_w * local->c;
    struct word_line l = {0};
    if (parts <= 1) {
        l.load_f = columns * c_cell;
        l.wire_s = 0.38 * local->r * cell_w * columns * l.load_f;
        return l;
    }
    const struct tech_wire *global = &t->row.wire[TECH_SEMIGLOBAL];
    double wn = 2 * circuit_min_w(t), length = columns * cell_w, sub, gate; // the gate: a NAND
    double cells = (double)columns / parts, c_part = cells * c_cell;
    l.load_f = length * global->c + parts * circuit_gate_cap(t, wn * (1 + t->row.beta));
    l.wire_s = 0.38 * global->r * length * l.load_f;
    l.part = circuit_chain(t, c_part);
    double c_nand = 2 * circuit_drain_cap(t, wn * t->row.beta, 1) + circuit_drain_cap(t, wn, 2) +
                    circuit_gate_cap(t, circuit_min_w(t) * (1 + t->row.beta));
    circuit_nand_leak(t, 2, wn, &sub, &gate);
    l.part.energy_j += c_nand * v2;
    l.part.leak_sub_w += sub;
    l.part.leak_gate_w += gate;
    l.part.area_um2 += circuit_gate_area(t, 2, wn);
    l.part.delay_s += 0.69 * 2 * t->rn / wn * c_nand + 0.38 * local->r * cell_w * cells * c_part;
    return l;
}

double array_word_line_s(const struct tech *t, unsigned columns, unsigned parts) {
    struct word_line l = word_line(t, columns, parts, CELL_W_F * t->f_um);
    return circuit_chain(t, l.load_f).delay_s + l.wire_s + l.part.delay_s;
}

static bool lay_out(const struct plan *p, unsigned ndwl, unsigned ndbl, unsigned nspd,
                    unsigned ndcm, struct array *a) {
    const struct tech *t = p->t;
    const struct array_config *c = p->c;
    double f = t->f_um, v = t->vdd_v, v2 = v * v;
    unsigned rows = (p->words + ndbl * nspd - 1) / (ndbl * nspd);
    unsigned columns = (unsigned)(((uint64_t)p->bits * nspd + ndwl - 1) / ndwl);
    if ((ndbl > 1 && rows < 16) || (ndwl > 1 && columns < 16) || nspd > p->words) return false;
    if (rows > 4096 || columns > 8192) return false;

    double pitch = t->row.wire[TECH_LOCAL].pitch_um, c_wire = t->row.wire[TECH_LOCAL].c;
    unsigned ports = ports_of(c), more_rw = c->rw_ports + c->write_ports;
    more_rw = more_rw ? more_rw - 1 : 0;
    double cell_w = CELL_W_F * f + 2 * pitch * (more_rw + c->read_ports);
    double cell_h = (p->cam ? CAM_CELL_H_F : CELL_H_F) * f + pitch * (2 * more_rw + c->read_ports);

    unsigned parts = p->parts > ndwl ? p->parts / ndwl : 1; // of a sub-array's word line
    struct word_line line = word_line(t, columns, parts, cell_w);
    double c_bit = rows * (circuit_drain_cap(t, ACCESS_F * f, 1) / 2 + cell_h * c_wire);
    double c_mux = ndcm > 1 ? ndcm * circuit_drain_cap(t, 8 * f, 1) : 0;
    double high = rows * cell_h, wide = columns * cell_w + 7.5 * f * ceil(columns / 16.0); // straps
    if (parts > 1) wide += parts * line.part.area_um2 / cell_h;
    struct block decode = circuit_decoder(t, rows, line.load_f, high);
    struct block strip_driver = circuit_chain(t, c_bit + c_mux); // write driver, a sense amplifier

    double sense_n = (double)columns / ndcm, write_n = (double)columns / nspd;
    double field = high * wide, strip = wide * STRIP_F * f;
    double leaf = field + ports * (decode.area_um2 + strip);
    double h = high + ports * STRIP_F * f;
    struct tree tree = h_tree(p, ndwl, ndbl, leaf / h, h);

    double subs = (double)ndwl * ndbl, active_columns = (double)columns * ndwl;
    double swing = fmax(0.05 * v, 0.08);
    double sense_scale = v2 / (t->row.vdd_v * t->row.vdd_v);
    double read_swing = 2 * (c_bit + c_mux) * swing * v;
    double senses = active_columns / ndcm, written = (double)p->bits;
    double precharge = 3 * circuit_gate_cap(t, 6 * t->row.beta * circuit_min_w(t)) * v2;
    double enable = 3 * circuit_gate_cap(t, 12.5 * f) * v2;
    double row_j = ndwl * decode.energy_j + tree.address_j;
    double part_lines = parts > 1 ? (double)ndwl * parts * line.part.energy_j : 0;
    double data_j = part_lines + active_columns * precharge +
                    p->out_bits * circuit_dff(t, NULL).energy_j + tree.data_j;
    double read_j = data_j + active_columns * read_swing +
                    senses * (t->row.sense_energy_j * sense_scale + enable);
    double write_j =
        data_j + (active_columns - written) * read_swing + written * strip_driver.energy_j;
    *a = (struct array){
        .rows = rows, .columns = columns, .ndwl = ndwl, .ndbl = ndbl, .nspd = nspd, .ndcm = ndcm};
    a->read_j = row_j + read_j;
    a->write_j = row_j + write_j;
    if (p->parts > 1) {
        a->part_read_j = read_j / p->parts;
        a->part_write_j = write_j / p->parts;
    }
    double sense_sub, sense_gate;
    circuit_nand_leak(t, 1, 3.75 * f, &sense_sub, &sense_gate); // a latch of two
    double cells = (double)p->words * p->bits;
    double gates = parts > 1 ? (double)rows * parts : 0;
    a->cell_sub_w = cells * p->cell_sub_w;
    a->cell_gate_w = cells * p->cell_gate_w;
    a->leak_sub_w = a->cell_sub_w + tree.leak_sub_w +
                    subs * ports *
                        (decode.leak_sub_w + sense_n * 2 * sense_sub +
                         write_n * strip_driver.leak_sub_w + gates * line.part.leak_sub_w);
    a->leak_gate_w = a->cell_gate_w + tree.leak_gate_w +
                     subs * ports *
                         (decode.leak_gate_w + sense_n * 2 * sense_gate +
                          write_n * strip_driver.leak_gate_w + gates * line.part.leak_gate_w);
    a->area_mm2 = tree.w * tree.h * 1e-6;
    a->width_um = tree.w, a->height_um = tree.h;
    double r_cell = t->rn / (ACCESS_F * f) + t->rn / (PULL_DOWN_F * f);
    double bit = r_cell * (c_bit + c_mux) * log(v / (v - swing));
    double sense = t->row.sense_delay_s * t->rn / t->row.rn;
    double word = line.wire_s + line.part.delay_s;
    a->word_line_s = word + circuit_chain(t, line.load_f).delay_s;
    a->delay_s = tree.delay_s + decode.delay_s + word + bit + sense;
    // the lines are charged again to a tenth of the swing, through precharge devices so little
    // below the supply that they are resistors: of (V - Vth) / (2 Ion) by the square law
    double ion_p = t->row.ion / t->row.beta * (v / t->row.vdd_v) * t->row.rn / t->rn;
    double r_precharge = (v - t->row.vth_v) / (2 * ion_p * 6 * t->row.beta * circuit_min_w(t));
    double restore = 2.3 * r_precharge * (c_bit + c_mux);
    a->cycle_s = decode.delay_s + word + bit + sense + restore;
    return true;
}

// Tries every partition, then weighs them: the goal is relative to the best of each figure.
static bool search(const struct plan *p, struct array *best) {
    enum { WORD_LINES = 7, BIT_LINES = 8, WORDS_A_ROW = 5 }; // powers of two from 1 up
    static const struct array_goal even = {1, 1, 1, 1};
    const struct array_config *c = p->c;
    if (c->ndwl && !p->tags)
        return lay_out(p, c->ndwl, c->ndbl ? c->ndbl : 1, c->nspd ? c->nspd : 1,
                       c->ndcm ? c->ndcm : 1, best);
    struct array_goal g = c->goal;
    if (g.delay == 0 && g.energy == 0 && g.leak == 0 && g.area == 0) g = even;
    struct array tried[WORD_LINES * BIT_LINES * WORDS_A_ROW];
    unsigned n = 0;
    double delay = INFINITY, energy = INFINITY, leak = INFINITY, area = INFINITY, least = INFINITY;
    for (unsigned w = 0; w < WORD_LINES; w++)
        for (unsigned b = 0; b < BIT_LINES; b++)
            for (unsigned r = 0; r < WORDS_A_ROW; r++) {
                struct array *const a = &tried[n];
                if (!lay_out(p, 1u << w, 1u << b, 1u << r, 1u << r, a)) continue;
                delay = fmin(delay, a->delay_s), energy = fmin(energy, a->read_j + a->write_j);
                leak = fmin(leak, a->leak_sub_w + a->leak_gate_w), area = fmin(area, a->area_mm2);
                n++;
            }
    for (unsigned i = 0; i < n; i++) {
        const struct array *const a = &tried[i];
        const double cost = g.delay * a->delay_s / delay +
                            g.energy * (a->read_j + a->write_j) / energy +
                            g.leak * (a->leak_sub_w + a->leak_gate_w) / leak +
                            g.area * a->area_mm2 / area;
        if (cost < least) least = cost, *best = *a;
    }
    return isfinite(least);
}

static void compare_tags(const struct tech *t, unsigned bits, unsigned ways, struct array *a) {
    // dynamic comparators of a quarter of the tag each (CACTI: 12.5 F pull-downs)
    double w = 12.5 * t->f_um, v2 = t->vdd_v * t->vdd_v, sub, gate;
    double c = bits * (circuit_drain_cap(t, w, 2) + circuit_gate_cap(t, w)) +
               4 * circuit_gate_cap(t, 2 * w);
    circuit_nand_leak(t, 2, w, &sub, &gate);
    a->read_j += ways * c * v2;
    a->write_j += ways * c * v2;
    a->leak_sub_w += ways * bits * sub;
    a->leak_gate_w += ways * bits * gate;
    a->area_mm2 += ways * bits * circuit_gate_area(t, 2, w) * 1e-6;
    double delay = 2 * t->rn / w * c / 4;
    a->delay_s += delay;
    a->cycle_s += delay;
}

static bool build_cache(const struct tech *t, const struct array_config *c, struct array *out) {
    unsigned out_bits = c->out_bits ? c->out_bits : c->bits, sets = c->entries / c->ways;
    unsigned parts = c->bits / out_bits; // accesses a line is read in
    unsigned tag_row = c->tag_bits * c->ways;
    struct array tag, data;
    struct plan tags = plan_for(t, c, sets, tag_row, tag_row);
    struct plan one = plan_for(t, c, c->entries * parts, out_bits, out_bits);
    struct plan all = plan_for(t, c, sets * parts, out_bits * c->ways, out_bits);
    tags.tags = true, tags.parts = 1;
    if (!search(&tags, &tag) || !search(c->sequential ? &one : &all, &data)) return false;
    compare_tags(t, c->tag_bits, c->ways, &tag);
    *out = data;
    out->area_mm2 += tag.area_mm2;
    out->read_j += tag.read_j;
    if (c->sequential || c->ways == 1) {
        out->write_j += tag.read_j;
    } else { // a write goes to the hit way's columns: the other ways' are only half selected
        struct array way;
        if (!search(&one, &way)) return false;
        out->write_j = way.write_j + tag.read_j;
        out->part_write_j = way.part_write_j;
    }
    out->leak_sub_w += tag.leak_sub_w, out->leak_gate_w += tag.leak_gate_w;
    out->cell_sub_w += tag.cell_sub_w, out->cell_gate_w += tag.cell_gate_w;
    out->delay_s = c->sequential ? tag.delay_s + data.delay_s : fmax(tag.delay_s, data.delay_s);
    out->cycle_s = fmax(tag.cycle_s, data.cycle_s);
    return true;
}

static void add_search(const struct tech *t, const struct array_config *c, struct array *a) {
    double f = t->f_um, v2 = t->vdd_v * t->vdd_v, rows = c->entries,
           c_wire = t->row.wire[TECH_LOCAL].c;
    double c_line = rows * (circuit_gate_cap(t, ACCESS_F * f) + CAM_CELL_H_F * f * c_wire);
    double c_match =
        c->tag_bits * (2 * circuit_drain_cap(t, PULL_DOWN_F * f, 2) + CELL_W_F * f * c_wire);
    struct block drive = circuit_chain(t, c_line);
    double sub, gate;
    circuit_nand_leak(t, 2, PULL_DOWN_F * f, &sub, &gate); // the compare devices, two pairs a bit
    // one of a bit's two search lines rises; every match line but one falls and is charged again
    a->search_j = c->tag_bits * drive.energy_j + (rows - 1) * c_match * v2;
    a->leak_sub_w += rows * c->tag_bits * 2 * sub + 2 * c->tag_bits * drive.leak_sub_w;
    a->leak_gate_w += rows * c->tag_bits * 2 * gate + 2 * c->tag_bits * drive.leak_gate_w;
    a->area_mm2 += 2 * c->tag_bits * drive.area_um2 * 1e-6;
}

double array_static_w(const struct tech *t, const struct array *a, double drowsy, double cell_v,
                      double off) {
    double sub, gate, v = cell_v / t->vdd_v;
    tech_leak_at(t, cell_v, &sub, &gate);
    double away = drowsy * (a->cell_sub_w * (1 - v * sub) + a->cell_gate_w * (1 - v * gate)) +
                  off * (a->cell_sub_w + a->cell_gate_w);
    return a->leak_sub_w + a->leak_gate_w - away;
}

// Brings the periphery of one bank to the declared static power.
static enum ww_status declare_bank(const struct tech *t, const struct array_config *c,
                                   struct array *a, struct diags *d) {
    struct tech nominal;
    struct array bank;
    struct array_config plain = *c;
    plain.bank_leak_w = 0, plain.banks = 1;
    enum ww_status s = tech_init(&nominal, t->row.node_nm, t->row.type, 0, 300, d);
    if (s == WW_OK) s = array_build(&nominal, &plain, &bank, d);
    if (s != WW_OK) return s;
    double cells = bank.cell_sub_w + bank.cell_gate_w;
    if (!(c->bank_leak_w > cells))
        return diag_add(d, WW_ERROR_CONFIG,
                        "a bank declared to leak %g W: its cells alone leak %g W", c->bank_leak_w,
                        cells);
    double scale = (c->bank_leak_w - cells) / (bank.leak_sub_w + bank.leak_gate_w - cells);
    a->leak_sub_w = a->cell_sub_w + scale * (a->leak_sub_w - a->cell_sub_w);
    a->leak_gate_w = a->cell_gate_w + scale * (a->leak_gate_w - a->cell_gate_w);
    return WW_OK;
}

double array_cell_wake_j(const struct tech *t, double from_v) {
    double f = t->f_um;
    // the inner node that is high: drains of its inverter and its access device, gates of the other
    double node = circuit_drain_cap(t, PULL_DOWN_F * f, 1) +
                  circuit_drain_cap(t, PULL_UP_F * f, 1) +
                  circuit_drain_cap(t, ACCESS_F * f, 1) / 2 +
                  circuit_gate_cap(t, (PULL_DOWN_F + PULL_UP_F) * f);
    double rail = 2 * circuit_drain_cap(t, PULL_UP_F * f, 1); // sources of the two P devices
    return (node + rail) * t->vdd_v * fmax(t->vdd_v - from_v, 0);
}

double array_switch_mm2(const struct tech *t, double bits, double share) {
    const double f = t->f_um * 1e-3, width = 2 * (ACCESS_F + PULL_UP_F + PULL_DOWN_F) * f; // mm
    return bits * share * width * 3 * f;
}

static bool power_of_two(unsigned n) { return (n & (n - 1)) == 0; }

enum ww_status array_build(const struct tech *point, const struct array_config *given,
                           struct array *out, struct diags *d) {
    struct array_config checked = *given, *c = &checked;
    struct tech scaled, *t = &scaled;
    unsigned out_bits = c->out_bits ? c->out_bits : c->bits;
    bool sane = c->entries && c->bits && c->entries <= 1u << 28 && c->bits <= 1u << 16;
    if (sane && c->kind == ARRAY_CACHE)
        sane = c->ways && c->ways <= 1024 && c->entries % c->ways == 0 && c->tag_bits &&
               c->tag_bits <= 1u << 10 && c->bits % out_bits == 0;
    if (sane && c->kind == ARRAY_CAM) sane = c->tag_bits > 0 && c->tag_bits <= 1u << 10;
    if (!sane)
        return diag_add(d, WW_ERROR_CONFIG,
                        "an array of %u entries of %u bits, %u ways, %u tag bits, %u bits an "
                        "access cannot be built",
                        c->entries, c->bits, c->ways, c->tag_bits, out_bits);
    if (ports_of(c) > 64)
        return diag_add(d, WW_ERROR_CONFIG, "an array of %u ports: the model has up to 64",
                        ports_of(c));
    if (c->word_parts > c->bits || (c->word_parts && c->bits % c->word_parts))
        return diag_add(d, WW_ERROR_CONFIG,
                        "a word line of %u bits in %u parts: the parts must be equal, of at least "
                        "a bit",
                        c->bits, c->word_parts);
    if (!(c->activity >= 0 && c->activity <= 1) || !(c->cell_leak_a >= 0 && c->cell_leak_a < 1e-3))
        return diag_add(d, WW_ERROR_CONFIG,
                        "an array with activity %g and a cell current of %g A: expected 0 to 1 and "
                        "0 to 1 mA",
                        c->activity, c->cell_leak_a);
    if (!power_of_two(c->ndwl) || !power_of_two(c->ndbl) || !power_of_two(c->nspd) ||
        c->ndwl > 1024 || c->ndbl > 1024 || c->nspd > 1024 || c->ndcm > (c->nspd ? c->nspd : 1) ||
        (!c->ndwl && (c->ndbl || c->nspd || c->ndcm)))
        return diag_add(d, WW_ERROR_CONFIG,
                        "a partition of %u x %u sub-arrays, %u words a row, %u a sense amplifier: "
                        "expected powers of two up to 1024, the last at most the third",
                        c->ndwl, c->ndbl, c->nspd, c->ndcm);
    if (c->ecc) { // check bits travel with their data
        c->bits += c->bits / 8;
        if (c->out_bits) c->out_bits += c->out_bits / 8;
        out_bits += out_bits / 8;
    }
    enum ww_status status = scale_leak(point, c, &scaled, d);
    if (status != WW_OK) return status;
    *out = (struct array){0};
    bool ok;
    if (c->kind == ARRAY_CACHE) {
        ok = build_cache(t, c, out);
    } else {
        struct plan p = plan_for(t, c, c->entries, c->bits, out_bits);
        p.cam = c->kind == ARRAY_CAM;
        if (p.cam) p.bits += c->tag_bits, p.out_bits += c->tag_bits;
        ok = search(&p, out);
        if (ok && p.cam) add_search(t, c, out);
    }
    if (!ok)
        return diag_add(d, WW_ERROR_CONFIG, "no partition found for an array of %u x %u bits",
                        c->entries, c->bits);
    if (given->bank_leak_w != 0) {
        status = declare_bank(point, given, out, d);
        if (status != WW_OK) return status;
    }
    unsigned banks = c->banks ? c->banks : 1;
    out->area_mm2 *= banks;
    out->leak_sub_w *= banks, out->leak_gate_w *= banks;
    out->cell_sub_w *= banks, out->cell_gate_w *= banks;
    return WW_OK;
}
