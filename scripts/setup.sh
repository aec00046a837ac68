#!/usr/bin/env bash
# Installs what building, testing and checking needs, from Debian 12's packages. Does nothing when
# all of it is there.
#
#   scripts/setup.sh [build]      build: only what building needs
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libzmq3-dev cppzmq-dev libmsgpack-cxx-dev libsodium-dev libssl-dev libboost-dev
  libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev doctest-dev
  libjs-chart.js
)
[ "${1:-all}" = build ] || packages+=(
  clang libclang-rt-14-dev clang-format clang-tidy
  python3 python3-yaml python3-zmq python3-msgpack python3-jsonschema shellcheck valgrind
  chromium-headless-shell fonts-wqy-microhei zsh bash-completion iproute2 xfsprogs
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
    missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo)
  command -v sudo >/dev/null || {
    echo "missing: ${missing[*]}" >&2
    echo "there is no sudo here; run once as root: scripts/setup.sh${1:+ $1}" >&2
    exit 1
  }
fi
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
