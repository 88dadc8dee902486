#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# Compares all C and C++ sources that git knows or would add with .clang-format; --fix rewrites them.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run -Werror)
if [ "${1:-}" = --fix ]; then mode=(-i); fi

mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.h' '*.hpp' '*.c' '*.cpp' | sort -u | xargs -r ls -d 2>/dev/null)
if ! clang-format-14 "${mode[@]}" "${files[@]}"; then
    echo "FAILED: formatting; 'make format' mends it" >&2
    exit 1
fi
echo "formatting: ${#files[@]} files"
