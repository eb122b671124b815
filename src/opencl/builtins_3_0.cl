// Built-in functions of OpenCL C 3.0 that libclc 14 lacks: atomics on objects in global and in local memory (6.15.12), barriers
// with a scope. Compiled with -cl-std=CL3.0, linked like builtins.cl. An atomic operation is PTX's relaxed one; what orders memory
// around it is a fence of the whole GPU, so that a narrower scope is ordered as strictly as the widest.
#define OVERLOAD __attribute__((overloadable))

// ---- barriers -----------------------------------------------------------------------------------
OVERLOAD void work_group_barrier(cl_mem_fence_flags flags, memory_scope s) { barrier(flags); }
OVERLOAD void work_group_barrier(cl_mem_fence_flags flags) { barrier(flags); }

// ---- atomics ------------------------------------------------------------------------------------
static inline void before(memory_order o) {
    if (o == memory_order_release || o == memory_order_acq_rel || o == memory_order_seq_cst) __nvvm_membar_gl();
}
static inline void after(memory_order o) {
    if (o == memory_order_acquire || o == memory_order_acq_rel || o == memory_order_seq_cst) __nvvm_membar_gl();
}
OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order o, memory_scope s) {
    if (o != memory_order_relaxed && s != memory_scope_work_item) __nvvm_membar_gl();
}

// The forms of a function: with an order and a scope, with an order (all of the device), with neither (seq_cst).
#define FORMS(result, name, object, parameters, ...)                                               \
    OVERLOAD result name##_explicit(object parameters, memory_order o) {                           \
        return name##_explicit(__VA_ARGS__, o, memory_scope_device);                               \
    }                                                                                              \
    OVERLOAD result name(object parameters) {                                                      \
        return name##_explicit(__VA_ARGS__, memory_order_seq_cst, memory_scope_device);            \
    }
#define WITH(...) , __VA_ARGS__
#define ALONE

#define MODIFY(space, atomic, type, name, old)                                                     \
    OVERLOAD type name##_explicit(volatile space atomic *a, type v, memory_order o, memory_scope s) { \
        volatile space type *const p = (volatile space type *)a;                                   \
        before(o);                                                                                 \
        const type r = old;                                                                        \
        after(o);                                                                                  \
        return r;                                                                                  \
    }                                                                                              \
    FORMS(type, name, volatile space atomic *a, WITH(type v), a, v)

// `e` lies in global, local or private memory; what was found instead of it goes there.
#define COMPARE(space, of_expected, atomic, type, word, strength, exchange)                        \
    OVERLOAD bool atomic_compare_exchange_##strength##_explicit(                                   \
        volatile space atomic *a, of_expected type *e, type v, memory_order o, memory_order on_failure, memory_scope s) { \
        const word wanted = __builtin_astype(*e, word);                                            \
        before(o);                                                                                 \
        const word found = exchange((volatile space word *)a, wanted, __builtin_astype(v, word));  \
        after(o);                                                                                  \
        if (found != wanted) *e = __builtin_astype(found, type);                                   \
        return found == wanted;                                                                    \
    }                                                                                              \
    OVERLOAD bool atomic_compare_exchange_##strength##_explicit(                                   \
        volatile space atomic *a, of_expected type *e, type v, memory_order o, memory_order on_failure) { \
        return atomic_compare_exchange_##strength##_explicit(a, e, v, o, on_failure, memory_scope_device); \
    }                                                                                              \
    OVERLOAD bool atomic_compare_exchange_##strength(volatile space atomic *a, of_expected type *e, type v) { \
        return atomic_compare_exchange_##strength##_explicit(a, e, v, memory_order_seq_cst, memory_order_seq_cst, \
                                                             memory_scope_device);                 \
    }
#define COMPARES(space, of_expected, atomic, type, word, exchange)                                 \
    COMPARE(space, of_expected, atomic, type, word, strong, exchange)                              \
    COMPARE(space, of_expected, atomic, type, word, weak, exchange)

