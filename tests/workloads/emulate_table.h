// emulate_table.h: the kernels and symbols of one workload, by name.
#ifndef WW_EMULATE_TABLE_H
#define WW_EMULATE_TABLE_H

#include <stddef.h>

#include <utility>

struct emulate_kernel {
    const char *name;
    void (*call)(void **params); // takes the parameters as cuLaunchKernel does
};
struct emulate_symbol {
    const char *name;
    void *address;
    size_t bytes;
};
extern const emulate_kernel emulate_kernels[]; // all end with a row without a name
extern const emulate_symbol emulate_symbols[];
extern const emulate_symbol emulate_textures[];

template <auto function> struct emulate_call;
template <class... P, void (*function)(P...)> struct emulate_call<function> {
    static void with(void **params) { with_each(params, std::index_sequence_for<P...>()); }
    template <size_t... I> static void with_each(void **params, std::index_sequence<I...>) {
        function(*(P *)params[I]...);
    }
};

#define EMULATE_KERNEL(name) {#name, emulate_call<name>::with},
#define EMULATE_SYMBOL(name) {#name, (void *)&name, sizeof name},

#endif
