// A run as a test bed shows its board (GPUSimPow, D4.4.2, section 3.4, table 2, figure 9): voltages
// and currents of the supply rails, sampled; marks where kernels begin and end; and each kernel's
// energy as it is read off the samples.
//
// A sample is the mean over its period, so that without noise the integral of the waveform is the
// account's energy; the last period ends with the run. Power within a launch is that of its
// intervals, and while no kernel runs that of the account's gaps, evenly, with what copies move in
// their own time.
//
// Which rail carries what is assumed, since no board's regulators are published: see probe.def. The
// 12 V rail of the slot carries at most its limit, and connectors the rest, by their limits. Rails
// together are the board's power.
//
// Noise is that of the report's converter, an NI USB-6210: steps of 160 uV in 5 V (its manual,
// table 4-1), 118 uV of random noise (its specification, from memory), and nothing of the
// amplifiers before it, of which nothing is published. It is drawn from the seed, so that the same
// options give the same samples anywhere.
#ifndef WW_REPORT_PROBE_H
#define WW_REPORT_PROBE_H

#include "gpu/config.h"
#include "report/account.h"
#include "report/report.h"

enum { PROBE_RAILS_MOST = 4, PROBE_SAMPLES_MOST = 10000000 };

struct probe_options {
    double hz;    // samples a second; 0: no probe
    double noise; // times the converter's; 0: samples are exact
    uint64_t seed;
    const char *measured;   // CSV of a measured waveform; NULL: none
    double measured_from_s; // on the clock of that file, when the run begins
};
// "31200Hz", "31.2kHz", "1MHz", then ",seed=N" and ",noise=F".
enum ww_status probe_options_parse(struct arena *a, const char *text, struct diags *d,
                                   struct probe_options *out);

struct probe_rail {
    const char *name, *prose;
    double nominal_v, limit_w;
    uint32_t count;                 // connectors
    double *v, *a;                  // [samples]: as sampled
    double mean_w, least_w, most_w; // of the samples
};

struct probe_reading { // of a copy or launch, from the samples in its time
    double energy_j, power_w;
};

struct probe {
    struct probe_options options;
    double seconds; // of the run
    uint32_t n;     // samples
    uint32_t rails;
    struct probe_rail rail[PROBE_RAILS_MOST];
    double *power_w;         // [n]: all rails
    const struct step *step; // copies and launches in order
    const struct probe_reading *reading;
    uint32_t steps;
    double energy_j;   // of all samples
    bool is_folded;    // the record had added up launches: their power is spread over their time
    uint32_t processes; // whose launches stand on each one's own clock
    double channel_hz; // the most that the report's converter gives each of so many channels
    struct probe_measured {
        uint32_t n;
        double *t_s, *power_w; // on the run's clock
        double mean_w;         // over the run's time; NAN: none of it lies there
    } measured;
};

// Begin of sample `i`, and its length: the last ends with the run.
double probe_time(const struct probe *p, uint32_t i);
double probe_period(const struct probe *p, uint32_t i);

enum ww_status probe_make(struct arena *a, const struct run *r, const struct account *power,
                          const struct gpu_config *gpu, const struct probe_options *o,
                          struct diags *d, struct probe *out);
// The rails' parts of a board's power, in W: `link_w` and `board_w` (what the board has beside the
// chip), each with its losses, are parts of `power_w`. Adds up to it.
void probe_split(const struct probe *p, double power_w, double link_w, double board_w,
                 double out[PROBE_RAILS_MOST]);

// ---- how it is shown: probe_files.c -------------------------------------------------------------
void probe_print(const struct probe *p, FILE *out);
void probe_csv(const struct probe *p, FILE *f);
// New reference; waveforms of more than `most` samples are joined, means of neighbours.
json_t *probe_json(const struct probe *p, uint32_t most);
// A CSV with a column of time (seconds, time_s, t; time_ms) and one of power (watts, power_w,
// power), or several that end in `_w`, which are added up.
enum ww_status probe_measured_read(struct arena *a, const char *path, double from_s,
                                   struct diags *d, struct probe_measured *out);

#endif
