// Rows of keys (gpu/config_keys.def) as fields of a struct: included before them inside the struct,
// keys_end.h behind them. No guard: each struct includes both.
#define K_UINT(name, ...)             uint32_t name;
#define K_U64(name, ...)              uint64_t name;
#define K_NUM(name, ...)              double name;
#define K_BOOL(name, ...)             bool name;
#define K_ENUM(name, ...)             uint32_t name;
#define K_TEXT(name, sees, size, ...) char name[size];
#define K_MAP(name, section, ...)     KEYS_FIELD_##section(name)
#define KEYS_FIELD_cache(name)        struct cache_config name;
#define KEYS_FIELD_net(name)          struct net_config name;
#define KEYS_FIELD_tlb(name)         struct tlb_config name;
#define KEYS_FIELD_dram(name)         struct dram_config name;
#define KEYS_FIELD_timings(name)      struct class_timing name[OPC_N];
#define KEYS_FIELD_clocks(name)       struct gpu_clocks name;
#define KEYS_FIELD_tech(name)         struct gpu_tech name;
#define KEYS_FIELD_power(name)        struct gpu_power name;
#define KEYS_FIELD_board(name)        struct gpu_board name;
#define KEYS_FIELD_sm(name)           struct sm_config name;
#define KEYS_FIELD_mem(name)          struct mem_config name;
