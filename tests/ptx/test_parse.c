// Small programs, and what the module says of them.
#include "test_ptx.h"

static struct ptx_module *parse(const char *text) { return test_parse("test", text, strlen(text)); }

// A kernel around a few statements.
static struct ptx_module *kernel(const char *body) {
    char text[8000];
    snprintf(text, sizeof text,
             HEAD ".global .u32 gv[4];\n.const .f32 cc[4];\n"
                  ".entry k(.param .u64 p)\n{\n"
                  ".reg .b16 %%rs<9>;\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n.reg .f32 %%f<9>;\n"
                  ".reg .f64 %%fd<9>;\n.reg .pred %%p<9>;\n.reg .v4 .f32 %%v;\n"
                  ".shared .u32 sm[4];\n%s\nret;\n}\n",
             body);
    return parse(text);
}

static const struct ptx_reg *reg_of(const struct ptx_module *m, const struct ptx_operand *o) {
    assert_int_equal(o->kind, PTX_OPERAND_REG);
    return &ptx_find_func(m, "k")->regs[o->reg];
}

static void header(void **state) {
    (void)state;
    struct ptx_module *m = parse(".version 1.4\n.target sm_10, map_f64_to_f32\n");
    assert_int_equal(m->version, 14);
    assert_int_equal(m->target, 10);
    assert_true(m->map_f64_to_f32);
    assert_int_equal(m->address_size, 32);
    ptx_free(m);
    m = parse(".version 9.0\n.target sm_90a, texmode_independent, debug\n.address_size 64\n");
    assert_int_equal(m->version, 90);
    assert_int_equal(m->target, 90);
    assert_true(m->texmode_independent && m->debug);
    assert_int_equal(m->address_size, 64);
    ptx_free(m);
}

static void instructions(void **state) {
    (void)state;
    struct ptx_module *m = kernel("@!%p1 ld.volatile.global.v2.f32 {%f1, %f2}, [%rd1+-8];\n"
                                  "setp.lt.and.ftz.f32 %p1|%p2, %f1, 0f3F800000, !%p3;\n"
                                  "mad.wide.u32 %rd2, %r1, 5, %rd3;\n"
                                  "cvt.rni.s64.f32 %rd1, 1.5;\n"
                                  "mov.u32 %r1, %ctaid.y;");
    const struct ptx_inst *i = ptx_find_func(m, "k")->insts;
    assert_int_equal(i->op, PTX_OP_ld);
    assert_int_equal(i->space, PTX_SPACE_GLOBAL);
    assert_int_equal(i->vector, 2);
    assert_true(i->guard >= 0 && i->guard_not);
    assert_true(ptx_has(i, PTX_MOD_volatile) && ptx_has(i, PTX_MOD_v2));
    assert_false(ptx_has(i, PTX_MOD_shared));
    assert_int_equal(i->types[0], PTX_F32);
    assert_int_equal(i->operand[0].kind, PTX_OPERAND_VECTOR);
    assert_int_equal(i->operand[0].n, 2);
    assert_string_equal(reg_of(m, &i->operand[0].list[1])->name, "%f2");
    assert_int_equal(i->operand[1].kind, PTX_OPERAND_ADDRESS);
    assert_true(i->operand[1].imm == -8 && i->operand[1].reg >= 0 && !i->operand[1].var);
    i++;
    assert_int_equal(i->op, PTX_OP_setp);
    assert_int_equal(i->n_mods, 3);
    assert_int_equal(i->mods[0], PTX_MOD_lt);
    assert_int_equal(i->mods[1], PTX_MOD_and);
    assert_int_equal(i->mods[2], PTX_MOD_ftz);
    assert_true(i->operand[0].reg2 >= 0);
    assert_int_equal(i->operand[2].kind, PTX_OPERAND_FLOAT);
    assert_true(i->operand[2].is_f32 && i->operand[2].imm == 0x3f800000);
    assert_true(i->operand[3].not );
    i++;
    assert_true(ptx_has(i, PTX_MOD_wide));
    assert_int_equal(i->operand[2].imm, 5);
    i++;
    assert_int_equal(i->n_types, 2);
    assert_int_equal(i->types[0], PTX_S64);
    assert_int_equal(i->types[1], PTX_F32);
    const double half = 1.5;
    assert_memory_equal(&i->operand[1].imm, &half, sizeof half);
    assert_false(i->operand[1].is_f32);
    i++;
    assert_int_equal(i->operand[1].kind, PTX_OPERAND_SREG);
    assert_int_equal(i->operand[1].sreg, PTX_SREG_ctaid_y);
    assert_string_equal(ptx_sreg_text(PTX_SREG_ctaid_y), "%ctaid.y");
    ptx_free(m);
}

