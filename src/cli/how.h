// What a run is (how.c) and the folder that it leaves (folder.c): for run.c and report.c.
#ifndef WW_HOW_H
#define WW_HOW_H

#include "cli/cli.h"

// ---- what a run is ------------------------------------------------------------------------------
struct how {
    json_t *words; // of `warpwatt run`, but those that only say where results go
    json_t *json;  // after how_text
};
void how_word(struct how *h, const char *word);

struct how_facts {
    const char *kind; // "workload", "program", "kernel"
    const char *name;
    const char *size; // of a workload; NULL: none
    const char *file; // of the program or kernel; NULL: not known
    const struct session *session;
    const struct savings *savings;
};
// Everything as JSON for the record; NULL where it is too long for that. how_free afterwards.
const char *how_text(struct cli *c, struct how *h, const struct how_facts *f);
void how_free(struct how *h);

// A run that is to be made again.
struct how_again {
    const char *dir, *gpu_file, *gpu_sum;
    json_t *how;
};
enum ww_status how_again(struct cli *c, const char *dir, struct how_again *out);
enum ww_status how_go_there(struct cli *c, const struct how_again *a);
// Notes on what is another today and may change the outcome: version, program.
void how_compare(struct cli *c, const struct how_again *a, const json_t *now);
// Refuses when technique files say something else today.
enum ww_status how_same_techniques(struct cli *c, const struct how_again *a,
                                   const struct savings *s);

// ---- the folder of `run -o` ---------------------------------------------------------------------
// One writer at a time. While a run goes on, all it writes lies in DIR/partial; what stands in DIR
// is of the run before until every new file is whole (folder.c).
struct run_folder {
    const char *dir, *partial; // partial: where files are to be written
    int lock;                  // a descriptor, -1: not open
};
// Refuses when another process writes there. Writes first what identifies the run.
enum ww_status run_folder_open(struct cli *c, const char *dir, const struct gpu_config *g,
                               const char *how, struct run_folder *out);
// All files are written: puts them in place.
enum ww_status run_folder_commit(struct cli *c, struct run_folder *f, uint64_t record_sum);
// The run left nothing: what was there before stays.
void run_folder_drop(struct cli *c, struct run_folder *f);
void run_folder_close(struct run_folder *f); // leaves what there is, for `report`

// The record of a folder that a run left, finished or not; a diagnostic when it is none.
enum ww_status run_folder_record(struct cli *c, const char *dir, const char **record);
// The folder's parts are of one run and as it wrote them: its GPU file, results and record.
// *unfinished: NULL, or in which state the run was left, a sentence.
enum ww_status run_folder_check(struct cli *c, const char *record, const struct run *run,
                                const char **unfinished);

#endif
