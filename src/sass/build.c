// Images of a cubin's kernels. Functions that are no kernels stand first (link.h); those that the
// kernel cannot reach are traps, so that what is not executed in them stops nobody.
#include "sass/build.h"

#include "isa/system_call.h"
#include "isa/op.h"
#include "sass/translate.h"

enum { WORD_BYTES = 16, STACK_ALIGN = 16, SHARED_ALIGN = 16, RZ = 255 };
enum { BANK_BYTES = 1 << 16 }; // of constants

struct build {
    const struct sass_places *p;
    struct sass_places open; // p with what a file that is to be linked leaves open
    const struct cubin *c;
    const struct cubin_kernel *k;
    uint32_t number;
    const struct sass_target *t;
    struct code_image *im;
    struct arena work;
    bool *reached;     // by kernel.at[]
    uint32_t shared;   // bytes, with those of functions that it reaches
    uint64_t literals; // likewise, of a unit's kernel
    bool calls;        // reaches more than its own section
    bool outline;      // words are left out where it calls
    struct diags *d;
};

static enum ww_status refuse(const struct build *b, const char *fmt, ...) WW_PRINTF(2, 3);
static enum ww_status refuse(const struct build *b, const char *fmt, ...) {
    char text[384];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_add(b->d, WW_ERROR_UNSUPPORTED, "%s: kernel %s: %s", b->c->name, b->k->name, text);
}

// ---- what a kernel reaches ----------------------------------------------------------------------
enum { CALL_ABS = 0x143, CALL_REL = 0x144 };
static bool calls_by_register(const struct cubin_kernel *k, uint32_t opcode) {
    enum { BY_REGISTER = 1 };
    for (uint32_t i = 0; i < k->words; i++) {
        const uint64_t lo = cubin_word(k, i).lo;
        if ((lo & 511) == opcode && (lo >> 9 & 7) == BY_REGISTER) return true;
    }
    return false;
}

// Bytes by which the code's functions lower the stack pointer, R1, one after the other: more than all
// frames that the file names where it leaves a function's out, as ptxas 13 does of recursive ones.
static uint64_t lowered_bytes(const struct cubin_kernel *k) {
    enum { IADD3 = 0x010, VIADD = 0x036, BY_NUMBER = 4, STACK_POINTER = 1 };
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->words; i++) {
        const uint64_t lo = cubin_word(k, i).lo;
        const uint32_t op = lo & 511, to = lo >> 16 & 255, from = lo >> 24 & 255;
        const int32_t number = (int32_t)(lo >> 32);
        if ((op != IADD3 && op != VIADD) || (lo >> 9 & 7) != BY_NUMBER) continue;
        if (to == STACK_POINTER && from == STACK_POINTER && number < 0)
            sum += (uint64_t) - (int64_t)number;
    }
    return sum;
}

static bool reach(struct build *b, const struct cubin_relocations *r) {
    bool more = false;
    for (uint32_t i = 0; i < r->n; i++) {
        const int32_t to = sass_code_of(b->c, b->c->symbol.at[r->at[i].symbol].section);
        if (to < 0 || b->reached[to] || b->c->kernel.at[to].is_entry) continue;
        b->reached[to] = more = true;
    }
    return more;
}

// Functions whose addresses stand in memory, where any code may find them.
static bool reach_stored(struct build *b) {
    const struct cubin *c = b->c;
    bool more = reach(b, &c->initialised.relocation);
    for (uint32_t i = 0; i < c->constant.n; i++) more |= reach(b, &c->constant.at[i].relocation);
    for (uint32_t i = 0; i < b->k->constant.n; i++)
        more |= reach(b, &b->k->constant.at[i].relocation);
    return more;
}

