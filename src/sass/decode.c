// Machine words taken apart. Each read of a field marks its bits as seen; what no row has seen at
// the end must be 0, so that no bit can be overlooked by a row that forgets it.
#include "sass/row.h"

struct decoder {
    struct sass_word w, seen;
    uint64_t pc;
    uint32_t gen;
    uint32_t form;
    const struct sass_row *row;
    struct sass_inst *out;
    bool bad; // a field has a value without a meaning
};

uint32_t sass_gen(uint32_t arch) {
    static const struct {
        uint32_t arch, gen;
    } row[] = {{70, SASS_70}, {72, SASS_72}, {75, SASS_75}, {80, SASS_80},
               {86, SASS_86}, {87, SASS_86}, {89, SASS_89}, {90, SASS_90}};
    for (uint32_t i = 0; i < WW_COUNT(row); i++)
        if (row[i].arch == arch) return row[i].gen;
    return 0;
}

static uint64_t ones(uint32_t n) { return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1; }

static uint64_t peek(struct sass_word w, uint32_t lo, uint32_t n) {
    uint64_t v = lo >= 64 ? w.hi >> (lo - 64) : w.lo >> lo;
    if (lo < 64 && lo + n > 64) v |= w.hi << (64 - lo);
    return v & ones(n);
}

// The value of a field, whose bits are seen from now on.
static uint64_t take(struct decoder *d, uint32_t lo, uint32_t n) {
    if (!n) return 0;
    if (lo < 64) d->seen.lo |= ones(n) << lo;
    if (lo + n > 64) d->seen.hi |= lo >= 64 ? ones(n) << (lo - 64) : ones(lo + n - 64);
    return peek(d->w, lo, n);
}

static bool bit(struct decoder *d, uint32_t at) { return at && take(d, at, 1); }

static int64_t extend(uint64_t v, uint32_t n) { return (int64_t)(v << (64 - n)) >> (64 - n); }

struct sass_control sass_control(struct sass_word w) {
    return (struct sass_control){.stall = (uint8_t)peek(w, 105, 4),
                                 .yield = !peek(w, 109, 1),
                                 .write = (uint8_t)peek(w, 110, 3),
                                 .read = (uint8_t)peek(w, 113, 3),
                                 .wait = (uint8_t)peek(w, 116, 6),
                                 .reuse = (uint8_t)peek(w, 122, 4)};
}

static void modifier(struct decoder *d, const char *text) {
    if (!text) d->bad = true;
    if (!text || !*text) return;
    if (d->out->n_modifiers < SASS_MAX_MODIFIERS)
        d->out->modifier[d->out->n_modifiers++] = text;
    else
        d->bad = true;
}

static struct sass_operand *operand(struct decoder *d, enum sass_operand_kind kind) {
    if (d->out->n_operands == SASS_MAX_OPERANDS) {
        d->bad = true;
        return &d->out->operand[SASS_MAX_OPERANDS - 1];
    }
    struct sass_operand *o = &d->out->operand[d->out->n_operands++];
    *o = (struct sass_operand){.kind = kind};
    return o;
}

// Instructions of the units behind a queue have no use for the reuse cache: opcodes from 0x100,
// ULDC.
static bool queued(uint32_t op) { return op >= 0x100 || op == 0x0b9 || op == 0x0bb; }

static bool reused(struct decoder *d, uint32_t at, uint32_t n) {
    return at && !queued(d->row->op) && take(d, at, n);
}

static void suffix(struct decoder *d, struct sass_operand *o, const char *const *text, uint64_t v) {
    if (!text) return;
    o->suffix = text[v];
    if (!o->suffix) d->bad = true;
}

