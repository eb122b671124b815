# `warpwatt study tuning`, `study blind`, `study hopper` and `study ampere`, a few configurations of each space: kernels compile and run on their GPU, and
# the pages stand.
. "$HERE/lib.sh"
command -v clang >/dev/null || exit 77
run 0 study tuning --size small -o tuning --db kept.db
[ "$(grep -c 'points, Spearman' out)" = 8 ] || fail "not eight spaces: $(cat out)"
lacks tuning/spaces.csv ',[1-9][0-9]*,0,[0-9]+,33,' # none refused
[ "$(grep -c '<svg' tuning/index.html)" = 8 ] || fail "not eight drawings"
run 0 study blind --size small -o blind --db kept.db
says out '^k80 .* 3 points'
for study in hopper ampere; do
    run 0 study $study --size small -o $study --db kept.db
    [ "$(grep -c '2 points, Spearman' out)" = 3 ] || fail "not three spaces: $(cat out)"
    lacks $study/spaces.csv ',[1-9][0-9]*,0,[0-9]+,34,' # none refused
done
finish
