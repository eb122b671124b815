// PTX text into tokens. Dots belong to the word behind them, so that `add.s32` is a name and
// one word, and `1.5` is a number because it begins with a digit. Comments, `@@` lines (the debug
// sections of ISA 1.x) and `#` lines (of a preprocessor) are blank space.
#include "ptx/ptx_lex.h"

#include <stdlib.h>

enum { C_NAME = 1, C_DIGIT = 2, C_HEX = 4, C_BLANK = 8 };

static const uint8_t class_of[256] = {
    ['0' ... '9'] = C_NAME | C_DIGIT | C_HEX,
    ['a' ... 'f'] = C_NAME | C_HEX,
    ['A' ... 'F'] = C_NAME | C_HEX,
    ['g' ... 'z'] = C_NAME,
    ['G' ... 'Z'] = C_NAME,
    ['_'] = C_NAME,
    ['$'] = C_NAME,
    [' '] = C_BLANK,
    ['\t'] = C_BLANK,
    ['\r'] = C_BLANK,
    ['\f'] = C_BLANK,
    ['\v'] = C_BLANK,
};

static inline bool is(char c, unsigned mask) { return (class_of[(uint8_t)c] & mask) != 0; }

void ptx_lex_init(struct ptx_lexer *lex, const char *text, size_t len) {
    *lex = (struct ptx_lexer){
        .at = text, .end = text + len, .line_start = text, .line = 1, .fresh = true};
}

static void new_line(struct ptx_lexer *lex) {
    lex->at++;
    lex->line++;
    lex->line_start = lex->at;
    lex->fresh = true;
}

static void skip_line(struct ptx_lexer *lex) {
    const char *nl = memchr(lex->at, '\n', (size_t)(lex->end - lex->at));
    lex->at = nl ? nl : lex->end;
}

static bool skip_comment(struct ptx_lexer *lex) {
    for (lex->at += 2; lex->at < lex->end; lex->at++) {
        while (lex->at < lex->end && *lex->at == '\n') new_line(lex);
        if (lex->end - lex->at >= 2 && lex->at[0] == '*' && lex->at[1] == '/') {
            lex->at += 2;
            return true;
        }
    }
    lex->at = lex->end;
    return false;
}

// False when a comment never ends.
static bool skip_blanks(struct ptx_lexer *lex) {
    while (lex->at < lex->end) {
        const char c = *lex->at;
        const char next = lex->at + 1 < lex->end ? lex->at[1] : 0;
        if (is(c, C_BLANK))
            lex->at++;
        else if (c == '\n')
            new_line(lex);
        else if ((c == '/' && next == '/') || (c == '@' && next == '@') || (c == '#' && lex->fresh))
            skip_line(lex);
        else if (c == '/' && next == '*') {
            lex->comment_line = lex->line;
            lex->comment_col = (uint32_t)(lex->at - lex->line_start) + 1;
            if (!skip_comment(lex)) return false;
        } else
            break;
    }
    return true;
}

static void bad(struct ptx_token *t, const char *message) {
    t->kind = PTX_TOK_BAD;
    t->message = message;
}

static unsigned hex_digit(char c) {
    if (c <= '9') return (unsigned)(c - '0');
    return (unsigned)((c | 0x20) - 'a') + 10;
}

// Digits of one base, with overflow; returns the first character that is not one.
static const char *digits(const char *p, const char *end, unsigned base, uint64_t *value,
                          bool *overflow) {
    uint64_t v = 0;
    for (; p < end && is(*p, C_HEX); p++) {
        const unsigned d = hex_digit(*p);
        if (d >= base) break;
        uint64_t next;
        if (__builtin_mul_overflow(v, (uint64_t)base, &next) ||
            __builtin_add_overflow(next, (uint64_t)d, &next))
            *overflow = true;
        v = next;
    }
    *value = v;
    return p;
}

static const char *decimal_float(const char *p, const char *end, struct ptx_token *t) {
    char buf[128];
    const char *from = p;
    while (p < end && is(*p, C_DIGIT)) p++;
    if (p < end && *p == '.')
        for (p++; p < end && is(*p, C_DIGIT);) p++;
    if (p < end && (*p | 0x20) == 'e') {
        const char *q = p + 1;
        if (q < end && (*q == '+' || *q == '-')) q++;
        if (q < end && is(*q, C_DIGIT)) {
            while (q < end && is(*q, C_DIGIT)) q++;
            p = q;
        }
    }
    const size_t n = (size_t)(p - from);
    if (n >= sizeof buf) {
        bad(t, "a floating-point literal has more than 127 characters");
        return p;
    }
    memcpy(buf, from, n);
    buf[n] = 0;
    const double v = strtod(buf, NULL);
    memcpy(&t->value, &v, sizeof v);
    t->kind = PTX_TOK_FLOAT;
    return p;
}

// `.5` and `.5e3`; `.2d`, `.1d` and the like are words.
static bool is_fraction(const char *p, const char *end) {
    for (p++; p < end && is(*p, C_DIGIT);) p++;
    if (!is(p[-1], C_DIGIT)) return false;
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        const char *const power = p;
        while (p < end && is(*p, C_DIGIT)) p++;
        if (p == power) return false;
    }
    return p == end || !is(*p, C_NAME);
}

