// What the three readers of activity files share: they hand over names and values as they stand in
// the file, with their line, and every check of content is here.
#ifndef WW_ACTIVITY_SINK_H
#define WW_ACTIVITY_SINK_H

#include "report/activity_file.h"

struct activity_sink {
    struct arena *arena;
    struct diags *d;
    const char *path, *text; // text: NULL when there is no file to point into
    const struct activity_options *options;
    struct activity_file *out;
    VEC(struct activity_kernel) kernels;
    struct names names; // of counters
    bool missing_zero;
    bool open;      // a kernel (or an interval of it) takes counters
    double seconds; // of the open one; < 0: not said
    uint32_t seconds_line;
    struct activity_kernel kernel;
    struct activity *into;
    uint32_t given[ACT_N]; // line (or 1) of each counter that was given
    bool functional;
    enum ww_status status; // the first error; everything after it does nothing
};

void sink_init(struct activity_sink *s, struct arena *a, const char *path, const char *text,
               const struct activity_options *o, struct diags *d, struct activity_file *out);
// Refuses at a line, once.
void sink_refuse(struct activity_sink *s, uint32_t line, const char *fmt, ...) WW_PRINTF(3, 4);
// Facts of the whole file: format, gpu, core_mhz, seconds, missing. False: no such fact.
bool sink_fact(struct activity_sink *s, uint32_t line, const char *key, const char *value);
extern const char *const sink_facts[]; // their names
enum { SINK_FACTS = 5 };
void sink_begin(struct activity_sink *s, uint32_t line, const char *name, uint64_t launch);
// A counter, or `seconds`. `index` is NULL, a number, or a name of op_class.def or stall.def; NULL
// takes a name with a dot apart. `unit` may be NULL. A value of several words fills a whole array.
void sink_counter(struct activity_sink *s, uint32_t line, const char *name, const char *index,
                  const char *value, const char *unit);
// The same, of the row already found and a value already a number.
void sink_count(struct activity_sink *s, uint32_t line, const struct act_info *row, uint32_t index,
                uint64_t value);
const struct act_info *sink_row(struct activity_sink *s, uint32_t line, const char *name);
bool sink_index(struct activity_sink *s, uint32_t line, const struct act_info *row,
                const char *index, uint32_t *out);
bool sink_number(struct activity_sink *s, uint32_t line, const char *what, const char *value,
                 double *out); // finite, not negative
void sink_end(struct activity_sink *s, uint32_t line);
// Checks that counters are all there; `what` names what has them.
void sink_complete(struct activity_sink *s, uint32_t line, const char *what);
enum ww_status sink_finish(struct activity_sink *s);

enum ww_status activity_xml(struct activity_sink *s, size_t len);
enum ww_status activity_csv(struct activity_sink *s);
enum ww_status activity_json(struct activity_sink *s, size_t len);

#endif
