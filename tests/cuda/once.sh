#!/bin/sh
# Runs a compiler once for all build folders: what it makes is kept in FOLDER under a hash of the compiler's version
# (VERSION, any text), the command less the build folder's path, and the files that it reads.
# usage: once.sh FOLDER VERSION BUILD OUT FILE... -- COMMAND...     COMMAND writes OUT
set -eu
folder=$1 version=$2 build=$3 out=$4
shift 4
sums=
while [ "$1" != -- ]; do
    sums="$sums $(sha256sum <"$1")"
    shift
done
shift
kept=$folder/$(printf '%s\n' "$version" "$sums" "$@" | sed "s|$build||g" | sha256sum | cut -c1-32)
if [ ! -f "$kept" ]; then
    "$@"
    mkdir -p "$folder"
    cp "$out" "$kept.$$"
    mv "$kept.$$" "$kept"
    exit
fi
touch "$kept"
cp "$kept" "$out"
find "$folder" -type f -mtime +60 -delete # what no build has asked for since
