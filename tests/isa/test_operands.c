// What instructions read and write, against lists by hand; and the operands in the rows of ops.def against
// its sentences, which name D, D1, A, B, C and E where there is such an operand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <ctype.h>
#include <string.h>

#include "isa/operands.h"

static struct opnd gpr(uint32_t r, uint8_t words) {
    return (struct opnd){.kind = OPND_GPR, .words = words, .reg = r};
}
static struct opnd pred(uint32_t p) { return (struct opnd){.kind = OPND_PRED, .reg = p}; }
static struct opnd imm(uint64_t v) {
    return (struct opnd){.kind = OPND_IMM, .words = v >> 32 ? 2 : 1, .imm = v};
}
static struct opnd constant(uint32_t at, uint8_t words) {
    return (struct opnd){.kind = OPND_CONST, .words = words, .reg = at};
}

static void print(char *text, const struct isa_ref *ref, uint32_t n) {
    *text = 0;
    for (uint32_t i = 0; i < n; i++) {
        text += sprintf(text, "%s%s", i ? " " : "", ref[i].place == REF_GUARD ? "@" : "");
        text += sprintf(text, "%c%u", ref[i].file == REF_GPR ? 'R' : 'P', ref[i].reg + ref[i].word);
    }
}

// Operands by hand: from NVIDIA's description of each instruction, not from the rows.
static const struct {
    struct minst inst;
    const char *reads, *writes;
    bool is_right;
} by_hand[] = {
#define I(...) {.guard = PRED_TRUE, __VA_ARGS__}
#define G(r) {.kind = OPND_GPR, .words = 1, .reg = r}
#define GG(r) {.kind = OPND_GPR, .words = 2, .reg = r}
#define GGGG(r) {.kind = OPND_GPR, .words = 4, .reg = r}
#define PR(p) {.kind = OPND_PRED, .reg = p}
#define IM(v) {.kind = OPND_IMM, .words = 1, .imm = v}
#define CO(at) {.kind = OPND_CONST, .words = 1, .reg = at}
    {I(.op = OP_IADD, .type = ITYPE_U32, .dst = {G(2)}, .src = {G(3), G(4)}), "R3 R4", "R2", true},
    {I(.op = OP_IADD, .type = ITYPE_U32, .dst = {G(2), PR(PRED_CARRY)}, .src = {G(3), CO(32)}),
     "R3", "R2 P8", true},
    {I(.op = OP_IADD, .type = ITYPE_U32, .dst = {G(2)}, .src = {G(3), IM(0), PR(PRED_CARRY)}),
     "R3 P8", "R2", true},
    {I(.op = OP_IMAD, .type = ITYPE_U32, .dst = {G(2), PR(PRED_CARRY)},
       .src = {G(3), G(4), G(5), PR(PRED_CARRY)}),
     "R3 R4 R5 P8", "R2 P8", true},
    {I(.op = OP_IMUL, .type = ITYPE_U32, .dst = {G(2), PR(PRED_CARRY)}, .src = {G(3), G(4)}),
     "R3 R4", "R2 P8", false},
    {.inst = {.op = OP_FFMA,
              .type = ITYPE_F32,
              .guard = 3,
              .guard_not = true,
              .dst = {G(9)},
              .src = {G(1), G(2), G(9)}},
     .reads = "R1 R2 R9 @P3",
     .writes = "R9",
     .is_right = true},
    {I(.op = OP_IMAD, .type = ITYPE_U32, .flags = MF_WIDE, .dst = {GG(4)},
       .src = {G(1), G(2), GG(6)}),
     "R1 R2 R6 R7", "R4 R5", true},
    {I(.op = OP_IMAD, .type = ITYPE_U32, .dst = {GG(4)}, .src = {G(1), G(2), G(6)}), "R1 R2 R6",
     "R4 R5", false},
    {I(.op = OP_IMAD, .type = ITYPE_U16, .flags = MF_WIDE, .dst = {G(4)},
       .src = {G(1), G(2), G(6)}),
     "R1 R2 R6", "R4", true},
    {I(.op = OP_LD, .type = ITYPE_F32, .vec = 4, .dst = {GGGG(8)}, .src = {GG(2)}), "R2 R3",
     "R8 R9 R10 R11", true},
    {I(.op = OP_LD, .type = ITYPE_U8, .vec = 2, .dst = {GG(8)}, .src = {G(2)}), "R2", "R8 R9",
     true},
    {I(.op = OP_LD, .type = ITYPE_U8, .vec = 2, .dst = {G(8)}, .src = {G(2)}), "R2", "R8", false},
    {I(.op = OP_LD, .type = ITYPE_U32, .dst = {G(8)}, .src = {{0}}), "", "R8", true},
    {I(.op = OP_ST, .type = ITYPE_F64, .src = {GG(2), GG(4)}), "R2 R3 R4 R5", "", true},
    {I(.op = OP_ST, .type = ITYPE_F64, .dst = {G(9)}, .src = {GG(2), GG(4)}), "R2 R3 R4 R5", "R9",
     false},
    {I(.op = OP_ATOM, .type = ITYPE_U32, .sub = MATOM_CAS, .dst = {G(0)},
       .src = {GG(2), G(4), G(5)}),
     "R2 R3 R4 R5", "R0", true},
    {I(.op = OP_ATOM, .type = ITYPE_F16X2, .vec = 2, .src = {GG(2), GG(4)}), "R2 R3 R4 R5", "",
     true},
    {I(.op = OP_ISETP, .type = ITYPE_S64, .dst = {PR(0), PR(1)}, .src = {GG(2), GG(4), PR(2)}),
     "R2 R3 R4 R5 P2", "P0 P1", true},
    {I(.op = OP_ISETP, .type = ITYPE_S32, .dst = {PR(PRED_TRUE)}, .src = {G(2), G(4)}), "R2 R4", "",
     true},
    {I(.op = OP_ISETP, .type = ITYPE_S32, .dst = {G(0)}, .src = {G(2), G(4)}), "R2 R4", "R0",
     false},
    {I(.op = OP_SEL, .type = ITYPE_B32, .dst = {G(0)}, .src = {G(2), G(4), PR(5)}), "R2 R4 P5",
     "R0", true},
    {I(.op = OP_SEL, .type = ITYPE_B32, .dst = {G(0)}, .src = {G(2), G(4), G(5)}), "R2 R4 R5", "R0",
     false},
    {I(.op = OP_CVT, .type = ITYPE_F64, .stype = ITYPE_S32, .dst = {GG(0)}, .src = {G(2)}), "R2",
     "R0 R1", true},
    {I(.op = OP_CVT, .type = ITYPE_F16X2, .stype = ITYPE_F32, .dst = {G(0)}, .src = {G(2), G(3)}),
     "R2 R3", "R0", true},
    {I(.op = OP_FSET, .type = ITYPE_U32, .stype = ITYPE_F64, .dst = {G(0)}, .src = {GG(2), GG(4)}),
     "R2 R3 R4 R5", "R0", true},
    {I(.op = OP_P2R, .type = ITYPE_B32, .dst = {G(0)}), "P0 P1 P2 P3 P4 P5 P6", "R0", true},
    {I(.op = OP_R2P, .type = ITYPE_B32, .src = {G(3), IM(0x25)}), "R3", "P0 P2 P5", true},
    {I(.op = OP_SHFL, .type = ITYPE_B32, .dst = {G(0), PR(1)},
       .src = {G(2), G(3), IM(31), IM(0xffffffff)}),
     "R2 R3", "R0 P1", true},
    {I(.op = OP_VOTE, .type = ITYPE_B32, .sub = MVOTE_BALLOT, .dst = {G(0)},
       .src = {PR(2), IM(0xffffffff)}),
     "P2", "R0", true},
    {I(.op = OP_HMMA_884, .type = ITYPE_F32, .stype = ITYPE_F32, .dst = {GG(0)},
       .src = {GG(2), GG(4), GG(6)}),
     "R2 R3 R4 R5 R6 R7", "R0 R1", true},
    {I(.op = OP_FILLER, .type = ITYPE_F32, .dst = {G(0)}, .src = {G(0), G(1)}), "R0 R1", "R0",
     true},
    {I(.op = OP_BRA, .target = 0, .dst = {{0}}), "", "", true},
    {.inst = {.op = OP_BRA, .guard = 0}, .reads = "@P0", .writes = "", .is_right = true},
    {I(.op = OP_MUFU, .type = ITYPE_F32, .dst = {G(0)}, .src = {CO(16)}), "", "R0", false},
    {I(.op = OP_FADD, .type = ITYPE_F32, .dst = {G(0)}, .src = {IM(1), G(2)}), "R2", "R0", false},
    {I(.op = OP_FFMA, .type = ITYPE_F32, .dst = {G(0)}, .src = {G(2), CO(8), CO(16)}), "R2", "R0", false},
    {I(.op = OP_IMAD, .type = ITYPE_U32, .dst = {G(0)}, .src = {G(2), IM(5), CO(16)}), "R2", "R0", false},
    {I(.op = OP_IMAD, .type = ITYPE_U32, .dst = {G(0)}, .src = {G(2), IM(0), CO(16)}), "R2", "R0", true},
    {I(.op = OP_BFE, .type = ITYPE_U32, .dst = {G(0)}, .src = {G(2), IM(5), IM(9)}), "R2", "R0", true},
};

