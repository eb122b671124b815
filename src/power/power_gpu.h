// From a GPU file to what the power model must know. The only place where the model meets the
// simulator's configuration; the model itself needs neither.
#ifndef WW_POWER_POWER_GPU_H
#define WW_POWER_POWER_GPU_H

#include "gpu/config.h"
#include "power/power.h"

// Lanes are derived from throughput: a pipeline that takes a warp every `interval` core cycles has
// 32 / (interval * hot / core) of them. Refuses, with the line of the
// file or the option: what the model does not know (a kind of memory), numbers outside its range,
// and a clock that the supply does not carry. For that the file's own clock and supply are taken as
// the chip's limit and the alpha-power law (tech_speed) tells the rest; the file itself is never
// refused for it.
// out->name points into `g`.
enum ww_status power_config_of(const struct gpu_config *g, struct power_config *out,
                               struct diags *d);
// The clock in MHz that the transistors could carry at a supply, as that check has it; 0 where
// nothing is known.
double power_carried_mhz(const struct gpu_config *g, const struct power_config *c, double vdd_v);

#endif
