// What libcyaml says of a file that it cannot read, in our words, with file and line.
#ifndef WW_YAML_WORDS_H
#define WW_YAML_WORDS_H

#include <cyaml/cyaml.h>

#include "base/base.h"

struct yaml_words {
    const char *file, *text;
    const char *what;       // "a technique": what the file should hold
    const char *const *key; // the keys that may stand in it, at any depth
    size_t n_keys;
    struct yaml_said {              // filled by yaml_listen
        char first[256], field[64]; // the first complaint, and the field that it is of
        bool in_list;               // of an entry of the field
        uint32_t line, col;
    } said;
};

// A cyaml_log_fn_t whose context is a struct yaml_words.
void yaml_listen(cyaml_log_t level, void *words, const char *fmt, va_list ap);
// Refuses a file that libcyaml answered `e` for, or one that it read but that holds nothing.
enum ww_status yaml_refuse(const struct yaml_words *w, cyaml_err_t e, struct diags *d);
// Refuses a file with a second document, which libcyaml would leave out.
enum ww_status yaml_one_document(const char *file, const char *text, const char *what,
                                 struct diags *d);

#endif