static void operands(void **state) {
    (void)state;
    struct ptx_module *m = kernel("mov.u64 %rd1, gv+8;\n"
                                  "mov.u64 %rd1, k;\n"
                                  "ld.shared.u32 %r1, [sm+4];\n"
                                  "ld.local.u32 %r1, [100];\n"
                                  "mov.f32 %f1, %v.z;\n"
                                  "mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;\n"
                                  "mov.b64 {%r1, _}, %rd1;\n"
                                  "atom.global.add.u32 _, [gv], WARP_SZ;\n"
                                  "ld.global.v4.f32 %v, [gv];\n"
                                  "mov.u32 %r1, -WARP_SZ;\n"
                                  "elect.sync _|%p1, -1;");
    const struct ptx_inst *i = ptx_find_func(m, "k")->insts;
    assert_int_equal(i[0].operand[1].kind, PTX_OPERAND_VAR);
    assert_string_equal(i[0].operand[1].var->name, "gv");
    assert_int_equal(i[0].operand[1].imm, 8);
    assert_int_equal(i[1].operand[1].kind, PTX_OPERAND_FUNC);
    assert_int_equal(i[1].operand[1].func, 0);
    assert_string_equal(i[2].operand[1].var->name, "sm");
    assert_int_equal(i[2].operand[1].var->space, PTX_SPACE_SHARED);
    assert_true(i[3].operand[1].imm == 100 && i[3].operand[1].reg < 0 && !i[3].operand[1].var);
    assert_int_equal(i[4].operand[1].component, 2);
    assert_int_equal(reg_of(m, &i[4].operand[1])->elements, 4);
    assert_int_equal(i[5].operand[1].kind, PTX_OPERAND_VECTOR);
    assert_int_equal(i[5].operand[1].list[3].sreg, PTX_SREG_tid_w);
    assert_int_equal(i[6].operand[0].list[1].kind, PTX_OPERAND_SINK);
    assert_int_equal(i[7].operand[0].kind, PTX_OPERAND_SINK);
    assert_int_equal(i[7].operand[2].imm, 32);
    assert_int_equal(i[8].operand[0].list[3].component, 3);
    assert_int_equal(i[9].operand[1].imm, -32);
    assert_int_equal(i[10].operand[0].kind, PTX_OPERAND_SINK);
    assert_true(i[10].operand[0].reg2 >= 0);
    ptx_free(m);
}

static void constants(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } table[] = {{"0x1F", 31},
                 {"017", 15},
                 {"0b101", 5},
                 {"4294967295U", 4294967295},
                 {"-1", -1},
                 {"~0", -1},
                 {"!5", 0},
                 {"1 + 2 * 3", 7},
                 {"(1 + 2) * 3", 9},
                 {"7 % 4 - 10 / 3", 0},
                 {"7%4+(9%5)", 7},
                 {"1 << 4 | 3", 19},
                 {"-8 >> 1", -4},
                 {"0x8000000000000000 >> 63", 1},
                 {"-1 < 1", 1},
                 {"-1 < 1U", 0},
                 {"5 > 3 ? 10 : 20", 10},
                 {"0 ? 1 : 0 ? 2 : 3", 3},
                 {"6 & 3 ^ 1", 3},
                 {"1 && 0 || 1", 1},
                 {"(.u64)-1 / 2", INT64_MAX},
                 {"(.s64)0xFFFFFFFFFFFFFFFF / 2", 0},
                 {"-9223372036854775807 - 1", INT64_MIN},
                 {"(-9223372036854775807 - 1) / -1", INT64_MIN},
                 {"(-9223372036854775807 - 1) % -1", 0},
                 {"1 << 64", 0},
                 {"3 == 3 != 0", 1},
                 {"(.s64)2.75", 2},
                 {"1.5 < 2.5", 1}};
    for (unsigned k = 0; k < WW_COUNT(table); k++) {
        char body[200];
        snprintf(body, sizeof body, "mov.b64 %%rd1, %s;", table[k].text);
        struct ptx_module *m = kernel(body);
        const struct ptx_operand *o = &ptx_find_func(m, "k")->insts[0].operand[1];
        if (o->kind != PTX_OPERAND_INT || o->imm != table[k].value)
            fail_msg("%s gives %lld, expected %lld", table[k].text, (long long)o->imm,
                     (long long)table[k].value);
        ptx_free(m);
    }
    struct ptx_module *m = kernel("mov.f64 %fd1, -(.15e1 + 0f40000000) / 2;");
    const double want = -1.75;
    assert_memory_equal(&ptx_find_func(m, "k")->insts[0].operand[1].imm, &want, 8);
    ptx_free(m);
}