static void find_reached(struct build *b) {
    const struct cubin *c = b->c;
    b->reached = arena_alloc(&b->work, c->kernel.n * sizeof *b->reached);
    b->reached[b->number] = true;
    bool stored = false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < c->kernel.n; i++) {
            if (!b->reached[i]) continue;
            more |= reach(b, &c->kernel.at[i].relocation);
            if (stored || !calls_by_register(&c->kernel.at[i], CALL_ABS)) continue;
            stored = true;
            more |= reach_stored(b);
        }
    }
    for (uint32_t i = 0; i < c->kernel.n; i++) b->calls |= b->reached[i] && i != b->number;
}

// ---- what units leave open ----------------------------------------------------------------------
static const struct cubin_data *literals_of(const struct cubin_kernel *k) {
    for (uint32_t i = 0; i < k->constant.n; i++)
        if (k->constant.at[i].bank == CB_LITERAL) return &k->constant.at[i];
    return NULL;
}

// Where the literals of each reached function begin in the image's bank.
static const uint32_t *find_literals(struct build *b) {
    enum { ALIGN = 16 };
    const struct cubin *c = b->c;
    uint32_t *at = arena_alloc(&b->work, c->kernel.n * sizeof *at);
    for (uint32_t pass = 0; pass < 2; pass++) // the kernel's own first
        for (uint32_t i = 0; i < c->kernel.n; i++) {
            const struct cubin_data *data = literals_of(&c->kernel.at[i]);
            if ((i == b->number) == pass) continue;
            const uint64_t begin = bits_align_up(b->literals, ALIGN);
            at[i] = b->reached[i] && begin < BANK_BYTES ? (uint32_t)begin : SASS_NOWHERE;
            if (b->reached[i] && data) b->literals = begin + data->bytes;
        }
    return at;
}

static void place_shared(struct build *b, uint32_t symbol, uint32_t *at) {
    const struct cubin_symbol *s = &b->c->symbol.at[symbol];
    if (!s->shared || !s->section || at[symbol] != SASS_NOWHERE) return;
    const uint32_t align = (uint32_t)min64(max64(s->value, 1), SHARED_ALIGN);
    at[symbol] = (uint32_t)bits_align_up(b->shared, align);
    b->shared = (uint32_t)min64(at[symbol] + min64(s->bytes, INT32_MAX), INT32_MAX);
}

enum { RESERVED_90 = 1024 }; // bytes of the system's, counted in sizes from sm_90 on

// Where shared variables lie: the kernel's, then those that reached code names, then, at one place for
// all, the variables without a size, whose memory a launch gives.
static const uint32_t *find_shared(struct build *b) {
    const struct cubin *c = b->c;
    uint32_t *at = arena_alloc(&b->work, c->symbol.n * sizeof *at);
    b->shared = c->gen >= SASS_90 ? RESERVED_90 : 0;
    for (uint32_t i = 0; i < c->symbol.n; i++) at[i] = SASS_NOWHERE;
    for (uint32_t i = 0; i < c->symbol.n; i++)
        if (b->k->shared_section && c->symbol.at[i].section == b->k->shared_section)
            place_shared(b, i, at);
    for (uint32_t i = 0; i < c->kernel.n; i++)
        for (uint32_t r = 0; r < c->kernel.at[i].relocation.n && b->reached[i]; r++)
            place_shared(b, c->kernel.at[i].relocation.at[r].symbol, at);
    for (uint32_t i = 0; i < c->symbol.n; i++)
        if (c->symbol.at[i].shared && !c->symbol.at[i].section)
            at[i] = (uint32_t)bits_align_up(b->shared, SHARED_ALIGN);
    return at;
}

static void find_places(struct build *b) {
    b->shared = b->k->shared_bytes;
    if (!b->c->is_unit) return;
    b->open = *b->p;
    b->open.literals = find_literals(b);
    b->open.shared = find_shared(b);
    b->p = &b->open;
}

// ---- words --------------------------------------------------------------------------------------
static const struct minst trap = {
    .op = OP_TRAP, .klass = OPC_CTRL, .guard = PRED_TRUE, .target = -1, .reconv = -1};
