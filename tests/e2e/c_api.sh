# libwarpwatt as a user has it: installed under a prefix, found by pkg-config, shared and static; the example of the
# documentation; what it says is what the command says.
. "$HERE/lib.sh"
build=$(dirname "$WARPWATT")
source=$HERE/../..
command -v cc >/dev/null && command -v pkg-config >/dev/null || { echo "skipped: no cc or no pkg-config"; exit 77; }
cmake --install "$build" --prefix "$TMP/prefix" >log 2>&1 || { fail "installs"; tail -5 log; finish; }
pc=$(dirname "$(find prefix -name warpwatt.pc)")
lib=$TMP/$(dirname "$pc")
PKG_CONFIG_PATH=$TMP/$pc
export PKG_CONFIG_PATH
asan=
nm -D "$lib/libwarpwatt.so.0" | grep -q __asan && asan=-fsanitize=address,undefined

# exactly what the header declares is exported, with a version, under soname 0
grep -oE '^WW_API [^(]*\b(ww_[a-z_]+)\(' "$source/include/warpwatt.h" | sed 's/.*\(ww_[a-z_]*\)($/\1/' | sort >declared
nm -D --defined-only "$lib/libwarpwatt.so.0" | awk '$2 != "A" {print $3}' | sort >exported
[ "$(wc -l <declared)" -gt 25 ] || fail "few functions in warpwatt.h"
sed 's/$/@@WARPWATT_0.1/' declared | diff - exported >/dev/null || { fail "exported is not declared"; sed 's/$/@@WARPWATT_0.1/' declared | diff - exported; }
readelf -d "$lib/libwarpwatt.so" | grep -q 'SONAME.*\[libwarpwatt\.so\.0\]' || fail "soname"
# the static library brings no other names (those of the sanitizers aside)
nm --defined-only -g "$lib/libwarpwatt.a" 2>/dev/null | awk 'NF == 3 {print $3}' | grep -v '^__' | sort | diff declared - >/dev/null || fail "libwarpwatt.a has other names"

# shellcheck disable=SC2046
cc -Wall -Wextra -Werror $asan "$source/docs/examples/saxpy.c" -o shared $(pkg-config --cflags --libs warpwatt) || fail "builds with the shared library"
# shellcheck disable=SC2046
cc $asan "$source/docs/examples/saxpy.c" -o static $(pkg-config --cflags warpwatt) "$lib/libwarpwatt.a" $(pkg-config --static --libs-only-l warpwatt | sed 's/-lwarpwatt//') || fail "builds with the static library"
LD_LIBRARY_PATH=$lib ./shared gtx480-micro46 warped-gates >out 2>err || { fail "runs"; cat err; }
says out 'saxpy on gtx480-micro46, techniques: none'
says out 'saxpy on gtx480-micro46, techniques: warped-gates'
[ "$(grep -c 'right, ' out)" = 2 ] || fail "the results are not right twice"
says out ' 0 gatings'
[ "$(grep -c ' 0 gatings' out)" = 1 ] || fail "a technique gates nothing"
WARPWATT_GPUS=prefix/share/warpwatt/gpus WARPWATT_SAVINGS=prefix/share/warpwatt/savings \
    ./static gtx480-micro46 warped-gates >static.out 2>err || { fail "runs, static"; cat err; }
cmp -s out static.out || fail "static and shared differ"
LD_LIBRARY_PATH=$lib ./shared gtx999 >out2 2>err && fail "opens a GPU that is not there"
says err 'gtx999'

# the command on the same kernel: the same cycles and joules
sed -n '/^static const char ptx/,/;$/p' "$source/docs/examples/saxpy.c" | sed -n 's/^[^"]*"\(.*\)"[;]*$/\1/p' | sed 's/\\n/\n/g' >saxpy.ptx
# shellcheck disable=SC2046
cc $asan "$source/tests/e2e/api/same.c" -o same $(pkg-config --cflags --libs warpwatt) || fail "builds same.c"
for p in none warped-gates; do
    run 0 run -g gtx480-micro46 -p $p --json saxpy.ptx --grid 79 --block 256 --arg f32=2 --arg 'f32[20000]=zero' --arg 'f32[20000]=zero' --arg u32=20000
    LD_LIBRARY_PATH=$lib ./same saxpy.ptx gtx480-micro46 $p >library || { fail "same.c runs"; cat library; }
    python3 - <<'PY' || fail "the command and the library differ ($p)"
import json
run = json.load(open("out"))
cycles, dynamic, static = map(float, open("library").read().split())
k = run["power"]["kernels"]
assert cycles == run["launches"][0]["cycles"], (cycles, run["launches"][0]["cycles"])
assert abs(dynamic / k["dynamic_j"] - 1) < 1e-7, (dynamic, k["dynamic_j"])
assert abs(static / k["static_j"] - 1) < 1e-7, (static, k["static_j"])
PY
done
finish