// Units compiled to be linked bring a template's kernels and functions along, each unit its own.
static void weak_definitions_may_repeat(void **state) {
    (void)state;
    struct ptx_module *m = parse(
        HEAD ".weak .entry k(.param .u32 a) { .reg .u32 x; mov.u32 x, 1; mov.u32 x, 2; ret; }\n"
             ".weak .func f() { ret; }\n.func f();\n"
             ".weak .entry k(.param .u32 b) { { ret; } }\n.weak .func f() { ret; }\n"
             ".visible .entry last() { call f; ret; }\n");
    assert_int_equal(m->n_funcs, 3);
    assert_string_equal(m->funcs[0]->name, "k");
    assert_int_equal(m->funcs[0]->n_insts, 3);
    assert_true(m->funcs[2]->has_body && m->funcs[2]->n_insts == 2);
    ptx_free(m);
}

// A definition that is not weak counts, before or behind weak ones, and there is one of it.
static void a_strong_definition_counts(void **state) {
    (void)state;
#define STRONG                                                                                     \
    ".visible .entry k(.param .u32 a) { .reg .u32 x; mov.u32 x, 1; mov.u32 x, 2; ret; }\n"
#define WEAK ".weak .entry k(.param .u32 b) { ret; }\n"
    static const char *const orders[] = {HEAD WEAK STRONG, HEAD STRONG WEAK,
                                         HEAD WEAK WEAK STRONG WEAK};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct ptx_module *m = parse(orders[i]);
        assert_int_equal(m->n_funcs, 1);
        assert_int_equal(m->funcs[0]->n_insts, 3);
        assert_int_equal(m->funcs[0]->n_regs, 1);
        assert_false(m->funcs[0]->is_weak);
        ptx_free(m);
    }
    static const char *const twice[] = {HEAD STRONG STRONG, HEAD WEAK STRONG STRONG,
                                        HEAD STRONG WEAK STRONG};
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        char error[200];
        test_refuse(twice[i], strlen(twice[i]), error, sizeof error);
        assert_non_null(strstr(error, "defined twice"));
    }
#undef WEAK
#undef STRONG
}

