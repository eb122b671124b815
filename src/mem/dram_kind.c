// What a kind of memory says where a GPU file is silent (dram_kind.def).
#include <assert.h>
#include <math.h>

#include "mem/config.h"

static const struct {
    const char *name;
    struct dram_config is;
} kinds[] = {
#define DRAM_KIND(id, name, source, ...) {name, {__VA_ARGS__}},
#include "mem/dram_kind.def"
#undef DRAM_KIND
};
static_assert(WW_COUNT(kinds) == DRAM_KINDS, "a row a kind");

const char *dram_kind_name(uint32_t kind) { return kind < DRAM_KINDS ? kinds[kind].name : NULL; }

void dram_config_complete(struct dram_config *c) {
    if (c->kind >= DRAM_KINDS) return;
    const struct dram_config *const k = &kinds[c->kind].is;
#define FROM_KIND(field) c->field = c->field ? c->field : k->field
    FROM_KIND(bus_bits);
    FROM_KIND(burst_length);
    FROM_KIND(data_rate);
    FROM_KIND(banks);
    FROM_KIND(bank_groups);
    FROM_KIND(row_bytes);
    FROM_KIND(wl);
    FROM_KIND(ccd_s);
    FROM_KIND(ccd_l);
#undef FROM_KIND
    // Less a thousandth of a clock: a product that is whole must not be rounded up.
    const double clocks = c->clock_mhz / k->clock_mhz;
#define FROM_TIME(field) c->field = c->field ? c->field : (uint32_t)ceil(k->field * clocks - 1e-3)
    FROM_TIME(cl);
    FROM_TIME(rcd);
    FROM_TIME(rp);
    FROM_TIME(ras);
    FROM_TIME(rrd);
    FROM_TIME(faw);
    FROM_TIME(rtp);
    FROM_TIME(wr);
    FROM_TIME(wtr);
    FROM_TIME(refi);
    FROM_TIME(rfc);
    FROM_TIME(rfc_one);
#undef FROM_TIME
    if (!c->rc && c->ras && c->rp) c->rc = c->ras + c->rp;
    const uint32_t data = c->data_rate ? c->burst_length / c->data_rate : 0;
    if (!c->rtw && c->cl + data + 2 > c->wl) c->rtw = c->cl + data + 2 - c->wl;
}
