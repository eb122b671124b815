# Shared by the scripts of this folder: python with the packages asked for, or the test is skipped.
# WARPWATT_PYTHON names another interpreter (a virtual environment's).
python=${WARPWATT_PYTHON:-python3}
needs() {
    "$python" - "$@" <<'P' >/dev/null 2>&1 || { echo "skipped: $python has no $*"; exit 77; }
import importlib, sys
for name in sys.argv[1:]: importlib.import_module(name)
P
}