static const struct code_control at_once = {
    .stall = 1, .write = CONTROL_NONE, .read = CONTROL_NONE};

static enum ww_status bad_word(const struct build *b, const struct cubin_kernel *k, uint32_t i,
                               const char *why) {
    const char *in = k == b->k ? "" : k->name;
    return refuse(b, "at 0x%04x%s%s: %s", i * WORD_BYTES, *in ? " of function " : "", in, why);
}

// Operands against what the file says that there is; NULL: fine.
static const char *constant_fault(const struct build *b, const struct opnd *o) {
    const struct code_image *im = b->im;
    const uint64_t end = o->reg + 4ull * o->words;
    const uint32_t behind = (uint32_t)bits_align_up(im->param_bytes, 4) + im->handle_bytes;
    switch (o->bank) {
    case CB_LAUNCH:
        return bank0_provides(im->bank0, behind, o->reg, 4u * o->words)
                   ? NULL
                   : "reads a word of constant bank 0 that no launch defines";
    case CB_LITERAL: return end <= im->literal_bytes ? NULL : "reads beyond constant bank 2";
    case CB_ADDRESS: return end <= im->address_bytes ? NULL : "reads beyond constant bank 4";
    case CB_USER:
        for (uint32_t i = 0; i < b->c->constant.n; i++)
            if (b->c->constant.at[i].bank == CB_USER)
                return end <= bits_align_up(b->c->constant.at[i].bytes, 4)
                           ? NULL
                           : "reads beyond constant bank 3";
        return "reads constant bank 3, which the file does not have";
    default: return "reads a constant bank that is not known";
    }
}

static const char *operand_fault(const struct build *b, const struct opnd *o) {
    if (o->kind == OPND_CONST) return constant_fault(b, o);
    if (o->kind == OPND_GPR && o->reg + o->words > b->im->n_regs)
        return "names a register beyond those that the file grants";
    return NULL;
}

static const char *inst_fault(const struct build *b, const struct minst *m) {
    const char *why = NULL;
    for (unsigned i = 0; i < MINST_SRCS && !why; i++) why = operand_fault(b, &m->src[i]);
    for (unsigned i = 0; i < MINST_DSTS && !why; i++) why = operand_fault(b, &m->dst[i]);
    if (!why && m->target >= 0 && (uint32_t)m->target >= b->im->n_insts)
        why = "has a target outside the code";
    return why;
}

static enum ww_status translate(struct build *b, const struct cubin_kernel *k, uint32_t first) {
    const char *what = k == b->k ? "its code" : k->name;
    const size_t bytes = (size_t)k->words * WORD_BYTES;
    struct cubin_kernel filled = *k;
    uint8_t *code = arena_copy(&b->work, k->code, bytes);
    filled.code = code;
    const enum ww_status s =
        sass_relocate(b->p, &k->relocation, (uint64_t)first * WORD_BYTES, code, bytes, what, b->d);
    if (s != WW_OK) return s;
    for (uint32_t i = 0; i < k->words; i++) {
        struct sass_refusal why = {.text = ""};
        struct minst *m = &b->im->inst[first + i];
        if (!sass_translate(cubin_word(&filled, i), (uint64_t)i * WORD_BYTES, first, b->c->gen, m,
                            &b->im->control[first + i], &why))
            return bad_word(b, k, i, why.text);
        const char *fault = inst_fault(b, m);
        if (fault) return bad_word(b, k, i, fault);
    }
    return WW_OK;
}

// Code of the system calls that the file names, behind all other. A kernel that calls has the
// registers that a call takes.
static void add_system_calls(struct build *b, uint32_t first) {
    enum { REGISTERS_OF_CALLS = 22 }; // the return address is in the last two
    struct code_image *im = b->im;
    for (uint32_t i = 0; i < b->c->symbol.n && im->n_regs >= REGISTERS_OF_CALLS; i++) {
        enum msyscall call;
        if (b->c->symbol.at[i].section || !system_call_named(b->c->symbol.at[i].name, &call) ||
            im->system_call[call])
            continue;
        im->system_call[call] = first;
        first += system_call_code(call, first, &im->inst[first], &im->control[first]);
    }
    im->n_insts = first;
}

