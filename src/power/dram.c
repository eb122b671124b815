// Micron's method (section 3.2.5 of the GPUSimPow report): a command's energy is the supply times
// the current above the background it replaces, times its duration.
//
//   activate with precharge   V (IDD0 tRC - IDD3N tRAS - IDD2N tRP)
//   read, write burst         V (IDD4 - IDD3N) tBURST
//   refresh                   V (IDD5 - IDD2N) tRFC, banks being precharged then
//   termination               V^2 / (Ron + Rtt) while a line is low, half of the bits
//
// Left out: power-down and self refresh; IDD of other speeds (currents are not scaled by clock).
#include "power/dram.h"

#include <math.h>

const struct dram_device dram_gddr5_1gb = {
    .source = "DRAMsim3 GDDR5_1Gb_x32.ini (part of 6 Gb/s; IDD5 there equals IDD3N); termination "
              "60 ohm to 1.5 V, driver 40 ohm (POD15)",
    .vdd_v = 1.5,
    .idd0 = 0.490,
    .idd2n = 0.250,
    .idd3n = 0.450,
    .idd4r = 1.080,
    .idd4w = 1.160,
    .idd5 = 0.450,
    .clock_s = 0.667e-9,
    .ras_s = 42 * 0.667e-9,
    .rp_s = 18 * 0.667e-9,
    .rfc_s = 98 * 0.667e-9,
    .bits = 32,
    .burst = 8,
    .transfers_a_clock = 4,
    .term_ohm = 60,
    .drive_ohm = 40,
    .strobes = 0};

const struct dram_device dram_gddr3_1gb = {
    .source = "Qimonda HYB18H1G321AF-14, page 36 (currents); times of the speed grade assumed: "
              "tRAS 31, tRP 14, tRFC 54 ns; VDD 1.8 V, termination 60 ohm, driver 40 ohm",
    .vdd_v = 1.8,
    .idd0 = 0.300,
    .idd2n = 0.230,
    .idd3n = 0.310,
    .idd4r = 0.395,
    .idd4w = 0.415,
    .idd5 = 0.450,
    .clock_s = 1.4e-9,
    .ras_s = 31e-9,
    .rp_s = 14e-9,
    .rfc_s = 54e-9,
    .bits = 32,
    .burst = 4,
    .transfers_a_clock = 2,
    .term_ohm = 60,
    .drive_ohm = 40,
    .strobes = 0};

struct dram_energy dram_energy(const struct dram_device *m, double clock_s) {
    double clock = clock_s > 0 ? clock_s : m->clock_s;
    double burst_s = m->burst / m->transfers_a_clock * clock, v = m->vdd_v;
    double line_w = m->term_ohm > 0 ? v * v / (m->term_ohm + m->drive_ohm) : 0;
    double term = 0.5 * line_w * (m->bits + m->strobes) * burst_s;
    double activate =
        v * (m->idd0 * (m->ras_s + m->rp_s) - m->idd3n * m->ras_s - m->idd2n * m->rp_s);
    return (struct dram_energy){
        .background_w = v * m->idd2n,
        .open_w = v * (m->idd3n - m->idd2n),
        .activate_j = fmax(activate, 0), // a sheet whose IDD0 is below its standby
        .read_j = v * (m->idd4r - m->idd3n) * burst_s,
        .write_j = v * (m->idd4w - m->idd3n) * burst_s,
        .refresh_j = fmax(v * (m->idd5 - m->idd2n) * m->rfc_s, 0),
        .term_read_j = term,
        .term_write_j = term,
    };
}
