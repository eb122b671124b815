// The machine as a run used it: its places, which of the energy tree's components each has, and what
// moved between them. The page draws places in rows and the paths between these.
#include "view/view.h"

#include <math.h>

enum place {
    PLACE_NONE = -1,
#define MACHINE_PLACE(name, row, title) PLACE_##name,
#include "view/machine.def"
#undef MACHINE_PLACE
    PLACES
};
static const struct {
    const char *name, *title;
    int row;
} places[PLACES] = {
#define MACHINE_PLACE(name, row, title) {#name, title, row},
#include "view/machine.def"
#undef MACHINE_PLACE
};

static enum place place_of(const struct power_tree *t, int component) {
    static const struct {
        const char *component;
        enum place place;
    } owner[] = {
#define MACHINE_PART(component, place) {#component, PLACE_##place},
#include "view/machine.def"
#undef MACHINE_PART
    };
    for (int i = component; i >= 0; i = t->component[i].parent)
        for (size_t k = 0; k < WW_COUNT(owner); k++)
            if (strcmp(t->component[i].name, owner[k].component) == 0) return owner[k].place;
    return PLACE_rest;
}

unsigned machine_places(const struct power_tree *t, unsigned place[POWER_MAX_COMPONENTS]) {
    for (int i = 0; i < t->components; i++) place[i] = (unsigned)place_of(t, i);
    return PLACES;
}

json_t *machine_places_json(const struct power_tree *t) {
    json_t *list = json_array();
    for (int p = 0; p < PLACES; p++) {
        json_t *parts = json_array();
        for (int i = 0; i < t->components; i++)
            if ((int)place_of(t, i) == p)
                json_array_append_new(parts, json_string(t->component[i].name));
        json_array_append_new(list, json_pack("{s:s,s:s,s:i,s:o}", "name", places[p].name, "title",
                                              places[p].title, "row", places[p].row, "components",
                                              parts));
    }
    return list;
}

// ---- what moved ---------------------------------------------------------------------------------
// Bytes that a place got from the one below it and gave to it; where counters do not say which way,
// `both` has their sum.
static void put_path(json_t *list, const char *above, const char *below, double up, double down,
                     double both) {
    if (!(up > 0) && !(down > 0) && !(both > 0)) return;
    json_t *o = json_pack("{s:s,s:s}", "above", above, "below", below);
    if (both > 0)
        json_object_set_new(o, "bytes", json_real(both));
    else {
        json_object_set_new(o, "up_bytes", json_real(up));
        json_object_set_new(o, "down_bytes", json_real(down));
    }
    json_array_append_new(list, o);
}

static void put_hits(json_t *o, const char *place, double hits, double all) {
    if (all > 0) json_object_set_new(o, place, json_real(hits / all));
}

json_t *machine_traffic_json(const struct gpu_config *c, const struct activity *a) {
    enum { WORD = 4, SM_FLIT = 32 }; // bytes; a flit from SM to SM (mem.net.sm_*, counters.def)
    const double flit = gpu_config_real(c, "mem.net.flit_bytes");
    json_t *o = json_object(), *paths = json_array(), *hits = json_object();
    put_path(paths, "registers", "shared", 0, 0, peak_bytes(c, a, PEAK_SHARED));
    put_path(paths, "registers", "l1", 0, 0, peak_bytes(c, a, PEAK_L1));
    put_path(paths, "registers", "constant", WORD * act_real(a, "const_reads"), 0, 0);
    put_path(paths, "registers", "texture", WORD * act_real(a, "tex_fetches"), 0, 0);
    put_path(paths, "shared", "network", 0, 0, SM_FLIT * act_real(a, "net_sm_flits"));
    put_path(paths, "l1", "l2", flit * act_real(a, "net_reply_flits"),
             flit * act_real(a, "net_request_flits"), 0);
    put_path(paths, "l2", "dram", act_real(a, "dram_read_bytes"), act_real(a, "dram_write_bytes"),
             0);
    put_hits(hits, "l1", act_real(a, "l1_read_hits"), act_real(a, "l1_reads"));
    put_hits(hits, "constant", act_real(a, "const_reads") - act_real(a, "const_misses"),
             act_real(a, "const_reads"));
    put_hits(hits, "texture", act_real(a, "tex_hits"), act_real(a, "tex_reads"));
    put_hits(hits, "l2", act_real(a, "l2_read_hits"), act_real(a, "l2_reads"));
    put_hits(hits, "dram", act_real(a, "dram_row_hits"),
             act_real(a, "dram_row_hits") + act_real(a, "dram_row_misses"));
    put_hits(hits, "network", act_real(a, "tlb_reads") - act_real(a, "tlb_misses"),
             act_real(a, "tlb_reads"));
    json_object_set_new(o, "paths", paths);
    json_object_set_new(o, "hits", hits);
    return o;
}