// Functions first, then the kernel.
static enum ww_status lay_out(struct build *b) {
    const struct cubin *c = b->c;
    struct code_image *im = b->im;
    im->entry = b->calls ? sass_function_words(c) : 0;
    const uint64_t n = (uint64_t)im->entry + b->k->words;
    if (n > INT32_MAX / WORD_BYTES) return refuse(b, "its code is too large");
    im->n_insts = (uint32_t)n;
    const size_t room = im->n_insts + (size_t)MSYS_N * SYSTEM_CALL_INSTS;
    im->inst = arena_alloc(&im->arena, room * sizeof *im->inst);
    im->control = arena_alloc(&im->arena, room * sizeof *im->control);
    for (uint32_t i = 0; i < im->entry; i++) im->inst[i] = trap, im->control[i] = at_once;
    for (uint32_t i = 0; i < c->kernel.n; i++) {
        if (!b->reached[i]) continue;
        const uint32_t first =
            i == b->number ? im->entry : (uint32_t)(sass_function_address(c, i) / WORD_BYTES);
        const enum ww_status s = translate(b, &c->kernel.at[i], first);
        if (s != WW_OK) return s;
    }
    add_system_calls(b, im->n_insts);
    return WW_OK;
}

// ---- names and lines ----------------------------------------------------------------------------
static void name_functions(struct build *b) {
    const struct cubin *c = b->c;
    struct code_image *im = b->im;
    const char **name = arena_alloc(&im->arena, c->symbol.n * sizeof *name);
    im->func_pc = arena_alloc(&im->arena, c->symbol.n * sizeof *im->func_pc);
    for (uint32_t i = 0; i < c->symbol.n; i++) {
        const struct cubin_symbol *s = &c->symbol.at[i];
        const int32_t k = s->kind == CUBIN_FUNCTION ? sass_code_of(c, s->section) : -1;
        if (k < 0 || !b->reached[k] || s->value % WORD_BYTES ||
            s->value / WORD_BYTES >= c->kernel.at[k].words)
            continue;
        const uint64_t base = (uint32_t)k == b->number
                                  ? im->entry
                                  : sass_function_address(c, (uint32_t)k) / WORD_BYTES;
        name[im->n_funcs] = s->name;
        im->func_pc[im->n_funcs++] = (uint32_t)(base + s->value / WORD_BYTES);
    }
    im->source.function = name;
}

static enum ww_status add_lines(struct build *b, const struct cubin_kernel *k, uint32_t first) {
    struct code_source *from = &b->im->source;
    struct cubin_lines lines;
    const enum ww_status s = cubin_lines(&b->im->arena, b->c, k, false, b->d, &lines);
    if (s != WW_OK || !lines.line.n || lines.file.n > UINT16_MAX) return s;
    // A file's number in this table, and in that of the image, which several tables share.
    uint16_t *number = arena_alloc(&b->work, (lines.file.n + 1ul) * sizeof *number);
    for (uint32_t f = 0; f < lines.file.n; f++) {
        uint32_t at = 0;
        while (at < from->n_files && strcmp(from->files[at].path, lines.file.at[f]) != 0) at++;
        if (at == from->n_files && at < UINT16_MAX) {
            struct code_file *more = arena_alloc(&b->im->arena, (at + 1ul) * sizeof *more);
            if (at) memcpy(more, from->files, at * sizeof *more);
            more[at] = (struct code_file){.number = at + 1, .path = lines.file.at[f]};
            from->files = more;
            from->n_files++;
        }
        number[f] = (uint16_t)(at + 1);
    }
    for (uint32_t i = 0; i < k->words; i++) {
        const struct cubin_line *l = cubin_line_at(&lines, i * WORD_BYTES);
        if (!l) continue;
        b->im->inst[first + i].src_file = number[l->file];
        b->im->inst[first + i].src_line = l->line;
    }
    return WW_OK;
}

