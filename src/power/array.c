// The array model, after CACTI 5/6.5's published equations, in less detail.
//
// `words` words of `bits` bits lie in ndwl x ndbl sub-arrays; a row of sub-arrays holds nspd words
// side by side. An access fires one row in each of ndwl sub-arrays; column multiplexers choose a
// word before the sense amplifiers. An H-tree of repeated wires joins the sub-arrays and ends at
// the middle of an edge.
//
//   word line   C = columns (2 Cg(1.31 F) + w_cell c_local), driven by a chain behind the row
//   decoder bit line    C = rows (Cd(1.31 F) / 2 + h_cell c_local) read        2 C dV V a column,
//   dV = max(V / 20, 80 mV): the word line stays up until the sense
//               amplifier has fired, by when the swing is about twice what that one needs
//   write       C V^2 and its driver a written column (of a pair one line falls, whatever the bit);
//               the other columns of the row as in a read
//   control     precharge and equalise a column (three P devices of 6 beta Wmin), enable a sense
//               amplifier (isolation and foot, three devices of 12.5 F), a flip-flop a bit out
//   leakage     cell: V Ioff (2.08 F + 1.23 F + half of 1.31 F a port); decoders, sense amplifiers,
//               write drivers and H-tree beside it
//
// Left out: dummy rows, redundancy, error correction, folded transistors, low-swing wires. All
// partitions are tried; `goal` chooses.
#include "power/array.h"

#include <math.h>

static const double ACCESS_F = 1.31, PULL_UP_F = 1.23, PULL_DOWN_F = 2.08; // cell devices, in F
static const double CELL_W_F = 10, CELL_H_F = 14.6, CAM_CELL_H_F = 29.2;   // 146 and 292 F^2
// Precharge, column multiplexer, sense amplifier and write driver under a sub-array: height in F,
// assumed: three rows of 50 F gates.
static const double STRIP_F = 150;
static const double DATA_ACTIVITY = 0.5; // as in circuit.c

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

// A plain RAM to be laid out: `words` of `bits`, of which `out_bits` reach the port.
struct plan {
    const struct tech *t;
    const struct array_config *c;
    unsigned words, bits, out_bits;
    bool cam;
};

struct tree {
    double w, h; // um, grows as levels are added
    double read_j, leak_sub_w, leak_gate_w, delay_s;
};

static void tree_wires(const struct block *um, struct tree *n, double active_um, double all_um,
                       double way_um) {
    n->read_j += DATA_ACTIVITY * um->energy_j * active_um;
    n->leak_sub_w += um->leak_sub_w * all_um;
    n->leak_gate_w += um->leak_gate_w * all_um;
    n->delay_s += um->delay_s * way_um;
}

// Joins ndwl x ndbl leaves of w x h, two by two, in turn along x and y.
static struct tree h_tree(const struct plan *p, unsigned ndwl, unsigned ndbl, double w, double h) {
    const struct tech *t = p->t;
    struct block um = circuit_wire(t, TECH_SEMIGLOBAL, 1);
    double pitch = t->row.wire[TECH_SEMIGLOBAL].pitch_um, ports = ports_of(p->c);
    double address = ceil(log2(fmax(p->words, 2)));
    struct tree n = {.w = w, .h = h};
    unsigned nh = 1, nv = 1;
    while (nh < ndwl || nv < ndbl) {
        bool along_x = nh < ndwl && (nv >= ndbl || n.w <= n.h);
        double parts = along_x ? (double)ndwl / (2 * nh) : (double)ndwl / nh; // active in an access
        double all = parts * ((double)ndbl / (along_x ? nv : 2 * nv));
        double data = p->out_bits / parts; // bits of one of them
        double channel = pitch * ports * (2 * data + address);
        if (along_x) { // data split to both sides, the address goes to both
            tree_wires(&um, &n, parts * (data + 2 * address) * n.w / 2,
                       all * ports * (2 * data + 2 * address) * n.w / 2, n.w / 2);
            n.w *= 2, n.h += channel, nh *= 2;
        } else { // one side answers
            tree_wires(&um, &n, parts * (data + address) * n.h / 2,
                       all * ports * 2 * (2 * data + address) * n.h / 2, n.h / 2);
            n.h *= 2, n.w += channel, nv *= 2;
        }
    }
    double edge = fmin(n.w, n.h) / 2; // from the middle to the port
    tree_wires(&um, &n, (p->out_bits + address) * edge, ports * (2 * p->out_bits + address) * edge,
               edge);
    return n;
}