static void instructions_read_and_write_these(void **state) {
    (void)state;
    for (size_t i = 0; i < WW_COUNT(by_hand); i++) {
        const struct minst *const m = &by_hand[i].inst;
        struct isa_ref ref[ISA_MAX_REFS];
        char text[256];
        print(text, ref, isa_reads(m, true, ref));
        if (strcmp(text, by_hand[i].reads) != 0) print_message("row %zu\n", i);
        assert_string_equal(text, by_hand[i].reads);
        print(text, ref, isa_writes(m, true, ref));
        assert_string_equal(text, by_hand[i].writes);
        if ((isa_operands_fault(m, true) == NULL) != by_hand[i].is_right) print_message("row %zu\n", i);
        assert_int_equal(isa_operands_fault(m, true) == NULL, by_hand[i].is_right);
    }
}

// Before allocation predicate 7 is one like others, and words are those of a part of a register.
static void virtual_registers_have_parts(void **state) {
    (void)state;
    struct minst m = {.op = OP_MOV, .type = ITYPE_B32, .guard = VPRED_TRUE};
    m.dst[0] = gpr(300, 1);
    m.src[0] = gpr(400, 2);
    m.src[0].sub = 2;
    m.src[1] = pred(PRED_TRUE);
    m.src[2] = imm(1ull << 40);
    m.src[3] = constant(4, 1);
    struct isa_ref ref[ISA_MAX_REFS];
    assert_int_equal(isa_reads(&m, false, ref), 3);
    assert_int_equal(ref[0].reg, 400);
    assert_int_equal(ref[0].word, 2);
    assert_int_equal(ref[1].word, 3);
    assert_int_equal(ref[2].file, REF_PRED);
    assert_int_equal(ref[2].reg, PRED_TRUE);
    m.guard = PRED_TRUE;
    assert_int_equal(isa_reads(&m, true, ref), 2);
}

