// Registers that instructions read and write, against what PTX and the architecture's documents say
// of the same operations: which operands are pairs and quadruples, and in which role they are read.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sass/effect.h"

// Short names of files and roles, for the table.
#define R         SASS_FILE_R
#define U         SASS_FILE_U
#define P         SASS_FILE_P
#define RESULT    SASS_ROLE_RESULT
#define GUARD     SASS_ROLE_GUARD
#define PREDICATE SASS_ROLE_PREDICATE
#define A         SASS_ROLE_A
#define B         SASS_ROLE_B
#define C         SASS_ROLE_C
#define ADDRESS   SASS_ROLE_ADDRESS

static void accesses(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t lo, hi;
        enum sass_class class;
        uint32_t n;
        struct sass_access access[8];
    } row[] = {
        {"@!P1 FADD R3, R3, R0",
         0x0000000003039221,
         0x000fe20000000000,
         SASS_CLASS_FMA,
         4,
         {{P, GUARD, 1, 1}, {R, RESULT, 3, 1}, {R, A, 3, 1}, {R, B, 0, 1}}},
        {"@P5 IMAD.MOV R23, RZ, RZ, R21",
         0x000000ffff175224,
         0x000fe200078e0215,
         SASS_CLASS_FMA,
         3,
         {{P, GUARD, 5, 1}, {R, RESULT, 23, 1}, {R, C, 21, 1}}},
        {"IMAD.WIDE R8, R8, R9, RZ",
         0x0000000908087225,
         0x000fe200078e02ff,
         SASS_CLASS_WIDE,
         3,
         {{R, RESULT, 8, 2}, {R, A, 8, 1}, {R, B, 9, 1}}},
        {"DFMA R2, R2, R2, R2",
         0x000000020202722b,
         0x000fe20000000002,
         SASS_CLASS_DOUBLE,
         4,
         {{R, RESULT, 2, 2}, {R, A, 2, 2}, {R, B, 2, 2}, {R, C, 2, 2}}},
        {"FSETP.LEU.OR P1, PT, R56, R14, P1",
         0x0000000e3800720b,
         0x000fe20000f2b400,
         SASS_CLASS_ALU,
         4,
         {{P, RESULT, 1, 1}, {R, A, 56, 1}, {R, B, 14, 1}, {P, PREDICATE, 1, 1}}},
        {"HMMA.16816.F32 R8, R4, R8, R4",
         0x000000080408723c,
         0x000fe20000001804,
         SASS_CLASS_MATRIX,
         4,
         {{R, RESULT, 8, 4}, {R, A, 4, 4}, {R, B, 8, 2}, {R, C, 4, 4}}},
        {"LDG.E.64 R2, [R2.64], by descriptor UR4",
         0x0000000402027981,
         0x000fe2000c1e1b00,
         SASS_CLASS_LOAD_GLOBAL,
         3,
         {{R, RESULT, 2, 2}, {R, ADDRESS, 2, 2}, {U, ADDRESS, 4, 2}}},
        {"STG.E.128 [R2.64], R0",
         0x0000000002007986,
         0x000fe2000c101d04,
         SASS_CLASS_STORE_GLOBAL,
         3,
         {{R, ADDRESS, 2, 2}, {U, ADDRESS, 4, 2}, {R, A, 0, 4}}},
        {"LDS.128 R12, [R0]",
         0x00000000000c7984,
         0x000fe20000000c00,
         SASS_CLASS_LOAD_SHARED,
         2,
         {{R, RESULT, 12, 4}, {R, ADDRESS, 0, 1}}},
        {"STS.64 [RZ], R6",
         0x00000006ff007388,
         0x000fe20000000a00,
         SASS_CLASS_STORE_SHARED,
         1,
         {{R, A, 6, 2}}},
        {"ULDC.64 UR8, c[0x0][0x0]",
         0x0000000000087ab9,
         0x000fe20000000a00,
         SASS_CLASS_UNIFORM_LOAD,
         1,
         {{U, RESULT, 8, 2}}},
    };
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        const struct sass_word w = {row[i].lo, row[i].hi};
        struct sass_inst in;
        struct sass_access got[SASS_MAX_ACCESSES];
        assert_int_equal(sass_decode(w, 0, SASS_80, &in, NULL), SASS_KNOWN);
        const uint32_t n = sass_accesses(w, &in, got);
        if (n != row[i].n || sass_class_of(w) != row[i].class)
            fail_msg("%s: %u accesses, class %s", row[i].text, n,
                     sass_class_name(sass_class_of(w)));
        for (uint32_t k = 0; k < n; k++) {
            const struct sass_access *x = &got[k], *y = &row[i].access[k];
            if (x->file != y->file || x->role != y->role || x->first != y->first || x->n != y->n)
                fail_msg("%s: access %u is file %u, %s, %u registers from %u", row[i].text, k,
                         (unsigned)x->file, sass_role_name(x->role), x->n, x->first);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(accesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
