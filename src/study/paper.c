// One list of all that the source of a study holds: figures, tables, numbered claims, in its order.
// Of each: what it is, where it is made here, published values beside ours, verdict, reason. A page
// of Markdown, made from the study alone, so that it says what the study finds.
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

bool paper_holds(const struct study_item *item, const struct published_row *row) {
    if (!item->source.n && !item->workload.n && !item->configuration.n && !item->metric.n)
        return false;
    return study_one_of(row->source, item->source.at, item->source.n) &&
           study_one_of(row->workload, item->workload.at, item->workload.n) &&
           study_one_of(row->configuration, item->configuration.at, item->configuration.n) &&
           study_one_of(row->metric, item->metric.at, item->metric.n);
}

// ---- verdicts -----------------------------------------------------------------------------------
// How often each verdict was given.
struct tally {
    uint32_t of[VERDICT_GIVEN + 1];
};

static const struct sheet_figure *figure_of(const struct sheet *sh, const char *id) {
    for (uint32_t i = 0; i < sh->study->figure.n; i++)
        if (strcmp(sh->figure[i].figure->id, id) == 0) return &sh->figure[i];
    return NULL;
}

// Of an item, from its figures and values: agrees or differs where all that are judged do.
static enum verdict verdict_of(const struct tally *t) {
    const uint32_t good = t->of[VERDICT_AGREES],
                   bad = t->of[VERDICT_DIFFERS] + t->of[VERDICT_PARTLY];
    return t->of[VERDICT_MISSING]  ? VERDICT_MISSING
           : good && bad           ? VERDICT_PARTLY
           : good                  ? VERDICT_AGREES
           : t->of[VERDICT_PARTLY] ? VERDICT_PARTLY
           : bad                   ? VERDICT_DIFFERS
           : t->of[VERDICT_GIVEN]  ? VERDICT_GIVEN
                                   : VERDICT_NONE;
}

// ---- the page -----------------------------------------------------------------------------------
static void cell(FILE *f, const char *t) {
    for (; *t; t++) {
        if (*t == '|') fputc('\\', f);
        fputc(*t == '\n' ? ' ' : *t, f);
    }
}

static void value_row(const struct sheet_published *p, FILE *f) {
    const struct published_row *const r = p->row;
    char text[64];
    fputs("| | ", f);
    cell(f, r->workload);
    fputs(", ", f);
    cell(f, r->configuration);
    fputs(": ", f);
    cell(f, r->metric);
    fprintf(f, " | | %s %s | ", r->value, r->unit);
    beside_number(text, sizeof text, p->ours, r->unit);
    fputs(text, f);
    if (p->by_choice && isfinite(p->low)) {
        beside_number(text, sizeof text, p->low, r->unit);
        fprintf(f, " (%s", text);
        beside_number(text, sizeof text, p->high, r->unit);
        fprintf(f, " to %s)", text);
    }
    fprintf(f, " | %s | ", verdict_text(p->verdict));
    if (p->why && p->verdict != VERDICT_AGREES) cell(f, p->why);
    fputs(" |\n", f);
}

static struct tally tally_of(const struct sheet *sh, const struct study_item *item) {
    struct tally t = {{0}};
    for (uint32_t i = 0; i < item->figure.n; i++)
        t.of[figure_of(sh, item->figure.at[i])->verdict]++;
    for (uint32_t i = 0; i < sh->study->published.n; i++)
        if (paper_holds(item, sh->published[i].row)) t.of[sh->published[i].verdict]++;
    return t;
}

static void item_rows(const struct sheet *sh, const struct study_item *item, FILE *f) {
    const struct tally t = tally_of(sh, item);
    fputs("| **", f);
    cell(f, item->name);
    fputs("** | **", f);
    cell(f, item->what);
    fputs("** | ", f);
    cell(f, item->made);
    fprintf(f, " | | | **%s** | ", verdict_text(verdict_of(&t)));
    for (uint32_t i = 0; i < item->figure.n; i++) {
        const struct sheet_figure *const g = figure_of(sh, item->figure.at[i]);
        if (*g->sentence) cell(f, g->sentence);
        fputs(*g->sentence ? " " : "", f);
    }
    if (item->why) cell(f, item->why);
    fputs(" |\n", f);
    for (uint32_t i = 0; i < sh->study->published.n; i++)
        if (paper_holds(item, sh->published[i].row)) value_row(&sh->published[i], f);
}

static void head(const struct sheet *sh, const char *path, FILE *f) {
    const struct study *const s = sh->study;
    struct tally items = {{0}}, values = {{0}};
    for (uint32_t i = 0; i < s->item.n; i++) {
        const struct tally t = tally_of(sh, &s->item.at[i]);
        items.of[verdict_of(&t)]++;
    }
    for (uint32_t i = 0; i < s->published.n; i++) {
        bool is_listed = false;
        for (uint32_t k = 0; k < s->item.n && !is_listed; k++)
            is_listed = paper_holds(&s->item.at[k], sh->published[i].row);
        if (is_listed) values.of[sh->published[i].verdict]++;
    }
    fprintf(f,
            "# %s, item by item\n\nAll figures, tables and numbered claims of its source (%s), in "
            "its order. Written by `warpwatt study %s --size %s --paper %s`; numbers are of that "
            "size. A value's tolerance stands in the study's file; a range behind ours is over the "
            "study's choices.\n\n| | agrees | in part | differs | given | no verdict | not known "
            "|\n|---|---:|---:|---:|---:|---:|---:|\n",
            s->title, s->source, s->name, sh->size, path);
    const struct tally *const row[] = {&items, &values};
    for (int i = 0; i < 2; i++)
        fprintf(f, "| %s | %u | %u | %u | %u | %u | %u |\n", i ? "values" : "items",
                row[i]->of[VERDICT_AGREES], row[i]->of[VERDICT_PARTLY], row[i]->of[VERDICT_DIFFERS],
                row[i]->of[VERDICT_GIVEN], row[i]->of[VERDICT_NONE], row[i]->of[VERDICT_MISSING]);
    fputs("\nGiven: ours could not have differed, since the model was fitted to it or has it as an "
          "input. No verdict: shown, and not judged, for the reason that stands there.\n\n",
          f);
    for (uint32_t i = 0; i < sh->n_failed; i++) fprintf(f, "- failed: %s\n", sh->failed[i]);
}

enum ww_status paper_write(const struct sheet *sh, const char *path, struct diags *d) {
    const struct study *const s = sh->study;
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    head(sh, path, f);
    fputs("| in the source | what | made here by | theirs | ours | verdict | reason "
          "|\n|---|---|---|---:|---:|---|---|\n",
          f);
    for (uint32_t i = 0; i < s->item.n; i++) item_rows(sh, &s->item.at[i], f);
    enum ww_status status = WW_OK;
    if (fclose(f) != 0)
        status = diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    else
        status = file_write_atomic(path, text, len, d);
    free(text);
    return status;
}
