#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# Builds other libraries with libzmq's C interface for the comparison, and prints the arguments that name them to it.
# Usage: make_peers.sh DIRECTORY
#
# So far one: omq-libzmq, a package of the Rust package registry. DIRECTORY/omq is a Cargo project of no code that depends on
# it; Cargo downloads and compiles it, with link-time optimisation as zlink is compiled. The version is fixed, so that
# results of different days compare; OMQ_VERSION=... takes another. On success the last lines of stdout, and the file
# DIRECTORY/arguments, hold one argument per line: --peer omq=FILE
set -euo pipefail
directory=${1:?usage: make_peers.sh DIRECTORY}
omq_version=${OMQ_VERSION:-0.8.0}
give_up() {
    echo "make_peers.sh: $1" >&2
    exit 1
}

# The distribution's cargo where there is none yet; a newer one (say, from rustup) that stands first in PATH is taken as it is.
have_cargo() {
    command -v cargo >/dev/null || "$(dirname "$0")/install_packages.sh" rust || give_up "cargo is missing; install the Rust toolchain"
}

# What the package's metadata asks of the compiler, compared before pages of confusing compiler messages.
least_rust_version() {
    cargo metadata --format-version 1 --manifest-path "$1/Cargo.toml" >"$1/metadata.json" 2>"$1/metadata.log" || return 1
    python3 -c '
import json, sys
packages = json.load(open(sys.argv[1], encoding="utf-8"))["packages"]
print(next(package["rust_version"] or "" for package in packages if package["name"] == "omq-libzmq"))' "$1/metadata.json"
}

make_project() {
    mkdir -p "$1/src"
    : >"$1/src/lib.rs"
    cat >"$1/Cargo.toml" <<END
[package]
name = "zlink-peers"
version = "0.0.0"
edition = "2021"
publish = false
[dependencies]
omq-libzmq = "=$omq_version"
[profile.release]
lto = "fat"
codegen-units = 1
[workspace]
END
}

build_omq() {
    local project=$1 needed present
    make_project "$project"
    present=$(cargo --version | awk '{ print $2 }')
    needed=$(least_rust_version "$project") || {
        tail -n 5 "$project/metadata.log" >&2
        give_up "cargo $present cannot read the package omq-libzmq $omq_version (no network, or this cargo is too old for it: see above)"
    }
    if [ -n "$needed" ] && [ "$(printf '%s\n' "$needed" "$present" | sort -V | head -n 1)" != "$needed" ]; then
        give_up "cargo $present is too old: omq-libzmq $omq_version needs Rust $needed or newer (install it with rustup, or with tools/install_packages.sh rust, then run this again)"
    fi
    echo "== building omq-libzmq $omq_version with cargo $present in $project (a few minutes the first time)"
    cargo build --release --package omq-libzmq --manifest-path "$project/Cargo.toml" --target-dir "$project/target" \
        >"$project/build.log" 2>&1 || {
        tail -n 30 "$project/build.log" >&2
        give_up "omq-libzmq did not build; everything it said is in $project/build.log"
    }
}

have_cargo
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
build_omq "$directory/omq"
library=$directory/omq/target/release/libomq_zmq.so
[ -f "$library" ] || give_up "cargo built no $library"
echo "--peer omq=$library" | tee "$directory/arguments"
