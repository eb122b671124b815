// Micron's method (section 3.2.5 of the GPUSimPow report; Micron's technical note TN-41-01): a
// command's energy is the supply times the current above the background it replaces, times its
// duration; a state's power is the supply times its current.
//
//   standby                   V IDD2N, with a row open V IDD3N
//   power-down                V IDD2P, with a row open V IDD3P
//   activate with precharge   V (IDD0 tRC - IDD3N tRAS - IDD2N tRP)
//   read, write burst         V (IDD4 - IDD3N) tBURST
//   refresh                   V (IDD5 - IDD2N) tRFC, banks being precharged then; every tREFI
//   termination to the supply V^2 / (Ron + Rtt) while a line is low, half of the bits
//   termination to the middle a divider of 2 Rtt and 2 Rtt, Ron beside one of them: either level
//                             draws V^2 / (2 Rtt + (2 Rtt || Ron))
//
// The note subtracts IDD3N from IDD5; here the background of a refreshing device is counted as
// precharged, so that IDD2N is what the refresh replaces. Left out: IDD of other speeds (currents
// are not scaled by clock), the energy of waking up (its time, exit_s, is the memory controller's
// to count), data patterns (half of the bits are low).
#include "power/dram.h"

#include <math.h>

const char dram_prose[] =
    "Data-sheet method: background by state (precharged, row open, power-down, self refresh) as "
    "supply times standby current; activate, read, write and refresh as supply times the current "
    "above that background times the command's duration; termination as direct current through "
    "driver and resistor while data is on the bus.";

const struct dram_device dram_gddr5_1gb = {
    .source = "DRAMsim3 GDDR5_1Gb_x32.ini (part of 6 Gb/s; IDD5 there equals IDD3N); termination "
              "60 ohm to 1.5 V, driver 40 ohm (POD15)",
    .vdd_v = 1.5,
    .idd0 = 0.490,
    .idd2p = 0.210,
    .idd2n = 0.250,
    .idd3p = 0.310,
    .idd3n = 0.450,
    .idd4r = 1.080,
    .idd4w = 1.160,
    .idd5 = 0.450,
    .idd6 = 0.060,
    .clock_s = 0.667e-9,
    .ras_s = 42 * 0.667e-9,
    .rp_s = 18 * 0.667e-9,
    .rfc_s = 98 * 0.667e-9,
    .refi_s = 11699 * 0.667e-9,
    .exit_s = 12 * 0.667e-9,
    .bits = 32,
    .burst = 8,
    .transfers_a_clock = 4,
    .term_ohm = 60,
    .drive_ohm = 40,
    .strobes = 0};

const struct dram_device dram_gddr3_1gb = {
    .source = "Qimonda HYB18H1G321AF-14, page 36 (currents; refresh is IDD5B); times of the speed "
              "grade assumed: tRAS 31, tRP 14, tRFC 54 ns, tREFI 3.9 us, power-down exit 6 clocks; "
              "self refresh assumed 20 mA; VDD 1.8 V, termination 60 ohm, driver 40 ohm",
    .vdd_v = 1.8,
    .idd0 = 0.300,
    .idd2p = 0.180,
    .idd2n = 0.230,
    .idd3p = 0.180,
    .idd3n = 0.310,
    .idd4r = 0.395,
    .idd4w = 0.415,
    .idd5 = 0.450,
    .idd6 = 0.020,
    .clock_s = 1.4e-9,
    .ras_s = 31e-9,
    .rp_s = 14e-9,
    .rfc_s = 54e-9,
    .refi_s = 3.9e-6,
    .exit_s = 6 * 1.4e-9,
    .bits = 32,
    .burst = 4,
    .transfers_a_clock = 2,
    .term_ohm = 60,
    .drive_ohm = 40,
    .strobes = 0};

const struct dram_device dram_ddr3_1gb = {
    .source =
        "DRAMSim2 DDR3_micron_8M_8B_x16_sg15.ini (1.5 V part of 1333 Mb/s; IDD3N there is 60 mA, "
        "below IDD2N, and is taken as IDD2N); termination as dram_ddr3_4gb",
    .vdd_v = 1.5,
    .idd0 = 0.110,
    .idd2p = 0.012,
    .idd2n = 0.065,
    .idd3p = 0.040,
    .idd3n = 0.065,
    .idd4r = 0.290,
    .idd4w = 0.355,
    .idd5 = 0.240,
    .idd6 = 0.006,
    .clock_s = 1.5e-9,
    .ras_s = 24 * 1.5e-9,
    .rp_s = 10 * 1.5e-9,
    .rfc_s = 74 * 1.5e-9,
    .refi_s = 7.8e-6,
    .exit_s = 4 * 1.5e-9,
    .bits = 16,
    .burst = 8,
    .transfers_a_clock = 2,
    .term_ohm = 60,
    .drive_ohm = 34,
    .centre_tap = true,
    .strobes = 0};