// A source in the place at bit 32 or 64, register of either file.
static void source(struct decoder *d, const struct sass_item *it, bool at64, bool uniform,
                   uint32_t reuse, uint32_t reuse_n) {
    struct sass_operand *o = operand(d, uniform ? SASS_UREG : SASS_REG);
    o->at = at64 ? 64 : 32;
    o->reg = (uint8_t)take(d, o->at, uniform ? 6 : 8);
    o->neg = bit(d, at64 ? it->neg64 : it->neg);
    o->abs = bit(d, at64 ? it->abs64 : it->abs);
    o->complement = it->complement;
    o->reuse = !uniform && reused(d, reuse, reuse_n);
    if (at64 && it->n64)
        suffix(d, o, it->suffix, take(d, it->lo64, it->n64));
    else
        suffix(d, o, it->suffix, take(d, it->lo2, it->n2));
}

static void immediate(struct decoder *d, const struct sass_item *it) {
    struct sass_operand *o = operand(d, (enum sass_operand_kind)it->type);
    const uint64_t v = take(d, 32, 32);
    if (it->option == OPT_ABSENT && v == it->low) {
        d->out->n_operands--;
        return;
    }
    o->value = it->type == SASS_SIGNED ? extend(v, 32) : (int64_t)v;
}

static void constant(struct decoder *d, const struct sass_item *it) {
    struct sass_operand *o = operand(d, SASS_CONST);
    o->value = extend(take(d, 38, 16), 16);
    if (o->value & 3) d->bad = true; // arithmetic reads whole words
    if (d->gen >= SASS_75 && bit(d, 91)) {
        o->has_ureg = true;
        o->ureg = (uint8_t)take(d, 32, 6);
    } else
        o->bank = (uint8_t)take(d, 54, 5);
    o->neg = bit(d, it->neg);
    o->abs = bit(d, it->abs);
    o->complement = it->complement;
    o->spaced = it->suffix != NULL;
    suffix(d, o, it->suffix, take(d, it->lo2, it->n2));
}

// A uniform register in the place at bit 32, which forms 6 and 7 mark with bit 91.
static void uniform_source(struct decoder *d, const struct sass_item *it) {
    if (!bit(d, 91)) d->bad = true;
    source(d, it, false, true, 0, 0);
}

static void second_of_three(struct decoder *d, const struct sass_item *it) {
    const bool u = d->row->uniform;
    if (u && !bit(d, 91)) d->bad = true; // as in every word that reads a uniform source
    switch (d->form) {
    case 1: source(d, it, false, u, 123, 1); break;
    case 2:
    case 3:
    case 7: source(d, it, true, u, 123, 2); break;
    case 4: immediate(d, it); break;
    case 5: constant(d, it); break;
    default: uniform_source(d, it);
    }
}

static void third(struct decoder *d, const struct sass_item *it) {
    const bool u = d->row->uniform;
    switch (d->form) {
    case 1: source(d, it, true, u, 124, 1); break;
    case 2: immediate(d, it); break;
    case 3: constant(d, it); break;
    case 7: uniform_source(d, it); break;
    default: source(d, it, true, u, 123, 2);
    }
}

static void second_of_two(struct decoder *d, const struct sass_item *it) {
    switch (d->form) {
    case 1: source(d, it, false, false, 123, 2); break;
    case 2:
    case 4: immediate(d, it); break;
    case 3:
    case 5: constant(d, it); break;
    default: uniform_source(d, it);
    }
}

static void predicate(struct decoder *d, const struct sass_item *it) {
    if (it->only_bit && !peek(d->w, it->only_bit, 1)) return;
    const uint64_t v = take(d, it->lo, it->n);
    if (it->kind == ITEM_PRED_BACK ? v == 0 : it->option == OPT_PT && v == 7) return;
    struct sass_operand *o = operand(d, it->uniform ? SASS_UPRED : SASS_PRED);
    o->at = it->lo;
    o->reg = (uint8_t)(it->kind == ITEM_PRED_BACK ? 7 - (v & 7) : v & 7);
    o->neg = v >> 3 & 1;
}

