// Pages of single runs beside the page of a comparison or a sweep: `warpwatt run -o FOLDER` of a job as the job itself
// was run, so that its page is the one that the user's own run has.
#ifndef WW_STUDY_RUN_PAGES_H
#define WW_STUDY_RUN_PAGES_H

#include "study/study.h"

struct run_page {
    const char *name;         // of the folder and on pages: file_name_of made it
    const char *const *words; // of `warpwatt run` (pool_page_words)
    const char *key;          // of the job
    const char *folder;       // out: DIR/runs/NAME
    bool is_there;            // out
    const char *why;          // out: why it is not, a sentence
};

// `a-b` as the name of a file: letters, digits, `.`, `_`, `+` and `-`; other characters are written as `_` and a number
// tells names apart that would be the same.
const char *run_page_name(struct arena *a, const char *first, const char *second, uint32_t number);

// Makes the pages that DIR/runs lacks or that were made of another job, `processes` at a time. A run that fails leaves
// the others alone.
enum ww_status run_pages_make(struct arena *a, const struct study_host *host, struct run_page *list,
                              uint32_t n, const char *dir, uint32_t processes, struct diags *d);
// One page of those pages' runs beside each other, the first the base of changes (`warpwatt report`); false: there are
// fewer than two, more than 64, or it was not made.
bool run_pages_beside(struct arena *a, const struct study_host *host, const struct run_page *list,
                      uint32_t n, const char *file);

#endif
