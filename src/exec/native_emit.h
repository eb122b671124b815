// An assembler for the few x86-64 instructions that native.c makes: vectors of 512 bits (EVEX), masks
// (VEX), and what surrounds them. Encodings are Intel's (Software Developer's Manual, volume 2).
// Displacements always have four bytes.
#ifndef WW_EXEC_NATIVE_EMIT_H
#define WW_EXEC_NATIVE_EMIT_H

#include "base/base.h"

// Where the next byte goes. What does not fit is left out.
struct emitter {
    uint8_t *at, *end;
    bool is_full;
};
static inline void put_byte(struct emitter *m, uint32_t b) {
    if (m->at < m->end)
        *m->at++ = (uint8_t)b;
    else
        m->is_full = true;
}
static inline void put_word(struct emitter *m, uint32_t v) {
    for (uint32_t k = 0; k < 4; k++) put_byte(m, v >> (8 * k));
}

// ---- operands ---------------------------------------------------------------------------------
enum gpr { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
// A vector register, 64 bytes in memory, or one word there for all lanes.
struct vec {
    enum { VEC_REG, VEC_MEM, VEC_ONE } kind;
    uint8_t reg; // or the base
    int32_t disp;
};
static inline struct vec vec_reg(uint32_t reg) { return (struct vec){VEC_REG, (uint8_t)reg, 0}; }
static inline struct vec vec_mem(uint32_t base, int32_t disp) {
    return (struct vec){VEC_MEM, (uint8_t)base, disp};
}

static inline void put_modrm_mem(struct emitter *m, uint32_t reg, uint32_t base, int32_t disp) {
    put_byte(m, 0x80 | (reg & 7) << 3 | (base & 7));
    if ((base & 7) == RSP) put_byte(m, 0x24);
    put_word(m, (uint32_t)disp);
}

// ---- vectors ----------------------------------------------------------------------------------
// Operation, opcode map (1: 0F, 2: 0F38, 3: 0F3A), prefix (0 none, 1 66, 2 F3, 3 F2), W, opcode.
#define VECTOR_OPS(X)                                                                              \
    X(PADDD, 1, 1, 0, 0xfe)                                                                        \
    X(PADDQ, 1, 1, 1, 0xd4)                                                                        \
    X(PSUBQ, 1, 1, 1, 0xfb)                                                                        \
    X(PANDQ, 1, 1, 1, 0xdb)                                                                        \
    X(PORQ, 1, 1, 1, 0xeb)                                                                         \
    X(PSUBD, 1, 1, 0, 0xfa)                                                                        \
    X(PMULLD, 2, 1, 0, 0x40)                                                                       \
    X(PMULUDQ, 1, 1, 1, 0xf4)                                                                      \
    X(PMULDQ, 2, 1, 1, 0x28)                                                                       \
    X(PANDD, 1, 1, 0, 0xdb)                                                                        \
    X(PORD, 1, 1, 0, 0xeb)                                                                         \
    X(PXORD, 1, 1, 0, 0xef)                                                                        \
    X(PTERNLOGD, 3, 1, 0, 0x25)                                                                    \
    X(PMINSD, 2, 1, 0, 0x39)                                                                       \
    X(PMAXSD, 2, 1, 0, 0x3d)                                                                       \
    X(PMINUD, 2, 1, 0, 0x3b)                                                                       \
    X(PMAXUD, 2, 1, 0, 0x3f)                                                                       \
    X(PSLLVD, 2, 1, 0, 0x47)                                                                       \
    X(PSRLVD, 2, 1, 0, 0x45)                                                                       \
    X(PSRAVD, 2, 1, 0, 0x46)                                                                       \
    X(SHIFT_D, 1, 1, 0, 0x72) /* by an immediate: the first operand says which way */              \
    X(SHIFT_Q, 1, 1, 1, 0x73)                                                                      \
    X(ADDPS, 1, 0, 0, 0x58)                                                                        \
    X(SUBPS, 1, 0, 0, 0x5c)                                                                        \
    X(MULPS, 1, 0, 0, 0x59)                                                                        \
    X(DIVPS, 1, 0, 0, 0x5e)                                                                        \
    X(MINPS, 1, 0, 0, 0x5d)                                                                        \
    X(MAXPS, 1, 0, 0, 0x5f)                                                                        \
    X(SQRTPS, 1, 0, 0, 0x51)                                                                       \
    X(FMADD231PS, 2, 1, 0, 0xb8)                                                                   \
    X(ADDPD, 1, 1, 1, 0x58)                                                                        \
    X(SUBPD, 1, 1, 1, 0x5c)                                                                        \
    X(MULPD, 1, 1, 1, 0x59)                                                                        \
    X(DIVPD, 1, 1, 1, 0x5e)                                                                        \
    X(MINPD, 1, 1, 1, 0x5d)                                                                        \
    X(MAXPD, 1, 1, 1, 0x5f)                                                                        \
    X(FMADD231PD, 2, 1, 1, 0xb8)                                                                   \
    X(CVTPS2PD, 1, 0, 0, 0x5a)                                                                     \
    X(CVTPD2PS, 1, 1, 1, 0x5a)                                                                     \
    X(CVTDQ2PS, 1, 0, 0, 0x5b)                                                                     \
    X(CVTUDQ2PS, 1, 3, 0, 0x7a)                                                                    \
    X(CVTTPS2DQ, 1, 2, 0, 0x5b)                                                                    \
    X(CVTTPS2UDQ, 1, 0, 0, 0x78)                                                                   \
    X(RNDSCALEPS, 3, 1, 0, 0x08)                                                                   \
    X(PABSD, 2, 1, 0, 0x1e)                                                                        \
    X(MOVE, 1, 1, 0, 0x6f)                                                                         \
    X(STORE, 1, 1, 0, 0x7f)                                                                        \
    X(LOADU, 1, 2, 0, 0x6f)                                                                        \
    X(SPREAD_GPR, 2, 1, 0, 0x7c)                                                                   \
    X(SPREAD, 2, 1, 0, 0x58)                                                                       \
    X(SPREAD_Q, 2, 1, 1, 0x59)                                                                     \
    X(MOVE_Q, 1, 1, 1, 0x6f)                                                                       \
    X(PICK, 2, 1, 0, 0x76) /* VPERMI2D: the destination says which words of the two */             \
    X(SHUFFLE_BYTES, 2, 1, 0, 0x00)                                                                \
    X(BLENDMD, 2, 1, 0, 0x64)                                                                      \
    X(CMPD, 3, 1, 0, 0x1f)                                                                         \
    X(CMPUD, 3, 1, 0, 0x1e)                                                                        \
    X(CMPPS, 1, 0, 0, 0xc2)                                                                        \
    X(CMPPD, 1, 1, 1, 0xc2)                                                                        \
    X(TESTMD, 2, 1, 0, 0x27)                                                                       \
    X(TESTNMD, 2, 2, 0, 0x27)                                                                      \
    X(SIGNS_D, 2, 2, 0, 0x39) /* VPMOVD2M */                                                       \
    X(COMPRESS, 2, 1, 0, 0x8b) /* its first operand is the source */                               \
    X(UNPACK_LOW, 1, 1, 0, 0x62)                                                                   \
    X(UNPACK_HIGH, 1, 1, 0, 0x6a)                                                                  \
    X(SHUFPS, 1, 0, 0, 0xc6)                                                                       \
    X(SHUFD, 1, 1, 0, 0x70)                                                                        \
    X(PERMQ, 2, 1, 1, 0x36)                                                                        \
    X(EXTRACT_HALF, 3, 1, 1, 0x3b) /* VEXTRACTI64X4 */                                             \
    X(INSERT_HALF, 3, 1, 1, 0x3a)
#define VECTOR_ID(name, map, prefix, w, opcode) V_##name,
enum vector_op { VECTOR_OPS(VECTOR_ID) V_N };
enum { SHIFT_RIGHT = 2, SHIFT_ARITHMETIC = 4, SHIFT_LEFT = 6 }; // first operand of SHIFT_
enum { CMP_EQ, CMP_LT, CMP_LE, CMP_FALSE, CMP_NE, CMP_GE, CMP_GT };       // CMPD, CMPUD
// CMPPS, CMPPD. Those with a U hold for NaN too.
enum { CMPF_EQ, CMPF_LT, CMPF_LE, CMPF_UNORD, CMPF_NEU, CMPF_GEU, CMPF_GTU, CMPF_ORD, CMPF_EQU,
       CMPF_LTU, CMPF_LEU, CMPF_NE = 12, CMPF_GE, CMPF_GT };

struct vector_code {
    uint8_t map, prefix, w, opcode;
};
extern const struct vector_code vector_codes[V_N];

// dst, a, b as an Intel manual orders them; `k` a mask register that merges (0: none).
static inline void put_vector_masked(struct emitter *m, enum vector_op op, uint32_t dst, uint32_t a,
                                     struct vec b, uint32_t k) {
    const struct vector_code c = vector_codes[op];
    const bool is_reg = b.kind == VEC_REG;
    const uint32_t r = ~dst >> 3 & 1, r2 = ~dst >> 4 & 1, rb = ~(uint32_t)b.reg >> 3 & 1,
                   x = is_reg ? ~(uint32_t)b.reg >> 4 & 1 : 1;
    put_byte(m, 0x62);
    put_byte(m, r << 7 | x << 6 | rb << 5 | r2 << 4 | c.map);
    put_byte(m, (uint32_t)c.w << 7 | (~a & 15) << 3 | 4 | c.prefix);
    put_byte(m, 0x40 | (b.kind == VEC_ONE ? 0x10u : 0) | (~a >> 4 & 1) << 3 | k);
    put_byte(m, c.opcode);
    if (is_reg)
        put_byte(m, 0xc0 | (dst & 7) << 3 | (b.reg & 7));
    else
        put_modrm_mem(m, dst, b.reg, b.disp);
}
static inline void put_vector(struct emitter *m, enum vector_op op, uint32_t dst, uint32_t a,
                              struct vec b) {
    put_vector_masked(m, op, dst, a, b, 0);
}
static inline void put_vector_imm_masked(struct emitter *m, enum vector_op op, uint32_t dst,
                                         uint32_t a, struct vec b, uint32_t imm, uint32_t k) {
    put_vector_masked(m, op, dst, a, b, k);
    put_byte(m, imm);
}
static inline void put_vector_imm(struct emitter *m, enum vector_op op, uint32_t dst, uint32_t a,
                                  struct vec b, uint32_t imm) {
    put_vector_imm_masked(m, op, dst, a, b, imm, 0);
}
// Words at base + offset of each lane, for the lanes of mask k, which it clears.
static inline void put_gather(struct emitter *m, uint32_t dst, uint32_t base, uint32_t index,
                              uint32_t k) {
    put_byte(m, 0x62);
    put_byte(m, (~dst >> 3 & 1) << 7 | (~index >> 3 & 1) << 6 | (~base >> 3 & 1) << 5 |
                    (~dst >> 4 & 1) << 4 | 2);
    put_byte(m, 15 << 3 | 4 | 1);
    put_byte(m, 0x40 | (~index >> 4 & 1) << 3 | k);
    put_byte(m, 0x90);
    put_byte(m, 0x80 | (dst & 7) << 3 | 4);
    put_byte(m, (index & 7) << 3 | (base & 7));
    put_word(m, 0);
}

// ---- masks ------------------------------------------------------------------------------------
static inline void put_vex(struct emitter *m, uint32_t l, uint32_t pp, uint32_t opcode, uint32_t reg,
                           uint32_t vvvv, uint32_t rm) {
    put_byte(m, 0xc4);
    put_byte(m, (~reg >> 3 & 1) << 7 | 1 << 6 | (~rm >> 3 & 1) << 5 | 1);
    put_byte(m, (~vvvv & 15) << 3 | l << 2 | pp);
    put_byte(m, opcode);
    put_byte(m, 0xc0 | (reg & 7) << 3 | (rm & 7));
}
static inline void put_mask_from(struct emitter *m, uint32_t k, uint32_t from) {
    put_vex(m, 0, 0, 0x92, k, 0, from); // KMOVW
}
static inline void put_mask_to(struct emitter *m, uint32_t to, uint32_t k) {
    put_vex(m, 0, 3, 0x93, to, 0, k); // KMOVD
}
static inline void put_mask_move(struct emitter *m, uint32_t k, uint32_t from) {
    put_vex(m, 0, 0, 0x90, k, 0, from); // KMOVW
}
// k = high : low
static inline void put_mask_join(struct emitter *m, uint32_t k, uint32_t high, uint32_t low) {
    put_vex(m, 1, 0, 0x4b, k, high, low);
}
static inline void put_mask_or(struct emitter *m, uint32_t k, uint32_t a, uint32_t b) {
    put_vex(m, 1, 0, 0x45, k, a, b);
}
static inline void put_mask_not(struct emitter *m, uint32_t k, uint32_t from) {
    put_vex(m, 0, 0, 0x44, k, 0, from); // KNOTW
}
static inline void put_mask_ones(struct emitter *m, uint32_t k) {
    put_vex(m, 1, 0, 0x46, k, k, k); // KXNORW
}
static inline void put_mask_test(struct emitter *m, uint32_t a, uint32_t b) {
    put_vex(m, 0, 0, 0x98, a, 0, b); // KORTESTW
}

// ---- words ------------------------------------------------------------------------------------
enum { G_LOAD = 0x8b, G_STORE = 0x89, G_ADD = 0x03, G_SUB = 0x2b, G_AND = 0x23, G_OR = 0x0b,
       G_XOR = 0x33, G_CMP = 0x3b, G_LEA = 0x8d, G_TEST = 0x85, G_ADD_TO = 0x01 /* memory */ };
enum { I_ADD = 0, I_AND = 4, I_CMP = 7 }; // put_ri, put_mi
// reg = reg OP [base + disp]; of 64 bits where `w` is 1.
static inline void put_rm(struct emitter *m, uint32_t w, uint32_t op, uint32_t reg, uint32_t base,
                          int32_t disp) {
    put_byte(m, 0x40 | w << 3 | (reg >> 3) << 2 | base >> 3);
    put_byte(m, op);
    put_modrm_mem(m, reg, base, disp);
}
// reg = reg OP rm
static inline void put_rr(struct emitter *m, uint32_t w, uint32_t op, uint32_t reg, uint32_t rm) {
    put_byte(m, 0x40 | w << 3 | (reg >> 3) << 2 | rm >> 3);
    put_byte(m, op);
    put_byte(m, 0xc0 | (reg & 7) << 3 | (rm & 7));
}
// reg = reg OP imm, of 32 bits and extended; op as in the manual: 0 ADD, 1 OR, 4 AND, 5 SUB, 6 XOR, 7 CMP.
static inline void put_ri(struct emitter *m, uint32_t w, uint32_t op, uint32_t reg, uint32_t imm) {
    put_byte(m, 0x40 | w << 3 | reg >> 3);
    put_byte(m, 0x81);
    put_byte(m, 0xc0 | op << 3 | (reg & 7));
    put_word(m, imm);
}
// [base + disp] = that OP imm, of 32 bits; of 64 bits.
static inline void put_mi(struct emitter *m, uint32_t op, uint32_t base, int32_t disp, uint32_t imm) {
    put_byte(m, 0x40 | base >> 3);
    put_byte(m, 0x81);
    put_modrm_mem(m, op, base, disp);
    put_word(m, imm);
}
static inline void put_mi64(struct emitter *m, uint32_t op, uint32_t base, int32_t disp,
                            uint32_t imm) {
    put_byte(m, 0x48 | base >> 3);
    put_byte(m, 0x81);
    put_modrm_mem(m, op, base, disp);
    put_word(m, imm);
}
static inline void put_const(struct emitter *m, uint32_t reg, uint32_t imm) {
    put_byte(m, 0x40 | reg >> 3);
    put_byte(m, 0xb8 | (reg & 7));
    put_word(m, imm);
}
static inline void put_const64(struct emitter *m, uint32_t reg, uint64_t imm) {
    put_byte(m, 0x48 | reg >> 3);
    put_byte(m, 0xb8 | (reg & 7));
    put_word(m, (uint32_t)imm);
    put_word(m, (uint32_t)(imm >> 32));
}
static inline void put_multiply(struct emitter *m, uint32_t reg, uint32_t base, int32_t disp) {
    put_byte(m, 0x48 | (reg >> 3) << 2 | base >> 3);
    put_byte(m, 0x0f);
    put_byte(m, 0xaf);
    put_modrm_mem(m, reg, base, disp);
}
// The lowest bit that is set: how many are not below it.
static inline void put_lowest(struct emitter *m, uint32_t to, uint32_t from) {
    put_byte(m, 0xf3);
    put_byte(m, 0x40 | (to >> 3) << 2 | from >> 3);
    put_byte(m, 0x0f);
    put_byte(m, 0xbc);
    put_byte(m, 0xc0 | (to & 7) << 3 | (from & 7));
}
static inline void put_not(struct emitter *m, uint32_t reg) {
    put_byte(m, 0x40 | reg >> 3);
    put_byte(m, 0xf7);
    put_byte(m, 0xd0 | (reg & 7));
}
static inline void put_neg(struct emitter *m, uint32_t reg) {
    put_byte(m, 0x40 | reg >> 3);
    put_byte(m, 0xf7);
    put_byte(m, 0xd8 | (reg & 7));
}
static inline void put_shift(struct emitter *m, uint32_t w, bool left, uint32_t reg, uint32_t by) {
    put_byte(m, 0x40 | w << 3 | reg >> 3);
    put_byte(m, 0xc1);
    put_byte(m, (left ? 0xe0u : 0xe8u) | (reg & 7));
    put_byte(m, by);
}
// The first lane of a vector register, as a word.
static inline void put_first_lane(struct emitter *m, uint32_t to, uint32_t from) {
    put_byte(m, 0x62);
    put_byte(m, (~from >> 3 & 1) << 7 | 0x40 | (~to >> 3 & 1) << 5 |
                    (~from >> 4 & 1) << 4 | 1);
    put_byte(m, 15 << 3 | 4 | 1);
    put_byte(m, 8);
    put_byte(m, 0x7e);
    put_byte(m, 0xc0 | (from & 7) << 3 | (to & 7));
}
// How many bits are set.
static inline void put_count(struct emitter *m, uint32_t to, uint32_t from) {
    put_byte(m, 0xf3);
    put_byte(m, 0x40 | (to >> 3) << 2 | from >> 3);
    put_byte(m, 0x0f);
    put_byte(m, 0xb8);
    put_byte(m, 0xc0 | (to & 7) << 3 | (from & 7));
}
// [base + disp] = imm
static inline void put_store_imm(struct emitter *m, uint32_t base, int32_t disp, uint32_t imm) {
    put_byte(m, 0x40 | base >> 3);
    put_byte(m, 0xc7);
    put_modrm_mem(m, 0, base, disp);
    put_word(m, imm);
}
static inline void put_test_imm(struct emitter *m, uint32_t reg, uint32_t imm) {
    put_byte(m, 0x40 | reg >> 3);
    put_byte(m, 0xf7);
    put_byte(m, 0xc0 | (reg & 7));
    put_word(m, imm);
}
static inline void put_clear_upper(struct emitter *m) { // VZEROUPPER
    put_byte(m, 0xc5);
    put_byte(m, 0xf8);
    put_byte(m, 0x77);
}
static inline void put_carry(struct emitter *m, bool set) { put_byte(m, set ? 0xf9 : 0xf8); }
static inline void put_test(struct emitter *m, uint32_t reg) { put_rr(m, 0, 0x85, reg, reg); }
static inline void put_push(struct emitter *m, uint32_t reg) {
    put_byte(m, 0x40 | reg >> 3);
    put_byte(m, 0x50 | (reg & 7));
}
static inline void put_pop(struct emitter *m, uint32_t reg) {
    put_byte(m, 0x40 | reg >> 3);
    put_byte(m, 0x58 | (reg & 7));
}
static inline void put_ret(struct emitter *m) { put_byte(m, 0xc3); }

// ---- jumps ------------------------------------------------------------------------------------
enum { IF_BELOW = 2, IF_NOT_BELOW, IF_ZERO, IF_NOT_ZERO, IF_NOT_ABOVE, IF_ABOVE, IF_LESS = 12,
       IF_NOT_LESS, IF_NOT_GREATER, IF_GREATER };
// A jump forward; the answer goes to land_here.
static inline uint8_t *put_jump_if(struct emitter *m, uint32_t condition) {
    put_byte(m, 0x0f);
    put_byte(m, 0x80 | condition);
    put_word(m, 0);
    return m->at;
}
static inline uint8_t *put_jump(struct emitter *m) {
    put_byte(m, 0xe9);
    put_word(m, 0);
    return m->at;
}
static inline void land(struct emitter *m, uint8_t *behind, const uint8_t *target) {
    if (m->is_full) return;
    const uint32_t by = (uint32_t)(int32_t)(target - behind);
    memcpy(behind - 4, &by, 4);
}
static inline void land_here(struct emitter *m, uint8_t *behind) { land(m, behind, m->at); }
static inline void put_call(struct emitter *m, const uint8_t *target) {
    put_byte(m, 0xe8);
    put_word(m, 0);
    land(m, m->at, target);
}
static inline void put_jump_to(struct emitter *m, uint32_t reg) {
    put_byte(m, 0x40 | reg >> 3);
    put_byte(m, 0xff);
    put_byte(m, 0xe0 | (reg & 7));
}
static inline void put_call_c(struct emitter *m, uintptr_t function) {
    put_const64(m, RAX, function);
    put_byte(m, 0xff);
    put_byte(m, 0xd0);
}
#endif
