// Inside the ptx room: the state of one parse and who does what of it.
//
//   ptx_module.c   entry point, directives at module scope, lookups
//   ptx_expr.c     constant expressions
//   ptx_scope.c    names: registers, ranges, variables, labels, functions
//   ptx_var.c      declarations of variables and registers
//   ptx_init.c     initial values of variables
//   ptx_func.c     function headers, bodies, prototypes, target lists
//   ptx_inst.c     one instruction
//   ptx_operand.c  one operand
//   ptx_check.c    operands against types
//   ptx_resolve.c  what was named before it was known; calls against functions
//
// A function that parses returns false after it has reported an error; its caller returns false
// too, up to the loop over statements, which skips to the next one and goes on.
#ifndef WW_PTX_PARSER_H
#define WW_PTX_PARSER_H

#include "ptx/ptx.h"
#include "ptx/ptx_lex.h"

enum {
    PTX_MAX_ERRORS = 20,        // reported for one text
    PTX_MAX_SCOPES = 200,       // nested { }
    PTX_MAX_EXPR_DEPTH = 200,   // nested ( ) of constant expressions
    PTX_MAX_DIMS = 8,           // of an array
    PTX_MAX_VECTOR = 128,       // elements in { }: sums of a warp group
    PTX_MAX_ARGS = 1024,        // parameters of one function, and elements of one list
    PTX_MAX_RANGE = 1 << 20,    // registers that `%r<n>` declares
    PTX_MAX_NUMBERED = 1 << 16, // variables that all `x<n>` of one text declare
    PTX_OPERAND_PENDING = 255   // operand kind while a name is not resolved; label = index
};
#define PTX_MAX_VAR_BYTES  ((uint64_t)1 << 35) // far past the memory of any GPU
#define PTX_MAX_INIT_BYTES ((uint64_t)1 << 26) // initialised variables of one text, plus 16 a byte
#define PTX_MAX_TEXT       ((size_t)1 << 30)

enum ptx_symbol_kind {
    PTX_SYM_REG,     // index: register
    PTX_SYM_RANGE,   // %r<count>: registers come into being when named
    PTX_SYM_VAR,     // var
    PTX_SYM_FUNC,    // index: function of the module
    PTX_SYM_TARGETS, // index: of the function's target lists
    PTX_SYM_PROTO    // index: of the module's prototypes
};
struct ptx_symbol {
    uint8_t kind;
    uint8_t type, elements; // of RANGE
    int32_t index;
    uint32_t count; // of RANGE
    uint32_t line;  // where it was declared
    struct ptx_var *var;
};

struct ptx_scope {
    struct ptx_scope *parent;
    struct names names;  // to function symbols
    struct names ranges; // prefixes of `%r<n>`, to function symbols
    struct names labels; // to labels
    bool is_module;      // holds the function's copies of registers at module scope
};

// A register or range declared at module scope, as ISA 1.x had them. Every function gets its own
// copy, which is right as long as functions do not call each other.
struct ptx_module_reg {
    struct ptx_token name;
    struct ptx_symbol symbol;
};

// What a name may turn out to be.
enum ptx_want { PTX_WANT_LABEL, PTX_WANT_FUNC, PTX_WANT_ADDRESS, PTX_WANT_LIST };

struct ptx_pending {
    const char *name;
    uint32_t len, line, col;
    enum ptx_want want;
    const struct ptx_scope *scope;
    int32_t *target; // element of a list, or NULL: operand of an instruction
    bool is_address; // in brackets
};

// A name that only the end of the module can resolve.
struct ptx_fixup {
    const char *name;
    uint32_t len, line, col;
    struct ptx_operand *operand; // one of these three
    int32_t *target;
    struct ptx_reloc *reloc;
    enum ptx_want want;
    const struct ptx_inst *inst; // of the operand
    struct ptx_var *var;         // of a reloc in a body: the body's own variable, else NULL
    int32_t index;               // its place in the module
};

struct ptx_call_site {
    int32_t func;
    uint32_t inst;
};

struct ptx_alias {
    int32_t alias;
    const char *name;
    uint32_t len, line, col;
};