static void variables(void **state) {
    (void)state;
    struct ptx_module *m = parse(
        HEAD ".visible .global .align 16 .v4 .f32 colour[2] = {{1.0, 2.0, .5}, {0f3F800000}};\n"
             ".const .u16 table[2][3] = {{1, 2, 3}, {4, 0xFFFF, -1}};\n"
             ".global .u32 rows[][2] = {{1, 2}, {3, 4}, {5}};\n"
             ".extern .shared .align 16 .b8 dynamic[];\n"
             ".extern .shared .align 64 .b8 dynamic[];\n" // of another unit, which needs more
             ".extern .shared .align 4 .b8 dynamic[];\n"
             ".global .attribute(.managed) .u32 managed = 7;\n"
             ".weak .global .u8 weak;\n"
             ".extern .global .u32 later;\n"
             ".visible .global .u32 later = 9;\n"
             ".extern .global .align 8 .b8 pair[16];\n" // as another unit's compiler declares it
             ".visible .global .align 8 .u64 pair[2] = {4, 5};\n"
             ".global .f64 real = 0d3FF8000000000000;\n"
             ".global .samplerref smooth = {addr_mode_0 = mirror, addr_mode_1 = clamp_to_border,\n"
             "    filter_mode = linear, normalized_coords = 1};\n");
    const struct ptx_var *v = ptx_find_var(m, "colour");
    assert_true(v->is_visible && v->is_array && v->space == PTX_SPACE_GLOBAL);
    assert_true(v->vector == 4 && v->count == 2 && v->bytes == 32 && v->align == 16);
    const float colours[8] = {1, 2, 0.5f, 0, 1, 0, 0, 0};
    assert_memory_equal(v->init, colours, sizeof colours);
    v = ptx_find_var(m, "table");
    const uint16_t numbers[6] = {1, 2, 3, 4, 0xffff, 0xffff};
    assert_true(v->space == PTX_SPACE_CONST && v->align == 2);
    assert_memory_equal(v->init, numbers, sizeof numbers);
    v = ptx_find_var(m, "rows");
    assert_true(v->count == 6 && v->bytes == 24 && !v->unsized && v->init_bytes == 20);
    v = ptx_find_var(m, "dynamic");
    assert_true(v->is_extern && v->unsized && v->bytes == 0 && v->align == 64);
    assert_true(ptx_find_var(m, "managed")->is_managed);
    assert_true(ptx_find_var(m, "weak")->is_weak);
    assert_null(ptx_find_var(m, "weak")->init);
    v = ptx_find_var(m, "later");
    assert_true(!v->is_extern && v->init[0] == 9);
    v = ptx_find_var(m, "pair");
    assert_true(!v->is_extern && v->type == PTX_U64 && v->init[8] == 5);
    const double real = 1.5;
    assert_memory_equal(ptx_find_var(m, "real")->init, &real, 8);
    v = ptx_find_var(m, "smooth");
    assert_int_equal(v->type, PTX_SAMPLERREF);
    assert_int_equal(v->tex_address_mode[0], 2);
    assert_int_equal(v->tex_address_mode[1], 3);
    assert_true(v->tex_filter_mode == 1 && v->tex_normalized);
    assert_int_equal(m->n_vars, 10);
    assert_null(ptx_find_var(m, "nothing"));
    ptx_free(m);
}

static void addresses_in_values(void **state) {
    (void)state;
    struct ptx_module *m = parse(
        HEAD ".global .u64 list[4] = {generic(data)+16, data-4, f, 0};\n"
             ".global .u8 bytes[4] = {0xFF(data), 0xFF00(data), 0xFF000000(generic(data)+8), 5};\n"
             ".global .u32 data[8];\n"
             ".func f() { ret; }\n");
    const struct ptx_var *v = ptx_find_var(m, "list");
    assert_int_equal(v->n_relocs, 3);
    assert_true(v->relocs[0].generic && v->relocs[0].addend == 16 && v->relocs[0].bytes == 8);
    assert_true(!v->relocs[1].generic && v->relocs[1].addend == -4 && v->relocs[1].offset == 8);
    assert_string_equal(m->vars[v->relocs[1].index]->name, "data");
    assert_true(v->relocs[2].is_function && v->relocs[2].index == 0);
    v = ptx_find_var(m, "bytes");
    assert_int_equal(v->n_relocs, 3);
    assert_true(v->relocs[1].bytes == 1 && v->relocs[1].shift == 8 && v->relocs[1].offset == 1);
    assert_true(v->relocs[2].shift == 24 && v->relocs[2].generic && v->relocs[2].addend == 8);
    assert_int_equal(v->init[3], 5);
    ptx_free(m);
}

