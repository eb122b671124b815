// Every form of every PTX opcode that occurs in a corpus of 1,000 files of public PTX
// (tests/code/lower/forms.txt: opcode and modifiers as written) parses and lowers on all three
// generations, in a kernel with plausible operands, but for those of the tensor cores.
#include "test_lower.h"

// Operands of an opcode, a letter each: D destination and A source of the first type, W and w the
// same in the width of .wide, B source of the last type, P p predicates, R r 32-bit registers, i a
// literal, L a label, m memory, V v vector or scalar to load or store, G generic address.
static const struct {
    const char *op, *operands;
} shapes[] = {{"abs", "DA"},         {"activemask", "R"}, {"add", "DAA"},     {"addc", "DAA"},
              {"and", "DAA"},        {"bfe", "DArr"},     {"bfi", "DAArr"},   {"bfind", "RA"},
              {"bmsk", "Rrr"},       {"bra", "L"},        {"brev", "DA"},     {"clz", "RA"},
              {"copysign", "DAA"},   {"cos", "DA"},       {"cvt", "DB"},      {"cvta", "DA"},
              {"div", "DAA"},        {"dp4a", "Rrrr"},    {"ex2", "DA"},      {"exit", ""},
              {"fence", ""},         {"fma", "DAAA"},     {"isspacep", "PG"}, {"ld", "Vm"},
              {"ldu", "Vm"},         {"lg2", "DA"},       {"lop3", "Rrrri"},  {"mad", "WAAw"},
              {"madc", "WAAw"},      {"match", "RAr"},    {"max", "DAA"},     {"membar", ""},
              {"min", "DAA"},        {"mov", "DA"},       {"mul", "WAA"},     {"mul24", "DAA"},
              {"nanosleep", "r"},    {"neg", "DA"},       {"not", "DA"},      {"or", "DAA"},
              {"popc", "RA"},        {"prefetch", "m"},   {"prmt", "Rrrr"},   {"rcp", "DA"},
              {"red", "mA"},         {"rem", "DAA"},      {"ret", ""},        {"rsqrt", "DA"},
              {"selp", "DAAp"},      {"set", "DBB"},      {"setp", "PAA"},    {"shf", "Rrrr"},
              {"shfl", "Rrrir"},     {"shl", "DAr"},      {"shr", "DAr"},     {"sin", "DA"},
              {"slct", "DAAB"},      {"sqrt", "DA"},      {"st", "mv"},       {"sub", "DAA"},
              {"subc", "DAA"},       {"tanh", "DA"},      {"trap", ""},       {"vabsdiff2", "Rrrr"},
              {"vabsdiff4", "Rrrr"}, {"xor", "DAA"},      {"barrier", "i"}};

struct form {
    char part[20][40];
    unsigned n;
    const char *types[8];
    unsigned n_types;
    const char *text;
};

static bool form_has(const struct form *f, const char *word) {
    for (unsigned k = 1; k < f->n; k++)
        if (strcmp(f->part[k], word) == 0) return true;
    return false;
}

static bool is_type(const char *s) {
    for (unsigned t = PTX_U8; t < PTX_TYPE_N; t++)
        if (strcmp(ptx_type_text((enum ptx_type)t), s) == 0) return true;
    return false;
}

static struct form split(const char *text) {
    struct form f = {.text = text};
    for (const char *p = text; *p && f.n < 20;) {
        const size_t len = strcspn(p, ".");
        snprintf(f.part[f.n], sizeof f.part[0], "%.*s", (int)len, p);
        f.n++;
        p += len;
        if (*p) p++;
    }
    return f;
}

static const char *reg_class(const char *type) {
    static const char *const table[][2] = {{"pred", "%p"}, {"f32", "%f"},  {"f64", "%fd"},
                                           {"f16", "%h"},  {"u64", "%rd"}, {"s64", "%rd"},
                                           {"b64", "%rd"}};
    for (size_t k = 0; k < WW_COUNT(table); k++)
        if (strcmp(table[k][0], type) == 0) return table[k][1];
    const char *const digits = type + 1;
    return strcmp(digits, "16") == 0 || strcmp(digits, "8") == 0 ? "%rs" : "%r";
}

static const char *wide_class(const struct form *f) {
    if (!form_has(f, "wide")) return reg_class(f->types[0]);
    return strcmp(f->types[0] + 1, "16") == 0 ? "%r" : "%rd";
}

static unsigned vector_of(const struct form *f) {
    return form_has(f, "v4") ? 4 : form_has(f, "v2") ? 2 : 1;
}

