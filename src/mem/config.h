// The configuration of caches, network, TLBs, DRAM and what holds them together, filled from the GPU
// file; every number's source stands there.
#ifndef WW_MEM_CONFIG_H
#define WW_MEM_CONFIG_H

#include "base/base.h"

struct cache_config {
#include "base/keys_begin.h"
#define KEYS_cache
#include "mem/config.def"
#undef KEYS_cache
#include "base/keys_end.h"
};

// How accesses of a warp to global memory become transactions (coalesce.c).
enum coalesce_kind {
    COALESCE_TESLA10,  // cc 1.0/1.1: strict order, half-warps
    COALESCE_TESLA12,  // cc 1.2/1.3: half-warp segments of 32/64/128 bytes, shrunk
    COALESCE_LINE128,  // Fermi, L1 on: 128-byte lines
    COALESCE_SECTOR32, // 32-byte sectors (Kepler global, stores, L1 off); neighbours that make an
                       // aligned 64 or 128 bytes travel as one transaction
    COALESCE_LINE128_WARP, // the same two, wide words too by whole warps (Volta)
    COALESCE_SECTOR32_WARP
};

enum net_kind { NET_CROSSBAR, NET_MESH };
struct net_config {
#include "base/keys_begin.h"
#define KEYS_net
#include "mem/config.def"
#undef KEYS_net
#include "base/keys_end.h"
    double clock_mhz;
};

struct tlb_config {
#include "base/keys_begin.h"
#define KEYS_tlb
#include "mem/config.def"
#undef KEYS_tlb
#include "base/keys_end.h"
};

enum dram_kind {
#define DRAM_KIND(id, ...) DRAM_##id,
#include "mem/dram_kind.def"
#undef DRAM_KIND
    DRAM_KINDS
};
struct dram_config {
#include "base/keys_begin.h"
#define KEYS_dram
#include "mem/config.def"
#undef KEYS_dram
#include "base/keys_end.h"
    double clock_mhz; // command clock
};

const char *dram_kind_name(uint32_t kind); // NULL: no such kind
// Fills in what is 0 from the kind, for the clock of `c`. What the kind does not know stays 0.
void dram_config_complete(struct dram_config *c);

struct mem_config {
#include "base/keys_begin.h"
#define KEYS_mem
#include "mem/config.def"
#undef KEYS_mem
#include "base/keys_end.h"
    double l2_clock_mhz;
};

#endif