static enum ww_status lines_of_all(struct build *b) {
    const struct cubin *c = b->c;
    for (uint32_t i = 0; i < c->kernel.n; i++) {
        if (!b->reached[i]) continue;
        const uint32_t first =
            i == b->number ? b->im->entry : (uint32_t)(sass_function_address(c, i) / WORD_BYTES);
        const enum ww_status s = add_lines(b, &c->kernel.at[i], first);
        if (s != WW_OK) return s;
    }
    return WW_OK;
}

// ---- memory, registers, parameters --------------------------------------------------------------
static enum ww_status filled(struct build *b, const struct cubin_data *data, uint8_t **out) {
    char what[32];
    snprintf(what, sizeof what, "constant bank %u", data->bank);
    *out = arena_alloc(&b->im->arena, bits_align_up(data->bytes, 16));
    if (data->data) memcpy(*out, data->data, data->bytes);
    return sass_relocate(b->p, &data->relocation, UINT64_MAX, *out, data->bytes, what, b->d);
}

// What lies behind the parameters in bank 0: handles.
static enum ww_status handles(struct build *b, const struct cubin_data *bank) {
    struct code_image *im = b->im;
    const uint32_t at = (uint32_t)bits_align_up(bank0_info[im->bank0].params + im->param_bytes, 4);
    if (bank->bytes <= at) return WW_OK;
    uint8_t *all;
    const enum ww_status s = filled(b, bank, &all);
    im->handles = all + at;
    im->handle_bytes = bank->bytes - at;
    return s;
}

static enum ww_status constants(struct build *b, const struct cubin_data *data) {
    struct code_image *im = b->im;
    uint8_t *bytes;
    enum ww_status s;
    switch (data->bank) {
    case CB_LAUNCH: return handles(b, data);
    case CB_LITERAL:
        s = filled(b, data, &bytes);
        im->literals = bytes, im->literal_bytes = (uint32_t)bits_align_up(data->bytes, 4);
        return s;
    case CB_USER: return WW_OK; // the module's
    case CB_ADDRESS:
        s = filled(b, data, &bytes);
        im->addresses = bytes, im->address_bytes = (uint32_t)bits_align_up(data->bytes, 4);
        return s;
    default: return refuse(b, "it has a constant bank %u, whose use is not known", data->bank);
    }
}

// Literals of the functions that the kernel reaches, behind its own, where find_literals put them.
static enum ww_status literals_of_functions(struct build *b) {
    const struct cubin *c = b->c;
    struct code_image *im = b->im;
    if (!b->literals) return WW_OK;
    if (b->literals > BANK_BYTES)
        return refuse(b, "its literals and those of what it calls do not fit into a bank");
    uint8_t *all = arena_alloc(&im->arena, bits_align_up(b->literals, 16));
    if (im->literal_bytes) memcpy(all, im->literals, im->literal_bytes);
    for (uint32_t i = 0; i < c->kernel.n; i++) {
        const struct cubin_data *data = literals_of(&c->kernel.at[i]);
        if (!data || !b->reached[i] || i == b->number) continue;
        uint8_t *bytes;
        const enum ww_status s = filled(b, data, &bytes);
        if (s != WW_OK) return s;
        memcpy(all + b->open.literals[i], bytes, data->bytes);
    }
    im->literals = all, im->literal_bytes = (uint32_t)bits_align_up(b->literals, 4);
    return WW_OK;
}