static void functions_and_calls(void **state) {
    (void)state;
    struct ptx_module *m = parse(
        HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
             ".func (.param .align 8 .b8 r[16]) later (.param .b32 x, .param .align 4 .b8 y[12]);\n"
             ".entry k(.param .u64 .ptr .global .align 32 p, .param .align 8 .b8 s[24])\n"
             ".maxntid 16, 8, 2\n.minnctapersm 3\n.maxnreg 64\n"
             "{\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
             "{ .param .b64 a; .param .b64 b; .param .b32 r;\n"
             "call.uni (r), vprintf, (a, b);\n}\n"
             "{ .param .b32 a; .param .align 4 .b8 b[12]; .param .align 8 .b8 r[16];\n"
             "call (r), later, (a, b);\n"
             "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
             "call (%r1), %rd1, (%r2), proto;\n"
             "both: .calltargets twice, thrice;\n"
             "call (%r1), %rd1, (5), both;\n}\n"
             "ret;\n}\n"
             ".func (.param .b32 r) twice (.param .b32 x) { ret; }\n"
             ".func (.param .b32 r) thrice (.param .b32 x) .noreturn { exit; }\n"
             ".func (.param .align 8 .b8 r[16]) later (.param .b32 x, .param .align 4 .b8 y[12])\n"
             "{ ret; }\n");
    assert_int_equal(m->n_funcs, 5);
    const struct ptx_func *f = ptx_find_func(m, "vprintf");
    assert_true(f->is_extern && !f->has_body && f->n_params == 2 && f->n_results == 1);
    f = ptx_find_func(m, "later");
    assert_true(f->has_body && !f->is_extern && f->params[1]->bytes == 12);
    assert_true(ptx_find_func(m, "thrice")->is_noreturn);
    f = ptx_find_func(m, "k");
    assert_true(f->is_entry && f->maxntid[0] == 16 && f->maxntid[1] == 8 && f->maxntid[2] == 2);
    assert_true(f->minnctapersm == 3 && f->maxnreg == 64 && f->reqntid[0] == 0);
    assert_true(f->params[0]->is_ptr && f->params[0]->ptr_space == PTX_SPACE_GLOBAL);
    assert_true(f->params[0]->ptr_align == 32 && f->params[1]->bytes == 24);
    assert_int_equal(f->n_vars, 6);
    const struct ptx_inst *i = f->insts;
    assert_int_equal(i[0].n_operands, 3);
    assert_true(ptx_has(&i[0], PTX_MOD_uni));
    assert_string_equal(m->funcs[i[0].operand[0].func]->name, "vprintf");
    assert_string_equal(i[0].operand[1].list[0].var->name, "r");
    assert_int_equal(i[0].operand[2].n, 2);
    assert_string_equal(m->funcs[i[1].operand[0].func]->name, "later");
    assert_int_equal(i[2].n_operands, 4);
    assert_int_equal(i[2].operand[0].kind, PTX_OPERAND_REG);
    assert_int_equal(i[2].operand[3].kind, PTX_OPERAND_PROTO);
    assert_true(m->protos[i[2].operand[3].proto]->is_prototype);
    assert_int_equal(m->protos[0]->n_params, 1);
    assert_int_equal(i[3].operand[3].kind, PTX_OPERAND_TARGETS);
    const struct ptx_targets *t = &f->targets[i[3].operand[3].targets];
    assert_true(t->calls && t->n == 2);
    assert_string_equal(m->funcs[t->target[1]]->name, "thrice");
    ptx_free(m);
}

static void parameters_in_registers(void **state) {
    (void)state;
    struct ptx_module *m = parse(
        ".version 1.4\n.target sm_13\n"
        ".func (.reg .u32 %r1) f (.reg .u32 %r2, .reg .f32 %f1)\n"
        "{ .reg .u32 %r3; add.u32 %r3, %r2, 1; mov.u32 %r1, %r3; ret; }\n"
        ".entry k() { .reg .u32 %r<3>; .reg .f32 %f<2>; call (%r1), f, (%r2, %f1); exit; }\n");
    const struct ptx_func *f = ptx_find_func(m, "f");
    assert_int_equal(f->params[0]->space, PTX_SPACE_REG);
    assert_string_equal(f->regs[f->params[0]->reg].name, "%r2");
    assert_string_equal(f->regs[f->params[1]->reg].name, "%f1");
    assert_string_equal(f->regs[f->results[0]->reg].name, "%r1");
    ptx_free(m);
    m = parse(".version 1.3\n.target sm_10\n.entry k { .param .u32 a; .param .u32 b;\n"
              ".reg .u32 %r1; ld.param.u32 %r1, [b]; exit; }\n");
    f = ptx_find_func(m, "k");
    assert_int_equal(f->n_params, 2);
    assert_string_equal(f->params[1]->name, "b");
    assert_ptr_equal(f->insts[0].operand[1].var, f->params[1]);
    ptx_free(m);
}

