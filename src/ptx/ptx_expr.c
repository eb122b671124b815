// Constant expressions: C's operators on 64-bit integers, the simple ones on floating-point
// literals, casts to .s64 and .u64, and WARP_SZ. The result of an integer expression is unsigned
// when an operand is, as in C. Nesting is limited, since the text is the user's.
#include "ptx/ptx_parser.h"

static bool ternary(struct ptx_parser *p, struct ptx_value *v, unsigned depth);

double ptx_value_double(const struct ptx_value *v) {
    if (!v->is_float) return v->is_unsigned ? (double)v->bits : (double)(int64_t)v->bits;
    if (v->is_f32) {
        const uint32_t bits = (uint32_t)v->bits;
        float f;
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    double d;
    memcpy(&d, &v->bits, sizeof d);
    return d;
}

static struct ptx_value of_double(double d) {
    struct ptx_value v = {.is_float = true};
    memcpy(&v.bits, &d, sizeof d);
    return v;
}

static struct ptx_value of_bool(bool b) { return (struct ptx_value){.bits = b}; }

static bool truth(const struct ptx_value *v) {
    return v->is_float ? ptx_value_double(v) != 0 : v->bits != 0;
}

bool ptx_starts_expr(const struct ptx_parser *p) {
    if (p->tok.kind == PTX_TOK_INT || p->tok.kind == PTX_TOK_FLOAT) return true;
    if (p->tok.kind == PTX_TOK_IDENT) return ptx_tok_is(&p->tok, "WARP_SZ");
    return ptx_at(p, '(') || ptx_at(p, '-') || ptx_at(p, '+') || ptx_at(p, '~') || ptx_at(p, '!');
}

static bool cast(struct ptx_parser *p, struct ptx_value *v, unsigned depth);

static bool primary(struct ptx_parser *p, struct ptx_value *v, unsigned depth) {
    const struct ptx_token t = p->tok;
    if (t.kind == PTX_TOK_INT) {
        *v = (struct ptx_value){.bits = t.value, .is_unsigned = t.is_unsigned};
        ptx_advance(p);
        return true;
    }
    if (t.kind == PTX_TOK_FLOAT) {
        *v = (struct ptx_value){
            .bits = t.value, .is_float = true, .is_f32 = t.is_f32, .is_exact = t.is_exact};
        ptx_advance(p);
        return true;
    }
    if (t.kind == PTX_TOK_IDENT && ptx_tok_is(&t, "WARP_SZ")) {
        *v = (struct ptx_value){.bits = 32};
        ptx_advance(p);
        return true;
    }
    if (ptx_accept(p, '(')) {
        if (p->tok.kind == PTX_TOK_WORD) return cast(p, v, depth);
        return ternary(p, v, depth + 1) && ptx_expect(p, ')', "to close the expression");
    }
    return ptx_fail_here(p, "a constant");
}

static bool unary(struct ptx_parser *p, struct ptx_value *v, unsigned depth) {
    if (depth > PTX_MAX_EXPR_DEPTH)
        return ptx_fail(p, p->tok.line, p->tok.col,
                        "a constant expression is nested more than %d deep", PTX_MAX_EXPR_DEPTH);
    const struct ptx_token t = p->tok;
    if (t.kind != PTX_TOK_PUNCT || !strchr("-+~!", t.punct)) return primary(p, v, depth);
    ptx_advance(p);
    if (!unary(p, v, depth + 1)) return false;
    switch (t.punct) {
    case '-':
        if (v->is_f32)
            v->bits ^= 0x80000000u;
        else if (v->is_float)
            v->bits ^= (uint64_t)1 << 63;
        else
            v->bits = 0 - v->bits;
        break;
    case '~':
        if (v->is_float)
            return ptx_fail(p, t.line, t.col, "~ needs an integer, not a floating-point constant");
        v->bits = ~v->bits;
        break;
    case '!': *v = of_bool(!truth(v)); break;
    default: break;
    }
    return true;
}

// The word after `(`: .s64 or .u64.
static bool cast(struct ptx_parser *p, struct ptx_value *v, unsigned depth) {
    const bool to_signed = ptx_at_word(p, "s64");
    if (!to_signed && !ptx_at_word(p, "u64")) return ptx_fail_here(p, "a cast, .s64 or .u64");
    ptx_advance(p);
    if (!ptx_expect(p, ')', "after the type of the cast") || !unary(p, v, depth + 1)) return false;
    if (v->is_float) {
        const double d = ptx_value_double(v);
        if (!(d > -9.3e18 && d < 1.9e19))
            return ptx_fail(p, p->tok.line, p->tok.col, "a constant does not fit in 64 bits");
        v->bits = d < 0 ? (uint64_t)(int64_t)(d < -9.2e18 ? -9.2e18 : d)
                        : (uint64_t)(d > 1.8e19 ? 1.8e19 : d);
    }
    *v = (struct ptx_value){.bits = v->bits, .is_unsigned = !to_signed};
    return true;
}

static unsigned precedence(const struct ptx_parser *p) {
    if (p->tok.kind != PTX_TOK_PUNCT) return 0;
    switch (p->tok.punct) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case PTX_P_SHL:
    case PTX_P_SHR: return 8;
    case '<':
    case '>':
    case PTX_P_LE:
    case PTX_P_GE: return 7;
    case PTX_P_EQ:
    case PTX_P_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PTX_P_AND: return 2;
    case PTX_P_OR: return 1;
    default: return 0;
    }
}