static void operands_are_equal_by_kind(void **state) {
    (void)state;
    const struct opnd five = {.kind = OPND_GPR, .words = 1, .reg = 5};
    struct opnd other = five;
    assert_true(opnd_equal(&five, &other));
    other.sub = 1;
    assert_false(opnd_equal(&five, &other));
    other = imm(5);
    assert_false(opnd_equal(&five, &other));
    const struct opnd low = {.kind = OPND_IMM, .words = 2, .imm = 5};
    other = low;
    other.imm |= 1ull << 63;
    assert_false(opnd_equal(&low, &other));
    const struct opnd bank = constant(8, 1);
    other = bank;
    other.bank++;
    assert_false(opnd_equal(&bank, &other));
    const struct opnd none = {.kind = OPND_NONE}, old = {.kind = OPND_NONE, .reg = 7};
    assert_true(opnd_equal(&none, &old));
}

// The last of six sources and three destinations count as the first do.
static void all_slots_are_read_and_written(void **state) {
    (void)state;
    struct minst m = {.op = OP_IADD, .guard = PRED_TRUE};
    for (unsigned s = 0; s < MINST_SRCS; s++)
        m.src[s] = (struct opnd){.kind = OPND_GPR, .words = 4, .reg = 4 * s};
    for (unsigned d = 0; d < MINST_DSTS; d++)
        m.dst[d] = (struct opnd){.kind = OPND_GPR, .words = 1, .reg = 40 + d};
    struct isa_ref ref[ISA_MAX_REFS];
    assert_int_equal(isa_reads(&m, true, ref), 4 * MINST_SRCS);
    for (unsigned i = 0; i < 4 * MINST_SRCS; i++)
        assert_int_equal(ref[i].reg + ref[i].word, i);
    assert_int_equal(isa_writes(&m, true, ref), MINST_DSTS);
    assert_int_equal(ref[MINST_DSTS - 1].reg, 40 + MINST_DSTS - 1);
    assert_non_null(isa_operands_fault(&m, true)); // the row has fewer
}

