#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
# Usage: run_fuzz.sh SECONDS BUILD_DIR
# Runs every fuzz target of a build with ZLINK_BUILD_FUZZ=ON, for SECONDS in total. The seeds are not changed: what is
# found goes to BUILD_DIR/fuzz/<name>, and so do inputs that crash. Fails at the first target that does.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 SECONDS BUILD_DIR" >&2; exit 2; }
seconds=$1
build=$2
seeds=$(cd "$(dirname "$0")" && pwd)/corpus
targets=$(find "$build" -name 'fuzz_*' -type f -perm -u+x | sort)
count=$(echo "$targets" | grep -c . || true)
[ "$count" -gt 0 ] || { echo "no fuzz targets in $build" >&2; exit 2; }
each=$((seconds / count))
[ "$each" -gt 0 ] || each=1
for target in $targets; do
    name=$(basename "$target" | sed 's/^fuzz_//')
    work=$build/fuzz/$name
    mkdir -p "$work"
    echo "fuzz_$name: $each s"
    "$target" -max_total_time="$each" -max_len=4096 -print_final_stats=1 -verbosity=0 -artifact_prefix="$work/crash-" \
        "$work" "$seeds/$name"
done
