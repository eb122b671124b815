// What techniques of cache lines share: the options that name arrays, and their lines of the
// savings table.
#include "savings/lines.h"
#include "savings/savings_int.h"
#include "sm/config.h"

uint32_t lines_arrays(const struct savings *s) {
    static const struct {
        const char *option;
        enum mem_array array;
    } named[] = {
        {"in_l1", ARRAY_L1D},        {"in_const", ARRAY_CONST}, {"in_tex", ARRAY_TEX},
        {"in_shared", ARRAY_SHARED}, {"in_l2", ARRAY_L2},
    };
    uint32_t arrays = 0;
    for (uint32_t i = 0; i < WW_COUNT(named); i++)
        arrays |= (uint32_t)(savings_value(s, named[i].option) != 0) << named[i].array;
    return arrays;
}

const struct cache_config *lines_cache(const struct sm_config *c, uint32_t array) {
    const struct cache_config *const k = array == ARRAY_L1D     ? &c->l1d
                                         : array == ARRAY_CONST ? &c->constant
                                         : array == ARRAY_TEX   ? &c->texture
                                                                : NULL;
    return k != NULL && k->bytes != 0 ? k : NULL;
}

uint32_t lines_of(const struct sm_config *c, uint32_t array) {
    if (array == ARRAY_SHARED) return c->shared_bytes / SHARED_ROW;
    const struct cache_config *const k = lines_cache(c, array);
    return k != NULL ? k->bytes / k->line_bytes : 0;
}

void lines_close(const struct lines_time *k, uint32_t array, uint32_t on, uint32_t away,
                 struct activity *a) {
    const uint64_t lines =
                       array == ARRAY_L2 ? k->l2_lines : (uint64_t)k->sms * lines_of(k->c, array),
                   all = lines * k->cycles;
    uint64_t *const c = savings_own(a, SAVINGS_lines);
    if (c[on + array] > all) c[on + array] = all;
    c[away + array] = all - c[on + array];
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_line_on, .n = ACT_ARRAYS, .name = "line_on",
     .unit = "line cycles", .component = "l1",
     .prose = "drowsy lines, cache decay: core cycles in which lines were on or waking",
     .free = "lines that are on leak as without the technique"},
    {.at = OWN_line_drowsy, .n = ACT_ARRAYS, .name = "line_drowsy",
     .unit = "line cycles", .component = "l1",
     .prose = "drowsy lines: core cycles at the retention supply"},
    {.at = OWN_line_off, .n = ACT_ARRAYS, .name = "line_off",
     .unit = "line cycles", .component = "l1",
     .prose = "cache decay: core cycles off"},
    {.at = OWN_line_wakes, .n = ACT_ARRAYS, .name = "line_wakes",
     .unit = "events", .component = "l1",
     .prose = "drowsy lines: times that a line was woken"},
    {.at = OWN_line_late, .n = ACT_ARRAYS, .name = "line_late",
     .unit = "accesses", .component = "l1",
     .prose = "drowsy lines: accesses that waited for their line or their tags", .free = "waiting"},
    {.at = OWN_line_fills, .n = ACT_ARRAYS, .name = "line_fills",
     .unit = "events", .component = "l1",
     .prose = "cache decay: times that a line was switched on"},
    {.at = OWN_line_lapses, .n = ACT_ARRAYS, .name = "line_lapses",
     .unit = "events", .component = "l1",
     .prose = "cache decay: times that a line with data was switched off",
     .free = "a line that goes off; what is dirty is written back and pays there"},
    {.at = OWN_tag_on, .n = ACT_ARRAYS, .name = "tag_on", .unit = "tag cycles", .component = "l1",
     .prose = "drowsy tags: core cycles in which tags were on or waking", .free = "as line_on"},
    {.at = OWN_tag_drowsy, .n = ACT_ARRAYS, .name = "tag_drowsy",
     .unit = "tag cycles", .component = "l1",
     .prose = "drowsy tags: core cycles at the retention supply"},
    {.at = OWN_tag_wakes, .n = ACT_ARRAYS, .name = "tag_wakes", .unit = "events", .component = "l1",
     .prose = "drowsy tags: times that a tag was woken, those of a set together"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "in_l1", .value = 1, .high = 1, .unit = "", .what = "in L1 data caches",
     .source = "Power-aware L1 and L2 caches, 4"},
    {.name = "in_const", .value = 0, .high = 1, .unit = "", .what = "in constant caches too",
     .source = "assumed: the paper leaves them out"},
    {.name = "in_tex", .value = 0, .high = 1, .unit = "", .what = "in texture caches too",
     .source = "assumed: the paper leaves them out"},
    {.name = "in_l2", .value = 1, .high = 1, .unit = "", .what = "in L2",
     .source = "Power-aware L1 and L2 caches, 4"},
};
// clang-format on

// Data of L1 lie in the array of shared memory, its tags apart; those of the other caches in one
// component with their tags. What is not cells stays on.
// clang-format off
static const struct savings_line lines[] = {
    {.key = "l1", .name = "L1 array", .kind = LINE_LEAKAGE, .component = "shared",
     .what = "lines of L1 and rows of shared memory, which are one array"},
    {.key = "l1_tags", .name = "L1 tags", .kind = LINE_LEAKAGE, .component = "l1_tags",
     .what = "tags of L1"},
    {.key = "const", .name = "const", .kind = LINE_LEAKAGE, .component = "const",
     .what = "lines and tags of constant caches"},
    {.key = "tex", .name = "texture", .kind = LINE_LEAKAGE, .component = "tex",
     .what = "lines and tags of texture caches"},
    {.key = "l2", .name = "L2", .kind = LINE_LEAKAGE, .component = "l2",
     .what = "lines and tags of L2"},
};
static const struct savings_shown shown[] = {
    {.line = "l1", .counter = "line_on", .first = ARRAY_L1D},
    {.line = "l1", .counter = "line_on", .first = ARRAY_SHARED},
    {.line = "const", .counter = "line_on", .first = ARRAY_CONST},
    {.line = "tex", .counter = "line_on", .first = ARRAY_TEX},
    {.line = "l2", .counter = "line_on", .first = ARRAY_L2},
};
// clang-format on

const struct savings_part part_lines = {
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .shown = {PART_ROWS(shown)},
};
