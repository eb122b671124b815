# The files of a recipe, laid into a checkout: whole, once, and never over what is there. e2e.recipes builds them.
. "$HERE/lib.sh"
mkdir -p tree/src/savings tree/savings tree/tests/savings tree/gpus
cp "$HERE/../../src/savings/mechanism.def" tree/src/savings/
run 0 new technique lazy-rows --tree tree
says out 'written +tree/src/savings/lazy_rows.c'; says out "ctest .*savings.test_lazy_rows"
for f in src/savings/lazy_rows.c savings/lazy-rows.yaml tests/savings/test_lazy_rows.c; do
    [ -s "tree/$f" ] || fail "no $f"
    lacks "tree/$f" '@[A-Z]'
done
[ "$(grep -n 'MECHANISM(lazy_rows)' tree/src/savings/mechanism.def | cut -d: -f1)" -lt \
    "$(grep -n '^SHARED(' tree/src/savings/mechanism.def | head -1 | cut -d: -f1)" ] || fail "its line"
cp -R tree before
run 2 new technique lazy-rows --tree tree; one_sentence err; says err 'there already; nothing was written'
diff -r tree before >difference || fail "something was written: $(cat difference)"
# a GPU: of every value a line, without a source, as its base has it
run 0 new gpu next-gpu --base a100 --tree tree
says tree/gpus/next-gpu.yaml '^base: a100$'; says tree/gpus/next-gpu.yaml '^sm_count: 108$'; lacks tree/gpus/next-gpu.yaml '@'
run 0 new gpu next-gpu --base a100; says out 'run -g ./next-gpu.yaml'
run 0 gpus a100 && sed '/^\(product\|description\)/d' out >base
run 0 gpus ./next-gpu.yaml && sed '/^\(product\|description\)/d' out >own
diff base own >difference || fail "not as its base: $(head -5 difference)"
run 0 run -g ./next-gpu.yaml -q vectorAdd
# bad input
run 2 new; run 2 new technique; run 2 new study x; says err 'not a `study`'
run 2 new technique lazy; says err 'is no checkout'
for name in Upper 3d a_b a--b a- ../a "$(printf 'a%.0s' $(seq 40))"; do run 2 new gpu "$name"; one_sentence err; says err 'is no name'; done
run 2 new gpu other --base nobody; one_sentence err
run 2 new gpu gtx480; one_sentence err; says err 'there is a GPU gtx480 already'
[ ! -e gtx480.yaml ] || fail "a GPU that is its own base"
run 2 new gpu a b
run 2 new gpu other --tree nowhere; one_sentence err; says err 'nowhere is no checkout'
[ ! -e other.yaml ] || fail "a GPU's file beside the tree that was asked for"
finish
