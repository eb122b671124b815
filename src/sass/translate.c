// Words as instructions: fields, operands, and the rule that every field must have been read.
#include "sass/translator.h"

#include <inttypes.h>

#include "sass/row.h"

static uint64_t ones(uint32_t n) { return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1; }
static void mark(struct sass_word *w, uint32_t lo, uint32_t n) {
    if (lo < 64) w->lo |= ones(n) << lo;
    if (lo + n > 64) w->hi |= lo >= 64 ? ones(n) << (lo - 64) : ones(lo + n - 64);
}

uint32_t tr_field(struct translator *t, uint32_t lo, uint32_t n) {
    mark(&t->read, lo, n);
    uint64_t v = lo >= 64 ? t->w.hi >> (lo - 64) : t->w.lo >> lo;
    if (lo < 64 && lo + n > 64) v |= t->w.hi << (64 - lo);
    return (uint32_t)(v & ones(n));
}
void tr_ignore(struct translator *t, uint32_t lo, uint32_t n) { mark(&t->read, lo, n); }
void tr_refuse(struct translator *t, const char *why) {
    if (!t->refused) t->refused = why;
}
void tr_op(struct translator *t, enum mop op, enum op_class klass, enum isa_type type) {
    t->m->op = (uint16_t)op;
    t->m->klass = (uint8_t)klass;
    t->m->type = (uint8_t)type;
}

// ---- operands -------------------------------------------------------------------------------
enum { RZ = 255, URZ = 63 };

static struct opnd group(struct translator *t, uint32_t kind, uint32_t reg, uint32_t zero,
                         uint32_t words) {
    if (reg == zero) return (struct opnd){.kind = OPND_ZERO, .words = (uint8_t)words};
    if (reg % words || reg + words > zero) tr_refuse(t, "names registers out of line");
    return (struct opnd){.kind = (uint8_t)kind, .words = (uint8_t)words, .reg = reg};
}
struct opnd tr_reg(struct translator *t, uint32_t lo, uint32_t words) {
    return group(t, OPND_GPR, tr_field(t, lo, 8), RZ, words);
}
struct opnd tr_ureg(struct translator *t, uint32_t lo, uint32_t words) {
    return group(t, OPND_UGPR, tr_field(t, lo, 6), URZ, words);
}
struct opnd tr_pred(struct translator *t, uint32_t lo) {
    const uint32_t base = t->in->guard_uniform ? PRED_UNIFORM : 0;
    return (struct opnd){.kind = OPND_PRED, .reg = base + tr_field(t, lo, 3)};
}
struct opnd tr_pred_not(struct translator *t, uint32_t lo) {
    struct opnd o = tr_pred(t, lo);
    if (tr_bit(t, lo + 3)) o.mods = OPND_NOT;
    return o;
}
void tr_counts_sum(struct translator *t) {
    const uint32_t p = 7 - tr_field(t, 87, 3);
    const bool inverted = tr_bit(t, 90);
    if (p == 7 && !inverted) return;
    t->m->src[4] =
        (struct opnd){.kind = OPND_PRED, .reg = PRED_UNIFORM + p, .mods = inverted ? OPND_NOT : 0};
}
struct opnd tr_imm(uint64_t value, uint32_t words) {
    return (struct opnd){.kind = OPND_IMM, .words = (uint8_t)words, .imm = value};
}