static const char *number(const char *p, const char *end, struct ptx_token *t) {
    const char *from = p;
    const char second = p + 1 < end ? (char)(p[1] | 0x20) : 0;
    bool overflow = false;
    t->kind = PTX_TOK_INT;
    if (*p == '0' && (second == 'f' || second == 'd') && p + 2 < end && is(p[2], C_HEX)) {
        const unsigned want = second == 'f' ? 8 : 16;
        p = digits(p + 2, end, 16, &t->value, &overflow);
        t->kind = PTX_TOK_FLOAT;
        t->is_f32 = second == 'f';
        t->is_exact = true;
        if (p != from + 2 + want)
            bad(t, t->is_f32 ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
    } else if (*p == '0' && (second == 'x' || second == 'b')) {
        p = digits(p + 2, end, second == 'x' ? 16 : 2, &t->value, &overflow);
        if (p == from + 2) bad(t, "a number has no digits");
    } else {
        const char *q = p;
        while (q < end && is(*q, C_DIGIT)) q++;
        const bool is_float = q < end && (*q == '.' || (*q | 0x20) == 'e');
        if (is_float)
            p = decimal_float(p, end, t);
        else
            p = digits(p, end, *p == '0' ? 8 : 10, &t->value, &overflow);
    }
    if (t->kind == PTX_TOK_INT) {
        if (p < end && (*p == 'U' || *p == 'u')) {
            t->is_unsigned = true;
            p++;
        }
        if (t->value > INT64_MAX) t->is_unsigned = true;
        if (overflow) bad(t, "a number does not fit in 64 bits");
    }
    if (p < end && is(*p, C_NAME)) {
        while (p < end && is(*p, C_NAME)) p++;
        if (t->kind != PTX_TOK_BAD) bad(t, "a number is malformed");
    }
    return p;
}

static const char *word(const char *p, const char *end) {
    for (;;) {
        while (p < end && is(*p, C_NAME)) p++;
        if (end - p > 2 && p[0] == ':' && p[1] == ':' && is(p[2], C_NAME))
            p += 2;
        else
            return p;
    }
}

static const char *string(const char *p, const char *end, struct ptx_token *t) {
    t->kind = PTX_TOK_STRING;
    t->at = ++p;
    while (p < end && *p != '"' && *p != '\n') p += (*p == '\\' && p + 1 < end) ? 2 : 1;
    if (p > end) p = end;
    t->len = (uint32_t)(p - t->at);
    if (p == end || *p != '"') {
        bad(t, "a string has no closing quote on its line");
        return p;
    }
    return p + 1;
}

static const char *punct(const char *p, const char *end, struct ptx_token *t) {
    static const struct {
        char text[3];
        uint8_t punct;
    } pairs[] = {{"<<", PTX_P_SHL}, {">>", PTX_P_SHR}, {"==", PTX_P_EQ},  {"!=", PTX_P_NE},
                 {"<=", PTX_P_LE},  {">=", PTX_P_GE},  {"&&", PTX_P_AND}, {"||", PTX_P_OR}};
    t->kind = PTX_TOK_PUNCT;
    if (end - p >= 2)
        for (unsigned i = 0; i < WW_COUNT(pairs); i++)
            if (p[0] == pairs[i].text[0] && p[1] == pairs[i].text[1]) {
                t->punct = pairs[i].punct;
                return p + 2;
            }
    t->punct = (uint8_t)*p;
    if (*p == 0)
        bad(t, "there is a NUL byte in the text");
    else if (!strchr(",;:(){}[]<>=!@|&^~+-*/%?", *p))
        bad(t, "this character has no meaning in PTX");
    return p + 1;
}

void ptx_lex_next(struct ptx_lexer *lex, struct ptx_token *t) {
    *t = (struct ptx_token){.kind = PTX_TOK_END};
    const bool closed = skip_blanks(lex);
    t->at = lex->at;
    t->line = lex->line;
    t->col = (uint32_t)(lex->at - lex->line_start) + 1;
    t->first = lex->fresh;
    if (!closed) {
        t->line = lex->comment_line;
        t->col = lex->comment_col;
        bad(t, "this comment has no end");
        return;
    }
    if (lex->at >= lex->end) return;
    lex->fresh = false;
    const char *p = lex->at, *end = lex->end;
    const char next = p + 1 < end ? p[1] : 0;
    if (is(*p, C_DIGIT)) {
        p = number(p, end, t);
    } else if (*p == '.' && is_fraction(p, end)) {
        p = decimal_float(p, end, t);
    } else if (is(*p, C_NAME) || (*p == '%' && is(next, C_NAME))) {
        t->kind = PTX_TOK_IDENT;
        for (p++; p < end && is(*p, C_NAME);) p++;
    } else if (*p == '.' && is(next, C_NAME)) {
        t->kind = PTX_TOK_WORD;
        t->at = p + 1;
        p = word(p + 1, end);
    } else if (*p == '"') {
        lex->at = string(p, end, t);
        return;
    } else {
        p = punct(p, end, t);
    }
    t->len = (uint32_t)(p - t->at);
    lex->at = p;
}

char ptx_lex_peek(const struct ptx_lexer *lex) {
    const char *p = lex->at;
    while (p < lex->end && is(*p, C_BLANK)) p++;
    return p < lex->end ? *p : 0;
}

bool ptx_lex_peek_name(const struct ptx_lexer *lex) {
    struct ptx_lexer ahead = *lex;
    struct ptx_token t;
    ptx_lex_next(&ahead, &t);
    return t.kind == PTX_TOK_IDENT && !ptx_tok_is(&t, "WARP_SZ");
}

bool ptx_lex_skip_braces(struct ptx_lexer *lex) {
    unsigned depth = 1;
    while (skip_blanks(lex) && lex->at < lex->end) {
        const char c = *lex->at;
        if (c == '"') {
            struct ptx_token t;
            ptx_lex_next(lex, &t);
            continue;
        }
        lex->at++;
        lex->fresh = false;
        if (c == '{') depth++;
        if (c == '}' && --depth == 0) return true;
    }
    return false;
}
