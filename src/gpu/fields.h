// The fields of a GPU's configuration, for gpu, the power model and tests. Rooms above ask by key
// (config.h), so that a new key compiles none of them anew.
#ifndef WW_GPU_FIELDS_H
#define WW_GPU_FIELDS_H

#include "gpu/config.h"
#include "sm/config.h"

struct gpu_clocks {
#include "base/keys_begin.h"
#define KEYS_clocks
#include "gpu/config_keys.def"
#undef KEYS_clocks
#include "base/keys_end.h"
};

// What the power model must know of the chip besides its structure.
struct gpu_tech {
#include "base/keys_begin.h"
#define KEYS_tech
#include "gpu/config_keys.def"
#undef KEYS_tech
#include "base/keys_end.h"
};

// What the power model is told beside technology and structure: choices, and what no structure
// says. Areas and watts of the rest are declared: nobody can see into it.
enum gpu_device { GPU_DEVICE_HP, GPU_DEVICE_LSTP, GPU_DEVICE_LOP };
struct gpu_power {
#include "base/keys_begin.h"
#define KEYS_power
#include "gpu/config_keys.def"
#undef KEYS_power
#include "base/keys_end.h"
};

// What the files say before options, or a section `core`, change it; 0 in a configuration made by
// hand.
struct gpu_nominal {
    double core_mhz, vdd_v;
};

// How the board keeps within its power limit (power/limit.h).
struct gpu_board {
#include "base/keys_begin.h"
#define KEYS_board
#include "gpu/config_keys.def"
#undef KEYS_board
#include "base/keys_end.h"
};

struct gpu_config {
    char name[GPU_NAME_BYTES]; // "gtx480"; the file's name without .yaml
    char path[GPU_PATH_BYTES]; // file it was read from
    bool has_base;             // the file names another one that it builds on
    struct gpu_nominal nominal;
#include "base/keys_begin.h"
#define KEYS_top
#include "gpu/config_keys.def"
#undef KEYS_top
#include "base/keys_end.h"
};

#endif
