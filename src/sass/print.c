// Instructions as text, in the notation of the vendor's disassembler.
#include "sass/row.h"

#include <inttypes.h>
#include <math.h>

struct out {
    char *text;
    size_t size, n;
};

static void put(struct out *o, const char *fmt, ...) WW_PRINTF(2, 3);
static void put(struct out *o, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(o->text + o->n, o->size - o->n, fmt, args);
    va_end(args);
    if (n > 0) o->n = min64(o->n + (size_t)n, o->size - 1);
}

static void put_signed(struct out *o, int64_t v) {
    if (v < 0)
        put(o, "-0x%" PRIx64, -(uint64_t)v);
    else
        put(o, "0x%" PRIx64, (uint64_t)v);
}

static void put_reg(struct out *o, uint32_t r) {
    if (r == 255)
        put(o, "RZ");
    else
        put(o, "R%u", r);
}

static void put_ureg(struct out *o, uint32_t r) {
    if (r == 63)
        put(o, "URZ");
    else
        put(o, "UR%u", r);
}

static void put_pred(struct out *o, uint32_t p, bool not, bool uniform) {
    put(o, "%s%s", not ? "!" : "", uniform ? "U" : "");
    if (p == 7)
        put(o, "PT");
    else
        put(o, "P%u", p);
}

// A float whose sign, quiet bit and value were taken out of its format.
static void put_float(struct out *o, double v, bool sign, bool quiet, bool half) {
    if (isinf(v))
        put(o, v > 0 ? "+INF " : "-INF ");
    else if (isnan(v))
        put(o, "%c%s ", sign ? '-' : '+', quiet ? "QNAN" : "SNAN");
    else if (fabs(v) >= 1e9)
        put(o, "%.20e", v);
    else if (half && v == 0 && sign)
        put(o, "-0.0");
    else
        put(o, "%.20g", v);
}

static void put_f32(struct out *o, uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    put_float(o, (double)v, bits >> 31, true, false); // read as a double, a NaN is quiet
}

static void put_f64(struct out *o, uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    put_float(o, v, bits >> 63, bits >> 51 & 1, false);
}

static void put_f16(struct out *o, uint32_t bits) {
    const uint32_t e = bits >> 10 & 31, m = bits & 0x3ff;
    double v = e == 31 ? (m ? (double)NAN : (double)INFINITY)
               : e     ? ldexp((double)(m | 0x400), (int)e - 25)
                       : ldexp((double)m, -24);
    if (bits >> 15) v = -v;
    put_float(o, v, bits >> 15, bits >> 9 & 1, true);
}

static void put_bf16(struct out *o, uint32_t bits) {
    const uint32_t wide = bits << 16;
    float v;
    memcpy(&v, &wide, sizeof v);
    put_float(o, (double)v, bits >> 15, bits >> 6 & 1, true);
}

static void put_address(struct out *o, const struct sass_operand *p, uint32_t gen) {
    const bool shown = p->has_ureg && !(p->descriptor), rz = p->reg == 255;
    if (p->descriptor && (gen >= SASS_90 || p->shown)) {
        put(o, "desc[");
        put_ureg(o, p->ureg);
        put(o, "]");
    }
    put(o, "[");
    const char *plus = "";
    const bool alone = p->descriptor || !p->has_ureg || gen >= SASS_90;
    if (!rz || p->scale || (alone && (p->wide || p->unsigned_reg))) {
        put_reg(o, p->reg);
        if (p->scale) put(o, ".X%u", 1u << p->scale);
        if (p->wide) put(o, ".64");
        if (p->unsigned_reg) put(o, ".U32");
        plus = "+";
    }
    if (shown) {
        put(o, "%s", plus);
        put_ureg(o, p->ureg);
        plus = "+";
    }
    if (p->value) {
        put(o, "%s", plus);
        put_signed(o, p->value);
    } else if (!*plus)
        put(o, "RZ");
    put(o, "]");
}

static void put_const(struct out *o, const struct sass_operand *p) {
    if (p->has_ureg) {
        put(o, "cx[");
        put_ureg(o, p->ureg);
        put(o, p->spaced ? "] [" : "][");
    } else
        put(o, p->spaced ? "c[0x%x] [" : "c[0x%x][", p->bank);
    if (p->has_reg && (p->unsigned_reg || p->reg != 255 || !p->value)) {
        if (p->unsigned_reg)
            put_ureg(o, p->reg);
        else
            put_reg(o, p->reg);
        if (p->value) {
            put(o, "+");
            put_signed(o, p->value);
        }
    } else
        put_signed(o, p->value);
    put(o, "]");
}

