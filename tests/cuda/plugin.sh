#!/bin/sh
# plugin.sh WARPWATT SHARED STATIC TOOLKIT: opens plugin.cu, built with each runtime, from a program that knows no CUDA.
# Then the toolkit's own shared runtime is what the program asks for: by an RPATH of its own, of a library, and by its full name.
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
grep -q 'after calls that were refused: the runtime of ' "$out/err" || { cat "$out/err"; exit 1; } # the host ends with 0

runtime=$(ls "$4"/lib64/libcudart.so.1? "$4"/lib64/libcudart.so.11.0 2>/dev/null | head -1)
[ "$runtime" ] || exit 0
fail() { echo "$1"; cat "$out/err"; exit 1; }
cat >"$out/linked.c" <<'C'
int printf(const char *, ...), plugin_run(int);
int main(void) { return printf("%d\n", plugin_run(7)) < 0; }
C
cp "$2" "$out/libplugin.so"
# the program names the folder
cc "$out/host.c" -o "$out/rpath" -Wl,--no-as-needed "$runtime" -Wl,--disable-new-dtags,-rpath,"$4/lib64" -ldl || exit 99
got=$("$1" run --no-power --no-progress -- "$out/rpath" "$2" 2>"$out/err") || fail "by the program's RPATH: exit code $?"
[ "$got" = 7 ] || fail "by the program's RPATH: $got"
grep -q 'in 1 launch' "$out/err" || fail 'the launch is not in the account'
# a library that was linked registers its kernels before the program begins, and names the folder itself
cc "$out/linked.c" -o "$out/early" "$out/libplugin.so" -Wl,--disable-new-dtags,-rpath,"$out:$4/lib64" || exit 99
got=$("$1" run --no-power --no-progress -- "$out/early" 2>"$out/err") && [ "$got" = 7 ] || fail "by a library's RPATH: $got"
cc "$out/linked.c" -o "$out/runpath" "$out/libplugin.so" -Wl,--enable-new-dtags,-rpath,"$out:$4/lib64" || exit 99
got=$("$1" run --no-power --no-progress -- "$out/runpath" 2>"$out/err") && [ "$got" = 7 ] || fail "by a RUNPATH: $got"
# opened by its full name while the program runs, also by one with a hash as Python's wheels have it
cat >"$out/late.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *runtime = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0, *p;
    int (*get)(void **, unsigned long) = runtime ? (int (*)(void **, unsigned long))dlsym(runtime, "cudaMalloc") : 0;
    return get ? printf("%d\n", get(&p, 4) != 0) < 0 : 9;
}
C
cc "$out/late.c" -o "$out/late" -ldl || exit 99
version=${runtime##*.so.}
cp "$runtime" "$out/libcudart-d0da41ae.so.$version"
for name in "$runtime" "$out/libcudart-d0da41ae.so.$version"; do
    got=$("$1" run --no-power --no-progress -- "$out/late" "$name" 2>"$out/err") && [ "$got" = 0 ] || fail "by its full name, $name: $got"
done
# a version that warpwatt has none of
cp "$runtime" "$out/libcudart.so.10.2"
"$1" run --no-power --no-progress -- "$out/late" "$out/libcudart.so.10.2" >"$out/stdout" 2>"$out/err"
[ $? = 3 ] && [ "$(cat "$out/stdout")" = 1 ] || fail 'of another version: it ends otherwise'
grep -q 'the CUDA runtime .*libcudart.so.10.2 is of a version that warpwatt has none of' "$out/err" || fail 'nothing is said of it'