// The register part of an address.
static void base_register(struct decoder *d, struct sass_operand *o, uint32_t lo) {
    o->has_reg = true;
    o->at = (uint8_t)lo;
    o->reg = (uint8_t)take(d, lo, 8);
}

// A uniform register that is only there when bit 91 says so; its field is empty otherwise.
static bool base_uniform(struct decoder *d, struct sass_operand *o, uint32_t lo) {
    const uint64_t v = lo ? take(d, lo, 6) : 0;
    if (bit(d, 91)) {
        o->has_ureg = true;
        o->ureg = (uint8_t)v;
        return true;
    }
    if (v != 0 && v != 63) d->bad = true;
    return false;
}

// The register part of an address has 64 bits, or is a 32-bit distance from the uniform one.
static void base_width(struct decoder *d, struct sass_operand *o, uint32_t wide_bit) {
    o->wide = bit(d, wide_bit);
    o->unsigned_reg = !o->wide;
}

static void global_address(struct decoder *d, const struct sass_item *it, struct sass_operand *o) {
    base_register(d, o, 24);
    if (base_uniform(d, o, it->lo2)) base_width(d, o, it->wide_at);
    if (it->option == OPT_255 && o->ureg == 63 && o->wide) o->has_ureg = false;
    if (d->gen < SASS_80 || !bit(d, it->hide)) return;
    o->descriptor = o->has_ureg;
    o->shown = d->gen < SASS_90 && bit(d, it->show);
}

// Where a copy into shared memory reads: in form 6 the uniform register belongs to the destination,
// and the descriptor lies in the next one.
static void copy_source(struct decoder *d, const struct sass_item *it, struct sass_operand *o) {
    base_register(d, o, 24);
    base_width(d, o, 70);
    if (!bit(d, 91)) d->bad = true;
    const uint32_t u = (uint32_t)take(d, 64, 6);
    o->descriptor = bit(d, it->hide);
    o->shown = d->gen < SASS_90 && bit(d, 101);
    o->has_ureg = o->descriptor || (d->form == 7 && u != 63);
    o->ureg = (uint8_t)(d->form == 6 && u != 63 ? u + 1 : u);
}

static void memory(struct decoder *d, const struct sass_item *it) {
    struct sass_operand *o = operand(d, SASS_MEMORY);
    o->value = it->n ? extend(take(d, it->lo, it->n), it->n) : 0;
    // Without a register the offset is an address, which has no sign.
    const bool absolute =
        d->row->op >= 0x180 && it->mode < MODE_COPY_TO && peek(d->w, 24, 8) == 255;
    if (absolute && !(it->lo2 && peek(d->w, 91, 1))) o->value &= (int64_t)ones(it->n);
    switch (it->mode) {
    case MODE_PLAIN: base_register(d, o, 24); break;
    case MODE_SHARED:
    case MODE_UNSCALED:
        base_register(d, o, 24);
        if (it->mode == MODE_SHARED && d->row->op >= 0x180) o->scale = (uint8_t)take(d, 78, 2);
        if (o->scale) o->scale++; // .X4, .X8, .X16
        if (it->lo2 && (d->form >= 4 || it->lo2 == 64)) base_uniform(d, o, it->lo2);
        break;
    case MODE_GLOBAL: global_address(d, it, o); break;
    case MODE_COPY_TO:
        base_register(d, o, 16);
        if (d->form == 6) {
            o->has_ureg = true;
            o->ureg = (uint8_t)take(d, 64, 6);
        }
        break;
    case MODE_COPY_FROM: copy_source(d, it, o); break;
    default: // MODE_UNIFORM
        o->reg = 255;
        o->has_ureg = true;
        o->ureg = (uint8_t)take(d, it->lo2, 6);
    }
}

static int64_t distance(struct decoder *d) {
    const int64_t far = extend(take(d, 34, 48), 48);
    if (d->gen < SASS_90) return (int64_t)((uint64_t)far << 2);
    return (int64_t)(((uint64_t)far << 8 | take(d, 16, 8)) << 2);
}

