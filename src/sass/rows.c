// The rows of encoding.def as a table, and the words that modifiers print.
#include "sass/row.h"

enum {
    ALL = 127,
    TO_70 = SASS_70 | SASS_72,
    TO_75 = TO_70 | SASS_75,
    TURING_TO_86 = SASS_75 | SASS_80 | SASS_86,
    TO_89 = ALL & ~SASS_90,
    FROM_72 = ALL & ~SASS_70,
    FROM_75 = ALL & ~TO_70,
    FROM_80 = ALL & ~TO_75,
    FROM_86 = SASS_86 | SASS_89 | SASS_90,
    FROM_89 = SASS_89 | SASS_90,
    ONLY_90 = SASS_90,
    AMPERE = SASS_80 | SASS_86 | SASS_89,
    TURING_AMPERE = SASS_75 | AMPERE,
};

// ---- words of modifiers, by value: "" prints nothing, NULL has no meaning
// --------------------------
#define WORDS static const char *const
WORDS n_round[] = {"", "RM", "RP", "RZ"};
WORDS n_round_i2fp[] = {"", NULL, NULL, "RZ"};
WORDS n_round_int[] = {"", "FLOOR", "CEIL", "TRUNC"};
WORDS n_compare[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                     "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
WORDS n_compare_double[] = {"MIN", "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                            "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "MAX"};
WORDS n_compare_int[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
WORDS n_bool[] = {"AND", "OR", "XOR", NULL};
WORDS n_size[] = {"U8", "S8", "U16", "S16", "", "64", "128", NULL};
WORDS n_size_constant[] = {"U8", "S8", "U16", "S16", "", "64", NULL, NULL};
WORDS n_size_global[] = {"U8", "S8", "U16", "S16", "", "64", "128", "U.128"};
WORDS n_small_integer[] = {"U8", "S8", "U16", "S16"};
WORDS n_copy_size[] = {NULL, NULL, NULL, NULL, "", "64", "128", NULL};
WORDS n_evict[] = {"EF", "", "EL", "LU", "EU", "NA", NULL, NULL};
WORDS n_kind[] = {"CONSTANT", "", "STRONG", "MMIO"};
WORDS n_kind_store[] = {NULL, "", "STRONG", "MMIO"};
WORDS n_kind_atomic[] = {NULL, "", "STRONG", NULL};
WORDS n_scope[] = {"CTA", "SM", "GPU", "SYS"};
// Scope and strength in one field, from sm_80 on.
WORDS n_order[] = {"",         "CONSTANT.PRIVATE", "CONSTANT.CTA",        "CONSTANT.CTA.PRIVATE",
                   "CONSTANT", "STRONG.SM",        "STRONG.GPU.PRIVATE",  "STRONG.GPU",
                   "MMIO.GPU", "CONSTANT.SM",      "STRONG.SYS",          "CONSTANT.SM.PRIVATE",
                   "MMIO.SYS", "CONSTANT.VC",      "CONSTANT.VC.PRIVATE", "CONSTANT.GPU"};
WORDS n_order_store[] = {"",
                         "CONSTANT.PRIVATE",
                         "CONSTANT.CTA",
                         "CONSTANT.CTA.PRIVATE",
                         "STRONG.SM.PRIVATE",
                         "STRONG.SM",
                         "STRONG.GPU.PRIVATE",
                         "STRONG.GPU",
                         "MMIO.GPU",
                         "CONSTANT.SM",
                         "STRONG.SYS",
                         "CONSTANT.SM.PRIVATE",
                         "MMIO.SYS",
                         "CONSTANT.VC",
                         "CONSTANT.VC.PRIVATE",
                         "CONSTANT.GPU"};
WORDS n_order_copy[] = {"",
                        "CONSTANT.PRIVATE",
                        "CONSTANT.CTA",
                        "CONSTANT.CTA.PRIVATE",
                        "CONSTANT",
                        "MMIO.CTA",
                        "GPU.PRIVATE",
                        "MMIO.CTA.PRIVATE",
                        "MMIO.SM",
                        "CONSTANT.SM",
                        "MMIO.VC",
                        "CONSTANT.SM.PRIVATE",
                        "MMIO.GPU",
                        "CONSTANT.VC",
                        "CONSTANT.VC.PRIVATE",
                        "CONSTANT.GPU"};
WORDS n_prefetch[] = {"", "LTC64B", "LTC128B", "LTC256B"};
WORDS n_atom[] = {"ADD",  "MIN",     "MAX", "INC", "DEC", "AND", "OR", "XOR",
                  "EXCH", "SAFEADD", NULL,  NULL,  NULL,  NULL,  NULL, NULL};
WORDS n_red[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"};
WORDS n_atom_type[] = {"", "S32", "64", "F32.FTZ.RN", "F16x2.RN", "S64", "F64.RN", "BF16x2.RN"};
// Of floats, from sm_90 on.
WORDS n_redg_type[] = {"F16x2.RN",  "F16x4.RN",   "F16x8.RN",     "BF16x2.RN",
                       "BF16x4.RN", "BF16x8.RN",  NULL,           NULL,
                       NULL,        "F32.FTZ.RN", "F32x2.FTZ.RN", "F32x4.FTZ.RN",
                       "F32.RN",    "F32x2.RN",   "F32x4.RN",     "F64.RN"};
// Atomic operations on floats are opcodes of their own from sm_90 on.
WORDS n_atom_type_90[] = {"", "S32", "64", "S64", "128", NULL, NULL, NULL};
WORDS n_atoms_type_90[] = {"", "S32", "64", NULL, "128", NULL, NULL, NULL};
WORDS n_atom_float[] = {"ADD", NULL, "MIN", NULL, "MAX", NULL, NULL, NULL};
WORDS n_ldgmc[] = {"ADD", "MIN", "MAX", NULL, NULL, "AND", "OR", "XOR"};
WORDS n_ldgmc_float[] = {"ADD", NULL, "MIN", NULL, "MAX", NULL, "F32ADD", NULL};
WORDS n_ldgmc_float_type[] = {
    "F16x2.RN", "F16x4.RN", "F16x8.RN", "BF16x2.RN", "BF16x4.RN", "BF16x8.RN", NULL,    NULL, NULL,
    NULL,       NULL,       NULL,       "F32.RN",    "F32x2.RN",  "F32x4.RN",  "F64.RN"};
WORDS n_red_type_90[] = {"", "S32", "64", "S64", NULL, NULL, NULL, NULL};
WORDS n_ldgmc_type[] = {"32", "S32", "64", "S64", NULL, NULL, NULL, NULL};
WORDS n_cas_type[] = {"", "S32", "64", NULL, "128", NULL, NULL, NULL};
WORDS n_atoms[] = {"ADD",  "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR",
                   "EXCH", NULL,  NULL,  NULL,  NULL,  NULL,  NULL, NULL};
WORDS n_atoms_type[] = {"", "S32", "64", NULL};
WORDS n_cas[] = {"CAS", "CAST", NULL, "CAST.SPIN"};
WORDS n_cas_global[] = {"CAS", "CAST"};
WORDS n_byte[] = {"", "B1", "B2", "B3"};
WORDS n_byte_suffix[] = {"", ".B1", ".B2", ".B3"};
WORDS n_high[] = {"", ".H1"};
WORDS n_vote[] = {"ALL", "ANY", "EQ", NULL};
WORDS n_prmt[] = {"", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16", NULL};
WORDS n_h1[] = {"", ".H1"};
WORDS n_crossed[] = {"", ".H0_NH1"};
WORDS n_side[] = {"L", "R"};
WORDS n_shift[] = {"S64", "U64", "S32", "U32"};
WORDS n_scale[] = {NULL, "D8", "D4", "D2", "", "M2", "M4", "M8"};
WORDS n_8[] = {"U8", "S8"};
WORDS n_16[] = {"U16", "S16"};
WORDS n_half[] = {"LO", "HI"};
WORDS n_half_suffix[] = {"", ".F32", ".H0_H0", ".H1_H1"};
WORDS n_video[] = {"U32", "", "U16x2", "S16x2"};
WORDS n_row_col[] = {".ROW", ".COL"};
WORDS n_row[] = {".ROW"};
WORDS n_col_1[] = {NULL, ".COL"};
WORDS n_accumulator[] = {"F16", "F32"};
WORDS n_step[] = {"STEP0", "STEP1", "STEP2", "STEP3"};
WORDS n_hmma[] = {"1688", "16816", "1684", NULL};
WORDS n_hmma_sparse[] = {"1688", "16816", NULL, "16832"};
WORDS n_bmma[] = {"88128", "168128", "168256", NULL};
WORDS n_bmma_op[] = {"XOR", NULL, "AND", NULL};
WORDS n_hmma_type[] = {"", "BF16", "TF32", NULL};
WORDS n_imma[] = {"8816", NULL, "8832", NULL, "16816", "16832", "16864", NULL};
WORDS n_imma_sparse[] = {NULL, NULL, "8832", "8864", NULL, "16832", "16864", "168128"};
WORDS n_imma_type[] = {"U8", "S8", "U4", "S4"};
WORDS n_i2ip[] = {"U8", "S8", "U16", "S16", "U2", "S2", "U4", "S4"};
WORDS n_i2ip_place[] = {"", ".H1", ".24", ".28"};
WORDS n_saturate[] = {"", "SAT", "SATRELU", NULL};
WORDS n_matrix[] = {"M88", "MT88", "M816", NULL};
WORDS n_matrices[] = {"", "2", "4", NULL};
WORDS n_f2fp[] = {"", "BF16"};
WORDS n_f2fp_to[] = {"F16", "BF16", NULL, "TF32", "E5M2", "E4M3", NULL, NULL};
WORDS n_f2fp_fp8[] = {NULL, NULL, "E5M2", "E4M3"};
WORDS n_fp8_first[] = {"E4M3", "E5M2"};
WORDS n_qmma_sparse[] = {NULL, "16832", "16864", NULL};
WORDS n_qmma[] = {"16816", "16832", NULL, NULL};
WORDS n_f2fp_round[] = {"", NULL, NULL, "RZ", NULL, NULL, NULL, NULL};
WORDS n_dmma[] = {"8x8x4", "16x8x4", "16x8x8", "16x8x16"};
WORDS n_sign32[] = {"U32", "S32"};
WORDS n_float[] = {NULL, "F16", "F32", "F64"};
WORDS n_float_to[] = {NULL, "F16", "F32", "F64", "BF16", NULL, NULL, NULL};
WORDS n_float_short[] = {NULL, "F16", "", "F64"};
WORDS n_float_32[] = {NULL, "F16", "F32", NULL};
WORDS n_float_to_32[] = {NULL, "F16", "F32", NULL, "BF16", NULL, NULL, NULL};
WORDS n_float_short_32[] = {NULL, "F16", "", NULL};
WORDS n_integer_32[] = {"U8", "S8", "U16", "S16", "U32", "", NULL, NULL};
WORDS n_flush[] = {"", "FMZ", "FTZ", NULL};
WORDS n_flush_oob[] = {"", "FMZ", "FTZ", "OOB"};
WORDS n_integer[] = {"U8", "S8", "U16", "S16", "U32", "", "U64", "S64"};
WORDS n_mufu[] = {"COS",  "SIN",  "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H",
                  "SQRT", "TANH", NULL,  NULL,  NULL,  NULL,  NULL,     NULL};
WORDS n_mufu_volta[] = {"COS",  "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H",
                        "SQRT", NULL,  NULL,  NULL,  NULL,  NULL,  NULL,     NULL};
WORDS n_b2r[] = {"", "RESULT", "WARP", NULL};
WORDS n_bar[] = {"SYNC", "ARV", "RED", NULL, NULL, NULL, NULL, NULL};
WORDS n_bar_red[] = {"POPC", "AND", "OR", NULL};
WORDS n_bra[] = {"", "U", "DIV", "CONV"};
WORDS n_bra_uniform[] = {NULL, NULL, "DIV", "CONV"};
WORDS n_depth[] = {"", "INC", "DEC", NULL};
WORDS n_exit[] = {"", "KEEPREFCOUNT", "PREEMPTED", NULL};
WORDS n_bpt[] = {NULL, NULL, NULL, "TRAP", NULL, NULL, NULL, NULL};
WORDS n_tex_level[] = {"", "LZ", "LB", "LL", "LC", "LB.LC", NULL, NULL};
WORDS n_tld_level[] = {NULL, "LZ", NULL, "LL", NULL, NULL, NULL, NULL};
WORDS n_component[] = {"R", "G", "B", "A"};
WORDS n_texture_query[] = {"TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE",
                           "TEX_HEADER_SAMPLER_POS", NULL};
WORDS n_surface[] = {"1D", "1D_BUFFER", "1D_ARRAY", "2D", "2D_ARRAY", "3D", NULL, NULL};
WORDS n_outside[] = {"IGN", "", "TRAP", NULL}; // what becomes of an access out of bounds
WORDS n_pixel[] = {NULL, "R",  NULL, "RG", NULL, NULL, NULL, NULL,
                   NULL, NULL, NULL, NULL, NULL, NULL, NULL, ""};
WORDS n_sured_type[] = {"", "S32", "U64", "F32.FTZ.RN", "F16x2.RN", "S64", "SD32", "SD64"};
WORDS n_return[] = {"Rpc.LO", "Rpc.HI"};
WORDS n_sign[] = {".SIGN"};
WORDS n_trunc[] = {"", NULL, NULL, "TRUNC"};
#define PAIRS_1(a) a "PP", a "PN", a "NP", a "ZP"
#define PAIRS_2(a) PAIRS_1(a "PP"), PAIRS_1(a "PN"), PAIRS_1(a "NP"), PAIRS_1(a "ZP")
#define PAIRS_3(a) PAIRS_2(a "PP"), PAIRS_2(a "PN"), PAIRS_2(a "NP"), PAIRS_2(a "ZP")
WORDS n_swizzle[] = {PAIRS_3("PP"), PAIRS_3("PN"), PAIRS_3("NP"), PAIRS_3("ZP")};
// What a thread has besides its barriers.
WORDS n_thread_state[] = {NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          "THREAD_STATE_ENUM.0",
                          "THREAD_STATE_ENUM.1",
                          "THREAD_STATE_ENUM.2",
                          "THREAD_STATE_ENUM.3",
                          "THREAD_STATE_ENUM.4",
                          "TRAP_RETURN_PC.LO",
                          "TRAP_RETURN_PC.HI",
                          "TRAP_RETURN_MASK",
                          "MEXITED",
                          "MKILL",
                          "MACTIVE",
                          "MATEXIT",
                          "OPT_STACK",
                          "API_CALL_DEPTH",
                          "ATEXIT_PC.LO",
                          "ATEXIT_PC.HI"};
WORDS n_tex_result[] = {"", "F16.RN", "F16.RZ", NULL};
WORDS n_dimensions[] = {"1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", NULL, "ARRAY_CUBE"};
WORDS n_shape_tld4[] = {NULL, "2D", NULL, "CUBE", NULL, "ARRAY_2D", NULL, "ARRAY_CUBE"};
WORDS n_shape_tld[] = {"1D", "2D", "3D", NULL, "ARRAY_1D", "ARRAY_2D", NULL, NULL};
WORDS n_shape_txd[] = {"1D", "2D", NULL, NULL, "ARRAY_1D", "ARRAY_2D", NULL, NULL};
WORDS n_ldc[] = {"", "IL", "IS", "ISL"};
WORDS n_shfl[] = {"IDX", "UP", "DOWN", "BFLY"};
WORDS n_cctl[] = {"", "U", "C", "I"};
WORDS n_cctl_line[] = {"PF1", "PF2",  "WB",   "IV",   NULL, "RS", NULL, NULL,
                       NULL,  "PML2", "DML2", "RML2", NULL, NULL, NULL, NULL};
WORDS n_membar[] = {"SC", "ALL", "", "MMIO"};
WORDS n_membar_scope[] = {"CTA", "SM", "GPU", "SYS", NULL, "VC", NULL, NULL};
WORDS n_space_90[] = {"G", "L", "S", "D"};
WORDS n_space[] = {"G", "L", "S", NULL};
WORDS n_syncs[] = {"", "TMASK", "RED", NULL};
WORDS n_syncs_count[] = {"", "A1T0", "A0T1", "A0TR", "A0TX", "ART0", NULL, NULL};
WORDS n_arrives[] = {"", "ARVCNT", "TRANSCNT", NULL};
WORDS n_tensor[] = {"1D", "2D", "3D", "4D", "5D", NULL, NULL, NULL};
WORDS n_syncs_cctl[] = {"IV", "WB"};
WORDS n_tensor_cctl[] = {"IV", "PF"};
WORDS n_block[] = {"G.G", "S.G", "G.S", "S.S"};
WORDS n_block_reduce[] = {NULL, NULL, "G.S", "S.S"};
WORDS n_block_prefetch[] = {"", "LTC64B", "LTC128B", "LTC256B"};
WORDS n_block_type[] = {"",        "S32", "U64", "S64", "F16.RN", "F32.RN", "F32.FTZ.RN", "F64.RN",
                        "BF16.RN", NULL,  NULL,  NULL,  NULL,     NULL,     NULL,         NULL};
WORDS n_redas[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR",
                   NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL, NULL};
WORDS n_redas_type[] = {"", "S32", "64", NULL, NULL, NULL, NULL, NULL};
WORDS n_stas[] = {NULL, NULL, NULL, NULL, "", "64", "128", NULL};
WORDS n_group[] = {"gsb0", NULL, NULL, NULL, NULL, NULL, NULL, ""};
WORDS n_view[] = {"S", "G"};
// Products of a warp group: 64 rows, columns by eights, depth.
#define COLUMNS(d)                                                                                 \
    "64x8x" d, "64x16x" d, "64x24x" d, "64x32x" d, "64x40x" d, "64x48x" d, "64x56x" d, "64x64x" d, \
        "64x72x" d, "64x80x" d, "64x88x" d, "64x96x" d, "64x104x" d, "64x112x" d, "64x120x" d,     \
        "64x128x" d, "64x136x" d, "64x144x" d, "64x152x" d, "64x160x" d, "64x168x" d, "64x176x" d, \
        "64x184x" d, "64x192x" d, "64x200x" d, "64x208x" d, "64x216x" d, "64x224x" d, "64x232x" d, \
        "64x240x" d, "64x248x" d, "64x256x" d
WORDS n_shape_16_8[] = {COLUMNS("16"), COLUMNS("8")};
WORDS n_shape_16_32[] = {COLUMNS("16"), COLUMNS("32")};
WORDS n_shape_32[] = {COLUMNS("32")};
#define NONE_8 NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
WORDS n_shape_64[] = {NONE_8, NONE_8, NONE_8, NONE_8, COLUMNS("64")};
// Of integers fewer widths, and three codes each: of dense, of sparse products, and none.
#define WIDTHS(X)                                                                                  \
    X("8"), X("16"), X("24"), X("32"), X("48"), X("64"), X("80"), X("96"), X("112"), X("128"),     \
        X("144"), X("160"), X("176"), X("192"), X("208"), X("224"), X("240"), X("256")
#define DENSE(c)   "64x" c "x32", NULL, NULL
#define SPARSER(c) NULL, "64x" c "x64", NULL
WORDS n_shape_integer[64] = {WIDTHS(DENSE)};
WORDS n_shape_integer_sparse[64] = {WIDTHS(SPARSER)};
#define DEEP(c) "64x" c "x256"
WORDS n_shape_bits[64] = {WIDTHS(DEEP)};
// Signs and transpositions of two matrices in memory, by bits 61 to 63 and 72.
#define NEGATIVE(a)                                                                                \
    a, a ".tnspA", a ".tnspB", a ".tnspA.tnspB", a ".negB", a ".negB.tnspA", a ".negB.tnspB",      \
        a ".negB.tnspA.tnspB"
WORDS n_matrices_ab[] = {NEGATIVE(""), NEGATIVE(".negA")};
WORDS n_matrix_b[] = {"", ".tnspB", ".negB", ".negB.tnspB"};
WORDS n_matrices_signs[] = {"", ".negB", ".negA", ".negA.negB"};
WORDS n_redux[] = {"", "OR", "XOR", "SUM", "MIN", "MAX", NULL, NULL};

// ---- items
// ----------------------------------------------------------------------------------------
#define ITEM(...)                                                                                  \
    { __VA_ARGS__ }
#define ONE(text)                                                                                  \
    (const char *const[]) { text }
#define SEL(l, w, v)         ITEM(.kind = ITEM_SELECT, .lo = l, .n = w, .low = v)
#define FIX(l, w, v)         ITEM(.kind = ITEM_FIX, .lo = l, .n = w, .low = v)
#define FIX_OR_0(l, w, v)    ITEM(.kind = ITEM_FIX_OR_0, .lo = l, .n = w, .low = v)
#define HIDDEN(l, w)         ITEM(.kind = ITEM_HIDDEN, .lo = l, .n = w)
#define HIDDEN_IN(g, l, w)   ITEM(.kind = ITEM_HIDDEN, .lo = l, .n = w, .gens = g)
#define FLAG(b, t)           ITEM(.kind = ITEM_FLAG, .lo = b, .n = 1, .name = ONE(t))
#define FLAG_IN(g, b, t)     ITEM(.kind = ITEM_FLAG, .lo = b, .n = 1, .name = ONE(t), .gens = g)
#define FLAG_NOT(b, t)       ITEM(.kind = ITEM_FLAG_NOT, .lo = b, .n = 1, .name = ONE(t))
#define ENUM(l, w, t)        ITEM(.kind = ITEM_ENUM, .lo = l, .n = w, .name = t)
#define ENUM_IN(g, l, w, t)  ITEM(.kind = ITEM_ENUM, .lo = l, .n = w, .name = t, .gens = g)
#define ENUM2(l, w, k, v, t) ITEM(.kind = ITEM_ENUM, .lo = l, .n = w, .lo2 = k, .n2 = v, .name = t)
#define NAME(t)              ITEM(.kind = ITEM_NAME, .name = ONE(t))
#define NAME_MODIFIER(t)     ITEM(.kind = ITEM_NAME_MODIFIER, .name = ONE(t))

#define REG(l)            ITEM(.kind = ITEM_REG, .lo = l, .n = 8)
#define REG_UNLESS_255(l) ITEM(.kind = ITEM_REG, .lo = l, .n = 8, .option = OPT_255)
#define RD                REG(16)
#define R_A(...)          ITEM(.kind = ITEM_REG, .lo = 24, .n = 8, .reuse = 122, __VA_ARGS__)
#define RA                R_A(.neg = 0)
#define RA_NEG            R_A(.neg = 72)
#define RA_NOT            R_A(.neg = 72, .complement = true)
#define RA_FLOAT          R_A(.neg = 72, .abs = 73)
#define RA_HALF           R_A(.neg = 72, .abs = 73, .lo2 = 74, .n2 = 2, .suffix = n_half_suffix)
#define RA_PART(l, w, t)  R_A(.lo2 = l, .n2 = w, .suffix = t)
#define R64_FLOAT                                                                                  \
    ITEM(.kind = ITEM_REG, .lo = 64, .n = 8, .neg = 75, .abs = 74, .reuse = REUSE_EITHER)
#define UREG(l) ITEM(.kind = ITEM_UREG, .lo = l, .n = 6)
#define UREG_PART(l, k, w, t)                                                                      \
    ITEM(.kind = ITEM_UREG, .lo = l, .n = 6, .lo2 = k, .n2 = w, .suffix = t)
#define DESC(l)          ITEM(.kind = ITEM_UREG, .lo = l, .n = 6, .name = ONE("desc"))
#define GDESC_OF(l, ...) ITEM(.kind = ITEM_UREG, .lo = l, .n = 6, .name = ONE("gdesc"), __VA_ARGS__)
#define GDESC(l)         GDESC_OF(l, .lo2 = 61, .n2 = 3, .lo64 = 72, .n64 = 1, .suffix = n_matrices_ab)
#define GDESC_B(l)       GDESC_OF(l, .lo2 = 62, .n2 = 2, .suffix = n_matrix_b)
#define GDESC_PLAIN(l)   GDESC_OF(l, .lo2 = 0)
#define GDESC_SIGNED(l)                                                                            \
    GDESC_OF(l, .lo2 = 63, .n2 = 1, .lo64 = 72, .n64 = 1, .suffix = n_matrices_signs)
#define GDESC_SIGNED_B(l) GDESC_OF(l, .lo2 = 63, .n2 = 1, .suffix = n_matrices_signs)
#define UD                ITEM(.kind = ITEM_UREG, .lo = 16, .n = 6)
#define UA                ITEM(.kind = ITEM_UREG, .lo = 24, .n = 6)
#define UA_NEG            ITEM(.kind = ITEM_UREG, .lo = 24, .n = 6, .neg = 72)
#define UA_NOT            ITEM(.kind = ITEM_UREG, .lo = 24, .n = 6, .neg = 72, .complement = true)
#define UR_NOT(l, b)      ITEM(.kind = ITEM_UREG, .lo = l, .n = 6, .neg = b, .complement = true)

#define B_OF(t, ...)  ITEM(.kind = ITEM_B, .type = SASS_##t, __VA_ARGS__)
#define C_OF(t, ...)  ITEM(.kind = ITEM_C, .type = SASS_##t, __VA_ARGS__)
#define B2_OF(t, ...) ITEM(.kind = ITEM_B2, .type = SASS_##t, __VA_ARGS__)
#define SIGNS_FLOAT   .neg = 63, .abs = 62, .neg64 = 75, .abs64 = 74
#define SIGNS_INT     .neg = 63, .neg64 = 75
#define SIGNS_HALF                                                                                 \
    .neg = 63, .abs = 62, .neg64 = 84, .abs64 = 83, .lo2 = 60, .n2 = 2, .lo64 = 81, .n64 = 2,      \
    .suffix = n_half_suffix
#define B_PLAIN(t)                B_OF(t, .neg = 0)
#define C_PLAIN(t)                C_OF(t, .neg = 0)
#define B2_PLAIN(t)               B2_OF(t, .neg = 0)
#define B_FLOAT(t)                B_OF(t, SIGNS_FLOAT)
#define C_FLOAT(t)                C_OF(t, SIGNS_FLOAT)
#define B2_FLOAT(t)               B2_OF(t, .neg = 63, .abs = 62)
#define B2_FLOAT_PART(t, l, w, s) B2_OF(t, .neg = 63, .abs = 62, .lo2 = l, .n2 = w, .suffix = s)
#define B_INT(t)                  B_OF(t, SIGNS_INT)
#define C_INT(t)                  C_OF(t, SIGNS_INT)
#define B2_PART(t, l, w, s)       B2_OF(t, .lo2 = l, .n2 = w, .suffix = s)
#define B2_SHIFTED(t)             B2_OF(t, .neg = 63)
#define B2_SHIFTED_NOT(t)         B2_OF(t, .neg = 63, .complement = true)
// Signs of pairs whose halves cannot be chosen.
#define SIGNS_PAIR  .neg = 63, .abs = 62, .neg64 = 84, .abs64 = 83
#define B_CROSSED   B_OF(UNSIGNED, SIGNS_PAIR, .lo2 = 86, .n2 = 1, .suffix = n_crossed)
#define B_HALVES(t) B_OF(t, SIGNS_PAIR)
#define C_HALVES(t) C_OF(t, SIGNS_PAIR)
#define B_F2FP      B_OF(F32, .neg = 0)
#define FMZ_FTZ_OOB                                                                                \
    ITEM(.kind = ITEM_ENUM, .lo = 76, .n = 1, .lo2 = 80, .n2 = 1, .name = n_flush, .gens = TO_89), \
        ITEM(.kind = ITEM_ENUM, .lo = 76, .n = 1, .lo2 = 80, .n2 = 1, .name = n_flush_oob,         \
             .gens = ONLY_90)
// What RELU takes away is guarded by a predicate of its own.
#define RELU_OR_NOT      FLAG(79, "RELU")
#define RELU_GUARD       ITEM(.kind = ITEM_PRED_NOT, .lo = 87, .n = 4, .option = OPT_PT, .only_bit = 79)
#define F2FP_TO          FLAG(77, "SATFINITE"), FLAG(75, "RELU"), ENUM2(76, 1, 86, 2, n_f2fp_to)
#define FMZ_FTZ          ENUM2(76, 1, 80, 1, n_flush)
#define B2_INT(t)        B2_OF(t, .neg = 63)
#define B_NOT(t)         B_OF(t, SIGNS_INT, .complement = true)
#define C_NOT(t)         C_OF(t, SIGNS_INT, .complement = true)
#define B2_NOT(t)        B2_OF(t, .neg = 63, .complement = true)
#define B_NEG32          B_OF(UNSIGNED, .neg = 63)
#define B_SHIFTED(t)     B_OF(t, .neg = 63)
#define B_SHIFTED_NOT(t) B_OF(t, .neg = 63, .complement = true)
#define B_PART(l, w, t)  B_OF(UNSIGNED, .lo2 = l, .n2 = w, .suffix = t)
#define B_HALF(t)        B_OF(t, SIGNS_HALF)
#define C_HALF(t)        C_OF(t, SIGNS_HALF)
#define B2_HALF(t)       B2_OF(t, .neg = 63, .abs = 62, .lo2 = 60, .n2 = 2, .suffix = n_half_suffix)

#define PRED_OF(l, ...)     ITEM(.kind = ITEM_PRED, .lo = l, .n = 3, __VA_ARGS__)
#define PRED_NOT_OF(l, ...) ITEM(.kind = ITEM_PRED_NOT, .lo = l, .n = 4, __VA_ARGS__)
#define P(l)                PRED_OF(l, .option = OPT_ALWAYS)
#define P_UNLESS_PT(l)      PRED_OF(l, .option = OPT_PT)
#define PN(l)               PRED_NOT_OF(l, .option = OPT_ALWAYS)
#define PN_UNLESS_PT(l)     PRED_NOT_OF(l, .option = OPT_PT)
#define UP(l)               PRED_OF(l, .uniform = true)
#define UP_UNLESS_PT(l)     PRED_OF(l, .uniform = true, .option = OPT_PT)
#define UPN(l)              PRED_NOT_OF(l, .uniform = true)
#define UPN_UNLESS_PT(l)    PRED_NOT_OF(l, .uniform = true, .option = OPT_PT)
#define PRED_BACK           ITEM(.kind = ITEM_PRED_BACK, .lo = 64, .n = 4)

#define UPRED_BACK(l) ITEM(.kind = ITEM_PRED_BACK, .lo = l, .n = 4, .uniform = true)
// A predicate for which accumulators count as 0; before sm_86 there is none.
#define MATRIX_GUARD                                                                               \
    ITEM(.kind = ITEM_FIX_OR_0, .lo = 87, .n = 4, .low = 15, .gens = SASS_75 | SASS_80),           \
        ITEM(.kind = ITEM_PRED_BACK, .lo = 87, .n = 4, .uniform = true, .gens = FROM_86)
#define NUMBER(l, w) ITEM(.kind = ITEM_NUMBER, .lo = l, .n = w)
// The low part from bit l on, the rest from bit l2 on; words of an address.
#define NUMBER_SPLIT(l, w, l2, w2)                                                                 \
    ITEM(.kind = ITEM_NUMBER, .lo = l, .n = w, .lo2 = l2, .n2 = w2)
#define NUMBER_UNLESS(l, w, v)                                                                     \
    ITEM(.kind = ITEM_NUMBER, .lo = l, .n = w, .option = OPT_ABSENT, .low = v)
#define LUT_SPLIT         ITEM(.kind = ITEM_LUT_SPLIT)
#define WORD(l, w, t)     ITEM(.kind = ITEM_WORD, .lo = l, .n = w, .name = t)
#define SREG(l)           ITEM(.kind = ITEM_SPECIAL, .lo = l, .n = 8)
#define BREG(l, w)        ITEM(.kind = ITEM_BARRIER, .lo = l, .n = w)
#define SCOREBOARD(l)     ITEM(.kind = ITEM_SCOREBOARD, .lo = l, .n = 3)
#define SCOREBOARDS(l)    ITEM(.kind = ITEM_SCOREBOARDS, .lo = l, .n = 6)
#define TARGET            ITEM(.kind = ITEM_TARGET)
#define TARGET32          ITEM(.kind = ITEM_TARGET_BYTES, .lo = 32, .n = 32)
#define TARGET_LATE       ITEM(.kind = ITEM_TARGET_BYTES, .lo = 24, .n = 58)
#define REG_AND_TARGET    ITEM(.kind = ITEM_REG_TARGET, .lo = 24, .n = 8)
#define REG_AND_DISTANCE  ITEM(.kind = ITEM_REG_DISTANCE, .lo = 24, .n = 8)
#define UREG_AND_DISTANCE ITEM(.kind = ITEM_REG_DISTANCE, .lo = 24, .n = 6, .uniform = true)
#define REG_AND_NUMBER    ITEM(.kind = ITEM_REG_NUMBER, .lo = 24, .n = 8)

#define CONSTANT_ONLY   ITEM(.kind = ITEM_CONST)
#define CONSTANT_R      ITEM(.kind = ITEM_CONST, .lo = 24, .n = 8)
#define CONSTANT_UR     ITEM(.kind = ITEM_UCONST, .lo = 24, .n = 6)
#define MEMORY(m, l, w) ITEM(.kind = ITEM_MEMORY, .mode = MODE_##m, .lo = l, .n = w)
#define MEMORY_AT(m, u, ...)                                                                       \
    ITEM(.kind = ITEM_MEMORY, .mode = MODE_##m, .lo = 40, .n = 24, .lo2 = u, __VA_ARGS__)
#define MEMORY_UR32(m)         MEMORY_AT(m, 32, .hide = 0)
#define MEMORY_UR64(m)         MEMORY_AT(m, 64, .hide = 0)
#define MEMORY_UR32_HIDE(m, h) MEMORY_AT(m, 32, .hide = h, .show = 101, .wide_at = 90)
#define MEMORY_UR64_HIDE(m, h) MEMORY_AT(m, 64, .hide = h, .show = 101, .wide_at = 90)
#define MEMORY_ATOMIC          MEMORY_AT(GLOBAL, 64, .hide = 71, .show = 101, .wide_at = 70)
#define MEMORY_HANDLE(l)                                                                           \
    ITEM(.kind = ITEM_MEMORY, .mode = MODE_UNSCALED, .lo = 40, .n = 0, .lo2 = l)
#define MEMORY_REDAS   MEMORY_AT(GLOBAL, 64, .option = OPT_255, .wide_at = 72)
#define MEMORY_STAS    MEMORY_AT(GLOBAL, 64, .option = OPT_255, .wide_at = 90)
#define MEMORY_U(l, w) ITEM(.kind = ITEM_MEMORY, .mode = MODE_UNIFORM, .lo = 40, .n = w, .lo2 = l)
#define MEMORY_SCALED  MEMORY_AT(SHARED, 0, .hide = 0)
#define COPY_TO        ITEM(.kind = ITEM_MEMORY, .mode = MODE_COPY_TO, .lo = 44, .n = 20)
#define COPY_FROM                                                                                  \
    ITEM(.kind = ITEM_MEMORY, .mode = MODE_COPY_FROM, .lo = 32, .n = 12, .lo2 = 64, .hide = 76)

#define TENSOR FIX(91, 1, 1), ENUM(79, 3, n_tensor)
// Metadata of a sparse product; bit 125 keeps it in the reuse cache, and is not printed.
#define SPARSE ITEM(.kind = ITEM_REG, .lo = 40, .n = 8, .reuse = 50), NUMBER(48, 2), HIDDEN(125, 1)
#define BLOCK_COPY                                                                                 \
    ENUM(73, 2, n_block), FLAG(75, "MULTICAST"), ENUM(81, 2, n_block_prefetch),                    \
        FLAG(83, "SEQUENCED"), FIX(91, 1, 1)
#define BLOCK_REDUCE                                                                               \
    ENUM(73, 2, n_block_reduce), ENUM(87, 3, n_red), ENUM(81, 4, n_block_type), FIX(91, 1, 1)
#define GROUP            UPRED_BACK(87), WORD(84, 3, n_group), FIX(91, 1, 1)
#define GROUP_SPARSE     UPRED_BACK(87), REG(40), NUMBER(48, 2), WORD(84, 3, n_group), FIX(91, 1, 1)
#define GROUP_SPARSE_ALL UPRED_BACK(87), REG(40), WORD(84, 3, n_group), FIX(91, 1, 1)
#define THREAD_STATE     ITEM(.kind = ITEM_WORD, .lo = 24, .n = 5, .name = n_thread_state)
#define HEADER_UNIFORM   ITEM(.kind = ITEM_UREG, .lo = 40, .n = 6), NUMBER(46, 8), FIX(91, 1, 1)
#define TEXTURE_BINDLESS                                                                           \
    FLAG(60, "SCR"), NAME_MODIFIER("B"), FIX(59, 1, 1), ENUM(79, 2, n_tex_result)
#define TLD4_FLAGS                                                                                 \
    ENUM(79, 2, n_tex_result), FLAG(76, "AOFFI"), FLAG(77, "PTP"), FLAG(78, "DC"),                 \
        ENUM(84, 3, n_evict), FLAG(90, "NODEP")
#define TXD_FLAGS                                                                                  \
    ENUM(79, 2, n_tex_result), FLAG(87, "LC"), FLAG(76, "AOFFI"), ENUM(84, 3, n_evict),            \
        FLAG(90, "NODEP")
#define TMML_FLAGS    NAME_MODIFIER("LOD"), FLAG(77, "NDV"), FLAG(90, "NODEP")
#define SURFACE_SHAPE ENUM(61, 3, n_surface)
#define SURFACE_AT    ITEM(.kind = ITEM_MEMORY, .mode = MODE_PLAIN, .lo = 40, .n = 0)
#define SURFACE_LOAD                                                                               \
    FLAG(72, "BA"), SURFACE_SHAPE, ENUM(84, 3, n_evict), ENUM(73, 3, n_size), ORDER_ANY(n_kind),   \
        ENUM(59, 2, n_outside)
#define SURFACE_STORE                                                                              \
    FLAG(72, "BA"), SURFACE_SHAPE, ENUM(84, 3, n_evict), ENUM(73, 3, n_size), ORDER_ANY_STORE,     \
        ENUM(59, 2, n_outside)
#define SURFACE_PIXEL                                                                              \
    SURFACE_SHAPE, ENUM(84, 3, n_evict), ORDER_ANY_STORE, ENUM(72, 4, n_pixel),                    \
        ENUM(59, 2, n_outside)
#define SURFACE_REDUCE                                                                             \
    FLAG(72, "BA"), SURFACE_SHAPE, ENUM(87, 3, n_red), ENUM(84, 3, n_evict),                       \
        ENUM(73, 3, n_sured_type), ORDER_ANY(n_kind), ENUM(59, 2, n_outside)
#define TEXTURE                FLAG(60, "SCR"), ENUM(79, 2, n_tex_result)
#define SHAPE_OF(t)            ITEM(.kind = ITEM_WORD, .lo = 61, .n = 3, .name = t), NUMBER_UNLESS(72, 4, 15)
#define TEXTURE_OPERANDS_OF(t) NUMBER(54, 5), NUMBER(40, 14), SHAPE_OF(t)
#define TEXTURE_UNIFORM_OF(t)  HEADER_UNIFORM, SHAPE_OF(t)
#define TEXTURE_SHAPE_OF(t)    SHAPE_OF(t)
#define TEXTURE_OPERANDS       TEXTURE_OPERANDS_OF(n_dimensions)
#define TEXTURE_UNIFORM        TEXTURE_UNIFORM_OF(n_dimensions)
#define TEXTURE_SHAPE          SHAPE_OF(n_dimensions)
#define ORDER_VOLTA(kinds)     ENUM(79, 2, kinds), ENUM(77, 2, n_scope), FLAG(76, "PRIVATE")
#define ORDER(kinds)                                                                               \
    ENUM_IN(SASS_75, 79, 2, kinds), ENUM_IN(SASS_75, 77, 2, n_scope),                              \
        FLAG_IN(SASS_75, 76, "PRIVATE"), ENUM_IN(FROM_80, 77, 4, n_order)
// Scope and strength of every generation.
#define ORDER_ANY(kinds)                                                                           \
    ENUM_IN(TO_75, 79, 2, kinds), ENUM_IN(TO_75, 77, 2, n_scope), FLAG_IN(TO_75, 76, "PRIVATE"),   \
        ENUM_IN(FROM_80, 77, 4, n_order)
#define ORDER_ANY_STORE                                                                            \
    ENUM_IN(TO_75, 79, 2, n_kind_store), ENUM_IN(TO_75, 77, 2, n_scope),                           \
        FLAG_IN(TO_75, 76, "PRIVATE"), ENUM_IN(FROM_80, 77, 4, n_order_store)
#define LOAD_VOLTA                                                                                 \
    FLAG(72, "E"), ENUM(84, 3, n_evict), ENUM(73, 3, n_size_global), ORDER_VOLTA(n_kind)
#define LOAD_FLAGS                                                                                 \
    FLAG(72, "E"), ENUM(84, 3, n_evict), ENUM_IN(SASS_75, 73, 3, n_size_global),                   \
        ENUM_IN(FROM_80, 73, 3, n_size), ORDER(n_kind)
#define LOADG_FLAGS                                                                                \
    FLAG(72, "E"), ENUM(84, 3, n_evict), ENUM(68, 2, n_prefetch),                                  \
        ENUM_IN(SASS_75, 73, 3, n_size_global), ENUM_IN(FROM_80, 73, 3, n_size), ORDER(n_kind)
#define STORE_VOLTA                                                                                \
    FLAG(72, "E"), ENUM(84, 3, n_evict), ENUM(73, 3, n_size), ORDER_VOLTA(n_kind_store)
#define STORE_FLAGS                                                                                \
    FLAG(72, "E"), ENUM(84, 3, n_evict), ENUM(73, 3, n_size),                                      \
        ENUM_IN(SASS_75, 79, 2, n_kind_store), ENUM_IN(SASS_75, 77, 2, n_scope),                   \
        FLAG_IN(SASS_75, 76, "PRIVATE"), ENUM_IN(FROM_80, 77, 4, n_order_store)
#define ATOM_ORDER                                                                                 \
    ENUM_IN(TO_75, 79, 2, n_kind_atomic), ENUM_IN(TO_75, 77, 2, n_scope),                          \
        FLAG_IN(TO_75, 76, "PRIVATE"), ENUM_IN(FROM_80, 77, 4, n_order_store)
#define ATOM_FLAGS                                                                                 \
    FLAG(72, "E"), ENUM(87, 4, n_atom), ENUM(84, 3, n_evict), ENUM(73, 3, n_atom_type), ATOM_ORDER
#define ATOM_FLAGS_90                                                                              \
    FLAG(72, "E"), ENUM(87, 4, n_atom), ENUM(84, 3, n_evict), ENUM(73, 3, n_atom_type_90),         \
        ENUM(77, 4, n_order_store)
#define RED_FLAGS_90                                                                               \
    FLAG(72, "E"), ENUM(87, 3, n_red), ENUM(84, 3, n_evict), ENUM(73, 3, n_red_type_90),           \
        ENUM(77, 4, n_order_store)
#define ATOM_FLOAT_FLAGS                                                                           \
    FLAG(72, "E"), ENUM(87, 3, n_atom_float), ENUM(84, 3, n_evict), ENUM(73, 4, n_redg_type),      \
        ENUM(77, 4, n_order_store)
#define CAS_FLAGS                                                                                  \
    FLAG(72, "E"), ENUM(87, 1, n_cas_global), ENUM(84, 3, n_evict), ENUM(73, 3, n_cas_type),       \
        ATOM_ORDER
#define CAS_GLOBAL_FLAGS                                                                           \
    FLAG(72, "E"), NAME_MODIFIER("CAS"), ENUM(84, 3, n_evict), ENUM(73, 3, n_cas_type), ATOM_ORDER
#define CAS_FLAGS_90                                                                               \
    FLAG(72, "E"), ENUM(87, 2, n_cas), ENUM(84, 3, n_evict), ENUM(73, 3, n_cas_type), ATOM_ORDER
#define REDG_FLAGS                                                                                 \
    FLAG(72, "E"), ENUM(87, 3, n_atom_float), ENUM(84, 3, n_evict), ENUM(73, 4, n_redg_type),      \
        ENUM(77, 4, n_order_store)
#define RED_FLAGS                                                                                  \
    FLAG(72, "E"), ENUM(87, 3, n_red), ENUM(84, 3, n_evict), ENUM(73, 3, n_atom_type), ATOM_ORDER

// ---- the table
// ------------------------------------------------------------------------------------
enum { F1 = 1 << 1, F2 = 1 << 2, F3 = 1 << 3, F4 = 1 << 4, F5 = 1 << 5, F6 = 1 << 6, F7 = 1 << 7 };
#define SASS(code, f, g, text, ...)                                                                \
    {.op = code, .forms = f, .gens = g, .name = text, .item = {__VA_ARGS__}},
#define SASS_U(code, f, g, text, ...)                                                              \
    {.op = code, .forms = f, .gens = g, .name = text, .uniform = true, .item = {__VA_ARGS__}},
#define SASS_IMAD(code, f, g, text, ...)                                                           \
    {.op = code, .forms = f, .gens = g, .name = text, .quirk = QUIRK_IMAD, .item = {__VA_ARGS__}},
const struct sass_row sass_rows[] = {
#include "sass/encoding.def"
};
const uint32_t sass_rows_n = WW_COUNT(sass_rows);

const char *sass_special_name(uint32_t number, uint32_t gen) {
    static const struct {
        uint8_t number, gens;
        const char *name;
    } row[] = {
#define SPECIAL(n, text, g) {n, g, text},
#include "sass/special.def"
#undef SPECIAL
    };
    for (uint32_t i = 0; i < WW_COUNT(row); i++)
        if (row[i].number == number && (row[i].gens & gen)) return row[i].name;
    return NULL;
}
