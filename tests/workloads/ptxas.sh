#!/bin/sh
# ptxas.sh PTXAS FOLDER: the vendor's assembler takes every module of the workloads, as a real GPU's driver
# must (tools/run-on-real-gpu). Our parser is the more lenient one.
failed=0
for module in "$2"/*/*.ptx; do
    said=$("$1" -arch=sm_75 "$module" -o /dev/null 2>&1) && continue
    echo "${module##*/}: $said" | head -3
    failed=$((failed + 1))
done
[ $failed = 0 ]