static uint8_t mods(struct translator *t, uint32_t signs, uint32_t neg, uint32_t abs) {
    uint8_t m = 0;
    if (signs & (TR_NEG | TR_NOT) && tr_bit(t, neg)) m = signs & TR_NOT ? OPND_NOT : OPND_NEG;
    if (signs & TR_ABS && tr_bit(t, abs)) m |= OPND_ABS;
    return m;
}
static struct opnd file(struct translator *t, uint32_t lo, uint32_t words, bool is_uniform) {
    return is_uniform ? tr_ureg(t, lo, words) : tr_reg(t, lo, words);
}
static struct opnd place_32(struct translator *t, uint32_t words, uint32_t signs, bool is_uniform) {
    struct opnd o = file(t, 32, words, is_uniform);
    if (is_uniform) tr_ignore(t, 91, 1); // the mark of words with a uniform source
    o.mods = mods(t, signs, 63, 62);
    return o;
}
static struct opnd place_64(struct translator *t, uint32_t words, uint32_t signs, bool is_uniform) {
    struct opnd o = file(t, 64, words, is_uniform);
    o.mods = mods(t, signs, 75, 74);
    return o;
}
static struct opnd immediate(struct translator *t, uint32_t words, uint32_t signs) {
    const uint32_t v = tr_field(t, 32, 32);
    if (words == 1) return tr_imm(v, 1);
    if (signs & TR_HIGH) return tr_imm((uint64_t)v << 32, words);
    return tr_imm(signs & TR_SIGNED ? (uint64_t)(int64_t)(int32_t)v : v, words);
}
static struct opnd constant(struct translator *t, uint32_t words, uint32_t signs) {
    if (t->gen >= SASS_75 && tr_bit(t, 91)) tr_refuse(t, "reads a bank by a handle");
    struct opnd o = {.kind = OPND_CONST, .words = (uint8_t)words, .reg = tr_field(t, 38, 16)};
    o.bank = (uint8_t)tr_field(t, 54, 5);
    o.mods = mods(t, signs, 63, 62);
    return o;
}
void tr_dst(struct translator *t, uint32_t words) {
    t->m->dst[0] = t->in->guard_uniform ? tr_ureg(t, 16, words) : tr_reg(t, 16, words);
}
struct opnd tr_a(struct translator *t, uint32_t words, uint32_t signs) {
    struct opnd o = file(t, 24, words, t->in->guard_uniform);
    o.mods = mods(t, signs, 72, 73);
    return o;
}
struct opnd tr_b(struct translator *t, uint32_t words, uint32_t signs) {
    const bool u = t->in->guard_uniform;
    if (u) tr_ignore(t, 91, 1); // set in all of them
    switch (t->form) {
    case 1: return place_32(t, words, signs, u);
    case 2:
    case 3:
    case 7: return place_64(t, words, signs, u);
    case 4: return immediate(t, words, signs);
    case 5: return constant(t, words, signs);
    default: return place_32(t, words, signs, true);
    }
}
struct opnd tr_c(struct translator *t, uint32_t words, uint32_t signs) {
    switch (t->form) {
    case 2: return immediate(t, words, signs);
    case 3: return constant(t, words, signs);
    case 7: return place_32(t, words, signs, true);
    default: return place_64(t, words, signs, t->in->guard_uniform);
    }
}
static struct opnd b_of_two(struct translator *t, uint32_t words, uint32_t signs, bool is_late) {
    switch (t->form) {
    case 1: return is_late ? place_64(t, words, signs, false) : place_32(t, words, signs, false);
    case 2:
    case 4: return immediate(t, words, signs);
    case 3:
    case 5: return constant(t, words, signs);
    default: return place_32(t, words, signs, true);
    }
}
struct opnd tr_b2(struct translator *t, uint32_t words, uint32_t signs) {
    return b_of_two(t, words, signs, false);
}
struct opnd tr_b2_late(struct translator *t, uint32_t words, uint32_t signs) {
    return b_of_two(t, words, signs, true);
}

// ---- a word -----------------------------------------------------------------------------------
static translate_fn *const by_opcode[512] = {
#define TRANSLATE(op, name) [op] = translate_##name,
#define TRANSLATE_90(op, name)
#include "sass/translate.def"
#undef TRANSLATE_90
#undef TRANSLATE
};
static translate_fn *const by_opcode_90[512] = {
#define TRANSLATE(op, name)
#define TRANSLATE_90(op, name) [op] = translate_##name,
#include "sass/translate.def"
#undef TRANSLATE_90
#undef TRANSLATE
};
static translate_fn *translator_of(struct sass_word w, uint32_t gen) {
    translate_fn *const fn = gen >= SASS_90 ? by_opcode_90[w.lo & 511] : NULL;
    return fn ? fn : by_opcode[w.lo & 511];
}