// The function being read.
struct ptx_body {
    struct ptx_func *func;
    int32_t index;
    struct ptx_scope *scope;
    uint32_t depth;
    VEC(struct ptx_symbol) symbols;
    VEC(struct ptx_reg) regs;
    VEC(struct ptx_var *) vars;
    VEC(struct ptx_inst) insts;
    VEC(struct ptx_label) labels;
    VEC(struct ptx_targets) targets;
    VEC(struct ptx_pending) pending;
    VEC(uint32_t) pending_insts; // instructions with a pending operand, in order
    uint32_t src_line;
    uint16_t src_file;
};

struct ptx_parser {
    struct ptx_module *m;
    struct arena *arena;    // the module's
    struct arena temp;      // lives as long as the parse
    struct arena body_temp; // lives as long as one function
    struct diags *d;
    jmp_buf oom;
    struct ptx_lexer lex;
    struct ptx_token tok;
    size_t text_len;
    unsigned errors;
    uint32_t bad_line;     // of the last bad token
    enum ww_status status; // of the first error
    bool lazy;             // refusals inside functions are kept with them
    bool stopped;          // too many errors: nothing more is reported
    bool has_address_size, wide_base;
    bool has_target;
    uint64_t init_total;
    uint32_t numbered;              // variables that `x<n>` declared
    struct names ops, words, sregs; // of the tables
    struct names globals;           // to global symbols
    VEC(struct ptx_symbol) symbols;
    VEC(struct ptx_var *) vars;
    VEC(struct ptx_func *) funcs;
    VEC(struct ptx_func *) protos;
    VEC(struct ptx_file) files;
    VEC(struct ptx_fixup) fixups;
    VEC(struct ptx_call_site) calls;
    VEC(struct ptx_alias) aliases;
    VEC(struct ptx_module_reg) module_regs;
    bool module_reg_used;
    struct ptx_body body;
};

// ---- ptx_tables.c -----------------------------------------------------------
// What p->words answers: a type, or PTX_WORD_MOD + a modifier.
enum { PTX_WORD_TYPE = 0, PTX_WORD_MOD = 1000 };
void ptx_tables_load(struct ptx_parser *p);
bool ptx_op_is_refused(enum ptx_op op);
void ptx_op_operands(enum ptx_op op, unsigned *lo, unsigned *hi);
const char *ptx_op_prose(enum ptx_op op);
const char *ptx_nearest_op(const char *word);   // NULL when nothing is near
const char *ptx_nearest_word(const char *word); // among modifiers and types

// ---- ptx_module.c -----------------------------------------------------------
void ptx_advance(struct ptx_parser *p);
bool ptx_fail(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...)
    WW_PRINTF(4, 5);
void ptx_warn(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...)
    WW_PRINTF(4, 5);
bool ptx_refuse(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...)
    WW_PRINTF(4, 5);
bool ptx_fail_here(struct ptx_parser *p, const char *expected); // "expected X, found Y"
const char *ptx_tok_show(struct ptx_parser *p, const struct ptx_token *t);
const char *ptx_show(struct ptx_parser *p, const char *text, size_t len);
static inline bool ptx_at(const struct ptx_parser *p, uint8_t punct) {
    return p->tok.kind == PTX_TOK_PUNCT && p->tok.punct == punct;
}
static inline bool ptx_at_word(const struct ptx_parser *p, const char *word) {
    return p->tok.kind == PTX_TOK_WORD && ptx_tok_is(&p->tok, word);
}
bool ptx_accept(struct ptx_parser *p, uint8_t punct);
bool ptx_expect(struct ptx_parser *p, uint8_t punct, const char *what);
char *ptx_tok_dup(struct ptx_parser *p, const struct ptx_token *t);
// A type word, or -1 without an error.
int ptx_tok_type(const struct ptx_parser *p);
// After an error: to the end of the statement, or to where the next one seems to begin.
void ptx_recover(struct ptx_parser *p);
// Directives that may stand anywhere: .loc .file .pragma .section. 0 not one, 1 done, -1 error.
int ptx_common_directive(struct ptx_parser *p);

// ---- ptx_expr.c -------------------------------------------------------------
struct ptx_value {
    bool is_float, is_f32, is_exact, is_unsigned;
    uint64_t bits; // integer; or f64 bits, f32 bits if is_f32
};
bool ptx_expr(struct ptx_parser *p, struct ptx_value *v);
// `+ 4`, `- 4`, `+-4`, `+4+4`: what follows a symbol.
bool ptx_expr_offset(struct ptx_parser *p, int64_t *offset);
// An integer that fits, or an error that names `what`.
bool ptx_expr_u64(struct ptx_parser *p, const char *what, uint64_t max, uint64_t *out);
double ptx_value_double(const struct ptx_value *v);
bool ptx_starts_expr(const struct ptx_parser *p);