static void scopes(void **state) {
    (void)state;
    struct ptx_module *m = kernel("L:\n mov.u32 %r1, 1;\n"
                                  "{ .reg .b32 %r<2>; L: mov.u32 %r1, 2; bra L; bra M; }\n"
                                  "{ .reg .b32 %r<2>; mov.u32 %r1, 3; }\n"
                                  "M: bra L;\n"
                                  "T: .branchtargets L, M, L;\n"
                                  "brx.idx %r1, T;\nEnd:");
    const struct ptx_func *f = ptx_find_func(m, "k");
    const struct ptx_inst *i = f->insts;
    assert_true(i[0].operand[0].reg != i[1].operand[0].reg);
    assert_true(i[1].operand[0].reg != i[4].operand[0].reg);
    assert_int_equal(f->labels[i[2].operand[0].label].inst, 1);
    assert_int_equal(f->labels[i[3].operand[0].label].inst, 5);
    assert_int_equal(f->labels[i[5].operand[0].label].inst, 0);
    assert_int_equal(i[6].operand[1].kind, PTX_OPERAND_TARGETS);
    const struct ptx_targets *t = &f->targets[i[6].operand[1].targets];
    assert_int_equal(t->n, 3);
    assert_int_equal(f->labels[t->target[1]].inst, 5);
    assert_false(t->calls);
    ptx_free(m);
}

static void ranges_make_registers_when_named(void **state) {
    (void)state;
    struct ptx_module *m = parse(HEAD ".entry k() { .reg .b32 a<12>, b1<3>; .reg .b64 b<20>;\n"
                                      "mov.u32 a11, 1; mov.u64 b1, 1; mov.u32 b12, 1;\n"
                                      "mov.u64 b19, 1; mov.u32 a11, 2; ret; }\n");
    const struct ptx_func *f = ptx_find_func(m, "k");
    assert_int_equal(f->n_regs, 4);
    assert_string_equal(f->regs[0].name, "a11");
    assert_string_equal(f->regs[2].name, "b12");
    assert_int_equal(f->regs[2].type, PTX_B32); // of b1<3>, which was meant: .b64 would not fit
    assert_int_equal(f->insts[4].operand[0].reg, 0);
    ptx_free(m);
}

// Of 2010: declarations without semicolons, registers at module scope.
static void old_modules(void **state) {
    (void)state;
    struct ptx_module *m = parse(".version 2.1\n.target sm_20\n"
                                 ".visible .func (.param .s32 r) f (.param .s32 x)\n"
                                 ".extern .func g\n"
                                 ".entry k() { exit; }\n");
    assert_int_equal(m->n_funcs, 3);
    assert_false(ptx_find_func(m, "f")->has_body);
    assert_true(ptx_find_func(m, "g")->is_extern);
    ptx_free(m);
    m = parse(".version 1.4\n.target sm_10\n.reg .u32 %ra<17>;\n.reg .f32 one;\n"
              ".entry a() { mov.u32 %ra3, 1; mov.f32 one, 0f3F800000; exit; }\n"
              ".entry b() { .reg .u16 one; mov.u32 %ra3, 2; mov.u16 one, 1; exit; }\n");
    const struct ptx_func *a = ptx_find_func(m, "a"), *b = ptx_find_func(m, "b");
    assert_int_equal(a->n_regs, 2);
    assert_int_equal(b->regs[b->insts[1].operand[0].reg].type, PTX_U16);
    ptx_free(m);
}

// The manual's a[1]: an element's address, or in a load the element.
static void elements_of_arrays(void **state) {
    (void)state;
    struct ptx_module *m = kernel("mov.u64 %rd1, gv[3];\nld.global.u32 %r1, gv[1];\n"
                                  "st.shared.u32 sm[(1+1)], %r1;");
    const struct ptx_inst *i = ptx_find_func(m, "k")->insts;
    assert_true(i[0].operand[1].kind == PTX_OPERAND_VAR && i[0].operand[1].imm == 12);
    assert_true(i[1].operand[1].kind == PTX_OPERAND_ADDRESS && i[1].operand[1].imm == 4);
    assert_true(i[2].operand[0].kind == PTX_OPERAND_ADDRESS && i[2].operand[0].imm == 8);
    ptx_free(m);
}

