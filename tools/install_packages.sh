#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# Installs the Debian packages that a task needs and that are missing. Usage: install_packages.sh build|install|make-packages|test-install|compare|pyzmq|packages|java|go|rust|check|tidy|fuzz... or names PACKAGE...
# Does nothing, and needs no rights, when all are there. ZLINK_NO_INSTALL=1 only says what is missing.
set -euo pipefail

# a|b: b where the distribution has no a, which is newer (Debian 12: Rust, Boost 1.81).
declare -A groups=(
    # libzmq is what the interoperation and ABI tests compare with. The tests of the C++ headers use Asio without Boost, and cppzmq. Examples use pyzmq.
    # websockets and wsproto are peers of ws.
    [build]="g++ cmake ninja-build pkg-config python3 libsodium-dev libssl-dev libc-ares-dev systemtap-sdt-dev openssl libgtest-dev libgmock-dev libzmq3-dev libcli11-dev nlohmann-json3-dev libasio-dev cppzmq-dev python3-zmq python3-websockets python3-wsproto pandoc man-db"
    # What `make install` needs, and no test.
    [install]="g++ cmake ninja-build pkg-config libsodium-dev libssl-dev libc-ares-dev systemtap-sdt-dev libcli11-dev nlohmann-json3-dev"
    # Tools that make packages, beside those of a build.
    [make-packages]="g++ cmake ninja-build pkg-config libsodium-dev libssl-dev libc-ares-dev systemtap-sdt-dev libcli11-dev nlohmann-json3-dev dpkg-dev debhelper xz-utils rpm pandoc python3 python3-venv"
    [test-install]="mmdebstrap buildah python3 python3-venv lintian"
    [compare]="g++ cmake ninja-build pkg-config python3 python3-venv libsodium-dev libssl-dev libc-ares-dev systemtap-sdt-dev libzmq3-dev libbenchmark-dev util-linux strace"
    # A library to compare with, and certificates.
    [compare-web]="libnng-dev openssl python3-venv"
    [pyzmq]="g++ cmake pkg-config python3-venv python3-dev libzmq3-dev"
    # Each loads libzmq.so.5.
    [packages]="gcc g++ python3 python3-zmq libczmq-dev cppzmq-dev libzmq3-dev ruby-ffi-rzmq octave-zeromq libzmq-java"
    # Compilers of the peers of test-interop, for who has none in PATH.
    [java]="default-jdk-headless maven"
    # Go itself comes as a Python package: Debian 12's is older than the peer wants.
    [go]="python3-venv"
    [rust]="cargo-web|cargo rustc-web|rustc"
    # The compiler and the libraries: libclang reads the headers, and Vale is built.
    [js]="nodejs npm"
    # Proxies between two ends of tls, ws and wss.
    [proxies]="nginx-light|nginx libnginx-mod-stream haproxy"
    # gdb looks at the probes, and Prometheus' promtool at the metrics.
    [observers]="gdb prometheus"
    # Together with js: they try examples/browser.
    [browser]="chromium chromium-driver python3-selenium"
    [check]="g++ python3 python3-venv clang-format-14 universal-ctags ca-certificates libsodium-dev libssl-dev libc-ares-dev"
    [tidy]="g++ clang-14 clang-tidy-14 libsodium-dev libssl-dev libc-ares-dev libcli11-dev nlohmann-json3-dev"
    [fuzz]="g++ clang-14 libclang-rt-14-dev cmake ninja-build libsodium-dev libssl-dev libc-ares-dev"
)

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
available() { [ -n "$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \(.*\)$/\1/p' | grep -v '(none)')" ]; }
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

choice() { if available "${1%|*}"; then echo "${1%|*}"; else echo "${1#*|}"; fi; }
satisfied() { installed "${1%|*}" || installed "$(choice "$1")"; }

# Asio comes with the Boost headers: any from 1.74 on will do, under whichever name they are installed or offered.
boost_headers() {
    local header=/usr/include/boost/version.hpp
    [ -f "$header" ] && [ "$(awk '$1 == "#define" && $2 == "BOOST_VERSION" { print $3 }' "$header")" -ge 107400 ]
}

# names PACKAGE...: the packages themselves, for tests/world.
if [ "${1:-}" = names ]; then
    groups[names]="${*:2}"
    set -- names
fi

missing=()
for group in "$@"; do
    for package in ${groups[$group]:?"unknown group $group"}; do
        if [[ " ${missing[*]:-} " != *" $package "* ]] && ! satisfied "$package"; then missing+=("$package"); fi
    done
    case $group in build | install | make-packages | compare | check | tidy | fuzz) need_boost=1 ;; esac
done
if [ "${need_boost:-0}" = 1 ] && ! boost_headers; then missing+=("libboost1.81-dev|libboost-dev"); fi
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

if [ "${ZLINK_NO_INSTALL:-0}" = 1 ] || ! command -v apt-get >/dev/null; then
    echo "missing packages: ${missing[*]}" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    echo "missing packages: ${missing[*]}; install them as root: apt-get install ${missing[*]}" >&2
    exit 1
fi
echo "installing: ${missing[*]}"
as_root apt-get update -qq
for index in "${!missing[@]}"; do missing[index]=$(choice "${missing[$index]}"); done
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