static bool apply_float(struct ptx_parser *p, const struct ptx_token *op, struct ptx_value *a,
                        const struct ptx_value *b) {
    const double x = ptx_value_double(a), y = ptx_value_double(b);
    switch (op->punct) {
    case '+': *a = of_double(x + y); return true;
    case '-': *a = of_double(x - y); return true;
    case '*': *a = of_double(x * y); return true;
    case '/': *a = of_double(x / y); return true;
    case '<': *a = of_bool(x < y); return true;
    case '>': *a = of_bool(x > y); return true;
    case PTX_P_LE: *a = of_bool(x <= y); return true;
    case PTX_P_GE: *a = of_bool(x >= y); return true;
    case PTX_P_EQ: *a = of_bool(x == y); return true;
    case PTX_P_NE: *a = of_bool(x != y); return true;
    case PTX_P_AND: *a = of_bool(truth(a) && truth(b)); return true;
    case PTX_P_OR: *a = of_bool(truth(a) || truth(b)); return true;
    default:
        return ptx_fail(p, op->line, op->col, "%s needs integers, not floating-point constants",
                        ptx_tok_show(p, op));
    }
}

static uint64_t divide(uint64_t x, uint64_t y, bool u, bool remainder) {
    if (u) return remainder ? x % y : x / y;
    const int64_t a = (int64_t)x, b = (int64_t)y;
    if (b == -1) return remainder ? 0 : 0 - x; // INT64_MIN / -1 wraps
    return (uint64_t)(remainder ? a % b : a / b);
}

static uint64_t shift_right(uint64_t x, uint64_t by, bool u) {
    if (u) return by > 63 ? 0 : x >> by;
    return (uint64_t)((int64_t)x >> (by > 63 ? 63 : by));
}

static bool less(uint64_t x, uint64_t y, bool u) { return u ? x < y : (int64_t)x < (int64_t)y; }

