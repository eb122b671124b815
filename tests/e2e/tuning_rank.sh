# tools/tuning-rank: three configurations of a kernel that take less time the larger their blocks are, and
# boards that say so, the opposite, and nothing.
. "$HERE/lib.sh"
command -v python3 >/dev/null || exit 77
mkdir ptx
for x in 32 64 256; do cp "$HERE/ptx/saxpy.ptx" ptx/$x.ptx; done
printf 'x,ms_same,ms_reversed,ms_none\n32,3,1,\n64,2,2,\n256,1,3,\n' >t.csv
rank() {
    python3 "$HERE/../../tools/tuning-rank" -b "$(dirname "$WARPWATT")" -c t.csv --ptx ptx -g gtx480 --block x,1 \
        --grid '65536//x,1' -a f32=2 -a 'f32[65536]=iota' -a 'f32[65536]=zero' -a u32=65536 "$@" >out 2>err
}
rank -m ms_same --entry saxpy -o o.csv || fail "$(cat err)"
says out '^3 configurations of t.csv .* Spearman 1.000'
[ "$(cut -d, -f1 o.csv | sort -n | tr '\n' ' ')" = 'x 32 64 256 ' ] || fail "the table is $(cat o.csv)"
rank -m ms_reversed || fail "$(cat err)"
says out 'Spearman -1.000'
rank -m ms_none && fail "a column without times passes"
says err 'has no row with ms_none'
# a launch that does not run is a row of its own
cp "$HERE/ptx/saxpy.ptx" ptx/2048.ptx; echo 2048,9,9, >>t.csv
rank -m ms_same || fail "$(cat err)"
says out '^\| 2048 \| .*the block is 2048'; says out '^3 configurations .* 1 refused'
rm ptx/64.ptx
rank -m ms_same && fail "a missing file passes"
says err 'no ptx/64.ptx'
rank -m ms_same --compile "cp $HERE/ptx/saxpy.ptx {out}" || fail "$(cat err)"
says out '^3 configurations'
finish