static int64_t target(struct decoder *d) { return (int64_t)(d->pc + 16 + (uint64_t)distance(d)); }

static void register_and(struct decoder *d, const struct sass_item *it) {
    struct sass_operand *o = operand(d, it->uniform ? SASS_UREG : SASS_REG);
    o->at = it->lo;
    o->reg = (uint8_t)take(d, it->lo, it->n);
    o = operand(d, it->kind == ITEM_REG_DISTANCE ? SASS_SIGNED : SASS_TARGET);
    o->name = " "; // printed behind the register without a comma
    if (it->kind == ITEM_REG_TARGET) o->value = target(d);
    if (it->kind == ITEM_REG_DISTANCE) o->value = distance(d);
    if (it->kind == ITEM_REG_NUMBER)
        o->value = (int64_t)((uint64_t)extend(take(d, 34, 48), 48) << 2);
    if (it->kind == ITEM_REG_DISTANCE && !o->value) d->out->n_operands--;
}

// ---- items, a reader each
// -------------------------------------------------------------------------
static void barrier(struct decoder *d, const struct sass_item *it) {
    struct sass_operand *o = operand(d, SASS_BARRIER);
    o->reg = (uint8_t)take(d, it->lo, it->n);
    // Behind B0 to B15 stands other state of a thread, which no compiled code was seen to name.
    if (o->reg > 15) d->bad = true;
}

static void hidden(struct decoder *d, const struct sass_item *it) { take(d, it->lo, it->n); }

static void fixed(struct decoder *d, const struct sass_item *it) {
    const uint64_t v = take(d, it->lo, it->n);
    if (v != it->low && !(it->kind == ITEM_FIX_OR_0 && v == 0)) d->bad = true;
}

static void flag(struct decoder *d, const struct sass_item *it) {
    const bool set = take(d, it->lo, 1);
    modifier(d, set == (it->kind == ITEM_FLAG) ? it->name[0] : "");
}

static void enumerated(struct decoder *d, const struct sass_item *it) {
    uint64_t v = take(d, it->lo, it->n);
    v |= take(d, it->lo2, it->n2) << it->n;
    modifier(d, it->name[v]);
}

static void name_modifier(struct decoder *d, const struct sass_item *it) {
    modifier(d, it->name[0]);
}

static void reg(struct decoder *d, const struct sass_item *it) {
    const uint64_t v = take(d, it->lo, it->n);
    if (it->option == OPT_255 && v == 255) return;
    struct sass_operand *o = operand(d, it->kind == ITEM_UREG ? SASS_UREG : SASS_REG);
    o->at = it->lo;
    o->reg = (uint8_t)v;
    o->neg = bit(d, it->neg);
    o->abs = bit(d, it->abs);
    o->complement = it->complement;
    o->reuse = reused(d, it->reuse, it->reuse == REUSE_EITHER ? 2 : 1);
    if (it->name) o->name = it->name[0];
    suffix(d, o, it->suffix, take(d, it->lo2, it->n2) | take(d, it->lo64, it->n64) << it->n2);
}

static void number(struct decoder *d, const struct sass_item *it) {
    uint64_t v = take(d, it->lo, it->n);
    if (it->n2) v = (v | take(d, it->lo2, it->n2) << it->n) << 2;
    if (it->option == OPT_ABSENT && v == it->low) return;
    operand(d, SASS_UNSIGNED)->value = (int64_t)v;
}

static void constant_memory(struct decoder *d, const struct sass_item *it) {
    struct sass_operand *o = operand(d, SASS_CONST);
    o->value = extend(take(d, 38, 16), 16);
    o->bank = (uint8_t)take(d, 54, 5);
    const bool uniform = it->kind == ITEM_UCONST;
    if ((uniform || !it->n) && bit(d, 91) != uniform) d->bad = true;
    if (!it->n) return;
    o->has_reg = true;
    o->unsigned_reg = uniform; // of the uniform file
    o->at = it->lo;
    o->reg = (uint8_t)take(d, it->lo, it->n);
}

