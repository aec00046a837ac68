#!/usr/bin/env bash
# Sets up and builds into ./build (or the directory that is named) everything, or the targets that
# are named.
#
#   scripts/build.sh [DIRECTORY [TARGET...]]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
targets=("${@:2}")
if [ "${#targets[@]}" -eq 0 ]; then
  scripts/setup.sh
else
  scripts/setup.sh build
  targets=(--target "${targets[@]}")
fi
options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DMSTUNE_WERROR=ON)
if command -v ccache >/dev/null; then
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  # Without this ccache knows no file again that uses a precompiled header.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
fi
cmake -S . -B "$build" "${options[@]}" >/dev/null
cmake --build "$build" --parallel "$(nproc)" "${targets[@]}"
