// The vector handlers by file: X(name), and the enumerations that number them. A level's tables
// hold them in this order.
#ifndef WW_HANDLERS_H
#define WW_HANDLERS_H

#include "exec/exec_int.h"
#include "exec/level.h"

// clang-format off
#define EXEC_INT_HANDLERS(X)                                                                   \
    X(mov1) X(mov2) X(mov4) X(sel1) X(sel_n) X(slct) X(p2r) X(r2p) X(psetp) X(iadd) X(isub)    \
    X(imul) X(imad) X(imulhi_s) X(imulhi_u) X(iscadd) X(iscadd_g) X(iadd_g) X(iadd16)          \
    X(imad_g) X(imad_c) X(imadhi_s) X(imadhi_u) X(imulwide_s) X(imulwide_u) X(imadwide_s)      \
    X(imadwide_u) X(imad24) X(imin_s)                                                          \
    X(imax_s) X(imin_u) X(imax_u) X(imnmx_g) X(iabs) X(isad) X(shl) X(shr_u) X(shr_s)          \
    X(shl16) X(shr16_u) X(shr16_s) X(shf) X(and) X(or) X(xor) X(lop_n) X(lop3) X(lop3_g)       \
    X(bfe_u) X(bfe_s) X(bfi) X(flo) X(brev) X(popc) X(clz) X(fns) X(prmt) X(bmsk) X(szext)     \
    X(dp4a) X(dp2a) X(isetp_eq) X(isetp_ne) X(isetp_lt_s) X(isetp_le_s) X(isetp_gt_s)          \
    X(isetp_ge_s) X(isetp_lt_u) X(isetp_le_u) X(isetp_gt_u) X(isetp_ge_u) X(isetp_g) X(iset)

#define EXEC_INT_MACHINE_HANDLERS(X)                                                           \
    X(iadd3) X(iadd3_x) X(iadd3_c) X(lea_hi) X(lea_hi_x) X(lea_c) X(lea_g) X(imsub) X(imadx)   \
    X(imadx_pair_s) X(imadx_pair_u) X(shf_pair) X(prmt_same) X(isetp_ex) X(plop3) X(plop3_sign) X(imnmx_p)   \
    X(imnmx3) X(p2r_mask) X(r2p_mask) X(vote_both) X(r2ur)

#define EXEC_INT64_HANDLERS(X)                                                                 \
    X(iadd64) X(iadd64_g) X(imul64) X(imad64) X(imin64_s) X(imax64_s) X(imin64_u)              \
    X(imax64_u) X(iabs64) X(isad64_s) X(isad64_u) X(brev64) X(shl64) X(shr64_u) X(shr64_s)     \
    X(imulhi64_u) X(imulhi64_s) X(imadhi64_u) X(imadhi64_s) X(clz64) X(popc64) X(flo64)        \
    X(bfe64) X(bfi64) X(idiv32) X(idiv_g) X(isetp64_eq) X(isetp64_ne) X(isetp64_lt_s)          \
    X(isetp64_le_s) X(isetp64_gt_s) X(isetp64_ge_s) X(isetp64_lt_u) X(isetp64_le_u)            \
    X(isetp64_gt_u) X(isetp64_ge_u)

#define EXEC_FP32_HANDLERS(X)                                                                  \
    X(fadd) X(fsub) X(fmul) X(ffma) X(fdiv) X(frcp) X(fsqrt) X(fadd_g) X(fmul_g) X(ffma_g)     \
    X(fadd_p) X(fmul_p) X(ffma_p) X(fdiv_p) X(frcp_p) X(fsqrt_p)                               \
    X(fadd_r) X(fmul_r) X(ffma_r) X(fdiv_g) X(fdiv_r) X(frcp_g) X(frcp_r) X(fsqrt_g)           \
    X(fsqrt_r) X(fmov) X(fmad) X(fdiv_approx) X(fmin) X(fmax) X(fmnmx_g) X(fsetp_eq)           \
    X(fsetp_lt) X(fsetp_le) X(fsetp_gt) X(fsetp_ge) X(fsetp_neu) X(fsetp_g) X(fset)            \
    X(fcopysign) X(ftestp32) X(fmul_w) X(ffma_w) X(fsel) X(fswzadd) X(fchk)

#define EXEC_FP64_HANDLERS(X)                                                                  \
    X(dadd) X(dmul) X(dfma) X(ddiv) X(drcp) X(dsqrt) X(dadd_g) X(dmul_g) X(dfma_g) X(ddiv_g)   \
    X(drcp_g) X(dsqrt_g) X(dadd_r) X(dmul_r) X(dfma_r) X(ddiv_r) X(drcp_r) X(dsqrt_r) X(dmov)    \
    X(dmin) X(dmax) X(dcopysign) X(dsetp_eq) X(dsetp_lt) X(dsetp_le) X(dsetp_gt)      \
    X(dsetp_ge) X(dsetp_neu) X(dsetp_g) X(dset) X(ftestp64) X(dsetp_mnmx)

#define EXEC_SFU_HANDLERS(X)                                                                   \
    X(mufu_rcp) X(mufu_rsq) X(mufu_sqrt) X(mufu_ex2) X(mufu_lg2) X(mufu_sin) X(mufu_cos)       \
    X(mufu_tanh) X(mufu_rcp64) X(mufu_rsq64) X(mufu_sin_turn) X(mufu_cos_turn) X(mufu_rcp64h)  \
    X(mufu_rsq64h)

