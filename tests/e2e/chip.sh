# `warpwatt chip`: area, leakage and peak power of a GPU without a program.
. "$HERE/lib.sh"
for g in gt240 gtx480 gtx480-16sm gtx580 gtx780 titanx-pascal rtx2060s v100 qv100; do
    run 0 chip -g $g; says out '^total'; says out '^    sm '; says out 'die area'; says out 'marks as fitted'
done
run 0 chip -g v100; says out 'fitted to this chip'; lacks out 'predictions'
run 0 chip -g rtx2060s; says out 'predictions'; lacks out 'fitted to this chip'
run 0 chip -g gtx580; says out 'GeForce GTX 580'; says out 'predictions'; says out '520\.0'; says out '244\.0'
run 0 chip -g gt240; lacks out 'predictions'; says out '139\.0'; says out '69\.0'
run 0 chip --depth 1; says out '^  chip'; lacks out '^    sm '
run 0 chip --help; says out '--depth'
# JSON: own figures of all components add up to the root's
run 0 chip -g gtx480 --json
says out '^  "format": 1,$'
says out '"area_mm2"'; says out '"prediction": false'; says out '"scheduler_arbitrations"'
awk -F': ' '/"own": \{/ {inside = 1} inside && /"area_mm2"/ {sum += $2} /^      \}/ {inside = 0}
            /^      "area_mm2"/ && !total {total = $2}
            END {d = sum / total - 1; exit !(d < 1e-6 && d > -1e-6)}' out || fail "own areas do not add up"
peak() { "$WARPWATT" chip --json "$@" 2>err | awk -F'[:,]' '/^  "peak_w"/ {printf "%.0f", $2}'; }
[ "$(peak -g gtx580)" -gt "$(peak -g gt240)" ] || fail "gtx580 should draw more than gt240"
[ "$(peak -g gtx480 -s sm_count=8)" -lt "$(peak -g gtx480)" ] || fail "half of the SMs should draw less"
# what the model does not know is refused, with the place in the file
run 2 chip -g nosuch; says err nosuch; one_sentence err
run 2 chip extra; says err 'takes no word'
run 2 chip --depth many; says err depth
run 2 chip -s mem.dram.kind=sdram; one_sentence err
sed 's/^  node_nm: .*/  node_nm: 128/' "$HERE/../../gpus/gtx480.yaml" >old.yaml
run 2 chip -g ./old.yaml; says err 'old.yaml:[0-9]+'; says err 'node'; one_sentence err
finish
