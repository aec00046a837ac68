#!/usr/bin/env bash
# Sets up and builds everything into ./build (or the directory that is named).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
build=${1:-build}
options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DMSTUNE_WERROR=ON)
command -v ccache >/dev/null && options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S . -B "$build" "${options[@]}" >/dev/null
cmake --build "$build" --parallel 2