static bool lay_out(const struct plan *p, unsigned ndwl, unsigned ndbl, unsigned nspd,
                    struct array *a) {
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

    double c_word = columns * (2 * circuit_gate_cap(t, ACCESS_F * f) + cell_w * c_wire);
    double c_bit = rows * (circuit_drain_cap(t, ACCESS_F * f, 1) / 2 + cell_h * c_wire);
    double c_mux = nspd > 1 ? nspd * circuit_drain_cap(t, 8 * f, 1) : 0;
    double high = rows * cell_h, wide = columns * cell_w + 7.5 * f * ceil(columns / 16.0); // straps
    double field = high * wide;
    struct block decode = circuit_decoder(t, rows, c_word, high);
    struct block strip_driver = circuit_chain(t, c_bit + c_mux); // write driver, a sense amplifier

    double sense_n = (double)columns / nspd;
    double strip = wide * STRIP_F * f;
    double leaf = field + ports * (decode.area_um2 + strip);
    double h = high + ports * STRIP_F * f;
    struct tree tree = h_tree(p, ndwl, ndbl, leaf / h, h);

    double subs = (double)ndwl * ndbl, active_columns = (double)columns * ndwl;
    double swing = fmax(0.05 * v, 0.08);
    double sense_scale = v2 / (t->row.vdd_v * t->row.vdd_v);
    double read_swing = 2 * (c_bit + c_mux) * swing * v;
    double senses = active_columns / nspd;
    double precharge = 3 * circuit_gate_cap(t, 6 * t->row.beta * circuit_min_w(t)) * v2;
    double enable = 3 * circuit_gate_cap(t, 12.5 * f) * v2;
    double fixed = ndwl * decode.energy_j + active_columns * precharge +
                   p->out_bits * circuit_dff(t, NULL).energy_j + tree.read_j;
    *a = (struct array){.rows = rows, .columns = columns, .ndwl = ndwl, .ndbl = ndbl, .nspd = nspd};
    a->read_j = fixed + active_columns * read_swing +
                senses * (t->row.sense_energy_j * sense_scale + enable);
    a->write_j = fixed + (active_columns - senses) * read_swing + senses * strip_driver.energy_j;
    double cell_sub, cell_gate, sense_sub, sense_gate;
    array_cell_leak(t, c, &cell_sub, &cell_gate);
    circuit_nand_leak(t, 1, 3.75 * f, &sense_sub, &sense_gate); // a latch of two
    double cells = (double)p->words * p->bits;
    a->leak_sub_w =
        cells * cell_sub +
        subs * ports * (decode.leak_sub_w + sense_n * (2 * sense_sub + strip_driver.leak_sub_w)) +
        tree.leak_sub_w;
    a->leak_gate_w =
        cells * cell_gate +
        subs * ports *
            (decode.leak_gate_w + sense_n * (2 * sense_gate + strip_driver.leak_gate_w)) +
        tree.leak_gate_w;
    a->area_mm2 = tree.w * tree.h * 1e-6;
    double r_cell = t->rn / (ACCESS_F * f) + t->rn / (PULL_DOWN_F * f);
    double r_word = t->row.wire[TECH_LOCAL].r * cell_w * columns;
    double word = 0.38 * r_word * c_word, bit = r_cell * (c_bit + c_mux) * log(v / (v - swing));
    a->delay_s =
        tree.delay_s + decode.delay_s + word + bit + t->row.sense_delay_s * t->rn / t->row.rn;
    a->cycle_s = decode.delay_s + word + 2.3 * bit + t->row.sense_delay_s * t->rn / t->row.rn;
    return true;
}