static void whole_vector_registers(void **state) {
    (void)state;
    struct ptx_module *m = kernel(".reg .v2 .u32 %two;\n"
                                  "mov.b64 %rd1, %two;\nmov.b64 %two, %rd1;\n"
                                  "mov.v2.u32 %two, {%r1, %r2};\nst.global.v4.f32 [gv], %v;");
    const struct ptx_inst *i = ptx_find_func(m, "k")->insts;
    const struct ptx_operand *o = &i[0].operand[1];
    assert_true(o->kind == PTX_OPERAND_VECTOR && o->n == 2);
    assert_true(o->list[1].kind == PTX_OPERAND_REG && o->list[1].component == 1);
    assert_int_equal(i[1].operand[0].kind, PTX_OPERAND_VECTOR);
    assert_int_equal(i[2].operand[0].n, 2);
    assert_int_equal(i[3].operand[1].n, 4);
    ptx_free(m);
}

static void textures(void **state) {
    (void)state;
    struct ptx_module *m =
        parse(HEAD ".global .texref t; .global .samplerref s; .global .surfref u;\n"
                   ".entry k() { .reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %rd<2>;\n"
                   "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, {%f5, %f6}];\n"
                   "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, %r1];\n"
                   "sust.b.2d.b32.clamp [u, {%r1, %r2}], {%r3};\n"
                   "txq.width.b32 %r1, [t]; ret; }\n");
    const struct ptx_inst *i = ptx_find_func(m, "k")->insts;
    const struct ptx_operand *o = &i[0].operand[1];
    assert_true(o->kind == PTX_OPERAND_ADDRESS && o->n == 2);
    assert_string_equal(o->var->name, "t");
    assert_string_equal(o->list[0].var->name, "s");
    assert_true(o->list[1].kind == PTX_OPERAND_VECTOR && o->list[1].n == 2);
    o = &i[1].operand[1];
    assert_true(o->reg >= 0 && o->n == 1);
    assert_true(o->list[0].kind == PTX_OPERAND_VECTOR && o->list[0].n == 1);
    assert_int_equal(i[2].operand[1].kind, PTX_OPERAND_REG);
    assert_true(ptx_has(&i[3], PTX_MOD_width));
    ptx_free(m);
}

static void video(void **state) {
    (void)state;
    struct ptx_module *m = kernel("vadd.u32.u32.s32.sat %r1, %r2.b3, %r3.h1;\n"
                                  "vmad.s32.s32.s32.shr15 %r1, %r2, -%r3.h0, %r4;\n"
                                  "vabsdiff4.u32.u32.u32.add %r1.b310, %r2.b7610, %r3.b3210, %r4;\n"
                                  "vadd2.s32.s32.s32 %r1.h1, %r2.h32, %r3, %r4;");
    const struct ptx_inst *i = ptx_find_func(m, "k")->insts;
    assert_int_equal(i[0].operand[1].video, PTX_VIDEO_B3);
    assert_int_equal(i[0].operand[2].video, PTX_VIDEO_H1);
    assert_int_equal(i[0].operand[0].video, 0);
    assert_true(i[1].operand[2].neg);
    assert_int_equal(i[2].operand[0].video, PTX_VIDEO_MASK);
    assert_int_equal(i[2].operand[0].select, 11);
    assert_int_equal(i[2].operand[1].video, PTX_VIDEO_PACKED_B);
    assert_int_equal(i[2].operand[1].select, 0x7610);
    assert_int_equal(i[3].operand[0].select, 2);
    assert_int_equal(i[3].operand[1].video, PTX_VIDEO_PACKED_H);
    assert_int_equal(i[3].operand[1].select, 0x32);
    ptx_free(m);
}

static void aliases(void **state) {
    (void)state;
    struct ptx_module *m =
        parse(HEAD ".visible .func f() { ret; }\n.visible .func g();\n.visible .func h();\n"
                   ".alias g, f;\n.alias h, f;\n.global .u64 at = h;\n"
                   ".entry k() { .reg .b64 %rd1; call g; mov.u64 %rd1, h; ret; }\n");
    const struct ptx_func *f = ptx_find_func(m, "f");
    assert_ptr_equal(ptx_find_func(m, "g"), f);
    assert_ptr_equal(ptx_find_func(m, "h"), f);
    const struct ptx_inst *i = ptx_find_func(m, "k")->insts;
    assert_ptr_equal(m->funcs[i[0].operand[0].func], f);
    assert_ptr_equal(m->funcs[i[1].operand[1].func], f);
    assert_ptr_equal(m->funcs[m->vars[0]->relocs[0].index], f);
    ptx_free(m);
}

