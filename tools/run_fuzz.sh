#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# Runs every fuzz target of a build directory for an equal share of some seconds, from its seeds in tests/fuzz/corpus/<name>.
# New inputs and crashes go to <build>/found-<target>. Usage: run_fuzz.sh BUILD_DIRECTORY SECONDS
set -euo pipefail
build=$1 seconds=$2
top=$(cd "$(dirname "$0")/.." && pwd)

mapfile -t targets < <(find "$build" -type f -executable -name 'fuzz_*' | sort)
if [ ${#targets[@]} -eq 0 ]; then
    echo "no fuzz target in $build" >&2
    exit 1
fi
share=$((seconds / ${#targets[@]}))
((share > 0)) || share=1 # to libFuzzer none means no end
for target in "${targets[@]}"; do
    name=$(basename "$target")
    work=$build/found-$name
    seeds=$top/tests/fuzz/corpus/${name#fuzz_}
    mkdir -p "$work"
    echo "== $name, $share s"
    "$target" -max_total_time=$share -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$work/" "$work" $([ -d "$seeds" ] && echo "$seeds") ||
        { echo "FAILED: $name; the input is in $work" >&2; exit 1; }
done
