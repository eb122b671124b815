#!/bin/sh
# plugin.sh WARPWATT SHARED STATIC TOOLKIT [STATIC_OF_ANOTHER_VERSION]: opens plugin.cu, built with each runtime, from a program that knows no CUDA.
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
fail() { echo "$1"; cat "$out/err"; exit 1; }
cat >"$out/linked.c" <<'C'
int printf(const char *, ...), plugin_run(int);
int main(void) { return printf("%d\n", plugin_run(7)) < 0; }
C
# with a runtime of its own: opened, opened again after it was closed, two at once, and linked
cat >"$out/again.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 0; i < 4; i++) { // the second argument's stays open
        void *library = dlopen(argv[1 + i % 2], RTLD_NOW);
        int (*run)(int) = library ? (int (*)(int))dlsym(library, "plugin_run") : 0;
        sum += run ? run(i + 1) : 100;
        if (library && i % 2 == 0) dlclose(library);
    }
    return argc != 3 || printf("%d\n", sum) < 0;
}
C
cc "$out/again.c" -o "$out/again" -ldl || exit 99
cp "$3" "$out/other.so"
got=$("$1" run --no-power --no-progress -- "$out/host" "$3" 2>"$out/err") && [ "$got" = 7 ] || fail "the static one: $got"
grep -q 'in 1 launch' "$out/err" || fail 'the launch of the static one is not in the account'
got=$("$1" run -q --no-power --no-progress -- "$out/again" "$3" "$out/other.so" 2>"$out/err") && [ "$got" = 10 ] || fail "two static ones: $got"
mkdir "$out/static" && cp "$3" "$out/static/libplugin.so"
cc "$out/linked.c" -o "$out/with" "$out/static/libplugin.so" -Wl,-rpath,"$out/static" || exit 99
got=$("$1" run -q --no-power --no-progress -- "$out/with" 2>"$out/err") && [ "$got" = 7 ] || fail "the static one, linked: $got"
# without symbols it cannot be replaced
strip -o "$out/stripped.so" "$3" || exit 99
got=$("$1" run -q --no-power --no-progress -- "$out/host" "$out/stripped.so" 2>"$out/err")
[ $? = 3 ] && [ "$got" = -1 ] || fail "the stripped one answers $got"
grep -q 'the library .* carries a CUDA runtime of its own, and no symbols.*nvcc -cudart shared.*warpwatt extract' "$out/err" || fail 'nothing is said of the stripped one'
grep -q 'after calls that were refused: the runtime of ' "$out/err" || fail 'the stripped one is not in the account' # the host ends with 0
# a second version in one process
if [ "$5" ]; then
    "$1" run -q --no-power --no-progress -- "$out/again" "$3" "$5" >"$out/stdout" 2>"$out/err"
    [ $? = 3 ] && [ "$(cat "$out/stdout")" = 2 ] || fail "two versions: $(cat "$out/stdout")"
    grep -q "the library $5 carries a runtime of CUDA .*, and another file of this process one of CUDA" "$out/err" || fail 'nothing is said of two versions'
fi

runtime=$(ls "$4"/lib64/libcudart.so.1? "$4"/lib64/libcudart.so.11.0 2>/dev/null | head -1)
[ "$runtime" ] || exit 0
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
