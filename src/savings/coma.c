// Accesses to register rows by active mask (dissertation, 5.4). A row's word line is divided into
// one part a lane; the mask of the instruction opens the parts, so that bit lines, sense amplifiers
// and outputs of the other lanes stay quiet. The mask is written into a table with an entry a
// collector when the instruction takes one; each row that is read, and each that is written, looks
// it up.
//
// The mask here is that of the threads that execute: active and not guarded out. It changes no
// time.
#include "savings/savings_int.h"

static uint32_t read_rows(void *self, const struct sm_row_access *a) {
    struct coma *const k = self;
    k->instructions++;
    k->reads += a->n;
    k->read_lanes_spared += (uint64_t)a->n * (WARP_LANES - bits_count32(a->lanes));
    return 0;
}

static uint32_t write_rows(void *self, const struct sm_row_access *a) {
    struct coma *const k = self;
    k->writes += a->n;
    k->write_lanes_spared += (uint64_t)a->n * (WARP_LANES - bits_count32(a->lanes));
    return 0;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    const struct coma *const k = self;
    a->c[ACT_rf_read_lanes_spared] += k->read_lanes_spared;
    a->c[ACT_rf_write_lanes_spared] += k->write_lanes_spared;
    a->c[ACT_rf_divided_reads] += k->reads;
    a->c[ACT_rf_divided_writes] += k->writes;
    a->c[ACT_mask_table_writes] += k->instructions;
    a->c[ACT_mask_table_reads] += k->reads + k->writes;
    a->c[ACT_divided_cycles] += a->c[ACT_sm_busy_cycles];
}

static const struct sm_row_port rows = {.read = read_rows, .write = write_rows};

void coma_init(struct savings_sm *s, struct sm_technique *t) {
    *t = (struct sm_technique){.name = "coma", .self = &s->coma, .rows = &rows, .count = count};
}