// Tries every partition; two rounds, since the goal is relative to the best of each figure.
static bool search(const struct plan *p, struct array *best) {
    static const struct array_goal even = {1, 1, 1, 1};
    struct array_goal g = p->c->goal;
    if (g.delay == 0 && g.energy == 0 && g.leak == 0 && g.area == 0) g = even;
    double delay = INFINITY, energy = INFINITY, leak = INFINITY, area = INFINITY, least = INFINITY;
    for (int round = 0; round < 2; round++)
        for (unsigned ndwl = 1; ndwl <= 64; ndwl *= 2)
            for (unsigned ndbl = 1; ndbl <= 128; ndbl *= 2)
                for (unsigned nspd = 1; nspd <= 16; nspd *= 2) {
                    struct array a;
                    if (!lay_out(p, ndwl, ndbl, nspd, &a)) continue;
                    double e = a.read_j + a.write_j, l = a.leak_sub_w + a.leak_gate_w;
                    if (round == 0) {
                        delay = fmin(delay, a.delay_s), energy = fmin(energy, e);
                        leak = fmin(leak, l), area = fmin(area, a.area_mm2);
                        continue;
                    }
                    double cost = g.delay * a.delay_s / delay + g.energy * e / energy +
                                  g.leak * l / leak + g.area * a.area_mm2 / area;
                    if (cost < least) least = cost, *best = a;
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
    struct plan tags = {.t = t, .c = c, .words = sets, .bits = tag_row, .out_bits = tag_row};
    struct plan one = {
        .t = t, .c = c, .words = c->entries * parts, .bits = out_bits, .out_bits = out_bits};
    struct plan all = {
        .t = t, .c = c, .words = sets * parts, .bits = out_bits * c->ways, .out_bits = out_bits};
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
    }
    out->leak_sub_w += tag.leak_sub_w;
    out->leak_gate_w += tag.leak_gate_w;
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

enum ww_status array_build(const struct tech *t, const struct array_config *c, struct array *out,
                           struct diags *d) {
    unsigned out_bits = c->out_bits ? c->out_bits : c->bits;
    bool sane = c->entries && c->bits && c->entries <= 1u << 28 && c->bits <= 1u << 16;
    if (sane && c->kind == ARRAY_CACHE)
        sane = c->ways && c->ways <= 1024 && c->entries % c->ways == 0 && c->tag_bits &&
               c->bits % out_bits == 0;
    if (sane && c->kind == ARRAY_CAM) sane = c->tag_bits > 0;
    if (!sane)
        return diag_add(d, WW_ERROR_CONFIG,
                        "an array of %u entries of %u bits, %u ways, %u tag bits, %u bits an "
                        "access cannot be built",
                        c->entries, c->bits, c->ways, c->tag_bits, out_bits);
    struct plan p = {.t = t, .c = c, .words = c->entries, .bits = c->bits, .out_bits = out_bits};
    *out = (struct array){0};
    bool ok;
    if (c->kind == ARRAY_CACHE) {
        ok = build_cache(t, c, out);
    } else {
        p.cam = c->kind == ARRAY_CAM;
        if (p.cam) p.bits += c->tag_bits, p.out_bits += c->tag_bits;
        ok = search(&p, out);
        if (ok && p.cam) add_search(t, c, out);
    }
    if (!ok)
        return diag_add(d, WW_ERROR_CONFIG, "no partition found for an array of %u x %u bits",
                        c->entries, c->bits);
    unsigned banks = c->banks ? c->banks : 1;
    out->area_mm2 *= banks;
    out->leak_sub_w *= banks;
    out->leak_gate_w *= banks;
    return WW_OK;
}