static void put_operand(struct out *o, const struct sass_operand *p, uint32_t gen) {
    const bool pred = p->kind == SASS_PRED || p->kind == SASS_UPRED;
    if (p->neg && !pred) put(o, p->complement ? "~" : "-");
    if (p->abs) put(o, "|");
    switch (p->kind) {
    case SASS_REG: put_reg(o, p->reg); break;
    case SASS_UREG:
        if (p->name) put(o, "%s[", p->name);
        put_ureg(o, p->reg);
        if (p->name) put(o, "]");
        break;
    case SASS_PRED:
    case SASS_UPRED: put_pred(o, p->reg, p->neg, p->kind == SASS_UPRED); break;
    case SASS_UNSIGNED: put(o, "0x%" PRIx64, (uint64_t)p->value); break;
    case SASS_SIGNED:
    case SASS_TARGET: put_signed(o, p->value); break;
    case SASS_F32: put_f32(o, (uint32_t)p->value); break;
    case SASS_F64: put_f64(o, (uint64_t)p->value << 32); break;
    case SASS_F16X2:
        put_f16(o, (uint32_t)p->value >> 16);
        put(o, ", ");
        put_f16(o, (uint32_t)p->value & 0xffff);
        break;
    case SASS_BF16X2:
        put_bf16(o, (uint32_t)p->value >> 16);
        put(o, ", ");
        put_bf16(o, (uint32_t)p->value & 0xffff);
        break;
    case SASS_CONST: put_const(o, p); break;
    case SASS_MEMORY: put_address(o, p, gen); break;
    case SASS_BARRIER: put(o, "B%u", p->reg); break;
    case SASS_SPECIAL: put(o, "%s", p->name ? p->name : "?"); break;
    case SASS_SCOREBOARD: put(o, "SB%" PRId64, p->value); break;
    case SASS_SCOREBOARDS: {
        const char *comma = "{";
        for (uint32_t i = 6; i-- > 0;)
            if (p->value >> i & 1) {
                put(o, "%s%u", comma, i);
                comma = ",";
            }
        put(o, "}");
        break;
    }
    case SASS_NAME: put(o, "%s", p->name ? p->name : "?"); break;
    }
    // The part that is meant stands within the bars, but behind those of a register.
    const char *const part = p->suffix ? p->suffix : "";
    if (p->kind != SASS_REG) put(o, "%s", part);
    if (p->abs) put(o, "|");
    if (p->reuse) put(o, ".reuse");
    if (p->kind == SASS_REG) put(o, "%s", part);
}

void sass_print(const struct sass_inst *in, uint32_t gen, char text[SASS_TEXT_SIZE]) {
    struct out o = {text, SASS_TEXT_SIZE, 0};
    *text = 0;
    if (in->guard != 7 || in->guard_not) {
        put(&o, "@");
        put_pred(&o, in->guard, in->guard_not, in->guard_uniform);
        put(&o, " ");
    }
    put(&o, "%s", in->name);
    for (uint32_t i = 0; i < in->n_modifiers; i++) put(&o, ".%s", in->modifier[i]);
    for (uint32_t i = 0; i < in->n_operands; i++) {
        const struct sass_operand *p = &in->operand[i];
        const bool joined = p->name && *p->name == ' ';
        put(&o, "%s", i == 0 || joined ? " " : ", ");
        put_operand(&o, p, gen);
    }
}

enum sass_found sass_text(struct sass_word w, uint64_t pc, uint32_t gen,
                          char text[SASS_TEXT_SIZE]) {
    struct sass_inst in;
    struct sass_word extra;
    const enum sass_found found = sass_decode(w, pc, gen, &in, &extra);
    if (found == SASS_KNOWN) {
        sass_print(&in, gen, text);
        return found;
    }
    struct out o = {text, SASS_TEXT_SIZE, 0};
    put(&o, "unknown 0x%016" PRIx64 "%016" PRIx64, w.hi, w.lo);
    if (found == SASS_NO_ROW)
        put(&o, " (opcode 0x%03x in form %u)", (uint32_t)(w.lo & 0x1ff), (uint32_t)(w.lo >> 9 & 7));
    else if (found == SASS_BAD_VALUE)
        put(&o, " (%s with a field whose value has no meaning)", in.name);
    else
        put(&o, " (%s with bits that have no meaning: 0x%016" PRIx64 "%016" PRIx64 ")", in.name,
            extra.hi, extra.lo);
    return found;
}

void sass_print_control(const struct sass_control *c, char text[SASS_CONTROL_SIZE]) {
    struct out o = {text, SASS_CONTROL_SIZE, 0};
    put(&o, "B");
    for (uint32_t i = 0; i < 6; i++) put(&o, "%c", c->wait >> i & 1 ? (char)('0' + i) : '-');
    if (c->read == 7)
        put(&o, " R-");
    else
        put(&o, " R%u", c->read);
    if (c->write == 7)
        put(&o, " W-");
    else
        put(&o, " W%u", c->write);
    put(&o, " %c S%02u", c->yield ? 'Y' : '-', c->stall);
}
