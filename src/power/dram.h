// Graphics memory by the data-sheet method: supply currents in, energy of commands and power of
// states out. Section 3.2.5 of the GPUSimPow report names the parts: background, activate, read and
// write, termination, refresh; power-down is background with another current.
#ifndef WW_POWER_DRAM_H
#define WW_POWER_DRAM_H

#include "base/base.h"

// Of one device. Currents in A, times in s.
struct dram_device {
    const char *source;
    // idd0: activate and precharge, over and over; 2p, 2n: all banks precharged, clock enable low
    // (power-down) and high (standby); 3p, 3n: the same with a row open; 4: bursts without a pause;
    // 5: refreshes without a pause; 6: self refresh
    double vdd_v, idd0, idd2p, idd2n, idd3p, idd3n, idd4r, idd4w, idd5, idd6;
    double clock_s, ras_s, rp_s, rfc_s, refi_s; // refi_s: a refresh is due this often
    double exit_s;                              // from power-down to the first command
    unsigned bits, burst;                       // data pins; transfers of a burst
    double transfers_a_clock;
    double term_ohm, drive_ohm; // termination; term_ohm 0: none
    bool centre_tap;            // terminated to half of the supply (SSTL), not to the supply (POD)
    double strobes;             // lines beside data that switch with it, each data line's worth
    // A bit's way that no current covers, in J: at the device, and at the chip beside it. phy_bit_j 0:
    // as McPAT has it for any interface.
    double io_bit_j, phy_bit_j;
    double phy_nm; // node that phy_bit_j was measured at, smaller ones take less; 0: of any
    // A bit's way between array and pins, in J, published as such; 0: IDD4 above IDD3N.
    double array_bit_j;
    // Kinds whose sheet's clock is not the board's: a burst takes the sheet's energy at any clock, as what it moves
    // does. Their refreshes are a part of the background and not charged by their counter, which gives a launch those
    // of the time before it.
    bool steady_refresh;
};
extern const struct dram_device dram_gddr5_1gb, dram_gddr3_1gb, dram_ddr3_1gb, dram_ddr3_4gb,
    dram_gddr5x_8gb, dram_gddr6_8gb, dram_gddr6x_8gb, dram_hbm2_8gb, dram_hbm3_16gb, dram_hbm3e_24gb;

struct dram_energy {
    double background_w; // all banks precharged, standby
    double open_w;       // more while a row is open
    // Less, for the time that the clock enable is low: from precharged standby, from open standby.
    double precharge_down_saves_w, active_down_saves_w;
    double self_refresh_w; // in its place while the device refreshes itself; the data stay
    double refresh_w;      // on average, refreshed when due: refresh_j every refi_s
    double activate_j, read_j, write_j, refresh_j;
    double term_read_j, term_write_j; // of a burst, spent at the terminations and drivers; io_bit_j too
};
// `clock_s` 0 takes the device's own; another clock scales the time of a burst.
struct dram_energy dram_energy(const struct dram_device *m, double clock_s);

// A bit through the chip's interface to `m` (NULL: no memory is known), in J, on a chip of node_nm.
double dram_phy_bit(const struct dram_device *m, double node_nm);

// The same method for a stretch of time: seconds in each state (they add up to the stretch) and
// commands counted in it.
struct dram_use {
    double precharged_s, open_s, precharge_down_s, active_down_s, self_refresh_s;
    double activates, reads, writes, refreshes;
};
// Energy of one device in J, by part; the sum of the parts is all of it.
struct dram_parts {
    double background_j, activate_j, read_write_j, termination_j, refresh_j;
};
struct dram_parts dram_parts(const struct dram_energy *e, const struct dram_use *u);

// How the parts are computed, for a reference page.
extern const char dram_prose[];

#endif