// No row reads more registers at once than the machine has places for (SLOT_T to SLOT_PACKED: four
// words at most), and one alone, the product of doubles of sixteen rows, more than the usual number.
static void rows_read_no_more_than_fits(void **state) {
    (void)state;
    static const uint8_t most[] = {
        [SLOT_W] = 1, [SLOT_T] = 4,       [SLOT_S] = 4,       [SLOT_X] = 4, [SLOT_V] = 4,
        [SLOT_N] = 4, [SLOT_PACKED] = 4, [SLOT_ADDRESS] = 2, [SLOT_PAIR] = 2,
        [SLOT_SUMS] = 0, // of a product of a warp group: read as it runs
        [SLOT_T4] = 8,    [SLOT_V2] = 16};
    for (unsigned op = 0; op < OP_N; op++) {
        unsigned words = op == OP_DMMA_16 ? most[SLOT_T4] - most[SLOT_V] : 0; // B: four doubles
        for (unsigned s = 0; s < MINST_SRCS; s++) {
            const uint8_t slot = operand_rows[op].src[s];
            if (slot & SLOT_VALUE) words += most[slot_words(slot)];
        }
        if (words > (op == OP_DMMA_16 ? ISA_MAX_ROWS : ISA_USUAL_ROWS)) fail_msg("%s reads %u registers", mop_info[op].text, words);
    }
}

// Whether the sentence names an operand: the letter as a word of its own.
static bool names(const char *prose, const char *letter) {
    const size_t n = strlen(letter);
    for (const char *p = prose; (p = strstr(p, letter)) != NULL; p += n) {
        const bool starts = p == prose || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
        if (starts && !isalnum((unsigned char)p[n]) && p[n] != '_') return true;
    }
    return false;
}

static void sentences_name_the_operands(void **state) {
    (void)state;
    static const char *const dst[MINST_DSTS] = {"D", "D1", "D2"};
    static const char *const src[MINST_SRCS] = {"A", "B", "C", "E", "F", "G"};
    // Sentences that lean on another row's.
    static const uint16_t leans[] = {OP_IMUL64, OP_IMNMX64, OP_DMNMX, OP_DCOPYSIGN, OP_HMNMX,
                                     OP_HEX2, OP_HTANH, OP_TEX, OP_TLD4, OP_SULD, OP_SUST,
                                     OP_SURED, OP_HMMA_884, OP_HMMA_1688, OP_IMMA_8816,
                                     OP_IMMA_8832, OP_BMMA_88128, OP_FILLER, OP_HSETP, OP_FSETP,
                                     OP_ISETP, OP_DSETP, OP_FMNMX, OP_HMUL, OP_IMAD24, OP_SYSCALL,
                                     OP_PREFETCH, OP_FLO, OP_IMNMX, OP_VIDEO, OP_TMASTG, OP_TMARED,
                                     OP_TMAPF};
    bool fine = true;
    for (unsigned op = 0; op < OP_N; op++) {
        const struct operand_row *const row = &operand_rows[op];
        bool leaning = false;
        for (size_t i = 0; i < WW_COUNT(leans); i++) leaning |= leans[i] == op;
        for (unsigned k = 0; k < MINST_DSTS + MINST_SRCS; k++) {
            const bool is_dst = k < MINST_DSTS;
            const char *const letter = is_dst ? dst[k] : src[k - MINST_DSTS];
            const bool has = (is_dst ? row->dst[k] : row->src[k - MINST_DSTS]) != 0;
            const bool said = names(mop_info[op].prose, letter);
            if (said == has || (has && leaning)) continue;
            print_message("%s: %s %s\n", mop_info[op].text, letter,
                          has ? "is not in the sentence" : "is not in the row");
            fine = false;
        }
    }
    assert_true(fine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_read_and_write_these),
        cmocka_unit_test(virtual_registers_have_parts),
        cmocka_unit_test(operands_are_equal_by_kind),
        cmocka_unit_test(all_slots_are_read_and_written),
        cmocka_unit_test(rows_read_no_more_than_fits),
        cmocka_unit_test(sentences_name_the_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
