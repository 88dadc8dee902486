#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# Makes a Python virtual environment with the packages of a requirements file; does nothing when it is already up to date.
# Usage: make_venv.sh DIRECTORY REQUIREMENTS
set -euo pipefail
directory=$1 requirements=$2
stamp=$directory/.requirements

if [ -x "$directory/bin/python" ] && cmp -s "$requirements" "$stamp"; then exit 0; fi
echo "== Python packages in $directory"
python3 -m venv "$directory"
"$directory/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
cp "$requirements" "$stamp"
