#!/usr/bin/env bash
# Sets up and builds into ./build (or the directory that is named) everything, or the targets that
# are named. With --cann it builds what ships for a CANN toolkit instead, the pass and the samples,
# into build-pass/ and build-samples/ here (or below the directory that is named), against the
# toolkit that ASCEND_HOME_PATH names (set_env.sh exports it).
#
#   scripts/build.sh [DIRECTORY [TARGET...]]
#   scripts/build.sh --cann [DIRECTORY]
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --cann ]; then
  build=${2:-.}
  if [ ! -d "${ASCEND_HOME_PATH:-}/include" ]; then
    echo "ASCEND_HOME_PATH=\"${ASCEND_HOME_PATH:-}\" is no CANN toolkit: source its set_env.sh in bash first" >&2
    exit 1
  fi
  # Which of the names that both use this toolkit lacks: clearer than what the compiler would say.
  if command -v python3 >/dev/null; then
    python3 tests/standin/headers/check_headers.py --cann "$ASCEND_HOME_PATH/include"
  fi
  for part in pass samples; do
    cmake -S "$part" -B "$build/build-$part" -DCMAKE_BUILD_TYPE=Release
    cmake --build "$build/build-$part" --parallel 2
  done
  echo "built $build/build-pass/libmstune_pass.so and $build/build-samples/sample_{run,infer}"
  exit 0
fi

build=${1:-build}
targets=("${@:2}")
if [ "${#targets[@]}" -eq 0 ]; then
  scripts/setup.sh
else
  scripts/setup.sh build
  targets=(--target "${targets[@]}")
fi
options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DMSTUNE_WERROR=ON -DMSTUNE_UNITY=ON)
if command -v ccache >/dev/null; then
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  # Without this ccache knows no file again that uses a precompiled header.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
fi
cmake -S . -B "$build" "${options[@]}" >/dev/null
cmake --build "$build" --parallel "$(nproc)" "${targets[@]}"
