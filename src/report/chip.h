// A GPU as the power model sees it, without any program: area, leakage and peak power by component,
// the vendor's figures beside ours, and how much rests on fitted constants.
#ifndef WW_REPORT_CHIP_H
#define WW_REPORT_CHIP_H

#include <jansson.h>

#include "power/power_gpu.h"

struct chip_report {
    const struct gpu_config *gpu;
    struct power_config config;
    struct power_tree tree; // leakage at tech.temperature_k
    double area_mm2;        // of the die
    double leak_w;          // of the die: below the threshold and through gates
    double leak_gate_w;     // of that, through gates
    double still_w;         // of chip and board, nothing moving: leakage, memory's background,
                            // constants, without the clock that always runs
    double idle_w;          // with that clock
    double peak_w;          // power_peak: at the thermal limit, with the duty
    // shares that rest on fitted constants (a fitted duty of the peak is not counted)
    double fitted_area, fitted_still, fitted_peak;
};

// `gpu` must outlive the report.
enum ww_status chip_report_make(const struct gpu_config *gpu, struct diags *d,
                                struct chip_report *out);
// The tree down to `depth` (0: the root alone; negative: all of it) and the comparison.
void chip_report_print(const struct chip_report *r, int depth, FILE *out);
// {gpu, node_nm, ..., components: [{name, parent, depth, count, basis, ...}], vendor: {...}}. New
// reference.
json_t *chip_report_json(const struct chip_report *r);

#endif
