// Execution units by measurement, as GPUSimPow has them. Two measured numbers and one published
// unit carry the model:
//
//   40 pJ an integer and 75 pJ a floating-point instruction of a lane, GT240, 40 nm (lanes switched
//   on and off in a micro-benchmark, all other activity "except for the register files" constant:
//   so with a lane's share of register banks, operand collection and result bus, without what all
//   lanes share). These have components of their own (tree_sm.c); of the measured numbers a lane
//   here has what is left beside an addition's two operands and result, a multiply-add's three and
//   result, on the GT240's register file. The GT240's supply is taken as 1.0 V, as in its GPU file. A
//   special-function unit of 160 mW at 420 MHz, a result a clock, 0.340 mm2, in 180 nm; its supply
//   taken as 1.8 V, the node's nominal.
//
// Rules of scaling: energy with length times supply squared, area with length squared.
//
// By class: E = base * width + k * datapath. `datapath` is the bare operation at 45 nm and 0.9 V
// (Horowitz, ISSCC 2014: add 0.1, multiply 3.1, fp add 0.9, fp multiply 3.7 pJ; the others are sums
// of these, or assumed where the row says so). k and base follow from the two points, an integer
// addition and a multiply-add: k = (FP - INT) / (4.6 - 0.1), base = INT - 0.1 k. So k, 6.1, is what
// a real unit's glitches, registers and drivers add to the bare operation, and base, 13.8 pJ, the
// lane's control and pipeline data.
#include "power/logic.h"

#include <math.h>

static const double INT_ALL_J = 40e-12, FP_ALL_J = 75e-12; // GPUSimPow D4.4.2, section 3.4
static const double INT_J = INT_ALL_J - 2 * LOGIC_SEED_READ_J - LOGIC_SEED_WRITE_J,
                    FP_J = FP_ALL_J - 3 * LOGIC_SEED_READ_J - LOGIC_SEED_WRITE_J;
static const double SEED_NM = 40, SEED_V = 1.0;       // GT240
static const double INT_PJ = 0.1, FMA_PJ = 0.9 + 3.7; // Horowitz: the two points' bare operations
static const double SFU_J = 0.160 / 420e6, SFU_NM = 180, SFU_V = 1.8; // GPUSimPow D4.4.2, 3.2.3

// Tensor cores, 45 nm: 110 pJ for a 4x4x4 product of halves, 64 multiply-adds, 160 pJ for 512 of bytes
// (W. Dally, Hot Chips 2023 and CACM 63(7), 2020; from memory). Horowitz's single operations make 2.0 and 0.3
// pJ a multiply-add. A whole core's: neither k nor base is added.
#define MMA_HALF_PJ (110.0 / 64)
// Assumed: products go with the square of their factors' significands, 53 bits to 11.
#define MMA_DOUBLE_PJ (MMA_HALF_PJ * (53.0 / 11) * (53.0 / 11))
#define MMA_BYTE_PJ (160.0 / 512)
static const double MMA_NM = 45, MMA_V = 0.9;

