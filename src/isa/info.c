// The tables that come straight out of type.def, sreg.def, op_class.def and ops.def. Everything that
// asks "what is this operation" looks here.
#include "isa/image.h"
#include "isa/op.h"

#include <assert.h>

static const struct {
    const char *text;
    uint8_t bits;
    char class;
} types[ITYPE_N] = {
#define TYPE(name, text, bits, class) [ITYPE_##name] = {text, bits, class},
#include "isa/type.def"
#undef TYPE
};
unsigned isa_type_bits(enum isa_type t) { return (unsigned)t < ITYPE_N ? types[t].bits : 0; }
char isa_type_class(enum isa_type t) { return (unsigned)t < ITYPE_N ? types[t].class : 'o'; }
const char *isa_type_text(enum isa_type t) { return (unsigned)t < ITYPE_N ? types[t].text : "?"; }

static const struct {
    const char *text;
    uint8_t words;
} sregs[SREG_N] = {
#define SREG(name, text, words) [SREG_##name] = {text, words},
#include "isa/sreg.def"
#undef SREG
};
const char *isa_sreg_text(enum isa_sreg s) { return (unsigned)s < SREG_N ? sregs[s].text : "?"; }
unsigned isa_sreg_words(enum isa_sreg s) { return (unsigned)s < SREG_N ? sregs[s].words : 0; }

const uint8_t op_class_unit[OPC_N] = {
#define OPC(name, unit, prose) [OPC_##name] = UNIT_##unit,
#include "isa/op_class.def"
#undef OPC
};

const char *op_class_text(enum op_class c) {
    static const char *const text[] = {
#define OPC(name, unit, prose) [OPC_##name] = #name,
#include "isa/op_class.def"
#undef OPC
    };
    return (unsigned)c < OPC_N ? text[c] : "?";
}

const struct mop_info mop_info[OP_N] = {
#define OP(name, mnemonic, class, opflags, operands, meaning) \
    [OP_##name] = {.text = mnemonic, .prose = meaning, .klass = OPC_##class, .flags = opflags},
#include "isa/ops.def"
#undef OP
};

// minst.op and klass are stored in 16 and 8 bits, mop_info.flags in 8.
static_assert(OP_N <= UINT16_MAX && OPC_N <= UINT8_MAX, "operation numbers fit their fields");
static_assert(OPF_COMMUTES <= UINT8_MAX, "operation flags fit their field");
static_assert(UNIT_N <= 32, "a unit is a bit in a mask of 32 bits");

const char *code_file_path(const struct code_source *s, uint32_t number) {
    for (uint32_t i = 0; i < s->n_files; i++)
        if (s->files[i].number == number) return s->files[i].path;
    return NULL;
}

struct code_place code_place(const struct code_image *im, uint32_t pc) {
    enum { WORD_BYTES = 16 };
    struct code_place p;
    if (im->is_machine_code)
        snprintf(p.text, sizeof p.text, "offset 0x%04x",
                 WORD_BYTES * (pc >= im->entry ? pc - im->entry : pc));
    else
        snprintf(p.text, sizeof p.text, "PTX line %u", pc < im->n_insts ? im->inst[pc].ptx_line : 0);
    return p;
}

void code_free(struct code_image *im) {
    if (!im) return;
    struct arena home = im->arena; // the image itself lies in it
    arena_free(&home);
}
