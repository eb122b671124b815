// The vector level, and one instruction of one warp.
#include "exec/handlers.h"
#include "exec/step.h"

// ---- the vector level -----------------------------------------------------------------------
#define LEVEL(level)                                                                               \
    {                                                                                              \
        #level, {                                                                                  \
            [TABLE_INT] = int_fns_##level, [TABLE_INT_MACHINE] = int_machine_fns_##level,          \
            [TABLE_INT64] = int64_fns_##level,                                                     \
            [TABLE_FP32] = fp32_fns_##level, [TABLE_FP64] = fp64_fns_##level,                      \
            [TABLE_SFU] = sfu_fns_##level, [TABLE_HALF] = half_fns_##level,                        \
            [TABLE_CVT] = cvt_fns_##level, [TABLE_LEVEL_MEM] = mem_fns_##level,                    \
            [TABLE_MMA] = mma_fns_##level, [TABLE_GMMA] = gmma_fns_##level                         \
        }                                                                                          \
    }
static const struct exec_level levels[] = {
#if defined(__x86_64__)
    LEVEL(v4), LEVEL(v3),
#endif
    LEVEL(base)};

static bool level_runs_here(const struct exec_level *v) {
#if defined(__x86_64__)
    // The levels by what distinguishes them (x86-64 psABI): older clangs do not know them by name.
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd");
    if (!strcmp(v->name, "v4")) return v4;
    if (!strcmp(v->name, "v3")) return v3;
#endif
    return !strcmp(v->name, "base");
}

// The host does not change while we run: what is found once is kept. Tests may force another.
static _Atomic(const struct exec_level *) level_in_use;

const struct exec_level *exec_level(void) {
    const struct exec_level *v = atomic_load_explicit(&level_in_use, memory_order_acquire);
    if (v) return v;
    v = levels;
    while (!level_runs_here(v)) v++;
    atomic_store_explicit(&level_in_use, v, memory_order_release);
    return v;
}
const char *exec_simd_level(void) { return exec_level()->name; }
bool exec_simd_force(const char *level) {
    if (!level) {
        atomic_store(&level_in_use, NULL);
        return true;
    }
    for (size_t k = 0; k < WW_COUNT(levels); k++) {
        if (strcmp(levels[k].name, level) || !level_runs_here(&levels[k])) continue;
        atomic_store(&level_in_use, &levels[k]);
        return true;
    }
    return false;
}

__attribute__((hot)) enum exec_outcome exec_step(struct exec_env *e, struct exec_warp *w) {
    if (ww_unlikely(!w->live)) return EXEC_EXITED;
    return step(e, w);
}