static void branch_target(struct decoder *d, const struct sass_item *it) {
    (void)it;
    operand(d, SASS_TARGET)->value = target(d);
}

static void near_target(struct decoder *d, const struct sass_item *it) {
    const uint64_t v = take(d, it->lo, it->n);
    if (v & 3) d->bad = true;
    operand(d, SASS_TARGET)->value = (int64_t)(d->pc + 16 + (uint64_t)extend(v, it->n));
}

static void special(struct decoder *d, const struct sass_item *it) {
    struct sass_operand *o = operand(d, SASS_SPECIAL);
    o->value = (int64_t)take(d, it->lo, it->n);
    o->name = sass_special_name((uint32_t)o->value, d->gen);
    if (!o->name) d->bad = true;
}

static void scoreboard(struct decoder *d, const struct sass_item *it) {
    const uint64_t v = take(d, it->lo, it->n);
    if (v > 5) d->bad = true; // there are six
    operand(d, SASS_SCOREBOARD)->value = (int64_t)v;
}

static void scoreboards(struct decoder *d, const struct sass_item *it) {
    const uint64_t v = take(d, it->lo, it->n);
    if (v) operand(d, SASS_SCOREBOARDS)->value = (int64_t)v;
}

static void split_table(struct decoder *d, const struct sass_item *it) {
    (void)it;
    const uint64_t high = take(d, 72, 5) << 3;
    operand(d, SASS_UNSIGNED)->value = (int64_t)(high | take(d, 64, 3));
}

static void name(struct decoder *d, const struct sass_item *it) {
    operand(d, SASS_NAME)->name = it->name[0];
}

static void word(struct decoder *d, const struct sass_item *it) {
    const char *text = it->name[take(d, it->lo, it->n)];
    if (!text) d->bad = true;
    if (!text || *text) operand(d, SASS_NAME)->name = text;
}

typedef void item_reader(struct decoder *d, const struct sass_item *it);
static item_reader *const reader[] = {
    [ITEM_SELECT] = hidden,
    [ITEM_FIX] = fixed,
    [ITEM_FIX_OR_0] = fixed,
    [ITEM_HIDDEN] = hidden,
    [ITEM_FLAG] = flag,
    [ITEM_FLAG_NOT] = flag,
    [ITEM_ENUM] = enumerated,
    [ITEM_REG] = reg,
    [ITEM_UREG] = reg,
    [ITEM_B] = second_of_three,
    [ITEM_C] = third,
    [ITEM_B2] = second_of_two,
    [ITEM_PRED] = predicate,
    [ITEM_PRED_NOT] = predicate,
    [ITEM_PRED_BACK] = predicate,
    [ITEM_NUMBER] = number,
    [ITEM_MEMORY] = memory,
    [ITEM_CONST] = constant_memory,
    [ITEM_UCONST] = constant_memory,
    [ITEM_TARGET] = branch_target,
    [ITEM_TARGET_BYTES] = near_target,
    [ITEM_BARRIER] = barrier,
    [ITEM_SPECIAL] = special,
    [ITEM_SCOREBOARD] = scoreboard,
    [ITEM_SCOREBOARDS] = scoreboards,
    [ITEM_LUT_SPLIT] = split_table,
    [ITEM_NAME] = name,
    [ITEM_NAME_MODIFIER] = name_modifier,
    [ITEM_WORD] = word,
    [ITEM_REG_TARGET] = register_and,
    [ITEM_REG_DISTANCE] = register_and,
    [ITEM_REG_NUMBER] = register_and,
};

static bool holds(const struct sass_row *r, struct sass_word w) {
    for (const struct sass_item *it = r->item; it->kind != ITEM_END; it++)
        if (it->kind == ITEM_SELECT && peek(w, it->lo, it->n) != it->low) return false;
    return true;
}