static enum ww_status all_constants(struct build *b) {
    const struct cubin *c = b->c;
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < c->constant.n && s == WW_OK; i++) s = constants(b, &c->constant.at[i]);
    for (uint32_t i = 0; i < b->k->constant.n && s == WW_OK; i++)
        s = constants(b, &b->k->constant.at[i]);
    for (uint32_t i = 0; i < c->kernel.n && s == WW_OK; i++)
        for (uint32_t n = 0; n < c->kernel.at[i].constant.n && b->reached[i]; n++)
            if (i != b->number && c->kernel.at[i].constant.at[n].bank > CB_LITERAL)
                return refuse(b, "function %s has constants of its own, which no linker has placed",
                              c->kernel.at[i].name);
    return s == WW_OK ? literals_of_functions(b) : s;
}

static enum isa_type type_of(uint32_t bytes) {
    return bytes == 8 ? ITYPE_B64 : bytes == 4 ? ITYPE_B32 : bytes == 2 ? ITYPE_B16 : ITYPE_B8;
}

static enum ww_status parameters(struct build *b) {
    const struct cubin_kernel *k = b->k;
    struct code_image *im = b->im;
    if (!bank0_of(b->c->arch, k->parameter_at, &im->bank0))
        return refuse(b, "constant bank 0 of sm_%u is not known", b->c->arch);
    im->param_bytes = k->parameter_bytes;
    if (k->parameter_bytes && k->parameter_at != bank0_info[im->bank0].params)
        return refuse(b, "its parameters begin at c[0x0][0x%x], those of sm_%u at c[0x0][0x%x]",
                      k->parameter_at, b->c->arch, bank0_info[im->bank0].params);
    im->params = arena_alloc(&im->arena, (k->parameter.n + 1ul) * sizeof *im->params);
    for (uint32_t i = 0; i < k->parameter.n; i++) {
        const struct cubin_parameter *p = &k->parameter.at[i];
        if (p->offset > im->param_bytes || p->bytes > im->param_bytes - p->offset)
            return refuse(b, "parameter %u lies beyond all %u bytes of them", i, im->param_bytes);
        uint32_t align = 1;
        while (align < 8 && p->bytes % (2 * align) == 0 && p->offset % (2 * align) == 0) align *= 2;
        im->params[im->n_params++] =
            (struct code_param){p->offset, p->bytes, align, type_of(p->bytes)};
    }
    return WW_OK;
}

// Whether warps take more while they run: a word USETMAXREG.TRY_ALLOC.
static bool takes_registers(const struct build *b) {
    enum { USETMAXREG = 0x1c8, TRY_ALLOC = 6 };
    for (uint32_t i = 0; i < b->c->kernel.n; i++) {
        const struct cubin_kernel *const k = &b->c->kernel.at[i];
        for (uint32_t w = 0; b->reached[i] && w < k->words; w++) {
            const struct sass_word word = cubin_word(k, w);
            if ((word.lo & 511) == USETMAXREG && (word.hi >> 8 & 7) == TRY_ALLOC) return true;
        }
    }
    return false;
}

// Registers: the file counts those that hold the program counter, too (register_file.h).
static void registers(struct build *b) {
    struct code_image *im = b->im;
    uint32_t granted = 0;
    for (uint32_t i = 0; i < b->c->kernel.n; i++)
        if (b->reached[i] && b->c->kernel.at[i].registers > granted)
            granted = b->c->kernel.at[i].registers;
    const uint32_t kept = register_file_kept(b->t->gen);
    im->granted = granted;
    // warps that take more while they run name all that there are
    if (takes_registers(b)) granted = RZ + kept;
    im->n_regs = granted >= RZ ? (uint32_t)RZ : granted > kept ? granted - kept : 1;
    im->n_preds = PRED_TRUE;
}

