#!/usr/bin/env bash
# Builds the fuzz targets by clang into build-fuzz, fuzzes each for some seconds, and keeps in
# tests/fuzz/corpus what reaches further: the tests replay that. What fails is kept in
# build-fuzz/found/TARGET, and the script says so:
#   scripts/fuzz.sh [SECONDS each (500: an hour in all)] [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-500}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(step_line step_file agent codec target borders job dispatcher)
scripts/setup.sh
launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
fi
cmake --preset fuzz "${launcher[@]}" >/dev/null
cmake --build build-fuzz --parallel "$(nproc)" --target "${targets[@]/#/fuzz_}"

status=0
for target in "${targets[@]}"; do
  corpus=$PWD/tests/fuzz/corpus/$target
  found=$PWD/build-fuzz/found/$target
  seeds=tests/fuzz/seeds_${target%%_*}
  dictionary=()
  [ -e "tests/fuzz/${target%%_*}.dict" ] && dictionary=("-dict=tests/fuzz/${target%%_*}.dict")
  mkdir -p "$found/new" "$corpus"
  build-fuzz/bin/"fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$found/" "${dictionary[@]}" \
    "$found/new" "$corpus" "$seeds" || {
    echo "fuzz_$target failed: its input is in $found" >&2
    status=1
    continue
  }
  rm -rf "$found/minimised"
  mkdir "$found/minimised"
  build-fuzz/bin/"fuzz_$target" -merge=1 -use_counters=0 "$found/minimised" \
    "$seeds" "$corpus" "$found/new"
  rm -rf "$corpus"
  mkdir "$corpus"
  for input in "$found/minimised"/*; do
    name=$(basename "$input")
    cp "$input" "$corpus/${name:0:16}"
  done
done
exit "$status"