bool sass_is_executed(uint32_t op, uint32_t gen) {
    return translator_of((struct sass_word){op, 0}, gen) != NULL;
}

static bool refuse(struct sass_refusal *why, const struct sass_inst *in, const char *what,
                   struct sass_word bits) {
    snprintf(why->text, sizeof why->text, "%s%s%s (0x%016" PRIx64 " 0x%016" PRIx64 ")",
             in->name ? in->name : "", in->name ? " " : "", what, bits.lo, bits.hi);
    return false;
}

// What a row's fields say, but for those that have one value and the bits that every word has.
static struct sass_word said(const struct sass_inst *in, struct sass_word seen, uint32_t gen) {
    struct sass_word fixed = {0};
    mark(&fixed, 0, 16);
    mark(&fixed, 105, 23);
    for (const struct sass_item *it = in->row->item; it->kind != ITEM_END; it++)
        if ((it->kind == ITEM_FIX || it->kind == ITEM_FIX_OR_0 || it->kind == ITEM_SELECT) &&
            (!it->gens || it->gens & gen))
            mark(&fixed, it->lo, it->n);
    return (struct sass_word){seen.lo & ~fixed.lo, seen.hi & ~fixed.hi};
}

bool sass_names_uniform(const struct minst *m) {
    bool any = false;
    for (uint32_t i = 0; i < MINST_DSTS; i++) any |= m->dst[i].kind == OPND_UGPR;
    for (uint32_t i = 0; i < MINST_SRCS; i++) any |= m->src[i].kind == OPND_UGPR;
    return any;
}

// Arithmetic of the uniform datapath is translated as the lanes' is.
static bool is_uniform_arithmetic(struct sass_word w, const struct minst *m) {
    enum { FIRST = 0x080, LAST = 0x0bf };
    const uint32_t op = (uint32_t)w.lo & 511;
    return op >= FIRST && op <= LAST && m->klass != OPC_UNIFORM_MOVE && m->klass != OPC_LD_CONST;
}

static struct code_control control_of(const struct sass_control *c) {
    return (struct code_control){.stall = c->stall,
                                 .write = c->write,
                                 .read = c->read,
                                 .wait = c->wait,
                                 .reuse = c->reuse,
                                 .yield = c->yield};
}

bool sass_translate(struct sass_word w, uint64_t pc, uint32_t first, uint32_t gen,
                    struct minst *out, struct code_control *control, struct sass_refusal *why) {
    struct sass_inst in;
    struct sass_word extra, seen;
    switch (sass_decode_seen(w, pc, gen, &in, &extra, &seen)) {
    case SASS_KNOWN: break;
    case SASS_NO_ROW: return refuse(why, &in, "is an opcode that is not known", w);
    case SASS_BAD_VALUE: return refuse(why, &in, "has a field without a meaning", w);
    default: return refuse(why, &in, "has bits without a meaning", extra);
    }
    *control = control_of(&in.control);
    *out = (struct minst){.guard = in.guard + (in.guard_uniform ? PRED_UNIFORM : 0u),
                          .guard_not = in.guard_not,
                          .target = -1,
                          .reconv = -1};
    struct translator t = {.w = w,
                           .pc = pc,
                           .first = first,
                           .gen = gen,
                           .form = (uint32_t)(w.lo >> 9 & 7),
                           .in = &in,
                           .m = out};
    translate_fn *const fn = translator_of(w, gen);
    if (!fn) return refuse(why, &in, "is not executed", w);
    fn(&t);
    if (is_uniform_arithmetic(w, out)) out->klass = OPC_UNIFORM;
    if (t.refused) return refuse(why, &in, t.refused, w);
    const struct sass_word all = said(&in, seen, gen);
    const struct sass_word left = {all.lo & ~t.read.lo, all.hi & ~t.read.hi};
    if (left.lo | left.hi) return refuse(why, &in, "has a field that is not executed", left);
    return true;
}