static void add_vector(struct text *t, const char *reg, unsigned n, unsigned *next) {
    if (n == 1) {
        text_add(t, "%s%u", reg, (*next)++);
        return;
    }
    text_add(t, "{");
    for (unsigned k = 0; k < n; k++) text_add(t, "%s%s%u", k ? ", " : "", reg, (*next)++);
    text_add(t, "}");
}

static const char *memory_of(const struct form *f) {
    if (form_has(f, "shared")) return "[sh+16]";
    if (form_has(f, "const")) return "[cv+16]";
    if (form_has(f, "local")) return "[lo+16]";
    if (form_has(f, "param")) return f->part[0][0] == 's' ? "[outp]" : "[kp+16]";
    return "[%rd0+16]";
}

static void operands(struct text *t, const struct form *f, const char *shape) {
    unsigned next = 1;
    for (const char *s = shape; *s; s++) {
        const char *const t0 = f->n_types ? f->types[0] : "b32";
        const char *const tn = f->n_types ? f->types[f->n_types - 1] : "b32";
        text_add(t, "%s", s == shape ? " " : ", ");
        switch (*s) {
        case 'D':
        case 'A': text_add(t, "%s%u", reg_class(t0), next++); break;
        case 'B': text_add(t, "%s%u", reg_class(tn), next++); break;
        case 'W':
        case 'w': text_add(t, "%s%u", wide_class(f), next++); break;
        case 'P':
        case 'p': text_add(t, "%%p%u", next++); break;
        case 'R':
        case 'r': text_add(t, "%%r%u", next++); break;
        case 'G': text_add(t, "%%rd%u", next++); break;
        case 'i': text_add(t, "1"); break;
        case 'L': text_add(t, "END"); break;
        case 'm': text_add(t, "%s", memory_of(f)); break;
        default: add_vector(t, reg_class(t0), vector_of(f), &next);
        }
    }
}

static void texture(struct text *t, const struct form *f) {
    static const struct {
        const char *geom;
        unsigned coords;
    } geometry[] = {{"1d", 1}, {"2d", 2}, {"3d", 4}, {"a1d", 2}, {"a2d", 4}, {"cube", 4}};
    unsigned n = 1, next = 1;
    for (size_t k = 0; k < WW_COUNT(geometry); k++)
        if (form_has(f, geometry[k].geom)) n = geometry[k].coords;
    const char *const coord = f->part[0][0] == 't' ? reg_class(f->types[1]) : "%r";
    const char *const object = f->part[0][0] == 't' ? "tx" : "sf";
    struct text address = {0};
    text_add(&address, "[%s, {", object);
    for (unsigned k = 0; k < n; k++) text_add(&address, "%s%s%u", k ? ", " : "", coord, 20 + k);
    text_add(&address, "}]");
    const bool stores = strcmp(f->part[0], "sust") == 0 || strcmp(f->part[0], "sured") == 0;
    if (stores)
        text_add(t, " %s, ", address.at);
    else
        text_add(t, " ");
    add_vector(t, reg_class(f->types[0]), vector_of(f), &next);
    if (!stores) text_add(t, ", %s", address.at);
}

// The registers of wmma's matrices: eight of A and B of halves, two of bytes, eight of sums.
static void matrix_regs(struct text *t, const char *type, unsigned n) {
    for (unsigned k = 0; k < n; k++)
        text_add(t, "%s%%%s%u", k ? ", " : "{", strcmp(type, "f32") == 0 ? "f" : "r", k);
    text_add(t, "}");
}
static void matrices(struct text *t, const struct form *f) {
    const char *const type = f->types[0];
    text_add(t, " ");
    if (form_has(f, "mma")) {
        const unsigned n = strcmp(type, "f32") == 0 ? 8 : 2;
        matrix_regs(t, type, 8);
        for (unsigned k = 0; k < 2; k++) {
            text_add(t, ", ");
            matrix_regs(t, "b32", n);
        }
        text_add(t, ", ");
        matrix_regs(t, type, 8);
        return;
    }
    if (form_has(f, "store")) text_add(t, "[%%rd1], ");
    matrix_regs(t, type, strcmp(type, "u8") == 0 ? 2 : 8);
    text_add(t, form_has(f, "store") ? ", 16" : ", [%%rd1], 16");
}

