// Words of floats, halves, conversions and matrices as records of the machine. translate_floats.csv
// holds words that ptxas made, and some of them with a field changed; what a word says as text, and
// the record as the machine's disassembler shows it, read and compared by a person: operands and
// their signs, modifiers, parts of sources; or, behind "! ", why it is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/disasm.h"
#include "isa/operands.h"
#include "sass/translate.h"

static bool translated(const char *sm, struct sass_word w, struct minst *m, char *text,
                       size_t size) {
    struct sass_refusal why;
    struct code_control control;
    const uint32_t gen = sass_gen((uint32_t)strtoul(sm, NULL, 10));
    if (sass_translate(w, 0, 0, gen, m, &control, &why)) {
        disasm_minst(m, true, text, size);
        return true;
    }
    char *const bits = strstr(why.text, " (0x");
    if (bits) *bits = 0;
    snprintf(text, size, "! %s", why.text);
    return false;
}

static void records(void **state) {
    (void)state;
    FILE *f = fopen(WW_TEST_DIR "/translate_floats.csv", "r");
    assert_non_null(f);
    char *line = NULL, *field[5], text[256];
    size_t cap = 0;
    uint32_t n = 0, bad = 0;
    while (getline(&line, &cap, f) > 0) {
        line[strcspn(line, "\r\n")] = 0;
        if (text_split_csv(line, field, 5) != 5 || strcmp(field[0], "sm") == 0) continue;
        const struct sass_word w = {strtoull(field[1], NULL, 16), strtoull(field[2], NULL, 16)};
        struct minst m;
        const bool is_known = translated(field[0], w, &m, text, sizeof text);
        const char *const fault = is_known ? isa_operands_fault(&m, false) : NULL;
        if (fault || strcmp(text, field[4])) {
            fprintf(stderr, "sm_%s %s: %s, not %s%s%s\n", field[0], field[3], text, field[4],
                    fault ? "; " : "", fault ? fault : "");
            bad++;
        }
        n++;
    }
    free(line);
    fclose(f);
    assert_int_equal(bad, 0);
    assert_true(n >= 350);
}

// What the text of a record does not show.
static void types_and_classes(void **state) {
    (void)state;
    static const struct {
        const char *sm;
        struct sass_word w;
        uint8_t type, stype, klass;
    } row[] = {
        // FSEL, FCHK, MUFU.RCP64H, F2F.F64.F32, F2I.NTZ, F2F.F16.F32
        {"70", {0x000000080b0a7208, 0x000fe20004000000}, ITYPE_F32, ITYPE_NONE, OPC_MOV},
        {"70", {0x0000000007007302, 0x000e220000000000}, ITYPE_F32, ITYPE_NONE, OPC_SFU_RCP},
        {"70", {0x0000000d00077308, 0x000e220000001800}, ITYPE_F32, ITYPE_NONE, OPC_SFU_RCP},
        {"70", {0x0000000400047310, 0x000e220000201800}, ITYPE_F64, ITYPE_F32, OPC_DP_CVT},
        {"70", {0x0000001a001b7305, 0x000e220000203100}, ITYPE_S32, ITYPE_F32, OPC_CVT},
        {"70", {0x0000000600097304, 0x000e220000200800}, ITYPE_F16, ITYPE_F32, OPC_CVT_FP},
        // HADD2.F32, HSET2 and HSET2.BF of halves
        {"70", {0x200000ff000d7230, 0x000fe20000004800}, ITYPE_F32, ITYPE_F16X2, OPC_HALF},
        {"70", {0x2000000500047233, 0x000fe20003802800}, ITYPE_U32, ITYPE_F16X2, OPC_HALF},
        {"70", {0x2000000500047233, 0x000fe20003802880}, ITYPE_F16X2, ITYPE_F16X2, OPC_HALF},
        // HMMA.884 of both kinds
        {"70", {0x0000001c82207236, 0x000fe20000005620}, ITYPE_F32, ITYPE_F32, OPC_MMA_884_F32},
        {"70", {0x0000001006107236, 0x000fe20000000010}, ITYPE_F16, ITYPE_F16, OPC_MMA_884_F16}};
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        struct minst m;
        char text[256];
        if (!translated(row[i].sm, row[i].w, &m, text, sizeof text)) fail_msg("%s", text);
        assert_int_equal(m.type, row[i].type);
        assert_int_equal(m.stype, row[i].stype);
        assert_int_equal(m.klass, row[i].klass);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(records),
                                       cmocka_unit_test(types_and_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
