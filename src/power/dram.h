// Graphics memory by the data-sheet method: supply currents in, energy of commands out.
#ifndef WW_POWER_DRAM_H
#define WW_POWER_DRAM_H

#include "base/base.h"

// Of one device. Currents in A, times in s.
struct dram_device {
    const char *source;
    double vdd_v, idd0, idd2n, idd3n, idd4r, idd4w, idd5;
    double clock_s, ras_s, rp_s, rfc_s;
    unsigned bits, burst; // data pins; transfers of a burst
    double transfers_a_clock;
    double term_ohm, drive_ohm; // termination to the supply; 0: none
    double strobes;             // lines beside data that switch with it, each data line's worth
};
extern const struct dram_device dram_gddr5_1gb, dram_gddr3_1gb;

struct dram_energy {
    double background_w; // all banks precharged
    double open_w;       // more while a row is open
    double activate_j, read_j, write_j, refresh_j;
    double term_read_j, term_write_j; // of a burst, spent at the terminations and drivers
};
// `clock_s` 0 takes the device's own; another clock scales the time of a burst.
struct dram_energy dram_energy(const struct dram_device *m, double clock_s);

#endif
