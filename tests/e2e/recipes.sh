# Every recipe of docs/ is carried out from its text, one after the other in one copy of the tree: what it says is
# put where it says, built, run, and looked at.
. "$HERE/lib.sh"
top=$HERE/../..
ldd "$(dirname "$WARPWATT")/libcuda.so.1" | grep -q asan && { echo "skipped: what is built here has no sanitizer"; exit 77; }
git -C "$top" rev-parse >/dev/null 2>&1 || { echo "skipped: no git checkout to copy"; exit 77; }
# a build looks for its data in folders above it: none of another test's may be there
mkdir -p a/copy/of/tree
cd a/copy/of || exit 2
git -C "$top" ls-files -z | (cd "$top" && xargs -0 tar -cf -) | tar -xf - -C tree
rm -rf tree/example # nothing of the recipes is there before
launcher=
command -v ccache >/dev/null && launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
# shellcheck disable=SC2086
cmake -S tree -B tree/build -G Ninja -DWW_WERROR=OFF -DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 $launcher >configure.log 2>&1 ||
    { cat configure.log; fail "the copy cannot be configured"; finish; }
export XDG_CACHE_HOME="$TMP/cache"
for page in add-an-instruction add-a-counter add-a-policy add-a-gpu add-a-study; do
    python3 "$HERE/recipe.py" "$TMP/a/copy/of/tree" "$top/docs/$page.md" || fail "docs/$page.md is not so"
done
# what `warpwatt new` lays is built, runs, and has a test that says what to write
built=tree/build/warpwatt
{ "$built" new technique lazy-rows --tree tree && "$built" new gpu next-gpu --tree tree && cmake -S tree -B tree/build &&
    cmake --build tree/build --target warpwatt cuda savings_tests gpu_tests; } >new.log 2>&1 || { tail -20 new.log; fail "new files do not build"; }
"$built" run -p lazy-rows vectorAdd >said 2>&1 || { tail -5 said; fail "the new technique does not run"; }
ctest --test-dir tree/build -R '^(savings.test_lazy_rows|gpu.test_config)$' --output-on-failure >said 2>&1 && fail "new files have no failing test"
says said 'write what lazy-rows does'; says said 'next-gpu.yaml:[0-9]+: no source'
# each page of docs/ that is a recipe is among them
[ "$(ls "$top"/docs/add-a*.md | wc -l)" = 5 ] || fail "docs/ has a recipe that is not carried out"
[ "$failures" != 0 ] || rm -rf tree
finish