const struct dram_device dram_ddr3_4gb = {
    .source = "DRAMsim3 DDR3_4Gb_x16_1600.ini (1.35 V part); on-die termination 60 ohm to half of "
              "the supply, driver 34 ohm (JEDEC's nominal values, the choice of 60 assumed)",
    .vdd_v = 1.35,
    .idd0 = 0.066,
    .idd2p = 0.018,
    .idd2n = 0.032,
    .idd3p = 0.038,
    .idd3n = 0.047,
    .idd4r = 0.235,
    .idd4w = 0.171,
    .idd5 = 0.235,
    .idd6 = 0.020,
    .clock_s = 1.25e-9,
    .ras_s = 28 * 1.25e-9,
    .rp_s = 11 * 1.25e-9,
    .rfc_s = 208 * 1.25e-9,
    .refi_s = 6240 * 1.25e-9,
    .exit_s = 5 * 1.25e-9,
    .bits = 16,
    .burst = 8,
    .transfers_a_clock = 2,
    .term_ohm = 60,
    .drive_ohm = 34,
    .centre_tap = true,
    .strobes = 0};

// The chip's interface to GDDR5X and GDDR6: "better than 5.0 mW/Gbps per data link at 12.8 Gbps" of a single-ended
// interface in 40 nm that speaks GDDR5 too (Amirkhany et al., Rambus, Symposium on VLSI Circuits 2011). Beside it:
// 5.3 and 6.1 mW a Gb/s at 20 Gb/s, differential, same process (Kaviani et al., VLSI 2011 and JSSC 47(4), 2012); 0.83
// of a single-ended transceiver alone (X. Wang et al., TCSI 2023).
#define GDDR_PHY_J 5.0e-12
#define GDDR_PHY_NM 40

const struct dram_device dram_gddr5x_8gb = {
    .source = "currents of a GDDR5X device of 8 Gbit x32 at 12 Gb/s that DRAMsim3 shipped (1.35 V); times "
              "of its GDDR5X_8Gb_x32.ini; termination 60 ohm to 1.35 V, driver 40 ohm (POD135); its clock "
              "here is the one with four transfers",
    .vdd_v = 1.35,
    .idd0 = 0.500,
    .idd2p = 0.220,
    .idd2n = 0.260,
    .idd3p = 0.330,
    .idd3n = 0.480,
    .idd4r = 2.160,
    .idd4w = 2.320,
    .idd5 = 0.600,
    .idd6 = 0.080, // assumed: a third of power-down
    .clock_s = 0.333e-9,
    .ras_s = 56 * 0.666e-9,
    .rp_s = 24 * 0.666e-9,
    .rfc_s = 74 * 0.666e-9,
    .refi_s = 3800 * 0.666e-9,
    .exit_s = 10 * 0.666e-9,
    .bits = 32,
    .burst = 8,
    .transfers_a_clock = 4,
    .term_ohm = 60,
    .drive_ohm = 40,
    .steady_refresh = true,
    .phy_bit_j = GDDR_PHY_J,
    .phy_nm = GDDR_PHY_NM};

// A channel of a device; two share it. 7.5 pJ a bit is what the vendor says of a whole device (Micron,
// comparison of its graphics memories); at 14 Gb/s these currents come to that with bursts, rows and
// background together.
const struct dram_device dram_gddr6_8gb = {
    .source = "no sheet is public: a channel of 16 bits is taken as half of the GDDR5X device, its bursts "
              "by the bit as there (assumed); Micron has 7.5 pJ a bit for a GDDR6 device, all in all",
    .vdd_v = 1.35,
    .idd0 = 0.250,
    .idd2p = 0.110,
    .idd2n = 0.130,
    .idd3p = 0.165,
    .idd3n = 0.240,
    .idd4r = 0.240 + 0.840 * 14 / 12,
    .idd4w = 0.240 + 0.920 * 14 / 12,
    .idd5 = 0.300,
    .idd6 = 0.040,
    .clock_s = 1 / 3.5e9,
    .ras_s = 56 * 0.666e-9,
    .rp_s = 24 * 0.666e-9,
    .rfc_s = 74 * 0.666e-9,
    .refi_s = 3800 * 0.666e-9,
    .exit_s = 10 * 0.666e-9,
    .bits = 16,
    .burst = 16,
    .transfers_a_clock = 4,
    .term_ohm = 60,
    .drive_ohm = 40,
    .steady_refresh = true,
    .phy_bit_j = GDDR_PHY_J,
    .phy_nm = GDDR_PHY_NM};

