#!/bin/sh
# plugin.sh WARPWATT SHARED STATIC: opens plugin.cu, built with each runtime, from a program that knows no CUDA.
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT
cat >"$out/host.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
    int (*run)(int) = library ? (int (*)(int))dlsym(library, "plugin_run") : 0;
    return run ? printf("%d\n", run(7)) < 0 : 9;
}
C
cc "$out/host.c" -o "$out/host" -ldl || exit 99
[ "$("$1" run -q --no-power --no-progress -- "$out/host" "$2" 2>"$out/err")" = 7 ] || { echo "the shared one: $(cat "$out/err")"; exit 1; }
got=$("$1" run -q --no-power --no-progress -- "$out/host" "$3" 2>"$out/err")
[ "$got" = -1 ] || { echo "the static one answers $got"; exit 1; }
grep -q 'the library .* carries a CUDA runtime of its own.*nvcc -cudart shared.*warpwatt extract' "$out/err" || { cat "$out/err"; exit 1; }