// What every type has.
#define OBJECT(space, atomic, type, word, exchange, compare)                                       \
    OVERLOAD void atomic_init(volatile space atomic *a, type v) { *(volatile space type *)a = v; } \
    OVERLOAD void atomic_store_explicit(volatile space atomic *a, type v, memory_order o, memory_scope s) { \
        before(o);                                                                                 \
        *(volatile space type *)a = v;                                                             \
        if (o == memory_order_seq_cst) __nvvm_membar_gl();                                         \
    }                                                                                              \
    FORMS(void, atomic_store, volatile space atomic *a, WITH(type v), a, v)                        \
    OVERLOAD type atomic_load_explicit(volatile space atomic *a, memory_order o, memory_scope s) { \
        if (o == memory_order_seq_cst) __nvvm_membar_gl();                                         \
        const type r = *(volatile space type *)a;                                                  \
        after(o);                                                                                  \
        return r;                                                                                  \
    }                                                                                              \
    FORMS(type, atomic_load, volatile space atomic *a, ALONE, a)                                   \
    MODIFY(space, atomic, type, atomic_exchange,                                                   \
           __builtin_astype(exchange((volatile space word *)p, __builtin_astype(v, word)), type))  \
    COMPARES(space, __global, atomic, type, word, compare)                                         \
    COMPARES(space, __local, atomic, type, word, compare)                                          \
    COMPARES(space, __private, atomic, type, word, compare)

// What whole numbers have beyond that: the older functions, of 32 bits or 64.
#define NUMBER(space, atomic, type, old)                                                           \
    MODIFY(space, atomic, type, atomic_fetch_add, old##_add(p, v))                                 \
    MODIFY(space, atomic, type, atomic_fetch_sub, old##_sub(p, v))                                 \
    MODIFY(space, atomic, type, atomic_fetch_or, old##_or(p, v))                                   \
    MODIFY(space, atomic, type, atomic_fetch_xor, old##_xor(p, v))                                 \
    MODIFY(space, atomic, type, atomic_fetch_and, old##_and(p, v))                                 \
    MODIFY(space, atomic, type, atomic_fetch_min, old##_min(p, v))                                 \
    MODIFY(space, atomic, type, atomic_fetch_max, old##_max(p, v))

// An address moves by a difference, which is signed.
#define ADDRESS(space, name)                                                                       \
    OVERLOAD ulong name##_explicit(volatile space atomic_ulong *a, long v, memory_order o, memory_scope s) { \
        return name##_explicit(a, (ulong)v, o, s);                                                 \
    }                                                                                              \
    FORMS(ulong, name, volatile space atomic_ulong *a, WITH(long v), a, (ulong)v)

#define SPACE(space)                                                                               \
    OBJECT(space, atomic_int, int, int, atomic_xchg, atomic_cmpxchg)                               \
    OBJECT(space, atomic_uint, uint, uint, atomic_xchg, atomic_cmpxchg)                            \
    OBJECT(space, atomic_float, float, uint, atomic_xchg, atomic_cmpxchg)                          \
    OBJECT(space, atomic_long, long, long, atom_xchg, atom_cmpxchg)                                \
    OBJECT(space, atomic_ulong, ulong, ulong, atom_xchg, atom_cmpxchg)                             \
    OBJECT(space, atomic_double, double, ulong, atom_xchg, atom_cmpxchg)                           \
    NUMBER(space, atomic_int, int, atomic)                                                         \
    NUMBER(space, atomic_uint, uint, atomic)                                                       \
    NUMBER(space, atomic_long, long, atom)                                                         \
    NUMBER(space, atomic_ulong, ulong, atom)                                                       \
    ADDRESS(space, atomic_fetch_add)                                                               \
    ADDRESS(space, atomic_fetch_sub)                                                       \
    OVERLOAD bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *a, memory_order o, memory_scope s) { \
        return atomic_exchange_explicit((volatile space atomic_int *)a, 1, o, s) != 0;             \
    }                                                                                              \
    FORMS(bool, atomic_flag_test_and_set, volatile space atomic_flag *a, ALONE, a)                 \
    OVERLOAD void atomic_flag_clear_explicit(volatile space atomic_flag *a, memory_order o, memory_scope s) { \
        atomic_store_explicit((volatile space atomic_int *)a, 0, o, s);                            \
    }                                                                                              \
    FORMS(void, atomic_flag_clear, volatile space atomic_flag *a, ALONE, a)
SPACE(__global)
SPACE(__local)
