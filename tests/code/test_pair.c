// Which words of constants are read together. What is expected was read off the code of ptxas 11.8
// (compute capabilities 3.5, 5.0, 6.1, 7.0) and 13.0 (7.5 to 9.0).
#include "code/opt.h"
#include "test_lower.h"

struct pairing {
    const char *body;
    unsigned words, pairs; // loads of one word, of two
};
#define ALIGNED "mul.wide.u32 %d2,%r1,16; add.u64 %d3,%d1,%d2; "
static const struct pairing pairings[] = {
    {ALIGNED "ld.const.u32 %r2,[%d3]; ld.const.u32 %r3,[%d3+4];", 0, 1},
    {ALIGNED "ld.const.u32 %r2,[%d3+4]; ld.const.u32 %r3,[%d3];", 0, 1},
    {ALIGNED "ld.const.u32 %r2,[%d3]; ld.const.u32 %r3,[%d3+4]; ld.const.u32 %r4,[%d3+8];", 1, 1},
    {ALIGNED "ld.const.u32 %r2,[%d3]; ld.const.u32 %r3,[%d3+4]; ld.const.u32 %r4,[%d3+8];"
             "ld.const.u32 %r5,[%d3+12];",
     0, 2},
    {ALIGNED "ld.const.u32 %r2,[%d3+4]; ld.const.u32 %r3,[%d3+8]; ld.const.u32 %r4,[%d3+12];"
             "ld.const.u32 %r5,[%d3+16];",
     2, 1},
    {"mul.wide.u32 %d2,%r1,8; add.u64 %d3,%d1,%d2;"
     "ld.const.u32 %r2,[%d3]; ld.const.u32 %r3,[%d3+4];",
     0, 1},
    {"mul.wide.u32 %d2,%r1,4; add.u64 %d3,%d1,%d2;"
     "ld.const.u32 %r2,[%d3]; ld.const.u32 %r3,[%d3+4];",
     2, 0},
    {"shl.b32 %r6,%r1,4; cvt.u64.u32 %d2,%r6; add.u64 %d3,%d1,%d2;"
     "ld.const.u32 %r2,[%d3]; ld.const.u32 %r3,[%d3+4];",
     0, 1},
    {ALIGNED "ld.const.u32 %r2,[%d3]; bar.sync 0; st.global.u32 [%d0+64],%r2; bar.sync 0;"
             "ld.const.u32 %r3,[%d3+4];",
     0, 1},
    {ALIGNED "ld.const.u32 %r2,[%d3]; setp.eq.u32 %p0,%r1,3; @%p0 bra L; bar.sync 0;"
             "st.global.u32 [%d0+64],%r2; L: ld.const.u32 %r3,[%d3+4];",
     2, 0},
    {ALIGNED "setp.eq.u32 %p0,%r1,3; @%p0 ld.const.u32 %r2,[%d3]; @%p0 ld.const.u32 %r3,[%d3+4];",
     2, 0},
    {ALIGNED "ld.const.u16 %h0,[%d3]; ld.const.u16 %h1,[%d3+2]; cvt.u32.u16 %r2,%h0;"
             "cvt.u32.u16 %r3,%h1;",
     2, 0},
    {"mov.u64 %d3,%d1; mov.u32 %r2,0; mov.u32 %r3,0; mov.u32 %r7,%r1;"
     "L: ld.const.u32 %r4,[%d3]; ld.const.u32 %r5,[%d3+4]; add.u32 %r2,%r2,%r4; xor.b32 "
     "%r3,%r3,%r5;"
     "add.u64 %d3,%d3,16; sub.u32 %r7,%r7,1; setp.ne.u32 %p0,%r7,0; @%p0 bra L;",
     0, 1},
    {"mov.u64 %d3,%d1; mov.u32 %r2,0; mov.u32 %r3,0; mov.u32 %r7,%r1;"
     "L: ld.const.u32 %r4,[%d3]; ld.const.u32 %r5,[%d3+4]; add.u32 %r2,%r2,%r4; xor.b32 "
     "%r3,%r3,%r5;"
     "add.u64 %d3,%d3,12; sub.u32 %r7,%r7,1; setp.ne.u32 %p0,%r7,0; @%p0 bra L;",
     2, 0},
};

static void as_ptxas_does(void **state) {
    (void)state;
    for (size_t i = 0; i < WW_COUNT(pairings); i++)
        for (enum target_gen gen = GEN_TESLA; gen < GEN_N; gen++) {
            struct text k = {0};
            text_add(
                &k,
                ".version 6.4\n.target sm_35\n.address_size 64\n.const .align 16 .b8 tab[4096];\n"
                ".entry k(.param .u64 p)\n{\n.reg .pred %%p<3>; .reg .b32 %%r<9>;\n"
                ".reg .b16 %%h<3>; .reg .b64 %%d<9>; ld.param.u64 %%d0, [p];\n"
                "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 0; mov.u32 %%r3, 0; mov.u32 %%r4, 0;\n"
                "mov.u32 %%r5, 0; mov.u64 %%d1, tab;\n%s\n",
                pairings[i].body);
            for (unsigned r = 2; r < 6; r++)
                text_add(&k, "st.global.u32 [%%d0+%u], %%r%u;\n", 4 * r, r);
            text_add(&k, "ret;\n}\n");
            struct lowered l;
            assert_true(lowered_parse(&l, "pair.ptx", k.at, k.n));
            lowered_run(&l, gen);
            opt_run(&l.func[0]);
            unsigned words = 0, pairs = 0;
            for (uint32_t n = 0; n < l.func[0].inst.n; n++) {
                const struct minst *const m = &l.func[0].inst.at[n];
                words += m->op == OP_LDC && m->dst[0].words == 1;
                pairs += m->op == OP_LDC && m->dst[0].words == 2;
            }
            const bool does = gen_has(gen, TRAIT_PAIRED_CONSTANTS);
            const unsigned wanted = does ? pairings[i].pairs : 0;
            const unsigned single = pairings[i].words + (does ? 0 : 2 * pairings[i].pairs);
            if (words != single || pairs != wanted)
                fail_msg("%s, %s: %u and %u pairs, wanted %u and %u", pairings[i].body,
                         gen_info[gen].name, words, pairs, single, wanted);
            lowered_free(&l);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_ptxas_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
