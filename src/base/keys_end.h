// Behind the rows that keys_begin.h stands before.
#undef K_UINT
#undef K_U64
#undef K_NUM
#undef K_BOOL
#undef K_ENUM
#undef K_TEXT
#undef K_MAP
#undef KEYS_FIELD_cache
#undef KEYS_FIELD_net
#undef KEYS_FIELD_tlb
#undef KEYS_FIELD_dram
#undef KEYS_FIELD_timings
#undef KEYS_FIELD_clocks
#undef KEYS_FIELD_tech
#undef KEYS_FIELD_power
#undef KEYS_FIELD_sm
#undef KEYS_FIELD_mem