#define EXEC_HALF_HANDLERS(X)                                                                  \
    X(hadd) X(hmul) X(hfma) X(hadd_bf) X(hmul_bf) X(hfma_bf) X(hmnmx) X(hmov) X(hspecial)      \
    X(hsetp) X(hset) X(hadd_w) X(hmul_w) X(hfma_w)

// Conversions of one kind in the order of enum mrnd from MRND_RN on.
#define EXEC_CVT_MODES(X, name) X(name##_rn) X(name##_rz) X(name##_rm) X(name##_rp)
#define EXEC_CVT_HANDLERS(X)                                                                   \
    X(cvt_f32_small) X(cvt_f32_s32) X(cvt_f32_u32) X(cvt_f32_f16) X(cvt_f32_bf16) X(cvt_f16_f32)                \
    X(cvt_bf16_f32) X(cvt_floor) X(cvt_ceil) X(cvt_trunc) X(cvt_rint) X(cvt_floor64)           \
    X(cvt_ceil64) X(cvt_trunc64) X(cvt_rint64) X(cvt_f64_f32) X(cvt_f64_s32)                   \
    X(cvt_f64_u32) X(cvt_f32_f64) X(cvt_int) X(cvt_int_pair) X(cvt_f32_s64) X(cvt_f32_u64)     \
    X(cvt_f64_s64) X(cvt_f64_u64) X(cvt_f32_s32_r) X(cvt_f32_u32_r) X(cvt_f32_s64_r)           \
    X(cvt_f32_u64_r) X(cvt_f32_f64_r) X(cvt_f64_s64_r) X(cvt_f64_u64_r) X(cvt_f16_f32_r)       \
    X(cvt_bf16_f32_r) X(cvt_f16x2_f32) X(cvt_bf16x2_f32)                                       \
    EXEC_CVT_MODES(X, cvt_s32_f32) EXEC_CVT_MODES(X, cvt_u32_f32)                              \
    EXEC_CVT_MODES(X, cvt_s32_f64) EXEC_CVT_MODES(X, cvt_u32_f64)                              \
    EXEC_CVT_MODES(X, cvt_s64_f32) EXEC_CVT_MODES(X, cvt_u64_f32)                              \
    EXEC_CVT_MODES(X, cvt_s64_f64) EXEC_CVT_MODES(X, cvt_u64_f64)

#define EXEC_MEM_HANDLERS(X)                                                                   \
    X(ld32_global) X(ld_small_global) X(st32_global) X(ld32_shared) X(ld_small_shared)         \
    X(st32_shared) X(ld32_local) X(st32_local) X(ld32_local_any) X(st32_local_any) X(ldc32)    \
    X(st_small_global) X(st_small_shared) X(atom32_global) X(atom32_shared) X(cast32_shared)

#define EXEC_MMA_HANDLERS(X) X(hmma_884) X(hmma_1688) X(hmma_16)

#define EXEC_GMMA_HANDLERS(X) X(gmma) X(gmma_int)

// clang-format on

#define HANDLER_ID(name)  H_##name,
#define HANDLER_ROW(name) x_##name,

enum { EXEC_INT_HANDLERS(HANDLER_ID) H_INT_N };
enum { EXEC_INT_MACHINE_HANDLERS(HANDLER_ID) H_INT_MACHINE_N };
enum { EXEC_INT64_HANDLERS(HANDLER_ID) H_INT64_N };
enum { EXEC_FP32_HANDLERS(HANDLER_ID) H_FP32_N };
enum { EXEC_FP64_HANDLERS(HANDLER_ID) H_FP64_N };
enum { EXEC_SFU_HANDLERS(HANDLER_ID) H_SFU_N };
enum { EXEC_HALF_HANDLERS(HANDLER_ID) H_HALF_N };
enum { EXEC_CVT_HANDLERS(HANDLER_ID) H_CVT_N };
enum { EXEC_MEM_HANDLERS(HANDLER_ID) H_MEM_N };
enum { EXEC_MMA_HANDLERS(HANDLER_ID) H_MMA_N };
enum { EXEC_GMMA_HANDLERS(HANDLER_ID) H_GMMA_N };

// Tables of a vector level, then those that are the same at every one.
enum exec_table {
    TABLE_INT,
    TABLE_INT_MACHINE,
    TABLE_INT64,
    TABLE_FP32,
    TABLE_FP64,
    TABLE_SFU,
    TABLE_HALF,
    TABLE_CVT,
    TABLE_LEVEL_MEM,
    TABLE_MMA,
    TABLE_GMMA,
    LEVEL_TABLES,
    TABLE_CONVERT = LEVEL_TABLES,
    TABLE_MEMORY,
    TABLE_BARRIER,
    TABLE_BULK,
    TABLE_TEXTURE,
    TABLE_SYSTEM,
    TABLE_VIDEO,
    TABLE_MATRIX,
    TABLE_WARP,
    TABLES
};
struct exec_level {
    const char *name;
    const exec_fn *table[LEVEL_TABLES];
};
// The level in use; chosen once from what the host has, or forced by exec_simd_force.
const struct exec_level *exec_level(void);

#define DECLARE_LEVEL(level)                                                                       \
    extern const exec_fn int_fns_##level[], int_machine_fns_##level[], int64_fns_##level[],        \
        fp32_fns_##level[], fp64_fns_##level[], sfu_fns_##level[], half_fns_##level[],             \
        cvt_fns_##level[], mem_fns_##level[], mma_fns_##level[], gmma_fns_##level[];
DECLARE_LEVEL(base)
DECLARE_LEVEL(v3)
DECLARE_LEVEL(v4)

#endif
