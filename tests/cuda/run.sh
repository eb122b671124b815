#!/bin/sh
# run.sh WARPWATT SOURCE PROGRAM GPU: runs a program on a simulated GPU and compares what happens with the
# comments of its source (`// on GPU expect ...`: on that GPU only):
#   // expect stdout TEXT    a line of standard output holds the text
#   // expect stderr TEXT    standard error (the account and the diagnoses) holds it
#   // expect exit N         the command's exit code is N, not 0; or `exit failed`: any but 0
warpwatt=$1 source=$2 program=$3 gpu=$4
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT
fail() {
    echo "$*"
    echo "--- stdout"; cat "$out/stdout"
    echo "--- stderr"; cat "$out/stderr"
    exit 1
}
"$warpwatt" run --no-power --no-progress -g "$gpu" -- "$program" >"$out/stdout" 2>"$out/stderr"
code=$?
sed "s|^// on $gpu expect |// expect |" "$source" >"$out/source"
wanted=$(sed -n 's|^// expect exit ||p' "$out/source")
case ${wanted:-0} in
failed) [ $code -ne 0 ] || fail "the command's exit code is 0, expected another" ;;
*) [ $code -eq "${wanted:-0}" ] || fail "the command's exit code is $code, expected ${wanted:-0}" ;;
esac
for where in stdout stderr; do
    sed -n "s|^// expect $where ||p" "$out/source" >"$out/wanted"
    [ $where = stderr ] || [ -s "$out/wanted" ] || fail "$source expects nothing"
    while IFS= read -r line; do
        grep -qF -e "$line" "$out/$where" || fail "$where does not hold: $line"
    done <"$out/wanted"
done
# the account goes to standard error
if grep -q 'launches' "$out/stdout"; then fail "the account is on standard output"; fi
exit 0