// Local memory: frames of the kernel and what it calls, as the file says; where functions of other
// sections are called, or without a bound, the stack that a thread is given.
static void memory(struct build *b) {
    const struct cubin_kernel *k = b->k;
    struct code_image *im = b->im;
    im->needs_stack = b->calls || k->recurses || k->inner_bytes > k->local_bytes ||
                      lowered_bytes(k) > k->local_bytes || calls_by_register(k, CALL_ABS) ||
                      calls_by_register(k, CALL_REL);
    const uint64_t local = k->local_bytes + (im->needs_stack ? (uint64_t)b->t->stack_bytes : 0);
    im->local_bytes = (uint32_t)min64(bits_align_up(local, STACK_ALIGN), UINT32_MAX - 63);
    im->stack_frame_bytes = im->local_bytes;
    im->shared_bytes = b->shared;
    im->shared_dynamic = (uint32_t)bits_align_up(b->shared, SHARED_ALIGN);
    if (b->c->gen >= SASS_90) im->shared_system = (uint32_t)min64(b->shared, RESERVED_90);
    for (uint32_t i = 0; i < b->c->kernel.n; i++)
        if (b->reached[i])
            im->n_barriers =
                (uint32_t)max64(im->n_barriers, min64(b->c->kernel.at[i].barriers, 16));
}

const char *sass_made_by(struct arena *a, const struct cubin *c, const struct cubin_kernel *k) {
    const char *tool = c->tool ? c->tool : "ptxas";
    if (!k->toolkit) return arena_printf(a, "%s for sm_%u", tool, c->arch);
    return arena_printf(a, "%s of CUDA %u.%u for sm_%u", tool, k->toolkit / 10, k->toolkit % 10,
                        c->arch);
}

static bool build(struct build *b) {
    struct code_image *im = b->im;
    im->source.name = b->c->name;
    im->source.target = b->c->arch;
    im->source.made_by = sass_made_by(&im->arena, b->c, b->k);
    find_reached(b);
    find_places(b);
    registers(b);
    memory(b);
    if (parameters(b) != WW_OK || all_constants(b) != WW_OK) return false;
    if (b->outline && b->calls) return true;
    if (lay_out(b) != WW_OK) return false;
    name_functions(b);
    if (lines_of_all(b) != WW_OK) return false;
    image_note_uses(im);
    if (b->t->marks_last_reads) image_last_reads(im, &b->work);
    return image_check(im, b->d) == WW_OK;
}

static enum ww_status build_as(const struct sass_places *p, uint32_t k, bool outline,
                               const struct sass_target *t, const struct ww_allocator *allocator,
                               struct diags *d, struct code_image **out) {
    *out = NULL;
    struct build b = {.p = p,
                      .c = p->file,
                      .k = &p->file->kernel.at[k],
                      .number = k,
                      .outline = outline,
                      .t = t,
                      .d = d};
    struct arena home;
    arena_init(&home, allocator);
    arena_init(&b.work, allocator);
    b.im = arena_alloc(&home, sizeof *b.im);
    if (!b.im) return diag_add(d, WW_ERROR_MEMORY, "out of memory for '%s'", b.k->name);
    *b.im = (struct code_image){.arena = home,
                                .name = b.k->name,
                                .is_machine_code = true,
                                .target = {t->gen, t->latencies}};
    jmp_buf oom;
    b.work.oom = b.im->arena.oom = &oom;
    const uint32_t errors = d->errors;
    volatile bool fine = false;
    if (setjmp(oom) == 0)
        fine = build(&b);
    else
        diag_add(d, WW_ERROR_MEMORY, "out of memory while reading '%s'", b.k->name);
    arena_free(&b.work);
    b.im->arena.oom = NULL;
    if (fine) {
        *out = b.im;
        return WW_OK;
    }
    code_free(b.im);
    return d->errors > errors ? diags_status(d) : WW_ERROR_INTERNAL;
}

enum ww_status sass_build(const struct sass_places *p, uint32_t k, const struct sass_target *t,
                          const struct ww_allocator *allocator, struct diags *d,
                          struct code_image **out) {
    return build_as(p, k, false, t, allocator, d, out);
}

enum ww_status sass_outline(const struct sass_places *p, uint32_t k, const struct sass_target *t,
                            const struct ww_allocator *allocator, struct diags *d,
                            struct code_image **out) {
    return build_as(p, k, true, t, allocator, d, out);
}
