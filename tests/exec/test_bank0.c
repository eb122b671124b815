// A launch fills constant bank 0 as the image's layout has it, and lends bank 4.
#include "test_asm.h"

static uint32_t word_of(struct prog *p, uint8_t bank, uint32_t at) {
    prog_clear(p);
    emit(p, OP_MOV, ITYPE_B32, R(1),
         ((struct opnd){.kind = OPND_CONST, .words = 1, .bank = bank, .reg = at}), NONE_, NONE_);
    emit_exit(p);
    prog_start(p);
    assert_int_equal(run_warp0(p), EXEC_EXITED);
    return reg(p, 1)[7];
}

static void words_of_a_launch(void **state) {
    (void)state;
    static const struct {
        enum bank0_layout layout;
        uint32_t at, value;
    } rows[] = {
        {BANK0_OF_COMPILED, 0x08, 16}, {BANK0_OF_COMPILED, 0x18, 6},
        {BANK0_OF_COMPILED, 0x20, 0xabcd}, // the first parameter
        {BANK0_OF_SM_70, 0x00, 16}, {BANK0_OF_SM_70, 0x04, 2}, {BANK0_OF_SM_70, 0x08, 1},
        {BANK0_OF_SM_70, 0x0c, 5}, {BANK0_OF_SM_70, 0x10, 6}, {BANK0_OF_SM_70, 0x14, 7},
        {BANK0_OF_SM_70, 0x18, EXEC_SHARED_WINDOW}, {BANK0_OF_SM_70, 0x1c, 0},
        {BANK0_OF_SM_70, 0x20, EXEC_LOCAL_WINDOW}, {BANK0_OF_SM_70, 0x28, 480},
        {BANK0_OF_SM_70, 0x2c, 4096}, {BANK0_OF_SM_70, 0x30, 3}, {BANK0_OF_SM_70, 0x34, 1},
        {BANK0_OF_SM_70, 0x8c, 11}, {BANK0_OF_SM_70, 0x90, 12}, {BANK0_OF_SM_70, 0x10c, 4},
        {BANK0_OF_SM_70, 0x160, 0xabcd},
        {BANK0_OF_SM_80, 0x8c, 11}, {BANK0_OF_SM_80, 0x160, 0xabcd},
        {BANK0_OF_SM_90, 0x00, 16}, {BANK0_OF_SM_90, 0x44, 11}, {BANK0_OF_SM_90, 0x210, 0xabcd},
    };
    struct prog *p = prog_new();
    p->im.local_bytes = 480;
    p->params[0] = 0xabcd;
    p->args.grid[0] = 5, p->args.grid[1] = 6, p->args.grid[2] = 7;
    p->args.block[0] = 16, p->args.block[1] = 2;
    p->args.dynamic_shared = 4096;
    p->args.grid_id = 1ull << 32 | 3;
    p->args.envreg[1] = 11, p->args.envreg[2] = 12;
    for (size_t i = 0; i < WW_COUNT(rows); i++) {
        p->im.bank0 = rows[i].layout;
        assert_int_equal(word_of(p, CB_LAUNCH, rows[i].at), rows[i].value);
    }
    prog_free(p);
}

static void bank_of_addresses(void **state) {
    (void)state;
    static const uint8_t addresses[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct prog *p = prog_new();
    p->im.addresses = addresses;
    p->im.address_bytes = sizeof addresses;
    assert_int_equal(word_of(p, CB_ADDRESS, 4), 0x08070605);
    prog_clear(p);
    p->im.address_bytes = 4;
    emit(p, OP_MOV, ITYPE_B32, R(1),
         ((struct opnd){.kind = OPND_CONST, .words = 1, .bank = CB_ADDRESS, .reg = 4}), NONE_, NONE_);
    emit_exit(p);
    assert_int_equal(exec_launch_create(&p->im, p->mem, &p->args, &p->diags, &p->launch),
                     WW_ERROR_LAUNCH);
    prog_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_launch),
        cmocka_unit_test(bank_of_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
