// Layouts of constant bank 0: slots lie side by side in front of the parameters, a capability has
// one layout, and what a launch does not define is known.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "isa/isa.h"

static void slots_do_not_overlap(void **state) {
    (void)state;
    for (uint32_t l = 0; l < BANK0_LAYOUTS; l++) {
        uint32_t taken = 0;
        uint8_t by[0x400] = {0};
        for (uint32_t s = 0; s < BANK0_SLOTS; s++) {
            uint32_t at;
            if (!bank0_at((enum bank0_layout)l, (enum bank0_slot)s, &at)) continue;
            assert_int_equal(at % 4, 0);
            assert_true(at + 4u * bank0_words[s] <= bank0_info[l].params);
            for (uint32_t b = 0; b < 4u * bank0_words[s]; b++) assert_int_equal(by[at + b]++, 0);
            taken++;
        }
        assert_true(taken >= 2); // sizes of block and grid, at least
        assert_int_equal(bank0_info[l].params % 16, 0);
    }
}

// What the vendor's compiler writes: `S2R R3, SR_TID.X; IMAD R0, R0, c[0x0][0x0], R3`, `MOV R1,
// c[0x0][0x28]`, parameters at c[0x0][0x160], on 9.0 c[0x0][0x210] and descriptors c[0x0][0x208].
static void where_compiled_code_reads(void **state) {
    (void)state;
    static const struct {
        uint32_t arch;
        enum bank0_slot slot;
        uint32_t offset, params;
    } known[] = {{70, BANK0_NTID, 0, 0x160},    {75, BANK0_STACK, 0x28, 0x160},
                 {72, BANK0_NCTAID, 0xc, 0x160}, {80, BANK0_DESCRIPTOR, 0x118, 0x160},
                 {86, BANK0_NTID, 0, 0x160},    {89, BANK0_ENVREG, 0x88, 0x160},
                 {90, BANK0_DESCRIPTOR, 0x208, 0x210},
                 // with more than 4,096 bytes of parameters
                 {75, BANK0_STACK, 0x28, 0x1a80},
                 {80, BANK0_DESCRIPTOR, 0x118, 0x1a80},
                 {86, BANK0_NCTAID, 0xc, 0x1a80}};
    for (size_t i = 0; i < WW_COUNT(known); i++) {
        enum bank0_layout l;
        uint32_t at = UINT32_MAX;
        assert_true(bank0_of(known[i].arch, known[i].params, &l));
        assert_true(bank0_at(l, known[i].slot, &at));
        assert_int_equal(at, known[i].offset);
        assert_int_equal(bank0_info[l].params, known[i].params);
    }
    enum bank0_layout l;
    assert_false(bank0_of(0, 0x20, &l)); // our own is asked for by name
    assert_false(bank0_of(69, 0x160, &l));
    assert_false(bank0_of(100, 0x160, &l));
    assert_true(bank0_of(80, 0x1234, &l)); // no layout has them there: the caller says so
    assert_int_equal(l, BANK0_OF_SM_80);
    assert_false(bank0_at(BANK0_OF_SM_70, BANK0_DESCRIPTOR, &(uint32_t){0}));
}

static void what_a_launch_defines(void **state) {
    (void)state;
    const enum bank0_layout l = BANK0_OF_SM_70;
    assert_true(bank0_provides(l, 0, 0x0, 12));
    assert_true(bank0_provides(l, 0, 0x0, 48)); // slots that touch
    assert_true(bank0_provides(l, 0, 0x28, 4));
    assert_false(bank0_provides(l, 64, 0x34, 8)); // runs out of the grid's number
    assert_false(bank0_provides(l, 64, 0x40, 4));
    assert_false(bank0_provides(l, 64, 0x15c, 8)); // runs into the parameters
    assert_true(bank0_provides(l, 8, 0x160, 8));
    assert_false(bank0_provides(l, 8, 0x164, 8));
    assert_false(bank0_provides(l, 8, UINT32_MAX - 3, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_do_not_overlap),
        cmocka_unit_test(where_compiled_code_reads),
        cmocka_unit_test(what_a_launch_defines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