static const struct {
    enum logic_unit unit;
    double datapath_pj; // at 45 nm, 0.9 V
    double width;       // of operands, in words
} by_class[OPC_N] = {
    [OPC_CTRL] = {LOGIC_UNITS, 0, 0}, // consumed at issue: decoder, stack and scheduler pay
    [OPC_MOV] = {LOGIC_INT, 0, 1},
    [OPC_INT_ADD] = {LOGIC_INT, 0.1, 1},
    [OPC_INT_LOGIC] = {LOGIC_INT, 0.05, 1}, // assumed: no carry chain
    [OPC_INT_SHIFT] = {LOGIC_INT, 0.15, 1}, // assumed: five levels of multiplexers
    [OPC_INT_CMP] = {LOGIC_INT, 0.1, 1},
    [OPC_INT_MUL] = {LOGIC_INT, 3.1, 1},
    [OPC_INT_MAD] = {LOGIC_INT, 3.2, 1},
    [OPC_INT_BIT] = {LOGIC_INT, 0.2, 1}, // assumed: a tree of small adders
    [OPC_INT_DIV] = {LOGIC_INT, 3.2, 1}, // a step is a multiply-add
    [OPC_VIDEO] = {LOGIC_INT, 0.1, 1},
    [OPC_WARP] = {LOGIC_INT, 0.1, 1},
    [OPC_FP_ADD] = {LOGIC_FP, 0.9, 1},
    [OPC_FP_MUL] = {LOGIC_FP, 3.7, 1},
    [OPC_FP_FMA] = {LOGIC_FP, 4.6, 1},
    [OPC_FP_CMP] = {LOGIC_FP, 0.1, 1}, // as an integer's comparison
    [OPC_FP_DIV] = {LOGIC_FP, 4.6, 1}, // a step is a multiply-add
    [OPC_HALF] = {LOGIC_FP, 1.5, 1},   // fp16 add and multiply, 0.4 + 1.1
    [OPC_CVT] = {LOGIC_INT, 0.9, 1},   // assumed: alignment and rounding of an addition
    [OPC_CVT_FP] = {LOGIC_FP, 0.9, 1},
    [OPC_SFU_RCP] = {LOGIC_SFU, 0, 1},
    [OPC_SFU_TRIG] = {LOGIC_SFU, 0, 1},
    [OPC_DP_ADD] = {LOGIC_DP, 1.8, 2},  // assumed: additions go with the width,
    [OPC_DP_MUL] = {LOGIC_DP, 14.8, 2}, // multiplications with its square
    [OPC_DP_FMA] = {LOGIC_DP, 16.6, 2},
    [OPC_DP_CMP] = {LOGIC_DP, 0.2, 2},
    [OPC_DP_CVT] = {LOGIC_DP, 1.8, 2},
    // loads, stores, atomics, shuffles, fences, textures: the load/store unit's parts pay
    [OPC_LD_GLOBAL] = {LOGIC_UNITS, 0, 0},
    [OPC_ST_GLOBAL] = {LOGIC_UNITS, 0, 0},
    [OPC_LD_LOCAL] = {LOGIC_UNITS, 0, 0},
    [OPC_ST_LOCAL] = {LOGIC_UNITS, 0, 0},
    [OPC_LD_SHARED] = {LOGIC_UNITS, 0, 0},
    [OPC_ST_SHARED] = {LOGIC_UNITS, 0, 0},
    [OPC_LD_CONST] = {LOGIC_UNITS, 0, 0},
    [OPC_LD_GENERIC] = {LOGIC_UNITS, 0, 0},
    [OPC_ST_GENERIC] = {LOGIC_UNITS, 0, 0},
    [OPC_ATOM_GLOBAL] = {LOGIC_UNITS, 0, 0},
    [OPC_ATOM_SHARED] = {LOGIC_UNITS, 0, 0},
    [OPC_TMA] = {LOGIC_UNITS, 0, 0},
    [OPC_MBARRIER] = {LOGIC_UNITS, 0, 0},
    [OPC_SHFL] = {LOGIC_UNITS, 0, 0},
    [OPC_FENCE] = {LOGIC_UNITS, 0, 0},
    [OPC_TEX] = {LOGIC_UNITS, 0, 0},
    [OPC_SURF] = {LOGIC_UNITS, 0, 0},
    // a warp's, which is not brought to a lane by k and base: by_class has the whole core
    [OPC_MMA_884_F32] = {LOGIC_TENSOR, 256 * MMA_HALF_PJ, 0},
    [OPC_MMA_884_F16] = {LOGIC_TENSOR, 512 * MMA_HALF_PJ, 0},
    [OPC_MMA_1688_F32] = {LOGIC_TENSOR, 1024 * MMA_HALF_PJ, 0},
    [OPC_MMA_1688_F16] = {LOGIC_TENSOR, 1024 * MMA_HALF_PJ, 0},
    [OPC_MMA_8816] = {LOGIC_TENSOR, 1024 * MMA_BYTE_PJ, 0},
    [OPC_MMA_8832] = {LOGIC_TENSOR, 2048 * MMA_BYTE_PJ / 2, 0},   // assumed: as many bits, as much
    [OPC_MMA_88128] = {LOGIC_TENSOR, 8192 * MMA_BYTE_PJ / 8, 0}, // assumed: as many bits, as much
    // assumed: tf32 and 8-bit floats take as much as halves that fill the same cycles
    [OPC_MMA_16816_F32] = {LOGIC_TENSOR, 2048 * MMA_HALF_PJ, 0},
    [OPC_MMA_16816_F16] = {LOGIC_TENSOR, 2048 * MMA_HALF_PJ, 0},
    [OPC_MMA_16816_INT] = {LOGIC_TENSOR, 2048 * MMA_BYTE_PJ, 0},
    [OPC_MMA_16832_INT] = {LOGIC_TENSOR, 4096 * MMA_BYTE_PJ, 0},
    // the uniform datapath's own component pays: a lane's work once a warp
    [OPC_UNIFORM] = {LOGIC_UNITS, 0, 0},
    [OPC_UNIFORM_MOVE] = {LOGIC_UNITS, 0, 0},
    [OPC_MMA_884_F64] = {LOGIC_TENSOR, 256 * MMA_DOUBLE_PJ, 0},
    [OPC_MMA_1684_F64] = {LOGIC_TENSOR, 512 * MMA_DOUBLE_PJ, 0},
    [OPC_MMA_1688_F64] = {LOGIC_TENSOR, 1024 * MMA_DOUBLE_PJ, 0},
    [OPC_MMA_16816_F64] = {LOGIC_TENSOR, 2048 * MMA_DOUBLE_PJ, 0},
    // Products of warp groups: of eight columns, by which they are paid (tree_sm.c). Assumed: what fills
    // the same cycles takes the same, as above; bytes as mma's.
    [OPC_GMMA_16] = {LOGIC_TENSOR, 2048 * MMA_HALF_PJ, 0},
    [OPC_GMMA_TF32] = {LOGIC_TENSOR, 2048 * MMA_HALF_PJ, 0},
    [OPC_GMMA_8] = {LOGIC_TENSOR, 2048 * MMA_HALF_PJ, 0},
    [OPC_GMMA_INT] = {LOGIC_TENSOR, 4096 * MMA_BYTE_PJ, 0},
    [OPC_GMMA_BITS] = {LOGIC_TENSOR, 4096 * MMA_BYTE_PJ, 0},
};
_Static_assert(OPC_N == 66, "a new operation class needs a row above");

