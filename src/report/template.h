// Pages are filled templates: text with marks, <!--ww:NAME-->, in whose place a callback writes.
#ifndef WW_TEMPLATE_H
#define WW_TEMPLATE_H

#include <jansson.h>

#include "base/base.h"

// Writes `text` with each mark replaced by what `put` writes for its name; an unfinished mark stays
// as it is.
void template_fill(const char *text, void (*put)(void *user, const char *name, FILE *f), void *user,
                   FILE *f);
// Text between elements or in an attribute's quotes.
void template_html(FILE *f, const char *text);
// JSON for the inside of a script element, which no `<` in it may end. `flags`: jansson's.
void template_json(FILE *f, const json_t *value, size_t flags);

#endif