static void comments_and_blanks(void **state) {
    (void)state;
    struct ptx_module *m = parse(
        "/* one */ .version/**/8.0 // two\r\n.target sm_80\r\n# 1 \"file\"\r\n"
        ".entry /* ** / */ k() {\t@@DWARF x {\n .section .debug_x { .b8 \"}\", 1 // }\n {} }\n"
        ".pragma \"nounroll\";;; ret ; }\n.section .debug_info\n{\n.b32 L\n}\n");
    assert_int_equal(ptx_find_func(m, "k")->n_insts, 1);
    ptx_free(m);
}

// Rows of the tables are found by what they print.
static void tables(void **state) {
    (void)state;
    for (int a = 0; a < PTX_OP_N; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(ptx_op_text((enum ptx_op)a), ptx_op_text((enum ptx_op)b));
    for (int a = 0; a < PTX_MOD_N; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(ptx_mod_text((enum ptx_mod)a), ptx_mod_text((enum ptx_mod)b));
    for (int a = 0; a < PTX_SREG_N; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(ptx_sreg_text((enum ptx_sreg)a),
                                    ptx_sreg_text((enum ptx_sreg)b));
    assert_int_equal(ptx_type_bits(PTX_F16X2), 32);
    assert_int_equal(ptx_type_class(PTX_S64), 's');
    assert_string_equal(ptx_type_text(PTX_B128), "b128");
    assert_int_equal(ptx_sreg_type(PTX_SREG_clock64), PTX_U64);
}

// Every special register can be read, and every refused opcode is refused with its reason.
static void every_row(void **state) {
    (void)state;
    for (int s = 0; s < PTX_SREG_N; s++) {
        const enum ptx_type t = ptx_sreg_type((enum ptx_sreg)s);
        char body[100];
        snprintf(body, sizeof body, "mov.%s %s, %s;", ptx_type_text(t),
                 t == PTX_PRED            ? "%p1"
                 : ptx_type_bits(t) == 64 ? "%rd1"
                                          : "%r1",
                 ptx_sreg_text((enum ptx_sreg)s));
        struct ptx_module *m = kernel(body);
        assert_int_equal(ptx_find_func(m, "k")->insts[0].operand[1].sreg, s);
        ptx_free(m);
    }
    enum { SUPPORTED, REFUSED };
    static const struct {
        const char *text;
        int support;
        const char *prose;
    } ops[] = {
#define PTX_OP(name, text, lo, hi, support, prose) {text, support, prose},
#include "ptx/ptx_ops.def"
#undef PTX_OP
    };
    for (unsigned k = 0; k < WW_COUNT(ops); k++) {
        char text[300], buf[600];
        snprintf(text, sizeof text, HEAD ".entry k() { %s.m16n8k16.anything::at_all {%%x}, [y]; }",
                 ops[k].text);
        if (ops[k].support != REFUSED) continue;
        assert_int_equal(test_refuse(text, strlen(text), buf, sizeof buf), WW_ERROR_UNSUPPORTED);
        assert_non_null(strstr(buf, ops[k].prose));
        assert_non_null(strstr(buf, "m16n8k16"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header),
        cmocka_unit_test(instructions),
        cmocka_unit_test(operands),
        cmocka_unit_test(constants),
        cmocka_unit_test(variables),
        cmocka_unit_test(weak_definitions_may_repeat),
        cmocka_unit_test(a_strong_definition_counts),
        cmocka_unit_test(addresses_in_values),
        cmocka_unit_test(functions_and_calls),
        cmocka_unit_test(parameters_in_registers),
        cmocka_unit_test(scopes),
        cmocka_unit_test(ranges_make_registers_when_named),
        cmocka_unit_test(old_modules),
        cmocka_unit_test(elements_of_arrays),
        cmocka_unit_test(whole_vector_registers),
        cmocka_unit_test(textures),
        cmocka_unit_test(video),
        cmocka_unit_test(aliases),
        cmocka_unit_test(comments_and_blanks),
        cmocka_unit_test(tables),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