static void special(struct text *t, const struct form *f) {
    const char *const op = f->part[0];
    if (strcmp(op, "atom") == 0) {
        text_add(t, " %s1, %s, ", reg_class(f->types[0]), memory_of(f));
        text_add(t, form_has(f, "cas") ? "%s2, %s3" : "%s2", reg_class(f->types[0]),
                 reg_class(f->types[0]));
    } else if (strcmp(op, "vote") == 0) {
        text_add(t, form_has(f, "ballot") ? " %%r1, %%p2" : " %%p1, %%p2");
        if (form_has(f, "sync")) text_add(t, ", 0xffffffff");
    } else if (strcmp(op, "bar") == 0) {
        text_add(t, form_has(f, "red")    ? " %%p1, 0, %%p2"
                    : form_has(f, "warp") ? " 0xffffffff"
                                          : " 0");
    } else if (strcmp(op, "call") == 0) {
        text_add(t, " (%%r1), callee, (%%r2)");
    } else if (strcmp(op, "wmma") == 0) {
        matrices(t, f);
    } else if (strcmp(op, "txq") == 0 || strcmp(op, "suq") == 0) {
        text_add(t, " %%r1, [%s]", op[0] == 't' ? "tx" : "sf");
    } else {
        texture(t, f);
    }
}

static const char *const headers[] = {".version 8.0\n.target sm_90\n.address_size 64\n",
                                      ".version 4.0\n.target sm_35\n.address_size 64\n",
                                      ".version 3.0\n.target sm_20\n.address_size 64\n",
                                      ".version 2.3\n.target sm_13\n.address_size 64\n"};

static void kernel(struct text *t, struct form *f, const char *header) {
    f->n_types = 0;
    for (unsigned k = 1; k < f->n; k++)
        if (is_type(f->part[k]) && f->n_types < 8) f->types[f->n_types++] = f->part[k];
    t->n = 0;
    text_add(t,
             "%s.global .texref tx;\n.global .surfref sf;\n.const .align 16 .b8 cv[64];\n"
             ".shared .align 16 .b8 sh[64];\n"
             ".func (.reg .u32 y) callee(.reg .u32 x) { mov.u32 y, x; ret; }\n"
             ".func taker(.param .align 16 .b8 x[32]) { ret; }\n"
             ".entry k(.param .align 16 .b8 kp[64]) {\n.local .align 16 .b8 lo[64];\n"
             ".reg .pred %%p<30>;\n.reg .b16 %%rs<30>;\n.reg .b16 %%h<30>;\n.reg .b32 %%r<30>;\n"
             ".reg .f32 %%f<30>;\n.reg .b64 %%rd<30>;\n.reg .f64 %%fd<30>;\n{\n"
             ".param .align 16 .b8 outp[32];\n%s",
             header, f->text);
    const char *shape = NULL;
    for (size_t k = 0; k < WW_COUNT(shapes); k++)
        if (strcmp(shapes[k].op, f->part[0]) == 0) shape = shapes[k].operands;
    if (shape)
        operands(t, f, shape);
    else
        special(t, f);
    const bool param_store = strcmp(f->part[0], "st") == 0 && form_has(f, "param");
    text_add(t, ";\n%s}\nEND: exit;\n}\n", param_store ? "call taker, (outp);\n" : "");
}

static bool parses(struct lowered *l, struct text *t, struct form *f) {
    for (size_t h = 0; h < WW_COUNT(headers); h++) {
        kernel(t, f, headers[h]);
        if (lowered_parse(l, f->text, t->at, t->n)) return true;
        if (h + 1 < WW_COUNT(headers)) lowered_free(l);
    }
    return false;
}

static void every_form_lowers(void **state) {
    (void)state;
    FILE *const file = fopen(WW_TEST_DIR "/lower/forms.txt", "r");
    assert_non_null(file);
    char line[200];
    unsigned forms = 0, failed = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        struct form f = split(line);
        forms++;
        for (unsigned gen = 0; gen < GEN_N; gen++) {
            if (strcmp(f.part[0], "wmma") == 0 && !gen_has((enum target_gen)gen, TRAIT_TENSOR))
                continue; // see tests/code/test_lower.c
            struct lowered l;
            struct text t;
            const bool parsed = parses(&l, &t, &f);
            if (parsed) lowered_run(&l, (enum target_gen)gen);
            if (!parsed || l.d.list.n) {
                failed++;
                print_message("%s\n", line);
                diags_print(&l.d, stderr);
            }
            lowered_free(&l);
            if (!parsed) break;
        }
    }
    fclose(file);
    assert_int_equal(forms, 833);
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form_lowers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