// ---- ptx_scope.c ------------------------------------------------------------
void ptx_scope_push(struct ptx_parser *p);
void ptx_scope_pop(struct ptx_parser *p);
// Declares in the innermost scope of the body; false (reported) if the name is taken.
bool ptx_scope_declare(struct ptx_parser *p, const struct ptx_token *name, struct ptx_symbol s);
// The symbol a name stands for in the body, or NULL. A register of a range is made here.
const struct ptx_symbol *ptx_scope_find(struct ptx_parser *p, const char *name, size_t len);
int32_t ptx_scope_new_reg(struct ptx_parser *p, const char *name, size_t len, enum ptx_type type,
                          unsigned elements);
const struct ptx_symbol *ptx_global_find(struct ptx_parser *p, const char *name, size_t len);
struct ptx_symbol *ptx_global_declare(struct ptx_parser *p, const char *name, size_t len,
                                      struct ptx_symbol s);
// "unknown register %r9: %r<9> declares %r0 to %r8", or the like; always false.
bool ptx_scope_unknown(struct ptx_parser *p, const char *name, size_t len, uint32_t line,
                       uint32_t col);

// ---- ptx_var.c --------------------------------------------------------------
struct ptx_linkage {
    bool is_extern, is_visible, is_weak, is_common;
};
// Linkage words, if any.
void ptx_linkage(struct ptx_parser *p, struct ptx_linkage *l);
bool ptx_starts_var(const struct ptx_parser *p);
// A declaration from the state space to the semicolon.
bool ptx_var_decl(struct ptx_parser *p, const struct ptx_linkage *l);
// A register (its index is set here) or a range in the innermost scope.
bool ptx_var_reg(struct ptx_parser *p, const struct ptx_token *name, struct ptx_symbol s);
// One parameter of a function: `.param .u32 x`, `.reg .u32 x`; `named`: declares its name.
bool ptx_var_param(struct ptx_parser *p, bool named, struct ptx_var **out);

// ---- ptx_init.c -------------------------------------------------------------
// The value behind `=`. `dims` are the array's (a first one of 0 is not known yet).
bool ptx_init(struct ptx_parser *p, struct ptx_var *v, const uint64_t *dims, unsigned n_dims);

// ---- ptx_func.c -------------------------------------------------------------
bool ptx_func_decl(struct ptx_parser *p, const struct ptx_linkage *l);

// ---- ptx_inst.c ---------------------------------------------------------------
struct ptx_place {
    uint32_t line, col;
};
// A sum that stands as an operand.
struct ptx_sum {
    struct ptx_operand of; // register, or address of a variable, plus its imm
    int32_t reg;           // that holds it
    uint8_t type;          // of that
};
// The instruction being read.
struct ptx_reading {
    struct ptx_inst inst;
    struct ptx_operand ops[PTX_MAX_OPERANDS];
    struct ptx_place places[PTX_MAX_OPERANDS];
    const char *text; // `add.s32`, as written
    uint32_t text_len;
    enum ptx_want want; // of a name not yet known
    bool pending;       // some operand is
    struct ptx_sum sums[PTX_MAX_OPERANDS];
    unsigned n_sums;
};
bool ptx_instruction(struct ptx_parser *p);

// ---- ptx_operand.c ------------------------------------------------------------
bool ptx_operand_read(struct ptx_parser *p, struct ptx_reading *r, unsigned index);
bool ptx_operand_call(struct ptx_parser *p, struct ptx_reading *r);
// Puts the instructions that compute the operands' sums in front of what comes next.
void ptx_operand_sums(struct ptx_parser *p, const struct ptx_reading *r);

// ---- ptx_check.c --------------------------------------------------------------
bool ptx_check_inst(struct ptx_parser *p, const struct ptx_reading *r);
// A form that parses and is not supported: reports it and answers true.
bool ptx_check_refused(struct ptx_parser *p, const struct ptx_reading *r);
// Why that form is not supported, or NULL.
const char *ptx_refused_form(const struct ptx_inst *i);
const char *ptx_describe(struct ptx_parser *p, const struct ptx_operand *o);

// ---- ptx_resolve.c ----------------------------------------------------------
void ptx_resolve_body(struct ptx_parser *p);
void ptx_resolve_module(struct ptx_parser *p);

#endif
