# pynvml (nvidia-ml-py), and what torch.cuda asks of it: the device before and after it is open, and the energy of the account.
. "$HERE/lib.sh"
needs numpy torch pynvml
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
"$WARPWATT" run -q -g "${WARPWATT_TORCH_GPU:-v100}" -o "$folder/run" -- "$python" "$HERE/nvml_client.py" "$folder/told" || exit 1
exec "$python" - "$folder" <<'P'
import json, sys
told, run = float(open(sys.argv[1] + '/told').read()), json.load(open(sys.argv[1] + '/run/power.json'))['run']
assert abs(told - 1000 * run['energy_j']) <= 0.51, (told, run['energy_j'])
print('ok')
P
