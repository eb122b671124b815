// Tokens of PTX text. The lexer allocates nothing: a token points into the text.
#ifndef WW_PTX_LEX_H
#define WW_PTX_LEX_H

#include "base/base.h"

enum ptx_token_kind {
    PTX_TOK_END,
    PTX_TOK_IDENT,  // name, %name, $name, _
    PTX_TOK_WORD,   // .word or .word::word, without the first dot
    PTX_TOK_INT,    // value
    PTX_TOK_FLOAT,  // value holds bits: f32 if is_f32 (0f...), else f64
    PTX_TOK_STRING, // without the quotes
    PTX_TOK_PUNCT,  // punct: the character, or one of the pairs below
    PTX_TOK_BAD     // message says why
};

enum { PTX_P_SHL = 128, PTX_P_SHR, PTX_P_EQ, PTX_P_NE, PTX_P_LE, PTX_P_GE, PTX_P_AND, PTX_P_OR };

struct ptx_token {
    uint8_t kind;
    uint8_t punct;
    bool is_f32;      // 0f literal
    bool is_unsigned; // U suffix, or too large for a signed value
    bool is_exact;    // 0f or 0d literal: bits, not a decimal number
    bool first;       // first on its line: where error recovery may begin again
    uint32_t len, line, col;
    const char *at;
    uint64_t value;
    const char *message;
};

struct ptx_lexer {
    const char *at, *end, *line_start;
    uint32_t line;
    bool fresh;                         // nothing but blanks since line_start
    uint32_t comment_line, comment_col; // where the last comment of the other kind began
};

void ptx_lex_init(struct ptx_lexer *lex, const char *text, size_t len);
void ptx_lex_next(struct ptx_lexer *lex, struct ptx_token *t);
// The next character that is not blank, without moving; 0 at the end.
char ptx_lex_peek(const struct ptx_lexer *lex);
// Whether a name comes next, other than WARP_SZ, which is a number.
bool ptx_lex_peek_name(const struct ptx_lexer *lex);
// Skips raw text up to and past the brace that closes one already open; false when it never comes.
bool ptx_lex_skip_braces(struct ptx_lexer *lex);

static inline bool ptx_tok_is(const struct ptx_token *t, const char *text) {
    return t->len == strlen(text) && memcmp(t->at, text, t->len) == 0;
}

#endif
