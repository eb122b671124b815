# A link to the command, wherever it lies, finds the files that lie by the command.
. "$HERE/lib.sh"
mkdir -p far/away && ln -s "$(realpath "$WARPWATT")" far/away/ww
WARPWATT=$PWD/far/away/ww
run 0 gpus
says out '^gtx480 '
run 0 run --no-power --size small vectorAdd
cd far && WARPWATT=away/ww && run 0 gpus && cd .. || exit 1
finish