// A pseudo channel: half of a channel's currents, as half of its row and pins. What a bit takes between array and
// pins is O'Connor et al.'s (MICRO 2017), 2.24 pJ; by the currents reads would come to 1.57 and writes to 2.09.
const struct dram_device dram_hbm2_8gb = {
    .source = "DRAMsim3 HBM2_8Gb_x128.ini (1.2 V, 128 bits at 2 Gb/s), a pseudo channel half of it; over "
              "the stack 2.24 pJ a bit and through its interface 0.3 (O'Connor et al., MICRO 2017), of the chip "
              "0.5 (on the package; MCM-GPU, ISCA 2017); no termination",
    .vdd_v = 1.2,
    .idd0 = 0.065 / 2,
    .idd2p = 0.028 / 2,
    .idd2n = 0.040 / 2,
    .idd3p = 0.040 / 2,
    .idd3n = 0.055 / 2,
    .idd4r = 0.390 / 2,
    .idd4w = 0.500 / 2,
    .idd5 = 0.250 / 2,
    .idd6 = 0.031 / 2,
    .clock_s = 1e-9,
    .ras_s = 34e-9,
    .rp_s = 14e-9,
    .rfc_s = 260e-9,
    .refi_s = 3900e-9,
    .exit_s = 8e-9,
    .bits = 64,
    .burst = 4,
    .transfers_a_clock = 2,
    .steady_refresh = true,
    .array_bit_j = 2.24e-12,
    .io_bit_j = 0.3e-12,
    .phy_bit_j = 0.5e-12};

// A pseudo channel of 32 bits at 5.2 Gb/s. Its row has 1 KB as a pseudo channel of HBM2 has, so that rows
// and standby take the same currents, and its bits the same charge on their way; all at 1.1 V (JESD238) for
// 1.2. Reads come to 2.05 pJ a bit, 2.85 with both interfaces; 2.99 are cited for HBM3E (arXiv 2604.11391).
#define HBM3_CURRENTS                                                                              \
    .vdd_v = 1.1, .idd0 = 0.065 / 2, .idd2p = 0.028 / 2, .idd2n = 0.040 / 2, .idd3p = 0.040 / 2,   \
    .idd3n = 0.055 / 2, .idd5 = 0.250 / 2, .idd6 = 0.031 / 2, .ras_s = 34e-9, .rp_s = 14e-9,       \
    .rfc_s = 260e-9, .refi_s = 3900e-9, .exit_s = 8e-9, .bits = 32, .burst = 8,                    \
    .transfers_a_clock = 4, .steady_refresh = true,                                                \
    .array_bit_j = 2.24e-12 * 1.1 / 1.2, .io_bit_j = 0.3e-12, .phy_bit_j = 0.5e-12
const struct dram_device dram_hbm3_16gb = {
    .source = "no sheet is public: the currents of DRAMsim3 HBM2_8Gb_x128.ini by the pseudo channel, its charge "
              "a burst, at 1.1 V; interfaces as HBM2",
    .idd4r = 0.055 / 2 + 0.335 / 2 * 2e-9 * 1307.5e6 / 2,
    .idd4w = 0.055 / 2 + 0.445 / 2 * 2e-9 * 1307.5e6 / 2,
    .clock_s = 1 / 1307.5e6,
    HBM3_CURRENTS};
const struct dram_device dram_hbm3e_24gb = {
    .source = "as HBM3: the same charge a burst at 6.4 Gb/s",
    .idd4r = 0.055 / 2 + 0.335 / 2 * 2e-9 * 1600e6 / 2,
    .idd4w = 0.055 / 2 + 0.445 / 2 * 2e-9 * 1600e6 / 2,
    .clock_s = 1 / 1600e6,
    HBM3_CURRENTS};

