# tools/same tells equal builds from different ones. The different one is this build with one latency changed.
. "$HERE/lib.sh"
build=$(dirname "$WARPWATT")
same() { sh "$HERE/../../tools/same" -k "$TMP/kept" "$@" >out 2>err; }
same "$build" "$build" no-such-workload && fail "an unknown workload passes"
same -n 3 "$build" "$build" vectorAdd transpose || { fail "one build is not like itself"; cat out err; }
says out '^3 of 3 cases are the same'
mkdir other && cp -s "$build/CMakeCache.txt" "$build/libcuda.so.1" other/
cat >other/warpwatt <<END_OTHER
#!/bin/sh
shift
exec "$WARPWATT" run -s sm.decode_latency=19 "\$@"
END_OTHER
chmod +x other/warpwatt
same -n 3 "$build" other vectorAdd transpose && { fail "another latency is not seen"; cat out; }
says out '^[01] of 3 cases are the same' # one of the three is refused by both
says out '^differs: (vectorAdd|transpose)'
[ "$(find kept -name '*.gz' | wc -l)" = 3 ] || fail "the first build's outputs were not kept"
finish
