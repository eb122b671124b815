// What the circuit level consists of, in words.
#include "power/array.h"
#include "power/check.h"
#include "power/declared.h"
#include "power/dram.h"
#include "power/near.h"

const struct power_circuit power_circuits[] = {
    {"technology",
     "Device and wire tables of ITRS through MASTAR for 90, 65, 45, 32 and 22 nm (HP, "
     "LSTP, LOP), FinFETs of 16, 12, 8, 7 and 4 nm (HP) by projection and by the same vendor's dies, "
     "between them a straight line; leakage by temperature from 300 to "
     "400 K, its logarithm straight between rows of 10 K."},
    {"supply", "Switching energy goes with the square of the supply, resistance with V over the "
               "drive current (alpha-power law), sub-threshold current with barrier lowering, "
               "exp(k (V - Vnom)), k from McPAT's fit at the nominal supply; gate current with the "
               "square, assumed."},
    {"gate",
     "Capacitances of gate and drain by width; leakage of an n-input NAND averaged over its "
     "inputs, a stacked device counting 0.43 of the one below; area of 50 F high cells."},
    {"chain", "Inverters of growing width, fan-out four, from the smallest to the load."},
    {"decoder", "Predecoders of three address bits, a NAND and a chain a row; one row fires, all "
                "leak."},
    {"wire",
     "Repeaters of the size and spacing that give the least delay; inside arrays 10 % slower "
     "ones for seven tenths of the energy."},
    {"flip-flop", "Five NAND2 and one NAND3 of smallest devices; half of the data change."},
    {"queue", "Few, wide entries as flip-flops: a write costs the bits written."},
    {"crossbar", "Matrix of tri-states: row and column wires with their devices, a driver chain a "
                 "row (Orion)."},
    {"selector",
     "Tree of four-input cells, requests up and the grant down; for round robin a phase "
     "counter and an inverter a request (Palacharla)."},
    {"array", array_prose},
    {"cache", array_cache_prose},
    {"CAM", array_cam_prose},
    {"divided word line", array_word_parts_prose},
    {"retention", "Cells held at a lower supply leak V times their current there; decoders, sense "
                  "amplifiers and wires stay on. Waking charges the high node and the rail of each "
                  "cell. The lowest supply that keeps data is published for 90, 65 and 32 nm."},
    {"16 and 7 nm", declared_finfet_prose},
    {"near threshold", near_prose},
    {"DRAM", dram_prose},
};
const unsigned power_circuits_n = WW_COUNT(power_circuits);