static double scale(const struct tech *t, double nm, double v) {
    return t->row.f_nm / nm * (t->vdd_v / v) * (t->vdd_v / v);
}

enum logic_unit logic_class_unit(unsigned op_class) {
    return op_class < OPC_N ? by_class[op_class].unit : LOGIC_UNITS;
}

double logic_class_energy(const struct tech *t, unsigned op_class) {
    enum logic_unit unit = logic_class_unit(op_class);
    if (unit == LOGIC_UNITS) return 0;
    if (unit == LOGIC_TENSOR)
        return by_class[op_class].datapath_pj * 1e-12 / 32 * scale(t, MMA_NM, MMA_V);
    double k = (FP_J - INT_J) / (FMA_PJ - INT_PJ), base = INT_J - k * INT_PJ;
    double e = base * by_class[op_class].width + k * by_class[op_class].datapath_pj;
    e *= scale(t, SEED_NM, SEED_V);
    if (unit == LOGIC_SFU) e += SFU_J * scale(t, SFU_NM, SFU_V);
    return e;
}

// Twelve multiply-adds of 8 bits, each a sixteenth of a 32-bit multiplier's work (Horowitz has 0.2
// pJ for an 8-bit multiplication and 3.1 for 32 bits); assumed to cost a lane's overhead as well.
double logic_filter_energy(const struct tech *t) {
    double k = (FP_J - INT_J) / (FMA_PJ - INT_PJ), base = INT_J - k * INT_PJ;
    return (base + k * 12 * by_class[OPC_INT_MAD].datapath_pj / 16) * scale(t, SEED_NM, SEED_V);
}

struct block logic_area(const struct tech *t, double area_um2) {
    double sub, gate;
    circuit_nand_leak(t, 1, 5 * circuit_min_w(t), &sub, &gate);
    double gates = area_um2 * t->row.gate_density;
    return (struct block){
        .area_um2 = area_um2, .leak_sub_w = gates * sub, .leak_gate_w = gates * gate};
}

struct block logic_lane(const struct tech *t, enum logic_unit unit) {
    // um2 at a node: FP 0.0081 mm2 in 28 nm (Galal's generator, FPMax; quoted from memory, so
    // assumed); an integer lane with its multiplier half of it, assumed; a double lane four times,
    // the multiplier's square; the SFU as published; a multiply-add of a tensor core a quarter of FP,
    // assumed: its multiplier's square is 0.21 of single precision's
    static const struct {
        double um2, nm;
    } published[LOGIC_UNITS] = {[LOGIC_INT] = {4050, 28},
                                [LOGIC_FP] = {8100, 28},
                                [LOGIC_SFU] = {340000, 180},
                                [LOGIC_DP] = {32400, 28},
                              [LOGIC_TENSOR] = {2025, 28}};
    double s = t->row.f_nm / published[unit].nm;
    return logic_area(t, published[unit].um2 * s * s);
}