// As GDDR6; the bursts' current such that a device, all in all, takes at 21 Gb/s the 7.25 pJ a bit that its
// vendor states (Micron, comparison of its graphics memories), where GDDR6 takes 7.5 at 14.
const struct dram_device dram_gddr6x_8gb = {
    .source = "no sheet is public: a channel of 16 bits as the GDDR6 device, bursts fitted to the 7.25 pJ a bit "
              "that Micron has for a GDDR6X device, all in all",
    .vdd_v = 1.35,
    .idd0 = 0.250,
    .idd2p = 0.110,
    .idd2n = 0.130,
    .idd3p = 0.165,
    .idd3n = 0.240,
    .idd4r = 0.240 + 1.410,
    .idd4w = 0.240 + 1.544,
    .idd5 = 0.300,
    .idd6 = 0.040,
    .clock_s = 1 / 5.25e9,
    .ras_s = 56 * 0.666e-9,
    .rp_s = 24 * 0.666e-9,
    .rfc_s = 74 * 0.666e-9,
    .refi_s = 3800 * 0.666e-9,
    .exit_s = 10 * 0.666e-9,
    .bits = 16,
    .burst = 16,
    .transfers_a_clock = 4,
    .term_ohm = 60,
    .drive_ohm = 40,
    .steady_refresh = true};

// Power of one terminated line while data is on the bus, levels equally often.
static double line_w(const struct dram_device *m) {
    if (!(m->term_ohm > 0)) return 0;
    double v2 = m->vdd_v * m->vdd_v, leg = 2 * m->term_ohm;
    if (m->centre_tap) return v2 / (leg + leg * m->drive_ohm / (leg + m->drive_ohm));
    return 0.5 * v2 / (m->term_ohm + m->drive_ohm);
}

struct dram_energy dram_energy(const struct dram_device *m, double clock_s) {
    double clock = clock_s > 0 ? clock_s : m->clock_s;
    double burst_s = m->burst / m->transfers_a_clock * clock, v = m->vdd_v;
    double moved_s = m->steady_refresh ? m->burst / m->transfers_a_clock * m->clock_s : burst_s;
    double array_j = m->array_bit_j * m->bits * m->burst;
    double term = line_w(m) * (m->bits + m->strobes) * burst_s;
    if (m->io_bit_j > 0) term += m->io_bit_j * m->bits * m->burst;
    double activate =
        v * (m->idd0 * (m->ras_s + m->rp_s) - m->idd3n * m->ras_s - m->idd2n * m->rp_s);
    double refresh = fmax(v * (m->idd5 - m->idd2n) * m->rfc_s, 0);
    return (struct dram_energy){
        .background_w = v * m->idd2n,
        .open_w = v * (m->idd3n - m->idd2n),
        .precharge_down_saves_w = v * (m->idd2n - m->idd2p),
        .active_down_saves_w = v * (m->idd3n - m->idd3p),
        .self_refresh_w = v * m->idd6,
        .refresh_w = m->refi_s > 0 ? refresh / m->refi_s : 0,
        .activate_j = fmax(activate, 0), // a sheet whose IDD0 is below its standby
        .read_j = array_j > 0 ? array_j : v * (m->idd4r - m->idd3n) * moved_s,
        .write_j = array_j > 0 ? array_j : v * (m->idd4w - m->idd3n) * moved_s,
        .refresh_j = refresh,
        .term_read_j = term,
        .term_write_j = term,
    };
}

// McPAT's rule, 10 mW a Gb/s, is of interfaces of 2008. A smaller node takes less as its rule for drivers has it: with
// the square root of the length.
double dram_phy_bit(const struct dram_device *m, double node_nm) {
    if (!m || !(m->phy_bit_j > 0)) return 10e-12;
    return m->phy_nm > node_nm ? m->phy_bit_j * sqrt(node_nm / m->phy_nm) : m->phy_bit_j;
}

struct dram_parts dram_parts(const struct dram_energy *e, const struct dram_use *u) {
    return (struct dram_parts){
        .background_j = e->background_w * (u->precharged_s + u->precharge_down_s) +
                        (e->background_w + e->open_w) * (u->open_s + u->active_down_s) -
                        e->precharge_down_saves_w * u->precharge_down_s -
                        e->active_down_saves_w * u->active_down_s +
                        e->self_refresh_w * u->self_refresh_s,
        .activate_j = e->activate_j * u->activates,
        .read_write_j = e->read_j * u->reads + e->write_j * u->writes,
        .termination_j = e->term_read_j * u->reads + e->term_write_j * u->writes,
        .refresh_j = e->refresh_j * u->refreshes,
    };
}
