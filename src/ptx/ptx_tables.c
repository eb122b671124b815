// The tables of types, opcodes, modifiers and special registers, and how names find their rows.
#include "ptx/ptx_parser.h"

// A set of modifiers is four words, and an operand keeps its special register in a byte.
_Static_assert(PTX_MOD_N <= 512, "ptx_inst.modset has 512 bits");
_Static_assert(PTX_SREG_N <= 256, "ptx_operand.sreg is a byte");
_Static_assert((int)PTX_TYPE_N < (int)PTX_WORD_MOD, "types come before modifiers");

static const struct {
    const char *text;
    uint8_t bits;
    char class;
} types[] = {
#define X(name, text, bits, class) {text, bits, class},
    PTX_TYPE_TABLE(X)
#undef X
};

static const char *const op_text[] = {
#define PTX_OP(name, text, ...) text,
#include "ptx/ptx_ops.def"
#undef PTX_OP
};

enum { OP_SUPPORTED, OP_REFUSED };
static const struct {
    uint8_t lo, hi, support;
    const char *prose;
} ops[] = {
#define PTX_OP(name, text, lo, hi, support, prose) {lo, hi, OP_##support, prose},
#include "ptx/ptx_ops.def"
#undef PTX_OP
};

static const char *const mod_text[] = {
#define PTX_MOD(name, text) text,
#include "ptx/ptx_mods.def"
#undef PTX_MOD
};

static const char *const sreg_text[] = {
#define PTX_SREG(name, text, type) text,
#include "ptx/ptx_sregs.def"
#undef PTX_SREG
};

static const uint8_t sreg_type[] = {
#define PTX_SREG(name, text, type) PTX_##type,
#include "ptx/ptx_sregs.def"
#undef PTX_SREG
};

// sm_100 formats that are read as one modifier, to be refused by name.
static const char *const narrow[] = {"e2m1",   "e2m1x2", "e2m1x4",  "e2m3",   "e2m3x2",
                                     "e2m3x4", "e3m2",   "e3m2x2",  "e3m2x4", "e4m3x4",
                                     "e5m2x4", "ue8m0",  "ue8m0x2", "ue4m3"};

unsigned ptx_type_bits(enum ptx_type t) { return types[t].bits; }
char ptx_type_class(enum ptx_type t) { return types[t].class; }
const char *ptx_type_text(enum ptx_type t) { return types[t].text; }
const char *ptx_op_text(enum ptx_op op) { return op_text[op]; }
const char *ptx_mod_text(enum ptx_mod m) { return mod_text[m]; }
const char *ptx_sreg_text(enum ptx_sreg s) { return sreg_text[s]; }
enum ptx_type ptx_sreg_type(enum ptx_sreg s) { return (enum ptx_type)sreg_type[s]; }

bool ptx_op_is_refused(enum ptx_op op) { return ops[op].support == OP_REFUSED; }
const char *ptx_op_prose(enum ptx_op op) { return ops[op].prose; }

void ptx_op_operands(enum ptx_op op, unsigned *lo, unsigned *hi) {
    *lo = ops[op].lo;
    *hi = ops[op].hi;
}

static void put(struct names *m, const char *text, int value) {
    names_put(m, text, strlen(text), value);
}

void ptx_tables_load(struct ptx_parser *p) {
    names_init(&p->ops, &p->temp);
    names_init(&p->words, &p->temp);
    names_init(&p->sregs, &p->temp);
    for (int i = 0; i < PTX_OP_N; i++) put(&p->ops, op_text[i], i);
    for (int i = 1; i < PTX_TYPE_N; i++) put(&p->words, types[i].text, PTX_WORD_TYPE + i);
    for (int i = PTX_MOD_narrow + 1; i < PTX_MOD_N; i++)
        put(&p->words, mod_text[i], PTX_WORD_MOD + i);
    for (unsigned i = 0; i < WW_COUNT(narrow); i++)
        put(&p->words, narrow[i], PTX_WORD_MOD + PTX_MOD_narrow);
    for (int i = 0; i < PTX_SREG_N; i++) put(&p->sregs, sreg_text[i], i);
}

const char *ptx_nearest_op(const char *word) {
    const int i = text_nearest(word, op_text, PTX_OP_N);
    return i < 0 ? NULL : op_text[i];
}

const char *ptx_nearest_word(const char *word) {
    const int i = text_nearest(word, mod_text + PTX_MOD_narrow + 1, PTX_MOD_N - PTX_MOD_narrow - 1);
    if (i >= 0) return mod_text[PTX_MOD_narrow + 1 + i];
    const char *names[PTX_TYPE_N];
    for (int t = 0; t < PTX_TYPE_N; t++) names[t] = types[t].text;
    const int t = text_nearest(word, names, PTX_TYPE_N);
    return t <= 0 ? NULL : names[t];
}
