# Partition camping on the GT 240: the four transposes of Ruetsch and Micikevicius ("Optimizing Matrix
# Transpose in CUDA", NVIDIA 2010), a square matrix whose pitch is a multiple of the partitions' cycle.
# They measured on a GTX 280, eight partitions: straight 2.2 GB/s, through a tile 16.5, through a padded
# tile 16.6, in diagonal order 69.5. With two partitions camping costs at most a factor of two.
. "$HERE/lib.sh"
cycles() { # cycles VARIANT [OPTIONS]: of the transpose of 1024 x 1024 words
    v=$1; shift
    "$WARPWATT" run -q -g gt240-ddr3 -o run "$@" transpose 1024 1024 1 "$v" >out 2>err ||
        { fail "transpose, variant $v"; cat err; }
    sed -n 's/.*"type":"launch".*"cycles":\([0-9]*\),"seconds".*/\1/p' run/record.jsonl | head -1
}
# ratio A B LOW HIGH WHAT: a / b lies between the two
ratio() {
    awk -v a="$1" -v b="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(a >= low * b && a <= high * b) }' ||
        fail "$5: $1 cycles for $2, wanted $3 to $4 times"
}
straight=$(cycles 1); tile=$(cycles 2); padded=$(cycles 0); diagonal=$(cycles 3)
ratio "$straight" "$tile" 4 30 'straight against a tile (7.5 measured, eight partitions)'
ratio "$tile" "$padded" 0.9 1.1 'bank conflicts are hidden by camping (1.01 measured)'
ratio "$padded" "$diagonal" 1.4 2.1 'camped against diagonal order (4.2 of at most 8 measured)'
# The same without camping: a hash spreads the columns, as from Fermi on.
spread=$(cycles 0 -s mem.partition_hash=true -s mem.channel_xor=false)
ratio "$padded" "$spread" 1.3 2.1 'camped against hashed partitions'
finish