static const struct sass_row *find(struct sass_word w, uint32_t gen) {
    const uint32_t op = (uint32_t)peek(w, 0, 9), form = 1u << peek(w, 9, 3);
    uint32_t lo = 0, hi = sass_rows_n;
    while (lo < hi) { // the first row of this opcode
        const uint32_t mid = (lo + hi) / 2;
        if (sass_rows[mid].op < op)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < sass_rows_n && sass_rows[lo].op == op; lo++)
        if ((sass_rows[lo].gens & gen) && (sass_rows[lo].forms & form) && holds(&sass_rows[lo], w))
            return &sass_rows[lo];
    return NULL;
}

// The vendor's disassembler has four names for the low half of a product, by its operands: a copy,
// a sum, a shift and the product itself.
static void name_product(struct decoder *d) {
    struct sass_inst *in = d->out;
    const struct sass_operand *a = &in->operand[1], *b = &in->operand[2], *c = &in->operand[3];
    const bool x = peek(d->w, 74, 1), is_signed = peek(d->w, 73, 1), imm = d->form == 4;
    const uint32_t v = imm ? (uint32_t)b->value : 0;
    const bool a_zero = a->kind == SASS_REG && a->reg == 255,
               b_zero = b->kind == SASS_REG && b->reg == 255,
               c_zero = c->kind == SASS_REG && c->reg == 255;
    if (x) {
        if (!is_signed) modifier(d, "U32");
        modifier(d, "X");
        return;
    }
    if (d->form < 6 && !b->has_ureg && !c->has_ureg) {
        if (a_zero || b_zero || (imm && v == 0))
            in->name = "IMAD.MOV";
        else if (imm && v == 1)
            in->name = c_zero ? "IMAD.MOV" : "IMAD.IADD";
        else if (imm && c_zero && bits_is_pow2(v) && v != 0x10000 && v != 0x80000000)
            in->name = "IMAD.SHL";
    }
    if (!is_signed) modifier(d, "U32");
}

enum sass_found sass_decode(struct sass_word w, uint64_t pc, uint32_t gen, struct sass_inst *out,
                            struct sass_word *extra) {
    struct sass_word seen;
    return sass_decode_seen(w, pc, gen, out, extra, &seen);
}
enum sass_found sass_decode_seen(struct sass_word w, uint64_t pc, uint32_t gen,
                                 struct sass_inst *out, struct sass_word *extra,
                                 struct sass_word *seen) {
    *seen = (struct sass_word){0};
    *out = (struct sass_inst){.control = sass_control(w), .guard = 7};
    if (extra) *extra = (struct sass_word){0};
    struct decoder d = {.w = w, .pc = pc, .gen = gen, .out = out, .form = (uint32_t)peek(w, 9, 3)};
    d.row = find(w, gen);
    if (!d.row) return SASS_NO_ROW;
    out->row = d.row;
    out->name = d.row->name;
    take(&d, 0, 12);
    // Control; reuse belongs to operands, but for the units behind a queue, which have no use for
    // it.
    take(&d, 105, queued(d.row->op) ? 20 : 17);
    out->guard = (uint8_t)take(&d, 12, 3);
    out->guard_not = take(&d, 15, 1);
    out->guard_uniform = d.row->uniform;
    for (const struct sass_item *it = d.row->item; it->kind != ITEM_END; it++)
        if (!it->gens || (it->gens & gen)) reader[it->kind](&d, it);
    if (d.row->quirk == QUIRK_IMAD) name_product(&d);
    const struct sass_word rest = {w.lo & ~d.seen.lo, w.hi & ~d.seen.hi};
    if (extra) *extra = rest;
    *seen = d.seen;
    if (rest.lo | rest.hi) return SASS_EXTRA_BITS;
    return d.bad ? SASS_BAD_VALUE : SASS_KNOWN;
}