static bool apply(struct ptx_parser *p, const struct ptx_token *op, struct ptx_value *a,
                  const struct ptx_value *b) {
    if (a->is_float || b->is_float) return apply_float(p, op, a, b);
    const bool left_unsigned = a->is_unsigned, u = a->is_unsigned || b->is_unsigned;
    const uint64_t x = a->bits, y = b->bits;
    struct ptx_value r = {.is_unsigned = u};
    switch (op->punct) {
    case '*': r.bits = x * y; break;
    case '/':
    case '%':
        if (!y) return ptx_fail(p, op->line, op->col, "a constant expression divides by zero");
        r.bits = divide(x, y, u, op->punct == '%');
        break;
    case '+': r.bits = x + y; break;
    case '-': r.bits = x - y; break;
    case PTX_P_SHL:
        r = (struct ptx_value){.bits = y > 63 ? 0 : x << y, .is_unsigned = left_unsigned};
        break;
    case PTX_P_SHR:
        r = (struct ptx_value){.bits = shift_right(x, y, left_unsigned),
                               .is_unsigned = left_unsigned};
        break;
    case '<': r = of_bool(less(x, y, u)); break;
    case '>': r = of_bool(less(y, x, u)); break;
    case PTX_P_LE: r = of_bool(!less(y, x, u)); break;
    case PTX_P_GE: r = of_bool(!less(x, y, u)); break;
    case PTX_P_EQ: r = of_bool(x == y); break;
    case PTX_P_NE: r = of_bool(x != y); break;
    case '&': r.bits = x & y; break;
    case '^': r.bits = x ^ y; break;
    case '|': r.bits = x | y; break;
    case PTX_P_AND: r = of_bool(x && y); break;
    default: r = of_bool(x || y); break;
    }
    *a = r;
    return true;
}

// After an operand `%4` is an operator and a number, not a name.
static void split_percent(struct ptx_parser *p) {
    if (p->tok.kind != PTX_TOK_IDENT || p->tok.at[0] != '%') return;
    p->lex.at = p->tok.at + 1;
    p->tok.kind = PTX_TOK_PUNCT;
    p->tok.punct = '%';
    p->tok.len = 1;
}

static bool binary(struct ptx_parser *p, struct ptx_value *v, unsigned least, unsigned depth) {
    if (!unary(p, v, depth)) return false;
    for (;;) {
        split_percent(p);
        const unsigned level = precedence(p);
        if (!level || level < least) return true;
        const struct ptx_token op = p->tok;
        ptx_advance(p);
        struct ptx_value right;
        if (!binary(p, &right, level + 1, depth + 1) || !apply(p, &op, v, &right)) return false;
    }
}

static bool ternary(struct ptx_parser *p, struct ptx_value *v, unsigned depth) {
    if (!binary(p, v, 1, depth)) return false;
    if (!ptx_accept(p, '?')) return true;
    struct ptx_value yes, no;
    if (!ternary(p, &yes, depth + 1) || !ptx_expect(p, ':', "between the two choices of ?") ||
        !ternary(p, &no, depth + 1))
        return false;
    *v = truth(v) ? yes : no;
    return true;
}

bool ptx_expr(struct ptx_parser *p, struct ptx_value *v) { return ternary(p, v, 0); }

bool ptx_expr_offset(struct ptx_parser *p, int64_t *offset) {
    uint64_t sum = (uint64_t)*offset;
    while (ptx_at(p, '+') || ptx_at(p, '-')) {
        const struct ptx_token sign = p->tok;
        ptx_advance(p);
        struct ptx_value v;
        if (!binary(p, &v, 10, 0)) return false; // a product at most: `a+4*2+1`
        if (v.is_float) return ptx_fail(p, sign.line, sign.col, "an offset must be an integer");
        sum = sign.punct == '+' ? sum + v.bits : sum - v.bits;
    }
    *offset = (int64_t)sum;
    return true;
}

bool ptx_expr_u64(struct ptx_parser *p, const char *what, uint64_t max, uint64_t *out) {
    const struct ptx_token at = p->tok;
    struct ptx_value v;
    if (!ptx_expr(p, &v)) return false;
    if (v.is_float)
        return ptx_fail(p, at.line, at.col, "%s must be an integer, not a floating-point constant",
                        what);
    if (!v.is_unsigned && (int64_t)v.bits < 0)
        return ptx_fail(p, at.line, at.col, "%s is %lld; it cannot be negative", what,
                        (long long)v.bits);
    if (v.bits > max)
        return ptx_fail(p, at.line, at.col, "%s is %llu; the limit is %llu", what,
                        (unsigned long long)v.bits, (unsigned long long)max);
    *out = v.bits;
    return true;
}
